/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sandbox/confine.h"

#include <asm/termbits.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mntent.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/memory.h"

/* clang tells otherwise that it builds with a sanitizer */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifdef HAS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#endif

#define NR_OF(array)	(sizeof(array) / sizeof((array)[0]))

/* --- files ------------------------------------------------------------------------------------ */

/* From linux/landlock.h, which older headers lack, or have only in part. */
#define CREATE_RULESET_VERSION	1u
#define RULE_PATH_BENEATH	1
enum {
	FS_EXECUTE = 1 << 0,	 FS_WRITE_FILE = 1 << 1,  FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_REMOVE_DIR = 1 << 4,
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
#endif

/* 0 or less: this kernel has none. */
static long landlock_version(void)
{
#ifdef SYS_landlock_create_ruleset
	return syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
#else
	return 0;
#endif
}

#ifdef SYS_landlock_create_ruleset
/* Below a folder, or to a file.  One that does not exist stays inaccessible. */
static void allow_below(int ruleset, const char *path, int flags, uint64_t access)
{
	struct path_beneath rule = {
		.allowed_access = access,
		.parent_fd = open(path, O_PATH | O_CLOEXEC | flags),
	};
	struct stat st;

	if (rule.parent_fd < 0)
		return;
	if (!fstat(rule.parent_fd, &st) && !S_ISDIR(st.st_mode))
		rule.allowed_access &= FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE;
	syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

/*
 * What is not read: who reads a terminal takes away what is typed on it, and of some devices
 * opening alone has effects; in tracefs, reading trace_pipe or closing free_buffer empties the
 * buffers of others.
 */
struct left_out {
	char		**paths;	/* owned, [nr] */
	unsigned int	 nr, cap;
};

static void leave_out(struct left_out *out, const char *path)
{
	mem_grow(&out->paths, out->nr, &out->cap);
	out->paths[out->nr++] = mem_strdup(path);
}

/* The usual places, where something may be mounted later, and the others of today. */
static void find_left_out(struct left_out *out)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");

	leave_out(out, "/dev");
	leave_out(out, "/sys/kernel/tracing");
	leave_out(out, "/sys/kernel/debug");
	for (const struct mntent *m; mounts && (m = getmntent(mounts));)
		if (!strcmp(m->mnt_type, "tracefs") || !strcmp(m->mnt_type, "debugfs"))
			leave_out(out, m->mnt_dir);
	if (mounts)
		endmntent(mounts);
}

/* *above: something below it is left out */
static bool is_left_out(const struct left_out *out, const char *path, bool *above)
{
	size_t len = strlen(path);

	*above = false;
	for (unsigned int i = 0; i < out->nr; i++) {
		if (!strcmp(out->paths[i], path))
			return true;
		*above |= !strncmp(out->paths[i], path, len) && out->paths[i][len] == '/';
	}
	return false;
}

/*
 * Rules cannot make exceptions, so there is one for all else in a folder, but none for what its
 * links lead to.  @path: "" is /
 */
static void allow_reading(int ruleset, DIR *folder, const char *path, const struct left_out *out)
{
	for (const struct dirent *d = readdir(folder); d; d = readdir(folder)) {
		char below[PATH_MAX];
		bool above;
		DIR *inner;

		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") ||
		    snprintf(below, sizeof(below), "%s/%s", path, d->d_name) >= PATH_MAX ||
		    is_left_out(out, below, &above))
			continue;
		inner = above ? opendir(below) : NULL;
		if (inner) {
			allow_reading(ruleset, inner, below, out);
			closedir(inner);
		} else if (!above) {
			allow_below(ruleset, below, O_NOFOLLOW, FS_READ_FILE);
		}
	}
}

static void allow_reading_most(int ruleset, DIR *root)
{
	struct left_out out = { 0 };

	find_left_out(&out);
	allow_reading(ruleset, root, "", &out);
	allow_below(ruleset, "/dev/shm", 0, FS_READ_FILE);
	allow_below(ruleset, "/dev/null", 0, FS_READ_FILE);
	for (unsigned int i = 0; i < out.nr; i++)
		free(out.paths[i]);
	free(out.paths);
}
#endif

/*
 * Actions that are handled but not allowed by a rule are forbidden everywhere.  Listing folders is
 * not handled.
 */
static bool forbid_files(const char *const *folders, unsigned int nr)
{
#ifdef SYS_landlock_create_ruleset
	long version = landlock_version();
	const uint64_t plain = FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_REG | FS_MAKE_DIR |
			       (version >= 3 ? FS_TRUNCATE : 0);
	struct ruleset set = forbidden_of(version);
	DIR *root = version < 1 ? NULL : opendir("/");
	bool done;
	int fd;

	if (version < 1)
		return false;
	if (root)
		set.handled_access_fs |= FS_READ_FILE;
	fd = (int)syscall(SYS_landlock_create_ruleset, &set, sizeof(set), 0);
	if (root && fd >= 0)
		allow_reading_most(fd, root);
	if (root)
		closedir(root);
	if (fd < 0)
		return false;
	/* plain files and folders may be created, written and removed */
	for (unsigned int i = 0; i < nr; i++)
		allow_below(fd, folders[i], 0, plain);
	done = !syscall(SYS_landlock_restrict_self, fd, 0) && root;
	close(fd);
	return done;
#else
	(void)folders;
	(void)nr;
	return false;
#endif
}

/* --- capabilities ----------------------------------------------------------------------------- */

#define READING		(1u << CAP_DAC_READ_SEARCH)

/* Of the capabilities that are permitted, keep those in @kept, and put @raised in force, too. */
static bool keep_capabilities(uint32_t kept, uint32_t raised)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, sets))
		return geteuid() != 0;		/* there are none */
	sets[0].permitted &= kept;
	sets[0].effective = (sets[0].effective | raised) & sets[0].permitted;
	sets[1].permitted = sets[1].effective = 0;
	sets[0].inheritable = sets[1].inheritable = 0;
	return !syscall(SYS_capset, &head, sets);
}

/* Root's others are not needed to read files.  Ids have been changed before, but for a helper. */
static bool keep_reading_capability(bool is_helper)
{
	return keep_capabilities(READING | (is_helper ? 1u << CAP_SETUID | 1u << CAP_SETGID : 0),
				 0);
}

bool confine_permit_reading(bool permit)
{
	return keep_capabilities(permit ? READING : 0, 0);
}

/* --- system calls ----------------------------------------------------------------------------- */

/*
 * What a process that reads traces calls, with glibc, curses, zstd and pcre2.  All that is not here
 * or in allowed_if[] is refused, on any architecture: those that have not a call ignore its rule.
 */
static const int allowed_calls[] = {
	/* memory; pcre2 compiles regular expressions to machine code */
	SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(munmap), SCMP_SYS(mremap),
	SCMP_SYS(mprotect), SCMP_SYS(madvise), SCMP_SYS(memfd_create), SCMP_SYS(cacheflush),
	SCMP_SYS(riscv_flush_icache),
	/* threads and their time */
	SCMP_SYS(futex), SCMP_SYS(futex_time64), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
	SCMP_SYS(membarrier), SCMP_SYS(gettid), SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_yield),
	SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(restart_syscall),
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_gettime64), SCMP_SYS(clock_getres),
	SCMP_SYS(clock_getres_time64), SCMP_SYS(clock_nanosleep), SCMP_SYS(clock_nanosleep_time64),
	SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time),
	/* signals to it, and waiting */
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(signalfd4), SCMP_SYS(rt_sigtimedwait),
	SCMP_SYS(rt_sigtimedwait_time64), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(ppoll_time64),
	SCMP_SYS(select), SCMP_SYS(_newselect), SCMP_SYS(pselect6), SCMP_SYS(pselect6_time64),
	SCMP_SYS(wait4), SCMP_SYS(waitpid), SCMP_SYS(waitid),
	/* descriptors that are open, among them the broker's socket */
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(preadv),
	SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pwrite64), SCMP_SYS(pwritev),
	SCMP_SYS(lseek), SCMP_SYS(_llseek), SCMP_SYS(ftruncate), SCMP_SYS(ftruncate64),
	SCMP_SYS(fallocate), SCMP_SYS(fadvise64), SCMP_SYS(fadvise64_64),
	SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(pipe),
	SCMP_SYS(pipe2), SCMP_SYS(send), SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(recv),
	SCMP_SYS(recvfrom), SCMP_SYS(recvmsg),
	/* what is there */
	SCMP_SYS(fstat), SCMP_SYS(fstat64), SCMP_SYS(stat), SCMP_SYS(stat64), SCMP_SYS(lstat),
	SCMP_SYS(lstat64), SCMP_SYS(newfstatat), SCMP_SYS(fstatat64), SCMP_SYS(statx),
	SCMP_SYS(statfs), SCMP_SYS(statfs64), SCMP_SYS(fstatfs), SCMP_SYS(fstatfs64),
	SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
	SCMP_SYS(getcwd), SCMP_SYS(getdents), SCMP_SYS(getdents64),
	SCMP_SYS(flock),	/* does a recorder write the file? */
	/* facts about itself and the machine */
	SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(getuid), SCMP_SYS(getuid32),
	SCMP_SYS(geteuid), SCMP_SYS(geteuid32), SCMP_SYS(getgid), SCMP_SYS(getgid32),
	SCMP_SYS(getegid), SCMP_SYS(getegid32), SCMP_SYS(getrlimit), SCMP_SYS(ugetrlimit),
	SCMP_SYS(getrusage), SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getrandom),
#ifdef HAS_SANITIZER
	/* the leak checker looks at its own process from another one */
	SCMP_SYS(open), SCMP_SYS(clone), SCMP_SYS(ptrace), SCMP_SYS(prctl), SCMP_SYS(getpgrp),
#endif
};

/* In its own folders; landlock keeps it from others. */
static const int writing_calls[] = {
	SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(rename),
	SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(unlink), SCMP_SYS(unlinkat),
};

/* A helper gives up root, and more calls, when it has loaded the plugins. */
static const int helper_calls[] = {
	SCMP_SYS(setgroups), SCMP_SYS(setgroups32), SCMP_SYS(setresgid), SCMP_SYS(setresgid32),
	SCMP_SYS(setresuid), SCMP_SYS(setresuid32), SCMP_SYS(seccomp), SCMP_SYS(prctl),
	SCMP_SYS(setitimer), SCMP_SYS(fchdir), SCMP_SYS(capget), SCMP_SYS(capset),
	SCMP_SYS(getpeername),		/* does glib's message go to a journal? */
};

#define ALL_BITS	UINT32_MAX	/* the kernel looks at the lower half of an int */
#define WRITES		(O_ACCMODE | O_CREAT | O_TRUNC)
#define NEW_SPACES	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
			 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#ifdef __s390__
#define CLONE_FLAGS	1		/* its arguments have another order */
#else
#define CLONE_FLAGS	0
#endif

/* Calls that are allowed if the bits @mask of an argument are @value. */
static const struct condition {
	int		call;
	unsigned int	arg;
	uint32_t	mask, value;
} allowed_if[] = {
#ifndef HAS_SANITIZER
	{ SCMP_SYS(clone), CLONE_FLAGS, CLONE_THREAD | NEW_SPACES, CLONE_THREAD },
	{ SCMP_SYS(prctl), 0, ALL_BITS, PR_SET_NAME },
#endif
	/* not F_SETFL: what is open is shared with the shell, and O_ASYNC sends signals */
	{ SCMP_SYS(fcntl), 1, ALL_BITS, F_GETFL },
	{ SCMP_SYS(fcntl), 1, ALL_BITS, F_GETFD },
	{ SCMP_SYS(fcntl), 1, ALL_BITS, F_SETFD },
	{ SCMP_SYS(fcntl), 1, ALL_BITS, F_DUPFD_CLOEXEC },
	{ SCMP_SYS(fcntl64), 1, ALL_BITS, F_GETFL },
	{ SCMP_SYS(fcntl64), 1, ALL_BITS, F_GETFD },
	{ SCMP_SYS(fcntl64), 1, ALL_BITS, F_SETFD },
	{ SCMP_SYS(fcntl64), 1, ALL_BITS, F_DUPFD_CLOEXEC },
	/* the terminal's modes and size; nothing that types on it or changes its discipline */
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCGETS },
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCSETS },
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCSETSW },
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCSETSF },
#ifdef TCGETS2
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCGETS2 },	/* glibc 2.42 */
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCSETS2 },
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCSETSW2 },
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCSETSF2 },
#endif
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCFLSH },
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TIOCGWINSZ },
};

/* What a process that writes nothing may open. */
static const struct condition reading[] = {
	{ SCMP_SYS(open), 1, WRITES, O_RDONLY },
	{ SCMP_SYS(openat), 2, WRITES, O_RDONLY },
};

/*
 * Builds with a sanitizer, with which the tests run, end at a call that is not in the list: one
 * whose result nobody looks at would stay unseen.
 */
#ifdef HAS_SANITIZER
#define REFUSE	SCMP_ACT_TRAP

static void tell_refused(int number, siginfo_t *info, void *context)
{
	char *name = seccomp_syscall_resolve_num_arch(info->si_arch, info->si_syscall);

	(void)number;
	(void)context;
	fprintf(stderr, "ftop-trace: Sanitizer: the call %s (%d) is in no list of confine.c\n",
		name ? name : "?", info->si_syscall);
	__sanitizer_print_stack_trace();
	abort();
}

/* Who tries calls on purpose has a handler of its own. */
static void watch_refused(void)
{
	const struct sigaction action = { .sa_sigaction = tell_refused, .sa_flags = SA_SIGINFO };
	struct sigaction before;

	if (!sigaction(SIGSYS, NULL, &before) && before.sa_handler == SIG_DFL)
		sigaction(SIGSYS, &action, NULL);
}
#else
#define REFUSE	SCMP_ACT_ERRNO(EPERM)

static void watch_refused(void)
{
}
#endif

static int allow(scmp_filter_ctx filter, const int *calls, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		ret = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	return ret;
}

static int allow_if(scmp_filter_ctx filter, const struct condition *conditions, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		const struct condition *c = &conditions[i];

		ret = seccomp_rule_add(filter, SCMP_ACT_ALLOW, c->call, 1,
				       SCMP_CMP(c->arg, SCMP_CMP_MASKED_EQ, c->mask, c->value));
	}
	return ret;
}

/*
 * One that writes in its own folders: landlock sees O_TRUNC since Linux 6.2.  What it creates is
 * neither a program nor set-user-id; without O_CREAT, a mode is not looked at and may be anything.
 */
static int allow_opening(scmp_filter_ctx filter, int call, unsigned int flags)
{
	const scmp_datum_t creates = O_CREAT | (O_TMPFILE & ~O_DIRECTORY), runs = 07111;
	int ret;

	ret = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
			       SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, O_TRUNC | creates, 0));
	if (!ret)
		ret = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 2,
				       SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, O_TRUNC, 0),
				       SCMP_CMP(flags + 1, SCMP_CMP_MASKED_EQ, runs, 0));
	return ret;
}

static int allow_writing(scmp_filter_ctx filter)
{
	int ret = allow(filter, writing_calls, NR_OF(writing_calls));

	if (!ret)
		ret = allow_opening(filter, SCMP_SYS(open), 1);
	if (!ret)
		ret = allow_opening(filter, SCMP_SYS(openat), 2);
	return ret;
}

/* raise() and abort() use these; prlimit64() looks up limits, with 0 for the own process. */
static int allow_on_itself(scmp_filter_ctx filter)
{
	const struct condition itself[] = {
		{ SCMP_SYS(kill), 0, ALL_BITS, (uint32_t)getpid() },
		{ SCMP_SYS(tgkill), 0, ALL_BITS, (uint32_t)getpid() },
		{ SCMP_SYS(prlimit64), 0, ALL_BITS, 0 },
	};

	return allow_if(filter, itself, NR_OF(itself));
}

/*
 * Calls since Linux 5.1 have the same numbers everywhere, one after the other.  A libc that tries
 * one from clone3() on and is told that the kernel has none does it in the former way.  libseccomp
 * would need a rule for each of them, and 0.6 ms for that: so this stands before its program.
 */
#define FIRST_NEWER	((unsigned int)SCMP_SYS(clone3))
static const struct sock_filter deny_newer[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_NEWER, 0, 2),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_NEWER + 128, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
};

/* But a helper confines itself further. */
#ifdef SYS_landlock_create_ruleset
static const struct sock_filter allow_landlock[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, SYS_landlock_create_ruleset, 0, 2),
	BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SYS_landlock_restrict_self, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
#else
static const struct sock_filter allow_landlock[] = {};
#endif

static int load(scmp_filter_ctx filter, bool is_helper)
{
	struct sock_filter steps[NR_OF(allow_landlock) + NR_OF(deny_newer) + BPF_MAXINSNS];
	struct sock_filter *at = steps;
	struct sock_fprog program = { .filter = steps };
	int fd = memfd_create("filter", MFD_CLOEXEC);
	ssize_t got = -1;

	if (is_helper)
		at = mempcpy(at, allow_landlock, sizeof(allow_landlock));
	at = mempcpy(at, deny_newer, sizeof(deny_newer));
	if (fd >= 0 && !seccomp_export_bpf(filter, fd))
		got = pread(fd, at, BPF_MAXINSNS * sizeof(*steps), 0);
	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return -1;
	program.len = (unsigned short)((size_t)(at - steps) + (size_t)got / sizeof(*steps));
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Calls of another architecture or ABI (x32) are refused as well. */
static bool forbid_calls(bool writes, bool is_helper)
{
	scmp_filter_ctx filter = seccomp_init(REFUSE);
	int ret;

	if (!filter)
		return false;
	watch_refused();
	ret = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
	if (!ret)
		ret = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);	/* a tree */
	if (!ret)
		ret = allow(filter, allowed_calls, NR_OF(allowed_calls));
	if (!ret)
		ret = allow_if(filter, allowed_if, NR_OF(allowed_if));
	if (!ret)
		ret = allow_on_itself(filter);
	if (!ret && is_helper)
		ret = allow(filter, helper_calls, NR_OF(helper_calls));
	if (!ret)
		ret = writes ? allow_writing(filter) : allow_if(filter, reading, NR_OF(reading));
	if (!ret)
		ret = load(filter, is_helper);
	seccomp_release(filter);
	return !ret;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* The protections of this process: they cannot be undone. */
static struct confine in_force;

static struct confine confine(const char *const *folders, unsigned int nr, bool is_helper)
{
	int errnum = errno;

	/* without it, exec could regain the privileges that are given up here */
	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		bool is_given_up = keep_reading_capability(is_helper);

		in_force.files = forbid_files(folders, nr);
		in_force.calls = forbid_calls(nr > 0, is_helper) && is_given_up;
	}
	errno = errnum;
	return in_force;
}

void confine_close_inherited(void)
{
	DIR *open_ones = opendir("/proc/self/fd");

	for (const struct dirent *d = open_ones ? readdir(open_ones) : NULL; d;
	     d = readdir(open_ones)) {
		int fd = (int)strtol(d->d_name, NULL, 10), flags = fcntl(fd, F_GETFL);

		if (fd > STDERR_FILENO && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
			close(fd);
	}
	if (open_ones)
		closedir(open_ones);
}

struct confine confine_to_folders(const char *const *folders, unsigned int nr)
{
	return confine(folders, nr, false);
}

struct confine confine_to_reading(void)
{
	return confine(NULL, 0, false);
}

/* Then it misses the filter. */
static bool kernel_has_seccomp(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) && errno == EFAULT;
}

bool confine_to_plugins(void)
{
	struct confine possible = { .files = landlock_version() >= 1,
				    .calls = kernel_has_seccomp() };
	struct confine got = confine(NULL, 0, true);

	return got.files >= possible.files && got.calls >= possible.calls;
}

/* Not recvmsg(): the screen could give it the terminal, and draw by it while the broker asks. */
static const int computing_calls[] = {
	SCMP_SYS(read),          SCMP_SYS(write),
	SCMP_SYS(readv),         SCMP_SYS(writev),
	SCMP_SYS(pread64),
	SCMP_SYS(recvfrom),      SCMP_SYS(recv),
	SCMP_SYS(sendto),        SCMP_SYS(sendmsg),
	SCMP_SYS(send),
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
	SCMP_SYS(getpeername),
	SCMP_SYS(sysinfo),	/* qsort() asks how much memory there is */
};

/* To find files, beside opening them. */
static const int folder_calls[] = {
	SCMP_SYS(getdents), SCMP_SYS(getdents64), SCMP_SYS(fstat64), SCMP_SYS(stat),
	SCMP_SYS(stat64), SCMP_SYS(lstat), SCMP_SYS(lstat64), SCMP_SYS(fstatat64), SCMP_SYS(statx),
	SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
	SCMP_SYS(getcwd), SCMP_SYS(_llseek), SCMP_SYS(fchdir),
};

/* What libelf and the lexers of libbabeltrace2 ask of a file: is it open, a terminal? */
static const struct condition computing_if[] = {
	{ SCMP_SYS(fcntl), 1, ALL_BITS, F_GETFD },
	{ SCMP_SYS(fcntl64), 1, ALL_BITS, F_GETFD },
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCGETS },
#ifdef TCGETS2
	{ SCMP_SYS(ioctl), 1, ALL_BITS, TCGETS2 },
#endif
};

/* Return: false: it failed, although this kernel can do it. */
static bool forbid_all_but_computing(bool reads_files)
{
	const struct condition aborts = { SCMP_SYS(tgkill), 0, ALL_BITS, (uint32_t)getpid() };
	scmp_filter_ctx filter = seccomp_init(REFUSE);
	int ret = filter ? allow(filter, computing_calls, NR_OF(computing_calls)) : -1;

	if (!ret)
		ret = allow_if(filter, computing_if, NR_OF(computing_if));
	if (!ret)		/* abort() uses it */
		ret = allow_if(filter, &aborts, 1);
	if (!ret && reads_files)
		ret = allow(filter, folder_calls, NR_OF(folder_calls));
	if (!ret && reads_files)
		ret = allow_if(filter, reading, NR_OF(reading));
#ifdef HAS_SANITIZER
	if (!ret && !reads_files)	/* it looks for names of what it finds: none, then */
		ret = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(open), 0);
#endif
	if (!ret)
		ret = seccomp_load(filter);
	seccomp_release(filter);
	return !ret || !in_force.calls;
}

bool confine_to_computing(void)
{
	return forbid_all_but_computing(false);
}

bool confine_to_folder(int folder)
{
	bool done = !in_force.files;
#ifdef SYS_landlock_create_ruleset
	const struct ruleset set = { .handled_access_fs = FS_READ_FILE | FS_READ_DIR };
	const struct path_beneath rule = { .allowed_access = set.handled_access_fs,
					   .parent_fd = folder };
	int fd = (int)syscall(SYS_landlock_create_ruleset, &set, sizeof(set), 0);

	if (fd >= 0 && !syscall(SYS_landlock_add_rule, fd, RULE_PATH_BENEATH, &rule, 0) &&
	    !syscall(SYS_landlock_restrict_self, fd, 0))
		done = true;
	if (fd >= 0)
		close(fd);
	if (done && in_force.files)		/* only now: nothing else can be read */
		done = keep_capabilities(READING, READING);
#else
	(void)folder;
#endif
	return forbid_all_but_computing(true) && done;
}

const char *confine_missing(const struct confine *confine)
{
	if (confine->files && confine->calls)
		return NULL;
	return confine->calls ?
		       "no landlock here: a hostile trace could write to your files" :
	       confine->files ?
		       "no seccomp here: a hostile trace could use the kernel as you can" :
		       "no landlock and no seccomp here: a hostile trace could do what you can";
}

struct confine confine_try(void)
{
	int errnum = errno, status = 0;
	pid_t pid;

	if (in_force.files || in_force.calls)
		return in_force;
	pid = fork();
	if (!pid) {
		confine_to_reading();
		_exit(in_force.files | in_force.calls << 1);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0 || !WIFEXITED(status))
		status = 0;
	errno = errnum;
	return (struct confine){ .files = WEXITSTATUS(status) & 1,
				 .calls = WEXITSTATUS(status) & 2 };
}
