/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_PYRAMID_H
#define FTOP_SRC_SCHED_PYRAMID_H
/*
 * pyramid - the states of one row of a picture over time, in a few bytes each, and the sums over
 * any window at a cost that does not grow with the window.
 *
 *   votes     the majority argument of 16 chunks, of 4, of one
 *   chunks    total before it  s  s   s s s   s  s s  |  total before it  s  s ...  64 states each
 *
 * States are consecutive: each lasts until the next begins.  Time does not go back.  Sums are exact
 * at any edges: whole chunks are differences of totals, and the parts cut by an edge are computed
 * from the states.
 */
#include <stdbool.h>
#include <stdint.h>

#define PYRAMID_KINDS	8u	/* number of kinds; 0 = unknown */
#define PYRAMID_TIMED	5u	/* kinds 1 to 5 have their times summed */
#define PYRAMID_DOUBT	7u	/* sums and votes count a doubtful state as one of this kind */

/* A state: a kind, and an argument whose meaning the row's owner defines. */
struct pyramid_state {
	int64_t		from, to;
	uint32_t	arg;
	uint8_t		kind;
	bool		again;		/* a continuation, or of unknown start: not counted */
	bool		doubtful;	/* missing records could have ended it earlier */
};

/* How a state ended. */
enum pyramid_end {
	PYRAMID_SURE,
	PYRAMID_DROPPED,		/* records contradict it: it becomes kind 0 */
	PYRAMID_DOUBTFUL,
};

/* Sums over a window [from, to). */
struct pyramid_sum {
	uint64_t	ns[PYRAMID_TIMED + 1];	/* by kind; [0] unused */
	uint32_t	begun[PYRAMID_KINDS];	/* states that begin in it, except continuations */
	uint8_t		kinds;		/* bit: a state of this kind begins in it */
	uint8_t		touched;	/* bit: a state of this kind overlaps it, however briefly */
	/*
	 * With votes: the argument that may have more than half of the time of kind 1; if any has,
	 * it is this one.  weight: the least it can have; 0 = none has more than half.
	 */
	uint32_t	top;
	uint64_t	weight;
	/* The states at its edges. */
	bool		carried;	/* a state that began before overlaps it */
	bool		goes_on;	/* the last state continues after it */
	uint8_t		carried_kind, last_kind;
	uint32_t	carried_arg, last_arg;	/* last_: of the last state in it, if any */
};

struct pyramid_totals {			/* since the beginning */
	uint64_t	ns[PYRAMID_TIMED];	/* time in kinds 1 to 5 */
	uint32_t	begun[PYRAMID_KINDS];	/* counted states by kind */
	uint32_t	again[PYRAMID_KINDS];	/* continuations by kind; both wrap around */
};

struct pyramid_vote {
	uint64_t	weight;
	uint32_t	top;
};

#define PYRAMID_LEVELS	12u

struct pyramid_level {
	struct pyramid_vote *votes;	/* owned, [nr] */
	uint32_t	nr, cap;
};

struct pyramid_chunk {
	int64_t		first;		/* start of its first state */
	uint64_t	at;		/* offset of its bytes; the totals are before them, unless
					 * it is 0 */
};

struct pyramid_chunks {			/* of a row with more than one */
	struct pyramid_chunk *list;	/* owned, [nr_chunks] */
	uint32_t	 cap;
	struct pyramid_level *levels;	/* owned, [PYRAMID_LEVELS]; NULL: no chunk has votes */
};

struct pyramid {			/* all zero: empty */
	union {
		struct {
			uint8_t	*bytes;	/* owned */
			struct pyramid_chunks *chunks;	/* owned; NULL: one, at the beginning */
		};
		uint8_t	 few[16];	/* with cap_bytes 0: the bytes themselves */
	};
	uint64_t	 nr_bytes, cap_bytes;
	int64_t		 first, last;	/* start of the first state, and of the last one */
	uint32_t	 nr_chunks;
	uint8_t		 in_chunk;	/* number of states in the last chunk */
	uint8_t		 room;		/* and of headers that it has room for */
	uint8_t		 last_kind;
	bool		 doubted : 1;	/* the last state is doubtful so far */
	bool		 votes : 1;	/* compute votes; set it before the first state */
};

void pyramid_fini(struct pyramid *pyramid);

/*
 * Forget states that end before a time: whole chunks, once they are half of all.  Sums of windows
 * that begin at it or later stay the same.  Memory is used again, not freed.
 */
void pyramid_forget(struct pyramid *pyramid, int64_t before);

/**
 * pyramid_add() - add a state
 * @ts:     its start; if it is earlier than the previous state's, that is used
 * @again:  do not count it among the states that begin
 * @former: how the previous state ended
 * @arg:    below 2^31
 *
 * Return: the number of bytes by which the pyramid grew.
 */
uint64_t pyramid_add(struct pyramid *pyramid, int64_t ts, unsigned int kind, uint32_t arg,
		     bool again, enum pyramid_end former);

/* Is the last state, which has no end, doubtful?  So far: pyramid_add() says how it ends. */
void pyramid_doubt_last(struct pyramid *pyramid, bool doubtful);

/*
 * Sums of columns: column i is [edges[i], edges[i + 1]); edges ascend.  The last state ends at
 * @end; nothing is known after it, nor before the first state.
 */
void pyramid_columns(const struct pyramid *pyramid, int64_t end, const int64_t *edges,
		     unsigned int nr, struct pyramid_sum *sums);

/* Iterates over states.  Valid until the next pyramid_add(). */
struct pyramid_iter {
	const struct pyramid *pyramid;	/* borrowed */
	int64_t		 end;
	uint32_t	 chunk, left;	/* states of the chunk that are still to be read */
	const uint8_t	*head, *pos;		/* where the next state is packed */
	/* The state read last; its end is the next one's start. */
	int64_t		 ts;
	uint32_t	 arg;
	uint8_t		 kind;
	bool		 again, doubtful, held;
};

/* Start before the last state that begins at or before @ts, or before the first state. */
void pyramid_iter_init(struct pyramid_iter *iter, const struct pyramid *pyramid, int64_t end,
		       int64_t ts);
bool pyramid_iter_next(struct pyramid_iter *iter, struct pyramid_state *state);

/* The state at a time; false if there is none. */
bool pyramid_at(const struct pyramid *pyramid, int64_t end, int64_t ts,
		struct pyramid_state *state);
/* The last state that begins before ts; false if there is none. */
bool pyramid_before(const struct pyramid *pyramid, int64_t end, int64_t ts,
		    struct pyramid_state *state);

/* What to search for. */
struct pyramid_find {
	unsigned int	kinds;		/* bits */
	int64_t		least;		/* minimum duration */
	bool		sure;		/* no doubtful ones */
};
/*
 * The first such state that begins after ts, or the last one that begins before it; false if there
 * is none.  Takes about 2 ns per state on the way, less where these kinds do not occur.
 */
bool pyramid_find_next(const struct pyramid *pyramid, int64_t end, int64_t ts,
		       const struct pyramid_find *find, struct pyramid_state *state);
bool pyramid_find_before(const struct pyramid *pyramid, int64_t end, int64_t ts,
			 const struct pyramid_find *find, struct pyramid_state *state);

#endif
