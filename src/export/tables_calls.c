/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables_calls - function calls of function_graph as slices, each with the one above it. */
#include "src/calls/call_job.h"
#include "src/calls/call_text.h"
#include "src/export/tables_private.h"

struct call_rows {
	struct tables	*t;
	struct call_visitor visitor;
	struct call_text *text;		/* owned; of the buffer */
	struct call_tree *tree;		/* borrowed; of the buffer */
	int32_t		pid;
};

/* By the record of its begin; other slices have ids from 0 on. */
static int64_t id_of(const struct call *call)
{
	return -1 - (int64_t)(call->entry != TRACE_REF_NONE ? call->entry : call->exit);
}

static void see_task(void *arg, const struct call_task *task)
{
	((struct call_rows *)arg)->pid = task->pid;
}

static void add_call(void *arg, const struct call *call)
{
	struct call_rows *r = arg;
	bool is_timed = call_is_timed(call);
	int cpu = call_text_cpu(r->text, call, is_timed);
	uint64_t function = call_tree_function(r->tree, call->func);

	if (call->inferred)		/* from the tracer `function`: no exit is recorded */
		return;
	tables_row_as(r->t, SLICE, id_of(call), call_text_start(r->text, call),
		      cell_int_if(is_timed, (int64_t)call_duration(call)),
		      cell_int_if(cpu >= 0, cpu), cell_int(r->pid), cell_name("function"),
		      cell_string(call_text_function(r->text, function)),
		      cell_int(call_tree_above(r->tree, call)),
		      call->parent ? cell_int(id_of(call_tree_call(r->tree, call->parent))) :
				     cell_null());
}

static struct call_tree *begin_buffer(void *arg, unsigned int buffer)
{
	struct call_rows *r = arg;
	const struct call_tree_options options = {
		.local_clock = graph_knows_away(r->t->trace, 0, buffer),
		.visitor = &r->visitor,
	};

	call_text_free(r->text);
	r->text = call_text_new(r->t->trace, 0, buffer);
	r->tree = call_tree_new(&options);
	return r->tree;
}

void tables_calls(struct tables *t)
{
	static const struct call_job_ops ops = { .begin = begin_buffer };
	struct call_rows r = { .t = t, .visitor = { .task = see_task, .enter = add_call,
						    .arg = &r } };
	struct graph_types *types;
	struct call_job *job;
	unsigned int buffer;

	if (!graph_has_calls(t->trace, 0, &buffer))
		return;
	types = graph_types_new(t->trace, 0);
	job = call_job_new(trace_workers(t->trace), &ops, &r);
	call_job_add_file(job, t->trace, types, 0, NULL);
	call_job_start(job);
	call_job_wait(job);
	call_job_free(job);
	graph_types_free(types);
	call_text_free(r.text);
}
