/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/timerlat_user.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/run/priority.h"
#include "src/base/memory.h"
#include "src/base/options.h"

#define MOST_FDS	4096

static const struct plan_priority usual = { .policy = SCHED_FIFO, .priority = 95 };

enum user_step { STEP_DONE, STEP_CPU, STEP_PRIORITY, STEP_OPEN };

struct user_outcome {
	enum user_step	step;		/* that failed */
	int		errnum;
};

struct start {
	const struct tracefs_dir	*root;
	const struct plan_priority	*priority;
	pid_t				 recorder;
	unsigned int			 cpu;
	cpu_set_t			*set;		/* that CPU alone; owned */
	size_t				 set_bytes;
	int				 tell;		/* a pipe, for the outcome */
};

static const char *fd_file(unsigned int cpu, char text[static TRACEFS_TEXT_BYTES])
{
	return tracefs_dir_text(text, "osnoise/per_cpu/cpu%u/timerlat_fd", cpu);
}

/* --- the process: it does only what a child of a program with threads may do ------------------ */

static enum user_step prepare(const struct start *s, int *fd)
{
	char text[TRACEFS_TEXT_BYTES];

	if (sched_setaffinity(0, s->set_bytes, s->set))
		return STEP_CPU;
	if (priority_set(0, s->priority))
		return STEP_PRIORITY;
	*fd = openat(s->root->fd, fd_file(s->cpu, text), O_RDONLY);
	return *fd < 0 ? STEP_OPEN : STEP_DONE;
}

/* Locks and buffers of the recorder end with it, whatever the kernel ends first. */
static void close_others(int keep, int also)
{
	for (int i = 0; i < MOST_FDS; i++)
		if (i != keep && i != also)
			close(i);
}

static void measure(const struct start *s)
{
	struct user_outcome outcome = { 0 };
	char name[32], bytes[64];
	int fd = -1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->recorder)
		_exit(1);
	snprintf(name, sizeof(name), "timerlatu/%u", s->cpu);
	prctl(PR_SET_NAME, name);
	outcome.step = prepare(s, &fd);
	outcome.errnum = errno;
	close_others(fd, s->tell);
	if (write(s->tell, &outcome, sizeof(outcome)) != sizeof(outcome) ||
	    outcome.step != STEP_DONE)
		_exit(1);
	close(s->tell);
	/* each read ends at the next expiry of the timer */
	while (read(fd, bytes, sizeof(bytes)) >= 0)
		;
	_exit(1);
}

/* --- the recorder ----------------------------------------------------------------------------- */

static int explain(const struct start *s, const struct user_outcome *outcome, struct ft_error *err)
{
	static const char *const steps[] = {
		[STEP_CPU] = "its process cannot run there",
		[STEP_PRIORITY] = "its process cannot have this priority",
	};
	char text[TRACEFS_TEXT_BYTES];

	if (outcome->step != STEP_OPEN)
		return tracefs_dir_refused(err, outcome->errnum, "user: CPU %u: %s", s->cpu,
					   steps[outcome->step]);
	return tracefs_dir_refused(err, outcome->errnum, "user: %s/%s%s", s->root->path,
				   fd_file(s->cpu, text),
				   outcome->errnum == EBUSY ? ": another process has it" : "");
}

static int start_one(struct timerlat_user *user, struct start *s, struct ft_error *err)
{
	struct user_outcome outcome;
	int fds[2];
	ssize_t got;
	pid_t pid;
	bool is_late;

	if (pipe2(fds, O_CLOEXEC))
		return ft_error_errno(err, errno, -1, "user: cannot start a process");
	s->tell = fds[1];
	CPU_ZERO_S(s->set_bytes, s->set);
	CPU_SET_S(s->cpu, s->set_bytes, s->set);
	fflush(NULL);
	pid = fork();
	if (!pid)
		measure(s);
	close(fds[1]);
	if (pid > 0) {
		user->pids[user->nr] = pid;
		user->cpus[user->nr++] = s->cpu;
	}
	is_late = pid > 0 && !await_answer(user->await, pid, fds[0]);
	do
		got = pid > 0 && !is_late ? read(fds[0], &outcome, sizeof(outcome)) : -1;
	while (got < 0 && pid > 0 && !is_late && errno == EINTR);
	close(fds[0]);
	if (is_late)
		return ft_error_set(err, FT_E_IO, -1, "user: CPU %u: its process does not answer",
				    s->cpu);
	if (got != sizeof(outcome))
		return ft_error_errno(err, pid < 0 ? errno : ECHILD, -1,
				      "user: cannot start a process");
	return outcome.step == STEP_DONE ? 0 : explain(s, &outcome, err);
}

/* @file: a list of CPUs.  Without it, all of them. */
static void read_cpus(int at, const char *file, bool *cpus, unsigned int nr)
{
	char list[4096];

	tracefs_dir_read_into(at, file, list, sizeof(list));
	list[strcspn(list, "\n")] = '\0';
	if (options_cpus("cpus", list, cpus, nr, NULL))
		memset(cpus, true, nr * sizeof(*cpus));
}

int timerlat_user_start(struct timerlat_user *user, const struct tracefs_dir *root,
			unsigned int nr_cpus, const struct plan_priority *priority,
			const struct await *await, struct ft_error *err)
{
	struct start s = { .root = root, .priority = priority ? priority : &usual,
			   .recorder = getpid(), .set_bytes = CPU_ALLOC_SIZE(nr_cpus) };
	bool *wanted = mem_array(nr_cpus, sizeof(*wanted)),
	     *online = mem_array(nr_cpus, sizeof(*online));
	int ret = 0;

	user->await = await;
	s.set = mem_alloc(s.set_bytes);
	read_cpus(root->fd, "osnoise/cpus", wanted, nr_cpus);
	read_cpus(AT_FDCWD, "/sys/devices/system/cpu/online", online, nr_cpus);
	user->pids = mem_array(nr_cpus, sizeof(*user->pids));
	user->cpus = mem_array(nr_cpus, sizeof(*user->cpus));
	for (s.cpu = 0; s.cpu < nr_cpus && !ret; s.cpu++)
		if (wanted[s.cpu] && online[s.cpu])
			ret = start_one(user, &s, err);
	free(s.set);
	free(wanted);
	free(online);
	return ret;
}

void timerlat_user_end(struct timerlat_user *user, struct text *notes)
{
	for (unsigned int i = 0; i < user->nr; i++) {
		if (waitpid(user->pids[i], NULL, WNOHANG) == user->pids[i]) {
			text_printf(
				notes,
				"timerlatu/%u, which timerlat woke on CPU %u, ended before the recording did\n",
				user->cpus[i], user->cpus[i]);
			user->pids[i] = 0;
		} else {
			kill(user->pids[i], SIGKILL);
		}
	}
	for (unsigned int i = 0; i < user->nr; i++)
		if (user->pids[i] && !await_child(&await_briefly, user->pids[i], NULL))
			text_printf(notes, "timerlatu/%u cannot be ended\n", user->cpus[i]);
	free(user->pids);
	free(user->cpus);
	*user = (struct timerlat_user){ 0 };
}
