/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_bind_word - the meaning of a word for an event type: a value.
 *
 * Before the colon of a scope are events; after it, a word is first of all a field, as in
 * `trace-cmd report -F`.  Elsewhere the names of the table have priority, so that `pid == 5` means
 * the current task.
 */
#include "src/filter/filter_bind.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_header.h"
#include "parsers/types/field.h"
#include "parsers/source/source.h"
#include "src/trace/trace_streams.h"

struct filter_load filter_field_load(const struct filter_binder *b, const struct event_field *field)
{
	return (struct filter_load){
		.from = FILTER_FROM_FIELD,
		.width = (uint8_t)field->size,
		.offset = field->offset,
		.flags = (uint8_t)((field->kind == FIELD_SINT ? FILTER_SIGNED : 0) |
				   (b->swap && field->size > 1 ? FILTER_SWAP : 0))
	};
}

/* --- fields -------------------------------------------------------------------------- */

static struct filter_value number_field(const struct filter_binder *b, const struct filter_node *n,
					const struct event_field *field)
{
	return (struct filter_value){ .kind = FILTER_VALUE_LOAD,
				      .node = n,
				      .field = field,
				      .load = filter_field_load(b, field),
				      .is_signed = field->kind == FIELD_SINT,
				      .is_address = field->kind == FIELD_POINTER ||
						    (field->size == b->long_size &&
						     !field->is_common) };
}

static struct filter_value field_value(struct filter_binder *b, const struct filter_node *n,
				       const struct event_field *field)
{
	struct filter_value v = { .node = n, .field = field };

	switch (field->kind) {
	case FIELD_UINT:
	case FIELD_SINT:
	case FIELD_POINTER:
		return number_field(b, n, field);
	case FIELD_STRING:
	case FIELD_DYNAMIC_STRING:
		v.kind = FILTER_VALUE_STRING;
		return v;
	case FIELD_ARRAY:
	case FIELD_DYNAMIC_ARRAY:
		v.kind = FILTER_VALUE_ARRAY;
		return v;
	case FIELD_BITMASK:
		v.kind = FILTER_VALUE_MASK;
		return v;
	case FIELD_OPAQUE:
		break;
	}
	return filter_wrong(b, n, "%s is a %s, which filters cannot compare", field->name,
			    field->type);
}

/* --- names of the table ----------------------------------------------------------------- */

static struct filter_value common_number(const struct filter_binder *b, const struct filter_node *n,
					 uint16_t offset, uint16_t size, bool is_signed)
{
	struct event_field field = { .offset = offset,
				     .size = size,
				     .kind = is_signed ? FIELD_SINT : FIELD_UINT };

	return (struct filter_value){ .kind = FILTER_VALUE_LOAD, .node = n,
				      .load = filter_field_load(b, &field),
				      .is_signed = is_signed };
}

static struct filter_value plain_load(const struct filter_node *n, enum filter_from from,
				      bool is_signed)
{
	return (struct filter_value){ .kind = FILTER_VALUE_LOAD, .node = n,
				      .load = { .from = (uint8_t)from },
				      .is_signed = is_signed };
}

/* The field with the function that an event is about. */
static struct filter_value function_value(struct filter_binder *b, const struct filter_node *n)
{
	const struct event_field *field = NULL;
	struct filter_value v;

	if (b->general)
		return filter_value_of(FILTER_VALUE_UNKNOWN, n);
	if (b->type) {
		field = event_type_field(b->type, "func");
		if (!field && !strcmp(b->type->system, "ftrace") &&
		    (!strcmp(b->type->name, "function") || !strcmp(b->type->name, "func_repeats")))
			field = event_type_field(b->type, "ip");
	}
	if (!field || (field->kind != FIELD_POINTER && field->kind != FIELD_UINT &&
		       field->kind != FIELD_STRING && field->kind != FIELD_DYNAMIC_STRING))
		return filter_value_of(FILTER_VALUE_MISSING, n);
	v = field_value(b, n, field);
	v.is_address = v.kind == FILTER_VALUE_LOAD;
	return v;
}

/* Note the name, to explain why nothing matches. */
void filter_note_asked(struct filter *f, const struct filter_name *name)
{
	for (unsigned int i = 0; i < f->nr_asked; i++)
		if (f->asked[i] == name)
			return;
	if (name->needs && f->nr_asked < sizeof(f->asked) / sizeof(f->asked[0]))
		f->asked[f->nr_asked++] = name;
}

static struct filter_value stack_value(struct filter_binder *b, const struct filter_node *n,
				       const struct filter_name *name)
{
	struct filter_value v = { .kind = FILTER_VALUE_MISSING, .node = n, .is_address = true };

	if (b->general) {
		v.kind = FILTER_VALUE_UNKNOWN;
		return v;
	}
	filter_note_asked(b->f, name);
	if (b->type && name->model->needs(name->number, b->type))
		v.field = event_type_field(b->type, "caller");
	if (v.field)
		v.kind = FILTER_VALUE_STACK;
	return v;
}

static struct filter_value derived_value(struct filter_binder *b, const struct filter_node *n,
					 const struct filter_name *name)
{
	struct filter_value v = plain_load(n, FILTER_FROM_NAME, true);

	if (b->general)
		return filter_value_of(FILTER_VALUE_UNKNOWN, n);
	if (b->type == NULL)
		return filter_value_of(FILTER_VALUE_MISSING, n);
	filter_note_asked(b->f, name);
	if (!filter_name_applies(name, b->type))
		return filter_value_of(FILTER_VALUE_MISSING, n);
	filter_use_model(b->f, b->file, name);
	if (name->model->want)
		v.load.derived = filter_want(b->f, b->file, name, NULL);
	v.load.name = name;
	v.is_duration = name->is_duration;
	return v;
}

bool filter_tells_tgids(const struct filter *f, unsigned int file)
{
	const struct trace_source *source = trace_source_at(f->trace, file);
	const struct filter_file *ff = &f->files[file];
	/* read first: records with tgids may be found meanwhile */
	bool complete = trace_status(f->trace).complete;
	struct tgid_rule rule;

	if (!tgid_table_is_empty(source->tgids))
		return true;
	for (unsigned int id = 0; id < ff->nr_ids && !complete; id++)
		if (ff->types[id] &&
		    tgid_rule_of(ff->types[id], event_types_common(source->types), &rule))
			return true;
	return false;
}

static struct filter_value tgid_value(struct filter_binder *b, const struct filter_node *n)
{
	if (!b->general && !b->tells_tgids)
		return filter_wrong(
			b, n,
			"this trace has no process ids: ftop-trace record saves them, task:task_newtask "
			"events contain them");
	filter_right(b, n);
	b->f->uses_comm = true;
	b->f->uses_tgid = true;
	return plain_load(n, FILTER_FROM_TGID, true);
}

static struct filter_value name_value(struct filter_binder *b, const struct filter_node *n,
				      const struct filter_name *name)
{
	const struct common_layout *common = b->common;
	struct filter_value v;

	if (name->kind == FILTER_NAME_TGID)
		return tgid_value(b, n);
	filter_right(b, n);
	switch (name->kind) {
	case FILTER_NAME_COMM:
		return filter_value_of(FILTER_VALUE_COMM, n);
	case FILTER_NAME_SAVED_COMM:
		return filter_value_of(FILTER_VALUE_SAVED_COMM, n);
	case FILTER_NAME_WHO:
		v = filter_value_of(FILTER_VALUE_WHO, n);
		v.who = name->number;
		return v;
	case FILTER_NAME_PID:
		return common_number(b, n, common->pid_offset, common->pid_size, true);
	case FILTER_NAME_CPU:
		return plain_load(n, FILTER_FROM_CPU, true);
	case FILTER_NAME_FILE:
		return filter_value_of(FILTER_VALUE_FILE, n);
	case FILTER_NAME_INSTANCE:
		return filter_value_of(FILTER_VALUE_INSTANCE, n);
	case FILTER_NAME_TIME:
		v = plain_load(n, FILTER_FROM_TIME, true);
		v.is_time = true;
		return v;
	case FILTER_NAME_FUNC:
		return function_value(b, n);
	case FILTER_NAME_PREEMPT: {
		struct filter_step *steps = arena_alloc(b->scratch, 3 * sizeof(*steps));

		/* the other four bits count disabled migration */
		v = common_number(b, n, common->preempt_offset, common->preempt_size, false);
		steps[0] = (struct filter_step){ .op = FILTER_PUSH_LOAD, .load = v.load };
		steps[1] = (struct filter_step){ .op = FILTER_PUSH_CONST, .value = 0xf };
		steps[2] = (struct filter_step){ .op = FILTER_STEP_AND };
		return (struct filter_value){
			.kind = FILTER_VALUE_STEPS, .node = n, .steps = steps, .nr_steps = 3
		};
	}
	case FILTER_NAME_STACK:
		return stack_value(b, n, name);
	case FILTER_NAME_VALUE:
	case FILTER_NAME_DERIVED:
		return derived_value(b, n, name);
	case FILTER_NAME_TGID:
	case FILTER_NAME_FLAG:
	case FILTER_NAME_LOST:
	case FILTER_NAME_WORD:
		break;
	}
	return filter_wrong(b, n, "%s is true or false: do not compare it", name->name);
}

/* --- words -------------------------------------------------------------------------------- */

static struct filter_value const_value(const struct filter_node *n, __int128 number)
{
	return (struct filter_value){ .kind = FILTER_VALUE_CONST, .node = n, .number = number };
}

static void add_near(struct filter_near *near, const struct filter_binder *b,
		     const struct event_type *type)
{
	if (!type || (b->scope_depth && type != b->type))
		return;
	for (unsigned int k = 0; k < type->nr_fields; k++)
		filter_near_add(near, type->fields[k].name);
	if (!b->scope_depth)
		filter_near_add(near, type->name);
}

static void offer_near(struct filter_binder *b, const char *name)
{
	const struct filter_source *source = &b->f->sources[b->source];
	const struct filter_name *known;
	struct filter_near near;
	struct trace_type_count *counts;
	unsigned int nr = trace_type_counts(b->f->trace, &counts);

	filter_near_init(&near, name);
	for (unsigned int i = 0; !b->scope_depth && (known = filter_name_at(b->f->more_names, i));
	     i++)
		filter_near_add(&near, known->name);
	/* among equally near names, prefer those that occur in the trace */
	for (unsigned int i = 0; i < nr; i++)
		if (filter_source_asks(source, counts[i].file))
			add_near(&near, b, counts[i].type);
	for (unsigned int file = 0; file < b->f->nr_files; file++)
		for (unsigned int id = 0;
		     filter_source_asks(source, file) && id < b->f->files[file].nr_ids; id++)
			add_near(&near, b, b->f->files[file].types[id]);
	filter_near_offer(&near, &b->offers);
	free(counts);
}

/*
 * No type has the field: report it, with near names.  Walks over all formats, so it is done only
 * once.
 */
static struct filter_value no_such_field(struct filter_binder *b, const struct filter_node *n)
{
	struct text near = { 0 };
	struct filter_value v;
	const char *kind;

	if (b->general || b->notes[n->id].problem)
		return filter_value_of(FILTER_VALUE_WRONG, n);
	kind = b->offers.nr ? NULL : filter_offer_word(b, n, b->bare);
	if (!b->bare && !b->offers.nr && filter_is_event(b, n->text))
		return filter_wrong(
			b, n,
			"%s is an event, not a field: use it alone or before a colon; join two with ||",
			n->text);
	if (!b->offers.nr)
		offer_near(b, n->text);
	filter_offers_text(&b->offers, &near);
	if (!b->offers.nr && b->bare)
		filter_offers_add(&b->offers, "\"%s\"", n->text);
	if (b->scope_depth && b->type)
		v = filter_wrong(b, n, "%s has no field %s%s", b->type->name, n->text,
				 text_str(&near));
	else if (b->bare && kind)
		v = filter_wrong(b, n, "no event and no field is named %s, but a %s is%s", n->text,
				 kind, text_str(&near));
	else if (b->bare)
		v = filter_wrong(
			b, n,
			near.len ?
				"no event and no field is named %s%s" :
				"no event and no field is named %s; to search for text, put it in quotes%s",
			n->text, text_str(&near));
	else
		v = filter_wrong(b, n, "no event has a field %s%s", n->text, text_str(&near));
	text_fini(&near);
	return v;
}

static struct filter_value function_set(struct filter_binder *b, const struct filter_node *n)
{
	struct filter_value v = { .kind = FILTER_VALUE_SET, .node = n };
	const struct filter_pattern *m;
	uint32_t index;

	m = filter_node_pattern(b, n, FILTER_PATTERN_EQUAL, false, &index);
	if (!m || !filter_functions(b, n, m, &v.set))
		v.kind = FILTER_VALUE_MISSING;
	return v;
}

/*
 * A named number: a value of the field it is compared with, an error, a function; true and false.
 */
static struct filter_value named_number(struct filter_binder *b, const struct filter_node *n,
					const struct event_field *with)
{
	struct filter_value v;
	uint64_t value, mask;
	int number;

	if (with && filter_symbol(b, with, n->text, &value, &mask)) {
		v = const_value(n, value);
		v.mask = mask;
		v.is_symbol = true;
		return v;
	}
	if (filter_errno(n->text, &number))
		return const_value(n, number);
	if (with && (!strcmp(n->text, "true") || !strcmp(n->text, "false")))
		return const_value(n, n->text[0] == 't');
	if (with && (with->kind == FIELD_POINTER || with->size == b->long_size ||
		     with->kind == FIELD_ARRAY || with->kind == FIELD_DYNAMIC_ARRAY))
		return function_set(b, n);
	return filter_value_of(FILTER_VALUE_MISSING, n);
}

/* "eventheader.count" */
static struct filter_value described_value(struct filter_binder *b, const struct filter_node *n,
					   bool right)
{
	struct filter_value v = { .kind = FILTER_VALUE_DESCRIBED, .node = n,
				  .described = event_header_name(n->text) };

	if (b->general)
		return filter_value_of(FILTER_VALUE_UNKNOWN, n);
	if (!b->type || !event_header_is(b->type))
		return filter_wrong(b, n, "no event of the trace describes fields of its own");
	b->notes[n->id].problem = NULL;		/* that is not so */
	if (right)
		return filter_wrong(b, n, FILTER_ONLY_COMPARED);
	filter_right(b, n);
	return v;
}

struct filter_value filter_bind_word(struct filter_binder *b, const struct filter_node *n,
				     const struct event_field *with, bool right)
{
	const struct filter_note *note = &b->notes[n->id];
	const struct filter_name *name = filter_name_find(n->text, b->f->more_names);
	const struct event_field *field = b->type ? event_type_field(b->type, n->text) : NULL;
	bool field_first = note->is_field &&
			   (note->in_scope || (name && name->kind == FILTER_NAME_FLAG));
	struct filter_value v;

	if (event_header_name(n->text))
		return described_value(b, n, right);
	if (b->f->compat && !field &&
	    (!name || (name->kind != FILTER_NAME_SAVED_COMM && strcmp(n->text, "CPU") != 0)))
		return (struct filter_value){ .kind = b->general && note->is_field ?
							      FILTER_VALUE_UNKNOWN :
							      FILTER_VALUE_MISSING,
					      .node = n };
	/* in general: true for all types */
	if (note->is_field && !strcmp(n->text, "common_pid") && !right)
		return common_number(b, n, b->common->pid_offset, b->common->pid_size, true);
	/* in general: the type may have the field, and then the word means something else */
	if (b->general && (field_first || (!name && note->is_field)))
		return filter_value_of(FILTER_VALUE_UNKNOWN, n);
	if (right && with) {
		v = named_number(b, n, with);
		if (v.kind != FILTER_VALUE_MISSING) {
			filter_right(b, n);
			return v;
		}
	}
	/* a type's own field has priority over a derived name */
	if (name && !field_first &&
	    !(field && (name->kind == FILTER_NAME_VALUE || name->kind == FILTER_NAME_DERIVED)))
		return name_value(b, n, name);
	if (field) {
		filter_right(b, n);
		return field_value(b, n, field);
	}
	if (note->is_field)
		return filter_value_of(FILTER_VALUE_MISSING, n);
	v = named_number(b, n, with);
	if (v.kind != FILTER_VALUE_MISSING) {
		filter_right(b, n);
		return v;
	}
	if (b->general)
		return filter_value_of(FILTER_VALUE_UNKNOWN, n);
	/* the caller that compares them reports what is wrong with a name next to a field */
	return right && with ? v : no_such_field(b, n);
}
