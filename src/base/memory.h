/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MEMORY_H
#define FTOP_SRC_MEMORY_H
/*
 * memory - checked allocation, an arena, a growable array.
 *
 * mem_alloc() and its kin end the program when memory is gone: use them for
 * small, fixed-size requests.  A size that comes from input goes through
 * mem_try_alloc(), which fails with FT_E_NOMEM.
 */
#include <stddef.h>
#include <stdint.h>
#include "src/base/error.h"

void *mem_alloc(size_t size);				/* zeroed */
void *mem_array(size_t nr, size_t size);		/* zeroed, overflow checked */
void *mem_resize(void *old, size_t nr, size_t size);	/* new part is not zeroed */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t len);		/* NUL-ended copy of exactly len bytes */
void *mem_try_alloc(uint64_t size, struct ft_error *err); /* zeroed, or NULL with FT_E_NOMEM */

void mem_trim(void);	/* what was freed goes back to the system, as far as it can: behind work that took much; some ms */

/* An arena: allocations that all end together. */
struct arena {
	struct arena_block	*blocks;	/* owned, newest first */
	size_t			used;		/* bytes of the newest block */
	size_t			total;		/* bytes of all blocks */
};

void arena_fini(struct arena *arena);			/* frees all; a zeroed arena is valid */
void *arena_alloc(struct arena *arena, size_t size);	/* zeroed, aligned to 16 */
char *arena_strndup(struct arena *arena, const char *s, size_t len);

/**
 * mem_grow() - room for one more element in an array
 * @array: address of the pointer;  @nr: elements in use;  @cap: address of the capacity
 *
 * Doubles the capacity when @nr has reached it.
 */
#define mem_grow(array, nr, cap)                                                                   \
	do {                                                                                       \
		if ((size_t)(nr) >= (size_t)*(cap)) {                                              \
			*(cap) = *(cap) ? *(cap) * 2 : 16;                                         \
			*(array) = mem_resize(*(array), (size_t)*(cap), sizeof(**(array)));        \
		}                                                                                  \
	} while (0)
#endif
