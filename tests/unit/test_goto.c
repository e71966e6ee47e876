/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ui/rows/goto.h"

static struct goto_place parse(const char *text)
{
	struct ft_error err = { 0 };
	struct goto_place place;

	if (goto_parse(text, false, &place, &err))
		fail_msg("%s: %s at %d", text, err.message, (int)err.offset);
	return place;
}

static void test_places(void **state)
{
	static const struct {
		const char	*text;
		enum goto_kind	 kind;
		int64_t		 value;
		int		 cpu, pid;
	} cases[] = {
		{ "", GOTO_NOTHING, 0, -1, -1 },
		{ "12.345678", GOTO_TIME, 12345678000, -1, -1 },
		{ "7.574321342", GOTO_TIME, 7574321342, -1, -1 },
		{ "12", GOTO_TIME, 12000000000, -1, -1 },
		{ ".5", GOTO_TIME, 500000000, -1, -1 },
		{ "7574ms", GOTO_TIME, 7574000000, -1, -1 },
		{ "+1ms", GOTO_DELTA, 1000000, -1, -1 },
		{ "-20us", GOTO_DELTA, -20000, -1, -1 },
		{ "-20 µs", GOTO_DELTA, -20000, -1, -1 },
		{ "+1.5", GOTO_DELTA, 1500000000, -1, -1 },
		{ "+300ns", GOTO_DELTA, 300, -1, -1 },
		{ "50%", GOTO_PERCENT, 500000, -1, -1 },
		{ "12.5%", GOTO_PERCENT, 125000, -1, -1 },
		{ "#1000", GOTO_ROW, 1000, -1, -1 },
		{ "7.4415 cpu3", GOTO_TIME, 7441500000, 3, -1 },
		{ "50% CPU12", GOTO_PERCENT, 500000, 12, -1 },
		{ "cpu2", GOTO_HERE, 0, 2, -1 },
		{ "7.5 pid80", GOTO_TIME, 7500000000, -1, 80 },
		{ "7.5 cpu3 pid 4194304", GOTO_TIME, 7500000000, 3, 4194304 },
		{ "  7.5 ", GOTO_TIME, 7500000000, -1, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct goto_place p = parse(cases[i].text);

		assert_int_equal(p.kind, cases[i].kind);
		assert_int_equal(p.value, cases[i].value);
		assert_int_equal(p.cpu, cases[i].cpu);
		assert_int_equal(p.pid, cases[i].pid);
	}
}

static void test_times_as_shown(void **state)
{
	(void)state;
	assert_true(parse("7.574228").rounded);
	assert_true(parse("7.574228 cpu1").rounded);
	assert_true(parse("@14:03:22.123456").rounded);
	assert_false(parse("7.57422").rounded);
	assert_false(parse("7.574227913").rounded);
	assert_false(parse("7.574228ms").rounded);
	assert_false(parse("+7.574228").rounded);
}

static void test_marks_commands_and_clocks(void **state)
{
	struct goto_place p;

	(void)state;
	p = parse("'c");
	assert_int_equal(p.kind, GOTO_MARK);
	assert_int_equal(p.letter, 'c');
	assert_int_equal(parse("'A").letter, 'a');
	p = parse("theme light");
	assert_int_equal(p.kind, GOTO_COMMAND);
	assert_string_equal(p.command, "theme light");
	p = parse("@14:03:22.5");
	assert_int_equal(p.kind, GOTO_WALL);
	assert_false(p.has_date);
	assert_int_equal(p.value, ((14 * 60 + 3) * 60 + 22) * 1000000000LL + 500000000);
	assert_int_equal(parse("@14:03").value, (14 * 60 + 3) * 60 * 1000000000LL);
	p = parse("@2026-01-02 00:00:01");
	assert_true(p.has_date);
	assert_int_equal(p.value % 1000000000, 0);
}

static void test_raw_counts(void **state)
{
	struct ft_error err = { 0 };
	struct goto_place p;

	(void)state;
	assert_int_equal(goto_parse("123456789012", true, &p, &err), 0);
	assert_int_equal(p.value, 123456789012);
	assert_int_equal(goto_parse("+5", true, &p, &err), 0);
	assert_int_equal(p.value, 5);
	assert_int_equal(goto_parse("5 cpu2", true, &p, &err), 0);
	assert_int_equal(p.cpu, 2);
	/* there are no parts of a count, and no units */
	assert_int_equal(goto_parse("1.5", true, &p, &err), -1);
	assert_int_equal(err.offset, 1);
	assert_non_null(strstr(err.message, "a whole number"));
	assert_int_equal(goto_parse("+2ms", true, &p, &err), -1);
	assert_int_equal(err.offset, 2);
	assert_non_null(strstr(err.message, "this clock has no unit"));
}

/* What is wrong is pointed at. */
static void test_errors(void **state)
{
	static const struct { const char *text; int offset; } bad[] = {
		{ "12.3x", 4 }, { "+", 1 }, { "#x", 1 }, { "120%", 3 }, { "'1", 1 },
		{ "7.5 cpu", 7 },
		{ "@25:00", 3 }, { "@14", 3 }, { "99999999999999999999", 18 }, { "+1km", 2 },
		{ "#1.5", 2 }, { "7 cpu1.5", 6 }, { "7 pid99999999999", 16 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ft_error err = { 0 };
		struct goto_place p;

		assert_int_equal(goto_parse(bad[i].text, false, &p, &err), -1);
		assert_int_equal(err.code, FT_E_USAGE);
		assert_in_range(err.offset, 0, strlen(bad[i].text));
		if (err.offset != bad[i].offset)
			fail_msg("%s: offset %d, not %d", bad[i].text, (int)err.offset,
				 bad[i].offset);
	}
}

static void test_durations(void **state)
{
	struct ft_error err = { 0 };
	int64_t ns;

	(void)state;
	assert_int_equal(goto_parse_duration("250us", &ns, &err), 0);
	assert_int_equal(ns, 250000);
	assert_int_equal(goto_parse_duration(" 1.5 ms ", &ns, &err), 0);
	assert_int_equal(ns, 1500000);
	assert_int_equal(goto_parse_duration("70", &ns, &err), 0);
	assert_int_equal(ns, 70);
	assert_int_equal(goto_parse_duration("x", &ns, &err), -1);
	assert_int_equal(goto_parse_duration("5 parsecs", &ns, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_times_as_shown),
		cmocka_unit_test(test_marks_commands_and_clocks),
		cmocka_unit_test(test_raw_counts),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
