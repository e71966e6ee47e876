/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_names - times and tasks, as columns and texts of calls write them. */
#include <inttypes.h>
#include <string.h>

#include "ui/graph/view_graph.h"

void graph_add_us(struct text *out, uint64_t ns)
{
	text_printf(out, "%" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

void graph_task_name(const struct view *view, int32_t pid, int cpu, struct text *out)
{
	const char *comm;

	if (!pid) {
		text_printf(out, "<idle>, CPU %d", cpu);
		return;
	}
	comm = trace_comm(view->shared->trace, view->file, pid,
			  view->shared->at.here.set ? view->shared->at.here.ts :
						      view->shared->at.last);
	text_printable(out, comm, strlen(comm));
	text_printf(out, "-%d", pid);
}
