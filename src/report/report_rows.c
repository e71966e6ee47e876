/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/record_bound.h"
#include "parsers/types/event_header.h"
#include "parsers/types/field.h"
#include "src/base/json_out.h"

static void add_number(struct text *out, uint64_t v, bool is_signed)
{
	if (is_signed)
		json_out_exact_i64(out, NULL, (int64_t)v);
	else
		json_out_exact_u64(out, NULL, v);
}

static void add_array(const struct event_field *f, struct field_span span, bool swap,
		      struct text *out)
{
	json_out_array(out, NULL);
	for (uint32_t i = 0; i < span.len / f->element_size; i++)
		add_number(out, field_element(f, span, i, swap), f->is_signed);
	json_out_end(out, ']');
}

/* "0x…": the digits of an address are many for a number. */
static void add_address(struct text *out, uint64_t v)
{
	char hex[24];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, v);
	json_out_string(out, NULL, hex);
}

/* Addresses of a stack: all in the record, whatever the format says. */
static struct field_span stack_bytes(const struct trace_event *e, const struct event_field *f)
{
	const struct event_field *size = event_type_field(e->type, "size");
	uint32_t len = f->offset < e->size ? e->size - f->offset : 0;

	if (!strcmp(e->type->name, "kernel_stack") && size && size->element_size == size->size) {
		uint64_t nr = field_u64(size, e->data, e->size, e->swap);

		if (nr < len / f->element_size)
			len = (uint32_t)nr * f->element_size;
	}
	return (struct field_span){ e->data + (len ? f->offset : 0), len - len % f->element_size };
}

static void add_stack(const struct trace_event *e, const struct event_field *f, struct text *out)
{
	struct field_span span = stack_bytes(e, f);

	json_out_array(out, NULL);
	for (uint32_t i = 0; i < span.len / f->element_size; i++) {
		uint64_t v = field_element(f, span, i, e->swap);

		if (!v || v == UINT64_MAX || (f->element_size == 4 && v == UINT32_MAX))
			break;
		add_address(out, v);
	}
	json_out_end(out, ']');
}

static bool is_stack(const struct event_type *type, const struct event_field *f)
{
	return f->kind == FIELD_ARRAY && !strcmp(type->system, "ftrace") &&
	       !strcmp(f->name, "caller");
}

static void add_bytes(const struct event_field *f, const struct trace_event *e, struct text *out)
{
	struct field_span span = field_bytes(f, e->data, e->size, e->swap);

	if (!span.data) {
		json_out_null(out, NULL);
	} else if (f->kind == FIELD_STRING || f->kind == FIELD_DYNAMIC_STRING) {
		json_out_bytes(out, NULL, (const char *)span.data, span.len);
	} else if (f->kind == FIELD_ARRAY || f->kind == FIELD_DYNAMIC_ARRAY) {
		add_array(f, span, e->swap, out);
	} else { /* a bitmask "0-3,7"; bytes in hex */
		text_char(out, '"');
		field_text(f, e->data, e->size, e->swap, out);
		text_char(out, '"');
	}
}

static void add_field(const struct event_field *f, const struct trace_event *e, struct text *out)
{
	json_out_key(out, f->name);
	if (is_stack(e->type, f)) {
		add_stack(e, f, out);
		return;
	}
	switch (f->kind) {
	case FIELD_UINT:
	case FIELD_SINT:
		add_number(out, field_u64(f, e->data, e->size, e->swap), f->kind == FIELD_SINT);
		break;
	case FIELD_POINTER:
		add_address(out, field_u64(f, e->data, e->size, e->swap));
		break;
	case FIELD_STRING:
	case FIELD_ARRAY:
	case FIELD_DYNAMIC_STRING:
	case FIELD_DYNAMIC_ARRAY:
	case FIELD_BITMASK:
	case FIELD_OPAQUE:
		add_bytes(f, e, out);
		break;
	}
}

static void add_source(const struct report_row *row, struct text *out)
{
	if (row->file)
		json_out_string(out, "file", row->file);
	if (row->instance && *row->instance)
		json_out_string(out, "instance", row->instance);
}

void report_row_loss_json(const struct report_row *row, struct text *out)
{
	json_out_object(out, NULL);
	if (row->lost_known)
		json_out_u64(out, "lost", row->lost_count);
	else
		json_out_null(out, "lost");
	json_out_i64(out, "cpu", row->event->cpu);
	add_source(row, out);
	json_out_end_line(out);
}

/* Decimal digits that a double holds. */
#define EXACT_DIGITS	15u

static void add_own_field(void *arg, const struct event_header_value *v)
{
	struct text *out = arg, key = { 0 };

	if (v->is_inner)
		return;
	text_bytes(&key, v->name, v->len);
	if (v->is_decimal && v->text_len <= EXACT_DIGITS)
		json_out_i64(out, text_str(&key), strtoll(v->text, NULL, 10));
	else
		json_out_bytes(out, text_str(&key), v->text, v->text_len);
	text_fini(&key);
}

/* Fields that the record describes itself. */
static void add_described(const struct trace_event *e, struct text *out)
{
	int whole;

	if (!event_header_is(e->type))
		return;
	json_out_object(out, "eventheader");
	whole = event_header_read(e->type, e->data, e->size, add_own_field, out);
	if (whole < 0)
		json_out_bool(out, "cut_short", true);
	json_out_end(out, '}');
}

/* Fields above the limit of a record's text are left out. */
static void add_fields(const struct trace_event *e, struct text *out)
{
	size_t begin = out->len;
	unsigned int i = 0;

	for (; i < e->type->nr_fields && out->len - begin < RECORD_TEXT_BYTES; i++)
		if (!e->type->fields[i].is_common)
			add_field(&e->type->fields[i], e, out);
	if (i < e->type->nr_fields)
		json_out_bool(out, "cut_short", true);
	add_described(e, out);
}

void report_row_json(const struct report_row *row, struct text *out)
{
	const struct trace_event *e = row->event;

	if (row->lost)
		report_row_loss_json(row, out);
	json_out_object(out, NULL);
	json_out_i64(out, row->clock ? "ts" : "ts_ns", e->ts);
	if (row->clock)
		json_out_string(out, "clock", row->clock);
	json_out_i64(out, "cpu", e->cpu);
	json_out_i64(out, "pid", e->pid);
	json_out_string(out, "comm", row->comm);
	add_source(row, out);
	json_out_string(out, "system", trace_event_system(e));
	json_out_string(out, "event", trace_event_name(e));
	json_out_object(out, "fields");
	if (e->type)
		add_fields(e, out);
	json_out_end(out, '}');
	json_out_end_line(out);
}

void report_row_csv_header(bool counts, struct report_csv_sources sources, struct text *out)
{
	text_add(out, counts ? "ts,cpu,pid,comm,system,event,text" :
			       "ts_ns,cpu,pid,comm,system,event,text");
	text_add(out, sources.buffer ? ",buffer" : "");
	text_add(out, sources.file ? ",file\n" : "\n");
}

static void add_csv_word(struct text *out, const char *word)
{
	text_csv(out, word, strlen(word));
	text_char(out, ',');
}

static void end_csv_row(const struct report_row *row, struct report_csv_sources sources,
			struct text *out)
{
	if (sources.buffer) {
		text_char(out, ',');
		if (row->instance)
			text_csv(out, row->instance, strlen(row->instance));
	}
	if (sources.file) {
		text_char(out, ',');
		if (row->file)
			text_csv(out, row->file, strlen(row->file));
	}
	text_char(out, '\n');
}

void report_row_loss_csv(const struct report_row *row, struct report_csv_sources sources,
			 struct text *out)
{
	text_printf(out, ",%d,,,,lost,", row->event->cpu);
	if (row->lost_known)
		text_u64(out, row->lost_count);
	end_csv_row(row, sources, out);
}

void report_row_csv(const struct report_row *row, const char *printed, size_t len,
		    struct report_csv_sources sources, struct text *out)
{
	const struct trace_event *e = row->event;

	if (row->lost)
		report_row_loss_csv(row, sources, out);
	text_i64(out, e->ts);
	text_char(out, ',');
	text_i64(out, e->cpu);
	text_char(out, ',');
	text_i64(out, e->pid);
	text_char(out, ',');
	add_csv_word(out, row->comm);
	add_csv_word(out, trace_event_system(e));
	add_csv_word(out, trace_event_name(e));
	text_csv(out, printed, len);
	end_csv_row(row, sources, out);
}
