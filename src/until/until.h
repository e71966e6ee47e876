/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_UNTIL_UNTIL_H
#define FTOP_SRC_UNTIL_UNTIL_H
/*
 * until - the conditions of `record --until`, judged on the settled rows of a trace that grows.
 *
 *	KIND > TIME [&& FILTER]		an instance of a kind of latency that took longer
 *	FUNCTION > TIME [&& FILTER]	a call of the function that took longer
 *	pair:NAME > TIME [&& FILTER]	a pair of the user's: KIND, even if a field has this name
 *	FILTER				an event
 *	lost > 0			events were lost
 *
 * Instances are those of src/latency: what `ftop-trace latency` lists of the recording.  Doubtful
 * ones are no hits.  One that has not ended is a hit as soon as it is older than the limit, if only
 * its own end can end it: calls, rules with `first`, and states of tasks, unless only a part of the
 * tasks, CPUs or events is recorded.  Of other pairs the end may be missing, as that of exit_group.
 * With a filter, states have no such hits: it is about the record that ends them.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct until;				/* opaque: conditions, and their hits */

struct until_hit {
	unsigned int	 condition;	/* which one, in the order of until_add() */
	int64_t		 from, to;	/* ts; of an event both are its time */
	bool		 open;		/* it has not ended: `to` is the last time that is known */
	trace_ref	 ref;		/* its first record; or TRACE_REF_NONE */
	uint32_t	 pid;
	uint32_t	 waits;		/* the task whose wait or sleep it is; 0: it is none */
	char		*words;		/* owned by the conditions, printable: what it was */
	unsigned int	 more;		/* others that it stands for, up to UNTIL_MOST_MORE */
};
#define UNTIL_MOST_MORE	1000u

struct until_recorded {			/* what will be in the trace */
	const char	*without;	/* "SYSTEM:EVENT", which is not recorded although the file
					 * has its format; borrowed; NULL: none */
	bool		 calls, functions, blk;	/* by function_graph, by function, by blk */
	bool		 stacks;
	bool		 partly;	/* not all tasks, CPUs or events of a type */
	uint64_t	 keep_ns;	/* of the ring; 0: it is not limited by time */
};

struct until *until_new(void);
void until_free(struct until *until);	/* NULL is allowed; before the trace */

/* Add a condition.  -1 with FT_E_USAGE if it is no text of the form above. */
int until_add(struct until *until, const char *text, struct ft_error *err);
const char *until_text(const struct until *until, unsigned int condition);

/* A hit stands for those that end within @ns of its own end: they are in the file that it gets. */
void until_cover(struct until *until, int64_t ns);

/**
 * until_bind() - find out what the conditions mean in a trace that may have no events yet
 * @pairs: the user's file of pairs, or NULL
 *
 * Return: 0, or -1 with FT_E_USAGE: what is wrong, and where; or which events must be recorded.
 */
int until_bind(struct until *until, struct trace *trace, const char *pairs,
	       const struct until_recorded *recorded, struct ft_error *err);

/**
 * until_judge() - find what has come true in the rows that are settled
 * @most: no more hits than this in all
 * @all:  also what was settled the last time: what is known now may make it a hit
 *
 * Waits for the trace's workers.  The cost grows with the rows that are new; with those that the
 * ring holds, if @all, for calls, and where an instance over a limit may be a hit.  Hits that were
 * found before are not found again.  Main thread; trace_grow() may be called in between.
 *
 * Return: 0; -1 with FT_E_LIMIT: there are too many tasks, or a regular expression was given up.
 */
int until_judge(struct until *until, struct trace *trace, unsigned int most, bool all,
		struct ft_error *err);
/* Are some judged only with @all?  Models, which tell of wait or throttled, read all for these. */
bool until_needs_all(const struct until *until);
/*
 * Append what is doubtful, and so no hit: "it may have happened: CONDITION: 5 in doubt, the
 * longest: …"; nothing: there is none.  By the last until_judge() with @all.
 */
void until_doubts(const struct until *until, struct text *out);
/* Is a condition about how long tasks waited?  Where a switch is missing, it has no hit. */
bool until_needs_switches(const struct until *until);
/* Those found so far; those of one call by their ends.  Borrowed until the next call. */
const struct until_hit *until_hits(const struct until *until, unsigned int *nr);
#endif
