/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_KERNEL_KERNEL_FIELDS_H
#define FTOP_SRC_KERNEL_KERNEL_FIELDS_H
/*
 * kernel_fields - a record by its fields, as the kernel prints it with trace_options/fields.
 * Source: print_event_fields() in linux kernel/trace/trace_output.c, of Linux 7.2.
 */
#include "parsers/print/print_record.h"
#include "parsers/text/kernel_text.h"

struct kallsyms;

/*
 * Append "sched_waking: comm=sh pid=0x8e (142)" and a newline.  An address of the kernel's buffer,
 * which it prints for a field of the type char *, is not in a trace: "(?)".
 *
 * @swap: the record has the other byte order
 * @long_size: bytes of the kernel's long
 */
void kernel_fields_add(const struct kernel_text *kt, const struct kallsyms *syms, bool swap,
		       int long_size, const struct print_record *rec, struct text *out);
#endif
