/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/counts/counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_header.h"
#include "parsers/types/field.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/counts/requests.h"
#include "src/trace/groupings.h"

#define WIDEST_KEY	60		/* cells of a column: longer texts are not aligned */
#define MOST_ROWS	(1u << 20)
#define MOST_MOVES	(1u << 21)	/* 64 MB */

enum own_key {
	KEY_EVENT,
	KEY_COMM,
	KEY_PID,
	KEY_CPU,
	KEY_PROCESS,
	KEY_CGROUP,
	KEY_USER,
	KEY_FIELD
};
static const char *const own_keys[] = {
	"event", "comm", "pid", "cpu", "process", "cgroup", "user"
};
static const enum grouping key_groupings[] = {
	[KEY_PROCESS] = GROUPING_PROCESS, [KEY_CGROUP] = GROUPING_CGROUP,
	[KEY_USER] = GROUPING_USER, [KEY_FIELD] = GROUPING_NONE
};

static enum own_key own_key(const char *key)
{
	unsigned int own = 0;

	while (own < KEY_FIELD && strcmp(own_keys[own], key) != 0)
		own++;
	return (enum own_key)own;
}

bool counts_is_own_key(const char *key)
{
	return own_key(key) != KEY_FIELD;
}

/* What an event type has. */
struct counted_type {
	const struct event_type *type;	/* NULL: not looked at yet */
	bool		 is_wanted;	/* it is of the event asked for */
	bool		 has_keys;
	bool		 has_twin;	/* another system has an event of that name */
	const struct event_field *keys[COUNTS_FIELDS];	/* NULL: an own one, or none */
	const struct event_field *sums[COUNTS_FIELDS];	/* NULL: none */
	uint64_t	 masks[COUNTS_FIELDS];
	const struct event_field *device;	/* a request's device; NULL: no event of one */
};

struct counts {
	struct trace	*trace;		/* borrowed */
	struct counts_options options;
	unsigned int	 nr_keys, nr_sums;
	enum own_key	 own[COUNTS_FIELDS];
	const char	*described[COUNTS_FIELDS];	/* name of a key that records describe */
	struct event_sweep *sweep;	/* owned */
	struct requests	*requests;	/* owned: of block devices; NULL: there are no figures */
	/* The sweep's until it is done: */
	struct counted_type *types;	/* owned, [UINT16_MAX + 1] by id */
	struct index_map names;		/* finds the first type of a name */
	struct index_map map;		/* finds a row by its keys */
	struct counts_row *rows;	/* owned, [nr] */
	uint32_t	 nr, cap;
	struct arena	 arena;
	struct text	 value;		/* the event's keys, one behind the other */
	struct text	 word;		/* one of them */
	bool		 has_key[COUNTS_FIELDS], has_sum[COUNTS_FIELDS];
	/* Then the caller's: */
	int		 widths[COUNTS_FIELDS];	/* cells of the widest text */
	bool		 is_word[COUNTS_FIELDS];	/* a row has other text than its number */
	struct table_column list[TABLE_MOST_COLUMNS];
	struct counts_result result;	/* .lacking, .beyond: the sweep's */
};

/* --- what a type has ------------------------------------------------------------------------- */

/* enum blktrace_act of linux include/uapi/linux/blktrace_api.h: an action, or a notice. */
#define BLK_ACTION	0x40000ffu
#define BLK_MESSAGE	0x4000002u

uint64_t counts_mask(const struct event_type *type, const char *field)
{
	return !strcmp(type->name, "blktrace") && !strcmp(field, "action") ? BLK_ACTION : 0;
}

static void find_twin(struct counts *c, struct counted_type *own)
{
	const char *name = own->type->name;
	uint32_t hash = index_map_hash_bytes(name, strlen(name));

	index_map_each (&c->names, hash, i)
		if (!strcmp(c->types[i].type->name, name)) {
			c->types[i].has_twin = own->has_twin = true;
			return;
		}
	index_map_add(&c->names, hash, (uint32_t)(own - c->types));
}

/* Is this a stack, a part of the event before it, where events are not told apart? */
static bool is_part(const struct counts *c, const struct event_type *type)
{
	if (c->options.event ||
	    (strcmp(type->name, "kernel_stack") != 0 && strcmp(type->name, "user_stack") != 0))
		return false;
	for (unsigned int i = 0; i < c->nr_keys; i++)
		if (c->own[i] == KEY_EVENT)
			return false;
	return true;
}

static struct counted_type *look_at_type(struct counts *c, const struct event_type *type)
{
	struct counted_type *own = &c->types[(uint16_t)type->id];
	const struct counts_options *o = &c->options;

	if (own->type)
		return own;
	own->type = type;
	own->is_wanted = own->has_keys = o->event ? event_type_is(type, o->event) :
						    !is_part(c, type);
	find_twin(c, own);
	for (unsigned int i = 0; i < c->nr_keys && own->is_wanted; i++) {
		bool is_own = c->own[i] != KEY_FIELD;

		own->keys[i] = is_own ? NULL : event_type_field(type, o->keys[i]);
		own->has_keys &= is_own || own->keys[i] ||
				 (c->described[i] && event_header_is(type));
		c->has_key[i] |= is_own || own->keys[i];
		own->masks[i] = counts_mask(type, o->keys[i]) ?: UINT64_MAX;
	}
	if (c->requests && requests_are_told(c->requests, type))
		own->device = event_type_field(type, "dev") ?: event_type_field(type, "device");
	for (unsigned int i = 0; i < c->nr_sums && own->is_wanted; i++) {
		const struct event_field *field = event_type_field(type, o->sums[i]);

		own->sums[i] = field && event_field_is_number(field) ? field : NULL;
		c->has_sum[i] |= own->sums[i] != NULL;
	}
	return own;
}

/* --- counting -------------------------------------------------------------------------------- */

static uint64_t number_in(const struct event_field *field, const struct trace_event *e)
{
	return field ? field_u64(field, e->data, e->size, e->swap) : 0;
}

/* What is summed; 0: the record has no such number. */
static uint64_t sum_number(struct counts *c, unsigned int i, const struct counted_type *type,
			   const struct trace_event *event)
{
	const char *described = event_header_name(c->options.sums[i]);
	uint64_t number;
	char *end;

	if (!described)
		return number_in(type->sums[i], event);
	if (!event_header_find(event->type, event->data, event->size, described, &c->word))
		return 0;
	number = strtoull(text_str(&c->word), &end, 0);
	if (*end)
		return 0;
	c->has_sum[i] = true;
	return number;
}

/* A key's number; 0: it is a string. */
static uint64_t key_number(const struct counts *c, unsigned int k, const struct counted_type *type,
			   const struct trace_event *event)
{
	switch (c->own[k]) {
	case KEY_EVENT:
		return (uint64_t)event->type_id;
	case KEY_PID:
		return (uint64_t)event->pid;
	case KEY_CPU:
		return (uint64_t)event->cpu;
	case KEY_COMM:
	case KEY_PROCESS:
	case KEY_CGROUP:
	case KEY_USER:
		return 0;
	case KEY_FIELD:
		break;
	}
	return type->keys[k] && event_field_is_number(type->keys[k]) ?
		       number_in(type->keys[k], event) & type->masks[k] :
		       0;
}

/*
 * An own key of words, of the task that ran, or one that the record describes; NULL: it is another
 * one, or the record does not describe it.
 */
static const char *own_word(struct counts *c, unsigned int k, const struct trace_event *event)
{
	const struct grouped_task task = { .file = event->file, .pid = event->pid, .ts = event->ts,
					   .prio = GROUPING_NO_PRIO };

	if (c->own[k] == KEY_COMM)
		return trace_comm(c->trace, event->file, event->pid, event->ts);
	text_clear(&c->word);
	if (c->described[k])
		return event_header_find(event->type, event->data, event->size, c->described[k],
					 &c->word) ?
			       text_str(&c->word) :
			       NULL;
	if (!key_groupings[c->own[k]])
		return NULL;
	return grouping_name(c->trace, key_groupings[c->own[k]], &task, &c->word) ?
		       text_str(&c->word) :
		       GROUPING_NOT_KNOWN;
}

/* False: the record lacks one of the keys. */
static bool make_value(struct counts *c, const struct counted_type *type,
		       const struct trace_event *event)
{
	text_clear(&c->value);
	for (unsigned int k = 0; k < c->nr_keys; k++) {
		const struct event_field *field = type->keys[k];
		uint64_t number = key_number(c, k, type, event);
		struct field_span span = { (const uint8_t *)&number, sizeof(number) };
		const char *word = own_word(c, k, event);

		if (word) {
			span.data = (const uint8_t *)word;
			span.len = (uint32_t)strlen(word);
		} else if (c->described[k]) {
			return false;
		} else if (field && !event_field_is_number(field)) {
			span = field_bytes(field, event->data, event->size, event->swap);
		}
		text_bytes(&c->value, (const char *)&span.len, sizeof(span.len));
		text_bytes(&c->value, span.len ? (const char *)span.data : "", span.len);
		c->has_key[k] |= word != NULL;
	}
	return true;
}

/* The row of the value, which may be new; NULL: there are too many. */
static struct counts_row *row_of(struct counts *c)
{
	uint32_t hash = index_map_hash_bytes(c->value.data, c->value.len);

	index_map_each (&c->map, hash, i)
		if (c->rows[i].len == c->value.len &&
		    !memcmp(c->rows[i].bytes, c->value.data, c->value.len))
			return &c->rows[i];
	if (c->nr == (c->options.most_rows ? c->options.most_rows : MOST_ROWS))
		return NULL;
	mem_grow(&c->rows, c->nr, &c->cap);
	c->rows[c->nr] = (struct counts_row){
		.ts = INT64_MAX, .len = c->value.len,
		.bytes = arena_copy(&c->arena, c->value.data, c->value.len),
	};
	index_map_add(&c->map, hash, c->nr);
	return &c->rows[c->nr++];
}

/* Return: the row that counts the event; NULL: none does. */
static struct counts_row *count(struct counts *c, struct event_sweep *sweep,
				const struct counted_type *type, const struct trace_event *event)
{
	struct counts_row *row;

	if (!type->is_wanted || !event_sweep_wants(sweep, event))
		return NULL;
	if (!type->has_keys || !make_value(c, type, event)) {
		c->result.lacking++;
		return NULL;
	}
	row = row_of(c);
	if (!row) {
		c->result.beyond++;
		return NULL;
	}
	if (event->ts < row->ts) {
		row->ts = event->ts;
		row->first = event->ref;
	}
	row->events++;
	row->missed |= event_type_lacks(event->type, FORMAT_LACKS_HITS);
	for (unsigned int i = 0; i < c->nr_sums; i++)
		row->sums[i] += sum_number(c, i, type, event);
	row->wrong += c->options.is_branch && type->sums[0] && !number_in(type->sums[0], event);
	return row;
}

static void see(void *arg, struct event_sweep *sweep, const struct trace_event *event)
{
	struct counts *c = arg;
	const struct counted_type *type;
	const struct counts_row *row;

	if (!event || event->kind != TRACE_ROW_EVENT || !event->type)
		return;
	type = look_at_type(c, event->type);
	row = count(c, sweep, type, event);
	if (type->device)
		requests_see(c->requests, event->ref, (uint32_t)number_in(type->device, event),
			     row ? (uint32_t)(row - c->rows) : REQUESTS_NO_ROW);
}

/* --- the rows -------------------------------------------------------------------------------- */

/* Words for numbers that the kernel prints as letters or words; [0] is for BLK_MESSAGE. */
static const struct {
	const char	*event, *field, *words[16];
} number_words[] = {
	{ "mmiotrace_rw", "opcode", { [1] = "read", "write", [5] = "unknown" } },
	{ "mmiotrace_map", "opcode", { [3] = "map", "unmap" } },
	{ "blktrace", "action",
	  { "message", "queue", "backmerge", "frontmerge", "getrq", "sleeprq", "requeue", "issue",
	    "complete", "plug", "unplug_io", "unplug_timer", "insert", "split", "bounce",
	    "remap" } },
};

static const char *word_of(const char *event, const char *field, uint64_t number)
{
	uint64_t word = number == BLK_MESSAGE ? 0 : number ? number : UINT64_MAX;

	for (unsigned int i = 0; i < sizeof(number_words) / sizeof(*number_words) && word < 16; i++)
		if (!strcmp(number_words[i].event, event) && !strcmp(number_words[i].field, field))
			return number_words[i].words[word];
	return NULL;
}

static bool is_number(const char *text, int base, uint64_t number)
{
	char *end;

	return *text && strtoull(text, &end, base) == number && !*end;
}

static void add_value(const struct trace_event *event, const struct event_field *field,
		      const struct trace_field_value *value, uint64_t number, struct text *out)
{
	const struct text *text = value->printed.len ? &value->printed : &value->raw;
	const char *word = word_of(event->type->name, field->name, number);
	bool is_hex = event_field_is_number(field) && is_number(text_str(text), 16, number) &&
		      !is_number(text_str(text), 10, number);

	if (word) {
		text_add(out, word);
		return;
	}
	if (!strcmp(field->type, "dev_t") ||
	    (!strcmp(field->name, "device") && !strcmp(event->type->name, "blktrace"))) {
		text_printf(out, "%" PRIu64 ",%" PRIu64, number >> 20, number & 0xfffff);
		return;
	}
	/* Text of %lx: nobody must take it for decimal. */
	if (is_hex && strncmp(text_str(text), "0x", 2) != 0)
		text_add(out, "0x");
	text_bytes(out, text_str(text), text->len);
}

/* A key as text and number.  @values: of the event's fields */
static void make_key(struct counts *c, const struct trace_event *event,
		     const struct trace_field_value *values, struct counts_row *row, unsigned int k)
{
	const struct counted_type *type = &c->types[(uint16_t)event->type->id];
	const struct event_field *field = type->keys[k];
	uint64_t number = key_number(c, k, type, event);

	text_clear(&c->value);
	if (field)
		add_value(event, field, &values[field - event->type->fields], number, &c->value);
	else if (own_word(c, k, event))
		text_add(&c->value, own_word(c, k, event));
	else if (c->own[k] != KEY_EVENT)
		text_printf(&c->value, "%" PRId64, (int64_t)number);
	else
		text_printf(&c->value, "%s%s%s", type->has_twin ? event->type->system : "",
			    type->has_twin ? ":" : "", event->type->name);
	row->numbers[k] = (int64_t)number;
	c->is_word[k] |= !is_number(text_str(&c->value), 10, number) ||
			 (number > INT64_MAX && *text_str(&c->value) != '-');
	row->keys[k] = arena_strndup(&c->arena, text_str(&c->value), c->value.len);
}

/* From the row's first event. */
static void make_keys(struct counts *c, struct counts_row *row)
{
	struct trace_field_value *values = NULL;
	struct trace_event event;
	bool is_there = trace_event_at(c->trace, row->first, &event) && event.type;
	bool has_field = false;
	unsigned int nr = 0;

	for (unsigned int k = 0; k < c->nr_keys; k++)
		has_field |= c->own[k] == KEY_FIELD;
	if (is_there && has_field) {
		nr = trace_event_fields(c->trace, &event, &values);
		is_there = nr;
	}
	for (unsigned int k = 0; k < c->nr_keys; k++) {
		int width;

		row->keys[k] = "";
		if (is_there)
			make_key(c, &event, values, row, k);
		width = text_cells(row->keys[k], strlen(row->keys[k]));
		width = width < WIDEST_KEY ? width : WIDEST_KEY;
		c->widths[k] = c->widths[k] > width ? c->widths[k] : width;
	}
	trace_fields_free(values, nr);
}

static int most_first(const void *a, const void *b)
{
	const struct counts_row *x = a, *y = b;

	if (x->wrong != y->wrong)
		return x->wrong < y->wrong ? 1 : -1;
	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void finish_rows(struct counts *c)
{
	uint64_t all = 0;

	if (c->requests)
		requests_sum(c->requests, c->rows, c->nr);
	for (unsigned int k = 0; k < c->nr_keys; k++)
		c->widths[k] = text_cells(c->options.keys[k], strlen(c->options.keys[k]));
	for (uint32_t i = 0; i < c->nr; i++)
		all += c->rows[i].events;
	for (uint32_t i = 0; i < c->nr; i++) {
		struct counts_row *row = &c->rows[i];

		row->all = all;
		make_keys(c, row);
	}
	if (c->nr)
		qsort(c->rows, c->nr, sizeof(*c->rows), most_first);
	c->result.rows = c->rows;
	c->result.nr = c->nr;
}

/* --- the columns ----------------------------------------------------------------------------- */

enum { OF_BRANCHES = 1, OF_BLOCKS = 2 };	/* table_column.needs */

#define SPAN(id, word, of, member, guess, said)                                                    \
	{ id, word, .width = 12, .cells = 12, .kind = TABLE_DURATION, .needs = OF_BLOCKS,          \
	  TABLE_MEMBER(struct counts_row, of.member), TABLE_IF(struct counts_row, of.nr),          \
	  TABLE_DOUBT(struct counts_row, of.guess), .marked = true, .help = said }
#define SHARED(id, of)                                                                             \
	{ id, .kind = TABLE_COUNT, .needs = OF_BLOCKS, TABLE_MEMBER(struct counts_row, of.shared), \
	  TABLE_IF(struct counts_row, of.shared) }

static const struct table_column figures[] = {
	{ "wrong", "wrong", .width = 12, .cells = 9, .kind = TABLE_COUNT, .needs = OF_BRANCHES,
	  TABLE_MEMBER(struct counts_row, wrong), .own = COUNTS_WRONG, .bound = TABLE_AT_LEAST,
	  .help = "how often the branch was not the likely one" },
	{ .title = "% wrong", .width = 7, .cells = 9, .kind = TABLE_PERCENT, .needs = OF_BRANCHES,
	  TABLE_MEMBER(struct counts_row, wrong), TABLE_WHOLE(struct counts_row, events),
	  .help = "of the times that it was reached" },
	{ "count", "count", .width = 12, .cells = 11, .kind = TABLE_COUNT, .bar = TABLE_BAR_TOO,
	  TABLE_MEMBER(struct counts_row, events), .own = COUNTS_EVENTS, .bound = TABLE_AT_LEAST,
	  TABLE_LEAST(struct counts_row, missed),
	  .help = "events; >: there were more, which the kernel's probe missed" },
	{ .title = "%", .width = 5, .kind = TABLE_PERCENT, TABLE_MEMBER(struct counts_row, events),
	  TABLE_WHOLE(struct counts_row, all) },
	{ .title = "% of all", .cells = 9, .goes_first = true, .kind = TABLE_PART,
	  TABLE_MEMBER(struct counts_row, events), .help = "of all events that are counted" },
	{ "in_flight", "in flight", .width = 9, .cells = 11, .kind = TABLE_COUNT,
	  .needs = OF_BLOCKS,
	  TABLE_MEMBER(struct counts_row, in_flight), TABLE_IF(struct counts_row, in_flight),
	  .help = "most requests of the device that were issued and not completed" },
	SPAN("d2c_avg_ns", "D2C avg", d2c, average, unsettled, "from issue to completion, mean"),
	SPAN("q2c_avg_ns", "Q2C avg", q2c, average, unsettled, "from queue to completion, mean"),
	SPAN("d2c_max_ns", "D2C max", d2c, max, shared, "the longest one"),
	SPAN("q2c_max_ns", "Q2C max", q2c, max, shared, "the longest one"),
	SHARED("d2c_shared", d2c),
	SHARED("q2c_shared", q2c),
};
#define FIGURES	(sizeof(figures) / sizeof(*figures))

static struct table_column key_column(const struct counts *c, unsigned int key)
{
	const char *name = c->options.keys[key];
	int width = c->widths[key];
	struct table_column column = { name, name, .width = width,
				       .cells = (width < 30 ? width : 30) + 2, .place = 1,
				       .align = TABLE_LEFT,
				       TABLE_MEMBER(struct counts_row, keys[key]) };

	if (!c->is_word[key]) {
		column.kind = TABLE_NUMBER;
		column.cells++;
		column.align = TABLE_RIGHT;
		column.value = (struct table_member)TABLE_AT(struct counts_row, numbers[key]);
	}
	return column;
}

static void make_columns(struct counts *c)
{
	const struct counts_options *o = &c->options;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < c->nr_keys; i++)
		c->list[nr++] = key_column(c, i);
	memcpy(&c->list[nr], figures, sizeof(figures));
	nr += FIGURES;
	for (unsigned int i = 0; i < c->nr_sums; i++)
		c->list[nr++] = (struct table_column){
			o->sums[i],
			o->sums[i],
			.width = 12,
			.kind = TABLE_NUMBER,
			.bar = TABLE_BAR_TOO,
			.cells = o->is_branch ? 0 : 14, /* what is not wrong is right */
			TABLE_MEMBER(struct counts_row, sums[i]),
			TABLE_DOUBT(struct counts_row, missed),
		};
	c->result.columns = (struct table_columns){
		.list = c->list, .nr = nr, .gap = 2, .exact = true, .clocked = true,
		.lacks = (o->is_branch ? 0 : OF_BRANCHES) | (o->is_block ? 0 : OF_BLOCKS),
	};
}

/* --- of a trace ------------------------------------------------------------------------------ */

static const struct counts_options tables[] = {
	{ .event = "ftrace:branch", .keys = { "func", "file", "line" }, .sums = { "correct" },
	  .is_branch = true },
	{ .event = "ftrace:mmiotrace_rw", .keys = { "map_id", "opcode", "width", "phys" } },
	{ .event = "ftrace:blktrace", .keys = { "device", "action" }, .sums = { "bytes" },
	  .is_block = true },
	{ .event = "block:*", .keys = { "dev", "event" }, .sums = { "nr_sector" },
	  .is_block = true },
	{ .keys = { "event" } },
};

struct counts_options counts_of_tracer(struct trace *trace, unsigned int file)
{
	unsigned int table = 0;

	while (tables[table].event && !trace_has_event(trace, file, tables[table].event))
		table++;
	return tables[table];
}

struct counts *counts_new(struct trace *trace, const struct counts_options *options)
{
	struct counts *c = mem_alloc(sizeof(*c));

	c->trace = trace;
	c->options = *options;
	c->types = mem_array(UINT16_MAX + 1ul, sizeof(*c->types));
	while (c->nr_sums < COUNTS_FIELDS && options->sums[c->nr_sums])
		c->nr_sums++;
	while (c->nr_keys < COUNTS_FIELDS && options->keys[c->nr_keys]) {
		c->own[c->nr_keys] = own_key(options->keys[c->nr_keys]);
		c->described[c->nr_keys] = event_header_name(options->keys[c->nr_keys]);
		c->nr_keys++;
	}
	if (options->is_block)
		c->requests = requests_new(trace, options->events.file);
	c->sweep = event_sweep_new(trace, &options->events, see, c);
	return c;
}

void counts_free(struct counts *c)
{
	if (!c)
		return;
	event_sweep_free(c->sweep);
	requests_free(c->requests);
	free(c->types);
	free(c->rows);
	index_map_fini(&c->names);
	index_map_fini(&c->map);
	arena_fini(&c->arena);
	text_fini(&c->value);
	text_fini(&c->word);
	free(c);
}

struct event_sweep *counts_sweep(struct counts *c)
{
	return c->sweep;
}

static const char *find_unknown(const struct counts *c)
{
	for (unsigned int i = 0; i < c->nr_keys; i++)
		if (!c->has_key[i])
			return c->options.keys[i];
	for (unsigned int i = 0; i < c->nr_sums; i++)
		if (!c->has_sum[i])
			return c->options.sums[i];
	return NULL;
}

const struct counts_result *counts_result(struct counts *c, bool wait)
{
	if (wait)
		event_sweep_wait(c->sweep);
	if (!event_sweep_is_done(c->sweep) ||
	    (c->requests && !requests_are_found(c->requests, wait)))
		return NULL;
	if (!c->result.columns.nr) {
		finish_rows(c);
		make_columns(c);
		c->result.unknown = c->nr || c->result.lacking ? find_unknown(c) : NULL;
	}
	return &c->result;
}
