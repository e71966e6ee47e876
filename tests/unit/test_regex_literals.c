/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a regular expression has to have: cases by hand, and thousands of random expressions on
 * random lines: pcre2 matches no line that lacks it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "src/filter/regex_literals.h"
#include "src/base/text.h"
#include "tests/lib/gen_trace.h"

/* "a,b&c": a or b, and c */
static void show(const struct regex_literals *l, struct text *out)
{
	text_clear(out);
	for (unsigned int i = 0; i < l->nr; i++)
		for (unsigned int k = 0; k < l->sets[i].nr; k++) {
			text_add(out, k ? "," : i ? "&" : "");
			text_bytes(out, l->sets[i].words[k].s, l->sets[i].words[k].len);
		}
}

/* The expression lies in memory of its own, so that reading behind its end is noticed. */
static void check(const char *regex, size_t len, const char *expected, struct text *shown)
{
	struct regex_literals l;
	char *copy = malloc(len ? len : 1);

	memcpy(copy, regex, len);
	regex_literals_init(&l, copy, len);
	free(copy);
	for (unsigned int i = 0; i < l.nr; i++)
		assert_true(l.sets[i].nr > 0);
	show(&l, shown);
	if (strcmp(text_str(shown), expected) != 0)
		fail_msg("%s: \"%s\", not \"%s\"", regex, text_str(shown), expected);
	regex_literals_fini(&l);
	assert_int_equal(l.nr, 0);
}

static const char *const by_hand[][2] = {
	{ "sched_switch", "sched_switch" },
	{ "prev_pid=[0-9]+ .*120", "prev_pid=&120& " },
	{ "sched_(switch|wakeup): x", "sched_&switch,wakeup&: x" },
	{ "foo|bar", "foo,bar" },
	{ "foo|.*", "" },
	{ "foo|a.bcd", "foo,bcd" },
	{ "ab?c", "a&c" },
	{ "ab*", "a" },
	{ "ab+c", "ab&c" },
	{ "ab{2,}c", "ab&c" },
	{ "ab{0,3}c", "a&c" },
	{ "(?:abc)?de", "de" },
	{ "(abc)+de", "abc&de" },
	{ "(?=abc)d", "d" },
	{ "(?<!abc)d", "d" },
	{ "(?i)abc", "" },
	{ "(*UTF)abc", "" },
	{ "\\.c\\[0\\]", ".c[0]" },
	{ "\\d+ms", "ms" },
	{ "a\\tb", "a\tb" },
	{ "\\x41b", "" },
	{ "(a)\\1b", "" },
	{ "^ +bash-", "bash-& " },
	{ "[]x]y[^]z]w[[:alpha:]v]u", "y&w&u" },
	{ "[[:x]y[[.]z", "y&z" },
	{ "[a\\]b]c", "c" },
	{ "x\\b", "x" },
	{ "", "" },
	{ "a||b", "" },
	{ "a.b.c.d.ef", "ef&a&b&c" },
	{ "one|two|three|four|five|six|seven|eight", "one,two,three,four,five,six,seven,eight" },
	{ "1|2|3|4|5|6|7|8|9", "" },
	{ "abc{", "" },
	{ "(abc", "" },
	/* quantifiers: a count of 0 alone may be no time at all; possessive and lazy ones */
	{ "ab{2}c", "ab&c" },
	{ "ab{10}c", "ab&c" },
	{ "ab{10,20}c", "ab&c" },
	{ "ab{0}c", "a&c" },
	{ "ab{00,}c", "a&c" },
	{ "ab+?c", "ab&c" },
	{ "ab++c", "ab&c" },
	{ "ab*?c", "a&c" },
	{ "ab?+c", "a&c" },
	{ "ab{2}?c", "ab&c" },
	/* braces that are no quantifier here, but may be one in another version */
	{ "ab{,3}c", "" },
	{ "ab{x}c", "" },
	{ "ab{2x}c", "" },
	{ "ab{2,3x}c", "" },
	{ "ab{2", "" },
	{ "ab{2,", "" },
	{ "{ab", "" },
	/* what pcre2 refuses */
	{ "*ab", "" },
	{ "+ab", "" },
	{ "?ab", "" },
	{ "a|*b", "" },
	{ "x[ab", "" },
	{ "x[^", "" },
	{ "x[[:alpha:", "" },
	{ "ab\\", "" },
	/* classes: what is a name in them, and where they end */
	{ "[[!ab!]c]d", "c]d" },
	{ "[[]ab", "ab" },
	{ "[[:]ab", "ab" },
	{ "[[:alpha:]]x", "x" },
	{ "[[:^alpha:]v]u", "u" },
	{ "[[:ab]]z", "]z" },
	{ "[\\E]b]c", "" },
	{ "[\\Q]\\E]c", "" },
	/* groups that look round match nothing themselves; others do */
	{ "(?!abc)d", "d" },
	{ "(?<=abc)d", "d" },
	{ "(?<=)d", "d" },
	{ "(?>abc)d", "abc&d" },
	{ "(?<n>ab)c", "" },
	{ "(ab.cd)e", "ab&cd&e" },
	{ "(a.b.c.d)", "a&b&c&d" },
	/* the same set twice says nothing new; one that has more words, or others, does */
	{ "(ab)(ab)cd", "ab&cd" },
	{ "(a|b)(a|b)c", "a,b&c" },
	{ "(a|b)(a|c)", "a,b&a,c" },
	{ "(ab|cd)(ab|ce)", "ab,cd&ab,ce" },
	{ "(a|b)a", "a,b&a" },
	{ "a(a|b)", "a&a,b" },
	{ "(ab|c)(ab|cd)", "ab,cd&ab,c" },
	{ "abc.de.de", "abc&de" },
	{ "(ab|cd)|ef", "ab,cd,ef" },
	{ "b.a", "b&a" },
	{ "a.b", "a&b" },
	{ "abc.def.ghi.jkl.m", "abc&def&ghi&jkl" },
	/* escapes: of letters, of a control character as it is, of what has its value behind it */
	{ "x\\\ay", "x\ay" },
	{ "\\a\\e\\f\\n\\r", "\a\033\f\n\r" },
	{ "ab\\K", "" },
	{ "ab\\cA", "" },
	{ "ab\\pL", "" },
	{ "ab\\0", "" },
};

static void test_by_hand(void **state)
{
	struct text shown = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(by_hand) / sizeof(by_hand[0]); i++)
		check(by_hand[i][0], strlen(by_hand[i][0]), by_hand[i][1], &shown);
	for (const char *c = "dDwWsShHvVRNXbBAzZG"; *c; c++) {
		char regex[8];

		snprintf(regex, sizeof(regex), "ab\\%c", *c);
		check(regex, 4, "ab", &shown);
	}
	text_fini(&shown);
}

/* A NUL is a character as any. */
static void test_nul(void **state)
{
	struct regex_literals l;

	(void)state;
	regex_literals_init(&l, "a\0b.c", 5);
	assert_int_equal(l.nr, 2);
	assert_int_equal(l.sets[0].words[0].len, 3);
	assert_memory_equal(l.sets[0].words[0].s, "a\0b", 4);
	regex_literals_fini(&l);
}

/* Brackets in brackets are read to a depth of 64, however many there are beside each other. */
static void test_depth(void **state)
{
	struct text shown = { 0 }, regex = { 0 };

	(void)state;
	for (unsigned int depth = 63; depth <= 66; depth++) {
		text_clear(&regex);
		for (unsigned int i = 0; i < depth; i++)
			text_char(&regex, '(');
		text_add(&regex, "ab");
		for (unsigned int i = 0; i < depth; i++)
			text_char(&regex, ')');
		check(text_str(&regex), regex.len, depth <= 64 ? "ab" : "", &shown);
	}
	text_clear(&regex);
	for (unsigned int i = 0; i < 200; i++)
		text_add(&regex, "(ab)");
	check(text_str(&regex), regex.len, "ab", &shown);
	text_fini(&regex);
	text_fini(&shown);
}

/* --- random -------------------------------------------------------------------- */

static void random_regex(struct gen_random *r, struct text *out, unsigned int depth)
{
	static const char *const pieces[] = {
		"a", "b", "ab", "ba", "aab", ".", "[ab]", "[^a]", "[]a]", "[[:alpha:]b]", "\\d",
		"\\w", "\\.", "\\[", "x", "1",
		"\\b", "^", "$", "\\ba", "a\\tb", "[[:a]",
	};
	static const char *const quantifiers[] = { "",  "",    "",      "",     "?",  "*",
						   "+", "{2}", "{0,2}", "{1,}", "*?", "++" };
	static const char *const opens[] = { "(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>" };
	unsigned int nr = gen_random_below(r, 5);

	for (unsigned int i = 0; i < nr; i++) {
		if (depth < 3 && gen_random_one_in(r, 5)) {
			text_add(out, opens[gen_random_one_in(r, 2) ? 0 : gen_random_below(r, 7)]);
			random_regex(r, out, depth + 1);
			text_add(out, ")");
		} else {
			text_add(out,
				 pieces[gen_random_below(r, sizeof(pieces) / sizeof(pieces[0]))]);
		}
		text_add(out, quantifiers[gen_random_below(r, sizeof(quantifiers) /
								      sizeof(quantifiers[0]))]);
		if (gen_random_one_in(r, 6))
			text_add(out, "|");
	}
}

static bool has(const struct regex_literals *l, const char *s, size_t len)
{
	for (unsigned int i = 0; i < l->nr; i++) {
		bool any = false;

		for (unsigned int k = 0; k < l->sets[i].nr; k++)
			any |= memmem(s, len, l->sets[i].words[k].s, l->sets[i].words[k].len) !=
			       NULL;
		if (!any)
			return false;
	}
	return true;
}

static void test_random(void **state)
{
	const unsigned int rounds = getenv("FTOP_TEST_LONG") ? 30000 : 6000;
	unsigned int compiled = 0, known = 0, matched = 0, ruled_out = 0;
	struct text regex = { 0 };
	struct gen_random r;

	(void)state;
	gen_random_init(&r, 11);
	for (unsigned int i = 0; i < rounds; i++) {
		struct regex_literals l;
		pcre2_match_data *data;
		PCRE2_SIZE offset;
		pcre2_code *code;
		int error;

		text_clear(&regex);
		random_regex(&r, &regex, 0);
		code = pcre2_compile((PCRE2_SPTR)text_str(&regex), regex.len, 0, &error, &offset,
				     NULL);
		if (!code)
			continue;
		compiled++;
		data = pcre2_match_data_create(1, NULL);
		regex_literals_init(&l, text_str(&regex), regex.len);
		known += l.nr > 0;
		for (unsigned int k = 0; k < 20; k++) {
			char line[24];
			size_t len = gen_random_below(&r, sizeof(line));
			bool matches;

			for (size_t n = 0; n < len; n++)
				line[n] = "aaabbbx1.[ \t"[gen_random_below(&r, 12)];
			matches = pcre2_match(code, (PCRE2_SPTR)line, len, 0, 0, data, NULL) >= 0;
			matched += matches;
			if (!has(&l, line, len)) {
				ruled_out++;
				if (matches)
					fail_msg("%s matches \"%.*s\"", text_str(&regex), (int)len,
						 line);
			}
		}
		regex_literals_fini(&l);
		pcre2_match_data_free(data);
		pcre2_code_free(code);
	}
	text_fini(&regex);
	print_message("%u expressions, %u with literals, %u matches, %u lines ruled out\n",
		      compiled, known, matched, ruled_out);
	assert_true(known > rounds / 6 && matched > rounds * 5 / 3 && ruled_out > rounds * 5 / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
