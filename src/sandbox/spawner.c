/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sandbox/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/framing.h"
#include "src/sandbox/child.h"
#include "src/sandbox/confine.h"

#define MAX_HELPERS	2000		/* most helpers, for all files together */
#define MAX_MEMORY	(1u << 30)
#define MAX_CPU		3600		/* seconds; one answer has its own limit */
#define NOBODY		65534

/* Sanitizers need more memory than there is, and say on stderr what they find. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t spawner;
static int asks = -1;

/* --- a helper --------------------------------------------------------------------------------- */

static void shut_in(int folder)
{
	prctl(PR_SET_DUMPABLE, 0);
	if (folder >= 0) {
		confine_to_folder(folder);	/* which may be root's, so it stays the user */
		return;
	}
	/* fails where this user does not exist, in a container; without calls it matters little */
	if (!geteuid() && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(1);
	confine_to_computing();
}

static void limit(int what, rlim_t max)
{
	const struct rlimit limits = { max, max };

	setrlimit(what, &limits);
}

__attribute__((noreturn)) static void be_helper(int fd, spawner_serve *serve)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	sigset_t ours;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "ftop-helper");
	sigemptyset(&ours);
	sigaddset(&ours, SIGPROF);
	sigaddset(&ours, SIGXCPU);
	sigprocmask(SIG_UNBLOCK, &ours, NULL);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], SIG_DFL);	/* it is expected, and no report is wanted */
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, MAX_CPU);
#ifndef SANITIZED
	limit(RLIMIT_AS, MAX_MEMORY);
#endif
	confine_to_plugins();
	serve(fd, shut_in);
	_exit(0);
}

/* --- the spawner ------------------------------------------------------------------------------ */

static pid_t start_helper(int fd, spawner_serve *serve)
{
	int ends[2] = { -1, -1 };
	pid_t pid = -1;

	if (!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		pid = fork();
	if (!pid) {
		close(fd);
		close(ends[0]);
		be_helper(ends[1], serve);
	}
	framing_send_fds(fd, "", 1, &ends[0], pid > 0);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

/* Let go of all that others opened, and of the terminal. */
static void let_go(int fd)
{
#ifndef SANITIZED
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		dup2(null, i);
#endif
	child_close_others(fd);
}

__attribute__((noreturn)) static void be_spawner(int fd, spawner_serve *const *serve)
{
	static pid_t helpers[MAX_HELPERS];	/* reaped at the end: until then a pid is theirs */
	int nr = 0;
	sigset_t all;
	uint8_t task;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);	/* keys of the terminal are not for us */
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_NAME, "ftop-spawner");
	let_go(fd);
	while (recv(fd, &task, 1, 0) == 1) {
		if (nr == MAX_HELPERS || task >= SPAWNER_TASKS || !serve[task]) {
			framing_send_fds(fd, "", 1, NULL, 0);
			continue;
		}
		helpers[nr] = start_helper(fd, serve[task]);
		nr += helpers[nr] > 0;
	}
	for (int i = 0; i < nr; i++) {
		kill(helpers[i], SIGKILL);
		waitpid(helpers[i], NULL, 0);
	}
	_exit(0);
}

void spawner_begin(spawner_serve *const *serve)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return;
	fflush(NULL);
	spawner = fork();
	if (!spawner)
		be_spawner(ends[1], serve);
	close(ends[1]);
	asks = ends[0];
}

/* --- asking ----------------------------------------------------------------------------------- */

int spawner_start(enum spawner_task task)
{
	int fd = -1, nr = 0;
	uint8_t byte = (uint8_t)task;

	pthread_mutex_lock(&lock);
	if (asks >= 0 && send(asks, &byte, 1, MSG_NOSIGNAL) == 1)
		nr = framing_receive_fds(asks, &byte, 1, &fd, 1);
	pthread_mutex_unlock(&lock);
	return nr == 1 ? fd : -1;
}

void spawner_end(void)
{
	if (asks < 0)
		return;
	close(asks);
	asks = -1;
	while (spawner > 0 && waitpid(spawner, NULL, 0) < 0 && errno == EINTR)
		;
}
