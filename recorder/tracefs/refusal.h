/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_REFUSAL_H
#define FTOP_RECORDER_REFUSAL_H
/*
 * refusal - why the kernel refused something of tracefs: a cause that can be
 * proved from the facts, else that the kernel does not say why.  And the
 * command that mends it, where there is one.
 */
#include <stdbool.h>
#include "recorder/tracefs/kernel_facts.h"
#include "recorder/tracefs/tracefs_dir.h"

enum refusal_cause {
	REFUSAL_NOT_SAID,	/* none of those below can be proved */
	REFUSAL_NOT_MOUNTED,
	REFUSAL_RIGHTS,
	REFUSAL_READ_ONLY,	/* the mount, as in containers */
	REFUSAL_LOCKDOWN,
	REFUSAL_NOT_BUILT_IN,
	REFUSAL_ABSENT,		/* the kernel has no such file, and no configuration tells why */
	REFUSAL_BUSY,
	REFUSAL_SWITCHED_OFF,	/* by a sysctl */
	REFUSAL_KERNEL_BUG,	/* ftrace stopped itself */
	REFUSAL_MEMORY,
	REFUSAL_NOT_IN_INSTANCE,/* only the top instance has it on this kernel */
	REFUSAL_NR
};

struct refusal {
	enum refusal_cause cause;
	struct text	 why;		/* "EPERM for root; refused by this kernel, it does not say why" */
	struct text	 remedy;	/* a command for the shell, or "" */
};

/**
 * refusal_explain() - what stands behind an errno
 * @file:   of @dir, that was opened or written; "" for the folder itself
 * @errnum: what the kernel answered
 * @config: option without which the file or the value does not exist ("FUNCTION_TRACER"), or NULL
 *
 * For EBUSY it looks for the processes that hold files of tracefs open, which costs a walk over /proc.
 * End with refusal_fini().
 */
void refusal_explain(struct refusal *refusal, const struct kernel_facts *facts, const struct tracefs_dir *dir,
		     const char *file, int errnum, const char *config);
void refusal_fini(struct refusal *refusal);

/**
 * refusal_add() - put the reason behind an error that tracefs_dir set
 * @err: as tracefs_dir left it, "PATH/FILE: writing 'VALUE': EPERM (Operation not permitted)"; may be NULL
 *
 * Where nothing more than the errno is known, the error stays as it is.  Keeps errno.  Return: -1.
 */
int refusal_add(struct ft_error *err, const struct tracefs_dir *dir, const char *file, int errnum, const char *config);

/* The word for it in JSON and CSV: "rights", "not_built_in"… */
const char *refusal_cause_name(enum refusal_cause cause);

/**
 * refusal_holders() - who has files of this folder, or of any below it, open
 * @proc: "/proc", but for tests
 *
 * Appends "trace-cmd[1234], cat[77]": at most five, then "and 3 more"; leaves out this process.  Sees other users'
 * processes only as root.
 *
 * Return: how many processes.
 */
unsigned int refusal_holders(const struct tracefs_dir *dir, const char *proc, struct text *out);
#endif
