/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/matching.h"

void matching_fini(struct matching *m)
{
	kept_tasks_fini(&m->kept);
	call_scope_drop(&m->scope);
	*m = (struct matching){ 0 };
}

/* True: the filters changed. */
static bool begin(struct matching *m, const struct shared *shared, unsigned int file,
		  unsigned int buffer)
{
	if (m->begun && m->file == file && m->buffer == buffer &&
	    !call_scope_changed(&m->scope, shared, false))
		return false;
	kept_tasks_fini(&m->kept);
	call_scope_take(&m->scope, shared, false);
	m->file = file;
	m->buffer = buffer;
	m->begun = true;
	return true;
}

bool matching_update(struct matching *m, const struct shared *shared, unsigned int file,
		     unsigned int buffer)
{
	bool changed = begin(m, shared, file, buffer);

	if (!matching_is_active(m))
		return changed;
	if (!m->kept.counts && call_scope_is_ready(&m->scope, shared->trace))
		kept_tasks_begin(&m->kept, shared->trace, file, buffer, m->scope.of.filters,
				 m->scope.of.nr_filters);
	return kept_tasks_take(&m->kept, false) || changed;
}
