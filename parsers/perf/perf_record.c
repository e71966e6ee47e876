/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_record - a row of a perf.data as records of a page: see perf_types.h. */
#include <string.h>

#include "parsers/perf/perf_types.h"
#include "parsers/source/page_maker.h"

#define FLAGS_AT		2u
#define PID_AT			4u
#define FIELDS_AT		8u
#define STACK_AT		16u	/* of the addresses */
#define STACK_TOLD_AT		12u	/* where the format has no field: see perf_types.h */
#define USER_STACK_LEAST	8u	/* addresses: a record of the kernel has so many */
#define TOLD_KERNEL		0x100u
#define MISC_SWITCH_OUT		(1u << 13)
#define MISC_SWITCH_PREEMPT	(1u << 14)

struct row_maker {
	const struct perf_row *row;
	const struct perf_file *file;
	struct page_maker *page;
	const struct perf_index *index;
	struct perf_sample sample;
	int		 pid;
	uint8_t		 flags;		/* of the event, for its stacks */
	uint32_t	 nr_later;	/* addresses of user space that came after the sample */
	uint8_t		 later[8 * PERF_DEFERRED_MOST];
};

/* Room for a record; its common fields are set.  NULL: the page is full. */
static uint8_t *begin(const struct row_maker *m, int id, uint32_t size)
{
	uint8_t *to = page_maker_room(m->page, size);

	if (!to)
		return NULL;
	memset(to, 0, size);
	store_u16(to, (uint16_t)id, m->file->swap);
	store_u32(to + PID_AT, (uint32_t)m->pid, m->file->swap);
	return to;
}

/* A record of the kernel, as it is. */
static bool add_raw(struct row_maker *m)
{
	uint32_t bytes = m->sample.raw_bytes, size = (bytes + 3) & ~3u;
	uint8_t *to = bytes < FIELDS_AT ? NULL : page_maker_room(m->page, size);

	if (!to)
		return false;
	memcpy(to, m->sample.raw, bytes);
	memset(to + bytes, 0, size - bytes);
	m->pid = (int)load_u32(to + PID_AT, m->file->swap);
	m->flags = to[FLAGS_AT];
	page_maker_add(m->page, m->row->stamp.ts, size);
	return true;
}

/*
 * @has_raw: the raw data of the sample stand behind all fields, even if no field says so.  Without
 * raw data, @nr_stacks does, and whether the sample was in the kernel.
 */
static bool add_own(struct row_maker *m, const struct perf_type *type, bool has_raw,
		    uint32_t nr_stacks)
{
	uint32_t raw = has_raw || type->raw_at ? m->sample.raw_bytes : 0, at = FIELDS_AT;
	uint32_t size = (type->size + raw + 3) & ~3u;
	bool tells = !has_raw && !type->raw_at,
	     is_kernel = perf_record_space(&m->row->record) == PERF_SPACE_KERNEL;
	bool swap = m->file->swap;
	uint8_t *to = type->id ? begin(m, type->id, size + 4 * tells) : NULL;

	if (!to)
		return false;
	if (tells)
		store_u32(to + size, nr_stacks | (is_kernel ? TOLD_KERNEL : 0), swap);
	for (unsigned int i = 0; i < PERF_NR_FIELDS; i++)
		if (type->parts >> perf_fields[i] & 1) {
			store_u64(to + at, m->sample.values[perf_fields[i]], swap);
			at += 8;
		}
	if (type->raw_at)
		store_u32(to + type->raw_at, raw << 16 | type->size, swap);
	if (raw)
		memcpy(to + type->size, m->sample.raw, raw);
	page_maker_add(m->page, m->row->stamp.ts, size + 4 * tells);
	return true;
}

/* The addresses of a chain that are in a space; @to may be NULL.  Return: how many. */
static uint32_t put_chain(const struct row_maker *m, enum perf_space space, uint8_t *to)
{
	enum perf_space here = perf_record_space(&m->row->record);
	uint32_t nr = 0;

	for (uint64_t i = 0; i < m->sample.nr_chain; i++) {
		const uint8_t *entry = m->sample.chain + 8 * i;

		if (perf_chain_context(load_u64(entry, m->file->swap), &here) || here != space)
			continue;
		if (to)
			memcpy(to + 8 * nr, entry, 8);
		nr++;
	}
	if (space != PERF_SPACE_USER)
		return nr;
	if (to)
		memcpy(to + 8 * nr, m->later, 8 * m->nr_later);
	return nr + m->nr_later;
}

/* @told: what it tells besides the addresses */
static void add_stack(const struct row_maker *m, int id, enum perf_space space, uint32_t told)
{
	bool is_user = space == PERF_SPACE_USER;
	uint32_t nr = put_chain(m, space, NULL),
		 room = is_user && nr < USER_STACK_LEAST ? USER_STACK_LEAST : nr;
	uint8_t *to = nr ? begin(m, id, STACK_AT + 8 * room) : NULL;

	if (!to)
		return;
	to[FLAGS_AT] = m->flags;
	store_u32(to + FIELDS_AT, is_user ? (uint32_t)m->row->stamp.pid : nr, m->file->swap);
	store_u32(to + STACK_TOLD_AT, told, m->file->swap);
	put_chain(m, space, to + STACK_AT);
	page_maker_add(m->page, m->row->stamp.ts, STACK_AT + 8 * room);
}

/*
 * A row, and the stacks that follow it.  A sample of a group has the raw data of its leader; perf
 * script prints their text for the other tracepoints, too.
 */
static void add_event(struct row_maker *m, const struct perf_types *types,
		      const struct perf_attr *attr)
{
	const struct perf_attr *leader = m->row->attr;
	bool has_leaders = perf_attr_is_raw(leader) && attr->type == PERF_TYPE_TRACEPOINT,
	     is_raw = attr == leader && has_leaders, has_stacks = types->kernel_stack;
	uint32_t user = has_stacks ? put_chain(m, PERF_SPACE_USER, NULL) : 0,
		 kernel = has_stacks ? put_chain(m, PERF_SPACE_KERNEL, NULL) : 0;

	m->flags = 0;
	if (!(is_raw ? add_raw(m) :
		       add_own(m, &types->of_attrs[attr - m->file->attrs], has_leaders,
			       !!user + !!kernel)) ||
	    !has_stacks)
		return;
	add_stack(m, types->kernel_stack, PERF_SPACE_KERNEL, !!user);
	add_stack(m, types->user_stack, PERF_SPACE_USER, user);
}

/* A row for each event whose count has grown. */
static void add_counted(struct row_maker *m, const struct perf_types *types)
{
	const uint8_t *at = m->row->grown;
	uint64_t nr, id, *period = &m->sample.values[PERF_PERIOD];
	const struct perf_attr *attr;

	while (at && perf_grown_next(&at, &nr, period)) {
		if (nr >= m->sample.nr_counts)
			return;
		perf_sample_count(&m->sample, (unsigned int)nr, m->file->swap, &id);
		attr = perf_file_attr_of_id(m->file, id);
		m->pid = m->row->stamp.tid;
		if (attr && (size_t)(attr - m->file->attrs) < types->nr_attrs)
			add_event(m, types, attr);
	}
}

static void add_sample(struct row_maker *m, const struct perf_types *types)
{
	const struct perf_row *row = m->row;
	uint64_t cookie;

	m->sample.raw = perf_attr_is_raw(row->attr) ?
				perf_sample_raw(row->attr, &row->record, m->file->swap,
						&m->sample.raw_bytes) :
				NULL;
	if (m->sample.raw) {
		add_raw(m);
		return;
	}
	if (perf_attr_has_counts(row->attr))	/* other events may have other parts */
		memset(m->sample.values, 0, sizeof(m->sample.values));
	if (!perf_sample_read(row->attr, &row->record, m->file->swap, &m->sample)) {
		source_add_warning(m->file->source, (int64_t)row->record.offset,
				   "a sample ends before what its event has");
		return;
	}
	m->nr_later = perf_deferred_cookie(&m->sample, m->file->swap, &cookie) ?
			      perf_deferred_read(&m->index->deferred, m->file, row->stamp.tid,
						 cookie, m->later) :
			      0;
	if (perf_attr_has_counts(row->attr))
		add_counted(m, types);
	else
		add_event(m, types, row->attr);
}

/* u32 pid, u32 tid of the next task; the one before is that of the record. */
static void add_switch(struct row_maker *m, const struct perf_types *types,
		       const struct perf_index *index)
{
	const struct perf_record *record = &m->row->record;
	uint8_t *to = record->size >= PERF_HEADER_BYTES + 8 ? begin(m, types->sched_switch, 64) :
							      NULL;
	const int tids[] = { m->pid, (int)load_u32(record->data + PERF_HEADER_BYTES + 4,
						    m->file->swap) };

	if (!to)
		return;
	for (unsigned int i = 0; i < 2; i++) {
		unsigned int len, at = i ? 40 : 8;
		const char *name = perf_tasks_name(&index->tasks, tids[i], m->row->stamp.ts, &len);

		memcpy(to + at, tids[i] ? name : "swapper", tids[i] ? (len < 15 ? len : 15) : 7);
		store_u32(to + at + 16, (uint32_t)tids[i], m->file->swap);
	}
	/* it could run on, or it waits for something: there is no more known of that */
	store_u64(to + 32, record->misc & MISC_SWITCH_PREEMPT ? 0 : 1, m->file->swap);
	page_maker_add(m->page, m->row->stamp.ts, 64);
}

/* Records that are events of their own: a task comes to a CPU or leaves it, … */
static void add_record(struct row_maker *m, int id, bool is_switch)
{
	uint32_t size = is_switch ? 16 : 8;
	uint16_t misc = m->row->record.misc;
	uint8_t *to = id ? begin(m, id, size) : NULL;

	if (!to)
		return;
	if (is_switch) {
		store_u32(to + 8, !!(misc & MISC_SWITCH_OUT), m->file->swap);
		store_u32(to + 12, !!(misc & MISC_SWITCH_PREEMPT), m->file->swap);
	}
	page_maker_add(m->page, m->row->stamp.ts, size);
}

void perf_row_add(const struct perf_row *row, const struct perf_types *types,
		  const struct perf_file *file, const struct perf_index *index,
		  struct page_maker *page)
{
	enum perf_own own = perf_index_own(&row->record);
	struct row_maker m;		/* its sample is set when it is read */

	m.row = row;
	m.file = file;
	m.index = index;
	m.page = page;
	m.pid = row->stamp.tid;

	if (row->record.type == PERF_RECORD_SAMPLE)
		add_sample(&m, types);
	else if (own < PERF_NR_OWN)
		add_record(&m, types->own[own], own == PERF_OWN_SWITCH);
	else if (types->sched_switch)
		add_switch(&m, types, index);
}
