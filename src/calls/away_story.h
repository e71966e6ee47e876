/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_AWAY_STORY_H
#define FTOP_SRC_AWAY_STORY_H
/*
 * away_story - who ran on the CPU that a task had left, while it was off the CPU, and who
 * woke it.  Main thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"
#include "src/calls/graph_records.h"
#include "src/trace/trace.h"

#define AWAY_WHO	3u

struct away_story {
	int		 cpu;		/* that it left */
	unsigned int	 nr;		/* who ran there, the longest first; others are left out */
	struct {
		int32_t		 pid;	/* 0: nobody, the CPU idled */
		uint64_t	 ns;
	} who[AWAY_WHO];
	bool		 cut;		/* it lasted too long to look at all of it: this is its beginning */
	bool		 woken;		/* that was recorded: */
	int32_t		 waker;		/* who ran there then */
	int		 waker_cpu;
	uint8_t		 waker_level;	/* enum graph_level: an interrupt of it, if that is none of its own */
};

struct away_options {
	struct trace	*trace;		/* borrowed, as the others */
	const struct graph_types *types;
	unsigned int	 file, buffer;
	uint32_t	 max_records;	/* that are looked at; 0 = a default of some ms */
};

/* @away: a CALL_AWAY; @from: its start, in model time. */
void away_story_tell(const struct away_options *options, const struct call *away, int64_t from, struct away_story *story);
#endif
