/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_COMPUTED_H
#define FTOP_SRC_FILTER_FILTER_COMPUTED_H
/*
 * filter_computed - tests that compute with a model's values (`self * 2 > dur`, `wait + ran >
 * 1ms`), as separate filters that the model evaluates during its pass, while it knows the values:
 * no value is stored.  Also whole filters, if they use such values together with data of the record
 * (`state == sleep && next_prio < 130`, `under vfs_* && depth > 3`).
 *
 * Such a filter is independent: what its tests need from the original filter is copied.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/filter/filter_names.h"

struct filter_run;			/* filter.h */

/* A filter on records of one file; freed by filter_free(), or by the model that takes it. */
struct filter *filter_asks_new(const struct filter *of, unsigned int file);

/* Add the test of @of for the records of a type, which must not have one yet. */
void filter_asks_add(struct filter *asks, const struct filter *of, int type_id,
		     const struct filter_bound *bound);
bool filter_asks_type(const struct filter *asks, int type_id);

/*
 * Turn all that a bound filter tests in a file into one such filter, so that the model's result is
 * the filter's matches.  Possible if it is false for records without a value (or not below a
 * function), and everything else can be tested on the record itself.  Otherwise, or if the wanted
 * sets already exist, nothing changes.  The tests in @bounds are replaced by questions for the
 * model.
 * @bounds: [nr_ids] by id of type, NULL = none; @first: the wanted sets from there on are of this
 *        file.
 */
void filter_ask_whole(struct filter *f, unsigned int file, const struct filter_bound **bounds,
		      unsigned int first);

/* Are both filters the same?  May return false although they are. */
bool filter_asks_same(const struct filter *a, const struct filter *b);

/*
 * Can it be evaluated?  Other models, and tgids of tasks, may have to be ready first; the model of
 * the pass itself does not count.  Any thread.
 */
bool filter_asks_ready(const struct filter *asks);

/*
 * filter_run_match() for a record with these values.  The run must be set to the record's stream.
 */
bool filter_run_told(struct filter_run *run, const struct filter_told *told, trace_ref ref,
		     int type_id, const uint8_t *data, uint32_t size, uint32_t room, int64_t ts);
#endif
