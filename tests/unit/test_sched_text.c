/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/text/sched_text.h"

/* Linux 6.1 */
static const char newer[] =
	"\"prev_comm=%s prev_state=%s%s ==> next_comm=%s\", REC->prev_comm, (REC->prev_state & ((((0x00000000 | 0x00000001 | "
	"0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ? "
	"__print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | "
	"0x00000020 | 0x00000040) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, "
	"{ 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : "
	"\"R\", REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | "
	"0x00000040) + 1) << 1) ? \"+\" : \"\", REC->next_comm";

/* Linux 3.x to 4.13 */
static const char older[] =
	"\"prev_state=%s%s\", REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & (1024-1), \"|\", { 1, \"S\"} , "
	"{ 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, "
	"{ 512, \"P\" }) : \"R\", REC->prev_state & 1024 ? \"+\" : \"\"";

static void check(const char *fmt, uint64_t state, const char *expected)
{
	struct sched_states states;
	struct text t = { 0 };

	sched_states_parse(&states, fmt);
	sched_states_text(&states, state, &t);
	assert_string_equal(text_str(&t), expected);
	text_fini(&t);
}

static void test_states_of_the_format(void **state)
{
	(void)state;
	check(newer, 0, "R");
	check(newer, 1, "S");
	check(newer, 2, "D");
	check(newer, 0x80, "I");
	check(newer, 0x20, "Z");
	check(newer, 0x42, "D|P");
	check(newer, 0x100, "R+");
	check(older, 16, "Z");
	check(older, 32, "X");
	check(older, 130, "D|K");
	check(older, 512, "P");
	check(older, 1024, "R+");
	check(older, 0x400 | 1, "S+");
}

static void check_release(const char *fmt, const char *release, uint64_t state,
			  const char *expected)
{
	struct sched_states states;
	struct text t = { 0 };

	sched_states_parse(&states, fmt);
	sched_states_doubt(&states, release);
	sched_states_text(&states, state, &t);
	assert_string_equal(text_str(&t), expected);
	text_fini(&t);
}

/*
 * Linux 4.14 to 4.19 recorded fls(state): __get_task_state() in include/linux/sched.h.  Its bits
 * are S 1, D 2, T 3, t 4, X 5, Z 6, P 7, I 8.
 */
static void test_numbers_of_bits(void **state)
{
	static const char *const letters[] = {
		"R", "S", "D", "T", "T or t", "X", "Z", "P", "t or I"
	};

	(void)state;
	for (unsigned int i = 0; i <= 8; i++) {
		check_release(newer, "4.14.0", i, letters[i]);
		check_release(newer, "", i, letters[i]);
	}
	check_release(newer, "4.14.0", 0x80, "I");
	check_release(newer, "4.14.0", 0x100, "R+");
	check_release(newer, "6.1.0", 8, "t");
	check_release(newer, "4.20.1", 6, "D|T");
	check_release(older, "", 8, "t");
	check_release(older, "4.13.9", 6, "D|T");
	assert_int_equal(sched_states_evidence(6), SCHED_STATES_ARE_NUMBERS);
	assert_int_equal(sched_states_evidence(0x80), SCHED_STATES_ARE_BITS);
	assert_int_equal(sched_states_evidence(0x100), SCHED_STATES_ARE_UNSURE);
	assert_int_equal(sched_states_evidence(8), SCHED_STATES_ARE_UNSURE);
}

static void test_formats_that_tell_nothing(void **state)
{
	static const char *const odd[] = { "", "\"%s\", REC->prev_comm",
					   "__print_flags(REC->prev_state",
					   "__print_flags(REC->prev_state, { ",
					   "__print_flags(REC->prev_state, { x, \"S\" })",
					   "__print_flags(REC->prev_state, { ((((1, \"S\" })",
					   "REC->prev_state & ((( ? \"+\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		check(odd[i], 0x80, "I");
		check(odd[i], 0, "R");
	}
}

/* Brackets beyond any sense do not exhaust the stack. */
static void test_deep_brackets(void **state)
{
	static char fmt[100000] = "__print_flags(REC->prev_state, \"|\", { ";

	(void)state;
	memset(fmt + strlen(fmt), '(', sizeof(fmt) - strlen(fmt) - 1);
	memcpy(fmt + sizeof(fmt) - 10, ", \"S\" })", 9);
	check(fmt, 0x80, "I");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states_of_the_format),
		cmocka_unit_test(test_numbers_of_bits),
		cmocka_unit_test(test_formats_that_tell_nothing),
		cmocka_unit_test(test_deep_brackets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
