/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_SKIP_H
#define FTOP_SRC_REPORT_SKIP_H
/*
 * report_skip - which records of a report with --grep need no line: those in whose
 * line nothing can stand that the expression has to have.
 *
 * By the event's type first, whose texts have a pattern; then by the task's name and
 * the strings in the record.  What a record leaves for lines behind it, it leaves all
 * the same.
 */
#include "src/report/report_line.h"
#include "src/report/report_order.h"

struct report_skip;			/* opaque */

/*
 * @files, @cpus: borrowed; cpus by lane.  For lines as they are without -l, --ts-diff and --compat=3.4.
 * Return: NULL where nothing is known of the expression.
 */
struct report_skip *report_skip_new(const char *regex, struct report_file *files, unsigned int nr_files,
				    const struct report_cpu *cpus, unsigned int nr_cpus, struct trace *trace);
void report_skip_free(struct report_skip *skip);	/* NULL is allowed */

/* For report_order_new(): records come in the order of the report. */
struct report_skipper report_skip_skipper(struct report_skip *skip);

/* Is it still worth asking?  Not if most records need their line all the same. */
bool report_skip_is_worth(const struct report_skip *skip);

/* The same question about one record, where the order does not ask it. */
bool report_skip_skips(struct report_skip *skip, const struct report_event *event);
#endif
