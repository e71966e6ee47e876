/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_PRIVATE_H
#define FTOP_SRC_REPORT_REPORT_PRIVATE_H
/*
 * report_private - shared by the files of the report: report.c (options, files and their CPUs),
 * report_records.c (selects records and makes their items).
 */
#include "src/base/output.h"
#include "src/report/report_blocks.h"
#include "src/report/report_filter.h"
#include "src/report/report_form.h"
#include "src/report/report_order.h"
#include "src/report/report_skip.h"
#include "src/report/report_window.h"
#include "src/trace/trace_streams.h"

/* A buffer of a file: what trace-cmd calls a handle. */
struct report_handle {
	unsigned int	file, buffer;
	const char	*name;		/* instance, or with several inputs the file's base name;
					 * NULL = none */
	struct text	prefix;		/* with which its lines begin */
};

struct report {
	const struct report_options *options;
	struct trace		*trace;
	struct output		*out;
	struct report_window	window;
	struct report_filter	*filter;	/* owned; NULL = none */
	struct matches		*matches;	/* the filter's, if the matching records are
						 * known; or NULL */
	unsigned int		nr_files;
	struct report_file	*files;		/* owned, [nr_files] */
	unsigned int		nr_handles;
	struct report_handle		*handles;	/* owned */
	unsigned int		nr_lanes;
	struct report_lane	*lanes;		/* owned; in the order of handles */
	int			*lane_of;	/* owned, [streams]; -1 = not read */
	unsigned int		nr_cpus;	/* number of --cpu numbers */
	int			*shown_cpu;	/* owned, [nr_lanes]: number in --cpu; see
						 * number_lanes() */
	trace_ref		*tail_start;	/* owned, [nr_lanes]: first ref in the window,
						 * only with --tail; else NULL */
	trace_ref		*merged_exit;	/* owned, [nr_lanes]: exit that is part of a line
						 * before the window; or NULL */
	bool			picks;		/* not all records are selected and in the window */
	bool			leaves;		/* entries depend on the next record of their CPU */
	bool			multi, any_instance;
	bool			needs_all;	/* only the head of the file is open */
	size_t			name_width;
	int64_t			counted;	/* selected events of the window so far */
	uint64_t		damaged;	/* damaged sub-buffers read */
	/* Output */
	struct report_cpu	*cpus;		/* owned, [nr_lanes] */
	struct report_lines	lines;		/* state after the last record */
	bool			has_lines;	/* the lines have state */
	struct report_form	form;
	struct report_blocks	*blocks;
	struct report_order	*order;
	struct report_skip	*skip;		/* recognises records that need no line; or NULL */
	struct text		scratch;
};

/* Place the lanes at the start of the window. */
void report_place_lanes(struct report *r);
/* Find leaves whose entries are before the window. */
void report_find_merged_exits(struct report *r);
/* Report all records of the window. */
int report_records(struct report *r, struct ft_error *err);
#endif
