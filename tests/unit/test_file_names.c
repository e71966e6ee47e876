/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "src/base/file_names.h"

#define MAX_FILES 3

static void test_names(void **state)
{
	static const struct {
		const char	*paths[MAX_FILES + 1], *names[MAX_FILES];
	} cases[] = {
		{ { "trace.dat" }, { "trace.dat" } },
		{ { "/t/cpu4/trace.dat" }, { "trace.dat" } },
		{ { "cpu4/trace.dat", "sched/trace.dat" }, { "cpu4", "sched" } },
		{ { "/a/one.dat", "/b/two.dat" }, { "one.dat", "two.dat" } },
		{ { "host/run1/trace.dat", "guest/run1/trace.dat" }, { "host", "guest" } },
		{ { "host//run1/trace.dat", "guest/run1//trace.dat" }, { "host", "guest" } },
		{ { "a/trace.dat", "b/trace.dat", "c/other.dat" }, { "a", "b", "c" } },
		/* No one component differs between all three. */
		{ { "a/x/t.dat", "a/y/t.dat", "b/x/t.dat" }, { "a/x/t.dat", "a/y/t.dat",
							       "b/x/t.dat" } },
		{ { "/z/a/x/t.dat", "/z/a/y/t.dat", "/z/b/x/t.dat" }, { "a/x/t.dat", "a/y/t.dat",
			"b/x/t.dat" } },
		/* One has no folder above it. */
		{ { "trace.dat", "sched/trace.dat" }, { "trace.dat", "sched" } },
		{ { "/trace.dat", "/sched/trace.dat" }, { "trace.dat", "sched" } },
		/* The same file twice: nothing tells them apart. */
		{ { "a/t.dat", "a/t.dat" }, { "a/t.dat", "a/t.dat" } },
		/* What a terminal would obey is made visible. */
		{ { "a\033b/t.dat", "c/t.dat" }, { "a\\eb", "c" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned int nr = 0;
		char **names;

		while (cases[i].paths[nr])
			nr++;
		names = file_names_new(cases[i].paths, nr);
		for (unsigned int n = 0; n < nr; n++)
			assert_string_equal(names[n], cases[i].names[n]);
		file_names_free(names, nr);
	}
	file_names_free(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
