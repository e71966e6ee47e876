/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a string may occur in texts of a pattern: by hand, and beside a slow search that tries
 * every way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "parsers/print/text_pattern.h"
#include "src/base/text.h"
#include "tests/lib/gen_trace.h"

static void test_by_hand(void **state)
{
	static const struct {
		const char	*s;
		bool		 fold;
		unsigned int	 expected;
	} cases[] = {
		{ "pid=", false, TEXT_PATTERN_STRING | TEXT_PATTERN_ELSEWHERE },
		{ "PID=", false, TEXT_PATTERN_STRING },
		{ "PID=", true, TEXT_PATTERN_STRING | TEXT_PATTERN_ELSEWHERE },
		{ "pid=12 ", false, TEXT_PATTERN_STRING | TEXT_PATTERN_ELSEWHERE },
		{ "comm=bash", false, TEXT_PATTERN_STRING | TEXT_PATTERN_ELSEWHERE },
		{ "comm=bash pid=3", false, TEXT_PATTERN_STRING | TEXT_PATTERN_ELSEWHERE },
		{ "pid=x", false, TEXT_PATTERN_STRING },
		{ "bash", false, TEXT_PATTERN_STRING },
		{ "z pid", false, TEXT_PATTERN_STRING | TEXT_PATTERN_ELSEWHERE },
		{ "1", false, TEXT_PATTERN_STRING | TEXT_PATTERN_ELSEWHERE },
		{ "111 end", false, TEXT_PATTERN_STRING | TEXT_PATTERN_ELSEWHERE },
		{ "111 end.", false, TEXT_PATTERN_STRING },
	};
	struct text_pattern *p = text_pattern_new();

	(void)state;
	text_pattern_literal(p, "comm=", 5);
	text_pattern_hole(p, TEXT_PATTERN_STRING);
	text_pattern_literal(p, " pid=", 5);
	text_pattern_chars(p, TEXT_PATTERN_NUMBER);
	text_pattern_literal(p, " end", 4);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(text_pattern_find(p, cases[i].s, strlen(cases[i].s),
						   cases[i].fold),
				 cases[i].expected);
	text_pattern_free(p);
}

static void test_branches(void **state)
{
	struct text_pattern *p = text_pattern_new();
	unsigned int otherwise, behind;

	(void)state;
	/* (one|two) end */
	otherwise = text_pattern_branch(p, false);
	text_pattern_literal(p, "one", 3);
	behind = text_pattern_branch(p, true);
	text_pattern_set_target(p, otherwise, text_pattern_nr(p));
	text_pattern_literal(p, "two", 3);
	text_pattern_set_target(p, behind, text_pattern_nr(p));
	text_pattern_literal(p, " end", 4);
	assert_int_equal(text_pattern_find(p, "one end", 7, false), TEXT_PATTERN_ELSEWHERE);
	assert_int_equal(text_pattern_find(p, "two end", 7, false), TEXT_PATTERN_ELSEWHERE);
	assert_int_equal(text_pattern_find(p, "onetwo", 6, false), 0);
	assert_int_equal(text_pattern_find(p, "e e", 3, false), TEXT_PATTERN_ELSEWHERE);
	assert_int_equal(text_pattern_find(p, "t e", 3, false), 0);
	text_pattern_free(p);
}

/* --- small random patterns ----------------------------------------------------------- */

#define MAX_PIECES	5u

struct small {
	unsigned int	nr;
	struct {
		char	kind;		/* l: literal, c: characters, h: hole */
		char	text[3];
	} pieces[MAX_PIECES];
};

static void make_small(struct gen_random *r, struct small *s, struct text_pattern *p)
{
	s->nr = 1 + gen_random_below(r, MAX_PIECES - 1);
	for (unsigned int i = 0; i < s->nr; i++) {
		s->pieces[i].kind = "lch"[gen_random_below(r, 3)];
		snprintf(s->pieces[i].text, sizeof(s->pieces[i].text), "%c%c",
			 "abc"[gen_random_below(r, 3)], "abc"[gen_random_below(r, 3)]);
		if (s->pieces[i].kind == 'l')
			text_pattern_literal(p, s->pieces[i].text, 2);
		else if (s->pieces[i].kind == 'c')
			text_pattern_chars(p, s->pieces[i].text);
		else
			text_pattern_hole(p, i % 2 ? TEXT_PATTERN_STRING : TEXT_PATTERN_SYMBOL);
	}
}

/*
 * Can the string be read from piece i on (k characters of it, or of a literal, are taken)?
 * @places: of the pieces that took a character: one hole alone, or anything else.
 */
static unsigned int read_on(const struct small *s, const char *rest, unsigned int i, unsigned int k,
			    int hole, bool only_hole)
{
	unsigned int found = 0;

	if (!*rest)
		return only_hole ? hole % 2 ? TEXT_PATTERN_STRING : TEXT_PATTERN_SYMBOL :
				   TEXT_PATTERN_ELSEWHERE;
	if (i == s->nr)
		return 0;
	switch (s->pieces[i].kind) {
	case 'l':
		if (s->pieces[i].text[k] == *rest)
			found |= k ? read_on(s, rest + 1, i + 1, 0, -1, false) :
				     read_on(s, rest + 1, i, 1, -1, false);
		break;
	case 'c':
		if (strchr(s->pieces[i].text, *rest))
			found |= read_on(s, rest + 1, i, 0, -1, false);
		found |= k ? 0 : read_on(s, rest, i + 1, 0, hole, false);
		break;
	case 'h':
		found |= read_on(s, rest + 1, i, 0, (int)i, only_hole && hole == (int)i);
		found |= read_on(s, rest, i + 1, 0, hole, false);
		break;
	}
	return found;
}

static unsigned int slow_find(const struct small *s, const char *string)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < s->nr; i++) {
		bool hole = s->pieces[i].kind == 'h';

		/*
		 * The first character is taken by this piece; what leaves it at once is another
		 * piece's beginning.
		 */
		if (hole)
			found |= read_on(s, string + 1, i, 0, (int)i, true);
		else if (s->pieces[i].kind == 'c' && strchr(s->pieces[i].text, *string))
			found |= read_on(s, string + 1, i, 0, -1, false);
		else if (s->pieces[i].kind == 'l') {
			if (s->pieces[i].text[0] == *string)
				found |= read_on(s, string + 1, i, 1, -1, false);
			if (s->pieces[i].text[1] == *string)
				found |= read_on(s, string + 1, i + 1, 0, -1, false);
		}
	}
	return found;
}

static void test_beside_a_slow_search(void **state)
{
	unsigned int nowhere = 0, pure = 0;
	struct gen_random r;

	(void)state;
	gen_random_init(&r, 5);
	for (unsigned int i = 0; i < 20000; i++) {
		struct text_pattern *p = text_pattern_new();
		unsigned int expected;
		struct small s;
		char string[6];
		size_t len = 1 + gen_random_below(&r, sizeof(string) - 1);

		make_small(&r, &s, p);
		for (size_t k = 0; k < len; k++)
			string[k] = "abc"[gen_random_below(&r, 3)];
		string[len] = '\0';
		expected = slow_find(&s, string);
		assert_int_equal(text_pattern_find(p, string, len, false), expected);
		nowhere += !expected;
		pure += expected && !(expected & TEXT_PATTERN_ELSEWHERE);
		text_pattern_free(p);
	}
	assert_true(nowhere > 1000 && pure > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_beside_a_slow_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
