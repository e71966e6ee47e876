/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_CHECK_REPORT_H
#define FTOP_SRC_COMMANDS_CHECK_REPORT_H
/* check_report - what `check` prints: KTAP, as the kernel's selftests have it, or a table. */
#include "src/base/table_out.h"
#include "src/check/check_rules.h"
#include "src/trace/trace.h"

struct check_line {			/* a rule, of one file; strings are borrowed */
	const char	*file;		/* NULL: there is only one */
	const char	*rule;
	enum check_verdict verdict;
	const char	*skipped;	/* why there was nothing to check, no fault; or NULL */
	/* The worst row; NULL: none. */
	const char	*row, *word;	/* its name; its value, if that is a word */
	double		figure, least, most;	/* NAN: not known; most: INFINITY: no limit is */
	bool		has_at;
	int64_t		at;
	int		cpu;		/* -1: none */
	const char	*task;		/* "bash-1450" */
	const char	*why, *command;	/* lines; what shows it */
};

struct check_report {			/* zero it, but: */
	enum table_format format;	/* TEXT: KTAP */
	struct text	out;
	unsigned int	nr;
	bool		is_broken;	/* a rule does not hold, or is not known to */
};

extern const struct table_columns check_columns;	/* rows: struct check_line */

void check_report_add(struct check_report *report, const struct check_line *line,
		      const struct trace *trace);

/* Print all; frees it.  Return: the exit status; -1 with FT_E_IO. */
int check_report_end(struct check_report *report, struct ft_error *err);
#endif
