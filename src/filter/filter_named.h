/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_NAMED_H
#define FTOP_SRC_FILTER_FILTER_NAMED_H
/*
 * filter_named - filters with names: ready-made ones, and the user's in
 * $XDG_CONFIG_HOME/ftop-trace/filters.  A line of that file is
 *
 * 	# a comment
 * 	name = expression
 *
 * A name in another expression stands for its own expression in brackets (filter.h).
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/filter/filter.h"

struct filter_name;			/* filter_names.h */

#define FILTER_NAMED_MAX	200	/* per file */
#define FILTER_NAMED_BYTES	(1 << 18)

struct filter_named {			/* zeroed: empty */
	struct filter_macro	*macros;	/* owned, [nr], with their strings; the user's
						 * come first because they have priority */
	unsigned int		 nr, nr_own;	/* nr_own: the user's */
};

/**
 * filter_named_read() - read the ready-made filters and those of a file
 * @path: NULL, or a file that does not exist: only the ready-made ones
 * @more: names of models (filter_name_find()); or NULL
 *
 * Return: 0, or -1 with the first error in the file and its line; all valid lines are used.
 */
int filter_named_read(struct filter_named *named, const char *path,
		      const struct filter_name *const *more, struct ft_error *err);
void filter_named_fini(struct filter_named *named);

/*
 * Is it a valid name: letters, digits and _, not beginning with a digit, and not a word of the
 * language or of @more (cpu, and, wait)?
 */
bool filter_named_is_name(const char *name, const struct filter_name *const *more);

/*
 * The contents of the file with one filter changed or added; an empty expression removes it.  Other
 * lines are not changed.  The caller writes the file.
 */
void filter_named_change(const char *contents, const char *name, const char *expression,
			 struct text *out);

/* "does X": the purpose of a ready-made filter; NULL for the user's. */
const char *filter_named_help(const struct filter_named *named, unsigned int i);
#endif
