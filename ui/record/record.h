/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_RECORD_H
#define FTOP_UI_RECORD_H
/*
 * record - the record screen: fields on the left, what the chosen one can be on the right, the equivalent command
 * below; and a recording while it runs.
 *
 *	record.c	keys, prompts, when it is shown
 *	record_ask.c	what the kernel offers and what is wrong, asked of other programs
 *	record_list.c	the right side: choices of a field, narrowed while typing
 *	record_meaning.c	what names of tracers and clocks mean
 *	record_run.c	the recorder as a program of its own
 *	record_draw.c	the form;  record_draw_run.c  a recording that runs
 */
#include <poll.h>
#include "src/recording/capabilities.h"
#include "src/sandbox/child.h"
#include "src/recording/record_progress.h"
#include "ui/app/app_state.h"
#include "ui/record/record_setup.h"

enum record_row {			/* fields of the form: those of a set-up, and what is around them */
	ROW_NAME,			/* a set-up by its name */
	ROW_SETUP,			/* + enum setup_field */
	ROW_RIGHTS = ROW_SETUP + NR_SETUP_FIELDS,
	NR_ROWS
};

enum record_rights { RIGHTS_OWN, RIGHTS_SUDO, RIGHTS_PKEXEC, NR_RIGHTS };

enum record_item_kind {
	ITEM_CAPABILITY,		/* value: index in the list of the field */
	ITEM_WORD,			/* value: index in what was chosen: a pattern, function or pid that the list lacks */
	ITEM_TYPED,			/* what was typed, as it is */
	ITEM_NONE,			/* nothing chosen: the recorder's own choice */
	ITEM_NAMED,			/* value: index of a named set-up */
	ITEM_RIGHTS,			/* value: enum record_rights */
	ITEM_ONLY_COMMAND, ITEM_CHILDREN,
	ITEM_PROCESS,			/* value: pid */
};

struct record_item {
	enum record_item_kind	kind;
	unsigned int		value;
};

/* What is asked of other programs, in the order in which it is. */
enum record_question {
	QUESTION_RECOVER, QUESTION_DOCTOR, QUESTION_LIST, QUESTION_CHECK, QUESTION_FUNCTIONS, QUESTION_FORMATS,
	NR_QUESTIONS
};

enum record_asks { ASKS_NOTHING, ASKS_LEAVE, ASKS_QUIT };	/* the user: stop, keep, stay */

struct record {
	bool			 shown;
	struct record_setup	 setup;
	struct text		 name;		/* of the set-up taken last; "": none */
	bool			 edited;	/* it is no longer that one */
	struct named_setups	 named;
	enum record_rights	 rights;
	struct capabilities	 caps;
	struct capabilities	 answer;	/* while one comes in */

	/* the form */
	unsigned int		 row, top;	/* enum record_row; first row shown */
	unsigned int		 nr_ticked;	/* events; counted again when count_ticked */
	bool			 count_ticked;
	int			 list_row, list_col;	/* of the canvas, at the last drawing */
	struct text		 command;	/* the equivalent command line, printable */
	struct text		 mistakes;	/* printable, a line each */
	struct text		 listing;	/* why lists could not be read, printable; "" */

	/* the right side */
	bool			 in_list;	/* keys go there */
	bool			 chose;		/* something was ticked since they do */
	struct text		 find;
	struct record_item	*items;		/* owned */
	unsigned int		 nr_items, cap_items;
	unsigned int		 cursor, list_top, list_height;
	struct text		 processes;	/* of ITEM_PROCESS: "PID COMM\n" */

	/* questions */
	unsigned int		 wanted;	/* a bit each */
	int			 asking;	/* enum record_question; -1: none */
	struct child		 child;
	unsigned int		 answered;	/* a bit each */
	int64_t			 check_at;	/* monotonic ns, when the plan is to be checked; 0: it is */
	bool			 failed;	/* it was tried in earnest: a check has nothing to say */

	/* the recorder */
	bool			 running;
	struct child		 recorder;
	struct record_progress	 progress;
	struct text		 file;		/* that the next one would write */
	struct text		 target;	/* that this one writes */
	struct text		 output;	/* its last lines beside the progress, printable */
	int64_t			 output_at;	/* monotonic ns, when it was read last */
	enum record_asks	 asks;
	bool			 stopping;	/* it was told so */
	bool			 quit_after;	/* it is waited for, then all ends */
	bool			 kept;		/* it goes on without us */
	char			 died[64];	/* how, where it did not say the end */
};

struct record *record_get(struct app *app);	/* made at its first use */

/* record.c */
/* The words behind "record"; -1: they are none. */
int record_words(struct app *app, struct shell_words *words, struct ft_error *err);
void record_changed(struct app *app);		/* the set-up is another one */
void record_fill_doctor(struct app *app);	/* the popup, with what is known */
void record_take_line(struct app *app, const char *line, const char *name);	/* a set-up by its words */

/* record_ask.c */
void record_want(struct app *app, enum record_question question);
void record_ask_step(struct app *app);		/* takes answers, asks the next */
const char *record_program(const struct app *app);
void record_prefix(const struct record *record, struct shell_words *words);	/* "sudo", "pkexec" or nothing */

/* record_list.c */
void record_list_open(struct app *app);		/* for the chosen field */
void record_list_fill(struct app *app);		/* anew: what is offered, or the narrowing, is another */
bool record_list_press(struct app *app, ui_key key);	/* false: not a key of it */
bool record_has_list(enum record_row row);
bool record_item_ticked(const struct record *record, const struct record_item *item);
/* What it is called, and what is said of it. */
void record_item_text(const struct record *record, const struct record_item *item, struct text *label, struct text *note);
const struct capability_list *record_list_of(const struct record *record, enum record_row row);	/* NULL: none */

/* record_meaning.c */
const char *record_meaning(enum setup_field field, const char *name);	/* in some words; "": none known */

/* record_run.c */
void record_authorize(struct app *app);		/* sudo asks for a password, if it has to */
void record_start(struct app *app);
void record_stop(struct app *app);
void record_run_step(struct app *app);
void record_clock(const struct record *record, struct text *out);	/* "● rec 00:12" */
void record_add_size(struct text *out, uint64_t bytes);			/* "18.4 MB" */

/* record_draw.c, record_draw_run.c */
unsigned int record_nr_rows(const struct record *record);	/* of the form */
const char *record_row_label(enum record_row row);
const char *record_row_help(enum record_row row);
void record_row_value(const struct app *app, enum record_row row, struct text *out);
void record_obstacle(const struct app *app, struct text *out);	/* "" where nothing keeps one from recording */
void record_draw_run(struct app *app);
#endif
