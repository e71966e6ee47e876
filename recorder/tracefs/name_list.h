/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_NAME_LIST_H
#define FTOP_RECORDER_TRACEFS_NAME_LIST_H
/* name_list - a growing list of names: events, functions, CPUs, files… */
#include <stdbool.h>
#include <stddef.h>

struct name_list {
	char	**names;	/* owned, as are the strings */
	size_t	  nr, cap;
};

/* Append a copy.  A zeroed list is empty. */
void name_list_add(struct name_list *list, const char *name);
void name_list_add_bytes(struct name_list *list, const char *name, size_t len);
void name_list_lines(struct name_list *list, const char *text); /* one name per line; '#' lines
								 * are skipped */
void name_list_words(struct name_list *list, const char *text); /* names separated by blanks and
								 * newlines */
bool name_list_has(const struct name_list *list, const char *name);	/* linear search */
void name_list_sort(struct name_list *list);	/* by bytes */
void name_list_fini(struct name_list *list);	/* leaves an empty list, ready for use */

/* The name in the list that is nearest to a misspelt one; NULL if none is near. */
const char *name_list_nearest(const struct name_list *list, const char *name);
#endif
