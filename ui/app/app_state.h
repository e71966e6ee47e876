/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_APP_STATE_H
#define FTOP_UI_APP_APP_STATE_H
/* app_state - what the files of the main loop share; and messages, prompts and quitting. */
#include "src/base/table_out.h"
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
#include "ui/app/view_table.h"
#include "ui/record/record.h"

#define APP_MIN_ROWS	15
#define APP_MIN_COLS	60
#define APP_MESSAGES	200
#define APP_RETURNS	16		/* places to which q returns */
#define SLICE_NS	4000000		/* ns of work between two checks for keys */
#define FILTER_TICK_MS	25		/* how often the screen follows the workers */
#define HITS_TICK_MS	100
#define PROGRESS_NS	200000000	/* after this long a job shows its progress */

/* What is typed on the bottom line, as the file that asks for it defines it.  Any may be NULL. */
struct typed {
	/* before the prompt gets the key; true: handled */
	bool	(*press)(struct app *app, ui_key key, enum request request);
	void	(*changed)(struct app *app);
	void	(*accepted)(struct app *app, const char *text);	/* the prompt is closed by then */
	void	(*cancelled)(struct app *app);			/* before it is closed */
	/* gets the messages meanwhile */
	void	(*say)(struct app *app, bool is_error, const char *text);
	bool	 filters;	/* the filters change with it */
	bool	 tries;		/* Esc undoes its jumps: they leave no trace */
};

/* Work that goes on in slices of the loop, until end. */
struct job {
	void	(*step)(struct app *app);
	void	(*end)(struct app *app);		/* frees what it holds */
	bool	(*waits)(const struct app *app);	/* for others: no slice now; NULL: never */
	void	(*progress)(const struct app *app, struct text *out);
	const char *stopped;	/* message when Esc ended it; NULL: end says it */
	bool	 saves;		/* other work does not end it */
};

/* Where the cursor was when A or B was set. */
struct mark_origin {
	struct place	place;
	bool		at_edge;	/* the mark is at the edge of what was under it */
};

struct filter_line {			/* filter_line.c */
	unsigned int	 at;		/* index in the stack of the filter being edited */
	char		*former;	/* owned: the former text, for Esc */
	bool		 was_off;
	bool		 stale;		/* the typed text is not applied yet */
	bool		 wrong;		/* the typed text has an error and cannot take effect */
	struct filter_word *words;	/* owned, [nr_words]: completions that Tab found */
	unsigned int	 nr_words;
	int		 word;		/* index of the word inserted in the text; -1: none yet */
	size_t		 word_from;	/* byte offset in the text where the word begins */
	struct text	 last_time;	/* filters of last time that a new one replaces; for Esc */
	struct filter_offers offers;	/* what Tab puts in the place of an error */
};

struct search_line {			/* search_line.c */
	char		*former;	/* owned: the former pattern, for Esc; NULL: none */
	struct step	 before;	/* where the search began */
	struct place	 anchor;	/* the row under the cursor then, and its line */
	unsigned int	 anchor_line;
	bool		 stale;		/* the typed text is not searched yet */
	bool		 searched;	/* the view follows while one types */
	struct text	 message;	/* what was found */
	bool		 is_error;
};

#define RECENT_MAX	9		/* a digit each */
#define RECENT_KEPT	5		/* of them that were opened before */

struct recent {				/* recent.c: a trace that the start screen offers */
	char		*path, *kept;	/* owned; kept: "2 marks", or "" */
	uint64_t	 size;		/* bytes */
	int64_t		 written;	/* s since 1970 */
};

struct finder;				/* finder.c */
struct hits;				/* hits.c */
struct task_picker;			/* task_picker.c */
void search_line_open(struct app *app);
void search_line_apply(struct app *app);	/* searches the typed text, unless it has */
void search_line_count(struct app *app);
void search_line_fini(struct search_line *line);

/* task_picker.c */
struct saver;				/* save_line.c: ask for a name */
void save_line_open(struct app *app, enum table_format format);
void save_line_cut(struct app *app);		/* of a trace.dat */
void save_line_perfetto(struct app *app);

/* save.c */
struct exporter;			/* save_perfetto.c */
struct watched;				/* reopen.c */

#define APP_BAR_SPOTS	48

struct bar_spot {			/* a key on the bottom line, with its word */
	int		 from;		/* its first cell */
	ui_key		 key;
};

struct app {
	const struct app_options *options;	/* borrowed */
	struct ui_term		*term;		/* NULL while a script plays */
	struct theme		 theme;
	bool			 theme_follows;	/* the background: none was chosen */
	struct canvas		 canvas;
	struct shared		 shared;
	struct view_host	 host;		/* what the views call */
	enum view_id		 view_id;	/* the view shown, and what belongs to it: */
	const struct view_ops	*ops;		/* NULL on the start screen */
	struct view		*view;
	struct view		*views[NR_VIEWS];	/* owned; NULL: not opened yet */
	unsigned int		 files[NR_VIEWS];	/* the cursor was in last: views_go() */
	struct {			/* two views at once: split.c */
		bool		 on;	/* wanted; shown where the screen is large enough */
		enum view_id	 view;	/* the other one */
		bool		 below;	/* the view shown is the lower one */
		int		 row, bottom;	/* of the line between them; below both */
		struct place	 at;	/* to which the other one went last */
	}			 split;
	char			 list_letters[48];	/* letters of the view's lists */
	struct place		 moment;	/* the last known place under the cursor */
	trace_ref		 trouble;	/* where ! went last, and the row under the cursor
						 * then; NONE: nowhere */
	trace_ref		 trouble_shown;
	bool			 behind;	/* the view's cursor moved, the shared one not
						 * yet */
	bool			 works;		/* the view has work for slices */
	int64_t			 works_since, works_told;	/* monotonic ns: start of the work,
								 * last progress message */
	bool			 progressed;	/* workers made progress that the view has not
						 * seen */
	int64_t			 progress_looked;	/* monotonic ns: when the view last followed
							 * progress */
	struct keymap		 keymap;
	struct popup		 popup;
	struct prompt		 prompt;
	const struct typed	*typed;	/* in the prompt; NULL: nothing is typed */
	struct prompt_history	 go_history, search_history, other_history, filter_history;
	struct filter_line	 filter_line;
	struct search_line	 search_line;
	struct filter_named	 named;		/* filters with names */
	char			**stacks;	/* owned, [nr_stacks] owned: filters of steps */
	unsigned int		 nr_stacks, cap_stacks;
	struct step		 before_filter;	/* the state when the filter line was opened */
	uint64_t		 filters_seen;	/* matches_version() when last drawn */
	int64_t			 filters_looked;	/* monotonic ns */
	bool		 filters_told;	/* said that a regular expression takes too many steps */
	bool		 filters_awaited;	/* filters need values of calls: not ready */
	struct text		 message;	/* on the bottom line, until the next key */
	bool			 message_is_error;
	bool			 message_from_end;	/* if too long, cut after the first word */
	int64_t			 message_at;	/* monotonic ns */
	char			*log[APP_MESSAGES];	/* owned, oldest first */
	unsigned int		 nr_log;
	const struct job	*job;	/* NULL: none runs */
	struct finder		*finder;	/* owned while a search runs */
	struct hits		*hits;		/* owned; hits of the search pattern */
	struct {			/* why_list.c */
		struct place	*places;	/* owned, [nr]: of its lines */
		unsigned int	 nr, cap;
		struct view_why	 asked;		/* by the job */
		unsigned int	 permille;	/* of the answer, or of the trace while it
						 * waits for that */
		bool		 waits;
	}			 why;
	struct task_picker	*picker;	/* owned; NULL until first used */
	struct saver		*saver;
	struct exporter		*exporter;	/* while a job saves for Perfetto */
	enum table_format	 save_format;	/* that the prompt asks a name for */
	int64_t			 job_started;	/* monotonic ns */
	int64_t			 job_told;	/* monotonic ns: when progress was last shown */
	bool			 pressed;	/* a key, since the trace was opened */
	int64_t			 pressed_at;	/* monotonic ns: the last key */
	bool			 index_seen;	/* the finished page directory is shown */
	int64_t			 index_looked;	/* monotonic ns: when the screen last followed it */
	bool			 surveyed;	/* of this trace: */
	bool			 has_calls;
	struct recent		 recent[RECENT_MAX];
	unsigned int		 nr_recent;
	unsigned int		 start_cursor;	/* selected line of the start screen */
	struct step		 returns[APP_RETURNS];	/* where Enter was pressed, newest last */
	unsigned int		 nr_returns;
	bool			 entering;	/* Enter causes the next jump */
	enum view_id		 kernel_from;	/* the view to which K returns, */
	struct place		 kernel_place;	/* and the place at which the text was entered */
	ui_key			 search_key;	/* that began the search */
	struct mark_origin	 mark_origins[2];	/* of A and B */
	struct ui_mouse		 mouse;
	struct bar_spot		 bar[APP_BAR_SPOTS];	/* as drawn last, from the left */
	unsigned int		 nr_bar;	/* 0: the bottom line has no keys */
	int			 bar_end;	/* the cell after the last word */
	bool			 mouse_off;
	struct text		 identity;	/* identity of the trace, as kept.h defines it */
	struct text		 config;	/* the file of settings */
	struct text		 config_wrong;	/* mistakes in it, a line for each */
	struct text		 remembered;	/* lines of views, as they were loaded */
	struct range		 window;	/* to be shown from the first drawing on */
	bool			 has_kept;	/* its marks are in a state or session file */
	struct watched		*watched;	/* owned, for each file: reopen.c */
	int64_t			 watch_looked;	/* monotonic ns */
	struct list_choice	*choices;	/* owned, of the list that o opens */
	struct tour		 tour;		/* tour of the demo */
	bool			 hint[NR_VIEWS];	/* show a hint to users new to the view */
	struct record_host	 record_host;
	struct record_ui		*record;	/* owned; NULL until first used */
	struct text		 farewell;	/* for stderr, when the terminal is restored */
	bool			 interrupted;	/* the last key was ^C, and had nothing to stop */
	bool			 quit;
	int			 signal;	/* the signal that ended the loop; 0: none */
	bool			 dirty;		/* the screen needs drawing */
	bool			 suspend;
};

/* app.c */
void app_init(struct app *app, const struct app_options *options);
void app_fini(struct app *app);

/* app_state.c */
/* on the bottom line, and into the list of messages */
void app_say(struct app *app, bool is_error, const char *text);
#define app_message(app, ...)	host_message(&(app)->host, __VA_ARGS__)
#define app_error(app, ...)	host_error(&(app)->host, __VA_ARGS__)
void app_say_notes(struct app *app);		/* shows the notes on the files, if any */
void app_copy(struct app *app, const char *what, const char *s, size_t len);
void app_open_prompt(struct app *app, const struct typed *typed, const char *label,
		     const char *text, struct prompt_history *history);
int app_load_theme(struct app *app, const char *name);	/* shows a message on error */
void app_begin_job(struct app *app, const struct job *job);
void app_end_job(struct app *app);		/* if there is one */
void app_end_search(struct app *app);		/* the same, unless it saves */
void app_quit(struct app *app);			/* asks first while a recording runs */

/* press.c */
void press_key(struct app *app, ui_key key);

/* frame.c */
void frame_draw(struct app *app);
int frame_detail_rows(struct app *app);	/* of the view that is shown, as the option is now */
bool frame_mouse(struct app *app);	/* handles a click above the view; false: there was none */
bool frame_list_tab(struct app *app);	/* handles a click on the name of a list */
ui_key frame_bar_key(const struct app *app);	/* pressed on the bottom line; UI_KEY_NONE: none */

/* split.c */
bool split_shown(const struct app *app);	/* the screen has room, too */
void split_switch(struct app *app, bool on);
void split_restore(struct app *app, enum view_id other, bool below);	/* of the view shown */
void split_toggle(struct app *app);
void split_open(struct app *app);		/* there is another trace */
void split_focus(struct app *app);		/* the keys go to the other view */
void split_mouse(struct app *app);		/* they go to the view at the pointer */
void split_draw(struct app *app, const struct view_area *area);	/* both, and publishes */

/* views.c: open views, and moving between places */
/* at the moment under the cursor; a message if this version lacks the view */
void views_show(struct app *app, enum view_id id);
void views_open(struct app *app, enum view_id id);	/* without showing it */
/* view_ops.go, or, where the cursor moved to another file, show_file */
bool views_go(struct app *app, enum view_id id, const struct place *place);
void views_retrace(struct app *app); /* shared.trace changed; opens
						   the first view if none is */
void views_close(struct app *app);
void views_publish(struct app *app);		/* makes the view's cursor the shared one */
void views_back(struct app *app, bool back);	/* ( and ) */
/* Opens the kernel's text, or returns: to the row that was left, or to the place visited since. */
void views_kernel_text(struct app *app);
bool views_return(struct app *app);	/* to where Enter came from; false: it led nowhere */
void views_leave(struct app *app);	/* remembers the current state, which is about to change */
struct step views_now(struct app *app);		/* the current state, for places_leave() */
void views_forget_stacks(struct app *app);	/* forgets the filter stacks of the steps */
void views_step(struct app *app);	/* runs a slice of the view's work, if there is any */
void views_follow(struct app *app);	/* reports progress of workers to the view, now and then */
bool views_await(const struct app *app);	/* there is progress to report to the view */
void views_changed(struct app *app);		/* the display options changed */
void views_index_moved(struct app *app);		/* the page directory grew */
/* As ui/view/host.h says: */
void views_jump_to(struct app *app, const struct place *place);
void views_jump_time(struct app *app, int64_t ts, int cpu);
void views_jump(struct app *app, trace_ref ref);	/* to a row */
void views_show_at(struct app *app, enum view_id id, const struct place *place);
void views_entering(struct app *app);
void views_leave_zoom(struct app *app);
void views_work(struct app *app);
void views_jump_to_place(struct app *app, const struct place *place);	/* tells if it is hidden */
/* as the view shows it */
void views_event_line(struct app *app, const struct trace_event *event, struct text *out);
void views_take_letters(struct app *app);	/* of the lists of the view that is shown */
void views_letters(const struct app *app, struct text *out);	/* that may follow the key */

/* actions.c: the view handles a request first, then the common code */
void actions_request(struct app *app, enum request request, char letter);

/* view_list.c, message_list.c, mark_list.c */
void view_list_open(struct app *app);
void message_list_open(struct app *app);
void mark_list_open(struct app *app);

/* copy_command.c */
void copy_command(struct app *app);

/* place_line.c: ":" */
void place_line_open(struct app *app);

/* commands.c */
/* "w FILE"; shows an error if there is no such command */
void commands_run(struct app *app, const char *s);
/* What it means, for who types it; false: no command begins so. */
bool commands_hint(const struct app *app, const char *s, struct text *out);
void commands_list(struct text *out);		/* " w e set …" */
/* Command @i, from 0, as it is typed: sets @words.  Return: what it does; NULL past the last. */
const char *commands_describe(unsigned int i, struct text *words);
/* Those that begin with @len bytes.  Return: their number; *@words is owned by the caller. */
unsigned int commands_complete(const char *begin, size_t len, struct filter_word **words);

/* columns.c */
void columns_open(struct app *app);
void columns_open_sort(struct app *app);

/* options.c */
void options_open(struct app *app);
void options_set(struct app *app, const char *words);	/* "NAME VALUE"; "": the list */
/* Name of option @i, from 0; @help: set to what it does and takes.  NULL past the last. */
const char *options_describe(unsigned int i, struct text *help);

/* The value of an option; *why: what is wrong.  False: no option has the name. */
bool options_apply(struct app *app, const char *name, const char *value, struct text *why);

void options_of_trace(struct app *app);	/* those that a new trace begins with */

/* config.c */
void config_read(struct app *app);
/* of the file as read; false: not there */
bool config_value(const struct app *app, const char *name, char *value, size_t size);
void config_apply(struct app *app);		/* its options */
void config_tell(struct app *app);		/* its mistakes */
/* what views begin with, as remember.c has it */
void config_view_lines(const struct app *app, struct text *out);
void config_save(struct app *app, const char *name, const char *value);

/* lists.c */
void lists_open(struct app *app, char letter);	/* o and a letter */
void lists_step(struct app *app, int step);	/* Tab */
void lists_carry(struct app *app, struct list_choice list);	/* unless it has no row */

/* filter_line.c */
void filter_line_open(struct app *app, bool add);
/* instead of the top of the stack */
void filter_line_set(struct app *app, const char *text);
/* applies the typed text if it is not applied yet */
void filter_line_apply(struct app *app);
/* Tab lists words, then takes one; S-Tab the one before.  False: another key. */
bool filter_line_tab(struct app *app, ui_key key);
void filter_line_changed(struct app *app);
void filter_line_count(struct app *app);
void filter_line_fini(struct filter_line *line);
/* As ui/view/host.h says: */
void filter_line_by(struct app *app, const char *name, const char *value, bool without);
void filter_line_by_process(struct app *app, unsigned int file, int pid, int64_t ts, bool without);
void filter_line_rows_around(struct app *app, bool more);

/* a trace was opened, or the named filters changed */
void filter_list_read(struct app *app); /* after a trace was opened or
						   the file of filters changed */
void filter_list_open(struct app *app);
/* saves the current filter under a name */
void filter_list_keep(struct app *app, const char *name);
/* pairs.c */
void pairs_read(struct app *app);
/*
 * What Tab completes in ":pair …", for filter_complete(): only words of this kind, or all (-1).
 * @shift: from its bytes to those of the line.  False: nothing.
 */
bool pairs_filter(const char *line, size_t at, struct text *filter, ptrdiff_t *shift, int *kind);
void pairs_add(struct app *app, const char *pair);	/* "": says which there are */

void filter_history_read(struct app *app);	/* filters typed in earlier sessions */
void filter_history_keep(struct app *app);

void filter_line_switch(struct app *app);
void filter_line_dim(struct app *app);

/* task_picker.c */
void picker_open(struct app *app);
void picker_progressed(struct app *app);		/* workers made progress */
bool picker_is_stale(const struct app *app);
bool picker_waits(const struct app *app);	/* is its list empty, and not read to its end? */
void picker_follow(struct app *app);			/* shows the counts of the workers */
void picker_drop(struct app *app);			/* the trace is closed */

/* why_list.c */
void why_list_open(struct app *app);		/* of what is under the cursor */
void why_list_ask(struct app *app, bool marks);	/* @marks: of A–B */
bool why_list_forget(struct app *app);		/* takes the row of parts away; false: none */
void why_list_drop(struct app *app);			/* the trace is closed */

/* hits.c */
struct matches *hits_of_pattern(struct app *app);	/* starts the search; NULL: not available */
void hits_drop(struct app *app);
void hits_refresh(struct app *app);	/* the rows searched, or their text, may have changed */
bool hits_await(const struct app *app);			/* there are more hits than were drawn */
void hits_follow(struct app *app);

/* finder.c */
void finder_find(struct app *app, const struct find *find);	/* as ui/view/host.h says */
void finder_search_for(struct app *app, const char *text, bool forward);
/*
 * A key was pressed while a search runs, which would act on the place that the search leaves: waits
 * a moment for the result, else ends the search.  False: drop the key.
 */
bool finder_takes_key(struct app *app, ui_key key);
bool finder_runs(struct app *app, bool stop);	/* a search of ours or of the view; ends it */

/* save_line.c: ask for a name */
void save_line_open(struct app *app, enum table_format format);
void save_line_cut(struct app *app);		/* of a trace.dat */
void save_line_perfetto(struct app *app);

/* save.c */
bool save_takes_matches(const struct app *app);	/* all rows that the filter keeps, not the window */
void save_progress(const struct app *app, struct text *out);	/* of the jobs */
void save_start(struct app *app, const char *path, enum table_format format);
void save_cut(struct app *app, const char *path);	/* the range, what filters keep */

/* save_perfetto.c */
void save_perfetto_start(struct app *app, const char *path);

/* reopen.c */
void reopen_with(struct app *app, struct trace *trace);	/* takes ownership; replaces the trace */
void reopen_close(struct app *app);
bool reopen_file(struct app *app, const char *path);	/* on error says so, and the trace stays */
/* of a latency tracer: from its text to its records, and back */
void reopen_other(struct app *app);
void reopen_same(struct app *app);	/* rereads the files; keeps the marks and the place */
void reopen_offset(struct app *app, const char *word);	/* ":offset"; "": shows the offsets */
void reopen_watch(struct app *app);		/* checks once a second if a file changed on disk */
void reopen_rest(struct app *app);	/* a text whose head was shown first is read */
void reopen_keep(struct app *app);		/* saves marks and notes for the next time */
void reopen_save_session(struct app *app);	/* saves the same into a file next to the trace */

/* The table that the view shows now, or NULL. */
static inline struct table *app_table(const struct app *app)
{
	return app->ops->table ? app->ops->table(app->view) : NULL;
}

/* remember.c: the place, the view, and what the views keep of a trace, as lines */
extern const char *const remember_time_names[];
void remember_set_time(struct app *app, const char *name);
void remember_save(struct app *app, struct text *out);
void remember_load(struct app *app, const struct text *lines);
/* A view can take its window once it was drawn.  True: it has, draw it again. */
bool remember_window(struct app *app);
void remember_view_opened(struct app *app, enum view_id id);

/* record_screen.c */
void record_screen_init(struct app *app);
struct record_ui *record_screen(struct app *app);	/* created on first use */

/* recent.c */
void recent_find(struct app *app);
void recent_free(struct app *app);
/* size, age, what is kept */
void recent_describe(const struct recent *recent, struct text *out);

/* start.c */
void start_draw(struct app *app);
void start_press(struct app *app, ui_key key, enum request request);

/* newcomer.c */
void newcomer_count(struct app *app);	/* a view was opened: decides whether to show its hint */

/* script.c */
int script_run(struct app *app, const char *path, struct ft_error *err);
#endif
