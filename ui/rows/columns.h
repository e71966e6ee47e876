/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_COLUMNS_H
#define FTOP_UI_COLUMNS_H
/* columns - those of the Events view, as a table: which are shown, how wide, what they say. */
#include "ui/rows/row.h"
#include "ui/rows/rows.h"
#include "ui/rows/shared.h"

enum column_id {
	COLUMN_TIME,
	COLUMN_DELTA,
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
	int		 cols;		/* of the screen */
	int		 time_cells;	/* that the rows shown need, where the trace's last time is absurd; 0: it is not */
	int		 left[NR_COLUMNS], width[NR_COLUMNS];	/* width 0: not shown */
};

struct column_info {
	const char	*name, *title;
	bool		 right;		/* aligned */
	int		 min_cols;	/* of the screen, to be shown by itself */
	const char	*help;
	/* A row that is an event; @out is empty. */
	void		 (*text)(const struct shared *shared, const struct row_line_ref *line, int width, int cols,
				 struct text *out);
	enum role	 (*role)(const struct shared *shared, const struct row_line_ref *line);
};

const struct column_info *column_info(enum column_id id);
void columns_layout(struct columns *columns, const struct shared *shared, int cols);
/* Before the layout: a damaged time somewhere does not widen the column of all. */
void columns_fit_times(struct columns *columns, const struct shared *shared, const struct row_line_ref *lines,
		       unsigned int nr, int cols);
void columns_toggle(struct columns *columns, enum column_id id);
/* The heading of a column here: the text is "event" where it carries the event's name. */
const char *columns_title(const struct columns *columns, const struct shared *shared, enum column_id id);
/* The text column says the event's name itself. */
bool columns_text_has_name(const struct columns *columns);
#endif
