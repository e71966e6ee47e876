/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recorder/tracefs/tracefs_dir.h"
#include "tests/lib/fake_tracefs.h"

struct fixture {
	struct fake_tracefs	fake;
	struct tracefs_dir	dir;
	struct text		text;
	struct ft_error		err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_tracefs_init(&f->fake);
	*state = f;
	return tracefs_dir_open(&f->dir, f->fake.root, &f->err);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tracefs_dir_close(&f->dir);
	text_fini(&f->text);
	fake_tracefs_fini(&f->fake);
	free(f);
	return 0;
}

/* What tracefs_dir_find() makes of a list of mounts; NULL if it found none. */
static const char *find(struct fixture *f, const char *mounts)
{
	char path[1024];

	fake_tracefs_put(&f->fake, "mounts", mounts);
	snprintf(path, sizeof(path), "%s/mounts", f->fake.root);
	f->err = (struct ft_error){ 0 };
	return tracefs_dir_find(path, &f->text, &f->err) ? NULL : text_str(&f->text);
}

static void test_find(void **state)
{
	struct fixture *f = *state;
	char line[1024], path[1024];

	assert_string_equal(
		find(f, "proc /proc proc rw 0 0\nnodev /sys/kernel/tracing tracefs rw 0 0\n"),
		"/sys/kernel/tracing");
	assert_string_equal(find(f, "none /mnt/t tracefs rw 0 0\n"), "/mnt/t");
	assert_string_equal(
		find(f, "none /mnt/t tracefs rw 0 0\nnone /sys/kernel/tracing tracefs rw 0 0\n"),
		"/sys/kernel/tracing");
	assert_string_equal(
		find(f, "none /sys/kernel/tracing tracefs rw 0 0\nnone /mnt/t tracefs rw 0 0\n"),
		"/sys/kernel/tracing");
	assert_string_equal(find(f, "none /mnt/a\\040b\\134c tracefs rw 0 0\n"), "/mnt/a b\\c");

	/* A debugfs counts where it has a folder for it, and less than a tracefs. */
	fake_tracefs_put(&f->fake, "debug/tracing/", "");
	snprintf(line, sizeof(line), "none %s/debug debugfs rw 0 0\n", f->fake.root);
	snprintf(path, sizeof(path), "%s/debug/tracing", f->fake.root);
	assert_string_equal(find(f, line), path);
	snprintf(line, sizeof(line), "none %s/debug debugfs rw 0 0\nnone /mnt/t tracefs rw 0 0\n",
		 f->fake.root);
	assert_string_equal(find(f, line), "/mnt/t");
}

static void test_not_mounted(void **state)
{
	struct fixture *f = *state;
	const char *const none[] = {
		"", "\n", "proc\n", "proc /proc", "proc /proc proc rw 0 0\n",
		"tracefs /mnt ext4 rw 0 0\n",
		"none /nonexistent/debug debugfs rw 0 0\n", "none /mnt tracefs2 rw 0 0\n",
	};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_null(find(f, none[i]));
		assert_int_equal(errno, ENODEV);
		assert_int_equal(f->err.code, FT_E_IO);
		assert_non_null(
			strstr(f->err.message, "mount -t tracefs nodev /sys/kernel/tracing"));
	}
}

static void test_open(void **state)
{
	struct fixture *f = *state;
	struct tracefs_dir dir;
	char path[1024];

	assert_int_equal(tracefs_dir_open(&dir, "/nonexistent/tracing", &f->err), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(f->err.message,
			    "/nonexistent/tracing: opening: ENOENT (No such file or directory)");
	tracefs_dir_close(&dir);

	snprintf(path, sizeof(path), "%s//", f->fake.root);
	assert_int_equal(tracefs_dir_open(&dir, path, &f->err), 0);
	assert_string_equal(dir.path, f->fake.root);
	tracefs_dir_close(&dir);
	tracefs_dir_close(&dir);

	assert_int_equal(tracefs_dir_open_below(&dir, &f->dir, "instances/a", &f->err), -1);
	assert_int_equal(errno, ENOENT);
	fake_tracefs_put(&f->fake, "instances/a/tracing_on", "1\n");
	assert_int_equal(tracefs_dir_open_below(&dir, &f->dir, "instances/a", &f->err), 0);
	assert_true(tracefs_dir_has(&dir, "tracing_on"));
	assert_false(tracefs_dir_has(&f->dir, "tracing_on"));
	tracefs_dir_close(&dir);
}

static void test_read(void **state)
{
	struct fixture *f = *state;
	size_t len = 300000;	/* several pieces, and no multiple of one */
	char *big = malloc(len);

	for (size_t i = 0; i < len; i++)
		big[i] = 'a' + i % 23;
	fake_tracefs_put_bytes(&f->fake, "big", big, len);
	assert_int_equal(tracefs_dir_read(&f->dir, "big", &f->text, &f->err), 0);
	assert_int_equal(f->text.len, len);
	assert_memory_equal(f->text.data, big, len);
	assert_int_equal(f->text.data[len], '\0');
	free(big);

	fake_tracefs_put(&f->fake, "empty", "");
	assert_int_equal(tracefs_dir_read(&f->dir, "empty", &f->text, &f->err), 0);
	assert_string_equal(text_str(&f->text), "");
	fake_tracefs_put(&f->fake, "current_tracer", "nop \n\n");
	assert_int_equal(tracefs_dir_read(&f->dir, "current_tracer", &f->text, &f->err), 0);
	assert_string_equal(text_str(&f->text), "nop \n\n");
	assert_int_equal(tracefs_dir_read_line(&f->dir, "current_tracer", &f->text, &f->err), 0);
	assert_string_equal(text_str(&f->text), "nop");
}

static void test_read_refused(void **state)
{
	struct fixture *f = *state;
	char expected[1024];

	assert_int_equal(tracefs_dir_read(&f->dir, "absent", &f->text, &f->err), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(f->err.code, FT_E_IO);
	snprintf(expected, sizeof(expected),
		 "%s/absent: opening: ENOENT (No such file or directory)", f->fake.root);
	assert_string_equal(f->err.message, expected);

	fake_tracefs_put(&f->fake, "folder/", "");
	assert_int_equal(tracefs_dir_read(&f->dir, "folder", &f->text, &f->err), -1);
	assert_int_equal(errno, EISDIR);
	snprintf(expected, sizeof(expected), "%s/folder: reading: EISDIR (Is a directory)",
		 f->fake.root);
	assert_string_equal(f->err.message, expected);
	assert_int_equal(tracefs_dir_read_line(&f->dir, "folder", &f->text, &f->err), -1);
	assert_int_equal(errno, EISDIR);
}

static void test_read_number(void **state)
{
	struct fixture *f = *state;
	long long value = 0;

	fake_tracefs_put(&f->fake, "buffer_size_kb", "7 (expanded: 1408)\n");
	assert_int_equal(tracefs_dir_read_number(&f->dir, "buffer_size_kb", &value, &f->err), 0);
	assert_int_equal(value, 7);
	fake_tracefs_put(&f->fake, "n", "-12\n");
	assert_int_equal(tracefs_dir_read_number(&f->dir, "n", &value, &f->err), 0);
	assert_int_equal(value, -12);

	const char *const bad[] = { "", "\n", "X\n", "99999999999999999999\n" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fake_tracefs_put(&f->fake, "n", bad[i]);
		assert_int_equal(tracefs_dir_read_number(&f->dir, "n", &value, &f->err), -1);
		assert_int_equal(errno, 0);
		assert_int_equal(f->err.code, FT_E_FORMAT);
	}
	assert_int_equal(tracefs_dir_read_number(&f->dir, "absent", &value, &f->err), -1);
	assert_int_equal(errno, ENOENT);
}

static void assert_file(struct fixture *f, const char *file, const char *expected)
{
	char *content = fake_tracefs_get(&f->fake, file);

	assert_non_null(content);
	assert_string_equal(content, expected);
	free(content);
}

static void test_write(void **state)
{
	struct fixture *f = *state;

	fake_tracefs_put(&f->fake, "set_event_pid", "1\n2\n");
	assert_int_equal(tracefs_dir_write(&f->dir, "set_event_pid", "3\n", TRACEFS_DIR_APPEND,
					   &f->err),
			 0);
	assert_file(f, "set_event_pid", "1\n2\n3\n");
	assert_int_equal(tracefs_dir_write(&f->dir, "set_event_pid", "4", TRACEFS_DIR_REPLACE,
					   &f->err),
			 0);
	assert_file(f, "set_event_pid", "4");
	assert_int_equal(tracefs_dir_write(&f->dir, "set_event_pid", "", TRACEFS_DIR_REPLACE,
					   &f->err),
			 0);
	assert_file(f, "set_event_pid", "");
	assert_int_equal(tracefs_dir_write_number(&f->dir, "set_event_pid", -7, &f->err), 0);
	assert_file(f, "set_event_pid", "-7");

	/* A misspelt name must not become a file (it could, on a folder that is no tracefs). */
	assert_int_equal(tracefs_dir_write(&f->dir, "absent", "1", TRACEFS_DIR_REPLACE, &f->err),
			 -1);
	assert_int_equal(errno, ENOENT);
	assert_false(tracefs_dir_has(&f->dir, "absent"));
}

/* /dev/full takes an open and refuses each write: the one refusal that needs no kernel's help. */
static void test_write_refused(void **state)
{
	struct fixture *f = *state;
	struct tracefs_dir dev;
	char value[2048];

	assert_int_equal(tracefs_dir_open(&dev, "/dev", &f->err), 0);
	assert_int_equal(tracefs_dir_write(&dev, "full", "function", TRACEFS_DIR_APPEND, &f->err),
			 -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(f->err.code, FT_E_IO);
	assert_string_equal(f->err.message,
			    "/dev/full: writing 'function': ENOSPC (No space left on device)");
	assert_int_equal(tracefs_dir_write(&dev, "full", "a\nb\n", TRACEFS_DIR_APPEND, &f->err),
			 -1);
	assert_string_equal(f->err.message,
			    "/dev/full: writing 'a': ENOSPC (No space left on device)");
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	assert_int_equal(tracefs_dir_write(&dev, "full", value, TRACEFS_DIR_APPEND, &f->err), -1);
	assert_non_null(strstr(f->err.message, "xxx...': ENOSPC"));
	tracefs_dir_close(&dev);
}

static void test_names(void **state)
{
	struct fixture *f = *state;
	struct name_list names;

	fake_tracefs_put(&f->fake, "instances/zeta/", "");
	fake_tracefs_put(&f->fake, "instances/.hidden/", "");
	fake_tracefs_put(&f->fake, "instances/alpha/", "");
	assert_int_equal(tracefs_dir_list(&f->dir, "instances", &names, &f->err), 0);
	assert_int_equal(names.nr, 3);
	assert_string_equal(names.names[0], ".hidden");
	assert_string_equal(names.names[1], "alpha");
	assert_string_equal(names.names[2], "zeta");
	assert_true(name_list_has(&names, "zeta"));
	assert_false(name_list_has(&names, "zet"));
	name_list_fini(&names);

	assert_int_equal(tracefs_dir_list(&f->dir, "", &names, &f->err), 0);
	assert_int_equal(names.nr, 1);
	name_list_fini(&names);
	assert_int_equal(tracefs_dir_list(&f->dir, "absent", &names, &f->err), -1);
	assert_int_equal(errno, ENOENT);
	name_list_fini(&names);

	fake_tracefs_put(&f->fake, "available_tracers", "blk function_graph\tnop\n");
	assert_int_equal(tracefs_dir_read_words(&f->dir, "available_tracers", &names, &f->err), 0);
	assert_int_equal(names.nr, 3);
	assert_string_equal(names.names[0], "blk");
	assert_string_equal(names.names[1], "function_graph");
	assert_string_equal(names.names[2], "nop");
	name_list_fini(&names);
	fake_tracefs_put(&f->fake, "empty", " \n");
	assert_int_equal(tracefs_dir_read_words(&f->dir, "empty", &names, &f->err), 0);
	assert_int_equal(names.nr, 0);
	assert_int_equal(tracefs_dir_read_words(&f->dir, "absent", &names, &f->err), -1);
	assert_int_equal(errno, ENOENT);
	name_list_fini(&names);
}

static void test_errno(void **state)
{
	(void)state;
	assert_string_equal(tracefs_dir_errno(EPERM), "EPERM");
	assert_string_equal(tracefs_dir_errno(ENODEV), "ENODEV");
	assert_string_equal(tracefs_dir_errno(4095), "errno 4095");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_find), T(test_not_mounted), T(test_open), T(test_read), T(test_read_refused),
		T(test_read_number), T(test_write), T(test_write_refused), T(test_names),
		T(test_errno),
	};

	return cmocka_run_group_tests_name("tracefs_dir", tests, NULL, NULL);
}
