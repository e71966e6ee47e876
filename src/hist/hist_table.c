/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/hist/hist_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BAR_CELLS	20

static void add_bar(const void *arg, struct text *out)
{
	static const char *const eighths[] = { "",  "▏", "▎", "▍",
					       "▌", "▋", "▊", "▉" };
	const struct hist_row *row = arg;
	double value = (double)row->cells[row->hist->shared].number;
	unsigned int n = (unsigned int)(value / (double)row->hist->most * BAR_CELLS * 8 + 0.5);

	for (unsigned int i = 0; i < n / 8; i++)
		text_add(out, "█");
	text_add(out, eighths[n % 8]);
}

/* Cells of a column. */
static int column_width(const struct hist *h, unsigned int i)
{
	const char *title = h->columns[i].title;
	int most = text_cells(title, strlen(title));

	for (uint32_t k = 0; k < h->nr; k++) {
		const char *text = h->entries[k].cells[i].text;
		int width = text ? text_cells(text, strlen(text)) : 0;

		most = width > most ? width : most;
	}
	return most;
}

/* Which column has a share, and its figures; sum 0: none has. */
static void share(struct hist_table *t, struct hist *h, const char *shared)
{
	bool any;

	h->shared = h->nr_keys;
	for (unsigned int i = h->nr_keys; i < h->nr_columns && shared; i++)
		if (h->columns[i].is_number && !strcmp(h->columns[i].name, shared))
			h->shared = i;
	any = h->shared < h->nr_columns && h->columns[h->shared].is_number;
	h->sum = h->most = 0;
	for (uint32_t k = 0; k < h->nr; k++) {
		uint64_t value = any ? h->entries[k].cells[h->shared].number : 0;

		h->entries[k].hist = h;
		if (__builtin_add_overflow(h->sum, value, &h->sum))
			h->sum = UINT64_MAX;
		h->most = h->most > value ? h->most : value;
	}
	if (any)
		snprintf(t->share_title, sizeof(t->share_title), "%% of %s",
			 h->columns[h->shared].name);
}

static struct table_column make_column(const struct hist *h, unsigned int i)
{
	const struct hist_column *column = &h->columns[i];
	int width = column_width(h, i);

	struct table_column of = {
		.name = column->name,
		.title = column->title,
		.width = column->is_stack ? 1 : width,
		.cells = (width < 30 ? width : 30) + 3,
		.place = column->is_stack,	/* the last */
		.align = TABLE_LEFT,
		TABLE_MEMBER(struct hist_row, cells[i].text),
	};

	if (column->is_number) {
		of.kind = TABLE_COUNT;
		of.align = TABLE_RIGHT;
		of.value = (struct table_member)TABLE_AT(struct hist_row, cells[i].number);
	}
	return of;
}

void hist_table_init(struct hist_table *t, struct hist *h, const char *shared)
{
	unsigned int nr = 0;

	*t = (struct hist_table){ .hist = h };
	share(t, h, shared);
	while (t->first < h->nr_keys && !h->columns[t->first].is_stack)
		t->first++;
	t->first = t->first < h->nr_keys ? t->first : 0;
	if (h->nr_columns)
		t->list[nr++] = make_column(h, t->first);
	for (unsigned int i = 0; i < h->nr_columns; i++)
		if (i != t->first)
			t->list[nr++] = make_column(h, i);
#define SHARED	TABLE_MEMBER(struct hist_row, cells[h->shared].number), \
		TABLE_IF_OF(struct hist_row, hist, sum)
	t->list[nr++] = (struct table_column){
		.title = t->share_title, .width = (int)strlen(t->share_title), .cells = 6,
		.goes_first = true, .kind = TABLE_PERCENT, SHARED,
		.whole = TABLE_THROUGH(struct hist_row, hist, sum) };
	t->list[nr++] = (struct table_column){
		.title = "bar", .width = BAR_CELLS, .cells = BAR_CELLS + 2, .align = TABLE_LEFT,
		.kind = TABLE_NUMBER, SHARED, .text = add_bar };
	t->list[nr++] = (struct table_column){ .name = "histogram", .only = FORMAT_JSON,
					       .kind = TABLE_NUMBER,
					       TABLE_MEMBER_OF(struct hist_row, hist, number) };
	t->columns = (struct table_columns){ .list = t->list, .nr = nr, .gap = 2, .exact = true };
}

/* "…:sort=lat.log2,bytes.descending:size=…" */
unsigned int hist_table_sorted_by(const struct hist_table *t)
{
	const char *sort = strstr(t->hist->trigger, ":sort=");

	sort = sort ? sort + strlen(":sort=") : "";
	for (unsigned int i = 0; i < t->columns.nr; i++) {
		const char *name = t->list[i].name;
		size_t len = name ? strlen(name) : 0;

		if (len && !strncmp(sort, name, len) && (!sort[len] || strchr(".,: ", sort[len])))
			return i;
	}
	return 0;
}

void hist_totals(const struct hist *h, struct text *out)
{
	if (!h->has_totals) {
		text_add(out, "the text ends before the totals");
		return;
	}
	text_count(out, h->hits);
	text_printf(out, " hits, %" PRIu64 " entries, %" PRIu64 " dropped", h->nr_kernel,
		    h->dropped);
	if (h->dropped)
		text_add(out, ": the table was full, a larger :size= holds more");
}
