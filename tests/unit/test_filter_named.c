/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters with names: the file of the user, and what the ready-made ones keep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/types/field.h"
#include "src/commands/derived_names.h"
#include "src/filter/filter_named.h"
#include "tests/lib/open_recorded.h"

static char path[] = "/tmp/ftop-named-XXXXXX";

static void write_file(const char *s)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(s, file);
	assert_int_equal(fclose(file), 0);
}

static const char *text_of(const struct filter_named *named, const char *name)
{
	for (unsigned int i = 0; i < named->nr; i++)
		if (!strcmp(named->macros[i].name, name))
			return named->macros[i].text;
	return NULL;
}

static void test_file(void **state)
{
	struct filter_named named;
	struct ft_error err = { 0 };

	(void)state;
	write_file(
		"# mine\n\nmine = sched_switch && cpu == 1\n\t a_1 =  comm == \"a = b\" \t\r\nerrors = ret == -2\nlast = x");
	assert_int_equal(filter_named_read(&named, path, derived_names, &err), 0);
	assert_int_equal(named.nr_own, 4);
	assert_string_equal(text_of(&named, "mine"), "sched_switch && cpu == 1");
	assert_string_equal(text_of(&named, "a_1"), "comm == \"a = b\"");
	assert_string_equal(text_of(&named, "last"), "x");
	/* before the ready-made one */
	assert_string_equal(text_of(&named, "errors"), "ret == -2");
	assert_null(text_of(&named, "comm"));
	assert_null(filter_named_help(&named, 0));
	assert_non_null(filter_named_help(&named, named.nr_own));
	assert_null(filter_named_help(&named, named.nr));
	filter_named_fini(&named);
}

/* What is wrong is told by its line; what is sound is taken. */
static void test_wrong_lines(void **state)
{
	static const struct { const char *s; unsigned int line, nr; } cases[] = {
		{ "a = b\n1a = b\nc = d\n", 2, 2 }, { "a b = c\n", 1, 0 }, { "= c\n", 1, 0 },
		{ "a\n", 1, 0 },
		{ "cpu = pid == 1\nc = d\n", 1, 1 },
		{ "a = b\nand = c\nstack = d\ntrue = 1\n", 2, 1 },
		{ "x = y\n\nb =\n", 3, 1 }, { "b = \t\n\xff = 1\nz = 1", 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ft_error err = { 0 };
		struct filter_named named;
		char expected[256];

		write_file(cases[i].s);
		assert_int_equal(filter_named_read(&named, path, derived_names, &err), -1);
		snprintf(expected, sizeof(expected), "%s, line %u: ", path, cases[i].line);
		assert_memory_equal(err.message, expected, strlen(expected));
		assert_int_equal(named.nr_own, cases[i].nr);
		filter_named_fini(&named);
	}
}

static void test_limits(void **state)
{
	struct ft_error err = { 0 };
	struct filter_named named;
	struct text t = { 0 };

	(void)state;
	for (int i = 0; i <= FILTER_NAMED_MAX; i++)
		text_printf(&t, "n%d = cpu == %d\n", i, i);
	write_file(text_str(&t));
	assert_int_equal(filter_named_read(&named, path, derived_names, &err), -1);
	assert_int_equal(named.nr_own, FILTER_NAMED_MAX);
	filter_named_fini(&named);
	while (t.len <= FILTER_NAMED_BYTES)
		text_add(&t, "# nothing\n");
	write_file(text_str(&t));
	assert_int_equal(filter_named_read(&named, path, derived_names, &err), -1);
	assert_int_equal(named.nr_own, 0);
	filter_named_fini(&named);
	assert_int_equal(filter_named_read(&named, "/nowhere/at/all", derived_names, &err), 0);
	filter_named_fini(&named);
	assert_int_equal(filter_named_read(&named, NULL, derived_names, &err), 0);
	filter_named_fini(&named);
	text_fini(&t);
}

static void test_change(void **state)
{
	static const struct { const char *before, *name, *text, *after; } cases[] = {
		{ "", "a", "b", "a = b\n" },
		{ "# x\na = b\nc = d", "a", "e", "# x\na = e\nc = d\n" },
		{ "a = b\nc = d\n", "a", "", "c = d\n" },
		{ "a = b\na = c\nbad line\n", "a", "e", "a = e\nbad line\n" },
		{ "ab = b\n", "a", "c", "ab = b\na = c\n" },
		{ "cpu = b\nx = 1\n", "a", "c", "cpu = b\nx = 1\na = c\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text out = { 0 };

		filter_named_change(cases[i].before, cases[i].name, cases[i].text, &out);
		assert_string_equal(text_str(&out), cases[i].after);
		text_fini(&out);
	}
	assert_true(filter_named_is_name("_a1", derived_names));
	assert_false(filter_named_is_name("1a", derived_names));
	assert_false(filter_named_is_name("a b", derived_names));
	assert_false(filter_named_is_name("", derived_names));
	for (const char *const *word = (const char *const[]){ "cpu", "COMM", "wait", "not",
							      "between", "CPUS", "false", NULL };
	     *word; word++)
		assert_false(filter_named_is_name(*word, derived_names));
	assert_true(filter_named_is_name("cpus", derived_names));
}

/* --- what the ready-made ones keep --------------------------------------- */

static int64_t number(const struct trace_event *event, const char *name)
{
	const struct event_field *field = event_type_field(event->type, name);

	return field ? (int64_t)field_u64(field, event->data, event->size, event->swap) : 0;
}

static bool is_slow(struct trace *trace, const struct trace_event *event)
{
	(void)trace;
	return trace_event_duration(event) >= 1000000;
}

static bool is_error(struct trace *trace, const struct trace_event *event)
{
	(void)trace;
	return !strncmp(trace_event_name(event), "sys_exit", 8) && number(event, "ret") < 0;
}

static bool is_involuntary(struct trace *trace, const struct trace_event *event)
{
	struct text t = { 0 };
	bool is;

	/* The kernel's own word for it: it goes, and could run. */
	if (strcmp(trace_event_name(event), "sched_switch") || !number(event, "prev_pid"))
		return false;
	trace_event_text(trace, event, NULL, TRACE_TEXT_KERNEL, &t);
	is = strstr(text_str(&t), " prev_state=R ") || strstr(text_str(&t), " prev_state=R+ ");
	text_fini(&t);
	return is;
}

static bool is_deferred(struct trace *trace, const struct trace_event *event)
{
	return !strcmp(trace_event_name(event), "softirq_entry") &&
	       !strncmp(trace_comm(trace, event->file, event->pid, event->ts), "ksoftirqd", 9);
}

static void compare(const char *recorded, const char *name,
		    bool (*holds)(struct trace *trace, const struct trace_event *event))
{
	struct filter_options with = { 0 };
	struct filter_source source = { .text = name, .file = -1 };
	struct filter_error filter_err = { 0 };
	struct ft_error err = { 0 };
	struct filter_named named;
	struct trace_event event;
	struct trace_cursor *cursor;
	struct filter *filter;
	struct filter_run *run;
	struct trace *trace = open_recorded(recorded, 1);
	unsigned int nr = 0;

	trace_wait(trace);
	assert_int_equal(filter_named_read(&named, NULL, derived_names, &err), 0);
	with.macros = named.macros;
	with.nr_macros = named.nr;
	filter = filter_new(trace, &source, 1, &with, &filter_err);
	if (!filter)
		fail_msg("%s: %s", name, text_str(&filter_err.message));
	filter_wait(filter);
	run = filter_run_new(filter);
	cursor = trace_cursor_new(trace);
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		bool expected = event.kind == TRACE_ROW_EVENT && holds(trace, &event);

		assert_int_equal(filter_run_event(run, &event), expected);
		nr += expected;
	}
	assert_true(nr > 0);
	trace_cursor_free(cursor);
	filter_run_free(run);
	filter_free(filter);
	filter_named_fini(&named);
	trace_close(trace);
}

static void test_ready_made(void **state)
{
	(void)state;
	compare("cpu4", "slow_calls", is_slow);
	compare("cpu4", "involuntary_switches", is_involuntary);
	compare("sched", "involuntary_switches", is_involuntary);
	compare("sched-7.2", "involuntary_switches", is_involuntary);
	compare("cpu4", "softirq_storms", is_deferred);
	compare("subbuf", "errors", is_error);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int drop_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_wrong_lines),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_ready_made),
	};

	return cmocka_run_group_tests(tests, make_file, drop_file);
}
