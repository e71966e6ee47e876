/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_babeltrace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parsers/ctf/ctf_names.h"
#include "parsers/ctf/ctf_quote.h"
#include "parsers/print/print_format.h"
#include "parsers/print/print_number.h"
#include "parsers/print/text_context.h"
#include "parsers/types/field.h"
#include "src/base/memory.h"

#define SECOND		1000000000
#define MAX_TYPES	(UINT16_MAX + 1u)

/* "[19:26:34.359148425] (+0.000000822) ": local time; the time since the line before */
static void add_time(struct trace *trace, const struct report_lines *lines,
		     const struct trace_event *e, struct text *out)
{
	bool known;
	int64_t ns = e->ts + trace_wall_offset_ns(trace, &known);
	int64_t since = e->ts - (int64_t)lines->before_ts;
	time_t seconds = ns / SECOND - (ns % SECOND < 0);
	struct tm local = { 0 };

	localtime_r(&seconds, &local);
	text_printf(out, "[%02d:%02d:%02d.%09d] ", local.tm_hour, local.tm_min, local.tm_sec,
		    (int)(ns - seconds * SECOND));
	if (lines->has_before)
		text_printf(out, "(+%" PRId64 ".%09" PRId64 ") ", since / SECOND, since % SECOND);
	else	/* in pieces: "??)" would be a trigraph */
		text_add(out, "(+?.????"
			      "????"
			      "?) ");
}

/* A field's text; false: the record has none. */
static bool add_field(const struct trace_event *e, const char *name, struct text *out)
{
	const struct event_field *f = e->type ? event_type_field(e->type, name) : NULL;

	if (f)
		field_text(f, e->data, e->size, e->swap, out);
	return f;
}

/* The host, of a buffer with its name or of uname's text "Linux HOST …"; "HOST:COMM:(PID) " */
static void add_host(struct trace *trace, const struct trace_event *e, struct text *out)
{
	const struct source *file = trace_file_of(trace, e->file);
	size_t before = out->len;
	const char *name = source_buffer(file, e->buffer)->name,
		   *blank = strchr(source_info(file)->uname, ' ');

	if (!*name && blank)
		text_bytes(out, blank + 1, strcspn(blank + 1, " "));
	else
		text_add(out, name);
	for (size_t i = 0; i < 2; i++) {
		struct text value = { 0 };

		if (add_field(e, i ? "env_vpid" : "env_procname", &value))
			text_printf(out, i ? "%s(%s)" : "%s%s", out->len > before ? ":" : "",
				    text_str(&value));
		text_fini(&value);
	}
	text_add(out, out->len > before ? " " : "");
}

/* Of other traces, events of user space are "PROVIDER:EVENT", or of the system ust. */
static void add_name(const struct trace_event *e, struct text *out)
{
	if (e->type && e->type->format->own_name) {
		text_printf(out, "%s: ", e->type->format->own_name);
		return;
	}
	if (e->type && strcmp(e->type->system, "ust") != 0 &&
	    strcmp(ctf_names_system(e->type->name), e->type->system) != 0)
		text_printf(out, "%s:", e->type->system);
	text_printf(out, "%s: ", trace_event_name(e));
}

static void add_value_of(const struct trace_event *e, const struct event_field *f, struct text *out)
{
	struct text value = { 0 };

	field_text(f, e->data, e->size, e->swap, &value);
	if (f->kind == FIELD_POINTER)
		text_printf(out, "0x%" PRIX64, field_u64(f, e->data, e->size, e->swap));
	else if (event_field_is_number(f) || strstr(f->type, CTF_TEXT))
		text_bytes(out, text_str(&value), value.len);
	else
		ctf_quote(out, text_str(&value), value.len);
	text_fini(&value);
}

/* "{ procname = "challenger", vtid = 10611 }, ": fields whose names begin with @prefix */
static void add_context(const struct trace_event *e, const char *prefix, struct text *out)
{
	size_t len = strlen(prefix), before = out->len;

	for (unsigned int i = 0; i < e->type->nr_fields && !text_is_full(out); i++) {
		const struct event_field *f = &e->type->fields[i];

		/* the print format has the fields of the payload */
		if (strncmp(f->name, prefix, len) != 0 || strstr(e->type->print_fmt, f->name))
			continue;
		text_printf(out, "%s%s = ", out->len > before ? ", " : "{ ", f->name + len);
		add_value_of(e, f, out);
	}
	text_add(out, out->len > before ? " }, " : "");
}

static void add_contexts(const struct trace_event *e, struct text *out)
{
	if (!event_type_lacks(e->type, FORMAT_LACKS_CPU))
		text_printf(out, "{ cpu_id = %d }, ", e->cpu);
	if (!e->type)
		return;
	add_context(e, "packet_", out);
	add_context(e, "context_", out);
	add_context(e, "event_context_", out);
}

/* --- payload ---------------------------------------------------------------------------------- */

/* What the style knows: print formats of the types that have events. */
struct babeltrace_lines {
	struct arena	 arena;
	struct print_format ***formats;	/* [files], in the arena; each [MAX_TYPES], or NULL */
};

static void *prepare(struct trace *trace, const struct report_options *options)
{
	struct babeltrace_lines *b = mem_alloc(sizeof(*b));
	struct trace_type_count *counts;
	unsigned int nr = trace_type_counts(trace, &counts);

	(void)options;
	*b = (struct babeltrace_lines){ 0 };
	b->formats = arena_alloc(&b->arena, trace_nr_files(trace) * sizeof(*b->formats));
	for (unsigned int i = 0; i < nr; i++) {
		struct print_format ***of_file = &b->formats[counts[i].file];

		if (!counts[i].events || !counts[i].type || counts[i].id >= (int)MAX_TYPES)
			continue;
		if (!*of_file)
			*of_file = arena_alloc(&b->arena, MAX_TYPES * sizeof(**of_file));
		(*of_file)[counts[i].id] = print_format_parse(&b->arena, counts[i].type, 8);
	}
	free(counts);
	return b;
}

static void release(void *prepared)
{
	struct babeltrace_lines *b = prepared;

	if (b)
		arena_fini(&b->arena);
	free(b);
}

/* The number of an argument: a field, and what is done to it with constants. */
static bool evaluate(const struct print_node *node, const struct trace_event *e, uint64_t *v)
{
	uint64_t a, b;

	if (node->kind == NODE_NUMBER)
		*v = node->value;
	else if (node->kind == NODE_FIELD && event_field_is_number(node->field))
		*v = field_u64(node->field, e->data, e->size, e->swap);
	else if (node->kind == NODE_BINARY && evaluate(node->a, e, &a) && evaluate(node->b, e, &b))
		*v = print_apply(node->op, true, a, b);
	else
		return false;
	return true;
}

/* All labels of the value: "NEW", "FIRST" */
static bool add_labels(const struct print_node *symbolic, const struct trace_event *e,
		       struct text *out)
{
	bool any = false;
	uint64_t v;

	if (!evaluate(symbolic->a, e, &v))
		return false;
	for (unsigned int i = 0; i < symbolic->names->nr; i++) {
		const struct value_name *name = &symbolic->names->names[i];

		if (name->value != v)
			continue;
		text_add(out, any ? ", " : "");
		ctf_quote(out, name->name, strlen(name->name));
		any = true;
	}
	text_add(out, any ? "" : "<unknown>");
	return true;
}

/* @quoted: it stands between quotes, which are left out here. */
static bool add_value(const struct print_segment *segment, const struct trace_event *e, bool quoted,
		      struct text *out)
{
	const struct print_node *arg = segment->arg;
	struct field_span span;
	uint64_t v;

	if (segment->conversion != 's') {
		struct print_spec spec = { .conversion = segment->conversion,
					   .bytes = segment->length == LENGTH_LONG_LONG ? 8 : 4,
					   .width = -1, .precision = -1 };

		if (evaluate(arg, e, &v))
			print_number(out, &spec, v);
		return evaluate(arg, e, &v);
	}
	if (arg->kind == NODE_CALL && arg->call == CALL_SYMBOLIC)
		return quoted && add_labels(arg, e, out);
	if (!arg->field || event_field_is_number(arg->field))
		return false;
	span = field_bytes(arg->field, e->data, e->size, e->swap);
	if (quoted)
		ctf_quote(out, (const char *)span.data, span.len);
	else
		text_bytes(out, (const char *)span.data, span.len);
	return true;
}

/*
 * The payload, by a print format of parsers/ctf, which has strings and labels between quotes.
 * False, with nothing added: it is none.
 */
static bool add_payload(const struct print_format *format, const struct trace_event *e,
			struct text *out)
{
	size_t begin = out->len;
	bool quoted = false;

	for (unsigned int i = 0; i < format->nr && !text_is_full(out); i++) {
		const struct print_segment *segment = &format->segments[i];

		if (!segment->is_value) {
			text_bytes(out, segment->text + quoted, segment->len - quoted);
			continue;
		}
		quoted = segment->conversion == 's' && out->len > begin &&
			 out->data[out->len - 1] == '"' && i + 1 < format->nr &&
			 *format->segments[i + 1].text == '"';
		out->len -= quoted;
		if (!add_value(segment, e, quoted, out)) {
			out->len = begin;
			return false;
		}
	}
	return !format->failed;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void add_end(size_t len, struct text *out)
{
	text_add(out, len ? " }" : "}");
}

static bool add_head(const struct report_form *form, const struct report_lines *lines,
		     const struct trace_event *e, const char *comm, struct text *out)
{
	const struct babeltrace_lines *b = form->prepared;
	struct print_format **formats = b->formats[e->file];
	const struct print_format *format = formats && e->type_id >= 0 &&
							    e->type_id < (int)MAX_TYPES ?
						    formats[e->type_id] :
						    NULL;
	size_t begin;

	(void)comm;
	if (!event_type_lacks(e->type, FORMAT_LACKS_TIME))
		add_time(form->trace, lines, e, out);
	add_host(form->trace, e, out);
	add_name(e, out);
	add_contexts(e, out);
	if (event_type_lacks(e->type, FORMAT_LACKS_FIELDS))
		return true;
	text_add(out, "{ ");
	begin = out->len;
	if (!format || !add_payload(format, e, out))
		return false;
	add_end(out->len - begin, out);
	return true;
}

const struct report_line_style report_babeltrace = { .prepare = prepare,
						     .release = release,
						     .head = add_head,
						     .end = add_end,
						     .chained = true,
						     .has_buffers = true };
