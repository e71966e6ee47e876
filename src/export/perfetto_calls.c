/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfetto_calls - calls as slices on the track of their task. */
#include "parsers/source/source.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/export/perfetto_private.h"
#include "src/trace/trace_streams.h"

struct call_slice {			/* slice of a call that has begun */
	int64_t		 end;		/* none in it ends later */
	uint64_t	 function;
	bool		 told;
};

/* Where the first gap of a stream from @ts on begins; INT64_MAX: there is none. */
static int64_t gap_after(const struct perfetto *p, unsigned int stream, int64_t ts)
{
	const struct perfetto_gap *gaps = p->gaps;
	size_t i = bisect(p->nr_gaps, k,
			  gaps[k].stream < stream ||
				  (gaps[k].stream == stream && gaps[k].from < ts));

	return i < p->nr_gaps && gaps[i].stream == stream ? gaps[i].from : INT64_MAX;
}

/*
 * A call without an exit ends at the gap after the last that is known of it, and at the latest
 * with the record that shows its end, or with the trace.
 */
static int64_t end_of(const struct perfetto *p, const struct call *call)
{
	const struct call *inner = call;
	int64_t end, gap;

	if (call_is_timed(call))
		return call_text_end(p->text, call);
	end = call->exit_ts == UINT64_MAX ?
		      p->last :
		      trace_stream_ts(p->trace, call->stream_out, call->exit_ts);
	while (!call_is_timed(inner) && inner->last &&
	       call_is_call(call_tree_call(p->tree, inner->last)))
		inner = call_tree_call(p->tree, inner->last);
	gap = gap_after(p, inner->stream_out, call_text_end(p->text, inner));
	return gap < end ? gap : end;
}

static void see_task(void *arg, const struct call_task *task)
{
	struct perfetto *p = arg;

	p->track = packet_thread(p, task->pid, trace_stream_info(p->trace, task->stream).cpu,
				 p->buffer);
	p->low = INT64_MIN;
}

/*
 * Slices of a track must be nested, so none begins before the one before it or ends after the one
 * around it.  Only doubtful ones would.
 */
static void begin_call(void *arg, const struct call *call)
{
	struct perfetto *p = arg;
	int64_t start = call_text_start(p->text, call), end = end_of(p, call);
	int64_t latest = p->nr_slices ? p->slices[p->nr_slices - 1].end : INT64_MAX;
	bool told = call->wanted && !call->inferred && !p->failed && !p->out.closed;

	if (p->what.range.set && (end < p->what.range.from || start > p->what.range.to))
		told = false;
	if (p->what.streams && !p->what.streams[call->stream_out])
		told = false;
	if (told && call_tree_above(p->tree, call) >= PERFETTO_DEEPEST) {
		p->totals.too_deep++;
		told = false;
	}
	start = start < p->low ? p->low : start;
	end = end > latest ? latest : end;
	end = end < start ? start : end;
	mem_grow(&p->slices, p->nr_slices, &p->cap_slices);
	p->slices[p->nr_slices++] = (struct call_slice){
		.end = end,
		.function = call_tree_function(p->tree, call->func),
		.told = told,
	};
	if (!told)
		return;
	p->totals.calls++;
	p->low = start;
	packet_slice(p, SLICE_BEGIN, start, p->track, p->slices[p->nr_slices - 1].function, 0);
}

static void end_call(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct perfetto *p = arg;
	struct call_slice slice = p->slices[--p->nr_slices];

	(void)call, (void)figures;
	if (!slice.told)
		return;
	p->low = slice.end;
	packet_slice(p, SLICE_END, slice.end, p->track, slice.function, 0);
}

static struct call_tree *begin_buffer(void *arg, unsigned int buffer)
{
	struct perfetto *p = arg;
	struct call_tree_options options = {
		.local_clock = graph_clock_is_local(p->trace, p->what.file, buffer),
		.visitor = &p->visitor,
	};

	p->visitor = (struct call_visitor){ .task = see_task, .enter = begin_call, .in_order = true,
					    .leave = end_call, .arg = p };
	p->buffer = buffer;
	call_text_free(p->text);
	p->text = call_text_new(p->trace, p->what.file, buffer);
	p->tree = call_tree_new(&options);
	return p->tree;
}

void perfetto_calls_start(struct perfetto *p)
{
	static const struct call_job_ops ops = { .begin = begin_buffer };
	const struct event_sweep_options *what = &p->what;
	unsigned int nr = source_nr_buffers(trace_file_of(p->trace, what->file));

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
