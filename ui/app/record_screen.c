/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/record_screen.h"

#include "ui/app/actions.h"
#include "ui/app/loop.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/prompt/prompts.h"
#include "ui/session/reopen.h"

static void redraw(struct app *app)
{
	app->dirty = true;
}

static struct ui_term *term(struct app *app)
{
	return app->term;
}

static bool has_trace(struct app *app)
{
	return app->shared.trace != NULL;
}

static void request_of_all(struct app *app, enum request request)
{
	actions_request(app, request, 0);
}

static void quit(struct app *app, const char *farewell)
{
	if (farewell) {
		text_clear(&app->loop->farewell);
		text_add(&app->loop->farewell, farewell);
	}
	app->quit = true;
}

static void asked(struct app *app, const char *text)
{
	record_prompt_accepted(app->loop->record, text);
}

static const struct typed typed_for_record = { .accepted = asked };

static void ask(struct app *app, const char *label, const char *text, const char *hint,
		bool has_history)
{
	app_open_prompt(app, &typed_for_record, label, text,
			has_history ? &app->prompts->other_history : NULL);
	if (hint) {
		app->prompt.is_sentence = true;
		text_add(&app->prompt.hint, hint);
	}
}

void record_screen_init(struct app *app)
{
	app->loop->record_host = (struct record_host){
		.app = app,
		.view_host = &app->host,
		.command = app->options->record,
		.program = app->options->program ? app->options->program : "ftop-trace",
		.broker = app->options->broker,
		.canvas = &app->canvas,
		.popup = &app->popup,
		.redraw = redraw,
		.term = term,
		.has_trace = has_trace,
		.open_file = reopen_file,
		.request = request_of_all,
		.quit = quit,
		.ask = ask,
	};
}

struct record_ui *record_screen(struct app *app)
{
	if (!app->loop->record)
		app->loop->record = record_new(&app->loop->record_host);
	return app->loop->record;
}
