/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_TOUR_H
#define FTOP_UI_TOUR_H
/*
 * tour - the demo's steps: a row above the key bar names keys and what they lead to,
 * and goes on when that is reached, by these keys or others.
 */
#include <stdbool.h>
#include "ui/screen/canvas.h"
#include "ui/rows/shared.h"

struct tour {
	bool		on;
	unsigned int	step;
	bool		seen;		/* of this step: what comes before its end */
};

/* What of the screen a step looks at, besides the shared state. */
struct tour_screen {
	bool	fields;			/* keys go to the fields of the row */
	bool	help;			/* the help is open */
	bool	saving;			/* a name is asked for, or a file is written */
};

void tour_begin(struct tour *tour);
/* True: something was reached, and another step is shown; behind the last one it is off. */
bool tour_follow(struct tour *tour, const struct shared *shared, const struct tour_screen *screen);
void tour_draw(const struct tour *tour, struct canvas *canvas, int row);
#endif
