/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/canvas.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

/*
 * Replacements, one cell each, of the glyphs that the program draws. Fonts of the Linux console
 * have some, or similar ones; for others it gets the ASCII one. A bar has three heights there.
 */
static const struct glyph {
	const char	*glyph;
	char		 ascii[2];
	const char	*console;	/* NULL: the ASCII one */
	const char	*both;		/* in ASCII, for it and a blank behind it; NULL: none */
} glyphs[] = {
	{ "µ", "u", "µ" }, { "·", ".", "·" }, { "×", "x" }, { "Δ", "D" }, { "Σ", "S" },
	{ "–", "-" }, { "…", "~" }, { "‹", "<" }, { "←", "<", "←" }, { "↑", "^", "↑" },
	{ "→", ">", "→", "->" }, { "↓", "v", "↓" }, { "⇄", "%" }, { "−", "-" },
	{ "≥", ">", "≥", ">=" }, { "─", "-", "─" }, { "│", "|", "│" }, { "┊", ":" }, { "┃", "|", "│" },
	{ "›", ">" },
	{ "▀", "\"", "▀" }, { "▁", ".", "_" }, { "╵", "'" }, { "▂", ":", "_" },
	{ "▃", "-", "▄" }, { "▄", "=", "▄" }, { "═", "=" }, { "┈", "_", "─" }, { "╌", "~" },
	{ "»", ">", "»" }, { "▼", "v" }, { "▅", "+", "▄" }, { "▆", "*", "▄" },
	{ "▇", "#", "█" }, { "█", "#", "█" }, { "░", "?", "░" }, { "▒", "/", "▒" },
	{ "▓", "*", "▓" }, { "▮", "o" }, { "▲", "^" }, { "▴", "^" }, { "▸", "+" },
	{ "▏", "." }, { "▎", ":" }, { "▍", ":" }, { "▌", "-", "▌" },
	{ "▋", "=", "▌" }, { "▊", "=", "▌" }, { "▉", "#", "█" },
	{ "▾", "-", "v" }, { "◂", "<" }, { "●", "*" }, { "⟫", ">", "»" },
};

/* What is shown instead of a character beyond ASCII; NULL: itself.  @blank: one is behind it. */
static const char *replaced(const struct canvas *canvas, const char *s, size_t len, bool blank)
{
	for (size_t i = 0; i < sizeof(glyphs) / sizeof(glyphs[0]); i++) {
		if (strlen(glyphs[i].glyph) != len || memcmp(glyphs[i].glyph, s, len) != 0)
			continue;
		if (canvas->ascii && blank && glyphs[i].both)
			return glyphs[i].both;
		return canvas->ascii || !glyphs[i].console ? glyphs[i].ascii : glyphs[i].console;
	}
	return canvas->ascii ? "?" : NULL;
}

void canvas_init(struct canvas *canvas, int rows, int cols)
{
	memset(canvas, 0, sizeof(*canvas));
	canvas_resize(canvas, rows, cols);
}

void canvas_fini(struct canvas *canvas)
{
	free(canvas->cells);
	memset(canvas, 0, sizeof(*canvas));
}

void canvas_resize(struct canvas *canvas, int rows, int cols)
{
	canvas->rows = rows < 1 ? 1 : rows;
	canvas->cols = cols < 1 ? 1 : cols;
	free(canvas->cells);
	canvas->cells = mem_array((size_t)canvas->rows * canvas->cols, sizeof(*canvas->cells));
	canvas_clear(canvas);
}

static void blank(struct canvas_cell *cell, uint8_t role)
{
	memset(cell, 0, sizeof(*cell));
	cell->glyph[0] = ' ';
	cell->width = 1;
	cell->role = role;
}

void canvas_clear(struct canvas *canvas)
{
	for (size_t i = 0; i < (size_t)canvas->rows * canvas->cols; i++)
		blank(&canvas->cells[i], ROLE_TEXT);
	canvas->cursor_row = canvas->cursor_col = -1;
}

const struct canvas_cell *canvas_at(const struct canvas *canvas, int row, int col)
{
	return &canvas->cells[(size_t)row * canvas->cols + col];
}

/* Clears a cell for a new glyph, and the other half if it held a wide character. */
static struct canvas_cell *take(struct canvas *canvas, int row, int col)
{
	struct canvas_cell *cell = &canvas->cells[(size_t)row * canvas->cols + col];

	if (cell->width == 0 && col > 0)
		blank(cell - 1, cell[-1].role);
	if (cell->width == 2 && col + 1 < canvas->cols)
		blank(cell + 1, cell[1].role);
	return cell;
}

static bool obeyed_by_terminals(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0);
}

static void put(struct canvas *canvas, int row, int col, int width, enum role role, const char *s,
		size_t len)
{
	struct canvas_cell *cell = take(canvas, row, col);

	blank(cell, role);
	memcpy(cell->glyph, s, len);
	cell->glyph[len] = '\0';
	cell->width = width;
	if (width == 2) {
		cell = take(canvas, row, col + 1);
		memset(cell, 0, sizeof(*cell));
		cell->role = role;
	}
}

static void combine(struct canvas *canvas, int row, int col, const char *s, size_t len)
{
	struct canvas_cell *cell = &canvas->cells[(size_t)row * canvas->cols + col];
	size_t used;

	if (cell->width == 0 && col > 0)
		cell--;
	used = strlen(cell->glyph);
	if (used + len < CANVAS_GLYPH_BYTES)	/* the cell was zeroed: the NUL is there */
		memcpy(cell->glyph + used, s, len);
}

int canvas_bytes(struct canvas *canvas, int row, int col, int cells, enum role role, const char *s,
		 size_t len)
{
	int end = cells > canvas->cols - col ? canvas->cols : col + cells;
	int start = col;

	if (row < 0 || row >= canvas->rows || col < 0)
		return 0;
	while (len && col <= end) {
		uint32_t cp;
		size_t n = text_decode(s, len, &cp);
		int width = text_width(cp);
		const char *other = NULL;

		if ((canvas->ascii || canvas->console) && cp > 0x7e)
			other = replaced(canvas, s, n, col + 1 < end && len > n && s[n] == ' ');
		if (obeyed_by_terminals(cp) || (cp == 0xfffd && n == 1)) {
			if (col < end)
				put(canvas, row, col++, 1, role, "?", 1);
			else
				break;
		} else if (width == 0) {
			if (col > start && !canvas->ascii)
				combine(canvas, row, col - 1, s, n);
		} else if (col + width > end) {
			if (width == 2 && col < end)
				put(canvas, row, col++, 1, role, " ", 1);
			break;
		} else if (other) {
			bool both = canvas->ascii && other[1];

			for (int i = 0; i < width; i++)
				put(canvas, row, col++, 1, role, other, both ? 1 : strlen(other));
			if (both)
				put(canvas, row, col++, 1, role, other + 1, 1);
			n += both;
		} else {
			put(canvas, row, col, width, role, s, n);
			col += width;
		}
		s += n;
		len -= n;
	}
	return col - start;
}

int canvas_text(struct canvas *canvas, int row, int col, int cells, enum role role, const char *s)
{
	return canvas_bytes(canvas, row, col, cells, role, s, strlen(s));
}

int canvas_fit(struct canvas *canvas, int row, int col, int cells, enum role role, const char *s)
{
	size_t len = strlen(s), n;
	int used;

	if (cells > canvas->cols - col)
		cells = canvas->cols - col;
	if (cells <= 0)
		return 0;
	n = canvas_prefix(s, len, cells, NULL);
	if (n == len)
		return canvas_bytes(canvas, row, col, cells, role, s, len);
	n = canvas_prefix(s, len, cells - 1, &used);
	canvas_bytes(canvas, row, col, used, role, s, n);
	canvas_text(canvas, row, col + used, 1, role, "…");
	return used + 1;
}

void canvas_right(struct canvas *canvas, int row, int col, int cells, enum role role, const char *s)
{
	int width = canvas_width(s, strlen(s));

	if (width < cells)
		canvas_text(canvas, row, col + cells - width, width, role, s);
	else
		canvas_fit(canvas, row, col, cells, role, s);
}

/*
 * A blank between a number and its unit, within a number in groups of three, or between "CPU" and
 * its number.
 */
static bool holds_together(const char *s, size_t blank)
{
	static const char *const units[] = { "ns",  "µs",  "us", "ms", "s", "%",
					     "KiB", "MiB", "kB", "MB", "GB" };
	const char *word = s + blank + 1;
	size_t len = strcspn(word, " ,.;:)");

	if (blank >= 3 && !memcmp(s + blank - 3, "CPU", 3) && *word >= '0' && *word <= '9')
		return true;
	if (!blank || s[blank - 1] < '0' || s[blank - 1] > '9')
		return false;
	if (len == 3 && strspn(word, "0123456789") == 3)
		return true;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (len == strlen(units[i]) && !memcmp(word, units[i], len))
			return true;
	return false;
}

size_t canvas_line(const char *s, int cells)
{
	size_t fits = canvas_prefix(s, strlen(s), cells, NULL), len = fits;

	if (!s[fits])
		return fits;
	while (len && (s[len] != ' ' || holds_together(s, len)))
		len--;
	return len ? len : fits;
}

int canvas_lines(const char *s, int cells)
{
	size_t len = 1;		/* 0: there is no room for a character */
	int lines = 0;

	for (s += strspn(s, " "); *s && len; s += strspn(s, " "), lines++) {
		len = canvas_line(s, cells);
		s += len;
	}
	return lines;
}

/* Bytes of the first sentence, with its full stop. */
static size_t first_sentence(const char *s)
{
	const char *end = s;

	while ((end = strstr(end, ". ")) != NULL && !isupper((unsigned char)end[2]) && end[2])
		end += 2;
	return end ? (size_t)(end - s) + 1 : strlen(s);
}

void canvas_words(struct canvas *canvas, int row, int end, const char *s)
{
	const char *answer = s + first_sentence(s);
	int room = canvas->cols - 1;

	for (; row < end && *s; row++) {
		size_t len = canvas_line(s, room);
		bool cut = row + 1 == end && s[len + strspn(s + len, " ")];

		if (cut)	/* do not cut a number in two */
			len = canvas_line(s, room - 2);
		canvas_bytes(canvas, row, 1, room, ROLE_TEXT, s, len);
		if (s < answer)
			canvas_bytes(canvas, row, 1, room, ROLE_HEADING, s,
				     answer < s + len ? (size_t)(answer - s) : len);
		if (cut)
			canvas_text(canvas, row, 2 + canvas_width(s, len), 1, ROLE_TEXT, "…");
		s += len;
		s += strspn(s, " ");
	}
}

void canvas_fill(struct canvas *canvas, int row, int col, int cells, enum role role,
		 const char *glyph)
{
	for (int i = 0; i < cells && col + i < canvas->cols; i++)
		canvas_text(canvas, row, col + i, 1, role, glyph);
}

void canvas_fill_cell(struct canvas *canvas, int row, int col, enum role role, const char *glyph)
{
	if (canvas_text(canvas, row, col, 1, role, glyph))
		canvas->cells[(size_t)row * canvas->cols + col].filled = true;
}

int canvas_fill_text(struct canvas *canvas, int row, int col, int cells, enum role role,
		     const char *s)
{
	int used = canvas_text(canvas, row, col, cells, role, s);

	for (int i = 0; i < used; i++)
		canvas->cells[(size_t)row * canvas->cols + col + i].filled = true;
	return used;
}

void canvas_over(struct canvas *canvas, int row, int col, int cells, enum role over)
{
	if (row < 0 || row >= canvas->rows)
		return;
	for (int i = 0; i < cells; i++)
		if (col + i >= 0 && col + i < canvas->cols)
			canvas->cells[(size_t)row * canvas->cols + col + i].over = over;
}

void canvas_cursor(struct canvas *canvas, int row, int col, int cells, enum role over)
{
	canvas_text(canvas, row, col, 1, ROLE_TEXT, ">");
	canvas_over(canvas, row, col, cells, over);
}

/* Characters that must not reach a terminal are drawn as "?", of width 1. */
static int shown_width(uint32_t cp)
{
	return obeyed_by_terminals(cp) ? 1 : text_width(cp);
}

size_t canvas_prefix(const char *s, size_t len, int cells, int *used)
{
	return text_prefix_by(s, len, cells, used, shown_width);
}

int canvas_width(const char *s, size_t len)
{
	int used;

	canvas_prefix(s, len, INT_MAX / 2, &used);
	return used;
}

void canvas_print(const struct canvas *canvas, struct text *out)
{
	for (int row = 0; row < canvas->rows; row++) {
		size_t end = out->len;

		for (int col = 0; col < canvas->cols; col++) {
			const char *glyph = canvas_at(canvas, row, col)->glyph;

			text_add(out, glyph);
			if (strcmp(glyph, " ") && *glyph)
				end = out->len;
		}
		out->len = end;
		text_char(out, '\n');
	}
}
