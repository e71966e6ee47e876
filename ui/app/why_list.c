/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why_list - Y and :why: the list of what a task's time was spent on.  The Timeline makes it. */
#include <stdio.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "ui/app/app_state.h"

static void add_line(void *arg, const char *text, const struct place *place)
{
	struct app *app = arg;

	mem_grow(&app->why.places, app->why.nr, &app->why.cap);
	app->why.places[app->why.nr] = *place;
	popup_add(&app->popup, (int)app->why.nr++, false, text);
}

/* False: the Timeline does not know yet. */
static bool list(struct app *app)
{
	struct text title = { 0 };
	struct view_why why = { .title = &title, .line = add_line, .arg = app };
	enum view_why_result result;

	app->why.nr = 0;
	popup_open(&app->popup, POPUP_WHY, "", "j k Move  Enter Go to the longest  / Find  q Back",
		   true);
	result = app->ops->moments->why(app->view, &why);
	if (result == VIEW_WHY_LISTED)
		snprintf(app->popup.title, sizeof(app->popup.title), "%s", text_str(&title));
	else
		popup_close(&app->popup);
	text_fini(&title);
	return result != VIEW_WHY_LATER;
}

static bool can(const struct app *app)
{
	return app->ops && app->ops->moments && app->ops->moments->why;
}

void why_list_open(struct app *app)
{
	if (!can(app) && app->shared.here.set)
		views_show_at(app, VIEW_TIMELINE, &app->shared.here);
	/* a view that was just opened chooses its row when it is drawn */
	app->why.wanted = can(app);
	app->dirty = true;
}

void why_list_follow(struct app *app)
{
	if (!app->why.wanted || app->dirty)
		return;
	app->why.wanted = can(app) && !list(app);
	app->dirty = !app->why.wanted;
}

void why_list_take(struct app *app, int i)
{
	views_jump_to_place(app, &app->why.places[i]);
}

void why_list_drop(struct app *app)
{
	free(app->why.places);
	app->why.places = NULL;
	app->why.nr = app->why.cap = 0;
	app->why.wanted = false;
}
