/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERF_PERF_SOURCE_H
#define FTOP_PARSERS_PERF_PERF_SOURCE_H
/* perf_source - a perf.data as a source: what perf record wrote, to a file or to a pipe. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/error.h"

struct source;
struct source_start;			/* parsers/source/source_form.h */

/* Is it one, by its first bytes? */
bool perf_source_is_it(const uint8_t *head, size_t len);
bool perf_source_is_at(const char *path);

/*
 * Passes over all records once.  Records that are compressed are unpacked to a temporary file.
 * Damage is a warning.  Return: as source_open().
 */
struct source *perf_source_open(const struct source_start *start, struct ft_error *err);
#endif
