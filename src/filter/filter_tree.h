/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_TREE_H
#define FTOP_SRC_FILTER_FILTER_TREE_H
/*
 * filter_tree - a filter's text as a tree, independent of a trace.
 *
 *   or > and > not > comparison, in, =~ > | > ^ > & > << >> > + - > * / % > - ~ > value
 *
 * As in `trace-cmd report -F`, bit operators bind tighter than comparisons, and `!` applies to the
 * whole comparison after it.  The meaning of words is decided when the tree is bound
 * (filter_bind.h).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/filter/filter.h"
#include "src/base/memory.h"

enum filter_node_kind {
	FILTER_NODE_AND, FILTER_NODE_OR,	/* a, b */
	FILTER_NODE_NOT,			/* a */
	FILTER_NODE_SCOPE,			/* list: patterns; a: the expression, or NULL:
						 * all such events */
	FILTER_NODE_COMPARE,			/* a op b */
	FILTER_NODE_IN,				/* a in list; op IN or NOT_IN */
	FILTER_NODE_BETWEEN,			/* a, b */
	FILTER_NODE_CONSTANT,			/* value: 0 or 1; compat: a missing field */
	/* values */
	FILTER_NODE_WORD,			/* text: field, name, event,
						   symbol, function, comm, macro */
	FILTER_NODE_GLOB,			/* text, unquoted with * ? [ */
	FILTER_NODE_STRING,			/* text, quoted; as a term:
						   text anywhere in the line */
	FILTER_NODE_CHAR,			/* text, in single quotes */
	FILTER_NODE_REGEX,			/* text between slashes; value: 1 = ignore case */
	FILTER_NODE_NUMBER,
	FILTER_NODE_RANGE,			/* a, b: numbers, both included */
	FILTER_NODE_CPUS,			/* list: CPUS{0-3,7} */
	FILTER_NODE_INDEX,			/* a[b]; b NULL: any element */
	FILTER_NODE_UNARY,			/* op a */
	FILTER_NODE_BINARY,			/* a op b */
	FILTER_NODE_PREFIX,			/* text: a name of the table that
						   takes a word; a: the word */
};

enum filter_op {
	FILTER_OP_NONE,
	/* comparisons */
	FILTER_OP_EQ, FILTER_OP_NE, FILTER_OP_LT, FILTER_OP_LE, FILTER_OP_GT, FILTER_OP_GE,
	FILTER_OP_MATCH, FILTER_OP_NOT_MATCH,	/* =~ !~ */
	FILTER_OP_GLOB,				/* ~ */
	FILTER_OP_CONTAINS,
	FILTER_OP_IN, FILTER_OP_NOT_IN,
	/* numbers */
	FILTER_OP_OR, FILTER_OP_XOR, FILTER_OP_AND, FILTER_OP_SHL, FILTER_OP_SHR, FILTER_OP_ADD,
	FILTER_OP_SUB,
	FILTER_OP_MUL, FILTER_OP_DIV, FILTER_OP_MOD,
	FILTER_OP_NEG, FILTER_OP_INVERT,
};

enum filter_unit { FILTER_UNIT_NONE, FILTER_UNIT_TIME, FILTER_UNIT_COUNT };

struct filter_node {
	enum filter_node_kind	 kind;
	enum filter_op		 op;
	size_t			 from, to;	/* bytes of the source, for the whole term */
	struct filter_node	*a, *b;
	struct filter_node	*list, *next;	/* children in a list; next sibling in a list */
	const char		*text;
	size_t			 len;		/* bytes of text: strings may contain a NUL */
	/* NUMBER */
	uint64_t		 value;		/* in its unit: ns, or the count; without the
						 * fraction */
	uint32_t		 nano;		/* fraction in 10^-9, if there is no unit */
	enum filter_unit	 unit;
	bool			 has_fraction;
	bool			 relative;	/* with a + before it: from the trace's start */
	unsigned int		 id;		/* serial number: binding stores its results by
						 * it */
};

struct filter_tree {
	struct arena		 arena;
	struct filter_node	*root;		/* NULL: empty, keeps everything */
	unsigned int		 nr_nodes;
};

/* Words with a special meaning: prefixes from the table (filter_names.h), and macros. */
struct filter_syntax {
	const struct filter_macro *macros;
	unsigned int		 nr_macros;
	/* does the word take a function, like "under"? NULL = none does */
	bool			(*is_prefix)(void *arg, const char *word);
	/*
	 * is it a system of events with a dash, such as sample-trace, and not a difference? or NULL
	 */
	bool			(*is_system)(void *arg, const char *name);
	/* is it something to compare, and not an event? or NULL */
	bool			(*is_value)(void *arg, const char *name);
	void			*arg;
};

/*
 * Parse a text.  False: *err has the position and the reason.  Call filter_tree_fini() in either
 * case.
 */
bool filter_tree_parse(struct filter_tree *tree, const char *text,
		       const struct filter_syntax *syntax, struct filter_error *err);

/* Parse a text by trace-cmd's own rules: no precedence, events before the first colon. */
bool filter_tree_parse_compat(struct filter_tree *tree, const char *text, struct filter_error *err);
void filter_tree_fini(struct filter_tree *tree);

/* Are two trees equal? */
bool filter_node_equal(const struct filter_node *a, const struct filter_node *b);

/* A word, string or pattern? */
bool filter_node_has_text(const struct filter_node *n);
const char *filter_op_text(enum filter_op op);

/* Does a comparison hold?  @order: -1, 0, 1: the left number is less, equal, greater. */
static inline bool filter_op_holds(enum filter_op op, int order)
{
	switch (op) {
	case FILTER_OP_EQ: return order == 0;
	case FILTER_OP_NE: return order != 0;
	case FILTER_OP_LT: return order < 0;
	case FILTER_OP_LE: return order <= 0;
	case FILTER_OP_GT: return order > 0;
	case FILTER_OP_GE: return order >= 0;
	default: return false;
	}
}

/* Set an error, unless one is set already.  Return: false. */
bool filter_fail(struct filter_error *err, size_t from, size_t to, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
#endif
