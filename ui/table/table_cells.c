/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table_cells - the values of a table: numbers to sort by, cells, rows as text. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ui/rows/row.h"
#include "ui/table/table.h"

static bool is_unitless(const struct table *t)
{
	return t->shared->trace && trace_unit(t->shared->trace) == TRACE_UNIT_COUNT &&
	       !trace_is_untimed(t->shared->trace, -1);
}

static const void *row_of(const struct table *t, uint32_t row, bool rest, struct text *words,
			  struct table_made *made)
{
	made->rest = rest;
	made->words = words;
	return t->ops->row ? t->ops->row(t->owner, row, made) :
			     (const char *)t->array + row * t->array_bytes;
}

uint64_t table_key(const struct table *t, uint32_t row)
{
	return t->ops->key ? t->ops->key(t->owner, row) : row;
}

void table_name(const struct table *t, uint32_t row, struct text *out)
{
	if (t->ops->name)
		t->ops->name(t->owner, row, out);
	else
		table_cell(t, row, &t->columns->list[0], out);
}

/* Does the column show the other side than the rows? */
static bool is_rest(const struct table *t, const struct table_column *column)
{
	return (column->side == TABLE_A || column->side == TABLE_B) && column->side != t->own;
}

/* --- numbers -------------------------------------------------------------------------------- */

static double value_of(const struct table *t, uint32_t row, const struct table_column *column,
		       bool rest)
{
	struct table_made made;
	const void *of = row_of(t, row, rest, NULL, &made);
	int64_t value;

	if (!of && column->kind != TABLE_DURATION && column->kind != TABLE_TIMES)
		return 0;
	if (!of || column->kind == TABLE_STRING || !table_out_known(column, of))
		return NAN;
	if (column->kind == TABLE_PERCENT)
		return table_out_percent(column, of);
	value = table_out_number(column, of);
	if (column->kind == TABLE_TIME && !value)
		return NAN;
	if (column->kind == TABLE_MOMENT)
		return -(double)value;		/* the first one first */
	return column->kind == TABLE_COUNT || column->kind == TABLE_DURATION ?
		       (double)(uint64_t)value :
		       (double)value;
}

double table_number(const struct table *t, uint32_t row, const struct table_column *column)
{
	double a;

	if (column->kind != TABLE_TIMES)
		return value_of(t, row, column, is_rest(t, column));
	a = value_of(t, row, column, t->own == TABLE_B);
	return a > 0 ? value_of(t, row, column, t->own == TABLE_A) / a : NAN;
}

/* --- cells ---------------------------------------------------------------------------------- */

void table_share(double part, double whole, struct text *out)
{
	double share = whole > 0 ? part * 100 / whole : 0;

	if (whole <= 0 || isnan(part))
		text_add(out, TABLE_NONE);
	else if (share > 0 && share < 0.05)
		text_add(out, "<0.1");	/* not none */
	else
		text_printf(out, "%.1f", share);
}

void table_share_least(double part, double whole, struct text *out)
{
	text_printf(out, ">%.1f", floor(part * 1000 / whole) / 10);
}

static void add_rate(const struct table *t, double nr, int64_t span, struct text *out)
{
	double rate = nr * 1e9 / (double)span;

	if (span <= 0 || is_unitless(t))
		text_add(out, TABLE_NONE);
	else if (rate < 100)
		text_printf(out, rate < 10 ? "%.2f" : "%.1f", rate);
	else
		text_count(out, (uint64_t)(rate + 0.5));
}

static void add_duration(const struct table *t, const struct table_column *column, const void *of,
			 struct text *out)
{
	uint64_t duration = (uint64_t)table_out_number(column, of);
	char mark = column->marked && !is_unitless(t) ? text_duration_mark(duration) : ' ';

	if (table_out_mark(column, of))
		text_char(out, table_out_mark(column, of));
	if (mark != ' ')
		text_char(out, mark);
	if (t->columns->clocked)
		shared_measured(t->shared, duration, out);
	else
		text_duration(out, duration);
}

/* A time of a text with whole µs has no more digits. */
static void add_value(const struct table *t, const struct table_column *column, const void *of,
		      struct text *out)
{
	size_t start = out->len;

	table_out_value(column, of, is_unitless(t), true, out);
	if (column->kind != TABLE_TIME || trace_resolution(t->shared->trace) == 1 ||
	    !strcmp(text_str(out) + start, TABLE_NONE) || table_out_number(column, of) <= 0)
		return;
	out->len = start + (table_out_mark(column, of) ? 1 : 0);
	shared_span(t->shared, table_out_number(column, of), out);
}

static void add_of_row(const struct table *t, uint32_t row, const struct table_column *column,
		       struct text *out)
{
	bool is_member = column->kind == TABLE_STRING && !column->text;
	struct text words = { 0 }, value = { 0 };
	struct table_made made;
	const void *of = row_of(t, row, is_rest(t, column), is_member ? &words : NULL, &made);

	if (!of || (column->no_zero && !table_out_number(column, of)))
		text_add(out, TABLE_NONE);
	else if (column->kind == TABLE_DURATION && table_out_known(column, of) && !column->text)
		add_duration(t, column, of, out);
	else if (column->kind == TABLE_MOMENT && table_out_known(column, of))
		shared_time(t->shared, table_out_number(column, of), 6, out);
	else
		add_value(t, column, of, is_member ? &value : out);
	text_printable(out, text_str(&value), value.len);
	text_fini(&words);
	text_fini(&value);
}

/* A share of the span, or – as the time itself has it. */
static void add_share(const struct table *t, uint32_t row, const struct table_column *column,
		      struct text *out)
{
	bool rest = is_rest(t, column);
	double number = value_of(t, row, column, rest), span = (double)t->span[rest];
	struct table_made made;
	const void *of = row_of(t, row, rest, NULL, &made);
	char mark = of ? table_out_mark(column, of) : 0;

	if (!(fabs(number) > 0)) {
		text_add(out, TABLE_NONE);
	} else if (mark == '>') {
		table_share_least(number, span, out);
	} else {
		if (mark)
			text_char(out, mark);
		table_share(number, span, out);
	}
}

void table_cell(const struct table *t, uint32_t row, const struct table_column *column,
		struct text *out)
{
	double number = 0;

	if (column->kind == TABLE_PART || column->kind == TABLE_RATE || column->kind == TABLE_TIMES)
		number = table_number(t, row, column);
	if (column->kind == TABLE_SHARE)
		add_share(t, row, column, out);
	else if (column->kind == TABLE_PART)
		table_share(number, (double)t->whole[is_rest(t, column)], out);
	else if (column->kind == TABLE_RATE)
		add_rate(t, number, t->span[is_rest(t, column)], out);
	else if (column->kind != TABLE_TIMES)
		add_of_row(t, row, column, out);
	else if (isnan(number))
		text_add(out, TABLE_NONE);
	else
		table_out_ratio(number, out);
}

enum role table_role(const struct table *t, uint32_t row, const struct table_column *column)
{
	double number;

	if (t->ops->role)
		return t->ops->role(t->owner, row, column);
	if (is_rest(t, column))
		return ROLE_DIM;
	if (column->kind < TABLE_COUNT || column->kind == TABLE_MOMENT)
		return ROLE_TEXT;
	number = table_number(t, row, column);
	if (isnan(number) || !number)	/* what is not there is not in the way */
		return ROLE_DIM;
	return column->marked && !is_unitless(t) ? row_slow_role((int64_t)number, ROLE_TEXT) :
						   ROLE_TEXT;
}

bool table_has_words(const struct table_column *column)
{
	return column->kind == TABLE_STRING && column->align == TABLE_LEFT;
}

/* --- rows as text --------------------------------------------------------------------------- */

void table_figure(const struct table *t, uint32_t row, struct text *out)
{
	const struct table_column *column = &t->lists[0]->list[t->figure];
	struct table_made made;

	if (t->figure)
		text_u64(out,
			 (uint64_t)table_out_number(column, row_of(t, row, false, NULL, &made)));
	else
		table_name(t, row, out);
}

void table_row_text(const struct table *t, uint32_t row, struct text *out)
{
	struct text cell = { 0 };
	int cells;

	table_name(t, row, &cell);
	text_add(out, text_str(&cell));
	cells = text_cells(text_str(&cell), cell.len);
	text_pad(out, cells < (int)t->name_pad ? t->name_pad - (unsigned int)cells : 0);
	for (unsigned int i = 1; i < t->columns->nr; i++) {
		const struct table_column *column = &t->columns->list[i];

		if (!table_has_column(t, i) ||
		    (column->kind == TABLE_STRING && !table_has_words(column)))
			continue;
		text_clear(&cell);
		table_cell(t, row, column, &cell);
		text_add(out, "  ");
		table_column_title(t->columns, column, out);
		text_printf(out, " %s", text_str(&cell) + strspn(text_str(&cell), " "));
	}
	text_fini(&cell);
}

bool table_file_begin(const struct table *t, enum table_format format, struct table_out *out,
		      struct text *text)
{
	table_out_init(out, t->columns, format, is_unitless(t));
	out->clock = t->shared->trace ? shared_clock(t->shared) : NULL;
	if (format == FORMAT_CSV && out->nr)
		table_out_heading(out, text);
	return format == FORMAT_TEXT || out->nr;
}

bool table_file_row(const struct table *t, uint64_t i, struct table_out *out, struct text *text)
{
	struct table_made made;
	struct text words = { 0 };

	if (i >= t->nr)
		return false;
	if (out->format == FORMAT_TEXT) {
		table_row_text(t, t->rows[i], text);
		text_char(text, '\n');
	} else {
		table_out_row(out, row_of(t, t->rows[i], false, &words, &made), text);
	}
	text_fini(&words);
	return true;
}

uint64_t table_state(const struct table *t)
{
	uint64_t state = t->nr * 31 + (uintptr_t)t->columns + t->order->inverted;

	state = state * 31 + t->order->column;
	if (t->nr)
		state = (state * 31 + table_key(t, t->rows[0])) * 31 +
			table_key(t, t->rows[t->nr - 1]);
	return state;
}
