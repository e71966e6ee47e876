/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/filter/filter.h"
#include "src/base/memory.h"
#include "src/report/report_filter.h"
#include "src/trace/time_option.h"
#include "src/trace/warnings.h"

static bool is_number(const char *s)
{
	return *s && strlen(s) < 11 && strspn(s, "0123456789") == strlen(s);
}

int scope_option(struct scope_words *w, const struct option_value *value, struct ft_error *err)
{
	if (value->id != SCOPE_TASK)
		return filter_option(&w->given, value, err);
	mem_grow(&w->tasks, w->nr_tasks, &w->cap_tasks);
	w->tasks[w->nr_tasks++] = value->value;
	return 1;
}

void scope_words_fini(struct scope_words *w)
{
	free(w->tasks);
	filter_given_fini(&w->given);
}

bool scope_needs_names(const struct scope_words *w)
{
	for (unsigned int i = 0; i < w->nr_tasks; i++)
		if (!is_number(w->tasks[i]))
			return true;
	return w->given.nr;
}

/* --- filters ----------------------------------------------------------------------- */

static void add_name(struct text *out, const char *name, size_t len)
{
	bool glob = memchr(name, '*', len) || memchr(name, '?', len);

	text_printf(out, "comm %s \"", glob ? "~" : "==");
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '"')
			text_char(out, '\\');
		text_char(out, name[i]);
	}
	text_char(out, '"');
}

/* "74", "bash", "kworker*", and "wl-ping-74" as the screen shows it */
static void add_task(struct text *out, const char *task)
{
	const char *dash = strrchr(task, '-');

	if (is_number(task)) {
		text_printf(out, "pid == %s", task);
		return;
	}
	if (dash && dash > task && is_number(dash + 1)) {
		text_printf(out, "pid == %s && ", dash + 1);
		add_name(out, task, (size_t)(dash - task));
		text_add(out, " || ");
	}
	add_name(out, task, strlen(task));
}

void scope_tasks_text(const struct scope_words *w, struct text *out)
{
	for (unsigned int i = 0; i < w->nr_tasks; i++) {
		text_add(out, i ? " || " : "");
		add_task(out, w->tasks[i]);
	}
}

static int set_filters(struct graph_scope *scope, struct trace *trace, const struct scope_words *w,
		       struct ft_error *err)
{
	const struct filter_given *g = &w->given;
	struct filter_source source = { .file = -1 };
	struct text tasks = { 0 };
	int ret = 0;

	if (g->nr &&
	    !(scope->filters[scope->nr_filters++] = report_filter_bind(trace, g->sources, g->nr,
								       g->compat, err)))
		ret = -1;
	scope_tasks_text(w, &tasks);
	source.text = text_str(&tasks);
	if (!ret && tasks.len &&
	    !(scope->filters[scope->nr_filters++] = report_filter_bind(trace, &source, 1, false,
								       err)))
		ret = -1;
	text_fini(&tasks);
	return ret;
}

int scope_init(struct graph_scope *scope, bool *all, struct trace *trace,
	       const struct scope_words *w, struct ft_error *err)
{
	const struct filter_given *g = &w->given;

	*scope = (struct graph_scope){
		.has_from = g->from, .has_to = g->to, .cpus = g->cpus, .nr_cpus = FILTER_OPTION_CPUS
	};
	if (time_option_range(trace, g->from, g->to, &scope->from, &scope->to, err))
		return -1;
	*all = !g->from && !g->to && !g->cpus && !w->nr_tasks && !g->nr;
	if (set_filters(scope, trace, w, err)) {
		scope_fini(scope);
		return -1;
	}
	return 0;
}

void scope_fini(struct graph_scope *scope)
{
	for (unsigned int i = 0; i < scope->nr_filters; i++)
		filter_free((struct filter *)scope->filters[i]);
	scope->nr_filters = 0;
}

int scope_check(const struct graph_scope *scope, struct ft_error *err)
{
	for (unsigned int i = 0; i < scope->nr_filters; i++)
		if (filter_given_up(scope->filters[i]))
			return ft_error_set(err, FT_E_LIMIT, -1, "-F: %s", FILTER_GIVEN_UP);
	return 0;
}

static void tell_empty(const struct graph_scope *scope, struct trace *trace)
{
	if (time_option_tell_outside(trace, scope->has_from, scope->from, scope->has_to, scope->to))
		return;
	for (unsigned int i = 0; i < scope->nr_filters; i++)
		if (report_filter_tell_empty(trace, scope->filters[i]))
			return;
	warnings_tell("no call is selected");
}

void scope_tell(const struct graph_scope *scope, struct trace *trace, struct scope_result result)
{
	if (!result.any && scope)
		tell_empty(scope, trace);
	else if (!result.any)
		warnings_tell(
			"the trace has no function calls; ftop-trace record -p function_graph records them");
	else if (result.inferred)
		warnings_tell(
			"calls of the tracer function: the tree is inferred from callers and stack traces; times were not recorded");
	else if (!result.has_away)
		warnings_tell(
			"no sched_switch events with the clock of the calls: self and net include time off the CPU");
}
