/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_TOUR_H
#define FTOP_UI_VIEW_TOUR_H
/*
 * tour - the demo's steps: a row above the key bar names keys and what they do. The next step comes
 * when that is done, with these keys or others.
 */
#include <stdbool.h>
#include "ui/screen/canvas.h"
#include "ui/rows/shared.h"

/* State of the screen that steps check, besides the shared state. */
struct tour_screen {
	bool	fields;			/* keys go to the fields of the row */
	bool	help;			/* the help is open */
	bool	saving;			/* the file name prompt is open,
					   or a file is being written */
};

struct tour {
	bool		on;
	unsigned int	step;
	bool		seen;		/* the first part of this step was done */
	const struct shared *shared;	/* borrowed, while steps look at them: */
	const struct tour_screen *screen;
};

void tour_begin(struct tour *tour);
/* True: the step changed; after the last one the tour is off. */
bool tour_follow(struct tour *tour, const struct shared *shared, const struct tour_screen *screen);
void tour_draw(const struct tour *tour, struct canvas *canvas, int row);
#endif
