/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_OPEN_H
#define FTOP_SRC_LATENCY_LATENCY_OPEN_H
/*
 * latency_open - the starts of one rule that have no end yet, by key and scope.  Those of rules
 * with `queue` are ranges of keys: latency_ranges.h.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/latency/latency.h"

struct latency_at {			/* where a start or an end is */
	uint64_t	key, scope;
	uint64_t	length;		/* queue: of its range */
	/* A start without a length matches an end that has none, whose label ends its own one. */
	uint32_t	label;		/* its number in names */
	bool		is_whole;	/* an end of a start, not of a part of it */
	int64_t		ts;
};

struct latency_start {
	uint64_t	key;
	uint64_t	scope;		/* the CPU and the pid that are parts of the key; within:
					 * its other fields */
	/* queue: keys of its range; those that have not ended; how many began before */
	uint64_t	length, left, age;
	int64_t		ts;
	uint32_t	label;
	uint32_t	next;		/* 1 + index of the next one in its chain; 0 = none */
	uint16_t	cpu;		/* index */
	bool		wanted;		/* a filter keeps it */
	bool		is_open;	/* else its place is free */
	bool		is_shared;	/* another one had some of its keys meanwhile */
	bool		is_mixed;	/* and not just the same, or it is not known which: its
					 * duration is doubtful */
	bool		switched;	/* a task has left its CPU meanwhile */
	bool		begins_again;	/* the next start of its range is this one */
	bool		began_again;
	/* Its first start was not recorded.  Once it has begun again, `begun` is a later one. */
	bool		is_late;
	struct latency_instance begun;	/* its end may follow; last, as the caller sets it */
};

/* Of the range of a start, what has not ended and is in one bucket. */
struct latency_piece {
	uint64_t	key, length;
	uint32_t	start;		/* index */
	uint32_t	next;		/* 1 + index of the next one in its chain; 0 = none */
};

struct latency_open {			/* zeroed, with a rule: empty */
	const struct latency_rule *rule;	/* borrowed */
	struct name_table *names;	/* borrowed; NULL: there are no labels */
	struct latency_start *starts;	/* owned, [nr] */
	uint32_t	nr, cap;
	uint32_t	free;		/* the chain of free places */
	/*
	 * owned: by the hash of key and scope; NULL: none yet.  Of starts with the same key, which
	 * only rules with `nested` have, the last one comes first.
	 */
	uint32_t	*chains;
	uint64_t	replaced;	/* starts that another start replaced */
	/* queue: owned, [nr_pieces]; chains are of them, by scope and bucket */
	struct latency_piece *pieces;
	uint32_t	nr_pieces, cap_pieces, free_piece;
	uint64_t	nr_begun;
};

void latency_open_fini(struct latency_open *open);	/* then it is empty */
/* @to is empty, and gets the same starts. */
void latency_open_copy(struct latency_open *to, const struct latency_open *from);

/* A new start: the caller sets begun, cpu and wanted.  NULL: it is not kept, or began again. */
struct latency_start *latency_open_start(struct latency_open *open, const struct latency_at *at);

/* Calls @ended for each start that an end ends: it is open no longer. */
void latency_open_end(struct latency_open *open, const struct latency_at *at,
		      void (*ended)(void *arg, const struct latency_start *start), void *arg);

/* A task leaves the CPU.  What is open there when that happens again has lost its end. */
void latency_open_switch(struct latency_open *open, const struct latency_at *at);

/* Another start replaces what is open, and has ended already. */
void latency_open_drop(struct latency_open *open, const struct latency_at *at);

/*
 * The next start at this place is none: the newest that is open there goes on.  If nothing is, the
 * next start is late.
 */
void latency_open_again(struct latency_open *open, const struct latency_at *at);

/* --- for latency_ranges ----------------------------------------------------------------------- */

/* Take a place, without entering its key.  Returns 1 + its index; 0: there is no room. */
uint32_t latency_open_add(struct latency_open *open, const struct latency_at *at);
void latency_open_give_back(struct latency_open *open, uint32_t place);

#define LATENCY_CHAINS	(1u << 14)

/* The chain of what two numbers are mixed to. */
static inline uint32_t *latency_open_chain(struct latency_open *open, uint64_t a, uint64_t b)
{
	if (!open->chains)
		open->chains = mem_array(LATENCY_CHAINS, sizeof(*open->chains));
	return &open->chains[index_map_mix(a, b) % LATENCY_CHAINS];
}
#endif
