/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables_events - events in the order of time, and their fields: ftrace_event, args, counter. */
#include <stdlib.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/export/tables_private.h"
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
	struct index_map symbol_map;
	struct symbol {
		uint64_t address;
		char	 *name;		/* owned; NULL: none */
	}		*symbols;	/* owned, [nr_symbols] */
	uint32_t	nr_symbols, cap_symbols;
};

/* --- args ----------------------------------------------------------------------------------- */

/* The function at an address; NULL: none is known. */
static const char *symbol_of(struct event_rows *r, uint64_t address)
{
	uint32_t hash = index_map_hash(address);
	struct text *name = &r->t->text;
	struct symbol *s;

	index_map_each (&r->symbol_map, hash, i)
		if (r->symbols[i].address == address)
			return r->symbols[i].name;
	if (r->nr_symbols >= 1u << 16) {	/* addresses of data have no names */
		index_map_clear(&r->symbol_map);
		while (r->nr_symbols)
			free(r->symbols[--r->nr_symbols].name);
	}
	mem_grow(&r->symbols, r->nr_symbols, &r->cap_symbols);
	index_map_add(&r->symbol_map, hash, r->nr_symbols);
	s = &r->symbols[r->nr_symbols++];
	*s = (struct symbol){ .address = address };
	text_clear(name);
	if (trace_symbol(r->t->trace, 0, address, NULL)) {
		trace_function_name(r->t->trace, 0, address, name);
		s->name = mem_strdup(text_str(name));
	}
	return s->name;
}

/* Begin a row of a field; @key: NULL: the field's name. */
static struct tables_file *begin_arg(struct event_rows *r, const struct event_field *field,
				     const struct text *key)
{
	struct tables_file *f = r->t->files[ARGS];
	size_t len = strlen(field->name);

	tables_file_int(f, ARG_SET_ID, r->id);
	tables_file_bytes(f, ARG_FLAT_KEY, field->name, len);
	tables_file_bytes(f, ARG_KEY, key ? text_str(key) : field->name, key ? key->len : len);
	return f;
}

/* @is_line: addresses of functions are made up. */
static void add_number(struct event_rows *r, struct tables_file *f, uint64_t value, bool is_signed,
		       bool is_pointer, bool is_line)
{
	const char *symbol = is_pointer ? symbol_of(r, value) : NULL;

	if (!symbol || !is_line)
		tables_file_int(f, ARG_INT_VALUE, (int64_t)value);
	if (symbol)
		tables_file_string(f, ARG_STRING_VALUE, symbol);
	tables_file_string(f, ARG_VALUE_TYPE, is_pointer ? "pointer" : is_signed ? "int" : "uint");
	tables_file_row(f);
}

static void add_text_arg(struct event_rows *r, const struct event_field *field,
			 const struct trace_event *event)
{
	struct text *text = &r->t->text;
	struct tables_file *f = begin_arg(r, field, NULL);

	text_clear(text);
	field_text(field, event->data, event->size, event->swap, text);
	tables_file_bytes(f, ARG_STRING_VALUE, text_str(text), text->len);
	tables_file_string(f, ARG_VALUE_TYPE, "string");
	tables_file_row(f);
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
		add_number(r, begin_arg(r, field, key), field_element(field, span, i, event->swap),
			   field->is_signed, is_stack, event->is_line);
	}
}

static void add_arg(struct event_rows *r, const struct event_field *field,
		    const struct trace_event *event)
{
	struct field_span span;
	struct tables_file *f;

	switch (field->kind) {
	case FIELD_UINT:
	case FIELD_SINT:
	case FIELD_POINTER:
		add_number(r, begin_arg(r, field, NULL),
			   field_u64(field, event->data, event->size, event->swap),
			   field->kind == FIELD_SINT, field->kind == FIELD_POINTER, event->is_line);
		return;
	case FIELD_STRING:
	case FIELD_DYNAMIC_STRING:
		span = field_bytes(field, event->data, event->size, event->swap);
		f = begin_arg(r, field, NULL);
		if (span.data)
			tables_file_bytes(f, ARG_STRING_VALUE, (const char *)span.data, span.len);
		tables_file_string(f, ARG_VALUE_TYPE, "string");
		tables_file_row(f);
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
	add_text_arg(r, field, event);
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

static void add_counter(struct event_rows *r, const struct event_kind *kind,
			const struct trace_event *event)
{
	struct tables_file *f = tables_row(r->t, COUNTER, event->ts);
	struct field_span name = { 0 };

	if (kind->counter)
		tables_file_string(f, COUNTER_NAME, kind->counter);
	else if (kind->name)
		name = field_bytes(kind->name, event->data, event->size, event->swap);
	if (name.data)
		tables_file_bytes(f, COUNTER_NAME, (const char *)name.data, name.len);
	if (kind->counter && kind->cpu)
		tables_file_int(f, COUNTER_CPU,
				(int64_t)field_u64(kind->cpu, event->data, event->size,
						   event->swap));
	tables_file_int(f, COUNTER_VALUE,
			(int64_t)field_u64(kind->value, event->data, event->size, event->swap));
	tables_file_row(f);
}

static void add_marker(struct event_rows *r, const struct event_kind *kind,
		       const struct trace_event *event)
{
	struct trace_marker marker;
	struct tables_file *f;

	if (!trace_marker_read(kind->text, event->data, event->size, &marker) || marker.kind != 'C')
		return;
	f = tables_row(r->t, COUNTER, event->ts);
	tables_file_bytes(f, COUNTER_NAME, marker.name.s, marker.name.len);
	if (marker.pid)
		tables_file_int(f, COUNTER_UPID, marker.pid);
	tables_file_int(f, COUNTER_VALUE, marker.value);
	tables_file_row(f);
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
	struct tables_file *f = tables_row(r->t, FTRACE_EVENT, event->ts);

	r->id = r->t->rows[FTRACE_EVENT] - 1;
	tables_file_string(f, EVENT_NAME, trace_event_name(event));
	tables_file_string(f, EVENT_SYSTEM, trace_event_system(event));
	if (event->cpu >= 0)
		tables_file_int(f, EVENT_CPU, event->cpu);
	if (event->pid >= 0)
		tables_file_int(f, EVENT_UTID, event->pid);
	tables_file_int(f, EVENT_FLAGS, event->flags);
	if (type && type->nr_fields > type->nr_common)
		tables_file_int(f, EVENT_ARG_SET_ID, r->id);
	if (*instance)
		tables_file_string(f, EVENT_INSTANCE, instance);
	tables_file_row(f);
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
	while (!tables_file_failed(t->files[ARGS]) && !tables_file_failed(t->files[FTRACE_EVENT]) &&
	       trace_cursor_next(cursor, &event))
		if (trace_is_event(&event))
			see(&r, &event);
	trace_cursor_free(cursor);
	index_map_fini(&r.symbol_map);
	while (r.nr_symbols)
		free(r.symbols[--r.nr_symbols].name);
	free(r.symbols);
	free(r.kinds);
}
