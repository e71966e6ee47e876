/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/config_file.h"

#include <stdio.h>
#include <string.h>

static size_t blanks(const char *s, size_t len, size_t at)
{
	while (at < len && strchr(" \t\r", s[at]))
		at++;
	return at;
}

/* Without a comment and blanks at the end. */
static size_t end_of(const char *s, size_t len)
{
	size_t end = 0;

	while (end < len && !(s[end] == '#' && (!end || s[end - 1] == ' ' || s[end - 1] == '\t')))
		end++;
	while (end && strchr(" \t\r", s[end - 1]))
		end--;
	return end;
}

static void wrong(struct config_line *line, size_t at, const char *message)
{
	line->wrong = message;
	line->wrong_column = (unsigned int)at + 1;
}

/* @len: the end without a comment. */
static void parse(struct config_line *line, const char *s, size_t len)
{
	size_t name = blanks(s, len, 0), equals, end, value;

	equals = name + strcspn(s + name, "=\n");
	if (equals >= len) {
		wrong(line, len, "= is missing: a line is name = value");
		return;
	}
	for (end = equals; end > name && strchr(" \t", s[end - 1]); end--)
		;
	value = blanks(s, len, equals + 1);
	if (end == name || end - name >= sizeof(line->name))
		wrong(line, name, "a name is missing, or too long");
	else if (value >= len || len - value >= sizeof(line->value))
		wrong(line, value, value >= len ? "a value is missing after the =" : "too long");
	if (line->wrong)
		return;
	line->name_column = (unsigned int)name + 1;
	line->value_column = (unsigned int)value + 1;
	snprintf(line->name, sizeof(line->name), "%.*s", (int)(end - name), s + name);
	snprintf(line->value, sizeof(line->value), "%.*s", (int)(len - value), s + value);
}

bool config_file_next(const char *contents, struct config_line *line)
{
	if (contents) {
		line->rest = contents;
		line->nr = 0;
	}
	while (*line->rest) {
		const char *s = line->rest;
		size_t len = strcspn(s, "\n"), end = end_of(s, len);

		line->rest = s + len + (s[len] == '\n');
		line->nr++;
		if (blanks(s, end, 0) == end)
			continue;
		line->wrong = NULL;
		parse(line, s, end);
		return true;
	}
	return false;
}

void config_file_change(const char *contents, const char *name, const char *value, struct text *out)
{
	struct config_line line = { .rest = contents };
	const char *from = contents;
	bool done = false;

	while (config_file_next(NULL, &line)) {
		if (!line.wrong && !strcmp(line.name, name)) {
			size_t before = 0;

			/* the lines passed over, up to this one */
			for (const char *s = from; s + strcspn(s, "\n") + 1 < line.rest;
			     s += strcspn(s, "\n") + 1)
				before = (size_t)(s + strcspn(s, "\n") + 1 - from);
			text_bytes(out, from, before);
			if (!done)
				text_printf(out, "%s = %s\n", name, value);
			done = true;
		} else {
			text_bytes(out, from, (size_t)(line.rest - from));
		}
		from = line.rest;
	}
	text_add(out, from);
	if (out->len && out->data[out->len - 1] != '\n')
		text_char(out, '\n');
	if (!done)
		text_printf(out, "%s = %s\n", name, value);
}
