/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/text.h"

#define EXIT_NOT_EXECUTED 127

static bool is_program(const char *file)
{
	struct stat st;

	if (stat(file, &st) || access(file, X_OK))
		return false;
	errno = EISDIR;
	return !S_ISDIR(st.st_mode);
}

int command_check(const char *name, struct ft_error *err)
{
	const char *path = getenv("PATH");
	char file[4096];

	if (strchr(name, '/')) {
		if (is_program(name))
			return 0;
		return ft_error_set(err, FT_E_USAGE, -1, "%s: cannot be executed: %s", name,
				    strerror(errno));
	}
	for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
		size_t len = strcspn(p, ":");

		if (snprintf(file, sizeof(file), "%.*s%s%s", (int)len, p, len ? "/" : "", name) <
			    (int)sizeof(file) &&
		    is_program(file))
			return 0;
		p += len + (p[len] == ':');
	}
	return ft_error_set(err, FT_E_USAGE, -1, "%s: no such command in PATH", name);
}

static void child_main(int barrier, int failure, char *const *argv, const struct invoker *who,
		       const sigset_t *mask)
{
	const char *slash = strrchr(argv[0], '/');
	struct ft_error err;
	char go = 0;
	int errnum;

	/* its first records have its name already, and who follows the recording knows it */
	prctl(PR_SET_NAME, slash ? slash + 1 : argv[0]);
	/* ignored signals would stay ignored over exec */
	signal(SIGPIPE, SIG_DFL);
	if (mask)
		sigprocmask(SIG_SETMASK, mask, NULL);
	if (invoker_become(who, &err)) {
		errnum = EPERM;
		goto fail;
	}
	/* the recorder is gone or has given up: do not run the command */
	if (read(barrier, &go, 1) != 1)
		_exit(EXIT_NOT_EXECUTED);
	execvp(argv[0], argv);
	errnum = errno;
fail:
	if (write(failure, &errnum, sizeof(errnum)) < 0)
		_exit(EXIT_NOT_EXECUTED);
	_exit(EXIT_NOT_EXECUTED);
}

int command_fork(struct traced_command *command, char *const *argv, const struct invoker *who,
		 const sigset_t *mask, struct ft_error *err)
{
	int barrier[2], failure[2];

	*command = (struct traced_command){ .pidfd = -1, .barrier = -1, .failure = -1 };
	if (pipe2(barrier, O_CLOEXEC))
		return ft_error_errno(err, errno, -1, "cannot start %s", argv[0]);
	if (pipe2(failure, O_CLOEXEC)) {
		close(barrier[0]);
		close(barrier[1]);
		return ft_error_errno(err, errno, -1, "cannot start %s", argv[0]);
	}
	fflush(NULL);
	command->pid = fork();
	if (!command->pid) {
		close(barrier[1]);
		close(failure[0]);
		child_main(barrier[0], failure[1], argv, who, mask);
	}
	close(barrier[0]);
	close(failure[1]);
	command->barrier = barrier[1];
	command->failure = failure[0];
	if (command->pid < 0) {
		command->pid = 0;
		command_fini(command);
		return ft_error_errno(err, errno, -1, "cannot start %s", argv[0]);
	}
	command->pidfd = (int)syscall(SYS_pidfd_open, command->pid, 0);
	if (command->pidfd >= 0)
		fcntl(command->pidfd, F_SETFD, FD_CLOEXEC);
	return 0;
}

/* It does not begin.  What the kernel does not let it end from is left to it. */
static int end_child(struct traced_command *command, const char *name, struct ft_error *err)
{
	kill(command->pid, SIGKILL);
	await_child(&await_briefly, command->pid, &command->status);
	command->ended = true;
	return ft_error_set(err, FT_E_IO, -1, "cannot start %s: its process does not answer", name);
}

int command_release(struct traced_command *command, const char *name, const struct await *await,
		    struct ft_error *err)
{
	int errnum = 0;
	ssize_t got;

	if (write(command->barrier, "g", 1) != 1)
		return ft_error_errno(err, errno, -1, "cannot start %s", name);
	close(command->barrier);
	command->barrier = -1;
	/* exec closes the pipe without writing to it */
	if (!await_answer(await, command->pid, command->failure))
		return end_child(command, name, err);
	do
		got = read(command->failure, &errnum, sizeof(errnum));
	while (got < 0 && errno == EINTR);
	close(command->failure);
	command->failure = -1;
	if (got <= 0)
		return 0;
	command->ended = await_child(await, command->pid, &command->status);
	/* the kernel's ENOENT can mean two things: no command, or no interpreter */
	if (errnum == ENOENT && !command_check(name, NULL))
		return ft_error_set(err, FT_E_IO, -1,
				    "cannot execute %s: its interpreter does not exist", name);
	return ft_error_errno(err, errnum, -1, "cannot execute %s", name);
}

bool command_poll(struct traced_command *command)
{
	pid_t got;

	if (!command->pid || command->ended)
		return command->ended;
	got = waitpid(command->pid, &command->status, WNOHANG);
	/* ECHILD: someone else has reaped it, so its status is not known */
	if (got == command->pid || (got < 0 && errno == ECHILD))
		command->ended = true;
	return command->ended;
}

bool command_wait(struct traced_command *command, int ms)
{
	struct pollfd pfd = { .fd = command->pidfd, .events = POLLIN };

	if (ms && !command_poll(command) && command->pid && command->pidfd >= 0)
		poll(&pfd, 1, ms);
	return command_poll(command);
}

void command_fini(struct traced_command *command)
{
	bool waits = command->barrier >= 0;

	if (command->barrier >= 0)
		close(command->barrier);
	if (command->failure >= 0)
		close(command->failure);
	command->barrier = command->failure = -1;
	if (command->pid > 0 && waits && !command->ended) {
		if (!await_child(&await_briefly, command->pid, &command->status))
			end_child(command, "", NULL);
		command->ended = true;
	}
	if (command->pidfd >= 0)
		close(command->pidfd);
	command->pidfd = -1;
}

const char *command_result(const struct traced_command *command, char *text, unsigned int size)
{
	text[0] = '\0';
	if (!command->ended) {
		snprintf(text, size, "still runs (pid %d)", (int)command->pid);
	} else if (WIFSIGNALED(command->status)) {
		snprintf(text, size, "was killed by %s",
			 text_signal_name(WTERMSIG(command->status)));
	} else if (WEXITSTATUS(command->status)) {
		snprintf(text, size, "exited with status %d", WEXITSTATUS(command->status));
	}
	return text;
}

int command_exit_status(const struct traced_command *command)
{
	if (!command->ended)
		return 0;
	return WIFSIGNALED(command->status) ? 128 + WTERMSIG(command->status) :
					      WEXITSTATUS(command->status);
}
