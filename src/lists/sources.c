/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/lists/sources.h"

#define ADDRESS(name, ...) &name##_list_source,
const struct list_source *const list_sources[LIST_NR_ALL] = { LIST_SOURCES(ADDRESS)
								LIST_SOURCES_WITH_VIEW(ADDRESS) };
