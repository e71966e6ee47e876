/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_TEP_PARSER_H
#define FTOP_PARSERS_PRINT_TEP_PARSER_H
/*
 * print_tep_parser - expressions as libtraceevent reads them; for print_format_tep.c alone.
 *
 *   print_tep_parser.c     tokens to nodes
 *   print_tep_constants.c  what is worked out at once: operators on numbers, entries of tables
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

bool tep_parser_fails(struct tep_parser *t);			/* the library gives up on this format.  Returns false */
bool tep_parser_unsure(struct tep_parser *t, const char *why);	/* what it does is not known.  Returns false */

bool tep_parser_next(struct tep_parser *t);
bool tep_parser_expect(struct tep_parser *t, const char *what);
bool tep_parser_odd(const struct print_token *token);		/* bytes that formats do not have */

struct print_node *tep_parser_node(struct tep_parser *t);
bool tep_parser_string(struct tep_parser *t, const char **s);	/* literals that stand beside each other */

/* The arguments of the format string; ends, without an error, where it does not go on as it should. */
bool tep_parser_arguments(struct tep_parser *t, struct print_node **list);

/* --- print_tep_constants.c ------------------------------------------------------ */

bool tep_is_operator(const struct print_node *node);			/* with operands: unary, binary, ?:, [] */
void tep_atom(struct print_node *node, const char *text, bool quoted);	/* makes the node one.  @text is not copied */

/* An operator on two atoms becomes an atom: then names are no symbols, but 0.  False: it is not known what the library does. */
bool tep_fold(struct tep_parser *t, struct print_node *node);

/* The text of a table's entry: of an atom, of what is cast, of a number.  NULL: it fails. */
const char *tep_entry_text(struct tep_parser *t, const struct print_node *node);

/* What printing makes of that text: names are known or -1, and so is what begins with a sign. */
int64_t tep_entry_value(const char *text);
#endif
