/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_line - the line a filter is typed into: views follow at every key, the count
 * stands beside it, what is wrong above it.
 */
#include <stdlib.h>
#include <string.h>

#include "src/memory.h"
#include "ui/app_state.h"
#include "ui/filter_terms.h"

#define HINT	"Tab complete  ↑ earlier ones  Enter keep  Esc as it was"

static void show_error(struct app *app, const struct filter_error *err)
{
	struct prompt *prompt = &app->prompt;

	prompt->wrong = true;
	prompt->wrong_at = (int)err->from;
	prompt->wrong_to = (int)err->to;
	text_add(&prompt->hint, text_str(&err->message));
}

static const char *empty_reason(const struct app *app)
{
	const struct filters *filters = &app->shared.filters;
	unsigned int at = app->filter_line.at;

	return at < filters->nr ? filter_empty_reason(match_filter_of(filters->stack[at].handle)) : NULL;
}

/* The former filter stays in force while there is an error. */
void filter_line_apply(struct app *app)
{
	struct filter_line *line = &app->filter_line;
	struct prompt *prompt = &app->prompt;
	struct filter_error err = { 0 };
	const char *reason;

	if (app->prompt_kind != PROMPT_FILTER || !line->stale)
		return;
	line->stale = false;
	text_clear(&prompt->hint);
	prompt->wrong = false;
	prompt->wrong_at = prompt->wrong_to = -1;
	if (filters_set(&app->shared.filters, line->at, text_str(&prompt->text), &app->shared.places, &err)) {
		show_error(app, &err);
		text_fini(&err.message);
		return;
	}
	app_changed(app);
	reason = empty_reason(app);
	text_add(&prompt->hint, reason ? reason : HINT);
}

void filter_line_open(struct app *app, bool add)
{
	struct filters *filters = &app->shared.filters;
	struct filter_line *line = &app->filter_line;
	const char *text;

	if (add && filters->nr == FILTERS_MAX) {
		app_message(app, "no more than %d filters at once", FILTERS_MAX);
		return;
	}
	line->at = add || !filters->nr ? filters->nr : filters->nr - 1;
	text = line->at < filters->nr ? filters->stack[line->at].text : "";
	free(line->former);
	line->former = mem_strdup(text);
	line->was_off = filters->off;
	line->stale = false;
	app->shared.anchored = app->shared.here.ref != TRACE_REF_NONE;
	app->shared.anchor = app->shared.here.ref;
	app->shared.anchor_line = app->shared.here_line;
	app_open_prompt(app, PROMPT_FILTER, filters->nr && line->at == filters->nr ? "filter & " : "filter: ", text,
			&app->filter_history);
	text_add(&app->prompt.hint, HINT);
	/* What was off is on while it is looked at. */
	line->stale = filters->off;
}

static void leave(struct app *app)
{
	app->prompt_kind = PROMPT_NONE;
	app->shared.anchored = false;
}

bool filter_line_accept(struct app *app)
{
	struct prompt *prompt = &app->prompt;

	filter_line_apply(app);
	if (prompt->wrong)
		return false;
	prompt_history_add(&app->filter_history, text_str(&prompt->text));
	leave(app);
	return true;
}

void filter_line_cancel(struct app *app)
{
	struct filters *filters = &app->shared.filters;
	struct filter_line *line = &app->filter_line;
	struct filter_error err = { 0 };

	filters_set(filters, line->at, line->former, &app->shared.places, &err);
	text_fini(&err.message);
	if (line->was_off)
		filters_switch(filters, false);
	app_changed(app);
	leave(app);
}

void filter_line_fini(struct filter_line *line)
{
	free(line->former);
	line->former = NULL;
}

/* How many there are, beside what is typed. */
void filter_line_count(struct app *app)
{
	struct prompt *prompt = &app->prompt;

	text_clear(&prompt->note);
	if (app->prompt_kind == PROMPT_FILTER && filters_active(&app->shared.filters))
		filters_count(&app->shared.filters, &prompt->note);
}

/* --- keys ---------------------------------------------------------------- */

void filter_switch(struct app *app)
{
	struct filters *filters = &app->shared.filters;

	if (!filters->nr) {
		app_message(app, "there is no filter to switch on: f asks for one");
		return;
	}
	filters_switch(filters, filters->off);
	app_changed(app);
	app_message(app, filters->off ? "filters are off: F switches them on again" : "filters are on");
}

void filter_dim(struct app *app)
{
	struct filters *filters = &app->shared.filters;

	filters->dim = !filters->dim;
	app_changed(app);
	app_message(app, filters->dim ? "rows that a filter does not keep are dimmed" :
					"rows that a filter does not keep are hidden");
}

void app_filter_by(struct app *app, const char *name, const char *value, bool without)
{
	struct filters *filters = &app->shared.filters;
	unsigned int at = filters->nr ? filters->nr - 1 : 0;
	struct text text = { 0 };
	struct filter_error err = { 0 };

	filter_terms_add(filters->nr ? filters->stack[at].text : "", name, value, without, &text);
	if (filters_set(filters, at, text_str(&text), &app->shared.places, &err)) {
		app_error(app, "%s: %s", text_str(&text), text_str(&err.message));
	} else {
		prompt_history_add(&app->filter_history, text_str(&text));
		app_changed(app);
		app_message(app, "filter: %s", text_str(&text));
	}
	text_fini(&err.message);
	text_fini(&text);
}
