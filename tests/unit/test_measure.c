/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --measure: its keys, the kernel's limits, and the files that are written and restored. */
#include <setjmp.h>
#include <stdarg.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recorder/plan/plan_measure.h"
#include "recorder/run/measure.h"
#include "recorder/run/priority.h"
#include "src/base/memory.h"
#include "src/recording/measure_keys.h"
#include "tests/lib/sample_plan.h"

/* What Linux 7.2 has after boot. */
static const struct { const char *name, *content; } files[] = {
	{ "osnoise/period_us", "1000000\n" },
	{ "osnoise/runtime_us", "1000000\n" },
	{ "osnoise/cpus", "0-1\n" },
	{ "osnoise/stop_tracing_us", "0\n" },
	{ "osnoise/stop_tracing_total_us", "0\n" },
	{ "osnoise/print_stack", "0\n" },
	{ "osnoise/timerlat_period_us", "1000\n" },
	{ "osnoise/timerlat_align_us", "0\n" },
	{ "osnoise/options", "DEFAULTS OSNOISE_WORKLOAD NO_PANIC_ON_STOP NO_OSNOISE_PREEMPT_DISABLE "
			     "NO_OSNOISE_IRQ_DISABLE NO_TIMERLAT_ALIGN \n" },
	{ "hwlat_detector/window", "1000000\n" },
	{ "hwlat_detector/width", "500000\n" },
	{ "hwlat_detector/mode", "none [round-robin] per-cpu\n" },
	{ "tracing_thresh", "0\n" },
	{ "osnoise/per_cpu/cpu0/timerlat_fd", "" },
};

#define NR_FILES (sizeof(files) / sizeof(files[0]))

static int set_up_files(void **state)
{
	int ret = set_up(state);

	plan.nr_cpus = 4;
	fake_tracefs_put(&fake, "available_tracers",
			 "timerlat osnoise hwlat function_graph function nop\n");
	for (size_t i = 0; i < NR_FILES; i++)
		fake_tracefs_put(&fake, files[i].name, files[i].content);
	return ret;
}

static void begin(const char *tracer)
{
	record_plan_fini(&plan);
	record_plan_init(&plan);
	plan.nr_cpus = 4;
	plan.buffers[0].tracer = mem_strdup(tracer);
}

static void good(int ret, const struct ft_error *err)
{
	if (ret)
		fail_msg("%s %s", err->message, text_str(&plan.mistakes));
}

static void test_mistakes(void **state)
{
	static const struct { const char *tracer, *keys, *mistake; } cases[] = {
		{ "timerlat", "peroid=1ms", "--measure: no key 'peroid'; there are: period, runtime" },
		{ "timerlat", "peroid=1ms", "did you mean period?" },
		{ "timerlat", "period", "period: it takes a value: period=TIME" },
		{ "timerlat", "period=", "period: it takes a value: period=TIME" },
		{ "timerlat", "period=1h", "period=1h: not a time, as 100us, 1ms or 1s" },
		{ "timerlat", "period=-5", "period=-5: not a time" },
		{ "timerlat", "period=99us", "period=99us: it is outside of 100us to 1s" },
		{ "timerlat", "period=1000001", "period=1000001: it is outside of 100us to 1s" },
		{ "timerlat", "period=18446744073709551616s", "not a time" },
		{ "timerlat", "runtime=1ms", "runtime: requires -p with one of the tracers: osnoise" },
		{ "function", "threshold=1ms", "requires -p with one of the tracers: osnoise hwlat function_graph" },
		{ "timerlat", "cpus=x", "cpus: 'x' is not a list of CPUs such as 0,2-4" },
		{ "timerlat", "cpus=4-5", "cpus=4-5: it names none of the 4 CPUs" },
		{ "timerlat", "option=PANIC_ON_STOPP", "did you mean PANIC_ON_STOP?" },
		{ "timerlat", "option=NO_DEFAULTS", "option=NO_DEFAULTS: this kernel does not have it" },
		{ "timerlat", "user,kernel", "user, kernel: timerlat wakes the one or the other" },
		{ "timerlat", "user=1", "user=1: it takes no value" },
		{ "osnoise", "user", "user: requires -p with one of the tracers: timerlat" },
		{ "timerlat", "dma-latency=2000s", "dma-latency=2000s: it is outside of 0us to 1000s" },
		{ "timerlat", "stop=0", "stop=0: it is outside of 1us to 100s" },
		{ "osnoise", "runtime=2s",
		  "runtime=2s: it may not be above osnoise/period_us, which is 1s; set that, too" },
		{ "osnoise", "period=500ms",
		  "period=500ms: it may not be below osnoise/runtime_us, which is 1s; set that, too" },
		{ "osnoise", "period=500ms,runtime=600ms",
		  "runtime=600ms: it may not be above osnoise/period_us, which is 500ms then" },
		{ "hwlat", "width=1001ms", "it may not be above hwlat_detector/window, which is 1s" },
		{ "hwlat", "mode=percpu",
		  "mode=percpu: this kernel does not have it; it has: none, round-robin, per-cpu; did you mean per-cpu?" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(cases[i].tracer);
		plan_measure_add(&plan, cases[i].keys);
		assert_int_equal(record_plan_check(&plan, fake.root), -1);
		assert_int_equal(plan.nr_mistakes, 1);
		if (!strstr(text_str(&plan.mistakes), cases[i].mistake))
			fail_msg("%s: '%s' is not in: %s", cases[i].keys, cases[i].mistake,
				 text_str(&plan.mistakes));
	}
}

/* An older kernel: the mistake says since when there is the file. */
static void test_what_a_kernel_lacks(void **state)
{
	static const struct { const char *key, *file, *since; } cases[] = {
		{ "align=0", "osnoise/timerlat_align_us", "7.1" },
		{ "user", "osnoise/per_cpu/cpu0/timerlat_fd", "6.5" },
		{ "option=PANIC_ON_STOP", "osnoise/options", "6.2" },
	};
	char path[700], mistake[800];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin("timerlat");
		snprintf(path, sizeof(path), "%s/%s", fake.root, cases[i].file);
		assert_int_equal(remove(path), 0);
		plan_measure_add(&plan, cases[i].key);
		assert_int_equal(record_plan_check(&plan, fake.root), -1);
		snprintf(mistake, sizeof(mistake), "this kernel has no %s; Linux has it since %s\n",
			 path, cases[i].since);
		assert_non_null(strstr(text_str(&plan.mistakes), mistake));
		assert_int_equal(plan.nr_missing, 1);
	}
	/* what such a kernel has anyway is no mistake */
	begin("timerlat");
	plan_measure_add(&plan, "kernel");
	assert_int_equal(record_plan_check(&plan, fake.root), 0);
	/* without the tracer, that is the mistake */
	begin("timerlat");
	fake_tracefs_put(&fake, "available_tracers", "nop\n");
	plan_measure_add(&plan, "align=0");
	assert_int_equal(record_plan_check(&plan, fake.root), -1);
	assert_int_equal(plan.nr_mistakes, 1);
	assert_non_null(strstr(text_str(&plan.mistakes), "-p timerlat: not in this kernel"));
}

/* @expected: "FILE=CONTENT" of the files that are not as they were */
static void check_files(const char *const *expected)
{
	for (size_t i = 0; i < NR_FILES; i++) {
		const char *content = files[i].content;

		for (const char *const *e = expected; *e; e++)
			if (!strncmp(*e, files[i].name, strlen(files[i].name)) &&
			    (*e)[strlen(files[i].name)] == '=')
				content = *e + strlen(files[i].name) + 1;
		assert_string_equal(fake_content(&fake, files[i].name), content);
	}
}

/* Values are restored without a newline; of words, a plain file holds the one written last. */
static void check_restored(void)
{
	for (size_t i = 0; i < NR_FILES; i++) {
		const char *now = fake_content(&fake, files[i].name), *was = files[i].content;

		if (!strcmp(now, was))
			continue;
		if (!strcmp(files[i].name, "osnoise/options"))
			assert_string_equal(now, "NO_TIMERLAT_ALIGN");
		else if (!strcmp(files[i].name, "hwlat_detector/mode"))
			assert_string_equal(now, "round-robin");
		else
			assert_memory_equal(now, was, strlen(was) - 1);
	}
}

/* Files are written, and hold what they held when the recording has ended. */
static void test_files(void **state)
{
	static const struct { const char *tracer, *keys, *expected[5]; } cases[] = {
		{ "timerlat", "period=100us,cpus=0,2-3,stack=7ms,align=20",
		  { "osnoise/timerlat_period_us=100", "osnoise/cpus=0,2-3",
		    "osnoise/print_stack=7000", "osnoise/timerlat_align_us=20",
		    "osnoise/options=TIMERLAT_ALIGN" } },
		{ "timerlat", "stop=50us,stop-total=1ms",
		  { "osnoise/stop_tracing_us=50", "osnoise/stop_tracing_total_us=1000",
		    "osnoise/print_stack=1000" } },
		{ "timerlat", "stop=50us,stack=3",
		  { "osnoise/stop_tracing_us=50", "osnoise/print_stack=3" } },
		{ "timerlat", "user,dma-latency=0", { "osnoise/options=NO_OSNOISE_WORKLOAD" } },
		{ "timerlat", "kernel", { "osnoise/options=OSNOISE_WORKLOAD" } },
		{ "osnoise", "period=2s,runtime=1500ms,option=PANIC_ON_STOP",
		  { "osnoise/period_us=2000000", "osnoise/runtime_us=1500000",
		    "osnoise/options=PANIC_ON_STOP" } },
		{ "osnoise", "stop=50us", { "osnoise/stop_tracing_us=50" } },
		{ "hwlat", "width=900ms,window=950ms,threshold=5,mode=per-cpu",
		  { "hwlat_detector/window=950000", "hwlat_detector/width=900000",
		    "tracing_thresh=5", "hwlat_detector/mode=per-cpu" } },
		{ "function_graph", "threshold=1ms", { "tracing_thresh=1000" } },
	};
	char run_dir[600], command[700];

	(void)state;
	snprintf(run_dir, sizeof(run_dir), "%s-run", fake.root);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *expected[6] = { NULL };
		struct ft_error err = { 0 };
		struct text notes = { 0 };
		struct journal *journal;

		memcpy(expected, cases[i].expected, sizeof(cases[i].expected));
		begin(cases[i].tracer);
		plan_measure_add(&plan, cases[i].keys);
		good(record_plan_check(&plan, fake.root), &err);
		journal = journal_new(run_dir, &root, &err);
		good(!journal, &err);
		good(measure_apply(journal, &root, &plan, &err), &err);
		check_files(expected);
		assert_int_equal(journal_end(journal, &notes), 0);
		assert_string_equal(text_str(&notes), "");
		check_restored();
		for (size_t k = 0; k < NR_FILES; k++)
			fake_tracefs_put(&fake, files[k].name, files[k].content);
		text_fini(&notes);
	}
	snprintf(command, sizeof(command), "rm -rf %s", run_dir);
	assert_int_equal(system(command), 0);
}

/* The kernel refuses a runtime above the period, at any moment. */
static void test_the_order_of_a_pair(void **state)
{
	static const struct { const char *period, *runtime, *keys; bool period_first; } cases[] = {
		{ "1000000", "1000000", "period=2s,runtime=2s", true },
		{ "1000000", "1000000", "runtime=2s,period=2s", true },
		{ "1000000", "1000000", "period=100ms,runtime=50ms", false },
		{ "1000000", "500000", "runtime=1s,period=1s", false },
	};
	char run_dir[600], command[1300];

	(void)state;
	snprintf(run_dir, sizeof(run_dir), "%s-run", fake.root);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ft_error err = { 0 };
		struct journal *journal;
		char *text;

		begin("osnoise");
		fake_tracefs_put(&fake, "osnoise/period_us", cases[i].period);
		fake_tracefs_put(&fake, "osnoise/runtime_us", cases[i].runtime);
		plan_measure_add(&plan, cases[i].keys);
		good(record_plan_check(&plan, fake.root), &err);
		journal = journal_new(run_dir, &root, &err);
		good(!journal, &err);
		good(measure_apply(journal, &root, &plan, &err), &err);
		/* the journal tells the order */
		snprintf(command, sizeof(command), "cat %s/journal-* >%s/order", run_dir,
			 fake.root);
		assert_int_equal(system(command), 0);
		text = fake_tracefs_get(&fake, "order");
		assert_int_equal(strstr(text, "wrote osnoise/period_us") <
					 strstr(text, "wrote osnoise/runtime_us"),
				 cases[i].period_first);
		free(text);
		assert_int_equal(journal_end(journal, NULL), 0);
		assert_string_equal(fake_content(&fake, "osnoise/period_us"), cases[i].period);
		assert_string_equal(fake_content(&fake, "osnoise/runtime_us"), cases[i].runtime);
	}
	snprintf(command, sizeof(command), "rm -rf %s", run_dir);
	assert_int_equal(system(command), 0);
}

static void test_priorities(void **state)
{
	static const struct { const char *text; struct plan_priority p; } cases[] = {
		{ "f:95", { .policy = SCHED_FIFO, .priority = 95 } },
		{ "F:1", { .policy = SCHED_FIFO, .priority = 1 } },
		{ "r:99", { .policy = SCHED_RR, .priority = 99 } },
		{ "o:-20", { .policy = SCHED_OTHER, .nice = -20 } },
		{ "o:0", { .policy = SCHED_OTHER } },
		{ "d:100us:1ms", { .policy = 6, .runtime_ns = 100000, .period_ns = 1000000 } },
		{ "d:1500:1s", { .policy = 6, .runtime_ns = 1500, .period_ns = 1000000000 } },
		{ "d:5ns:5ns", { .policy = 6, .runtime_ns = 5, .period_ns = 5 } },
	};
	static const char *const bad[] = { "", "f", "f:", "f:0", "f:100", "f:1x", "r:-1", "o:20",
					   "o:-21", "x:1", "95", "d:1ms", "d:2ms:1ms", "d:0:1ms",
					   "d:1m:1h", "f: 1" };
	struct plan_priority p;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(plan_measure_priority(cases[i].text, &p));
		assert_memory_equal(&p, &cases[i].p, sizeof(p));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (plan_measure_priority(bad[i], &p))
			fail_msg("%s is taken", bad[i]);
	begin("timerlat");
	plan_measure_add(&plan, "prio=f:100");
	assert_string_equal(text_str(&plan.mistakes),
			    "prio=f:100: not f:PRIO or r:PRIO (1 to 99), o:NICE (-20 to 19), or "
			    "d:RUNTIME:PERIOD (as d:100us:1ms)\n");
}

/* Only the kernel's threads are meant, not processes with such names. */
static void test_threads(void **state)
{
	const struct plan_priority p = { .policy = SCHED_FIFO, .priority = 5 };
	struct ft_error err = { 0 };

	(void)state;
	fake_tracefs_put(&fake, "proc/1999999991/stat", "1999999991 (timerlat/0) S 1 0 0");
	fake_tracefs_put(&fake, "proc/1999999992/stat", "1999999992 (timerlatu/0) S 2 0 0");
	fake_tracefs_put(&fake, "proc/self/stat", "7 (timerlat/0) S 2 0 0");
	assert_int_equal(priority_set_threads("timerlat", TRACEFS_TEXT("%s/proc", fake.root), &p,
					      &err),
			 -1);
	assert_non_null(strstr(err.message, "there is no thread timerlat/N in"));
	fake_tracefs_put(&fake, "proc/1999999993/stat", "1999999993 (osnoise/1) S 2 0 0");
	assert_int_equal(priority_set_threads("osnoise", TRACEFS_TEXT("%s/proc", fake.root), &p,
					      &err),
			 -1);
	assert_non_null(strstr(err.message, "prio: osnoise/N (pid 1999999993): "));
}

static void test_times(void **state)
{
	static const struct { const char *text; uint64_t us; const char *shown; } cases[] = {
		{ "100", 100, "100us" }, { "100us", 100, "100us" }, { "1ms", 1000, "1ms" },
		{ "2s", 2000000, "2s" }, { "1500us", 1500, "1500us" }, { "0", 0, "0us" },
	};
	static const char *const bad[] = { "", "1m", "us", "1.5ms", "-1", "0x5", " 1" };
	uint64_t us;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t = { 0 };

		assert_true(measure_time(cases[i].text, &us));
		assert_int_equal(us, cases[i].us);
		measure_time_text(us, &t);
		assert_string_equal(text_str(&t), cases[i].shown);
		text_fini(&t);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(measure_time(bad[i], &us));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up_files, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_mistakes), TEST(test_what_a_kernel_lacks), TEST(test_files),
		TEST(test_the_order_of_a_pair), TEST(test_priorities), TEST(test_threads),
		TEST(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
