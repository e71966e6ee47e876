/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/recording/capabilities.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/base/memory.h"

static void list_fini(struct capability_list *list)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		free(list->items[i].name);
		free(list->items[i].note);
		free(list->items[i].fields);
	}
	free(list->items);
	*list = (struct capability_list){ 0 };
}

void capabilities_take(struct capabilities *to, struct capabilities *from,
		       enum capability_kind kind)
{
	list_fini(&to->lists[kind]);
	to->lists[kind] = from->lists[kind];
	from->lists[kind] = (struct capability_list){ 0 };
	if (kind == CAPABILITY_EVENT)
		to->next_event = from->next_event = 0;
}

static void forget_checks(struct capabilities *caps)
{
	for (unsigned int i = 0; i < caps->nr_checks; i++) {
		free(caps->checks[i].name);
		free(caps->checks[i].state);
		free(caps->checks[i].text);
		free(caps->checks[i].remedy);
		free(caps->checks[i].cause);
	}
	free(caps->checks);
	caps->checks = NULL;
	caps->nr_checks = caps->cap_checks = 0;
}

void capabilities_take_checks(struct capabilities *to, struct capabilities *from)
{
	forget_checks(to);
	to->checks = from->checks;
	to->nr_checks = from->nr_checks;
	to->cap_checks = from->cap_checks;
	text_clear(&to->kernel);
	text_add(&to->kernel, text_str(&from->kernel));
	from->checks = NULL;
	from->nr_checks = from->cap_checks = 0;
}

void capabilities_fini(struct capabilities *caps)
{
	for (int i = 0; i < NR_CAPABILITIES; i++)
		list_fini(&caps->lists[i]);
	forget_checks(caps);
	text_fini(&caps->kernel);
	*caps = (struct capabilities){ 0 };
}

/* A member as printable text of its own, or "". */
static char *printable_member(const struct json *object, const char *name)
{
	struct text shown = { 0 };

	json_get_printable(object, name, &shown);
	return shown.data ? shown.data : mem_strdup("");
}

/* --- doctor --------------------------------------------------------------- */

static void add_check(struct capabilities *caps, const struct json *object)
{
	mem_grow(&caps->checks, caps->nr_checks, &caps->cap_checks);
	caps->checks[caps->nr_checks++] = (struct capability_check){
		.name = printable_member(object, "check"),
		.state = printable_member(object, "state"),
		.cause = printable_member(object, "cause"),
		.text = printable_member(object, "text"),
		.remedy = printable_member(object, "remedy"),
	};
	text_clear(&caps->kernel);
	json_get_printable(object, "kernel", &caps->kernel);
}

/* The check with this name, such as "rights", or NULL. */
static const struct capability_check *find_check(const struct capabilities *caps, const char *name)
{
	for (unsigned int i = 0; i < caps->nr_checks; i++)
		if (!strcmp(caps->checks[i].name, name))
			return &caps->checks[i];
	return NULL;
}

/* Earlier checks are the causes of later ones. */
const struct capability_check *capabilities_obstacle(const struct capabilities *caps)
{
	static const char *const needed[] = { "tracefs",  "rights", "lockdown",
					      "instance", "events", "pages" };
	const struct capability_check *events = find_check(caps, "events");

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		const struct capability_check *check = find_check(caps, needed[i]);

		if (check && !strcmp(check->state, "no"))
			return check;
	}
	return events && strcmp(events->state, "ok") && strcmp(events->state, "partly") ? events :
											  NULL;
}

bool capabilities_wants_root(const struct capabilities *caps)
{
	const struct capability_check *check = capabilities_obstacle(caps);

	return check && !strcmp(check->name, "rights") && strcmp(check->cause, "read_only");
}

unsigned int capabilities_nr_refused(const struct capabilities *caps)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < caps->nr_checks; i++)
		nr += !strcmp(caps->checks[i].state, "no");
	return nr;
}

bool capabilities_refused(const struct capabilities *caps, const char *name)
{
	const struct capability_check *check = find_check(caps, name);

	return check && !strcmp(check->state, "no");
}

/* --- list ----------------------------------------------------------------- */

/* The kernel's names are plain words; other names could not be used. */
static bool is_plain(const char *name)
{
	if (!*name)
		return false;
	for (; *name; name++)
		if (*name <= ' ' || *name > '~')
			return false;
	return true;
}

/* The text between the first quotes of a print format: "comm=%s pid=%d". */
static char *format_of(const struct json *object)
{
	struct text raw = { 0 }, shown = { 0 };
	const char *p;
	char *copy;

	json_get_string(object, "print_fmt", &raw);
	p = strchr(text_str(&raw), '"');
	for (p = p ? p + 1 : ""; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			text_char(&shown, *p++);
		text_char(&shown, *p);
	}
	text_clear(&raw);
	text_printable(&raw, text_str(&shown), shown.len);
	copy = mem_strdup(text_str(&raw));
	text_fini(&raw);
	text_fini(&shown);
	return copy;
}

/* "char[16] comm, pid_t pid"; NULL if the line has no fields. */
static char *fields_of(const struct json *object)
{
	struct text out = { 0 };
	struct json fields, field;
	const char *next;
	char *copy;

	if (!json_member(object, "fields", &fields))
		return NULL;
	next = fields.at;
	while (json_element(&fields, &next, &field)) {
		char *name = printable_member(&field, "name"),
		     *type = printable_member(&field, "type");

		if (strncmp(name, "common_", 7) != 0)
			text_printf(&out, "%s%s %s", out.len ? ", " : "", type, name);
		free(name);
		free(type);
	}
	copy = mem_strdup(text_str(&out));
	text_fini(&out);
	return copy;
}

static struct capability *find(struct capability_list *list, const char *name, unsigned int near)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		struct capability *item = &list->items[(near + i) % list->nr];

		if (!strcmp(item->name, name))
			return item;
	}
	return NULL;
}

static struct capability *add(struct capability_list *list, const char *name,
			      unsigned int system_len)
{
	if (list->nr >= CAPABILITIES_MAX)
		return NULL;
	mem_grow(&list->items, list->nr, &list->cap);
	list->items[list->nr] = (struct capability){ .name = mem_strdup(name),
						     .system_len = system_len };
	return &list->items[list->nr++];
}

static void add_event(struct capabilities *caps, const struct json *object, const char *name)
{
	struct capability_list *events = &caps->lists[CAPABILITY_EVENT];
	struct text system = { 0 }, full = { 0 };
	char *fields = fields_of(object);
	struct capability *item = NULL;

	json_get_string(object, "system", &system);
	text_printf(&full, "%s:%s", text_str(&system), name);
	if (is_plain(text_str(&full)) && system.len) {
		if (fields && caps->next_event < events->nr)
			item = find(events, text_str(&full), caps->next_event);
		if (!item)
			item = add(events, text_str(&full), (unsigned int)system.len);
	}
	if (item && fields) {
		free(item->note);
		free(item->fields);
		item->note = format_of(object);
		item->fields = fields;
		fields = NULL;
		caps->next_event = (unsigned int)(item - events->items) + 1;
	}
	free(fields);
	text_fini(&system);
	text_fini(&full);
}

static void add_listed(struct capabilities *caps, const struct json *object)
{
	static const char *const kinds[NR_CAPABILITIES] = {
		[CAPABILITY_TRACER] = "tracer", [CAPABILITY_EVENT] = "event",
		[CAPABILITY_FUNCTION] = "function",
		[CAPABILITY_CLOCK] = "clock", [CAPABILITY_OPTION] = "option",
	};
	struct text kind = { 0 }, name = { 0 };
	struct capability *item;
	struct json value;

	json_get_string(object, "kind", &kind);
	json_get_string(object, "name", &name);
	for (int i = 0; i < NR_CAPABILITIES && is_plain(text_str(&name)); i++) {
		if (strcmp(text_str(&kind), kinds[i]))
			continue;
		if (i == CAPABILITY_EVENT) {
			add_event(caps, object, text_str(&name));
			continue;
		}
		item = add(&caps->lists[i], text_str(&name), 0);
		if (!item)
			continue;
		item->set = json_member(object, "set", &value) && json_true(&value);
		if (i == CAPABILITY_FUNCTION && json_member(object, "module", &value))
			item->note = printable_member(object, "module");
	}
	text_fini(&kind);
	text_fini(&name);
}

void capabilities_line(struct capabilities *caps, const char *line, size_t len)
{
	struct json object, value;

	if (!json_parse(line, len, &object))
		return;
	if (json_member(&object, "check", &value))
		add_check(caps, &object);
	else
		add_listed(caps, &object);
}

bool capabilities_has(const struct capabilities *caps, enum capability_kind kind, const char *name)
{
	const struct capability_list *list = &caps->lists[kind];

	for (unsigned int i = 0; i < list->nr; i++)
		if (!strcmp(list->items[i].name, name))
			return true;
	return false;
}
