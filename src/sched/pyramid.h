/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_PYRAMID_H
#define FTOP_SRC_PYRAMID_H
/*
 * pyramid - what was when: the states of one row of a picture over time, a few bytes
 * each, and the sums of any window of it at a cost that does not grow with the window.
 *
 *   votes     who has most, of 16 chunks, of 4, of one
 *   chunks    total before it  s  s   s s s     s     s  s s  |  total before it  s  s  s ...    64 states each
 *
 * States follow one another: each lasts until the next begins.  Time does not go back.  Sums are exact at any edges: of
 * chunks that lie within they are a difference of totals, and what an edge cuts is taken from the states themselves.
 */
#include <stdbool.h>
#include <stdint.h>

#define PYRAMID_KINDS	8u	/* of states; 0 is for what is not known */
#define PYRAMID_TIMED	5u	/* kinds 1 to 5: their times are summed */

/* A state: a kind, and what the row's owner makes of a number. */
struct pyramid_state {
	int64_t		from, to;
	uint32_t	arg;
	uint8_t		kind;
	bool		again;		/* it goes on after something else, or has no beginning: not counted */
};

/* Of a window [from, to). */
struct pyramid_sum {
	uint64_t	ns[PYRAMID_TIMED + 1];	/* by kind; [0] unused */
	uint32_t	begun[PYRAMID_KINDS];	/* states that begin in it, but for those that go on */
	uint8_t		kinds;		/* bit: a state of this kind begins in it */
	uint8_t		touched;	/* bit: a state of this kind is in it, for however short */
	/*
	 * With votes: what may have more than half of the time of kind 1, by its argument: whatever has, is.  weight: how much it
	 * has at least; 0: nothing has more than half.
	 */
	uint32_t	top;
	uint64_t	weight;
	/* The states at its edges. */
	bool		carried;	/* one that began before is in it */
	bool		goes_on;	/* the last one lasts beyond it */
	uint8_t		carried_kind, last_kind;
	uint32_t	carried_arg, last_arg;	/* last_: of the last state that is in it; of no use if none is */
};

struct pyramid_totals {			/* since the beginning */
	uint64_t	ns[PYRAMID_TIMED];	/* of kinds 1 to 5 */
	uint32_t	begun[PYRAMID_KINDS];	/* states by kind, those that are counted */
	uint32_t	again[PYRAMID_KINDS];	/* and the others; both wrap */
};

struct pyramid_vote {
	uint64_t	weight;
	uint32_t	top;
};

#define PYRAMID_LEVELS	12u

struct pyramid_chunk {
	int64_t		first;		/* when its first state begins */
	uint64_t	at;		/* of its bytes: the totals lie before them, but for the first chunk */
};

struct pyramid {			/* all zero: empty */
	bool		 votes;		/* set before the first state: who has most is asked for */
	uint8_t		*bytes;		/* owned */
	uint64_t	 nr_bytes, cap_bytes;
	struct pyramid_chunk *chunks;	/* owned */
	uint32_t	 nr_chunks, cap_chunks;
	struct pyramid_vote *levels[PYRAMID_LEVELS];	/* owned; empty without votes */
	uint32_t	 nr[PYRAMID_LEVELS], cap[PYRAMID_LEVELS];
	struct pyramid_totals total;	/* of all but the last state */
	struct pyramid_vote open;	/* of the last chunk, but for its last state */
	uint32_t	 in_chunk;	/* states of the last chunk */
	int64_t		 last;		/* when the last state begins */
	uint32_t	 last_arg;
	uint8_t		 last_kind;
	bool		 last_again;
};

void pyramid_fini(struct pyramid *pyramid);

/**
 * pyramid_add() - a state begins
 * @ts:     no earlier than the one before; if it is, that one's time is taken
 * @again:  it is not to be counted among those that begin
 * @dropped: the state before is not to be believed: it becomes kind 0
 * @arg:    below 2^31
 *
 * Return: how many bytes of memory the pyramid grew by.
 */
uint64_t pyramid_add(struct pyramid *pyramid, int64_t ts, unsigned int kind, uint32_t arg, bool again, bool dropped);

/*
 * Sums of columns: column i is [edges[i], edges[i + 1]); edges ascend.  The last state ends at @end; nothing is known behind
 * it, nor before the first one.
 */
void pyramid_columns(const struct pyramid *pyramid, int64_t end, const int64_t *edges, unsigned int nr,
		     struct pyramid_sum *sums);

/* Going from state to state.  Valid until the next pyramid_add(). */
struct pyramid_iter {
	const struct pyramid *pyramid;	/* borrowed */
	int64_t		 end;
	uint32_t	 chunk, left;	/* states of the chunk that are not read yet */
	const uint8_t	*head, *pos;		/* of the next one */
	/* The state read last, of which the next one tells the end. */
	int64_t		 ts;
	uint32_t	 arg;
	uint8_t		 kind;
	bool		 again, held;
};

/* Before the state that is at @ts (the last one that begins at or before it), or the first one. */
void pyramid_iter_init(struct pyramid_iter *iter, const struct pyramid *pyramid, int64_t end, int64_t ts);
bool pyramid_iter_next(struct pyramid_iter *iter, struct pyramid_state *state);

/* The state at a moment; false: there is none. */
bool pyramid_at(const struct pyramid *pyramid, int64_t end, int64_t ts, struct pyramid_state *state);
/* The last state that begins before ts; false: there is none. */
bool pyramid_before(const struct pyramid *pyramid, int64_t end, int64_t ts, struct pyramid_state *state);

/* A state that is looked for. */
struct pyramid_find {
	unsigned int	kinds;		/* bits */
	int64_t		least;		/* how long it lasts at least */
};
/*
 * The first such state that begins behind ts, the last one that begins before it; false: there is none.  Takes about 2 ns for a
 * state on the way, less where there are none of these kinds.
 */
bool pyramid_find_next(const struct pyramid *pyramid, int64_t end, int64_t ts, const struct pyramid_find *find,
		       struct pyramid_state *state);
bool pyramid_find_before(const struct pyramid *pyramid, int64_t end, int64_t ts, const struct pyramid_find *find,
			 struct pyramid_state *state);

uint64_t pyramid_memory(const struct pyramid *pyramid);	/* bytes */
#endif
