/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/stacks/wait_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/sched/task_pairs.h"

#define NO_STACK	"[no stack]"
#define NO_WAKEUP	"[no wake-up]"		/* it ran again; who woke it is not recorded */
#define NEXT_ROWS	4u			/* rows passed over before a seek is cheaper */
#define RECORDS_PER_JOB	20000u			/* others get their turn in between */

struct side {				/* a task at one end of a wait */
	uint64_t	 comm;		/* its name, a word; 0: nobody */
	uint32_t	 stack;		/* a path of the store */
};

struct sum {				/* of waits that began and ended alike */
	struct side	 off, waker;
	uint64_t	 ns, waits;
};

struct wait {				/* of a task, not ended yet */
	struct side	 off;
	int32_t		 cpu;		/* index of the CPU that it left; -1: it does not wait */
	bool		 unwanted;	/* it began out of the range, or elsewhere */
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
	struct stack_table *store;	/* owned: stacks */
	uint64_t	 no_wakeup;	/* words of it */
	uint32_t	 no_stack;	/* its path with that word */
	struct sum	*sums;		/* owned, [nr] */
	uint32_t	 nr, cap;
	struct index_map map;		/* of sums */
	struct wait	*waits;		/* owned, [nr_tasks] */
	uint32_t	 nr_tasks;
	struct trace_cursor **cursors;	/* owned, [nr_cpus], by CPU index; NULL: not needed yet */
	uint32_t	 nr_cpus;
	uint64_t	*frames;	/* owned, [TRACE_MAX_STACK] */
	struct wait_stacks_totals totals;
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
	free(w->sums);
	index_map_fini(&w->map);
	stack_table_free(w->store);
	w->waits = NULL;
	w->sums = NULL;
	w->nr_tasks = w->nr = w->cap = 0;
	w->totals = (struct wait_stacks_totals){ 0 };
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct wait_stacks *w = arg;
	uint64_t word;

	clear(w);
	w->pass = pass;
	w->store = stack_table_new(w->words);
	w->nr_cpus = sched_pass_nr_cpus(pass);
	w->cursors = mem_array(w->nr_cpus + 1ul, sizeof(*w->cursors));
	w->no_wakeup = stack_table_word(w->store, NO_WAKEUP);
	word = stack_table_word(w->store, NO_STACK);
	w->no_stack = stack_table_path(w->store, &word, 1);
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

/* The stack behind a record. */
static uint32_t stack_behind(struct wait_stacks *w, unsigned int cpu, const struct sched_rec *rec,
			     int pid)
{
	struct trace *trace = w->trace;
	struct trace_cursor *cursor = w->cursors[cpu];
	struct trace_event event;
	unsigned int nr = 0;

	if (!cursor) {
		cursor = w->cursors[cpu] = trace_cursor_of_stream(trace,
								  sched_pass_stream(w->pass, cpu));
		trace_cursor_seek(cursor, rec->ref);
	}
	pass_row(cursor, rec->ref);
	if (trace_cursor_next(cursor, &event) && event.kind == TRACE_ROW_EVENT &&
	    trace_event_is_stack(&event) && !strcmp(event.type->name, "kernel_stack") &&
	    event.pid == pid)
		nr = stack_table_frames(w->store, trace, &event, w->frames);
	return nr ? stack_table_path(w->store, w->frames, nr) : w->no_stack;
}

/* --- waits -------------------------------------------------------------------------------- */

static bool is_wait(enum sched_state state)
{
	return state == SCHED_SLEEPS || state == SCHED_BLOCKED || state == SCHED_PREEMPTED;
}

static bool is_asked(const struct wait_stacks *w, int32_t cpu, int64_t ts)
{
	const struct sched_pass_options *o = &w->options.pass;
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

	wait->cpu = c->cpu;
	wait->unwanted = !is_asked(w, c->cpu, c->ts) ||
			 (w->options.wants && !w->options.wants(w->options.arg, pid, comm));
	if (wait->unwanted)
		return;
	wait->off.comm = stack_table_word(w->store, comm);
	wait->off.stack = stack_behind(w, (unsigned int)c->cpu, c->rec, (int)pid);
}

/* Who ended the wait.  In an interrupt, the task that runs there has not woken anybody. */
static struct side waker_of(struct wait_stacks *w, const struct sched_change *c)
{
	struct side side = { 0 };
	const char *kind;

	if (c->was == SCHED_PREEMPTED)
		return side;
	if (c->state != SCHED_WAITS)
		return (struct side){ w->no_wakeup, w->no_stack };
	kind = task_pairs_kind(task_pairs_waker(c));
	side.comm = stack_table_word(w->store, kind ? kind : sched_pass_comm(w->pass, c->waker));
	side.stack = stack_behind(w, (unsigned int)c->cpu, c->rec, (int)c->rec->pid2);
	return side;
}

static struct sum *find_sum(struct wait_stacks *w, struct side off, struct side waker)
{
	uint32_t hash = index_map_hash_pair(off.comm * 31 + waker.comm,
					    (uint64_t)off.stack << 32 | waker.stack);

	index_map_each (&w->map, hash, i) {
		const struct sum *s = &w->sums[i];

		if (s->off.comm == off.comm && s->off.stack == off.stack &&
		    s->waker.comm == waker.comm && s->waker.stack == waker.stack)
			return &w->sums[i];
	}
	mem_grow(&w->sums, w->nr, &w->cap);
	w->sums[w->nr] = (struct sum){ .off = off, .waker = waker };
	index_map_add(&w->map, hash, w->nr);
	return &w->sums[w->nr++];
}

static void end(struct wait_stacks *w, const struct wait *wait, const struct sched_change *c)
{
	uint64_t ns = c->ts > c->since ? (uint64_t)c->ts - (uint64_t)c->since : 0;
	struct side waker;
	struct sum *sum;

	if (c->dropped || wait->unwanted)
		return;
	if (!c->rec) {
		w->totals.open++;
		return;
	}
	if (c->rec->uncounted & SCHED_NOT_OTHER)
		return;
	if (c->doubtful) {
		w->totals.doubtful++;
		w->totals.doubtful_ns += ns;
		return;
	}
	waker = waker_of(w, c);
	sum = find_sum(w, wait->off, waker);
	sum->ns += ns;
	sum->waits++;
	w->totals.ns += ns;
	w->totals.waits++;
	w->totals.off_stacks += wait->off.stack != w->no_stack;
	w->totals.waker_stacks += waker.comm && waker.stack != w->no_stack;
}

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct wait_stacks *w = arg;
	uint32_t had = w->nr_tasks;

	mem_reach(&w->waits, &w->nr_tasks, task);
	for (uint32_t i = had; i < w->nr_tasks; i++)
		w->waits[i].cpu = -1;
	if (w->waits[task].cpu >= 0 && is_wait(c->was))
		end(w, &w->waits[task], c);
	w->waits[task].cpu = -1;
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
			w->totals.open += w->waits[i].cpu >= 0 && !w->waits[i].unwanted;
		free_cursors(w);
		atomic_store(&w->done, true);
	}
}

struct wait_stacks *wait_stacks_new(struct trace *trace, const struct wait_stacks_options *options)
{
	struct wait_stacks *w = mem_alloc(sizeof(*w));
	struct sched_pass_options *pass = &w->options.pass;

	w->trace = trace;
	w->options = *options;
	w->words = name_table_new();
	w->frames = mem_array(TRACE_MAX_STACK, sizeof(*w->frames));
	w->listener = (struct sched_listener){ .task = on_task, .arg = w };
	pass->listener = &w->listener;
	pass->begun = on_begun;
	pass->workers = trace_workers(trace);
	pass->stopped = &w->stopped;
	w->own = sched_pass_new(trace, pass);
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
	free(w->frames);
	free(w);
}

bool wait_stacks_are_done(const struct wait_stacks *w)
{
	return atomic_load(&w->done);
}

void wait_stacks_wait(struct wait_stacks *w)
{
	workers_wait(trace_workers(w->trace), &w->group);
}

const struct sched_pass *wait_stacks_pass(const struct wait_stacks *w)
{
	return w->own;
}

struct wait_stacks_totals wait_stacks_totals(const struct wait_stacks *w)
{
	return w->totals;
}

/* --- tables ------------------------------------------------------------------------------- */

struct frames {
	uint64_t	*list;		/* owned */
	unsigned int	 nr, cap;
};

static void put(struct frames *f, uint64_t frame)
{
	mem_grow(&f->list, f->nr, &f->cap);
	f->list[f->nr++] = frame;
}

static void put_stack(struct frames *f, const struct wait_stacks *w, uint32_t path, bool reversed)
{
	const struct call_paths *paths = stack_table_paths(w->store);
	unsigned int first = f->nr;

	for (; path != CALL_PATH_ROOT; path = call_paths_at(paths, path)->parent)
		put(f, call_paths_at(paths, path)->address);
	if (!reversed)
		stack_table_reverse(f->list + first, f->nr - first);
}

struct stack_table *wait_stacks_table(const struct wait_stacks *w, enum wait_stacks_mode mode)
{
	struct stack_table *table = stack_table_new(w->words);
	struct frames f = { 0 };

	for (uint32_t i = 0; i < w->nr; i++) {
		const struct sum *sum = &w->sums[i];
		const struct side *root = mode == WAIT_STACKS_WAKER ? &sum->waker : &sum->off;

		if (!root->comm)
			continue;
		f.nr = 0;
		put(&f, root->comm);
		put_stack(&f, w, root->stack, false);
		if (mode == WAIT_STACKS_BOTH && sum->waker.comm) {
			put(&f, stack_table_word(table, "--"));
			put_stack(&f, w, sum->waker.stack, true);
			put(&f, sum->waker.comm);
		}
		stack_table_add(table, f.list, f.nr, sum->ns, sum->waits);
	}
	free(f.list);
	return table;
}
