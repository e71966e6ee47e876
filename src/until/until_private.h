/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_UNTIL_UNTIL_PRIVATE_H
#define FTOP_SRC_UNTIL_UNTIL_PRIVATE_H
/* until_private - shared by until.c (texts), until_bind.c (meaning) and until_judge.c (hits). */
#include "src/filter/filter.h"
#include "src/latency/latency_kinds.h"
#include "src/until/until.h"

#define UNTIL_ROWS	(-1)
#define NAME_LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:*?"

struct latency;

struct until_condition {
	char		*text;		/* owned: as given */
	char		*name;		/* owned: before "> TIME"; NULL: a plain filter */
	uint64_t	 limit;		/* ns: a hit is longer */
	char		*filter;	/* owned: the whole of a plain one; "" = none */
	int		 kind;		/* bound: number of a kind, or UNTIL_ROWS */
	bool		 late;		/* its filter asks models: they read all rows for it, and
					 * later records may tell what an earlier one has */
	struct latency	*window;	/* owned: of what was new at the last look; NULL: none */
	uint64_t	nr_doubtful;	/* over the limit, at the last look at all, but in doubt */
	char		*doubtful;	/* owned: the longest of them, as of a hit; NULL: none */
	int64_t		 seen;		/* ts: what ended before it was looked at */
};

struct until {
	struct until_condition *list;	/* owned, [nr] */
	unsigned int	 nr, cap;
	struct latency_kinds kinds;
	struct text	 pairs;		/* what the kinds of the user borrow */
	struct until_hit *hits;		/* owned, [nr_hits] */
	unsigned int	 nr_hits, cap_hits;
	int64_t		 cover_ns;	/* until_cover(); 0: each stands for itself */
	struct until_hit *covered;	/* owned, [nr_covered]: for which others stand */
	unsigned int	 nr_covered, cap_covered;
	bool		 partly;	/* until_recorded.partly */
	int64_t		 rows_from;	/* key: rows before it were judged */
};

/* The source of a condition's filter; filter_source.text is borrowed from it. */
static inline struct filter_source until_source(const struct until_condition *c)
{
	return (struct filter_source){ .text = c->filter, .file = -1 };
}
#endif
