/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_order.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

/*
 * trace-cmd's iteration over all CPUs holds a pointer to each CPU's next record
 * (a slot).  A leaf's exit that is read behind its back, for the text of the entry,
 * leaves the slot of its CPU pointing to freed memory; in place of its time stamp
 * lies malloc's link to the next free piece.  The piece is used again for a later
 * record, whose time the slot then seems to have.  Whichever CPU the slot makes it
 * choose, it reads that CPU's true next record.
 *
 * Pieces of memory are taken last in, first out, as malloc does.  The link of a
 * piece freed when no other was free is its own address / 4096: about 23 s as a
 * time stamp; with another one free, the link is an address of the heap.
 */
#define LINK_ALONE	UINT64_C(0x55f000000)
#define LINK_OTHERS	UINT64_C(0x555500000000)
#define NO_PIECE	UINT32_MAX
#define LANE_RECORDS	128u		/* decoded at once */

struct lane {
	struct cursor		cursor;
	struct trace_cursor	*some;		/* owned: instead, from match to match; or NULL */
	const struct trace_clock *clock;	/* borrowed */
	struct cursor_record	*records;	/* owned, [LANE_RECORDS]; NULL until needed */
	unsigned int		nr, at;		/* of them */
	struct cursor_place	place;		/* before them, if they are sifted */
	bool			sifted, sifted_lost;
	bool			peeked;		/* head holds the next record */
	bool			ended;
	uint32_t		piece;		/* of the head, where peeked */
	struct report_event	head;
	bool			lost;		/* a row of lost events was read: it is for the next record of this page */
	uint64_t		lost_page;
};

struct report_order {
	struct trace	*trace;		/* borrowed */
	struct report_skipper skipper;
	unsigned int	nr;
	struct lane	*lanes;		/* owned, [nr] */
	uint64_t	*slot_ts;	/* owned, [nr]: time stamp of each lane's next record; UINT64_MAX where there is none */
	uint64_t	damaged;	/* sub-buffers */
	/* the record that was given out last */
	bool		given;
	unsigned int	lane;
	/* by time, until there is a leaf to look for: a tree of losers, [0] is the winner */
	uint32_t	*losers;	/* owned, [nr] */
	uint32_t	nr_begun;	/* lanes that had any record */
	/* from then on memory is simulated */
	bool		peeks;
	uint32_t	*slots;		/* owned, [nr]: piece of each lane's next record, or NO_PIECE */
	uint64_t	*piece_ts;	/* owned, [nr_pieces] */
	uint32_t	*free_pieces;	/* owned, stack */
	uint32_t	nr_pieces, cap_pieces, nr_free, cap_free;
	bool		stale;		/* a slot may differ from its lane's head */
	uint32_t	piece;		/* of the record given out */
	struct report_event current;	/* that record */
	int		peeked_lane;	/* of report_order_peek(), -1 = none */
};

/* --- pieces of memory ---------------------------------------------------- */

static uint32_t take_piece(struct report_order *o, uint64_t ts)
{
	uint32_t piece;

	if (o->nr_free) {
		piece = o->free_pieces[--o->nr_free];
	} else {
		mem_grow(&o->piece_ts, o->nr_pieces, &o->cap_pieces);
		piece = o->nr_pieces++;
	}
	o->piece_ts[piece] = ts;
	return piece;
}

static void drop_piece(struct report_order *o, uint32_t piece)
{
	o->piece_ts[piece] = o->nr_free ? LINK_OTHERS : LINK_ALONE;
	mem_grow(&o->free_pieces, o->nr_free, &o->cap_free);
	o->free_pieces[o->nr_free++] = piece;
}

static void set_slot(struct report_order *o, unsigned int lane, uint32_t piece)
{
	o->slots[lane] = piece;
	o->slot_ts[lane] = piece == NO_PIECE ? UINT64_MAX : o->piece_ts[piece];
}

/* --- lanes --------------------------------------------------------------- */

static inline void take_row(struct lane *lane, const struct cursor_row *row)
{
	lane->head.ts = trace_clock_ts(lane->clock, row->ts);
	lane->head.lost = lane->lost && row->page == lane->lost_page;
	lane->lost = false;
}

static inline void take_record(struct lane *lane)
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

static void sift(struct report_order *o, struct lane *lane)
{
	uint32_t first = lane->records[0].item;

	lane->sifted = o->skipper.sift && !o->peeks;
	if (!lane->sifted)
		return;
	lane->sifted_lost = lane->lost;
	lane->nr = o->skipper.sift(o->skipper.args[lane->head.lane], lane->cursor.bytes, lane->cursor.len, lane->records, lane->nr);
	if (lane->records[0].item != first)	/* what was lost before that one was before no other */
		lane->lost = false;
}

/* Go on to the next record; rows of lost events are kept for the record they stand before. */
static bool read_rows(struct report_order *o, struct lane *lane)
{
	struct cursor_row *row = &lane->head.row;

	if (!lane->records)
		lane->records = mem_array(LANE_RECORDS, sizeof(*lane->records));
	for (;;) {
		lane->at = 0;
		lane->sifted = false;
		lane->place = cursor_place(&lane->cursor);
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

/* Of a lane that goes from match to match: what was lost before the record stands before the first of its page. */
static void look_for_loss(struct report_order *o, struct lane *lane)
{
	const struct cursor_row *row = &lane->head.row;
	struct trace_event lost;

	if (row->item != 1 || !trace_event_at(o->trace, trace_ref_make(lane->head.stream, row->page, 0), &lost) ||
	    lost.kind != TRACE_ROW_LOST)
		return;
	lane->lost = true;
	lane->lost_page = row->page;
	lane->head.lost_known = lost.lost_known;
	lane->head.lost_count = lost.lost_count;
}

static bool read_match(struct report_order *o, struct lane *lane)
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

static inline bool read_record(struct report_order *o, struct lane *lane)
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

static void open_lane(struct report_order *o, struct lane *lane, const struct report_lane *from, const struct cursor_keeper *keeper)
{
	struct trace_event event;

	if (from->matches) {
		lane->some = trace_cursor_new(o->trace);
		trace_cursor_only_stream(lane->some, from->stream);
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
		cursor_seek(&lane->cursor, trace_ref_page(from->start), trace_ref_item(from->start));
	else
		cursor_seek_end(&lane->cursor);
}

/* --- by time --------------------------------------------------------------- */

static inline bool is_before(const struct report_order *o, uint32_t a, uint32_t b)
{
	if (o->slot_ts[a] != o->slot_ts[b])
		return o->slot_ts[a] < o->slot_ts[b];
	/* A record at the last of all times still comes before none. */
	return o->lanes[a].ended != o->lanes[b].ended ? o->lanes[b].ended : a < b;
}

/* The next record of lane i has changed: find the winner again. */
static void replay(struct report_order *o, uint32_t i)
{
	uint32_t winner = i;

	for (uint32_t node = (i + o->nr) / 2; node > 0; node /= 2) {
		uint32_t loser = o->losers[node];

		if (is_before(o, loser, winner)) {
			o->losers[node] = winner;
			winner = loser;
		}
	}
	o->losers[0] = winner;
}

/* Play all matches.  Leaves are the nodes nr … 2 nr - 1. */
static uint32_t play(struct report_order *o, uint32_t node)
{
	uint32_t a, b;

	if (node >= o->nr)
		return node - o->nr;
	a = play(o, 2 * node);
	b = play(o, 2 * node + 1);
	o->losers[node] = is_before(o, a, b) ? b : a;
	return is_before(o, a, b) ? a : b;
}

static inline void step_lane(struct report_order *o, uint32_t i)
{
	o->slot_ts[i] = read_record(o, &o->lanes[i]) ? (uint64_t)o->lanes[i].head.ts : UINT64_MAX;
}

/* Find the lane with the next record. */
static inline struct lane *find_winner(struct report_order *o)
{
	if (o->given) {
		step_lane(o, o->lane);
		replay(o, o->lane);
		o->given = false;
	}
	o->lane = o->losers[0];
	return &o->lanes[o->lane];
}

static const struct report_event *next_by_time(struct report_order *o)
{
	struct lane *lane = find_winner(o);

	o->given = !lane->ended;
	return lane->ended ? NULL : &lane->head;
}

/* The time of the next record of any other lane than the winner's. */
static uint64_t second_ts(const struct report_order *o)
{
	uint64_t ts = UINT64_MAX;

	for (uint32_t node = (o->losers[0] + o->nr) / 2; node > 0; node /= 2)
		ts = o->slot_ts[o->losers[node]] < ts ? o->slot_ts[o->losers[node]] : ts;
	return ts;
}

bool report_order_run(struct report_order *o, struct report_run *run)
{
	struct lane *lane;
	uint64_t limit;
	unsigned int end;

	if (!o->nr || o->peeks || o->skipper.skips)
		return false;
	lane = find_winner(o);
	if (lane->ended || !lane->at || lane->head.lost)
		return false;
	limit = second_ts(o);
	for (end = lane->at; end < lane->nr; end++)
		if ((uint64_t)trace_clock_ts(lane->clock, lane->records[end].ts) >= limit)
			break;
	*run = (struct report_run){ .lane = o->lane, .clock = lane->clock, .page = lane->cursor.bytes, .len = lane->cursor.len,
				    .records = &lane->records[lane->at - 1], .nr = end - (lane->at - 1) };
	return true;
}

void report_order_take(struct report_order *o, unsigned int nr)
{
	if (!nr)
		return;
	o->given = true;		/* the last of them; nobody looks at its head */
	o->lanes[o->lane].at += nr - 1;
}

/* --- what is not wanted -------------------------------------------------------- */

/* Go over records of the lane as long as none of another lane comes between. */
static void skip_records(struct report_order *o, struct lane *lane)
{
	uint64_t limit = second_ts(o);

	while (lane->at < lane->nr) {
		uint64_t ts = (uint64_t)trace_clock_ts(lane->clock, lane->records[lane->at].ts);

		if (ts >= limit)
			return;
		take_record(lane);
		if (!o->skipper.skips(o->skipper.args[lane->head.lane], &lane->head.row, lane->head.ts)) {
			lane->at--;
			return;
		}
	}
}

static const struct report_event *next_wanted(struct report_order *o)
{
	const struct report_event *event;

	while ((event = next_by_time(o))) {
		struct lane *lane = &o->lanes[o->lane];

		lane->head.skipped = o->skipper.skips(o->skipper.args[event->lane], &event->row, event->ts);
		if (!lane->head.skipped)
			return event;
		skip_records(o, lane);
		if (lane->at == lane->nr)
			return event;
	}
	return NULL;
}

/* --- as trace-cmd's memory has it ------------------------------------------- */

/* Make sure that the lane's next record is known. */
static bool peek(struct report_order *o, unsigned int i)
{
	struct lane *lane = &o->lanes[i];

	if (lane->peeked)
		return true;
	if (!read_record(o, lane))
		return false;
	lane->peeked = true;
	lane->piece = take_piece(o, (uint64_t)lane->head.ts);
	return true;
}

/* The record given out last is done with: its memory is free, and the slot of its lane is set anew. */
static void finish_current(struct report_order *o)
{
	if (!o->given)
		return;
	o->given = false;
	drop_piece(o, o->piece);
	set_slot(o, o->lane, peek(o, o->lane) ? o->lanes[o->lane].piece : NO_PIECE);
	if (!o->stale)
		return;
	/* What lies in the pieces may have changed under the slots. */
	o->stale = false;
	for (unsigned int i = 0; i < o->nr; i++) {
		if (o->slots[i] == NO_PIECE)
			continue;
		o->slot_ts[i] = o->piece_ts[o->slots[i]];
		if (!o->lanes[i].peeked || o->lanes[i].piece != o->slots[i])
			o->stale = true;
	}
}

static int smallest_slot(const struct report_order *o)
{
	uint64_t ts = UINT64_MAX;
	int best = -1;

	for (unsigned int i = 0; i < o->nr; i++)
		if (o->slot_ts[i] < ts) {
			ts = o->slot_ts[i];
			best = (int)i;
		}
	for (unsigned int i = 0; best < 0 && i < o->nr; i++)	/* a record at the last of all times */
		if (o->slots[i] != NO_PIECE)
			best = (int)i;
	return best;
}

static const struct report_event *next_by_slots(struct report_order *o)
{
	int i;

	finish_current(o);
	o->peeked_lane = -1;
	while ((i = smallest_slot(o)) >= 0) {
		struct lane *lane = &o->lanes[i];

		if (!peek(o, (unsigned int)i)) {	/* a stale slot of a CPU that has no more */
			set_slot(o, (unsigned int)i, NO_PIECE);
			continue;
		}
		lane->peeked = false;
		o->given = true;
		o->lane = (unsigned int)i;
		o->piece = lane->piece;
		o->current = lane->head;
		return &o->current;
	}
	return NULL;
}

/* The current record's place in the order, to tell what comes behind it. */
static bool is_behind_current(const struct report_order *o, uint32_t i, const struct cursor_record *rec)
{
	const struct lane *lane = &o->lanes[i], *current = &o->lanes[o->lane];
	int64_t key = trace_clock_key(lane->clock, rec->key), now = trace_clock_key(current->clock, current->head.row.key);

	if (i == o->lane)
		return rec->item > current->head.row.item;
	return key > now || (key == now && i > o->lane);
}

/* From now on all records count: those behind the current one that were left out come back. */
static void unsift(struct report_order *o, uint32_t i)
{
	struct lane *lane = &o->lanes[i];

	lane->head.skipped = false;
	if (!lane->sifted)
		return;
	lane->sifted = false;
	cursor_return(&lane->cursor, &lane->place);
	lane->nr = cursor_next_records(&lane->cursor, lane->records, LANE_RECORDS);
	for (lane->at = 0; lane->at < lane->nr && !is_behind_current(o, i, &lane->records[lane->at]);)
		lane->at++;
	if (i == o->lane)
		return;
	lane->lost = !lane->at && lane->sifted_lost;
	step_lane(o, i);
}

/*
 * Memory as it would be if it had been simulated from the first record on: up to here each record took the piece of the one
 * before it, and those of lanes that came to their end are free.
 */
static void begin_slots(struct report_order *o)
{
	o->peeks = true;
	for (unsigned int i = 0; i < o->nr; i++)
		unsift(o, i);
	o->current = o->lanes[o->lane].head;
	for (unsigned int i = 0; i < o->nr; i++) {
		struct lane *lane = &o->lanes[i];
		bool is_current = o->given && i == o->lane;

		set_slot(o, i, NO_PIECE);
		if (lane->ended && !is_current)
			continue;
		lane->piece = take_piece(o, (uint64_t)lane->head.ts);
		lane->peeked = !is_current;
		if (is_current)
			o->piece = lane->piece;
		set_slot(o, i, lane->piece);
	}
	while (o->nr_pieces < o->nr_begun) {
		uint32_t piece = o->nr_pieces;

		mem_grow(&o->piece_ts, o->nr_pieces, &o->cap_pieces);
		o->nr_pieces++;
		drop_piece(o, piece);
	}
}

const struct report_event *report_order_peek(struct report_order *o, const struct report_event **current)
{
	int best = -1;

	if (!o->peeks)
		begin_slots(o);
	*current = &o->current;
	for (unsigned int i = 0; i < o->nr; i++) {
		struct lane *lane = &o->lanes[i];

		if (lane->head.handle != o->current.handle || !peek(o, i))
			continue;
		if (best < 0 || (uint64_t)lane->head.ts < (uint64_t)o->lanes[best].head.ts)
			best = (int)i;
	}
	o->peeked_lane = best;
	return best < 0 ? NULL : &o->lanes[best].head;
}

void report_order_consume(struct report_order *o)
{
	struct lane *lane;

	if (o->peeked_lane < 0)
		return;
	lane = &o->lanes[o->peeked_lane];
	lane->peeked = false;
	drop_piece(o, lane->piece);
	if ((unsigned int)o->peeked_lane != o->lane)
		o->stale = true;
	o->peeked_lane = -1;
}

/* --- all ---------------------------------------------------------------------- */

const struct report_event *report_order_next(struct report_order *o)
{
	if (!o->nr)
		return NULL;
	return o->peeks ? next_by_slots(o) : o->skipper.skips ? next_wanted(o) : next_by_time(o);
}

void report_order_skip_no_more(struct report_order *o)
{
	o->skipper = (struct report_skipper){ .skips = NULL };
}

void report_order_end_lane(struct report_order *o)
{
	struct lane *lane = &o->lanes[o->lane];

	lane->ended = true;
	lane->peeked = false;
	lane->at = lane->nr;
}

struct report_order *report_order_new(struct trace *trace, const struct report_lane *lanes, unsigned int nr,
				      const struct cursor_keeper *keeper, const struct report_skipper *skipper)
{
	struct report_order *o = mem_alloc(sizeof(*o));

	o->trace = trace;
	o->skipper = *skipper;
	o->nr = nr;
	o->lanes = mem_array(nr, sizeof(*o->lanes));
	o->slots = mem_array(nr, sizeof(*o->slots));
	o->slot_ts = mem_array(nr, sizeof(*o->slot_ts));
	o->losers = mem_array(nr, sizeof(*o->losers));
	o->peeked_lane = -1;
	for (unsigned int i = 0; i < nr; i++) {
		struct lane *lane = &o->lanes[i];

		lane->clock = &trace->streams[lanes[i].stream].clock;
		lane->head.stream = lanes[i].stream;
		lane->head.handle = lanes[i].handle;
		lane->head.lane = i;
		lane->ended = !lanes[i].by_time && lanes[i].start == TRACE_REF_NONE;
		if (!lane->ended)
			open_lane(o, lane, &lanes[i], keeper);
		step_lane(o, i);
		o->nr_begun += !lane->ended;
	}
	if (nr)
		o->losers[0] = play(o, 1);
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
	free(o->slots);
	free(o->slot_ts);
	free(o->losers);
	free(o->piece_ts);
	free(o->free_pieces);
	free(o);
}

uint64_t report_order_damaged(const struct report_order *o)
{
	return o->damaged;
}

void report_order_event(const struct report_order *o, const struct report_event *record, struct trace_event *event)
{
	trace_fill_event(o->trace, record->stream, &record->row, event);
}
