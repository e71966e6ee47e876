/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/duration_set.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/varint.h"

#define FIRST_BUFFER	16u		/* values; most functions are called a few times */
#define FULL_BUFFER	512u		/* from this size on, it grows only with the list */

struct set_reader {			/* reads a packed list */
	const uint8_t	*pos, *end;
	uint64_t	 value, count;
};

void duration_set_fini(struct duration_set *set)
{
	free(set->buffer);
	free(set->packed);
	*set = (struct duration_set){ 0 };
}

/* --- packed lists ---------------------------------------------------------- */

static struct set_reader read_list(const struct duration_set *set)
{
	return (struct set_reader){ set->packed, set->packed + set->packed_bytes, 0, 0 };
}

/* False after the last pair; count is 0 then. */
static bool next_pair(struct set_reader *r)
{
	r->count = 0;
	if (r->pos == r->end)
		return false;
	r->value += varint_take(&r->pos);
	r->count = varint_take(&r->pos);
	return true;
}

/* --- sorting ----------------------------------------------------------------- */

/* Radix sort by single bytes, from the lowest; bytes that are equal in all values are skipped. */
static void sort_values(uint64_t *values, uint32_t nr, uint64_t *spare)
{
	uint64_t differ = 0, *from = values, *to = spare;

	for (uint32_t i = 1; i < nr; i++)
		differ |= values[i] ^ values[0];
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		uint32_t starts[256] = { 0 }, sum = 0;
		uint64_t *t = from;

		if (!(differ >> shift & 0xff))
			continue;
		for (uint32_t i = 0; i < nr; i++)
			starts[from[i] >> shift & 0xff]++;
		for (unsigned int i = 0; i < 256; i++) {
			uint32_t n = starts[i];

			starts[i] = sum;
			sum += n;
		}
		for (uint32_t i = 0; i < nr; i++)
			to[starts[from[i] >> shift & 0xff]++] = from[i];
		from = to;
		to = t;
	}
	if (from != values)
		memcpy(values, from, nr * sizeof(*values));
}

/* The value without its low bits, if only leading bits are kept. */
static uint64_t round_value(const struct duration_set *set, uint64_t value)
{
	unsigned int length = value ? 64 - (unsigned int)__builtin_clzll(value) : 0;

	return set->bits && length > set->bits ?
		       value >> (length - set->bits) << (length - set->bits) :
		       value;
}

/* --- merging -------------------------------------------------------------------- */

struct set_writer {
	uint8_t		*bytes, *pos;
	uint64_t	 before, value, count;	/* the pair being collected */
	uint32_t	 distinct;
};

static void end_pair(struct set_writer *w)
{
	if (!w->count)
		return;
	w->pos = varint_put(w->pos, w->value - w->before);
	w->pos = varint_put(w->pos, w->count);
	w->before = w->value;
	w->distinct++;
}

static void add_pair(struct set_writer *w, uint64_t value, uint64_t count)
{
	if (w->count && w->value == value) {
		w->count += count;
		return;
	}
	end_pair(w);
	w->value = value;
	w->count = count;
}

/* Merge both lists and the sorted values into one list. */
static void merge_lists(struct duration_set *set, struct set_reader *more, const uint64_t *values,
			uint32_t nr)
{
	struct set_reader own = read_list(set);
	/* adding a pair can make the next one longer, but never by more than its own size */
	size_t cap = set->packed_bytes + (more ? (size_t)(more->end - more->pos) * 2 : 0) +
		     (size_t)nr * 2 * VARINT_BYTES;
	struct set_writer w = { 0 };

	w.bytes = w.pos = mem_array(cap + 2 * VARINT_BYTES, 1);
	next_pair(&own);
	if (more)
		next_pair(more);
	for (uint32_t i = 0; own.count || (more && more->count) || i < nr;) {
		uint64_t a = own.count ? round_value(set, own.value) : UINT64_MAX;
		uint64_t b = more && more->count ? round_value(set, more->value) : UINT64_MAX;
		uint64_t c = i < nr ? round_value(set, values[i]) : UINT64_MAX;

		if (own.count && a <= b && a <= c) {
			add_pair(&w, a, own.count);
			next_pair(&own);
		} else if (more && more->count && b <= c) {
			add_pair(&w, b, more->count);
			next_pair(more);
		} else {
			add_pair(&w, c, 1);
			i++;
		}
	}
	end_pair(&w);
	free(set->packed);
	set->packed_bytes = (uint32_t)(w.pos - w.bytes);
	set->packed = mem_resize(w.bytes, set->packed_bytes ? set->packed_bytes : 1, 1);
	set->distinct = w.distinct;
}

/* Move the buffer's values into the list. */
static void empty_buffer(struct duration_set *set)
{
	uint64_t *spare;

	if (!set->nr_buffer)
		return;
	spare = mem_array(set->nr_buffer, sizeof(*spare));
	sort_values(set->buffer, set->nr_buffer, spare);
	free(spare);
	merge_lists(set, NULL, set->buffer, set->nr_buffer);
	set->nr_buffer = 0;
}

void duration_set_pack(struct duration_set *set)
{
	uint32_t cap = set->cap_buffer;

	if (cap >= FULL_BUFFER || set->nr_buffer < cap)
		empty_buffer(set);
	/*
	 * the whole list is rewritten each time, so the buffer must hold at least half as many
	 * values
	 */
	if (!cap)
		cap = FIRST_BUFFER;
	else if (cap < FULL_BUFFER || cap < set->distinct / 2)
		cap *= 2;
	if (cap != set->cap_buffer) {
		set->buffer = mem_resize(set->buffer, cap, sizeof(*set->buffer));
		set->cap_buffer = cap;
	}
}

void duration_set_coarsen(struct duration_set *set, unsigned int bits)
{
	if (set->bits && set->bits <= bits)
		return;
	set->bits = (uint8_t)bits;
	merge_lists(set, NULL, NULL, 0);
	duration_set_pack(set);
}

/* Move everything into the list, and free the buffer. */
static void pack_all(struct duration_set *set)
{
	empty_buffer(set);
	free(set->buffer);
	set->buffer = NULL;
	set->cap_buffer = 0;
}

void duration_set_merge(struct duration_set *set, struct duration_set *from)
{
	struct set_reader more;

	if (from->bits && (!set->bits || from->bits < set->bits))
		set->bits = from->bits;
	pack_all(from);
	pack_all(set);
	more = read_list(from);
	merge_lists(set, &more, NULL, 0);
	set->nr += from->nr;
}

/* --- asking -------------------------------------------------------------------------- */

void duration_set_ranks(struct duration_set *set, const uint64_t *ranks, uint64_t *values,
			unsigned int nr)
{
	struct set_reader r;
	uint64_t seen = 0;

	pack_all(set);
	r = read_list(set);
	for (unsigned int i = 0; i < nr; i++) {
		while (seen < ranks[i] && next_pair(&r))
			seen += r.count;
		values[i] = r.value;
	}
}

void duration_set_each(struct duration_set *set,
		       void (*each)(void *arg, uint64_t value, uint64_t count), void *arg)
{
	struct set_reader r;

	pack_all(set);
	r = read_list(set);
	while (next_pair(&r))
		each(arg, r.value, r.count);
}
