/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_THEME_H
#define FTOP_UI_SCREEN_THEME_H
/*
 * theme - what each role looks like on a terminal of 24-bit, 256, 16 or no colours.
 *
 * A theme file has a line for each role, and lines for poorer terminals below it:
 *
 *	selected = on #264f78 bold
 *	256 = on 24
 *	16 = white on blue
 *	mono = reverse
 *
 * A colour is #rrggbb, a number 0..255 of the xterm palette, a name of the 16, or
 * "default".  Without a line, the nearest colour of the line above is used;
 * mono then uses only the attributes.  The shades of the roles hash.1 … are computed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/error.h"

#define NR_HASH_ROLES	12
#define NR_HASH_SHADES	3		/* of each, with itself */

enum role {				/* ROLE_TEXT and so on */
#define ROLE(name, word) ROLE_##name,
#include "ui/screen/role_list.h"
#undef ROLE
	NR_NAMED_ROLES,			/* those that themes name; shades of hash roles follow */
	NR_ROLES = NR_NAMED_ROLES + (NR_HASH_SHADES - 1) * NR_HASH_ROLES
};

enum theme_depth { THEME_MONO, THEME_16, THEME_256, THEME_RGB, NR_THEME_DEPTHS };

enum theme_attribute {
	THEME_BOLD = 1,
	THEME_UNDERLINE = 2,
	THEME_REVERSE = 4,
	THEME_DIM = 8,
};

/* left to what lies below (an overlay) or to the terminal */
#define THEME_NO_COLOUR	(-1)
#define THEME_DEFAULT_COLOUR	(-2)	/* the terminal's own: "default" */

struct theme_style {
	int32_t	fg, bg;		/* 0xrrggbb, 0..255 or 0..15 by the depth; or one of the above */
	uint8_t	attributes;
};

struct theme {
	char			name[64];
	struct theme_style	styles[NR_THEME_DEPTHS][NR_ROLES];
};

/* Read a theme from text; an error names line and column in its message. */
int theme_parse(struct theme *theme, const char *name, const char *text, size_t len,
		struct ft_error *err);

/**
 * theme_load() - a theme by name or path
 * @name: a path if it has a '/'; else NAME.theme in the user's configuration, or a built-in theme
 */
int theme_load(struct theme *theme, const char *name, struct ft_error *err);

/* A role by its name in themes, "event.irq"; NR_ROLES: there is none. */
enum role theme_role(const char *name);

/*
 * A hash role, lighter or darker by @shade, 0 .. NR_HASH_SHADES - 1; 0 is the role itself.  With 16
 * colours or fewer all look like it; with 256, those that the palette has no free colour for.
 */
static inline enum role theme_shade(enum role hash, unsigned int shade)
{
	return shade ? (enum role)(NR_NAMED_ROLES + (shade - 1) * NR_HASH_ROLES +
				   (hash - ROLE_HASH_1)) :
		       hash;
}

/* The name of the i-th built-in theme; NULL past the last. */
const char *theme_builtin(unsigned int i);

/* Has any role a colour, so that colours say something? */
bool theme_has_colours(const struct theme *theme, enum theme_depth depth);

/*
 * The style of role @over laid over another: @over's colours where it has any, attributes of both.
 */
struct theme_style theme_style(const struct theme *theme, enum theme_depth depth, enum role role,
			       enum role over);
/*
 * The style of a cell that is filled with the role's colour: with text in it (reversed), or whole.
 */
struct theme_style theme_fill_style(const struct theme *theme, enum theme_depth depth,
				    enum role role, bool whole);
#endif
