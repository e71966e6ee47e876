/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PERFETTO_TASKS_H
#define FTOP_PARSERS_PERFETTO_PERFETTO_TASKS_H
/* perfetto_tasks - names and processes of tasks, which Perfetto read from /proc. */
#include "parsers/perfetto/proto_reader.h"
#include "src/base/memory.h"
#include "src/base/number_set.h"
#include "src/base/text.h"

struct perfetto_tasks {			/* zeroed: empty */
	struct number_set pids;
	struct perfetto_task *tasks;	/* owned, by index of pids */
	uint32_t	 nr_tasks;
	struct arena	 arena;		/* names */
	struct text	 who;		/* lines as a trace.dat keeps them, see who_table.h */
	uint32_t	 nr_strings;	/* of these lines */
};

void perfetto_tasks_fini(struct perfetto_tasks *tasks);

/* @tgid: 0: unknown; @name: NULL: unknown.  What is told later counts. */
void perfetto_tasks_tell(struct perfetto_tasks *tasks, int64_t pid, int64_t tgid, const void *name,
			 size_t len);
/*
 * Take a ProcessTree or a ProcessStats.  False: it is damaged.  @ts: when it was told, in the
 * trace's clock; 0: not known.
 */
bool perfetto_tasks_tree(struct perfetto_tasks *tasks, uint64_t ts, struct proto_reader tree);
bool perfetto_tasks_stats(struct perfetto_tasks *tasks, struct proto_reader stats);

/* Append lines of PID NAME, of PID TGID. */
void perfetto_tasks_comms(const struct perfetto_tasks *tasks, struct text *out);
void perfetto_tasks_tgids(const struct perfetto_tasks *tasks, struct text *out);
#endif
