/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record screen by itself, with a host that writes down what it is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/fake_host.h"
#include "ui/record/record.h"
#include "ui/screen/keymap.h"

static const struct command_def command = {
	.name = "record",
	.options = (const struct option_def[]){ { "event", 'e', "EVENT", 1, "" }, { "output", 'o',
		"FILE", 9, "" }, OPTION_END },
};

struct screen {
	struct app	 app;
	struct record_host host;
	struct canvas	 canvas;
	struct popup	 popup;
	struct record_ui	*record;
};

/* --- the host ---------------------------------------------------------------- */

static void redraw(struct app *app)
{
	(void)app;
}

static struct ui_term *no_term(struct app *app)
{
	(void)app;
	return NULL;
}

static bool has_trace(struct app *app)
{
	(void)app;
	return false;
}

static bool open_file(struct app *app, const char *path)
{
	text_printf(&app->asked, "open %s\n", path);
	return true;
}

static void take_request(struct app *app, enum request request)
{
	text_printf(&app->asked, "%s\n", request_info(request)->help);
}

static void quit(struct app *app, const char *farewell)
{
	text_printf(&app->asked, "quit%s\n", farewell ? " with a farewell" : "");
}

static void ask(struct app *app, const char *label, const char *text, const char *hint,
		bool has_history)
{
	(void)hint;
	(void)has_history;
	text_printf(&app->asked, "ask %s%s\n", label, text);
}

static void begin(struct screen *screen)
{
	memset(screen, 0, sizeof(*screen));
	fake_host_init(&screen->app);
	canvas_init(&screen->canvas, 24, 80);
	screen->host = (struct record_host){
		.app = &screen->app, .view_host = &screen->app.host, .command = &command,
		.program = "/nonexistent/ftop-trace",
		.canvas = &screen->canvas, .popup = &screen->popup, .redraw = redraw,
		.term = no_term,
		.has_trace = has_trace, .open_file = open_file, .request = take_request,
		.quit = quit, .ask = ask,
	};
	screen->record = record_new(&screen->host);
	record_open(screen->record);
}

static void end(struct screen *screen)
{
	record_free(screen->record);
	popup_close(&screen->popup);
	canvas_fini(&screen->canvas);
	fake_host_fini(&screen->app);
}

static void expect(struct screen *screen, ui_key key, const char *asked)
{
	text_clear(&screen->app.asked);
	assert_true(record_press(screen->record, key, keymap_find(key), NULL));
	if (!strstr(text_str(&screen->app.asked), asked))
		fail_msg("asked for '%s', not for '%s'", text_str(&screen->app.asked), asked);
}

static void expect_shown(struct screen *screen, const char *s)
{
	struct text t = { 0 };

	canvas_clear(&screen->canvas);
	record_draw(screen->record);
	canvas_print(&screen->canvas, &t);
	if (!strstr(text_str(&t), s))
		fail_msg("'%s' is not shown:\n%s", s, text_str(&t));
	text_fini(&t);
}

/* --- what must be ------------------------------------------------------------ */

static void test_form(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen);
	assert_true(record_shown(screen.record));
	expect_shown(&screen, "ftop-trace record -e sched");
	expect(&screen, 'y', "copy command\n");
	expect(&screen, 'Z', "message: not a key of this screen");
	expect(&screen, UI_KEY_CTRL('L'), request_info(REQ_REDRAW)->help);
	expect(&screen, 'S', "ask save these settings as preset: \n");
	record_prompt_accepted(screen.record, "mine");
	assert_non_null(strstr(text_str(&screen.app.asked), "message: mine saved to "));
	expect(&screen, 'Q', "quit\n");
	expect(&screen, 'q', "");
	assert_false(record_shown(screen.record));
	assert_false(record_press(screen.record, 'j', REQ_DOWN, NULL));
	end(&screen);
}

/* Down to a field of text: Enter asks for it, and the answer goes into the command line. */
static void test_prompt(void **state)
{
	struct screen screen;
	const char *asked;

	(void)state;
	begin(&screen);
	asked = text_str(&screen.app.asked);
	for (int i = 0; i < 20 && strcmp(asked, "ask file: \n"); i++) {
		record_press(screen.record, 'j', REQ_DOWN, NULL);
		text_clear(&screen.app.asked);
		record_press(screen.record, UI_KEY_ENTER, REQ_ENTER, NULL);
		asked = text_str(&screen.app.asked);
		if (!*asked)		/* a list of choices: back to the fields */
			record_press(screen.record, UI_KEY_ESC, REQ_CANCEL, NULL);
	}
	assert_string_equal(asked, "ask file: \n");
	record_prompt_accepted(screen.record, "/nonexistent/a.dat");
	expect_shown(&screen, "ftop-trace record -e sched -o /nonexistent/a.dat");
	end(&screen);
}

/* There is no program to start: this is said, and nothing runs. */
static void test_no_recorder(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen);
	expect(&screen, 'R', "error: ");
	assert_false(record_running(screen.record));
	assert_null(record_question(screen.record));
	end(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form), cmocka_unit_test(test_prompt),
		cmocka_unit_test(test_no_recorder),
	};
	char home[] = "/tmp/ftop-record-screen-XXXXXX", clean[sizeof(home) + 16];
	int failed;

	if (!mkdtemp(home))
		return 1;
	setenv("XDG_CONFIG_HOME", home, 1);
	setenv("XDG_STATE_HOME", home, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(clean, sizeof(clean), "rm -rf %s", home);
	return system(clean) ? 1 : failed;
}
