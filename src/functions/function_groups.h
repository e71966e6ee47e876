/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTIONS_FUNCTION_GROUPS_H
#define FTOP_SRC_FUNCTIONS_FUNCTION_GROUPS_H
/* function_groups - the groups of tasks whose calls are counted apart: processes, cgroups, ... */
#include "src/calls/call_tree.h"
#include "src/trace/groupings.h"

struct function_groups;			/* opaque */

/* @by: not by class, of which calls tell nothing. */
struct function_groups *function_groups_new(struct trace *trace, unsigned int file,
					    enum grouping by);
void function_groups_free(struct function_groups *groups);	/* NULL is allowed */

/* The group of a task in a span of time, both ends included, as the one who asks keeps it. */
struct function_member {
	int64_t		from, to;
	int		pid;
	uint32_t	group;
	bool		known;		/* the rest is set */
};

/*
 * The group of the task of a call, when the call ended; of one without an exit, when it began.  Or
 * that of interrupts.  @member: of any task, of an earlier call or zeroed; is set to this one.  Any
 * thread.
 */
uint32_t function_groups_of(struct function_groups *groups, const struct call_tree *tree, int pid,
			    const struct call *call, struct function_member *member);

/* Raw bytes of the trace; borrowed. */
const char *function_groups_name(const struct function_groups *groups, uint32_t group);
#endif
