/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/btf.h"
#include "tests/lib/made_btf.h"

static void test_arguments(void **state)
{
	struct btf_argument args[6];
	struct made_btf m;
	struct btf *btf;

	(void)state;
	made_btf_make(&m);
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
	struct made_btf m, whole;
	unsigned int refused = 0;

	(void)state;
	made_btf_make(&whole);
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
