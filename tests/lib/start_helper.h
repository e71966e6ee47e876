/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For printer_set_helper(): helpers that are children of the test itself, and not confined. */
#ifndef FTOP_TESTS_START_HELPER_H
#define FTOP_TESTS_START_HELPER_H

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parsers/printer/printer_helper.h"

/* Not a child but its child, so that nobody has to wait for it. */
static inline int start_helper(void)
{
	int ends[2], fd;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	pid = fork();
	if (!pid) {
		fd = dup2(ends[1], 3);
		syscall(SYS_close_range, 4, ~0u, 0);	/* with the ends of other helpers */
		if (!fork())
			printer_helper_serve(fd, NULL);
		_exit(0);
	}
	close(ends[1]);
	waitpid(pid, NULL, 0);
	return ends[0];
}

#endif
