/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sandbox/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- files ------------------------------------------------------------------------------------------------------ */

/* From linux/landlock.h, which older headers do not have, or not all of it. */
#define CREATE_RULESET_VERSION	1u
#define RULE_PATH_BENEATH	1
enum {
	FS_EXECUTE = 1 << 0,	 FS_WRITE_FILE = 1 << 1,  FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5, FS_MAKE_CHAR = 1 << 6,
	FS_MAKE_DIR = 1 << 7,	 FS_MAKE_REG = 1 << 8,	  FS_MAKE_SOCK = 1 << 9,  FS_MAKE_FIFO = 1 << 10,  FS_MAKE_BLOCK = 1 << 11,
	FS_MAKE_SYM = 1 << 12,	 FS_REFER = 1 << 13,	  FS_TRUNCATE = 1 << 14,  FS_IOCTL_DEV = 1 << 15,
};
enum { SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0, SCOPE_SIGNAL = 1 << 1 };

struct ruleset {		/* struct landlock_ruleset_attr; what a kernel does not know is 0 */
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
		.handled_access_fs = FS_EXECUTE | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_CHAR | FS_MAKE_DIR |
				     FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_BLOCK | FS_MAKE_SYM,
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

/* Plain files and folders may come and go below it.  One that is not there stays out of reach. */
static void allow_folder(int ruleset, const char *folder, uint64_t handled)
{
	struct path_beneath rule = {
		.allowed_access = handled & (FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_REG | FS_MAKE_DIR | FS_TRUNCATE),
		.parent_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};

	if (rule.parent_fd < 0)
		return;
	syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}
#endif

/* What is handled and allowed by no rule is forbidden everywhere; reading is not handled. */
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

/* --- system calls ----------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef ARCH
#define LOAD(field)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value)	BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSED		(SECCOMP_RET_ERRNO | EPERM)
#define REFUSE(call)	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), ANSWER(REFUSED)
#define REFUSE_IOCTL(word) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, word, 0, 1), ANSWER(REFUSED)
#define FIRST_X32	0x40000000u	/* numbers of the other ABI of this machine */

static bool forbid_calls(void)
{
	struct sock_filter code[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		ANSWER(REFUSED),
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_X32, 0, 1),
		ANSWER(REFUSED),
		REFUSE(execve), REFUSE(execveat),
		REFUSE(socket), REFUSE(socketpair), REFUSE(connect), REFUSE(bind),
		REFUSE(process_vm_readv), REFUSE(process_vm_writev), REFUSE(pidfd_getfd),
#ifndef __SANITIZE_ADDRESS__
		REFUSE(ptrace),		/* the leak checker looks at its own process with it */
#endif
		REFUSE(bpf), REFUSE(perf_event_open), REFUSE(userfaultfd), REFUSE(io_uring_setup),
		REFUSE(keyctl), REFUSE(add_key), REFUSE(request_key),
		REFUSE(mount), REFUSE(umount2), REFUSE(move_mount), REFUSE(open_tree), REFUSE(pivot_root), REFUSE(chroot),
		REFUSE(unshare), REFUSE(setns), REFUSE(open_by_handle_at),
		REFUSE(init_module), REFUSE(finit_module), REFUSE(delete_module), REFUSE(kexec_load), REFUSE(reboot),
		REFUSE(swapon), REFUSE(settimeofday), REFUSE(clock_settime), REFUSE(sethostname),
		/* what would type on the terminal in the user's name */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 1, 0),
		ANSWER(SECCOMP_RET_ALLOW),
		LOAD(args[1]),		/* its lower half, where the kernel looks: both machines are little-endian */
		REFUSE_IOCTL(TIOCSTI), REFUSE_IOCTL(TIOCLINUX),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static bool forbid_calls(void)
{
	return false;
}
#endif

struct confine confine_to_folders(const char *const *folders, unsigned int nr)
{
	int errnum = errno;
	struct confine in_force = { 0 };

	/* without it a program could get back by exec what is given up here */
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
