/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/fake_host.h"

#include <inttypes.h>
#include <string.h>

#include "ui/view/view.h"

static void say(struct app *app, bool is_error, const char *text)
{
	text_printf(&app->asked, "%s: %s\n", is_error ? "error" : "message", text);
}

static void jump_to(struct app *app, const struct place *place)
{
	text_printf(&app->asked, "jump to CPU %d\n", place->cpu);
}

static void jump_time(struct app *app, int64_t ts, int cpu)
{
	(void)ts;
	text_printf(&app->asked, "jump to a time on CPU %d\n", cpu);
}

static void show(struct app *app, enum view_id id, const struct place *place)
{
	(void)place;
	text_printf(&app->asked, "show %s\n", view_title(id));
}

static void entering(struct app *app)
{
	text_add(&app->asked, "entering\n");
}

static void leave_zoom(struct app *app)
{
	text_add(&app->asked, "leave zoom\n");
}

static void work(struct app *app)
{
	app->works = true;
}

static void find(struct app *app, const struct find *find)
{
	text_printf(&app->asked, "find %s %s\n", find->forward ? "next" : "previous", find->what);
}

static void search_for(struct app *app, const char *text, bool forward)
{
	text_printf(&app->asked, "search %s for %s\n", forward ? "forward" : "backward", text);
}

static void filter_by(struct app *app, const char *name, const char *value, bool without)
{
	text_printf(&app->asked, "%s %s %s\n", without ? "without" : "only", name ? name : "term",
		    value);
}

static void filter_by_process(struct app *app, unsigned int file, int pid, int64_t ts, bool without)
{
	(void)file;
	(void)ts;
	text_printf(&app->asked, "%s the process of %d\n", without ? "without" : "only", pid);
}

static void rows_around(struct app *app, bool more)
{
	text_printf(&app->asked, "%s rows around\n", more ? "more" : "fewer");
}

static void window(struct app *app, int64_t length, int64_t to, bool follows)
{
	text_printf(&app->asked, "a window of %" PRId64 " to %" PRId64 "%s\n", length, to,
		    follows ? ", which follows" : "");
}

static void copy(struct app *app, const char *what, const char *s, size_t len)
{
	(void)s;
	text_printf(&app->asked, "copy %s%s\n", what, len ? "" : ", which is empty");
}

void fake_host_init(struct app *app)
{
	*app = (struct app){ .host = { app, say, jump_to, jump_time, show, entering, leave_zoom,
				       work, find, search_for,
				       filter_by, filter_by_process, rows_around, window,
				       copy } };
}

void fake_host_fini(struct app *app)
{
	text_fini(&app->asked);
}
