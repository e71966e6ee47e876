/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_FOLD_H
#define FTOP_SRC_BASE_FOLD_H
/* fold - text in lines that fit the terminal: for help. */
#include <stdio.h>

struct fold {
	FILE	*out;
	int	 width;		/* a line has at most this many cells */
	int	 at;		/* cells of the current line */
};

/* The terminal's width, else $COLUMNS, else 80. */
struct fold fold_begin(FILE *out);
void fold_end_line(struct fold *fold);

/* Words from here on, in lines that begin at @indent.  @len: bytes of @s. */
void fold_words(struct fold *fold, const char *s, size_t len, int indent);

/*
 * Fold paragraphs, which have an empty line between them.  A line that begins with two blanks stays
 * as it is.
 */
void fold_paragraphs(struct fold *fold, const char *s);
#endif
