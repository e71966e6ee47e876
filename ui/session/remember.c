/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/session/remember.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/desk/desk.h"
#include "ui/desk/split.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"
#include "ui/session/config.h"
#include "ui/session/session.h"
#include "ui/rows/kept.h"

const char *const remember_time_names[NR_TIME_FORMATS] = {
	[TIME_ABSOLUTE] = "absolute", [TIME_RELATIVE] = "relative", [TIME_DELTA] = "delta",
	[TIME_SINCE_A] = "since-a", [TIME_WALL] = "wall",
};

/* --- of the whole screen ------------------------------------------------- */

struct remembered {
	const char	*key;
	void		 (*save)(struct app *app, struct text *out);	/* nothing: the default */
	void		 (*load)(struct app *app, const char *value);
	bool		 is_place;	/* where the screen was: loaded only if asked for */
};

static void save_time(struct app *app, struct text *out)
{
	text_add(out, remember_time_names[app->shared.look.time_format]);
}

void remember_set_time(struct app *app, const char *value)
{
	bool known = false;

	if (app->shared.trace)
		trace_wall_offset_ns(app->shared.trace, &known);
	for (int i = 0; i < NR_TIME_FORMATS; i++)
		if (!strcmp(remember_time_names[i], value) && (i != TIME_WALL || known) &&
		    (i != TIME_SINCE_A || places_get(&app->shared.at.places, 'a')))
			app->shared.look.time_format = i;
}

static void save_slow(struct app *app, struct text *out)
{
	if (app->shared.chosen.threshold || app->shared.chosen.by_wall)
		text_printf(out, "%" PRId64 "%s", app->shared.chosen.threshold,
			    app->shared.chosen.by_wall ? " wall" : "");
}

static void load_slow(struct app *app, const char *value)
{
	int64_t ns = strtoll(value, NULL, 10);

	if (ns < 0)
		return;
	app->shared.chosen.threshold = ns;
	app->shared.chosen.by_wall = strstr(value, " wall") != NULL;
}

static void save_list(struct app *app, struct text *out)
{
	const struct list_choice *list = &app->shared.chosen.list;

	if (list->kind != LIST_ALL)
		text_printf(out, "%d %d %u %u", list->kind, list->cpu, list->file, list->buffer);
}

static void load_list(struct app *app, const char *value)
{
	struct list_choice list = { .kind = LIST_ALL };
	int kind;

	if (sscanf(value, "%2d %9d %5u %5u", &kind, &list.cpu, &list.file, &list.buffer) != 4 ||
	    kind <= LIST_ALL || kind > LIST_FILE)
		return;
	list.kind = kind;
	shared_carry_list(&app->shared, list);
}

static void save_dim(struct app *app, struct text *out)
{
	if (app->shared.chosen.filters.dim)
		text_add(out, "on");
}

static void load_dim(struct app *app, const char *value)
{
	app->shared.chosen.filters.dim = !strcmp(value, "on");
}

static void save_here(struct app *app, struct text *out)
{
	struct step now = views_now(app);

	if (now.place.set)
		kept_place_text(app->shared.trace, &now.place, out);
}

static void load_here(struct app *app, const char *value)
{
	struct place place;

	if (!kept_place(app->shared.trace, value, &place))
		return;
	if (views_go(app, app->view_id, &place)) {
		app->behind = true;
		views_publish(app);
	} else { /* a table: the view that is shown next goes there */
		app->shared.at.here = app->moment = place;
	}
}

static void save_view(struct app *app, struct text *out)
{
	text_add(out, view_title(app->view_id));
}

/* The view of that title; a digit or letter of older versions is its key. */
static enum view_id find_view(const char *name, size_t len)
{
	enum view_id found = views_titled(name, len);

	for (int id = 0; id < NR_VIEWS && len == 1; id++)
		if (view_table[id] && view_key(id) == *name)
			found = id;
	return found;
}

static void load_view(struct app *app, const char *value)
{
	enum view_id id = find_view(value, strlen(value));

	if (id != NR_VIEWS)
		views_show(app, id);
}

/* "Events below": the other view, and where the one that is shown stands. */
static void save_split(struct app *app, struct text *out)
{
	if (app->split.wish == SPLIT_ON)
		text_printf(out, "%s %s", view_title(app->split.view),
			    app->split.below ? "below" : "above");
	else if (app->split.wish == SPLIT_OFF)
		text_add(out, "off");
}

static void load_split(struct app *app, const char *value)
{
	const char *side = strrchr(value, ' ') ?: value;
	enum view_id id = find_view(value, (size_t)(side - value));

	if (!strcmp(value, "off"))
		app->split.wish = SPLIT_OFF;
	if (id != NR_VIEWS && id != app->view_id)
		split_restore(app, id, !strcmp(side, " below"));
}

static void save_window(struct app *app, struct text *out)
{
	if (app->ops->moments && app->ops->moments->window)
		text_printf(out, "%" PRId64 " %" PRId64, app->shared.at.window_from,
			    app->shared.at.window_to);
}

static void load_window(struct app *app, const char *value)
{
	struct range *window = &app->session->window;

	window->set = sscanf(value, "%20" SCNd64 " %20" SCNd64, &window->from, &window->to) == 2 &&
		      window->from < window->to && window->from <= app->shared.at.last &&
		      window->to >= app->shared.at.first;
}

bool remember_window(struct app *app)
{
	const struct view_moments *moments = app->ops->moments;

	if (!app->session->window.set)
		return false;
	app->session->window.set = moments && moments->window;
	if (!app->session->window.set ||
	    !moments->window(app->view, app->session->window.from, app->session->window.to))
		return false;
	app->session->window.set = false;
	return true;
}

/* They are saved and loaded in this order. */
static const struct remembered remembered[] = {
	{ "time", save_time, remember_set_time },   { "slow", save_slow, load_slow },
	{ "list", save_list, load_list, true },	    { "dim", save_dim, load_dim },
	{ "here", save_here, load_here, true },	    { "view", save_view, load_view, true },
	{ "split", save_split, load_split },	    { "window", save_window, load_window, true },
};

#define NR_REMEMBERED (sizeof(remembered) / sizeof(remembered[0]))

/* --- of a view ----------------------------------------------------------- */

static void save_view_lines(struct app *app, enum view_id id, struct text *out)
{
	const struct view_ops *ops = view_table[id];
	struct view *view = app->views[id];
	struct text lines = { 0 };

	if (ops->lists && ops->lists->shown)
		text_printf(&lines, "list %c\n", ops->lists->shown(view));
	if (ops->kept)
		ops->kept->save(view, &lines);
	for (const char *s = text_str(&lines); *s; s += strcspn(s, "\n"), s += *s == '\n')
		text_printf(out, "%s.%.*s\n", view_title(id), (int)strcspn(s, "\n"), s);
	text_fini(&lines);
}

static void load_view_line(struct app *app, enum view_id id, const char *key, const char *value)
{
	const struct view_ops *ops = view_table[id];
	struct view *view = app->views[id];

	if (!strcmp(key, "list") && ops->lists && ops->lists->all) {
		for (const struct list_tab *list = ops->lists->all; list->letter; list++)
			if (list->letter == *value && !value[1] &&
			    ops->lists->shown(view) != *value)
				ops->lists->choose(view, *value);
	} else if (ops->kept) {
		ops->kept->restore(view, key, value);
	}
}

/* --- lines --------------------------------------------------------------- */

/* "key value" of a line; false: there is no value. */
static bool split_line(const char *s, char *key, size_t size, struct text *value)
{
	size_t len = strcspn(s, "\n"), first = strcspn(s, " \n");

	if (first >= size || s[first] != ' ')
		return false;
	memcpy(key, s, first);
	key[first] = '\0';
	text_clear(value);
	text_bytes(value, s + first + 1, len - first - 1);
	return true;
}

/* What a line "Tasks.KEY VALUE" of the view says; NULL: it is not of the view. */
static const char *line_of_view(const char *s, enum view_id id)
{
	const char *title = view_title(id);
	size_t len = strlen(title);

	if (!strncmp(s, title, len) && s[len] == '.')
		return s + len + 1;
	return *s == view_key(id) && s[1] == ' ' ? s + 2 : NULL;	/* of older versions */
}

/* Calls @line with the lines of a view, or (NR_VIEWS) with all lines. */
static void each_line(struct app *app, const char *lines, enum view_id id,
		      void (*line)(struct app *app, enum view_id id, const char *key,
				   const char *value))
{
	struct text value = { 0 };
	char key[64];

	for (const char *s = lines; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		const char *of = id == NR_VIEWS ? s : line_of_view(s, id);

		if (of && split_line(of, key, sizeof(key), &value))
			line(app, id, key, text_str(&value));
	}
	text_fini(&value);
}

static void load_line(struct app *app, enum view_id id, const char *key, const char *value)
{
	(void)id;
	for (size_t i = 0; i < NR_REMEMBERED; i++)
		if (!strcmp(remembered[i].key, key) &&
		    (app->session->goes_back || !remembered[i].is_place))
			remembered[i].load(app, value);
}

void remember_view_opened(struct app *app, enum view_id id)
{
	struct text lines = { 0 };

	config_view_lines(app, &lines);
	if (app->session->goes_back)
		text_add(&lines, text_str(&app->session->remembered));
	each_line(app, text_str(&lines), id, load_view_line);
	text_fini(&lines);
}

void remember_load_views(struct app *app, const struct text *lines)
{
	for (int id = 0; id < NR_VIEWS; id++)
		if (app->views[id])
			each_line(app, text_str(lines), id, load_view_line);
}

void remember_load(struct app *app, const struct text *lines)
{
	app->session->window.set = false;
	text_clear(&app->session->remembered);
	text_add(&app->session->remembered, text_str(lines));
	for (int id = 0; id < NR_VIEWS; id++)
		if (app->views[id])
			remember_view_opened(app, id);
	each_line(app, text_str(lines), NR_VIEWS, load_line);
	app->shared.at.places.nr_history = app->shared.at.places.at = 0;
	views_changed(app);
	views_publish(app);
}

/* A view that was not opened this time keeps its lines. */
static void add_unopened(struct app *app, enum view_id id, struct text *out)
{
	for (const char *s = text_str(&app->session->remembered); *s;
	     s += strcspn(s, "\n"), s += *s == '\n') {
		const char *of = line_of_view(s, id);

		if (of)
			text_printf(out, "%s.%.*s\n", view_title(id), (int)strcspn(of, "\n"), of);
	}
}

void remember_save_views(struct app *app, struct text *out)
{
	for (int id = 0; id < NR_VIEWS; id++)
		if (app->views[id])
			save_view_lines(app, id, out);
}

void remember_save(struct app *app, struct text *out)
{
	struct text value = { 0 };

	for (size_t i = 0; i < NR_REMEMBERED; i++) {
		text_clear(&value);
		remembered[i].save(app, &value);
		if (value.len)
			text_printf(out, "%s %s\n", remembered[i].key, text_str(&value));
	}
	remember_save_views(app, out);
	for (int id = 0; id < NR_VIEWS; id++)
		if (!app->views[id] && view_table[id])
			add_unopened(app, id, out);
	text_fini(&value);
}
