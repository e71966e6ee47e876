/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_LINE_H
#define FTOP_SRC_REPORT_REPORT_LINE_H
/*
 * report_line - one line of `trace-cmd report` 3.1: task, CPU, flags, time, name,
 * text.  Source: trace-cmd tracecmd/trace-read.c, libtraceevent tep_print_event().
 *
 * The code that reads the records in order turns them into items (report_item); any thread turns
 * items into lines, with its own report_pen (report_form.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/field.h"
#include "parsers/printer/printer.h"
#include "parsers/text/record_text.h"
#include "parsers/source/sub_buffer.h"
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

/* State that trace-cmd keeps for the whole process, from line to line. */
struct report_lines {
	struct report_style	style;
	uint64_t		last_ts;	/* for --ts-diff; 0 = no line yet */
	uint64_t		before_ts;	/* of the line before, if .has_before */
	bool			has_before;
	/*
	 * The digits after the flags appear if the first record has their field; a negative first
	 * lock depth turns that one off.
	 */
	bool			settled, lock_shown, migrate_shown;
};

/* One event type of a file.  Immutable once it is in an item. */
struct report_type {
	const struct event_type	*type;	/* NULL: unknown */
	const struct record_text_type *how;	/* NULL: libtraceevent prints it, in order */
	int			id;
	bool			known;	/* libtraceevent can parse its format */
	bool			is_entry;	/* entry of a call: the text depends on the next
						 * record */
	bool			is_stack;
	bool			remembers;	/* printer_remember() must be called */
	uint16_t		len;
	char			name[];	/* " sched_switch:         ", followed by REPORT_COPY
					 * spare bytes */
};
#define REPORT_COPY 32u			/* bytes always copied at once */

/* One file. */
struct report_file {
	unsigned int		nr;
	struct printer		*printer;	/* borrowed; NULL for JSON */
	struct event_types	*event_types;	/* borrowed */
	const struct common_layout *common;	/* borrowed */
	enum print_style	print;
	enum print_time		time;		/* form of its time stamps */
	bool			has_clock;	/* a TRACECLOCK option: --ts-diff counts µs */
	bool			swap;
	bool			era_34;
	bool			standard;	/* type and pid are at their usual offsets in
						 * records */
	struct report_type	**types[256];	/* owned: [id / 256][id % 256], of the types seen */
	/* A cache of final names of tasks. */
	struct report_comm {
		int		pid;
		const char	*comm;		/* NULL = unused */
	} comms[1024];
};

/* One CPU of a buffer. */
struct report_cpu {
	const struct report_file *file;		/* borrowed */
	const struct text	*prefix;	/* borrowed: prefix of its handle's lines */
	const char		*path, *instance; /* borrowed: for rows; NULL = omitted */
	int			cpu;
	unsigned int		buffer;		/* index in the file */
	unsigned int		stream;
	uint8_t			len;
	char			text[REPORT_COPY];	/* " [000]" */
};

/* A piece of a report; items are made in the order of records. */
enum report_item_kind {
	REPORT_RECORD,
	REPORT_NEXT,			/* the exit that is part of the previous record's line */
	REPORT_LOSS,			/* events lost before the next record */
	REPORT_LOSS_ALONE,		/* events lost before a record that is not shown */
};

struct report_item {
	const uint8_t		*data;
	const struct report_type *type;
	const char		*comm;		/* name of the task, if it is shown */
	uint64_t		 note;		/* for print_record; for types printed by
						 * libtraceevent: place of the text */
	uint64_t		 ts;		/* as shown.  LOSS: number of events */
	uint32_t		 size, room;
	int32_t			 pid;
	uint32_t		 lane;
	uint8_t			 kind;		/* enum report_item_kind */
	bool			 counted;	/* it counts as a selected record */
	bool			 merged;	/* RECORD: the next item is NEXT */
	bool			 told;		/* LOSS: trace-cmd would see it */
	bool			 known;		/* LOSS: the number is known */
};

/* @printer: NULL for JSON. */
void report_file_init(struct report_file *file, unsigned int nr, const struct source *trace_file,
		      struct printer *printer, struct event_types *types,
		      const struct report_style *style);
void report_file_fini(struct report_file *file);

/* The event type for a record's common_type; call it in the order of records. */
const struct report_type *report_file_type(struct report_file *file, int type_id);

/* The name of a task now, by trace-cmd's rule; call it in the order of records. */
const char *report_file_comm(struct report_file *file, int pid);
bool report_file_knows(const char *comm);	/* false: it may be learnt later */

/* common_type and common_pid of a record. */
static inline int report_file_id(const struct report_file *file, const uint8_t *data, uint32_t size)
{
	const struct common_layout *c = file->common;

	if (file->standard && size >= 4)
		return load_u16(data, false);
	return (uint16_t)field_load(data, size, c->type_offset, c->type_size, file->swap);
}

static inline int report_file_pid(const struct report_file *file, const uint8_t *data,
				  uint32_t size)
{
	const struct common_layout *c = file->common;

	if (file->standard && size >= 8)
		return (int)load_u32(data + 4, false);
	return (int)field_load(data, size, c->pid_offset, c->pid_size, file->swap);
}

/* @nr: of the CPU, as recorded.  The caller sets prefix, path, instance, buffer and stream. */
void report_cpu_init(struct report_cpu *cpu, const struct report_file *file,
		     const struct report_style *style, int nr);

/* A record for the printers; the pointers are the item's. */
struct print_record report_item_record(const struct report_item *item, int cpu);

/* Update the state by a record's line, before the next one; report_line_head() does it, too. */
void report_lines_note(struct report_lines *lines, const struct report_file *file,
		       const struct report_item *item);

/* Caches of one thread. */
#define REPORT_TASKS 256u		/* a power of two */
struct report_pen {
	struct report_lines	lines;
	struct report_task {		/* cached task columns */
		const char	*comm;	/* NULL = unused */
		int32_t		pid;
		uint8_t		len;
		char		text[REPORT_COPY + 16];
	} tasks[REPORT_TASKS];
	uint64_t		second;		/* the second in the text below */
	uint8_t			second_len;	/* 0: none */
	char			second_text[REPORT_COPY];	/* " 3716." */
};

/* Append "CPU:1 [12 EVENTS DROPPED]" and a newline, if trace-cmd would see the loss. */
void report_line_lost(const struct report_item *loss, int cpu, struct text *out);

/* Append the part of a line before the record's text, without the name of its handle. */
void report_line_head(struct report_pen *pen, const struct report_cpu *cpu,
		      const struct report_item *item, struct text *out);

/**
 * report_line_text() - append the record's text, without a newline
 * @next: the item that is part of it, or NULL
 * @side: texts made by libtraceevent
 *
 * Return: false, with garbage appended, if the program cannot print this record: use
 * printer_text_by_library().
 */
bool report_line_text(const struct report_cpu *cpu, const struct report_item *item,
		      const struct report_item *next, const char *side, struct text *out);
#endif
