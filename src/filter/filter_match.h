/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_MATCH_H
#define FTOP_SRC_FILTER_MATCH_H
/*
 * filter_match - strings: equal, contained, by glob, by regular expression.
 *
 * Matchers are immutable; what a match needs besides is a filter_scratch, one per
 * thread.  Regular expressions are compiled to machine code where pcre2 can, and
 * stop at a limit of steps: what would take longer does not match, and is told.
 * One that does so all the time is given up, so that a whole trace takes no days:
 * it matches nothing from then on, in any thread, and who asked is to be told that
 * the result is none.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/filter/filter_tree.h"

enum filter_matcher_kind { FILTER_MATCH_EQUAL, FILTER_MATCH_CONTAINS, FILTER_MATCH_GLOB, FILTER_MATCH_REGEX,
			   FILTER_MATCH_REGEX_LINES /* ^ and $ are begin and end of each line */ };

struct filter_matcher {
	enum filter_matcher_kind kind;
	bool			 fold;		/* letters in either case */
	char			*text;		/* owned */
	size_t			 len;
	void			*code;		/* pcre2_code, owned */
	bool			 jit;		/* it is machine code */
	atomic_bool		*given_up;	/* owned; of regular expressions */
};

struct filter_scratch;				/* opaque */
struct filter_scratch *filter_scratch_new(void);
void filter_scratch_free(struct filter_scratch *scratch);	/* NULL is allowed */
bool filter_scratch_limited(const struct filter_scratch *scratch);	/* a regular expression ran into its limit */

/* @fold: as the kind says; for CONTAINS: letters of the needle are folded.  False: the regular expression is wrong, *err says where. */
bool filter_matcher_init(struct filter_matcher *m, enum filter_matcher_kind kind, const char *text, size_t len, bool fold,
			 size_t from, size_t to, struct filter_error *err);

/* POSIX basic syntax regardless of case, as trace-cmd has it behind =~ "…", in pcre2's. */
void filter_posix_regex(const char *text, size_t len, struct text *out);

void filter_matcher_fini(struct filter_matcher *m);

static inline bool filter_matcher_given_up(const struct filter_matcher *m)
{
	return m->given_up && atomic_load_explicit(m->given_up, memory_order_relaxed);
}

bool filter_matcher_test(const struct filter_matcher *m, struct filter_scratch *scratch, const char *s, size_t len);

/* A name against a pattern of * ? [a-z] [!a-z], regardless of case where @fold. */
bool filter_glob(const char *pattern, size_t pattern_len, const char *s, size_t len, bool fold);
#endif
