/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/text/short_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parsers/print/text_pattern.h"
#include "parsers/types/field.h"
#include "src/events/known_events.h"

static const char *const error_fields[] = { "ret", "error", "err", "errno", "rc", "result" };

static const char *const address_fields[] = { "vm_start", "vm_end", "start", "end", "addr" };

static void find_values(struct short_text *brief, const struct event_type *type)
{
	int nr = 0;

	for (size_t i = 0; i < sizeof(error_fields) / sizeof(error_fields[0]) && !brief->error;
	     i++) {
		brief->error = event_type_field(type, error_fields[i]);
		if (brief->error && brief->error->kind != FIELD_SINT)
			brief->error = NULL;
	}
	for (size_t i = 0; i < sizeof(address_fields) / sizeof(address_fields[0]) && nr < 2; i++) {
		const struct event_field *f = event_type_field(type, address_fields[i]);

		if (f && f->kind == FIELD_UINT && f->size == 8)
			brief->addresses[nr++] = f;
	}
}

static bool compile(struct short_text *brief, const struct event_type *type, const char *form)
{
	struct short_part *part = brief->parts;

	for (; part < brief->parts + SHORT_TEXT_PARTS && template_next(&form, &part->part);
	     part++) {
		for (unsigned int i = type->nr_common; i < type->nr_fields && !part->field; i++)
			if (template_name_is(&part->part, type->fields[i].name))
				part->field = &type->fields[i];
		if (part->part.name && !part->field)
			return false;
		part->is_state = template_how_is(&part->part, "state");
	}
	brief->nr_parts = (unsigned int)(part - brief->parts);
	return !*form;
}

const struct short_text *short_text_new(struct arena *arena, const struct event_type *type,
					bool swap)
{
	const char *form = known_events_text(KNOWN_SHORT, type->system, type->name, NULL);
	struct short_text *brief = arena_alloc(arena, sizeof(*brief));

	brief->swap = swap;
	find_values(brief, type);
	/* a type that lacks a field of its form has none */
	if (form && !compile(brief, type, form))
		brief->nr_parts = 0;
	if (brief->nr_parts && sched_text_is_switch(type))
		sched_states_parse(&brief->states, type->print_fmt);
	return brief;
}

static void add_value(const struct short_text *brief, const struct short_part *part,
		      const struct print_record *rec, struct text *out)
{
	bool is_number = event_field_is_number(part->field);
	uint64_t value = is_number ? field_u64(part->field, rec->data, rec->size, brief->swap) : 0;

	if (is_number && part->is_state)
		sched_states_text(&brief->states, value, out);
	else if (!is_number || !template_add_number(&part->part, (int64_t)value, out))
		field_text(part->field, rec->data, rec->size, brief->swap, out);
}

void short_text_add(const struct short_text *brief, const struct print_record *rec,
		    struct text *out)
{
	for (unsigned int i = 0; i < brief->nr_parts; i++) {
		const struct short_part *part = &brief->parts[i];

		text_bytes(out, part->part.text, part->part.text_len);
		if (part->field)
			add_value(brief, part, rec, out);
	}
}

/* --- their pattern ------------------------------------------------------------------ */

static void state_pattern(const struct sched_states *states, struct text_pattern *p)
{
	struct text letters = { 0 };

	text_pattern_optional(p, "T or t");
	text_pattern_optional(p, "t or I");
	text_add(&letters, "R+|");
	for (unsigned int i = 0; i < states->nr; i++)
		text_char(&letters, states->states[i].letter);
	text_pattern_chars(p, text_str(&letters));
	text_fini(&letters);
}

/* "no|yes", and a number */
static void choice_pattern(const struct template_part *part, struct text_pattern *p)
{
	const char *at = part->how, *end = part->how + part->how_len;

	while (at < end) {
		const char *bar = memchr(at, '|', (size_t)(end - at)) ?: end;
		unsigned int skip = text_pattern_branch(p, false);

		text_pattern_literal(p, at, (size_t)(bar - at));
		text_pattern_set_target(p, skip, text_pattern_nr(p));
		at = bar + 1;
	}
	text_pattern_chars(p, TEXT_PATTERN_NUMBER);
	text_pattern_optional(p, "0x");
	text_pattern_chars(p, TEXT_PATTERN_HEX);
}

static void value_pattern(const struct short_text *brief, const struct short_part *part,
			  struct text_pattern *p)
{
	const struct event_field *f = part->field;

	if (f->kind == FIELD_STRING || f->kind == FIELD_DYNAMIC_STRING) {
		text_pattern_optional(p, "(outside the record)");
		text_pattern_hole(p, TEXT_PATTERN_STRING);
	} else if (!event_field_is_number(f)) {
		text_pattern_any(p);
	} else if (part->is_state) {
		state_pattern(&brief->states, p);
	} else if (template_how_is(&part->part, "ns") || template_how_is(&part->part, "us")) {
		text_pattern_chars(p, TEXT_PATTERN_DURATION);
	} else if (memchr(part->part.how, '|', part->part.how_len)) {
		choice_pattern(&part->part, p);
	} else if (f->kind == FIELD_POINTER || template_how_is(&part->part, "hex")) {
		text_pattern_chars(p, TEXT_PATTERN_HEX);
	} else if (!template_is_number(&part->part)) {
		text_pattern_chars(p, TEXT_PATTERN_NUMBER);
	} else {
		text_pattern_any(p);
	}
}

void short_text_pattern(const struct short_text *brief, struct text_pattern *p)
{
	for (unsigned int i = 0; i < brief->nr_parts; i++) {
		const struct short_part *part = &brief->parts[i];

		text_pattern_literal(p, part->part.text, part->part.text_len);
		if (part->field)
			value_pattern(brief, part, p);
	}
}

/* --- repairs ------------------------------------------------------------------------ */

/* The last place of a whole number in a text after @begin; NULL: it is not there. */
static char *find_number(const struct text *t, size_t begin, const char *number)
{
	char *found = NULL, *at = t->data + begin;
	size_t len = strlen(number);

	while ((at = strstr(at, number)) != NULL) {
		if ((at == t->data + begin || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[len]))
			found = at;
		at += len;
	}
	return found;
}

static void replace_number(struct text *t, size_t begin, const char *number, const char *by)
{
	char *at = find_number(t, begin, number);
	struct text tail = { 0 };

	if (!at)
		return;
	text_add(&tail, at + strlen(number));
	t->len = at - t->data;
	text_add(t, by);
	text_bytes(t, text_str(&tail), tail.len);
	text_fini(&tail);
}

static void name_error(const struct short_text *brief, int64_t value, size_t begin,
		       struct text *out)
{
	uint64_t bits = brief->error->size == 4 ? (uint64_t)(uint32_t)value : (uint64_t)value;
	const char *name = text_error_name(value);
	char number[24];

	if (!name)
		return;
	snprintf(number, sizeof(number), "%" PRId64, value);
	replace_number(out, begin, number, name);
	snprintf(number, sizeof(number), "0x%" PRIx64, bits);
	replace_number(out, begin, number, name);
}

void short_text_mend(const struct short_text *brief, const struct print_record *rec, size_t begin,
		     struct text *out)
{
	if (out->len <= begin)
		return;
	if (brief->error)
		name_error(brief,
			   (int64_t)field_u64(brief->error, rec->data, rec->size, brief->swap),
			   begin, out);
	for (int i = 0; i < 2 && brief->addresses[i]; i++) {
		uint64_t address = field_u64(brief->addresses[i], rec->data, rec->size,
					     brief->swap);
		char number[24], hex[24];

		if (address <= UINT32_MAX)	/* it may be a count */
			continue;
		snprintf(number, sizeof(number), "%" PRIu64, address);
		snprintf(hex, sizeof(hex), "0x%" PRIx64, address);
		replace_number(out, begin, number, hex);
	}
}
