/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/btf.h"
#include "parsers/types/field.h"
#include "parsers/text/kernel_args.h"
#include "parsers/text/kernel_text.h"
#include "parsers/text/sched_text.h"
#include "parsers/source/source.h"
#include "parsers/lines/text_trace.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

#define LIKELY_APART	100000		/* ns: a return and its record are rarely so far apart */

struct name {
	uint64_t	 address;
	const char	*text;
};

struct call_text {
	struct trace	*trace;
	unsigned int	 file;
	bool		 local;
	struct name	*names;		/* owned, [nr_names] */
	uint32_t	 nr_names, cap_names;
	struct index_map map;		/* finds a name by its address */
	struct arena	 arena;
	struct btf	*btf;		/* owned, created together with `kernel` */
	struct kernel_text *kernel;	/* owned, created when arguments are first needed */
	struct sched_states states;
	bool		 has_states;
};

struct call_text *call_text_new(struct trace *trace, unsigned int file, unsigned int buffer)
{
	struct call_text *t = mem_alloc(sizeof(*t));

	t->trace = trace;
	t->file = file;
	t->local = graph_clock_is_local(trace, file, buffer);
	return t;
}

void call_text_free(struct call_text *t)
{
	if (!t)
		return;
	kernel_text_free(t->kernel);
	btf_free(t->btf);
	arena_fini(&t->arena);
	free(t->names);
	index_map_fini(&t->map);
	free(t);
}

const char *call_level_name(unsigned int level)
{
	static const char *const names[] = { "task", "softirq", "irq", "nmi" };

	return names[level < 4 ? level : 0];
}

const char *call_context_name(const struct call *call)
{
	return call->slice ? "slice" : call_level_name(call->level);
}

/* --- names -------------------------------------------------------------------------- */

const char *call_text_function(struct call_text *t, uint64_t address)
{
	struct text text = { 0 };
	const char *name;

	index_map_each (&t->map, index_map_hash(address), i)
		if (t->names[i].address == address)
			return t->names[i].text;
	trace_function_name(t->trace, t->file, address, &text);
	name = arena_strndup(&t->arena, text_str(&text), text.len);
	text_fini(&text);
	mem_grow(&t->names, t->nr_names, &t->cap_names);
	t->names[t->nr_names] = (struct name){ address, name };
	index_map_add(&t->map, index_map_hash(address), t->nr_names++);
	return name;
}

/* --- times -------------------------------------------------------------------------- */

int64_t call_text_start_elsewhere(const struct trace *trace, const struct call *call)
{
	int64_t start, entry;

	if (!call_is_timed(call))
		return trace_stream_ts(trace, call->stream_in, call->start);
	start = time_after(trace_stream_ts(trace, call->stream_out, call->exit_ts),
			   -(int64_t)call_duration(call));
	if (call->kind != CALL_CLOSED || call->slice || call->doubtful ||
	    call->level != GRAPH_TASK || trace_unit(trace) != TRACE_UNIT_NS)
		return start;
	entry = trace_stream_ts(trace, call->stream_in, call->entry_ts);
	return time_between(entry, start) >= LIKELY_APART ? entry : start;
}

uint64_t call_text_gap_cut_elsewhere(const struct call *call, int64_t start, int64_t end)
{
	uint64_t whole = (uint64_t)time_between(start, end);

	return whole > call_duration(call) ? whole - call_duration(call) : 0;
}

uint64_t call_text_gap_cut(const struct call_text *t, const struct call *call)
{
	return call_text_gap_cut_in(t->local, call, call_text_start(t, call),
				    call_text_end(t, call));
}

int64_t call_text_start(const struct call_text *t, const struct call *call)
{
	return call_text_start_in(t->trace, t->local, call);
}

int64_t call_text_end(const struct call_text *t, const struct call *call)
{
	if (!call_is_timed(call))
		return trace_stream_ts(t->trace, call->stream_out, call->end);
	return trace_stream_ts(t->trace, call->stream_out, t->local ? call->end : call->exit_ts);
}

int call_text_cpu(const struct call_text *t, const struct call *call, bool end)
{
	return trace_stream_at(t->trace, end ? call->stream_out : call->stream_in)->cpu;
}

/* --- more from the records --------------------------------------------------------- */

static struct kernel_text *kernel_text_of(struct call_text *t)
{
	struct printer *printer = t->kernel ? NULL : trace_printer(t->trace, t->file);
	const struct source *file = trace_file_of(t->trace, t->file);
	struct kernel_text_options options = { 0 };
	const char *btf;
	uint64_t size;

	if (!printer)
		return t->kernel;
	btf = source_text(file, TRACE_TEXT_BTF, &size);
	options.btf = t->btf = btf_new(btf, size);
	t->kernel = kernel_text_new(file, trace_event_types(t->trace, t->file),
				    printer_kallsyms(printer), &options);
	return t->kernel;
}

/* A field of a record of the call, or of a time off the CPU; slices have none of these. */
static const struct event_field *field_at(struct call_text *t, const struct call *call,
					  trace_ref ref, const char *name,
					  struct trace_event *event)
{
	if (call->slice || ref == TRACE_REF_NONE || !trace_event_at(t->trace, ref, event) ||
	    event->kind != TRACE_ROW_EVENT || !event->type)
		return NULL;
	return event_type_field(event->type, name);
}

/* In a text they stand in the line. */
static bool line_arguments(const struct trace_event *event, struct text *out)
{
	static const char *const ends[] = { ");", ") {", ") /*" };
	struct text_slice text = trace_event_line(event).text;
	const char *from = memchr(text.s, '(', text.len), *end = NULL;

	for (size_t i = 0; from && i < sizeof(ends) / sizeof(ends[0]) && !end; i++)
		end = memmem(from, (size_t)(text.s + text.len - from), ends[i], strlen(ends[i]));
	if (!end || end == from + 1)
		return false;
	text_bytes(out, from + 1, (size_t)(end - from - 1));
	return true;
}

bool call_text_arguments(struct call_text *t, const struct call *call, uint64_t function,
			 struct text *out)
{
	unsigned int longs =
		(unsigned int)trace_stream_at(t->trace, call->stream_in)->layout->long_size;
	struct text arguments = { 0 };
	const struct event_field *args;
	struct trace_event event;

	if (field_at(t, call, call->entry, "func", &event) && event.is_line)
		return line_arguments(&event, out);
	args = field_at(t, call, call->entry, "args", &event);
	if (!args || event.size < args->offset + KERNEL_ARGS_MAX * longs || !kernel_text_of(t))
		return false;
	kernel_args_add(t->kernel, function, event.data + args->offset, event.size - args->offset,
			&arguments);
	/* "(fd=3, buf=0x7ffd…)" */
	if (arguments.len >= 2)
		text_bytes(out, arguments.data + 1, arguments.len - 2);
	text_fini(&arguments);
	return true;
}

bool call_text_return_value(struct call_text *t, const struct call *call, int64_t *value)
{
	const struct event_field *retval;
	struct trace_event event;
	uint64_t v;

	retval = field_at(t, call, call->exit, "retval", &event);
	if (!retval || !call_is_timed(call))
		return false;
	v = field_u64(retval, event.data, event.size, event.swap);
	/* as in the kernel, a 32-bit error code is an error */
	*value = v >> 32 == 0 && (int32_t)v < 0 && (int32_t)v >= -4095 ? (int32_t)v : (int64_t)v;
	return true;
}

bool call_text_return(struct call_text *t, const struct call *call, struct text *out)
{
	int64_t value;

	if (!call_text_return_value(t, call, &value))
		return false;
	text_printf(out, value < 0 && value >= -4095 ? "ret=%" PRId64 : "ret=0x%" PRIx64, value);
	return true;
}

bool call_text_caller(struct call_text *t, const struct call *call, struct text *out)
{
	const struct event_field *retaddr;
	struct trace_event event;
	uint64_t address;

	retaddr = field_at(t, call, call->entry, call->inferred ? "parent_ip" : "retaddr", &event);
	if (!retaddr || !kernel_text_of(t))
		return false;
	address = field_u64(retaddr, event.data, event.size, event.swap);
	if (!address)			/* the first line of a latency tracer has no caller */
		return false;
	text_add(out, "<-");
	if (call->inferred)
		kernel_text_function(t->kernel, address, out);
	else
		kernel_text_symbol(t->kernel, address, true, out);
	return true;
}

bool call_text_state(struct call_text *t, const struct call *away, struct text *out)
{
	const struct event_field *state;
	struct trace_event event;

	state = field_at(t, away, away->entry, "prev_state", &event);
	if (!state)
		return false;
	if (!t->has_states)
		trace_task_states(t->trace, event.file, event.type, &t->states);
	t->has_states = true;
	sched_states_text(&t->states, field_u64(state, event.data, event.size, event.swap), out);
	return true;
}

void call_text_event(struct call_text *t, const struct call *call, struct text *out)
{
	struct trace_event event;

	if (!trace_event_at(t->trace, call->entry, &event))
		return;
	text_add(out, trace_event_name(&event));
	text_add(out, ": ");
	trace_event_text(t->trace, &event, NULL, TRACE_TEXT_LONG, out);
}
