/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ui/screen/background.h"
#include "ui/screen/theme.h"

static void parse(struct theme *theme, const char *text)
{
	struct ft_error err = { 0 };

	if (theme_parse(theme, "test", text, strlen(text), &err))
		fail_msg("%s", err.message);
}

static void test_a_line_for_each_depth(void **state)
{
	struct theme t;

	(void)state;
	parse(&t,
	      "# comment\n\nselected = #ffffff on #264f78 bold\n  256 = on 24\n  16 = white on blue\n  mono = reverse\n");
	assert_int_equal(t.styles[THEME_RGB][ROLE_SELECTED].fg, 0xffffff);
	assert_int_equal(t.styles[THEME_RGB][ROLE_SELECTED].bg, 0x264f78);
	assert_int_equal(t.styles[THEME_RGB][ROLE_SELECTED].attributes, THEME_BOLD);
	assert_int_equal(t.styles[THEME_256][ROLE_SELECTED].fg, THEME_NO_COLOUR);
	assert_int_equal(t.styles[THEME_256][ROLE_SELECTED].bg, 24);
	assert_int_equal(t.styles[THEME_16][ROLE_SELECTED].fg, 7);
	assert_int_equal(t.styles[THEME_16][ROLE_SELECTED].bg, 4);
	assert_int_equal(t.styles[THEME_MONO][ROLE_SELECTED].attributes, THEME_REVERSE);
	assert_int_equal(t.styles[THEME_MONO][ROLE_SELECTED].fg, THEME_NO_COLOUR);
}

/* Nearest colours: checked by hand against the xterm palette. */
static void test_poorer_depths_take_the_nearest_colour(void **state)
{
	struct theme t;

	(void)state;
	parse(&t, "text = #ff0000 underline\nmark = 196\nnote = bright-blue\n");
	assert_int_equal(t.styles[THEME_256][ROLE_TEXT].fg, 196);
	assert_int_equal(t.styles[THEME_16][ROLE_TEXT].fg, 9);
	assert_int_equal(t.styles[THEME_MONO][ROLE_TEXT].attributes, THEME_UNDERLINE);
	assert_int_equal(t.styles[THEME_RGB][ROLE_MARK].fg, 0xff0000);
	assert_int_equal(t.styles[THEME_16][ROLE_NOTE].fg, 12);
}

static void test_errors_name_line_and_column(void **state)
{
	static const struct { const char *text, *message; } bad[] = {
		{ "txet = red\n", "line 1, column 1: unknown role 'txet'" },
		{ "text = red\ndim = rde\n", "line 2, column 7: unknown colour 'rde'" },
		{ "text = #ff00\n", "line 1, column 8: not a #rrggbb colour '#ff00'" },
		{ "text = 256\n", "line 1, column 8: not a colour number 0..255 '256'" },
		{ "text red\n", "line 1, column 6: '=' expected, found 'red'" },
		{ "text = red bald\n", "line 1, column 12: unknown attribute 'bald'" },
		{ "text = red on\n", "line 1, column 14: unknown colour" },
		{ "text =\n", "line 1, column 7: a colour or an attribute is missing" },
		{ "  16 = red\n", "line 1, column 3: no role above this line for '16'" },
		{ "text = \033[31m\n", "line 1, column 8: unknown colour '\\e[31m'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ft_error err = { 0 };
		struct theme t;

		assert_int_equal(theme_parse(&t, "bad", bad[i].text, strlen(bad[i].text), &err),
				 -1);
		assert_string_equal(err.message, bad[i].message);
		assert_int_equal(err.code, FT_E_FORMAT);
	}
}

static void test_cut_at_every_byte(void **state)
{
	static const char text[] = "selected = #ffffff on #264f78 bold\n  16 = white on blue\n";

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		char *copy = malloc(len ? len : 1);	/* so that a byte read too far is noticed */
		struct ft_error err = { 0 };
		struct theme t;

		memcpy(copy, text, len);
		if (theme_parse(&t, "cut", copy, len, &err))
			assert_in_range(err.offset, 0, len);
		free(copy);
	}
}

static void test_styles_over_one_another(void **state)
{
	struct theme t;
	struct theme_style s;

	(void)state;
	parse(&t, "text = white on black\ndim = blue\nselected = on red bold\n");
	s = theme_style(&t, THEME_16, ROLE_DIM, ROLE_TEXT);
	assert_int_equal(s.fg, 4);
	assert_int_equal(s.bg, 0);
	s = theme_style(&t, THEME_16, ROLE_DIM, ROLE_SELECTED);
	assert_int_equal(s.fg, 4);
	assert_int_equal(s.bg, 1);
	assert_int_equal(s.attributes, THEME_BOLD);
	s = theme_style(&t, THEME_MONO, ROLE_DIM, ROLE_SELECTED);
	assert_int_equal(s.fg, THEME_NO_COLOUR);
	assert_int_equal(s.attributes, THEME_BOLD);
}

/* Three tenths of the way to white, or two to black; in 256 colours by levels of the cube. */
static void test_shades_are_computed(void **state)
{
	enum role one = theme_shade(ROLE_HASH_1, 1), two = theme_shade(ROLE_HASH_1, 2);
	struct theme t;

	(void)state;
	assert_int_equal(theme_shade(ROLE_HASH_1, 0), ROLE_HASH_1);
	parse(&t,
	      "text = #c8ccd4\nhash.1 = #5f87ff\n 16 = blue\nhash.2 = #ffffaf\nmark = #87afff\n");
	assert_int_equal(t.styles[THEME_RGB][one].fg, 0x8fabff);
	assert_int_equal(t.styles[THEME_RGB][two].fg, 0xbfcfff);
	assert_int_equal(t.styles[THEME_RGB][theme_shade(ROLE_HASH_2, 1)].fg, 0xcccc8c);
	assert_int_equal(t.styles[THEME_256][one].fg, 75);	/* #5fafff; #87afff is the mark's */
	assert_int_equal(t.styles[THEME_256][two].fg, 153);	/* #afd7ff */
	assert_int_equal(t.styles[THEME_16][one].fg, 4);
	assert_int_equal(t.styles[THEME_MONO][one].fg, THEME_NO_COLOUR);
	parse(&t, "text = #24292f\nhash.1 = #005fff\n");
	assert_int_equal(t.styles[THEME_RGB][one].fg, 0x004ccc);
}

/* Themes that come with the program are sound, and in mono what matters is told without colour. */
static void test_builtin_themes(void **state)
{
	static const enum role loud[] = { ROLE_SELECTED, ROLE_HEADER_WARN, ROLE_ERROR, ROLE_MATCH,
					  ROLE_TAB_CURRENT };
	unsigned int i;

	(void)state;
	for (i = 0; theme_builtin(i); i++) {
		struct ft_error err = { 0 };
		struct theme t;

		if (theme_load(&t, theme_builtin(i), &err))
			fail_msg("%s: %s", theme_builtin(i), err.message);
		for (size_t r = 0; r < sizeof(loud) / sizeof(loud[0]); r++)
			assert_int_not_equal(t.styles[THEME_MONO][loud[r]].attributes, 0);
	}
	assert_int_equal(i, 5);
}

/*
 * Roles with a colour that occur in one view, by what they mean; NR_ROLES ends a meaning.
 * Only roles of one meaning may share a colour.
 */
#define EVERYWHERE \
	ROLE_TEXT, NR_ROLES, ROLE_DIM, NR_ROLES, ROLE_HEADING, ROLE_FIELD, ROLE_FOLD, \
	ROLE_PROMPT_HINT, NR_ROLES, ROLE_OVERVIEW, NR_ROLES, ROLE_LOST, ROLE_GAP, \
	ROLE_HEADER_WARN, NR_ROLES, ROLE_DAMAGE, NR_ROLES, ROLE_MARK, NR_ROLES, \
	ROLE_RANGE, NR_ROLES, ROLE_NOTE, NR_ROLES
#define SLOW \
	ROLE_SLOW_10US, NR_ROLES, ROLE_SLOW_100US, NR_ROLES, ROLE_SLOW_1MS, NR_ROLES, \
	ROLE_SLOW_10MS, NR_ROLES, ROLE_SLOW_100MS, NR_ROLES, ROLE_SLOW_1S, NR_ROLES
#define TASKS \
	ROLE_HASH_1, NR_ROLES, ROLE_HASH_2, NR_ROLES, ROLE_HASH_3, NR_ROLES, ROLE_HASH_4, \
	NR_ROLES, ROLE_HASH_5, NR_ROLES, ROLE_HASH_6, NR_ROLES, ROLE_HASH_7, NR_ROLES, \
	ROLE_HASH_8, NR_ROLES, ROLE_HASH_9, NR_ROLES, ROLE_HASH_10, NR_ROLES, \
	ROLE_HASH_11, NR_ROLES, ROLE_HASH_12, NR_ROLES

static const enum role events_roles[] = {
	EVERYWHERE, SLOW, TASKS, ROLE_EVENT_SCHED, NR_ROLES, ROLE_EVENT_IRQ, NR_ROLES,
	ROLE_EVENT_SOFTIRQ, NR_ROLES, ROLE_EVENT_TIMER, NR_ROLES, ROLE_EVENT_SYSCALL, NR_ROLES,
	ROLE_EVENT_BLOCK, NR_ROLES, ROLE_EVENT_NET, NR_ROLES, ROLE_EVENT_MEM, NR_ROLES,
	ROLE_EVENT_OTHER, NR_ROLES, ROLE_SYMBOL, NR_ROLES,
};
static const enum role timeline_roles[] = {
	EVERYWHERE, TASKS, ROLE_RUN, NR_ROLES, ROLE_WAIT, NR_ROLES, ROLE_PREEMPT, NR_ROLES,
	ROLE_SLEEP, ROLE_IDLE, NR_ROLES, ROLE_BLOCKED, NR_ROLES, ROLE_IRQ, NR_ROLES, ROLE_WAKE,
	NR_ROLES, ROLE_MIGRATE, NR_ROLES, ROLE_NUMBER, NR_ROLES,
};
static const enum role graph_roles[] = {
	EVERYWHERE, SLOW, ROLE_EVENT_IRQ, NR_ROLES, ROLE_EVENT_SOFTIRQ, NR_ROLES, ROLE_ORPHAN,
	NR_ROLES, ROLE_CLIPPED, NR_ROLES,
};

static const enum role flame_roles[] = {
	ROLE_FLAME_1, NR_ROLES, ROLE_FLAME_2, NR_ROLES, ROLE_FLAME_3, NR_ROLES, ROLE_FLAME_4,
	NR_ROLES, ROLE_FLAME_5,
};

static void check_view(const struct theme *t, enum theme_depth depth, const enum role *roles,
		       size_t nr)
{
	unsigned int meaning[NR_ROLES] = { 0 }, meanings = 1;

	for (size_t i = 0; i < nr; i++) {
		if (roles[i] == NR_ROLES)
			meanings++;
		else
			meaning[roles[i]] = meanings;
		if (roles[i] < ROLE_HASH_1 || roles[i] >= ROLE_HASH_1 + NR_HASH_ROLES)
			continue;
		for (unsigned int shade = 1; shade < NR_HASH_SHADES; shade++)
			meaning[theme_shade(roles[i], shade)] = meanings;
	}
	for (size_t a = 0; a < NR_ROLES; a++) {
		for (size_t b = 0; b < a; b++) {
			if (meaning[a] && meaning[b] && meaning[a] != meaning[b] &&
			    t->styles[depth][a].fg == t->styles[depth][b].fg)
				fail_msg("%s, depth %d: roles %zu and %zu share the colour %x",
					 t->name, (int)depth, b, a,
					 (unsigned int)t->styles[depth][a].fg);
		}
	}
}

#define CHECK_VIEW(t, depth, roles) check_view(t, depth, roles, sizeof(roles) / sizeof((roles)[0]))

static void test_a_colour_means_one_thing_in_a_view(void **state)
{
	(void)state;
	for (unsigned int i = 0; theme_builtin(i); i++) {
		struct ft_error err = { 0 };
		struct theme t;

		assert_int_equal(theme_load(&t, theme_builtin(i), &err), 0);
		if (!strcmp(t.name, "mono"))
			continue;
		for (enum theme_depth depth = THEME_256; depth <= THEME_RGB; depth++) {
			CHECK_VIEW(&t, depth, events_roles);
			CHECK_VIEW(&t, depth, timeline_roles);
			CHECK_VIEW(&t, depth, graph_roles);
			CHECK_VIEW(&t, depth, flame_roles);
		}
	}
}

/* 0xrrggbb of a colour, which may be a number of xterm's palette from 16 on. */
static uint32_t rgb_of(enum theme_depth depth, int colour)
{
	static const uint32_t level[] = { 0, 95, 135, 175, 215, 255 };
	unsigned int i = (unsigned int)colour - 16;

	if (depth == THEME_RGB)
		return (uint32_t)colour;
	assert_in_range(colour, 16, 255);
	if (i >= 216)
		return (8 + 10 * (i - 216)) * 0x10101;
	return level[i / 36] << 16 | level[i / 6 % 6] << 8 | level[i % 6];
}

/* Relative luminance, as the Web Content Accessibility Guidelines have it. */
static double luminance(uint32_t rgb)
{
	static const double weights[] = { 0.0722, 0.7152, 0.2126 };
	double sum = 0;

	for (int i = 0; i < 3; i++, rgb >>= 8) {
		double part = (rgb & 255) / 255.0;

		sum += weights[i] *
		       (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(uint32_t a, uint32_t b)
{
	double lighter = fmax(luminance(a), luminance(b)),
	       darker = fmin(luminance(a), luminance(b));

	return (lighter + 0.05) / (darker + 0.05);
}

/* Least contrast: of dim text, bars and lines; of other text; of that in 256 colours. */
#define OF_DIM	3.0
#define OF_TEXT	4.5
#define OF_256	3.9		/* the palette has few dark colours of different hues */

static double least_contrast(enum theme_depth depth, enum role role)
{
	static const enum role dim[] = {
		ROLE_DIM, ROLE_TAB, ROLE_DIVIDER, ROLE_KEYBAR_TEXT, ROLE_FILTERED, ROLE_OFFCPU,
		ROLE_INFERRED, ROLE_OVERVIEW, ROLE_RUN, ROLE_WAIT, ROLE_PREEMPT, ROLE_SLEEP,
		ROLE_BLOCKED, ROLE_STOPPED, ROLE_IDLE, ROLE_IRQ, ROLE_WAKE, ROLE_MIGRATE,
	};

	for (size_t i = 0; i < sizeof(dim) / sizeof(dim[0]); i++)
		if (dim[i] == role)
			return OF_DIM;
	return depth == THEME_RGB ? OF_TEXT : OF_256;
}

/* A role without colours looks like text; a theme without a background keeps the terminal's. */
static void check_contrast(const struct theme *t, enum theme_depth depth, enum role role,
			   enum role over)
{
	struct theme_style style = theme_style(t, depth, role, over);
	uint32_t bg = style.bg != THEME_NO_COLOUR   ? rgb_of(depth, style.bg) :
		      strcmp(t->name, "light") != 0 ? 0x000000 :
						      0xffffff;
	double ratio;

	if (style.fg == THEME_NO_COLOUR)
		return;
	ratio = contrast(rgb_of(depth, style.fg), bg);
	if (ratio < least_contrast(depth, role))
		fail_msg("%s, depth %d: role %d over %d has a contrast of %.2f", t->name,
			 (int)depth, (int)role, (int)over, ratio);
}

/* On the theme's background, and on the selected row. */
static void test_each_role_can_be_read(void **state)
{
	(void)state;
	for (unsigned int i = 0; theme_builtin(i); i++) {
		struct ft_error err = { 0 };
		struct theme t;

		assert_int_equal(theme_load(&t, theme_builtin(i), &err), 0);
		if (!strcmp(t.name, "mono"))
			continue;
		for (enum theme_depth depth = THEME_256; depth <= THEME_RGB; depth++) {
			for (enum role role = 0; role < NR_ROLES; role++) {
				check_contrast(&t, depth, role, ROLE_TEXT);
				if (role >= ROLE_FLAME_1 && role <= ROLE_FLAME_5)
					continue;	/* fillings: the cursor replaces them */
				check_contrast(&t, depth, role, ROLE_SELECTED);
				check_contrast(&t, depth, role, ROLE_SELECTED_INACTIVE);
			}
		}
	}
}

static void test_unknown_theme_is_refused(void **state)
{
	struct ft_error err = { 0 };
	struct theme t;

	(void)state;
	assert_int_equal(theme_load(&t, "drak", &err), -1);
	assert_string_equal(err.message,
			    "no theme 'drak': there are dark, light, mono, high-contrast, "
			    "colour-blind");
	assert_int_equal(theme_load(&t, "./no/such.theme", &err), -1);
	assert_int_equal(err.code, FT_E_IO);
}

static void test_background(void **state)
{
	static const struct { const char *said; enum background answer, variable; } cases[] = {
		{ "11;rgb:ffff/ffff/ffff", BACKGROUND_LIGHT, BACKGROUND_UNKNOWN },
		{ "11;rgb:00/2b/36", BACKGROUND_DARK, BACKGROUND_UNKNOWN },
		{ "11;rgb:f/d/e", BACKGROUND_LIGHT, BACKGROUND_UNKNOWN },
		{ "11;rgba:0000/0000/0000/ffff", BACKGROUND_DARK, BACKGROUND_UNKNOWN },
		{ "11;#fdf6e3", BACKGROUND_LIGHT, BACKGROUND_UNKNOWN },
		{ "11;#111122223333", BACKGROUND_DARK, BACKGROUND_UNKNOWN },
		{ "11;rgb:ffff/ffff", BACKGROUND_UNKNOWN, BACKGROUND_UNKNOWN },
		{ "11;?", BACKGROUND_UNKNOWN, BACKGROUND_UNKNOWN },
		{ "10;rgb:00/00/00", BACKGROUND_UNKNOWN, BACKGROUND_UNKNOWN },
		{ "", BACKGROUND_UNKNOWN, BACKGROUND_UNKNOWN },
		{ "15;0", BACKGROUND_UNKNOWN, BACKGROUND_DARK },
		{ "0;default;15", BACKGROUND_UNKNOWN, BACKGROUND_LIGHT },
		{ "0;7", BACKGROUND_UNKNOWN, BACKGROUND_LIGHT },
		{ "7;8", BACKGROUND_UNKNOWN, BACKGROUND_DARK },
		{ "15;default", BACKGROUND_UNKNOWN, BACKGROUND_UNKNOWN },
		{ "15;16", BACKGROUND_UNKNOWN, BACKGROUND_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(background_of_answer(cases[i].said), cases[i].answer);
		assert_int_equal(background_of_variable(cases[i].said), cases[i].variable);
	}
	assert_int_equal(background_of_variable(NULL), BACKGROUND_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_for_each_depth),
		cmocka_unit_test(test_poorer_depths_take_the_nearest_colour),
		cmocka_unit_test(test_errors_name_line_and_column),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_styles_over_one_another),
		cmocka_unit_test(test_shades_are_computed),
		cmocka_unit_test(test_builtin_themes),
		cmocka_unit_test(test_a_colour_means_one_thing_in_a_view),
		cmocka_unit_test(test_each_role_can_be_read),
		cmocka_unit_test(test_unknown_theme_is_refused),
		cmocka_unit_test(test_background),
	};

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
