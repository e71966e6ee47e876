/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_ENDS_H
#define FTOP_SRC_LATENCY_LATENCY_ENDS_H
/*
 * latency_ends - the rules of latency_kinds.h for one file: which of its event types begin or end
 * something, and where the fields are that say what.
 */
#include "src/latency/latency_kinds.h"
#include "src/base/name_table.h"
#include "src/sched/sched_pairs.h"

/* Records of an end have the number of its rule, and which of both it is. */
#define LATENCY_END_NUMBER(rule, is_end) ((rule) * 2u + (is_end))

struct latency_ends {
	struct sched_pairs pairs;
	unsigned int	cap;
	atomic_bool	has_calls, has_stacks;	/* there were such records, in a pass so far */
	struct filter	**filters;	/* owned, [nr_filters] */
	unsigned int	nr_filters, cap_filters;
};

/**
 * latency_ends_new() - bind rules to a file
 * @only: the number of the one kind to bind; -1 = all
 *
 * Leaves out built-in rules whose events or fields the file lacks.  Main thread.
 *
 * Return: NULL with FT_E_USAGE for a user's pair that does not fit.
 */
struct latency_ends *latency_ends_new(struct trace *trace, unsigned int file,
				      const struct latency_kinds *kinds, int only,
				      struct name_table *names, struct ft_error *err);
void latency_ends_free(struct latency_ends *ends);	/* NULL is allowed */

/*
 * Add the hooks that trace-cmd record -H left in the file, as far as they fit it.
 */
void latency_ends_hooks(const struct trace *trace, unsigned int file, struct latency_kinds *kinds);
#endif
