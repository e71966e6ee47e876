/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/value_sets.h"

#include <stdlib.h>

#include "parsers/field.h"
#include "src/filter.h"
#include "src/filter_computed.h"
#include "src/memory.h"
#include "src/told_rows.h"
#include "src/trace_private.h"

static void free_set(struct value_set *set)
{
	filter_run_free(set->run);
	filter_free(set->asks);
	filter_set_fini(&set->numbers);
	row_set_free(set->rows);
	row_set_free(set->others);
	free(set);
}

static void free_chain(struct value_set *set)
{
	struct value_set *next;

	for (; set; set = next) {
		next = set->next;
		free_set(set);
	}
}

void value_sets_fini(struct value_sets *sets)
{
	free_chain(sets->first);
	free_chain(sets->fresh);
	sets->first = sets->fresh = NULL;
	told_rows_free(sets->told);
	sets->told = NULL;
}

static struct value_set *find(struct value_set *set, unsigned int what, const struct filter_set *numbers, bool negate)
{
	for (; set; set = set->next)
		if (!set->asks && set->what == what && set->negate == negate && filter_set_same(&set->numbers, numbers))
			return set;
	return NULL;
}

struct value_set *value_sets_want(struct value_sets *sets, unsigned int what, const struct filter_set *numbers, bool negate)
{
	struct value_set *set = find(sets->first, what, numbers, negate);

	if (!set)
		set = find(sets->fresh, what, numbers, negate);
	if (!set) {
		set = mem_alloc(sizeof(*set));
		set->what = what;
		set->negate = negate;
		filter_set_copy(&set->numbers, numbers);
		set->next = sets->fresh;
		sets->fresh = set;
	}
	atomic_fetch_add(&set->refs, 1);
	return set;
}

static struct value_set *find_computed(struct value_set *set, const struct filter *asks)
{
	for (; set; set = set->next)
		if (set->asks && filter_asks_same(set->asks, asks))
			return set;
	return NULL;
}

struct value_set *value_sets_want_computed(struct value_sets *sets, struct filter *asks)
{
	struct value_set *set = find_computed(sets->first, asks);

	if (!set)
		set = find_computed(sets->fresh, asks);
	if (set) {
		filter_free(asks);
	} else {
		set = mem_alloc(sizeof(*set));
		set->asks = asks;
		set->next = sets->fresh;
		sets->fresh = set;
	}
	atomic_fetch_add(&set->refs, 1);
	return set;
}

void value_set_drop(struct value_set *set)
{
	atomic_fetch_sub(&set->refs, 1);
}

/* --- a pass ------------------------------------------------------------------------------ */

bool value_sets_missing(const struct value_sets *sets)
{
	for (const struct value_set *set = sets->fresh; set; set = set->next)
		if (atomic_load(&set->refs))
			return true;
	for (const struct value_set *set = sets->first; set; set = set->next)
		if (atomic_load(&set->refs) && !set->building && !atomic_load(&set->done))
			return true;
	return false;
}

/* What was asked for since goes with the others; what nobody asks for any more goes away. */
static void sort_sets(struct value_sets *sets)
{
	struct value_set **at, *set;

	for (at = &sets->first; *at;)
		at = &(*at)->next;
	*at = sets->fresh;
	sets->fresh = NULL;
	for (at = &sets->first; (set = *at);) {
		if (atomic_load(&set->refs)) {
			at = &set->next;
			continue;
		}
		*at = set->next;
		free_set(set);
	}
}

bool value_sets_begin(struct value_sets *sets)
{
	bool any = false;

	sort_sets(sets);
	sets->computes = false;
	for (struct value_set *set = sets->first; set; set = set->next) {
		set->building = !atomic_load(&set->done);
		if (!set->building)
			continue;
		any = true;
		set->rows = row_set_new(sets->nr_streams);
		if (!set->asks)
			continue;
		set->run = filter_run_new(set->asks);
		sets->computes = true;
	}
	if (sets->computes)
		sets->told = told_rows_new(sets->trace);
	return any;
}

bool value_sets_ready(const struct value_sets *sets)
{
	for (const struct value_set *set = sets->first; set; set = set->next)
		if (set->building && set->asks && !filter_asks_ready(set->asks))
			return false;
	return true;
}

static void keep_shorter(struct value_set *set)
{
	struct row_set **longer;

	row_set_end(set->others);
	longer = row_set_bytes(set->others) < row_set_bytes(set->rows) ? &set->rows : &set->others;
	row_set_free(*longer);
	*longer = NULL;
}

/* A record of which something was told: who asks about its type? */
static void see_row(void *arg, trace_ref ref, const struct filter_told *told, const struct record *rec, uint32_t room)
{
	const struct value_sets *sets = arg;
	const struct trace_stream *stream = &sets->trace->streams[trace_ref_stream(ref)];
	const struct common_layout *common = &sets->trace->sources[stream->source].kinds.common;
	int type = (uint16_t)field_load(rec->data, rec->size, common->type_offset, common->type_size, stream->layout->swap);

	for (struct value_set *set = sets->first; set; set = set->next) {
		if (!set->run)
			continue;
		filter_run_stream(set->run, trace_ref_stream(ref));
		if (filter_run_told(set->run, told, ref, type, rec->data, rec->size, room, trace_clock_ts(&stream->clock, rec->ts)))
			row_set_add(set->rows, ref);
	}
}

static void end_computing(struct value_sets *sets)
{
	if (!sets->computes)
		return;
	told_rows_read(sets->told, see_row, sets);
	told_rows_free(sets->told);
	sets->told = NULL;
	sets->computes = false;
	for (struct value_set *set = sets->first; set; set = set->next) {
		if (!set->run)
			continue;
		set->cut_off = filter_run_trouble(set->run) != NULL;
		filter_run_free(set->run);
		set->run = NULL;
	}
}

void value_sets_end(struct value_sets *sets)
{
	end_computing(sets);
	for (struct value_set *set = sets->first; set; set = set->next) {
		if (!set->building)
			continue;
		row_set_end(set->rows);
		if (set->others)
			keep_shorter(set);
		atomic_store_explicit(&set->done, true, memory_order_release);
	}
}

static void forget(struct value_set *set)
{
	row_set_free(set->rows);
	row_set_free(set->others);
	filter_run_free(set->run);
	set->rows = set->others = NULL;
	set->run = NULL;
}

void value_sets_stop(struct value_sets *sets)
{
	for (struct value_set *set = sets->first; set; set = set->next) {
		if (set->building && !atomic_load(&set->done))
			forget(set);
		set->building = false;
	}
	told_rows_free(sets->told);
	sets->told = NULL;
	sets->computes = false;
}

void value_sets_restart(struct value_sets *sets)
{
	for (struct value_set *set = sets->first; set; set = set->next) {
		if (!set->building || atomic_load(&set->done))
			continue;
		forget(set);
		set->rows = row_set_new(sets->nr_streams);
		set->run = set->asks ? filter_run_new(set->asks) : NULL;
	}
	told_rows_free(sets->told);
	sets->told = sets->computes ? told_rows_new(sets->trace) : NULL;
}

static inline bool holds(const struct value_set *set, int64_t value)
{
	return filter_set_has(&set->numbers, (uint64_t)value) != set->negate;
}

void value_sets_tell(struct value_sets *sets, unsigned int what, trace_ref ref, int64_t value)
{
	for (struct value_set *set = sets->first; set; set = set->next)
		if (set->building && !set->asks && set->what == what && holds(set, value))
			row_set_add(set->rows, ref);
}

void value_sets_tell_beside(struct value_sets *sets, unsigned int what, trace_ref ref, int64_t value, int64_t other)
{
	value_sets_tell(sets, what, ref, value);
	for (struct value_set *set = sets->first; set; set = set->next) {
		if (!set->building || set->asks || set->what != what)
			continue;
		if (!set->others)
			set->others = row_set_new(sets->nr_streams);
		if (holds(set, value) != holds(set, other))
			row_set_add(set->others, ref);
	}
}

void value_sets_tell_all(struct value_sets *sets, trace_ref ref, const struct filter_told *told)
{
	if (sets->computes && told->known && told_rows_add(sets->told, ref, told))
		told_rows_read(sets->told, see_row, sets);
}

/* --- asking -------------------------------------------------------------------------------- */

bool value_set_done(const struct value_set *set)
{
	return atomic_load_explicit(&set->done, memory_order_acquire);
}

uint64_t value_set_bytes(const struct value_set *set)
{
	return sizeof(*set) + row_set_bytes(set->rows ? set->rows : set->others);
}

bool value_set_has(const struct value_set *set, trace_ref ref)
{
	return value_set_done(set) && row_set_has(set->rows, ref);
}

bool value_set_has_beside(const struct value_set *set, trace_ref ref, int64_t other)
{
	if (!value_set_done(set))
		return false;
	return set->rows ? row_set_has(set->rows, ref) : row_set_has(set->others, ref) != holds(set, other);
}

bool value_set_cut_off(const struct value_set *set)
{
	return value_set_done(set) && set->cut_off;
}
