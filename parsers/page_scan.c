/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/page_scan.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/field.h"
#include "src/memory.h"

/* What page_kinds.kinds holds for a type that occurred. */
#define KIND_DENSE(kind)	((kind) & 0xffff)
#define KIND_SEEN		(1u << 16)
#define KIND_UNKNOWN		(1u << 17)	/* the file has no format for it */
#define KIND_RULE_SHIFT		18		/* 1 + number of the rule for task names; 0 = none */
#define KIND_RARE		(~0xffffu & ~KIND_SEEN)

#define COMM_LEN		16u
#define COMM_CACHE		2048u		/* a power of two */

/* The name last seen of a task: most records tell it again. */
struct comm_seen {
	uint64_t	comm[COMM_LEN / 8];	/* its bytes, NUL behind them */
	int32_t		pid;			/* 0: unused */
};

struct page_scan {
	struct page_kinds	*kinds;
	const struct page_clock	*clock;
	uint64_t		 run;		/* running maximum of the range */
	bool			 begun;		/* an event was in the range */
	uint32_t		*counts;	/* [PAGE_KINDS_MAX] by dense number, of this range */
	uint32_t		 slab_pages;
	struct comm_seen	 seen[COMM_CACHE];
};

/* --- kinds ------------------------------------------------------------------ */

/* Where records tell names of tasks: event, then field pairs. */
static const struct {
	const char *system, *name;
	struct {
		const char *pid, *comm;
	} pairs[COMM_PAIRS_MAX];
} comm_sources[] = {
	{ "sched", "sched_switch", { { "prev_pid", "prev_comm" }, { "next_pid", "next_comm" } } },
	{ "sched", "sched_waking", { { "pid", "comm" } } },
	{ "sched", "sched_wakeup", { { "pid", "comm" } } },
	{ "sched", "sched_wakeup_new", { { "pid", "comm" } } },
	{ "sched", "sched_migrate_task", { { "pid", "comm" } } },
	{ "sched", "sched_stat_runtime", { { "pid", "comm" } } },	/* of the task that runs: the first to tell a new name */
	{ "sched", "sched_stat_wait", { { "pid", "comm" } } },
	{ "sched", "sched_stat_sleep", { { "pid", "comm" } } },
	{ "sched", "sched_stat_iowait", { { "pid", "comm" } } },
	{ "sched", "sched_stat_blocked", { { "pid", "comm" } } },
	{ "sched", "sched_process_exit", { { "pid", "comm" } } },
	{ "sched", "sched_process_free", { { "pid", "comm" } } },
	{ "sched", "sched_process_wait", { { "pid", "comm" } } },
	{ "sched", "sched_process_fork", { { "parent_pid", "parent_comm" }, { "child_pid", "child_comm" } } },
	{ "task", "task_newtask", { { "pid", "comm" } } },
	{ "task", "task_rename", { { "pid", "newcomm" } } },
};

static void find_rules(struct page_kinds *kinds)
{
	if (kinds->rules_found || !kinds->comms || !kinds->types)
		return;
	kinds->rules_found = true;
	for (size_t i = 0; i < sizeof(comm_sources) / sizeof(comm_sources[0]); i++) {
		const struct event_type *type = event_types_by_name(kinds->types, comm_sources[i].system, comm_sources[i].name);
		struct comm_rule *rule = &kinds->rules[kinds->nr_rules];

		if (!type)
			continue;
		rule->nr = 0;
		for (unsigned int k = 0; k < COMM_PAIRS_MAX && comm_sources[i].pairs[k].comm; k++) {
			struct comm_pair pair = { event_type_field(type, comm_sources[i].pairs[k].pid),
						  event_type_field(type, comm_sources[i].pairs[k].comm) };

			if (pair.comm)
				rule->pairs[rule->nr++] = pair;
		}
		if (rule->nr)
			kinds->rule_ids[kinds->nr_rules++] = type->id;
	}
}

void page_kinds_init(struct page_kinds *kinds, struct event_types *types, struct comm_table *comms)
{
	memset(kinds, 0, sizeof(*kinds));
	kinds->types = types;
	kinds->comms = comms;
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

	return kind ? 1ull << (KIND_DENSE(kind) & 63) : 0;
}

/* The first record of a type: its format is parsed here, once. */
static uint32_t new_kind(struct page_kinds *kinds, uint32_t id)
{
	uint32_t kind;

	pthread_mutex_lock(&kinds->lock);
	kind = atomic_load(&kinds->kinds[id]);
	if (!kind) {
		uint32_t dense = atomic_load(&kinds->nr);

		find_rules(kinds);
		kind = KIND_SEEN | dense;
		if (kinds->types && !event_types_find(kinds->types, id))
			kind |= KIND_UNKNOWN;
		for (unsigned int i = 0; i < kinds->nr_rules; i++)
			if (kinds->rule_ids[i] == (int)id)
				kind |= (i + 1) << KIND_RULE_SHIFT;
		kinds->ids[dense] = id;
		atomic_store(&kinds->kinds[id], kind);
		atomic_store(&kinds->nr, dense + 1);
	}
	pthread_mutex_unlock(&kinds->lock);
	return kind;
}

/* --- names of tasks ----------------------------------------------------------- */

static inline struct comm_seen *comm_seen_of(struct page_scan *scan, int32_t pid)
{
	return &scan->seen[((uint32_t)pid * 0x9e3779b1u >> 16) & (COMM_CACHE - 1)];
}

static __attribute__((noinline)) void new_comm(struct page_scan *scan, int32_t pid, const uint64_t comm[COMM_LEN / 8],
					       uint64_t ts)
{
	struct comm_seen *seen = comm_seen_of(scan, pid);
	char name[COMM_LEN];
	unsigned int len;

	if (pid <= 0)
		return;
	seen->pid = pid;
	memcpy(seen->comm, comm, COMM_LEN);
	memcpy(name, comm, COMM_LEN);
	len = strnlen(name, COMM_LEN);
	if (len)
		comm_table_seen(scan->kinds->comms, pid, scan->clock->time(scan->clock->arg, ts), name, len);
}

static inline void see_comm(struct page_scan *scan, int32_t pid, const uint64_t comm[COMM_LEN / 8], uint64_t ts)
{
	const struct comm_seen *seen = comm_seen_of(scan, pid);

	if (__builtin_expect(seen->pid != pid || seen->comm[0] != comm[0] || seen->comm[1] != comm[1], 0))
		new_comm(scan, pid, comm, ts);
}

static void see_names(struct page_scan *scan, const struct comm_rule *rule, const struct record *rec, bool swap)
{
	const struct common_layout *common = &scan->kinds->common;

	for (unsigned int i = 0; i < rule->nr; i++) {
		const struct comm_pair *pair = &rule->pairs[i];
		uint32_t at = pair->pid ? pair->pid->offset : common->pid_offset;
		uint32_t width = pair->pid ? pair->pid->size : common->pid_size;
		int32_t pid = (int32_t)field_load(rec->data, rec->size, at, width, swap);
		uint64_t comm[COMM_LEN / 8] = { 0 };

		if (pair->comm->kind == FIELD_STRING && pair->comm->size == COMM_LEN && rec->size >= COMM_LEN &&
		    pair->comm->offset <= rec->size - COMM_LEN) {
			memcpy(comm, rec->data + pair->comm->offset, COMM_LEN);
		} else {
			struct field_span span = field_bytes(pair->comm, rec->data, rec->size, swap);

			if (!span.data)
				continue;
			memcpy(comm, span.data, span.len < COMM_LEN ? span.len : COMM_LEN);
		}
		see_comm(scan, pid, comm, rec->ts);
	}
}

/* A type that is new, unknown, or tells names. */
static __attribute__((noinline)) uint32_t rare_kind(struct page_scan *scan, uint32_t id, uint32_t kind,
						    const struct record *rec, uint32_t *flags, bool swap)
{
	if (!kind)
		kind = new_kind(scan->kinds, id);
	if (kind & KIND_UNKNOWN)
		*flags |= PAGE_UNKNOWN;
	if (kind >> KIND_RULE_SHIFT)
		see_names(scan, &scan->kinds->rules[(kind >> KIND_RULE_SHIFT) - 1], rec, swap);
	return kind;
}

/* --- the pass ----------------------------------------------------------------- */

/* What is gathered of one sub-buffer. */
struct page_sum {
	uint64_t	first, last;	/* keys */
	uint64_t	types, pids;
	uint32_t	events, flags;
};

static inline __attribute__((always_inline)) void walk(struct page_scan *scan, struct sub_buffer *sb, struct page_sum *sum,
						       bool swap, bool big_endian, bool standard)
{
	const struct common_layout *common = &scan->kinds->common;
	_Atomic uint32_t *kinds = scan->kinds->kinds;
	uint32_t *counts = scan->counts;
	uint64_t run = scan->run, first = 0, types = 0, pids = 0;
	uint32_t events = 0, flags = 0;
	int32_t last_pid = 0;
	bool back = false;
	struct record rec;

	while (sub_buffer_step(sb, &rec, swap, big_endian)) {
		uint32_t id, kind;
		int32_t pid;

		if (standard && __builtin_expect(rec.size >= 8, 1)) {
			id = load_u16(rec.data, swap);
			pid = (int32_t)load_u32(rec.data + 4, swap);
		} else {
			id = (uint16_t)field_load(rec.data, rec.size, common->type_offset, common->type_size, swap);
			pid = (int32_t)field_load(rec.data, rec.size, common->pid_offset, common->pid_size, swap);
		}
		back |= rec.ts < run;
		run = rec.ts > run ? rec.ts : run;
		if (!events++)
			first = run;
		kind = atomic_load_explicit(&kinds[id], memory_order_relaxed);
		if (__builtin_expect(!kind || (kind & KIND_RARE), 0))
			kind = rare_kind(scan, id, kind, &rec, &flags, swap);
		counts[KIND_DENSE(kind)]++;
		types |= 1ull << (kind & 63);
		if (pid != last_pid || events == 1) {
			pids |= page_pid_bits(pid);
			last_pid = pid;
		}
	}
	scan->run = run;
	*sum = (struct page_sum){ .first = first, .last = run, .types = types, .pids = pids, .events = events,
				  .flags = flags | (back ? PAGE_BACKWARDS : 0) };
}

static void scan_page(struct page_scan *scan, const struct sub_buffer_layout *layout, const uint8_t *page, uint32_t len,
		      struct page_range *range, uint64_t nr)
{
	struct page_slab *slab = range->slab;
	uint32_t i = nr & (scan->slab_pages - 1);
	struct sub_buffer sb;
	struct page_sum sum;
	uint64_t ts;

	sub_buffer_open(&sb, layout, page, len);
	ts = sb.ts;
	if (scan->kinds->standard && !layout->swap && !layout->big_endian)
		walk(scan, &sb, &sum, false, false, true);
	else
		walk(scan, &sb, &sum, layout->swap, layout->big_endian, false);
	if (sb.lost) {
		sum.flags |= PAGE_LOST;
		if (sb.lost_known)
			range->lost_events += sb.lost_count;
		else
			range->lost_unknown++;
	}
	if (sb.damage != SUB_BUFFER_SOUND) {
		sum.flags |= PAGE_DAMAGED;
		range->damaged_pages++;
	}
	/* Before the first event a row has but the page's own time; page_index_commit() sees to it. */
	scan->begun |= sum.events != 0;
	if (!sum.events) {
		if (!scan->begun)
			sum.last = page_rows(sum.flags) ? ts : 0;
		sum.first = sum.last;
	}
	if (sum.last - sum.first > UINT32_MAX)
		sum.flags |= PAGE_WIDE;
	slab->first[i] = sum.first;
	slab->span[i] = sum.flags & PAGE_WIDE ? UINT32_MAX : sum.last - sum.first;
	slab->count[i] = sum.events | sum.flags;
	slab->types[i] = sum.types;
	slab->pids[i] = sum.pids;
	range->last[nr - range->from] = sum.last;
}

struct page_scan *page_scan_new(struct page_kinds *kinds)
{
	struct page_scan *scan = mem_alloc(sizeof(*scan));

	scan->kinds = kinds;
	scan->counts = mem_array(PAGE_KINDS_MAX, sizeof(*scan->counts));
	return scan;
}

void page_scan_free(struct page_scan *scan)
{
	if (!scan)
		return;
	free(scan->counts);
	free(scan);
}

/* Add the range's counts to those of the file. */
static void give_counts(struct page_scan *scan)
{
	uint32_t nr = atomic_load(&scan->kinds->nr);

	for (uint32_t i = 0; i < nr; i++) {
		if (!scan->counts[i])
			continue;
		atomic_fetch_add_explicit(&scan->kinds->events[i], scan->counts[i], memory_order_relaxed);
		scan->counts[i] = 0;
	}
}

bool page_scan_range(struct page_scan *scan, struct page_reader *reader, unsigned int stream,
		     const struct sub_buffer_layout *layout, const struct page_clock *clock, struct page_range *range,
		     bool (*cancelled)(void *arg), void *arg)
{
	uint64_t nr = range->from;

	scan->clock = clock;
	scan->run = 0;
	scan->begun = false;
	scan->slab_pages = range->slab_pages;
	/* Names are remembered as long as time goes on: the next range may lie before this one. */
	memset(scan->seen, 0, sizeof(scan->seen));
	while (nr < range->to) {
		uint32_t got = 0, last = 0;
		const uint8_t *page;

		if (cancelled && cancelled(arg))
			return false;
		page = page_reader_get(reader, stream, nr, &got, &last, NULL);
		if (!page) {
			scan_page(scan, layout, NULL, 0, range, nr++);
			continue;
		}
		if (got > range->to - nr)
			last = layout->page_size, got = range->to - nr;
		for (uint32_t i = 0; i < got; i++, page += layout->page_size)
			scan_page(scan, layout, page, i + 1 < got ? layout->page_size : last, range, nr++);
	}
	give_counts(scan);
	return true;
}
