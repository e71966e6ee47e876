/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/derived_values.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

/* --- requests ------------------------------------------------------------------------------ */

static void discard(struct derived_value *v)
{
	value_column_free(v->column);
	for (unsigned int i = 0; i < v->nr_spans; i++)
		time_spans_free(v->spans[i]);
	free(v->spans);
	v->column = NULL;
	v->spans = NULL;
	v->nr_spans = v->cap_spans = 0;
	v->full = false;
}

static void free_value(struct derived_value *v)
{
	discard(v);
	filter_set_fini(&v->functions);
	free(v);
}

static void free_chain(struct derived_value *v)
{
	for (struct derived_value *next; v; v = next) {
		next = v->next;
		free_value(v);
	}
}

void derived_values_init(struct derived_values *values, struct trace *trace)
{
	*values = (struct derived_values){
		.trace = trace, .limit = mem_installed() / 8 / trace_nr_files(trace)
	};
}

void derived_values_fini(struct derived_values *values)
{
	free_chain(values->first);
	free_chain(values->fresh);
}

/* One that is being made serves, too: no pass makes a value twice. */
static struct derived_value *find(struct derived_value *v, unsigned int number,
				  const struct filter_set *functions, int64_t end)
{
	while (v && !(v->number == number && (v->end == end || !derived_value_done(v)) &&
		      filter_set_same(&v->functions, functions)))
		v = v->next;
	return v;
}

struct derived_value *derived_values_want(struct derived_values *values, unsigned int number,
					  const struct filter_set *functions)
{
	const struct filter_set none = { .nr = 0 };
	int64_t end = trace_end(values->trace);
	struct derived_value *v;

	functions = functions ?: &none;
	v = find(values->first, number, functions, end);
	v = v ?: find(values->fresh, number, functions, end);
	if (!v) {
		v = mem_alloc(sizeof(*v));
		v->number = number;
		v->end = end;
		filter_set_copy(&v->functions, functions);
		v->next = values->fresh;
		values->fresh = v;
	}
	atomic_fetch_add(&v->refs, 1);
	return v;
}

void derived_value_drop(struct derived_value *v)
{
	atomic_fetch_sub(&v->refs, 1);
}

bool derived_values_missing(const struct derived_values *values)
{
	for (const struct derived_value *v = values->fresh; v; v = v->next)
		if (atomic_load(&v->refs))
			return true;
	for (const struct derived_value *v = values->first; v; v = v->next)
		if (atomic_load(&v->refs) && !v->building && !derived_value_done(v))
			return true;
	return false;
}

/* --- a pass --------------------------------------------------------------------------------- */

/* Merge new requests with the others, and free those without references. */
static void sort_requests(struct derived_values *values)
{
	struct derived_value **at, *v;

	for (at = &values->first; *at;)
		at = &(*at)->next;
	*at = values->fresh;
	values->fresh = NULL;
	for (at = &values->first; (v = *at);) {
		if (atomic_load(&v->refs)) {
			at = &v->next;
			continue;
		}
		*at = v->next;
		free_value(v);
	}
}

static uint64_t bytes_of(const struct derived_value *v)
{
	uint64_t bytes = sizeof(*v) + (v->column ? value_column_bytes(v->column) : 0);

	for (unsigned int i = 0; i < v->nr_spans; i++)
		bytes += time_spans_bytes(v->spans[i]);
	return bytes;
}

void derived_values_restart(struct derived_values *values)
{
	memset(values->columns, 0, sizeof(values->columns));
	for (struct derived_value *v = values->first; v; v = v->next) {
		if (!v->building)
			continue;
		discard(v);
		if (!v->functions.nr)
			values->columns[v->number] = v->column = value_column_new(values->trace,
										  values->share);
	}
}

bool derived_values_begin(struct derived_values *values)
{
	uint64_t room = values->limit, nr = 0;

	sort_requests(values);
	for (struct derived_value *v = values->first; v; v = v->next) {
		uint64_t held = derived_value_done(v) ? bytes_of(v) : 0;

		v->building = !derived_value_done(v);
		nr += v->building;
		room -= held < room ? held : room;
	}
	values->share = nr ? room / nr : 0;
	derived_values_restart(values);
	return nr;
}

void derived_values_stop(struct derived_values *values)
{
	for (struct derived_value *v = values->first; v; v = v->next) {
		if (v->building && !derived_value_done(v))
			discard(v);
		v->building = false;
	}
}

void derived_values_end(struct derived_values *values)
{
	for (struct derived_value *v = values->first; v; v = v->next) {
		if (!v->building)
			continue;
		if (v->column) {
			value_column_end(v->column);
			v->full = value_column_is_full(v->column);
		}
		for (unsigned int i = 0; i < v->nr_spans; i++)
			time_spans_end(v->spans[i]);
		atomic_store_explicit(&v->done, true, memory_order_release);
	}
}

void derived_values_drop(struct derived_values *values, unsigned int number, unsigned int file,
			 unsigned int buffer)
{
	struct value_column *column = values->columns[number];

	for (unsigned int i = 0; column && i < trace_nr_streams(values->trace); i++) {
		const struct trace_stream *stream = trace_stream_at(values->trace, i);

		if (stream->source == file && stream->buffer == buffer)
			value_column_drop(column, i);
	}
}

struct time_spans *derived_value_add_spans(struct derived_value *v)
{
	mem_grow_from(&v->spans, v->nr_spans, &v->cap_spans, 1);
	return v->spans[v->nr_spans++] = time_spans_new();
}

void derived_value_look(struct derived_value *v, const struct derived_values *values)
{
	v->full |= bytes_of(v) >= values->share;
}

/* --- asking --------------------------------------------------------------------------------- */

uint64_t derived_value_bytes(const struct derived_value *v)
{
	unsigned int refs = atomic_load(&v->refs);

	return bytes_of(v) / (refs ? refs : 1);
}

/*
 * The state for a column or spans.  @lane: moments that come in order, with one state for every
 * other page: filters look at two pages side by side (match_scan.c).
 */
static struct derived_seen *seen_at(struct derived_seen *all, const void *of, trace_ref ref,
				    uint64_t lane)
{
	uint64_t hash = (uintptr_t)of / 64 * 7 + lane * 2 + trace_ref_page(ref) % 2;
	struct derived_seen *seen = &all[hash % DERIVED_SEEN];

	if (seen->of != of)
		*seen = (struct derived_seen){ .of = of };
	return seen;
}

bool derived_value_find(const struct derived_value *v, struct derived_seen *seen, trace_ref ref,
			int64_t *number)
{
	return derived_value_done(v) &&
	       value_column_find(v->column,
				 &seen_at(seen, v->column, ref, trace_ref_stream(ref))->column, ref,
				 number);
}

bool derived_value_covers(const struct derived_value *v, struct derived_seen *seen, trace_ref ref,
			  uint64_t task, int64_t ts)
{
	if (!derived_value_done(v))
		return false;
	for (unsigned int i = 0; i < v->nr_spans; i++)
		if (time_spans_near(v->spans[i], &seen_at(seen, v->spans[i], ref, task)->spans,
				    task, ts))
			return true;
	return false;
}
