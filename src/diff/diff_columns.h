/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_DIFF_DIFF_COLUMNS_H
#define FTOP_SRC_DIFF_DIFF_COLUMNS_H
/* diff_columns - the columns of a diff.  A new column is a line in diff_columns.c. */
#include "src/base/table_out.h"
#include "src/diff/diff.h"

/* Of struct diff_row; those that the rows have. */
struct table_columns diff_columns(enum diff_by by);
#endif
