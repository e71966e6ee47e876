/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_HOST_H
#define FTOP_UI_VIEW_HOST_H
/*
 * host - what the screen does for a view. A view calls its host only through this table, so tests
 * can open a view without the screen.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/lists/sources.h"
#include "ui/rows/places.h"

struct app;				/* defined by the host: ui/desk or a test */

/*
 * The first eight have a digit, in this order; Now has 9.  Of the models that make lists, each has
 * a view: VIEW_LISTS + LIST_SOURCE_count.
 */
enum view_id {
	VIEW_EVENTS, VIEW_GRAPH, VIEW_TIMELINE, VIEW_LATENCY, VIEW_FUNCTIONS, VIEW_TASKS,
	VIEW_LISTS,
	VIEW_NOW = VIEW_LISTS + LIST_NR_SOURCES, VIEW_KERNEL, NR_VIEWS
};
#define VIEW_COUNTS	((enum view_id)(VIEW_LISTS + LIST_SOURCE_count))
#define VIEW_SUMMARY	((enum view_id)(VIEW_LISTS + LIST_SOURCE_summary))

/* What to search rows for. */
enum find_kind {
	FIND_PATTERN,			/* shared->chosen.pattern in the line */
	FIND_SLOW,			/* duration or gap of at least the threshold */
	FIND_TASK,			/* file, pid; idle tasks by CPU */
	FIND_NAME,			/* file, type_id */
	FIND_PID,			/* file, pid: an event of it, wherever */
	FIND_WAKER,			/* file, pid: a record that wakes the task */
	FIND_RUN,			/* file, pid: a switch to the task */
	FIND_KEPT,			/* the filters keep it */
};

struct find {
	enum find_kind	kind;
	bool		forward;
	unsigned int	file;
	int		pid, cpu, type_id;
	bool		waking;	/* FIND_WAKER: by sched_waking, which comes first */
	const char	*what;		/* for the message: "event of this task"; not owned */
};

/* All functions must be set; each gets @app first.  The wrappers below describe them. */
struct view_host {
	struct app *app;
	void (*say)(struct app *app, bool is_error, const char *text);
	void (*jump_to)(struct app *app, const struct place *place);
	void (*jump_time)(struct app *app, int64_t ts, int cpu);
	void (*show)(struct app *app, enum view_id id, const struct place *place);
	void (*entering)(struct app *app);
	void (*leave_zoom)(struct app *app);
	void (*work)(struct app *app);
	void (*find)(struct app *app, const struct find *find);
	void (*search_for)(struct app *app, const char *text, bool forward);
	void (*filter_by)(struct app *app, const char *name, const char *value, bool without);
	void (*filter_by_process)(struct app *app, unsigned int file, int pid, int64_t ts,
				  bool without);
	void (*rows_around)(struct app *app, bool more);
	void (*window)(struct app *app, int64_t length, int64_t to, bool follows);
	void (*copy)(struct app *app, const char *what, const char *s, size_t len);
};

/*
 * Shows a line at the bottom of the screen until the next key, and keeps it in the list of
 * messages.
 */
void host_message(const struct view_host *host, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void host_error(const struct view_host *host, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A search went on from the other end: all views say it like this. */
static inline void host_wrapped(const struct view_host *host, bool forward)
{
	host_message(host, "wrapped to the %s", forward ? "beginning" : "end");
}

/* Moves the cursor of the view shown to @place, or shows it in Events; ( returns. */
static inline void host_jump_to(const struct view_host *host, const struct place *place)
{
	host->jump_to(host->app, place);
}

/* Jumps to the first event at or after @ts; @cpu: on this CPU; -1: on any. */
static inline void host_jump_time(const struct view_host *host, int64_t ts, int cpu)
{
	host->jump_time(host->app, ts, cpu);
}

/* Shows @place in another view, and opens that if necessary. */
static inline void host_show(const struct view_host *host, enum view_id id,
			     const struct place *place)
{
	host->show(host->app, id, place);
}

/* The next jump is caused by Enter: q returns from it. */
static inline void host_entering(const struct view_host *host)
{
	host->entering(host->app);
}

/* Called before a zoom: ( returns to the window before the first of several zooms. */
static inline void host_leave_zoom(const struct view_host *host)
{
	host->leave_zoom(host->app);
}

/* Enter shows @place in another view, from which q returns. */
static inline void host_enter(const struct view_host *host, enum view_id id, struct place place)
{
	host_entering(host);
	host_show(host, id, &place);
}

/* Calls view_work.slice of the view shown from now on, until that returns false. */
static inline void host_work(const struct view_host *host)
{
	host->work(host->app);
}

/* Looks for a row in slices of the loop and jumps to it, or says that there is none. */
static inline void host_find(const struct view_host *host, const struct find *find)
{
	host->find(host->app, find);
}

/* Makes @text the pattern of the search, and jumps to its next match. */
static inline void host_search_for(const struct view_host *host, const char *text, bool forward)
{
	host->search_for(host->app, text, forward);
}

/*
 * Adds a test to the filter: keep only rows where field @name is @value, or only the others.
 * @name: NULL: @value is the name of an event, or a whole term
 */
static inline void host_filter_by(const struct view_host *host, const char *name, const char *value,
				  bool without)
{
	host->filter_by(host->app, name, value, without);
}

void host_filter_by_function(const struct view_host *host, const char *name, bool without);

/*
 * Filters by a letter of i and x: t the task of @place, p its process, c its CPU, h interrupts.
 * False: another letter.  Where the trace does not name the process, all tasks with its comm.
 */
bool host_filter_from(const struct view_host *host, const struct place *place, char letter,
		      bool without);

/* + -: shows more, or fewer, rows around each row that the filters keep. */
static inline void host_rows_around(const struct view_host *host, bool more)
{
	host->rows_around(host->app, more);
}

/*
 * Makes the range a window of this @length, from 1, that ends with @to; if it @follows, with the
 * end of the trace, whatever is added to that.
 */
static inline void host_window(const struct view_host *host, int64_t length, int64_t to,
			       bool follows)
{
	host->window(host->app, length, to, follows);
}

/* Copies @len bytes to the clipboard and shows a message; @what: "the row", for the message. */
static inline void host_copy(const struct view_host *host, const char *what, const char *s,
			     size_t len)
{
	host->copy(host->app, what, s, len);
}
#endif
