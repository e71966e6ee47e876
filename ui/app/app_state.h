/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_STATE_H
#define FTOP_UI_APP_STATE_H
/*
 * app_state - what the parts of the screen's loop share: app.c, actions.c, commands.c,
 * filter_line.c, finder.c, frame.c, hits.c, lists.c, newcomer.c, options.c, record*.c, reopen.c, save.c, start.c, script.c, views.c.
 */
#include "src/match/search.h"
#include "ui/app/app.h"
#include "ui/screen/canvas.h"
#include "ui/screen/keymap.h"
#include "ui/screen/popup.h"
#include "ui/screen/prompt.h"
#include "ui/rows/shared.h"
#include "ui/screen/term.h"
#include "ui/screen/theme.h"
#include "ui/view/tour.h"
#include "ui/view/view.h"

#define APP_MIN_ROWS	15
#define APP_MIN_COLS	60
#define APP_MESSAGES	200
#define APP_RETURNS	16		/* places that q leads back to */
#define SLICE_NS	4000000		/* work between two looks at the keys */
#define FILTER_TICK_MS	25		/* how often the screen follows what workers do */
#define HITS_TICK_MS	100
#define PROGRESS_NS	200000000	/* then a job says how far it is */

enum prompt_kind { PROMPT_NONE, PROMPT_GO, PROMPT_SEARCH, PROMPT_NOTE, PROMPT_SAVE, PROMPT_POPUP_SEARCH,
		   PROMPT_THRESHOLD, PROMPT_OPEN, PROMPT_FILTER, PROMPT_PICK,
		   PROMPT_RECORD, PROMPT_RECORD_FILTER, PROMPT_RECORD_NAME };

enum job_kind { JOB_NONE, JOB_SURVEY, JOB_FIND, JOB_SAVE };

struct filter_line {			/* filter_line.c */
	unsigned int	 at;		/* of the stack: what is typed */
	char		*former;	/* owned: what was there before, for Esc */
	bool		 was_off;
	bool		 stale;		/* what is typed is not in force yet */
	bool		 wrong;		/* and will not be: there is an error in it */
	struct filter_word *words;	/* owned, [nr_words]: Tab found them */
	unsigned int	 nr_words;
	int		 word;		/* the one that stands in the text; -1: none yet */
	size_t		 word_from;	/* byte of the text where it begins */
};

struct finder;				/* finder.c */
struct hits;				/* hits.c */
struct picker;				/* task_picker.c */
struct record;				/* record.h */
struct saver;				/* save.c */
struct watched;				/* reopen.c */

struct app {
	const struct app_options *options;	/* borrowed */
	struct ui_term		*term;		/* NULL while a script plays */
	struct theme		 theme;
	struct canvas		 canvas;
	struct shared		 shared;
	enum view_id		 view_id;	/* the view shown, and what belongs to it: */
	const struct view_ops	*ops;		/* NULL on the start screen */
	struct view		*view;
	struct view		*views[NR_VIEWS];	/* owned; NULL: not opened yet */
	char			 list_letters[16];	/* of its lists */
	struct place		 moment;	/* under the cursor, when something was last */
	trace_ref		 trouble;	/* where ! led last, and the row that was under the cursor then; NONE: nowhere */
	trace_ref		 trouble_shown;
	bool			 behind;	/* the view's cursor moved, the shared one not yet */
	bool			 works;		/* it wants slices */
	int64_t			 works_since, works_told;	/* monotonic ns */
	bool			 progressed;	/* workers did something that it was not told of yet */
	int64_t			 progress_looked;	/* monotonic ns */
	struct keymap		 keymap;
	struct popup		 popup;
	struct prompt		 prompt;
	enum prompt_kind	 prompt_kind;
	struct prompt_history	 go_history, search_history, other_history, filter_history;
	struct filter_line	 filter_line;
	struct filter_named	 named;		/* filters with names */
	char			**stacks;	/* owned, [nr_stacks] owned: stacks of filters that steps lead back to */
	unsigned int		 nr_stacks, cap_stacks;
	struct step		 before_filter;	/* how it was when the filter line was opened */
	uint64_t		 filters_seen;	/* matches_version() of what is shown */
	int64_t			 filters_looked;	/* monotonic ns */
	bool		 filters_told;	/* that a regular expression of theirs takes too many steps */
	bool		 filters_awaited;	/* what they ask of calls is being worked out */
	struct text		 message;	/* of the bottom line, until the next key */
	bool			 message_is_error;
	bool			 message_from_end;	/* its end says most: where it is too long, what is behind the first word goes */
	int64_t			 message_at;	/* monotonic ns */
	char			*log[APP_MESSAGES];	/* owned, oldest first */
	unsigned int		 nr_log;
	enum job_kind		 job;
	struct finder		*finder;	/* owned while it runs */
	struct hits		*hits;		/* owned; of the pattern */
	struct picker		*picker;	/* owned; NULL until it is asked for */
	struct saver		*saver;
	int64_t			 job_started;	/* monotonic ns */
	int64_t			 job_told;	/* when the bottom line said last how far it is */
	bool			 index_seen;	/* what is shown is of the finished page directory */
	int64_t			 index_looked;	/* monotonic ns, when the screen followed it last */
	bool			 surveyed;	/* of this trace: */
	bool			 has_calls;
	unsigned int		 start_cursor;	/* line of the start screen */
	struct step		 returns[APP_RETURNS];	/* where Enter came from, newest last */
	unsigned int		 nr_returns;
	bool			 entering;	/* the next jump is Enter's */
	enum view_id		 kernel_from;	/* K leads back there from the kernel's text, */
	struct place		 kernel_place;	/* which was entered here */
	struct ui_mouse		 mouse;
	bool			 mouse_off;
	struct text		 identity;	/* of the trace, as kept.h has it */
	bool			 has_kept;	/* marks of it are in the user's state, or beside it */
	struct watched		*watched;	/* owned, for each file: reopen.c */
	int64_t			 watch_looked;	/* monotonic ns */
	struct list_choice	*choices;	/* owned, of POPUP_LISTS */
	struct tour		 tour;		/* of the demo */
	bool			 hint[NR_VIEWS];	/* for who is new to the view */
	struct record		*record;	/* owned; NULL until it is asked for */
	char			 prompt_label[96];
	struct text		 farewell;	/* said on stderr when the terminal is the shell's again */
	bool			 quit;
	int			 signal;	/* that ended us */
	bool			 dirty;		/* something to draw */
	bool			 suspend;
};

/* app.c */
void app_init(struct app *app, const struct app_options *options);
void app_fini(struct app *app);
int64_t app_now_ns(void);
void app_press(struct app *app, ui_key key);
void app_draw(struct app *app);			/* frame.c */
bool app_mouse_above(struct app *app);		/* frame.c: what was pressed above the view; false: nothing was */
void app_open_prompt(struct app *app, enum prompt_kind kind, const char *label, const char *text,
		     struct prompt_history *history);
int app_load_theme(struct app *app, const char *name);	/* says what is wrong */
void app_say_notes(struct app *app);		/* what is wrong with the files, where anything is */
void app_index_moved(struct app *app);		/* what the page directory tells may be other */
void app_quit(struct app *app);			/* asks first where a recording runs */

/* views.c: those that are open, and the way from one place to another */
void views_show(struct app *app, enum view_id id);	/* at the moment under the cursor; says so if there is none such */
void views_retrace(struct app *app);		/* shared.trace is another one; opens the first view if none is */
void views_close(struct app *app);
void views_publish(struct app *app);		/* the shared cursor is that of the view, whatever it did */
void views_back(struct app *app, bool back);	/* ( and ) */
bool views_return(struct app *app);		/* to where Enter came from; false: it was not Enter that led here */
void views_leave(struct app *app);		/* remember how it is: something is about to be another */
struct step views_now(struct app *app);		/* how it is, for places_leave() */
void views_forget_stacks(struct app *app);	/* the steps are gone */
void views_step(struct app *app);		/* a slice for the view, if it wants one */
void views_follow(struct app *app);		/* tells it what workers did, now and then */
bool views_await(const struct app *app);	/* there is something to tell it */
void app_changed(struct app *app);		/* how things are shown is another */
void app_jump_to_place(struct app *app, const struct place *place);	/* and says so where a filter hides it */
void app_event_line(struct app *app, const struct trace_event *event, struct text *out);	/* as the view shows it */
void app_letters(const struct app *app, struct text *out);	/* those that the pending key waits for */

/* actions.c: the view first, then what all have in common */
void actions_request(struct app *app, enum request request, char letter);
void app_set_threshold(struct app *app, int64_t ns);	/* and say it */

/* commands.c: what a prompt, a popup or a request does */
void commands_go_hint(struct app *app);		/* what stands in the go prompt means this */
void commands_go(struct app *app, const char *text);
void commands_popup_chosen(struct app *app, bool toggled);
void commands_open_marks(struct app *app);
void commands_open_columns(struct app *app);
void commands_open_messages(struct app *app);
void commands_copy_command(struct app *app);
void commands_detail(struct app *app);
void commands_range(struct app *app);

/* options.c */
void options_open(struct app *app);
void options_set(struct app *app, const char *words);	/* "NAME VALUE"; "": the list */
void options_step(struct app *app, int id);	/* the next value of the list's line */

/* lists.c */
void lists_open(struct app *app, char letter);	/* o and a letter */
void lists_step(struct app *app, int step);	/* Tab */
void lists_take(struct app *app, int choice);	/* of the popup */

/* filter_line.c */
void filter_line_open(struct app *app, bool add);
void filter_line_apply(struct app *app);	/* what is typed, if it is not in force yet */
bool filter_line_accept(struct app *app);	/* false: there is an error in it */
void filter_line_cancel(struct app *app);	/* the former one is back */
void filter_line_complete(struct app *app, int step);	/* Tab: what may stand here; again: the next of it */
void filter_line_changed(struct app *app);
void filter_line_count(struct app *app);
void filter_line_fini(struct filter_line *line);

/* filter_list.c: filters with names */
void filter_list_read(struct app *app);		/* a trace is there, or they changed */
void filter_list_open(struct app *app);
void filter_list_take(struct app *app, int i);	/* of the popup */
void filter_list_keep(struct app *app, const char *name);	/* what is in force */
void filter_history_read(struct app *app);	/* of former sittings */
void filter_history_keep(struct app *app);

void filter_switch(struct app *app);
void filter_dim(struct app *app);

/* task_picker.c */
void picker_open(struct app *app);
void picker_press(struct app *app, ui_key key);	/* while it is open: PROMPT_PICK */
void picker_progressed(struct app *app);		/* workers did something */
bool picker_is_stale(const struct app *app);
void picker_follow(struct app *app);			/* what they counted since is shown */
void picker_drop(struct app *app);			/* the trace ends */

/* hits.c */
struct matches *hits_of_pattern(struct app *app);	/* looked for from now on; NULL: there are none to be had */
void hits_drop(struct app *app);
void hits_refresh(struct app *app);			/* what is searched among, or what lines show, may be another */
bool hits_await(const struct app *app);			/* there are more than are drawn */
void hits_follow(struct app *app);

/* finder.c */
void finder_step(struct app *app);		/* one slice of a search */
bool finder_waits(const struct app *app);	/* workers look for what it wants: there is no hurry with the next slice */
void finder_cancel(struct app *app);
void finder_progress(const struct app *app, struct text *out);

/* save.c */
void save_start(struct app *app, const char *path);
void save_propose(const struct app *app, struct text *out);
void save_step(struct app *app);
void save_cancel(struct app *app);

/* reopen.c */
void app_use_trace(struct app *app, struct trace *trace);	/* owned from here on; in place of what is shown */
void app_drop_trace(struct app *app);
bool reopen_file(struct app *app, const char *path);	/* says what is wrong with it; the trace shown stays then */
void reopen_same(struct app *app);		/* reads the files again; marks and place are kept */
void reopen_watch(struct app *app);		/* says that a file changed on disk; looks once a second */
void reopen_keep(struct app *app);		/* marks and notes, for the next time */
void reopen_save_session(struct app *app);	/* the same into a file beside the trace */

/* record.c and what belongs to it (record.h) */
struct pollfd;
void record_open(struct app *app);
void record_fill(struct app *app, const char *words);	/* with words of ftop-trace record; not over what the user chose */
void record_fini(struct app *app);
bool record_shown(const struct app *app);
bool record_running(const struct app *app);
bool record_press(struct app *app, ui_key key);		/* false: not for it */
void record_draw(struct app *app);
const char *record_key_bar(const struct app *app);	/* NULL: it has none to show */
const char *record_question(const struct app *app);	/* the user is asked this; NULL: nothing */
bool record_ask_quit(struct app *app);			/* true: a recording runs, and the user is asked */
void record_prompt_accepted(struct app *app, const char *text);
void record_filter_accepted(struct app *app, const char *text);
void record_save_accepted(struct app *app, const char *name);
void record_open_doctor(struct app *app);
void record_stop(struct app *app);
void record_status_text(const struct app *app, struct text *out);	/* "● rec 00:12"; nothing where none runs */
#define RECORD_MAX_FDS	4
unsigned int record_fds(const struct app *app, struct pollfd *fds);
int record_timeout_ms(const struct app *app);		/* -1: nothing is waited for */
void record_step(struct app *app);			/* takes what other programs said */
void record_look(struct app *app);			/* what stands in the way, for who has not opened it yet */
bool record_obstacle_line(const struct app *app, struct text *out);	/* false: not known yet */
unsigned int record_in_the_way(const struct app *app);

/* start.c */
void start_draw(struct app *app);
void start_press(struct app *app, ui_key key);

/* newcomer.c */
void newcomer_count(struct app *app);		/* the view shown was opened: decides whether there is a hint */

/* script.c */
int script_run(struct app *app, const char *path, struct ft_error *err);
#endif
