/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/task_table.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/sched/host_vcpus.h"
#include "src/sched/limits/limits_untold.h"
#include "src/sched/sched_source.h"
#include "src/sched/sched_job.h"
#include "src/sched/limits/sched_limits.h"
#include "src/sched/wait_parts.h"
#include "src/sched/sched_pass.h"
#include "src/sched/task_groups.h"
#include "src/sched/time_slices.h"
#include "src/trace/trace_streams.h"

/* some ms: then other jobs get their turn, and the screen gets new figures */
#define RECORDS_PER_JOB (1u << 17)

#define CPU_RUNS	256u		/* runs of a CPU that are remembered */
#define MOST_DISTINCT	(1u << 20)	/* durations of a task; of more, 3 digits are kept */

struct cpu_run {
	int64_t		from, to;
	uint32_t	task;
};

struct cpu_counts {
	struct cpu_sums	sums;		/* except calls */
	uint64_t	calls[2];	/* by syscalls, raw_syscalls */
};

struct counted_cpu {
	struct cpu_counts counts;
	int64_t		since;
	uint32_t	task;		/* the running task; SCHED_NO_TASK = unknown */
	enum sched_context context;	/* what interrupts it, since: */
	int64_t		nest_since;
	uint32_t	interrupted;	/* task of its interrupts; SCHED_IDLE_TASK, SCHED_NO_TASK */
	const struct machine_cpu *machine;	/* borrowed; NULL: not known */
	int		idle_state;	/* by cpu_idle; -1: none, or not known */
	int64_t		idle_since;
	uint32_t	khz;		/* by cpu_frequency; 0: not known */
	int64_t		khz_since;
	uint64_t	khz_losses;	/* task_table.losses then */
	uint64_t	nr_runs;	/* of tasks, in all */
};

struct last_call {			/* a task's last one, by one of the event systems */
	bool		is_open;
	uint32_t	number;
	int64_t		since;
	uint32_t	took;		/* sched_rec.comm2: 1 + how long; 0 = not known */
	bool		is_asked;	/* its CPU is */
};

struct counted_calls {
	uint64_t	nr;
	int64_t		time;
};

struct stays {
	struct task_sums sums;		/* except wait_p99, calls, call_time */
	struct counted_calls calls[2];	/* syscalls, raw_syscalls */
	struct duration_set waits;
	struct task_durations *durations;	/* owned; NULL: none, or not asked for */
};

struct counted_task {
	struct stays	*stays;		/* owned; NULL: none has ended yet, as of most pids */
	uint8_t		letter;		/* letter of the state it sleeps in */
	int32_t		last_cpu;	/* index + 1 of the CPU of its last switch; 0: none */
	bool		has_moved;	/* it left the queue of a CPU while it waited */
	int64_t		moved;		/* when it last did so */
	struct task_longest taker;	/* who had such a CPU for longest in that wait */
	struct {			/* the last time that a limit kept it from running */
		int64_t	 wait, since, time;	/* in the wait since then: since, all times */
		uint32_t limit;
		bool	 doubtful;
	}		throttled;
	struct last_call *open;		/* owned, [2] by syscalls, raw_syscalls; NULL: none yet */
};

struct table_slice {			/* the sums of an earlier slice */
	struct cpu_counts *cpus;	/* owned, [nr_cpus] */
	struct stays	**stays;	/* owned, [nr_tasks]; as in counted_task */
	uint32_t	 nr_tasks;
};

struct task_table {
	struct trace		*trace;		/* borrowed */
	struct sched_pass_options options;
	struct sched_listener	 listener;
	struct sched_pass	*pass;		/* owned; the worker's from the first job on */
	struct counted_cpu	*cpus;		/* owned, [nr_cpus]; for the worker */
	unsigned int		 nr_cpus;
	/* owned, [nr_cpus]: the last runs of each, a ring; NULL: not needed */
	struct cpu_run		(*runs)[CPU_RUNS];
	struct counted_task	*tasks;		/* owned, [nr_tasks] by index, at least
						   all that changed; for the worker */
	uint32_t		 nr_tasks;
	struct task_pairs	*pairs;		/* owned; for the worker */
	struct run_queue	*queue;		/* owned; for the worker; NULL: not with filters */
	/* While the trace grows: what was before the range, and slices of it. */
	struct task_table	*before;	/* owned; for the worker; NULL = none */
	struct task_table	*other;		/* owned: one with slices, if that has none, or one
						 * without; for another window.  NULL: none */
	int64_t			 slice;		/* how long slices are; 0: there are none */
	uint64_t		 dropped_then;	/* in before: by trace_kept_from() */
	struct time_slices	 slices;	/* in before: earlier ones than its range */
	struct table_slice	*earlier;	/* owned, [slices.nr] */
	uint32_t		 cap_earlier;
	bool			 has_hardirqs, has_softirqs, has_calls, has_idle, has_khz;
	uint64_t		 losses;	/* of all CPUs: any may lose the frequency of one */
	struct cpu_counts	 left_out;	/* receives what is not in the range */
	/* see task_table_options */
	bool			 no_sums, no_tasks, gives_tasks, durations, known_only;
	struct trace_host	 host;
	struct host_vcpus	*vcpus;		/* owned; NULL: not read, or not known */
	struct sched_job	 job;		/* publishes a struct task_figures */
};

void task_durations_free(struct task_durations *d)
{
	for (unsigned int i = 0; d && i < TASK_DURATIONS; i++)
		duration_set_fini(&d->of[i]);
	free(d);
}

const struct task_sums *task_figures_sums(const struct task_figures *f, uint32_t row)
{
	static const struct task_sums none;

	return f->sums ? &f->sums[row] : &none;
}

void task_figures_fini(struct task_figures *f)
{
	for (uint32_t i = 0; f->durations && i < f->nr_tasks; i++)
		task_durations_free(f->durations[i]);
	free(f->durations);
	free(f->tasks);
	free(f->sums);
	free(f->comms);
	free(f->limits);
	free(f->parents);
	free(f->cpus);
	free(f->cpu_parents);
	free(f->cpu_names);
	for (unsigned int i = 0; i < TASK_PAIR_KINDS; i++) {
		free(f->pairs[i].pairs);
		free(f->pairs[i].names);
		free(f->pairs[i].bys);
	}
	text_fini(&f->text);
	*f = (struct task_figures){ 0 };
}

static void add_to(int64_t *sum, int64_t time)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)time);
}

/* Do filters exclude an interval that ends with this record?  NULL: no record. */
static bool is_left_out(const struct task_table *t, const struct sched_rec *rec, unsigned int not )
{
	return rec ? rec->uncounted & not : t->options.nr_filters;
}

/* Are sums of tasks asked for that are of this CPU (its index)? */
static bool is_asked(const struct task_table *t, int32_t cpu)
{
	const struct trace_part part = { .only = t->options.only, .nr_only = t->options.nr_only };

	return !part.only ||
	       (cpu >= 0 && trace_part_has_cpu(&part, sched_pass_cpu(t->pass, (unsigned int)cpu)));
}

static struct counted_task *task_at(struct task_table *t, uint32_t task)
{
	mem_reach(&t->tasks, &t->nr_tasks, task);
	return &t->tasks[task];
}

static struct stays *stays_in(struct stays **stays)
{
	if (!*stays)
		*stays = mem_alloc(sizeof(**stays));
	return *stays;
}

/* A task's sums in a slice; the last one is the present one. */
static struct stays *stays_of(struct task_table *t, uint32_t task, uint32_t slice)
{
	struct table_slice *s;

	if (slice == t->slices.nr)
		return stays_in(&task_at(t, task)->stays);
	s = &t->earlier[slice];
	if (task >= s->nr_tasks)	/* stamps went back */
		mem_reach(&s->stays, &s->nr_tasks, task);
	return stays_in(&s->stays[task]);
}

static struct cpu_counts *counts_of(const struct task_table *t, const struct counted_cpu *cpu,
				    uint32_t slice)
{
	unsigned int nr = (unsigned int)(cpu - t->cpus);

	return slice == t->slices.nr ? &t->cpus[nr].counts : &t->earlier[slice].cpus[nr];
}

/* The slice of a record.  False: it is not in the range. */
static bool find_slice(const struct task_table *t, int64_t ts, uint32_t *slice)
{
	*slice = t->slices.nr;
	if (time_range_has(&t->options.range, ts))
		return true;
	*slice = time_slices_at(&t->slices, ts);
	return *slice < t->slices.nr;
}

static struct stays *stays_at(struct task_table *t, uint32_t task, int64_t ts)
{
	uint32_t slice;

	return !t->no_tasks && find_slice(t, ts, &slice) ? stays_of(t, task, slice) : NULL;
}

/* What a record counts that is not in the range. */
static struct cpu_counts *counts_at(struct task_table *t, const struct counted_cpu *cpu, int64_t ts)
{
	uint32_t slice;

	return find_slice(t, ts, &slice) ? counts_of(t, cpu, slice) : &t->left_out;
}

/* The part of an interval in a slice. */
static int64_t part_in(const struct task_table *t, uint32_t slice, int64_t from, int64_t to)
{
	return to > from ? time_range_part(slice < t->slices.nr ? &t->slices.list[slice] :
								  &t->options.range,
					   from, to) :
			   0;
}

/* For each slice that may overlap an interval that began then */
#define each_slice(t, began, slice)                                                                \
	for (uint32_t slice = time_slices_after(&(t)->slices, began); slice <= (t)->slices.nr;     \
	     slice++)

/* Add an interval to a time of a CPU, by its offset. */
static void add_cpu_time(const struct task_table *t, const struct counted_cpu *cpu, size_t at,
			 int64_t from, int64_t to)
{
	each_slice (t, from, i)
		add_to((int64_t *)((char *)counts_of(t, cpu, i) + at), part_in(t, i, from, to));
}

/* As add_cpu_time(), of a task. */
static void add_time(struct task_table *t, uint32_t task, size_t at, int64_t from, int64_t to)
{
	if (t->no_tasks)
		return;
	each_slice (t, from, i) {
		int64_t part = part_in(t, i, from, to);

		if (part)
			add_to((int64_t *)((char *)stays_of(t, task, i) + at), part);
	}
}

#define ADD_CPU_TIME(t, cpu, time, from, to)                                                       \
	add_cpu_time(t, cpu, offsetof(struct cpu_counts, sums.time), from, to)
#define ADD_TIME(t, task, time, from, to)                                                          \
	add_time(t, task, offsetof(struct stays, time), from, to)

/* --- stolen time ---------------------------------------------------------------- */

static void add_part(struct task_table *t, uint32_t task, const struct counted_cpu *cpu, size_t at,
		     int64_t from, int64_t to)
{
	if (task == SCHED_NO_TASK)
		add_cpu_time(t, cpu, offsetof(struct cpu_counts, sums.stolen) + at, from, to);
	else
		add_time(t, task, offsetof(struct stays, sums.stolen) + at, from, to);
}

/* Add the parts of a run in which the CPU did not: to the task, or, with SCHED_NO_TASK, the CPU. */
static void add_stolen(struct task_table *t, uint32_t task, const struct counted_cpu *cpu,
		       int64_t since, int64_t ts)
{
	const struct host_stay *stay;

	for (uint32_t i = 0;
	     t->vcpus && (stay = host_vcpus_next(t->vcpus, cpu->counts.sums.cpu, since, ts, &i));) {
		int64_t from = stay->from > since ? stay->from : since,
			to = stay->to < ts ? stay->to : ts;
		size_t at = stay->state == SCHED_UNKNOWN ? offsetof(struct stolen_time, unknown) :
							   offsetof(struct stolen_time, time);

		add_part(t, task, cpu, at, from, to);
		if (stay->doubtful && stay->state != SCHED_UNKNOWN)
			add_part(t, task, cpu, offsetof(struct stolen_time, doubtful), from, to);
	}
}

/* Of a task's run on a CPU (its index), less what was before a split. */
static void add_stolen_run(struct task_table *t, uint32_t task, int32_t cpu, int64_t since,
			   int64_t ts)
{
	int64_t from = sched_rules_task(sched_pass_rules(t->pass), task)->from;

	if (cpu >= 0 && is_asked(t, cpu))
		add_stolen(t, task, &t->cpus[cpu], since > from ? since : from, ts);
}

/* --- system calls and interrupts ------------------------------------------------ */

/* Add a call, unless records are missing meanwhile: it may have been shorter. */
static void add_call(struct task_table *t, uint32_t task, unsigned int by, int64_t end)
{
	const struct last_call *call = &t->tasks[task].open[by];

	if (call->is_asked && !sched_rules_lost(sched_pass_rules(t->pass), call->since, end))
		ADD_TIME(t, task, calls[by].time, call->since, end);
}

/* The last call told its end. */
static void end_call(struct task_table *t, uint32_t task, unsigned int by)
{
	struct last_call *call = &t->tasks[task].open[by];

	if (!call->is_open || !call->took)
		return;
	add_call(t, task, by, time_after(call->since, call->took - 1));
	call->is_open = false;
}

static void take_call(struct task_table *t, unsigned int nr, const struct sched_rec *rec)
{
	uint32_t task = sched_pass_task(t->pass, rec->pid2);
	struct counted_task *counted;
	struct last_call *call;
	struct stays *stays;

	t->has_calls = true;
	if (rec->op == SCHED_CALL)
		counts_at(t, &t->cpus[nr], rec->ts)->calls[rec->detail] +=
			!is_left_out(t, rec, SCHED_NOT_CPU);
	if (task >= SCHED_IDLE_TASK || t->no_tasks)
		return;
	counted = task_at(t, task);
	if (!counted->open)
		counted->open = mem_array(2, sizeof(*counted->open));
	end_call(t, task, rec->detail);
	call = &counted->open[rec->detail];
	if (rec->op == SCHED_CALL) {
		*call = (struct last_call){ true, rec->pid, rec->ts, rec->comm2,
					    is_asked(t, (int32_t)nr) };
		stays = call->is_asked ? stays_at(t, task, rec->ts) : NULL;
		if (stays)
			stays->calls[rec->detail].nr += !is_left_out(t, rec, SCHED_NOT_ITS);
		return;
	}
	if (call->is_open && call->number == rec->pid && !is_left_out(t, rec, SCHED_NOT_ITS))
		add_call(t, task, rec->detail, rec->ts);
	call->is_open = false;
}

/* Of tasks that were interrupted: is it asked for what happens on the CPU? */
static bool is_asked_there(const struct task_table *t, const struct counted_cpu *cpu)
{
	return is_asked(t, (int32_t)(cpu - t->cpus));
}

static void begin_interrupt(struct task_table *t, struct counted_cpu *cpu,
			    const struct sched_rec *rec)
{
	bool counts = !is_left_out(t, rec, SCHED_NOT_CPU);
	struct stays *stays;

	cpu->interrupted = sched_pass_task(t->pass, rec->comm2);
	counts_at(t, cpu, rec->ts)->sums.irqs += counts;
	stays = cpu->interrupted < SCHED_IDLE_TASK && is_asked_there(t, cpu) ?
			stays_at(t, cpu->interrupted, rec->ts) :
			NULL;
	if (stays)
		stays->sums.irqs += counts;
}

/* --- CPUs --------------------------------------------------------------------- */

static void add_interval(struct task_table *t, struct counted_cpu *cpu, int64_t to,
			 const struct sched_rec *rec)
{
	if (t->runs && cpu->task < SCHED_IDLE_TASK && to > cpu->since)
		t->runs[cpu - t->cpus][cpu->nr_runs++ % CPU_RUNS] =
			(struct cpu_run){ cpu->since, to, cpu->task };
	if (is_left_out(t, rec, SCHED_NOT_CPU) || cpu->task == SCHED_NO_TASK)
		return;
	if (cpu->task == SCHED_IDLE_TASK)
		ADD_CPU_TIME(t, cpu, idle, cpu->since, to);
	else {
		ADD_CPU_TIME(t, cpu, busy, cpu->since, to);
		add_stolen(t, SCHED_NO_TASK, cpu, cpu->since, to);
	}
}

static void add_context(struct task_table *t, struct counted_cpu *cpu, int64_t to,
			const struct sched_rec *rec)
{
	enum sched_context context = is_left_out(t, rec, SCHED_NOT_CPU) ? SCHED_CONTEXT_TASK :
									  cpu->context;

	if (context == SCHED_CONTEXT_IRQ)
		ADD_CPU_TIME(t, cpu, irq, cpu->nest_since, to);
	else if (context == SCHED_CONTEXT_SOFTIRQ)
		ADD_CPU_TIME(t, cpu, softirq, cpu->nest_since, to);
	if (context != SCHED_CONTEXT_TASK && cpu->interrupted == SCHED_IDLE_TASK)
		ADD_CPU_TIME(t, cpu, idle_irq, cpu->nest_since, to);
	if (context != SCHED_CONTEXT_TASK && cpu->interrupted < SCHED_IDLE_TASK &&
	    is_asked_there(t, cpu))
		ADD_TIME(t, cpu->interrupted, sums.irq_time, cpu->nest_since, to);
	cpu->nest_since = to;
}

static void end_idle_state(const struct task_table *t, struct counted_cpu *cpu, int64_t ts,
			   const struct sched_rec *rec)
{
	unsigned int state = (unsigned int)cpu->idle_state;

	state = state < CPU_IDLE_STATES ? state : CPU_IDLE_STATES - 1;
	if (cpu->idle_state >= 0 && !is_left_out(t, rec, SCHED_NOT_CPU))
		ADD_CPU_TIME(t, cpu, idle_in[state], cpu->idle_since, ts);
	cpu->idle_state = -1;
}

static void take_idle_state(struct task_table *t, struct counted_cpu *cpu,
			    const struct sched_rec *rec)
{
	t->has_idle = true;
	end_idle_state(t, cpu, rec->ts, rec);
	cpu->idle_state = rec->pid > INT32_MAX ? -1 : (int)rec->pid;
	cpu->idle_since = rec->ts;
}

/* Where a CPU loses events meanwhile, the frequency may have changed. */
static void end_khz(const struct task_table *t, struct counted_cpu *cpu, int64_t ts)
{
	if (!cpu->khz || cpu->khz_losses != t->losses || t->options.nr_filters)
		return;
	each_slice (t, cpu->khz_since, i) {
		int64_t known = part_in(t, i, cpu->khz_since, ts);
		struct cpu_sums *sums = &counts_of(t, cpu, i)->sums;

		add_to(&sums->khz_known, known);
		sums->khz_time += (double)cpu->khz * (double)known;
		if (cpu->machine && cpu->machine->capacity > 0 && cpu->machine->max_khz > 0)
			sums->capacity_time += (double)cpu->machine->capacity * (double)cpu->khz /
					       (double)cpu->machine->max_khz * (double)known;
	}
}

static void take_khz(struct task_table *t, const struct sched_rec *rec)
{
	int32_t of = rec->cpu == SCHED_NO_CPU ? -1 : sched_pass_cpu_index(t->pass, rec->cpu);

	t->has_khz = true;
	if (of < 0)
		return;
	end_khz(t, &t->cpus[of], rec->ts);
	t->cpus[of].khz = rec->pid;
	t->cpus[of].khz_since = rec->ts;
	t->cpus[of].khz_losses = t->losses;
}

static void on_cpu(void *arg, unsigned int nr, const struct sched_change *c)
{
	struct task_table *t = arg;
	struct counted_cpu *cpu = &t->cpus[nr];

	t->losses += c->lost && !c->missing;
	if (c->lost)
		end_idle_state(t, cpu, c->ts, NULL);
	if (!c->dropped)
		add_interval(t, cpu, c->ts, c->rec);
	if (c->rec && !(c->rec->uncounted & SCHED_NOT_CPU)) {
		struct cpu_sums *sums = &counts_at(t, cpu, c->ts)->sums;

		sums->switches++;
		sums->idle_entries += c->task == SCHED_IDLE_TASK;
	}
	cpu->task = c->task;
	cpu->since = c->ts;
	add_context(t, cpu, c->ts, c->rec);
	cpu->context = SCHED_CONTEXT_TASK;
}

static void take_migration(struct task_table *t, const struct sched_rec *rec)
{
	int32_t to = rec->cpu == SCHED_NO_CPU ? -1 : sched_pass_cpu_index(t->pass, rec->cpu);
	int32_t from = rec->comm2 ? sched_pass_cpu_index(t->pass, rec->comm2 - 1) : -1;
	enum cpu_distance distance;
	struct cpu_sums *sums;

	if (to < 0 || is_left_out(t, rec, SCHED_NOT_CPU))
		return;
	sums = &counts_at(t, &t->cpus[to], rec->ts)->sums;
	sums->migrations++;
	if (from >= 0 && cpu_distance(t->cpus[from].machine, t->cpus[to].machine, &distance))
		sums->moves[distance]++;
}

static void on_other(void *arg, unsigned int nr, const struct sched_rec *rec)
{
	struct task_table *t = arg;

	if (rec->op == SCHED_CALL || rec->op == SCHED_RETURN)
		take_call(t, nr, rec);
	if (rec->op == SCHED_MIGRATE)
		take_migration(t, rec);
	if (rec->op == SCHED_POWER)
		take_idle_state(t, &t->cpus[nr], rec);
	if (rec->op == SCHED_FREQUENCY)
		take_khz(t, rec);
	if ((rec->op != SCHED_ENTER && rec->op != SCHED_LEAVE) ||
	    rec->detail == SCHED_CONTEXT_TIMER)
		return;
	t->has_softirqs |= rec->detail == SCHED_CONTEXT_SOFTIRQ;
	t->has_hardirqs |= rec->detail > SCHED_CONTEXT_SOFTIRQ;
	/* what shows an end after the range may not be settled yet */
	add_context(t, &t->cpus[nr],
		    t->options.range.set && rec->ts > t->options.range.to ? rec->ts :
									    sched_nest_ts(rec),
		    rec);
	t->cpus[nr].context = sched_nest_context(sched_rules_nest(sched_pass_rules(t->pass), nr));
	if (rec->op == SCHED_ENTER)
		begin_interrupt(t, &t->cpus[nr], rec);
}

static void on_resumed(void *arg, unsigned int nr, const struct sched_rec *rec)
{
	struct task_table *t = arg;

	add_context(t, &t->cpus[nr], rec->ts, rec);
	t->cpus[nr].context = (enum sched_context)rec->detail;
	t->cpus[nr].interrupted = sched_pass_task(t->pass, rec->comm2);
}

/* --- tasks -------------------------------------------------------------------- */

static uint8_t letter_of(const struct sched_states *states, uint64_t state)
{
	char letter = 0;
	const char *known;

	if (states->encoding == SCHED_STATES_ARE_UNSURE && (state == 4 || state == 8))
		return TASK_NR_LETTERS - 1;
	state = sched_states_bits(states, state);
	for (unsigned int i = 0; i < states->nr && letter != 'D'; i++)
		if (states->states[i].bit &&
		    (state & states->states[i].bit) == states->states[i].bit &&
		    (!letter || states->states[i].letter == 'D'))
			letter = states->states[i].letter;
	known = letter ? strchr(TASK_LETTERS, letter) : NULL;
	return (uint8_t)(known ? known - TASK_LETTERS : (int)TASK_NR_LETTERS - 1);
}

static unsigned int bin_of(int64_t length)
{
	return length ? 64 - (unsigned int)__builtin_clzll((uint64_t)length) : 0;
}

/*
 * Who ran on the CPU for the longest time between the two; if it idled for most of that, pid 0.
 * @stay: in its queue; receives what the CPU idled.
 */
static void find_taker(const struct task_table *t, unsigned int nr, struct wait_idle *stay,
		       struct task_longest *longest)
{
	int64_t from = stay->since, to = stay->until;
	const struct counted_cpu *cpu = &t->cpus[nr];
	struct cpu_run run = { cpu->since, to, cpu->task };	/* not remembered yet */
	unsigned int nr_tasks = 0, most = 0, at;
	uint32_t tasks[CPU_RUNS + 1];
	int64_t times[CPU_RUNS + 1], idle = 0;

	for (uint64_t i = cpu->nr_runs; run.to > from; run = t->runs[nr][--i % CPU_RUNS]) {
		for (at = 0; at < nr_tasks && tasks[at] != run.task; at++)
			;
		if (at == nr_tasks) {
			tasks[nr_tasks] = run.task;
			times[nr_tasks++] = 0;
		}
		times[at] = time_after(times[at],
				       time_between(run.from > from ? run.from : from, run.to));
		if (run.task == SCHED_IDLE_TASK) {
			idle = times[at];
			stay->times++;
			stay->from = run.from;
			stay->to = run.to;
		}
		if (run.task < SCHED_IDLE_TASK && times[at] > longest->taken) {
			longest->taken = times[at];
			most = at;
		}
		if (!i)
			break;
		if (cpu->nr_runs - i == CPU_RUNS) {	/* there were more: most of all? */
			longest->taken *= longest->taken > (to - from) / 2;
			stay->times++;		/* so it may have idled before */
			break;
		}
	}
	if (idle > (to - from) / 2) {
		longest->taken = idle;
		longest->unexplained = !wait_idle_is_exit(t->trace, stay);
	}
	if (!longest->taken)
		return;
	longest->cpu = sched_pass_cpu(t->pass, nr);
	if (idle > (to - from) / 2)
		return;
	longest->pid = sched_rules_task(sched_pass_rules(t->pass), tasks[most])->pid;
}

/* A waiting task leaves the queue of a CPU.  Find who had that CPU until then. */
static void on_moved(void *arg, uint32_t index, int32_t cpu, int64_t ts)
{
	struct task_table *t = arg;
	const struct sched_task *of = sched_rules_task(sched_pass_rules(t->pass), index);
	struct counted_task *task = task_at(t, index);
	struct task_longest here = { 0 };
	struct wait_idle stay = { .until = ts };
	bool again = task->has_moved && task->moved >= of->since;

	/* it waits for this one from the beginning */
	if (of->queue == SCHED_NO_QUEUE && !sched_task_chose(of, cpu))
		return;
	stay.is_woken = of->state == SCHED_WAITS;
	stay.since = again ? task->moved : of->since;
	if (t->runs && of->queue >= 0)
		find_taker(t, (unsigned int)of->queue, &stay, &here);
	if (!again || here.taken > task->taker.taken)
		task->taker = here;
	task->has_moved = true;
	task->moved = ts;
}

static void on_limited(void *arg, uint32_t index, uint32_t limit, int64_t ts, bool doubtful)
{
	struct task_table *t = arg;
	struct counted_task *task = task_at(t, index);
	int64_t wait = sched_rules_task(sched_pass_rules(t->pass), index)->since;

	if (limit == SCHED_NO_LIMIT) {
		task->throttled.time += ts - task->throttled.since;
		task->throttled.doubtful |= doubtful;
		return;
	}
	if (task->throttled.wait != wait) {
		task->throttled.time = 0;
		task->throttled.doubtful = false;
	}
	task->throttled.wait = wait;
	task->throttled.since = ts;
	task->throttled.limit = limit;
}

/*
 * Find who had the CPU for most of a wait: this CPU, or one that the task was moved from.  Since
 * when it waited for this one is not known if it went there without a record.
 */
static void find_taker_of(const struct task_table *t, uint32_t index, unsigned int cpu,
			  const struct sched_change *c, struct task_longest *longest)
{
	const struct counted_task *task = &t->tasks[index];
	int32_t queue = sched_rules_task(sched_pass_rules(t->pass), index)->queue;
	bool moved = task->has_moved && task->moved >= c->since;
	struct wait_idle stay = { .is_woken = c->was == SCHED_WAITS, .until = c->ts,
				  .since = moved ? task->moved : c->since, .runs = true };

	if (queue == (int32_t)cpu || queue == SCHED_NO_QUEUE)
		find_taker(t, cpu, &stay, longest);
	longest->guessed = queue == SCHED_NO_QUEUE;
	if (moved && task->taker.taken > longest->taken) {
		longest->pid = task->taker.pid;
		longest->cpu = task->taker.cpu;
		longest->taken = task->taker.taken;
		longest->unexplained = task->taker.unexplained;
	}
	if (task->throttled.wait != c->since || !task->throttled.time)
		return;
	/* what others did meanwhile took nothing from it */
	if (longest->taken > c->ts - c->since - task->throttled.time)
		longest->taken = c->ts - c->since - task->throttled.time;
	if (task->throttled.time >= longest->taken) {
		longest->pid = 0;
		longest->cpu = -1;
		longest->taken = task->throttled.time;
		longest->limit = task->throttled.limit + 1;
		longest->guessed = task->throttled.doubtful;
		longest->unexplained = false;
	}
}

/* Where the task ran; where the wait led to; where the task went to sleep: that is its CPU. */
static int32_t cpu_of_stay(const struct task_table *t, uint32_t index, const struct sched_change *c)
{
	return c->was == SCHED_RUNS   ? sched_rules_task(sched_pass_rules(t->pass), index)->cpu :
	       c->was >= SCHED_SLEEPS ? t->tasks[index].last_cpu - 1 :
					c->cpu;
}

/* Does the stay that ends count? */
static bool counts(const struct task_table *t, uint32_t index, const struct sched_change *c)
{
	unsigned int not = c->was == SCHED_RUNS ? SCHED_NOT_ITS : SCHED_NOT_OTHER;

	return !c->dropped && !is_left_out(t, c->rec, not ) &&
	       (!t->options.only || is_asked(t, cpu_of_stay(t, index, c)));
}

/* It has a record at both ends, and none is missing between them. */
static void add_duration(struct stays *stays, const struct sched_change *c, int64_t length)
{
	static const enum task_duration wakeups[] = {
		[SCHED_STAYED] = TASK_WAKEUPS_STAYED,
		[SCHED_MOVED] = TASK_WAKEUPS_MIGRATED,
		[SCHED_MAY_HAVE_MOVED] = TASK_WAKEUPS_UNKNOWN,
	};
	enum task_duration kind = TASK_SLICES;
	struct duration_set *set;

	if (c->was != SCHED_RUNS && c->state != SCHED_RUNS)
		return;
	if (c->was == SCHED_WAITS)
		kind = wakeups[c->moved];
	else if (c->was == SCHED_PREEMPTED)
		kind = TASK_PREEMPTIONS;
	if (!stays->durations)
		stays->durations = mem_alloc(sizeof(*stays->durations));
	set = &stays->durations->of[kind];
	if (set->distinct > MOST_DISTINCT && !set->bits)
		duration_set_coarsen(set, 12);
	duration_set_add(set, (uint64_t)length);
	stays->durations->totals[kind] += (uint64_t)length;
}

/* A stay that a record ends. */
static void see_stay(struct task_table *t, uint32_t index, enum task_stay stay,
		     const struct sched_change *c)
{
	int64_t from = c->since,
		length = c->ts > from ? (int64_t)((uint64_t)c->ts - (uint64_t)from) : 0;
	struct stays *stays = c->rec ? stays_at(t, index, from) : NULL;
	struct task_longest *longest;

	if (!stays)
		return;
	longest = &stays->sums.longest[stay];
	if (c->doubtful) {
		stays->sums.unsure += stay == TASK_WAITED;
		return;
	}
	if (length > longest->length) {
		*longest = (struct task_longest){
			length, from, sched_rules_task(sched_pass_rules(t->pass), index)->pid,
			.cpu = -1
		};
		if (stay == TASK_WAITED && c->state == SCHED_RUNS && c->cpu >= 0)
			find_taker_of(t, index, (unsigned int)c->cpu, c, longest);
	}
	if (t->durations && (stay == TASK_RAN || stay == TASK_WAITED))
		add_duration(stays, c, length);
	if (stay == TASK_RAN)
		stays->sums.runs[bin_of(length)]++;
	if (stay != TASK_WAITED)
		return;
	stays->sums.wait_bins[bin_of(length)]++;
	stays->sums.waits++;
	add_to(&stays->sums.waited, length);
	if (!t->durations)
		duration_set_add(&stays->waits, (uint64_t)length);
}

/* What the task slept, less what was before a split. */
static void add_sleep(struct task_table *t, uint32_t index, uint32_t to, int64_t since, int64_t ts)
{
	int64_t from = sched_rules_task(sched_pass_rules(t->pass), index)->from;
	const struct counted_task *task = task_at(t, index);
	uint8_t letter = task->letter;

	if (is_asked(t, task->last_cpu - 1))
		ADD_TIME(t, to, sums.asleep[letter], since > from ? since : from, ts);
}

/* The rules compute the tasks' sums, except these. */
static void on_task(void *arg, uint32_t index, const struct sched_change *c)
{
	struct task_table *t = arg;
	struct counted_task *task;
	struct stays *stays;

	if (t->pairs)
		task_pairs_take(t->pairs, t->pass, index, c);
	if (t->no_sums)
		return;
	task = task_at(t, index);
	if (c->state == SCHED_WAITS && c->rec && !is_left_out(t, c->rec, SCHED_NOT_CPU))
		counts_at(t, &t->cpus[c->cpu], c->ts)->sums.wakeups++;
	switch (counts(t, index, c) ? c->was : SCHED_UNKNOWN) {
	case SCHED_RUNS:
		if (!c->was_cut)
			see_stay(t, index, TASK_RAN, c);
		add_stolen_run(t, index, cpu_of_stay(t, index, c), c->since, c->ts);
		break;
	case SCHED_WAITS:
	case SCHED_PREEMPTED:
		see_stay(t, index, TASK_WAITED, c);
		break;
	case SCHED_SLEEPS:
	case SCHED_BLOCKED:
		see_stay(t, index, c->was == SCHED_SLEEPS ? TASK_SLEPT : TASK_WAS_BLOCKED, c);
		add_sleep(t, index, index, c->since, c->ts);
		break;
	case SCHED_UNKNOWN:
	case SCHED_GONE:
		break;
	}
	if (c->state == SCHED_SLEEPS || c->state == SCHED_BLOCKED)
		task->letter = letter_of(&sched_pass_types(t->pass)->states, c->prev_state);
	if (!c->rec || c->rec->op != SCHED_SWITCH)
		return;
	task->last_cpu = c->cpu + 1;
	stays = stays_at(t, index, c->ts);
	if (stays)
		stays->sums.last_cpu = c->cpu + 1;
}

/* As the rules do, the sums so far go to the part.  What is open goes on. */
static void on_split(void *arg, uint32_t index, uint32_t part, int64_t ts)
{
	struct task_table *t = arg;
	const struct last_call *calls = task_at(t, index)->open;
	const struct sched_task *task = sched_rules_task(sched_pass_rules(t->pass), index);
	struct stays *stays;

	for (unsigned int i = 0; calls && i < 2; i++)
		if (time_after(calls[i].since, calls[i].took - 1) < ts)
			end_call(t, index, i);
	stays = t->tasks[index].stays;
	task_at(t, part)->stays = stays;
	t->tasks[index].stays = NULL;
	if (!t->options.nr_filters &&
	    (task->state == SCHED_SLEEPS || task->state == SCHED_BLOCKED)) {
		t->tasks[part].letter = t->tasks[index].letter;
		t->tasks[part].last_cpu = t->tasks[index].last_cpu;
		add_sleep(t, part, part, task->since, ts);
	}
	if (!t->options.nr_filters && task->state == SCHED_RUNS)
		add_stolen_run(t, part, task->cpu, task->since, ts);
}

/* At the end of the buffer all open intervals end. */
static void end_all(struct task_table *t, int64_t ts)
{
	const struct sched_rules *rules = sched_pass_rules(t->pass);

	if (t->no_sums)
		return;
	for (unsigned int i = 0; i < t->nr_cpus; i++) {
		add_interval(t, &t->cpus[i], ts, NULL);
		add_context(t, &t->cpus[i], ts, NULL);
		end_idle_state(t, &t->cpus[i], ts, NULL);
		end_khz(t, &t->cpus[i], ts);
	}
	if (t->queue)
		run_queue_end(t->queue, ts);
	for (uint32_t i = 0;
	     !t->options.nr_filters && !t->no_tasks && i < sched_rules_nr_tasks(rules); i++) {
		const struct sched_task *task = sched_rules_task(rules, i);

		if (task->state == SCHED_SLEEPS || task->state == SCHED_BLOCKED)
			add_sleep(t, i, i, task->since, ts);
		if (task->state == SCHED_RUNS)
			add_stolen_run(t, i, task->cpu, task->since, ts);
	}
}

static void free_stays(struct stays *stays)
{
	if (stays) {
		duration_set_fini(&stays->waits);
		task_durations_free(stays->durations);
	}
	free(stays);
}

static void forget_tasks(struct task_table *t)
{
	for (uint32_t i = 0; i < t->nr_tasks; i++) {
		free_stays(t->tasks[i].stays);
		free(t->tasks[i].open);
	}
	free(t->tasks);
	t->tasks = NULL;
	t->nr_tasks = 0;
}

static void forget_slices(struct task_table *t, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		for (uint32_t k = 0; k < t->earlier[i].nr_tasks; k++)
			free_stays(t->earlier[i].stays[k]);
		free(t->earlier[i].stays);
		free(t->earlier[i].cpus);
	}
	t->slices.nr -= nr;
	if (t->slices.nr) {
		memmove(t->earlier, t->earlier + nr, t->slices.nr * sizeof(*t->earlier));
		memmove(t->slices.list, t->slices.list + nr,
			t->slices.nr * sizeof(*t->slices.list));
	}
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct task_table *t = arg;
	const struct machine *machine = trace_machine(t->trace, t->options.file);

	forget_tasks(t);
	if (t->pairs)
		task_pairs_clear(t->pairs);
	free(t->cpus);
	free(t->runs);
	t->cpus = NULL;
	t->runs = NULL;
	if (t->no_sums)
		return;
	t->nr_cpus = sched_pass_nr_cpus(pass);
	t->cpus = mem_array(t->nr_cpus + 1, sizeof(*t->cpus));
	if (!t->no_tasks)
		t->runs = mem_array(t->nr_cpus + 1, sizeof(*t->runs));
	for (unsigned int i = 0; i < t->nr_cpus; i++)
		t->cpus[i] = (struct counted_cpu){
			.counts.sums.cpu = sched_pass_cpu(pass, i), .task = SCHED_NO_TASK,
			.interrupted = SCHED_NO_TASK, .idle_state = -1,
			.machine = machine_cpu(machine, sched_pass_cpu(pass, i))
		};
}

/* --- figures ------------------------------------------------------------------- */

static void copy_sums(struct stays *stays, struct task_sums *out)
{
	uint64_t rank, p99 = 0;
	bool raw;

	if (!stays)
		return;
	*out = stays->sums;
	raw = stays->calls[1].nr >= stays->calls[0].nr &&
	      (stays->calls[1].nr || stays->calls[1].time);
	out->calls = stays->calls[raw].nr;
	out->call_time = stays->calls[raw].time;
	rank = duration_set_rank(stays->waits.nr, 99);
	if (rank)
		duration_set_ranks(&stays->waits, &rank, &p99, 1);
	out->wait_p99 = (int64_t)p99;
}

static size_t keep_name(struct task_figures *f, const char *name)
{
	size_t at = f->text.len;

	text_printable(&f->text, name, strlen(name));
	text_char(&f->text, '\0');
	return at;
}

/* With the calls that have told their end. */
static struct stays *counted_stays(struct task_table *t, uint32_t index)
{
	if (t->no_sums)
		return NULL;
	for (unsigned int i = 0; task_at(t, index)->open && i < 2; i++)
		end_call(t, index, i);
	return t->tasks[index].stays;
}

/* Does a task count?  @stays: NULL: it has none. */
static bool is_kept(const struct task_table *t, const struct sched_task *task,
		    const struct stays *stays)
{
	bool is_part = t->options.range.set || t->options.nr_splits;
	bool has_calls = stays && (stays->calls[0].nr || stays->calls[1].nr || stays->sums.irqs);

	if (has_calls)
		return true;
	return (!t->known_only || sched_task_is_known(task)) && task->listed &&
	       !(is_part && sched_task_is_split(task) && !sched_task_has_any(task));
}

/* Those of the numbers in @kept, in their order. */
static struct sched_task *move_tasks(struct task_table *t, const uint32_t *kept, uint32_t nr,
				     bool gives)
{
	const struct sched_rules *rules = sched_pass_rules(t->pass);
	struct sched_task *all = gives ? sched_pass_give_tasks(t->pass) : NULL,
			  *tasks = all ? all : mem_array((size_t)nr + 1, sizeof(*tasks));

	for (uint32_t i = 0; i < nr; i++)
		tasks[i] = all ? all[kept[i]] : *sched_rules_task(rules, kept[i]);
	return tasks;
}

/* It waited, and may have been throttled, in the range. */
static bool may_be_throttled(const struct task_table *t, const struct sched_task *task,
			     bool inferred)
{
	const struct limits_untold *untold = sched_pass_untold(t->pass);
	const struct time_range *range = &t->options.range;

	return untold && task->wait > 0 &&
	       limits_untold_hold(untold, (int)task->pid, range->set ? range->from : INT64_MIN,
				  range->set ? range->to : INT64_MAX, inferred);
}

/* What is not recorded of a task, so that its figures are bounds, or doubtful. */
static void see_unrecorded(const struct task_table *t, struct task_figures *f, uint32_t row)
{
	struct sched_task *task = &f->tasks[row];
	struct task_longest *wait = f->sums ? &f->sums[row].longest[TASK_WAITED] : NULL;

	task->unwoken = f->switches && !f->wakes;
	task->thinned = trace_is_thinned(t->trace, t->options.file);
	task->waited_more = task->thinned ||
			    ((task->unwoken || task->woken_late || task->lost_waking) &&
			     task->wait > 0);
	task->untold = may_be_throttled(t, task, true);
	if (!task->untold || !wait)
		return;
	f->sums[row].knows_throttled &= !may_be_throttled(t, task, false);
	wait->guessed |= wait->length &&
			 limits_untold_hold(sched_pass_untold(t->pass), (int)task->pid, wait->ts,
					    time_after(wait->ts, wait->length), true);
}

static bool any_may_be_throttled(const struct task_table *t)
{
	const struct sched_rules *rules = sched_pass_rules(t->pass);
	uint32_t nr = sched_pass_untold(t->pass) ? sched_rules_nr_tasks(rules) : 0;

	for (uint32_t i = 0; i < nr; i++)
		if (may_be_throttled(t, sched_rules_task(rules, i), true))
			return true;
	return false;
}

static void copy_tasks(struct task_table *t, struct task_figures *f)
{
	const struct sched_rules *rules = sched_pass_rules(t->pass);
	uint32_t all = t->no_tasks ? 0 : sched_rules_nr_tasks(rules);
	uint32_t *kept = mem_array((size_t)all + 1, sizeof(*kept));

	f->sums = t->no_sums ? NULL : mem_array((size_t)all + 1, sizeof(*f->sums));
	f->comms = mem_array((size_t)all + 1, sizeof(*f->comms));
	if (t->durations && f->done)
		f->durations = mem_array((size_t)all + 1, sizeof(*f->durations));
	for (uint32_t i = 0; i < all; i++) {
		struct stays *stays = counted_stays(t, i);
		const char *comm = sched_pass_comm(t->pass, i);

		if (!is_kept(t, sched_rules_task(rules, i), stays))
			continue;
		kept[f->nr_tasks] = i;
		f->comms[f->nr_tasks] = f->text.len;
		text_bytes(&f->text, comm, strlen(comm) + 1);
		if (f->durations && stays) {
			f->durations[f->nr_tasks] = stays->durations;
			stays->durations = NULL;
		}
		if (f->sums) {
			copy_sums(stays, &f->sums[f->nr_tasks]);
			f->sums[f->nr_tasks].knows_throttled =
				f->has_throttled && (sched_pass_limits(t->pass) ||
						     sched_rules_task(rules, i)->throttled);
		}
		f->nr_tasks++;
	}
	f->tasks = move_tasks(t, kept, f->nr_tasks, t->gives_tasks && f->done && !t->pairs);
	for (uint32_t i = 0; i < f->nr_tasks; i++)
		see_unrecorded(t, f, i);
	free(kept);
}

static void copy_pairs(struct task_table *t, struct task_figures *f, enum task_pair_kind kind)
{
	struct task_pair_figures *out = &f->pairs[kind];

	if (!t->pairs)
		return;
	out->pairs = task_pairs_sorted(t->pairs, kind, &out->nr);
	out->names = mem_array((size_t)out->nr + 1, sizeof(*out->names));
	out->bys = mem_array((size_t)out->nr + 1, sizeof(*out->bys));
	for (uint32_t i = 0; i < out->nr; i++) {
		const struct task_pair *pair = &out->pairs[i];

		out->names[i] = keep_name(f, sched_pass_comm(t->pass, pair->task));
		out->bys[i] = keep_name(f, task_pair_by_comm(t->pass, pair));
	}
}

static void copy_limits(const struct task_table *t, struct task_figures *f)
{
	const struct sched_limits *limits = sched_pass_limits(t->pass);
	uint32_t nr = sched_limits_nr(limits);

	f->limits = mem_array((size_t)nr + 1, sizeof(*f->limits));
	for (uint32_t i = 0; i < nr; i++) {
		f->limits[i] = f->text.len;
		sched_limits_text(limits, i, &f->text);
		text_bytes(&f->text, "", 1);
	}
}

static void free_figures(struct task_figures *figures)
{
	if (figures)
		task_figures_fini(figures);
	free(figures);
}

static void publish(struct task_table *t, enum sched_pass_state state)
{
	struct sched_feed_totals totals = sched_pass_totals(t->pass);
	struct task_figures *f = mem_alloc(sizeof(*f));
	bool unsure = any_may_be_throttled(t) ||
		      sched_rules_has_unsure_waits(sched_pass_rules(t->pass));

	*f = (struct task_figures){ .nr_cpus = t->nr_cpus, .done = state != SCHED_PASS_MORE,
				    .failed = state == SCHED_PASS_FULL,
				    .lost = sched_pass_lost(t->pass),
				    .buffer = sched_pass_buffer(t->pass),
				    .has_irqs = t->has_hardirqs || t->has_softirqs,
				    .has_calls = t->has_calls,
				    .has_idle = t->has_idle, .has_khz = t->has_khz,
				    .has_stolen = t->vcpus != NULL,
				    .lacks_contexts = sched_pass_types(t->pass)->lacks_flags,
				    .has_throttled =
					    !t->options.nr_filters &&
					    (sched_pass_limits(t->pass) ||
					     sched_rules_has_limited(sched_pass_rules(t->pass))),
				    .sched_records = totals.sched_records,
				    .switches = totals.switches, .wakes = totals.wakes };
	f->permille = f->done || !totals.all_pages ?
			      1000 :
			      (unsigned int)(totals.pages * 1000 / totals.all_pages);
	copy_tasks(t, f);
	copy_limits(t, f);
	copy_pairs(t, f, TASK_PREEMPTED_BY);
	copy_pairs(t, f, TASK_WOKEN_BY);
	f->cpus = mem_array(t->nr_cpus + 1, sizeof(*f->cpus));
	for (unsigned int i = 0; i < t->nr_cpus; i++) {
		const struct cpu_counts *counts = &t->cpus[i].counts;

		f->cpus[i] = counts->sums;
		if (t->queue)
			f->cpus[i].queue = run_queue_sums(t->queue, i);
		f->cpus[i].unsure = unsure || (f->switches && !f->wakes);
		f->cpus[i].knows_calls = t->has_calls;
		f->cpus[i].knows_moves = t->cpus[i].machine;
		f->cpus[i].knows_irqs = f->has_irqs;
		f->cpus[i].knows_hardirqs = t->has_hardirqs;
		f->cpus[i].knows_softirqs = t->has_softirqs;
		f->cpus[i].knows_stolen = t->vcpus != NULL;
		f->cpus[i].calls = counts->calls[counts->calls[1] >= counts->calls[0]];
	}
	free_figures(sched_job_publish(&t->job, f));
}

static struct task_table *alloc_table(struct trace *trace, const struct task_table_options *o)
{
	struct task_table *t = mem_alloc(sizeof(*t));

	t->trace = trace;
	t->no_sums = o->no_sums;
	t->no_tasks = o->no_tasks;
	t->gives_tasks = o->gives_tasks;
	t->durations = o->durations;
	t->known_only = o->known_only;
	if (!o->no_sums)
		t->host = trace_host_of(trace, o->file, o->host);
	t->listener = (struct sched_listener){ .task = on_task, .arg = t };
	if (!o->no_sums)
		t->listener = (struct sched_listener){ .task = on_task,
						       .cpu = on_cpu,
						       .other = on_other,
						       .resumed = on_resumed,
						       .split = on_split,
						       .moved = on_moved,
						       .limited = on_limited,
						       .arg = t };
	t->options = (struct sched_pass_options){ .file = o->file, .range = o->range,
						  .only = o->only, .nr_only = o->nr_only,
						  .filters = o->filters,
						  .nr_filters = o->nr_filters,
						  .splits = o->splits,
						  .nr_splits = o->nr_splits,
						  .goes_on = o->goes_on, .limits = true,
						  .pictures = !o->no_sums && !o->no_seen,
						  .interrupts = !o->no_sums || !o->no_pairs,
						  .calls = !o->no_sums && !o->no_calls,
						  .workers = trace_workers(trace),
						  .stopped = &t->job.stopped };
	if (!o->no_sums || !o->no_pairs) {
		t->options.listener = &t->listener;
		t->options.begun = on_begun;
	}
	if (!o->no_pairs)
		t->pairs = task_pairs_new(&t->options);
	return t;
}

static void free_table(struct task_table *t)
{
	if (!t)
		return;
	sched_pass_free(t->pass);
	free_table(t->before);
	free_table(t->other);
	free_figures(sched_job_take(&t->job));
	forget_slices(t, t->slices.nr);
	free(t->earlier);
	free(t->slices.list);
	forget_tasks(t);
	task_pairs_free(t->pairs);
	run_queue_free(t->queue);
	free((void *)t->options.splits);
	free(t->cpus);
	free(t->runs);
	host_vcpus_free(t->vcpus);
	free(t);
}

/* --- what was before the range ----------------------------------------------------

 * While a trace grows, windows follow each other.  A separate table, t->before, has a pass without
 * workers.  It reads up to the beginning of the window and parks there; the next window continues
 * from it.  If windows begin at multiples of a slice, it also reads the slices in the window, and
 * keeps the sums of each.  The window's table begins with these states and sums.  Sums of slices
 * are not split: a window with a split is read as a whole.
 */

static const struct time_range nothing = { true, INT64_MAX, INT64_MIN };

static struct task_table *new_before(const struct task_table *t)
{
	const struct task_table_options options = { .file = t->options.file, .range = nothing };
	struct task_table *before = alloc_table(t->trace, &options);

	trace_kept_from(t->trace, t->options.file, &before->dropped_then);
	before->slice = t->slice;
	before->options.parks = true;
	before->options.workers = NULL;
	before->options.queue = before->queue = run_queue_new(&options.range);
	before->pass = sched_pass_new(t->trace, &before->options);
	return before;
}

/* End the present slice where the pass is parked, and begin the next one. */
static void turn(struct task_table *t, const struct time_range *range)
{
	struct table_slice slice = { mem_array(t->nr_cpus + 1, sizeof(*slice.cpus)),
				     mem_array((size_t)t->nr_tasks + 1, sizeof(*slice.stays)),
				     t->nr_tasks };
	struct time_range present = t->options.range;

	for (unsigned int i = 0; i < t->nr_cpus; i++) {
		slice.cpus[i] = t->cpus[i].counts;
		t->cpus[i].counts = (struct cpu_counts){ .sums.cpu = slice.cpus[i].sums.cpu };
	}
	for (uint32_t i = 0; i < t->nr_tasks; i++) {
		slice.stays[i] = t->tasks[i].stays;
		t->tasks[i].stays = NULL;
	}
	present.to = range->from;
	mem_grow(&t->earlier, t->slices.nr, &t->cap_earlier);
	t->earlier[t->slices.nr] = slice;
	mem_grow(&t->slices.list, t->slices.nr, &t->slices.cap);
	t->slices.list[t->slices.nr++] = present;
	t->options.range = *range;
	sched_pass_turn(t->pass, &t->slices, range);
	task_pairs_turn(t->pairs, &t->slices);
	run_queue_turn(t->queue, &t->slices, range);
}

static void forget(struct task_table *t, uint32_t nr)
{
	forget_slices(t, nr);
	sched_pass_forget(t->pass, nr);
	task_pairs_forget(t->pairs, nr);
	run_queue_forget(t->queue, nr);
}

/* Add the sums of a slice. */
static void add_slice(struct task_table *t, uint32_t task, struct stays *of)
{
	struct stays *stays;

	if (!of)
		return;
	stays = stays_of(t, task, t->slices.nr);
	task_sums_add(&stays->sums, &of->sums);
	for (unsigned int i = 0; i < 2; i++) {
		stays->calls[i].nr += of->calls[i].nr;
		add_to(&stays->calls[i].time, of->calls[i].time);
	}
	duration_set_merge(&stays->waits, &of->waits);
}

/*
 * Begin with the states of what was before and with the sums of its slices.  Those of tasks are
 * added from the first slice on: of equal maxima, the first one is kept.
 */
static void take_states(struct task_table *t, const struct task_table *before)
{
	t->nr_cpus = before->nr_cpus;
	t->cpus = mem_copy(before->cpus, t->nr_cpus + 1, sizeof(*t->cpus));
	t->runs = mem_copy(before->runs, before->runs ? t->nr_cpus + 1 : 0, sizeof(*t->runs));
	t->tasks = mem_copy(before->tasks, before->nr_tasks, sizeof(*t->tasks));
	t->nr_tasks = before->nr_tasks;
	for (uint32_t i = 0; i < t->nr_tasks; i++) {
		t->tasks[i].open = mem_copy(t->tasks[i].open, t->tasks[i].open ? 2 : 0,
					    sizeof(*t->tasks[i].open));
		t->tasks[i].stays = NULL;
		for (uint32_t k = 0; k < before->slices.nr; k++)
			if (i < before->earlier[k].nr_tasks)
				add_slice(t, i, before->earlier[k].stays[i]);
		add_slice(t, i, before->tasks[i].stays);
	}
	for (unsigned int i = 0; i < t->nr_cpus; i++)
		for (uint32_t k = 0; k < before->slices.nr; k++) {
			struct cpu_counts *counts = &t->cpus[i].counts;

			cpu_sums_add(&counts->sums, &before->earlier[k].cpus[i].sums);
			counts->calls[0] += before->earlier[k].cpus[i].calls[0];
			counts->calls[1] += before->earlier[k].cpus[i].calls[1];
		}
	t->has_hardirqs = before->has_hardirqs;
	t->has_softirqs = before->has_softirqs;
	t->has_calls = before->has_calls;
	t->has_idle = before->has_idle;
	t->has_khz = before->has_khz;
	t->losses = before->losses;
	task_pairs_follow(t->pairs, before->pairs);
	t->options.queue = t->queue = run_queue_fork(before->queue, &t->options.range);
	t->pass = sched_pass_fork(before->pass, &t->options);
	run_queue_use(t->queue, t->pass);
}

static void begin_whole(struct task_table *t)
{
	if (!t->options.nr_filters && !t->no_sums)
		t->options.queue = t->queue = run_queue_new(&t->options.range);
	t->pass = sched_pass_new(t->trace, &t->options);
}

/* Does it have the sums of all slices from @from on? */
static bool has_slices(const struct task_table *before, int64_t from)
{
	uint32_t at = time_slices_at(&before->slices, from);

	return before->options.range.from == from ||
	       (at < before->slices.nr && before->slices.list[at].from == from);
}

/*
 * Can the window continue from it?  It cannot after the ring dropped records of the window: slices
 * would still count them, and the parked pass would still read them.
 */
static bool serves(const struct task_table *before, const struct task_table *t)
{
	int64_t from = t->options.range.from;
	uint64_t dropped;

	if (before->options.file != t->options.file ||
	    (trace_kept_from(t->trace, t->options.file, &dropped) > from &&
	     dropped != before->dropped_then))
		return false;
	if (!t->slice || !has_slices(before, from))
		return sched_pass_follows(before->pass, from);
	return sched_pass_follows(before->pass, time_after(t->options.range.to, 1));
}

/* Begin with a first slice; @range: nothing: end with slices. */
static void begin_slices(struct task_table *before, const struct time_range *range)
{
	turn(before, range);
	forget(before, before->slices.nr);
}

/* Is there a split of which the slices do not know?  A task that began later has none. */
static bool has_split(const struct task_table *before, const struct task_table *t)
{
	const struct sched_rules *rules = sched_pass_rules(before->pass);

	for (uint32_t i = 0; i < t->options.nr_splits; i++) {
		const struct sched_split *split = &t->options.splits[i];
		uint32_t task = sched_rules_find(rules, split->pid, split->ts);

		if (split->ts < sched_pass_until(before->pass) && task != SCHED_NO_TASK &&
		    sched_rules_task(rules, task)->born < split->ts)
			return true;
	}
	return false;
}

/*
 * Choose the one with slices or the one without, as the window needs it; make a new one if it does
 * not serve.  Return: the old one in that case, for the caller to free; else NULL.
 */
static struct task_table *choose_before(struct task_table *t)
{
	struct task_table *useless;

	if (!t->before || !t->before->slice != !t->slice) {
		struct task_table *other = t->before;

		t->before = t->other;
		t->other = other;
	}
	useless = t->before;
	if (useless && serves(useless, t))
		return NULL;
	t->before = new_before(t);
	return useless;
}

/*
 * Read a piece of what is before the range, or of its slices.  MORE: there is more.  PARKED: that
 * was all.  Else the window cannot continue from it: what was appended told that it was wrong, say.
 */
static enum sched_pass_state read_piece(struct task_table *t)
{
	struct task_table *before = t->before;
	struct time_range next = { true, t->options.range.from, INT64_MAX };
	int64_t present = before->options.range.from, end = time_after(t->options.range.to, 1);
	bool has = t->slice && has_slices(before, next.from);
	enum sched_pass_state state;

	if (has) {
		forget(before, time_slices_after(&before->slices, next.from));
		next.from = time_after(present, t->slice);
	} else if (present != nothing.from) {
		begin_slices(before, &nothing);
	}
	state = sched_pass_reach(before->pass, next.from < end ? next.from : end, RECORDS_PER_JOB);
	/* less may be settled than was asked for */
	if (state != SCHED_PASS_PARKED || !t->slice || next.from == present ||
	    sched_pass_until(before->pass) < next.from)
		return state;
	if (has)
		turn(before, &next);
	else
		begin_slices(before, &next);
	return SCHED_PASS_MORE;
}

/*
 * Read what is before the range, and its slices.  False: there is more to read.  If the window
 * cannot continue from it, all is read this time, with all workers.
 */
static bool read_before(struct task_table *t)
{
	enum sched_pass_state state = read_piece(t);

	if (state == SCHED_PASS_MORE)
		return false;
	if (state != SCHED_PASS_PARKED) {
		begin_whole(t);
		return true;
	}
	if (t->slice && has_split(t->before, t)) {
		t->slice = 0;
		free_table(choose_before(t));
		return false;
	}
	take_states(t, t->before);
	return true;
}

/* --- the work ---------------------------------------------------------------------- */

static bool add_up(void *arg)
{
	struct task_table *t = arg;
	enum sched_pass_state state;

	if (t->host.guest && !t->vcpus) {
		t->vcpus = host_vcpus_new(&t->host, &t->job.stopped);
		t->host.guest = t->vcpus ? t->host.guest : NULL;
	}
	if (!t->pass && !read_before(t))
		return true;
	state = sched_pass_step(t->pass, RECORDS_PER_JOB);
	if (state == SCHED_PASS_DONE && sched_pass_totals(t->pass).any)
		end_all(t, sched_pass_totals(t->pass).last_ts);
	if (state == SCHED_PASS_STOPPED)
		return false;
	/* the next window comes soon: parts of it are not worth their cost */
	if (state != SCHED_PASS_MORE || (!t->before && atomic_load(&t->job.wanted)))
		publish(t, state);
	return state == SCHED_PASS_MORE;
}

/* --- the caller's thread -------------------------------------------------------- */

static void begin(struct task_table *t)
{
	atomic_store(&t->job.wanted, true);
	sched_job_start(&t->job, trace_workers(t->trace), add_up, t);
}

struct task_table *task_table_new(struct trace *trace, const struct task_table_options *o)
{
	struct task_table *t = alloc_table(trace, o);

	begin_whole(t);
	begin(t);
	return t;
}

struct task_table *task_table_park(struct task_table *t)
{
	struct task_table *before;

	sched_job_stop(&t->job);
	before = t->before;
	if (before)
		before->other = t->other;
	t->before = t->other = NULL;
	return before;
}

struct task_table *task_table_next(struct task_table **parked, struct trace *trace,
				   const struct task_table_options *o)
{
	struct task_table *t;

	if (!trace_grows(trace) || !o->range.set || o->nr_filters || o->only)
		return task_table_new(trace, o);
	t = alloc_table(trace, o);
	t->slice = o->slice;
	t->before = *parked;
	if (t->before) {
		t->other = t->before->other;
		t->before->other = NULL;
	}
	*parked = choose_before(t);
	begin(t);
	return t;
}

void task_table_wait(struct task_table *t)
{
	sched_job_wait(&t->job);
}

const struct sched_pass *task_table_pass(const struct task_table *t)
{
	return t->pass;
}

void task_table_free(struct task_table *t)
{
	if (!t)
		return;
	sched_job_stop(&t->job);
	free_table(t);
}

bool task_table_take(struct task_table *t, struct task_figures *figures)
{
	struct task_figures *ready = sched_job_take(&t->job);

	if (!ready)
		return false;
	task_figures_fini(figures);
	*figures = *ready;
	free(ready);
	return true;
}
