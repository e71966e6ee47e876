/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SANDBOX_BROKER_H
#define FTOP_SRC_SANDBOX_BROKER_H
/*
 * broker - a separate process that does what a confined process (src/sandbox/confine.h) can no
 * longer do.  It is split off before the confinement, and only does what is listed here.
 *
 * The asking process reads untrusted files, and one of them may have taken it over.  So the broker
 * checks each request.  It starts only this program, to query the kernel, to record and to recover;
 * the user at the terminal must confirm what a recording could be misused for, or have given it to
 * the shell (broker_rules.confirmed: part of this process's start, so no trace can forge it).  It
 * creates files,
 * but only overwrites a trace with a trace and a session file with a session file.  No file or
 * folder of a path may begin with a dot: other programs read such files on their own.
 */
#include <stdbool.h>
#include <sys/types.h>
#include "src/sandbox/child.h"
#include "src/base/error.h"
#include "src/base/options.h"
#include "src/base/output_names.h"
#include "src/base/text.h"

#define BROKER_ASKS		1
#define BROKER_CREATE_ASKS	(-2)

struct broker_rules {
	const char *program;			/* the program to start; NULL: ftop-trace, by its
						 * name */
	const struct command_def *const *commands;	/* commands that may be started: some of
							 * list, doctor, record and recover; NULL
							 * ends them */
	const char *const *files;		/* [nr_files]: session files may be saved beside
							 * these */
	unsigned int nr_files;
	/* which files a recording writes beside the one that it is told of; NULL: none */
	struct output_names (*names)(const struct option_list *record);
	/*
	 * broker_doubts() of the recording that this process was started after, in the user's
	 * shell: confirmed by that.  NULL: none
	 */
	const char *confirmed;
	/*
	 * A file that the user's shell asked for, or a folder of tables.  broker_begin_file()
	 * creates it, whatever its name is, unless it is one of @files, which are read; or files
	 * FOLDER/TABLE/NAME.parquet and .csv.  Then the broker does nothing else, and a signal that
	 * ends this process is told on stderr.  NULL: none
	 */
	const char *output, *folder;
	bool replaces_output;			/* even if there is a plain file */
	bool streams_output;			/* it may also be a pipe or character device */
	/*
	 * For who judges a recording to this file: broker_begin_file() creates those of --split,
	 * broker_on_hit() runs a command of the shell, so many times at most.  NULL: none
	 */
	const char *judged;
	struct output_names split;
	const char *on_hit;
	unsigned int most_hits;
};

/*
 * Append what the user must confirm of a recording: the command, options that are not harmless, a
 * line each.  Nothing if there is none.
 */
void broker_doubts(const struct command_def *record, const struct option_list *list,
		   struct text *out);

struct broker;

/**
 * broker_new() - start the broker
 * @rules: borrowed
 *
 * No other thread may be running.  The broker keeps the privileges that this process has now, and
 * its stdin, stdout and stderr; it ends with this process, and ignores signals.
 *
 * Return: the broker, or NULL with FT_E_IO.  broker_free() waits for its end.
 */
struct broker *broker_new(const struct broker_rules *rules, struct ft_error *err);
void broker_free(struct broker *broker);	/* NULL is allowed */

/* With @broker NULL, the functions below do the work in this process; _begin_file() needs one. */

/**
 * broker_start() - like child_start(), but the child belongs to the broker
 * @may_ask: the terminal is in its normal mode, and the broker may ask the user there
 *
 * Return: 0, -1 with FT_E_IO or FT_E_USAGE, or BROKER_ASKS: nothing was started, because the user
 * must confirm it first: call again with @may_ask.
 */
int broker_start(struct broker *broker, struct child *child, const char *const *argv,
		 enum child_kind kind, bool may_ask, struct ft_error *err);

/*
 * Create a new file for writing.  A name that is neither NAME.dat nor NAME.pftrace, nor begins with
 * that of an open trace (broker_save_name()) and ends in .txt, .csv, .json or .log, the user must
 * confirm.
 *
 * Return: its descriptor, -1 with FT_E_IO (the file exists) or FT_E_USAGE (its name is hidden), or
 * BROKER_CREATE_ASKS: nothing was created; call again with @may_ask, as for broker_start().
 */
int broker_create(struct broker *broker, const char *path, bool may_ask, struct ft_error *err);

/*
 * Append how the names of files begin that are saved of this trace: "t.dat"; "t.trace" of "t".  No
 * program obeys a name that begins so, whatever the trace is called.
 */
void broker_save_name(const char *trace, struct text *name);

/**
 * broker_begin_file() - create a file that has its name only when it is complete
 * @path: of the file, which must not exist; until broker_end_files() it is PATH.part
 *
 * At most 16 at a time.  When this process ends, the broker removes the incomplete ones.
 *
 * Return: a descriptor for reading and writing; -1 with FT_E_IO or FT_E_USAGE.
 */
int broker_begin_file(struct broker *broker, const char *path, struct ft_error *err);
/*
 * Rename all files that were begun to their names, or remove them if not @keep.  -1 with FT_E_IO:
 * those that were not renamed yet are removed.
 */
int broker_end_files(struct broker *broker, bool keep, struct ft_error *err);

/*
 * Run the command of broker_rules.on_hit, which gets @path, the recording or a file of --split, as
 * its last argument, and @json on its input.  Returns at once; broker_free() waits for its end.
 */
int broker_on_hit(struct broker *broker, const char *path, const char *json, struct ft_error *err);

/*
 * Create or replace a session file, OUTPUT_MARKS of one of @rules'
 * files or a recording that the broker started.
 */
int broker_replace_session(struct broker *broker, const char *path, const struct text *contents,
			   struct ft_error *err);

/* For child.c: a child that the broker started. */
bool broker_child_ended(struct broker *broker, pid_t pid, int *status);
void broker_child_interrupt(struct broker *broker, pid_t pid);
#endif
