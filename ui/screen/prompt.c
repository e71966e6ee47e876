/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define MAX_HINT_ROWS	3
#define FULL		"no room for more"

void prompt_history_add(struct prompt_history *history, const char *line)
{
	if (!*line || (history->nr && !strcmp(history->lines[history->nr - 1], line)))
		return;
	if (history->nr == PROMPT_HISTORY) {
		free(history->lines[0]);
		memmove(history->lines, history->lines + 1,
			sizeof(history->lines[0]) * --history->nr);
	}
	history->lines[history->nr++] = mem_strdup(line);
}

void prompt_history_fini(struct prompt_history *history)
{
	for (unsigned int i = 0; i < history->nr; i++)
		free(history->lines[i]);
	history->nr = 0;
}

void prompt_open(struct prompt *prompt, const char *label, const char *text,
		 struct prompt_history *history)
{
	prompt->label = label;
	prompt->history = history;
	prompt->at = history ? history->nr : 0;
	text_clear(&prompt->text);
	text_clear(&prompt->typed);
	text_clear(&prompt->hint);
	text_add(&prompt->text, text);
	prompt->cursor = prompt->text.len;
	prompt->wrong = prompt->is_sentence = prompt->full = false;
	prompt->wrong_at = prompt->wrong_to = -1;
	text_clear(&prompt->note);
}

void prompt_fini(struct prompt *prompt)
{
	text_fini(&prompt->text);
	text_fini(&prompt->typed);
	text_fini(&prompt->hint);
	text_fini(&prompt->note);
}

static size_t before(const struct prompt *p, size_t pos)
{
	if (!pos)
		return 0;
	pos--;
	while (pos && (p->text.data[pos] & 0xc0) == 0x80)
		pos--;
	return pos;
}

static size_t behind(const struct prompt *p, size_t pos)
{
	uint32_t cp;

	return pos + text_decode(text_str(&p->text) + pos, p->text.len - pos, &cp);
}

static void cut(struct prompt *p, size_t from, size_t to)
{
	p->full = false;
	memmove(p->text.data + from, p->text.data + to, p->text.len - to + 1);
	p->text.len -= to - from;
	p->cursor = from;
}

static void insert(struct prompt *p, const char *s, size_t len)
{
	struct text tail = { 0 };

	p->full = p->text.len + len > PROMPT_MAX_BYTES;
	if (p->full)
		return;
	text_add(&tail, text_str(&p->text) + p->cursor);
	p->text.len = p->cursor;
	text_bytes(&p->text, s, len);
	p->cursor = p->text.len;
	text_add(&p->text, text_str(&tail));
	text_fini(&tail);
}

void prompt_replace(struct prompt *p, size_t from, const char *s)
{
	if (from < p->cursor)
		cut(p, from, p->cursor);
	insert(p, s, strlen(s));
}

static size_t word_before(const struct prompt *p)
{
	size_t pos = p->cursor;

	while (pos && p->text.data[pos - 1] == ' ')
		pos--;
	while (pos && p->text.data[pos - 1] != ' ')
		pos--;
	return pos;
}

static enum prompt_result look_through(struct prompt *p, int step)
{
	unsigned int nr = p->history ? p->history->nr : 0;

	if ((step < 0 && p->at == 0) || (step > 0 && p->at >= nr))
		return PROMPT_SAME;
	if (p->at == nr) {
		text_clear(&p->typed);
		text_add(&p->typed, text_str(&p->text));
	}
	p->at += step;
	text_clear(&p->text);
	text_add(&p->text, p->at == nr ? text_str(&p->typed) : p->history->lines[p->at]);
	p->cursor = p->text.len;
	p->full = false;
	return PROMPT_CHANGED;
}

static void insert_key(struct prompt *p, ui_key key)
{
	char utf8[4];
	size_t len = 0;

	if (key < 0x80) {
		utf8[len++] = key;
	} else {
		int more = key < 0x800 ? 1 : key < 0x10000 ? 2 : 3;

		utf8[len++] = (more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0) | key >> 6 * more;
		while (more--)
			utf8[len++] = 0x80 | (key >> 6 * more & 0x3f);
	}
	insert(p, utf8, len);
}

enum prompt_result prompt_key(struct prompt *p, ui_key key)
{
	switch (key) {
	case UI_KEY_ENTER:
		if (p->history)
			prompt_history_add(p->history, text_str(&p->text));
		return PROMPT_ACCEPTED;
	case UI_KEY_ESC:
	case UI_KEY_CTRL('C'):
		return PROMPT_CANCELLED;
	case UI_KEY_LEFT:
	case UI_KEY_CTRL('B'):
		p->cursor = before(p, p->cursor);
		return PROMPT_SAME;
	case UI_KEY_RIGHT:
	case UI_KEY_CTRL('F'):
		p->cursor = behind(p, p->cursor);
		return PROMPT_SAME;
	case UI_KEY_HOME:
	case UI_KEY_CTRL('A'):
		p->cursor = 0;
		return PROMPT_SAME;
	case UI_KEY_END:
	case UI_KEY_CTRL('E'):
		p->cursor = p->text.len;
		return PROMPT_SAME;
	case UI_KEY_UP:
	case UI_KEY_CTRL('P'):
		return look_through(p, -1);
	case UI_KEY_DOWN:
	case UI_KEY_CTRL('N'):
		return look_through(p, 1);
	case UI_KEY_BACKSPACE:
		if (!p->text.len)
			return PROMPT_CANCELLED;
		if (!p->cursor)
			return PROMPT_SAME;
		cut(p, before(p, p->cursor), p->cursor);
		return PROMPT_CHANGED;
	case UI_KEY_DELETE:
	case UI_KEY_CTRL('D'):
		if (p->cursor == p->text.len)
			return PROMPT_SAME;
		cut(p, p->cursor, behind(p, p->cursor));
		return PROMPT_CHANGED;
	case UI_KEY_CTRL('W'):
		if (!p->cursor)
			return PROMPT_SAME;
		cut(p, word_before(p), p->cursor);
		return PROMPT_CHANGED;
	case UI_KEY_CTRL('U'):
		if (!p->cursor)
			return PROMPT_SAME;
		cut(p, 0, p->cursor);
		return PROMPT_CHANGED;
	case UI_KEY_CTRL('K'):
		if (p->cursor == p->text.len)
			return PROMPT_SAME;
		cut(p, p->cursor, p->text.len);
		p->cursor = p->text.len;
		return PROMPT_CHANGED;
	}
	if (key < 0x20 || key > 0x10ffff || (key >= 0x7f && key < 0xa0))
		return PROMPT_SAME;
	insert_key(p, key);
	return PROMPT_CHANGED;
}

/* Finds the columns of the wrong part, limited to the screen: at least one column. */
static void find_wrong(const struct prompt *p, const struct canvas *canvas, int left, int shift,
		       int *from, int *to)
{
	int cols = canvas->cols;

	*from = left + canvas_width(text_str(&p->text), p->wrong_at) - shift;
	*to = p->wrong_to > p->wrong_at ?
		      left + canvas_width(text_str(&p->text), p->wrong_to) - shift :
		      *from + 1;
	*from = *from < 1 ? 1 : *from > cols - 1 ? cols - 1 : *from;
	*to = *to < *from + 1 ? *from + 1 : *to > cols ? cols : *to;
}

/* Draws a caret above the wrong part, and a line of its length. */
static void draw_caret(const struct prompt *p, struct canvas *canvas, int from, int to)
{
	int row = canvas->rows - 1;

	canvas_text(canvas, row - 1, from, 1, ROLE_ERROR, "v");
	if (to > from + 1)
		canvas_fill(canvas, row - 1, from + 1, to - from - 1, ROLE_ERROR, "~");
	if (p->wrong_to > p->wrong_at)
		canvas_over(canvas, row, from, to - from, ROLE_ERROR);
}

static const char *next_line(const char *s, int room)
{
	s += canvas_line(s, room);
	return s + strspn(s, " ");
}

/*
 * @last is its lowest row: a sentence takes several, a list of keys or words one, which cuts its
 * end.
 */
static void draw_hint(const struct prompt *p, struct canvas *canvas, int last, enum role role)
{
	const char *s = text_str(&p->hint);
	int room = canvas->cols - 1, most = p->wrong || p->is_sentence ? MAX_HINT_ROWS : 1, nr = 1;

	for (const char *rest = next_line(s, room); *rest && nr < most && nr <= last;
	     rest = next_line(rest, room))
		nr++;
	for (int row = last - nr + 1; row <= last; row++, s = next_line(s, room)) {
		canvas_fill(canvas, row, 0, canvas->cols, ROLE_PROMPT_HINT, " ");
		if (row < last)
			canvas_bytes(canvas, row, 1, room, role, s, canvas_line(s, room));
		else
			canvas_fit(canvas, row, 1, room, role, s);
	}
}

/*
 * The caret is above the error; the words are after it, else before it, else on their own row
 * above.
 */
static void draw_error(const struct prompt *p, struct canvas *canvas, int left, int shift)
{
	int row = canvas->rows - 2, cols = canvas->cols;
	int width = canvas_width(text_str(&p->hint), p->hint.len), from, to;

	find_wrong(p, canvas, left, shift, &from, &to);
	draw_caret(p, canvas, from, to);
	if (to + 1 + width < cols) {
		canvas_text(canvas, row, to + 1, width, ROLE_ERROR, text_str(&p->hint));
	} else if (from - 1 - width >= 1) {
		canvas_text(canvas, row, from - 1 - width, width, ROLE_ERROR, text_str(&p->hint));
	} else if (row > 0) {
		draw_hint(p, canvas, row - 1, ROLE_ERROR);
	}
}

void prompt_draw(const struct prompt *p, struct canvas *canvas)
{
	int row = canvas->rows - 1, cols = canvas->cols;
	const char *right = p->full ? FULL : text_str(&p->note);
	int label = canvas_width(p->label, strlen(p->label)),
	    note = canvas_width(right, strlen(right));
	int at = canvas_width(text_str(&p->text), p->cursor);
	int room = cols - 1 - label - 1 - (note ? note + 2 : 0), shift = at > room ? at - room : 0;
	size_t skip = canvas_prefix(text_str(&p->text), p->text.len, shift, NULL);

	canvas_fill(canvas, row, 0, cols, ROLE_PROMPT, " ");
	canvas_text(canvas, row, 1, label, ROLE_HEADING, p->label);
	canvas_text(canvas, row, 1 + label, room, ROLE_PROMPT, text_str(&p->text) + skip);
	canvas_text(canvas, row, cols - 1 - note, note, p->full ? ROLE_ERROR : ROLE_PROMPT_HINT,
		    right);
	canvas->cursor_row = row;
	canvas->cursor_col = 1 + label + at - shift;
	if (!p->hint.len || canvas->rows < 2)
		return;
	canvas_fill(canvas, row - 1, 0, cols, ROLE_PROMPT_HINT, " ");
	if (p->wrong && p->wrong_at >= 0)
		draw_error(p, canvas, 1 + label, shift);
	else
		draw_hint(p, canvas, row - 1, p->wrong ? ROLE_ERROR : ROLE_PROMPT_HINT);
}
