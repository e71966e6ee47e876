/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_FILTERS_H
#define FTOP_UI_ROWS_FILTERS_H
/*
 * filters - the stack of filters that all views share: their texts, whether they are on, and
 * whether other rows are hidden or dimmed.  src/match/matches decides which rows match.
 */
#include <stdbool.h>
#include "src/filter/filter_named.h"
#include "src/match/matches.h"
#include "ui/rows/places.h"

#define FILTERS_MAX	16		/* filters in the stack */
#define FILTERS_MAX_AROUND 20

struct filter_entry {
	char			*text;		/* owned */
	struct match_filter	*handle;	/* owned */
};

#define FILTERS_MAX_LESS 16

struct filter_less {			/* the stack without one term: filter_blame.c */
	unsigned int		 at;
	char			*term;		/* owned: what is left out */
	struct match_filter	*handle;	/* owned: what is left of that
						   filter; NULL: nothing */
};

struct filters {
	struct trace		*trace;		/* borrowed; NULL: none */
	const struct filter_named *named;	/* borrowed; may be NULL */
	struct matches		*matches;	/* owned; NULL until there is a filter */
	struct filter_entry	 stack[FILTERS_MAX];
	unsigned int		 nr;
	bool			 off;		/* all filters are off */
	bool			 of_last_time;	/* off, as they come from an earlier session */
	bool			 has_budget;	/* filters_budget() was called;
						   applies to later matches too */
	int64_t			 budget;	/* ns */
	bool			 dim;		/* other rows are shown too */
	unsigned int		 around;	/* rows shown on each side of a kept
						   row when others are hidden */
	bool			 blamed;	/* less is filled in for this stack */
	struct filter_less	 less[FILTERS_MAX_LESS];
	unsigned int		 nr_less;
	struct filter		*whole;		/* owned: the stack as one filter,
						   for filters_reason(); or NULL */
};

void filters_init(struct filters *filters, struct trace *trace);
void filters_fini(struct filters *filters);	/* free cursors that use its matches first */

/**
 * filters_set() - change a filter of the stack
 * @at:     index in the stack; nr: adds one
 * @text:   "" removes the filter
 * @places: the marks, for `between a b`
 *
 * Turns filters on.  Return: 0, or -1 with err and nothing changed.
 */
int filters_set(struct filters *filters, unsigned int at, const char *text,
		const struct places *places, struct filter_error *err);
/* updates `between a b` */
void filters_follow_marks(struct filters *filters, const struct places *places);
void filters_switch(struct filters *filters, bool on);

/* Are call models that filters need still being built?  Until then such terms keep no rows. */
bool filters_await(const struct filters *filters);
bool filters_active(const struct filters *filters);	/* are there filters, and are they on? */
bool filters_hiding(const struct filters *filters);	/* active, and other rows are hidden */
/* The matches that cursors have to follow; NULL: all rows. */
struct matches *filters_sieve(const struct filters *filters);
/* Do the filters keep it?  True if none is active. */
bool filters_keep(const struct filters *filters, const struct trace_event *event);
/* Is it shown, but not kept? */
bool filters_dims(const struct filters *filters, const struct trace_event *event);
/* see matches_budget(); kept for later matches */
void filters_budget(struct filters *filters, int64_t ns);
void filters_focus(const struct filters *filters, int64_t ts);

/* What went wrong while matching (a regular expression takes too many steps), or NULL. */
const char *filters_trouble(const struct filters *filters);

/* "412 of 15 823", "≥ 17 of 15 823". */
void filters_count(const struct filters *filters, struct text *out);
/*
 * Appends "Without cpu == 77: 412": the one term whose removal leaves most rows.  Counted in the
 * background: call again.
 */
bool filters_blame(struct filters *filters, const struct places *places, struct text *out);
/*
 * "Nothing can match: cpu == 0 and cpu == 1 exclude each other", where that is certain.  False:
 * nothing was appended.
 */
bool filters_reason(struct filters *filters, const struct places *places, struct text *out);
struct filter *filters_parse(const struct filters *filters, const char *text,
			     const struct places *places, struct filter_error *err);
/* Parses several sources, as filter_new() takes them. */
struct filter *filters_parse_sources(const struct filters *filters,
				     const struct filter_source *sources, unsigned int nr,
				     const struct places *places, struct filter_error *err);
/* All filters as one expression: "(sched_switch) && (cpu == 1)". */
void filters_expression(const struct filters *filters, struct text *out);
/* The filters' texts, one a line. */
void filters_lines(const struct filters *filters, struct text *out);
/* Adds filters of such lines to the stack, where they are valid. */
void filters_add_lines(struct filters *filters, const char *lines, const struct places *places);
/* "sched_switch  &  cpu == 1". */
void filters_text(const struct filters *filters, struct text *out);
#endif
