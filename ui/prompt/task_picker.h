/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_TASK_PICKER_H
#define FTOP_UI_PROMPT_TASK_PICKER_H
/*
 * task_picker - p: a list of all tasks with their event counts, narrowed by typing. Views that have
 * tasks of their own go to the task chosen; other views then show only that task.
 */
#include "ui/view/view.h"

void picker_open(struct app *app);
void picker_progressed(struct app *app);		/* workers made progress */
bool picker_is_stale(const struct app *app);
bool picker_waits(const struct app *app);	/* is its list empty, and not read to its end? */
void picker_follow(struct app *app);			/* shows the counts of the workers */
void picker_drop(struct app *app);			/* the trace is closed */
#endif
