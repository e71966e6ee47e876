/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pass: a stream after the other, as samples and noise belong to a CPU; then the analysis. */
#include "src/noise/noise.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/trace/trace_absence.h"
#include "src/trace/trace_streams.h"

#define KEEP		262144u		/* samples: 25 MB */
#define FIELDS		10u		/* most fields that are read of an event */
#define MOST_EVENTS	65536u		/* most events in the analysis of a sample */
#define STACK_ROWS	16u		/* between a sample and its stack */
#define SLACK_NS	1000		/* a text's times have whole µs */
#define CLOCK_SLACK_NS	1000000		/* from the end of noise to its record */

const char *const noise_tracer_names[NOISE_TRACERS] = { "timerlat", "osnoise", "hwlat" };

/* How many of a sample's values may be its worst one. */
static const unsigned int nr_worst[NOISE_TRACERS] = { 3, 1, 2 };

enum noise_event {
	NOISE_NONE,
	NOISE_TIMERLAT_EVENT, NOISE_OSNOISE_EVENT, NOISE_HWLAT_EVENT,	/* as the tracers */
	NOISE_NMI_EVENT, NOISE_IRQ_EVENT, NOISE_SOFTIRQ_EVENT, NOISE_THREAD_EVENT,
	NOISE_SINGLE_EVENT, NOISE_EVENTS
};

/* Fields of tracers: the values of a sample (of timerlat, one), counts, and; of noise events. */
enum { NOISE_LATENCY, NOISE_COUNTS = NOISE_VALUES, NOISE_SEQ = NOISE_COUNTS + NOISE_SOURCES,
       NOISE_CONTEXT };
enum { NOISE_START, NOISE_DURATION, NOISE_VECTOR, NOISE_DESC };

struct noise {
	struct trace	*trace;		/* borrowed */
	struct event_sweep *sweep;	/* owned */
	uint8_t		types[65536];	/* enum noise_event by common_type */
	/* By event, in the order of events[]; NULL: it has none. */
	const struct event_field *fields[NOISE_EVENTS][FIELDS];
	/* The sweep's until it is done: */
	struct noise_result result;
	uint32_t	cap_cpus, cap_samples;
	unsigned int	buffer;		/* 1 + the first that has the tracer; 0: none yet */
	bool		is_finished;
	/* The stream that is being read: */
	struct noise_cpu *cpu;		/* behind those of the result; NULL: there was none yet */
	struct noise_sample period;	/* timerlat: the sample of the present period */
	bool		has_period;
	trace_ref	first;		/* its first record; NONE: there was none yet */
	trace_ref	last;		/* the record of the former sample */
	bool		lost;		/* events were, since then */
	int64_t		last_ts;	/* of that record */
};

static enum noise_event own_event(const struct noise *n)
{
	return NOISE_TIMERLAT_EVENT + (enum noise_event)n->result.tracer;
}

/* --- events of the tracers, and of system osnoise, in a file ------------------------------- */

static const struct {
	const char	*system, *name, *fields[FIELDS];
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

/*
 * Looks up the event types that are needed: of tracers only the one that is read; of single noises
 * only osnoise's.
 */
static void find_types(struct noise *n, unsigned int file)
{
	struct event_types *types = trace_event_types(n->trace, file);

	for (unsigned int i = 1; i < NOISE_EVENTS; i++) {
		const struct event_type *type = event_types_by_name(types, events[i].system,
								    events[i].name);
		bool is_other = i == NOISE_SINGLE_EVENT ? n->result.tracer != NOISE_OSNOISE :
							  i < NOISE_NMI_EVENT && i != own_event(n);

		if (is_other || !type || type->id <= 0 || type->id > UINT16_MAX)
			continue;
		n->types[type->id] = (uint8_t)i;
		for (unsigned int k = 0; k < FIELDS; k++)
			if (events[i].fields[k])
				n->fields[i][k] = event_type_field(type, events[i].fields[k]);
	}
}

static enum noise_event event_of(const struct noise *n, const struct trace_event *event)
{
	return (enum noise_event)n->types[event->type_id & UINT16_MAX];
}

/* A number of such a record; 0: the event does not have it. */
static uint64_t number(const struct noise *n, enum noise_event of, unsigned int field,
		       const struct trace_event *event)
{
	const struct event_field *f = n->fields[of][field];

	return f ? field_u64(f, event->data, event->size, event->swap) : 0;
}

/* Which context a record of timerlat measures; in a text it is a word. */
static enum noise_context context_of(const struct noise *n, const struct trace_event *event)
{
	const struct event_field *field = n->fields[NOISE_TIMERLAT_EVENT][NOISE_CONTEXT];
	uint64_t context = number(n, NOISE_TIMERLAT_EVENT, NOISE_CONTEXT, event);

	if (field && !event_field_is_number(field)) {
		struct field_span word = field_bytes(field, event->data, event->size, event->swap);
		char c = word.data && word.len ? (char)*word.data : 'i';

		context = c == 'i' || c == '0' ? NOISE_OF_IRQ :
			  c == 't' || c == '1' ? NOISE_OF_THREAD :
						 NOISE_OF_USER;
	}
	return context < NOISE_VALUES ? (enum noise_context)context : NOISE_OF_USER;
}

/* --- samples and their figures -------------------------------------------------------------- */

static void count_bin(struct noise *n, unsigned int i, uint64_t ns)
{
	struct noise_figures *f = &n->cpu->of[i];

	n->result.bins[ns ? 64 - __builtin_clzll(ns) : 0].count[i]++;
	if (ns / 1000 < NOISE_BUCKETS)
		f->buckets[ns / 1000]++;
	else
		f->over++;
}

static void add_value(struct noise *n, struct noise_sample *sample, unsigned int i, uint64_t ns)
{
	struct noise_figures *f = &n->cpu->of[i];

	sample->ns[i] = ns;
	sample->known[i] = true;
	f->cur = ns;
	f->min = f->count && f->min < ns ? f->min : ns;
	f->max = f->max > ns ? f->max : ns;
	f->sum += ns;
	f->sum_us += ns / 1000;
	f->count++;
	if (i >= nr_worst[n->result.tracer])
		return;
	sample->worst = ns > sample->worst ? ns : sample->worst;
	if (n->result.tracer != NOISE_OSNOISE)
		count_bin(n, i, ns);
}

static uint64_t available(uint64_t runtime, uint64_t noise)
{
	if (runtime < 1000 || noise > runtime)
		return 0;
	return (runtime - noise) / 1000 * 10000000 / (runtime / 1000);
}

static int worst_first(const void *a, const void *b)
{
	const struct noise_sample *x = a, *y = b;

	if (x->worst != y->worst)
		return x->worst < y->worst ? 1 : -1;
	return x->ts != y->ts ? (x->ts > y->ts) - (x->ts < y->ts) :
				(x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void sort_samples(struct noise_result *r)
{
	if (r->nr_samples)
		qsort(r->samples, r->nr_samples, sizeof(*r->samples), worst_first);
}

/*
 * Add a sample.  When twice as many as are kept are there, the better half is dropped, so that the
 * worst stay.
 */
static void keep(struct noise *n, const struct noise_sample *sample)
{
	struct noise_result *r = &n->result;

	if (r->nr_samples == 2 * KEEP) {
		sort_samples(r);
		r->nr_samples = KEEP;
		r->cut = true;
	}
	mem_grow(&r->samples, r->nr_samples, &n->cap_samples);
	r->samples[r->nr_samples++] = *sample;
}

static void end_period(struct noise *n)
{
	if (n->has_period && (n->period.known[0] || n->period.known[1] || n->period.known[2]))
		keep(n, &n->period);
	n->has_period = false;
}

/* --- records -------------------------------------------------------------------------------- */

/* What all samples have: where the analysis begins, and whether that is whole. */
static struct noise_sample begin_sample(struct noise *n, const struct trace_event *e)
{
	struct noise_sample sample = { .ts = e->ts,
				       .ref = e->ref,
				       .since = n->last == TRACE_REF_NONE ? e->ref : n->last,
				       .seq = (uint32_t)number(n, own_event(n), NOISE_SEQ, e),
				       .cpu = e->cpu,
				       .doubtful = n->lost };

	if (n->last != TRACE_REF_NONE &&
	    trace_absent(n->trace, e->file, e->buffer, n->last_ts, e->ts) > 0)
		sample.doubtful = n->cpu->doubtful = true;
	n->last_ts = e->ts;
	n->last = e->ref;
	n->lost = false;
	return sample;
}

static void take_timerlat(struct noise *n, const struct trace_event *e, bool wanted)
{
	enum noise_context context = context_of(n, e);
	struct noise_sample sample = begin_sample(n, e);

	if (!n->has_period || context == NOISE_OF_IRQ || sample.seq != n->period.seq) {
		end_period(n);
		n->period = sample;
		n->has_period = true;
	}
	n->period.ts = e->ts;
	n->period.ref = e->ref;
	n->period.doubtful |= sample.doubtful;
	if (!wanted)
		return;
	n->cpu->samples++;
	add_value(n, &n->period, context, number(n, NOISE_TIMERLAT_EVENT, NOISE_LATENCY, e));
}

/* A record of osnoise or hwlat has all of a sample; times are in µs, but for that of NMIs. */
static void take_whole(struct noise *n, const struct trace_event *e, bool wanted)
{
	enum noise_event of = own_event(n);
	bool is_osnoise = of == NOISE_OSNOISE_EVENT,
	     is_first = is_osnoise && n->last == TRACE_REF_NONE;
	struct noise_sample sample = begin_sample(n, e);

	if (!wanted)
		return;
	if (is_first) {		/* its period may have begun before the trace */
		sample.since = n->first;
		sample.doubtful = true;
	}
	for (unsigned int i = 0; i < NOISE_VALUES; i++)
		add_value(n, &sample, i,
			  number(n, of, i, e) * (is_osnoise || i != NOISE_NMI_TIME ? 1000 : 1));
	if (is_osnoise)		/* trace-cmd's text has no runtime */
		sample.known[NOISE_RUNTIME] = sample.ns[NOISE_RUNTIME];
	sample.available = available(sample.ns[NOISE_RUNTIME], sample.ns[NOISE_OF_PERIOD]);
	for (unsigned int i = 0; i < NOISE_SOURCES; i++) {
		sample.counts[i] = (uint32_t)number(n, of, NOISE_COUNTS + i, e);
		n->cpu->counts[i] += sample.counts[i];
	}
	n->cpu->samples++;
	keep(n, &sample);
}

static void take_source(struct noise *n, enum noise_event of, const struct trace_event *e)
{
	uint64_t ns = number(n, of, NOISE_DURATION, e);

	if (of == NOISE_SINGLE_EVENT) {
		count_bin(n, NOISE_OF_PERIOD, ns);
		return;
	}
	n->cpu->time[NOISE_BY_NMI + (unsigned int)of - NOISE_NMI_EVENT] += ns;
	n->cpu->has_time = true;
}

/* --- the pass --------------------------------------------------------------------------------- */

static void next_stream(struct noise *n)
{
	struct noise_result *r = &n->result;

	end_period(n);
	r->nr_cpus += n->cpu && n->cpu->samples;
	mem_grow(&r->cpus, r->nr_cpus, &n->cap_cpus);
	n->cpu = &r->cpus[r->nr_cpus];
	*n->cpu = (struct noise_cpu){ 0 };
	n->first = n->last = TRACE_REF_NONE;
	n->lost = false;
}

static void take(struct noise *n, struct event_sweep *sweep, const struct trace_event *event)
{
	enum noise_event of = event_of(n, event), own = own_event(n);
	bool wanted;

	n->cpu->cpu = event->cpu;
	if (n->first == TRACE_REF_NONE)
		n->first = event->ref;
	if (of == NOISE_NONE)
		return;
	wanted = event_sweep_wants(sweep, event);
	if (of == own || of == NOISE_SINGLE_EVENT) {
		if (n->buffer && n->buffer != 1 + event->buffer)
			return;
		if (wanted)
			n->buffer = 1 + event->buffer;
	}
	n->result.has_sources |= of != own;
	if (of == NOISE_TIMERLAT_EVENT)
		take_timerlat(n, event, wanted);
	else if (of == own)
		take_whole(n, event, wanted);
	else if (wanted)
		take_source(n, of, event);
}

static void see(void *arg, struct event_sweep *sweep, const struct trace_event *event)
{
	struct noise *n = arg;

	if (!event) {
		next_stream(n);
	} else if (trace_is_event(event)) {
		take(n, sweep, event);
	} else {
		n->result.damaged += event->kind == TRACE_ROW_DAMAGE;
		n->cpu->doubtful |= n->first != TRACE_REF_NONE;
		n->lost = n->last != TRACE_REF_NONE;
	}
}

/* --- the result ------------------------------------------------------------------------------- */

static int by_cpu(const void *a, const void *b)
{
	const struct noise_cpu *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* The bins that are not empty. */
static void finish_bins(struct noise_result *r)
{
	for (unsigned int i = 0; i < NOISE_BINS; i++) {
		struct noise_bin bin = r->bins[i];

		bin.from = i ? 1ull << (i - 1) : 0;
		bin.to = i < 64 ? 1ull << i : UINT64_MAX;
		if (bin.count[0] | bin.count[1] | bin.count[2])
			r->bins[r->nr_bins++] = bin;
	}
}

static void finish(struct noise *n)
{
	struct noise_result *r = &n->result;

	next_stream(n);
	for (uint32_t c = 0; c < r->nr_cpus; c++) {
		struct noise_figures *of = r->cpus[c].of;

		for (unsigned int i = 0; i < NOISE_VALUES; i++)
			of[i].avg = of[i].count ? of[i].sum / of[i].count : 0;
		r->cpus[c].available = available(of[NOISE_RUNTIME].sum, of[NOISE_OF_PERIOD].sum);
		r->has_user |= r->tracer == NOISE_TIMERLAT && of[NOISE_OF_USER].count;
	}
	qsort(r->cpus, r->nr_cpus, sizeof(*r->cpus), by_cpu);
	finish_bins(r);
	sort_samples(r);
	n->is_finished = true;
}

bool noise_find(struct trace *trace, unsigned int *file, enum noise_tracer *tracer)
{
	unsigned int from = *file * NOISE_TRACERS + *tracer,
		     end = from + trace_nr_files(trace) * NOISE_TRACERS;
	bool found = false;

	for (unsigned int i = from; i <= end && !found; i++) {
		*file = i / NOISE_TRACERS % trace_nr_files(trace);
		*tracer = (enum noise_tracer)(i % NOISE_TRACERS);
		found = trace_has_event(trace, *file, noise_tracer_names[*tracer]);
	}
	return found;
}

struct noise *noise_new(struct trace *trace, enum noise_tracer tracer,
			const struct event_sweep_options *options)
{
	struct noise *n = mem_alloc(sizeof(*n));

	n->trace = trace;
	n->result.tracer = tracer;
	find_types(n, options->file);
	n->sweep = event_sweep_new(trace, options, see, n);
	return n;
}

void noise_free(struct noise *n)
{
	if (!n)
		return;
	event_sweep_free(n->sweep);
	noise_forget(n);
	free(n->result.samples);
	free(n->result.cpus);
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
	if (!n->is_finished)
		finish(n);
	return &n->result;
}

/* --- where the latency of a sample went ------------------------------------------------------ */

const char *const noise_part_names[NOISE_PARTS] = {
	[NOISE_PREVIOUS] = "previous irq, up to", [NOISE_DELAY] = "handler delay",
	[NOISE_IRQ_LATENCY] = "irq latency", [NOISE_TIMER_IRQ] = "timer irq duration",
	[NOISE_BLOCKING] = "blocking thread", [NOISE_NMIS] = "NMI interference",
	[NOISE_IRQS] = "irq interference", [NOISE_SOFTIRQS] = "softirq interference",
	[NOISE_THREADS] = "thread interference", [NOISE_REST] = "the rest",
};

/* What is known on the way from the sample before to the end of this one. */
struct walk {
	struct noise	*n;
	struct noise_analysis *a;
	const struct noise_sample *sample;
	bool		is_timerlat;
	uint64_t	step;		/* see trace_clock.step */
	bool		has_irq;	/* this sample's interrupt has come */
	bool		has_timer;	/* and its own event, too */
	uint64_t	irq_ts, previous_end;	/* raw */
	uint64_t	irq_latency;
	struct noise_row previous;
};

static void name_row(const struct walk *w, enum noise_event of, const struct trace_event *e,
		     struct noise_row *row)
{
	static const char *const softirqs[] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK",
						"IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU" };
	const struct event_field *name = w->n->fields[of][NOISE_DESC];
	struct field_span span = { 0 };

	row->number = of == NOISE_NMI_EVENT    ? -1 :
		      of == NOISE_THREAD_EVENT ? e->pid :
						 (int)number(w->n, of, NOISE_VECTOR, e);
	if (of == NOISE_NMI_EVENT)
		strcpy(row->name, "nmi");
	else if (of == NOISE_SOFTIRQ_EVENT && (unsigned int)row->number < 10)
		strcpy(row->name, softirqs[row->number]);
	if (name)
		span = field_bytes(name, e->data, e->size, e->swap);
	if (span.data && of != NOISE_SOFTIRQ_EVENT) {
		size_t len = strnlen((const char *)span.data, span.len);

		memcpy(row->name, span.data, len < NOISE_NAME - 1 ? len : NOISE_NAME - 1);
	}
}

static void add_row(struct walk *w, struct noise_row row)
{
	struct noise_analysis *a = w->a;

	row.sample = w->sample;
	row.index = a->nr;
	row.total = a->total;
	mem_grow(&a->rows, a->nr, &a->cap);
	a->rows[a->nr++] = row;
}

static void add_event(struct walk *w, struct noise_row row)
{
	struct noise_analysis *a = w->a;

	for (uint32_t i = a->first; !w->is_timerlat && i < a->nr; i++) {
		struct noise_row *same = &a->rows[i];

		if (same->part == row.part && same->number == row.number &&
		    !strcmp(same->name, row.name)) {
			same->ns += row.ns;
			same->times++;
			return;
		}
	}
	row.of = NOISE_OF_EVENT;
	if (a->nr - a->first < MOST_EVENTS)
		add_row(w, row);
}

/*
 * Take the first interrupt that ends after the timer's latency was recorded.  It should be the
 * timer's own, which recorded the latency.  False: it is another one; the timer's is missing.
 */
static bool take_timer(struct walk *w, const struct trace_event *e, uint64_t ns)
{
	uint64_t start = number(w->n, NOISE_IRQ_EVENT, NOISE_START, e);
	uint64_t expected = w->irq_ts - w->irq_latency;
	struct noise_analysis *a = w->a;
	uint64_t end = start + ns + a->parts[NOISE_NMIS];

	w->has_timer = true;
	a->other_clock = start > e->raw_ts + SLACK_NS || end + CLOCK_SLACK_NS < e->raw_ts;
	if (!a->other_clock && (start > w->irq_ts + SLACK_NS || end + SLACK_NS < w->irq_ts))
		return false;
	a->parts[NOISE_TIMER_IRQ] = ns;
	a->known |= 1u << NOISE_TIMER_IRQ;
	if (a->other_clock)
		return true;
	a->parts[NOISE_DELAY] = start > expected ? start - expected : 0;
	a->known |= 1u << NOISE_DELAY;
	a->from_idle = !a->blocking_pid && expected > w->previous_end &&
		       a->parts[NOISE_DELAY] > 10000;
	if (w->previous.ns && expected < w->previous_end) {
		a->parts[NOISE_PREVIOUS] = w->previous.ns;
		a->known |= 1u << NOISE_PREVIOUS;
		w->previous.part = NOISE_PREVIOUS;
		add_event(w, w->previous);
	}
	return true;
}

static void take_noise(struct walk *w, enum noise_event of, const struct trace_event *e)
{
	struct noise_row row = { .ns = number(w->n, of, NOISE_DURATION, e), .times = 1,
				 .ref = e->ref };
	struct noise_analysis *a = w->a;

	a->any = true;
	name_row(w, of, e, &row);
	row.part = NOISE_NMIS + (unsigned int)of - NOISE_NMI_EVENT;
	if (w->is_timerlat && !w->has_irq) {
		if (of == NOISE_NMI_EVENT || of == NOISE_IRQ_EVENT) {
			w->previous = row;
			w->previous_end = number(w->n, of, NOISE_START, e) + row.ns;
		}
		return;
	}
	if (w->is_timerlat && of == NOISE_IRQ_EVENT && !w->has_timer && take_timer(w, e, row.ns))
		return;
	if (w->is_timerlat && of == NOISE_THREAD_EVENT && e->pid == a->blocking_pid &&
	    !a->parts[NOISE_BLOCKING])
		row.part = NOISE_BLOCKING;
	a->parts[row.part] += row.ns;
	add_event(w, row);
}

static void take_irq(struct walk *w, const struct trace_event *e)
{
	if ((uint32_t)number(w->n, NOISE_TIMERLAT_EVENT, NOISE_SEQ, e) != w->sample->seq ||
	    context_of(w->n, e) != NOISE_OF_IRQ)
		return;
	w->has_irq = true;
	w->irq_ts = w->step ? e->raw_ts / w->step * w->step : e->raw_ts;
	w->irq_latency = number(w->n, NOISE_TIMERLAT_EVENT, NOISE_LATENCY, e);
	w->a->blocking_pid = e->pid;
}

/* The kernel fills up the stack that it saved with zeros. */
static void add_stack(struct walk *w, const struct trace_event *e)
{
	struct text *stack;
	unsigned int all = trace_event_stack(w->n->trace, e, &stack), nr = all;

	while (nr && strspn(text_str(&stack[nr - 1]), "0x") == stack[nr - 1].len)
		nr--;
	for (unsigned int i = 0; i < nr; i++)
		add_row(w, (struct noise_row){
			.part = NOISE_BLOCKING, .of = NOISE_OF_STACK,
			.function = arena_strndup(&w->a->functions, text_str(&stack[i]),
						  stack[i].len) });
	trace_stack_free(stack, all);
}

/* The stack behind the sample's last record, of its task; interrupts may come between. */
static void take_stack(struct walk *w, struct trace_cursor *cursor, int pid)
{
	struct trace_event e;

	for (unsigned int i = 0; i < STACK_ROWS && trace_cursor_next(cursor, &e); i++) {
		if (e.kind != TRACE_ROW_EVENT || !e.type || !strcmp(e.type->name, "timerlat"))
			return;
		if (e.pid != pid || strcmp(e.type->name, "kernel_stack") != 0)
			continue;
		add_stack(w, &e);
		return;
	}
}

static void walk_records(struct walk *w)
{
	const struct noise_sample *s = w->sample;
	struct trace_cursor *cursor = trace_cursor_of_stream(w->n->trace, trace_ref_stream(s->ref));
	struct trace_event e;
	int pid = -1;

	trace_cursor_seek(cursor, s->since);
	while (trace_cursor_next(cursor, &e)) {
		enum noise_event of = NOISE_NONE;

		if (e.kind == TRACE_ROW_EVENT)
			of = event_of(w->n, &e);
		if (of == NOISE_TIMERLAT_EVENT)
			take_irq(w, &e);
		else if (of >= NOISE_NMI_EVENT && of <= NOISE_THREAD_EVENT)
			take_noise(w, of, &e);
		pid = e.pid;
		if (e.ref == s->ref)
			break;
	}
	take_stack(w, cursor, pid);
	trace_cursor_free(cursor);
}

/* --- sums ------------------------------------------------------------------------------------- */

/* Tracing stopped in the interrupt: the thread that ran is known, not how long it blocked. */
static void add_blocking(struct walk *w)
{
	struct noise_row row = { .part = NOISE_BLOCKING, .number = w->a->blocking_pid,
				 .ref = w->sample->ref };
	unsigned int file = trace_stream_at(w->n->trace, trace_ref_stream(row.ref))->source;
	const char *comm = trace_comm(w->n->trace, file, row.number, w->sample->ts);

	strncpy(row.name, comm, NOISE_NAME - 1);
	add_event(w, row);
}

static void sum_up(struct walk *w)
{
	const bool *known = w->sample->known;
	struct noise_analysis *a = w->a;
	uint64_t sum = 0;

	for (unsigned int i = NOISE_NMIS; a->any && i <= NOISE_THREADS; i++)
		a->known |= 1u << i;
	if (w->is_timerlat) {
		if (w->has_irq)
			a->known |= 1u << NOISE_IRQ_LATENCY;
		a->parts[NOISE_IRQ_LATENCY] = w->irq_latency;
		a->is_irq = known[NOISE_OF_IRQ] && !known[NOISE_OF_THREAD] && !known[NOISE_OF_USER];
		if (a->any && w->has_irq)
			a->known |= 1u << NOISE_BLOCKING;
	}
	if (a->is_irq) {
		add_blocking(w);
		a->known &= 1u << NOISE_PREVIOUS | 1u << NOISE_DELAY | 1u << NOISE_IRQ_LATENCY |
			    1u << NOISE_NMIS;
	}
	for (unsigned int i = 0; i < NOISE_REST; i++)
		if (noise_part_adds((enum noise_part)i) && (a->known >> i & 1))
			sum += a->parts[i];
	if (a->any && !a->is_irq && sum <= a->total &&
	    (!w->is_timerlat || (a->known >> NOISE_DELAY & 1))) {
		a->parts[NOISE_REST] = a->total - sum;
		a->known |= 1u << NOISE_REST;
	}
}

static int in_order(const void *a, const void *b)
{
	const struct noise_row *x = a, *y = b;

	return x->part != y->part ? (x->part < y->part ? -1 : 1) :
	       x->of != y->of     ? (x->of < y->of ? -1 : 1) :
				    (x->index < y->index ? -1 : 1);
}

static void list_parts(struct walk *w)
{
	struct noise_analysis *a = w->a;

	for (unsigned int i = 0; i < NOISE_PARTS; i++)
		if (a->known >> i & 1)
			add_row(w, (struct noise_row){ .part = (enum noise_part)i,
						       .ns = a->parts[i], .times = 1 });
	if (a->nr > a->first)
		qsort(a->rows + a->first, a->nr - a->first, sizeof(*a->rows), in_order);
	for (uint32_t i = a->first; i < a->nr; i++)
		a->rows[i].index = i;
}

const struct noise_analysis *noise_analyse(struct noise *n, const struct noise_sample *sample)
{
	const struct trace_stream *stream = trace_stream_at(n->trace,
							    trace_ref_stream(sample->ref));
	struct noise_analysis *a = &n->result.analysis;
	struct walk w = { .n = n, .a = a, .sample = sample, .step = stream->clock.step,
			  .is_timerlat = n->result.tracer == NOISE_TIMERLAT };

	*a = (struct noise_analysis){
		.rows = a->rows, .nr = a->nr, .cap = a->cap,
		.functions = a->functions, .first = a->nr, .blocking_pid = -1,
	};
	for (unsigned int i = 0; i < (w.is_timerlat ? NOISE_VALUES : 1); i++)
		if (sample->known[i])
			a->total = sample->ns[i];
	walk_records(&w);
	sum_up(&w);
	list_parts(&w);
	return a;
}

void noise_forget(struct noise *n)
{
	arena_fini(&n->result.analysis.functions);
	free(n->result.analysis.rows);
	n->result.analysis = (struct noise_analysis){ 0 };
}
