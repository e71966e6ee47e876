/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_user: names in stacks, from a block that is added to a copy of a recorded trace
 * (private_section, trace_file_with_block).  The address is one that trace-cmd prints.  And which
 * mappings count, of processes that are made up beside those of the trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/file/trace_file.h"
#include "parsers/open/open.h"
#include "parsers/writer/private_section.h"
#include "src/base/small_file.h"
#include "src/trace/trace_streams.h"
#include "src/trace/trace_user.h"
#include "tests/lib/open_recorded.h"
#include "tests/lib/temp_path.h"

#define MOST_BYTES	(64u << 20)
#define ALWAYS		" 0 18446744073709551615 "

static void copy_trace(void)
{
	struct text bytes = { 0 };
	char path[4096];
	int fd;

	if (!recorded_path("stack", "trace.dat", path, sizeof(path)))
		skip();
	assert_int_equal(small_file_read(path, MOST_BYTES, &bytes, NULL), 0);
	fd = open(temp_path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, bytes.data, bytes.len), (ssize_t)bytes.len);
	close(fd);
	text_fini(&bytes);
}

/* Return: how long our section then is. */
static size_t add_block(const char *lines)
{
	struct source *file = source_open(temp_path, -1, NULL);
	struct text block = { 0 }, section = { 0 };
	int fd = open(temp_path, O_RDWR | O_APPEND);
	size_t len;

	assert_non_null(file);
	text_add(&block, lines);
	trace_file_with_block(file, TRACE_TEXT_USER_SYMBOLS, &block, &section);
	assert_int_equal(private_section_append(fd, source_info(file)->big_endian, &section, NULL),
			 0);
	len = section.len;
	close(fd);
	source_close(file);
	text_fini(&block);
	text_fini(&section);
	return len;
}

/* Lines of stacks of user space that are, of the ones with this pid. */
static unsigned int count_stacks(struct trace *trace, int pid, const char *first)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	unsigned int found = 0;

	while (trace_cursor_next(cursor, &event)) {
		struct text *lines;
		unsigned int nr;

		if (event.kind != TRACE_ROW_EVENT || event.pid != pid ||
		    strcmp(trace_event_name(&event), "user_stack"))
			continue;
		nr = trace_event_stack(trace, &event, &lines);
		found += nr && !strcmp(text_str(&lines[0]), first);
		trace_stack_free(lines, nr);
	}
	trace_cursor_free(cursor);
	return found;
}

static void test_names(void **state)
{
	struct trace *trace;
	unsigned int nr[2];
	size_t len;

	(void)state;
	copy_trace();
	trace = open_path(temp_path, 1);
	nr[0] = count_stacks(trace, 126, "0x447a20");
	nr[1] = count_stacks(trace, 127, "0x447a20");
	assert_true(nr[0] && nr[1]);
	trace_close(trace);

	len = add_block("file - offset /opt/pay load\nmap 126 400000-500000 1000" ALWAYS "0\n"
			"name 0 48a00-48a40 nanosleep\n");
	trace = open_path(temp_path, 1);
	assert_int_equal(count_stacks(trace, 126, "nanosleep+0x20 [pay load]"), nr[0]);
	assert_int_equal(count_stacks(trace, 127, "0x447a20"), nr[1]);
	trace_close(trace);

	/* another block replaces it */
	assert_true(add_block("file - offset /x\nmap 127 447a20-447a21 0" ALWAYS "0\n") < len);
	trace = open_path(temp_path, 1);
	assert_int_equal(count_stacks(trace, 126, "0x447a20"), nr[0]);
	assert_int_equal(count_stacks(trace, 127, "x+0x0"), nr[1]);
	trace_close(trace);
}

static void expect_name(struct trace *trace, int pid, int64_t ts, const char *expected)
{
	const struct trace_event event = { .pid = pid, .ts = ts, .raw_ts = (uint64_t)ts };
	struct text name = { 0 };

	assert_int_equal(trace_user_name(trace, &event, 0x1010, false, true, &name), !!expected);
	assert_string_equal(text_str(&name), expected ?: "");
	text_fini(&name);
}

/*
 *   time           100     200     300      400     500
 *   process 901    init .........................
 *   process 902            fork of 901, exec, exit  born again, of a stranger
 *   process 903    fork of 902 at 250, before that calls exec; a library is seen there at 450
 */
static void test_programs(void **state)
{
	struct trace_source *source;
	struct trace *trace;

	(void)state;
	copy_trace();
	add_block("file - offset /init\nfile - offset /prog\nfile - offset /lib\n"
		  "map 901 1000-2000 0 50 600 0\n"
		  "map 902 1000-2000 0 320 380 1\n"
		  "map 903 1000-2000 0 450 450 2\n");
	trace = open_path(temp_path, 1);
	source = trace_source_at(trace, 0);
	tgid_table_seen(source->tgids, 901, 1, 901);
	tgid_table_born(source->tgids, 902, 200, 901, 0);
	tgid_table_born(source->tgids, 903, 250, 902, 0);
	who_table_exec(source->who, 902, 300, "/prog", 5);
	who_table_exited(source->who, 902, 400);
	tgid_table_born(source->tgids, 902, 500, 904, 0);
	expect_name(trace, 901, 10, "init+0x10");
	expect_name(trace, 902, 100, NULL);	/* who had the pid before */
	expect_name(trace, 902, 200, "init+0x10");
	expect_name(trace, 902, 299, "init+0x10");
	expect_name(trace, 902, 300, "prog+0x10");
	expect_name(trace, 902, 499, "prog+0x10");
	expect_name(trace, 902, 500, NULL);	/* another process */
	expect_name(trace, 903, 260, NULL);	/* of the two it is not known when */
	expect_name(trace, 903, 450, "lib+0x10");
	who_table_exec(source->who, 903, 420, "/other", 6);
	expect_name(trace, 903, 410, "init+0x10");	/* of a copy of a copy */
	expect_name(trace, 903, 430, "lib+0x10");
	trace_close(trace);
}

/* What cannot be written leaves the file as it was. */
static void test_full_disk(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct text section = { 0 };
	struct ft_error err = { 0 };

	(void)state;
	if (fd < 0)
		skip();
	text_add(&section, "text");
	assert_int_equal(private_section_append(fd, false, &section, &err), -1);
	assert_int_equal(err.code, FT_E_IO);
	assert_non_null(strstr(err.message, "cannot add to the file"));
	close(fd);
	text_fini(&section);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
