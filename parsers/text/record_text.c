/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/text/record_text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/btf.h"
#include "parsers/io/byte_reader.h"
#include "parsers/text/kernel_text.h"
#include "parsers/print/print_program.h"
#include "parsers/source/record_bound.h"
#include "parsers/types/printk_formats.h"
#include "parsers/text/record_text_private.h"
#include "parsers/text/sched_text.h"
#include "parsers/text/short_text.h"
#include "parsers/print/text_pattern.h"
#include "parsers/text/value_names.h"
#include "src/base/memory.h"

#define MAX_ID		65535
#define IDS_PER_LEAF	256u

#define NR_STYLES	3u

struct record_text_type {
	struct text_context	context;
	const struct text_handler_def *def;	/* a handler that is called first; or NULL */
	const struct event_field *handler_fields[TEXT_HANDLER_FIELDS];
	const struct print_program *program;	/* or NULL */
	const struct print_program *const *fields; /* [type->nr_fields], NULL = the raw value */
};

/* Data of one event type; each part is made on first use, and published by one store. */
struct event_text {
	const struct event_type				*type;
	_Atomic(const struct record_text_type *)		styles[NR_STYLES];
	_Atomic(const struct print_format *)		tree;	/* read as C */
	_Atomic(const struct value_names *const *)	names;	/* [type->nr_fields] */
	_Atomic(const struct short_text *)		brief;
};

struct leaf_call {
	_Atomic(struct event_text *) events[IDS_PER_LEAF];
};

struct record_text {
	struct text_context		context;
	struct record_text_options	options;
	struct graph_text		graph;
	struct btf			*btf;		/* owned, or NULL */
	_Atomic(struct kernel_text *)	kernel;	/* owned; made for the first text in that style */
	struct printk_formats		*printk;
	_Atomic(struct leaf_call *)		leaves[(MAX_ID + 1) / IDS_PER_LEAF];
	pthread_mutex_t			lock;	/* held while things are made; reading needs no
						 * lock */
	struct arena			arena;
};

struct record_text *record_text_new(const struct source *file, struct event_types *types,
				    const struct kallsyms *syms,
				    const struct record_text_options *options)
{
	const struct source_info *info = source_info(file);
	struct record_text *rt = mem_alloc(sizeof(*rt));
	struct text_context *c = &rt->context;

	if (options)
		rt->options = *options;
	c->file = file;
	c->types = types;
	c->syms = syms;
	c->options = &rt->options;
	c->graph = &rt->graph;
	c->functions = plugin_functions;
	c->big_endian = info->big_endian;
	c->swap = info->big_endian != HOST_BIG_ENDIAN;
	c->user_long_size = info->user_long_size == 4 ? 4 : 8;
	c->long_size = source_nr_buffers(file) ? source_buffer(file, 0)->layout.long_size : 0;
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
	printk_formats_free(rt->printk);
	kernel_text_free(rt->kernel);
	btf_free(rt->btf);
	arena_fini(&rt->arena);
	pthread_mutex_destroy(&rt->lock);
	free(rt);
}

void record_text_set_time(struct record_text *rt, enum print_time time)
{
	rt->options.time = time;
}

/* --- state -------------------------------------------------------------- */

struct record_text_state *record_text_state_new(void)
{
	return mem_alloc(sizeof(struct record_text_state));
}

void record_text_state_free(struct record_text_state *state)
{
	if (!state)
		return;
	if (state->plugin)
		state->free_plugin(state->plugin);
	report_comms_free(state->comms);
	free(state->arrays);
	free(state);
}

static struct report_comms *get_comms(const struct text_context *c, struct record_text_state *state)
{
	if (!state->comms) {
		uint64_t size;
		const char *text = source_text(c->file, TRACE_TEXT_CMDLINES, &size);

		state->comms = report_comms_new(text, size);
	}
	return state->comms;
}

bool record_text_knows_comm(const struct record_text_state *state, int pid)
{
	return state->comms && report_comms_knows(state->comms, pid);
}

void record_text_learn_comm(const struct text_context *c, struct record_text_state *state, int pid,
			    const char *comm, size_t len)
{
	report_comms_learn(get_comms(c, state), pid, comm, len);
}

const char *record_text_comm(struct record_text *rt, struct record_text_state *state, int pid)
{
	return report_comms_get(get_comms(&rt->context, state), pid);
}

/*
 * Bits of a type's fields that libtraceevent has found not to contain text (print_run_bytes.c); the
 * program assigns the bits.
 */
static uint64_t *state_arrays(struct record_text_state *state, int type_id)
{
	unsigned int i = 0;

	while (i < state->nr_arrays && state->arrays[i].id != type_id)
		i++;
	if (i == state->nr_arrays) {
		mem_grow(&state->arrays, state->nr_arrays, &state->cap_arrays);
		state->arrays[state->nr_arrays++] = (struct text_arrays){ .id = type_id };
	}
	return &state->arrays[i].fields;
}

/* --- event types -------------------------------------------------------- */

static struct event_text *make_event(struct record_text *rt, const struct event_type *type)
{
	_Atomic(struct leaf_call *) *slot = &rt->leaves[(unsigned int)type->id / IDS_PER_LEAF];
	struct event_text *event;
	struct leaf_call *leaf;

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
		atomic_store_explicit(&leaf->events[(unsigned int)type->id % IDS_PER_LEAF], event,
				      memory_order_release);
	}
	pthread_mutex_unlock(&rt->lock);
	return event;
}

static struct event_text *find_event(struct record_text *rt, const struct event_type *type)
{
	struct event_text *event = NULL;
	struct leaf_call *leaf;

	if (!type || type->id < 0 || type->id > MAX_ID)
		return NULL;
	leaf = atomic_load_explicit(&rt->leaves[(unsigned int)type->id / IDS_PER_LEAF],
				    memory_order_acquire);
	if (leaf)
		event = atomic_load_explicit(&leaf->events[(unsigned int)type->id % IDS_PER_LEAF],
					     memory_order_acquire);
	return event ? event : make_event(rt, type);
}

/* The format parsed as C.  Called with the lock held. */
static const struct print_format *get_tree(struct record_text *rt, struct event_text *event)
{
	const struct print_format *tree = atomic_load(&event->tree);

	if (!tree) {
		tree = print_format_parse(&rt->arena, event->type, rt->context.long_size);
		atomic_store_explicit(&event->tree, tree, memory_order_release);
	}
	return tree;
}

/* --- programs ----------------------------------------------------------- */

static int function_args(void *arg, const char *name)
{
	const struct record_text *rt = arg;
	const struct text_function *f = rt->options.no_plugins ?
						NULL :
						text_function_find(plugin_functions, name);

	return f ? (int)f->nr_args : -1;
}

/* 1: found; 0: left to libtraceevent; -1: the type has no handler. */
static int find_handler(struct record_text_type *st, const struct text_handler_def *def,
			const struct event_type *type)
{
	for (; def->name; def++) {
		if (strcmp(def->name, type->name) != 0 ||
		    (def->system && strcmp(def->system, type->system) != 0))
			continue;
		st->def = def->handler ? def : NULL;
		for (unsigned int i = 0; i < TEXT_HANDLER_FIELDS && def->fields[i]; i++)
			st->handler_fields[i] = event_type_field(type, def->fields[i]);
		return st->def != NULL;
	}
	return -1;
}

/* False: left to libtraceevent. */
static bool find_plugin(struct record_text_type *st, enum text_era era,
			const struct event_type *type)
{
	int found = era == TEXT_ERA_3_4 ? find_handler(st, plugin_handlers_34, type) : -1;

	return (found < 0 ? find_handler(st, plugin_handlers, type) : found) != 0;
}

/* Prepare what all programs need; called with the first one. */
static void prepare_programs(struct record_text *rt)
{
	uint64_t size;
	const char *text;

	if (rt->context.printk)
		return;
	text = source_text(rt->context.file, TRACE_TEXT_PRINTK, &size);
	rt->context.printk = rt->printk = printk_formats_new(text, size);
	if (rt->options.era == TEXT_ERA_3_4) {
		text = source_text(rt->context.file, TRACE_TEXT_BTF, &size);
		rt->context.btf = rt->btf = btf_new(text, size);
	}
	graph_text_init(&rt->graph, rt->context.types, rt->context.swap);
	rt->graph.tailprint = rt->options.tailprint;
	rt->graph.depth = rt->options.depth;
}

static void make_kernel(struct record_text *rt, struct event_text *event,
			struct record_text_type *st)
{
	const struct print_format *tree = get_tree(rt, event);
	const struct event_type *type = event->type;
	const struct print_program **fields = arena_alloc(&rt->arena,
							  (type->nr_fields + 1) * sizeof(*fields));

	st->program = print_program_kernel(&rt->arena, &rt->context, type, tree);
	for (unsigned int i = type->nr_common; i < type->nr_fields && !tree->failed; i++)
		fields[i] = print_program_kernel_field(&rt->arena, &rt->context, type, tree,
						       &type->fields[i]);
	st->fields = fields;
}

static void make_trace_cmd(struct record_text *rt, struct event_text *event,
			   struct record_text_type *st, bool raw)
{
	const struct event_type *type = event->type;
	const struct print_program **fields = arena_alloc(&rt->arena,
							  (type->nr_fields + 1) * sizeof(*fields));
	struct tep_format *format = tep_format_parse(&rt->arena, type, rt->context.user_long_size,
						     rt->options.era, function_args, rt);
	bool bprint = !strcmp(type->system, "ftrace") && !strcmp(type->name, "bprint");

	if (bprint)			/* each record has its own format */
		format->format.nr = 0;
	if (rt->options.era == TEXT_ERA_3_4 && sched_text_is_switch(type)) {
		struct sched_states *states = arena_alloc(&rt->arena, sizeof(*states));

		sched_states_parse(states, type->print_fmt);
		st->context.states = states;
	}
	if (raw) {
		st->program = print_program_tep_raw(&rt->arena, &rt->context, type, format);
		return;
	}
	if ((rt->options.no_plugins || find_plugin(st, rt->options.era, type)) && !bprint)
		st->program = print_program_tep(&rt->arena, &rt->context, type, format);
	for (unsigned int i = 0; i < type->nr_fields && format->reading != TEP_UNSURE; i++)
		fields[i] = print_program_tep_field(&rt->arena, &rt->context, type, format,
						    &type->fields[i]);
	st->fields = fields;
}

static const struct record_text_type *make_style(struct record_text *rt, struct event_text *event,
						 enum text_style style)
{
	const struct record_text_type *old;
	struct record_text_type *st;

	pthread_mutex_lock(&rt->lock);
	old = atomic_load(&event->styles[style]);
	if (!old) {
		prepare_programs(rt);
		st = arena_alloc(&rt->arena, sizeof(*st));
		st->context = rt->context;
		st->context.style = style;
		st->context.f = st->handler_fields;
		if (style == TEXT_KERNEL)
			make_kernel(rt, event, st);
		else
			make_trace_cmd(rt, event, st, style == TEXT_TRACE_CMD_RAW);
		atomic_store_explicit(&event->styles[style], st, memory_order_release);
		old = st;
	}
	pthread_mutex_unlock(&rt->lock);
	return old;
}

const struct record_text_type *record_text_type(struct record_text *rt, enum text_style style,
						const struct event_type *type)
{
	struct event_text *event = find_event(rt, type);
	const struct record_text_type *st;

	if (!event)
		return NULL;
	st = atomic_load_explicit(&event->styles[style], memory_order_acquire);
	return st ? st : make_style(rt, event, style);
}

/* --- text --------------------------------------------------------------- */

static struct kernel_text *get_kernel(struct record_text *rt)
{
	struct kernel_text *kernel = atomic_load_explicit(&rt->kernel, memory_order_acquire);

	if (kernel)
		return kernel;
	pthread_mutex_lock(&rt->lock);
	kernel = atomic_load(&rt->kernel);
	if (!kernel) {
		kernel = kernel_text_new(rt->context.file, rt->context.types, rt->context.syms,
					 rt->options.kernel);
		atomic_store_explicit(&rt->kernel, kernel, memory_order_release);
	}
	pthread_mutex_unlock(&rt->lock);
	return kernel;
}

/* Remove a probe's place up to the first bracket: the kernel prints it by code. */
static void cut_place(struct text *out, size_t begin)
{
	const char *text = text_str(out) + begin, *close = strchr(text, ')');
	size_t cut = close ? (size_t)(close + 1 - text) : 0;

	memmove(out->data + begin, out->data + begin + cut, out->len - begin - cut + 1);
	out->len -= cut;
}

static bool add_kernel(struct record_text *rt, const struct print_record *rec,
		       const struct record_text_type *st, struct text *out)
{
	size_t begin = out->len, behind;

	switch (kernel_text_add(get_kernel(rt), rec, out)) {
	case KERNEL_TEXT_WHOLE:
		if (out->len > begin && out->data[out->len - 1] == '\n')
			out->data[--out->len] = '\0';
		return true;
	case KERNEL_TEXT_PROBE:
		behind = out->len;
		if (!st || !st->program || !print_program_run(st->program, &rt->context, rec, out))
			break;
		cut_place(out, behind);
		return true;
	case KERNEL_TEXT_BY_FORMAT:
		if (!st || !st->program || !print_program_run(st->program, &rt->context, rec, out))
			break;
		return true;
	}
	text_cut(out, begin);
	return false;
}

bool record_text_is_own(const struct record_text_type *how)
{
	return how && (how->def || how->program);
}

bool record_text_remembers(const struct record_text_type *how)
{
	return (how->def && how->def->remember) || (how->program && how->program->remembers);
}

uint64_t record_text_remember(const struct record_text_type *how, const struct print_record *rec,
			      struct record_text_state *state)
{
	uint64_t *arrays;

	if (how->def && how->def->remember)
		return how->def->remember(&how->context, rec, state);
	if (!how->program || !how->program->remembers)
		return 0;
	arrays = state_arrays(state, rec->type->id);
	print_program_remember(how->program, &how->context, rec, arrays);
	return *arrays;
}

bool record_text_tells_nothing(const struct record_text_type *how, const struct print_record *rec,
			       const struct record_text_state *state)
{
	if (!record_text_remembers(how))
		return true;
	return how->def && how->def->tells_nothing &&
	       how->def->tells_nothing(&how->context, rec, state);
}

bool record_text_merges(const struct record_text_type *how, const struct print_record *rec,
			const struct print_record *next)
{
	return how->def && how->def->merges && how->def->merges(&how->context, rec, next);
}

static void end_bound(const struct text_context *c, const struct event_type *type, bool begun,
		      struct text *out)
{
	record_bound_end(out, begun, c->file, type->system, type->name);
}

/* If the handler left the rest to the format, print that after it. */
static bool add_trace_cmd(const struct record_text_type *how, const struct print_record *rec,
			  const struct print_record *next, struct text *out)
{
	size_t begin = out->len;

	if (how->def && how->def->handler(&how->context, rec, next, out)) {
		if (out->len > begin && out->data[out->len - 1] == '\n')
			out->data[--out->len] = '\0';
		return true;
	}
	if (how->program && print_program_run(how->program, &how->context, rec, out))
		return true;
	text_cut(out, begin);
	return false;
}

bool record_text_print(const struct record_text_type *how, const struct print_record *rec,
		       const struct print_record *next, struct text *out)
{
	bool begun = record_bound_begin(out), done = add_trace_cmd(how, rec, next, out);

	end_bound(&how->context, rec->type, begun, out);
	return done;
}

void record_text_pattern(const struct record_text_type *how, struct text_pattern *pattern)
{
	if (how->def && !how->def->pattern)
		text_pattern_any(pattern);
	else if ((!how->def || how->def->pattern(&how->context, pattern)) && how->program)
		print_program_pattern(how->program, pattern);
}

bool record_text_kernel_pattern(struct record_text *rt, const struct event_type *type,
				struct text_pattern *pattern)
{
	const struct record_text_type *how = record_text_type(rt, TEXT_KERNEL, type);

	switch (kernel_text_pattern(get_kernel(rt), type, pattern)) {
	case KERNEL_TEXT_WHOLE:
		return true;
	/* a place, then what the format prints after its own place */
	case KERNEL_TEXT_PROBE:
		text_pattern_any(pattern);
		return true;
	case KERNEL_TEXT_BY_FORMAT:
		break;
	}
	if (!how || !how->program)
		return false;
	print_program_pattern(how->program, pattern);
	return true;
}

bool record_text_add(struct record_text *rt, enum text_style style, const struct print_record *rec,
		     const struct print_record *next, bool *merged, struct text *out)
{
	const struct record_text_type *how = record_text_type(rt, style, rec->type);
	bool merges, begun, done;

	if (merged)
		*merged = false;
	if (style == TEXT_KERNEL && rec->type) {
		begun = record_bound_begin(out);
		done = add_kernel(rt, rec, how, out);
		end_bound(&rt->context, rec->type, begun, out);
		return done;
	}
	if (!record_text_is_own(how))
		return false;
	merges = next && record_text_merges(how, rec, next);
	if (merged)
		*merged = merges;
	return record_text_print(how, rec, merges ? next : NULL, out);
}

static const struct short_text *get_brief(struct record_text *rt, struct event_text *event)
{
	const struct short_text *brief = atomic_load_explicit(&event->brief, memory_order_acquire);

	if (brief)
		return brief;
	pthread_mutex_lock(&rt->lock);
	brief = atomic_load(&event->brief);
	if (!brief) {
		brief = short_text_new(&rt->arena, event->type, rt->context.swap);
		atomic_store_explicit(&event->brief, brief, memory_order_release);
	}
	pthread_mutex_unlock(&rt->lock);
	return brief;
}

bool record_text_screen(struct record_text *rt, const struct print_record *rec, int cells,
			struct text *out)
{
	struct event_text *event = find_event(rt, rec->type);
	const struct short_text *brief;
	size_t begin = out->len;
	bool begun;

	if (!event)
		return false;
	brief = get_brief(rt, event);
	begun = record_bound_begin(out);
	if (!record_text_add(rt, TEXT_KERNEL, rec, NULL, NULL, out)) {
		end_bound(&rt->context, rec->type, begun, out);
		return false;
	}
	short_text_mend(brief, rec, begin, out);
	if (brief->nr_parts && text_cells(text_str(out) + begin, out->len - begin) > cells) {
		text_cut(out, begin);
		short_text_add(brief, rec, out);
	}
	end_bound(&rt->context, rec->type, begun, out);
	return true;
}

bool record_text_short(struct record_text *rt, const struct print_record *rec, struct text *out)
{
	struct event_text *event = find_event(rt, rec->type);
	const struct short_text *brief = event ? get_brief(rt, event) : NULL;

	if (!brief || !brief->nr_parts)
		return false;
	short_text_add(brief, rec, out);
	return true;
}

void record_text_short_pattern(struct record_text *rt, const struct event_type *type,
			       struct text_pattern *pattern)
{
	struct event_text *event = find_event(rt, type);

	if (event)
		short_text_pattern(get_brief(rt, event), pattern);
}

bool record_text_field(struct record_text *rt, enum text_style style,
		       const struct print_record *rec, const struct event_field *field,
		       struct text *out)
{
	const struct record_text_type *st = record_text_type(rt, style, rec->type);
	bool begun, done;

	if (!st || !st->fields || field < rec->type->fields ||
	    field >= rec->type->fields + rec->type->nr_fields ||
	    !st->fields[field - rec->type->fields])
		return false;
	begun = record_bound_begin(out);
	done = print_program_run(st->fields[field - rec->type->fields], &rt->context, rec, out);
	end_bound(&rt->context, rec->type, begun, out);
	return done;
}

/* --- names -------------------------------------------------------------- */

/* The names of a field's values: the format's, or the computer's. */
static const struct value_names *find_names(struct record_text *rt, const struct event_type *type,
					    const struct event_field *field,
					    const struct print_format *tree)
{
	if (rt->options.syscalls && !strcmp(type->system, "raw_syscalls") &&
	    !strcmp(field->name, "id"))
		return rt->options.syscalls(&rt->arena, source_info(rt->context.file)->uname);
	return value_names_find(&rt->arena, tree, field);
}

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
			all[i] = find_names(rt, type, &type->fields[i], tree);
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

	if (!event || field < event->type->fields ||
	    field >= event->type->fields + event->type->nr_fields)
		return NULL;
	names = atomic_load_explicit(&event->names, memory_order_acquire);
	if (!names)
		names = make_names(rt, event);
	return names[field - event->type->fields];
}

/* --- addresses ---------------------------------------------------------- */

static bool is_of_field(const struct print_node *node, const struct event_field *field)
{
	while (node && (node->kind == NODE_CAST || node->kind == NODE_INDEX))
		node = node->a;
	return node && node->kind == NODE_FIELD && node->field == field;
}

bool record_text_is_address(struct record_text *rt, const struct event_type *type,
			    const struct event_field *field)
{
	struct event_text *event = find_event(rt, type);
	const struct print_format *tree;

	if (!event)
		return false;
	pthread_mutex_lock(&rt->lock);
	tree = get_tree(rt, event);
	pthread_mutex_unlock(&rt->lock);
	for (unsigned int i = 0; i < tree->nr; i++) {
		const struct print_segment *s = &tree->segments[i];

		if (s->is_value &&
		    (s->conversion == 'p' || (s->conversion == 'x' && s->length >= LENGTH_LONG)) &&
		    is_of_field(s->arg, field))
			return true;
	}
	return false;
}
