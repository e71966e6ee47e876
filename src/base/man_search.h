/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_MAN_SEARCH_H
#define FTOP_SRC_BASE_MAN_SEARCH_H
/* man_search - finds a word in pages that man.h has written, or prints one: ftop-trace help. */
#include <stdbool.h>
#include <stdio.h>

struct man_page {
	const char	*name;			/* "ftop-trace-keys.7"; a guide: "locks" */
	void		(*print)(FILE *out);
};

/*
 * Print what has the name @word: pages, sections, options, keys, terms, each with where it stands
 * and its text.  If nothing has that name, print the sentences and lines that contain it.  Guides
 * are searched after the pages, for either.
 *
 * Return: false if there is nothing of either.
 */
bool man_search(const struct man_page *pages, unsigned int nr, const struct man_page *guides,
		unsigned int nr_guides, const char *word, FILE *out);

void man_show(const struct man_page *page, FILE *out);	/* all of it */
#endif
