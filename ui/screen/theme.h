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
 * mono then uses only the attributes.
 */
#include <stddef.h>
#include <stdint.h>
#include "src/base/error.h"

enum role {
	ROLE_TEXT,
	ROLE_DIM,
	ROLE_HEADER,
	ROLE_HEADER_WARN,
	ROLE_TAB,
	ROLE_TAB_CURRENT,
	ROLE_HEADING,
	ROLE_DIVIDER,
	ROLE_KEYBAR_KEY,
	ROLE_KEYBAR_TEXT,
	ROLE_PROMPT,
	ROLE_PROMPT_HINT,
	ROLE_MESSAGE,
	ROLE_ERROR,
	ROLE_OVERVIEW,
	ROLE_OVERVIEW_WINDOW,
	ROLE_SELECTED,
	ROLE_SELECTED_INACTIVE,
	ROLE_MATCH,
	ROLE_MATCH_CURRENT,
	ROLE_FILTERED,
	ROLE_RANGE,
	ROLE_MARK,
	ROLE_NOTE,
	ROLE_GAP,
	ROLE_DAMAGE,
	ROLE_SLOW_10US,
	ROLE_SLOW_100US,
	ROLE_SLOW_1MS,
	ROLE_SLOW_10MS,
	ROLE_SLOW_100MS,
	ROLE_SLOW_1S,
	ROLE_EVENT_SCHED,
	ROLE_EVENT_IRQ,
	ROLE_EVENT_SOFTIRQ,
	ROLE_EVENT_TIMER,
	ROLE_EVENT_SYSCALL,
	ROLE_EVENT_FUNCTION,
	ROLE_EVENT_BLOCK,
	ROLE_EVENT_NET,
	ROLE_EVENT_MEM,
	ROLE_EVENT_USER,
	ROLE_EVENT_OTHER,
	ROLE_HASH_1,
	ROLE_HASH_12 = ROLE_HASH_1 + 11,
	ROLE_RUN,
	ROLE_WAIT,
	ROLE_PREEMPT,
	ROLE_SLEEP,
	ROLE_BLOCKED,
	ROLE_STOPPED,
	ROLE_IDLE,
	ROLE_IRQ,
	ROLE_LOST,
	ROLE_WAKE,
	ROLE_MIGRATE,
	ROLE_CURSOR_COLUMN,
	ROLE_MARK_COLUMN,
	ROLE_FOLD,
	ROLE_OFFCPU,
	ROLE_ORPHAN,
	ROLE_CLIPPED,
	ROLE_INFERRED,
	ROLE_NUMBER,
	ROLE_STRING,
	ROLE_SYMBOL,
	ROLE_FIELD,
	NR_ROLES
};

#define NR_HASH_ROLES	12

enum theme_depth { THEME_MONO, THEME_16, THEME_256, THEME_RGB, NR_THEME_DEPTHS };

enum theme_attribute {
	THEME_BOLD = 1,
	THEME_UNDERLINE = 2,
	THEME_REVERSE = 4,
	THEME_DIM = 8,
};

#define THEME_NO_COLOUR		(-1)	/* left to what lies below (an overlay) or to the terminal */
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
int theme_parse(struct theme *theme, const char *name, const char *text, size_t len, struct ft_error *err);

/**
 * theme_load() - a theme by name or path
 * @name: a path if it has a '/'; else NAME.theme in the user's configuration, or a built-in theme
 */
int theme_load(struct theme *theme, const char *name, struct ft_error *err);

/* The name of the i-th built-in theme; NULL past the last. */
const char *theme_builtin(unsigned int i);

/*
 * The style of role @over laid over another: @over's colours where it has any, attributes of both.
 */
struct theme_style theme_style(const struct theme *theme, enum theme_depth depth, enum role role, enum role over);
#endif
