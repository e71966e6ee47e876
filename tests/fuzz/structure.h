/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_FUZZ_STRUCTURE_H
#define FTOP_TESTS_FUZZ_STRUCTURE_H
/*
 * structure - mutations of descriptions: of counts, of how deep and how often members stand, of
 * members that are empty.  Mutations of bytes nearly never make a description that is valid and
 * larger.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tests/lib/gen_trace.h"

enum fuzz_piece_kind {
	PIECE_COUNT,			/* a number of @len bytes, in this machine's byte order */
	PIECE_DIGITS,			/* the same in decimal digits */
	PIECE_MEMBER,			/* it can be there more than once, or not at all */
	PIECE_GROUP,			/* the same, in brackets: others can stand in it */
};

struct fuzz_piece {
	enum fuzz_piece_kind	kind;
	size_t			at, len;
};

#define FUZZ_PIECES	512u		/* most that are looked for */

/*
 * A target whose input is a description defines it: the pieces, [FUZZ_PIECES] at most.  Return: how
 * many.
 */
size_t fuzz_pieces(const uint8_t *data, size_t size, struct fuzz_piece *pieces)
	__attribute__((weak));

/* Pieces of texts (formats, print formats); of records of 12 bytes of 32-bit words (BTF); of fields
 * with numbers (protobuf), of which those that are not in others are members. */
size_t fuzz_pieces_of_text(const uint8_t *data, size_t size, struct fuzz_piece *pieces);
size_t fuzz_pieces_of_words(const uint8_t *data, size_t size, struct fuzz_piece *pieces);
size_t fuzz_pieces_of_proto(const uint8_t *data, size_t size, struct fuzz_piece *pieces);

/* Change some of the target's pieces; the size stays below @most. */
void fuzz_restructure(struct gen_random *r, uint8_t *data, size_t *size, size_t most);
#endif
