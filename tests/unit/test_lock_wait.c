/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock_wait: who holds a lock, from records made by hand.  The words are those of glibc's
 * pthread_mutex_t (nptl/pthreadP.h), of the kernel's futex interface and of its locks; the tasks
 * are made up beside those of a recorded trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "parsers/types/event_types.h"
#include "src/trace/lock_wait.h"
#include "src/trace/trace_streams.h"
#include "tests/lib/open_recorded.h"

#define NOW	1000

/* 901 and 902 are threads of one process, 903 of another one, 904 has ended, 905 is the kernel's,
 * 906 is of a process of a container. */
#define TASKS                                                                                      \
	"task 1 2 901 1 -1 0 0 0 0 0\nthread 1 2 902 901 0\nthread 1 2 904 901 0\n"                 \
	"task 1 2 903 1 -1 0 0 0 0 0\ntask 1 2 905 2 -1 0 0 0 0 1\n"                                \
	"task 1 2 906 1 -1 0 0 0 0 0\nnamespace 906\nthread 1 2 907 906 0\n"

static int64_t same_time(const void *arg, uint64_t raw)
{
	(void)arg;
	return (int64_t)raw;
}

static struct trace *open_tasks(void)
{
	struct trace *trace = open_data("cpu4", 1);
	struct trace_source *source = trace_source_at(trace, 0);

	assert_int_equal(who_table_load(source->who, TASKS, strlen(TASKS), false, same_time, NULL,
					NULL),
			 0);
	who_table_exited(source->who, 904, 500);
	return trace;
}

/* --- records ---------------------------------------------------------------------------------- */

static struct event_field field(const char *name, uint16_t at, uint16_t size)
{
	return (struct event_field){ .name = name, .kind = FIELD_UINT, .offset = at,
				     .size = size };
}

static bool read_futex(struct trace *trace, int pid, const struct lock_futex *futex, int owner,
		       struct lock_wait *wait)
{
	const struct event_field fields[] = {
		field("op", 0, 4), field("val", 4, 4), field("word", 8, 4), field("users", 12, 4),
		field("kind", 16, 4), field("owner", 20, 4), field("uaddr", 24, 8),
	};
	const struct event_type type = { .system = "locks", .name = "futex", .fields = fields,
					 .nr_fields = 7 };
	struct {
		struct lock_futex futex;
		int32_t		  owner;
		uint64_t	  address;
	} data = { *futex, owner, 0x7f0000001000 };
	const struct trace_event event = { .kind = TRACE_ROW_EVENT, .type = &type, .pid = pid,
					   .ts = NOW, .data = (const uint8_t *)&data,
					   .size = sizeof(data) };

	return lock_wait_read(trace, &event, wait);
}

enum { WAIT = 0, WAKE = 1, LOCK_PI_OP = 6, WAIT_BITSET = 9, REQUEUE_PI = 11, PRIVATE = 128,
       REALTIME = 256 };

static const struct futex_case {
	int		 waiter;
	struct lock_futex futex;
	int		 owner;
	bool		 waits;
	enum lock_type	 type;
	int		 holder;
	enum lock_doubt	 doubt;
} futexes[] = {
	/* a mutex; with a time limit; adaptive; recursive, elided */
	{ 902, { WAIT | PRIVATE, 2, 2, 1, 0 }, 901, true, LOCK_MUTEX, 901, LOCK_HELD },
	{ 902, { WAIT_BITSET | PRIVATE | REALTIME, 2, 2, 1, 0 }, 901, true, LOCK_MUTEX, 901,
	  LOCK_HELD },
	{ 902, { WAIT | PRIVATE, 2, 2, 5, 3 }, 901, true, LOCK_MUTEX, 901, LOCK_HELD },
	{ 902, { WAIT | PRIVATE, 2, 2, 1, 0x201 }, 901, true, LOCK_MUTEX, 901, LOCK_HELD },
	/* being unlocked; of this task; of another process; of an exited thread */
	{ 902, { WAIT | PRIVATE, 2, 2, 1, 0 }, 0, true, LOCK_MUTEX, 0, LOCK_HANDED_OVER },
	{ 902, { WAIT | PRIVATE, 2, 2, 1, 0 }, 902, true, LOCK_MUTEX, 0,
	  LOCK_OWNER_IS_STRANGER },
	{ 902, { WAIT | PRIVATE, 2, 2, 1, 0 }, 903, true, LOCK_MUTEX, 0,
	  LOCK_OWNER_IS_STRANGER },
	{ 902, { WAIT | PRIVATE, 2, 2, 1, 0 }, 12345, true, LOCK_MUTEX, 0,
	  LOCK_OWNER_IS_STRANGER },
	{ 902, { WAIT | PRIVATE, 2, 2, 1, 0 }, 904, true, LOCK_MUTEX, 0,
	  LOCK_OWNER_IS_OVER },
	{ 902, { WAIT | PRIVATE, 2, 2, 1, 0 }, -1, true, LOCK_MUTEX, 0,
	  LOCK_OWNER_IS_STRANGER },
	/* processes share it; one that shares it by mistake has a private kind */
	{ 902, { WAIT, 2, 2, 2, 0x80 }, 903, true, LOCK_MUTEX, 903, LOCK_HELD },
	{ 902, { WAIT, 2, 2, 2, 0 }, 903, true, LOCK_FUTEX, 0, LOCK_NO_OWNER },
	{ 902, { WAIT | PRIVATE, 2, 2, 2, 0x80 }, 901, true, LOCK_FUTEX, 0, LOCK_NO_OWNER },
	{ 902, { WAIT, 2, 2, 2, 0x80 }, 905, true, LOCK_MUTEX, 0, LOCK_OWNER_IS_STRANGER },
	{ 902, { WAIT, 2, 2, 2, 0x80 }, 907, true, LOCK_MUTEX, 0, LOCK_OTHER_PIDS },
	/* a condition variable, a semaphore, no users, the word has changed, a join */
	{ 902, { WAIT_BITSET | PRIVATE, 0, 0, 1, 0 }, 901, true, LOCK_FUTEX, 0,
	  LOCK_NO_OWNER },
	{ 902, { WAIT | PRIVATE, 2, 2, 0, 0 }, 901, true, LOCK_FUTEX, 0, LOCK_NO_OWNER },
	{ 902, { WAIT | PRIVATE, 2, 1, 1, 0 }, 901, true, LOCK_FUTEX, 0, LOCK_NO_OWNER },
	{ 902, { WAIT | PRIVATE, 2, 2, 1, 0x7fff }, 901, true, LOCK_FUTEX, 0,
	  LOCK_NO_OWNER },
	{ 902, { WAIT_BITSET | REALTIME, 901, 901, 1, 0 }, 901, true, LOCK_FUTEX, 0,
	  LOCK_NO_OWNER },
	{ 902, { REQUEUE_PI | PRIVATE, 2, 2, 1, 0 }, 901, true, LOCK_FUTEX, 0,
	  LOCK_NO_OWNER },
	/* robust: the word tells; its owner died; musl's normal mutex */
	{ 902, { WAIT, 0x80000000 | 901, 0x80000000 | 901, 1, 0x10 }, 901, true,
	  LOCK_ROBUST, 901, LOCK_HELD },
	{ 902, { WAIT, 0xc0000000, 0xc0000000, 1, 0x10 }, 901, true, LOCK_ROBUST, 0,
	  LOCK_HANDED_OVER },
	{ 902, { WAIT, 0x80000010, 0x80000010, 1, 0 }, 901, true, LOCK_FUTEX, 0,
	  LOCK_NO_OWNER },
	/* PI: the word tells, whatever is behind it */
	{ 902, { LOCK_PI_OP | PRIVATE, 0, 901, 0, 0x7777 }, 0, true, LOCK_PI, 901,
	  LOCK_HELD },
	{ 902, { LOCK_PI_OP | PRIVATE, 0, 0x80000000 | 901, 1, 0x20 }, 0, true, LOCK_PI,
	  901, LOCK_HELD },
	{ 902, { LOCK_PI_OP | PRIVATE, 0, 0x40000000 | 901, 1, 0x20 }, 0, true, LOCK_PI, 0,
	  LOCK_HANDED_OVER },
	/* in a container the number is another task's */
	{ 907, { WAIT | PRIVATE, 2, 2, 1, 0 }, 906, true, LOCK_MUTEX, 0, LOCK_OTHER_PIDS },
	/* wakes others */
	{ 902, { WAKE | PRIVATE, 1, 0, 0, 0 }, 0, false, LOCK_FUTEX, 0, LOCK_HELD },
};

static void test_futex(void **state)
{
	struct trace *trace = open_tasks();

	(void)state;
	for (size_t i = 0; i < sizeof(futexes) / sizeof(futexes[0]); i++) {
		struct lock_wait wait;
		bool waits = read_futex(trace, futexes[i].waiter, &futexes[i].futex,
					futexes[i].owner, &wait);

		assert_int_equal(waits, futexes[i].waits);
		if (!waits)
			continue;
		assert_int_equal(wait.type, futexes[i].type);
		assert_int_equal(wait.holder, futexes[i].holder);
		assert_int_equal(wait.doubt, futexes[i].doubt);
		assert_int_equal(wait.tgid, !(futexes[i].futex.op & PRIVATE) ? 0 :
					    futexes[i].waiter == 907         ? 906 :
									       901);
		assert_int_equal(!lock_wait_doubt(&wait), wait.holder != 0);
	}
	trace_close(trace);
}

/*
 * The bytes around a pid of 901 (0x385), as read with pointers that are f bytes too high.  The
 * trace is little-endian.
 */
static void test_kernel(void **state)
{
	static const struct {
		const char	*name;
		uint32_t	flags;
		uint64_t	owner;
		int		before, behind;	/* bytes of the pid's start from that of the word */
		enum lock_type	type;
		int		holder;
		enum lock_doubt	doubt;
	} cases[] = {
		{ "mutex_wait", 32, 0xffff888000001000, 4, 8, LOCK_KERNEL_MUTEX, 901, LOCK_HELD },
		{ "mutex_wait", 33, 0xffff888000001001, 3, 7, LOCK_KERNEL_MUTEX, 901, LOCK_HELD },
		{ "mutex_wait", 32, 0xffff888000001003, 1, 5, LOCK_KERNEL_MUTEX, 901, LOCK_HELD },
		{ "mutex_wait", 32, 0xffff888000001004, 0, 4, LOCK_KERNEL_MUTEX, 901, LOCK_HELD },
		{ "mutex_wait", 32, 0xffff888000001005, -1, 3, LOCK_KERNEL_MUTEX, 901, LOCK_HELD },
		{ "mutex_wait", 32, 0xffff888000001007, -3, 1, LOCK_KERNEL_MUTEX, 901, LOCK_HELD },
		{ "mutex_wait", 32, 1, 3, 7, LOCK_KERNEL_MUTEX, 0, LOCK_HANDED_OVER },
		{ "mutex_wait", 8, 0xffff888000001001, 3, 7, LOCK_RT_MUTEX, 901, LOCK_HELD },
		{ "rwsem_wait", 4, 0xffff888000001000, 4, 8, LOCK_RWSEM_WRITE, 901, LOCK_HELD },
		{ "rwsem_wait", 2, 0xffff888000001002, 2, 6, LOCK_RWSEM_READ, 901, LOCK_HELD },
		{ "rwsem_wait", 4, 0xffff888000001003, 1, 5, LOCK_RWSEM_WRITE, 0, LOCK_READERS },
		{ "rwsem_wait", 4, 0, 0, 0, LOCK_RWSEM_WRITE, 0, LOCK_HANDED_OVER },
	};
	const struct event_field fields[] = {
		field("lock_addr", 0, 8), field("owner", 8, 8), field("before", 16, 8),
		field("behind", 24, 8), field("flags", 32, 4),
	};
	struct trace *trace = open_tasks();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct event_type type = { .system = "locks", .name = cases[i].name,
						 .fields = fields, .nr_fields = 5 };
		uint8_t data[40] = { 0 };
		const struct trace_event event = { .kind = TRACE_ROW_EVENT, .type = &type,
						   .pid = 902, .ts = NOW, .data = data,
						   .size = sizeof(data),
						   .swap = HOST_BIG_ENDIAN };
		const int at[2] = { cases[i].before, cases[i].behind };
		uint64_t address = 0xffffffff82000000;
		struct lock_wait wait;

		for (int k = 0; k < 8; k++) {
			data[k] = (uint8_t)(address >> 8 * k);
			data[8 + k] = (uint8_t)(cases[i].owner >> 8 * k);
			data[32 + k / 2] = (uint8_t)(cases[i].flags >> 8 * (k / 2));
		}
		for (int word = 0; word < 2; word++)
			for (int k = 0; k < 4; k++)
				if (at[word] + k >= 0 && at[word] + k < 8)
					data[16 + 8 * word + at[word] + k] = (uint8_t)(901 >>
										       8 * k);
		assert_true(lock_wait_read(trace, &event, &wait));
		assert_int_equal(wait.type, cases[i].type);
		assert_int_equal(wait.holder, cases[i].holder);
		assert_int_equal(wait.doubt, cases[i].doubt);
		assert_true(wait.address == address);
		assert_int_equal(wait.tgid, 0);
	}
	trace_close(trace);
}

/* Locks whose holder the kernel does not record. */
static void test_other_locks(void **state)
{
	static const struct {
		uint32_t	flags;
		enum lock_type	type;
		const char	*name;
	} cases[] = {
		{ 0, LOCK_OTHER, "semaphore" },		  { 1, LOCK_SPINLOCK, "spinlock" },
		{ 3, LOCK_RWLOCK_READ, "rwlock (read)" }, { 5, LOCK_RWLOCK_WRITE, "rwlock (write)" },
		{ 18, LOCK_PERCPU_READ, "percpu rwsem (read)" },
		{ 20, LOCK_PERCPU_WRITE, "percpu rwsem (write)" },
	};
	const struct event_field fields[] = { field("lock_addr", 0, 8), field("flags", 8, 4) };
	const struct event_type type = { .system = "locks", .name = "lock_wait", .fields = fields,
					 .nr_fields = 2 };
	const struct event_type other = { .system = "lock", .name = "contention_begin",
					  .fields = fields, .nr_fields = 2 };
	struct trace *trace = open_tasks();
	uint8_t data[12] = { 0 };
	struct trace_event event = { .kind = TRACE_ROW_EVENT, .type = &type, .pid = 902,
				     .ts = NOW, .data = data, .size = sizeof(data) };
	struct lock_wait wait;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memcpy(data + 8, &cases[i].flags, 4);
		assert_true(lock_wait_read(trace, &event, &wait));
		assert_int_equal(wait.type, cases[i].type);
		assert_string_equal(lock_wait_type(&wait), cases[i].name);
		assert_int_equal(wait.holder, 0);
		assert_int_equal(wait.doubt, LOCK_NO_OWNER);
	}
	event.type = &other;
	assert_false(lock_wait_read(trace, &event, &wait));
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_futex),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_other_locks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
