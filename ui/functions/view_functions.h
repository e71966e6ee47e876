/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_FUNCTIONS_H
#define FTOP_UI_VIEW_FUNCTIONS_H
/*
 * view_functions - what the files of the Functions view share: view_functions.c (its life
 * and lists), functions_table.c (order and keys of the table), functions_draw.c (columns,
 * rows, callers and callees), functions_open.c (what is below an open row),
 * functions_compare.c (the range beside the rest), functions_instances.c (longest calls),
 * functions_flame.c and functions_flame_draw.c (flame graph).
 */
#include "src/calls/call_instances.h"
#include "src/calls/function_job.h"
#include "src/calls/graph_records.h"
#include "ui/functions/functions_flame.h"
#include "ui/view/view.h"

#define FUNCTIONS_CAME	16u

enum function_column {
	FUNCTION_NAME, FUNCTION_CALLS, FUNCTION_TOTAL, FUNCTION_SELF, FUNCTION_NET, FUNCTION_AVG, FUNCTION_P50, FUNCTION_P95,
	FUNCTION_P99, FUNCTION_MAX, FUNCTION_DEVIATION, FUNCTION_HISTOGRAM, FUNCTION_LEAVES, FUNCTION_OPEN, FUNCTION_ORPHAN,
	NR_FUNCTION_COLUMNS
};

/* A line of the table. */
struct functions_line {
	enum { LINE_FUNCTION, LINE_CALLER, LINE_CALLEE, LINE_INSTANCE, LINE_LOOKING } kind;
	unsigned int	 index;		/* of the row as it is sorted; of the caller, callee, instance of the open one */
};

/* A caller or callee of the function under the cursor. */
struct relative {
	uint64_t	 address;	/* 0: none, the call was an outermost one */
	uint64_t	 calls, total;	/* of this function by that caller; of that callee by this function */
};

struct relatives {
	struct relative	*list;		/* owned, [nr]; the largest total first */
	unsigned int	 nr, cap;
};

struct functions_compare {		/* of the range with the rest */
	bool		 on;
	struct graph_scope scope;	/* of the rest; its filters are owned */
	struct function_job *job;	/* owned; NULL: nothing to be counted now */
	struct function_table *table;	/* owned: of the rest, as far as is counted; NULL: nothing so far */
	const struct function_row **rows;	/* owned, [view->table->nr] of the rest, or NULL; NULL: not known */
	uint64_t	 self, rest_self;	/* of all functions */
	uint32_t	 alone;		/* functions that the rest alone has */
	unsigned int	 sort;		/* column */
};

struct view {
	struct app	*app;
	struct shared	*shared;	/* borrowed */
	bool		 known;		/* whether there are calls, and where: */
	bool		 has_calls;
	unsigned int	 file;
	struct graph_scope scope;	/* its filters are owned */
	struct text	 key;		/* owned: of the range and the filters that are counted */
	struct function_job *job;	/* owned; NULL: nothing to be counted now */
	struct function_table *table;	/* owned: as far as is counted; NULL: nothing so far */
	struct functions_compare compare;
	char		 list;		/* 't' the table, 'f' the flame graph, 'i' instances */
	struct flame_view flame;
	uint32_t	*order;		/* owned, [table->nr] rows as they are sorted */
	enum function_column sort;
	bool		 inverted;
	unsigned int	 left;		/* columns behind the name that are left of the edge */
	unsigned int	 at, top, height;	/* line of the cursor, first line shown, lines of the screen */
	uint64_t	 here;		/* the function under the cursor; 0: none was chosen */
	struct relatives callers, callees;
	uint64_t	 relatives_of;	/* function whose these are; 0: of none */
	uint64_t	 open;		/* function whose row is open; 0: none */
	bool		 open_known;	/* it is in the table, as row: */
	unsigned int	 open_at;
	struct relatives open_callers, open_callees;
	uint64_t	 came[FUNCTIONS_CAME];	/* functions that Enter led away from, to a caller or callee; newest last */
	unsigned int	 nr_came;
	struct call_instances *instances;	/* owned; NULL: none were asked for */
	struct graph_scope instances_scope;	/* of these; its filters are owned */
	uint32_t	 instance_at, instance_top;	/* in the list of instances */
	int		 body_top;	/* first row on the canvas, for the mouse */
};

/* view_functions.c */
void functions_filter(struct view *view, const char *name, char letter, bool without);	/* i x, of this function */

/* functions_table.c */
uint64_t functions_value(const struct function_row *row, enum function_column column);	/* what is sorted by; not of names */
void functions_sort(struct view *view);
void functions_select(struct view *view, int64_t row);	/* the cursor */
const struct function_row *functions_here(const struct view *view);	/* what the cursor's line is about; NULL: no row */
void functions_relatives(struct view *view);		/* of the function under the cursor */
void functions_relatives_of(struct view *view, uint64_t function, struct relatives *callers, struct relatives *callees);
void functions_drop_relatives(struct view *view);
bool functions_table_request(struct view *view, enum request request, char letter);
bool functions_table_find(struct view *view, bool forward);

/* functions_open.c */
unsigned int functions_nr_lines(const struct view *view);
struct functions_line functions_line(const struct view *view, unsigned int i);
unsigned int functions_line_of(const struct view *view, unsigned int row);	/* of a row as it is sorted */
void functions_open_find(struct view *view);		/* the order, or the table, is another one */
void functions_unfold(struct view *view, bool open);	/* the row under the cursor */
void functions_line_text(const struct view *view, const struct functions_line *line, struct text *out);	/* not of rows */
uint64_t functions_line_function(const struct view *view, const struct functions_line *line);	/* 0: there is none */

/* functions_compare.c */
void functions_compare(struct view *view);		/* begin, or end */
void functions_compare_drop(struct view *view);
void functions_compare_work(struct view *view);
bool functions_compare_progressed(struct view *view);
void functions_compare_match(struct view *view);	/* one of the tables is another one */
int functions_compare_order(const struct view *view, uint32_t i, uint32_t j);	/* of rows of the table, as qsort() has it */
void functions_compare_sort_by(struct view *view, int step);
void functions_compare_scope(const struct view *view, struct text *out);
void functions_compare_headings(const struct view *view, struct canvas *canvas, int y);
void functions_compare_draw(struct view *view, struct canvas *canvas, int y, unsigned int i);	/* a row as it is sorted */
void functions_compare_text(const struct view *view, uint32_t row, struct text *out);

/* functions_instances.c */
void functions_instances_want(struct view *view, uint64_t function);
void functions_instances_drop(struct view *view);
const struct call_instance *functions_instances(const struct view *view, uint32_t *nr);	/* 0 while they are looked for */
void functions_show_instance(struct view *view, const struct call_instance *instance);	/* in Graph */
void functions_instance_text(const struct view *view, const struct call_instance *instance, struct text *out);
void functions_instance_heading(struct text *out);
void functions_instances_draw(struct view *view, const struct view_area *area);
bool functions_instances_request(struct view *view, enum request request, char letter);
void functions_instances_click(struct view *view, int line, bool twice);

/* functions_draw.c */
enum role functions_slow_role(uint64_t ns);
int functions_name_cells(const struct view *view);	/* of the first column, and a blank */
void functions_draw_name(struct view *view, struct canvas *canvas, int y, const struct function_row *row, int cells);
void functions_draw(struct view *view, const struct view_area *area);
void functions_draw_detail(struct view *view, const struct view_area *area, int max_rows);
void functions_row_text(struct view *view, const struct function_row *row, struct text *out);	/* all columns */
void functions_scope_text(struct view *view, struct text *out);	/* "range whole  filter none" */
#endif
