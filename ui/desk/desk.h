/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_DESK_DESK_H
#define FTOP_UI_DESK_DESK_H
/*
 * desk - what all parts of the screen share: the trace, the views, what covers them, what runs, and
 * messages.  Each of the folders above keeps its own part in a struct of its own, which the others
 * see through its headers alone.
 */
#include "src/match/search.h"
#include "ui/rows/shared.h"
#include "ui/screen/canvas.h"
#include "ui/screen/popup.h"
#include "ui/screen/prompt.h"
#include "ui/screen/term.h"
#include "ui/screen/theme.h"
#include "ui/desk/split.h"
#include "ui/view/tour.h"
#include "ui/view/view.h"

#define APP_MESSAGES	200
#define APP_RETURNS	16		/* places to which q returns */
#define SLICE_NS	4000000		/* ns of work between two checks for keys */
#define FILTER_TICK_MS	25		/* how often the screen follows the workers */
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
	bool	(*waits)(const struct app *app);	/* waits for others; NULL: it never does */
	void	(*progress)(const struct app *app, struct text *out);
	const char *stopped;	/* message when Esc ended it; NULL: end says it */
	bool	 saves;		/* other work does not end it */
};

/* What the folders above do for those below; all are set. */
struct desk_above {
	void	(*draw)(struct app *app);		/* draws at once */
	void	(*quit)(struct app *app);		/* asks first while a recording runs */
	void	(*opened)(struct app *app, enum view_id id);	/* a view was opened */
	void	(*trace_goes)(struct app *app);	/* drop what belongs to the trace */
};

struct app_options;			/* app_options.h */
struct finder;				/* finder.c */
struct hits;				/* hits.c */
struct app_session;				/* ui/session */
struct app_prompts;				/* ui/prompt */
struct app_loop;				/* ui/app */

struct app {
	const struct app_options *options;	/* borrowed */
	struct ui_term		*term;		/* NULL while a script plays */
	struct theme		 theme;
	bool			 theme_follows;	/* no theme was chosen: it follows the background */
	struct canvas		 canvas;
	struct shared		 shared;
	struct view_host	 host;		/* what the views call */
	enum view_id		 view_id;	/* the view shown, and what belongs to it: */
	const struct view_ops	*ops;		/* NULL on the start screen */
	struct view		*view;
	struct view		*views[NR_VIEWS];	/* owned; NULL: not opened yet */
	enum view_id		 first_view;	/* of a trace that is opened */
	bool			 first_is_last;	/* it opens where it was left last time */
	unsigned int		 files[NR_VIEWS];	/* [id]: file its cursor was in last */
	struct {			/* two views at once: split.c */
		enum split_wish wish;
		enum view_id	 view;	/* the other view */
		bool		 below;	/* the view shown is the lower one */
		int		 row, bottom;	/* row of the divider; first row below both views */
		int		 upper;	/* the most rows that the upper view needed */
		struct place	 at;	/* where the other view went last */
	}			 split;
	struct place		 moment;	/* the last known place under the cursor */
	bool			 behind;	/* the view's cursor moved, the shared one not
						 * yet */
	bool			 works;		/* the view has work for slices */
	int64_t			 works_since, works_told;	/* monotonic ns: start of the work,
								 * last progress message */
	bool			 progressed;	/* workers made progress that the view has not
						 * seen */
	int64_t			 progress_looked;	/* monotonic ns: when the view last followed
							 * progress */
	struct popup		 popup;
	struct prompt		 prompt;
	const struct typed	*typed;	/* in the prompt; NULL: nothing is typed */
	char			**stacks;	/* owned, [nr_stacks] owned: filters of steps */
	unsigned int		 nr_stacks, cap_stacks;
	struct text		 message;	/* shown on the bottom line, until the next key */
	bool			 message_is_error;
	bool			 message_from_end;	/* if too long, cut after the first word */
	int64_t			 message_at;	/* monotonic ns */
	char			*log[APP_MESSAGES];	/* owned, oldest first */
	unsigned int		 nr_log;
	const struct job	*job;	/* NULL: none runs */
	struct finder		*finder;	/* owned while a search runs */
	ui_key			 search_key;	/* key that began the search */
	struct hits		*hits;		/* owned; hits of the search pattern */
	int64_t			 job_started;	/* monotonic ns */
	bool			 pressed;	/* a key was pressed since the trace was opened */
	bool			 index_seen;	/* the finished page directory is shown */
	int64_t			 index_looked;	/* monotonic ns: when the screen last followed it */
	bool			 surveyed;	/* has_calls is known for this trace */
	bool			 has_calls;
	struct range		 before_window;	/* the range that the window of Now stands for */
	struct step		 returns[APP_RETURNS];	/* where q goes, newest last */
	unsigned int		 nr_returns;
	bool			 entering;	/* Enter causes the next jump */
	char			 next_kind;	/* what ] goes to: 't' task, 'e' event; 0: slow */
	bool			 opened_all;	/* the view's E opens, the next one closes */
	enum view_id		 kernel_from;	/* the view to which K returns, */
	struct place		 kernel_place;	/* and the place at which the text was entered */
	struct ui_mouse		 mouse;
	bool			 mouse_off;
	struct tour		 tour;		/* tour of the demo */
	bool			 quit;
	bool			 dirty;		/* the screen needs drawing */
	int64_t			 grew_at;	/* monotonic ns: since then, models begin again
						 * for rows that were added; 0: not so */
	bool			 suspend;
	struct app_session		*session;	/* owned: the parts of the folders above */
	struct app_prompts		*prompts;
	struct app_loop		*loop;
	const struct desk_above	*above;
};

/* shows it on the bottom line, and adds it to the list of messages */
void app_say(struct app *app, bool is_error, const char *text);
#define app_message(app, ...)	host_message(&(app)->host, __VA_ARGS__)
#define app_error(app, ...)	host_error(&(app)->host, __VA_ARGS__)
void app_say_warnings(struct app *app);		/* shows the warnings about the files, if any */
void app_copy(struct app *app, const char *what, const char *s, size_t len);
void app_open_prompt(struct app *app, const struct typed *typed, const char *label,
		     const char *text, struct prompt_history *history);
int app_load_theme(struct app *app, const char *name);	/* shows a message on error */
void app_begin_job(struct app *app, const struct job *job);
void app_end_job(struct app *app);		/* ends the job, if one runs */
void app_end_search(struct app *app);		/* ends the job, unless it saves a file */

/* The table that the view shows now, or NULL. */
static inline struct table *app_table(const struct app *app)
{
	return app->ops->table ? app->ops->table(app->view) : NULL;
}
#endif
