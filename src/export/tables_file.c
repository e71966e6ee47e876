/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/export/tables_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/output.h"

struct tables_file {
	struct parquet_column columns[TABLES_FILE_COLUMNS];	/* with `trace` */
	unsigned int	nr;
	struct parquet	*parquet;	/* owned; NULL: CSV */
	struct output	out;		/* CSV */
	int		fd;		/* -1: closed */
	bool		failed;
	struct ft_error	err;		/* failed: why */
};

/* --- the file --------------------------------------------------------------------------------- */

static void add_heading(struct tables_file *f)
{
	for (unsigned int i = 0; i < f->nr; i++)
		text_printf(&f->out.block, "%s%s", i ? "," : "", f->columns[i].name);
	text_char(&f->out.block, '\n');
}

struct tables_file *tables_file_new(int fd, const struct tables_def *def, const char *trace,
				    bool csv)
{
	struct tables_file *f = mem_alloc(sizeof(*f));

	f->columns[0] = (struct parquet_column){ "trace", PARQUET_STRING, trace };
	memcpy(f->columns + 1, def->columns, def->nr * sizeof(*def->columns));
	f->nr = 1 + def->nr;
	f->fd = fd;
	if (csv) {
		output_init(&f->out, fd);
		add_heading(f);
	} else {
		f->parquet = parquet_new(fd, f->columns, f->nr);
	}
	return f;
}

int tables_file_end(struct tables_file *f, struct ft_error *err)
{
	if (!f->failed)
		f->failed = f->parquet ? parquet_end(f->parquet, &f->err) :
					 output_now(&f->out, &f->err);
	if (close(f->fd) && !f->failed)
		f->failed = ft_error_errno(&f->err, errno, -1, "writing");
	f->fd = -1;
	if (f->failed)
		*err = f->err;
	return f->failed ? -1 : 0;
}

bool tables_file_failed(const struct tables_file *f)
{
	return f->failed;
}

void tables_file_free(struct tables_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	parquet_free(f->parquet);
	text_fini(&f->out.block);
	free(f);
}

/* --- rows ----------------------------------------------------------------------------------- */

static int add_line(struct tables_file *f, const struct cell *cells, unsigned int nr)
{
	struct text *out = &f->out.block;

	text_add(out, f->columns[0].constant);
	for (unsigned int i = 0; i < nr; i++) {
		text_char(out, ',');
		if (cells[i].kind == CELL_INT)
			text_printf(out, "%lld", (long long)cells[i].number);
		else if (cells[i].kind == CELL_STRING)
			text_csv(out, cells[i].s, cells[i].len);
	}
	text_char(out, '\n');
	return output_more(&f->out, &f->err);
}

void tables_file_row(struct tables_file *f, const struct cell *cells, unsigned int nr)
{
	if (!f->failed)
		f->failed = f->parquet ? parquet_row(f->parquet, cells, nr, &f->err) :
					 add_line(f, cells, nr);
}
