/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_KERNEL_FACTS_H
#define FTOP_RECORDER_KERNEL_FACTS_H
/*
 * kernel_facts - what is known of this kernel and of our rights, apart from
 * tracefs: the facts a refusal can be explained with.  Reads; changes nothing.
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/tracefs/kernel_config.h"

enum kernel_lockdown {
	KERNEL_LOCKDOWN_UNKNOWN,	/* securityfs cannot be reached */
	KERNEL_LOCKDOWN_NONE,
	KERNEL_LOCKDOWN_INTEGRITY,	/* allows tracefs */
	KERNEL_LOCKDOWN_CONFIDENTIALITY,/* refuses it, to root too */
};

struct kernel_facts {
	char		 release[128];		/* as uname -r */
	enum kernel_lockdown lockdown;
	bool		 root;			/* effective user 0 (of this user namespace) */
	bool		 own_user_ns;		/* its root is not the machine's */
	bool		 own_pid_ns;		/* its process ids are not the kernel's */
	uint64_t	 caps;			/* effective capabilities, a bit each */
	bool		 knows_tracefs;		/* the kernel has the file system, mounted or not */
	int		 kptr_restrict;		/* 0..2, -1 not known */
	int		 perf_event_paranoid;	/* -1..4, INT_MIN not known */
	int		 ftrace_enabled;	/* 0, 1, -1 not known */
	uint64_t	 mem_available_kb;	/* 0 not known */
	struct kernel_config config;
};

/* @root: put before every path: "" but for tests.  Ends with kernel_facts_fini(). */
void kernel_facts_read(struct kernel_facts *facts, const char *root);
void kernel_facts_fini(struct kernel_facts *facts);

bool kernel_facts_capable(const struct kernel_facts *facts, int cap);	/* CAP_SYSLOG… of linux/capability.h */
const char *kernel_facts_lockdown_name(enum kernel_lockdown lockdown);	/* "none", "integrity"… "not known" */
#endif
