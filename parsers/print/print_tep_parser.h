/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PRINT_TEP_PARSER_H
#define FTOP_PARSERS_PRINT_PRINT_TEP_PARSER_H
/*
 * print_tep_parser - expressions as libtraceevent parses them; private to print_format_tep.c.
 *
 *   print_tep_parser.c     tokens to nodes
 *   print_tep_constants.c  evaluated while parsing: operators on numbers, entries of tables
 */
#include "parsers/print/print_format_tep.h"
#include "parsers/print/print_parser.h"

struct tep_parser {
	struct print_parser	p;
	enum text_era		era;
	enum tep_reading	reading;
	tep_function_args	functions;
	void			*functions_arg;
};

static inline const struct print_token *current_token(const struct tep_parser *t)
{
	return &t->p.lexer.token;
}

/* the library rejects this format.  Returns false */
bool tep_parser_fails(struct tep_parser *t);
/* its behaviour is not known. Returns false */
bool tep_parser_unsure(struct tep_parser *t);

bool tep_parser_next(struct tep_parser *t);
bool tep_parser_expect(struct tep_parser *t, const char *what);
/* a byte that does not occur in formats */
bool tep_parser_odd(const struct print_token *token);

struct print_node *tep_parser_node(struct tep_parser *t);
bool tep_parser_string(struct tep_parser *t, const char **s);	/* adjacent literals */

/*
 * Parse the arguments of the format string; stops, without an error, at a token that cannot
 * continue them.
 */
bool tep_parser_arguments(struct tep_parser *t, struct print_node **list);

/* --- print_tep_constants.c ------------------------------------------------------ */

/* an operator with operands: unary, binary, ?:, [] */
bool tep_is_operator(const struct print_node *node);
/* turns the node into an atom.  @text is not copied */
void tep_atom(struct print_node *node, const char *text, bool quoted);

/*
 * Fold an operator on two atoms into an atom: symbols then count as 0.  False if the library's
 * behaviour is not known.
 */
bool tep_fold(struct tep_parser *t, struct print_node *node);

/* The text of a table's entry: an atom, a cast, a number.  NULL on failure. */
const char *tep_entry_text(struct tep_parser *t, const struct print_node *node);

/*
 * The number that printing takes for the text.  -1: not known (a name, or a text with a sign).
 */
int64_t tep_entry_value(const char *text);
#endif
