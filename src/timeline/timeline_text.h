/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_TIMELINE_TEXT_H
#define FTOP_SRC_TIMELINE_TIMELINE_TEXT_H
/* timeline_text - a timeline as lines of text: `ftop-trace timeline`, and what the view saves. */
#include "src/match/filter_option.h"
#include "src/timeline/timeline.h"

#define TIMELINE_TEXT_LABEL	19	/* cells of name, load and a blank before the columns */

struct timeline_text {
	const struct timeline_row *rows;	/* [nr_rows] */
	uint32_t	nr_rows;
	int		label;		/* cells before the columns, at least TIMELINE_TEXT_LABEL */
	bool		has_at;		/* mark a moment, and describe what row @at did then */
	int64_t		at_ts;
	uint32_t	at;		/* index of a drawn row */
	struct row_picker *picker;	/* selects the rows drawn; nothing is drawn if it only
					 * counts; NULL: all rows */
};

/*
 * Append the picture: printable lines, each ended by a newline.  The window was set; the model is
 * locked.
 */
void timeline_text_picture(struct timeline *timeline, const struct timeline_text *picture,
			   struct text *out);
#endif
