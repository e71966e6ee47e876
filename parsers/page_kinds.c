/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/page_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "src/memory.h"

void page_kinds_init(struct page_kinds *kinds, struct event_types *types, struct comm_table *comms, struct tgid_table *tgids)
{
	memset(kinds, 0, sizeof(*kinds));
	kinds->types = types;
	kinds->comms = comms;
	kinds->tgids = tgids;
	if (types)
		kinds->common = *event_types_common(types);
	else
		kinds->common = (struct common_layout){ .type_size = 2, .flags_offset = 2, .flags_size = 1,
							.preempt_offset = 3, .preempt_size = 1, .pid_offset = 4,
							.pid_size = 4 };
	kinds->standard = kinds->common.type_offset == 0 && kinds->common.type_size == 2 && kinds->common.pid_offset == 4 &&
			  kinds->common.pid_size == 4;
	pthread_mutex_init(&kinds->lock, NULL);
	kinds->ids = mem_array(PAGE_KINDS_MAX, sizeof(*kinds->ids));
	kinds->kinds = mem_array(PAGE_KINDS_MAX, sizeof(*kinds->kinds));
	kinds->events = mem_array(PAGE_KINDS_MAX, sizeof(*kinds->events));
}

void page_kinds_fini(struct page_kinds *kinds)
{
	free(kinds->ids);
	free(kinds->kinds);
	free(kinds->events);
	pthread_mutex_destroy(&kinds->lock);
}

uint64_t page_kinds_bit(const struct page_kinds *kinds, int type_id)
{
	uint32_t kind = (unsigned int)type_id < PAGE_KINDS_MAX ? atomic_load(&kinds->kinds[type_id]) : 0;

	return kind ? 1ull << (PAGE_KIND_DENSE(kind) & 63) : 0;
}

uint32_t page_kinds_add(struct page_kinds *kinds, uint32_t id)
{
	uint32_t kind;

	pthread_mutex_lock(&kinds->lock);
	kind = atomic_load(&kinds->kinds[id]);
	if (!kind) {
		uint32_t dense = atomic_load(&kinds->nr);

		if (kinds->comms && kinds->types)
			name_rules_find(&kinds->rules, kinds->types, &kinds->common);
		kind = PAGE_KIND_SEEN | dense;
		if (kinds->types && !event_types_find(kinds->types, id))
			kind |= PAGE_KIND_UNKNOWN;
		kind |= name_rules_of(&kinds->rules, (int)id) << PAGE_KIND_RULE_SHIFT;
		kinds->ids[dense] = id;
		atomic_store(&kinds->kinds[id], kind);
		atomic_store(&kinds->nr, dense + 1);
	}
	pthread_mutex_unlock(&kinds->lock);
	return kind;
}
