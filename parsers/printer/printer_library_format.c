/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/printer/printer_library_format.h"

#include <string.h>

#include "parsers/print/print_lexer.h"

/* If the kernel has a symbol with this name, register its address with libtraceevent. */
static void tell_symbol(struct printer *printer, struct tep_handle *tep, const char *word)
{
	uint64_t address;

	if (kallsyms_address(printer_kallsyms(printer), word, &address))
		tep_register_function(tep, (char *)word, address, NULL);
}

/*
 * A print format may refer to a symbol: (void *)((unsigned long)(_stext) + REC->caller_offs).
 * libtraceevent looks names up in its own list; we only add those that formats mention.
 */
void printer_library_format_symbols(struct printer *printer, struct tep_handle *tep,
				    const char *fmt)
{
	bool quoted = false;
	char word[PRINT_SYMBOL_MAX];

	for (const char *p = fmt; *p; p++) {
		size_t len = 0;

		if (*p == '\\' && p[1]) {
			p++;
			continue;
		}
		quoted ^= *p == '"';
		if (quoted || !print_is_word(*p))
			continue;
		while (print_is_word(p[len]))
			len++;
		if (print_word_is_symbol(p, len) && p[len] != '(' &&
		    (p == fmt || (p[-1] != '>' && p[-1] != '.'))) {
			memcpy(word, p, len);
			word[len] = '\0';
			tell_symbol(printer, tep, word);
		}
		p += len - 1;
	}
}

/*
 * Bytes of the operand of a sizeof() that libtraceevent can evaluate; 0 = leave it to
 * libtraceevent.
 */
static unsigned int size_of(const struct event_type *type, const char *what, size_t len)
{
	static const struct print_word types[] = {
		{ "int", 4 }, { "unsigned int", 4 }, { "long long", 8 },
		{ "unsigned long long", 8 }, { NULL, 0 },
	};
	const struct print_word *known = print_word_find(types, what, len);

	if (known)
		return (unsigned int)known->value;
	for (unsigned int i = 0;
	     type && len > 5 && !memcmp(what, "REC->", 5) && i < type->nr_fields; i++)
		if (strlen(type->fields[i].name) == len - 5 &&
		    !memcmp(type->fields[i].name, what + 5, len - 5) &&
		    !strchr(type->fields[i].type, '['))
			return type->fields[i].size;
	return 0;
}

/*
 * After sizeof(int) or similar, libtraceevent 1.7 uses and frees a token that it has freed already.
 * So it gets the number that it would compute.
 */
void printer_library_format_text(const struct trace_file_format *format,
				 const struct event_type *type, struct text *out)
{
	const char *s = format->text, *end = s + format->size, *p;

	while ((p = memmem(s, (size_t)(end - s), "sizeof(", 7))) {
		const char *what = p + 7, *close = memchr(what, ')', (size_t)(end - what));
		unsigned int bytes = close ? size_of(type, what, (size_t)(close - what)) : 0;

		text_bytes(out, s, (size_t)((bytes ? p : what) - s));
		s = bytes ? close + 1 : what;
		if (bytes)
			text_u64(out, bytes);
	}
	text_bytes(out, s, (size_t)(end - s));
}

/* Fields of 4 and 8 bytes inside __print_hex(…), __print_array(…): any of them may be the count. */
unsigned int
printer_library_format_counts(const struct event_type *type,
			      const struct event_field *counts[PRINTER_LIBRARY_FORMAT_COUNTS])
{
	const char *p = type->print_fmt;
	unsigned int nr = 0;

	while ((p = strstr(p, "__print_"))) {
		bool counted = !strncmp(p, "__print_hex", 11) || !strncmp(p, "__print_array", 13);
		int depth = 0;

		for (p += 8; counted && *p; p++) {
			size_t len = 0;

			depth += (*p == '(') - (*p == ')');
			if (*p == ')' && depth == 0)
				break;
			if (strncmp(p, "REC->", 5) != 0)
				continue;
			while (print_is_word(p[5 + len]))
				len++;
			for (unsigned int i = 0;
			     i < type->nr_fields && nr < PRINTER_LIBRARY_FORMAT_COUNTS; i++) {
				const struct event_field *f = &type->fields[i];

				if (strlen(f->name) == len && !memcmp(f->name, p + 5, len) &&
				    f->size >= 4 &&
				    (f->kind == FIELD_UINT || f->kind == FIELD_SINT))
					counts[nr++] = f;
			}
		}
	}
	return nr;
}
