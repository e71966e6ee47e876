/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SANDBOX_CHILD_H
#define FTOP_SRC_SANDBOX_CHILD_H
/*
 * child - runs another program, to query or to record, while the screen stays responsive. Its lines
 * are read when they are there; nothing here waits.
 *
 * The other program may outlive this one: its remaining output goes to an unnamed file, not to a
 * pipe that would break.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "src/base/error.h"
#include "src/base/text.h"

#define CHILD_MAX_LINE	(1 << 20)	/* bytes; longer lines are dropped */

enum child_kind {
	CHILD_ASKED,		/* lines come from its stdout */
	CHILD_TALKS,		/* lines come from its descriptor CHILD_FD, a socket, on which it
				 * also receives words */
	CHILD_WRAPPED,		/* started by a program that only passes on stdin, stdout and
				 * stderr (sudo): lines come from its stdout, words go to its
				 * stdin */
};

#define CHILD_FD	3

struct broker;

struct child {
	struct broker	*broker;	/* the broker whose child it is (broker_start()); NULL:
					 * this process's */
	pid_t		 pid;		/* 0 = none */
	int		 pidfd;		/* to poll for its end; -1 if not supported */
	int		 from;		/* to poll for lines; -1 after the last one */
	int		 to;		/* for words to it; -1 = not possible */
	int		 said;		/* its other output: stderr, and stdout if that has no
					 * other use */
	off_t		 said_read;	/* bytes of that already read */
	struct text	 line;		/* a partial line */
	bool		 too_long;	/* the line is too long, and its rest is dropped */
};

/**
 * child_start() - start a program
 * @argv: its name, searched in PATH, and arguments; NULL-ended
 *
 * Return: 0, or -1 with FT_E_IO if nothing was started.  Call child_fini() after success.
 */
int child_start(struct child *child, const char *const *argv, enum child_kind kind,
		struct ft_error *err);

/*
 * Pass available lines to @line, without their newlines, a limited number per call.  False: there
 * will be no more.
 */
bool child_lines(struct child *child, void (*line)(void *arg, const char *s, size_t len),
		 void *arg);

/* Append its other output since the last call; at most 64 KiB per call. */
void child_said(struct child *child, struct text *out);

/* Has it ended?  Then @status receives its status as from waitpid(), once. */
bool child_ended(struct child *child, int *status);

/* "exit status 1", "killed by SIGKILL"; "" for 0. */
const char *child_result(int status, char *buf, size_t size);

void child_tell(struct child *child, const char *word);	/* one line; lost if it cannot be sent */

/* Send SIGINT, like Ctrl-C in a shell, if it still runs and is our child. */
void child_interrupt(struct child *child);

/* Release the child without ending it.  A zeroed child is allowed. */
void child_fini(struct child *child);

/*
 * A descriptor that is at its end, as /dev/null.  Where there is no such file, nothing can be
 * written to it.  Return: owned by the caller; -1: none can be had.
 */
int child_open_nothing(void);

/* After fork(): close what others opened, all but @fd, stdin, stdout and stderr. */
void child_close_others(int fd);

/* Is there an executable program with this name? */
bool child_exists(const char *name);
#endif
