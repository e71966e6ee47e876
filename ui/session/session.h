/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_SESSION_H
#define FTOP_UI_SESSION_SESSION_H
/* session - what belongs to the trace that is open, to its file and to the settings. */
#include <time.h>
#include "ui/desk/desk.h"
#include "src/filter/filter_named.h"
#include "ui/session/recent.h"

struct saver;				/* save.c */
struct exporter;			/* save_perfetto.c */
struct watched;				/* reopen.c */

struct app_session {
	struct filter_named	 named;		/* filters with names */
	struct saver		*saver;
	struct exporter		*exporter;	/* set while a job saves for Perfetto */
	struct recent		 recent[RECENT_MAX];
	unsigned int		 nr_recent;
	struct text		 identity;	/* identity of the trace, as kept.h defines it */
	struct text		 config;	/* the file of settings */
	struct text		 config_wrong;	/* mistakes in it, a line for each */
	struct text		 remembered;	/* lines of views, as they were loaded */
	struct range		 window;	/* window to show from the first drawing on */
	struct timespec		 began;		/* when the program began */
	bool			 goes_back;	/* the trace opens where it was left */
	bool			 has_kept;	/* its marks are in a state or session file */
	struct watched		*watched;	/* owned, for each file: reopen.c */
	int64_t			 watch_looked, grow_looked, trimmed;	/* monotonic ns */
	int64_t			 grow_next;	/* when to look next; GROW_COUNTS: models count */
	trace_ref		 ring_first;	/* the first row, as of reopen_follow_ring() */
	int64_t			 ring_ts;	/* its ts */
	trace_ref		 ring_put;	/* where that has put the cursor of Graph */
	struct trace		*ring_next;	/* owned: the same file again; or NULL */
	int64_t			 grow_cpu;	/* ns of CPU time, when the last step began */
	bool			 pipes;		/* the text comes from a pipe that goes on */
	int64_t			 more_since;	/* monotonic ns: when a worker began to look at more
						 * of it; 0: none does */
	int64_t			 more_ns;	/* how long it took; 0: not known yet */
};

void session_free(struct app *app);
#endif
