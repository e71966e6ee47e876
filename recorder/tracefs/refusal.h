/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_REFUSAL_H
#define FTOP_RECORDER_TRACEFS_REFUSAL_H
/*
 * refusal - why the kernel refused an operation on tracefs: a cause that the facts prove, else that
 * no reason given.  And the command that helps, if there is one.
 */
#include <stdbool.h>
#include "recorder/tracefs/kernel_facts.h"
#include "recorder/tracefs/tracefs_dir.h"

enum refusal_cause {
	REFUSAL_NOT_SAID,	/* none of the causes below can be proved */
	REFUSAL_NOT_MOUNTED,
	REFUSAL_RIGHTS,
	REFUSAL_READ_ONLY,	/* read-only mount, as in containers */
	REFUSAL_LOCKDOWN,
	REFUSAL_NOT_BUILT_IN,
	REFUSAL_ABSENT,		/* the kernel has no such file; its configuration does not say
				 * why */
	REFUSAL_BUSY,
	REFUSAL_SWITCHED_OFF,	/* by a sysctl */
	REFUSAL_KERNEL_BUG,	/* ftrace stopped itself */
	REFUSAL_MEMORY,
	REFUSAL_NOT_IN_INSTANCE,/* on this kernel only the top instance has it */
	REFUSAL_NR
};

struct refusal {
	enum refusal_cause cause;
	struct text	 why;		/* "EPERM for root; no reason given" */
	struct text	 remedy;	/* a shell command, or "" */
};

/**
 * refusal_explain() - find the cause of an errno
 * @file:   file of @dir that was opened or written; "" for the folder itself
 * @errnum: the kernel's error
 * @config: configuration option that the file or value depends on ("FUNCTION_TRACER"), or NULL
 *
 * For EBUSY it searches /proc for processes with open files of tracefs.  Call refusal_fini()
 * afterwards.
 */
void refusal_explain(struct refusal *refusal, const struct kernel_facts *facts,
		     const struct tracefs_dir *dir, const char *file, int errnum,
		     const char *config);
void refusal_fini(struct refusal *refusal);

/**
 * refusal_add() - append the reason to an error that tracefs_dir set
 * @err: as set by tracefs_dir, "PATH/FILE: writing 'VALUE': EPERM (Operation not permitted)"; may
 *        be NULL
 *
 * If only the errno is known, the error is not changed.  Keeps errno.  Return: -1.
 */
int refusal_add(struct ft_error *err, const struct tracefs_dir *dir, const char *file, int errnum,
		const char *config);

/* The cause's name in JSON and CSV: "rights", "not_built_in"… */
const char *refusal_cause_name(enum refusal_cause cause);

/**
 * refusal_holders() - find the processes with open files in this folder or below it
 * @proc: "/proc", except in tests
 *
 * Appends "trace-cmd[1234], cat[77]": at most five, then "and 3 more"; without this process.  Sees
 * other users' processes only as root.
 *
 * Return: the number of processes.
 */
unsigned int refusal_holders(const struct tracefs_dir *dir, const char *proc, struct text *out);
#endif
