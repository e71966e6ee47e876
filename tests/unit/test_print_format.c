/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/event_format.h"
#include "parsers/print/kernel_constants.h"
#include "parsers/print/print_format.h"
#include "parsers/print/print_lexer.h"
#include "parsers/text/value_names.h"
#include "src/base/text.h"

#define FIELDS                                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"          \
	"\tfield:long prev_state;\toffset:8;\tsize:8;\tsigned:1;\n"                                \
	"\tfield:int bar;\toffset:16;\tsize:4;\tsigned:1;\n"                                       \
	"\tfield:u8 mac[6];\toffset:20;\tsize:6;\tsigned:0;\n"                                     \
	"\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:1;\n"                        \
	"\tfield:__data_loc u32[] list;\toffset:32;\tsize:4;\tsigned:0;\n\nprint fmt: "

static const struct event_type *make_type(struct arena *arena, const char *print_fmt)
{
	struct source_format *format = arena_alloc(arena, sizeof(*format));
	struct text text = { 0 };
	const struct event_type *type;

	text_printf(&text, "name: foo\nID: 7\n%s%s\n", FIELDS, print_fmt);
	format->system = "sys";
	format->text = text_str(&text);
	format->size = (uint32_t)text.len;
	type = event_format_parse(arena, format, 8);
	text_fini(&text);
	assert_non_null(type);
	return type;
}

static const struct print_format *parse(struct arena *arena, const char *print_fmt, int long_size)
{
	return print_format_parse(arena, make_type(arena, print_fmt), long_size);
}

/* What C makes of an expression of numbers on a machine whose long has these bytes. */
static void check_value(const char *expression, int long_size, uint64_t expected)
{
	struct arena arena = { 0 };
	const struct print_format *format;
	struct text fmt = { 0 };
	uint64_t v = 0;

	text_printf(&fmt, "\"%%d\", %s", expression);
	format = parse(&arena, text_str(&fmt), long_size);
	if (format->failed || format->nr != 1 || !print_constant(format->segments[0].arg, &v))
		fail_msg("%s: %s", expression, format->failed ? "not understood" : "no constant");
	if (v != expected)
		fail_msg("%s: 0x%llx, not 0x%llx", expression, (unsigned long long)v,
			 (unsigned long long)expected);
	text_fini(&fmt);
	arena_fini(&arena);
}

/* The compiler that builds this is the judge, of expressions as no one should write them. */
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#define SAME(...) check_value(#__VA_ARGS__, sizeof(long), (uint64_t)(__VA_ARGS__))

static void test_constants_are_those_of_c(void **state)
{
	(void)state;
	SAME(1 + 2 * 3);
	SAME((1 + 2) * 3);
	SAME(7 - 2 - 1);
	SAME(1 << 3 | 1 << 2 & 0xf);
	SAME(10 / 3 % 2);
	SAME(-7 / 2);
	SAME(-7 % 3);
	SAME(-1 < 1U);
	SAME(-1 < 1L);
	SAME(-1L < 1U);
	SAME(0xffffffff + 1);
	SAME(0xffffffffU >> 4);
	SAME(-16 >> 2);
	SAME(0x80000000);
	SAME(2147483648);
	SAME(~0);
	SAME(~0U);
	SAME(~0UL);
	SAME(!5 + !0);
	SAME(3 == 3 && 2 > 1 || 0);
	SAME(1 ? 2 : 3);
	SAME(0 ? 2 : 1 ? 4 : 5);
	SAME((unsigned char)300);
	SAME((signed char)200);
	SAME((unsigned short)-1);
	SAME((int)0xfffffffe);
	SAME((long)(int)-2 + 5UL);
	SAME((unsigned long)-4095);
	SAME((unsigned int)(((8388625) & ((1U << 20) - 1))));
	SAME(sizeof(int) + sizeof(unsigned long) * sizeof(char));
	SAME(sizeof(unsigned long long));
	SAME('a' + '\n' + '\x41' + '\101');
	SAME(((((0x00000000 | 0x00000001 | 0x00000002) + 1) << 1) - 1));
	SAME(6 ^ 3 & 5);
	SAME(1 != 2 == 1);
	SAME(- -5);
	SAME(-(int)5);
	SAME((unsigned char)-1 - (unsigned char)1);
	check_value("sizeof(long)", 4, 4);
	check_value("(unsigned long)-1", 4, 0xffffffff);
	check_value("~0UL", 4, 0xffffffff);
	check_value("sizeof(REC->bar) + sizeof(REC->mac)", 8, 10);
	check_value("(u8)-1 + (s16)0x18000", 8, (uint64_t)(0xff - 0x8000));
	check_value("HRTIMER_SOFTIRQ", 8, 8);
	check_value("__builtin_expect(!!(5), 0)", 8, 1);
	check_value("__builtin_constant_p(5) ? 1 : 2", 8, 2);
	check_value("({ int x = (7); long y = 9; ((x) < (y) ? (x) : (y)); })", 8, 7);
	check_value(
		"({ long r; static struct s f = { .line = 5, }; r = __builtin_expect(!!(3), 0); r; })",
		8, 1);
	check_value("(unsigned long long)(((ktime_t) { .tv64 = 12 }).tv64)", 8, 12);
}

static void test_segments(void **state)
{
	struct arena arena = { 0 };
	const struct print_format *f = parse(
		&arena,
		"\"a%%b \\\"%-08.3lx|%*.*s\\t\" \"%#hhu %pI6c,%pS.%phD\", REC->bar, 3, 4, REC->mac,"
		" REC->bar, REC->mac, REC->prev_state, __get_dynamic_array(list)",
		8);

	(void)state;
	assert_false(f->failed);
	assert_int_equal(f->nr, 13);
	assert_false(f->segments[0].is_value);
	assert_memory_equal(f->segments[0].text, "a", f->segments[0].len);
	assert_memory_equal(f->segments[1].text, "%b \"", f->segments[1].len);
	assert_int_equal(f->segments[2].conversion, 'x');
	assert_int_equal(f->segments[2].flags, FLAG_LEFT | FLAG_ZERO);
	assert_int_equal(f->segments[2].width, 8);
	assert_int_equal(f->segments[2].precision, 3);
	assert_int_equal(f->segments[2].length, LENGTH_LONG);
	assert_memory_equal(f->segments[3].text, "|", 1);
	assert_non_null(f->segments[4].width_arg);
	assert_non_null(f->segments[4].precision_arg);
	assert_string_equal(f->segments[4].arg->field->name, "mac");
	assert_memory_equal(f->segments[5].text, "\t", f->segments[5].len);
	assert_int_equal(f->segments[6].length, LENGTH_CHAR);
	assert_int_equal(f->segments[6].flags, FLAG_ALTERNATE);
	assert_string_equal(f->segments[8].extension, "I6c");
	assert_string_equal(f->segments[10].extension, "S");
	assert_string_equal(f->segments[12].extension, "hD");
	arena_fini(&arena);
}

static void test_trees(void **state)
{
	struct arena arena = { 0 };
	const struct print_format *f = parse(
		&arena,
		"\"%d %d %d %s\", (REC)->bar, (u32 *)__get_dynamic_array(list)[1], "
		"((u32 *)__get_dynamic_array(list))[2], REC->bar & 1 ? __get_str(name) : \"none\"",
		8);
	const struct print_node *arg;

	(void)state;
	assert_false(f->failed);
	assert_int_equal(f->nr, 7);
	assert_int_equal(f->segments[0].arg->kind, NODE_FIELD);
	arg = f->segments[4].arg;
	assert_int_equal(arg->kind, NODE_INDEX);
	assert_int_equal(arg->type.bytes, 4);
	assert_false(arg->type.is_signed);
	assert_int_equal(arg->a->kind, NODE_CAST);
	arg = f->segments[6].arg;
	assert_int_equal(arg->kind, NODE_COND);
	assert_int_equal(arg->a->op, OP_AND);
	assert_int_equal(arg->b->call, CALL_STR);
	assert_string_equal(arg->c->text, "none");
	arena_fini(&arena);
}

static void check_fails(const char *print_fmt)
{
	struct arena arena = { 0 };
	const struct print_format *f = parse(&arena, print_fmt, 8);

	if (!f->failed)
		fail_msg("%s: parsed", print_fmt);
	assert_int_equal(f->nr, 0);
	arena_fini(&arena);
}

static void test_what_cannot_be_read_fails(void **state)
{
	(void)state;
	check_fails("REC->bar");
	check_fails("\"%d");
	check_fails("\"%d\"");
	check_fails("\"%d\", REC->nothing");
	check_fails("\"%d\", REC->bar +");
	check_fails("\"%d\", (REC->bar");
	check_fails("\"%d\", REC->bar REC->bar");
	check_fails("\"%s\", ({ switch (REC->bar) { } })");
	check_fails("\"%y\", 1");
	check_fails("\"%d\", 12x");
	check_fails("\"%s\", __print_hex(REC->mac)");
	check_fails("\"%s\", __get_str(nothing)");
	check_fails("\"%d\", 'a");
	check_fails("\"%d\", REC->bar.x");
}

/* Brackets, operators and casts in each other, more than anybody needs. */
static void test_depth_is_bounded(void **state)
{
	static const char *const pieces[] = { "(",    "-",   "!",       "(int)",
					      "1 ? ", "1+(", "sizeof(", "__print_hex(",
					      "*" };
	struct text text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct arena arena = { 0 };

		text_clear(&text);
		text_add(&text, "\"%d\", ");
		for (int k = 0; k < 20000; k++)
			text_add(&text, pieces[i]);
		assert_true(parse(&arena, text_str(&text), 8)->failed);
		arena_fini(&arena);
	}
	text_clear(&text);
	text_add(&text, "\"%d\", 1");
	for (int k = 0; k < 20000; k++)		/* a chain to the left is a tree as well */
		text_add(&text, "+1");
	check_fails(text_str(&text));
	text_fini(&text);
}

/* --- names of values ---------------------------------------------------- */

static const struct value_names *find_names(struct arena *arena, const char *print_fmt,
					    const char *field)
{
	const struct event_type *type = make_type(arena, print_fmt);
	const struct print_format *format = print_format_parse(arena, type, 8);

	assert_false(format->failed);
	return value_names_find(arena, format, event_type_field(type, field));
}

static void test_names_of_flags_and_symbols(void **state)
{
	struct arena arena = { 0 };
	const struct value_names *n = find_names(
		&arena,
		"\"%s\", __print_symbolic((int)REC->bar, { 0, \"zero\" }, { -1, \"minus\" }, "
		"{ 1 << 4, \"a\" \"b\" }, { UNKNOWN, \"no\" } )",
		"bar");

	(void)state;
	assert_non_null(n);
	assert_false(n->flags);
	assert_int_equal(n->nr, 3);
	assert_string_equal(n->names[0].name, "zero");
	assert_true(n->names[1].value == UINT64_MAX);
	assert_string_equal(n->names[2].name, "ab");
	assert_int_equal(n->names[2].value, 16);
	assert_null(
		find_names(&arena,
			   "\"%d %s\", REC->bar, __print_symbolic(REC->prev_state, { 0, \"x\" })",
			   "bar"));
	assert_null(
		find_names(&arena, "\"%s\", __print_symbolic(REC->bar >> 4, { 0, \"x\" })", "bar"));
	arena_fini(&arena);
}

/* sched_switch of Linux 6.1, shortened: the names hold what is written beside the table, too. */
static void test_names_of_task_states(void **state)
{
	static const char fmt[] =
		"\"%s%s\", (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002) + 1) << 1) - 1)) ? "
		"__print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002) + 1) << 1) - 1), \"|\", "
		"{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }) : \"R\", "
		"REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002) + 1) << 1) ? \"+\" : \"\"";
	struct arena arena = { 0 };
	const struct value_names *n = find_names(&arena, fmt, "prev_state");
	static const struct value_name expected[] = {
		{ "R", 0 }, { "S", 1 }, { "D", 2 }, { "+", 8 }
	};

	(void)state;
	assert_non_null(n);
	assert_true(n->flags);
	assert_int_equal(n->nr, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(n->names[i].name, expected[i].name);
		assert_int_equal(n->names[i].value, expected[i].value);
	}
	arena_fini(&arena);
}

/* Values of the kernel's headers; names of all parts of the table are found. */
static void test_constants_of_the_kernel(void **state)
{
	static const struct { const char *name; uint64_t value; } known[] = {
		{ "DEV_PM_QOS_FLAGS", 5 }, { "FAULT_FLAG_VMA_LOCK", 0x1000 },
		{ "I_DIRTY_SYNC", 0x10 }, { "I_NEW", 1 },
		{ "I_WB_SWITCH", 0x2000 }, { "NVME_AER_VS", 7 }, { "TCP_CLOSE", 7 },
		{ "VM_FAULT_COMPLETED", 0x4000 },
		{ "nvme_admin_dbbuf", 0x7c }, { "nvme_cmd_read", 2 },
		{ "nvme_fabrics_type_auth_receive", 6 },
	};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_true(kernel_constant(known[i].name, &value));
		assert_int_equal(value, known[i].value);
	}
	assert_false(kernel_constant("I_DIRTY", &value));
	assert_false(kernel_constant("", &value));
}

/*
 * Names that may be a symbol's: what C and print formats mean by themselves is none, nor a number,
 * nor what is too long.
 */
static void test_words_that_may_be_symbols(void **state)
{
	static const char *const symbols[] = { "_stext", "jiffies_64", "__per_cpu_start",
					       "a",      "_",          "RECs",
					       "u",      "u128",       "longs" };
	static const char *const others[] = { "", "REC", "unsigned", "long", "u8", "__u64", "s64",
					      "sizeof", "struct", "bool",
					      "size_t", "pid_t", "NULL", "true", "__force", "0",
					      "0x10", "64s", "a-b", "a b", "a.b", "\xc3\xa4" };
	char name[PRINT_SYMBOL_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (!print_word_is_symbol(symbols[i], strlen(symbols[i])))
			fail_msg("%s may be a symbol", symbols[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (print_word_is_symbol(others[i], strlen(others[i])))
			fail_msg("%s is no symbol", others[i]);
	/* Of a text that goes on, the word alone counts. */
	assert_true(print_word_is_symbol("_stext + 1", 6));
	assert_true(print_word_is_symbol("NULLs", 5));
	assert_false(print_word_is_symbol("NULLs", 4));
	/* 63 letters and a NUL are the most. */
	memset(name, 'a', sizeof(name));
	assert_true(print_word_is_symbol(name, 63));
	assert_false(print_word_is_symbol(name, 64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constants_are_those_of_c),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_what_cannot_be_read_fails),
		cmocka_unit_test(test_depth_is_bounded),
		cmocka_unit_test(test_names_of_flags_and_symbols),
		cmocka_unit_test(test_names_of_task_states),
		cmocka_unit_test(test_constants_of_the_kernel),
		cmocka_unit_test(test_words_that_may_be_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
