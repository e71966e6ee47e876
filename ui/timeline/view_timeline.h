/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_TIMELINE_VIEW_TIMELINE_H
#define FTOP_UI_TIMELINE_VIEW_TIMELINE_H
/*
 * view_timeline - what the files of the Timeline view share: view_timeline.c (its life, places),
 * timeline_move.c (keys), timeline_rows.c (which rows), timeline_plots.c (rows of events),
 * timeline_draw.c (cells) and timeline_detail.c (words).
 */
#include "src/timeline/sched_story.h"
#include "src/timeline/timeline.h"
#include "src/timeline/timeline_groups.h"
#include "src/timeline/timeline_guests.h"
#include "src/trace/cpu_groups.h"
#include "ui/rows/matching.h"
#include "ui/rows/places.h"
#include "ui/view/view.h"

#define TIMELINE_FRAME		5	/* rows around: title, overview, tabs, divider, keys */
#define TIMELINE_LARGE		30	/* rows of a screen with room for more than rows of tasks */
#define TIMELINE_TRAILERS	1	/* rows below: the legend */
#define TIMELINE_HEADINGS	1	/* the ruler */

struct why_part;			/* src/why/why.h */

/* The last question why; zeroed: none. */
struct timeline_why {
	struct why	*why;		/* owned */
	bool		 done;
	uint64_t	 memory;	/* of the model, and its tasks: if they change, rows have */
	uint32_t	 nr_tasks;	/* moved, and the question is asked anew */
	uint32_t	 task;
	int64_t		 from, to;
	struct pyramid	 row;		/* its parts, once it is done; arg: their numbers */
};

/* How the user left a group of CPUs. */
enum timeline_fold { TIMELINE_AS_AT_FIRST, TIMELINE_OPENED, TIMELINE_CLOSED };

/* What a row is of, which another model may number differently; what the row is used for. */
struct timeline_subject {
	enum timeline_subject_use {
		TIMELINE_PINNED, TIMELINE_ARRIVED, TIMELINE_HERE, TIMELINE_ENTERED, TIMELINE_TURNED,
	}		 use;
	bool		 found;		/* in the model */
	struct timeline_row row;	/* of a task or a CPU, its kind alone; that is: */
	uint32_t	 pid;
	int64_t		 born;
	int		 cpu;
};

/* What was found in a window is valid while these stay the same. */
struct timeline_as_of {
	int64_t		 from, to;
	int64_t		 known;		/* of the model */
};

struct view {
	const struct view_host *host;
	struct shared	*shared;
	struct sched	*sched;		/* taken; NULL: there is no trace */
	struct sched	*next;		/* taken: takes its place, once it is complete; or NULL */
	bool		 has_end;	/* while the trace grows: the model's end, as shown */
	int64_t		 end;
	unsigned int	 file;
	struct timeline	 timeline;
	char		 list;		/* 'm' CPUs and tasks, 'c' CPUs, 'i' with their
					   interrupts, 't' tasks, 'p' the tasks of a process;
					   timeline_grouping() */
	struct timeline_row *rows;	/* owned, [nr_rows] */
	uint32_t	 nr_rows, cap_rows;
	bool		 shows_idle;	/* idle CPUs have rows */
	struct cpu_groups cpu_groups;	/* owned: of the model's CPUs */
	enum timeline_fold *folds;	/* owned, [cpu_groups.nr] */
	uint32_t	 fold_depth;	/* groups so deep are closed at first */
	bool		*turned;	/* owned, [nr_turned], by CPU: the
					   user changed the list's default */
	uint32_t	 nr_turned;
	bool		*idles;		/* owned, [nr_idles], by CPU: idle in the window */
	uint32_t	 nr_idles, nr_busy;
	struct timeline_as_of idles_as_of;
	uint32_t	*tasks;		/* owned, [nr_tasks]: tasks of the window;
					   valid while these stay the same: */
	uint32_t	 nr_tasks;
	struct timeline_groups groups;	/* owned: of these tasks */
	uint32_t	*group_of;	/* owned, [nr_tasks] */
	struct timeline_as_of tasks_as_of;
	bool		 tasks_marked;	/* tasks with slices are among them */
	struct matching	 matching;	/* rows that filters keep */
	char		 tasks_list;
	int		 process;	/* with list 'p': a pid of the process */
	struct series	**plots;	/* owned, [nr_plots] */
	unsigned int	 nr_plots, cap_plots;
	bool		 shows_events;	/* there is a row of all events */
	struct markers	*markers;	/* owned: rows of slices below tasks; NULL: none */
	struct timeline_guests guests;	/* owned; its models are taken: rows below tasks */
	struct trace_type_count *types;	/* owned, [nr_types]: types to choose a
					   row from, while the list is open */
	unsigned int	 nr_types;
	struct text	 column_help;
	int		 drag_from;	/* column that the mouse was pressed in; -1: none */
	struct timeline_row here;	/* the row under the cursor, if it is in rows */
	bool		 has_here;
	struct place	 wanted;	/* the row to choose, once the model knows it */
	uint32_t	 nr_fixed;	/* rows that stay on top: all but those of tasks */
	uint32_t	 at;		/* number of the row under the cursor */
	uint32_t	 fixed_top, top;	/* first rows shown, of fixed ones and the rest */
	int64_t		 cursor;
	bool		 has_window;
	bool		 whole;		/* the window is the whole trace, as far as it is known */
	int64_t		 from, step;
	unsigned int	 columns;
	/* the row and the interval that Enter showed; step 0: none */
	struct timeline_row entered;
	int64_t		 entered_from, entered_step;
	/* on the canvas, as last drawn */
	int		 body_top, body_rows, label;	/* body_rows: lines */
	unsigned int	 held;		/* bit: a timeline_role behind a bar */
	int		 fixed_rows;	/* those of the fixed rows that are shown */
	bool		 ruled;		/* below them is a line: "tasks" */
	struct timeline_row *pinned;	/* owned, in their order */
	unsigned int	 nr_pinned, cap_pinned;
	struct timeline_subject *noted;	/* owned: what rows of the former model are of */
	unsigned int	 nr_noted, cap_noted;
	int		*noted_cpus;	/* owned, [nr_noted_cpus]: CPUs of the former model */
	uint32_t	 nr_noted_cpus;
	bool		 arrived;	/* a jump led to the task of the cursor's row just now */
	bool		 has_arrived_pin;
	struct timeline_row arrived_pin;	/* pinned by a jump, until the next one */
	struct timeline_why why;
	struct text	 story;		/* description of what is under the cursor */
	struct text	 saved;		/* the picture, while S t writes it */
	size_t		 saved_at;	/* bytes of it written so far */
};

/* The time that the window shows. Damaged traces have any 64-bit time, so it saturates. */
static inline int64_t timeline_width(const struct view *view)
{
	int64_t width;

	return __builtin_mul_overflow(view->step, view->columns ? (int64_t)view->columns : 1,
				      &width) ?
		       INT64_MAX :
		       width;
}

/* Lines of a row. */
static inline int timeline_lines(const struct view *view)
{
	return view->timeline.tall ? 2 : 1;
}

/* Does the model know what ran?  Without the lock. */
static inline bool timeline_is_known(const struct view *view)
{
	return view->sched && sched_progress(view->sched).known != INT64_MIN;
}

/* locks the model */
void timeline_draw_detail(struct view *view, const struct view_area *area, int max_rows);

/*
 * Adds or removes a row of events: "cpu_frequency.state", "sched_waking", "*" for all; "marker"
 * is the rows of slices.  Shows errors.  No lock.
 */
bool timeline_plot(struct view *view, const char *what);
/* The rows of events to choose from in a list, as view_columns has it. */
unsigned int timeline_nr_columns(struct view *view);
const char *timeline_column(struct view *view, unsigned int i, bool *shown, const char **help);
void timeline_toggle_column(struct view *view, unsigned int i);
void timeline_end_plots(struct view *view);	/* removes all; the trace is still open */
/* What comes back at the next opening: view_kept. */
void timeline_plots_save(const struct view *view, struct text *out);
void timeline_plots_restore(struct view *view, const char *what);	/* errors are ignored */

/* As view_moments has it.  No lock. */
enum view_why_result timeline_why(struct view *view, const struct view_why *asked, int64_t ns,
				  struct view_why_list *out);
void timeline_why_end(struct view *view);	/* forget the question and its answer */
/* In the row of parts, with the model locked: the part under the cursor, or NULL; its words. */
const struct why_part *timeline_why_part(struct view *view);
void timeline_why_story(struct view *view, struct text *out);
/* Use the file of a place, if it is another one.  No lock. */
void timeline_use_file(struct view *view, const struct place *place);

/*
 * Another model takes the place of v->sched: rows are of the same tasks and CPUs, which it may
 * number differently.  What it does not know has no row; the cursor's is told.  No lock.
 */
void timeline_follow_model(struct view *view, struct sched *next);
/* Note what rows are of, for a model that is still to be made.  No lock. */
void timeline_note_rows(struct view *view);
/* With the model locked: those of the noted rows that it knows by now. */
void timeline_find_noted(struct view *view, struct sched *sched);

/* The model is locked for all of these. */
void timeline_make_rows(struct view *view);	/* for the window; the cursor keeps its row */
void timeline_draw_rows(struct view *view, const struct view_area *area);
/* "CPU 1", "on-cpu-1-80", printable */
void timeline_label(struct view *view, const struct timeline_row *row, struct text *out);
/* Do filters keep an event of the row's task or CPU? If not, the row is hidden or dimmed. */
bool timeline_is_kept(const struct view *view, const struct timeline_row *row);
bool timeline_is_pinned(const struct view *view, const struct timeline_row *row);
void timeline_pin(struct view *view, const struct timeline_row *row);	/* pin or unpin the row */
int timeline_pid(const struct view *view, uint32_t task);
bool timeline_same_process(struct view *view, uint32_t task);	/* as view->process */
/* Do the interrupts of a CPU have rows below it? */
bool timeline_is_unfolded(const struct view *view, uint32_t cpu);
enum grouping timeline_grouping(char list);	/* how tasks are grouped in a list */
void timeline_unfold(struct view *view, uint32_t cpu, bool unfold);
bool timeline_cpus_are_open(const struct view *view, uint32_t group);
/* Shows an interval with a tenth of it on each side. */
void timeline_show_interval(struct view *view, int64_t from, int64_t to);
/* Keeps the window within the trace. */
void timeline_set_window(struct view *view);
/* Lines of the description under the cursor, at a width. */
int timeline_detail_lines(struct view *view, int cells);
/* Number of the row at a line of the canvas; -1: none. */
int64_t timeline_row_at(const struct view *view, int line);
/* The moment as a place of the row's task or CPU. */
struct place timeline_place(struct view *view, int64_t ts);
/* Filter by what is under the cursor; releases the lock while it calls the screen. */
void timeline_filter_from_here(struct view *view, char letter, bool without);
/* Handle requests that move the cursor, the window or a row. */
bool timeline_move(struct view *view, enum request request);
void timeline_move_row(struct view *view, int by);
/*
 * Scrolls until the moment is in the window; puts it a little after the middle if it was outside.
 */
void timeline_show_moment(struct view *view, int64_t ts);
void timeline_choose_row(struct view *view, enum timeline_row_kind kind, uint32_t index);
/* As view_search has it: the next row with a name that matches.  No lock. */
bool timeline_find(struct view *view, const struct find *find);
/* The state under the cursor; false: unknown. */
bool timeline_state(struct view *view, struct pyramid_state *state);
/* The task of the row, or the task that runs on its CPU at the cursor; SCHED_NO_TASK: none. */
uint32_t timeline_task_here(struct view *view);
/* If the row under the cursor is a group of tasks, say that this is asked of one task. */
bool timeline_refuse_group(struct view *view);
/* Is the row under the cursor unfolded? */
bool timeline_here_is_open(const struct view *view);
bool timeline_is_open(struct view *view);	/* or the group that it is in is open */
/* Is it the row of a CPU or of its interrupts? Then its index is the CPU. */
static inline bool timeline_row_cpu(const struct timeline_row *row)
{
	return (row->kind == TIMELINE_CPU || row->kind == TIMELINE_IRQS ||
		row->kind == TIMELINE_SOFTIRQS) &&
	       row->index != TIMELINE_ALL_CPUS;
}
/* Is it the row of a task, or below it?  Then its index is the task. */
static inline bool timeline_row_task(const struct timeline_row *row)
{
	return row->kind == TIMELINE_OF_TASK || row->kind == TIMELINE_PARTS ||
	       row->kind == TIMELINE_SLICES || row->kind == TIMELINE_VCPU;
}
static inline const struct timeline_row *timeline_here(const struct view *view)
{
	return view->has_here && view->at < view->nr_rows ? &view->rows[view->at] : NULL;
}
#endif
