/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recorder/ask/list.h"
#include "recorder/tracefs/pattern.h"
#include "tests/lib/sample_tracefs.h"

struct fixture {
	struct fake_tracefs	fake;
	struct tracefs_dir	dir;
	struct kernel_facts	facts;
	struct list_query	query;
	struct list		list;
	struct text		missing, chosen;
	struct ft_error		err;
};

/*
 * As /sys/kernel/tracing/events/sched/sched_switch/format of Linux 6.1 has it, with fields of other
 * kinds added.
 */
static const char format[] = "name: sched_switch\nID: 314\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			     "\n"
			     "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			     "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			     "\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
			     "\tfield:const char *why;\toffset:32;\tsize:8;\tsigned:0;\n"
			     "\tfield:unsigned long args[6];\toffset:40;\tsize:48;\tsigned:0;\n"
			     "\nprint fmt: \"prev_comm=%s\", REC->prev_comm\n";

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_tracefs_init(&f->fake);
#define PUT(name, content) fake_tracefs_put(&f->fake, name, content)
	PUT("available_tracers", "blk function_graph function nop\n");
	PUT("current_tracer", "function\n");
	PUT("available_events",
	    "sched:sched_waking\nsched:sched_switch\nirq:irq_handler_entry\nsched_ext:dump\n"
	    "vmscan:mm_vmscan_wakeup_kswapd\n");
	PUT("set_event", "sched:sched_waking\n");
	PUT("available_filter_functions",
	    "schedule\ntcp_ack\next4_readdir [ext4]\nschedule.part.0\nwake_up_q\n");
	PUT("trace_clock", "local [mono] x86-tsc\n");
	PUT("options/overwrite", "1\n");
	PUT("options/sym-addr", "0\n");
	PUT("events/sched/sched_switch/format", format);
	PUT("events/sched/sched_switch/filter", "prev_pid == 1\n");
	PUT("events/sched/sched_switch/trigger",
	    "# Available triggers:\ntraceoff:unlimited\nstacktrace:count=3\n");
	PUT("events/sched/sched_waking/format", "name: x\nID: 7\nformat:\n");
	PUT("events/sched/sched_waking/filter", "none\n");
	PUT("events/sched/sched_waking/trigger", "# Available triggers:\n# traceon traceoff\n");
	PUT("events/ftrace/function/format", "ID: 1\n");
	PUT("instances/foo/current_tracer", "nop\n");
	PUT("instances/foo/available_tracers", "function nop\n");
	PUT("instances/foo/set_event", "");
	PUT("instances/foo/trace_clock", "[local] mono\n");
	PUT("instances/ftop-9-9/", "");
	PUT("proc/", "");
	*state = f;
	return tracefs_dir_open(&f->dir, f->fake.root, &f->err);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	list_fini(&f->list);
	text_fini(&f->missing);
	text_fini(&f->chosen);
	tracefs_dir_close(&f->dir);
	fake_tracefs_fini(&f->fake);
	free(f);
	return 0;
}

/*
 * Lists one kind by one pattern (or none); returns the chosen names, those that are set with a
 * plus.
 */
static const char *chosen(struct fixture *f, enum list_kind kind, const char *pattern)
{
	char proc[1024];
	struct leftover_places places = { .run_dir = "/nonexistent", .proc = proc };
	int ret;

	memset(f->query.kinds, 0, sizeof(f->query.kinds));
	f->query.kinds[kind] = true;
	f->query.patterns = &pattern;
	f->query.nr_patterns = pattern != NULL;
	snprintf(proc, sizeof(proc), "%s/proc", f->fake.root);
	list_fini(&f->list);
	text_clear(&f->missing);
	text_clear(&f->chosen);
	ret = list_read(&f->list, &f->dir, &f->facts, &places, &f->query, &f->missing, &f->err);
	for (unsigned int i = 0; i < f->list.nr; i++)
		if (f->list.items[i].chosen)
			text_printf(&f->chosen, "%s%s%s", f->chosen.len ? " " : "",
				    f->list.items[i].is_set ? "+" : "", f->list.items[i].name);
	return ret ? NULL : text_str(&f->chosen);
}

/* The keys of the tracers that there are: with what is set, or since when Linux has them. */
static void test_measures(void **state)
{
	static const struct { const char *name, *value, *since; } wanted[] = {
		{ "period", "1ms", NULL },	{ "cpus", "0-1", NULL },
		{ "prio", NULL, NULL },		{ "user", NULL, "6.5" },
		{ "kernel", NULL, NULL },	{ "dma-latency", NULL, NULL },
		{ "stop", "0us", NULL },	{ "stop-total", NULL, "5.14" },
		{ "stack", NULL, "5.14" },	{ "align", NULL, "7.1" },
		{ "option", "DEFAULTS OSNOISE_WORKLOAD", NULL },
	};
	struct fixture *f = *state;

	assert_string_equal(chosen(f, LIST_MEASURE, NULL), "threshold");
	assert_string_equal(f->list.items[0].since, "");
	fake_tracefs_put(&f->fake, "available_tracers", "timerlat nop\n");
	fake_tracefs_put(&f->fake, "osnoise/timerlat_period_us", "1000\n");
	fake_tracefs_put(&f->fake, "osnoise/stop_tracing_us", "0\n");
	fake_tracefs_put(&f->fake, "osnoise/cpus", "0-1\n");
	fake_tracefs_put(&f->fake, "osnoise/options", "DEFAULTS OSNOISE_WORKLOAD \n");
	assert_non_null(chosen(f, LIST_MEASURE, NULL));
	assert_int_equal(f->list.nr, sizeof(wanted) / sizeof(wanted[0]));
	for (unsigned int i = 0; i < f->list.nr; i++) {
		const struct list_item *item = &f->list.items[i];

		assert_string_equal(item->name, wanted[i].name);
		assert_string_equal(item->value ? item->value : "none",
				    wanted[i].value ? wanted[i].value : "none");
		assert_string_equal(item->since ? item->since : "none",
				    wanted[i].since ? wanted[i].since : "none");
	}
	assert_string_equal(f->list.items[0].tracers, "timerlat");
	fake_tracefs_put(&f->fake, "available_tracers", "function nop\n");
	assert_null(chosen(f, LIST_MEASURE, NULL));
	assert_int_equal(f->err.code, FT_E_UNSUPPORTED);
	f->query.optional = true;
	assert_string_equal(chosen(f, LIST_MEASURE, NULL), "");
}

static void test_kinds(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(chosen(f, LIST_TRACER, NULL), "blk function_graph +function nop");
	/* By system, then by name: sched_ext is not in the middle of sched. */
	assert_string_equal(chosen(f, LIST_EVENT, NULL),
			    "irq:irq_handler_entry sched:sched_switch +sched:sched_waking "
			    "sched_ext:dump vmscan:mm_vmscan_wakeup_kswapd");
	assert_string_equal(chosen(f, LIST_SYSTEM, NULL), "irq sched sched_ext vmscan");
	assert_int_equal(f->list.items[1].nr_events, 2);
	assert_string_equal(chosen(f, LIST_FUNCTION, NULL),
			    "schedule tcp_ack ext4_readdir schedule.part.0 wake_up_q");
	assert_string_equal(f->list.items[2].module, "ext4");
	assert_null(f->list.items[0].module);
	assert_string_equal(chosen(f, LIST_OPTION, NULL), "+overwrite sym-addr");
	assert_string_equal(chosen(f, LIST_CLOCK, NULL), "local +mono x86-tsc");
	assert_string_equal(chosen(f, LIST_INSTANCE, NULL), "foo ftop-9-9");
	assert_int_equal(f->list.items[0].owner, LIST_OTHER);
	assert_int_equal(f->list.items[1].owner, LIST_STALE);
	fake_tracefs_put(&f->fake, "remotes/hypervisor/tracing_on", "0\n");
	assert_string_equal(chosen(f, LIST_INSTANCE, NULL), "foo ftop-9-9 remotes/hypervisor");
	assert_int_equal(f->list.items[2].owner, LIST_REMOTE);
}

static void test_patterns(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(chosen(f, LIST_EVENT, "sched_switch"), "sched:sched_switch");
	assert_string_equal(chosen(f, LIST_EVENT, "sched:sched_switch"), "sched:sched_switch");
	assert_string_equal(chosen(f, LIST_EVENT, "sched/sched_switch"), "sched:sched_switch");
	assert_string_equal(chosen(f, LIST_EVENT, "sched"),
			    "sched:sched_switch +sched:sched_waking");
	assert_string_equal(chosen(f, LIST_EVENT, "sched:*"),
			    "sched:sched_switch +sched:sched_waking");
	assert_string_equal(chosen(f, LIST_EVENT, "*ing"), "+sched:sched_waking");
	assert_string_equal(chosen(f, LIST_EVENT, "sched/*ing"), "+sched:sched_waking");
	/* A part of a name, where it is no whole one. */
	assert_string_equal(chosen(f, LIST_EVENT, "WAK"),
			    "+sched:sched_waking vmscan:mm_vmscan_wakeup_kswapd");
	/* As trace-cmd list takes them. */
	assert_string_equal(chosen(f, LIST_EVENT, "^sched_sw.*"), "sched:sched_switch");
	assert_string_equal(chosen(f, LIST_EVENT, "(kswapd|entry)$"),
			    "irq:irq_handler_entry vmscan:mm_vmscan_wakeup_kswapd");
	/* As they are shown where they are off. */
	assert_string_equal(chosen(f, LIST_OPTION, "nosym-addr"), "sym-addr");
	assert_string_equal(chosen(f, LIST_OPTION, "nosym*"), "sym-addr");
	assert_string_equal(chosen(f, LIST_FUNCTION, "schedule"), "schedule");
	assert_string_equal(chosen(f, LIST_FUNCTION, "schedule.part.0"), "schedule.part.0");
	assert_string_equal(chosen(f, LIST_FUNCTION, "schedule*"), "schedule schedule.part.0");
	assert_string_equal(chosen(f, LIST_FUNCTION, ":mod:ext4"), "ext4_readdir");
	assert_string_equal(chosen(f, LIST_FUNCTION, ":mod:*"), "ext4_readdir");
	assert_string_equal(chosen(f, LIST_FUNCTION, "^TCP_"), "tcp_ack");
	assert_string_equal(text_str(&f->missing), "");
	assert_string_equal(chosen(f, LIST_EVENT, "ftrace:function"), "ftrace:function");
	assert_string_equal(chosen(f, LIST_EVENT, "ftrace"), "ftrace:function");
}

static void test_missing(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(chosen(f, LIST_EVENT, "sched_swich"), "");
	assert_string_equal(text_str(&f->missing),
			    "sched_swich: no such event; did you mean sched_switch?\n");
	chosen(f, LIST_EVENT, "sched:sched_swich");
	assert_string_equal(text_str(&f->missing),
			    "sched:sched_swich: no such event; did you mean sched:sched_switch?\n");
	chosen(f, LIST_TRACER, "functoin");
	assert_string_equal(text_str(&f->missing),
			    "functoin: no such tracer; did you mean function?\n");
	chosen(f, LIST_CLOCK, "zzzzzzzzz");
	assert_string_equal(text_str(&f->missing), "zzzzzzzzz: no such clock\n");
	chosen(f, LIST_CLOCK, "clocks");
	assert_string_equal(text_str(&f->missing),
			    "clocks: no such clock; did you mean --clocks?\n");
	chosen(f, LIST_CLOCK, "a\033[2Jb");
	assert_string_equal(text_str(&f->missing), "a\\e[2Jb: no such clock\n");
	assert_null(chosen(f, LIST_EVENT, "(sched"));
	assert_int_equal(f->err.code, FT_E_USAGE);
	assert_non_null(strstr(f->err.message, "'(sched': "));
}

static void test_details(void **state)
{
	static const struct {
		const char	*name, *type;
		unsigned int	 offset, size;
		bool		 is_signed, is_common;
	} expected[] = {
		{ "common_type", "unsigned short", 0, 2, false, true },
		{ "common_pid", "int", 4, 4, true, true },
		{ "prev_comm", "char[16]", 8, 16, false, false },
		{ "prev_pid", "pid_t", 24, 4, true, false },
		{ "name", "__data_loc char[]", 28, 4, false, false },
		{ "why", "const char *", 32, 8, false, false },
		{ "args", "unsigned long[6]", 40, 48, false, false },
	};
	struct fixture *f = *state;
	const struct list_item *item = NULL;

	f->query.details = true;
	assert_string_equal(chosen(f, LIST_EVENT, "sched"),
			    "sched:sched_switch +sched:sched_waking");
	item = &f->list.items[1];
	assert_string_equal(item->name, "sched:sched_switch");
	assert_true(item->has_details);
	assert_int_equal(item->id, 314);
	assert_int_equal(item->nr_fields, 7);
	for (unsigned int i = 0; i < 7; i++) {
		assert_string_equal(item->fields[i].name, expected[i].name);
		assert_string_equal(item->fields[i].type, expected[i].type);
		assert_int_equal(item->fields[i].offset, expected[i].offset);
		assert_int_equal(item->fields[i].size, expected[i].size);
		assert_int_equal(item->fields[i].is_signed, expected[i].is_signed);
		assert_int_equal(item->fields[i].is_common, expected[i].is_common);
	}
	assert_string_equal(item->print_fmt, "\"prev_comm=%s\", REC->prev_comm");
	assert_string_equal(item->filter, "prev_pid == 1");
	assert_string_equal(item->triggers, "traceoff:unlimited\nstacktrace:count=3");
	assert_string_equal(f->list.items[2].filter, "");
	assert_string_equal(f->list.items[2].triggers, "");
	assert_int_equal(f->list.items[2].id, 7);
	/* Not asked for, not read. */
	assert_false(f->list.items[0].has_details);
}

/* Whatever a format file holds, what is no field is passed over. */
static void test_bad_formats(void **state)
{
	static const char *const bad[] = {
		"", "\n\n", "ID: ", "\tfield:", "\tfield:;",
		"\tfield:;\toffset:0;\tsize:2;\tsigned:0;\n",
		"\tfield:int x\n", "\tfield:int x;\n",
		"\tfield:int;\toffset:0;\tsize:4;\tsigned:1;\n",
		"\tfield:[4];\toffset:0;\tsize:4;\tsigned:1;\n",
		"\tfield:];\toffset:0;\tsize:4;\tsigned:1;\n",
		"\tfield:int x[;\toffset:a;\tsize:4;\tsigned:1;\n",
		"\tfield: ;\toffset:0;\tsize:4;\tsigned:1;\n",
		"\tfield:char x]]];\toffset:0;\tsize:4;\tsigned:1;\n",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fake_tracefs_put(&f->fake, "events/sched/sched_switch/format", bad[i]);
		f->query.details = true;
		assert_non_null(chosen(f, LIST_EVENT, "sched_switch"));
		assert_int_equal(f->list.items[1].nr_fields, 0);
	}
	for (size_t len = 0; len < sizeof(format); len++) {
		fake_tracefs_put_bytes(&f->fake, "events/sched/sched_switch/format", format, len);
		assert_non_null(chosen(f, LIST_EVENT, "sched_switch"));
		assert_true(f->list.items[1].nr_fields <= 7);
	}
}

static void test_instance(void **state)
{
	struct fixture *f = *state;

	f->query.instance = "foo";
	assert_string_equal(chosen(f, LIST_TRACER, NULL), "function +nop");
	assert_string_equal(chosen(f, LIST_CLOCK, NULL), "+local mono");
	assert_string_equal(chosen(f, LIST_EVENT, "sched"),
			    "sched:sched_switch sched:sched_waking");
	f->query.instance = "fo";
	assert_null(chosen(f, LIST_CLOCK, NULL));
	assert_string_equal(f->err.message, "fo: no such instance; did you mean foo?");
	f->query.instance = "";
	assert_null(chosen(f, LIST_CLOCK, NULL));
	assert_string_equal(f->err.message, "'': no such instance");
	f->query.instance = "../instances/foo";
	assert_null(chosen(f, LIST_CLOCK, NULL));
	assert_non_null(strstr(f->err.message, "no such instance"));
}

static void remove_file(struct fixture *f, const char *file)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", f->fake.root, file);
	assert_int_equal(remove(path), 0);
}

static void test_refused(void **state)
{
	struct fixture *f = *state;
	char expected[1024];

	remove_file(f, "available_filter_functions");
	assert_null(chosen(f, LIST_FUNCTION, NULL));
	assert_int_equal(f->err.code, FT_E_IO);
	snprintf(expected, sizeof(expected),
		 "%s/available_filter_functions: this kernel has no available_filter_functions "
		 "(it comes with CONFIG_DYNAMIC_FTRACE)",
		 f->fake.root);
	assert_string_equal(f->err.message, expected);
	/* When all is searched, what cannot be read is no failure. */
	f->query.optional = true;
	assert_string_equal(chosen(f, LIST_FUNCTION, NULL), "");
}

static void test_monitors(void **state)
{
	struct fixture *f = *state;

	assert_null(chosen(f, LIST_MONITOR, NULL));
	assert_non_null(strstr(f->err.message, "/rv/available_monitors: this kernel has no "
					       "rv/available_monitors (it comes with CONFIG_RV)"));
	f->query.optional = true;
	assert_string_equal(chosen(f, LIST_MONITOR, NULL), "");
	sample_monitors(&f->fake);
	assert_string_equal(chosen(f, LIST_MONITOR, NULL), "+wip wwnr sched sched:sco sched:sts");
	assert_string_equal(f->list.items[3].about, "what it verifies.");
	assert_string_equal(chosen(f, LIST_MONITOR, "sched:*"), "sched:sco sched:sts");
	chosen(f, LIST_MONITOR, "monitors");
	assert_string_equal(text_str(&f->missing),
			    "monitors: no such monitor; did you mean --monitors?\n");
}

/* Names of options that can be seen while none can be read are no list. */
static void test_refused_options(void **state)
{
	struct fixture *f = *state;

	remove_file(f, "options/overwrite");
	assert_string_equal(chosen(f, LIST_OPTION, NULL), "sym-addr");
	fake_tracefs_put(&f->fake, "options/overwrite/", "");
	assert_string_equal(chosen(f, LIST_OPTION, NULL), "sym-addr");
	remove_file(f, "options/sym-addr");
	assert_null(chosen(f, LIST_OPTION, NULL));
	assert_non_null(strstr(f->err.message, "/options/overwrite: EISDIR"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_kinds), T(test_measures), T(test_patterns), T(test_missing), T(test_details),
		T(test_bad_formats), T(test_instance),
		T(test_refused), T(test_monitors), T(test_refused_options),
	};

	return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
