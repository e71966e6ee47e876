/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_FUNCTIONS_H
#define FTOP_RECORDER_PLAN_FUNCTIONS_H
/*
 * plan_functions - what -l, -n, -g and --graph-notrace name, compared with the functions that this kernel can trace.
 *
 *   vfs_read  vfs_*  vfs_read:traceoff               go to the kernel as they are
 *   :mod:ext4  ext4_*:mod:ext4                       too: it traces a module that is not loaded yet from when it is; so
 *                                                    one that cannot be is a mistake, and one that can be is told
 *   '^vfs_(read|write)$'                             a regular expression (see pattern.h), of which the kernel knows nothing:
 *                                                    the functions that it matches go there instead
 *
 * A pattern that is a name, or a glob that some function matches, is no regular expression.
 */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

enum plan_functions_form {
	PLAN_FUNCTIONS_BY_LINE,		/* set_ftrace_filter takes lines of available_filter_functions, at no cost */
	PLAN_FUNCTIONS_BY_NAME,		/* set_graph_function does not */
};

/* @patterns: a regular expression among them becomes what it matches, parted by blanks; mistakes go to @plan. */
void plan_functions_check(struct record_plan *plan, const char *option, struct name_list *patterns, enum plan_functions_form form,
			  const struct tracefs_dir *root);
#endif
