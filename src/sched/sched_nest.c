/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_nest.h"

bool sched_nest_take(struct sched_nest *nest, const struct sched_rec *rec, uint32_t source)
{
	enum sched_context context = (enum sched_context)rec->detail;
	unsigned int nr = nest->nr;

	if (rec->op == SCHED_ENTER) {
		/* a timer that begins again has ended: the record of that is missing */
		for (unsigned int i = nr; context == SCHED_CONTEXT_TIMER && i > 0; i--) {
			if (nest->open[i - 1].context != context)
				break;
			if (nest->open[i - 1].source == source)
				nest->nr = nr = i - 1;
		}
		if (nr < SCHED_NEST_MAX) {
			nest->open[nr].context = context;
			nest->open[nr].source = source;
			nest->nr++;
		}
		return true;
	}
	/* drop the ones above the one that ends: their exits are missing */
	while (nr && nest->open[nr - 1].context != context)
		nr--;
	if (!nr)
		return false;
	nest->nr = nr - 1;
	return true;
}
