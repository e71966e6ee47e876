/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/record_text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/byte_reader.h"
#include "parsers/print_format.h"
#include "parsers/record_text_private.h"
#include "parsers/value_names.h"
#include "src/memory.h"

#define MAX_ID		65535
#define IDS_PER_LEAF	256u

/* What is known of one event type; each part is made when it is first asked for, and published by one store. */
struct event_text {
	const struct event_type				*type;
	_Atomic(const struct print_format *)		tree;	/* read as C */
	_Atomic(const struct value_names *const *)	names;	/* [type->nr_fields] */
};

struct leaf {
	_Atomic(struct event_text *) events[IDS_PER_LEAF];
};

struct record_text {
	struct text_context		context;
	struct record_text_options	options;
	struct graph_text		graph;
	_Atomic(struct leaf *)		leaves[(MAX_ID + 1) / IDS_PER_LEAF];
	pthread_mutex_t			lock;	/* of making things; reading takes none */
	struct arena			arena;
};

struct record_text_state {
	int	unused;
};

struct record_text *record_text_new(const struct trace_file *file, struct event_types *types, const struct kallsyms *syms,
				    const struct record_text_options *options)
{
	const struct trace_file_info *info = trace_file_info(file);
	struct record_text *rt = mem_alloc(sizeof(*rt));
	struct text_context *c = &rt->context;

	if (options)
		rt->options = *options;
	c->file = file;
	c->types = types;
	c->syms = syms;
	c->options = &rt->options;
	c->graph = &rt->graph;
	c->big_endian = info->big_endian;
	c->swap = info->big_endian != HOST_BIG_ENDIAN;
	c->user_long_size = info->user_long_size == 4 ? 4 : 8;
	c->long_size = trace_file_nr_buffers(file) ? trace_file_buffer(file, 0)->layout.long_size : 0;
	if (c->long_size != 4 && c->long_size != 8)
		c->long_size = c->user_long_size;
	pthread_mutex_init(&rt->lock, NULL);
	return rt;
}

void record_text_free(struct record_text *rt)
{
	if (!rt)
		return;
	for (size_t i = 0; i < sizeof(rt->leaves) / sizeof(rt->leaves[0]); i++)
		free(rt->leaves[i]);
	arena_fini(&rt->arena);
	pthread_mutex_destroy(&rt->lock);
	free(rt);
}

struct record_text_state *record_text_state_new(void)
{
	return mem_alloc(sizeof(struct record_text_state));
}

void record_text_state_free(struct record_text_state *state)
{
	free(state);
}

/* --- event types -------------------------------------------------------- */

static struct event_text *make_event(struct record_text *rt, const struct event_type *type)
{
	_Atomic(struct leaf *) *slot = &rt->leaves[(unsigned int)type->id / IDS_PER_LEAF];
	struct event_text *event;
	struct leaf *leaf;

	pthread_mutex_lock(&rt->lock);
	leaf = atomic_load(slot);
	if (!leaf) {
		leaf = mem_alloc(sizeof(*leaf));
		atomic_store_explicit(slot, leaf, memory_order_release);
	}
	event = atomic_load(&leaf->events[(unsigned int)type->id % IDS_PER_LEAF]);
	if (!event) {
		event = arena_alloc(&rt->arena, sizeof(*event));
		event->type = type;
		atomic_store_explicit(&leaf->events[(unsigned int)type->id % IDS_PER_LEAF], event, memory_order_release);
	}
	pthread_mutex_unlock(&rt->lock);
	return event;
}

static struct event_text *find_event(struct record_text *rt, const struct event_type *type)
{
	struct event_text *event = NULL;
	struct leaf *leaf;

	if (!type || type->id < 0 || type->id > MAX_ID)
		return NULL;
	leaf = atomic_load_explicit(&rt->leaves[(unsigned int)type->id / IDS_PER_LEAF], memory_order_acquire);
	if (leaf)
		event = atomic_load_explicit(&leaf->events[(unsigned int)type->id % IDS_PER_LEAF], memory_order_acquire);
	return event ? event : make_event(rt, type);
}

/* The format read as C; under the lock. */
static const struct print_format *get_tree(struct record_text *rt, struct event_text *event)
{
	const struct print_format *tree = atomic_load(&event->tree);

	if (!tree) {
		tree = print_format_parse(&rt->arena, event->type, rt->context.long_size);
		atomic_store_explicit(&event->tree, tree, memory_order_release);
	}
	return tree;
}

/* --- text --------------------------------------------------------------- */

bool record_text_add(struct record_text *rt, enum text_style style, const struct print_record *rec,
		     const struct print_record *next, bool *merged, struct record_text_state *state, struct text *out)
{
	(void)rt;
	(void)style;
	(void)rec;
	(void)next;
	(void)state;
	(void)out;
	if (merged)
		*merged = false;
	return false;
}

bool record_text_field(struct record_text *rt, enum text_style style, const struct print_record *rec,
		       const struct event_field *field, struct text *out)
{
	(void)rt;
	(void)style;
	(void)rec;
	(void)field;
	(void)out;
	return false;
}

const char *record_text_why_not(struct record_text *rt, enum text_style style, int type_id)
{
	struct event_text *event = find_event(rt, event_types_find(rt->context.types, type_id));
	const char *why;

	(void)style;
	if (!event)
		return "no such type";
	pthread_mutex_lock(&rt->lock);
	why = get_tree(rt, event)->why;
	pthread_mutex_unlock(&rt->lock);
	return why;
}

/* --- names -------------------------------------------------------------- */

static const struct value_names *const *make_names(struct record_text *rt, struct event_text *event)
{
	const struct event_type *type = event->type;
	const struct value_names *const *names, **all;

	pthread_mutex_lock(&rt->lock);
	names = atomic_load(&event->names);
	if (!names) {
		const struct print_format *tree = get_tree(rt, event);

		all = arena_alloc(&rt->arena, (type->nr_fields + 1) * sizeof(*all));
		for (unsigned int i = 0; i < type->nr_fields; i++)
			all[i] = value_names_find(&rt->arena, tree, &type->fields[i]);
		names = all;
		atomic_store_explicit(&event->names, names, memory_order_release);
	}
	pthread_mutex_unlock(&rt->lock);
	return names;
}

const struct value_names *record_text_names(struct record_text *rt, const struct event_type *type,
					    const struct event_field *field)
{
	struct event_text *event = find_event(rt, type);
	const struct value_names *const *names;

	if (!event || field < event->type->fields || field >= event->type->fields + event->type->nr_fields)
		return NULL;
	names = atomic_load_explicit(&event->names, memory_order_acquire);
	if (!names)
		names = make_names(rt, event);
	return names[field - event->type->fields];
}
