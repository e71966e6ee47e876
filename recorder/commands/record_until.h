/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_COMMANDS_RECORD_UNTIL_H
#define FTOP_RECORDER_COMMANDS_RECORD_UNTIL_H
/* record_until - the process that judges the conditions of `record --until`. */
#include <stdbool.h>
#include <sys/types.h>
#include "recorder/plan/record_plan.h"

struct judge_process {
	int	fd;		/* -1: there is none */
	pid_t	pid;
};

/*
 * Adds what is wrong with --until to the plan's mistakes.  With it, recording goes on for long: the
 * plan gets a ring, if it has no limit.
 */
void record_until_check(struct record_plan *plan);

/* Starts the process, if the plan has conditions.  Call it before there are threads. */
int record_until_start(const struct record_plan *plan, struct judge_process *judge,
		       struct ft_error *err);
/*
 * Waits for its end: as long as commands of --on-hit take, unless it @is_late or @briefly.
 * @written: the file has its name; --on-hit is then run.
 */
void record_until_end(struct judge_process *judge, bool written, bool is_late, bool briefly);
#endif
