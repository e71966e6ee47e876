/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ui/screen/canvas.h"

static void expect(const struct canvas *canvas, const char *text)
{
	struct text t = { 0 };

	canvas_print(canvas, &t);
	assert_string_equal(text_str(&t), text);
	text_fini(&t);
}

static void test_text_is_clipped_at_the_edge(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 2, 8);
	assert_int_equal(canvas_text(&c, 0, 5, 80, ROLE_TEXT, "abcdef"), 3);
	assert_int_equal(canvas_text(&c, 1, 0, 4, ROLE_DIM, "abcdef"), 4);
	assert_int_equal(canvas_text(&c, 2, 0, 4, ROLE_TEXT, "below"), 0);
	expect(&c, "     abc\nabcd\n");
	assert_int_equal(canvas_at(&c, 1, 3)->role, ROLE_DIM);
	assert_int_equal(canvas_at(&c, 1, 4)->role, ROLE_TEXT);
	canvas_fini(&c);
}

static void test_what_does_not_fit_is_cut_with_a_sign(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 3, 10);
	canvas_fit(&c, 0, 0, 5, ROLE_TEXT, "abcde");
	canvas_fit(&c, 1, 0, 5, ROLE_TEXT, "abcdef");
	canvas_right(&c, 2, 2, 6, ROLE_TEXT, "12 µs");
	expect(&c, "abcde\nabcd…\n   12 µs\n");
	canvas_fini(&c);
}

/* 10 columns: 9 for words.  By hand. */
static void test_sentences_keep_units_with_their_numbers(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 5, 10);
	canvas_words(&c, 0, 2, "it ran  5 µs.  ");
	canvas_words(&c, 2, 5, "ran 12 345 times");
	expect(&c, " it ran\n 5 µs.\n ran\n 12 345\n times\n");
	canvas_clear(&c);
	canvas_words(&c, 0, 2, "slept for 12 ms, often");
	canvas_words(&c, 2, 3, "unbreakable");
	canvas_words(&c, 3, 4, "it is 9 ns or");
	expect(&c, " slept for\n 12 ms, …\n unbreak …\n it is …\n\n");
	canvas_clear(&c);
	canvas_words(&c, 0, 5, "CPU 3 as");
	expect(&c, " CPU 3 as\n\n\n\n\n");
	assert_int_equal(canvas_line("on CPU 12 345", 10), 2);
	assert_int_equal(canvas_line("some CPUs 5", 9), 9);
	assert_int_equal(canvas_line("in 5 seconds", 6), 4);
	/* no room for a character: it ends */
	assert_int_equal(canvas_lines("in 5 seconds", 0), 1);
	assert_int_equal(canvas_lines("in 5 seconds", -1), 1);
	canvas_fini(&c);
}

/* A wide character takes two cells, and writing over one half takes the other away. */
static void test_wide_characters(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 3, 4);
	assert_int_equal(canvas_text(&c, 0, 0, 4, ROLE_TEXT, "日本"), 4);
	assert_int_equal(canvas_at(&c, 0, 0)->width, 2);
	assert_int_equal(canvas_at(&c, 0, 1)->width, 0);
	canvas_text(&c, 0, 1, 1, ROLE_TEXT, "x");
	assert_int_equal(canvas_text(&c, 1, 0, 3, ROLE_TEXT, "日本"), 3);
	expect(&c, " x本\n日\n\n");
	canvas_fini(&c);
}

static void test_combining_characters_share_a_cell(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 1, 4);
	assert_int_equal(canvas_text(&c, 0, 0, 4, ROLE_TEXT, "e\u0301x"), 2);
	assert_string_equal(canvas_at(&c, 0, 0)->glyph, "e\u0301");
	/* More than a cell holds is left out, and nothing is written past it. */
	canvas_text(&c, 0, 0, 4, ROLE_TEXT,
		    "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301y");
	assert_true(strlen(canvas_at(&c, 0, 0)->glyph) < CANVAS_GLYPH_BYTES);
	assert_string_equal(canvas_at(&c, 0, 1)->glyph, "y");
	canvas_fini(&c);
}

/* Whatever was forgotten on the way: nothing that a terminal obeys is in a cell. */
static void test_control_characters_are_not_drawn(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 1, 20);
	canvas_text(&c, 0, 0, 20, ROLE_TEXT,
		    "a\033[2Jb\xc2\x9b"
		    "c\x80"
		    "d\177");
	expect(&c, "a?[2Jb?c?d?\n");
	canvas_fini(&c);
}

static void test_ascii_glyphs(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 1, 20);
	c.ascii = true;
	canvas_text(&c, 0, 0, 20, ROLE_TEXT, "1.5 µs ░ ▸ … é 日");
	expect(&c, "1.5 us ? + ~ ? ??\n");
	canvas_clear(&c);
	canvas_text(&c, 0, 0, 20, ROLE_TEXT, "≥ 10 a → b≥c →");	/* a blank makes room */
	expect(&c, ">=10 a ->b>c >\n");
	canvas_fini(&c);
}

/* A font of the Linux console has some of the glyphs; what the trace says stays as it is. */
static void test_console_glyphs(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 1, 20);
	c.console = true;
	canvas_text(&c, 0, 0, 20, ROLE_TEXT, "1.5 µs ░ ▸ … é ▁▄▆█⇄");
	expect(&c, "1.5 µs ░ + ~ é _▄▄█%\n");
	canvas_fini(&c);
}

static void test_roles_over_cells(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 1, 4);
	canvas_text(&c, 0, 0, 4, ROLE_DIM, "abcd");
	canvas_over(&c, 0, 2, 100, ROLE_SELECTED);
	canvas_over(&c, 7, 0, 1, ROLE_SELECTED);
	assert_int_equal(canvas_at(&c, 0, 1)->over, ROLE_TEXT);
	assert_int_equal(canvas_at(&c, 0, 3)->over, ROLE_SELECTED);
	assert_int_equal(canvas_at(&c, 0, 3)->role, ROLE_DIM);
	canvas_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_is_clipped_at_the_edge),
		cmocka_unit_test(test_what_does_not_fit_is_cut_with_a_sign),
		cmocka_unit_test(test_sentences_keep_units_with_their_numbers),
		cmocka_unit_test(test_wide_characters),
		cmocka_unit_test(test_combining_characters_share_a_cell),
		cmocka_unit_test(test_control_characters_are_not_drawn),
		cmocka_unit_test(test_ascii_glyphs),
		cmocka_unit_test(test_console_glyphs),
		cmocka_unit_test(test_roles_over_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
