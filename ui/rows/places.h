/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_PLACES_H
#define FTOP_UI_ROWS_PLACES_H
/*
 * places - remembered moments and rows: A and B, marks a to z, notes, the range, and the history of
 * jumps, views, ranges and filters.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/time_math.h"
#include "src/trace/trace.h"

#define PLACE_HISTORY	100		/* steps back that are kept */
#define PLACE_NOTE_BYTES 512

struct place {				/* zeroed: none */
	bool		set;
	trace_ref	ref;		/* its row; TRACE_REF_NONE: only a moment */
	int64_t		ts;
	unsigned int	file;		/* the task's file */
	int		pid, cpu;	/* task and CPU under the cursor at
					   that moment; -1: none or several */
	int64_t		to;		/* if after ts: end of an interval to show as a whole */
	int		subject;	/* whose state begins or ends there; 0:
					   unknown.  The row may be another
					   task's, such as the waker's */
	bool		 is_old;	/* a mark of an earlier session, which no
					   time is measured from */
};

static inline struct place place_of_event(const struct trace_event *event)
{
	return (struct place){ true,
			       event->ref,
			       event->ts,
			       event->file,
			       trace_is_event(event) ? event->pid : -1,
			       event->cpu,
			       0 };
}

/* Are both the same row?  Without rows: the same moment of the same task and CPU? */
bool place_same(const struct place *a, const struct place *b);

struct range {				/* zeroed: the whole trace */
	bool		set;
	int64_t		from, to;	/* ts, both in it; from <= to */
};

bool range_same(const struct range *a, const struct range *b);

/* A step of ( and ): the place and what was shown there. */
struct step {
	struct place	 place;
	unsigned int	 view;		/* enum view_id: where it was shown */
	int64_t		 window_from, window_to;	/* ts: shown on the screen */
	struct range	 range;
	unsigned int	 filters;	/* the filter stack, by a number of the caller; 0: none */
};

struct note {
	struct place	 place;
	char		*text;		/* owned, printable */
};

struct places {
	struct place	 marks[26];	/* 'a' is A, 'b' is B */
	struct note	*notes;		/* owned, [nr_notes] */
	unsigned int	 nr_notes, cap_notes;
	struct range	 range;
	struct step	 history[PLACE_HISTORY];
	unsigned int	 nr_history, at;	/* history[at - 1] is a step
						   back, [at] a step forward */
	bool		 zooming;	/* the last step was a zoom: zooms
					   that follow are part of it */
	struct place	 previous;	/* '' */
};

void places_init(struct places *places);
void places_fini(struct places *places);

/* Sets a mark, or removes it if it is on this row already.  True: it is set now. */
bool places_mark(struct places *places, char letter, struct place place);
const struct place *places_get(const struct places *places, char letter);	/* NULL: not set */
/* mark of a row: 'A', 'B', 'c'…; 0: none */
char places_letter(const struct places *places, trace_ref ref);

void places_note(struct places *places, struct place place, const char *text);	/* "" removes it */
const char *places_note_at(const struct places *places, trace_ref ref);	/* a row's note, or NULL */
/* the note of a place, or NULL */
const char *places_note_of(const struct places *places, const struct place *place);

/* Call before a jump or anything else that ( undoes.  Zooms in a row are one step. */
void places_leave(struct places *places, const struct step *now);
void places_leave_zoom(struct places *places, const struct step *now);
/* A step back or forward from @now; false: there is none. */
bool places_back(struct places *places, const struct step *now, struct step *to);
bool places_forward(struct places *places, const struct step *now, struct step *to);

/* Δ of A and B, or of A (or B) and here; false: neither is set. */
bool places_delta(const struct places *places, int64_t here_ts, int64_t *delta);
#endif
