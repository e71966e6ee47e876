/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_JSON_OUT_H
#define FTOP_SRC_BASE_JSON_OUT_H
/*
 * json_out - appends JSON to a text: objects, arrays, their members and elements.
 *
 * A comma is written unless '{', '[', ':' or the beginning of a line precedes.  Keys and strings
 * are foreign bytes, and are escaped (text_json()).  A NULL key appends an element of an array, or
 * a value on its own.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/text.h"

/* above it, readers that parse numbers as doubles lose digits */
#define JSON_OUT_EXACT (UINT64_C(1) << 53)

void json_out_key(struct text *out, const char *key);	/* the value follows, with a NULL key */

/* '{'; end it with json_out_end(out, '}') */
void json_out_object(struct text *out, const char *key);
/* '['; end it with json_out_end(out, ']') */
void json_out_array(struct text *out, const char *key);
void json_out_end(struct text *out, char bracket);
void json_out_end_line(struct text *out);			/* '}' and a newline */

void json_out_string(struct text *out, const char *key, const char *s);
void json_out_bytes(struct text *out, const char *key, const char *s, size_t len);
void json_out_u64(struct text *out, const char *key, uint64_t v);
void json_out_i64(struct text *out, const char *key, int64_t v);
void json_out_bool(struct text *out, const char *key, bool v);
void json_out_null(struct text *out, const char *key);

/* Numbers further from 0 than JSON_OUT_EXACT are written as strings. */
void json_out_exact_u64(struct text *out, const char *key, uint64_t v);
void json_out_exact_i64(struct text *out, const char *key, int64_t v);
#endif
