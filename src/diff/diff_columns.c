/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff_columns - the columns of a diff. */
#include <math.h>

#include "src/diff/diff.h"

enum { NEEDS_TOTAL = 1, NEEDS_SELF = 2, NEEDS_WAIT = 4, NEEDS_DURATIONS = 8 };

static void add_percent(const void *p, struct text *out)
{
	const struct diff_row *row = p;
	bool timed = row->of[0].total || row->of[1].total;
	double a = timed ? (double)row->of[0].total : (double)row->of[0].count,
	       b = timed ? (double)row->of[1].total : (double)row->of[1].count,
	       seconds_a = (double)row->diff->cpu_time[0],
	       seconds_b = (double)row->diff->cpu_time[1],
	       percent = a > 0 && seconds_b > 0 ? 100 * (b / seconds_b * seconds_a / a - 1) : 0;

	if (a <= 0)
		text_add(out, "new");
	else if (b <= 0)
		text_add(out, "gone");
	else
		text_printf(out, fabs(percent) < 10 ? "%+.2f" : "%+.0f", percent);
}

/* Changes of rates, in 1/1000: to sort by. */
static int64_t rate(const void *p)
{
	const struct diff_row *row = p;
	double change = (row->rates[1] - row->rates[0]) * 1000;

	return fabs(change) < 9e18 ? (int64_t)change : change < 0 ? INT64_MIN : INT64_MAX;
}

static void add_rate(const void *p, struct text *out)
{
	const struct diff_row *row = p;

	text_printf(out, "%+.3f", row->rates[1] - row->rates[0]);
}

/* JSON has no +. */
static void add_number(const void *p, struct text *out)
{
	const struct diff_row *row = p;

	text_printf(out, "%.3f", row->rates[1] - row->rates[0]);
}

static int64_t z_score(const void *p)
{
	const struct diff_row *row = p;

	return (int64_t)(row->z * 1000);
}

static void add_z(const void *p, struct text *out)
{
	text_printf(out, "%.3f", ((const struct diff_row *)p)->z);
}

static void add_verdict(const void *p, struct text *out)
{
	text_add(out, ((const struct diff_row *)p)->verdict == DIFF_NOISE ? "noise" : "differs");
}

static void add_noise(const void *p, struct text *out)
{
	text_add(out, ((const struct diff_row *)p)->verdict == DIFF_NOISE ? "noise" : "");
}

#define A(member)	TABLE_MEMBER(struct diff_row, of[0].member)
#define B(member)	TABLE_MEMBER(struct diff_row, of[1].member)
#define TIMES(bits)	.kind = TABLE_DURATION, .needs = NEEDS_##bits
#define DELTA(member, bits) \
	.kind = TABLE_DELTA, TABLE_MEMBER(struct diff_row, change.member), .needs = NEEDS_##bits
#define IF_BOTH	TABLE_IF(struct diff_row, both)
#define IF_ANY(side)	.has = TABLE_AT(struct diff_row, of[side].count)

static const struct table_column columns[] = {
	{ "name", .kind = TABLE_STRING, TABLE_MEMBER(struct diff_row, name) },
	{ "verdict", .kind = TABLE_STRING, .text = add_verdict },
	{ "z", .kind = TABLE_RAW, .number = z_score, .text = add_z,
	  TABLE_IF(struct diff_row, has_z), .needs = NEEDS_DURATIONS },
	{ "a_cpu_ns", .kind = TABLE_TIME, TABLE_MEMBER_OF(struct diff_row, diff, cpu_time[0]) },
	{ "b_cpu_ns", .kind = TABLE_TIME, TABLE_MEMBER_OF(struct diff_row, diff, cpu_time[1]) },
	{ "a_total_ns", TIMES(TOTAL), A(total) },
	{ "b_total_ns", TIMES(TOTAL), B(total) },
	{ "delta_total_ns_per_s", "total", .width = 15, DELTA(total, TOTAL) },
	{ .title = "%", .width = 7, .text = add_percent },
	{ "a_self_ns", TIMES(SELF), A(self) },
	{ "b_self_ns", TIMES(SELF), B(self) },
	{ "delta_self_ns_per_s", "self", .width = 14, DELTA(self, SELF) },
	{ "a_net_ns", TIMES(SELF), A(net) },
	{ "b_net_ns", TIMES(SELF), B(net) },
	{ "delta_net_ns_per_s", "net", .width = 14, DELTA(net, SELF) },
	{ "a_wait_ns", TIMES(WAIT), A(self) },
	{ "b_wait_ns", TIMES(WAIT), B(self) },
	{ "delta_wait_ns_per_s", "wait", .width = 14, DELTA(self, WAIT) },
	{ "a_count", .kind = TABLE_COUNT, A(count) },
	{ "b_count", .kind = TABLE_COUNT, B(count) },
	{ "delta_count_per_s", .kind = TABLE_RAW, .number = rate, .text = add_number },
	{ .title = "count", .width = 13, .text = add_rate },
	{ "a_p50_ns", TIMES(DURATIONS), A(p50), IF_ANY(0) },
	{ "b_p50_ns", TIMES(DURATIONS), B(p50), IF_ANY(1) },
	{ "delta_p50_ns", "p50", .width = 10, DELTA(p50, DURATIONS), IF_BOTH },
	{ "a_p99_ns", TIMES(DURATIONS), A(p99), IF_ANY(0) },
	{ "b_p99_ns", TIMES(DURATIONS), B(p99), IF_ANY(1) },
	{ "delta_p99_ns", "p99", .width = 11, DELTA(p99, DURATIONS), IF_BOTH },
	{ "a_max_ns", TIMES(DURATIONS), A(max), IF_ANY(0) },
	{ "b_max_ns", TIMES(DURATIONS), B(max), IF_ANY(1) },
	{ "delta_max_ns", "max", .width = 12, DELTA(max, DURATIONS), IF_BOTH },
	{ .title = "", .width = 5, .align = TABLE_LEFT, .text = add_noise },
	{ .title = "name", .width = 1, .align = TABLE_LEFT, TABLE_MEMBER(struct diff_row, name) },
};

struct table_columns diff_columns(enum diff_by by)
{
	static const unsigned int lacks[] = {
		[DIFF_FUNCTIONS] = NEEDS_WAIT,
		[DIFF_TASKS] = NEEDS_SELF,
		[DIFF_LATENCY] = NEEDS_SELF | NEEDS_WAIT,
		[DIFF_STACKS] = NEEDS_SELF | NEEDS_WAIT | NEEDS_DURATIONS,
		[DIFF_EVENTS] = NEEDS_TOTAL | NEEDS_SELF | NEEDS_WAIT | NEEDS_DURATIONS,
		[DIFF_SCHEDULER] = NEEDS_SELF | NEEDS_WAIT,
	};

	return (struct table_columns){ TABLE_COLUMNS(columns), .gap = 1, .lacks = lacks[by],
				       .clocked = true, .exact = true };
}
