/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show.h - what monitors have answered, for people
 */
#ifndef NETNSMON_SHOW_H
#define NETNSMON_SHOW_H

#include <cjson/cJSON.h>

#include "monitors.h"
#include "paint.h"

/* One line for each monitor. */
void show_list(const struct canvas *canvas, const struct monitors *monitors);

/* One monitor: itself, its links, its routes. @status is a reply to Status. */
void show_status(const struct canvas *canvas, const cJSON *status);

/* One line for an Event; @sandbox comes first unless it is NULL. */
void show_event(const struct canvas *canvas, const char *sandbox, const cJSON *event);

#endif
