/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/slow_places.h"

#include <stdlib.h>

#include "src/calls/call_job.h"
#include "src/calls/call_text.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

#define MAX_PLACES	1000000u	/* 48 MB */
#define MAX_CALLS	200000u		/* while searching */
#define LEAST_NS	1000u		/* shorter calls are never slow */

struct slow_places {
	struct slow_options options;
	struct graph_types *types;	/* owned: those of the options; or NULL */
	struct call_job	*job;		/* owned */
	bool		 local;
	int64_t		 first;		/* start of the trace, model time */
	struct call_visitor visitor;
	struct slow_place *places;	/* owned, [nr]; sorted when done */
	uint32_t	 nr, cap;
	uint64_t	 least;		/* shorter ones are dropped */
	/* For the walk: the longest call found below each level */
	uint64_t	*longest;	/* owned */
	uint32_t	 nr_longest, cap_longest;
	/* Open calls above freed ones, with the longest call in the freed part. */
	struct {
		trace_ref	 entry;
		uint64_t	 longest;
	}		*open;		/* owned */
	uint32_t	 nr_open, cap_open;
};

/* --- collecting ----------------------------------------------------------------------- */

static uint64_t length_of(const struct slow_places *s, const struct call *call)
{
	return !call_is_timed(call) ? 0 : s->options.net ? call->net : call_duration(call);
}

/* Make room for half by raising the bound. */
static void forget_shortest(struct slow_places *s)
{
	while (s->nr > s->options.max_places / 2) {
		uint32_t kept = 0;

		s->least *= 2;
		for (uint32_t i = 0; i < s->nr; i++)
			if (s->places[i].duration >= s->least)
				s->places[kept++] = s->places[i];
		s->nr = kept;
	}
}

static int64_t start_of(const struct slow_places *s, const struct call *call)
{
	return call_text_start_in(s->options.trace, s->local, call);
}

static void add_place(struct slow_places *s, const struct call *call, int32_t pid, uint64_t below)
{
	uint64_t length = length_of(s, call);
	int64_t start, end;

	if (length < s->least || length <= below || !call->wanted)
		return;
	if (s->nr >= s->options.max_places)
		forget_shortest(s);
	if (length < s->least)
		return;
	mem_grow(&s->places, s->nr, &s->cap);
	start = start_of(s, call);
	end = trace_stream_ts(s->options.trace, call->stream_out, call->exit_ts);
	s->places[s->nr++] = (struct slow_place){
		.start = start,
		.key = start >= s->first ? start : end,
		.end = end,
		.exit = call->exit,
		.duration = length,
		.below = below,
		.pid = pid,
		.stream = call->stream_out
	};
}

/* The longest call in the freed part of a call; removes the entry. */
static uint64_t take_open(struct slow_places *s, const struct call *call)
{
	for (uint32_t i = s->nr_open; i-- > 0;) {
		uint64_t longest = s->open[i].longest;

		if (s->open[i].entry != call->entry)
			continue;
		s->open[i] = s->open[--s->nr_open];
		return longest;
	}
	return 0;
}

static void note_open(struct slow_places *s, const struct call *call, uint64_t longest)
{
	for (uint32_t i = 0; i < s->nr_open; i++) {
		if (s->open[i].entry != call->entry)
			continue;
		if (longest > s->open[i].longest)
			s->open[i].longest = longest;
		return;
	}
	mem_grow(&s->open, s->nr_open, &s->cap_open);
	s->open[s->nr_open].entry = call->entry;
	s->open[s->nr_open++].longest = longest;
}

/* Visit a call and all below it, leaves first, without recursion.  Return: the longest. */
static uint64_t look_at(struct slow_places *s, const struct call_tree *tree, int32_t pid,
			uint32_t number)
{
	uint32_t n = number, level = 0;
	uint64_t longest = 0;

	mem_grow(&s->longest, level, &s->cap_longest);
	s->longest[0] = 0;
	for (;;) {
		const struct call *call = call_tree_call(tree, n);

		if (call_is_call(call) && call->last) {	/* first down to its last child */
			mem_grow(&s->longest, ++level, &s->cap_longest);
			s->longest[level] = 0;
			n = call->last;
			continue;
		}
		for (;;) {
			/* it is finished, and so are the calls above whose first child it is */
			uint64_t below = 0, length;

			call = call_tree_call(tree, n);
			if (call_is_call(call) && call->last)
				below = s->longest[level + 1];
			if (call_is_call(call) && s->nr_open) {
				uint64_t gone = take_open(s, call);

				below = gone > below ? gone : below;
			}
			if (call_is_timed(call))
				add_place(s, call, pid, below);
			length = length_of(s, call);
			longest = length > below ? length : below;
			if (longest > s->longest[level])
				s->longest[level] = longest;
			if (n == number)
				return longest;
			if (call->before) {
				n = call->before;
				break;
			}
			n = call->parent;
			level--;
		}
	}
}

static void see_subtree(void *arg, const struct call_tree *tree, const struct call_task *task,
			const uint32_t *above, unsigned int nr_above, uint32_t number)
{
	struct slow_places *s = arg;
	uint64_t longest = look_at(s, tree, task->pid, number);

	for (unsigned int i = 0; i < nr_above && longest; i++)
		note_open(s, call_tree_call(tree, above[i]), longest);
}

/* --- the worker ------------------------------------------------------------------------ */

static int in_order(const void *a, const void *b)
{
	const struct slow_place *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->exit < y->exit ? -1 : x->exit > y->exit;
}

static struct call_tree *begin(void *arg, unsigned int nr)
{
	struct slow_places *s = arg;

	(void)nr;
	return call_tree_new(&(struct call_tree_options){ .local_clock = s->local,
							  .either = true,
							  .max_calls = MAX_CALLS,
							  .visitor = &s->visitor });
}

static void finish(void *arg)
{
	struct slow_places *s = arg;

	if (s->nr)
		qsort(s->places, s->nr, sizeof(*s->places), in_order);
}

static const struct call_job_ops ops = { .begin = begin, .finish = finish };

struct slow_places *slow_places_new(const struct slow_options *options)
{
	struct slow_places *s = mem_alloc(sizeof(*s));
	struct graph_reader_options how = { .scope = options->scope, .slices = options->slices };
	int64_t last;

	s->options = *options;
	s->options.max_places = options->max_places ?: MAX_PLACES;
	s->least = LEAST_NS;
	if (!trace_span(options->trace, &s->first, &last))
		s->first = INT64_MIN;
	s->visitor = (struct call_visitor){ .subtree = see_subtree, .arg = s };
	s->local = graph_clock_is_local(options->trace, options->file, options->buffer);
	how.switches = s->local;
	s->job = call_job_new(options->workers, &ops, s);
	call_job_add(s->job, graph_reader_new(options->trace, options->types, options->file,
					      options->buffer, &how));
	call_job_start(s->job);
	return s;
}

void slow_places_free(struct slow_places *s)
{
	if (!s)
		return;
	call_job_free(s->job);
	free(s->places);
	free(s->longest);
	free(s->open);
	graph_types_free(s->types);
	free(s);
}

/* --- with a trace ----------------------------------------------------------------------- */

static const char kept_key[2];		/* by wall time, by net time */

static void stop(void *places)
{
	struct slow_places *s = places;

	call_job_free(s->job);
	s->job = NULL;
}

static void free_kept(void *places)
{
	slow_places_free(places);
}

static const struct trace_keeper keeper = { stop, free_kept };

struct slow_places *slow_places_keep(struct trace *trace, unsigned int file, bool net)
{
	struct slow_places *s = trace_kept(trace, file, &kept_key[net]);
	struct slow_options options = { .trace = trace, .file = file, .net = net,
					.workers = trace_workers(trace) };
	struct graph_types *types;

	if (s)
		return s;
	if (!trace_status(trace).complete || !graph_has_calls(trace, file, &options.buffer))
		return NULL;
	options.types = types = graph_types_new(trace, file);
	if (!types)
		return NULL;
	s = slow_places_new(&options);
	s->types = types;
	trace_keep(trace, file, &kept_key[net], s, &keeper);
	return s;
}

/* --- asking ----------------------------------------------------------------------------- */

bool slow_places_are_done(const struct slow_places *s)
{
	return call_job_permille(s->job) == 1000;
}

unsigned int slow_places_permille(const struct slow_places *s)
{
	return call_job_permille(s->job);
}

uint64_t slow_places_least(const struct slow_places *s)
{
	return s->least;
}

static inline bool is_place(const struct slow_place *place, uint64_t threshold)
{
	return place->duration >= threshold && place->below < threshold;
}

uint64_t slow_places_count(const struct slow_places *s, uint64_t threshold)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < s->nr; i++)
		nr += is_place(&s->places[i], threshold);
	return nr;
}

uint64_t slow_places_mark(const struct slow_places *s, uint64_t nr)
{
	for (uint64_t mark = 1000000000; mark >= 10000; mark /= 10)
		if (slow_places_count(s, mark) >= nr)
			return mark;
	return 0;
}

void slow_places_find(const struct slow_places *s, uint64_t threshold, const struct call *call,
		      int64_t *key, trace_ref *exit)
{
	bool timed = call_is_timed(call);
	int64_t start = start_of(s, call);

	*key = start;
	*exit = timed ? call->exit : 0;
	if (start >= s->first)
		return;
	*key = s->first;
	*exit = 0;
	for (uint32_t i = 0; i < s->nr && timed; i++) {
		if (s->places[i].exit != call->exit || !is_place(&s->places[i], threshold))
			continue;
		*key = s->places[i].key;
		*exit = call->exit;
	}
}

static inline bool is_behind(const struct slow_place *place, int64_t end, trace_ref exit)
{
	return place->end != end ? place->end > end : place->exit > exit;
}

const struct slow_place *slow_places_beside(const struct slow_places *s, uint64_t threshold,
					    int64_t end, trace_ref exit, bool forward,
					    bool (*keep)(void *arg, const struct slow_place *place),
					    void *arg)
{
	const struct slow_place *best = NULL;

	for (uint32_t i = 0; i < s->nr; i++) {
		const struct slow_place *place = &s->places[forward ? i : s->nr - 1 - i];

		if (!is_place(place, threshold) || place->exit == exit ||
		    is_behind(place, end, exit) != forward ||
		    (best && is_behind(place, best->end, best->exit) == forward) ||
		    (keep && !keep(arg, place)))
			continue;
		best = place;
	}
	return best;
}

const struct slow_place *slow_places_next(const struct slow_places *s, uint64_t threshold,
					  int64_t key, trace_ref exit, bool forward)
{
	const struct slow_place here = { .key = key, .exit = exit };
	uint32_t before = bisect(s->nr, i, in_order(&s->places[i], &here) < 0);

	if (forward) {
		for (uint32_t i = before; i < s->nr; i++)
			if (is_place(&s->places[i], threshold) &&
			    in_order(&s->places[i], &here) > 0)
				return &s->places[i];
		return NULL;
	}
	while (before-- > 0)
		if (is_place(&s->places[before], threshold))
			return &s->places[before];
	return NULL;
}
