/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables_calls - function calls of function_graph as slices, each with the one above it. */
#include <stdlib.h>

#include "parsers/file/trace_file.h"
#include "src/base/memory.h"
#include "src/calls/call_tree.h"
#include "src/export/tables_private.h"
#include "src/trace/trace_streams.h"

#define BATCH		1024u
#define MAX_CALLS	200000u		/* in the tree */

struct call_rows {
	struct tables	*t;
	bool		local;		/* calls have the clock of the buffer */
	/* By number of the call: 1 + the id of its row, once a row below it needs it; 0: none. */
	int64_t		*ids;		/* owned, [nr_ids] */
	uint32_t	nr_ids;
	struct step {			/* a call, and the next of those below it */
		uint32_t	call, next;
	}		*steps;		/* owned */
	uint32_t	cap_steps;
};

static int64_t id_of(struct call_rows *r, uint32_t number)
{
	mem_reach(&r->ids, &r->nr_ids, number);
	if (!r->ids[number])
		r->ids[number] = ++r->t->rows[SLICE];
	return r->ids[number] - 1;
}

static int64_t ts_of(const struct call_rows *r, uint16_t stream, uint64_t raw)
{
	return trace_stream_ts(r->t->trace, stream, raw);
}

static int64_t start_of(const struct call_rows *r, const struct call *call)
{
	if (!call_is_timed(call))
		return ts_of(r, call->stream_in, call->entry_ts);
	if (r->local)
		return ts_of(r, call->stream_out, call->start);
	return time_after(ts_of(r, call->stream_out, call->exit_ts), -(int64_t)call_duration(call));
}

/* @parent: number of the call above; CALL_NONE: none. */
static void add_call(struct call_rows *r, const struct call_tree *tree, uint32_t number,
		     uint32_t parent, int32_t pid, uint32_t depth)
{
	const struct call *call = call_tree_call(tree, number);
	struct tables_file *f = r->t->files[SLICE];
	struct text *name = &r->t->text;
	uint16_t stream = call_is_timed(call) ? call->stream_out : call->stream_in;
	int cpu = trace_stream_at(r->t->trace, stream)->cpu;

	text_clear(name);
	trace_function_name(r->t->trace, 0, call_tree_function(tree, call->func), name);
	tables_file_int(f, SLICE_ID, id_of(r, number));
	if (r->t->timed)
		tables_file_int(f, SLICE_TS, start_of(r, call));
	if (call_is_timed(call))
		tables_file_int(f, SLICE_DUR, (int64_t)call_duration(call));
	if (cpu >= 0)
		tables_file_int(f, SLICE_CPU, cpu);
	tables_file_int(f, SLICE_UTID, pid);
	tables_file_string(f, SLICE_CATEGORY, "function");
	tables_file_bytes(f, SLICE_NAME, text_str(name), name->len);
	tables_file_int(f, SLICE_DEPTH, depth);
	if (parent)
		tables_file_int(f, SLICE_PARENT_ID, id_of(r, parent));
	tables_file_row(f);
	r->ids[number] = 0;
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
	uint32_t nr = 0;

	if (!is_slice(call_tree_call(tree, number)))
		return;
	mem_grow(&r->steps, nr, &r->cap_steps);
	r->steps[nr++] = (struct step){ number, call_tree_call(tree, number)->last };
	while (nr) {
		struct step *step = &r->steps[nr - 1];
		uint32_t child = step->next;

		if (!child) {
			add_call(r, tree, step->call,
				 nr > 1   ? step[-1].call :
				 nr_above ? above[nr_above - 1] :
					    CALL_NONE,
				 task->pid, nr_above + nr - 1);
			nr--;
			continue;
		}
		step->next = call_tree_call(tree, child)->before;
		if (!is_slice(call_tree_call(tree, child)))
			continue;
		mem_grow(&r->steps, nr, &r->cap_steps);
		r->steps[nr++] = (struct step){ child, call_tree_call(tree, child)->last };
	}
}

static void read_buffer(struct call_rows *r, const struct graph_types *types, unsigned int buffer)
{
	struct trace *trace = r->t->trace;
	const struct call_visitor visitor = { .subtree = see_subtree, .arg = r };
	const struct call_tree_options options = { .local_clock = graph_knows_away(trace, 0,
										   buffer),
						   .max_calls = MAX_CALLS,
						   .visitor = &visitor };
	const struct graph_reader_options reading = {
		.switches = graph_knows_away(trace, 0, buffer),
	};
	struct graph_reader *reader = graph_reader_new(trace, types, 0, buffer, &reading);
	struct graph_record *records = mem_array(BATCH, sizeof(*records));
	struct call_tree *tree = call_tree_new(&options);
	unsigned int nr;

	r->local = graph_clock_is_local(trace, 0, buffer);
	while ((nr = graph_reader_read(reader, records, BATCH)))
		for (unsigned int i = 0; i < nr; i++)
			call_tree_add(tree, &records[i]);
	call_tree_end(tree);
	call_tree_free(tree);
	graph_reader_free(reader);
	free(records);
}

void tables_calls(struct tables *t)
{
	struct graph_types *types = graph_types_new(t->trace, 0);
	struct call_rows r = { .t = t };
	unsigned int nr = trace_file_nr_buffers(trace_file_of(t->trace, 0));

	for (unsigned int i = 0; types && i < nr; i++)
		if (graph_buffer_has_calls(t->trace, 0, i))
			read_buffer(&r, types, i);
	graph_types_free(types);
	free(r.ids);
	free(r.steps);
}
