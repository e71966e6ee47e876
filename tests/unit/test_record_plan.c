/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cmocka.h>

#include "recorder/plan/plan_monitors.h"
#include "recorder/plan/plan_probes.h"
#include "recorder/plan/plan_queries.h"
#include "recorder/plan/plan_user_events.h"
#include "recorder/plan/record_plan.h"
#include "src/base/memory.h"
#include "tests/lib/sample_tracefs.h"

static struct fake_tracefs fake;
static struct record_plan plan;

static int set_up(void **state)
{
	(void)state;
	sample_tracefs_init(&fake);
	record_plan_init(&plan);
	plan.nr_cpus = 2;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	record_plan_fini(&plan);
	fake_tracefs_fini(&fake);
	return 0;
}

static bool is_enabled(size_t buffer, const char *name)
{
	for (size_t i = 0; i < plan.catalog.nr; i++)
		if (!strcmp(plan.catalog.events[i].name, name))
			return plan.buffers[buffer].enabled[i];
	fail_msg("no event %s", name);
	return false;
}

static const char *filter_of(const char *name)
{
	for (size_t i = 0; i < plan.catalog.nr; i++)
		if (!strcmp(plan.catalog.events[i].name, name))
			return plan.buffers[0].filters[i];
	return NULL;
}

static void good(void)
{
	if (record_plan_check(&plan, fake.root))
		fail_msg("%s", text_str(&plan.mistakes));
}

static void bad(const char *mistake)
{
	assert_int_equal(record_plan_check(&plan, fake.root), -1);
	if (!strstr(text_str(&plan.mistakes), mistake))
		fail_msg("'%s' is not in: %s", mistake, text_str(&plan.mistakes));
}

static void test_events_by_any_name(void **state)
{
	static const struct { const char *pattern; bool on[4]; } cases[] = {
		/*                       switch waking handler softirq */
		{ "sched",             { true, true, false, false } },
		{ "sched:sched_switch", { true, false, false, false } },
		{ "sched/sched_switch", { true, false, false, false } },
		{ "sched_waking",      { false, true, false, false } },
		{ "*irq*",             { false, false, true, true } },
		{ "irq:soft*",         { false, false, false, true } },
		{ "sched:",            { true, true, false, false } },
		{ ":softirq_entry",    { false, false, false, true } },
		{ "all",               { true, true, true, true } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record_plan_fini(&plan);
		record_plan_init(&plan);
		record_plan_add_event(&plan, cases[i].pattern, false);
		good();
		assert_int_equal(is_enabled(0, "sched_switch"), cases[i].on[0]);
		assert_int_equal(is_enabled(0, "sched_waking"), cases[i].on[1]);
		assert_int_equal(is_enabled(0, "irq_handler_entry"), cases[i].on[2]);
		assert_int_equal(is_enabled(0, "softirq_entry"), cases[i].on[3]);
	}
	(void)state;
}

/* Programs register events while we record: only where the kernel lets them. */
static void test_events_to_come(void **state)
{
	static const struct plan_catalog_event done = { (char *)"user_events", (char *)"done" },
					       other = { (char *)"user_events_multi",
							 (char *)"other.1f" },
					       sched = { (char *)"sched", (char *)"sched_new" };

	(void)state;
	record_plan_add_event(&plan, "user_events", false);
	bad("user_events: no such event");
	record_plan_fini(&plan);
	record_plan_init(&plan);
	record_plan_add_event(&plan, "user_events", false);
	assert_true(plan_user_events_may_come(&plan.buffers[0]));
	fake_tracefs_put(&fake, "user_events_data", "");
	good();
	assert_non_null(strstr(text_str(&plan.notes),
			       "user_events: no program has registered such an event yet; those "
			       "that come are recorded\n"));
	assert_true(plan_user_events_take(&plan.buffers[0], &done));
	assert_false(plan_user_events_take(&plan.buffers[0], &other));
	record_plan_add_event(&plan, "user_events*:oth*", false);
	record_plan_add_event(&plan, "user_events:done", true);
	good();
	assert_false(plan_user_events_take(&plan.buffers[0], &done));
	assert_true(plan_user_events_take(&plan.buffers[0], &other));
	assert_false(plan_user_events_take(&plan.buffers[0], &sched));
	record_plan_add_event(&plan, "user_event:done", false);
	bad("user_event:done: no such event");
	record_plan_fini(&plan);
	record_plan_init(&plan);
	record_plan_add_event(&plan, "sched", false);
	assert_false(plan_user_events_may_come(&plan.buffers[0]));
	record_plan_add_event(&plan, "all", false);
	assert_true(plan_user_events_may_come(&plan.buffers[0]));
}

static void test_negated_events(void **state)
{
	(void)state;
	record_plan_add_event(&plan, "sched", false);
	record_plan_add_event(&plan, "sched_waking", true);
	good();
	assert_true(is_enabled(0, "sched_switch"));
	assert_false(is_enabled(0, "sched_waking"));
}

static void test_buffers_have_their_own_events(void **state)
{
	(void)state;
	record_plan_add_event(&plan, "sched_switch", false);
	record_plan_add_buffer(&plan, "mine");
	record_plan_add_event(&plan, "softirq_entry", false);
	good();
	assert_true(is_enabled(0, "sched_switch"));
	assert_false(is_enabled(0, "softirq_entry"));
	assert_true(is_enabled(1, "softirq_entry"));
	assert_false(is_enabled(1, "sched_switch"));
}

static void test_all_mistakes_at_once(void **state)
{
	(void)state;
	record_plan_add_event(&plan, "sched_swich", false);
	record_plan_add_event(&plan, "irq:softirq_entr", false);
	plan.buffers[0].tracer = mem_strdup("functoin");
	plan.buffers[0].clock = mem_strdup("mno");
	name_list_add(&plan.buffers[0].options, "nostacktrce");
	name_list_add(&plan.buffers[0].functions, "vfs_raed");
	name_list_add(&plan.pids, "99999999");
	bad("sched_swich: no such event; did you mean sched_switch?");
	bad("irq:softirq_entr: no such event; did you mean irq:softirq_entry?");
	bad("-p functoin: no such tracer; did you mean function?");
	bad("-C mno: no such clock; did you mean mono? this kernel has: local global mono boot\n");
	bad("-O nostacktrce: no such option; did you mean stacktrace?");
	bad("-l vfs_raed: no function that can be traced has this name; did you mean vfs_read?");
	bad("-P 99999999: there is no such process");
}

static void test_triggers(void **state)
{
	struct plan_event *event;

	(void)state;
	fake_tracefs_put(
		&fake, "events/irq/irq_handler_entry/trigger",
		"# Available triggers:\n# traceon traceoff stacktrace enable_event disable_event\n");
	fake_tracefs_put(&fake, "events/sched/sched_switch/trigger", "traceoff:unlimited\n");
	event = record_plan_add_event(&plan, "irq_handler_entry", false);
	name_list_add(&event->triggers, "traceoff:1 if irq == 1");
	name_list_add(&event->triggers, "stacktrace");
	/* one that has a trigger tells nothing of others */
	event = record_plan_add_event(&plan, "sched_switch", false);
	name_list_add(&event->triggers, "snapshot");
	good();
	event = record_plan_add_event(&plan, "irq_handler_entry", false);
	name_list_add(&event->triggers, "traceof:1");
	name_list_add(&event->triggers, "hist:keys=irq");
	bad("-R 'traceof:1': no such trigger; did you mean traceoff?\n");
	bad("-R 'hist:keys=irq': no such trigger; this kernel has: traceon traceoff stacktrace enable_event disable_event\n");
}

static void test_tracer_that_is_not_built_in(void **state)
{
	(void)state;
	plan.buffers[0].tracer = mem_strdup("irqsoff");
	bad("-p irqsoff: ");
	assert_non_null(
		strstr(text_str(&plan.mistakes), "not in this kernel (CONFIG_IRQSOFF_TRACER"));
	assert_int_equal(plan.nr_missing, 1);
	assert_int_equal(plan.nr_mistakes, 1);
	free(plan.buffers[0].tracer);
	plan.buffers[0].tracer = mem_strdup("irqsof");
	bad("-p irqsof: no such tracer; did you mean irqsoff?");
}

static void test_functions_by_glob(void **state)
{
	(void)state;
	plan.buffers[0].tracer = mem_strdup("function");
	name_list_add(&plan.buffers[0].functions, "vfs_*");
	name_list_add(&plan.buffers[0].functions, "ext4_file_open:mod:ext4");
	name_list_add(&plan.buffers[0].functions, ":mod:ext4");
	name_list_add(&plan.buffers[0].functions, "schedule:traceoff");
	good();
	name_list_add(&plan.buffers[0].notrace, "nfs_*");
	bad("-n nfs_*: no function that can be traced has this name");
}

static void test_filters(void **state)
{
	struct plan_event *event = record_plan_add_event(&plan, "sched", false);

	(void)state;
	event->filter = mem_strdup("prev_pid == 3 && common_pid != 0");
	event = record_plan_add_event(&plan, "irq_handler_entry", false);
	event->filter = mem_strdup("name ~ \"eth*\" || irq < 0x10");
	good();
	/* for the events of the glob that have the field */
	assert_string_equal(filter_of("sched_switch"), "prev_pid == 3 && common_pid != 0");
	assert_null(filter_of("sched_waking"));
	assert_string_equal(filter_of("irq_handler_entry"), "name ~ \"eth*\" || irq < 0x10");
}

static void test_filter_of_no_field(void **state)
{
	struct plan_event *event = record_plan_add_event(&plan, "sched_switch", false);

	(void)state;
	event->filter = mem_strdup("prv_pid == 3");
	bad("-f 'prv_pid == 3': sched:sched_switch has no field prv_pid; did you mean prev_pid?");
	event = record_plan_add_event(&plan, "irq", false);
	event->filter = mem_strdup("nothing > 1");
	bad("-f 'nothing > 1': none of the 2 events of irq has these fields");
}

static void test_filter_that_is_too_long(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct plan_event *event = record_plan_add_event(&plan, "sched_switch", false);

	(void)state;
	event->filter = mem_array(page + 1, 1);
	memset(event->filter, ' ', page);
	memcpy(event->filter, "prev_pid>0", 10);
	bad("bytes; the kernel takes ");
	record_plan_fini(&plan);
	record_plan_init(&plan);
	event = record_plan_add_event(&plan, "sched_switch", false);
	event->filter = mem_array(page, 1);
	memset(event->filter, ' ', page - 1);
	memcpy(event->filter, "prev_pid>0", 10);
	good();
}

static void test_filter_words(void **state)
{
	static const char format[] =
		"\tfield:char comm[16];\n\tfield:int a;\n\tfield:__data_loc char[] name;\n";
	static const struct { const char *filter; bool fits; } cases[] = {
		{ "a == 1", true }, { "b == 1", false }, { "(a&1)||comm==\"b == 2\"", true },
		{ "a == TASK_RUNNING", true },
		{ "name.ustring ~ \"x\"", true }, { "CPU == 1 && COMM != 'c'", true },
		{ "!(a > 1) && b", true },
		{ "a == 0x1f && common_pid < 3", true }, { "a == 1 && c < 2", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (record_plan_filter_fits(cases[i].filter, format, NULL) != cases[i].fits)
			fail_msg("%s", cases[i].filter);
}

static void test_probes(void **state)
{
	(void)state;
	record_plan_add_probe(&plan, "p:my_read vfs_read", false);
	record_plan_add_probe(&plan, "r:mine/my_ret vfs_read $retval", false);
	assert_string_equal(plan.probes[0].system, "kprobes");
	assert_string_equal(plan.probes[0].name, "my_read");
	assert_string_equal(plan.probes[1].system, "mine");
	assert_string_equal(plan.probes[1].name, "my_ret");
	good();
	assert_true(is_enabled(0, "my_read"));
	record_plan_add_probe(&plan, "p vfs_read", false);
	assert_non_null(strstr(text_str(&plan.mistakes), "'p vfs_read': invalid"));
	record_plan_add_probe(&plan, "p:one vfs_read\np:two vfs_write", false);
	assert_non_null(strstr(text_str(&plan.mistakes), "p:two vfs_write': invalid"));
	record_plan_add_probe(&plan, "lat u64 lat", true);
	assert_string_equal(plan.probes[2].definition, "s:lat u64 lat");
	bad("not in this kernel (CONFIG_SYNTH_EVENTS");
}

static void test_groups_of_probes(void **state)
{
	static const struct { const char *definition, *system; } cases[] = {
		{ "p:a vfs_read", "kprobes" },		{ "p:b /bin/sh:0x40", "uprobes" },
		{ "r:c  /bin/sh:0x40", "uprobes" },	{ "r5:d vfs_read", "kprobes" },
		{ "e:e sched/sched_switch", "eprobes" }, { "f:f vfs_read", "fprobes" },
		{ "t:g sched_switch", "tracepoints" },	{ "s:h u64 lat", "synthetic" },
		{ "p:my/i /bin/sh:0x40", "my" },	{ "e:my.j sched/sched_switch", "my" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record_plan_add_probe(&plan, cases[i].definition, false);
		assert_string_equal(plan.probes[i].system, cases[i].system);
	}
	/* the file that is missing is the kind's, whatever the group */
	bad("'p:my/i /bin/sh:0x40': there is no");
	assert_non_null(strstr(text_str(&plan.mistakes), "/uprobe_events"));
}

/* Kernels that know them say so in their help text: no file does. */
static void test_watch_probes(void **state)
{
	(void)state;
	record_plan_add_probe(&plan, "w:seen rw@jiffies:8 v=+0($addr)", false);
	record_plan_add_probe(&plan, "w:mine/written w@jiffies", false);
	assert_string_equal(plan.probes[0].system, "wprobes");
	assert_string_equal(plan.probes[1].system, "mine");
	bad("'w:seen rw@jiffies:8 v=+0($addr)': there is no such probe in ");
	bad("/README: not in this kernel (CONFIG_WPROBE_EVENTS");
	assert_int_equal(plan.nr_missing, plan.nr_mistakes);
	plan.nr_mistakes = 0;
	fake_tracefs_put(&fake, "README",
			 "\t           t[:[<group>/][<event>]] <tracepoint> [<args>]\n"
			 "\t           w[:[<group>/][<event>]] [r|w|rw]@<addr>[:<len>]\n");
	good();
	assert_true(is_enabled(0, "seen"));
	assert_true(is_enabled(0, "written"));
}

static void test_probe_of_a_name_that_exists(void **state)
{
	(void)state;
	fake_event(&fake, "kprobes", "theirs", "");
	record_plan_add_probe(&plan, "p:theirs vfs_read", false);
	bad("kprobes:theirs already exists and is not ours");
}

static void test_what_makes_no_sense(void **state)
{
	(void)state;
	plan.only_command = true;
	record_plan_add_event(&plan, "sched", true);
	bad("-F requires a command");
	bad("nothing to record: name events with -e, or a tracer with -p; an -e after -v records nothing\n");
	plan.only_command = false;
	plan.children = true;
	bad("-c requires -F or -P");
	record_plan_add_buffer(&plan, "other");
	record_plan_add_buffer(&plan, "../x");
	bad("-B other: an instance with this name already exists and is not ours");
	bad("-B '../x': not a name for an instance");
}

static void test_names_of_buffers(void **state)
{
	static const struct { const char *name, *mistake; } cases[] = {
		{ "", "-B '': not a name for an instance" }, { ".", "-B '.': not a name" },
		{ "a/b", "-B 'a/b': not a name" },
		{ "a\nb", "not a name for an instance" },
		{ "ftop-12-34",
		  "-B ftop-12-34: names like this are reserved for instances of recorders" },
	};
	char name[257] = "";

	(void)state;
	record_plan_add_event(&plan, "sched", false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record_plan_fini(&plan);
		record_plan_init(&plan);
		record_plan_add_buffer(&plan, cases[i].name);
		record_plan_add_event(&plan, "sched", false);
		bad(cases[i].mistake);
		assert_int_equal(plan.nr_mistakes, 1);
	}
	for (int len = 255; len <= 256; len++) {
		record_plan_fini(&plan);
		record_plan_init(&plan);
		record_plan_add_buffer(&plan, memset(name, 'x', len));
		record_plan_add_event(&plan, "sched", false);
		if (len > 255)
			bad("the name has 256 bytes; the limit is 255");
		else
			good();
	}
	record_plan_add_buffer(&plan, "mine");
	record_plan_add_buffer(&plan, "mine");
	bad("-B mine: given twice");
}

/* What would be left undone is told, and not passed over. */
static void test_options_of_a_tracer_that_is_not_there(void **state)
{
	(void)state;
	record_plan_add_event(&plan, "sched", false);
	name_list_add(&plan.graph, "vfs_read");
	name_list_add(&plan.graph_notrace, "vfs_raed");
	plan.max_graph_depth = 3;
	plan.func_stack = true;
	plan.stop_tracing_total_us = 100;
	bad("--stop-tracing-total requires -p timerlat or -p osnoise");
	bad("-g vfs_read requires -p function_graph");
	bad("--graph-notrace vfs_raed requires -p function_graph");
	bad("--graph-notrace vfs_raed: no function that can be traced has this name; did you mean vfs_read?");
	bad("--max-graph-depth requires -p function_graph");
	bad("--func-stack requires -p function");
}

static void test_graph_options_are_of_any_buffer(void **state)
{
	(void)state;
	name_list_add(&plan.graph, "vfs_read");
	plan.max_graph_depth = 3;
	record_plan_add_buffer(&plan, "mine")->tracer = mem_strdup("function_graph");
	good();
}

static void test_latency_tracer_has_no_buffers(void **state)
{
	(void)state;
	fake_tracefs_put(&fake, "available_tracers", "wakeup nop\n");
	plan.buffers[0].tracer = mem_strdup("wakeup");
	good();
	record_plan_add_buffer(&plan, "mine");
	record_plan_add_event(&plan, "sched", false);
	bad("-p wakeup: the result of a latency tracer is not part of a buffer");
}

/* A kernel that refuses to be read is no mistake of the user's. */
static void test_refused_list_of_events(void **state)
{
	char path[600];

	(void)state;
	snprintf(path, sizeof(path), "%s/available_events", fake.root);
	assert_int_equal(remove(path), 0);
	record_plan_add_event(&plan, "sched", false);
	bad("available_events");
	assert_int_equal(plan.nr_mistakes, 1);
	assert_int_equal(plan.nr_missing, 1);
}

static void test_too_much_memory(void **state)
{
	(void)state;
	record_plan_add_event(&plan, "sched", false);
	plan.buffers[0].size_kb = 1ull << 40;
	bad("is more than half of the memory that is available");
	plan.nr_mistakes = 0;
	plan.force = true;
	good();
}

static void test_numbers(void **state)
{
	static const struct { const char *text; uint64_t unit, bytes; } sizes[] = {
		{ "4096", 1024, 4096 << 10 }, { "4M", 1024, 4 << 20 }, { "1g", 1, 1 << 30 },
		{ "2KiB", 1, 2048 }, { "7", 1, 7 },
	};
	static const struct { const char *text; uint64_t ns; } times[] = {
		{ "10", 10000000000ull }, { "500ms", 500000000 }, { "2m", 120000000000ull },
		{ "1.5s", 1500000000 }, { "3us", 3000 },
	};
	static const char *const wrong[] = { "",      "x",   "-1",
					     "4X",    "4MM", "99999999999999999999",
					     "1e400s" };
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_true(record_plan_size(sizes[i].text, sizes[i].unit, &v));
		assert_int_equal(v, sizes[i].bytes);
	}
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		assert_true(record_plan_time(times[i].text, &v));
		assert_int_equal(v, times[i].ns);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(record_plan_size(wrong[i], 1, &v));
		assert_false(record_plan_time(wrong[i], &v) && v <= 1000000000000000000ull);
	}
}

static const char *monitors_on(void)
{
	static char names[256];

	*names = '\0';
	for (size_t i = 0; i < plan.enabled_monitors.nr; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? " " : "",
			 plan.enabled_monitors.names[i]);
	return names;
}

/* The events of the rv system that are on, by their order in the catalog. */
static const char *rv_events(size_t buffer)
{
	static char names[256];

	*names = '\0';
	for (size_t i = 0; i < plan.catalog.nr; i++)
		if (!strcmp(plan.catalog.events[i].system, "rv") && plan.buffers[buffer].enabled[i])
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
				 *names ? " " : "", plan.catalog.events[i].name);
	return names;
}

/* By its own name, with its container, or all of a container; each with its events. */
static void test_monitors(void **state)
{
	static const struct { const char *given, *on, *events; } cases[] = {
		{ "wwnr", "wwnr", "error_wwnr event_wwnr rv_retries_error" },
		{ "sco", "sched:sco", "error_sco event_sco rv_retries_error" },
		{ "sched:sco,wwnr", "sched:sco wwnr",
		  "error_sco error_wwnr event_sco event_wwnr rv_retries_error" },
		{ "sched", "sched:sco sched:sts",
		  "error_env_sts error_sco error_sts event_sco event_sts rv_retries_error" },
		{ "sts,sched,sts", "sched:sts sched:sco",
		  "error_env_sts error_sco error_sts event_sco event_sts rv_retries_error" },
	};

	(void)state;
	sample_monitors(&fake);
	record_plan_add_buffer(&plan, "mine");
	record_plan_add_event(&plan, "sched", false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		name_list_fini(&plan.monitors);
		plan_monitors_list(&plan, cases[i].given);
		good();
		assert_string_equal(monitors_on(), cases[i].on);
		assert_string_equal(rv_events(0), cases[i].events);
		assert_string_equal(rv_events(1), "");
	}
}

/* What the user chose of the events counts. */
static void test_monitors_without_an_event(void **state)
{
	(void)state;
	sample_monitors(&fake);
	plan_monitors_list(&plan, "wwnr");
	record_plan_add_event(&plan, "rv:event_*", true);
	good();
	assert_string_equal(rv_events(0), "error_wwnr rv_retries_error");
	record_plan_add_event(&plan, "error_wwnr", false)->filter = mem_strdup("id == 7");
	good();
	assert_string_equal(rv_events(0), "error_wwnr rv_retries_error");
	assert_string_equal(filter_of("error_wwnr"), "id == 7");
}

static void test_monitors_that_are_not_there(void **state)
{
	(void)state;
	plan_monitors_list(&plan, "wwnr");
	bad("--monitor: there is no ");
	bad("/rv/available_monitors: not in this kernel (CONFIG_RV");
	assert_int_equal(plan.nr_missing, 2);
	assert_int_equal(plan.nr_mistakes, 2);
	text_clear(&plan.mistakes);
	sample_monitors(&fake);
	name_list_fini(&plan.monitors);
	plan_monitors_list(&plan, "wwrn,sched:snep,qqqqqqqqqqq");
	bad("--monitor wwrn: no such monitor; did you mean wwnr?\n");
	bad("--monitor sched:snep: no such monitor; did you mean sched:sco?\n");
	bad("--monitor qqqqqqqqqqq: no such monitor; 'ftop-trace list --monitors' shows all\n");
	plan_monitors_list(&plan, "wip,,wwnr");
	bad("--monitor 'wip,,wwnr': a name is missing\n");
}

/* Somebody has stopped all monitors: with ours, theirs would begin again. */
static void test_monitoring_is_off(void **state)
{
	(void)state;
	sample_monitors(&fake);
	plan_monitors_list(&plan, "wwnr");
	fake_tracefs_put(&fake, "rv/monitoring_on", "0\n");
	bad("--monitor: monitoring is switched off (");
	bad("/rv/monitoring_on is 0); --force switches it on, and off again at the end\n");
	plan.nr_mistakes = 0;
	plan.force = true;
	good();
}

static void put_modules(void)
{
	struct utsname uts;
	char path[512];

	uname(&uts);
	plan.root = fake.root;
	fake_tracefs_put(&fake, "README",
			 "  set_event\t\t- Enables events by name written into it\n"
			 "\t\t\t  Can enable module events via: :mod:<module>\n");
	fake_tracefs_put(&fake, "proc/modules", "ext4 1048576 1 - Live 0x0\n");
	snprintf(path, sizeof(path), "lib/modules/%s/modules.dep", uts.release);
	fake_tracefs_put(&fake, path, "kernel/drivers/gpu/drm/virtio/virtio-gpu.ko.xz:\n");
	snprintf(path, sizeof(path), "lib/modules/%s/modules.builtin", uts.release);
	fake_tracefs_put(&fake, path, "kernel/drivers/tty/serial/8250/8250-base.ko\n");
}

/* Which events they have, the kernel knows; whether there is such a module, we do. */
static void test_events_of_modules(void **state)
{
	(void)state;
	put_modules();
	record_plan_add_event(&plan, ":mod:ext4", false);
	record_plan_add_event(&plan, "*:ext4_sync_file_enter:mod:ext4", true);
	good();
	assert_string_equal(text_str(&plan.notes), "");
	record_plan_add_event(&plan, "virtio_gpu:*:mod:virtio-gpu", false);
	good();
	assert_string_equal(plan.buffers[0].events[2].pattern, "virtio_gpu:*:mod:virtio_gpu");
	assert_string_equal(text_str(&plan.notes),
			    "-e virtio_gpu:*:mod:virtio_gpu: the module virtio_gpu is not loaded; "
			    "its events are recorded once it is\n");
	assert_false(is_enabled(0, "sched_switch"));
	record_plan_add_event(&plan, ":mod:nobody_s", false);
	plan.force = true;
	good();
}

static void test_events_of_modules_mistaken(void **state)
{
	static const struct { const char *pattern; bool negated; const char *says; } cases[] = {
		{ ":mod:etx4", false, "-e :mod:etx4: no module etx4 is loaded or installed for this "
				      "kernel; did you mean ext4?\n" },
		{ ":mod:nobody_s", false, "is loaded or installed for this kernel; --force waits" },
		{ ":mod:8250-base", false, "8250_base is built into this kernel" },
		{ ":mod:virtio-gpu", true, "-v -e :mod:virtio_gpu: the module virtio_gpu is not loaded" },
		{ "ext4_*:mod:ext4", false, "-e 'ext4_*:mod:ext4': invalid; " },
		{ ":mod:ext*", false, "-e ':mod:ext*': invalid; " },
		{ ":mod:", false, "-e ':mod:': invalid; " },
		{ "a b:mod:ext4", false, "-e 'a b:mod:ext4': invalid; " },
		{ "!ext4:mod:ext4", false, "-e '!ext4:mod:ext4': invalid; " },
	};

	(void)state;
	put_modules();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record_plan_add_event(&plan, cases[i].pattern, cases[i].negated);
		bad(cases[i].says);
	}
	record_plan_add_event(&plan, ":mod:ext4", false)->filter = mem_strdup("ino == 1");
	bad("-f 'ino == 1' does not apply to -e :mod:ext4: ");
	fake_tracefs_put(&fake, "README", "  set_event\t\t- Enables events by name\n");
	bad("-e :mod:etx4: this kernel does not find events by their module; Linux 6.14 and later "
	    "do. Name their system, as -e 'etx4:*'\n");
}

/* -i */
static void test_events_of_modules_left_out(void **state)
{
	(void)state;
	put_modules();
	plan.ignore_missing = true;
	record_plan_add_event(&plan, ":mod:nobody_s", false);
	good();
	assert_false(plan.buffers[0].events[0].of_module);
	assert_string_equal(text_str(&plan.notes),
			    ":mod:nobody_s: no such module: left out (-i)\n");
}

/* As the kernel writes it: libtracefs reads it. */
static void put_format(const char *system, const char *name, int id, const char *fields)
{
	char path[384], format[2048];

	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	snprintf(format, sizeof(format),
		 "name: %s\nID: %d\nformat:\n"
		 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n%s\nprint fmt: \"x\"\n",
		 name, id, fields);
	fake_tracefs_put(&fake, path, format);
	snprintf(path, sizeof(path), "events/%s/%s/enable", system, name);
	fake_tracefs_put(&fake, path, "0\n");
}

static void put_formats(void)
{
	fake_tracefs_put(&fake, "synthetic_events", "");
	fake_tracefs_put(&fake, "events/sched/enable", "0\n");
	fake_tracefs_put(&fake, "events/header_page",
			 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
			 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			 "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
	put_format("sched", "sched_waking", 7,
		   "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		   "\tfield:int prio;\toffset:12;\tsize:4;\tsigned:1;\n");
	put_format("sched", "sched_switch", 8,
		   "\tfield:pid_t next_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		   "\tfield:char next_comm[16];\toffset:12;\tsize:16;\tsigned:0;\n");
}

/* "__lat" for "__lat_1234_2": libtracefs makes numbers up. */
static const char *without_numbers(const char *trigger)
{
	static char text[512];
	size_t len = 0;

	for (const char *p = trigger; *p && len < sizeof(text) - 1;) {
		if (*p == '_' && p[1] >= '0' && p[1] <= '9')
			p += 1 + strspn(p + 1, "0123456789");
		else
			text[len++] = *p++;
	}
	text[len] = '\0';
	return text;
}

/* libtracefs(3) has this query, and what sqlhist(1) makes of it. */
static void test_queries(void **state)
{
	static const char query[] =
		"late\nselect (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat, "
		"end.next_comm AS comm FROM sched_waking AS start\n\tJOIN sched.sched_switch AS end "
		"ON start.pid = end.next_pid WHERE end.next_comm ~ \"it's*\" && start.prio < 99";
	const struct plan_event *events;

	(void)state;
	if (access("/sys/kernel/tracing/events", F_OK) &&
	    access("/sys/kernel/debug/tracing/events", F_OK)) {
		print_message(
			"skipped: libtracefs makes events of queries only where tracefs is mounted\n");
		skip();
	}
	put_formats();
	assert_true(plan_queries_add(&plan, query));
	assert_false(plan_queries_add(&plan, "late u64 selected"));
	assert_false(plan_queries_add(&plan, "late selected x"));
	record_plan_add_event(&plan, "sched_switch", false);
	record_plan_add_buffer(&plan, "mine");
	good();
	good();		/* it is checked again */
	assert_int_equal(plan.nr_probes, 1);
	assert_string_equal(plan.probes[0].definition, "s:late u64 lat; char comm[16];");
	events = plan.buffers[0].events;
	assert_int_equal(plan.buffers[0].nr_events, 3);
	assert_string_equal(events[1].pattern, "sched:sched_waking");
	assert_string_equal(without_numbers(events[1].triggers.names[0]),
			    "hist:keys=pid:__arg=common_timestamp.usecs if prio < 99");
	assert_string_equal(events[2].pattern, "sched:sched_switch");
	assert_string_equal(
		without_numbers(events[2].triggers.names[0]),
		"hist:keys=next_pid:__lat=common_timestamp.usecs-$__arg,__comm=next_comm"
		":onmatch(sched.sched_waking).late($__lat,$__comm) if next_comm~\"it's*\"");
	assert_true(is_enabled(0, "late"));
	assert_true(is_enabled(0, "sched_switch"));	/* by -e */
	assert_false(is_enabled(0, "sched_waking"));
	assert_false(is_enabled(1, "late"));
}

static void test_queries_mistaken(void **state)
{
	static const struct { const char *query, *says; } cases[] = {
		{ "SELECT pid FRO sched_waking",
		  "--synth query: libtracefs does not understand it:\n"
		  "SELECT pid FRO sched_waking\n               ^\n"
		  "ERROR: 'sched_waking'\nsyntax error\n" },
		{ "x SELECT pid FROM sched_waking",
		  "--synth x: a query of one event makes a table and no event: " },
		{ "x SELECT a.nothing FROM sched_waking AS a JOIN sched_switch AS b "
		  "ON a.pid = b.next_pid",
		  "       ^\nERROR: 'a.nothing'\nField 'nothing' not part of event sched_waking\n" },
	};

	(void)state;
	put_formats();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(plan_queries_add(&plan, cases[i].query));
		bad(cases[i].says);
		assert_null(strstr(text_str(&plan.mistakes), "nothing to record"));
	}
	assert_int_equal(plan.nr_probes, 0);
	assert_int_equal(plan.buffers[0].nr_events, 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_events_by_any_name), TEST(test_events_to_come),
		TEST(test_negated_events),
		TEST(test_buffers_have_their_own_events),
		TEST(test_all_mistakes_at_once), TEST(test_triggers),
		TEST(test_tracer_that_is_not_built_in), TEST(test_functions_by_glob),
		TEST(test_filters), TEST(test_filter_of_no_field), TEST(test_filter_words),
		TEST(test_filter_that_is_too_long), TEST(test_probes),
		TEST(test_groups_of_probes), TEST(test_probe_of_a_name_that_exists),
		TEST(test_watch_probes),
		TEST(test_what_makes_no_sense), TEST(test_names_of_buffers),
		TEST(test_too_much_memory),
		TEST(test_numbers), TEST(test_options_of_a_tracer_that_is_not_there),
		TEST(test_graph_options_are_of_any_buffer),
		TEST(test_latency_tracer_has_no_buffers), TEST(test_refused_list_of_events),
		TEST(test_monitors), TEST(test_monitors_without_an_event),
		TEST(test_monitors_that_are_not_there), TEST(test_monitoring_is_off),
		TEST(test_events_of_modules), TEST(test_events_of_modules_mistaken),
		TEST(test_events_of_modules_left_out), TEST(test_queries),
		TEST(test_queries_mistaken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
