/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/session/save_perfetto.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/export/perfetto.h"
#include "src/sandbox/broker.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/session/save.h"
#include "ui/session/session.h"
#include "ui/rows/call_scope.h"

struct exporter {
	struct perfetto	*perfetto;	/* NULL: names or filters are not known yet */
	int		 fd;
	struct call_scope scope;	/* owned: the filters */
	struct event_sweep_options what;
	bool		*streams;	/* owned; NULL: all */
	char		*path;
};

/* Ends the file and the job; the file stays if @keep and all of it is written, else -1. */
static int end_file(struct app *app, bool keep, struct perfetto_totals *totals,
		    struct ft_error *err)
{
	struct exporter *e = app->session->exporter;
	int ret = perfetto_end(e->perfetto, totals, err);

	if (close(e->fd) && !ret)
		ret = ft_error_errno(err, errno, -1, "writing");
	if (broker_end_files(app->options->broker, keep && !ret, ret ? NULL : err))
		ret = -1;
	call_scope_drop(&e->scope);
	free(e->streams);
	free(e);
	app->session->exporter = NULL;
	return ret;
}

/* The job is over: cancelled, unless it was finished. */
static void end(struct app *app)
{
	char *path = app->session->exporter ? app->session->exporter->path : NULL;
	struct ft_error err;

	if (!path)
		return;
	end_file(app, false, NULL, &err);
	app_error(app, "saving stopped; %s was removed", path);
	free(path);
}

static void finish(struct app *app)
{
	char *path = app->session->exporter->path;
	struct perfetto_totals totals;
	struct text events = { 0 }, calls = { 0 };
	struct ft_error err;

	if (end_file(app, true, &totals, &err)) {
		app_error(app, "%s: %s", path, err.message);
	} else {
		text_counted(&events, totals.events, "event");
		text_counted(&calls, totals.calls, "call");
		app_message(app, "%s and %s saved to %s", text_str(&events), text_str(&calls),
			    path);
	}
	text_fini(&events);
	text_fini(&calls);
	free(path);
	app_end_job(app);
}

static void choose(struct app *app, struct event_sweep_options *what)
{
	const struct places *places = &app->shared.at.places;
	bool all = app_table(app) || filters_hiding(&app->shared.chosen.filters);

	if (places->range.set)
		what->range = (struct time_range){ true, places->range.from, places->range.to };
	else if (!all)
		what->range = (struct time_range){ true, app->shared.at.window_from,
						   app->shared.at.window_to };
}

static void step(struct app *app)
{
	struct exporter *e = app->session->exporter;

	if (!e->perfetto && trace_status(app->shared.trace).complete &&
	    call_scope_is_ready(&e->scope, app->shared.trace))
		e->perfetto = perfetto_new(app->shared.trace, &e->what, false, e->fd);
	if (e->perfetto && !perfetto_step(e->perfetto))
		finish(app);
	else
		poll(NULL, 0, 1);
}

static const struct job perfetto_job = {
	.step = step,
	.end = end,
	.progress = save_progress,
	.saves = true,
};

void save_perfetto_start(struct app *app, const char *path)
{
	struct trace *trace = app->shared.trace;
	unsigned int nr = trace_nr_streams(trace);
	struct exporter *e;
	struct ft_error err;
	int fd;

	app_end_job(app);
	if (trace_nr_files(trace) > 1 || trace_is_untimed(trace, -1) || trace_is_head(trace)) {
		app_message(app, trace_is_head(trace) ?
					 "the trace is not read to its end yet; save it then" :
				 trace_nr_files(trace) > 1 ?
					 "S p saves one trace; ftop-trace export takes several" :
					 "Perfetto needs times, and the text has none");
		return;
	}
	fd = broker_begin_file(app->options->broker, path, &err);
	if (fd < 0) {
		app_error(app, "%s", err.message);
		return;
	}
	e = mem_alloc(sizeof(*e));
	*e = (struct exporter){ .fd = fd, .path = mem_strdup(path) };
	call_scope_take(&e->scope, &app->shared, false);
	e->what = call_scope_sweep(&e->scope, 0);
	choose(app, &e->what);
	if (app->shared.chosen.streams)
		e->what.streams = e->streams = mem_copy(app->shared.chosen.streams, nr, 1);
	app->session->exporter = e;
	app_begin_job(app, &perfetto_job);
	step(app);
}
