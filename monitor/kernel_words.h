/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_words.h - pure: one message of the kernel in words
 */
#ifndef NETNSMON_KERNEL_WORDS_H
#define NETNSMON_KERNEL_WORDS_H

#include <linux/netlink.h>
#include <net/if.h>
#include <stdint.h>

#define KERNEL_WORDS_SIZE 192

struct kernel_words {
	char text[KERNEL_WORDS_SIZE]; /* names in it are the kernel's bytes */
	char name[IF_NAMESIZE];	      /* of the link; "": unknown */
	uint32_t index;		      /* … ; 0: none */
};

/* Describes @message, which hint_of() has found to matter. */
void kernel_words(const struct nlmsghdr *message, struct kernel_words *words);

#endif
