/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_FUNCTIONS_H
#define FTOP_RECORDER_PLAN_PLAN_FUNCTIONS_H
/*
 * plan_functions - compares the functions given by -l, -n, -g and --graph-notrace with those that
 * this kernel can trace.
 *
 *   vfs_read  vfs_*  vfs_read:traceoff   passed to the kernel unchanged
 *   :mod:ext4  ext4_*:mod:ext4           passed on, too.  The kernel traces a module that is not
 *                                        loaded as soon as it is: a module that cannot be loaded is
 *                                        a mistake, one that can be gets a note
 *   '^vfs_(read|write)$'                 a regular expression (see pattern.h), which the kernel
 *                                        does not support: replaced by the functions it matches
 *
 * A pattern that is a function's name, or a glob that matches a function, is not treated as a
 * regular expression.
 */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

enum plan_functions_form {
	PLAN_FUNCTIONS_BY_LINE,		/* set_ftrace_filter takes line numbers of
					 * available_filter_functions, which is fast */
	PLAN_FUNCTIONS_BY_NAME,		/* set_graph_function takes names only */
};

/*
 * @patterns: a regular expression is replaced by its matches, separated by blanks.  Adds mistakes
 *        to @plan.
 */
void plan_functions_check(struct record_plan *plan, const char *option, struct name_list *patterns,
			  enum plan_functions_form form, const struct tracefs_dir *root);
#endif
