/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_SCHED_KEEP_H
#define FTOP_SRC_COMMANDS_SCHED_KEEP_H
/*
 * sched_keep - which tasks and CPUs a filter of events keeps: those of each matching event (with
 * wait or wakelat, the task that comes or is woken).
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/match/filter_option.h"
#include "src/trace/trace.h"

struct sched_keep;			/* opaque */

/**
 * sched_keep_new() - apply -F to all events of a buffer
 * @given: the parsed -F
 *
 * Call sched_keep_tell() when everything is printed.
 *
 * Cost: one pass over the trace, and a few bytes for each task.  Return: NULL with
 * FT_E_USAGE.
 */
struct sched_keep *sched_keep_new(struct trace *trace, unsigned int file, unsigned int buffer,
				  const struct filter_given *given, struct ft_error *err);
void sched_keep_free(struct sched_keep *keep);	/* NULL is allowed */

/*
 * Report on stderr that nothing matches, and why, and any failure. @any: something else is known to
 * match.
 */
void sched_keep_tell(struct sched_keep *keep, bool any);

bool sched_keep_task(const struct sched_keep *keep, uint32_t pid);
/* Does a matching event belong to this stream? */
bool sched_keep_stream(const struct sched_keep *keep, unsigned int stream);
#endif
