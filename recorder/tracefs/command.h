/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_COMMAND_H
#define FTOP_RECORDER_COMMAND_H
/*
 * command - the traced command: a child that waits at a barrier until tracing is
 * on, so that it is traced from its first instruction, with the rights of the
 * user who asked for it.
 */
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include "recorder/tracefs/invoker.h"
#include "src/base/error.h"

struct command {
	pid_t	pid;		/* 0: none */
	int	pidfd;		/* readable when it has ended; -1 where the kernel has none */
	int	barrier;	/* written to: it goes on; closed: it ends without having run anything */
	int	failure;	/* its errno comes from here when exec fails */
	bool	ended;
	int	status;		/* of wait(2), once it has ended */
};

/* 0 when PATH holds the command; else -1 with FT_E_USAGE. */
int command_check(const char *name, struct ft_error *err);

/* Fork the child and leave it at the barrier, before threads are started.  @mask: the signals it has blocked; NULL: ours. */
int command_fork(struct command *command, char *const *argv, const struct invoker *who, const sigset_t *mask, struct ft_error *err);

/* Let it go.  Fails when the command could not be executed (it is reaped then).  @name: of the program, to tell that. */
int command_release(struct command *command, const char *name, struct ft_error *err);

/* Reap it if it has ended; true once it has. */
bool command_poll(struct command *command);
bool command_wait(struct command *command, int ms);	/* the same, after so long at most */

/* End it if it still waits at the barrier; close what belongs to it. */
void command_fini(struct command *command);

/* "exited with status 3", "was killed by SIGTERM", "still runs (pid 12)"; empty for success. */
const char *command_result(const struct command *command, char *text, unsigned int size);
int command_exit_status(const struct command *command);		/* as a shell gives it: 128 + signal */
#endif
