/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>
#include <cmocka.h>

#include "recorder/plan/plan_functions.h"
#include "tests/lib/sample_plan.h"

/* Of the sample, by their lines: 1 schedule, 2 vfs_read, 3 vfs_write, 4 ext4_file_open [ext4]. */

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
	static const char *const patterns[] = { "vfs_read", "vfs_*", "vfs_[rw]*", ":mod:ext4",
						"ext4_file_open:mod:ext4",
						"schedule:traceoff", "schedule:traceoff:3", "17" };

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		becomes(patterns[i], PLAN_FUNCTIONS_BY_LINE, patterns[i]);
}

static void test_mistakes(void **state)
{
	(void)state;
	is_mistaken(
		"vfs_raed",
		"-l vfs_raed: no function that can be traced has this name; did you mean vfs_read?");
	is_mistaken("nfs_*", "-l nfs_*: no function that can be traced has this name");
	is_mistaken("^nfs_", "-l '^nfs_': no function that can be traced matches");
	is_mistaken("vfs_(read", "-l 'vfs_(read': Unmatched ( or \\(");
}

/* Files outside of tracefs, which tell of modules. */
static void put_modules(void)
{
	struct utsname uts;
	char path[512];

	uname(&uts);
	plan.root = fake.root;
	fake_tracefs_put(&fake, "proc/modules",
			 "ext4 1048576 1 - Live 0x0\nnls_cp437 16384 0 - Live 0x0\n");
	snprintf(path, sizeof(path), "lib/modules/%s/modules.dep", uts.release);
	fake_tracefs_put(
		&fake, path,
		"kernel/drivers/block/virtio-blk.ko.xz: kernel/drivers/virtio/virtio.ko.xz\n"
		"kernel/fs/ext4/ext4.ko.xz:\n");
	snprintf(path, sizeof(path), "lib/modules/%s/modules.builtin", uts.release);
	fake_tracefs_put(&fake, path, "kernel/drivers/tty/serial/8250/8250-base.ko\n");
}

static void test_modules(void **state)
{
	static const char *const patterns[] = { ":mod:ext4", "ext4_file_open:mod:ext4",
						"*open:mod:ext?", ":mod:!ext4", ":mod:*",
						"vfs_*:mod:!ext4" };

	(void)state;
	put_modules();
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		becomes(patterns[i], PLAN_FUNCTIONS_BY_LINE, patterns[i]);
	assert_string_equal(text_str(&plan.notes), "");
	/* set_graph_function knows no modules */
	becomes(":mod:ext4", PLAN_FUNCTIONS_BY_NAME, "ext4_file_open ");
	becomes("*open:mod:ext4", PLAN_FUNCTIONS_BY_NAME, "ext4_file_open ");
}

static void test_mistaken_modules(void **state)
{
	(void)state;
	put_modules();
	is_mistaken(
		"ext4_file_opn:mod:ext4",
		"-l ext4_file_opn:mod:ext4: the module ext4 has no such function that can be traced; "
		"did you mean ext4_file_open?");
	is_mistaken("vfs_*:mod:ext4",
		    "-l vfs_*:mod:ext4: the module ext4 has no such function that can be traced");
	is_mistaken(
		":mod:etx4",
		"-l :mod:etx4: no module etx4 is loaded or installed for this kernel; did you mean ext4?");
	is_mistaken(
		":mod:virtio-blk",
		"-l :mod:virtio-blk: no module virtio-blk is loaded or installed for this kernel; "
		"did you mean virtio_blk?");
	is_mistaken(
		":mod:of_their_own",
		"-l :mod:of_their_own: no module of_their_own is loaded or installed for this kernel; "
		"--force waits for it");
	is_mistaken(":mod:nfs*",
		    "-l :mod:nfs*: no module with traceable functions has such a name");
	is_mistaken(":mod:nls_cp437",
		    "-l :mod:nls_cp437: the module nls_cp437 has no function that can be traced");
	is_mistaken(
		":mod:8250_base",
		"-l :mod:8250_base: 8250_base is built into this kernel, so its functions are not those of a module");
}

/*
 * The kernel waits for a module; of one that may come that is told, of one that nobody knows only
 * --force does it.
 */
static void test_modules_to_come(void **state)
{
	struct name_list patterns = { 0 };

	(void)state;
	put_modules();
	name_list_add(&patterns, ":mod:virtio_blk");
	plan_functions_check(&plan, "-l", &patterns, PLAN_FUNCTIONS_BY_LINE, &root);
	assert_string_equal(
		text_str(&plan.notes),
		"-l :mod:virtio_blk: the module virtio_blk is not loaded; it takes effect "
		"once it is\n");
	plan.force = true;
	name_list_add(&patterns, ":mod:of_their_own");
	plan_functions_check(&plan, "-l", &patterns, PLAN_FUNCTIONS_BY_LINE, &root);
	assert_int_equal(plan.nr_mistakes, 0);
	assert_string_equal(patterns.names[1], ":mod:of_their_own");
	/* set_graph_function waits for none */
	text_clear(&plan.notes);
	plan_functions_check(&plan, "-g", &patterns, PLAN_FUNCTIONS_BY_NAME, &root);
	assert_string_equal(
		text_str(&plan.mistakes),
		"-g :mod:virtio_blk: the module virtio_blk is not loaded\n"
		"-g :mod:of_their_own: no module of_their_own is loaded or installed for this kernel\n");
	assert_string_equal(text_str(&plan.notes), "");
	name_list_fini(&patterns);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_regular_expressions), TEST(test_others_stay_as_they_are),
		TEST(test_mistakes),
		TEST(test_modules), TEST(test_mistaken_modules), TEST(test_modules_to_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
