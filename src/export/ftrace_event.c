/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/export/ftrace_event.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/export/proto.h"

/* Numbers of fields, in ftrace_event_bundle.proto and ftrace_event.proto. */
enum { BUNDLE_EVENT = 2, BUNDLE_DESCRIPTORS = 11 };
enum { DESCRIPTOR_NUMBER = 1, DESCRIPTOR_EVENT = 2, DESCRIPTOR_GROUP = 3 };
/* trace_processor takes any other field for an event, also common_flags (ParseFtraceEvent()). */
enum { EVENT_TIMESTAMP = 1, EVENT_PID = 2 };
/* In descriptor.proto of protobuf: a message, its fields, and what a field holds. */
enum { MESSAGE_NAME = 1, MESSAGE_FIELD = 2 };
enum { FIELD_NAME = 1, FIELD_NUMBER = 3, FIELD_LABEL = 4, FIELD_TYPE = 5 };
enum { LABEL_OPTIONAL = 1, LABEL_REPEATED = 3 };
enum { TYPE_INT64 = 3, TYPE_UINT64 = 4, TYPE_STRING = 9 };

#define MOST_FIELDS	31u		/* of a described event: trace_processor reads no more */

enum step_kind {
	STEP_NUMBER,
	STEP_FUNCTION,			/* an address; the file has the name's number */
	STEP_NUMBERS,			/* elements of an array */
	STEP_STRING,
	STEP_TEXT,			/* as text: bytes, sets of numbers */
};

struct ftrace_step {
	const struct event_field *field;
	enum step_kind	 kind;
	unsigned int	 number;	/* in its event's message */
};

/* --- plans ------------------------------------------------------------------------------------ */

static enum step_kind kind_of(const struct event_field *f, bool is_function)
{
	bool is_array = f->kind == FIELD_ARRAY || f->kind == FIELD_DYNAMIC_ARRAY;

	if (event_field_is_number(f))
		return is_function ? STEP_FUNCTION : STEP_NUMBER;
	if (f->kind == FIELD_STRING || f->kind == FIELD_DYNAMIC_STRING)
		return STEP_STRING;
	return is_array && field_is_number(f->element_size) && f->element_size > 1 ? STEP_NUMBERS :
										     STEP_TEXT;
}

static void add_step(struct ftrace_plan *plan, const struct event_field *field, unsigned int number,
		     enum step_kind kind)
{
	plan->steps[plan->nr++] = (struct ftrace_step){ field, kind, number };
}

/* A field of a known event, as Perfetto expects it. */
static void plan_known(struct ftrace_plan *plan, const struct ftrace_known *known,
		       const struct event_field *f)
{
	char mark = '\0';
	unsigned int number = ftrace_known_field(known, f->name, &mark);
	enum step_kind kind = kind_of(f, mark == '&');

	if (number && (mark == '$') == (kind == STEP_STRING) && kind != STEP_TEXT)
		add_step(plan, f, number, kind);
}

/*
 * Events of a system call become those of all: its number, and arguments or what it returned.
 * Events that are not known are described with all their fields.
 */
static void plan_fields(struct ftrace_plan *plan, const struct ftrace_known *known, bool is_syscall)
{
	for (unsigned int i = plan->type->nr_common; i < plan->type->nr_fields; i++) {
		const struct event_field *f = &plan->type->fields[i];

		if (known && !is_syscall)
			plan_known(plan, known, f);
		else if (is_syscall && event_field_is_number(f))
			add_step(plan, f, i == plan->type->nr_common ? 1 : 2, STEP_NUMBER);
		else if (!is_syscall && plan->nr < MOST_FIELDS)
			add_step(plan, f, plan->nr + 1, kind_of(f, false));
	}
}

static enum ftrace_use use_of(const struct event_type *type)
{
	static const struct {
		const char	*name;
		enum ftrace_use	 use;
	} uses[] = { { "funcgraph_entry", FTRACE_CALL }, { "funcgraph_exit", FTRACE_CALL },
		     { "fgraph_retaddr_entry", FTRACE_CALL }, { "function", FTRACE_FUNCTION },
		     { "print", FTRACE_PRINT }, { "bprint", FTRACE_TEXT },
		     { "bputs", FTRACE_TEXT } };

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]) && !strcmp(type->system, "ftrace");
	     i++)
		if (!strcmp(type->name, uses[i].name))
			return uses[i].use;
	return FTRACE_EVENT;
}

void ftrace_plan_init(struct ftrace_plan *plan, const struct event_type *type, unsigned int number,
		      bool raw_syscalls)
{
	bool is_enter = !strncmp(type->name, "sys_enter_", 10);
	bool is_syscall = !raw_syscalls && !strcmp(type->system, "syscalls") &&
			  (is_enter || !strncmp(type->name, "sys_exit_", 9));
	const struct ftrace_known *known = ftrace_known_find(!is_syscall ? type->name :
							     is_enter    ? "sys_enter" :
									   "sys_exit");

	*plan = (struct ftrace_plan){ .type = type, .use = use_of(type), .is_known = known };
	plan->number = known ? known->number : number;
	plan->steps = mem_array(type->nr_fields + 1ul, sizeof(*plan->steps));
	plan_fields(plan, known, is_syscall);
}

void ftrace_plan_fini(struct ftrace_plan *plan)
{
	free(plan->steps);
}

/* --- descriptions ----------------------------------------------------------------------------- */

void ftrace_plan_describe(const struct ftrace_plan *plan, struct text *out)
{
	size_t outer = proto_begin(out, BUNDLE_DESCRIPTORS), message, field;

	proto_number(out, DESCRIPTOR_NUMBER, plan->number);
	proto_string(out, DESCRIPTOR_GROUP, plan->type->system);
	message = proto_begin(out, DESCRIPTOR_EVENT);
	proto_string(out, MESSAGE_NAME, plan->type->name);
	for (unsigned int i = 0; i < plan->nr; i++) {
		const struct ftrace_step *step = &plan->steps[i];
		field = proto_begin(out, MESSAGE_FIELD);
		proto_string(out, FIELD_NAME, step->field->name);
		proto_number(out, FIELD_NUMBER, step->number);
		proto_number(out, FIELD_LABEL,
			     step->kind == STEP_NUMBERS ? LABEL_REPEATED : LABEL_OPTIONAL);
		proto_number(out, FIELD_TYPE,
			     step->kind >= STEP_STRING ? TYPE_STRING :
			     step->field->is_signed    ? TYPE_INT64 :
							 TYPE_UINT64);
		proto_end(out, field);
	}
	proto_end(out, message);
	proto_end(out, outer);
}

/* --- events ----------------------------------------------------------------------------------- */

static void add_field(const struct ftrace_step *step, const struct trace_event *event,
		      ftrace_function_number number, void *arg, struct text *out)
{
	const struct event_field *f = step->field;
	struct field_span span;
	size_t start;

	switch (step->kind) {
	case STEP_NUMBER:
		proto_number(out, step->number,
			     field_u64(f, event->data, event->size, event->swap));
		break;
	case STEP_FUNCTION:
		proto_number(out, step->number,
			     number(arg, field_u64(f, event->data, event->size, event->swap)));
		break;
	case STEP_NUMBERS:
		span = field_bytes(f, event->data, event->size, event->swap);
		for (uint32_t i = 0; i < span.len / f->element_size; i++)
			proto_number(out, step->number, field_element(f, span, i, event->swap));
		break;
	case STEP_STRING:
		span = field_bytes(f, event->data, event->size, event->swap);
		proto_bytes(out, step->number, span.data, span.len);
		break;
	case STEP_TEXT:
		start = proto_begin(out, step->number);
		field_text(f, event->data, event->size, event->swap, out);
		proto_end(out, start);
		break;
	}
}

void ftrace_plan_event(const struct ftrace_plan *plan, const struct trace_event *event,
		       ftrace_function_number number, void *arg, struct text *out)
{
	size_t start = proto_begin(out, BUNDLE_EVENT), message;

	proto_number(out, EVENT_TIMESTAMP, (uint64_t)event->ts);
	proto_number(out, EVENT_PID, (uint32_t)event->pid);
	message = proto_begin(out, plan->number);
	for (unsigned int i = 0; i < plan->nr; i++)
		add_field(&plan->steps[i], event, number, arg, out);
	proto_end(out, message);
	proto_end(out, start);
}
