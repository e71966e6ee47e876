/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_silence.h"

static void see_time(struct call_silence *longest, uint64_t from, uint64_t to, uint16_t stream)
{
	if (from < to && to - from > longest->to - longest->from)
		*longest = (struct call_silence){ from, to, stream };
}

/* Where a row ends.  @next: where the rows after it begin; a call without times may last so long */
static uint64_t end_of(const struct call *row, uint64_t next)
{
	if (call_is_timed(row) || row->kind == CALL_AWAY)
		return row->end;
	return row->kind == CALL_EVENT ? row->start : next;
}

struct call_silence call_silence_find(const struct call_tree *tree, const struct call *call)
{
	struct call_silence longest = { 0 };
	uint64_t next = call->end;

	for (uint32_t n = call->last; n; n = call_tree_call(tree, n)->before) {
		const struct call *row = call_tree_call(tree, n);

		see_time(&longest, end_of(row, next), next,
			 row->kind == CALL_EVENT ? row->stream_in : row->stream_out);
		next = row->start < next ? row->start : next;
	}
	see_time(&longest, call->start, next,
		 call->kind == CALL_ORPHAN ? call->stream_out : call->stream_in);
	return longest;
}
