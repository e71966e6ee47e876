/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/sched_keep.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/match/matches.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/report/report_filter.h"
#include "src/sched/sched_values.h"

/* A set of pairs of numbers. */
struct pair {
	uint64_t	a, b;
};

struct kept_pairs {
	struct pair	*pairs;		/* owned, [nr] */
	uint32_t	 nr, cap;
	struct index_map map;
};

struct sched_keep {
	struct report_filter *filter;	/* owned */
	struct kept_pairs tasks;	/* pid, 0; stream, 1 */
};

static bool has(const struct kept_pairs *set, struct pair pair)
{
	index_map_each (&set->map, index_map_hash_pair(pair.a, pair.b), i)
		if (set->pairs[i].a == pair.a && set->pairs[i].b == pair.b)
			return true;
	return false;
}

static void add(struct kept_pairs *set, struct pair pair)
{
	if (has(set, pair))
		return;
	mem_grow(&set->pairs, set->nr, &set->cap);
	index_map_add(&set->map, index_map_hash_pair(pair.a, pair.b), set->nr);
	set->pairs[set->nr++] = pair;
}

static void pairs_fini(struct kept_pairs *set)
{
	free(set->pairs);
	index_map_fini(&set->map);
}

static void look(struct sched_keep *keep, struct report_filter *filter, const struct matches *ahead,
		 struct trace_cursor *cursor)
{
	bool of_other = report_filter_is_of_other(filter);
	struct trace_event event;

	while (trace_cursor_next(cursor, &event)) {
		const struct event_field *other;
		int pid = event.pid;

		if (event.kind != TRACE_ROW_EVENT ||
		    (!ahead && !report_filter_matches(filter, &event)))
			continue;
		add(&keep->tasks, (struct pair){ event.stream, 1 });
		other = sched_values_other_pid(event.type);
		if (of_other && other)
			pid = (int)field_u64(other, event.data, event.size, event.swap);
		if (pid > 0)
			add(&keep->tasks, (struct pair){ (uint32_t)pid, 0 });
	}
}

struct sched_keep *sched_keep_new(struct trace *trace, unsigned int file, unsigned int buffer,
				  const struct filter_given *given, struct ft_error *err)
{
	struct report_filter_options options = { .sources = given->sources,
						 .nr_sources = given->nr,
						 .compat = given->compat };
	struct report_filter *filter = report_filter_new(trace, &options, err);
	unsigned int nr_streams = trace_nr_streams(trace);
	struct trace_cursor *cursor;
	struct sched_keep *keep;
	struct matches *ahead;
	bool *streams;

	if (!filter)
		return NULL;
	keep = mem_alloc(sizeof(*keep));
	keep->filter = filter;
	streams = mem_array(nr_streams, sizeof(*streams));
	for (unsigned int i = 0; i < nr_streams; i++) {
		struct trace_stream_info info = trace_stream_info(trace, i);

		streams[i] = info.file == file && info.buffer == buffer;
	}
	cursor = trace_cursor_new(trace);
	trace_cursor_only_streams(cursor, streams, nr_streams);
	ahead = report_filter_look_ahead(filter, false, false);
	if (ahead)
		trace_cursor_only_matches(cursor, ahead);
	trace_cursor_seek_time(cursor, INT64_MIN);
	look(keep, filter, ahead, cursor);
	trace_cursor_free(cursor);
	free(streams);
	if (!report_filter_check(filter, err))
		return keep;
	sched_keep_free(keep);
	return NULL;
}

void sched_keep_tell(struct sched_keep *keep, bool any)
{
	report_filter_tell(keep->filter, any || keep->tasks.nr, false);
}

void sched_keep_free(struct sched_keep *keep)
{
	if (!keep)
		return;
	report_filter_free(keep->filter);
	pairs_fini(&keep->tasks);
	free(keep);
}

bool sched_keep_task(const struct sched_keep *keep, uint32_t pid)
{
	return has(&keep->tasks, (struct pair){ pid, 0 });
}

bool sched_keep_stream(const struct sched_keep *keep, unsigned int stream)
{
	return has(&keep->tasks, (struct pair){ stream, 1 });
}
