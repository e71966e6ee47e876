/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_DETAIL_H
#define FTOP_UI_VIEW_DETAIL_H
/*
 * detail - the pane below the rows: what the selected row means, its flags in words,
 * and its fields, which have a cursor.
 */
#include "ui/rows/row.h"
#include "ui/rows/shared.h"
#include "ui/screen/list_window.h"
#include "ui/view/view.h"
#include "ui/rows/words.h"

struct detail {
	trace_ref		 ref;		/* the row loaded; TRACE_REF_NONE: none */
	uint32_t		 size;		/* bytes of the record */
	struct words_field	*fields;	/* owned, [nr] */
	unsigned int		 nr;
	struct text		 words, flags;
	bool			 focused;	/* keys go to the fields */
	struct list_window	 window;	/* the fields on the screen; its
						   cursor, where they have the keys */
	struct text		 chosen;	/* name of the field chosen with
						   j and k; "": the first */
};

void detail_init(struct detail *detail);
void detail_fini(struct detail *detail);
void detail_forget(struct detail *detail);	/* call when marks or the trace change */
/* does nothing for the same row */
void detail_load(struct detail *detail, const struct shared *shared, const struct row *row);
/* moves the cursor; false: it is another one */
bool detail_request(struct detail *detail, enum request request);
/* the field under the cursor, or NULL */
const struct words_field *detail_field(const struct detail *detail);
/* Rows that the marks, the note and the words of @row need: the row loaded last. */
int detail_word_rows(const struct detail *detail, const struct shared *shared,
		     const struct row *row);
/* @row: the row loaded last.  Scrolls so that the field under the cursor is in the area. */
void detail_draw(struct detail *detail, const struct shared *shared, const struct row *row,
		 const struct view_area *area);
#endif
