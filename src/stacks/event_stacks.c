/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/stacks/event_stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"

#define ROWS_PER_JOB	50000u		/* others get their turn in between */

struct event_stacks {
	struct trace	*trace;		/* borrowed */
	struct event_stacks_options options;
	struct worker_group group;
	atomic_bool	 done;
	/* The worker's until it is done: */
	struct sched_names *words;	/* owned */
	struct stack_table *table;	/* owned */
	struct filter_run **runs;	/* owned, [nr_filters] */
	unsigned int	 stream;	/* the next one */
	struct trace_cursor *cursor;	/* owned: of the stream before; NULL: none */
	char		 name[128];	/* of the event before, which stacks belong to; "": it is
					 * not wanted */
	int		 pid;		/* its task */
	uint64_t	*frames;	/* owned, [TRACE_MAX_STACK + 1] */
};

static bool wants(struct event_stacks *s, const struct trace_event *event)
{
	const struct event_stacks_options *o = &s->options;

	if (event->kind != TRACE_ROW_EVENT || !time_range_has(&o->range, event->ts))
		return false;
	for (unsigned int i = 0; i < o->nr_filters; i++)
		if (!filter_run_event(s->runs[i], event))
			return false;
	return true;
}

static void add_stack(struct event_stacks *s, const struct trace_event *event)
{
	bool is_user = !strcmp(trace_event_name(event), "user_stack");
	char word[sizeof(s->name) + 16];
	unsigned int nr;

	if (!s->name[0] || event->pid != s->pid)
		return;
	snprintf(word, sizeof(word), "%s%s", s->name, is_user ? " (user space)" : "");
	nr = stack_table_frames(s->table, s->trace, event, s->frames + 1);
	s->frames[0] = stack_table_word(s->table, word);
	stack_table_add(s->table, s->frames, nr + 1, 1, 1);
}

static void see(struct event_stacks *s, const struct trace_event *event)
{
	if (event->kind == TRACE_ROW_EVENT && trace_event_is_stack(event)) {
		add_stack(s, event);
		return;
	}
	s->name[0] = '\0';		/* behind lost events, a stack belongs to none */
	if (!wants(s, event))
		return;
	snprintf(s->name, sizeof(s->name), "%s", trace_event_name(event));
	s->pid = event->pid;
}

/* To the next stream that is asked for; false: there is none. */
static bool next_stream(struct event_stacks *s)
{
	const struct event_stacks_options *o = &s->options;

	trace_cursor_free(s->cursor);
	s->cursor = NULL;
	s->name[0] = '\0';
	while (s->stream < trace_nr_streams(s->trace)) {
		unsigned int stream = s->stream++;
		struct trace_stream_info info = trace_stream_info(s->trace, stream);

		if (info.file != o->file ||
		    (o->only &&
		     (info.cpu < 0 || (unsigned int)info.cpu >= o->nr_only || !o->only[info.cpu])))
			continue;
		for (unsigned int i = 0; i < o->nr_filters; i++)
			filter_run_stream(s->runs[i], stream);
		s->cursor = trace_cursor_of_stream(s->trace, stream);
		trace_cursor_seek_time(s->cursor, INT64_MIN);
		return true;
	}
	return false;
}

static void count(void *arg, unsigned int worker, bool cancelled)
{
	struct event_stacks *s = arg;
	struct trace_event event;

	(void)worker;
	for (unsigned int i = 0; i < ROWS_PER_JOB && !cancelled; i++) {
		if (s->cursor && trace_cursor_next(s->cursor, &event)) {
			see(s, &event);
		} else if (!next_stream(s)) {
			atomic_store(&s->done, true);
			return;
		}
	}
	if (!cancelled)
		workers_add(trace_workers(s->trace), &s->group, WORKER_REQUESTED, count, s);
}

struct event_stacks *event_stacks_new(struct trace *trace,
				      const struct event_stacks_options *options)
{
	struct event_stacks *s = mem_alloc(sizeof(*s));

	s->trace = trace;
	s->options = *options;
	s->words = sched_names_new();
	s->table = stack_table_new(s->words);
	s->frames = mem_array(TRACE_MAX_STACK + 1, sizeof(*s->frames));
	s->runs = mem_array(options->nr_filters + 1ul, sizeof(struct filter_run *));
	for (unsigned int i = 0; i < options->nr_filters; i++)
		s->runs[i] = filter_run_new(options->filters[i]);
	workers_add(trace_workers(trace), &s->group, WORKER_REQUESTED, count, s);
	return s;
}

void event_stacks_free(struct event_stacks *s)
{
	if (!s)
		return;
	workers_cancel(&s->group);
	workers_wait(trace_workers(s->trace), &s->group);
	trace_cursor_free(s->cursor);
	for (unsigned int i = 0; i < s->options.nr_filters; i++)
		filter_run_free(s->runs[i]);
	free(s->runs);
	stack_table_free(s->table);
	sched_names_free(s->words);
	free(s->frames);
	free(s);
}

bool event_stacks_are_done(const struct event_stacks *s)
{
	return atomic_load(&s->done);
}

void event_stacks_wait(struct event_stacks *s)
{
	workers_wait(trace_workers(s->trace), &s->group);
}

struct stack_table *event_stacks_table(const struct event_stacks *s)
{
	return s->table;
}
