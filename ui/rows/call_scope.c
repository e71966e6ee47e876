/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/call_scope.h"

#include <inttypes.h>
#include <string.h>

#include "src/filter/filter.h"

void call_scope_take(struct graph_scope *scope, const struct shared *shared, bool range)
{
	const struct filters *filters = &shared->filters;

	for (unsigned int i = 0;
	     filters_active(filters) && i < filters->nr && scope->nr_filters < GRAPH_FILTERS; i++) {
		struct filter_error err = { 0 };
		struct filter *filter = filters_parse(filters, filters->stack[i].text,
						      &shared->places, &err);

		if (filter)
			scope->filters[scope->nr_filters++] = filter;
		text_fini(&err.message);
	}
	if (range)
		scope->has_from = scope->has_to = shared_range(shared, &scope->from, &scope->to);
}

void call_scope_drop(struct graph_scope *scope)
{
	for (unsigned int i = 0; i < scope->nr_filters; i++)
		filter_free((struct filter *)scope->filters[i]);
	*scope = (struct graph_scope){ 0 };
}

struct event_sweep_options call_scope_sweep(const struct graph_scope *scope, unsigned int file)
{
	return (struct event_sweep_options){ .file = file,
					     .range = { scope->has_from, scope->from, scope->to },
					     .filters = scope->filters,
					     .nr_filters = scope->nr_filters };
}

void call_scope_key(const struct shared *shared, bool range, struct text *out)
{
	const struct places *places = &shared->places;
	const struct place *mark;

	if (range && places->range.set)
		text_printf(out, "%" PRId64 " %" PRId64 "\n", places->range.from, places->range.to);
	if (!filters_active(&shared->filters))
		return;
	for (unsigned int i = 0; i < shared->filters.nr; i++)
		text_printf(out, "%s\n", shared->filters.stack[i].text);
	for (char letter = 'a'; letter <= 'b'; letter++) {	/* "between a b" */
		mark = places_get(places, letter);
		if (mark)
			text_printf(out, "%c %" PRId64 "\n", letter, mark->ts);
	}
}

bool call_scope_changed(const struct shared *shared, struct text *key)
{
	struct text now = { 0 };

	call_scope_key(shared, true, &now);
	if (!strcmp(text_str(&now), text_str(key))) {
		text_fini(&now);
		return false;
	}
	text_fini(key);
	*key = now;
	return true;
}
