/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/why/why.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/name_table.h"
#include "src/base/time_math.h"
#include "src/base/workers.h"
#include "src/events/verdicts.h"
#include "src/sched/limits/sched_limits.h"
#include "src/sched/sched_cause.h"
#include "src/why/cpu_parts.h"

#define MOST_LOOKS	100u		/* sleeps whose function is searched; it takes long */
#define MOST_MISSES	10u		/* then none is known: no stacks or calls were recorded */
#define NO_PARENT	UINT32_MAX
#define STEPS		64u		/* states between two looks at the time */

/* A task's interval that is being cut, on top of those it is asked for. */
struct frame {
	uint32_t	task, node;
	int64_t		from, to;
	int64_t		at;		/* parts up to here are known */
	struct pyramid_iter states;
};

struct why {
	struct sched	*sched;		/* borrowed */
	bool		 direct;	/* do not ask about wakers, keep no parts */
	unsigned int	 looks, misses;
	struct frame	 frames[WHY_MOST_DEPTH + 1];
	unsigned int	 nr_frames;
	struct why_part	*parts;		/* owned */
	uint32_t	 nr_parts, cap_parts;
	struct culprits	 nodes;		/* nodes of the tree; the first one is its root */
	int		 held;		/* @direct: enum why_held of the state; -1: none */
	bool		 preempted;	/* the state is the wait of a preempted task */
	bool		 doubtful;	/* it is a guess for which CPU it waits */
	bool		 late;		/* it began to wait before that was recorded */
	int64_t		 told;		/* the state is cut up to here, and once more from here on;
					 * INT64_MAX: all of it is */
	struct name_table *sleeps;	/* owned: words of WHY_ASLEEP, names of locks */
	struct held_lock {
		uint32_t task, name;	/* who holds it; 0: all locks of the task */
	}		*locks;		/* owned, [nr_locks]: of WHY_HOLDER */
	uint32_t	 nr_locks, cap_locks;
	struct index_map lock_map;
};

/* --- parts --------------------------------------------------------------------------------- */

/* Does a part continue the last one, both unknown?  States that records contradict are many. */
static bool goes_on(const struct why *why, enum why_kind kind, uint32_t arg, int64_t from)
{
	const struct why_part *last = why->nr_parts ? &why->parts[why->nr_parts - 1] : NULL;

	return last && kind == WHY_UNKNOWN && last->kind == kind && last->arg == arg &&
	       last->to == from && last->task == why->frames[why->nr_frames - 1].task &&
	       last->depth == why->nr_frames - 1;
}

/* A reason of the topmost interval: below the node of how it was held up, if there are such. */
static struct why_node *reason_node(struct why *why, enum why_kind kind, uint32_t arg, int64_t from,
				    int64_t to)
{
	const struct frame *f = &why->frames[why->nr_frames - 1];
	uint32_t parent = f->node;
	struct why_node *node;

	if (why->direct && why->held >= 0) {
		node = culprits_node(&why->nodes, parent, WHY_HELD, SCHED_NO_TASK,
				     (uint32_t)why->held);
		culprits_count(node, from, to);
		parent = node->index;
	}
	node = culprits_node(&why->nodes, parent, kind, f->task, arg);
	if (time_between(from, to) > node->max)
		node->task = f->task;
	return node;
}

static void add_part(struct why *why, int64_t from, int64_t to, enum why_kind kind, uint32_t arg)
{
	const struct frame *f = &why->frames[why->nr_frames - 1];
	struct why_node *node = reason_node(why, kind, arg, from, to);

	node->preempted |= why->preempted;
	node->late |= why->late;
	node->doubtful |= why->doubtful;
	if (goes_on(why, kind, arg, from)) {
		culprits_lengthen(node, why->parts[why->nr_parts - 1].from, from, to);
		why->parts[why->nr_parts - 1].to = to;
		return;
	}
	culprits_hold(&why->nodes, node, from, to, kind == WHY_BEHIND, kind == WHY_INTERRUPT);
	if (why->direct)
		return;
	mem_grow(&why->parts, why->nr_parts, &why->cap_parts);
	why->parts[why->nr_parts++] = (struct why_part){
		.from = from, .to = to, .task = f->task, .arg = arg, .kind = (uint8_t)kind,
		.depth = (uint8_t)(why->nr_frames - 1),
		.doubtful = why->doubtful,
		.late = why->late,
	};
}

/* Cut by the times in which nothing could be recorded.  @cpu: of the task; or SCHED_NO_CPU. */
static void cut_unknown(struct why *why, uint32_t cpu, int64_t from, int64_t to)
{
	while (from < to) {
		int64_t end = to;
		uint32_t absence = sched_cause_absence(why->sched, cpu, from, &end);

		add_part(why, from, end, WHY_UNKNOWN, absence);
		from = end;
	}
}

static void push(struct why *why, uint32_t task, uint32_t node, int64_t from, int64_t to)
{
	struct frame *f = &why->frames[why->nr_frames++];

	*f = (struct frame){ .task = task, .node = node, .from = from, .to = to, .at = from };
	pyramid_iter_init(&f->states, sched_task(why->sched, task), sched_end(why->sched), from);
}

/* --- what it slept in ----------------------------------------------------------------------- */

static void add_function(struct why *why, uint32_t task, const struct pyramid_state *sleep,
			 struct text *words)
{
	struct text function = { 0 };
	struct pyramid_state run;

	if (why->looks >= MOST_LOOKS || (why->misses >= MOST_MISSES && why->misses == why->looks) ||
	    !sched_cause_before(why->sched, task, sleep->from, &run) || run.kind != SCHED_RUNS ||
	    run.to != sleep->from)
		return;
	why->looks++;
	if (sched_cause_sleep(why->sched, task, run.arg, sleep->from, &function))
		text_printf(words, " in %s", text_str(&function));
	else
		why->misses++;
	text_fini(&function);
}

/* A sleep that words tell of, which are freed. */
static void add_words(struct why *why, int64_t from, int64_t to, struct text *words)
{
	add_part(why, from, to, WHY_ASLEEP,
		 name_table_add(why->sleeps, text_str(words), words->len));
	text_fini(words);
}

/* No wakeup was recorded, or the wakers are too many. */
static void add_asleep(struct why *why, const struct pyramid_state *sleep, int64_t from, int64_t to,
		       bool look)
{
	struct text words = { 0 }, state = { 0 };

	sched_states_text(&sched_pass_types(sched_pass_of(why->sched))->states, sleep->arg, &state);
	verdict_add(&words, sleep->doubtful ? VERDICT_SLEEP_OR_WAIT : VERDICT_ASLEEP,
		    text_str(&state));
	text_fini(&state);
	if (look)
		add_function(why, why->frames[why->nr_frames - 1].task, sleep, &words);
	add_words(why, from, to, &words);
}

/* Whoever lets it go on is named; what that one did is not told.  False: it was not stopped. */
static bool add_stopped(struct why *why, const struct pyramid_state *sleep,
			const struct pyramid_state *next, int64_t from, int64_t to)
{
	struct text words = { 0 }, state = { 0 }, waker = { 0 };
	bool is_stopped, by_task = next && !sched_wake_source(why->sched, next->arg);
	uint32_t task = by_task ? sched_waker(why->sched, next->arg) : SCHED_NO_TASK;

	sched_states_text(&sched_pass_types(sched_pass_of(why->sched))->states, sleep->arg, &state);
	is_stopped = !strcmp(text_str(&state), "T") || !strcmp(text_str(&state), "t");
	if (is_stopped && task < SCHED_IDLE_TASK) {
		sched_task_text(why->sched, task, sleep->to, SCHED_THEN, &waker);
		verdict_add(&words, VERDICT_STOPPED_UNTIL, text_str(&state), text_str(&waker));
	} else if (is_stopped) {
		verdict_add(&words, VERDICT_STOPPED, text_str(&state));
	}
	if (is_stopped)
		add_words(why, from, to, &words);
	text_fini(&state);
	text_fini(&waker);
	return is_stopped;
}

/* Whoever thawed its cgroup is not the reason.  False: it was not frozen. */
static bool add_frozen(struct why *why, const struct pyramid_state *sleep, int64_t from, int64_t to)
{
	uint32_t task = why->frames[why->nr_frames - 1].task;
	const char *path = sched_frozen(why->sched, task, sleep);
	struct text words = { 0 };

	if (!path)
		return false;
	verdict_add(&words, VERDICT_FROZEN, path);
	add_words(why, from, to, &words);
	return true;
}

/* --- states --------------------------------------------------------------------------------- */

/* It runs: cut by interrupts on its CPU. */
static void cut_run(struct why *why, unsigned int cpu, int64_t from, int64_t to)
{
	uint32_t task = why->frames[why->nr_frames - 1].task;
	struct cpu_parts parts;
	struct cpu_part part;
	int64_t since = from;

	cpu_parts_begin(&parts, why->sched, cpu, from, to);
	while (cpu_parts_next(&parts, &part)) {
		if (part.kind != CPU_PART_INTERRUPT ||
		    (sched_source_of(why->sched, part.arg)->context == SCHED_CONTEXT_SOFTIRQ &&
		     sched_serves_softirqs(why->sched, task, from)))
			continue;
		if (since < part.from)
			add_part(why, since, part.from, WHY_RUNS, 0);
		add_part(why, part.from, part.to, WHY_INTERRUPTED, part.arg);
		since = part.to;
	}
	if (since < to)
		add_part(why, since, to, WHY_RUNS, 0);
}

/* It waits, and where it runs next is not known: only that it was throttled may be. */
static void cut_open_wait(struct why *why, uint32_t task, int64_t from, int64_t to)
{
	struct wait_parts wait;
	struct wait_part part;

	wait_parts_begin(&wait, why->sched, task, 0, from, to, to);
	while (wait_parts_next(&wait, &part)) {
		bool is_throttled = part.reason == WAIT_THROTTLED;

		why->doubtful = is_throttled && part.doubtful;
		add_part(why, part.from, part.to, is_throttled ? WHY_THROTTLED : WHY_WAITS,
			 is_throttled ? part.limit : 0);
	}
	why->doubtful = false;
}

/* It waits, until it runs next or that is not known. */
static void cut_wait(struct why *why, const struct pyramid_state *next, int64_t from, int64_t to)
{
	static const enum why_kind kinds[] = {
		[CPU_PART_UNKNOWN] = WHY_UNKNOWN,     [CPU_PART_LOST] = WHY_UNKNOWN,
		[CPU_PART_IDLE] = WHY_IDLE,	      [CPU_PART_TASK] = WHY_BEHIND,
		[CPU_PART_INTERRUPT] = WHY_INTERRUPT, [CPU_PART_ASTRAY] = WHY_WAITS,
		[CPU_PART_THROTTLED] = WHY_THROTTLED, [CPU_PART_UNEXPLAINED] = WHY_UNEXPLAINED,
	};
	uint32_t task = why->frames[why->nr_frames - 1].task;
	struct cpu_parts parts;
	struct cpu_part part;

	/* a run that later records contradict has no kind */
	if (!next || (next->kind != SCHED_RUNS && next->kind != SCHED_UNKNOWN) ||
	    next->arg >= sched_nr_cpus(why->sched)) {
		cut_open_wait(why, task, from, to);
		return;
	}
	cpu_parts_begin_wait(&parts, why->sched, task, next->arg, from, to, next->from);
	while (cpu_parts_next(&parts, &part)) {
		bool is_own = part.kind == CPU_PART_TASK && part.arg == task;

		why->doubtful = part.doubtful;
		add_part(why, part.from, part.to, is_own ? WHY_UNKNOWN : kinds[part.kind],
			 is_own ? 0 : part.arg);
	}
	why->doubtful = false;
}

/*
 * Did a wakeup end sleep that is not doubtful?  A wait that later records contradict has no kind.
 * Nothing else without a kind follows such sleep: a run would make it doubtful, a loss has one.
 */
static bool was_woken(const struct pyramid_state *next)
{
	return next && (next->kind == SCHED_WAITS || next->kind == SCHED_UNKNOWN);
}

static bool is_asked_already(const struct why *why, uint32_t task, int64_t from, int64_t to)
{
	for (unsigned int i = 0; i < why->nr_frames; i++)
		if (why->frames[i].task == task && why->frames[i].from == from &&
		    why->frames[i].to == to)
			return true;
	return false;
}

static void ask_waker(struct why *why, const struct pyramid_state *sleep, uint32_t waker,
		      int64_t from, int64_t to)
{
	struct why_node *node;

	if (waker >= SCHED_IDLE_TASK) {
		add_asleep(why, sleep, from, to, true);
	} else if (is_asked_already(why, waker, from, to)) {
		add_part(why, from, to, WHY_WITH, waker);
	} else if (why->nr_frames > WHY_MOST_DEPTH) {
		add_asleep(why, sleep, from, to, false);
	} else {
		node = reason_node(why, WHY_TASK, waker, from, to);
		culprits_count(node, from, to);
		if (!why->direct)
			push(why, waker, node->index, from, to);
	}
}

/* --- locks ------------------------------------------------------------------------------------ */

/* Its number, for a node.  Locks are not told apart where reasons are summed by holder. */
static uint32_t lock_number(struct why *why, uint32_t holder, const struct text *name)
{
	struct held_lock lock = { holder, why->direct ? 0 :
							name_table_add(why->sleeps, text_str(name),
								       name->len) };
	uint32_t hash = index_map_hash_pair(lock.task, lock.name);

	index_map_each (&why->lock_map, hash, i)
		if (why->locks[i].task == lock.task && why->locks[i].name == lock.name)
			return i;
	mem_grow(&why->locks, why->nr_locks, &why->cap_locks);
	why->locks[why->nr_locks] = lock;
	index_map_add(&why->lock_map, hash, why->nr_locks);
	return why->nr_locks++;
}

uint32_t why_holder(const struct why *why, uint32_t arg)
{
	return why->locks[arg].task;
}

/* Does the task wait already, for one that waits for … this one? */
static bool is_waiting(const struct why *why, uint32_t task)
{
	for (unsigned int i = 0; i < why->nr_frames; i++)
		if (why->frames[i].task == task)
			return true;
	return false;
}

/* What the holder did is the reason, up to when it released the lock. */
static void ask_holder(struct why *why, uint32_t holder, const struct text *name, int64_t from,
		       int64_t to)
{
	uint32_t lock = lock_number(why, holder, name);
	bool cycle = is_waiting(why, holder) && !why->direct;
	struct why_node *node;

	if (cycle || why->nr_frames > WHY_MOST_DEPTH) {
		add_part(why, from, to, cycle ? WHY_DEADLOCK : WHY_HOLDER, lock);
		return;
	}
	node = reason_node(why, WHY_HOLDER, lock, from, to);
	culprits_count(node, from, to);
	if (!why->direct)
		push(why, holder, node->index, from, to);
}

/*
 * Until when the holder of a lock is the reason for a sleep that ends at @next, or does not.  From
 * then on, it is who woke the task: the holder is not known any more.  @from: at no time.
 */
static int64_t held_until(struct why *why, const struct sched_lock *lock,
			  const struct pyramid_state *next, int64_t from, int64_t to)
{
	bool was_woken_by_task = next && !sched_wake_source(why->sched, next->arg);
	int64_t release;

	if (was_woken_by_task && sched_waker(why->sched, next->arg) == lock->holder)
		return to;
	release = sched_cause_release(why->sched, lock, lock->since, to);
	if (release == INT64_MAX)
		return was_woken_by_task ? from : to;
	return release > from ? release : from;
}

/* The sleep of a wait for a lock, up to when its holder is the reason.  False: it is not. */
static bool cut_lock(struct why *why, const struct pyramid_state *sleep,
		     const struct pyramid_state *next, int64_t from, int64_t to)
{
	uint32_t task = why->frames[why->nr_frames - 1].task;
	struct text name = { 0 }, words = { 0 };
	struct sched_lock lock;
	int64_t until = from;

	if (sched_cause_lock(why->sched, task, sleep, &lock, &name) &&
	    lock.holder < SCHED_IDLE_TASK)
		until = held_until(why, &lock, next, from, to);
	if (until > from) {
		text_printf(&words, "%s %s", lock_wait_type(&lock.wait), text_str(&name));
		why->told = until;
		ask_holder(why, lock.holder, &words, from, until);
	}
	text_fini(&name);
	text_fini(&words);
	return until > from;
}

static void cut_sleep(struct why *why, const struct pyramid_state *sleep,
		      const struct pyramid_state *next, int64_t from, int64_t to)
{
	const struct sched_source *source;

	if (!sleep->doubtful && (add_frozen(why, sleep, from, to) ||
				 add_stopped(why, sleep, was_woken(next) ? next : NULL, from, to) ||
				 cut_lock(why, sleep, was_woken(next) ? next : NULL, from, to)))
		return;
	if (sleep->doubtful || !was_woken(next)) {
		add_asleep(why, sleep, from, to, true);
		return;
	}
	source = sched_wake_source(why->sched, next->arg);
	if (source)
		add_part(why, from, to, WHY_UNTIL, source->same);
	else
		ask_waker(why, sleep, sched_waker(why->sched, next->arg), from, to);
}

/* Did a switch-in end it?  Sleep that no gap overlaps is doubtful for no other reason. */
static bool is_unwoken(const struct why *why, const struct pyramid_state *state)
{
	return (state->kind == SCHED_SLEEPS || state->kind == SCHED_BLOCKED) &&
	       !sched_rules_gap(sched_pass_rules(sched_pass_of(why->sched)), state->from,
				state->to);
}

static void cut_state(struct why *why, const struct pyramid_state *state, int64_t from, int64_t to)
{
	struct pyramid_iter ahead = why->frames[why->nr_frames - 1].states;
	struct pyramid_state after, *next = pyramid_iter_next(&ahead, &after) ? &after : NULL;

	why->held = state->kind == SCHED_WAITS || state->kind == SCHED_PREEMPTED ? WHY_HELD_WAITS :
		    state->kind == SCHED_BLOCKED ? WHY_HELD_BLOCKED :
		    state->kind == SCHED_SLEEPS  ? WHY_HELD_SLEEPS :
						   -1;
	why->preempted = state->kind == SCHED_PREEMPTED;
	why->late = state->kind == SCHED_WAITS && sched_wake_late(why->sched, state->arg);
	if (state->kind == SCHED_TASK_LOST || state->kind == SCHED_UNKNOWN ||
	    (state->doubtful && !is_unwoken(why, state))) {
		why->held = -1;
		cut_unknown(why, state->kind == SCHED_TASK_LOST ? state->arg : SCHED_NO_CPU, from,
			    to);
	} else if (state->kind == SCHED_RUNS) {
		cut_run(why, state->arg, from, to);
	} else if (state->kind == SCHED_WAITS || state->kind == SCHED_PREEMPTED) {
		cut_wait(why, next, from, to);
	} else if (state->kind == SCHED_SLEEPS || state->kind == SCHED_BLOCKED) {
		cut_sleep(why, state, next, from, to);
	} else {
		add_part(why, from, to, WHY_GONE, 0);
	}
}

/* Nothing is known of the task; maybe it did not exist. */
static void add_unknown(struct why *why, int64_t from, int64_t to)
{
	uint32_t task = why->frames[why->nr_frames - 1].task;
	int64_t created;

	if (sched_created(why->sched, task, &created) && from < created) {
		created = created < to ? created : to;
		add_part(why, from, created, WHY_UNCREATED, 0);
		from = created;
	}
	cut_unknown(why, SCHED_NO_CPU, from, to);
}

/* Cut the next state of the topmost interval; or take that away, if it is at its end. */
static void step(struct why *why)
{
	struct frame *f = &why->frames[why->nr_frames - 1];
	const struct pyramid_iter before = f->states;
	struct pyramid_state state;
	int64_t from = f->at, to;

	why->held = -1;
	why->late = false;
	why->told = INT64_MAX;
	if (from >= f->to) {
		why->nr_frames--;
		return;
	}
	if (!pyramid_iter_next(&f->states, &state) || state.from >= f->to)
		state = (struct pyramid_state){ .from = f->to, .to = f->to };
	to = state.to < f->to ? state.to : f->to;
	f->at = to > from ? to : from;
	if (state.from > from) {
		add_unknown(why, from, state.from);
		from = state.from;
	}
	if (from < to)
		cut_state(why, &state, from, to);
	if (why->told < to) {
		f->at = why->told;
		f->states = before;
	}
}

/* --- all of it ------------------------------------------------------------------------------ */

static struct why *begin(struct sched *sched, uint32_t task, bool direct)
{
	struct why *why = mem_alloc(sizeof(*why));

	why->sched = sched;
	why->direct = direct;
	why->sleeps = name_table_new();
	culprits_node(&why->nodes, NO_PARENT, WHY_TASK, SCHED_NO_TASK, task);
	return why;
}

void why_add(struct why *why, uint32_t task, int64_t from, int64_t to)
{
	push(why, task, 0, from, to);
	culprits_count(&why->nodes.list[0], from, to);
}

struct why *why_new(struct sched *sched, uint32_t task, int64_t from, int64_t to)
{
	struct why *why = begin(sched, task, false);

	why_add(why, task, from, to);
	return why;
}

bool why_work(struct why *why, int64_t until)
{
	for (unsigned int i = 1; why->nr_frames; i++) {
		step(why);
		if (i % STEPS == 0 && workers_now_ns() >= until)
			break;
	}
	return why->nr_frames;
}

unsigned int why_permille(const struct why *why)
{
	const struct frame *all = &why->frames[0];
	const struct frame *f = why->nr_frames ? &why->frames[why->nr_frames - 1] : NULL;

	return f && all->to > all->from ?
		       (unsigned int)(1000 * (double)time_between(all->from, f->at) /
				      (double)time_between(all->from, all->to)) :
		       1000;
}

struct why *why_blocked_by(struct sched *sched)
{
	return begin(sched, SCHED_NO_TASK, true);
}

void why_blocked_add(struct why *why, uint32_t task, int64_t from, int64_t to)
{
	const struct pyramid *p = sched_task(why->sched, task);
	int64_t first = p->nr_chunks ? p->first : to;

	if (first > to)
		return;			/* nothing is known of it there */
	why_add(why, task, first > from ? first : from, to);
	why_work(why, INT64_MAX);
}

void why_free(struct why *why)
{
	if (!why)
		return;
	name_table_free(why->sleeps);
	free(why->locks);
	index_map_fini(&why->lock_map);
	free(why->parts);
	culprits_fini(&why->nodes);
	free(why);
}

const struct why_part *why_parts(const struct why *why, uint32_t *nr)
{
	*nr = why->nr_parts;
	return why->parts;
}

/* --- the tree ------------------------------------------------------------------------------- */

static int by_parent(const void *a, const void *b)
{
	const struct why_node *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->kind == WHY_HELD || y->kind == WHY_HELD)
		return x->kind != y->kind ? (x->kind == WHY_HELD ? -1 : 1) :
					    (x->arg < y->arg ? -1 : 1);
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->arg < y->arg ? -1 : x->arg > y->arg;
}

/* Copy a node and those below it.  @sorted: [nr], by_parent(). */
static struct why_node *copy_tree(const struct why_node *sorted, uint32_t nr,
				  const struct why_node *node, uint8_t depth, struct why_node *out)
{
	*out = *node;
	out++->depth = depth;
	for (uint32_t i = bisect(nr, k, sorted[k].parent < node->index);
	     i < nr && sorted[i].parent == node->index; i++)
		out = copy_tree(sorted, nr, &sorted[i], depth + 1, out);
	return out;
}

struct why_node *why_tree(const struct why *why, uint32_t *nr)
{
	const struct culprits *n = &why->nodes;
	struct why_node *tree = mem_array(n->nr, sizeof(*tree)),
			*sorted = mem_array(n->nr, sizeof(*sorted));

	*nr = n->nr;
	memcpy(sorted, n->list, *nr * sizeof(*sorted));
	qsort(sorted, *nr, sizeof(*sorted), by_parent);
	/* the first node has no parent, and comes last */
	copy_tree(sorted, *nr - 1, &n->list[0], 0, tree);
	for (uint32_t i = 1; i < *nr; i++)
		if (tree[i].depth == 1 && !why_is_lived(&tree[i]))
			tree[0].total -= tree[i].total;
	tree[0].max = tree[0].total < tree[0].max ? tree[0].total : tree[0].max;
	free(sorted);
	return tree;
}

/* --- sums ----------------------------------------------------------------------------------- */

/* Did a wait that is summed begin with a preemption?  The nodes of the tree know. */
static bool is_preempted(const struct why *why, const struct why_node *sum)
{
	for (uint32_t i = 0; i < why->nodes.nr; i++) {
		const struct why_node *node = &why->nodes.list[i];

		if (node->preempted && node->kind == sum->kind && node->task == sum->task &&
		    node->arg == sum->arg)
			return true;
	}
	return false;
}

struct why_node *why_sums(const struct why *why, uint32_t *nr)
{
	struct culprits sums = { 0 };

	for (uint32_t i = 0; i < why->nr_parts; i++) {
		const struct why_part *part = &why->parts[i];
		struct why_node *node = culprits_node(&sums, part->task, part->kind, part->task,
						      part->arg);

		culprits_hold(&sums, node, part->from, part->to, part->kind == WHY_BEHIND,
			      part->kind == WHY_INTERRUPT);
		node->doubtful |= part->doubtful;
		node->late |= part->late;
	}
	for (uint32_t i = 0; i < sums.nr; i++)
		if (sums.list[i].kind == WHY_IDLE)
			sums.list[i].preempted = is_preempted(why, &sums.list[i]);
	culprits_sort(&sums);
	*nr = sums.nr;
	return sums.list;
}

int why_held_of(const struct why *why, const struct why_node *node)
{
	const struct why_node *of = node->kind == WHY_HELD       ? node :
				    node->parent < why->nodes.nr ? &why->nodes.list[node->parent] :
								   NULL;

	return of && of->kind == WHY_HELD ? (int)of->arg : -1;
}

bool why_is_lived(const struct why_node *node)
{
	return node->kind != WHY_UNCREATED && node->kind != WHY_GONE;
}

/* --- words ---------------------------------------------------------------------------------- */

static const char *const held_names[WHY_NR_HELD] = {
	[WHY_HELD_WAITS] = "wait", [WHY_HELD_BLOCKED] = "blocked", [WHY_HELD_SLEEPS] = "sleep",
};

const char *why_held_name(enum why_held held)
{
	return held_names[held];
}

/* The task that a part is about; SCHED_NO_TASK: all, or it is about none. */
static uint32_t task_of(const struct why *why, enum why_kind kind, uint32_t arg)
{
	if (kind == WHY_HOLDER || kind == WHY_DEADLOCK)
		return why_holder(why, arg);
	return kind == WHY_BEHIND || kind == WHY_WITH || kind == WHY_TASK ? arg : SCHED_NO_TASK;
}

static void add_text(const struct why *why, enum why_kind kind, uint32_t arg, int64_t ts,
		     enum sched_naming naming, struct text *out)
{
	static const char *const words[] = {
		[WHY_UNKNOWN] = "unknown", [WHY_RUNS] = "runs", [WHY_BEHIND] = "behind ",
		[WHY_IDLE] = "idle", [WHY_DEADLOCK] = "deadlock with ", [WHY_TASK] = "",
		[WHY_UNEXPLAINED] = "idle (not explained)",
	};
	static const uint8_t verdicts[] = {
		[WHY_WAITS] = VERDICT_NO_QUEUE, [WHY_WITH] = VERDICT_WITH,
		[WHY_HOLDER] = VERDICT_HOLDER, [WHY_GONE] = VERDICT_GONE,
		[WHY_UNCREATED] = VERDICT_UNCREATED,
	};
	uint32_t task = task_of(why, kind, arg);
	const struct sched *sched = why->sched;
	struct text name = { 0 };

	if (task != SCHED_NO_TASK)
		sched_task_text(sched, task, ts, naming, &name);
	else if (kind == WHY_TASK)
		text_add(&name, "all tasks");
	if (kind == WHY_HELD)
		text_add(out, held_names[arg]);
	else if (kind == WHY_ASLEEP)
		text_add(out, name_table_text(why->sleeps, arg));
	else if (kind == WHY_UNKNOWN && arg)
		text_add(out, sched_absence_name(arg));
	else if (kind == WHY_THROTTLED)
		sched_limits_text(sched_pass_limits(sched_pass_of(sched)), arg, out);
	else if (words[kind])
		text_printf(out, "%s%s", words[kind], text_str(&name));
	else if (verdicts[kind])
		verdict_add(out, verdicts[kind], text_str(&name));
	else
		sched_source_text(sched_trace(sched), sched_pass_of(sched), sched_file(sched),
				  sched_source_of(sched, arg), out);
	text_fini(&name);
}

void why_text(const struct why *why, enum why_kind kind, uint32_t arg, int64_t ts, struct text *out)
{
	add_text(why, kind, arg, ts, SCHED_THEN, out);
}

void why_sum_text(const struct why *why, const struct why_node *node, struct text *out)
{
	add_text(why, (enum why_kind)node->kind, node->arg, node->max_from, SCHED_LAST, out);
}

/* A part that is told as a sum has no count. */
static enum sched_naming naming_of(const struct why_node *node)
{
	return node->count ? SCHED_LAST_WAS : SCHED_THEN_NOW;
}

/* "an interrupt", "a softirq" where the source has no name of its own. */
static void add_waker(const struct why *why, const struct why_node *node, int64_t ts,
		      struct text *out)
{
	struct text waker = { 0 };

	add_text(why, (enum why_kind)node->kind, node->arg, ts, naming_of(node), &waker);
	if (node->kind == WHY_UNTIL && !strchr(text_str(&waker), ' '))
		text_add(out, text_str(&waker)[0] == 's' ? "a " : "an ");
	text_add(out, text_str(&waker));
	text_fini(&waker);
}

/* Whom a part is about: "kworker-12", "irq eth0", "an interrupt". */
static void add_name(const struct why *why, const struct why_node *node, int64_t ts,
		     struct text *out)
{
	bool is_task = node->kind == WHY_BEHIND;

	if (node->kind == WHY_UNTIL || node->kind == WHY_TASK)
		add_waker(why, node, ts, out);
	else if (node->kind == WHY_HOLDER || node->kind == WHY_DEADLOCK)
		sched_task_text(why->sched, why_holder(why, node->arg), ts, naming_of(node), out);
	else
		add_text(why, is_task ? WHY_TASK : (enum why_kind)node->kind, node->arg, ts,
			 naming_of(node), out);
}

/* Nothing tells whether a task or an interrupt on top of it woke another one. */
static bool lacks_flags(const struct why *why)
{
	return sched_pass_types(sched_pass_of(why->sched))->lacks_flags;
}

void why_node_text(const struct why *why, const struct why_node *node, int64_t ts, struct text *out)
{
	static const enum verdict held[WHY_NR_HELD] = {
		[WHY_HELD_WAITS] = VERDICT_HELD_WAITS,
		[WHY_HELD_BLOCKED] = VERDICT_HELD_BLOCKED,
		[WHY_HELD_SLEEPS] = VERDICT_HELD_SLEEPS,
	};
	enum why_kind kind = (enum why_kind)node->kind;
	bool has_lock = (kind == WHY_HOLDER || kind == WHY_DEADLOCK) && why->locks[node->arg].name;
	struct text name = { 0 };

	add_name(why, node, ts, &name);
	if (kind == WHY_TASK && node->depth && lacks_flags(why))
		text_printf(&name, " (%s)", verdict_words(VERDICT_NO_CONTEXT, false));
	if (kind == WHY_HELD)
		verdict_add(out, held[node->arg]);
	else if (kind == WHY_IDLE)
		verdict_add(out, node->preempted ? VERDICT_CPU_IDLE : VERDICT_STILL_IDLE);
	else if (kind == WHY_UNEXPLAINED)
		verdict_add(out, VERDICT_UNEXPLAINED);
	else if (kind == WHY_UNKNOWN)
		text_add(out, sched_absence_name(node->arg));
	else if (has_lock)
		verdict_add(out, kind == WHY_DEADLOCK ? VERDICT_DEADLOCK : VERDICT_LOCK,
			    name_table_text(why->sleeps, why->locks[node->arg].name),
			    text_str(&name));
	else if (kind == WHY_UNTIL || (kind == WHY_TASK && node->depth))
		verdict_add(out, VERDICT_UNTIL, text_str(&name));
	else if (kind == WHY_BEHIND || kind == WHY_INTERRUPT)
		verdict_add(out, VERDICT_BEHIND, text_str(&name));
	else if (kind == WHY_INTERRUPTED)
		verdict_add(out, VERDICT_INTERRUPTED, text_str(&name));
	else
		add_text(why, kind, node->arg, ts, naming_of(node), out);
	text_fini(&name);
}
