/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/wakeups/wakeups.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/name_table.h"
#include "src/sched/sched_filter.h"
#include "src/sched/sched_interrupts.h"
#include "src/sched/sched_job.h"

#define RECORDS_PER_JOB	(1u << 18)

struct wakeups {
	struct trace	*trace;		/* borrowed */
	struct event_sweep_options what;
	const struct filter_given *given;	/* borrowed; NULL: all tasks */
	struct sched_listener listener;
	struct sched_pass *pass;	/* owned; the worker's until done */
	struct sched_interrupts interrupts;
	struct wakeup_row *rows;	/* owned, [nr] */
	uint32_t	nr, cap;
	uint32_t	*open;		/* owned, [nr_open] by task: 1 + the row that waits for
					 * its run; 0: none does */
	uint32_t	nr_open;
	struct text	*contexts;	/* owned, [nr_contexts] by id, once all is read */
	uint32_t	nr_contexts;
	struct sched_job job;
	atomic_bool	done, full;
};

/* --- what the worker does --------------------------------------------------------------------- */

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct wakeups *w = arg;

	w->nr = 0;
	free(w->open);
	w->open = NULL;
	w->nr_open = 0;
	sched_interrupts_begin(&w->interrupts, pass);
}

/* True: its record is one of those that are asked for. */
static bool is_wanted(const struct wakeups *w, const struct sched_rec *rec)
{
	return !(rec->uncounted & SCHED_NOT_CPU) &&
	       time_range_has(&w->what.range, rec->ts) != w->what.outside;
}

static void add_row(struct wakeups *w, uint32_t task, const struct sched_change *c)
{
	const struct sched_rules *rules = sched_pass_rules(w->pass);

	mem_grow(&w->rows, w->nr, &w->cap);
	w->rows[w->nr++] = (struct wakeup_row){
		.ts = c->ts,
		.ref = c->rec->ref,
		.woken = { task, c->rec->comm },
		.waker = { c->waker, c->waker < SCHED_IDLE_TASK ?
					     sched_rules_task(rules, c->waker)->comm :
					     0 },
		.context_id = sched_interrupts_waker(&w->interrupts, c),
		.pid = sched_rules_task(rules, task)->pid,
		.waker_pid = (int32_t)sched_change_waker_pid(c),
		.cpu = -1,
		.late = c->late,
	};
	w->open[task] = w->nr;
}

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct wakeups *w = arg;
	uint32_t open;

	mem_reach(&w->open, &w->nr_open, task);
	open = w->open[task];
	w->open[task] = 0;
	if (c->state == SCHED_WAITS && c->rec && is_wanted(w, c->rec))
		add_row(w, task, c);
	if (c->state != SCHED_RUNS || !c->rec || !open)
		return;
	w->rows[open - 1].run_ts = c->ts;
	w->rows[open - 1].latency = c->ts - w->rows[open - 1].ts;
	w->rows[open - 1].cpu = sched_pass_cpu(w->pass, (unsigned int)c->cpu);
	w->rows[open - 1].doubtful = c->doubtful;
}

static bool ran_on_one(const struct event_sweep_options *what, int cpu)
{
	return !what->only || (cpu >= 0 && (unsigned int)cpu < what->nr_only && what->only[cpu]);
}

/* Names are known now.  Leaves out rows of other tasks, and of other CPUs. */
static void finish_rows(struct wakeups *w)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < w->nr; i++) {
		struct wakeup_row row = w->rows[i];

		row.comm = sched_pass_comm_at(w->pass, w->rows[i].woken.task,
					      w->rows[i].woken.name);
		if (!ran_on_one(&w->what, row.cpu) ||
		    (w->given && !filter_given_wants(w->given, row.pid, row.comm)))
			continue;
		row.waker_comm = row.waker.task == SCHED_NO_TASK ?
					 NULL :
					 sched_pass_comm_at(w->pass, w->rows[i].waker.task,
							    w->rows[i].waker.name);
		w->rows[nr++] = row;
	}
	w->nr = nr;
}

static bool read_piece(void *arg)
{
	struct wakeups *w = arg;
	enum sched_pass_state state = sched_pass_step(w->pass, RECORDS_PER_JOB);

	if (state == SCHED_PASS_DONE)
		finish_rows(w);
	atomic_store(&w->full, state == SCHED_PASS_FULL);
	atomic_store(&w->done, state == SCHED_PASS_DONE || state == SCHED_PASS_FULL);
	return state == SCHED_PASS_MORE;
}

/* --- the owner's side ------------------------------------------------------------------------- */

struct wakeups *wakeups_new(struct trace *trace, const struct event_sweep_options *what,
			    const struct filter_given *given)
{
	struct wakeups *w = mem_alloc(sizeof(*w));

	w->trace = trace;
	w->what = *what;
	w->given = given;
	w->interrupts.names = name_table_new();
	w->listener = (struct sched_listener){ .task = on_task, .arg = w };
	w->pass = sched_pass_new(
		trace, &(struct sched_pass_options){
			       .file = what->file, .filters = what->filters,
			       .nr_filters = what->nr_filters, .no_sums = true, .interrupts = true,
			       .goes_on = what->only_range && trace_grows(trace),
			       .names = w->interrupts.names, .listener = &w->listener,
			       .begun = on_begun, .workers = trace_workers(trace),
			       .stopped = &w->job.stopped });
	sched_job_start(&w->job, trace_workers(trace), read_piece, w);
	return w;
}

void wakeups_free(struct wakeups *w)
{
	if (!w)
		return;
	sched_job_stop(&w->job);
	sched_pass_free(w->pass);
	name_table_free(w->interrupts.names);
	sched_interrupts_fini(&w->interrupts);
	for (uint32_t i = 0; i < w->nr_contexts; i++)
		text_fini(&w->contexts[i]);
	free(w->contexts);
	free(w->open);
	free(w->rows);
	free(w);
}

void wakeups_wait(struct wakeups *w)
{
	sched_job_wait(&w->job);
}

/* Contexts in words, which this thread alone can make. */
static void name_contexts(struct wakeups *w)
{
	for (uint32_t i = 0; i < w->nr; i++) {
		uint32_t id = (uint32_t)w->rows[i].context_id;

		w->rows[i].context = NULL;
		if (!id)
			continue;
		mem_reach(&w->contexts, &w->nr_contexts, id);
		if (!w->contexts[id].len)
			sched_interrupts_text(w->trace, w->what.file, w->pass, w->interrupts.names,
					      id, &w->contexts[id]);
		w->rows[i].context = text_str(&w->contexts[id]);
	}
}

bool wakeups_done(struct wakeups *w, const struct wakeup_row **rows, uint32_t *nr)
{
	if (!atomic_load(&w->done))
		return false;
	if (!w->contexts) {
		w->nr_contexts = 1;
		w->contexts = mem_array(1, sizeof(*w->contexts));
		name_contexts(w);
	}
	*rows = w->rows;
	*nr = w->nr;
	return true;
}

bool wakeups_full(const struct wakeups *w)
{
	return atomic_load(&w->full);
}

const struct sched_pass *wakeups_pass(const struct wakeups *w)
{
	return w->pass;
}
