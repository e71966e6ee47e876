/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/task_table.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/duration_set.h"
#include "src/base/memory.h"
#include "src/sched/sched_source.h"
#include "src/sched/sched_pass.h"
#include "src/trace/trace_streams.h"

/* some ms: then other jobs get their turn, and the screen gets new figures */
#define RECORDS_PER_JOB (1u << 17)

#define CPU_RUNS	256u		/* runs of a CPU that are remembered */

struct cpu_run {
	int64_t		from, to;
	uint32_t	task;
};

struct counted_cpu {
	struct cpu_sums	sums;		/* except calls */
	uint64_t	calls[2];	/* by syscalls, raw_syscalls */
	int64_t		since;
	uint32_t	task;		/* the running task; SCHED_NO_TASK = unknown */
	struct sched_nest nest;
	int64_t		nest_since;
	uint32_t	interrupted;	/* task of its interrupts; SCHED_IDLE_TASK, SCHED_NO_TASK */
	uint64_t	losses;		/* lost events so far */
	const struct machine_cpu *machine;	/* borrowed; NULL: not known */
	int		idle_state;	/* by cpu_idle; -1: none, or not known */
	int64_t		idle_since;
	uint32_t	khz;		/* by cpu_frequency; 0: not known */
	int64_t		khz_since;
	uint64_t	khz_losses;	/* task_table.losses then */
	struct cpu_run	runs[CPU_RUNS];	/* the last runs of tasks, a ring */
	uint64_t	nr_runs;	/* in all */
};

struct calls {				/* a task's system calls, by one of the event systems */
	uint64_t	nr;
	int64_t		time;
	/* The last one: */
	bool		is_open;
	uint32_t	number;
	unsigned int	cpu;		/* index of the CPU where it began */
	uint64_t	losses;		/* that CPU's losses at the time */
	int64_t		since;
	uint32_t	took;		/* sched_rec.comm2: 1 + how long; 0 = not known */
};

struct stays {
	struct task_sums sums;		/* except wait_p99, calls */
	struct calls	calls[2];	/* syscalls, raw_syscalls */
	struct duration_set waits;
};

struct counted_task {
	struct stays	*stays;		/* owned; NULL: none has ended yet, as of most pids */
	uint8_t		letter;		/* letter of the state it sleeps in */
};

struct task_table {
	struct trace		*trace;		/* borrowed */
	struct sched_pass_options options;
	struct sched_listener	 listener;
	struct sched_pass	*pass;		/* owned; the worker's from the first job on */
	struct counted_cpu	*cpus;		/* owned, [nr_cpus]; for the worker */
	unsigned int		 nr_cpus;
	struct counted_task	*tasks;		/* owned, [nr_tasks] by index, at least
						   all that changed; for the worker */
	uint32_t		 nr_tasks;
	struct task_pairs	*pairs;		/* owned; for the worker */
	struct run_queue	*queue;		/* owned; for the worker; NULL: not with filters */
	/* While the trace grows: what was before the range, without sums; parks at its start. */
	struct task_table	*before;	/* owned; for the worker; NULL = none */
	bool			 has_irqs, has_calls, has_idle, has_khz;
	uint64_t		 losses;	/* of all CPUs: any may lose the frequency of one */
	atomic_bool		 stopped;
	struct worker_group	 group;
	atomic_bool		 wanted;	/* the last figures were taken */
	_Atomic(struct task_figures *) ready;	/* owned; NULL: they were taken */
};

void task_figures_fini(struct task_figures *f)
{
	free(f->tasks);
	free(f->sums);
	free(f->comms);
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

static bool is_in_range(const struct task_table *t, int64_t ts)
{
	return time_range_has(&t->options.range, ts);
}

static void add_to(int64_t *sum, int64_t time)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)time);
}

/* Add the part of an interval that is in the range. */
static void add_part(const struct task_table *t, int64_t *sum, int64_t from, int64_t to)
{
	if (to > from)
		add_to(sum, time_range_part(&t->options.range, from, to));
}

/* Do filters exclude an interval that ends with this record?  NULL: no record. */
static bool is_left_out(const struct task_table *t, const struct sched_rec *rec, unsigned int not )
{
	return rec ? rec->uncounted & not : t->options.nr_filters;
}

static struct counted_task *task_at(struct task_table *t, uint32_t task)
{
	mem_reach(&t->tasks, &t->nr_tasks, task);
	return &t->tasks[task];
}

static struct stays *stays_of(struct counted_task *task)
{
	if (!task->stays)
		task->stays = mem_alloc(sizeof(*task->stays));
	return task->stays;
}

/* --- system calls and interrupts ------------------------------------------------ */

/* The last call told its end. */
static void end_call(const struct task_table *t, struct calls *calls)
{
	if (!calls->is_open || !calls->took)
		return;
	add_part(t, &calls->time, calls->since, time_after(calls->since, calls->took - 1));
	calls->is_open = false;
}

static void take_call(struct task_table *t, unsigned int cpu, const struct sched_rec *rec)
{
	uint32_t task = sched_pass_task(t->pass, rec->pid2);
	struct calls *calls;

	t->has_calls = true;
	if (rec->op == SCHED_CALL)
		t->cpus[cpu].calls[rec->detail] += is_in_range(t, rec->ts) &&
						   !is_left_out(t, rec, SCHED_NOT_CPU);
	if (task >= SCHED_IDLE_TASK)
		return;
	calls = &stays_of(task_at(t, task))->calls[rec->detail];
	end_call(t, calls);
	if (rec->op == SCHED_CALL) {
		calls->nr += is_in_range(t, rec->ts) && !is_left_out(t, rec, SCHED_NOT_ITS);
		calls->is_open = true;
		calls->number = rec->pid;
		calls->cpu = cpu;
		calls->losses = t->cpus[cpu].losses;
		calls->since = rec->ts;
		calls->took = rec->comm2;
		return;
	}
	if (calls->is_open && calls->number == rec->pid &&
	    calls->losses == t->cpus[calls->cpu].losses && !is_left_out(t, rec, SCHED_NOT_ITS))
		add_part(t, &calls->time, calls->since, rec->ts);
	calls->is_open = false;
}

static void begin_interrupt(struct task_table *t, struct counted_cpu *cpu,
			    const struct sched_rec *rec)
{
	bool counts = is_in_range(t, rec->ts) && !is_left_out(t, rec, SCHED_NOT_CPU);

	cpu->interrupted = sched_pass_task(t->pass, rec->comm2);
	cpu->sums.irqs += counts;
	if (cpu->interrupted < SCHED_IDLE_TASK)
		stays_of(task_at(t, cpu->interrupted))->sums.irqs += counts;
}

/* --- CPUs --------------------------------------------------------------------- */

static void add_interval(const struct task_table *t, struct counted_cpu *cpu, int64_t to,
			 const struct sched_rec *rec)
{
	if (cpu->task < SCHED_IDLE_TASK && to > cpu->since)
		cpu->runs[cpu->nr_runs++ % CPU_RUNS] =
			(struct cpu_run){ cpu->since, to, cpu->task };
	if (!is_left_out(t, rec, SCHED_NOT_CPU) && cpu->task != SCHED_NO_TASK)
		add_part(t, cpu->task == SCHED_IDLE_TASK ? &cpu->sums.idle : &cpu->sums.busy,
			 cpu->since, to);
}

static void add_context(struct task_table *t, struct counted_cpu *cpu, int64_t to,
			const struct sched_rec *rec)
{
	enum sched_context context = is_left_out(t, rec, SCHED_NOT_CPU) ?
					     SCHED_CONTEXT_TASK :
					     sched_nest_context(&cpu->nest);

	if (context == SCHED_CONTEXT_IRQ)
		add_part(t, &cpu->sums.irq, cpu->nest_since, to);
	else if (context == SCHED_CONTEXT_SOFTIRQ)
		add_part(t, &cpu->sums.softirq, cpu->nest_since, to);
	if (context != SCHED_CONTEXT_TASK && cpu->interrupted == SCHED_IDLE_TASK)
		add_part(t, &cpu->sums.idle_irq, cpu->nest_since, to);
	if (context != SCHED_CONTEXT_TASK && cpu->interrupted < SCHED_IDLE_TASK)
		add_part(t, &stays_of(task_at(t, cpu->interrupted))->sums.irq_time, cpu->nest_since,
			 to);
	cpu->nest_since = to;
}

static void end_idle_state(const struct task_table *t, struct counted_cpu *cpu, int64_t ts,
			   const struct sched_rec *rec)
{
	unsigned int state = (unsigned int)cpu->idle_state;

	if (cpu->idle_state >= 0 && !is_left_out(t, rec, SCHED_NOT_CPU))
		add_part(t,
			 &cpu->sums.idle_in[state < CPU_IDLE_STATES ? state : CPU_IDLE_STATES - 1],
			 cpu->idle_since, ts);
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
	int64_t known = 0;

	if (!cpu->khz || cpu->khz_losses != t->losses || t->options.nr_filters)
		return;
	add_part(t, &known, cpu->khz_since, ts);
	add_to(&cpu->sums.khz_known, known);
	cpu->sums.khz_time += (double)cpu->khz * (double)known;
	if (cpu->machine && cpu->machine->capacity > 0 && cpu->machine->max_khz > 0)
		cpu->sums.capacity_time += (double)cpu->machine->capacity * (double)cpu->khz /
					   (double)cpu->machine->max_khz * (double)known;
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

	cpu->losses += c->lost;
	t->losses += c->lost;
	if (c->lost)
		end_idle_state(t, cpu, c->ts, NULL);
	if (!c->dropped)
		add_interval(t, cpu, c->ts, c->rec);
	if (c->rec && !(c->rec->uncounted & SCHED_NOT_CPU) && is_in_range(t, c->ts)) {
		cpu->sums.switches++;
		cpu->sums.idle_entries += c->task == SCHED_IDLE_TASK;
	}
	cpu->task = c->task;
	cpu->since = c->ts;
	/* interrupts cannot last over a switch or a loss: the record of their end is missing */
	add_context(t, cpu, c->ts, c->rec);
	cpu->nest.nr = 0;
}

static void take_migration(struct task_table *t, const struct sched_rec *rec)
{
	int32_t to = rec->cpu == SCHED_NO_CPU ? -1 : sched_pass_cpu_index(t->pass, rec->cpu);

	int32_t from = rec->comm2 ? sched_pass_cpu_index(t->pass, rec->comm2 - 1) : -1;
	enum cpu_distance distance;

	if (to < 0 || !is_in_range(t, rec->ts) || is_left_out(t, rec, SCHED_NOT_CPU))
		return;
	t->cpus[to].sums.migrations++;
	if (from >= 0 && cpu_distance(t->cpus[from].machine, t->cpus[to].machine, &distance))
		t->cpus[to].sums.moves[distance]++;
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
	t->has_irqs = true;
	add_context(t, &t->cpus[nr], rec->ts, rec);
	sched_nest_take(&t->cpus[nr].nest, rec, 0);
	if (rec->op == SCHED_ENTER)
		begin_interrupt(t, &t->cpus[nr], rec);
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

/* Who ran on the CPU for the longest time between the two. */
static void find_taker(const struct task_table *t, unsigned int nr, int64_t from, int64_t to,
		       struct task_longest *longest)
{
	const struct counted_cpu *cpu = &t->cpus[nr];
	struct cpu_run run = { cpu->since, to, cpu->task };	/* not remembered yet */
	unsigned int nr_tasks = 0, most = 0, at;
	uint32_t tasks[CPU_RUNS + 1];
	int64_t times[CPU_RUNS + 1];

	for (uint64_t i = cpu->nr_runs; run.to > from; run = cpu->runs[--i % CPU_RUNS]) {
		for (at = 0; at < nr_tasks && tasks[at] != run.task; at++)
			;
		if (at == nr_tasks) {
			tasks[nr_tasks] = run.task;
			times[nr_tasks++] = 0;
		}
		times[at] += run.to - (run.from > from ? run.from : from);
		if (run.task < SCHED_IDLE_TASK && times[at] > longest->taken) {
			longest->taken = times[at];
			most = at;
		}
		if (!i)
			break;
		if (cpu->nr_runs - i == CPU_RUNS) {	/* there were more: most of all? */
			longest->taken *= longest->taken > (to - from) / 2;
			break;
		}
	}
	if (!longest->taken)
		return;
	longest->pid = sched_rules_task(sched_pass_rules(t->pass), tasks[most])->pid;
	longest->cpu = sched_pass_cpu(t->pass, nr);
}

/* A stay that a record ends. */
static void see_stay(struct task_table *t, uint32_t index, enum task_stay stay,
		     const struct sched_change *c)
{
	int64_t from = c->since,
		length = c->ts > from ? (int64_t)((uint64_t)c->ts - (uint64_t)from) : 0;
	struct task_longest *longest;
	struct stays *stays;

	if (!c->rec || !is_in_range(t, from))
		return;
	stays = stays_of(task_at(t, index));
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
			find_taker(t, (unsigned int)c->cpu, from, c->ts, longest);
	}
	if (stay == TASK_RAN)
		stays->sums.runs[bin_of(length)]++;
	if (stay != TASK_WAITED)
		return;
	stays->sums.wait_bins[bin_of(length)]++;
	stays->sums.waits++;
	add_to(&stays->sums.waited, length);
	duration_set_add(&stays->waits, (uint64_t)length);
}

/* What the task slept, less what was before a split. */
static void add_sleep(struct task_table *t, uint32_t index, uint32_t to, int64_t since, int64_t ts)
{
	int64_t from = sched_rules_task(sched_pass_rules(t->pass), index)->from;
	struct stays *stays = stays_of(task_at(t, to));

	add_part(t, &stays->sums.asleep[t->tasks[index].letter], since > from ? since : from, ts);
}

/* The rules compute the tasks' sums, except these. */
static void on_task(void *arg, uint32_t index, const struct sched_change *c)
{
	struct task_table *t = arg;
	struct counted_task *task = task_at(t, index);
	bool counts = !c->dropped &&
		      !is_left_out(t, c->rec,
				   c->was == SCHED_RUNS ? SCHED_NOT_ITS : SCHED_NOT_OTHER);

	task_pairs_take(t->pairs, t->pass, index, c);
	if (c->state == SCHED_WAITS && c->rec && is_in_range(t, c->ts) &&
	    !is_left_out(t, c->rec, SCHED_NOT_CPU))
		t->cpus[c->cpu].sums.wakeups++;
	switch (counts ? c->was : SCHED_UNKNOWN) {
	case SCHED_RUNS:
		if (!c->was_cut)
			see_stay(t, index, TASK_RAN, c);
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
}

/* As the rules do, the sums so far go to the part.  What is open goes on. */
static void on_split(void *arg, uint32_t index, uint32_t part, int64_t ts)
{
	struct task_table *t = arg;
	struct stays *stays = task_at(t, index)->stays;
	const struct sched_task *task = sched_rules_task(sched_pass_rules(t->pass), index);

	task_at(t, part)->stays = stays;
	t->tasks[index].stays = NULL;
	for (unsigned int i = 0; stays && i < 2; i++) {
		struct calls *calls = &stays_of(&t->tasks[index])->calls[i];

		*calls = stays->calls[i];
		calls->nr = 0;
		calls->time = 0;
		stays->calls[i].is_open = false;
	}
	if (!t->options.nr_filters &&
	    (task->state == SCHED_SLEEPS || task->state == SCHED_BLOCKED)) {
		t->tasks[part].letter = t->tasks[index].letter;
		add_sleep(t, part, part, task->since, ts);
	}
}

/* At the end of the buffer all open intervals end. */
static void end_all(struct task_table *t, int64_t ts)
{
	const struct sched_rules *rules = sched_pass_rules(t->pass);

	for (unsigned int i = 0; i < t->nr_cpus; i++) {
		add_interval(t, &t->cpus[i], ts, NULL);
		add_context(t, &t->cpus[i], ts, NULL);
		end_idle_state(t, &t->cpus[i], ts, NULL);
		end_khz(t, &t->cpus[i], ts);
	}
	if (t->queue)
		run_queue_end(t->queue, ts);
	for (uint32_t i = 0; !t->options.nr_filters && i < sched_rules_nr_tasks(rules); i++) {
		const struct sched_task *task = sched_rules_task(rules, i);

		if (task->state == SCHED_SLEEPS || task->state == SCHED_BLOCKED)
			add_sleep(t, i, i, task->since, ts);
	}
}

static void forget_tasks(struct task_table *t)
{
	for (uint32_t i = 0; i < t->nr_tasks; i++) {
		if (t->tasks[i].stays)
			duration_set_fini(&t->tasks[i].stays->waits);
		free(t->tasks[i].stays);
	}
	free(t->tasks);
	t->tasks = NULL;
	t->nr_tasks = 0;
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct task_table *t = arg;
	const struct machine *machine = trace_machine(t->trace, t->options.file);

	forget_tasks(t);
	task_pairs_clear(t->pairs);
	free(t->cpus);
	t->nr_cpus = sched_pass_nr_cpus(pass);
	t->cpus = mem_array(t->nr_cpus + 1, sizeof(*t->cpus));
	for (unsigned int i = 0; i < t->nr_cpus; i++)
		t->cpus[i] = (struct counted_cpu){
			.sums.cpu = sched_pass_cpu(pass, i), .task = SCHED_NO_TASK,
			.interrupted = SCHED_NO_TASK, .idle_state = -1,
			.machine = machine_cpu(machine, sched_pass_cpu(pass, i))
		};
}

/* --- figures ------------------------------------------------------------------- */

static void copy_sums(const struct task_table *t, struct stays *stays, struct task_sums *out)
{
	uint64_t rank, p99 = 0;
	bool raw;

	if (!stays)
		return;
	for (unsigned int i = 0; i < 2; i++)
		end_call(t, &stays->calls[i]);
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

static void copy_tasks(struct task_table *t, struct task_figures *f)
{
	const struct sched_rules *rules = sched_pass_rules(t->pass);
	uint32_t all = sched_rules_nr_tasks(rules);

	f->tasks = mem_array(all + 1, sizeof(*f->tasks));
	f->sums = mem_array(all + 1, sizeof(*f->sums));
	f->comms = mem_array(all + 1, sizeof(*f->comms));
	for (uint32_t i = 0; i < all; i++) {
		const struct stays *stays = task_at(t, i)->stays;
		const struct sched_task *task = sched_rules_task(rules, i);
		const char *comm = sched_pass_comm(t->pass, i);
		bool has_calls = stays &&
				 (stays->calls[0].nr || stays->calls[1].nr || stays->sums.irqs);

		if (!has_calls &&
		    (!task->listed || (sched_task_is_split(task) && !sched_task_has_any(task))))
			continue;
		f->tasks[f->nr_tasks] = *task;
		f->comms[f->nr_tasks] = f->text.len;
		text_bytes(&f->text, comm, strlen(comm) + 1);
		copy_sums(t, task_at(t, i)->stays, &f->sums[f->nr_tasks++]);
	}
}

static void copy_pairs(struct task_table *t, struct task_figures *f, enum task_pair_kind kind)
{
	struct task_pair_figures *out = &f->pairs[kind];

	out->pairs = task_pairs_sorted(t->pairs, kind, &out->nr);
	out->names = mem_array((size_t)out->nr + 1, sizeof(*out->names));
	out->bys = mem_array((size_t)out->nr + 1, sizeof(*out->bys));
	for (uint32_t i = 0; i < out->nr; i++) {
		const struct task_pair *pair = &out->pairs[i];

		out->names[i] = keep_name(f, sched_pass_comm(t->pass, pair->task));
		out->bys[i] = keep_name(f, task_pair_by_comm(t->pass, pair));
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

	*f = (struct task_figures){ .nr_cpus = t->nr_cpus, .done = state != SCHED_PASS_MORE,
				    .failed = state == SCHED_PASS_FULL,
				    .lost = sched_pass_lost(t->pass),
				    .has_irqs = t->has_irqs, .has_calls = t->has_calls,
				    .has_idle = t->has_idle, .has_khz = t->has_khz,
				    .sched_records = totals.sched_records,
				    .switches = totals.switches, .wakes = totals.wakes };
	f->permille = f->done || !totals.all_pages ?
			      1000 :
			      (unsigned int)(totals.pages * 1000 / totals.all_pages);
	copy_tasks(t, f);
	copy_pairs(t, f, TASK_PREEMPTED_BY);
	copy_pairs(t, f, TASK_WOKEN_BY);
	f->cpus = mem_array(t->nr_cpus + 1, sizeof(*f->cpus));
	for (unsigned int i = 0; i < t->nr_cpus; i++) {
		f->cpus[i] = t->cpus[i].sums;
		if (t->queue)
			f->cpus[i].queue = *run_queue_sums(t->queue, i);
		f->cpus[i].calls = t->cpus[i].calls[t->cpus[i].calls[1] >= t->cpus[i].calls[0]];
	}
	free_figures(atomic_exchange(&t->ready, f));
	atomic_store(&t->wanted, false);
}

static struct task_table *alloc_table(struct trace *trace, const struct task_table_options *o)
{
	struct task_table *t = mem_alloc(sizeof(*t));

	t->trace = trace;
	t->listener = (struct sched_listener){
		.task = on_task, .cpu = on_cpu, .other = on_other, .split = on_split, .arg = t
	};
	t->options = (struct sched_pass_options){ .file = o->file, .range = o->range,
						  .only = o->only, .nr_only = o->nr_only,
						  .filters = o->filters,
						  .nr_filters = o->nr_filters,
						  .splits = o->splits,
						  .nr_splits = o->nr_splits,
						  .goes_on = o->goes_on,
						  .pictures = true, .calls = true,
						  .listener = &t->listener, .begun = on_begun,
						  .workers = trace_workers(trace),
						  .stopped = &t->stopped };
	t->pairs = task_pairs_new(&t->options);
	return t;
}

static void free_table(struct task_table *t)
{
	if (!t)
		return;
	sched_pass_free(t->pass);
	free_table(t->before);
	free_figures(t->ready);
	forget_tasks(t);
	task_pairs_free(t->pairs);
	run_queue_free(t->queue);
	free((void *)t->options.splits);
	free(t->cpus);
	free(t);
}

/* --- what was before the range ---------------------------------------------------- */

static struct task_table *new_before(const struct task_table *t)
{
	const struct task_table_options options = {
		.file = t->options.file, .range = { true, INT64_MAX, INT64_MIN }
	};
	struct task_table *before = alloc_table(t->trace, &options);

	before->options.parks = before->options.no_sums = true;
	before->options.workers = NULL;
	before->options.queue = before->queue = run_queue_new(&options.range);
	before->pass = sched_pass_new(t->trace, &before->options);
	return before;
}

/* Begin with the states at the end of what was before. */
static void take_states(struct task_table *t, const struct task_table *before)
{
	t->nr_cpus = before->nr_cpus;
	t->cpus = mem_copy(before->cpus, t->nr_cpus + 1, sizeof(*t->cpus));
	t->tasks = mem_copy(before->tasks, before->nr_tasks, sizeof(*t->tasks));
	t->nr_tasks = before->nr_tasks;
	for (uint32_t i = 0; i < t->nr_tasks; i++)
		t->tasks[i].stays = mem_copy(t->tasks[i].stays, t->tasks[i].stays != NULL,
					     sizeof(*t->tasks[i].stays));
	t->has_irqs = before->has_irqs;
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
	if (!t->options.nr_filters)
		t->options.queue = t->queue = run_queue_new(&t->options.range);
	t->pass = sched_pass_new(t->trace, &t->options);
}

/*
 * Read a piece of what was before the range.  False: there is more of it.  If that cannot serve,
 * all is read this time, with all workers.
 */
static bool read_before(struct task_table *t)
{
	enum sched_pass_state state = sched_pass_reach(t->before->pass, t->options.range.from,
						       RECORDS_PER_JOB);

	if (state == SCHED_PASS_PARKED)
		take_states(t, t->before);
	else if (state != SCHED_PASS_MORE)
		begin_whole(t);
	return state != SCHED_PASS_MORE;
}

/* --- the work ---------------------------------------------------------------------- */

static void add_up(void *arg, unsigned int worker, bool cancelled)
{
	struct task_table *t = arg;
	enum sched_pass_state state;

	(void)worker;
	if (cancelled || atomic_load(&t->stopped))	/* what was before it does not stop */
		return;
	if (!t->pass && !read_before(t)) {
		workers_add(trace_workers(t->trace), &t->group, WORKER_REQUESTED, add_up, t);
		return;
	}
	state = sched_pass_step(t->pass, RECORDS_PER_JOB);
	if (state == SCHED_PASS_DONE && sched_pass_totals(t->pass).any)
		end_all(t, sched_pass_totals(t->pass).last_ts);
	if (state == SCHED_PASS_STOPPED)
		return;
	/* the next window comes soon: parts of it are not worth their cost */
	if (state != SCHED_PASS_MORE || (!t->before && atomic_load(&t->wanted)))
		publish(t, state);
	if (state == SCHED_PASS_MORE)
		workers_add(trace_workers(t->trace), &t->group, WORKER_REQUESTED, add_up, t);
}

/* --- the caller's thread -------------------------------------------------------- */

static void begin(struct task_table *t)
{
	atomic_store(&t->wanted, true);
	workers_add(trace_workers(t->trace), &t->group, WORKER_REQUESTED, add_up, t);
}

struct task_table *task_table_new(struct trace *trace, const struct task_table_options *o)
{
	struct task_table *t = alloc_table(trace, o);

	begin_whole(t);
	begin(t);
	return t;
}

/* Stop the workers. */
static void stop(struct task_table *t)
{
	atomic_store(&t->stopped, true);
	workers_cancel(&t->group);
	task_table_wait(t);
}

struct task_table *task_table_park(struct task_table *t)
{
	struct task_table *before = t->before;

	stop(t);
	t->before = NULL;
	return before;
}

struct task_table *task_table_next(struct task_table **parked, struct trace *trace,
				   const struct task_table_options *o)
{
	struct task_table *t;

	if (!trace_grows(trace) || !o->range.set || o->nr_filters || o->only)
		return task_table_new(trace, o);
	t = alloc_table(trace, o);
	if (*parked && (*parked)->options.file == o->file &&
	    sched_pass_follows((*parked)->pass, o->range.from)) {
		t->before = *parked;
		*parked = NULL;
	}
	if (!t->before)
		t->before = new_before(t);
	begin(t);
	return t;
}

void task_table_wait(struct task_table *t)
{
	workers_wait(trace_workers(t->trace), &t->group);
}

const struct sched_pass *task_table_pass(const struct task_table *t)
{
	return t->pass;
}

void task_table_free(struct task_table *t)
{
	if (!t)
		return;
	stop(t);
	free_table(t);
}

bool task_table_take(struct task_table *t, struct task_figures *figures)
{
	struct task_figures *ready = atomic_exchange(&t->ready, NULL);

	if (!ready)
		return false;
	task_figures_fini(figures);
	*figures = *ready;
	free(ready);
	atomic_store(&t->wanted, true);
	return true;
}
