/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list - what this kernel has: events, tracers, functions, options, clocks, monitors, instances. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/commands/record_commands.h"
#include "recorder/ask/list.h"
#include "recorder/tracefs/invoker.h"
#include "src/base/json_out.h"
#include "src/base/output.h"
#include "src/base/table_out.h"

enum {
	OPT_EVENTS, OPT_TRACERS, OPT_FUNCTIONS, OPT_OPTIONS, OPT_CLOCKS, OPT_INSTANCES, OPT_SYSTEMS,
	OPT_MEASURES,
	OPT_MONITORS,
	OPT_FIELDS, OPT_FULL,
	OPT_INSTANCE, OPT_FORMAT, OPT_TRACEFS, OPT_ROOT,
};

const struct command_def cmd_list_def = {
	.name = "list",
	.operands = "[PATTERN...]",
	.operand_kind = OPERANDS_WORDS,
	.summary = "list what this kernel offers: events, tracers, functions, options, clocks, monitors, instances",
	.details = "A PATTERN is a name, a part of a name, a glob ('sched:*'), a regular expression\n"
		   "('^tcp_.*ack$'), or :mod:NAME for the functions of a module. Without options, a\n"
		   "short list of everything but functions is printed. With a PATTERN and no option,\n"
		   "everything is searched.",
	.max_operands = 1000,
	.options = (const struct option_def[]){
		{ "events", 'e', NULL, OPT_EVENTS, "events, as SYSTEM:NAME", OPTION_HARMLESS },
		{ "fields", 'F', NULL, OPT_FIELDS,
		  "events with their fields, and the filter and triggers that are set",
		  OPTION_HARMLESS },
		{ "full", 0, NULL, OPT_FULL,
		  "the same as -F, with common fields and the print format", OPTION_HARMLESS },
		{ "systems", 's', NULL, OPT_SYSTEMS, "systems of events", OPTION_HARMLESS },
		{ "tracers", 't', NULL, OPT_TRACERS, "tracers", OPTION_HARMLESS },
		{ NULL, 'p', NULL, OPT_TRACERS, "the same as -t", OPTION_HARMLESS },
		{ "functions", 'f', NULL, OPT_FUNCTIONS,
		  "functions that can be traced and used in filters", OPTION_HARMLESS },
		{ "options", 'o', NULL, OPT_OPTIONS, "trace options; no in front means off",
		  OPTION_HARMLESS },
		{ "clocks", 'C', NULL, OPT_CLOCKS, "clocks; the current one is in brackets",
		  OPTION_HARMLESS },
		{ "instances", 'B', NULL, OPT_INSTANCES, "instances", OPTION_HARMLESS },
		{ "measures", 0, NULL, OPT_MEASURES,
		  "keys of record --measure: their tracers, and what is set", OPTION_HARMLESS },
		{ "monitors", 0, NULL, OPT_MONITORS,
		  "monitors of runtime verification, for record --monitor, and whether they are on",
		  OPTION_HARMLESS },
		{ "instance", 0, "INSTANCE", OPT_INSTANCE,
		  "print the settings of this instance instead of the top instance",
		  OPTION_HARMLESS },
		{ "format", 0, "text|csv|json", OPT_FORMAT, "json: one object per line",
		  OPTION_HARMLESS },
		{ "tracefs", 0, "DIR", OPT_TRACEFS, NULL, OPTION_PATH, OPTION_OF_SHELL },
		{ "root", 0, "DIR", OPT_ROOT, NULL, OPTION_PATH, OPTION_OF_SHELL },
		OPTION_END,
	},
};

struct list_request {
	struct list_query query;
	const char	 *tracefs, *root;
	enum table_format format;
	bool		  full;
	unsigned int	  nr_kinds;	/* in the query */
};

/* --- text ------------------------------------------------------------------- */

static void make_printable(struct text *out, const char *s)
{
	text_printable(out, s, strlen(s));
}

/* Append each line of a filter or of triggers after its key. */
static void add_lines(struct text *out, const char *key, const char *lines)
{
	for (const char *p = lines, *end; *p; p = *end ? end + 1 : end) {
		end = p + strcspn(p, "\n");
		text_printf(out, "    %s  ", key);
		text_printable(out, p, end - p);
		text_char(out, '\n');
	}
}

static void add_details(struct text *out, const struct list_item *item, bool full)
{
	text_printf(out, "    id %d, %s\n", item->id, item->is_set ? "on" : "off");
	for (unsigned int i = 0; i < item->nr_fields; i++) {
		const struct list_field *field = &item->fields[i];
		size_t start = out->len;

		if (field->is_common && !full)
			continue;
		text_add(out, "    ");
		make_printable(out, field->name);
		text_pad(out, out->len - start < 28 ? 28 - (out->len - start) : 1);
		make_printable(out, field->type);
		text_pad(out, out->len - start < 56 ? 56 - (out->len - start) : 1);
		text_printf(out, "%u byte%s at %u%s\n", field->size, PLURAL(field->size),
			    field->offset, field->is_signed ? ", signed" : "");
	}
	add_lines(out, "filter ", item->filter);
	add_lines(out, "trigger", item->triggers);
	if (full && *item->print_fmt) {
		text_add(out, "    print fmt: ");
		make_printable(out, item->print_fmt);
		text_char(out, '\n');
	}
}

/* Who made an instance. */
static const struct {
	const char	*name, *text;
} owners[] = {
	[LIST_OTHER] = { "other", "" },
	[LIST_OURS] = { "ours", "  (a recording of ftop-trace)" },
	[LIST_STALE] = { "stale", "  (left over: ftop-trace doctor --fix)" },
	[LIST_REMOTE] = { "remote", "  (of firmware or a hypervisor: cat its trace | ftop-trace -)" },
};

/* @about: also what a monitor verifies */
static void add_text(struct text *out, const struct list_item *item, bool full, bool about)
{
	switch (item->kind) {
	case LIST_OPTION:
		text_add(out, item->is_set ? "" : "no");
		make_printable(out, item->name);
		break;
	case LIST_CLOCK:
		text_add(out, item->is_set ? "[" : "");
		make_printable(out, item->name);
		text_add(out, item->is_set ? "]" : "");
		break;
	case LIST_FUNCTION:
		make_printable(out, item->name);
		if (item->module) {
			text_add(out, " [");
			make_printable(out, item->module);
			text_char(out, ']');
		}
		break;
	case LIST_INSTANCE:
		make_printable(out, item->name);
		text_add(out, owners[item->owner].text);
		break;
	case LIST_MEASURE:
		text_printf(out, "%-12s %-28s ", item->name, item->tracers);
		if (item->since)
			text_printf(out, "not in this kernel%s%s",
				    *item->since ? "; since Linux " : "", item->since);
		else
			text_add(out, item->value ? item->value : "");
		while (out->len && out->data[out->len - 1] == ' ')
			out->data[--out->len] = '\0';
		break;
	case LIST_MONITOR:
		make_printable(out, item->name);
		text_add(out, item->is_set ? "  (on)" : "");
		if (item->about && about) {
			text_add(out, "  ");
			make_printable(out, item->about);
		}
		break;
	case LIST_EVENT:
	case LIST_SYSTEM:
	case LIST_TRACER:
	case LIST_NR:
		make_printable(out, item->name);
		break;
	}
	text_char(out, '\n');
	if (item->has_details)
		add_details(out, item, full);
}

static void as_text(const struct list *list, const struct list_request *request, struct text *out)
{
	for (int kind = 0; kind < LIST_NR; kind++) {
		bool headed = request->nr_kinds == 1;

		for (unsigned int i = 0; i < list->nr; i++) {
			const struct list_item *item = &list->items[i];

			if ((int)item->kind != kind || !item->chosen)
				continue;
			if (!headed)
				text_printf(out, "%s%ss:\n", out->len ? "\n" : "",
					    list_kind_name(kind));
			headed = true;
			add_text(out, item, request->full, true);
		}
	}
}

/* One line for each kind, cut to the screen. */
#define OVERVIEW_INDENT	12		/* column of the names */
#define NO_TERMINAL_CELLS 80		/* width of a file or a pipe */

/* @cells: width of the terminal */
static void as_overview(const struct list *list, int cells, struct text *to)
{
	struct text lines = { 0 }, *out = &lines;

	for (int kind = 0; kind < LIST_NR; kind++) {
		unsigned int nr = 0, events = 0;

		for (unsigned int i = 0; i < list->nr; i++) {
			const struct list_item *item = &list->items[i];

			if ((int)item->kind != kind)
				continue;
			if (!nr++)
				text_printf(out, "%-*s", OVERVIEW_INDENT - 1,
					    kind == LIST_SYSTEM ? "events" : list_kind_name(kind));
			events += item->nr_events;
			text_char(out, ' ');
			if (kind == LIST_MEASURE) {
				text_add(out, item->name);
			} else if (kind == LIST_SYSTEM) {
				make_printable(out, item->name);
				text_printf(out, " %u,", item->nr_events);
			} else {
				add_text(out, item, false, false);
				out->data[--out->len] = '\0';	/* without its newline */
			}
		}
		if (kind == LIST_SYSTEM && nr) {
			text_add(out, " in all ");
			text_count(out, events);
			text_add(out, ": ftop-trace list -e");
		}
		if (nr)
			text_char(out, '\n');
	}
	if (cells > 2 * OVERVIEW_INDENT)
		text_fold(to, text_str(out), cells, OVERVIEW_INDENT);
	else
		text_add(to, text_str(out));
	text_fini(out);
}

/* --- JSON and CSV ----------------------------------------------------------- */

static bool is_event(const void *item)
{
	return ((const struct list_item *)item)->kind == LIST_EVENT;
}

static bool is_system(const void *item)
{
	return ((const struct list_item *)item)->kind == LIST_SYSTEM;
}

static bool is_instance(const void *item)
{
	return ((const struct list_item *)item)->kind == LIST_INSTANCE;
}

static bool has_details(const void *item)
{
	return ((const struct list_item *)item)->has_details;
}

static bool can_be_set(const void *item)
{
	enum list_kind kind = ((const struct list_item *)item)->kind;

	return kind == LIST_EVENT || kind == LIST_TRACER || kind == LIST_OPTION ||
	       kind == LIST_CLOCK || kind == LIST_MONITOR;
}

static void add_kind(const void *item, struct text *out)
{
	text_add(out, list_kind_name(((const struct list_item *)item)->kind));
}

/* An event's name has two columns, its system and its name; other names are not split. */
static void add_system(const void *item, struct text *out)
{
	const char *name = ((const struct list_item *)item)->name, *colon = strchr(name, ':');

	text_bytes(out, name, colon ? (size_t)(colon - name) : 0);
}

static void add_name(const void *item, struct text *out)
{
	const char *name = ((const struct list_item *)item)->name,
		   *colon = is_event(item) ? strchr(name, ':') : NULL;

	text_add(out, colon ? colon + 1 : name);
}

static void add_owner(const void *item, struct text *out)
{
	text_add(out, owners[((const struct list_item *)item)->owner].name);
}

static void add_fields(const void *p, struct text *out)
{
	const struct list_item *item = p;

	for (unsigned int i = 0; i < item->nr_fields; i++)
		text_printf(out, "%s%s %s", i ? "; " : "", item->fields[i].type,
			    item->fields[i].name);
}

static void add_json_fields(const void *p, struct text *out)
{
	const struct list_item *item = p;

	json_out_array(out, NULL);
	for (unsigned int i = 0; i < item->nr_fields; i++) {
		const struct list_field *field = &item->fields[i];

		json_out_object(out, NULL);
		json_out_u64(out, "offset_bytes", field->offset);
		json_out_u64(out, "size_bytes", field->size);
		json_out_bool(out, "signed", field->is_signed);
		json_out_bool(out, "common", field->is_common);
		json_out_string(out, "name", field->name);
		json_out_string(out, "type", field->type);
		json_out_end(out, '}');
	}
	json_out_end(out, ']');
}

#define MEMBER(member) TABLE_MEMBER(struct list_item, member), .absent = TABLE_OMIT

static const struct table_column columns[] = {
	{ "kind", .text = add_kind },
	{ "system", .text = add_system, .known = is_event, .absent = TABLE_OMIT },
	{ "name", .text = add_name },
	{ "set", MEMBER(is_set), .kind = TABLE_BOOL, .known = can_be_set },
	{ "module", MEMBER(module) },
	{ "about", MEMBER(about) },
	{ "owner", .text = add_owner, .known = is_instance, .absent = TABLE_OMIT },
	{ "events", MEMBER(nr_events), .kind = TABLE_COUNT, .known = is_system },
	{ "tracers", MEMBER(tracers) },
	{ "value", MEMBER(value) },
	{ "since", MEMBER(since) },
	{ "id", MEMBER(id), .kind = TABLE_NUMBER, .known = has_details },
	{ "fields", .kind = TABLE_RAW, .text = add_json_fields, .known = has_details,
	  .absent = TABLE_OMIT, .only = FORMAT_JSON },
	{ "filter", MEMBER(filter), .known = has_details },
	{ "triggers", MEMBER(triggers), .known = has_details },
	{ "fields", .text = add_fields, .known = has_details, .only = FORMAT_CSV },
	{ "print_fmt", MEMBER(print_fmt), .known = has_details, .only = FORMAT_JSON },
};

static const struct table_columns item_columns = { TABLE_COLUMNS(columns) };

static void as_table(const struct list *list, enum table_format format, struct text *out)
{
	struct table_out table;

	table_out_init(&table, &item_columns, format, false);
	table_out_heading(&table, out);
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->items[i].chosen)
			table_out_row(&table, &list->items[i], out);
	table_out_fini(&table);
}

/* --- the command ------------------------------------------------------------ */

static int take_option(struct list_request *request, const struct option_value *option,
		       struct ft_error *err)
{
	static const struct {
		int		id;
		enum list_kind	kind;
	} kinds[] = {
		{ OPT_EVENTS, LIST_EVENT },	{ OPT_TRACERS, LIST_TRACER },	{ OPT_FUNCTIONS,
			LIST_FUNCTION },
		{ OPT_OPTIONS, LIST_OPTION },	{ OPT_CLOCKS, LIST_CLOCK },	{ OPT_INSTANCES,
			LIST_INSTANCE },
		{ OPT_SYSTEMS, LIST_SYSTEM },	{ OPT_MEASURES, LIST_MEASURE },
		{ OPT_FIELDS, LIST_EVENT },	{ OPT_FULL, LIST_EVENT },
		{ OPT_MONITORS, LIST_MONITOR },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].id != option->id)
			continue;
		request->nr_kinds += !request->query.kinds[kinds[i].kind];
		request->query.kinds[kinds[i].kind] = true;
	}
	switch (option->id) {
	case OPT_FULL:
		request->full = true;
		request->query.details = true;
		break;
	case OPT_FIELDS:
		request->query.details = true;
		break;
	case OPT_INSTANCE:
		request->query.instance = option->value;
		break;
	case OPT_TRACEFS:
		request->tracefs = option->value;
		return invoker_check_folder("--tracefs", option->value, err);
	case OPT_ROOT:
		request->root = option->value;
		return invoker_check_folder("--root", option->value, err);
	case OPT_FORMAT:
		return table_format_parse(option->value, &request->format, err);
	}
	return 0;
}

static int write_out(const struct list *list, const struct list_request *request, bool overview,
		     struct ft_error *err)
{
	struct text out = { 0 };

	if (request->format != FORMAT_TEXT)
		as_table(list, request->format, &out);
	else if (overview)
		as_overview(list, output_cells(STDOUT_FILENO) ?: NO_TERMINAL_CELLS, &out);
	else
		as_text(list, request, &out);
	return output_whole(STDOUT_FILENO, &out, err);
}

static int run_list(struct list_request *request, bool overview, struct ft_error *err)
{
	struct kernel_facts facts;
	struct text missing = { 0 };
	struct ft_error second = { 0 };	/* the first one is told */
	struct tracefs_dir dir;
	struct list list;
	const char *proc = TRACEFS_TEXT("%s/proc", request->root);
	struct leftover_places places = { .run_dir = leftover_run_dir(), .proc = proc };
	int ret;

	if (tracefs_dir_open(&dir, request->tracefs, err))
		return -1;
	kernel_facts_read(&facts, request->root);
	ret = list_read(&list, &dir, &facts, &places, &request->query, &missing, err);
	if (write_out(&list, request, overview, ret ? &second : err))
		ret = -1;
	if (missing.len && !ret) {
		char *last;

		/* print all lines but the last, which becomes the error */
		missing.data[--missing.len] = '\0';
		last = strrchr(missing.data, '\n');
		if (last)
			fprintf(stderr, "%.*s\n", (int)(last - missing.data), missing.data);
		ret = ft_error_set(err, FT_E_IO, -1, "%s", last ? last + 1 : missing.data);
	}
	list_fini(&list);
	text_fini(&missing);
	kernel_facts_fini(&facts);
	tracefs_dir_close(&dir);
	return ret;
}

int cmd_list(const struct option_list *list, struct ft_error *err)
{
	struct list_request request = { .root = "",
				   .query = { .patterns = list->operands,
					      .nr_patterns = list->nr_operands } };
	bool overview;

	for (unsigned int i = 0; i < list->nr; i++)
		if (take_option(&request, &list->values[i], err))
			return -1;
	overview = !request.nr_kinds && !list->nr_operands;
	for (int kind = 0; !request.nr_kinds && kind < LIST_NR; kind++)
		request.query.kinds[kind] = overview ? kind != LIST_EVENT && kind != LIST_FUNCTION :
						       kind != LIST_SYSTEM;
	request.query.optional = !request.nr_kinds;
	return run_list(&request, overview, err);
}
