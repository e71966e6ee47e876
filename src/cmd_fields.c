/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields - what filters can ask of a trace: its events with their counts, their
 * fields with types and the names of their values, and names of any event.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/event_types.h"
#include "parsers/record_text.h"
#include "src/commands.h"
#include "src/filter_names.h"
#include "src/output.h"
#include "src/report_text.h"
#include "src/text.h"
#include "src/trace.h"
#include "src/workers.h"

enum { OPT_FORMAT };

const struct command_def cmd_fields_def = {
	.name = "fields",
	.operands = "[FILE]",
	.summary = "what filters can ask: events with counts, fields with types and names of values",
	.details = "Events that occur in the trace, by their number; the names that any event has come first. CSV and JSON have\n"
		   "a row for each field: event is empty for names of any event.",
	.max_operands = 1,
	.options = (const struct option_def[]){
		{ "format", 0, "text|csv|json", OPT_FORMAT, "csv: system,event,events,field,type,values; json: an object a line" },
		OPTION_END,
	},
};

static int by_count(const void *a, const void *b)
{
	const struct trace_type_count *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return x->file != y->file ? (x->file < y->file ? -1 : 1) : x->id - y->id;
}

struct row {
	const char	*system, *event, *field, *type;
	uint64_t	 events;
	struct text	 values;	/* "R=0 S=1" */
};

static void json_string(struct text *out, const char *key, const char *s)
{
	text_printf(out, ",\"%s\":\"", key);
	text_json(out, s, strlen(s));
	text_char(out, '"');
}

static void add_row(const struct row *row, int format, struct text *out)
{
	size_t start = out->len;

	if (format == FORMAT_JSON) {
		text_printf(out, "{\"events\":%" PRIu64, row->events);
		json_string(out, "system", row->system);
		json_string(out, "event", row->event);
		json_string(out, "field", row->field);
		json_string(out, "type", row->type);
		json_string(out, "values", text_str(&row->values));
		text_add(out, "}\n");
		return;
	}
	if (format == FORMAT_CSV) {
		text_csv(out, row->system, strlen(row->system));
		text_char(out, ',');
		text_csv(out, row->event, strlen(row->event));
		text_printf(out, ",%" PRIu64 ",", row->events);
		text_csv(out, row->field, strlen(row->field));
		text_char(out, ',');
		text_csv(out, row->type, strlen(row->type));
		text_char(out, ',');
		text_csv(out, text_str(&row->values), row->values.len);
		text_char(out, '\n');
		return;
	}
	text_add(out, "    ");
	text_printable(out, row->field, strlen(row->field));
	text_pad(out, out->len - start < 26 ? 26 - (out->len - start) : 1);
	text_printable(out, row->type, strlen(row->type));
	if (row->values.len) {
		text_pad(out, out->len - start < 50 ? 50 - (out->len - start) : 1);
		text_printable(out, text_str(&row->values), row->values.len);
	}
	text_char(out, '\n');
}

static void add_values(struct trace *trace, unsigned int file, const struct event_type *type, const struct event_field *field,
		       struct text *out)
{
	struct record_text *texts = trace_record_text(trace, file);
	const struct value_names *names = texts ? record_text_names(texts, type, field) : NULL;

	for (unsigned int i = 0; names && i < names->nr; i++)
		text_printf(out, "%s%s=%" PRIu64, i ? " " : "", names->names[i].name, names->names[i].value);
}

static void add_event(struct trace *trace, const struct trace_type_count *count, int format, struct text *out)
{
	const struct event_type *type = count->type;

	if (!type)
		return;
	if (format == FORMAT_TEXT) {
		text_add(out, "\n");
		text_printable(out, type->system, strlen(type->system));
		text_char(out, '/');
		text_printable(out, type->name, strlen(type->name));
		text_add(out, ": ");
		text_count(out, count->events);
		text_add(out, count->events == 1 ? " event\n" : " events\n");
	}
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		const struct event_field *field = &type->fields[i];
		struct row row = { .system = type->system, .event = type->name, .field = field->name, .type = field->type,
				   .events = count->events };

		/* The common ones of all events are told once, as text. */
		if (field->is_common && format == FORMAT_TEXT)
			continue;
		add_values(trace, count->file, type, field, &row.values);
		add_row(&row, format, out);
		text_fini(&row.values);
	}
}

static void add_names(uint64_t events, int format, struct text *out)
{
	if (format == FORMAT_CSV)
		text_add(out, "system,event,events,field,type,values\n");
	if (format == FORMAT_TEXT)
		text_add(out, "any event\n");
	for (const struct filter_name *name = filter_names; name->name; name++) {
		struct row row = { .system = "", .event = "", .field = name->name, .type = name->help, .events = events };

		add_row(&row, format, out);
	}
}

static void add_common(const struct trace_type_count *count, struct text *out)
{
	for (unsigned int i = 0; count->type && i < count->type->nr_common; i++) {
		const struct event_field *field = &count->type->fields[i];
		struct row row = { .field = field->name, .type = field->type };

		add_row(&row, FORMAT_TEXT, out);
	}
}

int cmd_fields(const struct option_list *list, struct ft_error *err)
{
	struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1 };
	const char *path = command_file(list);
	int format = FORMAT_TEXT, ret = 0;
	struct trace_type_count *counts;
	struct trace *trace;
	struct output out;
	unsigned int nr;

	for (unsigned int i = 0; i < list->nr; i++) {
		format = command_format(list->values[i].value, err);
		if (format < 0)
			return -1;
	}
	trace = trace_open(&path, 1, true, &options, err);
	if (!trace)
		return -1;
	trace_wait(trace);
	nr = trace_type_counts(trace, &counts);
	qsort(counts, nr, sizeof(*counts), by_count);
	output_init(&out, STDOUT_FILENO);
	add_names(trace_status(trace).events, format, &out.block);
	if (nr && format == FORMAT_TEXT)
		add_common(&counts[0], &out.block);
	for (unsigned int i = 0; i < nr && !ret; i++) {
		add_event(trace, &counts[i], format, &out.block);
		ret = output_more(&out, err);
	}
	if (output_end(&out, ret ? NULL : err))
		ret = -1;
	free(counts);
	trace_close(trace);
	return ret;
}
