/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "recorder/run/instance.h"
#include "tests/lib/sample_plan.h"

static const char *refused;	/* end of the path of a file that the kernel is too busy to write */

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	char link[64], path[PATH_MAX] = "";
	ssize_t got;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	got = refused ? readlink(link, path, sizeof(path) - 1) : 0;
	if (got < (ssize_t)(refused ? strlen(refused) : 1) ||
	    strcmp(path + got - strlen(refused), refused) != 0)
		return __real_write(fd, data, len);
	errno = EBUSY;
	return -1;
}

static void good(int ret, const struct ft_error *err)
{
	if (ret)
		fail_msg("%s", err->message);
}

static struct journal *journal;		/* owned: between begin() and undo() */
static char run_dir[600];

static void check_plan(void)
{
	good(record_plan_check(&plan, fake.root), &(struct ft_error){ .message = "mistakes" });
}

/* Check the plan, and begin a journal. */
static void begin(void)
{
	struct ft_error err = { 0 };

	check_plan();
	snprintf(run_dir, sizeof(run_dir), "%s-run", fake.root);
	journal = journal_new(run_dir, &root, &err);
	good(!journal, &err);
}

/* @note: a part of what the user is told then; "": that is nothing. */
static void undo(const char *note)
{
	struct text notes = { 0 };
	char command[700];

	assert_int_equal(journal_end(journal, &notes), 0);
	if (*note)
		assert_non_null(strstr(text_str(&notes), note));
	else
		assert_string_equal(text_str(&notes), "");
	text_fini(&notes);
	snprintf(command, sizeof(command), "rm -rf %s", run_dir);
	assert_int_equal(system(command), 0);
}

static struct instance open_instance(const char *path)
{
	struct instance inst = INSTANCE_UNUSED;
	struct ft_error err = { 0 };

	inst.root = &root;
	good(tracefs_dir_open_below(&inst.dir, &root, path, &err), &err);
	return inst;
}

static int apply_monitors(const char *one, const char *other, struct ft_error *err)
{
	name_list_add(&plan.monitors, one);
	if (other)
		name_list_add(&plan.monitors, other);
	begin();
	return instance_apply_monitors(journal, &root, &plan, err);
}

static void expect(const char *file, const char *content)
{
	assert_string_equal(fake_content(&fake, file), content);
}

/* They are those of all instances, whichever buffer has the tracer. */
static void test_graph_functions_of_a_named_buffer(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	fake_tracefs_put(&fake, "set_graph_function", "#### all functions enabled ####\n");
	fake_tracefs_put(&fake, "set_graph_notrace", "#### no functions disabled ####\n");
	fake_tracefs_put(&fake, "max_graph_depth", "0\n");
	name_list_add(&plan.graph, "^vfs_");
	name_list_add(&plan.graph_notrace, "schedule");
	plan.max_graph_depth = 3;
	record_plan_add_buffer(&plan, "mine")->tracer = strdup("function_graph");
	begin();
	good(instance_apply_graph(journal, &root, &plan, &err), &err);
	expect("set_graph_function", "vfs_read vfs_write ");
	expect("set_graph_notrace", "schedule");
	expect("max_graph_depth", "3");
	undo("");
	expect("set_graph_function", "");
	expect("max_graph_depth", "0");
}

/* Monitors that were on stay on.  Reactors are not changed. */
static void test_monitors(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	sample_monitors(&fake);
	fake_tracefs_put(&fake, "rv/monitors/sched/sco/reactors", "nop\n[printk]\n");
	good(apply_monitors("wip", "sched", &err), &err);
	expect("rv/monitors/wip/enable", "1");
	expect("rv/monitors/sched/sco/enable", "1");
	expect("rv/monitors/sched/sts/enable", "1");
	/* it would switch off those of others that are in it */
	expect("rv/monitors/sched/enable", "0\n");
	expect("rv/monitors/wwnr/enable", "0\n");
	expect("rv/monitoring_on", "1\n");
	/* somebody else switches one off */
	fake_tracefs_put(&fake, "rv/monitors/sched/sts/enable", "0\n");
	fake_tracefs_put(&fake, "rv/monitors/wip/enable", "0\n");
	undo("/rv/monitors/wip/enable was changed by someone else and is left as it is\n");
	expect("rv/monitors/sched/sco/enable", "0");
	expect("rv/monitors/sched/sco/reactors", "nop\n[printk]\n");
}

/* What the kernel says, what it means, and all as it was. */
static void test_too_many_monitors(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	sample_monitors(&fake);
	refused = "/rv/monitors/wwnr/enable";
	assert_int_equal(apply_monitors("sco", "wwnr", &err), -1);
	refused = NULL;
	assert_non_null(strstr(err.message,
			       "/rv/monitors/wwnr/enable: writing '1': EBUSY (Device or "
			       "resource busy): the monitors of tasks that are enabled"));
	assert_non_null(strstr(err.message, "(CONFIG_RV_PER_TASK_MONITORS)"));
	undo("");
	expect("rv/monitors/sched/sco/enable", "0");
	expect("rv/monitors/wwnr/enable", "0");
}

/* With --force, monitoring is on for as long as we record. */
static void test_monitoring_is_off(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	sample_monitors(&fake);
	fake_tracefs_put(&fake, "rv/monitoring_on", "0\n");
	plan.force = true;
	good(apply_monitors("wwnr", NULL, &err), &err);
	expect("rv/monitoring_on", "1");
	undo("");
	expect("rv/monitoring_on", "0");
	expect("rv/monitors/wwnr/enable", "0");
}

/*
 * In an instance of ours, nothing is to be restored; in the top one, what others had enabled is
 * enabled again, even if it was of the module.
 */
static void test_events_of_modules(void **state)
{
	struct instance inst;
	struct ft_error err = { 0 };
	struct text notes = { 0 };

	(void)state;
	fake_tracefs_put(&fake, "README", "Can enable module events via: :mod:<module>\n");
	fake_tracefs_put(&fake, "set_event", "sched:sched_waking\n*:*:mod:theirs\n");
	fake_tracefs_put(&fake, "events/sched/sched_waking/enable", "1\n");
	fake_tracefs_put(&fake, "instances/other/set_event", "");
	fake_tracefs_put(&fake, "instances/other/buffer_size_kb", "1408\n");
	plan.force = true;
	plan.root = fake.root;
	record_plan_add_event(&plan, ":mod:nfs", false);
	begin();
	inst = open_instance("instances/other");
	good(instance_apply(&inst, &plan, &plan.buffers[0], "", &notes, &err), &err);
	expect("instances/other/set_event", ":mod:nfs");
	tracefs_dir_close(&inst.dir);

	inst = open_instance(".");
	inst.journal = journal;
	inst.top = true;
	good(instance_apply(&inst, &plan, &plan.buffers[0], "", &notes, &err), &err);
	expect("set_event", "sched:sched_waking\n*:*:mod:theirs\n:mod:nfs");
	/* as when the kernel switches off what is of the module */
	fake_tracefs_put(&fake, "events/sched/sched_waking/enable", "0\n");
	undo("");
	expect("set_event", "sched:sched_waking\n*:*:mod:theirs\n:mod:nfs!:mod:nfs");
	expect("events/sched/sched_waking/enable", "1");
	assert_string_equal(text_str(&notes), "");
	tracefs_dir_close(&inst.dir);
	text_fini(&notes);
}

/* A trigger is set on what the -e before it means, as a filter is. */
static void test_triggers_of_a_glob(void **state)
{
	struct instance inst;
	struct plan_event *event = record_plan_add_event(&plan, "sched_*", false);
	struct ft_error err = { 0 };
	struct text notes = { 0 };

	(void)state;
	fake_tracefs_put(&fake, "instances/other/events/sched/sched_switch/trigger", "");
	fake_tracefs_put(&fake, "instances/other/events/sched/sched_waking/trigger", "");
	fake_tracefs_put(&fake, "instances/other/events/irq/softirq_entry/trigger", "");
	name_list_add(&event->triggers, "stacktrace");
	check_plan();
	inst = open_instance("instances/other");
	good(instance_apply_triggers(&inst, &plan, &plan.buffers[0], &notes, &err), &err);
	expect("instances/other/events/sched/sched_switch/trigger", "stacktrace");
	expect("instances/other/events/sched/sched_waking/trigger", "stacktrace");
	expect("instances/other/events/irq/softirq_entry/trigger", "");
	assert_string_equal(text_str(&notes), "");
	tracefs_dir_close(&inst.dir);
	text_fini(&notes);
}

/* An event that a program registers later gets the filter and the triggers of its -e. */
static void test_an_event_comes(void **state)
{
#define DONE "instances/other/events/user_events/done/"
	static const struct plan_catalog_event done = { (char *)"user_events", (char *)"done" };
	struct instance inst;
	struct plan_event *event = record_plan_add_event(&plan, "user_events", false);
	struct ft_error err = { 0 };
	struct text notes = { 0 };

	(void)state;
	fake_tracefs_put(&fake, DONE "format", "name: done\n\tfield:u32 count;\toffset:8;\n");
	fake_tracefs_put(&fake, DONE "filter", "none\n");
	fake_tracefs_put(&fake, DONE "trigger", "");
	fake_tracefs_put(&fake, DONE "enable", "0\n");
	name_list_add(&event->triggers, "stacktrace");
	event->filter = strdup("count > 3");
	event = record_plan_add_event(&plan, "user_events:d*", false);
	event->filter = strdup("other > 3");	/* it has no such field */
	inst = open_instance("instances/other");
	good(instance_add_event(&inst, &plan.buffers[0], &done, &notes, &err), &err);
	expect(DONE "filter", "count > 3");
	expect(DONE "trigger", "stacktrace");
	expect(DONE "enable", "1");
	assert_string_equal(text_str(&notes), "");
	tracefs_dir_close(&inst.dir);
	text_fini(&notes);
}

/* The kernel would switch the buffer to the clock global, while the file says another. */
static void test_clock_of_histograms(void **state)
{
	static const struct { const char *given, *set; } cases[] = {
		{ "hist:keys=pid:t=common_timestamp.usecs if pid > 1",
		  "hist:keys=pid:t=common_timestamp.usecs:clock=mono if pid > 1" },
		{ "hist:keys=common_timestamp", "hist:keys=common_timestamp:clock=mono" },
		{ "hist:keys=pid:t=common_timestamp:clock=boot",
		  "hist:keys=pid:t=common_timestamp:clock=boot" },
		{ "hist:keys=pid if comm == common_timestamp",
		  "hist:keys=pid if comm == common_timestamp" },
		{ "traceoff if pid == 1", "traceoff if pid == 1" },
	};
	static const char file[] = "instances/other/events/sched/sched_waking/trigger";
	struct plan_event *event = record_plan_add_event(&plan, "sched_waking", false);
	struct instance inst;
	struct ft_error err = { 0 };
	struct text notes = { 0 };

	(void)state;
	fake_tracefs_put(&fake, "instances/other/trace_clock", "local global [mono] boot\n");
	check_plan();
	inst = open_instance("instances/other");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_tracefs_put(&fake, file, "");
		name_list_fini(&event->triggers);
		name_list_add(&event->triggers, cases[i].given);
		good(instance_apply_triggers(&inst, &plan, &plan.buffers[0], &notes, &err), &err);
		expect(file, cases[i].set);
	}
	tracefs_dir_close(&inst.dir);
	text_fini(&notes);
}

/* Listing our tasks makes each switch slower, so it happens only where that hides something. */
static void test_functions_of_the_recorder(void **state)
{
	static const int tids[] = { 7, 8 };
	struct plan_buffer *b = &plan.buffers[0];
	struct instance inst;

	(void)state;
	fake_tracefs_put(&fake, "instances/other/set_ftrace_notrace_pid", "");
	inst = open_instance("instances/other");
	assert_false(instance_hides_functions(&plan, b));
	b->tracer = strdup("function");
	assert_true(instance_hides_functions(&plan, b));
	name_list_add(&b->functions, "vfs_read");
	assert_false(instance_hides_functions(&plan, b));
	instance_hide_functions(&inst, tids, 2);
	expect("instances/other/set_ftrace_notrace_pid", "7 8");
	tracefs_dir_close(&inst.dir);
}

/* Before 6.7, an instance that is freed pins the top buffer at 7 KiB; we undo that. */
static void test_the_top_buffer_gets_its_size(void **state)
{
	static const struct {
		const char *before, *now, *after;
	} cases[] = {
		{ "7 (expanded: 1408)", "7\n", "1408" },
		{ "7 (expanded: 1408)", "7 (expanded: 1408)\n", "7 (expanded: 1408)\n" },
		{ "7 (expanded: 1408)", "64\n", "64\n" },
		{ "7", "7\n", "7\n" },
	};

	(void)state;
	fake_tracefs_put(&fake, "instances/other/tracing_on", "1\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct instance inst = open_instance("instances/other");
		struct ft_error err = { 0 };

		inst.name = strdup("other");
		inst.top_size = strdup(cases[i].before);
		fake_tracefs_put(&fake, "buffer_size_kb", cases[i].now);
		instance_end(&inst, &err);	/* a folder of plain files stays */
		expect("buffer_size_kb", cases[i].after);
	}
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_graph_functions_of_a_named_buffer),
		TEST(test_monitors), TEST(test_too_many_monitors),
		TEST(test_monitoring_is_off),
		TEST(test_events_of_modules),
		TEST(test_triggers_of_a_glob), TEST(test_clock_of_histograms),
		TEST(test_an_event_comes),
		TEST(test_functions_of_the_recorder), TEST(test_the_top_buffer_gets_its_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
