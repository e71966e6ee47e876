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
#define LONGEST_NUMBER	(2 + PROTO_LONGEST)	/* bytes, with its tag */
#define LONGEST_HEAD	(4 * PROTO_LONGEST + 16)	/* of an event without its fields */

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
	uint8_t		 tag_bytes;	/* 1 or 2 */
	char		 tag[2];
	unsigned int	 number;
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
	struct ftrace_step *step = &plan->steps[plan->nr++];
	unsigned int wire = kind >= STEP_STRING ? PROTO_BYTES : PROTO_VARINT;
	char tag[PROTO_LONGEST];

	*step = (struct ftrace_step){ .field = field, .kind = kind, .number = number };
	step->tag_bytes = (uint8_t)(proto_put(tag, PROTO_TAG(number, wire)) - tag);
	memcpy(step->tag, tag, step->tag_bytes);
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
	plan->tag = PROTO_TAG(known ? known->number : number, PROTO_BYTES);
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

	proto_number(out, DESCRIPTOR_NUMBER, plan->tag >> 3);
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

/* What is not one number; there is room for what follows again. */
static void add_bytes(const struct ftrace_plan *plan, const struct ftrace_step *step,
		      const struct trace_event *event, struct text *out)
{
	const struct event_field *f = step->field;
	struct field_span span = field_bytes(f, event->data, event->size, event->swap);
	uint32_t nr = step->kind == STEP_NUMBERS ? span.len / f->element_size : 0;
	size_t start;

	if (step->kind == STEP_STRING) {
		proto_bytes(out, step->number, span.data, span.len);
	} else if (step->kind == STEP_TEXT) {
		start = proto_begin(out, step->number);
		field_text(f, event->data, event->size, event->swap, out);
		proto_end(out, start);
	}
	for (uint32_t i = 0; i < nr; i++)
		proto_number(out, step->number, field_element(f, span, i, event->swap));
	text_reserve(out, LONGEST_HEAD + (size_t)plan->nr * LONGEST_NUMBER);
}

static void add_fields(const struct ftrace_plan *plan, const struct trace_event *event,
		       ftrace_function_number number, void *arg, struct text *out)
{
	for (unsigned int i = 0; i < plan->nr; i++) {
		const struct ftrace_step *step = &plan->steps[i];
		char *p = out->data + out->len;
		uint64_t v;

		if (step->kind > STEP_FUNCTION) {
			add_bytes(plan, step, event, out);
			continue;
		}
		v = field_u64(step->field, event->data, event->size, event->swap);
		if (step->kind == STEP_FUNCTION)
			v = number(arg, v);
		*p++ = step->tag[0];
		if (step->tag_bytes > 1)
			*p++ = step->tag[1];
		p = proto_put(p, v);
		out->len = (size_t)(p - out->data);
	}
}

void ftrace_plan_event(const struct ftrace_plan *plan, const struct trace_event *event,
		       ftrace_function_number number, void *arg, struct text *out)
{
	size_t start = proto_begin(out, BUNDLE_EVENT), message;
	char *p;

	text_reserve(out, LONGEST_HEAD + (size_t)plan->nr * LONGEST_NUMBER);
	p = out->data + out->len;
	*p++ = PROTO_TAG(EVENT_TIMESTAMP, PROTO_VARINT);
	p = proto_put(p, (uint64_t)event->ts);
	*p++ = PROTO_TAG(EVENT_PID, PROTO_VARINT);
	p = proto_put(p, (uint32_t)event->pid);
	p = proto_put(p, plan->tag);
	message = (size_t)(p + 1 - out->data);
	out->len = message;
	add_fields(plan, event, number, arg, out);
	proto_end(out, message);
	proto_end(out, start);
}
