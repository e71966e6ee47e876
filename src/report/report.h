/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_H
#define FTOP_SRC_REPORT_REPORT_H
/*
 * report - the text of a trace: byte for byte what `trace-cmd report` 3.1 prints, or JSON, or CSV.
 * Records are in the order of time even where trace-cmd's are not (function_graph of several CPUs).
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/base/table_out.h"

struct filter_given;			/* filter_option.h */
struct filter_source;
struct trace_offset;

enum report_text_style {
	REPORT_TRACE_CMD,
	REPORT_KERNEL,
	REPORT_PERF,
	REPORT_BABELTRACE,
	REPORT_STYLES
};

extern const char *const report_style_names[REPORT_STYLES];	/* words of --style */

struct report_options {
	const char *const *inputs;	/* files, in the order given */
	unsigned int	nr_inputs;	/* at least 1 */
	const struct trace_offset *offsets; /* [nr_inputs]; NULL = none */
	/* trace-cmd's options */
	bool		latency;	/* -l: flags */
	bool		nanoseconds;	/* -t */
	bool		raw;		/* -R: fields as raw values */
	bool		no_plugins;	/* -N: neither plugins nor overrides */
	bool		no_system_plugins; /* -L: only the user's plugins, no overrides */
	bool		no_irqs;	/* -I: without records of hard interrupts */
	bool		no_softirqs;	/* -S */
	bool		ts_diff;	/* --ts-diff */
	bool		raw_ts;		/* --raw-ts */
	const bool	*cpus;		/* --cpu: [nr_cpus]; NULL = all */
	unsigned int	nr_cpus;
	const char *const *plugin_options; /* -O: options of plugins; REPORT_KERNEL: the kernel's
					    * own */
	unsigned int	nr_plugin_options;
	/* Our options */
	const char	*from, *to;	/* NULL = not given: "7.554", "+1ms" from the
					   trace's start, "120000ns", a raw count */
	int64_t		head, tail;	/* -1 = not given */
	bool		exact;
	const struct filter_source *filters; /* -F, with -v before them; src/filter/filter.h */
	unsigned int	nr_filters;
	bool		compat_filter;
	const char	*grep;		/* regular expression on the text
					   of a record; NULL = not given */
	bool		count;		/* only print how many records match */
	const struct filter_given *given; /* --task is in .filters, too; NULL = not given */
	const struct filter_name *const *filter_names;	/* names that models add to .filters:
							   trace_options.filter_names */
	const char	*compat;	/* "3.1", "3.4"; NULL = 3.1 */
	enum table_format format;
	enum report_text_style text_style;	/* for FORMAT_TEXT */
	bool		terminal;	/* the output is a terminal: no control characters */
	/* For tests; 0 = a good default */
	unsigned int	nr_threads;	/* threads that make text; 1 = only the caller's */
	unsigned int	block_items;	/* records per block */
};

#define REPORT_OPTIONS_INIT { .head = -1, .tail = -1 }

/* @given must live as long as @options */
void report_options_filter(struct report_options *options, const struct filter_given *given);

/**
 * report_run() - write the report
 * @fd:  output; if the reader closes it, the report ends without an error
 * @err: the message names the file, if it is about one
 *
 * Damage in files that could still be shown is reported on stderr at the end.
 *
 * Return: 0; -1 with FT_E_FORMAT if damage left no event, FT_E_USAGE, FT_E_UNSUPPORTED (not
 * implemented yet), FT_E_IO, or the error of opening a file.
 */
int report_run(const struct report_options *options, int fd, struct ft_error *err);
#endif
