/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_KERNEL_TEXT_H
#define FTOP_PARSERS_TEXT_KERNEL_TEXT_H
/*
 * kernel_text - the texts of records that the kernel's trace file prints by code, not by a print
 * format: the records of its tracers, system calls, probes, synthetic events.
 *
 * For any thread.  A type is examined when its first record is printed. Source: linux
 * kernel/trace/trace_output.c, trace_syscalls.c, trace_kprobe.c, trace_uprobe.c,
 * trace_events_synth.c, trace_mmiotrace.c, blktrace.c.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/btf.h"
#include "parsers/types/event_types.h"
#include "parsers/types/kallsyms.h"
#include "parsers/print/text_context.h"
#include "src/base/text.h"

struct kernel_text;			/* opaque; one per file */

/* All are borrowed and must outlive the result.  @options may be NULL. */
struct kernel_text *kernel_text_new(const struct source *file, struct event_types *types,
				    const struct kallsyms *syms,
				    const struct kernel_text_options *options);
void kernel_text_free(struct kernel_text *kt);	/* NULL is allowed */

enum kernel_text_way {
	KERNEL_TEXT_BY_FORMAT,		/* nothing was appended: print "name: " and the text by
					 * the print format */
	KERNEL_TEXT_WHOLE,		/* the whole text was appended, with its last newline if
					 * the kernel prints one */
	KERNEL_TEXT_PROBE,		/* "(func+0x0/0x40)" was appended: continue with the
					 * print format's text after its first ")" */
};

/**
 * kernel_text_add() - append the text of a record
 *
 * The kernel prints the name of the event before it unless the way is WHOLE.  The text includes the
 * name of a system call ("sys_read(fd: 3…") or of the function with a trace_printk().  It may have
 * several lines (stacks).
 */
enum kernel_text_way kernel_text_add(struct kernel_text *kt, const struct print_record *rec,
				     struct text *out);

/*
 * Append the pattern of such texts (text_pattern.h).  Return: the part that is missing, as above.
 */
struct text_pattern;
enum kernel_text_way kernel_text_pattern(struct kernel_text *kt, const struct event_type *type,
					 struct text_pattern *pattern);

/*
 * Append what the kernel prints after task, CPU and time with its option raw, or hex: numbers.
 * False: nothing was appended, because it prints the number of the type, "type: 4".
 */
bool kernel_text_raw(struct kernel_text *kt, const struct print_record *rec, bool hex,
		     struct text *out);

/* Is it a record of mmiotrace, which is printed without task, CPU and time? */
bool kernel_text_stands_alone(struct kernel_text *kt, const struct print_record *rec);

/*
 * Append a symbol like the kernel's %ps (or %pS, with @offset); "0xffffffffa0002083" if the address
 * has none.
 */
void kernel_text_symbol(const struct kernel_text *kt, uint64_t address, bool offset,
			struct text *out);

/*
 * Append a function's name like %ps in the kernel's format strings: with its module, "function
 * [module]".
 */
void kernel_text_function(const struct kernel_text *kt, uint64_t address, struct text *out);

/*
 * Append the message of a trace_printk() or trace_marker, without the function it is in; false if
 * the record is neither.
 */
bool kernel_text_message(struct kernel_text *kt, const struct print_record *rec, struct text *out);

/* Name of a task by the saved cmdlines: "<idle>", "<...>" if it is not listed. */
const char *kernel_text_comm(struct kernel_text *kt, int pid);

/* The process of a task by saved_tgids, which our recorder stores; 0 = unknown. */
int kernel_text_tgid(const struct kernel_text *kt, int pid);
#endif
