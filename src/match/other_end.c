/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/match/other_end.h"

#include <string.h>

#include "parsers/source/source.h"
#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/match/search.h"
#include "src/trace/syscall_names.h"

#define ENTER	"sys_enter"
#define EXIT	"sys_exit"
#define LTTNG_ENTER	"syscall_entry_"
#define LTTNG_EXIT	"syscall_exit_"

/* What both ends of a call have in common. */
struct call_ends {
	const struct trace_event *event;	/* one of them */
	const char	*name, *other;		/* how the names of both types begin */
	const char	*fields[2];		/* equal at both ends; NULL: no more */
	struct syscall_returns returns;
};

static const struct call_ends kinds[] = {
	{ .name = "funcgraph_entry", .other = "funcgraph_exit", .fields = { "depth", "func" } },
	{ .name = ENTER, .other = EXIT, .fields = { "id" } },
	{ .name = EXIT, .other = ENTER, .fields = { "id" } },
	{ .name = LTTNG_ENTER, .other = LTTNG_EXIT },
	{ .name = LTTNG_EXIT, .other = LTTNG_ENTER },
};

static bool begins(const struct trace_event *event, const char *name)
{
	return !strncmp(trace_event_name(event), name, strlen(name));
}

static bool same_field(const struct call_ends *call, const struct trace_event *other,
		       const char *name)
{
	const struct trace_event *one = call->event;
	const struct event_field *x = event_type_field(one->type, name),
				 *y = event_type_field(other->type, name);
	uint64_t a = x ? field_u64(x, one->data, one->size, one->swap) : 0,
		 b = y ? field_u64(y, other->data, other->size, other->swap) : 0;

	return !x || !y || a == b ||
	       (!strcmp(call->name, ENTER) && syscall_names_ends(&call->returns, (int)a, (int)b)) ||
	       (!strcmp(call->name, EXIT) && syscall_names_ends(&call->returns, (int)b, (int)a));
}

/* A record of the task at which the search ends: the other end, or another call's same end. */
static bool is_end(void *arg, const struct trace_event *event)
{
	const struct call_ends *call = arg;
	const struct trace_event *one = call->event;

	if (event->kind != TRACE_ROW_EVENT || !event->type || event->pid != one->pid ||
	    event->file != one->file || event->buffer != one->buffer ||
	    (!event->pid && event->cpu != one->cpu))
		return false;
	for (unsigned int i = 0; i < 2 && call->fields[i]; i++)
		if (!same_field(call, event, call->fields[i]))
			return false;
	if (begins(event, call->name))
		return event->type == one->type;
	return begins(event, call->other) && !strcmp(trace_event_name(event) + strlen(call->other),
						     trace_event_name(one) + strlen(call->name));
}

bool other_end_find(struct trace *trace, const struct trace_event *event, int64_t budget_ns,
		    struct trace_event *end, bool *is_begin)
{
	struct call_ends call = { 0 };
	struct search *search;
	bool found;

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (event->kind == TRACE_ROW_EVENT && event->type && begins(event, kinds[i].name))
			call = kinds[i];
	if (!call.name)
		return false;
	call.event = event;
	call.returns = syscall_names_returns(source_info(trace_file_of(trace, event->file))->uname);
	search = search_new(trace, event->ref, strcmp(call.name, EXIT) != 0, false, NULL, NULL,
			    is_end, &call);
	found = search_slice(search, budget_ns) == SEARCH_FOUND &&
		trace_event_at(trace, search_found(search), end) && begins(end, call.other);
	search_free(search);
	*is_begin = !strcmp(call.other, ENTER);
	return found;
}
