/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SEARCH_H
#define FTOP_SRC_SEARCH_H
/*
 * search - a walk through the rows in slices of a few ms, from a row on and round
 * the end, until one matches; and patterns of text or /regex/ to match with.
 *
 * What is matched is the caller's: the line as a view shows it, a task, a duration.
 * It works whatever of the page directory is there, since it reads rows in order.
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
 * Letters match in either case unless the pattern holds a capital one.
 * Return: NULL with FT_E_USAGE, err->offset the byte of @text where it is wrong.
 */
struct search_pattern *search_pattern_new(const char *text, struct ft_error *err);
void search_pattern_free(struct search_pattern *pattern);	/* NULL is allowed */
const char *search_pattern_text(const struct search_pattern *pattern);

/* First match at or behind byte @from of a line of UTF-8; one that is empty does not count. */
bool search_pattern_find(struct search_pattern *pattern, const char *s, size_t len, size_t from, size_t *start,
			 size_t *end);

/* The same as a term of a filter (filter.h), which may keep a few lines more where letters are not ASCII. */
void search_pattern_term(const struct search_pattern *pattern, struct text *out);

typedef bool (*search_match)(void *arg, const struct trace_event *event);

enum search_state { SEARCH_RUNNING, SEARCH_FOUND, SEARCH_NOWHERE };

struct search;				/* opaque */

/**
 * search_new() - a walk that begins beside a row
 * @from:    the row itself comes last, after going round; TRACE_REF_NONE: from the first (or last) row
 * @forward: towards later rows
 * @round:   go on from the other end
 * @streams: [nr_streams] those that are looked at; NULL: all.  Not kept.
 * @sieve:   only rows that these keep are looked at; NULL: all.  Its budget is used by slices
 * @match:   called for each row, with @arg
 */
struct search *search_new(struct trace *trace, trace_ref from, bool forward, bool round, const bool *streams,
			  struct matches *sieve, search_match match, void *arg);
void search_free(struct search *search);	/* NULL is allowed */
enum search_state search_slice(struct search *search, int64_t budget_ns);
trace_ref search_found(const struct search *search);
bool search_went_round(const struct search *search);
uint64_t search_rows(const struct search *search);	/* looked at so far */
#endif
