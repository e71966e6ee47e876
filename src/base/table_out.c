/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/table_out.h"

#include <inttypes.h>
#include <string.h>

#include "src/base/json_out.h"
#include "src/base/options.h"

int table_format_parse(const char *value, enum table_format *format, struct ft_error *err)
{
	static const char *const words[] = { "text", "csv", "json" };
	int choice = options_choice("--format", value, words, 3, err);

	*format = choice < 0 ? FORMAT_TEXT : (enum table_format)choice;
	return choice < 0 ? -1 : 0;
}

/* --- which columns ------------------------------------------------------------------------ */

static bool is_shown(const struct table_column *column, enum table_format format)
{
	if (format == FORMAT_TEXT)
		return column->width;
	return column->name && (!column->only || column->only == format);
}

void table_out_init(struct table_out *t, const struct table_columns *columns,
		    enum table_format format, bool unitless)
{
	*t = (struct table_out){ .columns = columns, .format = format, .unitless = unitless };
	for (unsigned int i = 0; i < columns->nr; i++) {
		const struct table_column *column = &columns->list[i];
		unsigned int at = t->nr;

		if (!is_shown(column, format))
			continue;
		for (; at && t->shown[at - 1]->place > column->place; at--)
			t->shown[at] = t->shown[at - 1];
		t->shown[at] = column;
		t->nr++;
	}
}

void table_out_fini(struct table_out *t)
{
	text_fini(&t->cell);
}

/* --- values -------------------------------------------------------------------------------- */

static bool is_string(const struct table_column *column)
{
	return column->kind == TABLE_STRING || column->kind == TABLE_RAW;
}

static bool is_unsigned(const struct table_column *column)
{
	return column->kind == TABLE_COUNT || column->kind == TABLE_DURATION;
}

int64_t table_out_number(const struct table_column *column, const void *row)
{
	const char *at = (const char *)row + column->offset;

	if (column->number)
		return column->number(row);
	if (column->size == sizeof(int64_t))
		return *(const int64_t *)at;
	if (column->size == sizeof(bool))
		return *(const bool *)at;
	return is_unsigned(column) ? (int64_t) * (const uint32_t *)at : *(const int32_t *)at;
}

static const char *member_string(const struct table_column *column, const void *row)
{
	return *(const char *const *)((const char *)row + column->offset);
}

static bool is_known(const struct table_column *column, const void *row)
{
	if (column->known && !column->known(row))
		return false;
	return !is_string(column) || column->text || member_string(column, row);
}

static void add_string(const struct table_column *column, const void *row, struct text *out)
{
	if (column->text)
		column->text(row, out);
	else
		text_add(out, member_string(column, row));
}

/* --- text --------------------------------------------------------------------------------- */

void table_out_time(int64_t time, bool unitless, struct text *out)
{
	if (unitless || time < 0)
		text_printf(out, "%" PRId64, time);
	else
		text_duration(out, (uint64_t)time);
}

static void add_number(const struct table_column *column, int64_t v, bool unitless, bool groups,
		       struct text *out)
{
	if (column->kind == TABLE_DURATION)
		text_duration(out, (uint64_t)v);
	else if (column->kind == TABLE_TIME)
		table_out_time(v, unitless, out);
	else if (column->kind == TABLE_COUNT && groups)
		text_count(out, (uint64_t)v);
	else if (column->kind == TABLE_COUNT)
		text_u64(out, (uint64_t)v);
	else
		text_printf(out, "%" PRId64, v);
}

void table_out_value(const struct table_column *column, const void *row, bool unitless, bool groups,
		     struct text *out)
{
	if (!is_known(column, row))
		text_add(out, TABLE_NONE);
	else if (column->text || is_string(column))
		add_string(column, row, out);
	else if (column->kind == TABLE_TIME && !table_out_number(column, row))
		text_add(out, TABLE_NONE);
	else
		add_number(column, table_out_number(column, row), unitless, groups, out);
}

static void add_cell(const struct table_out *t, unsigned int i, const char *s, size_t len,
		     struct text *out)
{
	const struct table_column *column = t->shown[i];
	int blanks = column->width - text_cells(s, len),
	    gap = i ? t->columns->gap + column->gap : 0;
	bool is_left = column->align == TABLE_LEFT;

	text_pad(out, (size_t)(gap + (!is_left && blanks > 0 ? blanks : 0)));
	text_bytes(out, s, len);
	if (is_left && blanks > 0 && i + 1 < t->nr)
		text_pad(out, (size_t)blanks);
}

static void add_text(struct table_out *t, const void *row, struct text *out)
{
	struct text printable = { 0 };

	for (unsigned int i = 0; i < t->nr; i++) {
		text_clear(&t->cell);
		table_out_value(t->shown[i], row, t->unitless, t->columns->groups, &t->cell);
		text_clear(&printable);
		text_printable(&printable, text_str(&t->cell), t->cell.len);
		add_cell(t, i, text_str(&printable), printable.len, out);
	}
	text_char(out, '\n');
	text_fini(&printable);
}

/* --- CSV and JSON ---------------------------------------------------------------------------- */

static void add_csv(struct table_out *t, const void *row, struct text *out)
{
	for (unsigned int i = 0; i < t->nr; i++) {
		const struct table_column *column = t->shown[i];

		if (i)
			text_char(out, ',');
		if (!is_known(column, row))
			continue;
		if (is_string(column)) {
			text_clear(&t->cell);
			add_string(column, row, &t->cell);
			text_csv(out, text_str(&t->cell), t->cell.len);
		} else if (is_unsigned(column)) {
			text_u64(out, (uint64_t)table_out_number(column, row));
		} else {
			text_printf(out, "%" PRId64, table_out_number(column, row));
		}
	}
	text_char(out, '\n');
}

static void add_json_number(const struct table_column *column, int64_t v, bool exact,
			    struct text *out)
{
	if (column->kind == TABLE_BOOL)
		json_out_bool(out, column->name, v);
	else if (is_unsigned(column) && exact)
		json_out_exact_u64(out, column->name, (uint64_t)v);
	else if (is_unsigned(column))
		json_out_u64(out, column->name, (uint64_t)v);
	else if (exact)
		json_out_exact_i64(out, column->name, v);
	else
		json_out_i64(out, column->name, v);
}

static void add_json_string(struct table_out *t, const struct table_column *column, const void *row,
			    struct text *out)
{
	text_clear(&t->cell);
	add_string(column, row, &t->cell);
	if (column->kind == TABLE_STRING) {
		json_out_bytes(out, column->name, text_str(&t->cell), t->cell.len);
		return;
	}
	json_out_key(out, column->name);
	text_bytes(out, text_str(&t->cell), t->cell.len);
}

static void add_json(struct table_out *t, const void *row, struct text *out)
{
	json_out_object(out, NULL);
	for (unsigned int i = 0; i < t->nr; i++) {
		const struct table_column *column = t->shown[i];

		if (is_known(column, row) && is_string(column))
			add_json_string(t, column, row, out);
		else if (is_known(column, row))
			add_json_number(column, table_out_number(column, row), t->columns->exact,
					out);
		else if (column->absent != TABLE_OMIT)
			json_out_null(out, column->name);
	}
	json_out_end_line(out);
}

/* --- lines --------------------------------------------------------------------------------- */

void table_out_heading(const struct table_out *t, struct text *out)
{
	for (unsigned int i = 0; i < t->nr && t->format != FORMAT_JSON; i++) {
		if (t->format == FORMAT_TEXT)
			add_cell(t, i, t->shown[i]->title, strlen(t->shown[i]->title), out);
		else
			text_printf(out, "%s%s", i ? "," : "", t->shown[i]->name);
	}
	if (t->format != FORMAT_JSON)
		text_char(out, '\n');
}

void table_out_row(struct table_out *t, const void *row, struct text *out)
{
	switch (t->format) {
	case FORMAT_TEXT:
		add_text(t, row, out);
		break;
	case FORMAT_CSV:
		add_csv(t, row, out);
		break;
	case FORMAT_JSON:
		add_json(t, row, out);
		break;
	}
}
