/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PRINT_RECORD_H
#define FTOP_PARSERS_PRINT_PRINT_RECORD_H
/* print_record - a record to be printed, and the styles to print it in. */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/event_types.h"

enum print_style {
	PRINT_TRACE_CMD,		/* what trace-cmd 3.1 report prints */
	PRINT_TRACE_CMD_RAW,		/* report -R: fields as raw values */
	PRINT_KERNEL,			/* filters: the kernel's text; function records like its
					 * graph */
};

struct print_record {
	const struct event_type	*type;	/* NULL: unknown id */
	const uint8_t	*data;
	uint32_t	 size;
	uint32_t	 room;		/* bytes readable at data, at least size; 0 = size.
					 * trace-cmd reads past a record for a string without its
					 * NUL, and we print the same */
	uint64_t	 ts;		/* as report shows it, including the file's offsets
					 * (func_repeats prints times) */
	uint64_t	 note;		/* sequential printing: from printer_remember(); else 0 */
	int		 cpu;
};

/*
 * libtraceevent gets this much of a record, then the bytes behind it that trace-cmd would also
 * read, then zeros.  Return: the bytes before the zeros.
 */
#define PRINT_RECORD_MAX	(64u << 10)
#define PRINT_RECORD_TAIL	256u

static inline uint32_t print_record_readable(const struct print_record *rec, uint32_t size)
{
	uint32_t end = rec->room > size ? rec->room : size;

	return end - size > PRINT_RECORD_TAIL ? size + PRINT_RECORD_TAIL : end;
}

/* Times inside texts, in the same form as the records' times in report. */
enum print_time {
	PRINT_TIME_US,			/* seconds with 6 decimals */
	PRINT_TIME_NS,			/* report -t: with 9 */
	PRINT_TIME_COUNT,		/* a clock that is not in ns, or report --raw-ts */
};
#endif
