/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_order.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/merge.h"

#define LANE_RECORDS	128u		/* decoded at once */

struct order_lane {
	struct cursor		cursor;
	struct trace_cursor	*some;		/* owned: used instead, if only matches are read;
						 * or NULL */
	const struct trace_clock *clock;	/* borrowed */
	struct cursor_record	*records;	/* owned, [LANE_RECORDS]; NULL until needed */
	unsigned int		nr, at;		/* number of records; the next one */
	bool			ended;
	struct report_event	head;
	bool			lost;		/* a row of lost events was read, for the next
						 * record of this page */
	uint64_t		lost_page;
};

struct report_order {
	struct trace	*trace;		/* borrowed */
	struct report_skipper skipper;
	unsigned int	nr;
	struct order_lane *lanes;	/* owned, [nr] */
	struct merge	merge;		/* merges the lanes by time */
	uint64_t	damaged;	/* damaged sub-buffers */
	/* The record that was returned last */
	bool		given;		/* it is still the head of its lane */
	bool		peeked;		/* the next record of its lane was read, so it may no
					 * longer precede another lane's */
	unsigned int	lane;
	struct report_event current;	/* a copy of that record, after the next one of its lane
					 * was read */
};

/* --- lanes --------------------------------------------------------------- */

static inline void take_row(struct order_lane *lane, const struct cursor_row *row)
{
	lane->head.ts = trace_clock_ts(lane->clock, row->ts);
	lane->head.lost = lane->lost && row->page == lane->lost_page;
	lane->lost = false;
}

static inline void take_record(struct order_lane *lane)
{
	const struct cursor_record *rec = &lane->records[lane->at];
	struct cursor_row *row = &lane->head.row;

	lane->at++;
	row->item = rec->item;
	row->data = lane->cursor.bytes + rec->data;
	row->size = rec->size;
	row->room = lane->cursor.len - rec->data;
	row->in_page = rec->data;
	row->ts = rec->ts;
	row->key = rec->key;
	row->first_in_page = rec->offset == lane->cursor.layout->data_offset;
	take_row(lane, row);
}

static void sift(struct report_order *o, struct order_lane *lane)
{
	if (o->skipper.sift)
		lane->nr = o->skipper.sift(o->skipper.arg, lane->head.lane, lane->cursor.bytes,
					   lane->cursor.len, lane->records, lane->nr);
}

/* Advance to the next record; a row of lost events is kept for the record after it. */
static bool read_rows(struct report_order *o, struct order_lane *lane)
{
	struct cursor_row *row = &lane->head.row;

	if (!lane->records)
		lane->records = mem_array(LANE_RECORDS, sizeof(*lane->records));
	for (;;) {
		lane->at = 0;
		lane->nr = cursor_next_records(&lane->cursor, lane->records, LANE_RECORDS);
		if (lane->nr) {
			row->page = lane->cursor.page;
			sift(o, lane);
			take_record(lane);
			return true;
		}
		if (!cursor_next(&lane->cursor, row))
			return false;
		if (row->item == CURSOR_LOST) {
			lane->lost = true;
			lane->lost_page = row->page;
			lane->head.lost_known = row->lost_known;
			lane->head.lost_count = row->lost_count;
		} else if (row->item == CURSOR_DAMAGE) {
			o->damaged++;
		} else {
			take_row(lane, row);
			return true;
		}
	}
}

/* In a lane that only reads matches: look for lost events before the first record of a page. */
static void look_for_loss(struct report_order *o, struct order_lane *lane)
{
	const struct cursor_row *row = &lane->head.row;
	struct trace_event lost;

	if (row->item != 1 ||
	    !trace_event_at(o->trace, trace_ref_make(lane->head.stream, row->page, 0), &lost) ||
	    lost.kind != TRACE_ROW_LOST)
		return;
	lane->lost = true;
	lane->lost_page = row->page;
	lane->head.lost_known = lost.lost_known;
	lane->head.lost_count = lost.lost_count;
}

static bool read_match(struct report_order *o, struct order_lane *lane)
{
	const struct cursor_row *row;

	while ((row = trace_cursor_next_row(lane->some))) {
		if (row->item == CURSOR_DAMAGE)
			o->damaged++;
		if (row->item == CURSOR_DAMAGE || row->item == CURSOR_LOST)
			continue;
		lane->head.row = *row;
		look_for_loss(o, lane);
		take_row(lane, row);
		return true;
	}
	return false;
}

static inline bool read_record(struct report_order *o, struct order_lane *lane)
{
	if (lane->ended)
		return false;
	if (lane->at < lane->nr) {
		take_record(lane);
		return true;
	}
	lane->ended = lane->some ? !read_match(o, lane) : !read_rows(o, lane);
	return !lane->ended;
}

static void open_lane(struct report_order *o, struct order_lane *lane,
		      const struct report_lane *from, const struct cursor_keeper *keeper)
{
	struct trace_event event;

	if (from->matches) {
		lane->some = trace_cursor_of_stream(o->trace, from->stream);
		trace_cursor_matches_and_stacks(lane->some, from->matches);
		trace_cursor_keep(lane->some, keeper);
		if (from->by_time)
			trace_cursor_seek_time(lane->some, from->time);
		else
			trace_cursor_seek(lane->some, from->start);
		return;
	}
	trace_init_cursor(o->trace, from->stream, &lane->cursor);
	lane->cursor.keeper = keeper;
	if (from->by_time)
		trace_seek_stream(o->trace, from->stream, &lane->cursor, from->time, false);
	else if (trace_event_at(o->trace, from->start, &event))
		cursor_seek(&lane->cursor, trace_ref_page(from->start),
			    trace_ref_item(from->start));
	else
		cursor_seek_end(&lane->cursor);
}

/* --- by time --------------------------------------------------------------- */

/* Times are compared without a sign: what is below 0 comes last. */
static inline int64_t key_of_time(uint64_t ts)
{
	return (int64_t)(ts ^ UINT64_C(1) << 63);
}

static inline uint64_t time_of_key(int64_t key)
{
	return (uint64_t)key ^ UINT64_C(1) << 63;
}

static inline void step_lane(struct report_order *o, uint32_t i)
{
	if (read_record(o, &o->lanes[i]))
		merge_set(&o->merge, i, key_of_time((uint64_t)o->lanes[i].head.ts), i);
	else
		merge_end(&o->merge, i);
}

/* Find the lane with the next record. */
static inline struct order_lane *find_winner(struct report_order *o)
{
	if (o->given)
		step_lane(o, o->lane);
	if (o->given || o->peeked)
		merge_replay(&o->merge);
	o->given = o->peeked = false;
	o->lane = merge_first(&o->merge);
	return &o->lanes[o->lane];
}

static const struct report_event *next_by_time(struct report_order *o)
{
	struct order_lane *lane = find_winner(o);

	o->given = !lane->ended;
	return lane->ended ? NULL : &lane->head;
}

bool report_order_run(struct report_order *o, struct report_run *run)
{
	struct order_lane *lane;
	uint64_t limit;
	unsigned int end;

	if (!o->nr || o->skipper.skips)
		return false;
	lane = find_winner(o);
	if (lane->ended || !lane->at || lane->head.lost)
		return false;
	limit = time_of_key(merge_second(&o->merge).key);
	for (end = lane->at; end < lane->nr; end++)
		if ((uint64_t)trace_clock_ts(lane->clock, lane->records[end].ts) >= limit)
			break;
	*run = (struct report_run){ .lane = o->lane, .clock = lane->clock,
				    .page = lane->cursor.bytes, .len = lane->cursor.len,
				    .records = &lane->records[lane->at - 1],
				    .nr = end - (lane->at - 1) };
	return true;
}

void report_order_take(struct report_order *o, unsigned int nr)
{
	if (!nr)
		return;
	o->given = true;		/* it was the last one; nobody looks at its head */
	o->lanes[o->lane].at += nr - 1;
}

/* --- what is not wanted -------------------------------------------------------- */

static bool is_skipped(const struct report_order *o, const struct report_event *event)
{
	return o->skipper.skips(o->skipper.arg, event->lane, &event->row, event->ts);
}

/* Skip records of the lane while no other lane's record comes in between. */
static void skip_records(struct report_order *o, struct order_lane *lane)
{
	uint64_t limit = time_of_key(merge_second(&o->merge).key);

	while (lane->at < lane->nr) {
		uint64_t ts = (uint64_t)trace_clock_ts(lane->clock, lane->records[lane->at].ts);

		if (ts >= limit)
			return;
		take_record(lane);
		if (!is_skipped(o, &lane->head)) {
			lane->at--;
			return;
		}
	}
}

static const struct report_event *next_wanted(struct report_order *o)
{
	const struct report_event *event;

	while ((event = next_by_time(o))) {
		struct order_lane *lane = &o->lanes[o->lane];

		lane->head.skipped = is_skipped(o, event);
		if (!lane->head.skipped)
			return event;
		skip_records(o, lane);
		if (lane->at == lane->nr)
			return event;
	}
	return NULL;
}

/* --- the next record of the same CPU ------------------------------------------- */

const struct report_event *report_order_peek(struct report_order *o,
					     const struct report_event **current)
{
	struct order_lane *lane = &o->lanes[o->lane];

	if (o->given) {
		o->current = lane->head;
		step_lane(o, o->lane);
		o->given = false;
		o->peeked = true;
	}
	*current = &o->current;
	return lane->ended ? NULL : &lane->head;
}

void report_order_consume(struct report_order *o)
{
	o->given = true;
}

/* --- all ---------------------------------------------------------------------- */

const struct report_event *report_order_next(struct report_order *o)
{
	if (!o->nr)
		return NULL;
	return o->skipper.skips ? next_wanted(o) : next_by_time(o);
}

void report_order_skip_no_more(struct report_order *o)
{
	o->skipper = (struct report_skipper){ .skips = NULL };
}

void report_order_end_lane(struct report_order *o)
{
	struct order_lane *lane = &o->lanes[o->lane];

	lane->ended = true;
	lane->at = lane->nr;
}

struct report_order *report_order_new(struct trace *trace, const struct report_lane *lanes,
				      unsigned int nr, const struct cursor_keeper *keeper,
				      const struct report_skipper *skipper)
{
	struct report_order *o = mem_alloc(sizeof(*o));

	o->trace = trace;
	o->skipper = *skipper;
	o->nr = nr;
	o->lanes = mem_array(nr, sizeof(*o->lanes));
	merge_init(&o->merge, nr);
	for (unsigned int i = 0; i < nr; i++) {
		struct order_lane *lane = &o->lanes[i];

		lane->clock = &trace_stream_at(trace, lanes[i].stream)->clock;
		lane->head.stream = lanes[i].stream;
		lane->head.handle = lanes[i].handle;
		lane->head.lane = i;
		lane->ended = !lanes[i].by_time && lanes[i].start == TRACE_REF_NONE;
		if (!lane->ended)
			open_lane(o, lane, &lanes[i], keeper);
		step_lane(o, i);
	}
	merge_begin(&o->merge);
	return o;
}

void report_order_free(struct report_order *o)
{
	if (!o)
		return;
	for (unsigned int i = 0; i < o->nr; i++) {
		cursor_fini(&o->lanes[i].cursor);
		trace_cursor_free(o->lanes[i].some);
		free(o->lanes[i].records);
	}
	free(o->lanes);
	merge_fini(&o->merge);
	free(o);
}

uint64_t report_order_damaged(const struct report_order *o)
{
	return o->damaged;
}

void report_order_event(const struct report_order *o, const struct report_event *record,
			struct trace_event *event)
{
	trace_fill_event(o->trace, record->stream, &record->row, event);
}
