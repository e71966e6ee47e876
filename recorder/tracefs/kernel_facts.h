/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_KERNEL_FACTS_H
#define FTOP_RECORDER_TRACEFS_KERNEL_FACTS_H
/*
 * kernel_facts - facts about this kernel and our privileges, apart from tracefs, with which a
 * refusal can be explained.  Only reads.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/btf.h"
#include "recorder/tracefs/kernel_config.h"

enum kernel_lockdown {
	KERNEL_LOCKDOWN_UNKNOWN,	/* securityfs cannot be read */
	KERNEL_LOCKDOWN_NONE,
	KERNEL_LOCKDOWN_INTEGRITY,	/* allows tracefs */
	KERNEL_LOCKDOWN_CONFIDENTIALITY,/* forbids tracefs, even for root */
};

struct kernel_facts {
	char		 release[128];		/* as uname -r prints it */
	enum kernel_lockdown lockdown;
	bool		 root;			/* effective user 0 (of this user namespace) */
	bool		 own_user_ns;		/* root here is not the machine's root */
	bool		 own_pid_ns;		/* its process ids are not the kernel's */
	uint64_t	 caps;			/* effective capabilities, a bit each */
	bool		 knows_tracefs;		/* the kernel supports the file system, mounted
						 * or not */
	int		 kptr_restrict;		/* 0..2, -1 = unknown */
	int		 perf_event_paranoid;	/* -1..4, INT_MIN = unknown */
	int		 ftrace_enabled;	/* 0, 1, -1 = unknown */
	uint64_t	 mem_available_kb;	/* 0 = unknown */
	struct kernel_config config;
};

/* All tracers of Linux, function and function_graph first. */
struct kernel_facts_tracer {
	const char	*name, *config;	/* the option that it comes with: "FUNCTION_TRACER" */
	bool		 is_latency;	/* its result is a text, the snapshot of a maximum */
};

#define KERNEL_FACTS_TRACERS 14
extern const struct kernel_facts_tracer kernel_facts_tracers[KERNEL_FACTS_TRACERS];
/* NULL: it is none of these. */
const struct kernel_facts_tracer *kernel_facts_tracer(const char *name);

uint64_t kernel_facts_available_kb(const char *root);	/* memory; 0 = unknown */

/* @root: prefix of every path: "" except in tests.  Call kernel_facts_fini() afterwards. */
void kernel_facts_read(struct kernel_facts *facts, const char *root);
void kernel_facts_fini(struct kernel_facts *facts);

/* The kernel's own types; @data: its bytes, to free after it.  NULL: they are not known. */
struct btf *kernel_facts_btf(const char *root, struct text *data);

/* CAP_SYSLOG… of linux/capability.h */
bool kernel_facts_capable(const struct kernel_facts *facts, int cap);
/* "none", "integrity"… "not known" */
const char *kernel_facts_lockdown_name(enum kernel_lockdown lockdown);
#endif
