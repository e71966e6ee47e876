/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_GRAPH_RECORDS_PRIVATE_H
#define FTOP_SRC_CALLS_GRAPH_RECORDS_PRIVATE_H
/* graph_records_private - what graph_types.c finds out about a file, for graph_records.c. */
#include "src/calls/graph_records.h"
#include "src/trace/trace_streams.h"

#define GRAPH_NR_TYPES	65536u

/* What a type's records are read for. */
enum graph_read_kind {
	READ_NOTHING, READ_ENTRY, READ_RETADDR_ENTRY, READ_EXIT, READ_SWITCH, READ_WAKEUP,
	READ_FUNCTION, READ_REPEATS, READ_STACK, READ_MARKER,
	READ_IN_SOFTIRQ, READ_SOFTIRQ_ENTRY, READ_SOFTIRQ_EXIT,
	READ_IN_IRQ, READ_IRQ_ENTRY, READ_IRQ_EXIT,	/* IN: where flags do not tell it */
	READ_EVENT
};

struct graph_field {				/* a number in a record */
	uint16_t	offset;
	uint8_t		size;
	bool		is_signed;
};

struct graph_call_fields {
	struct graph_field	func, depth, call, ret;
};

struct graph_types {
	uint8_t		 kinds[GRAPH_NR_TYPES];	/* enum graph_read_kind by common_type */
	struct graph_call_fields entry, retaddr_entry, exit;
	struct graph_field	 prev_pid, next_pid;
	struct graph_field	 woken_pid;		/* only types with this offset are read */
	uint64_t	 irq_start, irq_bytes;	/* code range of interrupt entry functions, */
	uint64_t	 softirq_start, softirq_bytes;	/* and of those of softirqs */
	struct graph_field	 ip, parent_ip;		/* fields of `function` records */
	struct graph_field	 repeated_ip, repeated_parent_ip, repeats;
	struct graph_field	 frames;		/* the addresses of stack traces: where the
							   first one is, and the size of one */
	bool		 has_markers;
	const struct event_field *marker;	/* the text of markers; NULL: of a text trace */
	const struct kallsyms *symbols;		/* borrowed; or NULL */
};
#endif
