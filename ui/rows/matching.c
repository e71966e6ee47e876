/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/matching.h"

#include <stdlib.h>

int event_count_by_key(const void *a, const void *b)
{
	const struct event_count *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

void matching_take(struct event_counts *counts, enum event_counts_by by, unsigned int file,
		   struct event_count **list, unsigned int *nr, unsigned int *permille)
{
	unsigned int all;

	free(*list);
	all = event_counts_get(counts, by, list, permille);
	*nr = 0;
	for (unsigned int i = 0; i < all; i++)
		if ((*list)[i].file == file)
			(*list)[(*nr)++] = (*list)[i];
	if (*nr)
		qsort(*list, *nr, sizeof(**list), event_count_by_key);
}

static void drop(struct matching *m)
{
	event_counts_free(m->counts);
	m->counts = NULL;
	m->permille = 0;
	for (unsigned int by = 0; by < EVENT_COUNTS_NR; by++) {
		free(m->by[by]);
		m->by[by] = NULL;
		m->nr_by[by] = 0;
	}
}

void matching_fini(struct matching *m)
{
	drop(m);
	call_scope_drop(&m->scope);
	*m = (struct matching){ 0 };
}

/* True: the filters changed. */
static bool begin(struct matching *m, const struct shared *shared, unsigned int file)
{
	if (m->begun && m->file == file && !call_scope_changed(&m->scope, shared, false))
		return false;
	drop(m);
	call_scope_take(&m->scope, shared, false);
	m->file = file;
	m->begun = true;
	return true;
}

bool matching_update(struct matching *m, const struct shared *shared, unsigned int file)
{
	bool changed = begin(m, shared, file);
	unsigned int before = m->permille, later;

	if (!matching_is_active(m))
		return changed;
	if (!m->counts && call_scope_is_ready(&m->scope, shared->trace))
		m->counts = event_counts_new(shared->trace,
					     &(struct event_counts_options){
						     .filters = m->scope.of.filters,
						     .nr_filters = m->scope.of.nr_filters });
	if (!m->counts || before == 1000)
		return changed;
	/*
	 * Counting goes on: the progress describes the first list, which may be behind the second.
	 */
	matching_take(m->counts, EVENT_COUNTS_TASK, file, &m->by[EVENT_COUNTS_TASK],
		      &m->nr_by[EVENT_COUNTS_TASK], &m->permille);
	matching_take(m->counts, EVENT_COUNTS_CPU, file, &m->by[EVENT_COUNTS_CPU],
		      &m->nr_by[EVENT_COUNTS_CPU], &later);
	return changed || m->permille != before;
}

bool matching_any(const struct matching *m)
{
	return !matching_is_active(m) || m->nr_by[EVENT_COUNTS_TASK] || m->nr_by[EVENT_COUNTS_CPU];
}

bool matching_has(const struct matching *m, enum event_counts_by by, int key)
{
	const struct event_count wanted = { .key = key };

	if (!matching_is_active(m))
		return true;
	return m->nr_by[by] &&
	       bsearch(&wanted, m->by[by], m->nr_by[by], sizeof(wanted), event_count_by_key);
}
