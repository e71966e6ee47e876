/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TRACE_STREAMS_H
#define FTOP_SRC_TRACE_TRACE_STREAMS_H
/*
 * trace_streams - the files and streams of a trace, for the models that read records themselves:
 * layout, clock and directory of a stream, types and tasks of a file, and cursors over one stream.
 * ui/ and the text commands only need trace.h.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "parsers/types/comm_table.h"
#include "parsers/pages/cursor.h"
#include "parsers/types/event_types.h"
#include "parsers/pages/page_scan.h"
#include "parsers/printer/printer.h"
#include "parsers/types/machine.h"
#include "parsers/types/who_table.h"
#include "src/base/time_math.h"
#include "src/base/workers.h"
#include "src/trace/trace.h"

#define TRACE_TEXT_RESOLUTION	1000	/* ns: the kernel's text has whole µs */

/* Converts a stream's raw stamps to model time. */
struct trace_clock {
	bool		 plain;		/* model time = raw + offset */
	int64_t		 offset;	/* DATE + OFFSET + trace_options.offsets; added last */
	uint32_t	 step;		/* text traces: a smaller difference of raw stamps only
					 * tells the order; 0 = all digits are time */
	uint32_t	 mult, shift;	/* TSC2NSEC; mult 0 = none */
	const struct trace_time_shift *sync;	/* TIME_SHIFT of this CPU, or NULL */
	bool		 interpolate;
	uint64_t	*floors;	/* owned, [sync->nr]: lowest key of a segment (before
					 * TSC2NSEC) */
};

/* The kernel's counts for the whole recording; 0 = not in the file.  See trace_losses.c. */
struct told_losses {
	uint64_t	 overrun;	/* overwritten: sub-buffers are marked */
	uint64_t	 unmarked;	/* lost without a mark */
	uint64_t	 read, in_ring;	/* in_ring: not read when it was asked */
	uint64_t	 unread;	/* of in_ring: what was never read */
	bool		 is_cut, is_extract;
	bool		 has_first;	/* the first sub-buffer is marked */
	uint64_t	 first_count;	/* as its mark tells; 0: not told */
};

struct trace_stream {
	unsigned int	 source;	/* file */
	unsigned int	 number;	/* index of the stream in the file */
	unsigned int	 buffer;
	int		 cpu;
	const struct sub_buffer_layout *layout;
	struct trace_clock clock;
	struct page_index index;
	/* From its first and last page, read on opening. */
	atomic_bool	 has_events;	/* passes ask it while the trace grows */
	int64_t		 first_ts, last_ts;
	uint64_t	 first_key;	/* of its first row of any kind; 0: not known */
	uint32_t	 sample_rows, sample_events;	/* in the first page, for estimates */
	struct told_losses told;
};

/* One file. */
struct trace_source {
	struct source	*file;
	struct event_types	*types;
	struct printer		*printer;	/* created on first use */
	struct record_text	*texts;		/* created on first use */
	struct comm_table	*comms;
	struct tgid_table	*tgids;
	struct who_table	*who;
	struct machine		machine;
	struct page_kinds	 kinds;
	unsigned int		 first_stream, nr_streams;	/* in the model */
	int64_t			 offset;	/* the file's entry in trace_options.offsets */
	bool			 lazy_resched;	/* see trace_event */
	bool			 is_lines;	/* a text trace */
	struct trace_source_own	*own;		/* owned */
};

/* Stream @i, below trace_nr_streams().  Borrowed, valid until the trace is closed. */
struct trace_stream *trace_stream_at(const struct trace *trace, unsigned int i);
/* File @file, below trace_nr_files().  Borrowed, valid until the trace is closed. */
struct trace_source *trace_source_at(const struct trace *trace, unsigned int file);

/* --- time ----------------------------------------------------------------------- */
/* Time to show.  Saturates at the ends of int64. */
int64_t trace_clock_slow_ts(const struct trace_clock *clock, uint64_t raw);
/* Time to order by: the same, but it never decreases where a correction of the file would. */
int64_t trace_clock_slow_key(const struct trace_clock *clock, uint64_t raw);
/* The smallest raw stamp with a key of at least @ts; *above: all keys are smaller. */
uint64_t trace_clock_bound(const struct trace_clock *clock, int64_t ts, bool *above);

static inline int64_t trace_clock_add(uint64_t raw, int64_t offset)
{
	return time_after(raw > INT64_MAX ? INT64_MAX : (int64_t)raw, offset);
}

static inline int64_t trace_clock_ts(const struct trace_clock *clock, uint64_t raw)
{
	return clock->plain ? trace_clock_add(raw, clock->offset) : trace_clock_slow_ts(clock, raw);
}

static inline int64_t trace_clock_key(const struct trace_clock *clock, uint64_t raw)
{
	return clock->plain ? trace_clock_add(raw, clock->offset) :
			      trace_clock_slow_key(clock, raw);
}

/* The model time of a stream's raw stamp. */
static inline int64_t trace_stream_ts(const struct trace *trace, unsigned int stream, uint64_t raw)
{
	return trace_clock_ts(&trace_stream_at(trace, stream)->clock, raw);
}

/* --- the directory -------------------------------------------------------------- */
/* Number of sub-buffers that a stream has now. */
uint64_t trace_stream_pages(const struct trace *trace, const struct trace_stream *stream);
/*
 * Have @listener called with @arg, by any thread, whenever the directory grew.  NULL: stop for
 * @arg; no call is running afterwards.
 */
void trace_listen(struct trace *trace, void (*listener)(void *arg), void *arg);
/* Call the listeners, after other data that filters depend on has changed.  Any thread. */
void trace_news(struct trace *trace);

/* --- cursors over streams ------------------------------------------------------- */
/* Begin a cursor over a stream. */
void trace_init_cursor(struct trace *trace, unsigned int stream, struct cursor *cursor);
/* The cursor for random access, set to this stream. */
struct cursor *trace_probe(struct trace *trace, unsigned int stream);
void trace_fill_event(struct trace *trace, unsigned int stream, const struct cursor_row *row,
		      struct trace_event *event);
/* The event for the printers; the pointers are the event's. */
struct print_record trace_print_record(const struct trace_event *event);
/* trace_event_duration() of a record of funcgraph_exit. */
int64_t trace_exit_duration(const struct event_type *type, const uint8_t *data, uint32_t size,
			    bool swap);
/* trace_cursor_next() of a known stream: its own row, NULL at the end. */
const struct cursor_row *trace_cursor_next_row(struct trace_cursor *cursor);
/* Set a keeper for the bytes of rows; call it again after the cursor's streams have changed. */
void trace_cursor_keep(struct trace_cursor *cursor, const struct cursor_keeper *keeper);

/* Move before the stream's first row with a key of at least @ts, or greater than it if @behind. */
void trace_seek_stream(struct trace *trace, unsigned int stream, struct cursor *cursor, int64_t ts,
		       bool behind);
/* Move near that row: to within a page of it. */
void trace_seek_stream_near(struct trace *trace, unsigned int stream, struct cursor *cursor,
			    int64_t ts);

enum trace_step {
	TRACE_STEP_ROW,			/* a row; the cursor has stepped over it */
	TRACE_STEP_ON,			/* it advanced a little: rows are at *bound or after */
	TRACE_STEP_END,
};

/* A filter on the rows of a cursor's streams. */
struct trace_sieve {
	/*
	 * Advance a stream's cursor to the next row to keep, or a little way.  @behind: the
	 * previous row was one.  *bound is a raw key.
	 */
	enum trace_step	(*step)(void *arg, unsigned int stream, struct cursor *cursor, bool forward,
				bool behind,
				struct cursor_row *row, uint64_t *bound);
	bool		(*has_time)(void *arg);	/* is there time to go on? */
	void		*arg;
};
/* NULL: all rows */
void trace_cursor_set_sieve(struct trace_cursor *cursor, const struct trace_sieve *sieve);

/* --- rank and select ------------------------------------------------------------ */
/* A unit for rank and select: rows, events, matches. */
struct trace_measure {
	/*
	 * Number in a stream before a page of the directory (after its last page: the total known).
	 */
	uint64_t	(*before_page)(const struct trace *trace, const void *arg,
				       unsigned int stream, uint64_t page, bool *exact);
	/* Number in the current page before the cursor. */
	uint32_t	(*in_page)(const struct trace *trace, const void *arg, unsigned int stream,
				   struct cursor *place);
	/* Ref of the nr-th one in a stream; NULL if not needed. */
	trace_ref	(*select)(struct trace *trace, const void *arg, unsigned int stream,
				  uint64_t nr);
	bool		 events;	/* a ref of another row stands for the next event */
	bool		 estimates;	/* pages not in the directory are
					   like the stream's first page */
	const void	*arg;
};
/* How many have keys below @ts. */
uint64_t trace_count_by(struct trace *trace, int64_t ts, const struct trace_measure *measure);
uint64_t trace_rank_by(struct trace *trace, trace_ref ref, const struct trace_measure *measure,
		       bool *exact);
#endif
