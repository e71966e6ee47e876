/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_SLOW_H
#define FTOP_UI_ROWS_SLOW_H
/*
 * slow - what "slow" compares, in all views: net times of calls where the trace tells time off the
 * CPU, else whole durations.  T changes it.
 */
#include "ui/rows/shared.h"

/* Are calls of a file compared by net time? */
bool slow_by_net(struct shared *shared, unsigned int file);

/* "slow: net", "slow: ≥ 1 ms wall": for headings, of the file last asked about */
void slow_text(const struct shared *shared, struct text *out);
#endif
