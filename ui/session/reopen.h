/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_REOPEN_H
#define FTOP_UI_SESSION_REOPEN_H
/*
 * reopen - opens another file, or the same one again, also with other offsets; reports that a file
 * changed on disk; and saves marks, notes and filters for the next time.
 */
#include "ui/view/view.h"

void reopen_with(struct app *app, struct trace *trace);	/* takes ownership; replaces the trace */
void reopen_close(struct app *app);
bool reopen_file(struct app *app, const char *path);	/* on error says so, and the trace stays */
/* switches between a latency tracer's text and its records */
void reopen_other(struct app *app);
void reopen_same(struct app *app);	/* rereads the files; keeps the marks and the place */
void reopen_offset(struct app *app, const char *word);	/* ":offset"; "": shows the offsets */
void reopen_watch(struct app *app);		/* checks once a second if a file changed on disk */
void reopen_rest(struct app *app);	/* shows all of a text: a worker has looked at it */
void reopen_grow(struct app *app);	/* takes what a recorder or a pipe has added */
void reopen_keep(struct app *app);		/* saves marks and notes for the next time */
void reopen_save_session(struct app *app);	/* saves the same into a file next to the trace */
#endif
