/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_FILE_TRACE_FILE_H
#define FTOP_PARSERS_FILE_TRACE_FILE_H
/*
 * trace_file - the container: the metadata of a trace.dat, and the place of each CPU's sub-buffers.
 * Passes sub-buffers on undecoded (page_reader.h, sub_buffer.h) and texts unparsed (event_types.h,
 * kallsyms.h). Format: trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5).
 *
 * Opening reads only the metadata needed to find things, so its cost does not grow with the number
 * of events.  Large texts (kallsyms, formats) are read and unpacked on first use.  After opening,
 * any thread may call any function here.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/io/trace_format.h"
#include "src/base/error.h"

struct trace_file;			/* opaque */
struct line_formats;

/* Layout of the sub-buffers ("pages") of one buffer, from its header_page text. */
struct sub_buffer_layout {
	uint32_t	page_size;	/* bytes from one sub-buffer to the next */
	uint32_t	data_offset;	/* bytes before the first event:
					   16, or 12 on 32-bit kernels */
	uint32_t	commit_offset;	/* of the commit word */
	uint8_t		long_size;	/* bytes of the kernel's long: 4 or
					   8 = size of the commit word */
	bool		big_endian;	/* of the trace */
	bool		swap;		/* big_endian differs from this machine */
};

struct trace_file_buffer {		/* one ring buffer (instance) */
	const char	*name;		/* "" = the top buffer */
	const char	*clock;		/* chosen clock: "local", "x86-tsc"; "" = not recorded */
	bool		 is_text;	/* trace_file_latency_text(): its streams are made of it */
	int		 nr_cpus;	/* cpus=N of report: the highest count of this buffer or
					 * of the file */
	unsigned int	 first_stream;
	unsigned int	 nr_streams;
	struct sub_buffer_layout layout;	/* of this buffer: sizes may
						   differ between instances */
};

struct trace_file_stream {		/* one CPU of one buffer */
	uint64_t	offset;		/* bytes from start of file */
	uint64_t	file_size;	/* bytes in the file at opening, without holes at both ends
					   (compressed size if chunked) */
	int		buffer;		/* index of the buffer */
	int		cpu;		/* CPU number as recorded; gaps are normal */
	bool		chunked;	/* compressed CPU data */
};

/*
 * Numbers and strings of the header and the options.  Strings are borrowed until close, "" where
 * absent.
 */
struct trace_file_info {
	int		 version;	/* 6 or 7 */
	bool		 big_endian;
	int		 user_long_size; /* of the recording program, from the header */
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
};

/* TIME_SHIFT: host and guest clocks (trace-cmd.dat.v7(5)); samples of one CPU, sorted by time. */
struct trace_time_shift {
	unsigned int	 nr;		/* samples */
	const uint64_t	*times;		/* [nr] */
	const int64_t	*offsets;	/* [nr] */
	const uint64_t	*scaling;	/* [nr] */
	const uint64_t	*fraction;	/* [nr]; zeros where the file has none */
};

struct trace_file_option {		/* any option, also those this program does not know */
	uint16_t	 id;
	uint32_t	 size;		/* bytes of data */
	uint64_t	 offset;	/* file offset of data; in a compressed section, of the
					 * section's header */
	const uint8_t	*data;		/* borrowed */
};

struct trace_file_format {		/* one event format file, unparsed */
	const char	*system;	/* "ftrace" for the kernel's own */
	const char	*text;		/* borrowed; not NUL-ended */
	uint32_t	 size;
	int		 id;		/* its "ID:" line, or -1 */
};

/**
 * trace_file_open() - open a trace.dat and find what is in it
 * @path: file to read; a copy is kept
 * @fd:   the file, open for reading: taken over, in any case; -1 = open it by @path
 * @err:  set on failure, untouched on success
 *
 * Damage that leaves something to show (truncated, unfinished, sizes that lie) is not a failure:
 * trace_file_note() returns it.
 *
 * Return: a file for the caller to end with trace_file_close(), or NULL with FT_E_IO, FT_E_VERSION,
 * FT_E_UNSUPPORTED (codec not built in: named), or FT_E_FORMAT and FT_E_LIMIT (offset of the bad
 * byte).
 */
struct trace_file *trace_file_open(const char *path, int fd, struct ft_error *err);

/* How to read a text; zeroed: as trace_file_open() does. */
struct trace_file_options {
	uint64_t	head;		/* of a long one, only its first bytes: there are no more
					 * events then, and trace_file_is_head() is true */
	const struct line_formats *formats;	/* of its events (parsers/lines/line_known.h):
						 * must outlive the file */
};
struct trace_file *trace_file_open_with(const char *path, int fd,
					const struct trace_file_options *options,
					struct ft_error *err);
bool trace_file_is_head(const struct trace_file *file);
/* Look at a part of all lines.  One thread at a time.  1: there is more; -1: it cannot be read. */
int trace_file_read_rest(struct trace_file *file);
/* The part of the bytes of the text that were looked at. */
unsigned int trace_file_permille(const struct trace_file *file);
/* Open the file again as a whole, after trace_file_read_rest() if @former is a head; once. */
struct trace_file *trace_file_open_again(struct trace_file *former, struct ft_error *err);
void trace_file_close(struct trace_file *file);	/* NULL is allowed */

/*
 * What was found; borrowed from the file, unchanged until it is closed.  Buffers, streams, options
 * and formats are numbered from 0; NULL past the last.
 */
const struct trace_file_info *trace_file_info(const struct trace_file *file);
/* The kernel's, of the uname: major << 16 | minor; 0 = unknown. */
unsigned int trace_file_release(const struct trace_file *file);

/* the top buffer first, then in file order */
unsigned int trace_file_nr_buffers(const struct trace_file *file);
const struct trace_file_buffer *trace_file_buffer(const struct trace_file *file, unsigned int i);

/* buffer by buffer, CPUs ascending */
unsigned int trace_file_nr_streams(const struct trace_file *file);
const struct trace_file_stream *trace_file_stream(const struct trace_file *file, unsigned int i);

/**
 * trace_file_stream_bytes() - unpacked bytes of a stream that can be read now
 *
 * The first call on a chunked stream reads its chunk directory (thread-safe).  A last piece shorter
 * than a sub-buffer is included.
 */
uint64_t trace_file_stream_bytes(const struct trace_file *file, unsigned int i);

/* Sub-buffers of the stream: the last one may be shorter than the others. */
uint64_t trace_file_stream_pages(const struct trace_file *file, unsigned int i);

/* of all sections, in file order */
unsigned int trace_file_nr_options(const struct trace_file *file);
const struct trace_file_option *trace_file_option(const struct trace_file *file, unsigned int i);

/*
 * The sum of what is behind a word in the kernel's statistics of the CPUs of a buffer (-1: of all),
 * at most INT64_MAX.  @key: "\noverrun:"
 */
uint64_t trace_file_cpu_stat(const struct trace_file *file, int buffer, const char *key);

/* TIME_SHIFT samples of a CPU, or NULL.  @interpolate receives the option's flag; may be NULL. */
const struct trace_time_shift *trace_file_time_shift(const struct trace_file *file, int cpu,
						     bool *interpolate, uint64_t *peer_trace_id);

/*
 * The event formats, "ftrace" ones first, then in file order.  The first call reads and splits
 * them.
 */
unsigned int trace_file_nr_formats(const struct trace_file *file);
const struct trace_file_format *trace_file_format(const struct trace_file *file, unsigned int i);
/* the first one with this id; or NULL */
const struct trace_file_format *trace_file_format_by_id(const struct trace_file *file, int id);

const char *trace_file_text_name(enum trace_text kind);	/* "kallsyms"; not of TGIDS */

/*
 * A text (borrowed, NUL-ended, *size without the NUL); "" and 0 if the file has none or it cannot
 * be read (which adds a note).
 */
const char *trace_file_section_text(const struct trace_file *file, enum trace_text kind,
				    uint64_t *size);

struct line_file;			/* parsers/lines/line_file.h */
/*
 * What a text trace holds, or a trace.dat with the text of a latency tracer; NULL: the file has
 * sub-buffers.
 */
const struct line_file *trace_file_lines(const struct trace_file *file);

/* Latency text of a buffer with is_text (borrowed, NUL-ended). */
const char *trace_file_latency_text(const struct trace_file *file, unsigned int buffer,
				    uint64_t *size);

/*
 * Damage that was found and survived: offset and message.  The first reads of the streams may add
 * more.
 */
unsigned int trace_file_nr_notes(const struct trace_file *file);
struct ft_error trace_file_note(const struct trace_file *file, unsigned int i);
void trace_file_add_note(const struct trace_file *file, int64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4))); /* thread-safe; keeps at most some hundred */
#endif
