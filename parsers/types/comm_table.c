/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/comm_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "parsers/types/pid_table.h"
#include "src/base/memory.h"

/*
 * Consecutive sightings of one name.  Runs of a task are sorted by from, to and name.  They do not overlap, but for single
 * moments at which several names were seen: with coarse clocks the moment of a renaming is the last of one name and the first
 * of the next.  There the last run in this order answers, whichever was told first.
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

struct name {
	struct name	*next;
	char		text[];
};

#define NAME_BUCKETS	1024u
#define NAMES_AT_ONCE	16u		/* of a pid at one moment: more are no renamings */

struct comm_table {
	pthread_mutex_t	lock;
	struct arena	arena;		/* tasks and names */
	struct pid_table tasks;		/* of struct task */
	struct name	*names[NAME_BUCKETS];
	_Atomic uint64_t changes;	/* of what comm_table_at() answers */
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
	for (struct task *t = pid_table_next(&table->tasks, NULL); t; t = pid_table_next(&table->tasks, t))
		free(t->runs);
	arena_fini(&table->arena);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

/* One copy of each name, so that equal names are equal pointers. */
static const char *intern(struct comm_table *table, const char *s, unsigned int len)
{
	unsigned int hash = 5381;
	struct name **bucket, *n;

	for (unsigned int i = 0; i < len; i++)
		hash = hash * 33 + (unsigned char)s[i];
	bucket = &table->names[hash % NAME_BUCKETS];
	for (n = *bucket; n; n = n->next)
		if (!strncmp(n->text, s, len) && !n->text[len])
			return n->text;
	n = arena_alloc(&table->arena, sizeof(*n) + len + 1);
	memcpy(n->text, s, len);
	n->next = *bucket;
	*bucket = n;
	return n->text;
}

static struct task *get_task(struct comm_table *table, int pid)
{
	return pid_table_get(&table->tasks, &table->arena, pid, sizeof(struct task));
}

/* Number of runs that begin at or before ts. */
static unsigned int runs_until(const struct task *t, int64_t ts)
{
	unsigned int low = 0, high = t->nr;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (t->runs[mid].from <= ts)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
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

/* To its place, where it was made longer. */
static void settle(struct task *t, unsigned int i)
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
	settle(t, at);
}

/* Of runs that meet at a moment: the one of this name, where no other would then lie within it; -1: none. */
static int run_to_extend(const struct task *t, unsigned int first, unsigned int end, const char *name)
{
	for (unsigned int k = first; k < end; k++)
		if (t->runs[k].name == name && (end - first == 1 || t->runs[k].from == t->runs[k].to))
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

/* True: a look-up may give another answer now. */
static bool sighting(struct task *t, int64_t ts, const char *name)
{
	unsigned int until = runs_until(t, ts), before = until;
	bool ends = false, begins = false;
	int run;

	/* Those that were seen at this moment, too. */
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
		settle(t, (unsigned int)run);
		return !last;
	}
	run = begins ? -1 : run_after(t, until, name);
	if (run >= 0) {
		t->runs[run].from = ts;
		settle(t, (unsigned int)run);
		return true;
	}
	if (until - before >= NAMES_AT_ONCE)
		return false;
	add_run(t, (struct run){ ts, ts, name });
	return true;
}

void comm_table_seen_span(struct comm_table *table, int pid, int64_t from, int64_t to, const char *comm,
			  unsigned int len)
{
	const char *name;
	struct task *t;
	bool changed;

	if (pid <= 0 || !len)
		return;
	pthread_mutex_lock(&table->lock);
	t = get_task(table, pid);
	name = intern(table, comm, len);
	changed = sighting(t, from, name);
	if (to > from)
		changed |= sighting(t, to, name);
	if (changed)
		atomic_fetch_add_explicit(&table->changes, 1, memory_order_release);
	pthread_mutex_unlock(&table->lock);
}

void comm_table_seen(struct comm_table *table, int pid, int64_t ts, const char *comm, unsigned int len)
{
	comm_table_seen_span(table, pid, ts, ts, comm, len);
}

/* "pid comm": the comm is all that follows the blank. */
static void saved_line(struct comm_table *table, const char *s, const char *end)
{
	int64_t pid = 0;
	const char *p = s;

	while (p < end && *p == ' ')
		p++;
	s = p;
	while (p < end && *p >= '0' && *p <= '9' && pid <= INT32_MAX)
		pid = pid * 10 + (*p++ - '0');
	if (p == s || pid > INT32_MAX || p == end || *p != ' ')
		return;
	p++;
	if (p < end && end - p <= 4096)
		get_task(table, (int)pid)->saved = intern(table, p, (unsigned int)strnlen(p, (size_t)(end - p)));
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

const char *comm_table_span(struct comm_table *table, int pid, int64_t ts, int64_t *from, int64_t *to)
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

void comm_table_each(struct comm_table *table, void (*each)(void *arg, int pid, const char *name), void *arg)
{
	pthread_mutex_lock(&table->lock);
	for (const struct task *t = pid_table_next(&table->tasks, NULL); t; t = pid_table_next(&table->tasks, t)) {
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
