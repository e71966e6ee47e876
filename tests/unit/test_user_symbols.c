/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/user_symbols.h"

#define ALWAYS	" 0 18446744073709551615 "

static struct user_symbols *parsed(const char *text)
{
	struct user_symbols *s = user_symbols_new();

	user_symbols_add(s, text, strlen(text));
	user_symbols_sort(s);
	return s;
}

static void expect(const struct user_symbols *s, int tgid, uint64_t raw, uint64_t address,
		   const char *exact, const char *plain)
{
	const struct user_time when = { raw, 0, UINT64_MAX };
	const struct user_map *map = user_symbols_map(s, tgid, &when, address);
	struct user_place place;
	struct text t = { 0 };

	if (!exact) {
		assert_false(user_symbols_place(s, map, address, &place));
		return;
	}
	assert_true(user_symbols_place(s, map, address, &place));
	user_place_text(&place, true, &t);
	assert_string_equal(text_str(&t), exact);
	text_clear(&t);
	user_place_text(&place, false, &t);
	assert_string_equal(text_str(&t), plain);
	text_fini(&t);
}

/*
 *   7f0000001000  libfoo.so from byte 0x2000: foo at 0x2100..0x2180, bar at 0x2180..0x2200
 *   7f0000003000
 */
static void test_places(void **state)
{
	struct user_symbols *s = parsed("file ab12 offset /usr/lib/libfoo.so\n"
					"file - offset [vdso]\n"
					"map 7 7f0000001000-7f0000003000 2000" ALWAYS "0\n"
					"map 7 7ffc00000000-7ffc00002000 0" ALWAYS "1\n"
					"map 7 500000-600000 0" ALWAYS "-\n"
					"name 0 2180-2200 ns::bar(int, char)\n"
					"name 0 2100-2180 foo\n"
					"name 1 a00-a80 __vdso_gettimeofday\n");
	uint32_t nr;

	(void)state;
	assert_string_equal(user_symbols_files(s, &nr)[0].build_id, "ab12");
	assert_int_equal(nr, 2);
	expect(s, 7, 5, 0x7f0000001000, "libfoo.so+0x2000", "libfoo.so+0x2000");
	expect(s, 7, 5, 0x7f00000010ff, "libfoo.so+0x20ff", "libfoo.so+0x20ff");
	expect(s, 7, 5, 0x7f0000001100, "foo+0x0 [libfoo.so]", "foo [libfoo.so]");
	expect(s, 7, 5, 0x7f000000117f, "foo+0x7f [libfoo.so]", "foo [libfoo.so]");
	expect(s, 7, 5, 0x7f0000001180, "ns::bar(int, char)+0x0 [libfoo.so]",
	       "ns::bar(int, char) [libfoo.so]");
	expect(s, 7, 5, 0x7f0000001200, "libfoo.so+0x2200", "libfoo.so+0x2200");
	expect(s, 7, 5, 0x7f0000002fff, "libfoo.so+0x3fff", "libfoo.so+0x3fff");
	expect(s, 7, 5, 0x7f0000003000, NULL, NULL);
	expect(s, 7, 5, 0x7f0000000fff, NULL, NULL);
	expect(s, 7, 5, 0x7ffc00000a04, "__vdso_gettimeofday+0x4 [vdso]",
	       "__vdso_gettimeofday [vdso]");
	expect(s, 7, 5, 0x550000, NULL, NULL);	/* no file */
	expect(s, 8, 5, 0x7f0000001100, NULL, NULL);
	expect(s, 6, 5, 0x7f0000001100, NULL, NULL);
	user_symbols_free(s);
}

/* One address, at which two files are mapped one after the other. */
static void test_times(void **state)
{
	struct user_symbols *s = parsed("file - offset /a\nfile - offset /b\nfile - offset /c\n"
					"map 7 1000-9000 0 200 300 0\n"
					"map 7 2000-3000 0 500 600 1\n"
					/* as the first, mapped again */
					"map 7 1000-9000 0 800 900 0\n"
					"map 7 a000-b000 0 500 600 2\n");

	(void)state;
	/* only one was ever at 1800: at any time */
	expect(s, 7, 100, 0x1800, "a+0x800", "a+0x800");
	expect(s, 7, 450, 0x1800, "a+0x800", "a+0x800");
	expect(s, 7, 999, 0x1800, "a+0x800", "a+0x800");
	expect(s, 7, 0, 0xa800, "c+0x800", "c+0x800");
	/* between two different ones it is not known which */
	expect(s, 7, 100, 0x2800, "a+0x1800", "a+0x1800");
	expect(s, 7, 200, 0x2800, "a+0x1800", "a+0x1800");
	expect(s, 7, 300, 0x2800, "a+0x1800", "a+0x1800");
	expect(s, 7, 301, 0x2800, NULL, NULL);
	expect(s, 7, 499, 0x2800, NULL, NULL);
	expect(s, 7, 500, 0x2800, "b+0x800", "b+0x800");
	expect(s, 7, 600, 0x2800, "b+0x800", "b+0x800");
	expect(s, 7, 700, 0x2800, NULL, NULL);
	expect(s, 7, 850, 0x2800, "a+0x1800", "a+0x1800");
	user_symbols_free(s);
}

/* Only what was seen while one program ran counts, at any time of it. */
static void test_programs(void **state)
{
	static const struct {
		struct user_time when;
		const char	*path;		/* NULL: none; "?": not known which */
	} cases[] = {
		{ { 250, 0, UINT64_MAX }, "?" },
		{ { 250, 0, 249 }, "/a" },
		{ { 250, 201, UINT64_MAX }, "/b" },
		{ { 250, 200, 300 }, "?" },
		{ { 250, 201, 299 }, NULL },
		{ { 150, 120, 180 }, "/a" },
	};
	struct user_symbols *s = parsed(
		"file - offset /a\nfile - offset /b\n"
		"map 7 1000-2000 0 100 200 0\nmap 7 1000-2000 0 300 400 1\n");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct user_map *map = user_symbols_map(s, 7, &cases[i].when, 0x1800);
		struct user_place place;

		assert_int_equal(!map, !cases[i].path);
		if (!map)
			continue;
		assert_int_equal(map == &user_map_unsure, !strcmp(cases[i].path, "?"));
		if (user_symbols_place(s, map, 0x1800, &place))
			assert_string_equal(place.file->path, cases[i].path);
	}
	user_symbols_free(s);
}

/* A long mapping below many short ones; two that were there at the same time make it doubtful. */
static void test_nested(void **state)
{
	struct text t = { 0 };
	struct user_symbols *s;

	(void)state;
	text_add(&t, "file - offset /long\nfile - offset /short\n"
		     "map 1 1000-1000000 0 0 4 0\nmap 1 1000-1000000 0 7 99 0\n");
	for (unsigned int i = 0; i < 200; i++)
		text_printf(&t, "map 1 %x-%x 0 5 8 1\n", 0x2000 + i * 16, 0x2008 + i * 16);
	s = parsed(text_str(&t));
	expect(s, 1, 9, 0xfffff, "long+0xfefff", "long+0xfefff");
	expect(s, 1, 5, 0x2c70, "short+0x0", "short+0x0");
	expect(s, 1, 5, 0x2c78, "long+0x1c78", "long+0x1c78");
	expect(s, 1, 7, 0x2c70, NULL, NULL);
	user_symbols_free(s);
	text_fini(&t);
}

static void test_malformed(void **state)
{
	struct user_symbols *s = parsed("file zz offset /ok\nfile - inode /what\nfile\n\n"
					"map 7 1000-2000 0" ALWAYS "0\n"
					"map 7 3000-2000 0" ALWAYS "0\n"
					"map 7 4000-5000 0" ALWAYS "9\n"
					"map 99999999999 4000-5000 0" ALWAYS "0\n"
					"map 7 6000-11111111111111111 0" ALWAYS "0\n"
					"map 7 7000-8000 0 18446744073709551616 1 0\n"
					"map 7 7000-8000 0" ALWAYS "0 \n"
					"map 7 7000-8000 0" ALWAYS "\n"
					"name 0 10-10 none\nname 0 20-10 none\nname 0 10-20 \n"
					"name 5 0-ffffffffffffffff none\nname 0 30-40 last");
	uint32_t nr;

	(void)state;
	assert_string_equal(user_symbols_files(s, &nr)[0].build_id, "");
	assert_int_equal(nr, 3);
	assert_string_equal(user_symbols_files(s, &nr)[1].path, "");
	user_symbols_maps(s, &nr);
	assert_int_equal(nr, 2);
	expect(s, 7, 1, 0x1010, "ok+0x10", "ok+0x10");
	expect(s, 7, 1, 0x1030, "last+0x0 [ok]", "last [ok]");
	expect(s, 7, 1, 0x2000, NULL, NULL);
	expect(s, 7, 1, 0x4000, NULL, NULL);	/* its file does not exist */
	expect(s, 7, 1, 0x7000, NULL, NULL);
	user_symbols_free(s);
}

/* trace-cmd's text, add_pid_maps() in tracecmd/trace-record.c */
static void test_procmaps(void **state)
{
	static const char one[] = "1f 4 /bin/prog\n"
				  "400000 401000 /bin/prog\n401000 403000 /bin/prog\n"
				  "7f0000000000 7f0000004000 /lib/a b.so\n"
				  "7f0000008000 7f0000009000 /lib/a b.so\n";
	static const char two[] = "20 1 x\n5000 6000 /bin/prog\nbroken\n7000 /x\n";
	struct user_symbols *s = user_symbols_new();
	uint32_t nr;

	(void)state;
	user_symbols_add_procmaps(s, one, sizeof(one));
	user_symbols_add_procmaps(s, two, sizeof(two));
	user_symbols_add_procmaps(s, "", 0);
	user_symbols_add_procmaps(s, "xyz\n1 2 /a\n", 11);
	user_symbols_sort(s);
	assert_true(user_symbols_files(s, &nr)[0].by_address);
	expect(s, 0x1f, 1, 0x400123, "prog+0x123", "prog+0x123");
	expect(s, 0x1f, 1, 0x402123, "prog+0x2123", "prog+0x2123");
	expect(s, 0x1f, 1, 0x7f0000008001, "a b.so+0x8001", "a b.so+0x8001");
	expect(s, 0x20, 1, 0x5001, "prog+0x1", "prog+0x1");
	expect(s, 0x20, 1, 0x7000, NULL, NULL);
	user_symbols_free(s);
}

/* What is written is read back. */
static void test_lines(void **state)
{
	static const char text[] = "file ab12 offset /usr/lib/x y.so\nfile - address [vdso]\n"
				   "map 7 500000-600000 0 5 6 -\n"
				   "map 7 7f0000001000-7f0000003000 2000" ALWAYS "1\n";
	struct user_symbols *s = parsed(text);
	uint32_t nr_files, nr_maps;
	const struct user_file *files = user_symbols_files(s, &nr_files);
	const struct user_map *maps = user_symbols_maps(s, &nr_maps);
	struct text t = { 0 };

	(void)state;
	for (uint32_t i = 0; i < nr_files; i++)
		user_file_line(&files[i], &t);
	for (uint32_t i = 0; i < nr_maps; i++)
		user_map_line(&maps[i], &t);
	assert_string_equal(text_str(&t), text);
	user_symbols_free(s);
	text_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),    cmocka_unit_test(test_times),
		cmocka_unit_test(test_programs),  cmocka_unit_test(test_nested),
		cmocka_unit_test(test_malformed), cmocka_unit_test(test_procmaps),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
