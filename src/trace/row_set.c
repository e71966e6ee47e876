/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   stream   an array of blocks; the bytes of PIECE of them lie together
 *   block    PAGES sub-buffers: a bit for each that has any row, and behind each other what these have:
 *
 *     head     a number: bytes that follow, times 2; 1 more if they are a list
 *     bits     of items, from item 0 on; those behind the last byte are clear
 *     list     numbers: distances from one item to the next, from -1 on
 *
 * Of bits and list that is taken which is shorter.  Numbers have 7 bits a byte; the highest one says that more follow.
 */
#include "src/trace/row_set.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define PAGES		32u		/* of a block */
#define PIECE		32u
#define LOG_ROWS	(32u << 10)
#define HEAD_BYTES	4u		/* at most */

struct block {
	uint32_t	 pages;		/* those that have any */
	uint32_t	 nr_bytes;
	uint8_t		*bytes;		/* owned, while rows come; then in those of the piece */
};

struct row_set {
	unsigned int	 nr_streams;
	struct rows_of {
		struct block	*blocks;	/* owned, [nr] */
		uint64_t	 nr;
		uint8_t		**pieces;	/* owned, [nr / PIECE, rounded up], and their bytes; once no more rows come */
		uint64_t	 forgotten;	/* pieces */
	}		*streams;	/* owned, and one without rows behind them */
	uint64_t	 bytes;
	/* while rows come: */
	trace_ref	*log;		/* owned, [LOG_ROWS] */
	unsigned int	 nr_log;
	uint8_t		*bits;		/* owned, [cap_bits] bytes: items of a page */
	uint32_t	 cap_bits;
	uint8_t		*list;		/* owned: the same as a list */
	uint32_t	 cap_list;
	uint8_t		*out;		/* owned: bytes of a block that is made anew */
	uint32_t	 nr_out, cap_out;
};

struct row_set *row_set_new(unsigned int nr_streams)
{
	struct row_set *set = mem_alloc(sizeof(*set));

	set->nr_streams = nr_streams;
	set->streams = mem_array(nr_streams + 1, sizeof(*set->streams));
	return set;
}

static void free_scratch(struct row_set *set)
{
	free(set->log);
	free(set->bits);
	free(set->list);
	free(set->out);
	set->log = NULL;
	set->bits = set->list = set->out = NULL;
	set->cap_bits = set->cap_list = set->cap_out = 0;
}

void row_set_free(struct row_set *set)
{
	if (!set)
		return;
	for (unsigned int i = 0; i < set->nr_streams; i++) {
		struct rows_of *rows = &set->streams[i];

		for (uint64_t k = 0; k < rows->nr && !rows->pieces; k++)
			free(rows->blocks[k].bytes);
		for (uint64_t k = 0; k * PIECE < rows->nr && rows->pieces; k++)
			free(rows->pieces[k]);
		free(rows->blocks);
		free(rows->pieces);
	}
	free(set->streams);
	free_scratch(set);
	free(set);
}

/* --- a page's bytes ------------------------------------------------------------------ */

static inline uint32_t next_number(const uint8_t **at)
{
	unsigned int shift = 0;
	uint32_t v = 0;

	do
		v |= (uint32_t)(**at & 0x7f) << shift, shift += 7;
	while (*(*at)++ & 0x80);
	return v;
}

static inline uint8_t *put_number(uint8_t *at, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		*at++ = (uint8_t)(0x80 | (v & 0x7f));
	*at++ = (uint8_t)v;
	return at;
}

/* The bytes of a page of a block, behind their head; NULL: it has none. */
static const uint8_t *page_bytes(const struct block *block, unsigned int page, uint32_t *nr, bool *is_list)
{
	const uint8_t *at = block->bytes;
	uint32_t head;

	if (!(block->pages >> page & 1))
		return NULL;
	head = next_number(&at);
	for (uint32_t before = block->pages & ((1u << page) - 1); before; before &= before - 1) {
		at += head / 2;
		head = next_number(&at);
	}
	*nr = head / 2;
	*is_list = head & 1;
	return at;
}

bool row_set_has(const struct row_set *set, trace_ref ref)
{
	unsigned int stream = trace_ref_stream(ref);
	const struct rows_of *rows = &set->streams[stream < set->nr_streams ? stream : set->nr_streams];
	uint32_t item = trace_ref_item(ref), nr, at_item = UINT32_MAX;
	uint64_t page = trace_ref_page(ref);
	const uint8_t *at, *end;
	bool is_list;

	if (page / PAGES >= rows->nr)
		return false;
	at = page_bytes(&rows->blocks[page / PAGES], page % PAGES, &nr, &is_list);
	if (!at)
		return false;
	if (!is_list)
		return item / 8 < nr && at[item / 8] >> item % 8 & 1;
	for (end = at + nr; at < end;) {
		at_item += next_number(&at);
		if (at_item >= item)
			return at_item == item;
	}
	return false;
}

void row_set_page(const struct row_set *set, unsigned int stream, uint64_t page, void (*see)(void *arg, uint32_t item), void *arg)
{
	const struct rows_of *rows = &set->streams[stream < set->nr_streams ? stream : set->nr_streams];
	uint32_t item = UINT32_MAX, nr;
	const uint8_t *at, *end;
	bool is_list;

	at = page / PAGES < rows->nr ? page_bytes(&rows->blocks[page / PAGES], page % PAGES, &nr, &is_list) : NULL;
	if (!at)
		return;
	for (end = at + nr; is_list && at < end;) {
		item += next_number(&at);
		see(arg, item);
	}
	for (uint32_t i = 0; !is_list && i < nr; i++)
		for (unsigned int byte = at[i]; byte; byte &= byte - 1)
			see(arg, i * 8 + (unsigned int)__builtin_ctz(byte));
}

/* --- making them ------------------------------------------------------------------------ */

static void reserve(uint8_t **bytes, uint32_t *cap, uint32_t nr)
{
	uint32_t more = *cap ? *cap : 1024;

	while (more < nr)
		more *= 2;
	if (more == *cap)
		return;
	*bytes = mem_resize(*bytes, more, 1);
	memset(*bytes + *cap, 0, more - *cap);
	*cap = more;
}

static void set_item(struct row_set *set, uint32_t item, uint32_t *nr_bits)
{
	reserve(&set->bits, &set->cap_bits, item / 8 + 1);
	set->bits[item / 8] |= (uint8_t)(1u << item % 8);
	if (item / 8 + 1 > *nr_bits)
		*nr_bits = item / 8 + 1;
}

/* What a page has so far, as bits. */
static void expand(struct row_set *set, const struct block *block, unsigned int page, uint32_t *nr_bits)
{
	uint32_t nr, item = UINT32_MAX;
	const uint8_t *at, *end;
	bool is_list;

	at = page_bytes(block, page, &nr, &is_list);
	if (!at)
		return;
	if (is_list) {
		for (end = at + nr; at < end;) {
			item += next_number(&at);
			set_item(set, item, nr_bits);
		}
		return;
	}
	reserve(&set->bits, &set->cap_bits, nr);
	memcpy(set->bits, at, nr);
	*nr_bits = nr;
}

/* As a list, if that has fewer bytes; there is room for a number more.  Return: how many bytes; 0: it has not. */
static uint32_t list_bits(const uint8_t *bits, uint32_t nr_bits, uint8_t *to)
{
	uint32_t last = UINT32_MAX;
	uint8_t *at = to;

	for (uint32_t i = 0; i < nr_bits; i++)
		for (unsigned int byte = bits[i]; byte; byte &= byte - 1) {
			uint32_t item = i * 8 + (unsigned int)__builtin_ctz(byte);

			at = put_number(at, item - last);
			last = item;
			if (at >= to + nr_bits)
				return 0;
		}
	return (uint32_t)(at - to);
}

/* Append what a page has to the block that is made; its bits are clear then. */
static void pack(struct row_set *set, uint32_t nr_bits)
{
	uint32_t nr;
	uint8_t *at;

	reserve(&set->list, &set->cap_list, nr_bits + HEAD_BYTES);
	reserve(&set->out, &set->cap_out, set->nr_out + HEAD_BYTES + nr_bits);
	nr = list_bits(set->bits, nr_bits, set->list);
	at = put_number(set->out + set->nr_out, nr ? nr * 2 + 1 : nr_bits * 2);
	memcpy(at, nr ? set->list : set->bits, nr ? nr : nr_bits);
	set->nr_out = (uint32_t)(at - set->out) + (nr ? nr : nr_bits);
	memset(set->bits, 0, nr_bits);
}

static void reserve_blocks(struct row_set *set, struct rows_of *rows, uint64_t nr)
{
	uint64_t more = nr + nr / 8 + 8;

	if (nr <= rows->nr)
		return;
	rows->blocks = mem_resize(rows->blocks, more, sizeof(*rows->blocks));
	memset(rows->blocks + rows->nr, 0, (more - rows->nr) * sizeof(*rows->blocks));
	set->bytes += (more - rows->nr) * sizeof(*rows->blocks);
	rows->nr = more;
}

/* Add rows of one block, ascending. */
static void add_to_block(struct row_set *set, const trace_ref *refs, unsigned int nr)
{
	struct rows_of *rows = &set->streams[trace_ref_stream(refs[0])];
	uint64_t number = trace_ref_page(refs[0]) / PAGES;
	uint32_t pages = 0;
	struct block *block;

	reserve_blocks(set, rows, number + 1);
	block = &rows->blocks[number];
	set->nr_out = 0;
	for (unsigned int page = 0, i = 0; page < PAGES; page++) {
		uint32_t nr_bits = 0;

		expand(set, block, page, &nr_bits);
		for (; i < nr && trace_ref_page(refs[i]) % PAGES == page; i++)
			set_item(set, trace_ref_item(refs[i]), &nr_bits);
		if (!nr_bits)
			continue;
		pack(set, nr_bits);
		pages |= 1u << page;
	}
	set->bytes += set->nr_out - block->nr_bytes;
	free(block->bytes);
	block->bytes = mem_array(set->nr_out, 1);
	memcpy(block->bytes, set->out, set->nr_out);
	block->nr_bytes = set->nr_out;
	block->pages = pages;
}

static int compare_refs(const void *a, const void *b)
{
	trace_ref x = *(const trace_ref *)a, y = *(const trace_ref *)b;

	return x < y ? -1 : x > y;
}

static bool same_block(trace_ref a, trace_ref b)
{
	return trace_ref_stream(a) == trace_ref_stream(b) && trace_ref_page(a) / PAGES == trace_ref_page(b) / PAGES;
}

static void empty_log(struct row_set *set)
{
	qsort(set->log, set->nr_log, sizeof(*set->log), compare_refs);
	for (unsigned int i = 0, end; i < set->nr_log; i = end) {
		for (end = i + 1; end < set->nr_log && same_block(set->log[i], set->log[end]);)
			end++;
		add_to_block(set, set->log + i, end - i);
	}
	set->nr_log = 0;
}

void row_set_add(struct row_set *set, trace_ref ref)
{
	if (trace_ref_stream(ref) >= set->nr_streams)
		return;
	if (!set->log)
		set->log = mem_array(LOG_ROWS, sizeof(*set->log));
	set->log[set->nr_log++] = ref;
	if (set->nr_log == LOG_ROWS)
		empty_log(set);
}

/* Blocks that lie behind each other get one piece of memory. */
static uint8_t *join_blocks(struct block *blocks, uint64_t nr_blocks)
{
	uint8_t *bytes;
	uint64_t nr = 0;

	for (uint64_t i = 0; i < nr_blocks; i++)
		nr += blocks[i].nr_bytes;
	bytes = nr ? mem_array(nr, 1) : NULL;
	nr = 0;
	for (uint64_t i = 0; i < nr_blocks; i++) {
		if (!blocks[i].bytes)
			continue;
		memcpy(bytes + nr, blocks[i].bytes, blocks[i].nr_bytes);
		free(blocks[i].bytes);
		blocks[i].bytes = bytes + nr;
		nr += blocks[i].nr_bytes;
	}
	return bytes;
}

static uint64_t blocks_of_piece(const struct rows_of *rows, uint64_t piece)
{
	return rows->nr - piece * PIECE < PIECE ? rows->nr - piece * PIECE : PIECE;
}

static void join_stream(struct row_set *set, struct rows_of *rows)
{
	uint64_t nr = (rows->nr + PIECE - 1) / PIECE;

	if (!nr)
		return;
	rows->pieces = mem_array(nr, sizeof(*rows->pieces));
	set->bytes += nr * sizeof(*rows->pieces);
	for (uint64_t i = 0; i < nr; i++)
		rows->pieces[i] = join_blocks(&rows->blocks[i * PIECE], blocks_of_piece(rows, i));
}

void row_set_end(struct row_set *set)
{
	if (set->nr_log)
		empty_log(set);
	for (unsigned int i = 0; i < set->nr_streams; i++)
		join_stream(set, &set->streams[i]);
	free_scratch(set);
}

/* --- what is let go ----------------------------------------------------------------------- */

void row_set_forget(struct row_set *set, unsigned int stream, uint64_t page)
{
	struct rows_of *rows = &set->streams[stream];

	for (; (rows->forgotten + 1) * PIECE * PAGES <= page && rows->forgotten * PIECE < rows->nr; rows->forgotten++) {
		struct block *blocks = &rows->blocks[rows->forgotten * PIECE];

		for (uint64_t i = 0; i < blocks_of_piece(rows, rows->forgotten); i++) {
			set->bytes -= blocks[i].nr_bytes;
			blocks[i] = (struct block){ 0 };
		}
		free(rows->pieces[rows->forgotten]);
		rows->pieces[rows->forgotten] = NULL;
	}
}

uint64_t row_set_bytes(const struct row_set *set)
{
	return sizeof(*set) + set->nr_streams * sizeof(*set->streams) + set->bytes + (set->log ? LOG_ROWS * sizeof(*set->log) : 0) +
	       set->cap_bits + set->cap_list + set->cap_out;
}
