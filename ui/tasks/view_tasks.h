/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_TASKS_H
#define FTOP_UI_VIEW_TASKS_H
/*
 * view_tasks - what the files of the Tasks view share: view_tasks.c (its life and keys), tasks_counted.c (what is counted,
 * and of what), tasks_columns.c (columns of the three lists) and tasks_draw.c (cells, words).
 */
#include "src/sched/event_counts.h"
#include "src/calls/graph_records.h"
#include "src/sched/task_table.h"
#include "ui/rows/matching.h"
#include "ui/view/view.h"

#define TASKS_HEADINGS	2
#define TASKS_MOST_COLUMNS 28

enum tasks_list { TASKS_OF_TASKS, TASKS_OF_CPUS, TASKS_OF_TYPES };
#define TASKS_LISTS	3

/* Figures of a range, or of the whole trace. */
struct tasks_counted {
	struct task_table *table;	/* owned; NULL: nothing is to be added up */
	struct task_figures figures;	/* so far */
	bool		 has_figures;
	struct event_counts *events;	/* owned, for the types; NULL: not needed, or its filters are not ready yet */
	bool		 has_events;
	struct event_count *types;	/* owned: of the file, by type; so far */
	unsigned int	 nr_types;
	unsigned int	 permille;	/* of events */
	uint64_t	 all;		/* events of all types */
	int64_t		 span;		/* that shares and rates are of: the range, as far as there is a trace */
};

enum tasks_kind {
	TASKS_IS_NAME,
	TASKS_IS_TIME,
	TASKS_IS_SHARE,			/* a time, of the span */
	TASKS_IS_COUNT,
	TASKS_IS_PART,			/* a count, of all events */
	TASKS_IS_RATE,			/* a count, by the second */
	TASKS_IS_NUMBER,		/* INT64_MIN: there is none */
};

/* What Enter shows of a task, by the column that is sorted by. */
enum tasks_worst { TASKS_LONGEST_WAIT, TASKS_LONGEST_WAKE, TASKS_LONGEST_RUN, TASKS_LONGEST_SLEEP, TASKS_LONGEST_BLOCK };

struct tasks_column {
	const char	*name;
	int		 cells;		/* at least, with a blank before it */
	enum tasks_kind	 kind;
	int64_t		(*value)(const struct tasks_counted *counted, uint32_t row);
	bool		 rest;		/* of all but the range: what the whole trace has more than it */
	enum tasks_worst worst;
	bool		(*is_there)(const struct tasks_counted *counted);	/* false: no events tell it, it is not shown; NULL: always */
};

struct view {
	struct app	*app;
	struct shared	*shared;	/* borrowed */
	struct range	 range;		/* what is counted is of */
	struct text	 scope_key;	/* of its filters */
	struct graph_scope scope;	/* owned filters; of them and the range */
	struct matching	 matching;	/* tasks and CPUs that the filters keep */
	struct tasks_counted now, whole;	/* whole: where it is compared with */
	bool		 begun, comparing;
	enum tasks_list	 list;
	unsigned int	 sort[TASKS_LISTS][2];	/* column; [1]: comparing */
	bool		 inverted[TASKS_LISTS][2];
	unsigned int	 side;		/* columns behind the name that are left out on the left */
	uint32_t	*order;		/* owned, [nr]: rows of the list */
	uint32_t	 largest[TASKS_MOST_COLUMNS];	/* row with the largest value of each column */
	uint32_t	*of_whole;	/* owned, by row of the list: the same in whole, or UINT32_MAX; while comparing */
	uint32_t	 nr, all, at, top, height;	/* all: with those that filters hide */
	bool		 all_words;	/* all that is told of the row has room */
	bool		 has_here;	/* the cursor was moved: it stays on */
	uint32_t	 here;		/* this pid, CPU, or type */
	int		 body_top;
};

/* tasks_counted.c */
void tasks_count(struct view *view);	/* begins anew where range or filters are others, and takes what is new */
void tasks_forget(struct view *view);	/* the trace goes */
void tasks_sort(struct view *view);	/* rows of the list, in their order */
uint32_t tasks_key(const struct view *view, uint32_t row);	/* pid, number of the CPU, common_type */
/* Filters keep an event of it, or anything counts for it; rows that are not kept may be shown dimmed. */
bool tasks_is_kept(const struct view *view, uint32_t row);
bool tasks_is_done(const struct view *view, unsigned int *permille);	/* all is counted that the list shows */
void tasks_name(const struct view *view, uint32_t row, struct text *out);	/* "sh-78", "CPU 1", "sched_switch", printable */

/* tasks_columns.c */
const struct tasks_column *tasks_columns(const struct view *view, unsigned int *nr);	/* of the list; the name is the first */
bool tasks_has_column(const struct view *view, unsigned int column);	/* of the list: is it shown, where there is room? */
unsigned int tasks_sorted_by(const struct view *view);	/* the column: what was chosen, where it is shown */
int64_t tasks_value(const struct view *view, uint32_t row, const struct tasks_column *column);
/* As the table has it. */
void tasks_value_text(const struct view *view, uint32_t row, const struct tasks_column *column, struct text *out);
void tasks_share_text(int64_t time, int64_t span, struct text *out);

/* tasks_draw.c */
void tasks_draw(struct view *view, const struct view_area *area);
void tasks_draw_detail(struct view *view, const struct view_area *area, int max_rows);
bool tasks_has_nothing(const struct view *view);	/* no row is shown: none is there, or no event tells of it */
int tasks_words_rows(const struct view *view, int cols);	/* that what is told of the row under the cursor takes */
void tasks_row_text(const struct view *view, uint32_t row, struct text *out);	/* all columns, for copies and files */

static inline bool *tasks_inverted(struct view *view)
{
	return &view->inverted[view->list][view->comparing];
}
#endif
