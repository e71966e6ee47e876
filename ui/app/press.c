/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/press.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/app/actions.h"
#include "ui/app/frame.h"
#include "ui/app/loop.h"
#include "ui/app/start.h"
#include "ui/desk/desk.h"
#include "ui/desk/finder.h"
#include "ui/desk/split.h"
#include "ui/desk/view_table.h"
#include "ui/table/table.h"
#include "ui/view/help.h"

#define KEY_NS		10000000	/* ns that a key may spend on finding matches */

/* --- prompts ------------------------------------------------------------- */

static void prompt_press(struct app *app, ui_key key, enum request request)
{
	const struct typed *typed = app->typed;
	char *text;

	if (typed->press && typed->press(app, key, request))
		return;
	switch (prompt_key(&app->prompt, key)) {
	case PROMPT_SAME:
		break;
	case PROMPT_CHANGED:
		if (typed->changed)
			typed->changed(app);
		break;
	case PROMPT_ACCEPTED:
		app->typed = NULL;
		text = mem_strdup(text_str(&app->prompt.text));	/* it may open another prompt */
		if (typed->accepted)
			typed->accepted(app, text);
		free(text);
		break;
	case PROMPT_CANCELLED:
		if (typed->cancelled)
			typed->cancelled(app);
		app->typed = NULL;
		break;
	}
}

/* --- keys ---------------------------------------------------------------- */

static void find_in_list(struct app *app, const char *text)
{
	if (*text && !popup_find(&app->popup, text, true))
		app_message(app, "not found: %s", text);
}

static const struct typed typed_in_list = { .accepted = find_in_list };

static void popup_press(struct app *app, ui_key key, enum request request)
{
	switch (popup_key(&app->popup, key, request)) {
	case POPUP_STAYS:
		return;
	case POPUP_CLOSED:
		popup_close(&app->popup);
		return;
	case POPUP_CHOSEN:
		popup_choose(&app->popup, app, false);
		return;
	case POPUP_TOGGLED:
		popup_choose(&app->popup, app, true);
		return;
	case POPUP_SEARCH:
		app_open_prompt(app, &typed_in_list, "find: ", "", NULL);
		return;
	case POPUP_MORE:
		help_open_all(&app->popup, app->canvas.cols, view_table,
			      app->view ? app->view_id : NR_VIEWS);
		return;
	case POPUP_UNKNOWN:
		break;
	}
	switch ((int)request) {
	case REQ_QUIT:
		app->above->quit(app);
		return;
	case REQ_REDRAW:
	case REQ_SUSPEND:
		actions_request(app, request, 0);
		return;
	case REQ_OPTIONS:		/* the key that opened it closes it */
	case REQ_COLUMNS:
	case REQ_MARK_LIST:
	case REQ_WHY:
	case REQ_VIEW_LIST:
		popup_close(&app->popup);
		return;
	}
	app_message(app, "not a key of this list; q closes it");
}

static void enter(struct app *app)
{
	if (app->typed)
		prompt_press(app, UI_KEY_ENTER, REQ_ENTER);
	else
		popup_press(app, UI_KEY_ENTER, REQ_ENTER);
}

static void mouse(struct app *app)
{
	if (app->popup.picker) {
		int line = list_window_pressed(&app->popup.window, &app->mouse, app->popup.nr);

		if (line >= 0 && popup_chooses(&app->popup) && !app->popup.lines[line].heading)
			app->popup.window.at = (unsigned int)line;
		if (line >= 0 && popup_chooses(&app->popup) && app->mouse.kind == UI_MOUSE_DOUBLE)
			enter(app);
		if (app->mouse.kind == UI_MOUSE_WHEEL_UP || app->mouse.kind == UI_MOUSE_WHEEL_DOWN)
			for (int i = 0; i < 3; i++)
				popup_key(&app->popup, UI_KEY_NONE,
					  app->mouse.kind == UI_MOUSE_WHEEL_UP ? REQ_UP : REQ_DOWN);
		return;
	}
	if (frame_mouse(app))
		return;
	split_mouse(app);
	if (frame_list_tab(app))
		return;
	if (app->ops->mouse)
		app->ops->mouse(app->view, &app->mouse);
	else if (app_table(app))
		table_mouse(app_table(app), &app->mouse);
	app->behind = true;
}

static void take_letters(struct app *app)
{
	const struct list_tab *list = app->ops->lists ? view_lists_now(app->ops, app->view) : NULL;
	unsigned int nr = 0;

	app->loop->keymap.lists = NULL;
	if (!list)
		return;
	for (; list->letter && nr + 1 < sizeof(app->loop->list_letters); list++)
		if (list_tab_has_key(list))
			app->loop->list_letters[nr++] = list->letter;
	/* also letters of lists that may have rows later */
	for (list = app->ops->lists->all; list->letter && nr + 1 < sizeof(app->loop->list_letters);
	     list++)
		app->loop->list_letters[nr++] = list->letter;
	app->loop->list_letters[nr] = '\0';
	app->loop->keymap.lists = app->loop->list_letters;
}

void press_letters(const struct app *app, struct text *out)
{
	const struct list_tab *list = app->view && app->ops->lists ?
					      view_lists_now(app->ops, app->view) :
					      NULL;

	if (app->loop->keymap.pending != REQ_CHOOSE_LIST || !list) {
		text_add(out, request_info(app->loop->keymap.pending)->letters);
		return;
	}
	text_add(out, "list:");
	for (; list->letter; list++) {
		if (list_tab_has_key(list))
			text_printf(out, "  %c %s", list->letter, list->name);
		else
			text_printf(out, "  :list %s", list->name);
	}
}

static void view_press(struct app *app, ui_key key, enum request request)
{
	struct keymap_result result;
	enum request pending = app->loop->keymap.pending;
	struct text name = { 0 };

	take_letters(app);	/* a trace that is read on may have more lists */
	result = keymap_press(&app->loop->keymap, key, request);
	if (result.request != REQ_NONE) {
		actions_request(app, result.request, result.letter);
	} else if (result.unknown) {
		key_name(key, &name);
		if (pending != REQ_NONE) {
			struct text letters = { 0 };

			app->loop->keymap.pending = pending;
			press_letters(app, &letters);
			app->loop->keymap.pending = REQ_NONE;
			app_message(app, "%s is not one of these:%s", text_str(&name),
				    strchr(text_str(&letters), ':') + 1);
			text_fini(&letters);
		} else {
			app_message(app, "%s is not bound; ? lists the keys", text_str(&name));
		}
	}
	text_fini(&name);
}

/* A click on a word of the bottom line presses its key. */
static ui_key pressed_key(const struct app *app, ui_key key)
{
	ui_key of_bar = key == UI_KEY_MOUSE ? frame_bar_key(app) : UI_KEY_NONE;

	return of_bar == UI_KEY_NONE ? key : of_bar;
}

static void press_view(struct app *app, ui_key key, enum request request)
{
	bool searched = finder_runs(app, false);

	if (!finder_takes_key(app, key))
		return;
	text_clear(&app->message);
	if (key == UI_KEY_MOUSE)
		mouse(app);
	else
		view_press(app, key, request);
	if (!searched && finder_runs(app, false))
		app->search_key = key;
}

void press_key(struct app *app, ui_key key)
{
	enum request request;

	key = pressed_key(app, key);
	request = keymap_find(key);
	app->dirty = true;
	app->entering = false;
	filters_budget(&app->shared.chosen.filters, KEY_NS);
	text_clear(&app->message);
	if (key == UI_KEY_RESIZE || key == UI_KEY_NONE)
		return;
	app->pressed = true;
	app->loop->pressed_at = workers_now_ns();
	app->loop->interrupted = app->loop->interrupted && key == UI_KEY_CTRL('C');
	app->loop->came_back = app->loop->came_back && request == REQ_BACK;
	if (app->typed) {
		if (key != UI_KEY_MOUSE)
			prompt_press(app, key, request);
		else if (app->popup.picker)
			mouse(app);
	} else if (app->popup.picker && record_shown(app->loop->record) &&
		   !record_question(app->loop->record) && key != UI_KEY_MOUSE) {
		popup_press(app, key, request);
	} else if (record_press(app->loop->record, key, request, &app->mouse)) {
		return;
	} else if (!app->view && !app->popup.picker) {
		start_press(app, key, request);
	} else if (app->popup.picker && key != UI_KEY_MOUSE) {
		popup_press(app, key, request);
	} else {
		press_view(app, key, request);
	}
}
