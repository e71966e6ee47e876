/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/app/frame.h"
#include "ui/app/press.h"
#include "ui/desk/desk.h"
#include "ui/desk/views.h"
#include "ui/screen/keymap.h"

static void settle(struct app *app)
{
	while (app->job)
		app->job->step(app);
	while (app->works)
		views_step(app);
}

static void press(struct app *app, ui_key key)
{
	press_key(app, key);
	settle(app);
	frame_draw(app);
}

static int play_keys(struct app *app, char *words, unsigned int line, struct ft_error *err)
{
	for (char *save = NULL, *word = strtok_r(words, " \n", &save); word;
	     word = strtok_r(NULL, " \n", &save)) {
		ui_key key = key_parse(word, strlen(word));

		if (key == UI_KEY_NONE)
			return ft_error_set(err, FT_E_USAGE, -1, "script line %u: no key '%s'",
					    line, word);
		press(app, key);
	}
	return 0;
}

static void type(struct app *app, const char *s)
{
	while (*s && *s != '\n') {
		uint32_t cp;

		s += text_decode(s, strlen(s), &cp);
		press(app, cp);
	}
}

static int play_line(struct app *app, char *s, unsigned int line, struct ft_error *err)
{
	int rows, cols;

	if (sscanf(s, "size %dx%d", &cols, &rows) == 2 && cols > 0 && cols < 1000 && rows > 0 &&
	    rows < 1000) {
		canvas_resize(&app->canvas, rows, cols);
		frame_draw(app);
	} else if (!strncmp(s, "keys ", 5)) {
		return play_keys(app, s + 5, line, err);
	} else if (!strncmp(s, "type ", 5)) {
		type(app, s + 5);
	} else if (!strncmp(s, "wait", 4)) {
		if (app->shared.trace) {
			trace_wait(app->shared.trace);
			views_index_moved(app);
			app->progressed = true;
			app->progress_looked = 0;
			views_follow(app);
			settle(app);
		}
	} else if (!strncmp(s, "screen", 6)) {
		struct text t = { 0 };

		frame_draw(app);
		canvas_print(&app->canvas, &t);
		fwrite(t.data, 1, t.len, stdout);
		text_fini(&t);
	} else if (*s != '\n' && *s != '#') {
		return ft_error_set(err, FT_E_USAGE, -1, "script line %u is not understood", line);
	}
	return 0;
}

int script_run(struct app *app, const char *path, struct ft_error *err)
{
	FILE *file = fopen(path, "re");
	unsigned int line = 0;
	size_t cap = 0;
	char *s = NULL;
	int result = 0;

	if (!file)
		return ft_error_errno(err, errno, -1, "script %s", path);
	frame_draw(app);
	while (!result && !app->quit && getline(&s, &cap, file) >= 0)
		result = play_line(app, s, ++line, err);
	free(s);
	fclose(file);
	return result;
}
