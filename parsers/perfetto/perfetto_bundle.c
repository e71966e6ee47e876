/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perfetto/perfetto_bundle.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NAMES	65536u
#define MOST_USUAL	24		/* bytes of an event before its message */

struct compact_row {
	struct perfetto_running before;	/* what ran on the CPU */
	char		 comm[16];	/* of the task that comes or wakes */
	uint64_t	 time, pid, prio;
	uint64_t	 state, cpu;	/* of what ran before; where it wakes */
	uint8_t		 flags;
};

/* Nobody has a negative pid, and the name is the kernel's for it. */
const struct perfetto_running perfetto_running_unknown = { .comm = "<...>", .pid = -1 };

/* --- events --------------------------------------------------------------------------------- */

/*
 * As Perfetto writes most of them: the time, the task, a message.  False: it is not so.  @limit: of
 * what can be read, at or after @end
 */
static inline bool read_usual(const uint8_t *at, const uint8_t *end, const uint8_t *limit,
			      struct perfetto_event *event)
{
	uint32_t pid, tag, bytes;

	if (limit - at < MOST_USUAL || *at++ != (EVENT_TIMESTAMP << 3 | PROTO_VARINT) ||
	    !proto_take_word(&at, &event->time) || *at++ != (EVENT_PID << 3 | PROTO_VARINT) ||
	    !proto_take_short(&at, &pid) || !proto_take_short(&at, &tag) ||
	    (tag & 7) != PROTO_BYTES || tag >> 3 == 0 || !proto_take_short(&at, &bytes) ||
	    bytes != (size_t)(end - at))
		return false;
	event->pid = (int)pid;
	event->flags = 0;
	event->has_flags = false;
	event->what = (struct proto_field){ tag >> 3, PROTO_BYTES, bytes, at };
	return true;
}

/* The field that is the event itself is a message. */
static bool read_event(struct proto_reader r, struct perfetto_event *event)
{
	struct proto_field f;

	event->what = (struct proto_field){ 0 };
	event->time = 0;
	event->pid = 0;
	event->flags = 0;
	event->has_flags = false;
	while (proto_next(&r, &f))
		if (f.kind == PROTO_BYTES) {
			event->what = f;
		} else if (f.number == EVENT_TIMESTAMP) {
			event->time = f.value;
		} else if (f.number == EVENT_PID) {
			event->pid = (int)f.value;
		} else if (f.number == EVENT_FLAGS) {
			event->flags = (uint8_t)f.value;
			event->has_flags = true;
		}
	return !r.failed;
}

static __attribute__((noinline)) void find_event(struct perfetto_rows *rows)
{
	struct proto_reader *r = &rows->events;
	struct proto_field f;

	for (rows->event.at = r->at; proto_next(r, &f); rows->event.at = r->at) {
		if (f.number != BUNDLE_EVENT)
			continue;
		rows->has_event = read_event(proto_inside(&f), &rows->event);
		if (rows->has_event)
			return;
		rows->failed = true;
	}
	rows->has_event = false;
	rows->failed |= r->failed;
}

void perfetto_rows_next_event(struct perfetto_rows *rows)
{
	const uint8_t *at = rows->events.at, *end = rows->events.end;
	const uint8_t *next = proto_skip_bytes(at, end, BUNDLE_EVENT);

	rows->done = at;
	rows->event.at = at;
	if (next && read_usual(at + 2, next, end, &rows->event)) {
		rows->events.at = next;
		rows->has_event = true;
	} else {
		find_event(rows);
	}
}

/* --- compact events ------------------------------------------------------------------------- */

bool perfetto_compact_read(struct perfetto_compact *c, struct proto_reader r)
{
	struct proto_field f;

	c->bytes = r.at;
	c->end = r.end;
	memset(c->columns, 0, sizeof(c->columns));
	c->nr_names = 0;
	while (proto_next(&r, &f)) {
		if (f.kind != PROTO_BYTES || f.number >= COMPACT_NUMBERS)
			continue;
		if (f.number != COMPACT_NAMES) {
			c->columns[f.number] = proto_inside(&f);
		} else if (c->nr_names < MOST_NAMES) {
			mem_grow(&c->names, c->nr_names, &c->cap_names);
			c->names[c->nr_names++] = f;
		}
	}
	return !r.failed;
}

void perfetto_compact_fini(struct perfetto_compact *c)
{
	free(c->names);
}

static bool has_next(const struct perfetto_rows *rows, unsigned int column)
{
	return rows->columns[column].at < rows->columns[column].end;
}

static uint64_t next_of(struct perfetto_rows *rows, unsigned int column)
{
	struct proto_reader *r = &rows->columns[column];
	uint64_t v = 0;

	if (r->at < r->end && !proto_take(r, &v)) {
		rows->failed = true;
		r->at = r->end;
	}
	return v;
}

static void take_name(struct perfetto_rows *rows, unsigned int column, char comm[16])
{
	const struct perfetto_compact *c = rows->compact;
	uint64_t index = next_of(rows, column);

	memset(comm, 0, 16);
	if (index < c->nr_names)
		memcpy(comm, c->names[index].bytes,
		       c->names[index].value < 15 ? c->names[index].value : 15);
}

static void take_switch(struct perfetto_rows *rows, struct compact_row *row)
{
	row->before = rows->running;
	row->time = rows->switch_time;
	row->state = next_of(rows, SWITCH_STATE);
	row->pid = next_of(rows, SWITCH_PID);
	row->prio = next_of(rows, SWITCH_PRIO);
	take_name(rows, SWITCH_NAME, row->comm);
	rows->running = (struct perfetto_running){ .pid = (int)row->pid, .prio = (int)row->prio,
						   .is_known = true };
	memcpy(rows->running.comm, row->comm, sizeof(row->comm));
	rows->has_switch = has_next(rows, SWITCH_TIME);
	rows->switch_time += next_of(rows, SWITCH_TIME);
}

static void take_waking(struct perfetto_rows *rows, struct compact_row *row)
{
	row->before = rows->running;
	row->time = rows->waking_time;
	row->pid = next_of(rows, WAKING_PID);
	row->cpu = next_of(rows, WAKING_CPU);
	row->prio = next_of(rows, WAKING_PRIO);
	take_name(rows, WAKING_NAME, row->comm);
	row->flags = (uint8_t)next_of(rows, WAKING_FLAGS);
	rows->has_waking = has_next(rows, WAKING_TIME);
	rows->waking_time += next_of(rows, WAKING_TIME);
}

/* --- rows ----------------------------------------------------------------------------------- */

void perfetto_rows_begin(struct perfetto_rows *rows, struct proto_reader bundle,
			 const struct perfetto_compact *compact,
			 const struct perfetto_running *running)
{
	rows->events = bundle;
	rows->compact = compact;
	rows->running = *running;
	rows->failed = false;
	memcpy(rows->columns, compact->columns, sizeof(rows->columns));
	perfetto_rows_next_event(rows);
	rows->has_switch = has_next(rows, SWITCH_TIME);
	rows->switch_time = next_of(rows, SWITCH_TIME);
	rows->has_waking = has_next(rows, WAKING_TIME);
	rows->waking_time = next_of(rows, WAKING_TIME);
}

void perfetto_rows_skip(struct perfetto_rows *rows)
{
	struct compact_row row;

	switch (perfetto_rows_next(rows)) {
	case PERFETTO_EVENT:
		perfetto_rows_next_event(rows);
		break;
	case PERFETTO_SWITCH:
		take_switch(rows, &row);
		break;
	case PERFETTO_WAKING:
		take_waking(rows, &row);
		break;
	case PERFETTO_NO_ROW:
		break;
	}
}

/* --- records -------------------------------------------------------------------------------- */

/* The type of a message, which has events; NULL: there is none. */
static const struct perfetto_type *type_of(const struct perfetto_context *context,
					   const struct proto_field *what)
{
	const struct perfetto_type *type = perfetto_types_known(context->types, context->nr_types,
								what);

	return type && type->id ? type : NULL;
}

static bool make_event(const struct perfetto_event *event, const struct perfetto_context *context,
		       struct text *record)
{
	const struct perfetto_type *type = type_of(context, &event->what);
	struct proto_reader message = proto_inside(&event->what);

	if (!type)
		return false;
	perfetto_type_begin(type, event->pid, event->flags, record);
	if (type->number)
		perfetto_type_fill(type, message, context->symbols, record);
	else
		perfetto_type_fill_generic(type, message, record);
	return true;
}

static bool make_switch(const struct compact_row *row, const struct perfetto_context *context,
			struct text *record)
{
	const struct proto_field what = { .number = EVENT_IS_SWITCH };
	const struct perfetto_type *type = type_of(context, &what);
	const struct perfetto_running *before = &row->before;

	if (!type)
		return false;
	perfetto_type_begin(type, before->pid, 0, record);
	perfetto_type_set_text(type, 1, before->comm, strlen(before->comm), record);
	perfetto_type_set(type, 2, (uint32_t)before->pid, record);
	perfetto_type_set(type, 3, (uint32_t)before->prio, record);
	perfetto_type_set(type, 4, row->state, record);
	perfetto_type_set_text(type, 5, row->comm, strlen(row->comm), record);
	perfetto_type_set(type, 6, row->pid, record);
	perfetto_type_set(type, 7, row->prio, record);
	return true;
}

static bool make_waking(const struct compact_row *row, const struct perfetto_context *context,
			struct text *record)
{
	const struct proto_field what = { .number = EVENT_IS_WAKING };
	const struct perfetto_type *type = type_of(context, &what);

	if (!type)
		return false;
	perfetto_type_begin(type, row->before.pid, row->flags, record);
	perfetto_type_set_text(type, 1, row->comm, strlen(row->comm), record);
	perfetto_type_set(type, 2, row->pid, record);
	perfetto_type_set(type, 3, row->prio, record);
	perfetto_type_set(type, 5, row->cpu, record);
	return true;
}

bool perfetto_rows_record(struct perfetto_rows *rows, const struct perfetto_context *context,
			  struct text *record, uint64_t *time)
{
	struct perfetto_event event;
	struct compact_row row;
	bool is_made = false;

	while (!is_made)
		switch (perfetto_rows_next(rows)) {
		case PERFETTO_EVENT:
			event = rows->event;
			*time = event.time;
			perfetto_rows_next_event(rows);
			is_made = make_event(&event, context, record);
			break;
		case PERFETTO_SWITCH:
			take_switch(rows, &row);
			*time = row.time;
			is_made = make_switch(&row, context, record);
			break;
		case PERFETTO_WAKING:
			take_waking(rows, &row);
			*time = row.time;
			is_made = make_waking(&row, context, record);
			break;
		case PERFETTO_NO_ROW:
			return false;
		}
	return true;
}
