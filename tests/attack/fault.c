/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault - by LD_PRELOAD: counts the calls of a kind, and lets one of them fail; or holds one task.
 *
 *   FAULT_KIND  fail: the error that is likely (EIO, ENOSPC, EMFILE ...)
 *               eintr: interrupted by a signal; short: half of the bytes; alloc: no memory
 *               hold: a task does not go on, for ever
 *   FAULT_AT    number of the call that fails, from 1; 0: none
 *   FAULT_TASK  with hold: which one, by the number of the pthread_create() or fork() that made it,
 *               from 1.  FAULT_AT counts its calls; 1 is before the first
 *   FAULT_FD    a file of a page, which receives the number of calls so far; the processes of one
 *               run share it.  With hold: 64 bits each: the process whose task is held (0: none),
 *               the number of tasks, and the number of calls of each
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *p, size_t size);

enum kind { NONE, FAIL, EINTR_ONCE, SHORT, ALLOC, HOLD };
enum { IS_HELD, NR_TASKS, CALLS_OF_TASK, MOST_TASKS = 500 };	/* in the page, with hold */

static enum kind kind;
static uint64_t fails_at;
static _Atomic uint64_t *calls;
static uint64_t held_task;
static _Thread_local uint64_t own_task;	/* 0: the first one, or its program was executed */
static uintptr_t program_from, program_to;

__attribute__((constructor)) static void begin(void)
{
	const char *word = getenv("FAULT_KIND"), *at = getenv("FAULT_AT"), *fd = getenv("FAULT_FD"),
		   *task = getenv("FAULT_TASK");
	void *page = MAP_FAILED;

	if (word && fd)
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0);
	if (page == MAP_FAILED)
		return;
	calls = page;
	fails_at = at ? strtoull(at, NULL, 10) : 0;
	held_task = task ? strtoull(task, NULL, 10) : 0;
	kind = !strcmp(word, "eintr") ? EINTR_ONCE :
	       !strcmp(word, "short") ? SHORT :
	       !strcmp(word, "alloc") ? ALLOC :
	       !strcmp(word, "hold")  ? HOLD :
					FAIL;
}

/* A call of a task that may be the one where it is held. */
static void count_for_hold(void)
{
	if (kind != HOLD || !own_task || own_task >= MOST_TASKS ||
	    atomic_fetch_add(&calls[CALLS_OF_TASK + own_task - 1], 1) + 1 != fails_at ||
	    own_task != held_task)
		return;
	atomic_store(&calls[IS_HELD], (uint64_t)getpid());
	for (;;)		/* pause() is not for those that are confined */
		poll(NULL, 0, -1);
}

/* Count a call; is it the one? */
static bool is_it(enum kind wanted)
{
	if (wanted == FAIL)
		count_for_hold();
	return kind == wanted && atomic_fetch_add(calls, 1) + 1 == fails_at;
}

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

/* A call that gets an error of its own. */
#define FAILING(type, name, errnum, failed, params, ...)		\
	type name params;						\
	type name params						\
	{								\
		if (is_it(FAIL)) {					\
			errno = errnum;					\
			return failed;					\
		}							\
		return REAL(name, __VA_ARGS__);				\
	}

/* A call that moves @size bytes. */
#define MOVING(name, errnum, bytes, params, ...)			\
	ssize_t name params;						\
	ssize_t name params						\
	{								\
		if (is_it(FAIL)) {					\
			errno = errnum;					\
			return -1;					\
		}							\
		if (is_it(EINTR_ONCE)) {				\
			errno = EINTR;					\
			return -1;					\
		}							\
		if (bytes > 1 && is_it(SHORT))				\
			bytes /= 2;					\
		return REAL(name, __VA_ARGS__);				\
	}

MOVING(read, EIO, size, (int fd, void *to, size_t size), fd, to, size)
MOVING(pread, EIO, size, (int fd, void *to, size_t size, off_t at), fd, to, size, at)
MOVING(pread64, EIO, size, (int fd, void *to, size_t size, off64_t at), fd, to, size, at)
MOVING(write, ENOSPC, size, (int fd, const void *from, size_t size), fd, from, size)
MOVING(pwrite, ENOSPC, size, (int fd, const void *from, size_t size, off_t at), fd, from, size, at)
MOVING(pwrite64, ENOSPC, size, (int fd, const void *from, size_t size, off64_t at), fd, from, size,
       at)
MOVING(splice, ENOSPC, size,
       (int in, off64_t *from, int out, off64_t *to, size_t size, unsigned int flags), in, from,
       out, to, size, flags)

FAILING(int, ftruncate, ENOSPC, -1, (int fd, off_t size), fd, size)
FAILING(int, ftruncate64, ENOSPC, -1, (int fd, off64_t size), fd, size)
FAILING(int, fallocate, EOPNOTSUPP, -1, (int fd, int mode, off_t at, off_t size), fd, mode, at,
	size)
FAILING(int, fallocate64, EOPNOTSUPP, -1, (int fd, int mode, off64_t at, off64_t size), fd, mode,
	at, size)
FAILING(int, fsync, EIO, -1, (int fd), fd)
FAILING(int, rename, EIO, -1, (const char *from, const char *to), from, to)
FAILING(int, mkdir, ENOSPC, -1, (const char *path, mode_t mode), path, mode)
FAILING(int, mkdirat, ENOSPC, -1, (int at, const char *path, mode_t mode), at, path, mode)
FAILING(int, dup, EMFILE, -1, (int fd), fd)
FAILING(int, pipe2, EMFILE, -1, (int fds[2], int flags), fds, flags)
FAILING(int, socketpair, EMFILE, -1, (int domain, int type, int protocol, int fds[2]), domain, type,
	protocol, fds)

pid_t fork(void)
{
	uint64_t task;
	pid_t pid;

	if (is_it(FAIL)) {
		errno = EAGAIN;
		return -1;
	}
	task = kind == HOLD ? atomic_fetch_add(&calls[NR_TASKS], 1) + 1 : 0;
	pid = REAL(fork);
	if (!pid && task) {
		own_task = task;
		count_for_hold();
	}
	return pid;
}

struct thread {
	void	 *(*run)(void *arg);
	void	 *arg;
	uint64_t task;
};

static void *run_thread(void *arg)
{
	struct thread thread = *(struct thread *)arg;

	free(arg);
	own_task = thread.task;
	count_for_hold();
	return thread.run(thread.arg);
}

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	struct thread *thread = kind == HOLD ? __libc_malloc(sizeof(*thread)) : NULL;

	if (!thread)
		return REAL(pthread_create, id, attr, run, arg);
	*thread = (struct thread){ run, arg, atomic_fetch_add(&calls[NR_TASKS], 1) + 1 };
	return REAL(pthread_create, id, attr, run_thread, thread);
}

/* open() and its like: the mode may be absent. */
#define OPENING(name, params, last, ...)				\
	int name params;						\
	int name params							\
	{								\
		va_list ap;						\
		mode_t mode;						\
									\
		va_start(ap, last);					\
		mode = va_arg(ap, mode_t);				\
		va_end(ap);						\
		if (is_it(FAIL)) {					\
			errno = EMFILE;					\
			return -1;					\
		}							\
		return REAL(name, __VA_ARGS__, mode);			\
	}

OPENING(open, (const char *path, int flags, ...), flags, path, flags)
OPENING(open64, (const char *path, int flags, ...), flags, path, flags)
OPENING(openat, (int at, const char *path, int flags, ...), flags, at, path, flags)
OPENING(openat64, (int at, const char *path, int flags, ...), flags, at, path, flags)

#define CALLER ((uintptr_t)__builtin_return_address(0))

/* --- memory ----------------------------------------------------------------------------- */

/* The linker's: where the program itself lies. */
static int find_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD) {
			uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

			program_from = program_from ? program_from : from;
			program_to = from + info->dlpi_phdr[i].p_memsz;
		}
	return 1;	/* the first one is the program */
}

/* Other libraries do what they do without memory; some crash. */
static bool refused(uintptr_t caller)
{
	if (kind != ALLOC)
		return false;
	if (!program_to)
		dl_iterate_phdr(find_program, NULL);
	if (caller < program_from || caller >= program_to || !is_it(ALLOC))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return refused(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return refused(CALLER) ? NULL : __libc_calloc(nr, size);
}

void *realloc(void *p, size_t size)
{
	return refused(CALLER) ? NULL : __libc_realloc(p, size);
}
