/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_TELL_H
#define FTOP_SRC_CALLS_CALL_TELL_H
/* call_tell - warnings of commands about the calls that they print. */
#include "src/calls/graph_records.h"

struct call_told {			/* what is printed */
	bool		any;		/* calls were found */
	bool		inferred;	/* they are of the tracer `function` */
	bool		has_away;	/* times off the CPU are known, */
	bool		has_irqs;	/* and interrupts */
	bool		gap_cut;		/* durations leave out time off the CPU */
};

/*
 * Report on stderr what the figures do not show: why they contain no call (the window, a filter
 * that cannot match), or what is not known of the calls. @scope: NULL: all calls.
 */
void call_tell(struct trace *trace, const struct graph_scope *scope, struct call_told told);
#endif
