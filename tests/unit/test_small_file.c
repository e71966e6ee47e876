/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/small_file.h"

static char folder[] = "/tmp/ftop-small-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void test_round(void **state)
{
	struct text t = { 0 }, back = { 0 };
	struct ft_error err = { 0 };
	struct stat st;

	(void)state;
	text_bytes(&t, "a\0b\n", 4);
	assert_int_equal(small_file_replace(in_folder("made/for/it"), &t, 0600, &err), 0);
	assert_int_equal(stat(in_folder("made/for/it"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	text_add(&back, "before ");
	assert_int_equal(small_file_read(in_folder("made/for/it"), 4, &back, &err), 0);
	assert_int_equal(back.len, 11);
	assert_memory_equal(back.data, "before a\0b\n", 11);
	text_clear(&t);
	assert_int_equal(small_file_replace(in_folder("made/for/it"), &t, 0600, &err), 0);
	assert_int_equal(stat(in_folder("made/for/it"), &st), 0);
	assert_int_equal(st.st_size, 0);
	text_fini(&t);
	text_fini(&back);
}

static void test_refused(void **state)
{
	struct text t = { 0 };
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(small_file_read(in_folder("none"), 10, &t, &err), -1);
	assert_int_equal(err.code, FT_E_IO);
	assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
	assert_int_equal(small_file_read(in_folder("pipe"), 10, &t, &err), -1);
	assert_int_equal(err.code, FT_E_FORMAT);
	text_add(&t, "12345");
	assert_int_equal(small_file_replace(in_folder("five"), &t, 0600, &err), 0);
	assert_int_equal(small_file_read(in_folder("five"), 4, &t, &err), -1);
	assert_int_equal(err.code, FT_E_LIMIT);
	assert_int_equal(small_file_replace("/proc/none/file", &t, 0600, &err), -1);
	assert_int_equal(err.code, FT_E_IO);
	text_fini(&t);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
	static const char *const names[] = {
		"made/for/it", "made/for", "made", "pipe", "five", ""
	};
	int result = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		result = remove(in_folder(names[i]));
	return result;		/* something is left in it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
