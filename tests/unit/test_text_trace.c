/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <cmocka.h>

#include "parsers/lines/text_trace.h"
#include "parsers/file/trace_file.h"
#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "src/base/memory.h"
#include "src/base/text.h"
#include "tests/lib/recorded.h"

static void assert_slice(struct text_slice got, const char *want)
{
	char buf[256];

	assert_true(got.len < sizeof(buf));
	memcpy(buf, got.s, got.len);
	buf[got.len] = '\0';
	assert_string_equal(buf, want);
}

static struct text_line parse(const char *text)
{
	struct text_line line;

	assert_int_equal(text_trace_line(text, strlen(text), 0, &line), strlen(text));
	return line;
}

/* --- chosen lines, read by eye ---------------------------------------------------- */

/* Lines of fixtures, and what they say. */
static const struct {
	const char	*line;
	const char	*comm;
	int		 pid;
	int		 cpu;
	const char	*flags;
	enum text_line_time time_kind;
	int64_t		 time;
	char		 mark;
	const char	*event;
	const char	*text;
} events[] = {
	{ "wl-kid-2-65        0d....    0us#: read_hpet",
	  "wl-kid-2", 65, 0, "d....", TEXT_TIME_RELATIVE, 0, '#', "", "read_hpet" },
	{ "wl-kid-2-65        0d.... 3086us+: tracer_hardirqs_on <-read_hpet",
	  "wl-kid-2", 65, 0, "d....", TEXT_TIME_RELATIVE, 3086000, '+', "",
	  "tracer_hardirqs_on <-read_hpet" },
	{ "  <idle>-0         1dn.h5..  401us@: 0",
	  "<idle>", 0, 1, "dn.h5..", TEXT_TIME_RELATIVE, 401000, '@', "", "0" },
	{ "  <idle>-0         1dNh5.    9us!:        0:120:R   + [001]     178: 49:R wl-rt",
	  "<idle>", 0, 1, "dNh5.", TEXT_TIME_RELATIVE, 9000, '!', "",
	  "       0:120:R   + [001]     178: 49:R wl-rt" },
	{ "rcu_pree-15        1d.h1. 6615us+: softirq_raise: vec=7 [action=SCHED]",
	  "rcu_pree", 15, 1, "d.h1.", TEXT_TIME_RELATIVE, 6615000, '+', "softirq_raise",
	  "softirq_raise: vec=7 [action=SCHED]" },
	{ "  <idle>-0         0d.h1. 115907us+: hrtimer_expire_exit: hrtimer=(____ptrval____)",
	  "<idle>", 0, 0, "d.h1.", TEXT_TIME_RELATIVE, 115907000, '+', "hrtimer_expire_exit",
	  "hrtimer_expire_exit: hrtimer=(____ptrval____)" },
	{ " wl-ping-82        0d.s3.  -31us : f", "wl-ping", 82, 0, "d.s3.", TEXT_TIME_RELATIVE,
	  -31000, ' ', "", "f" },
	{ " wl-ping-82        0d.s3. 31.250us : f", "wl-ping", 82, 0, "d.s3.", TEXT_TIME_RELATIVE,
	  31250, ' ', "", "f" },
	{ " wl-ping-82       12d.s3.    7: f", "wl-ping", 82, 12, "d.s3.", TEXT_TIME_COUNT, 7, ' ',
	  "", "f" },
	{ "  a b-c--1234567 123d..1.    7us : f", "a b-c-", 1234567, 123, "d..1.",
	  TEXT_TIME_RELATIVE, 7000, ' ', "", "f" },
	/* perf script; its option -F leaves out columns */
	{ "         swapper     0 [001]  4242.123456:          1 cycles:ppp:  ffffffff81399b09 f ([k])",
	  "swapper", 0, 1, "", TEXT_TIME_ABSOLUTE, 4242123456000, ' ', "cycles:ppp",
	  "1 cycles:ppp:  ffffffff81399b09 f ([k])" },
	{ "a 1 b 12/34 [123] 100.000000001: sched:sched_wakeup: comm=x: y", "a 1 b", 34, 123, "",
	  TEXT_TIME_ABSOLUTE, 100000000001, ' ', "sched:sched_wakeup",
	  "sched:sched_wakeup: comm=x: y" },
	{ "     34    1.000000: cpu/mem-loads/pp:", "", 34, -1, "", TEXT_TIME_ABSOLUTE, 1000000000,
	  ' ', "cpu/mem-loads/pp", "cpu/mem-loads/pp:" },
	{ "           :34    34 [000]  1.000000: a:b: c", "", 34, 0, "", TEXT_TIME_ABSOLUTE,
	  1000000000, ' ', "a:b", "a:b: c" },
	{ "           :-1    -1 [000]  1.000000: a:b: c", "", -1, 0, "", TEXT_TIME_ABSOLUTE,
	  1000000000, ' ', "a:b", "a:b: c" },
	/* a remote: kernel/trace/trace_remote.c; an event may have no text */
	{ "[001]\t   42.000123: hyp_exit reason=smc vcpu=7", "", -1, 1, "", TEXT_TIME_ABSOLUTE,
	  42000123000, ' ', "hyp_exit", "hyp_exit reason=smc vcpu=7" },
	{ "[1024]\t12345.999999: hyp_enter", "", -1, 1024, "", TEXT_TIME_ABSOLUTE, 12345999999000,
	  ' ', "hyp_enter", "hyp_enter" },
	{ "[000]\t    1.000000: UNKNOWN id=9", "", -1, 0, "", TEXT_TIME_ABSOLUTE, 1000000000, ' ',
	  "UNKNOWN", "UNKNOWN id=9" },
	/* a name that looks like a time */
	{ " 1us : x-7         0d....    2us : f", "1us : x", 7, 0, "d....", TEXT_TIME_RELATIVE,
	  2000, ' ', "", "f" },
	{ "       trace-cmd     178   1 9 00000001 00000002 [0227d34d] 87.888ms (+0.015ms): softirq_raise: vec=7",
	  "trace-cmd", 178, 1, "", TEXT_TIME_RELATIVE, 87888000, ' ', "softirq_raise",
	  "softirq_raise: vec=7" },
	{ "          <idle>-0       [001] d.h2.    43.775691: irq_noise: local_timer:236 start 43.775643367",
	  "<idle>", 0, 1, "d.h2.", TEXT_TIME_ABSOLUTE, 43775691000, ' ', "irq_noise",
	  "irq_noise: local_timer:236 start 43.775643367" },
	{ "       trace-cmd-245     [001] d.s3.            3: sched_waking: comm=rcu_preempt",
	  "trace-cmd", 245, 1, "d.s3.", TEXT_TIME_COUNT, 3, ' ', "sched_waking",
	  "sched_waking: comm=rcu_preempt" },
	{ "          <idle>-0     [000]   472.846326: wakeup:               0:120:0  ==+ 146:255:0 [000]",
	  "<idle>", 0, 0, "", TEXT_TIME_ABSOLUTE, 472846326000, ' ', "wakeup",
	  "wakeup:               0:120:0  ==+ 146:255:0 [000]" },
	/* trace-cmd report --raw-ts: "%12llu" leaves no blank before 13 digits */
	{ "            bash-1181  [000]1464179963720: sched_switch:         bash:1181 [120] S ==> swapper/0:0 [120]",
	  "bash", 1181, 0, "", TEXT_TIME_COUNT, 1464179963720, ' ', "sched_switch",
	  "sched_switch:         bash:1181 [120] S ==> swapper/0:0 [120]" },
	{ "          <idle>-0     [001]9000000000000000001: x: y", "<idle>", 0, 1, "",
	  TEXT_TIME_COUNT, 9000000000000000001, ' ', "x", "x: y" },
	/* trace-cmd report --ts-diff: "%-8s" of the difference, nothing in the first line */
	{ "            find-278   [001]    66.171643:          sched_stat_runtime:   comm=a pid=278",
	  "find", 278, 1, "", TEXT_TIME_ABSOLUTE, 66171643000, ' ', "sched_stat_runtime",
	  "sched_stat_runtime:   comm=a pid=278" },
	{ "       trace-cmd-276   [000]    66.171663: (+20)    sched_stat_runtime:   comm=a pid=276",
	  "trace-cmd", 276, 0, "", TEXT_TIME_ABSOLUTE, 66171663000, ' ', "sched_stat_runtime",
	  "sched_stat_runtime:   comm=a pid=276" },
	{ "  <idle>-0       1d..5.225087783500: wl1:                  lat=151", "<idle>", 0, 1, "d..5.",
	  TEXT_TIME_COUNT, 225087783500, ' ', "wl1", "wl1:                  lat=151" },
	/* trace-cmd report --debug */
	{ "       trace-cmd-276   [000]    66.171663: sched_switch:         a:1 [120] R ==> b:2 [120] [0:0x1f0:12]",
	  "trace-cmd", 276, 0, "", TEXT_TIME_ABSOLUTE, 66171663000, ' ', "sched_switch",
	  "sched_switch:         a:1 [120] R ==> b:2 [120]" },
	{ "       trace-cmd-276   [000]    66.171663: (+20) is a text",
	  "trace-cmd", 276, 0, "", TEXT_TIME_ABSOLUTE, 66171663000, ' ', "", "(+20) is a text" },
	/* trace-cmd report -l */
	{ "  <idle>-0       0d.h1.    79.036118: softirq_raise:        vec=7 [action=SCHED]",
	  "<idle>", 0, 0, "d.h1.", TEXT_TIME_ABSOLUTE, 79036118000, ' ', "softirq_raise",
	  "softirq_raise:        vec=7 [action=SCHED]" },
	{ "            bash-1994    (   1994) [000] d..1.  1.000000001: sys_enter: NR 1",
	  "bash", 1994, 0, "d..1.", TEXT_TIME_ABSOLUTE, 1000000001, ' ', "sys_enter",
	  "sys_enter: NR 1" },
	{ "            bash-1994    (-------) [000] d..1.  1.5: x:",
	  "bash", 1994, 0, "d..1.", TEXT_TIME_ABSOLUTE, 1500000000, ' ', "x", "x:" },
};

static void test_lines_of_events(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct text_line line = parse(events[i].line);

		assert_int_equal(line.kind, TEXT_LINE_EVENT);
		assert_slice(line.line, events[i].line);
		assert_slice(line.comm, events[i].comm);
		assert_int_equal(line.pid, events[i].pid);
		assert_int_equal(line.cpu, events[i].cpu);
		assert_slice(line.flags, events[i].flags);
		assert_int_equal(line.time_kind, events[i].time_kind);
		assert_int_equal(line.time, events[i].time);
		assert_int_equal(line.mark, events[i].mark);
		assert_slice(line.event, events[i].event);
		assert_slice(line.text, events[i].text);
	}
}

/* trace-cmd report -t; the columns are those of a usual line, or not. */
static void test_digits_of_times(void **state)
{
	(void)state;
	assert_true(parse("            bash-1994  [000]  1.000000001: x: y").has_ns);
	assert_false(parse("            bash-1994  [000]  1.000001: x: y").has_ns);
	assert_true(parse("  bash-1994  [000]  1.000000001: x: y").has_ns);
	assert_false(parse("  bash-1994  [000]  1.000001: x: y").has_ns);
}

/* The text of such an event is at the end of its line: its place in the line is used. */
static void test_lines_without_text(void **state)
{
	struct text_line line = parse("            bash-1994  [000]  1.000001:");

	(void)state;
	assert_int_equal(line.kind, TEXT_LINE_EVENT);
	assert_ptr_equal(line.text.s, line.line.s + line.line.len);
	assert_int_equal(line.text.len, 0);
}

static void assert_same_slice(struct text_slice got, struct text_slice want)
{
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.s, want.s, want.len);
}

/* Some have the form of those lines nearly. */
static const char *const near_lines[] = {
	"            bash-1994    [000] d..1.     1.000001: sched_waking: comm=a pid=1\n",
	"            bash-1994    [000] d..1.     1.000002: sched_waking: comm=b pid=2\r\n",
	"            bash-1994    [000] d..1.     1.5: sched_wakeup: comm=b pid=2\n",
	"            bash-1994    [000]     1.000000003: sched_waking: comm=b pid=2\n",
	"            bash-1994    [000]     1.00000 : sched_waking: comm=b pid=2\n",
	"            bash-1994    [000] d..\n     1.000001: sched_waking: comm=b pid=2\n",
	"            bash-1994    [000] d..1.     1.000001:\n",
	"            bash-1994    [000] d..1.     1.000001: do_fork <-sys_fork\n",
	"            b:sh-1994    [000] d..1.     1.000001: sched_waking: comm=a pid=1\n",
	"            bash-1994    [000]  1.000001: funcgraph_entry:  0.1 us |  f();\n",
	"[    1.5]   bash-1994    [000] d..1.     1.000001: sched_waking: comm=a pid=1\n",
	"            bash-1994    (   1994) [000] d..1.     1.000001: sched_waking: comm=a\n",
	"            bash-1994    [000] d..1.     1.0000000001: sched_waking: comm=a pid=1\n",
	"            bash-1994    [000] 3..1.     1.000001: sched_waking: comm=a pid=1\n",
	"            bash-1994    [000]        1234567890123456: sched_waking: comm=a pid=1\n",
	"            bash-1994    [000] d..1.     .000001: sched_waking: comm=a pid=1\n",
	"            bash-1994    [000] d..1.     1.: sched_waking: comm=a pid=1\n",
	"    bash-1994      0d..1. 12us : sched_waking: comm=a pid=1 prio=120 target_cpu=0\n",
	"    bash-1994      0d. 12us : sched_waking: comm=a pid=1 prio=120 target_cpu=0\n",
	"    bash-1994      01..1. 12us : sched_waking: comm=a pid=1 prio=120 target_cpu=0\n",
	"    bash-1994      0d..1. 12us?: sched_waking: comm=a pid=1 prio=120 target_cpu=0\n",
	"    bash-1994      0d..1.    12: sched_waking: comm=a pid=1 prio=120 target_cpu=0\n",
	"    bash-1994      0d..1. 1.000001: sched_waking: comm=a pid=1 prio=120 target_cpu=0\n",
	"    bash-1994    10d..1. 12us : sched_waking: comm=a pid=1 prio=120 target_cpu=00\n",
	/* relative times are of latency format */
	"            bash-1994    [000]     12us+: sys_read(fd: 3, buf: 7f, count: 10)\n",
	"            bash-1994    [000] d..1.     12us : sched_waking: comm=a pid=1\n",
	/* what stands behind such a head decides what the line is */
	"12 us | bash-1994   [000] 1.000001: sched_waking: comm=a pid=1 prio=120\n",
	"12 us | bash-1994   [000] 1.000001: b-2 | 3 us | f();                  \n",
	"CPU:1 [bash-1994    [000] 1.000001: sched_waking: comm=a pid=1 prio=120\n",
	"CPU:1 [bash-1994    [000] 1.000001: LOST 5 EVENTS]                     \n",
	/* calls, and what is not quite one */
	" 0)               |  do_sys_openat2() {\n",
	" 0)               |    getname();\r\n",
	" 0) + 27.181 us   |    getname();\n",
	" 1) ! 335.212 us  |  }\n",
	" 1)   2.654 us    |  } /* getname */\n",
	" 1)   2.654 us    |  } /* get name */\n",
	" 1)   2.654 us    |  get-name();\n",
	" 0)               |  f() {\n",
	" 0)               |  }\n",
	" 0)               |  ();\n",
	" 0)               |  /* sched_waking: comm=a pid=1 prio=120 */\n",
	" 0)   2.654 us    |  a_function_whose_name_is_longer_than_what_is_kept_of_any_name();\n",
	"            bash-1994    [000]  1.000001: funcgraph_exit:   27.181 us   |  }\n",
};

static void assert_same_call(const struct text_line *got, const struct text_line *want)
{
	assert_int_equal(got->call.kind, want->call.kind);
	assert_int_equal(got->call.depth, want->call.depth);
	assert_same_slice(got->call.func, want->call.func);
	if (got->func)
		assert_same_slice((struct text_slice){ got->func->s, got->func->len },
				  want->call.func);
}

/* With a memory of lines that were there before, the same is found: new and again, and cut. */
static void test_memory(void **state)
{
	struct text_memory *memory = mem_alloc(sizeof(*memory));
	struct text text = { 0 };

	(void)state;
	for (size_t turn = 0; turn < 3; turn++) {
		for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
			text_printf(&text, "%s\n", events[i].line);
		for (size_t i = 0; i < sizeof(near_lines) / sizeof(near_lines[0]); i++)
			text_add(&text, near_lines[i]);
	}
	for (uint64_t size = text.len; size > text.len - 200; size--) {
		char *copy = mem_alloc(size);		/* no NUL behind it */

		memcpy(copy, text_str(&text), size);
		for (uint64_t pos = 0, next; pos < size; pos = next) {
			struct text_line want;
			uint64_t end = text_trace_line(copy, size, pos, &want);
			const struct text_line *got = text_trace_next(memory, copy, size, pos,
								      &next);

			assert_int_equal(next, end);
			assert_int_equal(got->kind, want.kind);
			assert_ptr_equal(got->line.s, want.line.s);
			assert_int_equal(got->line.len, want.line.len);
			assert_same_slice(got->comm, want.comm);
			assert_same_slice(got->flags, want.flags);
			assert_same_slice(got->text, want.text);
			assert_same_slice(got->event, want.event);
			assert_int_equal(got->pid, want.pid);
			assert_int_equal(got->cpu, want.cpu);
			assert_int_equal(got->time_kind, want.time_kind);
			assert_int_equal(got->time, want.time);
			assert_int_equal(got->has_ns, want.has_ns);
			assert_int_equal(got->mark, want.mark);
			assert_int_equal(got->duration_ns, want.duration_ns);
			if (want.kind == TEXT_LINE_GRAPH)
				assert_same_call(got, &want);
		}
		free(copy);
	}
	text_fini(&text);
	free(memory);
}

/* What stands in a marker's line where its record's name would is the next record. */
static void test_joined_name(void **state)
{
	struct text_line line = parse("            bash-1994    [000] d..1.     1.000001: "
				      "CPU:1 [LOST 5 EVENTS]");

	(void)state;
	assert_int_equal(line.event.len, 3);
	assert_true(text_line_split(&line));
	assert_int_equal(line.text.len, 0);
	assert_int_equal(line.event.len, 0);
}

static void test_lines_of_graphs(void **state)
{
	struct text_line line = parse(
		"     1180 us |   1)     wl-67      |  d..6. |   1001.231 us |                    available_idle_cpu();");

	(void)state;
	assert_int_equal(line.kind, TEXT_LINE_GRAPH);
	assert_slice(line.comm, "wl");
	assert_int_equal(line.pid, 67);
	assert_int_equal(line.cpu, 1);
	assert_slice(line.flags, "d..6.");
	assert_int_equal(line.time_kind, TEXT_TIME_RELATIVE);
	assert_int_equal(line.time, 1180000);
	assert_int_equal(line.duration_ns, 1001231);
	assert_slice(line.text, "                  available_idle_cpu();");

	line = parse(
		"        1 us |   0)    <idle>-0    |  dNh5. |               |  /*        0:120:R   + [000] */");
	assert_int_equal(line.kind, TEXT_LINE_GRAPH);
	assert_int_equal(line.duration_ns, -1);
	assert_slice(line.text, "/*        0:120:R   + [000] */");

	/* a bar in the name, a negative time, a mark */
	line = parse("       -5 us |  10)    a|b-12    |  dNh5. | + 10.500 us   |  f() {");
	assert_int_equal(line.kind, TEXT_LINE_GRAPH);
	assert_slice(line.comm, "a|b");
	assert_int_equal(line.pid, 12);
	assert_int_equal(line.cpu, 10);
	assert_int_equal(line.time, -5000);
	assert_int_equal(line.mark, '+');
	assert_int_equal(line.duration_ns, 10500);
	assert_slice(line.text, "f() {");
}

/* Lines of function_graph with other options, and of trace-cmd. */
static const struct {
	const char	*line;
	int		 cpu;
	int64_t		 duration_ns;
	enum text_call_kind kind;
	int		 depth;
	const char	*func, *caller, *value;
} calls[] = {
	{ " 0)   2.654 us    |          should_failslab();", 0, 2654, TEXT_CALL_LEAF, 4,
	  "should_failslab", "", "" },
	{ " 0)               |  do_sys_openat2() {", 0, -1, TEXT_CALL_ENTRY, 0, "do_sys_openat2", "",
	  "" },
	{ " 12) + 16.064 us   |        }", 12, 16064, TEXT_CALL_EXIT, 3, "", "", "" },
	{ " 1) $ 1643576 us   |  } /* f.part.0 */", 1, 1643576000, TEXT_CALL_EXIT, 0, "f.part.0", "",
	  "" },
	{ "   28.877952 |   0)   a-50   |   2.093 us    |  f();", 0, 2093, TEXT_CALL_LEAF, 0, "f",
	  "", "" },
	{ "   28.877952 |   0)   a-50   |  d..1. |   2.093 us    |  f();", 0, 2093, TEXT_CALL_LEAF,
	  0, "f", "", "" },
	{ " 0)  f(a=1|2) {", 0, -1, TEXT_CALL_ENTRY, 0, "f", "", "" },
	{ "   2.654 us    |  ext4_map_blocks [ext4](inode=0x1);", -1, 2654, TEXT_CALL_LEAF, 0,
	  "ext4_map_blocks [ext4]", "", "" },
	{ " 0)   1.252 us    |    f(); /* <-g+0x143/0x410 ret=-2 */", 0, 1252, TEXT_CALL_LEAF, 1, "f",
	  "g+0x143/0x410", "-2" },
	{ " 0) + 12.969 us   |  } /* f ret=0xff110000029bec00 */", 0, 12969, TEXT_CALL_EXIT, 0, "f",
	  "", "0xff110000029bec00" },
	{ " a-1 [000] 1.5: funcgraph_entry:      ! 335.212 us |  f(1, 2); (ret=0x0)", 0, 335212,
	  TEXT_CALL_LEAF, 0, "f", "", "0x0" },
	{ " a-1 [000] 1.5: funcgraph_exit:       + 18.548 us  |    } (ret=0x10)", 0, 18548,
	  TEXT_CALL_EXIT, 1, "", "", "0x10" },
	/* kernels 6.5 to 6.12, print_graph_retval() */
	{ " 1)   0.480 us    |    f(); /* = 0x0 */", 1, 480, TEXT_CALL_LEAF, 1, "f", "", "0x0" },
	{ " 1)   4.250 us    |  } /* f = -5 */", 1, 4250, TEXT_CALL_EXIT, 0, "f", "", "-5" },
	{ " 1)   4.250 us    |  } /* f [m] = ffea */", 1, 4250, TEXT_CALL_EXIT, 0, "f [m]", "",
	  "ffea" },
	{ " 1)   4.250 us    |  f(s=\"a [b](c)\"); /* <-g+0x1/0x2 [m] ret=1 */", 1, 4250,
	  TEXT_CALL_LEAF, 0, "f", "g+0x1/0x2 [m]", "1" },
	{ " 1)   4.250 us    |  } /* = 0x0 */", 1, 4250, TEXT_CALL_EXIT, 0, "", "", "0x0" },
	/* trace-cmd 3.4, with the option funcgraph-retaddr */
	{ " 0)               |    getname() /* <-do_sys_openat2 */ {", 0, -1, TEXT_CALL_ENTRY, 1,
	  "getname", "do_sys_openat2", "" },
	{ " a-1 [000] 1.5: fgraph_retaddr_entry: --> f (4) <- g", 0, -1, TEXT_CALL_ENTRY, 4, "f", "g",
	  "" },
};

static void test_calls(void **state)
{
	struct text_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		line = parse(calls[i].line);
		assert_int_equal(line.kind, TEXT_LINE_GRAPH);
		assert_int_equal(line.cpu, calls[i].cpu);
		assert_int_equal(line.duration_ns, calls[i].duration_ns);
		assert_int_equal(line.call.kind, calls[i].kind);
		assert_int_equal(line.call.depth, calls[i].depth);
		assert_slice(line.call.func, calls[i].func);
		assert_slice(line.call.caller, calls[i].caller);
		assert_slice(line.call.value, calls[i].value);
	}
	line = parse(" 1)  wl-pong-241   =>   a => b-238  ");
	assert_int_equal(line.kind, TEXT_LINE_SWITCH);
	assert_int_equal(line.cpu, 1);
	assert_int_equal(line.from_pid, 241);
	assert_slice(line.comm, "a => b");
	assert_int_equal(line.pid, 238);
	/* cut off behind the blank: nothing is left of it */
	line = parse(" 0)               |    /* ");
	text_trace_as_graph(&line, true);
	assert_int_equal(line.kind, TEXT_LINE_EVENT);
	assert_slice(line.text, "");
	line = parse(" 0)               |    /* sched_waking: comm=a pid=1 */");
	text_trace_as_graph(&line, true);
	assert_int_equal(line.kind, TEXT_LINE_EVENT);
	assert_slice(line.event, "sched_waking");
	assert_slice(line.text, "sched_waking: comm=a pid=1");
	assert_int_equal(parse(" 0)   ==========> |").kind, TEXT_LINE_COMMENT);
	assert_int_equal(parse("f() {").kind, TEXT_LINE_PLAIN);
	line = parse("  f() {");
	text_trace_as_graph(&line, true);
	assert_int_equal(line.kind, TEXT_LINE_GRAPH);
}

static void test_logged_lines(void **state)
{
	struct text_line line = parse(
		"<4>[   12.345678][    C0]   <idle>-0         1d.h1.  401us : f: x=1");

	(void)state;
	assert_int_equal(line.kind, TEXT_LINE_EVENT);
	assert_slice(line.comm, "<idle>");
	assert_int_equal(line.time, 401000);
	assert_slice(line.text, "f: x=1");
	assert_int_equal(*line.line.s, '<');
	line = parse("[   12.345678]  => do_syscall_64");
	assert_int_equal(line.kind, TEXT_LINE_STACK);
	assert_slice(line.text, "do_syscall_64");
	assert_int_equal(parse("[   12.345678] Dumping ftrace buffer:").kind, TEXT_LINE_COMMENT);
	assert_int_equal(parse("<6>usb 1-1: new device").kind, TEXT_LINE_COMMENT);
	assert_int_equal(parse("<idle>-0     [000]   1.5: x: ").kind, TEXT_LINE_EVENT);
	assert_int_equal(parse("[x] hello").kind, TEXT_LINE_PLAIN);
	/* dmesg -T, journalctl -k, the same with -o short-iso, a syslog file */
	assert_int_equal(parse("[Sun Nov  2 10:00:01 2026]  => schedule").kind, TEXT_LINE_STACK);
	assert_int_equal(parse("Nov 22 10:00:01 host kernel:  0)   2.654 us    |  f();").kind,
			 TEXT_LINE_GRAPH);
	line = parse("2026-11-22T10:00:01+0100 host kernel:   sh-65      0d.... 3086us : x: y");
	assert_int_equal(line.kind, TEXT_LINE_EVENT);
	assert_slice(line.comm, "sh");
	line = parse("Nov 22 10:00:01 host kernel: [   12.345678]  0)   2.654 us    |  f();");
	assert_int_equal(line.kind, TEXT_LINE_GRAPH);
	assert_int_equal(line.cpu, 0);
	assert_int_equal(parse("Nov 22 10:00:01 host kernel: usb 1-1: new").kind,
			 TEXT_LINE_COMMENT);
	assert_int_equal(parse("sh-65  [000]  1.5: print: no kernel: here").kind, TEXT_LINE_EVENT);
}

static void test_other_lines(void **state)
{
	struct text_line line = parse(" => do_syscall_64");

	(void)state;
	assert_int_equal(line.kind, TEXT_LINE_STACK);
	assert_slice(line.text, "do_syscall_64");
	assert_int_equal(line.cpu, -1);
	assert_int_equal(line.pid, -1);
	assert_int_equal(parse("=> do_syscall_64 (ffffffff97bc74e0)").kind, TEXT_LINE_STACK);
	assert_int_equal(parse("##### CPU 1 buffer started ####").kind, TEXT_LINE_LOST);
	assert_int_equal(parse("##### CPU 1 buffer started ####").cpu, 1);
	assert_int_equal(parse("##### CPU").kind, TEXT_LINE_COMMENT);
	assert_int_equal(parse("").kind, TEXT_LINE_PLAIN);

	line = parse("CPU:1 [LOST 512 EVENTS]");
	assert_int_equal(line.kind, TEXT_LINE_LOST);
	assert_int_equal(line.cpu, 1);
	assert_int_equal(line.lost, 512);
	line = parse("CPU:3 [7 EVENTS DROPPED]");
	assert_int_equal(line.kind, TEXT_LINE_LOST);
	assert_int_equal(line.lost, 7);
	line = parse("CPU:3 [EVENTS DROPPED]");
	assert_int_equal(line.kind, TEXT_LINE_LOST);
	assert_int_equal(line.lost, 0);
}

/* The call chain of a sample: address, function and file. */
static void test_frames(void **state)
{
	static const char *const frames[][4] = {
		{ "\t        ffffffff81399b09 try_to_wake_up+0x12 ([kernel.kallsyms])",
		  "ffffffff81399b09", "try_to_wake_up+0x12", "[kernel.kallsyms]" },
		{ "\t             643 operator()(int, char) const+0x1 (/a b/c (deleted))", "643",
		  "operator()(int, char) const+0x1", "/a b/c (deleted)" },
		{ "\t             643 (anonymous namespace)::f (/a)", "643",
		  "(anonymous namespace)::f", "/a" },
		{ "\t             643 (/a)", "643", "", "/a" },
		{ "\t             643 f (inlined)", "643", "f", "inlined" },
		{ "\t             643", "643", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct text_line line = parse(frames[i][0]);

		assert_int_equal(line.kind, TEXT_LINE_STACK);
		assert_slice(line.call.value, frames[i][1]);
		assert_slice(line.call.func, frames[i][2]);
		assert_slice(line.call.caller, frames[i][3]);
	}
}

/* What is almost a line of an event stays text, whole. */
static void test_plain_lines(void **state)
{
	static const char *const lines[] = {
		"hello", ":", ": ", " : x", "us : x", "1us : x", "a-1 1us : x", "a 0d.... 1us : x",
		"a-b 0d.... 1us : x",
		"a-1 0d.... 1ms : x", "a-1 0d.... x1us : x", "a-1 0d.... 1.us : x",
		"a-1 0d.... .5us : x", "a-1 xd.... 1us : x",
		"a-99999999999999999999 0d.... 1us : x", "a-1 0d.... 99999999999999999999us : x",
		"a-1 0d.... 999999999999999999us : x", "a-1 [0 d.... 1.5: x", "a-1 [] d.... 1.5: x",
		"a-1 [-1] 1.5: x",
		"a-1 [99999999999] 1.5: x", "a-1 [000] 9999999999999.5: x", "- 0d.... 1us : x",
		"1 us | 1) a-1 | d |",
		"1 us | 1) a-1", "1 us | x) a-1 | d | | f", "us | 1) a-1 | d | | f",
		"1 us | 1) a | d | | f", "CPU:1", "CPU:x [LOST",
		/* perf script -L; without a task, event; with other digits of a time */
		" swapper       0   1 1.000000: a:b: c", "swapper [001] 1.000000: a:b: c",
		"swapper 0 [001] 1.000000: 250  ffffffff81399b09", "swapper 0 [001] 1.0: a:b: c",
		"swapper 0 [001] 1.000000: PERF_RECORD_COMM: a:1/1", "\thello",
		"CPU:1 [found", "1ms): x", "(+1ms): x", "[1] (+1ms): x", "a 1 1 1 1 1 [1] 1ms (+x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct text_line line = parse(lines[i]);

		if (line.kind != TEXT_LINE_PLAIN)
			fail_msg("\"%s\" is of kind %d", lines[i], line.kind);
		assert_slice(line.text, lines[i]);
		assert_int_equal(line.pid, -1);
		assert_int_equal(line.cpu, -1);
		assert_int_equal(line.time_kind, TEXT_TIME_NONE);
	}
}

/* A time far behind the longest name is not searched for. */
static void test_long_line(void **state)
{
	char text[5000];

	(void)state;
	memset(text, ':', sizeof(text) - 1);
	for (size_t i = 0; i < sizeof(text) - 1; i += 2)
		text[i] = ' ';
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(parse(text).kind, TEXT_LINE_PLAIN);
}

static void expect_context(const struct text_trace_header *h, const char *text,
			   uint8_t expected_bits, uint8_t expected_preempt)
{
	uint8_t bits = 0xff, preempt = 0xff;
	struct text_line line;

	text_trace_line(text, strlen(text), 0, &line);
	text_line_context(h, &line, &bits, &preempt);
	assert_int_equal(bits, expected_bits);
	assert_int_equal(preempt, expected_preempt);
}

static const char rt_header[] =
	"# tracer: wakeup_dl\n#\n"
	"# wakeup_dl latency trace v1.1.5 on 6.1.0-56-rt-amd64\n"
	"# --------------------------------------------------------------------\n"
	"# latency: 230028 us, #6/17, CPU#1 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:2)\n"
	"#    -----------------\n"
	"#    | task: wl-rt-137 (uid:0 nice:0 policy:6 rt_prio:0)\n"
	"#    -----------------\n"
	"#  => started at: read_hpet\n"
	"#  => ended at:   read_tsc\n"
	"#\n"
	"#                    _--------=> CPU#            \n"
	"#                   / _-------=> irqs-off/BH-disabled\n"
	"#                  | / _------=> need-resched    \n"
	"#                  || / _-----=> need-resched-lazy\n"
	"#                  ||| / _----=> hardirq/softirq \n"
	"#                  |||| / _---=> preempt-depth   \n"
	"#                  ||||| / _--=> preempt-lazy-depth\n"
	"#                  |||||| / _-=> migrate-disable \n"
	"#                  ||||||| /     delay           \n"
	"#  cmd     pid     |||||||| time  |   caller     \n"
	"##### CPU 1 buffer started ####\n"
	"x\n";

static void test_header(void **state)
{
	struct text_trace_header h;

	(void)state;
	text_trace_header(rt_header, sizeof(rt_header) - 1, &h);
	assert_int_equal(h.nr_flags, 7);
	assert_slice(h.flag_names[0], "irqs-off/BH-disabled");
	assert_slice(h.flag_names[6], "migrate-disable");
	assert_int_equal(h.shown, 6);
	assert_int_equal(h.written, 17);
	/* by the names of the columns */
	expect_context(&h, "  <idle>-0         1dNLh5.3    4us!: x", 0x2f, 0x35);
	expect_context(&h, "  <idle>-0         1DpNHa.3    4us!: x", 0xb9, 0x3a);

	text_trace_header("", 0, &h);
	assert_false(h.has_latency);
	assert_slice(h.comm, "");
	/* as kernels have them that have no RT patch */
	expect_context(&h, "  <idle>-0         1dNh5.    4us!: x", 0x2d, 5);
	expect_context(&h, "  <idle>-0         1bns..    4us!: x", 0x94, 0);
	expect_context(&h, "  <idle>-0         1XbZf.    4us!: x", 0x4e, 15);
	expect_context(&h, "        0 us |   1)     wl-67      |  d.s1. |   0.000 us    |  f();",
		       0x11, 1);
	expect_context(&h, " => do_syscall_64", 0, 0);
	text_trace_header("# latency:", 10, &h);
	assert_int_equal(h.nr_flags, 0);
	text_trace_header("# latency: 99999999999999999999 us, #1/2", 40, &h);
	assert_true(h.has_latency && h.latency_ns > 0);
	assert_int_equal(h.written, 2);
}

/* Read by hand from the top of each fixture's kernel-trace.txt. */
static const struct {
	const char	*name;
	const char	*tracer;
	int64_t		 us, entries, cpu;
	const char	*preemption, *kernel, *comm;
	int		 pid;
	int64_t		 policy, rt_prio;
	const char	*started_at, *ended_at;
} headers[] = {
	{ "irqsoff", "irqsoff", 3081, 4, 0, "preempt", "6.1.192", "wl-kid-2", 65, 0, 0,
	  "read_hpet", "read_hpet" },
	{ "irqsoff-7.2", "irqsoff", 3301, 27, 0, "PREEMPT", "7.2.13", "payload", 53, 0, 0,
	  "_raw_spin_lock_irqsave", "_raw_spin_unlock_irqrestore" },
	{ "irqsoff-graph", "irqsoff", 11172, 409, 1, "preempt", "6.1.192", "rcu_preempt", 15, 0, 0,
	  "irqentry_enter", "handle_softirqs" },
	{ "preemptoff", "preemptoff", 7913, 13, 0, "preempt", "6.1.192", "wl-ping", 97, 0, 0,
	  "_raw_spin_lock_irqsave", "_raw_spin_unlock_irqrestore" },
	{ "preemptirqsoff", "preemptirqsoff", 1468, 1831, 1, "preempt", "6.1.192", "trace-cmd", 129,
	  0, 0, "_raw_spin_lock", "_raw_spin_unlock" },
	{ "wakeup", "wakeup", 767, 162, 0, "preempt", "6.1.192", "wl-rt", 167, 1, 50, "", "" },
	{ "wakeup-dl", "wakeup_dl", 230028, 6, 1, "preempt_rt", "6.1.0-56-rt-amd64", "wl-rt", 137,
	  6, 0, "", "" },
	{ "wakeup-rt", "wakeup_rt", 238, 8, 1, "preempt", "6.1.192", "wl-rt", 202, 1, 50, "", "" },
	{ "wakeup-rt-7.2", "wakeup_rt", 406, 9, 1, "PREEMPT", "7.2.13", "wl-rt", 104, 1, 50, "",
	  "" },
	{ "wakeup-rt-graph", "wakeup_rt", 2431, 304, 1, "preempt", "6.1.192", "wl-rt", 61, 1, 50,
	  "", "" },
	{ "tc34-irqsoff", "irqsoff", 7935, 61, 0, "PREEMPT", "7.2.13", "swapper/0", 0, 0, 0,
	  "sched_balance_rq", "sched_balance_rq" },
};

/* The beginning of a fixture's kernel-trace.txt, plain or packed; 0: it is not here. */
static int read_top(const char *name, char *text, int size)
{
	char path[4096];
	gzFile file;
	int got;

	if (!recorded_path(name, "kernel-trace.txt", path, sizeof(path)) &&
	    !recorded_path(name, "kernel-trace.txt.gz", path, sizeof(path)))
		return 0;
	file = gzopen(path, "rb");
	assert_non_null(file);
	got = gzread(file, text, size);
	gzclose(file);
	return got;
}

static void test_latency_headers(void **state)
{
	unsigned int nr = 0;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		struct text_trace_header h;
		int size = read_top(headers[i].name, text, sizeof(text));

		if (!size)
			continue;
		nr++;
		text_trace_header(text, size, &h);
		assert_true(h.has_latency);
		assert_slice(h.tracer, headers[i].tracer);
		assert_int_equal(h.latency_ns, headers[i].us * 1000);
		assert_int_equal(h.shown, headers[i].entries);
		assert_int_equal(h.written, headers[i].entries);
		assert_int_equal(h.cpu, headers[i].cpu);
		assert_int_equal(h.nr_cpus, 2);
		assert_slice(h.preemption, headers[i].preemption);
		assert_slice(h.kernel, headers[i].kernel);
		assert_slice(h.comm, headers[i].comm);
		assert_int_equal(h.pid, headers[i].pid);
		assert_int_equal(h.uid, 0);
		assert_int_equal(h.nice, 0);
		assert_int_equal(h.policy, headers[i].policy);
		assert_int_equal(h.rt_prio, headers[i].rt_prio);
		assert_slice(h.started_at, headers[i].started_at);
		assert_slice(h.ended_at, headers[i].ended_at);
	}
	assert_true(nr > 0);
}

/* Cut anywhere, the parts of a line lie inside it. */
static void test_cut_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		size_t len = strlen(events[i].line);

		for (size_t cut = 1; cut < len; cut++) {
			char *copy = mem_alloc(cut);	/* no NUL behind it */
			struct text_line line;
			struct text_trace_header h;

			memcpy(copy, events[i].line, cut);
			assert_int_equal(text_trace_line(copy, cut, 0, &line), cut);
			assert_ptr_equal(line.line.s, copy);
			assert_int_equal(line.line.len, cut);
			text_trace_header(copy, cut, &h);
			free(copy);
		}
	}
}

/* --- whole fixtures against a second, simpler reading --------------------------------- */

struct counts {
	unsigned int kinds[TEXT_LINE_LOST + 1];
};

/* By columns and scanf, as the kernel's printf lays them out. */
static enum text_line_kind expected_line(const char *s, int *pid, int *cpu, double *us)
{
	const char *comm_end;
	char task[64];

	if (s[0] == '#')
		return TEXT_LINE_COMMENT;
	if (!strncmp(s, " => ", 4))
		return TEXT_LINE_STACK;
	if (sscanf(s, "%lf us | %d) %63s", us, cpu, task) == 3) {
		*pid = atoi(strrchr(task, '-') + 1);
		return TEXT_LINE_GRAPH;
	}
	if (strlen(s) < 27 || s[8] != '-' || !isdigit((unsigned char)s[9]))
		return TEXT_LINE_PLAIN;
	*pid = atoi(s + 9);
	*cpu = atoi(s + 16);
	comm_end = strchr(s + 20, ' ');
	*us = atof(comm_end);
	return TEXT_LINE_EVENT;
}

static void check_text(const char *text, uint64_t size, struct counts *counts)
{
	for (uint64_t pos = 0; pos < size;) {
		struct text_line line;
		uint64_t next = text_trace_line(text, size, pos, &line);
		char *copy = mem_strndup(line.line.s, line.line.len);
		int pid = -1, cpu = -1;
		double us = 0;
		enum text_line_kind kind = expected_line(copy, &pid, &cpu, &us);

		assert_ptr_equal(line.line.s, text + pos);
		assert_int_equal(line.kind, kind);
		assert_int_equal(line.pid, pid);
		assert_int_equal(line.cpu, cpu);
		if (kind == TEXT_LINE_EVENT || kind == TEXT_LINE_GRAPH)
			assert_int_equal(line.time, (int64_t)(us * 1000 + (us < 0 ? -0.5 : 0.5)));
		counts->kinds[line.kind]++;
		free(copy);
		assert_true(next > pos);
		pos = next;
	}
}

/* Lines of each kind, counted by grep in the fixtures' report.txt. */
static const struct {
	const char	*name;
	unsigned int	 events, graph, stack, comments;
	int		 nr_flags;
} fixtures[] = {
	{ "irqsoff", 26, 0, 12, 21, 5 },
	{ "irqsoff-7.2", 19, 0, 6, 21, 5 },
	{ "irqsoff-graph", 1, 90, 5, 19, 4 },
	{ "preemptoff", 8, 0, 5, 21, 5 },
	{ "preemptirqsoff", 128, 0, 7, 21, 5 },
	{ "wakeup", 45, 0, 24, 18, 5 },
	{ "wakeup-rt", 8, 0, 26, 18, 5 },
	{ "wakeup-rt-7.2", 9, 0, 25, 18, 5 },
	{ "wakeup-rt-graph", 2, 103, 29, 16, 4 },
	{ "tc34-irqsoff", 55, 0, 6, 21, 5 },
};

static void test_fixtures(void **state)
{
	unsigned int nr = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		struct counts counts = { 0 };
		struct text_trace_header h;
		struct source *file;
		char path[4096];
		const char *text;
		uint64_t size;

		if (!recorded_path(fixtures[i].name, "trace.dat", path, sizeof(path)))
			continue;
		nr++;
		file = source_open(path, -1, NULL);
		if (!file)
			fail_msg("cannot open %s", path);
		text = trace_file_latency_text(file, 0, &size);
		text_trace_header(text, size, &h);
		assert_int_equal(h.nr_flags, fixtures[i].nr_flags);
		check_text(text, size, &counts);
		assert_int_equal(counts.kinds[TEXT_LINE_EVENT], fixtures[i].events);
		assert_int_equal(counts.kinds[TEXT_LINE_GRAPH], fixtures[i].graph);
		assert_int_equal(counts.kinds[TEXT_LINE_STACK], fixtures[i].stack);
		assert_int_equal(counts.kinds[TEXT_LINE_COMMENT], fixtures[i].comments);
		assert_int_equal(counts.kinds[TEXT_LINE_PLAIN] + counts.kinds[TEXT_LINE_LOST], 0);
		source_close(file);
	}
	assert_true(nr > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_events),
		cmocka_unit_test(test_digits_of_times),
		cmocka_unit_test(test_lines_without_text),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_joined_name),
		cmocka_unit_test(test_lines_of_graphs),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_logged_lines),
		cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_plain_lines),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_latency_headers),
		cmocka_unit_test(test_cut_lines),
		cmocka_unit_test(test_fixtures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
