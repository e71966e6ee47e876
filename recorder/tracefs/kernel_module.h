/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_KERNEL_MODULE_H
#define FTOP_RECORDER_TRACEFS_KERNEL_MODULE_H
/*
 * kernel_module - the modules of the running kernel, loaded or installed: /proc/modules,
 * modules.dep and modules.builtin of /lib/modules/RELEASE.
 *
 * Names are the kernel's, with '_' where a file name may have '-'.
 */
#include "recorder/tracefs/name_list.h"
#include "recorder/tracefs/tracefs_dir.h"

enum kernel_module_state {
	KERNEL_MODULE_UNKNOWN,		/* not in any of these files */
	KERNEL_MODULE_INSTALLED,	/* it could be loaded */
	KERNEL_MODULE_BUILT_IN,		/* part of the kernel: its functions are not listed under
					 * a module */
	KERNEL_MODULE_LOADED,
};

/**
 * kernel_module_find() - find out whether a module exists
 * @root:    prefix of every path: "" except in tests
 * @release: of the running kernel, as uname -r
 * @known:   the names of loaded or installed modules are added to it
 */
enum kernel_module_state kernel_module_find(const char *root, const char *release, const char *name,
					    struct name_list *known);

/* Can this kernel enable events by their module (":mod:NAME" in set_event, Linux 6.14)? */
bool kernel_module_selects_events(const struct tracefs_dir *root);
#endif
