/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_JUDGE_H
#define FTOP_SRC_COMMANDS_JUDGE_H
/*
 * judge - the process that judges `record --until`: confined, with the user's rights, it reads the
 * file while it grows, and tells the recorder when to stop.  recorder/run/judge_link.h has their
 * words.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"

#define JUDGE_WRITTEN	"written"	/* the recorder's last word: the file has its name */

struct broker;

struct judge_options {			/* all borrowed */
	const char *const *conditions;	/* [nr_conditions] of --until: any of them */
	unsigned int	 nr_conditions;
	unsigned int	 hits;		/* how many stop the recording */
	uint64_t	 linger_ns;	/* 0: the default */
	uint64_t	 keep_ns;	/* of the ring; 0: it is not limited by time */
	bool		 split;
	const char	*on_hit;	/* a command of the shell; NULL: none */
	const char	*output;	/* the file; while it is recorded, .part is appended */
};

/* Is the text of the conditions right?  What they mean is known when there is a trace. */
int judge_check(const struct judge_options *options, struct ft_error *err);

/*
 * Judge until the recorder has ended.  The process is confined to reading.  @broker: writes files
 * of --split, and runs --on-hit; @fd: closed at the end
 */
void judge_run(const struct judge_options *options, struct broker *broker, int fd);
#endif
