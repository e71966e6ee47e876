/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noise_analysis - the parts of a sample, from the events of system osnoise around it. */
#include "src/noise/noise.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/noise/noise_private.h"
#include "src/trace/trace_streams.h"

#define MOST_EVENTS	65536u
#define STACK_ROWS	16u		/* between a sample and its stack */
#define SLACK_NS	1000		/* a text's times have whole µs */
#define CLOCK_SLACK_NS	1000000		/* from the end of noise to its record */

const char *const noise_part_names[NOISE_PARTS] = {
	[NOISE_PREVIOUS] = "previous irq, up to", [NOISE_DELAY] = "handler delay",
	[NOISE_IRQ_LATENCY] = "irq latency", [NOISE_TIMER_IRQ] = "timer irq duration",
	[NOISE_BLOCKING] = "blocking thread", [NOISE_NMIS] = "NMI interference",
	[NOISE_IRQS] = "irq interference", [NOISE_SOFTIRQS] = "softirq interference",
	[NOISE_THREADS] = "thread interference", [NOISE_REST] = "the rest",
};

/* What is known on the way from the sample before to the end of this one. */
struct walk {
	struct trace	*trace;
	enum noise_tracer tracer;
	const struct noise_sample *sample;
	struct noise_analysis *a;
	const struct noise_types *types;
	uint64_t	step;		/* of raw stamps */
	bool		has_irq;	/* this sample's interrupt has come */
	bool		has_timer;	/* and its own event, too */
	uint64_t	irq_ts, previous_end;	/* raw */
	uint64_t	irq_latency;
	struct noise_row previous;
};

/* --- events ---------------------------------------------------------------------------------- */

static void name_row(const struct walk *w, enum noise_event of, const struct trace_event *e,
		     struct noise_row *row)
{
	static const char *const softirqs[] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK",
						"IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU" };
	const struct event_field *name = w->types->fields[of][NOISE_DESC];
	struct field_span span = { 0 };

	row->number = of == NOISE_NMI_EVENT    ? -1 :
		      of == NOISE_THREAD_EVENT ? e->pid :
						 (int)noise_number(w->types, of, NOISE_VECTOR, e);
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

	for (uint32_t i = a->first; w->tracer == NOISE_OSNOISE && i < a->nr; i++) {
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
 * The first interrupt that ends after the timer's latency was recorded: the timer's own, in which
 * that happened.  False: it is another one, the timer's is missing.
 */
static bool take_timer(struct walk *w, const struct trace_event *e, uint64_t ns)
{
	uint64_t start = noise_number(w->types, NOISE_IRQ_EVENT, NOISE_START, e);
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
	struct noise_row row = { .ns = noise_number(w->types, of, NOISE_DURATION, e), .times = 1,
				 .ref = e->ref };
	struct noise_analysis *a = w->a;

	a->any = true;
	name_row(w, of, e, &row);
	row.part = NOISE_NMIS + (unsigned int)of - NOISE_NMI_EVENT;
	if (w->tracer == NOISE_TIMERLAT && !w->has_irq) {
		if (of == NOISE_NMI_EVENT || of == NOISE_IRQ_EVENT) {
			w->previous = row;
			w->previous_end = noise_number(w->types, of, NOISE_START, e) + row.ns;
		}
		return;
	}
	if (w->tracer == NOISE_TIMERLAT && of == NOISE_IRQ_EVENT && !w->has_timer &&
	    take_timer(w, e, row.ns))
		return;
	if (w->tracer == NOISE_TIMERLAT && of == NOISE_THREAD_EVENT && e->pid == a->blocking_pid &&
	    !a->parts[NOISE_BLOCKING])
		row.part = NOISE_BLOCKING;
	a->parts[row.part] += row.ns;
	add_event(w, row);
}

static void take_timerlat(struct walk *w, const struct trace_event *e)
{
	if ((uint32_t)noise_number(w->types, NOISE_TIMERLAT_EVENT, NOISE_SEQ, e) !=
		    w->sample->seq ||
	    noise_context(w->types, e) != NOISE_OF_IRQ)
		return;
	w->has_irq = true;
	w->irq_ts = w->step ? e->raw_ts / w->step * w->step : e->raw_ts;
	w->irq_latency = noise_number(w->types, NOISE_TIMERLAT_EVENT, NOISE_LATENCY, e);
	w->a->blocking_pid = e->pid;
}

/* The kernel fills up the stack that it saved with zeros. */
static void add_stack(struct walk *w, const struct trace_event *e)
{
	struct text *stack;
	unsigned int all = trace_event_stack(w->trace, e, &stack), nr = all;

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
	struct trace_cursor *cursor = trace_cursor_of_stream(w->trace, trace_ref_stream(s->ref));
	struct trace_event e;
	int pid = -1;

	trace_cursor_seek(cursor, s->since);
	while (trace_cursor_next(cursor, &e)) {
		enum noise_event of = NOISE_NONE;

		if (e.kind == TRACE_ROW_EVENT)
			of = noise_event(w->types, &e);
		if (of == NOISE_TIMERLAT_EVENT && w->tracer == NOISE_TIMERLAT)
			take_timerlat(w, &e);
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
	unsigned int file = trace_stream_at(w->trace, trace_ref_stream(row.ref))->source;
	const char *comm = trace_comm(w->trace, file, row.number, w->sample->ts);

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
	if (w->tracer == NOISE_TIMERLAT) {
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
	    (w->tracer == NOISE_OSNOISE || (a->known >> NOISE_DELAY & 1))) {
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

void noise_analyse(struct trace *trace, enum noise_tracer tracer, const struct noise_sample *sample,
		   struct noise_analysis *analysis)
{
	const struct trace_stream *stream = trace_stream_at(trace, trace_ref_stream(sample->ref));
	struct noise_types *types = noise_types_new(trace, stream->source);
	struct walk w = { .trace = trace, .tracer = tracer, .sample = sample, .a = analysis,
			  .types = types, .step = stream->clock.step };

	*analysis = (struct noise_analysis){
		.rows = analysis->rows, .nr = analysis->nr, .cap = analysis->cap,
		.functions = analysis->functions, .first = analysis->nr, .blocking_pid = -1,
	};
	for (unsigned int i = 0; i < (tracer == NOISE_OSNOISE ? 1 : NOISE_VALUES); i++)
		if (sample->known[i])
			analysis->total = sample->ns[i];
	walk_records(&w);
	sum_up(&w);
	list_parts(&w);
	free(types);
}

void noise_analysis_fini(struct noise_analysis *analysis)
{
	arena_fini(&analysis->functions);
	free(analysis->rows);
	*analysis = (struct noise_analysis){ 0 };
}
