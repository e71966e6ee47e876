/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/check_baseline.h"

#include <math.h>

#include "src/commands/command_tables.h"
#include "src/commands/table_rows.h"
#include "src/diff/diff.h"

struct baseline {
	const char	*old;
	const struct trace *trace;
	struct check_line line;		/* what all have */
	struct arena	*arena;
	struct check_report *report;
	unsigned int	nr;		/* rows that both have */
};

static void add_row(struct baseline *b, const struct table_rows *rows, const struct diff_row *row)
{
	struct check_line line = b->line;
	struct text why = { 0 };
	struct table_out table;

	table_out_init(&table, rows->columns, FORMAT_TEXT, rows->clock);
	table_out_heading(&table, &why);
	table_out_row(&table, row, &why);
	table_out_fini(&table);
	line.rule = arena_printf(b->arena, "%s: no worse than in %s", row->name, b->old);
	line.row = row->name;
	line.verdict = row->is_worse ? CHECK_BROKEN : CHECK_HOLDS;
	line.why = text_str(&why);
	b->nr += row->of[0].count && row->of[1].count;
	if (!row->of[0].count || !row->of[1].count) {
		line.skipped = row->of[0].count ? "only the baseline has it" :
						  "the baseline does not have it";
		line.verdict = CHECK_HOLDS;
	}
	check_report_add(b->report, &line, b->trace);
	text_fini(&why);
}

static int take(void *arg, const struct table_rows *rows, struct ft_error *err)
{
	(void)err;
	for (uint64_t i = 0; i < rows->nr; i++)
		add_row(arg, rows, table_rows_at(rows, i));
	return rows->nr > 0;
}

int check_baseline(const char *old, const struct trace *trace, bool several,
		   const struct shell_words *words, struct arena *arena,
		   struct check_report *report, struct ft_error *err)
{
	const char *path = trace_path(trace, 0);
	struct baseline b = { .old = old, .trace = trace, .arena = arena, .report = report,
			      .line = { .file = several ? path : NULL, .figure = NAN, .least = NAN,
					.most = NAN, .cpu = -1 } };
	const struct table_taker taker = { take, &b };
	struct shell_words all = { 0 };
	struct text command = { 0 };
	struct option_list list;
	int ret;

	for (unsigned int i = 0; i < words->nr; i++)
		shell_words_add(&all, words->words[i]);
	shell_words_add(&all, "--");
	shell_words_add(&all, old);
	shell_words_add(&all, path);
	text_add(&command, "ftop-trace diff ");
	shell_words_join(&all, &command);
	b.line.command = text_str(&command);
	ret = options_parse(&cmd_diff_def, (int)all.nr, all.words, &list, err);
	if (!ret) {
		ret = diff_files(&list, &taker, err);
		options_fini(&list);
	}
	if (!ret && !b.nr) {
		b.line.rule = arena_printf(arena, "no worse than in %s", old);
		b.line.why = "they have no row in common";
		b.line.verdict = CHECK_UNKNOWN;
		check_report_add(report, &b.line, trace);
	}
	text_fini(&command);
	shell_words_fini(&all);
	return ret;
}
