/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_SEARCH_H
#define FTOP_PARSERS_LINES_LINE_SEARCH_H
/*
 * line_search - the rows of a text in which words stand, in the order of the text.
 *
 * Needs no index: words are searched in the bytes, and only the lines around them are taken apart,
 * so it costs little more than reading the file.  What a line does not say is not known: the times
 * of lines that have none, whether a clock goes back between the rows that are found.
 */
#include "parsers/lines/line_file.h"
#include "parsers/lines/text_trace.h"

struct line_word {
	const char	*s;		/* borrowed */
	size_t		 len;		/* at least 1 */
};

struct line_found {
	struct text_slice all;		/* the row's lines, without the last newline, until the next
					 * row is searched */
	uint64_t	 ts;		/* raw; 0: none stands in the line */
	int		 cpu;		/* -1: none stands in the line */
};

enum line_search_end {
	LINE_SEARCH_ALL,		/* the end of the text */
	LINE_SEARCH_UNSURE,		/* a row is too long, or it cannot be read */
};

/* @words: a row has one of them; @nr 0: all rows are found. */
struct line_search *line_search_new(const struct line_file *file, const struct line_word *words,
				    unsigned int nr);
void line_search_free(struct line_search *search);	/* NULL is allowed */
/* False: *end tells why. */
bool line_search_next(struct line_search *search, struct line_found *row,
		      enum line_search_end *end);
#endif
