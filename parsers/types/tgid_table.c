/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/tgid_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/base/bisect.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/text.h"

#define FACTS_MAX	4096u		/* per pid; further ones are dropped */
/* chain of threads made by threads that is followed up to one with a known group */
#define PARENTS_MAX	64u
#define NEW_THREAD	0x10000u	/* CLONE_THREAD: include/uapi/linux/sched.h */
#define INTO_CGROUP	0x200000000ull	/* CLONE_INTO_CGROUP */
/* a fork this long after a task_newtask, of the same two pids, is another birth */
#define FORK_WITHIN	1000000000
#define ABOUT_FACTS	16u		/* that may lie in between */
/* a start that /proc tells is less than this before it: who forks may be kept from running */
#define ABOUT_WITHIN	1000000000

/*
 * One fact about a pid.  Facts are sorted by time and do not overlap; a birth is a single moment.
 */
struct tgid_fact {
	int64_t		from, to;	/* SEEN: first and last time */
	int32_t		value;		/* SEEN: the group; BIRTH: the pid that cloned */
	enum { FACT_BIRTH, FACT_SEEN } kind : 8;
	unsigned int	how : 8;	/* BIRTH: TGID_… */
};

struct tgid_task {
	int		 pid;
	unsigned int	 nr, cap;
	struct tgid_fact *facts;	/* owned, [nr] */
	bool		 is_saved;
	int		 saved;
};

struct tgid_table {
	pthread_mutex_t	 lock;
	struct tgid_task *tasks;	/* owned, [nr_tasks] */
	uint32_t	 nr_tasks, cap_tasks;
	struct index_map task_map;	/* by pid */
	bool		 has_births;	/* that records told */
	_Atomic uint64_t changes;	/* counts changes of tgid_table_at()'s answers */
};

struct tgid_table *tgid_table_new(void)
{
	struct tgid_table *table = mem_alloc(sizeof(*table));

	pthread_mutex_init(&table->lock, NULL);
	return table;
}

void tgid_table_free(struct tgid_table *table)
{
	if (!table)
		return;
	for (uint32_t i = 0; i < table->nr_tasks; i++)
		free(table->tasks[i].facts);
	free(table->tasks);
	index_map_fini(&table->task_map);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

static struct tgid_task *find_task(const struct tgid_table *table, int pid)
{
	index_map_each (&table->task_map, index_map_hash((uint32_t)pid), i)
		if (table->tasks[i].pid == pid)
			return &table->tasks[i];
	return NULL;
}

/* Valid until the next new task. */
static struct tgid_task *get_task(struct tgid_table *table, int pid)
{
	struct tgid_task *t = find_task(table, pid);

	if (t)
		return t;
	mem_grow(&table->tasks, table->nr_tasks, &table->cap_tasks);
	index_map_add(&table->task_map, index_map_hash((uint32_t)pid), table->nr_tasks);
	t = &table->tasks[table->nr_tasks++];
	*t = (struct tgid_task){ .pid = pid };
	return t;
}

static void count_change(struct tgid_table *table)
{
	atomic_fetch_add_explicit(&table->changes, 1, memory_order_release);
}

/* --- saved ----------------------------------------------------------------------- */

void tgid_table_saved(struct tgid_table *table, const char *text, uint64_t size)
{
	const char *p = text, *end = text + size;

	pthread_mutex_lock(&table->lock);
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
		int pid, tgid;

		if (text_take_number(&p, stop, &pid) && p < stop && *p == ' ' &&
		    text_take_number(&p, stop, &tgid) && p == stop && pid && tgid) {
			struct tgid_task *t = get_task(table, pid);

			t->is_saved = true;
			t->saved = tgid;
		}
		p = nl ? nl + 1 : end;
	}
	count_change(table);
	pthread_mutex_unlock(&table->lock);
}

/* --- facts from records ------------------------------------------------------------ */

/* Number of facts that begin at or before ts. */
static unsigned int facts_until(const struct tgid_task *t, int64_t ts)
{
	return bisect(t->nr, i, t->facts[i].from <= ts);
}

static void insert_fact(struct tgid_task *t, unsigned int at, struct tgid_fact fact)
{
	mem_grow_from(&t->facts, t->nr, &t->cap, 1);
	memmove(t->facts + at + 1, t->facts + at, (t->nr - at) * sizeof(*t->facts));
	t->facts[at] = fact;
	t->nr++;
}

void tgid_table_born(struct tgid_table *table, int pid, int64_t ts, int maker, unsigned int how)
{
	struct tgid_fact birth = {
		.from = ts, .to = ts, .value = maker, .kind = FACT_BIRTH, .how = how & 0xff
	};
	struct tgid_fact *before;
	struct tgid_task *t;
	unsigned int i;

	if (pid <= 0)
		return;
	pthread_mutex_lock(&table->lock);
	t = get_task(table, pid);
	i = facts_until(t, ts);
	before = i ? &t->facts[i - 1] : NULL;
	/* Two buffers may record the same birth. */
	if (t->nr + 2 <= FACTS_MAX &&
	    !(before && before->from == ts && before->kind == birth.kind &&
	      before->value == birth.value && before->how == birth.how)) {
		/*
		 * A birth inside a span of sightings: what was seen before it and what was seen
		 * after it belong to two tasks; the times in between are no longer known.
		 */
		if (before && before->kind == FACT_SEEN && before->to >= ts) {
			struct tgid_fact tail = { .from = before->to,
					     .to = before->to,
					     .value = before->value,
					     .kind = FACT_SEEN };

			if (before->from == ts) {
				i--;
			} else {
				before->to = before->from;
				insert_fact(t, i, tail);
			}
		}
		insert_fact(t, i, birth);
		table->has_births |= !(how & TGID_ABOUT);
		count_change(table);
	}
	pthread_mutex_unlock(&table->lock);
}

void tgid_table_seen(struct tgid_table *table, int pid, int64_t ts, int tgid)
{
	struct tgid_fact *before, *after;
	struct tgid_task *t;
	unsigned int i;

	if (pid <= 0 || tgid <= 0)
		return;
	pthread_mutex_lock(&table->lock);
	t = get_task(table, pid);
	i = facts_until(t, ts);
	before = i ? &t->facts[i - 1] : NULL;
	after = i < t->nr ? &t->facts[i] : NULL;
	if (before && before->kind == FACT_SEEN && before->value == tgid) {
		if (ts > before->to)
			before->to = ts;
	} else if (before && before->kind == FACT_SEEN && ts <= before->to) {
		/* a record that contradicts others: the fact that was added first stays */
	} else if (after && after->kind == FACT_SEEN && after->value == tgid) {
		after->from = ts;
	} else if (t->nr < FACTS_MAX) {
		insert_fact(t, i,
			    (struct tgid_fact){
				    .from = ts, .to = ts, .value = tgid, .kind = FACT_SEEN });
		count_change(table);
	}
	pthread_mutex_unlock(&table->lock);
}

/* --- looking up --------------------------------------------------------------------- */

/* Is the birth that /proc tells recorded, too? */
static bool is_recorded(const struct tgid_task *t, unsigned int i)
{
	unsigned int end = t->nr - i > ABOUT_FACTS ? i + ABOUT_FACTS : t->nr;

	for (unsigned int k = i + 1; k < end && t->facts[k].from - t->facts[i].from < ABOUT_WITHIN;
	     k++)
		if (t->facts[k].kind == FACT_BIRTH && !(t->facts[k].how & TGID_ABOUT))
			return true;
	return false;
}

/*
 * Does a task begin at this fact?  task_newtask and sched_process_fork tell the same birth, one
 * after the other: the new task does nothing in between.
 */
static bool is_start(const struct tgid_task *t, unsigned int i)
{
	const struct tgid_fact *f = &t->facts[i], *before = i ? f - 1 : NULL;

	return f->kind == FACT_BIRTH && !(f->how & TGID_ABOUT && is_recorded(t, i)) &&
	       !(f->how & TGID_FORK && before && before->kind == FACT_BIRTH &&
		 !(before->how & (TGID_FORK | TGID_ABOUT)) && before->value == f->value &&
		 f->from - before->from < FORK_WITHIN);
}

/*
 * Find the range of facts [*begin, *end) of the task that had the pid at ts; *birth: the first of
 * them is its birth.
 */
static void find_life(const struct tgid_task *t, int64_t ts, unsigned int *begin, unsigned int *end,
		      bool *birth)
{
	unsigned int i = facts_until(t, ts);

	*end = i;
	while (*end < t->nr && !is_start(t, *end))
		(*end)++;
	*birth = false;
	while (i && !*birth)
		*birth = is_start(t, --i);
	*begin = i;
}

/*
 * Look at one pid only.  False: its group is not known; if *parent > 0, it is that of this task at
 * *ts.
 */
static bool group_of(const struct tgid_task *t, int64_t *ts, int *tgid, int *parent, int64_t *from,
		     int64_t *to)
{
	unsigned int begin, end;
	bool birth, is_thread;

	find_life(t, *ts, &begin, &end, &birth);
	*parent = 0;
	*from = birth ? t->facts[begin].from : INT64_MIN;
	*to = end < t->nr ? t->facts[end].from - 1 : INT64_MAX;
	if (birth && !(t->facts[begin].how & (TGID_THREAD | TGID_FORK | TGID_ABOUT))) {
		*tgid = t->pid;
		return true;
	}
	is_thread = birth && t->facts[begin].how & TGID_THREAD;
	for (unsigned int i = begin; i < end; i++)
		/* a thread leads no group: this look saw the next task with the pid */
		if (t->facts[i].kind == FACT_SEEN && !(is_thread && t->facts[i].value == t->pid)) {
			*tgid = t->facts[i].value;
			return true;
		}
	if (is_thread) {
		*parent = t->facts[begin].value;
		*ts = t->facts[begin].from;
	}
	return false;
}

/* Called with the lock held. */
static bool resolve_group(const struct tgid_table *table, int pid, int64_t ts, int *tgid,
			  int64_t *from, int64_t *to)
{
	bool known = false, saved = false;
	int parent = pid, last = 0;
	int64_t ignored_from, ignored_to;

	*from = INT64_MIN;
	*to = INT64_MAX;
	*tgid = 0;
	if (pid <= 0)
		return !pid;
	for (unsigned int depth = 0; parent > 0 && !known && depth < PARENTS_MAX; depth++) {
		const struct tgid_task *t = find_task(table, parent);

		parent = 0;
		if (!t)
			break;
		known = group_of(t, &ts, tgid, &parent, depth ? &ignored_from : from,
				 depth ? &ignored_to : to);
		/*
		 * saved_tgids holds for the last task with this pid, so it also holds for the
		 * threads of its group.
		 */
		if (!known && t->is_saved && (depth ? ignored_to : *to) == INT64_MAX && !saved) {
			saved = true;
			last = t->saved;
		}
	}
	if (!known && saved)
		*tgid = last;
	return known || saved;
}

bool tgid_table_at(struct tgid_table *table, int pid, int64_t ts, int *tgid, int64_t *from,
		   int64_t *to)
{
	bool known;

	pthread_mutex_lock(&table->lock);
	known = resolve_group(table, pid, ts, tgid, from, to);
	pthread_mutex_unlock(&table->lock);
	return known;
}

void tgid_table_life(struct tgid_table *table, int pid, int64_t ts, struct tgid_life *life)
{
	const struct tgid_task *t;
	unsigned int begin, end;

	pthread_mutex_lock(&table->lock);
	*life = (struct tgid_life){
		.from = INT64_MIN, .to = INT64_MAX, .knows_births = table->has_births
	};
	t = find_task(table, pid);
	if (t) {
		find_life(t, ts, &begin, &end, &life->is_born);
		life->to = end < t->nr ? t->facts[end].from - 1 : INT64_MAX;
	}
	if (life->is_born) {
		life->from = t->facts[begin].from;
		life->maker = t->facts[begin].value;
		life->how = t->facts[begin].how;
	}
	pthread_mutex_unlock(&table->lock);
}

unsigned int tgid_table_births(struct tgid_table *table, int pid, int64_t ts)
{
	const struct tgid_task *t;
	unsigned int nr = 0, until;

	pthread_mutex_lock(&table->lock);
	t = find_task(table, pid);
	until = t ? facts_until(t, ts) : 0;
	for (unsigned int i = 0; i < until; i++)
		nr += is_start(t, i) && !(t->facts[i].how & TGID_THREAD);
	pthread_mutex_unlock(&table->lock);
	return nr;
}

int *tgid_table_pids(struct tgid_table *table, uint32_t *nr)
{
	int *pids;

	pthread_mutex_lock(&table->lock);
	*nr = table->nr_tasks;
	pids = mem_array(table->nr_tasks + 1, sizeof(*pids));
	for (uint32_t i = 0; i < table->nr_tasks; i++)
		pids[i] = table->tasks[i].pid;
	pthread_mutex_unlock(&table->lock);
	return pids;
}

void tgid_table_each(struct tgid_table *table, void (*each)(void *arg, int pid, int tgid),
		     void *arg)
{
	int64_t from, to;
	int tgid;

	each(arg, 0, 0);
	pthread_mutex_lock(&table->lock);
	for (const struct tgid_task *t = table->tasks; t < table->tasks + table->nr_tasks; t++)
		for (int64_t ts = INT64_MIN;; ts = to + 1) {
			if (resolve_group(table, t->pid, ts, &tgid, &from, &to))
				each(arg, t->pid, tgid);
			if (to == INT64_MAX)
				break;
		}
	pthread_mutex_unlock(&table->lock);
}

uint64_t tgid_table_changes(const struct tgid_table *table)
{
	return atomic_load_explicit(&table->changes, memory_order_acquire);
}

bool tgid_table_is_empty(const struct tgid_table *table)
{
	bool empty;

	pthread_mutex_lock((pthread_mutex_t *)&table->lock);
	empty = !table->nr_tasks;
	pthread_mutex_unlock((pthread_mutex_t *)&table->lock);
	return empty;
}

/* --- records -------------------------------------------------------------------------- */

static const struct {
	const char		*system, *name;
	enum tgid_rule_kind	 kind;
	struct {
		const char	*pid, *tgid;	/* pid NULL: of the current task */
	}			 pairs[TGID_PAIRS_MAX];
} sources[] = {
	{ "task", "task_newtask", TGID_RULE_BIRTH, { { "pid", "clone_flags" } } },
	{ "sched", "sched_process_fork", TGID_RULE_FORK, { { "child_pid", "parent_pid" } } },
	{ "sched", "sched_process_exec", TGID_RULE_EXEC, { { "pid", "old_pid" } } },
	{ "sched", "sched_move_numa", TGID_RULE_TELLS, { { "pid", "tgid" } } },
	{ "sched", "sched_stick_numa", TGID_RULE_TELLS, { { "src_pid", "src_tgid" }, { "dst_pid",
		"dst_tgid" } } },
	{ "sched", "sched_swap_numa", TGID_RULE_TELLS, { { "src_pid", "src_tgid" }, { "dst_pid",
		"dst_tgid" } } },
	{ "ftrace", "user_stack", TGID_RULE_TELLS, { { NULL, "tgid" } } },
};

static bool is_number(const struct event_field *field)
{
	return field && (field->kind == FIELD_UINT || field->kind == FIELD_SINT);
}

bool tgid_rule_of(const struct event_type *type, const struct common_layout *common,
		  struct tgid_rule *rule)
{
	const struct event_field *pid, *tgid;
	unsigned int i = 0;

	while (i < sizeof(sources) / sizeof(sources[0]) &&
	       (strcmp(type->name, sources[i].name) != 0 ||
		strcmp(type->system, sources[i].system) != 0))
		i++;
	if (i == sizeof(sources) / sizeof(sources[0]))
		return false;
	*rule = (struct tgid_rule){ .kind = sources[i].kind };
	for (unsigned int k = 0; k < TGID_PAIRS_MAX && sources[i].pairs[k].tgid; k++) {
		pid = sources[i].pairs[k].pid ? event_type_field(type, sources[i].pairs[k].pid) :
						NULL;
		tgid = event_type_field(type, sources[i].pairs[k].tgid);
		if (!is_number(tgid) || (sources[i].pairs[k].pid && !is_number(pid)))
			continue;
		rule->pairs[rule->nr].pid_at = pid ? pid->offset : common->pid_offset;
		rule->pairs[rule->nr].pid_size = pid ? pid->size : common->pid_size;
		rule->pairs[rule->nr].tgid_at = tgid->offset;
		rule->pairs[rule->nr++].tgid_size = tgid->size;
	}
	return rule->nr;
}

static void add_seen(struct tgid_cache *cache, struct tgid_table *table, int32_t pid, int64_t ts,
		     int32_t tgid)
{
	unsigned int slot = (uint32_t)pid % TGID_SLOTS;

	if (cache->slots[slot].pid == pid && cache->slots[slot].tgid == tgid)
		return;
	cache->slots[slot].pid = pid;
	cache->slots[slot].tgid = tgid;
	tgid_table_seen(table, pid, ts, tgid);
}

/* Another task has the pid from now on. */
static void forget_pid(struct tgid_cache *cache, int32_t pid)
{
	memset(&cache->slots[(uint32_t)pid % TGID_SLOTS], 0, sizeof(cache->slots[0]));
}

void tgid_cache_see(struct tgid_cache *cache, struct tgid_table *table,
		    const struct tgid_rule *rule, int64_t ts, int common_pid, const uint8_t *data,
		    uint32_t size, bool swap)
{
	for (unsigned int i = 0; i < rule->nr; i++) {
		int32_t pid = (int32_t)field_load(data, size, rule->pairs[i].pid_at,
						  rule->pairs[i].pid_size, swap);
		uint64_t other = field_load(data, size, rule->pairs[i].tgid_at,
					    rule->pairs[i].tgid_size, swap);

		switch (rule->kind) {
		case TGID_RULE_BIRTH:
			forget_pid(cache, pid);
			tgid_table_born(table, pid, ts, common_pid,
					(other & NEW_THREAD ? TGID_THREAD : 0) |
						(other & INTO_CGROUP ? TGID_OWN_CGROUP : 0));
			break;
		case TGID_RULE_FORK:
			forget_pid(cache, pid);
			tgid_table_born(table, pid, ts, (int32_t)other, TGID_FORK);
			break;
		case TGID_RULE_TELLS:
			add_seen(cache, table, pid, ts, (int32_t)other);
			break;
		case TGID_RULE_EXEC:
			add_seen(cache, table, pid, ts, pid);
			add_seen(cache, table, (int32_t)other, ts, pid);
			break;
		}
	}
}
