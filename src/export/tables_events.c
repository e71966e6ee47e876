/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables_events - events in the order of time, and their fields: ftrace_event, args, counter.  A
 * worker makes these tables, while the main thread makes others.
 */
#include <stdlib.h>

#include "parsers/source/record_bound.h"
#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/export/tables_private.h"
#include "src/sched/sched_rules.h"
#include "src/trace/trace_marker.h"

#define SYMBOLS		16384u		/* that are remembered */
#define MOST_ELEMENTS	128u		/* most elements of an array that get rows of their own */

struct event_rows {
	struct tables	*t;		/* the worker's: tables named above, .event_tasks */
	struct trace_cursor *cursor;	/* owned */
	struct worker_group group;
	struct text	text;		/* for a while */
	size_t		left;		/* of the limit of the event's texts */
	const char	**instances;	/* owned, by stream; NULL: the top buffer */
	uint8_t		*counters;	/* owned, [nr_types] by id, from counter_of(); or 0 */
	uint32_t	nr_types;
	int		last_pid;
	struct element {		/* of an array */
		const struct event_field *field;
		uint32_t	index;
		char		*key;	/* owned: args[0] */
	}		*elements;	/* owned, [map.nr] */
	uint32_t	cap_elements;
	struct index_map map;		/* finds an element */
	struct symbol_name {			/* of an address that fields had */
		bool		is_used;
		uint64_t	address;
		char		*name;	/* owned; NULL: none is known */
	}		*symbols;	/* owned, [SYMBOLS] by a hash: the last one with it */
};

/* --- args ----------------------------------------------------------------------------------- */

/* The function at an address, valid until the next call; NULL: none is known. */
static const char *symbol_of(struct event_rows *r, uint64_t address)
{
	struct symbol_name *s = &r->symbols[index_map_hash(address) % SYMBOLS];
	struct text name = { 0 };

	if (s->is_used && s->address == address)
		return s->name;
	if (trace_symbol(r->t->trace, 0, address, NULL))
		trace_function_name(r->t->trace, 0, address, &name);
	free(s->name);
	*s = (struct symbol_name){ true, address, name.data };
	return s->name;
}

/* A row of a field of the last event.  @key: a name as long as the table is written. */
static void add_row(struct tables *t, const struct event_field *field, const char *key,
		    struct cell number, struct cell string, const char *type)
{
	tables_cells(t, ARGS, cell_int(t->rows[FTRACE_EVENT] - 1), cell_name(field->name),
		     cell_name(key), number, string, cell_name(type));
}

/* Addresses of functions are made up in a text. */
static void add_number(struct event_rows *r, const struct event_field *field, const char *key,
		       const struct trace_event *event, uint64_t value, bool is_signed,
		       bool is_pointer)
{
	const char *symbol = is_pointer ? symbol_of(r, value) : NULL;

	add_row(r->t, field, key, cell_int_if(!symbol || !event->is_line, (int64_t)value),
		cell_string(symbol),
		is_pointer ? "pointer" :
		is_signed  ? "int" :
			     "uint");
}

static void add_text(struct event_rows *r, const struct event_field *field,
		     const struct trace_event *event)
{
	struct text *text = &r->text;

	text_clear(text);
	text_bound(text, r->left);
	field_text(field, event->data, event->size, event->swap, text);
	text_unbound(text);
	r->left = text->len < r->left ? r->left - text->len : 1;
	add_row(r->t, field, field->name, cell_null(), cell_bytes(text_str(text), text->len),
		"string");
}

/* args[0], args[1]: each name is made once. */
static const char *key_of(struct event_rows *r, const struct event_field *field, uint32_t index)
{
	uint32_t hash = index_map_hash_pair((uintptr_t)field, index);
	struct text key = { 0 };

	index_map_each (&r->map, hash, i)
		if (r->elements[i].field == field && r->elements[i].index == index)
			return r->elements[i].key;
	mem_grow(&r->elements, r->map.nr, &r->cap_elements);
	text_printf(&key, "%s[%u]", field->name, index);
	r->elements[r->map.nr] = (struct element){ field, index, key.data };
	index_map_add(&r->map, hash, r->map.nr);
	return key.data;
}

/* Each element is a row. */
static void add_array(struct event_rows *r, const struct event_field *field,
		      const struct trace_event *event)
{
	struct field_span span = field_bytes(field, event->data, event->size, event->swap);
	bool is_stack = trace_event_is_stack(event);
	uint32_t nr = span.len / field->element_size;

	for (uint32_t i = 0; i < nr && i < MOST_ELEMENTS; i++)
		add_number(r, field, key_of(r, field, i), event,
			   field_element(field, span, i, event->swap), field->is_signed, is_stack);
}

static void add_arg(struct event_rows *r, const struct event_field *field,
		    const struct trace_event *event)
{
	bool is_array = field->kind == FIELD_ARRAY || field->kind == FIELD_DYNAMIC_ARRAY;

	if (event_field_is_number(field))
		add_number(r, field, field->name, event,
			   field_u64(field, event->data, event->size, event->swap),
			   field->kind == FIELD_SINT, field->kind == FIELD_POINTER);
	else if (is_array && field->element_size > 1)
		add_array(r, field, event);
	else
		add_text(r, field, event);
}

/* --- counters ------------------------------------------------------------------------------- */

static void add_marker(struct tables *t, const struct trace_event *event)
{
	const struct event_field *text = event_type_field(event->type, "buf");
	struct trace_marker marker;

	if (trace_marker_read(text, event->data, event->size, &marker) && marker.kind == 'C')
		tables_row(t, COUNTER, event->ts, cell_bytes(marker.name.s, marker.name.len),
			   cell_null(), cell_int_if(marker.pid, marker.pid),
			   cell_int(marker.value));
}

static void add_counter(struct tables *t, const struct trace_event *event, const char *name)
{
	const struct event_field *field = event_type_field(event->type, "name");
	struct field_span span = { 0 };

	if (!name && field)
		span = field_bytes(field, event->data, event->size, event->swap);
	tables_row(t, COUNTER, event->ts,
		   name ? cell_string(name) : cell_bytes(span.data, span.len),
		   name ? tables_number(event, "cpu_id") : cell_null(), cell_null(),
		   tables_number(event, "state"));
}

static const struct {
	const char	*event, *name;	/* the counter's; NULL: the field `name` */
} counters[] = { { "cpu_frequency", "cpufreq" }, { "cpu_idle", "cpuidle" },
		 { "clock_set_rate", NULL } };

enum { NO_COUNTER = 1, MARKER, FIRST_COUNTER };	/* and the others of counters[] */

static unsigned int counter_of(const struct event_type *type)
{
	unsigned int i = 0;

	if (!strcmp(type->name, "print") && !strcmp(type->system, "ftrace"))
		return MARKER;
	while (i < sizeof(counters) / sizeof(counters[0]) &&
	       strcmp(type->name, counters[i].event) != 0)
		i++;
	return i < sizeof(counters) / sizeof(counters[0]) ? FIRST_COUNTER + i : NO_COUNTER;
}

static void add_counters(struct event_rows *r, const struct trace_event *event)
{
	uint8_t *counter;

	mem_reach(&r->counters, &r->nr_types, (uint32_t)event->type->id);
	counter = &r->counters[event->type->id];
	if (!*counter)
		*counter = (uint8_t)counter_of(event->type);
	if (*counter == MARKER)
		add_marker(r->t, event);
	else if (*counter >= FIRST_COUNTER)
		add_counter(r->t, event, counters[*counter - FIRST_COUNTER].name);
}

/* --- events --------------------------------------------------------------------------------- */

/* Was the field made from a call's duration, as in texts, which have no such times? */
static bool is_made_up(const struct event_field *field, const struct trace_event *event)
{
	return event->is_line &&
	       (!strcmp(field->name, "calltime") || !strcmp(field->name, "rettime"));
}

static void add_event(struct event_rows *r, const struct trace_event *event)
{
	const struct event_type *type = event->type;
	struct tables *t = r->t;
	int64_t id = t->rows[FTRACE_EVENT];

	tables_row(t, FTRACE_EVENT, event->ts, cell_name(trace_event_name(event)),
		   cell_name(trace_event_system(event)), cell_int_if(event->cpu >= 0, event->cpu),
		   cell_int_if(event->pid >= 0, event->pid),
		   cell_int_if(!event_type_lacks(event->type, FORMAT_LACKS_FLAGS), event->flags),
		   cell_int_if(type && type->nr_fields > type->nr_common, id),
		   cell_name(r->instances[event->stream]));
	r->left = RECORD_TEXT_BYTES;
	for (unsigned int i = type ? type->nr_common : 0; type && i < type->nr_fields; i++)
		if (!is_made_up(&type->fields[i], event))
			add_arg(r, &type->fields[i], event);
}

static void see(struct event_rows *r, const struct trace_event *event)
{
	struct tables *t = r->t;
	bool is_new;

	add_event(r, event);
	if (event->type)
		add_counters(r, event);
	if (event->pid >= 0 && event->pid != r->last_pid && t->event_tasks.nr < SCHED_MAX_TASKS)
		number_set_add(&t->event_tasks, (uint32_t)event->pid, &is_new);
	r->last_pid = event->pid;
}

static void run(void *arg, unsigned int worker, bool cancelled)
{
	struct event_rows *r = arg;
	struct parquet *const *files = r->t->files;
	struct trace_event event;

	(void)worker;
	while (!cancelled && !parquet_failed(files[ARGS]) && !parquet_failed(files[FTRACE_EVENT]) &&
	       trace_cursor_next(r->cursor, &event))
		if (trace_is_event(&event))
			see(r, &event);
}

struct event_rows *tables_events(struct tables *t)
{
	struct event_rows *r = mem_alloc(sizeof(*r));
	unsigned int nr_streams = trace_nr_streams(t->trace);

	r->t = t;
	r->last_pid = -1;
	r->symbols = mem_array(SYMBOLS, sizeof(*r->symbols));
	r->instances = mem_array(nr_streams + 1, sizeof(*r->instances));
	for (unsigned int i = 0; i < nr_streams; i++) {
		const char *name = trace_stream_info(t->trace, i).buffer_name;

		r->instances[i] = *name ? name : NULL;
	}
	trace_printer(t->trace, 0);	/* for names of functions */
	r->cursor = trace_cursor_of_worker(t->trace, TRACE_ALL_STREAMS);
	trace_cursor_seek_time(r->cursor, INT64_MIN);
	workers_add(trace_workers(t->trace), &r->group, WORKER_REQUESTED, run, r);
	return r;
}

void tables_events_end(struct event_rows *r)
{
	workers_wait(trace_workers(r->t->trace), &r->group);
	trace_cursor_free(r->cursor);
	for (uint32_t i = 0; i < r->map.nr; i++)
		free(r->elements[i].key);
	free(r->elements);
	for (unsigned int i = 0; i < SYMBOLS; i++)
		free(r->symbols[i].name);
	free(r->symbols);
	index_map_fini(&r->map);
	free(r->instances);
	free(r->counters);
	text_fini(&r->text);
	free(r);
}
