/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/stacks/wait_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/sched/task_pairs.h"

#define NO_STACK	"[no stack]"
#define NEXT_ROWS	4u			/* rows passed over before a seek is cheaper */
#define RECORDS_PER_JOB	20000u			/* others get their turn in between */

struct frames {				/* a name and a stack, the outermost first; or two */
	uint64_t	 list[2 * (TRACE_MAX_STACK + 1) + 1];
	unsigned int	 nr;
};

struct wait {				/* of a task, not ended yet */
	uint32_t	 off;		/* a path of the store: its name and its stack */
	bool		 is_open;
	bool		 unwanted;	/* it began out of the range, or elsewhere */
	bool		 has_stack;
};

struct wait_stacks {
	struct trace	*trace;		/* borrowed */
	struct wait_stacks_options options;
	struct worker_group group;
	struct sched_listener listener;
	atomic_bool	 stopped, done;
	struct sched_pass *own;		/* owned */
	/* The worker's until it is done: */
	const struct sched_pass *pass;	/* borrowed: own, once it has begun */
	struct name_table *words;	/* owned: of all tables */
	struct stack_table *store;	/* owned: stacks of waits that may still be open */
	struct wait	*waits;		/* owned, [nr_tasks] */
	uint32_t	 nr_tasks;
	struct trace_cursor **cursors;	/* owned, [nr_cpus], by CPU index; NULL: not needed yet */
	uint32_t	 nr_cpus;
	struct frames	 off, waker;
	struct wait_stacks_result result;	/* its tables are owned */
};

static void free_cursors(struct wait_stacks *w)
{
	for (uint32_t i = 0; i < w->nr_cpus; i++)
		trace_cursor_free(w->cursors[i]);
	free(w->cursors);
	w->cursors = NULL;
	w->nr_cpus = 0;
}

static void clear(struct wait_stacks *w)
{
	free_cursors(w);
	free(w->waits);
	stack_table_free(w->store);
	for (unsigned int i = 0; i < NR_WAIT_STACKS_MODES; i++)
		stack_table_free(w->result.tables[i]);
	w->waits = NULL;
	w->nr_tasks = 0;
	w->result = (struct wait_stacks_result){ 0 };
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct wait_stacks *w = arg;

	clear(w);
	w->pass = pass;
	w->store = stack_table_new(w->words);
	for (unsigned int i = 0; i < NR_WAIT_STACKS_MODES; i++)
		w->result.tables[i] = stack_table_new(w->words);
	w->nr_cpus = sched_pass_nr_cpus(pass);
	w->cursors = mem_array(w->nr_cpus + 1ul, sizeof(*w->cursors));
}

/* --- stacks ------------------------------------------------------------------------------- */

/* Put a cursor behind a row of its CPU.  Rows are asked for in their order. */
static void pass_row(struct trace_cursor *cursor, trace_ref ref)
{
	struct trace_event event;

	for (unsigned int i = 0; i < NEXT_ROWS && trace_cursor_next(cursor, &event); i++)
		if (event.ref == ref)
			return;
	trace_cursor_seek(cursor, ref);
	trace_cursor_next(cursor, &event);
}

static void put_word(struct wait_stacks *w, struct frames *f, const char *word)
{
	f->list[f->nr++] = stack_table_word(w->store, word);
}

/* A task, and the stack behind the record of a change; false: there is none. */
static bool put_task(struct wait_stacks *w, struct frames *f, const char *comm,
		     const struct sched_change *c, int pid)
{
	struct trace_cursor **cursor = &w->cursors[c->cpu];
	struct trace_event event;
	unsigned int nr = 0;

	f->nr = 0;
	put_word(w, f, comm);
	if (!*cursor)
		*cursor = trace_cursor_of_stream(w->trace,
						 sched_pass_stream(w->pass, (unsigned int)c->cpu));
	pass_row(*cursor, c->rec->ref);
	if (trace_cursor_next(*cursor, &event) && event.kind == TRACE_ROW_EVENT &&
	    trace_event_is_stack(&event) && !strcmp(event.type->name, "kernel_stack") &&
	    event.pid == pid)
		nr = stack_table_frames(w->store, w->trace, &event, f->list + 1);
	f->nr += nr;
	if (!nr)
		put_word(w, f, NO_STACK);
	return nr;
}

/* --- waits -------------------------------------------------------------------------------- */

static bool is_wait(enum sched_state state)
{
	return state == SCHED_SLEEPS || state == SCHED_BLOCKED || state == SCHED_PREEMPTED;
}

static bool is_asked(const struct wait_stacks *w, int32_t cpu, int64_t ts)
{
	const struct event_sweep_options *o = &w->options.what;
	int number = sched_pass_cpu(w->pass, (unsigned int)cpu);

	if (!time_range_has(&o->range, ts))
		return false;
	return !o->only || (number >= 0 && (unsigned int)number < o->nr_only && o->only[number]);
}

/* The task leaves a CPU. */
static void begin(struct wait_stacks *w, uint32_t task, const struct sched_change *c)
{
	const char *comm = sched_pass_comm_at(w->pass, task, c->rec->comm);
	uint32_t pid = sched_rules_task(sched_pass_rules(w->pass), task)->pid;
	struct wait *wait = &w->waits[task];

	wait->is_open = true;
	wait->unwanted = !is_asked(w, c->cpu, c->ts) ||
			 (w->options.wants && !w->options.wants(w->options.arg, pid, comm));
	if (wait->unwanted)
		return;
	wait->has_stack = put_task(w, &w->off, comm, c, (int)pid);
	wait->off = stack_table_path(w->store, w->off.list, w->off.nr);
}

/* Who ended the wait; nobody: it was preempted.  Return: is there a stack? */
static bool put_waker(struct wait_stacks *w, const struct sched_change *c)
{
	const char *kind;

	w->waker.nr = 0;
	if (c->was == SCHED_PREEMPTED)
		return false;
	if (c->state != SCHED_WAITS) {
		/* it ran again; who woke it is not recorded */
		put_word(w, &w->waker, "[no wake-up]");
		put_word(w, &w->waker, NO_STACK);
		return false;
	}
	/* in an interrupt, the task that runs there has not woken anybody */
	kind = task_pairs_kind(task_pairs_waker(c));
	return put_task(w, &w->waker, kind ? kind : sched_pass_comm(w->pass, c->waker), c,
			(int)c->rec->pid2);
}

static void add_stacks(struct wait_stacks *w, uint32_t path, uint64_t ns)
{
	const struct call_paths *paths = stack_table_paths(w->store);
	struct frames *off = &w->off, *waker = &w->waker;

	for (off->nr = 0; path != CALL_PATH_ROOT; path = call_paths_at(paths, path)->parent)
		off->list[off->nr++] = call_paths_at(paths, path)->address;
	stack_table_reverse(off->list, off->nr);
	stack_table_add(w->result.tables[WAIT_STACKS_OFF_CPU], off->list, off->nr, ns, 1);
	if (waker->nr) {
		stack_table_add(w->result.tables[WAIT_STACKS_WAKER], waker->list, waker->nr, ns, 1);
		put_word(w, off, "--");
		while (waker->nr)
			off->list[off->nr++] = waker->list[--waker->nr];
	}
	stack_table_add(w->result.tables[WAIT_STACKS_BOTH], off->list, off->nr, ns, 1);
}

static void end(struct wait_stacks *w, const struct wait *wait, const struct sched_change *c)
{
	if (c->dropped || wait->unwanted)
		return;
	if (!c->rec) {
		w->result.open++;
		return;
	}
	if (c->rec->uncounted & SCHED_NOT_OTHER)
		return;
	if (c->doubtful) {
		w->result.doubtful++;
		return;
	}
	w->result.waits++;
	w->result.off_stacks += wait->has_stack;
	w->result.waker_stacks += put_waker(w, c);
	add_stacks(w, wait->off, c->ts > c->since ? (uint64_t)c->ts - (uint64_t)c->since : 0);
}

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct wait_stacks *w = arg;

	mem_reach(&w->waits, &w->nr_tasks, task);
	if (w->waits[task].is_open && is_wait(c->was))
		end(w, &w->waits[task], c);
	w->waits[task].is_open = false;
	if (c->rec && c->rec->op == SCHED_SWITCH && is_wait(c->state) && c->cpu >= 0)
		begin(w, task, c);
}

/* --- the job ------------------------------------------------------------------------------ */

static void count(void *arg, unsigned int worker, bool cancelled)
{
	struct wait_stacks *w = arg;
	enum sched_pass_state state;

	(void)worker;
	if (cancelled)
		return;
	state = sched_pass_step(w->own, RECORDS_PER_JOB);
	if (state == SCHED_PASS_MORE) {
		workers_add(trace_workers(w->trace), &w->group, WORKER_REQUESTED, count, w);
	} else if (state == SCHED_PASS_DONE) {
		/* what is open now stays so */
		for (uint32_t i = 0; i < w->nr_tasks; i++)
			w->result.open += w->waits[i].is_open && !w->waits[i].unwanted;
		free_cursors(w);
		atomic_store(&w->done, true);
	}
}

struct wait_stacks *wait_stacks_new(struct trace *trace, const struct wait_stacks_options *options)
{
	struct wait_stacks *w = mem_alloc(sizeof(*w));
	const struct event_sweep_options *what = &options->what;
	const struct sched_pass_options pass = {
		.file = what->file, .range = what->range, .only = what->only,
		.nr_only = what->nr_only, .filters = what->filters, .nr_filters = what->nr_filters,
		.listener = &w->listener, .begun = on_begun,
		.workers = trace_workers(trace), .stopped = &w->stopped,
	};

	w->trace = trace;
	w->options = *options;
	w->words = name_table_new();
	w->listener = (struct sched_listener){ .task = on_task, .arg = w };
	w->own = sched_pass_new(trace, &pass);
	workers_add(trace_workers(trace), &w->group, WORKER_REQUESTED, count, w);
	return w;
}

void wait_stacks_free(struct wait_stacks *w)
{
	if (!w)
		return;
	atomic_store(&w->stopped, true);
	workers_cancel(&w->group);
	workers_wait(trace_workers(w->trace), &w->group);
	sched_pass_free(w->own);
	clear(w);
	name_table_free(w->words);
	free(w);
}

void wait_stacks_wait(struct wait_stacks *w)
{
	workers_wait(trace_workers(w->trace), &w->group);
}

const struct sched_pass *wait_stacks_pass(const struct wait_stacks *w)
{
	return w->own;
}

const struct wait_stacks_result *wait_stacks_result(const struct wait_stacks *w)
{
	return atomic_load(&w->done) ? &w->result : NULL;
}
