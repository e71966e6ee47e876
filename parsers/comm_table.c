/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/comm_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "src/memory.h"

/* Consecutive sightings of one name.  Runs of a task are sorted by time and do not overlap. */
struct run {
	int64_t		from, to;	/* first and last sighting */
	const char	*name;
};

struct task {
	struct task	*next;		/* in its bucket */
	int		pid;
	unsigned int	nr, cap;
	struct run	*runs;		/* [nr] */
	const char	*saved;		/* or NULL */
};

struct name {
	struct name	*next;
	char		text[];
};

#define BUCKETS	1024u

struct comm_table {
	pthread_mutex_t	lock;
	struct arena	arena;		/* tasks and names */
	struct task	*tasks[BUCKETS];
	struct name	*names[BUCKETS];
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
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct task *t = table->tasks[i]; t; t = t->next)
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
	bucket = &table->names[hash % BUCKETS];
	for (n = *bucket; n; n = n->next)
		if (!strncmp(n->text, s, len) && !n->text[len])
			return n->text;
	n = arena_alloc(&table->arena, sizeof(*n) + len + 1);
	memcpy(n->text, s, len);
	n->next = *bucket;
	*bucket = n;
	return n->text;
}

static struct task *find_task(const struct comm_table *table, int pid)
{
	struct task *t = table->tasks[(unsigned int)pid % BUCKETS];

	while (t && t->pid != pid)
		t = t->next;
	return t;
}

static struct task *get_task(struct comm_table *table, int pid)
{
	struct task *t = find_task(table, pid);

	if (!t) {
		t = arena_alloc(&table->arena, sizeof(*t));
		t->pid = pid;
		t->next = table->tasks[(unsigned int)pid % BUCKETS];
		table->tasks[(unsigned int)pid % BUCKETS] = t;
	}
	return t;
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

/* True: a look-up may give another answer now. */
static bool sighting(struct task *t, int64_t ts, const char *name)
{
	unsigned int i = runs_until(t, ts);
	struct run *before = i ? &t->runs[i - 1] : NULL;
	struct run *after = i < t->nr ? &t->runs[i] : NULL;

	if (before && before->name == name) {
		if (ts > before->to)
			before->to = ts;
		return false;
	} else if (before && ts <= before->to) {
		struct run tail = { before->to, before->to, before->name };

		if (ts == before->from)
			return false;	/* two names at one moment: the one that was told first stays */
		before->to = ts - 1;
		insert_run(t, i, (struct run){ ts, ts, name });
		if (tail.from > ts)
			insert_run(t, i + 1, tail);
	} else if (after && after->name == name) {
		after->from = ts;
	} else {
		insert_run(t, i, (struct run){ ts, ts, name });
	}
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
	t = find_task(table, pid);
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
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (const struct task *t = table->tasks[i]; t; t = t->next) {
			for (unsigned int k = 0; k < t->nr; k++)
				each(arg, t->pid, t->runs[k].name);
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
