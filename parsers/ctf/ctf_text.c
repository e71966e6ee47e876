/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/ctf/ctf_text.h"

#include <inttypes.h>
#include <string.h>

#include "parsers/ctf/ctf_quote.h"
#include "parsers/source/record_bound.h"

/* babeltrace 2.0.4 clears only the length of an empty string. */
const char *ctf_text_string(const bt_field *field)
{
	return bt_field_string_get_length(field) ? bt_field_string_get_value(field) : "";
}

static void add_string(const char *s, struct text *out)
{
	ctf_quote(out, s, strnlen(s, RECORD_TEXT_BYTES));
}

/* The bits that are shown of a number of @bits bits: whole digits of @digit bits each. */
static uint64_t shown_bits(uint64_t v, uint64_t bits, unsigned int digit)
{
	bits = (bits + digit - 1) / digit * digit;
	return bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;
}

static void add_number(uint64_t v, bool is_signed, const bt_field_class *class, struct text *out)
{
	uint64_t bits = bt_field_class_integer_get_field_value_range(class);

	switch (bt_field_class_integer_get_preferred_display_base(class)) {
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_BINARY:
		text_add(out, "0b");
		while (bits--)
			text_char(out, v >> bits & 1 ? '1' : '0');
		break;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_OCTAL:
		text_printf(out, "0%" PRIo64, shown_bits(v, bits, 3));
		break;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL:
		text_printf(out, "0x%" PRIX64, shown_bits(v, bits, 4));
		break;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_DECIMAL:
		if (is_signed)
			text_i64(out, (int64_t)v);
		else
			text_u64(out, v);
		break;
	}
}

static void add_enumeration(const bt_field *field, const bt_field_class *class, bool is_signed,
			    uint64_t v, struct text *out)
{
	bt_field_class_enumeration_mapping_label_array labels;
	uint64_t nr = 0;

	if (is_signed)
		bt_field_enumeration_signed_get_mapping_labels(field, &labels, &nr);
	else
		bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &nr);
	text_add(out, nr ? "( " : "( <unknown>");
	for (uint64_t i = 0; i < nr && !text_is_full(out); i++) {
		text_add(out, i ? ", " : "");
		add_string(labels[i], out);
	}
	text_add(out, " : container = ");
	add_number(v, is_signed, class, out);
	text_add(out, " )");
}

static void add_structure(const bt_field *field, const bt_field_class *class, struct text *out)
{
	uint64_t nr = bt_field_class_structure_get_member_count(class);

	text_add(out, "{ ");
	for (uint64_t i = 0; i < nr && !text_is_full(out); i++) {
		text_printf(out, "%s%s = ", i ? ", " : "",
			    bt_field_class_structure_member_get_name(
				    bt_field_class_structure_borrow_member_by_index_const(class,
											  i)));
		ctf_text_value(bt_field_structure_borrow_member_field_by_index_const(field, i),
			       out);
	}
	text_add(out, nr ? " }" : "}");
}

static void add_array(const bt_field *field, struct text *out)
{
	uint64_t nr = bt_field_array_get_length(field);

	text_add(out, "[ ");
	for (uint64_t i = 0; i < nr && !text_is_full(out); i++) {
		text_printf(out, "%s[%" PRIu64 "] = ", i ? ", " : "", i);
		ctf_text_value(bt_field_array_borrow_element_field_by_index_const(field, i), out);
	}
	text_add(out, nr ? " ]" : "]");
}

void ctf_text_value(const bt_field *field, struct text *out)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	bt_field_class_type type = bt_field_class_get_type(class);
	bool is_enum = bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ENUMERATION),
	     is_signed = bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER)) {
		uint64_t v = is_signed ? (uint64_t)bt_field_integer_signed_get_value(field) :
					 bt_field_integer_unsigned_get_value(field);

		if (is_enum)
			add_enumeration(field, class, is_signed, v, out);
		else
			add_number(v, is_signed, class, out);
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		add_string(ctf_text_string(field), out);
	} else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) {
		text_printf(out, "%g", (double)bt_field_real_single_precision_get_value(field));
	} else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) {
		text_printf(out, "%g", bt_field_real_double_precision_get_value(field));
	} else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE) {
		add_structure(field, class, out);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) {
		add_array(field, out);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
		text_add(out, "{ ");
		ctf_text_value(bt_field_variant_borrow_selected_option_field_const(field), out);
		text_add(out, " }");
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
		const bt_field *inner = bt_field_option_borrow_field_const(field);

		text_add(out, inner ? "{ " : "<none>");
		if (inner)
			ctf_text_value(inner, out);
		text_add(out, inner ? " }" : "");
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		text_add(out, bt_field_bool_get_value(field) ? "true" : "false");
	} else if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY) {
		text_printf(out, "0x%" PRIX64, bt_field_bit_array_get_value_as_integer(field));
	}
}
