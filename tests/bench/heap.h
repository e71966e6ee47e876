/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_BENCH_HEAP_H
#define FTOP_TESTS_BENCH_HEAP_H
/*
 * heap - how many bytes of the heap are in use, and were at most: a program that has heap.c in it
 * has the C library's allocator counted, whoever calls it.
 */
#include <stdint.h>

void heap_begin(void);		/* count from here on */
int64_t heap_bytes(void);	/* in use now, more than at heap_begin() */
int64_t heap_peak(void);	/* the most since */
#endif
