/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_record - an event as a record: see ctf_types.h. */
#include <string.h>

#include "parsers/ctf/ctf_text.h"
#include "parsers/ctf/ctf_types_private.h"
#include "parsers/io/byte_reader.h"

struct filler {
	const struct ctf_slot *slot;	/* the next one */
	const struct ctf_slot *end;
	struct text	*record;
	struct text	 text;		/* of a value */
	bool		 is_whole;
};

static void put_number(uint8_t *to, uint64_t v, uint8_t size)
{
	if (size == 8)
		store_u64(to, v, false);
	else if (size == 4)
		store_u32(to, (uint32_t)v, false);
	else if (size == 2)
		store_u16(to, (uint16_t)v, false);
	else
		*to = (uint8_t)v;
}

static size_t room_of(const struct filler *f)
{
	return f->record->len < CTF_MAX_RECORD ? CTF_MAX_RECORD - f->record->len : 0;
}

/* Text behind all fields: its place and length are the field. */
static void put_text(struct filler *f, uint16_t at, const char *s, size_t len)
{
	size_t from = f->record->len, room = room_of(f);

	if (len + 1 > room) {
		f->is_whole = false;
		if (!room)
			return;
		len = room - 1;
	}
	text_bytes(f->record, s, len);
	text_char(f->record, '\0');
	store_u32((uint8_t *)f->record->data + at, (uint32_t)((len + 1) << 16 | from), false);
}

static void fill(struct filler *f, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	bt_field_class_type type = bt_field_class_get_type(class);
	const struct ctf_slot *slot = f->slot;
	const char *s;

	if (type == BT_FIELD_CLASS_TYPE_STRUCTURE) {
		uint64_t nr = bt_field_class_structure_get_member_count(class);

		for (uint64_t i = 0; i < nr; i++)
			fill(f, bt_field_structure_borrow_member_field_by_index_const(field, i));
		return;
	}
	if (slot == f->end)
		return;
	f->slot++;
	switch (slot->kind) {
	case SLOT_NUMBER:
		put_number((uint8_t *)f->record->data + slot->at,
			   (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER) ?
				    (uint64_t)bt_field_integer_signed_get_value(field) :
				    bt_field_integer_unsigned_get_value(field)) +
				   (uint64_t)slot->more,
			   slot->size);
		break;
	case SLOT_COMM:
		s = ctf_text_string(field);
		memcpy(f->record->data + slot->at, s, strnlen(s, CTF_COMM_BYTES - 1));
		break;
	case SLOT_STRING:
		s = ctf_text_string(field);
		put_text(f, slot->at, s, strlen(s));
		break;
	case SLOT_TEXT:
		text_clear(&f->text);
		text_bound(&f->text, room_of(f) + 1);
		ctf_text_value(field, &f->text);
		text_unbound(&f->text);
		put_text(f, slot->at, text_str(&f->text), f->text.len);
		break;
	case SLOT_PROCNAME:
	case SLOT_VPID:
		break;
	case SLOT_NOT:
		f->is_whole = false;
		break;
	}
}

static void fill_environment(struct filler *f, const bt_event *event)
{
	const bt_trace *trace = ctf_trace_of(event);

	for (; f->slot < f->end; f->slot++)
		if (f->slot->kind == SLOT_PROCNAME) {
			const char *comm = bt_value_string_get(ctf_environment(trace, "procname"));

			put_text(f, f->slot->at, comm, strlen(comm));
		} else if (f->slot->kind == SLOT_VPID) {
			put_number((uint8_t *)f->record->data + f->slot->at,
				   (uint64_t)bt_value_integer_signed_get(
					   ctf_environment(trace, "vpid")),
				   4);
		}
}

bool ctf_record_make(const struct ctf_type *type, const bt_event *event, struct text *record)
{
	const bt_field *parts[] = { bt_event_borrow_payload_field_const(event),
				    type->has_packet ?
					    bt_packet_borrow_context_field_const(
						    bt_event_borrow_packet_const(event)) :
					    NULL,
				    bt_event_borrow_common_context_field_const(event),
				    bt_event_borrow_specific_context_field_const(event) };
	struct filler f = { type->slots, type->slots + type->nr_slots, record, .is_whole = true };

	text_clear(record);
	text_reserve(record, type->size);
	memset(record->data, 0, type->size);
	record->len = type->size;
	store_u16((uint8_t *)record->data, (uint16_t)type->id, false);
	for (unsigned int i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i])
			fill(&f, parts[i]);
	fill_environment(&f, event);
	while (record->len & 3)
		text_char(record, '\0');
	text_fini(&f.text);
	return f.is_whole;
}
