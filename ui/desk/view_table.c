/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/desk/view_table.h"

#include <stddef.h>

#include "ui/desk/desk.h"
#include "ui/lists/view_list.h"

const struct view_ops *const view_table[NR_VIEWS] = {
	[VIEW_EVENTS] = &view_events_ops,
	[VIEW_GRAPH] = &view_graph_ops,
	[VIEW_TIMELINE] = &view_timeline_ops,
	[VIEW_LATENCY] = &view_latency_ops,
	[VIEW_FUNCTIONS] = &view_functions_ops,
	[VIEW_TASKS] = &view_tasks_ops,
	[VIEW_NOISE] = &view_list_ops[LIST_SOURCE_noise],
	[VIEW_COUNTS] = &view_list_ops[LIST_SOURCE_count],
	[VIEW_STACKS] = &view_list_ops[LIST_SOURCE_stacks],
	[VIEW_KERNEL] = &view_kernel_ops,
};
