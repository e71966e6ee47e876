/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/pages/page_names.h"

/* --- which types, and where ----------------------------------------------------- */

/*
 * Which records contain names of tasks: event, then pairs of fields.  No pid field: the record's
 * own task.
 */
static const struct {
	const char *system, *name;
	struct {
		const char *pid, *comm;
	} pairs[NAME_PAIRS_MAX];
} sources[NAME_RULES_MAX] = {
	{ "sched", "sched_switch", { { "prev_pid", "prev_comm" }, { "next_pid", "next_comm" } } },
	{ "sched", "sched_waking", { { "pid", "comm" } } },
	{ "sched", "sched_wakeup", { { "pid", "comm" } } },
	{ "sched", "sched_wakeup_new", { { "pid", "comm" } } },
	{ "sched", "sched_migrate_task", { { "pid", "comm" } } },
	{ "sched", "sched_stat_runtime", { { "pid", "comm" } } },	/* the current task: the
									 * first event to show a
									 * new name */
	{ "sched", "sched_stat_wait", { { "pid", "comm" } } },
	{ "sched", "sched_stat_sleep", { { "pid", "comm" } } },
	{ "sched", "sched_stat_iowait", { { "pid", "comm" } } },
	{ "sched", "sched_stat_blocked", { { "pid", "comm" } } },
	{ "sched", "sched_process_exit", { { "pid", "comm" } } },
	{ "sched", "sched_process_free", { { "pid", "comm" } } },
	{ "sched", "sched_process_wait", { { NULL, "comm" } } },	/* its pid field is the
									 * task waited for */
	{ "sched", "sched_process_fork", { { "parent_pid", "parent_comm" }, { "child_pid",
		"child_comm" } } },
	{ "task", "task_newtask", { { "pid", "comm" } } },
	{ "task", "task_rename", { { "pid", "newcomm" } } },
};

static void add_pair(struct name_rule *rule, const struct event_type *type, unsigned int source,
		     unsigned int k, const struct common_layout *common)
{
	const char *pid_name = sources[source].pairs[k].pid;
	const struct event_field *comm = event_type_field(type, sources[source].pairs[k].comm);
	const struct event_field *pid = pid_name ? event_type_field(type, pid_name) : NULL;
	struct name_pair *pair = &rule->pairs[rule->nr];
	uint32_t pid_end, comm_end;

	if (!comm || (pid_name && !pid))
		return;
	pair->comm = comm;
	pair->comm_at = comm->offset;
	pair->pid_at = pid ? pid->offset : common->pid_offset;
	pair->pid_size = pid ? pid->size : common->pid_size;
	pair->plain = comm->kind == FIELD_STRING && comm->size == NAME_LEN && pair->pid_size == 4;
	pair->dynamic = comm->kind == FIELD_DYNAMIC_STRING && !comm->is_relative &&
			pair->pid_size == 4;
	pid_end = pair->pid_at + (uint32_t)pair->pid_size;
	comm_end = comm->offset + (uint32_t)comm->size;
	rule->bytes = rule->bytes > pid_end ? rule->bytes : pid_end;
	rule->bytes = rule->bytes > comm_end ? rule->bytes : comm_end;
	rule->nr++;
}

void name_rules_find(struct name_rules *rules, struct event_types *types,
		     const struct common_layout *common)
{
	if (rules->found)
		return;
	rules->found = true;
	for (unsigned int i = 0; i < NAME_RULES_MAX; i++) {
		const struct event_type *type = event_types_by_name(types, sources[i].system,
								    sources[i].name);
		struct name_rule *rule = &rules->rules[rules->nr];

		if (!type)
			continue;
		*rule = (struct name_rule){ .type_id = type->id };
		for (unsigned int k = 0; k < NAME_PAIRS_MAX && sources[i].pairs[k].comm; k++)
			add_pair(rule, type, i, k, common);
		if (rule->nr)
			rules->nr++;
	}
}

unsigned int name_rules_of(const struct name_rules *rules, int type_id)
{
	for (unsigned int i = 0; i < rules->nr; i++)
		if (rules->rules[i].type_id == type_id)
			return i + 1;
	return 0;
}

/* --- what a worker remembers --------------------------------------------------- */

const uint8_t name_ones[2 * NAME_LEN] = {
	255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

/* Keep the first n bytes of 16, given as two numbers in the machine's byte order. */
static inline void cut_comm(uint64_t comm[2], uint32_t n)
{
	const uint8_t *mask = name_ones + NAME_LEN - n;

	comm[0] &= load_u64(mask, false);
	comm[1] &= load_u64(mask + 8, false);
}

/* Load the name in a record, padded with zeros; false if the field points outside. */
static inline bool load_comm(const struct name_pair *pair, const uint8_t *data, uint32_t size,
			     const uint8_t *readable, bool swap, uint64_t comm[2])
{
	struct field_span span;

	if (pair->plain && size >= NAME_LEN && pair->comm_at <= size - NAME_LEN) {
		comm[0] = load_u64(data + pair->comm_at, false);
		comm[1] = load_u64(data + pair->comm_at + 8, false);
		return true;
	}
	if (pair->dynamic && size >= 4 && pair->comm_at <= size - 4) {
		uint32_t word = load_u32(data + pair->comm_at, swap), at = word & 0xffff,
			 len = word >> 16;

		if (len <= NAME_LEN && at <= size && len <= size - at &&
		    readable - data >= (ptrdiff_t)(at + NAME_LEN)) {
			comm[0] = load_u64(data + at, false);
			comm[1] = load_u64(data + at + 8, false);
			cut_comm(comm, len);
			return true;
		}
	}
	span = field_bytes(pair->comm, data, size, swap);
	if (!span.data)
		return false;
	comm[0] = comm[1] = 0;
	memcpy(comm, span.data, span.len < NAME_LEN ? span.len : NAME_LEN);
	return true;
}

static inline uint32_t load_pid(const struct name_pair *pair, const uint8_t *data, uint32_t size,
				bool swap)
{
	return (uint32_t)field_load(data, size, pair->pid_at, pair->pid_size, swap);
}

bool name_cache_check(const struct name_cache *cache, const struct name_rule *rule,
		      const uint8_t *data, uint32_t size, const uint8_t *readable, bool swap)
{
	bool differs = false;
	uint64_t comm[2];

	for (unsigned int i = 0; i < rule->nr; i++)
		if (load_comm(&rule->pairs[i], data, size, readable, swap, comm))
			differs |= name_cache_differs(cache,
						      load_pid(&rule->pairs[i], data, size, swap),
						      comm[0], comm[1]);
	return differs;
}

void name_cache_tell(struct name_cache *cache, struct comm_table *comms)
{
	if (cache->nr_new)
		comm_table_add(comms, cache->new, cache->nr_new);
	cache->nr_new = 0;
}

static void see_name(struct name_cache *cache, struct comm_table *comms,
		     const struct page_clock *clock, uint32_t pid, const uint64_t comm[2],
		     uint64_t ts)
{
	struct name_slot *slot = &cache->slots[pid & (NAME_SLOTS - 1)];
	struct comm_sighting *new;

	slot->comm[0] = comm[0];
	slot->comm[1] = comm[1];
	slot->task = cache->epoch | pid;
	if (cache->nr_new == NAMES_NEW)
		name_cache_tell(cache, comms);
	new = &cache->new[cache->nr_new++];
	*new = (struct comm_sighting){ .ts = clock->time(clock->arg, ts), .pid = (int32_t)pid };
	memcpy(new->comm, comm, NAME_LEN);
}

void name_cache_see(struct name_cache *cache, struct comm_table *comms,
		    const struct page_clock *clock, const struct name_rule *rule,
		    const struct record *rec, const uint8_t *readable, bool swap)
{
	for (unsigned int i = 0; i < rule->nr; i++) {
		uint32_t pid = load_pid(&rule->pairs[i], rec->data, rec->size, swap);
		uint64_t comm[2];

		if (load_comm(&rule->pairs[i], rec->data, rec->size, readable, swap, comm) &&
		    name_cache_differs(cache, pid, comm[0], comm[1]))
			see_name(cache, comms, clock, pid, comm, rec->ts);
	}
}
