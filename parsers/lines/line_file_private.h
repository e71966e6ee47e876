/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_FILE_PRIVATE_H
#define FTOP_PARSERS_LINES_LINE_FILE_PRIVATE_H
/*
 * line_file_private - shared by the files of line_file: line_file.c (the pass on opening),
 * line_rows.c (the rows of a page), line_record.c (their records).
 */
#include <string.h>
#include "parsers/lines/line_file.h"

/* Where a page begins, and what is known of the row before it. */
struct line_state {
	uint64_t	from;		/* bytes */
	uint64_t	ts;		/* raw; 0 = there is no time before */
	int		cpu, pid;
};

struct line_row {
	struct text_line line;		/* its first line */
	struct text_slice all;		/* with those below it, without the last newline */
	uint64_t	 ts;		/* raw */
	int		 cpu, pid;
};

struct line_file {
	int		 fd;		/* borrowed */
	uint64_t	 size;
	struct line_file_info info;
	char		*head;		/* owned: the beginning of the file, for header */
	struct line_types types;
	uint64_t	 nr_pages, cap_pages;
	struct line_state *pages;	/* owned, [nr_pages] */
	/* functions, in the order of the text */
	struct index_map symbol_map;
	struct text_slice *symbols;	/* owned, [nr_symbols] */
	unsigned int	 nr_symbols, cap_symbols;
	/* tasks */
	struct index_map task_map;
	struct line_task {
		int		 pid;
		unsigned int	 last;	/* of names */
		bool		 has_name;
	}		*tasks;		/* owned, [nr_tasks] */
	unsigned int	 nr_tasks, cap_tasks;
	struct line_name *names;	/* owned, [info.nr_names] */
	unsigned int	 cap_names;
	bool		 cpus[LINE_MAX_CPU + 1];
	struct arena	 arena;		/* names */
};

struct line_reader {
	const struct line_file *file;
	char		*text;		/* owned */
	uint64_t	 page;		/* loaded; UINT64_MAX: none */
	struct line_row	*rows;		/* owned, [nr_rows] */
	unsigned int	 nr_rows, cap_rows;
	struct line_state after;	/* where the next page begins */
	uint64_t	 from;		/* bytes of the file before the page */
	bool		 has_events;	/* the page has rows, apart from lost events */
	uint64_t	 unknown, cut;	/* lines of the page */
};

/* Read the rows of a page.  False: it cannot be read. */
bool line_reader_load(struct line_reader *reader, uint64_t page);
/* The same for the page that begins at @state; @cut: it may end before LINE_PAGE_BYTES. */
bool line_reader_read(struct line_reader *reader, const struct line_state *state, uint64_t end,
		      bool cut);

/* "cpus=4": the first line of trace-cmd report. */
static inline bool line_is_cpus(const struct text_line *line)
{
	return line->kind == TEXT_LINE_PLAIN && line->line.len > 5 &&
	       !memcmp(line->line.s, "cpus=", 5);
}

/* What its event is called: a name, the text with its fields. */
struct text_slice line_row_name(const struct line_file *file, const struct line_row *row,
				char buf[LINE_NAME_MAX], struct text_slice *body);

/* False: it is not in the text. */
bool line_file_symbol(const struct line_file *file, struct text_slice name, uint64_t *address);
/* Of sys_enter_read and sys_exit_read, the same one. */
uint64_t line_call_nr(const struct line_file *file, const struct line_type *type);
#endif
