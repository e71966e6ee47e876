/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_TABLE_PARQUET_H
#define FTOP_SRC_COMMANDS_TABLE_PARQUET_H
/* table_parquet - a table's rows as a Parquet file on the standard output: --format=parquet. */
#include "src/base/table_out.h"

struct table_parquet;			/* opaque */

/* @table: borrowed; its columns are those of CSV.  NULL with FT_E_USAGE: it is a terminal. */
struct table_parquet *table_parquet_new(const struct table_out *table, struct ft_error *err);
void table_parquet_row(struct table_parquet *parquet, const void *row);
/* Write what is left, and free it.  -1 with FT_E_IO. */
int table_parquet_end(struct table_parquet *parquet, struct ft_error *err);
#endif
