/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_FUNCTIONS_H
#define FTOP_UI_VIEW_FUNCTIONS_H
/*
 * view_functions - what the files of the Functions view share: view_functions.c (its life
 * and lists), functions_table.c (order and keys of the table), functions_draw.c (columns,
 * rows, callers and callees), functions_flame.c and functions_flame_draw.c (flame graph).
 */
#include "src/function_job.h"
#include "src/graph_records.h"
#include "ui/functions_flame.h"
#include "ui/view.h"

enum function_column {
	FUNCTION_NAME, FUNCTION_CALLS, FUNCTION_TOTAL, FUNCTION_SELF, FUNCTION_NET, FUNCTION_AVG, FUNCTION_P50, FUNCTION_P99,
	FUNCTION_MAX, FUNCTION_HISTOGRAM, FUNCTION_OPEN, FUNCTION_ORPHAN, NR_FUNCTION_COLUMNS
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
	char		 list;		/* 't' the table, 'f' the flame graph */
	struct flame_view flame;
	uint32_t	*order;		/* owned, [table->nr] rows as they are sorted */
	enum function_column sort;
	bool		 inverted;
	unsigned int	 left;		/* columns behind the name that are left of the edge */
	unsigned int	 at, top, height;	/* row of the cursor, first row shown, rows of the screen */
	uint64_t	 here;		/* the function under the cursor; 0: none was chosen */
	struct relatives callers, callees;
	uint64_t	 relatives_of;	/* function whose these are; 0: of none */
	int		 body_top;	/* first row on the canvas, for the mouse */
};

static inline const struct function_row *functions_here(const struct view *view)
{
	return view->table && view->at < view->table->nr ? &view->table->rows[view->order[view->at]] : NULL;
}

/* view_functions.c */
void functions_filter(struct view *view, const char *name, char letter, bool without);	/* i x, of this function */

/* functions_table.c */
uint64_t functions_value(const struct function_row *row, enum function_column column);	/* what is sorted by; not of names */
void functions_sort(struct view *view);
void functions_select(struct view *view, int64_t row);	/* the cursor */
void functions_relatives(struct view *view);		/* of the function under the cursor */
void functions_drop_relatives(struct view *view);
bool functions_table_request(struct view *view, enum request request, char letter);
bool functions_table_find(struct view *view, bool forward);

/* functions_draw.c */
void functions_draw(struct view *view, const struct view_area *area);
void functions_draw_detail(struct view *view, const struct view_area *area, int max_rows);
void functions_row_text(struct view *view, const struct function_row *row, struct text *out);	/* all columns */
void functions_scope_text(struct view *view, struct text *out);	/* "range whole  filter none" */
#endif
