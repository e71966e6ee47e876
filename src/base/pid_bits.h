/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_PID_BITS_H
#define FTOP_SRC_BASE_PID_BITS_H
/* pid_bits - two bits of 64 for a task: sets of tasks in the page directory, as Bloom filters */
#include <stdint.h>

static inline uint64_t pid_bits(int32_t pid)
{
	uint32_t h = (uint32_t)pid * 0x9e3779b1u;

	return 1ull << (h >> 26) | 1ull << (h >> 20 & 63);
}
#endif
