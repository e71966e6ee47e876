/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/lock_wait.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "parsers/source/source.h"
#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/events/verdicts.h"
#include "src/trace/trace_user.h"

/* include/uapi/linux/futex.h */
#define FUTEX_PRIVATE		128u
#define FUTEX_COMMANDS		0x7fu
#define FUTEX_WAITERS		0x80000000u
#define FUTEX_OWNER_DIED	0x40000000u
#define FUTEX_TID_MASK		0x3fffffffu
enum { FUTEX_WAIT = 0, FUTEX_LOCK_PI = 6, FUTEX_WAIT_BITSET = 9, FUTEX_WAIT_REQUEUE_PI = 11,
       FUTEX_LOCK_PI2 = 13 };

/*
 * glibc, nptl/pthreadP.h: the word of a locked mutex that others wait for; the bits of its kind.
 * One with PRIO_PROTECT has another word, and is left out.  All who use a mutex are counted.
 */
#define MUTEX_AWAITED		2u
#define MUTEX_TYPES		0x303u	/* recursive…; may locks be elided? */
#define MUTEX_ROBUST		0x10u
#define MUTEX_INHERITS		0x20u
#define MUTEX_SHARED		0x80u
#define MOST_USERS		(1u << 22)

/* include/trace/events/lock.h */
enum { LCB_SPIN = 1, LCB_READ = 2, LCB_WRITE = 4, LCB_RT = 8, LCB_PERCPU = 16, LCB_MUTEX = 32 };

/* include/linux/rwsem.h: readers hold it, in the low bits of its owner */
#define RWSEM_READERS		1u
#define OWNER_FLAGS		7u

static bool is_named(const struct event_type *type, const char *name)
{
	return !strcmp(type->name, name);
}

bool lock_futex_waits(const struct lock_futex *futex)
{
	switch (futex->op & FUTEX_COMMANDS) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	}
	return false;
}

bool lock_wait_is_begin(const struct event_type *type)
{
	return type && type->system && !strcmp(type->system, "locks") &&
	       (is_named(type, "futex") || is_named(type, "mutex_wait") ||
		is_named(type, "rwsem_wait") || is_named(type, "lock_wait"));
}

static uint64_t number(const struct trace_event *event, const char *name)
{
	const struct event_field *field = event_type_field(event->type, name);

	return field && event_field_is_number(field) ?
		       field_u64(field, event->data, event->size, event->swap) :
		       0;
}

/* --- locks of programs ------------------------------------------------------------------------ */

enum lock_type lock_futex_type(const struct lock_futex *f)
{
	uint32_t command = f->op & FUTEX_COMMANDS, kind = f->kind & ~MUTEX_TYPES,
		 shared = f->op & FUTEX_PRIVATE ? 0 : MUTEX_SHARED;

	if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
		return LOCK_PI;
	if (command == FUTEX_WAIT_REQUEUE_PI || f->word != f->val)
		return LOCK_FUTEX;
	/* the futex of a robust mutex is always shared */
	if (f->word & FUTEX_WAITERS)
		return (kind & ~(MUTEX_SHARED | MUTEX_INHERITS)) == MUTEX_ROBUST ? LOCK_ROBUST :
										   LOCK_FUTEX;
	return f->word == MUTEX_AWAITED && f->users && f->users <= MOST_USERS && kind == shared ?
		       LOCK_MUTEX :
		       LOCK_FUTEX;
}

static uint32_t owner_of(const struct trace_event *event, enum lock_type type, uint32_t word)
{
	if (type == LOCK_MUTEX)
		return (uint32_t)number(event, "owner");
	return word & FUTEX_OWNER_DIED ? 0 : word & FUTEX_TID_MASK;
}

/* The owner is not just a number that looks like one. */
static enum lock_doubt check_owner(struct trace *trace, const struct trace_event *event,
				   const struct lock_wait *wait, uint32_t owner)
{
	int tgid = 0, pid = (int)owner, own;
	struct who who = { 0 };
	int64_t from, to;

	if (!trace_tgid(trace, event->file, event->pid, event->ts, &own) ||
	    !trace_has_own_pids(trace, event->file, own))
		return LOCK_OTHER_PIDS;
	if (owner > INT32_MAX || pid == event->pid ||
	    !trace_tgid(trace, event->file, pid, event->ts, &tgid) ||
	    (wait->tgid && tgid != wait->tgid))
		return LOCK_OWNER_IS_STRANGER;
	/* processes share it: any task may hold it that is of a program */
	if (tgid != own && !trace_has_own_pids(trace, event->file, tgid))
		return LOCK_OTHER_PIDS;
	if (tgid != own && trace_who(trace, event->file, pid, event->ts, &who, &from, &to) &&
	    who.is_kernel)
		return LOCK_OWNER_IS_STRANGER;
	return trace_is_over(trace, event->file, pid, event->ts) ? LOCK_OWNER_IS_OVER : LOCK_HELD;
}

static bool read_futex(struct trace *trace, const struct trace_event *event, struct lock_wait *wait)
{
	const struct lock_futex futex = {
		.op = (uint32_t)number(event, "op"), .val = (uint32_t)number(event, "val"),
		.word = (uint32_t)number(event, "word"), .users = (uint32_t)number(event, "users"),
		.kind = (uint32_t)number(event, "kind"),
	};
	uint32_t owner;
	int tgid;

	if (!lock_futex_waits(&futex))
		return false;
	wait->address = number(event, "uaddr");
	wait->type = lock_futex_type(&futex);
	owner = owner_of(event, wait->type, futex.word);
	if (futex.op & FUTEX_PRIVATE)
		wait->tgid = trace_tgid(trace, event->file, event->pid, event->ts, &tgid) ?
				     tgid :
				     event->pid;
	wait->doubt = wait->type == LOCK_FUTEX ? LOCK_NO_OWNER :
		      !owner                   ? LOCK_HANDED_OVER :
						 check_owner(trace, event, wait, owner);
	if (wait->doubt == LOCK_HELD)
		wait->holder = (int)owner;
	return true;
}

/* --- locks of the kernel ---------------------------------------------------------------------- */

static enum lock_type kernel_type(uint32_t flags)
{
	bool reads = flags & LCB_READ;

	if (flags & LCB_MUTEX)
		return LOCK_KERNEL_MUTEX;
	if (!(flags & (LCB_READ | LCB_WRITE)))
		return flags & LCB_RT   ? LOCK_RT_MUTEX :
		       flags & LCB_SPIN ? LOCK_SPINLOCK :
					  LOCK_OTHER;
	if (flags & LCB_PERCPU)
		return reads ? LOCK_PERCPU_READ : LOCK_PERCPU_WRITE;
	if (flags & LCB_SPIN)
		return reads ? LOCK_RWLOCK_READ : LOCK_RWLOCK_WRITE;
	return reads ? LOCK_RWSEM_READ : LOCK_RWSEM_WRITE;
}

/*
 * The pid of the owner: the low bits of the pointer are flags f, so what was read around the pid
 * is f bytes off.  In `before` the pid begins 4 - f bytes from its start, in `behind` 8 - f.
 */
static int owners_pid(const struct trace_event *event, bool big_endian)
{
	unsigned int flags = (unsigned int)number(event, "owner") & OWNER_FLAGS,
		     at = flags <= 4 ? 4 - flags : 8 - flags;
	uint64_t bytes = number(event, flags <= 4 ? "before" : "behind");

	return (int)(uint32_t)(bytes >> 8 * (big_endian ? 4 - at : at));
}

static bool read_kernel(struct trace *trace, const struct trace_event *event,
			struct lock_wait *wait)
{
	const struct source_info *info = source_info(trace_file_of(trace, event->file));
	uint32_t flags = (uint32_t)number(event, "flags");
	uint64_t owner = number(event, "owner");

	wait->address = number(event, "lock_addr");
	wait->type = kernel_type(flags);
	if (!event_type_field(event->type, "owner"))
		wait->doubt = LOCK_NO_OWNER;
	else if (wait->type != LOCK_KERNEL_MUTEX && wait->type != LOCK_RT_MUTEX &&
		 owner & RWSEM_READERS)
		wait->doubt = LOCK_READERS;
	else if (!(owner & ~(uint64_t)OWNER_FLAGS))
		wait->doubt = LOCK_HANDED_OVER;
	else
		wait->holder = owners_pid(event, info->big_endian);
	if (!wait->doubt && (wait->holder <= 0 || wait->holder == event->pid)) {
		wait->holder = 0;
		wait->doubt = LOCK_OWNER_IS_STRANGER;
	}
	return true;
}

bool lock_wait_read(struct trace *trace, const struct trace_event *event, struct lock_wait *wait)
{
	*wait = (struct lock_wait){ .doubt = LOCK_HELD };
	if (event->kind != TRACE_ROW_EVENT || !lock_wait_is_begin(event->type))
		return false;
	return is_named(event->type, "futex") ? read_futex(trace, event, wait) :
						read_kernel(trace, event, wait);
}

/* --- words ------------------------------------------------------------------------------------ */

bool lock_wait_reads(const struct lock_wait *wait)
{
	return wait->type == LOCK_RWSEM_READ || wait->type == LOCK_RWLOCK_READ ||
	       wait->type == LOCK_PERCPU_READ;
}

const char *lock_wait_type(const struct lock_wait *wait)
{
	static const char *const names[] = {
		[LOCK_FUTEX] = "futex", [LOCK_MUTEX] = "mutex", [LOCK_ROBUST] = "robust mutex",
		[LOCK_PI] = "PI mutex", [LOCK_KERNEL_MUTEX] = "kernel mutex",
		[LOCK_RT_MUTEX] = "rt_mutex", [LOCK_RWSEM_READ] = "rwsem (read)",
		[LOCK_RWSEM_WRITE] = "rwsem (write)", [LOCK_RWLOCK_READ] = "rwlock (read)",
		[LOCK_RWLOCK_WRITE] = "rwlock (write)",
		[LOCK_PERCPU_READ] = "percpu rwsem (read)",
		[LOCK_PERCPU_WRITE] = "percpu rwsem (write)", [LOCK_SPINLOCK] = "spinlock",
		[LOCK_OTHER] = "semaphore",
	};

	return names[wait->type];
}

const char *lock_wait_doubt(const struct lock_wait *wait)
{
	static const enum verdict verdicts[] = {
		[LOCK_NO_OWNER] = VERDICT_LOCK_NO_OWNER,
		[LOCK_HANDED_OVER] = VERDICT_LOCK_HANDED_OVER,
		[LOCK_READERS] = VERDICT_LOCK_READERS,
		[LOCK_OWNER_IS_OVER] = VERDICT_LOCK_OWNER_IS_OVER,
		[LOCK_OWNER_IS_STRANGER] = VERDICT_LOCK_OWNER_IS_STRANGER,
		[LOCK_OTHER_PIDS] = VERDICT_LOCK_OTHER_PIDS,
	};

	if (wait->doubt == LOCK_HELD)
		return NULL;
	if (wait->doubt == LOCK_NO_OWNER && wait->type == LOCK_FUTEX)
		return verdict_words(VERDICT_NO_MUTEX, false);
	return verdict_words(verdicts[wait->doubt], false);
}

void lock_wait_name(struct trace *trace, const struct trace_event *event,
		    const struct lock_wait *wait, struct text *out)
{
	const char *symbol = NULL;
	uint64_t offset;
	size_t before = out->len;

	if (wait->type > LOCK_PI) {
		symbol = trace_symbol(trace, event->file, wait->address, &offset);
		if (symbol && offset)
			text_printf(out, "%s+0x%" PRIx64, symbol, offset);
		else if (symbol)
			text_add(out, symbol);
	} else if (!trace_user_name(trace, event, wait->address, false, true, out)) {
		out->len = before;
	}
	if (out->len == before)
		text_printf(out, "0x%" PRIx64, wait->address);
	if (wait->tgid)
		text_printf(out, " of %s-%d", trace_comm(trace, event->file, wait->tgid, event->ts),
			    wait->tgid);
}

/* --- by their refs ---------------------------------------------------------------------------- */

struct lock_reader {
	struct trace	*trace;		/* borrowed */
	pthread_mutex_t	lock;
	struct trace_cursor **cursors;	/* owned, [nr] by stream; NULL: not used yet */
	unsigned int	nr;
};

struct lock_reader *lock_reader_new(struct trace *trace)
{
	struct lock_reader *reader = mem_alloc(sizeof(*reader));

	reader->trace = trace;
	pthread_mutex_init(&reader->lock, NULL);
	return reader;
}

void lock_reader_free(struct lock_reader *reader)
{
	if (!reader)
		return;
	for (unsigned int i = 0; i < reader->nr; i++)
		trace_cursor_free(reader->cursors[i]);
	free(reader->cursors);
	pthread_mutex_destroy(&reader->lock);
	free(reader);
}

static bool read_at(struct lock_reader *reader, trace_ref ref, struct lock_wait *wait,
		    struct text *name)
{
	unsigned int stream = trace_ref_stream(ref);
	struct trace_event event;

	if (ref == TRACE_REF_NONE || stream >= trace_nr_streams(reader->trace))
		return false;
	mem_reach(&reader->cursors, &reader->nr, stream);
	if (!reader->cursors[stream])
		reader->cursors[stream] = trace_cursor_of_worker(reader->trace, stream);
	trace_cursor_seek(reader->cursors[stream], ref);
	if (!trace_cursor_next(reader->cursors[stream], &event) || event.ref != ref ||
	    !lock_wait_read(reader->trace, &event, wait))
		return false;
	if (name)
		lock_wait_name(reader->trace, &event, wait, name);
	return true;
}

bool lock_reader_name(struct lock_reader *reader, trace_ref ref, struct lock_wait *wait,
		      struct text *out)
{
	bool found;

	pthread_mutex_lock(&reader->lock);
	found = read_at(reader, ref, wait, out);
	pthread_mutex_unlock(&reader->lock);
	return found;
}

bool lock_reader_read(struct lock_reader *reader, trace_ref ref, struct lock_wait *wait)
{
	return lock_reader_name(reader, ref, wait, NULL);
}
