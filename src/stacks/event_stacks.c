/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/stacks/event_stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

struct event_stacks {
	struct trace	*trace;		/* borrowed */
	struct event_sweep *sweep;	/* owned */
	/* The sweep's until it is done: */
	struct name_table *words;	/* owned */
	struct stack_table *table;	/* owned */
	char		 name[128];	/* of the event before, which stacks belong to; "": it is
					 * not wanted */
	int		 pid;		/* its task */
	uint64_t	 frames[TRACE_MAX_STACK + 1];
};

static void add_stack(struct event_stacks *s, const struct trace_event *event)
{
	bool is_user = !strcmp(trace_event_name(event), "user_stack");
	char word[sizeof(s->name) + 16];
	unsigned int nr;

	if (!s->name[0] || event->pid != s->pid)
		return;
	snprintf(word, sizeof(word), "%s%s", s->name, is_user ? " (user space)" : "");
	nr = stack_table_frames(s->table, s->trace, event, s->frames + 1);
	s->frames[0] = stack_table_word(s->table, word);
	stack_table_add(s->table, s->frames, nr + 1, 1, 1);
}

static void see(void *arg, struct event_sweep *sweep, const struct trace_event *event)
{
	struct event_stacks *s = arg;

	if (event && event->kind == TRACE_ROW_EVENT && trace_event_is_stack(event)) {
		add_stack(s, event);
		return;
	}
	s->name[0] = '\0';		/* behind lost events, a stack belongs to none */
	if (!event || !event_sweep_wants(sweep, event))
		return;
	snprintf(s->name, sizeof(s->name), "%s", trace_event_name(event));
	s->pid = event->pid;
}

struct event_stacks *event_stacks_new(struct trace *trace,
				      const struct event_sweep_options *options)
{
	struct event_stacks *s = mem_alloc(sizeof(*s));

	s->trace = trace;
	s->words = name_table_new();
	s->table = stack_table_new(s->words);
	s->sweep = event_sweep_new(trace, options, see, s);
	return s;
}

void event_stacks_free(struct event_stacks *s)
{
	if (!s)
		return;
	event_sweep_free(s->sweep);
	stack_table_free(s->table);
	name_table_free(s->words);
	free(s);
}

struct event_sweep *event_stacks_sweep(const struct event_stacks *s)
{
	return s->sweep;
}

const struct stack_table *event_stacks_table(const struct event_stacks *s)
{
	return s->table;
}
