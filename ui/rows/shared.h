/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SHARED_H
#define FTOP_UI_SHARED_H
/*
 * shared - what all views have in common: the trace, the moment under the cursor,
 * A and B, the range, and how things are shown.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/match/search.h"
#include "src/trace/trace.h"
#include "ui/rows/filters.h"
#include "ui/rows/places.h"

enum time_format {
	TIME_ABSOLUTE,			/* as the trace has it */
	TIME_RELATIVE,			/* since the first event */
	TIME_DELTA,			/* since the row above */
	TIME_SINCE_A,
	TIME_WALL,
	NR_TIME_FORMATS
};

enum text_choice { TEXT_BY_WIDTH, TEXT_KERNEL_STYLE, TEXT_SHORT_STYLE, NR_TEXT_CHOICES };

enum colour_by { COLOUR_BY_EVENT, COLOUR_BY_TASK, COLOUR_BY_CPU, NR_COLOURS_BY };

/* Which rows are listed. */
enum list_kind { LIST_ALL, LIST_CPU, LIST_INSTANCE, LIST_FILE };

struct list_choice {
	enum list_kind	 kind;
	int		 cpu;		/* LIST_CPU */
	unsigned int	 file, buffer;	/* LIST_INSTANCE, LIST_FILE */
};

struct shared {
	struct trace		*trace;		/* borrowed */
	char			**file_names;	/* owned, one for each file: what tells them apart; NULL: paths */
	struct place		 here;		/* under the cursor; not set: nothing is */
	struct places		 places;
	int64_t			 window_from, window_to;	/* ts of the first and last row shown */
	int64_t			 first, last;	/* span of the trace */
	bool			 has_span;
	struct list_choice	 list;
	bool			*streams;	/* owned, [nr_streams] those listed; NULL: all */
	enum time_format	 time_format;
	int			 decimals;	/* 6, 9; 0: by the width */
	enum colour_by		 colour_by;
	enum text_choice	 text_choice;
	int			 cols;		/* of the screen */
	bool			 overview, keybar;
	struct text		 recording;	/* "● rec 00:12" while one runs, else "" */
	bool			 no_subtrees;	/* of calls that filters keep what is in them is not shown */
	int			 detail_rows;	/* 0: off; -1: by the height */
	int64_t			 threshold;	/* ns; 0: not chosen yet */
	bool			 by_net;	/* it is one of net times: where calls are looked through */
	struct search_pattern	*pattern;	/* owned; what matches are shown of, or NULL */
	struct matches		*hits;		/* borrowed: rows that the pattern is in, where they are known; or NULL */
	struct filters		 filters;
	unsigned int		 here_line;	/* of the window: where the row under the cursor stands */
	bool			 anchored;	/* while a filter is typed: views stay at the anchor, on its line */
	struct place		 anchor;
	unsigned int		 anchor_line;
	bool			 later;		/* there was no time to find all rows to be shown: draw again soon */
};

/* Of another trace: all that is about the one before goes.  NULL: of none. */
void shared_use(struct shared *shared, struct trace *trace);
/* Decimals of a time where the screen has @cols. */
int shared_decimals(const struct shared *shared, int cols);
/* How events are told: the kernel's text from 100 columns on, else the short one; or as the user chose. */
enum trace_text_style shared_text_style(const struct shared *shared);
/* A moment as the absolute form has it: seconds, or the raw count of a clock without a unit. */
void shared_time(const struct shared *shared, int64_t ts, int decimals, struct text *out);
/* A duration with its unit, or the raw count. */
void shared_duration(const struct shared *shared, int64_t duration, struct text *out);
/* The same without blanks before it, as words of a sentence. */
void shared_span(const struct shared *shared, int64_t duration, struct text *out);
/* What was found wrong with the files themselves; and one of them as a sentence. */
unsigned int shared_nr_notes(const struct shared *shared);
void shared_note(const struct shared *shared, unsigned int i, struct text *out);
/* A file by what tells it from the others. */
void shared_file_name(const struct shared *shared, unsigned int file, struct text *out);
/* A row as a place; not set if there is none of this ref. */
struct place shared_place(const struct shared *shared, trace_ref ref);
/* The row of a place: its own, else the first at its moment or behind it, of its CPU where it has one, else the last. */
trace_ref shared_row_of(const struct shared *shared, const struct place *place);
/*
 * What tables, counts and exports take in: from the first to the last ts in it.  False: the whole trace (its span then,
 * as far as it is known).
 */
bool shared_range(const struct shared *shared, int64_t *from, int64_t *to);
/* The list's name: "CPU 3", "instance foo"; "" for all. */
void shared_list_name(const struct shared *shared, struct text *out);
void shared_choose_list(struct shared *shared, struct list_choice choice);
#endif
