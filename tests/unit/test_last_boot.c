/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "recorder/tracefs/last_boot.h"
#include "tests/lib/fake_tracefs.h"

static struct fake_tracefs fake;
static struct tracefs_dir dir;

/* A kernel at ffffffff9a000000; ext4 is loaded. */
static int set_up(void **state)
{
	(void)state;
	fake_tracefs_init(&fake);
	fake_tracefs_put(&fake, "proc/kallsyms",
			 "0000000000000000 A fixed_percpu_data\n"
			 "ffffffff9a000000 T startup_64\n"
			 "ffffffff9a000000 T _text\n"
			 "ffffffff9a001230 t vfs_read\n");
	fake_tracefs_put(&fake, "proc/modules",
			 "ext4 1130496 1 - Live 0xffffffffc0a80000\n"
			 "jbd2 200704 1 ext4, Live 0xffffffffc0a00000\n");
	return tracefs_dir_open(&dir, fake.root, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	tracefs_dir_close(&dir);
	fake_tracefs_fini(&fake);
	return 0;
}

static void expect_shifted(const char *info, const char *text, const char *wanted)
{
	struct last_boot last;
	struct text t = { 0 };

	fake_tracefs_put(&fake, "last_boot_info", info);
	assert_true(last_boot_read(&last, &dir, fake.root));
	text_add(&t, text);
	last_boot_shift(&last, &t);
	assert_string_equal(text_str(&t), wanted);
	text_fini(&t);
	last_boot_fini(&last);
}

/* This boot's addresses are 10000000 above; those of ext4 1000 below.  jbd2 was not loaded then. */
static void test_symbols(void **state)
{
	(void)state;
	expect_shifted(
		"ffffffff8a000000\t[kernel]\nffffffffc0a81000\text4\nffffffffc0b00000\tgone\n",
		"0000000000000000 A fixed_percpu_data\n"
		"ffffffff9a001230 t vfs_read\n"
		"ffffffffc0a80040 t ext4_x\t[ext4]\n"
		"ffffffffc0a00040 t jbd2_x\t[jbd2]\n",
		"0000000000000000 A fixed_percpu_data\n"
		"ffffffff8a001230 t vfs_read\n"
		"ffffffffc0a81040 t ext4_x\t[ext4]\n");
}

static void test_formats(void **state)
{
	(void)state;
	expect_shifted("ffffffff9b000000\t[kernel]\n", "0xffffffff9a001230 : \"x [y]\\n\"\n",
		       "0xffffffff9b001230 : \"x [y]\\n\"\n");
}

/* Linux 6.12 to 6.14: what is to be added to an address of then. */
static void test_delta(void **state)
{
	(void)state;
	expect_shifted("text delta:\t-268435456\ndata delta:\t-268435456\n",
		       "ffffffff9a001230 t vfs_read\n", "ffffffffaa001230 t vfs_read\n");
}

static void test_of_this_boot(void **state)
{
	static const char text[] = "ffffffff9a001230 t vfs_read\n";
	struct last_boot last;
	struct text t = { 0 };

	(void)state;
	assert_false(last_boot_read(&last, &dir, fake.root));
	last_boot_fini(&last);
	fake_tracefs_put(&fake, "last_boot_info", "# Current\n");
	assert_false(last_boot_read(&last, &dir, fake.root));
	last_boot_fini(&last);
	text_add(&t, text);
	last_boot_shift(NULL, &t);
	assert_string_equal(text_str(&t), text);
	text_fini(&t);
}

/* Without symbols nothing is known of this boot's place: none are better than wrong ones. */
static void test_hidden(void **state)
{
	(void)state;
	fake_tracefs_put(&fake, "proc/kallsyms", "0000000000000000 T _text\n");
	expect_shifted("ffffffff8a000000\t[kernel]\n", "0000000000000000 T _text\n", "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_symbols, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_formats, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_delta, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_of_this_boot, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hidden, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
