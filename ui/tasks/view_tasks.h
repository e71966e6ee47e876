/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_TASKS_VIEW_TASKS_H
#define FTOP_UI_TASKS_VIEW_TASKS_H
/*
 * view_tasks - what the files of the Tasks view share: view_tasks.c (its life and keys), view_now.c
 * (the Now view), now_held.c (its answer), tasks_counted.c (what is counted, and of what),
 * tasks_columns.c (the cells of the lists), tasks_groups.c (tasks in groups), tasks_open.c (lines
 * below an open row), tasks_draw.c (headings) and tasks_words.c (the row under the cursor in
 * words).
 */
#include "src/sched/event_counts.h"
#include "src/sched/task_columns.h"
#include "src/sched/task_groups.h"
#include "ui/rows/matching.h"
#include "ui/table/folds.h"
#include "ui/table/table.h"
#include "ui/view/view.h"

enum tasks_list { TASKS_OF_TASKS, TASKS_OF_CPUS, TASKS_OF_TYPES, TASKS_OF_PREEMPTED,
		  TASKS_OF_WOKEN };
#define TASKS_LISTS	5
#define TASKS_MOST_BELOW	16u	/* lines below an open row */

/* Figures of a range, or of the whole trace. */
struct tasks_counted {
	struct task_table *table;	/* owned; NULL: nothing is to be added up */
	bool		 is_counted;	/* all figures of the table were taken */
	struct task_figures figures;	/* so far */
	bool		 has_figures;
	bool		 is_former;	/* of the former window of Now, or not counted for these
					 * groups: shown dimmed */
	struct event_counts *events;	/* owned, for the types; NULL: not needed,
					   or its filters are not ready yet */
	bool		 has_events, events_done;
	struct event_count *types;	/* owned: the file's, by type, so far */
	unsigned int	 nr_types;
	unsigned int	 permille;	/* progress of events */
	uint64_t	 all;		/* events of all types */
	int64_t		 span;		/* base of shares and rates: the range within the trace */
	int64_t		 next_span;	/* that of what the table adds up */
};

struct tasks_pair {			/* a row of tasks_counted.figures.pairs */
	enum task_pair_kind kind;
	uint32_t	 row;
};

enum tasks_verdict { TASKS_NOT_JUDGED, TASKS_DIFFER, TASKS_BY_CHANCE };

struct now_window {			/* the window of the Now view; see view_now.c */
	bool		 has_to;	/* it was shown, with: */
	int64_t		 length, to;
	bool		 moved;		/* since it was counted; not by playing */
	bool		 follows;	/* it ends with the trace */
	trace_ref	 left_at;	/* the last row when another view was shown while it did */
	bool		 chosen;	/* the user chose a list */
	bool		 plays;
	int64_t		 played_at;	/* monotonic ns */
	struct sched	*sched, *next;	/* taken: the model with the line of each task, and the one
					 * that replaces it; NULL = none */
	char		 line_title[24];
	bool		 has_line;	/* the model is complete */
	bool		 is_new;	/* figures or lines that were not drawn */
};

struct view {
	bool		 is_now;	/* it is the Now view: */
	struct now_window window;
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	struct call_scope scope;	/* owned: what is counted */
	struct matching	 matching;	/* tasks and CPUs that the filters keep */
	struct tasks_counted now, whole;	/* whole: compared with now */
	bool		 renewed;	/* now.figures are of the former trace, which had less */
	unsigned int	 file;		/* whose tasks, CPUs and types these are */
	enum grouping	 by;		/* the groups of the list of tasks; NONE: as at first */
	enum grouping	 tab;		/* the last one chosen; it has a tab */
	struct task_grouping how;	/* how the figures are grouped */
	struct folds	 folds[TASKS_LISTS];	/* of the groups of each list */
	bool		*kept;		/* owned, [number of groups in the list] */
	enum tasks_list	 list;
	struct table	 table;		/* the list's table */
	struct table_order order[TASKS_LISTS][2];
	uint32_t	*of_whole;	/* owned, while comparing: rows of whole, or UINT32_MAX */
	uint8_t		*verdicts;	/* owned, of each row with of_whole: enum tasks_verdict */
	bool		 of_other;	/* tables are made to compare two files: with durations */
	struct tasks_sought {		/* the cursor's task, while figures are replaced */
		struct sched_task task;	/* pid 0: none */
		uint64_t	 key;	/* of its row in the former ones */
		char		 name[64];
	}		 sought;
	uint32_t	 all;		/* number of rows, including those that filters hide */
	uint64_t	 open;		/* key of the open row; 0: none */
	bool		 open_known;	/* it is in the list: */
	uint32_t	 open_row;
	struct tasks_pair below[TASKS_MOST_BELOW];	/* lines below it */
	uint32_t	 nr_below;
};

/* tasks_other.c */
/* The file that rows are compared with; -1: none, or the rest of the trace. */
int tasks_other(const struct view *view);
/* Finds the row of the other file for each of @nr rows; it has @all. */
void tasks_match_other(struct view *view, uint32_t nr, uint32_t all);

/* tasks_groups.c; rows of the lists of tasks and CPUs */
struct task_grouping tasks_grouping(const struct view *view);	/* how tasks are to be grouped */
void tasks_group_cpus(struct view *view, struct task_figures *figures, unsigned int file);
uint32_t tasks_nr_groups(const struct view *view);	/* the first rows of the list */
bool tasks_is_group(const struct view *view, uint32_t row);
bool tasks_is_open(const struct view *view, uint32_t group);
bool tasks_is_in_closed(const struct view *view, uint32_t row);
uint32_t tasks_parent(const void *view, uint32_t row);	/* the group around it; TASK_NO_GROUP */
uint64_t tasks_row_key(const void *view, uint32_t row);	/* identifies a row */
/* tasks_columns.c: does the task do anything here?  Else it is not among the rows. */
bool tasks_is_listed(const struct view *view, uint32_t row);
void tasks_group_name(const struct view *view, uint32_t row, struct text *out);
void tasks_lead(const void *view, uint32_t row, struct text *out);
void tasks_open_group(struct view *view, bool open);
/* Filters keep only the events of its tasks, or none of them. */
void tasks_filter_group(struct view *view, uint32_t row, bool without);
void tasks_open_groups(struct view *view, bool open);	/* all */
/* Keep the cursor on its task in the figures to come, and tell if they do not have it. */
void tasks_seek(struct view *view);
void tasks_follow(struct view *view);
bool tasks_show_task(struct view *view, uint32_t pid);	/* opens what it is in */
void tasks_keep_groups(struct view *view);

/* tasks_counted.c */
/* The length of the range, in ns, as far as records are kept and settled. */
int64_t tasks_span(const struct view *view, unsigned int file, const struct range *range);
void tasks_count(struct view *view);	/* takes new figures; begins again for another scope */
void tasks_changed(struct view *view);	/* filters may hide other rows */
void tasks_forget(struct view *view);	/* the trace is closed */
void tasks_left(struct view *view);	/* another view of tasks may go on with what it has read */
void tasks_sort(struct view *view);	/* rows of the list, in their order */
/* pid, number of the CPU, common_type; of a pair, both pids */
uint64_t tasks_key(const struct view *view, uint32_t row);
/* The pair under the cursor, as a row or below an open one; false: there is none. */
bool tasks_pair_here(const struct view *view, struct tasks_pair *pair);
/*
 * Filters keep an event of it, or anything counts for it; rows that are not kept may be shown
 * dimmed.
 */
bool tasks_is_kept(const struct view *view, uint32_t row);
/* All that the list shows is counted. */
bool tasks_is_done(const struct view *view, unsigned int *permille);
/* The name of a task as `ftop-trace tasks` has it; raw bytes of the trace. */
const char *tasks_comm(const struct view *v, uint32_t row);
/* Its name at its longest wake-up; NULL: none was answered. */
const char *tasks_wake_comm(const struct view *v, const struct sched_task *t);
/* "sh-78", "CPU 1", "sched_switch", printable */
void tasks_name(const struct view *view, uint32_t row, struct text *out);
/* Is it a task of the recorder itself?  In Now, these come last. */
bool tasks_is_recorder(const struct view *view, uint32_t row);
/* Does a compared task or event type differ by no more than chance? As in ftop-trace diff. */
bool tasks_is_by_chance(const struct view *view, uint32_t row);

uint32_t tasks_nr_rows(const struct tasks_counted *counted, enum tasks_list list);

/* tasks_columns.c */
void tasks_table_init(struct view *view);
void tasks_table_choose(struct view *view);	/* the columns and the order of the list */

/* view_now.c */
bool now_has_line(const struct view *view);
const char *now_line_title(const struct view *view);
void now_add_line(const struct view *view, const struct sched_task *task, int cells,
		  struct text *out);

/* tasks_open.c */
void tasks_open_find(struct view *view);	/* call when figures or their order changed */
void tasks_unfold(struct view *view, bool open);	/* opens, closes the cursor's row */
uint32_t tasks_nr_below(const void *view, uint32_t *row);
void tasks_below(const void *view, uint32_t i, struct text *out, enum role *role);
uint64_t tasks_below_key(const void *view, uint32_t i);

/* tasks_draw.c */
void tasks_draw(struct view *view, const struct view_area *area);
/* The rows, or why there are none. */
void tasks_draw_rows(struct view *view, const struct view_area *area, int top);
void tasks_add_scope(const struct view *view, unsigned int less, struct text *out);
bool tasks_has_nothing(const struct view *view);	/* no row is shown */

/* tasks_words.c */
void tasks_say(struct view *view, struct text *heading, struct text *words);

/* view_now.c */
void now_forget(struct view *view);
void now_take(struct view *view);
void now_left(struct view *view);
bool now_moves(struct view *view);
bool now_progressed(struct view *view);
bool now_go(struct view *view, const struct place *place);
void now_publish(struct view *view);
bool now_request(struct view *view, enum request request);	/* false: it is one of Tasks */
/* What held tasks up most in the window, in a line; nothing: it is not known yet, or none was. */
void now_add_held(const struct view *view, struct text *out);
void now_draw(struct view *view, const struct view_area *area);
bool now_is_listed(const struct view *view, uint32_t row);	/* did the task do anything? */

/* view_tasks.c */
void tasks_enter(void *view);			/* what Enter shows of the row under the cursor */

static inline bool tasks_is_of_pairs(const struct view *view)
{
	return view->list == TASKS_OF_PREEMPTED || view->list == TASKS_OF_WOKEN;
}

/* The kind of pairs in a list of pairs. */
static inline enum task_pair_kind tasks_pair_kind(enum tasks_list list)
{
	return list == TASKS_OF_WOKEN ? TASK_WOKEN_BY : TASK_PREEMPTED_BY;
}

static inline struct task_pair_row tasks_pair_row(const struct view *view, struct tasks_pair pair)
{
	const struct task_figures *f = &view->now.figures;
	const struct task_pair_figures *p = &f->pairs[pair.kind];

	return (struct task_pair_row){ .pair = &p->pairs[pair.row],
				       .comm = f->text.data + p->names[pair.row],
				       .by = f->text.data + p->bys[pair.row] };
}

static inline bool tasks_is_unitless(const struct view *view)
{
	return trace_unit(view->shared->trace) == TRACE_UNIT_COUNT;
}

/* The row under the cursor; there is one. */
static inline uint32_t tasks_row(const struct view *view)
{
	return table_row(&view->table, view->table.window.at);
}
#endif
