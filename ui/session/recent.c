/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/session/recent.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "src/base/memory.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/session/session.h"
#include "ui/rows/kept.h"

static bool is_listed(const struct app *app, const char *path)
{
	for (unsigned int i = 0; i < app->session->nr_recent; i++)
		if (!strcmp(app->session->recent[i].path, path))
			return true;
	return false;
}

/* @opened: 0: it was not */
static void add(struct app *app, const char *path, const struct stat *st, int64_t opened,
		const char *kept)
{
	char *real = realpath(path, NULL);

	if (real && app->session->nr_recent < RECENT_MAX && !is_listed(app, real))
		app->session->recent[app->session->nr_recent++] =
			(struct recent){ .path = mem_strdup(real),
					 .kept = mem_strdup(kept),
					 .size = (uint64_t)st->st_size,
					 .was_open = opened,
					 .when = opened ? opened : st->st_mtim.tv_sec };
	free(real);
}

/* A trace whose state is kept, newest first; the demo is on the screen anyway. */
static void add_kept(void *arg, const char *path, uint64_t size, int64_t opened, const char *kept)
{
	struct app *app = arg;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != size ||
	    app->session->nr_recent >= RECENT_KEPT ||
	    (app->options->demo && !strcmp(app->options->demo, path)))
		return;
	add(app, path, &st, opened, kept);
}

static bool is_trace_name(const char *name)
{
	size_t len = strlen(name);

	return *name != '.' && len > 4 && !strcmp(name + len - 4, ".dat");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct recent *)a)->path, ((const struct recent *)b)->path);
}

static void add_folder(struct app *app)
{
	unsigned int first = app->session->nr_recent;
	DIR *dir = opendir(".");
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir)))
		if (is_trace_name(entry->d_name) && !stat(entry->d_name, &st) &&
		    S_ISREG(st.st_mode))
			add(app, entry->d_name, &st, 0, "");
	if (dir)
		closedir(dir);
	qsort(app->session->recent + first, app->session->nr_recent - first,
	      sizeof(*app->session->recent), by_name);
}

void recent_find(struct app *app)
{
	recent_free(app);
	kept_each(add_kept, app);
	add_folder(app);
}

void recent_free(struct app *app)
{
	for (unsigned int i = 0; i < app->session->nr_recent; i++) {
		free(app->session->recent[i].path);
		free(app->session->recent[i].kept);
	}
	app->session->nr_recent = 0;
}

static void add_age(int64_t seconds, struct text *out)
{
	static const struct { int64_t seconds; const char *unit; } units[] = {
		{ 86400, "day" }, { 3600, "hour" }, { 60, "minute" }, { 1, "second" },
	};
	size_t i = 0;
	int64_t nr;

	while (i < 3 && seconds < units[i].seconds)
		i++;
	nr = seconds < 0 ? 0 : seconds / units[i].seconds;
	text_printf(out, "%lld %s%s ago", (long long)nr, units[i].unit, PLURAL(nr));
}

void recent_describe(const struct recent *recent, struct text *out)
{
	static const char *const units[] = { "B", "kB", "MB", "GB" };
	double size = (double)recent->size;
	size_t i = 0;

	for (; size >= 1000 && i < 3; i++)
		size /= 1000;
	text_printf(out, i && size < 100 ? "%.1f %s, " : "%.0f %s, ", size, units[i]);
	text_add(out, recent->was_open ? "opened " : "written ");
	add_age((int64_t)time(NULL) - recent->when, out);
	if (*recent->kept)
		text_printf(out, "; kept: %s", recent->kept);
}
