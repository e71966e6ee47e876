/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "src/base/shell_words.h"

static void split(const char *line, const char *const *wanted)
{
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };
	unsigned int nr = 0;

	assert_int_equal(shell_words_split(&words, line, &err), 0);
	for (; wanted[nr]; nr++) {
		assert_true(nr < words.nr);
		assert_string_equal(words.words[nr], wanted[nr]);
	}
	assert_int_equal(words.nr, nr);
	assert_true(!words.words || !words.words[nr]);
	shell_words_fini(&words);
}

static void words_are_split_as_a_shell_does(void **state)
{
	(void)state;
	split("", (const char *const[]){ NULL });
	split("  make  -j2\tall ", (const char *const[]){ "make", "-j2", "all", NULL });
	split("sh -c 'echo \"$a\" | cat' x\\ y \"a'b \\\"c\\\\\" ''",
	      (const char *const[]){ "sh", "-c", "echo \"$a\" | cat", "x y", "a'b \"c\\", "",
				     NULL });
	split("pre'mid'\"end\"", (const char *const[]){ "premidend", NULL });
}

static void a_line_that_is_being_typed_is_split(void **state)
{
	static const struct { const char *line, *last; unsigned int nr; } lines[] = {
		{ "a b", "b", 2 }, { "a b ", "", 3 }, { "a b\\ ", "b ", 2 }, { "", "", 0 },
		{ "a -F 'x == \"y", "x == \"y", 3 }, { "a \"it's ", "it's ", 2 }, { "a '", "", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct shell_words words = { 0 };
		struct ft_error err = { 0 };

		assert_int_equal(shell_words_split_typed(&words, lines[i].line, &err), 0);
		assert_int_equal(words.nr, lines[i].nr);
		if (words.nr)
			assert_string_equal(words.words[words.nr - 1], lines[i].last);
		shell_words_fini(&words);
	}
}

static void what_a_shell_is_needed_for_is_refused(void **state)
{
	static const struct { const char *line; int64_t at; } wrong[] = {
		{ "ls | wc", 3 }, { "ls > x", 3 }, { "echo $HOME", 5 }, { "a;b", 1 },
		{ "echo 'x", 5 }, { "a \"b", 2 }, { "(a)", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct shell_words words = { 0 };
		struct ft_error err = { 0 };

		assert_int_equal(shell_words_split(&words, wrong[i].line, &err), -1);
		assert_int_equal(err.code, FT_E_USAGE);
		assert_int_equal(err.offset, wrong[i].at);
		shell_words_fini(&words);
	}
}

static void what_is_joined_splits_again(void **state)
{
	static const char *const words[] = { "make",
					     "-j2",
					     "a b",
					     "it's",
					     "",
					     "irq:*",
					     "\"",
					     "\\",
					     "$x`y`",
					     "-f",
					     "prev_prio < 100",
					     NULL };
	struct shell_words first = { 0 };
	struct text line = { 0 };

	(void)state;
	for (unsigned int i = 0; words[i]; i++)
		shell_words_add(&first, words[i]);
	shell_words_addf(&first, "%d", 12);
	shell_words_join(&first, &line);
	assert_string_equal(
		text_str(&line),
		"make -j2 'a b' 'it'\\''s' '' 'irq:*' '\"' '\\' '$x`y`' -f 'prev_prio < 100' 12");
	split(text_str(&line), (const char *const *)first.words);
	text_fini(&line);
	shell_words_fini(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_split_as_a_shell_does),
		cmocka_unit_test(a_line_that_is_being_typed_is_split),
		cmocka_unit_test(what_a_shell_is_needed_for_is_refused),
		cmocka_unit_test(what_is_joined_splits_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
