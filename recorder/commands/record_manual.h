/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_COMMANDS_RECORD_MANUAL_H
#define FTOP_RECORDER_COMMANDS_RECORD_MANUAL_H
/* record_manual - the text of ftop-trace-record(1), but for the options. */
#include "src/base/options.h"

extern const char record_about[], record_examples[];
extern const struct option_heading record_headings[];
extern const struct command_section record_sections[];
#endif
