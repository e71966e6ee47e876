/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_LOCK_PROBES_H
#define FTOP_RECORDER_TRACEFS_LOCK_PROBES_H
/*
 * lock_probes - the probes that record who holds a lock when a task begins to wait for it, as far
 * as this kernel can have them.  src/trace/lock_wait.h reads their records.
 *
 *	locks:futex		a futex system call, and what lies at and behind its word: the owner
 *				of a mutex of glibc
 *	locks:sys_exit_futex	its end, where the kernel has no events of system calls
 *	locks:mutex_wait	a task waits for a mutex of the kernel (with PREEMPT_RT: for an
 *				rt_mutex): its owner, a pointer to a task with flags in its low 3
 *				bits, and the bytes around the owner's pid
 *	locks:rwsem_wait	the same for an rw_semaphore
 *	locks:lock_wait		a task waits for any other lock of the kernel
 */
#include "recorder/tracefs/name_list.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/text.h"

#define LOCK_PROBES_SYSTEM	"locks"

struct lock_probes {			/* zeroed: none */
	struct name_list probes;	/* definitions, in the syntax of dynamic_events */
	struct name_list ends;		/* events that end what they begin: "lock:contention_end" */
	struct text	 has, lacks;	/* in words; lacks: with the reasons */
};

/* @root: tracefs; @prefix: of other paths: "" except in tests.  Only reads. */
void lock_probes_find(struct lock_probes *locks, const struct tracefs_dir *root,
		      const char *prefix);
void lock_probes_fini(struct lock_probes *locks);
#endif
