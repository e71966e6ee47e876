/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_PID_TABLE_H
#define FTOP_PARSERS_TYPES_PID_TABLE_H
/*
 * pid_table - a hash table by pid, for data kept for each task.  It knows neither that data nor any
 * lock: see comm_table and tgid_table.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/memory.h"

#define PID_TABLE_BUCKETS	1024u

/* The first member of a task's data. */
struct pid_entry {
	struct pid_entry *next;		/* in its bucket */
	int		 pid;
};

struct pid_table {			/* all zero: empty */
	struct pid_entry *buckets[PID_TABLE_BUCKETS];
};

/* The data of this task, or NULL. */
static inline void *pid_table_find(const struct pid_table *table, int pid)
{
	struct pid_entry *e = table->buckets[(unsigned int)pid % PID_TABLE_BUCKETS];

	while (e && e->pid != pid)
		e = e->next;
	return e;
}

/*
 * The same; if the task has none yet, adds @size zeroed bytes from the arena, which must live as
 * long as the table.
 */
void *pid_table_get(struct pid_table *table, struct arena *arena, int pid, size_t size);

/*
 * Iterates in no particular order.  @entry: the previous one, NULL for the first.  Return: the next
 * entry; NULL after the last.
 */
void *pid_table_next(const struct pid_table *table, const void *entry);

/*
 * For lines such as "  71 bash": parse a number after blanks, and advance *p past it.  False: there
 * is none, or it is above INT32_MAX.
 */
bool pid_table_number(const char **p, const char *end, int *number);
#endif
