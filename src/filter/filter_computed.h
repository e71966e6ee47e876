/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_COMPUTED_H
#define FTOP_SRC_FILTER_COMPUTED_H
/*
 * filter_computed - tests that compute with what a model tells (`self * 2 > dur`, `wait + ran > 1ms`), as a filter of their
 * own that the model asks during its pass, while it knows the values: none is kept.  And whole filters, where they ask such
 * values and beside them what a record tells by itself (`state == sleep && next_prio < 130`, `under vfs_* && depth > 3`).
 *
 * It lives by itself: what the tests need of the filter that they come from is copied.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/filter/filter_names.h"

struct filter_run;			/* filter.h */

/* About records of one file; for filter_free(), or a model that takes it. */
struct filter *filter_asks_new(const struct filter *of, unsigned int file);

/* Ask what @of asks of the records of a type, of which nothing is asked yet. */
void filter_asks_add(struct filter *asks, const struct filter *of, int type_id, const struct filter_bound *bound);
bool filter_asks_type(const struct filter *asks, int type_id);

/*
 * All that a filter asks of a file, once it is bound, as one of these, so that what the model holds for it is its matches:
 * where it is false of records that nothing is told of, or not below a function, and the rest can be told of the record alone.
 * Else, or where what is wanted is made already, all stays as it is.  The tests in @bounds become what asks the model.
 * @bounds: [nr_ids] by id of type, NULL where there is none; @first: what is wanted from there on is of this file.
 */
void filter_ask_whole(struct filter *f, unsigned int file, const struct filter_bound **bounds, unsigned int first);

/* Do both ask the same?  Where that is not certain: false. */
bool filter_asks_same(const struct filter *a, const struct filter *b);

/*
 * May it be asked?  Other models, and processes of tasks, may have to be known first.  Any thread.  The model of a pass
 * itself never counts.
 */
bool filter_asks_ready(const struct filter *asks);

/* filter_run_match() of a record of which this was told.  The run's stream is that of the record. */
bool filter_run_told(struct filter_run *run, const struct filter_told *told, trace_ref ref, int type_id, const uint8_t *data,
		     uint32_t size, uint32_t room, int64_t ts);
#endif
