/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_MAN_SEARCH_H
#define FTOP_SRC_BASE_MAN_SEARCH_H
/* man_search - finds a word in manual pages that man.h has written: ftop-trace help WORD. */
#include <stdbool.h>
#include <stdio.h>

struct man_page {
	const char	*name;			/* "ftop-trace-keys.7" */
	void		(*print)(FILE *out);
};

/*
 * Print what has the name @word: pages, sections, options, keys, terms, each with where it stands
 * and its text.  If nothing has that name, print the sentences and lines that contain it.
 *
 * Return: false if there is nothing of either.
 */
bool man_search(const struct man_page *pages, unsigned int nr, const char *word, FILE *out);
#endif
