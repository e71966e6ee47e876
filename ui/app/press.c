/* SPDX-License-Identifier: GPL-2.0-or-later */
/* press - passes a key to a prompt, a popup, the record screen, the start screen or the view. */
#include <string.h>

#include "ui/app/app_state.h"
#include "ui/rows/goto.h"
#include "ui/table/table.h"

#define KEY_NS		10000000	/* ns that a key may spend on finding matches */

/* --- prompts ------------------------------------------------------------- */

static void accept_threshold(struct app *app, const char *text)
{
	struct ft_error err = { 0 };
	int64_t ns;

	if (!*text)
		app_message(app, "no time was given, such as 50us; the threshold is unchanged");
	else if (goto_parse_duration(text, &ns, &err))
		app_error(app, "'%s': %s", text, err.message);
	else if (ns <= 0)
		app_error(app, "'%s': the threshold must be more than 0", text);
	else
		actions_set_threshold(app, ns);
}

static void accept_note(struct app *app, const char *text)
{
	views_publish(app);
	places_note(&app->shared.places, app->shared.here, text);
	views_changed(app);
}

static void prompt_accepted(struct app *app)
{
	struct text text = { 0 };
	enum prompt_kind kind = app->prompt_kind;

	text_add(&text, text_str(&app->prompt.text));
	app->prompt_kind = PROMPT_NONE;
	switch (kind) {
	case PROMPT_NONE:
		break;
	case PROMPT_GO:
		commands_go(app, text_str(&text));
		break;
	case PROMPT_SEARCH:
		search_line_accept(app, text_str(&text));
		break;
	case PROMPT_NOTE:
		accept_note(app, text_str(&text));
		break;
	case PROMPT_SAVE:
		if (text.len && app->saves_cut)
			save_cut(app, text_str(&text));
		else if (text.len && app->saves_perfetto)
			save_perfetto_start(app, text_str(&text));
		else if (text.len)
			save_start(app, text_str(&text), app->save_format);
		break;
	case PROMPT_POPUP_SEARCH:
		if (text.len && !popup_find(&app->popup, text_str(&text), true))
			app_message(app, "not found: %s", text_str(&text));
		break;
	case PROMPT_THRESHOLD:
		accept_threshold(app, text_str(&text));
		break;
	case PROMPT_FILTER:
	case PROMPT_PICK:
		break;			/* these keep their own text */
	case PROMPT_OPEN:
		if (text.len)
			reopen_file(app, text_str(&text));
		break;
	case PROMPT_RECORD:
		record_prompt_accepted(app->record, text_str(&text));
		break;
	}
	text_fini(&text);
}

static void prompt_press(struct app *app, ui_key key, enum request request)
{
	if (app->prompt_kind == PROMPT_PICK) {
		picker_press(app, key, request);
		return;
	}
	if (app->prompt_kind == PROMPT_FILTER && key == UI_KEY_ENTER) {
		filter_line_accept(app);
		return;
	}
	if ((app->prompt_kind == PROMPT_FILTER ||
	     (app->prompt_kind == PROMPT_GO && app->shared.trace)) &&
	    (key == UI_KEY_TAB || key == UI_KEY_SHIFT_TAB)) {
		filter_line_complete(app, key == UI_KEY_TAB ? 1 : -1);
		return;
	}
	switch (prompt_key(&app->prompt, key)) {
	case PROMPT_SAME:
		break;
	case PROMPT_CHANGED:
		filter_line_changed(app);
		if (app->prompt_kind == PROMPT_GO)
			commands_go_hint(app);
		else if (app->prompt_kind == PROMPT_SEARCH)
			search_line_changed(app);
		break;
	case PROMPT_ACCEPTED:
		filter_line_changed(app);
		search_line_apply(app);
		prompt_accepted(app);
		break;
	case PROMPT_CANCELLED:
		if (app->prompt_kind == PROMPT_FILTER)
			filter_line_cancel(app);
		else if (app->prompt_kind == PROMPT_SEARCH)
			search_line_cancel(app);
		filter_line_changed(app);
		app->prompt_kind = PROMPT_NONE;
		break;
	}
}

/* --- keys ---------------------------------------------------------------- */

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
		app_open_prompt(app, PROMPT_POPUP_SEARCH, "find: ", "", NULL);
		return;
	case POPUP_UNKNOWN:
		break;
	}
	switch ((int)request) {
	case REQ_QUIT:
		app_quit(app);
		return;
	case REQ_REDRAW:
	case REQ_SUSPEND:
		actions_request(app, request, 0);
		return;
	case REQ_OPTIONS:		/* the key that opened it closes it */
	case REQ_COLUMNS:
	case REQ_MARK_LIST:
	case REQ_WHY:
		popup_close(&app->popup);
		return;
	}
	app_message(app, "not a key of this list; q closes it");
}

static void mouse(struct app *app)
{
	if (app->popup.picker) {
		int line = list_window_pressed(&app->popup.window, &app->mouse, app->popup.nr);

		if (line >= 0 && popup_chooses(&app->popup) && !app->popup.lines[line].heading)
			app->popup.window.at = (unsigned int)line;
		if (line >= 0 && popup_chooses(&app->popup) && app->mouse.kind == UI_MOUSE_DOUBLE)
			popup_press(app, UI_KEY_ENTER, REQ_ENTER);
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

static void view_press(struct app *app, ui_key key, enum request request)
{
	struct keymap_result result;
	enum request pending = app->keymap.pending;
	struct text name = { 0 };

	views_take_letters(app);	/* a trace that is read on may have more lists */
	result = keymap_press(&app->keymap, key, request);
	if (result.request != REQ_NONE) {
		actions_request(app, result.request, result.letter);
	} else if (result.unknown) {
		key_name(key, &name);
		if (pending != REQ_NONE) {
			struct text letters = { 0 };

			app->keymap.pending = pending;
			views_letters(app, &letters);
			app->keymap.pending = REQ_NONE;
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
	filters_budget(&app->shared.filters, KEY_NS);
	text_clear(&app->message);
	if (key == UI_KEY_RESIZE || key == UI_KEY_NONE)
		return;
	app->pressed = true;
	app->pressed_at = workers_now_ns();
	app->interrupted = app->interrupted && key == UI_KEY_CTRL('C');
	if (app->prompt_kind != PROMPT_NONE) {
		if (key != UI_KEY_MOUSE)
			prompt_press(app, key, request);
	} else if (app->popup.picker && record_shown(app->record) &&
		   !record_question(app->record) && key != UI_KEY_MOUSE) {
		popup_press(app, key, request);
	} else if (record_press(app->record, key, request, &app->mouse)) {
		return;
	} else if (!app->view && !app->popup.picker) {
		start_press(app, key, request);
	} else if (app->popup.picker && key != UI_KEY_MOUSE) {
		popup_press(app, key, request);
	} else {
		press_view(app, key, request);
	}
}
