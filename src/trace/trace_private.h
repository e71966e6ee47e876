/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TRACE_PRIVATE_H
#define FTOP_SRC_TRACE_TRACE_PRIVATE_H
/*
 * trace_private - shared by the files of the model: trace.c (open), trace_directory.c (directory,
 * growth), trace_clock.c (time), trace_rows.c (row numbers), trace_cursor.c (merged order),
 * trace_text.c (names, text and fields of a row), trace_density.c (overview).
 */
#include "src/trace/trace_streams.h"

/* Data of a model that trace_keep() keeps with a file. */
struct trace_kept {
	const void	*key;
	void		*data;
	const struct trace_keeper *keeper;	/* static */
	_Atomic(struct trace_kept *) next;
};

/* What the model keeps of a file for itself. */
struct trace_source_own {
	char			*path;		/* owned */
	struct page_cache	*cache;		/* main thread */
	struct page_reader	*reader;	/* main thread: for sequential reading */
	struct cursor_time	*times;		/* owned, [CURSOR_TIMES] */
	struct cursor_source	 cursor_source;
	_Atomic(struct trace_kept *) kept;	/* owned, chain */
	struct name_table	*slices;	/* trace_slice_address() */
	_Atomic(struct trace_users *) users;	/* owned; read on first use: trace_user.c */
	struct trace_absent_buffers *absent;	/* owned; any thread: trace_absence.c */
	char			 release[64];	/* kernel release, e.g. "6.1.0"; "" = unknown */
	atomic_uint		 task_states;	/* enum sched_encoding, from records; 0: none yet */
};

/* State of one worker for one file. */
struct trace_scanner {
	struct page_scan	*scan;
	struct page_reader	*reader;
};

struct trace_density_cache {
	int64_t			 from, to;
	unsigned int		 nr;
	uint64_t		 pages;		/* pages_of() all streams when it was computed */
	struct trace_bin	*bins;		/* owned */
};

#define TRACE_DENSITIES	4	/* cached results */
#define TRACE_LISTENERS	4

struct trace {
	struct trace_options	 options;
	pthread_t		 opener;	/* the main thread */
	atomic_uint		 users_came;	/* trace_user_came() */
	atomic_uint		 users_awaited;	/* files that jobs read */
	unsigned int		 nr_sources;
	struct trace_source	*sources;	/* owned */
	unsigned int		 nr_streams;
	struct trace_stream	*streams;	/* owned; file, buffer, CPU */
	bool			 has_text_times; /* whole µs, of at least one stream */
	enum trace_unit		 unit;

	/* Files that grow */
	bool			 grows;
	_Atomic int64_t		 end;		/* see trace_end() */
	int64_t			 next_end;	/* once all up to it is in the directory */
	uint32_t		 ring_tasks;	/* that had names when it first had dropped any */
	_Atomic uint64_t	 end_rows, end_events;	/* before `end`; UINT64_MAX: not counted */

	/* The directory's workers */
	struct workers		*workers;
	struct worker_group	 group;
	pthread_mutex_t		 lock;		/* protects claims, commits, the five below */
	unsigned int		 jobs;		/* queued or running */
	uint64_t		 pass;		/* round over the streams: all advance evenly */
	unsigned int		 turn;		/* next stream in the round */
	uint64_t		 nr_passes;
	bool			 passed_over;	/* a stream had pages that could not be claimed */
	int			 hold;		/* permille, or -1 */
	struct trace		*former;	/* while it is opened: trace_open_rest() */
	bool			 merge_any;
	bool			 is_head;
	bool			 reads_more;	/* after trace_read_more() */
	unsigned int		 read;		/* sources whose lines were all looked at */
	atomic_bool		 has_rest;
	struct trace_scanner	*scanners;	/* owned, [nr_sources][worker] */
	struct trace_listener {		/* called with the lock held; NULL = unused */
		void	(*grew)(void *arg);
		void	*arg;
	}			listeners[TRACE_LISTENERS];

	/* Main thread: a cursor for looking at pages in the cache, and one for trace_event_at(). */
	struct cursor		 probe;
	unsigned int		 probe_stream;
	struct cursor		 at;
	unsigned int		 at_stream;
	struct trace_density_cache density[TRACE_DENSITIES];
};

/* --- trace_clock.c ------------------------------------------------------------- */
void trace_clock_init(struct trace_clock *clock, const struct source *file, int cpu,
		      int64_t offset);
void trace_clock_fini(struct trace_clock *clock);
enum trace_unit trace_clock_unit(const char *name, bool converted);
/* Are the times of two clocks comparable? */
bool trace_clock_comparable(const char *a, const char *b);

/* --- trace_names.c ---------------------------------------------------------------- */
/* Take the names that the file has beside its records. */
void trace_names_open(struct trace_source *source);

/* --- trace_who.c ------------------------------------------------------------------ */
/* Set tgids, who and machine of a source from what its file says. */
void trace_who_open(struct trace_source *source);
/* Add what source_grow() has found. */
void trace_who_grow(struct trace_source *source);
void trace_who_close(struct trace_source *source);
/* Did our recorder write it? */
bool trace_is_ours(const struct source_info *info);

/* --- trace.c --------------------------------------------------------------------- */
/* Find the first and last times of a stream that has pages. */
void trace_look_at_ends(struct trace *trace, unsigned int stream);

/* --- trace_losses.c --------------------------------------------------------------- */
/* Set told of a stream from what its file says. */
void trace_learn_losses(const struct trace_source *source, struct trace_stream *stream);
/*
 * Set lost_events and lost_unknown, which are those of the marks, to what was lost of the file.
 * Return: false if more may have been lost in it, or before it, though no gap is left that tells.
 */
bool trace_told_losses(const struct trace *trace, const struct trace_stream *stream,
		       struct page_totals *totals);

/* --- trace_boots.c ---------------------------------------------------------------- */
/*
 * Note what a buffer of the boot before lacks, or has of an older boot.  It is read for that: it
 * has some MB for each CPU.  The ends of streams are known.
 */
void trace_note_boots(const struct trace *trace, unsigned int file);

/* --- trace_directory.c ---------------------------------------------------------- */
/* Let workers scan what is not given out yet. */
void trace_start_jobs(struct trace *trace);
bool trace_is_closing(const struct trace *trace);	/* any thread: jobs end then */
/* Set `grows` and `end` when the files are open. */
void trace_begin_growth(struct trace *trace);

/* --- trace_cursor.c --------------------------------------------------------------- */
/*
 * Sets *key so that the key of the cursor's next row is not below it, if that is known without
 * reading its sub-buffer.
 */
bool trace_next_bound(const struct trace *trace, unsigned int stream, const struct cursor *cursor,
		      uint64_t *key);

/* --- trace_rows.c ---------------------------------------------------------------- */
/* Rows or events with keys below a time. */
uint64_t trace_count_below(struct trace *trace, int64_t ts, bool events);
/* The key of the last event of a stream below the settled time; false: none. */
bool trace_last_key(struct trace *trace, unsigned int stream, int64_t *key);

/* --- trace_user.c ------------------------------------------------------------ */
void trace_users_free(struct trace_users *users);	/* NULL is allowed */

/* --- trace_absence.c ------------------------------------------------------------ */
struct trace_absent_buffers *trace_absent_new(void);
void trace_absent_free(struct trace_absent_buffers *all);	/* NULL is allowed */

/* --- trace_density.c ------------------------------------------------------------ */
void trace_density_fini(struct trace *trace);

/* --- trace_text.c --------------------------------------------------------------- */
void trace_source_release(struct trace_source *source);		/* sets release and lazy_resched */
#endif
