/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_CHECK_BASELINE_H
#define FTOP_SRC_COMMANDS_CHECK_BASELINE_H
/* check_baseline - rules from other traces: no row of diff is worse than in all of them. */
#include "src/base/memory.h"
#include "src/base/shell_words.h"
#include "src/commands/check_report.h"

/*
 * Add a line for each row of the comparison of @old and the trace.  @old: [nr_old], runs of the
 * same; @words: options of diff; @several: lines name the trace.  -1 with the errors of diff.
 */
int check_baseline(const char *const *old, unsigned int nr_old, const struct trace *trace,
		   bool several, const struct shell_words *words, struct arena *arena,
		   struct check_report *report, struct ft_error *err);
#endif
