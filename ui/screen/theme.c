/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/theme.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/paths.h"
#include "src/base/text.h"
#include "ui/screen/builtin_themes.h"		/* made from themes/, see local.mk */

#define MAX_THEME_BYTES	(256 * 1024)

static const char *const role_names[NR_NAMED_ROLES] = {
#define ROLE(name, word) word,
#include "ui/screen/role_list.h"
#undef ROLE
};

static const char *const colour_names[16] = {
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"bright-black", "bright-red", "bright-green", "bright-yellow",
	"bright-blue", "bright-magenta", "bright-cyan", "bright-white",
};

static const struct {
	const char	*name;
	uint8_t		 attribute;
} attribute_names[] = {
	{ "bold", THEME_BOLD },
	{ "underline", THEME_UNDERLINE },
	{ "reverse", THEME_REVERSE },
	{ "dim", THEME_DIM },
};

/* xterm's first 16 colours (0xrrggbb), to find the nearest. */
static const uint32_t palette16[16] = {
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
};

/* A colour as written: an RGB value or a palette number. */
struct colour {
	enum { COLOUR_NONE, COLOUR_DEFAULT, COLOUR_PALETTE, COLOUR_RGB } kind;
	uint32_t	value;
};

struct written_style {
	struct colour	fg, bg;
	uint8_t		attributes;
};

static uint32_t palette_rgb(uint32_t i)
{
	static const uint8_t level[6] = { 0, 95, 135, 175, 215, 255 };

	if (i < 16)
		return palette16[i];
	if (i < 232) {
		i -= 16;
		return (uint32_t)level[i / 36] << 16 | level[i / 6 % 6] << 8 | level[i % 6];
	}
	i = 8 + (i - 232) * 10;
	return i << 16 | i << 8 | i;
}

/* Of a colour from one of the palette. */
static long distance(uint32_t rgb, uint32_t i)
{
	uint32_t p = palette_rgb(i);
	long r = (long)(rgb >> 16 & 255) - (p >> 16 & 255);
	long g = (long)(rgb >> 8 & 255) - (p >> 8 & 255);
	long b = (long)(rgb & 255) - (p & 255);

	return 2 * r * r + 4 * g * g + 3 * b * b;
}

static uint32_t nearest(uint32_t rgb, uint32_t first, uint32_t last)
{
	uint32_t best = first;

	for (uint32_t i = first; i <= last; i++)
		if (distance(rgb, i) < distance(rgb, best))
			best = i;
	return best;
}

static int32_t resolve(const struct colour *colour, enum theme_depth depth)
{
	if (colour->kind == COLOUR_NONE || depth == THEME_MONO)
		return THEME_NO_COLOUR;
	if (colour->kind == COLOUR_DEFAULT)
		return THEME_DEFAULT_COLOUR;
	switch (depth) {
	case THEME_RGB:
		return colour->kind == COLOUR_RGB ? colour->value : palette_rgb(colour->value);
	case THEME_256:
		return colour->kind == COLOUR_RGB ? nearest(colour->value, 16, 255) : colour->value;
	case THEME_16:
		if (colour->kind == COLOUR_PALETTE && colour->value < 16)
			return colour->value;
		return nearest(colour->kind == COLOUR_RGB ? colour->value :
							    palette_rgb(colour->value),
			       0, 15);
	case THEME_MONO:
	case NR_THEME_DEPTHS:
		break;
	}
	return THEME_NO_COLOUR;
}

/* --- parsing ------------------------------------------------------------- */

struct theme_parser {
	const char	*s, *end;	/* what is left of the line */
	const char	*line_start;
	unsigned int	 line;
	struct ft_error	*err;
	const char	*file_start;
};

struct theme_word {
	const char	*s;
	size_t		 len;
};

static struct theme_word next_word(struct theme_parser *p)
{
	struct theme_word w;

	while (p->s < p->end && (*p->s == ' ' || *p->s == '\t' || *p->s == '\r'))
		p->s++;
	w.s = p->s;
	if (p->s < p->end && *p->s == '=') {
		p->s++;
	} else {
		while (p->s < p->end && !strchr(" \t\r=", *p->s))
			p->s++;
	}
	w.len = p->s - w.s;
	return w;
}

static bool word_is(const struct theme_word *w, const char *s)
{
	return w->len == strlen(s) && !memcmp(w->s, s, w->len);
}

static int fail(struct theme_parser *p, const struct theme_word *w, const char *what)
{
	struct text shown = { 0 };

	text_printable(&shown, w->s, w->len > 40 ? 40 : w->len);
	ft_error_set(p->err, FT_E_FORMAT, w->s - p->file_start, "line %u, column %u: %s%s%s%s",
		     p->line, (unsigned int)(w->s - p->line_start) + 1, what, w->len ? " '" : "",
		     text_str(&shown), w->len ? "'" : "");
	text_fini(&shown);
	return -1;
}

static int parse_colour(struct theme_parser *p, const struct theme_word *w, struct colour *colour)
{
	char buf[8], *end;

	if (word_is(w, "default")) {
		colour->kind = COLOUR_DEFAULT;
		return 0;
	}
	for (unsigned int i = 0; i < 16; i++) {
		if (word_is(w, colour_names[i])) {
			*colour = (struct colour){ COLOUR_PALETTE, i };
			return 0;
		}
	}
	if (w->len >= sizeof(buf) || !w->len)
		return fail(p, w, "unknown colour");
	memcpy(buf, w->s, w->len);
	buf[w->len] = '\0';
	if (buf[0] == '#') {
		if (w->len != 7 || strspn(buf + 1, "0123456789abcdefABCDEF") != 6)
			return fail(p, w, "not a #rrggbb colour");
		*colour = (struct colour){ COLOUR_RGB, strtoul(buf + 1, NULL, 16) };
		return 0;
	}
	if (buf[0] < '0' || buf[0] > '9')
		return fail(p, w, "unknown colour");
	*colour = (struct colour){ COLOUR_PALETTE, strtoul(buf, &end, 10) };
	if (*end || colour->value > 255)
		return fail(p, w, "not a colour number 0..255");
	return 0;
}

static bool parse_attribute(const struct theme_word *w, struct written_style *style)
{
	for (size_t i = 0; i < sizeof(attribute_names) / sizeof(attribute_names[0]); i++) {
		if (word_is(w, attribute_names[i].name)) {
			style->attributes |= attribute_names[i].attribute;
			return true;
		}
	}
	return false;
}

/* [colour] [on colour] [attributes] */
static int parse_style(struct theme_parser *p, struct written_style *style)
{
	bool first = true;

	for (;;) {
		struct theme_word w = next_word(p);

		if (!w.len)
			return first ? fail(p, &w, "a colour or an attribute is missing") : 0;
		if (word_is(&w, "on") && style->bg.kind == COLOUR_NONE) {
			w = next_word(p);
			if (parse_colour(p, &w, &style->bg))
				return -1;
		} else if (!parse_attribute(&w, style)) {
			if (!first)
				return fail(p, &w, "unknown attribute");
			if (parse_colour(p, &w, &style->fg))
				return -1;
		}
		first = false;
	}
}

static void set_style(struct theme *theme, enum theme_depth depth, enum role role,
		      const struct written_style *style)
{
	theme->styles[depth][role] = (struct theme_style){
		.fg = resolve(&style->fg, depth),
		.bg = resolve(&style->bg, depth),
		.attributes = style->attributes,
	};
}

static int parse_line(struct theme_parser *p, struct theme *theme, int *role)
{
	static const struct { const char *name; enum theme_depth depth; } depths[] = {
		{ "256", THEME_256 }, { "16", THEME_16 }, { "mono", THEME_MONO },
	};
	struct written_style style = { 0 };
	struct theme_word key = next_word(p), equal;
	int depth = -1;

	if (!key.len || key.s[0] == '#')
		return 0;
	equal = next_word(p);
	if (!word_is(&equal, "="))
		return fail(p, &equal, "'=' expected, found");
	for (size_t i = 0; i < 3; i++)
		if (word_is(&key, depths[i].name))
			depth = depths[i].depth;
	if (depth >= 0) {
		if (*role < 0)
			return fail(p, &key, "no role above this line for");
		if (parse_style(p, &style))
			return -1;
		set_style(theme, depth, *role, &style);
		/* also for fewer colours, until their own line */
		if (depth == THEME_256 || depth == THEME_16)
			for (int d = THEME_16; d < depth; d++)
				set_style(theme, d, *role, &style);
		return 0;
	}
	for (*role = 0; *role < NR_NAMED_ROLES && !word_is(&key, role_names[*role]); (*role)++)
		;
	if (*role == NR_NAMED_ROLES)
		return fail(p, &key, "unknown role");
	if (parse_style(p, &style))
		return -1;
	for (int d = 0; d < NR_THEME_DEPTHS; d++)
		set_style(theme, d, *role, &style);
	return 0;
}

/* --- shades -------------------------------------------------------------- */

#define BRIGHT	200			/* of 255: lighter shades of such a colour look alike */
#define NEAR	4000			/* distance(): red is a level off, no more */

static unsigned int brightness(uint32_t rgb)
{
	return (2 * (rgb >> 16 & 255) + 5 * (rgb >> 8 & 255) + (rgb & 255)) / 8;
}

/* Part of the way to white or black. */
static uint32_t shade_of(uint32_t rgb, unsigned int shade, bool to_black)
{
	unsigned int percent = shade * (to_black ? 20 : 30), mixed = 0;

	for (int bits = 16; bits >= 0; bits -= 8) {
		unsigned int part = (rgb >> bits & 255) * (100 - percent) +
				    (to_black ? 0 : 255) * percent;

		mixed |= part / 100 << bits;
	}
	return mixed;
}

/* In the palette's cube of six levels of red, green and blue, levels higher or lower. */
static uint32_t palette_shade(int32_t colour, int levels)
{
	int32_t shade = 16;

	for (int unit = 36; unit; unit /= 6) {
		int level = (colour - 16) / unit % 6 + levels;

		shade += unit * (level < 0 ? 0 : level > 5 ? 5 : level);
	}
	return palette_rgb((uint32_t)shade);
}

static bool is_taken(const struct theme *theme, int32_t colour)
{
	for (int role = 0; role < NR_ROLES; role++)
		if (theme->styles[THEME_256][role].fg == colour)
			return true;
	return false;
}

/* The nearest colour of the palette that no role has; @otherwise, if none looks like it. */
static int32_t free_colour(const struct theme *theme, uint32_t rgb, int32_t otherwise)
{
	int32_t best = otherwise;
	long least = NEAR;

	for (int32_t i = 16; i < 232; i++) {
		if (distance(rgb, (uint32_t)i) < least && !is_taken(theme, i)) {
			least = distance(rgb, (uint32_t)i);
			best = i;
		}
	}
	return best;
}

/* Shades are further from the background than their colour, except those of bright ones. */
static void add_shade(struct theme *theme, enum role hash, unsigned int shade)
{
	int32_t text = theme->styles[THEME_RGB][ROLE_TEXT].fg;
	int32_t rgb = theme->styles[THEME_RGB][hash].fg, fg = theme->styles[THEME_256][hash].fg;
	bool to_black = (text >= 0 && brightness((uint32_t)text) < 128) ||
			(rgb >= 0 && brightness((uint32_t)rgb) > BRIGHT);
	enum role role = theme_shade(hash, shade);

	for (int depth = 0; depth < NR_THEME_DEPTHS; depth++)
		theme->styles[depth][role] = theme->styles[depth][hash];
	if (rgb >= 0)
		rgb = (int32_t)shade_of((uint32_t)rgb, shade, to_black);
	theme->styles[THEME_RGB][role].fg = rgb;
	if (fg >= 16 && fg < 232) {
		uint32_t wanted = palette_shade(fg, to_black ? -(int)shade : (int)shade);

		fg = free_colour(theme, wanted, fg);
	}
	theme->styles[THEME_256][role].fg = fg;
}

int theme_parse(struct theme *theme, const char *name, const char *text, size_t len,
		struct ft_error *err)
{
	struct theme_parser p = { .file_start = text, .err = err };
	const char *end = text + len, *line = text;
	int role = -1;

	memset(theme, 0, sizeof(*theme));
	snprintf(theme->name, sizeof(theme->name), "%s", name);
	for (int d = 0; d < NR_THEME_DEPTHS; d++)
		for (int r = 0; r < NR_ROLES; r++)
			theme->styles[d][r] = (struct theme_style){ THEME_NO_COLOUR,
				THEME_NO_COLOUR, 0 };
	while (line < end) {
		const char *eol = memchr(line, '\n', end - line);

		if (!eol)
			eol = end;
		p.s = p.line_start = line;
		p.end = eol;
		p.line++;
		if (parse_line(&p, theme, &role))
			return -1;
		line = eol + 1;
	}
	for (unsigned int shade = 1; shade < NR_HASH_SHADES; shade++)
		for (enum role hash = ROLE_HASH_1; hash < ROLE_HASH_1 + NR_HASH_ROLES; hash++)
			add_shade(theme, hash, shade);
	return 0;
}

/* --- files --------------------------------------------------------------- */

enum role theme_role(const char *name)
{
	enum role role = 0;

	while (role < NR_NAMED_ROLES && strcmp(role_names[role], name) != 0)
		role++;
	return role < NR_NAMED_ROLES ? role : NR_ROLES;
}

const char *theme_builtin(unsigned int i)
{
	return i < sizeof(builtin_themes) / sizeof(builtin_themes[0]) ? builtin_themes[i].name :
									NULL;
}

static int load_file(struct theme *theme, const char *name, const char *path, struct ft_error *err)
{
	char *buf;
	ssize_t len;
	int fd = open(path, O_RDONLY | O_CLOEXEC), result;

	if (fd < 0)
		return ft_error_errno(err, errno, -1, "theme %s", path);
	buf = mem_alloc(MAX_THEME_BYTES + 1);
	len = read(fd, buf, MAX_THEME_BYTES + 1);
	if (len < 0)
		result = ft_error_errno(err, errno, -1, "theme %s", path);
	else if (len > MAX_THEME_BYTES)
		result = ft_error_set(err, FT_E_LIMIT, -1, "theme %s is longer than %d bytes", path,
				      MAX_THEME_BYTES);
	else if ((result = theme_parse(theme, name, buf, len, err)))
		ft_error_prefix(err, "theme %s", path);
	free(buf);
	close(fd);
	return result;
}

int theme_load(struct theme *theme, const char *name, struct ft_error *err)
{
	char relative[128], path[4096];
	struct text known = { 0 };

	if (strchr(name, '/'))
		return load_file(theme, name, name, err);
	if (snprintf(relative, sizeof(relative), "themes/%s.theme", name) < (int)sizeof(relative) &&
	    paths_config(relative, path, sizeof(path)) && !access(path, F_OK))
		return load_file(theme, name, path, err);
	for (unsigned int i = 0; theme_builtin(i); i++) {
		if (!strcmp(theme_builtin(i), name)) {
			text_fini(&known);
			return theme_parse(theme, name, builtin_themes[i].text,
					   strlen(builtin_themes[i].text), err);
		}
		text_printf(&known, "%s%s", i ? ", " : "", theme_builtin(i));
	}
	ft_error_set(err, FT_E_USAGE, -1, "no theme '%s': there are %s", name, text_str(&known));
	text_fini(&known);
	return -1;
}

bool theme_has_colours(const struct theme *theme, enum theme_depth depth)
{
	for (int role = 0; role < NR_ROLES; role++)
		if (theme->styles[depth][role].fg >= 0 || theme->styles[depth][role].bg >= 0)
			return true;
	return false;
}

struct theme_style theme_style(const struct theme *theme, enum theme_depth depth, enum role role,
			       enum role over)
{
	struct theme_style style = theme->styles[depth][role];
	const struct theme_style *text = &theme->styles[depth][ROLE_TEXT],
				 *top = &theme->styles[depth][over];

	if (style.fg == THEME_NO_COLOUR)
		style.fg = text->fg;
	if (style.bg == THEME_NO_COLOUR)
		style.bg = text->bg;
	if (over != ROLE_TEXT) {
		if (top->fg != THEME_NO_COLOUR)
			style.fg = top->fg;
		if (top->bg != THEME_NO_COLOUR)
			style.bg = top->bg;
		style.attributes |= top->attributes;
		/*
		 * A reversed row needs one colour, or its background would change from word to
		 * word.
		 */
		if (top->attributes & THEME_REVERSE && top->fg == THEME_NO_COLOUR) {
			style.fg = text->fg;
			style.attributes &= ~THEME_DIM;
		}
	}
	return style;
}

struct theme_style theme_fill_style(const struct theme *theme, enum theme_depth depth,
				    enum role role, bool whole)
{
	struct theme_style style = theme_style(theme, depth, role, ROLE_TEXT);

	if (whole)
		style.bg = style.fg;
	else
		style.attributes = (style.attributes | THEME_REVERSE) & ~THEME_DIM;
	return style;
}
