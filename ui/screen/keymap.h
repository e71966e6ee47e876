/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_KEYMAP_H
#define FTOP_UI_SCREEN_KEYMAP_H
/*
 * keymap - maps names to keys, and keys to requests: most take one key, some wait for
 * a letter after it.
 */
#include "src/base/text.h"
#include "ui/screen/key.h"
#include "ui/screen/request.h"

/*
 * A key by its name: "q" "^L" "F1" "PgDn" "Space" "S-Tab"; UI_KEY_NONE if no key has this name.
 */
ui_key key_parse(const char *name, unsigned int len);
void key_name(ui_key key, struct text *out);

struct keymap {
	enum request	pending;	/* waits for a letter, or REQ_NONE */
	const char	*lists;		/* borrowed; letters of choose-list
					   in this view; NULL: the table's */
};

struct keymap_result {
	enum request	request;	/* REQ_NONE: nothing (yet) */
	char		letter;		/* a letter that the request takes; REQ_VIEW's digit */
	bool		unknown;	/* no request has this key, or the
					   pending one does not take it */
};

/* The request of one key; REQ_NONE if it is free.  ui/app/press.c asks it once for each key. */
enum request keymap_find(ui_key key);
/* @request: that of @key; the result waits for the letter of a request that takes one */
struct keymap_result keymap_press(struct keymap *keymap, ui_key key, enum request request);
ui_key keymap_first_key(enum request request);	/* the first of its keys */
#endif
