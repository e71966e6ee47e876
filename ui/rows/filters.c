/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/filters.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

void filters_init(struct filters *filters, struct trace *trace)
{
	memset(filters, 0, sizeof(*filters));
	filters->trace = trace;
}

static void entry_free(struct filters *filters, struct filter_entry *entry)
{
	matches_drop(filters->matches, entry->handle);
	free(entry->text);
}

/* The blame found for the former stack no longer holds. */
static void forget_blame(struct filters *filters)
{
	for (unsigned int i = 0; i < filters->nr_less; i++) {
		matches_drop(filters->matches, filters->less[i].handle);
		free(filters->less[i].term);
	}
	filters->nr_less = 0;
	filters->blamed = false;
	filter_free(filters->whole);
	filters->whole = NULL;
}

void filters_fini(struct filters *filters)
{
	forget_blame(filters);
	for (unsigned int i = 0; i < filters->nr; i++)
		entry_free(filters, &filters->stack[i]);
	matches_free(filters->matches);
	memset(filters, 0, sizeof(*filters));
}

static void use(struct filters *filters)
{
	struct match_filter *handles[FILTERS_MAX];

	if (!filters->matches)
		return;
	forget_blame(filters);
	for (unsigned int i = 0; i < filters->nr; i++)
		handles[i] = filters->stack[i].handle;
	matches_use(filters->matches, handles, filters->off ? 0 : filters->nr);
}

struct filter *filters_parse(const struct filters *filters, const char *text,
			     const struct places *places, struct filter_error *err)
{
	struct filter_source source = { .text = text, .file = -1 };

	return filters_parse_sources(filters, &source, 1, places, err);
}

static void set_marks(struct filter_options *options, const struct places *places)
{
	const struct place *a = places_get(places, 'a'), *b = places_get(places, 'b');

	options->has_a = a != NULL;
	options->has_b = b != NULL;
	options->a = a ? a->ts : 0;
	options->b = b ? b->ts : 0;
}

struct filter *filters_parse_sources(const struct filters *filters,
				     const struct filter_source *sources, unsigned int nr,
				     const struct places *places, struct filter_error *err)
{
	struct filter_options options = { 0 };

	set_marks(&options, places);
	if (filters->named) {
		options.macros = filters->named->macros;
		options.nr_macros = filters->named->nr;
	}
	return filter_new(filters->trace, sources, nr, &options, err);
}

static bool is_blank(const char *text)
{
	return !text[strspn(text, " \t")];
}

/* Before the first filter: matches get the time budget that was set earlier. */
static void begin(struct filters *filters)
{
	filters->matches = matches_new(filters->trace, MATCHES_BROWSE);
	if (filters->has_budget)
		matches_budget(filters->matches, filters->budget);
}

int filters_set(struct filters *filters, unsigned int at, const char *text,
		const struct places *places, struct filter_error *err)
{
	struct filter_entry former = { 0 };
	struct filter *filter;

	if (at > filters->nr || at >= FILTERS_MAX)
		return -1;
	if (at < filters->nr)
		former = filters->stack[at];
	if (is_blank(text)) {
		if (at < filters->nr)
			memmove(&filters->stack[at], &filters->stack[at + 1],
				sizeof(filters->stack[0]) * (--filters->nr - at));
	} else {
		filter = filters_parse(filters, text, places, err);
		if (!filter)
			return -1;
		if (!filters->matches)
			begin(filters);
		filters->stack[at].handle = matches_add(filters->matches, filter);
		filters->stack[at].text = mem_strdup(text);
		filters->nr += at == filters->nr;
	}
	filters->off = filters->of_last_time = false;
	use(filters);
	if (former.text)
		entry_free(filters, &former);
	return 0;
}

void filters_follow_marks(struct filters *filters, const struct places *places)
{
	struct filter_options marks = { 0 };
	bool any = false;

	set_marks(&marks, places);
	for (unsigned int i = 0; i < filters->nr; i++) {
		struct filter_entry *entry = &filters->stack[i];
		struct match_filter *former = entry->handle;
		struct filter_error err = { 0 };
		struct filter *filter;

		if (!filter_marks_moved(match_filter_of(former), &marks))
			continue;
		filter = filters_parse(filters, entry->text, places, &err);
		text_fini(&err.message);
		if (!filter)
			continue;
		entry->handle = matches_add(filters->matches, filter);
		matches_drop(filters->matches, former);
		any = true;
	}
	if (any)
		use(filters);
}

void filters_switch(struct filters *filters, bool on)
{
	filters->off = !on;
	filters->of_last_time = false;
	use(filters);
}

bool filters_await(const struct filters *filters)
{
	for (unsigned int i = 0; i < filters->nr; i++)
		if (!filter_ready(match_filter_of(filters->stack[i].handle)))
			return true;
	return false;
}

bool filters_active(const struct filters *filters)
{
	return filters->nr && !filters->off;
}

bool filters_hiding(const struct filters *filters)
{
	return filters_active(filters) && !filters->dim;
}

struct matches *filters_sieve(const struct filters *filters)
{
	return filters_hiding(filters) ? filters->matches : NULL;
}

bool filters_keep(const struct filters *filters, const struct trace_event *event)
{
	return !filters_active(filters) || matches_test(filters->matches, event);
}

bool filters_dims(const struct filters *filters, const struct trace_event *event)
{
	return filters_active(filters) && (filters->dim || filters->around) &&
	       !filters_keep(filters, event);
}

void filters_budget(struct filters *filters, int64_t ns)
{
	filters->has_budget = true;
	filters->budget = ns;
	if (filters->matches)
		matches_budget(filters->matches, ns);
}

void filters_focus(const struct filters *filters, int64_t ts)
{
	if (filters_active(filters))
		matches_focus(filters->matches, ts);
}

const char *filters_trouble(const struct filters *filters)
{
	return filters_active(filters) ? matches_trouble(filters->matches) : NULL;
}

void filters_count(const struct filters *filters, struct text *out)
{
	struct matches_status status = matches_status(filters->matches);
	struct trace_status all = trace_status(filters->trace);

	if (!status.exact)
		text_add(out, "≥ ");
	text_count(out, status.events);
	text_add(out, all.complete ? " of " : " of ~");
	text_count(out, all.events);
}

void filters_expression(const struct filters *filters, struct text *out)
{
	for (unsigned int i = 0; i < filters->nr; i++)
		text_printf(out, filters->nr > 1 ? "%s(%s)" : "%s%s", i ? " && " : "",
			    filters->stack[i].text);
}

void filters_lines(const struct filters *filters, struct text *out)
{
	for (unsigned int i = 0; i < filters->nr; i++)
		text_printf(out, "%s\n", filters->stack[i].text);
}

void filters_add_lines(struct filters *filters, const char *lines, const struct places *places)
{
	struct filter_error err = { 0 };

	for (size_t len; *lines; lines += len + (lines[len] == '\n')) {
		char *text;

		len = strcspn(lines, "\n");
		text = mem_strndup(lines, len);
		filters_set(filters, filters->nr, text, places, &err);
		free(text);
	}
	text_fini(&err.message);
}

void filters_text(const struct filters *filters, struct text *out)
{
	for (unsigned int i = 0; i < filters->nr; i++) {
		text_add(out, i ? "  &  " : "");
		text_printable(out, filters->stack[i].text, strlen(filters->stack[i].text));
	}
}
