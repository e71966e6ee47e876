/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/json.h"

#include <string.h>

struct json_reader {
	const char *at, *end;
};

static void skip_blanks(struct json_reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
		r->at++;
}

static bool take(struct json_reader *r, char c)
{
	skip_blanks(r);
	if (r->at >= r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 :
				      -1;
}

/* Four digits after "\u". */
static bool take_hex(struct json_reader *r, uint32_t *cp)
{
	*cp = 0;
	if (r->end - r->at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(*r->at++);

		if (digit < 0)
			return false;
		*cp = *cp << 4 | (uint32_t)digit;
	}
	return true;
}

static void add_utf8(struct text *out, uint32_t cp)
{
	if (cp < 0x80) {
		text_char(out, (char)cp);
		return;
	}
	if (cp < 0x800) {
		text_char(out, (char)(0xc0 | cp >> 6));
	} else {
		if (cp < 0x10000) {
			text_char(out, (char)(0xe0 | cp >> 12));
		} else {
			text_char(out, (char)(0xf0 | cp >> 18));
			text_char(out, (char)(0x80 | (cp >> 12 & 0x3f)));
		}
		text_char(out, (char)(0x80 | (cp >> 6 & 0x3f)));
	}
	text_char(out, (char)(0x80 | (cp & 0x3f)));
}

/* After a backslash.  @out may be NULL. */
static bool take_escape(struct json_reader *r, struct text *out)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *letter;
	uint32_t cp, low;

	if (r->at >= r->end)
		return false;
	if (*r->at == 'u') {
		r->at++;
		if (!take_hex(r, &cp))
			return false;
		if (cp >= 0xd800 && cp < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\' &&
		    r->at[1] == 'u') {
			r->at += 2;
			if (!take_hex(r, &low))
				return false;
			cp = low >= 0xdc00 && low < 0xe000 ?
				     0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00) :
				     0xfffd;
		} else if (cp >= 0xd800 && cp < 0xe000) {
			cp = 0xfffd;
		}
		/* a NUL would end the C string */
		if (out && cp)
			add_utf8(out, cp);
		return true;
	}
	letter = strchr(letters, *r->at);
	if (!letter || !*letter)
		return false;
	r->at++;
	if (out)
		text_char(out, meant[letter - letters]);
	return true;
}

static bool take_string(struct json_reader *r, struct text *out)
{
	if (!take(r, '"'))
		return false;
	while (r->at < r->end && *r->at != '"') {
		char c = *r->at++;

		if ((unsigned char)c < 0x20)
			return false;
		if (c == '\\') {
			if (!take_escape(r, out))
				return false;
		} else if (out) {
			text_char(out, c);
		}
	}
	return take(r, '"');
}

static bool is_word(const char *s, size_t len)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && !memcmp(s, words[i], len))
			return true;
	return false;
}

/* A number or one of the three words. */
static bool take_plain(struct json_reader *r)
{
	const char *start = r->at;

	while (r->at < r->end && (strchr("+-.eE", *r->at) || (*r->at >= '0' && *r->at <= '9')) &&
	       *r->at)
		r->at++;
	if (r->at > start && start[r->at - start - 1] >= '0' && start[r->at - start - 1] <= '9' &&
	    (r->at >= r->end || *r->at < 'a' || *r->at > 'z'))
		return *start == '-' || (*start >= '0' && *start <= '9');
	while (r->at < r->end && *r->at >= 'a' && *r->at <= 'z')
		r->at++;
	return is_word(start, (size_t)(r->at - start));
}

static bool take_value(struct json_reader *r, int depth)
{
	char close;
	bool object;

	skip_blanks(r);
	if (r->at >= r->end || depth > JSON_MAX_DEPTH)
		return false;
	if (*r->at == '"')
		return take_string(r, NULL);
	if (*r->at != '{' && *r->at != '[')
		return take_plain(r);
	object = *r->at == '{';
	close = object ? '}' : ']';
	r->at++;
	if (take(r, close))
		return true;
	do {
		if (object && (!take_string(r, NULL) || !take(r, ':')))
			return false;
		if (!take_value(r, depth + 1))
			return false;
	} while (take(r, ','));
	return take(r, close);
}

/* Take a value, and note where it is. */
static bool find_value(struct json_reader *r, int depth, struct json *value)
{
	skip_blanks(r);
	value->at = r->at;
	if (!take_value(r, depth))
		return false;
	value->len = (size_t)(r->at - value->at);
	return true;
}

bool json_parse(const char *line, size_t len, struct json *value)
{
	struct json_reader r = { line, line + len };

	if (!find_value(&r, 0, value))
		return false;
	skip_blanks(&r);
	return r.at == r.end;
}

bool json_member(const struct json *object, const char *name, struct json *value)
{
	struct json_reader r = { object->at, object->at + object->len };
	struct text key = { 0 };
	bool found = false;

	if (!take(&r, '{'))
		return false;
	do {
		text_clear(&key);
		if (!take_string(&r, &key) || !take(&r, ':') || !find_value(&r, 1, value))
			break;
		found = !strcmp(text_str(&key), name);
	} while (!found && take(&r, ','));
	text_fini(&key);
	return found;
}

bool json_element(const struct json *array, const char **next, struct json *value)
{
	struct json_reader r = { *next, array->at + array->len };

	if (!array->len || *array->at != '[')
		return false;
	if (!take(&r, *next == array->at ? '[' : ',') || !find_value(&r, 1, value))
		return false;
	*next = r.at;
	return true;
}

bool json_number(const struct json *value, uint64_t *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < value->len; i++) {
		unsigned int digit = (unsigned int)(value->at[i] - '0');

		if (digit > 9 || n > (UINT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	if (!value->len)
		return false;
	*out = n;
	return true;
}

bool json_true(const struct json *value)
{
	return value->len == 4 && !memcmp(value->at, "true", 4);
}

bool json_get_string(const struct json *object, const char *name, struct text *out)
{
	struct json value;
	struct json_reader r;

	if (!json_member(object, name, &value) || !value.len || *value.at != '"')
		return false;
	text_clear(out);
	r = (struct json_reader){ value.at, value.at + value.len };
	return take_string(&r, out);
}

void json_get_printable(const struct json *object, const char *name, struct text *out)
{
	struct text raw = { 0 };

	if (json_get_string(object, name, &raw))
		text_printable(out, text_str(&raw), raw.len);
	text_fini(&raw);
}

bool json_get_number(const struct json *object, const char *name, uint64_t *out)
{
	struct json value;

	return json_member(object, name, &value) && json_number(&value, out);
}

bool json_is(const struct json *object, const char *name, const char *string)
{
	struct text t = { 0 };
	bool same = json_get_string(object, name, &t) && !strcmp(text_str(&t), string);

	text_fini(&t);
	return same;
}
