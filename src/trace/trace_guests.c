/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/trace_guests.h"

#include <stdlib.h>

#include "src/base/workers.h"
#include "src/trace/offset_option.h"

const struct source_guest *trace_guest_of(const struct source *host, const struct source *guest)
{
	const struct source_info *info = source_info(guest);
	const struct source_guest *found;

	if (host == guest || !info->has_trace_id || !source_time_shift(guest, 0, NULL, NULL))
		return NULL;
	for (unsigned int i = 0; (found = source_guest(host, i)); i++)
		if (found->trace_id == info->trace_id)
			return found;
	return NULL;
}

struct trace_host trace_host_of(struct trace *trace, unsigned int guest, struct trace *other)
{
	const struct source *file = trace_file_of(trace, guest);
	struct trace_host host = { .trace = other ? other : trace };
	unsigned int nr = source_growth(file) != SOURCE_WHOLE ? 0 : trace_nr_files(host.trace);

	for (unsigned int i = 0; i < nr && !host.guest; i++) {
		host.file = i;
		host.guest = trace_guest_of(trace_file_of(host.trace, i), file);
	}
	return host;
}

struct trace *trace_guests_open(const struct option_list *list, const struct source *file,
				enum trace_kin kin, unsigned int *at)
{
	struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1,
					 .no_index = true };
	struct trace_offset *offsets = NULL;
	struct trace *found = NULL;
	bool has_any = kin == TRACE_HOST ? source_time_shift(file, 0, NULL, NULL) != NULL :
					   source_guest(file, 0) != NULL;

	if (!has_any || !list || list->nr_operands < 2 ||
	    offset_option_find(list, list->operands, list->nr_operands, &offsets, NULL))
		return NULL;
	while (!found && *at < list->nr_operands) {
		const struct source *other;

		options.offsets = offsets ? &offsets[*at] : NULL;
		found = trace_open(&list->operands[(*at)++], 1, true, &options, NULL);
		other = found ? trace_file_of(found, 0) : NULL;
		if (other && !(kin == TRACE_HOST ? trace_guest_of(other, file) :
						   trace_guest_of(file, other))) {
			trace_close(found);
			found = NULL;
		}
	}
	free(offsets);
	return found;
}
