/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prometheus.h - monitors as metrics, for node_exporter's textfile collector
 */
#ifndef NETNSMON_PROMETHEUS_H
#define NETNSMON_PROMETHEUS_H

#include <stdio.h>

#include "monitors.h"

/* Writes the text exposition format, version 0.0.4. */
void prometheus_print(FILE *stream, const struct monitors *monitors);

#endif
