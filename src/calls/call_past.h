/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_PAST_H
#define FTOP_SRC_CALLS_CALL_PAST_H
/*
 * call_past - the calls before a window of a trace that grows, without figures.  A reader of them
 * is parked where the last window began, and the next one goes on there.  So what was before a
 * window is not read again.
 *
 * One thread at a time: that of the job that counts a window (call_job_follow()).
 */
#include "src/calls/call_tree.h"

struct call_past;			/* opaque */

/* Can what was before a window of a file be parked?  Not if the file has several buffers. */
bool call_past_serves(struct trace *trace, unsigned int file, const struct graph_scope *scope);
/* @max_calls: as the trees have it that go on where it is parked (call_tree_options) */
struct call_past *call_past_new(struct trace *trace, unsigned int file, uint32_t max_calls);
void call_past_free(struct call_past *past);	/* NULL is allowed */

enum call_past_state {
	CALL_PAST_MORE,
	CALL_PAST_PARKED,
	CALL_PAST_UNSURE,		/* what follows it shows that it was something else */
};

/* Read the records with keys below @from; stop when workers_now_ns() reaches @ns. */
enum call_past_state call_past_reach(struct call_past *past, int64_t from, int64_t ns);
/* A new reader and a new tree go on where it is parked. */
void call_past_leave(const struct call_past *past, struct graph_reader *reader,
		     struct call_tree *tree);
#endif
