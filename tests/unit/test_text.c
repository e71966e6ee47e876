/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <cmocka.h>

#include "src/base/text.h"

#define assert_text(call, expected)                                                                \
	do {                                                                                       \
		struct text t = { 0 };                                                             \
		call;                                                                              \
		assert_string_equal(text_str(&t), expected);                                       \
		assert_int_equal(t.len, strlen(expected));                                         \
		text_fini(&t);                                                                     \
	} while (0)

/* --- the string itself ------------------------------------------------------ */

static void test_grows(void **state)
{
	char letters[301], more[602];
	struct text t = { 0 };

	(void)state;
	memset(letters, 'a', 300);
	letters[300] = '\0';
	assert_string_equal(text_str(&t), "");
	for (size_t len = 0; len <= 300; len++) {
		snprintf(more, sizeof(more), "%.*s-%s", (int)len, letters, letters);
		text_clear(&t);
		assert_string_equal(text_str(&t), "");
		text_bytes(&t, letters, len);
		text_char(&t, '-');
		text_add(&t, letters);
		assert_string_equal(text_str(&t), more);
		assert_int_equal(t.len, len + 301);
		text_fini(&t);
		text_printf(&t, "%.*s-", (int)len, letters);
		text_printf(&t, "%s", letters);
		assert_string_equal(text_str(&t), more);
		text_fini(&t);
		assert_int_equal(t.len, 0);
		assert_string_equal(text_str(&t), "");
		text_pad(&t, len);
		snprintf(more, sizeof(more), "%*s", (int)len, "");
		assert_string_equal(text_str(&t), more);
	}
	text_clear(&t);
	text_add(&t, "long ago");
	text_clear(&t);
	text_pad(&t, 3);
	assert_string_equal(text_str(&t), "   ");
	text_fini(&t);
}

/* In the locale "C", '€' has no bytes. */
static void test_what_cannot_be_printed_adds_nothing(void **state)
{
	struct text t = { 0 };

	(void)state;
	text_add(&t, "a");
	text_printf(&t, "%lc", (wint_t)0x20ac);
	assert_int_equal(t.len, 1);
	text_fini(&t);
}

/* --- durations, times, counts ----------------------------------------------- */

static void test_duration_has_four_digits_and_eight_cells(void **state)
{
	(void)state;
	assert_text(text_duration(&t, 0), "    0 ns");
	assert_text(text_duration(&t, 941), "  941 ns");
	assert_text(text_duration(&t, 999), "  999 ns");
	assert_text(text_duration(&t, 1000), "1.000 µs");
	assert_text(text_duration(&t, 1763), "1.763 µs");
	assert_text(text_duration(&t, 9999), "9.999 µs");
	assert_text(text_duration(&t, 10004), "10.00 µs");
	assert_text(text_duration(&t, 38874), "38.87 µs");
	assert_text(text_duration(&t, 99994), "99.99 µs");
	assert_text(text_duration(&t, 99996), "100.0 µs");
	assert_text(text_duration(&t, 929004), "929.0 µs");
	assert_text(text_duration(&t, 999949), "999.9 µs");
	assert_text(text_duration(&t, 999951), "1.000 ms");
	assert_text(text_duration(&t, 20113490), "20.11 ms");
	assert_text(text_duration(&t, 1204000000), "1.204 s ");
	assert_text(text_duration(&t, 123400000000), "123.4 s ");
}

static void test_trimmed(void **state)
{
	struct text cell = { 0 };

	(void)state;
	assert_text(text_trimmed(&t, &cell), "");
	text_add(&cell, "  ");
	assert_text(text_trimmed(&t, &cell), "");
	text_add(&cell, "1.204 s ");
	assert_text(text_trimmed(&t, &cell), "1.204 s");
	text_fini(&cell);
}

/*
 * The first unit, and the most decimals, with which the value has four digits; seconds may have
 * more.  Half is rounded up.
 */
static void plain_duration(uint64_t ns, char *out, size_t size)
{
	static const char *const names[] = { "µs", "ms", "s " };
	uint64_t unit = 1000, steps, value;

	if (ns < 1000) {
		snprintf(out, size, "%5d ns", (int)ns);
		return;
	}
	for (int u = 0; u < 3; u++, unit *= 1000)
		for (int decimals = 3; decimals > 0; decimals--) {
			steps = decimals == 3 ? 1000 : decimals == 2 ? 100 : 10;
			if (ns / unit >= 10000)
				continue;
			value = ns / unit * steps + (2 * (ns % unit) * steps + unit) / (2 * unit);
			if (value >= 10000)
				continue;
			snprintf(out, size,
				 decimals == 3 ? "%u.%03u %s" :
				 decimals == 2 ? "%u.%02u %s" :
						 "%u.%u %s",
				 (unsigned int)(value / steps), (unsigned int)(value % steps),
				 names[u]);
			return;
		}
	snprintf(out, size, "%5" PRIu64 " s ", ns / 1000000000 + ns / 500000000 % 2);
}

static void test_duration_is_rounded(void **state)
{
	static const unsigned int leading[] = { 1, 2, 5, 7, 10004, 10005, 1234, 12345, 123456, 9999,
						99994, 99995, 99996,
						999949, 99995, 999994, 999995, 10005, 10015 };
	char expected[64];

	(void)state;
	assert_text(text_duration(&t, 999949999999), "999.9 s ");
	assert_text(text_duration(&t, 999950000000), " 1000 s ");
	assert_text(text_duration(&t, 1000499999999), " 1000 s ");
	assert_text(text_duration(&t, 1000500000000), " 1001 s ");
	assert_text(text_duration(&t, 1001499999999), " 1001 s ");
	assert_text(text_duration(&t, 12345678900000), "12346 s ");
	assert_text(text_duration(&t, 18446744073709551), "18446744 s ");
	assert_text(text_duration(&t, 18446744073709552), "18446744 s ");
	assert_text(text_duration(&t, UINT64_MAX), "18446744074 s ");
	for (size_t i = 0; i < sizeof(leading) / sizeof(leading[0]); i++)
		for (uint64_t zeros = 1; zeros < 1000000000000; zeros *= 10)
			for (int beside = -2; beside <= 2; beside++) {
				uint64_t ns = leading[i] * zeros + (uint64_t)(int64_t)beside;

				if (ns > UINT64_MAX / 2)
					continue;
				plain_duration(ns, expected, sizeof(expected));
				assert_text(text_duration(&t, ns), expected);
			}
}

static void test_marks_are_strictly_greater(void **state)
{
	static const struct {
		uint64_t ns;
		char at, above;
	} bounds[] = {
		{ 10000, ' ', '+' },	 { 100000, '+', '!' },	  { 1000000, '!', '#' },
		{ 10000000, '#', '*' },	 { 100000000, '*', '@' }, { 1000000000, '@', '$' },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		assert_int_equal(text_duration_mark(bounds[i].ns), bounds[i].at);
		assert_int_equal(text_duration_mark(bounds[i].ns + 1), bounds[i].above);
	}
}

static void test_seconds_round_as_trace_cmd(void **state)
{
	(void)state;
	assert_text(text_seconds(&t, 7574321499, 6), "7.574321");
	assert_text(text_seconds(&t, 7574321500, 6), "7.574322");
	assert_text(text_seconds(&t, 7999999500, 6), "8.000000");
	assert_text(text_seconds(&t, 7574321342, 9), "7.574321342");
	assert_text(text_seconds(&t, -1500000000, 9), "-1.500000000");
	assert_text(text_seconds(&t, INT64_MAX, 9), "9223372036.854775807");
	assert_text(text_seconds(&t, INT64_MIN, 9), "-9223372036.854775808");
	assert_text(text_seconds(&t, 0, 6), "0.000000");
	assert_text(text_seconds(&t, 1, 9), "0.000000001");
	assert_text(text_seconds(&t, -1, 9), "-0.000000001");
	assert_text(text_seconds(&t, -1500, 6), "-0.000002");
	assert_text(text_seconds(&t, 999999000, 6), "0.999999");
	assert_text(text_seconds(&t, 1000000000, 6), "1.000000");
}

static void test_counts(void **state)
{
	(void)state;
	assert_text(text_count(&t, 0), "0");
	assert_text(text_count(&t, 949), "949");
	assert_text(text_count(&t, 15823), "15 823");
	assert_text(text_count(&t, 66900000), "66 900 000");
	assert_text(text_count(&t, UINT64_MAX), "18 446 744 073 709 551 615");
	assert_text(text_u64(&t, 0), "0");
	assert_text(text_u64(&t, UINT64_MAX), "18446744073709551615");
}

/* --- foreign bytes ---------------------------------------------------------- */

/* Eighths of a cell, rounded. */
static void test_bars(void **state)
{
	static const struct {
		double	    part;
		const char *bar;
	} bars[] = { { 0, "" },	   { 0.01, "" },      { 1.0 / 32, "▏" },
		     { 0.5, "██" }, { 0.61, "██▌" }, { 1, "████" } };
	struct text t = { 0 };

	(void)state;
	for (unsigned int i = 0; i < sizeof(bars) / sizeof(bars[0]); i++) {
		text_clear(&t);
		text_bar(&t, bars[i].part, 4);
		assert_string_equal(text_str(&t), bars[i].bar);
	}
	text_fini(&t);
}

static void printable(struct text *t, const char *s)
{
	text_printable(t, s, strlen(s));
}

static void test_no_control_character_survives(void **state)
{
	struct text shown = { 0 };

	(void)state;
	assert_text(printable(&t, "a\033[31mb"), "a\\e[31mb");
	assert_text(printable(&t, "one\ntwo\tthree\r"), "one\\ntwo\\tthree\\r");
	assert_text(printable(&t, "\xc2\x9b"
				  "31m"),
		    "\\x9b31m");
	assert_text(printable(&t, "bad \xff\xc3"), "bad \\xff\\xc3");
	assert_text(printable(&t, "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5"), "grüß 日");
	assert_text(printable(&t, "\xe2\x80\xae"
				  "abc"),
		    "\\u202eabc");
	assert_text(printable(&t, "\xed\xa0\x80"), "\\xed\\xa0\\x80");
	for (int c = 0; c < 256; c++) {
		char byte = c;

		text_clear(&shown);
		text_printable(&shown, &byte, 1);
		for (size_t i = 0; i < shown.len; i++)
			assert_true((unsigned char)shown.data[i] >= 0x20 &&
				    (unsigned char)shown.data[i] < 0x7f);
	}
	text_fini(&shown);
}

/* UTF-8 by its definition (Unicode, table 3-6).  Return: bytes. */
static size_t encode(uint32_t cp, char *s)
{
	static const struct {
		uint32_t end;
		unsigned char first;
	} lengths[] = { { 0x80, 0 }, { 0x800, 0xc0 }, { 0x10000, 0xe0 }, { 0x110000, 0xf0 } };
	size_t n = 0;

	while (cp >= lengths[n].end)
		n++;
	for (size_t i = n; i; i--, cp >>= 6)
		s[i] = (char)(0x80 | (cp & 0x3f));
	s[0] = (char)(lengths[n].first | cp);
	return n + 1;
}

static bool is_surrogate(uint32_t cp)
{
	return cp >= 0xd800 && cp <= 0xdfff;
}

/*
 * Characters that do not show themselves, but change how others are shown (Unicode 15, chapter 23).
 */
static bool changes_layout(uint32_t cp)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x00ad, 0x00ad },	/* SOFT HYPHEN */
		{ 0x061c, 0x061c },	/* ARABIC LETTER MARK */
		{ 0x200b, 0x200f },	/* ZERO WIDTH SPACE, NON-JOINER, JOINER,
					   LEFT-TO-RIGHT MARK, RIGHT-TO-LEFT MARK */
		{ 0x2028, 0x2029 },	/* LINE SEPARATOR, PARAGRAPH SEPARATOR */
		{ 0x202a, 0x202e },	/* embeddings, POP DIRECTIONAL FORMATTING, overrides */
		{ 0x2060, 0x2064 },	/* WORD JOINER, invisible operators */
		{ 0x2065, 0x2065 },	/* reserved for such */
		{ 0x2066, 0x2069 },	/* isolates, POP DIRECTIONAL ISOLATE */
		{ 0x206a, 0x206f },	/* deprecated format characters */
		{ 0xfeff, 0xfeff },	/* ZERO WIDTH NO-BREAK SPACE */
		{ 0xfff9, 0xfffb },	/* interlinear annotation */
		{ 0xe0000, 0xe0fff },	/* tags, variation selectors; the plane's
					   default ignorable code points */
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return true;
	return false;
}

static bool is_control(uint32_t cp)
{
	return cp <= 0x1f || (cp >= 0x7f && cp <= 0x9f);
}

static void test_what_is_escaped(void **state)
{
	(void)state;
	assert_text(printable(&t, " !AZaz~"), " !AZaz~");
	assert_text(text_printable(&t, "one two", 3), "one");
	assert_text(printable(&t, "\x01\x1f\x7f"), "\\x01\\x1f\\x7f");
	/* C1 ends before NO-BREAK SPACE */
	assert_text(printable(&t, "\xc2\x80\xc2\x9f\xc2\xa0"), "\\x80\\x9f\xc2\xa0");
	/* U+FFFD that the text has itself */
	assert_text(printable(&t, "\xef\xbf\xbd"), "\xef\xbf\xbd");
	assert_text(printable(&t, "e\xcc\x81"), "e\xcc\x81");		/* COMBINING ACUTE ACCENT */
	assert_text(printable(&t, "\xcd\xb8"), "\\u0378");		/* not assigned */
	assert_text(printable(&t, "\xef\xbf\xbf"), "\\uffff");		/* no character */
	/* U+10000, a syllable */
	assert_text(printable(&t, "\xf0\x90\x80\x80"), "\xf0\x90\x80\x80");
	assert_text(printable(&t, "\xf3\xa0\x80\x81"), "\\U000e0001");
}

static void test_every_character(void **state)
{
	struct text shown = { 0 }, json = { 0 };
	char utf8[4], escape[16];

	(void)state;
	for (uint32_t cp = 0; cp < 0x110000; cp++) {
		size_t n = encode(cp, utf8);
		bool layout = changes_layout(cp), control = is_control(cp);

		if (is_surrogate(cp))
			continue;
		text_clear(&shown);
		text_clear(&json);
		text_printable(&shown, utf8, n);
		text_json(&json, utf8, n);
		/* what stands in the text, or an escape that names it */
		assert_true((layout || control) <= (shown.data[0] == '\\' && shown.len > 1));
		if (layout) {
			snprintf(escape, sizeof(escape),
				 cp == 0xad   ? "\\xad" :
				 cp < 0x10000 ? "\\u%04x" :
						"\\U%08x",
				 cp);
			assert_string_equal(text_str(&shown), escape);
		}
		if (cp == '\n' || cp == '\t' || cp == '"' || cp == '\\')
			snprintf(escape, sizeof(escape), "\\%c",
				 cp == '\n' ? 'n' :
				 cp == '\t' ? 't' :
					      (int)cp);
		else if ((layout || control) && cp < 0x10000)
			snprintf(escape, sizeof(escape), "\\u%04x", cp);
		else if (layout)	/* RFC 8259: a pair of surrogates */
			snprintf(escape, sizeof(escape), "\\u%04x\\u%04x",
				 0xd800 + (cp - 0x10000) / 0x400, 0xdc00 + cp % 0x400);
		else
			snprintf(escape, sizeof(escape), "%.*s", (int)n, utf8);
		assert_string_equal(text_str(&json), escape);
	}
	text_fini(&shown);
	text_fini(&json);
}

/* The neighbours of what changes the layout, as far as Unicode assigns them. */
static void test_neighbours_are_kept(void **state)
{
	static const uint32_t kept[] = { 0xac,   0xae,   0x61b,  0x61d,  0x200a, 0x2010,
					 0x2027, 0x202f, 0x205f, 0x2070, 0xfffc };
	struct text shown = { 0 };
	char utf8[4];

	(void)state;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		size_t n = encode(kept[i], utf8);

		text_clear(&shown);
		text_printable(&shown, utf8, n);
		assert_int_equal(shown.len, n);
		assert_memory_equal(shown.data, utf8, n);
	}
	text_fini(&shown);
}

static void test_json_and_csv(void **state)
{
	char field[3] = "x", expected[8];

	(void)state;
	assert_text(text_json(&t, "\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81", 9),
		    "\\u009b\\u202e\\udb40\\udc01");
	assert_text(text_json(&t, "a\"b\\\n\x01\xff", 7), "a\\\"b\\\\\\n\\u0001\xef\xbf\xbd");
	assert_text(text_csv(&t, "plain", 5), "plain");
	assert_text(text_csv(&t, "a,\"b\"", 5), "\"a,\"\"b\"\"\"");
	assert_text(text_csv(&t, "x\xfe", 2), "x\xef\xbf\xbd");
	assert_text(text_csv(&t, "\xc3\xa9,\"\xfe\"\"z", 8),
		    "\"\xc3\xa9,\"\"\xef\xbf\xbd\"\"\"\"z\"");
	assert_text(text_csv(&t, ",", 1), "\",\"");
	assert_text(text_csv(&t, "a,", 1), "a");
	/* RFC 4180: a comma, a quote, CR and LF need quotes, nothing else does. */
	for (int c = 1; c < 0x80; c++) {
		field[1] = (char)c;
		if (c == '"')
			strcpy(expected, "\"x\"\"\"");
		else
			snprintf(expected, sizeof(expected),
				 c == ',' || c == '\n' || c == '\r' ? "\"%s\"" : "%s", field);
		assert_text(text_csv(&t, field, 2), expected);
	}
}

/* --- UTF-8 ------------------------------------------------------------------ */

static void test_decode_never_reads_on(void **state)
{
	uint32_t cp;

	(void)state;
	assert_int_equal(text_decode("\xe2\x82", 2, &cp), 1);
	assert_int_equal(cp, 0xfffd);
	assert_int_equal(text_decode("\xe2\x82\xac", 3, &cp), 3);
	assert_int_equal(cp, 0x20ac);
	assert_int_equal(text_decode("\xc0\x80", 2, &cp), 1);
	assert_int_equal(cp, 0xfffd);
	assert_int_equal(text_decode("", 0, &cp), 0);
	assert_int_equal(cp, 0xfffd);
}

static void test_decode_what_was_encoded(void **state)
{
	char utf8[4];
	uint32_t got;

	(void)state;
	for (uint32_t cp = 0; cp < 0x110000; cp++) {
		size_t n = encode(cp, utf8);

		assert_int_equal(text_decode(utf8, n, &got), is_surrogate(cp) ? 1 : n);
		assert_int_equal(got, is_surrogate(cp) ? 0xfffd : cp);
	}
}

/* Length of a well-formed sequence at the start of four bytes (Unicode, table 3-7), else 0. */
static size_t well_formed(const unsigned char *p)
{
	static const struct {
		unsigned char first[2], second[2];
		size_t len;
	} rows[] = {
		{ { 0x00, 0x7f }, { 0x00, 0xff }, 1 },
		{ { 0xc2, 0xdf }, { 0x80, 0xbf }, 2 },
		{ { 0xe0, 0xe0 }, { 0xa0, 0xbf }, 3 },
		{ { 0xe1, 0xec }, { 0x80, 0xbf }, 3 },
		{ { 0xed, 0xed }, { 0x80, 0x9f }, 3 },
		{ { 0xee, 0xef }, { 0x80, 0xbf }, 3 },
		{ { 0xf0, 0xf0 }, { 0x90, 0xbf }, 4 },
		{ { 0xf1, 0xf3 }, { 0x80, 0xbf }, 4 },
		{ { 0xf4, 0xf4 }, { 0x80, 0x8f }, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t good = 2;

		if (p[0] < rows[i].first[0] || p[0] > rows[i].first[1] ||
		    p[1] < rows[i].second[0] || p[1] > rows[i].second[1])
			continue;
		while (good < rows[i].len && p[good] >= 0x80 && p[good] <= 0xbf)
			good++;
		return good < rows[i].len ? 0 : rows[i].len;
	}
	return 0;
}

static void test_decode_any_bytes(void **state)
{
	static const unsigned char later[] = { 0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff };
	unsigned char bytes[4];

	(void)state;
	for (unsigned int lead = 0; lead < 0x10000; lead++)
		for (unsigned int k = 0; k < 36; k++) {
			size_t len;

			bytes[0] = (unsigned char)(lead >> 8);
			bytes[1] = (unsigned char)lead;
			bytes[2] = later[k / 6];
			bytes[3] = later[k % 6];
			len = well_formed(bytes);
			for (size_t have = 1; have <= 4; have++) {
				uint32_t cp;

				if (text_decode((const char *)bytes, have, &cp) !=
					    (len && len <= have ? len : 1) ||
				    (cp == 0xfffd) != (!len || len > have))
					if (memcmp(bytes, "\xef\xbf\xbd", 3) != 0)
						fail_msg("%02x %02x %02x %02x: %zu of them",
							 bytes[0], bytes[1], bytes[2], bytes[3],
							 have);
			}
		}
}

/* --- cells ------------------------------------------------------------------ */

static void test_widths(void **state)
{
	(void)state;
	assert_int_equal(text_width('a'), 1);
	assert_int_equal(text_width(0xb5), 1);
	assert_int_equal(text_width(0x2588), 1);
	assert_int_equal(text_width(0x65e5), 2);
	assert_int_equal(text_width(0x300), 0);		/* COMBINING GRAVE ACCENT */
	assert_int_equal(text_width(0x301), 0);
	assert_int_equal(text_width(0x370), 1);
	assert_int_equal(text_width(0x378), 0);		/* not assigned */
	assert_int_equal(text_width(0xd800), 0);
	/* Latin: a cell each, but for controls and the soft hyphen */
	for (uint32_t cp = 0; cp < 0x300; cp++)
		assert_int_equal(text_width(cp), !is_control(cp) && cp != 0xad);
	/* the caller's locale is as it was */
	assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
}

static void test_prefix_and_excerpt(void **state)
{
	int used;

	(void)state;
	assert_int_equal(text_prefix("abc", 3, 2, &used), 2);
	assert_int_equal(used, 2);
	assert_int_equal(text_prefix("ab", 2, 10, &used), 2);
	assert_int_equal(used, 2);
	assert_int_equal(text_prefix("abc", 3, 0, &used), 0);
	assert_int_equal(used, 0);
	/* cut within a character */
	assert_int_equal(text_prefix("a\xe2\x82\xac", 2, 10, &used), 2);
	assert_int_equal(used, 2);
	assert_int_equal(text_prefix("日本", 6, 3, &used), 3);
	assert_int_equal(used, 2);
	/* its accent stays with it */
	assert_int_equal(text_prefix("e\xcc\x81x", 4, 1, &used), 3);
	assert_int_equal(used, 1);
	assert_int_equal(text_cells("", 0), 0);
	assert_int_equal(text_cells("12 µs", 6), 5);
	assert_int_equal(text_cells("日本", 6), 4);
	assert_text(text_excerpt(&t, "hello", 5, 3), "hel…");
	assert_text(text_excerpt(&t, "hello", 5, 5), "hello");
	assert_text(text_excerpt(&t, "日本", 6, 3), "日…");
}

static void test_fold(void **state)
{
	(void)state;
	assert_text(text_fold(&t, "one two three four\n", 13, 4), "one two three\n    four\n");
	assert_text(text_fold(&t, "one two three four", 12, 4), "one two\n    three\n    four");
	assert_text(text_fold(&t, "events a 1, bc 23, d 4\nx\n", 12, 7),
		    "events a 1,\n       bc 23,\n       d 4\nx\n");
	/* a word that does not fit, and a command to copy */
	assert_text(text_fold(&t, "a abcdefgh b", 6, 2), "a\n  abcdefgh\n  b");
	assert_text(text_fold(&t, "    mend it: sudo x\n\n", 8, 2), "    mend it: sudo x\n\n");
	assert_text(text_fold(&t, "\xc2\xb5\xc2\xb5 \xc2\xb5\xc2\xb5 b", 5, 0),
		    "\xc2\xb5\xc2\xb5 \xc2\xb5\xc2\xb5\nb");
	/* lines that fit, to the cell; one that has no blank; several of them */
	assert_text(text_fold(&t, "aa bb\ncc dd\n", 5, 2), "aa bb\ncc dd\n");
	assert_text(text_fold(&t, "abcdefghij\nk l\n", 4, 2), "abcdefghij\nk l\n");
	assert_text(text_fold(&t, "one two three\nfour\n", 7, 0), "one two\nthree\nfour\n");
	assert_text(text_fold(&t, "aaa bbb ccc\nd", 3, 0), "aaa\nbbb\nccc\nd");
	/* blanks where it is cut go */
	assert_text(text_fold(&t, "aaa  bbb\nc", 5, 1), "aaa\n bbb\nc");
	assert_text(text_fold(&t, "aaa   bbb", 4, 1), "aaa\n bbb");
	/*
	 * a number stays with its word, whatever its first digit; what comes before and behind
	 * digits in ASCII does not
	 */
	assert_text(text_fold(&t, "aa bb 0x", 6, 0), "aa\nbb 0x");
	assert_text(text_fold(&t, "aa bb 9s", 6, 0), "aa\nbb 9s");
	assert_text(text_fold(&t, "aa bb /x", 6, 0), "aa bb\n/x");
	assert_text(text_fold(&t, "aa bb :x", 6, 0), "aa bb\n:x");
	assert_text(text_fold(&t, "aa 1 b", 5, 0), "aa 1\nb");
}

static void test_names_of_signals(void **state)
{
	(void)state;
	assert_string_equal(text_signal_name(SIGINT), "SIGINT");
	assert_string_equal(text_signal_name(0), "SIG?");
	assert_string_equal(text_signal_name(-1), "SIG?");
	assert_string_equal(text_signal_name(SIGRTMIN), "SIG?");
#ifdef HAVE_SIGABBREV_NP
	for (int number = 1; number < 32; number++)
		assert_string_equal(text_signal_name(number) + 3, sigabbrev_np(number));
#endif
}

static void is_bounded(struct text *t, const char *expected)
{
	assert_true(text_is_full(t));
	assert_true(text_unbound(t));
	assert_string_equal(text_str(t), expected);
	text_add(t, "!");		/* there is no bound any more */
	assert_int_equal(t->data[t->len - 1], '!');
	assert_false(text_is_full(t));
	text_cut(t, 2);
}

static void test_bound(void **state)
{
	struct text t = { 0 };

	(void)state;
	text_add(&t, "ab");
	assert_true(text_bound(&t, 4));
	assert_false(text_bound(&t, 1));	/* it has one */
	text_add(&t, "cdef");
	assert_false(text_is_full(&t));
	assert_false(text_unbound(&t));
	assert_string_equal(text_str(&t), "abcdef");
	text_cut(&t, 2);

	text_bound(&t, 4);		/* what fits of a string; no hole, whatever comes */
	text_add(&t, "cdefg");
	text_char(&t, 'h');
	is_bounded(&t, "abcdef…");
	text_bound(&t, 4);
	text_printf(&t, "%d", 12345);
	text_char(&t, 'h');
	is_bounded(&t, "ab…");
	text_bound(&t, 4);
	text_pad(&t, 3);
	text_pad(&t, 2);
	is_bounded(&t, "ab   …");
	text_bound(&t, 4);
	for (int i = 0; i < 1000000; i++)
		text_char(&t, 'c');
	is_bounded(&t, "abcccc…");
	assert_in_range(t.size, 1, 1000);
	text_bound(&t, 4);		/* it is not cut inside a character */
	text_add(&t, "cd€");
	is_bounded(&t, "abcd…");

	text_bound(&t, 4);		/* what is taken back makes room */
	text_add(&t, "cdefg");
	text_cut(&t, 3);
	text_add(&t, "xyz");
	assert_false(text_unbound(&t));
	assert_string_equal(text_str(&t), "abcxyz");

	text_bound(&t, 200);		/* who reserves gets the room; the rest is dropped then */
	text_reserve(&t, 1000);
	memset(t.data + t.len, 'z', 1000);
	t.len += 1000;
	assert_true(text_unbound(&t));
	assert_int_equal(t.len, strlen("abcxyz") + 200 + strlen("…"));
	text_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_what_cannot_be_printed_adds_nothing),
		cmocka_unit_test(test_duration_has_four_digits_and_eight_cells),
		cmocka_unit_test(test_trimmed),
		cmocka_unit_test(test_duration_is_rounded),
		cmocka_unit_test(test_marks_are_strictly_greater),
		cmocka_unit_test(test_seconds_round_as_trace_cmd),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_no_control_character_survives),
		cmocka_unit_test(test_what_is_escaped),
		cmocka_unit_test(test_every_character),
		cmocka_unit_test(test_neighbours_are_kept),
		cmocka_unit_test(test_json_and_csv),
		cmocka_unit_test(test_decode_never_reads_on),
		cmocka_unit_test(test_decode_what_was_encoded),
		cmocka_unit_test(test_decode_any_bytes),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_prefix_and_excerpt),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_names_of_signals),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
