/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/match/event_sweep.h"

#include <stdlib.h>

#include "src/base/memory.h"
#include "src/base/workers.h"

#define ROWS_PER_JOB	8192u		/* others get their turn in between */

struct event_sweep {
	struct trace	*trace;		/* borrowed */
	struct event_sweep_options options;
	event_sweep_see	 see;
	void		*arg;
	struct worker_group group;
	atomic_bool	 done;
	_Atomic uint64_t rows;		/* that were read */
	/* The worker's until it is done: */
	struct filter_runs filters;
	bool		*streams;	/* owned: those of the options; NULL: all */
	unsigned int	 stream;	/* the next one */
	struct trace_cursor *cursor;	/* owned: of the current stream; NULL: none */
};

bool event_sweep_wants(struct event_sweep *s, const struct trace_event *event)
{
	const struct event_sweep_options *o = &s->options;

	if (event->kind != TRACE_ROW_EVENT ||
	    (o->range.set && o->outside == time_range_has(&o->range, event->ts)))
		return false;
	for (unsigned int i = 0; i < s->filters.nr; i++)
		if (!filter_run_event(s->filters.list[i], event))
			return false;
	return true;
}

static bool is_asked_for(const struct event_sweep *s, unsigned int stream,
			 const struct trace_stream_info *info)
{
	const struct event_sweep_options *o = &s->options;

	return info->file == o->file && (!s->streams || s->streams[stream]) &&
	       (!o->only ||
		(info->cpu >= 0 && (unsigned int)info->cpu < o->nr_only && o->only[info->cpu]));
}

static bool is_window(const struct event_sweep *s)
{
	return s->options.only_range && s->options.range.set;
}

/* To the next stream that is asked for; false: there is none. */
static bool next_stream(struct event_sweep *s)
{
	trace_cursor_free(s->cursor);
	s->cursor = NULL;
	while (s->stream < trace_nr_streams(s->trace)) {
		unsigned int stream = s->stream++;
		struct trace_stream_info info = trace_stream_info(s->trace, stream);

		if (!is_asked_for(s, stream, &info))
			continue;
		filter_runs_stream(&s->filters, stream);
		s->cursor = trace_cursor_of_worker(s->trace, stream);
		trace_cursor_seek_time(s->cursor, is_window(s) ? s->options.range.from : INT64_MIN);
		s->see(s->arg, s, NULL);
		return true;
	}
	return false;
}

static void sweep(void *arg, unsigned int worker, bool cancelled)
{
	struct event_sweep *s = arg;
	struct trace_event event;

	(void)worker;
	for (unsigned int i = 0; i < ROWS_PER_JOB && !cancelled; i++) {
		if (s->cursor && trace_cursor_next(s->cursor, &event) &&
		    !(is_window(s) && trace_row_time(s->trace, &event) > s->options.range.to)) {
			s->see(s->arg, s, &event);
		} else if (!next_stream(s)) {
			s->see(s->arg, s, NULL);
			atomic_store(&s->done, true);
			return;
		}
	}
	atomic_fetch_add_explicit(&s->rows, ROWS_PER_JOB, memory_order_relaxed);
	if (!cancelled)
		workers_add(trace_workers(s->trace), &s->group, WORKER_REQUESTED, sweep, s);
}

struct event_sweep *event_sweep_new(struct trace *trace, const struct event_sweep_options *options,
				    event_sweep_see see, void *arg)
{
	struct event_sweep *s = mem_alloc(sizeof(*s));
	unsigned int nr = trace_nr_streams(trace);

	s->trace = trace;
	s->options = *options;
	s->streams = options->streams ? mem_array(nr, sizeof(bool)) : NULL;
	for (unsigned int i = 0; i < nr && s->streams; i++)
		s->streams[i] = options->streams[i];
	s->see = see;
	s->arg = arg;
	filter_runs_init(&s->filters, options->filters, options->nr_filters);
	workers_add(trace_workers(trace), &s->group, WORKER_REQUESTED, sweep, s);
	return s;
}

void event_sweep_free(struct event_sweep *s)
{
	if (!s)
		return;
	workers_cancel(&s->group);
	workers_wait(trace_workers(s->trace), &s->group);
	trace_cursor_free(s->cursor);
	filter_runs_fini(&s->filters);
	free(s->streams);
	free(s);
}

bool event_sweep_is_done(const struct event_sweep *s)
{
	return atomic_load(&s->done);
}

unsigned int event_sweep_permille(const struct event_sweep *s)
{
	uint64_t rows = atomic_load_explicit(&s->rows, memory_order_relaxed), all = 0;

	for (unsigned int i = 0; i < trace_nr_streams(s->trace); i++) {
		struct trace_stream_info info = trace_stream_info(s->trace, i);

		all += is_asked_for(s, i, &info) ? info.events : 0;
	}
	return rows < all ? (unsigned int)((double)rows / (double)all * 1000) : 1000;
}

void event_sweep_wait(struct event_sweep *s)
{
	workers_wait(trace_workers(s->trace), &s->group);
}
