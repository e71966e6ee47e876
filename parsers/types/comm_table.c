/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/comm_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/bisect.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/text.h"

/*
 * Consecutive sightings of one name.  Runs of a part are sorted by from, to and name.  They do not
 * overlap, but for single moments at which several names were seen: with coarse clocks the moment
 * of a renaming is the last of one name and the first of the next.  There the last run in this
 * order wins, whatever the order in which the names were added.
 */
struct run {
	int64_t		from, to;	/* first and last sighting */
	const char	*name;
};

/*
 * A part of a task's time, up to where the next part's first run begins.  A long part is split: an
 * insertion moves the runs behind it.
 */
struct part {
	unsigned int	nr, cap;
	struct run	*runs;		/* owned, [nr]: at least one */
};

struct task {
	int		pid;
	uint32_t	nr, cap;
	struct part	*parts;		/* owned, [nr]: in order of time */
	const char	*saved;		/* or NULL */
};

#define PART_MAX	512u
#define NAMES_AT_ONCE	16u		/* of a pid at one moment; more cannot be renamings */

struct comm_table {
	pthread_mutex_t	lock;
	struct task	*tasks;		/* owned, [nr_tasks] */
	uint32_t	nr_tasks, cap_tasks;
	struct index_map task_map;	/* by pid */
	struct arena	arena;		/* names */
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
	for (uint32_t i = 0; i < table->nr_tasks; i++) {
		for (uint32_t k = 0; k < table->tasks[i].nr; k++)
			free(table->tasks[i].parts[k].runs);
		free(table->tasks[i].parts);
	}
	free(table->tasks);
	index_map_fini(&table->task_map);
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

static struct task *find_task(const struct comm_table *table, int pid)
{
	index_map_each (&table->task_map, index_map_hash((uint32_t)pid), i)
		if (table->tasks[i].pid == pid)
			return &table->tasks[i];
	return NULL;
}

/* Valid until the next new task. */
static struct task *get_task(struct comm_table *table, int pid)
{
	struct task *t = find_task(table, pid);

	if (t)
		return t;
	mem_grow(&table->tasks, table->nr_tasks, &table->cap_tasks);
	index_map_add(&table->task_map, index_map_hash((uint32_t)pid), table->nr_tasks);
	t = &table->tasks[table->nr_tasks++];
	*t = (struct task){ .pid = pid };
	return t;
}

/* Number of runs that begin at or before ts. */
static unsigned int runs_until(const struct part *p, int64_t ts)
{
	return bisect(p->nr, i, p->runs[i].from <= ts);
}

static void insert_run(struct part *p, unsigned int at, struct run run)
{
	mem_grow_from(&p->runs, p->nr, &p->cap, 1);
	memmove(p->runs + at + 1, p->runs + at, (p->nr - at) * sizeof(*p->runs));
	p->runs[at] = run;
	p->nr++;
}

static bool is_before(const struct run *a, const struct run *b)
{
	if (a->from != b->from)
		return a->from < b->from;
	return a->to != b->to ? a->to < b->to : strcmp(a->name, b->name) < 0;
}

/* Move run @i, whose end was extended, to its place in the order. */
static void move_run(struct part *p, unsigned int i)
{
	struct run run = p->runs[i];

	for (; i && is_before(&run, &p->runs[i - 1]); i--)
		p->runs[i] = p->runs[i - 1];
	for (; i + 1 < p->nr && is_before(&p->runs[i + 1], &run); i++)
		p->runs[i] = p->runs[i + 1];
	p->runs[i] = run;
}

static void add_run(struct part *p, struct run run)
{
	unsigned int at = runs_until(p, run.from);

	insert_run(p, at, run);
	move_run(p, at);
}

/*
 * Among the runs at one moment, the one with this name, if extending it would not cover another;
 * else -1.
 */
static int run_to_extend(const struct part *p, unsigned int first, unsigned int end,
			 const char *name)
{
	for (unsigned int k = first; k < end; k++)
		if (p->runs[k].name == name &&
		    (end - first == 1 || p->runs[k].from == p->runs[k].to))
			return (int)k;
	return -1;
}

/* Of the first @nr runs, those that end last; of the others, those that begin first. */
static int run_before(const struct part *p, unsigned int nr, const char *name)
{
	unsigned int first = nr;

	while (first && p->runs[first - 1].to == p->runs[nr - 1].to)
		first--;
	return run_to_extend(p, first, nr, name);
}

static int run_after(const struct part *p, unsigned int at, const char *name)
{
	unsigned int end = at;

	while (end < p->nr && p->runs[end].from == p->runs[at].from)
		end++;
	return run_to_extend(p, at, end, name);
}

static bool split_run(struct part *p, unsigned int i, int64_t ts, const char *name)
{
	struct run tail = { p->runs[i].to, p->runs[i].to, p->runs[i].name };

	p->runs[i].to = ts - 1;
	add_run(p, (struct run){ ts, ts, name });
	add_run(p, tail);
	return true;
}

/* Add a sighting.  Return: true if a look-up may give another answer now. */
static bool add_to_part(struct part *p, int64_t ts, const char *name)
{
	unsigned int until = runs_until(p, ts), before = until;
	bool ends = false, begins = false;
	int run;

	/* Other names that were seen at this moment. */
	for (; before && p->runs[before - 1].to >= ts; before--) {
		const struct run *there = &p->runs[before - 1];

		if (there->name == name)
			return false;
		if (there->from < ts && there->to > ts)
			return split_run(p, before - 1, ts, name);
		ends |= there->from < ts;
		begins |= there->to > ts;
	}
	run = ends ? -1 : run_before(p, before, name);
	if (run >= 0) {
		bool last = (unsigned int)run + 1 == before;

		p->runs[run].to = ts;
		move_run(p, (unsigned int)run);
		return !last;
	}
	run = begins ? -1 : run_after(p, until, name);
	if (run >= 0) {
		p->runs[run].from = ts;
		move_run(p, (unsigned int)run);
		return true;
	}
	if (until - before >= NAMES_AT_ONCE)
		return false;
	add_run(p, (struct run){ ts, ts, name });
	return true;
}

/* The part that @ts belongs to; it has one. */
static uint32_t part_at(const struct task *t, int64_t ts)
{
	uint32_t begun = (uint32_t)bisect(t->nr, i, t->parts[i].runs[0].from <= ts);

	return begun ? begun - 1 : 0;
}

static void insert_part(struct task *t, uint32_t at)
{
	mem_grow_from(&t->parts, t->nr, &t->cap, 1);
	memmove(t->parts + at + 1, t->parts + at, (t->nr - at) * sizeof(*t->parts));
	t->parts[at] = (struct part){ 0 };
	t->nr++;
}

/* Where to split a long part: in its second half, best where no moment has names on both sides. */
static unsigned int place_to_split(const struct part *p)
{
	unsigned int k = PART_MAX / 2;

	while (k < p->nr && p->runs[k - 1].to == p->runs[k].from)
		k++;
	if (k < p->nr)
		return k;
	for (k = PART_MAX / 2; p->runs[k - 1].from == p->runs[k].from;)
		k++;
	return k;
}

static void split_part(struct task *t, uint32_t at)
{
	unsigned int nr = place_to_split(&t->parts[at]);
	struct part *left, *right;

	insert_part(t, at + 1);
	left = &t->parts[at];
	right = left + 1;
	right->nr = right->cap = left->nr - nr;
	right->runs = mem_array(right->nr, sizeof(*right->runs));
	memcpy(right->runs, left->runs + nr, right->nr * sizeof(*right->runs));
	left->nr = nr;
}

static bool add_sighting(struct task *t, int64_t ts, const char *name)
{
	uint32_t at = t->nr ? part_at(t, ts) : 0;
	bool changed;

	if (!t->nr)
		insert_part(t, 0);
	changed = add_to_part(&t->parts[at], ts, name);
	if (t->parts[at].nr > PART_MAX)
		split_part(t, at);
	return changed;
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

	if (!text_take_number(&p, end, &pid) || p == end || *p != ' ')
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
	t = find_task(table, pid);
	if (t && t->nr) {
		uint32_t at = part_at(t, ts);
		const struct part *p = &t->parts[at];
		unsigned int i = runs_until(p, ts);

		name = p->runs[i ? i - 1 : 0].name;
		if (i)
			*from = p->runs[i - 1].from;
		if (i < p->nr)
			*to = p->runs[i].from - 1;
		else if (at + 1 < t->nr)
			*to = p[1].runs[0].from - 1;
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
	for (size_t i = 0; i < table->nr_tasks; i++) {
		const struct task *t = &table->tasks[i];

		for (size_t part = 0; part < t->nr; part++)
			for (unsigned int k = 0; k < t->parts[part].nr; k++)
				each(arg, t->pid, t->parts[part].runs[k].name);
		if (t->saved)
			each(arg, t->pid, t->saved);
	}
	pthread_mutex_unlock(&table->lock);
}

const char *comm_table_saved_name(struct comm_table *table, int pid)
{
	const char *name;
	struct task *t;

	pthread_mutex_lock(&table->lock);
	t = find_task(table, pid);
	name = t ? t->saved : NULL;
	pthread_mutex_unlock(&table->lock);
	return name;
}
