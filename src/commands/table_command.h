/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_TABLE_COMMAND_H
#define FTOP_SRC_COMMANDS_TABLE_COMMAND_H
/*
 * table_command - what the text commands that print a table have in common: options, the trace, the
 * pass over it.
 */
#include "src/commands/command_open.h"
#include "src/match/filter_option.h"
#include "src/base/output.h"
#include "src/commands/table_rows.h"
#include "src/match/event_sweep.h"
#include "src/sched/kept_tasks.h"
#include "src/sched/sched.h"
#include "src/trace/trace.h"

struct table_command {
	const struct command_file *file;
	struct filter_given	 given;
	struct row_picker	 picker;
	struct trace		*trace;
	bool			 has_from, has_to;
	int64_t			 from_ts, to_ts;
	const char		*clock;		/* name of the clock, if its stamps have no unit;
						   NULL: ns */
	const struct sched_pass	*pass;		/* borrowed; NULL: there is none, or not yet */
	struct sched		*model;		/* owned, locked: made by table_command_model() */
	struct kept_tasks	 kept;		/* tasks and CPUs: table_command_keep() */
	const struct filter	*filter;	/* owned: all filters; NULL: figures are of all
						   events */
	bool			 has_rows;	/* there was something to print */
};

/* Read the options and open the trace.  Call table_command_fini() even after a failure. */
int table_command_init(struct table_command *command, const struct command_file *file,
		       struct ft_error *err);

/* Bind the filters: command->filter. */
int table_command_bind(struct table_command *command, struct ft_error *err);

/* Until the whole trace is indexed: then it is known who the tasks are. */
void table_command_wait(struct table_command *command);

/* Make the model of all states; names of the time, from the whole trace, are ready then, too. */
int table_command_model(struct table_command *command, struct ft_error *err);

/* Find which tasks and CPUs have an event that the filters keep. */
void table_command_keep(struct table_command *command);
/* Has this one?  Without filters: yes. */
bool table_command_keeps(const struct table_command *command, enum event_counts_by by, int key);
/* When all is matched: -1 with FT_E_LIMIT if the filters were given up. */
int table_command_check_filter(const struct table_command *command, struct ft_error *err);

/*
 * Is there any task that --task names (or are there several files)? -1 with FT_E_USAGE.  Waits for
 * all names if the pass has none that fits: so before it, only where nothing was found.
 */
int table_command_check_tasks(struct table_command *command, struct ft_error *err);

/* What the options select, for a sweep over all events. */
struct event_sweep_options table_command_sweep(const struct table_command *command);

/* Print a row of the table, unless --grep or --count leave it out.  -1 with FT_E_IO. */
int table_command_row(struct table_command *command, struct table_out *table, const void *row,
		      struct output *out, struct ft_error *err);

/*
 * Report on stderr what is damaged, and that --grep, or the times, select nothing.  @damaged:
 * sub-buffers.  Return: true if the times are not in the trace: then there is no more to say.
 */
bool table_command_tell_rows(const struct table_command *command, uint64_t damaged);

/* Report that no event of the trace matches, and why. */
void table_command_tell_kept(struct table_command *command);

/* Report all that, and what is missing in the pass. */
void table_command_tell(struct table_command *command);
void table_command_fini(struct table_command *command);
#endif
