/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/comm_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/bisect.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/text.h"

struct sighting {
	int64_t		ts;
	const char	*name;
};

struct comm_task {
	int		pid;
	uint32_t	nr, cap;
	uint32_t	nr_sorted;	/* by time and name, each once; the others as they came */
	struct sighting	*seen;		/* owned, [nr] */
	uint64_t	call;		/* that added the last one */
	bool		is_settled;	/* else it is in .unsettled */
	const char	*saved;		/* or NULL */
};

#define NAMES_AT_ONCE	16u		/* that are compared; more cannot be renamings */

struct comm_table {
	pthread_mutex_t	lock;
	struct comm_task *tasks;	/* owned, [nr_tasks] */
	uint32_t	nr_tasks, cap_tasks;
	struct index_map task_map;	/* by pid */
	uint32_t	*unsettled;	/* owned, [nr_unsettled]: those with sightings since */
	uint32_t	nr_unsettled, cap_unsettled;
	struct arena	arena;		/* names */
	const char	**names;	/* owned, [nr_names]: one copy of each, in the arena */
	uint32_t	nr_names, cap_names;
	struct index_map name_map;
	uint64_t	calls;		/* that added sightings */
	_Atomic uint64_t changes;	/* counts what may change comm_table_at()'s answers */
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
	for (uint32_t i = 0; i < table->nr_tasks; i++)
		free(table->tasks[i].seen);
	free(table->tasks);
	free(table->unsettled);
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

static struct comm_task *find_task(const struct comm_table *table, int pid)
{
	index_map_each (&table->task_map, index_map_hash((uint32_t)pid), i)
		if (table->tasks[i].pid == pid)
			return &table->tasks[i];
	return NULL;
}

/* Valid until the next new task. */
static struct comm_task *get_task(struct comm_table *table, int pid)
{
	struct comm_task *t = find_task(table, pid);

	if (t)
		return t;
	mem_grow(&table->tasks, table->nr_tasks, &table->cap_tasks);
	index_map_add(&table->task_map, index_map_hash((uint32_t)pid), table->nr_tasks);
	t = &table->tasks[table->nr_tasks++];
	*t = (struct comm_task){ .pid = pid, .is_settled = true };
	return t;
}

/* --- sightings ------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->name == y->name ? 0 : strcmp(x->name, y->name);
}

/* Sort what was added since, and merge it with the others. */
static void sort_task(struct comm_task *t)
{
	uint32_t i = 0, k = t->nr_sorted, nr = 0;
	struct sighting *merged;

	if (t->nr_sorted == t->nr)
		return;
	qsort(t->seen + k, t->nr - k, sizeof(*t->seen), compare);
	merged = mem_array(t->nr, sizeof(*merged));
	while (i < t->nr_sorted || k < t->nr) {
		bool is_new = i == t->nr_sorted ||
			      (k < t->nr && compare(&t->seen[k], &t->seen[i]) < 0);
		const struct sighting *next = &t->seen[is_new ? k++ : i++];

		if (!nr || compare(next, &merged[nr - 1]))
			merged[nr++] = *next;
	}
	free(t->seen);
	t->seen = merged;
	t->cap = t->nr;
	t->nr = t->nr_sorted = nr;
}

/* Was the name seen at the moment of sighting @at, the first or (@step -1) last of its moment? */
static bool was_seen(const struct comm_task *t, uint32_t at, int step, const char *name)
{
	int64_t ts = at < t->nr ? t->seen[at].ts : 0;

	for (unsigned int i = 0; i < NAMES_AT_ONCE && at < t->nr && t->seen[at].ts == ts; i++) {
		if (t->seen[at].name == name)
			return true;
		at += (uint32_t)step;
	}
	return false;
}

/*
 * The name at the moment that ends before sighting @end.  With coarse clocks several names may have
 * been seen at the moment of a renaming: best is one that is seen at the next moment too, then one
 * that was not seen at the moment before.
 */
static const char *name_of_moment(const struct comm_task *t, uint32_t end)
{
	int64_t ts = t->seen[end - 1].ts;
	const char *best = NULL;
	int best_rank = -1;
	uint32_t begin;

	if (end == 1 || t->seen[end - 2].ts != ts)
		return t->seen[end - 1].name;
	begin = bisect(end, i, t->seen[i].ts < ts);
	for (uint32_t i = end; i-- > begin && end - i <= NAMES_AT_ONCE;) {
		const char *name = t->seen[i].name;
		int rank = 2 * was_seen(t, end, 1, name) + !was_seen(t, begin - 1, -1, name);

		if (rank > best_rank) {
			best_rank = rank;
			best = name;
		}
	}
	return best;
}

/* Keep only what is needed for the answers: where the name is another than before. */
static void settle_task(struct comm_task *t)
{
	struct sighting *kept = mem_array(t->nr, sizeof(*kept));
	uint32_t nr = 0;

	for (uint32_t end = 1; end <= t->nr; end++) {
		const struct sighting *last = &t->seen[end - 1];
		const char *name;

		if (end < t->nr && t->seen[end].ts == last->ts)
			continue;
		name = name_of_moment(t, end);
		if (!nr || kept[nr - 1].name != name)
			kept[nr++] = (struct sighting){ last->ts, name };
	}
	free(t->seen);
	t->seen = mem_resize(kept, nr, sizeof(*kept));
	t->nr = t->nr_sorted = t->cap = nr;
}

void comm_table_settle(struct comm_table *table)
{
	pthread_mutex_lock(&table->lock);
	while (table->nr_unsettled) {
		struct comm_task *t = &table->tasks[table->unsettled[--table->nr_unsettled]];

		sort_task(t);
		if (t->nr > 1)
			settle_task(t);
		t->is_settled = true;
	}
	pthread_mutex_unlock(&table->lock);
}

static void begin_call(struct comm_table *table)
{
	pthread_mutex_lock(&table->lock);
	table->calls++;
	atomic_fetch_add_explicit(&table->changes, 1, memory_order_release);
}

static void add(struct comm_table *table, int pid, int64_t ts, const char *comm, unsigned int len)
{
	const char *name;
	struct comm_task *t;

	if (pid <= 0 || !len)
		return;
	t = get_task(table, pid);
	name = intern(table, comm, len);
	if (t->call == table->calls && t->seen[t->nr - 1].name == name)
		return;
	mem_grow_from(&t->seen, t->nr, &t->cap, 1);
	t->seen[t->nr++] = (struct sighting){ ts, name };
	t->call = table->calls;
	if (!t->is_settled)
		return;
	t->is_settled = false;
	mem_grow(&table->unsettled, table->nr_unsettled, &table->cap_unsettled);
	table->unsettled[table->nr_unsettled++] = (uint32_t)(t - table->tasks);
}

void comm_table_seen(struct comm_table *table, int pid, int64_t ts, const char *comm,
		     unsigned int len)
{
	begin_call(table);
	add(table, pid, ts, comm, len);
	pthread_mutex_unlock(&table->lock);
}

void comm_table_add(struct comm_table *table, const struct comm_sighting *seen, size_t nr)
{
	begin_call(table);
	for (size_t i = 0; i < nr; i++)
		add(table, seen[i].pid, seen[i].ts, seen[i].comm,
		    (unsigned int)strnlen(seen[i].comm, sizeof(seen[i].comm)));
	pthread_mutex_unlock(&table->lock);
}

/* --- saved names, and what is asked ------------------------------------------------ */

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
	struct comm_task *t;

	*from = INT64_MIN;
	*to = INT64_MAX;
	if (!pid)
		return "<idle>";
	pthread_mutex_lock(&table->lock);
	t = find_task(table, pid);
	if (t && t->nr) {
		uint32_t end;

		sort_task(t);
		end = bisect(t->nr, i, t->seen[i].ts <= ts);
		if (end)
			*from = t->seen[end - 1].ts;
		if (end < t->nr)
			*to = t->seen[end].ts - 1;
		if (!end)		/* before all */
			end = bisect(t->nr, i, t->seen[i].ts <= t->seen[0].ts);
		name = name_of_moment(t, end);
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

uint32_t comm_table_nr(struct comm_table *table)
{
	uint32_t nr;

	pthread_mutex_lock(&table->lock);
	nr = table->nr_tasks;
	pthread_mutex_unlock(&table->lock);
	return nr;
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
		const struct comm_task *t = &table->tasks[i];

		for (uint32_t k = 0; k < t->nr; k++)
			if (!k || t->seen[k].name != t->seen[k - 1].name)
				each(arg, t->pid, t->seen[k].name);
		if (t->saved)
			each(arg, t->pid, t->saved);
	}
	pthread_mutex_unlock(&table->lock);
}

static void names_between(struct comm_task *t, int64_t from, int64_t to,
			  void (*each)(void *arg, int64_t ts, int pid, const char *name), void *arg)
{
	const char *last = NULL;
	uint32_t begin, end;

	sort_task(t);
	begin = bisect(t->nr, i, t->seen[i].ts <= from);
	end = bisect(t->nr, i, t->seen[i].ts <= to);
	if (!end)			/* only seen behind it: the first one */
		end = bisect(t->nr, i, t->seen[i].ts <= t->seen[0].ts);
	if (t->nr == 1 && t->saved == t->seen[0].name)
		return;
	for (uint32_t i = begin ? begin - 1 : 0; i < end; i++) {
		const char *name;

		if (i + 1 < end && t->seen[i + 1].ts == t->seen[i].ts)
			continue;
		name = name_of_moment(t, i + 1);
		if (name != last)
			each(arg, t->seen[i].ts, t->pid, name);
		last = name;
	}
}

void comm_table_between(struct comm_table *table, int64_t from, int64_t to,
			void (*each)(void *arg, int64_t ts, int pid, const char *name), void *arg)
{
	pthread_mutex_lock(&table->lock);
	for (size_t i = 0; i < table->nr_tasks; i++)
		if (table->tasks[i].nr)
			names_between(&table->tasks[i], from, to, each, arg);
	pthread_mutex_unlock(&table->lock);
}

const char *comm_table_saved_name(struct comm_table *table, int pid)
{
	const char *name;
	struct comm_task *t;

	pthread_mutex_lock(&table->lock);
	t = find_task(table, pid);
	name = t ? t->saved : NULL;
	pthread_mutex_unlock(&table->lock);
	return name;
}
