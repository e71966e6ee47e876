/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_SILENCE_H
#define FTOP_SRC_CALLS_CALL_SILENCE_H
/*
 * call_silence - times in which a CPU recorded nothing while a call ran on it: the function itself
 * took them, or the machine stood still.
 */
#include "src/calls/call_tree.h"

struct call_silence {
	uint64_t	 from, to;	/* raw stamps; equal: there is none */
	uint16_t	 stream;	/* of the CPU */
};

/*
 * The longest one in the call's own time.  The tree holds all records of the task, and its times
 * off the CPU are known: then each record of a CPU on which the call runs is below the call.
 */
struct call_silence call_silence_find(const struct call_tree *tree, const struct call *call);
#endif
