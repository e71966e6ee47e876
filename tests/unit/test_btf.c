/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/btf.h"

/*
 * A BTF made by hand: int f(unsigned u, const char *p, enum e v, struct s by_value), and a second
 * static f(void).
 */
struct made {
	uint8_t		bytes[512];
	uint32_t	len;
};

static void put(struct made *m, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		m->bytes[m->len++] = (uint8_t)(v >> (8 * i));
}

#define STRINGS "\0int\0unsigned\0char\0f\0u\0p\0v\0e\0ONE\0TWO\0s\0by_value\0"
enum { S_INT = 1, S_UNSIGNED = 5, S_CHAR = 14, S_F = 19, S_U = 21, S_P = 23, S_V = 25, S_E = 27,
       S_ONE = 29, S_TWO = 33,
       S_S = 37, S_BY_VALUE = 39 };

static uint32_t info(unsigned int kind, unsigned int nr)
{
	return kind << 24 | nr;
}

static void make(struct made *m)
{
	uint32_t types, types_end;

	memset(m, 0, sizeof(*m));
	put(m, 0x0001eb9f);
	put(m, 24);
	m->len = 24;
	types = m->len;
	/* 1: int, signed */
	put(m, S_INT), put(m, info(1, 0)), put(m, 4), put(m, 1u << 24 | 32);
	/* 2: unsigned */
	put(m, S_UNSIGNED), put(m, info(1, 0)), put(m, 4), put(m, 32);
	/* 3: char */
	put(m, S_CHAR), put(m, info(1, 0)), put(m, 1), put(m, 8);
	/* 4: const char */
	put(m, 0), put(m, info(10, 0)), put(m, 3);
	/* 5: const char * */
	put(m, 0), put(m, info(2, 0)), put(m, 4);
	/* 6: enum e */
	put(m, S_E), put(m, info(6, 2)), put(m, 4);
	put(m, S_ONE), put(m, 1), put(m, S_TWO), put(m, (uint32_t)-2);
	/* 7: struct s, 16 bytes */
	put(m, S_S), put(m, info(4, 0)), put(m, 16);
	/* 8: its prototype */
	put(m, 0), put(m, info(13, 4)), put(m, 1);
	put(m, S_U), put(m, 2), put(m, S_P), put(m, 5), put(m, S_V), put(m, 6), put(m, S_BY_VALUE),
		put(m, 7);
	put(m, S_F), put(m, info(12, 0)), put(m, 8);					/* 9: f */
	/* 10: int (void) */
	put(m, 0), put(m, info(13, 0)), put(m, 1);
	/* 11: another f */
	put(m, S_F), put(m, info(12, 0)), put(m, 10);
	types_end = m->len;
	memcpy(m->bytes + m->len, STRINGS, sizeof(STRINGS));
	m->len += sizeof(STRINGS);
	m->len = 8;
	put(m, types - 24);
	put(m, types_end - types);
	put(m, types_end - 24);
	put(m, sizeof(STRINGS));
	m->len = types_end + sizeof(STRINGS);
}

static void test_arguments(void **state)
{
	struct btf_argument args[6];
	struct made m;
	struct btf *btf;

	(void)state;
	make(&m);
	btf = btf_new(m.bytes, m.len);
	assert_non_null(btf);
	/* the first one of the name */
	assert_int_equal(btf_arguments(btf, "f", BTF_FIRST, args, 6), 4);
	assert_string_equal(args[0].name, "u");
	assert_int_equal(args[0].kind, BTF_UNSIGNED);
	assert_string_equal(args[1].name, "p");
	assert_int_equal(args[1].kind, BTF_POINTER);
	assert_int_equal(args[2].kind, BTF_ENUM);
	assert_string_equal(btf_enum_name(btf, &args[2], 1), "ONE");
	assert_string_equal(btf_enum_name(btf, &args[2], -2), "TWO");
	assert_null(btf_enum_name(btf, &args[2], 3));
	assert_int_equal(args[3].kind, BTF_COMPOUND);
	assert_string_equal(args[3].what, "STRUCT");
	assert_int_equal(args[3].size, 16);
	assert_int_equal(args[0].bits, 32);
	/* of two the second */
	assert_int_equal(btf_arguments(btf, "f", BTF_AS_LIBTRACEEVENT, args, 6), 0);
	assert_int_equal(btf_arguments(btf, "g", BTF_AS_LIBTRACEEVENT, args, 6), -1);
	/* a type, and no function */
	assert_int_equal(btf_arguments(btf, "int", BTF_FIRST, args, 6), -1);
	btf_free(btf);
}

/* Cut anywhere, and every byte wrong once: it must be read to its end or refused. */
static void test_damage(void **state)
{
	struct btf_argument args[6];
	struct made m, whole;
	unsigned int refused = 0;

	(void)state;
	make(&whole);
	for (uint32_t len = 0; len < whole.len; len++) {
		struct btf *btf = btf_new(whole.bytes, len);

		refused += !btf;
		btf_free(btf);
	}
	assert_int_equal(refused, whole.len);		/* the strings lie at its end */
	for (uint32_t i = 0; i < whole.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			struct btf *btf;
			int nr;

			m = whole;
			m.bytes[i] ^= (uint8_t)(1 << bit);
			btf = btf_new(m.bytes, m.len);
			nr = btf_arguments(btf, "f", BTF_FIRST, args, 6);
			assert_in_range(nr + 1, 0, 65536);
			for (int a = 0; a < nr && a < 6; a++)
				if (args[a].kind == BTF_ENUM)
					btf_enum_name(btf, &args[a], 1);
			btf_free(btf);
		}
	assert_null(btf_new("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
