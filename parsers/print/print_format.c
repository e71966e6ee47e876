/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print/print_format.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/print/print_parser.h"

/* Length of the extension after %p, which selects the output. */
static size_t extension_length(const char *s, const char *end)
{
	size_t n = 0;

	while (s + n < end && n < 7 &&
	       ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
		(s[n] >= '0' && s[n] <= '9')))
		n++;
	if (!n)
		return 0;
	switch (s[0]) {
	case 'S':
	case 's':
	case 'B':
	case 'F':
	case 'f':
		return n > 1 && strchr("Rb", s[1]) && s[0] != 's' ? 2 : 1;
	case 'M':
	case 'm':
		return n > 1 && strchr("FR", s[1]) ? 2 : 1;
	case 'U':
		return n > 1 && strchr("bBlL", s[1]) ? 2 : 1;
	case 'h':
		return n > 1 && strchr("CDN", s[1]) ? 2 : 1;
	case 'b':
		return n > 1 && s[1] == 'l' ? 2 : 1;
	case 'I':
	case 'i':
		if (n > 1 && s[1] == '4')
			return n > 2 && strchr("hnbl", s[2]) ? 3 : 2;
		if (n > 1 && s[1] == '6')
			return n > 2 && s[2] == 'c' ? 3 : 2;
		if (n > 1 && s[1] == 'S') {
			size_t i = 2;

			while (i < n && strchr("pfschnbl", s[i]))
				i++;
			return i;
		}
		return 0;
	case 'K':
	case 'x':
	case 'e':
		return 1;
	default:
		return 0;
	}
}

static bool add_value(struct print_parser *p, struct print_segments *segments, const char **s,
		      const char *end, struct print_node **args)
{
	struct print_segment *seg = print_segments_add(segments);

	seg->text = (*s)++;
	if (!print_parser_spec(seg, s, end, args) || !strchr("diuxXocsp", **s))
		return print_parser_fail(p);
	seg->conversion = *(*s)++;
	if (seg->conversion == 'p') {
		size_t n = extension_length(*s, end);

		memcpy(seg->extension, *s, n);
		*s += n;
	}
	seg->len = (uint32_t)(*s - seg->text);
	if (!*args)
		return print_parser_fail(p);
	seg->arg = *args;
	*args = (*args)->next;
	return segments->nr <= 2 * PRINT_FORMAT_ARGS;
}

/* "a %d b%%": split into text, a value, text. */
static bool split_string(struct print_parser *p, struct print_segments *segments, const char *s,
			 size_t len, struct print_node *args)
{
	const char *end = s + len;

	while (s < end && !p->failed) {
		const char *begin = s;
		struct print_segment *seg;

		if (*s == '%' && s + 1 < end && s[1] != '%') {
			if (!add_value(p, segments, &s, end, &args))
				return false;
			continue;
		}
		if (*s == '%')		/* "%%", or a '%' at the end of the string */
			begin = s += s + 1 < end;
		s++;
		while (s < end && *s != '%')
			s++;
		seg = print_segments_add(segments);
		seg->text = begin;
		seg->len = (uint32_t)(s - begin);
	}
	return !p->failed;
}

struct print_format *print_format_parse(struct arena *arena, const struct event_type *type,
					int long_size)
{
	struct print_format *format = arena_alloc(arena, sizeof(*format));
	struct print_parser p = { .arena = arena, .type = type, .long_size = long_size };
	struct print_segments segments = { 0 };
	struct print_node *args = NULL, **tail = &args;
	size_t len = strlen(type->print_fmt), string_len;
	const char *string;
	unsigned int nr = 0;

	if (len > PRINT_FORMAT_TEXT)
		print_parser_fail(&p);
	print_lexer_init(&p.lexer, type->print_fmt, len <= PRINT_FORMAT_TEXT ? len : 0);
	if (!p.failed && p.lexer.token.kind != TOKEN_STRING)
		print_parser_fail(&p);
	string = print_parser_strings(&p, &string_len);
	while (!p.failed && print_parser_accept(&p, ",")) {
		if (++nr > PRINT_FORMAT_ARGS)
			print_parser_fail(&p);
		else if ((*tail = print_parser_expression(&p)))
			tail = &(*tail)->next;
	}
	if (!p.failed && p.lexer.token.kind != TOKEN_END)
		print_parser_fail(&p);
	if (!p.failed && split_string(&p, &segments, string, string_len, args)) {
		format->segments = arena_copy(arena, segments.all,
					      segments.nr * sizeof(*segments.all));
		format->nr = segments.nr;
	}
	format->failed = p.failed;
	free(segments.all);
	return format;
}
