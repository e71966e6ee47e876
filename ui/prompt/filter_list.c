/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/filter_list.h"

#include <string.h>

#include "src/base/paths.h"
#include "src/base/small_file.h"
#include "ui/desk/desk.h"
#include "ui/desk/narrow.h"
#include "ui/prompt/filter_line.h"
#include "ui/prompt/prompts.h"
#include "ui/session/session.h"

#define NAME_CELLS	22
#define HISTORY_BYTES	(PROMPT_HISTORY * (PROMPT_MAX_BYTES + 1))

/*
 * Adds what is wrong with the filter in this trace: except for the trace's own ready-made filters,
 * it may need events that were not recorded.
 */
static void add_help(struct app *app, unsigned int i, struct text *out)
{
	const char *help = filter_named_help(&app->session->named, i);
	struct filter_error err = { 0 };
	struct filter *filter = filters_parse(&app->shared.chosen.filters,
					      app->session->named.macros[i].text,
					      &app->shared.at.places, &err);

	if (!filter)
		text_printf(out, "not here: %s", text_str(&err.message));
	else if (filter_empty_reason(filter))
		text_printf(out, "not here: %s", filter_empty_reason(filter));
	else if (help)
		text_add(out, help);
	else
		text_add(out, "your own");
	filter_free(filter);
	text_fini(&err.message);
}

/* Adds the filter to the text of the filter line. */
static void take(struct app *app, int i)
{
	const char *name = app->session->named.macros[i].name;
	struct text text = { 0 };

	filter_line_open(app, false);
	if (app->prompt.text.len)
		text_printf(&text, "%s && ", text_str(&app->prompt.text));
	text_add(&text, name);
	app->prompt.cursor = app->prompt.text.len;
	prompt_replace(&app->prompt, 0, text_str(&text));
	filter_line_changed(app);
	text_fini(&text);
}

static const struct picker filter_picker = {
	.keys = "↑ ↓ Choose  Enter Use in the filter line  Esc Back",
	.label = "filter: ",
	.take = take,
};

void filter_list_open(struct app *app)
{
	struct text line = { 0 };

	popup_open(&app->popup, &filter_picker, "Filters with names");
	for (unsigned int i = 0; i < app->session->named.nr; i++) {
		const struct filter_macro *macro = &app->session->named.macros[i];

		text_clear(&line);
		text_printable(&line, macro->name, strlen(macro->name));
		text_pad(&line, line.len < NAME_CELLS ? NAME_CELLS - line.len : 1);
		add_help(app, i, &line);
		popup_add(&app->popup, (int)i, false, text_str(&line));
		text_clear(&line);
		text_pad(&line, NAME_CELLS);
		text_printable(&line, macro->text, strlen(macro->text));
		popup_add(&app->popup, (int)i, true, text_str(&line));
	}
	text_fini(&line);
	popup_start(&app->popup);
	narrow_open(app);
}

/* --- history -------------------------------------------------------------- */

void filter_history_read(struct app *app)
{
	struct text t = { 0 };
	char path[4096];
	const char *s;

	if (app->term && paths_state("filter-history", path, sizeof(path)) &&
	    !small_file_read(path, HISTORY_BYTES, &t, NULL)) {
		s = text_str(&t);
		for (size_t len; *s; s += len + (s[len] == '\n')) {
			struct text line = { 0 };

			len = strcspn(s, "\n");
			text_printable(&line, s, len);
			if (len <= PROMPT_MAX_BYTES)
				prompt_history_add(&app->prompts->filter_history, text_str(&line));
			text_fini(&line);
		}
	}
	text_fini(&t);
}

void filter_history_keep(struct app *app)
{
	struct text t = { 0 };
	char path[4096];

	if (!app->term || !app->prompts->filter_history.nr ||
	    !paths_state("filter-history", path, sizeof(path)))
		return;
	for (unsigned int i = 0; i < app->prompts->filter_history.nr; i++)
		text_printf(&t, "%s\n", app->prompts->filter_history.lines[i]);
	small_file_replace(path, &t, 0600, NULL);
	text_fini(&t);
}
