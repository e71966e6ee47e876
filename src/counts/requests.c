/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/counts/requests.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "src/base/memory.h"
#include "src/latency/latency.h"

#define MOST_PLACES	(1u << 22)	/* 64 MB */
#define MOST_REQUESTS	(1u << 20)	/* most requests kept of a kind: 40 MB */

struct requests {
	struct trace	*trace;		/* borrowed */
	struct latency_kinds kinds;
	struct request_kind {
		int		 kind;		/* its number */
		struct latency	*latency;	/* owned; its worker's until it is found: */
		struct block_request {
			int64_t		start, end;	/* ts; end: INT64_MAX = it is open */
			trace_ref	from, to;
			uint8_t		rule;
			bool		counts;		/* its duration is known */
			bool		shared;		/* LATENCY_SHARED */
		}		*list;		/* owned, [nr] */
		uint32_t	 nr, cap;
		bool		 is_full;	/* there were more */
		struct latency_result result;
	}		 of[2];		/* D2C, Q2C */
	/* Where the events are counted; the caller's worker's until all are told. */
	struct request_place {
		trace_ref	ref;
		uint32_t	device, row;
	}		*places;	/* owned, [nr] */
	uint32_t	 nr, cap;
	bool		 is_full;
};

static bool add_request(void *arg, struct latency *latency, unsigned int number,
			const struct latency_instance *i)
{
	struct request_kind *kind = arg;

	(void)latency;
	if (number != (unsigned int)kind->kind)
		return false;
	kind->is_full |= kind->nr == MOST_REQUESTS;
	if (kind->is_full)
		return true;
	mem_grow(&kind->list, kind->nr, &kind->cap);
	kind->list[kind->nr++] = (struct block_request){
		.start = i->start, .end = i->flags & LATENCY_OPEN ? INT64_MAX : i->end,
		.from = i->from, .to = i->to, .rule = i->rule, .counts = latency_counts(i),
		.shared = i->flags & LATENCY_SHARED,
	};
	return true;
}

struct requests *requests_new(struct trace *trace, unsigned int file)
{
	static const char *const names[] = { "block", "block_queue" };
	struct requests *r = mem_alloc(sizeof(*r));

	r->trace = trace;
	latency_kinds_init(&r->kinds);
	for (unsigned int i = 0; i < 2; i++) {
		struct request_kind *kind = &r->of[i];
		struct latency_options options = { .what.file = file, .kinds = &r->kinds,
						   .each = add_request, .each_arg = kind };

		options.only = kind->kind = latency_kinds_find(&r->kinds, names[i], NULL);
		kind->latency = latency_new(trace, &options, NULL);
	}
	return r;
}

void requests_free(struct requests *r)
{
	for (unsigned int i = 0; r && i < 2; i++) {
		latency_free(r->of[i].latency);
		latency_result_fini(&r->of[i].result);
		free(r->of[i].list);
	}
	if (r) {
		latency_kinds_fini(&r->kinds);
		free(r->places);
	}
	free(r);
}

bool requests_are_told(const struct requests *r, const struct event_type *type)
{
	for (unsigned int i = LATENCY_OWN_KINDS; i < r->kinds.nr_rules; i++) {
		const struct latency_rule *rule = &r->kinds.rules[i];
		bool is_ours = (int)rule->kind == r->of[0].kind || (int)rule->kind == r->of[1].kind;

		for (unsigned int j = 0; is_ours && j < 2; j++)
			for (const struct latency_event *e = &rule->ends[j]; e; e = e->other)
				if (!strcmp(e->name, type->name))
					return true;
	}
	return false;
}

void requests_see(struct requests *r, trace_ref ref, uint32_t device, uint32_t row)
{
	r->is_full |= r->nr == MOST_PLACES;
	if (r->is_full)
		return;
	mem_grow(&r->places, r->nr, &r->cap);
	r->places[r->nr++] = (struct request_place){ ref, device, row };
}

bool requests_are_found(struct requests *r, bool wait)
{
	bool done = true;

	for (unsigned int i = 0; i < 2; i++) {
		struct request_kind *kind = &r->of[i];

		if (wait)
			latency_wait(kind->latency);
		if (!kind->result.done)
			latency_take(kind->latency, &kind->result);
		done &= kind->result.done;
	}
	return done;
}

/* --- figures ---------------------------------------------------------------------------------- */

static int by_ref(const void *a, const void *b)
{
	const struct request_place *x = a, *y = b;

	return (x->ref > y->ref) - (x->ref < y->ref);
}

/* NULL: the event was not told. */
static const struct request_place *place_of(const struct requests *r, trace_ref ref)
{
	struct request_place wanted = { .ref = ref };

	return r->nr ? bsearch(&wanted, r->places, r->nr, sizeof(*r->places), by_ref) : NULL;
}

/* The row that counts the event; NULL: none. */
static struct counts_row *row_of(const struct requests *r, trace_ref ref, struct counts_row *rows)
{
	const struct request_place *place = place_of(r, ref);

	return place && place->row != REQUESTS_NO_ROW ? &rows[place->row] : NULL;
}

static void add_spans(const struct requests *r, const struct request_kind *kind,
		      struct counts_row *rows, uint32_t nr)
{
	const struct latency_sums *all = &kind->result.kinds[kind->kind].sums;

	for (uint32_t i = 0; i < kind->nr; i++) {
		const struct block_request *request = &kind->list[i];
		struct counts_row *row = row_of(r, request->to, rows);
		struct counts_span *span;
		uint64_t took;

		if (!row || !request->counts || kind->result.replaced[request->rule])
			continue;
		span = kind == &r->of[0] ? &row->d2c : &row->q2c;
		took = latency_between(request->start, request->end);
		span->nr++;
		span->sum += took;
		span->max = span->max > took ? span->max : took;
		span->average = span->sum / span->nr;
		span->shared += request->shared;
	}
	for (uint32_t i = 0; i < nr; i++) {
		struct counts_span *span = kind == &r->of[0] ? &rows[i].d2c : &rows[i].q2c;

		span->unsettled = span->shared && (span->shared < all->shared || all->unsettled);
	}
}

struct flight {				/* a request takes off or lands */
	int64_t		ts;
	uint32_t	device;
	bool		takes_off;
	struct counts_row *row;		/* row of the request's issue; NULL: none */
};

/* A completion ends a request before another one begins then. */
static int in_order(const void *a, const void *b)
{
	const struct flight *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->takes_off > y->takes_off) - (x->takes_off < y->takes_off);
}

static void find_most(const struct requests *r, struct counts_row *rows)
{
	const struct request_kind *kind = &r->of[0];
	struct flight *flights = mem_array(2ul * kind->nr + 1, sizeof(*flights));
	uint32_t nr = 0;
	uint64_t flying = 0;

	for (uint32_t i = 0; i < kind->nr; i++) {
		const struct block_request *request = &kind->list[i];
		const struct request_place *place = place_of(r, request->from);

		if (!place || kind->result.replaced[request->rule])
			continue;
		flights[nr++] = (struct flight){ request->start, place->device, true,
						 row_of(r, request->from, rows) };
		flights[nr++] = (struct flight){ request->end, place->device };
	}
	qsort(flights, nr, sizeof(*flights), in_order);
	for (uint32_t i = 0; i < nr; i++) {
		const struct flight *f = &flights[i];

		flying = i && f->device != f[-1].device ? 0 : flying;
		flying += f->takes_off ? 1 : -1ul;
		if (f->row && f->row->in_flight < flying)
			f->row->in_flight = flying;
	}
	free(flights);
}

void requests_sum(struct requests *r, struct counts_row *rows, uint32_t nr)
{
	if (r->is_full || r->of[0].is_full || r->of[1].is_full)
		return;
	if (r->nr)
		qsort(r->places, r->nr, sizeof(*r->places), by_ref);
	add_spans(r, &r->of[0], rows, nr);
	add_spans(r, &r->of[1], rows, nr);
	find_most(r, rows);
}
