/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces that shrink or are damaged; what is in trouble, and how dense it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "tests/lib/model_checks.h"

/* --- bytes of the file ---------------------------------------------------------- */

struct bytes {
	uint8_t	*data;		/* owned */
	size_t	 size;
};

static struct bytes read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct bytes b = { 0 };

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	b.size = (size_t)ftell(f);
	rewind(f);
	b.data = mem_alloc(b.size);
	assert_int_equal(fread(b.data, 1, b.size, f), b.size);
	fclose(f);
	return b;
}

static void write_file(const char *path, const struct bytes *b)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(b->data, 1, b->size, f), b->size);
	assert_int_equal(fclose(f), 0);
}

/* --- shrinking ----------------------------------------------------------------------- */

static void read_all(struct trace *trace)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	unsigned int damaged = 0;
	struct trace_event event;
	bool exact;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		damaged += event.kind == TRACE_ROW_DAMAGE;
		trace_rank(trace, event.ref, &exact);
	}
	assert_true(damaged > 0);
	trace_cursor_seek(cursor, TRACE_REF_NONE);
	while (trace_cursor_prev(cursor, &event))
		;
	for (uint64_t row = 0; row < trace_status(trace).rows; row += 97)
		trace_select(trace, row);
	trace_cursor_free(cursor);
}

/* The file is cut while it is open: what is gone is damaged, and nothing else happens. */
static void test_file_that_shrinks(void **state)
{
	struct gen_options options = {
		.seed = 8, .layout = { 4096, 8, false }, .nr_cpus = 3, .pages = 40
	};

	(void)state;
	for (int round = 0; round < 4; round++) {
		struct subject s;
		struct bytes b;

		/* Before the directory is made, and after. */
		subject_open(&s, &options, 7, round & 1 ? TRACE_ZSTD : TRACE_PLAIN, 2,
			     round & 2 ? 0 : -1);
		b = read_file(trace_path_of("t.dat"));
		assert_int_equal(truncate(trace_path_of("t.dat"), (off_t)(b.size / 3)), 0);
		read_all(s.trace);
		trace_hold(s.trace, -1);
		trace_wait(s.trace);
		assert_true(trace_status(s.trace).complete);
		read_all(s.trace);
		free(b.data);
		subject_close(&s);
	}
}

/* --- damage ---------------------------------------------------------------------------- */

/* Rows in order; then every way to find them agrees. */
static void check_own_order(struct trace *trace, uint64_t nr_damaged, uint64_t from, uint64_t to)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	trace_ref *refs = NULL;
	size_t nr = 0, cap = 0, i;
	uint64_t damaged = 0;
	struct trace_event event;
	int64_t last = INT64_MIN;
	bool exact;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		assert_true(event.key >= last);
		last = event.key;
		if (event.kind == TRACE_ROW_DAMAGE) {
			damaged++;
			assert_true(event.damage_offset >= from && event.damage_offset <= to);
		}
		mem_grow(&refs, nr, &cap);
		refs[nr++] = event.ref;
	}
	assert_int_equal(damaged, nr_damaged);
	assert_int_equal(trace_status(trace).rows, nr);
	for (i = nr; trace_cursor_prev(cursor, &event);)
		assert_int_equal(event.ref, refs[--i]);
	assert_int_equal(i, 0);
	for (i = 0; i < nr; i += 1 + nr / 200 + i % 7) {
		assert_int_equal(trace_select(trace, i), refs[i]);
		assert_int_equal(trace_rank(trace, refs[i], &exact), i);
	}
	free(refs);
	trace_cursor_free(cursor);
}

static void test_damaged_pages(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 12; round++) {
		struct gen_options options = { .seed = 700 + round,
					       .layout = { 4096, 8, false },
					       .nr_cpus = 1 + round % 3,
					       .pages = 30,
					       .features = round % 2 ? GEN_LOST_COUNTS :
								       GEN_PLAIN };
		struct gen_random random;
		uint64_t nr_damaged = 0;
		struct subject s;
		struct bytes b;
		uint8_t *data;

		subject_open(&s, &options, 6, TRACE_PLAIN, 1, -1);
		trace_close(s.trace);
		b = read_file(trace_path_of("t.dat"));
		data = memmem(b.data, b.size, s.gen->streams[0].pages, 4096);
		assert_non_null(data);
		gen_random_init(&random, options.seed);
		for (uint32_t p = 0; p < 30; p++) {
			uint8_t *page = data + p * 4096;

			if (!gen_random_one_in(&random, 3))
				continue;
			nr_damaged++;
			switch (gen_random_below(&random, 3)) {
			case 0:			/* no records at all, and a commit that cannot be */
				memset(page + 16, 0, 4080);
				memset(page + 8, 0xff, 8);
				break;
			case 1:			/* zeros from somewhere on */
				memset(page + 1000, 0, 3096);
				store_u64(page + 8, 4080, HOST_BIG_ENDIAN);
				break;
			default:		/* a commit beyond the page */
				store_u64(page + 8, 4081, HOST_BIG_ENDIAN);
			}
		}
		write_file(trace_path_of("t.dat"), &b);
		s.trace = open_path(trace_path_of("t.dat"), 2, -1);
		trace_wait(s.trace);
		assert_int_equal(trace_status(s.trace).damaged_pages, nr_damaged);
		check_own_order(s.trace, nr_damaged, (uint64_t)(data - b.data),
				(uint64_t)(data - b.data) + 30 * 4096);
		free(b.data);
		subject_close(&s);
	}
}

/* Overwrite some bytes, most of them in the sub-buffers. */
static void spoil(struct bytes *b, struct gen_random *random)
{
	for (uint32_t i = gen_random_below(random, 40) + 1; i; i--) {
		uint64_t reach = gen_random_one_in(random, 4) ? b->size : b->size / 5 * 4;
		size_t at = b->size - 1 - (size_t)(gen_random_u64(random) % reach);
		uint8_t with = gen_random_one_in(random, 3) ?
				       0xff :
				       (uint8_t)gen_random_below(random, 256);

		for (uint32_t n = gen_random_below(random, 12) + 1; n && at < b->size; n--)
			b->data[at++] = with;
	}
}

/* Whatever the bytes are: rows are in order, and every way to find them agrees. */
static void check_spoiled(struct trace *trace)
{
	struct trace_status status = trace_status(trace);
	struct trace_bin bins[50];
	int64_t first = 0, last = 1;
	bool wrapped;

	assert_true(status.complete);
	check_own_order(trace, status.damaged_pages, 0, UINT64_MAX);
	if (trace_first(trace) != TRACE_REF_NONE)
		trace_next_trouble(trace, trace_first(trace), &wrapped);
	trace_span(trace, &first, &last);
	trace_density(trace, first, last, 50, bins);
}

static void test_random_damage(void **state)
{
	static const enum trace_compression kinds[] = {
		TRACE_PLAIN, TRACE_PLAIN, TRACE_PLAIN,
#ifdef HAVE_ZSTD
		TRACE_ZSTD,
#endif
	};
	unsigned int rounds = getenv("FTOP_TEST_LONG") ? 1500 : 15, opened = 0;
	struct gen_random random;

	(void)state;
	gen_random_init(&random, 4711);
	for (unsigned int i = 0; i < rounds; i++) {
		struct gen_options options = {
			.seed = 4000 + i, .layout = { i % 3 ? 4096 : 65536, i % 2 ? 8 : 4,
						      i % 5 == 0 }, .nr_cpus = 1 + i % 5,
			.pages = i % 3 ? 20 : 2, .features = i % 2 ? GEN_ALL : GEN_PLAIN,
		};
		enum trace_compression kind = kinds[i % (sizeof(kinds) / sizeof(kinds[0]))];
		struct trace_options how = { .nr_workers = 2, .hold_permille = -1 };
		struct gen_trace *gen = gen_trace_new(&options);
		const char *path = trace_path_of("t.dat");
		struct ft_error err = { 0 };
		struct trace *trace;
		struct bytes b;

		write_trace(path, gen, kind == TRACE_PLAIN && i % 4 == 1 ? 6 : 7, kind);
		b = read_file(path);
		spoil(&b, &random);
		write_file(path, &b);
		trace = trace_open(&path, 1, true, &how, &err);
		if (trace) {
			opened++;
			trace_wait(trace);
			check_spoiled(trace);
		} else {
			assert_true(err.code != FT_E_NONE && err.message[0]);
		}
		trace_close(trace);
		free(b.data);
		gen_trace_free(gen);
	}
	assert_true(opened > rounds / 3);
}

/* --- trouble ------------------------------------------------------------------------------ */

static bool is_trouble(const struct oracle_row *row)
{
	return row->kind == TRACE_ROW_LOST || row->key > row->ts ||
	       row->event->type > GEN_TYPE_BARE;
}

static void test_next_trouble(void **state)
{
	struct gen_options options = { .seed = 12, .layout = { 4096, 8, false }, .nr_cpus = 4,
				       .pages = 40,
				       .features = GEN_LOST_COUNTS | GEN_BACKWARD_PAGES };
	struct subject s;

	(void)state;
	subject_open(&s, &options, 7, TRACE_PLAIN, 2, -1);
	for (unsigned int round = 0; round < 200; round++) {
		size_t at = gen_random_below(&s.random, s.oracle.nr), want = at + 1;
		bool wrapped;
		trace_ref found = trace_next_trouble(s.trace, oracle_ref(&s.oracle.rows[at]),
						     &wrapped);

		while (want < s.oracle.nr && !is_trouble(&s.oracle.rows[want]))
			want++;
		assert_int_equal(wrapped, want == s.oracle.nr);
		if (wrapped)
			for (want = 0; !is_trouble(&s.oracle.rows[want]); want++)
				;
		assert_int_equal(found, oracle_ref(&s.oracle.rows[want]));
	}
	subject_close(&s);
	options.features = GEN_PLAIN;
	subject_open(&s, &options, 7, TRACE_PLAIN, 2, -1);
	assert_int_equal(trace_next_trouble(s.trace, trace_first(s.trace), &(bool){ false }),
			 TRACE_REF_NONE);
	subject_close(&s);
}

/* --- density -------------------------------------------------------------------------------- */

static size_t bin_of(int64_t ts, int64_t first, int64_t last)
{
	return (size_t)((double)(ts - first) * 100 / (double)(last - first));
}

static void test_density(void **state)
{
	struct gen_options options = { .seed = 21, .layout = { 4096, 8, false }, .nr_cpus = 3,
				       .pages = 400,
				       .features = GEN_LOST_MARKS };
	uint64_t sum = 0, true_events[100] = { 0 };
	struct trace_bin bins[100];
	int64_t first, last;
	struct subject s;

	(void)state;
	subject_open(&s, &options, 7, TRACE_PLAIN, 2, -1);
	assert_true(trace_span(s.trace, &first, &last));
	assert_int_equal(first, s.oracle.rows[0].key);
	assert_int_equal(last, s.oracle.rows[s.oracle.nr - 1].key);
	last++;
	trace_density(s.trace, first, last, 100, bins);
	for (size_t i = 0; i < s.oracle.nr; i++) {
		const struct oracle_row *row = &s.oracle.rows[i];
		size_t bin = bin_of((int64_t)row->key, first, last);
		struct trace_event event;

		if (row->kind == TRACE_ROW_EVENT) {
			true_events[bin]++;
			continue;
		}
		assert_true(trace_event_at(s.trace, oracle_ref(row), &event));
		for (size_t j = bin_of(event.gap_from, first, last); j <= bin; j++)
			assert_true(bins[j].lost);
	}
	for (int i = 0; i < 100; i++) {
		/* a page holds some hundred, spread evenly */
		uint64_t near = true_events[i] / 4 + 300;

		sum += bins[i].events;
		assert_false(bins[i].damaged);
		assert_true(bins[i].events <= true_events[i] + near &&
			    true_events[i] <= bins[i].events + near);
	}
	assert_true(sum > s.oracle.nr_events - 100 && sum < s.oracle.nr_events + 100);
	/* Outside of the trace there is nothing. */
	trace_density(s.trace, last + 1000, last + 2000, 100, bins);
	for (int i = 0; i < 100; i++)
		assert_int_equal(bins[i].events, 0);
	subject_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_that_shrinks),
		cmocka_unit_test(test_damaged_pages),
		cmocka_unit_test(test_random_damage),
		cmocka_unit_test(test_next_trouble),
		cmocka_unit_test(test_density),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
