/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/comm_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "parsers/types/pid_table.h"
#include "src/base/bisect.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"

/*
 * Consecutive sightings of one name.  Runs of a task are sorted by from, to and name.  They do not
 * overlap, but for single moments at which several names were seen: with coarse clocks the moment
 * of a renaming is the last of one name and the first of the next.  There the last run in this
 * order wins, whatever the order in which the names were added.
 */
struct run {
	int64_t		from, to;	/* first and last sighting */
	const char	*name;
};

struct task {
	struct pid_entry entry;
	unsigned int	nr, cap;
	struct run	*runs;		/* [nr] */
	const char	*saved;		/* or NULL */
};

#define NAMES_AT_ONCE	16u		/* of a pid at one moment; more cannot be renamings */

struct comm_table {
	pthread_mutex_t	lock;
	struct arena	arena;		/* tasks and names */
	struct pid_table tasks;		/* of struct task */
	const char	**names;	/* owned, [nr_names]: one copy of each, in the arena */
	uint32_t	nr_names, cap_names;
	struct index_map name_map;
	_Atomic uint64_t changes;	/* counts changes of comm_table_at()'s answers */
};

struct comm_table *comm_table_new(void)
{
	struct comm_table *table = mem_alloc(sizeof(*table));

	pthread_mutex_init(&table->lock, NULL);
	return table;
}

void comm_table_free(struct comm_table *table)
{
	if (!table)
		return;
	for (struct task *t = pid_table_next(&table->tasks, NULL); t;
	     t = pid_table_next(&table->tasks, t))
		free(t->runs);
	free(table->names);
	index_map_fini(&table->name_map);
	arena_fini(&table->arena);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

/* One copy of each name, so that names can be compared as pointers. */
static const char *intern(struct comm_table *table, const char *s, unsigned int len)
{
	uint32_t hash = index_map_hash_bytes(s, len);

	index_map_each (&table->name_map, hash, i)
		if (!strncmp(table->names[i], s, len) && !table->names[i][len])
			return table->names[i];
	mem_grow(&table->names, table->nr_names, &table->cap_names);
	table->names[table->nr_names] = arena_strndup(&table->arena, s, len);
	index_map_add(&table->name_map, hash, table->nr_names);
	return table->names[table->nr_names++];
}

static struct task *get_task(struct comm_table *table, int pid)
{
	return pid_table_get(&table->tasks, &table->arena, pid, sizeof(struct task));
}

/* Number of runs that begin at or before ts. */
static unsigned int runs_until(const struct task *t, int64_t ts)
{
	return bisect(t->nr, i, t->runs[i].from <= ts);
}

static void insert_run(struct task *t, unsigned int at, struct run run)
{
	mem_grow(&t->runs, t->nr, &t->cap);
	memmove(t->runs + at + 1, t->runs + at, (t->nr - at) * sizeof(*t->runs));
	t->runs[at] = run;
	t->nr++;
}

static bool is_before(const struct run *a, const struct run *b)
{
	if (a->from != b->from)
		return a->from < b->from;
	return a->to != b->to ? a->to < b->to : strcmp(a->name, b->name) < 0;
}

/* Move run @i, whose end was extended, to its place in the order. */
static void move_run(struct task *t, unsigned int i)
{
	struct run run = t->runs[i];

	for (; i && is_before(&run, &t->runs[i - 1]); i--)
		t->runs[i] = t->runs[i - 1];
	for (; i + 1 < t->nr && is_before(&t->runs[i + 1], &run); i++)
		t->runs[i] = t->runs[i + 1];
	t->runs[i] = run;
}

static void add_run(struct task *t, struct run run)
{
	unsigned int at = runs_until(t, run.from);

	insert_run(t, at, run);
	move_run(t, at);
}

/*
 * Among the runs at one moment, the one with this name, if extending it would not cover another;
 * else -1.
 */
static int run_to_extend(const struct task *t, unsigned int first, unsigned int end,
			 const char *name)
{
	for (unsigned int k = first; k < end; k++)
		if (t->runs[k].name == name &&
		    (end - first == 1 || t->runs[k].from == t->runs[k].to))
			return (int)k;
	return -1;
}

/* Of the first @nr runs, those that end last; of the others, those that begin first. */
static int run_before(const struct task *t, unsigned int nr, const char *name)
{
	unsigned int first = nr;

	while (first && t->runs[first - 1].to == t->runs[nr - 1].to)
		first--;
	return run_to_extend(t, first, nr, name);
}

static int run_after(const struct task *t, unsigned int at, const char *name)
{
	unsigned int end = at;

	while (end < t->nr && t->runs[end].from == t->runs[at].from)
		end++;
	return run_to_extend(t, at, end, name);
}

static bool split_run(struct task *t, unsigned int i, int64_t ts, const char *name)
{
	struct run tail = { t->runs[i].to, t->runs[i].to, t->runs[i].name };

	t->runs[i].to = ts - 1;
	add_run(t, (struct run){ ts, ts, name });
	add_run(t, tail);
	return true;
}

/* Add a sighting.  Return: true if a look-up may give another answer now. */
static bool add_sighting(struct task *t, int64_t ts, const char *name)
{
	unsigned int until = runs_until(t, ts), before = until;
	bool ends = false, begins = false;
	int run;

	/* Other names that were seen at this moment. */
	for (; before && t->runs[before - 1].to >= ts; before--) {
		const struct run *there = &t->runs[before - 1];

		if (there->name == name)
			return false;
		if (there->from < ts && there->to > ts)
			return split_run(t, before - 1, ts, name);
		ends |= there->from < ts;
		begins |= there->to > ts;
	}
	run = ends ? -1 : run_before(t, before, name);
	if (run >= 0) {
		bool last = (unsigned int)run + 1 == before;

		t->runs[run].to = ts;
		move_run(t, (unsigned int)run);
		return !last;
	}
	run = begins ? -1 : run_after(t, until, name);
	if (run >= 0) {
		t->runs[run].from = ts;
		move_run(t, (unsigned int)run);
		return true;
	}
	if (until - before >= NAMES_AT_ONCE)
		return false;
	add_run(t, (struct run){ ts, ts, name });
	return true;
}

void comm_table_seen_span(struct comm_table *table, int pid, int64_t from, int64_t to,
			  const char *comm, unsigned int len)
{
	const char *name;
	struct task *t;
	bool changed;

	if (pid <= 0 || !len)
		return;
	pthread_mutex_lock(&table->lock);
	t = get_task(table, pid);
	name = intern(table, comm, len);
	changed = add_sighting(t, from, name);
	if (to > from)
		changed |= add_sighting(t, to, name);
	if (changed)
		atomic_fetch_add_explicit(&table->changes, 1, memory_order_release);
	pthread_mutex_unlock(&table->lock);
}

void comm_table_seen(struct comm_table *table, int pid, int64_t ts, const char *comm,
		     unsigned int len)
{
	comm_table_seen_span(table, pid, ts, ts, comm, len);
}

/* "pid comm": the comm is everything after the blank. */
static void saved_line(struct comm_table *table, const char *p, const char *end)
{
	int pid;

	if (!pid_table_number(&p, end, &pid) || p == end || *p != ' ')
		return;
	p++;
	if (p < end && end - p <= 4096)
		get_task(table, pid)->saved = intern(table, p,
						     (unsigned int)strnlen(p, (size_t)(end - p)));
}

void comm_table_saved(struct comm_table *table, const char *text, uint64_t size)
{
	const char *p = text, *end = text + size;

	pthread_mutex_lock(&table->lock);
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		saved_line(table, p, nl ? nl : end);
		p = nl ? nl + 1 : end;
	}
	pthread_mutex_unlock(&table->lock);
}

const char *comm_table_span(struct comm_table *table, int pid, int64_t ts, int64_t *from,
			    int64_t *to)
{
	const char *name = "<...>";
	struct task *t;

	*from = INT64_MIN;
	*to = INT64_MAX;
	if (!pid)
		return "<idle>";
	pthread_mutex_lock(&table->lock);
	t = pid_table_find(&table->tasks, pid);
	if (t && t->nr) {
		unsigned int i = runs_until(t, ts);

		name = t->runs[i ? i - 1 : 0].name;
		if (i)
			*from = t->runs[i - 1].from;
		if (i < t->nr)
			*to = t->runs[i].from - 1;
	} else if (t && t->saved) {
		name = t->saved;
	}
	pthread_mutex_unlock(&table->lock);
	return name;
}

const char *comm_table_at(struct comm_table *table, int pid, int64_t ts)
{
	int64_t from, to;

	return comm_table_span(table, pid, ts, &from, &to);
}

uint64_t comm_table_changes(const struct comm_table *table)
{
	return atomic_load_explicit(&table->changes, memory_order_acquire);
}

void comm_table_each(struct comm_table *table, void (*each)(void *arg, int pid, const char *name),
		     void *arg)
{
	pthread_mutex_lock(&table->lock);
	for (const struct task *t = pid_table_next(&table->tasks, NULL); t;
	     t = pid_table_next(&table->tasks, t)) {
		for (unsigned int k = 0; k < t->nr; k++)
			each(arg, t->entry.pid, t->runs[k].name);
		if (t->saved)
			each(arg, t->entry.pid, t->saved);
	}
	pthread_mutex_unlock(&table->lock);
}

const char *comm_table_saved_name(struct comm_table *table, int pid)
{
	const char *name;
	struct task *t;

	pthread_mutex_lock(&table->lock);
	t = pid_table_find(&table->tasks, pid);
	name = t ? t->saved : NULL;
	pthread_mutex_unlock(&table->lock);
	return name;
}
