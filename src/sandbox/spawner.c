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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/await.h"
#include "src/base/framing.h"
#include "src/base/memory.h"
#include "src/base/text.h"
#include "src/sandbox/child.h"
#include "src/sandbox/confine.h"

#define MAX_HELPERS	2000		/* most helpers, for all files together */
#define MAX_FILES	2000		/* most temporary files */
#define MAX_MEMORY	(1u << 30)
#define MAX_CPU		3600		/* seconds; one answer has its own limit */
#define NOBODY		65534
#define NOT_CONFINED	3		/* the exit status of such a helper */

/* Sanitizers need more memory than there is, and say on stderr what they find. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED	true
#else
#define SANITIZED	false
#endif

/* What the spawner is asked. */
enum { SPAWNER_END = SPAWNER_TASKS, SPAWNER_FILE, SPAWNER_ASKS };
struct spawner_ask {
	uint32_t	task;		/* enum spawner_task; or tell an end, make a file */
	uint64_t	socket;		/* whose: inode of the asking side of it */
};

/* What it answers of an end. */
struct helper_end {
	int		status;		/* as from waitpid() */
	long		most_kb;	/* of memory */
};

#define MAX_WAIT	10000		/* ms, for a helper that was killed */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t spawner;
static int asks = -1;

/* --- folders that root let it read ------------------------------------------------------------ */

static struct stat *folders;		/* [nr_folders] */
static size_t nr_folders, cap_folders;

bool spawner_may_read(int folder)
{
	struct stat st;

	if (fstat(folder, &st) || !S_ISDIR(st.st_mode))
		return false;
	mem_grow(&folders, nr_folders, &cap_folders);
	folders[nr_folders++] = st;
	return true;
}

/* Who asks may have been taken over, and name another one. */
static bool may_read(int folder)
{
	struct stat st;
	size_t i = 0;

	if (fstat(folder, &st))
		return false;
	while (i < nr_folders && (folders[i].st_dev != st.st_dev || folders[i].st_ino != st.st_ino))
		i++;
	return i < nr_folders;
}

/* --- a helper --------------------------------------------------------------------------------- */

/* What cannot be shut in although this kernel could reads nothing. */
static void shut_in(int folder)
{
	if (prctl(PR_SET_DUMPABLE, 0))
		_exit(NOT_CONFINED);
	if (folder >= 0) {
		/* which may be root's, so it stays the user */
		if (nr_folders && !may_read(folder) && !confine_permit_reading(false))
			_exit(NOT_CONFINED);
		if (!confine_to_folder(folder))
			_exit(NOT_CONFINED);
		return;
	}
	/* fails where this user does not exist, in a container; without calls it matters little */
	if (!geteuid() && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(NOT_CONFINED);
	if (!confine_to_computing())
		_exit(NOT_CONFINED);
}

/* A lower one of the user's stays. */
static bool limit(int what, rlim_t max)
{
	struct rlimit limits;

	if (getrlimit(what, &limits))
		return false;
	if (limits.rlim_max > max)
		limits.rlim_max = max;
	if (limits.rlim_cur > max)
		limits.rlim_cur = max;
	return !setrlimit(what, &limits);
}

static bool limit_memory(void)
{
	return SANITIZED || limit(RLIMIT_AS, MAX_MEMORY);
}

__attribute__((noreturn)) static void be_helper(int fd, spawner_serve *serve, bool reads)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	sigset_t ours;

	prctl(PR_SET_NAME, "ftop-helper");
	sigemptyset(&ours);
	sigaddset(&ours, SIGALRM);
	sigaddset(&ours, SIGPROF);
	sigaddset(&ours, SIGSYS);
	sigaddset(&ours, SIGXCPU);
	sigprocmask(SIG_UNBLOCK, &ours, NULL);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], SIG_DFL);	/* it is expected, and no report is wanted */
	if ((nr_folders && !reads && !confine_permit_reading(false)) ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) || !limit(RLIMIT_CORE, 0) ||
	    !limit(RLIMIT_CPU, MAX_CPU) || !limit_memory() || !confine_to_plugins())
		_exit(NOT_CONFINED);
	serve(fd, shut_in);
	_exit(0);
}

/* --- the spawner ------------------------------------------------------------------------------ */

static struct spawned {
	pid_t		pid;		/* 0: it was reaped.  Until then the number is its own */
	uint64_t	socket;
} helpers[MAX_HELPERS];
static int nr_helpers;

static uint64_t socket_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

/* @reads: a folder */
static void start_helper(int fd, spawner_serve *serve, bool reads)
{
	int ends[2] = { -1, -1 };
	pid_t pid = -1;

	if (!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		pid = fork();
	if (!pid) {
		close(fd);
		close(ends[0]);
		be_helper(ends[1], serve, reads);
	}
	if (pid > 0)
		helpers[nr_helpers++] = (struct spawned){ pid, socket_of(ends[0]) };
	framing_send_fds(fd, "", 1, &ends[0], pid > 0);
	close(ends[0]);
	close(ends[1]);
}

/* What ended it before stays how it ended. */
static struct helper_end end_helper(struct spawned *helper)
{
	struct helper_end end = { 0 };
	struct rusage used = { 0 };

	kill(helper->pid, SIGKILL);
	while (wait4(helper->pid, &end.status, 0, &used) < 0 && errno == EINTR)
		;
	helper->pid = 0;
	end.most_kb = used.ru_maxrss;
	return end;
}

/* Numbers of sockets come again, so the last one counts. */
static void tell_end(int fd, uint64_t socket)
{
	struct helper_end end = { 0 };
	int i = nr_helpers;

	while (i && helpers[i - 1].socket != socket)
		i--;
	if (i && helpers[i - 1].pid)
		end = end_helper(&helpers[i - 1]);
	framing_send(fd, &end, sizeof(end), NULL, 0, FRAMING_NO_LIMIT);
}

static void send_file(int fd, spawner_make *make)
{
	static unsigned int nr_files;
	char where[SPAWNER_WHERE] = "";
	int made = make && nr_files < MAX_FILES ? make(where) : -1;

	nr_files++;
	framing_send_fds(fd, where, sizeof(where), &made, made >= 0);
	if (made >= 0)
		close(made);
}

/* Let go of all that others opened, and of the terminal.  Return: false: it is still there. */
static bool let_go(int fd)
{
	int null = child_open_nothing();

	for (int i = STDIN_FILENO; i <= STDERR_FILENO && !SANITIZED; i++)
		if (dup2(null, i) < 0)
			return false;
	child_close_others(fd);
	return true;
}

__attribute__((noreturn)) static void be_spawner(int fd, spawner_serve *const *serve,
						 spawner_make *make)
{
	struct spawner_ask ask;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);	/* keys of the terminal are not for us */
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_NAME, "ftop-spawner");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !let_go(fd))
		_exit(1);
	while (!framing_receive(fd, &ask, sizeof(ask), FRAMING_NO_LIMIT)) {
		if (ask.task == SPAWNER_END)
			tell_end(fd, ask.socket);
		else if (ask.task == SPAWNER_FILE)
			send_file(fd, make);
		else if (nr_helpers == MAX_HELPERS || ask.task >= SPAWNER_ASKS || !serve[ask.task])
			framing_send_fds(fd, "", 1, NULL, 0);
		else
			start_helper(fd, serve[ask.task], ask.task == SPAWNER_CTF);
	}
	for (int i = 0; i < nr_helpers; i++)
		if (helpers[i].pid)
			end_helper(&helpers[i]);
	_exit(0);
}

void spawner_begin(spawner_serve *const *serve, spawner_make *make)
{
	int ends[2];

	if (!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		fflush(NULL);
		spawner = fork();
		if (!spawner)
			be_spawner(ends[1], serve, make);
		close(ends[1]);
		asks = ends[0];
	}
	if (nr_folders && !confine_permit_reading(false))
		_exit(1);
}

/* --- asking ----------------------------------------------------------------------------------- */

/* Ask for a descriptor.  @said: [len], what comes with it */
static int ask_for(uint32_t task, char *said, size_t len)
{
	const struct spawner_ask ask = { .task = task };
	int fd = -1, nr = 0;

	pthread_mutex_lock(&lock);
	if (asks >= 0 && !framing_send(asks, &ask, sizeof(ask), NULL, 0, FRAMING_NO_LIMIT))
		nr = framing_receive_fds(asks, said, len, &fd, 1);
	pthread_mutex_unlock(&lock);
	return nr == 1 ? fd : -1;
}

int spawner_start(enum spawner_task task)
{
	char byte;

	return ask_for(task, &byte, 1);
}

int spawner_file(char where[SPAWNER_WHERE])
{
	return ask_for(SPAWNER_FILE, where, SPAWNER_WHERE);
}

static const char *words_of(const struct helper_end *end, char *buf, size_t size)
{
	int number = WIFSIGNALED(end->status) ? WTERMSIG(end->status) : 0;

	if (number == SIGPROF || number == SIGXCPU)
		return "used up its processor time";
	if (number == SIGKILL)
		return "was killed";
	/* libraries abort() where there is none, or go on without; memory.h exits */
	if (end->most_kb > (long)(MAX_MEMORY >> 10) / 2 || WEXITSTATUS(end->status) == 1)
		return "needed more than 1 GiB of memory";
	if (!number)
		return WEXITSTATUS(end->status) == NOT_CONFINED ? "could not be confined" :
								  "ended too early";
	snprintf(buf, size, "crashed (%s)", text_signal_name(number));
	return buf;
}

const char *spawner_how(int fd, char *buf, size_t size)
{
	const struct spawner_ask ask = { .task = SPAWNER_END, .socket = socket_of(fd) };
	struct helper_end end = { 0 };

	pthread_mutex_lock(&lock);
	if (asks >= 0 && (framing_send(asks, &ask, sizeof(ask), NULL, 0, FRAMING_NO_LIMIT) ||
			  framing_receive(asks, &end, sizeof(end), framing_now() + MAX_WAIT))) {
		close(asks);		/* what it says later would be taken for another answer */
		asks = -1;
	}
	pthread_mutex_unlock(&lock);
	return words_of(&end, buf, size);
}

void spawner_end(void)
{
	if (asks < 0)
		return;
	close(asks);
	asks = -1;
	if (spawner > 0)		/* it ends its helpers, and then itself */
		await_child(&await_briefly, spawner, NULL);
}
