/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_VARINT_H
#define FTOP_SRC_BASE_VARINT_H
/*
 * varint - numbers that are packed into as many bytes as they need: 7 bits per byte, the lowest
 * first; the highest bit is set if more bytes follow.
 */
#include <stdint.h>

#define VARINT_BYTES	10u		/* most bytes that a packed number takes */

/* Read a number that varint_put() wrote, and go past it. */
static inline uint64_t varint_take(const uint8_t **at)
{
	uint64_t v = **at & 0x7f;

	for (unsigned int shift = 7; *(*at)++ & 0x80; shift += 7)
		v |= (uint64_t)(**at & 0x7f) << shift;
	return v;
}

/* Return: the end of what was written. */
static inline uint8_t *varint_put(uint8_t *at, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*at++ = (uint8_t)v | 0x80;
	*at++ = (uint8_t)v;
	return at;
}
#endif
