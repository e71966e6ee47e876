/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_FILE_TRACE_FILE_H
#define FTOP_PARSERS_FILE_TRACE_FILE_H
/*
 * trace_file - a trace.dat as a source, and what no other form of a trace has: options, statistics
 * of the CPUs, and the text of a latency tracer.  Format: trace-cmd.dat.v6(5) and
 * trace-cmd.dat.v7(5).
 *
 * Opening reads only the metadata needed to find things.
 */
#include "parsers/source/source.h"

struct source_start;			/* parsers/source/source_form.h */

/**
 * trace_file_open() - read the metadata of a trace.dat
 *
 * Damage that leaves something to show (truncated, unfinished, sizes that lie) is not a failure:
 * source_warning() returns it.
 *
 * Return: a source for the caller to end with source_close(), or NULL with FT_E_IO, FT_E_VERSION,
 * FT_E_UNSUPPORTED (codec not built in: named), or FT_E_FORMAT and FT_E_LIMIT (offset of the bad
 * byte).
 */
struct source *trace_file_open(const struct source_start *start, struct ft_error *err);

/* The functions below find nothing in a source that is no trace.dat. */

struct trace_file_option {		/* any option, also those this program does not know */
	uint16_t	 id;
	uint32_t	 size;		/* bytes of data */
	uint64_t	 offset;	/* file offset of data; in a compressed section, of the
					 * section's header */
	const uint8_t	*data;		/* borrowed */
};

/* Options of all sections, in file order. */
unsigned int trace_file_nr_options(const struct source *source);
const struct trace_file_option *trace_file_option(const struct source *source, unsigned int i);

/*
 * The sum of what is behind a word in the kernel's statistics of a CPU (-1: all) of a buffer (-1:
 * of all), at most INT64_MAX.  @key: "\noverrun:"
 */
uint64_t trace_file_cpu_stat(const struct source *source, int buffer, int cpu, const char *key);

/* Latency text of a buffer with is_text (borrowed, NUL-ended). */
const char *trace_file_latency_text(const struct source *source, unsigned int buffer,
				    uint64_t *size);

/*
 * Append the text of our section, which may be empty so far, with a block that it has not, or has
 * with other bytes.  @kind: TRACE_TEXT_USER_SYMBOLS, or another block.
 */
void trace_file_with_block(const struct source *source, enum trace_text kind,
			   const struct text *bytes, struct text *out);

#endif
