/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_CALL_SCOPE_H
#define FTOP_UI_CALL_SCOPE_H
/*
 * call_scope - filters and range as the models of calls take them.
 *
 * The filters are parsed anew: those of the stack may go at any time, while a worker has these.
 */
#include "src/calls/graph_records.h"
#include "ui/rows/shared.h"

/* @scope is empty.  Its filters are owned: call_scope_drop(), when nobody has them any more. */
void call_scope_take(struct graph_scope *scope, const struct shared *shared, bool range);
void call_scope_drop(struct graph_scope *scope);	/* empty then */

/* What a scope is of: equal keys, equal scopes.  Appended. */
void call_scope_key(const struct shared *shared, bool range, struct text *out);
#endif
