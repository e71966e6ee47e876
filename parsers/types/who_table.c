/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/who_table_private.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/base/bisect.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/name_table.h"
#include "src/base/text.h"

#define FACTS_MAX	4096u		/* per pid; of one with more nothing is known */
#define STRINGS_BYTES	(64u << 20)	/* of all that differ; further ones are not known */
/* tasks made by tasks, and programs started one after the other, that are followed back */
#define DEPTH_MAX	64u
#define LOOK_FACTS	64u		/* of one task, while the recorder looks at it */
#define KTHREADD	2		/* the parent of kernel threads */

struct who_table *who_table_new(struct tgid_table *tgids)
{
	struct who_table *table = mem_alloc(sizeof(*table));

	table->tgids = tgids;
	table->names = name_table_new();
	pthread_mutex_init(&table->lock, NULL);
	return table;
}

void who_table_free(struct who_table *table)
{
	if (!table)
		return;
	for (uint32_t i = 0; i < table->nr_tasks; i++) {
		free(table->tasks[i].facts);
		free(table->tasks[i].places);
	}
	free(table->tasks);
	free(table->seen);
	free(table->users);
	free(table->recorder);
	number_set_fini(&table->only);
	text_fini(&table->without);
	free(table->strings);
	index_map_fini(&table->task_map);
	for (uint32_t i = 0; i < table->nr_cgroups; i++)
		free(table->cgroups[i].states);
	free(table->cgroups);
	free(table->scheds);
	index_map_fini(&table->user_map);
	index_map_fini(&table->cgroup_map);
	name_table_free(table->names);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

uint64_t who_table_changes(const struct who_table *table)
{
	return atomic_load_explicit(&table->changes, memory_order_acquire) +
	       tgid_table_changes(table->tgids);
}

struct who_task *who_task_find(const struct who_table *table, int pid)
{
	index_map_each (&table->task_map, index_map_hash((uint32_t)pid), i)
		if (table->tasks[i].pid == pid)
			return &table->tasks[i];
	return NULL;
}

/* --- facts, with the lock held ----------------------------------------------------------- */

/* Number of facts at or before ts. */
static unsigned int facts_until(const struct who_task *t, int64_t ts)
{
	return bisect(t->nr, i, t->facts[i].ts <= ts);
}

uint32_t who_table_string(struct who_table *table, const char *s, size_t len)
{
	uint32_t name;

	len = strnlen(s, len < STRING_MAX ? len : STRING_MAX);
	if (!len || table->names_bytes > STRINGS_BYTES)
		return 0;
	name = name_table_add(table->names, s, len);
	if (name > table->nr_names) {
		table->nr_names = name;
		table->names_bytes += len;
	}
	return name;
}

void who_table_fact(struct who_table *table, int pid, struct who_fact fact)
{
	struct who_task *t = who_task_find(table, pid);
	unsigned int i;

	if (!t) {
		mem_grow(&table->tasks, table->nr_tasks, &table->cap_tasks);
		index_map_add(&table->task_map, index_map_hash((uint32_t)pid), table->nr_tasks);
		t = &table->tasks[table->nr_tasks++];
		*t = (struct who_task){ .pid = pid };
	}
	i = facts_until(t, fact.ts);
	/* Two buffers may record the same event. */
	if (i && t->facts[i - 1].ts == fact.ts && t->facts[i - 1].kind == fact.kind &&
	    t->facts[i - 1].number == fact.number)
		return;
	t->is_full |= t->nr == FACTS_MAX;
	if (!t->is_full) {
		mem_grow_from(&t->facts, t->nr, &t->cap, 1);
		memmove(t->facts + i + 1, t->facts + i, (t->nr - i) * sizeof(*t->facts));
		t->facts[i] = fact;
		t->nr++;
	}
	atomic_fetch_add_explicit(&table->changes, 1, memory_order_release);
}

static void add_text_fact(struct who_table *table, int pid, int64_t ts, enum fact_kind kind,
			  const char *s, uint32_t len)
{
	if (pid <= 0)
		return;
	pthread_mutex_lock(&table->lock);
	who_table_fact(table, pid,
		       (struct who_fact){
			       .ts = ts, .kind = kind, .number = who_table_string(table, s, len) });
	pthread_mutex_unlock(&table->lock);
}

void who_table_exec(struct who_table *table, int pid, int64_t ts, const char *exe, uint32_t len)
{
	add_text_fact(table, pid, ts, FACT_EXEC, exe, len);
}

void who_table_moved(struct who_table *table, int pid, int64_t ts, int hierarchy, const char *path,
		     uint32_t len)
{
	bool counts;

	pthread_mutex_lock(&table->lock);
	counts = hierarchy == table->hierarchy;
	pthread_mutex_unlock(&table->lock);
	if (counts)
		add_text_fact(table, pid, ts, FACT_MOVED, path, len);
}

void who_table_exited(struct who_table *table, int pid, int64_t ts)
{
	add_text_fact(table, pid, ts, FACT_EXITED, "", 0);
}

struct who_user *who_table_user(const struct who_table *table, int64_t uid)
{
	index_map_each (&table->user_map, index_map_hash((uint64_t)uid), i)
		if (table->users[i].uid == uid)
			return &table->users[i];
	return NULL;
}

bool who_table_names_recorder(const struct who_table *table, int pid)
{
	for (uint32_t i = 0; i < table->nr_recorder; i++)
		if (table->recorder[i] == pid)
			return true;
	return false;
}

void who_table_put_only(struct who_table *table, int pid)
{
	bool is_new;

	number_set_add(&table->only, (uint64_t)pid, &is_new);
}

void who_table_cgroups(struct who_table *table,
		       void (*each)(void *arg, const struct who_cgroup *cgroup), void *arg)
{
	pthread_mutex_lock(&table->lock);
	for (uint32_t i = 0; i < table->nr_cgroups; i++)
		each(arg, &table->cgroups[i]);
	pthread_mutex_unlock(&table->lock);
}

/* --- looking up, with the lock held ---------------------------------------------------------- */

struct who_span {
	int64_t	from, to;
};

static void narrow(struct who_span *span, int64_t from, int64_t to)
{
	span->from = from > span->from ? from : span->from;
	span->to = to < span->to ? to : span->to;
}

/* Find the places of all kinds: a pid may have thousands of facts, few of them of one kind. */
static void make_places(struct who_task *t)
{
	uint16_t at[FACT_KINDS] = { 0 };

	if (t->nr_placed == t->nr)
		return;
	for (unsigned int i = 0; i < t->nr; i++)
		at[t->facts[i].kind]++;
	for (unsigned int kind = 0; kind < FACT_KINDS; kind++) {
		t->kinds[kind + 1] = (uint16_t)(t->kinds[kind] + at[kind]);
		at[kind] = t->kinds[kind];
	}
	t->nr_placed = (uint16_t)t->nr;
	t->places = mem_resize(t->places, t->nr, sizeof(*t->places));
	for (unsigned int i = 0; i < t->nr; i++)
		t->places[at[t->facts[i].kind]++] = (uint16_t)i;
}

/* The place of the first fact of a kind from the @i-th on; or where the places of the kind end. */
static unsigned int place_of(const struct who_task *t, unsigned int kind, unsigned int i)
{
	const uint16_t *places = t->places + t->kinds[kind];
	unsigned int nr = (unsigned int)(t->kinds[kind + 1] - t->kinds[kind]);

	return t->kinds[kind] + bisect(nr, k, places[k] < i);
}

/* The last fact of these kinds before the @i-th, not before @from; or NULL. */
static const struct who_fact *last_of(struct who_task *t, unsigned int kinds, unsigned int i,
				      int64_t from)
{
	const struct who_fact *last = NULL;

	make_places(t);
	for (unsigned int kind = 0; kind < FACT_KINDS; kind++) {
		unsigned int at = place_of(t, kind, i);

		if (kinds & BIT(kind) && at > t->kinds[kind] &&
		    (!last || t->facts + t->places[at - 1] > last))
			last = t->facts + t->places[at - 1];
	}
	return last && last->ts >= from ? last : NULL;
}

/* The first fact of these kinds from the @i-th on, not after @to; or NULL. */
static const struct who_fact *first_of(struct who_task *t, unsigned int kinds, unsigned int i,
				       int64_t to)
{
	const struct who_fact *first = NULL;

	make_places(t);
	for (unsigned int kind = 0; kind < FACT_KINDS; kind++) {
		unsigned int at = place_of(t, kind, i);

		if (kinds & BIT(kind) && at < t->kinds[kind + 1] &&
		    (!first || t->facts + t->places[at] < first))
			first = t->facts + t->places[at];
	}
	return first && first->ts <= to ? first : NULL;
}

/* What is known of a task in the part of its life that contains a time, between two breaks. */
struct who_part {
	const struct who_fact *base, *end; /* the breaks around it; NULL: those of the life */
	const struct who_seen *before, *after;	/* what was seen in it; NULL: nothing */
	int64_t		before_ts, after_ts;
};

/*
 * Had the task ended before this time?  A leader whose process goes on has ended, too, up to an
 * exec.
 */
static bool is_over(const struct who_task *t, int64_t ts, const struct tgid_life *life)
{
	unsigned int until = facts_until(t, ts);

	for (unsigned int i = until; i && t->facts[i - 1].ts >= life->from; i--)
		if (t->facts[i - 1].kind == FACT_EXITED || t->facts[i - 1].kind == FACT_EXEC ||
		    until - i == LOOK_FACTS)
			return t->facts[i - 1].kind != FACT_EXEC;
	return false;
}

/*
 * Does a fact say what was seen of the process, or of the cgroup, in this life?  Not if that may
 * have been before or after a break; nor if it was begun before the birth, or behind the end: a new
 * task is in /proc before the event of its birth.
 */
static bool is_sighting(const struct who_table *table, const struct who_task *t,
			const struct who_fact *f, const struct tgid_life *life, unsigned int breaks,
			bool process)
{
	const struct who_seen *seen = &table->seen[f->number];

	if (!(process ? seen->is_process : seen->cgroup) || seen->since < life->from ||
	    is_over(t, seen->since, life))
		return false;
	for (const struct who_fact *k = f; k > t->facts && k[-1].ts >= seen->since; k--)
		if (breaks & BIT(k[-1].kind) || f - k == LOOK_FACTS)
			return false;
	return true;
}

/*
 * Find the part of a life between facts whose kinds are in @breaks, and what was seen in it, last
 * before ts and first after.  @process: only what tells of the process, else of the cgroup.
 */
static struct who_part find_part(const struct who_table *table, struct who_task *t, int64_t ts,
				 const struct tgid_life *life, unsigned int breaks, bool process,
				 struct who_span *span)
{
	const struct who_fact *f;
	struct who_part part = { 0 };
	unsigned int i;

	if (!t)
		return part;
	if (!life->knows_births)
		breaks |= BIT(FACT_EXITED);
	i = facts_until(t, ts);
	part.base = last_of(t, breaks, i, life->from);
	part.end = first_of(t, breaks, i, life->to);
	f = last_of(t, BIT(FACT_SEEN), i, life->from);
	while (f && (!part.base || f > part.base) &&
	       !is_sighting(table, t, f, life, breaks, process))
		f = last_of(t, BIT(FACT_SEEN), (unsigned int)(f - t->facts), life->from);
	if (f && (!part.base || f > part.base)) {
		part.before = &table->seen[f->number];
		part.before_ts = f->ts;
	}
	narrow(span, part.before ? f->ts : part.base ? part.base->ts : INT64_MIN, INT64_MAX);
	f = first_of(t, BIT(FACT_SEEN), i, life->to);
	while (f && (!part.end || f < part.end) && !is_sighting(table, t, f, life, breaks, process))
		f = first_of(t, BIT(FACT_SEEN), (unsigned int)(f - t->facts) + 1, life->to);
	if (f && (!part.end || f < part.end)) {
		part.after = &table->seen[f->number];
		part.after_ts = f->ts;
	}
	f = part.after ? f : part.end;
	if (f)
		narrow(span, INT64_MIN, f->ts - 1);
	return part;
}

/* What two sightings have in common: where they differ, nobody knows since when. */
static struct who_seen both(const struct who_part *part)
{
	const struct who_seen *a = part->before ?: part->after, *b = part->after ?: a;
	struct who_seen out = *a;

	out.parent = a->parent == b->parent ? a->parent : 0;
	out.uid = a->uid == b->uid ? a->uid : -1;
	out.exe = a->exe == b->exe ? a->exe : 0;
	out.cmdline = a->cmdline == b->cmdline ? a->cmdline : 0;
	out.cgroup = a->cgroup == b->cgroup ? a->cgroup : 0;
	return out;
}

static bool is_seen(const struct who_part *part)
{
	return part->before || part->after;
}

static bool tgid_at(const struct who_table *table, int pid, int64_t ts, int *tgid,
		    struct who_span *span)
{
	int64_t from, to;
	bool known = tgid_table_at(table->tgids, pid, ts, tgid, &from, &to);

	narrow(span, from, to);
	return known;
}

static void life_at(const struct who_table *table, int pid, int64_t ts, struct tgid_life *life,
		    struct who_span *span)
{
	tgid_table_life(table->tgids, pid, ts, life);
	narrow(span, life->from, life->to);
}

/* Did another task make it?  *process: that of the maker, 0 = not known. */
static bool has_maker(const struct who_table *table, const struct tgid_life *life, int *process)
{
	struct who_span ignored = { INT64_MIN, INT64_MAX };

	if (!life->is_born || life->maker <= 0)
		return false;
	if (!tgid_at(table, life->maker, life->from, process, &ignored))
		*process = 0;
	return true;
}

/* Is nothing known of this pid, because too much is? */
static bool is_full(const struct who_table *table, int pid)
{
	const struct who_task *t = who_task_find(table, pid);

	return t && t->is_full;
}

/*
 * Some time before the event of an exec the task has the new program already: a sighting with
 * another program than the expected one is of that time.
 */
static void drop_of_exec(struct who_part *part, uint32_t expected)
{
	if (!expected || !part->end || part->end->kind != FACT_EXEC)
		return;
	if (part->before && part->before->exe && part->before->exe != expected)
		part->before = NULL;
	if (part->after && part->after->exe && part->after->exe != expected)
		part->after = NULL;
}

/* The parent of a process, whenever in its life it was seen. */
static int parent_seen(const struct who_table *table, int pid, int64_t ts,
		       const struct tgid_life *life)
{
	struct who_span ignored = { INT64_MIN, INT64_MAX };
	struct who_part part = find_part(table, who_task_find(table, pid), ts, life, 0, true,
					 &ignored);

	return is_seen(&part) ? both(&part).parent : 0;
}

static void process_at(const struct who_table *table, int pid, int64_t ts, struct who_seen *out,
		       struct who_span *span, unsigned int depth);

/* What a process is known to have without being seen: from its maker, or from before its exec. */
static struct who_seen expected_at(const struct who_table *table, int pid,
				   const struct tgid_life *life, const struct who_fact *base,
				   unsigned int depth)
{
	struct who_span ignored = { INT64_MIN, INT64_MAX };
	struct who_seen out = { .uid = -1 };
	int maker;

	if (base && base->kind == FACT_EXEC) {
		if (base->ts > life->from)
			process_at(table, pid, base->ts - 1, &out, &ignored, depth + 1);
		return (struct who_seen){ .exe = base->number,
					  .uid = out.uid > 0 ? out.uid : -1 };
	}
	if (!base && has_maker(table, life, &maker)) {
		process_at(table, maker ?: life->maker, life->from, &out, &ignored, depth + 1);
		out.is_kernel |= maker == KTHREADD;
	}
	return out;
}

/* What is known of a process by its leader's pid, in numbers.  Fills who_seen, but its cgroup. */
static void process_at(const struct who_table *table, int pid, int64_t ts, struct who_seen *out,
		       struct who_span *span, unsigned int depth)
{
	struct who_seen expected;
	struct tgid_life life;
	struct who_part part;
	int maker;

	*out = (struct who_seen){ .uid = -1 };
	if (depth > DEPTH_MAX || is_full(table, pid))
		return;
	life_at(table, pid, ts, &life, span);
	part = find_part(table, who_task_find(table, pid), ts, &life, BIT(FACT_EXEC), true, span);
	expected = expected_at(table, pid, &life, part.base, depth);
	drop_of_exec(&part, expected.exe);
	*out = is_seen(&part) ? both(&part) : expected;
	if (part.base && !(part.before && part.before->exe) && !(part.after && part.after->exe))
		out->exe = expected.exe;
	out->parent = has_maker(table, &life, &maker) && maker ? maker :
								 parent_seen(table, pid, ts, &life);
}

/* Was a task moved after ts, up to @until? */
static bool is_moved(struct who_task *t, int64_t ts, int64_t until)
{
	return first_of(t, BIT(FACT_MOVED), facts_until(t, ts), until);
}

/* The cgroup of a task, by numbers; 0: not known.  @tgid: its process, or 0. */
static uint32_t cgroup_at(const struct who_table *table, int pid, int tgid, int64_t ts,
			  struct who_span *span, unsigned int depth)
{
	struct who_task *leader = tgid && tgid != pid ? who_task_find(table, tgid) : NULL;
	struct who_span ignored = { INT64_MIN, INT64_MAX };
	struct tgid_life life, since;
	struct who_part part, moves = { 0 };
	uint32_t cgroup;
	int maker;

	if (depth > DEPTH_MAX || is_full(table, pid))
		return 0;
	life_at(table, pid, ts, &life, span);
	part = find_part(table, who_task_find(table, pid), ts, &life, BIT(FACT_MOVED), false, span);
	/* A move of the leader is one of all its threads. */
	since = life;
	if (part.base)
		since.from = part.base->ts;
	if (part.before && part.before_ts > since.from)
		since.from = part.before_ts;
	if (leader)
		moves = find_part(table, leader, ts, &since, BIT(FACT_MOVED), false, span);
	if (moves.base)
		return moves.base->kind == FACT_MOVED ? moves.base->number : 0;
	if (part.after && leader && is_moved(leader, ts, part.after_ts))
		part.after = NULL;
	if (is_seen(&part)) {
		cgroup = both(&part).cgroup;
		return part.base && !part.before && part.base->number != cgroup ? 0 : cgroup;
	}
	if (part.base)
		return part.base->kind == FACT_MOVED ? part.base->number : 0;
	if (life.is_born && life.how & TGID_OWN_CGROUP)
		return 0;
	if (has_maker(table, &life, &maker)) {
		cgroup = cgroup_at(table, life.maker, maker, life.from, &ignored, depth + 1);
		if (cgroup)
			return cgroup;
	}
	return leader ? cgroup_at(table, tgid, tgid, ts, span, depth + 1) : 0;
}

static const char *text_of(const struct who_table *table, uint32_t name)
{
	return name ? name_table_text(table->names, name) : NULL;
}

static void find_who(const struct who_table *table, int pid, int64_t ts, struct who *who,
		     struct who_span *span)
{
	const struct who_user *user;
	struct who_seen seen;
	bool known;

	*who = (struct who){ .uid = -1, .is_kernel = !pid };
	if (pid <= 0)
		return;
	known = tgid_at(table, pid, ts, &who->tgid, span);
	if (!known)
		who->tgid = 0;
	/* A thread has what its maker had, too: then as if it were a process. */
	process_at(table, known ? who->tgid : pid, ts, &seen, span, 0);
	seen.cgroup = cgroup_at(table, pid, who->tgid, ts, span, 0);
	user = seen.uid >= 0 ? who_table_user(table, seen.uid) : NULL;
	who->parent = known ? seen.parent : 0;
	who->uid = seen.uid;
	who->user = user ? text_of(table, user->name) : NULL;
	who->exe = text_of(table, seen.exe);
	who->cmdline = text_of(table, seen.cmdline);
	who->cgroup = text_of(table, seen.cgroup);
	who->is_kernel = seen.is_kernel || who->tgid == KTHREADD;
}

bool who_table_at(struct who_table *table, int pid, int64_t ts, struct who *who, int64_t *from,
		  int64_t *to)
{
	struct who_span span = { INT64_MIN, INT64_MAX };

	pthread_mutex_lock(&table->lock);
	find_who(table, pid, ts, who, &span);
	pthread_mutex_unlock(&table->lock);
	*from = span.from;
	*to = span.to;
	return who->tgid || who->parent || who->uid >= 0 || who->exe || who->cmdline ||
	       who->cgroup || who->is_kernel;
}

static bool is_scheduled_alike(const struct who_sched_seen *a, const struct who_sched_seen *b)
{
	return a->sched.policy == b->sched.policy && a->sched.priority == b->sched.priority &&
	       a->sched.nice == b->sched.nice && a->sched.runtime_ns == b->sched.runtime_ns &&
	       a->sched.period_ns == b->sched.period_ns && a->allowed == b->allowed;
}

bool who_table_sched(struct who_table *table, int pid, int64_t ts, struct who_sched *sched)
{
	struct who_span ignored = { INT64_MIN, INT64_MAX };
	const struct who_sched_seen *before = NULL, *after = NULL, *seen;
	const struct who_fact *f;
	struct tgid_life life;
	struct who_task *t;

	pthread_mutex_lock(&table->lock);
	life_at(table, pid, ts, &life, &ignored);
	t = who_task_find(table, pid);
	if (t && !t->is_full) {
		f = last_of(t, BIT(FACT_SCHED), facts_until(t, ts), life.from);
		before = f ? &table->scheds[f->number] : NULL;
		f = first_of(t, BIT(FACT_SCHED), facts_until(t, ts), life.to);
		after = f ? &table->scheds[f->number] : NULL;
	}
	/* what a look found that was begun before the birth may be another task's */
	if (before && before->since < life.from)
		before = NULL;
	if (after && after->since < life.from)
		after = NULL;
	seen = before ?: after;
	if (seen) {
		*sched = seen->sched;
		sched->allowed = seen->allowed ? name_table_text(table->names, seen->allowed) :
						 NULL;
		sched->is_doubtful = after && !is_scheduled_alike(seen, after);
	}
	pthread_mutex_unlock(&table->lock);
	return seen;
}

bool who_table_has_recorder(struct who_table *table)
{
	bool has;

	pthread_mutex_lock(&table->lock);
	has = table->nr_recorder;
	pthread_mutex_unlock(&table->lock);
	return has;
}

bool who_table_is_named(struct who_table *table, int pid)
{
	bool is_one;

	pthread_mutex_lock(&table->lock);
	is_one = who_table_names_recorder(table, pid);
	pthread_mutex_unlock(&table->lock);
	return is_one;
}

bool who_table_has_only(struct who_table *table, bool *children)
{
	bool has;

	pthread_mutex_lock(&table->lock);
	has = table->only.nr;
	*children = table->only_children;
	pthread_mutex_unlock(&table->lock);
	return has;
}

bool who_table_is_only(struct who_table *table, int pid)
{
	bool is_one;

	pthread_mutex_lock(&table->lock);
	is_one = number_set_has(&table->only, (uint64_t)pid);
	pthread_mutex_unlock(&table->lock);
	return is_one;
}

bool who_table_asks_only(struct who_table *table)
{
	bool asks;

	pthread_mutex_lock(&table->lock);
	asks = !table->only.nr && !table->asked_only;
	table->asked_only = true;
	pthread_mutex_unlock(&table->lock);
	return asks;
}

void who_table_add_only(struct who_table *table, int pid)
{
	pthread_mutex_lock(&table->lock);
	who_table_put_only(table, pid);
	pthread_mutex_unlock(&table->lock);
}

bool who_table_lacks_cpus(struct who_table *table, const char *buffer)
{
	const char *name;
	bool lacks = false;

	pthread_mutex_lock(&table->lock);
	name = text_str(&table->without);
	for (size_t at = 0; at < table->without.len && !lacks; at += strlen(name + at) + 1)
		lacks = !strcmp(name + at, buffer);
	pthread_mutex_unlock(&table->lock);
	return lacks;
}

bool who_table_is_recorder(struct who_table *table, int pid, int64_t ts)
{
	struct who_span ignored = { INT64_MIN, INT64_MAX };
	bool is_one;
	int tgid;

	pthread_mutex_lock(&table->lock);
	is_one = table->nr_recorder && (who_table_names_recorder(table, pid) ||
					(tgid_at(table, pid, ts, &tgid, &ignored) &&
					 who_table_names_recorder(table, tgid)));
	pthread_mutex_unlock(&table->lock);
	return is_one;
}

bool who_table_is_over(struct who_table *table, int pid, int64_t ts)
{
	const struct who_task *t;
	struct tgid_life life;
	bool over;

	pthread_mutex_lock(&table->lock);
	t = who_task_find(table, pid);
	tgid_table_life(table->tgids, pid, ts, &life);
	over = t && is_over(t, ts, &life);
	pthread_mutex_unlock(&table->lock);
	return over;
}

bool who_table_has_own_pids(struct who_table *table, int tgid)
{
	struct who_task *t;
	bool is_own;

	pthread_mutex_lock(&table->lock);
	t = who_task_find(table, tgid);
	is_own = table->nr_seen &&
		 (!table->any_pid_ns ||
		  (t && !t->has_pid_ns && last_of(t, BIT(FACT_SEEN), t->nr, INT64_MIN)));
	pthread_mutex_unlock(&table->lock);
	return is_own;
}

void who_table_program(struct who_table *table, int tgid, int64_t ts, struct who_program *program)
{
	struct who_span span = { INT64_MIN, INT64_MAX }, ignored = span;
	struct tgid_life life;
	struct who_part part;
	int maker;

	*program = (struct who_program){ ts, ts, 0 };
	pthread_mutex_lock(&table->lock);
	if (!is_full(table, tgid)) {
		life_at(table, tgid, ts, &life, &span);
		part = find_part(table, who_task_find(table, tgid), ts, &life, BIT(FACT_EXEC), true,
				 &ignored);
		if (part.base)
			narrow(&span, part.base->ts, INT64_MAX);
		else if (has_maker(table, &life, &maker))
			program->copied = maker ?: life.maker;
		if (part.end)
			narrow(&span, INT64_MIN, part.end->ts - 1);
		program->from = span.from;
		program->to = span.to;
	}
	pthread_mutex_unlock(&table->lock);
}

/* All pids; may have some twice. */
static int *find_pids(struct who_table *table, uint32_t *nr)
{
	int *pids = tgid_table_pids(table->tgids, nr), *all;
	uint32_t cap = *nr;

	pthread_mutex_lock(&table->lock);
	all = mem_array((size_t)cap + table->nr_tasks + 1, sizeof(*all));
	memcpy(all, pids, cap * sizeof(*all));
	for (uint32_t i = 0; i < table->nr_tasks; i++)
		all[(*nr)++] = table->tasks[i].pid;
	pthread_mutex_unlock(&table->lock);
	free(pids);
	return all;
}

static int compare_pids(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Does anything that the answers about a pid come from begin after @first, up to @last? */
static bool has_news(const struct who_table *table, int pid, int64_t first, int64_t last, int *tgid)
{
	struct who_span span = { INT64_MIN, INT64_MAX };
	const struct who_task *t = who_task_find(table, pid);

	tgid_at(table, pid, first, tgid, &span);
	return span.to < last || (t && facts_until(t, first) < facts_until(t, last));
}

static bool tgid_moves(const struct who_table *table, int pid, int64_t first, int64_t last)
{
	struct who_span span = { INT64_MIN, INT64_MAX };
	int ignored;

	tgid_at(table, pid, first, &ignored, &span);
	return span.to < last;
}

/* A thread has what its process has. */
static bool may_move(struct who_table *table, int pid, int64_t first, int64_t last)
{
	int tgid = 0, ignored;
	bool may;

	pthread_mutex_lock(&table->lock);
	may = has_news(table, pid, first, last, &tgid) ||
	      (tgid && tgid != pid && has_news(table, tgid, first, last, &ignored));
	pthread_mutex_unlock(&table->lock);
	return may;
}

static void tell_who(struct who_table *table, int pid, int64_t ts, bool tgids, struct who *who,
		     int64_t *to)
{
	struct who_span span = { INT64_MIN, INT64_MAX };
	int64_t from;

	if (!tgids) {
		who_table_at(table, pid, ts, who, &from, to);
		return;
	}
	*who = (struct who){ .uid = -1 };
	if (!tgid_at(table, pid, ts, &who->tgid, &span))
		who->tgid = 0;
	*to = span.to;
}

void who_table_moves(struct who_table *table, int64_t first, int64_t last, bool tgids,
		     void (*each)(void *arg, int pid, int64_t from, int64_t to,
				  const struct who *who),
		     void *arg)
{
	bool is_all = first == INT64_MIN && last == INT64_MAX;
	uint32_t nr;
	int *pids = find_pids(table, &nr);
	struct who who;
	int64_t to;

	qsort(pids, nr, sizeof(*pids), compare_pids);
	for (uint32_t i = 0; i < nr; i++) {
		if (i && pids[i] == pids[i - 1])
			continue;
		if (!is_all && !(tgids ? tgid_moves(table, pids[i], first, last) :
					 may_move(table, pids[i], first, last)))
			continue;
		for (int64_t ts = first;; ts = to + 1) {
			tell_who(table, pids[i], ts, tgids, &who, &to);
			each(arg, pids[i], ts, to, &who);
			if (to >= last)
				break;
		}
	}
	free(pids);
}

void who_table_each(struct who_table *table,
		    void (*each)(void *arg, int pid, int64_t from, int64_t to,
				 const struct who *who),
		    void *arg)
{
	who_table_moves(table, INT64_MIN, INT64_MAX, false, each, arg);
}

/* --- records -------------------------------------------------------------------------- */

static const struct {
	const char		*system, *name, *pid, *text;
	enum who_rule_kind	 kind;
} sources[] = {
	{ "sched", "sched_process_exec", "pid", "filename", WHO_RULE_EXEC },
	{ "sched", "sched_process_exit", "pid", NULL, WHO_RULE_EXIT },
	{ "cgroup", "cgroup_attach_task", "pid", "dst_path", WHO_RULE_MOVE },
};

static bool is_number(const struct event_field *field)
{
	return field && event_field_is_number(field);
}

static bool take_fields(const struct event_type *type, unsigned int source, struct who_rule *rule)
{
	bool has_text = sources[source].text;

	rule->pid = event_type_field(type, sources[source].pid);
	rule->text = has_text ? event_type_field(type, sources[source].text) : NULL;
	rule->root = event_type_field(type, "dst_root");
	return is_number(rule->pid) && (!has_text || rule->text) &&
	       (sources[source].kind != WHO_RULE_MOVE || is_number(rule->root));
}

bool who_rule_of(const struct event_type *type, const struct common_layout *common,
		 struct who_rule *rule)
{
	*rule = (struct who_rule){ .kind = WHO_RULE_TGID };
	rule->has_tgid = tgid_rule_of(type, common, &rule->tgid);
	for (unsigned int i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(type->name, sources[i].name) &&
		    !strcmp(type->system, sources[i].system) && take_fields(type, i, rule))
			rule->kind = sources[i].kind;
	return rule->has_tgid || rule->kind != WHO_RULE_TGID;
}

void who_rule_see(const struct who_rule *rule, struct who_table *table, struct tgid_cache *cache,
		  int64_t ts, int common_pid, const uint8_t *data, uint32_t size, bool swap)
{
	struct field_span text = { 0 };
	int pid;

	if (rule->has_tgid)
		tgid_cache_see(cache, table->tgids, &rule->tgid, ts, common_pid, data, size, swap);
	if (rule->kind == WHO_RULE_TGID)
		return;
	pid = (int32_t)field_u64(rule->pid, data, size, swap);
	if (rule->text)
		text = field_bytes(rule->text, data, size, swap);
	if (rule->kind == WHO_RULE_EXIT)
		who_table_exited(table, pid, ts);
	else if (rule->kind == WHO_RULE_EXEC)
		who_table_exec(table, pid, ts, (const char *)text.data ?: "", text.len);
	else
		who_table_moved(table, pid, ts, (int32_t)field_u64(rule->root, data, size, swap),
				(const char *)text.data ?: "", text.len);
}
