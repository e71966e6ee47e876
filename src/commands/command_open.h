/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_COMMAND_OPEN_H
#define FTOP_SRC_COMMANDS_COMMAND_OPEN_H
/* command_open - the files of a command, which are printed one after the other. */
#include "src/base/output.h"
#include "src/commands/commands.h"
#include "src/match/filter_option.h"
#include "src/trace/formats_option.h"
#include "src/trace/offset_option.h"
#include "src/trace/trace.h"

#define MAX_FILES	1024u		/* operands of a command */

struct table_rows;
struct table_taker {			/* takes tables instead of printing them; `check` */
	/* Return: 1: there are rows; 0: none; -1 with FT_E_USAGE. */
	int		(*take)(void *arg, const struct table_rows *rows, struct ft_error *err);
	void		*arg;
};

struct command_file {
	const struct option_list *list;
	const char	*path;
	unsigned int	 index, nr;	/* among the files that were given */
	const struct table_taker *taker;	/* NULL: none */
	/* Of `live --text`, which prints one window after the other, and of `check`: */
	struct trace	*trace;		/* borrowed: it is open; NULL: command_open() opens it */
	const struct time_range *window; /* that of --from and --to, and index is its number;
					  * nothing need have happened in it.  NULL: none */
};

/*
 * Call @run for each FILE, or for trace.dat, until one fails.
 * Return: 0, or what @run returned.
 */
int command_each(const struct option_list *list,
		 int (*run)(const struct command_file *file, struct ft_error *err),
		 struct ft_error *err);

/* The file's --offset, which names it if there are several.  -1 with FT_E_USAGE. */
int command_offset(const struct command_file *file, struct trace_offset *offset,
		   struct ft_error *err);

/*
 * The trace of a file, shifted by --offset.
 * @no_index: see trace_options.no_index
 *
 * Return: for command_close(); NULL with its error, or FT_E_USAGE.
 */
struct trace *command_open(const struct command_file *file, bool no_index, struct ft_error *err);
/* @trace: NULL is allowed */
void command_close(const struct command_file *file, struct trace *trace);

/*
 * Append the contents of a file that the command line names, of at most @most bytes, if its first
 * 64 KiB have @words.  Return: 1, 0: it is another file, or -1 with FT_E_LIMIT.
 */
int command_read_text(const char *path, const char *words, size_t most, struct text *out,
		      struct ft_error *err);

/*
 * Create a file that an option calls OUT or NEW, or one below a DIR: broker_begin_file() and
 * broker_end_files() (src/sandbox/broker.h).
 */
int command_begin_file(const char *path, struct ft_error *err);
int command_end_files(bool keep, struct ft_error *err);

/*
 * What several files share: in text, each begins with a line that names it; in CSV and JSON, @table
 * (may be NULL) gets a column `file`.  Sets out->ascii.
 */
void command_file_begin(const struct command_file *file, const struct filter_given *given,
			struct table_out *table, struct output *out);

/* Writes only that line: for a file without other output. */
int command_file_name_line(const struct command_file *file, const struct filter_given *given,
			   struct ft_error *err);

/* Does it have a line of titles? In CSV only the first file or window has one. */
bool command_file_heads(const struct command_file *file, enum table_format format);

/*
 * Begins folded stacks with the file as their outermost frame: "a.dat;".  Appends nothing if there
 * is only one file.
 */
void command_file_frame(const struct command_file *file, struct text *out);

/* Is it one of several files or windows? Then some may not have what the options select. */
bool command_file_is_part(const struct command_file *file);

/* Its path, if there are several files; else NULL. */
const char *command_file_name(const struct command_file *file);
#endif
