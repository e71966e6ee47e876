/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/session/config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/base/config_file.h"
#include "src/base/paths.h"
#include "src/base/small_file.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/desk/views.h"
#include "ui/session/options.h"
#include "ui/session/session.h"

static const char *config_path(const struct app *app, char *buf, size_t size)
{
	return app->term || !app->options->script ? paths_config("config", buf, size) : NULL;
}

void config_read(struct app *app)
{
	struct ft_error err = { 0 };
	char path[4096];

	text_clear(&app->session->config);
	if (!config_path(app, path, sizeof(path)) || access(path, F_OK))
		return;
	if (small_file_read(path, CONFIG_FILE_BYTES, &app->session->config, &err))
		text_printf(&app->session->config_wrong, "%s\n", err.message);
}

bool config_value(const struct app *app, const char *name, char *value, size_t size)
{
	struct config_line line = { 0 };
	bool found = false;

	for (const char *s = text_str(&app->session->config); config_file_next(s, &line); s = NULL)
		if (!line.wrong && !strcmp(line.name, name))
			found = snprintf(value, size, "%s", line.value) < (int)size;
	return found;
}

/* --- what views begin with ----------------------------------------------- */

/* "tasks.sort": the key "sort" of the view Tasks; NR_VIEWS: no such view. */
static enum view_id find_view(const char *name, const char **key)
{
	const char *dot = strchr(name, '.');
	size_t len = dot ? (size_t)(dot - name) : 0;

	*key = dot ? dot + 1 : NULL;
	return dot ? views_titled(name, len) : NR_VIEWS;
}

static const char *check_view(const char *key)
{
	static const char *const keys[] = { "list", "show", "hide", "sort", "sort-inverted" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i], key))
			return NULL;
	return "a view has list, show, hide, sort and sort-inverted";
}

/* "delta, cpu": a line for each. */
static void add_view_lines(struct text *out, enum view_id id, const char *key, const char *value)
{
	for (size_t len; *value; value += len + (value[len] == ',')) {
		value += strspn(value, " ");
		len = strcspn(value, ",");
		if (len)
			text_printf(out, "%s.%s %.*s\n", view_title(id), key, (int)len, value);
	}
}

void config_view_lines(const struct app *app, struct text *out)
{
	struct config_line line = { 0 };
	const char *key;

	for (const char *s = text_str(&app->session->config); config_file_next(s, &line);
	     s = NULL) {
		enum view_id id = line.wrong ? NR_VIEWS : find_view(line.name, &key);

		if (id != NR_VIEWS && !check_view(key))
			add_view_lines(out, id, key, line.value);
	}
}

/* --- options ------------------------------------------------------------- */

static void tell_wrong(struct app *app, unsigned int nr, unsigned int column, const char *what)
{
	char path[4096];

	text_printf(&app->session->config_wrong, "%s:%u:%u: %s\n",
		    config_path(app, path, sizeof(path)) ? path : "config", nr, column, what);
}

void config_apply(struct app *app)
{
	struct config_line line = { 0 };

	for (const char *s = text_str(&app->session->config); config_file_next(s, &line);
	     s = NULL) {
		struct text why = { 0 };
		const char *key;
		unsigned int column = line.value_column;

		if (line.wrong) {
			tell_wrong(app, line.nr, line.wrong_column, line.wrong);
			continue;
		}
		if (find_view(line.name, &key) != NR_VIEWS) {
			column = line.name_column + (unsigned int)(key - line.name);
			text_add(&why, check_view(key) ? check_view(key) : "");
		} else if (!options_apply(app, line.name, line.value, &why)) {
			column = line.name_column;
		}
		if (why.len)
			tell_wrong(app, line.nr, column, text_str(&why));
		text_fini(&why);
	}
}

/* The first mistake is shown; all are messages. */
void config_tell(struct app *app)
{
	const char *text = text_str(&app->session->config_wrong),
		   *end = text + app->session->config_wrong.len;

	while (end > text) {
		const char *s = end - 1;

		while (s > text && s[-1] != '\n')
			s--;
		app_error(app, "%.*s", (int)(end - 1 - s), s);
		end = s;
	}
	text_clear(&app->session->config_wrong);
}

void config_save(struct app *app, const char *name, const char *value)
{
	struct text contents = { 0 }, former = { 0 };
	struct ft_error err = { 0 };
	char path[4096];

	if (!config_path(app, path, sizeof(path)))
		app_error(app, "there is no folder to save it in: neither XDG_CONFIG_HOME nor HOME "
			       "is set");
	else if (!access(path, F_OK) && small_file_read(path, CONFIG_FILE_BYTES, &former, &err))
		app_error(app, "%s", err.message);
	else {
		config_file_change(text_str(&former), name, value, &contents);
		if (small_file_replace(path, &contents, 0600, &err))
			app_error(app, "%s", err.message);
		else
			app_message(app, "%s = %s saved to %s", name, value, path);
	}
	text_fini(&contents);
	text_fini(&former);
}
