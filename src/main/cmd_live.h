/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MAIN_CMD_LIVE_H
#define FTOP_SRC_MAIN_CMD_LIVE_H
/* cmd_live - `live`, on the screen or as text, and the process that judges `record --until`. */
#include "src/base/error.h"
#include "src/base/options.h"
#include "src/commands/judge.h"

int cmd_live(const struct option_list *list, struct ft_error *err);

/* For cmd_record_set_judge(): a process of its own, which reads the trace that is recorded. */
void cmd_live_judge(const struct judge_options *options, int fd);
#endif
