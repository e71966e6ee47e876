/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shop - starts programs in cgroups, which burn CPU time and write.  See README.md. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS	9

static int64_t cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

static void burn(int64_t us)
{
	int64_t end = cpu_us() + us;

	while (cpu_us() < end)
		;
}

static void move_to(const char *cgroup)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		perror(path);
	close(fd);
}

static void *work(void *number)
{
	int fd = open("/dev/null", O_WRONLY);
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", (int)(intptr_t)number);
	prctl(PR_SET_NAME, name);
	for (int i = 0; i < 6; i++) {
		burn(1500);
		if (write(fd, name, 4) < 0)
			return NULL;
		usleep(4000);
	}
	close(fd);
	return NULL;
}

static void serve(void)
{
	pthread_t threads[WORKERS];

	for (intptr_t i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
}

static void begin(int i)
{
	static const char *const cgroups[] = { "/shop/web", "/shop", "/batch", "/batch" };

	move_to(cgroups[i]);
	if (i == 0)
		execl("/shop-web", "/shop-web", "web", NULL);
	if (i == 1)
		execl("/till", "/till", "sell", "40", NULL);
	if (i == 2) {
		if (setuid(1000))
			perror("setuid");
		execl("/report", "/report", "month", "60", NULL);
	}
	prctl(PR_SET_NAME, "mover");
	burn(8000);
	move_to("/shop/web");
	usleep(2000);
	burn(9000);
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc == 2) {
		serve();
		return 0;
	}
	if (argc == 3) {
		burn(atoi(argv[2]) * INT64_C(1000));
		return 0;
	}
	for (int i = 0; i < 4; i++)
		if (!fork())
			begin(i);
	while (wait(NULL) > 0)
		;
	return 0;
}
