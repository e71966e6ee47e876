/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_RANGES_H
#define FTOP_SRC_LATENCY_LATENCY_RANGES_H
/*
 * latency_ranges - open starts of rules with `queue`, for latency_open.
 *
 * They are ranges of keys, and may overlap: an end ends each of its keys for the start that has
 * it; if several have it, for the oldest.  Those with the same range are shared; others that
 * overlap are doubtful, and so are shared ones that end in parts.  A start whose end was not
 * recorded would take the ends of all that follow with its keys.  So it is dropped, and counted as
 * replaced, if it is LOST_NS old when another one begins with its keys, if it is the oldest of
 * MOST_SHARED with these keys, or when more than MOST_PIECES are open.
 *
 * What begins again although nothing is open there began before the trace, or was lost: it waits,
 * without an instance, for the start that is to come.
 */
#include "src/latency/latency_open.h"

struct latency_start *latency_ranges_start(struct latency_open *open, const struct latency_at *at);
void latency_ranges_end(struct latency_open *open, const struct latency_at *at,
			void (*ended)(void *arg, const struct latency_start *start), void *arg);
void latency_ranges_drop(struct latency_open *open, const struct latency_at *at);
void latency_ranges_again(struct latency_open *open, const struct latency_at *at);
#endif
