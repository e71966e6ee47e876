/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "src/base/await.h"

#define WORKS_MS	(AWAIT_HURRY_MS + 500)

static bool hurries(void *nr)
{
	++*(int *)nr;
	return true;
}

static uint64_t cpu_ms(void)
{
	return await_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000000;
}

static pid_t child_that(void (*acts)(int fd), int fd)
{
	pid_t pid = fork();

	if (!pid) {
		acts(fd);
		_exit(3);
	}
	assert_true(pid > 0);
	return pid;
}

static void sleeps(int fd)
{
	(void)fd;
	for (;;)
		pause();
}

static void works(int fd)
{
	uint64_t end = cpu_ms() + WORKS_MS;

	(void)fd;
	while (cpu_ms() < end)
		;
}

static void answers(int fd)
{
	if (write(fd, "x", 1) == 1)
		sleeps(fd);
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_true(await_child(NULL, pid, NULL));
}

/* What is late can be waited for again. */
static void test_child(void **state)
{
	pid_t pid = child_that(sleeps, -1);
	int status = 0, asked = 0;

	(void)state;
	assert_false(await_child(&await_briefly, pid, &status));
	end_child(pid);
	/* who works is not late, though somebody hurries */
	pid = child_that(works, -1);
	assert_true(await_child(&(struct await){ hurries, &asked }, pid, &status));
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3 && asked);
	/* somebody else has reaped it */
	assert_true(await_child(NULL, pid, NULL));
}

static void test_answer(void **state)
{
	int fds[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = child_that(answers, fds[1]);
	assert_true(await_answer(NULL, pid, fds[0]));
	end_child(pid);
	close(fds[1]);
	close(fds[0]);
}

static void *run(void *fd)
{
	char byte;

	return read(*(int *)fd, &byte, 1) ? NULL : fd;
}

static void test_thread(void **state)
{
	pthread_t thread;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pthread_create(&thread, NULL, run, &fds[0]), 0);
	assert_false(await_thread(&await_briefly, thread));
	close(fds[1]);
	assert_true(await_thread(NULL, thread));
	close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_child),
		cmocka_unit_test(test_answer),
		cmocka_unit_test(test_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
