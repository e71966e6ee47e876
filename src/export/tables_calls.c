/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables_calls - function calls of function_graph as slices, each with the one above it. */
#include "src/calls/call_job.h"
#include "src/calls/call_text.h"
#include "src/export/tables_private.h"

struct call_rows {
	struct tables	*t;
	struct call_visitor visitor;
	struct call_text *text;		/* owned; of the buffer */
};

/* By the record of its begin; other slices have ids from 0 on. */
static int64_t id_of(const struct call *call)
{
	return -1 - (int64_t)(call->entry != TRACE_REF_NONE ? call->entry : call->exit);
}

static void add_call(struct call_rows *r, const struct call_tree *tree, const struct call *call,
		     int32_t pid, uint32_t depth)
{
	bool is_timed = call_is_timed(call);
	int cpu = call_text_cpu(r->text, call, is_timed);

	tables_row_as(r->t, SLICE, id_of(call), call_text_start(r->text, call),
		      cell_int_if(is_timed, (int64_t)call_duration(call)),
		      cell_int_if(cpu >= 0, cpu), cell_int(pid), cell_string("function"),
		      cell_string(
			      call_text_function(r->text, call_tree_function(tree, call->func))),
		      cell_int(depth),
		      call->parent ? cell_int(id_of(call_tree_call(tree, call->parent))) :
				     cell_null());
}

/* A call whose exit may be recorded: not one of the tracer `function`. */
static bool is_slice(const struct call *call)
{
	return call_is_timed(call) || (call->kind == CALL_UNCLOSED && !call->inferred);
}

static void see_subtree(void *arg, const struct call_tree *tree, const struct call_task *task,
			const uint32_t *above, unsigned int nr_above, uint32_t number)
{
	const struct call *call = call_tree_call(tree, number);
	uint32_t depth = nr_above, at = number;

	(void)above;
	while (true) {
		if (is_slice(call))
			add_call(arg, tree, call, task->pid, depth);
		if (is_slice(call) && call->last) {
			at = call->last;
			depth++;
		} else {
			for (; at != number && !call->before; depth--) {
				at = call->parent;
				call = call_tree_call(tree, at);
			}
			if (at == number)
				return;
			at = call->before;
		}
		call = call_tree_call(tree, at);
	}
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
	call_text_free(r.text);
}
