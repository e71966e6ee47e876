/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/start.h"

#include <string.h>
#include <unistd.h>

#include "src/base/shorten.h"
#include "ui/app/actions.h"
#include "ui/app/loop.h"
#include "ui/app/record_screen.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"
#include "ui/prompt/prompts.h"
#include "ui/session/recent.h"
#include "ui/session/reopen.h"
#include "ui/session/session.h"
#include "ui/view/help.h"

enum start_action { START_OPEN, START_DEMO, START_RECORD, START_DOCTOR, START_HELP, START_QUIT };

static const struct {
	char		 key;
	enum start_action action;
	const char	*what, *more;
} lines[] = {
	{ 'o', START_OPEN, "open a trace", "a trace.dat written by trace-cmd" },
	{ 'd', START_DEMO, "demo",
	  "a sample trace, and a tour: why did a request take 52 ms?" },
	{ 'R', START_RECORD, "record", "choose what to record, then browse it" },
	{ 'D', START_DOCTOR, "doctor", "check what can be recorded here" },
	{ '?', START_HELP, "help", "list the keys" },
	{ 'q', START_QUIT, "quit", "" },
};

#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

/* Describes a line, or the obstacle if it cannot be used. */
static void add_more(const struct app *app, size_t line, struct text *out)
{
	unsigned int nr = record_in_the_way(app->loop->record);

	if (lines[line].action == START_DEMO && !app->options->demo)
		text_add(out, "is not installed");
	else if (lines[line].action == START_RECORD && record_running(app->loop->record))
		record_status_text(app->loop->record, out);
	else if (lines[line].action == START_RECORD)
		record_obstacle_line(app->loop->record, out);
	else if (lines[line].action == START_DOCTOR && nr)
		text_printf(out, "%u problem%s", nr, PLURAL(nr));
	if (!out->len)
		text_add(out, lines[line].more);
}

/* A file of this folder has its name alone. */
static const char *path_from(const char *folder, const char *path)
{
	size_t len = strlen(folder);

	return !strncmp(path, folder, len) && path[len] == '/' && !strchr(path + len + 1, '/') ?
		       path + len + 1 :
		       path;
}

static void draw_recent(struct app *app, int row)
{
	struct canvas *canvas = &app->canvas;
	struct text name = { 0 }, line = { 0 };
	char folder[4096] = "";

	if (!getcwd(folder, sizeof(folder)))
		folder[0] = '\0';

	for (unsigned int i = 0; i < app->session->nr_recent && row < canvas->rows - 1;
	     i++, row++) {
		char digit[2] = { (char)('1' + i), '\0' };
		const char *path = path_from(folder, app->session->recent[i].path);

		text_clear(&name);
		text_clear(&line);
		text_printable(&line, path, strlen(path));
		shorten_behind(text_str(&line), 0, canvas->cols / 2 - 6, &name);
		text_clear(&line);
		recent_describe(&app->session->recent[i], &line);
		canvas_text(canvas, row, 2, 1, ROLE_KEYBAR_KEY, digit);
		canvas_fit(canvas, row, 5, canvas->cols / 2 - 5, ROLE_TEXT, text_str(&name));
		canvas_fit(canvas, row, canvas->cols / 2 + 1, canvas->cols / 2 - 2, ROLE_DIM,
			   text_str(&line));
		if (NR_LINES + i == app->loop->start_cursor) {
			canvas_text(canvas, row, 1, 1, ROLE_TEXT, ">");
			canvas_over(canvas, row, 0, canvas->cols, ROLE_SELECTED);
		}
	}
	text_fini(&name);
	text_fini(&line);
}

void start_draw(struct app *app)
{
	struct canvas *canvas = &app->canvas;
	struct text more = { 0 };
	char key[2] = "";

	if (app->popup.picker) {
		popup_draw(&app->popup, canvas);
		return;
	}
	canvas_text(canvas, 0, 1, canvas->cols - 2, ROLE_HEADER, PACKAGE_STRING);
	canvas_text(canvas, 0, 24, canvas->cols - 25, ROLE_DIM, "No trace.dat in this folder.");
	for (size_t i = 0; i < NR_LINES; i++) {
		int row = 2 + (int)i;
		bool off = lines[i].action == START_DEMO && !app->options->demo;

		key[0] = lines[i].key;
		canvas_text(canvas, row, 2, 1, ROLE_KEYBAR_KEY, key);
		canvas_fit(canvas, row, 5, 14, off ? ROLE_DIM : ROLE_TEXT, lines[i].what);
		text_clear(&more);
		add_more(app, i, &more);
		canvas_fit(canvas, row, 20, canvas->cols - 21, ROLE_DIM, text_str(&more));
		if (i == app->loop->start_cursor) {
			canvas_text(canvas, row, 1, 1, ROLE_TEXT, ">");
			canvas_over(canvas, row, 0, canvas->cols, ROLE_SELECTED);
		}
	}
	canvas_text(canvas, 3 + NR_LINES, 2, canvas->cols - 3, ROLE_DIM,
		    "In the shell:  ftop-trace record -e sched -e irq COMMAND   (as root)");
	if (app->session->nr_recent) {
		canvas_text(canvas, 5 + NR_LINES, 2, canvas->cols - 3, ROLE_HEADING,
			    "Recent traces, and traces in this folder");
		draw_recent(app, 6 + NR_LINES);
	}
	text_fini(&more);
}

static void start_demo(struct app *app)
{
	if (reopen_file(app, app->options->demo))
		views_tour(app);
}

static void open_path(struct app *app, const char *path)
{
	if (*path)
		reopen_file(app, path);
}

static const struct typed typed_path = { .accepted = open_path };

static void act(struct app *app, enum start_action action)
{
	switch (action) {
	case START_OPEN:
		app_open_prompt(app, &typed_path, "open: ", "", &app->prompts->other_history);
		return;
	case START_DEMO:
		if (app->options->demo)
			start_demo(app);
		else
			app_error(app, "the sample trace is not installed");
		return;
	case START_RECORD:
		record_open(record_screen(app));
		return;
	case START_DOCTOR:
		record_open_doctor(record_screen(app));
		return;
	case START_HELP:
		help_open(&app->popup, app->canvas.cols);
		return;
	case START_QUIT:
		app->above->quit(app);
		return;
	}
}

static bool move(struct app *app, enum request request)
{
	int by = request_rows(request, NR_LINES, NULL),
	    last = (int)(NR_LINES + app->session->nr_recent) - 1;
	int at = (int)app->loop->start_cursor + by;

	if (!by && request != REQ_FIRST && request != REQ_LAST)
		return false;
	at = request == REQ_FIRST ? 0 : request == REQ_LAST || at > last ? last : at;
	app->loop->start_cursor = at < 0 ? 0 : (unsigned int)at;
	return true;
}

void start_press(struct app *app, ui_key key, enum request request)
{
	if (key >= '1' && key < '1' + app->session->nr_recent) {
		reopen_file(app, app->session->recent[key - '1'].path);
		return;
	}
	for (size_t i = 0; i < NR_LINES; i++) {
		if ((ui_key)lines[i].key == key) {
			act(app, lines[i].action);
			return;
		}
	}
	if (move(app, request))
		return;
	if (request == REQ_ENTER && app->loop->start_cursor >= NR_LINES)
		reopen_file(app, app->session->recent[app->loop->start_cursor - NR_LINES].path);
	else if (request == REQ_ENTER)
		act(app, lines[app->loop->start_cursor].action);
	else if (request == REQ_INTERRUPT && record_running(app->loop->record))
		record_stop(app->loop->record);
	else if (request == REQ_QUIT || request == REQ_INTERRUPT || request == REQ_BACK)
		app->above->quit(app);
	else if (request == REQ_HELP)
		act(app, START_HELP);
	else if (request == REQ_SUSPEND || request == REQ_REDRAW)
		actions_request(app, request, 0);
	else if (request != REQ_NONE && request != REQ_CANCEL)
		app_message(app, "no trace is open yet: o opens one, d shows the sample trace");
}
