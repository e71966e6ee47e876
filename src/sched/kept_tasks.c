/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/kept_tasks.h"

#include <stdlib.h>

void kept_tasks_begin(struct kept_tasks *k, struct trace *trace, unsigned int file,
		      unsigned int buffer, const struct filter *const *filters,
		      unsigned int nr_filters)
{
	const struct event_counts_options options = {
		.one_buffer = true, .file = file, .buffer = buffer,
		.filters = filters, .nr_filters = nr_filters,
	};

	*k = (struct kept_tasks){ .file = file, .buffer = buffer,
				  .counts = event_counts_new(trace, &options) };
}

bool kept_tasks_take(struct kept_tasks *k, bool wait)
{
	unsigned int before = k->permille, later;

	if (!k->counts || before == 1000)
		return false;
	if (wait)
		event_counts_wait(k->counts);
	/*
	 * Counting goes on: the progress describes the first list, which may be behind the second.
	 */
	event_counts_of_file(k->counts, EVENT_COUNTS_TASK, k->file, &k->by[EVENT_COUNTS_TASK],
			     &k->nr_by[EVENT_COUNTS_TASK], &k->permille);
	event_counts_of_file(k->counts, EVENT_COUNTS_CPU, k->file, &k->by[EVENT_COUNTS_CPU],
			     &k->nr_by[EVENT_COUNTS_CPU], &later);
	return k->permille != before;
}

void kept_tasks_fini(struct kept_tasks *k)
{
	event_counts_free(k->counts);
	for (unsigned int by = 0; by < EVENT_COUNTS_NR; by++)
		free(k->by[by]);
	*k = (struct kept_tasks){ 0 };
}

bool kept_tasks_any(const struct kept_tasks *k)
{
	return k->nr_by[EVENT_COUNTS_TASK] || k->nr_by[EVENT_COUNTS_CPU];
}

bool kept_tasks_has(const struct kept_tasks *k, enum event_counts_by by, int key)
{
	const struct event_count wanted = { .key = key };

	return k->nr_by[by] &&
	       bsearch(&wanted, k->by[by], k->nr_by[by], sizeof(wanted), event_count_by_key);
}
