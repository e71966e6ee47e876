/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_PRIVATE_H
#define FTOP_SRC_TRACE_PRIVATE_H
/*
 * trace_private - what the files of the model share: trace.c (open, directory),
 * trace_clock.c (time), trace_rows.c (row numbers), trace_cursor.c (merged order),
 * trace_text.c (what a row says), trace_density.c (overview).
 */
#include <pthread.h>
#include <stdatomic.h>
#include "parsers/types/comm_table.h"
#include "parsers/pages/cursor.h"
#include "parsers/types/event_types.h"
#include "parsers/pages/page_scan.h"
#include "parsers/printer/printer.h"
#include "parsers/pages/text_trace.h"
#include "parsers/types/tgid_table.h"
#include "src/trace/trace.h"
#include "src/base/workers.h"

/* From a stream's raw stamps to model time. */
struct trace_clock {
	bool		 plain;		/* model time = raw + offset */
	int64_t		 file_offset;	/* DATE + OFFSET; never changes */
	int64_t		 offset;	/* the same and the user's, added last; the main thread's */
	uint32_t	 mult, shift;	/* TSC2NSEC; mult 0 = none */
	const struct trace_time_shift *sync;	/* TIME_SHIFT of this CPU, or NULL */
	bool		 interpolate;
	uint64_t	*floors;	/* owned, [sync->nr]: no key of a segment is below (before TSC2NSEC) */
};

struct trace_stream {
	unsigned int	 source;	/* file */
	unsigned int	 number;	/* stream in the file */
	unsigned int	 buffer;
	int		 cpu;
	bool		 is_text;
	const struct sub_buffer_layout *layout;	/* of a text: rubbish but for page_size */
	struct text_blocks text;		/* is_text */
	struct text_trace_header text_header;	/* the same; slices of the text */
	struct trace_clock clock;
	struct page_index index;
	/* From its first and last page, read on opening. */
	bool		 has_events;
	int64_t		 first_ts, last_ts;
	uint32_t	 sample_rows, sample_events;	/* of the first page, for estimates */
};

/* What others keep with a file as long as it is open: made by the main thread, freed while the workers still live. */
enum trace_kept_kind { TRACE_KEPT_SCHED_VALUES, TRACE_KEPT_CALL_FACTS, TRACE_KEPT_NR };

struct trace_kept {
	void	*data;
	void	(*free)(void *data);
};

/* One file. */
struct trace_source {
	char			*path;
	struct trace_file	*file;
	struct event_types	*types;
	struct printer		*printer;	/* made when first asked for */
	bool			 printer_failed;
	struct record_text	*texts;		/* made when first asked for */
	struct comm_table	*comms;
	struct tgid_table	*tgids;
	struct page_kinds	 kinds;
	struct page_cache	*cache;		/* main thread */
	struct page_reader	*reader;	/* main thread: windows of pages in sequence */
	struct cursor_time	*times;		/* owned, [CURSOR_TIMES] */
	struct cursor_source	 cursor_source;
	unsigned int		 first_stream, nr_streams;	/* of the model: texts have streams, too */
	struct trace_kept	 kept[TRACE_KEPT_NR];
	int64_t			 user_offset;	/* trace_set_offset() */
	char			 release[64];	/* of the kernel: "6.1.0"; "" unknown */
	bool			 lazy_resched;	/* see trace_event */
};

/* What one worker needs for one file. */
struct trace_scanner {
	struct page_scan	*scan;
	struct page_reader	*reader;
};

struct trace_density_cache {
	int64_t			 from, to;
	unsigned int		 nr;
	uint64_t		 pages;		/* published when it was made */
	struct trace_bin	*bins;		/* owned */
};

#define TRACE_DENSITIES	4	/* pictures of it that are kept */
#define TRACE_LISTENERS	4

struct trace {
	struct trace_options	 options;
	unsigned int		 nr_sources;
	struct trace_source	*sources;	/* owned */
	unsigned int		 nr_streams;
	struct trace_stream	*streams;	/* owned; file, buffer, CPU */
	bool			 is_text;
	enum trace_unit		 unit;

	/* The directory's workers. */
	struct workers		*workers;
	struct worker_group	 group;
	pthread_mutex_t		 lock;		/* claims, commits, the five below */
	unsigned int		 jobs;		/* queued or running */
	uint64_t		 pass;		/* of the round over the streams, so that all grow evenly */
	unsigned int		 turn;		/* next stream to look at */
	uint64_t		 nr_passes;
	bool			 passed_over;	/* a stream had pages left that could not be claimed just then */
	int			 hold;		/* permille, or -1 */
	struct trace_scanner	*scanners;	/* owned, [nr_sources][worker] */
	struct trace_listener {		/* under the lock: called when the directory grew; unused: NULL */
		void	(*grew)(void *arg);
		void	*arg;
	}			listeners[TRACE_LISTENERS];

	/* Main thread: a cursor that looks at pages in the cache, and one for trace_event_at(). */
	struct cursor		 probe;
	unsigned int		 probe_stream;
	struct cursor		 at;
	unsigned int		 at_stream;
	struct trace_density_cache density[TRACE_DENSITIES];
};

/* --- trace_clock.c ------------------------------------------------------------- */
void trace_clock_init(struct trace_clock *clock, const struct trace_file *file, int cpu);
void trace_clock_fini(struct trace_clock *clock);
/* Time shown.  Saturates at the ends of int64. */
int64_t trace_clock_slow_ts(const struct trace_clock *clock, uint64_t raw);
/* Time without the user's offset: any thread may ask. */
int64_t trace_clock_file_ts(const struct trace_clock *clock, uint64_t raw);
/* Time ordered by: the same, but never going back where a correction of the file would. */
int64_t trace_clock_slow_key(const struct trace_clock *clock, uint64_t raw);
/* The smallest raw stamp with a key of at least @ts; *above: there is none, all keys are smaller. */
uint64_t trace_clock_bound(const struct trace_clock *clock, int64_t ts, bool *above);
enum trace_unit trace_clock_unit(const char *name, bool converted);
/* Can stamps of two clocks be put in one order? */
bool trace_clock_comparable(const char *a, const char *b);

static inline int64_t trace_clock_add(uint64_t raw, int64_t offset)
{
	int64_t ts = raw > INT64_MAX ? INT64_MAX : (int64_t)raw;

	return __builtin_add_overflow(ts, offset, &ts) ? (offset < 0 ? INT64_MIN : INT64_MAX) : ts;
}

static inline int64_t trace_clock_ts(const struct trace_clock *clock, uint64_t raw)
{
	return clock->plain ? trace_clock_add(raw, clock->offset) : trace_clock_slow_ts(clock, raw);
}

static inline int64_t trace_clock_key(const struct trace_clock *clock, uint64_t raw)
{
	return clock->plain ? trace_clock_add(raw, clock->offset) : trace_clock_slow_key(clock, raw);
}

/* --- trace.c -------------------------------------------------------------------- */
/* Sub-buffers, or blocks of lines, that a stream has now. */
uint64_t trace_stream_pages(const struct trace *trace, const struct trace_stream *stream);
/* Start jobs for what is not given out yet. */
void trace_kick(struct trace *trace);
/* Have this called with @arg, by any thread, whenever the directory grew; NULL: no more for @arg, not even now. */
void trace_listen(struct trace *trace, void (*listener)(void *arg), void *arg);
/* The same for what a filter asks besides the directory: call the listeners.  Any thread. */
void trace_news(struct trace *trace);

/* --- trace_cursor.c ------------------------------------------------------------- */
/* Begin a cursor over a stream. */
void trace_init_cursor(struct trace *trace, unsigned int stream, struct cursor *cursor);
/* The cursor that looks here and there, at this stream. */
struct cursor *trace_probe(struct trace *trace, unsigned int stream);
void trace_fill_event(struct trace *trace, unsigned int stream, const struct cursor_row *row, struct trace_event *event);
/* trace_cursor_next() as its stream has the row; of a cursor over one stream, which is known then.  NULL: no more. */
const struct cursor_row *trace_cursor_next_row(struct trace_cursor *cursor);
/* Bytes of rows are kept; to be said again after what changes the streams of the cursor. */
void trace_cursor_keep(struct trace_cursor *cursor, const struct cursor_keeper *keeper);

/* A place in a stream: before its first row with a key of at least ts, or greater than it if @behind. */
void trace_seek_stream(struct trace *trace, unsigned int stream, struct cursor *cursor, int64_t ts, bool behind);
/* The same, as near as a page. */
void trace_seek_stream_near(struct trace *trace, unsigned int stream, struct cursor *cursor, int64_t ts);

enum trace_step {
	TRACE_STEP_ROW,			/* a row, which the cursor has stepped over */
	TRACE_STEP_ON,			/* it went some way: further rows are at *bound or behind it */
	TRACE_STEP_END,
};

/* What a cursor leaves out of the rows of its streams. */
struct trace_sieve {
	/*
	 * Go on with a stream's cursor to the next row that is kept, or a little way.  @behind: the row before it was one.
	 * *bound is a raw key.
	 */
	enum trace_step	(*step)(void *arg, unsigned int stream, struct cursor *cursor, bool forward, bool behind,
				struct cursor_row *row, uint64_t *bound);
	bool		(*has_time)(void *arg);	/* to go on */
	void		*arg;
};
void trace_cursor_set_sieve(struct trace_cursor *cursor, const struct trace_sieve *sieve);	/* NULL: all rows */

/* --- trace_density.c ------------------------------------------------------------ */
void trace_density_forget(struct trace *trace);	/* what is kept of it: times are others now */

/* --- trace_rows.c --------------------------------------------------------------- */
/* What is counted in rank and select: rows, events, matches. */
struct trace_measure {
	/* Of a stream, before a page of the directory (behind its last one: all that is known). */
	uint64_t	(*before_page)(const struct trace *trace, const void *arg, unsigned int stream, uint64_t page, bool *exact);
	/* Of the place's page, before the place. */
	uint32_t	(*in_page)(const struct trace *trace, const void *arg, unsigned int stream, struct cursor *place);
	/* The nr-th of a stream. */
	trace_ref	(*select)(struct trace *trace, const void *arg, unsigned int stream, uint64_t nr);
	/* In a page that the directory does not know, by the stream's first one; NULL: none. */
	double		(*of_page)(const struct trace_stream *stream);
	bool		 events;	/* a ref of another row stands for the next event */
	const void	*arg;
};
uint64_t trace_rank_by(struct trace *trace, trace_ref ref, const struct trace_measure *measure, bool *exact);
trace_ref trace_select_by(struct trace *trace, uint64_t nr, const struct trace_measure *measure, bool *exact);

/* --- trace_text.c --------------------------------------------------------------- */
void trace_source_release(struct trace_source *source);		/* sets release and lazy_resched */
#endif
