/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_LOCK_WAIT_H
#define FTOP_SRC_TRACE_LOCK_WAIT_H
/*
 * lock_wait - what the record says with which a task begins to wait for a lock: which lock, and who
 * holds it.  The records are those of record --locks (recorder/tracefs/lock_probes.h).
 *
 * The holder is known, or it is not: it is never guessed.  Of a lock of a program it is what the
 * mutex of glibc has as its owner, if that is another task of the process which lives then; the
 * word alone tells it of PI and robust mutexes (Linux, Documentation/locking/robust-futex-ABI.rst).
 * Of a mutex or an rwsem of the kernel it is the pid of the task that its owner points to.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

enum lock_type {
	LOCK_FUTEX,			/* of a program; what it is for is not known */
	LOCK_MUTEX, LOCK_ROBUST, LOCK_PI,	/* of a program */
	LOCK_KERNEL_MUTEX, LOCK_RT_MUTEX, LOCK_RWSEM_READ, LOCK_RWSEM_WRITE, LOCK_RWLOCK_READ,
	LOCK_RWLOCK_WRITE, LOCK_PERCPU_READ, LOCK_PERCPU_WRITE, LOCK_SPINLOCK, LOCK_OTHER,
};

/* Why the holder is not known. */
enum lock_doubt {
	LOCK_HELD,			/* it is */
	LOCK_NO_OWNER,			/* nothing tells it in such a lock */
	LOCK_HANDED_OVER,		/* it had no owner at that moment */
	LOCK_READERS,			/* readers hold it, or may */
	LOCK_OWNER_IS_OVER,		/* the owner had exited */
	LOCK_OWNER_IS_STRANGER,		/* the owner is no other task of the process */
	LOCK_OTHER_PIDS,		/* the process has a PID namespace of its own, or it is not
					 * known whether it has */
};

struct lock_wait {
	enum lock_type	type;
	enum lock_doubt	doubt;
	uint64_t	address;
	int		holder;		/* pid; 0: not known */
	int		tgid;		/* of a lock of a program: the process whose address it is;
					 * 0: it is the kernel's, or processes share it */
};

/* What a futex call is made with, and what lies at its word. */
struct lock_futex {
	uint32_t	op, val, word, users, kind;
};
/* Does it wait? */
bool lock_futex_waits(const struct lock_futex *futex);
/* LOCK_FUTEX to LOCK_PI */
enum lock_type lock_futex_type(const struct lock_futex *futex);

/* Is it an event with which waits for locks begin? */
bool lock_wait_is_begin(const struct event_type *type);
/*
 * Read a record with which a wait for a lock begins.  False: it is none, as a futex call that wakes
 * others.  Any thread.
 */
bool lock_wait_read(struct trace *trace, const struct trace_event *event, struct lock_wait *wait);

/* Does it wait to read, beside others that do? */
bool lock_wait_reads(const struct lock_wait *wait);
/* "mutex", "rwsem (write)" */
const char *lock_wait_type(const struct lock_wait *wait);
/* Why the holder is not known, in a sentence; NULL: it is. */
const char *lock_wait_doubt(const struct lock_wait *wait);
/*
 * Append which lock it is: "prog+0x4060 of server-812", "0x7f12… of server-812", "tasklist_lock",
 * "0xffff8880…".  Raw bytes of the trace.  Main thread.
 */
void lock_wait_name(struct trace *trace, const struct trace_event *event,
		    const struct lock_wait *wait, struct text *out);

/* --- by their refs ---------------------------------------------------------------------------- */
struct lock_reader;			/* opaque */

struct lock_reader *lock_reader_new(struct trace *trace);	/* which is borrowed */
void lock_reader_free(struct lock_reader *reader);	/* NULL is allowed */
/* As lock_wait_read(), of the record with this ref.  Any thread. */
bool lock_reader_read(struct lock_reader *reader, trace_ref ref, struct lock_wait *wait);
/* The same, and append the name.  Main thread. */
bool lock_reader_name(struct lock_reader *reader, trace_ref ref, struct lock_wait *wait,
		      struct text *out);
#endif
