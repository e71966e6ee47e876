/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass: each stream on its own, as samples and noise belong to a CPU.  A worker takes a stream,
 * reads it piece by piece, and takes the next one; the last worker puts the result together.
 */
#include "src/noise/noise.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/filter/filter.h"
#include "src/noise/noise_private.h"
#include "src/trace/stream_walk.h"

#define PIECE_PAGES	1024u		/* read before other jobs get their turn */
#define KEEP		262144u		/* samples of all CPUs, of each tracer: 20 MB */
#define KEEP_LEAST	1024u		/* of a CPU */

const char *const noise_tracer_names[NOISE_TRACERS] = { "timerlat", "osnoise", "hwlat" };

struct samples {			/* of a stream */
	struct noise_sample *list;	/* owned, [nr] */
	uint32_t	nr, cap;
	bool		cut;
};

struct scan {				/* a stream */
	struct noise_cpu cpu;
	struct samples	samples[NOISE_TRACERS];
	uint64_t	damaged;
	bool		has_sources;
	/* while it is read */
	struct noise_sample period;	/* of timerlat; known 0 and since NONE: none yet */
	bool		has_period;
	trace_ref	last[NOISE_TRACERS];	/* the record of the former sample */
	bool		lost[NOISE_TRACERS];	/* events were, since then */
	trace_ref	first;		/* its first record; NONE: there was none yet */
};

struct lane {				/* what one worker does */
	struct noise	*noise;
	struct scan	*scan;		/* NULL: it takes the next stream */
	struct stream_walk walk;
	struct filter_run **runs;	/* owned, [nr_filters] */
	bool		never;		/* nothing in the stream can match */
};

struct noise {
	struct trace	*trace;		/* borrowed */
	struct noise_options options;
	struct noise_types *types;	/* owned */
	unsigned int	first, nr;	/* streams of the file */
	struct scan	*scans;		/* owned, [nr] */
	struct lane	*lanes;		/* owned, [nr_lanes] */
	unsigned int	nr_lanes;
	uint32_t	keep;		/* samples of a stream */
	atomic_uint	next, ended;	/* stream to take; lanes without one */
	atomic_ullong	pages;		/* that were read */
	uint64_t	all_pages;
	atomic_bool	stopped, done;
	struct worker_group group;
	struct noise_result result;	/* once done */
};

/* --- figures ------------------------------------------------------------------------------- */

static void count_bin(struct noise_figures *f, uint64_t ns)
{
	f->bins[ns ? 64 - __builtin_clzll(ns) : 0]++;
	if (ns / 1000 < NOISE_BUCKETS)
		f->buckets[ns / 1000]++;
	else
		f->over++;
}

static void add_figure(struct noise_figures *f, uint64_t ns)
{
	f->cur = ns;
	f->min = f->count && f->min < ns ? f->min : ns;
	f->max = f->max > ns ? f->max : ns;
	f->sum += ns;
	f->sum_us += ns / 1000;
	f->count++;
}

uint64_t noise_worst(enum noise_tracer tracer, const struct noise_sample *s)
{
	uint64_t worst = s->known & 1 ? s->ns[0] : 0;

	for (unsigned int i = 1; i < 3; i++)
		if (tracer != NOISE_OSNOISE && (tracer != NOISE_HWLAT || i == 1) &&
		    (s->known >> i & 1) && s->ns[i] > worst)
			worst = s->ns[i];
	return worst;
}

uint64_t noise_available(uint64_t runtime, uint64_t noise)
{
	if (runtime < 1000 || noise > runtime)
		return 0;
	return (runtime - noise) / 1000 * 10000000 / (runtime / 1000);
}

/* --- samples -------------------------------------------------------------------------------- */

static int worst_first(const void *a, const void *b, void *arg)
{
	const struct noise_sample *x = a, *y = b;
	enum noise_tracer tracer = *(const enum noise_tracer *)arg;
	uint64_t p = noise_worst(tracer, x), q = noise_worst(tracer, y);

	if (p != q)
		return p < q ? 1 : -1;
	return x->ts != y->ts ? (x->ts > y->ts) - (x->ts < y->ts) :
				(x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void sort_samples(enum noise_tracer tracer, struct noise_sample *list, uint32_t nr)
{
	if (nr)
		qsort_r(list, nr, sizeof(*list), worst_first, &tracer);
}

/*
 * Add a sample.  When twice as many as asked for are there, the better half is dropped, so that the
 * worst stay.
 */
static void keep(const struct noise *n, struct scan *s, enum noise_tracer tracer,
		 const struct noise_sample *sample)
{
	struct samples *of = &s->samples[tracer];

	if (of->nr == 2 * n->keep) {
		sort_samples(tracer, of->list, of->nr);
		of->nr = n->keep;
		of->cut = true;
	}
	mem_grow(&of->list, of->nr, &of->cap);
	of->list[of->nr++] = *sample;
}

static void end_period(const struct noise *n, struct scan *s)
{
	if (s->has_period && s->period.known)
		keep(n, s, NOISE_TIMERLAT, &s->period);
	s->has_period = false;
}

/* --- records -------------------------------------------------------------------------------- */

struct taken {				/* a record of one of the events */
	const struct noise_type *type;
	const struct record *rec;
	bool		swap, wanted;
	trace_ref	ref;
	int64_t		ts;
};

static uint64_t value(const struct taken *t, unsigned int field)
{
	return noise_number(t->type, field, t->rec->data, t->rec->size, t->swap);
}

/* What all samples have: where the analysis begins, and whether that is whole. */
static struct noise_sample begin_sample(struct scan *s, enum noise_tracer tracer,
					const struct taken *t)
{
	struct noise_sample sample = { .ts = t->ts, .ref = t->ref, .since = s->last[tracer],
				       .cpu = (uint16_t)s->cpu.cpu, .doubtful = s->lost[tracer] };

	if (sample.since == TRACE_REF_NONE)
		sample.since = t->ref;
	s->last[tracer] = t->ref;
	s->lost[tracer] = false;
	return sample;
}

static void take_timerlat(const struct noise *n, struct scan *s, const struct taken *t)
{
	enum noise_context context = noise_context(t->type, t->rec->data, t->rec->size, t->swap);
	uint32_t seq = (uint32_t)value(t, NOISE_SEQ);
	struct noise_sample sample = begin_sample(s, NOISE_TIMERLAT, t);

	if (!s->has_period || context == NOISE_OF_IRQ || seq != s->period.seq) {
		end_period(n, s);
		s->period = sample;
		s->period.seq = seq;
		s->has_period = true;
	}
	s->period.ts = t->ts;
	s->period.ref = t->ref;
	s->period.doubtful |= sample.doubtful;
	if (!t->wanted)
		return;
	s->period.ns[context] = value(t, NOISE_LATENCY);
	s->period.known |= (uint8_t)(1u << context);
	s->cpu.samples[NOISE_TIMERLAT]++;
	add_figure(&s->cpu.latency[context], s->period.ns[context]);
	count_bin(&s->cpu.latency[context], s->period.ns[context]);
}

static void take_osnoise(const struct noise *n, struct scan *s, const struct taken *t)
{
	bool is_first = s->last[NOISE_OSNOISE] == TRACE_REF_NONE;
	struct noise_sample sample = begin_sample(s, NOISE_OSNOISE, t);

	if (!t->wanted)
		return;
	if (is_first) {		/* its period may have begun before the trace */
		sample.since = s->first;
		sample.doubtful = true;
	}
	sample.ns[0] = value(t, NOISE_NOISE) * 1000;
	sample.ns[1] = value(t, NOISE_RUNTIME) * 1000;
	sample.ns[2] = value(t, NOISE_MAX_SAMPLE) * 1000;
	sample.known = sample.ns[1] ? 7 : 5;	/* trace-cmd's text has no runtime */
	for (unsigned int i = 0; i < NOISE_SOURCES; i++) {
		sample.counts[i] = (uint32_t)value(t, NOISE_COUNTS + i);
		s->cpu.counts[i] += sample.counts[i];
	}
	s->cpu.samples[NOISE_OSNOISE]++;
	s->cpu.runtime += sample.ns[1];
	add_figure(&s->cpu.noise, sample.ns[0]);
	add_figure(&s->cpu.single, sample.ns[2]);
	keep(n, s, NOISE_OSNOISE, &sample);
}

static void take_hwlat(const struct noise *n, struct scan *s, const struct taken *t)
{
	struct noise_sample sample = begin_sample(s, NOISE_HWLAT, t);

	if (!t->wanted)
		return;
	sample.ns[0] = value(t, NOISE_INNER) * 1000;
	sample.ns[1] = value(t, NOISE_OUTER) * 1000;
	sample.ns[2] = value(t, NOISE_NMI_TIME);
	sample.known = 7;
	sample.seq = (uint32_t)value(t, NOISE_HW_SEQ);
	sample.counts[0] = (uint32_t)value(t, NOISE_COUNT);
	sample.counts[1] = (uint32_t)value(t, NOISE_NMI_COUNT);
	s->cpu.samples[NOISE_HWLAT]++;
	s->cpu.found += sample.counts[0];
	s->cpu.nmis += sample.counts[1];
	add_figure(&s->cpu.inner, sample.ns[0]);
	count_bin(&s->cpu.inner, sample.ns[0]);
	add_figure(&s->cpu.outer, sample.ns[1]);
	count_bin(&s->cpu.outer, sample.ns[1]);
	keep(n, s, NOISE_HWLAT, &sample);
}

static void take(const struct noise *n, struct scan *s, enum noise_event event,
		 const struct taken *t)
{
	unsigned int source = NOISE_BY_NMI + (unsigned int)event - NOISE_NMI_EVENT;

	if (event == NOISE_TIMERLAT_EVENT) {
		take_timerlat(n, s, t);
	} else if (event == NOISE_OSNOISE_EVENT) {
		take_osnoise(n, s, t);
	} else if (event == NOISE_HWLAT_EVENT) {
		take_hwlat(n, s, t);
	} else if (event == NOISE_SINGLE_EVENT) {
		s->has_sources = true;
		if (t->wanted)
			count_bin(&s->cpu.noise, value(t, NOISE_DURATION));
	} else {
		s->has_sources = true;
		if (!t->wanted)
			return;
		s->cpu.time[source] += value(t, NOISE_DURATION);
		s->cpu.times[source]++;
	}
}

static bool is_wanted(struct lane *lane, const struct record *rec, int type, int64_t ts)
{
	const struct noise_options *o = &lane->noise->options;
	bool wanted = !lane->never && time_range_has(&o->range, ts);

	for (unsigned int i = 0; i < o->nr_filters && wanted; i++)
		wanted = filter_run_match(lane->runs[i], lane->walk.ref, type, rec->data, rec->size,
					  stream_walk_room(&lane->walk, rec), ts);
	return wanted;
}

/* --- streams -------------------------------------------------------------------------------- */

static void lose(struct scan *s)
{
	s->cpu.doubtful |= s->first != TRACE_REF_NONE;
	for (unsigned int i = 0; i < NOISE_TRACERS; i++)
		s->lost[i] = s->last[i] != TRACE_REF_NONE;
}

static void scan_page(struct lane *lane)
{
	struct stream_walk *walk = &lane->walk;
	struct scan *s = lane->scan;
	struct record rec;

	if (walk->sb.lost)
		lose(s);
	while (stream_walk_next(walk, &rec, walk->native)) {
		uint16_t type = stream_walk_type(walk, &rec, walk->native);
		enum noise_event event = (enum noise_event)lane->noise->types->of[type];
		struct taken taken = { .rec = &rec, .swap = walk->sb.swap, .ref = walk->ref };

		if (s->first == TRACE_REF_NONE)
			s->first = walk->ref;
		if (event == NOISE_NONE)
			continue;
		taken.type = &lane->noise->types->types[event];
		taken.ts = stream_walk_ts(walk, &rec);
		taken.wanted = is_wanted(lane, &rec, type, taken.ts);
		take(lane->noise, s, event, &taken);
	}
	if (walk->sb.damage != SUB_BUFFER_SOUND) {
		s->damaged++;
		lose(s);
	}
}

/* False: there is none left. */
static bool take_stream(struct lane *lane)
{
	struct noise *n = lane->noise;
	unsigned int i = atomic_fetch_add(&n->next, 1), stream = n->first + i;
	const struct noise_options *o = &n->options;
	const struct trace_stream *of;
	bool none;

	if (i >= n->nr)
		return false;
	of = trace_stream_at(n->trace, stream);
	lane->scan = &n->scans[i];
	lane->scan->cpu.cpu = of->cpu;
	lane->scan->cpu.buffer = of->buffer;
	lane->scan->first = TRACE_REF_NONE;
	for (unsigned int t = 0; t < NOISE_TRACERS; t++)
		lane->scan->last[t] = TRACE_REF_NONE;
	lane->never = false;
	for (unsigned int k = 0; k < o->nr_filters; k++)
		lane->never |= filter_run_stream(lane->runs[k], stream) == FILTER_NEVER;
	none = of->is_text ||
	       (o->cpus && ((unsigned int)of->cpu >= o->nr_cpus || !o->cpus[of->cpu]));
	stream_walk_begin(&lane->walk, n->trace, stream, 0, none ? 0 : UINT64_MAX);
	return true;
}

static int by_cpu(const void *a, const void *b)
{
	const struct noise_cpu *x = a, *y = b;

	return x->buffer != y->buffer ? (x->buffer > y->buffer) - (x->buffer < y->buffer) :
					(x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void join_samples(struct noise *n, enum noise_tracer tracer, unsigned int buffer)
{
	struct noise_result *r = &n->result;
	uint32_t *nr = &r->nr_samples[tracer];

	for (unsigned int i = 0; i < n->nr; i++) {
		struct samples *of = &n->scans[i].samples[tracer];

		if (n->scans[i].cpu.buffer != buffer || !of->nr)
			continue;
		r->samples[tracer] = mem_resize(r->samples[tracer], *nr + (size_t)of->nr,
						sizeof(*r->samples[tracer]));
		memcpy(r->samples[tracer] + *nr, of->list, of->nr * sizeof(*of->list));
		*nr += of->nr;
		r->cut[tracer] |= of->cut;
	}
	sort_samples(tracer, r->samples[tracer], *nr);
}

static void finish(struct noise *n)
{
	struct noise_result *r = &n->result;

	r->cpus = mem_array(n->nr + 1, sizeof(*r->cpus));
	for (unsigned int i = 0; i < n->nr; i++) {
		const struct scan *s = &n->scans[i];

		r->damaged += s->damaged;
		r->has_user |= s->cpu.latency[NOISE_OF_USER].count;
		r->has_sources |= s->has_sources;
		r->cpus[r->nr++] = s->cpu;
	}
	qsort(r->cpus, r->nr, sizeof(*r->cpus), by_cpu);
	for (unsigned int t = 0; t < NOISE_TRACERS; t++) {
		unsigned int first = 0;

		while (first < r->nr && !r->cpus[first].samples[t])
			first++;
		if (first == r->nr)
			continue;
		for (unsigned int i = 0; i < r->nr; i++)
			if (r->cpus[i].buffer != r->cpus[first].buffer)
				r->cpus[i].samples[t] = 0;
		join_samples(n, (enum noise_tracer)t, r->cpus[first].buffer);
	}
	atomic_store(&n->done, true);
}

static void work(void *arg, unsigned int worker, bool cancelled)
{
	struct lane *lane = arg;
	struct noise *n = lane->noise;

	(void)worker;
	if (cancelled || atomic_load(&n->stopped))
		return;
	if (!lane->scan && !take_stream(lane)) {
		if (atomic_fetch_add(&n->ended, 1) + 1 == n->nr_lanes)
			finish(n);
		return;
	}
	for (unsigned int i = 0; i < PIECE_PAGES && lane->scan; i++) {
		if (stream_walk_page(&lane->walk)) {
			atomic_fetch_add_explicit(&n->pages, 1, memory_order_relaxed);
			scan_page(lane);
		} else {
			end_period(n, lane->scan);
			lane->scan = NULL;
		}
	}
	workers_add(trace_workers(n->trace), &n->group, WORKER_REQUESTED, work, lane);
}

bool noise_is_in(struct trace *trace)
{
	struct trace_type_count *counts;
	unsigned int nr = trace_type_counts(trace, &counts);
	bool has = false;

	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int t = 0; t < NOISE_TRACERS && counts[i].type; t++)
			has |= !strcmp(counts[i].type->system, "ftrace") &&
			       !strcmp(counts[i].type->name, noise_tracer_names[t]);
	free(counts);
	return has;
}

/* --- the caller's thread ---------------------------------------------------------------------- */

struct noise *noise_new(struct trace *trace, const struct noise_options *options)
{
	const struct trace_source *source = trace_source_at(trace, options->file);
	struct noise *n = mem_alloc(sizeof(*n));

	n->trace = trace;
	n->options = *options;
	n->types = noise_types_new(trace, options->file);
	n->first = source->first_stream;
	n->nr = source->nr_streams;
	n->scans = mem_array(n->nr + 1, sizeof(*n->scans));
	n->keep = KEEP / (n->nr + 1) > KEEP_LEAST ? KEEP / (n->nr + 1) : KEEP_LEAST;
	for (unsigned int i = 0; i < n->nr; i++)
		n->all_pages += trace_stream_pages(trace, trace_stream_at(trace, n->first + i));
	n->nr_lanes = workers_nr(trace_workers(trace));
	n->lanes = mem_array(n->nr_lanes + 1, sizeof(*n->lanes));
	for (unsigned int i = 0; i < n->nr_lanes; i++) {
		struct lane *lane = &n->lanes[i];

		lane->noise = n;
		lane->runs = mem_array(options->nr_filters + 1, sizeof(struct filter_run *));
		for (unsigned int k = 0; k < options->nr_filters; k++)
			lane->runs[k] = filter_run_new(options->filters[k]);
	}
	for (unsigned int i = 0; i < n->nr_lanes; i++)
		workers_add(trace_workers(trace), &n->group, WORKER_REQUESTED, work, &n->lanes[i]);
	return n;
}

void noise_free(struct noise *n)
{
	if (!n)
		return;
	atomic_store(&n->stopped, true);
	workers_cancel(&n->group);
	workers_wait(trace_workers(n->trace), &n->group);
	for (unsigned int i = 0; i < n->nr_lanes; i++) {
		stream_walk_end(&n->lanes[i].walk);
		for (unsigned int k = 0; k < n->options.nr_filters; k++)
			filter_run_free(n->lanes[i].runs[k]);
		free(n->lanes[i].runs);
	}
	for (unsigned int i = 0; i < n->nr; i++)
		for (unsigned int t = 0; t < NOISE_TRACERS; t++)
			free(n->scans[i].samples[t].list);
	for (unsigned int t = 0; t < NOISE_TRACERS; t++)
		free(n->result.samples[t]);
	free(n->result.cpus);
	free(n->scans);
	free(n->lanes);
	free(n->types);
	free(n);
}

void noise_wait(struct noise *n)
{
	workers_wait(trace_workers(n->trace), &n->group);
}

const struct noise_result *noise_result(const struct noise *n, unsigned int *permille)
{
	*permille = (unsigned int)(atomic_load(&n->pages) * 1000 / (n->all_pages + 1));
	return atomic_load(&n->done) ? &n->result : NULL;
}
