/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_NOISE_NOISE_COLUMNS_H
#define FTOP_SRC_NOISE_NOISE_COLUMNS_H
/*
 * noise_columns - the columns of CPUs, samples, histograms and parts, for both `ftop-trace noise`
 * and the screen.
 */
#include "src/base/table_out.h"
#include "src/noise/noise_analysis.h"

enum { NOISE_WORST = 1 };		/* table_column.own */
enum { NOISE_NEEDS_SOURCES = 1, NOISE_NEEDS_USER = 2 };	/* table_column.needs */

struct noise_bin_row {
	uint64_t	from, to;	/* from <= ns < to */
	uint64_t	count[NOISE_CONTEXTS];
};

struct noise_part_row {
	const struct noise_sample *sample;	/* borrowed */
	const struct noise_analysis *analysis;	/* borrowed */
	enum noise_part	part;
	const struct noise_item *item;	/* borrowed; NULL: the part as a whole, or */
	const char	*frame;		/* borrowed: a function of the blocking thread's stack */
	unsigned int	index;		/* of the row */
};

/* Of struct noise_cpu, noise_sample, noise_bin_row, noise_part_row. */
extern const struct table_columns noise_cpu_columns[NOISE_TRACERS];
extern const struct table_columns noise_sample_columns[NOISE_TRACERS];
extern const struct table_columns noise_bin_columns[NOISE_TRACERS];
extern const struct table_columns noise_part_columns;

/* The samples of a tracer in a bin, of all CPUs. */
struct noise_bin_row noise_bin(const struct noise_result *result, enum noise_tracer tracer,
			       unsigned int bin);

/* Append what a row below a part is: "local_timer:236", "-> schedule"; raw. */
void noise_part_what(const void *row, struct text *out);

/* The parts of a sample, each with what it is made of: an array of *nr for free(). */
struct noise_part_row *noise_part_rows(const struct noise_sample *sample,
				       const struct noise_analysis *analysis, uint32_t *nr);
#endif
