/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a list of columns as text, CSV and JSON: every kind of value, and none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "src/base/table_out.h"
#include "src/functions/call_totals.h"
#include "src/functions/function_columns.h"
#include "src/sched/task_columns.h"

struct row {
	const char	*name;
	uint32_t	 number;
	int32_t		 below;
	int64_t		 time;
	uint64_t	 count;
	bool		 is_set, has_count;
};

static bool has_count(const void *row)
{
	return ((const struct row *)row)->has_count;
}

static int64_t twice(const void *row)
{
	return 2 * ((const struct row *)row)->time;
}

static void add_list(const void *row, struct text *out)
{
	text_printf(out, "[%u]", ((const struct row *)row)->number);
}

#define MEMBER(member) TABLE_MEMBER(struct row, member)

static const struct table_column columns[] = {
	{ "count", "count", MEMBER(count), .kind = TABLE_COUNT, .place = 3, .width = 7,
	  .known = has_count },
	{ "name", "name", MEMBER(name), .place = 1, .width = 6, .align = TABLE_LEFT },
	TABLE_CLOCK_AT(2),
	{ "number", MEMBER(number), .kind = TABLE_COUNT, .place = 4 },
	{ "below", MEMBER(below), .kind = TABLE_NUMBER, .place = 5 },
	{ "time_ns", "time", MEMBER(time), .kind = TABLE_TIME, .place = 6, .width = 8, .gap = 1 },
	{ .title = "twice", .kind = TABLE_DURATION, .number = twice, .place = 7, .width = 8 },
	{ "is_set", MEMBER(is_set), .kind = TABLE_BOOL, .place = 8 },
	{ "list", .kind = TABLE_RAW, .text = add_list, .place = 9, .only = FORMAT_JSON },
	{ "list", .text = add_list, .place = 9, .only = FORMAT_CSV },
	{ .title = "last", MEMBER(name), .place = 10, .width = 9, .align = TABLE_LEFT },
	{ .title = "screen", .cells = 10, MEMBER(time), .kind = TABLE_SHARE },
};

static const struct table_columns table = { TABLE_COLUMNS(columns), .gap = 1 };
static const struct table_columns exact = { TABLE_COLUMNS(columns), .gap = 1,
					    .exact = true };

static const struct row full = {
	"a,\"µ\"\033", UINT32_MAX, -7, 1500, 1ull << 60, true, true
};
static const struct row bare = { .time = -3 };

static void check(const struct table_columns *of, enum table_format format, bool unitless,
		  const struct row *row, const char *expected)
{
	struct table_out t;
	struct text out = { 0 };

	table_out_init(&t, of, format, unitless);
	t.clock = row == &full ? "tsc" : NULL;
	if (row)
		table_out_row(&t, row, &out);
	else
		table_out_heading(&t, &out);
	assert_string_equal(text_str(&out), expected);
	table_out_fini(&t);
	text_fini(&out);
}

static void text_stands_in_columns(void **state)
{
	static const struct row small = { "bash", 1, 1, 0, 12345, false, true };

	(void)state;
	check(&table, FORMAT_TEXT, false, NULL, "name     count   time µs twice µs last\n");
	check(&table, FORMAT_TEXT, false, &small, "bash     12345         –    0.000 bash\n");
	/* What is wider pushes the rest; nothing of a trace is raw. */
	check(&table, FORMAT_TEXT, false, &full,
	      "a,\"µ\"\\e 1152921504606846976     1.500    3.000 a,\"µ\"\\e\n");
	check(&table, FORMAT_TEXT, true, &full,
	      "a,\"µ\"\\e 1152921504606846976      1500    3.000 a,\"µ\"\\e\n");
}

/* A column has one unit, in which times are exact; so sort(1) sorts them. */
static void times_have_a_unit(void **state)
{
	static const struct {
		enum table_unit	 unit;
		const char	*heading, *row;
	} cases[] = {
		{ TABLE_NS, "name     count   time ns twice ns last\n",
		  "-            0      1500     3000 -\n" },
		{ TABLE_MS, "name     count   time ms twice ms last\n",
		  "-            0  0.001500 0.003000 -\n" },
		{ TABLE_S, "name     count    time s  twice s last\n",
		  "-            0  0.000001500 0.000003000 -\n" },
	};
	static const struct row one = { .name = "-", .time = 1500, .has_count = true };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct table_out t;
		struct text out = { 0 };

		table_out_init(&t, &table, FORMAT_TEXT, false);
		t.unit = cases[i].unit;
		table_out_heading(&t, &out);
		assert_string_equal(text_str(&out), cases[i].heading);
		text_clear(&out);
		table_out_row(&t, &one, &out);
		assert_string_equal(text_str(&out), cases[i].row);
		table_out_fini(&t);
		text_fini(&out);
	}
}

static const struct table_column *find(enum table_format format, const char *name)
{
	return table_out_find(&task_columns, format, "--sort", name, NULL);
}

static void columns_are_found_by_name(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	assert_ptr_equal(find(FORMAT_CSV, "run_ns"), find(FORMAT_CSV, "run"));
	/* run of text is what text shows: with the runs that were cut off */
	assert_null(find(FORMAT_TEXT, "run")->name);
	assert_string_equal(find(FORMAT_TEXT, "run_ns")->name, "run_ns");
	assert_string_equal(find(FORMAT_TEXT, "max wake")->name, "max_wakeup_ns");
	assert_string_equal(find(FORMAT_CSV, "max_wake")->name, "max_wakeup_ns");
	assert_null(table_out_find(&task_columns, FORMAT_CSV, "--sort", "clock", &err));
	assert_int_equal(err.code, FT_E_USAGE);
	assert_memory_equal(err.message,
			    "--sort: no column is named clock; the columns are: comm, pid, run, ",
			    67);
	assert_null(table_out_find(&task_columns, FORMAT_TEXT, "--sort", "clock", &err));
	assert_memory_equal(
		err.message,
		"--sort: no column is named clock; the columns are: task, pid, run, stolen, max wake, ",
		85);
	assert_null(table_out_find(&task_columns, FORMAT_TEXT, "--sort", "wiat", &err));
	assert_non_null(strstr(err.message, "no column is named wiat; did you mean wait? The "));
	assert_null(table_out_find(&function_columns, FORMAT_CSV, "--sort", "", &err));
}

struct sums {
	uint64_t	n, open, max, min;
	int64_t		wait, doubtful;
	const char	*percent;
	bool		is_doubtful, is_least;
};

#define OF(member) TABLE_MEMBER(struct sums, member)

/* What a figure truly is, with an open instance, with doubt, with lost events. */
static void missing_records_make_bounds(void **state)
{
	static const struct table_column list[] = {
		{ "n", OF(n), .kind = TABLE_COUNT, .bound = TABLE_AT_LEAST },
		{ "open", OF(open), .kind = TABLE_COUNT, .apart = true },
		{ "max_ns", OF(max), .kind = TABLE_DURATION, .bound = TABLE_AT_LEAST },
		{ "min_ns", OF(min), .kind = TABLE_DURATION, .bound = TABLE_AT_MOST },
		{ "wait_ns", OF(wait), .kind = TABLE_TIME, TABLE_DOUBT(struct sums, doubtful) },
		{ "percent", OF(percent) },
		{ "count", OF(n), .kind = TABLE_COUNT, .bound = TABLE_AT_LEAST,
		  TABLE_DOUBT(struct sums, is_doubtful) },
		{ "busy_ns", OF(wait), .kind = TABLE_TIME, TABLE_LEAST(struct sums, is_least) },
	};
	static const struct table_columns sums = { TABLE_COLUMNS(list) };
	static const struct {
		struct sums	row;
		unsigned int	column;
		bool		lost;
		double		least, most;
	} cases[] = {
		{ { .n = 3 }, 0, false, 3, 3 },
		{ { .n = 3, .open = 2 }, 0, false, 3, 5 },
		{ { .n = 3, .open = 2 }, 0, true, 3, INFINITY },
		{ { .open = 2 }, 1, true, 2, 2 },
		{ { .max = 7 }, 2, false, 7, 7 },
		{ { .max = 7, .open = 1 }, 2, false, 7, INFINITY },
		{ { .max = 7 }, 2, true, 7, INFINITY },
		{ { .min = 7, .open = 1 }, 3, false, 0, 7 },
		{ { .wait = 9 }, 4, true, 9, 9 },
		{ { .wait = 9, .doubtful = 2 }, 4, false, 7, INFINITY },
		{ { .percent = "99.5" }, 5, true, 99.5, 99.5 },
		{ { .percent = NULL }, 5, false, 0, INFINITY },
		{ { .percent = "9 or so" }, 5, false, 0, INFINITY },
		{ { .n = 3 }, 6, true, 3, 3 },	/* it marks what is lost by itself */
		{ { .n = 3, .is_doubtful = true }, 6, false, 3, INFINITY },
		{ { .wait = 9 }, 7, false, 9, 9 },
		{ { .wait = 9, .is_least = true }, 7, false, 9, INFINITY },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double least, most;

		table_out_bounds(&sums, &list[cases[i].column], &cases[i].row, cases[i].lost,
				 &least, &most);
		assert_true(least == cases[i].least && most == cases[i].most);
	}
}

static void ratios_have_no_exponent(void **state)
{
	static const struct {
		double ratio;
		const char *text;
	} cases[] = { { 0, "×0" }, { 0.0002, "/5000" }, { 0.000001, "/1000k" }, { 0.079, "×0.079" },
		      { 1.2, "×1.20" }, { 99999, "×99999" }, { 250000, "×250k" }, { 2e9, "×2000M" } };
	struct text text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		text_clear(&text);
		table_out_ratio(cases[i].ratio, &text);
		assert_string_equal(text_str(&text), cases[i].text);
	}
	text_fini(&text);
}

static void csv_has_an_empty_field_where_there_is_no_value(void **state)
{
	(void)state;
	check(&table, FORMAT_CSV, false, NULL, "name,count,number,below,time_ns,is_set,list\n");
	check(&table, FORMAT_CSV, false, &full,
	      "\"a,\"\"µ\"\"\033\",1152921504606846976,4294967295,-7,1500,1,[4294967295]\n");
	check(&table, FORMAT_CSV, false, &bare, ",,0,0,-3,0,[0]\n");
}

static void json_has_null_or_leaves_it_out(void **state)
{
	(void)state;
	check(&table, FORMAT_JSON, false, NULL, "");
	check(&table, FORMAT_JSON, false, &full,
	      "{\"name\":\"a,\\\"µ\\\"\\u001b\",\"clock\":\"tsc\",\"count\":1152921504606846976,\"number\":4294967295,\"below\":-7,"
	      "\"time_ns\":1500,\"is_set\":true,\"list\":[4294967295]}\n");
	check(&exact, FORMAT_JSON, false, &full,
	      "{\"name\":\"a,\\\"µ\\\"\\u001b\",\"clock\":\"tsc\",\"count\":\"1152921504606846976\",\"number\":4294967295,\"below\":-7,"
	      "\"time_ns\":1500,\"is_set\":true,\"list\":[4294967295]}\n");
	check(&table, FORMAT_JSON, false, &bare,
	      "{\"name\":null,\"count\":null,\"number\":0,\"below\":0,\"time_ns\":-3,\"is_set\":false,\"list\":[0]}\n");
}

/* Scripts count columns, and know them by name: they stay as they were released. */
static void released_columns_stay(void **state)
{
	static const char tasks[] =
		"pid,comm,run_ns,run_cut_ns,wait_ns,sleep_ns,blocked_ns,switches,preemptions,migrations,wakeups,"
		"max_wakeup_ns";
	struct text out = { 0 };
	struct table_out t;

	(void)state;
	table_out_init(&t, &task_columns, FORMAT_CSV, false);
	table_out_heading(&t, &out);
	assert_int_equal(strncmp(text_str(&out), tasks, strlen(tasks)), 0);
	text_clear(&out);
	table_out_init(&t, &function_columns, FORMAT_CSV, false);
	table_out_heading(&t, &out);
	assert_string_equal(
		text_str(&out),
		"function,calls,total_ns,self_ns,net_ns,min_ns,avg_ns,p50_ns,p95_ns,p99_ns,max_ns,"
		"leaf_calls,unclosed,orphans,doubtful,stddev_ns\n");
	text_fini(&out);
}

/* Each list can be shown whole: a title where people read it, a value that can be had. */
static void all_columns_are_sound(void **state)
{
	static const struct table_columns *const all[] = {
		&task_columns, &task_cpu_columns, &task_type_columns, &task_compare_columns,
		&task_cpu_compare_columns,
		&task_type_compare_columns, &function_columns,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_in_range(all[i]->nr, 1, TABLE_MOST_COLUMNS);
		for (unsigned int k = 0; k < all[i]->nr; k++) {
			const struct table_column *column = &all[i]->list[k];

			assert_true(column->name || column->title);
			assert_true(column->title || (!column->width && !column->cells));
			assert_true(column->number || column->text || column->value.size ||
				    column->kind == TABLE_CLOCK ||
				    (!k && all[i]->list == task_type_columns.list) ||
				    (!k && all[i]->list == task_type_compare_columns.list));
		}
	}
}

/* Without a host, text of ftop-trace tasks has no sums: a column that needs them has no width. */
static void text_of_tasks_needs_no_sums(void **state)
{
	const struct sched_task task = { .pid = 7, .switches = 3 };
	const struct task_row row = { .task = &task, .comm = "idler", .cpu = -1 };
	struct table_columns without = task_columns;
	struct text out = { 0 };
	struct table_out t;

	(void)state;
	without.lacks = TASK_NEEDS_STOLEN;
	table_out_init(&t, &without, FORMAT_TEXT, false);
	table_out_row(&t, &row, &out);
	assert_non_null(strstr(text_str(&out), "idler"));
	table_out_fini(&t);
	text_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_stands_in_columns),
		cmocka_unit_test(times_have_a_unit),
		cmocka_unit_test(columns_are_found_by_name),
		cmocka_unit_test(missing_records_make_bounds),
		cmocka_unit_test(ratios_have_no_exponent),
		cmocka_unit_test(csv_has_an_empty_field_where_there_is_no_value),
		cmocka_unit_test(json_has_null_or_leaves_it_out),
		cmocka_unit_test(released_columns_stay),
		cmocka_unit_test(all_columns_are_sound),
		cmocka_unit_test(text_of_tasks_needs_no_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
