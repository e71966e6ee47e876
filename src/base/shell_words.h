/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_SHELL_WORDS_H
#define FTOP_SRC_BASE_SHELL_WORDS_H
/*
 * shell_words - splits a command line as the user types it into words, and joins them again: quotes
 * and backslashes work as in a shell; nothing is expanded.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"

struct shell_words {
	char		**words;	/* owned, NULL-ended; NULL if there are none */
	unsigned int	  nr, cap;
};

/**
 * shell_words_split() - add the words of a line
 *
 * Syntax that only a shell can handle (| > < ; & $ ` and ( ) outside quotes) is refused: use sh -c
 * '...'.  So are unterminated quotes.  Return: 0, or -1 with FT_E_USAGE and the offending byte.
 */
int shell_words_split(struct shell_words *words, const char *line, struct ft_error *err);

/*
 * Split a line that is still being typed: an open quote ends with the line, and blanks at the end
 * begin one more word, "".
 */
int shell_words_split_typed(struct shell_words *words, const char *line, struct ft_error *err);

void shell_words_add(struct shell_words *words, const char *word);
void shell_words_addf(struct shell_words *words, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void shell_words_fini(struct shell_words *words);

/* Append a word as it would be typed, in quotes if it needs them. */
void shell_words_quote(struct text *out, const char *word);

/* Append all words, separated by blanks. */
void shell_words_join(const struct shell_words *words, struct text *out);
#endif
