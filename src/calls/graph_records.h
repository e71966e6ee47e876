/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_GRAPH_RECORDS_H
#define FTOP_SRC_GRAPH_RECORDS_H
/*
 * graph_records - what the call tree is made of: the function_graph records of one
 * buffer and its switches between tasks, as plain numbers, in the order of report.
 * Records of the tracer `function` are entries whose depth is inferred (call_guess.h).
 *
 * Sub-buffers are read and decoded here without a cursor: a record of which nothing
 * is asked costs a table look-up.  Knows nothing of calls (call_tree.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct filter;
struct graph_types;			/* opaque: where the numbers lie in the records of a file; immutable */
struct graph_reader;			/* opaque: one thread's */

enum graph_kind {
	GRAPH_ENTRY,			/* a function was called */
	GRAPH_EXIT,			/* and returned: with both times */
	GRAPH_AWAY,			/* the task left its CPU (sched_switch) */
	GRAPH_BACK,			/* it came to one */
	GRAPH_WOKEN,			/* it is to run again: sched_waking, sched_wakeup(_new) */
	GRAPH_LOST,			/* events were lost on this CPU before its next record */
	GRAPH_EVENT,			/* any other event of the task */
};

/* What runs: a call of a higher level interrupts those of lower ones. */
enum graph_level { GRAPH_TASK, GRAPH_SOFTIRQ, GRAPH_HARDIRQ, GRAPH_NMI };

struct graph_record {
	int64_t		 key;		/* its place in the order, model time: see trace.h */
	uint64_t	 ts;		/* raw */
	uint64_t	 func;		/* ENTRY, EXIT: address */
	union {
		uint64_t	 call;	/* EXIT: calltime, in ns of the local clock */
		uint64_t	 caller;	/* inferred ENTRY: address that it was called from */
	};
	union {
		uint64_t	 ret;	/* EXIT: rettime, the same */
		uint64_t	 calls;	/* inferred ENTRY: that it stands for */
	};
	trace_ref	 ref;
	int32_t		 pid;		/* of the task it is about; LOST: -1 */
	int32_t		 depth;		/* ENTRY, EXIT */
	uint16_t	 stream;
	uint8_t		 kind;		/* enum graph_kind */
	uint8_t		 level;		/* ENTRY, EXIT: enum graph_level */
	bool		 wanted;	/* ENTRY, EXIT, EVENT: it is in the scope asked for */
	bool		 inferred;	/* ENTRY: of the tracer `function`: no exit comes */
};

/**
 * graph_types_new() - find the fields of a file's records
 *
 * Return: NULL if the file knows neither function_graph nor function records.
 */
struct graph_types *graph_types_new(struct trace *trace, unsigned int file);
void graph_types_free(struct graph_types *types);	/* NULL is allowed */

/* Does a file hold calls, as far as it was counted?  *buffer: the first one that does; with times, if there are some. */
bool graph_has_calls(struct trace *trace, unsigned int file, unsigned int *buffer);

bool graph_buffer_has_calls(struct trace *trace, unsigned int file, unsigned int buffer);	/* does this one? */

/* Are the times of calls those of the buffer's own clock?  Only then they can be compared with stamps. */
bool graph_clock_is_local(const struct trace *trace, unsigned int file, unsigned int buffer);

#define GRAPH_FILTERS	16u

/* Which calls count: their exits (entries of those without one) must be of all this. */
struct graph_scope {
	bool		 has_from, has_to;
	int64_t		 from, to;	/* model time, both included */
	bool		 outside;	/* all but what they are from and to */
	const bool	*cpus;		/* [nr_cpus]; NULL = all */
	unsigned int	 nr_cpus;
	const struct filter *filters[GRAPH_FILTERS]; /* [nr_filters] all of these must match */
	unsigned int	 nr_filters;
};

struct graph_reader_options {
	const struct graph_scope *scope; /* NULL: all is wanted; else it must live as long as the reader */
	bool		 events;	/* GRAPH_EVENT is asked for */
	bool		 switches;	/* GRAPH_AWAY and GRAPH_BACK are */
	bool		 wakeups;	/* GRAPH_WOKEN is */
	bool		 by_pid;	/* records of this task only, as far as that saves reading */
	int32_t		 pid;
	int		 cpu;		/* by_pid, of pid 0: the CPU it idles on */
};

/* Begins at the start of the buffer. */
struct graph_reader *graph_reader_new(struct trace *trace, const struct graph_types *types, unsigned int file,
				      unsigned int buffer, const struct graph_reader_options *options);
void graph_reader_free(struct graph_reader *reader);	/* NULL is allowed */

/* Begin with the first record with a key of at least @ts.  Main thread. */
void graph_reader_seek(struct graph_reader *reader, int64_t ts);

/* The next records in the order, at most @max.  Return: how many; 0: no more. */
unsigned int graph_reader_read(struct graph_reader *reader, struct graph_record *records, unsigned int max);

uint64_t graph_reader_bytes(const struct graph_reader *reader);	/* looked at so far, for progress */
uint64_t graph_reader_all_bytes(const struct graph_reader *reader); /* that there are */
uint64_t graph_reader_damaged(const struct graph_reader *reader); /* sub-buffers that could not be read to their ends */
#endif
