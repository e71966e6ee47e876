/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_VIEW_H
#define FTOP_UI_VIEW_VIEW_H
/*
 * view - what a view offers to the screen: struct view_ops, with functions that each view has and
 * tables for optional features. host.h has what a view may ask of the screen. Views know the shared
 * state and the canvas, but not each other. A view is opened when it is first shown, and closed
 * with the trace.
 *
 * README.md says what a new view needs.
 */
#include <stdbool.h>
#include "ui/screen/canvas.h"
#include "ui/screen/key.h"
#include "ui/screen/request.h"
#include "src/filter/filter.h"
#include "src/model/list_source.h"
#include "ui/rows/shared.h"
#include "ui/view/host.h"

struct table;				/* ui/table */
struct view;				/* opaque: each view's folder defines it */

struct view_area {			/* rows of the canvas, whole width */
	struct canvas	*canvas;
	int		 top, rows;
};

/* A view's name and help of a request, used instead of the request table's. */
struct view_word {
	enum request	 request;
	const char	*bar;		/* word in the key bar; NULL: the request table's */
	const char	*help;		/* NULL: the request table's */
};

/* Text of the key bar and the help for a view. */
struct view_keys {
	const enum request *bar;	/* requests of the key bar, in order; ended by REQ_NONE */
	enum view_id	 view;		/* what REQ_VIEW shows, if it is one of them */
	const enum request *row;	/* for the help: act on the row under
					   the cursor; ended by REQ_NONE */
	const struct view_word *words;	/* ended by REQ_NONE; NULL: none */
	const struct view_word *more_words;	/* as those, where they have none */
	/*
	 * For the key bar: can it act now?  Help and options always can.  NULL: all can, in a table
	 * that has rows
	 */
	bool		 (*can)(struct view *view, enum request request);
	/* its word in the key bar now; NULL: the one in words.  May be NULL */
	const char	*(*word)(struct view *view, enum request request);
	/* replaces the key bar, or NULL; may be NULL */
	const char	*(*pending_hint)(struct view *view);
};

/* The pane below the rows, about the row under the cursor. */
struct view_detail {
	/* rows, with its divider; 0: none.  NULL: those that its sentences need */
	int		 (*rows)(struct view *view, int normal, int most);
	/* draws all of it; NULL: what say() appends is drawn */
	void		 (*draw)(struct view *view, const struct view_area *area, int max_rows);
	/* Appends what it is, and sentences about it, or nothing; of a table, if that has rows. */
	void		 (*say)(struct view *view, struct text *heading, struct text *words);
};

struct view_lists {
	const struct list_tab *all;	/* in the order of Tab, ended by letter 0 */
	/* the ones that there are now, if not all; NULL: all */
	const struct list_tab *(*now)(struct view *view);
	bool		 tabs;		/* their names are in the view's first row (list_tabs.h) */
	/*
	 * For list_tabs_line(): says which part of the trace the rows are about.  A larger @less
	 * makes it shorter.
	 */
	void		 (*scope)(const struct view *view, unsigned int less, struct text *out);
	unsigned int	 nr_scopes;	/* @less is below that */
	bool		 keeps_scope;	/* the names leave room for the least of it */
	char		 (*shown)(struct view *view);	/* letter of the list shown */
	/* false: the list is empty */
	bool		 (*choose)(struct view *view, char letter);
};

struct view_columns {			/* columns to show or hide, numbered from 0 */
	unsigned int	 (*count)(struct view *view);
	const char	*(*name)(struct view *view, unsigned int i, bool *shown, const char **help);
	void		 (*toggle)(struct view *view, unsigned int i);
};

/* The question what a task's time was spent on. */
struct view_why {
	struct place	 of;		/* its task, or the one that runs on its CPU then */
	int64_t		 from, to;	/* the interval; both the same: the task's state then */
};

/* The answer to that question, a list. */
struct view_why_list {
	struct text	*title;		/* the title is appended to it */
	/* @words go on below themselves, behind @head; @place: where Enter goes */
	void		 (*line)(void *arg, const char *head, const char *words,
				 const struct place *place);
	void		*arg;
	unsigned int	 permille;	/* progress, if it is not complete */
};

/* LATER: wait for workers; MORE: call again. */
enum view_why_result { VIEW_WHY_NONE, VIEW_WHY_LATER, VIEW_WHY_MORE, VIEW_WHY_LISTED };

/* Times of a view that do not come from rows. */
struct view_moments {
	/* restored by place-back; false: it has none yet, since it was not drawn; may be NULL */
	bool		 (*window)(struct view *view, int64_t from, int64_t to);
	/*
	 * The start, or the @end, of the call, run or wait under the cursor, for A and B.  False:
	 * use the cursor.
	 */
	bool		 (*span)(struct view *view, bool end, struct place *place);
	/*
	 * Adds or removes a row for an event or one of its fields ("cpu_frequency.state"); may be
	 * NULL.
	 */
	bool		 (*plot)(struct view *view, const char *what);
	/*
	 * Adds a pair of events (src/latency/latency_kinds.h) to shared->pairs, and goes to its
	 * row; -1: it is wrong, or the trace has no such events.  May be NULL.
	 */
	int		 (*pair)(struct view *view, const char *pair, struct ft_error *err);
	/*
	 * Work for about @ns on what the task did; call it again while it returns MORE or LATER.
	 * LISTED: @list has the answer.  NONE: there is no answer, and the view has said why.
	 * @list NULL ends a question that is not answered yet; @why NULL too: an answered one as
	 * well.  Both return LISTED if the question had been answered.  May be NULL.
	 */
	enum view_why_result (*why)(struct view *view, const struct view_why *why, int64_t ns,
				    struct view_why_list *list);
};

/* Searches in rows that are not events. */
struct view_search {
	/* NULL: the table's names and words, if there is one; else, or if false, events */
	bool		 (*find)(struct view *view, const struct find *find);
	/* Is the view searching by itself?  @stop: end that search.  NULL: it never does. */
	bool		 (*runs)(struct view *view, bool stop);
	/* NULL, or false: only this task is shown instead */
	bool		 (*pick_task)(struct view *view, unsigned int file, int pid);
};

/* Makes lines as the view shows them now, for use in other threads. */
struct line_maker {
	struct filter_lines lines;
	struct text	 key;		/* owned: equal keys make equal lines */
	void		 (*free)(struct line_maker *maker);
};

/* Rows that are events, as text: for searches, copies and S t. */
struct view_lines {
	/* the line for searches and y */
	void		 (*line)(struct view *view, const struct trace_event *event,
				 struct text *out);
	/* the line with the columns shown; @above: ts of the event saved before it, or NULL */
	void		 (*save)(struct view *view, const struct trace_event *event,
				 const int64_t *above, struct text *out);
	/*
	 * A new maker of line()'s text, or NULL.  @words: numbers may be left out, as the pattern
	 * is one word with letters.
	 */
	struct line_maker *(*maker)(struct view *view, bool words);
};

/* Commands of ftop-trace that save, print and record what the view shows. */
struct view_commands {
	bool		 whole_trace;	/* without a range, command() prints
					   the whole trace, not the window */
	/* "graph --cpu 1": the command that prints it */
	void		 (*command)(struct view *view, struct text *out);
	/*
	 * If rows are not events: the i-th line (from 0) that S t saves of the range; false: there
	 * are no more.
	 */
	bool		 (*save_row)(struct view *view, uint64_t i, struct text *out);
	const char	*(*record)(struct view *view);	/* arguments of ftop-trace record for
							   missing data, or NULL; may be NULL */
};

/* Work that takes longer than a few ms. */
struct view_work {
	/*
	 * Works for about @ns after host_work(); true: there is more to do.  NULL: workers do all
	 * of it.
	 */
	bool		 (*slice)(struct view *view, int64_t ns);
	/* progress for the bottom line; may be NULL */
	void		 (*text)(struct view *view, struct text *out);
	/*
	 * A worker's job has ended: is there anything new to draw?  NULL: always.  While a trace
	 * grows, a view without this is drawn each time that it has grown.  A view with this is
	 * drawn once a second, and when this returns true.
	 */
	bool		 (*progressed)(struct view *view);
	/*
	 * Takes what workers have made, and begins again if filters or the range changed.  Called
	 * before each drawing, and if a job ended, which draws again.  May be NULL.
	 */
	void		 (*take)(struct view *view);
	/* it moves by itself: take is called many times a second.  NULL: it never does */
	bool		 (*moves)(struct view *view);
	/* it has no rows yet, but may get some soon: keys wait for them.  May be NULL */
	bool		 (*waits)(struct view *view);
};

/*
 * What of a view comes back when the trace is opened again, besides its list: lines of a key and a
 * value.
 */
struct view_kept {
	void		 (*save)(struct view *view, struct text *out);	/* adds "key value\n" */
	/* called for each; the file is not trusted: unknown keys and values are ignored */
	void		 (*restore)(struct view *view, const char *key, const char *value);
};

struct view_ops {
	/* @host and @shared are borrowed until close */
	struct view	*(*open)(const struct view_ops *ops, const struct view_host *host,
				 struct shared *shared);
	void		 (*close)(struct view *view);
	void		 (*left)(struct view *view);	/* another view was chosen.
							   NULL: nothing to do */
	/* the same with a window, or without, was shown: go on as it does.  NULL: there is none */
	void		 (*follow)(struct view *view, struct view *former);
	/* does the trace have what it shows?  Else it has no tab.  NULL: it always has one */
	bool		 (*applies)(const struct view_ops *ops, const struct shared *shared);
	/* would the fold key close what is under the cursor?  NULL: nothing unfolds */
	bool		 (*is_open)(struct view *view);
	/* for the list of views: does the trace have what it shows?  NULL: as applies says */
	bool		 (*has)(const struct shared *shared);
	/* headings and rows; after view_work.take */
	void		 (*draw)(struct view *view, const struct view_area *area);
	/* rows of the screen that hold all that it has; 0: not known yet.  NULL: any number */
	int		 (*rows)(struct view *view);
	/* right end of the header; NULL: the table's, if there is one, else the row's number */
	void		 (*header)(struct view *view, struct text *out);
	/*
	 * Copies this view's cursor and window to the shared state; called after draw, go, and
	 * requests that it took.  A view that waits for its rows gives the place that it is to
	 * show; an empty one leaves shared->at.here unset; if the cursor has no moment (a row of a
	 * table), shared->at.here stays as it is.  NULL: it never has one.
	 */
	void		 (*publish)(struct view *view);
	/* false: the request is not its own */
	bool		 (*request)(struct view *view, enum request request, char letter);
	/* NULL: the table's, if there is one */
	void		 (*mouse)(struct view *view, const struct ui_mouse *mouse);
	/*
	 * Moves the cursor to this place: its row if it has one, else what its task or CPU did
	 * then; at once, or when what it shows is known.  False: the view cannot show it; a jump
	 * then shows it in Events.  NULL: its rows are not moments.
	 */
	bool		 (*go)(struct view *view, const struct place *place);
	/* without go: shows the rows of the file that the cursor moved to, if that has any */
	void		 (*show_file)(struct view *view, unsigned int file);
	void		 (*retrace)(struct view *view);	/* shared->trace changed; the
							   former is still open */
	void		 (*changed)(struct view *view);	/* list, filters, range or display
							   settings changed; NULL: nothing */

	const struct list_source	*source;	/* for ui/lists, what it lists; else NULL */
	const struct view_keys		*keys;
	const struct view_detail	*detail;	/* NULL: there is none */
	const struct view_lists		*lists;		/* NULL: the trace's (all, CPUs, files…) */
	const struct view_columns	*columns;	/* NULL: they cannot be chosen */
	/* its table (ui/table): the one shown, or NULL if it has no rows.  NULL: no table */
	struct table	*(*table)(struct view *view);
	const struct view_moments	*moments;	/* NULL: only times of rows */
	const struct view_search	*search;	/* NULL: events are searched */
	const struct view_lines		*lines;		/* NULL: rows are not events */
	const struct view_commands	*commands;	/* NULL: report prints it */
	const struct view_kept		*kept;		/* NULL: nothing but its list */
	const struct view_work		*work;		/* NULL: no background work */
};

/* All views; ui/desk/view_table.c maps ids to them. */
extern const struct view_ops view_events_ops, view_graph_ops, view_timeline_ops, view_functions_ops,
	view_tasks_ops, view_latency_ops, view_kernel_ops, view_now_ops;

/* Does a search look elsewhere than in events? */
static inline bool view_has_find(const struct view_ops *ops)
{
	return ops->table || (ops->search && ops->search->find);
}

static inline void view_take(const struct view_ops *ops, struct view *view)
{
	if (ops->work && ops->work->take)
		ops->work->take(view);
}

static inline const struct list_tab *view_lists_now(const struct view_ops *ops, struct view *view)
{
	return ops->lists->now ? ops->lists->now(view) : ops->lists->all;
}

/* Now is Tasks with a window: one view, one tab.  Other views are themselves. */
static inline enum view_id view_whole(enum view_id id)
{
	return id == VIEW_NOW ? VIEW_TASKS : id;
}

const char *view_title(enum view_id id);		/* "Events" */
const char *view_tab(enum view_id id);			/* "Event": its title in a narrow tab */
const char *view_about(enum view_id id);		/* "all rows in the order of time" */
/* It stands for the view in the tables of requests.  A small letter is no key that shows it. */
char view_key(enum view_id id);
/* Append "2 Graph", or the name if it has no key.  @name: title or tab */
void view_label(enum view_id id, const char *name, struct text *out);
/* Does its key show it, wherever it is pressed?  K shows the kernel's text of a row. */
static inline bool view_has_key(enum view_id id)
{
	return view_key(id) < 'a' && id != VIEW_KERNEL;
}

/* The rows of the detail pane, with its divider; 0: none. */
int view_detail_rows(const struct view_ops *ops, struct view *view, const struct shared *shared,
		     int normal, int most);
/* Draws the pane: as the view does, or as sentences below a divider that has a heading. */
void view_draw_detail(const struct view_ops *ops, struct view *view, const struct view_area *area);

/* Has the view words of its own for a request? */
bool view_has_word(const struct view_ops *ops, enum request request);
/* The words of a request in a view. */
/* NULL: not in the key bar */
const char *view_bar(const struct view_ops *ops, enum request request);
const char *view_help(const struct view_ops *ops, enum request request);
#endif
