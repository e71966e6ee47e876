/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_BIND_H
#define FTOP_SRC_FILTER_FILTER_BIND_H
/*
 * filter_bind - binds a tree to each event type of a file.
 *
 * From the top: filter_bind.c joins the terms; filter_bind_compare.c makes tests from comparisons,
 * filter_bind_origin.c of names of files, filter_bind_line.c of text in whole lines;
 * filter_bind_number.c makes numbers from values; filter_bind_word.c has the meaning of words.
 * None calls up.  A problem with a node is noted where it is found (filter_bind_note.c), and is an
 * error if the node was not right for any type.
 */
#include <stdbool.h>
#include "src/filter/filter_offer.h"
#include "src/filter/filter_private.h"

/* Results of binding for a node. */
struct filter_note {
	bool		 ok;		/* it was right for some type */
	bool		 is_field;	/* some type has a field of this name (within the scope,
					 * if there is one) */
	bool		 is_string;	/* and it is a string */
	bool		 in_scope;
	bool		 weak;		/* another type may have a better message */
	bool		 is_doubtful;	/* right only for types that may not occur in the trace */
	bool		 is_used, is_misused;	/* used as a value of the right kind, or of a
						 * wrong kind */
	char		*problem;	/* in the arena: the problem, for the first type with one */
	struct filter_offers *offers;	/* in the arena: what may have been meant; NULL = unknown */
	/* Made once for all types: 1 + index in the filter. */
	uint32_t	 pattern;
	uint32_t	 set;		/* set of constants */
	uint32_t	 functions;	/* for this file; UINT32_MAX = none */
	struct filter_line_words *words; /* in the arena: filter_bind_line.c */
};

struct filter_binder {
	struct filter		*f;
	const struct filter_options *options;
	unsigned int		 file;
	unsigned int		 source;
	struct event_types	*types;
	const struct common_layout *common;
	const struct kallsyms	*syms;		/* fetched on first use */
	bool			 swap;
	bool			 tells_tgids;	/* filter_tells_tgids(), the same for all types */
	uint8_t			 long_size;
	/* The type to bind for; NULL: one without a format, or, with general, any type. */
	const struct event_type	*type;
	bool			 general;
	unsigned int		 scope_depth;
	unsigned int		 nr_wrong;	/* number of problems noted so far */
	struct filter_offers	 offers;	/* belong to the next problem */
	bool			 bare;		/* the word is a term by itself: it could have
						 * been an event */
	struct filter_note	*notes;		/* [nodes of the source's tree] */
	const uint32_t		*scope_of;	/* [nodes of the source's tree], 1 + index of the
						 * scope; 0 = none */
	struct arena		*scratch;
	struct filter_error	*err;
};

enum filter_value_kind {
	FILTER_VALUE_MISSING,		/* this type does not have it */
	FILTER_VALUE_WRONG,		/* noted */
	FILTER_VALUE_UNKNOWN,		/* general: depends on the type */
	FILTER_VALUE_CONST,
	FILTER_VALUE_SET,		/* several numbers: addresses of a function, 0-3 */
	FILTER_VALUE_LOAD,
	FILTER_VALUE_STEPS,		/* up to here: numbers */
	FILTER_VALUE_TEXT,		/* a string, glob or regular expression: see node */
	FILTER_VALUE_STRING,		/* string field */
	FILTER_VALUE_COMM, FILTER_VALUE_SAVED_COMM,
	FILTER_VALUE_WHO,		/* a word about the task's process: .who */
	FILTER_VALUE_ARRAY, FILTER_VALUE_MASK, FILTER_VALUE_STACK,
	FILTER_VALUE_FILE, FILTER_VALUE_INSTANCE,	/* names */
	FILTER_VALUE_DESCRIBED,		/* what the record describes as "described" */
};

struct filter_value {
	enum filter_value_kind	 kind;
	const struct filter_node *node;
	const struct event_field *field;	/* LOAD of a field, STRING, ARRAY, MASK */
	struct filter_load	 load;
	unsigned int		 who;		/* WHO: enum filter_who */
	const char		*described;	/* DESCRIBED: a name, borrowed from the tree */
	bool			 is_signed;	/* LOAD, STEPS: compare as a signed number */
	bool			 is_time;	/* a point in time */
	bool			 is_duration;
	bool			 is_symbol;	/* CONST: a name of a field's value, compared by
						 * its bits */
	bool			 is_address;	/* may be compared with functions */
	__int128		 number;	/* CONST */
	uint64_t		 mask;		/* CONST: relevant bits of the field; 0 = all */
	uint32_t		 set;		/* SET: index in the filter */
	struct filter_step	*steps;		/* STEPS: in scratch */
	unsigned int		 nr_steps;
};

/* A value without more. */
static inline struct filter_value filter_value_of(enum filter_value_kind kind,
						  const struct filter_node *n)
{
	return (struct filter_value){ .kind = kind, .node = n };
}

/* filter_bind.c */
const struct filter_bound *filter_bind_term(struct filter_binder *b, const struct filter_node *n);

/* filter_bind_word.c */
/*
 * The meaning of a word as a value; @with: the field it is compared with, which may give it a
 * meaning; or NULL.
 */
struct filter_value filter_bind_word(struct filter_binder *b, const struct filter_node *n,
				     const struct event_field *with, bool right);
struct filter_load filter_field_load(const struct filter_binder *b,
				     const struct event_field *field);
/* The filter asks for a name whose model tells when it is read. */
void filter_note_asked(struct filter *f, const struct filter_name *name);
/*
 * Can any record of the file contain a tgid?  The answer may change at any time until all records
 * have been seen, so get it once for all types.
 */
bool filter_tells_tgids(const struct filter *f, unsigned int file);

/* filter_bind_note.c */
#define FILTER_ONLY_COMPARED "what a record describes can only be compared with a number or a text"
/* Note that a node is wrong for this type. */
struct filter_value filter_wrong(struct filter_binder *b, const struct filter_node *n,
				 const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void filter_right(struct filter_binder *b, const struct filter_node *n);
/*
 * Treat a node as right if the type may occur: it is only wrong by the strings of this type's
 * format, which say nothing about a type that does not occur.
 */
void filter_right_if_occurs(struct filter_binder *b, const struct filter_node *n);
const struct filter_bound *filter_unknown(struct filter_binder *b);
/* filter_bind_number.c */
struct filter_value filter_bind_value(struct filter_binder *b, const struct filter_node *n,
				      const struct event_field *with, bool right);
const struct filter_bound *filter_bind_numbers(struct filter_binder *b, const struct filter_node *n,
					       enum filter_op op, const struct filter_value *left,
					       const struct filter_value *right);
const struct filter_bound *filter_bind_number_set(struct filter_binder *b,
						  const struct filter_value *left, uint32_t set,
						  bool negate);
/* may a record of the type lack the number? */
bool filter_may_fail(const struct filter_load *load);
/* The bits of a number selected by a mask. */
struct filter_value filter_masked(struct filter_binder *b, const struct filter_node *n,
				  const struct filter_value *left, uint64_t bits);
/* The number of a constant, in the unit of what it is compared with.  False: an error was noted. */
bool filter_const_number(struct filter_binder *b, const struct filter_value *v, bool is_time,
			 __int128 *out);
bool filter_range_numbers(struct filter_binder *b, const struct filter_node *range, bool is_time,
			  __int128 *lo, __int128 *hi);
struct filter_value filter_no_such_symbol(struct filter_binder *b, const struct filter_node *n,
					  const struct event_field *field);
struct filter_value filter_no_such_function(struct filter_binder *b, const struct filter_node *n);
enum filter_op filter_op_mirrored(enum filter_op op);
/*
 * The numbers that satisfy a comparison with a constant, as bits of the left side; false: none.
 * *all: every number does.
 */
bool filter_const_range(const struct filter_binder *b, const struct filter_value *left,
			enum filter_op op, __int128 c, uint64_t *lo, uint64_t *hi, bool *all);

/* filter_bind_compare.c */
const struct filter_bound *filter_bind_compare(struct filter_binder *b,
					       const struct filter_node *n);
/*
 * `mask & 0-3`, `cpu & CPUS{1}`: membership, not arithmetic.  False: the node is not of this kind.
 */
bool filter_bind_bits(struct filter_binder *b, const struct filter_node *n,
		      const struct filter_bound **bound);
const struct filter_bound *filter_bind_in(struct filter_binder *b, const struct filter_node *n);
const struct filter_bound *filter_bind_between(struct filter_binder *b,
					       const struct filter_node *n);

/* filter_bind_origin.c: names of files and instances. */
const struct filter_bound *filter_bind_origin(struct filter_binder *b, const struct filter_node *n,
					      enum filter_op op, const struct filter_value *left,
					      const struct filter_node *right);

/* filter_bind_line.c */
const struct filter_bound *filter_bind_line(struct filter_binder *b, const struct filter_node *n);

/* filter_symbols.c: named numbers. */
/* A name of a field's value: *mask gets its relevant bits, 0 = all. */
bool filter_symbol(const struct filter_binder *b, const struct event_field *field, const char *name,
		   uint64_t *value, uint64_t *mask);
/* Is the field shown as joined names of bits? */
bool filter_shows_bits(const struct filter_binder *b, const struct event_field *field);
/* Call @add for each name of the field's values, for messages and completion. */
void filter_symbols_each(const struct filter_binder *b, const struct event_field *field,
			 void (*add)(void *arg, const char *name, uint64_t value, uint64_t mask),
			 void *arg);
bool filter_errno(const char *name, int *number);
/*
 * A pattern for the node's text, made once.  NULL: the regular expression is wrong, b->err has the
 * position.
 */
const struct filter_pattern *filter_node_pattern(struct filter_binder *b,
						 const struct filter_node *n,
						 enum filter_pattern_kind kind, bool fold,
						 uint32_t *index);
/*
 * The text on the right as a pattern for the operator; NULL: an error was noted, or the regular
 * expression is wrong.
 */
const struct filter_pattern *filter_text_pattern(struct filter_binder *b, enum filter_op op,
						 const struct filter_node *n, uint32_t *index);
/* Addresses of all functions whose names the node's pattern accepts; false if there are none. */
bool filter_functions(struct filter_binder *b, const struct filter_node *n,
		      const struct filter_pattern *m, uint32_t *set);

void filter_near_errors(struct filter_near *near);	/* adds near names of errors */
/* adds near names of the file's functions */
void filter_near_functions(struct filter_binder *b, struct filter_near *near);

/*
 * Offers for a word that is a task, a function, or a name of @names in other words.  @bare: it is a
 * condition by itself.  Return: "task", "function", or NULL.
 */
const char *filter_offer_word(struct filter_binder *b, const struct filter_node *n, bool bare);
/* Is the word an event, or a system of events? */
bool filter_is_event(const struct filter_binder *b, const char *name);
/*
 * Offers for a comparison that may be wrong: the name of a task instead of its number, an event
 * alone.  They belong to a problem within it.
 */
void filter_offer_compared(struct filter_binder *b, const struct filter_node *n);
void filter_offer_number(struct filter_binder *b, const struct filter_node *n);
#endif
