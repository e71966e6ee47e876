/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/refusal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "src/base/memory.h"

#define TRACEFS_MAGIC	0x74726163	/* linux/magic.h */
#define MAX_SHOWN	5		/* holders shown by name */

const char *refusal_cause_name(enum refusal_cause cause)
{
	static const char *const names[REFUSAL_NR] = {
		[REFUSAL_NOT_SAID] = "not_said",	[REFUSAL_NOT_MOUNTED] = "not_mounted",
		[REFUSAL_RIGHTS] = "rights",		[REFUSAL_READ_ONLY] = "read_only",
		[REFUSAL_LOCKDOWN] = "lockdown",	[REFUSAL_NOT_BUILT_IN] = "not_built_in",
		[REFUSAL_ABSENT] = "absent",		[REFUSAL_BUSY] = "busy",
		[REFUSAL_SWITCHED_OFF] = "switched_off",[REFUSAL_KERNEL_BUG] = "kernel_bug",
		[REFUSAL_MEMORY] = "memory",		[REFUSAL_NOT_IN_INSTANCE] = "not_in_instance",
	};

	return names[cause];
}

/* --- processes that hold it ------------------------------------------------- */

struct refusal_place {
	char	path[PATH_MAX];	/* the folder's path in our namespace */
	dev_t	dev;		/* device of its file system; 0 = not a tracefs */
	size_t	len;
};

/*
 * A tracefs is one file system wherever it is mounted, so compare the device; for an instance,
 * compare the path.
 */
static bool is_inside(const struct refusal_place *place, const char *fd_link)
{
	char target[PATH_MAX];
	struct stat st;
	ssize_t len = readlink(fd_link, target, sizeof(target) - 1);

	if (len < 0)
		return false;
	target[len] = '\0';
	if (!strncmp(target, place->path, place->len) &&
	    (target[place->len] == '/' || !target[place->len]))
		return true;
	return place->dev && !stat(fd_link, &st) && st.st_dev == place->dev;
}

static bool holds_a_file(const struct refusal_place *place, const char *proc, const char *pid)
{
	DIR *fds = opendir(TRACEFS_TEXT("%s/%s/fd", proc, pid));
	struct dirent *entry;
	bool found = false;

	while (fds && !found && (entry = readdir(fds)))
		found = isdigit((unsigned char)entry->d_name[0]) &&
			is_inside(place, TRACEFS_TEXT("%s/%s/fd/%s", proc, pid, entry->d_name));
	if (fds)
		closedir(fds);
	return found;
}

static void add_process(struct text *out, const char *proc, const char *pid)
{
	char comm[64];

	if (!tracefs_dir_read_into(AT_FDCWD, TRACEFS_TEXT("%s/%s/comm", proc, pid), comm,
				   sizeof(comm)))
		snprintf(comm, sizeof(comm), "?");
	comm[strcspn(comm, "\n")] = '\0';
	text_printable(out, comm, strlen(comm));
	text_printf(out, "[%s]", pid);
}

unsigned int refusal_holders(const struct tracefs_dir *dir, const char *proc, struct text *out)
{
	struct refusal_place place = { .dev = 0 };
	struct dirent *entry;
	struct statfs fs;
	struct stat st;
	unsigned int nr = 0;
	DIR *stream;

	if (!realpath(dir->path, place.path))
		return 0;
	place.len = strlen(place.path);
	if (!strstr(place.path, "/instances/") && !fstatfs(dir->fd, &fs) &&
	    fs.f_type == TRACEFS_MAGIC && !fstat(dir->fd, &st))
		place.dev = st.st_dev;
	stream = opendir(proc);
	while (stream && (entry = readdir(stream))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || atoi(entry->d_name) == getpid() ||
		    !holds_a_file(&place, proc, entry->d_name))
			continue;
		if (nr++ < MAX_SHOWN) {
			text_add(out, nr > 1 ? ", " : "");
			add_process(out, proc, entry->d_name);
		}
	}
	if (stream)
		closedir(stream);
	if (nr > MAX_SHOWN)
		text_printf(out, " and %u more", nr - MAX_SHOWN);
	return nr;
}

/* --- causes ----------------------------------------------------------------- */

/* The user, for "EPERM for root". */
static const char *user_text(const struct kernel_facts *facts)
{
	if (!facts->root)
		return "for a user other than root";
	return facts->own_user_ns ? "for the root of a user namespace" : "for root";
}

static void explain_absent(struct refusal *r, const struct kernel_facts *facts, const char *file,
			   const char *config)
{
	if (config && kernel_config_get(&facts->config, config) == KERNEL_CONFIG_NO) {
		r->cause = REFUSAL_NOT_BUILT_IN;
		text_printf(&r->why, "not in this kernel (CONFIG_%s is not set)", config);
		return;
	}
	r->cause = REFUSAL_ABSENT;
	text_printf(&r->why, "this kernel has no %s", file);
	if (config && !facts->config.source)
		text_printf(&r->why, " (it comes with CONFIG_%s)", config);
}

static void explain_rights(struct refusal *r, const struct kernel_facts *facts,
			   const struct tracefs_dir *dir)
{
	struct stat st;

	if (kernel_facts_capable(facts, CAP_DAC_OVERRIDE) && !facts->own_user_ns) {
		/*
		 * it is not the file's mode, so perhaps a security module; none of them leaves a
		 * trace here
		 */
		text_printf(&r->why, "EACCES %s; no reason given", user_text(facts));
		return;
	}
	r->cause = REFUSAL_RIGHTS;
	text_printf(&r->why, "EACCES%s",
		    facts->own_user_ns ? " for the root of a user namespace" : "");
	if (!fstat(dir->fd, &st) && !st.st_uid && !(st.st_mode & 077))
		text_printf(&r->why, ": %s is readable by root only", dir->path);
	else if (!fstat(dir->fd, &st))
		text_printf(&r->why, ": %s has mode %04o, owner %u, group %u", dir->path,
			    st.st_mode & 07777, (unsigned int)st.st_uid, (unsigned int)st.st_gid);
	if (!facts->own_user_ns)
		text_add(&r->remedy, "sudo ftop-trace record ...");
}

static bool explain_lockdown(struct refusal *r, const struct kernel_facts *facts, const char *file,
			     int errnum)
{
	/* Under lockdown, no folder can be made in tracefs; mkdir(2) then returns EINVAL. */
	if (facts->lockdown != KERNEL_LOCKDOWN_CONFIDENTIALITY ||
	    (errnum != EPERM && (errnum != EINVAL || strcmp(file, "instances"))))
		return false;
	r->cause = REFUSAL_LOCKDOWN;
	text_printf(
		&r->why,
		"%s: kernel lockdown is at confidentiality, which forbids tracing, even to root",
		tracefs_dir_errno(errnum));
	return true;
}

static void explain_busy(struct refusal *r, const struct tracefs_dir *dir)
{
	struct text holders = { 0 };

	r->cause = REFUSAL_BUSY;
	text_add(&r->why, "EBUSY");
	if (refusal_holders(dir, "/proc", &holders))
		text_printf(&r->why, ": in use by %s", text_str(&holders));
	else
		text_add(&r->why, ": in use by an unknown process");
	text_fini(&holders);
}

/* Files of functions, and no others, return ENODEV after ftrace has stopped itself. */
static void explain_gone(struct refusal *r, const char *file)
{
	if (strstr(file, "ftrace_filter") || strstr(file, "ftrace_notrace") ||
	    strstr(file, "_functions")) {
		r->cause = REFUSAL_KERNEL_BUG;
		text_add(
			&r->why,
			"ENODEV: ftrace disabled itself after a kernel fault (see dmesg); a reboot helps");
		return;
	}
	text_add(&r->why,
		 "ENODEV: tracing is disabled in this kernel, or the instance was removed");
}

void refusal_explain(struct refusal *r, const struct kernel_facts *facts,
		     const struct tracefs_dir *dir, const char *file, int errnum,
		     const char *config)
{
	*r = (struct refusal){ .cause = REFUSAL_NOT_SAID };
	if (explain_lockdown(r, facts, file, errnum))
		return;
	switch (errnum) {
	case ENOENT:
		explain_absent(r, facts, file, config);
		break;
	case EACCES:
		explain_rights(r, facts, dir);
		break;
	case EPERM:
		text_printf(&r->why, "EPERM %s; no reason given", user_text(facts));
		break;
	case EROFS:
		r->cause = REFUSAL_READ_ONLY;
		text_printf(&r->why, "EROFS: %s is mounted read-only", dir->path);
		text_printf(&r->remedy, "sudo mount -o remount,rw %s", dir->path);
		break;
	case EBUSY:
		explain_busy(r, dir);
		break;
	case ENOMEM:
		r->cause = REFUSAL_MEMORY;
		text_add(&r->why, "ENOMEM: the kernel does not have enough memory");
		break;
	case ENODEV:
		explain_gone(r, file);
		break;
	case EEXIST:
		r->cause = strcmp(file, "instances") ? REFUSAL_NOT_SAID : REFUSAL_BUSY;
		text_add(&r->why, strcmp(file, "instances") ?
					  "EEXIST: it is already set" :
					  "EEXIST: someone else created one with this name");
		break;
	case EMFILE:
		text_add(&r->why, "EMFILE: too many open files in this process (ulimit -n)");
		break;
	default:
		text_printf(&r->why, "%s (%s); no reason given", tracefs_dir_errno(errnum),
			    strerror(errnum));
	}
}

int refusal_add(struct ft_error *err, const struct tracefs_dir *dir, const char *file, int errnum,
		const char *config)
{
	struct kernel_facts facts;
	struct refusal refusal;
	struct text plain = { 0 };
	const char *hint = "";
	size_t len;
	bool mends;

	/*
	 * EINVAL and the like: the kernel explains an invalid value elsewhere (error_log), or the
	 * user can see it
	 */
	if (!err || (errnum == EINVAL && strcmp(file, "instances")) ||
	    (errnum == ENOENT && tracefs_dir_has(dir, file)))
		goto out;
	kernel_facts_read(&facts, "");
	refusal_explain(&refusal, &facts, dir, file, errnum, config);
	/* the caller says which privileges are missing, and that sudo gives them */
	mends = refusal.remedy.len && refusal.cause != REFUSAL_RIGHTS;
	if (refusal.cause == REFUSAL_NOT_SAID)
		hint = "; 'ftop-trace doctor' lists what can be recorded here";
	else if (mends)
		hint = "; fix it: ";
	text_printf(&plain, "%s (%s)", tracefs_dir_errno(errnum), strerror(errnum));
	len = strlen(err->message);
	if (len >= plain.len && !strcmp(err->message + len - plain.len, text_str(&plain)))
		snprintf(err->message + len - plain.len, sizeof(err->message) - len + plain.len,
			 "%s%s%s", text_str(&refusal.why), hint,
			 mends ? text_str(&refusal.remedy) : "");
	text_fini(&plain);
	refusal_fini(&refusal);
	kernel_facts_fini(&facts);
out:
	errno = errnum;
	return -1;
}

void refusal_fini(struct refusal *refusal)
{
	text_fini(&refusal->why);
	text_fini(&refusal->remedy);
}
