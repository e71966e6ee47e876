/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/command_open.h"

#include <stdlib.h>

#include "src/base/workers.h"
#include "src/commands/derived_names.h"

struct trace *command_open(const struct option_list *list, bool no_index, struct ft_error *err)
{
	struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1,
					 .no_index = no_index,
					 .filter_names = derived_names };
	const char *path = command_file(list);
	struct trace_offset *offsets;
	struct trace *trace;

	if (offset_option_find(list, &path, 1, &offsets, err))
		return NULL;
	options.offsets = offsets;
	trace = trace_open(&path, 1, true, &options, err);
	free(offsets);
	return trace;
}
