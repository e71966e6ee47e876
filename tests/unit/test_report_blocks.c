/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report is the same whatever the number of threads that make it and the size of the blocks they
 * take, for every option: beside one thread and a block of one record, and, as far as it is stored,
 * trace-cmd's own report.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "parsers/io/byte_reader.h"
#include "parsers/printer/printer.h"
#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "src/filter/filter.h"
#include "src/base/memory.h"
#include "src/report/report.h"
#include "src/base/text.h"
#include "tests/lib/rewrite.h"
#include "tests/lib/start_helper.h"

#define MAX_TRACES	64u

static char *traces[MAX_TRACES];
static unsigned int nr_traces;
static char dir[] = "/tmp/ftop-test-XXXXXX";

/* --- the cases -------------------------------------------------------------------- */

static const bool cpu_one[] = { false, true };
static const char *const parent[] = { "ftrace:parent=1", "fgraph:tailprint" };
static const struct filter_source not_idle[] = { { "pid != 0", false, -1 } };
static const struct filter_source lost[] = { { "lost || CPU == 0", false, -1 } };

static const struct option_case {
	const char		*name;
	struct report_options	o;
} cases[] = {
	{ "text", REPORT_OPTIONS_INIT },
	{ "-l", { .head = -1, .tail = -1, .latency = true } },
	{ "-t --ts-diff", { .head = -1, .tail = -1, .nanoseconds = true, .ts_diff = true } },
	{ "--ts-diff -l", { .head = -1, .tail = -1, .latency = true, .ts_diff = true } },
	{ "-R", { .head = -1, .tail = -1, .raw = true } },
	{ "-R -l", { .head = -1, .tail = -1, .raw = true, .latency = true } },
	{ "-N", { .head = -1, .tail = -1, .no_plugins = true } },
	{ "-I -S", { .head = -1, .tail = -1, .no_irqs = true, .no_softirqs = true } },
	{ "--cpu 1", { .head = -1, .tail = -1, .cpus = cpu_one, .nr_cpus = 2 } },
	{ "--raw-ts", { .head = -1, .tail = -1, .raw_ts = true } },
	{ "-O", { .head = -1, .tail = -1, .plugin_options = parent, .nr_plugin_options = 2 } },
	{ "--compat=3.4", { .head = -1, .tail = -1, .compat = "3.4" } },
	{ "csv", { .head = -1, .tail = -1, .format = FORMAT_CSV } },
	{ "json", { .head = -1, .tail = -1, .format = FORMAT_JSON } },
	{ "-F", { .head = -1, .tail = -1, .filters = not_idle, .nr_filters = 1 } },
	{ "-F lost", { .head = -1, .tail = -1, .filters = lost, .nr_filters = 1, .exact = true,
		       .from = "+0" } },
	{ "--grep", { .head = -1, .tail = -1, .grep = "[a-f]1|_e" } },
	{ "--grep --head", { .head = 37, .tail = -1, .grep = "[02468]:" } },
	{ "--grep --count", { .head = -1, .tail = -1, .grep = "0", .count = true } },
	{ "csv --grep", { .head = -1, .tail = -1, .grep = "1", .format = FORMAT_CSV } },
	{ "--head", { .head = 300, .tail = -1 } },
	{ "--tail", { .head = -1, .tail = 100 } },
	{ "--from --exact", { .head = -1, .tail = -1, .from = "+5ms", .exact = true } },
	{ "--to", { .head = -1, .tail = -1, .to = "+20ms" } },
	{ "terminal", { .head = -1, .tail = -1, .terminal = true } },
};

static const struct shape {
	unsigned int threads, items;
} shapes[] = { { 1, 0 }, { 2, 0 }, { 2, 3 }, { 4, 17 } };

/* --- reports ------------------------------------------------------------------------ */

static struct text take_fd(int fd)
{
	struct text t = { 0 };
	char buf[65536];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		text_bytes(&t, buf, (size_t)n);
	close(fd);
	return t;
}

static struct text run(const struct report_options *options, const char *const *inputs,
		       unsigned int nr, const struct shape *shape)
{
	struct report_options o = *options;
	struct ft_error err = { 0 };
	int fd = memfd_create("report", 0);

	assert_true(fd >= 0);
	o.inputs = inputs;
	o.nr_inputs = nr;
	o.nr_threads = shape->threads;
	o.block_items = shape->items;
	if (report_run(&o, fd, &err) && err.code != FT_E_USAGE)	/* a clock that counts has no ms */
		fail_msg("%s: %s", inputs[0], err.message);
	return take_fd(fd);
}

static void same(const char *path, const char *what, const struct shape *shape,
		 const struct text *got, const struct text *want)
{
	size_t i = 0;

	if (got->len == want->len && !memcmp(text_str(got), text_str(want), got->len))
		return;
	while (i < got->len && i < want->len && got->data[i] == want->data[i])
		i++;
	while (i && got->data[i - 1] != '\n')
		i--;
	fail_msg("%s, %s, %u threads, blocks of %u: byte %zu\n  %.200s\ninstead of\n  %.200s", path,
		 what, shape->threads, shape->items, i, text_str(got) + i, text_str(want) + i);
}

#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* So many shapes, from one on. */
static void same_in_shapes(const struct option_case *c, const char *const *inputs, unsigned int nr,
			   size_t first, size_t count)
{
	static const struct shape one = { 1, 1 };
	struct text want;

	/* libtraceevent 1.9 prints where in its memory a number lies */
	if (c->o.compat && strstr(inputs[0], "/sample/"))
		return;
	want = run(&c->o, inputs, nr, &one);
	for (size_t i = first; i < first + count; i++) {
		const struct shape *shape = &shapes[i % NR_SHAPES];
		struct text got = run(&c->o, inputs, nr, shape);

		same(inputs[0], c->name, shape, &got, &want);
		text_fini(&got);
	}
	text_fini(&want);
}

/* In all shapes, or in one of them where there is no time. */
static void same_in_some_shapes(const struct option_case *c, const char *const *inputs,
				unsigned int nr, size_t first)
{
	same_in_shapes(c, inputs, nr, first, getenv("FTOP_TEST_LONG") ? NR_SHAPES : 1);
}

/* --- the tests ------------------------------------------------------------------------ */

/* Each option on every eighth trace; on all, and in all shapes, where there is time for it. */
static void test_every_option(void **state)
{
	bool whole = getenv("FTOP_TEST_LONG");

	(void)state;
	assert_true(nr_traces > 10);
	for (unsigned int t = 0; t < nr_traces; t++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			if (whole || (t + i) % 8 == 0)
				same_in_shapes(&cases[i], (const char *const *)&traces[t], 1,
					       (t + i) / 8, whole ? NR_SHAPES : 1);
}

/*
 * Traces of several CPUs whose calls trace-cmd joins otherwise (ftop-trace(1), report);
 * tests/compare/report_parity.py compares their text CPU by CPU.
 */
static bool is_joined_otherwise(const char *path)
{
	return strstr(path, "/cpu4/") || strstr(path, "/fgraph-depth/") ||
	       strstr(path, "/graph-two-cpus/");
}

static void test_stored_reports(void **state)
{
	bool whole = getenv("FTOP_TEST_LONG");
	unsigned int nr = 0;

	(void)state;
	for (unsigned int t = 0; t < nr_traces; t++) {
		struct text path = { 0 }, want = { 0 };
		char buf[65536];
		gzFile file;
		int n;

		if (is_joined_otherwise(traces[t]))
			continue;
		if (HOST_BIG_ENDIAN && strstr(traces[t], "/marker/")) {
			print_message("skipped: %s: libtraceevent reads addresses of texts as this "
				      "machine's\n",
				      traces[t]);
			continue;
		}
		text_bytes(&path, traces[t], strlen(traces[t]) - strlen("trace.dat"));
		text_add(&path, "report.txt.gz");
		file = gzopen(text_str(&path), "rb");
		while (file && (n = gzread(file, buf, sizeof(buf))) > 0)
			text_bytes(&want, buf, (size_t)n);
		nr += file != NULL;
		for (size_t i = t; file && i < t + (whole ? NR_SHAPES : 1); i++) {
			const struct shape *shape = &shapes[i % NR_SHAPES];
			struct text got = run(&cases[0].o, (const char *const *)&traces[t], 1,
					      shape);

			same(traces[t], "as stored", shape, &got, &want);
			text_fini(&got);
		}
		if (file)
			gzclose(file);
		text_fini(&path);
		text_fini(&want);
	}
	assert_true(nr > 10);
}

static struct source *open_trace(const char *path)
{
	struct ft_error err = { 0 };
	struct source *file = source_open(path, -1, &err);

	if (!file)
		fail_msg("%s: %s", path, err.message);
	return file;
}

/*
 * A copy of a trace whose list of saved names begins with what is none: no name is known but by
 * what is printed.
 */
static bool without_names(const char *from, const char *to)
{
	const struct rewrite_form plain = { 7, TRACE_PLAIN, 0 };
	struct source *file = open_trace(from);
	struct ft_error err = { 0 };
	int fd = -1;
	struct text bytes;
	const char *names;
	uint64_t size;
	char *at = NULL;

	assert_int_equal(rewrite_trace(file, to, &plain, &err), 0);
	bytes = take_fd(open(to, O_RDONLY));
	names = source_text(file, TRACE_TEXT_CMDLINES, &size);
	if (names && size > 8)
		at = memmem(bytes.data, bytes.len, names, size);
	if (at) {
		fd = open(to, O_WRONLY);
		assert_int_equal(pwrite(fd, "xxxxxxxx", 8, at - bytes.data), 8);
		close(fd);
	}
	source_close(file);
	text_fini(&bytes);
	return at != NULL;
}

static void test_without_saved_names(void **state)
{
	char path[64];
	const char *input = path;
	unsigned int nr = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/trace.dat", dir);
	for (unsigned int t = 0; t < nr_traces; t++) {
		if (!without_names(traces[t], path))
			continue;
		nr++;
		same_in_some_shapes(&cases[0], &input, 1, t);
		same_in_some_shapes(&cases[4], &input, 1, t);
	}
	unlink(path);
	assert_true(nr > 10);
}

static void test_several_files(void **state)
{
	const char *some[3];
	unsigned int nr = 0;

	(void)state;
	for (unsigned int t = 0; t < nr_traces && nr < 3; t++)
		if (strstr(traces[t], "/cpu4/") || strstr(traces[t], "/instances/") ||
		    strstr(traces[t], "/fgraph-7.2/"))
			some[nr++] = traces[t];
	assert_int_equal(nr, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!cases[i].o.nr_filters)
			same_in_some_shapes(&cases[i], some, nr, i);
}

/* A reader that goes away after a while stops it, whatever is under way. */
static void test_reader_goes_away(void **state)
{
	struct report_options o = REPORT_OPTIONS_INIT;
	struct ft_error err = { 0 };

	(void)state;
	for (unsigned int t = 0; t < nr_traces; t++) {
		int ends[2];
		pid_t child;

		assert_int_equal(pipe(ends), 0);
		child = fork();
		if (!child) {
			char buf[1000];
			ssize_t n = 0;

			close(ends[1]);
			for (unsigned int i = 0;
			     i < t * 10 && (n = read(ends[0], buf, sizeof(buf))) > 0; i++)
				;
			_exit(n < 0);
		}
		close(ends[0]);
		o.inputs = (const char *const *)&traces[t];
		o.nr_inputs = 1;
		o.nr_threads = 3;
		o.block_items = 10;
		assert_int_equal(report_run(&o, ends[1], &err), 0);
		close(ends[1]);
		assert_int_equal(waitpid(child, NULL, 0), child);
	}
}

/* --- set up ---------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find_traces(void **state)
{
	const char *data = getenv("FTOP_TEST_DATA");
	struct text path = { 0 };
	struct dirent *e;
	DIR *d;

	(void)state;
	text_printf(&path, "%s/good", data ? data : "tests/data");
	d = opendir(text_str(&path));
	if (!d || !mkdtemp(dir))
		return -1;
	while ((e = readdir(d)) && nr_traces < MAX_TRACES) {
		struct text name = { 0 };

		text_printf(&name, "%s/%s/trace.dat", text_str(&path), e->d_name);
		if (e->d_name[0] != '.' && !access(text_str(&name), R_OK))
			traces[nr_traces++] = mem_strdup(text_str(&name));
		text_fini(&name);
	}
	closedir(d);
	text_fini(&path);
	qsort(traces, nr_traces, sizeof(*traces), by_name);
	return 0;
}

static int drop_traces(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < nr_traces; i++)
		free(traces[i]);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_option),
		cmocka_unit_test(test_stored_reports),
		cmocka_unit_test(test_without_saved_names),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_reader_goes_away),
	};

	printer_set_helper(start_helper, NULL);
	return cmocka_run_group_tests(tests, find_traces, drop_traces);
}
