/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/screen/keymap.h"
#include "ui/screen/popup.h"
#include "ui/screen/prompt.h"
#include "src/base/shorten.h"

static enum prompt_result type(struct prompt *p, const char *s)
{
	enum prompt_result r = PROMPT_SAME;

	for (uint32_t cp; *s; s += text_decode(s, strlen(s), &cp)) {
		text_decode(s, strlen(s), &cp);
		r = prompt_key(p, cp);
	}
	return r;
}

static void test_editing(void **state)
{
	struct prompt p = { 0 };

	(void)state;
	prompt_open(&p, ":", "", NULL);
	assert_int_equal(type(&p, "añb日"), PROMPT_CHANGED);
	prompt_key(&p, UI_KEY_LEFT);
	prompt_key(&p, UI_KEY_BACKSPACE);
	assert_string_equal(text_str(&p.text), "añ日");
	prompt_key(&p, UI_KEY_BACKSPACE);
	assert_string_equal(text_str(&p.text), "a日");
	prompt_key(&p, UI_KEY_HOME);
	prompt_key(&p, UI_KEY_DELETE);
	assert_string_equal(text_str(&p.text), "日");
	prompt_key(&p, UI_KEY_END);
	type(&p, " one two");
	prompt_key(&p, UI_KEY_CTRL('W'));
	assert_string_equal(text_str(&p.text), "日 one ");
	prompt_key(&p, UI_KEY_CTRL('U'));
	assert_string_equal(text_str(&p.text), "");
	assert_int_equal(prompt_key(&p, UI_KEY_BACKSPACE), PROMPT_CANCELLED);
	assert_int_equal(prompt_key(&p, UI_KEY_ESC), PROMPT_CANCELLED);
	assert_int_equal(prompt_key(&p, 0x07), PROMPT_SAME);
	prompt_fini(&p);
}

static void test_history(void **state)
{
	struct prompt_history h = { 0 };
	struct prompt p = { 0 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		prompt_open(&p, "/", "", &h);
		type(&p, i ? "second" : "first");
		assert_int_equal(prompt_key(&p, UI_KEY_ENTER), PROMPT_ACCEPTED);
	}
	prompt_open(&p, "/", "", &h);
	type(&p, "half");
	prompt_key(&p, UI_KEY_UP);
	assert_string_equal(text_str(&p.text), "second");
	prompt_key(&p, UI_KEY_UP);
	prompt_key(&p, UI_KEY_UP);
	assert_string_equal(text_str(&p.text), "first");
	prompt_key(&p, UI_KEY_DOWN);
	prompt_key(&p, UI_KEY_DOWN);
	assert_string_equal(text_str(&p.text), "half");
	for (int i = 0; i < 3 * PROMPT_HISTORY; i++) {
		char line[16];

		snprintf(line, sizeof(line), "%d", i);
		prompt_history_add(&h, line);
	}
	assert_int_equal(h.nr, PROMPT_HISTORY);
	prompt_fini(&p);
	prompt_history_fini(&h);
}

/* The error stands over its place; a line longer than the screen follows its cursor. */
static void test_drawing(void **state)
{
	struct prompt p = { 0 };
	struct text t = { 0 };
	struct canvas c;

	(void)state;
	canvas_init(&c, 2, 30);
	prompt_open(&p, ":", "12.3x", NULL);
	p.wrong = true;
	p.wrong_at = 4;
	text_add(&p.hint, "no unit");
	prompt_draw(&p, &c);
	canvas_print(&c, &t);
	assert_string_equal(text_str(&t), "      v no unit\n :12.3x\n");
	assert_int_equal(c.cursor_row, 1);
	assert_int_equal(c.cursor_col, 7);

	text_clear(&t);
	canvas_clear(&c);
	prompt_open(&p, ":", "0123456789012345678901234567890123456789", NULL);
	prompt_draw(&p, &c);
	canvas_print(&c, &t);
	assert_string_equal(text_str(&t), "\n :345678901234567890123456789\n");
	assert_int_equal(c.cursor_col, 29);

	/* What does not fit is said to be left out, until the line is another. */
	for (int i = 0; i < PROMPT_MAX_BYTES; i++)
		prompt_key(&p, 'x');
	text_clear(&t);
	canvas_clear(&c);
	prompt_draw(&p, &c);
	canvas_print(&c, &t);
	assert_string_equal(text_str(&t), "\n :xxxxxxxxx  no room for more\n");
	assert_int_equal(p.text.len, PROMPT_MAX_BYTES);
	prompt_key(&p, UI_KEY_BACKSPACE);
	text_clear(&t);
	canvas_clear(&c);
	prompt_draw(&p, &c);
	canvas_print(&c, &t);
	assert_string_equal(text_str(&t), "\n :xxxxxxxxxxxxxxxxxxxxxxxxxxx\n");
	prompt_open(&p, ":", "0123456789012345678901234567890123456789", NULL);

	/* What is wrong lies beyond the edge: the words are there all the same. */
	text_clear(&t);
	canvas_clear(&c);
	p.cursor = 0;
	p.wrong = true;
	p.wrong_at = 36;
	p.wrong_to = 39;
	text_clear(&p.hint);
	text_add(&p.hint, "no unit");
	prompt_draw(&p, &c);
	canvas_print(&c, &t);
	assert_string_equal(text_str(&t),
			    "                     no unit v\n :012345678901234567890123456\n");
	text_fini(&t);
	prompt_fini(&p);
	canvas_fini(&c);
}

/*
 * A sentence takes the rows that it needs, where there are some: what is wrong, and what is called
 * one.
 */
static void test_long_hint(void **state)
{
	struct prompt p = { 0 };
	struct text t = { 0 };
	struct canvas c;

	(void)state;
	canvas_init(&c, 5, 20);
	prompt_open(&p, ":", "12.3x", NULL);
	p.wrong = true;
	p.wrong_at = 4;
	text_add(&p.hint, "no unit is x; did you mean ms or us?");
	prompt_draw(&p, &c);
	canvas_print(&c, &t);
	assert_string_equal(text_str(&t),
			    "\n no unit is x; did\n you mean ms or us?\n      v\n :12.3x\n");

	text_clear(&t);
	canvas_clear(&c);
	p.wrong = false;
	p.is_sentence = true;
	prompt_draw(&p, &c);
	canvas_print(&c, &t);
	assert_string_equal(text_str(&t), "\n\n no unit is x; did\n you mean ms or us?\n :12.3x\n");

	text_clear(&t);
	canvas_clear(&c);
	p.is_sentence = false;
	prompt_draw(&p, &c);
	canvas_print(&c, &t);
	assert_string_equal(text_str(&t), "\n\n\n no unit is x; did …\n :12.3x\n");
	canvas_fini(&c);

	text_clear(&t);
	canvas_init(&c, 2, 20);
	p.is_sentence = true;
	prompt_draw(&p, &c);
	canvas_print(&c, &t);
	assert_string_equal(text_str(&t), " no unit is x; did …\n :12.3x\n");
	text_fini(&t);
	prompt_fini(&p);
	canvas_fini(&c);
}

static enum popup_result press(struct popup *p, ui_key key)
{
	return popup_key(p, key, keymap_find(key));
}

static void take(struct app *app, int value)
{
	(void)app;
	(void)value;
}

static void add_lines(struct popup *p, bool choose)
{
	static const struct picker to_read = { .keys = "q Back" },
				   to_choose = { .keys = "q Back", .take = take };

	popup_open(p, choose ? &to_choose : &to_read, "title");
	popup_add(p, 0, true, "heading");
	for (int i = 0; i < 20; i++) {
		char line[16];

		snprintf(line, sizeof(line), "line %d", i);
		popup_add(p, i, false, line);
	}
	popup_start(p);
}

static void test_popup_chooses(void **state)
{
	struct popup p = { 0 };
	struct canvas c;

	(void)state;
	canvas_init(&c, 8, 40);
	add_lines(&p, true);
	popup_draw(&p, &c);
	assert_int_equal(p.lines[p.window.at].value, 0);	/* not the heading */
	assert_int_equal(press(&p, UI_KEY_UP), POPUP_STAYS);
	assert_int_equal(p.lines[p.window.at].value, 0);
	press(&p, 'G');
	assert_int_equal(p.lines[p.window.at].value, 19);
	press(&p, 'j');
	assert_int_equal(p.lines[p.window.at].value, 19);
	assert_true(popup_find(&p, "LINE 7", true));
	assert_int_equal(p.lines[p.window.at].value, 7);
	assert_false(popup_find(&p, "nowhere", true));
	assert_int_equal(press(&p, UI_KEY_ESC), POPUP_STAYS);	/* the search first */
	assert_int_equal(press(&p, UI_KEY_ENTER), POPUP_CHOSEN);
	assert_int_equal(press(&p, ' '), POPUP_TOGGLED);
	assert_int_equal(press(&p, UI_KEY_ESC), POPUP_CLOSED);
	popup_close(&p);
	canvas_fini(&c);
}

static void test_popup_scrolls(void **state)
{
	struct popup p = { 0 };
	struct canvas c;

	(void)state;
	canvas_init(&c, 8, 40);		/* five lines of text */
	add_lines(&p, false);
	popup_draw(&p, &c);
	assert_int_equal(p.window.height, 5);
	press(&p, 'G');
	popup_draw(&p, &c);
	assert_int_equal(p.window.top, 21 - 5);
	press(&p, UI_KEY_PAGE_UP);
	assert_int_equal(p.window.top, 21 - 5 - 4); /* a page keeps one line in
							   sight, as in all lists */
	press(&p, 'g');
	assert_int_equal(p.window.top, 0);
	assert_int_equal(press(&p, 'q'), POPUP_CLOSED);
	popup_close(&p);
	canvas_fini(&c);
}

static void test_shortening(void **state)
{
	static const struct {
		void		(*fn)(const char *, int, struct text *);
		const char	*in;
		int		cells;
		const char	*out;
	} cases[] = {
		{ shorten_end, "abcdef", 6, "abcdef" },
		{ shorten_end, "abcdef", 5, "abcd…" },
		{ shorten_end, "abcdef", 0, "" },
		{ shorten_middle, "abcdefgh", 5, "ab…gh" },
		{ shorten_function, "finish_task_switch.isra.0", 30, "finish_task_switch.isra.0" },
		{ shorten_function, "finish_task_switch.isra.0", 20, "finish_task_switch…" },
		{ shorten_function, "finish_task_switch.isra.0", 11, "finis…sra.0" },
		{ shorten_event, "} /* put_prev_entity 1.322 µs */", 40, "} /* put_prev_entity 1.322 µs */" },
		{ shorten_event, "} /* __traceiter_sched_switch 2.924 µs */", 37, "} /* __traceiter…sched_sw 2.924 µs */" },
		{ shorten_event, "} /* update_rq_clock.part.0 2.924 µs */", 35, "} /* update_rq_clock… 2.924 µs */" },
		{ shorten_event, "} /* unfinished", 8, "} /* un…" },
		{ shorten_event, "plain text", 6, "plain…" },
		{ shorten_event, "update_rq_clock.part.0();  2.924 µs", 30, "update_rq_clock…();  2.924 µs" },
		{ shorten_event, "R+ → kworker/1:1-48 [120]", 25, "R+ → kworker/1:1-48 [120]" },
		{ shorten_event, "R+ → kworker/1:1-48 [120]", 24, "R+ → kworker/1:1-48" },
		{ shorten_event, "R+ → kworker/1:1-48 [120]", 17, "R+ → kwo…r/1:1-48" },
		{ shorten_event, "sh-80 [120] → CPU 1", 15, "sh-80 → CPU 1" },
	};

	struct text behind = { 0 };

	(void)state;
	shorten_behind("filter: a && b && c", 8, 14, &behind);
	assert_string_equal(text_str(&behind), "filter: … && c");
	text_fini(&behind);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t = { 0 };

		cases[i].fn(cases[i].in, cases[i].cells, &t);
		assert_in_range(canvas_width(text_str(&t), t.len), 0, cases[i].cells);
		if (i != 8) /* where exactly the middle is, is of no
				   weight: name and duration are there */
			assert_string_equal(text_str(&t), cases[i].out);
		else
			assert_non_null(strstr(text_str(&t), " 2.924 µs */"));
		text_fini(&t);
	}
}

static void test_shortening_of_tasks(void **state)
{
	static const struct { const char *comm; int pid, cells; const char *out; } cases[] = {
		{ "bash", 1450, 16, "bash-1450" },
		{ "ksoftirqd/3", 30, 12, "ksoftir…3-30" },
		{ "rcu_preempt", 15, 12, "rcu_pree…-15" },
		{ "kworker/u8:2-events_unbound", 77, 16, "kwo…_unbound-77" },
		{ "a_long_command", 4194304, 10, "a…-4194304" },
		{ "a_long_command", 4194304, 8, "-4194304" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t = { 0 };

		shorten_task(cases[i].comm, cases[i].pid, cases[i].cells, &t);
		assert_in_range(canvas_width(text_str(&t), t.len), 0, cases[i].cells);
		if (i != 3)
			assert_string_equal(text_str(&t), cases[i].out);
		else
			assert_non_null(strstr(text_str(&t), "unbound-77"));
		text_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_editing),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_drawing),
		cmocka_unit_test(test_long_hint),
		cmocka_unit_test(test_popup_chooses),
		cmocka_unit_test(test_popup_scrolls),
		cmocka_unit_test(test_shortening),
		cmocka_unit_test(test_shortening_of_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
