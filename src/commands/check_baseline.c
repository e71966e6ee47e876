/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/check_baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/base/index_map.h"
#include "src/commands/command_tables.h"
#include "src/commands/table_rows.h"
#include "src/diff/diff.h"
#include "src/trace/warnings.h"

struct baseline_row {			/* a row, beside those of all runs of the baseline */
	const char	*name, *why, *command;	/* why: as diff prints it, of the last worse one */
	unsigned int	nr, worse;	/* runs that have it, as the trace has; than which it is */
	bool		is_old;		/* a run of the baseline has it */
	double		least, most;	/* of these runs: the time per second, or the count */
};

struct baseline {
	const char	*command;
	struct arena	*arena;
	struct index_map names;		/* of rows */
	struct baseline_row	*rows;		/* owned, [nr] */
	uint32_t	nr, cap;
};

static struct baseline_row *row_of(struct baseline *b, const char *name)
{
	uint32_t hash = index_map_hash_bytes(name, strlen(name));

	index_map_each (&b->names, hash, i)
		if (!strcmp(b->rows[i].name, name))
			return &b->rows[i];
	index_map_add(&b->names, hash, b->nr);
	mem_grow(&b->rows, b->nr, &b->cap);
	b->rows[b->nr] = (struct baseline_row){ .name = arena_strndup(b->arena, name, strlen(name)),
					    .least = INFINITY };
	return &b->rows[b->nr++];
}

static void add_row(struct baseline *b, const struct table_rows *rows, const struct diff_row *row)
{
	struct baseline_row *c = row_of(b, row->name);
	double rate = row->rates[0].total > 0 ? row->rates[0].total : row->rates[0].count;
	struct text why = { 0 };
	struct table_out table;

	c->is_old |= row->of[0].count != 0;
	if (!row->of[0].count || !row->of[1].count)
		return;
	c->nr++;
	c->worse += row->is_worse;
	c->least = fmin(c->least, rate);
	c->most = fmax(c->most, rate);
	if (c->why && !row->is_worse)
		return;
	table_out_init(&table, rows->columns, FORMAT_TEXT, rows->clock);
	table_out_heading(&table, &why);
	table_out_row(&table, row, &why);
	table_out_fini(&table);
	c->why = arena_strndup(b->arena, text_str(&why), why.len);
	c->command = b->command;
	text_fini(&why);
}

static int take(void *arg, const struct table_rows *rows, struct ft_error *err)
{
	(void)err;
	for (uint64_t i = 0; i < rows->nr; i++)
		add_row(arg, rows, table_rows_at(rows, i));
	return rows->nr > 0;
}

static int compare_with(struct baseline *b, const char *old, const char *path,
			const struct shell_words *words, struct ft_error *err)
{
	const struct table_taker taker = { take, b };
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
	b->command = arena_strndup(b->arena, text_str(&command), command.len);
	ret = options_parse(&cmd_diff_def, (int)all.nr, all.words, &list, err);
	if (!ret) {
		ret = diff_files(&list, &taker, err);
		warnings_begin(NULL);		/* not with a name that is freed now */
		options_fini(&list);
	}
	text_fini(&command);
	shell_words_fini(&all);
	return ret;
}

/* --- what was found --------------------------------------------------------------------------- */

static void report_row(const struct baseline *b, const struct baseline_row *c, const char *than,
		       struct check_line line, const struct trace *trace,
		       struct check_report *report)
{
	bool is_worse = c->nr && c->worse == c->nr;
	/* fewer events were found than there were */
	bool is_part = trace_status(trace).damaged_pages ||
		       source_is_damaged(trace_file_of(trace, 0));

	line.rule = arena_printf(b->arena, "%s: no worse than in %s", c->name, than);
	line.row = c->name;
	line.verdict = is_worse ? CHECK_BROKEN : CHECK_HOLDS;
	line.why = c->why;
	line.command = c->command ?: b->command;
	if (line.verdict == CHECK_HOLDS && is_part) {
		line.verdict = CHECK_UNKNOWN;
		line.why = "parts of the trace are damaged or missing";
	}
	if (is_worse && c->nr > 1)
		line.why = arena_printf(
			b->arena, "the %u runs of the baseline that have it differ by %.0f %%\n%s",
			c->nr, 100 * (c->most - c->least) / c->least, c->why);
	if (!c->nr)
		line.skipped = c->is_old ? "only the baseline has it" :
					   "the baseline does not have it";
	check_report_add(report, &line, trace);
}

/* Of N + 1 runs of the same, each is as likely to be the worst. */
static void tell_chance(const char *path, unsigned int worse, unsigned int nr, unsigned int nr_old)
{
	if (!worse)
		return;
	warnings_begin(path);
	warnings_tell(
		"%u of %u rows %s worse than in %s; by chance alone, it may be up to 1 in %u: give more runs as --baseline for fewer",
		worse, nr, worse == 1 ? "is" : "are",
		nr_old == 1 ? "the one run of the baseline" : "all runs of the baseline",
		nr_old + 1);
}

int check_baseline(const char *const *old, unsigned int nr_old, const struct trace *trace,
		   bool several, const struct shell_words *words, struct arena *arena,
		   struct check_report *report, struct ft_error *err)
{
	const char *path = trace_path(trace, 0),
		   *than = nr_old == 1 ? old[0] : arena_printf(arena, "all of %u runs", nr_old);
	struct baseline b = { .arena = arena };
	struct check_line line = { .file = several ? path : NULL, .figure = NAN, .least = NAN,
				   .most = NAN, .cpu = -1 };
	unsigned int nr = 0, worse = 0;
	int ret = 0;

	for (unsigned int i = 0; i < nr_old && !ret; i++)
		ret = compare_with(&b, old[i], path, words, err);
	for (uint32_t i = 0; i < b.nr && !ret; i++) {
		report_row(&b, &b.rows[i], than, line, trace, report);
		nr += b.rows[i].nr > 0;
		worse += b.rows[i].nr && b.rows[i].worse == b.rows[i].nr;
	}
	if (!ret)
		tell_chance(path, worse, nr, nr_old);
	if (!ret && !nr) {
		line.rule = arena_printf(arena, "no worse than in %s", than);
		line.why = "they have no row in common";
		line.command = b.command;
		line.verdict = CHECK_UNKNOWN;
		check_report_add(report, &line, trace);
	}
	index_map_fini(&b.names);
	free(b.rows);
	return ret;
}
