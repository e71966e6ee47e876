/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * openings - runs a program, and lists what it and its children open for writing, or make, as the
 * kernel is asked for it.  A line each: process, flags, folder of a relative name, name.  What is
 * opened as /proc/self/fd/N has what N is as its folder.
 *
 *   openings OUT PROGRAM [ARG...]		exits as the program does
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITES	(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

static FILE *out;

static void read_memory(pid_t pid, uint64_t at, char *to, size_t size)
{
	/* to the end of its page: the next one may not be there */
	struct iovec local = { to, size - 1 }, remote = { (void *)(uintptr_t)at, size - 1 };
	size_t left = 4096 - at % 4096;
	ssize_t got;

	if (left < size - 1)
		remote.iov_len = local.iov_len = left;
	got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	to[got > 0 ? got : 0] = '\0';
	if (got == (ssize_t)left && !memchr(to, '\0', left) && left < size - 1)
		read_memory(pid, at + left, to + left, size - left);
}

static void tell(pid_t pid, int folder, uint64_t name_at, uint64_t flags)
{
	char path[64], where[4096] = "", comm[32] = "", name[4096];
	int skip = 0;
	ssize_t len;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (file && fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = '\0';
	if (file)
		fclose(file);
	read_memory(pid, name_at, name, sizeof(name));
	if (sscanf(name, "/proc/self/fd/%d%n", &folder, &skip) != 1)
		skip = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, folder);
	len = folder == AT_FDCWD ? 0 : readlink(path, where, sizeof(where) - 1);
	where[len > 0 ? len : 0] = '\0';
	fprintf(out, "%s\t%#llx\t%s\t%s\n", comm, (unsigned long long)flags, where, name + skip);
	fflush(out);
}

static void look(pid_t pid)
{
	struct __ptrace_syscall_info info;
	char how[sizeof(uint64_t) + 1];
	uint64_t flags;
	const uint64_t *args = (const uint64_t *)info.entry.args;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	switch (info.entry.nr) {
#ifdef SYS_open
	case SYS_open:
		if (args[1] & WRITES)
			tell(pid, AT_FDCWD, args[0], args[1]);
		break;
	case SYS_creat:
		tell(pid, AT_FDCWD, args[0], O_WRONLY | O_CREAT | O_TRUNC);
		break;
	case SYS_mkdir:
		tell(pid, AT_FDCWD, args[0], O_DIRECTORY | O_CREAT);
		break;
#endif
	case SYS_openat:
		if (args[2] & WRITES)
			tell(pid, (int)args[0], args[1], args[2]);
		break;
	case SYS_openat2:
		read_memory(pid, args[2], how, sizeof(how));
		memcpy(&flags, how, sizeof(flags));
		if (flags & WRITES)
			tell(pid, (int)args[0], args[1], flags);
		break;
	case SYS_mkdirat:
		tell(pid, (int)args[0], args[1], O_DIRECTORY | O_CREAT);
		break;
	}
}

/* Return: as waitpid() says it of @first. */
static int follow(pid_t first)
{
	int status, result = 0, number;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (pid == first && (WIFEXITED(status) || WIFSIGNALED(status)))
			result = status;
		if (pid < 0 || !WIFSTOPPED(status))
			continue;
		number = WSTOPSIG(status);
		if (number == (SIGTRAP | 0x80))
			look(pid);
		/* those of ptrace are not the program's */
		if (number == (SIGTRAP | 0x80) || status >> 16 || number == SIGSTOP)
			number = 0;
		ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(intptr_t)number);
	}
	return result;
}

int main(int argc, char **argv)
{
	pid_t pid;
	int status;

	out = argc > 2 ? fopen(argv[1], "we") : NULL;
	if (!out)
		return 125;
	pid = fork();
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
			_exit(126);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	signal(SIGINT, SIG_IGN);	/* the program's */
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, NULL,
		   (void *)(intptr_t)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
				      PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
				      PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)))
		return 126;
	ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	status = follow(pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
