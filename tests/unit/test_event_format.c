/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/event_format.h"
#include "parsers/types/field.h"

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct event_type *parse(struct arena *arena, const char *text, int long_size)
{
	struct source_format *format = arena_alloc(arena, sizeof(*format));
	/* A copy that ends with its last byte, so that a read behind it is noticed. */
	char *copy = mem_strndup(text, strlen(text));
	const struct event_type *type;

	format->system = "sys";
	format->text = copy;
	format->size = (uint32_t)strlen(text);
	type = event_format_parse(arena, format, long_size);
	free(copy);
	return type;
}

static const struct event_field *field(const struct event_type *type, const char *name)
{
	const struct event_field *f = event_type_field(type, name);

	if (!f)
		fail_msg("no field %s", name);
	return f;
}

static const char odd_event[] =
	"name: odd_event\nID: 314\nformat:\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long count;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long where;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:48;\tsize:8;\tsigned:0;\n"
	"\tfield:u8 addr[6];\toffset:56;\tsize:6;\tsigned:0;\n"
	"\tfield:s16 deltas[3];\toffset:62;\tsize:6;\tsigned:1;\n"
	"\tfield:__data_loc char[] path;\toffset:68;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u64[] list;\toffset:72;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t cpus;\toffset:76;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc unsigned long[] mask;\toffset:80;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc unsigned long[] longs;\toffset:84;\tsize:4;\tsigned:0;\n"
	"\tfield:struct thing t;\toffset:88;\tsize:8;\tsigned:0;\n"
	"\tfield:void (*fn)(int);\toffset:96;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long args[];\toffset:104;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: \"%s 100%% %*d %lu %pS %s\" \" %s\", REC->comm, 3, REC->pid, REC->count, "
	"(void *)REC->where, __print_symbolic(REC->count, { 1, \"a,b\" }), __get_bitmask(mask)\n";

static const struct {
	const char *name, *type;
	unsigned int offset, size, element;
	enum field_kind kind;
	bool is_signed, relative;
} odd_fields[] = {
	{ "common_type", "unsigned short", 0, 2, 2, FIELD_UINT, false, false },
	{ "common_pid", "int", 4, 4, 4, FIELD_SINT, true, false },
	{ "comm", "char[16]", 8, 16, 1, FIELD_STRING, true, false },
	{ "pid", "pid_t", 24, 4, 4, FIELD_SINT, true, false },
	{ "count", "unsigned long", 32, 8, 8, FIELD_UINT, false, false },
	{ "where", "unsigned long", 40, 8, 8, FIELD_POINTER, false, false },
	{ "filename", "const char *", 48, 8, 8, FIELD_POINTER, false, false },
	{ "addr", "u8[6]", 56, 6, 1, FIELD_ARRAY, false, false },
	{ "deltas", "s16[3]", 62, 6, 2, FIELD_ARRAY, true, false },
	{ "path", "__data_loc char[]", 68, 4, 1, FIELD_DYNAMIC_STRING, true, false },
	{ "list", "__rel_loc u64[]", 72, 4, 8, FIELD_DYNAMIC_ARRAY, false, true },
	{ "cpus", "__data_loc cpumask_t", 76, 4, 8, FIELD_BITMASK, false, false },
	{ "mask", "__data_loc unsigned long[]", 80, 4, 8, FIELD_BITMASK, false, false },
	{ "longs", "__data_loc unsigned long[]", 84, 4, 8, FIELD_DYNAMIC_ARRAY, false, false },
	{ "t", "struct thing", 88, 8, 8, FIELD_OPAQUE, false, false },
	{ "fn", "void (*fn)(int)", 96, 8, 8, FIELD_POINTER, false, false },
	{ "args", "unsigned long[]", 104, 0, 8, FIELD_ARRAY, false, false },
};

static void test_names_offsets_and_kinds(void **state)
{
	struct arena arena = { 0 };
	const struct event_type *type = parse(&arena, odd_event, 8);

	(void)state;
	assert_non_null(type);
	assert_string_equal(type->name, "odd_event");
	assert_string_equal(type->system, "sys");
	assert_int_equal(type->id, 314);
	assert_int_equal(type->nr_fields, 19);
	assert_int_equal(type->nr_common, 4);
	assert_int_equal(type->size, 104);
	assert_memory_equal(type->print_fmt, "\"%s 100%%", 9);
	for (size_t i = 0; i < sizeof(odd_fields) / sizeof(odd_fields[0]); i++) {
		const struct event_field *f = field(type, odd_fields[i].name);

		assert_string_equal(f->type, odd_fields[i].type);
		assert_int_equal(f->offset, odd_fields[i].offset);
		assert_int_equal(f->size, odd_fields[i].size);
		assert_int_equal(f->element_size, odd_fields[i].element);
		assert_int_equal(f->kind, odd_fields[i].kind);
		if (f->kind != FIELD_STRING && f->kind != FIELD_DYNAMIC_STRING)
			assert_int_equal(f->is_signed, odd_fields[i].is_signed);
		assert_int_equal(f->is_relative, odd_fields[i].relative);
		assert_int_equal(f->is_common, f->offset < 8);
	}
	arena_fini(&arena);
}

static void test_long_of_32_bit(void **state)
{
	static const char text[] =
		"name: f\nID: 1\nformat:\n" COMMON
		"\tfield:unsigned long ip;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:unsigned long caller[8];\toffset:12;\tsize:32;\tsigned:0;\n"
		"\tfield:unsigned long args[];\toffset:44;\tsize:0;\tsigned:0;\n";
	struct arena arena = { 0 };
	const struct event_type *type = parse(&arena, text, 4);

	(void)state;
	assert_non_null(type);
	assert_string_equal(type->print_fmt, "");
	assert_int_equal(field(type, "ip")->kind, FIELD_POINTER);
	assert_int_equal(field(type, "caller")->element_size, 4);
	assert_int_equal(field(type, "args")->element_size, 4);
	arena_fini(&arena);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"name:",
		"name: \nID: 4\n",
		"nome: x\nID: 4\nformat:\n" COMMON,
		"name: x\nformat:\n" COMMON,
		"name: x\nID: -3\nformat:\n" COMMON,
		"name: x\nID: 99999999999\nformat:\n" COMMON,
		"name: x\nID: 4\nformat:\n\tfield:int;\toffset:0;\tsize:4;\n",
		"name: x\nID: 4\nformat:\n\tfield:int a;\toffset:70000;\tsize:4;\n",
		"name: x\nID: 4\nformat:\n\tfield:int a;\toffset:0;\tsize:99999999999999;\n",
		"name: x\nID: 4\nformat:\n\tfield:int a;\toffset:-1;\tsize:4;\n",
		"name: x\nID: 4\nformat:\n\tfield:int a;\tsize:4;\n",
		"name: x\nID: 4\nformat:\n\tfield:int a",
	};
	struct arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse(&arena, bad[i], 8))
			fail_msg("accepted: %s", bad[i]);
	arena_fini(&arena);
}

/* What stands behind a NUL is no part of the format. */
static void test_text_with_nul(void **state)
{
	static const char text[] = "name: x\nID: 4\nformat:\n" COMMON
				   "\tfield:char comm[17\0];\toffset:8;\tsize:16;\n";
	struct source_format format = { .text = text, .size = sizeof(text) - 1 };
	struct arena arena = { 0 };

	(void)state;
	assert_null(event_format_parse(&arena, &format, 8));
	arena_fini(&arena);
}

/* A format cut anywhere is refused or gives fewer fields; no read leaves the text. */
static void test_cut_at_every_byte(void **state)
{
	static const char text[] =
		"name: x\nID: 4\nformat:\n" COMMON
		"\tfield:__data_loc char[] path;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\nprint fmt: \"%s %*p\", __get_str(path), REC->x\n";
	struct arena arena = { 0 };

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		char cut[sizeof(text)];
		const struct event_type *type;

		memcpy(cut, text, len);
		cut[len] = '\0';
		type = parse(&arena, cut, 8);
		if (type)
			assert_in_range(type->nr_fields, 0, 5);
	}
	arena_fini(&arena);
}

static void put(uint8_t *p, uint64_t v, int width, bool big)
{
	for (int i = 0; i < width; i++)
		p[big ? width - 1 - i : i] = (uint8_t)(v >> (8 * i));
}

static void test_loads_in_both_byte_orders(void **state)
{
	static const struct event_field s4 = { .offset = 4, .size = 4, .kind = FIELD_SINT };
	static const struct event_field u8 = { .offset = 8, .size = 8, .kind = FIELD_UINT };
	static const struct event_field s2 = { .offset = 16, .size = 2, .kind = FIELD_SINT };
	static const struct event_field past = { .offset = 13, .size = 8, .kind = FIELD_UINT };

	(void)state;
	for (int big = 0; big < 2; big++) {
		bool swap = big != HOST_BIG_ENDIAN;
		uint8_t data[20] = { 0 };

		put(data + 4, (uint64_t)-5, 4, big);
		put(data + 8, 0x1122334455667788, 8, big);
		put(data + 16, 0x8001, 2, big);
		assert_int_equal((int64_t)field_u64(&s4, data, sizeof(data), swap), -5);
		assert_true(field_u64(&u8, data, sizeof(data), swap) == 0x1122334455667788);
		assert_int_equal((int64_t)field_u64(&s2, data, sizeof(data), swap), -32767);
		assert_int_equal(field_u64(&past, data, sizeof(data), swap), 0);
		assert_int_equal(field_u64(&s2, data, 17, swap), 0);
	}
}

static void test_places_of_bytes(void **state)
{
	static const struct event_field text = {
		.offset = 4, .size = 8, .element_size = 1, .kind = FIELD_STRING
	};
	static const struct event_field tail = {
		.offset = 20, .size = 0, .element_size = 4, .kind = FIELD_ARRAY
	};
	static const struct event_field path = { .offset = 0, .size = 4, .element_size = 1,
						 .kind = FIELD_DYNAMIC_STRING,
						 .is_dynamic = true };
	static const struct event_field rel = { .offset = 0, .size = 4, .element_size = 2,
						.kind = FIELD_DYNAMIC_ARRAY,
						.is_dynamic = true, .is_relative = true };

	(void)state;
	for (int big = 0; big < 2; big++) {
		bool swap = big != HOST_BIG_ENDIAN;
		uint8_t data[30] = { 0 };
		struct field_span span;

		memcpy(data + 4, "abc\0defg", 8);
		put(data, 6 << 16 | 8, 4, big);		/* 6 bytes at 8; relative: at 12 */
		span = field_bytes(&text, data, sizeof(data), swap);
		assert_int_equal(span.len, 3);
		assert_ptr_equal(span.data, data + 4);
		span = field_bytes(&text, data, 6, swap);	/* record ends inside */
		assert_int_equal(span.len, 2);
		span = field_bytes(&tail, data, sizeof(data), swap);
		assert_int_equal(span.len, 8);
		span = field_bytes(&path, data, sizeof(data), swap);
		assert_ptr_equal(span.data, data + 8);
		assert_int_equal(span.len, 4);
		span = field_bytes(&rel, data, sizeof(data), swap);
		assert_ptr_equal(span.data, data + 12);
		assert_int_equal(span.len, 6);
		span = field_bytes(&rel, data, 15, swap);
		assert_int_equal(span.len, 2);
		put(data, 0xffffffff, 4, big);
		assert_null(field_bytes(&path, data, sizeof(data), swap).data);
		assert_null(field_bytes(&path, data, 3, swap).data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_offsets_and_kinds),
		cmocka_unit_test(test_long_of_32_bit),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_text_with_nul),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_loads_in_both_byte_orders),
		cmocka_unit_test(test_places_of_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
