/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_CHECK_LOOK_H
#define FTOP_SRC_COMMANDS_CHECK_LOOK_H
/*
 * check_look - a rule of `check` looks at the rows of a table: does it hold, and which row is the
 * worst?  A figure is taken to be between what table_out_bounds() and the table's command tell; a
 * rule holds, or is broken, only if all numbers between say so.
 */
#include "src/commands/check_report.h"
#include "src/commands/command_tables.h"
#include "src/commands/table_rows.h"

struct check_trace {			/* what rules are checked on; all borrowed */
	struct trace	*trace;		/* indexed */
	bool		 is_lossy;	/* records are missing */
	double		 span;		/* of it, or of the part; 0: no events */
	const struct shell_words *part;	/* options: --from, --to, --cpu, --task */
	struct check_rules *rules;	/* strings of lines are in its arena */
};

/* The options of the table's command. */
void check_words(const struct check_trace *of, const struct check_rule *rule,
		 struct shell_words *words);

/*
 * @table: NULL: the rows are of the trace as a whole; @line: has .file and .rule, the rest is set.
 * Return: as table_taker.take; FT_E_USAGE tells the place in the rule.
 */
int check_look(const struct check_trace *of, const struct check_rule *rule,
	       const struct command_table *table, const struct table_rows *rows,
	       struct check_line *line, struct ft_error *err);
#endif
