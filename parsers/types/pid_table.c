/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/pid_table.h"

void *pid_table_get(struct pid_table *table, struct arena *arena, int pid, size_t size)
{
	struct pid_entry **bucket = &table->buckets[(unsigned int)pid % PID_TABLE_BUCKETS];
	struct pid_entry *e = pid_table_find(table, pid);

	if (!e) {
		e = arena_alloc(arena, size);
		e->pid = pid;
		e->next = *bucket;
		*bucket = e;
	}
	return e;
}

void *pid_table_next(const struct pid_table *table, const void *entry)
{
	const struct pid_entry *e = entry;
	unsigned int i = e ? (unsigned int)e->pid % PID_TABLE_BUCKETS + 1 : 0;

	if (e && e->next)
		return e->next;
	while (i < PID_TABLE_BUCKETS && !table->buckets[i])
		i++;
	return i < PID_TABLE_BUCKETS ? table->buckets[i] : NULL;
}

bool pid_table_number(const char **p, const char *end, int *number)
{
	const char *s = *p;
	int64_t v = 0;

	while (s < end && *s == ' ')
		s++;
	*p = s;
	while (s < end && *s >= '0' && *s <= '9' && v <= INT32_MAX)
		v = v * 10 + (*s++ - '0');
	if (s == *p || v > INT32_MAX)
		return false;
	*p = s;
	*number = (int)v;
	return true;
}
