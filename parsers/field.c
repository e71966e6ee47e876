/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/field.h"

#include <string.h>

static const struct field_span nowhere;

/* Bytes from offset on, at most len of them, inside the record. */
static struct field_span clip(const uint8_t *data, uint32_t size, uint32_t offset, uint32_t len)
{
	if (offset > size)
		return nowhere;
	return (struct field_span){ data + offset, len < size - offset ? len : size - offset };
}

/* The location word: length << 16 | offset, from the record's start or from behind the word. */
static struct field_span dynamic_bytes(const struct event_field *f, const uint8_t *data, uint32_t size, bool swap)
{
	uint32_t word, offset;

	if (size < 4 || f->offset > size - 4)
		return nowhere;
	word = load_u32(data + f->offset, swap);
	offset = word & 0xffff;
	if (f->is_relative)
		offset += f->offset + 4;
	return clip(data, size, offset, word >> 16);
}

struct field_span field_bytes(const struct event_field *f, const uint8_t *data, uint32_t size, bool swap)
{
	struct field_span span;

	if (f->is_dynamic)
		span = dynamic_bytes(f, data, size, swap);
	else
		span = clip(data, size, f->offset, f->size ? f->size : UINT32_MAX);
	if (!span.data)
		return nowhere;
	if (f->kind == FIELD_STRING || f->kind == FIELD_DYNAMIC_STRING)
		span.len = strnlen((const char *)span.data, span.len);
	else if (f->element_size > 1)
		span.len -= span.len % f->element_size;
	return span;
}
