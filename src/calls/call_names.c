/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_names.h"

#include <string.h>

#include "parsers/types/field.h"
#include "src/calls/call_facts.h"
#include "src/trace/trace_streams.h"

#define CALLS "calls (function_graph)"

static bool is_exit(const struct event_type *type)
{
	return !strcmp(type->name, "funcgraph_exit") && !strcmp(type->system, "ftrace");
}

static bool is_call(const struct event_type *type)
{
	return is_exit(type) ||
	       (!strcmp(type->system, "ftrace") && (!strcmp(type->name, "funcgraph_entry") ||
						    !strcmp(type->name, "fgraph_retaddr_entry")));
}

/* --- the record of a call's end ---------------------------------------------------------- */

enum { OF_DURATION, OF_RETURN };

static bool tells_return(const struct event_type *type)
{
	return is_exit(type) && event_type_field(type, "retval");
}

/* An event, mostly a system call, may have a field of that name: then the word means the field. */
static bool has_return(const struct event_type *type)
{
	return tells_return(type) || event_type_field(type, "ret");
}

/* As print_graph_retval(): an error code as an int is an error, too. */
static bool return_of(const struct filter_record *rec, int64_t *value)
{
	const struct event_field *field = event_type_field(rec->type, "retval");
	uint64_t v;

	if (!field || field->offset + field->size > rec->size)
		return false;
	v = field_u64(field, rec->data, rec->size, rec->swap);
	*value = (int64_t)v;
	if (v <= UINT32_MAX && (int32_t)(uint32_t)v < 0 && (int32_t)(uint32_t)v >= -4095)
		*value = (int32_t)(uint32_t)v;
	return true;
}

static bool end_applies(unsigned int number, const struct event_type *type)
{
	return number == OF_RETURN ? tells_return(type) : is_exit(type);
}

static bool end_needs(unsigned int number, const struct event_type *type)
{
	return number == OF_RETURN ? has_return(type) : is_exit(type);
}

static bool end_value(unsigned int number, const struct filter_record *rec, int64_t *value)
{
	if (number == OF_RETURN)
		return return_of(rec, value);
	*value = trace_exit_duration(rec->type, rec->data, rec->size, rec->swap);
	return *value >= 0;
}

static const struct filter_model end_model = { .applies = end_applies,
					       .needs = end_needs,
					       .value = end_value };

/* --- values from a pass over all calls ------------------------------------------------------ */

static bool facts_apply(unsigned int number, const struct event_type *type)
{
	return number == CALL_UNDER || is_exit(type);
}

static bool facts_need(unsigned int number, const struct event_type *type)
{
	return number == CALL_UNDER ? is_call(type) : is_exit(type);
}

static struct derived_value *facts_want(struct trace *trace, unsigned int file, unsigned int number,
					const struct filter_set *functions)
{
	return call_facts_want(call_facts_keep(trace, file), number, functions);
}

static void facts_begin(struct trace *trace, unsigned int file)
{
	call_facts_start(call_facts_keep(trace, file));
}

static void facts_wait(struct trace *trace, unsigned int file)
{
	call_facts_wait(call_facts_keep(trace, file));
}

static const struct filter_model facts_model = {
	.applies = facts_apply, .needs = facts_need, .want = facts_want, .begin = facts_begin,
	.wait = facts_wait,
};

/* --- the table -------------------------------------------------------------------------------- */

const struct filter_name call_names[] = {
	{ .name = "dur", .kind = FILTER_NAME_VALUE,
	  .help = "at the exit of a call: how long the call took: dur > 100us",
	  .model = &end_model, .number = OF_DURATION, .needs = CALLS, .is_duration = true },
	{ .name = "self", .kind = FILTER_NAME_DERIVED,
	  .help = "the same, without the calls in it and without time off the CPU",
	  .model = &facts_model, .number = CALL_SELF, .needs = CALLS, .is_duration = true },
	{ .name = "net", .kind = FILTER_NAME_DERIVED,
	  .help = "the same, without recorded interrupts and time off the CPU; needs sched_switch",
	  .model = &facts_model, .number = CALL_NET, .needs = CALLS, .is_duration = true },
	{ .name = "ret", .kind = FILTER_NAME_VALUE,
	  .help = "at the exit of a call: its return value (Linux 6.5 or later)",
	  .model = &end_model, .number = OF_RETURN, .least = -4095,
	  .needs = "return values: neither system calls nor calls with funcgraph-retval" },
	{ .name = "under", .kind = FILTER_NAME_WORD,
	  .help = "under FUNCTION: within a call of it, by the same task",
	  .model = &facts_model, .number = CALL_UNDER, .needs = CALLS },
	{ .name = NULL },
};
