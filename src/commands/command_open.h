/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_COMMAND_OPEN_H
#define FTOP_SRC_COMMANDS_COMMAND_OPEN_H
/* command_open - the trace of a command that reads one file. */
#include "src/commands/commands.h"
#include "src/trace/offset_option.h"
#include "src/trace/trace.h"

/*
 * The file of command_file(), shifted by --offset.
 * @no_index: see trace_options.no_index
 *
 * Return: for trace_close(); NULL with its error, or FT_E_USAGE.
 */
struct trace *command_open(const struct option_list *list, bool no_index, struct ft_error *err);
#endif
