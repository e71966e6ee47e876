/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bench/heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *p);

static atomic_bool counting;
static _Atomic int64_t bytes, peak;

static void add(int64_t more)
{
	int64_t now, most;

	if (!atomic_load_explicit(&counting, memory_order_relaxed))
		return;
	now = atomic_fetch_add_explicit(&bytes, more, memory_order_relaxed) + more;
	most = atomic_load_explicit(&peak, memory_order_relaxed);
	while (now > most &&
	       !atomic_compare_exchange_weak_explicit(&peak, &most, now, memory_order_relaxed,
						      memory_order_relaxed))
		;
}

void *malloc(size_t size)
{
	void *p = __libc_malloc(size);

	add((int64_t)malloc_usable_size(p));
	return p;
}

void *calloc(size_t nr, size_t size)
{
	void *p = __libc_calloc(nr, size);

	add((int64_t)malloc_usable_size(p));
	return p;
}

void *realloc(void *old, size_t size)
{
	int64_t before = (int64_t)malloc_usable_size(old);
	void *p = __libc_realloc(old, size);

	if (p || !size)
		add((int64_t)malloc_usable_size(p) - before);
	return p;
}

void *reallocarray(void *old, size_t nr, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(nr, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, all);
}

void free(void *p)
{
	add(-(int64_t)malloc_usable_size(p));
	__libc_free(p);
}

void heap_begin(void)
{
	atomic_store(&bytes, 0);
	atomic_store(&peak, 0);
	atomic_store(&counting, true);
}

int64_t heap_bytes(void)
{
	return atomic_load(&bytes);
}

int64_t heap_peak(void)
{
	return atomic_load(&peak);
}
