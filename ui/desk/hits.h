/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_DESK_HITS_H
#define FTOP_UI_DESK_HITS_H
/*
 * hits - rows that contain the search pattern; workers find them in the whole trace while the user
 * reads on. The pattern becomes a filter of lines as they are shown, combined with the filters that
 * hide rows.
 */
#include "src/match/search.h"
#include "ui/view/view.h"

struct matches *hits_of_pattern(struct app *app);	/* starts the search; NULL: not available */
void hits_drop(struct app *app);
void hits_refresh(struct app *app);	/* the rows searched, or their text, may have changed */
bool hits_await(const struct app *app);			/* there are more hits than were drawn */
void hits_follow(struct app *app);
#endif
