/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/options.h"
#include "src/base/time_math.h"
#include "src/latency/latency_private.h"

/* The kernel's marks of durations, as text_duration_mark() has them. */
static const char marks[] = " +!#*@$";
enum { NOT_KNOWN = sizeof(marks) - 1, OPEN };

static const char *const mark_names[] = {
	"  10 µs or less", "+ over 10 µs", "! over 100 µs", "# over 1 ms", "* over 10 ms",
	"@ over 100 ms", "$ over 1 s", [NOT_KNOWN] = "not known", [OPEN] = "open",
};
#define IN_CONTEXT	(1ull << 63)	/* a key: the interrupt that made a wakeup */
#define OF_32		(1ull << 62)	/* a number of a system call: of a 32-bit program */

static const char *const moved_names[] = { "not moved", "moved", [NOT_KNOWN] = "not known" };
static const char *const leaf_names[] = { "not a leaf", "leaf", [NOT_KNOWN] = "not known" };

const struct latency_by_words latency_groups_by[LATENCY_NR_BY] = {
	[LATENCY_BY_WHAT] = { "what", "what", "by what it was", -1 },
	[LATENCY_BY_TASK] = { "task", "task", "by task", -1 },
	[LATENCY_BY_PROCESS] = { "process", "process", "by process", -1, GROUPING_PROCESS },
	[LATENCY_BY_CGROUP] = { "cgroup", "cgroup", "by cgroup", -1, GROUPING_CGROUP },
	[LATENCY_BY_NAME] = { "name", "name", "by name of the task, without numbers", -1,
			      GROUPING_NAME },
	[LATENCY_BY_USER] = { "user", "user", "by user", -1, GROUPING_USER },
	[LATENCY_BY_CPU] = { "cpu", "CPU", "by CPU", -1 },
	[LATENCY_BY_PRIO] = { "prio", "priority", "by priority", LATENCY_WAKEUP },
	[LATENCY_BY_MOVED] = { "moved", "moved", "moved or not", LATENCY_WAKEUP,
			       .names = moved_names },
	[LATENCY_BY_MARK] = { "mark", "mark", "by mark of duration", LATENCY_CALL,
			      .names = mark_names },
	[LATENCY_BY_NET] = { "net", "mark of net", "by mark of net time: figures are of net time",
			     LATENCY_CALL, .names = mark_names },
	[LATENCY_BY_HOLDER] = { "holder", "holder", "by who held the lock", LATENCY_OF_LOCK },
	[LATENCY_BY_ADDRESS] = { "address", "lock", "by lock", LATENCY_OF_LOCK },
	[LATENCY_BY_WAITER] = { "waiter", "waiter", "by who waited", LATENCY_OF_LOCK },
	[LATENCY_BY_LEAF] = { "leaf", "leaf", "leaves, which called no traced function, or not",
			      LATENCY_CALL, .names = leaf_names },
};

bool latency_groups_has(const struct latency_kinds *kinds, unsigned int kind, enum latency_by by)
{
	const struct latency_by_words *words = &latency_groups_by[by];

	if (words->of == LATENCY_OF_LOCK)
		return latency_kinds_is_of_locks(kinds, (int)kind);
	return words->option && (words->of < 0 || words->of == (int)kind);
}

int latency_groups_find(const char *option, const struct latency_kinds *kinds, unsigned int kind,
			struct ft_error *err)
{
	const char *words[LATENCY_NR_BY];
	unsigned int nr = 0, by = LATENCY_BY_WHAT;
	int choice;

	for (; by < LATENCY_BY_CULPRIT; by++)
		words[nr++] = latency_groups_by[by].option;
	choice = options_choice("--by", option, words, nr, err);
	if (choice < 0)
		return -1;
	by = LATENCY_BY_WHAT + (unsigned int)choice;
	if (latency_groups_has(kinds, kind, by))
		return (int)by;
	if (latency_groups_by[by].of == LATENCY_OF_LOCK)
		return ft_error_set(err, FT_E_USAGE, -1, "--by=%s is of the kinds futex and lock",
				    option);
	return ft_error_set(err, FT_E_USAGE, -1, "--by=%s is of the kind %s", option,
			    kinds->names[latency_groups_by[by].of]);
}

static uint64_t mark_of(uint64_t duration)
{
	return (uint64_t)(strchr(marks, text_duration_mark(duration)) - marks);
}

/* The group that its task is in at this time counts. */
static int64_t grouped_at(const struct latency_instance *i)
{
	return i->flags & LATENCY_OPEN ? i->start : i->end;
}

/* The group of the task, as it was when the instance ended. */
static bool add_group(const struct latency *latency, const struct latency_instance *i,
		      enum latency_by by, struct text *out)
{
	enum grouping grouping = latency_groups_by[by].grouping;
	struct grouped_task task = { .file = latency->options.what.file, .pid = (int)i->pid,
				     .ts = grouped_at(i), .prio = GROUPING_NO_PRIO };

	return grouping_name(latency->trace, grouping, &task, out);
}

static void add_group_name(const struct latency *latency, const struct latency_instance *i,
			   enum latency_by by, struct text *out)
{
	if (!add_group(latency, i, by, out))
		text_add(out, GROUPING_NOT_KNOWN);
}

/* FNV-1a: the same in each pass, and in each run. */
static uint64_t hash_of(const struct text *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < name->len; i++)
		hash = (hash ^ (uint8_t)name->data[i]) * 0x100000001b3;
	return hash;
}

/* 0: it is not known. */
static uint64_t group_key(const struct latency *latency, const struct latency_instance *i,
			  enum latency_by by)
{
	struct text name = { 0 };
	uint64_t key = 0;

	if (i->flags & LATENCY_IN_INTERRUPT)
		return IN_CONTEXT;
	if (add_group(latency, i, by, &name))
		key = hash_of(&name) | 1;
	text_fini(&name);
	return key;
}

/* Tasks that had one pid in turn differ; 0: the idle task, or not known. */
static uint64_t task_key(const struct latency *latency, uint64_t pid, int64_t ts)
{
	struct tgid_life life = latency_life(latency, (uint32_t)pid, ts);

	return pid << 31 | (life.is_born ? (uint64_t)life.from & INT32_MAX : 0);
}

/* 0: it is not known.  Who waits to read a lock, and who to write it, are groups of their own. */
static uint64_t lock_key(const struct latency *latency, const struct latency_instance *i,
			 enum latency_by by)
{
	struct lock_wait wait;

	if (!latency_lock(latency, i, &wait))
		return 0;
	if (by == LATENCY_BY_HOLDER)
		return task_key(latency, (uint64_t)wait.holder, i->start);
	return index_map_mix(wait.address, (uint64_t)wait.tgid << 1 | lock_wait_reads(&wait));
}

static bool is_of_lock(const struct latency *latency, const struct latency_instance *i)
{
	return latency->options.kinds->rules[i->rule].locks;
}

/* An interrupt made the wake-up, for sure. */
static bool has_interrupt(const struct latency *latency, const struct latency_instance *i)
{
	return i->context && !is_of_lock(latency, i) && i->context != latency->interrupts.not_known;
}

static bool is_of_32(const struct latency *latency, const struct latency_instance *i)
{
	return latency->rules[i->rule].is_numbered && latency_task_of_32(latency, i->pid);
}

/* 0: it is a lock, and not known which. */
static uint64_t what_key(const struct latency *latency, const struct latency_instance *i)
{
	const char *label = latency->options.kinds->rules[i->rule].label;

	if (is_of_lock(latency, i))
		return lock_key(latency, i, LATENCY_BY_ADDRESS);
	if (has_interrupt(latency, i))
		return IN_CONTEXT | i->context;
	if (label && latency_rule_hides(label, strlen(label), i->label))
		return 0;
	return (i->label * 31 + i->rule) | (is_of_32(latency, i) ? OF_32 : 0);
}

uint64_t latency_groups_key(const struct latency *latency, const struct latency_instance *i,
			    enum latency_by by)
{
	switch (by) {
	case LATENCY_BY_HOLDER:
		return lock_key(latency, i, by);
	case LATENCY_BY_ADDRESS:
	case LATENCY_BY_WHAT:
		return what_key(latency, i);
	case LATENCY_BY_TASK:
		return i->flags & LATENCY_IN_INTERRUPT ? IN_CONTEXT :
							 task_key(latency, i->pid, i->start);
	case LATENCY_BY_WAITER:
		return task_key(latency, i->pid, i->start);
	case LATENCY_BY_PROCESS:
	case LATENCY_BY_CGROUP:
	case LATENCY_BY_NAME:
	case LATENCY_BY_USER:
		return group_key(latency, i, by);
	case LATENCY_BY_CPU:
		return i->cpu;
	case LATENCY_BY_PRIO:
		return (uint64_t)(i->prio - INT16_MIN);
	case LATENCY_BY_MOVED:
		return i->flags & LATENCY_MAY_HAVE_MOVED ? NOT_KNOWN : !!(i->flags & LATENCY_MOVED);
	case LATENCY_BY_MARK:
		return i->flags & LATENCY_OPEN ? OPEN : mark_of(latency_duration(i));
	case LATENCY_BY_NET:
		return i->flags & LATENCY_HAS_VALUE ? mark_of((uint64_t)i->value) : NOT_KNOWN;
	case LATENCY_BY_LEAF:
		return i->flags & LATENCY_LEAF ? 1 : i->flags & LATENCY_NO_LEAF ? 0 : NOT_KNOWN;
	case LATENCY_INSTANCES:
	case LATENCY_OPENS:
	case LATENCY_BY_CULPRIT:
	case LATENCY_NR_BY:
		break;
	}
	return 0;
}

/* It is not known which lock it is, or who holds it. */
static bool has_no_lock(const struct latency *latency, unsigned int kind,
			const struct latency_instance *i, enum latency_by by)
{
	return (by == LATENCY_BY_HOLDER || by == LATENCY_BY_ADDRESS || by == LATENCY_BY_WHAT) &&
	       latency_kinds_is_of_locks(latency->options.kinds, (int)kind) &&
	       !latency_groups_key(latency, i, by);
}

/* With its last name, as lists of tasks have it. */
static void add_task(const struct latency *latency, uint32_t pid, int64_t ts, struct text *out)
{
	text_add(out, latency_comm(latency, pid, latency_life(latency, pid, ts).to));
	if (pid)
		text_printf(out, "-%" PRIu32, pid);
}

/* A group by what it is: of the task that woke another one, or took its CPU. */
static bool is_of_task(const struct latency_instance *i, unsigned int kind)
{
	return (kind == LATENCY_WAKEUP || kind == LATENCY_PREEMPTED) && !latency_limit(i) &&
	       !i->context && i->label <= INT32_MAX;
}

static void add_holder(const struct latency *latency, const struct latency_instance *i,
		       struct text *out)
{
	struct lock_wait wait;

	if (latency_lock(latency, i, &wait))
		add_task(latency, (uint32_t)wait.holder, i->start, out);
}

void latency_groups_name(struct latency *latency, unsigned int kind, enum latency_by by,
			 const struct latency_instance *i, struct text *out)
{
	if (latency_groups_by[by].names)
		text_add(out, latency_groups_by[by].names[latency_groups_key(latency, i, by)]);
	else if (has_no_lock(latency, kind, i, by))
		text_add(out, GROUPING_NOT_KNOWN);
	else if (by == LATENCY_BY_WHAT && has_interrupt(latency, i))
		latency_context(latency, i, out);
	else if (by == LATENCY_BY_WHAT && (kind == LATENCY_SLEEP || kind == LATENCY_BLOCKED))
		latency_state(latency, i, out);	/* each may have slept in another function */
	else if (by == LATENCY_BY_WHAT && is_of_task(i, kind))
		add_task(latency, (uint32_t)i->label, i->start, out);
	else if (by == LATENCY_BY_WHAT)
		latency_what(latency, kind, i, kind == LATENCY_WAKEUP && i->context, out);
	else if (by == LATENCY_BY_ADDRESS)
		latency_what(latency, kind, i, false, out);
	else if (by == LATENCY_BY_HOLDER)
		add_holder(latency, i, out);
	else if (i->flags & LATENCY_IN_INTERRUPT &&
		 (by == LATENCY_BY_TASK || latency_groups_by[by].grouping))
		text_add(out, GROUPING_INTERRUPTS);
	else if (by == LATENCY_BY_TASK || by == LATENCY_BY_WAITER)
		add_task(latency, i->pid, i->start, out);
	else if (latency_groups_by[by].grouping)
		add_group_name(latency, i, by, out);
	else if (by == LATENCY_BY_PRIO)
		text_printf(out, "priority %d", i->prio);
	else if (i->cpu == UINT16_MAX)
		text_add(out, "no CPU");
	else
		text_printf(out, "CPU %u", i->cpu);
}

const char *latency_groups_was(const struct latency *latency, unsigned int kind, enum latency_by by,
			       const struct latency_instance *i)
{
	bool of_what = by == LATENCY_BY_WHAT && is_of_task(i, kind);
	uint32_t pid = of_what ? (uint32_t)i->label : i->pid;
	const char *was = latency_comm(latency, pid, i->start), *last;

	if (!of_what && by != LATENCY_BY_TASK && by != LATENCY_BY_WAITER)
		return NULL;
	last = latency_comm(latency, pid, latency_life(latency, pid, i->start).to);
	return !strcmp(was, last) || i->flags & LATENCY_IN_INTERRUPT ? NULL : was;
}

/* Add it to the sums of its group: of LATENCY_BY_NET, its net time. */
static void add_to_group(struct latency_list *group, const struct latency_instance *instance,
			 enum latency_by by)
{
	struct latency_instance i = *instance;

	if (by == LATENCY_BY_NET && (i.flags & LATENCY_HAS_VALUE))
		i.end = time_after(i.start, i.value), i.gap_cut = 0;
	else if (by == LATENCY_BY_NET)
		i.flags &= (uint16_t)~LATENCY_EXACT;
	latency_list_add(group, &i, 0, NULL);
}

/* The group's sums; the list is empty afterwards. */
static struct latency_sums take_sums(struct latency_list *group)
{
	struct latency_kind kind = { 0 };

	latency_list_result(group, 0, true, &kind);
	free(kind.worst.list);
	free(kind.opens.list);
	return kind.sums;
}

/* --- all groups of a pass --------------------------------------------------------------------- */

static uint64_t find_key(struct latency_groups *g, const struct latency *latency,
			 const struct latency_instance *i)
{
	struct latency_member *m = &g->members[i->pid % LATENCY_MEMBERS];
	bool by_task = g->by == LATENCY_BY_TASK;
	int64_t ts = by_task ? i->start : grouped_at(i);
	struct tgid_life life;
	struct who who;

	if ((!by_task && !groupings[latency_groups_by[g->by].grouping].moves) ||
	    i->flags & LATENCY_IN_INTERRUPT)
		return latency_groups_key(latency, i, g->by);
	if (m->known && m->pid == i->pid && ts >= m->from && ts <= m->to)
		return m->key;
	*m = (struct latency_member){ .known = true, .pid = i->pid,
				      .key = latency_groups_key(latency, i, g->by) };
	if (by_task) {
		life = latency_life(latency, i->pid, ts);
		m->from = life.from;
		m->to = life.to;
	} else {
		trace_who(latency->trace, latency->options.what.file, (int)i->pid, ts, &who,
			  &m->from, &m->to);
	}
	return m->key;
}

bool latency_groups_see(void *arg, struct latency *latency, unsigned int kind,
			const struct latency_instance *i)
{
	struct latency_groups *g = arg;
	uint64_t key = find_key(g, latency, i);
	uint32_t hash = index_map_hash_pair(key, key >> 32), at = UINT32_MAX;

	if (kind >= LATENCY_OWN_KINDS && g->replaced[i->rule])
		return true;
	index_map_each (&g->keys, hash, k)
		if (g->list[k].key == key)
			at = k;
	if (at == UINT32_MAX) {
		at = g->nr++;
		mem_grow(&g->list, at, &g->cap);
		mem_grow(&g->sums, at, &g->cap_sums);
		g->list[at] = (struct latency_group){ .key = key, .first = *i };
		g->sums[at] = (struct latency_list){ 0 };
		index_map_add(&g->keys, hash, at);
	}
	g->sums[at].sums.late |= i->flags & LATENCY_LATE && latency_counts(i);
	g->sums[at].sums.missed |= latency_has_missed(latency, i->rule);
	add_to_group(&g->sums[at], i, g->by);
	return true;
}

static int by_total(const void *a, const void *b)
{
	const struct latency_group *x = a, *y = b;

	if (x->sums.total != y->sums.total)
		return x->sums.total > y->sums.total ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

void latency_groups_end(struct latency_groups *g, const struct latency_sums *all)
{
	for (uint32_t i = 0; i < g->nr; i++) {
		struct latency_sums *sums = &g->list[i].sums;

		*sums = take_sums(&g->sums[i]);
		sums->unsettled = sums->shared && (sums->shared < all->shared || all->unsettled);
	}
	if (g->nr)
		qsort(g->list, g->nr, sizeof(*g->list), by_total);
}

void latency_groups_fini(struct latency_groups *g)
{
	for (uint32_t i = 0; i < g->nr; i++)
		latency_list_fini(&g->sums[i]);
	free(g->list);
	free(g->sums);
	index_map_fini(&g->keys);
	*g = (struct latency_groups){ 0 };
}
