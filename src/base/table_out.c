/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/table_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/json_out.h"
#include "src/base/options.h"

int table_format_parse(const char *value, enum table_format *format, struct ft_error *err)
{
	static const char *const words[] = { "text", "csv", "json" };
	int choice = options_choice("--format", value, words, 3, err);

	*format = choice < 0 ? FORMAT_TEXT : (enum table_format)choice;
	return choice < 0 ? -1 : 0;
}

static const char *const unit_words[] = { [TABLE_US] = "us", [TABLE_NS] = "ns", [TABLE_MS] = "ms",
					  [TABLE_S] = "s" };

int table_unit_parse(const char *value, enum table_unit *unit, struct ft_error *err)
{
	int choice = options_choice("--unit", value, unit_words, 4, err);

	*unit = choice < 0 ? TABLE_US : (enum table_unit)choice;
	return choice < 0 ? -1 : 0;
}

/* --- which columns ------------------------------------------------------------------------ */

bool table_column_is_out(const struct table_column *column, unsigned int lacks)
{
	return (column->needs & lacks) && !column->lacking;
}

const char *table_column_heading(const struct table_columns *columns,
				 const struct table_column *column, unsigned int lacks)
{
	if (columns->sides[column->side])
		return columns->sides[column->side];
	return (column->needs & lacks) && column->lacking ? column->lacking : column->title;
}

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

		if (table_column_is_out(column, columns->lacks) || !is_shown(column, format))
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

bool table_column_is_string(const struct table_column *column)
{
	return column->kind == TABLE_STRING || column->kind == TABLE_RAW;
}

unsigned int table_column_own(const struct table_columns *columns, int own)
{
	unsigned int i = 0;

	while (columns->list[i].own != own)
		i++;
	return i;
}

void table_column_title(const struct table_columns *columns, const struct table_column *column,
			struct text *out)
{
	if (column->group)
		text_printf(out, "%s ", column->group);
	text_add(out, table_column_heading(columns, column, columns->lacks));
}

static bool is_unsigned(const struct table_column *column)
{
	return column->kind == TABLE_COUNT || column->kind == TABLE_DURATION;
}

static const void *at(const struct table_member *member, const void *row)
{
	const char *of = row;

	if (member->through)
		of = *(const char *const *)(of + member->through - 1);
	return of + member->offset;
}

static int64_t member_number(const struct table_member *member, const void *row)
{
	const void *p = at(member, row);

	if (member->size == sizeof(int64_t))
		return *(const int64_t *)p;
	return member->size == sizeof(bool) ? *(const bool *)p : *(const int32_t *)p;
}

int64_t table_out_number(const struct table_column *column, const void *row)
{
	int64_t v;

	if (column->number)
		return column->number(row);
	v = member_number(&column->value, row);
	return is_unsigned(column) && column->value.size == sizeof(uint32_t) ? (uint32_t)v : v;
}

static const char *member_string(const struct table_column *column, const void *row)
{
	return *(const char *const *)at(&column->value, row);
}

bool table_out_known(const struct table_column *column, const void *row)
{
	if ((column->known && !column->known(row)) ||
	    (column->has.size && !member_number(&column->has, row)))
		return false;
	return !table_column_is_string(column) || column->text || member_string(column, row);
}

char table_out_mark(const struct table_column *column, const void *row)
{
	if ((column->doubtful && column->doubtful(row)) ||
	    (column->doubt.size && member_number(&column->doubt, row)))
		return '~';
	return column->least.size && member_number(&column->least, row) ? '>' : 0;
}

void table_out_string(const struct table_column *column, const void *row, struct text *out)
{
	if (column->text)
		column->text(row, out);
	else
		text_add(out, member_string(column, row));
}

/* --- a column by its name ------------------------------------------------------------------- */

/* Blanks are as good as underscores. */
static bool is_title(const char *title, const char *name)
{
	const char *begin = name;

	for (; *title && *name; title++, name++)
		if (*title != *name && !(*title == ' ' && (*name == '_' || *name == '-')))
			return false;
	return !*title && !*name && name > begin;
}

/* Bytes of a name without the unit. */
static size_t short_len(const char *name)
{
	size_t len = strlen(name);

	return len > 3 && !strcmp(name + len - 3, "_ns") ? len - 3 : len;
}

/* Has it a name for --sort? */
static bool has_name(const struct table_columns *columns, const struct table_column *column)
{
	return column->name && column->only != FORMAT_JSON &&
	       !table_column_is_out(column, columns->lacks);
}

static bool is_named(const struct table_column *column, const char *name)
{
	size_t len = strlen(name);

	return !strcmp(column->name, name) ||
	       (len == short_len(column->name) && !strncmp(column->name, name, len));
}

/* The column's title in text, for --sort: with its group, if the list has groups. */
static void add_word(const struct table_columns *columns, const struct table_column *column,
		     struct text *out)
{
	if (columns->grouped && column->group)
		text_printf(out, "%s ", column->group);
	text_add(out, column->title);
}

static bool has_title(const struct table_columns *columns, const struct table_column *column)
{
	return column->width && *column->title && !table_column_is_out(column, columns->lacks);
}

static const struct table_column *find_title(const struct table_columns *columns, const char *name)
{
	struct text word = { 0 };
	const struct table_column *found = NULL;

	for (unsigned int i = 0; i < columns->nr && !found; i++) {
		if (!has_title(columns, &columns->list[i]))
			continue;
		text_clear(&word);
		add_word(columns, &columns->list[i], &word);
		if (is_title(text_str(&word), name))
			found = &columns->list[i];
	}
	text_fini(&word);
	return found;
}

static const struct table_column *find_name(const struct table_columns *columns, const char *name)
{
	for (unsigned int i = 0; i < columns->nr; i++)
		if (has_name(columns, &columns->list[i]) && is_named(&columns->list[i], name))
			return &columns->list[i];
	return NULL;
}

static void list_columns(const struct table_columns *columns, bool titles, struct text *list)
{
	for (unsigned int i = 0; i < columns->nr; i++) {
		const struct table_column *column = &columns->list[i];

		if (!(titles ? has_title(columns, column) : has_name(columns, column)))
			continue;
		text_add(list, list->len ? ", " : "");
		if (titles)
			add_word(columns, column, list);
		else
			text_bytes(list, column->name, short_len(column->name));
	}
}

/* The name or title that was probably meant, into @near; false: none is near. */
static bool nearest_column(const struct table_columns *columns, const char *name, struct text *near)
{
	struct text words[2 * TABLE_MOST_COLUMNS] = { { 0 } };
	const char *names[2 * TABLE_MOST_COLUMNS], *found;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < 2 * columns->nr; i++) {
		const struct table_column *column = &columns->list[i / 2];

		if (!(i % 2 ? has_title(columns, column) : has_name(columns, column)))
			continue;
		if (i % 2)
			add_word(columns, column, &words[nr]);
		else
			text_bytes(&words[nr], column->name, short_len(column->name));
		names[nr] = text_str(&words[nr]);
		nr++;
	}
	found = options_nearest(name, names, nr);
	text_add(near, found ?: "");
	for (unsigned int i = 0; i < nr; i++)
		text_fini(&words[i]);
	return found;
}

const struct table_column *table_out_find(const struct table_columns *columns,
					  enum table_format format, const char *option,
					  const char *name, struct ft_error *err)
{
	bool titles = format == FORMAT_TEXT;
	const struct table_column *found = titles ? find_title(columns, name) :
						    find_name(columns, name);
	struct text list = { 0 }, near = { 0 };
	bool is_near;

	if (!found)
		found = titles ? find_name(columns, name) : find_title(columns, name);
	if (found)
		return found;
	list_columns(columns, titles, &list);
	is_near = nearest_column(columns, name, &near);
	ft_error_set(err, FT_E_USAGE, -1,
		     is_near ? "%s: no column is named %s; did you mean %s? The columns are: %s" :
			       "%s: no column is named %s;%s the columns are: %s",
		     option, name, text_str(&near), text_str(&list));
	text_fini(&near);
	text_fini(&list);
	return NULL;
}

const struct table_column *table_out_sorted_by(const struct table_columns *columns,
					       enum table_format format, const char *sort,
					       int8_t *sign, struct ft_error *err)
{
	bool is_inverted = *sort == '-';
	char *name = mem_strndup(sort + is_inverted, strlen(sort + is_inverted));
	char *colon = strrchr(name, ':');
	const struct table_column *column = NULL;
	int8_t given = 0;

	if (colon) {
		given = !strcmp(colon, ":asc") ? 1 : !strcmp(colon, ":desc") ? -1 : 0;
		*colon = given ? '\0' : ':';
	}
	column = table_out_find(columns, format, "--sort", name, err);
	free(name);
	if (!column)
		return NULL;
	*sign = given ? given : table_column_is_string(column) ? 1 : -1;
	if (is_inverted)
		*sign = -*sign;
	return column;
}

/* --- text --------------------------------------------------------------------------------- */

/* "93.43 µs"; plain digits for a clock's units, and for negative times. */
static void add_time(int64_t time, bool unitless, struct text *out)
{
	if (unitless || time < 0)
		text_printf(out, "%" PRId64, time);
	else
		text_duration(out, (uint64_t)time);
}

static uint64_t size_of(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static void add_delta(int64_t delta, bool unitless, struct text *out)
{
	struct text size = { 0 };

	text_char(out, delta < 0 ? '-' : '+');
	if (unitless)
		text_u64(&size, size_of(delta));
	else
		text_duration(&size, size_of(delta));
	text_trimmed(out, &size);
	text_fini(&size);
}

#define RATIO_UNIT	1e6

void table_out_ratio(double ratio, struct text *out)
{
	int digits = ratio < 0.1 ? 3 : ratio < 10 ? 2 : ratio < 100 ? 1 : 0;
	double times = ratio < 1 ? 1 / ratio : ratio;

	if (ratio > 0 && (ratio < 0.001 || ratio >= 1e5))
		text_printf(out, "%s%.0f%s", ratio < 1 ? "/" : "×",
			    times < 1e5 ? times :
			    times < 1e8 ? times / 1e3 :
					  times / 1e6,
			    times < 1e5 ? "" :
			    times < 1e8 ? "k" :
					  "M");
	else
		text_printf(out, "×%.*f", ratio > 0 ? digits : 0, ratio);
}

static void add_number(const struct table_column *column, int64_t v, bool unitless, bool groups,
		       struct text *out)
{
	if (column->kind == TABLE_DURATION)
		text_duration(out, (uint64_t)v);
	else if (column->kind == TABLE_TIME)
		add_time(v, unitless, out);
	else if (column->kind == TABLE_DELTA)
		add_delta(v, unitless, out);
	else if (column->kind == TABLE_RATIO)
		table_out_ratio((double)v / RATIO_UNIT, out);
	else if (column->kind == TABLE_MOMENT && !unitless)
		text_seconds(out, v, 9);
	else if (column->kind == TABLE_COUNT && groups)
		text_count(out, (uint64_t)v);
	else if (column->kind == TABLE_COUNT)
		text_u64(out, (uint64_t)v);
	else
		text_printf(out, "%" PRId64, v);
}

double table_out_percent(const struct table_column *column, const void *row)
{
	int64_t whole = member_number(&column->whole, row);

	return whole ? 100.0 * (double)table_out_number(column, row) / (double)whole : 0;
}

bool table_out_figure(const struct table_column *column, const void *row, double *figure)
{
	struct text word = { 0 };
	char *end = NULL;

	if (!table_out_known(column, row))
		return false;
	if (column->kind == TABLE_PERCENT) {
		*figure = table_out_percent(column, row);
	} else if (!table_column_is_string(column)) {
		int64_t v = table_out_number(column, row);

		*figure = is_unsigned(column) ? (double)(uint64_t)v : (double)v;
		if (column->kind == TABLE_RATIO)
			*figure /= RATIO_UNIT;
	} else {
		table_out_string(column, row, &word);
		*figure = strtod(text_str(&word), &end);
		end = end == text_str(&word) || *end ? NULL : end;
		text_fini(&word);
		return end;
	}
	return true;
}

/* How much the other figures of the row lack. */
static uint64_t nr_apart(const struct table_columns *columns, const void *row)
{
	uint64_t nr = 0;

	for (unsigned int i = 0; i < columns->nr; i++)
		if (columns->list[i].apart && table_out_known(&columns->list[i], row))
			nr += (uint64_t)table_out_number(&columns->list[i], row);
	return nr;
}

void table_out_bounds(const struct table_columns *columns, const struct table_column *column,
		      const void *row, bool lost, double *least, double *most)
{
	char mark = table_out_mark(column, row);
	bool doubtful = mark == '~';
	uint64_t apart = column->bound == TABLE_EITHER ? 0 : nr_apart(columns, row);
	bool is_guess = column->doubtful && column->doubtful(row),
	     is_part = !is_guess && column->kind == TABLE_TIME &&
		       column->doubt.size == sizeof(int64_t);
	double figure = 0;

	if (!table_out_figure(column, row, &figure)) {
		*least = 0;
		*most = INFINITY;
		return;
	}
	*least = *most = figure;
	/* a column that marks doubt knows better what is lost */
	lost &= column->bound != TABLE_EITHER && !column->doubt.size;
	if (mark == '>')
		*most = INFINITY;
	if (mark == '>' || (!doubtful && !apart && !lost))
		return;
	if (column->bound == TABLE_AT_LEAST && column->kind == TABLE_COUNT && !doubtful && !lost)
		*most += (double)apart;
	else if (column->bound != TABLE_AT_MOST)
		*most = INFINITY;
	if (column->bound != TABLE_AT_LEAST || is_guess)
		*least = is_part ? figure - (double)member_number(&column->doubt, row) : 0;
}

/* Is TABLE_NONE shown?  A column with a text of its own may still show that.  >0 is a value. */
static bool is_none(const struct table_column *column, const void *row)
{
	return !table_out_known(column, row) ||
	       (!column->text && !table_column_is_string(column) &&
		(column->kind == TABLE_TIME || column->kind == TABLE_DELTA) &&
		!table_out_number(column, row) && table_out_mark(column, row) != '>');
}

void table_out_value(const struct table_column *column, const void *row, bool unitless, bool groups,
		     struct text *out)
{
	char mark = table_out_mark(column, row);

	if (is_none(column, row)) {
		text_add(out, TABLE_NONE);
		return;
	}
	if (mark)
		text_char(out, mark);
	if (column->text || table_column_is_string(column))
		table_out_string(column, row, out);
	else if (column->kind == TABLE_PERCENT && mark == '>')
		text_printf(out, "%.1f", floor(table_out_percent(column, row) * 10) / 10);
	else if (column->kind == TABLE_PERCENT)
		text_printf(out, "%.1f", table_out_percent(column, row));
	else
		add_number(column, table_out_number(column, row), unitless, groups, out);
}

/* A duration is in ns even if the clock has no unit, unless the list says otherwise. */
static bool has_unit(const struct table_out *t, const struct table_column *column)
{
	if (column->kind == TABLE_DURATION)
		return !t->unitless || !t->columns->clocked;
	return (column->kind == TABLE_TIME || column->kind == TABLE_DELTA) && !t->unitless;
}

/* All digits that are known. */
static void add_in_unit(const struct table_out *t, uint64_t ns, struct text *out)
{
	static const struct {
		uint64_t ns;
		int	 digits;
	} units[] = { [TABLE_NS] = { 1, 0 }, [TABLE_US] = { 1000, 3 }, [TABLE_MS] = { 1000000, 6 },
		      [TABLE_S] = { 1000000000, 9 } };

	uint64_t unit, rest;
	int digits;

	if (t->unit == TABLE_BY_SIZE) {
		text_duration(out, ns);
		return;
	}
	unit = units[t->unit].ns;
	rest = ns % unit;
	digits = units[t->unit].digits;
	if (t->is_coarse && digits && ns % 1000 == 0) {
		rest /= 1000;
		digits -= 3;
	}
	text_u64(out, ns / unit);
	if (digits)
		text_fraction(out, (uint32_t)rest, digits);
}

/*
 * A value in text.  A time without a value is known by its own text.
 * Return: its mark, or 0.  The mark then follows, so that sort -n finds the number.
 */
static char add_value(struct table_out *t, const struct table_column *column, const void *row)
{
	bool in_unit = has_unit(t, column), is_plain = !in_unit && column->kind != TABLE_DURATION;
	int64_t v = is_plain ? 0 : table_out_number(column, row);

	text_clear(&t->cell);
	is_plain |= v < 0 && column->kind == TABLE_TIME;
	if (is_plain || column->text || is_none(column, row)) {
		table_out_value(column, row, t->unitless, false, &t->cell);
		if (!strcmp(text_str(&t->cell), TABLE_NONE))
			return 0;
	}
	if (is_plain) {
		if (t->is_coarse && column->kind == TABLE_MOMENT && !t->unitless && !column->text) {
			text_clear(&t->cell);
			text_seconds(&t->cell, table_out_number(column, row), 6);
		}
		return 0;
	}
	text_clear(&t->cell);
	if (column->kind == TABLE_DELTA)
		text_char(&t->cell, v < 0 ? '-' : '+');
	if (in_unit)
		add_in_unit(t, column->kind == TABLE_DELTA ? size_of(v) : (uint64_t)v, &t->cell);
	else
		text_u64(&t->cell, (uint64_t)v);
	return table_out_mark(column, row);
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

/* A mark stands in the gap after its column. */
static void add_text(struct table_out *t, const void *row, struct text *out)
{
	struct text printable = { 0 };
	char mark = 0;

	for (unsigned int i = 0; i < t->nr; i++) {
		size_t start = out->len;
		char former = mark;

		mark = add_value(t, t->shown[i], row);
		text_clear(&printable);
		text_printable(&printable, text_str(&t->cell), t->cell.len);
		add_cell(t, i, text_str(&printable), printable.len, out);
		if (former)
			out->data[start] = former;
	}
	if (mark)
		text_char(out, mark);
	text_char(out, '\n');
	text_fini(&printable);
}

/* --- CSV and JSON ---------------------------------------------------------------------------- */

/* Names the column of files: not "file" if that is the name of an event's field. */
static const char *file_column(const struct table_out *t)
{
	for (unsigned int i = 0; i < t->nr; i++)
		if (t->shown[i]->name && !strcmp(t->shown[i]->name, "file"))
			return "trace_file";
	return "file";
}

void table_out_decimal(int64_t millionths, struct text *out)
{
	text_printf(out, "%.7g", (double)millionths / RATIO_UNIT);
}

static void add_csv(struct table_out *t, const void *row, struct text *out)
{
	if (t->file) {
		text_csv(out, t->file, strlen(t->file));
		text_char(out, ',');
	}
	if (t->window)
		text_printf(out, "%" PRId64 ",%" PRId64 ",", t->window->from, t->window->to);
	for (unsigned int i = 0; i < t->nr; i++) {
		const struct table_column *column = t->shown[i];

		if (i)
			text_char(out, ',');
		if (!table_out_known(column, row))
			continue;
		if (table_column_is_string(column)) {
			text_clear(&t->cell);
			table_out_string(column, row, &t->cell);
			text_csv(out, text_str(&t->cell), t->cell.len);
		} else if (is_unsigned(column)) {
			text_u64(out, (uint64_t)table_out_number(column, row));
		} else if (column->kind == TABLE_RATIO) {
			table_out_decimal(table_out_number(column, row), out);
		} else {
			text_printf(out, "%" PRId64, table_out_number(column, row));
		}
	}
	text_char(out, '\n');
}

static bool is_time(const struct table_column *column)
{
	return column->kind == TABLE_TIME || column->kind == TABLE_DURATION ||
	       column->kind == TABLE_DELTA || column->kind == TABLE_MOMENT;
}

static void add_json_number(const struct table_column *column, int64_t v, bool exact,
			    struct text *out)
{
	if (column->kind == TABLE_RATIO) {
		json_out_key(out, column->name);
		table_out_decimal(v, out);
		return;
	}
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
	table_out_string(column, row, &t->cell);
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
	if (t->file)
		json_out_string(out, file_column(t), t->file);
	for (unsigned int i = 0; i < t->nr; i++) {
		const struct table_column *column = t->shown[i];

		if (column->kind == TABLE_CLOCK && t->clock)
			json_out_string(out, column->name, t->clock);
		if (column->kind == TABLE_CLOCK)
			continue;
		if (table_out_known(column, row) && table_column_is_string(column))
			add_json_string(t, column, row, out);
		else if (table_out_known(column, row))
			add_json_number(column, table_out_number(column, row),
					t->columns->exact && !is_time(column), out);
		else if (column->absent != TABLE_OMIT)
			json_out_null(out, column->name);
	}
	json_out_end_line(out);
}

/* --- lines --------------------------------------------------------------------------------- */

static bool has_group(const struct table_out *t, unsigned int i)
{
	return t->columns->grouped && t->shown[i]->group;
}

static void add_unit(const struct table_out *t, struct text *title)
{
	if (t->unit == TABLE_BY_SIZE)
		return;
	text_printf(title, " %s", t->unit == TABLE_US ? "µs" : unit_words[t->unit]);
}

static void add_title(const struct table_out *t, unsigned int i, struct text *out)
{
	struct text title = { 0 };

	text_add(&title, table_column_heading(t->columns, t->shown[i], t->columns->lacks));
	if (has_unit(t, t->shown[i]) && !has_group(t, i))
		add_unit(t, &title);
	add_cell(t, i, text_str(&title), title.len, out);
	text_fini(&title);
}

/* The line of groups: each is named above the first of its columns, with their unit. */
static void add_groups(const struct table_out *t, struct text *out)
{
	struct text title = { 0 };
	size_t start = out->len;

	for (unsigned int i = 0; i < t->nr; i++) {
		const char *group = has_group(t, i) ? t->shown[i]->group : NULL;

		text_clear(&title);
		if (group &&
		    !(i && has_group(t, i - 1) && !strcmp(t->shown[i - 1]->group, group))) {
			text_add(&title, group);
			if (has_unit(t, t->shown[i]))
				add_unit(t, &title);
		}
		add_cell(t, i, text_str(&title), title.len, out);
	}
	while (out->len > start && out->data[out->len - 1] == ' ')
		out->len--;
	if (out->len > start)
		text_char(out, '\n');
	text_fini(&title);
}

void table_out_heading(const struct table_out *t, struct text *out)
{
	if (t->columns->grouped && t->format == FORMAT_TEXT)
		add_groups(t, out);
	if (t->file && t->format == FORMAT_CSV)
		text_printf(out, "%s,", file_column(t));
	if (t->window && t->format == FORMAT_CSV)
		text_add(out, "from_ns,to_ns,");
	for (unsigned int i = 0; i < t->nr && t->format != FORMAT_JSON; i++) {
		if (t->format == FORMAT_TEXT)
			add_title(t, i, out);
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
