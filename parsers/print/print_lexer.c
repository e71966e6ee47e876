/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print/print_lexer.h"

#include <string.h>

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A literal up to its closing quote; a backslash escapes the next character. */
static void take_quoted(struct print_lexer *lexer, enum print_token_kind kind)
{
	char quote = *lexer->pos++;

	lexer->token.kind = kind;
	lexer->token.s = lexer->pos;
	while (lexer->pos < lexer->end && *lexer->pos != quote)
		lexer->pos += *lexer->pos == '\\' && lexer->end - lexer->pos > 1 ? 2 : 1;
	lexer->token.len = (size_t)(lexer->pos - lexer->token.s);
	if (lexer->pos == lexer->end)
		lexer->token.kind = TOKEN_BAD;
	else
		lexer->pos++;
}

static void take_op(struct print_lexer *lexer)
{
	static const char *const ops[] = { "<<=", ">>=", "...", "->", "<<", ">>", "<=", ">=", "==",
					   "!=",  "&&",	 "||",	"++", "--", "+=", "-=", "|=",
					   "&=" };
	size_t left = (size_t)(lexer->end - lexer->pos);

	lexer->token.kind = TOKEN_OP;
	lexer->token.len = 1;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		size_t len = strlen(ops[i]);

		if (len <= left && !memcmp(lexer->pos, ops[i], len)) {
			lexer->token.len = len;
			break;
		}
	}
	lexer->pos += lexer->token.len;
}

void print_lexer_next(struct print_lexer *lexer)
{
	struct print_token *token = &lexer->token;

	token->newline = false;
	for (; lexer->pos < lexer->end && is_space(*lexer->pos); lexer->pos++)
		token->newline |= *lexer->pos == '\n';
	token->s = lexer->pos;
	token->len = 0;
	if (lexer->pos == lexer->end) {
		token->kind = TOKEN_END;
	} else if (print_is_word(*lexer->pos)) {
		token->kind = TOKEN_WORD;
		while (lexer->pos < lexer->end && print_is_word(*lexer->pos))
			lexer->pos++;
		token->len = (size_t)(lexer->pos - token->s);
	} else if (*lexer->pos == '"') {
		take_quoted(lexer, TOKEN_STRING);
	} else if (*lexer->pos == '\'') {
		take_quoted(lexer, TOKEN_CHAR);
	} else if (*lexer->pos > ' ' && *lexer->pos < 0x7f) {
		take_op(lexer);
	} else {
		token->kind = TOKEN_BAD;
		token->len = 1;
		lexer->pos++;
	}
}

void print_lexer_init(struct print_lexer *lexer, const char *text, size_t len)
{
	lexer->pos = text;
	lexer->end = text + len;
	print_lexer_next(lexer);
}

bool print_token_is(const struct print_token *token, const char *what)
{
	return (token->kind == TOKEN_OP || token->kind == TOKEN_WORD) &&
	       strlen(what) == token->len && !memcmp(token->s, what, token->len);
}

const struct print_word *print_word_find(const struct print_word *words, const char *word,
					 size_t len)
{
	for (; words->name; words++)
		if (strlen(words->name) == len && !memcmp(words->name, word, len))
			return words;
	return NULL;
}

bool print_word_is_symbol(const char *word, size_t len)
{
	static const char *const others[] = {
		"REC",	 "unsigned", "signed", "long", "int",	"short", "char", "void", "const",
		"struct", "enum",
		"union", "sizeof",   "u8",     "u16",
		"u32",	"u64",	 "s8",	 "s16",	 "s32",	  "s64",    "__u8",
		"__u16", "__u32",    "__u64",  "bool", "size_t", "pid_t", "NULL", "true", "false",
		"__force",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i]) == len && !memcmp(word, others[i], len))
			return false;
	for (size_t i = 0; i < len; i++)
		if (!print_is_word(word[i]))
			return false;
	return len && len < PRINT_SYMBOL_MAX && !(*word >= '0' && *word <= '9');
}
