/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/open_recorded.h"
#include "ui/rows/kept.h"
#include "ui/screen/prompt.h"

static struct text filters;		/* reused: what is written and read */
static char folder[] = "/tmp/ftop-kept-XXXXXX";

static struct place place_at(struct trace *trace, uint64_t row)
{
	struct trace_event event;

	assert_true(trace_event_at(trace, trace_select(trace, row), &event));
	return place_of_event(&event);
}

static void write_file(const char *path, const char *s)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(s, file);
	assert_int_equal(fclose(file), 0);
}

/* Numbers of views: of too many, the last; what is no number ends them. */
static void test_numbers(void **state)
{
	uint64_t many[KEPT_MAX_NUMBERS + 8], back[KEPT_MAX_NUMBERS];
	struct text line = { 0 };

	(void)state;
	for (unsigned int i = 0; i < KEPT_MAX_NUMBERS + 8; i++)
		many[i] = UINT64_MAX - i;
	kept_add_numbers(&line, "folds", many, KEPT_MAX_NUMBERS + 8);
	assert_true(line.len <= KEPT_FILTER_BYTES);
	assert_int_equal(strncmp(text_str(&line), "folds ", 6), 0);
	text_add(&line, " 1 2 3");	/* more than it writes */
	assert_int_equal(kept_numbers(line.data + 6, back), KEPT_MAX_NUMBERS);
	assert_memory_equal(back, many + 8, sizeof(back));
	assert_int_equal(kept_numbers("", back), 0);
	assert_int_equal(kept_numbers("1 x 2", back), 1);
	assert_int_equal(kept_numbers("ffffffffffffffffff", back), 2);
	text_fini(&line);
}

/* A call begins before its record: the mark stays at both.  Far from any record it is a moment. */
static void test_begin_of_call(void **state)
{
	struct trace *trace = open_data("cpu4", 1);
	struct place record = place_at(trace, 100), place = record;

	(void)state;
	place.ts -= 1;
	assert_true(kept_find(trace, &place));
	assert_int_equal(place.ref, record.ref);
	assert_int_equal(place.ts, record.ts - 1);
	place = record;
	place.ts += 1;
	assert_true(kept_find(trace, &place));
	assert_int_equal(place.ref, TRACE_REF_NONE);
	assert_int_equal(place.ts, record.ts + 1);
	place = record;
	place.ts -= 1000000000;
	assert_false(kept_find(trace, &place));
	trace_close(trace);
}

/* A call may begin at the time of another task's row: it stays one of its own task. */
static void test_begin_at_other_row(void **state)
{
	struct trace *trace = open_data("cpu4", 1);
	struct places places, back;
	struct place place, other;
	struct text identity = { 0 }, path = { 0 }, none = { 0 };
	struct ft_error err = { 0 };
	struct kept_count count;
	uint64_t row = 8000;

	(void)state;
	do {
		other = place_at(trace, row++);
		place = place_at(trace, row);
	} while (place.pid == other.pid || place.cpu == other.cpu || place.ts == other.ts ||
		 place.ts - other.ts > 1000);
	place.ts = other.ts;
	places_init(&places);
	places_init(&back);
	places_mark(&places, 'a', place);
	assert_true(kept_find(trace, &places.marks[0]));
	assert_true(place_same(&places.marks[0], &place));
	assert_int_equal(places.marks[0].pid, place.pid);
	places.marks[1] = place;		/* far from its record it is a moment of the task */
	places.marks[1].ts -= 20000000;
	kept_identity(trace, &identity);
	text_printf(&path, "%s/begin", folder);
	assert_int_equal(kept_write(text_str(&path), trace, &identity, &places, &none, &none, 0600,
				    &err),
			 0);
	assert_int_equal(kept_read(text_str(&path), &identity, false, trace, &back, &none, &none,
				   &count, &err),
			 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(back.marks[i].ref, i ? TRACE_REF_NONE : place.ref);
		assert_int_equal(back.marks[i].ts, places.marks[i].ts);
		assert_int_equal(back.marks[i].pid, place.pid);
		assert_int_equal(back.marks[i].cpu, place.cpu);
	}
	assert_int_equal(unlink(text_str(&path)), 0);
	places_fini(&places);
	places_fini(&back);
	text_fini(&identity);
	text_fini(&path);
	text_fini(&none);
	trace_close(trace);
}

/* What was written is read: the same rows, the same words. */
static void test_round(void **state)
{
	struct trace *trace = open_data("cpu4", 1);
	struct places places, back;
	struct text identity = { 0 }, path = { 0 }, keeps = { 0 };
	struct ft_error err = { 0 };
	struct kept_count count;

	(void)state;
	places_init(&places);
	places_init(&back);
	kept_identity(trace, &identity);
	text_printf(&path, "%s/made/for/it/marks", folder);
	places_mark(&places, 'a', place_at(trace, 10));
	places_mark(&places, 'z', place_at(trace, 15000));
	places_mark(&places, 'm',
		    (struct place){ .set = true,
				    .ref = TRACE_REF_NONE,
				    .ts = 7574228000,
				    .pid = 80,
				    .cpu = 1 });
	places_note(&places, place_at(trace, 20), "here it waits");
	text_add(&keeps, "view 3\n6 sort run_ns\n");
	text_clear(&filters);
	text_add(&filters, "sched_switch && cpu == 1\n\"two  blanks\" # no comment\n");
	assert_int_equal(kept_write(text_str(&path), trace, &identity, &places, &filters, &keeps,
				    0600, &err),
			 0);
	/* in place of itself */
	assert_int_equal(kept_write(text_str(&path), trace, &identity, &places, &filters, &keeps,
				    0600, &err),
			 0);
	text_clear(&filters);
	text_clear(&keeps);
	assert_int_equal(kept_read(text_str(&path), &identity, false, trace, &back, &filters,
				   &keeps, &count, &err),
			 0);
	assert_string_equal(text_str(&keeps), "view 3\n6 sort run_ns\n");
	assert_int_equal(count.marks, 3);
	assert_int_equal(count.filters, 2);
	assert_string_equal(text_str(&filters),
			    "sched_switch && cpu == 1\n\"two  blanks\" # no comment\n");
	assert_true(place_same(places_get(&back, 'm'), places_get(&places, 'm')));
	assert_int_equal(count.notes, 1);
	assert_int_equal(count.lost, 0);
	assert_int_equal(places_get(&back, 'a')->ref, places_get(&places, 'a')->ref);
	assert_int_equal(places_get(&back, 'z')->ts, places_get(&places, 'z')->ts);
	assert_null(places_get(&back, 'b'));
	assert_string_equal(places_note_at(&back, place_at(trace, 20).ref), "here it waits");

	places_fini(&places);
	places_fini(&back);
	text_fini(&identity);
	text_fini(&path);
	text_fini(&keeps);
	trace_close(trace);
}

/* A filter may be as long as can be typed. */
static void test_longest_filter(void **state)
{
	struct trace *trace = open_data("cpu4", 1);
	struct text identity = { 0 }, path = { 0 };
	struct ft_error err = { 0 };
	struct kept_count count;
	struct places places;

	(void)state;
	places_init(&places);
	kept_identity(trace, &identity);
	text_printf(&path, "%s/made/for/it/marks", folder);
	text_clear(&filters);
	for (int i = 0; i < PROMPT_MAX_BYTES; i++)
		text_char(&filters, 'a');
	text_char(&filters, '\n');
	assert_int_equal(kept_write(text_str(&path), trace, &identity, &places, &filters, NULL,
				    0600, &err),
			 0);
	text_clear(&filters);
	assert_int_equal(kept_read(text_str(&path), &identity, false, trace, &places, &filters,
				   NULL, &count, &err),
			 0);
	assert_int_equal(count.filters, 1);
	assert_int_equal(filters.len, PROMPT_MAX_BYTES + 1);
	places_fini(&places);
	text_fini(&identity);
	text_fini(&path);
	trace_close(trace);
}

/*
 * Marks are kept in recorded time: they are found whatever offset the trace is opened with, which
 * is kept as well.
 */
static void test_offset(void **state)
{
	struct trace *plain = open_data("cpu4", 1), *trace;
	struct trace_offset offset = { 1500000, TRACE_UNIT_NS };
	struct trace_options options = { .nr_workers = 1, .hold_permille = -1, .offsets = &offset };
	const char *file = trace_path(plain, 0);
	struct text identity = { 0 }, path = { 0 };
	struct ft_error err = { 0 };
	struct places places, back;
	struct kept_count count;

	(void)state;
	trace = trace_open(&file, 1, true, &options, &err);
	assert_non_null(trace);
	trace_wait(trace);
	places_init(&places);
	places_init(&back);
	kept_identity(trace, &identity);
	text_printf(&path, "%s/offset", folder);
	places_mark(&places, 'c', place_at(trace, 10));
	places_mark(&places, 'm',
		    (struct place){ .set = true,
				    .ref = TRACE_REF_NONE,
				    .ts = 7574228000,
				    .pid = 80,
				    .cpu = 1 });
	assert_int_equal(kept_write(text_str(&path), trace, &identity, &places, NULL, NULL, 0600,
				    &err),
			 0);
	text_clear(&identity);
	kept_identity(plain, &identity);
	assert_int_equal(kept_read(text_str(&path), &identity, false, plain, &back, &filters, NULL,
				   &count, &err),
			 0);
	assert_int_equal(count.marks, 2);
	assert_int_equal(places_get(&back, 'c')->ref, places_get(&places, 'c')->ref);
	assert_int_equal(places_get(&back, 'c')->ts, places_get(&places, 'c')->ts - offset.by);
	assert_int_equal(places_get(&back, 'm')->ts, 7574228000 - offset.by);
	offset.by = 0;
	assert_true(kept_offsets(text_str(&path), &identity, false, plain, &offset));
	assert_int_equal(offset.by, 1500000);
	assert_int_equal(kept_write(text_str(&path), plain, &identity, &places, NULL, NULL, 0600,
				    &err),
			 0);
	assert_false(kept_offsets(text_str(&path), &identity, false, plain, &offset));
	assert_int_equal(offset.by, 0);
	assert_int_equal(unlink(text_str(&path)), 0);
	places_fini(&places);
	places_fini(&back);
	text_fini(&identity);
	text_fini(&path);
	trace_close(trace);
	trace_close(plain);
}

/* Of another trace, or no such file at all. */
static void test_other(void **state)
{
	static const struct { const char *file, *span; bool anywhere, taken; } cases[] = {
		{ "file %lld %s\n", "span %lld %lld\n", false, true },
		{ "file %lld /other%s\n", "span %lld %lld\n", false, false },
		{ "file %lld /other%s\n", "span %lld %lld\n", true, true },
		{ "file 1%lld %s\n", "span %lld %lld\n", true, false },
		{ "file %lld %s\n", "span 1%lld %lld\n", true, false },
		{ "file %lld %s\n", "span %lld %lld0\n", true, false },
	};
	struct trace *trace = open_data("cpu4", 1);
	struct text identity = { 0 }, path = { 0 };
	char *real = realpath(trace_path(trace, 0), NULL);
	struct stat st;
	int64_t first, last;

	(void)state;
	assert_int_equal(stat(real, &st), 0);
	assert_true(trace_span(trace, &first, &last));
	kept_identity(trace, &identity);
	text_printf(&path, "%s/other", folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ft_error err = { 0 };
		struct kept_count count;
		struct places places;
		char file[5000], line[4500];

		places_init(&places);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(line, sizeof(line), cases[i].file, (long long)st.st_size, real);
		snprintf(file, sizeof(file), "ftop-trace marks 1\n%s", line);
		snprintf(line, sizeof(line), cases[i].span, (long long)first, (long long)last);
#pragma GCC diagnostic pop
		strcat(file, line);
		write_file(text_str(&path), file);
		assert_int_equal(kept_read(text_str(&path), &identity, cases[i].anywhere, trace,
					   &places, &filters, NULL, &count, &err),
				 cases[i].taken ? 0 : -1);
		places_fini(&places);
	}
	free(real);
	text_fini(&identity);
	text_fini(&path);
	trace_close(trace);
}

static const char *const hostile_lines[] = {
	"mark a 65535:268435455:1048575 1\n", "mark a 0:268435455:0 7574227913\n",
	"mark a 70000:0:0 1\n",
	"mark a 0:0:99999999 1\n", "mark a -1:-1:-1 -1\n", "mark A 0:0:1 1\n", "mark a\n",
	"mark a 0\n",
	"mark  0:0:1 1\n", "note\n", "note 0:0:1\n", "note 0:0:1 5",
	"mark a 0:0:1 99999999999999999999999999\n",
	"later words\n", "\n", "mark a 0:0:1 \n7574227913\n", "mark a - 1 0:0:0\n",
	"mark a - 7574227913 9:1:1\n",
	"mark a - x\n", "mark a -\n", "filter\n", "filter \n", "filter a\033[2J\n", "filter a\tb\n",
};

/* Lines that somebody made up: nothing of them reaches beyond the trace, or the terminal. */
static void test_hostile(void **state)
{
	struct trace *trace = open_data("cpu4", 1);
	struct text identity = { 0 }, path = { 0 }, t = { 0 };
	struct place here = place_at(trace, 5);
	struct kept_count count;
	struct ft_error err = { 0 };
	struct places places;

	(void)state;
	kept_identity(trace, &identity);
	text_printf(&path, "%s/hostile", folder);
	places_init(&places);
	for (size_t i = 0; i < sizeof(hostile_lines) / sizeof(hostile_lines[0]); i++) {
		text_clear(&t);
		text_printf(&t, "ftop-trace marks 1\n%s%s", text_str(&identity), hostile_lines[i]);
		write_file(text_str(&path), text_str(&t));
		assert_int_equal(kept_read(text_str(&path), &identity, true, trace, &places,
					   &filters, NULL, &count, &err),
				 0);
		assert_int_equal(places.nr_notes, 0);
		assert_int_equal(count.filters, 0);
		if (places_get(&places, 'a')) /* only what is there: the moment
						   was named, if not the row */
			assert_int_equal(places_get(&places, 'a')->ts, 7574227913);
		places.marks[0].set = false;
	}
	text_clear(&t);
	text_printf(&t, "ftop-trace marks 1\n%snote %u:%" PRIu64 ":%u %" PRId64 " a\033[2Jb\n",
		    text_str(&identity), trace_ref_stream(here.ref), trace_ref_page(here.ref),
		    trace_ref_item(here.ref), here.ts);
	write_file(text_str(&path), text_str(&t));
	assert_int_equal(kept_read(text_str(&path), &identity, true, trace, &places, &filters, NULL,
				   &count, &err),
			 0);
	assert_int_equal(count.notes, 1);
	assert_null(strchr(places_note_at(&places, here.ref), '\033'));
	/* Cut at any byte: never more than what was written, and no crash. */
	for (size_t len = 0; len < t.len; len++) {
		FILE *file = fopen(text_str(&path), "w");
		struct places some;

		places_init(&some);
		fwrite(t.data, 1, len, file);
		fclose(file);
		kept_read(text_str(&path), &identity, true, trace, &some, &filters, NULL, &count,
			  &err);
		assert_in_range(some.nr_notes, 0, 1);
		places_fini(&some);
	}
	places_fini(&places);
	text_fini(&identity);
	text_fini(&path);
	text_fini(&t);
	trace_close(trace);
}

/* A pipe is not waited for; a file without end is left at its limit. */
static void test_no_files(void **state)
{
	struct text identity = { 0 }, path = { 0 };
	struct ft_error err = { 0 };
	struct kept_count count;
	struct places places;
	FILE *file;

	(void)state;
	places_init(&places);
	text_printf(&path, "%s/pipe", folder);
	assert_int_equal(mkfifo(text_str(&path), 0600), 0);
	assert_int_equal(kept_read(text_str(&path), &identity, true, NULL, &places, &filters, NULL,
				   &count, &err),
			 -1);
	assert_int_equal(err.code, FT_E_FORMAT);
	assert_int_equal(unlink(text_str(&path)), 0);
	assert_int_equal(kept_read(text_str(&path), &identity, true, NULL, &places, &filters, NULL,
				   &count, &err),
			 -1);
	assert_int_equal(err.code, FT_E_IO);
	file = fopen(text_str(&path), "w");
	assert_non_null(file);
	for (int i = 0; i <= KEPT_MAX_BYTES / 16; i++)
		fputs("ftop-trace marks", file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(kept_read(text_str(&path), &identity, true, NULL, &places, &filters, NULL,
				   &count, &err),
			 -1);
	assert_int_equal(err.code, FT_E_LIMIT);
	assert_int_equal(unlink(text_str(&path)), 0);
	text_fini(&identity);
	text_fini(&path);
}

/* Where nothing can be written it is told, and nothing is left behind. */
static void test_unwritable(void **state)
{
	struct trace *trace = open_data("cpu4", 1);
	struct text identity = { 0 };
	struct ft_error err = { 0 };
	struct places places;

	(void)state;
	places_init(&places);
	assert_int_equal(kept_write("/proc/none/marks", trace, &identity, &places, &filters, NULL,
				    0600, &err),
			 -1);
	assert_int_equal(err.code, FT_E_IO);
	text_fini(&identity);
	trace_close(trace);
}

static void test_where(void **state)
{
	struct text one = { 0 }, two = { 0 };
	char a[256], b[256];

	(void)state;
	text_add(&one, "file 1 /a\nspan 1 2\n");
	text_add(&two, "file 1 /a\nspan 1 3\n");
	setenv("XDG_STATE_HOME", "/state", 1);
	assert_non_null(kept_path(&one, a, sizeof(a)));
	assert_non_null(kept_path(&two, b, sizeof(b)));
	assert_true(!strncmp(a, "/state/ftop-trace/marks/", 24));
	assert_string_not_equal(a, b);
	assert_string_equal(kept_path(&one, b, sizeof(b)), a);
	unsetenv("XDG_STATE_HOME");
	unsetenv("HOME");
	assert_null(kept_path(&one, a, sizeof(a)));
	text_fini(&one);
	text_fini(&two);
}

static void path_in(const char *sub, const char *name, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s/%s", folder, sub, name);
}

/* A file last written so many seconds after the epoch. */
static void old_file(const char *name, time_t written)
{
	const struct timespec times[2] = { { written, 0 }, { written, 0 } };
	char path[4096];
	int fd;

	path_in("pruned", name, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static bool is_there(const char *name)
{
	char path[4096];

	path_in("pruned", name, path, sizeof(path));
	return access(path, F_OK) == 0;
}

static void drop(const char *name)
{
	char path[4096];

	path_in("pruned", name, path, sizeof(path));
	assert_int_equal(unlink(path), 0);
}

#define NR_OLD 300u

/* The newest stay, and the one that is open; files of other names are left alone. */
static void test_pruned(void **state)
{
	static const char *const foreign[] = { "letters.txt", "0123456789ABCDEF", "0123456789abcde",
					       "0123456789abcdef.x" };
	char path[4096], name[32];
	unsigned int left = 0;

	(void)state;
	path_in("pruned", "", path, sizeof(path));
	assert_int_equal(mkdir(path, 0700), 0);
	for (unsigned int i = 0; i < NR_OLD; i++) {
		/* names in another order than times; some are of killed processes */
		snprintf(name, sizeof(name), i % 50 ? "%016x" : "%016x.123", i * 7 % NR_OLD);
		old_file(name, 1000 + (time_t)(i * 7 % NR_OLD));
	}
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		old_file(foreign[i], 1);
	path_in("pruned", "0000000000000007", path, sizeof(path));
	kept_prune(path);
	for (unsigned int i = 0; i < NR_OLD; i++) {
		bool there, wanted = i == 7 || i >= NR_OLD - (KEPT_MAX_FILES - 1);

		snprintf(name, sizeof(name), "%016x", i);
		if (!is_there(name))
			snprintf(name, sizeof(name), "%016x.123", i);
		there = is_there(name);
		assert_int_equal(there, wanted);
		left += there;
		if (there)
			drop(name);
	}
	assert_int_equal(left, KEPT_MAX_FILES);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		assert_true(is_there(foreign[i]));
		drop(foreign[i]);
	}
	/* no folder: nothing to do */
	path_in("none", "0000000000000007", path, sizeof(path));
	kept_prune(path);
	path_in("none", "", path, sizeof(path));
	assert_int_equal(access(path, F_OK), -1);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
	static const char *const names[] = {
		"made/for/it/marks", "made/for/it", "made/for", "made", "other",
		"hostile",           "pruned",      ""
	};
	char path[4096];
	int result = 0;

	(void)state;
	text_fini(&filters);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		result = remove(path);
	}
	return result;		/* something is left in it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_begin_of_call),
		cmocka_unit_test(test_begin_at_other_row), cmocka_unit_test(test_round),
		cmocka_unit_test(test_longest_filter),
		cmocka_unit_test(test_offset),
		cmocka_unit_test(test_other),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_no_files),
		cmocka_unit_test(test_unwritable),
		cmocka_unit_test(test_pruned),
		cmocka_unit_test(test_where),
	};

	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
