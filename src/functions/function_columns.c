/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/functions/function_columns.h"

#include <string.h>

#define TOTAL(member) TABLE_MEMBER_OF(struct function_row, total, member)
#define IF_CALLS TABLE_IF_OF(struct function_row, total, calls)

int64_t function_calls(const void *function_row)
{
	const struct function_row *row = function_row;

	return (int64_t)(row->total->calls + row->total->entries);
}

static void add_mark(const void *function_row, struct text *out)
{
	text_char(out, text_duration_mark(((const struct function_row *)function_row)->total->max));
}

static void add_histogram(const void *function_row, struct text *out)
{
	text_bars(out, ((const struct function_row *)function_row)->histogram, FUNCTION_BINS);
}

/* The tracer `function` gives numbers of calls, and nothing else. */
static bool is_timed(const void *function_row)
{
	const struct function_row *row = function_row;

	return row->total->calls || !row->total->entries;
}

bool function_has_self(const void *function_row)
{
	return call_total_has_self(((const struct function_row *)function_row)->total);
}

#define LEAST	.bound = TABLE_AT_LEAST
#define TIMED	.kind = TABLE_DURATION, .known = is_timed
#define OF_CALLS .kind = TABLE_DURATION, IF_CALLS
#define COUNTED	.kind = TABLE_COUNT, .known = is_timed

static const struct table_column columns[] = {
	{ "function", "function", .cells = 23, TABLE_MEMBER(struct function_row, name),
	  .help = "name of the function" },
	{ "calls", "calls", .width = 11, .cells = 9, .kind = TABLE_COUNT, .number = function_calls,
	  LEAST, .help = "calls that ended here" },
	{ "total_ns", "total", .width = 9, .cells = 9, TIMED, TOTAL(total), LEAST,
	  .help = "time in its calls; in recursions, of the outermost one" },
	{ "self_ns", "self", .width = 9, .cells = 9, .kind = TABLE_DURATION, TOTAL(self), LEAST,
	  .known = function_has_self, .needs = FUNCTION_NEEDS_AWAY, .lacking = GRAPH_SELF_AND_AWAY,
	  .help = "total without the functions it called and time off the CPU" },
	{ "net_ns", "net", .width = 9, .cells = 9, TIMED, TOTAL(net), LEAST,
	  TABLE_IF_OF(struct function_row, total, has_net),
	  .help = "total without recorded interrupts and time off the CPU" },
	{ "min_ns", OF_CALLS, TOTAL(min), .bound = TABLE_AT_MOST },
	{ "avg_ns", "avg", .width = 9, .cells = 9, OF_CALLS,
	  TABLE_MEMBER(struct function_row, average), .goes_first = true, .group = "dur",
	  .help = "mean time of a call" },
	{ "p50_ns", "p50", .width = 9, .cells = 9, OF_CALLS, TABLE_MEMBER(struct function_row, p50),
	  .group = "dur", .help = "half of the calls were no longer than this" },
	{ "p95_ns", "p95", .cells = 9, OF_CALLS, TABLE_MEMBER(struct function_row, p95),
	  .goes_first = true, .group = "dur", .help = "95 % of calls were no longer than this" },
	{ "p99_ns", "p99", .width = 9, .cells = 9, OF_CALLS, TABLE_MEMBER(struct function_row, p99),
	  .group = "dur", .help = "99 % of calls were no longer than this" },
	{ "max_ns", "max", .width = 9, .cells = 10, OF_CALLS, TOTAL(max), LEAST,
	  .own = FUNCTION_MARKED, .marked = true, .group = "dur",
	  .help = "longest call; the mark says above 10 µs +, 100 µs !, 1 ms #…" },
	{ .title = "", .width = 1, .text = add_mark },
	{ "stddev_ns", "stddev", .place = 1, .cells = 9, OF_CALLS,
	  TABLE_MEMBER(struct function_row, deviation), .goes_first = true,
	  .help = "standard deviation of the times of its calls" },
	{ .title = "1 µs – 1 s",
	  .cells = 13,
	  .text = add_histogram,
	  IF_CALLS,
	  .help = "how many calls were how long" },
	{ "leaf_calls", "leaves", .cells = 9, COUNTED, TOTAL(leaf_calls), LEAST, .goes_first = true,
	  .help = "calls that called no traced function: their times are exact" },
	{ "unclosed", "open", .width = 6, .gap = -1, .cells = 7, COUNTED, TOTAL(unclosed),
	  .apart = true, .help = "entries without exit: lost, or still running at the end" },
	{ "orphans", "orphan", .width = 7, .cells = 9, COUNTED, TOTAL(orphans),
	  .help = "exits without entry: the entry is lost" },
	{ "doubtful", "doubtful", .width = 8, .cells = 11, COUNTED, TOTAL(doubtful),
	  .help = "calls with missing records: they have no self and no net" },
	{ .title = "function",
	  .width = 1,
	  .align = TABLE_LEFT,
	  .gap = 1,
	  TABLE_MEMBER(struct function_row, name) },
};

const struct table_columns function_columns = { TABLE_COLUMNS(columns), .gap = 1,
						.in_ns = true, .exact = true };

struct table_columns function_group_columns(enum grouping by)
{
	static struct table_column list[sizeof(columns) / sizeof(columns[0]) + 1];
	struct table_columns grouped = function_columns;

	memcpy(list + 1, columns, sizeof(columns));
	list[0] = (struct table_column){ groupings[by].option, groupings[by].option, .width = 24,
					 .align = TABLE_LEFT,
					 TABLE_MEMBER(struct function_row, group) };
	grouped.list = list;
	grouped.nr++;
	return grouped;
}
