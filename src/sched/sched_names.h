/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_NAMES_H
#define FTOP_SRC_SCHED_NAMES_H
/*
 * sched_names - the names of tasks as numbers: equal names are equal numbers, so that
 * a name costs four bytes in each of millions of records.  Any thread.
 */
#include <stddef.h>
#include <stdint.h>

struct sched_names;			/* opaque */

struct sched_names *sched_names_new(void);
void sched_names_free(struct sched_names *names);	/* NULL is allowed */

/* The number of a name, from 1 on.  @s: up to a NUL, at most @len bytes; any bytes, also none. */
uint32_t sched_names_add(struct sched_names *names, const char *s, size_t len);

/* The name of a number that sched_names_add() gave; lives as long as the names. */
const char *sched_names_text(struct sched_names *names, uint32_t name);
#endif
