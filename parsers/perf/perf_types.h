/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERF_PERF_TYPES_H
#define FTOP_PARSERS_PERF_PERF_TYPES_H
/*
 * perf_types - the event types of a perf.data, and the records of its samples.
 *
 * The raw data of a tracepoint is a record of the kernel, whose format the file has.  Other events
 * get a type of the system "perf", with the numbers that their samples have.  Call chains become
 * records kernel_stack and user_stack behind that of their event; switches of tasks (record
 * --switch-events) become sched_switch, if the file does not have that event itself.
 *
 * Where formats have no field, u32 tell what --style=perf of report needs: behind the fields of a
 * type made here that has no raw data, how many stacks follow, and 0x100 if the sample was in the
 * kernel; at byte 12 of a kernel_stack, if a user_stack follows; there in a user_stack, how many
 * addresses it has, as some may be 0.
 *
 * Records are in the byte order of the file.
 */
#include "parsers/perf/perf_index.h"
#include "parsers/source/source.h"

struct page_maker;
struct source_formats;

/* The parts of samples that become fields, in their order. */
#define PERF_NR_FIELDS	11u
extern const enum perf_part perf_fields[PERF_NR_FIELDS];

struct perf_type {
	int		 id;		/* 0: samples are not shown by a type made here */
	uint16_t	 size;		/* bytes of its fields */
	uint16_t	 raw_at;	/* field for data that is no tracepoint's; 0: none */
	uint32_t	 parts;		/* fields: bits of enum perf_part */
};

struct perf_types {
	struct perf_type *of_attrs;	/* owned, [nr_attrs] */
	unsigned int	 nr_attrs;
	int		 kernel_stack, user_stack, sched_switch;	/* ids; 0: none */
	int		 own[PERF_NR_OWN];	/* the same */
	struct source_event_name *names;	/* owned, [nr_attrs]: of events, as perf has them */
	int		 next_id;
	struct made_format *formats;	/* owned, [nr_formats] */
	unsigned int	 nr_formats, cap_formats;
	struct text	 text;		/* of all made formats */
};

void perf_types_init(struct perf_types *types, const struct perf_file *file,
		     const struct perf_index *index);
void perf_types_fini(struct perf_types *types);
/* The file's formats and those made here.  They live as long as @file and @types. */
void perf_types_formats(const struct perf_types *types, const struct perf_file *file,
			struct source_formats *formats);

/* perf_record.c: add a row's records to a page. */
struct perf_row {
	struct perf_record record;
	struct perf_stamp stamp;
	const struct perf_attr *attr;
	const uint8_t	*grown;		/* of a sample with counts: perf_grown_next(); or NULL */
};
void perf_row_add(const struct perf_row *row, const struct perf_types *types,
		  const struct perf_file *file, const struct perf_index *index,
		  struct page_maker *maker);

/* perf_tracing.c: split what TRACING_DATA has, as the head of a trace.dat.  NULL: not wanted. */
struct perf_tracing {
	const char	*kallsyms, *printk, *cmdlines;	/* borrowed from the file */
	uint64_t	 nr_kallsyms, nr_printk, nr_cmdlines;
};
void perf_tracing_read(const struct perf_file *file, struct source_formats *formats,
		       struct perf_tracing *texts);
#endif
