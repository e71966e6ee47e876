/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_NAME_LIST_H
#define FTOP_RECORDER_NAME_LIST_H
/* name_list - a growing list of names: of events, functions, CPUs, files… */
#include <stdbool.h>
#include <stddef.h>

struct name_list {
	char	**names;	/* owned, as are the strings */
	size_t	  nr, cap;
};

/* Append a copy.  Zero a list before use. */
void name_list_add(struct name_list *list, const char *name);
void name_list_add_bytes(struct name_list *list, const char *name, size_t len);
void name_list_lines(struct name_list *list, const char *text);	/* one name per line; '#' lines are left out */
void name_list_words(struct name_list *list, const char *text);	/* names parted by blanks and newlines */
bool name_list_has(const struct name_list *list, const char *name);	/* costs the list's length */
void name_list_sort(struct name_list *list);	/* by bytes */
void name_list_fini(struct name_list *list);	/* empty then, and ready for use */

/* The nearest of the list's names to one that is not among them, or NULL if none is near. */
const char *name_list_nearest(const struct name_list *list, const char *name);
#endif
