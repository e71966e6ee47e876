/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confine: in a child, as it cannot be undone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "src/sandbox/confine.h"
#include "tests/lib/refused_calls.h"

static char path[64];

/* What a child answers: 0, or the number of what went wrong. */
static int in_child(int (*run)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		refused_calls_expect();
		_exit(run());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static bool refused(int ret, int errnum)
{
	return ret < 0 && errno == errnum;
}

/* By seccomp, which has not the call, or by landlock. */
static bool is_forbidden(int ret)
{
	return ret < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static int what_is_there(void)
{
	struct confine c = confine_to_reading();

	return c.files | c.calls << 1;
}

static int try_files(void)
{
	int open_before = open(path, O_WRONLY | O_APPEND), fd;
	char other[80], byte;

	snprintf(other, sizeof(other), "%s-other", path);
	if (open_before < 0 || !confine_to_reading().files)
		return 1;
	if (!is_forbidden(open(path, O_WRONLY)) || !is_forbidden(open(path, O_RDWR)) ||
	    !is_forbidden(open(path, O_RDONLY | O_TRUNC)))
		return 2;
	if (!is_forbidden(open(other, O_RDONLY | O_CREAT, 0600)) ||
	    !is_forbidden(mkdir(other, 0700)))
		return 3;
	if (!is_forbidden(unlink(path)) || !is_forbidden(symlink("x", other)) ||
	    rename(path, other) == 0)
		return 4;
	/* what is open is written on; all is read */
	if (write(open_before, "b", 1) != 1)
		return 5;
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, &byte, 1) != 1 || byte != 'a')
		return 6;
	/* but devices: reading a terminal takes away what is typed on it */
	if (!is_forbidden(open("/dev/zero", O_RDONLY)) || open("/dev/null", O_RDONLY) < 0)
		return 8;
	return open("/", O_RDONLY | O_DIRECTORY) < 0 ? 7 : 0;
}

/*
 * In tracefs, closing and reading have effects on others: it is left out where it belongs, and
 * where else it is mounted, here in a folder of the namespace of this child.
 */
static int try_tracefs(void)
{
	char folder[80], mounted[90], beside[90], readme[100], link[90], linked[100];

	snprintf(folder, sizeof(folder), "%s-folder", path);
	snprintf(mounted, sizeof(mounted), "%s/mnt", folder);
	snprintf(beside, sizeof(beside), "%s/beside", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(readme, sizeof(readme), "%s/README", mounted);
	snprintf(linked, sizeof(linked), "%s/README", link);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/tmp", "tmpfs", 0, NULL) || mkdir(folder, 0700) ||
	    mkdir(mounted, 0700) || creat(beside, 0600) < 0 ||
	    mount("none", mounted, "tracefs", 0, NULL) || symlink(mounted, link))
		return 77;		/* as another user, or without tracefs */
	mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);	/* or it is there already */
	if (open(readme, O_RDONLY) < 0 || open("/sys/kernel/tracing/README", O_RDONLY) < 0)
		return 77;
	if (!confine_to_reading().files)
		return 1;
	if (!is_forbidden(open("/sys/kernel/tracing/README", O_RDONLY)) ||
	    !is_forbidden(open("/proc/self/root/sys/kernel/tracing/README", O_RDONLY)))
		return 2;
	if (!is_forbidden(open(readme, O_RDONLY)) || !is_forbidden(open(linked, O_RDONLY)))
		return 3;
	/* what is beside it is read */
	if (open("/sys/kernel/notes", O_RDONLY) < 0 || open("/proc/version", O_RDONLY) < 0 ||
	    open(beside, O_RDONLY) < 0)
		return 4;
	return 0;
}

/* Below one folder there may be files and folders; beside it none. */
static int try_folder(void)
{
	char folder[80], file[100], moved[100], below[100];
	const char *folders[] = { "/nowhere/to/be/found", folder };
	int fd;

	snprintf(folder, sizeof(folder), "%s-folder", path);
	snprintf(file, sizeof(file), "%s/file", folder);
	snprintf(moved, sizeof(moved), "%s/moved", folder);
	snprintf(below, sizeof(below), "%s/below", folder);
	if (mkdir(folder, 0700) || !confine_to_folders(folders, 2).files)
		return 1;
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 || close(fd))
		return 2;
	if (rename(file, moved) || mkdir(below, 0700) || unlink(moved))
		return 3;
	/* for others of this machine to run, or with the rights of its owner */
	if (!is_forbidden(open(file, O_WRONLY | O_CREAT, 0700)) ||
	    !is_forbidden(open(file, O_WRONLY | O_CREAT, 04600)) ||
	    !is_forbidden(open(folder, O_WRONLY | O_TMPFILE, 0755)))
		return 7;
	if (symlink("x", file) == 0 || mkfifo(file, 0600) == 0)
		return 4;
	if (!refused(open(path, O_WRONLY), EACCES) || !is_forbidden(truncate(path, 0)))
		return 5;
	snprintf(file, sizeof(file), "%s/../ftop-other", folder);
	return refused(open(file, O_WRONLY | O_CREAT, 0600), EACCES) ? 0 : 6;
}

/* One file may be written; nothing is created beside it, and it stays where it is. */
static int try_one_file(void)
{
	const char *files[] = { path };
	char other[80];
	int fd;

	snprintf(other, sizeof(other), "%s-other", path);
	if (!confine_to_folders(files, 1).files)
		return 1;
	fd = open(path, O_RDWR);
	if (fd < 0 || pwrite(fd, "a", 1, 0) != 1 || ftruncate(fd, 1))
		return 2;
	if (!is_forbidden(open(other, O_WRONLY | O_CREAT, 0600)))
		return 3;
	return is_forbidden(unlink(path)) && is_forbidden(rename(path, other)) ? 0 : 4;
}

/* Since Linux 6.12 (landlock 6) */
static int try_signals(void)
{
	pid_t outside = getppid();

	if (kill(outside, 0) || !confine_to_reading().files)
		return 1;
	if (kill(getpid(), 0))
		return 2;
	return refused(kill(outside, 0), EPERM) ? 0 : 3;
}

static void *nothing(void *arg)
{
	return arg;
}

/* Modes, owners, attributes and times of files, landlock does not cover. */
static int try_attributes(void)
{
	const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
	int fd = open(path, O_WRONLY);

	if (fd < 0 || !confine_to_folders((const char *[]){ "/tmp" }, 1).calls)
		return 1;
	if (!is_forbidden(chmod(path, 0666)) || !is_forbidden(fchmod(fd, 0755)) ||
	    !is_forbidden(fchmodat(AT_FDCWD, path, 0755, 0)))
		return 2;
	if (!is_forbidden((int)syscall(452, AT_FDCWD, path, 0755, 0)))		/* fchmodat2 */
		return 3;
	if (!is_forbidden(chown(path, 0, 0)) || !is_forbidden(fchown(fd, 0, 0)) ||
	    !is_forbidden(lchown(path, 0, 0)))
		return 4;
	if (!is_forbidden(setxattr(path, "user.x", "y", 1, 0)) ||
	    !is_forbidden(fsetxattr(fd, "user.x", "y", 1, 0)) ||
	    !is_forbidden(removexattr(path, "user.x")))
		return 5;
	if (!is_forbidden(utimensat(AT_FDCWD, path, times, 0)) ||
	    !is_forbidden(futimens(fd, times)))
		return 6;
	if (!is_forbidden(open(path, O_RDONLY | O_TRUNC)) || !is_forbidden(truncate(path, 0)) ||
	    !is_forbidden(link(path, "/tmp/ftop-link")) ||
	    !is_forbidden(mknod("/tmp/ftop-node", S_IFREG | 0600, 0)))
		return 7;
	return chdir("/") == 0 || umask(0) != (mode_t)-1 ? 8 : 0;
}

/* One process and what it has; others, and the kernel, are not its business. */
static int try_processes(void)
{
	struct rlimit limit;
	pid_t other = getppid(), pid;

	if (!confine_to_reading().calls)
		return 1;
	if (!is_forbidden(prlimit(other, RLIMIT_CORE, NULL, &limit)) ||
	    prlimit(0, RLIMIT_CORE, NULL, &limit))
		return 2;
	if (!is_forbidden(kill(other, 0)) || !is_forbidden(kill(0, 0)) ||
	    !is_forbidden((int)syscall(SYS_tgkill, other, other, 0)) ||
	    syscall(SYS_tgkill, getpid(), getpid(), 0))
		return 3;
#ifndef __SANITIZE_ADDRESS__		/* its leak checker starts a process */
	pid = fork();
	if (!pid)
		_exit(0);
	if (!is_forbidden(pid))
		return 4;
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	if (!pid)
		_exit(0);
	if (!is_forbidden(pid) || !is_forbidden(unshare(CLONE_NEWUSER)) || !is_forbidden(vfork()))
		return 5;
	if (!is_forbidden((int)syscall(SYS_ptrace, 16 /* PTRACE_ATTACH */, other, 0, 0)) ||
	    !is_forbidden(prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY)))
		return 6;
#endif
	if (!is_forbidden(fcntl(0, F_SETFL, O_ASYNC)) || !is_forbidden(fcntl(1, F_SETFL, 0)) ||
	    !is_forbidden(fcntl(0, F_SETOWN, other)) || !is_forbidden(ioctl(0, TIOCSETD, &pid)))
		return 7;
	if (!is_forbidden((int)syscall(430, "tmpfs", 0)) || /* fsopen */
	    !is_forbidden(setdomainname("x", 1)) ||
	    !is_forbidden(clock_adjtime(0, &(struct timex){ 0 })) ||
	    !is_forbidden((int)syscall(SYS_kexec_load, 0, 0, NULL, 0)))
		return 8;
	return 0;
}

/* A helper takes no descriptors, such as the terminal, which the screen has. */
static int try_computing(void)
{
	struct iovec part = { .iov_base = path, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || send(ends[0], "xy", 2, 0) != 2)
		return 1;
	confine_to_plugins();
	confine_to_computing();
	if (!refused((int)recvmsg(ends[1], &message, 0), EPERM))
		return 2;
	return recv(ends[1], path, 1, 0) == 1 && sendmsg(ends[0], &message, 0) == 1 ? 0 : 3;
}

/* A helper learns that something has failed, and reads nothing. */
static int try_failing(void)
{
	return !confine_to_plugins() || confine_to_folder(-1);
}

/* Without room for descriptors, there is no list of calls. */
static int try_failing_early(void)
{
	const struct rlimit no_files = { 0, 0 };

	return setrlimit(RLIMIT_NOFILE, &no_files) || confine_to_plugins();
}

/* Of root's capabilities none but that to read. */
static int try_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	char line[100];
	unsigned long long effective = 1;
	FILE *status;

	confine_to_reading();
	if (!is_forbidden((int)syscall(SYS_capset, &head, sets)))
		return 1;
	status = fopen("/proc/self/status", "r");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	return effective & ~(1ull << CAP_DAC_READ_SEARCH) ? 2 : 0;
}

static int try_calls(void)
{
	char *const argv[] = { (char *)"true", NULL };
	pthread_t thread;

	if (!confine_to_reading().calls)
		return 1;
	if (!refused(execv("/bin/true", argv), EPERM))
		return 2;
	if (!refused(socket(AF_UNIX, SOCK_STREAM, 0), EPERM) ||
	    !refused(socket(AF_INET, SOCK_STREAM, 0), EPERM))
		return 3;
	if (!refused(setns(0, 0), EPERM))
		return 4;
	if (!refused(ioctl(0, TIOCSTI, "x"), EPERM) || refused(ioctl(-1, TCGETS, NULL), EPERM))
		return 6;
	/* the kernel cuts the request to 32 bits: with more it is the same one */
	if (!refused((int)syscall(SYS_ioctl, 0, TIOCLINUX | 1ull << 32, "x"), EPERM))
		return 7;
#ifdef __x86_64__
	if (!refused((int)syscall(SYS_getpid | 0x40000000), EPERM))	/* the ABI x32 */
		return 8;
#endif
	/* calls from clone3() on: a libc takes it that the kernel has none of them */
	if (!refused((int)syscall(435 + 1), ENOSYS) || !refused((int)syscall(435 + 127), ENOSYS) ||
	    !refused((int)syscall(435 + 128), EPERM))
		return 9;
	/* what workers and the allocator need goes on */
	if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
		return 5;
	free(malloc(100 << 20));
	return 0;
}

/* What is tried is what would be in force, and changes nothing here. */
static int try_trying(void)
{
	struct confine tried = confine_try(), got;
	int fd = open(path, O_WRONLY), other = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || other < 0 || close(fd) || close(other))
		return 1;
	got = confine_to_reading();
	if (tried.files != got.files || tried.calls != got.calls)
		return 2;
	/* what is shut in already can be asked, too */
	tried = confine_try();
	return tried.files != got.files || tried.calls != got.calls ? 3 : 0;
}

static int set_up(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/ftop-confine-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || write(fd, "a", 1) != 1)
		return -1;
	return close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static void test_files(void **state)
{
	(void)state;
	if (!(in_child(what_is_there) & 1)) {
		print_message("skipped: this kernel has no landlock\n");
		skip();
	}
	assert_int_equal(in_child(try_files), 0);
}

static void test_tracefs(void **state)
{
	int ret;

	(void)state;
	ret = in_child(what_is_there) & 1 ? in_child(try_tracefs) : 77;
	if (ret == 77) {
		print_message("skipped: needs landlock, and to mount tracefs\n");
		skip();
	}
	assert_int_equal(ret, 0);
}

static void test_folder(void **state)
{
	char name[100];

	(void)state;
	if (!(in_child(what_is_there) & 1)) {
		print_message("skipped: this kernel has no landlock\n");
		skip();
	}
	assert_int_equal(in_child(try_one_file), 0);
	assert_int_equal(in_child(try_folder), 0);
	snprintf(name, sizeof(name), "%s-folder/below", path);
	assert_int_equal(rmdir(name), 0);
	snprintf(name, sizeof(name), "%s-folder", path);
	assert_int_equal(rmdir(name), 0);
}

static void test_signals(void **state)
{
	(void)state;
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 6) {
		print_message("skipped: the landlock of this kernel knows no signals\n");
		skip();
	}
	assert_int_equal(in_child(try_signals), 0);
}

static void test_calls(void **state)
{
	(void)state;
	if (!(in_child(what_is_there) & 2)) {
		print_message("skipped: this kernel has no seccomp\n");
		skip();
	}
	assert_int_equal(in_child(try_calls), 0);
}

static void test_other_calls(void **state)
{
	(void)state;
	if (!(in_child(what_is_there) & 2)) {
		print_message("skipped: this kernel has no seccomp\n");
		skip();
	}
	assert_int_equal(in_child(try_attributes), 0);
	assert_int_equal(in_child(try_processes), 0);
	assert_int_equal(in_child(try_capabilities), 0);
	assert_int_equal(in_child(try_computing), 0);
	assert_int_equal(in_child(try_failing_early), 0);
	if (in_child(what_is_there) & 1)
		assert_int_equal(in_child(try_failing), 0);
}

#ifdef __SANITIZE_ADDRESS__
/* Tests run with such a build: a call that nobody thought of ends it, and is named. */
static void test_unexpected(void **state)
{
	char said[4096] = "";
	int ends[2], status;
	pid_t pid;

	(void)state;
	if (!(in_child(what_is_there) & 2))
		skip();
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		signal(SIGSYS, SIG_DFL);
		dup2(ends[1], STDERR_FILENO);
		confine_to_reading();
		socket(AF_UNIX, SOCK_STREAM, 0);
		_exit(0);
	}
	close(ends[1]);
	assert_true(read(ends[0], said, sizeof(said) - 1) > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(ends[0]);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_non_null(strstr(said, "the call socket "));
}
#endif

static void test_trying(void **state)
{
	(void)state;
	assert_int_equal(in_child(try_trying), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_tracefs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_folder, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_signals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_calls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_calls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_trying, set_up, tear_down),
#ifdef __SANITIZE_ADDRESS__
		cmocka_unit_test(test_unexpected),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
