/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_probe - what recorders are measured with.
 *
 *   record_probe now                    nanoseconds of CLOCK_MONOTONIC
 *   record_probe splice INSTANCE FOLDER moves each CPU's sub-buffers to FOLDER/cpuN, nothing else,
 *   until SIGINT
 *
 * The loop is the least that a recorder has to do: a thread for each CPU that waits, and splices
 * what is full.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIPE_BYTES (1 << 17)	/* the cheapest of 64 KB to 1 MB */

struct loop {
	const char	*instance, *folder;
	long		 cpu;
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static void *run(void *arg)
{
	const struct loop *loop = arg;
	char path[4096];
	int from, to, pipes[2], size;
	ssize_t got, put;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%ld/trace_pipe_raw", loop->instance, loop->cpu);
	from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s/cpu%ld", loop->folder, loop->cpu);
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (from < 0 || to < 0 || pipe(pipes)) {
		perror("record_probe");
		exit(1);
	}
	size = fcntl(pipes[1], F_SETPIPE_SZ, PIPE_BYTES);
	while (!stopped) {
		struct pollfd ready = { .fd = from, .events = POLLIN };

		poll(&ready, 1, 200);
		while ((got = splice(from, NULL, pipes[1], NULL, size > 0 ? size : 65536,
				     SPLICE_F_MOVE | SPLICE_F_NONBLOCK)) > 0)
			for (; got > 0; got -= put)
				if ((put = splice(pipes[0], NULL, to, NULL, got, SPLICE_F_MOVE)) <=
				    0) {
					perror("record_probe: splice");
					exit(1);
				}
	}
	return NULL;
}

static int splice_all(const char *instance, const char *folder)
{
	const struct sched_param first = { .sched_priority = 1 };
	long nr = sysconf(_SC_NPROCESSORS_ONLN);
	struct loop *loops = calloc((size_t)nr, sizeof(*loops));
	pthread_t *threads = calloc((size_t)nr, sizeof(*threads));

	if (!loops || !threads)
		return 1;
	/*
	 * as recorders do: else it reads late, loses events, and has less to move.  Refused, it is
	 * slower and that is all.
	 */
	(void)!sched_setscheduler(0, SCHED_FIFO, &first);
	signal(SIGINT, stop);
	for (long i = 0; i < nr; i++) {
		loops[i] = (struct loop){ instance, folder, i };
		if (pthread_create(&threads[i], NULL, run, &loops[i]))
			return 1;
	}
	for (long i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	free(loops);
	free(threads);
	return 0;
}

int main(int argc, char **argv)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (argc == 2 && !strcmp(argv[1], "now"))
		return printf("%lld\n", now.tv_sec * 1000000000ll + now.tv_nsec) < 0;
	if (argc == 4 && !strcmp(argv[1], "splice"))
		return splice_all(argv[2], argv[3]);
	fprintf(stderr, "usage: record_probe now | splice INSTANCE FOLDER\n");
	return 2;
}
