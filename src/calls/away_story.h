/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_AWAY_STORY_H
#define FTOP_SRC_CALLS_AWAY_STORY_H
/*
 * away_story - which tasks ran on a CPU while the task that had left it was off the CPU, and which
 * task woke it.  Main thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"
#include "src/calls/graph_records.h"
#include "src/trace/trace.h"

#define AWAY_WHO	3u

struct away_story {
	int		 cpu;		/* the CPU that it left */
	unsigned int	 nr;		/* tasks that ran there, the longest ones first */
	struct away_runner {
		int32_t		 pid;	/* 0 = the CPU was idle */
		uint64_t	 ns;
	}		 who[AWAY_WHO];
	bool		 cut;		/* the time was too long: covers only its beginning */
	bool		 woken;		/* the wakeup was recorded: */
	int32_t		 waker;		/* the task running there */
	int		 waker_cpu;
	uint8_t		 waker_level;	/* enum graph_level: the interrupt that woke it, if any */
	bool		 waker_unsure;	/* the trace does not tell that level */
};

struct away_options {
	struct trace	*trace;		/* borrowed, like the others */
	const struct graph_types *types;
	unsigned int	 file, buffer;
	uint32_t	 max_records;	/* records to read at most; 0 = a default of some ms */
};

/* @away: a CALL_AWAY; @from: its start, in model time. */
void away_story_tell(const struct away_options *options, const struct call *away, int64_t from,
		     struct away_story *story);
#endif
