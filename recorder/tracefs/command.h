/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_COMMAND_H
#define FTOP_RECORDER_TRACEFS_COMMAND_H
/*
 * command - the traced command: a child that waits at a barrier until tracing is on, so that it is
 * traced from its first instruction. It runs with the privileges of the user who called the
 * recorder.
 */
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include "recorder/tracefs/invoker.h"
#include "src/base/await.h"
#include "src/base/error.h"

struct traced_command {
	pid_t	pid;		/* 0 = none */
	int	pidfd;		/* readable when it has ended; -1 if the kernel has no pidfds */
	int	barrier;	/* a byte releases the child; closing it ends the child before
				 * exec */
	int	failure;	/* the child sends its errno here if exec fails */
	bool	ended;
	int	status;		/* as from wait(2), once it has ended */
};

/* Return: 0 if PATH contains the command, else -1 with FT_E_USAGE. */
int command_check(const char *name, struct ft_error *err);

/*
 * Fork the child, which then waits at the barrier.  Call it before threads are started.  @mask:
 * signal mask of the command; NULL: ours.
 */
int command_fork(struct traced_command *command, char *const *argv, const struct invoker *who,
		 const sigset_t *mask, struct ft_error *err);

/*
 * Let the child go on.  Fails if the command could not be executed (the child is reaped then).
 * @name: the program's name, for the error; @await: how long the child is waited for
 */
int command_release(struct traced_command *command, const char *name, const struct await *await,
		    struct ft_error *err);

/* Reap the child if it has ended.  Return: whether it has ended, now or before. */
bool command_poll(struct traced_command *command);
/* Wait up to @ms ms for the child to end, and reap it.  Return: whether it has ended. */
bool command_wait(struct traced_command *command, int ms);

/* End the child if it still waits at the barrier; close the descriptors. */
void command_fini(struct traced_command *command);

/* "exited with status 3", "was killed by SIGTERM", "still runs (pid 12)"; empty for success. */
const char *command_result(const struct traced_command *command, char *text, unsigned int size);
/* as in a shell: 128 + signal */
int command_exit_status(const struct traced_command *command);
#endif
