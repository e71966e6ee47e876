/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_BTF_H
#define FTOP_PARSERS_TYPES_BTF_H
/*
 * btf - names and types of functions' arguments, from the kernel's BTF that newer recorders store,
 * and where members of structs are.  Format: linux Documentation/bpf/btf.rst.
 *
 * Immutable after btf_new(); any thread may read.
 */
#include <stdbool.h>
#include <stdint.h>

struct btf;

enum btf_kind { BTF_UNKNOWN, BTF_POINTER, BTF_SIGNED, BTF_UNSIGNED, BTF_ENUM, BTF_COMPOUND };

struct btf_argument {
	const char	*name;		/* "" if it has none */
	enum btf_kind	 kind;
	const char	*what;		/* COMPOUND: its kind as in the kernel: "STRUCT", "UNION" */
	uint32_t	 size;		/* COMPOUND: bytes */
	uint32_t	 type;		/* for btf_enum_name() */
	uint8_t		 bits, bit_offset;	/* SIGNED, UNSIGNED: position in its word */
	bool		 is_void;	/* UNKNOWN: the "..." of a variable number of arguments */
};

/* @data is borrowed and must outlive the result.  NULL if it is not BTF, or damaged. */
struct btf *btf_new(const void *data, uint64_t size);
void btf_free(struct btf *btf);	/* NULL is allowed */

/* Which of several static functions with the same name. */
enum btf_choice {
	BTF_FIRST,			/* like the kernel */
	BTF_AS_LIBTRACEEVENT,		/* the one that libtraceevent's binary search finds */
};

/*
 * Arguments of a function.  Return: their number, the first @max of them in @args; -1 if the
 * function is not known.
 */
int btf_arguments(const struct btf *btf, const char *function, enum btf_choice choice,
		  struct btf_argument *args, unsigned int max);

/*
 * Where a member of a struct is, in bytes, also one of a nameless struct or union in it; -1: that
 * is not known.
 */
int btf_member_offset(const struct btf *btf, const char *name, const char *member);

/* The name of a value of a BTF_ENUM argument; NULL: it has none, or the argument is no enum. */
const char *btf_enum_name(const struct btf *btf, const struct btf_argument *arg, int64_t value);
#endif
