/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_H
#define FTOP_SRC_REPORT_H
/*
 * report - the text of a trace: byte for byte what `trace-cmd report` 3.1
 * prints, or JSON, or CSV.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"

struct filter_source;

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };
enum report_text_style { REPORT_TRACE_CMD, REPORT_KERNEL };

struct report_options {
	const char *const *inputs;	/* files, in the order given */
	unsigned int	nr_inputs;	/* at least 1 */
	/* trace-cmd's */
	bool		latency;	/* -l: flags */
	bool		nanoseconds;	/* -t */
	bool		raw;		/* -R: fields as raw values */
	bool		no_plugins;	/* -N: neither plugins nor overrides */
	bool		no_system_plugins; /* -L: the user's plugins alone, no overrides */
	bool		no_irqs;	/* -I: without records of hard interrupts */
	bool		no_softirqs;	/* -S */
	bool		ts_diff;	/* --ts-diff */
	bool		raw_ts;		/* --raw-ts */
	const bool	*cpus;		/* --cpu: [nr_cpus]; NULL = all */
	unsigned int	nr_cpus;
	const char *const *plugin_options; /* -O: of plugins; REPORT_KERNEL: the kernel's own */
	unsigned int	nr_plugin_options;
	/* ours */
	const char	*from, *to;	/* NULL = not given: "7.554", "+1ms" from the trace's start, "120000ns", a raw count */
	int64_t		head, tail;	/* -1 = not given */
	bool		exact;
	const struct filter_source *filters; /* -F, with -v before them; src/filter/filter.h */
	unsigned int	nr_filters;
	bool		compat_filter;
	const char	*grep;		/* regular expression on the text of a record; NULL = not given */
	bool		count;		/* print how many records match, and nothing else */
	const char	*compat;	/* "3.1", "3.4"; NULL = 3.1 */
	enum report_format format;
	enum report_text_style text_style;	/* of REPORT_TEXT */
	bool		terminal;	/* the output is one: no control character goes there */
	/* tests; 0: as is good */
	unsigned int	nr_threads;	/* that make text; 1: none but the caller's */
	unsigned int	block_items;	/* records that one of them takes at once */
};

#define REPORT_OPTIONS_INIT { .head = -1, .tail = -1 }

struct filter_given;			/* filter_option.h */
void report_options_filter(struct report_options *options, const struct filter_given *given);	/* it must live as long */

/**
 * report_run() - write the report
 * @fd:  where to; a reader that closes it ends the report quietly
 * @err: the message names the file where it is about one
 *
 * What is wrong with files of which something was shown is told on stderr, at the end.
 *
 * Return: 0; -1 with FT_E_FORMAT where damage left no event, FT_E_USAGE, FT_E_UNSUPPORTED (what is not done yet), FT_E_IO, or what opening a file gave.
 */
int report_run(const struct report_options *options, int fd, struct ft_error *err);
#endif
