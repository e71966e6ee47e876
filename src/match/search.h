/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_SEARCH_H
#define FTOP_SRC_MATCH_SEARCH_H
/*
 * search - walks through the rows in slices of a few ms, from a row on and around the end, until
 * one matches; and patterns of text or /regex/ to match with.
 *
 * The caller does the matching: on a line as a view shows it, a task, a duration.  It reads rows in
 * order, so it works at any state of the page directory.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

struct search_pattern;			/* opaque */
struct matches;				/* matches.h */

/**
 * search_pattern_new() - "text", or "/regex/" (pcre2; the last '/' may be left out)
 *
 * Ignores case unless the pattern contains a capital letter. Return: NULL with FT_E_USAGE;
 * err->offset is the offending byte of @text.
 */
struct search_pattern *search_pattern_new(const char *text, struct ft_error *err);
void search_pattern_free(struct search_pattern *pattern);	/* NULL is allowed */
const char *search_pattern_text(const struct search_pattern *pattern);

/* First match at or after byte @from of a line of UTF-8; empty matches do not count. */
bool search_pattern_find(struct search_pattern *pattern, const char *s, size_t len, size_t from,
			 size_t *start, size_t *end);

/*
 * Append the pattern as a term of a filter (filter.h), which may keep a few more lines if letters
 * are not ASCII.
 */
void search_pattern_term(const struct search_pattern *pattern, struct text *out);

/* A search in a list: the next row that matches, and which of those that match it is. */
struct search_rows {
	uint32_t	nr;		/* rows of the list, not 0 */
	uint32_t	here;
	bool		forward;
	bool		(*matches)(void *arg, uint32_t row);
	void		*arg;
};

/* Return: how many rows match; *found is the next one, its own row last, *nth its number from 1. */
uint32_t search_in_rows(const struct search_rows *rows, uint32_t *found, uint32_t *nth);

typedef bool (*search_match)(void *arg, const struct trace_event *event);

enum search_state { SEARCH_RUNNING, SEARCH_FOUND, SEARCH_NOWHERE };

struct search;				/* opaque */

/**
 * search_new() - begin a search at a row
 * @from:    the row itself comes last, after going round; TRACE_REF_NONE: from the first (or last)
 *           row
 * @forward: towards later rows
 * @round:   continue at the other end
 * @streams: [nr_streams] streams to search; NULL: all.  Not kept.
 * @sieve:   only search rows that these keep; NULL: all.  The slices set its budget
 * @match:   called for each row, with @arg
 */
struct search *search_new(struct trace *trace, trace_ref from, bool forward, bool round,
			  const bool *streams, struct matches *sieve, search_match match,
			  void *arg);
void search_free(struct search *search);	/* NULL is allowed */
enum search_state search_slice(struct search *search, int64_t budget_ns);
trace_ref search_found(const struct search *search);
bool search_went_round(const struct search *search);
uint64_t search_rows(const struct search *search);	/* rows searched so far */
#endif
