/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfetto_calls - calls as slices on the track of their task. */
#include <stdlib.h>

#include "parsers/file/trace_file.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/export/perfetto_private.h"
#include "src/trace/trace_streams.h"

struct slice_step {			/* what is still to be written of a tree */
	uint32_t	 number;	/* of a call that begins; CALL_NONE: one ends */
	uint32_t	 level;
	int64_t		 end;		/* the call's; of one that begins, the latest possible */
	uint64_t	 function;	/* of one that ends */
};

static void push(struct perfetto *p, struct slice_step step)
{
	mem_grow(&p->steps, p->nr_steps, &p->cap_steps);
	p->steps[p->nr_steps++] = step;
}

/* Where the first gap of a stream from @ts on begins; INT64_MAX: there is none. */
static int64_t gap_after(const struct perfetto *p, unsigned int stream, int64_t ts)
{
	const struct gap *gaps = p->gaps;
	size_t i = bisect(p->nr_gaps, k,
			  gaps[k].stream < stream ||
				  (gaps[k].stream == stream && gaps[k].from < ts));

	return i < p->nr_gaps && gaps[i].stream == stream ? gaps[i].from : INT64_MAX;
}

/*
 * A call without an exit ends at the gap after the last that is known of it, and at the latest
 * with the record that shows its end, or with the trace.
 */
static int64_t end_of(const struct perfetto *p, const struct call_tree *tree,
		      const struct call *call)
{
	const struct call *inner = call;
	int64_t end, gap;

	if (call_is_timed(call))
		return call_text_end(p->text, call);
	end = call->exit_ts == UINT64_MAX ?
		      p->last :
		      trace_stream_ts(p->trace, call->stream_out, call->exit_ts);
	while (!call_is_timed(inner) && inner->last &&
	       call_is_call(call_tree_call(tree, inner->last)))
		inner = call_tree_call(tree, inner->last);
	gap = gap_after(p, inner->stream_out, call_text_end(p->text, inner));
	return gap < end ? gap : end;
}

/*
 * Slices of a track must be nested, so none begins before the one before it or ends after the one
 * around it.  Only doubtful ones would.
 */
static void begin_call(struct perfetto *p, const struct call_tree *tree, struct slice_step step,
		       uint64_t track)
{
	const struct call *call = call_tree_call(tree, step.number);
	uint64_t function = call_tree_function(tree, call->func);
	int64_t start, end;

	if (!call_is_call(call) || call->inferred)
		return;
	if (step.level >= PERFETTO_DEEPEST) {
		p->totals.too_deep++;
		return;
	}
	start = call_text_start(p->text, call);
	end = end_of(p, tree, call);
	if (p->what.range.set && (end < p->what.range.from || start > p->what.range.to))
		return;
	start = start < p->low ? p->low : start;
	end = end > step.end ? step.end : end;
	end = end < start ? start : end;
	if (call->wanted) {
		p->totals.calls++;
		p->low = start;
		packet_slice(p, SLICE_BEGIN, start, track, function, 0);
		push(p, (struct slice_step){ CALL_NONE, 0, end, function });
	}
	for (uint32_t child = call->last; child; child = call_tree_call(tree, child)->before)
		push(p, (struct slice_step){ child, step.level + 1, end, 0 });
}

static void see_tree(void *arg, const struct call_tree *tree, const struct call_task *task,
		     const uint32_t *above, unsigned int nr_above, uint32_t number)
{
	struct perfetto *p = arg;
	uint64_t track;

	(void)above;
	if (p->failed || p->out->closed || !call_is_call(call_tree_call(tree, number)))
		return;
	track = packet_thread_buffer(p, task->pid, trace_stream_info(p->trace, task->stream).cpu,
				     p->buffer);
	p->low = INT64_MIN;
	push(p, (struct slice_step){ number, nr_above, INT64_MAX, 0 });
	while (p->nr_steps) {
		struct slice_step step = p->steps[--p->nr_steps];

		if (step.number != CALL_NONE) {
			begin_call(p, tree, step, track);
			continue;
		}
		p->low = step.end;
		packet_slice(p, SLICE_END, step.end, track, step.function, 0);
	}
}

static struct call_tree *begin_buffer(void *arg, unsigned int buffer)
{
	struct perfetto *p = arg;
	struct call_tree_options options = {
		.local_clock = graph_clock_is_local(p->trace, p->what.file, buffer),
		.visitor = &p->visitor,
	};

	p->visitor = (struct call_visitor){ .subtree = see_tree, .arg = p };
	p->buffer = buffer;
	call_text_free(p->text);
	p->text = call_text_new(p->trace, p->what.file, buffer);
	return call_tree_new(&options);
}

void perfetto_calls_start(struct perfetto *p)
{
	static const struct call_job_ops ops = { .begin = begin_buffer };
	const struct event_sweep_options *what = &p->what;
	unsigned int nr = trace_file_nr_buffers(trace_file_of(p->trace, what->file));

	p->types = graph_types_new(p->trace, what->file);
	if (!p->types)
		return;
	p->scope = (struct graph_scope){ .cpus = what->only, .nr_cpus = what->nr_only };
	for (unsigned int i = 0; i < what->nr_filters && i < GRAPH_FILTERS; i++)
		p->scope.filters[p->scope.nr_filters++] = what->filters[i];
	p->job = call_job_new(trace_workers(p->trace), &ops, p);
	for (unsigned int i = 0; i < nr; i++) {
		struct graph_reader_options options = { .scope = &p->scope };
		struct graph_reader *reader = graph_reader_new(p->trace, p->types, what->file, i,
							       &options);

		if (what->range.set)
			graph_reader_window(reader, what->range.from, what->range.to);
		call_job_add(p->job, reader);
	}
	call_job_start(p->job);
}

void perfetto_calls_fini(struct perfetto *p)
{
	call_job_free(p->job);
	graph_types_free(p->types);
	call_text_free(p->text);
	free(p->steps);
}
