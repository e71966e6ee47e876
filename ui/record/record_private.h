/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_RECORD_RECORD_PRIVATE_H
#define FTOP_UI_RECORD_RECORD_PRIVATE_H
/*
 * record_private - what the parts of the record screen share:
 *
 *	record.c	keys, prompts, when it is shown
 *	record_state.c	shown or not, recording or not, the settings as words
 *	record_ask.c	runs programs that list what the kernel offers and find mistakes
 *	record_list.c	the right side: choices of a field, narrowed while typing
 *	record_meaning.c	explains names of tracers and clocks
 *	record_run.c	runs the recorder, a separate program
 *	record_draw.c	the form;  record_draw_run.c  a recording that runs
 */
#include "src/recording/capabilities.h"
#include "src/recording/record_progress.h"
#include "src/sandbox/child.h"
#include "ui/record/record.h"
#include "ui/record/record_setup.h"

enum record_row {	/* rows of the form: the settings, and those around them */
	ROW_NAME,			/* a named preset */
	ROW_SETUP,			/* + enum setup_field */
	ROW_RIGHTS = ROW_SETUP + NR_SETUP_ROWS,
	NR_ROWS,
	ROW_MEASURE = ROW_SETUP + SETUP_MEASURE		/* see record_shown_row() */
};

enum record_rights { RIGHTS_OWN, RIGHTS_SUDO, RIGHTS_PKEXEC, NR_RIGHTS };

enum record_item_kind {
	ITEM_CAPABILITY,		/* value: index in the list of the field */
	ITEM_WORD,	/* value: index of a chosen pattern, function or pid that the list lacks */
	ITEM_TYPED,			/* the typed text itself */
	ITEM_NONE,			/* no value: the recorder's default */
	ITEM_NAMED,			/* value: index of a named preset */
	ITEM_RIGHTS,			/* value: enum record_rights */
	ITEM_ONLY_COMMAND, ITEM_CHILDREN,
	ITEM_PROCESS,			/* value: pid */
};

struct record_item {
	enum record_item_kind	kind;
	unsigned int		value;
};

/* Questions answered by other programs, in the order in which they run. */
enum record_question {
	QUESTION_RECOVER, QUESTION_DOCTOR, QUESTION_LIST, QUESTION_CHECK, QUESTION_FUNCTIONS,
	QUESTION_FORMATS, QUESTION_PRESET,
	NR_QUESTIONS
};

/* The purpose of the prompt. */
enum record_prompt { RECORD_PROMPT_FIELD, RECORD_PROMPT_FILTER, RECORD_PROMPT_NAME };

enum record_asks { ASKS_NOTHING, ASKS_LEAVE, ASKS_QUIT };	/* asked: stop, keep, stay? */

struct record_ui {
	const struct record_host *host;	/* borrowed */
	const struct view_host	*view_host;	/* borrowed: host->view_host */
	bool			 shown;
	struct record_setup	 setup;
	struct text		 name;		/* name of the preset taken last; "": none */
	bool			 edited;	/* they were changed since */
	struct named_setups	 named;
	enum record_rights	 rights;
	struct capabilities	 caps;
	struct capabilities	 answer;	/* the answer being read */

	/* the form */
	enum record_prompt	 prompt;
	char			 prompt_label[96];
	enum record_row		 row;		/* row under the cursor */
	unsigned int		 top;		/* first row shown */
	unsigned int		 nr_ticked;	/* ticked events; recounted if count_ticked */
	bool			 count_ticked;
	int			 list_col;	/* column of the items on the
						   canvas, as last drawn */
	struct text		 command;	/* the equivalent command line, printable */
	struct text		 mistakes;	/* printable, one per line */
	struct text		 listing;	/* why there are no lists, printable; or "" */

	/* the right side */
	bool			 in_list;	/* keys go to the list */
	bool			 chose;	/* something was ticked since the list took the keys */
	struct text		 find;
	struct record_item	*items;		/* owned */
	unsigned int		 nr_items, cap_items;
	struct list_window	 list;		/* the items on the screen */
	struct text		 processes;	/* for ITEM_PROCESS: "PID COMM\n" */

	/* questions */
	unsigned int		 wanted;	/* a bit for each enum record_question */
	int			 asking;	/* enum record_question; -1: none */
	struct child		 child;
	unsigned int		 answered;	/* a bit for each enum record_question */
	struct text		 preset;	/* QUESTION_PRESET: the line that is checked */
	int64_t			 check_at;	/* monotonic ns: when to check the plan; 0: never */
	bool			 failed;	/* a real attempt failed: its error stays */

	/* the recorder */
	bool			 running;
	struct child		 recorder;
	struct record_progress	 progress;
	struct text		 file;		/* path that the next recording writes */
	struct text		 target;	/* path that this recording writes */
	struct text		 output;	/* the last lines besides the progress, printable */
	int64_t			 output_at;	/* monotonic ns when it was last read */
	int64_t			 heard_at;	/* when the recorder last told something */
	int64_t			 load_at;	/* when load was counted, */
	int64_t			 load_cpu;	/* and the CPU time until then */
	uint64_t		 load;		/* permille of a CPU that the screen uses itself */
	enum record_asks	 asks;
	bool			 watches;	/* show what is recorded, once that has begun */
	bool			 watched;	/* it was shown: the screen goes on in the file */
	bool			 stopping;	/* it was asked to stop */
	bool			 quit_after;	/* quit once the recorder ends */
	bool			 discards;	/* and no file is to be left */
	bool			 kept;		/* the recorder continues after we quit */
	char			 died[128];	/* how it died, or why the file is not complete */
};

static inline struct ui_term *record_term(const struct record_ui *record)
{
	return record->host->term(record->host->app);
}

/* record_state.c */
unsigned int record_nr_rows(const struct record_ui *record);	/* rows of the form */
/* Ask a question, once its turn comes. */
void record_want(struct record_ui *record, enum record_question question);
void record_obstacle(const struct record_ui *record, struct text *out);	/* "": there is none */
/* Add "sudo", "pkexec" or nothing. */
void record_prefix(const struct record_ui *record, struct shell_words *words);
/* The words after "record"; -1: the text cannot be split into words. */
int record_words(struct record_ui *record, struct shell_words *words, struct ft_error *err);
void record_refresh(struct record_ui *record);		/* updates command line and mistakes */
void record_changed(struct record_ui *record);		/* the settings were edited: refreshes */
/* Take settings, given as words. */
void record_take_line(struct record_ui *record, const char *line, const char *name);

/* record_ask.c */
void record_ask_step(struct record_ui *record);		/* takes answers, asks the next */
void record_fill_doctor(struct record_ui *record);	/* fills the popup with what is known */

/* record_list.c */
void record_list_open(struct record_ui *record);		/* the selected field's choices */
/* The choices or the typed text changed. */
void record_list_fill(struct record_ui *record);
/* false: the key is not handled */
bool record_list_press(struct record_ui *record, ui_key key, enum request request);
bool record_has_list(enum record_row row);
/* The item under the cursor; NULL: none. */
const struct record_item *record_item_here(const struct record_ui *record);
bool record_item_ticked(const struct record_ui *record, const struct record_item *item);
/* Is it known that this kernel cannot record it?  Its description says why. */
bool record_item_refused(const struct record_ui *record, const struct record_item *item);
/* The item's name and description. */
void record_item_text(const struct record_ui *record, const struct record_item *item,
		      struct text *label, struct text *note);
/* The choices of a field; NULL: none. */
const struct capability_list *record_list_of(const struct record_ui *record, enum record_row row);

/* record_meaning.c */
const char *record_meaning(enum setup_field field, const char *name);	/* short; "": none known */

/* record_run.c */
void record_authorize(struct record_ui *record);	/* sudo asks for a password if it must */
void record_start(struct record_ui *record);
/* Is there a NAME.part of what was recorded? */
bool record_has_part(const struct record_ui *record);
void record_follow(struct record_ui *record);	/* shows the trace while it grows */
void record_run_step(struct record_ui *record);
void record_clock(const struct record_ui *record, struct text *out);	/* "● rec 00:12" */

/*
 * What a row of the form holds: that of the depth of calls holds the keys of timerlat, osnoise and
 * hwlat with these tracers.
 */
enum record_row record_shown_row(const struct record_ui *record, enum record_row row);

/* record_draw.c, record_draw_run.c */
const char *record_row_label(enum record_row row);
const char *record_row_help(enum record_row row);
void record_draw_run(struct record_ui *record);
#endif
