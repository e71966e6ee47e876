/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_WINDOW_H
#define FTOP_SRC_REPORT_REPORT_WINDOW_H
/* report_window - the part of a trace that a report shows. */
#include <stdbool.h>
#include <stdint.h>
#include "src/report/report.h"
#include "src/trace/trace.h"

struct report_window {			/* the wanted part */
	bool		has_from, has_to;
	int64_t		from, to;	/* model time, both included */
	int64_t		head, tail;	/* events; -1 = all */
};

/* Set it from --from, --to, --head, --tail.  -1 with FT_E_USAGE. */
int report_window_init(struct report_window *window, struct trace *trace,
		       const struct report_options *options, struct ft_error *err);

/*
 * May a record be shown, by its CPU and its context?  Like trace-cmd's skip_record().
 * @flags: the record's common_flags
 */
bool report_window_wants(const struct report_options *options, int cpu, unsigned int flags);

static inline bool report_window_has(const struct report_window *window, int64_t ts)
{
	return (!window->has_from || ts >= window->from) && (!window->has_to || ts <= window->to);
}
#endif
