/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PERFETTO_SOURCE_H
#define FTOP_PARSERS_PERFETTO_PERFETTO_SOURCE_H
/* perfetto_source - a trace of Perfetto as a source. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/error.h"

struct source;
struct source_start;			/* parsers/source/source_form.h */

/* Is it one, by its first bytes? */
bool perfetto_source_is_it(const uint8_t *head, size_t len);

/*
 * Passes over all packets once; their events go to a temporary file.  Damage is a warning.
 * Return: as source_open().
 */
struct source *perfetto_source_open(const struct source_start *start, struct ft_error *err);
#endif
