/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locale - the C library's functions for characters, with two locales: C, and C.UTF-8 if the
 * environment names a UTF-8 locale.  The C library's own functions read locale files, which may be
 * missing or belong to another version of it.  Only functions that this program and ncurses call
 * are here.
 */
#include <errno.h>
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
#include <wctype.h>

#include "src/base/text.h"
#include "src/static/widths.h"

static bool is_utf8;

static bool names_utf8(const char *name)
{
	const char *set = name ? strchr(name, '.') : NULL;
	size_t len = set ? strcspn(++set, "@") : 0;

	return (len == 5 && !strncasecmp(set, "UTF-8", len)) ||
	       (len == 4 && !strncasecmp(set, "UTF8", len));
}

/* The name for characters, in the order that POSIX says. */
static const char *name_in_environment(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *name = getenv(variables[i]);

		if (name && *name)
			return name;
	}
	return NULL;
}

/* setlocale(), see Makefile.am */
char *__wrap_setlocale(int category, const char *name);

char *__wrap_setlocale(int category, const char *name)
{
	static char c[] = "C", utf8[] = "C.UTF-8";

	if (name && (category == LC_ALL || category == LC_CTYPE))
		is_utf8 = names_utf8(*name ? name : name_in_environment());
	return is_utf8 && (category == LC_ALL || category == LC_CTYPE) ? utf8 : c;
}

/* Only src/base/text.c asks for one, for wcwidth(), which is the same in both. */
locale_t newlocale(int mask, const char *name, locale_t base)
{
	static struct __locale_struct any;

	(void)mask;
	(void)name;
	return base ? base : &any;
}

locale_t uselocale(locale_t locale)
{
	return locale;
}

char *nl_langinfo(nl_item item)
{
	static char ascii[] = "ANSI_X3.4-1968", utf8[] = "UTF-8", none[] = "";

	if (item != CODESET)
		return none;
	return is_utf8 ? utf8 : ascii;
}

/* Messages are those of the C locale. */
char *dcgettext(const char *domain, const char *message, int category)
{
	(void)domain;
	(void)category;
	return (char *)(uintptr_t)message;
}

/* The name by which glibc calls it. */
char *__dcgettext(const char *domain, const char *message, int category)
	__attribute__((alias("dcgettext")));

/* --- from bytes, and to bytes --------------------------------------------------------------- */

/* Those of a state are not here: ncurses has each character whole. */
int mbtowc(wchar_t *restrict wc, const char *restrict s, size_t len)
{
	uint32_t c;
	size_t nr;

	if (!s)
		return 0;
	if (!len)
		return -1;
	nr = text_decode(s, len, &c);
	if (is_utf8 ? nr == 1 && c >= 0x80 : (unsigned char)*s >= 0x80) {
		errno = EILSEQ;
		return -1;
	}
	if (wc)
		*wc = (wchar_t)c;
	return c ? (int)nr : 0;
}

int mblen(const char *s, size_t len)
{
	return mbtowc(NULL, s, len);
}

size_t wcrtomb(char *restrict s, wchar_t wc, mbstate_t *restrict state)
{
	uint32_t c = (uint32_t)wc;
	size_t nr = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	(void)state;
	if (!s)
		return 1;
	if (c > (is_utf8 ? 0x10ffff : 0x7f) || (c >= 0xd800 && c < 0xe000)) {
		errno = EILSEQ;
		return (size_t)-1;
	}
	for (size_t i = nr - 1; i; i--, c >>= 6)
		s[i] = (char)(0x80 | (c & 0x3f));
	s[0] = (char)(nr == 1 ? c : (0xf00 >> nr & 0xff) | c);
	return nr;
}

/* Characters of one byte are those of ASCII. */
wint_t btowc(int c)
{
	return c >= 0 && c < 0x80 ? (wint_t)c : WEOF;
}

int wctob(wint_t c)
{
	return c < 0x80 ? (int)c : EOF;
}

/* --- widths --------------------------------------------------------------------------------- */

int wcwidth(wchar_t wc)
{
	const uint32_t c = (uint32_t)wc;
	size_t low = 0, high = sizeof(widths) / sizeof(widths[0]);

	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c > 0x10ffff)
		return c ? -1 : 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c > widths[middle].last)
			low = middle + 1;
		else if (c < widths[middle].first)
			high = middle;
		else
			return widths[middle].cells;
	}
	return 1;
}

int iswprint(wint_t c)
{
	return c && wcwidth((wchar_t)c) >= 0;
}
