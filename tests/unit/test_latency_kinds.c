/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The language of kinds and pairs, and which start an end ends. Numbers: compare/latency.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

#include <cmocka.h>

#include "src/base/name_table.h"
#include "src/latency/latency_kinds.h"
#include "src/latency/latency_list.h"
#include "src/latency/latency_open.h"

/* --- lines ------------------------------------------------------------------------------------ */

static void lines_are_read(void **state)
{
	struct latency_kinds kinds;
	const struct latency_rule *rule;
	const struct latency_event *other;
	struct ft_error err = { 0 };

	(void)state;
	latency_kinds_init(&kinds);
	assert_int_equal(latency_kinds_find(&kinds, "call", &err), LATENCY_CALL);
	assert_int_equal(latency_kinds_find(&kinds, "sleep", &err), LATENCY_SLEEP);
	assert_true(latency_kinds_find(&kinds, "block_queue", &err) > LATENCY_SLEEP);
	assert_int_equal(latency_kinds_find(&kinds, "own", &err), -1);
	assert_non_null(strstr(err.message, "there are: call, wakeup,"));

	assert_int_equal(
		latency_kinds_add(
			&kinds, "own irq:a [x == \"]\" && y[0] > 1] b [z]  by cpu,pid,f,g=h nested",
			true, &err),
		0);
	rule = &kinds.rules[kinds.nr_rules - 1];
	assert_string_equal(kinds.names[rule->kind], "own");
	assert_string_equal(rule->ends[0].system, "irq");
	assert_string_equal(rule->ends[0].name, "a");
	assert_string_equal(rule->ends[0].filter, "x == \"]\" && y[0] > 1");
	assert_null(rule->ends[1].system);
	assert_string_equal(rule->ends[1].name, "b");
	assert_string_equal(rule->ends[1].filter, "z");
	assert_true(rule->by_cpu && rule->by_pid && rule->nested && !rule->first);
	assert_int_equal(rule->nr_keys, 2);
	assert_string_equal(rule->keys[0][1], "f");
	assert_string_equal(rule->keys[1][0], "g");
	assert_string_equal(rule->keys[1][1], "h");
	assert_null(rule->ends[1].other);

	assert_int_equal(latency_kinds_add(
				 &kinds, "own2 rv:a_* -> rv:a_* [x]|rv:b_*| c_* [y] by pid task id",
				 true, &err),
			 0);
	rule = &kinds.rules[kinds.nr_rules - 1];
	assert_string_equal(rule->ends[1].name, "a_*");
	assert_string_equal(rule->ends[1].filter, "x");
	other = rule->ends[1].other;
	assert_string_equal(other->system, "rv");
	assert_string_equal(other->name, "b_*");
	assert_null(other->filter);
	assert_null(other->other->system);
	assert_string_equal(other->other->name, "c_*");
	assert_string_equal(other->other->filter, "y");
	assert_null(other->other->other);
	assert_null(rule->ends[0].other);
	assert_string_equal(rule->task, "id");
	latency_kinds_fini(&kinds);
}

static void files_are_read(void **state)
{
	char path[] = "/tmp/test_latency_kinds.XXXXXX";
	static const char lines[] =
		"# mine\n\npair own a b by pid\nown2 a b by pid\npair irq a b by x\n"
		"pair own3 c d by none";
	struct latency_kinds kinds;
	struct text contents = { 0 };
	struct ft_error err = { 0 };
	int fd = mkstemp(path);
	char expected[200];

	(void)state;
	assert_int_equal(write(fd, lines, sizeof(lines) - 1), sizeof(lines) - 1);
	close(fd);
	latency_kinds_init(&kinds);
	assert_int_equal(latency_kinds_read(&kinds, NULL, &contents, &err), 0);
	assert_int_equal(latency_kinds_read(&kinds, "/nowhere", &contents, &err), 0);
	assert_int_equal(latency_kinds_read(&kinds, path, &contents, &err), -1);
	snprintf(expected, sizeof(expected), "%s:4: a line is pair NAME START END by KEY", path);
	assert_string_equal(err.message, expected);
	assert_true(latency_kinds_find(&kinds, "own", &err) > 0);
	assert_true(latency_kinds_find(&kinds, "own3", &err) > 0);
	latency_kinds_fini(&kinds);
	text_fini(&contents);
	unlink(path);
}

static void mistakes_are_told(void **state)
{
	static const char *const lines[][2] = {
		{ "", "byte 1: a name, two events and by must be here" },
		{ "x a by pid", "byte 7: an event must be before this place" },
		{ "x a b", "byte 6: by must be before this place" },
		{ "x a b pid", "byte 10: by must be before this place, and what joins start and end: pid" },
		{ "x a b by", "byte 9: cpu, pid, none or fields must be after by" },
		{ "x a b by a,b,c,d,e", "1 to 4 fields" },
		{ "x a b| by pid", "byte 10: an event must be before this place" },
		{ "x a|b c by pid", "byte 4: only the end may be one of several events" },
		{ "x a b by pid task", "a field, or a text in quotes, must be after: task" },
		{ "x a [y b by pid", "byte 5: the bracket is not closed" },
		{ "x a b by pid nestd", "not a word of the language of pairs: nestd" },
		{ "x a b by pid what \"x", "a field, or a text in quotes, must be after: what" },
		{ "x a b by pid \"x", "byte 14: the quote is not closed" },
		{ "x a b by pid label", "a field, or a text in quotes, must be after: label" },
		{ "irq a b by pid", "irq is already the name of a kind" },
	};
	struct latency_kinds kinds;

	(void)state;
	latency_kinds_init(&kinds);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ft_error err = { 0 };

		assert_int_equal(latency_kinds_add(&kinds, lines[i][0], true, &err), -1);
		if (!strstr(err.message, lines[i][1]))
			fail_msg("%s: %s", lines[i][0], err.message);
	}
	latency_kinds_fini(&kinds);
}

static void hooks_become_pairs(void **state)
{
	static const char *const hooks[][2] = {
		{ "hrtimer_expire_entry,hrtimer/hrtimer_expire_exit,hrtimer,sp",
		  "hrtimer_expire_entry hrtimer_expire_entry -> hrtimer_expire_exit by cpu,pid,hrtimer=hrtimer" },
		{ "sched:sched_wakeup,pid,pid/sched:sched_switch,next_pid",
		  "sched_wakeup sched:sched_wakeup -> sched:sched_switch by pid=common_pid,pid=next_pid" },
		{ "a,x/b,y,g", "a a -> b by x=y" },
	};
	struct text line = { 0 };
	struct ft_error err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		text_clear(&line);
		assert_int_equal(latency_kinds_hook(hooks[i][0], &line, &err), 0);
		assert_string_equal(text_str(&line), hooks[i][1]);
	}
	assert_int_equal(latency_kinds_hook("a,x", &line, &err), -1);
	assert_int_equal(latency_kinds_hook("a,x/b", &line, &err), -1);
	assert_int_equal(latency_kinds_hook("a,x,y,z/b,c", &line, &err), -1);
	text_fini(&line);
}

/* --- starts and ends -------------------------------------------------------------------------- */

static void start(struct latency_open *open, uint64_t key, uint64_t scope, int64_t ts)
{
	struct latency_start *s =
		latency_open_start(open, &(struct latency_at){ .key = key, .scope = scope,
							       .length = 1 });

	if (s)
		s->begun = (struct latency_instance){ .start = ts };
}

static void take_start(void *ts, const struct latency_start *start)
{
	*(int64_t *)ts = start->begun.start;
}

/* When the start was that an end ends; -1: there is none. */
static int64_t end(struct latency_open *open, uint64_t key, uint64_t scope)
{
	int64_t ts = -1;

	latency_open_end(open, &(struct latency_at){ .key = key, .scope = scope, .length = 1 },
			 take_start, &ts);
	return ts;
}

static int nr_open(const struct latency_open *open)
{
	int nr = 0;

	for (uint32_t i = 0; i < open->nr; i++)
		nr += open->starts[i].is_open;
	return nr;
}

static void ends_end_starts(void **state)
{
	struct latency_rule last = { 0 }, first = { .first = true }, nested = { .nested = true };
	struct latency_open a = { .rule = &last }, b = { .rule = &first }, c = { .rule = &nested };

	(void)state;
	assert_int_equal(end(&a, 7, 0), -1);
	for (int64_t ts = 1; ts <= 3; ts++) {
		start(&a, 7, 0, ts);
		start(&b, 7, 0, ts);
		start(&c, 7, 0, ts);
	}
	start(&a, 8, 0, 9);
	start(&a, 7, 1, 10);
	assert_int_equal(nr_open(&a), 3);
	assert_int_equal(nr_open(&c), 3);
	assert_int_equal(a.replaced, 2);
	assert_int_equal(end(&a, 7, 0), 3);
	assert_int_equal(end(&a, 7, 0), -1);
	assert_int_equal(end(&b, 7, 0), 1);
	assert_int_equal(end(&b, 7, 0), -1);
	for (int64_t ts = 3; ts; ts--)
		assert_int_equal(end(&c, 7, 0), ts);
	assert_int_equal(end(&c, 7, 0), -1);
	assert_int_equal(end(&a, 8, 0), 9);
	assert_int_equal(end(&a, 7, 1), 10);
	/* keys that are done make room for others */
	for (int64_t key = 0; key < 100000; key++) {
		start(&a, (uint64_t)key, 0, key);
		assert_int_equal(end(&a, (uint64_t)key, 0), key);
	}
	assert_true(a.nr < 100);
	latency_open_fini(&a);
	latency_open_fini(&b);
	latency_open_fini(&c);
}

static void one_start_is_open_alone(void **state)
{
	struct latency_rule rule = { .alone = true };
	struct latency_open open = { .rule = &rule };

	(void)state;
	start(&open, 1, 5, 10);
	start(&open, 2, 5, 11);
	start(&open, 1, 6, 12);
	assert_int_equal(nr_open(&open), 2);
	assert_int_equal(end(&open, 2, 5), 11);
	start(&open, 1, 5, 13);
	assert_int_equal(end(&open, 2, 5), -1);		/* the end of 1 is missing */
	assert_int_equal(end(&open, 1, 5), -1);
	latency_open_drop(&open, &(struct latency_at){ .key = 9, .scope = 6 });
	assert_int_equal(end(&open, 1, 6), -1);
	assert_int_equal(nr_open(&open), 0);
	latency_open_fini(&open);
}

/* "8,16~": the first keys of the starts that an end ends, in their order; ~: they were shared. */
static void add_key(void *out, const struct latency_start *s)
{
	struct text *keys = out;

	text_printf(keys, "%s%d%s%s", keys->len ? "," : "", (int)s->key, s->is_shared ? "~" : "",
		    s->began_again ? "!" : "");
}

static void check_end(struct latency_open *open, uint64_t key, uint64_t length, uint32_t label,
		      const char *expected)
{
	struct text keys = { 0 };

	latency_open_end(open, &(struct latency_at){ key, 5, length, label, false, 0 }, add_key,
			 &keys);
	assert_string_equal(text_str(&keys), expected);
	text_fini(&keys);
}

static bool range(struct latency_open *open, uint64_t key, uint64_t length, uint32_t label)
{
	return latency_open_start(open, &(struct latency_at){ key, 5, length, label, false, 0 });
}

static void ranges_end_when_all_has(void **state)
{
	struct latency_rule rule = { .within = "nr", .queue = true };
	struct latency_open open = { .rule = &rule }, copy = open;

	(void)state;
	for (uint64_t key = 8; key < 800; key += 8)
		range(&open, key, 4, 0);
	check_end(&open, 9, 7, 0, "");			/* three of four */
	check_end(&open, 16, 12, 0, "16,24");		/* merged */
	check_end(&open, 16, 12, 0, "");
	check_end(&open, 0, 9, 0, "8");			/* the fourth */
	check_end(&open, 40, 2, 0, "");
	latency_open_copy(&copy, &open);
	for (int i = 0; i < 2; i++) {			/* split, in any order */
		check_end(i ? &copy : &open, 43, 1, 0, "");
		check_end(i ? &copy : &open, 42, 1, 0, "40");
		check_end(i ? &copy : &open, 780, 1000, 0, "784,792");
		assert_int_equal(nr_open(i ? &copy : &open), 93);
	}
	latency_open_fini(&open);
	latency_open_fini(&copy);
}

static void the_first_of_a_range_ends_first(void **state)
{
	struct latency_rule rule = { .within = "nr", .queue = true };
	struct latency_open open = { .rule = &rule };

	(void)state;
	range(&open, 100, 8, 0);
	check_end(&open, 100, 8, 0, "100");
	for (int i = 0; i < 3; i++)
		range(&open, 100, 8, 0);
	check_end(&open, 100, 8, 0, "100~");
	check_end(&open, 100, 8, 0, "100~");
	check_end(&open, 100, 8, 0, "100~");		/* it may have been another's, too */
	check_end(&open, 100, 8, 0, "");
	/* of none */
	latency_open_again(&open, &(struct latency_at){ 100, 5, 8, 0, false, 0 });
	assert_true(range(&open, 100, 8, 0));
	latency_open_again(&open, &(struct latency_at){ 100, 5, 8, 0, false, 0 });
	assert_false(range(&open, 100, 8, 0));
	check_end(&open, 100, 8, 0, "100!");
	range(&open, 100, 8, 0);
	check_end(&open, 100, 8, 0, "100");
	latency_open_fini(&open);
}

/* Events of one kind may show that what is open is none, or goes on, whatever the rule is. */
static void ranges_are_dropped(void **state)
{
	struct latency_rule rule = { .within = "nr", .queue = true };
	struct latency_open open = { .rule = &rule };

	(void)state;
	for (int i = 0; i < 2; i++)
		range(&open, 100, 8, 0);
	range(&open, 200, 8, 0);
	latency_open_drop(&open, &(struct latency_at){ 104, 5, 1, 0, false, 0 });
	assert_int_equal(nr_open(&open), 1);
	check_end(&open, 100, 200, 0, "200");
	range(&open, UINT64_MAX - 7, 8, 0);		/* the last keys that there are */
	check_end(&open, UINT64_MAX - 3, 4, 0, "");
	check_end(&open, UINT64_MAX - 15, 12, 0, "-8");
	range(&open, 8190, 8, 0);			/* given back, and merged */
	range(&open, 8198, 8, 0);
	latency_open_again(&open, &(struct latency_at){ 8190, 5, 8, 0, false, 0 });
	latency_open_again(&open, &(struct latency_at){ 8198, 5, 8, 0, false, 0 });
	assert_false(range(&open, 8182, 24, 0));
	assert_int_equal(open.replaced, 1);
	check_end(&open, 8182, 16, 0, "");
	check_end(&open, 8198, 8, 0, "8182!");
	latency_open_fini(&open);
}

static void empty_ranges_have_labels(void **state)
{
	struct latency_rule rule = { .within = "nr", .queue = true };
	struct latency_open open = { .rule = &rule, .names = name_table_new() };
	uint32_t flush = name_table_add(open.names, "FWS", 3),
		 write = name_table_add(open.names, "WS", 2),
		 cache = name_table_add(open.names, "FF", 2);

	(void)state;
	range(&open, 0, 0, flush);
	range(&open, 0, 8, write);
	check_end(&open, 0, 0, cache, "");
	check_end(&open, 0, 0, write, "0");
	check_end(&open, 0, 0, write, "");
	check_end(&open, 0, 8, write, "0");
	assert_int_equal(nr_open(&open), 0);
	name_table_free(open.names);
	latency_open_fini(&open);
}

/* --- lists ------------------------------------------------------------------------------------ */

/* However few are kept, all in turns are in order, and each is there once. */
static void the_worst_are_kept(void **state)
{
	struct latency_instance after = { 0 };
	uint64_t seen = 0, sum = 0;

	(void)state;
	for (bool more = true; more;) {
		struct latency_list list = { 0 };
		struct latency_kind kind;

		for (uint32_t i = 0; i < 3000; i++) {
			struct latency_instance one = { .start = i, .from = i,
							.end = i + i * 7919 % 500 };

			latency_list_add(&list, &one, 400, seen ? &after : NULL);
		}
		latency_list_result(&list, 400, true, &kind);
		assert_int_equal(kind.sums.n, 3000);
		assert_int_equal(kind.sums.max, 499);
		assert_int_equal(kind.sums.p50, 249);
		assert_int_equal(kind.sums.p999, 499);
		for (uint32_t i = 0; i < kind.worst.nr; i++) {
			if (seen++)
				assert_true(latency_duration(&kind.worst.list[i]) <=
					    latency_duration(&after));
			after = kind.worst.list[i];
			sum += kind.worst.list[i].from;
		}
		more = kind.worst.left_out;
		free(kind.worst.list);
		free(kind.opens.list);
	}
	assert_int_equal(seen, 3000);
	assert_int_equal(sum, 3000 * 2999 / 2);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Of few and of many instances, short and long ones: as in a sorted list of all durations. */
static void percentiles_are_exact(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 255, 256, 257, 258, 2000 };
	uint64_t durations[2000];

	(void)state;
	for (unsigned int s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct latency_list list = { 0 };
		struct latency_kind kind;
		uint32_t n = sizes[s];
		uint64_t in_bins = 0;

		for (uint32_t i = 0; i < n; i++) {
			durations[i] = i % 3 ? 5 + i * 7919 % 1000 : i * 7919 % 1000 * 100;
			latency_list_count(&list, durations[i]);
		}
		qsort(durations, n, sizeof(*durations), by_value);
		latency_list_result(&list, 0, true, &kind);
		assert_int_equal(kind.sums.n, n);
		assert_int_equal(kind.sums.min, durations[0]);
		assert_int_equal(kind.sums.max, durations[n - 1]);
		assert_int_equal(kind.sums.p50, durations[(n + 1) / 2 - 1]);
		assert_int_equal(kind.sums.p99, durations[(n * 99 + 99) / 100 - 1]);
		for (unsigned int i = 0; i < sizeof(kind.sums.histogram) / sizeof(uint64_t); i++)
			in_bins += kind.sums.histogram[i];
		assert_int_equal(in_bins, n);
		free(kind.worst.list);
		free(kind.opens.list);
	}
}

/* A doubtful call has an exact duration: it is in the sums, and still one instance. */
static void each_end_counts_once(void **state)
{
	static const uint8_t flags[] = { 0, LATENCY_DOUBTFUL, LATENCY_DOUBTFUL | LATENCY_EXACT };

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct latency_instance one = { .end = 5, .flags = flags[i] };
		struct latency_list list = { 0 };

		latency_list_add(&list, &one, 0, NULL);
		assert_int_equal(latency_nr_ended(i == 2 ? LATENCY_CALL : LATENCY_SLEEP,
						  &list.sums),
				 1);
		latency_list_fini(&list);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_read),
		cmocka_unit_test(mistakes_are_told),
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(hooks_become_pairs),
		cmocka_unit_test(ends_end_starts),
		cmocka_unit_test(one_start_is_open_alone),
		cmocka_unit_test(ranges_end_when_all_has),
		cmocka_unit_test(the_first_of_a_range_ends_first),
		cmocka_unit_test(ranges_are_dropped),
		cmocka_unit_test(empty_ranges_have_labels),
		cmocka_unit_test(the_worst_are_kept),
		cmocka_unit_test(percentiles_are_exact),
		cmocka_unit_test(each_end_counts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
