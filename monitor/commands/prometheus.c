/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prometheus.c - monitors as metrics, for node_exporter's textfile collector
 *
 * https://prometheus.io/docs/instrumenting/exposition_formats/ and …/practices/naming/: all samples
 * of one metric in one block behind its HELP and TYPE; base units (seconds, bytes) in the name;
 * counters end in _total.
 */
#include "prometheus.h"

#include <string.h>

static const cJSON *item_of(const cJSON *json, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(json, key);
}

static double number_of(const cJSON *json, const char *key)
{
	const cJSON *item = item_of(json, key);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* A label's value: three characters have a meaning there. */
static void print_value(FILE *stream, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", stream);
		else if (*text == '"' || *text == '\\')
			fprintf(stream, "\\%c", *text);
		else
			fputc(*text, stream);
	}
}

static void print_head(FILE *stream, const char *name, const char *type, const char *help)
{
	fprintf(stream, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* One sample; @more are further labels, with a comma before them. */
static void print_sample(FILE *stream, const struct monitor_entry *entry, const char *name,
			 const char *more, double value)
{
	fprintf(stream, "%s{sandbox=\"", name);
	print_value(stream, monitor_text(entry, "sandbox"));
	fputs("\",netns=\"", stream);
	print_value(stream, monitor_text(entry, "netns"));
	fprintf(stream, "\"%s} %.15g\n", more, value);
}

/* Metrics that are one number of the summary each. */
static const struct metric {
	const char *name;
	const char *type;
	const char *help;
	const char *object; /* that has the number; NULL: the summary itself */
	const char *key;
	double unit;	    /* the number times this is the value */
	const char *labels; /* of its own */
} metrics[] = {
	{"netnsmon_interfaces", "gauge", "Interfaces by what became of them.", NULL,
	 "interfaces_applied", 1, ",state=\"applied\""},
	{"netnsmon_interfaces", "gauge", NULL, NULL, "interfaces_pending", 1, ",state=\"pending\""},
	{"netnsmon_routes", "gauge", "Routes that the runtime has acknowledged.", NULL,
	 "routes_applied", 1, ""},
	{"netnsmon_memory_bytes", "gauge", "Resident memory that is shared with no other process.",
	 NULL, "memory_bytes", 1, ""},
	{"netnsmon_events_total", "counter", "Messages of the kernel that asked for a look.",
	 "counters", "events", 1, ""},
	{"netnsmon_overruns_total", "counter", "Times that messages of the kernel were lost.",
	 "counters", "overruns", 1, ""},
	{"netnsmon_snapshots_total", "counter", "Looks at the namespace.", "counters", "snapshots",
	 1, ""},
	{"netnsmon_resyncs_total", "counter", "Times that everything was taken anew.", "counters",
	 "resyncs", 1, ""},
	{"netnsmon_retries_total", "counter", "Calls that repeated one that had failed.",
	 "counters", "retries", 1, ""},
};

/* Metrics with one number for each verb. */
static const struct metric verb_metrics[] = {
	{"netnsmon_requests_total", "counter", "Runtime calls that have ended, by their result.",
	 NULL, "done", 1, ",result=\"done\""},
	{"netnsmon_requests_total", "counter", NULL, NULL, "failed", 1, ",result=\"failed\""},
	{"netnsmon_requests_total", "counter", NULL, NULL, "timed_out", 1, ",result=\"timed_out\""},
	{"netnsmon_runtime_seconds_total", "counter", "Time that runtime calls took.", NULL,
	 "runtime_ms", 0.001, ""},
};

static void print_metric(FILE *stream, const struct monitors *monitors, const struct metric *metric)
{
	if (metric->help)
		print_head(stream, metric->name, metric->type, metric->help);
	for (size_t i = 0; i < monitors->count; i++) {
		const struct monitor_entry *entry = &monitors->entries[i];
		const cJSON *object =
			metric->object ? item_of(entry->summary, metric->object) : entry->summary;

		if (entry->error == 0)
			print_sample(stream, entry, metric->name, metric->labels,
				     number_of(object, metric->key) * metric->unit);
	}
}

static void print_verb_metric(FILE *stream, const struct monitors *monitors,
			      const struct metric *metric)
{
	if (metric->help)
		print_head(stream, metric->name, metric->type, metric->help);
	for (size_t i = 0; i < monitors->count; i++) {
		const struct monitor_entry *entry = &monitors->entries[i];
		const cJSON *row;

		cJSON_ArrayForEach(row, item_of(item_of(entry->summary, "counters"), "requests"))
		{
			const char *verb = cJSON_GetStringValue(item_of(row, "verb"));
			char labels[96];

			snprintf(labels, sizeof(labels), ",verb=\"%.32s\"%s", verb ? verb : "",
				 metric->labels);
			print_sample(stream, entry, metric->name, labels,
				     number_of(row, metric->key) * metric->unit);
		}
	}
}

void prometheus_print(FILE *stream, const struct monitors *monitors)
{
	size_t silent = 0;

	for (size_t i = 0; i < monitors->count; i++)
		silent += monitors->entries[i].error != 0;
	print_head(stream, "netnsmon_monitors", "gauge", "Monitors by whether they answer.");
	fprintf(stream, "netnsmon_monitors{state=\"answering\"} %zu\n", monitors->count - silent);
	fprintf(stream, "netnsmon_monitors{state=\"silent\"} %zu\n", silent);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		print_metric(stream, monitors, &metrics[i]);
	for (size_t i = 0; i < sizeof(verb_metrics) / sizeof(verb_metrics[0]); i++)
		print_verb_metric(stream, monitors, &verb_metrics[i]);
}
