/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_REGEX_LITERALS_H
#define FTOP_SRC_FILTER_REGEX_LITERALS_H
/*
 * regex_literals - strings that every match of a regular expression (pcre2's) contains: lines
 * without them need not be matched, nor made.
 *
 *   "prev_pid=[0-9]+ .*120"	requires "prev_pid=" and "120"
 *   "sched_(switch|wakeup)"	"sched_", and "switch" or "wakeup"
 *
 * Nothing is known about expressions with syntax that is not understood here.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/memory.h"

#define REGEX_LITERAL_SETS	4u
#define REGEX_LITERAL_WORDS	8u	/* per set */

struct regex_literal {
	const char *s;			/* in the arena, NUL-ended; may hold NULs */
	size_t	 len;			/* at least 1 */
};

struct regex_literal_set {		/* at least one of these is required */
	struct regex_literal words[REGEX_LITERAL_WORDS];
	unsigned int	nr;
};

struct regex_literals {			/* all of these are required; the best ones (with the
					 * longest words) first */
	struct regex_literal_set sets[REGEX_LITERAL_SETS];
	unsigned int	nr;
	struct arena	arena;
};

/* For a valid expression, matched as bytes and respecting case.  nr 0: nothing is known,
 * and nothing is left to free. */
void regex_literals_init(struct regex_literals *literals, const char *regex, size_t len);
void regex_literals_fini(struct regex_literals *literals);
#endif
