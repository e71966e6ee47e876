/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs - the user's pairs of events for Latency: reads their file, adds one (:pair). */
#include <string.h>
#include <unistd.h>

#include "src/base/paths.h"
#include "src/base/small_file.h"
#include "src/latency/latency_kinds.h"
#include "ui/app/app_state.h"

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
	const char *path = own_path(app, buf, sizeof(buf));
	int ret;

	if (!path || access(path, F_OK))
		return;
	latency_kinds_init(&kinds);
	ret = small_file_read(path, LATENCY_PAIRS_BYTES, pairs, &err);
	if (!ret)
		ret = latency_kinds_read_text(&kinds, text_str(pairs), path, &err);
	if (pairs->len && pairs->data[pairs->len - 1] != '\n')
		text_char(pairs, '\n');
	if (ret)
		app_error(app, "%s", err.message);
	latency_kinds_fini(&kinds);
}

static void list(struct app *app, const char *path)
{
	struct latency_kinds kinds, own;
	struct text names = { 0 };

	latency_kinds_init(&own);
	latency_kinds_init(&kinds);
	latency_kinds_read_text(&kinds, text_str(&app->shared.pairs), "", NULL);
	for (unsigned int i = own.nr; i < kinds.nr; i++)
		text_printf(&names, " %s", kinds.names[i]);
	app_message(app, "%s%s; :pair NAME START END by KEY adds one%s%s",
		    names.len ? "pairs:" : "no pairs yet", text_str(&names), path ? ", in " : "",
		    path ? path : "");
	text_fini(&names);
	latency_kinds_fini(&kinds);
	latency_kinds_fini(&own);
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
		app_message(app, "pair %.*s saved in %s", (int)strcspn(pair, " "), pair, path);
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

/* What is at the cursor of ":count EVENT by FIELD,… sum FIELD,…", as a filter. */
static void count_filter(const char *line, const char *event, size_t at, struct text *filter,
			 ptrdiff_t *shift, int *kind)
{
	size_t word = word_at(line, at, " ,");
	const char *by = strstr(event, " by "), *sum = strstr(event, " sum ");
	bool is_field = (by && by < line + at) || (sum && sum < line + at);

	*kind = is_field ? FILTER_WORD_FIELD : FILTER_WORD_EVENT;
	if (is_field && *event != ' ')
		text_printf(filter, "%.*s: ", (int)strcspn(event, " "), event);
	*shift = (ptrdiff_t)word - (ptrdiff_t)filter->len;
	text_bytes(filter, line + word, at - word);
}

/* What is at the cursor of ":pair NAME START [FILTER] END [FILTER] by KEYS", as a filter. */
bool pairs_filter(const char *line, size_t at, struct text *filter, ptrdiff_t *shift, int *kind)
{
	size_t word = word_at(line, at, " "), open = word_at(line, at, "[");
	const char *name = line + strspn(line, " "), *start, *by;

	if (!strncmp(name, "count ", 6) && name + 6 <= line + at) {
		count_filter(line, name + 6, at, filter, shift, kind);
		return true;
	}
	if (strncmp(name, "pair ", 5) != 0)
		return false;
	name += 5 + strspn(name + 5, " ");
	start = name + strcspn(name, " ");
	start += strspn(start, " ");
	by = strstr(start, " by ");
	if (line + word < start)
		return false;
	*kind = FILTER_WORD_EVENT;
	if (by && by + 4 <= line + at) {
		text_printf(filter, "%.*s: ", (int)strcspn(start, " "), start);
		*kind = FILTER_WORD_FIELD;
		word = word_at(line, at, " ,=");
	} else if (open > word_at(line, at, "]")) { /* of the event before the brackets */
		size_t end = open - 1;

		while (end && line[end - 1] == ' ')
			end--;
		word = word_at(line, end, " ");
		text_printf(filter, "%.*s: ", (int)(end - word), line + word);
		*kind = -1;
		word = open;
	}
	*shift = (ptrdiff_t)word - (ptrdiff_t)filter->len;
	text_bytes(filter, line + word, at - word);
	return true;
}
