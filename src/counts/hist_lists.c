/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist_lists - the kernel's histograms of a file, one after the other, as lists. */
#include <inttypes.h>

#include "src/counts/counts_private.h"

bool hist_lists_read(struct counts_lists *m, unsigned int file, unsigned int at)
{
	struct text text = { 0 };

	if (trace_histograms(m->trace, file, &text))
		hist_list_read(&m->hists, &text, file, 0);
	text_fini(&text);
	/* behind them comes the table of the file's tracer, if it has one */
	if (!m->hists.nr || (at >= m->hists.nr && counts_of_tracer(m->trace, file).event))
		return false;
	m->at = at % m->hists.nr;
	hist_table_init(&m->columns, &m->hists.list[m->at], NULL);
	return true;
}

bool hist_lists_find(struct trace *trace, unsigned int file, unsigned int *at, bool next)
{
	struct counts_lists m = { .trace = trace };
	bool found = trace_histograms(trace, file, NULL) &&
		     (!next || (hist_lists_read(&m, file, *at) &&
				(*at + 1 < m.hists.nr || counts_of_tracer(trace, file).event)));

	hist_list_fini(&m.hists);
	*at += found && next;
	return found;
}

/* In the kernel's order if that is by a key; else the largest value first. */
struct list_rows hist_lists_rows(struct counts_lists *m, unsigned int by)
{
	struct hist *h = &m->hists.list[m->at];
	const unsigned int values = h->nr_keys + 1;	/* column 0 is the name once more */
	const struct table_column *column = &m->columns.list[by];
	unsigned int order = hist_table_sorted_by(&m->columns);
	bool by_kernel = order > 1;

	if (by >= values && column->name && column->kind != TABLE_STRING && by - 1 != h->shared)
		hist_table_init(&m->columns, h, column->name);
	order = by_kernel ? order : values;
	text_clear(&m->heading);
	if (m->hists.nr > 1)
		text_printf(&m->heading, "%u of %u   ", m->at + 1, m->hists.nr);
	text_printable(&m->heading, h->of, strlen(h->of));
	text_add(&m->heading, *h->of ? "   " : "");
	hist_totals(h, &m->heading);
	text_add(&m->heading, "   ");
	text_printable(&m->heading, h->trigger, strlen(h->trigger));
	text_clear(&m->command);
	text_printf(&m->command, "hist --number=%u", h->number);
	if (by && column->name && h->nr)
		text_printf(&m->command, " --sort='%s'", column->name);
	return (struct list_rows){
		.columns = &m->columns.columns, .array = h->entries,
		.bytes = sizeof(struct hist_row), .nr = h->nr, .order = order,
		.ascending = by_kernel && order < values &&
			     m->columns.list[order].kind != TABLE_STRING,
		.figure = values, .row = "entry", .heading = text_str(&m->heading),
		.command = text_str(&m->command), .nothing = "The kernel has counted nothing.",
	};
}

void hist_lists_say(const struct counts_lists *m, const struct hist_row *row, struct text *heading,
		    struct text *out)
{
	const struct hist *h = &m->hists.list[m->at];

	text_add(heading, "entry");
	for (unsigned int i = 0; i < h->nr_columns; i++) {
		text_printf(out, "%s%s ", i ? ", " : "", h->columns[i].title);
		hist_add_value(row, i, true, out);
	}
	if (h->bad)
		text_printf(out, ". %" PRIu64 " line%s not understood", h->bad, PLURAL(h->bad));
	text_add(out, ". ");
	text_printable(out, h->trigger, strlen(h->trigger));
	if (trace_is_cut_by(m->trace, (int)h->file, ""))
		text_add(out, ". It counts the whole recording; this file is only a part");
}
