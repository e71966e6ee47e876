/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions for characters of the program that is one file, beside those of the C library in
 * its locale C.UTF-8.
 */
#include <errno.h>
#include <gnu/libc-version.h>
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
#include <wctype.h>

/* Under other names, so that both can be called. */
#define newlocale	own_newlocale
#define uselocale	own_uselocale
#define nl_langinfo	own_nl_langinfo
#define mbtowc		own_mbtowc
#define mblen		own_mblen
#define wcrtomb		own_wcrtomb
#define btowc		own_btowc
#define wctob		own_wctob
#define wcwidth		own_wcwidth
#define iswprint	own_iswprint
locale_t newlocale(int mask, const char *name, locale_t base);
locale_t uselocale(locale_t locale);
char *nl_langinfo(nl_item item);
int mbtowc(wchar_t *wc, const char *s, size_t len);
int mblen(const char *s, size_t len);
size_t wcrtomb(char *s, wchar_t wc, mbstate_t *state);
wint_t btowc(int c);
int wctob(wint_t c);
int wcwidth(wchar_t wc);
int iswprint(wint_t c);
#include "src/static/locale.c"
#undef nl_langinfo
#undef mbtowc
#undef mblen
#undef wcrtomb
#undef btowc
#undef wctob
#undef wcwidth
#undef iswprint

static int set_up(void **state)
{
	(void)state;
	return setlocale(LC_ALL, "C.UTF-8") ? 0 : -1;
}

/* What the environment says, and what that is. */
static void test_names(void **state)
{
	static const struct {
		const char	*all, *ctype, *lang, *is;
	} cases[] = {
		{ NULL, NULL, NULL, "ANSI_X3.4-1968" },
		{ NULL, NULL, "C", "ANSI_X3.4-1968" },
		{ NULL, NULL, "de_DE", "ANSI_X3.4-1968" },
		{ NULL, NULL, "de_DE.ISO-8859-1", "ANSI_X3.4-1968" },
		{ NULL, NULL, "UTF-8", "ANSI_X3.4-1968" },
		{ NULL, NULL, "C.UTF-8", "UTF-8" },
		{ NULL, NULL, "en_US.utf8", "UTF-8" },
		{ NULL, NULL, "de_DE.UTF-8@euro", "UTF-8" },
		{ NULL, "C.UTF-8", "C", "UTF-8" },
		{ "", "", "C.UTF-8", "UTF-8" },
		{ "C", "C.UTF-8", "C.UTF-8", "ANSI_X3.4-1968" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const values[] = { cases[i].all, cases[i].ctype, cases[i].lang };
		static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

		for (size_t k = 0; k < 3; k++)
			if (values[k])
				setenv(names[k], values[k], 1);
			else
				unsetenv(names[k]);
		assert_string_equal(__wrap_setlocale(LC_ALL, "") + 1,
				    *cases[i].is == 'U' ? ".UTF-8" : "");
		assert_string_equal(own_nl_langinfo(CODESET), cases[i].is);
	}
}

/* Each character, to bytes and back. */
static void test_characters(void **state)
{
	(void)state;
	__wrap_setlocale(LC_ALL, "C.UTF-8");
	for (wchar_t c = 1; c < 0x110000; c++) {
		char own[8] = "", theirs[8] = "";
		mbstate_t shift = { 0 };
		size_t nr = wcrtomb(theirs, c, &shift);
		wchar_t back = 0;

		assert_int_equal(own_wcrtomb(own, c, NULL), nr);
		assert_int_equal(own_btowc(c), btowc(c));
		assert_int_equal(own_wctob((wint_t)c), wctob((wint_t)c));
		if (nr == (size_t)-1)
			continue;
		assert_memory_equal(own, theirs, nr);
		assert_int_equal(own_mbtowc(&back, own, nr), nr);
		assert_int_equal(back, c);
		if (nr > 1)	/* not all has come */
			assert_int_equal(own_mblen(own, nr - 1), -1);
	}
}

/* Bytes of all kinds, at the limits of what is allowed. */
static void test_bytes(void **state)
{
	static const unsigned char some[] = { 0,    'a',  0x7f, 0x80, 0x8f, 0x90, 0x9f,
					      0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
					      0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff };
	const size_t nr = sizeof(some);

	(void)state;
	__wrap_setlocale(LC_ALL, "C.UTF-8");
	for (size_t i = 0; i < nr * nr * nr * nr; i++) {
		const char bytes[4] = { (char)some[i % nr], (char)some[i / nr % nr],
					(char)some[i / nr / nr % nr],
					(char)some[i / nr / nr / nr] };
		wchar_t own = 0, theirs = 0;
		int len = mbtowc(&theirs, bytes, sizeof(bytes));

		if (len < 0)
			mbtowc(NULL, NULL, 0);
		if (theirs > 0x10ffff)	/* glibc goes beyond Unicode */
			len = -1;
		assert_int_equal(own_mbtowc(&own, bytes, sizeof(bytes)), len);
		if (len >= 0)
			assert_int_equal(own, theirs);
	}
	__wrap_setlocale(LC_ALL, "C");
	assert_int_equal(own_mblen("a", 1), 1);
	assert_int_equal(own_mblen("\xc3\xa4", 2), -1);
}

/* Characters of which this version of the C library knows nothing may have any width. */
static void test_widths(void **state)
{
	unsigned int compared = 0;

	(void)state;
	if (strcmp(gnu_get_libc_version(), "2.36")) {
		print_message("skipped: the table is of glibc 2.36, this is %s\n",
			      gnu_get_libc_version());
		skip();
	}
	for (wchar_t c = 0; c < 0x110000; c++) {
		int width = wcwidth(c);

		if (width < 0 && c >= 0xa0)
			continue;
		if (own_wcwidth(c) != width || !own_iswprint((wint_t)c) != !iswprint((wint_t)c))
			fail_msg("U+%04X: %d cells, not %d", (unsigned int)c, own_wcwidth(c),
				 width);
		compared++;
	}
	assert_in_range(compared, 200000, 0x110000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_characters),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_widths),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
