/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_LEX_H
#define FTOP_SRC_FILTER_FILTER_LEX_H
/*
 * filter_lex - splits a filter's text into words.
 *
 * A slash begins a regular expression, and a star continues a name, only where a value may begin:
 * the parser knows, and uses separate functions for these.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/filter/filter_tree.h"

enum filter_token_kind {
	TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_CHAR,
	TOKEN_OPEN, TOKEN_CLOSE, TOKEN_BRACKET, TOKEN_BRACKET_END, TOKEN_BRACE, TOKEN_BRACE_END,
	TOKEN_COMMA, TOKEN_COLON,
	TOKEN_ANDAND, TOKEN_OROR, TOKEN_NOT,
	TOKEN_EQ, TOKEN_NE, TOKEN_LT, TOKEN_LE, TOKEN_GT, TOKEN_GE, TOKEN_MATCH, TOKEN_NOT_MATCH,
	TOKEN_TILDE,
	TOKEN_OR, TOKEN_XOR, TOKEN_AND, TOKEN_SHL, TOKEN_SHR, TOKEN_PLUS, TOKEN_MINUS, TOKEN_STAR,
	TOKEN_SLASH, TOKEN_PERCENT,
	/* Keywords */
	TOKEN_IN, TOKEN_CONTAINS, TOKEN_BETWEEN,
	TOKEN_PATTERN,			/* . or ?: can only begin a pattern of events */
	TOKEN_WRONG,			/* message set */
};

struct filter_token {
	enum filter_token_kind kind;
	size_t		from, to;
	char		*text;		/* WORD, STRING, CHAR: in the arena */
	size_t		len;
	struct filter_node number;	/* NUMBER: value, nano, unit, has_fraction */
};

/* The token at byte @pos, after blanks.  Errors: kind WRONG, with *err set. */
struct filter_token filter_lex(const char *text, size_t pos, struct arena *arena,
			       struct filter_error *err);

/*
 * A regular expression that begins with the slash at @pos: its text, and @fold if an `i` follows
 * it.
 */
bool filter_lex_regex(const char *text, size_t pos, struct arena *arena, struct filter_token *token,
		      bool *fold, struct filter_error *err);

/*
 * The length of a path that is compared, "/shop/web" or with a star before its first slash; 0:
 * there is none.  A slash at its end makes it a regular expression.  @in_list: it stands in the
 * brackets of `in`, else only behind == and !=.  *special: it is a glob.
 */
size_t filter_lex_path(const char *text, size_t pos, bool in_list, bool *special);

/*
 * A name with globs in it, or system/event: "sched_*", "sched/sched_switch".  Return: its length in
 * bytes, 0 if none begins at @pos.
 * @special: it contains a glob or a slash, so it is not a plain word.
 */
size_t filter_lex_pattern(const char *text, size_t pos, bool slash, bool *special);

size_t filter_lex_blanks(const char *text, size_t pos);	/* first byte that is not a blank */
#endif
