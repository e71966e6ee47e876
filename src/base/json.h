/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_JSON_H
#define FTOP_SRC_BASE_JSON_H
/*
 * json - reads one line of JSON, as written by the text commands and the recorder.
 *
 * Builds nothing: a value is a position in the line, and members are searched on each look-up.
 * Invalid JSON (RFC 8259), or JSON nested deeper than JSON_MAX_DEPTH, is not a value.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/text.h"

#define JSON_MAX_DEPTH	16

struct json {
	const char	*at;		/* borrowed from the line: first byte of the value */
	size_t		 len;
};

/* Parse the value of a line; false if it is invalid, or if anything follows it. */
bool json_parse(const char *line, size_t len, struct json *value);

/* Find a member of an object; the first with that name. */
bool json_member(const struct json *object, const char *name, struct json *value);

/*
 * Iterate over an array: first set *next to the array's own value.  False after the last element,
 * or if it is not an array.
 */
bool json_element(const struct json *array, const char **next, struct json *value);

bool json_number(const struct json *value, uint64_t *out);	/* an integer, not negative */
bool json_true(const struct json *value);

/* Read a member of @object; @out is not changed if it is missing. */
bool json_get_string(const struct json *object, const char *name, struct text *out);
/* Append it in a form that is safe for a terminal; nothing if it is missing. */
void json_get_printable(const struct json *object, const char *name, struct text *out);
bool json_get_number(const struct json *object, const char *name, uint64_t *out);
/* is the member this string? */
bool json_is(const struct json *object, const char *name, const char *string);
#endif
