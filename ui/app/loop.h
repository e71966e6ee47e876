/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_LOOP_H
#define FTOP_UI_APP_LOOP_H
/* loop - what the loop, the bottom line and the keys remember. */
#include "ui/desk/desk.h"
#include "ui/record/record.h"
#include "ui/screen/keymap.h"

/* Where the cursor was when A or B was set. */
struct mark_origin {
	struct place	place;
	bool		at_edge;	/* the mark is at the edge of what was under it */
};

/* While ! looks for missing switches. */
struct missing {
	struct sched	*sched;		/* taken: the model that is waited for; or NULL */
	unsigned int	 file;		/* that it is of */
	uint64_t	 nr;		/* of the files before */
	struct text	 absent;	/* owned: times in which nothing could be recorded */
	const char	*left_out;	/* sched_pass_left_out() of one; NULL: nothing was */
	bool		 looked;	/* a file has switches */
	bool		 has_others;	/* a problem is marked, one alone */
};

#define APP_BAR_SPOTS	48

struct bar_spot {			/* a key on the bottom line, with its word */
	int		 from;		/* its first cell */
	ui_key		 key;
};

struct app_loop {
	char			 list_letters[48];	/* letters of the view's lists */
	trace_ref		 trouble;	/* where ! went last, and the row under the cursor
						 * then; NONE: nowhere */
	trace_ref		 trouble_shown;
	struct missing		 missing;
	struct keymap		 keymap;
	uint64_t		 filters_seen;	/* matches_version() when last drawn */
	unsigned int		 names_seen;	/* trace_user_came() */
	int64_t			 filters_looked;	/* monotonic ns */
	bool		 filters_told;	/* said that a regular expression takes too many steps */
	bool		 filters_awaited;	/* filters need values of calls: not ready */
	int64_t			 job_told;	/* monotonic ns: when progress was last shown */
	int64_t			 pressed_at;	/* monotonic ns: the last key */
	unsigned int		 start_cursor;	/* selected line of the start screen */
	struct mark_origin	 mark_origins[2];	/* [0] for A, [1] for B */
	struct bar_spot		 bar[APP_BAR_SPOTS];	/* as drawn last, from the left */
	unsigned int		 nr_bar;	/* 0: the bottom line has no keys */
	int			 bar_end;	/* the cell after the last word */
	struct record_host	 record_host;
	struct record_ui		*record;	/* owned; NULL until first used */
	struct text		 farewell;	/* for stderr, when the terminal is restored */
	bool			 came_back;	/* the last key was q, and led back */
	bool			 interrupted;	/* the last key was ^C, and had nothing to stop */
	int			 signal;	/* the signal that ended the loop; 0: none */
};
#endif
