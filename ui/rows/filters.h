/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_FILTERS_H
#define FTOP_UI_FILTERS_H
/*
 * filters - the stack of filters that all views have in common: their texts, whether
 * they are on, whether other rows are hidden or dimmed.  Which rows match is
 * src/match/matches' to know.
 */
#include <stdbool.h>
#include "src/filter/filter_named.h"
#include "src/match/matches.h"
#include "ui/rows/places.h"

#define FILTERS_MAX	16		/* of a stack */
#define FILTERS_MAX_AROUND 20

struct filter_entry {
	char			*text;		/* owned */
	struct match_filter	*handle;	/* owned */
};

#define FILTERS_MAX_LESS 16

struct filter_less {			/* the stack without a term: filter_blame.c */
	unsigned int		 at;
	char			*term;		/* owned: what is left out */
	struct match_filter	*handle;	/* owned: what is left of that filter; NULL: nothing */
};

struct filters {
	struct trace		*trace;		/* borrowed; NULL: none */
	const struct filter_named *named;	/* borrowed; may be NULL */
	struct matches		*matches;	/* owned; NULL until there is a filter */
	struct filter_entry	 stack[FILTERS_MAX];
	unsigned int		 nr;
	bool			 off;		/* all of them */
	bool			 has_budget;	/* filters_budget() was called: for matches that are made later */
	int64_t			 budget;	/* ns */
	bool			 dim;		/* other rows are shown too */
	unsigned int		 around;	/* rows shown before and behind each that is kept, where others are hidden */
	bool			 blamed;	/* less is filled in, for this stack */
	struct filter_less	 less[FILTERS_MAX_LESS];
	unsigned int		 nr_less;
	struct filter		*whole;		/* owned: all of the stack as one, for its reason; or NULL */
};

void filters_init(struct filters *filters, struct trace *trace);
void filters_fini(struct filters *filters);	/* cursors that only go to matches must be gone */

/**
 * filters_set() - change a filter of the stack
 * @at:     which one; nr: one more
 * @text:   "" takes it away
 * @places: the marks, for `between a b`
 *
 * They are on then.  Return: 0, or -1 with err: nothing was changed.
 */
int filters_set(struct filters *filters, unsigned int at, const char *text, const struct places *places,
		struct filter_error *err);
void filters_follow_marks(struct filters *filters, const struct places *places);	/* `between a b` is where they are now */
void filters_switch(struct filters *filters, bool on);

/* Is what they ask of calls still being worked out?  Until then such terms keep nothing. */
bool filters_await(const struct filters *filters);
bool filters_active(const struct filters *filters);	/* there are some, and they are on */
bool filters_hiding(const struct filters *filters);	/* and rows that do not match are not shown */
/* For cursors: what they are to go by; NULL: all rows. */
struct matches *filters_sieve(const struct filters *filters);
bool filters_keep(const struct filters *filters, const struct trace_event *event);	/* all rows where none is active */
bool filters_dims(const struct filters *filters, const struct trace_event *event);	/* shown, though they do not keep it */
void filters_budget(struct filters *filters, int64_t ns);	/* matches_budget(), also of the first one that comes behind it */
void filters_focus(const struct filters *filters, int64_t ts);

/* What goes wrong with them, in words: a regular expression that takes too many steps; NULL: nothing does. */
const char *filters_trouble(const struct filters *filters);

/* "412 of 15 823", "≥ 17 of 15 823". */
void filters_count(const struct filters *filters, struct text *out);
/* Where nothing is left: "Without cpu == 77: 412", the term that alone removes most.  Counted in the background; ask again. */
bool filters_blame(struct filters *filters, const struct places *places, struct text *out);
/* "Nothing can match: cpu == 0 and cpu == 1 exclude each other", where that is certain.  False: nothing was appended. */
bool filters_reason(struct filters *filters, const struct places *places, struct text *out);
void filters_forget_blame(struct filters *filters);	/* the stack is another one */
struct filter *filters_parse(const struct filters *filters, const char *text, const struct places *places,
			     struct filter_error *err);
/* The same of several sources, as filter_new() takes them. */
struct filter *filters_parse_sources(const struct filters *filters, const struct filter_source *sources, unsigned int nr,
				     const struct places *places, struct filter_error *err);
/* All of them as one: "(sched_switch) && (cpu == 1)". */
void filters_expression(const struct filters *filters, struct text *out);
/* "sched_switch  &  cpu == 1". */
void filters_text(const struct filters *filters, struct text *out);
#endif
