/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_list - named filters: reads them, lists them (:filters), saves the current one (:name). */
#include <string.h>
#include <unistd.h>

#include "src/base/paths.h"
#include "src/base/small_file.h"
#include "ui/app/app_state.h"

#define NAME_CELLS	22
#define HISTORY_BYTES	(PROMPT_HISTORY * (PROMPT_MAX_BYTES + 1))

static const char *own_path(const struct app *app, char *buf, size_t size)
{
	return app->term ? paths_config("filters", buf, size) : NULL;
}

void filter_list_read(struct app *app)
{
	struct ft_error err = { 0 };
	char path[4096];

	filter_named_fini(&app->named);
	if (filter_named_read(&app->named, own_path(app, path, sizeof(path)),
			      trace_filter_names(app->shared.trace), &err))
		app_error(app, "%s", err.message);
	app->shared.filters.named = &app->named;
}

/*
 * Adds what is wrong with the filter in this trace: except for the trace's own ready-made filters,
 * it may need events that were not recorded.
 */
static void add_help(struct app *app, unsigned int i, struct text *out)
{
	const char *help = filter_named_help(&app->named, i);
	struct filter_error err = { 0 };
	struct filter *filter = filters_parse(&app->shared.filters, app->named.macros[i].text,
					      &app->shared.places, &err);

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
	const char *name = app->named.macros[i].name;
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
	.keys = "j k Move  Enter Use in the filter line  q Back",
	.take = take,
};

void filter_list_open(struct app *app)
{
	struct text line = { 0 };

	popup_open(&app->popup, &filter_picker, "Filters with names");
	for (unsigned int i = 0; i < app->named.nr; i++) {
		const struct filter_macro *macro = &app->named.macros[i];

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
}

static void write_named(struct app *app, const char *path, const char *name, const char *expression)
{
	struct text contents = { 0 }, former = { 0 };
	struct ft_error err = { 0 };

	if (!access(path, F_OK) && small_file_read(path, FILTER_NAMED_BYTES, &former, &err)) {
		app_error(app, "%s", err.message);
	} else {
		filter_named_change(text_str(&former), name, expression, &contents);
		if (small_file_replace(path, &contents, 0600, &err))
			app_error(app, "%s", err.message);
		else
			app_message(app,
				    "filter saved as %s; :filters lists all, the file is "
				    "%s",
				    name, path);
	}
	text_fini(&contents);
	text_fini(&former);
	filter_list_read(app);
}

void filter_list_keep(struct app *app, const char *name)
{
	struct text expression = { 0 };
	char path[4096];

	if (!filter_named_is_name(name, trace_filter_names(app->shared.trace)))
		app_error(app,
			  ":name needs a word of letters, digits and _ that has no other meaning");
	else if (!app->shared.filters.nr)
		app_message(app, "there is no filter to save as %s; :filters uses a saved one",
			    name);
	else if (!own_path(app, path, sizeof(path)))
		app_error(app, "there is no folder to save it in: neither XDG_CONFIG_HOME nor HOME "
			       "is set");
	else {
		filters_expression(&app->shared.filters, &expression);
		write_named(app, path, name, text_str(&expression));
	}
	text_fini(&expression);
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
				prompt_history_add(&app->filter_history, text_str(&line));
			text_fini(&line);
		}
	}
	text_fini(&t);
}

void filter_history_keep(struct app *app)
{
	struct text t = { 0 };
	char path[4096];

	if (!app->term || !app->filter_history.nr ||
	    !paths_state("filter-history", path, sizeof(path)))
		return;
	for (unsigned int i = 0; i < app->filter_history.nr; i++)
		text_printf(&t, "%s\n", app->filter_history.lines[i]);
	small_file_replace(path, &t, 0600, NULL);
	text_fini(&t);
}
