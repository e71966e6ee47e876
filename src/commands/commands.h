/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_COMMANDS_H
#define FTOP_SRC_COMMANDS_COMMANDS_H
/*
 * commands - the text commands, one per cmd_<name>.c: a table of options, and a
 * function that runs it.  main.c has the list of all.
 *
 * Where main.c says `each`, the function gets one file after the other, see command_each().
 * A run function returns 0, or -1 with an error that names the file concerned
 * (FT_E_USAGE: exit status 2, else 1), or a positive exit status of its own.  It writes to stdout;
 * notes go to stderr as "ftop-trace: …".
 */
#include "src/base/options.h"
#include "src/base/table_out.h"
#include "src/base/text.h"

struct command_file;			/* src/commands/command_open.h */

/* Who creates what commands write, as a confined process cannot; borrowed. */
struct broker;
void command_set_broker(struct broker *broker);
enum { COMMAND_FORCE = 302 };		/* id of --force: replace the NEW of another option */

extern const struct command_def cmd_report_def;
int cmd_report(const struct option_list *list, struct ft_error *err);
void report_list_options(void);		/* prints options of the kernel style; also graph's */

extern const struct command_def cmd_check_def;
int cmd_check(const struct option_list *list, struct ft_error *err);

extern const struct command_def cmd_cut_def;
int cmd_cut(const struct option_list *list, struct ft_error *err);

extern const struct command_def cmd_diff_def;
int cmd_diff(const struct option_list *list, struct ft_error *err);
/* The same with a taker of the rows (src/commands/command_open.h), also of those that are equal. */
struct table_taker;
int diff_files(const struct option_list *list, const struct table_taker *taker,
	       struct ft_error *err);

extern const struct command_def cmd_export_def;
int cmd_export(const struct option_list *list, struct ft_error *err);

extern const struct command_def cmd_fields_def;
int cmd_fields(const struct command_file *file, struct ft_error *err);

extern const struct command_def cmd_graph_def;
int cmd_graph(const struct command_file *file, struct ft_error *err);

extern const struct command_def cmd_info_def;
int cmd_info(const struct command_file *file, struct ft_error *err);

/* The command of a struct list_source (src/lists/sources.h). */
int list_command(const struct command_file *file, struct ft_error *err);

extern const struct command_def cmd_summary_def;
int cmd_summary(const struct command_file *file, struct ft_error *err);

extern const struct command_def cmd_symbols_def;
/* Opens the file that is changed: before this process is confined. */
int cmd_symbols_open(const struct option_list *list, struct ft_error *err);
int cmd_symbols(const struct option_list *list, struct ft_error *err);

extern const struct command_def cmd_timeline_def;
int cmd_timeline(const struct command_file *file, struct ft_error *err);

/*
 * Names of the trace at @path for an option's argument, printed as options_complete() does.  Waits
 * half a second at most for the names of events.
 */
void trace_complete(const struct option_place *place, const char *path, FILE *out);
/* The kinds of latency, likewise, where one may stand. */
void kinds_complete(const struct option_place *place, FILE *out);
/* Is there something to print, and a file to open that is not compressed? */
bool trace_complete_wants(const struct option_place *place, const char *path);

/* Print ftop-trace-json(5); tests/program/json_keys.py holds it against what commands print. */
void json_page(FILE *out);

/* The file operand; "trace.dat" if there is none. */
static inline const char *command_file(const struct option_list *list)
{
	return list->nr_operands ? list->operands[0] : "trace.dat";
}
#endif
