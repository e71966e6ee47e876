/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_NAMES_H
#define FTOP_SRC_SCHED_SCHED_NAMES_H
/*
 * sched_names - numbers for names of tasks: equal names have equal numbers, so that a name takes
 * four bytes in millions of records.  For any thread.
 */
#include <stddef.h>
#include <stdint.h>

struct sched_names;			/* opaque */

struct sched_names *sched_names_new(void);
void sched_names_free(struct sched_names *names);	/* NULL is allowed */

/* The number of a name, from 1.  @s: any bytes, up to a NUL, at most @len; may be empty. */
uint32_t sched_names_add(struct sched_names *names, const char *s, size_t len);

/* The name for a number from sched_names_add(); valid until @names is freed. */
const char *sched_names_text(struct sched_names *names, uint32_t name);
#endif
