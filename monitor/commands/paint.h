/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paint.h - text for a terminal: foreign bytes made harmless, colours, aligned columns
 */
#ifndef NETNSMON_PAINT_H
#define NETNSMON_PAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum paint { PAINT_PLAIN, PAINT_GOOD, PAINT_WAITING, PAINT_BAD, PAINT_FAINT, PAINT_BOLD };

/* Where text goes. */
struct canvas {
	FILE *stream;
	bool has_color;
};

/* Standard output, with colours if it is a terminal and NO_COLOR is not set. */
struct canvas canvas_stdout(void);

/* Writes @text, whatever bytes it has, in that colour. */
void paint(const struct canvas *canvas, enum paint color, const char *text);

#define TABLE_COLUMNS 10

/* Rows of cells, whose columns are as wide as their widest cell. */
struct table {
	size_t columns;
	struct cell {
		char *text; /* owned; printable */
		enum paint color;
	} * cells;
	size_t count;
	size_t capacity;
};

/*
 * All zero but for columns is an empty one. Adds the next cell, from left to right. Without memory
 * a cell is empty.
 */
void table_add(struct table *table, enum paint color, const char *text);

/* … a number. */
void table_add_number(struct table *table, double number);

/* Writes all rows, each behind @indent, and empties the table. */
void table_print(struct table *table, const struct canvas *canvas, const char *indent);

#define DURATION_SIZE 24

/* "250 ms", "1.5 s", "3 min". Returns @text. */
const char *format_duration(double ms, char text[DURATION_SIZE]);

/* "332 KiB". Returns @text. */
const char *format_bytes(double bytes, char text[DURATION_SIZE]);

#endif
