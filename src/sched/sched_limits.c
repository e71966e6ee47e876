/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/sched/limit_stretches.h"

#define LIMITS_MAX	65536u		/* groups */
#define LANES_MAX	(1u << 22)	/* groups x CPUs */
#define MOST_ERROR	0.3		/* of what adds up: else it is not that */
#define PERIOD_TIMER	"sched_cfs_period_timer"

struct limit {
	const char	*path;		/* interned */
	size_t		 len;
	uint64_t	 id;		/* the kernel's number; 0: not known */
	uint32_t	 most_depth;	/* limits: its own, and those of groups above it */
	struct who_cgroup_state *states;	/* owned, [nr_states]: looks at it */
	uint32_t	 nr_states;
	uint32_t	 timer;		/* its own; SCHED_NO_LIMIT: not known */
	double		 error;		/* see error_of() */
};

struct waiter {
	uint32_t	task, pid;
	int64_t		since;
};

/* A group on a CPU. */
struct limit_lane {
	uint32_t	limit;
	bool		runs;		/* one of its tasks does, there */
	int64_t		gap;		/* since when none does, and one waits; SCHED_NO_END */
	uint32_t	depth;		/* how often it was throttled: by its own limit, and by
					 * that of each group above; 0: it is not */
	int64_t		throttled;	/* since then */
	bool		is_assumed;	/* that it is, though others may be, instead */
	struct waiter	*waiters;	/* owned, [nr] */
	uint32_t	 nr, cap;
};

/* A task waited from one time to the other, and no task of its group ran on that CPU. */
struct gap {
	uint32_t	limit, cpu, pid;	/* cpu: its index */
	int64_t		from, to;
};

struct gap_list {
	struct gap	*gaps;		/* owned, [nr] */
	uint32_t	nr, cap;
};

struct timer {
	uint32_t	 id;		/* sched_rec.common_pid */
	int64_t		*ts;		/* owned, [nr]: when it expired */
	uint32_t	 nr, cap;
	bool		 has_owner;
};

struct vote {				/* a timer let a task of a group run */
	uint32_t	timer, limit;
};

struct limit_chain {			/* the limits above tasks in a group, the lowest last */
	const char	*path;		/* interned; of the group */
	uint32_t	 first, nr;	/* in sched_limits.chained */
};

struct limit_task {
	int32_t		cpu;		/* where it runs or waits; -1: it does neither */
	bool		runs;
	bool		leaves;		/* the CPU, next: see SCHED_LIMIT_TAKES */
	bool		is_taken;	/* it did, for a limit */
	uint32_t	chain;
	int64_t		from, to;	/* then it is in that chain; from > to: not known */
};

struct sched_limits {
	struct trace	*trace;		/* borrowed */
	unsigned int	 file;
	struct sched_listener listener;
	struct sched_pass *pass;	/* owned */
	struct limit	*limits;	/* owned, [nr_limits] by path, so that groups come first */
	uint32_t	 nr_limits, cap_limits;
	struct limit_chain	*chains;	/* owned, [nr_chains] */
	uint32_t	 nr_chains, cap_chains;
	uint32_t	*chained;	/* owned, [nr_chained]: limits */
	uint32_t	 nr_chained, cap_chained;
	struct limit_lane	*lanes;		/* owned, [nr_limits][nr_cpus] */
	unsigned int	 nr_cpus;
	struct limit_task *tasks;	/* owned, [nr_tasks] */
	uint32_t	 nr_tasks;
	struct timer	*timers;	/* owned, [nr_timers] */
	uint32_t	 nr_timers, cap_timers;
	struct vote	*votes;		/* owned, [nr_votes] */
	uint32_t	 nr_votes, cap_votes;
	struct gap	*gaps;		/* owned, [nr_gaps] */
	uint32_t	 nr_gaps, cap_gaps;
	int64_t		 expired;	/* when the last timer did */
	uint64_t	 function;	/* of the last timer; is it the one of periods? */
	bool		 is_period;
	bool		 is_exact;	/* the kernel's probes tell */
	bool		 by_task;	/* and tasks run until SCHED_LIMIT_TAKES */
	struct limit_stretch	*stretches;	/* owned, [nr_stretches] */
	uint32_t	 nr_stretches, cap_stretches;
	struct sched_limit_edge *edges;	/* owned, [nr_edges] */
	uint32_t	 nr_edges;
	bool		 done;
};

/* --- which limits a task has ---------------------------------------------------------------- */

static bool is_below(const char *path, const struct limit *limit)
{
	return !strncmp(path, limit->path, limit->len) &&
	       (!path[limit->len] || path[limit->len] == '/');
}

/* Is there a limit of a group in this one? */
static bool has_inner(const struct sched_limits *l, uint32_t limit)
{
	return limit + 1 < l->nr_limits && is_below(l->limits[limit + 1].path, &l->limits[limit]);
}

static uint32_t chain_of(struct sched_limits *l, const char *path)
{
	for (uint32_t i = 0; i < l->nr_chains; i++)
		if (l->chains[i].path == path)
			return i;
	mem_grow(&l->chains, l->nr_chains, &l->cap_chains);
	l->chains[l->nr_chains] = (struct limit_chain){ .path = path, .first = l->nr_chained };
	for (uint32_t i = 0; path && i < l->nr_limits; i++) {
		if (!is_below(path, &l->limits[i]))
			continue;
		mem_grow(&l->chained, l->nr_chained, &l->cap_chained);
		l->chained[l->nr_chained++] = i;
	}
	l->chains[l->nr_chains].nr = l->nr_chained - l->chains[l->nr_chains].first;
	return l->nr_chains++;
}

static struct limit_task *task_at(struct sched_limits *l, uint32_t task)
{
	if (task >= l->nr_tasks) {
		uint32_t nr = l->nr_tasks;

		mem_reach(&l->tasks, &l->nr_tasks, task);
		for (; nr < l->nr_tasks; nr++)
			l->tasks[nr] = (struct limit_task){ .cpu = -1, .from = 1, .to = 0 };
	}
	return &l->tasks[task];
}

static void find_chain(struct sched_limits *l, struct limit_task *t, uint32_t pid, int64_t ts)
{
	struct who who;

	if (t->from <= ts && ts <= t->to)
		return;
	if (!trace_who(l->trace, l->file, (int)pid, ts, &who, &t->from, &t->to)) {
		who.cgroup = NULL;
		t->from = t->to = ts;
	}
	t->chain = chain_of(l, who.cgroup);
}

static struct limit_lane *lane_of(const struct sched_limits *l, const struct limit_task *t,
				  uint32_t i)
{
	uint32_t limit = l->chained[l->chains[t->chain].first + i];

	return &l->lanes[limit * l->nr_cpus + (uint32_t)t->cpu];
}

/* --- what probes tell -------------------------------------------------------------------- */

static void keep_stretch(struct sched_limits *l, const struct limit_lane *lane,
			 const struct waiter *w, int64_t to, bool doubtful)
{
	struct limit_stretch stretch = { .pid = w->pid, .limit = lane->limit, .to = to,
					 .from = w->since > lane->throttled ? w->since :
									      lane->throttled,
					 .doubtful = doubtful || lane->is_assumed };

	if (!lane->depth || stretch.from >= to || (l->by_task && !l->tasks[w->task].is_taken))
		return;
	mem_grow(&l->stretches, l->nr_stretches, &l->cap_stretches);
	l->stretches[l->nr_stretches++] = stretch;
}

/* Is a limit above it used up, where it is? */
static bool is_throttled(const struct sched_limits *l, const struct limit_task *t)
{
	for (uint32_t i = 0; t->cpu >= 0 && i < l->chains[t->chain].nr; i++)
		if (lane_of(l, t, i)->depth)
			return true;
	return false;
}

static void end_throttled(struct sched_limits *l, struct limit_lane *lane, int64_t ts,
			  bool doubtful)
{
	for (uint32_t i = 0; i < lane->nr; i++)
		keep_stretch(l, lane, &lane->waiters[i], ts, doubtful);
	lane->depth = 0;
	lane->is_assumed = false;
	for (uint32_t i = 0; i < lane->nr; i++) {
		struct limit_task *t = &l->tasks[lane->waiters[i].task];

		t->is_taken &= is_throttled(l, t);
	}
}

/* --- gaps ------------------------------------------------------------------------------------- */

static void keep_vote(struct sched_limits *l, uint32_t timer, uint32_t limit)
{
	uint32_t i = 0;

	while (i < l->nr_votes && (l->votes[i].timer != timer || l->votes[i].limit != limit))
		i++;
	if (i < l->nr_votes)
		return;
	mem_grow(&l->votes, l->nr_votes, &l->cap_votes);
	l->votes[l->nr_votes++] = (struct vote){ timer, limit };
}

/* Which timer let a task of the lane run: the one that expired last. */
static void vote(struct sched_limits *l, const struct limit_lane *lane)
{
	struct timer *last = NULL;

	for (uint32_t i = 0; i < l->nr_timers; i++) {
		struct timer *t = &l->timers[i];

		if (t->nr && t->ts[t->nr - 1] > lane->gap &&
		    (!last || t->ts[t->nr - 1] > last->ts[last->nr - 1]))
			last = t;
	}
	if (!last)
		return;
	keep_vote(l, (uint32_t)(last - l->timers), lane->limit);
}

/* A task of the group runs there again. */
static void close_gap(struct sched_limits *l, struct limit_lane *lane, int64_t ts)
{
	if (lane->gap == SCHED_NO_END)
		return;
	if (l->expired > lane->gap)
		vote(l, lane);
	for (uint32_t i = 0; i < lane->nr; i++) {
		const struct waiter *w = &lane->waiters[i];
		int64_t from = w->since > lane->gap ? w->since : lane->gap;

		if (l->expired <= from)
			continue;
		mem_grow(&l->gaps, l->nr_gaps, &l->cap_gaps);
		l->gaps[l->nr_gaps++] = (struct gap){
			.limit = lane->limit, .pid = w->pid, .from = from, .to = ts,
			.cpu = (uint32_t)(lane - l->lanes) % l->nr_cpus,
		};
	}
	lane->gap = SCHED_NO_END;
}

static void see_gap(const struct sched_limits *l, struct limit_lane *lane, int64_t ts)
{
	if (l->is_exact || lane->runs || !lane->nr)
		lane->gap = SCHED_NO_END;
	else if (lane->gap == SCHED_NO_END)
		lane->gap = ts;
}

/* It runs no more, or waits no more.  @doubtful: if it was throttled, that ended before. */
static void leave(struct sched_limits *l, uint32_t task, struct limit_task *t, int64_t ts,
		  bool doubtful)
{
	for (uint32_t i = 0; t->cpu >= 0 && i < l->chains[t->chain].nr; i++) {
		struct limit_lane *lane = lane_of(l, t, i);
		uint32_t k = 0;

		if (t->runs)
			lane->runs = false;
		while (k < lane->nr && lane->waiters[k].task != task)
			k++;
		if (k < lane->nr) {
			keep_stretch(l, lane, &lane->waiters[k], ts, doubtful);
			lane->waiters[k] = lane->waiters[--lane->nr];
		}
		see_gap(l, lane, ts);
	}
	t->cpu = -1;
	t->runs = false;
}

static void enter(struct sched_limits *l, uint32_t task, struct limit_task *t, int32_t cpu,
		  bool runs, int64_t ts)
{
	const struct sched_task *known = sched_rules_task(sched_pass_rules(l->pass), task);

	if (cpu < 0 || (unsigned int)cpu >= l->nr_cpus ||
	    (l->is_exact && known->prio < SCHED_FIRST_FAIR))
		return;
	find_chain(l, t, known->pid, ts);
	t->cpu = cpu;
	t->runs = runs;
	for (uint32_t i = 0; i < l->chains[t->chain].nr; i++) {
		struct limit_lane *lane = lane_of(l, t, i);

		if (runs) {
			/*
			 * So its limits are not used up: it was not recorded when that ended, as
			 * happens while the recorder itself has the CPU.
			 */
			if (t->is_taken || !l->by_task)
				end_throttled(l, lane, ts, true);
			close_gap(l, lane, ts);
			lane->runs = true;
		} else {
			mem_grow(&lane->waiters, lane->nr, &lane->cap);
			lane->waiters[lane->nr++] = (struct waiter){ task, known->pid, ts };
		}
		see_gap(l, lane, ts);
	}
}

/*
 * A task leaves its CPU for a limit.  If none is known to be used up, that was not recorded: as
 * most often it is that of the highest group, which is only sure if no other has one.
 */
static void take_task(struct sched_limits *l, uint32_t task, unsigned int cpu, int64_t ts)
{
	struct limit_task *t = task < l->nr_tasks ? &l->tasks[task] : NULL;

	if (!t || t->cpu != (int32_t)cpu || !t->runs)
		return;
	if (!is_throttled(l, t) && l->chains[t->chain].nr) {
		struct limit_lane *lane = lane_of(l, t, 0);

		lane->depth = 1;
		lane->throttled = ts;
		lane->is_assumed = l->chains[t->chain].nr > 1;
	}
	t->leaves = is_throttled(l, t);
}

static void take_limit_record(struct sched_limits *l, unsigned int on, const struct sched_rec *rec)
{
	int32_t cpu = sched_pass_cpu_index(l->pass, rec->cpu);

	if (rec->detail == SCHED_LIMIT_TAKES) {
		take_task(l, sched_rules_find(sched_pass_rules(l->pass), rec->pid, rec->ts), on,
			  rec->ts);
		return;
	}
	for (uint32_t i = 0; cpu >= 0 && (unsigned int)cpu < l->nr_cpus && i < l->nr_limits; i++) {
		struct limit_lane *lane = &l->lanes[i * l->nr_cpus + (uint32_t)cpu];

		if (l->limits[i].id != (uint64_t)rec->end)
			continue;
		if (rec->detail == SCHED_LIMIT_BEGINS) {
			if (!lane->depth)
				lane->throttled = rec->ts;
			if (lane->depth < l->limits[i].most_depth)
				lane->depth++;
		} else if (lane->depth == 1) {
			end_throttled(l, lane, rec->ts, false);
		} else if (lane->depth) {
			lane->depth--;
		}
	}
}

/* --- what becomes of tasks ---------------------------------------------------------------- */

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct sched_limits *l = arg;
	const struct sched_task *known = sched_rules_task(sched_pass_rules(l->pass), task);
	struct limit_task *t = task_at(l, task);
	bool runs = c->state == SCHED_RUNS, leaves = t->leaves && c->state == SCHED_PREEMPTED;

	/* its own wait ends, too */
	if (runs && t->cpu == c->cpu && !t->runs && !c->dropped)
		for (uint32_t i = 0; i < l->chains[t->chain].nr; i++)
			close_gap(l, lane_of(l, t, i), c->ts);
	leave(l, task, t, c->ts, runs || c->dropped);
	if (runs || c->state == SCHED_PREEMPTED)
		enter(l, task, t, c->cpu, runs, c->ts);
	else if (c->state == SCHED_WAITS)
		enter(l, task, t, known->last_cpu, false, c->ts);
	t->leaves = false;
	t->is_taken = leaves && is_throttled(l, t);
}

static void on_moved(void *arg, uint32_t task, int32_t cpu, int64_t ts)
{
	struct sched_limits *l = arg;
	struct limit_task *t = task_at(l, task);

	leave(l, task, t, ts, false);
	enter(l, task, t, cpu, false, ts);
	t->is_taken &= is_throttled(l, t);
}

/* --- timers ----------------------------------------------------------------------------------- */

static bool is_period_timer(struct sched_limits *l, uint64_t function)
{
	uint64_t offset;
	const char *name;

	if (function == l->function)
		return l->is_period;
	name = trace_symbol(l->trace, l->file, function, &offset);
	l->function = function;
	l->is_period = name && !strcmp(name, PERIOD_TIMER);
	return l->is_period;
}

static void on_other(void *arg, unsigned int cpu, const struct sched_rec *rec)
{
	struct sched_limits *l = arg;
	struct timer *t;
	uint32_t i = 0;

	if (rec->op == SCHED_LIMIT && l->is_exact)
		take_limit_record(l, cpu, rec);
	if ((rec->op != SCHED_ENTER && rec->op != SCHED_EXPIRED) ||
	    rec->detail != SCHED_CONTEXT_TIMER || !is_period_timer(l, (uint64_t)rec->end))
		return;
	while (i < l->nr_timers && l->timers[i].id != rec->common_pid)
		i++;
	if (i == l->nr_timers) {
		mem_grow(&l->timers, l->nr_timers, &l->cap_timers);
		l->timers[l->nr_timers++] = (struct timer){ .id = rec->common_pid };
	}
	t = &l->timers[i];
	if (t->nr && t->ts[t->nr - 1] >= rec->ts)
		return;
	l->expired = rec->ts;
	mem_grow(&t->ts, t->nr, &t->cap);
	t->ts[t->nr++] = rec->ts;
}

/* --- at the end: whose timer it is, and when it was waited for ------------------------------- */

struct period {				/* up to an expiry of a timer */
	uint32_t	nr;		/* its number */
	int64_t		waited;		/* by all tasks together */
	bool		counts;
};

static int by_waited(const void *a, const void *b)
{
	const struct period *const *x = a, *const *y = b;

	return (*x)->waited > (*y)->waited ? -1 :
	       (*x)->waited < (*y)->waited ? 1 :
	       (*x)->nr < (*y)->nr         ? -1 :
					     (*x)->nr > (*y)->nr;
}

/* As many periods as the kernel has counted between two looks: those in which most was waited. */
static void choose(const struct limit *limit, const struct timer *timer, struct period *periods)
{
	struct period **list = mem_array(timer->nr + 1, sizeof(struct period *));

	for (uint32_t i = 0; i + 1 < limit->nr_states; i++) {
		const struct who_cgroup_state *from = &limit->states[i], *to = from + 1;
		int64_t counted = to->throttled - from->throttled;
		uint32_t nr = 0;

		for (uint32_t k = bisect(timer->nr, n, timer->ts[n] <= from->ts);
		     k < timer->nr && timer->ts[k] <= to->ts; k++)
			if (periods[k].waited)
				list[nr++] = &periods[k];
		if (nr)
			qsort(list, nr, sizeof(struct period *), by_waited);
		for (uint32_t k = 0; k < nr && k < counted; k++)
			list[k]->counts = true;
	}
	free(list);
}

/* A part of a gap lies in a period. */
static int64_t begin_in(const struct gap *gap, const struct timer *timer, uint32_t period)
{
	return period && timer->ts[period - 1] > gap->from ? timer->ts[period - 1] : gap->from;
}

static void add_stretches(struct sched_limits *l, const struct gap *gap, const struct timer *timer,
			  const struct period *periods)
{
	bool is_open = false;
	uint32_t i = bisect(timer->nr, n, timer->ts[n] <= gap->from);

	for (; i < timer->nr && timer->ts[i] <= gap->to; i++) {
		if (periods[i].counts && !is_open) {
			mem_grow(&l->stretches, l->nr_stretches, &l->cap_stretches);
			l->stretches[l->nr_stretches++] = (struct limit_stretch){
				.pid = gap->pid, .limit = gap->limit,
				.from = begin_in(gap, timer, i), .doubtful = true
			};
		}
		is_open = periods[i].counts;
		if (is_open)
			l->stretches[l->nr_stretches - 1].to = timer->ts[i];
	}
}

static int by_lane(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	return x->limit < y->limit ? -1 :
	       x->limit > y->limit ? 1 :
	       x->cpu < y->cpu     ? -1 :
	       x->cpu > y->cpu     ? 1 :
	       x->from < y->from   ? -1 :
	       x->from > y->from   ? 1 :
	       x->pid < y->pid     ? -1 :
				     x->pid > y->pid;
}

static void keep_gap(struct gap_list *list, struct gap gap, int64_t from, int64_t to)
{
	if (from >= to)
		return;
	gap.from = from;
	gap.to = to;
	mem_grow(&list->gaps, list->nr, &list->cap);
	list->gaps[list->nr++] = gap;
}

/*
 * The gaps of a group, by CPU, without what limits of groups in it explain: tasks that these
 * throttle are not in its queue.  Stretches so far are sorted by task.
 */
static struct gap_list gaps_of(const struct sched_limits *l, uint32_t limit)
{
	uint32_t i = bisect(l->nr_gaps, n, l->gaps[n].limit < limit);
	struct gap_list list = { 0 };

	for (; i < l->nr_gaps && l->gaps[i].limit == limit; i++) {
		const struct gap *gap = &l->gaps[i];
		int64_t from = gap->from;
		uint32_t k = bisect(l->nr_stretches, n,
				    l->stretches[n].pid < gap->pid ||
					    (l->stretches[n].pid == gap->pid &&
					     l->stretches[n].to <= gap->from));

		for (; k < l->nr_stretches && l->stretches[k].pid == gap->pid &&
		       l->stretches[k].from < gap->to && has_inner(l, limit);
		     k++) {
			keep_gap(&list, *gap, from, l->stretches[k].from);
			from = l->stretches[k].to > from ? l->stretches[k].to : from;
		}
		keep_gap(&list, *gap, from, gap->to);
	}
	if (list.nr)
		qsort(list.gaps, list.nr, sizeof(*list.gaps), by_lane);
	return list;
}

/* In which periods of a timer tasks of a group were throttled, if it is theirs. */
static struct period *find_periods(const struct sched_limits *l, const struct gap_list *list,
				   uint32_t limit, const struct timer *timer)
{
	struct period *periods = mem_array(timer->nr + 1, sizeof(*periods));
	int64_t until = INT64_MIN;

	for (uint32_t i = 0; i < timer->nr; i++)
		periods[i].nr = i;
	for (uint32_t k = 0; k < list->nr; k++) {
		struct gap gap = list->gaps[k];
		uint32_t i;

		/* a CPU counts once, however many wait for it */
		if (!k || gap.cpu != list->gaps[k - 1].cpu)
			until = INT64_MIN;
		gap.from = gap.from > until ? gap.from : until;
		until = gap.to > until ? gap.to : until;
		i = bisect(timer->nr, n, timer->ts[n] <= gap.from);
		for (; i < timer->nr && timer->ts[i] <= gap.to; i++)
			periods[i].waited += timer->ts[i] - begin_in(&gap, timer, i);
	}
	choose(&l->limits[limit], timer, periods);
	return periods;
}

/*
 * How far off the kernel's sum is what adds up, as a part of that: below 0, if it is less, which
 * blames nobody.
 */
static double error_of(const struct limit *limit, const struct timer *timer,
		       const struct period *periods)
{
	double sum = 0, counted = 1e3 * (double)(limit->states[limit->nr_states - 1].throttled_us -
						 limit->states[0].throttled_us);

	for (uint32_t i = 0; i < timer->nr; i++)
		sum += periods[i].counts ? (double)periods[i].waited : 0;
	return counted > 0 ? (sum - counted) / counted : MOST_ERROR;
}

/*
 * A timer lets tasks of its group run, and so those of the groups above it: a group's timer is the
 * one for which the most likely periods add up to what the kernel has counted.
 */
static void tell_limit(struct sched_limits *l, uint32_t limit)
{
	struct gap_list list = gaps_of(l, limit);
	struct period *best = NULL;

	for (uint32_t i = 0; i < l->nr_votes; i++) {
		uint32_t timer = l->votes[i].timer;
		struct period *periods;
		double error;

		if (l->votes[i].limit != limit || l->timers[timer].has_owner)
			continue;
		periods = find_periods(l, &list, limit, &l->timers[timer]);
		error = error_of(&l->limits[limit], &l->timers[timer], periods);
		if (error > -1 && error < MOST_ERROR &&
		    (!best || fabs(error) < fabs(l->limits[limit].error))) {
			struct period *worse = best;

			l->limits[limit].error = error;
			best = periods;
			periods = worse;
			l->limits[limit].timer = timer;
		}
		free(periods);
	}
	for (uint32_t k = 0; best && k < list.nr; k++)
		add_stretches(l, &list.gaps[k], &l->timers[l->limits[limit].timer], best);
	if (best)
		l->timers[l->limits[limit].timer].has_owner = true;
	free(best);
	free(list.gaps);
}

static void finish(struct sched_limits *l)
{
	if (l->nr_gaps)
		qsort(l->gaps, l->nr_gaps, sizeof(*l->gaps), by_lane);
	/* groups that are in others come after these */
	for (uint32_t i = l->nr_limits; i-- > 0 && !l->is_exact;) {
		if (has_inner(l, i))
			limit_stretches_sort(l->stretches, l->nr_stretches);
		tell_limit(l, i);
	}
	l->edges = limit_stretches_edges(l->stretches, l->nr_stretches, &l->nr_edges);
	l->done = true;
}

/* --- its life --------------------------------------------------------------------------------- */

/* @is_exact: the kernel's probes tell when it is used up; else its counters must. */
static bool is_told(const struct who_cgroup *c, bool is_exact)
{
	bool is_limited = false;

	for (uint32_t i = 0; i < c->nr; i++)
		is_limited |= c->states[i].quota_us > 0;
	return is_limited &&
	       (is_exact || who_cgroup_growth(c, c->first.throttled, c->last.throttled) > 0);
}

struct limit_search {
	bool	is_exact, found;
};

static void see_limit(void *arg, const struct who_cgroup *c)
{
	struct limit_search *search = arg;

	search->found |= is_told(c, search->is_exact);
}

/* Of the events that the file describes: its records need not be read. */
static bool has_probe(struct trace *trace, unsigned int file, const char *name)
{
	return event_types_by_name(trace_event_types(trace, file), "limits", name);
}

bool sched_limits_are_told(struct trace *trace, unsigned int file)
{
	struct limit_search search = { .is_exact = has_probe(trace, file, "throttle_group") };

	trace_cgroups(trace, file, see_limit, &search);
	return search.found;
}

static void take_limit(void *arg, const struct who_cgroup *c)
{
	struct sched_limits *l = arg;

	if (!is_told(c, l->is_exact) || l->nr_limits == LIMITS_MAX)
		return;
	mem_grow(&l->limits, l->nr_limits, &l->cap_limits);
	l->limits[l->nr_limits++] = (struct limit){
		.path = c->path, .len = strlen(c->path), .id = c->id, .timer = SCHED_NO_LIMIT,
		.states = mem_copy(c->states, c->nr, sizeof(*c->states)), .nr_states = c->nr
	};
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct limit *)a)->path, ((const struct limit *)b)->path);
}

static void free_lanes(struct sched_limits *l)
{
	for (uint32_t i = 0; l->lanes && i < l->nr_limits * l->nr_cpus; i++)
		free(l->lanes[i].waiters);
	free(l->lanes);
	free(l->tasks);
	l->lanes = NULL;
	l->tasks = NULL;
	l->nr_tasks = 0;
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct sched_limits *l = arg;

	free_lanes(l);
	l->nr_cpus = sched_pass_nr_cpus(pass);
	if (l->nr_cpus > LANES_MAX / l->nr_limits)
		l->nr_cpus = LANES_MAX / l->nr_limits;
	l->lanes = mem_array(l->nr_limits * l->nr_cpus + 1, sizeof(*l->lanes));
	for (uint32_t i = 0; i < l->nr_limits * l->nr_cpus; i++)
		l->lanes[i] = (struct limit_lane){ .limit = i / l->nr_cpus, .gap = SCHED_NO_END };
}

struct sched_limits *sched_limits_new(struct trace *trace, const struct sched_pass_options *options)
{
	struct sched_limits *l;
	struct sched_pass_options o;

	if (trace_status(trace).complete &&
	    ((!trace_has_event(trace, options->file, "hrtimer_expire_entry") &&
	      !trace_has_event(trace, options->file, "throttle_group")) ||
	     !trace_has_switches(trace, options->file)))
		return NULL;
	l = mem_alloc(sizeof(*l));
	l->trace = trace;
	l->file = options->file;
	l->is_exact = has_probe(trace, l->file, "throttle_group") &&
		      (!trace_status(trace).complete ||
		       trace_has_event(trace, l->file, "throttle_group"));
	l->by_task = has_probe(trace, l->file, "throttle_task");
	trace_cgroups(trace, options->file, take_limit, l);
	if (!l->nr_limits) {
		sched_limits_free(l);
		return NULL;
	}
	qsort(l->limits, l->nr_limits, sizeof(*l->limits), by_path);
	chain_of(l, NULL);
	for (uint32_t i = 0; i < l->nr_limits; i++)
		l->limits[i].most_depth = l->chains[chain_of(l, l->limits[i].path)].nr;
	l->listener = (struct sched_listener){ .task = on_task, .moved = on_moved,
					       .other = on_other, .arg = l };
	o = (struct sched_pass_options){ .file = options->file, .one_buffer = options->one_buffer,
					 .buffer = options->buffer, .no_sums = true,
					 .nameless = true, .interrupts = true,
					 .workers = options->workers, .stopped = options->stopped,
					 .listener = &l->listener, .begun = on_begun };
	l->pass = sched_pass_new(trace, &o);
	return l;
}

void sched_limits_free(struct sched_limits *l)
{
	if (!l)
		return;
	sched_pass_free(l->pass);
	free_lanes(l);
	for (uint32_t i = 0; i < l->nr_limits; i++)
		free(l->limits[i].states);
	for (uint32_t i = 0; i < l->nr_timers; i++)
		free(l->timers[i].ts);
	free(l->limits);
	free(l->timers);
	free(l->chains);
	free(l->chained);
	free(l->votes);
	free(l->gaps);
	free(l->stretches);
	free(l->edges);
	free(l);
}

enum sched_pass_state sched_limits_step(struct sched_limits *l, uint64_t records)
{
	enum sched_pass_state state = sched_pass_step(l->pass, records);

	if (state == SCHED_PASS_DONE && !l->done)
		finish(l);
	return state;
}

const struct sched_limit_edge *sched_limits_edges(const struct sched_limits *l, uint32_t *nr)
{
	*nr = l->nr_edges;
	return l->edges;
}

bool sched_limits_places(const struct sched_limits *l, const char *path)
{
	for (uint32_t i = 0; i < l->nr_limits; i++)
		if (l->limits[i].path == path)
			return l->is_exact ? l->limits[i].id != 0 :
					     l->limits[i].timer != SCHED_NO_LIMIT &&
						     l->limits[i].error > -MOST_ERROR;
	return false;
}

uint32_t sched_limits_nr(const struct sched_limits *l)
{
	return SCHED_LIMIT_GROUP + (l ? l->nr_limits : 0);
}

uint32_t sched_limits_of_timer(struct trace *trace, unsigned int file, uint64_t function)
{
	uint64_t offset;
	const char *name = trace_symbol(trace, file, function, &offset);

	return !name                                  ? SCHED_NO_LIMIT :
	       !strcmp(name, "dl_task_timer")         ? SCHED_LIMIT_BUDGET :
	       !strcmp(name, "sched_rt_period_timer") ? SCHED_LIMIT_REALTIME :
							SCHED_NO_LIMIT;
}

void sched_limits_text(const struct sched_limits *l, uint32_t limit, struct text *out)
{
	static const char *const words[] = {
		[SCHED_LIMIT_BUDGET] = "throttled (its deadline budget was used up)",
		[SCHED_LIMIT_REALTIME] = "throttled (real-time tasks had used up their time)",
		[SCHED_LIMIT_YIELD] = "gave the CPU away (sched_yield)",
	};
	const struct who_cgroup_state *last;
	const struct limit *of;

	if (limit < SCHED_LIMIT_GROUP) {
		text_add(out, words[limit]);
		return;
	}
	of = &l->limits[limit - SCHED_LIMIT_GROUP];
	last = &of->states[of->nr_states - 1];
	text_add(out, "throttled by ");
	text_printable(out, of->path, of->len);
	if (last->quota_us > 0 && last->period_us > 0)
		text_printf(out, " (%g ms of %g ms)", (double)last->quota_us / 1e3,
			    (double)last->period_us / 1e3);
}
