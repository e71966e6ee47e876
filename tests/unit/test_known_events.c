/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/events/known_events.h"

/* Who else knows: a colour is red, a pair has "by". */
static int check_colour(const char *text, struct ft_error *err)
{
	return strcmp(text, "red") ? ft_error_set(err, FT_E_FORMAT, -1, "%s is not red", text) : 0;
}

static int check_pair(const char *text, struct ft_error *err)
{
	return strstr(text, " by ") ? 0 : ft_error_set(err, FT_E_FORMAT, -1, "no by");
}

static int any(const char *text, struct ft_error *err)
{
	(void)err;
	return *text ? 0 : -1;
}

static const struct known_checks checks = { check_colour, check_pair };

static void test_lines_of_the_program_are_right(void **state)
{
	const struct known_checks accept = { any, any };
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(known_events_check(&accept, &err), 0);
	assert_string_equal(err.message, "");
}

static void test_names_with_stars(void **state)
{
	static const struct {
		const char	*names, *name, *star;	/* star: NULL = the name is not listed */
	} cases[] = {
		{ "a", "a", "" },
		{ "a", "ab", NULL },
		{ "ab", "a", NULL },
		{ "x a y", "a", "" },
		{ "x \t a", "a", "" },
		{ "*", "a", "a" },
		{ "sys_enter_*", "sys_enter_read", "read" },
		{ "*_entry", "local_timer_entry", "local_timer" },
		{ "tasklet_*entry", "tasklet_hi_entry", "hi_" },
		{ "tasklet_*entry", "tasklet_entry", "" },
		/* its ends must not overlap */
		{ "ab*ba", "aba", NULL },
		{ "", "a", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct known_star star = { "", 0 };
		const char *expected = cases[i].star;

		assert_int_equal(known_events_lists(cases[i].names, cases[i].name,
						    strlen(cases[i].name), &star),
				 expected != NULL);
		assert_int_equal(star.len, expected ? strlen(expected) : 0);
		assert_memory_equal(star.s, expected ?: "", star.len);
	}
}

static const char *said(enum known_word word, const char *system, const char *name)
{
	return known_events_text(word, system, name, NULL) ?: "nothing";
}

static void test_the_first_line_of_an_event_counts(void **state)
{
	static const char own[] = "# mine\n"
				  "system mine \n"
				  "  names my_* \r\n"
				  "\tcolour red\n"
				  "\n"
				  "event my_start my_stop*\n"
				  "sentence {TASK} has {what} of {cost:us}{ret:error}.\n"
				  "short\t{state:off|on}\n"
				  "pattern what={what:string} {}\n"
				  "pattern {what:string}\n"
				  "system sched\n"
				  "event sched_switch\n"
				  "colour red\n"
				  "kind mine\n"
				  "measures how long it took\n"
				  "instance It took {duration}\n"
				  "pair mine a -> b by pid\n"
				  "pair other a -> b by pid";
	struct ft_error err = { 0 };
	const struct known_line *line;
	unsigned int at = 0;

	(void)state;
	assert_string_equal(said(KNOWN_COLOUR, "sched", "sched_switch"), "event.sched");
	assert_int_equal(known_events_add(own, "own", &checks, &err), 0);
	assert_string_equal(said(KNOWN_SENTENCE, "mine", "my_start"),
			    "{TASK} has {what} of {cost:us}{ret:error}.");
	assert_string_equal(said(KNOWN_SHORT, "mine", "my_stop_now"), "{state:off|on}");
	assert_string_equal(said(KNOWN_SHORT, "other", "my_start"), "nothing");
	assert_string_equal(said(KNOWN_COLOUR, "mine", "my_other"), "red");
	assert_string_equal(said(KNOWN_SENTENCE, "mine", "my_other"), "nothing");
	/* before the program's own */
	assert_string_equal(said(KNOWN_COLOUR, "sched", "sched_switch"), "red");
	assert_string_equal(said(KNOWN_COLOUR, "sched", "sched_waking"), "event.sched");
	assert_string_equal(known_events_kind(KNOWN_INSTANCE, "mine"), "It took {duration}");
	assert_null(known_events_kind(KNOWN_INSTANCE, "other"));
	line = known_events_next(KNOWN_PATTERN, &at);
	assert_string_equal(line->text, "what={what:string} {}");
	line = known_events_next(KNOWN_PATTERN, &at);
	assert_string_equal(line->text, "{what:string}");
	assert_true(line->is_own);
	line = known_events_next(KNOWN_PATTERN, &at);
	assert_false(line->is_own);
	at = 1;
	line = known_events_next(KNOWN_PAIR, &at);
	assert_string_equal(line->text, "other a -> b by pid");
	at = 0;
	line = known_events_next(KNOWN_NAMES, &at);
	assert_string_equal(line->of, "mine");
	assert_string_equal(line->names, "my_*");
}

static void test_mistakes_are_told(void **state)
{
	static const struct {
		const char	*contents, *message;
	} cases[] = {
		{ "phrase x", "f:1: no line begins with phrase" },
		{ "\n\nsystem", "f:3: a name must be behind system" },
		{ "event x", "f:1: event must be below a system" },
		{ "sentence x", "f:1: sentence must be below a system or event" },
		{ "system s\nkind k\nshort x", "f:3: short must be below a system or event" },
		{ "system s\npattern {a}", "f:2: pattern must be below an event" },
		{ "system s\nevent e\nnames x", "f:3: names must be below a system" },
		{ "system s\nmeasures x", "f:2: measures must be below a kind" },
		{ "system s\nshort", "f:2: a text must be behind short" },
		{ "system s\nshort {a", "f:2: a { is not closed: {a" },
		{ "system s\nshort {a:caller}", "f:2: there is no way caller in a short" },
		{ "system s\nsentence {a:state}", "f:2: there is no way state in a sentence" },
		{ "system s\nevent e\npattern {a:hex}", "f:3: there is no way hex in a pattern" },
		{ "system s\nevent e\npattern {a;b}", "f:3: a;b cannot be a field" },
		{ "system s\nevent e\npattern {a:int 4s x}",
		  "f:3: there is no way int 4s x in a pattern" },
		{ "system t\nevent a b*\nsentence x\nevent b* c\nsentence x\nevent c\nshort x\n"
		  "event b2\nsentence y",
		  "f:9: b2 has a sentence already, above" },
		{ "system s\ncolour green", "f:2: green is not red" },
		{ "pair x a b", "f:1: no by" },
		/* the first mistake is told; what is right counts */
		{ "system q\nshort {b\nevent w\nshort good\nshort {a",
		  "f:2: a { is not closed: {b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ft_error err = { 0 };

		assert_int_equal(known_events_add(cases[i].contents, "f", &checks, &err), -1);
		assert_string_equal(err.message, cases[i].message);
	}
	assert_string_equal(said(KNOWN_SHORT, "q", "w"), "good");
	assert_string_equal(said(KNOWN_SHORT, "q", "v"), "nothing");
}

static void write_file(const char *folder, const char *name, const char *contents)
{
	char path[200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(contents, file);
	fclose(file);
}

static void test_files_of_a_folder(void **state)
{
	char folder[] = "/tmp/ftop-events-XXXXXX", expected[300], path[200];
	static const char *const names[] = { "b.events", "a.events", "c.txt", ".d.events" };
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(known_events_read(NULL, &checks, &err), 0);
	assert_int_equal(known_events_read("/nowhere", &checks, &err), 0);
	assert_non_null(mkdtemp(folder));
	write_file(folder, "b.events", "system f\nsentence second\n");
	write_file(folder, "a.events", "system f\nsentence first\noops\n");
	write_file(folder, "c.txt", "not read");
	write_file(folder, ".d.events", "not read");
	assert_int_equal(known_events_read(folder, &checks, &err), -1);
	snprintf(expected, sizeof(expected), "%s/a.events:3: no line begins with oops", folder);
	assert_string_equal(err.message, expected);
	assert_string_equal(said(KNOWN_SENTENCE, "f", "e"), "first");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

/* What LTTng calls events, and what is said of them then. */
static void test_other_names(void **state)
{
	char to[KNOWN_NAME_BYTES];
	struct known_star star;

	(void)state;
	assert_string_equal(known_events_theirs("irq", "softirq_entry", to), "irq_softirq_entry");
	assert_string_equal(known_events_kernels("irq", "irq_softirq_entry", to), "softirq_entry");
	assert_string_equal(known_events_kernels("power", "power_cpu_idle", to), "cpu_idle");
	assert_null(known_events_theirs("sched", "softirq_entry", to));
	assert_null(known_events_kernels("irq", "softirq_entry", to));
	assert_string_equal(known_events_system("syscall_entry_read", 18), "syscalls");
	assert_null(known_events_system("lttng_statedump_start", 21));
	assert_string_equal(known_events_text(KNOWN_SENTENCE, "syscalls", "syscall_exit_read",
					      &star),
			    known_events_text(KNOWN_SENTENCE, "syscalls", "sys_exit_read", NULL));
	assert_string_equal(star.s, "read");
	assert_int_equal(star.len, 4);
	assert_string_equal(known_events_text(KNOWN_COLOUR, "irq", "irq_softirq_exit", NULL),
			    known_events_text(KNOWN_COLOUR, "irq", "softirq_exit", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_the_program_are_right),
		cmocka_unit_test(test_names_with_stars),
		cmocka_unit_test(test_the_first_line_of_an_event_counts),
		cmocka_unit_test(test_mistakes_are_told),
		cmocka_unit_test(test_files_of_a_folder),
		cmocka_unit_test(test_other_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
