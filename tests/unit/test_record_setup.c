/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/record/record_setup.h"

/* Of each sort one, as in recorder/commands/cmd_record. */
static const struct command_def record = {
	.name = "record",
	.operands = "[COMMAND...]",
	.max_operands = 100,
	.operand_kind = OPERANDS_COMMAND,
	.options = (const struct option_def[]){
		{ "event", 'e', "EVENT", 1, "" },	{ "filter", 'f', "FILTER", 2,
							  "" },	{ "trigger", 'R', "T", 3, "" },
		{ "except", 'v', NULL, 4, "" },		{ "tracer", 'p', "TRACER", 5,
							  "" },	{ "only-command", 'F', NULL, 6,
							  	"" },
		{ "pid", 'P', "PID", 7, "" },		{ "children", 'c', NULL, 8,
							  "" },	{ "output", 'o', "FILE", 9, "" },
		{ "buffer-size", 'b', "KB", 10, "" },	{ "clock", 'C', "CLOCK", 11,
							  "" },	{ "function", 'l', "F", 12, "" },
		{ "graph-function", 'g', "F", 13, "" },	{ "option", 'O', "OPTION", 14,
							  "" },	{ "stack", 'T', NULL, 15, "" },
		{ "max-graph-depth", 0, "N", 16, "" },	{ "cpu", 0, "LIST", 17,
							  "" },		{ "buffer", 'B', "NAME", 18,
							  	"" },
		{ "duration", 0, "TIME", 19, "" },	{ "size", 0, "BYTES", 20,
							  "" },		{ "compression", 0, "C", 21,
							  	"" },
		{ "until", 0, "CONDITION", 22, "" },	{ "locks", 0, NULL, 23, "" },
		{ "measure", 0, "K", 24, "" },
		OPTION_END,
	},
};

static void assert_words(const struct record_setup *setup, const char *wanted)
{
	struct shell_words words = { 0 };
	struct text line = { 0 };
	struct ft_error err = { 0 };

	if (record_setup_words(setup, &words, &err))
		fail_msg("%s", err.message);
	shell_words_join(&words, &line);
	assert_string_equal(text_str(&line), wanted);
	shell_words_fini(&words);
	text_fini(&line);
}

static void read_line(struct record_setup *setup, const char *line)
{
	struct ft_error err = { 0 };

	if (record_setup_read(setup, &record, line, &err))
		fail_msg("%s: %s", line, err.message);
}

static void becomes(const char *line, const char *wanted)
{
	struct record_setup setup = { 0 };

	read_line(&setup, line);
	assert_words(&setup, wanted);
	record_setup_fini(&setup);
}

static void words_have_fields(void **state)
{
	struct record_setup setup = { 0 };

	(void)state;
	read_line(
		&setup,
		"--size 1G -e sched:sched_switch -f 'prev_prio < 100' -e irq -g schedule -p function_graph --cpu 0,2-3 "
		"-b 4M -C mono -P 12,34 -c --duration 10 -o x.dat -O stacktrace -T --max-graph-depth 9 -- make -j2 'a b'");
	assert_string_equal(text_str(&setup.values[SETUP_TRACER]), "function_graph");
	assert_int_equal(setup.nr_events, 2);
	assert_string_equal(setup.events[0].filter, "prev_prio < 100");
	assert_null(setup.events[1].filter);
	assert_string_equal(setup.functions.words[0], "schedule");
	assert_int_equal(setup.pids.nr, 2);
	assert_true(setup.children);
	assert_false(setup.only_command);
	assert_string_equal(text_str(&setup.values[SETUP_MORE]), "-O stacktrace -T");
	assert_string_equal(text_str(&setup.values[SETUP_COMMAND]), "make -j2 'a b'");
	assert_words(
		&setup,
		"-p function_graph -e sched:sched_switch -f 'prev_prio < 100' -e irq -g schedule -P 12,34 -c "
		"--max-graph-depth 9 --cpu 0,2-3 -C mono -b 4M --duration 10 --size 1G -o x.dat -O stacktrace -T "
		"make -j2 'a b'");
	record_setup_fini(&setup);
}

static void what_has_no_field_is_kept(void **state)
{
	(void)state;
	becomes("", "");
	becomes("-l vfs_read -p function", "-p function -l vfs_read");
	becomes("--until 'irq > 1ms' --until 'lost > 0' -o x.dat",
		"--until 'irq > 1ms' -o x.dat --until 'lost > 0'");
	becomes("--measure period=1ms -p timerlat --measure user",
		"-p timerlat --measure period=1ms,user");
	/* -l restricts where -g is the field's */
	becomes("-p function_graph -l vfs_read", "-p function_graph -l vfs_read");
	becomes("-e all -v -e irq", "-e all -v -e irq");
	becomes("-e sched -f 'pid > 1' -f 'pid < 9' -e irq",
		"-e sched -f '(pid > 1)&&(pid < 9)' -e irq");
	becomes("-e sched -R 'traceoff if next_pid == 1' -p function",
		"-e sched -R 'traceoff if next_pid == 1' -p function");
	becomes("-e sched -B two -e irq -b 1M ls", "-e sched -B two -e irq -b 1M ls");
	becomes("--compression zstd -e sched", "-e sched --compression zstd");
}

static void mistakes_leave_it_as_it_was(void **state)
{
	struct record_setup setup = { 0 };
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };

	(void)state;
	read_line(&setup, "-e sched");
	assert_int_equal(record_setup_read(&setup, &record, "-e", &err), -1);
	assert_int_equal(record_setup_read(&setup, &record, "--evnt x", &err), -1);
	assert_int_equal(record_setup_read(&setup, &record, "-e 'x", &err), -1);
	assert_words(&setup, "-e sched");
	text_add(&setup.values[SETUP_COMMAND], "ls | wc");
	assert_int_equal(record_setup_words(&setup, &words, &err), -1);
	assert_int_equal(strncmp(err.message, "command: | needs a shell", 24), 0);
	shell_words_fini(&words);
	text_clear(&setup.values[SETUP_COMMAND]);
	text_add(&setup.values[SETUP_COMMAND], "-x");
	assert_int_equal(record_setup_words(&setup, &words, &err), -1);
	shell_words_fini(&words);
	record_setup_fini(&setup);
}

/* --- events --------------------------------------------------------------- */

enum { IRQ_ENTRY, IRQ_EXIT, SWITCH, WAKING, SCHED_EXT };

static void fill(struct capabilities *caps)
{
	static const char *const events[][2] = {
		{ "irq", "irq_handler_entry" }, { "irq", "irq_handler_exit" },
		{ "sched", "sched_switch" },
		{ "sched", "sched_waking" }, { "sched_ext", "sched_ext_dump" },
	};
	char line[128];

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		snprintf(line, sizeof(line),
			 "{\"kind\":\"event\",\"system\":\"%s\",\"name\":\"%s\"}", events[i][0],
			 events[i][1]);
		capabilities_line(caps, line, strlen(line));
	}
}

static void systems_become_whole_and_parts(void **state)
{
	struct capabilities caps = { 0 };
	const struct capability_list *events = &caps.lists[CAPABILITY_EVENT];
	struct record_setup setup = { 0 };

	(void)state;
	fill(&caps);
	record_setup_tick(&setup, events, SWITCH, false, true);
	assert_words(&setup, "-e sched:sched_switch");
	record_setup_tick(&setup, events, WAKING, false, true);
	assert_words(&setup, "-e sched");
	assert_false(record_setup_ticked(&setup, &events->items[SCHED_EXT]));
	assert_int_equal(record_setup_nr_ticked(&setup, events), 2);
	record_setup_tick(&setup, events, IRQ_EXIT, true, true);
	assert_words(&setup, "-e irq -e sched");
	record_setup_tick(&setup, events, IRQ_ENTRY, false, false);
	assert_words(&setup, "-e irq:irq_handler_exit -e sched");
	record_setup_tick(&setup, events, SWITCH, true, false);
	assert_words(&setup, "-e irq:irq_handler_exit");
	record_setup_fini(&setup);
	/* globs, and what this kernel does not have */
	read_line(&setup, "-e 'sched_*' -e xfs:xfs_read");
	assert_int_equal(record_setup_nr_ticked(&setup, events), 3);
	record_setup_tick(&setup, events, IRQ_ENTRY, false, true);
	assert_words(&setup, "-e xfs:xfs_read -e irq:irq_handler_entry -e sched -e sched_ext");
	record_setup_fini(&setup);
	read_line(&setup, "-e all");
	record_setup_tick(&setup, events, SCHED_EXT, false, false);
	assert_words(&setup, "-e irq -e sched");
	record_setup_fini(&setup);
	capabilities_fini(&caps);
}

static void patterns_match_as_the_recorder_does(void **state)
{
	const struct capability event = { .name = (char *)"sched:sched_switch", .system_len = 5 };
	static const char *const matching[] = { "all", "sched", "sched_switch",
						"sched:sched_switch", "sched:*", ":sched_switch",
						"sched:",
						"sched_*", "*", "sched/sched_switch" };
	static const char *const others[] = { "irq", "sched:sched_waking", "sch", "sched_", "irq:*",
					      "" };

	(void)state;
	for (size_t i = 0; i < sizeof(matching) / sizeof(matching[0]); i++)
		if (!record_setup_matches(matching[i], &event))
			fail_msg("%s does not match", matching[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (record_setup_matches(others[i], &event))
			fail_msg("%s matches", others[i]);
}

static void an_event_has_a_filter(void **state)
{
	struct capabilities caps = { 0 };
	const struct capability_list *events = &caps.lists[CAPABILITY_EVENT];
	struct record_setup setup = { 0 };

	(void)state;
	fill(&caps);
	read_line(&setup, "-e sched");
	record_setup_filter(&setup, events, SWITCH, "prev_prio < 100");
	assert_words(&setup, "-e sched:sched_switch -f 'prev_prio < 100' -e sched:sched_waking");
	assert_string_equal(record_setup_filter_of(&setup, &events->items[SWITCH]),
			    "prev_prio < 100");
	assert_string_equal(record_setup_filter_of(&setup, &events->items[WAKING]), "");
	record_setup_tick(&setup, events, IRQ_ENTRY, true, true);
	assert_words(&setup,
		     "-e irq -e sched:sched_switch -f 'prev_prio < 100' -e sched:sched_waking");
	record_setup_filter(&setup, events, SWITCH, "");
	assert_words(&setup, "-e irq -e sched");
	record_setup_fini(&setup);
	capabilities_fini(&caps);
}

/* --- names ---------------------------------------------------------------- */

static const char *line_of(const struct named_setups *setups, const char *name)
{
	for (unsigned int i = 0; i < setups->nr; i++)
		if (!strcmp(setups->all[i].name, name))
			return setups->all[i].line;
	return NULL;
}

static void names_are_kept_in_a_file(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct named_setups setups = { 0 };
	struct ft_error err = { 0 };
	unsigned int nr_ready;
	char folder[256], path[300];

	(void)state;
	snprintf(folder, sizeof(folder), "%s/setups-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/record-setups", folder);
	named_setups_read(&setups, path);
	nr_ready = setups.nr;
	assert_true(nr_ready >= 6);
	assert_string_equal(line_of(&setups, "scheduling"), "-e sched -e irq -e irq_vectors -i");
	assert_int_equal(named_setups_put(&setups, path, "mine", "-e 'irq:*' -- make -j2", &err),
			 0);
	assert_int_equal(named_setups_put(&setups, path, "other", "-e x", &err), 0);
	assert_int_equal(named_setups_put(&setups, path, "mine", "-e sched", &err), 0);
	assert_int_equal(named_setups_put(&setups, path, "scheduling", "-e x", &err), -1);
	assert_int_equal(named_setups_put(&setups, path, "a:b", "-e x", &err), -1);
	assert_int_equal(named_setups_put(&setups, path, "", "-e x", &err), -1);
	named_setups_fini(&setups);
	named_setups_read(&setups, path);
	assert_int_equal(setups.nr, nr_ready + 2);
	assert_string_equal(line_of(&setups, "mine"), "-e sched");
	assert_string_equal(line_of(&setups, "other"), "-e x");
	assert_int_equal(named_setups_put(&setups, path, "mine", NULL, &err), 0);
	assert_int_equal(setups.nr, nr_ready + 1);
	assert_null(line_of(&setups, "mine"));
	named_setups_fini(&setups);
	unlink(path);
	rmdir(folder);
}

/* Those that come with the program have to be options. */
static void ready_ones_can_be_read(void **state)
{
	struct named_setups setups = { 0 };

	(void)state;
	named_setups_read(&setups, NULL);
	for (unsigned int i = 0; i < setups.nr; i++) {
		struct record_setup setup = { 0 };
		struct ft_error err = { 0 };
		char *line = strdup(setups.all[i].line), *missing = strstr(line, " -i");

		if (missing)	/* has no field, and is not in the table above */
			*missing = '\0';
		assert_int_equal(record_setup_read(&setup, &record, line, &err), 0);
		assert_true(setup.nr_events || setup.values[SETUP_TRACER].len ||
			    setup.values[SETUP_MORE].len);
		record_setup_fini(&setup);
		free(line);
	}
	named_setups_fini(&setups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_have_fields),
		cmocka_unit_test(what_has_no_field_is_kept),
		cmocka_unit_test(mistakes_leave_it_as_it_was),
		cmocka_unit_test(systems_become_whole_and_parts),
		cmocka_unit_test(patterns_match_as_the_recorder_does),
		cmocka_unit_test(an_event_has_a_filter),
		cmocka_unit_test(names_are_kept_in_a_file),
		cmocka_unit_test(ready_ones_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
