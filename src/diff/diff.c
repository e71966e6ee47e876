/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SURE		2.58		/* |z| from here on: less than 1 of 100 is chance */
#define FEW		8u		/* fewer instances tell nothing */
#define A_TENTH		0.1

struct bin {
	uint64_t	value, count;
};

struct bins {				/* rising values */
	struct bin	*list;		/* owned, [nr] */
	uint32_t	nr, cap;
	uint64_t	values;		/* in all of them */
};

static void free_row(struct diff_row *row)
{
	for (unsigned int side = 0; side < 2; side++) {
		duration_set_fini(&row->of[side].durations);
		duration_set_fini(&row->of[side].waits);
	}
}

void diff_fini(struct diff *diff)
{
	for (uint32_t i = 0; i < diff->nr; i++)
		free_row(&diff->rows[i]);
	free(diff->rows);
	index_map_fini(&diff->names);
	arena_fini(&diff->arena);
}

struct diff_side *diff_side(struct diff *diff, const char *name, unsigned int side)
{
	uint32_t hash = index_map_hash_bytes(name, strlen(name));

	diff->any[side] = true;
	index_map_each (&diff->names, hash, i)
		if (!strcmp(diff->rows[i].name, name)) {
			diff->rows[i].of[side].is_known = true;
			return &diff->rows[i].of[side];
		}
	index_map_add(&diff->names, hash, diff->nr);
	mem_grow(&diff->rows, diff->nr, &diff->cap);
	diff->rows[diff->nr] = (struct diff_row){
		.name = arena_strndup(&diff->arena, name, strlen(name))
	};
	diff->rows[diff->nr].of[side].is_known = true;
	return &diff->rows[diff->nr++].of[side];
}

/* --- chance --------------------------------------------------------------------------------- */

static void add_bin(void *arg, uint64_t value, uint64_t count)
{
	struct bins *bins = arg;

	mem_grow(&bins->list, bins->nr, &bins->cap);
	bins->list[bins->nr++] = (struct bin){ value, count };
	bins->values += count;
}

static struct bins bins_of(struct duration_set *set, const uint64_t *histogram)
{
	struct bins bins = { 0 };

	if (!histogram)
		duration_set_each(set, add_bin, &bins);
	for (unsigned int i = 0; histogram && i < DIFF_BINS; i++)
		if (histogram[i])
			add_bin(&bins, i, histogram[i]);
	return bins;
}

/*
 * The rank test of Mann and Whitney, by the normal approximation with its correction for ties.
 * Return: z, above 0 if B has the larger values; 0 if all values are equal.
 */
static double rank_test(const struct bins *a, const struct bins *b)
{
	double nr_a = (double)a->values, nr_b = (double)b->values, nr = nr_a + nr_b;
	double before = 0, ranks_b = 0, ties = 0, variance;
	uint32_t i = 0, k = 0;

	while (i < a->nr || k < b->nr) {
		bool of_a = i < a->nr && (k == b->nr || a->list[i].value <= b->list[k].value);
		bool of_b = k < b->nr && (i == a->nr || b->list[k].value <= a->list[i].value);
		double in_b = of_b ? (double)b->list[k].count : 0;
		double in_both = in_b + (of_a ? (double)a->list[i].count : 0);

		ranks_b += in_b * (before + (in_both + 1) / 2);
		ties += in_both * (in_both * in_both - 1);
		before += in_both;
		i += of_a;
		k += of_b;
	}
	variance = nr_a * nr_b / 12 * (nr + 1 - ties / (nr * (nr - 1)));
	if (variance <= 0)
		return 0;
	return (ranks_b - nr_b * (nr_b + 1) / 2 - nr_a * nr_b / 2) / sqrt(variance);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= A_TENTH * fmax(a, b);
}

/* A sum of one side as it is compared. */
static double rate_of(const struct diff *diff, unsigned int side, uint64_t sum)
{
	double time = (double)diff->cpu_time[side];

	return !diff->per_trace && time > 0 ? (double)sum * 1e9 / time : (double)sum;
}

/* Do the numbers of instances differ by no more than those of independent ones, or a tenth? */
static bool counts_are_near(const struct diff *diff, uint64_t nr_a, uint64_t nr_b)
{
	double a = (double)nr_a, b = (double)nr_b,
	       time_a = diff->per_trace ? 1 : (double)diff->cpu_time[0],
	       time_b = diff->per_trace ? 1 : (double)diff->cpu_time[1], all;

	if (is_near(rate_of(diff, 0, nr_a), rate_of(diff, 1, nr_b)))
		return true;
	if (time_a <= 0 || time_b <= 0)
		return false;
	all = time_a + time_b;
	return fabs(b - (a + b) * time_b / all) <
	       SURE * sqrt((a + b) * time_a / all * time_b / all);
}

static bool are_few(uint64_t nr_a, uint64_t nr_b)
{
	return (nr_a || nr_b) && nr_a < FEW && nr_b < FEW;
}

/* The waits of a task, by the rule of its runs. */
static bool waits_are_by_chance(const struct diff *diff, struct diff_row *row, double *z)
{
	struct diff_side *a = &row->of[0], *b = &row->of[1];
	struct bins bins[2] = { bins_of(&a->waits, a->wait_histogram),
				bins_of(&b->waits, b->wait_histogram) };
	uint64_t nr_a = bins[0].values, nr_b = bins[1].values;
	bool near;

	*z = nr_a < FEW || nr_b < FEW ? 0 : rank_test(&bins[0], &bins[1]);
	near = fabs(*z) < SURE;
	free(bins[0].list);
	free(bins[1].list);
	return are_few(nr_a, nr_b) || (near && counts_are_near(diff, nr_a, nr_b));
}

static bool has_durations(const struct diff_side *side)
{
	return side->count && !(side->lacks & DIFF_HAS_DURATIONS);
}

/* The time of all instances, or their number if there is none: by more than a tenth more. */
static bool is_more(const struct diff_row *row)
{
	bool of_time = row->rates[0].total > 0 && row->rates[1].total > 0;
	double a = of_time ? row->rates[0].total : row->rates[0].count,
	       b = of_time ? row->rates[1].total : row->rates[1].count;

	return b > a && !is_near(a, b);
}

static int find_figure(const struct diff_row *row, bool waits, bool totals);

static void set_verdict(struct diff *diff, struct diff_row *row)
{
	struct diff_side *a = &row->of[0], *b = &row->of[1];
	struct bins bins[2] = { bins_of(&a->durations, a->histogram),
				bins_of(&b->durations, b->histogram) };
	bool durations_are_near, waits_are_near;
	double wait_z;

	row->has_z = bins[0].values >= FEW && bins[1].values >= FEW;
	row->z = row->has_z ? rank_test(&bins[0], &bins[1]) : 0;
	/* too few durations prove nothing; without any, the totals are compared */
	durations_are_near = row->has_z ? fabs(row->z) < SURE :
					  bins[0].nr || bins[1].nr ||
						  is_near(row->rates[0].total, row->rates[1].total);
	row->both = has_durations(a) && has_durations(b);
	waits_are_near = waits_are_by_chance(diff, row, &wait_z);
	row->is_by_chance = (are_few(a->count, b->count) ||
			     (durations_are_near && counts_are_near(diff, a->count, b->count))) &&
			    waits_are_near;
	row->is_worse = !row->is_by_chance && (row->z >= SURE || wait_z >= SURE || is_more(row));
	row->found = row->is_by_chance ?
			     -1 :
			     find_figure(row, !waits_are_near, !row->has_z && !durations_are_near);
	free(bins[0].list);
	free(bins[1].list);
}

/* --- rows ----------------------------------------------------------------------------------- */

static int64_t rounded(double value)
{
	return value < 9e18 ? (int64_t)(value + 0.5) : INT64_MAX;
}

static void add_percentiles(struct diff_side *side)
{
	uint64_t nr = side->durations.nr,
		 ranks[3] = { duration_set_rank(nr, 50), duration_set_rank(nr, 99), nr },
		 values[3] = { 0 };

	if (!nr)
		return;
	duration_set_ranks(&side->durations, ranks, values, 3);
	side->p50 = values[0];
	side->p99 = values[1];
	if (side->max < values[2])
		side->max = values[2];
}

static bool has_durations_0(const void *row)
{
	return has_durations(&((const struct diff_row *)row)->of[0]);
}

static bool has_durations_1(const void *row)
{
	return has_durations(&((const struct diff_row *)row)->of[1]);
}

static bool lacks(const void *row, unsigned int side, unsigned int what)
{
	return ((const struct diff_row *)row)->of[side].lacks & what;
}

/* Has a figure of A (0) or B (1), or of both? */
#define HAS_VALUES(name, what) \
	static bool has_##name##_0(const void *row) \
	{ \
		return !lacks(row, 0, what); \
	} \
	static bool has_##name##_1(const void *row) \
	{ \
		return !lacks(row, 1, what); \
	} \
	static bool has_both_##name(const void *row) \
	{ \
		return !lacks(row, 0, what) && !lacks(row, 1, what); \
	}

HAS_VALUES(total, DIFF_HAS_TOTAL)
HAS_VALUES(self, DIFF_HAS_SELF)
HAS_VALUES(count, DIFF_HAS_COUNT)
HAS_VALUES(throttled, DIFF_HAS_THROTTLED)

static bool has_nets(const void *row)
{
	const struct diff *diff = ((const struct diff_row *)row)->diff;

	return diff->has_net[0] && diff->has_net[1] && has_both_self(row);
}

/* Without net, self contains time off the CPU. */
static bool selves_are_alike(const void *row)
{
	const struct diff *diff = ((const struct diff_row *)row)->diff;

	return diff->has_net[0] == diff->has_net[1] && has_both_self(row);
}

static bool is_equal(const struct diff_row *row)
{
	return row->rates[0].count == row->rates[1].count && !row->change.total &&
	       !row->change.self && !row->change.net && !row->change.throttled &&
	       !row->change.p50 && !row->change.p99 && !row->change.max;
}

/* A sum may have no count: the run queue's. */
static bool is_in(const struct diff_row *row, unsigned int side)
{
	return row->of[side].count || row->of[side].total;
}

/* Has this side as much as it seems to have?  A damaged trace may have had more. */
static bool knows(const struct diff_row *row, unsigned int side)
{
	const struct diff *diff = row->diff;
	bool is_less = row->rates[side].count < row->rates[!side].count ||
		       row->rates[side].total < row->rates[!side].total;

	return !lacks(row, side, DIFF_IS_RECORDED) &&
	       !(diff->is_damaged[side] && is_less && (diff->per_trace || !is_in(row, side)));
}

static bool is_known(const struct diff_row *row)
{
	return knows(row, 0) && knows(row, 1);
}

/* What changed the total most; then what did so by itself, then the counts; equal ones last. */
static int by_change(const void *p, const void *q)
{
	const struct diff_row *x = p, *y = q;
	double dx[] = { !is_equal(x), is_known(x),
			fabs((double)x->change.total), fabs((double)x->change.self),
			fabs(x->rates[1].count - x->rates[0].count) },
	       dy[] = { !is_equal(y), is_known(y),
			fabs((double)y->change.total), fabs((double)y->change.self),
			fabs(y->rates[1].count - y->rates[0].count) };

	for (unsigned int i = 0; i < sizeof(dx) / sizeof(dx[0]); i++)
		if (dx[i] != dy[i])
			return dx[i] > dy[i] ? -1 : 1;
	return strcmp(x->name, y->name);
}

void diff_judge(struct diff *diff, struct diff_row *row)
{
	struct diff_side *a = &row->of[0], *b = &row->of[1];

	row->diff = diff;
	for (unsigned int side = 0; side < 2; side++) {
		struct diff_side *of = &row->of[side];

		add_percentiles(of);
		row->rates[side].count = rate_of(diff, side, of->count);
		row->rates[side].total = rate_of(diff, side, of->total);
		row->rates[side].self = rate_of(diff, side, of->self);
		row->rates[side].throttled = rate_of(diff, side, of->throttled);
		row->rates[side].net = has_nets(row) ? rate_of(diff, side, of->net) : 0;
	}
	row->change.total = rounded(row->rates[1].total) - rounded(row->rates[0].total);
	if (selves_are_alike(row))
		row->change.self = rounded(row->rates[1].self) - rounded(row->rates[0].self);
	row->change.net = rounded(row->rates[1].net) - rounded(row->rates[0].net);
	if (has_both_throttled(row))
		row->change.throttled = rounded(row->rates[1].throttled) -
					rounded(row->rates[0].throttled);
	row->change.p50 = (int64_t)(b->p50 - a->p50);
	row->change.p99 = (int64_t)(b->p99 - a->p99);
	row->change.max = (int64_t)(b->max - a->max);
	set_verdict(diff, row);
	row->is_by_chance &= is_known(row);
}

void diff_end(struct diff *diff)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < diff->nr; i++) {
		struct diff_row *row = &diff->rows[i];

		if (!is_in(row, 0) && !is_in(row, 1) && !row->of[0].self && !row->of[1].self) {
			free_row(row);
			continue;
		}
		for (unsigned int side = 0; side < 2; side++)
			if (!row->of[side].is_known && !diff->is_whole[side])
				row->of[side].lacks = ~0u;
		diff_judge(diff, row);
		diff->rows[nr++] = *row;
	}
	diff->nr = nr;
	if (diff->nr)
		qsort(diff->rows, diff->nr, sizeof(*diff->rows), by_change);
	while (diff->nr_changed < diff->nr && !is_equal(&diff->rows[diff->nr_changed]))
		diff->nr_changed++;
}

/* --- columns -------------------------------------------------------------------------------- */

/* In millionths. */
static int64_t ratio(double a, double b)
{
	return a > 0 && b / a < 9e12 ? (int64_t)(b / a * 1e6 + 0.5) : INT64_MAX;
}

/* A sum of each side as it is compared, and B divided by A. */
#define SUM_VALUES(name, alike) \
	static int64_t a_##name(const void *row) \
	{ \
		return rounded(((const struct diff_row *)row)->rates[0].name); \
	} \
	static int64_t b_##name(const void *row) \
	{ \
		return rounded(((const struct diff_row *)row)->rates[1].name); \
	} \
	static int64_t name##_ratio(const void *p) \
	{ \
		const struct diff_row *row = p; \
		return ratio(row->rates[0].name, row->rates[1].name); \
	} \
	static bool has_##name##_ratio(const void *row) \
	{ \
		return alike(row) && ((const struct diff_row *)row)->rates[0].name > 0; \
	}
#define DURATION_VALUES(name) \
	static int64_t name##_ratio(const void *p) \
	{ \
		const struct diff_row *row = p; \
		return ratio((double)row->of[0].name, (double)row->of[1].name); \
	} \
	static bool has_##name##_ratio(const void *p) \
	{ \
		const struct diff_row *row = p; \
		return row->both && row->of[0].name; \
	}

SUM_VALUES(total, has_both_total)
SUM_VALUES(self, selves_are_alike)
SUM_VALUES(count, has_both_count)
SUM_VALUES(throttled, has_both_throttled)
/* It has no columns of A and B on the screen. */
static int64_t net_ratio(const void *p)
{
	const struct diff_row *row = p;

	return ratio(row->rates[0].net, row->rates[1].net);
}

static bool has_net_ratio(const void *row)
{
	return ((const struct diff_row *)row)->rates[0].net > 0;
}

DURATION_VALUES(p50)
DURATION_VALUES(p99)
DURATION_VALUES(max)

static void add_count(const struct diff_row *row, unsigned int side, struct text *out)
{
	text_printf(out, row->diff->per_trace ? "%.0f" : "%.3f", row->rates[side].count);
}

static void add_count_a(const void *row, struct text *out)
{
	add_count(row, 0, out);
}

static void add_count_b(const void *row, struct text *out)
{
	add_count(row, 1, out);
}

/* Changes of rates, in 1/1000: to sort by. */
static int64_t rate(const void *p)
{
	const struct diff_row *row = p;
	double change = (row->rates[1].count - row->rates[0].count) * 1000;

	return fabs(change) < 9e18 ? (int64_t)change : change < 0 ? INT64_MIN : INT64_MAX;
}

/* JSON has no +. */
static void add_rate(const void *p, struct text *out)
{
	const struct diff_row *row = p;

	text_printf(out, "%.3f", row->rates[1].count - row->rates[0].count);
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
	const struct diff_row *row = p;

	text_add(out, !is_known(row) ? "not known" : row->is_by_chance ? "noise" : "differs");
}

static bool is_cost(const void *row)
{
	return !lacks(row, 0, DIFF_IS_COST) && !lacks(row, 1, DIFF_IS_COST);
}

static bool always(const void *row)
{
	(void)row;
	return true;
}

/* What a row is judged by; the first that changed tells the verdict. */
enum judged_by { OF_WAITS, OF_DURATIONS, OF_TOTAL, OF_COUNTS };
static const struct {
	enum judged_by	of;
	const char	*what, *as;	/* "waits", "long" */
	int64_t		(*ratio)(const void *row);
	bool		(*known)(const void *row);
	bool		(*worse)(const void *row);	/* is more of it?  NULL: neither is */
} figures[] = {
	{ OF_WAITS, "waits ", "long", self_ratio, has_self_ratio, always },
	{ OF_DURATIONS, "", "long", p50_ratio, has_p50_ratio, is_cost },
	{ OF_DURATIONS, "p99 ", "long", p99_ratio, has_p99_ratio, is_cost },
	{ OF_TOTAL, "", "long", total_ratio, has_total_ratio, is_cost },
	{ OF_COUNTS, "", "many", count_ratio, has_count_ratio, NULL },
};

static int find_figure(const struct diff_row *row, bool waits, bool totals)
{
	const bool changed[] = {
		[OF_WAITS] = waits, [OF_TOTAL] = totals, [OF_COUNTS] = true,
		[OF_DURATIONS] = row->is_worse ? row->z >= SURE : row->z <= -SURE,
	};

	for (unsigned int i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		double times = figures[i].known(row) ? (double)figures[i].ratio(row) / 1e6 : 1;

		if (changed[figures[i].of] && (row->is_worse ? times >= 1.005 : times < 0.995))
			return (int)i;
	}
	return -1;
}

/* Is B worse or better than A, or neither?  In text: what is in one trace only, too. */
static const char *short_finding(const struct diff_row *row)
{
	if (!is_known(row))
		return "not known";
	if (row->is_by_chance)
		return "noise";
	if (is_in(row, 0) != is_in(row, 1))
		return is_in(row, 1) ? "new" : "gone";
	if (row->found < 0)
		return "differs";
	if (figures[row->found].worse && figures[row->found].worse(row))
		return row->is_worse ? "worse" : "better";
	return row->is_worse ? "more" : "less";
}

static void add_short_finding(const void *row, struct text *out)
{
	text_add(out, short_finding(row));
}

void diff_finding(const struct diff_row *row, struct text *out)
{
	const char *word = short_finding(row);
	double times;

	if (row->found < 0 || !is_known(row) || is_in(row, 0) != is_in(row, 1)) {
		text_add(out, word);
		return;
	}
	times = (double)figures[row->found].ratio(row) / 1e6;
	text_add(out, figures[row->found].what);
	text_printf(out, times < 0.01 ? "%.2f" : times < 100 ? "%.3g" : "%.0f", times);
	text_printf(out, " times as %s", figures[row->found].as);
	if (figures[row->found].worse && figures[row->found].worse(row))
		text_printf(out, " (%s)", word);
}

static void add_finding(const void *row, struct text *out)
{
	diff_finding(row, out);
}

#define SIDE(side, member)	TABLE_MEMBER(struct diff_row, of[side].member)
#define TIME(id, side, member, ...) \
	{ id, .kind = TABLE_DURATION, SIDE(side, member), __VA_ARGS__ }
#define DELTA(id, member, ...) \
	{ id, "change", .cells = 13, .kind = TABLE_DELTA, \
	  TABLE_MEMBER(struct diff_row, change.member), __VA_ARGS__ }
#define RATIO(word, member, needed) \
	{ word "_ratio", "B/A", .group = word, .side = TABLE_B_BY_A, .width = 7, .cells = 8, \
	  .kind = TABLE_RATIO, .number = member##_ratio, .known = has_##member##_ratio, \
	  .needs = needed, .help = "B divided by A" }
#define SHOWN(word, letter, of, room, ...) \
	{ .title = letter, .group = word, .side = of, .width = room, .cells = 10, __VA_ARGS__ }
/*
 * A sum, and what a percentile or the maximum is: of A, of B, the change, B/A.  @room: cells of
 * text for A and B; 0: it has B/A only.  @alike: can A and B be compared?
 */
#define SUM(word, member, room, needed, alike) \
	TIME("a_" word "_ns", 0, member, .needs = needed, .known = has_##member##_0), \
	TIME("b_" word "_ns", 1, member, .needs = needed, .known = has_##member##_1), \
	SHOWN(word, "A", TABLE_A, room, .kind = TABLE_DURATION, .number = a_##member, \
	      .needs = needed, .known = has_##member##_0), \
	SHOWN(word, "B", TABLE_B, room, .kind = TABLE_DURATION, .number = b_##member, \
	      .needs = needed, .known = has_##member##_1), \
	DELTA("delta_" word "_ns_per_s", member, .needs = (needed) | DIFF_PER_SECOND, \
	      .group = word, .known = alike), \
	RATIO(word, member, needed)
#define DURATION(id, letter, word, of_side, at, member, room, needed) \
	TIME(id "_" word "_ns", at, member, .needs = needed, .known = has_durations_##at, \
	     .title = letter, .group = word, .side = of_side, .width = room, .cells = 10)
#define OF_DURATIONS(word, member, room, needed) \
	DURATION("a", "A", word, TABLE_A, 0, member, room, needed), \
	DURATION("b", "B", word, TABLE_B, 1, member, room, needed), \
	DELTA("delta_" word "_ns", member, .needs = needed, .group = word, \
	      TABLE_IF(struct diff_row, both)), \
	RATIO(word, member, needed)
#define NET_OF(side) \
	TABLE_IF_OF(struct diff_row, diff, has_net[side]), .known = has_self_##side

static const struct table_column columns[] = {
	{ "name", "name", .cells = 20, .kind = TABLE_STRING, TABLE_MEMBER(struct diff_row, name) },
	{ .title = "verdict", .width = 31, .align = TABLE_LEFT, .text = add_finding },
	{ .title = "verdict", .cells = 9, .align = TABLE_LEFT, .text = add_short_finding,
	  .help = "noise: the difference may be chance, or is at most a tenth" },
	{ "verdict", .kind = TABLE_STRING, .text = add_verdict },
	{ "z", .kind = TABLE_RAW, .number = z_score, .text = add_z,
	  TABLE_IF(struct diff_row, has_z), .needs = DIFF_HAS_PERCENTILES },
	{ "a_cpu_ns", .kind = TABLE_TIME, TABLE_MEMBER_OF(struct diff_row, diff, cpu_time[0]) },
	{ "b_cpu_ns", .kind = TABLE_TIME, TABLE_MEMBER_OF(struct diff_row, diff, cpu_time[1]) },
	SUM("total", total, 11, DIFF_HAS_TOTAL, has_both_total),
	SUM("self", self, 0, DIFF_HAS_SELF, selves_are_alike),
	TIME("a_net_ns", 0, net, .needs = DIFF_HAS_SELF, NET_OF(0)),
	TIME("b_net_ns", 1, net, .needs = DIFF_HAS_SELF, NET_OF(1)),
	DELTA("delta_net_ns_per_s", net, .needs = DIFF_HAS_SELF | DIFF_PER_SECOND, .group = "net",
	      .known = has_nets),
	RATIO("net", net, DIFF_HAS_SELF),
	SUM("wait", self, 0, DIFF_HAS_WAIT, has_both_self),
	TIME("a_throttled_ns", 0, throttled, .needs = DIFF_HAS_THROTTLED,
	     .known = has_throttled_0),
	TIME("b_throttled_ns", 1, throttled, .needs = DIFF_HAS_THROTTLED,
	     .known = has_throttled_1),
	{ "delta_throttled_ns_per_s", .kind = TABLE_DELTA, .known = has_both_throttled,
	  TABLE_MEMBER(struct diff_row, change.throttled),
	  .needs = DIFF_HAS_THROTTLED | DIFF_PER_SECOND },
	{ "throttled_ratio", .kind = TABLE_RATIO, .number = throttled_ratio,
	  .known = has_throttled_ratio, .needs = DIFF_HAS_THROTTLED },
	SHOWN("throttled", "A", TABLE_A, 11, .kind = TABLE_DURATION, .number = a_throttled,
	      .needs = DIFF_KNOWS_THROTTLED, .known = has_throttled_0),
	SHOWN("throttled", "B", TABLE_B, 11, .kind = TABLE_DURATION, .number = b_throttled,
	      .needs = DIFF_KNOWS_THROTTLED, .known = has_throttled_1),
	{ .title = "B/A", .group = "throttled", .side = TABLE_B_BY_A, .width = 7,
	  .kind = TABLE_RATIO, .number = throttled_ratio, .known = has_throttled_ratio,
	  .needs = DIFF_KNOWS_THROTTLED },
	{ "a_count", .kind = TABLE_COUNT, SIDE(0, count), .known = has_count_0 },
	{ "b_count", .kind = TABLE_COUNT, SIDE(1, count), .known = has_count_1 },
	SHOWN("count", "A", TABLE_A, 10, .kind = TABLE_NUMBER, .number = a_count,
	      .text = add_count_a, .known = has_count_0),
	SHOWN("count", "B", TABLE_B, 10, .kind = TABLE_NUMBER, .number = b_count,
	      .text = add_count_b, .known = has_count_1),
	{ "delta_count_per_s", "change", .cells = 12, .kind = TABLE_RAW, .number = rate,
	  .text = add_rate, .group = "count", .known = has_both_count, .needs = DIFF_PER_SECOND },
	RATIO("count", count, 0),
	OF_DURATIONS("p50", p50, 0, DIFF_HAS_PERCENTILES),
	OF_DURATIONS("p99", p99, 11, DIFF_HAS_PERCENTILES),
	OF_DURATIONS("max", max, 0, DIFF_HAS_MAX),
	{ .title = "name", .width = 1, .align = TABLE_LEFT, TABLE_MEMBER(struct diff_row, name) },
};

struct table_columns diff_columns(unsigned int has, const char *const names[2])
{
	return (struct table_columns){ TABLE_COLUMNS(columns), .gap = 1, .lacks = ~has,
				       .sides = { [TABLE_A] = names[0], [TABLE_B] = names[1] },
				       .grouped = true, .clocked = true, .exact = true };
}

void diff_names(const char *const paths[2], struct text names[2])
{
	for (unsigned int i = 0; i < 2; i++) {
		const char *slash = strrchr(paths[i], '/'), *name = slash ? slash + 1 : paths[i];

		text_printable(&names[i], name, strlen(name));
	}
	for (unsigned int i = 0; i < 2; i++)
		if (!strcmp(text_str(&names[0]), text_str(&names[1])) ||
		    text_cells(text_str(&names[i]), names[i].len) > DIFF_NAME_CELLS) {
			text_clear(&names[0]);
			text_clear(&names[1]);
			text_char(&names[0], 'A');
			text_char(&names[1], 'B');
		}
}
