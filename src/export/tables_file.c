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
	struct text	cells[TABLES_FILE_COLUMNS];	/* of the next row */
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
	for (unsigned int i = 0; i < f->nr; i++)
		text_fini(&f->cells[i]);
	free(f);
}

/* --- rows ----------------------------------------------------------------------------------- */

void tables_file_int(struct tables_file *f, unsigned int column, int64_t value)
{
	if (f->parquet)
		parquet_int(f->parquet, column + 1, value);
	else
		text_printf(&f->cells[column + 1], "%lld", (long long)value);
}

void tables_file_bytes(struct tables_file *f, unsigned int column, const char *s, size_t len)
{
	if (f->parquet)
		parquet_string(f->parquet, column + 1, s, len);
	else
		text_csv(&f->cells[column + 1], s, len);
}

static int add_cells(struct tables_file *f)
{
	struct text *out = &f->out.block;

	text_add(out, f->columns[0].constant);
	for (unsigned int i = 1; i < f->nr; i++) {
		text_char(out, ',');
		text_bytes(out, text_str(&f->cells[i]), f->cells[i].len);
		text_clear(&f->cells[i]);
	}
	text_char(out, '\n');
	return output_more(&f->out, &f->err);
}

void tables_file_row(struct tables_file *f)
{
	if (!f->failed)
		f->failed = f->parquet ? parquet_row(f->parquet, &f->err) : add_cells(f);
}
