/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PRINT_PARSER_H
#define FTOP_PARSERS_PRINT_PRINT_PARSER_H
/*
 * print_parser - shared by both readings of a print format: nodes within limits, literals, the
 * pieces of the format string.
 */
#include "parsers/print/print_format.h"
#include "parsers/print/print_lexer.h"
#include "src/base/text.h"

struct print_variable {			/* variable that statements in an expression set */
	struct print_variable	*next;
	const char		*name;
	size_t			len;
	struct print_node	*value;		/* the last value assigned, or NULL */
};

struct print_parser {
	struct arena		*arena;
	struct print_lexer	lexer;
	const struct event_type	*type;
	int			long_size;
	unsigned int		nodes, depth;
	struct print_variable	*variables;
	bool			failed;
};

void *print_parser_fail(struct print_parser *p);	/* sets .failed.  Returns NULL */

/* Create a node; NULL if there are too many, or if @a, @b, @c make it too high. */
struct print_node *print_parser_node(struct print_parser *p, enum print_node_kind kind,
				     struct print_node *a, struct print_node *b,
				     struct print_node *c);

/* If the token is @what, advance and return true. */
bool print_parser_accept(struct print_parser *p, const char *what);
bool print_parser_expect(struct print_parser *p, const char *what); /* fails if it is not @what */

/* go one level deeper; false: too deep. Always increments depth */
bool print_parser_enter(struct print_parser *p);

const struct event_field *print_parser_field(struct print_parser *p, const char *name, size_t len);

/* The helper of print formats with this name; CALL_FUNCTION if there is none. */
enum print_call print_parser_call(const struct print_token *name);

/* The string for a macro that old kernels forgot to expand; NULL if the word is not one. */
const char *print_parser_macro(const struct print_token *t);

/* Append a literal with its escapes resolved. */
void print_unescape(struct text *out, const char *s, size_t len);
/* Adjacent string literals, and such macros, as one text, in the arena. */
const char *print_parser_strings(struct print_parser *p, size_t *len);

/*
 * Parse flags, width, precision and length of a conversion.  *s points after the '%' and is
 * advanced to the conversion's letter.  "*" takes an argument from *args.  False: not a conversion.
 */
bool print_parser_spec(struct print_segment *seg, const char **s, const char *end,
		       struct print_node **args);

/* Parse a type's name; false, without advancing, if there is none. */
bool print_parser_type(struct print_parser *p, struct print_type *type);
struct print_type print_type_of_field(const struct event_field *f, int long_size);

bool print_op_compares(enum print_op op);	/* is the result a truth value? */

/* Operators with two operands: the same in C and in libtraceevent. */
struct print_binary {
	const char	*name;
	enum print_op	op;
	int		rank;		/* lower ranks bind tighter */
};
/* or NULL */
const struct print_binary *print_parser_binary(const struct print_token *token);
int print_parser_rank(enum print_op op);	/* -1: it has one operand */

/*
 * print_expression.c: parse a C expression, up to a token that cannot belong to it; NULL on
 * failure.
 */
struct print_node *print_parser_expression(struct print_parser *p);

/* Append a piece to the array. */
struct print_segments {
	struct print_segment	*all;
	unsigned int		nr, cap;
};
struct print_segment *print_segments_add(struct print_segments *segments);
#endif
