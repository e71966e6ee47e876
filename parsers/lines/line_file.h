/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_FILE_H
#define FTOP_PARSERS_LINES_LINE_FILE_H
/*
 * line_file - a text trace as sub-buffers of records, so that all else reads it like a trace.dat.
 *
 * The text is cut into parts: of one or more LINE_PAGE_BYTES, or up to a line about lost events.  A
 * page of a CPU holds its events whose lines begin in a part; parts without any have no page of it.
 * Events become records when their page is read, for which no line of another CPU is read:
 *
 *   0            8         16            size
 *   | type flags | place of | fields as   | strings, the lines | 0 |
 *   | count pid  | the text | line_types  |  as in the file    |   |
 *
 * A row is a line with an event and what follows it: the lines of its stack, and lines that are not
 * understood.  A call "f();" has a second record, its exit, whose lines are empty.  A sample of
 * perf script has another record for each of its stacks, kernel_stack and user_stack.  One pass on
 * opening finds the names of events, tasks and functions, and what each page has.
 */
#include "parsers/lines/line_types.h"
#include "parsers/source/source.h"
#include "src/base/error.h"

#define LINE_PAGE_BYTES		(64u << 10)	/* a block of the text, of up to 8 CPUs a part */
#define LINE_ROW_BYTES		(64u << 10)	/* bytes kept of a row: the rest is cut off */
/* Room for the records of a page: those of the shortest lines of a block fit. */
#define LINE_RECORDS_BYTES	(1u << 20)
#define LINE_MAX_CPU		8191		/* CONFIG_NR_CPUS of the kernel */
/* raw stamp of a relative time 0: it may be negative */
#define LINE_TIME_BIAS		(1000ull << 46)
#define LINE_UNTIMED_CLOCK	"durations"	/* its name: stamps are sums of durations */

struct line_file_info {
	struct text_trace_header header;	/* slices of the file's first bytes */
	struct text_slice comments;	/* the lines at the beginning that begin with # */
	uint64_t	 events, unknown;	/* lines */
	struct text_slice first_unknown;	/* the beginning of that line */
	uint64_t	 without_cpu, without_task;	/* events */
	uint64_t	 cut;		/* rows longer than LINE_ROW_BYTES */
	uint64_t	 half_line;	/* bytes at the end that are left out: of half a line */
	bool		 is_relative;	/* stamps are LINE_TIME_BIAS + ns since the trace began */
	bool		 is_count;	/* times have no unit */
	bool		 is_graph;	/* from the tracer function_graph, or with display-graph */
	bool		 is_latency;	/* from a latency tracer: irqsoff, wakeup … */
	bool		 is_bare;	/* its lines have no task and CPU, and mostly no time */
	bool		 is_untimed;	/* no line has a time: stamps are sums of durations */
	bool		 is_perf;	/* from perf script */
	bool		 is_of_tasks;	/* the same, and it has no CPUs, or some tasks only */
	bool		 is_hist;	/* histograms that the kernel counts: there are no events */
	int64_t		 highest_state;	/* of tasks that are switched, where lines have numbers */
	bool		 has_ns;	/* times have nine digits; else six, and the last three of a
					 * raw stamp only tell the order of the lines */
	uint64_t	 tail_ts;	/* raw stamp of the last lines, if a head was read; else
					 * 0 */
	unsigned int	 nr_cpus;	/* the highest number + 1 */
	const bool	*cpus;		/* [nr_cpus] */
	unsigned int	 nr_names;
	const struct source_name *names;
	const struct line_types *types;
	uint64_t	 nr_parts;
};

struct line_file;			/* opaque; does not change: for any thread */

/* Is it a text trace?  @bytes: the beginning of a file. */
bool line_file_is_text(const char *bytes, uint64_t len);

/*
 * Look at the lines of the first @head bytes, and for the last time at those of the end; 0: at all
 * lines.  @fd is borrowed, as are @formats of events (line_known.h), which may be NULL.
 * Return: NULL with FT_E_FORMAT if none of them is an event, FT_E_IO.
 */
struct line_file *line_file_new(int fd, uint64_t size, uint64_t head,
				const struct line_formats *formats, struct ft_error *err);

/*
 * Begin to read all lines of @fd, or of @text in memory, which is borrowed and may have no events.
 * line_file_step() reads some of them.  It returns 0: all are read, the file may be used; 1: there
 * is more, *done: bytes so far; -1: as line_file_new().
 */
struct line_file *line_file_begin(int fd, const char *text, uint64_t size,
				  const struct line_formats *formats);
int line_file_step(struct line_file *file, uint64_t bytes, uint64_t *done, struct ft_error *err);
/* Read the same file from another descriptor. */
void line_file_use(struct line_file *file, int fd);
void line_file_free(struct line_file *file);		/* NULL is allowed */
const struct line_file_info *line_file_info(const struct line_file *file);
uint64_t line_file_end(const struct line_file *file);	/* of the last part */
uint64_t line_file_pages(const struct line_file *file, int cpu);
/* The number of the part that has this page.  @page: below line_file_pages(). */
uint64_t line_file_part(const struct line_file *file, uint64_t page, int cpu);
/* Where the part of a page begins; past the last page, the end. */
uint64_t line_file_offset(const struct line_file *file, uint64_t page, int cpu);
/*
 * Append the text of a part, below info.nr_parts: the lines of all rows that begin in it.  False:
 * it cannot be read.
 */
bool line_file_part_text(const struct line_file *file, uint64_t part, struct text *out);
/* Append all of it, up to 64 MiB.  False: it cannot be read. */
bool line_file_text(const struct line_file *file, struct text *out);
/* What is in a page, below line_file_pages(); events per type: [nr_counts].  No need to read it. */
struct page_sum line_file_sum(const struct line_file *file, uint64_t page, int cpu,
			      const struct type_count **counts);
/* Append what /proc/kallsyms has: each function of the text gets an address of its own. */
void line_file_symbols(const struct line_file *file, struct text *out);

/* Reads pages; belongs to one thread. */
struct line_reader;
struct line_reader *line_reader_new(const struct line_file *file);
void line_reader_free(struct line_reader *reader);	/* NULL is allowed */
/*
 * Make the page of a CPU in @to, which has room for LINE_RECORDS_BYTES.  Return: its bytes; 0: it
 * cannot be read.
 */
uint32_t line_reader_page(struct line_reader *reader, uint64_t page, int cpu, uint8_t *to);
#endif
