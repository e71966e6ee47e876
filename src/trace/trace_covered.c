/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_covered - how much of each CPU's time was recorded, from the page directory. */
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/trace/trace_absence.h"
#include "src/trace/trace_private.h"

/* Without the digits of a text's stamp that only tell the order. */
static int64_t time_of(const struct trace_stream *stream, int64_t key)
{
	return stream->clock.step > 1 ?
		       key - time_between(stream->clock.offset, key) % (int64_t)stream->clock.step :
		       key;
}

/* How much of an interval is in the range. */
static int64_t between(const struct trace_stream *stream, const struct time_range *range,
		       int64_t from, int64_t to)
{
	from = time_of(stream, from);
	to = time_of(stream, to);
	return range->set ? time_range_part(range, from, to) : time_between(from, to);
}

/* Are records missing between the last one of the page before and the first one of this page? */
static bool is_cut_before(const struct trace_stream *stream, uint64_t page)
{
	return page_index_count(&stream->index, page) & PAGE_LOST ||
	       page_index_count(&stream->index, page - 1) & PAGE_DAMAGED;
}

/* From the last record before a page to its first one. */
static int64_t gap_before(struct trace *trace, const struct time_range *range, unsigned int nr,
			  uint64_t page)
{
	const struct trace_stream *stream = &trace->streams[nr];
	struct trace_event event;
	uint64_t first = page_index_first(&stream->index, page), before;

	if (!(page_index_count(&stream->index, page - 1) & PAGE_WIDE)) {
		before = page_index_last(&stream->index, page - 1);
		return between(stream, range, trace_clock_key(&stream->clock, before),
			       trace_clock_key(&stream->clock, first));
	}
	if (!trace_event_at(trace, trace_ref_make(nr, page, 0), &event) ||
	    event.kind != TRACE_ROW_LOST)
		return 0;
	return between(stream, range, event.gap_from, event.gap_to);
}

static int64_t covered(struct trace *trace, const struct time_range *range, unsigned int nr,
		       int64_t last)
{
	const struct trace_stream *stream = &trace->streams[nr];
	uint64_t pages = page_index_pages(&stream->index), page = page_index_start(&stream->index);
	int64_t time, from;

	if (!stream->has_events)
		return 0;
	time = between(stream, range, stream->first_ts, last);
	/* A page of a text may have no record of this CPU.  What was lost before the first is no
	 * gap. */
	while (page < pages && !(page_index_count(&stream->index, page) & PAGE_EVENTS_MASK))
		page++;
	while (++page < pages)
		if (is_cut_before(stream, page))
			time = time_between(gap_before(trace, range, nr, page), time);
	if (page_index_count(&stream->index, pages - 1) & PAGE_DAMAGED || stream->told.unread)
		time = time_between(between(stream, range, stream->last_ts, last), time);
	from = range->set && range->from > stream->first_ts ? range->from : stream->first_ts;
	last = range->set && range->to < last ? range->to : last;
	time = time_between(trace_absent(trace, stream->source, stream->buffer, from, last), time);
	return time > 0 ? time : 0;
}

struct cpu_time {
	int		cpu;
	int64_t		time;
};

static int by_cpu(const void *a, const void *b)
{
	const struct cpu_time *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->time > y->time ? -1 : x->time < y->time;
}

/* The last stamp of each buffer of a file. */
static int64_t *find_ends(const struct trace *trace, const struct trace_source *source)
{
	int64_t *ends = NULL;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < source->nr_streams; i++) {
		const struct trace_stream *stream = &trace->streams[source->first_stream + i];
		unsigned int had = nr;

		mem_reach(&ends, &nr, stream->buffer);
		for (; had < nr; had++)
			ends[had] = INT64_MIN;
		if (stream->has_events && stream->last_ts > ends[stream->buffer])
			ends[stream->buffer] = stream->last_ts;
	}
	return ends;
}

int64_t trace_covered(struct trace *trace, unsigned int file, int buffer,
		      const struct trace_part *part, unsigned int *nr_cpus)
{
	const struct trace_source *source = &trace->sources[file];
	struct cpu_time *cpus = mem_array(source->nr_streams + 1, sizeof(*cpus));
	int64_t *ends = find_ends(trace, source), sum = 0;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < source->nr_streams; i++) {
		const struct trace_stream *stream = &trace->streams[source->first_stream + i];

		if ((buffer < 0 || stream->buffer == (unsigned int)buffer) &&
		    trace_part_has_cpu(part, stream->cpu))
			cpus[nr++] = (struct cpu_time){ stream->cpu,
							covered(trace, &part->range,
								source->first_stream + i,
								ends[stream->buffer]) };
	}
	qsort(cpus, nr, sizeof(*cpus), by_cpu);
	*nr_cpus = 0;
	for (unsigned int i = 0; i < nr; i++) {
		if (i && cpus[i].cpu == cpus[i - 1].cpu)
			continue;
		sum = time_after(sum, cpus[i].time);
		*nr_cpus += cpus[i].time > 0;
	}
	free(ends);
	free(cpus);
	return sum;
}
