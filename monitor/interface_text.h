/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interface_text.h - org.netnsmon.Monitor.varlink, as the Makefile has put it into the program
 */
#ifndef NETNSMON_INTERFACE_TEXT_H
#define NETNSMON_INTERFACE_TEXT_H

extern const char interface_text[];

#endif
