/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_NOISE_NOISE_COLUMNS_H
#define FTOP_SRC_NOISE_NOISE_COLUMNS_H
/*
 * noise_columns - the lists of CPUs, samples, histograms and parts: their columns and rows, for
 * both `ftop-trace noise` and the screen.
 */
#include "src/base/table_out.h"
#include "src/noise/noise_analysis.h"

enum noise_list { NOISE_CPUS, NOISE_SAMPLES, NOISE_HISTOGRAM, NOISE_ANALYSIS, NOISE_LISTS };

enum { NOISE_WORST = 1 };		/* table_column.own */
enum { NOISE_NEEDS_SOURCES = 1, NOISE_NEEDS_USER = 2 };	/* table_column.needs */

struct noise_rows {			/* zero it; what the lists show: */
	const struct noise_result *result;	/* borrowed */
	enum noise_tracer tracer;
	struct noise_analysis analysis;
};

/* Of struct noise_cpu, noise_sample, noise_bin, noise_row. */
extern const struct table_columns noise_columns[NOISE_LISTS][NOISE_TRACERS];

/* Bits of table_column.needs that the trace does not have. */
unsigned int noise_lacks(const struct noise_result *result);

/* The rows of a list, as its columns read them: their number; *bytes of each in *array. */
uint32_t noise_rows_list(const struct noise_rows *rows, enum noise_list list, const void **array,
			 size_t *bytes);
#endif
