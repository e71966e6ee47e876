/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CURSOR_PRIVATE_H
#define FTOP_PARSERS_CURSOR_PRIVATE_H
/*
 * cursor_private - what cursor.c (moves row by row) and cursor_seek.c (looks for a moment) share.
 */
#include "parsers/pages/cursor.h"

#define MAX_ZERO_PROBES	64u	/* pages without a time that a search looks behind */

bool cursor_load_page(struct cursor *c);	/* for cursor_load() */
void cursor_rewind(struct cursor *c);		/* the walk to the first record of the loaded page */
void cursor_note_end(struct cursor *c);		/* the cursor's walk has come to the end of the page: what is known from it */
void cursor_lost_row(struct cursor *c, struct cursor_row *row);	/* the row of what was lost before the loaded page */

/* The place's page in memory; false behind the last one. */
static inline bool cursor_load(struct cursor *c)
{
	return c->loaded || cursor_load_page(c);
}

/* A step of a walk over a page; false at its end. */
static inline bool cursor_walk(const struct cursor *c, struct sub_buffer *walk, struct record *rec)
{
	return c->text ? text_blocks_next(walk, rec) : sub_buffer_next(walk, rec);
}
#endif
