/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_nest.h"

bool sched_nest_take(struct sched_nest *nest, const struct sched_rec *rec)
{
	enum sched_context context = (enum sched_context)rec->detail;
	uint32_t number = rec->pid < 0xfff ? rec->pid : 0xfff;
	unsigned int nr = nest->nr;

	if (rec->op == SCHED_ENTER) {
		if (nr < SCHED_NEST_MAX) {
			nest->open[nr].context = context;
			nest->open[nr].arg = rec->pid2 << 12 | number;
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
