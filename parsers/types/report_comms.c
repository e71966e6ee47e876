/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/report_comms.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"

struct entry {
	int		pid;		/* 0: empty */
	const char	*comm;
};

struct report_comms {
	struct entry	*list;		/* before the first look-up: newest last */
	unsigned int	nr_list, cap_list;
	bool		asked;
	/*
	 * Afterwards one of these: a sorted list with duplicates, or a table with one name for each
	 * pid.
	 */
	struct entry	*sorted;
	unsigned int	nr_sorted, cap_sorted;
	struct entry	*entries;	/* owned, [nr] */
	unsigned int	nr, cap;
	struct index_map map;		/* finds an entry by pid */
	struct arena	arena;
};

static const char *find_in_table(const struct report_comms *comms, int pid)
{
	index_map_each (&comms->map, index_map_hash((uint32_t)pid), i)
		if (comms->entries[i].pid == pid)
			return comms->entries[i].comm;
	return NULL;
}

static void add_to_table(struct report_comms *comms, struct entry entry)
{
	if (find_in_table(comms, entry.pid))
		return;
	mem_grow(&comms->entries, comms->nr, &comms->cap);
	comms->entries[comms->nr] = entry;
	index_map_add(&comms->map, index_map_hash((uint32_t)entry.pid), comms->nr++);
}

/* --- the list with doubles ---------------------------------------------- */

static int by_pid(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void add_sorted(struct report_comms *comms, struct entry entry)
{
	unsigned int i;

	if (bsearch(&entry, comms->sorted, comms->nr_sorted, sizeof(entry), by_pid))
		return;
	mem_grow(&comms->sorted, comms->nr_sorted, &comms->cap_sorted);
	for (i = comms->nr_sorted++; i && comms->sorted[i - 1].pid > entry.pid; i--)
		comms->sorted[i] = comms->sorted[i - 1];
	comms->sorted[i] = entry;
}

/* A stable sort; the C library's qsort() need not be one. */
static void sort_entries(struct entry *all, struct entry *spare, unsigned int nr)
{
	unsigned int half = nr / 2, a = 0, b = half, out = 0;

	if (nr < 2)
		return;
	sort_entries(all, spare, half);
	sort_entries(all + half, spare, nr - half);
	while (a < half || b < nr)
		spare[out++] = b == nr || (a < half && all[a].pid <= all[b].pid) ? all[a++] :
										   all[b++];
	memcpy(all, spare, nr * sizeof(*all));
}

/* On the first look-up: newest first, sorted by pid. */
static void end_list(struct report_comms *comms)
{
	struct entry *all = mem_array(comms->nr_list + 1, sizeof(*all)),
		     *spare = mem_array(comms->nr_list + 1, sizeof(*all));
	unsigned int nr = comms->nr_list;
	bool doubles = false;

	for (unsigned int i = 0; i < nr; i++)
		all[i] = comms->list[nr - 1 - i];
	sort_entries(all, spare, nr);
	for (unsigned int i = 1; i < nr; i++)
		doubles |= all[i].pid == all[i - 1].pid;
	free(spare);
	free(comms->list);
	comms->list = NULL;
	comms->asked = true;
	if (doubles) {
		comms->sorted = all;
		comms->nr_sorted = nr;
		comms->cap_sorted = nr + 1;
		return;
	}
	for (unsigned int i = 0; i < nr; i++)
		if (all[i].pid)
			add_to_table(comms, all[i]);
	free(all);
}

/* The list holds a name once for each event that had it, often alternating between a few names. */
static const char *copy_name(struct report_comms *comms, const char *comm, size_t len)
{
	for (unsigned int i = comms->nr_list; !comms->asked && i && i + 8 > comms->nr_list; i--) {
		const char *old = comms->list[i - 1].comm;

		if (strlen(old) == len && !memcmp(old, comm, len))
			return old;
	}
	return arena_strndup(&comms->arena, comm, len);
}

void report_comms_learn(struct report_comms *comms, int pid, const char *comm, size_t len)
{
	struct entry entry = { .pid = pid };

	if (comms->asked && (!pid || report_comms_get(comms, pid)))
		return;
	entry.comm = copy_name(comms, comm, strnlen(comm, len));
	if (!comms->asked) {
		mem_grow(&comms->list, comms->nr_list, &comms->cap_list);
		comms->list[comms->nr_list++] = entry;
	} else if (comms->sorted) {
		add_sorted(comms, entry);
	} else {
		add_to_table(comms, entry);
	}
}

/* --- saved cmdlines ------------------------------------------------------ */

/* "  71 bash" */
static bool parse_line(const char *line, size_t len, int *pid, const char **comm, size_t *comm_len)
{
	char number[24];
	char *end;
	size_t n = 0;
	long v;

	while (n < len && (line[n] == ' ' || line[n] == '\t'))
		n++;
	memcpy(number, line + n, len - n < sizeof(number) - 1 ? len - n : sizeof(number) - 1);
	number[len - n < sizeof(number) - 1 ? len - n : sizeof(number) - 1] = '\0';
	errno = 0;
	v = strtol(number, &end, 10);
	if (end == number || errno || v < INT_MIN || v > INT_MAX)
		return false;
	*pid = (int)v;
	n += (size_t)(end - number);
	while (n < len && (line[n] == ' ' || (line[n] >= '\t' && line[n] <= '\r')))
		n++;
	*comm = line + n;
	*comm_len = len - n;
	return n < len;
}

struct report_comms *report_comms_new(const char *saved, uint64_t size)
{
	struct report_comms *comms = mem_alloc(sizeof(*comms));
	const char *end;

	size = saved ? strnlen(saved, size) : 0;
	for (end = saved + size; saved < end;) {
		const char *nl = memchr(saved, '\n', (size_t)(end - saved)), *comm;
		size_t len = nl ? (size_t)(nl - saved) : (size_t)(end - saved), comm_len;
		int pid;

		if (len) {
			if (!parse_line(saved, len, &pid, &comm, &comm_len))
				break;
			report_comms_learn(comms, pid, comm, comm_len);
		}
		saved += len + (nl != NULL);
	}
	return comms;
}

void report_comms_free(struct report_comms *comms)
{
	if (!comms)
		return;
	arena_fini(&comms->arena);
	free(comms->list);
	free(comms->sorted);
	free(comms->entries);
	index_map_fini(&comms->map);
	free(comms);
}

/* Look up in the table that replaced the list. */
static const char *find_name(const struct report_comms *comms, int pid)
{
	struct entry key = { .pid = pid }, *found;

	if (!comms->sorted)
		return find_in_table(comms, pid);
	found = bsearch(&key, comms->sorted, comms->nr_sorted, sizeof(key), by_pid);
	return found ? found->comm : NULL;
}

bool report_comms_knows(const struct report_comms *comms, int pid)
{
	return comms->asked && (!pid || find_name(comms, pid));
}

const char *report_comms_get(struct report_comms *comms, int pid)
{
	if (!pid)
		return "<idle>";
	if (!comms->asked)
		end_list(comms);
	return find_name(comms, pid);
}
