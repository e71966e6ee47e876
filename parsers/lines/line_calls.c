/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_calls - the calls of function_graph: see line_file_private.h. */
#include <stdlib.h>
#include <string.h>

#include "parsers/lines/line_file_private.h"
#include "src/base/memory.h"

#define MAX_DEPTH	512		/* the kernel has at most 50 (FTRACE_RETFUNC_DEPTH) */
#define ROUNDED		2000u		/* ns: so much a stamp differs from a duration */

struct open_call {
	uint64_t	 ts;
	uint32_t	 symbol;
	bool		 is_open;
};

struct task_calls {
	unsigned int	 nr;
	struct open_call *open;		/* owned, [nr] by depth */
};

struct cpu_calls {
	int		 pid;		/* -1: none was named */
	uint64_t	 latest;	/* when a call of the block began, raw */
};

struct line_calls {
	const struct line_file *file;
	struct line_pass *pass;
	struct number_set keys;		/* numbers of tasks, as indices of `tasks` */
	struct task_calls *tasks;	/* owned, [nr_tasks] */
	unsigned int	 nr_tasks;
	uint32_t	 last;		/* index of the task that was asked for last */
	struct cpu_calls *cpus;		/* owned, [nr_cpus] */
	unsigned int	 nr_cpus, cap_cpus;
	struct line_row_call last_call;
};

struct line_calls *line_calls_new(const struct line_file *file, struct line_pass *pass)
{
	struct line_calls *calls = mem_alloc(sizeof(*calls));

	calls->file = file;
	calls->pass = pass;
	return calls;
}

void line_calls_free(struct line_calls *calls)
{
	if (!calls)
		return;
	for (unsigned int i = 0; i < calls->nr_tasks; i++)
		free(calls->tasks[i].open);
	free(calls->tasks);
	free(calls->cpus);
	number_set_fini(&calls->keys);
	free(calls);
}

/* --- tasks ---------------------------------------------------------------------------------- */

/*
 * Finds the calls of a task.  The idle task, and tasks without a known pid, are told apart by CPU.
 */
static struct task_calls *find_task(struct line_calls *calls, int pid, int cpu)
{
	uint64_t task = (uint64_t)(uint32_t)pid << 32 | (pid > 0 ? UINT32_MAX : (uint32_t)cpu);
	bool is_new;

	if (calls->last < calls->keys.nr && calls->keys.numbers[calls->last] == task)
		return &calls->tasks[calls->last];
	calls->last = number_set_add(&calls->keys, task, &is_new);
	mem_reach(&calls->tasks, &calls->nr_tasks, calls->last);
	return &calls->tasks[calls->last];
}

static struct cpu_calls *find_cpu(struct line_calls *calls, int cpu)
{
	while (calls->nr_cpus <= (unsigned int)cpu) {
		mem_grow(&calls->cpus, calls->nr_cpus, &calls->cap_cpus);
		calls->cpus[calls->nr_cpus++] = (struct cpu_calls){ .pid = -1 };
	}
	return &calls->cpus[cpu];
}

int line_calls_pid(const struct line_calls *calls, int cpu)
{
	return (unsigned int)cpu < calls->nr_cpus ? calls->cpus[cpu].pid : -1;
}

int line_calls_cpu(const struct line_calls *calls, int pid, int last)
{
	if (line_calls_pid(calls, last) == pid)
		return last;
	for (unsigned int i = 0; i < calls->nr_cpus; i++)
		if (calls->cpus[i].pid == pid)
			return (int)i;
	return last;
}

/*
 * Lines so far that named no task were of one that is named only now.  It keeps calls from lines
 * that named it, and from other CPUs.
 */
static void name_first(struct line_calls *calls, int cpu, int pid)
{
	struct task_calls *task, *unknown;

	find_task(calls, pid, cpu);	/* so that pointers stay */
	unknown = find_task(calls, -1, cpu);
	task = find_task(calls, pid, cpu);
	if (unknown->nr)
		mem_reach(&task->open, &task->nr, unknown->nr - 1);
	for (unsigned int i = 0; i < unknown->nr; i++)
		if (unknown->open[i].is_open)
			task->open[i] = unknown->open[i];
	free(unknown->open);
	unknown->open = NULL;
	unknown->nr = 0;
}

void line_calls_switch(struct line_calls *calls, const struct text_line *line)
{
	struct cpu_calls *cpu;

	if (line->cpu > LINE_MAX_CPU)
		return;
	cpu = find_cpu(calls, line->cpu);
	if (cpu->pid < 0)
		name_first(calls, line->cpu, line->from_pid);
	cpu->pid = line->pid;
}

void line_calls_block(struct line_calls *calls)
{
	for (unsigned int i = 0; i < calls->nr_cpus; i++)
		calls->cpus[i].latest = 0;
}

/* --- calls ---------------------------------------------------------------------------------- */

static void begin_call(struct task_calls *task, uint64_t ts, const struct line_row_call *call)
{
	if (call->parts.depth >= MAX_DEPTH)
		return;
	mem_reach(&task->open, &task->nr, (unsigned int)call->parts.depth);
	task->open[call->parts.depth] =
		(struct open_call){ .ts = ts, .symbol = call->symbol, .is_open = true };
}

/* The call that ends; ts is 0 if its beginning is not in the text. */
static struct open_call end_call(struct task_calls *task, int depth)
{
	struct open_call *open = (unsigned int)depth < task->nr ? &task->open[depth] : NULL;
	struct open_call of = { .symbol = LINE_NO_SYMBOL };

	if (open && open->is_open)
		of = *open;
	if (open)
		open->is_open = false;
	return of;
}

static uint32_t symbol_of(struct line_calls *calls, const struct text_line *line)
{
	struct text_func *seen = line->func;
	uint32_t symbol;

	if (seen && seen->symbol)
		return seen->symbol - 1;
	symbol = line_pass_symbol(calls->pass, line->call.func);
	if (seen && symbol != LINE_NO_SYMBOL)
		seen->symbol = symbol + 1;
	return symbol;
}

/* Without the option funcgraph-duration, a "}" has only its time: whole steps since the call. */
static bool has_duration(const struct line_file_info *info, const struct line_row_call *call,
			 const struct open_call *open, uint64_t ts, uint64_t *duration)
{
	uint64_t step = info->has_ns ? 1 : 1000;

	if (call->is_timed)
		return true;
	if (call->parts.kind != TEXT_CALL_EXIT || !open->ts || ts < open->ts || info->is_count)
		return false;
	*duration = (ts / step - open->ts / step) * step;
	return true;
}

/*
 * When a call began and ended.  Stamps of lines are rounded; a call ends after the beginning of all
 * calls before.
 */
static void add_timed(struct cpu_calls *cpu, struct line_row_call *call,
		      const struct open_call *open, uint64_t duration, uint64_t ts)
{
	uint64_t first = ts > cpu->latest ? ts : cpu->latest + 1;

	if (call->parts.kind == TEXT_CALL_LEAF) {
		call->from = ts;
		call->to = ts + duration;
	} else if (call->parts.kind == TEXT_CALL_EXIT) {
		if (open->ts && first < open->ts + duration + ROUNDED)
			first = open->ts + duration;
		call->to = first > cpu->latest ? first : cpu->latest + 1;
		call->from = ts = call->to > duration ? call->to - duration : 0;
	}
	if (ts > cpu->latest)
		cpu->latest = ts;
}

static void add_untimed(struct line_row_call *call, const struct open_call *open, uint64_t duration,
			uint64_t *ts)
{
	uint64_t end = open->ts + duration;

	call->from = *ts;
	if (call->parts.kind == TEXT_CALL_LEAF)
		*ts += duration;
	else if (call->parts.kind == TEXT_CALL_EXIT && open->ts && end > *ts)
		*ts = end;
	call->to = *ts;
	if (call->parts.kind == TEXT_CALL_EXIT)
		call->from = *ts > duration ? *ts - duration : 0;
}

const struct line_row_call *line_calls_add(struct line_calls *calls, const struct text_line *line,
					   int cpu, int pid, bool untimed, uint64_t *ts)
{
	struct line_row_call *call = &calls->last_call;
	uint64_t duration = line->duration_ns > 0 ? (uint64_t)line->duration_ns : 0;
	struct cpu_calls *of = find_cpu(calls, cpu);
	struct open_call open = { .symbol = LINE_NO_SYMBOL };

	call->parts = line->call;
	call->is_timed = line->duration_ns >= 0;
	call->symbol = symbol_of(calls, line);
	call->from = call->to = 0;
	if (call->parts.kind == TEXT_CALL_NONE)
		return call;
	if (call->parts.caller.len)
		line_pass_symbol(calls->pass, call->parts.caller);
	if (call->parts.kind == TEXT_CALL_ENTRY)
		begin_call(find_task(calls, pid, cpu), *ts, call);
	else if (call->parts.kind == TEXT_CALL_EXIT)
		open = end_call(find_task(calls, pid, cpu), call->parts.depth);
	if (call->parts.kind == TEXT_CALL_EXIT && call->symbol == LINE_NO_SYMBOL)
		call->symbol = open.symbol;
	else if (call->parts.kind == TEXT_CALL_EXIT && call->symbol != open.symbol)
		open.ts = 0;		/* another call, whose beginning is not in the text */
	call->is_timed = has_duration(&calls->file->info, call, &open, *ts, &duration);
	if (untimed)
		add_untimed(call, &open, duration, ts);
	else
		add_timed(of, call, &open, duration, *ts);
	return call;
}
