/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paint.c - text for a terminal: foreign bytes made harmless, colours, aligned columns
 */
#include "paint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "utf8.h"

static const char *const escapes[] = {
	[PAINT_PLAIN] = "",	  [PAINT_GOOD] = "\033[32m", [PAINT_WAITING] = "\033[33m",
	[PAINT_BAD] = "\033[31m", [PAINT_FAINT] = "\033[2m", [PAINT_BOLD] = "\033[1m",
};

struct canvas canvas_stdout(void)
{
	return (struct canvas){stdout, isatty(STDOUT_FILENO) && !getenv("NO_COLOR")};
}

static void paint_printable(const struct canvas *canvas, enum paint color, const char *text)
{
	bool has_color = canvas->has_color && color != PAINT_PLAIN && text[0];

	fprintf(canvas->stream, "%s%s%s", has_color ? escapes[color] : "", text,
		has_color ? "\033[0m" : "");
}

/* A copy of @text that a terminal only shows. The caller frees it; NULL: no memory. */
static char *make_printable(const char *text)
{
	char *clean = malloc(UTF8_SANITIZED_SIZE(strlen(text)));

	if (clean)
		utf8_printable(text, clean);
	return clean;
}

void paint(const struct canvas *canvas, enum paint color, const char *text)
{
	char *clean = make_printable(text);

	paint_printable(canvas, color, clean ? clean : "");
	free(clean);
}

void table_add(struct table *table, enum paint color, const char *text)
{
	if (array_reserve(&table->cells, &table->capacity, table->count + 1, sizeof(*table->cells)))
		return;
	table->cells[table->count++] = (struct cell){make_printable(text), color};
}

void table_add_number(struct table *table, double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.0f", number);
	table_add(table, PAINT_PLAIN, text);
}

/* How many columns of a terminal a text takes: one for each character. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; text && *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

void table_print(struct table *table, const struct canvas *canvas, const char *indent)
{
	size_t widths[TABLE_COLUMNS] = {0};

	for (size_t i = 0; i < table->count; i++) {
		size_t width = width_of(table->cells[i].text);

		if (width > widths[i % table->columns])
			widths[i % table->columns] = width;
	}
	for (size_t i = 0; i < table->count; i++) {
		const struct cell *cell = &table->cells[i];
		size_t column = i % table->columns;

		if (column == 0)
			fputs(indent, canvas->stream);
		paint_printable(canvas, cell->color, cell->text ? cell->text : "");
		/* Nothing behind the last one. */
		if (column + 1 == table->columns)
			fputc('\n', canvas->stream);
		else
			fprintf(canvas->stream, "%*s",
				(int)(widths[column] - width_of(cell->text) + 2), "");
		free(table->cells[i].text);
	}
	free(table->cells);
	*table = (struct table){.columns = table->columns};
}

const char *format_duration(double ms, char text[DURATION_SIZE])
{
	if (ms < 1000)
		snprintf(text, DURATION_SIZE, "%.0f ms", ms);
	else if (ms < 100000)
		snprintf(text, DURATION_SIZE, "%.1f s", ms / 1000);
	else
		snprintf(text, DURATION_SIZE, "%.0f min", ms / 60000);
	return text;
}

const char *format_bytes(double bytes, char text[DURATION_SIZE])
{
	if (bytes < 10. * 1024 * 1024)
		snprintf(text, DURATION_SIZE, "%.0f KiB", bytes / 1024);
	else
		snprintf(text, DURATION_SIZE, "%.0f MiB", bytes / 1024 / 1024);
	return text;
}
