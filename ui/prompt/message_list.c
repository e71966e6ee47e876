/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/message_list.h"

#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"

/* The warnings about the files come before all messages. */
static void add_warnings(struct app *app)
{
	struct text note = { 0 };

	for (unsigned int i = 0; i < shared_nr_warnings(&app->shared); i++) {
		text_clear(&note);
		shared_warning(&app->shared, i, &note);
		popup_add_entry(&app->popup, app->canvas.cols, 0, 2, "!", text_str(&note));
	}
	text_fini(&note);
}

static const struct picker message_picker = { .keys = "j k Move  / Find  q Back" };

void message_list_open(struct app *app)
{
	popup_open(&app->popup, &message_picker, "Messages, newest first");
	for (unsigned int i = app->nr_log; i-- > 0;)
		popup_add_entry(&app->popup, app->canvas.cols, 0, 2, "·", app->log[i]);
	if (app->view)
		add_warnings(app);
	if (app->options->notice)
		popup_add_entry(&app->popup, app->canvas.cols, 0, 2, "!", app->options->notice);
	if (!app->popup.nr)
		popup_add(&app->popup, 0, false, "no messages yet");
}
