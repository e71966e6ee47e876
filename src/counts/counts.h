/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COUNTS_COUNTS_H
#define FTOP_SRC_COUNTS_COUNTS_H
/*
 * counts - how many events have the same values in some of their fields, and the sums of other
 * fields: what the kernel's trigger hist: counts, of a trace.  A worker counts.  Main thread.
 */
#include "src/base/memory.h"
#include "src/base/table_out.h"
#include "src/match/event_sweep.h"

#define COUNTS_MOST_KEYS	8u
#define COUNTS_MOST_SUMS	8u

/*
 * A key is a field of the event, or one of these words: event, comm, pid, cpu.  An event that lacks
 * a key is not counted.  A sum that it lacks, or that is no number, adds nothing.
 */
struct counts_options {
	struct event_sweep_options events;	/* which ones are counted */
	const char	*event;		/* of these, "sched_switch" or "sched:sched_switch"; NULL:
					 * all */
	const char	*keys[COUNTS_MOST_KEYS], *sums[COUNTS_MOST_SUMS];	/* NULL: no more */
};						/* strings are borrowed */

/* A line of the table. */
struct counts_row {
	trace_ref	 first;		/* an event of it: the first one of its CPU */
	uint64_t	 events;
	int64_t		 sums[COUNTS_MOST_SUMS];	/* wraps at 64 bits */
	/* Once they are done: */
	uint64_t	 all;		/* events of all rows */
	const char	*name;		/* all keys, two blanks between them */
	const char	*keys[COUNTS_MOST_KEYS];	/* as in the event's text */
	int64_t		 numbers[COUNTS_MOST_KEYS];	/* of keys that are numbers */
	uint64_t	 wrong;		/* branches: those that took the unlikely way */
};

struct counts;				/* opaque */

/*
 * The table of the tracer that made the trace: branch (by place: right and wrong), mmiotrace (by
 * map, direction, width and address); of other traces, events by their names.
 */
struct counts_options counts_of_tracer(struct trace *trace);

/*
 * "[EVENT] [by FIELD,…] [sum FIELD,…]", or nothing: counts_of_tracer().  The names are kept in
 * @arena.  -1 with FT_E_USAGE; @err may be NULL.
 */
int counts_parse(struct trace *trace, const char *words, struct arena *arena,
		 struct counts_options *options, struct ft_error *err);
/* Add names with commas between them, of option or word @what, to keys or sums. */
int counts_add_names(const char *what, const char *names, size_t len, struct arena *arena,
		     const char **list, unsigned int most, struct ft_error *err);

struct counts *counts_new(struct trace *trace, const struct counts_options *options);
void counts_free(struct counts *counts);	/* stops the worker; NULL is allowed */
bool counts_are_done(const struct counts *counts);

/*
 * Once they are done: the rows, the most frequent first (of branches, the one that was wrong most
 * often).  Owned by @counts.
 */
const struct counts_row *counts_rows(struct counts *counts, uint32_t *nr);
/* The columns of these rows; on the screen, the keys are one: the name. */
const struct table_columns *counts_columns(struct counts *counts);
/* Events that were not counted, since they lack a key. */
uint64_t counts_lacking(const struct counts *counts);
/* The first key or sum that no counted event has, if there were any; NULL: there is none. */
const char *counts_unknown(const struct counts *counts);
void counts_wait(struct counts *counts);
#endif
