/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules:
 *   1  a stretch of a CPU begins: the task that its first switch leaves has been running since
 *      then; if other tasks have records before that switch, since the last of these
 *   2  sched_switch
 *   3  wake-ups count where the task is not running or waiting already; a second wake-up of a
 *      waiting task shows that records are missing
 *   4  a stretch ends before a loss: tasks with this last CPU are known up to its end
 *   5  at the end of the buffer all open intervals end
 *   6  sleep and waits are doubtful if a gap of any CPU overlaps them, if the record that began the
 *      wait may be lost, or if no wake-up ended the sleep; open sleep, if none was recorded; waits
 *      on a CPU without records; all sleep and waits of a trace from which CPUs were cut.  Where
 *      only a switch is missing, sleep is sure: the next wake-up has ended it
 *   7  where a switch is missing, a gap begins and ends, and who ran there is unknown; rule 4 does
 *      not apply
 *   8  a CPU that was left out is a gap from beginning to end; of one without records that is known
 *      once a task is put there.  Where tasks were left out, they count, but are in no state, and a
 *      run counts if both its switches are recorded
 *
 * A gap is known from its beginning on (SCHED_CUT), before it is known how long it lasts.
 *
 * Rule 4 affects many tasks at once.  It is applied when a task is met again (settle_losses()),
 * with the same result, because only its own records change a task.
 */
#include "src/sched/sched_rules_private.h"

#include <stddef.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/sched/run_queue.h"

/* --- tasks by pid ---------------------------------------------------------------------- */

static __attribute__((noinline)) uint32_t find_task(const struct sched_rules *r, uint32_t pid)
{
	index_map_each (&r->map, index_map_hash(pid), i)
		if (task_at(r, i)->pid == pid)
			return i;
	return SCHED_NO_TASK;
}

uint32_t sched_rules_put(struct sched_rules *r, const struct sched_task *task)
{
	if (r->nr_tasks == r->cap_tasks) {
		r->cap_tasks = r->cap_tasks ? r->cap_tasks * 2 : 16;
		r->tasks = mem_resize(r->tasks, r->cap_tasks, r->task_bytes);
	}
	memcpy(task_at(r, r->nr_tasks), task, r->task_bytes);
	return r->nr_tasks++;
}

/* @former: the task that had the pid before; SCHED_NO_TASK: none. */
static __attribute__((noinline)) uint32_t add_task(struct sched_rules *r, uint32_t pid,
						   uint32_t former)
{
	if (r->nr_tasks >= SCHED_MAX_TASKS) {
		r->full = true;
		return SCHED_NO_TASK;
	}
	if (former == SCHED_NO_TASK)
		index_map_add(&r->map, index_map_hash(pid), r->nr_tasks);
	else
		index_map_replace(&r->map, index_map_hash(pid), former, r->nr_tasks);
	return sched_rules_put(r, &(struct sched_task){ .pid = pid, .cpu = -1, .last_cpu = -1,
						 .last_switch_cpu = -1, .born = r->now,
						 .to = INT64_MAX, .former = former,
						 .outside = r->options.is_only &&
							    !r->options.is_only(r->options.only_arg,
										pid),
						 .limited_since = SCHED_NO_END,
						 .from = INT64_MIN });
}

/* pid 0 is not a task, and neither are negative pids. */
static inline uint32_t task_of(struct sched_rules *r, uint32_t pid)
{
	uint32_t *recent = &r->recent[pid % RECENT], task = *recent;

	if (!pid)
		return SCHED_IDLE_TASK;
	if (task < r->nr_tasks && task_at(r, task)->pid == pid)
		return task;
	if (pid > INT32_MAX)
		return SCHED_NO_TASK;
	task = find_task(r, pid);
	*recent = task == SCHED_NO_TASK ? add_task(r, pid, SCHED_NO_TASK) : task;
	return *recent;
}

static inline bool is_task(uint32_t task)
{
	return task < SCHED_IDLE_TASK;
}

/* Rule 8: it runs now, but nothing tells for how long. */
static inline bool is_outside(const struct sched_rules *r, uint32_t task)
{
	return __builtin_expect(r->options.is_only != NULL, 0) &&
	       (!is_task(task) || task_at(r, task)->outside);
}

static inline void see_name(const struct sched_rules *r, struct sched_task *t, uint32_t comm,
			    int64_t ts)
{
	if (!comm || t->comm == comm)
		return;
	t->comm = comm;
	if (!t->first_comm)
		t->first_comm = comm;
	TELL(r, named, t->pid, comm, ts);
}

/* --- sums -------------------------------------------------------------------------------- */

#define ADD(member) SUM_ADD(sum->member, of->member)

void sched_task_add(struct sched_task *sum, const struct sched_task *of)
{
	sum->outside |= of->outside;
	sum->untold |= of->untold;
	sum->woken_late |= of->woken_late;
	sum->lost_waking |= of->lost_waking;
	sum->unwoken |= of->unwoken;
	sum->waited_more |= of->waited_more;
	ADD(run);
	ADD(run_cut);
	ADD(wait);
	ADD(sleep);
	ADD(blocked);
	ADD(throttled);
	ADD(doubtful_wait);
	ADD(doubtful_sleep);
	ADD(doubtful_blocked);
	ADD(switches);
	ADD(preemptions);
	ADD(migrations);
	ADD(moves);
	ADD(wakeups);
	ADD(woke);
	ADD(answered);
	ADD(unsure);
	if (of->max_wakeup <= sum->max_wakeup)
		return;
	sum->max_wakeup = of->max_wakeup;
	sum->max_wake_ts = of->max_wake_ts;
	sum->max_wake_comm = of->max_wake_comm;
	sum->max_wake_prio = of->max_wake_prio;
}

/* --- states ------------------------------------------------------------------------------ */

/* The sums in which something at this time on a CPU counts; NULL: none. */
static inline struct sched_task *sums_at(const struct sched_rules *r, struct sched_task *t,
					 int64_t ts, int32_t cpu)
{
	if (r->options.no_sums || !is_asked(r, cpu))
		return NULL;
	if (time_range_has(&r->options.range, ts))
		return t;
	return r->nr_earlier ? sched_slices_task_at(r, t, ts) : NULL;
}

/* Does a gap of any CPU end after @from? */
static inline bool any_gap_after(const struct sched_rules *r, int64_t from)
{
	return __builtin_expect(r->open_gaps || r->lacks_since < INT64_MAX ||
					(r->nr_ended && r->ended[r->nr_ended - 1].to > from),
				0);
}

/* A gap of a CPU on which nothing can have happened: what other CPUs do is not doubtful for it. */
static inline bool hides_nothing(unsigned int why)
{
	return why == TRACE_OFFLINE;
}

/* Is a moment inside an open gap?  One that ends at this moment is still open. */
static bool is_in_open_gap(const struct sched_rules *r, int64_t ts)
{
	for (unsigned int i = 0; i < r->options.nr_cpus; i++) {
		const struct rules_cpu *c = &r->cpus[i];
		const struct rules_gap *last = c->nr_gaps ? &c->gaps[c->nr_gaps - 1] : NULL;

		if (last && last->to == INT64_MAX && last->from < ts && c->open_to > ts &&
		    !hides_nothing(last->why))
			return true;
	}
	return false;
}

/* A gap overlaps a time if it begins before its end, and ends after its start. */
static __attribute__((noinline)) bool find_gap(const struct sched_rules *r, int64_t from,
					       int64_t to)
{
	uint32_t i;

	if (r->lacks_since <= to ||
	    (r->open_gaps && r->open_from < to && (from < to || is_in_open_gap(r, to))))
		return true;
	i = bisect(r->nr_ended, k, r->ended[k].to <= from);
	return i < r->nr_ended && r->ended[i].from < to;
}

/*
 * Rule 6: may missing records have begun or ended the task's state, or interrupted it before ts?
 */
static inline bool is_doubtful(const struct sched_rules *r, const struct sched_task *t, int64_t ts)
{
	if (t->state < SCHED_WAITS || t->state > SCHED_BLOCKED)
		return false;
	if (t->late || (t->elsewhere && is_waiting(t)))
		return true;
	if (!any_gap_after(r, t->since))
		return false;
	return is_waiting(t) ? find_gap(r, t->since, ts) :
			       r->lacks_since <= ts || sched_rules_lost(r, t->since, ts);
}

/* Add a time in the task's state. */
static inline void add_state(struct sched_task *sums, const struct sched_task *t, int64_t ns,
			     bool open, bool doubtful)
{
	switch ((enum sched_state)t->state) {
	case SCHED_RUNS:
		add_time(t->cut || open ? &sums->run_cut : &sums->run, ns);
		break;
	case SCHED_WAITS:
	case SCHED_PREEMPTED:
		add_time(&sums->wait, ns);
		if (__builtin_expect(doubtful, 0))
			add_time(&sums->doubtful_wait, ns);
		break;
	case SCHED_SLEEPS:
		add_time(&sums->sleep, ns);
		if (__builtin_expect(doubtful, 0))
			add_time(&sums->doubtful_sleep, ns);
		break;
	case SCHED_BLOCKED:
		add_time(&sums->blocked, ns);
		if (__builtin_expect(doubtful, 0))
			add_time(&sums->doubtful_blocked, ns);
		break;
	case SCHED_UNKNOWN:
	case SCHED_GONE:
		break;
	}
}

static __attribute__((noinline)) void add_to_sums(const struct sched_rules *r, struct sched_task *t,
						  int64_t ts, bool open, int32_t cpu, bool doubtful)
{
	int64_t from = t->since > t->from ? t->since : t->from;

	if (r->options.is_only && t->state == SCHED_RUNS && open)
		return;
	if (__builtin_expect(r->options.only != NULL, 0) &&
	    !is_asked(r, t->state == SCHED_RUNS   ? t->cpu :
			 t->state >= SCHED_SLEEPS ? t->last_switch_cpu :
						    cpu))
		return;
	for (uint32_t i = r->nr_earlier ? time_slices_after(r->slices, from) : 0; i < r->nr_earlier;
	     i++) {
		int64_t part = time_range_part(&r->slices->list[i], from, ts);

		if (part)
			add_state(sched_slices_task(r, t, i), t, part, open, doubtful);
	}
	add_state(t, t, time_range_part(&r->options.range, from, ts), open, doubtful);
}

/*
 * End the interval of a task's state and count it, unless filters exclude it (@not).  @open: no
 * record ends it.  @cpu: where a wait ends.
 */
static inline void add(const struct sched_rules *r, struct sched_task *t, int64_t ts, bool open,
		       int32_t cpu, unsigned int not, bool doubtful)
{
	if (!r->options.no_sums && !not &&!(open && r->options.filtered))
		add_to_sums(r, t, ts, open, cpu, doubtful);
}

/* With a wait ends what kept the task from running; listeners hear that first. */
static inline bool end_limit(struct sched_rules *r, uint32_t task, enum sched_state next,
			     int64_t ts)
{
	return __builtin_expect(task_at(r, task)->limited_since != SCHED_NO_END, 0) &&
	       sched_throttle_end(r, task, next == SCHED_RUNS, ts);
}

/* Tell the listener before the task becomes what it is then; fills in @change. */
static __attribute__((noinline)) void tell_task(struct sched_rules *r, uint32_t task,
						struct sched_change *change)
{
	const struct sched_task *t = task_at(r, task);

	change->used_up = end_limit(r, task, change->state, change->ts);
	change->was = (enum sched_state)t->state;
	change->since = t->since;
	change->was_cut = t->cut;
	TELL(r, task, task, change);
	if (r->options.queue)
		run_queue_task(r->options.queue, task, change);
}

/* A record ends the task's wait or sleep: for listeners that want to know no more. */
static inline void tell_end(struct sched_rules *r, const struct sched_task *t,
			    const struct sched_rec *rec, bool doubtful)
{
	if (t->state >= SCHED_WAITS && t->state <= SCHED_BLOCKED &&
	    !(rec->uncounted & SCHED_NOT_OTHER))
		TELL(r, ended, (enum sched_state)t->state, t->since, rec->ts,
		     doubtful || (t->lacks_waking && t->state == SCHED_WAITS));
}

static inline void become(struct sched_rules *r, uint32_t task, enum sched_state state, int64_t ts)
{
	end_limit(r, task, state, ts);
	task_at(r, task)->state = (uint8_t)state;
	task_at(r, task)->since = ts;
}

/* Its state counts nowhere, and so does the part of it in which a limit held. */
static inline void drop_limit(struct sched_task *t)
{
	if (__builtin_expect(t->limited_since != SCHED_NO_END, 0))
		t->limited_since = INT64_MAX;
}

/* Forget a task's state: records contradict each other. */
static void forget(struct sched_rules *r, uint32_t task, enum sched_state next, int64_t ts)
{
	task_at(r, task)->is_open = false;
	drop_limit(task_at(r, task));
	if (r->tells_tasks)
		tell_task(r, task,
			  &(struct sched_change){ .ts = ts, .state = next, .dropped = true,
						 .cpu = -1 });
	become(r, task, next, ts);
}

/* Nobody renames itself asleep: the task may be another one, whose pid was used again. */
static inline void see_sleeper(struct sched_rules *r, uint32_t task, uint32_t comm, int64_t ts)
{
	struct sched_task *t = task_at(r, task);

	if (__builtin_expect(comm && t->comm && t->comm != comm, 0) &&
	    (t->state == SCHED_SLEEPS || t->state == SCHED_BLOCKED))
		forget(r, task, SCHED_UNKNOWN, ts);
	see_name(r, t, comm, ts);
}

/* What was known of a task ended then: records of a CPU are missing. */
static void lose(struct sched_rules *r, uint32_t task, int64_t end, int32_t cpu)
{
	struct sched_task *t = task_at(r, task);
	struct sched_change change = { .ts = end, .state = SCHED_UNKNOWN, .cpu = cpu,
				       .lost = true };

	if (t->state == SCHED_UNKNOWN)
		return;
	if (t->since <= end) {
		change.doubtful = is_doubtful(r, t, end);
		add(r, t, end, true, t->last_cpu, 0, change.doubtful);
	} else {
		change.dropped = true;
		change.ts = t->since;
		drop_limit(t);
	}
	t->is_open = false;
	if (r->tells_tasks)
		tell_task(r, task, &change);
	become(r, task, SCHED_UNKNOWN, change.ts);
}

/* Apply new losses of its last CPU: the first of them ended what was known (rule 4). */
static __attribute__((noinline)) void settle_losses(struct sched_rules *r, uint32_t task)
{
	struct sched_task *t = task_at(r, task);
	const struct rules_cpu *c = &r->cpus[t->last_cpu];
	int64_t end = c->losses[t->losses];

	t->losses = c->nr_losses;
	lose(r, task, end, t->last_cpu);
}

static inline struct sched_task *settle(struct sched_rules *r, uint32_t task)
{
	struct sched_task *t = task_at(r, task);

	if (__builtin_expect(r->nr_gaps != 0, 0) && t->last_cpu >= 0 &&
	    r->cpus[t->last_cpu].nr_losses != t->losses)
		settle_losses(r, task);
	return t;
}

struct sched_task *sched_rules_end_sums(struct sched_rules *r, uint32_t task, int64_t ts)
{
	struct sched_task *t = settle(r, task);

	if (r->options.filtered)
		return t;
	if (ts > t->since)
		add(r, t, ts, false, t->last_cpu, 0, is_doubtful(r, t, ts));
	t->from = ts;
	return t;
}

static inline void set_last_cpu(struct sched_rules *r, struct sched_task *t, int32_t cpu)
{
	t->last_cpu = cpu;
	t->elsewhere = cpu < 0;
	t->losses = r->nr_gaps && cpu >= 0 ? r->cpus[cpu].nr_losses : 0;
}

static inline void set_last_switch(struct sched_task *t, unsigned int cpu, int64_t ts)
{
	t->last_switch_cpu = (int32_t)cpu;
	t->last_switch_ts = ts;
}

/*
 * A record tells where the task is to run now.  @woken: a sched_wakeup: from a sched_waking up to
 * it, the task is on its way to a queue, and it does not matter by which CPUs.
 */
static inline void move_to(struct sched_rules *r, uint32_t task, int32_t cpu, int64_t ts,
			   bool woken)
{
	struct sched_task *t = task_at(r, task);

	if (cpu < 0) {
		cpu = SCHED_ELSEWHERE;
		r->lacks_since = r->now < r->lacks_since ? r->now : r->lacks_since;
	}
	if (is_waiting(t) && t->queue != cpu && (woken || t->queue != SCHED_NO_QUEUE)) {
		TELL(r, moved, task, cpu, ts);
		if (r->options.queue && !t->is_throttled)
			run_queue_moved(r->options.queue, task, cpu, ts);
		t->queue = cpu;
	}
	set_last_cpu(r, t, cpu);
}

/* Does it run on this CPU, as far as known? */
static inline bool runs_on(const struct sched_task *t, unsigned int cpu)
{
	return t->state == SCHED_RUNS && t->cpu == (int32_t)cpu;
}

/* The task that comes to a CPU goes on with softirqs. */
static __attribute__((noinline)) void resume(struct sched_rules *r, unsigned int cpu,
					     const struct sched_change *change)
{
	struct sched_nest *nest = &r->cpus[cpu].nest;
	unsigned int nr = sched_nest_return(nest, change->rec->pid2);

	for (unsigned int i = 0; i < nr; i++) {
		struct sched_rec again = nest->open[i];

		again.ts = change->ts;
		TELL(r, resumed, cpu, &again);
	}
}

/* Interrupts cannot last over a switch or a loss: the record of their end is missing. */
static inline void tell_cpu(struct sched_rules *r, unsigned int cpu,
			    const struct sched_change *change)
{
	struct sched_nest *nest = &r->cpus[cpu].nest;

	TELL(r, cpu, cpu, change);
	if (nest->nr && change->rec)
		sched_nest_leave(nest, change->rec->pid);
	if (nest->nr_paused && change->rec)
		resume(r, cpu, change);
	if (!change->rec) {
		nest->nr = nest->nr_paused = 0;
		nest->raised[0] = nest->raised[1] = SCHED_NOT_RAISED;
	}
	if (r->options.queue && !change->missing)
		run_queue_cpu(r->options.queue, cpu, change);
}

/* --- stretches --------------------------------------------------------------------------- */

/* Rule 1, for the prev_pid of the first switch. */
static void run_from_start(struct sched_rules *r, unsigned int cpu, uint32_t task, int64_t ts)
{
	struct sched_task *t = settle(r, task);

	drop_limit(t);
	t->listed = true;
	t->is_open = t->late = t->ended = false;
	t->cut = true;
	t->cpu = (int32_t)cpu;
	set_last_cpu(r, t, (int32_t)cpu);
	if (r->tells_tasks)
		tell_task(r, task,
			  &(struct sched_change){ .ts = ts, .state = SCHED_RUNS,
						 .dropped = t->state != SCHED_UNKNOWN, .cut = true,
						 .cpu = (int32_t)cpu });
	become(r, task, SCHED_RUNS, ts);
}

static void add_loss(struct rules_cpu *c, int64_t ts)
{
	mem_grow(&c->losses, c->nr_losses, &c->cap_losses);
	c->losses[c->nr_losses++] = ts;
}

/* A stretch ends before a loss; SCHED_NO_END: there was none, events are lost since the first. */
static void take_cut(struct sched_rules *r, unsigned int cpu, const struct sched_rec *rec)
{
	struct rules_cpu *c = &r->cpus[cpu];
	bool is_open = c->nr_gaps && c->gaps[c->nr_gaps - 1].to == INT64_MAX;
	unsigned int why = rec->detail & ~SCHED_INFERRED;

	c->open_to = rec->end;
	if (is_open)		/* it was told before its end was known */
		return;
	mem_grow(&c->gaps, c->nr_gaps, &c->cap_gaps);
	c->gaps[c->nr_gaps++] = (struct rules_gap){ rec->ts, INT64_MAX, rec->missing,
						    (rec->detail & SCHED_INFERRED) != 0,
						    (uint8_t)why };
	if (rec->ts == SCHED_NO_END)
		add_loss(c, rec->ts);
	r->nr_gaps++;
	r->nr_lost += !rec->missing;
	r->open_gaps++;
	if (!hides_nothing(why) && rec->ts < r->open_from)
		r->open_from = rec->ts;
	if (!rec->missing)
		TELL(r, cut, cpu, rec->ts);
	if (r->options.queue)
		run_queue_cut(r->options.queue, cpu, rec->ts, !hides_nothing(why));
}

static void find_open_from(struct sched_rules *r)
{
	r->open_from = INT64_MAX;
	for (unsigned int i = 0; r->open_gaps && i < r->options.nr_cpus; i++) {
		const struct rules_cpu *c = &r->cpus[i];
		const struct rules_gap *last = c->nr_gaps ? &c->gaps[c->nr_gaps - 1] : NULL;

		if (last && last->to == INT64_MAX && last->from < r->open_from &&
		    !hides_nothing(last->why))
			r->open_from = last->from;
	}
}

/* The gaps before the first records of CPUs begin with the first record of all. */
static void begin(struct sched_rules *r, int64_t ts)
{
	r->begun = true;
	r->first = ts;
	for (unsigned int i = 0; i < r->options.nr_cpus; i++)
		if (r->cpus[i].nr_gaps)
			r->cpus[i].gaps[0].from = ts;
	find_open_from(r);
}

static void end_gap(struct sched_rules *r, struct rules_gap gap)
{
	uint32_t first, after = bisect(r->nr_ended, k, r->ended[k].to <= gap.to);

	if (after < r->nr_ended && r->ended[after].from <= gap.from)
		return;
	for (first = after; first && r->ended[first - 1].from >= gap.from;)
		first--;
	mem_grow(&r->ended, r->nr_ended, &r->cap_ended);
	memmove(&r->ended[first + 1], &r->ended[after], (r->nr_ended - after) * sizeof(*r->ended));
	r->ended[first] = gap;
	r->nr_ended -= after - first - 1;
}

/* Is the first gap that before its first record? */
static bool lost_first(const struct rules_cpu *c)
{
	return c->nr_losses && c->losses[0] == SCHED_NO_END;
}

static void close_gap(struct sched_rules *r, unsigned int cpu, int64_t ts)
{
	struct rules_cpu *c = &r->cpus[cpu];
	struct rules_gap *gap = &c->gaps[c->nr_gaps - 1];
	const struct sched_change lost = { .ts = gap->from, .task = SCHED_NO_TASK, .lost = true,
					   .missing = gap->missing, .cpu = -1 };
	bool is_before_first = c->nr_gaps == 1 && lost_first(c);

	gap->to = ts;
	if (!gap->missing && !is_before_first)
		add_loss(c, gap->from);
	r->open_gaps--;
	if (gap->from == r->open_from)
		find_open_from(r);
	if (!hides_nothing(gap->why))
		end_gap(r, *gap);
	if (is_before_first && gap->from >= ts)
		return;
	tell_cpu(r, cpu, &lost);
}

/*
 * Nothing could be recorded on any CPU: a gap of each, but where one is open, and lasts longer;
 * what was known of tasks ends there already.  Who runs then is told by the CPU's next records.
 */
static void take_absence(struct sched_rules *r, const struct sched_rec *rec)
{
	for (unsigned int i = 0; i < r->options.nr_cpus; i++) {
		struct rules_cpu *c = &r->cpus[i];
		bool is_open = c->nr_gaps && c->gaps[c->nr_gaps - 1].to == INT64_MAX;

		if (is_open && c->begun)
			add_loss(c, c->gaps[c->nr_gaps - 1].from);
		else if (c->begun)
			take_cut(r, i, rec);
	}
	/* of a task that is on none of these CPUs, what lasts ends, too */
	for (uint32_t i = 0; i < r->nr_tasks; i++) {
		int32_t cpu = task_at(r, i)->last_cpu;

		if (cpu < 0 || !r->cpus[cpu].begun)
			lose(r, i, rec->ts, cpu < 0 ? -1 : cpu);
	}
	for (unsigned int i = 0; i < r->options.nr_cpus; i++) {
		struct rules_cpu *c = &r->cpus[i];

		if (!c->begun || c->gaps[c->nr_gaps - 1].why == TRACE_PRESENT)
			continue;
		close_gap(r, i, rec->end);
		c->runner = SCHED_NO_TASK;
		tell_cpu(r, i,
			 &(struct sched_change){ .ts = rec->end, .task = SCHED_NO_TASK,
						 .cut = true, .cpu = -1 });
	}
}

/* Rule 7: another task ran here up to now, so a switch is not recorded. */
static __attribute__((noinline)) void add_missing(struct rules_cpu *c, int64_t ts)
{
	mem_grow(&c->missing, c->nr_missing, &c->cap_missing);
	c->missing[c->nr_missing++] = ts;
}

/* Rules 4 and 1. */
static void take_stretch(struct sched_rules *r, unsigned int cpu, const struct sched_rec *rec)
{
	struct rules_cpu *c = &r->cpus[cpu];
	uint32_t task = SCHED_NO_TASK, former = c->runner;

	if (!r->begun)
		begin(r, rec->ts);
	c->begun = true;
	if (c->nr_gaps && c->gaps[c->nr_gaps - 1].to == INT64_MAX)
		close_gap(r, cpu, rec->ts);
	if (rec->missing == SCHED_SWITCH_MISSING)
		add_missing(c, rec->ts);
	if (rec->detail <= SCHED_FIRST_BLIND && !r->options.is_only)
		task = task_of(r, rec->pid);
	if (is_task(former) && former != task && runs_on(settle(r, former), cpu))
		forget(r, former, SCHED_UNKNOWN, rec->ts);
	if (is_task(task))
		run_from_start(r, cpu, task, rec->ts);
	c->runner = task;
	c->yields = 0;
	tell_cpu(r, cpu,
		 &(struct sched_change){ .ts = rec->ts, .task = task, .cut = true, .cpu = -1 });
}

/* --- sched_switch ------------------------------------------------------------------------ */

static const enum sched_state state_of_class[] = {
	[SCHED_CLASS_RUNNABLE] = SCHED_PREEMPTED, [SCHED_CLASS_SLEEP] = SCHED_SLEEPS,
	[SCHED_CLASS_BLOCKED] = SCHED_BLOCKED, [SCHED_CLASS_GONE] = SCHED_GONE,
};

/* Return: whether it did run here. */
static inline bool switch_out(struct sched_rules *r, unsigned int cpu, uint32_t task,
			      const struct sched_rec *rec)
{
	struct sched_task *t = settle(r, task);
	bool ran = runs_on(t, cpu);
	enum sched_state state = state_of_class[rec->detail];
	uint32_t limit = state == SCHED_PREEMPTED ? sched_throttle_limit(r, cpu, rec) :
						    SCHED_NO_LIMIT;
	struct sched_task *sums = rec->uncounted & SCHED_NOT_ITS ?
					  NULL :
					  sums_at(r, t, rec->ts, (int32_t)cpu);

	see_name(r, t, rec->comm, rec->ts);
	t->listed = true;
	t->prio = rec->prio;
	if (ran)
		add(r, t, rec->ts, false, (int32_t)cpu, rec->uncounted & SCHED_NOT_ITS, false);
	else
		drop_limit(t);
	t->is_open = t->late = false;
	if (sums) {
		sums->switches++;
		sums->preemptions += state == SCHED_PREEMPTED && limit == SCHED_NO_LIMIT;
	}
	t->itself = r->options.tells_preempted && !rec->cpu;
	set_last_switch(t, cpu, rec->ts);
	t->ended |= state == SCHED_GONE;
	t->queue = (int32_t)cpu;
	set_last_cpu(r, t, (int32_t)cpu);
	if (r->tells_tasks)
		tell_task(r, task,
			  &(struct sched_change){ .ts = rec->ts, .state = state,
						 .dropped = !ran && t->state != SCHED_UNKNOWN,
						 .cpu = (int32_t)cpu, .prev_state = rec->cpu,
						 .limit = limit + 1, .rec = rec });
	become(r, task, state, rec->ts);
	if (__builtin_expect(limit < SCHED_LIMIT_GROUP, 0))
		sched_throttle_begin(r, task, limit, rec->ts, false);
	else if (__builtin_expect(rec->prio < SCHED_FIRST_FAIR, 0) && state == SCHED_PREEMPTED &&
		 r->options.has_prios)
		sched_throttle_leave(r, task);
	return ran;
}

static inline void answer(struct sched_rules *r, struct sched_task *t, unsigned int cpu, int64_t ts,
			  unsigned int not, bool doubtful)
{
	int64_t latency = (int64_t)((uint64_t)ts - (uint64_t)t->wake_ts);
	struct sched_task *sums = not ? NULL : sums_at(r, t, t->wake_ts, (int32_t)cpu);

	t->is_open = false;
	if (sums) {
		sums->answered++;
		sums->unsure += doubtful;
		if (!doubtful && latency > sums->max_wakeup) {
			sums->max_wakeup = latency;
			sums->max_wake_ts = t->wake_ts;
			sums->max_wake_comm = t->comm;
			sums->max_wake_prio = t->prio;
		}
	}
}

/* A switch of the task may be missing, on any CPU, since the last one that is known. */
static enum sched_moved moved(const struct sched_rules *r, const struct sched_task *t, int32_t cpu,
			      int64_t ts, bool doubtful)
{
	int64_t since = t->last_switch_cpu >= 0 ? t->last_switch_ts : INT64_MIN;

	if (doubtful || sched_rules_gap(r, since, ts))
		return SCHED_MAY_HAVE_MOVED;
	return t->last_switch_cpu >= 0 && t->last_switch_cpu != cpu ? SCHED_MOVED : SCHED_STAYED;
}

static inline void switch_in(struct sched_rules *r, unsigned int cpu, uint32_t task,
			     const struct sched_rec *rec)
{
	struct sched_task *t = settle(r, task);
	unsigned int not = rec->uncounted & SCHED_NOT_OTHER;
	enum sched_moved from = SCHED_STAYED;
	bool sleeps, doubtful;

	see_sleeper(r, task, rec->comm2, rec->ts);
	sleeps = t->state == SCHED_SLEEPS || t->state == SCHED_BLOCKED;
	doubtful = sleeps || is_doubtful(r, t, rec->ts);
	t->listed = true;
	t->prio = rec->prio2;
	if (t->state != SCHED_RUNS)
		add(r, t, rec->ts, false, (int32_t)cpu, not, doubtful);
	if (t->is_open)
		answer(r, t, cpu, rec->ts, not, doubtful || t->lacks_waking);
	if (!not &&t->last_switch_cpu >= 0 && t->last_switch_cpu != (int32_t)cpu) {
		struct sched_task *sums = sums_at(r, t, rec->ts, (int32_t)cpu);

		if (sums)
			sums->moves++;
	}
	if (r->tells_tasks)
		from = moved(r, t, (int32_t)cpu, rec->ts, doubtful);
	set_last_switch(t, cpu, rec->ts);
	t->cut = t->ended = false;
	t->cpu = (int32_t)cpu;
	set_last_cpu(r, t, (int32_t)cpu);
	tell_end(r, t, rec, doubtful);
	if (r->tells_tasks)
		tell_task(r, task,
			  &(struct sched_change){ .ts = rec->ts, .state = SCHED_RUNS,
						 .dropped = t->state == SCHED_RUNS,
						 .doubtful = doubtful, .moved = from,
						 .cpu = (int32_t)cpu, .rec = rec });
	become(r, task, SCHED_RUNS, rec->ts);
}

/* Rule 8: a task leaves a CPU, or comes to one, whose events were not recorded. */
static __attribute__((noinline)) void switch_outside(struct sched_rules *r, unsigned int cpu,
						     uint32_t task, const struct sched_rec *rec,
						     bool leaves)
{
	struct sched_task *t = task_at(r, task),
			  *sums = rec->uncounted & (leaves ? SCHED_NOT_ITS : SCHED_NOT_OTHER) ?
					  NULL :
					  sums_at(r, t, rec->ts, (int32_t)cpu);

	see_name(r, t, leaves ? rec->comm : rec->comm2, rec->ts);
	t->listed = true;
	t->prio = leaves ? rec->prio : rec->prio2;
	if (sums && leaves) {
		sums->switches++;
		sums->preemptions += rec->detail == SCHED_CLASS_RUNNABLE;
	} else if (sums) {
		sums->moves += t->last_switch_cpu >= 0 && t->last_switch_cpu != (int32_t)cpu;
	}
	t->ended = leaves && rec->detail == SCHED_CLASS_GONE;
	set_last_switch(t, cpu, rec->ts);
}

/* Rule 2. */
static inline void take_switch(struct sched_rules *r, unsigned int cpu, const struct sched_rec *rec)
{
	struct rules_cpu *c = &r->cpus[cpu];
	uint32_t runner = c->runner, prev, next;
	bool sure;

	prev = is_task(runner) && task_at(r, runner)->pid == rec->pid ? runner :
									task_of(r, rec->pid);
	next = task_of(r, rec->pid2);
	sure = prev == runner;
	if (__builtin_expect(!sure, 0) && runner != SCHED_NO_TASK && prev != SCHED_NO_TASK)
		add_missing(c, rec->ts);
	if (__builtin_expect(r->nr_left, 0))
		sched_throttle_pass(r, cpu, rec);
	if (is_task(prev) && task_at(r, prev)->outside)
		switch_outside(r, cpu, prev, rec, true);
	else if (is_task(prev))
		sure &= switch_out(r, cpu, prev, rec);
	if (is_task(runner) && runner != prev && runs_on(settle(r, runner), cpu))
		forget(r, runner, SCHED_UNKNOWN, rec->ts);
	if (is_task(next) && task_at(r, next)->outside)
		switch_outside(r, cpu, next, rec, false);
	else if (is_task(next))
		switch_in(r, cpu, next, rec);
	if (is_outside(r, next))
		next = SCHED_NO_TASK;
	c->runner = next;
	c->yields = 0;
	c->switched = rec->ts;
	tell_cpu(r, cpu,
		 &(struct sched_change){ .ts = rec->ts,
					 .task = next,
					 .dropped = !sure,
					 .cpu = -1,
					 .rec = rec });
}

/* --- births and exits ---------------------------------------------------------------------- */

static void take_exit(struct sched_rules *r, const struct sched_rec *rec)
{
	uint32_t task = task_of(r, rec->pid);

	if (is_task(task))
		task_at(r, task)->ended = true;
}

/* A task that has done something, and does not run, is not born: its exit was not recorded. */
static bool is_another(const struct sched_task *t)
{
	return t->ended ||
	       (t->state != SCHED_RUNS && (t->state != SCHED_UNKNOWN || t->last_switch_cpu >= 0));
}

/* A task is born: another one, if the one with its pid has exited. */
static void take_birth(struct sched_rules *r, const struct sched_rec *rec)
{
	uint32_t known = r->nr_tasks, task = task_of(r, rec->pid), next;

	if (!is_task(task))
		return;
	if (task < known && !is_another(settle(r, task)))
		return;
	if (task < known) {
		if (settle(r, task)->state != SCHED_GONE)
			forget(r, task, SCHED_GONE, rec->ts);
		next = add_task(r, rec->pid, task);
		if (next == SCHED_NO_TASK)
			return;
		task_at(r, task)->to = rec->ts;
		task_at(r, task)->last_cpu = -1;
		for (unsigned int i = 0; i < r->options.nr_cpus; i++)
			if (r->cpus[i].runner == task)	/* its end there is not recorded */
				r->cpus[i].runner = SCHED_NO_TASK;
		r->recent[rec->pid % RECENT] = task = next;
	}
	task_at(r, task)->is_born = true;
}

/* A thread executes a program: it is the task with the pid of its process from now on. */
static void take_exec(struct sched_rules *r, unsigned int cpu, const struct sched_rec *rec)
{
	struct sched_change ends = { .ts = rec->ts, .state = SCHED_GONE, .cpu = (int32_t)cpu },
			    runs = { .ts = rec->ts, .state = SCHED_RUNS, .cpu = (int32_t)cpu };
	uint32_t thread = rec->comm2 && rec->comm2 != rec->pid ? find_task(r, rec->comm2) :
								 SCHED_NO_TASK,
		 task;
	struct sched_task *t;

	if (rec->comm && is_task(task_of(r, rec->pid)))
		see_name(r, task_at(r, task_of(r, rec->pid)), rec->comm, rec->ts);
	if (!is_task(thread) || !runs_on(settle(r, thread), cpu))
		return;
	t = task_at(r, thread);
	add(r, t, rec->ts, false, (int32_t)cpu, rec->uncounted & SCHED_NOT_ITS, false);
	if (r->tells_tasks)
		tell_task(r, thread, &ends);
	become(r, thread, SCHED_GONE, rec->ts);
	t->ended = true;
	task = task_of(r, rec->pid);
	if (is_task(task))
		task_at(r, task)->ended = true;
	take_birth(r, rec);
	task = task_of(r, rec->pid);
	r->cpus[cpu].runner = task;
	if (!is_task(task))
		return;
	t = task_at(r, task);
	t->listed = true;
	t->cpu = (int32_t)cpu;
	t->prio = task_at(r, thread)->prio;
	set_last_cpu(r, t, (int32_t)cpu);
	if (r->tells_tasks)
		tell_task(r, task, &runs);
	become(r, task, SCHED_RUNS, rec->ts);
	tell_cpu(r, cpu, &(struct sched_change){ .ts = rec->ts, .task = task, .cpu = -1 });
}

/* Is it recorded as its maker is?  Before the birth nothing is known of it. */
static void take_child(struct sched_rules *r, const struct sched_rec *rec)
{
	uint32_t maker = task_of(r, rec->pid2), task = task_of(r, rec->pid);

	if (r->options.only_children && is_task(maker) && is_task(task) && !is_outside(r, maker))
		task_at(r, task)->outside = false;
}

/* --- wake-ups ------------------------------------------------------------------------------ */

int32_t sched_rules_cpu(const struct sched_rules *r, uint32_t number)
{
	return number < r->nr_cpu_of ? r->cpu_of[number] : -1;
}

static bool has_waking(struct sched_rules *r)
{
	if (!r->asked_waking && r->options.has_waking)
		r->has_waking = r->options.has_waking(r->options.waking_arg);
	r->asked_waking = true;
	return r->has_waking;
}

/*
 * A sched_wakeup begins a wait of the task: is its sched_waking lost?  @missing: records before it
 * are, or may be.
 */
static bool may_be_late(struct sched_rules *r, const struct sched_task *t, int64_t ts, bool missing)
{
	if (!missing && (t->state != SCHED_UNKNOWN || !find_gap(r, INT64_MIN, ts)))
		return false;
	return has_waking(r);
}

/* May it be migration/N, which is in the stop class? */
static bool may_be_stopper(const struct sched_rules *r, uint32_t task)
{
	return r->options.has_prios && is_task(task) && task_at(r, task)->last_switch_cpu >= 0 &&
	       !task_at(r, task)->prio;
}

/*
 * A sched_wakeup is recorded where the task joins a queue.  For the queue of another CPU the kernel
 * (3.0 and later) may have that one do it: in an interrupt, when it idles, or when it stops for a
 * task that migrates.  May this be such a record?  Then only a sched_waking would tell who woke the
 * task.
 */
static bool is_remote(const struct sched_rules *r, const struct sched_change *c)
{
	const struct sched_nest *nest = &r->cpus[c->cpu].nest;
	const struct sched_rec *rec = c->rec, *in = nest->nr ? &nest->open[nest->nr - 1] : NULL;
	bool lacks_flags = r->options.lacks_flags;

	if (rec->cpu != SCHED_NO_CPU && (int)rec->cpu != r->options.cpus[c->cpu])
		return false;
	/* a timer's function in a softirq can be interrupted, unlike one in an interrupt */
	if (in && in->detail == SCHED_CONTEXT_TIMER)
		return lacks_flags ?
			       sched_nest_context(nest) != SCHED_CONTEXT_IRQ :
			       rec->detail & TRACE_IN_HARDIRQ && rec->detail & TRACE_IN_SOFTIRQ;
	if (in && in->detail == SCHED_CONTEXT_IRQ)
		return in->prio;
	return lacks_flags || c->by >= SCHED_CONTEXT_IRQ ||
	       (c->by == SCHED_CONTEXT_TASK && (!is_task(c->waker) || may_be_stopper(r, c->waker)));
}

/* Was a wake-up made in what an ENTER began, and not in an interrupt on top that has no record? */
static bool is_in(const struct sched_rules *r, const struct sched_change *c,
		  const struct sched_rec *in)
{
	if (in->cpu && !r->options.lacks_flags)
		return in->cpu == (c->rec->detail & SCHED_IN_INTERRUPT);
	return c->by < SCHED_CONTEXT_IRQ || in->detail != SCHED_CONTEXT_SOFTIRQ;
}

/*
 * Who woke a task: all views and lists have it from here.  @change: that of the task; its record
 * and its waker are set.  In an interrupt, the task that runs there has not woken anybody.
 */
static inline void find_waker(struct sched_rules *r, struct sched_change *change)
{
	const struct sched_nest *nest = &r->cpus[change->cpu].nest;
	unsigned int flags = change->rec->detail;

	if (r->options.lacks_flags && nest->nr)
		change->by = (enum sched_context)nest->open[nest->nr - 1].detail;
	else
		change->by = flags & TRACE_IN_NMI     ? SCHED_CONTEXT_NMI :
			     flags & TRACE_IN_HARDIRQ ? SCHED_CONTEXT_IRQ :
			     flags & TRACE_IN_SOFTIRQ ? SCHED_CONTEXT_SOFTIRQ :
							SCHED_CONTEXT_TASK;
	/* NET_RX of what it sends on loopback runs in its own call */
	if (change->by == SCHED_CONTEXT_SOFTIRQ && nest->nr &&
	    nest->open[nest->nr - 1].detail == SCHED_CONTEXT_SOFTIRQ &&
	    nest->open[nest->nr - 1].prio2)
		change->by = SCHED_CONTEXT_TASK;
	change->no_context = r->options.lacks_flags && change->by == SCHED_CONTEXT_TASK;
	change->late = change->rec->op == SCHED_WAKEUP;
	if (change->late && is_remote(r, change)) {
		change->waker = SCHED_NO_TASK;
		change->by = SCHED_CONTEXT_TASK;
	}
	if (nest->nr &&
	    (change->by != SCHED_CONTEXT_TASK ||
	     (change->waker == SCHED_IDLE_TASK && !change->no_context)) &&
	    is_in(r, change, &nest->open[nest->nr - 1]))
		change->in = &nest->open[nest->nr - 1];
}

/* Rule 3, if the wakeup counts.  Of a waiting task: records are missing. */
static void wake(struct sched_rules *r, unsigned int cpu, uint32_t task,
		 const struct sched_rec *rec, bool woken)
{
	struct sched_change change = { .ts = rec->ts, .state = SCHED_WAITS, .cpu = (int32_t)cpu,
				       .waker = task_of(r, rec->pid2), .rec = rec };
	struct sched_task *t = task_at(r, task);	/* task_of() may reallocate them */
	bool dropped = t->state == SCHED_WAITS,
	     doubtful = !dropped && (t->state == SCHED_PREEMPTED || is_doubtful(r, t, rec->ts));
	struct sched_task *sums;

	t->late = rec->op == SCHED_WAKEUP && may_be_late(r, t, rec->ts, dropped || doubtful);
	if (!dropped)
		add(r, t, rec->ts, false, is_waiting(t) ? t->last_cpu : (int32_t)cpu,
		    rec->uncounted & SCHED_NOT_OTHER, doubtful);
	t->is_open = true;
	t->woken = woken;
	t->queue = woken && rec->cpu != SCHED_NO_CPU ? t->last_cpu : SCHED_NO_QUEUE;
	t->left_cpu = rec->cpu != SCHED_NO_CPU ? sched_rules_cpu(r, rec->cpu) : SCHED_ELSEWHERE;
	t->woken_ts = INT64_MIN;
	t->wake_ts = rec->ts;
	sums = sums_at(r, t, rec->ts, (int32_t)cpu);
	find_waker(r, &change);
	t->lacks_waking = change.late && has_waking(r);
	r->has_late |= change.late && !t->lacks_waking;
	if (sums) {
		sums->wakeups += !(rec->uncounted & SCHED_NOT_OTHER);
		sums->woken_late |= change.late && !t->lacks_waking;
		sums->lost_waking |= t->lacks_waking;
	}
	sums = is_task(change.waker) && change.by == SCHED_CONTEXT_TASK ?
		       sums_at(r, task_at(r, change.waker), rec->ts, (int32_t)cpu) :
		       NULL;
	if (sums)
		sums->woke += !(rec->uncounted & SCHED_NOT_ITS);
	if (!dropped)
		tell_end(r, t, rec, doubtful);
	change.dropped = dropped;
	change.doubtful = doubtful;
	if (r->tells_tasks)
		tell_task(r, task, &change);
	become(r, task, SCHED_WAITS, rec->ts);
	if (change.by == SCHED_CONTEXT_TASK)
		TELL(r, wake, change.waker, task, rec->ts);
}

/*
 * Rule 8: a task is woken whose events were not recorded.  The sched_wakeup behind a sched_waking
 * is the same one.
 */
static void wake_outside(struct sched_rules *r, unsigned int cpu, uint32_t task,
			 const struct sched_rec *rec, bool woken)
{
	struct sched_change change = { .ts = rec->ts, .state = SCHED_WAITS, .cpu = (int32_t)cpu,
				       .waker = task_of(r, rec->pid2), .rec = rec };
	struct sched_task *t = task_at(r, task), *sums;
	bool again = woken && t->is_open;

	t->is_open = !woken;
	if (again)
		return;
	find_waker(r, &change);
	sums = sums_at(r, t, rec->ts, (int32_t)cpu);
	if (sums)
		sums->wakeups += !(rec->uncounted & SCHED_NOT_OTHER);
	if (change.by != SCHED_CONTEXT_TASK)
		return;
	sums = is_task(change.waker) ? sums_at(r, task_at(r, change.waker), rec->ts, (int32_t)cpu) :
				       NULL;
	if (sums)
		sums->woke += !(rec->uncounted & SCHED_NOT_ITS);
	TELL(r, wake, change.waker, task, rec->ts);
}

/* A wakeup or migration contains a task's name and priority. */
static inline struct sched_task *told_of(struct sched_rules *r, uint32_t task,
					 const struct sched_rec *rec)
{
	struct sched_task *t = settle(r, task);

	see_sleeper(r, task, rec->comm, rec->ts);
	t->listed = true;
	t->prio = rec->prio;
	return t;
}

/*
 * A task that left its CPU in R is woken: it waited for something after all, as for the rtlocks of
 * PREEMPT_RT.  (One that was preempted on its way to sleep is woken, too.)
 */
static bool could_not_run(const struct sched_rules *r, const struct sched_task *t, int64_t ts)
{
	return t->itself && !(any_gap_after(r, t->since) && find_gap(r, t->since, ts));
}

/* @woken: not a sched_waking. */
static inline void take_wake(struct sched_rules *r, unsigned int cpu, const struct sched_rec *rec,
			     bool woken)
{
	uint32_t task = task_of(r, rec->pid);
	struct sched_task *t;

	r->has_wakes = true;
	if (!is_task(task))
		return;
	t = told_of(r, task, rec);
	if (t->outside) {
		wake_outside(r, cpu, task, rec, woken);
		return;
	}
	if (t->state == SCHED_RUNS)
		return;
	if (woken && rec->cpu != SCHED_NO_CPU)
		move_to(r, task, sched_rules_cpu(r, rec->cpu), rec->ts, true);
	if (woken && t->state == SCHED_WAITS && !t->woken) {
		t->woken = true;
		t->woken_ts = rec->ts;
	} else if (t->state != SCHED_PREEMPTED || could_not_run(r, t, rec->ts)) {
		r->has_unsure_waits |= t->state == SCHED_PREEMPTED;
		wake(r, cpu, task, rec, woken);
		if (!woken && rec->cpu != SCHED_NO_CPU)
			task_at(r, task)->elsewhere = sched_rules_cpu(r, rec->cpu) < 0;
	}
}

static void take_migration(struct sched_rules *r, const struct sched_rec *rec)
{
	uint32_t task = task_of(r, rec->pid);
	struct sched_task *t, *sums;

	if (!is_task(task))
		return;
	t = told_of(r, task, rec);
	sums = sums_at(r, t, rec->ts, rec->cpu == SCHED_NO_CPU ? -1 : sched_rules_cpu(r, rec->cpu));
	if (sums)
		sums->migrations += !(rec->uncounted & SCHED_NOT_OTHER);
	if (rec->cpu != SCHED_NO_CPU)
		move_to(r, task, sched_rules_cpu(r, rec->cpu), rec->ts, false);
}

static void take_told(struct sched_rules *r, unsigned int cpu, const struct sched_rec *rec)
{
	uint32_t task = task_of(r, rec->pid);

	if (is_task(task))
		told_of(r, task, rec);
	TELL(r, other, cpu, rec);
}

static void take_interrupt(struct sched_rules *r, unsigned int cpu, const struct sched_rec *rec)
{
	if (r->nr_spent && rec->op != SCHED_LEAVE && rec->detail == SCHED_CONTEXT_TIMER &&
	    r->options.limit_of_timer)
		sched_throttle_timer(r, cpu, rec);
	if (rec->op == SCHED_LEAVE && rec->detail == SCHED_CONTEXT_TASK) {
		if (!sched_nest_end(&r->cpus[cpu].nest, rec))
			return;
	} else if (rec->op != SCHED_EXPIRED) {
		sched_nest_take(&r->cpus[cpu].nest, rec);
	}
	TELL(r, other, cpu, rec);
}

/* It is in sched_yield up to the end of that, which has to be recorded. */
static void take_yield(struct sched_rules *r, unsigned int cpu, const struct sched_rec *rec)
{
	bool enters = rec->op == SCHED_YIELD || (rec->op == SCHED_CALL && !rec->comm2);

	if (rec->prio)
		r->cpus[cpu].yields = enters ? rec->pid2 : 0;
}

/* --- all of them ------------------------------------------------------------------------- */

bool sched_rules_take(struct sched_rules *r, const struct sched_item *items, uint32_t nr)
{
	for (uint32_t i = 0; i < nr && !r->full; i++) {
		const struct sched_rec *rec = items[i].rec;
		unsigned int cpu = items[i].cpu;

		if (__builtin_expect(r->next_split < r->options.nr_splits &&
					     rec->ts >= r->options.splits[r->next_split].ts,
				     0))
			sched_slices_split(r, rec->ts);
		if (__builtin_expect(r->next_limit < r->options.nr_limits &&
					     rec->ts > r->options.limits[r->next_limit].ts,
				     0))
			sched_throttle_take(r, rec->ts);
		r->now = rec->ts;
		if (rec->op == SCHED_PAIR) {	/* often most of them */
			TELL(r, other, cpu, rec);
			continue;
		}
		switch ((enum sched_op)rec->op) {
		case SCHED_SWITCH:
			take_switch(r, cpu, rec);
			break;
		case SCHED_WAKEUP_NEW:
			take_birth(r, rec);
			take_child(r, rec);
			/* fall through */
		case SCHED_WAKING:
		case SCHED_WAKEUP:
			take_wake(r, cpu, rec, rec->op != SCHED_WAKING);
			break;
		case SCHED_EXIT:
			take_exit(r, rec);
			break;
		case SCHED_EXEC:
			take_exec(r, cpu, rec);
			TELL(r, other, cpu, rec);
			break;
		case SCHED_FORK:
			take_birth(r, rec);
			take_child(r, rec);
			TELL(r, other, cpu, rec);
			break;
		case SCHED_TOLD:
			take_told(r, cpu, rec);
			break;
		case SCHED_YIELD:
		case SCHED_YIELDED:
			take_yield(r, cpu, rec);
			break;
		case SCHED_CALL:
		case SCHED_RETURN:
			take_yield(r, cpu, rec);
			TELL(r, other, cpu, rec);
			break;
		case SCHED_ENTER:
		case SCHED_EXPIRED:
		case SCHED_LEAVE:
			take_interrupt(r, cpu, rec);
			break;
		case SCHED_RAISE:
			if (!r->options.lacks_flags)
				sched_nest_raise(&r->cpus[cpu].nest, rec);
			break;
		case SCHED_CUT:
			take_cut(r, cpu, rec);
			break;
		case SCHED_STRETCH:
			take_stretch(r, cpu, rec);
			break;
		case SCHED_ABSENT:
			take_absence(r, rec);
			break;
		case SCHED_MIGRATE:
			take_migration(r, rec);
			/* fall through */
		case SCHED_POWER:
		case SCHED_FREQUENCY:
		case SCHED_SEEN:
		case SCHED_REASON:
		case SCHED_LOCK:
		case SCHED_LOCKED:
		case SCHED_FREEZE:
		case SCHED_LIMIT:
			TELL(r, other, cpu, rec);
			break;
		case SCHED_PAIR:
		case SCHED_NONE:
		case SCHED_SYSTEM:
		case SCHED_KEY:
			break;
		}
	}
	return !r->full;
}

/* Gaps without a record after them end with the buffer; rule 4 is for them, too. */
static void close_open_gaps(struct sched_rules *r, int64_t last_ts)
{
	for (unsigned int i = 0; r->open_gaps && i < r->options.nr_cpus; i++) {
		const struct rules_cpu *c = &r->cpus[i];

		if (c->nr_gaps && c->gaps[c->nr_gaps - 1].to == INT64_MAX)
			close_gap(r, i, last_ts);
	}
}

void sched_rules_settle(struct sched_rules *r, int64_t until)
{
	sched_throttle_take(r, until);
	for (uint32_t i = 0; i < r->nr_tasks; i++)
		settle(r, i);
}

void sched_rules_end(struct sched_rules *r, int64_t last_ts, uint64_t migrations)
{
	close_open_gaps(r, last_ts);
	sched_slices_split(r, last_ts);
	sched_throttle_take(r, last_ts);
	for (uint32_t i = 0; i < r->nr_tasks; i++) {
		struct sched_task *t = settle(r, i);

		if (t->state != SCHED_UNKNOWN)
			add(r, t, last_ts, !r->options.goes_on, t->last_cpu, 0,
			    sched_rules_doubts(r, i, last_ts));
		if (!migrations && !r->options.no_sums)
			t->migrations = t->moves;
		if (t->limited_since != SCHED_NO_END)
			sched_throttle_end(r, i, false, last_ts);
	}
}

/* --- its life ------------------------------------------------------------------------------ */

struct sched_rules *sched_rules_new(const struct sched_rules_options *options)
{
	struct sched_rules *r = mem_alloc(sizeof(*r));

	/* a split copies a task as a whole */
	assert(!options->no_sums || !options->nr_splits);
	r->options = *options;
	r->task_bytes = options->no_sums ? offsetof(struct sched_task, run) :
					   sizeof(struct sched_task);
	r->tells_tasks = options->queue;
	for (const struct sched_listener *l = options->listener; l; l = l->next)
		r->tells_tasks |= l->task != NULL;
	r->lacks_since = options->lacks_cpus ? INT64_MIN : INT64_MAX;
	r->open_from = INT64_MAX;
	r->limited_to = INT64_MIN;
	r->cpus = mem_array(options->nr_cpus, sizeof(*r->cpus));
	for (unsigned int i = 0; i < options->nr_cpus; i++) {
		r->cpus[i].runner = SCHED_NO_TASK;
		if (options->cpus[i] >= 0 && options->cpus[i] < SCHED_NO_CPU &&
		    (uint32_t)options->cpus[i] >= r->nr_cpu_of)
			r->nr_cpu_of = (uint32_t)options->cpus[i] + 1;
	}
	r->cpu_of = mem_array(r->nr_cpu_of, sizeof(*r->cpu_of));
	memset(r->cpu_of, 0xff, r->nr_cpu_of * sizeof(*r->cpu_of));
	for (unsigned int i = 0; i < options->nr_cpus; i++)
		if (options->cpus[i] >= 0 && options->cpus[i] < SCHED_NO_CPU)
			r->cpu_of[options->cpus[i]] = (int32_t)i;
	return r;
}

struct sched_rules *sched_rules_fork(const struct sched_rules *from,
				     const struct sched_rules_options *options)
{
	struct sched_rules *r = sched_rules_new(options);
	const struct sched_rules made = *r;

	*r = *from;
	r->options = made.options;
	r->options.no_sums |= from->options.no_sums;
	r->cpus = made.cpus;
	r->cpu_of = made.cpu_of;
	r->tells_tasks = made.tells_tasks;
	for (unsigned int i = 0; i < options->nr_cpus; i++) {
		struct rules_cpu *c = &r->cpus[i];

		*c = from->cpus[i];
		c->gaps = mem_copy(c->gaps, c->cap_gaps, sizeof(*c->gaps));
		c->losses = mem_copy(c->losses, c->cap_losses, sizeof(*c->losses));
		c->missing = mem_copy(c->missing, c->cap_missing, sizeof(*c->missing));
	}
	r->ended = mem_copy(from->ended, from->cap_ended, sizeof(*r->ended));
	r->spent = mem_copy(from->spent, from->cap_spent, sizeof(*r->spent));
	r->renewed = mem_copy(from->renewed, from->cap_renewed, sizeof(*r->renewed));
	r->left = mem_copy(from->left, from->cap_left, sizeof(*r->left));
	r->tasks = mem_copy(from->tasks, from->cap_tasks, r->task_bytes);
	index_map_copy(&r->map, &from->map);
	r->earlier = NULL;
	r->nr_earlier = r->cap_earlier = 0;
	sched_slices_add(r, from);
	return r;
}

void sched_rules_limit(struct sched_rules *r, const struct sched_limit_edge *edges, uint32_t nr)
{
	r->options.limits = edges;
	r->options.nr_limits = nr;
	r->next_limit = bisect(nr, i, edges[i].ts < r->limited_to);
}

void sched_rules_free(struct sched_rules *r)
{
	if (!r)
		return;
	for (unsigned int i = 0; i < r->options.nr_cpus; i++) {
		free(r->cpus[i].gaps);
		free(r->cpus[i].losses);
		free(r->cpus[i].missing);
	}
	free(r->cpus);
	free(r->cpu_of);
	free(r->ended);
	free(r->spent);
	free(r->renewed);
	free(r->left);
	free(r->tasks);
	sched_rules_forget(r, r->nr_earlier);
	free(r->earlier);
	index_map_fini(&r->map);
	free(r);
}

uint32_t sched_rules_nr_tasks(const struct sched_rules *r)
{
	return r->nr_tasks;
}

struct sched_task *sched_rules_give_tasks(struct sched_rules *r)
{
	struct sched_task *tasks = (struct sched_task *)r->tasks;

	r->tasks = NULL;
	r->nr_tasks = r->cap_tasks = 0;
	index_map_fini(&r->map);
	return tasks;
}

const struct sched_task *sched_rules_task(const struct sched_rules *r, uint32_t task)
{
	return task_at(r, task);
}

const struct sched_nest *sched_rules_nest(const struct sched_rules *r, unsigned int cpu)
{
	return &r->cpus[cpu].nest;
}

bool sched_rules_doubts(const struct sched_rules *r, uint32_t task, int64_t ts)
{
	const struct sched_task *t = task_at(r, task);
	bool sleeps = t->state == SCHED_SLEEPS || t->state == SCHED_BLOCKED;

	return (sleeps && !r->has_wakes) || is_doubtful(r, t, ts);
}

bool sched_rules_has_unsure_waits(const struct sched_rules *r)
{
	return r->has_unsure_waits;
}

bool sched_rules_has_late(const struct sched_rules *r)
{
	return r->has_late;
}

bool sched_rules_lacks_cpus(const struct sched_rules *r)
{
	return r->lacks_since < INT64_MAX;
}

bool sched_rules_has_limited(const struct sched_rules *r)
{
	return r->has_limited;
}

int64_t sched_rules_first(const struct sched_rules *r)
{
	return r->first;
}

bool sched_rules_gap(const struct sched_rules *r, int64_t from, int64_t to)
{
	return any_gap_after(r, from) && find_gap(r, from, to);
}

bool sched_rules_lost(const struct sched_rules *r, int64_t from, int64_t to)
{
	if (!r->nr_lost || !any_gap_after(r, from))
		return false;
	for (unsigned int i = 0; i < r->options.nr_cpus; i++) {
		const struct rules_cpu *c = &r->cpus[i];

		for (uint32_t k = bisect(c->nr_gaps, n, c->gaps[n].to <= from);
		     k < c->nr_gaps && c->gaps[k].from < to; k++)
			if (!c->gaps[k].missing && !hides_nothing(c->gaps[k].why) &&
			    (c->gaps[k].to < INT64_MAX || from < to || c->open_to > to))
				return true;
	}
	return false;
}

bool sched_rules_absence(const struct sched_rules *r, unsigned int cpu, int64_t ts,
			 struct trace_absence *absence)
{
	const struct rules_cpu *c = &r->cpus[cpu];
	uint32_t i = bisect(c->nr_gaps, k, c->gaps[k].to <= ts);
	const struct rules_gap *gap;

	while (i < c->nr_gaps && !c->gaps[i].why)
		i++;
	if (i == c->nr_gaps)
		return false;
	gap = &c->gaps[i];
	*absence = (struct trace_absence){ gap->from, gap->to, gap->why, gap->inferred };
	return true;
}

int64_t sched_rules_absent(const struct sched_rules *r, unsigned int cpu, enum trace_absent why,
			   bool inferred)
{
	const struct rules_cpu *c = &r->cpus[cpu];
	int64_t time = 0;

	for (uint32_t i = 0; is_asked(r, (int32_t)cpu) && i < c->nr_gaps; i++)
		if (c->gaps[i].why == why && c->gaps[i].inferred == inferred)
			time = time_after(time, time_range_part(&r->options.range, c->gaps[i].from,
								c->gaps[i].to));
	return time;
}

bool sched_rules_has_lost(const struct sched_rules *r, bool after_first)
{
	const struct time_range *range = &r->options.range;
	int64_t from = range->set && range->from > r->first ? range->from : r->first,
		to = range->set ? range->to : INT64_MAX;

	for (unsigned int i = 0; i < r->options.nr_cpus; i++) {
		const struct rules_cpu *c = &r->cpus[i];

		for (uint32_t k = 0; is_asked(r, (int32_t)i) && k < c->nr_gaps; k++)
			if (!c->gaps[k].missing && !c->gaps[k].why && c->gaps[k].from < to &&
			    c->gaps[k].to > from && (k || !after_first || !lost_first(c)))
				return true;
	}
	return false;
}

uint64_t sched_rules_missing(const struct sched_rules *r)
{
	const struct time_range *range = &r->options.range;
	uint64_t nr = 0;

	for (unsigned int i = 0; i < r->options.nr_cpus; i++) {
		const struct rules_cpu *c = &r->cpus[i];

		if (!is_asked(r, (int32_t)i))
			continue;
		if (range->set)
			nr += bisect(c->nr_missing, k, c->missing[k] <= range->to) -
			      bisect(c->nr_missing, k, c->missing[k] < range->from);
		else
			nr += c->nr_missing;
	}
	return nr;
}

uint32_t sched_rules_add(struct sched_rules *r, uint32_t pid)
{
	return task_of(r, pid);
}

uint32_t sched_rules_find(const struct sched_rules *r, uint32_t pid, int64_t ts)
{
	uint32_t task = pid && pid <= INT32_MAX ? find_task(r, pid) : SCHED_NO_TASK;

	while (task != SCHED_NO_TASK && task_at(r, task)->born > ts &&
	       task_at(r, task)->former != SCHED_NO_TASK)
		task = task_at(r, task)->former;
	return task;
}

/*
 * @t is of other rules.  If these here begin after it ended, they do not know it: its pid leads to
 * a task that was born later, which is another one.
 */
uint32_t sched_rules_same(const struct sched_rules *r, const struct sched_task *t)
{
	uint32_t task = sched_rules_find(r, t->pid, t->born);

	if (task != SCHED_NO_TASK && task_at(r, task)->is_born && task_at(r, task)->born > t->born)
		return SCHED_NO_TASK;
	return task;
}
