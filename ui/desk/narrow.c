/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/desk/narrow.h"

#include "ui/desk/desk.h"

/* Shows the keys, or why the list is empty, above the prompt. */
static void hint(struct app *app)
{
	text_clear(&app->prompt.hint);
	text_add(&app->prompt.hint,
		 app->popup.nr ? app->popup.picker->keys : "nothing contains this; Esc back");
}

/* Enter takes the line: the prompt closes with the list, unless that stays. */
static void take(struct app *app)
{
	if (!app->popup.nr)
		return;
	if (app->popup.picker->take)
		app->typed = NULL;
	popup_choose(&app->popup, app, false);
}

static bool press(struct app *app, ui_key key, enum request request)
{
	switch (key) {
	case UI_KEY_UP:
	case UI_KEY_DOWN:
	case UI_KEY_PAGE_UP:
	case UI_KEY_PAGE_DOWN:
		popup_key(&app->popup, key, request);
		return true;
	case UI_KEY_ENTER:
		take(app);
		return true;
	case '/':			/* as in lists that are only read */
		return !app->prompt.text.len;
	}
	return false;
}

static void changed(struct app *app)
{
	popup_narrow(&app->popup, text_str(&app->prompt.text));
	popup_start(&app->popup);
	hint(app);
}

static void cancelled(struct app *app)
{
	popup_close(&app->popup);
}

static const struct typed typed_narrow = {
	.press = press,
	.changed = changed,
	.cancelled = cancelled,
};

void narrow_open(struct app *app)
{
	if (app->typed != &typed_narrow)
		app_open_prompt(app, &typed_narrow, app->popup.picker->label, "", NULL);
	app->popup.foot = 1;
	popup_narrow(&app->popup, text_str(&app->prompt.text));
	hint(app);
}
