/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_BIND_H
#define FTOP_SRC_FILTER_BIND_H
/*
 * filter_bind - what a tree means for each event type of a file.
 *
 * filter_bind.c decides what words mean and joins the terms; filter_bind_number.c
 * makes numbers of values, filter_bind_compare.c tests of comparisons,
 * filter_bind_line.c what is looked for in whole lines.  What was
 * wrong with a node is noted where it happens, and is an error if it was right for
 * no type at all.
 */
#include <stdbool.h>
#include "src/filter/filter_private.h"

/* What binding found out about a node. */
struct filter_note {
	bool		 ok;		/* right for some type */
	bool		 is_field;	/* a type has a field of this name (in the scope, where it stands in one) */
	bool		 is_string;	/* and it is a string */
	bool		 in_scope;
	bool		 weak;		/* another type may tell better what is wrong */
	bool		 is_doubtful;	/* right for types that may not be in the trace */
	bool		 is_used, is_misused;	/* a value that is right, or of a kind that is wrong, where it stands */
	char		*problem;	/* in the arena: what was wrong, for the first type it was wrong for */
	/* What is made once for all types: 1 + its number in the filter. */
	uint32_t	 matcher;
	uint32_t	 set;		/* of constants */
	uint32_t	 functions;	/* of this file; UINT32_MAX: there are none */
	struct filter_line_words *words; /* in the arena: filter_bind_line.c */
};

struct filter_binder {
	struct filter		*f;
	const struct filter_options *options;
	unsigned int		 file;
	unsigned int		 source;
	struct event_types	*types;
	const struct common_layout *common;
	const struct kallsyms	*syms;		/* looked for when first needed */
	bool			 swap;
	bool			 tells_tgids;	/* filter_tells_tgids(), of all types alike */
	uint8_t			 long_size;
	/* The type it is bound for; NULL: one without a format, or, if general, any. */
	const struct event_type	*type;
	bool			 general;
	bool			 is_text;	/* lines of latency text */
	unsigned int		 scope_depth;
	unsigned int		 nr_wrong;	/* problems noted so far */
	bool			 bare;		/* the word stands by itself: it may have been an event's */
	struct filter_note	*notes;		/* [nodes of the source's tree] */
	const uint32_t		*scope_of;	/* [nodes of the source's tree], 1 + number of the scope; 0 = none */
	struct arena		*scratch;
	struct filter_error	*err;
};

enum filter_value_kind {
	FILTER_VALUE_MISSING,		/* this type has no such thing */
	FILTER_VALUE_WRONG,		/* noted */
	FILTER_VALUE_UNKNOWN,		/* general: it depends on the type */
	FILTER_VALUE_CONST,
	FILTER_VALUE_SET,		/* numbers that are meant together: addresses of a function, 0-3 */
	FILTER_VALUE_LOAD,
	FILTER_VALUE_STEPS,
	FILTER_VALUE_TEXT,		/* a string, glob or regular expression: node */
	FILTER_VALUE_STRING,		/* string field */
	FILTER_VALUE_COMM, FILTER_VALUE_SAVED_COMM,
	FILTER_VALUE_ARRAY, FILTER_VALUE_MASK, FILTER_VALUE_STACK,
	FILTER_VALUE_FILE, FILTER_VALUE_INSTANCE,	/* names */
};

struct filter_value {
	enum filter_value_kind	 kind;
	const struct filter_node *node;
	const struct event_field *field;	/* LOAD of a field, STRING, ARRAY, MASK */
	struct filter_load	 load;
	bool			 is_signed;	/* of LOAD, STEPS: compares as a signed number */
	bool			 is_time;	/* a point in time */
	bool			 is_duration;
	bool			 is_symbol;	/* CONST: a name of the field's, compared by its bits */
	bool			 is_address;	/* functions may be compared with it */
	__int128		 number;	/* CONST */
	uint64_t		 mask;		/* CONST: bits of the field that count; 0 = all */
	uint32_t		 set;		/* SET: number in the filter */
	struct filter_step	*steps;		/* STEPS: in scratch */
	unsigned int		 nr_steps;
};

/* filter_bind.c */
const struct filter_bound *filter_bind_term(struct filter_binder *b, const struct filter_node *n);
/* The meaning of a word as a value; @with: what it is compared with, whose symbols it may be, or NULL. */
struct filter_value filter_bind_word(struct filter_binder *b, const struct filter_node *n, const struct event_field *with,
				     bool right);
/* Note that a node is wrong for this type. */
struct filter_value filter_wrong(struct filter_binder *b, const struct filter_node *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void filter_right(struct filter_binder *b, const struct filter_node *n);
/* The same where only the type's own strings tell so: of one that does not occur they are no reason. */
void filter_right_if_occurs(struct filter_binder *b, const struct filter_node *n);
/*
 * May anything in the file tell of processes?  Of one whose records do that is known once all have been seen, which may
 * happen at any moment: to be asked once for all types.
 */
bool filter_tells_tgids(const struct filter *f, unsigned int file);
struct filter_load filter_field_load(const struct filter_binder *b, const struct event_field *field);
const struct filter_bound *filter_unknown(struct filter_binder *b);
/*
 * What the model of a derived name is to keep: a test asks a number only whether it is among some (then this is the test;
 * NULL: it is no such name), or computes with some.
 */
const struct filter_bound *filter_among(struct filter_binder *b, const struct filter_load *load, uint32_t set, bool negate);
const struct filter_bound *filter_within(struct filter_binder *b, const struct filter_load *load, uint64_t lo, uint64_t hi, bool negate);
/* The test of a node; where it computes with what a model tells, that one is to be asked it. */
const struct filter_bound *filter_computed(struct filter_binder *b, const struct filter_node *n, const struct filter_test *test);

/* filter_bind_number.c */
struct filter_value filter_bind_value(struct filter_binder *b, const struct filter_node *n, const struct event_field *with,
				      bool right);
const struct filter_bound *filter_bind_numbers(struct filter_binder *b, const struct filter_node *n, enum filter_op op,
					       const struct filter_value *left, const struct filter_value *right);
const struct filter_bound *filter_bind_number_set(struct filter_binder *b, const struct filter_value *left, uint32_t set,
						  bool negate);
bool filter_may_fail(const struct filter_load *load);	/* a record of the type may not have the number */
/* Some bits of a number. */
struct filter_value filter_masked(struct filter_binder *b, const struct filter_node *n, const struct filter_value *left,
				  uint64_t bits);
/* The number of a constant, in the unit of what it is compared with.  False: noted. */
bool filter_const_number(struct filter_binder *b, const struct filter_value *v, bool is_time, __int128 *out);
bool filter_range_numbers(struct filter_binder *b, const struct filter_node *range, bool is_time, __int128 *lo, __int128 *hi);
struct filter_value filter_no_such_symbol(struct filter_binder *b, const struct filter_node *n, const struct event_field *field);
struct filter_value filter_no_such_function(struct filter_binder *b, const struct filter_node *n);
bool filter_is_address_field(const struct filter_binder *b, const struct event_field *field);	/* or an array of them */
enum filter_op filter_op_mirrored(enum filter_op op);
/* The numbers of a comparison with a constant, as the left side's bits; false: none.  *all: every one. */
bool filter_const_range(const struct filter_binder *b, const struct filter_value *left, enum filter_op op, __int128 c,
			uint64_t *lo, uint64_t *hi, bool *all);

/* filter_bind_compare.c */
const struct filter_bound *filter_bind_compare(struct filter_binder *b, const struct filter_node *n);
/* `mask & 0-3`, `cpu & CPUS{1}`: membership, not arithmetic.  False: it is none of these. */
bool filter_bind_bits(struct filter_binder *b, const struct filter_node *n, const struct filter_bound **bound);
const struct filter_bound *filter_bind_in(struct filter_binder *b, const struct filter_node *n);
const struct filter_bound *filter_bind_between(struct filter_binder *b, const struct filter_node *n);
/* The text to the right as the operator takes it; NULL: noted, or the regular expression is wrong. */
const struct filter_matcher *filter_text_matcher(struct filter_binder *b, enum filter_op op, const struct filter_node *n,
						 uint32_t *index);

/* filter_bind_origin.c: names of files and instances. */
const struct filter_bound *filter_bind_origin(struct filter_binder *b, const struct filter_node *n, enum filter_op op,
					      const struct filter_value *left, const struct filter_node *right);

/* filter_bind_line.c */
const struct filter_bound *filter_bind_line(struct filter_binder *b, const struct filter_node *n);

/* filter_symbols.c: numbers by name. */
/* A name of a field's values: *mask gets the bits it is about, 0 = all. */
bool filter_symbol(const struct filter_binder *b, const struct event_field *field, const char *name, uint64_t *value,
		   uint64_t *mask);
/* Is it shown as names of bits, joined? */
bool filter_shows_bits(const struct filter_binder *b, const struct event_field *field);
/* The names there are, for messages and completion; calls @add for each. */
void filter_symbols_each(const struct filter_binder *b, const struct event_field *field,
			 void (*add)(void *arg, const char *name, uint64_t value, uint64_t mask), void *arg);
bool filter_errno(const char *name, int *number);
const char *filter_errno_at(unsigned int i, int *number);	/* or NULL */
const struct kallsyms *filter_kallsyms(struct filter_binder *b);
/* The node's text as a matcher, made once. NULL: the regular expression is wrong, b->err says where. */
const struct filter_matcher *filter_node_matcher(struct filter_binder *b, const struct filter_node *n,
						 enum filter_matcher_kind kind, bool fold, uint32_t *index);
/* Addresses of all functions whose names the node's matcher wants; false: there are none. */
bool filter_functions(struct filter_binder *b, const struct filter_node *n, const struct filter_matcher *m, uint32_t *set);

/* The nearest of names to one that is wrong. */
struct filter_near {
	const char	*name;
	unsigned int	 distance;
	char		 best[3][64];
	unsigned int	 distances[3];
	unsigned int	 nr;
};
void filter_near_init(struct filter_near *near, const char *name);
void filter_near_add(struct filter_near *near, const char *candidate);
void filter_near_text(const struct filter_near *near, struct text *out);	/* "; did you mean a or b?" or nothing */
void filter_near_errors(struct filter_near *near);	/* add those whose names it may be */
void filter_near_functions(struct filter_binder *b, struct filter_near *near);	/* add those of the file */
#endif
