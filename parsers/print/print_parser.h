/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PARSER_H
#define FTOP_PARSERS_PRINT_PARSER_H
/*
 * print_parser - what both readings of a print format share: nodes within the limits,
 * literals, the format string's pieces.  For print_format*.c and print_expression.c alone.
 */
#include "parsers/print/print_format.h"
#include "parsers/print/print_lexer.h"
#include "src/base/text.h"

struct print_variable {			/* of statements in an expression */
	struct print_variable	*next;
	const char		*name;
	size_t			len;
	struct print_node	*value;		/* what was last assigned, or NULL */
};

struct print_parser {
	struct arena		*arena;
	struct print_lexer	lexer;
	const struct event_type	*type;
	int			long_size;
	unsigned int		nodes, depth;
	struct print_variable	*variables;
	const char		*why;		/* the first thing that was wrong; NULL = all is well */
};

/* Note what is wrong (only the first is kept) and return NULL.  @token: where, or NULL. */
void *print_parser_fail(struct print_parser *p, const char *what, const struct print_token *token);

/* A node; NULL when there are too many, or @a, @b, @c make it too high. */
struct print_node *print_parser_node(struct print_parser *p, enum print_node_kind kind, struct print_node *a,
				     struct print_node *b, struct print_node *c);

/* If the token is @what, go to the next one. */
bool print_parser_accept(struct print_parser *p, const char *what);
bool print_parser_expect(struct print_parser *p, const char *what); /* fails otherwise */

bool print_parser_enter(struct print_parser *p);	/* one level deeper; false: too deep.  ++depth either way */

const struct event_field *print_parser_field(struct print_parser *p, const char *name, size_t len);

/* Which helper of print formats is this the name of?  CALL_FUNCTION: none. */
enum print_call print_parser_call(const struct print_token *name);

/* The string for which this word stands: macros that old kernels forgot to expand; or NULL. */
const char *print_parser_macro(const struct print_token *t);

/* "\n" as a newline and so on: appends what the literal means. */
void print_unescape(struct text *out, const char *s, size_t len);

/*
 * Flags, width, precision and length of a conversion; *s points behind the '%' and is moved to the conversion's
 * letter.  "*" takes from *args.  False: not a conversion.
 */
bool print_parser_spec(struct print_segment *seg, const char **s, const char *end, struct print_node **args);

/* A type's name; false where there is none (the lexer stays where it was then). */
bool print_parser_type(struct print_parser *p, struct print_type *type);
struct print_type print_type_of_field(const struct event_field *f, int long_size);

bool print_op_compares(enum print_op op);	/* is the result a truth value? */

/* print_expression.c: an expression of C, up to what cannot belong to it; NULL: it failed. */
struct print_node *print_parser_expression(struct print_parser *p);

/* Add a piece to the array that *segments becomes. */
struct print_segments {
	struct print_segment	*all;
	unsigned int		nr, cap;
};
struct print_segment *print_segments_add(struct print_segments *segments);
#endif
