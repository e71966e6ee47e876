/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PRINT_LEXER_H
#define FTOP_PARSERS_PRINT_PRINT_LEXER_H
/*
 * print_lexer - splits a print format into C tokens.
 *
 * Nothing is copied: a token points into the text.  The token of a string literal is the text
 * between the quotes, with its escapes; the parsers join adjacent literals.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum print_token_kind {
	TOKEN_END,
	TOKEN_WORD,			/* name or number: letters, digits, _ */
	TOKEN_STRING,			/* "text", without its quotes */
	TOKEN_CHAR,			/* 'c', without its quotes */
	TOKEN_OP,			/* operators, brackets, commas */
	TOKEN_BAD,			/* not a character of C, or an unterminated literal */
};

struct print_token {
	enum print_token_kind	kind;
	const char		*s;
	size_t			len;
	bool			newline;	/* a newline precedes it */
};

struct print_lexer {
	const char		*pos, *end;
	struct print_token	token;		/* the current token */
};

/* reads the first token */
void print_lexer_init(struct print_lexer *lexer, const char *text, size_t len);
void print_lexer_next(struct print_lexer *lexer);

/* Is it this operator or word? */
bool print_token_is(const struct print_token *token, const char *what);

/* A word that stands for a number. */
struct print_word {
	const char	*name;
	uint64_t	value;
};

/* Find a word in a table that ends with an empty entry; NULL if it is not there. */
const struct print_word *print_word_find(const struct print_word *words, const char *word,
					 size_t len);

#define PRINT_SYMBOL_MAX 64u	/* bytes of a symbol's name, with the NUL */

/*
 * May a word be a kernel symbol?  It must be a name, not too long, and not a word of C or of print
 * formats.
 */
bool print_word_is_symbol(const char *word, size_t len);

static inline bool print_is_word(char c)	/* part of a name or number */
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}
#endif
