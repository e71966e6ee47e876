/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_RECORD_RECORD_H
#define FTOP_UI_RECORD_RECORD_H
/*
 * record - the record screen: fields on the left, choices for the selected one on the right, the
 * equivalent command below; and the progress of a recording. The files are listed in
 * record_private.h.
 */
#include <poll.h>
#include <stdbool.h>
#include "src/base/options.h"
#include "src/base/text.h"
#include "ui/screen/canvas.h"
#include "ui/screen/key.h"
#include "ui/screen/popup.h"
#include "ui/screen/request.h"
#include "ui/screen/term.h"
#include "ui/view/host.h"

struct broker;
struct record_ui;

/*
 * What the record screen needs from the rest of the program. All functions must be set; @app comes
 * first.
 */
struct record_host {
	struct app	*app;
	const struct view_host *view_host;	/* for messages and copies */
	const struct command_def *command;	/* options of "record"; NULL:
						   recording is not built in */
	const char	*program;		/* runs list, doctor, record and recover */
	struct broker	*broker;		/* src/sandbox/broker.h: starts
						   programs; may be NULL */
	struct canvas	*canvas;
	struct popup	*popup;
	void		 (*redraw)(struct app *app);	/* the record screen changed */
	struct ui_term	*(*term)(struct app *app);	/* NULL: there is no terminal */
	bool		 (*has_trace)(struct app *app);	/* a trace is open behind the record
							 * screen */
	bool		 (*open_file)(struct app *app, const char *path);	/* false: failed,
										 * after a
										 * message */
	void		 (*request)(struct app *app, enum request request);	/* a request that
										 * means the same
										 * everywhere */
	/* prints @farewell */
	void		 (*quit)(struct app *app, const char *farewell);
	/*
	 * Opens a prompt, whose text goes to record_prompt_accepted().  @label: borrowed; @hint:
	 * NULL: none.
	 */
	void		 (*ask)(struct app *app, const char *label, const char *text,
				const char *hint, bool has_history);
};

/* @host is borrowed.  Reads the presets of the user and the one recorded last. */
struct record_ui *record_new(const struct record_host *host);
void record_free(struct record_ui *record);

/* --- when it is shown -------------------------------------------------------- */
void record_open(struct record_ui *record);
/* fills the form from options of ftop-trace record, unless the user changed it */
void record_fill(struct record_ui *record, const char *words);
/* records with these options of ftop-trace record at once, and shows the trace while it grows */
void record_live(struct record_ui *record, const char *words);
void record_open_doctor(struct record_ui *record);
void record_stop(struct record_ui *record);	/* stops the recording, if one runs */

/* In all functions below, NULL means a record screen that was never opened. */
bool record_shown(const struct record_ui *record);
bool record_running(const struct record_ui *record);
/* @request: that of @key; true: handled */
bool record_press(struct record_ui *record, ui_key key, enum request request,
		  const struct ui_mouse *mouse);
void record_prompt_accepted(struct record_ui *record, const char *text);
void record_draw(struct record_ui *record);
const char *record_key_bar(const struct record_ui *record);	/* NULL: none */
const char *record_question(const struct record_ui *record);	/* question asked, or NULL */
bool record_ask_quit(struct record_ui *record);	/* true: a recording runs, and the user is asked */
/* "● rec 00:12", with ", silent for 6 s" if the recorder sends no status; "" if none runs. */
void record_status_text(const struct record_ui *record, struct text *out);
/*
 * "buffers 12 %, rec 1.3 %", or "" if none runs: how full the fullest of the
 * kernel's buffers is, and the share of a CPU that the recorder and the screen use.
 */
void record_load_text(const struct record_ui *record, struct text *out);

/* --- the loop ---------------------------------------------------------------- */
#define RECORD_MAX_FDS	4
/* Return how many; @fds: [RECORD_MAX_FDS]. */
unsigned int record_fds(const struct record_ui *record, struct pollfd *fds);
int record_timeout_ms(const struct record_ui *record);	/* -1: no timeout */
void record_step(struct record_ui *record);		/* reads the output of other programs */

/* --- what stands in the way, for who has not opened it yet --------------------- */
void record_look(struct record_ui *record);	/* checks for obstacles; @record: not NULL */
/* Return false if it is not known yet. */
bool record_obstacle_line(const struct record_ui *record, struct text *out);
unsigned int record_in_the_way(const struct record_ui *record);
#endif
