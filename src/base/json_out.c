/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/json_out.h"

#include <string.h>

/* The comma, and the key. */
static void begin(struct text *out, const char *key)
{
	if (out->len && !memchr("{[:\n", out->data[out->len - 1], 4))
		text_char(out, ',');
	if (!key)
		return;
	text_char(out, '"');
	text_json(out, key, strlen(key));
	text_bytes(out, "\":", 2);
}

void json_out_key(struct text *out, const char *key)
{
	begin(out, key);
}

void json_out_object(struct text *out, const char *key)
{
	begin(out, key);
	text_char(out, '{');
}

void json_out_array(struct text *out, const char *key)
{
	begin(out, key);
	text_char(out, '[');
}

void json_out_end(struct text *out, char bracket)
{
	text_char(out, bracket);
}

void json_out_end_line(struct text *out)
{
	text_bytes(out, "}\n", 2);
}

void json_out_bytes(struct text *out, const char *key, const char *s, size_t len)
{
	begin(out, key);
	text_char(out, '"');
	text_json(out, s, len);
	text_char(out, '"');
}

void json_out_string(struct text *out, const char *key, const char *s)
{
	json_out_bytes(out, key, s, strlen(s));
}

void json_out_u64(struct text *out, const char *key, uint64_t v)
{
	begin(out, key);
	text_u64(out, v);
}

void json_out_i64(struct text *out, const char *key, int64_t v)
{
	begin(out, key);
	text_i64(out, v);
}

void json_out_bool(struct text *out, const char *key, bool v)
{
	begin(out, key);
	text_add(out, v ? "true" : "false");
}

void json_out_null(struct text *out, const char *key)
{
	begin(out, key);
	text_add(out, "null");
}

void json_out_exact_u64(struct text *out, const char *key, uint64_t v)
{
	bool quoted = v > JSON_OUT_EXACT;

	begin(out, key);
	text_add(out, quoted ? "\"" : "");
	text_u64(out, v);
	text_add(out, quoted ? "\"" : "");
}

void json_out_exact_i64(struct text *out, const char *key, int64_t v)
{
	bool quoted = v > (int64_t)JSON_OUT_EXACT || v < -(int64_t)JSON_OUT_EXACT;

	begin(out, key);
	text_add(out, quoted ? "\"" : "");
	text_i64(out, v);
	text_add(out, quoted ? "\"" : "");
}
