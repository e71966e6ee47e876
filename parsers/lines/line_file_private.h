/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_FILE_PRIVATE_H
#define FTOP_PARSERS_LINES_LINE_FILE_PRIVATE_H
/*
 * line_file_private - shared by the files of line_file: line_file.c (opening), line_pass.c (the
 * pass over all lines), line_rows.c (their rows), line_calls.c (function_graph calls), line_page.c
 * (the rows of a CPU in a part), line_record.c (their records).
 */
#include <string.h>
#include "parsers/lines/line_file.h"
#include "parsers/lines/text_slice.h"
#include "src/base/text.h"
#include "src/base/number_set.h"

#define LINE_NO_TASK \
	4194305 /* + CPU: a task that the text does not name; above
						   PID_MAX_LIMIT of the kernel */
#define LINE_NO_SYMBOL		UINT32_MAX
#define LINE_MAX_SYMBOLS	(1u << 22)
#define LINE_SYMBOL_BYTES	(1ull << 20)	/* from one address to the next */

struct line_row_call {
	struct text_call parts;
	bool		 is_timed;	/* from and to are known, of an exit or a leaf */
	uint32_t	 symbol;	/* LINE_NO_SYMBOL: unknown */
	uint64_t	 from, to;	/* exits, leaves: raw stamps, their difference is exact */
};

/* Where the pass goes on, and what is known of the row before. */
struct line_state {
	uint64_t	from;		/* bytes */
	uint64_t	ts;		/* raw */
	int		cpu, pid;
	bool		is_before;	/* there is no time before: ts is that of the first one */
	bool		is_joined;	/* it begins within a line */
	uint32_t	above;		/* bytes from there on that belong to the row before */
};

struct line_part {
	uint64_t	from;		/* where it begins, in bytes */
	uint32_t	above;		/* bytes from there on that belong to the row before */
	uint64_t	pages;		/* index in line_file.pages of its first one */
};

/* The rows of a CPU in a part. */
struct line_page {
	struct page_sum	 sum;
	const uint8_t	*rows;		/* in the arena, [bytes]: where they are, as line_page.c
					 * writes it */
	uint32_t	 bytes;
};

enum line_name_place { LINE_NAME_HEAD, LINE_NAME_FIELD };	/* where a task's name stands */

enum line_stack { LINE_KERNEL, LINE_USER, LINE_STACKS };	/* in their order */
static const char *const line_stack_names[LINE_STACKS] = { "kernel_stack", "user_stack" };

struct line_row {
	enum text_line_kind kind;	/* kind of its first line */
	struct text_slice all;		/* with the lines below it, without the last newline */
	uint64_t	 ts;		/* raw */
	uint64_t	 own_ts;	/* that of its line alone */
	int		 cpu;
	int		 pid;		/* -1: that of the CPU's first task, maybe unknown */
	int		 own_pid;	/* that of its line alone */
	uint64_t	 lost;		/* events, of a LOST line; 0 = number unknown */
	bool		 is_sample;	/* of perf script; then: */
	uint32_t	 stacks[LINE_STACKS];	/* where in `all` they begin; 0: there is none */
	const struct line_row_call *call; /* borrowed; NULL: it is none of function_graph */
};

/* Where functions are in kallsyms: interrupts begin with those of the kernel's sections. */
enum line_section { LINE_NO_SECTION, LINE_IRQENTRY, LINE_SOFTIRQENTRY, LINE_NR_SECTIONS };

struct line_file {
	int		 fd;		/* borrowed */
	const char	*text;		/* borrowed, instead of fd; or NULL */
	uint64_t	 start, size;	/* where the text begins and ends: in a page of systrace */
	uint64_t	 end;		/* end of the parts: size, or that of the head */
	struct line_pass *pass;		/* owned: while lines are left to look at */
	struct line_file_info info;
	char		*head;		/* owned: the beginning of the file, for header */
	struct text_line first;		/* with a time, of head; else zeroed */
	struct line_types types;
	struct line_part *parts;	/* owned, [info.nr_parts] */
	uint64_t	 cap_parts;
	uint64_t	 nr_pages, cap_pages;
	struct line_page *pages;	/* owned, [nr_pages]: of each CPU of a part */
	uint64_t	*by_cpu;	/* owned, [nr_pages]: those of CPU 0, in order, … */
	uint64_t	*first_by_cpu;	/* owned, [info.nr_cpus + 1]: indices of by_cpu */
	uint64_t	 nr_counts, cap_counts;
	struct type_count *counts;	/* owned, [nr_counts]: counts that the sums point to */
	struct line_names symbols;	/* functions, in the order of the text */
	uint32_t	*symbol_bytes;	/* owned, [nr_symbol_bytes]: their sizes; 0: unknown */
	unsigned int	 nr_symbol_bytes;
	uint8_t		*sections;	/* owned, [nr_sections] at least: enum line_section */
	unsigned int	 nr_sections;	/* up to the last one that is in a section */
	struct number_set pids;		/* pids of tasks; their indices are those of `tasks` */
	struct line_task {
		struct line_task_name {
			struct text_slice name;
			uint64_t ts;	/* when it was told last */
			unsigned int told;
		}		 last[2];	/* by enum line_name_place */
	}		*tasks;		/* owned, [nr_tasks] */
	unsigned int	 nr_tasks;
	bool		 has_idle;	/* there is an event of the idle task */
	uint64_t	 switches[2];	/* in perf script: from another task than the last switch of
					 * the CPU was to; from that one */
	unsigned int	 nr_told;	/* changes of their names, from 1 */
	struct source_name *names;	/* owned, [info.nr_names] */
	unsigned int	 cap_names;
	bool		 cpus[LINE_MAX_CPU + 1];
	int		 first_pids[LINE_MAX_CPU + 1];	/* 0: unknown, else + 1 */
	struct arena	 arena;		/* names, rows of pages */
};

/* Text that is read piece by piece. */
struct line_text {
	char		*block;		/* owned: memory for it */
	char		*s;
	uint64_t	 len;		/* bytes read */
	uint64_t	 from;		/* bytes of the file before them */
};

/* line_rows.c: finds the rows for the pass. */
struct line_rows {
	const struct line_file *file;
	struct line_pass *pass;		/* looks at each row */
	bool		 cuts;		/* a part ends before lost events behind others */
	bool		 ends_part;	/* such a place was found, or a page is full */
	bool		 has_events;	/* the part has a row that is no lost events */
	struct line_calls *calls;	/* owned */
	struct text_memory memory;
	struct line_text text;
	bool		 is_irqentry;	/* an interrupt begins with the next function */
	bool		 has_row;
	struct line_row	 row;		/* the last one: lines may follow that belong to it */
	struct line_state after;	/* where the next block begins */
	uint64_t	 unknown, cut;	/* lines of the block */
};

/* read_at() of the text */
int64_t line_file_read(const struct line_file *file, char *to, uint64_t bytes, uint64_t at);

/* Index in line_file.pages. */
uint64_t line_file_page(const struct line_file *file, uint64_t page, int cpu);

void line_text_init(struct line_text *text);
void line_text_fini(struct line_text *text);
/* Read on from what was read, up to @bytes in all.  False: it cannot be read. */
bool line_text_read(const struct line_file *file, struct line_text *text, uint64_t bytes);

struct line_rows *line_rows_new(const struct line_file *file, struct line_pass *pass);
void line_rows_free(struct line_rows *rows);		/* NULL is allowed */
/* Read a block: the rows that begin from @state on up to @end, or up to where the part ends. */
bool line_rows_read(struct line_rows *rows, const struct line_state *state, uint64_t end);

/* line_page.c: append a row to those of a page.  @gap: bytes behind the last one, or the start. */
void line_page_put(struct text *page, uint64_t gap, const struct line_row *row);

struct line_reader {
	const struct line_file *file;
	struct text_memory memory;
	struct line_text text;
	/* the page being read */
	const uint8_t	*at, *end;	/* its rows that are left */
	uint64_t	 from;		/* bytes of the file up to its last row's end */
	uint64_t	 ahead;		/* bytes that are read at once: rows may be far apart */
	struct line_row	 row;
	struct line_row_call call;
	uint64_t	 next;		/* where in the text the row's second line begins */
};

/* Read the rows of a page.  @page: below line_file_pages(). */
void line_page_begin(struct line_reader *reader, uint64_t page, int cpu);
/*
 * The next row, in reader->row.  Return: its first line, valid until the next row; NULL: there is
 * none.  *failed: it cannot be read.
 */
struct text_line *line_page_next(struct line_reader *reader, bool *failed);

#define LINE_ORDER_MAX	999u		/* lines of one µs that a stamp can tell apart */

/*
 * The raw stamp of a line, behind one with the stamp @last.  Stamps of lines of the same µs
 * increase, in the order of the text.
 */
static inline uint64_t line_stamp(const struct line_file_info *info, const struct text_line *line,
				  uint64_t last)
{
	uint64_t ts = line->time > 0 || info->is_relative ? (uint64_t)line->time : 0, order;

	if (info->is_untimed)
		return last ? last + 1 : LINE_TIME_BIAS;
	if (line->time_kind == TEXT_TIME_NONE)
		return last;
	if (info->is_relative)
		ts = line->time > -(int64_t)LINE_TIME_BIAS ? ts + LINE_TIME_BIAS : 0;
	if (info->is_count || info->has_ns)
		return ts;
	if (line->has_ns || info->is_relative)
		ts -= ts % 1000;
	order = last - ts;
	/* as a product, because processors cannot foresee which lines are of one µs */
	return ts + (order < 1000) * (order + (order < LINE_ORDER_MAX));
}

/*
 * line_pass.c: look at all lines, in their order; at those of the pages that begin before @to.
 * *done: bytes that were looked at.
 */
struct line_pass *line_pass_new(struct line_file *file);
int line_pass_run(struct line_pass *pass, uint64_t to, uint64_t *done, struct ft_error *err);
void line_pass_free(struct line_pass *pass);		/* NULL is allowed */
/* Does a page end before another row of the CPU, with this stamp? */
bool line_pass_ends(const struct line_pass *pass, int cpu, uint64_t ts);
/* Take an event of a type that was there before.  False: it is none, or no row of the page. */
bool line_pass_known(struct line_pass *pass, const struct text_line *line);
void line_pass_row(struct line_pass *pass, const struct text_line *line,
		   const struct line_row *row);
/* The row that the reader has is whole. */
void line_pass_end_row(struct line_pass *pass);
/* Another task on a CPU. */
void line_pass_switch(struct line_pass *pass, const struct text_line *line, uint64_t ts);
/* The number of a function, from its name; LINE_NO_SYMBOL: it has none. */
uint32_t line_pass_symbol(struct line_pass *pass, struct text_slice text);
/* The text told that an interrupt begins with this function, as with the option funcgraph-irqs. */
void line_pass_irqentry(struct line_pass *pass, uint32_t symbol);
/* A line of perf script's call chain.  @stack: event that begins with it; NULL: it goes on */
void line_pass_frame(struct line_pass *pass, const struct line_row *row, const char *stack,
		     const struct text_call *frame);
void line_pass_unknown(struct line_pass *pass, struct text_slice line);

/*
 * line_calls.c: the calls of function_graph in a text: whose they are, which functions end, when
 * they began and ended.
 *
 * A line may say less than its record did: "}" has no function, " 0)" no task, and without the
 * option funcgraph-abstime there are no times.  What lines above tell is kept with the row.
 *
 * Without times, rows are placed by durations: as if nothing took time but calls, one after
 * another.  Durations are right, positions are not times.  The clock has a name that tells.
 */
struct line_calls *line_calls_new(const struct line_file *file, struct line_pass *pass);
void line_calls_free(struct line_calls *calls);		/* NULL is allowed */

/* A block begins. */
void line_calls_block(struct line_calls *calls);

/* Another task on a CPU. */
void line_calls_switch(struct line_calls *calls, const struct text_line *line);

/* The CPU of a task whose line does not name it, by the switches above; else @last. */
int line_calls_cpu(const struct line_calls *calls, int pid, int last);

/* The task of a CPU; -1: none was named so far. */
int line_calls_pid(const struct line_calls *calls, int cpu);

/*
 * Pair the line with the call that it begins or ends.  @ts: its stamp; with @untimed, set to the
 * call's end.  Return: borrowed until the next call.
 */
const struct line_row_call *line_calls_add(struct line_calls *calls, const struct text_line *line,
					   int cpu, int pid, bool untimed, uint64_t *ts);

/* What a line is depends on the text that it stands in. */
static inline void line_adapt(const struct line_file *file, struct text_line *line)
{
	if (file->info.is_hist)
		line->kind = TEXT_LINE_COMMENT;
	text_trace_as_graph(line, file->info.is_graph);
	if (file->info.is_bare)
		text_trace_as_event(line);
}

/* A call "f();" is two records. */
static inline bool line_row_has_exit(const struct line_row *row)
{
	return row->call && row->call->parts.kind == TEXT_CALL_LEAF;
}

/* Without times, such a call begins and ends where its duration says. */
static inline uint64_t line_row_stamp(const struct line_file *file, const struct line_row *row,
				      bool is_exit)
{
	if (!file->info.is_untimed || !line_row_has_exit(row))
		return row->ts;
	return is_exit ? row->call->to : row->call->from;
}

/* When all lines were looked at. */
static inline int line_row_pid(const struct line_file *file, const struct line_row *row)
{
	int first = file->first_pids[row->cpu];

	return row->pid >= 0 ? row->pid : first ? first - 1 : LINE_NO_TASK + row->cpu;
}

/* trace-cmd report prints such lines before the first event. */
static inline bool line_is_preamble(const struct text_line *line)
{
	return line->kind == TEXT_LINE_PLAIN && slice_listed(line->line, "cpus=* version* CPU*");
}

/* What the event of a row is called: a name, the text with its fields. */
struct text_slice line_row_name(const struct line_file *file, const struct text_line *line,
				const struct line_row *row, char buf[LINE_NAME_MAX],
				struct text_slice *body);

/*
 * The function at the beginning of a text, as kallsyms has it; "" if there is none: "f" of "f+0x1f",
 * "f\t[mod]" of "f [mod]" and "f+0x1f/0x20 [mod]".  @behind: what follows f.
 */
#define LINE_SYMBOL_MAX	640u
struct text_slice line_symbol_name(struct text_slice text, char buf[LINE_SYMBOL_MAX],
				   struct text_slice *behind);
uint64_t line_symbol_address(const struct line_file *file,
			     unsigned int symbol);              /* LINE_NO_SYMBOL: address of "?" */
enum line_section line_symbol_section(struct text_slice name);	/* by its name */
/* Is the name a number below these addresses, "0x7f817f3e39c4"?  Then it has no symbol. */
bool line_symbol_is_number(struct text_slice name, uint64_t *v);

/* A line of perf script's call chain: the function that it has as a symbol, and the place in it. */
#define LINE_FRAME_MAX	256u
struct text_slice line_frame(const struct text_call *frame, char buf[LINE_FRAME_MAX],
			     uint64_t *offset);
#endif
