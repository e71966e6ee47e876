/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/printer/printer_library_format.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/print/print_lexer.h"

#define MAX_LENGTH	(64u << 10)	/* most bytes of a print format */
#define MAX_DEPTH	256u		/* brackets, and operators of one argument */
#define MAX_NUMBER	65535u		/* in the arguments of arrays: counts, offsets */

/* --- may the library see it? ---------------------------------------------------- */

struct judged {
	struct print_lexer	lexer;
	unsigned int		depth;		/* open brackets */
	unsigned int		operators;	/* since the last comma */
	unsigned int		array;		/* depth of the array's arguments; 0 = none */
	unsigned int		argument;	/* which of them it is, from 0 */
	bool			divides;	/* all tokens since / or % were opening brackets */
};

static bool is_one_of(const struct print_token *token, const char *const *words)
{
	for (; *words; words++)
		if (print_token_is(token, *words))
			return true;
	return false;
}

/* Numbers that the library takes without a look at the record. */
static bool judge_word(const struct judged *j, const struct print_token *token)
{
	char digits[24] = "";
	uint64_t number;

	if (*token->s < '0' || *token->s > '9')
		return true;
	memcpy(digits, token->s, token->len < sizeof(digits) ? token->len : sizeof(digits) - 1);
	number = strtoull(digits, NULL, 0);
	return !(j->divides && !number) && !(j->array && number > MAX_NUMBER);
}

/* An array's count may be divided and shifted right, but not computed in other ways. */
static bool judge_operator(struct judged *j, const struct print_token *token)
{
	static const char *const opening[] = { "(", "[", "{", NULL };
	static const char *const closing[] = { ")", "]", "}", NULL };
	static const char *const growing[] = { "+", "-", "*", "<<", "~", "!", NULL };

	if (is_one_of(token, opening)) {
		j->depth++;
	} else if (is_one_of(token, closing)) {
		j->depth -= j->depth > 0;
		if (j->depth < j->array)
			j->array = 0;
	} else if (print_token_is(token, ",")) {
		j->operators = 0;
		j->argument += j->depth == j->array;
	} else if (!print_token_is(token, "->")) {
		j->operators++;
		if (j->array && j->argument && is_one_of(token, growing))
			return false;
	}
	return j->depth <= MAX_DEPTH && j->operators <= MAX_DEPTH;
}

bool printer_library_format_is_bounded(const struct event_type *type)
{
	static const char *const arrays[] = { "__print_hex", "__print_hex_str", "__print_array",
					      NULL };
	struct judged j = { 0 };
	const struct print_token *token = &j.lexer.token;
	bool bounded = true;

	if (strlen(type->print_fmt) > MAX_LENGTH)
		return false;
	for (print_lexer_init(&j.lexer, type->print_fmt, strlen(type->print_fmt));
	     bounded && token->kind != TOKEN_END; print_lexer_next(&j.lexer)) {
		bool divides = print_token_is(token, "/") || print_token_is(token, "%");

		if (token->kind == TOKEN_WORD && is_one_of(token, arrays) && !j.array) {
			j.array = j.depth + 1;
			j.argument = 0;
		} else if (token->kind == TOKEN_WORD) {
			bounded = judge_word(&j, token);
		} else if (token->kind == TOKEN_OP) {
			bounded = judge_operator(&j, token);
		}
		j.divides = divides || (j.divides && print_token_is(token, "("));
	}
	return bounded;
}

/* --- what the library gets -------------------------------------------------------- */

/*
 * A print format may refer to a symbol: (void *)((unsigned long)(_stext) + REC->caller_offs).
 * libtraceevent looks names up in its own list; we only add those that formats mention.
 */
void printer_library_format_symbols(const char *fmt, void (*found)(void *arg, const char *name),
				    void *arg)
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
			found(arg, word);
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
	for (unsigned int i = 0; len > 5 && !memcmp(what, "REC->", 5) && i < type->nr_fields; i++)
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
void printer_library_format_text(const struct event_type *type, struct text *out)
{
	const char *s = type->format->text, *end = s + type->format->size, *p;

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
