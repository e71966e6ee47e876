/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/priority.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/tracefs/tracefs_dir.h"

#define TIMERLAT_PRIORITY	95	/* SCHED_FIFO: what its threads give themselves */
#define KTHREADD		2	/* pid, the parent of all threads of the kernel */
#define WAIT_MS			1000		/* for all threads together */

/* sched_setattr(2); its header conflicts with the C library's */
struct attributes {
	uint32_t	size, policy;
	uint64_t	flags;
	int32_t		nice;
	uint32_t	priority;
	uint64_t	runtime, deadline, period;
};

int priority_set(pid_t tid, const struct plan_priority *p)
{
	struct attributes attr = { .size = sizeof(attr), .policy = p->policy, .nice = p->nice,
				   .priority = p->priority, .runtime = p->runtime_ns,
				   .deadline = p->period_ns, .period = p->period_ns };

	return (int)syscall(SYS_sched_setattr, tid, &attr, 0);
}

/* A thread of the kernel whose name begins with "TRACER/": 0 if this is none. */
static pid_t thread_of(const struct tracefs_dir *proc, const char *pid, const char *tracer)
{
	char line[512];
	const char *name, *end;
	int parent = 0;

	if (strspn(pid, "0123456789") != strlen(pid) ||
	    !tracefs_dir_read_into(proc->fd, TRACEFS_TEXT("%s/stat", pid), line, sizeof(line)))
		return 0;
	name = strchr(line, '(');
	end = strrchr(line, ')');
	if (!name || !end || sscanf(end, ") %*c %d", &parent) != 1 || parent != KTHREADD)
		return 0;
	if (strncmp(name + 1, tracer, strlen(tracer)) != 0 || name[1 + strlen(tracer)] != '/')
		return 0;
	return (pid_t)atoi(pid);
}

/*
 * A thread of timerlat sets its own priority when it begins to run; ours is to be the last.  That
 * takes as long as something more urgent has the CPU.  @ms: what is left of the time
 */
static void wait_for_own(pid_t tid, int *ms)
{
	struct sched_param param = { 0 };

	for (; *ms > 0; --*ms) {
		sched_getparam(tid, &param);
		if (sched_getscheduler(tid) == SCHED_FIFO &&
		    param.sched_priority == TIMERLAT_PRIORITY)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

static int refused(const char *name, int errnum, struct ft_error *err)
{
	tracefs_dir_refused(err, errnum, "prio: %s", name);
	if (errnum == EPERM && err)
		return ft_error_set(
			err, FT_E_IO, -1,
			"prio: %s: EPERM: SCHED_DEADLINE needs a CPU that is alone in its root domain (a "
			"partition of cpusets); real-time policies need CAP_SYS_NICE",
			name);
	return -1;
}

int priority_set_threads(const char *tracer, const char *proc, const struct plan_priority *priority,
			 struct ft_error *err)
{
	struct name_list pids = { 0 };
	struct tracefs_dir dir;
	unsigned int nr = 0;
	int ret = 0, ms = WAIT_MS;

	if (tracefs_dir_open(&dir, proc, err))
		return -1;
	tracefs_dir_list(&dir, "", &pids, NULL);
	for (size_t i = 0; i < pids.nr && !ret; i++) {
		pid_t tid = thread_of(&dir, pids.names[i], tracer);

		if (!tid)
			continue;
		nr++;
		if (!strcmp(tracer, "timerlat"))
			wait_for_own(tid, &ms);
		if (priority_set(tid, priority))
			ret = refused(TRACEFS_TEXT("%s/N (pid %d)", tracer, (int)tid), errno, err);
	}
	if (!nr)
		ret = ft_error_set(
			err, FT_E_IO, -1,
			"prio: there is no thread %s/N in %s; a container does not see them",
			tracer, proc);
	name_list_fini(&pids);
	tracefs_dir_close(&dir);
	return ret;
}
