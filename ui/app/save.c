/* SPDX-License-Identifier: GPL-2.0-or-later */
/* save - writes rows as text into a file, in slices: the rows of the range, else of the window. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/sandbox/broker.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "ui/app/app_state.h"
#include "ui/rows/row_cursor.h"

struct saver {
	struct app	*app;
	const struct view_ops *ops;	/* the view whose rows are saved */
	struct view	*view;
	FILE		*file;
	char		*path;
	int64_t		 to;		/* key of the last row */
	struct search	*search;
	struct text	 line;
	uint64_t	 rows;
	/* For rows around those that filters keep: */
	trace_ref	 before[FILTERS_MAX_AROUND];	/* passed but not written, oldest first */
	unsigned int	 nr_before;
	unsigned int	 behind;	/* rows still to be written, kept by filters or not */
};

#define MAX_PROPOSED	1000

bool save_takes_matches(const struct app *app)
{
	return app->ops->lines && !app->shared.places.range.set &&
	       filters_hiding(&app->shared.filters);
}

void save_propose(const struct app *app, struct text *out)
{
	const char *path = trace_path(app->shared.trace, 0), *base = strrchr(path, '/');
	const char *dot;
	size_t len;

	base = base ? base + 1 : path;
	dot = strrchr(base, '.');
	len = dot && dot > base ? (size_t)(dot - base) : strlen(base);
	/* Proposes a free name: no existing file is overwritten. */
	for (int i = 1; i < MAX_PROPOSED; i++) {
		text_clear(out);
		text_printable(out, base, len);
		if (i > 1)
			text_printf(out, "-%d", i);
		text_add(out, ".txt");
		if (access(text_str(out), F_OK))
			return;
	}
}

static void write_line(struct saver *saver)
{
	text_char(&saver->line, '\n');
	fwrite(saver->line.data, 1, saver->line.len, saver->file);
	text_clear(&saver->line);
	saver->rows++;
}

static void write_row(struct saver *saver, const struct trace_event *event)
{
	saver->ops->lines->save(saver->view, event, &saver->line);
	write_line(saver);
}

static void write_before(struct saver *saver)
{
	struct trace_event event;

	for (unsigned int i = 0; i < saver->nr_before; i++)
		if (trace_event_at(saver->app->shared.trace, saver->before[i], &event))
			write_row(saver, &event);
	saver->nr_before = 0;
}

static void remember_before(struct saver *saver, trace_ref ref, unsigned int around)
{
	if (saver->nr_before && saver->nr_before == around)
		memmove(saver->before, saver->before + 1,
			sizeof(saver->before[0]) * --saver->nr_before);
	if (around)
		saver->before[saver->nr_before++] = ref;
}

static void take_listed(struct saver *saver, const struct trace_event *event)
{
	const struct filters *filters = &saver->app->shared.filters;

	if (!filters_hiding(filters)) {
		write_row(saver, event);
	} else if (filters_keep(filters, event)) {
		write_before(saver);
		write_row(saver, event);
		saver->behind = filters->around;
	} else if (saver->behind) {
		saver->behind--;
		write_row(saver, event);
	} else {
		remember_before(saver, event->ref, filters->around);
	}
}

/* Ends the walk at the first row after the range. */
static bool take_row(void *arg, const struct trace_event *event)
{
	struct saver *saver = arg;

	if (event->key > saver->to || ferror(saver->file))
		return true;
	if ((!saver->app->shared.streams || saver->app->shared.streams[event->stream]) &&
	    row_cursor_leaf(&saver->app->shared, event) == TRACE_REF_NONE)
		take_listed(saver, event);
	return false;
}

static void end(struct app *app)
{
	struct saver *saver = app->saver;

	if (saver->file)
		fclose(saver->file);
	search_free(saver->search);
	text_fini(&saver->line);
	free(saver->path);
	free(saver);
	app->saver = NULL;
}

static void finish(struct app *app)
{
	struct saver *saver = app->saver;
	bool failed = ferror(saver->file);
	struct text rows = { 0 };

	if (fclose(saver->file))
		failed = true;
	saver->file = NULL;
	text_count(&rows, saver->rows);
	if (failed)
		app_error(app, "%s: %s", saver->path, strerror(errno));
	else
		app_message(app, "%s rows saved in %s", text_str(&rows), saver->path);
	text_fini(&rows);
	app_end_job(app);
}

/* Saves rows that are no events: the view provides them one by one. */
static bool write_view_rows(struct saver *saver)
{
	int64_t until = workers_now_ns() + SLICE_NS;

	do {
		if (!saver->ops->commands->save_row(saver->view, saver->rows, &saver->line))
			return false;
		write_line(saver);
	} while (!ferror(saver->file) && workers_now_ns() < until);
	return !ferror(saver->file);
}

static void begin_events(struct saver *saver, trace_ref first)
{
	struct trace *trace = saver->app->shared.trace;
	struct trace_event event;

	if (trace_event_at(trace, first, &event))
		take_row(saver, &event);
	saver->search = search_new(trace, first, true, false, NULL, NULL, take_row, saver);
}

void save_start(struct app *app, const char *path)
{
	const struct shared *shared = &app->shared;
	const struct places *places = &shared->places;
	int64_t from;
	trace_ref first;
	struct saver *saver;
	struct ft_error err;
	int fd;

	views_publish(app);
	from = places->range.set       ? places->range.from :
	       save_takes_matches(app) ? shared->first :
					 shared->window_from;
	first = trace_seek_time(shared->trace, from, -1);
	if (!shared->here.set || first == TRACE_REF_NONE) {
		app_error(app, "there are no rows to save");
		return;
	}
	if (!app->ops->lines && !(app->ops->commands && app->ops->commands->save_row)) {
		app_message(app, "%s has no text to save", view_title(app->view_id));
		return;
	}
	fd = broker_create(app->options->broker, path, &err);
	if (fd < 0) {
		app_error(app, "%s", err.message);
		return;
	}
	app_end_job(app);
	saver = mem_alloc(sizeof(*saver));
	saver->app = app;
	saver->ops = app->ops;
	saver->view = app->view;
	saver->file = fdopen(fd, "w");
	saver->path = mem_strdup(path);
	saver->to = places->range.set       ? places->range.to :
		    save_takes_matches(app) ? INT64_MAX :
					      shared->window_to;
	app->saver = saver;
	app_begin_job(app, JOB_SAVE, end);
	if (saver->ops->lines)
		begin_events(saver, first);
	save_step(app);
}

void save_step(struct app *app)
{
	struct saver *saver = app->saver;

	if (saver->search ? search_slice(saver->search, SLICE_NS) != SEARCH_RUNNING :
			    !write_view_rows(saver))
		finish(app);
}
