/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sandbox/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- files ------------------------------------------------------------------------------------ */

/* From linux/landlock.h, which older headers lack, or have only in part. */
#define CREATE_RULESET_VERSION	1u
#define RULE_PATH_BENEATH	1
enum {
	FS_EXECUTE = 1 << 0,	 FS_WRITE_FILE = 1 << 1,  FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5, FS_MAKE_CHAR = 1 << 6,
	FS_MAKE_DIR = 1 << 7,	 FS_MAKE_REG = 1 << 8,	  FS_MAKE_SOCK = 1 << 9,
	FS_MAKE_FIFO = 1 << 10,  FS_MAKE_BLOCK = 1 << 11,
	FS_MAKE_SYM = 1 << 12,	 FS_REFER = 1 << 13,	  FS_TRUNCATE = 1 << 14,
	FS_IOCTL_DEV = 1 << 15,
};
enum { SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0, SCOPE_SIGNAL = 1 << 1 };

struct ruleset {		/* struct landlock_ruleset_attr; members unknown to the kernel
				 * must be 0 */
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

struct path_beneath {		/* struct landlock_path_beneath_attr */
	uint64_t allowed_access;
	int32_t	 parent_fd;
} __attribute__((packed));

#ifdef SYS_landlock_create_ruleset
static struct ruleset forbidden_of(long version)
{
	struct ruleset set = {
		.handled_access_fs = FS_EXECUTE | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE |
		FS_MAKE_CHAR | FS_MAKE_DIR |
				     FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_BLOCK |
				     FS_MAKE_SYM,
	};

	if (version >= 2)
		set.handled_access_fs |= FS_REFER;
	if (version >= 3)
		set.handled_access_fs |= FS_TRUNCATE;
	if (version >= 5)
		set.handled_access_fs |= FS_IOCTL_DEV;
	if (version >= 6)
		set.scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL;
	return set;
}

/*
 * Allow creating, writing and removing plain files and folders below a folder.  A folder that does
 * not exist stays inaccessible.
 */
static void allow_folder(int ruleset, const char *folder, uint64_t handled)
{
	struct path_beneath rule = {
		.allowed_access = handled & (FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_REG |
		FS_MAKE_DIR | FS_TRUNCATE),
		.parent_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};

	if (rule.parent_fd < 0)
		return;
	syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}
#endif

/*
 * Actions that are handled but not allowed by a rule are forbidden everywhere; reading is not
 * handled.
 */
static bool forbid_writing(const char *const *folders, unsigned int nr)
{
#ifdef SYS_landlock_create_ruleset
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
	struct ruleset set = forbidden_of(version);
	bool done;
	int fd;

	if (version < 1)
		return false;
	fd = (int)syscall(SYS_landlock_create_ruleset, &set, sizeof(set), 0);
	if (fd < 0)
		return false;
	for (unsigned int i = 0; i < nr; i++)
		allow_folder(fd, folders[i], set.handled_access_fs);
	done = !syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
	return done;
#else
	(void)folders;
	(void)nr;
	return false;
#endif
}

/* --- system calls ----------------------------------------------------------------------------- */

static const int refused_calls[] = {
	SCMP_SYS(execve), SCMP_SYS(execveat),
	SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind),
	SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd),
#ifndef __SANITIZE_ADDRESS__
	SCMP_SYS(ptrace),		/* the leak checker uses it on its own process */
#endif
	SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup),
	SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key),
	SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(move_mount), SCMP_SYS(open_tree),
	SCMP_SYS(pivot_root), SCMP_SYS(chroot),
	SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(open_by_handle_at),
	SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load), SCMP_SYS(reboot),
	SCMP_SYS(swapon), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(sethostname),
};

/*
 * The requests that type on the terminal in the user's name.  The kernel looks at the lower half of
 * the argument.
 */
static int refuse_typing(scmp_filter_ctx filter)
{
	static const scmp_datum_t requests[] = { TIOCSTI, TIOCLINUX };
	int ret = 0;

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]) && !ret; i++)
		ret = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
				       SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, requests[i]));
	return ret;
}

/* Calls of another architecture or ABI (x32) are refused as well. */
static bool forbid_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int ret;

	if (!filter)
		return false;
	ret = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
	for (size_t i = 0; i < sizeof(refused_calls) / sizeof(refused_calls[0]) && !ret; i++)
		ret = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused_calls[i], 0);
	if (!ret)
		ret = refuse_typing(filter);
	if (!ret)
		ret = seccomp_load(filter);
	seccomp_release(filter);
	return !ret;
}

void confine_to_computing(void)
{
	static const int calls[] = {
		SCMP_SYS(read),          SCMP_SYS(write),
		SCMP_SYS(readv),         SCMP_SYS(writev),
		SCMP_SYS(recvfrom),      SCMP_SYS(recvmsg),
		SCMP_SYS(sendto),        SCMP_SYS(sendmsg),
		SCMP_SYS(recv),          SCMP_SYS(send),
		SCMP_SYS(poll),          SCMP_SYS(ppoll),
		SCMP_SYS(close),         SCMP_SYS(lseek),
		SCMP_SYS(fstat),         SCMP_SYS(newfstatat),
		SCMP_SYS(mmap),          SCMP_SYS(mmap2),
		SCMP_SYS(munmap),        SCMP_SYS(mremap),
		SCMP_SYS(brk),           SCMP_SYS(mprotect),
		SCMP_SYS(madvise),       SCMP_SYS(futex),
		SCMP_SYS(sched_yield),   SCMP_SYS(setitimer),
		SCMP_SYS(clock_gettime), SCMP_SYS(clock_gettime64),
		SCMP_SYS(gettimeofday),  SCMP_SYS(time),
		SCMP_SYS(getrandom),     SCMP_SYS(getpid),
		SCMP_SYS(gettid),        SCMP_SYS(getuid),
		SCMP_SYS(rt_sigaction),  SCMP_SYS(rt_sigprocmask),
		SCMP_SYS(rt_sigreturn),  SCMP_SYS(sigreturn),
		SCMP_SYS(sigaltstack),   SCMP_SYS(restart_syscall),
		SCMP_SYS(exit),          SCMP_SYS(exit_group),
	};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int ret = filter ? 0 : -1;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]) && !ret; i++)
		ret = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	if (!ret)
		seccomp_load(filter);
	seccomp_release(filter);
}

/* --- both ------------------------------------------------------------------------------------- */

struct confine confine_to_folders(const char *const *folders, unsigned int nr)
{
	int errnum = errno;
	struct confine in_force = { 0 };

	/* without it, exec could regain the privileges that are given up here */
	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		in_force.files = forbid_writing(folders, nr);
		in_force.calls = forbid_calls();
	}
	errno = errnum;
	return in_force;
}

struct confine confine_to_reading(void)
{
	return confine_to_folders(NULL, 0);
}

struct confine confine_try(void)
{
	int errnum = errno, status = 0;
	struct confine found;
	pid_t pid = fork();

	if (!pid) {
		found = confine_to_reading();
		_exit(found.files | found.calls << 1);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0 || !WIFEXITED(status))
		status = 0;
	errno = errnum;
	return (struct confine){ .files = WEXITSTATUS(status) & 1,
				 .calls = WEXITSTATUS(status) & 2 };
}
