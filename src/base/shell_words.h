/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SHELL_WORDS_H
#define FTOP_SRC_SHELL_WORDS_H
/*
 * shell_words - a command line as the user types it, to words and back: quotes and backslashes mean what they mean to a
 * shell; nothing is expanded.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"

struct shell_words {
	char		**words;	/* owned, NULL-ended; NULL where there are none */
	unsigned int	  nr, cap;
};

/**
 * shell_words_split() - add the words of a line
 *
 * What only a shell can do (| > < ; & $ ` and ( ) outside quotes) is refused: sh -c '...' does it.  So are quotes that
 * do not end.  Return: 0, or -1 with FT_E_USAGE and the byte it is about.
 */
int shell_words_split(struct shell_words *words, const char *line, struct ft_error *err);

void shell_words_add(struct shell_words *words, const char *word);
void shell_words_addf(struct shell_words *words, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void shell_words_fini(struct shell_words *words);

/* Appends a word as it would be typed, in quotes where it needs them. */
void shell_words_quote(struct text *out, const char *word);

/* All of them, parted by blanks. */
void shell_words_join(const struct shell_words *words, struct text *out);
#endif
