/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/list_source.h"

bool list_find_file(struct trace *trace, unsigned int *file, bool next,
		    bool (*has)(struct trace *trace, unsigned int file))
{
	unsigned int nr = trace_nr_files(trace);

	for (unsigned int i = next; i < nr + next; i++) {
		unsigned int at = (*file + i) % nr;

		if (has(trace, at)) {
			*file = at;
			return true;
		}
	}
	return false;
}

bool list_has_file(const struct list_source *source, struct trace *trace, unsigned int file)
{
	unsigned int at = file, variant = 0;

	return source->find(trace, &at, &variant, false) && at == file;
}

enum list_state list_take_sweep(struct event_sweep *sweep, bool wait, unsigned int *permille)
{
	if (wait)
		event_sweep_wait(sweep);
	if (event_sweep_is_done(sweep))
		return LIST_DONE;
	if (permille)
		*permille = event_sweep_permille(sweep);
	return LIST_LATER;
}
