/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass: each stream on its own, as samples and noise belong to a CPU.  A job reads a piece of a
 * stream and queues the next one; the last job puts the result together.
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

/* How many of a sample's values may be its worst one. */
static const unsigned int nr_worst[NOISE_TRACERS] = { 3, 1, 2 };

struct samples {			/* of a stream */
	struct noise_sample *list;	/* owned, [nr] */
	uint32_t	nr, cap;
	bool		cut;
};

struct scan {				/* a stream */
	struct noise	*noise;
	struct noise_cpu cpu;
	struct samples	samples[NOISE_TRACERS];
	uint64_t	damaged;
	bool		has_sources;
	/* while it is read */
	struct stream_walk walk;
	struct filter_run **runs;	/* owned, [nr_filters] */
	bool		never;		/* nothing in the stream can match */
	struct noise_sample period;	/* of timerlat */
	bool		has_period;
	trace_ref	last[NOISE_TRACERS];	/* the record of the former sample */
	bool		lost[NOISE_TRACERS];	/* events were, since then */
	trace_ref	first;		/* its first record; NONE: there was none yet */
};

struct noise {
	struct trace	*trace;		/* borrowed */
	struct noise_options options;
	struct noise_types *types;	/* owned */
	struct scan	*scans;		/* owned, [nr] of the file's streams */
	unsigned int	nr;
	uint32_t	keep;		/* samples of a stream */
	atomic_uint	ended;		/* streams */
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

uint64_t noise_available(uint64_t runtime, uint64_t noise)
{
	if (runtime < 1000 || noise > runtime)
		return 0;
	return (runtime - noise) / 1000 * 10000000 / (runtime / 1000);
}

/* --- samples -------------------------------------------------------------------------------- */

static int worst_first(const void *a, const void *b)
{
	const struct noise_sample *x = a, *y = b;

	if (x->worst != y->worst)
		return x->worst < y->worst ? 1 : -1;
	return x->ts != y->ts ? (x->ts > y->ts) - (x->ts < y->ts) :
				(x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void sort_samples(struct noise_sample *list, uint32_t nr)
{
	if (nr)
		qsort(list, nr, sizeof(*list), worst_first);
}

/*
 * Add a sample.  When twice as many as asked for are there, the better half is dropped, so that the
 * worst stay.
 */
static void keep(struct scan *s, enum noise_tracer tracer, const struct noise_sample *sample)
{
	struct samples *of = &s->samples[tracer];
	uint32_t most = s->noise->keep;

	if (of->nr == 2 * most) {
		sort_samples(of->list, of->nr);
		of->nr = most;
		of->cut = true;
	}
	mem_grow(&of->list, of->nr, &of->cap);
	of->list[of->nr++] = *sample;
}

static void end_period(struct scan *s)
{
	if (s->has_period && (s->period.known[0] || s->period.known[1] || s->period.known[2]))
		keep(s, NOISE_TIMERLAT, &s->period);
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
				       .cpu = s->cpu.cpu, .doubtful = s->lost[tracer] };

	if (sample.since == TRACE_REF_NONE)
		sample.since = t->ref;
	s->last[tracer] = t->ref;
	s->lost[tracer] = false;
	return sample;
}

static void add_value(struct scan *s, enum noise_tracer tracer, struct noise_sample *sample,
		      unsigned int i, uint64_t ns)
{
	struct noise_figures *f = &s->cpu.of[tracer][i];

	sample->ns[i] = ns;
	sample->known[i] = true;
	add_figure(f, ns);
	if (i >= nr_worst[tracer])
		return;
	sample->worst = ns > sample->worst ? ns : sample->worst;
	if (tracer != NOISE_OSNOISE)
		count_bin(f, ns);
}

static void take_timerlat(struct scan *s, const struct taken *t)
{
	enum noise_context context = noise_context(t->type, t->rec->data, t->rec->size, t->swap);
	uint32_t seq = (uint32_t)value(t, NOISE_SEQ);
	struct noise_sample sample = begin_sample(s, NOISE_TIMERLAT, t);

	if (!s->has_period || context == NOISE_OF_IRQ || seq != s->period.seq) {
		end_period(s);
		s->period = sample;
		s->period.seq = seq;
		s->has_period = true;
	}
	s->period.ts = t->ts;
	s->period.ref = t->ref;
	s->period.doubtful |= sample.doubtful;
	if (!t->wanted)
		return;
	s->cpu.samples[NOISE_TIMERLAT]++;
	add_value(s, NOISE_TIMERLAT, &s->period, context, value(t, NOISE_LATENCY));
}

/* A record of osnoise or hwlat has all of a sample; times are in µs, but for that of NMIs. */
static void take_whole(struct scan *s, enum noise_tracer tracer, const struct taken *t)
{
	bool is_osnoise = tracer == NOISE_OSNOISE,
	     is_first = is_osnoise && s->last[tracer] == TRACE_REF_NONE;
	struct noise_sample sample = begin_sample(s, tracer, t);

	if (!t->wanted)
		return;
	if (is_first) {		/* its period may have begun before the trace */
		sample.since = s->first;
		sample.doubtful = true;
	}
	sample.seq = (uint32_t)value(t, NOISE_SEQ);
	for (unsigned int i = 0; i < NOISE_VALUES; i++)
		add_value(s, tracer, &sample, i,
			  value(t, i) * (is_osnoise || i != NOISE_NMI_TIME ? 1000 : 1));
	if (is_osnoise)		/* trace-cmd's text has no runtime */
		sample.known[NOISE_RUNTIME] = sample.ns[NOISE_RUNTIME];
	for (unsigned int i = 0; i < NOISE_SOURCES; i++) {
		sample.counts[i] = (uint32_t)value(t, NOISE_COUNTS + i);
		s->cpu.counts[tracer][i] += sample.counts[i];
	}
	s->cpu.samples[tracer]++;
	keep(s, tracer, &sample);
}

static void take_source(struct scan *s, enum noise_event event, const struct taken *t)
{
	uint64_t ns = value(t, NOISE_DURATION);

	s->has_sources = true;
	if (!t->wanted)
		return;
	if (event == NOISE_SINGLE_EVENT) {
		count_bin(&s->cpu.of[NOISE_OSNOISE][NOISE_OF_PERIOD], ns);
	} else {
		s->cpu.time[NOISE_BY_NMI + (unsigned int)event - NOISE_NMI_EVENT] += ns;
		s->cpu.has_time = true;
	}
}

static bool is_wanted(struct scan *s, const struct record *rec, int type, int64_t ts)
{
	const struct noise_options *o = &s->noise->options;
	bool wanted = !s->never && time_range_has(&o->range, ts);

	for (unsigned int i = 0; i < o->nr_filters && wanted; i++)
		wanted = filter_run_match(s->runs[i], s->walk.ref, type, rec->data, rec->size,
					  stream_walk_room(&s->walk, rec), ts);
	return wanted;
}

/* --- streams -------------------------------------------------------------------------------- */

static void lose(struct scan *s)
{
	s->cpu.doubtful |= s->first != TRACE_REF_NONE;
	for (unsigned int i = 0; i < NOISE_TRACERS; i++)
		s->lost[i] = s->last[i] != TRACE_REF_NONE;
}

static void scan_page(struct scan *s)
{
	const struct noise_types *types = s->noise->types;
	struct stream_walk *walk = &s->walk;
	struct record rec;

	if (walk->sb.lost)
		lose(s);
	while (stream_walk_next(walk, &rec, walk->native)) {
		uint16_t type = stream_walk_type(walk, &rec, walk->native);
		enum noise_event event = (enum noise_event)types->of[type];
		struct taken taken = { .rec = &rec, .swap = walk->sb.swap, .ref = walk->ref };

		if (s->first == TRACE_REF_NONE)
			s->first = walk->ref;
		if (event == NOISE_NONE)
			continue;
		taken.type = &types->types[event];
		taken.ts = stream_walk_ts(walk, &rec);
		taken.wanted = is_wanted(s, &rec, type, taken.ts);
		if (event == NOISE_TIMERLAT_EVENT)
			take_timerlat(s, &taken);
		else if (event < NOISE_NMI_EVENT)
			take_whole(s, (enum noise_tracer)(event - NOISE_TIMERLAT_EVENT), &taken);
		else
			take_source(s, event, &taken);
	}
	if (walk->sb.damage != SUB_BUFFER_SOUND) {
		s->damaged++;
		lose(s);
	}
}

static void begin_scan(struct noise *n, struct scan *s, unsigned int stream)
{
	const struct trace_stream *of = trace_stream_at(n->trace, stream);
	const struct noise_options *o = &n->options;
	bool none = o->cpus && ((unsigned int)of->cpu >= o->nr_cpus || !o->cpus[of->cpu]);

	s->noise = n;
	s->cpu.cpu = of->cpu;
	s->cpu.buffer = of->buffer;
	s->first = TRACE_REF_NONE;
	for (unsigned int t = 0; t < NOISE_TRACERS; t++)
		s->last[t] = TRACE_REF_NONE;
	s->runs = mem_array(o->nr_filters + 1, sizeof(*s->runs));
	for (unsigned int k = 0; k < o->nr_filters; k++) {
		s->runs[k] = filter_run_new(o->filters[k]);
		s->never |= filter_run_stream(s->runs[k], stream) == FILTER_NEVER;
	}
	s->walk.window_bytes = stream_walk_window(n->nr);
	stream_walk_begin(&s->walk, n->trace, stream, 0, none ? 0 : UINT64_MAX);
	n->all_pages += trace_stream_pages(n->trace, of);
}

/* --- the result ------------------------------------------------------------------------------- */

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
	sort_samples(r->samples[tracer], *nr);
}

static void add_averages(struct noise_cpu *cpu)
{
	for (unsigned int i = 0; i < NOISE_TRACERS * NOISE_VALUES; i++) {
		struct noise_figures *f = &cpu->of[i / NOISE_VALUES][i % NOISE_VALUES];

		f->avg = f->count ? f->sum / f->count : 0;
	}
}

static void finish(struct noise *n)
{
	struct noise_result *r = &n->result;

	r->cpus = mem_array(n->nr + 1, sizeof(*r->cpus));
	for (unsigned int i = 0; i < n->nr; i++) {
		const struct scan *s = &n->scans[i];

		r->damaged += s->damaged;
		r->has_user |= s->cpu.of[NOISE_TIMERLAT][NOISE_OF_USER].count;
		r->has_sources |= s->has_sources;
		r->cpus[r->nr] = s->cpu;
		add_averages(&r->cpus[r->nr++]);
	}
	qsort(r->cpus, r->nr, sizeof(*r->cpus), by_cpu);
	for (unsigned int t = 0; t < NOISE_TRACERS; t++) {
		unsigned int first = 0;

		while (first < r->nr && !r->cpus[first].samples[t])
			first++;
		r->has[t] = first < r->nr;
		if (!r->has[t])
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
	struct scan *s = arg;
	struct noise *n = s->noise;

	(void)worker;
	if (cancelled || atomic_load(&n->stopped))
		return;
	for (unsigned int i = 0; i < PIECE_PAGES; i++) {
		if (!stream_walk_page(&s->walk)) {
			end_period(s);
			stream_walk_end(&s->walk);
			if (atomic_fetch_add(&n->ended, 1) + 1 == n->nr)
				finish(n);
			return;
		}
		atomic_fetch_add_explicit(&n->pages, 1, memory_order_relaxed);
		scan_page(s);
	}
	workers_add(trace_workers(n->trace), &n->group, WORKER_REQUESTED, work, s);
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
	n->nr = source->nr_streams;
	n->scans = mem_array(n->nr + 1, sizeof(*n->scans));
	n->keep = KEEP / (n->nr + 1) > KEEP_LEAST ? KEEP / (n->nr + 1) : KEEP_LEAST;
	for (unsigned int i = 0; i < n->nr; i++)
		begin_scan(n, &n->scans[i], source->first_stream + i);
	for (unsigned int i = 0; i < n->nr; i++)
		workers_add(trace_workers(trace), &n->group, WORKER_REQUESTED, work, &n->scans[i]);
	if (!n->nr)
		finish(n);
	return n;
}

static void free_scan(struct scan *s)
{
	stream_walk_end(&s->walk);
	for (unsigned int k = 0; k < s->noise->options.nr_filters; k++)
		filter_run_free(s->runs[k]);
	free(s->runs);
	for (unsigned int t = 0; t < NOISE_TRACERS; t++)
		free(s->samples[t].list);
}

void noise_free(struct noise *n)
{
	if (!n)
		return;
	atomic_store(&n->stopped, true);
	workers_cancel(&n->group);
	workers_wait(trace_workers(n->trace), &n->group);
	for (unsigned int i = 0; i < n->nr; i++)
		free_scan(&n->scans[i]);
	for (unsigned int t = 0; t < NOISE_TRACERS; t++)
		free(n->result.samples[t]);
	free(n->result.cpus);
	free(n->scans);
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
