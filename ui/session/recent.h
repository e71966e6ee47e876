/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_RECENT_H
#define FTOP_UI_SESSION_RECENT_H
/* recent - the traces that the start screen offers: those opened last, and those of this folder. */
#include "ui/view/view.h"

#define RECENT_MAX	9		/* a digit each */
#define RECENT_KEPT	5		/* most of them that were opened before */

struct recent {				/* recent.c: a trace that the start screen offers */
	char		*path, *kept;	/* owned; kept: "2 marks", or "" */
	uint64_t	 size;		/* bytes */
	bool		 was_open;
	int64_t		 when;		/* s since 1970: it was open last, or was written */
};

void recent_find(struct app *app);
void recent_free(struct app *app);
/* size, age, what is kept */
void recent_describe(const struct recent *recent, struct text *out);
#endif
