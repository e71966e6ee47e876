/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables_sched - states of tasks: sched_slice, thread_state, wakeup; and the tasks themselves:
 * thread, process.
 */
#include <stdlib.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/export/tables_private.h"
#include "src/sched/sched_interrupts.h"
#include "src/sched/sched_pass.h"
#include "src/trace/trace_streams.h"

#define NO_PRIORITY INT64_MIN

struct exported_task {			/* what a task has been doing since it began */
	int64_t		priority;	/* its priority in this run, or NO_PRIORITY */
	uint16_t	prev_state;
	bool		in_irq;		/* woken in an interrupt */
	uint32_t	waker;		/* pid */
	uint32_t	context;	/* the interrupt that woke it; 0: none */
	int64_t		limited;	/* since when a limit keeps it from running, */
	int64_t		throttled;	/* and how long one did in this wait before */
	/* about its sleep; told as it wakes */
	bool		has_reason, io_wait;
	uint64_t	blocked_at;	/* address */
	struct ended {			/* a sleep, until the task runs: a reason may follow */
		bool	is_held, cut, doubtful;
		uint8_t	state;
		uint32_t pid;
		int32_t	cpu;
		int64_t	since, to, throttled;
	}		ended;
};

struct sched_rows {
	struct tables	*t;
	struct sched_listener listener;
	struct sched_pass_options options;
	const struct sched_pass *pass;	/* borrowed */
	struct exported_task *tasks;	/* owned, [nr_tasks] by index */
	uint32_t	nr_tasks;
	struct idle {
		int64_t	since;
		bool	is_idle, cut;
	}		*idle;		/* owned, [nr_idle] by index of the CPU */
	uint32_t	nr_idle;
	struct sched_interrupts interrupts;
	const char	**contexts;	/* owned, [nr_contexts] names, in the arena, or NULL */
	uint32_t	nr_contexts;
	struct arena	arena;
};

/* --- rows ----------------------------------------------------------------------------------- */

static struct cell cpu_of(const struct sched_rows *r, int32_t cpu)
{
	return cell_int(sched_pass_cpu(r->pass, (unsigned int)cpu));
}

/* Valid until the next call. */
static struct cell state_of(struct sched_rows *r, uint64_t state)
{
	struct text *text = &r->t->text;

	text_clear(text);
	sched_states_text(&sched_pass_types(r->pass)->states, state, text);
	return cell_bytes(text_str(text), text->len);
}

/* @end: the record that ended it, or NULL. */
static void add_run(struct sched_rows *r, int32_t cpu, uint32_t pid, int64_t from, int64_t to,
		    bool cut, int64_t priority, const struct sched_rec *end)
{
	tables_row(r->t, SCHED_SLICE, from, cell_int(time_between(from, to)), cpu_of(r, cpu),
		   cell_int(pid), end ? state_of(r, end->cpu) : cell_null(),
		   cell_int_if(priority != NO_PRIORITY, priority), cell_int(cut));
}

/* The function in which it slept, if it is known. */
static struct cell blocked_in(struct sched_rows *r, const struct exported_task *row)
{
	struct text *name = &r->t->key;

	if (!row->has_reason || !row->blocked_at)
		return cell_null();
	text_clear(name);
	trace_function_name(r->t->trace, 0, row->blocked_at, name);
	return cell_bytes(text_str(name), name->len);
}

static bool knows_context(const struct sched_rows *r, const struct exported_task *row)
{
	return !r->interrupts.lacks_flags && row->waker != SCHED_NO_TASK;
}

/* The state that has ended. */
static void add_ended(struct sched_rows *r, struct exported_task *row)
{
	static const char *const names[] = { [SCHED_RUNS] = "Running", [SCHED_WAITS] = "R",
					     [SCHED_PREEMPTED] = "R+" };
	const struct ended *e = &row->ended;
	bool sleeps = e->state >= SCHED_SLEEPS, waits = e->state == SCHED_WAITS;
	struct cell none = cell_null();

	if (!row->ended.is_held)
		return;
	row->ended.is_held = false;
	tables_row(r->t, THREAD_STATE, e->since, cell_int(time_between(e->since, e->to)),
		   e->state == SCHED_RUNS ? cpu_of(r, e->cpu) : none, cell_int(e->pid),
		   sleeps ? state_of(r, row->prev_state) : cell_name(names[e->state]),
		   cell_int_if(sleeps && row->has_reason, row->io_wait),
		   sleeps ? blocked_in(r, row) : none,
		   cell_int_if(waits && row->waker != SCHED_NO_TASK, row->waker),
		   cell_int_if(waits && knows_context(r, row), row->in_irq), cell_int(e->cut),
		   cell_int(e->doubtful), cell_int_if(!sleeps && e->throttled, e->throttled));
}

/* "softirq RCU" */
static struct cell context_of(struct sched_rows *r, uint32_t context)
{
	struct text name = { 0 };

	if (!context)
		return cell_null();
	mem_reach(&r->contexts, &r->nr_contexts, context);
	if (!r->contexts[context]) {
		sched_interrupts_text(r->t->trace, 0, r->pass, r->interrupts.names, context, &name);
		r->contexts[context] = arena_strndup(&r->arena, text_str(&name), name.len);
		text_fini(&name);
	}
	return cell_string(r->contexts[context]);
}

/* @run: it was answered; else NULL. */
static void add_wakeup(struct sched_rows *r, const struct sched_task *task,
		       const struct exported_task *row, const struct sched_change *run)
{
	struct cell none = cell_null();
	bool has_waker = row->waker != SCHED_NO_TASK;

	tables_row(r->t, WAKEUP, task->since,
		   run ? cell_int(time_between(task->since, run->ts)) : none,
		   run ? cell_int_if(r->t->timed, run->ts) : none, run ? cpu_of(r, run->cpu) : none,
		   cell_int(task->pid), cell_name(tables_comm(r->t, task->pid, task->since)),
		   cell_int_if(has_waker, row->waker),
		   has_waker ? cell_name(tables_comm(r->t, row->waker, task->since)) : none,
		   cell_int_if(knows_context(r, row), row->in_irq), context_of(r, row->context),
		   run ? cell_int(run->doubtful) : none);
}

/* --- changes -------------------------------------------------------------------------------- */

static bool is_state(const struct sched_task *task)
{
	return task->state >= SCHED_RUNS && task->state <= SCHED_BLOCKED;
}

static void end_state(struct sched_rows *r, const struct sched_task *task,
		      struct exported_task *row, const struct sched_change *c)
{
	bool cut = !c->rec || (task->state == SCHED_RUNS && task->cut);
	int64_t priority = row->priority;

	if (task->state == SCHED_RUNS) {
		if (priority == NO_PRIORITY && c->rec)
			priority = c->rec->prio;
		add_run(r, task->cpu, task->pid, task->since, c->ts, cut, priority, c->rec);
	}
	row->ended = (struct ended){ .is_held = true, .cut = cut, .doubtful = c->doubtful,
				     .state = task->state, .pid = task->pid, .cpu = task->cpu,
				     .since = task->since, .to = c->ts,
				     .throttled = row->throttled };
}

static struct exported_task *row_of(struct sched_rows *r, uint32_t task)
{
	mem_reach(&r->tasks, &r->nr_tasks, task);
	return &r->tasks[task];
}

static void begin_state(struct sched_rows *r, struct exported_task *row,
			const struct sched_change *c)
{
	const struct sched_rec *rec = c->rec;

	row->throttled = 0;
	if (c->state == SCHED_RUNS) {
		row->priority = rec ? rec->prio2 : NO_PRIORITY;
	} else if (c->state == SCHED_WAITS) {
		row->waker = sched_change_waker_pid(c);
		row->in_irq = c->by != SCHED_CONTEXT_TASK;
		row->context = sched_interrupts_waker(&r->interrupts, c);
	} else {
		row->prev_state = c->prev_state;
		row->has_reason = false;
	}
}

/* As trace_processor: it is that of the last sleep, unless the task has run since. */
static void on_other(void *arg, unsigned int cpu, const struct sched_rec *rec)
{
	struct sched_rows *r = arg;
	const struct sched_rules *rules = sched_pass_rules(r->pass);
	uint32_t number = rec->op == SCHED_REASON ? sched_rules_find(rules, rec->pid, rec->ts) :
						    SCHED_NO_TASK;
	struct exported_task *row = number != SCHED_NO_TASK ? row_of(r, number) : NULL;

	(void)cpu;
	if (!row || !(row->ended.is_held || sched_rules_task(rules, number)->state >= SCHED_SLEEPS))
		return;
	row->has_reason = true;
	row->io_wait = rec->detail;
	row->blocked_at = (uint64_t)rec->end;
}

static void on_task(void *arg, uint32_t number, const struct sched_change *c)
{
	struct sched_rows *r = arg;
	const struct sched_task *task = sched_rules_task(sched_pass_rules(r->pass), number);
	struct exported_task *row = row_of(r, number);

	add_ended(r, row);
	if (is_state(task) && !c->dropped)
		end_state(r, task, row, c);
	if (task->state < SCHED_SLEEPS || c->state != SCHED_WAITS)
		add_ended(r, row);
	if (task->state == SCHED_WAITS)
		add_wakeup(r, task, row, c->state == SCHED_RUNS && c->rec ? c : NULL);
	begin_state(r, row, c);
}

static void on_limited(void *arg, uint32_t number, uint32_t limit, int64_t ts, bool doubtful)
{
	struct exported_task *row = row_of(arg, number);

	(void)doubtful;
	if (limit != SCHED_NO_LIMIT)
		row->limited = sched_limit_is_none(limit) ? INT64_MAX : ts;
	else if (ts > row->limited)
		row->throttled = time_after(row->throttled, time_between(row->limited, ts));
}

static void change_cpu(struct sched_rows *r, unsigned int cpu, const struct sched_change *c)
{
	struct idle *idle;

	mem_reach(&r->idle, &r->nr_idle, cpu);
	idle = &r->idle[cpu];
	if (idle->is_idle && !c->dropped)
		add_run(r, (int32_t)cpu, 0, idle->since, c->ts, idle->cut || !c->rec, NO_PRIORITY,
			c->rec);
	*idle = (struct idle){ c->ts, c->task == SCHED_IDLE_TASK, c->cut };
}

static void on_cpu(void *arg, unsigned int cpu, const struct sched_change *c)
{
	struct sched_rows *r = arg;

	change_cpu(r, cpu, c);
}

/* What goes on at the end of the trace: no record ends it. */
static void end_all(struct sched_rows *r)
{
	const struct sched_rules *rules = sched_pass_rules(r->pass);
	struct sched_change end = { .ts = sched_pass_totals(r->pass).last_ts };

	for (uint32_t i = 0; i < sched_rules_nr_tasks(rules); i++) {
		end.doubtful = sched_rules_doubts(rules, i, end.ts);
		on_task(r, i, &end);
	}
	for (uint32_t i = 0; i < r->nr_idle; i++)
		change_cpu(r, i, &end);
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct sched_rows *r = arg;

	r->pass = pass;
	sched_interrupts_begin(&r->interrupts, pass);
}

/* --- the passes ----------------------------------------------------------------------------- */

struct sched_rows *tables_sched(struct tables *t)
{
	struct sched_rows *r = mem_alloc(sizeof(*r));

	r->t = t;
	r->interrupts.names = name_table_new();
	r->listener = (struct sched_listener){ .task = on_task, .cpu = on_cpu, .other = on_other,
					       .limited = on_limited, .arg = r };
	r->options = (struct sched_pass_options){ .no_sums = true, .interrupts = true,
						  .listener = &r->listener, .begun = on_begun };
	return r;
}

const struct sched_pass_options *tables_sched_pass(const struct sched_rows *r)
{
	return &r->options;
}

int tables_sched_end(struct sched_rows *r, struct sched_pass *pass, struct ft_error *err)
{
	const struct sched_rules *rules = pass ? sched_pass_rules(pass) : NULL;
	int ret = pass ? sched_pass_run(pass, err) : -1;	/* it has ended, or failed */
	bool is_new;

	if (!ret && sched_pass_totals(pass).any)
		end_all(r);
	for (uint32_t i = 0; !ret && i < sched_rules_nr_tasks(rules); i++)
		number_set_add(&r->t->tasks, sched_rules_task(rules, i)->pid, &is_new);
	free(r->tasks);
	free(r->idle);
	free(r->contexts);
	arena_fini(&r->arena);
	name_table_free(r->interrupts.names);
	sched_interrupts_fini(&r->interrupts);
	free(r);
	return ret;
}

/* --- tasks ---------------------------------------------------------------------------------- */

/* Its last name; none, if that is not known. */
static struct cell last_name(struct tables *t, uint32_t pid)
{
	const char *name = pid ? tables_comm(t, pid, INT64_MAX) : "swapper";

	return cell_string(strcmp(name, "<...>") != 0 ? name : NULL);
}

void tables_tasks(struct tables *t)
{
	struct number_set processes = { 0 }, *tasks = &t->event_tasks;
	bool is_new, known;
	int tgid = 0;

	for (uint32_t i = 0; i < t->tasks.nr; i++)
		number_set_add(tasks, t->tasks.numbers[i], &is_new);
	for (uint32_t i = 0; i < tasks->nr; i++) {
		uint32_t pid = (uint32_t)tasks->numbers[i];

		known = trace_tgid(t->trace, 0, (int)pid, INT64_MAX, &tgid);
		tables_cells(t, THREAD, cell_int(pid), cell_int(pid), last_name(t, pid),
			     cell_int_if(known, tgid), cell_int_if(known, (uint32_t)tgid == pid));
		if (!known)
			continue;
		number_set_add(&processes, (uint32_t)tgid, &is_new);
		if (is_new)
			tables_cells(t, PROCESS, cell_int(tgid), cell_int(tgid),
				     last_name(t, (uint32_t)tgid));
	}
	number_set_fini(&processes);
}
