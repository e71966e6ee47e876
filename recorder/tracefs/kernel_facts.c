/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/kernel_facts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/small_file.h"

/* From linux/mount.h, which older headers do not have. */
#define CMD_CREATE	6	/* FSCONFIG_CMD_CREATE */

/* The kernel's inode numbers of the first namespaces: include/linux/proc_ns.h. */
#define FIRST_PID_NS	"pid:[4026531836]"
#define ALL_IDS		4294967295u
#define MAX_BTF		(256u << 20)
#define MAX_MOUNTS	(16u << 20)	/* bytes of /proc/self/mounts */

static bool read_small(const char *root, const char *path, char *buf, size_t size)
{
	return tracefs_dir_read_into(AT_FDCWD, TRACEFS_TEXT("%s%s", root, path), buf, size);
}

static int read_int(const char *root, const char *path, int unknown)
{
	char buf[32], *end;
	long value;

	if (!read_small(root, path, buf, sizeof(buf)))
		return unknown;
	value = strtol(buf, &end, 10);
	return end == buf ? unknown : (int)value;
}

/* The value after "KEY:" in a text of such lines, or NULL. */
static const char *value_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *p = text; p; p = (p = strchr(p, '\n')) ? p + 1 : NULL)
		if (!strncmp(p, key, len) && p[len] == ':')
			return p + len + 1;
	return NULL;
}

const struct kernel_facts_tracer kernel_facts_tracers[KERNEL_FACTS_TRACERS] = {
	{ "function", "FUNCTION_TRACER" },	{ "function_graph", "FUNCTION_GRAPH_TRACER" },
	{ "blk", "BLK_DEV_IO_TRACE" },		{ "mmiotrace", "MMIOTRACE" },
	{ "wakeup", "SCHED_TRACER", true },	{ "wakeup_rt", "SCHED_TRACER", true },
	{ "wakeup_dl", "SCHED_TRACER", true },	{ "irqsoff", "IRQSOFF_TRACER", true },
	{ "preemptoff", "PREEMPT_TRACER", true }, { "preemptirqsoff", "PREEMPT_TRACER", true },
	{ "hwlat", "HWLAT_TRACER" },		{ "osnoise", "OSNOISE_TRACER" },
	{ "timerlat", "TIMERLAT_TRACER" },	{ "branch", "BRANCH_TRACER" },
};

const struct kernel_facts_tracer *kernel_facts_tracer(const char *name)
{
	for (int i = 0; name && i < KERNEL_FACTS_TRACERS; i++)
		if (!strcmp(name, kernel_facts_tracers[i].name))
			return &kernel_facts_tracers[i];
	return NULL;
}

/* --- lockdown --------------------------------------------------------------- */

static const char *const lockdown_names[] = {
	[KERNEL_LOCKDOWN_UNKNOWN] = "not known",
	[KERNEL_LOCKDOWN_NONE] = "none",
	[KERNEL_LOCKDOWN_INTEGRITY] = "integrity",
	[KERNEL_LOCKDOWN_CONFIDENTIALITY] = "confidentiality",
};

const char *kernel_facts_lockdown_name(enum kernel_lockdown lockdown)
{
	return lockdown_names[lockdown];
}

/* "none [integrity] confidentiality" */
static enum kernel_lockdown parse_lockdown(char *line)
{
	const char *chosen = tracefs_dir_chosen(line);

	for (int i = KERNEL_LOCKDOWN_NONE; i <= KERNEL_LOCKDOWN_CONFIDENTIALITY; i++)
		if (!strcmp(chosen, lockdown_names[i]))
			return (enum kernel_lockdown)i;
	return KERNEL_LOCKDOWN_UNKNOWN;
}

/*
 * A securityfs that is not mounted anywhere: nobody else sees it, and closing it removes it.  -1:
 * no privileges, or not supported.
 */
static int detached_securityfs(void)
{
#if defined(SYS_fsopen) && defined(SYS_fsconfig) && defined(SYS_fsmount)
	int context = syscall(SYS_fsopen, "securityfs", 1 /* FSOPEN_CLOEXEC */);
	int fd = -1;

	if (context < 0)
		return -1;
	if (!syscall(SYS_fsconfig, context, CMD_CREATE, NULL, NULL, 0))
		fd = syscall(SYS_fsmount, context, 1 /* FSMOUNT_CLOEXEC */, 0);
	close(context);
	return fd;
#else
	return -1;
#endif
}

static bool is_securityfs_mounted(const char *root)
{
	struct text mounts = { 0 };
	bool found;

	small_file_read(TRACEFS_TEXT("%s/proc/self/mounts", root), MAX_MOUNTS, &mounts, NULL);
	found = strstr(text_str(&mounts), " /sys/kernel/security securityfs ");
	text_fini(&mounts);
	return found;
}

static enum kernel_lockdown read_lockdown(const char *root, const struct kernel_config *config)
{
	char buf[64];
	int fd;

	if (read_small(root, "/sys/kernel/security/lockdown", buf, sizeof(buf)))
		return parse_lockdown(buf);
	/* The file exists if the lockdown module is on; reading it needs no privileges. */
	if (is_securityfs_mounted(root) ||
	    kernel_config_get(config, "SECURITY_LOCKDOWN_LSM") == KERNEL_CONFIG_NO)
		return KERNEL_LOCKDOWN_NONE;
	if (*root)
		return KERNEL_LOCKDOWN_UNKNOWN;
	fd = detached_securityfs();
	if (fd < 0)
		return KERNEL_LOCKDOWN_UNKNOWN;
	if (!tracefs_dir_read_into(fd, "lockdown", buf, sizeof(buf)))
		snprintf(buf, sizeof(buf), "[none]");
	close(fd);
	return parse_lockdown(buf);
}

/* --- rights and namespaces -------------------------------------------------- */

static void read_rights(struct kernel_facts *facts, const char *root)
{
	char buf[8192];
	unsigned int inside, outside, count, user;
	const char *s;
	ssize_t len;

	read_small(root, "/proc/self/status", buf, sizeof(buf));
	s = value_of(buf, "CapEff");
	facts->caps = s ? strtoull(s, NULL, 16) : 0;
	/* the line has real, effective, saved and file system uid */
	s = value_of(buf, "Uid");
	facts->root = s && sscanf(s, "%*u %u", &user) == 1 && user == 0;
	/* The first user namespace maps all ids to themselves. */
	facts->own_user_ns = read_small(root, "/proc/self/uid_map", buf, sizeof(buf)) &&
			     (sscanf(buf, "%u %u %u", &inside, &outside, &count) != 3 || inside ||
			      outside || count != ALL_IDS);
	len = readlink(TRACEFS_TEXT("%s/proc/self/ns/pid", root), buf, sizeof(buf) - 1);
	buf[len > 0 ? len : 0] = '\0';
	facts->own_pid_ns = *buf && strcmp(buf, FIRST_PID_NS);
}

bool kernel_facts_capable(const struct kernel_facts *facts, int cap)
{
	return facts->caps >> cap & 1;
}

uint64_t kernel_facts_available_kb(const char *root)
{
	char buf[8192];
	const char *s;

	read_small(root, "/proc/meminfo", buf, sizeof(buf));
	s = value_of(buf, "MemAvailable");
	return s ? strtoull(s, NULL, 10) : 0;
}

struct btf *kernel_facts_btf(const char *root, struct text *data)
{
	small_file_read(TRACEFS_TEXT("%s/sys/kernel/btf/vmlinux", root), MAX_BTF, data, NULL);
	return btf_new(text_str(data), data->len);
}

void kernel_facts_read(struct kernel_facts *facts, const char *root)
{
	char buf[8192];

	*facts = (struct kernel_facts){ 0 };
	read_small(root, "/proc/sys/kernel/osrelease", facts->release, sizeof(facts->release));
	facts->release[strcspn(facts->release, "\n")] = '\0';
	kernel_config_load(&facts->config, root, facts->release, NULL);
	facts->lockdown = read_lockdown(root, &facts->config);
	read_rights(facts, root);
	read_small(root, "/proc/filesystems", buf, sizeof(buf));
	facts->knows_tracefs = strstr(buf, "\ttracefs\n");
	facts->kptr_restrict = read_int(root, "/proc/sys/kernel/kptr_restrict", -1);
	facts->perf_event_paranoid = read_int(root, "/proc/sys/kernel/perf_event_paranoid",
					      INT_MIN);
	facts->ftrace_enabled = read_int(root, "/proc/sys/kernel/ftrace_enabled", -1);
	facts->mem_available_kb = kernel_facts_available_kb(root);
}

void kernel_facts_fini(struct kernel_facts *facts)
{
	kernel_config_fini(&facts->config);
}
