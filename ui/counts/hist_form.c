/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/counts/hist_form.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

static struct hist *shown(const struct hist_form *f)
{
	return &f->hists.list[f->at];
}

bool hist_form_applies(const struct shared *shared)
{
	bool any = false;

	for (unsigned int i = 0; shared->trace && i < trace_nr_files(shared->trace); i++)
		any |= trace_histograms(shared->trace, i, NULL);
	return any;
}

/* --- rows ------------------------------------------------------------------------------------ */

#define ADDRESS_LEN	8u		/* digits, at least */

/* "f [ffffffff81292c84]", not "sys_read [0]" */
static size_t without_address(const char *s)
{
	const char *open = strstr(s, " [");

	return open && strlen(open) > ADDRESS_LEN + 2 ? (size_t)(open - s) : strlen(s);
}

/* @whole: with addresses.  Of a stack, the innermost function is first: "f <- main". */
static void add_cell(const struct hist_form *f, uint32_t row, unsigned int i, bool whole,
		     struct text *out)
{
	const char *s = shown(f)->entries[row].cells[i].text ?: TABLE_NONE, *end = s + strlen(s);

	if (!shown(f)->columns[i].is_stack) {
		text_printable(out, s, whole ? strlen(s) : without_address(s));
		return;
	}
	while (end) {
		const char *semicolon = memrchr(s, ';', (size_t)(end - s)),
			   *name = semicolon ? semicolon + 1 : s;
		size_t len = (size_t)(end - name), bare = strcspn(name, "+;");

		text_printable(out, name, whole || bare > len ? len : bare);
		text_add(out, semicolon ? " <- " : "");
		end = semicolon;
	}
}

static void add_name(const void *owner, uint32_t row, struct text *out)
{
	const struct hist_form *f = owner;

	add_cell(f, row, f->columns.first, false, out);
}

static void enter(void *owner)
{
	host_message(((struct hist_form *)owner)->host,
		     "the kernel counted these events, and kept none of them");
}

static const char *title(const void *owner, const struct table_column *column)
{
	return column->title == ((const struct hist_form *)owner)->columns.share_title ? "%" : NULL;
}

static const struct table_ops ops = {
	.name = add_name,
	.title = title,
	.enter = enter,
	.row_word = "entry",
	.figure_word = "the value",
};

/* --- which one ------------------------------------------------------------------------------- */

/* In the kernel's order if that is by a key; else the largest value first. */
static void show(struct hist_form *f, unsigned int at)
{
	unsigned int by;

	f->at = at;
	hist_table_init(&f->columns, shown(f), NULL);
	by = hist_table_sorted_by(&f->columns);
	f->order = (struct table_order){ .column = by ? by : shown(f)->nr_keys,
					 .inverted = by && by < shown(f)->nr_keys &&
						     f->columns.list[by].kind != TABLE_STRING };
	table_fini(&f->table);
	f->table = (struct table){ .ops = &ops, .owner = f, .host = f->host, .shared = f->shared,
				   .orders = &f->order, .lists = { &f->columns.columns },
				   .array = shown(f)->entries, .array_nr = shown(f)->nr,
				   .array_bytes = sizeof(struct hist_row),
				   .figure = shown(f)->nr_keys, .name_least = 20, .name_most = 60,
				   .ties_stay = true, .row_name = "entry" };
	table_update(&f->table);
}

void hist_form_read(struct hist_form *f)
{
	struct text text = { 0 };

	for (unsigned int i = 0; i < trace_nr_files(f->shared->trace); i++) {
		text_clear(&text);
		if (trace_histograms(f->shared->trace, i, &text))
			hist_list_read(&f->hists, &text, i, 0);
	}
	text_fini(&text);
	if (f->hists.nr)
		show(f, 0);
}

void hist_form_fini(struct hist_form *f)
{
	hist_list_fini(&f->hists);
	table_fini(&f->table);
	*f = (struct hist_form){ .host = f->host, .shared = f->shared };
}

bool hist_form_request(struct hist_form *f, enum request request, char letter)
{
	if (request == REQ_NEXT_LIST || request == REQ_PREV_LIST) {
		if (f->hists.nr > 1)
			show(f, (f->at + (request == REQ_NEXT_LIST ? 1 : f->hists.nr - 1)) %
					f->hists.nr);
		else
			host_message(f->host, "there is one histogram");
		return true;
	}
	if (request == REQ_ONLY || request == REQ_WITHOUT)
		return enter(f), true;
	return table_request(&f->table, request, letter);
}

/* --- words ----------------------------------------------------------------------------------- */

/* The share and the bar are of the value that rows are sorted by. */
static void follow_order(struct hist_form *f)
{
	unsigned int by = table_sorted_by(&f->table);
	const char *name = f->columns.list[by].name;

	if (by != f->columns.shared && by >= shown(f)->nr_keys && name &&
	    f->columns.list[by].kind != TABLE_STRING)
		hist_table_init(&f->columns, shown(f), name);
}

void hist_form_draw(struct hist_form *f, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	const struct hist *h = shown(f);
	struct text heading = { 0 };

	if (f->hists.nr > 1)
		text_printf(&heading, "%u of %u   ", f->at + 1, f->hists.nr);
	shared_of_file(f->shared, h->file, false, &heading);
	hist_totals(h, &heading);
	text_add(&heading, "   ");
	text_printable(&heading, h->trigger, strlen(h->trigger));
	canvas_fit(c, area->top, 1, c->cols - 2, ROLE_HEADING, text_str(&heading));
	text_fini(&heading);
	follow_order(f);
	if (h->nr)
		table_draw(&f->table, c, area->top + 1, area->rows - 1);
	else
		canvas_text(c, area->top + 2, 2, c->cols - 3, ROLE_TEXT,
			    "The kernel has counted nothing.");
}

void hist_form_words(const struct hist_form *f, struct text *out)
{
	const struct hist *h = shown(f);

	for (unsigned int i = 0; f->table.nr && i < h->nr_columns; i++) {
		text_printf(out, "%s%s ", i ? ", " : "", h->columns[i].title);
		add_cell(f, table_row(&f->table, f->table.window.at), i, true, out);
	}
	if (h->bad)
		text_printf(out, ". %llu lines are not understood", (unsigned long long)h->bad);
	text_add(out, f->table.nr || h->bad ? ". " : "");
	text_printable(out, h->trigger, strlen(h->trigger));
}

void hist_form_command(const struct hist_form *f, struct text *out)
{
	const char *name = f->columns.list[table_sorted_by(&f->table)].name;

	text_printf(out, "hist --number=%u", shown(f)->number);
	if (name && f->table.nr)
		text_printf(out, " --sort='%s'", name);
}
