/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pass: a stream after the other, as samples and noise belong to a CPU. */
#include "src/noise/noise.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/noise/noise_private.h"

#define KEEP		262144u		/* samples of each tracer: 25 MB */

const char *const noise_tracer_names[NOISE_TRACERS] = { "timerlat", "osnoise", "hwlat" };

/* How many of a sample's values may be its worst one. */
static const unsigned int nr_worst[NOISE_TRACERS] = { 3, 1, 2 };

struct noise {
	struct event_sweep *sweep;	/* owned */
	struct noise_types *types;	/* owned */
	/* The sweep's until it is done: */
	struct noise_result result;
	uint32_t	cap_cpus[NOISE_TRACERS], cap_samples[NOISE_TRACERS];
	unsigned int	buffers[NOISE_TRACERS];	/* 1 + the first that has the tracer; 0: none yet */
	bool		is_sorted;
	/* Of the stream that is read: */
	struct noise_cpu cpus[NOISE_TRACERS];
	struct noise_sample period;	/* of timerlat */
	bool		has_period;
	trace_ref	last[NOISE_TRACERS];	/* the record of the former sample */
	bool		lost[NOISE_TRACERS];	/* events were, since then */
	trace_ref	first;		/* its first record; NONE: there was none yet */
	bool		has_rows;
};

/* --- events of the tracers, and of system osnoise, in a file ------------------------------- */

static const struct {
	const char	*system, *name, *fields[NOISE_FIELDS];
} events[NOISE_EVENTS] = {
	[NOISE_TIMERLAT_EVENT] = { "ftrace", "timerlat",
				   { "timer_latency", [NOISE_SEQ] = "seqnum", "context" } },
	[NOISE_OSNOISE_EVENT] = { "ftrace", "osnoise",
				  { "noise", "runtime", "max_sample", "hw_count", "nmi_count",
				    "irq_count", "softirq_count", "thread_count" } },
	[NOISE_HWLAT_EVENT] = { "ftrace", "hwlat",
				{ "duration", "outer_duration", "nmi_total_ts", "count",
				  "nmi_count", [NOISE_SEQ] = "seqnum" } },
	[NOISE_NMI_EVENT] = { "osnoise", "nmi_noise", { "start", "duration" } },
	[NOISE_IRQ_EVENT] = { "osnoise", "irq_noise", { "start", "duration", "vector", "desc" } },
	[NOISE_SOFTIRQ_EVENT] = { "osnoise", "softirq_noise", { "start", "duration", "vector" } },
	[NOISE_THREAD_EVENT] = { "osnoise", "thread_noise",
				 { "start", "duration", "pid", "comm" } },
	[NOISE_SINGLE_EVENT] = { "osnoise", "sample_threshold", { "start", "duration" } },
};

struct noise_types *noise_types_new(struct trace *trace, unsigned int file)
{
	struct event_types *types = trace_event_types(trace, file);
	struct noise_types *of = mem_alloc(sizeof(*of));

	for (unsigned int i = 1; i < NOISE_EVENTS; i++) {
		const struct event_type *type = event_types_by_name(types, events[i].system,
								    events[i].name);

		if (!type || type->id <= 0 || type->id > UINT16_MAX)
			continue;
		of->of[type->id] = (uint8_t)i;
		for (unsigned int k = 0; k < NOISE_FIELDS; k++)
			if (events[i].fields[k])
				of->fields[i][k] = event_type_field(type, events[i].fields[k]);
	}
	return of;
}

enum noise_context noise_context(const struct noise_types *types, const struct trace_event *event)
{
	const struct event_field *field = types->fields[NOISE_TIMERLAT_EVENT][NOISE_CONTEXT];
	uint64_t context = noise_number(types, NOISE_TIMERLAT_EVENT, NOISE_CONTEXT, event);

	if (field && !event_field_is_number(field)) {
		struct field_span word = field_bytes(field, event->data, event->size, event->swap);
		char c = word.data && word.len ? (char)*word.data : 'i';

		context = c == 'i' || c == '0' ? NOISE_OF_IRQ :
			  c == 't' || c == '1' ? NOISE_OF_THREAD :
						 NOISE_OF_USER;
	}
	return context < NOISE_VALUES ? (enum noise_context)context : NOISE_OF_USER;
}

/* --- figures ------------------------------------------------------------------------------- */

static void count_bin(struct noise *n, enum noise_tracer tracer, unsigned int i, uint64_t ns)
{
	struct noise_figures *f = &n->cpus[tracer].of[i];

	n->result.bins[tracer][ns ? 64 - __builtin_clzll(ns) : 0].count[i]++;
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

static uint64_t available(uint64_t runtime, uint64_t noise)
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
 * Add a sample.  When twice as many as are kept are there, the better half is dropped, so that the
 * worst stay.
 */
static void keep(struct noise *n, enum noise_tracer tracer, const struct noise_sample *sample)
{
	struct noise_result *r = &n->result;
	uint32_t *nr = &r->nr_samples[tracer];

	if (*nr == 2 * KEEP) {
		sort_samples(r->samples[tracer], *nr);
		*nr = KEEP;
		r->cut[tracer] = true;
	}
	mem_grow(&r->samples[tracer], *nr, &n->cap_samples[tracer]);
	r->samples[tracer][(*nr)++] = *sample;
}

static void end_period(struct noise *n)
{
	if (n->has_period && (n->period.known[0] || n->period.known[1] || n->period.known[2]))
		keep(n, NOISE_TIMERLAT, &n->period);
	n->has_period = false;
}

/* --- records -------------------------------------------------------------------------------- */

/* What all samples have: where the analysis begins, and whether that is whole. */
static struct noise_sample begin_sample(struct noise *n, enum noise_tracer tracer,
					const struct trace_event *e)
{
	struct noise_sample sample = { .ts = e->ts,
				       .ref = e->ref,
				       .since = n->last[tracer],
				       .cpu = n->cpus[tracer].cpu,
				       .doubtful = n->lost[tracer] };

	if (sample.since == TRACE_REF_NONE)
		sample.since = e->ref;
	n->last[tracer] = e->ref;
	n->lost[tracer] = false;
	return sample;
}

static void add_value(struct noise *n, enum noise_tracer tracer, struct noise_sample *sample,
		      unsigned int i, uint64_t ns)
{
	struct noise_figures *f = &n->cpus[tracer].of[i];

	sample->ns[i] = ns;
	sample->known[i] = true;
	add_figure(f, ns);
	if (i >= nr_worst[tracer])
		return;
	sample->worst = ns > sample->worst ? ns : sample->worst;
	if (tracer != NOISE_OSNOISE)
		count_bin(n, tracer, i, ns);
}

static void take_timerlat(struct noise *n, const struct trace_event *e, bool wanted)
{
	enum noise_context context = noise_context(n->types, e);
	uint32_t seq = (uint32_t)noise_number(n->types, NOISE_TIMERLAT_EVENT, NOISE_SEQ, e);
	struct noise_sample sample = begin_sample(n, NOISE_TIMERLAT, e);

	if (!n->has_period || context == NOISE_OF_IRQ || seq != n->period.seq) {
		end_period(n);
		n->period = sample;
		n->period.seq = seq;
		n->has_period = true;
	}
	n->period.ts = e->ts;
	n->period.ref = e->ref;
	n->period.doubtful |= sample.doubtful;
	if (!wanted)
		return;
	n->cpus[NOISE_TIMERLAT].samples++;
	add_value(n, NOISE_TIMERLAT, &n->period, context,
		  noise_number(n->types, NOISE_TIMERLAT_EVENT, NOISE_LATENCY, e));
}

/* A record of osnoise or hwlat has all of a sample; times are in µs, but for that of NMIs. */
static void take_whole(struct noise *n, enum noise_event of, const struct trace_event *e,
		       bool wanted)
{
	enum noise_tracer tracer = (enum noise_tracer)(of - NOISE_TIMERLAT_EVENT);
	bool is_osnoise = tracer == NOISE_OSNOISE,
	     is_first = is_osnoise && n->last[tracer] == TRACE_REF_NONE;
	struct noise_sample sample = begin_sample(n, tracer, e);

	if (!wanted)
		return;
	if (is_first) {		/* its period may have begun before the trace */
		sample.since = n->first;
		sample.doubtful = true;
	}
	sample.seq = (uint32_t)noise_number(n->types, of, NOISE_SEQ, e);
	for (unsigned int i = 0; i < NOISE_VALUES; i++)
		add_value(n, tracer, &sample, i,
			  noise_number(n->types, of, i, e) *
				  (is_osnoise || i != NOISE_NMI_TIME ? 1000 : 1));
	if (is_osnoise)		/* trace-cmd's text has no runtime */
		sample.known[NOISE_RUNTIME] = sample.ns[NOISE_RUNTIME];
	sample.available = available(sample.ns[NOISE_RUNTIME], sample.ns[NOISE_OF_PERIOD]);
	for (unsigned int i = 0; i < NOISE_SOURCES; i++) {
		sample.counts[i] = (uint32_t)noise_number(n->types, of, NOISE_COUNTS + i, e);
		n->cpus[tracer].counts[i] += sample.counts[i];
	}
	n->cpus[tracer].samples++;
	keep(n, tracer, &sample);
}

static void take_source(struct noise *n, enum noise_event of, const struct trace_event *e,
			bool wanted)
{
	uint64_t ns = noise_number(n->types, of, NOISE_DURATION, e);

	n->result.has_sources = true;
	if (!wanted)
		return;
	if (of == NOISE_SINGLE_EVENT) {
		count_bin(n, NOISE_OSNOISE, NOISE_OF_PERIOD, ns);
		return;
	}
	for (unsigned int i = 0; i < NOISE_TRACERS; i++) {
		n->cpus[i].time[NOISE_BY_NMI + (unsigned int)of - NOISE_NMI_EVENT] += ns;
		n->cpus[i].has_time = true;
	}
}

/* --- the pass --------------------------------------------------------------------------------- */

static void lose(struct noise *n)
{
	for (unsigned int t = 0; t < NOISE_TRACERS; t++) {
		n->cpus[t].doubtful |= n->first != TRACE_REF_NONE;
		n->lost[t] = n->last[t] != TRACE_REF_NONE;
	}
}

static void begin_stream(struct noise *n, const struct trace_event *event)
{
	n->has_rows = true;
	n->first = TRACE_REF_NONE;
	for (unsigned int t = 0; t < NOISE_TRACERS; t++) {
		n->cpus[t] = (struct noise_cpu){ .cpu = event->cpu };
		n->last[t] = TRACE_REF_NONE;
		n->lost[t] = false;
	}
}

static void end_stream(struct noise *n)
{
	struct noise_result *r = &n->result;

	end_period(n);
	for (unsigned int t = 0; t < NOISE_TRACERS && n->has_rows; t++) {
		if (!n->cpus[t].samples)
			continue;
		mem_grow(&r->cpus[t], r->nr[t], &n->cap_cpus[t]);
		r->cpus[t][r->nr[t]++] = n->cpus[t];
	}
	n->has_rows = false;
}

static void take(struct noise *n, struct event_sweep *sweep, const struct trace_event *event)
{
	enum noise_event of = noise_event(n->types, event);
	unsigned int tracer;
	bool wanted;

	if (n->first == TRACE_REF_NONE)
		n->first = event->ref;
	if (of == NOISE_NONE)
		return;
	wanted = event_sweep_wants(sweep, event);
	if (of <= NOISE_HWLAT_EVENT || of == NOISE_SINGLE_EVENT) {
		tracer = of <= NOISE_HWLAT_EVENT ? of - NOISE_TIMERLAT_EVENT : NOISE_OSNOISE;
		if (n->buffers[tracer] && n->buffers[tracer] != 1 + event->buffer)
			return;
		if (wanted)
			n->buffers[tracer] = 1 + event->buffer;
	}
	if (of == NOISE_TIMERLAT_EVENT)
		take_timerlat(n, event, wanted);
	else if (of < NOISE_NMI_EVENT)
		take_whole(n, of, event, wanted);
	else
		take_source(n, of, event, wanted);
}

static void see(void *arg, struct event_sweep *sweep, const struct trace_event *event)
{
	struct noise *n = arg;

	if (!event) {
		end_stream(n);
		return;
	}
	if (!n->has_rows)
		begin_stream(n, event);
	n->result.damaged += event->kind == TRACE_ROW_DAMAGE;
	if (trace_is_event(event))
		take(n, sweep, event);
	else
		lose(n);
}

/* --- the result ------------------------------------------------------------------------------- */

static int by_cpu(const void *a, const void *b)
{
	const struct noise_cpu *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* The bins that are not empty. */
static void finish_bins(struct noise_result *r, enum noise_tracer tracer)
{
	struct noise_bin *bins = r->bins[tracer];

	for (unsigned int i = 0; i < NOISE_BINS; i++) {
		bins[i].from = i ? 1ull << (i - 1) : 0;
		bins[i].to = i < 64 ? 1ull << i : UINT64_MAX;
		if (bins[i].count[0] | bins[i].count[1] | bins[i].count[2])
			bins[r->nr_bins[tracer]++] = bins[i];
	}
}

static void finish_cpu(struct noise_result *r, enum noise_tracer tracer, struct noise_cpu *cpu)
{
	for (unsigned int i = 0; i < NOISE_VALUES; i++)
		if (cpu->of[i].count)
			cpu->of[i].avg = cpu->of[i].sum / cpu->of[i].count;
	cpu->available = available(cpu->of[NOISE_RUNTIME].sum, cpu->of[NOISE_OF_PERIOD].sum);
	r->has_user |= tracer == NOISE_TIMERLAT && cpu->of[NOISE_OF_USER].count;
}

static void finish_tracer(struct noise_result *r, enum noise_tracer tracer)
{
	for (uint32_t c = 0; c < r->nr[tracer]; c++)
		finish_cpu(r, tracer, &r->cpus[tracer][c]);
	if (r->nr[tracer])
		qsort(r->cpus[tracer], r->nr[tracer], sizeof(**r->cpus), by_cpu);
	finish_bins(r, tracer);
	sort_samples(r->samples[tracer], r->nr_samples[tracer]);
}

bool noise_is_in(struct trace *trace)
{
	bool has = false;

	for (unsigned int f = 0; f < trace_nr_files(trace); f++)
		for (unsigned int t = 0; t < NOISE_TRACERS && !has; t++)
			has = trace_has_event(trace, f, noise_tracer_names[t]);
	return has;
}

struct noise *noise_new(struct trace *trace, const struct event_sweep_options *options)
{
	struct noise *n = mem_alloc(sizeof(*n));

	n->types = noise_types_new(trace, options->file);
	n->sweep = event_sweep_new(trace, options, see, n);
	return n;
}

void noise_free(struct noise *n)
{
	if (!n)
		return;
	event_sweep_free(n->sweep);
	for (unsigned int t = 0; t < NOISE_TRACERS; t++) {
		free(n->result.samples[t]);
		free(n->result.cpus[t]);
	}
	free(n->types);
	free(n);
}

struct event_sweep *noise_sweep(struct noise *n)
{
	return n->sweep;
}

const struct noise_result *noise_result(struct noise *n)
{
	if (!event_sweep_is_done(n->sweep))
		return NULL;
	if (!n->is_sorted) {
		end_stream(n);
		for (unsigned int t = 0; t < NOISE_TRACERS; t++)
			finish_tracer(&n->result, (enum noise_tracer)t);
	}
	n->is_sorted = true;
	return &n->result;
}
