/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limit_periods - when groups were throttled, where no probe tells it: as their timers and counters
 * have it.  See sched_limits.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/sched/limits/sched_limits_private.h"

#define PERIOD_TIMER	"sched_cfs_period_timer"

/* Is there a limit of a group in this one? */
static bool has_inner(const struct sched_limits *l, uint32_t limit)
{
	return limit + 1 < l->nr_limits &&
	       sched_limits_hold(l->limits[limit].path, l->limits[limit + 1].path);
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

void limit_periods_close_gap(struct sched_limits *l, struct limit_lane *lane, int64_t ts)
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

void limit_periods_take(struct sched_limits *l, const struct sched_rec *rec)
{
	struct timer *t;
	uint32_t i = 0;

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

/* The last look at it before a time; 0: there may be none. */
static uint32_t last_look(const struct limit *limit, int64_t ts)
{
	uint32_t nr = bisect(limit->nr_states, n, limit->states[n].ts < ts);

	return nr - (nr > 0);
}

/* Of the periods that end between two times, those count in which most was waited. */
static void choose_most(const struct timer *timer, struct period *periods, int64_t from, int64_t to,
			int64_t most)
{
	uint32_t first = bisect(timer->nr, n, timer->ts[n] <= from),
		 end = bisect(timer->nr, n, timer->ts[n] <= to), nr = 0;
	struct period **list;

	if (first >= end || most <= 0)
		return;
	list = mem_array(end - first, sizeof(struct period *));
	for (uint32_t k = first; k < end; k++)
		if (periods[k].waited)
			list[nr++] = &periods[k];
	if (nr)
		qsort(list, nr, sizeof(struct period *), by_waited);
	for (uint32_t k = 0; k < nr && k < most; k++)
		list[k]->counts = true;
	free(list);
}

/*
 * As many as the kernel has counted between two looks.  What it has counted since the last one, a
 * recorder that goes on has still to tell: until then, as often as before.
 */
static void choose(const struct sched_limits *l, const struct limit *limit,
		   const struct timer *timer, struct period *periods)
{
	const struct who_cgroup_state *states = limit->states,
				      *last = &states[limit->nr_states - 1];
	int64_t to = time_after(limit->looked, LIMIT_LOOK);
	uint32_t nr;

	for (uint32_t i = 0; i + 1 < limit->nr_states; i++)
		choose_most(timer, periods, states[i].ts, states[i + 1].ts,
			    time_between(states[i].throttled, states[i + 1].throttled));
	if (!l->grows)
		return;
	nr = bisect(timer->nr, n, timer->ts[n] <= to) -
	     bisect(timer->nr, n, timer->ts[n] <= limit->looked);
	choose_most(timer, periods, last->ts, to, (int64_t)(limit->rate * nr + 0.5));
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
	choose(l, &l->limits[limit], timer, periods);
	return periods;
}

/*
 * How far off the kernel's sum is what adds up, as a part of that: below 0, if it is less, which
 * blames nobody.
 */
static double error_of(const struct limit *limit, const struct timer *timer,
		       const struct period *periods, double forgotten)
{
	double sum = forgotten,
	       counted = 1e3 *
			 (double)time_between(limit->first_us,
					      limit->states[limit->nr_states - 1].throttled_us);

	for (uint32_t i = 0; i < timer->nr && timer->ts[i] <= limit->looked; i++)
		sum += periods[i].counts ? (double)periods[i].waited : 0;
	return counted > 0 ? (sum - counted) / counted : MOST_ERROR;
}

/* What limit_periods_forget() keeps of periods before l->from.  Return: limit.chosen. */
static int64_t sum_before(const struct sched_limits *l, struct vote *vote,
			  const struct period *periods)
{
	const struct timer *timer = &l->timers[vote->timer];
	const struct limit *limit = &l->limits[vote->limit];
	int64_t chosen = 0;

	vote->before = vote->forgotten;
	for (uint32_t i = 0; i < timer->nr && timer->ts[i] < l->from; i++) {
		if (!periods[i].counts)
			continue;
		vote->before += (double)periods[i].waited;
		chosen += timer->ts[i] > limit->states[last_look(limit, l->from)].ts;
	}
	return chosen;
}

/*
 * A timer lets tasks of its group run, and so those of the groups above it: a group's timer is the
 * one for which the most likely periods add up to what the kernel has counted.
 */
static void tell_limit(struct sched_limits *l, uint32_t nr)
{
	struct limit *limit = &l->limits[nr];
	struct gap_list list = gaps_of(l, nr);
	struct period *best = NULL;

	for (uint32_t i = 0; i < l->nr_votes; i++) {
		struct vote *vote = &l->votes[i];
		struct period *periods;
		double error;
		int64_t chosen;

		if (vote->limit != nr || l->timers[vote->timer].has_owner)
			continue;
		periods = find_periods(l, &list, nr, &l->timers[vote->timer]);
		error = error_of(limit, &l->timers[vote->timer], periods, vote->forgotten);
		chosen = sum_before(l, vote, periods);
		if (error > -1 && error < MOST_ERROR &&
		    (!best || fabs(error) < fabs(limit->error))) {
			struct period *worse = best;

			limit->error = error;
			limit->chosen = chosen;
			best = periods;
			periods = worse;
			limit->timer = vote->timer;
		}
		free(periods);
	}
	for (uint32_t k = 0; best && k < list.nr; k++)
		add_stretches(l, &list.gaps[k], &l->timers[limit->timer], best);
	if (best)
		l->timers[limit->timer].has_owner = true;
	free(best);
	free(list.gaps);
}

void limit_periods_find(struct sched_limits *l)
{
	l->nr_stretches = 0;
	for (uint32_t i = 0; i < l->nr_timers; i++)
		l->timers[i].has_owner = false;
	for (uint32_t i = 0; i < l->nr_votes; i++)
		l->votes[i].before = l->votes[i].forgotten;
	if (l->nr_gaps)
		qsort(l->gaps, l->nr_gaps, sizeof(*l->gaps), by_lane);
	/* groups that are in others come after these */
	for (uint32_t i = l->nr_limits; i-- > 0;) {
		l->limits[i].timer = SCHED_NO_LIMIT;
		l->limits[i].chosen = 0;
		if (has_inner(l, i))
			limit_stretches_sort(l->stretches, l->nr_stretches);
		tell_limit(l, i);
	}
}

/* A look is made up just before: it has counted what was chosen. */
static void forget_looks(struct limit *limit, int64_t until)
{
	uint32_t nr = last_look(limit, until);
	struct who_cgroup_state *state = &limit->states[nr];

	if (state->ts >= until)
		return;
	state->ts = until - 1;
	state->throttled = time_after(state->throttled, limit->chosen);
	limit->nr_states -= nr;
	memmove(limit->states, state, limit->nr_states * sizeof(*state));
}

void limit_periods_forget(struct sched_limits *l)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->nr_votes; i++)
		l->votes[i].forgotten = l->votes[i].before;
	for (uint32_t i = 0; i < l->nr_limits; i++)
		forget_looks(&l->limits[i], l->from);
	for (uint32_t i = 0; i < l->nr_gaps; i++)
		if (l->gaps[i].to >= l->from)
			l->gaps[kept++] = l->gaps[i];
	l->nr_gaps = kept;
	for (uint32_t i = 0; i < l->nr_timers; i++) {
		struct timer *t = &l->timers[i];
		uint32_t nr = bisect(t->nr, n, t->ts[n] < l->from);

		/* the period of the next one begins with the last of them */
		nr -= nr > 0;
		t->nr -= nr;
		memmove(t->ts, t->ts + nr, t->nr * sizeof(*t->ts));
	}
}
