/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/ask/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/ask/measures.h"
#include "recorder/journal/leftover.h"
#include "recorder/tracefs/monitors.h"
#include "recorder/tracefs/pattern.h"
#include "recorder/tracefs/refusal.h"
#include "src/base/memory.h"
#include "src/base/options.h"

struct symbol_reader {
	struct list		  *list;
	const struct tracefs_dir  *top;
	const struct tracefs_dir  *settings;	/* the top instance, or the one in the query */
	const struct kernel_facts *facts;
	const struct leftover_places *places;
	const struct list_query	  *query;
};

const char *list_kind_name(enum list_kind kind)
{
	static const char *const names[LIST_NR] = {
		[LIST_TRACER] = "tracer", [LIST_EVENT] = "event",
		[LIST_SYSTEM] = "system",	  [LIST_FUNCTION] = "function",
		[LIST_OPTION] = "option", [LIST_CLOCK] = "clock", [LIST_INSTANCE] = "instance",
		[LIST_MEASURE] = "measure",
		[LIST_MONITOR] = "monitor",
	};

	return names[kind];
}

static struct list_item *add_item(struct symbol_reader *r, enum list_kind kind, const char *name,
				  size_t len)
{
	struct list_item *item;

	mem_grow(&r->list->items, r->list->nr, &r->list->cap);
	item = &r->list->items[r->list->nr++];
	*item = (struct list_item){ .kind = kind, .name = mem_strndup(name, len), .id = -1 };
	return item;
}

static void item_fini(struct list_item *item)
{
	for (unsigned int i = 0; i < item->nr_fields; i++) {
		free(item->fields[i].name);
		free(item->fields[i].type);
	}
	free(item->fields);
	free(item->name);
	free(item->module);
	free(item->about);
	free(item->print_fmt);
	free(item->filter);
	free(item->triggers);
	free(item->value);
}

void list_fini(struct list *list)
{
	for (unsigned int i = 0; i < list->nr; i++)
		item_fini(&list->items[i]);
	free(list->items);
	*list = (struct list){ 0 };
}

/* Set the error: why a file cannot be read, and what helps. */
static int set_refused(const struct symbol_reader *r, const char *file, int errnum,
		       const char *config, struct ft_error *err)
{
	struct refusal refusal;
	bool rights;

	refusal_explain(&refusal, r->facts, r->top, file, errnum, config);
	rights = refusal.cause == REFUSAL_RIGHTS && refusal.remedy.len;
	ft_error_set(err, FT_E_IO, -1, "%s/%s: %s%s%s", r->top->path, file, text_str(&refusal.why),
		     refusal.remedy.len ? "; fix it: " : "",
		     rights ? "sudo ftop-trace list ..." : text_str(&refusal.remedy));
	refusal_fini(&refusal);
	return -1;
}

/* --- one kind each ---------------------------------------------------------- */

static int read_tracers(struct symbol_reader *r, struct ft_error *err)
{
	struct name_list names;
	struct text now = { 0 };

	/*
	 * The instance's own file is right: old kernels list the top instance's tracers in every
	 * instance.
	 */
	if (tracefs_dir_read_words(r->settings, "available_tracers", &names, NULL))
		return set_refused(r, "available_tracers", errno, "TRACING", err);
	tracefs_dir_read_line(r->settings, "current_tracer", &now, NULL);
	for (unsigned int i = 0; i < names.nr; i++)
		add_item(r, LIST_TRACER, names.names[i], strlen(names.names[i]))->is_set =
			!strcmp(names.names[i], text_str(&now));
	name_list_fini(&names);
	text_fini(&now);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "sched:b" before "sched_ext:a": by system, then by name. */
static int by_event(const void *a, const void *b)
{
	const unsigned char *x = *(unsigned char *const *)a, *y = *(unsigned char *const *)b;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	return (*x == ':' ? 1 : *x) - (*y == ':' ? 1 : *y);
}

/*
 * ftrace's own events cannot be enabled, but traces contain them: list them if a pattern asks for
 * them.
 */
static void add_ftrace_events(struct symbol_reader *r, struct name_list *events)
{
	struct name_list names;
	bool asked = false;

	for (unsigned int i = 0; i < r->query->nr_patterns; i++)
		asked = asked || !strncmp(r->query->patterns[i], "ftrace", 6);
	if (!asked || tracefs_dir_list(r->top, "events/ftrace", &names, NULL))
		return;
	for (unsigned int i = 0; i < names.nr; i++)
		if (tracefs_dir_has(r->top,
				    TRACEFS_TEXT("events/ftrace/%s/format", names.names[i])))
			name_list_add(events, TRACEFS_TEXT("ftrace:%s", names.names[i]));
	name_list_fini(&names);
}

static void add_systems(struct symbol_reader *r, const struct name_list *events)
{
	struct list_item *last = NULL;

	for (unsigned int i = 0; i < events->nr; i++) {
		size_t len = strcspn(events->names[i], ":");

		if (!last || strlen(last->name) != len || memcmp(last->name, events->names[i], len))
			last = add_item(r, LIST_SYSTEM, events->names[i], len);
		last->nr_events++;
	}
}

static int read_events(struct symbol_reader *r, struct ft_error *err)
{
	struct name_list events, on;

	if (tracefs_dir_read_words(r->top, "available_events", &events, NULL))
		return set_refused(r, "available_events", errno, "EVENT_TRACING", err);
	add_ftrace_events(r, &events);
	if (events.nr)
		qsort(events.names, events.nr, sizeof(*events.names), by_event);
	tracefs_dir_read_words(r->settings, "set_event", &on, NULL);
	name_list_sort(&on);
	for (unsigned int i = 0; r->query->kinds[LIST_EVENT] && i < events.nr; i++) {
		struct list_item *item = add_item(r, LIST_EVENT, events.names[i],
						  strlen(events.names[i]));

		item->is_set = on.nr && bsearch(&events.names[i], on.names, on.nr,
						sizeof(*on.names), by_name);
	}
	if (r->query->kinds[LIST_SYSTEM])
		add_systems(r, &events);
	name_list_fini(&events);
	name_list_fini(&on);
	return 0;
}

/* Lines "NAME" or "NAME [MODULE]". */
static int read_functions(struct symbol_reader *r, struct ft_error *err)
{
	struct text content = { 0 };

	if (tracefs_dir_read(r->top, "available_filter_functions", &content, NULL)) {
		set_refused(r, "available_filter_functions", errno, "DYNAMIC_FTRACE", err);
		text_fini(&content);
		return -1;
	}
	for (const char *p = text_str(&content), *end; *p; p = *end ? end + 1 : end) {
		size_t len = strcspn(p, " \t\n");
		const char *module = memchr(p, '[', (end = p + strcspn(p, "\n")) - p);
		struct list_item *item;

		if (!len)
			continue;
		item = add_item(r, LIST_FUNCTION, p, len);
		if (module)
			item->module = mem_strndup(module + 1, strcspn(module + 1, "]\n"));
	}
	text_fini(&content);
	return 0;
}

static int read_options(struct symbol_reader *r, struct ft_error *err)
{
	struct name_list names;
	unsigned int nr_read = 0;
	char file[512] = "options";
	int errnum = 0;

	if (tracefs_dir_list(r->settings, "options", &names, NULL))
		return set_refused(r, "options", errno, "TRACING", err);
	for (unsigned int i = 0; i < names.nr; i++) {
		long long value = 0;

		snprintf(file, sizeof(file), "options/%s", names.names[i]);
		if (tracefs_dir_read_number(r->settings, file, &value, NULL)) {
			errnum = errno;
			continue;
		}
		add_item(r, LIST_OPTION, names.names[i], strlen(names.names[i]))->is_set = value !=
											   0;
		nr_read++;
	}
	name_list_fini(&names);
	/* in a locked down kernel, their names can still be read */
	return errnum && !nr_read ? set_refused(r, file, errnum, "TRACING", err) : 0;
}

static int read_clocks(struct symbol_reader *r, struct ft_error *err)
{
	struct name_list names;

	if (tracefs_dir_read_words(r->settings, "trace_clock", &names, NULL))
		return set_refused(r, "trace_clock", errno, "TRACING", err);
	for (unsigned int i = 0; i < names.nr; i++) {
		const char *name = names.names[i];
		bool is_set = *name == '[';

		add_item(r, LIST_CLOCK, name + is_set, strcspn(name + is_set, "]"))->is_set =
			is_set;
	}
	name_list_fini(&names);
	return 0;
}

static int read_instances(struct symbol_reader *r, struct ft_error *err)
{
	struct name_list remotes;
	struct leftovers found;
	int ret = 0;

	if (leftovers_find(&found, r->top, r->places, NULL))
		ret = set_refused(r, "instances", errno, "TRACING", err);
	for (size_t i = 0; i < found.foreign.nr; i++)
		add_item(r, LIST_INSTANCE, found.foreign.names[i], strlen(found.foreign.names[i]));
	for (size_t i = 0; i < found.nr; i++)
		if (found.items[i].has_instance)
			add_item(r, LIST_INSTANCE, found.items[i].name, strlen(found.items[i].name))
				->owner = found.items[i].state == LEFTOVER_LIVES ? LIST_OURS :
										   LIST_STALE;
	leftovers_fini(&found);
	tracefs_dir_folders(r->top, "remotes", &remotes, NULL);
	for (size_t i = 0; i < remotes.nr; i++) {
		const char *name = TRACEFS_TEXT("remotes/%s", remotes.names[i]);

		add_item(r, LIST_INSTANCE, name, strlen(name))->owner = LIST_REMOTE;
	}
	name_list_fini(&remotes);
	return ret;
}

/* Keys of tracers that this kernel does not have are left out. */
static int read_measures(struct symbol_reader *r, struct ft_error *err)
{
	const struct measure_key *key;
	struct name_list tracers;
	bool has_any = false;

	if (tracefs_dir_read_words(r->top, "available_tracers", &tracers, NULL))
		return set_refused(r, "available_tracers", errno, "TRACING", err);
	for (unsigned int i = 0; (key = measure_key(i)); i++) {
		enum measure_state state = measures_state(r->top, &tracers, key);
		struct list_item *item;
		struct text value = { 0 };

		if (state == MEASURE_NO_TRACER)
			continue;
		has_any = true;
		item = add_item(r, LIST_MEASURE, key->name, strlen(key->name));
		item->tracers = key->tracers;
		if (state == MEASURE_LACKS)
			item->since = key->since ? key->since : "";
		else
			measures_value(r->top, key, &value);
		item->value = value.data;
	}
	name_list_fini(&tracers);
	return has_any ? 0 :
			 ft_error_set(err, FT_E_UNSUPPORTED, -1,
				      "this kernel has no tracer with keys for --measure: hwlat, "
				      "osnoise, timerlat or function_graph");
}

static int read_monitors(struct symbol_reader *r, struct ft_error *err)
{
	struct name_list names;

	if (monitors_read(r->top, &names, NULL))
		return set_refused(r, MONITORS_AVAILABLE, errno, MONITORS_CONFIG, err);
	for (size_t i = 0; i < names.nr; i++) {
		const char *name = names.names[i];
		struct list_item *item = add_item(r, LIST_MONITOR, name, strlen(name));

		item->is_set = monitors_is_enabled(r->top, name);
		item->about = tracefs_dir_line(r->top, MONITORS_FILE(name, "desc"));
	}
	name_list_fini(&names);
	return 0;
}

/* --- details of events ------------------------------------------------------ */

/* "field:char prev_comm[16];	offset:8;	size:16;	signed:0;" */
static void add_field(struct list_item *item, const char *line, bool is_common)
{
	const char *end = strchr(line, ';'), *name, *bracket;
	unsigned int offset, size, is_signed = 0;
	struct list_field *field;
	struct text type = { 0 };

	if (!end || end == line ||
	    sscanf(end, "; offset:%u; size:%u; signed:%u", &offset, &size, &is_signed) < 2)
		return;
	bracket = end[-1] == ']' ? memrchr(line, '[', end - line) : end;
	for (name = bracket; name && name > line && name[-1] != ' ' && name[-1] != '*'; name--)
		;
	if (!name || name == bracket || name == line)
		return;
	mem_grow(&item->fields, item->nr_fields, &item->cap_fields);
	field = &item->fields[item->nr_fields++];
	*field = (struct list_field){
		.offset = offset, .size = size, .is_signed = is_signed, .is_common = is_common
	};
	field->name = mem_strndup(name, bracket - name);
	text_bytes(&type, line, name - line - (name[-1] == ' '));
	text_bytes(&type, bracket, end - bracket);
	field->type = mem_strdup(text_str(&type));
	text_fini(&type);
}

/*
 * Takes the text of an event's format file apart: @item receives id, fields and print_fmt; other
 * lines are passed over.
 */
static void take_format(struct list_item *item, const char *text)
{
	bool is_common = true;

	for (const char *p = text, *end; *p; p = *end ? end + 1 : end) {
		end = p + strcspn(p, "\n");
		if (!strncmp(p, "ID: ", 4)) {
			item->id = atoi(p + 4);
		} else if (!strncmp(p, "print fmt: ", 11)) {
			free(item->print_fmt);
			item->print_fmt = mem_strndup(p + 11, end - p - 11);
		} else if (!strncmp(p, "\tfield:", 7)) {
			char *line = mem_strndup(p + 7, end - p - 7);

			add_field(item, line, is_common);
			free(line);
		} else if (p == end && item->nr_fields) {
			is_common = false;	/* an empty line separates them */
		}
	}
	if (!item->print_fmt)
		item->print_fmt = mem_strdup("");
}

/* The lines of a file without the kernel's comments and the last newline. */
static char *read_lines(const struct tracefs_dir *dir, const char *file)
{
	struct name_list lines;
	struct text joined = { 0 };

	tracefs_dir_read_lines(dir, file, &lines, NULL);
	text_add(&joined, "");
	for (size_t i = 0; i < lines.nr; i++)
		text_printf(&joined, "%s%s", i ? "\n" : "", lines.names[i]);
	name_list_fini(&lines);
	return joined.data;
}

static void read_details(struct symbol_reader *r, struct list_item *item)
{
	int system = strcspn(item->name, ":");
	const char *name = item->name[system] ? item->name + system + 1 : "";
	const char *folder = TRACEFS_TEXT("events/%.*s/%s", system, item->name, name);
	struct text format = { 0 };

	item->has_details = true;
	tracefs_dir_read(r->top, TRACEFS_TEXT("%s/format", folder), &format, NULL);
	take_format(item, text_str(&format));
	text_fini(&format);
	item->filter = read_lines(r->settings, TRACEFS_TEXT("%s/filter", folder));
	if (!strcmp(item->filter, "none"))
		*item->filter = '\0';
	item->triggers = read_lines(r->settings, TRACEFS_TEXT("%s/trigger", folder));
}

/* --- patterns --------------------------------------------------------------- */

static void subject_of(const struct list_item *item, char *system, size_t size,
		       struct pattern_subject *subject)
{
	size_t len = strcspn(item->name, ":");

	*subject = (struct pattern_subject){ .name = item->name, .module = item->module };
	if (item->kind != LIST_EVENT || !item->name[len] || len >= size)
		return;
	memcpy(system, item->name, len);
	system[len] = '\0';
	subject->system = system;
	subject->event = item->name + len + 1;
}

typedef bool (*pattern_way)(const struct pattern *, const struct pattern_subject *);

/*
 * "nostacktrace" matches, too: that is how an option that is off is shown, and what record -O
 * accepts.
 */
static bool is_meant(const struct list_item *item, const struct pattern *pattern,
		     pattern_way matches)
{
	struct pattern_subject subject;
	char system[256], off[256];

	subject_of(item, system, sizeof(system), &subject);
	if (matches(pattern, &subject))
		return true;
	if (item->kind != LIST_OPTION || matches != pattern_matches)
		return false;
	snprintf(off, sizeof(off), "no%s", item->name);
	subject.name = off;
	return matches(pattern, &subject);
}

static unsigned int choose_items(struct list *list, const struct pattern *pattern,
				 pattern_way matches)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < list->nr; i++) {
		if (!is_meant(&list->items[i], pattern, matches))
			continue;
		list->items[i].chosen = true;
		nr++;
	}
	return nr;
}

/* "sched_swich: no such event; did you mean sched_switch?" */
static void say_missing(const struct symbol_reader *r, const char *pattern, struct text *missing)
{
	const struct list *list = r->list;
	const char **names = mem_array(list->nr * 2 + 1, sizeof(*names)), *near, *option = NULL;
	unsigned int nr = 0, kinds = 0, kind = 0;

	for (unsigned int i = 0; i < list->nr; i++) {
		const char *event = list->items[i].kind == LIST_EVENT ?
					    strchr(list->items[i].name, ':') :
					    NULL;

		names[nr++] = list->items[i].name;
		if (event && !strchr(pattern, ':'))
			names[nr++] = event + 1;
	}
	near = options_nearest(pattern, names, nr);
	for (int i = 0; i < LIST_NR; i++) {
		size_t len = strlen(list_kind_name((enum list_kind)i));

		if (!strncmp(pattern, list_kind_name((enum list_kind)i), len) &&
		    !strcmp(pattern + len, "s"))
			option = pattern;
		kinds += r->query->kinds[i];
		kind = r->query->kinds[i] ? (unsigned int)i : kind;
	}
	text_printable(missing, *pattern ? pattern : "''", *pattern ? strlen(pattern) : 2);
	text_printf(missing, ": no such %s", kinds == 1 ? list_kind_name(kind) : "name");
	if (option)
		text_printf(missing, "; did you mean --%s?", option);
	else if (near)
		text_printf(missing, "; did you mean %s?", near);
	text_char(missing, '\n');
	free(names);
}

static int choose_all(struct symbol_reader *r, struct text *missing, struct ft_error *err)
{
	for (unsigned int i = 0; !r->query->nr_patterns && i < r->list->nr; i++)
		r->list->items[i].chosen = true;
	for (unsigned int i = 0; i < r->query->nr_patterns; i++) {
		struct pattern pattern;

		if (pattern_init(&pattern, r->query->patterns[i], err))
			return -1;
		if (!choose_items(r->list, &pattern, pattern_matches) &&
		    !choose_items(r->list, &pattern, pattern_is_part_of))
			say_missing(r, r->query->patterns[i], missing);
		pattern_fini(&pattern);
	}
	return 0;
}

/* --- all of it -------------------------------------------------------------- */

static int read_kinds(struct symbol_reader *r, struct ft_error *err)
{
	static int (*const readers[LIST_NR])(struct symbol_reader *, struct ft_error *) = {
		[LIST_TRACER] = read_tracers,	[LIST_EVENT] = read_events,
		[LIST_SYSTEM] = read_events,
		[LIST_FUNCTION] = read_functions, [LIST_OPTION] = read_options,
		[LIST_CLOCK] = read_clocks,
		[LIST_INSTANCE] = read_instances,
		[LIST_MEASURE] = read_measures, [LIST_MONITOR] = read_monitors,
	};
	static const bool is_optional[LIST_NR] = {
		[LIST_FUNCTION] = true, [LIST_MEASURE] = true, [LIST_MONITOR] = true
	};
	int ret = 0;

	for (int kind = 0; kind < LIST_NR; kind++) {
		struct ft_error mine;

		/* Events and their systems come from the same file. */
		if (!r->query->kinds[kind] || (kind == LIST_SYSTEM && r->query->kinds[LIST_EVENT]))
			continue;
		if (!readers[kind](r, &mine) || (is_optional[kind] && r->query->optional) || ret)
			continue;
		if (err)
			*err = mine;
		ret = -1;
	}
	return ret;
}

static int no_such_instance(const struct symbol_reader *r, struct ft_error *err)
{
	struct name_list names;
	const char *near;

	tracefs_dir_list(r->top, "instances", &names, NULL);
	near = name_list_nearest(&names, r->query->instance);
	ft_error_set(err, FT_E_IO, -1, "%s: no such instance%s%s%s",
		     *r->query->instance ? r->query->instance : "''", near ? "; did you mean " : "",
		     near ? near : "", near ? "?" : "");
	name_list_fini(&names);
	return -1;
}

int list_read(struct list *list, const struct tracefs_dir *dir, const struct kernel_facts *facts,
	      const struct leftover_places *places, const struct list_query *query,
	      struct text *missing, struct ft_error *err)
{
	struct symbol_reader r = { list, dir, dir, facts, places, query };
	struct tracefs_dir instance = { .fd = -1 };
	int ret;

	*list = (struct list){ 0 };
	if (query->instance) {
		const char *folder = TRACEFS_TEXT("instances/%s", query->instance);

		if (!*query->instance || strchr(query->instance, '/') ||
		    tracefs_dir_open_below(&instance, dir, folder, NULL))
			return no_such_instance(&r, err);
		r.settings = &instance;
	}
	ret = read_kinds(&r, err);
	if (choose_all(&r, missing, ret ? NULL : err))
		ret = -1;
	for (unsigned int i = 0; query->details && i < list->nr; i++)
		if (list->items[i].kind == LIST_EVENT && list->items[i].chosen)
			read_details(&r, &list->items[i]);
	tracefs_dir_close(&instance);
	return ret;
}
