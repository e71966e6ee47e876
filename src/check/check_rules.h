/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CHECK_CHECK_RULES_H
#define FTOP_SRC_CHECK_CHECK_RULES_H
/*
 * check_rules - what a trace is to fulfil, from text: a rule a line,
 *
 *   [TABLE [--OPTION...] [ROW]] [COLUMN] OPERATOR LIMIT [if FILTER]
 *
 * TABLE and COLUMN as in the CSV of commands; without TABLE, a column of the trace as a whole.
 * Which columns a table has is not known here.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/memory.h"

#define CHECK_MOST_OPTIONS	16u	/* of a rule */

struct check_word {
	const char	*s;		/* NULL: there is none */
	unsigned int	 at;		/* column in its line, in bytes from 1 */
};

enum check_op { CHECK_LESS, CHECK_AT_MOST, CHECK_EQUAL, CHECK_OTHER, CHECK_AT_LEAST, CHECK_MORE };

struct check_rule {			/* strings are in the arena of struct check_rules */
	const char	*file;		/* where it is from; NULL: from an option */
	unsigned int	 line;		/* from 1 */
	const char	*text;		/* all of it */
	struct check_word table;	/* NULL: the trace as a whole */
	const char	*options[CHECK_MOST_OPTIONS];	/* [nr_options] of the table's command */
	unsigned int	 nr_options;
	/* If there is only one word, it is the column, or else the row: both are set to it. */
	struct check_word row, column;
	enum check_op	 op;
	struct check_word limit;	/* as written */
	bool		 is_number;
	double		 number;	/* times in ns; NAN: it is a word */
	enum check_unit { CHECK_BARE, CHECK_TIME, CHECK_PERCENT } unit;
	struct check_word filter;
};

struct check_rules {			/* zero it */
	struct check_rule *list;	/* owned, [nr] */
	unsigned int	 nr, cap;
	struct arena	 arena;
};

void check_rules_fini(struct check_rules *rules);

/**
 * check_rules_add() - add the rules of a text
 * @file: its name, borrowed; NULL: the text is one rule, of an option
 * @tables: [nr] the names of tables
 *
 * Empty lines and those that begin with # are left out.
 *
 * Return: 0, or -1 with FT_E_USAGE: line and column, what is wrong, what is allowed.
 */
int check_rules_add(struct check_rules *rules, const char *file, const char *text,
		    const char *const *tables, unsigned int nr, struct ft_error *err);

/* Where a word is, for messages: "rules:3:17", "-e 'lost < x': column 8".  Lives in the arena. */
const char *check_rule_place(struct check_rules *rules, const struct check_rule *rule,
			     const struct check_word *word);

/* A figure between @least and @most: does it keep to the limit? */
enum check_verdict { CHECK_HOLDS, CHECK_BROKEN, CHECK_UNKNOWN };
enum check_verdict check_rule_judge(const struct check_rule *rule, double least, double most);
#endif
