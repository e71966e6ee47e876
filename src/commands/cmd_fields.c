/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields - what filters can use in a trace: its events with counts, their fields with types and
 * value names, and names that all events have.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/source/source.h"
#include "parsers/lines/line_file.h"
#include "parsers/lines/line_source.h"
#include "parsers/text/record_text.h"
#include "parsers/types/event_header.h"
#include "parsers/types/event_types.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/output.h"
#include "src/base/table_out.h"
#include "src/base/text.h"
#include "src/commands/command_open.h"
#include "src/commands/commands.h"
#include "src/commands/derived_names.h"
#include "src/commands/kind_list.h"
#include "src/filter/filter_names.h"
#include "src/match/filter_option.h"
#include "src/match/event_sweep.h"
#include "src/match/given_filter.h"
#include "src/sched/event_counts.h"
#include "src/trace/time_option.h"
#include "src/trace/warnings.h"
#include "src/trace/trace.h"

enum { OPT_KINDS = 1 };

const struct command_def cmd_fields_def = {
	.name = "fields",
	.operands = "[FILE...]",
	.summary = "names for filters: events with counts, fields with types and named values",
	.details = "The list begins with the names that any event has; then come the events of the\n"
		   "trace, the most frequent first. CSV and JSON have one row for each field; for names\n"
		   "of any event, event is empty. With -F, only matching events are listed and\n"
		   "counted. If a heading matches --grep, all fields below it stay. In a text trace,\n"
		   "the fields are those that its lines contain; --formats names them and gives their\n"
		   "types. A value that a print format computes, such as flags by name, is a text\n"
		   "there, as it was printed. eventheader.NAME is a field of a self-describing event\n"
		   "(EventHeader).\n\n"
		   "--kinds needs no FILE. It lists the kinds of latency that ftop-trace latency\n"
		   "measures, the file that defines each, and the events to record for it. kinds.md,\n"
		   "beside README.md, says how to add one. Such a file of yours is in\n"
		   "$XDG_CONFIG_HOME/ftop-trace/events, see ftop-trace-config(5).",
	.examples = "The fields of the events of the scheduler, with their values:\n"
		    "  ftop-trace fields --grep='^sched' trace.dat\n"
		    "What can be measured of virtual machines, and what to record for it:\n"
		    "  ftop-trace fields --kinds --grep=kvm",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "kinds", .id = OPT_KINDS,
		  .help = "list the kinds of latency instead, and the file that defines each" },
		{ "format", 0, "text|csv|json", FILTER_OPTION_FORMAT,
		  "csv: system,event,events,field,type,values; json: one object per line" },
		ASCII_OPTION,
		PART_OPTIONS(NULL),
		ROWS_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct described_field {	/* a field that records of a type describe */
	unsigned int	 file;
	int		 id;		/* of the type */
	const char	*name, *type;
};

struct fields_command {
	const struct command_file *file;
	struct filter_given	given;
	struct row_picker	picker;
	struct table_out	table;
	struct trace		*trace;
	struct filter		*filter;	/* NULL: all events */
	struct time_range	 range;
	struct trace_type_count	*types;		/* owned, [nr] */
	unsigned int		nr;
	uint64_t		events;		/* all of them */
	struct described_field	*described;	/* owned, [nr_described] */
	unsigned int		nr_described, cap_described;
	struct index_map	names;		/* finds them by the name that the record has */
	const struct trace_event *event;	/* whose fields are added to them */
	struct arena		arena;
	bool			kinds;		/* --kinds */
	bool			all_below;	/* the heading matched, and with
						   it the fields below it */
};

struct fields_row {
	const char	*system, *event, *field, *type;
	uint64_t	 events;
	struct text	 values;	/* "R=0 S=1" */
};

static void add_values_of(const void *row, struct text *out)
{
	text_add(out, text_str(&((const struct fields_row *)row)->values));
}

#define EVENTS	"events", TABLE_MEMBER(struct fields_row, events), .kind = TABLE_COUNT

#define MOST_IN_TEXT	100u		/* names of values in a line; flags have some 30 */

static const struct table_column columns[] = {
	{ EVENTS, .only = FORMAT_JSON },
	{ "system", TABLE_MEMBER(struct fields_row, system) },
	{ "event", TABLE_MEMBER(struct fields_row, event) },
	{ EVENTS, .only = FORMAT_CSV },
	{ "field", TABLE_MEMBER(struct fields_row, field) },
	{ "type", TABLE_MEMBER(struct fields_row, type) },
	{ "values", .text = add_values_of },
};

static const struct table_columns field_columns = { TABLE_COLUMNS(columns) };

/* A line below the heading of its event. */
static void add_text(const struct fields_row *row, struct text *out)
{
	size_t start = out->len;

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

static void add_row(struct fields_command *c, const struct fields_row *row, struct text *out)
{
	size_t start = out->len;

	if (c->given.format == FORMAT_TEXT)
		add_text(row, out);
	else
		table_out_row(&c->table, row, out);
	if (!c->all_below)
		row_picker_row(&c->picker, out, start);
	else
		c->picker.picked++;
}

/* Fields stand below a heading: all of them, if --grep wants that. */
static void begin_fields(struct fields_command *c, const char *heading, size_t len)
{
	c->all_below = c->picker.greps && len &&
		       filter_pattern_test(&c->picker.grep, c->picker.scratch, heading, len);
}

/* Removes a heading without matching rows; with --count removes all. */
static void end_fields(const struct fields_command *c, struct text *out, size_t start,
		       size_t heading)
{
	if (c->picker.count || (c->picker.greps && !c->all_below && out->len == start + heading))
		out->len = start;
}

/* Is it a field of a text trace that only has the form in which a print format shows it? */
static bool is_printed(const struct source *file, int id, const char *name)
{
	const struct line_file *lines = line_source_file(file);
	const struct line_types *types = lines ? line_file_info(lines)->types : NULL;
	const struct line_type *type = types && id > 0 && (unsigned int)id <= types->nr ?
					       types->types[id - 1] :
					       NULL;

	for (unsigned int i = 0; type && i < type->nr_fields; i++)
		if (!strcmp(type->fields[i].name, name))
			return type->fields[i].kind == LINE_PRINTED;
	return false;
}

/* @most: of further names only the number is told: system calls have hundreds. */
static void add_values(struct trace *trace, unsigned int file, const struct event_type *type,
		       const struct event_field *field, unsigned int most, struct text *out)
{
	struct record_text *texts = trace_record_text(trace, file);
	const struct value_names *names = texts ? record_text_names(texts, type, field) : NULL;

	for (unsigned int i = 0; names && i < names->nr && i < most; i++)
		text_printf(out, "%s%s=%" PRIu64, i ? " " : "", names->names[i].name,
			    names->names[i].value);
	if (names && names->nr > most)
		text_printf(out, " and %u more: --format=json", names->nr - most);
	if (is_printed(trace_file_of(trace, file), type->id, field->name))
		text_add(out, "as printed");
}

static void add_described(struct fields_command *c, const struct trace_type_count *count,
			  struct text *out)
{
	for (unsigned int i = 0; i < c->nr_described; i++) {
		const struct described_field *d = &c->described[i];
		const struct fields_row row = { .system = count->type->system,
						.event = count->type->name,
						.field = d->name, .type = d->type,
						.events = count->events };

		if (d->file == count->file && d->id == count->id)
			add_row(c, &row, out);
	}
}

static void add_event(struct fields_command *c, const struct trace_type_count *count,
		      struct text *out)
{
	const struct event_type *type = count->type;
	size_t start = out->len, heading;

	if (!type)
		return;
	if (c->given.format == FORMAT_TEXT) {
		text_add(out, c->picker.picked ? "\n" : "");
		text_printable(out, type->system, strlen(type->system));
		text_char(out, '/');
		text_printable(out, type->name, strlen(type->name));
		text_add(out, ": ");
		text_counted(out, count->events, "event");
		text_char(out, '\n');
	}
	heading = out->len - start;
	begin_fields(c, text_str(out) + start, heading);
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		const struct event_field *field = &type->fields[i];
		struct fields_row row = { .system = type->system, .event = type->name,
				   .field = field->name, .type = field->type,
				   .events = count->events };

		/* In text, the fields common to all events are printed once. */
		if (field->is_common && c->given.format == FORMAT_TEXT)
			continue;
		add_values(c->trace, count->file, type, field,
			   c->given.format == FORMAT_TEXT ? MOST_IN_TEXT : UINT_MAX, &row.values);
		add_row(c, &row, out);
		text_fini(&row.values);
	}
	add_described(c, count, out);
	end_fields(c, out, start, heading);
}

static void add_common(struct fields_command *c, const struct event_type *type, struct text *out)
{
	for (unsigned int i = 0; type && i < type->nr_common; i++) {
		struct fields_row row = { .field = type->fields[i].name,
					  .type = type->fields[i].type };

		add_row(c, &row, out);
	}
}

/* Names that all events have. */
static void add_names(struct fields_command *c, struct text *out)
{
	const struct filter_name *name;
	size_t start, heading;

	if (c->given.format == FORMAT_CSV && !c->picker.count &&
	    command_file_heads(c->file, FORMAT_CSV))
		table_out_heading(&c->table, out);
	start = out->len;
	if (c->given.format == FORMAT_TEXT)
		text_add(out, "any event\n");
	heading = out->len - start;
	begin_fields(c, text_str(out) + start, heading);
	for (unsigned int i = 0; (name = filter_name_at(derived_names, i)); i++) {
		struct fields_row row = { .system = "",
				   .event = "",
				   .field = name->name,
				   .type = name->help,
				   .events = c->events };

		add_row(c, &row, out);
	}
	if (c->nr && c->given.format == FORMAT_TEXT)
		add_common(c, c->types[0].type, out);
	end_fields(c, out, start, heading);
}

/* --- events ----------------------------------------------------------------------- */

/* Types of the events that the filter keeps. */
static void count_matches(struct fields_command *c)
{
	struct event_counts_options options = { .range = c->range,
						.filters = (const struct filter *const *)&c->filter,
						.nr_filters = c->filter != NULL };
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

static void take_described(void *arg, const struct event_header_value *v)
{
	struct fields_command *c = arg;
	uint32_t hash = index_map_hash_bytes(v->name, v->len);
	struct text name = { 0 };

	index_map_each (&c->names, hash, i) {
		struct described_field *d = &c->described[i];

		if (d->file != c->event->file || d->id != c->event->type_id ||
		    strcmp(event_header_name(d->name), v->name) != 0)
			continue;
		if (!v->is_inner)	/* elements of an array come before all of it */
			d->type = v->type;
		return;
	}
	text_printf(&name, EVENT_HEADER_PREFIX "%s", v->name);
	index_map_add(&c->names, hash, c->nr_described);
	mem_grow(&c->described, c->nr_described, &c->cap_described);
	c->described[c->nr_described++] = (struct described_field){
		.file = c->event->file, .id = c->event->type_id,
		.name = arena_strndup(&c->arena, text_str(&name), name.len), .type = v->type
	};
	text_fini(&name);
}

static void see_described(void *arg, struct event_sweep *sweep, const struct trace_event *event)
{
	struct fields_command *c = arg;

	c->event = event;
	if (event && event->type && event_header_is(event->type) && event_sweep_wants(sweep, event))
		event_header_read(event->type, event->data, event->size, take_described, c);
}

/* Only the records tell which fields they describe. */
static void find_described(struct fields_command *c)
{
	struct event_sweep_options options = { .range = c->range,
					       .filters = (const struct filter *const *)&c->filter,
					       .nr_filters = c->filter != NULL };
	struct event_sweep *sweep;
	unsigned int last = UINT_MAX;

	for (unsigned int i = 0; i < c->nr; i++) {
		options.file = c->types[i].file;
		if (!c->types[i].type || !event_header_is(c->types[i].type) || options.file == last)
			continue;
		sweep = event_sweep_new(c->trace, &options, see_described, c);
		event_sweep_wait(sweep);
		event_sweep_free(sweep);
		last = options.file;
	}
}

static int find_types(struct fields_command *c, struct ft_error *err)
{
	trace_wait(c->trace);
	c->nr = trace_type_counts(c->trace, &c->types);
	if (time_option_range(c->trace, c->given.from, c->given.to, &c->range.from, &c->range.to,
			      err) ||
	    filter_given_add_part(&c->given, true, err))
		return -1;
	c->range.set = c->given.from || c->given.to;
	c->range.from = c->given.from ? c->range.from : INT64_MIN;
	c->range.to = c->given.to ? c->range.to : INT64_MAX;
	if (c->given.nr) {
		c->filter = given_filter_bind(c->trace, c->given.sources, c->given.nr,
					      c->given.compat, err);
		if (!c->filter)
			return -1;
	}
	if (c->filter || c->range.set) {
		count_matches(c);
		if (c->filter && filter_check(c->filter, err))
			return -1;
	} else {
		c->events = trace_status(c->trace).events;
	}
	find_described(c);
	if (c->nr)
		qsort(c->types, c->nr, sizeof(*c->types), trace_type_counts_order);
	return 0;
}

static int print(struct fields_command *c, struct ft_error *err)
{
	struct output out;
	int ret = 0;

	output_init(&out, STDOUT_FILENO);
	table_out_init(&c->table, &field_columns, c->given.format, false);
	command_file_begin(c->file, &c->given, &c->table, &out);
	add_names(c, &out.block);
	for (unsigned int i = 0; i < c->nr && !ret; i++) {
		add_event(c, &c->types[i], &out.block);
		ret = output_more(&out, err);
	}
	table_out_fini(&c->table);
	return row_picker_end(&c->picker, &out, ret, err);
}

static int parse_options(struct fields_command *c, const struct option_list *list,
			 struct ft_error *err)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		c->kinds |= list->values[i].id == OPT_KINDS;
		if (filter_option(&c->given, &list->values[i], err) < 0)
			return -1;
	}
	return row_picker_init(&c->picker, &c->given, err);
}

static int list_fields(struct fields_command *c, struct ft_error *err)
{
	c->trace = command_open(c->file, false, err);
	if (!c->trace || find_types(c, err) || print(c, err))
		return -1;
	row_picker_tell(&c->picker);
	warnings_show(c->trace, trace_status(c->trace).damaged_pages);
	if (!c->nr &&
	    !time_option_tell_outside(c->trace, c->given.from, c->range.from, c->given.to,
				      c->range.to) &&
	    c->filter)
		given_filter_tell_empty(c->trace, c->filter, false);
	return 0;
}

int cmd_fields(const struct command_file *file, struct ft_error *err)
{
	struct fields_command c = { .file = file };
	int ret = parse_options(&c, file->list, err);

	if (!ret && c.kinds)
		ret = kind_list_print(file, &c.given, &c.picker, err);
	else if (!ret)
		ret = list_fields(&c, err);
	filter_free(c.filter);
	free(c.types);
	free(c.described);
	index_map_fini(&c.names);
	arena_fini(&c.arena);
	trace_close(c.trace);
	row_picker_fini(&c.picker);
	filter_given_fini(&c.given);
	return ret;
}
