/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/lines/line_known.h"
#include "src/base/text.h"

/*
 * Lines as kernels since 2.6.32 print them (include/trace/events) and trace-cmd's plugins, and
 * their fields by the names of the kernel's formats.
 */
static const struct {
	const char	*event, *body, *fields;
} lines[] = {
	{ "sched_switch", "task swapper:0 [140] (R) ==> a b:12 [120]",
	  "prev_comm=swapper;prev_pid=0;prev_prio=140;prev_state=R;next_comm=a b;next_pid=12;"
	  "next_prio=120" },
	{ "sched_wakeup", "task a b:12 [120] success=1 [001]",
	  "comm=a b;pid=12;prio=120;target_cpu=001" },
	{ "sched_wakeup", "comm=a b pid=12 prio=120 success=1 [001]",
	  "comm=a b;pid=12;prio=120;target_cpu=001" },
	{ "sched_waking", "comm=a b pid=12 prio=120 target_cpu=001",
	  "comm=a b;pid=12;prio=120;target_cpu=001" },
	{ "sched_process_fork", "parent a:12  child b:13",
	  "parent_comm=a;parent_pid=12;child_comm=b;child_pid=13" },
	{ "sched_migrate_task", "task a:12 [120] from: 0  to: 1",
	  "comm=a;pid=12;prio=120;orig_cpu=0;dest_cpu=1" },
	{ "sched_stat_runtime", "comm=a pid=12 runtime=1500 [ns] vruntime=77 [ns]",
	  "comm=a;pid=12;runtime=1500;vruntime=77 [ns]" },
	{ "sched_stat_sleep", "comm=a pid=12 delay=1500 [ns]", "comm=a;pid=12;delay=1500 [ns]" },
	{ "sched_blocked_reason", "pid=12 iowait=1 caller=io_schedule+0x10/0x20",
	  "pid=12;io_wait=1;caller=io_schedule+0x10/0x20" },
	{ "sched_stat_runtime", "task: a b:12 runtime: 1500 [ns], vruntime: 77 [ns]",
	  "comm=a b;pid=12;runtime=1500;vruntime=77" },
	{ "sched_stat_wait", "task: a:12 wait: 1500 [ns]", "comm=a;pid=12;delay=1500" },
	{ "sched_stat_sleep", "task: a:12 sleep: 1500 [ns]", "comm=a;pid=12;delay=1500" },
	{ "sched_stat_iowait", "task: a:12 iowait: 1500 [ns]", "comm=a;pid=12;delay=1500" },
	{ "sched_process_exit", "task a:b:12 [120]", "comm=a:b;pid=12;prio=120" },
	{ "sched_process_exit", "comm=a pid=12 prio=120 group_dead=true",
	  "comm=a;pid=12;prio=120;group_dead=true" },
	{ "sched_signal_send", "sig: 9  task a b:12", "sig=9;comm=a b;pid=12" },
	{ "sched_kthread_work_queue_work", "work struct=00000000f function=f [m] worker=(null)",
	  "work=00000000f;function=f [m];worker=(null)" },
	{ "workqueue_queue_work",
	  "work struct=000000f function=f workqueue=events_unbound req_cpu=8192 cpu=4294967295",
	  "work=000000f;function=f;workqueue=events_unbound;req_cpu=8192;cpu=4294967295" },
	{ "workqueue_activate_work", "work struct 000000f", "work=000000f" },
	{ "workqueue_execute_end", "work struct 000000f: function g", "work=000000f;function=g" },
	{ "task_newtask", "pid=12 comm=a clone_flags=3d0f00 oom_score_adj=-5",
	  "pid=12;comm=a;clone_flags=3d0f00;oom_score_adj=-5" },
	{ "softirq_entry", "softirq=1 action=TIMER", "vec=1;action=TIMER" },
	{ "softirq_entry", "vec=1 [action=TIMER]", "vec=1;action=TIMER" },
	{ "tasklet_entry", "tasklet=t function=f", "tasklet=t;func=f" },
	{ "irq_handler_entry", "irq=9 name=a=b, c", "irq=9;name=a=b, c" },
	{ "irq_handler_entry", "irq=9 handler=a, b", "irq=9;name=a, b" },
	{ "irq_handler_exit", "irq=9 return=handled", "irq=9;ret=handled" },
	{ "irq_handler_exit", "irq=9 ret=unhandled", "irq=9;ret=unhandled" },
	{ "timer_init", "timer c00f", "timer=c00f" },
	{ "timer_start", "timer c00f: func f, expires 42, timeout 7",
	  "timer=c00f;function=f;expires=42;timeout=7" },
	{ "timer_expire_entry", "timer c00f: now 42", "timer=c00f;now=42" },
	{ "hrtimer_init", "hrtimer c00f, clockid CLOCK_MONOTONIC, mode HRTIMER_MODE_ABS",
	  "hrtimer=c00f;clockid=CLOCK_MONOTONIC;mode=HRTIMER_MODE_ABS" },
	{ "hrtimer_start", "hrtimer c00f, func f, expires 42, softexpires 41",
	  "hrtimer=c00f;function=f;expires=42;softexpires=41" },
	{ "hrtimer_expire_entry", "hrtimer c00f, now 42", "hrtimer=c00f;now=42" },
	{ "workqueue_execution", "thread=events/0:5 func=f",
	  "thread_comm=events/0;thread_pid=5;func=f" },
	{ "power_start", "type=1 state=2", "type=1;state=2" },
	{ "signal_generate", "sig=17 errno=0 code=1 comm=a b pid=12",
	  "sig=17;errno=0;code=1;comm=a b;pid=12" },
	{ "signal_generate", "sig=17 errno=0 code=1 comm=a b pid=12 grp=1 res=0",
	  "sig=17;errno=0;code=1;comm=a b;pid=12;grp=1;res=0" },
	{ "sys_enter", "NR 1 (7, 55d0, 0, 1, 2, 3)", "id=1;args=7, 55d0, 0, 1, 2, 3" },
	{ "block_rq_abort", "8,0 WS () 100 + 8 [-5]",
	  "dev=8,0;rwbs=WS;cmd=;sector=100;nr_sector=8;error=-5" },
	{ "block_rq_requeue", "8,0 WS () 100 + 8 none,0,0 [0]",
	  "dev=8,0;rwbs=WS;cmd=;sector=100;nr_sector=8;error=0;prio=none,0,0" },
	{ "block_unplug_io", "[a b] 4", "comm=a b;nr_rq=4" },
	{ "timer_start", "timer=00f function=f expires=42 [timeout=7] cpu=1 idx=3 flags=D|I",
	  "timer=00f;function=f;expires=42;timeout=7;cpu=1;idx=3;flags=D|I" },
	{ "itimer_state", "which=0 expires=7 it_value=1.000002 it_interval=3.000004",
	  "which=0;expires=7;value_sec=1;value_usec=000002;interval_sec=3;interval_usec=000004" },
	{ "page_fault_user", "address=0x7f81 ip=f+0x1 error_code=0x14",
	  "address=0x7f81;ip=f+0x1;error_code=0x14" },
	{ "ipi_raise", "target_mask=00000000,00000002 (Function call interrupts)",
	  "target_cpus=00000000,00000002;reason=Function call interrupts" },
	{ "ipi_send_cpu", "cpu=1 callsite=f+0x1/0x2 callback=g+0x0/0x1",
	  "cpu=1;callsite=f+0x1/0x2;callback=g+0x0/0x1" },
	{ "signal_deliver", "sig=17 errno=0 code=1 sa_handler=55d0 sa_flags=14000000",
	  "sig=17;errno=0;code=1;sa_handler=55d0;sa_flags=14000000" },
	{ "contention_begin", "000000f (flags=SPIN|PERCPU)",
	  "lock_addr=000000f;flags=SPIN|PERCPU" },
	{ "contention_end", "000000f (ret=-110)", "lock_addr=000000f;ret=-110" },
	{ "device_pm_callback_start", "usb 1-1, parent: usb1, type [resume]",
	  "driver=usb;device=1-1;parent=usb1;pm_ops=type;event=resume" },
	{ "device_pm_callback_end", "usb 1-1, err=-16", "driver=usb;device=1-1;error=-16" },
	{ "suspend_resume", "CPU_OFF[1] begin", "action=CPU_OFF;val=1;start=begin" },
	{ "wakeup_source_activate", "alarmtimer state=0x10001", "name=alarmtimer;state=0x10001" },
	{ "clock_set_rate", "clk_x state=1200 cpu_id=0", "name=clk_x;state=1200;cpu_id=0" },
	{ "cpu_idle", "state=4294967295 cpu_id=3", "state=4294967295;cpu_id=3" },
	{ "block_rq_remap", "8,0 W 100 + 8 <- (8,1) 36 1",
	  "dev=8,0;rwbs=W;sector=100;nr_sector=8;old_dev=8,1;old_sector=36;nr_bios=1" },
	{ "block_rq_complete", "8,0 WS () 100 + 8 [0]",
	  "dev=8,0;rwbs=WS;cmd=;sector=100;nr_sector=8;error=0" },
	{ "block_dirty_buffer", "8,0 sector=100 size=4096", "dev=8,0;sector=100;size=4096" },
	{ "blktrace", "254,0    0    18.945187756   962  Q  RS 0 + 128 [dd]",
	  "device=254,0;action=Q;rwbs=RS;sector=0;bytes=128;what=dd" },
	/* the pairs of the first line, where no form of the event fits */
	{ "sched_switch", "prev=a next=b", "prev=a;next=b" },
	{ "unknown", "a=1 {c=x y}", "a=1;c=x y}" },
};

static void add_values(const struct line_type *type, const char *body, struct text *out)
{
	const struct text_slice slice = { body, strlen(body) };
	struct line_values values;

	line_type_values(type, slice, &values);
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		if (*type->fields[i].name && values.v[i].s)
			text_printf(out, "%s%s=%.*s", out->len ? ";" : "", type->fields[i].name,
				    (int)values.v[i].len, values.v[i].s);
	}
}

static void test_fields_of_events_in_all_their_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct line_types types = { 0 };
		const struct line_type *type;
		struct text found = { 0 };

		type = line_types_learn(&types,
					(struct text_slice){ lines[i].event,
							     strlen(lines[i].event) },
					(struct text_slice){ lines[i].body,
							     strlen(lines[i].body) });
		add_values(type, lines[i].body, &found);
		if (strcmp(text_str(&found), lines[i].fields) != 0)
			print_error("%s: %s\n", lines[i].event, lines[i].body);
		assert_string_equal(text_str(&found), lines[i].fields);
		text_fini(&found);
		line_types_fini(&types);
	}
}

/* A pattern of a format comes before the table, and what it does not know has the table's kind. */
static void test_given_formats_come_first(void **state)
{
	static const char body[] = "comm=x pid=7 state=S|D";
	struct line_formats *formats = line_formats_new();
	struct line_types types = { .formats = formats };
	struct text found = { 0 };
	const struct line_type *type;

	(void)state;
	line_formats_add(
		formats, "sys", "sched_switch",
		"comm={comm:comm 8s char[8]} pid={next_pid:number 4s pid_t} state={prev_state:printed}");
	type = line_types_learn(&types, (struct text_slice){ "sched_switch", 12 },
				(struct text_slice){ body, strlen(body) });
	add_values(type, body, &found);
	assert_string_equal(text_str(&found), "comm=x;next_pid=7;prev_state=S|D");
	assert_string_equal(type->system, "sys");
	assert_int_equal(type->fields[2].kind, LINE_STATE);
	text_fini(&found);
	line_types_place(&types);
	line_type_format(type, type->id, false, &found);
	assert_non_null(
		strstr(text_str(&found), "field:char comm[8];\toffset:16;\tsize:8;\tsigned:1;\n"));
	assert_non_null(strstr(text_str(&found),
			       "field:pid_t next_pid;\toffset:24;\tsize:4;\tsigned:1;\n"));
	text_fini(&found);
	line_types_fini(&types);
	line_formats_free(formats);
}

/* The name of a field stands before the last brackets of its type, which are at its end. */
static void test_declarations_of_odd_types(void **state)
{
	static const char body[] = "1 2 3";
	struct line_formats *formats = line_formats_new();
	struct line_types types = { .formats = formats };
	struct text out = { 0 };
	const struct line_type *type;

	(void)state;
	line_formats_add(formats, "sys", "f",
			 "{a:number 4s int[} {b:number 4s x]} {c:number 8s s[3][8]}");
	type = line_types_learn(&types, (struct text_slice){ "f", 1 },
				(struct text_slice){ body, strlen(body) });
	line_types_place(&types);
	line_type_format(type, type->id, false, &out);
	assert_non_null(strstr(text_str(&out), "\tfield:int[ a;\t"));
	assert_non_null(strstr(text_str(&out), "\tfield:x] b;\t"));
	assert_non_null(strstr(text_str(&out), "\tfield:s[3] c[8];\t"));
	text_fini(&out);
	line_types_fini(&types);
	line_formats_free(formats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_of_events_in_all_their_forms),
		cmocka_unit_test(test_given_formats_come_first),
		cmocka_unit_test(test_declarations_of_odd_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
