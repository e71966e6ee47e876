/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>
#include <unistd.h>

#define ARENA_BLOCK_BYTES ((size_t)64 << 10)

struct arena_block {
	struct arena_block	*next;
	size_t			size;		/* bytes of data[] */
	_Alignas(16) unsigned char data[];
};

static void __attribute__((noreturn)) out_of_memory(size_t size)
{
	fprintf(stderr, "ftop-trace: out of memory (%zu bytes wanted)\n", size);
	exit(1);
}

void *mem_array(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size ? size : 1);

	if (!p)
		out_of_memory(nr * size);
	return p;
}

void *mem_alloc(size_t size)
{
	return mem_array(1, size);
}

void *mem_resize(void *old, size_t nr, size_t size)
{
	void *p = reallocarray(old, nr ? nr : 1, size ? size : 1);

	if (!p)
		out_of_memory(nr * size);
	return p;
}

void *mem_copy(const void *from, size_t nr, size_t size)
{
	return nr ? memcpy(mem_resize(NULL, nr, size), from, nr * size) : NULL;
}

char *mem_strndup(const char *s, size_t len)
{
	char *copy = mem_array(len + 1, 1);

	memcpy(copy, s, len);
	return copy;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

uint64_t mem_installed(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_C(4) << 30;
}

void mem_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

void *mem_try_alloc(uint64_t size, struct ft_error *err)
{
	void *p = size <= PTRDIFF_MAX ? calloc(1, size ? (size_t)size : 1) : NULL;

	if (!p)
		ft_error_set(err, FT_E_NOMEM, -1, "no memory for %" PRIu64 " bytes", size);
	return p;
}

void arena_fini(struct arena *arena)
{
	struct arena_block *block, *next;

	for (block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	memset(arena, 0, sizeof(*arena));
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->blocks;
	size_t want = (size + 15) & ~(size_t)15;
	void *p;

	if (!block || block->size - arena->used < want) {
		size_t bytes = want > ARENA_BLOCK_BYTES ? want : ARENA_BLOCK_BYTES;

		block = mem_alloc(sizeof(*block) + bytes);
		block->size = bytes;
		block->next = arena->blocks;
		arena->blocks = block;
		arena->used = 0;
		arena->total += bytes;
	}
	p = block->data + arena->used;
	arena->used += want;
	return p;
}

char *arena_strndup(struct arena *arena, const char *s, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	s = arena_alloc(arena, (size_t)len + 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return s;
}

void *arena_copy(struct arena *arena, const void *from, size_t size)
{
	void *copy = arena_alloc(arena, size);

	if (size)
		memcpy(copy, from, size);
	return copy;
}
