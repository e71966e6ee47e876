/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_value.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "parsers/types/event_header.h"
#include "parsers/types/field.h"
#include "src/filter/filter.h"

#define MAX_ELEMENTS 16u		/* elements of an array compared one by one */

void filter_text_quote(const char *value, struct text *out)
{
	size_t len = 0;

	while (isalnum((unsigned char)value[len]) || value[len] == '_' ||
	       (unsigned char)value[len] >= 0x80)
		len++;
	if (len && !value[len] && !isdigit((unsigned char)value[0])) {
		text_add(out, value);
		return;
	}
	text_char(out, '"');
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			text_char(out, '\\');
		text_char(out, *value);
	}
	text_char(out, '"');
}

/* Does a filter keep the event?  An invalid filter keeps nothing. */
static bool keeps(struct trace *trace, const struct trace_event *event, const char *expression)
{
	const struct filter_source source = { .text = expression, .file = -1 };
	struct filter_error err = { 0 };
	struct filter *filter = filter_new(trace, &source, 1, NULL, &err);
	struct filter_run *run = filter ? filter_run_new(filter) : NULL;
	bool kept = run && filter_run_stream(run, event->stream) != FILTER_NEVER &&
		    filter_run_event(run, event);

	filter_run_free(run);
	filter_free(filter);
	text_fini(&err.message);
	return kept;
}

/* Is it a name of a value, or joined names of bits: A|B? */
static bool is_names(const char *s)
{
	size_t len = 0;

	while (isalnum((unsigned char)s[len]) || s[len] == '_' || s[len] == '.' || s[len] == '|')
		len++;
	return len && !s[len] && !isdigit((unsigned char)s[0]) && s[0] != '|';
}

/* Append the name if it means this value in a filter; with a mark, as in R+, it needs quotes. */
static bool add_name(struct trace *trace, const struct trace_event *event, const char *field,
		     const char *printed, struct text *out)
{
	struct text expression = { 0 };
	size_t begin = out->len;
	bool plain = is_names(printed), kept;

	if (!isalpha((unsigned char)printed[0]) && printed[0] != '_')
		return false;
	if (strchr(printed, '"') || strchr(printed, '\\') || strstr(printed, "+0x"))
		return false;
	text_printf(out, plain ? "%s" : "\"%s\"", printed);
	text_printf(&expression, "%s/%s: %s == %s", event->type->system, event->type->name, field,
		    text_str(out) + begin);
	kept = keeps(trace, event, text_str(&expression));
	text_fini(&expression);
	if (!kept) {
		out->len = begin;
		out->data[begin] = '\0';
	}
	return kept;
}

static void add_number(const struct event_field *f, uint64_t value, struct text *out)
{
	if (f->is_signed)
		text_printf(out, "%" PRId64, (int64_t)value);
	else
		text_printf(out, value > INT64_MAX ? "0x%" PRIx64 : "%" PRIu64, value);
}

static enum filter_value_form add_array(const struct trace_event *event,
					const struct event_field *f, struct text *out)
{
	struct field_span span = field_bytes(f, event->data, event->size, event->swap);
	uint32_t nr = f->element_size ? span.len / f->element_size : 0;

	if (!nr || nr > MAX_ELEMENTS)
		return FILTER_ASKS_NOTHING;
	for (uint32_t i = 0; i < nr; i++) {
		text_printf(out, "%s%s[%u] == ", i ? " && " : "(", f->name, i);
		add_number(f, field_element(f, span, i, event->swap), out);
	}
	text_char(out, ')');
	return FILTER_ASKS_TERM;
}

/* A set of CPUs or of bits: 0-3,7. */
static enum filter_value_form add_mask(const struct trace_event *event, const struct event_field *f,
				       struct text *out)
{
	size_t begin = out->len, empty;

	text_printf(out, "(%s == ", f->name);
	empty = out->len;
	field_text(f, event->data, event->size, event->swap, out);
	if (out->len == empty) {
		out->len = begin;
		return FILTER_ASKS_NOTHING;
	}
	text_char(out, ')');
	return FILTER_ASKS_TERM;
}

static enum filter_value_form add_described(const struct trace_event *event, const char *field,
					    struct text *out)
{
	enum filter_value_form form = FILTER_ASKS_NOTHING;
	struct text value = { 0 };

	if (event->kind == TRACE_ROW_EVENT && event->type && event_header_name(field) &&
	    event_header_find(event->type, event->data, event->size, event_header_name(field),
			      &value)) {
		filter_text_quote(text_str(&value), out);
		form = FILTER_ASKS_VALUE;
	}
	text_fini(&value);
	return form;
}

enum filter_value_form filter_value_ask(struct trace *trace, const struct trace_event *event,
					const char *field, const char *raw, const char *printed,
					struct text *out)
{
	const struct event_field *f = event->kind == TRACE_ROW_EVENT && event->type ?
					      event_type_field(event->type, field) :
					      NULL;
	struct text string = { 0 };
	struct field_span span;

	if (!f)
		return add_described(event, field, out);
	switch (f->kind) {
	case FIELD_UINT:
	case FIELD_SINT:
	case FIELD_POINTER:
		if (!add_name(trace, event, field, printed, out))
			text_add(out, raw);
		return FILTER_ASKS_VALUE;
	case FIELD_STRING:
	case FIELD_DYNAMIC_STRING:
		span = field_bytes(f, event->data, event->size, event->swap);
		text_bytes(&string, (const char *)span.data,
			   span.data ? strnlen((const char *)span.data, span.len) : 0);
		filter_text_quote(text_str(&string), out);
		text_fini(&string);
		return FILTER_ASKS_VALUE;
	case FIELD_ARRAY:
	case FIELD_DYNAMIC_ARRAY:
		return add_array(event, f, out);
	case FIELD_BITMASK:
		return add_mask(event, f, out);
	case FIELD_OPAQUE:
		break;
	}
	return FILTER_ASKS_NOTHING;
}
