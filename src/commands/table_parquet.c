/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/table_parquet.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/parquet/parquet.h"

struct table_parquet {
	const struct table_out *table;	/* borrowed */
	struct parquet	*file;		/* owned */
	struct parquet_column columns[TABLE_MOST_COLUMNS];
	struct cell	cells[TABLE_MOST_COLUMNS];
	struct text	strings[TABLE_MOST_COLUMNS];	/* texts that the row's cells point to */
};

struct table_parquet *table_parquet_new(const struct table_out *table, struct ft_error *err)
{
	struct table_parquet *p;
	int fd;

	if (isatty(STDOUT_FILENO)) {
		ft_error_set(err, FT_E_USAGE, -1,
			     "--format=parquet: the output is a terminal; add > FILE");
		return NULL;
	}
	fd = dup(STDOUT_FILENO);
	if (fd < 0) {
		ft_error_errno(err, errno, -1, "the standard output");
		return NULL;
	}
	p = mem_alloc(sizeof(*p));
	p->table = table;
	for (unsigned int i = 0; i < table->nr; i++)
		p->columns[i] = (struct parquet_column){
			table->shown[i]->name,
			table_column_is_string(table->shown[i]) ||
					table->shown[i]->kind == TABLE_RATIO ?
				PARQUET_STRING :
				PARQUET_INT
		};
	p->file = parquet_new(fd, p->columns, table->nr, false, NULL);
	return p;
}

void table_parquet_row(struct table_parquet *p, const void *row)
{
	for (unsigned int i = 0; i < p->table->nr; i++) {
		const struct table_column *column = p->table->shown[i];
		struct text *s = &p->strings[i];

		p->cells[i] = cell_null();
		if (!table_out_known(column, row))
			continue;
		if (p->columns[i].kind == PARQUET_INT) {
			p->cells[i] = cell_int(table_out_number(column, row));
			continue;
		}
		text_clear(s);
		if (column->kind == TABLE_RATIO)
			table_out_decimal(table_out_number(column, row), s);
		else
			table_out_string(column, row, s);
		p->cells[i] = cell_bytes(text_str(s), s->len);
	}
	parquet_row(p->file, p->cells);
}

int table_parquet_end(struct table_parquet *p, struct ft_error *err)
{
	int ret = parquet_end(p->file, err);

	parquet_free(p->file);
	for (unsigned int i = 0; i < p->table->nr; i++)
		text_fini(&p->strings[i]);
	free(p);
	return ret;
}
