/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/desk/desk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/shorten.h"
#include "src/base/workers.h"

/* --- messages ------------------------------------------------------------ */

void app_say(struct app *app, bool is_error, const char *text)
{
	if (app->typed && app->typed->say) {
		app->typed->say(app, is_error, text);
		return;
	}
	text_clear(&app->message);
	text_printable(&app->message, text, strlen(text));
	app->message_is_error = is_error;
	app->message_from_end = false;
	app->message_at = workers_now_ns();
	app->dirty = true;
	if (app->nr_log == APP_MESSAGES) {
		free(app->log[0]);
		memmove(app->log, app->log + 1, sizeof(app->log[0]) * --app->nr_log);
	}
	app->log[app->nr_log++] = mem_strdup(text_str(&app->message));
}

void app_say_warnings(struct app *app)
{
	unsigned int nr = shared_nr_warnings(&app->shared);
	struct text note = { 0 }, cut = { 0 };
	char tail[80];
	int room;

	if (!nr)
		return;
	snprintf(tail, sizeof(tail), ": %u problem%s in the file%s, see :messages", nr, PLURAL(nr),
		 PLURAL(trace_nr_files(app->shared.trace)));
	room = app->canvas.cols - 2 - (int)strlen(tail);
	shared_warning(&app->shared, 0, &note);
	shorten_end(text_str(&note), room > 20 ? room : 20, &cut);
	app_error(app, "%s%s", text_str(&cut), tail);
	free(app->log[--app->nr_log]);		/* the list shows the warnings in full */
	text_fini(&note);
	text_fini(&cut);
}

void app_copy(struct app *app, const char *what, const char *s, size_t len)
{
	struct text size = { 0 };

	if (!app->term) {
		app_message(app, "%s: %.*s", what, (int)(len < 200 ? len : 200), s);
	} else if (!term_copy(app->term, s, len)) {
		app_error(app, "too long for a terminal's clipboard; S t saves to a file");
	} else if (!strcmp(what, "command")) { /* worth reading, too */
		app_message(app, "%s copied: %.*s", what, (int)len, s);
	} else {
		text_counted(&size, len, "byte");
		app_message(app, "%s copied, %s, if the terminal supports OSC 52", what,
			    text_str(&size));
	}
	text_fini(&size);
}

/* --- prompts, theme, the end ------------------------------------------------ */

void app_open_prompt(struct app *app, const struct typed *typed, const char *label,
		     const char *text, struct prompt_history *history)
{
	app->typed = typed;
	prompt_open(&app->prompt, label, text, history);
}

int app_load_theme(struct app *app, const char *name)
{
	struct ft_error err = { 0 };
	struct theme theme;

	if (theme_load(&theme, name, &err)) {
		app_error(app, "%s", err.message);
		return -1;
	}
	app->theme = theme;
	app->theme_follows = false;
	if (app->term)
		term_set_theme(app->term, &app->theme);
	app->dirty = true;
	return 0;
}

void app_begin_job(struct app *app, const struct job *job)
{
	app->job = job;
	app->job_started = workers_now_ns();
}

void app_end_job(struct app *app)
{
	if (app->job)
		app->job->end(app);
	app->job = NULL;
}

void app_end_search(struct app *app)
{
	if (app->job && !app->job->saves)
		app_end_job(app);
}
