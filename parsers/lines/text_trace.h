/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_TEXT_TRACE_H
#define FTOP_PARSERS_LINES_TEXT_TRACE_H
/*
 * text_trace - parses lines of the kernel's `trace` file and of trace-cmd report.  A latency tracer
 * leaves such lines in a trace.dat, too, instead of binary records.
 *
 *   wl-kid-2-65        0d.... 3086us+: tracer_hardirqs_on <-read_hpet  latency format
 *        0 us |   1)     wl-67      |  d.... |   0.000 us    |  f();   with display-graph
 *    0)   2.654 us    |          f();                                  function_graph
 *   trace-cmd-245     [001] d.s3.     8.123456: sched_waking: comm=…   the usual one, trace-cmd's
 *    => do_syscall_64                                                  a stack, of the line above
 *   [001](tab)   8.123456: hyp_enter reason=smc vcpu=7                a remote's (firmware)
 *   perf   123 [001]     8.123456:    1000 cycles:                     perf script's sample
 *   (tab)  ffffffff81399b09 f+0x1 ([kernel.kallsyms])                  its call chain
 *
 * The prefixes of the kernel's log are skipped: ftrace_dump_on_oops prints a trace there.
 *
 * Nothing here fails: any other line is plain text. Format: linux kernel/trace/trace_output.c,
 * trace_functions_graph.c, trace_remote.c.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text_slice {			/* borrowed from the text; not NUL-ended */
	const char	*s;		/* never NULL, "" where there is nothing */
	size_t		 len;
};

extern const bool text_name_chars[256];	/* characters in names of events, fields and functions */
static inline bool text_is_name_char(char c)
{
	return text_name_chars[(unsigned char)c];
}

#define TEXT_TRACE_MAX_FLAGS	12	/* columns of flags that are distinguished */

/* The comment lines at the top of a text.  Slices are borrowed from it. */
struct text_trace_header {
	struct text_slice tracer;	/* "irqsoff"; "" = not named */
	/* Only in the text of a latency tracer; what a line does not say is 0 or "". */
	bool		  has_latency;	/* there is the line "# latency: …" */
	int64_t		  latency_ns;	/* the text has whole µs */
	int64_t		  shown, written;	/* ring buffer entries: in the text, in all */
	int64_t		  cpu, nr_cpus;	/* where it was measured; CPUs online */
	struct text_slice preemption;	/* model of the kernel: "preempt_rt" */
	struct text_slice kernel;	/* "6.1.192" */
	struct text_slice comm;		/* the task that was delayed or held up others */
	int		  pid;
	int64_t		  uid, nice, policy, rt_prio;	/* policy: SCHED_… of sched(7) */
	struct text_slice started_at, ended_at;	/* functions; "" for the wakeup tracers */
	/* the picture above the columns of flags */
	bool		  has_durations;	/* display-graph: calls have a column for them */
	int		  nr_flags;	/* columns of flags that it names: 4 to 7; 0 = no picture */
	struct text_slice flag_names[TEXT_TRACE_MAX_FLAGS]; /* "irqs-off/BH-disabled" … */
};

/* Format: linux kernel/trace/trace.c, print_trace_header(). */
void text_trace_header(const char *text, uint64_t size, struct text_trace_header *header);

enum text_line_kind {
	TEXT_LINE_PLAIN,		/* none of the others */
	TEXT_LINE_COMMENT,		/* begins with # */
	TEXT_LINE_EVENT,		/* an event, in latency or usual format */
	TEXT_LINE_GRAPH,		/* a call of function_graph, with display-graph too */
	TEXT_LINE_SWITCH,		/* function_graph: the CPU has another task from here on;
					 * comm and pid are its */
	TEXT_LINE_STACK,		/* " => function": belongs to the event above */
	TEXT_LINE_LOST,			/* CPU:1 [LOST 5 EVENTS], ##### CPU 1 buffer started #### */
};

enum text_line_time {
	TEXT_TIME_NONE,
	TEXT_TIME_RELATIVE,		/* ns since the trace began; may be negative */
	TEXT_TIME_ABSOLUTE,		/* ns of the trace clock */
	TEXT_TIME_COUNT,		/* counts of a clock that is not time */
};

enum text_call_kind {
	TEXT_CALL_NONE,			/* a comment: an event between calls */
	TEXT_CALL_ENTRY,		/* f() { */
	TEXT_CALL_LEAF,			/* f(); */
	TEXT_CALL_EXIT,			/* } */
};

struct text_call {
	enum text_call_kind kind;
	int		  depth;
	struct text_slice func;		/* "" = not in the line */
	struct text_slice caller;	/* "f+0x10/0x20" of option funcgraph-retaddr, or "" */
	struct text_slice value;	/* "0x1f", "-2" of option funcgraph-retval, or "" */
	/* of a call chain of perf script: func is "f+0x1", caller the file, value the address */
};

struct text_line {
	enum text_line_kind kind;
	struct text_slice line;		/* all of it, without the newline */
	struct text_slice comm;		/* as printed: cut to 8 characters in latency format */
	struct text_slice flags;	/* "d..1." */
	size_t		  head_len;	/* bytes before flags and time, of the usual form; 0: lines
					 * that begin so may have another one */
	struct text_slice text;		/* event's text; graph: with its indentation;
					   stack: the function; else the line */
	struct text_slice event;	/* name before ": " in the text, or "" */
	int		  pid;		/* -1 = not in the line */
	int		  cpu;		/* -1 = not in the line */
	enum text_line_time time_kind;
	int64_t		  time;
	bool		  has_ns;	/* the time has more than six digits behind the point */
	char		  mark;		/* for the delay to the next line, or a duration: one of
					 * "$@*#!+ " */
	int64_t		  duration_ns;	/* graph: -1 = none */
	struct text_call  call;		/* graph */
	bool		  has_duration;	/* there is a column for it */
	struct text_slice from_comm;	/* switch: the task before */
	int		  from_pid;
	uint64_t	  lost;		/* lost events; 0 = number unknown */
	bool		  is_sample;	/* event: of perf script; its name may have the system, and
					 * stands behind the period in the text */
	struct text_head *head;		/* kept in a text_memory; NULL: it is not there */
	struct text_event *seen;	/* kept in a text_memory; NULL if head is; not of a call */
	struct text_func *func;		/* kept in a text_memory: of a call; NULL: none is */
};

/**
 * text_trace_line() - parse a line
 * @pos:  byte of @text where the line starts, < @size
 * @line: receives its parts, borrowed from @text
 *
 * Looks at this line only, so lines may be parsed in any order.
 * Return: where the next line starts; @size after the last.
 */
uint64_t text_trace_line(const char *text, uint64_t size, uint64_t pos, struct text_line *line);

/*
 * If another record's line begins in the middle of this one, cut this one there.  Return: it was
 * cut: the next line begins at its end.
 */
bool text_line_split(struct text_line *line);

/*
 * What lines had so far.  Most lines begin like one of those, and have the name of an event that
 * was there before.
 */
#define TEXT_HEAD_BITS	7
#define TEXT_HEAD_MAX	48		/* bytes of a head that is kept */
#define TEXT_EVENT_BITS	9
#define TEXT_EVENT_MAX	48		/* bytes of a name that is kept */
#define TEXT_FUNC_BITS	10
#define TEXT_FUNC_MAX	56		/* bytes of a function's name that is kept */

struct text_head {			/* "            comm-123     [001] " */
	char		  s[TEXT_HEAD_MAX];
	uint8_t		  len;		/* 0: none */
	uint8_t		  comm, comm_len;	/* where the name is in s */
	int		  pid, cpu;
	unsigned int	  told;		/* the caller's; 0 at first */
};

struct text_event {
	char		  s[TEXT_EVENT_MAX];
	size_t		  len;		/* 0: none */
	void		 *type;		/* the caller's */
	bool		 is_whole;	/* the caller's: no line is joined to it: it is no marker */
	bool		 is_call;	/* "funcgraph_entry" */
};

struct text_func {
	uint32_t	  len;		/* 0: none */
	uint32_t	  symbol;	/* the caller's; 0 at first */
	char		  s[TEXT_FUNC_MAX];
};

struct text_memory {
	struct text_line  line, call, other;
	size_t		  head_len;	/* bytes of the last head that was kept; 0: none */
	struct {
		uint64_t  bytes, mask;	/* "  1234.", of 8 bytes; 0: none */
		uint64_t  seconds;
		size_t	  len;
	}		  last;		/* time's seconds: those of many lines are the same */
	struct text_head  heads[1 << TEXT_HEAD_BITS];
	struct text_event events[1 << TEXT_EVENT_BITS];
	struct text_func  funcs[1 << TEXT_FUNC_BITS];
};

/*
 * text_trace_line() with a memory, which was zeroed at first.  A line that is joined to the one
 * before is one of its own; it has no newline before it.
 * Return: the line, until the next one is parsed.
 */
struct text_line *text_trace_next(struct text_memory *memory, const char *text, uint64_t size,
				  uint64_t pos, uint64_t *next);

/*
 * For a line of a text of function_graph.  @bare: the text's lines may have no other columns than
 * the call.  Calls are of kind GRAPH; events between them become kind EVENT, without the comment's
 * marks.
 */
void text_trace_as_graph(struct text_line *line, bool bare);

/* For a line of a text whose lines have no task and CPU: mmiotrace, or option nocontext-info. */
void text_trace_as_event(struct text_line *line);

/* "12", "12.345", "-12" in units of 10^-decimals; further digits are dropped.  False: is none. */
bool text_fixed_number(struct text_slice t, unsigned int decimals, int64_t *out);

/*
 * Translate the flags of a line to those of records since linux 6.14: *bits as common_flags, and
 * *preempt as common_preempt_count.  Both are 0 for a line without flags.
 */
void text_line_context(const struct text_trace_header *header, const struct text_line *line,
		       uint8_t *bits, uint8_t *preempt);
#endif
