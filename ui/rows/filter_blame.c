/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_blame - explains filters that leave no rows: which single term to drop to get most rows
 * back, and how many; and why nothing can match, where that is certain.
 */
#include <string.h>

#include "src/base/memory.h"
#include "ui/rows/filter_terms.h"
#include "ui/rows/filters.h"

bool filters_reason(struct filters *filters, const struct places *places, struct text *out)
{
	struct filter_error err = { 0 };
	struct text all = { 0 };
	const char *reason;

	if (!filters_active(filters))
		return false;
	if (!filters->whole) {
		filters_expression(filters, &all);
		filters->whole = filters_parse(filters, text_str(&all), places, &err);
		text_fini(&err.message);
		text_fini(&all);
	}
	reason = filters->whole ? filter_empty_reason(filters->whole) : NULL;
	if (reason) {
		text_add(out, "Nothing can match: ");
		text_printable(out, reason, strlen(reason));
	}
	return reason;
}

static void add_candidate(struct filters *filters, unsigned int at, const char *term, size_t len,
			  const char *rest, const struct places *places)
{
	struct filter_error err = { 0 };
	struct filter *filter = *rest ? filters_parse(filters, rest, places, &err) : NULL;

	text_fini(&err.message);
	if (filters->nr_less == FILTERS_MAX_LESS || (*rest && !filter))
		return;
	filters->less[filters->nr_less++] = (struct filter_less){
		.at = at, .term = mem_strndup(term, len),
		.handle = filter ? matches_add(filters->matches, filter) : NULL,
	};
}

/* Adds a candidate for each term of each filter: the stack without it. */
static void add_candidates(struct filters *filters, const struct places *places)
{
	filters->blamed = true;
	for (unsigned int at = 0; at < filters->nr; at++) {
		struct filter_term terms[FILTER_TERMS_MAX];
		const char *text = filters->stack[at].text;
		unsigned int nr = filter_terms(text, terms);

		for (unsigned int i = 0; i < nr && filters->nr_less < FILTERS_MAX_LESS; i++) {
			struct text rest = { 0 };

			filter_terms_less(text, terms, nr, i, &rest);
			add_candidate(filters, at, text + terms[i].from,
				      terms[i].to - terms[i].from, text_str(&rest), places);
			text_fini(&rest);
		}
	}
}

static struct matches_status count_without(const struct filters *filters,
					   const struct filter_less *less)
{
	struct match_filter *handles[FILTERS_MAX];
	unsigned int nr = 0;

	for (unsigned int i = 0; i < filters->nr; i++)
		if (i != less->at)
			handles[nr++] = filters->stack[i].handle;
	if (less->handle)
		handles[nr++] = less->handle;
	return matches_count_of(filters->matches, handles, nr);
}

bool filters_blame(struct filters *filters, const struct places *places, struct text *out)
{
	struct matches_status best = { 0 };
	const char *term = NULL;

	if (!filters_active(filters))
		return false;
	if (!filters->blamed)
		add_candidates(filters, places);
	for (unsigned int i = 0; i < filters->nr_less; i++) {
		struct matches_status status = count_without(filters, &filters->less[i]);

		if (status.events <= best.events)
			continue;
		best = status;
		term = filters->less[i].term;
	}
	if (!term)
		return false;
	text_add(out, "Without ");
	text_printable(out, term, strlen(term));
	text_add(out, best.exact ? ": " : ": ≥ ");
	text_count(out, best.events);
	return true;
}
