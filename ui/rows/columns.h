/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_COLUMNS_H
#define FTOP_UI_ROWS_COLUMNS_H
/* columns - the columns of the Events view: which are shown, how wide they are, and their texts. */
#include "ui/rows/row.h"
#include "ui/rows/rows.h"
#include "ui/rows/shared.h"

enum column_id {
	COLUMN_TIME,
	COLUMN_DELTA,
	COLUMN_DELTA_CPU,
	COLUMN_DELTA_TASK,
	COLUMN_DELAY,
	COLUMN_CPU,
	COLUMN_TASK,
	COLUMN_PROCESS,
	COLUMN_FLAGS,
	COLUMN_INSTANCE,
	COLUMN_FILE,
	COLUMN_DURATION,
	COLUMN_EVENT,
	COLUMN_WHAT,
	NR_COLUMNS
};

enum column_wish { COLUMN_AUTO, COLUMN_ON, COLUMN_OFF };

struct columns {
	enum column_wish wish[NR_COLUMNS];
	/* laid out for a width: */
	int		 cols;		/* width of the screen */
	int		 time_cells;	/* needed by the rows shown if the
					   last time is damaged; else 0 */
	int		 left[NR_COLUMNS], width[NR_COLUMNS];	/* width 0: not shown */
};

struct column_cell {			/* what a column shows of a row, which is an event */
	const struct shared *shared;
	const struct row_line_ref *line;
	int		 width, cols;	/* width of the column; columns of the screen */
};

struct column_info {
	const char	*name, *title;
	bool		 right;		/* right-aligned */
	int		 min_cols;	/* width from which a screen shows it by default */
	const char	*help;
	/* @out is empty */
	void		 (*text)(const struct column_cell *cell, struct text *out);
	enum role	 (*role)(const struct column_cell *cell);	/* NULL: plain */
	enum role	 plain;
};

const struct column_info *column_info(enum column_id id);
void columns_layout(struct columns *columns, const struct shared *shared, int cols);
/* Call before the layout: a damaged time elsewhere then does not widen the time column. */
void columns_fit_times(struct columns *columns, const struct shared *shared,
		       const struct row_line_ref *lines, unsigned int nr, int cols);
void columns_toggle(struct columns *columns, enum column_id id);
/* What was toggled, as lines "show NAME" and "hide NAME". */
void columns_save(const struct columns *columns, struct text *out);
void columns_restore(struct columns *columns, const char *key, const char *name);
/* The heading of a column; that of the text column is "event" if it includes the event's name. */
const char *columns_title(const struct columns *columns, const struct shared *shared,
			  enum column_id id);
/* What rows_set_gaps() finds for the columns that are shown. */
unsigned int columns_gaps(const struct columns *columns);
/* Does the text column include the event's name? */
bool columns_text_has_name(const struct columns *columns);
#endif
