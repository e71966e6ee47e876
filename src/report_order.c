/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report_order.h"

#include <stdlib.h>
#include <string.h>

#include "src/memory.h"

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
#define COPY_BYTES	256u

struct lane {
	struct trace_cursor	*cursor;	/* owned */
	bool			some;		/* it goes from match to match */
	unsigned int		handle;
	bool			peeked;		/* head holds the next record */
	bool			ended;
	uint32_t		piece;		/* of the head, where peeked */
	struct report_event	head;
	trace_ref		lost_ref;	/* a row of lost events was read, for the records of its page */
	bool			lost_known;
	uint64_t		lost_count;
};

struct report_order {
	struct trace	*trace;		/* borrowed */
	unsigned int	nr;
	struct lane	*lanes;		/* owned, [nr] */
	uint32_t	*slots;		/* owned, [nr]: piece of each lane's next record, or NO_PIECE */
	uint64_t	*slot_ts;	/* owned, [nr]: what lies there as time stamp; UINT64_MAX without a piece */
	uint64_t	*piece_ts;	/* owned, [nr_pieces] */
	uint32_t	*free_pieces;	/* owned, stack */
	uint32_t	nr_pieces, cap_pieces, nr_free, cap_free;
	uint64_t	damaged;	/* sub-buffers */
	bool		stale;		/* a slot may differ from its lane's head */
	/* the record that was given out last */
	bool		given;
	unsigned int	lane;
	uint32_t	piece;
	struct report_event current;
	uint8_t		copy[COPY_BYTES];
	int		peeked_lane;	/* of report_order_peek(), -1 = none */
	uint8_t		*big_copy;	/* owned: a record above COPY_BYTES */
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

/* Of a lane that goes from match to match: what was lost before the record stands before the first of its page. */
static void look_for_loss(struct report_order *o, struct lane *lane)
{
	trace_ref ref = lane->head.event.ref;
	struct trace_event lost;

	lane->head.lost = trace_ref_item(ref) == 1 &&
			  trace_event_at(o->trace, trace_ref_make(trace_ref_stream(ref), trace_ref_page(ref), 0), &lost) &&
			  lost.kind == TRACE_ROW_LOST;
	if (!lane->head.lost)
		return;
	lane->head.lost_known = lost.lost_known;
	lane->head.lost_count = lost.lost_count;
}

/* Read on to the next record; rows of lost events are kept for the record they stand before. */
static bool read_record(struct report_order *o, struct lane *lane)
{
	struct trace_event *event = &lane->head.event;

	while (trace_cursor_next(lane->cursor, event)) {
		if (event->kind == TRACE_ROW_LOST) {
			lane->lost_ref = event->ref;
			lane->lost_known = event->lost_known;
			lane->lost_count = event->lost_count;
		} else if (event->kind == TRACE_ROW_DAMAGE) {
			o->damaged++;
		} else if (event->kind == TRACE_ROW_EVENT && lane->some) {
			look_for_loss(o, lane);
			return true;
		} else if (event->kind == TRACE_ROW_EVENT) {
			lane->head.lost = lane->lost_ref != TRACE_REF_NONE &&
					  trace_ref_page(lane->lost_ref) == trace_ref_page(event->ref);
			lane->head.lost_known = lane->lost_known;
			lane->head.lost_count = lane->lost_count;
			lane->lost_ref = TRACE_REF_NONE;
			return true;
		}
	}
	return false;
}

/* Make sure that the lane's next record is known. */
static bool peek(struct report_order *o, unsigned int i)
{
	struct lane *lane = &o->lanes[i];

	if (lane->peeked)
		return true;
	if (lane->ended)
		return false;
	if (!read_record(o, lane)) {
		lane->ended = true;
		return false;
	}
	lane->peeked = true;
	lane->piece = take_piece(o, (uint64_t)lane->head.event.ts);
	return true;
}

struct report_order *report_order_new(struct trace *trace, const struct report_lane *lanes, unsigned int nr)
{
	struct report_order *o = mem_alloc(sizeof(*o));

	o->trace = trace;
	o->nr = nr;
	o->lanes = mem_array(nr, sizeof(*o->lanes));
	o->slots = mem_array(nr, sizeof(*o->slots));
	o->slot_ts = mem_array(nr, sizeof(*o->slot_ts));
	o->peeked_lane = -1;
	for (unsigned int i = 0; i < nr; i++) {
		struct lane *lane = &o->lanes[i];

		lane->handle = lane->head.handle = lanes[i].handle;
		lane->head.lane = i;
		lane->lost_ref = TRACE_REF_NONE;
		lane->ended = !lanes[i].by_time && lanes[i].start == TRACE_REF_NONE;
		if (lane->ended)
			continue;
		lane->cursor = trace_cursor_new(trace);
		trace_cursor_only_stream(lane->cursor, lanes[i].stream);
		lane->some = lanes[i].matches != NULL;
		if (lane->some)
			trace_cursor_matches_and_stacks(lane->cursor, lanes[i].matches);
		if (lanes[i].by_time)
			trace_cursor_seek_time(lane->cursor, lanes[i].time);
		else
			trace_cursor_seek(lane->cursor, lanes[i].start);
	}
	for (unsigned int i = 0; i < nr; i++)
		set_slot(o, i, peek(o, i) ? o->lanes[i].piece : NO_PIECE);
	return o;
}

void report_order_free(struct report_order *o)
{
	if (!o)
		return;
	for (unsigned int i = 0; i < o->nr; i++)
		trace_cursor_free(o->lanes[i].cursor);
	free(o->lanes);
	free(o->slots);
	free(o->slot_ts);
	free(o->piece_ts);
	free(o->free_pieces);
	free(o->big_copy);
	free(o);
}

/* --- the order ----------------------------------------------------------- */

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

const struct report_event *report_order_next(struct report_order *o)
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

/* The cursor of the record's lane moves on: keep its bytes. */
static void keep_bytes(struct report_order *o)
{
	struct trace_event *event = &o->current.event;
	uint8_t *to = o->copy;

	if (event->data == o->copy || (o->big_copy && event->data == o->big_copy))
		return;
	if (event->size > COPY_BYTES)
		to = o->big_copy = mem_resize(o->big_copy, event->size, 1);
	memcpy(to, event->data, event->size);
	event->data = to;
	event->room = event->size;
}

const struct report_event *report_order_peek(struct report_order *o)
{
	int best = -1;

	keep_bytes(o);
	for (unsigned int i = 0; i < o->nr; i++) {
		struct lane *lane = &o->lanes[i];

		if (lane->handle != o->current.handle || !peek(o, i))
			continue;
		if (best < 0 || (uint64_t)lane->head.event.ts < (uint64_t)o->lanes[best].head.event.ts)
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

uint64_t report_order_damaged(const struct report_order *o)
{
	return o->damaged;
}

void report_order_end_lane(struct report_order *o, unsigned int lane)
{
	o->lanes[lane].ended = true;
	o->lanes[lane].peeked = false;
	if (o->given && o->lane == lane)
		return;			/* its slot is set when the record is done with */
	set_slot(o, lane, NO_PIECE);
}
