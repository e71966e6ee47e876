/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TASKS_CPUS_LISTS_H
#define FTOP_SRC_TASKS_CPUS_LISTS_H
/* cpus_lists - what each CPU did, or groups of CPUs; `tasks --queues` is the same. */
#include "src/model/list_source.h"

extern const struct list_source cpus_list_source;
#endif
