/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_COMMANDS_COMMAND_ENV_H
#define FTOP_RECORDER_COMMANDS_COMMAND_ENV_H
/* command_env - what record and extract share: where tracefs is, and lines for the user. */
#include "recorder/run/status_stream.h"
#include "src/base/error.h"
#include "src/base/text.h"

/* Append the folder of a tracefs that this process may use.  @command: for the error. */
int command_env_tracefs(const char *command, struct text *path, struct ft_error *err);

/* Print lines for the user, and as notes to a status stream, which may be NULL. */
void command_env_tell(struct status_stream *status, const struct text *lines);
#endif
