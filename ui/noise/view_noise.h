/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_NOISE_VIEW_NOISE_H
#define FTOP_UI_NOISE_VIEW_NOISE_H
/*
 * view_noise - what the files of the Noise view share: view_noise.c (its life, lists, keys),
 * noise_tables.c (rows and cells), noise_draw.c (headings, the row under the cursor in words).
 */
#include "src/calls/graph_records.h"
#include "src/noise/noise_columns.h"
#include "ui/table/table.h"
#include "ui/view/view.h"

#define NOISE_MOST_LISTS	(NOISE_LISTS + NOISE_TRACERS + 2)

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	unsigned int	 file, cursor_file;	/* read; that of the shared cursor before */
	struct text	 key;		/* of filters and range */
	struct graph_scope scope;	/* owned filters */
	struct noise	*noise;		/* owned; NULL: not begun, or filters are not ready */
	/*
	 * .result of noise, NULL: not all is read; .tracer: the trace has it, if any; .parts: of
	 * the analysis.
	 */
	struct noise_rows rows;
	bool		 chosen;	/* by the user */
	enum noise_list	 list;
	struct view_list lists[NOISE_MOST_LISTS];	/* that are offered now */
	struct table	 table;		/* of the list */
	struct table_order order[NOISE_TRACERS][NOISE_LISTS];
	/* The sample that was entered, while list is NOISE_ANALYSIS. */
	struct noise_sample sample;
	struct noise_analysis analysis;
	bool		 entered;	/* from the samples */
};

/* noise_tables.c */
void noise_tables_init(struct view *view);
void noise_tables_choose(struct view *view);	/* columns, order and rows of the list */
/* The sample under the cursor, or the one that is analysed; NULL: there is none. */
const struct noise_sample *noise_here(const struct view *view);

/* While filters change, the table still has the rows of the former result. */
static inline bool noise_has_rows(const struct view *view)
{
	return view->rows.result && view->table.nr;
}

static inline const struct noise_cpu *noise_cpu_at(const struct view *view, uint32_t row)
{
	return &view->rows.result->cpus[view->rows.tracer][row];
}

/* noise_draw.c */
void noise_draw(struct view *view, const struct view_area *area);
void noise_say(struct view *view, struct text *heading, struct text *words);

/* view_noise.c */
void noise_enter(void *view);
#endif
