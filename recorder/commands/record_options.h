/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_COMMANDS_RECORD_OPTIONS_H
#define FTOP_RECORDER_COMMANDS_RECORD_OPTIONS_H
/*
 * record_options - the options of record and live, which have trace-cmd's letters and order: their
 * table, and what they ask for.
 */
#include <stdbool.h>

#include "recorder/plan/record_plan.h"
#include "src/base/options.h"
#include "src/base/shell_words.h"

/* Options to plan; the plan collects the mistakes.  Its strings are those of the list. */
void record_options_read(const struct option_list *list, struct record_plan *plan);

/*
 * Add the options and the command, as the record screen takes them: without those about output and
 * reporting.  @output: with -o.
 */
void record_options_words(const struct option_list *list, bool output, struct shell_words *words);
#endif
