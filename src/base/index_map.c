/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/index_map.h"

#include <sys/random.h>

/* What is here stays if the system has no random bytes yet. */
uint64_t index_map_seed[2] = { 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u };

static void __attribute__((constructor)) choose_seed(void)
{
	ssize_t got = getrandom(index_map_seed, sizeof(index_map_seed), GRND_NONBLOCK);

	(void)got;
}
