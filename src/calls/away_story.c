/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/away_story.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "src/base/memory.h"

#define MAX_RECORDS	100000u
#define BATCH		512u

struct runner_story {
	struct away_runner *runners;	/* owned, [nr] */
	unsigned int	 nr, cap;
	int32_t		 running;	/* start of the current run; -1 = unknown */
	uint64_t	 since;
};

static void add_time(struct runner_story *s, uint64_t until)
{
	unsigned int i = 0;

	if (s->running < 0 || until <= s->since)
		return;
	while (i < s->nr && s->runners[i].pid != s->running)
		i++;
	if (i == s->nr) {
		mem_grow(&s->runners, s->nr, &s->cap);
		s->runners[s->nr++] = (struct away_runner){ .pid = s->running };
	}
	s->runners[i].ns += until - s->since;
}

static int longest_first(const void *a, const void *b)
{
	const struct away_runner *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Take a record into account.  False: the end of the time is reached. */
static bool take(struct runner_story *s, const struct call *away, const struct graph_record *record)
{
	if (record->ts >= away->end)
		return false;
	if (record->stream != away->stream_in || record->ts < away->start)
		return true;
	if (record->kind == GRAPH_LOST) {
		s->running = -1;
	} else if (record->kind == GRAPH_AWAY && record->pid == s->running) {
		add_time(s, record->ts);
		s->running = -1;
	} else if (record->kind == GRAPH_BACK) {
		add_time(s, record->ts);
		s->running = record->pid;
		s->since = record->ts;
	}
	return true;
}

/* Collect the tasks that ran on its CPU meanwhile.  False: there were too many records. */
static bool look(const struct away_options *o, const struct call *away, int64_t from,
		 struct runner_story *s)
{
	struct graph_reader_options how = { .switches = true };
	struct graph_reader *reader = graph_reader_new(o->trace, o->types, o->file, o->buffer,
						       &how);
	struct graph_record *records = mem_array(BATCH, sizeof(*records));
	uint32_t left = o->max_records ?: MAX_RECORDS;
	bool more = true;
	uint64_t last = away->start;

	graph_reader_seek(reader, from);
	while (more && left) {
		unsigned int nr = graph_reader_read(reader, records, left < BATCH ? left : BATCH);

		more = nr != 0;
		left -= nr;
		for (unsigned int i = 0; i < nr && more; i++) {
			more = take(s, away, &records[i]);
			if (more && records[i].ts > last)
				last = records[i].ts;
		}
	}
	add_time(s, more ? last : away->end);
	graph_reader_free(reader);
	free(records);
	return !more;
}

static void tell_waker(const struct away_options *o, const struct call *away,
		       struct away_story *story)
{
	struct trace_event event;

	if (!away->away_woken || away->away_wakeup == TRACE_REF_NONE ||
	    !trace_event_at(o->trace, away->away_wakeup, &event))
		return;
	/* such a record may come from another CPU, see src/sched: only sched_waking tells */
	if (!strcmp(event.type->name, "sched_wakeup") &&
	    (event.flags & TRACE_IN_HARDIRQ || !event.pid) &&
	    !trace_has_event(o->trace, o->file, "sched_waking"))
		return;
	story->woken = true;
	story->waker = event.pid;
	story->waker_cpu = event.cpu;
	story->waker_level = graph_level_of(event.flags);
	story->waker_unsure = event_type_lacks(event.type, FORMAT_LACKS_FLAGS);
}

void away_story_tell(const struct away_options *o, const struct call *away, int64_t from,
		     struct away_story *story)
{
	struct runner_story s = { .running = -1 };

	*story = (struct away_story){ .cpu = trace_stream_info(o->trace, away->stream_in).cpu };
	story->cut = !look(o, away, from, &s);
	if (s.nr)
		qsort(s.runners, s.nr, sizeof(*s.runners), longest_first);
	for (; story->nr < AWAY_WHO && story->nr < s.nr; story->nr++)
		story->who[story->nr] = s.runners[story->nr];
	tell_waker(o, away, story);
	free(s.runners);
}
