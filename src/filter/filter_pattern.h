/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_PATTERN_H
#define FTOP_SRC_FILTER_FILTER_PATTERN_H
/*
 * filter_pattern - what a string is compared with: a string, a part of one, a glob, a regular
 * expression.
 *
 * Patterns are immutable; the mutable state of a match is in a filter_scratch, one per thread.
 * Regular expressions are compiled to machine code if pcre2 can, and stop at a limit of steps: a
 * match that would take longer counts as none, and is reported. An expression that often does so is
 * no longer used, so that a trace does not take days: it then matches nothing, in any thread, and
 * the caller must report that there is no result.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/filter/filter_tree.h"

enum filter_pattern_kind { FILTER_PATTERN_EQUAL, FILTER_PATTERN_CONTAINS, FILTER_PATTERN_GLOB,
			   FILTER_PATTERN_REGEX,
			   FILTER_PATTERN_REGEX_LINES /* ^ and $ match at each line */ };

struct filter_pattern {
	enum filter_pattern_kind kind;
	bool			 fold;		/* ignore case */
	char			*text;		/* owned */
	size_t			 len;
	size_t			 rare;		/* CONTAINS: index of its character that traces
						 * have least */
	void			*code;		/* pcre2_code, owned */
	bool			 jit;		/* compiled to machine code */
	struct filter_limits {			/* owned; for regular expressions */
		atomic_bool	 reached;	/* too many steps: that text does not match */
		atomic_bool	 given_up;	/* too often: nothing matches any more */
	}			*limits;
};

struct filter_scratch;				/* opaque */
struct filter_scratch *filter_scratch_new(void);
void filter_scratch_free(struct filter_scratch *scratch);	/* NULL is allowed */

/*
 * @fold: as for the kind; for CONTAINS, the letters of the needle are folded.  False: the regular
 *        expression is wrong, *err has the position.
 */
bool filter_pattern_init(struct filter_pattern *m, enum filter_pattern_kind kind, const char *text,
			 size_t len, bool fold, size_t from, size_t to, struct filter_error *err);

/* Translate POSIX basic syntax, which trace-cmd uses with =~ "…" ignoring case, to pcre2's. */
void filter_posix_regex(const char *text, size_t len, struct text *out);

void filter_pattern_fini(struct filter_pattern *m);

/* Did it take too many steps on some text, in any thread?  Then the result is incomplete. */
static inline bool filter_pattern_limited(const struct filter_pattern *m)
{
	return m->limits && atomic_load_explicit(&m->limits->reached, memory_order_relaxed);
}

static inline bool filter_pattern_given_up(const struct filter_pattern *m)
{
	return m->limits && atomic_load_explicit(&m->limits->given_up, memory_order_relaxed);
}

bool filter_pattern_test(const struct filter_pattern *m, struct filter_scratch *scratch,
			 const char *s, size_t len);

/* Match a name with a pattern of * ? [a-z] [!a-z]; @fold: ignore case. */
bool filter_glob(const char *pattern, size_t pattern_len, const char *s, size_t len, bool fold);
#endif
