/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REGEX_LITERALS_H
#define FTOP_SRC_REGEX_LITERALS_H
/*
 * regex_literals - strings without which a regular expression (pcre2's) cannot match:
 * lines that hold none of them need not be matched, nor made.
 *
 *   "prev_pid=[0-9]+ .*120"	has to have "prev_pid=" and "120"
 *   "sched_(switch|wakeup)"	"sched_", and "switch" or "wakeup"
 *
 * Where the expression is beyond what is understood here, nothing is known of it.
 */
#include <stdbool.h>
#include <stddef.h>

#define REGEX_LITERAL_SETS	4u
#define REGEX_LITERAL_WORDS	8u	/* of a set */

struct regex_literal {
	char	*s;			/* owned, NUL-ended; may hold NULs */
	size_t	 len;			/* at least 1 */
};

struct regex_literal_set {		/* of these, one at least */
	struct regex_literal words[REGEX_LITERAL_WORDS];
	unsigned int	nr;
};

struct regex_literals {			/* all of these; the best ones first: those of the longest words */
	struct regex_literal_set sets[REGEX_LITERAL_SETS];
	unsigned int	nr;
};

/* Of an expression that is right, matched as bytes and with regard to case.  nr 0: nothing is known. */
void regex_literals_init(struct regex_literals *literals, const char *regex, size_t len);
void regex_literals_fini(struct regex_literals *literals);
#endif
