/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "recorder/tracefs/probe_misses.h"
#include "tests/lib/fake_tracefs.h"

static void setup(struct fake_tracefs *fake, struct tracefs_dir *root, struct probe_misses *misses)
{
	struct ft_error err = { 0 };

	fake_tracefs_init(fake);
	fake_tracefs_put(fake, "kprobe_events",
			 "p:kprobes/open do_sys_openat2 dfd=%di\n"
			 "r1:kprobes/done do_nanosleep ret=$retval\n"
			 "r:other/done vfs_read\n"
			 "p:kprobes/open do_filp_open\n");
	fake_tracefs_put(
		fake, "kprobe_profile",
		"  open                                                      12               3\n"
		"  done                                                       8               7\n"
		"  done                                                       1             500\n"
		"  open                                                      40               2\n");
	assert_int_equal(tracefs_dir_open(root, fake->root, &err), 0);
	probe_misses_read(misses, root);
}

/*
 * Events of the same name in two groups are counted separately.  An event with two probes has the
 * misses of both.
 */
static void test_events(void **state)
{
	struct fake_tracefs fake;
	struct tracefs_dir root;
	struct probe_misses misses = { 0 };
	struct name_list events = { 0 };

	(void)state;
	setup(&fake, &root, &misses);
	assert_int_equal(probe_misses_of(&misses, "kprobes", "done"), 7);
	assert_int_equal(probe_misses_of(&misses, "other", "done"), 500);
	assert_int_equal(probe_misses_of(&misses, "kprobes", "open"), 5);
	assert_int_equal(probe_misses_of(&misses, "kprobes", "don"), 0);
	assert_int_equal(probe_misses_of(&misses, "sched", "open"), 0);
	probe_misses_events(&misses, &events);
	assert_int_equal(events.nr, 3);
	assert_string_equal(events.names[0], "kprobes:open");
	assert_string_equal(events.names[1], "kprobes:done");
	assert_string_equal(events.names[2], "other:done");
	name_list_fini(&events);
	probe_misses_fini(&misses);
	tracefs_dir_close(&root);
	fake_tracefs_fini(&fake);
}

/* Those that are new, as the kernel prints them: the caller first. */
static void test_recursed(void **state)
{
	static const char first[] = "function_trace_call+0xd/0x210:\trcu_is_watching+0x0/0x50\n";
	struct fake_tracefs fake;
	struct tracefs_dir root;
	struct probe_misses none = { 0 }, before = { 0 }, after = { 0 };
	struct text lines = { 0 };

	(void)state;
	setup(&fake, &root, &none);
	fake_tracefs_put(&fake, "recursed_functions", first);
	probe_misses_read(&before, &root);
	fake_tracefs_put(&fake, "recursed_functions",
			 "function_trace_call+0xd/0x210:\trcu_is_watching+0x0/0x50\n"
			 "irq_enter+0x5/0x60:\tpreempt_count_add+0x0/0xc0\n"
			 "fn+0x5/0x60 [mod]:\tfn+0x0/0xc0 [mod]\n");
	probe_misses_read(&after, &root);
	probe_misses_recursed(&before, &after, &lines);
	assert_string_equal(text_str(&lines),
			    "calls of preempt_count_add, fn that were made while the kernel traced "
			    "another function are not recorded (recursed_functions)\n");
	text_clear(&lines);
	probe_misses_recursed(&after, &after, &lines);
	probe_misses_recursed(&after, &none, &lines);
	assert_string_equal(text_str(&lines), "");
	probe_misses_fini(&none);
	probe_misses_fini(&before);
	probe_misses_fini(&after);
	text_fini(&lines);
	tracefs_dir_close(&root);
	fake_tracefs_fini(&fake);
}

/* A kernel without probes. */
static void test_none(void **state)
{
	struct probe_misses misses = { 0 };

	(void)state;
	assert_int_equal(probe_misses_of(&misses, "kprobes", "done"), 0);
	probe_misses_fini(&misses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_recursed),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
