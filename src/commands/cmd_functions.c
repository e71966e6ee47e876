/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions - the calls of a function_graph trace by function: what each cost, and
 * how much of that by itself.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/commands/commands.h"
#include "src/calls/function_table.h"
#include "src/base/memory.h"
#include "src/trace/notes.h"
#include "src/base/output.h"
#include "src/commands/scope.h"
#include "src/base/text.h"
#include "src/trace/trace.h"
#include "src/base/workers.h"

enum { OPT_FORMAT, OPT_FOLDED, OPT_HEAD };

#define MAX_EXACT	(1ull << 53)	/* a number of JSON */

const struct command_def cmd_functions_def = {
	.name = "functions",
	.operands = "[FILE]",
	.summary = "calls of a function_graph trace by function: how many, how long, by themselves",
	.details = "A row a function, the largest total first. A call counts where its exit is in what was asked for, or its\n"
		   "entry, where it has no exit; calls are paired over the whole trace all the same.\n"
		   "  total    calls without one of the same function above them\n"
		   "  self     less the calls in them, and less time off the CPU\n"
		   "  net      total less interrupts and time off the CPU\n"
		   "  open     entries without exit: lost, or still running at the end\n"
		   "  orphan   exits without entry; their durations are exact, and in calls\n"
		   "Only where sched_switch was recorded, too, by the clock local, is time off the CPU known. Of the tracer\n"
		   "function there are calls alone, and stacks as far as ftop-trace graph infers them.",
	.max_operands = 1,
	.options = (const struct option_def[]){
		SCOPE_OPTIONS("functions"),
		{ "head", 0, "N", OPT_HEAD, "the first N rows" },
		{ "folded", 0, NULL, OPT_FOLDED, "self times by stack, for flamegraph.pl; calls, where there are no times" },
		{ "format", 0, "text|csv|json", OPT_FORMAT, "csv: a row a function, times in ns; json: an object a line" },
		OPTION_END,
	},
};

struct column {
	const char	*name;		/* csv, json */
	const char	*title;		/* text; NULL = not shown there */
	int		 width;
	bool		 is_time;
	bool		 of_calls;	/* unknown where there are none */
	uint64_t	(*value)(const struct function_row *row);
};

static uint64_t calls_of(const struct function_row *row) { return row->total->calls + row->total->entries; }
static uint64_t total_of(const struct function_row *row) { return row->total->total; }
static uint64_t self_of(const struct function_row *row) { return row->total->self; }
static uint64_t net_of(const struct function_row *row) { return row->total->net; }
static uint64_t min_of(const struct function_row *row) { return row->total->min; }
static uint64_t average_of(const struct function_row *row) { return row->average; }
static uint64_t p50_of(const struct function_row *row) { return row->p50; }
static uint64_t p95_of(const struct function_row *row) { return row->p95; }
static uint64_t p99_of(const struct function_row *row) { return row->p99; }
static uint64_t max_of(const struct function_row *row) { return row->total->max; }
static uint64_t leaves_of(const struct function_row *row) { return row->total->leaf_calls; }
static uint64_t unclosed_of(const struct function_row *row) { return row->total->unclosed; }
static uint64_t orphans_of(const struct function_row *row) { return row->total->orphans; }

static const struct column columns[] = {
	{ "calls", "calls", 11, false, false, calls_of },
	{ "total_ns", "total", 9, true, false, total_of },
	{ "self_ns", "self", 9, true, false, self_of },
	{ "net_ns", "net", 9, true, false, net_of },
	{ "min_ns", NULL, 0, true, true, min_of },
	{ "avg_ns", "avg", 9, true, true, average_of },
	{ "p50_ns", "p50", 9, true, true, p50_of },
	{ "p95_ns", NULL, 0, true, true, p95_of },
	{ "p99_ns", "p99", 9, true, true, p99_of },
	{ "max_ns", "max", 9, true, true, max_of },
	{ "leaf_calls", NULL, 0, false, false, leaves_of },
	{ "unclosed", "open", 6, false, false, unclosed_of },
	{ "orphans", "orphan", 7, false, false, orphans_of },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

static bool is_known(const struct column *column, const struct function_row *row)
{
	/* Of the tracer function there are counts alone. */
	if (row->total->entries && !row->total->calls)
		return column->value == calls_of;
	return !column->of_calls || row->total->calls;
}

static void add_csv(const struct function_row *row, struct text *out)
{
	text_csv(out, row->name, strlen(row->name));
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		text_char(out, ',');
		if (is_known(&columns[i], row))
			text_u64(out, columns[i].value(row));
	}
	text_char(out, '\n');
}

static void add_json(const struct function_row *row, struct text *out)
{
	text_add(out, "{\"function\":\"");
	text_json(out, row->name, strlen(row->name));
	text_char(out, '"');
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		uint64_t v = columns[i].value(row);

		text_printf(out, ",\"%s\":", columns[i].name);
		if (!is_known(&columns[i], row))
			text_add(out, "null");
		else
			text_printf(out, v > MAX_EXACT ? "\"%" PRIu64 "\"" : "%" PRIu64, v);
	}
	text_add(out, "}\n");
}

/* Cells, not bytes: µ has two. */
static void pad_left(struct text *out, const char *s, int width)
{
	int cells = 0;

	for (const char *p = s; *p; p++)
		cells += (*p & 0xc0) != 0x80;
	text_pad(out, cells < width ? (size_t)(width - cells) : 0);
	text_add(out, s);
}

static void add_text(const struct function_row *row, struct text *cell, struct text *out)
{
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		const struct column *column = &columns[i];

		if (!column->title)
			continue;
		text_clear(cell);
		if (!is_known(column, row))
			text_add(cell, "-");
		else if (column->is_time)
			text_duration(cell, column->value(row));
		else
			text_count(cell, column->value(row));
		pad_left(out, text_str(cell), column->width);
		text_char(out, ' ');
		if (column->value == max_of)
			text_char(out, text_duration_mark(row->total->max));
	}
	text_char(out, ' ');
	text_printable(out, row->name, strlen(row->name));
	text_char(out, '\n');
}

static void add_heading(int format, struct text *out)
{
	if (format == FORMAT_JSON)
		return;
	if (format == FORMAT_CSV) {
		text_add(out, "function");
		for (size_t i = 0; i < NR_COLUMNS; i++)
			text_printf(out, ",%s", columns[i].name);
		text_char(out, '\n');
		return;
	}
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (columns[i].title)
			text_printf(out, "%*s ", columns[i].width, columns[i].title);
	text_add(out, "  function\n");
}

static int print_table(const struct function_table *table, int format, uint64_t head, struct row_picker *picker,
		       struct ft_error *err)
{
	struct text cell = { 0 };
	struct output out;
	int ret = 0;

	output_init(&out, STDOUT_FILENO);
	if (!picker->count)
		add_heading(format, &out.block);
	for (unsigned int i = 0; i < table->nr && picker->picked < head && !ret && !out.closed; i++) {
		const struct function_row *row = &table->rows[i];
		size_t start = out.block.len;

		if (format == FORMAT_CSV)
			add_csv(row, &out.block);
		else if (format == FORMAT_JSON)
			add_json(row, &out.block);
		else
			add_text(row, &cell, &out.block);
		if (row_picker_row(picker, &out.block, start))
			ret = output_more(&out, err);
	}
	text_fini(&cell);
	return row_picker_end(picker, &out, ret, err);
}

/* Names as one word of a folded line: ';' parts them. */
static void add_frame(struct trace *trace, uint64_t address, struct text *name, struct text *out)
{
	text_clear(name);
	function_name(trace, 0, address, name);
	for (size_t i = 0; i < name->len; i++)
		if (name->data[i] == ';')
			name->data[i] = ':';
	text_printable(out, text_str(name), name->len);
}

/* "do_syscall_64;ksys_read;vfs_read 12345": self times by stack; calls, where there are no times. */
static int print_folded(struct trace *trace, const struct function_table *table, struct row_picker *picker, struct ft_error *err)
{
	uint32_t *way = NULL, nr, cap = 0;
	struct text name = { 0 };
	struct output out;
	int ret = 0;

	output_init(&out, STDOUT_FILENO);
	for (uint32_t i = 1; i < call_paths_nr(table->paths) && !ret && !out.closed; i++) {
		uint64_t value = table->inferred ? call_paths_at(table->paths, i)->calls : call_paths_at(table->paths, i)->self;
		size_t start = out.block.len;

		if (!value)
			continue;
		nr = 0;
		for (uint32_t n = i; n != CALL_PATH_ROOT; n = call_paths_at(table->paths, n)->parent) {
			mem_grow(&way, nr, &cap);
			way[nr++] = n;
		}
		while (nr) {
			add_frame(trace, call_paths_at(table->paths, way[--nr])->address, &name, &out.block);
			text_char(&out.block, nr ? ';' : ' ');
		}
		text_u64(&out.block, value);
		text_char(&out.block, '\n');
		if (row_picker_row(picker, &out.block, start))
			ret = output_more(&out, err);
	}
	text_fini(&name);
	free(way);
	return row_picker_end(picker, &out, ret, err);
}

/* What the figures do not tell by themselves. */
static void tell(struct trace *trace, const struct function_table *table, const struct graph_scope *scope)
{
	if (!table->nr && scope)
		scope_tell_empty(scope, trace);
	else if (!table->nr)
		fprintf(stderr, "ftop-trace: no function_graph records here: ftop-trace record -p function_graph records them\n");
	else if (table->inferred)
		fprintf(stderr, "ftop-trace: calls of the tracer function: who called whom is inferred from callers and stack traces, times were not recorded\n");
	else if (!table->has_away)
		fprintf(stderr, "ftop-trace: no sched_switch here by the clock of the calls: self and net hold the time off the CPU\n");
	if (table->left_out)
		fprintf(stderr, "ftop-trace: %" PRIu64 " records of the tracer function are not counted, beside those of function_graph\n", table->left_out);
	if (table->paths && !call_paths_are_whole(table->paths))
		fprintf(stderr, "ftop-trace: too many different stacks: the rarest are cut short\n");
	else if (!table->exact)
		fprintf(stderr, "ftop-trace: so many durations that percentiles are rounded to 3 digits or so\n");
	notes_show(trace, table->damaged, stderr);
}

struct parsed {
	struct scope_words	words;
	int			format;
	bool			folded;
	long long		head;
};

static int parse_options(const struct option_list *list, struct parsed *p, struct ft_error *err)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		int taken = scope_option(&p->words, &list->values[i], err);

		if (taken < 0)
			return -1;
		if (taken)
			continue;
		switch (list->values[i].id) {
		case OPT_FOLDED:
			p->folded = true;
			break;
		case OPT_HEAD:
			if (options_number("--head", list->values[i].value, 0, INT64_MAX, &p->head, err))
				return -1;
			break;
		case OPT_FORMAT:
			p->format = command_format(list->values[i].value, err);
			if (p->format < 0)
				return -1;
			break;
		}
	}
	return 0;
}

static int run(struct trace *trace, const struct parsed *p, struct row_picker *picker, struct ft_error *err)
{
	struct function_table *table;
	struct graph_scope scope;
	bool all;
	int ret;

	if (scope_init(&scope, &all, trace, &p->words, err))
		return -1;
	table = function_table_new(trace, 0, all ? NULL : &scope, p->folded, NULL);
	ret = scope_check(&scope, err);
	if (!ret)
		ret = p->folded ? print_folded(trace, table, picker, err) : print_table(table, p->format, (uint64_t)p->head, picker, err);
	if (!ret) {
		row_picker_tell(picker);
		tell(trace, table, all ? NULL : &scope);
	}
	function_table_free(table);
	scope_fini(&scope);
	return ret;
}

int cmd_functions(const struct option_list *list, struct ft_error *err)
{
	struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1 };
	struct parsed p = { .format = FORMAT_TEXT, .head = INT64_MAX };
	const char *path = command_file(list);
	struct row_picker picker = { 0 };
	struct trace *trace;
	int ret = -1;

	if (!parse_options(list, &p, err) && !row_picker_init(&picker, &p.words.given, err)) {
		options.no_index = !scope_needs_names(&p.words);
		trace = trace_open(&path, 1, true, &options, err);
		if (trace)
			ret = run(trace, &p, &picker, err);
		trace_close(trace);
	}
	row_picker_fini(&picker);
	scope_words_fini(&p.words);
	return ret;
}
