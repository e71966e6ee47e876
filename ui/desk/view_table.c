/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/desk/view_table.h"

#include <stddef.h>

#include "ui/desk/desk.h"
#include "ui/lists/view_list.h"

#define VIEW(name, ...) [VIEW_LISTS + LIST_SOURCE_##name] = &view_list_ops[LIST_SOURCE_##name],

const struct view_ops *const view_table[NR_VIEWS] = {
	[VIEW_EVENTS] = &view_events_ops,
	[VIEW_GRAPH] = &view_graph_ops,
	[VIEW_TIMELINE] = &view_timeline_ops,
	[VIEW_LATENCY] = &view_latency_ops,
	[VIEW_FUNCTIONS] = &view_functions_ops,
	[VIEW_TASKS] = &view_tasks_ops,
	LIST_SOURCES(VIEW)
	[VIEW_KERNEL] = &view_kernel_ops,
	[VIEW_NOW] = &view_now_ops,
};
