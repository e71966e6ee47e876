/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "recorder/tracefs/comms.h"
#include "recorder/run/exit_names.h"

/* --- names of tasks --------------------------------------------------------------------------- */

static void the_last_name_wins(void **state)
{
	struct comms comms = { 0 };
	struct text text = { 0 };

	(void)state;
	assert_null(comms_find(&comms, 1));
	comms_from_saved(&comms, "12 sh\n7 kworker/0:1 x\n9 <...>\nrubbish\n3\n");
	comms_set(&comms, 12, "ls", 2);
	comms_set(&comms, 0, "nobody", 6);	/* the idle task has no name to keep */
	comms_set(&comms, -1, "nobody", 6);
	comms_set(&comms, 5, "", 0);
	comms_text(&comms, &text);
	assert_string_equal(text_str(&text), "7 kworker/0:1 x\n12 ls\n");
	text_fini(&text);
	comms_fini(&comms);
}

static void many_names_are_kept(void **state)
{
	struct comms comms = { 0 };

	(void)state;
	for (int pid = 1; pid <= 20000; pid++) {
		char name[32];

		comms_set(&comms, pid, name, (size_t)snprintf(name, sizeof(name), "kid %d", pid));
	}
	for (int pid = 1; pid <= 20000; pid++) {
		char name[32];

		snprintf(name, sizeof(name), "kid %d", pid);
		assert_string_equal(comms_find(&comms, pid), name);
	}
	assert_int_equal(comms.nr, 20000);
	comms_fini(&comms);
}

/* This program itself, which renames itself meanwhile. */
static void living_tasks_tell_their_names(void **state)
{
	struct comms comms = { 0 };

	(void)state;
	assert_return_code(prctl(PR_SET_NAME, "a) name"), 0);
	comms_from_proc(&comms, false);
	assert_string_equal(comms_find(&comms, getpid()), "a) name");
	prctl(PR_SET_NAME, "another");
	comms_from_proc(&comms, false);
	assert_string_equal(comms_find(&comms, getpid()), "a) name");
	comms_from_proc(&comms, true);
	assert_string_equal(comms_find(&comms, getpid()), "another");
	comms_fini(&comms);
}

/* As /proc of Linux 6.1 and 7.2 shows them, and the names that their saved_cmdlines had. */
static void names_of_kernel_threads_are_theirs(void **state)
{
	static const char *const names[][2] = {
		{ "kworker/0:2-events_power_efficient", "kworker/0:2" },
		{ "kworker/u8:0-events_unbound", "kworker/u8:0" },
		{ "kworker/1:1H-kblockd", "kworker/1:1H" },
		{ "kworker/1:0+mm_percpu_wq", "kworker/1:0" },
		{ "kworker/0:0H", "kworker/0:0H" }, { "kworker/R-rcu_gp", "kworker/R-rcu_g" },
		{ "rcu_tasks_kthread", "rcu_tasks_kthre" }, { "kworker/x", "kworker/x" },
		{ "kworker/", "kworker/" },
		{ "a-b:c-1+2", "a-b:c-1+2" }, { "kworker/3", "kworker/3" },
		{ "kworker/u", "kworker/u" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(comms_proc_len(names[i][0], strlen(names[i][0])),
				 strlen(names[i][1]));
	assert_int_equal(comms_proc_len("kworker/0:2-events\n", 13), strlen("kworker/0:2"));
	assert_int_equal(comms_proc_len("kworker/0:2-events\n", 11), strlen("kworker/0:2"));
}

/* --- names of tasks that ended ---------------------------------------------------------------- */

/* Lines as trace_pipe of Linux 6.1 and 7.2 has them. */
static void names_come_from_exit_events(void **state)
{
	struct comms comms = { 0 };

	(void)state;
	exit_names_from_text(
		"             cat-205     [001] .....    12.345678: sched_process_exit: comm=cat pid=205 prio=120\n"
		"CPU:0 [LOST 12 EVENTS]\n"
		"           <...>-206     [000] .....    12.345700: sched_process_exit: comm=a b:c/9 pid=206 prio=98 "
		"group_dead=true\n"
		"              sh-207     [000] .....    12.400000: sched_process_fork: comm=sh pid=207 child_comm=sh "
		"child_pid=208\n"
		"   sixteen_or_mor-209     [000] .....    12.5: sched_process_exit: comm=sixteen_or_more pid=209 prio=120\n",
		&comms);
	assert_string_equal(comms_find(&comms, 205), "cat");
	assert_string_equal(comms_find(&comms, 206), "a b:c/9");
	assert_string_equal(comms_find(&comms, 209), "sixteen_or_more");
	assert_int_equal(comms.nr, 3);
	comms_fini(&comms);
}

/* A task gives itself any name, one that looks like the rest of the line too. */
static void names_cannot_lie_about_others(void **state)
{
	struct comms comms = { 0 };

	(void)state;
	exit_names_from_text("x: sched_process_exit: comm=a pid=7 prio=1 pid=300 prio=120\n"
			     "x: sched_process_exit: comm=two\nlines pid=301 prio=120\n"
			     "x: sched_process_exit: comm= pid=302 prio=120\n"
			     "x: sched_process_exit: comm= pid=4 pid=303 prio=120\n",
			     &comms);
	assert_string_equal(comms_find(&comms, 300), "a pid=7 prio=1");
	assert_string_equal(comms_find(&comms, 301), "two\nlines");
	assert_string_equal(comms_find(&comms, 303), " pid=4");
	assert_int_equal(comms.nr, 3);
	comms_fini(&comms);
}

/* What is not the whole of a line gives no name. */
static void cut_text_gives_no_name(void **state)
{
	static const char line[] = "sched_process_exit: comm=cat pid=205 prio=120\n";
	struct comms comms = { 0 };
	char text[sizeof(line)];

	(void)state;
	for (size_t len = 0; len < strlen("sched_process_exit: comm=cat pid=205 prio="); len++) {
		memcpy(text, line, len);
		text[len] = '\0';
		exit_names_from_text(text, &comms);
		assert_int_equal(comms.nr, 0);
	}
	exit_names_from_text("sched_process_exit: comm=cat pid=99999999999999999999 prio=1\n"
			     "sched_process_exit: comm=cat pid=-1 prio=1\n"
			     "sched_process_exit: comm=longer than names are pid=20 prio=1\n",
			     &comms);
	assert_int_equal(comms.nr, 0);
	comms_fini(&comms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_name_wins),
		cmocka_unit_test(many_names_are_kept),
		cmocka_unit_test(living_tasks_tell_their_names),
		cmocka_unit_test(names_of_kernel_threads_are_theirs),
		cmocka_unit_test(names_come_from_exit_events),
		cmocka_unit_test(names_cannot_lie_about_others),
		cmocka_unit_test(cut_text_gives_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
