/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_SOURCE_PERF_NAME_H
#define FTOP_PARSERS_SOURCE_PERF_NAME_H
/* perf_name - names of perf's own events, as print formats and filters can have them. */
#include <stddef.h>

#define PERF_NAME_BYTES	64u

/*
 * "cycles:u" becomes cycles_u, "cpu-clock:pppH" cpu_clock, since these letters only say how exact
 * the address is.  @len: bytes of @name
 */
void perf_name_clean(const char *name, size_t len, char out[PERF_NAME_BYTES]);
#endif
