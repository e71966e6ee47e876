/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_SHARED_H
#define FTOP_UI_ROWS_SHARED_H
/*
 * shared - state of all views: the trace, the moment under the cursor, A and B, the range, and
 * display settings.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/match/search.h"
#include "src/sched/sched.h"
#include "src/trace/leaf_calls.h"
#include "src/trace/trace.h"
#include "ui/rows/filters.h"
#include "ui/rows/places.h"

enum time_format {
	TIME_ABSOLUTE,			/* as in the trace */
	TIME_RELATIVE,			/* since the first event */
	TIME_DELTA,			/* since the row above */
	TIME_SINCE_A,
	TIME_WALL,
	NR_TIME_FORMATS
};

enum text_choice { TEXT_BY_WIDTH, TEXT_KERNEL_STYLE, TEXT_SHORT_STYLE, NR_TEXT_CHOICES };

enum colour_by { COLOUR_BY_EVENT, COLOUR_BY_TASK, COLOUR_BY_CPU, NR_COLOURS_BY };

/* Which rows are listed. */
enum list_choice_kind { LIST_ALL, LIST_CPU, LIST_INSTANCE, LIST_FILE };

struct list_choice {
	enum list_choice_kind	 kind;
	int		 cpu;		/* LIST_CPU */
	unsigned int	 file, buffer;	/* LIST_INSTANCE, LIST_FILE */
};

#define SHARED_MODELS	10u		/* of the old and new trace for four views; for = and ! */

/* Where the cursor is, and what of the time is shown or chosen. */
struct shared_moment {
	struct place	 here;		/* place under the cursor; not set: none */
	struct places	 places;	/* range, marks, notes, history */
	bool		 has_window;	/* the view shown is a part of the time; tables are not, and
					   their rows have no moments */
	int64_t		 window_from, window_to;	/* ts of the first and last row shown */
	int64_t		 first, last;	/* span of the trace */
	bool		 has_span;
	unsigned int	 here_line;	/* line of the window that the cursor is on */
	bool		 anchored;	/* a filter is being typed: views stay at the anchor, on its
					   line */
	struct place	 anchor;
	unsigned int	 anchor_line;
};

/* A trace that grows, and a window that moves. */
struct shared_growth {
	/* What the windows of Now and Tasks have read; see task_table.h */
	struct task_table *parked;	/* owned */
	int64_t		 tail;		/* the range is a window of this length, which ends with the
					   trace and moves with it; 0: it is not */
	bool		 tail_stays;	/* the window ends with tail_to instead */
	int64_t		 tail_to;
	bool		 plays;		/* Now begins at the beginning, and plays */
	int64_t		 grew_at;	/* monotonic ns, when new rows were there */
	int64_t		 as_of;		/* while the trace grows: its settled time, which models
					   begin again with; else 0 */
	int64_t		 counted_at;	/* monotonic ns, when as_of was set */
	bool		 has_more;	/* the trace that is opened is the former one, with more
					   rows at its end */
};

/* What the user has chosen to see of a trace. */
struct shared_choice {
	struct list_choice list;
	bool		*streams;	/* owned, [nr_streams]: is it listed?  NULL: all are */
	struct filters	 filters;
	bool		 no_subtrees;	/* calls inside calls that filters keep are not shown */
	struct search_pattern *pattern;	/* owned; its matches are highlighted; or NULL */
	bool		 pattern_of_list;	/* it was last searched in the rows of a list */
	struct matches	*hits;		/* borrowed: rows that match the pattern; NULL: not known */
	int64_t		 threshold;	/* ns; 0: not chosen yet */
	bool		 by_wall;	/* slow compares whole durations of calls */
};

/* How it looks. */
struct shared_look {
	enum time_format time_format;
	int		 decimals;	/* 6, 9; 0: by the width */
	enum colour_by	 colour_by;
	enum text_choice text_choice;
	int		 cols;		/* width of the screen */
	bool		 overview, keybar;
	int		 detail_rows;	/* 0: off; -1: by the height */
};

struct shared {
	struct trace		*trace;		/* borrowed */
	char			**file_names;	/* owned, one per file: short distinct names; NULL:
						   paths */
	struct leaf_calls	*leaves;	/* owned */
	struct shared_model {		/* see shared_take_sched() */
		struct sched	*sched;	/* owned */
		int64_t		 as_of;	/* see struct shared_growth */
		unsigned int	 file, users;	/* no users: there is none */
	}			models[SHARED_MODELS];
	struct shared_moment	 at;
	struct shared_growth	 growth;
	struct shared_choice	 chosen;
	struct shared_look	 look;
	struct text		 pairs;		/* owned: the user's pairs of events, lines as in
						   their file */
	struct text		 counting;	/* owned: what the Counts view counts, in the words
						   of :count; "": the tracer's table */
	struct text		 recording;	/* "● rec 00:12" while one runs, else "" */
	struct text		 recorder;	/* record_load_text() */
	/* slow.c, of this file: are there calls, are times off the CPU known, is this final? */
	bool			 has_calls, away, away_known;
	unsigned int		 away_file;
	bool			 later;		/* time ran out before all rows were found: draw
						   again soon */
};

/*
 * Switches to another trace and drops all state of the former one.  NULL: no trace.  @again: it is
 * of the same files: what is chosen stays, but for filters.
 */
void shared_use(struct shared *shared, struct trace *trace, bool again);
/* The last moment that is known: of a recording that goes on, the last settled one. */
int64_t shared_end(const struct shared *shared);
/*
 * By how much a window that follows a recording moves, so that its sums can be added up from those
 * of slices (src/sched/task_table.h).  0: it moves to the settled time.
 */
int64_t shared_slice(const struct shared *shared);
/* Moves a range that is a window to where that ends. */
void shared_move_tail(struct shared *shared);
/*
 * The model of a file's states for a view, until the view gives it back: views share it, unless
 * one has made it outlive what a ring dropped.
 */
struct sched *shared_take_sched(struct shared *shared, unsigned int file);
void shared_give_sched(struct shared *shared, struct sched *sched);	/* NULL is allowed */
/* The trace has grown, so has the model; false: only a new one.  @from: see sched_grow(). */
bool shared_grow_sched(struct shared *shared, struct sched *sched, int64_t from);
/*
 * While the trace grows, its model goes on, or *next, a model of all there is now, is taken.
 * Return: *next is complete: give @sched back and show that one.
 */
bool shared_follow_sched(struct shared *shared, unsigned int file, int64_t from,
			 struct sched *sched, struct sched **next);
/* Decimals of a time on a screen of @cols columns. */
int shared_decimals(const struct shared *shared, int cols);
/* For trace_event_text(): the room on the screen, unless the user chose long or short texts. */
int shared_text_cells(const struct shared *shared, int room);
/* A moment in absolute form: seconds, or the raw count of a clock without a unit. */
void shared_time(const struct shared *shared, int64_t ts, int decimals, struct text *out);
/* A duration with its unit, or the raw count; of a text with whole µs it has no more digits. */
void shared_duration(const struct shared *shared, int64_t duration, struct text *out);
/* A duration with its unit, without leading blanks, for sentences. */
void shared_span(const struct shared *shared, int64_t duration, struct text *out);
/* The clock, if that has no unit; NULL: times are ns. */
static inline const char *shared_clock(const struct shared *shared)
{
	return trace_unit(shared->trace) == TRACE_UNIT_COUNT ? trace_clock(shared->trace) : NULL;
}
/* A call's duration: it has a unit in a text without times, too. */
void shared_measured(const struct shared *shared, uint64_t ns, struct text *out);
/* Nothing but histograms of the kernel: no events. */
bool shared_has_no_events(const struct shared *shared);
/* Problems found in the files: how many, and one of them as a sentence. */
unsigned int shared_nr_warnings(const struct shared *shared);
bool shared_is_damaged(const struct shared *shared);	/* a file has a warning of damage */
void shared_warning(const struct shared *shared, unsigned int i, struct text *out);
/* "offset +1.5ms"; of several files "offset sched +1.5ms"; nothing without an offset. */
void shared_offsets(const struct shared *shared, struct text *out);
/* A short name of a file, distinct from all other files. */
void shared_file_name(const struct shared *shared, unsigned int file, struct text *out);
/*
 * "of sched   ".  @compared: both files in the order of the columns, "of sched and new   ", or
 * "of sched and new (all)   " if all of the second one is compared with the range of the first.
 * Nothing if there is only one file.
 */
void shared_of_file(const struct shared *shared, unsigned int file, bool compared,
		    struct text *out);
/* The place of a row; not set if no row has this ref. */
struct place shared_place(const struct shared *shared, trace_ref ref);
/* Has the place a row or a task, of another *file than the former one?  Then *file is set. */
bool shared_file_moved(const struct shared *shared, const struct place *place, unsigned int *file);
/*
 * The row of a place: its own, else the first at or after its time (on its CPU if it has one), else
 * the last.
 */
trace_ref shared_row_of(const struct shared *shared, const struct place *place);
/*
 * The range of tables, counts and exports: its first and last ts, both included.  False: there is
 * no range; the span of the trace that is known so far is returned.
 */
bool shared_range(const struct shared *shared, int64_t *from, int64_t *to);
/* The length of the range within a file, and that of the rest; 0 without a range. */
void shared_spans(const struct shared *shared, unsigned int file, int64_t span[2]);

/*
 * What tables compare a file with: the next one of several; -1: there is one file, and the range is
 * compared with the rest of it.
 */
int shared_other(const struct shared *shared, unsigned int file);
/* Is the range also that of the other file? If it has any of it. */
bool shared_other_has_range(const struct shared *shared, unsigned int other);
/* Is there anything to compare with: another file, or a range? */
bool shared_can_compare(const struct shared *shared);
/* Append " and the rest" to a range, unless it is compared with the other file. */
void shared_and_rest(const struct shared *shared, unsigned int file, struct text *out);
/* Matches of the search: "3 of 217", or "217" between them; ~ until all are known, or nothing. */
void shared_hit_count(const struct shared *shared, struct text *out);
/* The list's name: "CPU 3", "instance foo"; "" for all. */
void shared_list_name(const struct shared *shared, struct text *out);
void shared_choose_list(struct shared *shared, struct list_choice choice);
/* Chooses a list, or all rows if that list has none. */
void shared_carry_list(struct shared *shared, struct list_choice list);
#endif
