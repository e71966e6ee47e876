/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "recorder/tracefs/dynamic_event.h"
#include "tests/lib/sample_tracefs.h"

static struct fake_tracefs fake;
static struct tracefs_dir root;

/*
 * Which file a kind goes to is libtracefs' affair; the kernel takes all in one, and reads a number
 * in any base.
 */
static const char *const files[] = { "dynamic_events", "kprobe_events", "uprobe_events" };

static int setup(void **state)
{
	(void)state;
	sample_tracefs_init(&fake);
	fake_tracefs_put(&fake, "uprobe_events", "");
	return tracefs_dir_open(&root, fake.root, NULL);
}

static int teardown(void **state)
{
	(void)state;
	tracefs_dir_close(&root);
	fake_tracefs_fini(&fake);
	return 0;
}

/* The words of what was written, with one blank between them. */
static void written(char *out, size_t size)
{
	char word[256];
	int len;

	*out = '\0';
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		for (const char *p = fake_content(&fake, files[i]);
		     sscanf(p, "%255s%n", word, &len) == 1; p += len)
			snprintf(out + strlen(out), size - strlen(out), "%s%s", *out ? " " : "",
				 word);
}

static void test_what_the_kernel_is_given(void **state)
{
	static const struct { const char *system, *name, *definition, *given; } cases[] = {
		{ "kprobes", "a", "p:a vfs_read fd=$arg1:s32  b=$arg2",
		  "p:kprobes/a vfs_read fd=$arg1:s32 b=$arg2" },
		{ "my", "a", "p:my/a   ext4:ext4_file_open+8", "p:my/a ext4:ext4_file_open+8" },
		{ "kprobes", "a", "r:a vfs_read $retval", "r:kprobes/a vfs_read $retval" },
		{ "kprobes", "a", "r5:a vfs_read $retval", "r5:a vfs_read $retval" },
		{ "uprobes", "a", "p:a /bin/sh:0x40 %ip",
		  "p:uprobes/a /bin/sh:0x0000000000000040 %ip" },
		{ "uprobes", "a", "r:a /bin/s:h:64", "r:uprobes/a /bin/s:h:0x0000000000000040" },
		{ "uprobes", "a", "p:a /bin/sh:0x40(0x80)", "p:a /bin/sh:0x40(0x80)" },
		{ "uprobes", "a", "p:a /bin/sh:main", "p:a /bin/sh:main" },
		{ "uprobes", "a", "p:a /bin/sh", "p:a /bin/sh" },
		{ "eprobes", "a", "e:a sched.sched_switch p=$next_pid:u32",
		  "e:a sched.sched_switch p=$next_pid:u32" },
		{ "eprobes", "a", "e:a sched", "e:a sched" },
		{ "fprobes", "a", "f:a vfs_read", "f:a vfs_read" },
		{ "wprobes", "a", "w:a rw@jiffies:8 v=+0($addr)", "w:a rw@jiffies:8 v=+0($addr)" },
		{ "synthetic", "a", "s:a u64 lat; pid_t pid", "s:a u64 lat; pid_t pid" },
		{ "kprobes", "a", "p:a", "p:a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ft_error err = { 0 };
		char got[1024];

		for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++)
			fake_tracefs_put(&fake, files[k], "");
		if (dynamic_event_define(&root, cases[i].system, cases[i].name, cases[i].definition,
					 &err))
			fail_msg("%s: %s", cases[i].definition, err.message);
		written(got, sizeof(got));
		if (strcmp(got, cases[i].given))
			fail_msg("'%s' became '%s'", cases[i].definition, got);
	}
}

static void test_refused(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
		char path[600];

		snprintf(path, sizeof(path), "%s/%s", fake.root, files[k]);
		assert_int_equal(remove(path), 0);
	}
	assert_int_equal(dynamic_event_define(&root, "kprobes", "a", "p:a vfs_read", &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(err.message, "defining 'p:a vfs_read': ENOENT"));
	assert_int_equal(dynamic_event_define(&root, "synthetic", "a", "s:a u64 b", &err), -1);
	assert_non_null(strstr(err.message, "/dynamic_events: opening: ENOENT"));
}

static void test_removed(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(dynamic_event_remove(&root, "my/a", &err), 0);
	assert_string_equal(fake_content(&fake, "dynamic_events"), "-:my/a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_the_kernel_is_given, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_removed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
