/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/search_line.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/desk/desk.h"
#include "ui/desk/finder.h"
#include "ui/desk/views.h"
#include "ui/prompt/prompts.h"

void search_line_fini(struct search_line *line)
{
	free(line->former);
	line->former = NULL;
	text_fini(&line->message);
}

static void changed(struct app *app)
{
	app->prompts->search_line.stale = true;
}

static void say(struct app *app, bool is_error, const char *text)
{
	text_clear(&app->prompts->search_line.message);
	text_printable(&app->prompts->search_line.message, text, strlen(text));
	app->prompts->search_line.is_error = is_error;
	app->dirty = true;
}

/* Back to where the search began.  False: the view cannot go there, as its rows are not events. */
static bool go_back(struct app *app)
{
	const struct place *place = &app->prompts->search_line.before.place;

	if (!place->set || !views_go(app, app->view_id, place))
		return false;
	app->behind = true;
	views_publish(app);
	return true;
}

static void use_pattern(struct app *app, struct search_pattern *pattern)
{
	app_end_search(app);
	search_pattern_free(app->shared.chosen.pattern);
	app->shared.chosen.pattern = pattern;
}

static void show_hint(struct app *app)
{
	struct prompt *prompt = &app->prompt;

	text_clear(&prompt->hint);
	text_add(&prompt->hint, text_str(&app->prompts->search_line.message));
	prompt->wrong = false;
	prompt->is_sentence = true;
}

static void accepted(struct app *app, const char *text)
{
	struct search_line *line = &app->prompts->search_line;
	const struct find find = { .kind = FIND_PATTERN, .forward = true, .what = "match" };

	if (!*text) {
		if (app->shared.chosen.pattern)
			finder_find(app, &find);
		return;
	}
	if (!line->searched) {
		finder_search_for(app, text, true);
		return;
	}
	if (!app->finder && !place_same(&app->shared.at.here, &line->before.place))
		places_leave(&app->shared.at.places, &line->before);
	if (line->message.len)
		app_say(app, line->is_error, text_str(&line->message));
}

static void cancelled(struct app *app)
{
	struct search_line *line = &app->prompts->search_line;
	struct ft_error err = { 0 };

	use_pattern(app, line->former ? search_pattern_new(line->former, &err) : NULL);
	if (!line->anchor.set || place_same(&app->shared.at.here, &line->anchor))
		return;
	app->shared.at.anchored = true;		/* on the same line of the screen */
	app->shared.at.anchor = line->anchor;
	app->shared.at.anchor_line = line->anchor_line;
	go_back(app);
	views_changed(app);
	views_publish(app);
	app->shared.at.anchored = false;
}

/* Enter may come before a drawing has searched for what was typed. */
static bool press(struct app *app, ui_key key, enum request request)
{
	(void)request;
	if (key == UI_KEY_ENTER)
		search_line_apply(app);
	return false;
}

static const struct typed typed_search = {
	.press = press,
	.changed = changed,
	.accepted = accepted,
	.cancelled = cancelled,
	.say = say,
	.tries = true,
};

void search_line_open(struct app *app)
{
	struct search_line *line = &app->prompts->search_line;

	free(line->former);
	line->former = app->shared.chosen.pattern ?
			       mem_strdup(search_pattern_text(app->shared.chosen.pattern)) :
			       NULL;
	line->before = views_now(app);
	line->anchor = app->shared.at.here;
	line->anchor_line = app->shared.at.here_line;
	line->stale = line->searched = false;
	text_clear(&line->message);
	app_open_prompt(app, &typed_search, "/", "", &app->prompts->search_history);
}

void search_line_apply(struct app *app)
{
	struct search_line *line = &app->prompts->search_line;
	struct prompt *prompt = &app->prompt;
	struct search_pattern *pattern;
	struct ft_error err = { 0 };

	if (app->typed != &typed_search || !line->stale)
		return;
	line->stale = line->searched = false;
	text_clear(&line->message);
	show_hint(app);
	prompt->wrong_at = prompt->wrong_to = -1;
	if (!prompt->text.len) {
		use_pattern(app, line->former ? search_pattern_new(line->former, &err) : NULL);
		go_back(app);
		return;
	}
	pattern = search_pattern_new(text_str(&prompt->text), &err);
	if (!pattern) {
		prompt->wrong = true;
		prompt->wrong_at = (int)err.offset;
		text_add(&prompt->hint, err.message);
		return;
	}
	use_pattern(app, pattern);
	if (!go_back(app))
		return;
	line->searched = true;
	finder_find(app, &(struct find){ .kind = FIND_PATTERN, .forward = true, .what = "match" });
}

/* Shows the count beside the text, and what was found above it. */
void search_line_count(struct app *app)
{
	if (app->typed != &typed_search)
		return;
	text_clear(&app->prompt.note);
	if (!app->prompt.text.len || app->prompt.wrong)
		return;
	if (!app->shared.chosen.pattern_of_list)
		shared_hit_count(&app->shared, &app->prompt.note);
	show_hint(app);
}
