/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_SLICE_H
#define FTOP_SRC_CALLS_CALL_SLICE_H
/*
 * call_slice - a slice of some ms of a worker's time, in which records of a buffer become calls:
 * long enough to make the overhead small, short enough for other jobs to get their turn.
 */
#include "src/calls/call_tree.h"
#include "src/calls/graph_records.h"
#include "src/base/workers.h"

#define CALL_SLICE_RECORDS	1024u	/* read at a time */

enum call_slice_end {
	CALL_SLICE_MORE,	/* its time is up */
	CALL_SLICE_DONE,	/* there are no more records */
	CALL_SLICE_CANCELLED,
};

/* @records: room for CALL_SLICE_RECORDS; @generation: of the job's group. */
enum call_slice_end call_slice_run(struct graph_reader *reader, struct call_tree *tree, struct graph_record *records,
				   const struct worker_group *group, unsigned int generation);
#endif
