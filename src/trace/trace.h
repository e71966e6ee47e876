/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_H
#define FTOP_SRC_TRACE_H
/*
 * trace - the model that views and commands ask: rows, time, CPUs, tasks, event
 * types of one or several files on one time line.
 *
 * Nothing is held per event: a page directory says where events lie and they are
 * read again when they are asked for.  It is built in the background by workers;
 * everything here works before it is finished.
 *
 *   row    position in the merged order of all streams; what was lost or damaged has rows of its own.  Rows are exact
 *          where the directory is complete, and move as it grows: keep refs, not rows.
 *   ref    a row's lasting address: stream, page, item in the page.  Valid as long as the trace, also while it grows.
 *   ts     model time, int64: ns, or the clock's own unit (trace_unit()).
 *   key    a row's place in time: the running maximum of ts in its stream.  Order: (key, stream, position).
 *
 * One thread (the main one) calls the functions below, unless they say otherwise.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/base/text.h"

struct trace;				/* opaque */
struct trace_file;			/* parsers/file/trace_file.h */
struct event_type;			/* parsers/types/event_types.h */
struct event_types;
struct printer;				/* parsers/printer/printer.h */
struct record_text;			/* parsers/text/record_text.h */
struct workers;

typedef uint64_t trace_ref;
#define TRACE_REF_NONE	UINT64_MAX

/* stream (16 bits) | page (28) | item (20).  Item 0: what was lost before the page; then its records; LAST: its damage. */
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
	return (uint64_t)stream << (TRACE_REF_ITEM_BITS + TRACE_REF_PAGE_BITS) | page << TRACE_REF_ITEM_BITS | item;
}

struct trace_options {
	unsigned int	nr_workers;	/* 0 = as many as there are CPUs, less one */
	int		hold_permille;	/* tests: the page directory stops at this point (0..1000); -1 = never */
	bool		no_index;	/* do not start building the directory (report --head, info's header) */
	bool		sequential_printer; /* report: rows are printed in order from the first on */
	const int	*fds;		/* opened already, as trace_file_open_fd() has it, one for each file; NULL = by path */
	const struct printer_options *printer;	/* parsers/printer/printer.h; NULL = defaults */
};

enum trace_unit { TRACE_UNIT_NS, TRACE_UNIT_COUNT };	/* COUNT: counter, cycles, jiffies: raw numbers */

enum trace_row_kind {
	TRACE_ROW_EVENT,
	TRACE_ROW_LOST,			/* events were lost on this CPU before the next row of it */
	TRACE_ROW_DAMAGE,		/* the rest of a sub-buffer cannot be read */
	TRACE_ROW_TEXT,			/* a line of latency text */
};

struct trace_event {
	trace_ref	 ref;
	enum trace_row_kind kind;
	int64_t		 ts;		/* as recorded, transformed to model time */
	int64_t		 key;		/* its place in the order; > ts where the clock went back */
	uint64_t	 raw_ts;	/* as recorded, untransformed */
	unsigned int	 stream;
	unsigned int	 file;
	unsigned int	 buffer;	/* of the file */
	int		 cpu;
	/* EVENT */
	bool		 swap;		/* numbers in data are of the other byte order (parsers/types/field.h) */
	bool		 first_in_page;	/* no padding or time extend before it: report tells lost events before such records only */
	const uint8_t	*data;		/* payload; valid until the next call with the same cursor.  TEXT: the line */
	uint32_t	 size;		/* bytes */
	uint32_t	 room;		/* EVENT: bytes that may be read from data on, at least size: to the end of the page */
	uint32_t	 in_page;	/* bytes of the page before data: it begins at data - in_page */
	int		 type_id;	/* common_type */
	const struct event_type *type;	/* NULL: no format for this id */
	int		 pid;		/* common_pid; initial namespace; TEXT: as read, -1 if none */
	uint8_t		 flags;		/* common_flags */
	uint8_t		 preempt_count;	/* common_preempt_count: low 4 bits preemption depth, high 4 migrate-disable */
	bool		 lazy_resched;	/* flag 0x02 means need-resched-lazy: kernels from 6.14 on */
	/* LOST */
	bool		 lost_known;
	uint64_t	 lost_count;
	int64_t		 gap_from, gap_to; /* LOST: last ts before (or first of the trace) and first ts after the gap */
	bool		 gap_is_start;	/* LOST: nothing of this stream lies before it */
	/* DAMAGE */
	uint64_t	 damage_offset;	/* byte in the file */
};

/**
 * trace_open() - open one or several trace files as one time line
 *
 * Reads metadata and the first and last sub-buffer of every stream; the directory is built in the background.
 * Return: NULL with the error of the file that could not be opened (message names it).  Clocks that cannot be compared
 * are an error (FT_E_UNSUPPORTED) unless @merge_any.
 */
struct trace *trace_open(const char *const *paths, unsigned int nr, bool merge_any, const struct trace_options *options,
			 struct ft_error *err);
void trace_close(struct trace *trace);	/* NULL is allowed */

/* --- what it is --------------------------------------------------------- */
unsigned int trace_nr_files(const struct trace *trace);
const struct trace_file *trace_file_of(const struct trace *trace, unsigned int file);
const char *trace_path(const struct trace *trace, unsigned int file);
/* What was found wrong with a file itself, and survived: offset and message.  Their number may grow. */
unsigned int trace_nr_notes(const struct trace *trace, unsigned int file);
struct ft_error trace_note(const struct trace *trace, unsigned int file, unsigned int i);
struct event_types *trace_event_types(struct trace *trace, unsigned int file);	/* any thread */
struct printer *trace_printer(struct trace *trace, unsigned int file);	/* made at the first call; the main thread's */
/* Texts and names of values by programs of our own: made at the first call, by the main thread; then for any.  Or NULL. */
struct record_text *trace_record_text(struct trace *trace, unsigned int file);
enum trace_unit trace_unit(const struct trace *trace);
const char *trace_clock(const struct trace *trace);		/* "local"; "" unknown */
const char *trace_kernel(const struct trace *trace);		/* release of the first file's uname; "" unknown */
unsigned int trace_nr_streams(const struct trace *trace);
unsigned int trace_nr_cpus(const struct trace *trace);		/* CPUs with a stream, of the largest file */
bool trace_is_text(const struct trace *trace);			/* latency text: rows are lines */
bool trace_span(const struct trace *trace, int64_t *first, int64_t *last); /* false: no events */
int64_t trace_wall_offset_ns(const struct trace *trace, bool *known);	/* add to ts for wall clock, where the file tells it */

struct trace_stream_info {
	unsigned int	file, buffer;
	int		cpu;
	const char	*buffer_name;	/* "" = top */
	uint64_t	pages;
	uint64_t	events;		/* so far */
	uint64_t	lost_events;	/* sum of the known counts, so far */
	uint64_t	lost_unknown;	/* gaps without a count, so far */
};
/* @stream: below trace_nr_streams().  Counts grow with the directory. */
struct trace_stream_info trace_stream_info(const struct trace *trace, unsigned int stream);

/* --- how far it is ------------------------------------------------------ */
struct trace_status {
	uint64_t	events;		/* exact when complete, else estimated */
	uint64_t	rows;
	uint64_t	lost_events;	/* sum of the known counts, so far */
	uint64_t	lost_unknown;	/* gaps without a count, so far */
	uint64_t	damaged_pages;	/* so far */
	unsigned int	permille;	/* of the bytes indexed */
	bool		complete;
};
struct trace_status trace_status(const struct trace *trace);	/* any thread */
struct workers *trace_workers(struct trace *trace);		/* borrowed: the pool that all jobs of the trace share */
void trace_wait(struct trace *trace);				/* until the directory is complete (or held) */
void trace_hold(struct trace *trace, int permille);		/* tests: move the point where the directory stops; -1 = none */
void trace_refresh(struct trace *trace);			/* the streams grew: index what is new */
/* Shift a file's model time by this much more than the file says; the directory stays.  Cursors must seek again. */
void trace_set_offset(struct trace *trace, unsigned int file, int64_t offset_ns);

/* --- rows, refs, times -------------------------------------------------- */
trace_ref trace_first(struct trace *trace);			/* TRACE_REF_NONE: no rows */
trace_ref trace_last(struct trace *trace);
trace_ref trace_select(struct trace *trace, uint64_t row);	/* row-th row; clamps to the last; a guess until complete */
uint64_t trace_rank(struct trace *trace, trace_ref ref, bool *exact); /* rows before it */
uint64_t trace_rank_events(struct trace *trace, trace_ref ref, bool *exact); /* events before it */
trace_ref trace_select_event(struct trace *trace, uint64_t nr);	/* the nr-th event, not counting lost and damage rows */
/* First row with key >= ts, of this CPU (of any buffer) if cpu >= 0; NONE if all are before. */
trace_ref trace_seek_time(struct trace *trace, int64_t ts, int cpu);
int trace_compare(struct trace *trace, trace_ref a, trace_ref b);	/* -1, 0, 1 in the merged order */

/* --- reading in order --------------------------------------------------- */
struct trace_cursor;			/* a place between two rows, that moves both ways */
struct trace_cursor *trace_cursor_new(struct trace *trace);
void trace_cursor_free(struct trace_cursor *cursor);		/* NULL is allowed */
void trace_cursor_only_cpus(struct trace_cursor *cursor, const bool *cpus, unsigned int nr); /* NULL = all; then seek again */
void trace_cursor_only_stream(struct trace_cursor *cursor, unsigned int stream); /* rows of one stream: then as cheap as a stream is; seek again */
void trace_cursor_only_streams(struct trace_cursor *cursor, const bool *streams, unsigned int nr); /* rows of these streams; NULL = all; seek again */
void trace_cursor_seek(struct trace_cursor *cursor, trace_ref ref);	/* before this row; NONE = behind the last */
void trace_cursor_seek_time(struct trace_cursor *cursor, int64_t ts);	/* before the first row with key >= ts */
bool trace_cursor_next(struct trace_cursor *cursor, struct trace_event *event);	/* false: no more */
bool trace_cursor_prev(struct trace_cursor *cursor, struct trace_event *event);	/* the row before; false: none */
/* After false, of a cursor with a filter: there may be more, but no time to look.  The same call goes on from there. */
bool trace_cursor_is_later(const struct trace_cursor *cursor);
bool trace_event_at(struct trace *trace, trace_ref ref, struct trace_event *event); /* own memory, until the next such call */

/* --- what a row says ---------------------------------------------------- */
const char *trace_comm(struct trace *trace, unsigned int file, int pid, int64_t ts); /* the name at that time; interned */
/* Every name that a task of a file was seen with, or is saved under. */
void trace_comms(struct trace *trace, unsigned int file, void (*each)(void *arg, int pid, const char *name), void *arg);
/* The process (thread group) of a task at that time; any thread; false: nothing tells it. */
bool trace_tgid(struct trace *trace, unsigned int file, int pid, int64_t ts, int *tgid);
enum trace_text_style {
	TRACE_TEXT_KERNEL,		/* the kernel's */
	TRACE_TEXT_SHORT,		/* trace-cmd's, with the states of the kernel that recorded it: it needs less room */
};
/* Raw bytes.  Records of the function tracers are short in both. */
void trace_event_text(struct trace *trace, const struct trace_event *event, enum trace_text_style style, struct text *out);
/* The same of an event by itself, whatever is behind it: a call without calls in it reads as others do.  Any thread. */
void trace_event_text_alone(struct trace *trace, const struct trace_event *event, enum trace_text_style style, struct text *out);
const char *trace_event_system(const struct trace_event *event);	/* "sched"; "" for other rows */
const char *trace_event_name(const struct trace_event *event);	/* "sched_switch"; "?" unknown type */
void trace_latency_flags(const struct trace_event *event, struct text *out);	/* "d.h21" in the kernel's letters */

struct trace_field_value {
	const char	*name;
	const char	*type;		/* as in the format */
	struct text	 raw;		/* "1", "0xffffffff81000000", "wl-ping" */
	struct text	 printed;	/* by the print format: "S", "do_nanosleep+0x12"; empty if the same */
};
/* Fields of an event in the format's order, common ones first.  *fields is owned by the caller: trace_fields_free(). */
unsigned int trace_event_fields(struct trace *trace, const struct trace_event *event, struct trace_field_value **fields);
void trace_fields_free(struct trace_field_value *fields, unsigned int nr);

/* A stack record (kernel_stack, user_stack): its addresses as text, one line each.  False: not a stack. */
/* State of a task in a sched_switch, by the letters of the kernel that recorded it: "S", "D|K", "R+". */
void trace_event_task_state(const struct trace_event *event, uint64_t state, struct text *out);
bool trace_event_is_stack(const struct trace_event *event);
unsigned int trace_event_stack(struct trace *trace, const struct trace_event *event, struct text **lines); /* caller frees with trace_stack_free() */
void trace_stack_free(struct text *lines, unsigned int nr);
const char *trace_symbol(struct trace *trace, unsigned int file, uint64_t address, uint64_t *offset); /* or NULL */

/* Duration of a call in ns where the record has one (funcgraph_exit), else -1. */
int64_t trace_event_duration(const struct trace_event *event);

/* --- overview ----------------------------------------------------------- */
struct trace_bin {
	uint64_t	events;		/* in the bin (a page's events spread over its span) */
	bool		lost;		/* a gap touches it */
	bool		damaged;
};
/* Density of [from, to) in nr bins, of what is indexed; cost grows with the pages, so it is cached for unchanged arguments. */
void trace_density(struct trace *trace, int64_t from, int64_t to, unsigned int nr, struct trace_bin *bins);

/* Next lost, damage, unknown-type or clock-going-back row behind ref, then round again; NONE: there is none (so far). */
trace_ref trace_next_trouble(struct trace *trace, trace_ref ref, bool *wrapped);

/* --- totals (of what is indexed) --------------------------------------- */
struct trace_type_count {
	const struct event_type *type;	/* NULL: unknown */
	int		 id;
	unsigned int	 file;
	uint64_t	 events;
};
unsigned int trace_type_counts(struct trace *trace, struct trace_type_count **counts); /* caller frees with free() */
#endif
