/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list - what this kernel can trace: events, tracers, functions, options, clocks, instances. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/ask/list.h"
#include "src/commands/commands.h"
#include "src/base/output.h"

enum {
	OPT_EVENTS, OPT_TRACERS, OPT_FUNCTIONS, OPT_OPTIONS, OPT_CLOCKS, OPT_INSTANCES, OPT_SYSTEMS, OPT_FIELDS, OPT_FULL,
	OPT_INSTANCE, OPT_FORMAT, OPT_TRACEFS, OPT_ROOT,
};

const struct command_def cmd_list_def = {
	.name = "list",
	.operands = "[PATTERN...]",
	.summary = "list what this kernel offers: events, tracers, functions, options, clocks, instances",
	.details = "A PATTERN is a name, a part of one, a glob ('sched:*'), a regular expression ('^tcp_.*ack$'), or\n"
		   ":mod:NAME for the functions of a module. Without an option all but functions is shown in short;\n"
		   "with a PATTERN and no option everything is searched.",
	.max_operands = 1000,
	.options = (const struct option_def[]){
		{ "events", 'e', NULL, OPT_EVENTS, "events, as SYSTEM:NAME" },
		{ "fields", 'F', NULL, OPT_FIELDS, "with each event its fields, and the filter and triggers that are set" },
		{ "full", 0, NULL, OPT_FULL, "the same, with common fields and the print format" },
		{ "systems", 's', NULL, OPT_SYSTEMS, "systems of events" },
		{ "tracers", 't', NULL, OPT_TRACERS, "tracers" },
		{ NULL, 'p', NULL, OPT_TRACERS, "the same" },
		{ "functions", 'f', NULL, OPT_FUNCTIONS, "functions that can be traced and filtered by" },
		{ "options", 'o', NULL, OPT_OPTIONS, "options; those that are off begin with no" },
		{ "clocks", 'C', NULL, OPT_CLOCKS, "clocks; the one in use in brackets" },
		{ "instances", 'B', NULL, OPT_INSTANCES, "instances" },
		{ "instance", 0, "NAME", OPT_INSTANCE, "the settings of this instance, not of the top one" },
		{ "format", 0, "text|csv|json", OPT_FORMAT, "json: an object a line" },
		{ "tracefs", 0, "DIR", OPT_TRACEFS, NULL },
		{ "root", 0, "DIR", OPT_ROOT, NULL },
		OPTION_END,
	},
};

struct request {
	struct list_query query;
	const char	 *tracefs, *root;
	int		  format;
	bool		  full;
	unsigned int	  nr_kinds;	/* that were asked for */
};

/* --- text ------------------------------------------------------------------- */

static void printable(struct text *out, const char *s)
{
	text_printable(out, s, strlen(s));
}

/* Each line of a filter or of triggers behind its key. */
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
		printable(out, field->name);
		text_pad(out, out->len - start < 28 ? 28 - (out->len - start) : 1);
		printable(out, field->type);
		text_pad(out, out->len - start < 56 ? 56 - (out->len - start) : 1);
		text_printf(out, "%u byte%s at %u%s\n", field->size, field->size == 1 ? "" : "s", field->offset,
			    field->is_signed ? ", signed" : "");
	}
	add_lines(out, "filter ", item->filter);
	add_lines(out, "trigger", item->triggers);
	if (full && *item->print_fmt) {
		text_add(out, "    print fmt: ");
		printable(out, item->print_fmt);
		text_char(out, '\n');
	}
}

static void add_text(struct text *out, const struct list_item *item, bool full)
{
	switch (item->kind) {
	case LIST_OPTION:
		text_add(out, item->is_set ? "" : "no");
		printable(out, item->name);
		break;
	case LIST_CLOCK:
		text_add(out, item->is_set ? "[" : "");
		printable(out, item->name);
		text_add(out, item->is_set ? "]" : "");
		break;
	case LIST_FUNCTION:
		printable(out, item->name);
		if (item->module) {
			text_add(out, " [");
			printable(out, item->module);
			text_char(out, ']');
		}
		break;
	case LIST_INSTANCE:
		printable(out, item->name);
		if (item->owner != LIST_OTHER)
			text_add(out, item->owner == LIST_OURS ? "  (a recording of ftop-trace)" :
				 "  (left over: ftop-trace doctor --fix)");
		break;
	case LIST_EVENT:
	case LIST_SYSTEM:
	case LIST_TRACER:
	case LIST_NR:
		printable(out, item->name);
		break;
	}
	text_char(out, '\n');
	if (item->has_details)
		add_details(out, item, full);
}

static void as_text(const struct list *list, const struct request *request, struct text *out)
{
	for (int kind = 0; kind < LIST_NR; kind++) {
		bool headed = request->nr_kinds == 1;

		for (unsigned int i = 0; i < list->nr; i++) {
			const struct list_item *item = &list->items[i];

			if ((int)item->kind != kind || !item->chosen)
				continue;
			if (!headed)
				text_printf(out, "%s%ss:\n", out->len ? "\n" : "", list_kind_name(kind));
			headed = true;
			add_text(out, item, request->full);
		}
	}
}

/* One line for each kind: what fits on a screen. */
#define OVERVIEW_INDENT	12		/* where names begin */

/* @cells: of a row of the terminal; 0: a kind is a line, however long */
static void as_overview(const struct list *list, int cells, struct text *to)
{
	struct text lines = { 0 }, *out = &lines;

	for (int kind = 0; kind < LIST_NR; kind++) {
		unsigned int nr = 0, events = 0;

		for (unsigned int i = 0; i < list->nr; i++) {
			const struct list_item *item = &list->items[i];
			size_t end;

			if ((int)item->kind != kind)
				continue;
			if (!nr++)
				text_printf(out, "%-*s", OVERVIEW_INDENT - 1, kind == LIST_SYSTEM ? "events" : list_kind_name(kind));
			events += item->nr_events;
			text_char(out, ' ');
			if (kind == LIST_SYSTEM) {
				printable(out, item->name);
				text_printf(out, " %u,", item->nr_events);
			} else {
				add_text(out, item, false);
				end = out->len - 1;	/* without its newline */
				out->len = end;
				out->data[end] = '\0';
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

static void json_string(struct text *out, const char *key, const char *value, size_t len)
{
	text_printf(out, ",\"%s\":\"", key);
	text_json(out, value, len);
	text_char(out, '"');
}

static void json_fields(struct text *out, const struct list_item *item)
{
	text_printf(out, ",\"id\":%d,\"fields\":[", item->id);
	for (unsigned int i = 0; i < item->nr_fields; i++) {
		const struct list_field *field = &item->fields[i];

		text_printf(out, "%s{\"offset_bytes\":%u,\"size_bytes\":%u,\"signed\":%s,\"common\":%s", i ? "," : "",
			    field->offset, field->size, field->is_signed ? "true" : "false",
			    field->is_common ? "true" : "false");
		json_string(out, "name", field->name, strlen(field->name));
		json_string(out, "type", field->type, strlen(field->type));
		text_char(out, '}');
	}
	text_char(out, ']');
	json_string(out, "filter", item->filter, strlen(item->filter));
	json_string(out, "triggers", item->triggers, strlen(item->triggers));
	json_string(out, "print_fmt", item->print_fmt, strlen(item->print_fmt));
}

static const char *owner_name(enum list_owner owner)
{
	return owner == LIST_OURS ? "ours" : owner == LIST_STALE ? "stale" : "other";
}

/* System and name of an event stand apart; other names are whole. */
static const char *split_name(const struct list_item *item, size_t *system_len)
{
	const char *colon = item->kind == LIST_EVENT ? strchr(item->name, ':') : NULL;

	*system_len = colon ? colon - item->name : 0;
	return colon ? colon + 1 : item->name;
}

static bool can_be_set(const struct list_item *item)
{
	return item->kind == LIST_EVENT || item->kind == LIST_TRACER || item->kind == LIST_OPTION || item->kind == LIST_CLOCK;
}

static void as_json(const struct list *list, struct text *out)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		const struct list_item *item = &list->items[i];
		size_t system_len;
		const char *name = split_name(item, &system_len);

		if (!item->chosen)
			continue;
		text_printf(out, "{\"kind\":\"%s\"", list_kind_name(item->kind));
		if (item->kind == LIST_EVENT)
			json_string(out, "system", item->name, system_len);
		json_string(out, "name", name, strlen(name));
		if (can_be_set(item))
			text_printf(out, ",\"set\":%s", item->is_set ? "true" : "false");
		if (item->module)
			json_string(out, "module", item->module, strlen(item->module));
		if (item->kind == LIST_SYSTEM)
			text_printf(out, ",\"events\":%u", item->nr_events);
		if (item->kind == LIST_INSTANCE)
			text_printf(out, ",\"owner\":\"%s\"", owner_name(item->owner));
		if (item->has_details)
			json_fields(out, item);
		text_add(out, "}\n");
	}
}

static void csv_fields(struct text *out, const struct list_item *item)
{
	struct text fields = { 0 };

	for (unsigned int i = 0; i < item->nr_fields; i++)
		text_printf(&fields, "%s%s %s", i ? "; " : "", item->fields[i].type, item->fields[i].name);
	text_csv(out, text_str(&fields), fields.len);
	text_fini(&fields);
}

static void as_csv(const struct list *list, struct text *out)
{
	text_add(out, "kind,system,name,set,module,owner,events,id,filter,triggers,fields\n");
	for (unsigned int i = 0; i < list->nr; i++) {
		const struct list_item *item = &list->items[i];
		size_t system_len;
		const char *name = split_name(item, &system_len);

		if (!item->chosen)
			continue;
		text_printf(out, "%s,", list_kind_name(item->kind));
		text_csv(out, item->name, system_len);
		text_char(out, ',');
		text_csv(out, name, strlen(name));
		text_printf(out, ",%s,", can_be_set(item) ? item->is_set ? "1" : "0" : "");
		text_csv(out, item->module ? item->module : "", item->module ? strlen(item->module) : 0);
		text_printf(out, ",%s,", item->kind == LIST_INSTANCE ? owner_name(item->owner) : "");
		if (item->kind == LIST_SYSTEM)
			text_printf(out, "%u", item->nr_events);
		text_char(out, ',');
		if (item->has_details) {
			text_printf(out, "%d,", item->id);
			text_csv(out, item->filter, strlen(item->filter));
			text_char(out, ',');
			text_csv(out, item->triggers, strlen(item->triggers));
			text_char(out, ',');
			csv_fields(out, item);
		} else {
			text_add(out, ",,,");
		}
		text_char(out, '\n');
	}
}

/* --- the command ------------------------------------------------------------ */

static int take_option(struct request *request, const struct option_value *option, struct ft_error *err)
{
	static const struct {
		int		id;
		enum list_kind	kind;
	} kinds[] = {
		{ OPT_EVENTS, LIST_EVENT },	{ OPT_TRACERS, LIST_TRACER },	{ OPT_FUNCTIONS, LIST_FUNCTION },
		{ OPT_OPTIONS, LIST_OPTION },	{ OPT_CLOCKS, LIST_CLOCK },	{ OPT_INSTANCES, LIST_INSTANCE },
		{ OPT_SYSTEMS, LIST_SYSTEM },	{ OPT_FIELDS, LIST_EVENT },	{ OPT_FULL, LIST_EVENT },
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
		break;
	case OPT_ROOT:
		request->root = option->value;
		break;
	case OPT_FORMAT:
		request->format = command_format(option->value, err);
		return request->format < 0 ? -1 : 0;
	}
	return 0;
}

static void write_out(const struct list *list, const struct request *request, bool overview)
{
	struct text out = { 0 };

	if (request->format == FORMAT_JSON)
		as_json(list, &out);
	else if (request->format == FORMAT_CSV)
		as_csv(list, &out);
	else if (overview)
		as_overview(list, output_cells(STDOUT_FILENO), &out);
	else
		as_text(list, request, &out);
	fwrite(text_str(&out), 1, out.len, stdout);
	fflush(stdout);
	text_fini(&out);
}

static int run(struct request *request, bool overview, struct ft_error *err)
{
	struct kernel_facts facts;
	struct text missing = { 0 };
	struct tracefs_dir dir;
	struct list list;
	char proc[4096];
	struct leftover_places places = { .run_dir = leftover_run_dir(), .proc = proc };
	int ret;

	if (tracefs_dir_open(&dir, request->tracefs, err))
		return -1;
	kernel_facts_read(&facts, request->root);
	snprintf(proc, sizeof(proc), "%s/proc", request->root);
	ret = list_read(&list, &dir, &facts, &places, &request->query, &missing, err);
	write_out(&list, request, overview);
	if (missing.len && !ret) {
		char *last;

		/* All but the last line here; the last is the error. */
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
	struct request request = { .root = "", .query = { .patterns = list->operands, .nr_patterns = list->nr_operands } };
	bool overview;

	for (unsigned int i = 0; i < list->nr; i++)
		if (take_option(&request, &list->values[i], err))
			return -1;
	overview = !request.nr_kinds && !list->nr_operands;
	for (int kind = 0; !request.nr_kinds && kind < LIST_NR; kind++)
		request.query.kinds[kind] = overview ? kind != LIST_EVENT && kind != LIST_FUNCTION : kind != LIST_SYSTEM;
	request.query.optional_functions = !request.nr_kinds;
	return run(&request, overview, err);
}
