/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_PRIVATE_H
#define FTOP_SRC_REPORT_PRIVATE_H
/*
 * report_private - what the files of the report share: report.c (what is asked for,
 * files and their CPUs), report_records.c (which records, and what they bring).
 */
#include "src/base/output.h"
#include "src/report/report_blocks.h"
#include "src/report/report_filter.h"
#include "src/report/report_form.h"
#include "src/report/report_order.h"
#include "src/report/report_skip.h"
#include "src/report/report_window.h"
#include "src/trace/trace_private.h"

/* A buffer of a file: what trace-cmd calls a handle. */
struct report_handle {
	unsigned int	file, buffer;
	const char	*name;		/* instance, or the file's base name with several inputs; NULL = none */
	struct text	prefix;		/* of its lines */
	bool		exit_is_merged;	/* its first record is the exit of a leaf before the window */
	bool		first_seen;
};

struct report {
	const struct report_options *options;
	struct trace		*trace;
	struct output		*out;
	struct report_window	window;
	struct report_filter	*filter;	/* owned; NULL: none was asked for */
	struct matches		*matches;	/* of the filter: where they are is known; or NULL */
	unsigned int		nr_files;
	struct report_file	*files;		/* owned, [nr_files] */
	unsigned int		nr_handles;
	struct report_handle		*handles;	/* owned */
	unsigned int		nr_lanes;
	struct report_lane	*lanes;		/* owned; in the order of handles */
	int			*lane_of;	/* owned, [streams]; -1 = not read */
	unsigned int		nr_cpus;	/* --cpu may ask for the numbers below */
	int			*shown_cpu;	/* owned, [nr_lanes]: the number that --cpu asks for; see number_lanes() */
	trace_ref		*tail_start;	/* owned, [nr_lanes]: first ref in the window, with --tail; else NULL */
	bool			picks;		/* some records are not wanted, or not in the window */
	bool			leaves;		/* entries look at the record that follows */
	bool			multi, any_instance;
	size_t			name_width;
	int64_t			counted;	/* events of the window so far */
	uint64_t		damaged;	/* sub-buffers that were read */
	/* what is printed */
	struct report_cpu	*cpus;		/* owned, [nr_lanes] */
	struct report_lines	lines;		/* behind the record that came last */
	bool			has_lines;	/* it matters */
	struct report_form	form;
	struct report_blocks	*blocks;
	struct report_order	*order;
	struct report_skip	*skip;		/* records that need no line; or NULL */
	struct text		scratch;
};

/* Place the lanes at the window's begin. */
void report_place_lanes(struct report *r);
/* Look for leaves whose entries lie before the window. */
void report_find_merged_exits(struct report *r);
/* All records of the window. */
int report_records(struct report *r, struct ft_error *err);
#endif
