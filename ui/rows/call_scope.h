/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_CALL_SCOPE_H
#define FTOP_UI_ROWS_CALL_SCOPE_H
/*
 * call_scope - filters and range in the form that the call models take.
 *
 * The filters are parsed again: the stack may drop its own while a worker still uses these.
 */
#include "src/calls/graph_records.h"
#include "src/match/event_sweep.h"
#include "ui/rows/shared.h"

/*
 * @scope must be empty.  It owns its filters: free them with call_scope_drop() after their last
 * use.
 */
void call_scope_take(struct graph_scope *scope, const struct shared *shared, bool range);
void call_scope_drop(struct graph_scope *scope);	/* leaves it empty */
/* What a sweep over a file's events then reads.  It borrows the filters. */
struct event_sweep_options call_scope_sweep(const struct graph_scope *scope, unsigned int file);

/* Appends a key of filters and range: equal keys mean equal scopes. */
void call_scope_key(const struct shared *shared, bool range, struct text *out);
/* Makes @key that of filters and range.  True: it was another one. */
bool call_scope_changed(const struct shared *shared, struct text *key);
#endif
