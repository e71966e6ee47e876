/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_FILTER_ORACLE_H
#define FTOP_TESTS_LIB_FILTER_ORACLE_H
/*
 * filter_oracle - what terms of filters mean, worked out slowly and by other means:
 * fields are read by libtraceevent, names of tasks and functions from lists of our
 * own, patterns are the C library's.
 */
#include <stdbool.h>
#include <stdint.h>
#include <traceevent/event-parse.h>
#include "src/trace/trace.h"

struct oracle_record {
	struct tep_record	 record;	/* with a copy of its data, zeros behind */
	struct tep_event	*event;		/* NULL: no format */
	int			 type_id;
	uint32_t		 room;
	int			 pid, cpu;
	unsigned int		 stream;
	int64_t			 ts;
	const char		*comm;		/* at that time */
	const char		*saved_comm;	/* or NULL */
};

struct oracle_name {			/* a task was called so at a time */
	int			 pid;
	int64_t			 ts;
	unsigned int		 order;
	char			 comm[24];
};

struct oracle_symbol {
	uint64_t		 address;
	char			*name;
};

struct oracle {
	struct trace		*trace;
	struct tep_handle	*tep;
	unsigned int		 nr;
	struct oracle_record	*records;
	unsigned int		 nr_names, cap_names;
	struct oracle_name	*names;
	unsigned int		 nr_symbols, cap_symbols;
	struct oracle_symbol	*symbols;
};

/* At most @max records of a trace, spread over it.  NULL: it cannot be read. */
struct oracle *oracle_new(const char *path, unsigned int max);
void oracle_free(struct oracle *oracle);

enum oracle_kind {
	KIND_SIGNED, KIND_UNSIGNED, KIND_ADDRESS, KIND_STRING, KIND_DYNAMIC, KIND_ELEMENT, KIND_ANY,
	KIND_MASK, KIND_STATE,
	KIND_COMM, KIND_PID, KIND_CPU, KIND_TIME, KIND_FUNC, KIND_FLAG, KIND_EVENT, KIND_NR,
};
extern const char *const oracle_kind_names[KIND_NR];

enum oracle_op {
	/* with a number, a string or a name */
	OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE,
	/* computed, and compared */
	OP_BITS, OP_OR, OP_XOR, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_SHL, OP_SHR,
	OP_IN, OP_NOT_IN, OP_RANGE,
	OP_REGEX, OP_NOT_REGEX, OP_POSIX, OP_NOT_POSIX, OP_GLOB, OP_CONTAINS,
	OP_ALONE, OP_NR,
};
extern const char *const oracle_op_texts[OP_NR];

/* One term: what it says as text, and all that is needed to evaluate it. */
struct oracle_term {
	enum oracle_kind	 kind;
	enum oracle_op		 op, compare;	/* compare: of what was computed */
	char			 system[64], event[64];	/* it is about this event alone;
							   "" = any that has the field */
	char			 field[64];
	unsigned int		 index;		/* ELEMENT */
	int64_t			 number, other; /* constants; range, and what is
						   compared with what was computed */
	int64_t			 list[4];
	unsigned int		 nr_list;
	char			 string[64];
	char			 text[768];
};

/* Is it possible to ask so? */
bool oracle_can(enum oracle_kind kind, enum oracle_op op);

/*
 * Fill in constants near what the record holds, and the text.  False: the record has none of these.
 */
bool oracle_term_make(struct oracle *o, const struct oracle_record *r, enum oracle_kind kind,
		      enum oracle_op op, unsigned int (*random)(void), struct oracle_term *term);
bool oracle_term_holds(const struct oracle *o, const struct oracle_term *term,
		       const struct oracle_record *r);

/* Is there one function only at each address that has this name? */
bool oracle_symbol_is_single(const struct oracle *o, const char *name);
#endif
