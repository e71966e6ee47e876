/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_KERNEL_TEXT_H
#define FTOP_PARSERS_KERNEL_TEXT_H
/*
 * kernel_text - what the kernel's trace file says of records that it prints by code
 * of its own and not by a print format: the records of its tracers, system calls,
 * probes, synthetic events.
 *
 * Any thread; what is known of a type is found out at its first record.
 * Source: linux kernel/trace/trace_output.c, trace_syscalls.c, trace_kprobe.c,
 * trace_uprobe.c, trace_events_synth.c, trace_mmiotrace.c, blktrace.c.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/btf.h"
#include "parsers/types/event_types.h"
#include "parsers/types/kallsyms.h"
#include "parsers/printer/printer.h"
#include "src/base/text.h"

struct kernel_text;			/* opaque; one per file */

struct kernel_text_options {		/* of the kernel's trace_options, by their names there */
	bool		sym_offset, sym_addr;	/* function+0x12/0x40, <ffffffff81234567> */
	bool		no_print_parent;	/* without "<-caller" */
	bool		verbose;		/* types of system calls' arguments and synthetic events' fields */
	bool		bitmask_list;		/* masks as lists of numbers */
	bool		blk_classic;		/* the blk tracer's own columns */
	bool		counts;			/* the clock is not in ns */
	const struct btf *btf;			/* borrowed: names of arguments; or NULL */
};

/* All are borrowed and must live longer.  @options may be NULL. */
struct kernel_text *kernel_text_new(const struct trace_file *file, struct event_types *types, const struct kallsyms *syms,
				    const struct kernel_text_options *options);
void kernel_text_free(struct kernel_text *kt);	/* NULL is allowed */

enum kernel_text_way {
	KERNEL_TEXT_BY_FORMAT,		/* nothing was appended: "name: " and the print format's text */
	KERNEL_TEXT_WHOLE,		/* the whole text was appended, with its last newline where the kernel prints one */
	KERNEL_TEXT_PROBE,		/* "(func+0x0/0x40)" was appended: what the print format says behind its first ")" follows */
};

/**
 * kernel_text_add() - append the text of a record
 *
 * The kernel prints the name of an event before it where the way is not WHOLE; the names of system calls ("sys_read(fd:
 * 3…") and of the function that a trace_printk() stands in belong to the text.  Several lines are possible (stacks).
 */
enum kernel_text_way kernel_text_add(struct kernel_text *kt, const struct print_record *rec, struct text *out);

/* What such texts look like is appended to a pattern (text_pattern.h); the way tells as above what is missing. */
struct text_pattern;
enum kernel_text_way kernel_text_pattern(struct kernel_text *kt, const struct event_type *type, struct text_pattern *pattern);

/* Is it a record of mmiotrace, printed without task, CPU and time before it? */
bool kernel_text_stands_alone(struct kernel_text *kt, const struct print_record *rec);

/* Append a symbol as the kernel's %ps (or, with offset, %pS) shows it: "0xffffffffa0002083" where it has none. */
void kernel_text_symbol(const struct kernel_text *kt, uint64_t address, bool offset, struct text *out);

/* Append a function's name as %ps does in format strings of the kernel: with its module, "function [module]". */
void kernel_text_function(const struct kernel_text *kt, uint64_t address, struct text *out);

bool kernel_text_swaps(const struct kernel_text *kt);		/* records are of the other byte order */
int kernel_text_long_size(const struct kernel_text *kt);	/* of the kernel: 4 or 8 */
unsigned int kernel_text_release(const struct kernel_text *kt);	/* of the kernel: major << 16 | minor; 0 unknown */

/* Append the text of a trace_printk() or trace_marker alone, without the function it stands in; false: it is neither. */
bool kernel_text_message(struct kernel_text *kt, const struct print_record *rec, struct text *out);

/* Name of a task by the saved cmdlines: "<idle>", "<...>" for those that are not listed. */
const char *kernel_text_comm(struct kernel_text *kt, int pid);

/* The process of a task by saved_tgids, which our recorder keeps; 0 where nothing tells it. */
int kernel_text_tgid(const struct kernel_text *kt, int pid);
#endif
