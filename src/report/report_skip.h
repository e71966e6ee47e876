/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_SKIP_H
#define FTOP_SRC_REPORT_REPORT_SKIP_H
/*
 * report_skip - finds the records of a report with --grep that need no line: those whose line
 * cannot contain the text that the expression requires.
 *
 * Decides by the event's type first, whose texts have a pattern; then by the task's name and the
 * strings in the record.  The record's effects on later lines are kept.
 *
 * How many times faster a report is with it, by CPU time, on 500 MB of a few kinds of events, for
 * expressions that few lines match:
 *
 *     a literal               sched 3 to 4    mem 8 to 10    syscalls 8 to 14    irq 14 to 16
 *     two literals with |     sched 2.5       syscalls 9
 *     a literal and a class   sched 3.3
 *     (?i), and any expression in a trace of function_graph: 1
 *
 * Literals that occur in names of symbols or in texts of the most frequent events gain 1.2 to 2.
 */
#include "src/report/report_line.h"
#include "src/report/report_order.h"

struct report_skip;			/* opaque */

/*
 * @files, @cpus: borrowed; cpus by lane.  Only for lines without -l, --ts-diff and --compat=3.4.
 * Return: NULL if the expression requires no particular text.
 */
struct report_skip *report_skip_new(const char *regex, struct report_file *files,
				    unsigned int nr_files, const struct report_cpu *cpus,
				    unsigned int nr_cpus, struct trace *trace);
void report_skip_free(struct report_skip *skip);	/* NULL is allowed */

/* The skipper for report_order_new(); needs the records in the report's order. */
struct report_skipper report_skip_skipper(struct report_skip *skip);

/* Is it still worth using?  Not if most records need their line. */
bool report_skip_is_worth(const struct report_skip *skip);
#endif
