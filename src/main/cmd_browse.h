/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MAIN_CMD_BROWSE_H
#define FTOP_SRC_MAIN_CMD_BROWSE_H
/* cmd_browse - what shows the browser: the command without a word, and `demo`. */
#include "src/base/error.h"
#include "src/base/options.h"

extern const struct command_def cmd_browse_def, cmd_demo_def;

int cmd_browse(const struct option_list *list, struct ft_error *err);
int cmd_demo(const struct option_list *list, struct ft_error *err);

/* `live` on the screen: the browser begins with a recording of these options. */
int cmd_browse_live(const struct option_list *list, struct ft_error *err);
#endif
