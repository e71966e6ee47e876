/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/export/tables_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/output.h"

struct tables_file {
	struct parquet_column columns[TABLES_FILE_COLUMNS];	/* with `trace` */
	unsigned int	nr;
	struct parquet	*parquet;	/* owned; NULL: CSV */
	struct output	out;		/* CSV */
	struct text	cells[TABLES_FILE_COLUMNS];	/* of the next row */
	char		*path, *part;	/* owned: its name, and that until it is complete */
	int		fd;		/* -1: closed */
	bool		failed;
	bool		published;
	struct ft_error	err;		/* failed: why */
};

/* --- the file --------------------------------------------------------------------------------- */

static void add_heading(struct tables_file *f)
{
	for (unsigned int i = 0; i < f->nr; i++)
		text_printf(&f->out.block, "%s%s", i ? "," : "", f->columns[i].name);
	text_char(&f->out.block, '\n');
}

static int open_file(struct tables_file *f, struct ft_error *err)
{
	if (!access(f->path, F_OK))
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"%s is there already: give the trace another name, or remove it", f->path);
	f->fd = open(f->part, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
	/* what an interrupted run left; a confined process cannot open with O_TRUNC */
	if (f->fd < 0 || ftruncate(f->fd, 0))
		return ft_error_errno(err, errno, -1, "%s", f->part);
	return 0;
}

static char *make_path(const char *folder, const char *table, const char *trace, const char *end)
{
	struct text path = { 0 };

	text_printf(&path, "%s/%s/%s%s", folder, table, trace, end);
	return path.data;
}

struct tables_file *tables_file_new(const char *folder, const struct tables_def *def,
				    const char *trace, bool csv, struct ft_error *err)
{
	struct tables_file *f = mem_alloc(sizeof(*f));
	char *name = make_path(folder, def->name, "", "");
	bool failed = true;

	f->columns[0] = (struct parquet_column){ "trace", PARQUET_STRING, trace };
	memcpy(f->columns + 1, def->columns, def->nr * sizeof(*def->columns));
	f->nr = 1 + def->nr;
	f->path = make_path(folder, def->name, trace, csv ? ".csv" : ".parquet");
	f->part = make_path(folder, def->name, trace, csv ? ".csv.part" : ".parquet.part");
	f->fd = -1;
	if (mkdir(name, 0777) && errno != EEXIST)
		ft_error_errno(err, errno, -1, "%s", name);
	else
		failed = open_file(f, err);
	free(name);
	if (failed) {
		tables_file_free(f);
		return NULL;
	}
	if (csv) {
		output_init(&f->out, f->fd);
		add_heading(f);
	} else {
		f->parquet = parquet_new(f->fd, f->columns, f->nr);
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
	if (!f->failed)
		return 0;
	*err = f->err;
	return ft_error_prefix(err, "%s", f->part);
}

bool tables_file_failed(const struct tables_file *f)
{
	return f->failed;
}

int tables_file_publish(struct tables_file *f, struct ft_error *err)
{
	if (rename(f->part, f->path))
		return ft_error_errno(err, errno, -1, "%s", f->path);
	f->published = true;
	return 0;
}

void tables_file_free(struct tables_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	if (!f->published && (f->parquet || f->out.block.data))
		unlink(f->part);
	parquet_free(f->parquet);
	text_fini(&f->out.block);
	for (unsigned int i = 0; i < f->nr; i++)
		text_fini(&f->cells[i]);
	free(f->path);
	free(f->part);
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
