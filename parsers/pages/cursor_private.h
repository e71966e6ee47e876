/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_CURSOR_PRIVATE_H
#define FTOP_PARSERS_PAGES_CURSOR_PRIVATE_H
/* cursor_private - shared by cursor.c (moves row by row) and cursor_seek.c (finds a time). */
#include "parsers/pages/cursor.h"

#define MAX_ZERO_PROBES	64u	/* consecutive pages without a time that a search tries */

bool cursor_load_page(struct cursor *c);	/* for cursor_load() */
/* moves the walk to the first record of the loaded page */
void cursor_rewind(struct cursor *c);
/* call when the cursor's walk has reached the end of the page: keeps what it found */
void cursor_note_end(struct cursor *c);
void cursor_lost_row(struct cursor *c, struct cursor_row *row); /* fills in the row of the events
								 * lost before the loaded page */

/*
 * Make sure the cursor's page is in memory; if that was dropped, it goes to the first one that was
 * not.  False past the last one.
 */
static inline bool cursor_load(struct cursor *c)
{
	return (c->loaded && c->page >= page_index_start(c->index)) || cursor_load_page(c);
}
#endif
