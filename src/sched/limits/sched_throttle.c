/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched_throttle - the rules about limits: which limit keeps a runnable task from running.
 */
#include "src/base/memory.h"
#include "src/base/time_math.h"
#include "src/sched/run_queue.h"
#include "src/sched/sched_rules_private.h"

#define RENEWAL_NS	1000000		/* from the timer of a budget to the switch */

/* Of a wait: with filters, only its end tells whether that counts. */
static void add_throttled(const struct sched_rules *r, struct sched_task *t, int64_t ts)
{
	int64_t from;

	if (r->options.no_sums || r->options.filtered || !is_asked(r, t->last_cpu))
		return;
	from = t->limited_since > t->from ? t->limited_since : t->from;
	if (from > ts)
		return;
	for (uint32_t i = r->nr_earlier ? time_slices_after(r->slices, from) : 0; i < r->nr_earlier;
	     i++) {
		int64_t part = time_range_part(&r->slices->list[i], from, ts);

		if (part)
			add_time(&sched_slices_task(r, t, i)->throttled, part);
	}
	add_time(&t->throttled, time_range_part(&r->options.range, from, ts));
}

/* NULL: the task is not throttled, or by a limit that no timer renews. */
static struct rules_spent *find_spent(const struct sched_rules *r, uint32_t task)
{
	for (uint32_t i = 0; i < r->nr_spent; i++)
		if (r->spent[i].task == task)
			return &r->spent[i];
	return NULL;
}

/* Is it a deadline task's own timer, another one's, or is that not known? */
static enum {
	ITS_OWN,
	ANOTHERS,
	NOT_KNOWN
} whose(const struct sched_rules *r, uint32_t task, uint32_t timer)
{
	for (uint32_t i = 0; i < r->nr_renewed; i++) {
		const struct rules_spent *known = &r->renewed[i];

		if (!task_at(r, known->task)->ended &&
		    (known->task == task || known->timer == timer))
			return known->task == task && known->timer == timer ? ITS_OWN : ANOTHERS;
	}
	return NOT_KNOWN;
}

/* A timer renews limits: whose, is shown by who runs then. */
void sched_throttle_timer(struct sched_rules *r, unsigned int cpu, const struct sched_rec *rec)
{
	uint32_t limit = r->options.limit_of_timer(r->options.timer_arg, (uint64_t)rec->end);

	for (uint32_t i = 0; i < r->nr_spent; i++) {
		struct rules_spent *s = &r->spent[i];
		struct sched_task *t = task_at(r, s->task);

		if (s->limit != limit ||
		    (limit == SCHED_LIMIT_BUDGET && whose(r, s->task, rec->common_pid) == ANOTHERS))
			continue;
		s->several = s->expired && s->timer != rec->common_pid &&
			     time_between(s->ts, rec->ts) <= RENEWAL_NS;
		s->expired = true;
		s->timer = rec->common_pid;
		s->cpu = cpu;
		s->ts = rec->ts;
		if (t->is_throttled && r->options.queue)
			run_queue_moved(r->options.queue, s->task, t->last_cpu, rec->ts);
		t->is_throttled = false;
	}
}

/* The interrupt of its timer makes a task run at once, where that expired. */
static bool ran_at_once(const struct sched_rules *r, const struct rules_spent *s, int64_t ts)
{
	return !s->several && task_at(r, s->task)->cpu == (int32_t)s->cpu &&
	       r->cpus[s->cpu].switched <= s->ts && time_between(s->ts, ts) <= RENEWAL_NS;
}

/*
 * A task runs, or waits no more, whose limit a timer renews.  That was its own timer, if it ran at
 * once.  Return: is it doubtful that this was so, until @ts?
 */
static bool end_spent(struct sched_rules *r, struct rules_spent *s, bool runs, int64_t *ts)
{
	bool is_budget = s->limit == SCHED_LIMIT_BUDGET,
	     is_its = is_budget && s->expired && s->timer;
	unsigned int of = is_its ? whose(r, s->task, s->timer) : ANOTHERS;

	is_its = of == ITS_OWN || (of == NOT_KNOWN && runs && ran_at_once(r, s, *ts));
	if (is_its && of == NOT_KNOWN) {
		mem_grow(&r->renewed, r->nr_renewed, &r->cap_renewed);
		r->renewed[r->nr_renewed++] = *s;
	}
	if (is_its || (s->expired && !is_budget))
		*ts = s->ts;
	*s = r->spent[--r->nr_spent];
	return !is_its;
}

void sched_throttle_begin(struct sched_rules *r, uint32_t task, uint32_t limit, int64_t ts,
			  bool doubtful)
{
	struct sched_task *t = task_at(r, task);

	t->limited_since = ts;
	t->gave_away = sched_limit_is_none(limit);
	t->limit_doubtful = doubtful || limit == SCHED_LIMIT_SERVER;
	t->is_throttled = sched_limit_unqueues(limit, t->prio);
	r->has_limited = true;
	/* nothing shows that of real-time tasks */
	if (limit < SCHED_LIMIT_SERVER || (limit == SCHED_LIMIT_SERVER && t->prio < 0)) {
		mem_grow(&r->spent, r->nr_spent, &r->cap_spent);
		r->spent[r->nr_spent++] = (struct rules_spent){
			.task = task,
			.limit = limit == SCHED_LIMIT_SERVER ? SCHED_LIMIT_BUDGET : limit,
		};
	}
	TELL(r, limited, task, limit, ts, false);
}

bool sched_throttle_end(struct sched_rules *r, uint32_t task, bool runs, int64_t ts)
{
	struct sched_task *t = task_at(r, task);
	struct rules_spent *spent = find_spent(r, task);
	bool doubtful = spent ? end_spent(r, spent, runs, &ts) : t->limit_doubtful,
	     used_up = spent && t->gave_away && !doubtful;

	r->has_unsure_waits |= doubtful;
	if (used_up) {
		t->gave_away = false;
		TELL(r, limited, task, SCHED_LIMIT_BUDGET, t->limited_since, false);
	}
	if (!t->gave_away)
		add_throttled(r, t, ts);
	t->limited_since = SCHED_NO_END;
	t->gave_away = t->is_throttled = false;
	TELL(r, limited, task, SCHED_NO_LIMIT, ts, doubtful);
	return used_up;
}

/* Whoever is not allowed to run is in no queue. */
static void take_limit(struct sched_rules *r, const struct sched_limit_edge *edge)
{
	uint32_t task = sched_rules_find(r, edge->pid, edge->ts);
	struct sched_task *t = task == SCHED_NO_TASK ? NULL : task_at(r, task);
	bool begins = edge->limit != SCHED_NO_LIMIT;

	if (!t || !is_waiting(t) || begins == t->is_throttled || find_spent(r, task))
		return;
	if (t->limited_since != SCHED_NO_END)
		sched_throttle_end(r, task, false, edge->ts);
	if (begins)
		sched_throttle_begin(r, task, edge->limit, edge->ts, edge->doubtful);
	if (r->options.queue)
		run_queue_moved(r->options.queue, task, begins ? -1 : t->last_cpu, edge->ts);
}

/*
 * A deadline or real-time task could run, and a CPU takes somebody of a lower class: what kept that
 * task from running?  A priority of 0 may be that of the stop class, which goes before all others.
 */
static uint32_t limit_of_class(const struct sched_rules *r, int prio, const struct sched_rec *rec,
			       bool has_server)
{
	bool is_idle = !rec->pid2, is_fair = !is_idle && rec->prio2 >= SCHED_FIRST_FAIR,
	     is_lower = is_idle || is_fair || (prio < 0 && rec->prio2 > 0);

	if (!r->options.has_prios || prio >= SCHED_FIRST_FAIR || !is_lower)
		return SCHED_NO_LIMIT;
	return has_server && is_fair ? SCHED_LIMIT_SERVER :
	       prio < 0              ? SCHED_LIMIT_BUDGET :
				       SCHED_LIMIT_REALTIME;
}

/*
 * What keeps a task from running that leaves the CPU in R: nobody of a lower class preempts it.  A
 * deadline task that calls sched_yield gives up the rest of its budget.
 */
uint32_t sched_throttle_limit(const struct sched_rules *r, unsigned int cpu,
			      const struct sched_rec *rec)
{
	bool yields = r->cpus[cpu].yields == rec->pid && !rec->cpu,
	     spends = yields && r->options.has_prios && rec->prio < 0;
	uint32_t limit = spends ? SCHED_LIMIT_BUDGET :
				  limit_of_class(r, rec->prio, rec,
						 r->options.has_server && !yields);

	if (limit != SCHED_NO_LIMIT)
		return limit;
	if (yields)
		return SCHED_LIMIT_YIELD;
	for (uint32_t i = r->next_limit;
	     i < r->options.nr_limits && r->options.limits[i].ts == rec->ts; i++)
		if (r->options.limits[i].pid == rec->pid)
			return r->options.limits[i].limit;
	return SCHED_NO_LIMIT;
}

void sched_throttle_leave(struct sched_rules *r, uint32_t task)
{
	mem_grow(&r->left, r->nr_left, &r->cap_left);
	r->left[r->nr_left++] = task;
}

/*
 * A deadline task uses its budget up only where it runs: before it left.  The time of real-time
 * tasks may be used up by the others.
 */
static bool be_passed(struct sched_rules *r, uint32_t task, unsigned int cpu,
		      const struct sched_rec *rec)
{
	struct sched_task *t = task_at(r, task);
	uint32_t limit;

	if (t->state != SCHED_PREEMPTED || t->limited_since != SCHED_NO_END ||
	    sched_rules_gap(r, t->since, rec->ts))
		return true;
	limit = t->queue == (int32_t)cpu && t->pid != rec->pid2 ?
			limit_of_class(r, t->prio, rec, r->options.has_server) :
			SCHED_NO_LIMIT;
	if (limit == SCHED_NO_LIMIT)
		return false;
	sched_throttle_begin(r, task, limit, t->prio < 0 ? t->since : rec->ts, true);
	if (r->options.queue && t->is_throttled)
		run_queue_moved(r->options.queue, task, -1, rec->ts);
	return true;
}

void sched_throttle_pass(struct sched_rules *r, unsigned int cpu, const struct sched_rec *rec)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < r->nr_left; i++)
		if (!be_passed(r, r->left[i], cpu, rec))
			r->left[nr++] = r->left[i];
	r->nr_left = nr;
}

void sched_throttle_take(struct sched_rules *r, int64_t ts)
{
	while (r->next_limit < r->options.nr_limits && r->options.limits[r->next_limit].ts < ts)
		take_limit(r, &r->options.limits[r->next_limit++]);
	r->limited_to = ts > r->limited_to ? ts : r->limited_to;
}
