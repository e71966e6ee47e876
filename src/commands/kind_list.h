/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_KIND_LIST_H
#define FTOP_SRC_COMMANDS_KIND_LIST_H
/* kind_list - the kinds of latency, where each comes from, and the events that it needs. */
#include "src/commands/table_rows.h"

extern const struct table_columns kind_list_columns;

/* Print them.  -1 with FT_E_USAGE: an option or operand selects events of a trace. */
int kind_list_print(const struct command_file *file, const struct filter_given *given,
		    struct row_picker *picker, struct ft_error *err);
#endif
