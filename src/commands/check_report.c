/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/check_report.h"

#include <math.h>
#include <unistd.h>

#include "src/base/output.h"

/* --- as a table ------------------------------------------------------------------------------- */

static void add_verdict(const void *row, struct text *out)
{
	static const char *const words[] = { [CHECK_HOLDS] = "holds", [CHECK_BROKEN] = "broken",
					     [CHECK_UNKNOWN] = "not known" };
	const struct check_line *line = row;

	text_add(out, line->skipped ? "skipped" : words[line->verdict]);
}

static bool has_cpu(const void *row)
{
	return ((const struct check_line *)row)->cpu >= 0;
}

#define FIGURE(name) \
	static bool has_##name(const void *row) \
	{ \
		return isfinite(((const struct check_line *)row)->name); \
	} \
	static void add_##name(const void *row, struct text *out) \
	{ \
		text_printf(out, "%.17g", ((const struct check_line *)row)->name); \
	}
FIGURE(figure)
FIGURE(least)
FIGURE(most)

#define LINE(member)	TABLE_MEMBER(struct check_line, member)
#define NUMBER(name)	.kind = TABLE_RAW, .known = has_##name, .text = add_##name

static const struct table_column columns[] = {
	{ "rule", LINE(rule) },
	{ "verdict", .text = add_verdict },
	{ "row", LINE(row) },
	{ "value", NUMBER(figure) },
	{ "least", NUMBER(least) },
	{ "most", NUMBER(most) },
	{ "word", LINE(word) },
	{ "at_ns", LINE(at), .kind = TABLE_MOMENT, TABLE_IF(struct check_line, has_at) },
	{ "cpu", LINE(cpu), .kind = TABLE_NUMBER, .known = has_cpu },
	{ "task", LINE(task) },
	{ "why", LINE(why) },
	{ "command", LINE(command) },
};

const struct table_columns check_columns = { TABLE_COLUMNS(columns), .exact = true };

/* --- as KTAP ---------------------------------------------------------------------------------- */

/* A # begins a directive. */
static void add_description(struct text *out, const char *s)
{
	struct text shown = { 0 };

	text_printable(&shown, s, strlen(s));
	for (size_t i = 0; i < shown.len; i++)
		text_printf(out, "%s%c", shown.data[i] == '#' ? "\\" : "", shown.data[i]);
	text_fini(&shown);
}

/* @before: the first line. */
static void add_lines(struct text *out, const char *before, const char *lines)
{
	for (size_t len; lines && *lines; lines += len + (lines[len] == '\n'), before = "") {
		len = strcspn(lines, "\n");
		text_printf(out, "# %s", before);
		text_printable(out, lines, len);
		text_char(out, '\n');
	}
}

static void add_place(struct text *out, const struct check_line *line, const struct trace *trace)
{
	if (!line->has_at && line->cpu < 0 && !line->task)
		return;
	text_add(out, "# worst:");
	if (line->has_at) {
		text_char(out, ' ');
		trace_time_text(trace, line->at, 9, out);
	}
	if (line->cpu >= 0)
		text_printf(out, " CPU %d", line->cpu);
	if (line->task) {
		text_char(out, ' ');
		text_printable(out, line->task, strlen(line->task));
	}
	text_char(out, '\n');
}

static void add_test(struct check_report *r, const struct check_line *line,
		     const struct trace *trace)
{
	bool holds = line->verdict == CHECK_HOLDS;

	if (!holds) {
		add_lines(&r->out, line->verdict == CHECK_UNKNOWN ? "not known: " : "", line->why);
		add_place(&r->out, line, trace);
		add_lines(&r->out, "see: ", line->command);
	}
	text_printf(&r->out, "%s %u - ", holds ? "ok" : "not ok", r->nr);
	if (line->file) {
		add_description(&r->out, line->file);
		text_add(&r->out, ": ");
	}
	add_description(&r->out, line->rule);
	if (line->skipped)
		text_printf(&r->out, " # SKIP %s", line->skipped);
	text_char(&r->out, '\n');
}

void check_report_add(struct check_report *r, const struct check_line *line,
		      const struct trace *trace)
{
	struct table_out table;

	r->nr++;
	r->is_broken |= line->verdict != CHECK_HOLDS;
	if (r->format == FORMAT_TEXT) {
		add_test(r, line, trace);
		return;
	}
	table_out_init(&table, &check_columns, r->format, false);
	table.file = line->file;
	if (r->nr == 1)
		table_out_heading(&table, &r->out);
	table_out_row(&table, line, &r->out);
	table_out_fini(&table);
}

int check_report_end(struct check_report *r, struct ft_error *err)
{
	struct text all = { 0 };
	int ret;

	if (r->format == FORMAT_TEXT)
		text_printf(&all, "KTAP version 1\n1..%u\n", r->nr);
	text_bytes(&all, text_str(&r->out), r->out.len);
	text_fini(&r->out);
	ret = output_whole(STDOUT_FILENO, &all, err);
	return ret ? ret : r->is_broken;
}
