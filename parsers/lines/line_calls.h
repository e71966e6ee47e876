/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_CALLS_H
#define FTOP_PARSERS_LINES_LINE_CALLS_H
/*
 * line_calls - the calls of function_graph in a text: whose they are, which functions end, when
 * they began and ended.
 *
 * A line may say less than its record did: "}" has no function, " 0)" no task, and without the
 * option funcgraph-abstime there are no times.  What lines above tell is noted for each page, so
 * that pages can be read in any order: the task of each CPU, and for each "}" in the page whose
 * call began before the page, that call.
 *
 * Without times, rows are placed by durations: as if nothing took time but calls, one after
 * another.  Durations are right, positions are not times.  The clock has a name that tells.
 */
#include "parsers/lines/text_trace.h"

#define LINE_UNTIMED_CLOCK	"durations"
#define LINE_NO_TASK \
	4194305 /* + CPU: a task that the text does not name; above
						   PID_MAX_LIMIT of the kernel */
#define LINE_NO_SYMBOL		UINT32_MAX
#define LINE_MAX_SYMBOLS	(1u << 22)

struct line_file;
struct line_pass;
struct line_calls;			/* opaque; belongs to a reader */

/* What is noted of lines above a page: of a CPU its task, of a call the rest. */
struct line_noted {
	uint64_t	 ts;		/* 0: unknown; of the first one of a page: number of CPUs */
	uint32_t	 symbol;
	int32_t		 pid;
};

struct line_row_call {
	struct text_call parts;
	bool		 is_timed;	/* the line has a duration */
	uint32_t	 symbol;	/* LINE_NO_SYMBOL: unknown */
	uint64_t	 from, to;	/* exits, leaves: raw stamps, their difference is exact */
};

struct line_calls *line_calls_new(const struct line_file *file);
void line_calls_free(struct line_calls *calls);		/* NULL is allowed */

/*
 * A page begins.  In the pass over the file, in order: note what later pages need, and learn
 * functions.  Else take what was noted at @noted.
 */
void line_calls_page(struct line_calls *calls, struct line_pass *pass, uint64_t noted);

/* Another task on a CPU. */
void line_calls_switch(struct line_calls *calls, const struct text_line *line);

/* The task of a CPU; -1: none was named so far. */
int line_calls_pid(const struct line_calls *calls, int cpu);

/*
 * Find out about the call of a line with task and CPU.  @ts: its raw stamp; with @untimed, it
 * becomes that of the call's end.  Return: borrowed until the next page begins.
 */
const struct line_row_call *line_calls_add(struct line_calls *calls, const struct text_line *line,
					   int cpu, int pid, bool untimed, uint64_t *ts);
#endif
