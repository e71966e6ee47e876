/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_columns.h"

#include <inttypes.h>

#define LATENCY_GLYPHS	12u		/* cells of a small histogram */

/* --- kinds ------------------------------------------------------------------------------------ */

/* From less than 1 µs to 1 s and more: a glyph for a factor of 4. */
static void add_histogram(const void *row, struct text *out)
{
	const uint64_t *bins = ((const struct latency_kind_row *)row)->sums.histogram;
	uint64_t sums[LATENCY_GLYPHS] = { 0 };

	for (unsigned int i = 0; i < LATENCY_BINS; i++) {
		unsigned int glyph = i < 11 ? 0 : (i - 11) / 2 + 1;

		glyph = glyph < LATENCY_GLYPHS ? glyph : LATENCY_GLYPHS - 1;
		sums[glyph] += bins[i];
	}
	text_bars(out, sums, LATENCY_GLYPHS);
}

#define IF_ANY	TABLE_IF(struct latency_kind_row, sums.n)
#define OF(member)	TABLE_MEMBER(struct latency_kind_row, sums.member)
#define LATE	TABLE_LEAST(struct latency_kind_row, sums.late)
#define SUM(member)	.kind = TABLE_DURATION, IF_ANY, OF(member), LATE
#define COUNT(member)	.kind = TABLE_COUNT, .no_zero = true, OF(member)

#define LEAST	.bound = TABLE_AT_LEAST
#define GUESSED	TABLE_DOUBT(struct latency_kind_row, sums.shared)
#define UNSETTLED	TABLE_DOUBT(struct latency_kind_row, sums.unsettled)

#define SUM_COLUMNS \
	{ "n", "n", COUNT(n), LEAST, TABLE_LEAST(struct latency_kind_row, sums.missed), \
	  .width = 9, .cells = 8, \
	  .help = "instances with both ends; >: the kernel's probe missed others" }, \
	{ "open", "open", COUNT(open), .apart = true, .width = 5, .cells = 6, \
	  .help = "starts without an end in the trace: hangs are among them" }, \
	{ "doubtful", "doubtful", COUNT(doubtful), .apart = true, .width = 8, .cells = 9, \
	  .goes_first = true, \
	  .help = "records are missing: maybe shorter; only in figures of calls" }, \
	{ "min_ns", "min", SUM(min), GUESSED, .bound = TABLE_AT_MOST, .width = 9, .cells = 9, \
	  .goes_first = true, \
	  .help = "the shortest one" }, \
	{ "avg_ns", "avg", SUM(average), UNSETTLED, .width = 9, .cells = 9, .help = "mean" }, \
	{ "p50_ns", "p50", SUM(p50), GUESSED, .width = 9, .cells = 9, \
	  .help = "half of them were no longer than this" }, \
	{ "p95_ns", "p95", SUM(p95), GUESSED, .width = 9, .cells = 9, .goes_first = true, \
	  .help = "95 % of them were no longer than this" }, \
	{ "p99_ns", "p99", SUM(p99), GUESSED, .width = 9, .cells = 9, \
	  .help = "99 % of them were no longer than this" }, \
	{ "p999_ns", "p99.9", SUM(p999), GUESSED, .width = 9, .cells = 9, .goes_first = true, \
	  .help = "99.9 % of them were no longer than this" }, \
	{ "max_ns", "max", SUM(max), GUESSED, LEAST, .width = 10, .cells = 10, .own = LATENCY_MAX, \
	  .marked = true, \
	  .help = "the longest one; the mark says above 10 µs +, 100 µs !, 1 ms #…" }, \
	{ "total_ns", "total", SUM(total), UNSETTLED, LEAST, .width = 12, .cells = 9, \
	  .goes_first = true, .help = "sum" }, \
	{ .title = "1 µs – 1 s", .cells = 13, .text = add_histogram, IF_ANY, \
	  .help = "how many took how long" }, \
	{ "shared", .kind = TABLE_COUNT, OF(shared), \
	  TABLE_IF(struct latency_kind_row, sums.shared) }, \
	{ "at_least", .kind = TABLE_NUMBER, OF(late), TABLE_IF(struct latency_kind_row, sums.late) }

static const struct table_column kind_columns[] = {
	{ "kind", "kind", TABLE_MEMBER(struct latency_kind_row, kind), .width = 13,
	  .align = TABLE_LEFT, .help = "what is measured" },
	SUM_COLUMNS,
};

/* "backup-12 (was server)" */
static void add_group(const void *row, struct text *out)
{
	const struct latency_kind_row *r = row;

	text_add(out, r->kind);
	if (r->was)
		text_printf(out, " (was %s)", r->was);
}

static const struct table_column group_columns[] = {
	{ "group", TABLE_MEMBER(struct latency_kind_row, kind) },
	{ .title = "group", .text = add_group, .width = 30, .align = TABLE_LEFT, .help = "what they have in common" },
	SUM_COLUMNS,
};

const struct table_columns latency_kind_columns = { TABLE_COLUMNS(kind_columns), .gap = 1,
						    .clocked = true, .exact = true };
const struct table_columns latency_group_columns = { TABLE_COLUMNS(group_columns), .gap = 1,
						     .clocked = true, .exact = true };

static const struct table_column compare[] = {
	{ .title = "kind", .cells = 14, TABLE_MEMBER(struct latency_kind_row, kind) },
	TABLE_COMPARED("per s", "instances in a second", 9, .kind = TABLE_RATE, OF(n)),
	TABLE_COMPARED("avg", "mean", 9, SUM(average)),
	TABLE_COMPARED_TIMES("avg", IF_ANY, OF(average)),
	TABLE_COMPARED("p99", "99 % of them were no longer than this", 9, SUM(p99)),
	TABLE_COMPARED_TIMES("p99", IF_ANY, OF(p99)),
	TABLE_COMPARED("max", "the longest one", 9, SUM(max), .own = LATENCY_MAX),
	TABLE_COMPARED_TIMES("max", IF_ANY, OF(max)),
};

const struct table_columns latency_compare_columns = { TABLE_COLUMNS(compare), .clocked = true };

struct latency_kind_row latency_kind_row(const struct latency_kinds *kinds, unsigned int kind,
					 const struct latency_sums *sums)
{
	return (struct latency_kind_row){ kinds->names[kind], NULL, kind, *sums };
}

struct latency_kind_row latency_group_row(struct latency *l, unsigned int kind, enum latency_by by,
					  const struct latency_group *group,
					  const struct latency_sums *sums, struct text *words)
{
	if (words)
		latency_groups_name(l, kind, by, &group->first, words);
	return (struct latency_kind_row){ words ? text_str(words) : "",
					  words ? latency_groups_was(l, kind, by, &group->first) :
						  NULL,
					  kind, *sums };
}

/* --- instances -------------------------------------------------------------------------------- */

/* "server-812", for a row: after its other words.  Return: where; 0: there is no such task. */
static size_t add_name(struct latency *l, uint32_t pid, int64_t ts, struct text *words)
{
	size_t at;

	if (!words || !pid)
		return 0;
	text_char(words, '\0');
	at = words->len;
	text_printf(words, "%s-%" PRIu32, latency_comm(l, pid, ts), pid);
	return at;
}

/* What the record of its start says of the lock that it is a wait for. */
static void add_lock(struct latency *l, const struct latency_instance *i, struct text *words,
		     struct latency_row *row)
{
	size_t holder, waker;
	struct lock_wait lock;

	if (!words || !latency_lock(l, i, &lock))
		return;
	row->lock_type = lock_wait_type(&lock);
	row->address = lock.address;
	row->holder = lock.holder;
	holder = add_name(l, (uint32_t)lock.holder, i->start, words);
	waker = add_name(l, i->context, i->end, words);
	if (holder) {
		row->holder_name = text_str(words) + holder;
		row->holder_comm = latency_comm(l, (uint32_t)lock.holder, i->start);
	}
	if (waker) {
		row->waker_name = text_str(words) + waker;
		row->waker_comm = latency_comm(l, i->context, i->end);
	}
}

struct latency_row latency_row(struct latency *l, const struct latency_kinds *kinds,
			       unsigned int kind, const struct latency_instance *i,
			       struct text *words)
{
	bool is_wakeup = kind == LATENCY_WAKEUP, is_call = kind == LATENCY_CALL;
	bool has_value = i->flags & LATENCY_HAS_VALUE,
	     has_end = !words || !(i->flags & LATENCY_OPEN);
	size_t shown = 0, context = 0;
	struct latency_row row = {
		.kind = kinds->names[kind],
		.comm = latency_comm(l, i->pid, i->start),
		.i = *i,
		.duration = latency_duration(i),
		.cpu = i->cpu,
		.prio = i->prio,
		.doubtful = (i->flags & LATENCY_DOUBTFUL) != 0,
		.shared = i->flags & LATENCY_SHARED,
		.guessed = latency_is_doubtful(i) || i->flags & LATENCY_SHARED,
		.late = i->flags & LATENCY_LATE,
		.moved = i->flags & LATENCY_MOVED,
		.is_leaf = i->flags & LATENCY_LEAF,
		.has_end = has_end,
		.has_cpu = i->cpu != UINT16_MAX,
		.has_prio = is_wakeup,
		.has_moved = is_wakeup && has_end && !(i->flags & LATENCY_MAY_HAVE_MOVED),
		.has_wakeup = is_wakeup && has_value,
		.has_net = is_call && has_value,
		.has_mark = is_call && has_end,
		.has_leaf = i->flags & (LATENCY_LEAF | LATENCY_NO_LEAF),
	};

	if (words)
		latency_what(l, kind, i, !is_wakeup, words);
	if (words && is_wakeup && i->context) {
		text_char(words, '\0');
		context = words->len;
		latency_context(l, i, words);
		text_char(words, '\0');
		shown = words->len;
		latency_what(l, kind, i, true, words);
	}
	add_lock(l, i, words, &row);
	row.what = words ? text_str(words) : "";
	row.words = words ? text_str(words) + shown : "";
	row.context = context ? text_str(words) + context : NULL;
	return row;
}

static void add_leaf(const void *row, struct text *out)
{
	text_add(out, ((const struct latency_row *)row)->is_leaf ? "leaf" : "");
}

static void add_mark(const void *row, struct text *out)
{
	char mark = text_duration_mark(((const struct latency_row *)row)->duration);

	if (mark != ' ')
		text_char(out, mark);
}

static void add_moved(const void *row, struct text *out)
{
	text_add(out, ((const struct latency_row *)row)->moved ? "moved" : "");
}

static void add_task(const void *row, struct text *out)
{
	const struct latency_row *r = row;

	text_printf(out, "%s-%" PRIu32, r->comm, r->i.pid);
}

static void add_address(const void *row, struct text *out)
{
	text_printf(out, "0x%" PRIx64, ((const struct latency_row *)row)->address);
}

#define ROW(member)	TABLE_MEMBER(struct latency_row, member)
#define ROW_IF(member)	TABLE_IF(struct latency_row, member)

/* In the order of the screen, the task first; .place is that of text, CSV and JSON. */
static const struct table_column columns[] = {
	{ .title = "task", .place = 10, .width = 20, .align = TABLE_LEFT, .cells = 14,
	  .text = add_task, .help = "the task" },
	{ "kind", .place = 1, ROW(kind) },
	TABLE_CLOCK_AT(2),
	{ "duration_ns", "duration", .place = 6, .kind = TABLE_DURATION, ROW(duration),
	  ROW_IF(has_end), .width = 11, .cells = 12, TABLE_DOUBT(struct latency_row, guessed),
	  TABLE_LEAST(struct latency_row, late), .bound = TABLE_AT_MOST,
	  .marked = true, .own = LATENCY_DURATION,
	  .help = "how long it took; ~: records are missing, it may have been shorter; or several with its key were open, and their ends may be each other's; >: it began before" },
	{ .title = "net", .place = 6, ROW(i.value), .kind = TABLE_DURATION, ROW_IF(has_net),
	  .width = 11, .needs = LATENCY_OF_CALLS },
	{ "net_ns", "net", .place = 17, ROW(i.value),
	  .kind = TABLE_DURATION, ROW_IF(has_net), .marked = true, .cells = 11,
	  .needs = LATENCY_OF_CALLS, .help = "without recorded interrupts and time off the CPU" },
	{ "start_ns", "start", .place = 3, ROW(i.start),
	  .kind = TABLE_MOMENT, .width = 15, .align = TABLE_LEFT, .cells = 14,
	  .help = "when it began" },
	{ "end_ns", .place = 5, ROW(i.end), .kind = TABLE_MOMENT,
	  ROW_IF(has_end) },
	{ "cpu", "CPU", .place = 7, .kind = TABLE_NUMBER, ROW(cpu),
	  ROW_IF(has_cpu), .width = 3, .cells = 5, .help = "where" },
	{ .title = "holder", .place = 18, ROW(holder_name), .width = 20,
	  .align = TABLE_LEFT, .cells = 15, .needs = LATENCY_OF_LOCKS,
	  .help = "who held the lock when the wait began; empty: not known" },
	{ "pid", .place = 8, ROW(i.pid), .kind = TABLE_COUNT },
	{ "comm", .place = 9, ROW(comm) },
	{ "what", .place = 11, ROW(what) },
	{ .title = "what", .place = 19, ROW(words), .width = 1,
	  .cells = 18, .fills = true, .align = TABLE_LEFT, .own = LATENCY_WHAT,
	  .help = "what it was" },
	{ .title = "woken by", .place = 19, ROW(waker_name),
	  .align = TABLE_LEFT, .cells = 14, .needs = LATENCY_OF_LOCKS, .goes_first = true,
	  .help = "who woke the task from this wait, mostly who released the lock" },
	{ "doubtful", .place = 12, .kind = TABLE_NUMBER, ROW(doubtful) },
	{ "moved", "moved", .place = 13, .kind = TABLE_NUMBER, ROW(moved),
	  ROW_IF(has_moved), .text = add_moved, .cells = 6, .needs = LATENCY_OF_WAKEUPS,
	  .help = "it ran on another CPU than before" },
	{ "prio", "prio", .place = 14, .kind = TABLE_NUMBER, ROW(prio), ROW_IF(has_prio),
	  .cells = 5, .needs = LATENCY_OF_WAKEUPS, .help = "priority of the woken task" },
	{ "wakeup_ns", .place = 15, ROW(i.value), .kind = TABLE_TIME,
	  ROW_IF(has_wakeup) },
	{ "leaf", "leaf", .place = 16, .kind = TABLE_NUMBER, ROW(is_leaf), ROW_IF(has_leaf),
	  .text = add_leaf, .cells = 6, .needs = LATENCY_OF_CALLS, .goes_first = true,
	  .help = "it called no traced function: its time is exact" },
	{ "mark", .place = 18, .text = add_mark, ROW_IF(has_mark) },
	{ "context", .place = 20, ROW(context) },
	{ "holder_pid", .place = 21, ROW(holder), .kind = TABLE_NUMBER, ROW_IF(holder_comm) },
	{ "holder_comm", .place = 22, ROW(holder_comm) },
	{ "lock_type", .place = 23, ROW(lock_type) },
	{ "lock_address", .place = 24, ROW_IF(lock_type), .text = add_address },
	{ "woken_by_pid", .place = 25, ROW(i.context), .kind = TABLE_COUNT, ROW_IF(waker_comm) },
	{ "woken_by_comm", .place = 26, ROW(waker_comm) },
	{ "shared", .place = 27, .kind = TABLE_NUMBER, ROW(shared), ROW_IF(shared) },
	{ "at_least", .place = 28, .kind = TABLE_NUMBER, ROW(late), ROW_IF(late) },
};

const struct table_columns latency_columns = { TABLE_COLUMNS(columns), .gap = 2, .clocked = true,
					       .exact = true };

/* --- histograms ------------------------------------------------------------------------------- */

unsigned int latency_bins(const struct latency_sums *sums, unsigned int most,
			  struct latency_bin_row *rows)
{
	unsigned int first = 0, last = LATENCY_BINS, step, nr = 0;

	while (first < last && !sums->histogram[first])
		first++;
	while (last > first && !sums->histogram[last - 1])
		last--;
	step = (last - first + most - 1) / most;
	for (unsigned int i = first; i < last; nr++) {
		rows[nr] = (struct latency_bin_row){ .from = i ? 1ull << (i - 1) : 0,
						     .guessed = sums->shared };
		for (unsigned int end = i + step; i < end && i < last; i++)
			rows[nr].count += sums->histogram[i];
		rows[nr].to = i < 65 ? 1ull << (i - 1) : UINT64_MAX;
	}
	return nr;
}

static const struct table_column bin_columns[] = {
	{ "from_ns", "from", TABLE_MEMBER(struct latency_bin_row, from), .kind = TABLE_DURATION,
	  .width = 14 },
	{ "to_ns", "to", TABLE_MEMBER(struct latency_bin_row, to), .kind = TABLE_DURATION,
	  .width = 14 },
	{ "count", "count", TABLE_MEMBER(struct latency_bin_row, count), .kind = TABLE_COUNT,
	  TABLE_DOUBT(struct latency_bin_row, guessed), .width = 11 },
};

const struct table_columns latency_bin_columns = { TABLE_COLUMNS(bin_columns), .gap = 1,
						   .clocked = true, .exact = true };
