/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "recorder/plan_functions.h"
#include "tests/lib/sample_tracefs.h"

/* Of the sample, by their lines: 1 schedule, 2 vfs_read, 3 vfs_write, 4 ext4_file_open [ext4]. */
static struct fake_tracefs fake;
static struct tracefs_dir root;
static struct record_plan plan;

static int set_up(void **state)
{
	(void)state;
	sample_tracefs_init(&fake);
	record_plan_init(&plan);
	return tracefs_dir_open(&root, fake.root, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	tracefs_dir_close(&root);
	record_plan_fini(&plan);
	fake_tracefs_fini(&fake);
	return 0;
}

static void becomes(const char *pattern, enum plan_functions_form form, const char *wanted)
{
	struct name_list patterns = { 0 };

	name_list_add(&patterns, pattern);
	plan_functions_check(&plan, "-l", &patterns, form, &root);
	/* and once more: what was found is found again */
	plan_functions_check(&plan, "-l", &patterns, form, &root);
	assert_string_equal(text_str(&plan.mistakes), "");
	assert_string_equal(patterns.names[0], wanted);
	name_list_fini(&patterns);
}

static void is_mistaken(const char *pattern, const char *wanted)
{
	struct name_list patterns = { 0 };
	char line[256];

	text_clear(&plan.mistakes);
	name_list_add(&patterns, pattern);
	plan_functions_check(&plan, "-l", &patterns, PLAN_FUNCTIONS_BY_LINE, &root);
	snprintf(line, sizeof(line), "%s\n", wanted);
	assert_string_equal(text_str(&plan.mistakes), line);
	name_list_fini(&patterns);
}

static void test_regular_expressions(void **state)
{
	(void)state;
	becomes("^vfs_(read|write)$", PLAN_FUNCTIONS_BY_LINE, "2 3 ");
	becomes("^vfs_(read|write)$", PLAN_FUNCTIONS_BY_NAME, "vfs_read vfs_write ");
	becomes("ext4.*open", PLAN_FUNCTIONS_BY_LINE, "4 ");
	becomes("e$", PLAN_FUNCTIONS_BY_LINE, "1 3 ");
}

/* What the kernel understands is the kernel's. */
static void test_others_stay_as_they_are(void **state)
{
	static const char *const patterns[] = { "vfs_read", "vfs_*", "vfs_[rw]*", ":mod:ext4", "ext4_file_open:mod:ext4",
						"schedule:traceoff", "schedule:traceoff:3", "17" };

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		becomes(patterns[i], PLAN_FUNCTIONS_BY_LINE, patterns[i]);
}

static void test_mistakes(void **state)
{
	(void)state;
	is_mistaken("vfs_raed", "-l vfs_raed: no function that can be traced has this name; did you mean vfs_read?");
	is_mistaken("nfs_*", "-l nfs_*: no function that can be traced has this name");
	is_mistaken("^nfs_", "-l '^nfs_': no function that can be traced matches");
	is_mistaken("vfs_(read", "-l 'vfs_(read': Unmatched ( or \\(");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_regular_expressions), TEST(test_others_stay_as_they_are), TEST(test_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
