/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_slice.h"

#define SLICE_NS	10000000

enum call_slice_end call_slice_run(struct graph_reader *reader, struct call_tree *tree, struct graph_record *records,
				   const struct worker_group *group, unsigned int generation)
{
	int64_t until = workers_now_ns() + SLICE_NS;
	unsigned int nr;

	do {
		nr = graph_reader_read(reader, records, CALL_SLICE_RECORDS);
		for (unsigned int i = 0; i < nr; i++)
			call_tree_add(tree, &records[i]);
		if (workers_cancelled(group, generation))
			return CALL_SLICE_CANCELLED;
	} while (nr && workers_now_ns() < until);
	return nr ? CALL_SLICE_MORE : CALL_SLICE_DONE;
}
