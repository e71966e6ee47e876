/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_MEMORY_H
#define FTOP_SRC_BASE_MEMORY_H
/*
 * memory - checked allocation, an arena, a growable array.
 *
 * mem_alloc() and the like end the program if memory runs out: use them for small, fixed-size
 * requests.  For sizes that come from input use mem_try_alloc(), which fails with FT_E_NOMEM.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "src/base/error.h"

void *mem_alloc(size_t size);				/* zeroed */
void *mem_array(size_t nr, size_t size);		/* zeroed, overflow checked */
void *mem_copy(const void *from, size_t nr, size_t size);	/* an array; NULL if @nr is 0 */
void *mem_resize(void *old, size_t nr, size_t size);	/* the new part is not zeroed */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t len);		/* NUL-ended copy of exactly len bytes */
void *mem_try_alloc(uint64_t size, struct ft_error *err); /* zeroed, or NULL with FT_E_NOMEM */

uint64_t mem_installed(void);	/* bytes of memory that the machine has; 4 GiB if unknown */
/*
 * returns freed memory to the system, if possible; takes some ms: call it after work that used much
 */
void mem_trim(void);

/* An arena: allocations that are freed together. */
struct arena {
	struct arena_block	*blocks;	/* owned, newest first */
	size_t			used;		/* bytes of the newest block */
	size_t			total;		/* bytes of all blocks */
};

/* frees everything; a zeroed arena is valid */
void arena_fini(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size);	/* zeroed, aligned to 16 */
char *arena_strndup(struct arena *arena, const char *s, size_t len);
char *arena_printf(struct arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *arena_copy(struct arena *arena, const void *from, size_t size);

/**
 * mem_grow() - make room for one more element in an array
 * @array: address of the pointer;  @nr: elements in use;  @cap: address of the capacity
 *
 * Doubles the capacity if @nr has reached it.
 */
#define mem_grow(array, nr, cap) mem_grow_from(array, nr, cap, 16)

/*
 * As mem_grow(), but the array begins with @first elements: few where there are many such arrays.
 */
#define mem_grow_from(array, nr, cap, first)                                                       \
	do {                                                                                       \
		if ((size_t)(nr) >= (size_t)*(cap)) {                                              \
			*(cap) = *(cap) ? *(cap) * 2 : (first);                                    \
			*(array) = mem_resize(*(array), (size_t)*(cap), sizeof(**(array)));        \
		}                                                                                  \
	} while (0)

/**
 * mem_reach() - make an array so long that it has an element
 * @array: address of the pointer;  @nr: address of its number of elements;  @index: of the element
 *
 * At least doubles the array if it is too short; new elements are zeroed.
 */
#define mem_reach(array, nr, index)                                                                \
	do {                                                                                       \
		size_t had_ = *(nr), need_ = had_ ? had_ : 16;                                     \
                                                                                                   \
		while (need_ <= (index))                                                           \
			need_ *= 2;                                                                \
		if (need_ > had_) {                                                                \
			*(array) = mem_resize(*(array), need_, sizeof(**(array)));                 \
			memset(*(array) + had_, 0, (need_ - had_) * sizeof(**(array)));            \
			*(nr) = (typeof(*(nr)))need_;                                              \
		}                                                                                  \
	} while (0)
#endif
