/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_LINE_H
#define FTOP_SRC_REPORT_LINE_H
/*
 * report_line - one line of `trace-cmd report` 3.1: task, CPU, flags, time, name,
 * text.  Source: trace-cmd tracecmd/trace-read.c, libtraceevent tep_print_event().
 *
 * Who has the records in their order makes items of them (report_item); lines are
 * made of items by any thread, with a pen of its own (report_form.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/field.h"
#include "parsers/printer/printer.h"
#include "parsers/text/record_text.h"
#include "parsers/file/sub_buffer.h"
#include "src/report/report_order.h"
#include "src/base/text.h"

struct report_style {
	bool		latency;	/* -l */
	bool		nanoseconds;	/* -t */
	bool		raw;		/* -R */
	bool		raw_ts;		/* --raw-ts */
	bool		ts_diff;	/* --ts-diff */
	bool		era_34;		/* --compat=3.4: flags in every line */
};

/* What trace-cmd keeps for the whole process: goes from line to line. */
struct report_lines {
	struct report_style	style;
	uint64_t		last_ts;	/* --ts-diff; 0 = no line yet */
	/* Digits behind the flags appear if the first record had the field; a first lock depth below 0 switches it off. */
	bool			settled, lock_shown, migrate_shown;
};

/* One event type of a file.  Immutable once it is in an item. */
struct report_type {
	const struct event_type	*type;	/* NULL: unknown */
	const struct record_text_type *how;	/* NULL: libtraceevent prints it, in order */
	int			id;
	bool			known;	/* libtraceevent reads its format */
	bool			is_entry;	/* of a call: the text depends on the record that follows */
	bool			is_stack;
	bool			remembers;	/* printer_remember() is to be called */
	uint16_t		len;
	char			name[];	/* " sched_switch:         ", and REPORT_COPY bytes of room behind it */
};
#define REPORT_COPY 32u			/* bytes copied at once, whatever the length */

/* One file. */
struct report_file {
	unsigned int		nr;
	struct printer		*printer;	/* borrowed; NULL for JSON */
	struct event_types	*event_types;	/* borrowed */
	const struct common_layout *common;	/* borrowed */
	enum print_style	print;
	enum print_time		time;		/* how its time stamps are shown */
	bool			has_clock;	/* a TRACECLOCK option: --ts-diff counts µs */
	bool			swap;
	bool			era_34;
	bool			standard;	/* type and pid of records lie where they always do */
	struct report_type	**types[256];	/* owned: [id / 256][id % 256], of those seen */
	/* Names of tasks that will not change any more. */
	struct report_comm {
		int		pid;
		const char	*comm;		/* NULL = unused */
	} comms[1024];
};

/* One CPU of a buffer. */
struct report_cpu {
	const struct report_file *file;		/* borrowed */
	const struct text	*prefix;	/* borrowed: of the lines of its handle */
	const char		*path, *instance; /* borrowed: of rows; NULL = not told */
	int			cpu;
	uint8_t			len;
	char			text[REPORT_COPY];	/* " [000]" */
};

/* A piece of a report, made in the order of records. */
enum report_item_kind {
	REPORT_RECORD,
	REPORT_NEXT,			/* the exit that is part of the record before */
	REPORT_LOSS,			/* of events before the record behind it */
	REPORT_LOSS_ALONE,		/* the same, where that record is not shown */
};

struct report_item {
	const uint8_t		*data;
	const struct report_type *type;
	const char		*comm;		/* of the task, if the line shows it */
	uint64_t		 note;		/* for print_record; of types that libtraceevent prints: where their text lies */
	uint64_t		 ts;		/* as shown.  LOSS: how many events */
	uint32_t		 size, room;
	int32_t			 pid;
	uint32_t		 lane;
	uint8_t			 kind;		/* enum report_item_kind */
	bool			 counted;	/* it is one of those asked for */
	bool			 merged;	/* RECORD: the next item is NEXT */
	bool			 told;		/* LOSS: trace-cmd would see it */
	bool			 known;		/* LOSS: the number is */
};

/* How trace-cmd shows the times of a file: by its clock, and -t and --raw-ts. */
enum print_time report_time(const struct trace_file_info *info, const struct report_style *style);

/* @printer: NULL for JSON. */
void report_file_init(struct report_file *file, unsigned int nr, const struct trace_file *trace_file, struct printer *printer,
		      struct event_types *types, const struct report_style *style);
void report_file_fini(struct report_file *file);

/* An event type, by the common_type of a record; in the order of records. */
const struct report_type *report_file_type(struct report_file *file, int type_id);

/* The name of a task by trace-cmd's rule, now; in the order of records. */
const char *report_file_comm(struct report_file *file, int pid);
bool report_file_knows(const char *comm);	/* or else it may be told yet */

/* common_type and common_pid of a record. */
static inline int report_file_id(const struct report_file *file, const uint8_t *data, uint32_t size)
{
	const struct common_layout *c = file->common;

	if (file->standard && size >= 4)
		return load_u16(data, false);
	return (uint16_t)field_load(data, size, c->type_offset, c->type_size, file->swap);
}

static inline int report_file_pid(const struct report_file *file, const uint8_t *data, uint32_t size)
{
	const struct common_layout *c = file->common;

	if (file->standard && size >= 8)
		return (int)load_u32(data + 4, false);
	return (int)field_load(data, size, c->pid_offset, c->pid_size, file->swap);
}

/* @nr: of the CPU, as recorded.  Prefix, path and instance are for the caller to set. */
void report_cpu_init(struct report_cpu *cpu, const struct report_file *file, const struct report_style *style, int nr);

/* A record as printers take it; what it points to is the event's (item's). */
struct print_record report_print_record(const struct trace_event *event);
struct print_record report_item_record(const struct report_item *item, int cpu);

/* What the line of a record leaves for the lines behind it: report_line_head() does it, too. */
void report_lines_note(struct report_lines *lines, const struct report_file *file, const struct report_item *item);

/* A thread's own. */
#define REPORT_TASKS 256u		/* a power of two */
struct report_pen {
	struct report_lines	lines;
	struct report_task {		/* task columns made before */
		const char	*comm;	/* NULL = unused */
		int32_t		pid;
		uint8_t		len;
		char		text[REPORT_COPY + 16];
	} tasks[REPORT_TASKS];
	uint64_t		second;		/* of the text below */
	uint8_t			second_len;	/* 0: none */
	char			second_text[REPORT_COPY];	/* " 3716." */
};

/* Append "CPU:1 [12 EVENTS DROPPED]" and a newline, as far as trace-cmd sees the loss. */
void report_line_lost(const struct report_item *loss, int cpu, struct text *out);

/* Append what a line has before the record's text, without the name of its handle. */
void report_line_head(struct report_pen *pen, const struct report_cpu *cpu, const struct report_item *item, struct text *out);

/**
 * report_line_text() - append the record's text, without a newline
 * @next: the item that is part of it; else NULL
 * @side: texts of types that libtraceevent prints
 *
 * Return: false, with rubbish appended, where the program cannot print this record: printer_text_by_library() is to be asked.
 */
bool report_line_text(const struct report_cpu *cpu, const struct report_item *item, const struct report_item *next,
		      const char *side, struct text *out);
#endif
