/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/session/save.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/sandbox/broker.h"
#include "src/base/memory.h"
#include "src/base/shell_words.h"
#include "src/base/workers.h"
#include "src/cut/cut.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/desk/views.h"
#include "ui/session/session.h"
#include "ui/rows/row_cursor.h"
#include "ui/screen/term.h"
#include "ui/table/table.h"

struct saver {
	struct app	*app;
	const struct view_ops *ops;	/* the view whose rows are saved */
	struct view	*view;
	struct table	*table;		/* borrowed; NULL: its rows come from elsewhere */
	uint64_t	 table_state;	/* the table's state when saving began */
	struct table_out out;		/* how the table is written */
	FILE		*file;
	char		*path;
	trace_ref	 first;
	bool		 has_above;
	int64_t		 above;		/* ts of the event written last */
	int64_t		 to;		/* key of the last row */
	struct search	*search;
	struct text	 line;
	uint64_t	 rows;
	/* For rows around those that filters keep: */
	trace_ref	 before[FILTERS_MAX_AROUND];	/* passed but not written, oldest first */
	unsigned int	 nr_before;
	unsigned int	 behind;	/* rows still to be written, kept by filters or not */
	/* For a part of the trace: */
	struct cut	*cut;		/* owned */
	struct filter	*filter;	/* owned: the stack as one, or NULL */
};

bool save_takes_matches(const struct app *app)
{
	return app->ops->lines && !app->shared.at.places.range.set &&
	       filters_hiding(&app->shared.chosen.filters);
}

static void write_line(struct saver *saver)
{
	fwrite(saver->line.data, 1, saver->line.len, saver->file);
	text_clear(&saver->line);
	saver->rows++;
}

static void write_row(struct saver *saver, const struct trace_event *event)
{
	saver->ops->lines->save(saver->view, event, saver->has_above ? &saver->above : NULL,
				&saver->line);
	text_char(&saver->line, '\n');
	write_line(saver);
	if (trace_is_event(event)) {
		saver->above = event->ts;
		saver->has_above = true;
	}
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
	const struct filters *filters = &saver->app->shared.chosen.filters;

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
	if ((!saver->app->shared.chosen.streams ||
	     saver->app->shared.chosen.streams[event->stream]) &&
	    row_cursor_leaf(&saver->app->shared, event) == TRACE_REF_NONE)
		take_listed(saver, event);
	return false;
}

static void end(struct app *app)
{
	struct saver *saver = app->session->saver;

	if (saver->cut) {
		cut_free(saver->cut);
		broker_end_files(app->options->broker, false, NULL);
		app_error(app, "saving stopped; %s was removed", saver->path);
	}
	filter_free(saver->filter);
	if (saver->file) {
		fclose(saver->file);
		app_error(app, "saving stopped; %s is incomplete", saver->path);
	}
	table_out_fini(&saver->out);
	search_free(saver->search);
	text_fini(&saver->line);
	free(saver->path);
	free(saver);
	app->session->saver = NULL;
}

void save_progress(const struct app *app, struct text *out)
{
	(void)app;
	text_add(out, "Esc stops; saving …");
}

static void finish(struct app *app)
{
	struct saver *saver = app->session->saver;
	bool failed = ferror(saver->file);
	struct text rows = { 0 };

	if (fclose(saver->file))
		failed = true;
	saver->file = NULL;
	text_counted(&rows, saver->rows, "row");
	if (failed)
		app_error(app, "%s: %s", saver->path, strerror(errno));
	else
		app_message(app, "%s saved to %s", text_str(&rows), saver->path);
	text_fini(&rows);
	app_end_job(app);
}

/* A row that is no event. */
static bool add_view_row(struct saver *saver)
{
	if (saver->table)
		return table_file_row(saver->table, saver->rows, &saver->out, &saver->line);
	if (!saver->ops->commands->save_row(saver->view, saver->rows, &saver->line))
		return false;
	text_char(&saver->line, '\n');
	return true;
}

static bool write_view_rows(struct saver *saver)
{
	int64_t until = workers_now_ns() + SLICE_NS;

	do {
		if (!add_view_row(saver))
			return false;
		write_line(saver);
	} while (!ferror(saver->file) && workers_now_ns() < until);
	return !ferror(saver->file);
}

static void begin_events(struct saver *saver)
{
	struct trace *trace = saver->app->shared.trace;
	struct trace_event event;

	if (trace_event_at(trace, saver->first, &event))
		take_row(saver, &event);
	saver->search = search_new(trace, saver->first, true, false, NULL, NULL, take_row, saver);
}

/* Begins the rows: of the table, else of the view, else events.  False: there are none. */
static bool begin(struct saver *saver, enum table_format format)
{
	struct app *app = saver->app;
	const struct places *places = &app->shared.at.places;
	trace_ref first;

	views_publish(app);
	saver->table = app_table(app);
	if (saver->table) {
		saver->table_state = table_state(saver->table);
		if (table_file_begin(saver->table, format, &saver->out, &saver->line))
			return true;
		app_message(app, "a comparison is saved as text alone; = ends it");
		return false;
	}
	saver->to = places->range.set       ? places->range.to :
		    save_takes_matches(app) ? INT64_MAX :
					      app->shared.at.window_to;
	first = trace_seek_time(app->shared.trace,
				places->range.set       ? places->range.from :
				save_takes_matches(app) ? app->shared.at.first :
							  app->shared.at.window_from,
				-1);
	if (!app->shared.at.here.set || first == TRACE_REF_NONE) {
		app_error(app, "there are no rows to save");
		return false;
	}
	if (!app->ops->lines && !(app->ops->commands && app->ops->commands->save_row)) {
		app_message(app, "%s has no text to save", view_title(app->view_id));
		return false;
	}
	saver->first = first;
	return true;
}

/* The user may have to confirm the name, on the terminal. */
static int create_file(struct app *app, const char *path, struct ft_error *err)
{
	struct broker *broker = app->options->broker;
	int fd = broker_create(broker, path, false, err);

	if (fd != BROKER_CREATE_ASKS)
		return fd;
	if (!app->term)
		return ft_error_set(err, FT_E_USAGE, -1, "%s must be confirmed on a terminal",
				    path);
	term_leave(app->term, "");
	fd = broker_create(broker, path, true, err);
	term_return(app->term);
	return fd;
}

static void step(struct app *app);
static bool waits(const struct app *app);

static const struct job save_job = {
	.step = step,
	.end = end,
	.waits = waits,
	.progress = save_progress,
	.saves = true,
};

void save_start(struct app *app, const char *path, enum table_format format)
{
	struct saver *saver = mem_alloc(sizeof(*saver));
	struct ft_error err;
	int fd = -1;

	app_end_job(app);
	if (trace_is_head(app->shared.trace)) {
		free(saver);
		app_message(app, "the trace is not read to its end yet; save it then");
		return;
	}
	*saver = (struct saver){ .app = app, .ops = app->ops, .view = app->view };
	app->session->saver = saver;
	app_begin_job(app, &save_job);
	if (!begin(saver, format)) {
		app_end_job(app);
		return;
	}
	fd = create_file(app, path, &err);
	if (fd < 0) {
		app_end_job(app);
		app_error(app, "%s", err.message);
		return;
	}
	saver->file = fdopen(fd, "w");
	saver->path = mem_strdup(path);
	if (!saver->table && saver->ops->lines)
		begin_events(saver);
	step(app);
}

/* --- a part of the trace ------------------------------------------------------------ */

/* What stays, as the options of the command; false: the filter cannot be used. */
static bool choose(struct saver *saver, struct cut_options *options, struct text *words,
		   struct ft_error *err)
{
	const struct shared *shared = &saver->app->shared;
	const struct range *range = &shared->at.places.range;
	struct filter_error wrong = { 0 };
	struct text expression = { 0 };

	options->range = (struct time_range){ range->set, range->from, range->to };
	options->streams = shared->chosen.streams;
	if (range->set) {
		text_add(words, "--from=");
		trace_time_text(shared->trace, range->from, 9, words);
		text_add(words, " --to=");
		trace_time_text(shared->trace, range->to, 9, words);
	}
	if (shared->chosen.streams)
		text_add(words, words->len ? " --buffer=..." : "--buffer=...");
	if (!filters_hiding(&shared->chosen.filters))
		return true;
	filters_expression(&shared->chosen.filters, &expression);
	saver->filter = filters_parse(&shared->chosen.filters, text_str(&expression),
				      &shared->at.places, &wrong);
	if (!saver->filter)
		ft_error_set(err, FT_E_USAGE, -1, "%s", text_str(&wrong.message));
	text_add(words, words->len ? " --filter=" : "--filter=");
	shell_words_quote(words, text_str(&expression));
	text_fini(&wrong.message);
	text_fini(&expression);
	options->nr_filters = 1;
	return saver->filter;
}

void save_cut(struct app *app, const char *path)
{
	struct saver *saver;
	struct cut_options options = { 0 };
	struct text words = { 0 };
	struct ft_error err = { 0 };
	int fd = -1;

	app_end_job(app);
	if (!trace_status(app->shared.trace).complete ||
	    filters_await(&app->shared.chosen.filters)) {
		app_message(app, "the trace is not read to its end yet; save it then");
		return;
	}
	saver = mem_alloc(sizeof(*saver));
	*saver = (struct saver){ .app = app, .path = mem_strdup(path) };
	app->session->saver = saver;
	app_begin_job(app, &save_job);
	if (choose(saver, &options, &words, &err))
		fd = broker_begin_file(app->options->broker, path, &err);
	options.filters = (const struct filter *const *)&saver->filter;
	options.words = text_str(&words);
	options.name = path;
	if (fd >= 0)
		saver->cut = cut_new(app->shared.trace, &options, fd, &err);
	text_fini(&words);
	if (saver->cut)
		return;
	if (fd >= 0)
		broker_end_files(app->options->broker, false, NULL);
	app_end_job(app);
	app_error(app, "%s", err.message);
}

/* Is there nothing to do until it is written? */
static bool waits(const struct app *app)
{
	return app->session->saver->cut && !cut_is_done(app->session->saver->cut);
}

static void finish_cut(struct app *app)
{
	struct saver *saver = app->session->saver;
	struct text number = { 0 };
	struct ft_error err = { 0 };
	uint64_t events;
	int ret = cut_finish(saver->cut, &events, &err);

	cut_free(saver->cut);
	saver->cut = NULL;
	if (broker_end_files(app->options->broker, !ret, ret ? NULL : &err))
		ret = -1;
	text_counted(&number, events, "event");
	if (ret)
		app_error(app, "%s", err.message);
	else
		app_message(app, "%s saved to %s", text_str(&number), saver->path);
	text_fini(&number);
	app_end_job(app);
}

static void step(struct app *app)
{
	struct saver *saver = app->session->saver;
	bool more;

	if (saver->cut) {
		if (cut_is_done(saver->cut))
			finish_cut(app);
		return;
	}
	if (saver->table && (saver->ops->table(saver->view) != saver->table ||
			     table_state(saver->table) != saver->table_state)) {
		app_end_job(app);
		return;
	}
	more = saver->search ? search_slice(saver->search, SLICE_NS) == SEARCH_RUNNING :
			       write_view_rows(saver);
	if (!more)
		finish(app);
}
