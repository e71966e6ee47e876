/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_TOUR_H
#define FTOP_UI_VIEW_TOUR_H
/*
 * tour - the demo's steps: a row above the key bar names a key and why to press it. The next step
 * comes when its place is reached, by this key or others.
 */
#include <stdbool.h>
#include "ui/screen/canvas.h"
#include "ui/rows/shared.h"
#include "ui/view/host.h"

struct tour {
	bool		on;
	unsigned int	step;
	int64_t		from;		/* ts where this step began */
};

void tour_begin(struct tour *tour);
/* True: the step changed; after the last one the tour is off.  @view: the one shown. */
bool tour_follow(struct tour *tour, const struct shared *shared, enum view_id view);
extern const char tour_end[];		/* the answer, for the message after the last step */
/* @view: the one shown */
void tour_draw(const struct tour *tour, struct canvas *canvas, int row, enum view_id view);
#endif
