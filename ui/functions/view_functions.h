/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_FUNCTIONS_VIEW_FUNCTIONS_H
#define FTOP_UI_FUNCTIONS_VIEW_FUNCTIONS_H
/*
 * view_functions - what the files of the Functions view share: view_functions.c (its life and
 * lists), functions_table.c (order and keys of the table), functions_draw.c (columns, rows, callers
 * and callees), functions_open.c (lines below an open row), functions_compare.c (the range against
 * the rest), functions_instances.c (longest calls), functions_groups.c (by groups of tasks),
 * functions_flame.c and functions_flame_draw.c (flame graph), functions_stacks.c (the flame graphs
 * of stacks).
 */
#include "src/functions/call_instances.h"
#include "src/functions/function_columns.h"
#include "src/functions/function_job.h"
#include "src/stacks/stacks.h"
#include "ui/functions/functions_flame.h"
#include "ui/rows/call_scope.h"
#include "ui/table/folds.h"
#include "ui/table/table.h"
#include "ui/view/view.h"

#define FUNCTIONS_CAME	16u

/* A line of the table. */
struct functions_line {
	enum { LINE_FUNCTION, LINE_CALLER, LINE_CALLEE, LINE_INSTANCE, LINE_LOOKING } kind;
	unsigned int	 index;		/* the row's place in the order; or the
					   index of a caller, callee or instance */
};

/* A caller or callee of the function under the cursor. */
struct relative {
	uint64_t	 address;	/* 0: none, the call was an outermost one */
	uint64_t	 calls, total, net;	/* from that caller, or to that callee */
};

struct relatives {
	struct relative	*list;		/* owned, [nr]; the largest net or total first */
	unsigned int	 nr, cap;
};

enum {
	INSTANCE_TASK,
	INSTANCE_DURATION,
	INSTANCE_SELF,
	INSTANCE_NET,
	INSTANCE_START,
	INSTANCE_CPU
};

struct functions_compare {		/* Comparison of the range with the rest. */
	struct graph_scope scope;	/* the rest; its filters are the view's */
	struct function_job *job;	/* owned; NULL: nothing to count now */
	struct function_table *table;	/* owned: the rest as counted so far; NULL: nothing yet */
	const struct function_row **rows;	/* owned, [view->table->nr] of the
						   rest, or NULL; NULL: not known */
	bool		*by_chance;		/* owned, as rows: the two differ by no more than
					   chance; NULL: not known yet */
	uint32_t	 alone;		/* functions that occur only in the rest */
};

struct functions_grouped {		/* The calls of each function by group of tasks. */
	struct function_job *job;	/* owned; NULL: nothing to count now */
	bool		 stale;		/* they are to be counted */
	struct function_table *table;	/* owned; NULL: nothing yet.  Names are those of groups */
};

struct functions_groups {
	enum grouping	 by;
	enum grouping	 counted;	/* how now and rest are grouped */
	struct functions_grouped now, rest;	/* rest: what is compared with now */
	uint32_t	*parents;	/* owned, [now.table->nr] rows of functions, UINT32_MAX:
					 * none; NULL: not known */
	const struct function_row **of_rest;	/* owned, as parents: rows of the rest, or NULL;
						   NULL: not known */
	struct folds	 folds;		/* owned: by functions_key() */
};

struct functions_stacks {
	bool		 known;		/* any and of_waits are final */
	bool		 any;		/* it has stacks */
	bool		 of_waits;	/* it has kernel stacks and switches: waits can be shown */
	struct stacks	*of[2];		/* owned: stacks of waits, of events; NULL: not counted */
	struct stacks	*former;	/* owned: of waits, before the trace grew; or NULL */
	bool		 counted;	/* all that is asked for is counted */
};

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	bool		 known;		/* Does the trace have calls, and where? */
	bool		 has_calls;
	unsigned int	 file;
	struct call_scope scope;	/* owned: what is counted, and instances are taken from */
	struct function_job *job;	/* owned; NULL: nothing to count now */
	struct function_table *table;	/* owned: counted so far; NULL: nothing yet */
	struct call_past *past;	/* owned: what was before the window that moves; or NULL */
	bool		 grows;		/* the job counts a trace that grew: the table stays until
					 * the job is done */
	struct functions_compare compare;
	struct functions_groups groups;
	struct functions_stacks stacks;
	char		 list;		/* 't' the table, 'f' the flame graph, 'i' instances;
					 * stacks: 'o' off-CPU, 'w' wakers, 'b' both, 'e' those
					 * of events */
	struct list_tab lists[13];	/* those offered now */
	struct flame_view flame;
	struct table	 lines;		/* rows of the table, and lines below an open row; here: the
					 * function */
	struct table_order order[2];	/* [1]: order of the comparison */
	bool		 measured, by_net;	/* order and flame graph are by what is slow */
	unsigned int	 height;	/* rows of the screen below the headings */
	struct relatives callers, callees;
	uint64_t	 relatives_of;	/* function that callers and callees belong to; 0: none */
	uint64_t	 open;		/* function whose row is open; 0: none */
	bool		 open_known;	/* its row in the table is known: */
	uint32_t	 open_row;
	struct relatives open_callers, open_callees;
	uint64_t	 came[FUNCTIONS_CAME];	/* functions from which Enter went to
						   a caller or callee; newest last */
	unsigned int	 nr_came;
	struct call_instances *instances;	/* owned; NULL: not requested */
	struct call_instances *next;	/* owned: of the trace that grew, until they are found; or
					 * NULL */
	struct table	 calls;		/* the list of instances */
	struct table_order instances_order;
	int		 body_top;	/* first row of the flame graph on
					   the canvas, for the mouse */
};

/* functions_shown.c */
bool functions_is_stacks(const struct view *view);	/* is a list of stacks shown? */
bool functions_is_events(const struct view *view);	/* is it that of events? */
bool functions_waits(struct view *view);	/* nothing was counted yet */
extern const struct list_tab functions_all_lists[];	/* ended by letter 0 */
bool functions_has_list(const struct view *view, char letter);	/* does this file have it? */
const struct list_tab *functions_lists(struct view *view);	/* those that the file has */
/* filters by this function */
void functions_filter(struct view *view, const char *name, char letter, bool without);
/* Draws @t, and clears it; line 0 is the heading. */
void functions_detail_line(const struct view_area *area, int line, struct text *t);

/* functions_table.c */
void functions_sort(struct view *view);	/* call when rows, columns or order changed */
void functions_leave_gone(struct view *view);	/* all is counted again: table_leave_gone() */
/* Table and flame graph go by what "slow" compares, when that has changed. */
void functions_measure(struct view *view);
void functions_enter(void *view);			/* Enter on the cursor's line */
/* the function of the cursor's line; NULL: none */
const struct function_row *functions_here(const struct view *view);
/* that of all groups; NULL: none */
const struct function_row *functions_function_here(const struct view *view);
/* finds the callers and callees of the function under the cursor */
void functions_relatives(struct view *view);
void functions_relatives_of(struct view *view, uint64_t function, struct relatives *callers,
			    struct relatives *callees);
void functions_drop_relatives(struct view *view);
bool functions_table_request(struct view *view, enum request request, char letter);

/* functions_open.c */
/* lines below the open row, which is *row */
uint32_t functions_nr_below(const void *view, uint32_t *row);
struct functions_line functions_below(const struct view *view, uint32_t i);
uint64_t functions_below_key(const void *view, uint32_t i);
struct functions_line functions_line(const struct view *view, unsigned int i);
void functions_open_find(struct view *view);		/* call when order or table changed */
void functions_unfold(struct view *view, bool open);	/* opens, closes the cursor's row */
/* the text of a line that is not a row of the table */
void functions_line_text(const struct view *view, const struct functions_line *line,
			 struct text *out);
/* the function of a line; 0: there is none */
uint64_t functions_line_function(const struct view *view, const struct functions_line *line);
void functions_relative_name(const struct view *view, const struct relative *relative,
			     struct text *out);

/* functions_compare.c */
void functions_compare(struct view *view);		/* begins or ends the comparison */
void functions_compare_drop(struct view *view);
void functions_compare_work(struct view *view);
bool functions_compare_progressed(struct view *view);
void functions_compare_match(struct view *view);	/* call when one of the tables changed */
extern const struct table_columns functions_compare_columns;
void functions_compare_scope(const struct view *view, struct text *out);

/* functions_instances.c */
void functions_instances_init(struct view *view);
void functions_instances_want(struct view *view, uint64_t function);
void functions_instances_drop(struct view *view);
void functions_instances_stop(struct view *view);	/* keeps those that were found */
/* Looks again for those of the open row, of a trace that grew; what was found stays meanwhile. */
void functions_instances_grow(struct view *view);
bool functions_instances_progressed(struct view *view);	/* false: nothing is new */
/* *nr is 0 while they are searched for */
const struct call_instance *functions_instances(const struct view *view, uint32_t *nr);
/* Show a call in Graph, found by the row of its exit. */
void functions_show_call(struct view *view, trace_ref exit, uint64_t duration);
/* Enter on a function shows the call with the most net time, not the longest one. */
bool functions_shows_net(const struct view *view);
/* shows an instance in Graph */
void functions_show_instance(struct view *view, const struct call_instance *instance);
void functions_instance_text(const struct view *view, const struct call_instance *instance,
			     struct text *out);
const char *functions_instances_word(const struct view *view);	/* "longest", "most net" */
void functions_instances_draw(struct view *view, const struct view_area *area);
bool functions_instances_request(struct view *view, enum request request, char letter);

/* functions_groups.c */
enum grouping functions_grouping(char letter);	/* of a list; GROUPING_NONE: it is another one */
char functions_letter(const struct view *view);	/* of the list that is shown */
void functions_group_by(struct view *view, enum grouping by);
void functions_groups_stop(struct view *view);		/* the scope changes; what is shown stays */
void functions_groups_hold(struct view *view);
void functions_groups_drop(struct view *view);
void functions_groups_work(struct view *view);
bool functions_groups_progressed(struct view *view);
void functions_groups_match(struct view *view);		/* call when one of the tables changed */
bool functions_has_groups(const struct view *view);	/* are they known? */
/* Rows: those of functions, and then those of groups, as table_ops has them. */
uint32_t functions_nr_rows(const void *view);
bool functions_is_group(const struct view *view, uint32_t row);
const struct function_row *functions_row(const struct view *view, uint32_t row);
/* what it is compared with; NULL: nothing */
const struct function_row *functions_row_of_rest(const struct view *view, uint32_t row);
uint64_t functions_key(const void *view, uint32_t row);
uint32_t functions_parent(const void *view, uint32_t row);
bool functions_is_row_shown(const void *view, uint32_t row);
void functions_lead(const void *view, uint32_t row, struct text *out);
void functions_fold(struct view *view, bool open);	/* the function of the cursor's row */
void functions_fold_all(struct view *view, bool open);
bool functions_is_open(struct view *view);	/* it, or the function of this group */

/* functions_stacks.c */
void functions_stacks_look(struct view *view);
void functions_stacks_drop(struct view *view);
void functions_stacks_grow(struct view *view);		/* keeps what the next count needs */
void functions_stacks_work(struct view *view);		/* begins to count, if need be */
bool functions_stacks_progressed(struct view *view);	/* true: all is counted now */
const struct call_paths *functions_stacks_paths(struct view *view);
/* Do stacks of events weigh differently?  Then the flame graph is by weight, else by number. */
bool functions_stacks_vary(const struct view *view);
void functions_stacks_draw(struct view *view, const struct view_area *area);

/* functions_draw.c */
/* "range whole  filter none" */
void functions_scope_text(struct view *view, struct text *out);
void functions_lines_init(struct view *view);
void functions_draw(struct view *view, const struct view_area *area);
void functions_draw_detail(struct view *view, const struct view_area *area, int max_rows);
#endif
