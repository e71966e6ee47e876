/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_PAIRS_H
#define FTOP_SRC_SCHED_SCHED_PAIRS_H
/*
 * sched_pairs - which records begin or end something that is measured, and what a listener of the
 * pass receives of them: a SCHED_PAIR each.  src/latency makes it from its table of kinds, and
 * pairs them.  Immutable once made; any thread.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "src/filter/filter.h"
#include "parsers/types/event_types.h"
#include "src/trace/trace.h"

#define SCHED_PAIR_KEYS	4u

struct sched_pair_end {
	uint16_t	 type;		/* common_type */
	uint16_t	 number;	/* for the listener: sched_rec.end_number; even: a start,
					 * odd: its end */
	bool		 more;		/* the next end is of the same event type */
	bool		 joins;		/* start and end of one task on one CPU, with no switch
					 * between them, are one record: see sched_rec.detail */
	uint8_t		 nr_keys;
	/*
	 * sched_rec.key: the value of one field, or all of them mixed.  A string is its number in
	 * name_table; a sector of 2^64-1 is 0.
	 */
	const struct event_field *keys[SCHED_PAIR_KEYS];	/* of a marker: keys[0] is its text;
								 * NULL: the record's lines */
	uint64_t	 star;		/* mixed in, too; 0 = nothing */
	/* sched_rec.label: the value of a field; NULL: the number in plain. */
	const struct event_field *label;
	uint64_t	 plain;
	const struct event_field *high;	/* added to label's low 32 bits; NULL = none */
	const struct event_field *pid;	/* instead of common_pid; NULL = none */
	/*
	 * Not 0: only markers with this letter match (trace_marker.h).  The number of the marker's
	 * name is the label; the marker's own number is the key, except for B and E.
	 */
	char		 marker;
	atomic_bool	*seen;		/* set by a record, which the listener does not get;
					 * NULL: it does */
	const struct filter *filter;	/* only records that match; ready; borrowed; or NULL */
};

struct sched_pairs {
	uint16_t	 first[65536];	/* by common_type: 1 + index of its first end; 0 = none */
	struct sched_pair_end *ends;	/* [nr] those of a type stand together */
	unsigned int	 nr;
};

/*
 * Set type, keys and marker of an end: the markers with this letter.  False: the file has no event
 * ftrace:print.
 */
bool sched_pair_marker(struct trace *trace, unsigned int file, char letter,
		       struct sched_pair_end *end);
#endif
