/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BROKER_H
#define FTOP_SRC_BROKER_H
/*
 * broker - what a process that is shut in (src/sandbox/confine.h) cannot do any more, done by another one that was split off
 * before, and does nothing but what is asked of it here.
 *
 * The one that asks reads foreign files, and may have been taken over by one.  So the broker looks at what is asked: it
 * starts this program alone, to ask the kernel, to record and to recover; a program that a recording is to run is
 * confirmed by who sits at the terminal; files are made, and none is written over but a trace or a session file by one
 * of its kind; none gets a name that begins with a dot, since such are read by other programs unasked.
 */
#include <stdbool.h>
#include <sys/types.h>
#include "src/sandbox/child.h"
#include "src/base/error.h"
#include "src/base/options.h"
#include "src/base/text.h"

#define BROKER_SESSION_END	".marks"		/* of the names of session files */
#define BROKER_SESSION_HEAD	"ftop-trace marks 1\n"	/* they begin with it */
#define BROKER_ASKS		1

struct broker_rules {
	const char *program;			/* that may be started; NULL: ftop-trace by its name */
	const struct command_def *record;	/* options of these commands of it */
	const struct command_def *recover;
	bool (*second_file)(const struct option_list *record, struct text *name);	/* that record writes too; NULL: none */
};

struct broker;

/**
 * broker_new() - split it off
 * @rules: borrowed
 *
 * While no other thread runs.  It has the rights that this process has now, and of its files stdin, stdout and stderr;
 * it ends with this process, and signals do not end it.
 *
 * Return: for broker_free(), which waits for its end, or NULL with FT_E_IO.
 */
struct broker *broker_new(const struct broker_rules *rules, struct ft_error *err);
void broker_free(struct broker *broker);	/* NULL is allowed */

/*
 * All of these do without where @broker is NULL: the process does it itself.
 */

/**
 * broker_start() - as child_start(); the child is the broker's
 * @may_ask: the terminal is as a shell has it, and a question may be put there
 *
 * Return: 0, -1 with FT_E_IO or FT_E_USAGE, or BROKER_ASKS: nothing was started, since there is something to confirm
 * first: once more with @may_ask, then.
 */
int broker_start(struct broker *broker, struct child *child, const char *const *argv, enum child_kind kind, bool may_ask,
		 struct ft_error *err);

/* A new file to write to: its descriptor, or -1 with FT_E_IO (there is one of this name) or FT_E_USAGE (it is hidden). */
int broker_create(struct broker *broker, const char *path, struct ft_error *err);

/* As small_file_replace(), of files whose names end in BROKER_SESSION_END. */
int broker_replace_session(struct broker *broker, const char *path, const struct text *contents, struct ft_error *err);

/* For child.c: of a child that the broker started. */
bool broker_child_ended(struct broker *broker, pid_t pid, int *status);
void broker_child_interrupt(struct broker *broker, pid_t pid);
#endif
