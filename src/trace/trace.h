/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TRACE_H
#define FTOP_SRC_TRACE_TRACE_H
/*
 * trace - the model for views and commands: rows, time, CPUs, tasks, event types of one or several
 * files on one time line.
 *
 * Nothing is stored per event: a page directory says where events are, and they are read again when
 * needed.  Workers build the directory in the background; all functions work before it is complete.
 *
 *   row    position in the merged order of all streams; lost events and damage have their own rows.
 *          Row numbers are exact where the directory is complete, and change as it grows: store
 *          refs, not row numbers.
 *   ref    a row's lasting address: stream, page, item in the page.  Valid until the trace is
 *          closed, even while it grows.
 *   ts     model time, int64: ns, or the clock's own unit (trace_unit()).
 *   key    a row's place in time: the running maximum of ts in its stream.  Order: (key, stream,
 *          position).
 *
 * Only the main thread may call the functions below, unless they say otherwise.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/io/open_progress.h"
#include "parsers/types/machine.h"
#include "parsers/types/who_table.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/time_math.h"

struct trace;				/* opaque */
struct source;			/* parsers/source/source.h */
struct event_type;			/* parsers/types/event_types.h */
struct event_types;
struct printer;				/* parsers/printer/printer.h */
struct record_text;			/* parsers/text/record_text.h */
struct workers;
struct line_formats;			/* parsers/lines/line_known.h */
struct filter_name;			/* filter_names.h */

typedef uint64_t trace_ref;
#define TRACE_REF_NONE	UINT64_MAX

/*
 * stream (16 bits) | page (28) | item (20).  Item 0: events lost before the page; then its records;
 * LAST: its damage.
 */
#define TRACE_REF_ITEM_BITS	20
#define TRACE_REF_PAGE_BITS	28
#define TRACE_REF_ITEM_LAST	((1u << TRACE_REF_ITEM_BITS) - 1)
static inline unsigned int trace_ref_stream(trace_ref ref)
{
	return ref >> (TRACE_REF_ITEM_BITS + TRACE_REF_PAGE_BITS);
}
static inline uint64_t trace_ref_page(trace_ref ref)
{
	return (ref >> TRACE_REF_ITEM_BITS) & ((1u << TRACE_REF_PAGE_BITS) - 1);
}
static inline unsigned int trace_ref_item(trace_ref ref)
{
	return ref & TRACE_REF_ITEM_LAST;
}
static inline trace_ref trace_ref_make(unsigned int stream, uint64_t page, unsigned int item)
{
	return (uint64_t)stream << (TRACE_REF_ITEM_BITS + TRACE_REF_PAGE_BITS) |
	       page << TRACE_REF_ITEM_BITS | item;
}

/* Identifies a task: pid 0 is a different one on each CPU, or in each stream. */
static inline uint64_t trace_task_key(int32_t pid, unsigned int cpu)
{
	return pid ? (uint32_t)pid : 1ull << 32 | cpu;
}

enum trace_unit {
	TRACE_UNIT_NS,
	TRACE_UNIT_COUNT
}; /* COUNT: counter, cycles,
							   jiffies: raw numbers */

struct trace_offset {			/* added to the times of a file; zeroed: none */
	int64_t		by;
	enum trace_unit	unit;		/* the trace's unit, unless @by is 0 */
};

struct trace_options {
	unsigned int	nr_workers;	/* 0 = one less than the number of CPUs */
	int		hold_permille;	/* tests: stop the directory here (0..1000); -1 = never */
	bool		no_index;	/* do not start building the directory
					   (report --head, info's header) */
	bool		follow;		/* files grow that a recorder appends to: trace_grow();
					 * else they are what they are now */
	bool		sequential_printer; /* report: rows are printed from the first one on */
	struct open_progress progress;	/* of what is unpacked or converted */
	uint64_t	head_bytes;	/* bytes of a long file that are opened at first; 0 = all of
					   it: see trace_is_head() */
	bool		histograms;	/* a file of the kernel's histograms is no error: it has
					   no events, see trace_histograms() */
	const struct line_formats *formats;	/* formats for events of texts (formats_option.h);
						   NULL = none; must outlive the trace */
	const struct trace_offset *offsets;	/* one for each file; NULL = none */
	const struct printer_options *printer;	/* parsers/printer/printer.h; NULL = defaults;
						   must outlive the trace */
	bool		names_later;	/* functions of user space may come later, rather than that
					   the main thread waits for them: trace_user_came() */
	const struct filter_name *const *filter_names;	/* tables of names that models add
							   to filters (filter_names.h),
							   NULL ends them; NULL = none */
};

enum trace_row_kind {
	TRACE_ROW_EVENT,
	TRACE_ROW_LOST,			/* events were lost on this CPU before its next row */
	TRACE_ROW_DAMAGE,		/* the rest of a sub-buffer is unreadable */
};

/* Bits of trace_event.flags: what the event interrupted. */
#define TRACE_IRQS_OFF		0x01u
#define TRACE_IN_HARDIRQ	0x08u
#define TRACE_IN_SOFTIRQ	0x10u
#define TRACE_IN_NMI		0x40u

/* Contexts with a higher level interrupt those with a lower one: task, softirq, hard irq, NMI. */
#define TRACE_MOST_LEVEL	3u
static inline unsigned int trace_context_level(unsigned int flags)
{
	if (__builtin_expect(flags & TRACE_IN_NMI, 0))
		return 3;
	return flags & TRACE_IN_HARDIRQ ? 2 : !!(flags & TRACE_IN_SOFTIRQ);
}

struct trace_event {
	trace_ref	 ref;
	enum trace_row_kind kind;
	int64_t		 ts;		/* model time */
	int64_t		 key;		/* its place in the order; > ts after the clock went back */
	uint64_t	 raw_ts;	/* as recorded */
	unsigned int	 stream;
	unsigned int	 file;
	unsigned int	 buffer;	/* index in the file */
	int		 cpu;
	/* EVENT */
	bool		 swap;		/* data has the other byte order (parsers/types/field.h) */
	bool		 first_in_page;	/* no padding or time extend before it: report asks it */
	const uint8_t	*data;		/* payload; valid until the next call with
					   the same cursor */
	uint32_t	 size;		/* bytes */
	uint32_t	 room;		/* EVENT: readable bytes at data, to the end of the page */
	uint32_t	 in_page;	/* bytes of the page before data:
					   it begins at data - in_page */
	int		 type_id;	/* common_type */
	const struct event_type *type;	/* NULL: no format for this id */
	int		 pid;		/* common_pid; -1 = none */
	uint8_t		 flags;		/* common_flags */
	uint8_t		 preempt_count;	/* common_preempt_count: low 4 bits preemption
					   depth, high 4 migrate-disable */
	bool		 is_line;	/* from a text trace: data as in line_file.h */
	bool		 lazy_resched;	/* flag 0x02 means need-resched-lazy: kernels since 6.14 */
	/* LOST */
	bool		 lost_known;
	uint64_t	 lost_count;
	int64_t		 gap_from, gap_to; /* LOST: last ts before the gap, first ts after it */
	bool		 gap_is_start;	/* LOST: the stream has no earlier rows */
	/* DAMAGE */
	uint64_t	 damage_offset;	/* file offset */
};

/* Has it a task?  Losses and damage have not. */
static inline bool trace_is_event(const struct trace_event *event)
{
	return event->kind == TRACE_ROW_EVENT;
}

/**
 * trace_open() - open one or several trace files as one time line
 *
 * Reads metadata and the first and last sub-buffer of every stream; the directory is built in the
 * background.
 * Return: NULL with the error of the file that could not be opened (message names it), or
 * FT_E_USAGE for an offset of another unit.  Clocks that cannot be compared are an error
 * (FT_E_UNSUPPORTED) unless @merge_any.
 */
struct trace *trace_open(const char *const *paths, unsigned int nr, bool merge_any,
			 const struct trace_options *options, struct ft_error *err);
void trace_close(struct trace *trace);	/* NULL is allowed */

/*
 * Is only the head of a file open?  Then a worker looks at all of it.  Once that is done,
 * trace_has_rest() is true, and trace_open_rest() opens the same files again as a whole.
 */
bool trace_is_head(const struct trace *trace);
bool trace_has_rest(const struct trace *trace);
struct trace *trace_open_rest(struct trace *head, struct ft_error *err);

/* The text that comes from a pipe, while the screen follows it. */
enum trace_pipe {
	TRACE_PIPE_NONE,		/* all of it is open, or it is no such text */
	TRACE_PIPE_WAITS,		/* all that has come is open */
	TRACE_PIPE_MORE,		/* more lines have come than are open */
	TRACE_PIPE_LAST,		/* the same, and they are the last ones */
};
enum trace_pipe trace_pipe(const struct trace *trace);
/* A worker looks at all that has come.  Then trace_has_rest() is true, as of a head. */
void trace_read_more(struct trace *trace);
/* Why the pipe was not read to its end; NULL: it was, or goes on. */
const char *trace_pipe_trouble(const struct trace *trace);

/* --- what models keep --------------------------------------------------- */
/*
 * Data of a model about a file.  The key is an address of the model's own.  While the workers still
 * live, trace_close() calls @stop for all data, then @free: a model's job may ask another model.
 */
struct trace_keeper {
	void	(*stop)(void *data);	/* ends the model's jobs */
	void	(*free)(void *data);
};
void trace_keep(struct trace *trace, unsigned int file, const void *key, void *data,
		const struct trace_keeper *keeper);
/* any thread; NULL: nothing is kept */
void *trace_kept(const struct trace *trace, unsigned int file, const void *key);

/* --- what it is --------------------------------------------------------- */
unsigned int trace_nr_files(const struct trace *trace);
const struct source *trace_file_of(const struct trace *trace, unsigned int file);
const char *trace_path(const struct trace *trace, unsigned int file);
/*
 * Did a filter of `ftop-trace cut` leave events out of a file (-1: of any)? Then gaps of unknown
 * size are what it left out, or what the kernel lost: the file does not tell which.
 */
bool trace_is_thinned(const struct trace *trace, int file);
/* Did the kernel's probes miss hits in a file (-1: any)?  Then some events are missing. */
bool trace_has_missed(const struct trace *trace, int file);
/* Was the file (-1: any) made by `ftop-trace cut` with this option, as "--cpu="; "": with any? */
bool trace_is_cut_by(const struct trace *trace, int file, const char *option);
/*
 * Are the events of a file (-1: any) those of some tasks only, which perf followed?  Then no
 * sched_switch tells that one of them comes to a CPU, so states of tasks and CPUs are not known.
 */
bool trace_is_of_tasks(const struct trace *trace, int file);
#define TRACE_OF_TASKS                                                                             \
	"perf recorded some tasks only, which does not tell when they ran, waited and slept: "     \
	"perf record -a -e sched:sched_switch,sched:sched_waking does"
/* Why it is not known what tasks did: "No sched_switch was recorded". */
const char *trace_lacks_switches(const struct trace *trace, int file);
/* What became of events in gaps of unknown size: "lost"; "cut out or lost" if it is thinned. */
const char *trace_lost_words(const struct trace *trace, int file);
/* What is said of switches that are missing: "though no loss is marked there", or that alike. */
const char *trace_missing_words(const struct trace *trace, int file);
/* as it was opened with */
struct trace_offset trace_offset(const struct trace *trace, unsigned int file);
/* Damage in a file that did not prevent opening it: offset and message.  Their number may grow. */
unsigned int trace_nr_warnings(const struct trace *trace, unsigned int file);
struct ft_error trace_warning(const struct trace *trace, unsigned int file, unsigned int i);
struct event_types *trace_event_types(struct trace *trace, unsigned int file);	/* any thread */
/* created by the first call; for the main thread */
struct printer *trace_printer(struct trace *trace, unsigned int file);
/*
 * Texts and names of values by our own programs; or NULL.  The first call, by the main thread,
 * creates it; then any thread may use it.
 */
struct record_text *trace_record_text(struct trace *trace, unsigned int file);
enum trace_unit trace_unit(const struct trace *trace);
/*
 * Smallest step of the trace's times, in its unit: 1, or 1000 where a text has whole µs.  If @trace
 * is NULL: 1.
 */
int64_t trace_resolution(const struct trace *trace);
/* A row's key without the digits of a text's stamp that only tell the order: where a range ends. */
int64_t trace_row_time(const struct trace *trace, const struct trace_event *event);
/* The filter names given on opening (trace_options); NULL if @trace is NULL. */
const struct filter_name *const *trace_filter_names(const struct trace *trace);
const char *trace_clock(const struct trace *trace);		/* "local"; "" = unknown */
/* release in the first file's uname; "" = unknown */
const char *trace_kernel(const struct trace *trace);
unsigned int trace_nr_streams(const struct trace *trace);
unsigned int trace_nr_cpus(const struct trace *trace);		/* in the file with most CPUs */
/*
 * Text without times: rows are placed by durations of calls, so only these are times.  @file: -1 =
 * any.
 */
bool trace_is_untimed(const struct trace *trace, int file);
/*
 * Is a file nothing but a text of the kernel's histograms?  Append that text, or the histograms
 * that the recorder kept beside the events (src/hist); @out: NULL = only look.  False: there are
 * none.
 */
bool trace_is_hist(const struct trace *trace, unsigned int file);
bool trace_histograms(const struct trace *trace, unsigned int file, struct text *out);
/* Why a file has none although it may have had some, in words; NULL: it never had any. */
const char *trace_lost_histograms(const struct trace *trace, unsigned int file);
bool trace_span(const struct trace *trace, int64_t *first, int64_t *last); /* false: no events */
bool trace_file_span(const struct trace *trace, unsigned int file, int64_t *first, int64_t *last);

struct trace_part {			/* zeroed: all of a trace */
	struct time_range range;	/* in ts */
	const bool	*only;		/* [nr_only] by CPU number; borrowed; NULL: all */
	unsigned int	 nr_only;
};
static inline bool trace_part_has_cpu(const struct trace_part *part, int cpu)
{
	return !part->only || (cpu >= 0 && (unsigned int)cpu < part->nr_only && part->only[cpu]);
}

/*
 * The sum of the times of a file's CPUs that were recorded, in units of ts: of a CPU from its first
 * record to the last one of the buffer, without the gaps of lost events.  @buffer: -1: of each CPU
 * the buffer that has most.  @nr_cpus: set to the number of CPUs with any.  Of what is indexed.
 */
int64_t trace_covered(struct trace *trace, unsigned int file, int buffer,
		      const struct trace_part *part, unsigned int *nr_cpus);
/* without trace_offset() */
bool trace_recorded_span(const struct trace *trace, int64_t *first, int64_t *last);
/* ts + this = wall clock, if the file has it */
int64_t trace_wall_offset_ns(const struct trace *trace, bool *known);

struct trace_stream_info {
	unsigned int	file, buffer;
	int		cpu;
	const char	*buffer_name;	/* "" = top */
	uint64_t	pages, bytes;	/* without dropped ones */
	uint64_t	events;		/* so far */
	uint64_t	lost_events;	/* sum of the known counts, so far */
	uint64_t	lost_unknown;	/* gaps without a count, so far */
	bool		lost_perhaps;	/* more of the recording's losses may be in it */
	bool		lacks_end;	/* what was in the ring at the end was not written */
};
/* @stream: below trace_nr_streams().  The counts grow with the directory. */
struct trace_stream_info trace_stream_info(const struct trace *trace, unsigned int stream);

/* --- how far it is ------------------------------------------------------ */
struct trace_status {
	uint64_t	events;		/* estimated until the directory is complete */
	uint64_t	rows;
	uint64_t	lost_events;	/* sum of the known counts, so far */
	uint64_t	lost_unknown;	/* gaps without a count, so far */
	bool		lost_perhaps;	/* more of the recording's losses may be in it */
	bool		lacks_begin;	/* events before the first ones of a CPU were not kept */
	uint64_t	damaged_pages;	/* so far */
	unsigned int	permille;	/* part of the bytes that is indexed */
	bool		complete;
};
struct trace_status trace_status(const struct trace *trace);	/* any thread */
/* Are marks before the first records of CPUs no losses: what a ring let go of (-m, extract)? */
bool trace_has_let_go(const struct trace *trace, unsigned int file);
/* Is lost_events all that is missing?  Not with gaps of unknown size, nor in damaged files. */
bool trace_knows_lost(const struct trace *trace);
/* borrowed: the workers for all jobs of the trace */
struct workers *trace_workers(struct trace *trace);
/* until the directory is complete (or stopped by hold) */
void trace_wait(struct trace *trace);
/* Until it is complete, also of a trace that was opened without an index. */
void trace_wait_all(struct trace *trace);
/* tests: move the point where the directory stops; -1 = none */
void trace_hold(struct trace *trace, int permille);

/* --- files that grow ---------------------------------------------------- */
/*
 * A recorder may still append to a file.  Rows end at the settled time then: no CPU has a row from
 * before it that is still to come, so that rows are only ever added at the end.
 *
 * It may also drop the oldest sub-buffers (record -m).  Their rows go; those that are left keep
 * their refs.  The ref of a dropped row stands for the first row of its stream that is left, but
 * trace_event_at() does not find it.
 */
enum trace_growth {
	TRACE_WHOLE,			/* nothing is appended (any more) */
	TRACE_SETTLED,			/* there are no new rows for now */
	TRACE_INDEXES,			/* nor until workers have indexed what was appended */
	TRACE_GREW,			/* there are: times, totals and the last row changed; the
					 * first one, too, if rows were dropped */
	TRACE_ENDED,			/* a recorder finishes its file, which gets another name */
};
/*
 * Look for new rows.  Workers index them meanwhile: a later call tells of them.  Passes that
 * workers have begun read up to the settled time, so that they must have ended before it moves.
 */
enum trace_growth trace_grow(struct trace *trace);
bool trace_grows(const struct trace *trace);
/*
 * Has a recorder begun to finish its file?  Then what was read since trace_grow() may be damaged,
 * and trace_grow() returns TRACE_ENDED.  One thread at a time.
 */
bool trace_has_ended(const struct trace *trace);
/* Were the first sub-buffers of a recording that goes on dropped? */
bool trace_has_dropped(const struct trace *trace);
/*
 * The first ts from which on no record of the file was dropped since it was opened; INT64_MIN: none
 * was.  @dropped: receives how many sub-buffers were.
 */
int64_t trace_kept_from(const struct trace *trace, unsigned int file, uint64_t *dropped);
bool trace_is_dropped(const struct trace *trace, trace_ref ref);
/*
 * Names and models keep what there is of each task that ever was.  Are most of them dropped?  Then
 * the same file, opened again, needs less.  From the first call on after trace_has_dropped().
 */
bool trace_is_stale(struct trace *trace);
/* Is it the first row that is left of its stream, and what was before it dropped? */
bool trace_follows_dropped(const struct trace *trace, trace_ref ref);
/* The settled time: rows have keys below it; INT64_MAX if nothing grows.  Any thread. */
int64_t trace_end(const struct trace *trace);

/* --- rows, refs, times -------------------------------------------------- */
trace_ref trace_first(struct trace *trace);			/* TRACE_REF_NONE = no rows */
trace_ref trace_last(struct trace *trace);
/* row-th row; at most the last one; estimated until complete */
trace_ref trace_select(struct trace *trace, uint64_t row);
uint64_t trace_rank(struct trace *trace, trace_ref ref, bool *exact);        /* rows before it */
uint64_t trace_rank_events(struct trace *trace, trace_ref ref, bool *exact); /* events before it */
trace_ref trace_select_event(struct trace *trace, uint64_t nr);	/* without losses and damage */
/* First row with key >= ts, of this CPU (in any buffer) if cpu >= 0; NONE if all are earlier. */
trace_ref trace_seek_time(struct trace *trace, int64_t ts, int cpu);
/* -1, 0, 1 in the merged order */
int trace_compare(struct trace *trace, trace_ref a, trace_ref b);

/* --- reading in order --------------------------------------------------- */
struct trace_cursor;			/* a place between two rows; moves both ways */
struct trace_cursor *trace_cursor_new(struct trace *trace);
void trace_cursor_free(struct trace_cursor *cursor);		/* NULL is allowed */
/* the rows of one stream, at the cost of one stream */
struct trace_cursor *trace_cursor_of_stream(struct trace *trace, unsigned int stream);
/*
 * A cursor over one stream for a worker, which shares nothing with the main thread.  It can only be
 * moved to rows of that stream; if it is over all streams of a trace of one file, to a time.
 */
#define TRACE_ALL_STREAMS	UINT32_MAX
struct trace_cursor *trace_cursor_of_worker(struct trace *trace, unsigned int stream);
/* only rows of these streams; NULL = all; seek again */
void trace_cursor_only_streams(struct trace_cursor *cursor, const bool *streams, unsigned int nr);
/* before this row; NONE = at the end; a dropped one: at the beginning */
void trace_cursor_seek(struct trace_cursor *cursor, trace_ref ref);
/* before the first row with key >= ts */
void trace_cursor_seek_time(struct trace_cursor *cursor, int64_t ts);
bool trace_cursor_next(struct trace_cursor *cursor, struct trace_event *event);	/* false: no more */
/* the previous row; false: none */
bool trace_cursor_prev(struct trace_cursor *cursor, struct trace_event *event);
/*
 * After a cursor with a filter returned false: true if it only ran out of time.  The same call then
 * continues the search.
 */
bool trace_cursor_is_later(const struct trace_cursor *cursor);
/* in memory of its own, valid until the next such call */
bool trace_event_at(struct trace *trace, trace_ref ref, struct trace_event *event);

/* --- what a row says ---------------------------------------------------- */
/* the name at that time; interned */
const char *trace_comm(struct trace *trace, unsigned int file, int pid, int64_t ts);
/* Also gives the span of the name, which is final once the directory is complete. */
const char *trace_comm_span(struct trace *trace, unsigned int file, int pid, int64_t ts,
			    int64_t *from, int64_t *to);
/*
 * Append, for a cut of @range, the names that its tasks have there: the text TRACE_TEXT_NAMES.
 * Nothing, if records and saved names of the cut tell them all.
 */
void trace_write_names(struct trace *trace, unsigned int file, const struct time_range *range,
		       struct text *out);
/* Call @each for every name that a task of a file was seen with, or has in saved_cmdlines. */
void trace_comms(struct trace *trace, unsigned int file,
		 void (*each)(void *arg, int pid, const char *name), void *arg);
/* The process (thread group) of a task at that time; any thread; false if unknown. */
bool trace_tgid(struct trace *trace, unsigned int file, int pid, int64_t ts, int *tgid);
/*
 * Is it a task of the recorder itself?  @comm: its name; where a trace.dat does not tell which are
 * its recorder's tasks, as that of trace-cmd, they are those called as that program.
 */
#define TRACE_OWN	" (the recorder)"	/* behind the name of such a task, in sentences */
bool trace_is_recorder(struct trace *trace, unsigned int file, int pid, int64_t ts,
		       const char *comm);
/*
 * Were events of some tasks alone recorded, by their pids (record -P, -F)?  @children: and of the
 * tasks that they make.  Switches are recorded from and to these tasks, wake-ups by and of them.
 * Nothing is known of when others run, wait or sleep.  Any thread, like the next two.
 */
bool trace_has_only(struct trace *trace, unsigned int file, bool *children);
bool trace_is_only(struct trace *trace, unsigned int file, int pid);	/* is it one of these? */
/* True once, if the file does not say which tasks were recorded: the records may show it. */
bool trace_asks_only(struct trace *trace, unsigned int file);
void trace_add_only(struct trace *trace, unsigned int file, int pid);	/* it is one of these */
/* Does a buffer lack CPUs of the machine, on which something may have happened meanwhile? */
bool trace_lacks_cpus(struct trace *trace, unsigned int file, unsigned int buffer);
/*
 * Is a switch between the tasks left out, since none of them is recorded, or both are the
 * recorder's own?  Earlier versions of record excluded these (set_event_notrace_pid).  Any thread.
 */
bool trace_leaves_out(struct trace *trace, unsigned int file, int prev, int next);
/* Had the task with the pid ended before a time, as far as records tell?  Any thread. */
bool trace_is_over(struct trace *trace, unsigned int file, int pid, int64_t ts);
/* See who_table_has_own_pids().  Any thread. */
bool trace_has_own_pids(struct trace *trace, unsigned int file, int tgid);
/*
 * Who a task is at that time: process, user, program, cgroup, as far as known (who_table.h); the
 * span of the answer holds while trace_who_changes() is the same.  Any thread.  Return: false if
 * nothing is known.
 */
bool trace_who(struct trace *trace, unsigned int file, int pid, int64_t ts, struct who *who,
	       int64_t *from, int64_t *to);
/* Call @each for all tasks of a file, span by span, as who_table_each() does. */
void trace_who_each(struct trace *trace, unsigned int file,
		    void (*each)(void *arg, int pid, int64_t from, int64_t to,
				 const struct who *who),
		    void *arg);
/* As who_table_moves() */
void trace_who_moves(struct trace *trace, unsigned int file, int64_t first, int64_t last,
		     bool tgids,
		     void (*each)(void *arg, int pid, int64_t from, int64_t to,
				  const struct who *who),
		     void *arg);
/* How a task was scheduled at that time, see who_table_sched(). */
bool trace_sched(struct trace *trace, unsigned int file, int pid, int64_t ts,
		 struct who_sched *sched);
/* May it run on this CPU?  sched->allowed is not NULL. */
bool trace_allows(const struct who_sched *sched, int cpu);
/* Are there CPUs on which it may not run?  Those that were off do not count. */
bool trace_is_bound(const struct trace *trace, unsigned int file, const struct who_sched *sched);
/* Append "may run on CPU 3 only", "~may run on CPUs 0-3,7 only": ~: only before or after then. */
void trace_bound_text(const struct who_sched *sched, struct text *out);
/* What the recorder saw of the cgroups of a file: limits and counters, first and last. */
void trace_cgroups(struct trace *trace, unsigned int file,
		   void (*each)(void *arg, const struct who_cgroup *cgroup), void *arg);
uint64_t trace_who_changes(const struct trace *trace, unsigned int file);
/* The computer that was recorded (machine.h); empty where the file does not tell.  Never NULL. */
const struct machine *trace_machine(const struct trace *trace, unsigned int file);
/*
 * Append what the hypervisor took from the CPUs while they were recorded: "CPU 0 0.120 s in
 * 10.012 s, counted in ticks of 0.010 s; most at once …", or "nothing in …".  False: nobody looked,
 * or it is no virtual machine.
 */
bool trace_stolen_text(const struct trace *trace, unsigned int file, struct text *out);
/*
 * Append a time: seconds with 6 or 9 decimals, if the trace has as many, or a plain number if the
 * clock counts.  Any thread.
 */
void trace_time_text(const struct trace *trace, int64_t ts, int decimals, struct text *out);
/* Append a duration of ns, 8 cells wide, without digits that a text's times do not have. */
void trace_duration_text(const struct trace *trace, uint64_t ns, struct text *out);
/**
 * trace_event_text() - append the text of a row as raw bytes; any thread, once there is a printer
 * @exit:  of a leaf call (leaf_calls.h), which is part of the text; or NULL
 * @cells: room on the screen: an event whose text is wider gets its short form, if it has one.
 *         TRACE_TEXT_LONG: no short forms; TRACE_TEXT_KERNEL: the kernel's text, without names of
 *         errors, too
 */
#define TRACE_TEXT_KERNEL	(-1)
#define TRACE_TEXT_LONG		0x7fffffff
void trace_event_text(struct trace *trace, const struct trace_event *event,
		      const struct trace_event *exit, int cells, struct text *out);
/* "sched"; "" for other rows */
const char *trace_event_system(const struct trace_event *event);
/* "sched_switch"; "?" unknown type */
const char *trace_event_name(const struct trace_event *event);
/* "d.h21", with the kernel's letters */
void trace_latency_flags(const struct trace_event *event, struct text *out);

struct trace_field_value {
	const char	*name;
	char		*own_name;	/* owned; NULL: the name is the type's */
	const char	*type;		/* as in the format */
	struct text	 raw;		/* "1", "0xffffffff81000000", "wl-ping" */
	struct text	 printed;	/* by the print format: "S"; empty if equal to raw */
	bool		 is_address;	/* see record_text_is_address() */
};
/*
 * Fields in the format's order, common ones first, then those that the record itself describes
 * (parsers/types/event_header.h); for trace_fields_free().
 */
unsigned int trace_event_fields(struct trace *trace, const struct trace_event *event,
				struct trace_field_value **fields);
void trace_fields_free(struct trace_field_value *fields, unsigned int nr);

/*
 * State of a task in a sched_switch, by the letters of the kernel that recorded it: "S", "D|K",
 * "R+".
 */
void trace_event_task_state(const struct trace *trace, const struct trace_event *event,
			    uint64_t state, struct text *out);
struct sched_states;
/* The states of a file's sched_switch (NULL: the usual ones), and what their numbers are. */
void trace_task_states(const struct trace *trace, unsigned int file, const struct event_type *type,
		       struct sched_states *states);
/* A record tells what the numbers are: enum sched_encoding.  Any thread. */
void trace_see_task_states(struct trace *trace, unsigned int file, unsigned int encoding);
/*
 * Append the pattern of words, without blanks, in texts of a type's rows: of trace_event_text()
 * with any room, or of frames of trace_event_stack() (parsers/print/text_pattern.h).
 */
struct text_pattern;
void trace_row_pattern(struct trace *trace, unsigned int file, const struct event_type *type,
		       struct text_pattern *pattern);

#define TRACE_MAX_STACK	4096u		/* addresses of a stack that are read */

/* Is it a kernel_stack or user_stack? */
bool trace_event_is_stack(const struct trace_event *event);
/*
 * The next row of a stream behind an event is its stack, but for rows of interrupts that came
 * between.  @pid, @level: of the event.  *stack: the row that was reached.
 */
bool trace_next_stack(struct trace_cursor *cursor, int pid, unsigned int level,
		      struct trace_event *stack);
/* Addresses of such a record, innermost first.  Return: their number. */
unsigned int trace_event_addresses(const struct trace *trace, const struct trace_event *event,
				   uint64_t *addresses, unsigned int max);
/* The stack as text, a line for each address.  Caller frees: trace_stack_free() */
unsigned int trace_event_stack(struct trace *trace, const struct trace_event *event,
			       struct text **lines);
void trace_stack_free(struct text *lines, unsigned int nr);
/* or NULL */
const char *trace_symbol(struct trace *trace, unsigned int file, uint64_t address,
			 uint64_t *offset);
/* Append the name of a function: "ext4_map_blocks [ext4]", or its address. */
void trace_function_name(struct trace *trace, unsigned int file, uint64_t address,
			 struct text *out);
/* A made-up address for the name of a slice (trace_marker.h), which has that name; any thread. */
uint64_t trace_slice_address(const struct trace *trace, unsigned int file, const char *name,
			     size_t len);

struct text_line;			/* parsers/lines/text_trace.h */
/* The parts of the line of an event with is_line, borrowed. */
struct text_line trace_event_line(const struct trace_event *event);

/* Duration of a call in ns if the record (funcgraph_exit) contains it, else -1. */
int64_t trace_event_duration(const struct trace_event *event);
/* Depth of a call, in its entry and exit; -1: the record is neither. */
int trace_event_depth(const struct trace_event *event);

/* --- overview ----------------------------------------------------------- */
struct trace_bin {
	uint64_t	events;		/* in the bin; a page's are spread over its span */
	bool		lost;		/* it overlaps a gap */
	bool		damaged;
};
/*
 * Density of events in [from, to), in @nr bins, from the part indexed so far.  Cost grows with the
 * pages, so results are cached.
 */
void trace_density(struct trace *trace, int64_t from, int64_t to, unsigned int nr,
		   struct trace_bin *bins);

/*
 * Next row after @ref that is lost events, damage, an unknown type, or a step back of the clock;
 * wraps around.  NONE: none (so far).
 */
trace_ref trace_next_trouble(struct trace *trace, trace_ref ref, bool *wrapped);

/* --- totals (of what is indexed) --------------------------------------- */
struct trace_type_count {
	const struct event_type *type;	/* NULL: unknown */
	int		 id;
	unsigned int	 file;
	uint64_t	 events;
};
/* caller frees with free() */
unsigned int trace_type_counts(struct trace *trace, struct trace_type_count **counts);
/* Were events of these types recorded, as far as counted?  @name: see event_type_is() */
bool trace_has_event(struct trace *trace, unsigned int file, const char *name);
/* The same for sched_switch, if it tells who leaves and who comes. */
bool trace_has_switches(struct trace *trace, unsigned int file);
/* Were they recorded, so that there were none if it has none?  @name: as above. */
bool trace_records_event(struct trace *trace, unsigned int file, const char *name);
/* For qsort(): the most frequent first, then by file and id. */
int trace_type_counts_order(const void *a, const void *b);
#endif
