/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_types - the offsets of the fields of calls, and which files have such records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/kallsyms.h"
#include "parsers/printer/printer.h"
#include "parsers/source/source.h"
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

/* What is looked for in the page directory. */
enum held { HELD_NOTHING, HELD_ENTRY, HELD_EXIT, HELD_FUNCTION, HELD_SWITCH, HELD_MARKER };

#define FIELDS	4u
#define AT(member)	offsetof(struct graph_types, member)
#define CALL_AT(member)	{ "func", AT(member.func) }, { "depth", AT(member.depth) }
#define NO_FIELDS	{ { NULL, 0 } }
#define WOKEN(name)	{ "sched", name, READ_WAKEUP, HELD_NOTHING, { { "pid", AT(woken_pid) } } }

/* The types that are read, if they have all of these fields. */
static const struct {
	const char	*system, *name;
	enum graph_read_kind kind;
	enum held	 held;
	struct {
		const char *name;
		size_t	 at;		/* where its place is kept; that of several types is one */
	}		 fields[FIELDS];
} known[] = {
	{ "ftrace", "funcgraph_entry", READ_ENTRY, HELD_ENTRY, { CALL_AT(entry) } },
	{ "ftrace", "fgraph_retaddr_entry", READ_RETADDR_ENTRY, HELD_ENTRY,
	  { CALL_AT(retaddr_entry) } },
	{ "ftrace", "funcgraph_exit", READ_EXIT, HELD_EXIT,
	  { CALL_AT(exit), { "calltime", AT(exit.call) }, { "rettime", AT(exit.ret) } } },
	{ "sched", "sched_switch", READ_SWITCH, HELD_SWITCH,
	  { { "prev_pid", AT(prev_pid) }, { "next_pid", AT(next_pid) } } },
	WOKEN("sched_waking"), WOKEN("sched_wakeup"), WOKEN("sched_wakeup_new"),
	{ "ftrace", "function", READ_FUNCTION, HELD_FUNCTION,
	  { { "ip", AT(ip) }, { "parent_ip", AT(parent_ip) } } },
	{ "ftrace", "func_repeats", READ_REPEATS, HELD_FUNCTION,
	  { { "ip", AT(repeated_ip) }, { "parent_ip", AT(repeated_parent_ip) },
	    { "count", AT(repeats) } } },
	{ "ftrace", "print", READ_MARKER, HELD_MARKER, NO_FIELDS },
	{ "timer", "hrtimer_expire_entry", READ_IN_IRQ, HELD_NOTHING, NO_FIELDS },
	{ "timer", "hrtimer_expire_exit", READ_IN_IRQ, HELD_NOTHING, NO_FIELDS },
	{ "timer", "timer_expire_entry", READ_IN_SOFTIRQ, HELD_NOTHING, NO_FIELDS },
	{ "timer", "timer_expire_exit", READ_IN_SOFTIRQ, HELD_NOTHING, NO_FIELDS },
	{ "irq", "tasklet_entry", READ_IN_SOFTIRQ, HELD_NOTHING, NO_FIELDS },
	{ "irq", "tasklet_exit", READ_IN_SOFTIRQ, HELD_NOTHING, NO_FIELDS },
	{ "irq", "softirq_entry", READ_SOFTIRQ_ENTRY, HELD_NOTHING, NO_FIELDS },
	{ "irq", "softirq_exit", READ_SOFTIRQ_EXIT, HELD_NOTHING, NO_FIELDS },
	{ "irq", "irq_handler_entry", READ_IRQ_ENTRY, HELD_NOTHING, NO_FIELDS },
	{ "irq", "irq_handler_exit", READ_IRQ_EXIT, HELD_NOTHING, NO_FIELDS },
};
#define KNOWN	(sizeof(known) / sizeof(*known))

static bool is_in_irq(enum graph_read_kind kind)
{
	return kind == READ_IN_IRQ || kind == READ_IN_SOFTIRQ;
}

static const struct event_type *find_type(struct event_types *all, const char *system,
					  const char *name)
{
	const struct event_type *type = event_types_by_name(all, system, name);

	return type && (unsigned int)type->id < GRAPH_NR_TYPES ? type : NULL;
}

static void find_known(struct graph_types *types, const struct event_type *type, unsigned int i)
{
	struct graph_field places[FIELDS];
	unsigned int nr = 0;

	for (; nr < FIELDS && known[i].fields[nr].name; nr++) {
		const struct graph_field *had = (void *)((char *)types + known[i].fields[nr].at);

		if (!find_place(type, known[i].fields[nr].name, &places[nr]) ||
		    (had->size && memcmp(had, &places[nr], sizeof(*had)) != 0))
			return;
	}
	while (nr--)
		memcpy((char *)types + known[i].fields[nr].at, &places[nr], sizeof(*places));
	types->kinds[type->id] = (uint8_t)known[i].kind;
}

static void find_stacks(struct graph_types *types, struct event_types *all)
{
	const struct event_type *type = find_type(all, "ftrace", "kernel_stack");
	const struct event_field *frames = type ? event_type_field(type, "caller") : NULL;

	if (!frames || (frames->element_size != 4 && frames->element_size != 8))
		return;
	types->frames = (struct graph_field){ .offset = frames->offset,
					      .size = (uint8_t)frames->element_size };
	types->kinds[type->id] = READ_STACK;
}

/* irq_vectors: local_timer_entry and the like; nmi_handler, say, is no interval. */
static void find_vectors(struct graph_types *types, struct event_types *all,
			 const struct source *file)
{
	for (unsigned int i = 0; i < source_nr_formats(file); i++) {
		const struct source_format *format = source_format(file, i);
		const struct event_type *type;
		const char *end;

		if (strcmp(format->system, "irq_vectors") || format->id < 0 ||
		    (unsigned int)format->id >= GRAPH_NR_TYPES)
			continue;
		type = event_types_find(all, format->id);
		end = type ? strrchr(type->name, '_') : NULL;
		if (end && !strcmp(end, "_entry"))
			types->kinds[type->id] = READ_IRQ_ENTRY;
		else if (end && !strcmp(end, "_exit"))
			types->kinds[type->id] = READ_IRQ_EXIT;
	}
}

/* Interrupts begin with functions of these sections. */
static void find_section(const struct kallsyms *symbols, const char *of, uint64_t *start,
			 uint64_t *bytes)
{
	char from[32], to[32];
	uint64_t end;

	snprintf(from, sizeof(from), "__%sentry_text_start", of);
	snprintf(to, sizeof(to), "__%sentry_text_end", of);
	*bytes = 0;
	if (symbols && kallsyms_address(symbols, from, start) &&
	    kallsyms_address(symbols, to, &end) && end > *start)
		*bytes = end - *start;
}

struct graph_types *graph_types_new(struct trace *trace, unsigned int file)
{
	struct event_types *all = trace_event_types(trace, file);
	struct graph_types *types = mem_alloc(sizeof(*types));
	struct printer *printer;

	for (unsigned int i = 0; i < KNOWN; i++) {
		const struct event_type *type = find_type(all, known[i].system, known[i].name);

		/* flags tell more */
		if (type && is_in_irq(known[i].kind) && !event_type_lacks(type, FORMAT_LACKS_FLAGS))
			continue;
		if (type && (known[i].kind != READ_REPEATS || types->ip.size))
			find_known(types, type, i);
		if (type && known[i].kind == READ_MARKER)
			types->marker = event_type_field(type, "buf");
		types->has_markers |= type && known[i].kind == READ_MARKER;
	}
	find_vectors(types, all, trace_file_of(trace, file));
	if (types->ip.size)
		find_stacks(types, all);
	if (!types->entry.func.size && !types->retaddr_entry.func.size && !types->exit.func.size &&
	    !types->ip.size && !types->has_markers) {
		free(types);
		return NULL;
	}
	printer = trace_printer(trace, file);
	types->symbols = printer ? printer_kallsyms(printer) : NULL;
	find_section(types->symbols, "irq", &types->irq_start, &types->irq_bytes);
	find_section(types->symbols, "softirq", &types->softirq_start, &types->softirq_bytes);
	return types;
}

void graph_types_free(struct graph_types *types)
{
	free(types);
}

#define CALL_PAGES	256u	/* of a stream, where entries would be by then */
#define CALL_EXITS	1000u	/* of these, whose durations are looked at */
#define LEAST_THRESHOLD	1000u	/* ns: tracing_thresh is in µs, and not 0 */
#define MARKER_PAGES	16u	/* with markers, that are looked at for one of a slice */

static bool is_of_kind(const struct event_type *type, enum held held)
{
	for (unsigned int i = 0; i < KNOWN && type; i++)
		if (known[i].held == held && !strcmp(type->system, known[i].system) &&
		    !strcmp(type->name, known[i].name))
			return true;
	return false;
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
		for (uint64_t page = page_index_start(&s->index);
		     page < pages && looked < MARKER_PAGES; page++) {
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
	unsigned int nr_buffers = source_nr_buffers(trace_file_of(trace, file));

	for (*buffer = 0; *buffer < nr_buffers; ++*buffer)
		if (may_hold(trace, file, *buffer, kind))
			return true;
	return false;
}

bool graph_has_calls(struct trace *trace, unsigned int file, unsigned int *buffer)
{
	return find_calls(trace, file, HELD_ENTRY, buffer) ||
	       find_calls(trace, file, HELD_EXIT, buffer) ||
	       find_calls(trace, file, HELD_FUNCTION, buffer);
}

bool graph_has_trees(struct trace *trace, unsigned int file, unsigned int *buffer)
{
	return graph_has_calls(trace, file, buffer) || find_calls(trace, file, HELD_MARKER, buffer);
}

bool graph_buffer_has_trees(struct trace *trace, unsigned int file, unsigned int buffer)
{
	return may_hold(trace, file, buffer, HELD_ENTRY) ||
	       may_hold(trace, file, buffer, HELD_EXIT) ||
	       may_hold(trace, file, buffer, HELD_FUNCTION) ||
	       may_hold(trace, file, buffer, HELD_MARKER);
}

/* Is an exit of a call that no threshold lets through? */
static bool is_short(const struct event_type *type, const struct record *rec, bool swap)
{
	const struct event_field *call = event_type_field(type, "calltime"),
				 *ret = event_type_field(type, "rettime");
	uint64_t end = call && ret ? field_u64(ret, rec->data, rec->size, swap) : 0;

	return end && end - field_u64(call, rec->data, rec->size, swap) < LEAST_THRESHOLD;
}

/*
 * Look for entries and exits in the first pages of a stream.  The exit of a short call shows that
 * entries were lost.
 */
static void look_at_calls(const struct trace *trace, unsigned int stream, bool is_known,
			  bool *entry, bool *exit)
{
	struct stream_walk walk = { 0 };
	unsigned int exits = 0;
	struct record rec;

	stream_walk_begin(&walk, trace, stream, 0, CALL_PAGES);
	while (!*entry && !(is_known && exits >= CALL_EXITS) && stream_walk_page(&walk))
		while (!*entry && stream_walk_next(&walk, &rec, walk.native)) {
			const struct event_type *type =
				event_types_find(walk.source->types,
						 stream_walk_type(&walk, &rec, walk.native));

			*entry = is_of_kind(type, HELD_ENTRY);
			if (!is_of_kind(type, HELD_EXIT))
				continue;
			*exit = true;
			*entry |= exits++ < CALL_EXITS && is_short(type, &rec, walk.sb.swap);
		}
	stream_walk_end(&walk);
}

bool graph_lacks_entries(struct trace *trace, unsigned int file, unsigned int buffer)
{
	bool complete = trace_status(trace).complete,
	     entry = may_hold(trace, file, buffer, HELD_ENTRY),
	     exit = complete && !entry && may_hold(trace, file, buffer, HELD_EXIT);

	for (unsigned int i = 0; (!complete || exit) && !entry && i < trace_nr_streams(trace); i++)
		if (trace_stream_at(trace, i)->source == file &&
		    trace_stream_at(trace, i)->buffer == buffer)
			look_at_calls(trace, i, complete, &entry, &exit);
	return exit && !entry;
}

const char *graph_slow_alone(struct trace *trace, unsigned int file)
{
	for (unsigned int i = 0; i < source_nr_buffers(trace_file_of(trace, file)); i++)
		if (graph_lacks_entries(trace, file, i))
			return "no call has an entry, as with tracing_thresh: averages are of slow "
			       "calls alone";
	return NULL;
}

bool graph_clock_is_local(const struct trace *trace, unsigned int file, unsigned int buffer)
{
	const char *clock = source_buffer(trace_file_of(trace, file), buffer)->clock;

	return !*clock || !strcmp(clock, "local");	/* none: the kernel's default */
}

bool graph_tells_away(struct trace *trace, unsigned int file, unsigned int buffer)
{
	return graph_clock_is_local(trace, file, buffer) &&
	       may_hold(trace, file, buffer, HELD_SWITCH);
}

const char *graph_net_needs(const struct trace *trace, unsigned int file)
{
	unsigned int nr = source_nr_buffers(trace_file_of(trace, file));

	if (trace_is_untimed(trace, (int)file))
		return "net time needs times (option funcgraph-abstime)";
	for (unsigned int i = 0; i < nr; i++)
		if (graph_clock_is_local(trace, file, i))
			return "net time needs sched_switch (record -e sched_switch)";
	return "net time needs the clock local (record -C local)";
}

bool graph_knows_away(struct trace *trace, unsigned int file, unsigned int buffer)
{
	const struct event_type *type = event_types_by_name(trace_event_types(trace, file), "sched",
							    "sched_switch");

	return type && event_type_tells_switch(type) && graph_clock_is_local(trace, file, buffer);
}
