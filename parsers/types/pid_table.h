/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PID_TABLE_H
#define FTOP_PARSERS_PID_TABLE_H
/*
 * pid_table - what is held of each task, by its pid.  Knows neither what that is nor
 * any lock: comm_table and tgid_table do.
 */
#include <stddef.h>
#include "src/base/memory.h"

#define PID_TABLE_BUCKETS	1024u

/* The first member of what is held of a task. */
struct pid_entry {
	struct pid_entry *next;		/* in its bucket */
	int		 pid;
};

struct pid_table {			/* zeroed: empty */
	struct pid_entry *buckets[PID_TABLE_BUCKETS];
};

/* What is held of this task; NULL: nothing. */
static inline void *pid_table_find(const struct pid_table *table, int pid)
{
	struct pid_entry *e = table->buckets[(unsigned int)pid % PID_TABLE_BUCKETS];

	while (e && e->pid != pid)
		e = e->next;
	return e;
}

/* The same; where there is nothing yet, @size zeroed bytes of the arena, which has to live as long as the table. */
void *pid_table_get(struct pid_table *table, struct arena *arena, int pid, size_t size);

/* One after the other, in no order: the one behind @entry (NULL: the first); NULL: that was the last. */
void *pid_table_next(const struct pid_table *table, const void *entry);
#endif
