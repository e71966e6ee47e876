/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_LIMITS_SCHED_LIMITS_H
#define FTOP_SRC_SCHED_LIMITS_SCHED_LIMITS_H
/*
 * sched_limits - when tasks that could run were not allowed to: their group had used up what its
 * limit (cpu.max, cpu.cfs_quota_us) gives it in a period.
 *
 * Probes of the kernel tell that, if record could have them (recorder/plan/plan_limits.h): a task
 * that waits for a CPU on which its group is throttled is throttled, too; since Linux 6.18 only if
 * it has left the CPU for that.  An end that was not recorded is at the task's next run.  A release
 * without a beginning, before any task of the group ran there, ends what began before the
 * recording; what is not released lasts to the end of the recording.
 *
 * Otherwise no event tells it.  But the timer of a group expires after each period, and lets its
 * tasks run again; and cpu.stat counts the periods in which they had to wait for that.  So a pass
 * of its own over the records finds, for each CPU, the gaps between runs of a group's tasks in
 * which one waited while the timer expired; and of each look at cpu.stat only as many periods count
 * as the kernel has counted, those first in which most was waited.
 *
 *      sched_switch   web-7 -> X                          X -> web-8
 *      CPU 1          ...web-7|-------------.------------|web-8...
 *      web-8          waits   |  throttled  | behind X   |
 *      timer                                ^ expires
 *
 * What it finds so is inferred: the kernel may have had another reason to run somebody else.
 *
 * The rules find other limits, those of enum sched_limit: switches show them.
 */
#include <stdatomic.h>
#include "src/sched/sched_pass.h"

struct sched_limits;			/* opaque */

/*
 * NULL: nothing was throttled, or it cannot be told when, since the trace lacks limits, timers or
 * switches.  @options: the pass that wants to know it; the same buffer and helpers.
 */
struct sched_limits *sched_limits_new(struct trace *trace,
				      const struct sched_pass_options *options);
/* Has the file a group that used up its limit? */
bool sched_limits_are_told(struct trace *trace, unsigned int file);
void sched_limits_free(struct sched_limits *limits);	/* NULL is allowed */

/* As sched_pass_step(); edges are there when it is done, or parked. */
enum sched_pass_state sched_limits_step(struct sched_limits *limits, uint64_t records);

/* Does what holds for a group hold for one with this path: is it that, or in it? */
bool sched_limits_hold(const char *group, const char *path);

/*
 * Of a trace that grows (options.parks), they go on with what was appended, as far as that is
 * settled.  A stretch is told once it has ended, and the counters once the recorder has: so only
 * edges up to some time before are decided, where the pass that takes them parks.  What is told
 * behind it may change, also for one that does not park.  With counters not told yet, a group was
 * throttled as often as before.
 * @from: edges before are not needed any more.
 */
void sched_limits_go_on(struct sched_limits *limits, int64_t from);
int64_t sched_limits_decided(const struct sched_limits *limits);
/* A ring has dropped records: see sched_feed_outlive(). */
bool sched_limits_outlive(struct sched_limits *limits);
/* False: others have limits by now, or it was wrong; a new one is not.  @limits: NULL: none had. */
bool sched_limits_serve(const struct sched_limits *limits, struct trace *trace, unsigned int file);
/* From where they are parked, to the end: see sched_pass_fork(). */
struct sched_limits *sched_limits_fork(const struct sched_limits *parked,
				       const struct sched_pass_options *options);

/* In the order of time.  Of one moment, ends come first. */
const struct sched_limit_edge *sched_limits_edges(const struct sched_limits *limits, uint32_t *nr);

/* Is it known when this group, by its interned path, was throttled? */
bool sched_limits_places(const struct sched_limits *limits, const char *path);
/* Do probes tell it, so that nothing is inferred? */
bool sched_limits_are_exact(const struct sched_limits *limits);
/* With those of enum sched_limit.  @limits: may be NULL. */
uint32_t sched_limits_nr(const struct sched_limits *limits);
/* Append "throttled by /kubepods/web (10 ms of 100 ms)".  @limits: may be NULL, of no group. */
void sched_limits_text(const struct sched_limits *limits, uint32_t limit, struct text *out);
/* Which limit of enum sched_limit a timer with this function renews; SCHED_NO_LIMIT: none. */
uint32_t sched_limits_of_timer(struct trace *trace, unsigned int file, uint64_t function);
#endif
