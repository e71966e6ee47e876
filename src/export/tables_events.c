/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables_events - events in the order of time, and their fields: ftrace_event, args, counter. */
#include <stdlib.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/export/tables_private.h"
#include "src/sched/sched_rules.h"
#include "src/trace/trace_marker.h"

#define MOST_ELEMENTS	128u		/* of an array that get rows of their own */

/* Events whose field is a counter's value. */
static const struct counter {
	const char	*event, *name;	/* the counter's; NULL: the value of the field `name` */
} counters[] = {
	{ "cpu_frequency", "cpufreq" },
	{ "cpu_idle", "cpuidle" },
	{ "clock_set_rate", NULL },
};

struct event_kind {			/* what is known of an event type */
	bool		known;
	bool		is_marker;	/* what programs write to trace_marker */
	const struct event_field *text;	/* of a marker; NULL: of a text trace */
	const char	*counter;
	const struct event_field *value, *cpu, *name;	/* of a counter; NULL: none */
};

struct event_rows {
	struct tables	*t;
	struct event_kind *kinds;	/* owned, [65536] by common_type */
	int64_t		id;		/* of the event at hand */
	int32_t		last_pid;
};

/* --- args ----------------------------------------------------------------------------------- */

/* The function at an address, valid until the next call; NULL: none is known. */
static const char *symbol_of(struct event_rows *r, uint64_t address)
{
	struct text *name = &r->t->text;

	if (!trace_symbol(r->t->trace, 0, address, NULL))
		return NULL;
	text_clear(name);
	trace_function_name(r->t->trace, 0, address, name);
	return text_str(name);
}

/* A row of a field; @key: NULL: the field's name. */
static void add_row(struct event_rows *r, const struct event_field *field, const struct text *key,
		    struct cell number, struct cell string, const char *type)
{
	struct cell name = cell_string(field->name);

	tables_cells(r->t, ARGS, cell_int(r->id), name,
		     key ? cell_bytes(text_str(key), key->len) : name, number, string,
		     cell_string(type));
}

/* Addresses of functions are made up in a text. */
static void add_number(struct event_rows *r, const struct event_field *field,
		       const struct text *key, const struct trace_event *event, uint64_t value,
		       bool is_signed, bool is_pointer)
{
	const char *symbol = is_pointer ? symbol_of(r, value) : NULL;

	add_row(r, field, key, cell_int_if(!symbol || !event->is_line, (int64_t)value),
		cell_string(symbol),
		is_pointer ? "pointer" :
		is_signed  ? "int" :
			     "uint");
}

static void add_text(struct event_rows *r, const struct event_field *field,
		     const struct trace_event *event)
{
	struct text *text = &r->t->text;

	text_clear(text);
	field_text(field, event->data, event->size, event->swap, text);
	add_row(r, field, NULL, cell_null(), cell_bytes(text_str(text), text->len), "string");
}

/* Each element is a row: args[0], args[1]. */
static void add_array(struct event_rows *r, const struct event_field *field,
		      const struct trace_event *event)
{
	struct field_span span = field_bytes(field, event->data, event->size, event->swap);
	bool is_stack = trace_event_is_stack(event);
	struct text *key = &r->t->key;
	uint32_t nr = span.len / field->element_size;

	for (uint32_t i = 0; i < nr && i < MOST_ELEMENTS; i++) {
		text_clear(key);
		text_add(key, field->name);
		text_char(key, '[');
		text_u64(key, i);
		text_char(key, ']');
		add_number(r, field, key, event, field_element(field, span, i, event->swap),
			   field->is_signed, is_stack);
	}
}

static void add_arg(struct event_rows *r, const struct event_field *field,
		    const struct trace_event *event)
{
	struct field_span span;

	switch (field->kind) {
	case FIELD_UINT:
	case FIELD_SINT:
	case FIELD_POINTER:
		add_number(r, field, NULL, event,
			   field_u64(field, event->data, event->size, event->swap),
			   field->kind == FIELD_SINT, field->kind == FIELD_POINTER);
		return;
	case FIELD_STRING:
	case FIELD_DYNAMIC_STRING:
		span = field_bytes(field, event->data, event->size, event->swap);
		add_row(r, field, NULL, cell_null(), cell_bytes(span.data, span.len), "string");
		return;
	case FIELD_ARRAY:
	case FIELD_DYNAMIC_ARRAY:
		if (field->element_size > 1) {
			add_array(r, field, event);
			return;
		}
		break;
	case FIELD_BITMASK:
	case FIELD_OPAQUE:
		break;
	}
	add_text(r, field, event);
}

/* --- counters ------------------------------------------------------------------------------- */

static void learn(struct event_kind *kind, const struct trace_event *event)
{
	const struct event_type *type = event->type;

	kind->known = true;
	kind->is_marker = !strcmp(type->system, "ftrace") && !strcmp(type->name, "print");
	kind->text = kind->is_marker ? event_type_field(type, "buf") : NULL;
	for (unsigned int i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (strcmp(counters[i].event, type->name) != 0)
			continue;
		kind->counter = counters[i].name;
		kind->value = event_type_field(type, "state");
		kind->cpu = event_type_field(type, "cpu_id");
		kind->name = event_type_field(type, "name");
	}
}

static struct cell number_of(const struct event_field *field, const struct trace_event *event)
{
	return cell_int((int64_t)field_u64(field, event->data, event->size, event->swap));
}

static void add_counter(struct event_rows *r, const struct event_kind *kind,
			const struct trace_event *event)
{
	struct cell none = cell_null(), name = cell_string(kind->counter);
	struct field_span span;

	if (!kind->counter && kind->name) {
		span = field_bytes(kind->name, event->data, event->size, event->swap);
		name = cell_bytes(span.data, span.len);
	}
	tables_row(r->t, COUNTER, event->ts, name,
		   kind->counter && kind->cpu ? number_of(kind->cpu, event) : none, none,
		   number_of(kind->value, event));
}

static void add_marker(struct event_rows *r, const struct event_kind *kind,
		       const struct trace_event *event)
{
	struct trace_marker marker;

	if (trace_marker_read(kind->text, event->data, event->size, &marker) && marker.kind == 'C')
		tables_row(r->t, COUNTER, event->ts, cell_bytes(marker.name.s, marker.name.len),
			   cell_null(), cell_int_if(marker.pid, marker.pid),
			   cell_int(marker.value));
}

/* --- events --------------------------------------------------------------------------------- */

/* Of a text, the times of calls are made of its durations. */
static bool is_made_up(const struct event_field *field, const struct trace_event *event)
{
	return event->is_line &&
	       (!strcmp(field->name, "calltime") || !strcmp(field->name, "rettime"));
}

static void add_event(struct event_rows *r, const struct trace_event *event)
{
	const struct event_type *type = event->type;
	const char *instance = trace_stream_info(r->t->trace, event->stream).buffer_name;

	r->id = r->t->rows[FTRACE_EVENT];
	tables_row(r->t, FTRACE_EVENT, event->ts, cell_string(trace_event_name(event)),
		   cell_string(trace_event_system(event)), cell_int_if(event->cpu >= 0, event->cpu),
		   cell_int_if(event->pid >= 0, event->pid), cell_int(event->flags),
		   cell_int_if(type && type->nr_fields > type->nr_common, r->id),
		   cell_string(*instance ? instance : NULL));
	for (unsigned int i = type ? type->nr_common : 0; type && i < type->nr_fields; i++)
		if (!is_made_up(&type->fields[i], event))
			add_arg(r, &type->fields[i], event);
}

static void see(struct event_rows *r, const struct trace_event *event)
{
	struct event_kind *kind = &r->kinds[(uint16_t)event->type_id];
	bool is_new;

	add_event(r, event);
	if (event->pid >= 0 && event->pid != r->last_pid && r->t->tasks.nr < SCHED_MAX_TASKS)
		number_set_add(&r->t->tasks, (uint32_t)event->pid, &is_new);
	r->last_pid = event->pid;
	if (!event->type)
		return;
	if (!kind->known)
		learn(kind, event);
	if (kind->value)
		add_counter(r, kind, event);
	else if (kind->is_marker)
		add_marker(r, kind, event);
}

void tables_events(struct tables *t)
{
	struct event_rows r = { .t = t, .last_pid = -1,
				.kinds = mem_array(1u << 16, sizeof(*r.kinds)) };
	struct trace_cursor *cursor = trace_cursor_new(t->trace);
	struct trace_event event;

	trace_cursor_seek_time(cursor, INT64_MIN);
	while (!parquet_failed(t->files[ARGS]) && !parquet_failed(t->files[FTRACE_EVENT]) &&
	       trace_cursor_next(cursor, &event))
		if (trace_is_event(&event))
			see(&r, &event);
	trace_cursor_free(cursor);
	free(r.kinds);
}
