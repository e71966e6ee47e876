/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perfetto/perfetto_names.h"

struct perfetto_name *perfetto_names_find(const struct perfetto_names *names, uint64_t iid)
{
	index_map_each (&names->map, index_map_hash(iid), i)
		if (names->names[i].iid == iid)
			return &names->names[i];
	return NULL;
}

struct perfetto_name *perfetto_names_add(struct perfetto_names *names, uint64_t iid)
{
	struct perfetto_name *name = perfetto_names_find(names, iid);

	if (name)
		return name;
	mem_grow(&names->names, names->nr, &names->cap);
	index_map_add(&names->map, index_map_hash(iid), names->nr);
	names->names[names->nr] = (struct perfetto_name){ .iid = iid };
	return &names->names[names->nr++];
}

void perfetto_names_clear(struct perfetto_names *names)
{
	index_map_clear(&names->map);
	names->nr = 0;
}

void perfetto_names_fini(struct perfetto_names *names)
{
	index_map_fini(&names->map);
	free(names->names);
}
