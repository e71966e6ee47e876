/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_KEY_H
#define FTOP_UI_SCREEN_KEY_H
/*
 * key - a key press as one number: a character is its code point (Ctrl-L is 0x0c);
 * other keys have numbers above Unicode.
 */
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t ui_key;

enum ui_special_key {
	UI_KEY_NONE = 0x200000,
	UI_KEY_UP,
	UI_KEY_DOWN,
	UI_KEY_LEFT,
	UI_KEY_RIGHT,
	UI_KEY_PAGE_UP,
	UI_KEY_PAGE_DOWN,
	UI_KEY_HOME,
	UI_KEY_END,
	UI_KEY_BACKSPACE,
	UI_KEY_DELETE,
	UI_KEY_SHIFT_TAB,
	UI_KEY_RESIZE,
	UI_KEY_MOUSE,
	UI_KEY_F0 = 0x200100,		/* F1 is UI_KEY_F0 + 1 */
};

#define UI_KEY_CTRL(letter)	((ui_key)(letter) & 0x1f)
#define UI_KEY_TAB		((ui_key)'\t')
#define UI_KEY_ENTER		((ui_key)'\r')
#define UI_KEY_ESC		((ui_key)0x1b)

enum ui_mouse_kind {
	UI_MOUSE_PRESS,
	UI_MOUSE_DRAG,
	UI_MOUSE_RELEASE,
	UI_MOUSE_DOUBLE,
	UI_MOUSE_WHEEL_UP,
	UI_MOUSE_WHEEL_DOWN,
};

struct ui_mouse {			/* what the mouse did, for the UI_KEY_MOUSE read last */
	enum ui_mouse_kind	kind;
	int			row, col;
	bool			ctrl;		/* held down */
};
#endif
