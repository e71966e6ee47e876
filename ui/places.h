/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PLACES_H
#define FTOP_UI_PLACES_H
/*
 * places - rows that are remembered: A and B, marks a to z, notes, the range, and
 * the way back and forward through jumps.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace.h"

#define PLACE_HISTORY	100		/* steps back that are kept */
#define PLACE_NOTE_BYTES 512

/* Distance of two moments: a file may claim any, so it stops at the ends of the range. */
static inline int64_t time_between(int64_t from, int64_t to)
{
	int64_t distance;

	if (__builtin_sub_overflow(to, from, &distance))
		return to < from ? INT64_MIN : INT64_MAX;
	return distance;
}

static inline int64_t time_after(int64_t ts, int64_t distance)
{
	int64_t sum;

	if (__builtin_add_overflow(ts, distance, &sum))
		return distance < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

struct place {
	trace_ref	ref;		/* TRACE_REF_NONE: not set */
	int64_t		ts;
};

struct note {
	struct place	 place;
	char		*text;		/* owned, printable */
};

struct places {
	struct place	 marks[26];	/* 'a' is A, 'b' is B */
	struct note	*notes;		/* owned, [nr_notes] */
	unsigned int	 nr_notes, cap_notes;
	bool		 has_range;
	int64_t		 range_from, range_to;
	struct place	 history[PLACE_HISTORY];
	unsigned int	 nr_history, at;	/* history[at - 1] is one step back; [at] forward */
	struct place	 previous;	/* '' */
};

void places_init(struct places *places);
void places_fini(struct places *places);

/* Set a mark, or take it away where it is on this row already.  True: it is set now. */
bool places_mark(struct places *places, char letter, struct place place);
const struct place *places_get(const struct places *places, char letter);	/* NULL: not set */
char places_letter(const struct places *places, trace_ref ref);	/* mark of a row: 'A', 'B', 'c'…; 0: none */

void places_note(struct places *places, struct place place, const char *text);	/* "" takes it away */
const char *places_note_at(const struct places *places, trace_ref ref);	/* or NULL */

/* Before a jump: remember where we are. */
void places_leave(struct places *places, struct place here);
/* A step back or forward from here; ref TRACE_REF_NONE: there is none. */
struct place places_back(struct places *places, struct place here);
struct place places_forward(struct places *places, struct place here);

/* Δ of A and B, or of A (or B) and here; false: neither is set. */
bool places_delta(const struct places *places, int64_t here_ts, int64_t *delta);
#endif
