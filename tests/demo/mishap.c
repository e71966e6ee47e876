/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mishap - what the demo shows: a request that takes much too long, since the lock it needs is held
 * by a task that was preempted.
 *
 *   CPU 0  client   asks every 12 ms, through a pipe, and waits for the answer
 *   CPU 1  backup   SCHED_IDLE: every 30 ms it reads from the disk, and holds the lock while it
 *                   writes
 *          encoder  computes for 48 ms at a time, on the same CPU
 *   CPU 2  server   needs the lock for each answer
 *
 * At the first slow answer the client writes that into the trace, which ends the recording: the
 * marker has a trigger, traceoff.
 *
 * usage: mishap DISK PHASE_US     PHASE_US: when the encoder first wakes, after 100 ms
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define TRACEFS		"/sys/kernel/tracing/"
#define MS		1000000ull	/* ns */
#define SLOW		(35 * MS)
#define DISK_BYTES	16384
#define COPY_BYTES	49152

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t ready;
static int ask[2], answer[2], disk, copy, marker;
static uint64_t start, phase;

static void die(const char *what)
{
	fprintf(stderr, "mishap: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

static void sleep_until(uint64_t at)
{
	struct timespec ts = { .tv_sec = at / (1000 * MS), .tv_nsec = at % (1000 * MS) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static void become(const char *name, int cpu, int policy)
{
	struct sched_param none = { 0 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	prctl(PR_SET_NAME, name);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, policy, &none))
		die(name);
	pthread_barrier_wait(&ready);
}

static void *server(void *arg)
{
	static char page[4096];
	char request;

	become("server", 2, SCHED_OTHER);
	while (read(ask[0], &request, 1) == 1) {
		pthread_mutex_lock(&lock);
		if (pread(copy, page, sizeof(page), 0) < 0)
			die("server");
		pthread_mutex_unlock(&lock);
		if (write(answer[1], &request, 1) != 1)
			die("server");
	}
	return arg;
}

static void *backup(void *arg)
{
	char *data = aligned_alloc(4096, COPY_BYTES);

	become("backup", 1, SCHED_IDLE);
	memset(data, 1, COPY_BYTES);
	for (uint64_t at = start + 10 * MS;; at += 30 * MS) {
		sleep_until(at);
		if (pread(disk, data, DISK_BYTES, 1 << 30) != DISK_BYTES)
			die("disk");
		pthread_mutex_lock(&lock);
		if (pwrite(copy, data, COPY_BYTES, 0) != COPY_BYTES || ftruncate(copy, 4096))
			die("backup");
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *encoder(void *arg)
{
	become("encoder", 1, SCHED_OTHER);
	for (uint64_t at = start + 100 * MS + phase;; at += 200 * MS) {
		sleep_until(at);
		while (now() < at + 48 * MS)
			for (volatile unsigned int i = 0; i < 100000; i++)
				;
	}
	return arg;
}

static void set(const char *file, const char *what)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || (*what && write(fd, what, strlen(what)) < 0))
		die(path);
	close(fd);
}

/* Events of all tasks are recorded, but only calls of these; a marker ends the recording. */
static void trace_these(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	set("set_ftrace_pid", pid);
	set("events/ftrace/print/trigger", "traceoff");
}

static void trace_others_again(void)
{
	set("set_ftrace_pid", "");
	set("events/ftrace/print/trigger", "!traceoff");
}

/* True: the answer was slow, and the trace says so. */
static bool request(unsigned int nr)
{
	uint64_t from = now(), took;
	char text[64], byte = 0;
	int len;

	if (write(ask[1], &byte, 1) != 1 || read(answer[0], &byte, 1) != 1)
		die("client");
	took = now() - from;
	if (took < SLOW)
		return false;
	len = snprintf(text, sizeof(text), "request %u took %.1f ms\n", nr, (double)took / MS);
	if (write(marker, text, len) != len)
		die("marker");
	fputs(text, stdout);
	return true;
}

int main(int argc, char **argv)
{
	void *(*const others[])(void *) = { server, backup, encoder };
	pthread_t thread;

	if (argc != 3)
		return 2;
	phase = strtoull(argv[2], NULL, 10) * 1000;
	disk = open(argv[1], O_RDONLY | O_DIRECT);
	copy = memfd_create("copy", 0);
	marker = open(TRACEFS "trace_marker", O_WRONLY);
	if (disk < 0 || copy < 0 || marker < 0 || pipe(ask) || pipe(answer) ||
	    ftruncate(copy, 4096))
		die("start");
	trace_these();
	start = now() + 20 * MS;
	pthread_barrier_init(&ready, NULL, 4);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (pthread_create(&thread, NULL, others[i], NULL))
			die("start");
	become("client", 0, SCHED_OTHER);
	for (unsigned int nr = 1; nr <= 40; nr++) {
		sleep_until(start + nr * 12 * MS);
		if (request(nr))
			break;
	}
	trace_others_again();
	return 0;
}
