/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables_calls - function calls of function_graph as slices, each with the one above it. */
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/calls/call_job.h"
#include "src/calls/call_text.h"
#include "src/export/tables_private.h"
#include "src/trace/trace_streams.h"

struct call_rows {
	struct tables	*t;
	struct call_visitor visitor;
	bool		local;		/* calls have the clock of the buffer */
	/* By number of the call: 1 + the id of its row, once a row below it needs it; 0: none. */
	int64_t		*ids;		/* owned, [nr_ids] */
	uint32_t	nr_ids;
	struct step {			/* a call that is to be written, with all below it */
		uint32_t	call, depth;
		int64_t		parent;	/* id of the row above it; -1: none */
	}		*steps;		/* owned, [nr_steps] */
	uint32_t	nr_steps, cap_steps;
};

static void push(struct call_rows *r, struct step step)
{
	mem_grow(&r->steps, r->nr_steps, &r->cap_steps);
	r->steps[r->nr_steps++] = step;
}

static int64_t id_of(struct call_rows *r, uint32_t number)
{
	mem_reach(&r->ids, &r->nr_ids, number);
	if (!r->ids[number])
		r->ids[number] = ++r->t->rows[SLICE];
	return r->ids[number] - 1;
}

/* Return: its id. */
static int64_t add_call(struct call_rows *r, const struct call_tree *tree, struct step step,
			int32_t pid)
{
	const struct call *call = call_tree_call(tree, step.call);
	struct trace *trace = r->t->trace;
	struct text *name = &r->t->text;
	uint16_t stream = call_is_timed(call) ? call->stream_out : call->stream_in;
	int cpu = trace_stream_at(trace, stream)->cpu;
	int64_t id = id_of(r, step.call);

	text_clear(name);
	trace_function_name(trace, 0, call_tree_function(tree, call->func), name);
	tables_row_as(r->t, SLICE, id, call_text_start_in(trace, r->local, call),
		      cell_int_if(call_is_timed(call), (int64_t)call_duration(call)),
		      cell_int_if(cpu >= 0, cpu), cell_int(pid), cell_string("function"),
		      cell_bytes(text_str(name), name->len), cell_int(step.depth),
		      cell_int_if(step.parent >= 0, step.parent));
	r->ids[step.call] = 0;
	return id;
}

/* A call whose exit may be recorded: not one of the tracer `function`. */
static bool is_slice(const struct call *call)
{
	return call_is_timed(call) || (call->kind == CALL_UNCLOSED && !call->inferred);
}

static void see_subtree(void *arg, const struct call_tree *tree, const struct call_task *task,
			const uint32_t *above, unsigned int nr_above, uint32_t number)
{
	struct call_rows *r = arg;
	int64_t parent = nr_above ? id_of(r, above[nr_above - 1]) : -1;

	push(r, (struct step){ number, nr_above, parent });
	while (r->nr_steps) {
		struct step step = r->steps[--r->nr_steps];
		const struct call *call = call_tree_call(tree, step.call);

		if (!is_slice(call))
			continue;
		parent = add_call(r, tree, step, task->pid);
		for (uint32_t i = call->last; i; i = call_tree_call(tree, i)->before)
			push(r, (struct step){ i, step.depth + 1, parent });
	}
}

static struct call_tree *begin_buffer(void *arg, unsigned int buffer)
{
	struct call_rows *r = arg;
	const struct call_tree_options options = {
		.local_clock = graph_knows_away(r->t->trace, 0, buffer),
		.visitor = &r->visitor,
	};

	r->local = graph_clock_is_local(r->t->trace, 0, buffer);
	return call_tree_new(&options);
}

void tables_calls(struct tables *t)
{
	static const struct call_job_ops ops = { .begin = begin_buffer };
	struct call_rows r = { .t = t, .visitor = { .subtree = see_subtree, .arg = &r } };
	struct graph_types *types = graph_types_new(t->trace, 0);
	struct call_job *job = call_job_new(trace_workers(t->trace), &ops, &r);

	call_job_add_file(job, t->trace, types, 0, NULL);
	call_job_start(job);
	call_job_wait(job);
	call_job_free(job);
	graph_types_free(types);
	free(r.ids);
	free(r.steps);
}
