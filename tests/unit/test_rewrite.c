/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recorded traces, written again by trace_writer: trace-cmd and our reader must find the same in
 * both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/open/open.h"
#include "src/base/text.h"
#include "tests/lib/recorded.h"
#include "tests/lib/rewrite.h"

static const struct {
	const char	*name;
	struct rewrite_form form;
} forms[] = {
	{ "v6",			{ .version = 6 } },
	{ "v7",			{ .version = 7 } },
#ifdef HAVE_ZLIB
	{ "v7 zlib",		{ .version = 7, .compression = TRACE_ZLIB } },
#endif
#ifdef HAVE_ZSTD
	{ "v7 zstd",		{ .version = 7, .compression = TRACE_ZSTD } },
	{ "v7 zstd by 1",	{ .version = 7, .compression = TRACE_ZSTD, .chunk_pages = 1 } },
#endif
};

/* A quick run takes one fixture of each kind. */
static const char *const quick[] = {
	"v6", "v7-zstd", "v7-zlib", "instances", "irqsoff", "subbuf", "date", "clock-tsc", "lost",
	"empty-cpu",
	"tc34-fgraph-args-btf",
};

static char out_path[64];

static bool is_quick(const char *name)
{
	for (size_t i = 0; i < sizeof(quick) / sizeof(quick[0]); i++)
		if (!strcmp(name, quick[i]))
			return true;
	return false;
}

static void report(const char *path, struct text *text)
{
	char command[8300], block[65536];
	size_t n;
	FILE *f;

	text_clear(text);
	snprintf(command, sizeof(command), "trace-cmd report '%s' 2>&1", path);
	f = popen(command, "r");
	assert_non_null(f);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		text_bytes(text, block, n);
	pclose(f);
}

static void compare_reports(const struct text *want, const char *name, const char *form)
{
	struct text got = { 0 };

	report(out_path, &got);
	if (got.len != want->len || memcmp(got.data, want->data, got.len))
		fail_msg("trace-cmd reports %s otherwise as %s", name, form);
	text_fini(&got);
}

static void check_fixture(const char *path, const char *name, bool with_trace_cmd)
{
	struct ft_error err = { 0 };
	struct source *original = source_open(path, -1, &err);
	struct text want = { 0 };

	if (!original)
		fail_msg("%s: %s", path, err.message);
	/* Debian's trace-cmd 3.1.6 knows no zlib */
	with_trace_cmd = with_trace_cmd && strcmp(source_info(original)->compression, "zlib");
	if (with_trace_cmd)
		report(path, &want);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct source *copy;
		const char *difference;

		if (rewrite_trace(original, out_path, &forms[i].form, &err))
			fail_msg("%s as %s: %s", name, forms[i].name, err.message);
		copy = source_open(out_path, -1, &err);
		if (!copy)
			fail_msg("%s as %s: %s", name, forms[i].name, err.message);
		assert_int_equal(source_nr_warnings(copy), 0);
		difference = rewrite_difference(original, copy);
		if (difference)
			fail_msg("%s as %s: %s", name, forms[i].name, difference);
		source_close(copy);
		if (with_trace_cmd && forms[i].form.compression != TRACE_ZLIB)
			compare_reports(&want, name, forms[i].name);
	}
	text_fini(&want);
	source_close(original);
}

static void test_fixtures(void **state)
{
	bool with_trace_cmd = !system("command -v trace-cmd >/dev/null");
	bool all = getenv("FTOP_TEST_LONG") != NULL;
	char dir[4096], path[8192];
	struct dirent *entry;
	unsigned int nr = 0;
	DIR *d;

	(void)state;
	assert_true(recorded_dir(dir, sizeof(dir)));
	d = opendir(dir);
	assert_non_null(d);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.' || (!all && !is_quick(entry->d_name)))
			continue;
		snprintf(path, sizeof(path), "%s/%s/trace.dat", dir, entry->d_name);
		if (access(path, R_OK))
			continue;
		check_fixture(path, entry->d_name, with_trace_cmd);
		nr++;
	}
	closedir(d);
	assert_true(nr > 0);
}

static int make_path(void **state)
{
	int fd;

	(void)state;
	snprintf(out_path, sizeof(out_path), "/tmp/ftop-rewrite-XXXXXX");
	fd = mkstemp(out_path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(out_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixtures),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
