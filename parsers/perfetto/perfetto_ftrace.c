/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto_ftrace - events of the kernel, by CPU: FtraceEventBundle.  Switches and wake-ups may be
 * compact: as columns, where a switch does not say what ran before it.
 */
#include <stdlib.h>
#include <string.h>

#include "parsers/perfetto/perfetto_numbers.h"
#include "parsers/perfetto/perfetto_pass.h"

#define MOST_COMPACT_NAMES	65536u

struct bundle {
	unsigned int	 cpu, lane;
	uint64_t	 clock;
	int64_t		 offset;	/* ns that its times are added */
	uint64_t	 ftrace_time, boot_time;
	bool		 is_lost;	/* events were, before its first */
	bool		 is_begun;
};

static uint64_t time_of(struct perfetto_pass *pass, const struct bundle *b, uint64_t time)
{
	return b->clock ? perfetto_pass_time(pass, b->clock, time) : time + (uint64_t)b->offset;
}

static void add_record(struct perfetto_pass *pass, struct bundle *b, uint64_t ts)
{
	if (b->is_lost && !b->is_begun)
		spool_lost(pass->spool, b->lane, ts, 0);
	b->is_begun = true;
	spool_add(pass->spool, b->lane, ts, text_str(&pass->record), (uint32_t)pass->record.len);
}

/* --- events --------------------------------------------------------------------------------- */

static uint64_t symbol_address(void *arg, uint64_t iid)
{
	const struct perfetto_pass *pass = arg;
	const struct perfetto_name *name = perfetto_names_find(&pass->sequence->symbols, iid);

	return name ? name->address : iid;
}

/* The field that is the event itself: a message. */
static bool read_event(struct proto_reader r, struct proto_field *what, uint64_t *time, int *pid,
		       uint8_t *flags)
{
	struct proto_field f;

	*what = (struct proto_field){ 0 };
	*time = 0;
	*pid = 0;
	*flags = 0;
	while (proto_next(&r, &f))
		if (f.kind == PROTO_BYTES)
			*what = f;
		else if (f.number == EVENT_TIMESTAMP)
			*time = f.value;
		else if (f.number == EVENT_PID)
			*pid = (int)f.value;
		else if (f.number == EVENT_FLAGS)
			*flags = (uint8_t)f.value;
	return !r.failed;
}

static bool take_event(struct perfetto_pass *pass, struct bundle *b, struct proto_reader r)
{
	const struct perfetto_symbols symbols = { symbol_address, pass };
	struct perfetto_type *type;
	struct proto_reader message;
	struct proto_field what;
	uint64_t time;
	uint8_t flags;
	bool good;
	int pid;

	if (!read_event(r, &what, &time, &pid, &flags))
		return false;
	message = proto_inside(&what);
	type = what.number == EVENT_IS_GENERIC ? perfetto_types_generic(&pass->types, message) :
						 perfetto_types_find(&pass->types, what.number);
	if (!type || !perfetto_type_begin(&pass->types, type, pid, flags, &pass->record)) {
		if (!pass->unknown_events++)
			pass->unknown_number = what.number;
		return true;
	}
	good = what.number == EVENT_IS_GENERIC ?
		       perfetto_type_fill_generic(type, message, &pass->record) :
		       perfetto_type_fill(type, message, &symbols, &pass->record);
	add_record(pass, b, time_of(pass, b, time));
	return good;
}

/* --- compact events ------------------------------------------------------------------------- */

struct compact {
	struct proto_reader columns[COMPACT_NUMBERS];	/* by number: packed numbers */
	struct proto_field *names;	/* owned, [nr_names] */
	unsigned int	 nr_names, cap_names;
};

static uint64_t next_of(struct compact *c, unsigned int column)
{
	uint64_t v = 0;

	if (c->columns[column].at < c->columns[column].end)
		c->columns[column].failed |= !proto_take(&c->columns[column], &v);
	return v;
}

static bool has_next(const struct compact *c, unsigned int column)
{
	return c->columns[column].at < c->columns[column].end && !c->columns[column].failed;
}

static void copy_name(const struct compact *c, uint64_t index, char comm[16])
{
	memset(comm, 0, 16);
	if (index < c->nr_names)
		memcpy(comm, c->names[index].bytes,
		       c->names[index].value < 15 ? c->names[index].value : 15);
}

static void add_switch(struct perfetto_pass *pass, struct bundle *b, struct compact *c, uint64_t ts,
		       struct perfetto_running *running)
{
	struct perfetto_type *type = perfetto_types_find(&pass->types, EVENT_IS_SWITCH);
	struct perfetto_running next = { .is_known = true };
	uint64_t state = next_of(c, SWITCH_STATE);
	struct text *record = &pass->record;

	next.pid = (int)next_of(c, SWITCH_PID);
	next.prio = (int)next_of(c, SWITCH_PRIO);
	copy_name(c, next_of(c, SWITCH_NAME), next.comm);
	if (!running->is_known) {
		pass->switches++;
	} else if (perfetto_type_begin(&pass->types, type, running->pid, 0, record)) {
		perfetto_type_set_text(type, 1, running->comm, strlen(running->comm), record);
		perfetto_type_set(type, 2, (uint32_t)running->pid, record);
		perfetto_type_set(type, 3, (uint32_t)running->prio, record);
		perfetto_type_set(type, 4, state, record);
		perfetto_type_set_text(type, 5, next.comm, strlen(next.comm), record);
		perfetto_type_set(type, 6, (uint32_t)next.pid, record);
		perfetto_type_set(type, 7, (uint32_t)next.prio, record);
		add_record(pass, b, time_of(pass, b, ts));
	}
	*running = next;
}

static void add_waking(struct perfetto_pass *pass, struct bundle *b, struct compact *c, uint64_t ts,
		       const struct perfetto_running *running)
{
	struct perfetto_type *type = perfetto_types_find(&pass->types, EVENT_IS_WAKING);
	uint64_t pid = next_of(c, WAKING_PID), cpu = next_of(c, WAKING_CPU);
	uint64_t prio = next_of(c, WAKING_PRIO), name = next_of(c, WAKING_NAME);
	uint8_t flags = (uint8_t)next_of(c, WAKING_FLAGS);
	struct text *record = &pass->record;
	char comm[16];

	if (!perfetto_type_begin(&pass->types, type, running->pid, flags, record))
		return;
	copy_name(c, name, comm);
	perfetto_type_set_text(type, 1, comm, strlen(comm), record);
	perfetto_type_set(type, 2, pid, record);
	perfetto_type_set(type, 3, prio, record);
	perfetto_type_set(type, 5, cpu, record);
	add_record(pass, b, time_of(pass, b, ts));
}

/* In the order of time, since a wake-up is of the task that runs then.  Times are differences. */
static bool take_columns(struct perfetto_pass *pass, struct bundle *b, struct compact *c)
{
	struct perfetto_running *running = &pass->running[b->cpu];
	bool has_switch = has_next(c, SWITCH_TIME), has_waking = has_next(c, WAKING_TIME);
	uint64_t switch_ts = next_of(c, SWITCH_TIME), waking_ts = next_of(c, WAKING_TIME);
	bool good = true;

	while (has_switch || has_waking)
		if (has_switch && (!has_waking || switch_ts <= waking_ts)) {
			add_switch(pass, b, c, switch_ts, running);
			has_switch = has_next(c, SWITCH_TIME);
			switch_ts += next_of(c, SWITCH_TIME);
		} else {
			add_waking(pass, b, c, waking_ts, running);
			has_waking = has_next(c, WAKING_TIME);
			waking_ts += next_of(c, WAKING_TIME);
		}
	for (unsigned int i = 0; i < COMPACT_NUMBERS; i++)
		good &= !c->columns[i].failed;
	return good;
}

static bool take_compact(struct perfetto_pass *pass, struct bundle *b, struct proto_reader r)
{
	struct compact c = { 0 };
	struct proto_field f;
	bool good;

	while (proto_next(&r, &f)) {
		if (f.kind != PROTO_BYTES || f.number >= COMPACT_NUMBERS)
			continue;
		if (f.number != COMPACT_NAMES) {
			c.columns[f.number] = proto_inside(&f);
		} else if (c.nr_names < MOST_COMPACT_NAMES) {
			mem_grow(&c.names, c.nr_names, &c.cap_names);
			c.names[c.nr_names++] = f;
		}
	}
	good = take_columns(pass, b, &c);
	free(c.names);
	return good && !r.failed;
}

/* --- bundles -------------------------------------------------------------------------------- */

/* What holds for all events of a bundle, wherever it stands. */
static bool read_bundle(struct perfetto_pass *pass, struct proto_reader r, struct bundle *b)
{
	struct proto_field f;
	bool good = true;

	*b = (struct bundle){ 0 };
	while (good && proto_next(&r, &f))
		switch (f.number) {
		case BUNDLE_CPU: b->cpu = (unsigned int)f.value; break;
		case BUNDLE_LOST: b->is_lost = f.value; break;
		case BUNDLE_CLOCK:
			b->clock = f.value == BUNDLE_CLOCK_IS_RAW ? CLOCK_IS_RAW : 0;
			break;
		case BUNDLE_FTRACE_TIME: b->ftrace_time = f.value; break;
		case BUNDLE_BOOT_TIME: b->boot_time = f.value; break;
		case BUNDLE_DESCRIPTORS:
			good = perfetto_types_describe(&pass->types, proto_inside(&f));
			break;
		default: break;
		}
	/* times of a clock that is not known otherwise, and when that was in those since boot */
	if (!b->clock && b->ftrace_time && b->boot_time)
		b->offset = (int64_t)(b->boot_time - b->ftrace_time);
	else if (!b->clock)
		b->clock = CLOCK_IS_BOOTTIME;
	return good;
}

bool perfetto_pass_bundle(struct perfetto_pass *pass, struct proto_reader r)
{
	struct proto_field f;
	struct bundle b;
	bool good = read_bundle(pass, r, &b);

	b.lane = spool_lane(pass->spool, PERFETTO_FTRACE, b.cpu);
	if (b.lane == SPOOL_NO_LANE)
		b.cpu = SPOOL_MAX_CPUS;		/* no CPU's */
	mem_reach(&pass->running, &pass->nr_running, b.cpu);
	if (b.is_lost)
		pass->running[b.cpu] = (struct perfetto_running){ 0 };
	while (proto_next(&r, &f))
		if (f.number == BUNDLE_EVENT)
			good &= take_event(pass, &b, proto_inside(&f));
		else if (f.number == BUNDLE_COMPACT)
			good &= take_compact(pass, &b, proto_inside(&f));
	return good && !r.failed;
}
