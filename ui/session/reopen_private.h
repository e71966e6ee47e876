/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_REOPEN_PRIVATE_H
#define FTOP_UI_SESSION_REOPEN_PRIVATE_H
/* reopen_private - shared by reopen.c, which opens traces, reopen_pipe.c and reopen_ring.c. */
#include "ui/session/reopen.h"

#define LOOK_NS		1000000000	/* ns between two checks of the files, or of a pipe */
#define GROW_COUNTS	INT64_MAX	/* session.grow_next: models count */

/* Shows the same files, opened again; returns how many marks and notes were lost. */
unsigned int reopen_show_again(struct app *app, struct trace *trace);
/* Is the cursor on the last row, where it is to stay while rows are added? */
bool reopen_follows_end(const struct app *app);
void reopen_go_to_end(struct app *app);
/*
 * Have the models counted what was added last?  They begin anew with each step, so they get a part
 * of the time: of a long trace, the steps become longer.
 */
bool reopen_is_counted(struct app *app, int64_t now);

/*
 * reopen_ring.c: marks, notes, the range and the cursor go on to the first row that the recorder
 * has not dropped.
 */
void reopen_follow_ring(struct app *app);
/* If the trace is stale, its file is opened again, and shown when workers have read it. */
void reopen_renew_ring(struct app *app);
void reopen_drop_ring(struct app *app);		/* another trace comes instead */

/* The same files, opened again; NULL: it has said why. */
struct trace *reopen_same_files(struct app *app);
bool reopen_is_busy(const struct app *app);

/* reopen_pipe.c: has a worker look at all that has come, which reopen_rest() shows then */
void reopen_read_more(struct app *app, int64_t now);
/* The same text with more lines: all stays as it is, but for the figures. */
void reopen_show_more(struct app *app, struct trace *trace);
#endif
