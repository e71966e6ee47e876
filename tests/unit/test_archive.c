/* SPDX-License-Identifier: GPL-2.0-or-later */
/* archive: files that were opened before privileges were given up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/io/archive.h"

static char folder[] = "/tmp/ftop-archive-XXXXXX", path[64], other[64];

static void write_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
}

static void assert_opens(const char *name, const char *text)
{
	struct ft_error err = { 0 };
	char buf[64] = "";
	int fd = -1;

	assert_int_equal(archive_open(name, &fd, NULL, &err), 0);
	assert_true(fd >= 0);
	assert_true(pread(fd, buf, sizeof(buf) - 1, 0) >= 0);
	assert_string_equal(buf, text);
	assert_int_equal(close(fd), 0);
}

/* A file that is recorded again has the name of the former one. */
static void test_ahead(void **state)
{
	struct ft_error err = { 0 };
	int fd = -1;

	(void)state;
	write_file(path, "the first one");
	assert_true(archive_open_ahead(path) >= 0);
	for (int i = 0; i < 3; i++)
		assert_opens(path, "the first one");
	assert_int_equal(rename(path, other), 0);
	assert_opens(other, "the first one");
	assert_int_equal(archive_open(path, &fd, NULL, &err), 0);
	assert_int_equal(fd, -1);
	write_file(path, "another one");
	assert_opens(path, "another one");
	assert_int_equal(unlink(path) | unlink(other), 0);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/trace.dat", folder);
	snprintf(other, sizeof(other), "%s/other.dat", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ahead),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
