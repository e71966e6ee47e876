/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "src/recording/capabilities.h"
#include "src/recording/record_progress.h"

static void take(struct capabilities *caps, const char *line)
{
	capabilities_line(caps, line, strlen(line));
}

static void lists_are_taken(void **state)
{
	struct capabilities caps = { 0 }, newer = { 0 };
	const struct capability_list *events = &caps.lists[CAPABILITY_EVENT];

	(void)state;
	take(&caps, "{\"kind\":\"tracer\",\"name\":\"function_graph\",\"set\":false}");
	take(&caps, "{\"kind\":\"clock\",\"name\":\"local\",\"set\":true}");
	take(&caps,
	     "{\"kind\":\"event\",\"system\":\"irq\",\"name\":\"irq_handler_entry\",\"set\":false}");
	take(&caps,
	     "{\"kind\":\"event\",\"system\":\"sched\",\"name\":\"sched_wakeup\",\"set\":false}");
	take(&caps, "{\"kind\":\"function\",\"name\":\"ext4_map_blocks\",\"module\":\"ext4\"}");
	take(&caps, "{\"kind\":\"function\",\"name\":\"schedule\"}");
	take(&caps, "{\"kind\":\"later\",\"name\":\"x\"}");
	assert_int_equal(events->nr, 2);
	assert_string_equal(events->items[1].name, "sched:sched_wakeup");
	assert_int_equal(events->items[1].system_len, 5);
	assert_null(events->items[1].fields);
	assert_true(caps.lists[CAPABILITY_CLOCK].items[0].set);
	assert_true(capabilities_has(&caps, CAPABILITY_TRACER, "function_graph"));
	assert_false(capabilities_has(&caps, CAPABILITY_TRACER, "function"));
	assert_string_equal(caps.lists[CAPABILITY_FUNCTION].items[0].note, "ext4");
	assert_null(caps.lists[CAPABILITY_FUNCTION].items[1].note);
	/* the same once more, with its format */
	take(&caps,
	     "{\"kind\":\"event\",\"system\":\"sched\",\"name\":\"sched_wakeup\",\"set\":false,\"id\":1,\"fields\":["
	     "{\"name\":\"common_pid\",\"type\":\"int\"},{\"name\":\"comm\",\"type\":\"char[16]\"},"
	     "{\"name\":\"pid\",\"type\":\"pid_t\"}],\"print_fmt\":\"\\\"comm=%s \\\\\\\"pid\\\\\\\"=%d\\\", REC->comm, REC->pid\"}");
	assert_int_equal(events->nr, 2);
	assert_string_equal(events->items[1].note, "comm=%s \\\"pid\\\"=%d");
	assert_string_equal(events->items[1].fields, "char[16] comm, pid_t pid");
	/* what is newer takes its place */
	take(&newer,
	     "{\"kind\":\"event\",\"system\":\"a\",\"name\":\"b\",\"fields\":[],\"print_fmt\":\"\"}");
	take(&newer,
	     "{\"kind\":\"event\",\"system\":\"a\",\"name\":\"c\",\"fields\":[],\"print_fmt\":\"\"}");
	capabilities_take(&caps, &newer, CAPABILITY_EVENT);
	assert_int_equal(events->nr, 2);
	assert_string_equal(events->items[0].name, "a:b");
	assert_string_equal(events->items[1].fields, "");
	assert_int_equal(newer.lists[CAPABILITY_EVENT].nr, 0);
	assert_int_equal(caps.lists[CAPABILITY_TRACER].nr, 1);
	capabilities_fini(&newer);
	capabilities_fini(&caps);
}

static void what_could_not_be_asked_for_is_left_out(void **state)
{
	static const char *const lines[] = {
		"", "x", "{}", "[]", "{\"kind\":\"event\"}", "{\"kind\":\"event\",\"name\":\"a\"}",
		"{\"kind\":\"tracer\",\"name\":\"\"}",
		"{\"kind\":\"tracer\",\"name\":\"a b\"}",
		"{\"kind\":\"tracer\",\"name\":\"\\u001b[2J\"}", "{\"kind\":\"tracer\",\"name\":5}",
		"{\"kind\":\"event\",\"system\":\"a\\nb\",\"name\":\"c\"}",
	};
	struct capabilities caps = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		take(&caps, lines[i]);
	for (int i = 0; i < NR_CAPABILITIES; i++)
		assert_int_equal(caps.lists[i].nr, 0);
	capabilities_fini(&caps);
}

/* The rows as a kernel in lockdown gives them, shortened. */
static void the_obstacle_is_the_cause(void **state)
{
	struct capabilities caps = { 0 }, none = { 0 };

	(void)state;
	assert_null(capabilities_obstacle(&caps));
	take(&caps,
	     "{\"check\":\"lockdown\",\"state\":\"no\",\"text\":\"lockdown \\u001b\",\"remedy\":null,\"kernel\":\"6.1.0\"}");
	take(&caps,
	     "{\"check\":\"tracefs\",\"state\":\"ok\",\"text\":\"/sys/kernel/tracing\",\"remedy\":null,\"kernel\":\"6.1.0\"}");
	take(&caps,
	     "{\"check\":\"instance\",\"state\":\"no\",\"text\":\"EINVAL\",\"remedy\":\"x\",\"kernel\":\"6.1.0\"}");
	take(&caps,
	     "{\"check\":\"events\",\"state\":\"untried\",\"text\":\"no instance could be made\",\"kernel\":\"6.1.0\"}");
	assert_string_equal(capabilities_obstacle(&caps)->name, "lockdown");
	assert_string_equal(capabilities_obstacle(&caps)->text, "lockdown \\e");
	assert_string_equal(capabilities_obstacle(&caps)->remedy, "");
	assert_int_equal(capabilities_nr_refused(&caps), 2);
	assert_string_equal(text_str(&caps.kernel), "6.1.0");
	capabilities_take_checks(&caps, &none);
	take(&caps, "{\"check\":\"events\",\"state\":\"untried\",\"text\":\"why\"}");
	assert_string_equal(capabilities_obstacle(&caps)->text, "why");
	capabilities_take_checks(&caps, &none);
	take(&caps, "{\"check\":\"function\",\"state\":\"no\"}");
	take(&caps, "{\"check\":\"events\",\"state\":\"ok\"}");
	assert_null(capabilities_obstacle(&caps));
	assert_int_equal(capabilities_nr_refused(&caps), 1);
	assert_true(capabilities_refused(&caps, "function"));
	assert_false(capabilities_refused(&caps, "events"));
	assert_false(capabilities_refused(&caps, "function_graph"));
	capabilities_fini(&caps);
}

/* --- how a recording goes -------------------------------------------------- */

static void tell(struct record_progress *p, const char *line)
{
	record_progress_line(p, line, strlen(line));
}

static void a_recording_from_begin_to_end(void **state)
{
	struct record_progress p = { 0 };

	(void)state;
	tell(&p,
	     "{\"type\":\"begin\",\"file\":\"trace.dat\",\"part\":\"trace.dat.part\",\"pid\":77,\"cpus\":2,\"buffers\":[]}");
	assert_int_equal(p.phase, RECORD_RUNS);
	assert_int_equal(p.pid, 77);
	assert_string_equal(text_str(&p.part), "trace.dat.part");
	tell(&p,
	     "{\"type\":\"status\",\"time_ns\":1000000000,\"bytes\":4096,\"events\":100,\"events_per_s\":90,\"lost\":3,\"needs_kb\":2048,\"cpu_ns\":12345678,\"judged_ns_ago\":3200000000,"
	     "\"per_cpu\":[{\"buffer\":\"\",\"cpu\":0,\"fill_percent\":12,\"events\":60,\"lost\":3},{\"cpu\":1,\"fill_percent\":1}]}");
	assert_int_equal(p.nr_cpus, 2);
	assert_int_equal(p.cpus[0].fill_percent, 12);
	assert_int_equal(p.cpus[0].lost, 3);
	assert_int_equal(p.cpus[1].cpu, 1);
	assert_int_equal(p.cpus[1].lost, 0);
	assert_int_equal(p.needs_kb, 2048);
	assert_int_equal(p.load_permille, 12);
	assert_int_equal(p.judged_ns_ago, 3200000000);
	/* fewer at the next time: those of before are gone */
	tell(&p,
	     "{\"type\":\"status\",\"events\":110,\"time_ns\":1500000000,\"cpu_ns\":262345678,\"per_cpu\":[{\"cpu\":1}]}");
	assert_int_equal(p.load_permille, 500);
	assert_int_equal(p.nr_cpus, 1);
	assert_int_equal(p.events, 110);
	assert_int_equal(p.bytes, 4096);
	tell(&p, "{\"type\":\"note\",\"text\":\"no \\u001b[2J\"}");
	assert_string_equal(text_str(&p.notes), "no \\e[2J\n");
	tell(&p, "{\"type\":\"stopped\",\"by\":\"SIGINT\"}");
	assert_int_equal(p.phase, RECORD_STOPS);
	tell(&p, "{\"type\":\"packing\",\"done_bytes\":5,\"total_bytes\":10}");
	assert_int_equal(p.to_pack_bytes, 10);
	tell(&p,
	     "{\"type\":\"end\",\"ok\":true,\"written\":true,\"partial\":true,\"file\":\"trace.dat\",\"events\":120,\"lost\":3,\"stopped_by\":\"SIGINT\","
	     "\"command_status\":0,\"error\":\"\"}");
	assert_int_equal(p.phase, RECORD_ENDED);
	assert_true(p.ok && p.written && p.partial);
	assert_int_equal(p.events, 120);
	assert_string_equal(text_str(&p.stopped_by), "SIGINT");
	assert_int_equal(p.error.len, 0);
	record_progress_fini(&p);
}

static void a_recording_that_fails(void **state)
{
	struct record_progress p = { 0 };

	(void)state;
	tell(&p, "garbage");
	tell(&p, "{\"type\":\"unknown\"}");
	tell(&p, "{\"type\":\"note\",\"text\":\"sched_swich: no such event\"}");
	tell(&p,
	     "{\"type\":\"end\",\"ok\":false,\"written\":false,\"error\":\"nothing was recorded\"}");
	assert_int_equal(p.phase, RECORD_ENDED);
	assert_false(p.ok || p.written);
	assert_string_equal(text_str(&p.notes), "sched_swich: no such event\n");
	assert_string_equal(text_str(&p.error), "nothing was recorded");
	record_progress_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_taken),
		cmocka_unit_test(what_could_not_be_asked_for_is_left_out),
		cmocka_unit_test(the_obstacle_is_the_cause),
		cmocka_unit_test(a_recording_from_begin_to_end),
		cmocka_unit_test(a_recording_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
