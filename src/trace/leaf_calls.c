/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/leaf_calls.h"

#include <stdlib.h>

#include "src/base/memory.h"
#include "src/trace/trace_private.h"

#define CACHE_BYTES	(64u << 10)

struct leaf_types {			/* of a file; NULL: it has no such type */
	bool			known;
	const struct event_type	*entry, *retaddr_entry, *exit;
};

struct leaf_calls {
	struct trace		*trace;		/* borrowed */
	struct leaf_types	*types;		/* owned, [files] */
	unsigned int		 stream;	/* of the cursor; UINT32_MAX: none */
	struct page_cache	*cache;		/* owned, of the stream's file */
	struct cursor_source	 source;
	struct cursor		 cursor;
};

struct leaf_calls *leaf_calls_new(struct trace *trace)
{
	struct leaf_calls *leaves = mem_alloc(sizeof(*leaves));

	leaves->trace = trace;
	leaves->types = mem_array(trace_nr_files(trace) + 1, sizeof(*leaves->types));
	leaves->stream = UINT32_MAX;
	return leaves;
}

static void drop_cursor(struct leaf_calls *leaves)
{
	cursor_fini(&leaves->cursor);
	page_cache_free(leaves->cache);
	leaves->cache = NULL;
}

void leaf_calls_free(struct leaf_calls *leaves)
{
	if (!leaves)
		return;
	drop_cursor(leaves);
	free(leaves->types);
	free(leaves);
}

static const struct leaf_types *types_of(struct leaf_calls *leaves, unsigned int file)
{
	struct event_types *types = leaves->trace->sources[file].types;
	struct leaf_types *found = &leaves->types[file];

	if (!found->known) {
		found->entry = event_types_by_name(types, "ftrace", "funcgraph_entry");
		found->retaddr_entry = event_types_by_name(types, "ftrace", "fgraph_retaddr_entry");
		found->exit = event_types_by_name(types, "ftrace", "funcgraph_exit");
		found->known = true;
	}
	return found;
}

/* A cursor with pages of its own, so that any thread may have one. */
static void use_stream(struct leaf_calls *leaves, unsigned int nr)
{
	const struct trace_stream *stream = &leaves->trace->streams[nr];

	if (leaves->stream == nr)
		return;
	drop_cursor(leaves);
	leaves->stream = nr;
	leaves->cache = page_cache_new(leaves->trace->sources[stream->source].file, CACHE_BYTES);
	leaves->source = (struct cursor_source){
		.file = leaves->trace->sources[stream->source].file, .cache = leaves->cache
	};
	cursor_init(&leaves->cursor, &leaves->source, stream->number,
		    &leaves->trace->streams[nr].index);
	leaves->cursor.borrow = true;
}

static bool neighbour(struct leaf_calls *leaves, const struct trace_event *event, bool after,
		      struct trace_event *other)
{
	struct cursor *cursor = &leaves->cursor;
	struct cursor_row row;

	use_stream(leaves, event->stream);
	cursor_seek(cursor, trace_ref_page(event->ref), trace_ref_item(event->ref));
	if (after ? !cursor_next(cursor, &row) || !cursor_next(cursor, &row) :
		    !cursor_prev(cursor, &row))
		return false;
	if (row.item == CURSOR_LOST || row.item == CURSOR_DAMAGE)
		return false;
	trace_fill_event(leaves->trace, event->stream, &row, other);
	return true;
}

static bool is_entry(struct leaf_calls *leaves, const struct trace_event *event)
{
	const struct leaf_types *types = types_of(leaves, event->file);

	return event->type && (event->type == types->entry || event->type == types->retaddr_entry);
}

static bool is_leaf(struct leaf_calls *leaves, const struct trace_event *entry,
		    const struct trace_event *exit)
{
	struct print_record a = trace_print_record(entry), b = trace_print_record(exit);

	return printer_is_leaf(trace_printer(leaves->trace, entry->file), &a, &b);
}

bool leaf_calls_exit(struct leaf_calls *leaves, const struct trace_event *event,
		     struct trace_event *exit)
{
	return leaves && event->kind == TRACE_ROW_EVENT && is_entry(leaves, event) &&
	       neighbour(leaves, event, true, exit) && is_leaf(leaves, event, exit);
}

bool leaf_calls_entry(struct leaf_calls *leaves, const struct trace_event *event,
		      struct trace_event *entry)
{
	return leaves && event->kind == TRACE_ROW_EVENT && event->type &&
	       event->type == types_of(leaves, event->file)->exit &&
	       neighbour(leaves, event, false, entry) && is_entry(leaves, entry) &&
	       is_leaf(leaves, entry, event);
}
