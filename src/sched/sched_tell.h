/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_TELL_H
#define FTOP_SRC_SCHED_SCHED_TELL_H
/* sched_tell - warnings of commands about the scheduling records that they read. */
#include "src/match/filter_option.h"
#include "src/match/event_sweep.h"
#include "src/sched/sched_pass.h"

/* Switches that are missing, though no loss is marked, or since events were cut out. */
void sched_tell_missing(const struct trace *trace, uint64_t missing);
void sched_tell_left_out(const char *left_out);	/* sched_pass_left_out() */
void sched_tell_lost(const struct sched_pass *pass);	/* sched_pass_lost(), besides that */
/* Times in which nothing could be recorded: what sched_pass_absent() adds; or NULL. */
void sched_tell_absence(const char *absent);
/* That nothing tells for which CPUs woken tasks waited. */
void sched_tell_queues(const struct sched_pass *pass);
/* That groups were throttled, and nothing tells when. */
void sched_tell_limits(const struct sched_pass *pass, unsigned int file);
/* That CPUs idled while tasks waited for them, and nothing explains it. */
void sched_tell_unexplained(const struct sched_pass *pass, unsigned int file);
/* Sets FT_E_LIMIT, with the file: it has more tasks than a kernel.  Returns -1. */
int sched_tell_full(struct trace *trace, unsigned int file, struct ft_error *err);
/*
 * About a pass that has ended: the first two, and what was not recorded, so that figures are not
 * known.  @any: there were rows; else, that --task or --cpu select nothing.
 */
void sched_tell(const struct sched_pass *pass, const struct filter_given *given, bool any);
/* For no rows: that the filters keep no event of the buffer that tells of states. */
void sched_tell_nothing_kept(const struct sched_pass *pass, const struct event_sweep_options *what);
#endif
