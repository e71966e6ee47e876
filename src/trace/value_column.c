/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   lane     the numbers of a stream: an array of blocks, and a tail of those that came last
 *   block    the numbers of BLOCK_BYTES of sub-buffers, ascending by ref; for each of them:
 *
 *     head     3 bits: how many refs are skipped since the last one, 7: `skipped` follows
 *              4 bits: the lowest bits of the number
 *              1 bit: `rest` follows
 *     skipped  a varint: how many more than 7
 *     rest     a varint: the other bits of the number
 *
 * A number that comes too late for the tail makes its block be packed again.
 */
#include "src/trace/value_column.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/varint.h"
#include "src/trace/trace_streams.h"

#define BLOCK_BYTES	(64u << 10)	/* sub-buffers of a block, which is searched in turn */
#define TAIL		4096u
#define ENTRY_BYTES	(1u + 2 * VARINT_BYTES)	/* at most */
#define MAX_SKIP	7u

struct column_entry {
	trace_ref	ref;
	int64_t		value;
};

struct value_block {
	uint8_t		*bytes;		/* owned, [nr_bytes] */
	uint32_t	 nr_bytes;
};

struct value_column {
	unsigned int	 nr_lanes;
	struct column_lane {
		uint32_t	 pages;		/* sub-buffers of a block */
		struct value_block *blocks;	/* owned, [nr] */
		uint64_t	 nr;
		struct column_entry *tail;	/* owned, [TAIL], ascending; NULL: empty */
		unsigned int	 nr_tail;
	}		*lanes;		/* owned, [nr_lanes], by stream */
	uint64_t	 bytes, limit;	/* packed bytes in all blocks; how many are allowed */
	bool		 full;
	/* The block being packed: */
	uint8_t		*out;		/* owned, [cap_out] */
	uint64_t	 nr_out, cap_out;
	trace_ref	 last;		/* the ref packed last */
};

struct value_column *value_column_new(const struct trace *trace, uint64_t limit)
{
	struct value_column *c = mem_alloc(sizeof(*c));

	c->limit = limit;
	c->nr_lanes = trace_nr_streams(trace);
	c->lanes = mem_array(c->nr_lanes + 1, sizeof(*c->lanes));
	for (unsigned int i = 0; i < c->nr_lanes; i++) {
		uint32_t size = trace_stream_at(trace, i)->layout->page_size;

		c->lanes[i].pages = size && size < BLOCK_BYTES ? BLOCK_BYTES / size : 1;
	}
	return c;
}

void value_column_drop(struct value_column *c, unsigned int stream)
{
	struct column_lane *lane = &c->lanes[stream];

	for (uint64_t k = 0; k < lane->nr; k++) {
		c->bytes -= lane->blocks[k].nr_bytes;
		free(lane->blocks[k].bytes);
	}
	free(lane->blocks);
	free(lane->tail);
	*lane = (struct column_lane){ .pages = lane->pages };
}

void value_column_free(struct value_column *c)
{
	if (!c)
		return;
	for (unsigned int i = 0; i < c->nr_lanes; i++)
		value_column_drop(c, i);
	free(c->lanes);
	free(c->out);
	free(c);
}

bool value_column_is_full(const struct value_column *c)
{
	return c->full;
}

uint64_t value_column_bytes(const struct value_column *c)
{
	uint64_t bytes = sizeof(*c) + c->bytes;

	for (unsigned int i = 0; i < c->nr_lanes; i++)
		bytes += sizeof(*c->lanes) + c->lanes[i].nr * sizeof(*c->lanes[i].blocks);
	return bytes;
}

/* --- a block ------------------------------------------------------------------------------- */

static uint64_t block_nr(const struct column_lane *lane, trace_ref ref)
{
	return trace_ref_page(ref) / lane->pages;
}

/* The ref before all records of a ref's block. */
static trace_ref block_start(const struct column_lane *lane, trace_ref ref)
{
	return trace_ref_make(trace_ref_stream(ref), block_nr(lane, ref) * lane->pages, 0);
}

static inline void begin_block(struct value_column_at *at, const struct value_block *block,
			       trace_ref start)
{
	*at = (struct value_column_at){ .block = block, .next = block->bytes, .asked = start,
					.ref = start };
}

/* Go to the next number of a block; false: there is none. */
static inline bool next_entry(struct value_column_at *at)
{
	uint64_t skipped, value;
	uint8_t head;

	if (at->next == at->block->bytes + at->block->nr_bytes)
		return false;
	head = *at->next++;
	skipped = head & MAX_SKIP;
	value = head >> 3 & 0xf;
	if (skipped == MAX_SKIP)
		skipped += varint_take(&at->next);
	if (head & 0x80)
		value |= varint_take(&at->next) << 4;
	at->ref += skipped + 1;
	at->value = (int64_t)value;
	return true;
}

static void put_entry(struct value_column *c, const struct column_entry *e)
{
	uint64_t skipped = e->ref - c->last - 1, rest = (uint64_t)e->value >> 4;
	uint8_t head = (uint8_t)(skipped < MAX_SKIP ? skipped : MAX_SKIP);
	uint8_t *at;

	if (e->ref <= c->last)		/* it has one */
		return;
	if (c->nr_out + ENTRY_BYTES > c->cap_out) {
		c->cap_out = c->cap_out * 2 + 4096;
		c->out = mem_resize(c->out, c->cap_out, 1);
	}
	at = c->out + c->nr_out;
	*at++ = (uint8_t)(head | (e->value & 0xf) << 3 | (rest ? 0x80 : 0));
	if (head == MAX_SKIP)
		at = varint_put(at, skipped - MAX_SKIP);
	if (rest)
		at = varint_put(at, rest);
	c->nr_out = (uint64_t)(at - c->out);
	c->last = e->ref;
}

/* --- adding ---------------------------------------------------------------------------------- */

/* Add entries to their block, which may have others, before and between them. */
static void pack_block(struct value_column *c, struct column_lane *lane,
		       const struct column_entry *list, unsigned int nr)
{
	trace_ref start = block_start(lane, list[0].ref);
	struct value_column_at at;
	struct value_block *block;
	unsigned int i = 0;

	mem_reach(&lane->blocks, &lane->nr, block_nr(lane, list[0].ref));
	block = &lane->blocks[block_nr(lane, list[0].ref)];
	c->nr_out = 0;
	c->last = start;
	for (begin_block(&at, block, start); next_entry(&at);) {
		while (i < nr && list[i].ref < at.ref)
			put_entry(c, &list[i++]);
		put_entry(c, &(struct column_entry){ at.ref, at.value });
	}
	while (i < nr)
		put_entry(c, &list[i++]);
	c->bytes += c->nr_out - block->nr_bytes;
	block->nr_bytes = (uint32_t)c->nr_out;
	block->bytes = mem_resize(block->bytes, c->nr_out, 1);
	memcpy(block->bytes, c->out, c->nr_out);
}

/* Pack the first entries of a tail. */
static void pack_tail(struct value_column *c, struct column_lane *lane, unsigned int nr)
{
	for (unsigned int i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && block_nr(lane, lane->tail[end].ref) ==
						      block_nr(lane, lane->tail[i].ref);)
			end++;
		c->full |= c->bytes >= c->limit;
		if (!c->full)
			pack_block(c, lane, lane->tail + i, end - i);
	}
	lane->nr_tail -= nr;
	memmove(lane->tail, lane->tail + nr, lane->nr_tail * sizeof(*lane->tail));
}

void value_column_add(struct value_column *c, trace_ref ref, int64_t value)
{
	struct column_lane *lane = &c->lanes[trace_ref_stream(ref)];
	unsigned int at;

	if (trace_ref_stream(ref) >= c->nr_lanes)
		return;
	if (!lane->tail)
		lane->tail = mem_array(TAIL, sizeof(*lane->tail));
	if (lane->nr_tail == TAIL)
		pack_tail(c, lane, TAIL / 2);
	for (at = lane->nr_tail++; at && lane->tail[at - 1].ref > ref; at--)
		lane->tail[at] = lane->tail[at - 1];
	lane->tail[at] = (struct column_entry){ ref, value };
}

void value_column_end(struct value_column *c)
{
	for (unsigned int i = 0; i < c->nr_lanes; i++) {
		struct column_lane *lane = &c->lanes[i];

		if (!lane->tail)
			continue;
		pack_tail(c, lane, lane->nr_tail);
		free(lane->tail);
		lane->tail = NULL;
	}
	free(c->out);
	c->out = NULL;
	c->cap_out = 0;
}

/* --- looking up ------------------------------------------------------------------------------- */

bool value_column_find(const struct value_column *c, struct value_column_at *at, trace_ref ref,
		       int64_t *value)
{
	const struct column_lane *lane = &c->lanes[trace_ref_stream(ref)];
	uint64_t nr = block_nr(lane, ref);

	if (nr >= lane->nr || !lane->blocks[nr].nr_bytes)
		return false;
	if (at->block != &lane->blocks[nr] || ref < at->asked)
		begin_block(at, &lane->blocks[nr], block_start(lane, ref));
	at->asked = ref;
	while (at->ref < ref && next_entry(at))
		;
	*value = at->value;
	return at->ref == ref;
}
