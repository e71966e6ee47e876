/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/view.h"

#include <stddef.h>

extern const struct view_ops view_events_ops;
extern const struct view_ops view_functions_ops;
extern const struct view_ops view_graph_ops;
extern const struct view_ops view_kernel_ops;
extern const struct view_ops view_tasks_ops;
extern const struct view_ops view_timeline_ops;

/* Views that exist: each is known by its line here alone. */
static const struct view_ops *const views[NR_VIEWS] = {
	[VIEW_EVENTS] = &view_events_ops,
	[VIEW_GRAPH] = &view_graph_ops,
	[VIEW_TIMELINE] = &view_timeline_ops,
	[VIEW_FUNCTIONS] = &view_functions_ops,
	[VIEW_TASKS] = &view_tasks_ops,
	[VIEW_KERNEL] = &view_kernel_ops,
};

const struct view_ops *view_ops(enum view_id id)
{
	return id < NR_VIEWS ? views[id] : NULL;
}
