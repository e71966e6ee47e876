/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_TASKS_H
#define FTOP_UI_VIEW_TASKS_H
/*
 * view_tasks - what the files of the Tasks view share: view_tasks.c (figures, order, keys)
 * and tasks_draw.c (columns, cells, words).
 */
#include "src/task_table.h"
#include "ui/view.h"

#define TASKS_HEADINGS	2

/* Columns of the two lists, in the order of the screen; the name is the first. */
enum tasks_column {
	TASKS_NAME, TASKS_RUN, TASKS_SHARE, TASKS_SWITCHES, TASKS_PREEMPTIONS, TASKS_WAIT, TASKS_MAX_WAKE, TASKS_SLEEP,
	TASKS_BLOCKED, TASKS_CUT, TASKS_MIGRATIONS, TASKS_WAKEUPS, TASKS_WOKE, NR_TASKS_COLUMNS
};
enum cpus_column { CPUS_NAME, CPUS_BUSY, CPUS_SHARE, CPUS_IDLE, CPUS_SWITCHES, NR_CPUS_COLUMNS };

enum tasks_kind { TASKS_IS_NAME, TASKS_IS_TIME, TASKS_IS_SHARE, TASKS_IS_COUNT };

struct tasks_column_info {
	const char	*name;
	int		 cells;		/* with two blanks before it */
	enum tasks_kind	 kind;
};

struct view {
	struct app	*app;
	struct shared	*shared;	/* borrowed */
	struct task_table *table;	/* owned; NULL: nothing is to be added up */
	bool		 stale;		/* another range, or trace, than the table's */
	struct range	 range;		/* the table's */
	struct task_figures figures;	/* so far */
	bool		 has_figures;
	bool		 by_cpu;	/* the list: CPUs, else tasks */
	unsigned int	 sort[2];	/* column, of tasks and of CPUs */
	bool		 inverted[2];
	unsigned int	 side;		/* columns behind the name that are left out on the left */
	uint32_t	*order;		/* owned, [nr]: rows of the list */
	uint32_t	 nr, at, top, height;
	bool		 has_here;	/* the cursor was moved: it stays on */
	uint32_t	 here;		/* this pid, or CPU */
	int		 body_top;
};

/* view_tasks.c */
const struct tasks_column_info *tasks_columns(const struct view *view, unsigned int *nr);	/* of the list */
int64_t tasks_value(const struct view *view, uint32_t row, unsigned int column);	/* of a number; a share: its time */
void tasks_name(const struct view *view, uint32_t row, struct text *out);		/* "sh-78", "CPU 1", printable */
int64_t tasks_span(const struct view *view);	/* that shares are of: the range, as far as there is a trace */

/* tasks_draw.c */
void tasks_draw(struct view *view, const struct view_area *area);
void tasks_draw_detail(struct view *view, const struct view_area *area, int max_rows);
void tasks_row_text(const struct view *view, uint32_t row, struct text *out);	/* all columns, for copies and files */
#endif
