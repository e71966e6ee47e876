/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/pairs.h"

#include <string.h>
#include <unistd.h>

#include "src/base/paths.h"
#include "src/base/small_file.h"
#include "src/latency/latency_kinds.h"
#include "ui/desk/desk.h"
#include "ui/desk/views.h"

static const char *own_path(const struct app *app, char *buf, size_t size)
{
	return app->term ? paths_config("pairs", buf, size) : NULL;
}

void pairs_read(struct app *app)
{
	struct text *pairs = &app->shared.pairs;
	struct latency_kinds kinds;
	struct ft_error err = { 0 };
	char buf[4096];

	latency_kinds_init(&kinds);
	if (latency_kinds_read(&kinds, own_path(app, buf, sizeof(buf)), pairs, &err))
		app_error(app, "%s", err.message);
	latency_kinds_fini(&kinds);
}

static void list(struct app *app, const char *path)
{
	struct latency_kinds kinds;
	struct text names = { 0 };
	unsigned int own;

	latency_kinds_init(&kinds);
	own = kinds.nr;
	latency_kinds_read_text(&kinds, text_str(&app->shared.pairs), "", NULL);
	for (unsigned int i = own; i < kinds.nr; i++)
		text_printf(&names, " %s", kinds.names[i]);
	app_message(app, "%s%s; :pair NAME START END by KEY adds one%s%s",
		    names.len ? "pairs:" : "no pairs yet", text_str(&names), path ? ", in " : "",
		    path ? path : "");
	text_fini(&names);
	latency_kinds_fini(&kinds);
}

/* Adds the line to the file, which another program may have changed meanwhile. */
static void keep(struct app *app, const char *path, const char *pair)
{
	struct text contents = { 0 };
	struct ft_error err = { 0 };
	int ret = 0;

	if (!access(path, F_OK))
		ret = small_file_read(path, LATENCY_PAIRS_BYTES, &contents, &err);
	if (contents.len && contents.data[contents.len - 1] != '\n')
		text_char(&contents, '\n');
	text_printf(&contents, "pair %s\n", pair);
	if (!ret)
		ret = small_file_replace(path, &contents, 0600, &err);
	if (ret)
		app_error(app, "the pair is not saved: %s", err.message);
	else
		app_message(app, "pair %.*s saved to %s", (int)strcspn(pair, " "), pair, path);
	text_fini(&contents);
}

void pairs_add(struct app *app, const char *pair)
{
	struct ft_error err = { 0 };
	char buf[4096];
	const char *path = own_path(app, buf, sizeof(buf));

	if (!*pair) {
		list(app, path);
		return;
	}
	if (app->view)
		views_show(app, VIEW_LATENCY);
	if (!app->view || !app->ops->moments || !app->ops->moments->pair)
		return;
	if (app->ops->moments->pair(app->view, pair, &err))
		app_error(app, ":pair: %s", err.message);
	else if (path)
		keep(app, path, pair);
	app->dirty = true;
}

/* --- Tab ------------------------------------------------------------------------------------ */

/* The word of the line that ends at a byte: where it begins. */
static size_t word_at(const char *line, size_t at, const char *ends)
{
	while (at && !strchr(ends, line[at - 1]))
		at--;
	return at;
}

/*
 * What is at the cursor of ":pair NAME START [FILTER] END [FILTER] by KEYS", or of
 * ":count EVENT by FIELD,… sum FIELD,…", as a filter: an event, a field of the first one, or
 * what is in brackets.
 */
bool pairs_filter(const char *line, size_t at, struct text *filter, ptrdiff_t *shift, int *kind)
{
	size_t word = word_at(line, at, " ,="), open = word_at(line, at, "["), of = 0, of_end = 0;
	const char *event = line + strspn(line, " "), *by, *sum;
	bool is_pair = !strncmp(event, "pair ", 5);

	if (!is_pair && strncmp(event, "count ", 6) != 0)
		return false;
	for (int skip = is_pair ? 2 : 1; skip--;) {
		event += strcspn(event, " ");
		event += strspn(event, " ");
	}
	if (line + word < event)
		return false;
	by = strstr(event, " by ");
	sum = is_pair ? NULL : strstr(event, " sum ");
	*kind = FILTER_WORD_EVENT;
	if ((by && by + 4 <= line + at) || (sum && sum + 5 <= line + at)) {
		*kind = FILTER_WORD_FIELD;
		of = (size_t)(event - line);
		of_end = of + strcspn(event, " ");
	} else if (is_pair &&
		   open > word_at(line, at, "]")) { /* a field of the event before the [ */
		*kind = -1;
		word = open;
		for (of_end = open - 1; of_end && line[of_end - 1] == ' ';)
			of_end--;
		of = word_at(line, of_end, " ");
	}
	if (of_end)
		text_printf(filter, "%.*s: ", (int)(of_end - of), line + of);
	*shift = (ptrdiff_t)word - (ptrdiff_t)filter->len;
	text_bytes(filter, line + word, at - word);
	return true;
}
