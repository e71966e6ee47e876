/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of the command line, on a clock of ns and on one that counts; trace-cmd's text says from
 * when to when the traces are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/base/text.h"
#include "src/trace/offset_option.h"
#include "src/trace/time_option.h"
#include "tests/lib/open_recorded.h"

#define FIRST		INT64_C(7328262112)	/* of cpu4 */
#define LAST		INT64_C(7692614250)
#define FIRST_COUNT	INT64_C(47399730947)	/* of clock-tsc */
#define LAST_COUNT	INT64_C(47659437523)

static void check_right(struct trace *trace, const char *s, int64_t wanted)
{
	struct ft_error err = { 0 };
	int64_t ts = -1;

	if (time_option_parse(trace, "from", s, &ts, &err))
		fail_msg("%s: %s", s, err.message);
	if (ts != wanted)
		fail_msg("%s is %lld, not %lld", s, (long long)ts, (long long)wanted);
}

static void check_wrong(struct trace *trace, const char *s, const char *what)
{
	struct ft_error err = { 0 };
	char message[200];
	int64_t ts = -1;

	snprintf(message, sizeof(message), "--to %s: %s", s, what);
	assert_int_equal(time_option_parse(trace, "to", s, &ts, &err), -1);
	assert_int_equal(err.code, FT_E_USAGE);
	assert_string_equal(err.message, message);
	assert_int_equal(ts, -1);
}

static void test_times(void **state)
{
	static const struct { const char *s; int64_t ts; } right[] = {
		{ "7.554", INT64_C(7554000000) }, { "7554ms", INT64_C(7554000000) },
		{ "7", INT64_C(7000000000) },
		{ "7s", INT64_C(7000000000) }, { "007.5s", INT64_C(7500000000) }, { "0", 0 },
		{ "12ns", 12 }, { "7554us", 7554000 },
		{ "7554µs", 7554000 }, { "1.5us", 1500 }, { "0.25ms", 250000 }, { "1.9ns", 1 },
		{ "0.000000001", 1 }, { "0.0000000019", 1 }, { "0.123456789987654321", 123456789 },
		{ "9223372036.854775807", INT64_MAX }, { "9223372036854775807ns", INT64_MAX },
		{ "+0", FIRST }, { "+1ms", FIRST + 1000000 },
		{ "+1.5", FIRST + INT64_C(1500000000) }, { "+7ns", FIRST + 7 },
	};
	static const char *const wrong[] = { "", "+", "x", "7x", "7min", "-1", "++1", "+-1", ".5",
					     "7.5.5", " 7", "7 ", "7 ms", "7MS",
					     "0x7", "1e3", "7,5", "µs" };
	static const char *const large[] = { "9223372036.854775808", "9223372037",
					     "9223372036854775808ns", "18446744073709551616ns",
					     "99999999999999999999999", "9223372036854775807",
					     "+9223372036.854775807" };
	struct trace *trace = open_recorded("cpu4", 1);

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		check_right(trace, right[i].s, right[i].ts);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		check_wrong(trace, wrong[i], "not a time like 7.554, 7554ms or +1ms");
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		check_wrong(trace, large[i], "the time is too large");
	trace_close(trace);
}

static void test_counts(void **state)
{
	static const char *const wrong[] = { "", "+", "1.5", "5ms", "5s", "5 ", "x" };
	struct trace *trace = open_recorded("clock-tsc", 1);

	(void)state;
	check_right(trace, "47399730947", FIRST_COUNT);
	check_right(trace, "0", 0);
	check_right(trace, "9223372036854775807", INT64_MAX);
	check_right(trace, "+0", FIRST_COUNT);
	check_right(trace, "+1000", FIRST_COUNT + 1000);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		check_wrong(
			trace, wrong[i],
			"not a clock count like 1500 or +1500; the clock of this trace does not measure time");
	check_wrong(trace, "9223372036854775808", "the time is too large");
	check_wrong(trace, "+9223372036854775807", "the time is too large");
	trace_close(trace);
}

static void test_range(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);
	int64_t from = 1, to = 2;
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(time_option_range(trace, NULL, NULL, &from, &to, &err), 0);
	assert_true(from == 1 && to == 2);
	assert_int_equal(time_option_range(trace, "7.4", NULL, &from, &to, &err), 0);
	assert_true(from == INT64_C(7400000000) && to == 2);
	assert_int_equal(time_option_range(trace, NULL, "7.3", &from, &to, &err), 0);
	assert_true(from == INT64_C(7400000000) && to == INT64_C(7300000000));
	assert_int_equal(time_option_range(trace, "+1ms", "+1000us", &from, &to, &err), 0);
	assert_true(from == FIRST + 1000000 && to == from);
	assert_int_equal(time_option_range(trace, "7.4", "7.399999999", &from, &to, &err), -1);
	assert_int_equal(err.code, FT_E_USAGE);
	assert_string_equal(err.message,
			    "--from 7.4 --to 7.399999999: the range ends before it begins");
	assert_int_equal(time_option_range(trace, "a", "b", &from, &to, &err), -1);
	assert_string_equal(err.message, "--from a: not a time like 7.554, 7554ms or +1ms");
	assert_int_equal(time_option_range(trace, "1", "b", &from, &to, &err), -1);
	assert_string_equal(err.message, "--to b: not a time like 7.554, 7554ms or +1ms");
	trace_close(trace);
}

/* What is said of a window; NULL: nothing. */
static void check_outside(const struct trace *trace, const char *said, bool has_from, int64_t from,
			  bool has_to, int64_t to)
{
	FILE *file = tmpfile();
	int stderr_was = dup(2);
	char line[200];
	bool outside;

	fflush(stderr);
	dup2(fileno(file), 2);
	outside = time_option_tell_outside(trace, has_from, from, has_to, to);
	fflush(stderr);
	dup2(stderr_was, 2);
	close(stderr_was);
	rewind(file);
	assert_int_equal(outside, said != NULL);
	if (said)
		assert_string_equal(fgets(line, sizeof(line), file), said);
	assert_null(fgets(line, sizeof(line), file));
	fclose(file);
}

static void test_outside(void **state)
{
	static const char said[] =
		"ftop-trace: nothing in this window: the trace spans 7.328262112 to 7.692614250\n";
	static const char said_count[] =
		"ftop-trace: nothing in this window: the trace spans 47399730947 to 47659437523\n";
	struct trace *trace = open_recorded("cpu4", 1);

	(void)state;
	check_outside(trace, NULL, false, INT64_MAX, false, INT64_MIN);
	check_outside(trace, NULL, true, LAST, false, 0);
	check_outside(trace, said, true, LAST + 1, false, 0);
	check_outside(trace, NULL, false, 0, true, FIRST);
	check_outside(trace, said, false, 0, true, FIRST - 1);
	check_outside(trace, NULL, true, FIRST - 2, true, LAST + 2);
	check_outside(trace, NULL, true, FIRST + 1, true, FIRST + 1);
	check_outside(trace, said, true, FIRST - 2, true, FIRST - 1);
	trace_close(trace);
	trace = open_recorded("clock-tsc", 1);
	check_outside(trace, NULL, true, LAST_COUNT, false, 0);
	check_outside(trace, said_count, true, LAST_COUNT + 1, false, 0);
	trace_close(trace);
}

static void test_offsets(void **state)
{
	static const struct {
		const char		*s;
		struct trace_offset	 offset;
		const char		*text;
	} right[] = {
		{ "+1.5ms", { 1500000, TRACE_UNIT_NS }, "+1.5ms" },
		{ "-2s", { INT64_C(-2000000000), TRACE_UNIT_NS }, "-2s" },
		{ "7us", { 7000, TRACE_UNIT_NS }, "+7us" }, { "0", { 0, TRACE_UNIT_COUNT }, "+0" },
		{ "-0.5s", { -500000000, TRACE_UNIT_NS }, "-500ms" },
		{ "+1000000.5us", { 1000000500, TRACE_UNIT_NS }, "+1.0000005s" },
		{ "-1500", { -1500, TRACE_UNIT_COUNT }, "-1500" },
		{ "9223372036854775807ns", { INT64_MAX, TRACE_UNIT_NS }, "+9223372036.854775807s" },
	};
	static const char *const wrong[] = { "", "+", "-", "x", "1.5", "1.", "+-1ms", "--1ms",
					     "1min", " 1ms", "1ms ", "9223372037s",
					     "-9223372036854775808ns" };
	struct ft_error err = { 0 };
	struct trace_offset offset;
	struct text t = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		if (time_option_offset(right[i].s, &offset, &err))
			fail_msg("%s: %s", right[i].s, err.message);
		assert_int_equal(offset.by, right[i].offset.by);
		assert_int_equal(offset.unit, right[i].offset.unit);
		text_clear(&t);
		time_option_offset_text(&offset, &t);
		assert_string_equal(text_str(&t), right[i].text);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (!time_option_offset(wrong[i], &offset, &err) || err.code != FT_E_USAGE)
			fail_msg("%s is an offset", wrong[i]);
	text_fini(&t);
}

static void test_offset_of_a_file(void **state)
{
	static const char *const paths[] = { "/tmp/a/trace.dat", "/tmp/b/trace.dat",
					     "/tmp/x=y.dat" };
	struct trace_offset offsets[3] = { { 0 } };
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(offset_option_set("/tmp/b/trace.dat=+1ms", paths, 3, offsets, &err), 0);
	assert_int_equal(offset_option_set("x=y.dat=-2ms", paths, 3, offsets, &err), 0);
	assert_int_equal(offsets[0].by, 0);
	assert_int_equal(offsets[1].by, 1000000);
	assert_int_equal(offsets[2].by, -2000000);
	/* as the screen calls it */
	assert_int_equal(offset_option_set("a=+5ms", paths, 2, offsets, &err), 0);
	assert_int_equal(offsets[0].by, 5000000);
	assert_int_equal(offset_option_set("+7", paths, 1, offsets, &err), 0);
	assert_int_equal(offsets[0].by, 7);

	assert_int_equal(offset_option_set("+1ms", paths, 2, offsets, &err), -1);
	assert_string_equal(err.message,
			    "offset +1ms: there are several files: name one with FILE=+1ms");
	assert_int_equal(offset_option_set("trace.dat=+1ms", paths, 2, offsets, &err), -1);
	assert_string_equal(err.message,
			    "offset trace.dat=+1ms: trace.dat is the name of several files: a, b");
	assert_int_equal(offset_option_set("c=+1ms", paths, 2, offsets, &err), -1);
	assert_string_equal(err.message, "offset c=+1ms: no file is named c; the files are: a, b");
	assert_int_equal(offset_option_set("a=+1m", paths, 2, offsets, &err), -1);
	assert_int_equal(err.code, FT_E_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_offset_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
