/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CHILD_H
#define FTOP_SRC_CHILD_H
/*
 * child - another program that is asked something, or told to record, while the screen goes on: it is started, its lines
 * are read when they are there, and nothing here waits.
 *
 * The other program outlives this one, unless it wants to end with it: what it prints goes to a file without a name, and
 * not into a pipe that would break.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "src/base/error.h"
#include "src/base/text.h"

#define CHILD_MAX_LINE	(1 << 20)	/* bytes; a longer line is left out */

enum child_kind {
	CHILD_ASKED,		/* lines come from its stdout */
	CHILD_TALKS,		/* lines come from its descriptor CHILD_FD, a socket: it can be told something there */
	CHILD_WRAPPED,		/* started by a program that passes on stdin, stdout and stderr alone (sudo): lines come
				   from its stdout, it is told things on its stdin */
};

#define CHILD_FD	3

struct broker;

struct child {
	struct broker	*broker;	/* whose child it is (broker_start()); NULL: this process's */
	pid_t		 pid;		/* 0: none runs */
	int		 pidfd;		/* to be polled for its end; -1 where the system has none */
	int		 from;		/* to be polled for lines; -1 when all were read */
	int		 to;		/* what it is told goes there; -1: nothing can be said */
	int		 said;		/* what else it printed, on stderr or for want of a stdout */
	off_t		 said_read;	/* of that: bytes that were taken */
	struct text	 line;		/* begun */
	bool		 too_long;	/* it is, and its end is passed over */
};

/**
 * child_start() - start a program
 * @argv: its name, looked for in PATH, and words; NULL-ended
 *
 * Return: 0, with the child to be ended by child_fini(), or -1 with FT_E_IO: nothing was started.
 */
int child_start(struct child *child, const char *const *argv, enum child_kind kind, struct ft_error *err);

/* Hands on whole lines that are there, without their ends, some at a time.  False: there will be no more. */
bool child_lines(struct child *child, void (*line)(void *arg, const char *s, size_t len), void *arg);

/* Appends what it printed besides since the last call; at most 64 KiB at once. */
void child_said(struct child *child, struct text *out);

/* Whether it has ended; then @status as waitpid() has it, once. */
bool child_ended(struct child *child, int *status);

/* "exit status 1", "killed by SIGKILL"; "" for 0. */
const char *child_result(int status, char *buf, size_t size);

void child_tell(struct child *child, const char *word);	/* a line; what cannot be said is lost */

/* Ctrl-C, as in a shell; where it runs still, and is ours to be told. */
void child_interrupt(struct child *child);

/* Lets go of it: it is not ended by that.  A zeroed child is allowed. */
void child_fini(struct child *child);

/* A program of this name can be executed. */
bool child_exists(const char *name);
#endif
