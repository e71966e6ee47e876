/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_STACKS_STACKS_LISTS_H
#define FTOP_SRC_STACKS_STACKS_LISTS_H
/* stacks_lists - whole stacks as rows, for their view and for tables of `ftop-trace stacks`. */
#include "src/base/table_out.h"
#include "src/stacks/stacks.h"

#define STACK_ARROW	" → "		/* between the frames of a chain */

struct stack_row {
	uint64_t	total, count, all;	/* waits: in ns; events: numbers */
	const struct stack_names *names;	/* borrowed */
	uint32_t	path;
	uint32_t	first, level;	/* in a tree: the line's outermost frame; lines above it */
};

struct stack_names {			/* what names the frames */
	const struct call_paths *paths;
	struct trace	*trace;
	const char	*outermost;	/* "a.dat;": above all frames; NULL: nothing */
	bool		tree;		/* rows are frames below their callers, chains of them */
};

/* The columns of struct stack_row, without those of waits or those of events. */
struct table_columns stack_columns(bool of_events);

/* Were only stacks of events recorded, and none of waits? */
bool stacks_are_of_events(struct trace *trace, unsigned int file);

/* Append the rows of all stacks, the heaviest first.  Return: their number; *rows is for free(). */
uint32_t stack_rows(const struct stack_names *names, struct stack_row **rows);
#endif
