/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/field.h"

#include <inttypes.h>
#include <string.h>

#include "src/base/text.h"

static const struct field_span nowhere;

/* At most @len bytes from @offset on, clipped to the record. */
static struct field_span clip_span(const uint8_t *data, uint32_t size, uint32_t offset,
				   uint32_t len)
{
	if (offset > size)
		return nowhere;
	return (struct field_span){ data + offset, len < size - offset ? len : size - offset };
}

/*
 * The location word is length << 16 | offset; the offset counts from the record's start or from the
 * end of the word.
 */
static struct field_span dynamic_bytes(const struct event_field *f, const uint8_t *data,
				       uint32_t size, bool swap)
{
	uint32_t word, offset;

	if (size < 4 || f->offset > size - 4)
		return nowhere;
	word = load_u32(data + f->offset, swap);
	offset = word & 0xffff;
	if (f->is_relative)
		offset += f->offset + 4;
	return clip_span(data, size, offset, word >> 16);
}

struct field_span field_bytes(const struct event_field *f, const uint8_t *data, uint32_t size,
			      bool swap)
{
	struct field_span span;

	if (f->is_dynamic)
		span = dynamic_bytes(f, data, size, swap);
	else
		span = clip_span(data, size, f->offset, f->size ? f->size : UINT32_MAX);
	if (!span.data)
		return nowhere;
	if (f->kind == FIELD_STRING || f->kind == FIELD_DYNAMIC_STRING)
		span.len = strnlen((const char *)span.data, span.len);
	else if (f->element_size > 1)
		span.len -= span.len % f->element_size;
	return span;
}

/*
 * "0-3,7": the numbers that are set.  Words have the size of the kernel's long and the trace's byte
 * order.
 */
static void add_bitmask(const struct event_field *f, struct field_span span, bool swap,
			struct text *out)
{
	uint32_t long_size = f->element_size, bits = span.len / long_size * long_size * 8,
		 first = 0;
	const char *separator = "";
	bool inside = false;

	for (uint32_t i = 0; i <= bits && !text_is_full(out); i++) {
		uint32_t word = i / (8 * long_size) * long_size;
		bool set = i < bits && field_load(span.data, span.len, word, long_size, swap) >>
						       i % (8 * long_size) &
					       1;

		if (set && !inside)
			first = i;
		if (!set && inside) {
			text_printf(out, first == i - 1 ? "%s%u" : "%s%u-%u", separator, first,
				    i - 1);
			separator = ",";
		}
		inside = set;
	}
}

static void add_hex(struct field_span span, struct text *out)
{
	for (uint32_t i = 0; i < span.len && !text_is_full(out); i++)
		text_printf(out, i ? " %02x" : "%02x", span.data[i]);
}

static void add_array(const struct event_field *f, struct field_span span, bool swap,
		      struct text *out)
{
	if (f->element_size == 1) {
		add_hex(span, out);
		return;
	}
	for (uint32_t i = 0; i < span.len / f->element_size && !text_is_full(out); i++) {
		uint64_t v = field_element(f, span, i, swap);

		if (i)
			text_char(out, ' ');
		if (f->is_signed)
			text_printf(out, "%" PRId64, (int64_t)v);
		else
			text_u64(out, v);
	}
}

void field_text(const struct event_field *f, const uint8_t *data, uint32_t size, bool swap,
		struct text *out)
{
	struct field_span span = { 0 };

	switch (f->kind) {
	case FIELD_UINT:
		text_u64(out, field_u64(f, data, size, swap));
		return;
	case FIELD_SINT:
		text_printf(out, "%" PRId64, (int64_t)field_u64(f, data, size, swap));
		return;
	case FIELD_POINTER:
		text_printf(out, "0x%" PRIx64, field_u64(f, data, size, swap));
		return;
	default:
		span = field_bytes(f, data, size, swap);
		break;
	}
	if (!span.data)
		text_add(out, "(outside the record)");
	else if (f->kind == FIELD_STRING || f->kind == FIELD_DYNAMIC_STRING)
		text_bytes(out, (const char *)span.data, span.len);
	else if (f->kind == FIELD_BITMASK)
		add_bitmask(f, span, swap, out);
	else if (f->kind == FIELD_OPAQUE)
		add_hex(span, out);
	else
		add_array(f, span, swap, out);
}
