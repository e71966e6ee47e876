/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What asks for a field's value keeps the event that has it, and says it in the words of its
 * format.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/event_types.h"
#include "src/filter/filter_value.h"
#include "src/base/memory.h"
#include "tests/lib/new_filter.h"
#include "tests/lib/open_recorded.h"

#define MAX_ID 4096

/* The expression that asks for field i, among events of the type; false: there is none. */
static bool expression_of(struct trace *trace, const struct trace_event *event,
			  const struct trace_field_value *v, struct text *out)
{
	struct text value = { 0 };
	enum filter_value_form form = filter_value_ask(trace, event, v->name, text_str(&v->raw),
						       text_str(&v->printed), &value);

	text_printf(out, "%s/%s: ", event->type->system, event->type->name);
	if (form != FILTER_ASKS_TERM)
		text_printf(out, "%s == ", v->name);
	text_add(out, text_str(&value));
	text_fini(&value);
	return form != FILTER_ASKS_NOTHING;
}

static bool keeps(struct trace *trace, const char *expression, const struct trace_event *event)
{
	struct filter *filter = new_filter(trace, expression);
	struct filter_run *run = filter_run_new(filter);
	bool kept;

	filter_run_stream(run, event->stream);
	kept = filter_run_event(run, event);
	filter_run_free(run);
	filter_free(filter);
	return kept;
}

static unsigned int check_fields(struct trace *trace, const struct trace_event *event)
{
	struct trace_field_value *fields;
	unsigned int nr = trace_event_fields(trace, event, &fields), asked = 0;

	for (unsigned int i = 0; i < nr; i++) {
		struct text expression = { 0 };
		bool own_name = strcmp(fields[i].name, "lost") && strcmp(fields[i].name, "stack");

		if (own_name && expression_of(trace, event, &fields[i], &expression)) {
			asked++;
			if (!keeps(trace, text_str(&expression), event))
				fail_msg("%s: %s does not keep its event", trace_path(trace, 0),
					 text_str(&expression));
		}
		text_fini(&expression);
	}
	trace_fields_free(fields, nr);
	return asked;
}

static void test_keeps_its_event(void **state)
{
	static const char *const names[] = { "cpu4",      "sample",     "kprobe", "stack",
					     "sched-7.2", "fgraph-7.2", "hist" };
	unsigned int asked = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct trace *trace = open_recorded(names[i], 1);
		struct trace_cursor *cursor = trace_cursor_new(trace);
		unsigned char *seen = mem_alloc(MAX_ID);
		struct trace_event event;

		trace_wait(trace);
		trace_cursor_seek(cursor, trace_first(trace));
		while (trace_cursor_next(cursor, &event)) {
			if (event.kind != TRACE_ROW_EVENT || !event.type ||
			    event.type_id >= MAX_ID || seen[event.type_id] >= 2)
				continue;
			seen[event.type_id]++;
			asked += check_fields(trace, &event);
		}
		free(seen);
		trace_cursor_free(cursor);
		trace_close(trace);
	}
	assert_true(asked > 400);
}

/* What is written for the values of a real event, as a user would. */
static void test_names(void **state)
{
	static const struct { const char *trace, *event, *field, *value; } cases[] = {
		{ "cpu4", "sched_switch", "prev_state", "R" },
		{ "cpu4", "sched_switch", "prev_state", "\"R+\"" },
		{ "cpu4", "sched_switch", "next_pid", "80" },
		{ "cpu4", "softirq_entry", "vec", "TIMER" },
		{ "cpu4", "funcgraph_entry", "func", "schedule" },
		{ "cpu4", "sched_switch", "next_comm", "\"on-cpu-1\"" },
		{ "sample", "foo_bar", "list", "(list[0] == 1 && list[1] == 2)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace *trace = open_recorded(cases[i].trace, 1);
		struct trace_cursor *cursor = trace_cursor_new(trace);
		struct trace_event event;
		bool found = false;

		trace_wait(trace);
		trace_cursor_seek(cursor, trace_first(trace));
		while (!found && trace_cursor_next(cursor, &event)) {
			struct trace_field_value *fields;
			unsigned int nr = 0;

			if (event.kind == TRACE_ROW_EVENT && event.type &&
			    !strcmp(event.type->name, cases[i].event))
				nr = trace_event_fields(trace, &event, &fields);
			for (unsigned int k = 0; k < nr && !found; k++) {
				struct text value = { 0 };

				if (!strcmp(fields[k].name, cases[i].field)) {
					filter_value_ask(trace, &event, cases[i].field,
							 text_str(&fields[k].raw),
							 text_str(&fields[k].printed), &value);
					found = !strcmp(text_str(&value), cases[i].value);
				}
				text_fini(&value);
			}
			if (nr)
				trace_fields_free(fields, nr);
		}
		if (!found)
			fail_msg("no %s of %s is asked for as %s", cases[i].field, cases[i].event,
				 cases[i].value);
		trace_cursor_free(cursor);
		trace_close(trace);
	}
}

static void test_quoting(void **state)
{
	static const struct { const char *value, *quoted; } cases[] = {
		{ "bash", "bash" }, { "12", "\"12\"" }, { "2nd", "\"2nd\"" }, { "-2", "\"-2\"" }, { "", "\"\"" },
		{ "on-cpu-1", "\"on-cpu-1\"" },
		{ "a\"b\\", "\"a\\\"b\\\\\"" }, { "<idle>", "\"<idle>\"" }, { "-", "\"-\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t = { 0 };

		filter_text_quote(cases[i].value, &t);
		assert_string_equal(text_str(&t), cases[i].quoted);
		text_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quoting),
		cmocka_unit_test(test_keeps_its_event),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
