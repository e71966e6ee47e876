/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/sandbox/broker.h"
#include "src/base/memory.h"
#include "src/base/text.h"

#define READ_BYTES	65536
#define EXIT_NOT_EXECUTED 127

bool child_exists(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
		size_t len = strcspn(p, ":");

		if (snprintf(file, sizeof(file), "%.*s%s%s", (int)len, p, len ? "/" : "", name) <
			    (int)sizeof(file) &&
		    access(file, X_OK) == 0)
			return true;
		p += len + (p[len] == ':');
	}
	return false;
}

/* --- starting ------------------------------------------------------------- */

struct ends {
	int in, out, err, talk;		/* for the child's descriptors 0, 1, 2 and CHILD_FD;
					 * talk: -1 = none */
};

/* Runs between fork and exec in a process that had threads: only system calls are allowed. */
static void exec_child(const struct ends *ends, int failure, char *const *argv, bool own_group)
{
	sigset_t none;
	int errnum;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* the terminal's keys belong to the screen */
	if (own_group)
		setpgid(0, 0);
	if (dup2(ends->in, 0) < 0 || dup2(ends->out, 1) < 0 || dup2(ends->err, 2) < 0 ||
	    (ends->talk >= 0 && dup2(ends->talk, CHILD_FD) < 0))
		goto fail;
	execvp(argv[0], argv);
fail:
	errnum = errno;
	if (write(failure, &errnum, sizeof(errnum)) < 0)
		_exit(EXIT_NOT_EXECUTED);
	_exit(EXIT_NOT_EXECUTED);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Move a descriptor above those that the child's ends are put on. */
static int move_up(int fd)
{
	int moved;

	if (fd < 0 || fd > CHILD_FD)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, CHILD_FD + 1);
	close(fd);
	return moved;
}

int child_open_nothing(void)
{
	int fds[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0 || pipe2(fds, O_CLOEXEC))
		return null;
	close(fds[1]);
	return fds[0];
}

/* @mine is used here, @its in the child. */
static int make_pair(int *mine, int *its, bool socket, bool towards_it)
{
	int fds[2];

	if (socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) :
		     pipe2(fds, O_CLOEXEC))
		return -1;
	*mine = move_up(fds[towards_it]);
	*its = move_up(fds[!towards_it]);
	if (*mine < 0 || *its < 0)
		return -1;
	return fcntl(*mine, F_SETFL, O_NONBLOCK);
}

static int make_ends(struct child *child, struct ends *ends, enum child_kind kind)
{
	child->said = move_up(memfd_create("said", MFD_CLOEXEC));
	if (child->said < 0 || fcntl(child->said, F_SETFL, O_APPEND))
		return -1;
	ends->err = move_up(dup(child->said));
	if (ends->err < 0)
		return -1;
	if (kind == CHILD_WRAPPED ? make_pair(&child->to, &ends->in, false, true) != 0 :
				    (ends->in = move_up(child_open_nothing())) < 0)
		return -1;
	if (kind != CHILD_TALKS)
		return make_pair(&child->from, &ends->out, false, false);
	ends->out = move_up(dup(child->said));
	if (ends->out < 0 || make_pair(&child->from, &ends->talk, true, false))
		return -1;
	child->to = move_up(fcntl(child->from, F_DUPFD_CLOEXEC, CHILD_FD + 1));
	return child->to < 0 ? -1 : 0;
}

/* Read exec's errno; on success exec has closed the pipe. */
static int exec_result(int fd)
{
	int errnum = 0;
	ssize_t got;

	do
		got = read(fd, &errnum, sizeof(errnum));
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(errnum) ? errnum : 0;
}

int child_start(struct child *child, const char *const *argv, enum child_kind kind,
		struct ft_error *err)
{
	struct ends ends = { -1, -1, -1, -1 };
	int failure[2] = { -1, -1 }, errnum = 0;

	*child = (struct child){ .pidfd = -1, .from = -1, .to = -1, .said = -1 };
	if (make_ends(child, &ends, kind) || make_pair(&failure[0], &failure[1], false, false) ||
	    fcntl(failure[0], F_SETFL, 0)) {
		errnum = errno;
	} else {
		fflush(NULL);
		child->pid = fork();
		if (!child->pid)
			exec_child(&ends, failure[1], (char *const *)argv, kind != CHILD_WRAPPED);
		errnum = child->pid < 0 ? errno : 0;
	}
	close_fd(&ends.in);
	close_fd(&ends.out);
	close_fd(&ends.err);
	close_fd(&ends.talk);
	close_fd(&failure[1]);
	if (child->pid > 0) {
		errnum = exec_result(failure[0]);
		if (errnum)
			waitpid(child->pid, NULL, 0);
	}
	close_fd(&failure[0]);
	if (errnum) {
		child->pid = 0;
		child_fini(child);
		return ft_error_errno(err, errnum, -1, "cannot start %s", argv[0]);
	}
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	return 0;
}

void child_close_others(int fd)
{
#ifdef SYS_close_range
	if ((fd <= STDERR_FILENO + 1 || !syscall(SYS_close_range, STDERR_FILENO + 1, fd - 1, 0)) &&
	    !syscall(SYS_close_range, fd + 1, ~0u, 0))
		return;
#endif
	for (int i = STDERR_FILENO + 1; i < 1024; i++)
		if (i != fd)
			close(i);
}

/* --- reading -------------------------------------------------------------- */

static void take_bytes(struct child *child, const char *s, size_t len,
		       void (*line)(void *arg, const char *s, size_t len), void *arg)
{
	while (len) {
		const char *end = memchr(s, '\n', len);
		size_t part = end ? (size_t)(end - s) : len;

		if (child->line.len + part > CHILD_MAX_LINE)
			child->too_long = true;
		else
			text_bytes(&child->line, s, part);
		if (end && !child->too_long)
			line(arg, text_str(&child->line), child->line.len);
		if (end || child->too_long)
			text_clear(&child->line);
		if (end)
			child->too_long = false;
		s += part + (end != NULL);
		len -= part + (end != NULL);
	}
}

bool child_lines(struct child *child, void (*line)(void *arg, const char *s, size_t len), void *arg)
{
	char *bytes;
	ssize_t got;

	if (child->from < 0)
		return false;
	bytes = mem_alloc(READ_BYTES);
	got = read(child->from, bytes, READ_BYTES);
	if (got > 0)
		take_bytes(child, bytes, (size_t)got, line, arg);
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		close_fd(&child->from);
	free(bytes);
	return child->from >= 0;
}

void child_said(struct child *child, struct text *out)
{
	char bytes[READ_BYTES / 16];
	ssize_t got;

	for (int i = 0; i < 16 && child->said >= 0; i++) {
		got = pread(child->said, bytes, sizeof(bytes), child->said_read);
		if (got <= 0)
			break;
		text_bytes(out, bytes, (size_t)got);
		child->said_read += got;
		/* release the memory of what was read */
		fallocate(child->said, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			  child->said_read & ~(off_t)4095);
	}
}

bool child_ended(struct child *child, int *status)
{
	pid_t got;

	if (child->pid <= 0)
		return false;
	if (child->broker) {
		if (!broker_child_ended(child->broker, child->pid, status))
			return false;
	} else {
		got = waitpid(child->pid, status, WNOHANG);
		if (got == 0 || (got < 0 && errno == EINTR))
			return false;
		if (got < 0)
			*status = 0;	/* someone else has reaped it */
	}
	child->pid = 0;
	close_fd(&child->pidfd);
	return true;
}

const char *child_result(int status, char *buf, size_t size)
{
	buf[0] = '\0';
	if (WIFSIGNALED(status)) {
		snprintf(buf, size, "killed by %s", text_signal_name(WTERMSIG(status)));
	} else if (WEXITSTATUS(status)) {
		snprintf(buf, size, "exit status %d", WEXITSTATUS(status));
	}
	return buf;
}

void child_tell(struct child *child, const char *word)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "%s\n", word);

	if (child->to >= 0 && len < (int)sizeof(line) && write(child->to, line, (size_t)len) < 0 &&
	    errno != EAGAIN)
		close_fd(&child->to);
}

void child_interrupt(struct child *child)
{
	if (child->pid > 0 && child->broker)
		broker_child_interrupt(child->broker, child->pid);
	else if (child->pid > 0)
		kill(child->pid, SIGINT);
}

void child_fini(struct child *child)
{
	if (!child->pid && !child->from && !child->said)
		return;		/* it was never started */
	close_fd(&child->pidfd);
	close_fd(&child->from);
	close_fd(&child->to);
	close_fd(&child->said);
	text_fini(&child->line);
	*child = (struct child){ .pidfd = -1, .from = -1, .to = -1, .said = -1 };
}
