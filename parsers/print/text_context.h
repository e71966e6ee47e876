/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_TEXT_CONTEXT_H
#define FTOP_PARSERS_PRINT_TEXT_CONTEXT_H
/*
 * text_context - the data besides the record that its text depends on: the file, its symbols, the
 * options of a report.
 */
#include "parsers/print/print_record.h"
#include "parsers/types/kallsyms.h"
#include "src/base/text.h"

struct btf;
struct graph_text;
struct printk_formats;
struct sched_states;
struct text_context;
struct source;

enum text_style { TEXT_TRACE_CMD, TEXT_TRACE_CMD_RAW, TEXT_KERNEL };

enum text_era {
	TEXT_ERA_3_1,			/* trace-cmd 3.1, libtraceevent before 1.8 */
	TEXT_ERA_3_4,			/* trace-cmd 3.3 and 3.4, libtraceevent 1.8 and later */
};

struct kernel_text_options {		/* the kernel's trace_options, by their names there */
	bool		sym_offset, sym_addr;	/* function+0x12/0x40, <ffffffff81234567> */
	bool		no_print_parent;	/* without "<-caller" */
	bool		verbose;		/* types of system calls' arguments
						   and synthetic events' fields */
	bool		bitmask_list;		/* masks as lists of numbers */
	bool		blk_classic;		/* the blk tracer's own columns */
	bool		counts;			/* the clock is not in ns */
	const struct btf *btf;			/* borrowed: names of arguments; or NULL */
};

/*
 * Names of a field's values in a print format's __print_symbolic() and __print_flags(), and of
 * system calls, for filters (prev_state == R, gfp_flags & GFP_ATOMIC).  Immutable, owned by the
 * record_text.
 */
struct value_name {
	const char	*name;
	uint64_t	 value;
};
struct value_names {
	bool			 flags;	/* bits, shown with a separator; false: one value */
	bool			 both;	/* tables of both kinds show it */
	unsigned int		 nr;
	const struct value_name	*names;
};

struct arena;

struct record_text_options {
	enum text_era	era;
	bool		no_plugins;	/* use print formats only: report -N */
	bool		tailprint, depth;	/* options fgraph:tailprint, fgraph:depth */
	bool		retval_skip, retval_dec, retval_hex; /* options fgraph:retval-skip …, of
							      * TEXT_ERA_3_4 */
	bool		parent, no_indent, offset; /* options ftrace:parent … */
	enum print_time	time;		/* form of times inside texts (func_repeats) */
	const struct kernel_text_options *kernel; /* for style TEXT_KERNEL; borrowed, or NULL */
	/* Names for the field id of raw_syscalls, by the file's uname; NULL: none. */
	const struct value_names *(*syscalls)(struct arena *arena, const char *uname);
};

/*
 * Functions of libtraceevent's plugins for print formats (scsi_trace_parse_cdb(p, …)).  Arguments
 * are numbers; __get_dynamic_array() gives an address inside the record's bytes, which @rec bounds.
 */
struct text_function {
	const char	*name;
	unsigned int	nr_args;	/* at least 1 */
	/*
	 * Append its text to @out (for %s and %p), and return its value (for numbers: @out is
	 * NULL).  NULL: formats that call it are left to libtraceevent.
	 */
	uint64_t	(*call)(const struct text_context *c, const struct print_record *rec,
				const uint64_t *args,
				struct text *out);
};

/* Common to all records of a type in a style.  Immutable. */
struct text_context {
	const struct source	*file;
	struct event_types	*types;
	const struct kallsyms	*syms;
	const struct record_text_options *options;
	const struct graph_text	*graph;		/* see graph_text.h */
	enum text_style		 style;
	bool			 swap;		/* the trace's byte order is not this machine's */
	bool			 big_endian;	/* the trace is */
	int			 long_size;	/* bytes of the kernel's long */
	int			 user_long_size; /* bytes of a long in the file's header, which
						  * libtraceevent takes for the kernel's */
	const struct btf	*btf;		/* the file's BTF, or NULL; TEXT_ERA_3_4 */
	const struct sched_states *states; /* a sched_switch's task states; TEXT_ERA_3_4, else
					    * NULL */
	const struct printk_formats *printk;	/* strings by address: trace_printk()'s formats */
	const struct text_function *functions;	/* for formats to call; the last one has .name
						 * NULL */
	const struct event_field *const *f;	/* handler: the fields it lists; NULL where the
						 * type has none */
};

/* The function with this name, or NULL. */
const struct text_function *text_function_find(const struct text_function *functions,
					       const char *name);
#endif
