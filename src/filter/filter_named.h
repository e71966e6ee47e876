/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_NAMED_H
#define FTOP_SRC_FILTER_NAMED_H
/*
 * filter_named - filters with names: ready-made ones, and the user's in
 * $XDG_CONFIG_HOME/ftop-trace/filters.  A line of that file is
 *
 *	# a comment
 *	name = expression
 *
 * A name stands for its expression, in brackets, in any other (filter.h).
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/filter/filter.h"

#define FILTER_NAMED_MAX	200	/* of a file */
#define FILTER_NAMED_BYTES	(1 << 18)

struct filter_named {			/* zeroed: none */
	struct filter_macro	*macros;	/* owned, [nr] with their strings: the user's first, for they go before others */
	unsigned int		 nr, nr_own;	/* those of the user */
};

/**
 * filter_named_read() - the ready-made ones, and those of a file
 * @path: NULL or a file that is not there: the ready-made ones alone
 *
 * Return: 0, or -1 with the first thing that is wrong in the file, by its line; all lines that are sound are taken.
 */
int filter_named_read(struct filter_named *named, const char *path, struct ft_error *err);
void filter_named_fini(struct filter_named *named);

/* A word: letters, digits and _, not a digit first; none that the language has (cpu, and). */
bool filter_named_is_name(const char *name);
const struct filter_macro *filter_named_find(const struct filter_named *named, const char *name);	/* or NULL */

/*
 * The contents of the file with one filter changed or added; an empty expression takes it away.  Lines that are not about
 * it stay as they are.  For the caller to write.
 */
void filter_named_change(const char *contents, const char *name, const char *expression, struct text *out);

/* "does X": what a ready-made filter is for; NULL: it is the user's. */
const char *filter_named_help(const struct filter_named *named, unsigned int i);
#endif
