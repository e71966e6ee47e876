/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_GRAPH_RECORDS_H
#define FTOP_SRC_CALLS_GRAPH_RECORDS_H
/*
 * graph_records - the input of the call tree: the function_graph records of one buffer, its
 * switches between tasks and its interrupts, as plain numbers, in the order of report.  Records of
 * the tracer `function` are entries whose depth is inferred (call_guess.h).
 *
 * Sub-buffers are read and decoded here without a cursor: an unwanted record costs a table look-up.
 * Knows nothing of calls (call_tree.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct filter;
struct graph_types;			/* opaque: field offsets of a file's records; immutable */
struct graph_reader;			/* opaque: for one thread */

enum graph_kind {
	GRAPH_ENTRY,			/* a function was called */
	GRAPH_EXIT,			/* it returned; has both times, or ret is 0: unknown */
	GRAPH_SLICE,			/* a slice of the task begins (trace_marker.h) */
	GRAPH_SLICE_END,		/* its innermost slice ends */
	GRAPH_AWAY,			/* the task left its CPU (sched_switch) */
	GRAPH_BACK,			/* the task was switched to */
	GRAPH_WOKEN,			/* it became runnable: sched_waking, sched_wakeup(_new) */
	GRAPH_GAP,			/* events were lost on this CPU after its last record */
	GRAPH_LOST,			/* end of that gap: the CPU's next record follows */
	GRAPH_IRQ_BEGIN,		/* an interrupt begins, by an event of its own, */
	GRAPH_IRQ_END,			/* and ends */
	GRAPH_IRQ,			/* another event that was recorded in one */
	GRAPH_EVENT,			/* any other event of the task */
};

/* Levels of execution: a higher level interrupts lower ones. */
enum graph_level { GRAPH_TASK, GRAPH_SOFTIRQ, GRAPH_HARDIRQ, GRAPH_NMI };

static inline enum graph_level graph_level_of(unsigned int flags)	/* common_flags */
{
	return (enum graph_level)trace_context_level(flags);
}

struct graph_record {
	int64_t		 key;		/* its place in the order, model time: see trace.h */
	uint64_t	 ts;		/* raw */
	uint64_t	 func;		/* ENTRY, EXIT, SLICE: address */
	union {
		uint64_t	 call;	/* EXIT: calltime, in ns of the local clock; SLICE,
					 * SLICE_END: its time, in ns; GAP,
					 * LOST: raw stamp of the record before it, or 0 */
		uint64_t	 caller;	/* inferred ENTRY: address of the call */
	};
	union {
		uint64_t	 ret;	/* EXIT: rettime; GAP, LOST: the record after it */
		uint64_t	 calls;	/* inferred ENTRY: number of calls it stands for */
	};
	trace_ref	 ref;
	int32_t		 pid;		/* pid of the task concerned; GAP, LOST: -1 */
	int32_t		 depth;		/* ENTRY, EXIT */
	uint16_t	 stream;
	uint8_t		 kind;		/* enum graph_kind */
	uint8_t		 level;		/* ENTRY, EXIT, SLICE, IRQs: enum graph_level */
	bool		 wanted;	/* all of these and EVENT: in the scope */
	bool		 inferred;	/* ENTRY of the tracer `function`: has no exit */
	bool		 lone;		/* EXIT: graph_lacks_entries() */
	bool		 event;		/* SLICE_END: an event, if there is no slice to end */
};

static inline bool graph_is_loss(const struct graph_record *record)
{
	return record->kind == GRAPH_GAP || record->kind == GRAPH_LOST;
}

/**
 * graph_types_new() - find the fields of a file's records
 *
 * Return: NULL if the file has the formats of neither function_graph nor function records, nor of
 * what is written to trace_marker.
 */
struct graph_types *graph_types_new(struct trace *trace, unsigned int file);
void graph_types_free(struct graph_types *types);	/* NULL is allowed */

/* Are there calls, as far as counted?  *buffer: the first with calls, preferably timed ones. */
bool graph_has_calls(struct trace *trace, unsigned int file, unsigned int *buffer);

/* Are there trees: of calls, or else of slices?  Looks only at a few sub-buffers. */
bool graph_has_trees(struct trace *trace, unsigned int file, unsigned int *buffer);
bool graph_buffer_has_trees(struct trace *trace, unsigned int file, unsigned int buffer);

/*
 * Were exits recorded, and no entries at all?  tracing_thresh does so, of calls that take longer;
 * where an exit is of a call that took less than 1 µs, entries were lost instead.
 * While the trace is not counted, its first pages tell.
 */
bool graph_lacks_entries(struct trace *trace, unsigned int file, unsigned int buffer);
/* A sentence on it, if that is so in a buffer; or NULL. */
const char *graph_slow_alone(struct trace *trace, unsigned int file);

/* Are calls timed by the buffer's own clock?  Only then may they be compared with stamps. */
bool graph_clock_is_local(const struct trace *trace, unsigned int file, unsigned int buffer);

/*
 * Are there switches between tasks, as far as counted, and such a clock?  Elsewhere time off the
 * CPU is not known: calls have no net time, and self contains it.
 */
#define GRAPH_SELF_AND_AWAY	"self+off"	/* the title of self then */
bool graph_tells_away(struct trace *trace, unsigned int file, unsigned int buffer);
/* what to say where net exists, and interrupts are recorded neither as calls nor as events */
#define GRAPH_NET_HAS_IRQS	"no interrupt was recorded: net contains those that there were"
/* "net time needs sched_switch (record -e sched_switch)": where a file has none */
const char *graph_net_needs(const struct trace *trace, unsigned int file);

/* Does a buffer have a format of switches between tasks, stamped by the clock that times calls? */
bool graph_knows_away(struct trace *trace, unsigned int file, unsigned int buffer);

#define GRAPH_FILTERS	16u

/* Selects calls: their exits (or their entries, if they have no exit) must match all of this. */
struct graph_scope {
	bool		 has_from, has_to;
	int64_t		 from, to;	/* model time, both included */
	bool		 outside;	/* select what is outside of [from, to] */
	const bool	*cpus;		/* [nr_cpus]; NULL = all */
	unsigned int	 nr_cpus;
	const struct filter *filters[GRAPH_FILTERS]; /* [nr_filters] all must match */
	unsigned int	 nr_filters;
};

struct graph_reader_options {
	const struct graph_scope *scope; /* must outlive the reader; NULL: all is wanted */
	bool		 slices;	/* return GRAPH_SLICE and GRAPH_SLICE_END */
	bool		 events;	/* return GRAPH_EVENT */
	bool		 switches;	/* return GRAPH_AWAY, GRAPH_BACK and GRAPH_IRQs, for net */
	bool		 wakeups;	/* return GRAPH_WOKEN */
	bool		 by_pid;	/* only this task's records, as far as that saves reading */
	int32_t		 pid;
	int		 cpu;		/* by_pid, of pid 0: the CPU it idles on */
	bool		 parks;		/* reads up to where graph_reader_go_on() says */
};

/* Starts at the beginning of the buffer. */
struct graph_reader *graph_reader_new(struct trace *trace, const struct graph_types *types,
				      unsigned int file, unsigned int buffer,
				      const struct graph_reader_options *options);
void graph_reader_free(struct graph_reader *reader);	/* NULL is allowed */

/* Continue at the first record with a key of at least @ts.  Main thread. */
void graph_reader_seek(struct graph_reader *reader, int64_t ts);

/* Begin at @from, and end after the last record with a key of at most @to. */
void graph_reader_window(struct graph_reader *reader, int64_t from, int64_t to);

/*
 * A reader that parks continues with what the trace has grown by, up to the first record whose key
 * is not below @until.  It must have been read to its former @until.  False: it is there already,
 * and the trace has not grown.
 */
bool graph_reader_go_on(struct graph_reader *reader, int64_t until);
/*
 * May it continue to @until?  False: it is past that; or a reader that begins now would read
 * something else, since sub-buffers were dropped, or events lost after records that were the last.
 */
bool graph_reader_serves(const struct graph_reader *reader, int64_t until);
/* A new reader of the same buffer continues where a parked one is. */
void graph_reader_follow(struct graph_reader *reader, const struct graph_reader *parked);

/* Read the next records in order, at most @max.  Return: their number; 0 at the end. */
unsigned int graph_reader_read(struct graph_reader *reader, struct graph_record *records,
			       unsigned int max);

uint64_t graph_reader_bytes(const struct graph_reader *reader);	/* read so far, for progress */
uint64_t graph_reader_all_bytes(const struct graph_reader *reader); /* total */
/* sub-buffers that could not be read completely */
uint64_t graph_reader_damaged(const struct graph_reader *reader);
#endif
