/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_window.h"

#include "src/trace/time_option.h"

int report_window_init(struct report_window *window, struct trace *trace,
		       const struct report_options *o, struct ft_error *err)
{
	*window = (struct report_window){ .head = o->head, .tail = o->tail };
	if (o->head >= 0 && o->tail >= 0)
		return ft_error_set(err, FT_E_USAGE, -1, "--head cannot be combined with --tail");
	if (time_option_range(trace, o->from, o->to, &window->from, &window->to, err))
		return -1;
	window->has_from = o->from != NULL;
	window->has_to = o->to != NULL;
	return time_option_check(trace, window->has_from, window->from, window->has_to, window->to,
				 err);
}

bool report_window_wants(const struct report_options *o, int cpu, unsigned int flags)
{
	if (o->cpus && (cpu < 0 || (unsigned int)cpu >= o->nr_cpus || !o->cpus[cpu]))
		return false;
	if (o->no_irqs && (flags & TRACE_IN_HARDIRQ))
		return false;
	return !o->no_softirqs || !(flags & TRACE_IN_SOFTIRQ);
}
