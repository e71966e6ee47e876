/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/table_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/output.h"
#include "src/base/table_out.h"
#include "src/commands/table_parquet.h"

const void *table_rows_at(const struct table_rows *rows, uint64_t i)
{
	return rows->array ? (const char *)rows->array + i * rows->bytes : rows->at(rows->arg, i);
}

/* --- order ------------------------------------------------------------------------------------ */

struct key {
	uint64_t	 row;
	bool		 known, is_unsigned;
	int8_t		 sign;		/* 1: smallest first */
	int64_t		 number;
	char		*word;		/* owned, instead of a number; NULL: a number */
};

/* Rows without a value come last; equal ones stay in the order of the rows. */
static int by_key(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = 0;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->word && y->word)
		order = strcmp(x->word, y->word);
	else if (x->is_unsigned)
		order = (uint64_t)x->number < (uint64_t)y->number ? -1 : x->number != y->number;
	else
		order = x->number < y->number ? -1 : x->number > y->number;
	return order ? order * x->sign : x->row < y->row ? -1 : 1;
}

static struct key key_of(const struct table_column *column, const void *row, uint64_t i,
			 int8_t sign)
{
	struct key key = { .row = i, .sign = sign, .known = table_out_known(column, row) };
	struct text word = { 0 };

	key.is_unsigned = column->kind == TABLE_COUNT || column->kind == TABLE_DURATION;
	if (!table_column_is_string(column) || column->number) {
		key.number = key.known ? table_out_number(column, row) : 0;
		return key;
	}
	if (key.known)
		table_out_string(column, row, &word);
	key.word = mem_strndup(text_str(&word), word.len);
	text_fini(&word);
	return key;
}

static bool is_time(const struct table_column *column)
{
	return column->kind == TABLE_TIME || column->kind == TABLE_DURATION;
}

/* The order of the rows.  @nr: set to their number.  NULL with FT_E_USAGE. */
static struct key *sort_rows(const struct table_rows *rows, const struct filter_given *given,
			     uint64_t *nr, struct ft_error *err)
{
	const struct table_column *column;
	struct key *keys = NULL;
	uint64_t cap = 0;
	int8_t sign;

	*nr = 0;
	column = table_out_sorted_by(rows->columns, given->format, given->sort, &sign, err);
	if (!column)
		return NULL;
	keys = mem_array(1, sizeof(*keys));
	for (uint64_t i = 0; i < rows->nr; i++) {
		const void *row = table_rows_at(rows, i);

		if (!row)
			continue;
		if (*nr >= cap) {
			cap = cap ? cap * 2 : 64;
			keys = mem_resize(keys, cap, sizeof(*keys));
		}
		keys[(*nr)++] = key_of(column, row, i, sign);
	}
	if (*nr)
		qsort(keys, *nr, sizeof(*keys), by_key);
	return keys;
}

static void free_keys(struct key *keys, uint64_t nr)
{
	for (uint64_t i = 0; keys && i < nr; i++)
		free(keys[i].word);
	free(keys);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The column that --min is about: that of --sort, else the first one with times. */
static const struct table_column *find_min(const struct table_columns *columns,
					   const struct filter_given *given, struct ft_error *err)
{
	const struct table_column *column = NULL;
	int8_t sign;

	if (given->sort) {
		column = table_out_sorted_by(columns, given->format, given->sort, &sign, err);
		if (!column)
			return NULL;
	}
	for (unsigned int i = 0; i < columns->nr && !column; i++)
		if (is_time(&columns->list[i]) &&
		    (given->format == FORMAT_TEXT ? columns->list[i].width > 0 :
						    columns->list[i].name != NULL))
			column = &columns->list[i];
	if (column && is_time(column))
		return column;
	ft_error_set(err, FT_E_USAGE, -1,
		     column ? "--min: the column of --sort has no times" :
			      "--min: these rows have no times");
	return NULL;
}

struct printing {
	const struct filter_given *given;
	struct row_picker *picker;
	struct table_out table;
	struct output	out;
	const struct table_column *of_min;	/* --min is about it; NULL: not given */
	struct table_parquet *parquet;	/* owned: of --format=parquet, instead of out */
	bool		any;
};

static bool is_done(const struct printing *p)
{
	return p->out.closed || row_picker_is_full(p->picker);
}

static int print_row(struct printing *p, const void *row, struct ft_error *err)
{
	size_t start = p->out.block.len;

	p->any = true;
	if (p->of_min && (!table_out_known(p->of_min, row) ||
			  table_out_number(p->of_min, row) < (int64_t)p->given->min))
		return 0;
	if (p->parquet) {
		p->picker->picked++;
		table_parquet_row(p->parquet, row);
		return 0;
	}
	table_out_row(&p->table, row, &p->out.block);
	if (!row_picker_row(p->picker, &p->out.block, start))
		return 0;
	return output_more(&p->out, err);
}

static int print_rows(struct printing *p, const struct table_rows *rows, const struct key *keys,
		      uint64_t nr, struct ft_error *err)
{
	int ret = 0;

	for (uint64_t i = 0; i < nr && !ret; i++) {
		const void *row = is_done(p) ? NULL : table_rows_at(rows, keys ? keys[i].row : i);

		if (is_done(p) || (!row && nr == UINT64_MAX))
			break;
		if (row)
			ret = print_row(p, row, err);
	}
	return ret;
}

int table_rows_print(const struct table_rows *rows, const struct command_file *file,
		     const struct filter_given *given, struct row_picker *picker, bool *any,
		     struct ft_error *err)
{
	struct printing p = { .given = given, .picker = picker };
	bool bare = rows->columns->bare && given->format == FORMAT_TEXT;
	struct key *keys = NULL;
	uint64_t nr = rows->nr;
	int ret = 0;

	if (file->taker) {
		ret = file->taker->take(file->taker->arg, rows, err);
		if (any)
			*any = ret > 0;
		return ret < 0 ? -1 : 0;
	}
	if (given->parquet && (file->nr > 1 || picker->count || picker->greps))
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"--format=parquet: of one FILE, and without --grep and --count");
	if (given->has_min && !(p.of_min = find_min(rows->columns, given, err)))
		return -1;
	if (given->sort) {
		keys = sort_rows(rows, given, &nr, err);
		if (!keys)
			return -1;
	}
	output_init(&p.out, STDOUT_FILENO);
	table_out_init(&p.table, rows->columns, given->format, rows->clock);
	p.table.clock = rows->clock;
	p.table.is_coarse = rows->step > 1;
	p.table.unit = given->has_unit || !isatty(STDOUT_FILENO) ? given->unit : TABLE_BY_SIZE;
	if (given->parquet)
		p.parquet = table_parquet_new(&p.table, err);
	if (given->parquet && !p.parquet)
		ret = -1;
	if (!bare)
		command_file_begin(file, given, &p.table, &p.out);
	if (!bare && !picker->count && !given->parquet && command_file_heads(file, given->format))
		table_out_heading(&p.table, &p.out.block);
	if (!ret)
		ret = print_rows(&p, rows, keys, nr, err);
	if (p.parquet && table_parquet_end(p.parquet, err))
		ret = -1;
	table_out_fini(&p.table);
	free_keys(keys, nr);
	if (any)
		*any = p.any;
	return row_picker_end(picker, &p.out, ret, err);
}
