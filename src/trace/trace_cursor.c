/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_cursor - the rows of all streams in one order, both ways.
 *
 * Each stream has a cursor of its own; a loser tree finds the one whose next row comes first.  The
 * order is that of trace-cmd's merge: the smallest key; with equal keys the lower stream, which
 * means the earlier file, the top buffer, the lower CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/base/merge.h"
#include "src/trace/trace_private.h"

#define MANY_LANES	1024u		/* of so many, only those whose rows come have pages */

enum direction { NOWHERE, FORWARD, BACKWARD };

struct cursor_lane {			/* one stream */
	unsigned int	 stream;
	bool		 valid;		/* row holds the next row, and cursor has stepped over it */
	bool		 on_way;	/* only a bound of its next row is known */
	uint64_t	 bound;
	struct cursor	 cursor;
	struct cursor_row row;
};

struct trace_cursor {
	struct trace		*trace;		/* borrowed */
	unsigned int		 nr;
	struct cursor_lane	*lanes;		/* owned, [nr] */
	struct merge		 merge;		/* merges the lanes; going backwards, keys are
						   inverted, so that the least is always next */
	enum direction		 direction;
	bool			 taken;		/* the winner's row was returned:
						   step over it first */
	unsigned int		 only;		/* stream, or TRACE_ALL_STREAMS */
	bool			*streams;	/* owned, [nr_streams]; NULL = all */
	struct trace_sieve	 sieve;		/* step NULL: none */
	bool			 later;		/* the last move ran out of time */
	struct cursor_source	*own;		/* owned, with its cache and reader: of a worker's;
						   NULL: those of the main thread */
};

/* --- rows to events ---------------------------------------------------------------- */

void trace_init_cursor(struct trace *trace, unsigned int nr, struct cursor *cursor)
{
	struct trace_stream *stream = &trace->streams[nr];

	cursor_init(cursor, &trace->sources[stream->source].own->cursor_source, stream->number,
		    &stream->index);
}

struct cursor *trace_probe(struct trace *trace, unsigned int nr)
{
	if (trace->probe_stream != nr) {
		cursor_fini(&trace->probe);
		trace_init_cursor(trace, nr, &trace->probe);
		trace->probe.borrow = true;
		trace->probe_stream = nr;
	}
	/* other look-ups may have pushed its page out of the cache */
	trace->probe.loaded = false;
	return &trace->probe;
}

static void fill_record(const struct trace *trace, const struct trace_stream *stream,
			const struct cursor_row *row, struct trace_event *event)
{
	const struct trace_source *source = &trace->sources[stream->source];
	const struct common_layout *common = &source->kinds.common;
	bool swap = stream->layout->swap;

	event->kind = TRACE_ROW_EVENT;
	event->data = row->data;
	event->size = row->size;
	event->room = row->room;
	event->in_page = row->in_page;
	event->first_in_page = row->first_in_page;
	event->swap = swap;
	event->is_line = source->is_lines;
	event->lazy_resched = source->lazy_resched;
	event->type_id = (uint16_t)field_load(row->data, row->size, common->type_offset,
					      common->type_size, swap);
	event->pid = (int)field_load(row->data, row->size, common->pid_offset, common->pid_size,
				     swap);
	event->flags = field_load(row->data, row->size, common->flags_offset, common->flags_size,
				  swap);
	event->preempt_count = field_load(row->data, row->size, common->preempt_offset,
					  common->preempt_size, swap);
	event->type = event_types_find(source->types, event->type_id);
}

/* The time of the row before a gap. */
static void find_gap(struct trace *trace, struct cursor *probe, const struct cursor_row *row,
		     struct trace_event *event)
{
	const struct trace_stream *stream = &trace->streams[event->stream];
	struct cursor_row before;
	int64_t last;

	cursor_seek(probe, row->page, CURSOR_LOST);
	event->gap_is_start = !cursor_prev(probe, &before);
	if (!event->gap_is_start)
		event->gap_from = trace_clock_ts(&stream->clock, before.ts);
	else if (!trace_span(trace, &event->gap_from, &last))
		event->gap_from = event->ts;
}

static void fill_event(struct trace *trace, unsigned int nr, const struct cursor_row *row,
		       struct trace_event *event)
{
	const struct trace_stream *stream = &trace->streams[nr];

	*event = (struct trace_event){
		.ref = trace_ref_make(nr, row->page, row->item),
		.ts = trace_clock_ts(&stream->clock, row->ts),
		.key = trace_clock_key(&stream->clock, row->key), .raw_ts = row->ts, .stream = nr,
		.file = stream->source, .buffer = stream->buffer, .cpu = stream->cpu, .pid = -1,
		.type_id = -1,
	};
	if (row->item == CURSOR_LOST) {
		event->kind = TRACE_ROW_LOST;
		event->lost_known = row->lost_known;
		event->lost_count = row->lost_count;
		event->gap_from = event->gap_to = event->ts;
	} else if (row->item == CURSOR_DAMAGE) {
		event->kind = TRACE_ROW_DAMAGE;
		event->damage_offset = row->damage_offset +
				       page_cache_offset(trace->sources[stream->source].own->cache,
							 stream->number, row->page);
	} else {
		fill_record(trace, stream, row, event);
	}
}

bool trace_event_at(struct trace *trace, trace_ref ref, struct trace_event *event)
{
	unsigned int nr = trace_ref_stream(ref);
	struct cursor_row row;

	if (ref == TRACE_REF_NONE || nr >= trace->nr_streams)
		return false;
	if (trace->at_stream != nr) {
		cursor_fini(&trace->at);
		trace_init_cursor(trace, nr, &trace->at);
		trace->at_stream = nr;
	}
	cursor_seek(&trace->at, trace_ref_page(ref), trace_ref_item(ref));
	if (!cursor_next(&trace->at, &row) || row.page != trace_ref_page(ref) ||
	    row.item != trace_ref_item(ref))
		return false;
	trace_fill_event(trace, nr, &row, event);
	return true;
}

/* --- the order ------------------------------------------------------------------ */

bool trace_next_bound(const struct trace *trace, unsigned int nr, const struct cursor *cursor,
		      uint64_t *key)
{
	const struct trace_stream *stream = &trace->streams[nr];
	const struct page_index *index = &stream->index;

	if (cursor->loaded || cursor->item != CURSOR_LOST || cursor->page < page_index_start(index))
		return false;
	if (cursor->page < page_index_pages(index)) {
		*key = page_index_first(index, cursor->page);
		return true;
	}
	*key = stream->first_key;
	return !cursor->page && *key;
}

/* Update the head of a lane. */
static void set_head(struct trace_cursor *c, uint32_t i)
{
	const struct cursor_lane *lane = &c->lanes[i];
	int64_t key;

	if (!lane->valid && !lane->on_way) {
		merge_end(&c->merge, i);
		return;
	}
	key = trace_clock_key(&c->trace->streams[lane->stream].clock,
			      lane->valid ? lane->row.key : lane->bound);
	if (c->direction == FORWARD)
		merge_set(&c->merge, i, key, i);
	else
		merge_set(&c->merge, i, ~key, c->nr - 1 - i);
}

/* A lane has come to a row that is not settled: it ends before it, for now. */
static void stop_lane(struct trace_cursor *c, struct cursor_lane *lane)
{
	const struct trace_clock *clock = &c->trace->streams[lane->stream].clock;
	int64_t end = trace_end(c->trace);

	if (end == INT64_MAX || c->direction != FORWARD)
		return;
	if (lane->valid && trace_clock_key(clock, lane->row.key) >= end) {
		lane->valid = false;
		cursor_prev(&lane->cursor, &lane->row);
	}
	lane->on_way = lane->on_way && trace_clock_key(clock, lane->bound) < end;
}

/* Advance a lane by one row, in the cursor's direction. */
static void step_lane(struct trace_cursor *c, uint32_t i)
{
	struct cursor_lane *lane = &c->lanes[i];

	if (c->sieve.step) {
		enum trace_step step = c->sieve.step(c->sieve.arg, lane->stream, &lane->cursor,
						     c->direction == FORWARD, lane->valid,
						     &lane->row, &lane->bound);

		lane->valid = step == TRACE_STEP_ROW;
		lane->on_way = step == TRACE_STEP_ON;
	} else if (!lane->on_way && c->direction == FORWARD &&
		   trace_next_bound(c->trace, lane->stream, &lane->cursor, &lane->bound)) {
		lane->on_way = true;
		lane->valid = false;
	} else {
		lane->on_way = false;
		lane->valid = c->direction == FORWARD ? cursor_next(&lane->cursor, &lane->row) :
							cursor_prev(&lane->cursor, &lane->row);
	}
	stop_lane(c, lane);
	set_head(c, i);
}

/* Its next row is read again when it comes: until then only its key is needed. */
static void rest_lane(struct trace_cursor *c, uint32_t i)
{
	struct cursor_lane *lane = &c->lanes[i];

	if (c->nr < MANY_LANES || c->sieve.step || !lane->valid ||
	    !cursor_rest(&lane->cursor, &lane->row, c->direction == FORWARD))
		return;
	lane->bound = lane->row.key;
	lane->valid = false;
	lane->on_way = true;
}

/*
 * Set the direction. Lanes that have read their next row step back over it, except the winner if
 * its row was returned: the cursor has passed that row.
 */
static void set_direction(struct trace_cursor *c, enum direction direction)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		struct cursor_lane *lane = &c->lanes[i];

		if (!lane->valid || (c->taken && i == merge_first(&c->merge)))
			continue;
		if (c->direction == FORWARD)
			cursor_prev(&lane->cursor, &lane->row);
		else if (c->direction == BACKWARD)
			cursor_next(&lane->cursor, &lane->row);
	}
	c->taken = false;
	c->direction = direction;
	for (uint32_t i = 0; i < c->nr; i++)
		c->lanes[i].valid = c->lanes[i].on_way = false;
	if (direction == NOWHERE)
		return;
	for (uint32_t i = 0; i < c->nr; i++) {
		step_lane(c, i);
		rest_lane(c, i);
	}
	merge_begin(&c->merge);
}

/* Step the first lane on. */
static void step_first(struct trace_cursor *c)
{
	uint32_t first = merge_first(&c->merge);

	step_lane(c, first);
	merge_replay(&c->merge);
}

/* The lane with the next row; NULL if there is none, or no time. */
static struct cursor_lane *move_lanes(struct trace_cursor *c, enum direction direction)
{
	struct cursor_lane *lane;

	if (!c->nr)
		return NULL;
	if (c->direction != direction)
		set_direction(c, direction);
	else if (c->taken)
		step_first(c);
	c->taken = c->later = false;
	while (c->lanes[merge_first(&c->merge)].on_way) {
		if (c->sieve.step && !c->sieve.has_time(c->sieve.arg)) {
			c->later = true;
			return NULL;
		}
		step_first(c);
	}
	lane = &c->lanes[merge_first(&c->merge)];
	if (!lane->valid) {
		c->direction = NOWHERE;		/* rows may be added before the next call */
		return NULL;
	}
	c->taken = true;
	return lane;
}

/* With nothing of the main thread's. */
static void fill_in_worker(struct trace_cursor *c, const struct cursor_lane *lane,
			   struct trace_event *event)
{
	struct trace_stream *stream = &c->trace->streams[lane->stream];
	struct cursor probe;

	fill_event(c->trace, lane->stream, &lane->row, event);
	if (event->kind != TRACE_ROW_LOST)
		return;
	cursor_init(&probe, c->own, stream->number, &stream->index);
	find_gap(c->trace, &probe, &lane->row, event);
	cursor_fini(&probe);
}

static bool fill(struct trace_cursor *c, const struct cursor_lane *lane, struct trace_event *event)
{
	if (lane && c->own)
		fill_in_worker(c, lane, event);
	else if (lane)
		trace_fill_event(c->trace, lane->stream, &lane->row, event);
	return lane != NULL;
}

bool trace_cursor_next(struct trace_cursor *cursor, struct trace_event *event)
{
	return fill(cursor, move_lanes(cursor, FORWARD), event);
}

bool trace_cursor_prev(struct trace_cursor *cursor, struct trace_event *event)
{
	return fill(cursor, move_lanes(cursor, BACKWARD), event);
}

const struct cursor_row *trace_cursor_next_row(struct trace_cursor *cursor)
{
	const struct cursor_lane *lane = move_lanes(cursor, FORWARD);

	return lane ? &lane->row : NULL;
}

void trace_fill_event(struct trace *trace, unsigned int nr, const struct cursor_row *row,
		      struct trace_event *event)
{
	fill_event(trace, nr, row, event);
	if (event->kind == TRACE_ROW_LOST)
		find_gap(trace, trace_probe(trace, nr), row, event);
}

void trace_cursor_keep(struct trace_cursor *cursor, const struct cursor_keeper *keeper)
{
	for (unsigned int i = 0; i < cursor->nr; i++)
		cursor->lanes[i].cursor.keeper = keeper;
}

bool trace_cursor_is_later(const struct trace_cursor *cursor)
{
	return cursor->later;
}

/* --- a cursor's life ------------------------------------------------------------------- */

static void free_lanes(struct trace_cursor *c)
{
	for (unsigned int i = 0; i < c->nr; i++)
		cursor_fini(&c->lanes[i].cursor);
	free(c->lanes);
	merge_fini(&c->merge);
	c->lanes = NULL;
	c->nr = 0;
}

static bool is_wanted(const struct trace_cursor *c, unsigned int nr)
{
	return (!c->streams || c->streams[nr]) &&
	       (trace_end(c->trace) != INT64_MAX ||
		trace_stream_pages(c->trace, &c->trace->streams[nr]) > 0);
}

static void init_lane(struct trace_cursor *c, struct cursor_lane *lane)
{
	struct trace_stream *stream = &c->trace->streams[lane->stream];

	if (c->own)
		cursor_init(&lane->cursor, c->own, stream->number, &stream->index);
	else
		trace_init_cursor(c->trace, lane->stream, &lane->cursor);
}

/* Make lanes for the streams that have rows. */
static void make_lanes(struct trace_cursor *c)
{
	struct trace *trace = c->trace;
	unsigned int first = c->only == TRACE_ALL_STREAMS ? 0 : c->only, nr = 0,
		     end = c->only == TRACE_ALL_STREAMS ? trace->nr_streams : c->only + 1;

	free_lanes(c);
	for (unsigned int i = first; i < end; i++)
		nr += is_wanted(c, i);
	c->lanes = mem_array(nr, sizeof(*c->lanes));
	merge_init(&c->merge, nr);
	for (unsigned int i = first; i < end && c->nr < nr; i++) {
		if (!is_wanted(c, i))
			continue;
		c->lanes[c->nr].stream = i;
		init_lane(c, &c->lanes[c->nr++]);
	}
	c->direction = NOWHERE;
	c->taken = c->later = false;
}

struct trace_cursor *trace_cursor_of_stream(struct trace *trace, unsigned int stream)
{
	struct trace_cursor *c = mem_alloc(sizeof(*c));

	c->trace = trace;
	c->only = stream;
	make_lanes(c);
	return c;
}

struct trace_cursor *trace_cursor_of_worker(struct trace *trace, unsigned int stream)
{
	unsigned int file = stream == TRACE_ALL_STREAMS ? 0 : trace->streams[stream].source;
	const struct cursor_source *source = &trace->sources[file].own->cursor_source;
	struct trace_cursor *c = mem_alloc(sizeof(*c));

	c->own = mem_alloc(sizeof(*c->own));
	*c->own = (struct cursor_source){
		.file = source->file, .cache = page_cache_new(source->file, 0),
		.reader = page_reader_new(source->file, source->window_bytes),
		.window_bytes = source->window_bytes,
	};
	c->trace = trace;
	c->only = stream;
	make_lanes(c);
	return c;
}

struct trace_cursor *trace_cursor_new(struct trace *trace)
{
	return trace_cursor_of_stream(trace, TRACE_ALL_STREAMS);
}

void trace_cursor_free(struct trace_cursor *c)
{
	if (!c)
		return;
	free_lanes(c);
	if (c->own) {
		page_cache_free(c->own->cache);
		page_reader_free(c->own->reader);
	}
	free(c->own);
	free(c->streams);
	free(c);
}

void trace_cursor_only_streams(struct trace_cursor *c, const bool *streams, unsigned int nr)
{
	free(c->streams);
	c->streams = NULL;
	if (streams) {
		c->streams = mem_array(c->trace->nr_streams, sizeof(*c->streams));
		memcpy(c->streams, streams,
		       (nr < c->trace->nr_streams ? nr : c->trace->nr_streams) * sizeof(*streams));
	}
	make_lanes(c);
}

void trace_cursor_set_sieve(struct trace_cursor *c, const struct trace_sieve *sieve)
{
	c->sieve = sieve ? *sieve : (struct trace_sieve){ 0 };
	make_lanes(c);
}

void trace_seek_stream(struct trace *trace, unsigned int nr, struct cursor *cursor, int64_t ts,
		       bool behind)
{
	const struct trace_stream *stream = &trace->streams[nr];
	int64_t end = trace_end(trace);
	bool above;
	uint64_t raw = 0;

	if (ts >= end) {		/* what is behind it is not settled */
		ts = end;
		behind = behind && end == INT64_MAX;
	}
	above = behind && ts == INT64_MAX;
	if (!above)
		raw = trace_clock_bound(&stream->clock, ts + behind, &above);
	if (above)
		cursor_seek_end(cursor);
	else if (raw <= stream->first_key && !page_index_start(&stream->index))
		cursor_seek(cursor, 0, CURSOR_LOST);
	else
		cursor_seek_key(cursor, raw);
}

void trace_seek_stream_near(struct trace *trace, unsigned int nr, struct cursor *cursor, int64_t ts)
{
	int64_t end = trace_end(trace);
	bool above;
	uint64_t raw = trace_clock_bound(&trace->streams[nr].clock, ts < end ? ts : end, &above);

	if (above)
		cursor_seek_end(cursor);
	else
		cursor_seek_near(cursor, raw);
}

/* Put a lane at a time, as trace_seek_stream(). */
static void seek_lane(struct trace_cursor *c, struct cursor_lane *lane, int64_t ts, bool behind)
{
	trace_seek_stream(c->trace, lane->stream, &lane->cursor, ts, behind);
	if (c->nr >= MANY_LANES)
		cursor_release(&lane->cursor);
}

static void forget_heads(struct trace_cursor *c)
{
	c->direction = NOWHERE;
	c->taken = c->later = false;
	for (uint32_t i = 0; i < c->nr; i++)
		c->lanes[i].valid = c->lanes[i].on_way = false;
}

void trace_cursor_seek(struct trace_cursor *c, trace_ref ref)
{
	struct trace_event event;

	forget_heads(c);
	if (c->own && c->nr) {
		cursor_seek(&c->lanes[0].cursor, trace_ref_page(ref), trace_ref_item(ref));
		return;
	}
	if (trace_is_dropped(c->trace, ref)) {
		trace_cursor_seek_time(c, INT64_MIN);
		return;
	}
	if (ref == TRACE_REF_NONE || !trace_event_at(c->trace, ref, &event)) {
		for (uint32_t i = 0; i < c->nr; i++)
			seek_lane(c, &c->lanes[i], INT64_MAX, true);
		return;
	}
	for (uint32_t i = 0; i < c->nr; i++) {
		struct cursor_lane *lane = &c->lanes[i];

		if (lane->stream == event.stream)
			cursor_seek(&lane->cursor, trace_ref_page(ref), trace_ref_item(ref));
		else
			seek_lane(c, lane, event.key, lane->stream < event.stream);
	}
}

void trace_cursor_seek_time(struct trace_cursor *c, int64_t ts)
{
	forget_heads(c);
	for (uint32_t i = 0; i < c->nr; i++)
		seek_lane(c, &c->lanes[i], ts, false);
}
