/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_JSON_H
#define FTOP_SRC_JSON_H
/*
 * json - reads one line of JSON, as the text commands and the recorder write them.
 *
 * Nothing is built: a value is a place in the line, and members are looked for when they are asked for.  What is not
 * JSON (RFC 8259), or nested deeper than JSON_MAX_DEPTH, is no value.
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

/* The one value of a line; false where it is not one, or something stands behind it. */
bool json_parse(const char *line, size_t len, struct json *value);

/* A member of an object; the first of that name. */
bool json_member(const struct json *object, const char *name, struct json *value);

/* Elements of an array: set *next to the array's own value first; false behind the last one, or if it is no array. */
bool json_element(const struct json *array, const char **next, struct json *value);

bool json_string(const struct json *value, struct text *out);	/* appends it decoded, as foreign bytes; false: none */
bool json_number(const struct json *value, uint64_t *out);	/* a whole number from 0 on */
bool json_true(const struct json *value);

/* The same of a member; what is not there leaves @out as it is. */
bool json_get_string(const struct json *object, const char *name, struct text *out);
bool json_get_number(const struct json *object, const char *name, uint64_t *out);
bool json_is(const struct json *object, const char *name, const char *string);	/* the member is this string */
#endif
