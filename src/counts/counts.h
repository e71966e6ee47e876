/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COUNTS_COUNTS_H
#define FTOP_SRC_COUNTS_COUNTS_H
/*
 * counts - how many events have the same values in some of their fields, and the sums of other
 * fields: like the kernel's trigger hist:, but of a trace.  A worker counts.  Main thread.
 */
#include "src/base/memory.h"
#include "src/base/table_out.h"
#include "src/match/event_sweep.h"

#define COUNTS_FIELDS	8u		/* at most, for keys and for sums */

/*
 * A key is a field of the event, or one of these words: event, comm, pid, cpu, process, cgroup,
 * user; or eventheader.NAME, which the record describes.  An event that lacks a key is not counted.
 * A sum that it lacks, or that is no number, adds nothing.
 */
struct counts_options {
	struct event_sweep_options events;	/* which ones are counted */
	const char	*event;		/* count only this event: "sched_switch",
					 * "sched:sched_switch" or "sched:*"; NULL: all */
	const char	*keys[COUNTS_FIELDS];	/* NULL: no more */
	const char	*sums[COUNTS_FIELDS];	/* fields to sum up; NULL: no more */
	bool		 is_branch;	/* the table of the branch tracer: records where sums[0]
					 * is 0 are wrong */
	bool		 is_block;	/* the table of devices: rows have figures of requests */
	uint32_t	 most_rows;	/* events with yet other values are in no row; 0:
					 * 1,048,576 */
};						/* strings are borrowed */

/* A line of the table. */
struct counts_row {
	uint64_t	 events;
	int64_t		 sums[COUNTS_FIELDS];	/* wraps at 64 bits */
	uint64_t	 wrong;		/* branches: how often the hint was wrong */
	/*
	 * Block devices, see requests.h: the most requests that the device had in flight after an
	 * issue; requests that completed, with times in ts units
	 */
	uint64_t	 in_flight;
	struct counts_span {
		uint64_t nr, sum, average, max;
		uint64_t shared;	/* LATENCY_SHARED: which of them ended is a guess, */
		bool	 unsettled;	/* and they are not all: so is the average */
	}		 q2c, d2c;	/* since they were queued; issued */
	int64_t		 ts;		/* time of its earliest event */
	trace_ref	 first;		/* that event */
	/* Set once all are counted: */
	uint64_t	 all;		/* events of all rows */
	bool		 missed;	/* there were more: the kernel's probes missed hits */
	const char	*keys[COUNTS_FIELDS];	/* as in the event's text */
	int64_t		 numbers[COUNTS_FIELDS];	/* values of the keys that are numbers */
	const char	*bytes;		/* while it counts: all keys as in the record */
	size_t		 len;
};

enum { COUNTS_WRONG = 1, COUNTS_EVENTS };	/* table_column.own */

struct counts_result {
	/* The most frequent first; of branches, the one that was wrong most often. */
	const struct counts_row *rows;	/* owned by counts, [nr] */
	uint32_t	 nr;
	struct table_columns columns;	/* the rows' columns: keys first, which in text are last */
	/* Events that were not counted, since they lack a key; since there were too many rows. */
	uint64_t	 lacking, beyond;
	/*
	 * The first key that no event of the wanted type has, or the first sum that none has as a
	 * number; NULL: all are known, or there was no such event.
	 */
	const char	*unknown;
};

struct counts;				/* opaque */

/*
 * The table of the tracer that made the file, once that is indexed: branch (by place: right and
 * wrong), mmiotrace (by map, direction, width and address), blk and events of block devices (by
 * device and action); of other files, events by their names.
 */
struct counts_options counts_of_tracer(struct trace *trace, unsigned int file);

/*
 * "[EVENT] [by FIELD,…] [sum FIELD,…]".  The names are kept in @arena.  -1 with FT_E_USAGE.
 */
int counts_parse(const char *words, struct arena *arena, struct counts_options *options,
		 struct ft_error *err);
/*
 * Has the trace such events with such fields, as far as indexed?  -1 with FT_E_USAGE, which says
 * the nearest name.
 */
int counts_check(struct trace *trace, const struct counts_options *options, struct ft_error *err);
bool counts_is_own_key(const char *key);	/* one of these words */
/* Add names with commas between them, of option or word @what, to keys or sums. */
int counts_add_names(struct counts_options *options, bool sums, const char *what, const char *names,
		     struct arena *arena, struct ft_error *err);

struct counts *counts_new(struct trace *trace, const struct counts_options *options);
void counts_free(struct counts *counts);	/* stops the worker; NULL is allowed */
struct event_sweep *counts_sweep(struct counts *counts);	/* what counts: its progress */
/* Borrowed; NULL: not all is counted.  @wait: until it is. */
const struct counts_result *counts_result(struct counts *counts, bool wait);
/* The bits of a field that count: "queue" has many numbers, by direction; 0: all of them. */
uint64_t counts_mask(const struct event_type *type, const char *field);
#endif
