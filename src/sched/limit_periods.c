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
#include "src/sched/sched_limits_private.h"

#define PERIOD_TIMER	"sched_cfs_period_timer"

/* Is there a limit of a group in this one? */
static bool has_inner(const struct sched_limits *l, uint32_t limit)
{
	return limit + 1 < l->nr_limits &&
	       limit_is_above(&l->limits[limit], l->limits[limit + 1].path);
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
void limit_periods_find(struct sched_limits *l)
{
	if (l->nr_gaps)
		qsort(l->gaps, l->nr_gaps, sizeof(*l->gaps), by_lane);
	/* groups that are in others come after these */
	for (uint32_t i = l->nr_limits; i-- > 0;) {
		if (has_inner(l, i))
			limit_stretches_sort(l->stretches, l->nr_stretches);
		tell_limit(l, i);
	}
}
