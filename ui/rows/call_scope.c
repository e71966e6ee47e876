/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/call_scope.h"

#include <inttypes.h>
#include <string.h>

#include "src/filter/filter.h"

#define WIDE_COLS	100	/* with room for the filter behind the range */

static void add_key(const struct shared *shared, bool range, struct text *out)
{
	const struct places *places = &shared->at.places;
	const struct place *mark;

	if (range && shared->growth.as_of && shared->growth.tail && !shared->growth.tail_stays)
		text_printf(out, "last %" PRId64 "\n", shared->growth.tail);
	else if (range && places->range.set)
		text_printf(out, "%" PRId64 " %" PRId64 "\n", places->range.from, places->range.to);
	if (!filters_active(&shared->chosen.filters))
		return;
	for (unsigned int i = 0; i < shared->chosen.filters.nr; i++)
		text_printf(out, "%s\n", shared->chosen.filters.stack[i].text);
	for (char letter = 'a'; letter <= 'b'; letter++) {	/* "between a b" */
		mark = places_get(places, letter);
		if (mark)
			text_printf(out, "%c %" PRId64 "\n", letter, mark->ts);
	}
}

enum call_scope_change call_scope_changed(const struct call_scope *scope,
					  const struct shared *shared, bool range)
{
	struct text now = { 0 };
	bool changed;

	add_key(shared, range, &now);
	changed = strcmp(text_str(&now), text_str(&scope->key)) != 0;
	text_fini(&now);
	return changed                              ? CALL_SCOPE_CHANGED :
	       scope->as_of != shared->growth.as_of ? CALL_SCOPE_GREW :
						      CALL_SCOPE_SAME;
}

void call_scope_take(struct call_scope *scope, const struct shared *shared, bool range)
{
	const struct filters *filters = &shared->chosen.filters;
	struct graph_scope *of = &scope->of;

	call_scope_drop(scope);
	add_key(shared, range, &scope->key);
	scope->as_of = shared->growth.as_of;
	for (unsigned int i = 0;
	     filters_active(filters) && i < filters->nr && of->nr_filters < GRAPH_FILTERS; i++) {
		struct filter_error err = { 0 };
		struct filter *filter = filters_parse(filters, filters->stack[i].text,
						      &shared->at.places, &err);

		if (filter)
			of->filters[of->nr_filters++] = filter;
		text_fini(&err.message);
	}
	if (range)
		of->has_from = of->has_to = shared_range(shared, &of->from, &of->to);
}

void call_scope_drop(struct call_scope *scope)
{
	for (unsigned int i = 0; i < scope->of.nr_filters; i++)
		filter_free((struct filter *)scope->of.filters[i]);
	text_fini(&scope->key);
	*scope = (struct call_scope){ 0 };
}

bool call_scope_is_ready(const struct call_scope *scope, const struct trace *trace)
{
	for (unsigned int i = 0; i < scope->of.nr_filters; i++)
		if (!filter_ready(scope->of.filters[i]) ||
		    (filter_needs_names(scope->of.filters[i]) && !trace_status(trace).complete))
			return false;
	return true;
}

struct event_sweep_options call_scope_sweep(const struct call_scope *scope, unsigned int file)
{
	return (struct event_sweep_options){ .file = file,
					     .range = { scope->of.has_from, scope->of.from,
							scope->of.to },
					     .filters = scope->of.filters,
					     .nr_filters = scope->of.nr_filters };
}

/* --- headings ------------------------------------------------------------------------------- */

static void add_blanks(struct text *out)
{
	text_add(out, out->len && out->data[out->len - 1] != ' ' ? "   " : "");
}

void call_scope_add_range(const struct call_scope *scope, const struct shared *shared,
			  bool compared, bool all, struct text *out)
{
	int64_t from = scope->of.from, to = scope->of.to;

	if (!scope->of.has_from && !all)
		return;
	if (shared->at.has_span) {
		from = from > shared->at.first ? from : shared->at.first;
		to = to < shared_end(shared) ? to : shared_end(shared);
	}
	add_blanks(out);
	text_add(out, "range ");
	if (scope->of.has_from)
		shared_span(shared, to > from ? time_between(from, to) : 0, out);
	else
		text_add(out, "whole");
	if (compared) {
		shared_and_rest(shared, 0, out);
	} else if (scope->of.has_from && shared->at.has_span && shared->look.cols >= WIDE_COLS) {
		text_add(out, " of ");
		shared_span(shared, time_between(shared->at.first, shared_end(shared)), out);
	}
}

void call_scope_add_filter(const struct call_scope *scope, bool all, struct text *out)
{
	if (!scope->of.nr_filters && !all)
		return;
	add_blanks(out);
	text_add(out, scope->of.nr_filters ? "filter on" : "filter none");
}
