/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_LINE_H
#define FTOP_SRC_REPORT_LINE_H
/*
 * report_line - one line of `trace-cmd report` 3.1: task, CPU, flags, time, name,
 * text.  Source: trace-cmd tracecmd/trace-read.c, libtraceevent tep_print_event().
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/printer.h"
#include "parsers/sub_buffer.h"
#include "src/report_order.h"
#include "src/text.h"

struct report_style {
	bool		latency;	/* -l */
	bool		nanoseconds;	/* -t */
	bool		raw;		/* -R */
	bool		raw_ts;		/* --raw-ts */
	bool		ts_diff;	/* --ts-diff */
	bool		era_34;		/* --compat=3.4: flags in every line */
};

/* State of the lines: what trace-cmd keeps for the whole process. */
struct report_lines {
	struct report_style	style;
	uint64_t		last_ts;	/* --ts-diff; 0 = no line yet */
	/* Digits behind the flags appear once a record had the field; a first lock depth below 0 switches it off. */
	bool			lock_shown, lock_off, migrate_shown, migrate_off;
};

/* One file. */
struct report_file {
	struct printer		*printer;	/* borrowed */
	const struct common_layout *common;	/* borrowed */
	enum print_time		time;		/* how its time stamps are shown */
	bool			has_clock;	/* a TRACECLOCK option: --ts-diff counts µs */
	bool			swap;
	bool			era_34;
	/* Name columns of the event types seen, and names of tasks that will not change any more. */
	struct report_name	**names[256];	/* owned: [id / 256][id % 256] */
	struct report_comm {
		int		pid;
		const char	*comm;		/* NULL = unused */
	} comms[1024];
};

/* How trace-cmd shows the times of a file: by its clock, and -t and --raw-ts. */
enum print_time report_time(const struct trace_file_info *info, const struct report_style *style);

void report_file_init(struct report_file *file, const struct trace_file *trace_file, struct printer *printer,
		      const struct common_layout *common, const struct report_style *style);
void report_file_fini(struct report_file *file);

/* Is the record the entry of a call, whose text depends on the record that follows? */
bool report_line_is_entry(struct report_file *file, int type_id);

/* Append "CPU:1 [12 EVENTS DROPPED]" and a newline where events were lost before the record, as far as trace-cmd sees it. */
void report_line_lost(const struct report_event *event, struct text *out);

/* For printer.h. */
struct print_record report_print_record(const struct trace_event *event);

/**
 * report_line() - append a record's line, without the name of its handle and without a newline
 * @next: what report_order_peek() gave, for entries; else NULL
 *
 * Return: true if @next is part of the line.
 */
bool report_line(struct report_lines *lines, struct report_file *file, const struct report_event *event,
		 const struct report_event *next, struct text *out);
#endif
