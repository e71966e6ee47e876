/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/task_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/memory.h"
#include "src/sched_pass.h"
#include "src/trace_private.h"

#define RECORDS_PER_JOB	(1u << 17)	/* some ms: then others get their turn, and the screen its figures */

struct cpu {
	struct cpu_sums	sums;
	int64_t		since;
	uint32_t	task;		/* SCHED_NO_TASK: it is not known who runs */
};

struct task_table {
	struct trace		*trace;		/* borrowed */
	struct sched_pass_options options;
	struct sched_listener	 listener;
	struct sched_pass	*pass;		/* owned; the worker's from the first job on */
	struct cpu		*cpus;		/* owned, [nr_cpus]; the worker's */
	unsigned int		 nr_cpus;
	atomic_bool		 stopped;
	struct worker_group	 group;
	atomic_bool		 wanted;	/* the last figures were taken */
	pthread_mutex_t		 lock;		/* those below; held for an instant */
	bool			 has_ready;
	struct task_figures	 ready;
};

void task_figures_fini(struct task_figures *f)
{
	free(f->tasks);
	free(f->names);
	free(f->cpus);
	text_fini(&f->text);
	*f = (struct task_figures){ 0 };
}

/* --- CPUs --------------------------------------------------------------------- */

static void add_interval(const struct task_table *t, struct cpu *cpu, int64_t to)
{
	const struct sched_pass_options *o = &t->options;
	int64_t from = cpu->since, *sum = cpu->task == SCHED_IDLE_TASK ? &cpu->sums.idle : &cpu->sums.busy;

	if (o->has_window && from < o->from)
		from = o->from;
	if (o->has_window && to > o->to)
		to = o->to;
	if (cpu->task != SCHED_NO_TASK && to > from)
		*sum = (int64_t)((uint64_t)*sum + (uint64_t)to - (uint64_t)from);
}

static void on_cpu(void *arg, unsigned int nr, const struct sched_change *c)
{
	struct task_table *t = arg;
	struct cpu *cpu = &t->cpus[nr];

	if (!c->dropped)
		add_interval(t, cpu, c->ts);
	if (!c->cut && !c->lost && (!t->options.has_window || (c->ts >= t->options.from && c->ts <= t->options.to)))
		cpu->sums.switches++;
	cpu->task = c->task;
	cpu->since = c->ts;
}

/* Sums of tasks are the rules' own. */
static void on_task(void *arg, uint32_t task, const struct sched_change *change)
{
	(void)arg, (void)task, (void)change;
}

static void on_wake(void *arg, uint32_t waker, uint32_t task, int64_t ts)
{
	(void)arg, (void)waker, (void)task, (void)ts;
}

static void on_other(void *arg, unsigned int cpu, const struct sched_rec *rec)
{
	(void)arg, (void)cpu, (void)rec;
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct task_table *t = arg;

	free(t->cpus);
	t->nr_cpus = sched_pass_nr_cpus(pass);
	t->cpus = mem_array(t->nr_cpus + 1, sizeof(*t->cpus));
	for (unsigned int i = 0; i < t->nr_cpus; i++)
		t->cpus[i] = (struct cpu){ .sums.cpu = sched_pass_cpu(pass, i), .task = SCHED_NO_TASK };
}

/* --- figures ------------------------------------------------------------------- */

static void copy_tasks(const struct task_table *t, struct task_figures *f)
{
	const struct sched_rules *rules = sched_pass_rules(t->pass);
	uint32_t all = sched_rules_nr_tasks(rules);

	f->tasks = mem_array(all + 1, sizeof(*f->tasks));
	f->names = mem_array(all + 1, sizeof(*f->names));
	for (uint32_t i = 0; i < all; i++) {
		const char *comm = sched_pass_comm(t->pass, i);

		if (!sched_rules_task(rules, i)->listed)
			continue;
		f->tasks[f->nr_tasks] = *sched_rules_task(rules, i);
		f->names[f->nr_tasks++] = f->text.len;
		text_printable(&f->text, comm, strlen(comm));
		text_char(&f->text, '\0');
	}
}

static void publish(struct task_table *t, enum sched_pass_state state)
{
	struct sched_feed_totals totals = sched_pass_totals(t->pass);
	struct task_figures f = { .nr_cpus = t->nr_cpus, .done = state != SCHED_PASS_MORE, .failed = state == SCHED_PASS_FULL,
				  .sched_records = totals.sched_records, .switches = totals.switches }, old;

	f.permille = f.done || !totals.all_pages ? 1000 : (unsigned int)(totals.pages * 1000 / totals.all_pages);
	copy_tasks(t, &f);
	f.cpus = mem_array(t->nr_cpus + 1, sizeof(*f.cpus));
	for (unsigned int i = 0; i < t->nr_cpus; i++)
		f.cpus[i] = t->cpus[i].sums;
	pthread_mutex_lock(&t->lock);
	old = t->ready;
	t->ready = f;
	t->has_ready = true;
	pthread_mutex_unlock(&t->lock);
	atomic_store(&t->wanted, false);
	task_figures_fini(&old);
}

static void add_up(void *arg, unsigned int worker, bool cancelled)
{
	struct task_table *t = arg;
	enum sched_pass_state state;

	(void)worker;
	if (cancelled)
		return;
	state = sched_pass_step(t->pass, RECORDS_PER_JOB);
	if (state == SCHED_PASS_DONE && sched_pass_totals(t->pass).any)
		for (unsigned int i = 0; i < t->nr_cpus; i++)
			add_interval(t, &t->cpus[i], sched_pass_totals(t->pass).last_ts);
	if (state == SCHED_PASS_STOPPED)
		return;
	if (state != SCHED_PASS_MORE || atomic_load(&t->wanted))
		publish(t, state);
	if (state == SCHED_PASS_MORE)
		workers_add(t->trace->workers, &t->group, WORKER_REQUESTED, add_up, t);
}

/* --- the caller's thread -------------------------------------------------------- */

struct task_table *task_table_new(struct trace *trace, unsigned int file, bool has_range, int64_t from, int64_t to)
{
	struct task_table *t = mem_alloc(sizeof(*t));
	int64_t offset = trace->sources[file].user_offset;

	t->trace = trace;
	t->listener = (struct sched_listener){ on_task, on_cpu, on_wake, on_other, t };
	t->options = (struct sched_pass_options){ .file = file, .has_window = has_range, .listener = &t->listener,
						  .begun = on_begun, .workers = trace->workers, .stopped = &t->stopped };
	if (__builtin_sub_overflow(from, offset, &t->options.from))
		t->options.from = INT64_MIN;
	if (__builtin_sub_overflow(to, offset, &t->options.to))
		t->options.to = INT64_MAX;
	atomic_store(&t->wanted, true);
	pthread_mutex_init(&t->lock, NULL);
	t->pass = sched_pass_new(trace, &t->options);
	workers_add(trace->workers, &t->group, WORKER_REQUESTED, add_up, t);
	return t;
}

void task_table_free(struct task_table *t)
{
	if (!t)
		return;
	atomic_store(&t->stopped, true);
	workers_cancel(&t->group);
	workers_wait(t->trace->workers, &t->group);
	sched_pass_free(t->pass);
	task_figures_fini(&t->ready);
	free(t->cpus);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void task_table_wait(struct task_table *t)
{
	workers_wait(t->trace->workers, &t->group);
}

int64_t task_table_moment(const struct task_table *t, int64_t ts)
{
	return (int64_t)((uint64_t)ts + (uint64_t)t->trace->sources[t->options.file].user_offset);
}

bool task_table_take(struct task_table *t, struct task_figures *figures)
{
	bool taken;

	pthread_mutex_lock(&t->lock);
	taken = t->has_ready;
	if (taken) {
		task_figures_fini(figures);
		*figures = t->ready;
		t->ready = (struct task_figures){ 0 };
		t->has_ready = false;
	}
	pthread_mutex_unlock(&t->lock);
	if (taken)
		atomic_store(&t->wanted, true);
	return taken;
}
