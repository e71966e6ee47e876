/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/rows/words.h"

#define MAX_FIELDS 8

/* An event made by hand: name and fields as "name=raw" or "name=raw|printed". */
struct event {
	struct row		row;
	struct words_field	fields[MAX_FIELDS];
	unsigned int		nr;
};

static void make(struct event *e, const char *system, const char *name, const char *const *fields)
{
	memset(e, 0, sizeof(*e));
	e->row.kind = TRACE_ROW_EVENT;
	e->row.cpu = 2;
	e->row.pid = 75;
	e->row.duration = -1;
	e->row.leaf_exit = TRACE_REF_NONE;
	text_add(&e->row.comm, "wl");
	text_add(&e->row.system, system);
	text_add(&e->row.name, name);
	for (; *fields; fields++) {
		struct words_field *f = &e->fields[e->nr++];
		const char *equal = strchr(*fields, '='), *bar = strchr(*fields, '|');

		text_bytes(&f->name, *fields, equal - *fields);
		if (bar) {
			text_bytes(&f->raw, equal + 1, bar - equal - 1);
			text_add(&f->printed, bar + 1);
		} else {
			text_add(&f->raw, equal + 1);
		}
	}
}

static void drop(struct event *e)
{
	for (unsigned int i = 0; i < e->nr; i++) {
		text_fini(&e->fields[i].name);
		text_fini(&e->fields[i].raw);
		text_fini(&e->fields[i].printed);
	}
	row_fini(&e->row);
}

static void expect(struct event *e, const char *sentence)
{
	struct shared shared = { 0 };
	struct text t = { 0 };

	e->row.ref = TRACE_REF_NONE;	/* of no trace */
	words_row(&shared, &e->row, e->fields, e->nr, &t);
	assert_string_equal(text_str(&t), sentence);
	text_fini(&t);
	drop(e);
}

static void test_sentences(void **state){
	static const struct { const char * system, *name, *fields[MAX_FIELDS], *sentence;
}
cases[] = {
	{ "irq",
	  "irq_handler_entry",
	  { "irq=24", "name=ahci" },
	  "Interrupt 24 (ahci) begins on CPU 2, interrupting wl-75." },
	{ "irq", "softirq_raise", { "vec=9|RCU" }, "Softirq RCU is raised on CPU 2." },
	{ "hypervisor", "hyp_enter", { "reason=hvc" }, "CPU 2 enters the hypervisor: hvc." },
	{ "hypervisor", "hyp_exit", { "reason=smc" }, "CPU 2 leaves the hypervisor: smc." },
	{ "sched",
	  "sched_waking",
	  { "comm=sh", "pid=80", "target_cpu=1" },
	  "sh-80 is being woken by wl-75 on CPU 2, to run on CPU 1." },
	{ "sched",
	  "sched_wakeup",
	  { "comm=sh", "pid=80" },
	  "sh-80 has been woken by wl-75 on CPU 2." },
	{ "sched",
	  "sched_switch",
	  { "prev_comm=wl", "prev_pid=75", "prev_state=1", "next_pid=0" },
	  "wl-75 sleeps on CPU 2, which idles now." },
	{ "sched",
	  "sched_switch",
	  { "prev_comm=wl", "prev_pid=75", "prev_state=0", "next_pid=0" },
	  "wl-75 is preempted on CPU 2, which idles now." },
	{ "sched",
	  "sched_switch",
	  { "prev_comm=wl", "prev_pid=75", "prev_state=256", "next_pid=0" },
	  "wl-75 is preempted on CPU 2, which idles now." },
	{ "sched",
	  "sched_switch",
	  { "prev_comm=wl", "prev_pid=75", "prev_state=2", "next_pid=0" },
	  "wl-75 is blocked on CPU 2, which idles now." },
	{ "rv",
	  "event_wwnr",
	  { "id=61", "state=not_running", "event=switch_in", "next_state=running",
	    "final_state=0" },
	  "switch_in takes the monitor wwnr from the state not_running to running." },
	{ "rv",
	  "error_wip",
	  { "state=preemptive", "event=sched_waking" },
	  "The monitor wip is violated: sched_waking is not allowed in the state preemptive." },
	{ "rv",
	  "error_env_stall",
	  { "id=38", "state=running", "event=none", "env=clk=5" },
	  "The monitor stall is violated: none is not allowed in the state running with clk=5." },
	{ "rv",
	  "event_sleep",
	  { "comm=sh", "pid=61", "states=0", "atoms=ab_sl", "next=0,2" },
	  "The monitor sleep of sh-61 goes from the states 0 to 0,2." },
	{ "rv",
	  "error_sleep",
	  { "comm=sh", "pid=61" },
	  "The real-time task sh-61 sleeps in a way that may delay it: the monitor sleep is violated." },
	{ "rv",
	  "error_pagefault",
	  { "comm=sh", "pid=61" },
	  "The real-time task sh-61 raised a page fault: the monitor pagefault is violated." },
	{ "rv",
	  "rv_retries_error",
	  { "name=stall", "event=sched_wakeup" },
	  "Several CPUs kept changing the state of the monitor stall at once: it begins anew." },
	{ "syscalls", "sys_enter_openat", { "dfd=3" }, "wl-75 enters the system call openat." },
	{ "syscalls",
	  "sys_exit_openat",
	  { "ret=3" },
	  "wl-75 returns from the system call openat: 3." },
	{ "syscalls",
	  "sys_exit_openat",
	  { "ret=-2" },
#ifdef HAVE_STRERRORNAME_NP
	  "wl-75 returns from the system call openat: -2 ENOENT." },
#else
	  "wl-75 returns from the system call openat: -2 No such file or directory." },
#endif
	{ "syscalls",
	  "sys_exit_mmap",
	  { "ret=-8192" },
	  "wl-75 returns from the system call mmap: -8192." },
	{ "sched",
	  "sched_migrate_task",
	  { "comm=sh", "pid=80", "orig_cpu=1", "dest_cpu=3" },
	  "sh-80 moves from CPU 1 to CPU 3." },
	/* A field that a kernel does not have is a question mark, not a crash. */
	{ "irq",
	  "irq_handler_entry",
	  { "irq=24" },
	  "Interrupt 24 (?) begins on CPU 2, interrupting wl-75." },
	{ "mine", "nobody_knows", { "a=1" }, "" },
	/* the text of a trace has a word where a record has a number */
	{ "ftrace",
	  "timerlat",
	  { "seqnum=5", "context=thread", "timer_latency=12300" },
	  "Sample 5: the thread came 12.30 µs after the timer was due." },
	/* Linux 6.1, 6.12 and later; raw and printed values as in their formats. */
	{ "block",
	  "block_rq_issue",
	  { "dev=266338320|254,16", "sector=8", "nr_sector=16", "rwbs=WSM" },
	  "The synchronous write of metadata, of 16 sectors at sector 8 is sent to device 254,16." },
	{ "block",
	  "block_rq_complete",
	  { "dev=266338320|254,16", "sector=0", "nr_sector=256", "rwbs=RA", "error=-5|EIO" },
#ifdef HAVE_STRERRORNAME_NP
	  "Device 254,16 has done the read-ahead of 256 sectors at sector 0: -5 EIO." },
#else
	  "Device 254,16 has done the read-ahead of 256 sectors at sector 0: -5 Input/output error." },
#endif
	{ "block",
	  "block_unplug",
	  { "nr_rq=3", "comm=dd" },
	  "dd sends the 3 requests that it has collected." },
	{ "net",
	  "net_dev_xmit",
	  { "len=106", "rc=0", "name=lo" },
	  "lo has taken a packet of 106 bytes to send." },
	{ "napi",
	  "napi_poll",
	  { "dev_name=eth0", "work=1", "budget=64" },
	  "eth0 was polled for packets: 1 of at most 64." },
	{ "skb",
	  "kfree_skb",
	  { "location=0xffffffff81000000|tcp_v4_rcv+0x10", "reason=3|NO_SOCKET" },
	  "A packet is dropped in tcp_v4_rcv+0x10: NO_SOCKET." },
	{ "kmem",
	  "kmalloc",
	  { "call_site=0xff|f+0x1", "ptr=0xff11", "bytes_req=60", "bytes_alloc=64" },
	  "f+0x1 allocates 60 bytes, and gets 64, at 0xff11." },
	{ "tlb",
	  "tlb_flush",
	  { "reason=0|flush on task switch", "pages=2" },
	  "CPU 2 forgets where pages of memory are: flush on task switch." },
	{ "writeback",
	  "writeback_dirty_folio",
	  { "name=254:16", "ino=12", "index=3" },
	  "Page 3 of inode 12 is changed in memory: it has to be written to 254:16." },
	{ "kmem", "mm_page_alloc", { "order=2" }, "wl-75 allocates 4 pages." },
	{ "kmem", "mm_page_free", { "order=0" }, "wl-75 frees a page." },
	{ "signal",
	  "signal_generate",
	  { "sig=17", "comm=sh", "pid=80", "result=0" },
	  "wl-75 sends SIGCHLD to sh-80: delivered." },
	{ "signal",
	  "signal_generate",
	  { "sig=34", "comm=sh", "pid=80", "result=3" },
	  "wl-75 sends signal 34 to sh-80: lost: its queue is full." },
	{ "signal",
	  "signal_deliver",
	  { "sig=9", "sa_handler=0x0" },
	  "wl-75 receives SIGKILL: the default action." },
	{ "timer",
	  "timer_start",
	  { "function=0xff|it_real_fn", "expires=1004", "now=1000" },
	  "A timer is to call it_real_fn at jiffy 1004, 4 from now." },
	{ "timer",
	  "timer_start",
	  { "function=0xff|it_real_fn", "expires=1004" },
	  "A timer is to call it_real_fn at jiffy 1004." },
	{ "timer", "tick_stop", { "success=1" }, "The tick of CPU 2 stops: nothing needs it." },
	{ "workqueue",
	  "workqueue_execute_start",
	  { "function=0xff|free_work" },
	  "wl-75 begins the queued free_work." },
	{ "power", "cpu_idle", { "state=4294967295", "cpu_id=2" }, "CPU 2 leaves its idle state." },
	{ "power", "cpu_idle", { "state=1", "cpu_id=2" }, "CPU 2 enters idle state 1." },
	{ "power", "suspend_resume", { "action=x", "start=1" }, "Suspend or resume: x begins." },
	{ "power",
	  "pstate_sample",
	  { "core_busy=93", "freq=2400000" },
	  "CPU 2 was 93 % busy; it runs at 2400000 kHz." },
	{ "exceptions",
	  "page_fault_user",
	  { "address=0x10", "ip=0x20", "error_code=0x6" },
	  "wl-75 takes a page fault at 0x10, from 0x20: to write, where no page is mapped yet." },
	{ "migrate",
	  "mm_migrate_pages",
	  { "succeeded=3", "failed=1", "reason=1|compaction" },
	  "3 pages were moved, 1 were not: compaction." },
	{ "irq_vectors",
	  "local_timer_entry",
	  { "vector=236" },
	  "The CPU's own interrupt \"local timer\" begins on CPU 2, interrupting wl-75." },
	{ "sched",
	  "sched_stat_iowait",
	  { "comm=sh", "pid=80", "delay=21820000" },
	  "sh-80 waited 21.82 ms for I/O." },
	{ "ftrace",
	  "timerlat",
	  { "seqnum=109", "context=1", "timer_latency=7418000" },
	  "Sample 109: the thread came 7.418 ms after the timer was due." },
	{ "ftrace",
	  "osnoise",
	  { "noise=78966", "runtime=1000000", "max_sample=12238" },
	  "Noise took the CPU for 78.97 ms of 1.000 s, at most for 12.24 ms at a time." },
	{ "ftrace",
	  "hwlat",
	  { "seqnum=1", "duration=7355", "outer_duration=3375" },
	  "Sample 1: the tracer's loop stood still for up to 7.355 ms inside a turn, and for up to "
	  "3.375 ms between two turns." },
	{ "ftrace",
	  "mmiotrace_rw",
	  { "phys=0xfebf8014", "value=0x5", "pc=0x0", "map_id=1", "opcode=2", "width=4" },
	  "A 4-byte write at 0xfebf8014 of map 1: 0x5." },
	{ "ftrace",
	  "mmiotrace_map",
	  { "phys=0xfebf8000", "virt=0xffa000000005d000", "len=0x3c", "map_id=1", "opcode=3" },
	  "Map 1 begins: 60 bytes of a device at 0xfebf8000, mapped to 0xffa000000005d000." },
	{ "ftrace",
	  "mmiotrace_map",
	  { "phys=0", "virt=0xffa0000000055000", "len=0", "map_id=-1", "opcode=4" },
	  "The map at 0xffa0000000055000 ends." },
	{ "osnoise",
	  "softirq_noise",
	  { "start=1", "duration=42694", "vector=7|   SCHED" },
	  "Softirq SCHED took the CPU for 42.69 µs." },
};

(void)state;
for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
	struct event e;

	make(&e, cases[i].system, cases[i].name, cases[i].fields);
	expect(&e, cases[i].sentence);
}
}

/* Fields that the sentence does not name are shown before those that it does. */
static void test_told(void **state)
{
	static const struct { const char *system, *name,
			      *fields[MAX_FIELDS]; bool told[MAX_FIELDS]; } cases[] = {
		{ "sched", "sched_switch", { "prev_comm=swapper/1", "prev_pid=0", "prev_prio=120",
					     "prev_state=0|R",
		  "next_comm=sh", "next_pid=80", "next_prio=120" }, { true, true, true, false, true,
		  	true, false } },
		{ "sched", "sched_switch", { "prev_pid=80", "prev_prio=120", "next_pid=0",
					     "next_prio=120" },
		  { true, false, true, true } },
		{ "sched", "sched_waking", { "comm=sh", "pid=80", "prio=120", "target_cpu=1" },
		  { true, true, false, true } },
		{ "irq", "irq_handler_entry", { "irq=24", "name=ahci" }, { true, true } },
		{ "syscalls", "sys_exit_openat", { "__syscall_nr=257", "ret=-2" }, { false,
			true } },
		/* A name within another one is another one. */
		{ "sched", "sched_process_fork", { "pid=1", "parent_pid=2" }, { false, true } },
		{ "mine", "nobody_knows", { "a=1" }, { false } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e;

		make(&e, cases[i].system, cases[i].name, cases[i].fields);
		words_complete(&e.row, e.fields, e.nr);
		for (unsigned int n = 0; n < e.nr; n++)
			assert_int_equal(e.fields[n].told, cases[i].told[n]);
		drop(&e);
	}
}

static void test_state_letters(void **state)
{
	static const struct { const char *raw, *letter; } cases[] = {
		{ "prev_state=0", "R" }, { "prev_state=1", "S" }, { "prev_state=2", "D" },
		{ "prev_state=4", "T" },
		{ "prev_state=8", "t" }, { "prev_state=16", "X" }, { "prev_state=32", "Z" },
		{ "prev_state=64", "P" },
		{ "prev_state=128", "I" }, { "prev_state=256", "R+" },
		{ "prev_state=1|S|K", "S|K" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *fields[] = { cases[i].raw, NULL };
		struct event e;

		make(&e, "sched", "sched_switch", fields);
		words_complete(&e.row, e.fields, e.nr);
		assert_string_equal(text_str(&e.fields[0].printed), cases[i].letter);
		drop(&e);
	}
}

static void test_calls(void **state)
{
	static const char *const func[] = { "func=0xffffffff810|schedule", "depth=0", NULL };
	struct event e;

	(void)state;
	make(&e, "ftrace", "funcgraph_exit", func);
	e.row.duration = 20238315;
	expect(&e, "schedule returns after 20.24 ms (*).");
	make(&e, "ftrace", "funcgraph_exit", func);
	e.row.duration = 941;
	expect(&e, "schedule returns after 941 ns.");
	make(&e, "ftrace", "funcgraph_entry", func);
	expect(&e, "schedule begins, at depth 0.");
}

static void test_unknown_and_stack(void **state)
{
	static const char *const none[] = { NULL };
	struct event e;

	(void)state;
	make(&e, "", "?", none);
	e.row.unknown = true;
	e.row.type_id = 4711;
	expect(&e,
	       "The file has no valid format for events with id 4711: their fields are not known.");
	make(&e, "ftrace", "kernel_stack", none);
	e.row.is_stack = true;
	e.row.nr_frames = 2;
	e.row.frames = mem_array(2, sizeof(*e.row.frames));
	text_add(&e.row.frames[0], "a+0x1");
	text_add(&e.row.frames[1], "b");
	expect(&e, "a+0x1 ← b");
}

static void test_flags(void **state)
{
	static const struct { const char *flags, *words; } cases[] = {
		{ ".....", "interrupts and preemption on" },
		{ "d..2.", "d interrupts off, 2 preempt depth" },
		{ "dNh21",
		  "d interrupts off, N need-resched and preempt-need-resched, h hard interrupt, "
			   "2 preempt depth, 1 migrate-disable depth" },
		{ "..s1.", "s softirq, 1 preempt depth" },
		/* of a kernel with the RT patches */
		{ "d.Lh5.2",
		  "d interrupts off, L lazy reschedule needed, h hard interrupt, 5 preempt depth, "
		  "2 migrate-disable depth" },
		{ "dn.....", "d interrupts off, n reschedule needed" },
		{ "D", "D interrupts and softirqs off" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct row row = { 0 };
		struct text t = { 0 };

		text_add(&row.flags, cases[i].flags);
		words_flags(&row, &t);
		assert_string_equal(text_str(&t), cases[i].words);
		text_fini(&t);
		text_fini(&row.flags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_state_letters),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_unknown_and_stack),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
