/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/keymap.h"

#include <string.h>

static const struct {
	const char	*name;
	ui_key		 key;
} key_names[] = {
	{ "Up", UI_KEY_UP },
	{ "Down", UI_KEY_DOWN },
	{ "Left", UI_KEY_LEFT },
	{ "Right", UI_KEY_RIGHT },
	{ "PgUp", UI_KEY_PAGE_UP },
	{ "PgDn", UI_KEY_PAGE_DOWN },
	{ "Home", UI_KEY_HOME },
	{ "End", UI_KEY_END },
	{ "Backspace", UI_KEY_BACKSPACE },
	{ "Del", UI_KEY_DELETE },
	{ "S-Tab", UI_KEY_SHIFT_TAB },
	{ "Tab", UI_KEY_TAB },
	{ "Enter", UI_KEY_ENTER },
	{ "Esc", UI_KEY_ESC },
	{ "Space", ' ' },
};

#define NR_KEY_NAMES (sizeof(key_names) / sizeof(key_names[0]))

ui_key key_parse(const char *name, unsigned int len)
{
	uint32_t cp;

	for (size_t i = 0; i < NR_KEY_NAMES; i++)
		if (strlen(key_names[i].name) == len && !memcmp(key_names[i].name, name, len))
			return key_names[i].key;
	if (len == 2 && name[0] == '^' && name[1] >= '@' && name[1] <= '_')
		return UI_KEY_CTRL(name[1]);
	if (len >= 2 && len <= 3 && name[0] == 'F' && name[1] >= '1' && name[1] <= '9') {
		unsigned int n = name[1] - '0';

		if (len == 3 && name[2] >= '0' && name[2] <= '9')
			n = n * 10 + name[2] - '0';
		else if (len == 3)
			return UI_KEY_NONE;
		return UI_KEY_F0 + n;
	}
	if (len && text_decode(name, len, &cp) == len)
		return cp;
	return UI_KEY_NONE;
}

static void add_utf8(struct text *out, uint32_t cp)
{
	if (cp < 0x80) {
		text_char(out, cp);
	} else if (cp < 0x800) {
		text_char(out, 0xc0 | cp >> 6);
		text_char(out, 0x80 | (cp & 0x3f));
	} else if (cp < 0x10000) {
		text_char(out, 0xe0 | cp >> 12);
		text_char(out, 0x80 | (cp >> 6 & 0x3f));
		text_char(out, 0x80 | (cp & 0x3f));
	} else {
		text_char(out, 0xf0 | cp >> 18);
		text_char(out, 0x80 | (cp >> 12 & 0x3f));
		text_char(out, 0x80 | (cp >> 6 & 0x3f));
		text_char(out, 0x80 | (cp & 0x3f));
	}
}

void key_name(ui_key key, struct text *out)
{
	for (size_t i = 0; i < NR_KEY_NAMES; i++) {
		if (key_names[i].key == key) {
			text_add(out, key_names[i].name);
			return;
		}
	}
	if (key > UI_KEY_F0 && key < UI_KEY_F0 + 100)
		text_printf(out, "F%u", key - UI_KEY_F0);
	else if (key < 0x20)
		text_printf(out, "^%c", (int)key + '@');
	else if (key <= 0x10ffff)
		add_utf8(out, key);
	else
		text_add(out, "?");
}

/* Calls fn for each key of a request until it returns true. */
static bool each_key(const char *keys, bool (*fn)(ui_key key, void *arg), void *arg)
{
	while (*keys) {
		size_t len = strcspn(keys, " ");

		if (fn(key_parse(keys, len), arg))
			return true;
		keys += len;
		keys += strspn(keys, " ");
	}
	return false;
}

static bool is_key(ui_key key, void *arg)
{
	return key == *(ui_key *)arg;
}

enum request keymap_find(ui_key key)
{
	for (int r = REQ_NONE + 1; r < NR_REQUESTS; r++)
		if (each_key(request_info(r)->keys, is_key, &key))
			return r;
	return REQ_NONE;
}

static bool take_key(ui_key key, void *arg)
{
	*(ui_key *)arg = key;
	return true;
}

ui_key keymap_first_key(enum request request)
{
	ui_key key = UI_KEY_NONE;

	each_key(request_info(request)->keys, take_key, &key);
	return key;
}

static bool accepts(const struct keymap *keymap, enum request request, char letter)
{
	if (request == REQ_CHOOSE_LIST && keymap->lists)
		return letter && strchr(keymap->lists, letter);
	return request_accepts(request, letter);
}

struct keymap_result keymap_press(struct keymap *keymap, ui_key key, enum request request)
{
	struct keymap_result result = { 0 };
	enum request pending = keymap->pending;

	if (pending != REQ_NONE) {
		keymap->pending = REQ_NONE;
		if (key == UI_KEY_ESC || key == UI_KEY_CTRL('C'))
			return result;
		if (key < 0x7f && accepts(keymap, pending, (char)key)) {
			result.request = pending;
			result.letter = key;
		} else {
			result.unknown = true;
		}
		return result;
	}
	result.request = request;
	if (result.request == REQ_NONE) {
		result.unknown = true;
	} else if (request_takes_letter(result.request)) {
		keymap->pending = result.request;
		result.request = REQ_NONE;
	} else if (result.request == REQ_VIEW) {
		result.letter = (char)key;
	}
	return result;
}
