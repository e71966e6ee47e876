/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_types - the offsets of the fields of calls, and which files have such records. */
#include <stdlib.h>
#include <string.h>

#include "parsers/types/kallsyms.h"
#include "parsers/printer/printer.h"
#include "parsers/file/trace_file.h"
#include "src/calls/graph_records_private.h"
#include "src/base/memory.h"
#include "src/trace/stream_walk.h"
#include "src/trace/trace_marker.h"

static bool find_place(const struct event_type *type, const char *name, struct graph_field *place)
{
	const struct event_field *f = event_type_field(type, name);

	if (!f)
		return false;
	*place = (struct graph_field){ f->offset, (uint8_t)f->size, f->kind == FIELD_SINT };
	return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
}

static void find_call(struct graph_types *types, struct event_types *all, const char *name,
		      enum graph_read_kind kind, struct graph_call_fields *places)
{
	const struct event_type *type = event_types_by_name(all, "ftrace", name);

	if (!type || (unsigned int)type->id >= GRAPH_NR_TYPES ||
	    !find_place(type, "func", &places->func) || !find_place(type, "depth", &places->depth))
		return;
	if (kind == READ_EXIT && (!find_place(type, "calltime", &places->call) ||
				  !find_place(type, "rettime", &places->ret)))
		return;
	types->kinds[type->id] = (uint8_t)kind;
}

static void find_switch(struct graph_types *types, struct event_types *all)
{
	const struct event_type *type = event_types_by_name(all, "sched", "sched_switch");

	if (type && (unsigned int)type->id < GRAPH_NR_TYPES &&
	    find_place(type, "prev_pid", &types->prev_pid) &&
	    find_place(type, "next_pid", &types->next_pid))
		types->kinds[type->id] = READ_SWITCH;
}

static void find_wakeups(struct graph_types *types, struct event_types *all)
{
	static const char *const names[] = { "sched_waking", "sched_wakeup", "sched_wakeup_new" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct event_type *type = event_types_by_name(all, "sched", names[i]);
		struct graph_field pid;

		if (!type || (unsigned int)type->id >= GRAPH_NR_TYPES ||
		    !find_place(type, "pid", &pid))
			continue;
		if (!types->woken_pid.size)
			types->woken_pid = pid;
		if (types->woken_pid.offset == pid.offset && types->woken_pid.size == pid.size)
			types->kinds[type->id] = READ_WAKEUP;
	}
}

static void find_functions(struct graph_types *types, struct event_types *all)
{
	const struct event_type *function = event_types_by_name(all, "ftrace", "function"),
				*repeats = event_types_by_name(all, "ftrace", "func_repeats"),
				*stack = event_types_by_name(all, "ftrace", "kernel_stack");
	const struct event_field *frames = stack ? event_type_field(stack, "caller") : NULL;

	if (!function || (unsigned int)function->id >= GRAPH_NR_TYPES ||
	    !find_place(function, "ip", &types->ip) ||
	    !find_place(function, "parent_ip", &types->parent_ip)) {
		types->ip.size = 0;
		return;
	}
	types->kinds[function->id] = READ_FUNCTION;
	if (repeats && (unsigned int)repeats->id < GRAPH_NR_TYPES &&
	    find_place(repeats, "ip", &types->repeated_ip) &&
	    find_place(repeats, "parent_ip", &types->repeated_parent_ip) &&
	    find_place(repeats, "count", &types->repeats))
		types->kinds[repeats->id] = READ_REPEATS;
	if (!frames || (unsigned int)stack->id >= GRAPH_NR_TYPES ||
	    (frames->element_size != 4 && frames->element_size != 8))
		return;
	types->frames = (struct graph_field){ .offset = frames->offset,
					      .size = (uint8_t)frames->element_size };
	types->kinds[stack->id] = READ_STACK;
}

static void find_markers(struct graph_types *types, struct event_types *all)
{
	const struct event_type *type = event_types_by_name(all, "ftrace", "print");

	if (!type || (unsigned int)type->id >= GRAPH_NR_TYPES)
		return;
	types->marker = event_type_field(type, "buf");
	types->kinds[type->id] = READ_MARKER;
	types->has_markers = true;
}

struct graph_types *graph_types_new(struct trace *trace, unsigned int file)
{
	struct event_types *all = trace_event_types(trace, file);
	struct graph_types *types = mem_alloc(sizeof(*types));
	struct printer *printer;

	find_call(types, all, "funcgraph_entry", READ_ENTRY, &types->entry);
	find_call(types, all, "fgraph_retaddr_entry", READ_RETADDR_ENTRY, &types->retaddr_entry);
	find_call(types, all, "funcgraph_exit", READ_EXIT, &types->exit);
	find_switch(types, all);
	find_wakeups(types, all);
	find_functions(types, all);
	find_markers(types, all);
	if (!types->entry.func.size && !types->retaddr_entry.func.size && !types->exit.func.size &&
	    !types->ip.size && !types->has_markers) {
		free(types);
		return NULL;
	}
	printer = trace_printer(trace, file);
	types->symbols = printer ? printer_kallsyms(printer) : NULL;
	if (printer &&
	    (!kallsyms_address(printer_kallsyms(printer), "__irqentry_text_start",
			       &types->irq_start) ||
	     !kallsyms_address(printer_kallsyms(printer), "__irqentry_text_end", &types->irq_end)))
		types->irq_start = types->irq_end = 0;
	return types;
}

void graph_types_free(struct graph_types *types)
{
	free(types);
}

#define MARKER_PAGES	16u	/* with markers, that are looked at for one of a slice */

enum held { HELD_TIMED, HELD_FUNCTION, HELD_SWITCH, HELD_MARKER };

static bool is_of_kind(const struct event_type *type, enum held kind)
{
	if (type && kind == HELD_SWITCH)
		return !strcmp(type->system, "sched") && !strcmp(type->name, "sched_switch");
	if (!type || strcmp(type->system, "ftrace"))
		return false;
	if (kind == HELD_MARKER)
		return !strcmp(type->name, "print");
	if (kind == HELD_FUNCTION)
		return !strcmp(type->name, "function");
	return !strcmp(type->name, "funcgraph_entry") ||
	       !strcmp(type->name, "fgraph_retaddr_entry") || !strcmp(type->name, "funcgraph_exit");
}

/* By the directory, may a page contain some?  @bits: of those types that have a bit. */
static bool page_may_hold(const struct trace_stream *s, const struct trace_source *source,
			  uint64_t page, uint64_t bits, enum held kind)
{
	struct page_sets sets = page_index_sets(&s->index, page);

	for (uint32_t i = 0; i < sets.nr_rare; i++)
		if (is_of_kind(event_types_find(source->types,
						source->kinds.ids[page_rare_kind(sets.rare[i])]),
			       kind))
			return true;
	return sets.types & bits;
}

/* Does a page have the begin of a slice? */
static bool page_has_slice(const struct trace *trace, unsigned int stream, uint64_t page)
{
	struct stream_walk walk = { 0 };
	struct trace_marker marker;
	struct record rec;
	bool found = false;

	stream_walk_begin(&walk, trace, stream, page, page + 1);
	if (stream_walk_page(&walk))
		while (!found && stream_walk_next(&walk, &rec, walk.native)) {
			const struct event_type *type =
				event_types_find(walk.source->types,
						 stream_walk_type(&walk, &rec, walk.native));

			found = is_of_kind(type, HELD_MARKER) &&
				trace_marker_read(event_type_field(type, "buf"), rec.data, rec.size,
						  &marker) &&
				marker.kind == 'B';
		}
	stream_walk_end(&walk);
	return found;
}

static bool may_hold(const struct trace *trace, unsigned int file, unsigned int buffer,
		     enum held kind)
{
	const struct trace_source *source = trace_source_at(trace, file);
	uint32_t nr = atomic_load(&source->kinds.nr);
	uint64_t bits = 0;
	unsigned int looked = 0;
	bool any = false;

	for (uint32_t i = 0; i < nr; i++)
		if (is_of_kind(event_types_find(source->types, source->kinds.ids[i]), kind)) {
			bits |= page_kinds_bits(&source->kinds, i);
			any = true;
		}
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		const struct trace_stream *s = trace_stream_at(trace, i);
		uint64_t pages = any ? page_index_pages(&s->index) : 0;

		if (s->source != file || s->buffer != buffer)
			continue;
		for (uint64_t page = 0; page < pages && looked < MARKER_PAGES; page++) {
			if (!page_may_hold(s, source, page, bits, kind))
				continue;
			if (kind != HELD_MARKER || page_has_slice(trace, i, page))
				return true;
			looked++;
		}
	}
	return false;
}

static bool find_calls(struct trace *trace, unsigned int file, enum held kind, unsigned int *buffer)
{
	unsigned int nr_buffers = trace_file_nr_buffers(trace_file_of(trace, file));

	for (*buffer = 0; *buffer < nr_buffers; ++*buffer)
		if (may_hold(trace, file, *buffer, kind))
			return true;
	return false;
}

bool graph_has_calls(struct trace *trace, unsigned int file, unsigned int *buffer)
{
	return find_calls(trace, file, HELD_TIMED, buffer) ||
	       find_calls(trace, file, HELD_FUNCTION, buffer);
}

bool graph_buffer_has_calls(struct trace *trace, unsigned int file, unsigned int buffer)
{
	return may_hold(trace, file, buffer, HELD_TIMED) ||
	       may_hold(trace, file, buffer, HELD_FUNCTION);
}

bool graph_has_trees(struct trace *trace, unsigned int file, unsigned int *buffer)
{
	return graph_has_calls(trace, file, buffer) || find_calls(trace, file, HELD_MARKER, buffer);
}

bool graph_buffer_has_trees(struct trace *trace, unsigned int file, unsigned int buffer)
{
	return graph_buffer_has_calls(trace, file, buffer) ||
	       may_hold(trace, file, buffer, HELD_MARKER);
}

bool graph_clock_is_local(const struct trace *trace, unsigned int file, unsigned int buffer)
{
	const char *clock = trace_file_buffer(trace_file_of(trace, file), buffer)->clock;

	return !*clock || !strcmp(clock, "local");	/* none: the kernel's default */
}

bool graph_tells_away(struct trace *trace, unsigned int file, unsigned int buffer)
{
	return graph_clock_is_local(trace, file, buffer) &&
	       may_hold(trace, file, buffer, HELD_SWITCH);
}

bool graph_knows_away(struct trace *trace, unsigned int file, unsigned int buffer)
{
	return graph_clock_is_local(trace, file, buffer) &&
	       event_types_by_name(trace_event_types(trace, file), "sched", "sched_switch");
}
