/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expected lines: by the kernel's kernel-parameters.txt, boottime-trace.rst and debugging.rst. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "recorder/plan/plan_boot.h"
#include "recorder/plan/plan_probes.h"
#include "src/base/memory.h"
#include "tests/lib/sample_tracefs.h"

static struct fake_tracefs fake;
static struct record_plan plan;

static void begin(const char *release)
{
	char path[] = "proc/sys/kernel/osrelease";

	fake_tracefs_put(&fake, path, release);
	record_plan_init(&plan);
	plan.nr_cpus = 2;
	plan.root = fake.root;
	plan.boot = true;
	plan.output = "b.dat";
}

static int set_up(void **state)
{
	(void)state;
	sample_tracefs_init(&fake);
	begin("7.2.1-x\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	record_plan_fini(&plan);
	fake_tracefs_fini(&fake);
	return 0;
}

/* @lines: those that are no comments */
static void prints(const char *lines, const char *comment)
{
	struct text all = { 0 }, found = { 0 };

	if (record_plan_check(&plan, fake.root))
		fail_msg("%s", text_str(&plan.mistakes));
	plan_boot_text(&plan, "/T", &all);
	for (const char *p = text_str(&all); *p; p += strcspn(p, "\n") + 1)
		if (*p != '#')
			text_bytes(&found, p, strcspn(p, "\n") + 1);
	assert_string_equal(text_str(&found), lines);
	if (!strstr(text_str(&all), comment))
		fail_msg("no '%s' in %s", comment, text_str(&all));
	text_fini(&all);
	text_fini(&found);
}

static void bad(const char *mistake)
{
	assert_int_equal(record_plan_check(&plan, fake.root), -1);
	if (!strstr(text_str(&plan.mistakes), mistake))
		fail_msg("'%s' is not in: %s", mistake, text_str(&plan.mistakes));
}

/* All of a system; one of two events. */
static void test_top(void **state)
{
	(void)state;
	record_plan_add_event(&plan, "sched", false);
	record_plan_add_event(&plan, "softirq_entry", false);
	plan.buffers[0].size_kb = 2048;
	plan.buffers[0].tracer = mem_strdup("function");
	plan.buffers[0].clock = mem_strdup("mono");
	name_list_add(&plan.buffers[0].options, "stacktrace");
	name_list_add(&plan.buffers[0].options, "nooverwrite");
	name_list_add(&plan.buffers[0].functions, "vfs_*");
	name_list_add(&plan.buffers[0].functions, "schedule");
	name_list_add(&plan.buffers[0].notrace, "vfs_write");
	prints("trace_buf_size=2048K trace_clock=mono trace_options=stacktrace,nooverwrite "
	       "trace_event=irq:softirq_entry,sched:* ftrace_filter=vfs_*,schedule "
	       "ftrace_notrace=vfs_write ftrace=function\n",
	       "#   echo 0 > /T/tracing_on\n#   ftop-trace extract --top -o b.dat\n");
}

static void test_graph(void **state)
{
	(void)state;
	plan.buffers[0].tracer = mem_strdup("function_graph");
	plan.max_graph_depth = 3;
	name_list_add(&plan.graph, "vfs_read");
	name_list_add(&plan.graph_notrace, "schedule");
	prints("trace_buf_size=4096K trace_clock=local ftrace=function_graph "
	       "ftrace_graph_filter=vfs_read ftrace_graph_notrace=schedule "
	       "ftrace_graph_max_depth=3\n",
	       "# After the boot:\n");
}

static void test_bootconfig(void **state)
{
	struct plan_event *event = record_plan_add_event(&plan, "sched_switch", false);

	(void)state;
	event->filter = mem_strdup("prev_comm == \"a\"");
	name_list_add(&event->triggers, "traceoff if prev_pid == 3");
	record_plan_add_event(&plan, "sched_waking", false);
	plan.buffers[0].cpus = mem_array(plan.nr_cpus, sizeof(bool));
	plan.buffers[0].cpus[1] = true;
	record_plan_add_buffer(&plan, "two");
	record_plan_add_event(&plan, "irq", false);
	plan.buffers[1].tracer = mem_strdup("function");
	name_list_add(&plan.buffers[1].functions, "vfs_read");
	prints("bootconfig trace_buf_size=4096K trace_clock=global trace_event=sched:sched_waking "
	       "trace_instance=two,irq:*\n"
	       "ftrace.cpumask = \"2\"\n"
	       "ftrace.event.sched.sched_switch.filter = 'prev_comm == \"a\"'\n"
	       "ftrace.event.sched.sched_switch.actions = \"traceoff if prev_pid == 3\"\n"
	       "ftrace.event.sched.sched_switch.enable\n"
	       "ftrace.instance.two.buffer_size = \"4096K\"\n"
	       "ftrace.instance.two.trace_clock = \"global\"\n"
	       "ftrace.instance.two.ftrace.filters = \"vfs_read\"\n"
	       "ftrace.instance.two.tracer = \"function\"\n",
	       "#   ftop-trace extract -B two -o two.dat\n");
}

static void test_probes(void **state)
{
	struct plan_event *event;

	(void)state;
	fake_tracefs_put(&fake, "kprobe_events", "");
	fake_tracefs_put(&fake, "synthetic_events", "");
	fake_tracefs_put(&fake, "dynamic_events", "");
	record_plan_add_probe(&plan, "p:my_open  do_sys_openat2 dfd=$arg1", false);
	record_plan_add_probe(&plan, "lat u64 lat; pid_t pid", true);
	event = record_plan_add_event(&plan, "my_open", false);
	event->filter = mem_strdup("dfd > 3");
	prints("bootconfig trace_buf_size=4096K trace_clock=global\n"
	       "ftrace.event.kprobes.my_open.probes = \"do_sys_openat2 dfd=$arg1\"\n"
	       "ftrace.event.synthetic.lat.fields = \"u64 lat\", \"pid_t pid\"\n"
	       "ftrace.event.kprobes.my_open.filter = \"dfd > 3\"\n"
	       "ftrace.event.kprobes.my_open.enable\n"
	       "ftrace.event.synthetic.lat.enable\n",
	       "#   ftop-trace extract --top -o b.dat\n");
	record_plan_add_probe(&plan, "r:my_return do_sys_openat2", false);
	record_plan_add_probe(&plan, "p:other/my_open do_sys_openat2", false);
	bad("--boot: 'r:my_return do_sys_openat2': a bootconfig can define kprobes of the group");
	bad("--boot: 'p:other/my_open do_sys_openat2': a bootconfig can define");
}

/* (1024 + 64) KiB for each of two CPUs, in MiB. */
static void test_persistent(void **state)
{
	struct plan_event *event = record_plan_add_event(&plan, "sched_switch", false);

	(void)state;
	event->filter = mem_strdup("prev_pid > 1");
	plan.persistent = plan.func_stack = true;
	plan.buffers[0].cpus = mem_array(plan.nr_cpus, sizeof(bool));
	plan.buffers[0].cpus[1] = true;
	plan.buffers[0].size_kb = 1024;
	plan.buffers[0].tracer = mem_strdup("function");
	prints("reserve_mem=3M:4096:ftop trace_instance=boot_map^traceoff@ftop\n",
	       "#   ftop-trace extract --last-boot -B boot_map -o b.dat\n"
	       "#   echo 'prev_pid > 1' >> /T/instances/boot_map/events/sched/sched_switch/filter\n"
	       "#   echo local >> /T/instances/boot_map/trace_clock\n"
	       "#   echo 2 >> /T/instances/boot_map/tracing_cpumask\n"
	       "#   echo sched:sched_switch >> /T/instances/boot_map/set_event\n"
	       "#   echo function >> /T/instances/boot_map/current_tracer\n"
	       "#   echo func_stack_trace >> /T/instances/boot_map/trace_options\n"
	       "#   ftop-trace record --boot --save\n"
	       "#   echo 1 > /T/instances/boot_map/tracing_on\n");
}

/* Not on the command line: the kernel would empty the part of its first CPU alone. */
static void test_persistent_events_later(void **state)
{
	(void)state;
	plan.persistent = true;
	plan.buffers[0].size_kb = 1024;
	record_plan_add_event(&plan, "sched", false);
	record_plan_add_event(&plan, "softirq_entry", false);
	prints("reserve_mem=3M:4096:ftop trace_instance=boot_map^traceoff@ftop\n",
	       "#   ftop-trace extract --last-boot -B boot_map -o b.dat\n"
	       "#   echo local >> /T/instances/boot_map/trace_clock\n"
	       "#   echo irq:softirq_entry >> /T/instances/boot_map/set_event\n"
	       "#   echo 'sched:*' >> /T/instances/boot_map/set_event\n"
	       "#   ftop-trace record --boot --save\n"
	       "#   echo 1 > /T/instances/boot_map/tracing_on\n");
}

static void test_persistent_clock(void **state)
{
	(void)state;
	plan.persistent = true;
	plan.buffers[0].size_kb = 1024;
	plan.buffers[0].clock = mem_strdup("mono");
	record_plan_add_event(&plan, "softirq_entry", false);
	prints("reserve_mem=3M:4096:ftop trace_instance=boot_map^traceoff@ftop\n",
	       "# With the clock mono, this kernel loses what CPU 0 recorded in the boot before; "
	       "with local it does not.\n"
	       "#   ftop-trace extract --last-boot -B boot_map -o b.dat\n"
	       "#   echo mono >> /T/instances/boot_map/trace_clock\n"
	       "#   echo irq:softirq_entry >> /T/instances/boot_map/set_event\n"
	       "#   ftop-trace record --boot --save\n"
	       "#   echo 1 > /T/instances/boot_map/tracing_on\n");
}

static void test_persistent_by_name(void **state)
{
	(void)state;
	plan.persistent = true;
	record_plan_add_buffer(&plan, "crash");
	record_plan_add_event(&plan, "sched", false);
	record_plan_fini(&plan);
	begin("6.12.0\n");
	plan.persistent = true;
	record_plan_add_buffer(&plan, "crash");
	record_plan_add_event(&plan, "sched", false);
	prints("reserve_mem=9M:4096:ftop trace_instance=crash^traceoff@ftop\n",
	       "#   ftop-trace extract --last-boot -B crash --consume -o b.dat\n");
}

static void test_too_old(void **state)
{
	static const struct { const char *release; bool persistent; const char *said; } cases[] = {
		{ "6.11.4\n", true, "--persistent: not in this kernel, but since Linux 6.12" },
		{ "6.2.0\n", false, "-B: not in this kernel, but since Linux 6.3" },
		{ "5.10.0\n", false, "-B: not in this kernel, but since Linux 6.3" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record_plan_fini(&plan);
		begin(cases[i].release);
		plan.persistent = cases[i].persistent;
		record_plan_add_buffer(&plan, "x");
		record_plan_add_event(&plan, "sched", false);
		bad(cases[i].said);
		assert_int_equal(plan.nr_missing, 1);
	}
	record_plan_fini(&plan);
	begin("5.5.0\n");
	record_plan_add_event(&plan, "sched_switch", false)->filter = mem_strdup("prev_pid > 1");
	bad("a filter, a trigger, a probe or a mask of CPUs: not in this kernel, but since Linux 5.6");
}

static void test_no_bootconfig(void **state)
{
	(void)state;
	fake_tracefs_put(&fake, "boot/config-7.2.1-x", "CONFIG_TRACING=y\n");
	record_plan_add_event(&plan, "sched_switch", false)->filter = mem_strdup("prev_pid > 1");
	bad("--boot: filters, triggers, probes, CPUs, and tracers of instances: not in this kernel");
	assert_int_equal(plan.nr_missing, 1);
}

static void test_mistakes(void **state)
{
	struct plan_event *event;

	(void)state;
	plan.only_command = true;
	plan.duration_ns = 1;
	name_list_add(&plan.buffers[0].functions, "vfs_read:traceoff");
	record_plan_add_buffer(&plan, "a,b");
	event = record_plan_add_event(&plan, "sched_swich", false);
	event->filter = mem_strdup("prev_comm == \"'\"");
	bad("sched_swich: no such event; did you mean sched_switch?");
	bad("no kernel parameter stands for -F");
	bad("no kernel parameter stands for --duration");
	bad("'vfs_read:traceoff': the kernel takes names and globs of functions at boot");
	bad("-B a,b: such a name may only have letters, digits, - and _");
	bad("a bootconfig cannot hold both kinds of quotation marks");
}

static void test_only_with_boot(void **state)
{
	(void)state;
	plan.boot = false;
	plan.persistent = true;
	record_plan_add_event(&plan, "sched", false);
	bad("--persistent requires --boot");
}

static void test_one_persistent(void **state)
{
	(void)state;
	plan.persistent = true;
	record_plan_add_event(&plan, "sched", false);
	record_plan_add_buffer(&plan, "b");
	record_plan_add_event(&plan, "irq", false);
	bad("--persistent: only one buffer can be persistent");
}

static void test_too_long(void **state)
{
	(void)state;
	plan.buffers[0].tracer = mem_strdup("function");
	for (int i = 0; i < 300; i++)
		name_list_add(&plan.buffers[0].functions, "vfs_read");
	bad("and the kernel takes 2048, with all others");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_top, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_graph, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_bootconfig, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_probes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_persistent, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_persistent_events_later, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_persistent_clock, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_persistent_by_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_too_old, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_bootconfig, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mistakes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_only_with_boot, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_one_persistent, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_too_long, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
