/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_PATTERN_H
#define FTOP_PARSERS_TEXT_PATTERN_H
/*
 * text_pattern - what the texts of an event type can look like: may a string occur in
 * one of them?  Records of types where it cannot need not be printed to be searched.
 *
 * A pattern is a row of pieces: literals, runs of certain characters, and holes, where
 * something stands that can be looked at otherwise (a string of the record, a symbol's
 * name).  It allows at least all texts there are; that it allows more costs time only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_pattern;			/* opaque */

struct text_pattern *text_pattern_new(void);
void text_pattern_free(struct text_pattern *pattern);	/* NULL is allowed */

/* Append a piece. */
void text_pattern_literal(struct text_pattern *pattern, const char *s, size_t len);
void text_pattern_chars(struct text_pattern *pattern, const char *chars);	/* any number of these */
void text_pattern_any(struct text_pattern *pattern);			/* whatever it is */

#define TEXT_PATTERN_NUMBER "0123456789-"	/* of chars: %d */
#define TEXT_PATTERN_HEX "0123456789abcdefx"	/* 0x%x */

/* What may be in a hole, and how a string may be in a text: bits. */
enum text_pattern_place {
	TEXT_PATTERN_STRING = 1,	/* bytes of the record as they lie there */
	TEXT_PATTERN_SYMBOL = 2,	/* a name of kallsyms */
	TEXT_PATTERN_TASK   = 4,	/* of the task, in what stands before the text */
	TEXT_PATTERN_ELSEWHERE = 8,	/* not, or not wholly, in a hole */
};
void text_pattern_hole(struct text_pattern *pattern, enum text_pattern_place what);

/* Texts go on with either the next piece, or (or: only) another one; target: number of a piece behind, set later. */
unsigned int text_pattern_branch(struct text_pattern *pattern, bool only);
unsigned int text_pattern_nr(const struct text_pattern *pattern);	/* the number that the next piece will have */
void text_pattern_set_target(struct text_pattern *pattern, unsigned int branch, unsigned int target);

/* Where a string may occur; 0: nowhere.  @fold: in upper and lower case. */
unsigned int text_pattern_find(const struct text_pattern *pattern, const char *s, size_t len, bool fold);
#endif
