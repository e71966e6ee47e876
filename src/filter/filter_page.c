/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_page - verdicts on streams and sub-buffers without reading records, and matching of rows
 * that are not records: lost events, damage.
 *
 * The expression is evaluated with three results: it can be true, it can be false, or both.
 */
#include <string.h>

#include "parsers/pages/page_scan.h"
#include "parsers/source/source.h"
#include "src/filter/filter_run.h"

enum { CAN_TRUE = 1, CAN_FALSE = 2, CAN_BOTH = 3 };

/* What is known when evaluating. */
struct page_place {
	const struct page_sets *sets;	/* what a sub-buffer contains; NULL = not known */
	uint64_t page;                /* its number, if that is known */
	bool		 has_time;
	int64_t		 first, last;
	bool		 lost;		/* it is a row of lost events */
};

static bool in_scope(const struct filter_run *run, uint32_t scope, int id)
{
	return (unsigned int)id < run->ff->nr_ids &&
	       filter_scope_has(&run->f->scopes[scope], run->file, id);
}

/* Update the bits of the types that have occurred so far. */
static void update_bits(struct filter_run *run)
{
	struct page_kinds *kinds = &run->source->kinds;
	uint32_t nr = atomic_load(&kinds->nr), changes = atomic_load(&kinds->changes);

	if (run->nr_kinds == nr && run->bits == changes)
		return;
	run->nr_kinds = nr;
	run->bits = changes;
	run->alive = 0;
	memset(run->scope_bits, 0, run->f->nr_scopes * sizeof(*run->scope_bits));
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t bits = page_kinds_bits(kinds, i);
		int id = kinds->ids[i];

		if (filter_run_type(run, id) != FILTER_NEVER)
			run->alive |= bits;
		for (unsigned int k = 0; k < run->f->nr_scopes; k++)
			if (in_scope(run, k, id))
				run->scope_bits[k] |= bits;
	}
}

/* May a record of the sub-buffer match, by its type? */
static bool any_alive(const struct filter_run *run, const struct page_sets *sets)
{
	for (uint32_t i = 0; i < sets->nr_rare; i++)
		if (filter_run_type(run, run->source->kinds.ids[page_rare_kind(sets->rare[i])]) !=
		    FILTER_NEVER)
			return true;
	return run->alive & sets->types;
}

static bool any_in_scope(const struct filter_run *run, uint32_t scope, const struct page_sets *sets)
{
	for (uint32_t i = 0; i < sets->nr_rare; i++)
		if (in_scope(run, scope, run->source->kinds.ids[page_rare_kind(sets->rare[i])]))
			return true;
	return run->scope_bits[scope] & sets->types;
}

/* --- tasks ------------------------------------------------------------------------ */

static int pids_of_set(const struct filter_set *set, uint64_t pids)
{
	unsigned int looked = 0;

	for (unsigned int i = 0; i < set->nr; i++)
		for (uint64_t v = set->parts[i].lo;; v++) {
			uint64_t bits = pid_bits((int32_t)v);

			if (++looked > FILTER_MAX_PIDS || (pids & bits) == bits)
				return CAN_BOTH;
			if (v == set->parts[i].hi)
				break;
		}
	return CAN_FALSE;
}

/* Add one more pid, if there are few. */
static void add_bits(struct filter_comm_pids *pids, int pid)
{
	uint64_t bits = pid_bits(pid);

	for (unsigned int i = 0; i < pids->nr; i++)
		if (pids->bits[i] == bits)
			return;
	if (pids->nr == FILTER_MAX_PIDS)
		pids->few = false;
	else
		pids->bits[pids->nr++] = bits;
}

static int any_of(const struct filter_comm_pids *pids, uint64_t page_pids)
{
	if (!pids->few)
		return CAN_BOTH;
	for (unsigned int i = 0; i < pids->nr; i++)
		if ((page_pids & pids->bits[i]) == pids->bits[i])
			return CAN_BOTH;
	return CAN_FALSE;
}

struct pid_search {
	struct filter_run	*run;
	uint32_t		 index;
	struct filter_comm_pids	*pids;
};

static void add_pid(void *arg, int pid, const char *name)
{
	struct pid_search *search = arg;
	struct filter_comm_pids *pids = search->pids;

	if (!pids->few || !filter_pattern_test(search->run->f->patterns[search->index],
					       search->run->scratch, name, strlen(name)))
		return;
	add_bits(pids, pid);
}

/* Pids with a matching name at any time; known when all records have been seen. */
static int pids_of_comm(struct filter_run *run, uint32_t index, uint64_t page_pids)
{
	const struct filter_pattern *m = run->f->patterns[index];
	struct filter_comm_pids *pids = &run->comm_pids[index];
	struct pid_search search = { run, index, pids };
	uint64_t changes = comm_table_changes(run->comms);

	if (!pids->known || pids->changes != changes) {
		if (!trace_status(run->f->trace).complete)
			return CAN_BOTH;
		*pids = (struct filter_comm_pids){ .known = true, .few = true, .changes = changes };
		if (filter_pattern_test(m, run->scratch, "<...>", 5))
			pids->few = false;
		if (filter_pattern_test(m, run->scratch, "<idle>", 6))
			pids->bits[pids->nr++] = pid_bits(0);
		comm_table_each(run->comms, add_pid, &search);
	}
	return any_of(pids, page_pids);
}

struct tgid_search {
	struct filter_run	*run;
	const struct filter_test *test;
	struct filter_comm_pids	*pids;
};

static void add_pid_of(void *arg, int pid, int tgid)
{
	struct tgid_search *search = arg;
	const struct filter_test *t = search->test;
	uint64_t v = (uint64_t)(int64_t)tgid;

	if (search->pids->few &&
	    (t->kind == FILTER_TEST_SET ? filter_set_has(search->run->f->sets[t->index], v) :
					  v - t->lo <= t->span))
		add_bits(search->pids, pid);
}

/* Pids with a matching tgid at any time; tasks whose tgid is unknown match nothing. */
static int pids_of_tgid(struct filter_run *run, const struct filter_test *t, uint64_t page_pids)
{
	uint64_t changes = tgid_table_changes(run->source->tgids);
	struct filter_tgid_pids *slot = NULL;

	for (unsigned int i = 0; i < FILTER_TGID_TESTS; i++)
		if (run->tgid_pids[i].test == t)
			slot = &run->tgid_pids[i];
	if (!slot || slot->pids.changes != changes) {
		if (!trace_status(run->f->trace).complete)
			return CAN_BOTH;
		if (!slot)
			slot = &run->tgid_pids[run->next_tgid_pids++ % FILTER_TGID_TESTS];
		*slot = (struct filter_tgid_pids){
			.test = t, .pids = { .known = true, .few = true, .changes = changes }
		};
		tgid_table_each(run->source->tgids, add_pid_of,
				&(struct tgid_search){ run, t, &slot->pids });
	}
	return any_of(&slot->pids, page_pids);
}

/* --- lines of a text -------------------------------------------------------------- */

static bool read_part(struct filter_run *run, uint64_t part)
{
	text_clear(&run->part);
	return source_part_text(run->source->file, part, &run->part);
}

/* May a line of the sub-buffer match?  Parts are read once, whichever CPUs have lines in them. */
static int part_has(struct filter_run *run, const struct filter_test *t, uint64_t page)
{
	unsigned int stream = trace_stream_at(run->f->trace, run->stream)->number;
	atomic_uchar *known = &t->parts[source_part(run->source->file, stream, page)];

	if (atomic_load_explicit(known, memory_order_relaxed) == FILTER_PART_UNKNOWN)
		atomic_store_explicit(known,
				      !read_part(run, (uint64_t)(known - t->parts)) ||
						      filter_pattern_test(run->f->patterns
										  [t->index],
									  run->scratch,
									  text_str(&run->part),
									  run->part.len) ?
					      FILTER_PART_HAS :
					      FILTER_PART_HAS_NOT,
				      memory_order_relaxed);
	return atomic_load_explicit(known, memory_order_relaxed) == FILTER_PART_HAS ? CAN_BOTH :
										      CAN_FALSE;
}

/* --- terms ------------------------------------------------------------------------- */

static int number_leaf(struct filter_run *run, const struct filter_test *t,
		       const struct page_place *place)
{
	uint64_t lo = t->lo, hi = t->lo + t->span;
	const struct filter_set one = { .nr = 1, .parts = &(struct filter_part){ lo, hi } };

	switch ((enum filter_from)t->load.from) {
	case FILTER_FROM_CPU:
	case FILTER_FROM_BUFFER:
		return filter_run_test(run, t) ? CAN_TRUE : CAN_FALSE;
	case FILTER_FROM_TIME:
		if (!place->has_time || t->kind != FILTER_TEST_RANGE)
			return CAN_BOTH;
		if (place->last < (int64_t)lo || place->first > (int64_t)hi)
			return CAN_FALSE;
		return place->first >= (int64_t)lo && place->last <= (int64_t)hi ? CAN_TRUE :
										   CAN_BOTH;
	case FILTER_FROM_FIELD:
		/* in general, that is common_pid */
		if (!place->sets || t->negate)
			return CAN_BOTH;
		return pids_of_set(t->kind == FILTER_TEST_SET ? run->f->sets[t->index] : &one,
				   place->sets->pids);
	case FILTER_FROM_TGID:
		return place->sets && !t->negate ? pids_of_tgid(run, t, place->sets->pids) :
						   CAN_BOTH;
	case FILTER_FROM_ELEMENT:
	case FILTER_FROM_NAME:
		break;
	}
	return CAN_BOTH;
}

static int leaf(struct filter_run *run, const struct filter_test *t, const struct page_place *place)
{
	switch (t->kind) {
	case FILTER_TEST_RANGE:
	case FILTER_TEST_SET:
		return t->nr_steps ? CAN_BOTH : number_leaf(run, t, place);
	case FILTER_TEST_COMM:
		return place->sets ? pids_of_comm(run, t->index, place->sets->pids) : CAN_BOTH;
	case FILTER_TEST_PART:
		return place->sets ? part_has(run, t, place->page) : CAN_BOTH;
	case FILTER_TEST_TYPES:
		return place->sets && !any_in_scope(run, t->index, place->sets) ? CAN_FALSE :
										  CAN_BOTH;
	case FILTER_TEST_LOST:
		return place->lost ? CAN_TRUE : CAN_FALSE;
	default:
		return CAN_BOTH;	/* records decide, or it is not known */
	}
}

static int evaluate(struct filter_run *run, const struct filter_bound *n,
		    const struct page_place *place)
{
	int a, b;

	switch (n->kind) {
	case FILTER_BOUND_FALSE:
		return CAN_FALSE;
	case FILTER_BOUND_TRUE:
		return CAN_TRUE;
	case FILTER_BOUND_AND:
		a = evaluate(run, n->a, place);
		if (a == CAN_FALSE)
			return a;
		b = evaluate(run, n->b, place);
		return (a & b & CAN_TRUE) | ((a | b) & CAN_FALSE);
	case FILTER_BOUND_OR:
		a = evaluate(run, n->a, place);
		if (a == CAN_TRUE)
			return a;
		b = evaluate(run, n->b, place);
		return ((a | b) & CAN_TRUE) | (a & b & CAN_FALSE);
	case FILTER_BOUND_NOT:
		a = evaluate(run, n->a, place);
		return (a & CAN_TRUE ? CAN_FALSE : 0) | (a & CAN_FALSE ? CAN_TRUE : 0);
	case FILTER_BOUND_TEST:
		return leaf(run, &n->test, place);
	}
	return CAN_BOTH;
}

/* --- streams, sub-buffers, rows ------------------------------------------------------- */

enum filter_verdict filter_run_stream(struct filter_run *run, unsigned int stream)
{
	struct trace *trace = run->f->trace;
	const struct trace_stream *s = trace_stream_at(trace, stream);
	struct page_place place = { .sets = NULL };
	int verdict;

	if (run->stream == UINT32_MAX || run->file != s->source) {
		run->nr_kinds = UINT32_MAX;
		memset(run->slots, 0, sizeof(run->slots));
		memset(run->tgids, 0, sizeof(run->tgids));
		memset(run->tgid_pids, 0, sizeof(run->tgid_pids));
		memset(run->comm_pids, 0, run->f->nr_patterns * sizeof(*run->comm_pids));
	}
	run->stream = stream;
	run->file = s->source;
	run->ff = &run->f->files[s->source];
	run->source = trace_source_at(trace, s->source);
	run->comms = run->source->comms;
	run->rec = (struct filter_record){
		.trace = trace, .stream = stream, .swap = run->ff->swap, .cpu = s->cpu
	};
	verdict = evaluate(run, run->ff->general, &place);
	return verdict == CAN_TRUE  ? FILTER_ALWAYS :
	       verdict == CAN_FALSE ? FILTER_NEVER :
				      FILTER_TEST;
}

bool filter_runs_stream(struct filter_runs *runs, unsigned int stream)
{
	bool may_match = true;

	for (unsigned int i = 0; i < runs->nr; i++)
		may_match &= filter_run_stream(runs->list[i], stream) != FILTER_NEVER;
	return may_match;
}

bool filter_run_page(const struct filter_run *asked, uint64_t page, const struct page_sets *sets,
		     int64_t first, int64_t last)
{
	/* its caches are not part of its state */
	struct filter_run *run = (struct filter_run *)asked;
	struct page_place place = {
		.sets = sets, .page = page, .has_time = true, .first = first, .last = last
	};

	update_bits(run);
	if (!any_alive(run, sets))
		return false;
	return evaluate(run, run->ff->general, &place) & CAN_TRUE;
}

bool filter_run_event(struct filter_run *run, const struct trace_event *event)
{
	struct page_place place = {
		.has_time = true, .first = event->ts, .last = event->ts, .lost = true
	};

	if (run->stream != event->stream)
		filter_run_stream(run, event->stream);
	switch (event->kind) {
	case TRACE_ROW_EVENT:
		return filter_run_match(run, event->ref, event->type_id, event->data, event->size,
					event->room, event->ts);
	case TRACE_ROW_LOST:
	case TRACE_ROW_DAMAGE:
		return run->f->uses_lost && evaluate(run, run->ff->general, &place) == CAN_TRUE;
	}
	return false;
}
