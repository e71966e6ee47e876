/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/run_queue.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

/* Time in which something holds.  It goes on if it ends and begins again at the same stamp. */
struct stretch {
	int64_t		from, to;
};

/* What holds in a slice of time. */
struct queue_counts {
	struct run_queue_sums sums;
	struct run_queue_place crossed;	/* as spare_at, if it begins before the slice */
	/* The present idle time: added to the sums when it ends, unless it is dropped. */
	int64_t		idled;
	struct run_queue_place idled_at, idled_crossed;
};

struct queue_cpu {
	/* first, and together: see_all() reads them of every CPU */
	struct stretch	spare;
	bool		spares;		/* it idles, others wait: since spare.from */
	bool		idle, many;	/* many: known, and two or more wait */
	bool		begun, known, lost;
	bool		idled_before;	/* in earlier slices there is something of this idle time */
	uint32_t	waiting;	/* tasks that wait for it */
	uint32_t	losses;		/* how often all that waited were forgotten: events were
					 * lost */
	int64_t		at;		/* waits are summed up to here */
	int64_t		known_at;	/* known time is summed up to here */
	uint32_t	level;		/* how many waited in "constant" */
	struct stretch	constant;	/* the last time in which the most tasks waited */
	struct queue_counts counts;
};

struct queued_task {
	uint32_t	cpu;		/* index + 1; 0: it does not wait */
	uint32_t	losses;		/* that CPU's, when the wait began */
	int64_t		since;
	uint64_t	open;		/* 1 + number of the change that lacks its CPU; 0: none */
	bool		guessed;	/* no record tells of this CPU */
};

/*
 * Changes are taken in order.  One that begins a wait with sched_waking has no CPU yet: it is held
 * until a record tells that, and so are those that follow.
 */
enum queue_op { QUEUE_TASK, QUEUE_RUNS, QUEUE_LOST, QUEUE_CUT };

#define NOT_YET		INT32_MIN
#define MOST_HELD	(1u << 20)	/* then the first one is guessed */

struct queue_change {
	int64_t		ts;
	uint32_t	of;		/* the task; or index of the CPU */
	int32_t		cpu;		/* TASK: it waits for this one; below 0: none */
	int32_t		woken;		/* NOT_YET: that of the sched_waking */
	uint8_t		op;
	bool		guessed;	/* TASK: that is a guess, or where it waited up to now */
	bool		idle, dropped;	/* RUNS: no task; the time before does not count */
	bool		doubts;		/* CUT: what is lost may be of tasks of other CPUs */
};

struct run_queue {
	struct time_range range;
	const struct time_slices *slices;	/* earlier ones; borrowed; NULL: none */
	struct queue_counts **earlier;	/* owned, [nr_earlier][nr_cpus] */
	uint32_t	 nr_earlier, cap_earlier;
	const struct sched_rules *rules;	/* borrowed */
	struct queue_cpu *cpus;		/* owned, [nr_cpus] */
	unsigned int	 nr_cpus;
	unsigned int	 gaps;		/* CPUs that lose events now; and 1 for those left out */
	bool		 is_partial;	/* some tasks were not recorded: no queue is known */
	unsigned int	 nr_idle;
	unsigned int	 nr_many;	/* CPUs for which many wait */
	struct queued_task *tasks;	/* owned, [nr_tasks] */
	uint32_t	 nr_tasks;
	struct queue_change *held;	/* owned, [nr_held]: from `first` on, which has no CPU */
	uint32_t	 nr_held, cap_held, first;
	uint32_t	 nr_open;	/* of them, those without a CPU */
	uint64_t	 base;		/* number of held[0] */
};

static void add_to(int64_t *sum, uint64_t time)
{
	*sum = (int64_t)((uint64_t)*sum + time);
}

struct run_queue *run_queue_new(const struct time_range *range)
{
	struct run_queue *q = mem_alloc(sizeof(*q));

	q->range = *range;
	return q;
}

void run_queue_use(struct run_queue *q, const struct sched_pass *pass)
{
	q->rules = sched_pass_rules(pass);
}

void run_queue_free(struct run_queue *q)
{
	if (!q)
		return;
	run_queue_forget(q, q->nr_earlier);
	free(q->earlier);
	free(q->cpus);
	free(q->tasks);
	free(q->held);
	free(q);
}

void run_queue_begin(struct run_queue *q, const struct sched_pass *pass)
{
	struct time_range range = q->range;

	run_queue_forget(q, q->nr_earlier);
	free(q->earlier);
	free(q->cpus);
	free(q->tasks);
	free(q->held);
	*q = (struct run_queue){ .range = range, .rules = sched_pass_rules(pass),
				 .nr_cpus = sched_pass_nr_cpus(pass),
				 .gaps = sched_pass_lacks_cpus(pass),
				 .is_partial = sched_pass_has_only(pass) };
	q->cpus = mem_array(q->nr_cpus + 1, sizeof(*q->cpus));
}

/* Behind the CPUs there is a sum of all of them: of waits whose CPU is a guess. */
struct run_queue_sums run_queue_sums(const struct run_queue *q, unsigned int cpu)
{
	struct run_queue_sums sums = q->cpus[cpu].counts.sums;

	sums.guessed = q->cpus[q->nr_cpus].counts.sums.guessed;
	return sums;
}

/* --- slices -------------------------------------------------------------------------------- */

void run_queue_turn(struct run_queue *q, const struct time_slices *slices,
		    const struct time_range *range)
{
	struct queue_counts *counts = mem_array(q->nr_cpus + 1, sizeof(*counts));

	for (unsigned int i = 0; i <= q->nr_cpus; i++) {
		counts[i] = q->cpus[i].counts;
		q->cpus[i].counts = (struct queue_counts){ 0 };
		q->cpus[i].idled_before |= counts[i].idled != 0;
	}
	mem_grow(&q->earlier, q->nr_earlier, &q->cap_earlier);
	q->earlier[q->nr_earlier++] = counts;
	q->slices = slices;
	q->range = *range;
}

void run_queue_forget(struct run_queue *q, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		free(q->earlier[i]);
	q->nr_earlier -= nr;
	if (q->nr_earlier)
		memmove(q->earlier, q->earlier + nr, q->nr_earlier * sizeof(*q->earlier));
}

/* Cut @place at @from.  Keep it if it is then longer than the longest so far. */
static void see_place(struct run_queue_place *longest, struct run_queue_place place, int64_t from)
{
	if (place.from < from) {
		place.length -= time_between(place.from, from);
		place.from = from;
	}
	if (place.length > longest->length)
		*longest = place;
}

/* Add the next slice of the times since then. */
static void add_counts(struct queue_counts *sum, const struct queue_counts *of, int64_t from)
{
	struct run_queue_sums *sums = &sum->sums;
	struct run_queue_place most_at = of->sums.most_at;

	add_to(&sums->known, (uint64_t)of->sums.known);
	add_to(&sums->doubtful, (uint64_t)of->sums.doubtful);
	add_to(&sums->waited, (uint64_t)of->sums.waited);
	add_to(&sums->spare, (uint64_t)of->sums.spare);
	add_to(&sums->guessed, (uint64_t)of->sums.guessed);
	add_to(&sum->idled, (uint64_t)of->idled);
	if (of->sums.most > sums->most) {
		sums->most = of->sums.most;
		sums->most_at = most_at;
	} else if (of->sums.most == sums->most &&
		   time_after(sums->most_at.from, sums->most_at.length) == most_at.from) {
		sums->most_at.length += most_at.length;
	}
	see_place(&sums->spare_at, of->crossed, from);
	see_place(&sums->spare_at, of->sums.spare_at, from);
	see_place(&sum->idled_at, of->idled_crossed, from);
	see_place(&sum->idled_at, of->idled_at, from);
}

struct run_queue *run_queue_fork(const struct run_queue *from, const struct time_range *range)
{
	struct run_queue *q = mem_copy(from, 1, sizeof(*from));

	q->range = *range;
	q->slices = NULL;
	q->earlier = NULL;
	q->nr_earlier = q->cap_earlier = 0;
	q->cpus = mem_copy(from->cpus, from->nr_cpus + 1, sizeof(*q->cpus));
	q->tasks = mem_copy(from->tasks, from->nr_tasks, sizeof(*q->tasks));
	q->held = mem_copy(from->held, from->cap_held, sizeof(*q->held));
	for (unsigned int i = 0; i <= q->nr_cpus; i++) {
		struct queue_cpu *c = &q->cpus[i];

		c->counts = (struct queue_counts){ 0 };
		for (uint32_t k = 0; k < from->nr_earlier; k++)
			add_counts(&c->counts, &from->earlier[k][i], range->from);
		add_counts(&c->counts, &from->cpus[i].counts, range->from);
		if (c->spare.from < range->from)
			c->spare.from = range->from;
	}
	return q;
}

/* --- how many wait ------------------------------------------------------------------------- */

/* The first slice that an interval from @from on may overlap; nr_earlier: the present one. */
static inline uint32_t first_slice(const struct run_queue *q, int64_t from)
{
	return q->nr_earlier ? time_slices_after(q->slices, from) : 0;
}

static inline struct queue_counts *counts_in(const struct run_queue *q, struct queue_cpu *c,
					     uint32_t slice)
{
	return slice == q->nr_earlier ? &c->counts : &q->earlier[slice][c - q->cpus];
}

/* The part of an interval in a slice; false: none. */
static inline bool clip(const struct run_queue *q, uint32_t slice, int64_t from, int64_t to,
			struct stretch *part)
{
	const struct time_range *r = slice == q->nr_earlier ? &q->range : &q->slices->list[slice];

	*part = (struct stretch){ from, to };
	if (__builtin_expect(r->set, 0)) {
		part->from = from < r->from ? r->from : from;
		part->to = to > r->to ? r->to : to;
	}
	return part->from < part->to;
}

/* Add an interval to a sum of run_queue_sums, by its offset. */
static inline void add_part(const struct run_queue *q, struct queue_cpu *c, size_t at, int64_t from,
			    int64_t to, uint32_t times)
{
	struct stretch part;

	for (uint32_t i = first_slice(q, from); i <= q->nr_earlier; i++)
		if (clip(q, i, from, to, &part))
			add_to((int64_t *)((char *)&counts_in(q, c, i)->sums + at),
			       ((uint64_t)part.to - (uint64_t)part.from) * times);
}

#define ADD_PART(q, c, sum, from, to, times)                                                       \
	add_part(q, c, offsetof(struct run_queue_sums, sum), from, to, times)

/* Lengthen a stretch, or begin another. */
static void go_on(struct stretch *s, const struct stretch *part, bool same)
{
	if (!same || s->to != part->from)
		s->from = part->from;
	s->to = part->to;
}

static struct run_queue_place place_of(const struct stretch *s)
{
	return (struct run_queue_place){ s->from, time_between(s->from, s->to) };
}

/* As many tasks waited as ever before, or more: remember since when. */
static __attribute__((noinline)) void see_most(const struct run_queue *q, struct queue_cpu *c,
					       int64_t ts)
{
	struct stretch part;

	for (uint32_t i = q->gaps ? UINT32_MAX : first_slice(q, c->at); i <= q->nr_earlier; i++) {
		struct run_queue_sums *sums = &counts_in(q, c, i)->sums;
		struct run_queue_place place;

		if (!clip(q, i, c->at, ts, &part))
			continue;
		go_on(&c->constant, &part, c->level == c->waiting);
		c->level = c->waiting;
		clip(q, i, c->constant.from, c->constant.to, &part);
		place = place_of(&part);
		if (c->level > sums->most || place.from == sums->most_at.from) {
			sums->most = c->level;
			sums->most_at = place;
		}
	}
}

/* Sum up what was so until now. */
static inline void settle(const struct run_queue *q, struct queue_cpu *c, int64_t ts)
{
	if (ts <= c->at)
		return;
	if (c->waiting && c->known) {
		ADD_PART(q, c, waited, c->at, ts, c->waiting);
		if (c->waiting >= c->counts.sums.most)
			see_most(q, c, ts);
	}
	c->at = ts;
}

/* As settle(), where the number of waiting tasks begins or ceases to be known or doubtful. */
static void settle_known(const struct run_queue *q, struct queue_cpu *c, int64_t ts)
{
	settle(q, c, ts);
	if (c->known && ts > c->known_at) {
		ADD_PART(q, c, known, c->known_at, ts, 1);
		if (q->gaps)
			ADD_PART(q, c, doubtful, c->known_at, ts, 1);
	}
	c->known_at = ts;
}

/* --- idle CPUs ------------------------------------------------------------------------------ */

static void end_spare(struct run_queue *q, struct queue_cpu *c, int64_t ts)
{
	int64_t from = c->spare.to;
	struct stretch part;

	c->spares = false;
	for (uint32_t i = first_slice(q, from); i <= q->nr_earlier; i++) {
		struct queue_counts *counts = counts_in(q, c, i);
		bool crosses;

		if (!clip(q, i, from, ts, &part))
			continue;
		c->idled_before |= i < q->nr_earlier;
		add_to(&counts->idled, (uint64_t)part.to - (uint64_t)part.from);
		go_on(&c->spare, &part, true);
		crosses = clip(q, i, c->spare.from, c->spare.to, &part) &&
			  part.from > c->spare.from;
		if (!q->gaps)
			see_place(crosses ? &counts->idled_crossed : &counts->idled_at,
				  place_of(&c->spare), INT64_MIN);
	}
}

/* The CPU began or ceased to idle, or many began or ceased to wait for another. */
static void see_spare(struct run_queue *q, struct queue_cpu *c, int64_t ts)
{
	bool spares = c->idle && q->nr_many > c->many;

	if (spares == c->spares)
		return;
	if (!spares) {
		end_spare(q, c, ts);
		return;
	}
	c->spares = true;
	if (c->spare.to != ts)
		c->spare = (struct stretch){ ts, ts };
}

static void see_all(struct run_queue *q, int64_t ts)
{
	for (unsigned int i = 0; i < q->nr_cpus; i++)
		see_spare(q, &q->cpus[i], ts);
}

static void see_many(struct run_queue *q, struct queue_cpu *c, int64_t ts)
{
	bool many = c->known && c->waiting >= 2;

	if (many == c->many)
		return;
	c->many = many;
	q->nr_many += many ? 1 : -1u;
	/* an idle CPU is spare while two or more tasks wait for another CPU */
	if (q->nr_idle && q->nr_many < 2u + many)
		see_all(q, ts);
}

/* It idles no more.  @dropped: later records show that it did not idle. */
static void end_idle(struct run_queue *q, struct queue_cpu *c, int64_t ts, bool dropped)
{
	q->nr_idle -= c->idle;
	c->idle = false;
	see_spare(q, c, ts);
	if (!c->counts.idled && !c->idled_before)
		return;
	if (dropped)
		c->spare.to = INT64_MIN;
	for (uint32_t i = c->idled_before ? 0 : q->nr_earlier; i <= q->nr_earlier; i++) {
		struct queue_counts *counts = counts_in(q, c, i);

		if (!dropped) {
			add_to(&counts->sums.spare, (uint64_t)counts->idled);
			see_place(&counts->sums.spare_at, counts->idled_at, INT64_MIN);
			see_place(&counts->crossed, counts->idled_crossed, INT64_MIN);
		}
		counts->idled = 0;
		counts->idled_at = counts->idled_crossed = (struct run_queue_place){ 0 };
	}
	c->idled_before = false;
}

/* --- tasks ---------------------------------------------------------------------------------- */

static inline void leave(struct run_queue *q, struct queued_task *t, int64_t ts, bool guessed)
{
	struct queue_cpu *c = &q->cpus[t->cpu - 1];

	t->cpu = 0;
	if (__builtin_expect(guessed || t->guessed, 0))
		ADD_PART(q, &q->cpus[q->nr_cpus], guessed, t->since, ts, 1);
	if (t->losses != c->losses)
		return;
	settle(q, c, ts);
	if (--c->waiting == 1)
		see_many(q, c, ts);
}

static inline void enter(struct run_queue *q, struct queued_task *t, const struct queue_change *to)
{
	struct queue_cpu *c = &q->cpus[to->cpu];

	t->cpu = (uint32_t)to->cpu + 1;
	t->losses = c->losses;
	t->since = to->ts;
	t->guessed = to->guessed;
	settle(q, c, to->ts);
	if (++c->waiting == 2)
		see_many(q, c, to->ts);
}

static inline void take_task(struct run_queue *q, const struct queue_change *change)
{
	struct queued_task *t = &q->tasks[change->of];

	if (t->cpu)
		leave(q, t, change->ts, change->guessed && change->cpu < 0);
	if (change->cpu >= 0)
		enter(q, t, change);
}

/* --- CPUs ------------------------------------------------------------------------------------ */

/* A CPU begins or ceases to lose events: the others are doubtful, or no longer. */
static void see_gap(struct run_queue *q, int64_t ts, bool begins)
{
	for (unsigned int i = 0; i < q->nr_cpus; i++) {
		struct queue_cpu *c = &q->cpus[i];

		settle_known(q, c, ts);
		c->constant.to = INT64_MIN;
		if (c->spares)
			end_spare(q, c, ts);
		c->spare.to = INT64_MIN;
	}
	q->gaps += begins ? 1 : -1u;
	see_all(q, ts);
}

static void take_cut(struct run_queue *q, unsigned int cpu, int64_t ts, bool doubts)
{
	struct queue_cpu *c = &q->cpus[cpu];

	if (doubts)
		see_gap(q, ts, true);
	else
		settle_known(q, c, ts);
	c->lost = doubts;
	c->known = false;
	end_idle(q, c, ts, false);
	see_many(q, c, ts);
}

/* What waited for it is not known. */
static void take_lost(struct queue_cpu *c)
{
	c->losses += c->begun;
	c->waiting = c->begun ? 0 : c->waiting;
}

static void take_run(struct run_queue *q, const struct queue_change *change)
{
	struct queue_cpu *c = &q->cpus[change->of];
	int64_t ts = change->ts;

	if (q->is_partial)
		return;
	if (!c->known) {
		if (c->lost)
			see_gap(q, ts, false);
		c->lost = false;
		c->begun = c->known = true;
		c->at = c->known_at = ts;
		see_many(q, c, ts);
	}
	if (c->idle)
		end_idle(q, c, ts, change->dropped);
	if (!change->idle)
		return;
	c->idle = true;
	q->nr_idle++;
	see_spare(q, c, ts);
}

/* --- the order of changes -------------------------------------------------------------------- */

static void apply(struct run_queue *q, const struct queue_change *change)
{
	switch ((enum queue_op)change->op) {
	case QUEUE_TASK:
		take_task(q, change);
		break;
	case QUEUE_RUNS:
		take_run(q, change);
		break;
	case QUEUE_LOST:
		take_lost(&q->cpus[change->of]);
		break;
	case QUEUE_CUT:
		take_cut(q, change->of, change->ts, change->doubts);
		break;
	}
}

/* The change that began this task's wait has this CPU.  Take what was held only for that. */
static void tell_cpu(struct run_queue *q, uint32_t task, int32_t cpu, bool guessed)
{
	struct queue_change *open = &q->held[q->tasks[task].open - 1 - q->base];

	open->cpu = cpu;
	open->guessed = guessed;
	q->tasks[task].open = 0;
	q->nr_open--;
	while (q->first < q->nr_held && q->held[q->first].cpu != NOT_YET)
		apply(q, &q->held[q->first++]);
	if (q->first < q->nr_held / 2)
		return;
	q->base += q->first;
	q->nr_held -= q->first;
	memmove(q->held, q->held + q->first, q->nr_held * sizeof(*q->held));
	q->first = 0;
}

/* The last CPU of a task, or that of its sched_waking, if no record told of it before. */
static int32_t guess(const struct run_queue *q, uint32_t task)
{
	const struct sched_task *t = sched_rules_task(q->rules, task);
	bool is_new = t->last_cpu == -1 && !t->elsewhere;

	return is_new ? q->held[q->tasks[task].open - 1 - q->base].woken : t->last_cpu;
}

static inline void take(struct run_queue *q, const struct queue_change *change)
{
	if (!q->nr_open && change->cpu != NOT_YET) {
		apply(q, change);
		return;
	}
	mem_grow(&q->held, q->nr_held, &q->cap_held);
	q->held[q->nr_held++] = *change;
	if (change->cpu == NOT_YET) {
		q->tasks[change->of].open = q->base + q->nr_held;
		q->nr_open++;
	}
	if (__builtin_expect(q->nr_held - q->first > MOST_HELD, 0))
		tell_cpu(q, q->held[q->first].of, guess(q, q->held[q->first].of), true);
}

void run_queue_moved(struct run_queue *q, uint32_t task, int32_t cpu, int64_t ts)
{
	if (q->tasks[task].open)
		tell_cpu(q, task, cpu, false);
	else
		take(q, &(struct queue_change){ .ts = ts, .of = task, .cpu = cpu });
}

static inline bool is_wait(enum sched_state state)
{
	return state == SCHED_WAITS || state == SCHED_PREEMPTED;
}

void run_queue_task(struct run_queue *q, uint32_t task, const struct sched_change *change)
{
	const struct sched_task *t = sched_rules_task(q->rules, task);
	struct queue_change to = { .ts = change->ts, .of = task, .cpu = -1 };

	if (!is_wait(change->state) && !is_wait(change->was))
		return;
	if (task >= q->nr_tasks)
		mem_reach(&q->tasks, &q->nr_tasks, task);
	if (q->tasks[task].open)
		tell_cpu(q, task, change->state == SCHED_RUNS ? change->cpu : guess(q, task), true);
	else
		to.guessed = change->state == SCHED_RUNS && t->queue >= 0 &&
			     t->queue != change->cpu;
	if (is_wait(change->state))
		to.cpu = change->limit && sched_limit_unqueues(change->limit - 1,
							       change->rec->prio) ?
				 -1 :
			 t->queue == SCHED_NO_QUEUE ? NOT_YET :
						      t->queue;
	if (to.cpu == NOT_YET)
		to.woken = sched_rules_cpu(q->rules, change->rec->cpu);
	take(q, &to);
}

void run_queue_cut(struct run_queue *q, unsigned int cpu, int64_t ts, bool doubts)
{
	take(q, &(struct queue_change){ .ts = ts, .of = cpu, .op = QUEUE_CUT, .doubts = doubts });
}

/* The rules forget the tasks whose last CPU this is. */
static void lose(struct run_queue *q, unsigned int cpu)
{
	for (uint64_t i = q->base + q->first; i < q->base + q->nr_held; i++) {
		const struct queue_change *held = &q->held[i - q->base];

		if (held->cpu == NOT_YET &&
		    sched_rules_task(q->rules, held->of)->last_cpu == (int32_t)cpu)
			tell_cpu(q, held->of, (int32_t)cpu, true);
		if (i < q->base + q->first)
			i = q->base + q->first - 1;
	}
	take(q, &(struct queue_change){ .of = cpu, .op = QUEUE_LOST });
}

void run_queue_cpu(struct run_queue *q, unsigned int cpu, const struct sched_change *change)
{
	if (change->lost)
		lose(q, cpu);
	else
		take(q, &(struct queue_change){ .ts = change->ts, .of = cpu, .op = QUEUE_RUNS,
						.idle = change->task == SCHED_IDLE_TASK,
						.dropped = change->dropped });
}

void run_queue_end(struct run_queue *q, int64_t ts)
{
	while (q->nr_open)
		tell_cpu(q, q->held[q->first].of, guess(q, q->held[q->first].of), true);
	for (uint32_t i = 0; i < q->nr_tasks; i++)
		if (q->tasks[i].cpu && q->tasks[i].guessed)
			ADD_PART(q, &q->cpus[q->nr_cpus], guessed, q->tasks[i].since, ts, 1);
	for (unsigned int i = 0; i < q->nr_cpus; i++) {
		struct queue_cpu *c = &q->cpus[i];

		settle_known(q, c, ts);
		end_idle(q, c, ts, false);
	}
}
