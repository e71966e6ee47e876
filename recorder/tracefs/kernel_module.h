/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_KERNEL_MODULE_H
#define FTOP_RECORDER_KERNEL_MODULE_H
/*
 * kernel_module - which modules the running kernel has, and which are installed
 * for it: /proc/modules, modules.dep and modules.builtin of /lib/modules/RELEASE.
 *
 * Names are those of the kernel, with '_' where the name of a file may have '-'.
 */
#include "recorder/tracefs/name_list.h"

enum kernel_module_state {
	KERNEL_MODULE_UNKNOWN,		/* no file tells of it */
	KERNEL_MODULE_INSTALLED,	/* it could be loaded */
	KERNEL_MODULE_BUILT_IN,		/* part of the kernel: no function is said to be of it */
	KERNEL_MODULE_LOADED,
};

/**
 * kernel_module_find() - what is known of a module
 * @root:    put before every path: "" but for tests
 * @release: of the running kernel, as uname -r
 * @known:   receives, beside what is in it, the names of modules that are loaded or installed
 */
enum kernel_module_state kernel_module_find(const char *root, const char *release, const char *name, struct name_list *known);
#endif
