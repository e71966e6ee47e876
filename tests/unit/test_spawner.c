/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawner: what its helpers may do, and that they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/framing.h"
#include "src/sandbox/confine.h"
#include "tests/lib/refused_calls.h"
#include "src/sandbox/spawner.h"

enum ask { ASK_LOADING = 'l', ASK_SHUT_IN = 's', ASK_FOLDER = 'f', ASK_DIE = 'd', ASK_SPIN = 'p',
	   ASK_TRAP = 'i', ASK_TIME = 't', ASK_MEMORY = 'm', ASK_EXIT = 'e',
	   ASK_NO_FOLDER = 'n' };

static bool refused(long ret)
{
	return ret < 0 && (errno == EPERM || errno == EACCES);
}

/* While plugins are loaded, files can be read only.  Return: 0, or the number of what fails. */
static int while_loading(void)
{
	char byte = 0;

	(void)byte;
	if (open("/dev/null", O_RDONLY) < 0 || open("/etc/passwd", O_RDWR) >= 0)
		return 1;
	if (!refused(socket(AF_UNIX, SOCK_STREAM, 0)) || !refused(execl("/bin/true", "true", NULL)))
		return 2;
#ifndef __SANITIZE_ADDRESS__
	if (read(STDIN_FILENO, &byte, 1) != 0)		/* not the terminal */
		return 3;
#endif
	return 0;
}

static int when_shut_in(void (*shut_in)(int folder))
{
	shut_in(-1);
	if (!refused(open("/dev/null", O_RDONLY)) || !refused(socket(AF_UNIX, SOCK_STREAM, 0)))
		return 1;
	if (!refused(fork()) || !refused(syscall(SYS_kill, getppid(), 0)))
		return 2;
	if (!getuid() || !refused(unlink("/tmp/no-such-file")))
		return 3;
#ifndef __SANITIZE_ADDRESS__
	if (mmap(NULL, 1u << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		return 4;
#endif
	free(malloc(10 << 20));
	return 0;
}

/* Of all files, those below a folder can be read. */
static int when_in_folder(void (*shut_in)(int folder))
{
	int folder = open("/etc", O_RDONLY | O_DIRECTORY);

	shut_in(folder);
	if (openat(folder, "passwd", O_RDONLY) < 0 || open("/etc/passwd", O_RDONLY) < 0)
		return 1;
	if (!refused(open("/proc/self/status", O_RDONLY)) ||
	    !refused(open("/usr", O_RDONLY | O_DIRECTORY)))
		return 2;
	if (!refused(open("/etc/passwd", O_RDWR)) || !refused(fork()))
		return 3;
	return 0;
}

/* As libraries do when there is no more memory. */
static void die(char what)
{
	for (size_t size = 16 << 20; what == ASK_MEMORY;) {
		char *volatile block = malloc(size);	/* or clang leaves it out */

		if (!block)
			break;
		memset(block, 1, size);
	}
	abort();
}

static void serve(int fd, void (*shut_in)(int folder))
{
	pid_t self = getpid();
	char what;
	int result;

	refused_calls_expect();
	while (recv(fd, &what, 1, 0) == 1) {
		if (what == ASK_DIE || what == ASK_MEMORY)
			die(what);
		if (what == ASK_TRAP)
			__builtin_trap();
		if (what == ASK_TIME)
			raise(SIGPROF);
		if (what == ASK_NO_FOLDER)
			shut_in(fd);
		if (what == ASK_EXIT || what == ASK_NO_FOLDER)
			return;
		if (what == ASK_SPIN && write(fd, &self, sizeof(self)) == sizeof(self))
			for (;;)
				poll(NULL, 0, -1);
		result = what == ASK_LOADING ? while_loading() :
			 what == ASK_FOLDER  ? when_in_folder(shut_in) :
					       when_shut_in(shut_in);
		if (send(fd, &result, sizeof(result), 0) < 0)
			return;
	}
}

static spawner_serve *const tasks[SPAWNER_TASKS] = { [SPAWNER_PRINTER] = serve };

/* What a new helper answers; -1: nothing. */
static int ask(char what)
{
	int fd = spawner_start(SPAWNER_PRINTER), answer = -1;

	assert_true(fd >= 0);
	assert_int_equal(send(fd, &what, 1, 0), 1);
	if (recv(fd, &answer, sizeof(answer), 0) != sizeof(answer))
		answer = -1;
	if (what != ASK_SPIN)
		close(fd);
	return answer;
}

static void test_rights(void **state)
{
	struct confine possible = confine_try();

	(void)state;
	if (!possible.files || !possible.calls)
		skip();
	spawner_begin(tasks, NULL);
	assert_int_equal(ask(ASK_LOADING), 0);
	assert_int_equal(ask(ASK_SHUT_IN), 0);
	assert_int_equal(ask(ASK_FOLDER), 0);
	spawner_end();
}

static void test_deaths(void **state)
{
	(void)state;
	spawner_begin(tasks, NULL);
	for (int i = 0; i < 5; i++)
		assert_int_equal(ask(ASK_DIE), -1);
	spawner_end();
	assert_int_equal(spawner_start(SPAWNER_PRINTER), -1);
}

/* How it ended, for the user. */
static void expect_how(char what, const char *words)
{
	int fd = spawner_start(SPAWNER_PRINTER), answer;
	char buf[128];

	assert_true(fd >= 0);
	assert_int_equal(send(fd, &what, 1, 0), 1);
	if (what == ASK_SPIN)		/* it says so, and runs on */
		assert_int_equal(recv(fd, &answer, sizeof(answer), 0), sizeof(answer));
	else
		assert_int_equal(recv(fd, &answer, sizeof(answer), 0), 0);
	assert_string_equal(spawner_how(fd, buf, sizeof(buf)), words);
	if (what == ASK_SPIN)
		assert_int_equal(kill(answer, 0), -1);
	close(fd);
}

static void test_how(void **state)
{
	(void)state;
	spawner_begin(tasks, NULL);
	expect_how(ASK_DIE, "crashed (SIGABRT)");
	expect_how(ASK_TRAP, "crashed (SIGILL)");
	expect_how(ASK_TIME, "used up its processor time");
	expect_how(ASK_EXIT, "ended too early");
	expect_how(ASK_SPIN, "was killed");
	if (confine_try().files)
		expect_how(ASK_NO_FOLDER, "could not be confined");
#ifndef __SANITIZE_ADDRESS__
	expect_how(ASK_MEMORY, "needed more than 1 GiB of memory");
#endif
	spawner_end();
}

/* One that does not listen any more ends with the spawner. */
static void test_end(void **state)
{
	pid_t helper;

	(void)state;
	spawner_begin(tasks, NULL);
	helper = ask(ASK_SPIN);
	assert_true(helper > 0);
	assert_int_equal(kill(helper, 0), 0);
	spawner_end();
	assert_int_equal(kill(helper, 0), -1);		/* nor does it wait to be reaped */
}

/* --- folders that are root's, and who asks is not --------------------------------------------- */

enum { READS = 1, READS_EARLY = 2, IS_PERMITTED = 4 };

static bool is_permitted(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &head, sets) || sets[0].permitted || sets[1].permitted;
}

/* Answers what it can do with the folder that it is sent. */
static void read_folder(int fd, void (*shut_in)(int folder))
{
	int folder = -1, found = 0;
	char byte;

	refused_calls_expect();
	if (framing_receive_fds(fd, &byte, 1, &folder, 1) != 1)
		return;
	found |= is_permitted() ? IS_PERMITTED : 0;
	found |= openat(folder, "file", O_RDONLY) >= 0 ? READS_EARLY : 0;
	shut_in(byte == 'f' ? folder : -1);
	found |= openat(folder, "file", O_RDONLY) >= 0 ? READS : 0;
	send(fd, &found, sizeof(found), 0);
}

static int ask_with(enum spawner_task task, char what, int folder)
{
	int fd = spawner_start(task), answer = -1;

	if (framing_send_fds(fd, &what, 1, &folder, 1) ||
	    recv(fd, &answer, sizeof(answer), 0) != sizeof(answer))
		answer = -1;
	close(fd);
	return answer;
}

static int folder_of_root(const char *name)
{
	int folder, fd;

	if (mkdir(name, 0700))
		return -1;
	folder = open(name, O_RDONLY | O_DIRECTORY);
	fd = openat(folder, "file", O_WRONLY | O_CREAT, 0600);
	return close(fd) ? -1 : folder;
}

/* As under sudo.  Return: 0, or the number of what fails. */
static int try_as_user(int named, int other)
{
	static spawner_serve *const readers[SPAWNER_TASKS] = { [SPAWNER_PRINTER] = read_folder,
							       [SPAWNER_CTF] = read_folder };

	if (!spawner_may_read(named) || prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) ||
	    setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ||
	    !confine_permit_reading(true))
		return 1;
	spawner_begin(readers, NULL);
	if (openat(named, "file", O_RDONLY) >= 0 || is_permitted())	/* any more */
		return 2;
	if (ask_with(SPAWNER_PRINTER, 's', named) != 0)
		return 3;
	if (ask_with(SPAWNER_CTF, 'f', named) != (IS_PERMITTED | READS))
		return 4;
	/* the screen, which a trace may have taken over, sends another one */
	if (ask_with(SPAWNER_CTF, 'f', other) != IS_PERMITTED)
		return 5;
	spawner_end();
	return 0;
}

static void test_folder_of_root(void **state)
{
	char top[] = "/tmp/ftop-spawner-XXXXXX", names[2][64], file[160];
	struct confine possible = confine_try();
	int status, folders[2];
	pid_t pid;

	(void)state;
	if (!possible.files || !possible.calls || geteuid()) {
		print_message("skipped: needs root, landlock and seccomp\n");
		skip();
	}
	assert_non_null(mkdtemp(top));
	for (int i = 0; i < 2; i++) {
		snprintf(names[i], sizeof(names[i]), "%s/%d", top, i);
		folders[i] = folder_of_root(names[i]);
		assert_true(folders[i] >= 0);
	}
	pid = fork();
	if (!pid)
		_exit(try_as_user(folders[0], folders[1]));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (int i = 0; i < 2; i++) {
		snprintf(file, sizeof(file), "%s/file", names[i]);
		assert_int_equal(unlink(file), 0);
		assert_int_equal(rmdir(names[i]), 0);
		close(folders[i]);
	}
	assert_int_equal(rmdir(top), 0);
	assert_int_equal(status, 0);
}

/* A file of the spawner, a bounded number of times. */
static int make(char where[SPAWNER_WHERE])
{
	strcpy(where, "somewhere");
	return memfd_create("made", MFD_CLOEXEC);
}

static void test_files(void **state)
{
	char where[SPAWNER_WHERE] = "";
	int fd, nr = 0;

	(void)state;
	spawner_begin(tasks, make);
	while (nr < 10000 && (fd = spawner_file(where)) >= 0) {
		assert_int_equal(write(fd, "x", 1), 1);
		close(fd);
		nr++;
	}
	assert_int_equal(nr, 2000);
	assert_string_equal(where, "");
	spawner_end();
	assert_int_equal(spawner_file(where), -1);
}

/* A screen that was taken over asks on and on. */
static void test_most(void **state)
{
	int fd, nr = 0;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	print_message("skipped: a sanitizer starts a process slowly\n");
	skip();
#endif
	spawner_begin(tasks, NULL);
	for (; nr < 10000 && (fd = spawner_start(SPAWNER_PRINTER)) >= 0; nr++)
		close(fd);
	assert_int_equal(nr, 2000);
	spawner_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rights),
		cmocka_unit_test(test_deaths),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_how),
		cmocka_unit_test(test_folder_of_root),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
