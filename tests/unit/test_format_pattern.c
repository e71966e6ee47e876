/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/print/format_pattern.h"
#include "src/base/text.h"

#define FIELDS                                                                                     \
	"name: foo\nID: 7\nformat:\n"                                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"                   \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"                                 \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"                                     \
	"\tfield:dev_t dev;\toffset:28;\tsize:4;\tsigned:0;\n"                                     \
	"\tfield:u64 ino;\toffset:32;\tsize:8;\tsigned:0;\n"                                       \
	"\tfield:__data_loc char[] name;\toffset:40;\tsize:4;\tsigned:0;\n"                        \
	"\tfield:u8 mode;\toffset:44;\tsize:1;\tsigned:0;\n"                                       \
	"\tfield:unsigned long ip;\toffset:48;\tsize:8;\tsigned:0;\n"                              \
	"\tfield:const char * why;\toffset:56;\tsize:8;\tsigned:0;\n"                              \
	"\tfield:u32 list[4];\toffset:64;\tsize:16;\tsigned:0;\n\nprint fmt: "

#define COMM "{comm:comm 16s char[16]}"	/* a char has a sign */
#define PID "{pid:number 4s pid_t}"

/* What becomes of a print format; NULL: nothing. */
static void check(const char *system, const char *print_fmt, const char *expected)
{
	const struct text_slice name = { "foo", 3 };
	struct line_formats *formats = line_formats_new();
	struct text text = { 0 };
	struct line_known known;
	unsigned int at = 0;
	bool found;

	text_printf(&text, "%s%s\n", FIELDS, print_fmt);
	format_pattern_read(formats,
			    &(struct source_format){ .system = system, .text = text_str(&text),
							 .size = (uint32_t)text.len },
			    8);
	found = line_known_next(formats, name, &at, &known);
	if (expected) {
		assert_true(found);
		assert_string_equal(known.pattern, expected);
		assert_string_equal(known.system, system);
		found = line_known_next(formats, name, &at, &known);
	}
	assert_false(found);
	line_formats_free(formats);
	text_fini(&text);
}

static void test_plain_conversions_have_the_type_of_their_field(void **state)
{
	(void)state;
	check("s", "\"comm=%s pid=%d\", REC->comm, REC->pid", "comm=" COMM " pid=" PID);
	check("s", "\"%-16s %5d: %#llx\", REC->comm, (int)REC->pid, (unsigned long long)REC->ino",
	      COMM " " PID ": {ino:address 8u u64}");
	check("s", "\"  n=%s 0%o %c %u%%\", __get_str(name), REC->mode, REC->pid, REC->dev",
	      "n={name:string} 0{mode:octal 1u u8} {pid:char 4s pid_t} {dev:number 4u dev_t}%");
	check("s", "\"%pS\", (void *)REC->ip", "{ip:symbol 8p unsigned long}");
	check("s", "\"{%p} %d\\n%d\", REC->why, REC->pid, REC->mode",
	      "{{{why:address 8p const char *}} " PID);
	/* only where there is something to print */
	check("s", "\"ino=%lu\", REC->ino != -1UL ? REC->ino : 0", "ino={ino:number 8u u64}");
}

static void test_what_is_computed_is_as_printed(void **state)
{
	(void)state;
	check("s", "\"m=%s\", __print_symbolic(REC->mode, { 0, \"A\" }, { 1, \"B\" })",
	      "m={mode:printed}");
	check("s", "\"%s\", REC->why", "{why:printed}");
	/* the field has its number, so this is another one */
	check("s", "\"mode=%u [action=%s]\", REC->mode, __print_symbolic(REC->mode, { 0, \"A\" })",
	      "mode={mode:number 1u u8} [action={action:printed}]");
	check("s", "\"pages=%u\", 1 << REC->mode", "pages={pages:number}");
	check("s", "\"pages: %x\", REC->mode + REC->pid", "pages: {pages:address}");
	/* it would not be what the field is */
	check("s", "\"mode=%u\", REC->mode * 4", "mode={mode:printed}");
	check("s", "\"%u\", REC->mode + REC->pid", "{:number}");
	check("s", "\"%u,%u\", REC->list[0], REC->list[1]", "{:number},{:number}");
}

static void test_two_conversions_of_a_field_are_one_value(void **state)
{
	(void)state;
	check("s",
	      "\"%d,%d x\", ((unsigned int) ((REC->dev) >> 20)), "
	      "((unsigned int) ((REC->dev) & ((1U << 20) - 1)))",
	      "{dev:device} x");
	check("s", "\"%llu.%06llu\", REC->ino / 1000, REC->ino % 1000", "{ino:printed}");
	check("s", "\"%s%s \", REC->pid & 1 ? \"a\" : \"b\", REC->pid & 2 ? \"+\" : \"\"",
	      "{pid:printed} ");
	check("s", "\"%d %d\", REC->pid, REC->pid", PID " {:number}");
}

static void test_formats_that_cannot_be_used(void **state)
{
	(void)state;
	/* the kernel has texts of its own for these */
	check("ftrace", "\"%d\", REC->pid", NULL);
	check("s", "\"nothing\"", NULL);
	check("s", "\"%d\", REC->", NULL);
	check("s", "\"%d", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_conversions_have_the_type_of_their_field),
		cmocka_unit_test(test_what_is_computed_is_as_printed),
		cmocka_unit_test(test_two_conversions_of_a_field_are_one_value),
		cmocka_unit_test(test_formats_that_cannot_be_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
