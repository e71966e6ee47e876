/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_window.h"

#include <stdlib.h>

#include "src/base/memory.h"
#include "src/base/workers.h"

#define MAX_CALLS	400000u
#define SMALL_EVENTS	600000u		/* make some 300 000 calls */
#define BATCH		512u
#define EVENTS_BEFORE	40000u
#define RECORDS_BEFORE	3000u
#define RECORDS_BEHIND	6000u
#define STEP_BACK	8u		/* at most so many times as far back, for more records */
#define FAR_BACK	1500000u	/* in events, some 60 ms; earlier calls: go there */

struct call_window {
	struct call_window_options options;
	struct graph_reader *reader;	/* owned; NULL: nothing to read */
	struct call_tree *tree;		/* owned */
	struct call_tree *former;	/* owned: shown while another one is built; or NULL */
	struct graph_record *records;	/* owned, [BATCH] */
	int64_t		 moment;
	uint64_t	 back;		/* number of events before it at which the window begins */
	bool		 at_start, at_end, ready;
	uint64_t	 before, behind;	/* records before the time, and from it on */
	uint64_t	 wanted_behind;
	bool		 any;
	int64_t		 first, last;	/* keys */
	uint64_t	 version;
};

struct call_window *call_window_new(const struct call_window_options *options)
{
	struct call_window *w = mem_alloc(sizeof(*w));

	w->options = *options;
	w->options.max_calls = options->max_calls ?: MAX_CALLS;
	w->options.small_events = options->small_events ?: SMALL_EVENTS;
	w->options.events_before = options->events_before ?: EVENTS_BEFORE;
	w->options.records_before = options->records_before ?: RECORDS_BEFORE;
	w->options.records_behind = options->records_behind ?: RECORDS_BEHIND;
	w->records = mem_array(BATCH, sizeof(*w->records));
	return w;
}

void call_window_free(struct call_window *w)
{
	if (!w)
		return;
	graph_reader_free(w->reader);
	call_tree_free(w->tree);
	call_tree_free(w->former);
	free(w->records);
	free(w);
}

/* --- where it begins ---------------------------------------------------------------- */

/* A time roughly this many events before another one; *start: it is before the first event. */
static int64_t moment_before(struct trace *trace, int64_t ts, uint64_t events, bool *start)
{
	struct trace_status status = trace_status(trace);
	int64_t first, last;
	uint64_t nr;
	bool exact;

	*start = true;
	if (!trace_span(trace, &first, &last) || ts <= first)
		return INT64_MIN;
	if (status.complete) {
		trace_ref ref = trace_seek_time(trace, ts, -1);
		struct trace_event event;

		nr = ref == TRACE_REF_NONE ? status.events : trace_rank_events(trace, ref, &exact);
		if (nr <= events ||
		    !trace_event_at(trace, trace_select_event(trace, nr - events), &event))
			return INT64_MIN;
		*start = false;
		return event.key;
	}
	/* in proportion to time, without better information */
	if (status.events <= events)
		return INT64_MIN;
	ts -= (int64_t)((double)(last - first) * ((double)events / (double)status.events));
	*start = ts <= first;
	return *start ? INT64_MIN : ts;
}

static void begin(struct call_window *w)
{
	const struct call_window_options *o = &w->options;
	struct graph_reader_options how = { .scope = o->scope,
					    .slices = true,
					    .events = true,
					    .by_pid = o->by_pid,
					    .pid = o->pid,
					    .cpu = o->cpu };
	struct call_tree_options tree = { .either = true, .max_calls = o->max_calls };
	int64_t from;

	tree.local_clock = how.switches = how.wakeups = graph_clock_is_local(o->trace, o->file,
									     o->buffer);
	graph_reader_free(w->reader);
	if (w->ready) {
		call_tree_free(w->former);
		w->former = w->tree;
	} else {
		call_tree_free(w->tree);
	}
	w->tree = call_tree_new(&tree);
	w->reader = graph_reader_new(o->trace, o->types, o->file, o->buffer, &how);
	w->at_start = true;
	if (trace_status(o->trace).events > o->small_events) {
		from = moment_before(o->trace, w->moment, w->back, &w->at_start);
		if (!w->at_start)
			graph_reader_seek(w->reader, from);
	}
	w->at_end = w->ready = w->any = false;
	w->before = w->behind = 0;
	w->version++;
}

void call_window_seek(struct call_window *w, int64_t ts)
{
	w->moment = ts;
	w->back = w->options.events_before;
	w->wanted_behind = w->options.records_behind;
	begin(w);
}

bool call_window_extend(struct call_window *w, bool forward)
{
	if (!w->tree)
		return false;
	if (forward) {
		if (w->at_end || call_tree_is_full(w->tree))
			return false;
		w->wanted_behind = w->behind + w->options.records_behind;
		return true;
	}
	/* a record makes at most one call; there must be room for those from the time on */
	if (w->at_start || !w->ready ||
	    w->before * STEP_BACK + w->options.records_behind > w->options.max_calls)
		return false;
	w->back *= STEP_BACK;
	begin(w);
	return true;
}

/* --- reading -------------------------------------------------------------------------- */

static void take(struct call_window *w, const struct graph_record *record)
{
	call_tree_add(w->tree, record);
	if (graph_is_loss(record))
		return;
	if (!w->any)
		w->first = record->key;
	w->any = true;
	w->last = record->key;
	if (record->key < w->moment)
		w->before++;
	else
		w->behind++;
}

/* Is the requested part loaded? A trace that fits is loaded whole. */
static bool is_enough(const struct call_window *w)
{
	return w->at_end || call_tree_is_full(w->tree) ||
	       (w->behind >= w->wanted_behind &&
		trace_status(w->options.trace).events > w->options.small_events);
}

/* Is the time so near to the window's start that the calls above it are unknown? */
static bool is_too_late(const struct call_window *w)
{
	return !w->at_start && w->before < w->options.records_before && w->back < FAR_BACK &&
	       !call_tree_is_full(w->tree);
}

/* How far to go back, in limited steps, for enough records if they were equally dense. */
static uint64_t further_back(const struct call_window *w)
{
	uint64_t times = w->before ? (uint64_t)w->options.records_before * 5 / 4 / w->before + 1 :
				     STEP_BACK;

	return w->back * (times < 2 ? 2 : times > STEP_BACK ? STEP_BACK : times);
}

static void settle(struct call_window *w)
{
	if (w->at_end)
		call_tree_end(w->tree);
	if (w->at_end || call_tree_is_full(w->tree)) {
		graph_reader_free(w->reader);
		w->reader = NULL;
	}
	call_tree_figures(w->tree);
	call_tree_free(w->former);
	w->former = NULL;
	w->ready = true;
	w->version++;
}

bool call_window_work(struct call_window *w, int64_t ns)
{
	int64_t until = workers_now_ns() + ns;

	if (!w->reader || (w->ready && is_enough(w)))
		return false;
	while (!is_enough(w)) {
		unsigned int nr = graph_reader_read(w->reader, w->records, BATCH);

		for (unsigned int i = 0; i < nr; i++)
			take(w, &w->records[i]);
		w->at_end |= nr == 0;
		if (workers_now_ns() >= until && !is_enough(w))
			return true;
	}
	if (!w->ready && is_too_late(w)) {
		w->back = further_back(w);
		begin(w);
		return true;
	}
	settle(w);
	return false;
}

bool call_window_is_ready(const struct call_window *w)
{
	return w->ready;
}

const struct call_tree *call_window_tree(const struct call_window *w)
{
	return w->former ? w->former : w->tree;
}

uint64_t call_window_version(const struct call_window *w)
{
	return w->version;
}

bool call_window_span(const struct call_window *w, int64_t *first, int64_t *last)
{
	*first = w->first;
	*last = w->last;
	return w->any;
}

bool call_window_at_start(const struct call_window *w)
{
	return w->at_start;
}

bool call_window_at_end(const struct call_window *w)
{
	return w->at_end;
}
