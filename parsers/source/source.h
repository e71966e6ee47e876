/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_SOURCE_SOURCE_H
#define FTOP_PARSERS_SOURCE_SOURCE_H
/*
 * source - a trace, whatever form it has: its buffers, a stream of sub-buffers for each CPU, event
 * formats, and texts.  Sub-buffers are read with parsers/pages/page_reader.h and decoded with
 * sub_buffer.h; texts are passed on unparsed (event_types.h, kallsyms.h).  source_form.h is for
 * those who make a source; parsers/open opens a file of any form.
 *
 * The cost of opening does not grow with the number of events, except for the lines of a text.
 * Large texts (kallsyms, formats) are read and unpacked on first use.  After opening, any thread
 * may call any function here.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/io/trace_format.h"
#include "src/base/error.h"

struct source;				/* opaque */
struct line_formats;
struct text;
struct text_trace_header;

/* Layout of the sub-buffers ("pages") of one buffer, from its header_page text. */
struct sub_buffer_layout {
	uint32_t	page_size;	/* bytes from one sub-buffer to the next */
	uint32_t	data_offset;	/* bytes before the first event:
					   16, or 12 on 32-bit kernels */
	uint32_t	commit_offset;	/* bytes before the commit word */
	uint8_t		long_size;	/* bytes of the kernel's long: 4 or
					   8 = size of the commit word */
	bool		big_endian;	/* the trace's byte order */
	bool		swap;		/* big_endian differs from this machine */
};

struct source_buffer {		/* one ring buffer (instance) */
	const char	*name;		/* "" = the top buffer */
	const char	*clock;		/* chosen clock: "local", "x86-tsc"; "" = not recorded */
	bool		 is_text;	/* text of a latency tracer; its streams are made from it */
	int		 nr_cpus;	/* cpus=N of report: the highest count of this buffer or
					 * of the file */
	unsigned int	 first_stream;
	unsigned int	 nr_streams;
	struct sub_buffer_layout layout;	/* its own: sizes may differ between instances */
};

struct source_stream {		/* one CPU of one buffer */
	uint64_t	offset;		/* bytes from start of file */
	uint64_t	file_size;	/* bytes in the file at opening, without holes at both ends
					   (compressed size if chunked) */
	int		buffer;		/* index of the buffer */
	int		cpu;		/* CPU number as recorded; gaps are normal */
	bool		chunked;	/* compressed CPU data */
	bool		is_cut;		/* the file ends before its last sub-buffers: one that
					 * cannot be read stands for them */
};

struct source_event_name {
	int		 type;		/* id of its records' type; 0: there are none */
	const char	*name;		/* NULL: that of the type */
	uint64_t	 period;	/* of samples that have none */
	bool		 has_cpu;	/* samples tell their CPU */
	bool		 has_chains;	/* stacks follow: see parsers/perf/perf_types.h */
	bool		 has_ip;	/* samples tell where they were */
	bool		 is_raw_pmu;	/* of a CPU's own counter, as those of accesses to memory */
	bool		 is_tracepoint;
};

struct source_name {			/* a task's name, from a time on */
	int		 pid;
	uint64_t	 ts;		/* raw */
	const char	*name;		/* not NUL-ended */
	unsigned int	 len;
};

/*
 * Numbers and strings of the header and the options.  Strings are borrowed until close, "" where
 * absent.
 */
struct source_info {
	const char	*form;		/* its name: "trace.dat", "text", … */
	int		 version;	/* version of a trace.dat: 6 or 7; else 0 */
	bool		 big_endian;
	int		 user_long_size; /* bytes of the recording program's long; 8 unless set */
	uint32_t	 page_size;	/* bytes, from the header */
	const char	*compression;	/* "none", "zstd", "zlib"; "none" for v6 */
	const char	*compression_version;
	uint64_t	 size;		/* bytes of the file at opening */
	int		 cpu_count;	/* CPUCOUNT, or the v6 count of CPUs */
	const char	*uname;		/* "Linux host 6.1.0 x86_64" */
	const char	*writer;	/* option VERSION: the program that wrote the file */
	const char	*clock_text;	/* whole trace_clock file: "[local] global …" */
	bool		 has_trace_clock; /* a TRACECLOCK option (v7) or a clock after the CPU
					   * table (v6) is present */
	bool		 has_date, has_offset, has_tsc2nsec, has_trace_id;
	int64_t		 date_us;	/* DATE option: microseconds to add to stamps */
	int64_t		 offset_ns;	/* OFFSET option: nanoseconds to add to stamps */
	uint32_t	 tsc_mult, tsc_shift;	/* ns = ts * mult >> shift (+
						   tsc_offset, which readers ignore) */
	uint64_t	 tsc_offset;
	uint64_t	 trace_id;
	bool		 has_wall;	/* our recorder read the wall clock together with the
					 * trace clock */
	int64_t		 wall_offset_ns; /* raw stamp + this = ns since the epoch, at the start
					  * of the recording */
	uint64_t	 wall_within_ns; /* uncertainty in ns, over the whole recording */
	const char	*cuts;		/* what `cut` left out of the recording: a line each, as the
					 * options that chose the rest; "" = nothing */
#define SOURCE_CUT_OF_TASKS	"what some tasks did"	/* is such a line: by perf_target.h */
#define SOURCE_CUT_IN_GAP	"what was not lost at the end of the window"	/* by src/cut */
	const char	*left_out;	/* what is in the file and not shown; "" = nothing */
	const char	*extracted;	/* which buffer of others it was: as cuts; "" = none */
	const char	*hits;		/* why `record --until` stopped: lines, as of
					 * src/trace/trace_hits.h; "" = nothing */
	const char	*missed;	/* what the kernel's probes missed: lines "HITS SYSTEM:NAME";
					 * "" = nothing */
	unsigned int	 nr_event_names;
	const struct source_event_name *event_names;	/* as the recorder was told them: all events
							 * that it recorded, if known */
	bool		 names_files;	/* functions of user space are to be found in the files
					 * that it names (src/trace/trace_user.h) */
	bool		 has_texts;	/* its print formats make the texts of all records: no event
					 * is one that plugins know */
	bool		 has_command;	/* it is all that a command did, which then ended */
	/* what a form says whose records are made of lines; else 0 */
	bool		 is_text;	/* a record has its lines, which are its text */
	uint64_t	 nr_parts;	/* source_part(); 0 = it is not a file of text */
	bool		 is_untimed;	/* no line has a time: stamps are sums of durations */
	bool		 is_hist;	/* histograms that the kernel counts: there are no events */
	const struct text_trace_header *latency; /* header of a latency tracer's text: what stands
						  * above its lines (parsers/lines/text_trace.h) */
	uint64_t	 step;		/* ns: times are whole steps; what a stamp has beyond them
					 * only tells the order.  0 = times are exact */
	uint64_t	 zero;		/* raw stamp of the time 0; times can be negative */
	uint64_t	 head;		/* bytes that were looked at, if only a head; else 0 */
	uint64_t	 tail_ts;	/* raw stamp of the file's last lines, if only the head is
					 * read; 0 = unknown */
	uint32_t	 page_bytes;	/* bytes of text that become one sub-buffer; 0 = the
					 * sub-buffer itself */
	unsigned int	 nr_names;
	const struct source_name *names; /* [nr_names]; a task can have several */
};

/* TIME_SHIFT: host and guest clocks (trace-cmd.dat.v7(5)); samples of one CPU, sorted by time. */
struct trace_time_shift {
	unsigned int	 nr;		/* samples */
	const uint64_t	*times;		/* [nr] */
	const int64_t	*offsets;	/* [nr] */
	const uint64_t	*scaling;	/* [nr] */
	const uint64_t	*fraction;	/* [nr]; zeros where the file has none */
};

/* GUEST: a virtual machine that was recorded at the same time, and the host's tasks that ran it. */
struct source_guest {
	const char	*name;
	uint64_t	 trace_id;	/* TRACEID of its own file */
	unsigned int	 nr;
	const struct source_vcpu {
		uint32_t cpu;		/* of the guest */
		int	 pid;		/* of the host */
	}		*vcpus;		/* [nr] */
};

struct source_format {		/* one event format file, unparsed */
	const char	*system;	/* "ftrace" for the kernel's own */
	const char	*text;		/* borrowed; not NUL-ended */
	uint32_t	 size;
	int		 id;		/* its "ID:" line, or -1 */
	const char	*own_name;	/* "sched:sched_switch": as its trace has it; NULL: the text
					 * says it */
	uint8_t		 lacks;		/* bits of enum source_format_lacks */
};

/* What the records of a type have no value of, although their form has a place for it. */
enum source_format_lacks {
	FORMAT_LACKS_FLAGS = 1 << 0,	/* common_flags and common_preempt_count */
	FORMAT_LACKS_TIME = 1 << 1,
	FORMAT_LACKS_CPU = 1 << 2,
	FORMAT_LACKS_FIELDS = 1 << 3,	/* all but the common ones, and contexts */
	FORMAT_LACKS_HITS = 1 << 4,	/* some records: the kernel's probe missed hits */
	FORMAT_LACKS_ALL = (1 << 5) - 1,
};

/* What a page has, known without reading it. */
struct type_count {
	uint16_t	 type;		/* its id */
	uint16_t	 nr;
};
struct page_sum {
	uint64_t	 first, last;	/* raw stamps: of the first event, the highest */
	uint64_t	 pids;		/* pid_bits() */
	uint64_t	 lost;		/* events; 0 = number unknown */
	uint64_t	 counts;	/* index of its first count among those of the source */
	uint32_t	 events;
	uint16_t	 nr_counts;	/* event types */
	uint16_t	 told;		/* a type that tells of tasks only what texts of the source
					 * tell, too; 0 = none */
	uint16_t	 cpu;
	bool		 is_lost;	/* lost events come first; without events, at `first` */
	bool		 has_first;	/* events of the CPU's first task, named below or never */
	bool		 is_backwards;	/* a stamp is lower than one before */
	bool		 is_unsure;	/* the records have other stamps: theirs have 59 bits */
};

void source_close(struct source *source);	/* NULL is allowed */

/* Are these only the first bytes of a long file?  There are no more events then. */
bool source_is_head(const struct source *source);
/* Look at a part of all lines.  One thread at a time.  1: there is more; -1: it cannot be read. */
int source_read_rest(struct source *source);
/* The part of the bytes of the text that were looked at. */
unsigned int source_permille(const struct source *source);

/* --- traces that grow ----------------------------------------------------- */

enum source_growth {
	SOURCE_WHOLE,		/* nothing is appended (any more) */
	SOURCE_GROWS,		/* a recorder appends to it */
	SOURCE_ENDED,		/* the recorder finishes the file: open it by its final name */
};

enum source_growth source_growth(const struct source *source);
/*
 * Look for what was appended: streams may have more pages, and those that they had stay the same,
 * or are dropped: the first ones.  One thread at a time, while others read.
 */
enum source_growth source_grow(struct source *source);
/*
 * Has the recorder begun to finish the file?  It moves the sub-buffers, so what was read since
 * growth was last SOURCE_GROWS may be damaged.  It is SOURCE_ENDED then.  As source_grow().
 */
bool source_has_ended(struct source *source);
/* What the kernel counted for a CPU of a buffer: see trace_file_cpu_stat().  0: not known. */
uint64_t source_cpu_stat(const struct source *source, int buffer, int cpu, const char *key);
/*
 * No record of the stream from before this raw stamp is still to come; 0: unknown.  As of opening,
 * or of the last source_grow().
 */
uint64_t source_settled(const struct source *source, unsigned int i);
/*
 * Lines that the text TRACE_TEXT_WHO goes on with: what opening, or the last source_grow(), found.
 * Valid until the next one.
 */
const char *source_more_who(const struct source *source, uint64_t *size);
/*
 * The first page that the recorder has not dropped, as far as known.  Those before it keep their
 * numbers; soon they cannot be read.  Any thread.
 */
uint64_t source_first_page(const struct source *source, unsigned int i);

/*
 * What was found; borrowed from the file, unchanged until it is closed.  Buffers, streams, options
 * and formats are numbered from 0; NULL past the last.
 */
const struct source_info *source_info(const struct source *source);
/* The kernel's, of the uname: major << 16 | minor; 0 = unknown. */
unsigned int source_release(const struct source *source);

/* the top buffer first, then in file order */
unsigned int source_nr_buffers(const struct source *source);
const struct source_buffer *source_buffer(const struct source *source, unsigned int i);

/* buffer by buffer, CPUs ascending */
unsigned int source_nr_streams(const struct source *source);
const struct source_stream *source_stream(const struct source *source, unsigned int i);

/**
 * source_stream_bytes() - unpacked bytes of a stream that can be read now
 *
 * The first call on a chunked stream reads its chunk directory (thread-safe).  A last piece shorter
 * than a sub-buffer is included.
 */
uint64_t source_stream_bytes(const struct source *source, unsigned int i);

/*
 * Sub-buffers of the stream: the last one may be shorter than the others.  With those that cannot
 * be read because the file was cut off.
 */
uint64_t source_stream_pages(const struct source *source, unsigned int i);

/* TIME_SHIFT samples of a CPU, or NULL.  @interpolate receives the option's flag; may be NULL. */
const struct trace_time_shift *source_time_shift(const struct source *source, int cpu,
						 bool *interpolate, uint64_t *peer_trace_id);

/* In file order; NULL past the last. */
const struct source_guest *source_guest(const struct source *source, unsigned int i);

/*
 * The event formats, "ftrace" ones first, then in file order.  The first call reads and splits
 * them.
 */
unsigned int source_nr_formats(const struct source *source);
const struct source_format *source_format(const struct source *source, unsigned int i);
/* the first one with this id; or NULL */
const struct source_format *source_format_by_id(const struct source *source, int id);

/*
 * A format and a record as a trace.dat can have them.  They are the source's own, unless its
 * records have more than a trace.dat has: those of lines.  Append the format; write the payload at
 * @to.  Return: its bytes, a multiple of 4; 0: @room is too small.
 */
void source_file_format(const struct source *source, unsigned int i, struct text *out);
uint32_t source_file_record(const struct source *source, const uint8_t *data, uint32_t size,
			    uint8_t *to, uint32_t room);

const char *source_text_name(enum trace_text kind);	/* "kallsyms" */

/*
 * A text (borrowed, NUL-ended, *size without the NUL); "" and 0 if the file has none or it cannot
 * be read (which adds a warning).
 */
const char *source_text(const struct source *source, enum trace_text kind, uint64_t *size);

/*
 * Why the file may lack a text, or a part of it, in words: it was cut off, or is damaged.  NULL: it
 * has all of it, or never had any.
 */
const char *source_text_lost(const struct source *source, enum trace_text kind);

/* The part of a text that a page's records are of, and its lines, which are appended. */
uint64_t source_part(const struct source *source, unsigned int stream, uint64_t page);
bool source_part_text(const struct source *source, uint64_t part, struct text *out);

/*
 * Append the kernel's histograms: all that a source with is_hist has, up to 64 MiB; of others,
 * what the recorder kept beside the events.  @out: NULL = only look.  False: there are none, or
 * they cannot be read.
 */
bool source_histograms(const struct source *source, struct text *out);

/*
 * What opening survived: offset and message.  The first reads of the streams may add more.  With
 * FT_E_FORMAT a warning is of damage, with FT_E_UNSUPPORTED of what is not shown of a sound file.
 */
unsigned int source_nr_warnings(const struct source *source);
struct ft_error source_warning(const struct source *source, unsigned int i);
void source_add_warning(const struct source *source, int64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4))); /* thread-safe; keeps at most some hundred */
void source_add_note(const struct source *source, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));          /* the same, of a sound file */
bool source_is_damaged(const struct source *source);	/* has a warning of damage */
#endif
