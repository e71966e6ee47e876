/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_FIELD_H
#define FTOP_PARSERS_TYPES_FIELD_H
/*
 * field - loads values from a record's payload by an immutable field table.  Never reads past
 * @size: data outside the record reads as 0 or as an empty span.
 */
#include "parsers/io/byte_reader.h"
#include "parsers/types/event_types.h"

/* Can a number have this many bytes? */
static inline bool field_is_number(uint32_t width)
{
	return width == 1 || width == 2 || width == 4 || width == 8;
}

static inline uint64_t field_load(const uint8_t *data, uint32_t size, uint32_t offset,
				  uint32_t width, bool swap)
{
	if (width > size || offset > size - width)
		return 0;
	switch (width) {
	case 1:
		return data[offset];
	case 2:
		return load_u16(data + offset, swap);
	case 4:
		return load_u32(data + offset, swap);
	case 8:
		return load_u64(data + offset, swap);
	}
	return 0;
}

/* The record's event type and task. */
static inline int field_type_id(const struct common_layout *common, const uint8_t *data,
				uint32_t size, bool swap)
{
	return (uint16_t)field_load(data, size, common->type_offset, common->type_size, swap);
}

static inline int32_t field_pid(const struct common_layout *common, const uint8_t *data,
				uint32_t size, bool swap)
{
	return (int32_t)field_load(data, size, common->pid_offset, common->pid_size, swap);
}

/* Sign-extend a value of @width bytes. */
static inline int64_t field_sign(uint64_t value, uint32_t width)
{
	return width == 1 ? (int8_t)value :
	       width == 2 ? (int16_t)value :
	       width == 4 ? (int32_t)value :
			    (int64_t)value;
}

/* The number in a field.  FIELD_SINT is sign-extended; 0 for arrays and strings. */
static inline uint64_t field_u64(const struct event_field *f, const uint8_t *data, uint32_t size,
				 bool swap)
{
	uint64_t v = field_load(data, size, f->offset, f->size, swap);

	return f->kind == FIELD_SINT ? (uint64_t)field_sign(v, f->size) : v;
}

struct field_span {
	const uint8_t	*data;		/* NULL if the field points outside the record */
	uint32_t	 len;		/* bytes; of a string, without its NUL */
};

/* The bytes of a string, array, bitmask or dynamic field, clipped to the record. */
struct field_span field_bytes(const struct event_field *f, const uint8_t *data, uint32_t size,
			      bool swap);

/* Element @i of an array; signed elements are sign-extended. */
static inline uint64_t field_element(const struct event_field *f, struct field_span span,
				     uint32_t i, bool swap)
{
	uint64_t v = field_load(span.data, span.len, i * f->element_size, f->element_size, swap);

	return f->is_signed ? (uint64_t)field_sign(v, f->element_size) : v;
}

/*
 * Append a field's value according to its kind: numbers in decimal, addresses in hex, strings as
 * they are, arrays as "1 2 3", arrays of bytes and opaque fields in hex, bitmasks as "0-3,7".
 */
struct text;
void field_text(const struct event_field *f, const uint8_t *data, uint32_t size, bool swap,
		struct text *out);

#endif
