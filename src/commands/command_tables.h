/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_COMMAND_TABLES_H
#define FTOP_SRC_COMMANDS_COMMAND_TABLES_H
/*
 * command_tables - tables by their names, for what has them printed or takes their rows: `live
 * --text`, `check`.  Each is what a command prints.
 */
#include "src/base/shell_words.h"
#include "src/commands/command_open.h"
#include "src/lists/sources.h"

struct command_table {
	const char	*name;		/* "cpus" */
	const struct command_def *def;
	int		(*run)(const struct command_file *file, struct ft_error *err);
	const char	*option;	/* of that command, for this table; NULL: none */
};

#define COMMAND_TABLES_LIVE	5u	/* those of live --by come first */
#define COMMAND_TABLES		(COMMAND_TABLES_LIVE + LIST_NR_WITH_COMMAND)

extern const struct command_table command_tables[COMMAND_TABLES];

/* Their names.  @words: [COMMAND_TABLES] */
void command_tables_words(const char **words);

/*
 * Run the command of a table with the table's option and @words.  file->list is set while it runs.
 * Return: 0, or -1 with the command's error.
 */
int command_table_run(const struct command_table *table, const struct shell_words *words,
		      struct command_file *file, struct ft_error *err);
#endif
