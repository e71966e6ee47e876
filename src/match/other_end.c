/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/match/other_end.h"

#include <string.h>

#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/match/search.h"

#define ENTER	"sys_enter"
#define EXIT	"sys_exit"
#define LTTNG_ENTER	"syscall_entry_"
#define LTTNG_EXIT	"syscall_exit_"

/* What both ends of a call have in common. */
struct call_ends {
	const struct trace_event *event;	/* one of them */
	const char	*name, *other;		/* how the names of both types begin */
	const char	*fields[2];		/* equal at both ends; NULL: no more */
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

static bool same_field(const struct trace_event *a, const struct trace_event *b, const char *name)
{
	const struct event_field *x = event_type_field(a->type, name),
				 *y = event_type_field(b->type, name);

	return !x || !y ||
	       field_u64(x, a->data, a->size, a->swap) == field_u64(y, b->data, b->size, b->swap);
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
		if (!same_field(one, event, call->fields[i]))
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
	search = search_new(trace, event->ref, strcmp(call.name, EXIT) != 0, false, NULL, NULL,
			    is_end, &call);
	found = search_slice(search, budget_ns) == SEARCH_FOUND &&
		trace_event_at(trace, search_found(search), end) && begins(end, call.other);
	search_free(search);
	*is_begin = !strcmp(call.other, ENTER);
	return found;
}
