/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields - what filters can ask of a trace: its events with their counts, their
 * fields with types and the names of their values, and names of any event.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/types/event_types.h"
#include "parsers/text/record_text.h"
#include "src/commands/commands.h"
#include "src/sched/event_counts.h"
#include "src/filter/filter_names.h"
#include "src/match/filter_option.h"
#include "src/base/memory.h"
#include "src/base/output.h"
#include "src/report/report_filter.h"
#include "src/report/report_text.h"
#include "src/base/text.h"
#include "src/trace/trace.h"
#include "src/base/workers.h"

enum { OPT_FORMAT };

const struct command_def cmd_fields_def = {
	.name = "fields",
	.operands = "[FILE]",
	.summary = "what filters can ask: events with counts, fields with types and names of values",
	.details = "Events that occur in the trace, by their number; the names that any event has come first. CSV and JSON have\n"
		   "a row for each field: event is empty for names of any event. With -F these are events that match, and their\n"
		   "number is that of the matches. A heading that matches --grep keeps all fields below it.",
	.max_operands = 1,
	.options = (const struct option_def[]){
		FILTER_OPTIONS("fields of events that match, see report; of several any may", "fields"),
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

struct command {
	struct filter_given	given;
	struct row_picker	picker;
	int			format;
	struct trace		*trace;
	struct filter		*filter;	/* NULL: all events */
	struct trace_type_count	*types;		/* owned, [nr] */
	unsigned int		nr;
	uint64_t		events;		/* all of them */
	bool			all_below;	/* the heading matched, and with it the fields below it */
};

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

static void add_line(const struct row *row, int format, struct text *out)
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

static void add_row(struct command *c, const struct row *row, struct text *out)
{
	size_t start = out->len;

	add_line(row, c->format, out);
	if (!c->all_below)
		row_picker_row(&c->picker, out, start);
	else
		c->picker.picked++;
}

/* Fields stand below a heading: all of them, if --grep wants that. */
static void begin_fields(struct command *c, const char *heading, size_t len)
{
	c->all_below = c->picker.greps && len &&
		       filter_matcher_test(&c->picker.grep, c->picker.scratch, heading, len);
}

/* A heading is not wanted by itself. */
static void end_fields(const struct command *c, struct text *out, size_t start, size_t heading)
{
	if (c->picker.count || (c->picker.greps && !c->all_below && out->len == start + heading))
		out->len = start;
}

static void add_values(struct trace *trace, unsigned int file, const struct event_type *type, const struct event_field *field,
		       struct text *out)
{
	struct record_text *texts = trace_record_text(trace, file);
	const struct value_names *names = texts ? record_text_names(texts, type, field) : NULL;

	for (unsigned int i = 0; names && i < names->nr; i++)
		text_printf(out, "%s%s=%" PRIu64, i ? " " : "", names->names[i].name, names->names[i].value);
}

static void add_event(struct command *c, const struct trace_type_count *count, struct text *out)
{
	const struct event_type *type = count->type;
	size_t start = out->len, heading;

	if (!type)
		return;
	if (c->format == FORMAT_TEXT) {
		text_add(out, c->picker.picked ? "\n" : "");
		text_printable(out, type->system, strlen(type->system));
		text_char(out, '/');
		text_printable(out, type->name, strlen(type->name));
		text_add(out, ": ");
		text_count(out, count->events);
		text_add(out, count->events == 1 ? " event\n" : " events\n");
	}
	heading = out->len - start;
	begin_fields(c, text_str(out) + start, heading);
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		const struct event_field *field = &type->fields[i];
		struct row row = { .system = type->system, .event = type->name, .field = field->name, .type = field->type,
				   .events = count->events };

		/* The common ones of all events are told once, as text. */
		if (field->is_common && c->format == FORMAT_TEXT)
			continue;
		add_values(c->trace, count->file, type, field, &row.values);
		add_row(c, &row, out);
		text_fini(&row.values);
	}
	end_fields(c, out, start, heading);
}

static void add_common(struct command *c, const struct event_type *type, struct text *out)
{
	for (unsigned int i = 0; type && i < type->nr_common; i++) {
		struct row row = { .field = type->fields[i].name, .type = type->fields[i].type };

		add_row(c, &row, out);
	}
}

/* What any event has. */
static void add_names(struct command *c, struct text *out)
{
	size_t start, heading;

	if (c->format == FORMAT_CSV && !c->picker.count)
		text_add(out, "system,event,events,field,type,values\n");
	start = out->len;
	if (c->format == FORMAT_TEXT)
		text_add(out, "any event\n");
	heading = out->len - start;
	begin_fields(c, text_str(out) + start, heading);
	for (const struct filter_name *name = filter_names; name->name; name++) {
		struct row row = { .system = "", .event = "", .field = name->name, .type = name->help, .events = c->events };

		add_row(c, &row, out);
	}
	if (c->nr && c->format == FORMAT_TEXT)
		add_common(c, c->types[0].type, out);
	end_fields(c, out, start, heading);
}

/* --- events ----------------------------------------------------------------------- */

/* Types of the events that the filter keeps. */
static void count_matches(struct command *c)
{
	struct event_counts_options options = { .filters = (const struct filter *const *)&c->filter, .nr_filters = 1 };
	struct event_counts *counts = event_counts_new(c->trace, &options);
	unsigned int permille, nr, kept = 0;
	struct event_count *list;

	event_counts_wait(counts);
	nr = event_counts_get(counts, EVENT_COUNTS_TYPE, &list, &permille);
	for (unsigned int i = 0; i < c->nr; i++)
		for (unsigned int k = 0; k < nr; k++) {
			if (list[k].file != c->types[i].file || list[k].key != c->types[i].id)
				continue;
			c->types[kept] = c->types[i];
			c->types[kept++].events = list[k].events;
			c->events += list[k].events;
			break;
		}
	c->nr = kept;
	free(list);
	event_counts_free(counts);
}

static int find_types(struct command *c, struct ft_error *err)
{
	trace_wait(c->trace);
	c->nr = trace_type_counts(c->trace, &c->types);
	if (c->given.nr) {
		c->filter = report_filter_bind(c->trace, c->given.sources, c->given.nr, c->given.compat, err);
		if (!c->filter)
			return -1;
		count_matches(c);
	} else {
		c->events = trace_status(c->trace).events;
	}
	qsort(c->types, c->nr, sizeof(*c->types), by_count);
	return 0;
}

static int print(struct command *c, struct ft_error *err)
{
	struct output out;
	int ret = 0;

	output_init(&out, STDOUT_FILENO);
	add_names(c, &out.block);
	for (unsigned int i = 0; i < c->nr && !ret; i++) {
		add_event(c, &c->types[i], &out.block);
		ret = output_more(&out, err);
	}
	return row_picker_end(&c->picker, &out, ret, err);
}

static int parse_options(struct command *c, const struct option_list *list, struct ft_error *err)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		int taken = filter_option(&c->given, &list->values[i], err);

		if (!taken)
			c->format = command_format(list->values[i].value, err);
		if (taken < 0 || c->format < 0)
			return -1;
	}
	return row_picker_init(&c->picker, &c->given, err);
}

int cmd_fields(const struct option_list *list, struct ft_error *err)
{
	struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1 };
	struct command c = { .format = FORMAT_TEXT };
	const char *path = command_file(list);
	int ret = parse_options(&c, list, err);

	if (!ret) {
		c.trace = trace_open(&path, 1, true, &options, err);
		ret = c.trace ? find_types(&c, err) : -1;
	}
	if (!ret)
		ret = print(&c, err);
	if (!ret)
		row_picker_tell(&c.picker);
	if (!ret && c.filter && !c.nr)
		report_filter_tell_empty(c.trace, c.filter);
	filter_free(c.filter);
	free(c.types);
	trace_close(c.trace);
	row_picker_fini(&c.picker);
	filter_given_fini(&c.given);
	return ret;
}
