/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a whole trace are those of the kernel's own file, and windows are pieces of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/kernel/kernel_options.h"
#include "src/kernel/kernel_window.h"
#include "src/base/text.h"
#include "tests/lib/open_recorded.h"

#define ALL	10000000u

static struct kernel_window *whole_of(struct trace *trace)
{
	const struct kernel_window_options options = {
		.trace = trace, .before = ALL, .step = ALL, .max_lines = ALL
	};
	struct kernel_window *whole = kernel_window_new(&options);

	kernel_window_seek(whole, 0);
	assert_true(kernel_window_at_start(whole) && kernel_window_at_end(whole));
	assert_false(kernel_window_more(whole));
	return whole;
}

static void whole_traces_are_the_kernels_text(void **state)
{
	/* Those with other options are for report_kernel.py. */
	static const char *const traces[] = { "cpu4", "fgraph-depth", "function-repeats",
					      "empty-cpu" };

	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		const char *data = getenv("FTOP_TEST_DATA");
		char command[4096], expected[4096];
		struct trace *trace = open_data(traces[i], 2);
		struct kernel_window *whole = whole_of(trace);
		unsigned int n = 0;
		FILE *file;

		snprintf(command, sizeof(command), "gzip -dc '%s/good/%s/kernel-trace.txt.gz'",
			 data ? data : "tests/data", traces[i]);
		file = popen(command, "r");
		assert_non_null(file);
		while (fgets(expected, sizeof(expected), file)) {
			struct kernel_line line = kernel_window_line(whole, n++);

			expected[strcspn(expected, "\n")] = '\0';
			assert_int_equal(line.len, strlen(expected));
			assert_memory_equal(line.text, expected, line.len);
		}
		assert_int_equal(pclose(file), 0);
		assert_int_equal(n, kernel_window_nr(whole));
		kernel_window_free(whole);
		trace_close(trace);
	}
}

/* The end of a call whose entry did not go by tells its function. */
static bool same_line(const struct kernel_line *whole, const struct kernel_line *piece)
{
	if (whole->len && whole->len < piece->len && whole->text[whole->len - 1] == '}' &&
	    !memcmp(whole->text, piece->text, whole->len) &&
	    !memcmp(piece->text + whole->len, " /* ", 4))
		return true;
	return whole->len == piece->len && !memcmp(whole->text, piece->text, piece->len);
}

/* Where in the whole does the window's first line stand? */
static unsigned int place_in(const struct kernel_window *whole, const struct kernel_window *window)
{
	struct kernel_line first = kernel_window_line(window, 0);
	unsigned int i;

	for (i = 0; i < kernel_window_nr(whole); i++) {
		struct kernel_line line = kernel_window_line(whole, i);

		if (line.ref == first.ref && same_line(&line, &first))
			break;
	}
	assert_true(i < kernel_window_nr(whole));
	return i;
}

static void check_piece(const struct kernel_window *whole, const struct kernel_window *window)
{
	unsigned int from = place_in(whole, window);

	for (unsigned int i = 0; i < kernel_window_nr(window); i++) {
		struct kernel_line a = kernel_window_line(whole, from + i),
				   b = kernel_window_line(window, i);

		assert_true(a.ref == b.ref && a.merged == b.merged && a.ts == b.ts &&
			    a.pid == b.pid && a.cpu == b.cpu);
		assert_true(same_line(&a, &b));
	}
	assert_int_equal(kernel_window_at_start(window), from == 0);
}

static void windows_are_pieces_of_the_whole(void **state)
{
	static const char *const traces[] = { "cpu4", "fgraph-7.2", "function-repeats" };

	(void)state;
	for (size_t t = 0; t < sizeof(traces) / sizeof(traces[0]); t++) {
		struct trace *trace = open_data(traces[t], 2);
		const struct kernel_window_options options = { .trace = trace, .lead = 700,
							       .before = 100, .step = 150,
							       .max_lines = 900 };
		struct kernel_window *whole = whole_of(trace),
				     *window = kernel_window_new(&options);

		for (unsigned int i = 0; i < kernel_window_nr(whole); i += 997) {
			int64_t ts = kernel_window_line(whole, i).ts;
			unsigned int nr;

			kernel_window_seek(window, ts);
			check_piece(whole, window);
			assert_in_range(kernel_window_nr(window), 50, 1200);
			nr = kernel_window_nr(window);
			assert_true(kernel_window_more(window) || kernel_window_at_end(window));
			check_piece(whole, window);
			while (kernel_window_more(window))
				assert_true(kernel_window_nr(window) > nr);
			assert_true(kernel_window_at_end(window) ||
				    kernel_window_nr(window) >= 900);
			check_piece(whole, window);
		}
		kernel_window_free(window);
		kernel_window_free(whole);
		trace_close(trace);
	}
}

/* Every record has its line, or stands in that of the entry before it. */
static void records_are_found(void **state)
{
	struct trace *trace = open_data("cpu4", 2);
	struct kernel_window *whole = whole_of(trace);
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	unsigned int merged = 0;

	(void)state;
	trace_cursor_seek_time(cursor, INT64_MIN);
	while (trace_cursor_next(cursor, &event)) {
		struct kernel_line line;

		if (event.kind != TRACE_ROW_EVENT)
			continue;
		line = kernel_window_line(whole, (unsigned int)kernel_window_find(whole, event.ref,
										  INT64_MAX, -1));
		assert_true(line.ref == event.ref || line.merged == event.ref);
		assert_int_equal(line.cpu, event.cpu);
		merged += line.merged == event.ref;
		if (line.merged == event.ref)
			assert_non_null(strstr(line.text, "();"));
	}
	assert_in_range(merged, 2000, 8000);
	/* By time, and of a CPU. */
	for (unsigned int i = 100; i < kernel_window_nr(whole); i += 501) {
		struct kernel_line line = kernel_window_line(whole, i);
		int at = kernel_window_find(whole, TRACE_REF_NONE, line.ts, line.cpu);

		assert_true(at >= 0 && (unsigned int)at <= i);
		assert_int_equal(kernel_window_line(whole, (unsigned int)at).ts, line.ts);
		assert_int_equal(kernel_window_line(whole, (unsigned int)at).cpu, line.cpu);
	}
	trace_cursor_free(cursor);
	kernel_window_free(whole);
	trace_close(trace);
}

static void options_have_the_kernels_names(void **state)
{
	struct kernel_options options;
	struct ft_error err = { 0 };
	unsigned int nr, found = 0;
	const struct kernel_option *list = kernel_option_list(&nr);

	(void)state;
	kernel_options_init(&options);
	assert_true(options.set[KERNEL_OPT_DURATION] && !options.set[KERNEL_OPT_TAIL]);
	assert_int_equal(kernel_options_choose(&options, "funcgraph-tail", &err), 0);
	assert_int_equal(kernel_options_choose(&options, "nofuncgraph-duration", &err), 0);
	assert_true(!options.set[KERNEL_OPT_DURATION] && options.set[KERNEL_OPT_TAIL]);
	assert_int_equal(kernel_options_choose(&options, "notail", &err), -1);
	assert_int_equal(err.code, FT_E_USAGE);
	for (unsigned int i = 0; i < nr; i++)
		found += !strcmp(list[i].name, "latency-format") ||
			 !strcmp(list[i].name, "funcgraph-abstime");
	assert_int_equal(found, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_traces_are_the_kernels_text),
		cmocka_unit_test(windows_are_pieces_of_the_whole),
		cmocka_unit_test(records_are_found),
		cmocka_unit_test(options_have_the_kernels_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
