/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_TABLES_FILE_H
#define FTOP_SRC_EXPORT_TABLES_FILE_H
/* tables_file - a table of a trace in a file, as Parquet or CSV. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "src/base/error.h"
#include "src/parquet/parquet.h"

#define TABLES_FILE_COLUMNS 16u		/* at most */

struct tables_def {
	const char	*name;		/* "sched_slice" */
	const struct parquet_column *columns;	/* [nr] without the first one, `trace` */
	unsigned int	nr;
};

struct tables_file;			/* opaque */

/* @fd: taken over; @trace: printable, borrowed; every row has it in the column `trace` */
struct tables_file *tables_file_new(int fd, const struct tables_def *def, const char *trace,
				    bool csv);

/* @cells: [nr] of all columns, in the order of def->columns. */
void tables_file_row(struct tables_file *file, const struct cell *cells, unsigned int nr);
#define tables_file_cells(file, ...) \
	tables_file_row(file, (const struct cell[]){ __VA_ARGS__ }, \
			sizeof((const struct cell[]){ __VA_ARGS__ }) / sizeof(struct cell))

/* Could something not be written?  Then more rows are of no use. */
bool tables_file_failed(const struct tables_file *file);

/* Write what is left.  -1 with the first error of all that was written. */
int tables_file_end(struct tables_file *file, struct ft_error *err);
void tables_file_free(struct tables_file *file);	/* NULL is allowed */
#endif
