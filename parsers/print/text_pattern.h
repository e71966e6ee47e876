/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_TEXT_PATTERN_H
#define FTOP_PARSERS_PRINT_TEXT_PATTERN_H
/*
 * text_pattern - the possible texts of an event type: may a string occur in one of them?  If not,
 * records of the type need not be printed for a search.
 *
 * A pattern is a sequence of pieces: literals, runs of certain characters, and holes for text that
 * can be checked in other ways (a string of the record, a symbol's name).  It matches all possible
 * texts; matching more only costs time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text_pattern;			/* opaque */

struct text_pattern *text_pattern_new(void);
void text_pattern_free(struct text_pattern *pattern);	/* NULL is allowed */

/* Append a piece. */
void text_pattern_literal(struct text_pattern *pattern, const char *s, size_t len);
static inline void text_pattern_str(struct text_pattern *pattern, const char *s)
{
	text_pattern_literal(pattern, s, strlen(s));
}
/* any number of these characters */
void text_pattern_chars(struct text_pattern *pattern, const char *chars);
void text_pattern_any(struct text_pattern *pattern);			/* any text */
/* a literal, or nothing */
void text_pattern_optional(struct text_pattern *pattern, const char *s);

#define TEXT_PATTERN_NUMBER "0123456789-"	/* characters of %d */
#define TEXT_PATTERN_HEX "0123456789abcdefx"	/* characters of 0x%x */
/* characters of text_duration()'s words, with its mark */
#define TEXT_PATTERN_DURATION "+!#*@$0123456789.µmns"

/* Contents of a hole, and how a string may occur in a text: bits. */
enum text_pattern_place {
	TEXT_PATTERN_STRING = 1,	/* bytes of the record as they are */
	TEXT_PATTERN_SYMBOL = 2,	/* a name of kallsyms */
	TEXT_PATTERN_TASK   = 4,	/* the task's name, before the text */
	TEXT_PATTERN_ELSEWHERE = 8,	/* not, or not completely, in a hole */
};
void text_pattern_hole(struct text_pattern *pattern, enum text_pattern_place what);

/*
 * Texts continue with either the next piece or (@only: always) with another piece, set later by
 * text_pattern_set_target().
 */
unsigned int text_pattern_branch(struct text_pattern *pattern, bool only);
/* number that the next piece will get */
unsigned int text_pattern_nr(const struct text_pattern *pattern);
void text_pattern_set_target(struct text_pattern *pattern, unsigned int branch,
			     unsigned int target);

/* Where a string may occur; 0 = nowhere.  @fold: ignore case. */
unsigned int text_pattern_find(const struct text_pattern *pattern, const char *s, size_t len,
			       bool fold);
#endif
