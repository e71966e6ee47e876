/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_density - distribution of events over time, from the page directory only: a page's events
 * are spread evenly over its span.
 */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/trace/trace_private.h"

struct density {
	int64_t		 trace_from;	/* the first time of the trace */
	int64_t		 from;
	double		 per_unit;	/* bins per unit of time */
	unsigned int	 nr;
	double		*events;	/* [nr]; fractions of events until the end */
	struct trace_bin *bins;		/* [nr] */
};

/* Bin of a time; below 0 or at least nr if it is outside. */
static double bin_of(const struct density *d, int64_t ts)
{
	return ((double)ts - (double)d->from) * d->per_unit;
}

/* First and last bin that a span overlaps; false: none. */
static bool bins_of(const struct density *d, int64_t from, int64_t to, unsigned int *first,
		    unsigned int *last)
{
	double a = bin_of(d, from), b = bin_of(d, to);

	if (b < 0 || a >= d->nr)
		return false;
	*first = a < 0 ? 0 : (unsigned int)a;
	*last = b >= d->nr ? d->nr - 1 : (unsigned int)b;
	return true;
}

static void add_events(struct density *d, int64_t from, int64_t to, uint32_t events)
{
	double a = bin_of(d, from), b = bin_of(d, to), per_bin;
	unsigned int first, last;

	if (!events || !bins_of(d, from, to, &first, &last))
		return;
	if (first == last && a >= 0 && b < d->nr) {
		d->events[first] += events;
		return;
	}
	per_bin = b > a ? events / (b - a) : events;
	for (unsigned int i = first; i <= last; i++) {
		double start = a > i ? a : i, end = b < i + 1.0 ? b : i + 1.0;

		d->events[i] += end > start ? (end - start) * per_bin : 0;
	}
}

static void mark(struct density *d, int64_t from, int64_t to, bool lost)
{
	unsigned int first, last;

	if (!bins_of(d, from, to, &first, &last))
		return;
	for (unsigned int i = first; i <= last; i++)
		*(lost ? &d->bins[i].lost : &d->bins[i].damaged) = true;
}

/* What follows in a damaged page is missing up to the next page, or to the end of the trace. */
static int64_t damaged_to(const struct trace *trace, const struct trace_stream *stream,
			  uint64_t page, uint64_t published)
{
	int64_t first, last;

	if (page + 1 < published)
		return trace_clock_key(&stream->clock, page_index_first(&stream->index, page + 1));
	return trace_span(trace, &first, &last) ?
		       last :
		       trace_clock_key(&stream->clock, page_index_last(&stream->index, page));
}

static void add_stream(struct density *d, const struct trace *trace, unsigned int nr,
		       uint64_t published)
{
	const struct trace_stream *stream = &trace->streams[nr];
	bool above;
	uint64_t raw = trace_clock_bound(&stream->clock, d->from, &above);
	uint64_t page = above ? published : page_index_below(&stream->index, published, raw);
	uint64_t start = page_index_start(&stream->index);
	int64_t before = INT64_MIN;

	page -= page > start;		/* the previous page may extend into the range */
	/* a gap begins with the trace */
	if (page == start)
		before = d->trace_from;
	for (; page < published; page++) {
		int64_t first = trace_clock_key(&stream->clock,
						page_index_first(&stream->index, page));
		int64_t last = trace_clock_key(&stream->clock,
					       page_index_last(&stream->index, page));
		uint32_t count = page_index_count(&stream->index, page);

		if (bin_of(d, first) >= d->nr) {
			if (count & PAGE_LOST && before != INT64_MIN)
				mark(d, before, first, true);
			return;
		}
		/* a wide span ends no later than the next page begins */
		if (count & PAGE_WIDE && page + 1 < published)
			last = trace_clock_key(&stream->clock,
					       page_index_first(&stream->index, page + 1));
		add_events(d, first, last, count & PAGE_EVENTS_MASK);
		if (count & PAGE_LOST)
			mark(d, before == INT64_MIN ? first : before, first, true);
		if (count & PAGE_DAMAGED)
			mark(d, first, damaged_to(trace, stream, page, published), false);
		before = last;
	}
}

static void compute(const struct trace *trace, int64_t from, int64_t to, unsigned int nr,
		    struct trace_bin *bins)
{
	struct density d = { .from = from, .nr = nr, .bins = bins };
	double width = (double)to - (double)from;
	int64_t last;

	if (!trace_span(trace, &d.trace_from, &last))
		return;
	d.per_unit = width > 0 ? nr / width : 1;
	d.events = mem_array(nr, sizeof(*d.events));
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		add_stream(&d, trace, i, page_index_pages(&trace->streams[i].index));
	for (unsigned int i = 0; i < nr; i++) {
		bins[i].events = (uint64_t)(d.events[i] + 0.5);
		/* show at least one event if there are any */
		if (!bins[i].events && d.events[i] > 0)
			bins[i].events = 1;
	}
	free(d.events);
}

/* The overview and a view's rows alternate: the most recent entry comes first. */
static const struct trace_density_cache *cached(struct trace *trace, int64_t from, int64_t to,
						unsigned int nr, uint64_t pages)
{
	struct trace_density_cache *caches = trace->density, cache;
	unsigned int i = 0;

	while (i < TRACE_DENSITIES &&
	       !(caches[i].bins && caches[i].from == from && caches[i].to == to &&
		 caches[i].nr == nr && caches[i].pages == pages))
		i++;
	if (i < TRACE_DENSITIES) {
		cache = caches[i];
	} else {
		free(caches[--i].bins);
		cache = (struct trace_density_cache){ from, to, nr, pages,
						      mem_array(nr, sizeof(*cache.bins)) };
		compute(trace, from, to, nr, cache.bins);
	}
	memmove(caches + 1, caches, i * sizeof(*caches));
	caches[0] = cache;
	return &caches[0];
}

void trace_density_fini(struct trace *trace)
{
	for (unsigned int i = 0; i < TRACE_DENSITIES; i++) {
		free(trace->density[i].bins);
		trace->density[i].bins = NULL;
	}
}

/*
 * A number that changes with the pages of which the density before @to depends: those that begin
 * there, and one behind them, which tells how far these reach.
 */
static uint64_t pages_of(const struct trace_stream *stream, int64_t to)
{
	uint64_t published = page_index_pages(&stream->index), below;
	bool above;
	uint64_t raw = trace_clock_bound(&stream->clock, to, &above);

	below = above ? published : page_index_below(&stream->index, published, raw);
	return page_index_start(&stream->index) + (below < published ? below + 1 : published);
}

void trace_density(struct trace *trace, int64_t from, int64_t to, unsigned int nr,
		   struct trace_bin *bins)
{
	uint64_t pages = 0;

	if (to <= from)			/* a bin is as wide as a unit */
		to = time_after(from, nr);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		pages += pages_of(&trace->streams[i], to);
	memcpy(bins, cached(trace, from, to, nr, pages)->bins, nr * sizeof(*bins));
}
