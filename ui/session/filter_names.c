/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/session/filter_names.h"

#include <string.h>
#include <unistd.h>

#include "src/base/paths.h"
#include "src/base/small_file.h"
#include "ui/desk/desk.h"
#include "ui/session/session.h"

static const char *own_path(const struct app *app, char *buf, size_t size)
{
	return app->term ? paths_config("filters", buf, size) : NULL;
}

void filter_names_read(struct app *app)
{
	struct ft_error err = { 0 };
	char path[4096];

	filter_named_fini(&app->session->named);
	if (filter_named_read(&app->session->named, own_path(app, path, sizeof(path)),
			      trace_filter_names(app->shared.trace), &err))
		app_error(app, "%s", err.message);
	app->shared.chosen.filters.named = &app->session->named;
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
	filter_names_read(app);
}

void filter_names_keep(struct app *app, const char *name)
{
	struct text expression = { 0 };
	char path[4096];

	if (!filter_named_is_name(name, trace_filter_names(app->shared.trace)))
		app_error(app,
			  ":name needs a word of letters, digits and _ that has no other meaning");
	else if (!app->shared.chosen.filters.nr)
		app_message(app, "there is no filter to save as %s; :filters uses a saved one",
			    name);
	else if (!own_path(app, path, sizeof(path)))
		app_error(app, "there is no folder to save it in: neither XDG_CONFIG_HOME nor HOME "
			       "is set");
	else {
		filters_expression(&app->shared.chosen.filters, &expression);
		write_named(app, path, name, text_str(&expression));
	}
	text_fini(&expression);
}
