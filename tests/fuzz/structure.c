/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/structure.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MOST_NESTED	64u
#define MOST_REPEATS	200u

/* --- pieces ------------------------------------------------------------------------------ */

static void add_piece(struct fuzz_piece *pieces, size_t *nr, enum fuzz_piece_kind kind, size_t at,
		      size_t len)
{
	if (*nr < FUZZ_PIECES && len)
		pieces[(*nr)++] = (struct fuzz_piece){ kind, at, len };
}

size_t fuzz_pieces_of_text(const uint8_t *data, size_t size, struct fuzz_piece *pieces)
{
	size_t open[MOST_NESTED], depth = 0, nr = 0;

	for (size_t at = 0; at < size; at++) {
		size_t end = at + 1;

		if (isdigit(data[at])) {
			while (end < size && isdigit(data[end]))
				end++;
			add_piece(pieces, &nr, PIECE_DIGITS, at, end - at);
			at = end - 1;
		} else if (data[at] == '%') { /* a conversion */
			while (end < size && !isalpha(data[end]))
				end++;
			add_piece(pieces, &nr, PIECE_MEMBER, at, end < size ? end + 1 - at : 0);
		} else if (data[at] && strchr("({[", data[at])) {
			if (depth < MOST_NESTED)
				open[depth++] = at;
		} else if (data[at] && strchr(")}]", data[at]) && depth) {
			depth--;
			add_piece(pieces, &nr, PIECE_GROUP, open[depth], end - open[depth]);
		} else if (data[at] == '\n') { /* the line of a field */
			while (end < size && data[end] != '\n')
				end++;
			add_piece(pieces, &nr, PIECE_MEMBER, at, end - at);
		}
	}
	return nr;
}

size_t fuzz_pieces_of_words(const uint8_t *data, size_t size, struct fuzz_piece *pieces)
{
	size_t nr = 0;

	(void)data;
	for (size_t at = 0; at + 4 <= size; at += 4) {
		add_piece(pieces, &nr, PIECE_COUNT, at, 4);
		if (at % 12 == 0 && at + 12 <= size)
			add_piece(pieces, &nr, PIECE_MEMBER, at, 12);
	}
	return nr;
}

/* A number of 7 bits in each byte; its bytes, 0 if it does not end. */
static size_t varint(const uint8_t *data, size_t size, uint64_t *v)
{
	*v = 0;
	for (size_t n = 0; n < size && n < 10; n++) {
		*v |= (uint64_t)(data[n] & 0x7f) << 7 * n;
		if (!(data[n] & 0x80))
			return n + 1;
	}
	return 0;
}

static void find_fields(const uint8_t *data, size_t from, size_t end, unsigned int depth,
			struct fuzz_piece *pieces, size_t *nr)
{
	while (from < end && *nr < FUZZ_PIECES) {
		uint64_t tag, v;
		size_t len = varint(data + from, end - from, &tag), begin = from, more;

		from += len;
		more = len ? varint(data + from, end - from, &v) : 0;
		if (!more || ((tag & 7) != 0 && (tag & 7) != 2))
			return;
		if ((tag & 7) == 0)
			add_piece(pieces, nr, PIECE_COUNT, from, more);
		from += more;
		if ((tag & 7) == 0)
			continue;
		if (v > end - from)
			return;
		if (depth < 4)
			find_fields(data, from, from + (size_t)v, depth + 1, pieces, nr);
		from += (size_t)v;
		if (!depth)
			add_piece(pieces, nr, PIECE_MEMBER, begin, from - begin);
	}
}

size_t fuzz_pieces_of_proto(const uint8_t *data, size_t size, struct fuzz_piece *pieces)
{
	size_t nr = 0;

	find_fields(data, 0, size, 0, pieces, &nr);
	return nr;
}

/* --- mutations --------------------------------------------------------------------------- */

/* Put @len bytes in the place of @gone bytes; what does not fit is not changed. */
static void put(uint8_t *data, size_t *size, size_t most, size_t at, size_t gone,
		const uint8_t *bytes, size_t len)
{
	if (len > most - (*size - gone))
		return;
	memmove(data + at + len, data + at + gone, *size - at - gone);
	memcpy(data + at, bytes, len);
	*size += len - gone;
}

static void set_count(struct gen_random *r, uint8_t *data, size_t *size, size_t most,
		      const struct fuzz_piece *p)
{
	static const uint64_t edges[] = { 0, 1, 2, 3, 127, 128, 255, 1000, 9999, 0x7fff, 65535,
					  65536, 1000000, 0x7fffffff, 0xffffffff, UINT64_MAX };
	uint64_t v = edges[gen_random_below(r, sizeof(edges) / sizeof(edges[0]))];
	char digits[24];

	if (p->kind == PIECE_DIGITS) {
		int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v);

		put(data, size, most, p->at, p->len, (const uint8_t *)digits, (size_t)len);
		return;
	}
	for (size_t i = 0; i < p->len && i < 8; i++)
		data[p->at + i] = (uint8_t)(v >> 8 * i);
}

static void change_member(struct gen_random *r, uint8_t *data, size_t *size, size_t most,
			  const struct fuzz_piece *p, const struct fuzz_piece *other)
{
	size_t inside = p->kind == PIECE_GROUP ? 1 : 0;
	uint32_t times = 1 + gen_random_below(r, gen_random_one_in(r, 4) ? MOST_REPEATS : 4);
	uint8_t copy[4096];
	size_t len = other->len < sizeof(copy) ? other->len : sizeof(copy);

	memcpy(copy, data + other->at, len);
	switch (gen_random_below(r, 4)) {
	case 0:				/* empty, or gone */
		put(data, size, most, p->at + inside, p->len - 2 * inside, copy, 0);
		break;
	case 1:				/* another one in its place */
		put(data, size, most, p->at, p->len, copy, len);
		break;
	case 2:				/* others in it, or before it */
		while (times--)
			put(data, size, most, p->at + inside, 0, copy, len);
		break;
	default:			/* itself, in itself */
		len = p->len < sizeof(copy) ? p->len : sizeof(copy);
		while (times--) {
			memcpy(copy, data + p->at, len);
			put(data, size, most, p->at + inside, 0, copy, len);
		}
	}
}

void fuzz_restructure(struct gen_random *r, uint8_t *data, size_t *size, size_t most)
{
	struct fuzz_piece pieces[FUZZ_PIECES];

	for (uint32_t times = 1 + gen_random_below(r, 8); times--;) {
		size_t nr = *size ? fuzz_pieces(data, *size, pieces) : 0;
		const struct fuzz_piece *p = nr ? &pieces[gen_random_below(r, (uint32_t)nr)] : NULL;

		if (p && (p->kind == PIECE_COUNT || p->kind == PIECE_DIGITS))
			set_count(r, data, size, most, p);
		else if (p)
			change_member(r, data, size, most, p,
				      &pieces[gen_random_below(r, (uint32_t)nr)]);
	}
}
