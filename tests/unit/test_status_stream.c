/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status_stream: lines through pipes and sockets; readers that are slow, gone, or want the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "recorder/run/status_stream.h"
#include "src/base/json_out.h"

static struct status_stream *open_on(int fd)
{
	struct ft_error err = { 0 };
	struct status_stream *s = status_stream_open(fd, &err);

	assert_non_null(s);
	return s;
}

/* On a socket; @other: receives the end of who watches. */
static struct status_stream *open_socket(int *other)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	*other = ends[0];
	return open_on(ends[1]);
}

static const char *read_some(int fd)
{
	static char bytes[4096];
	ssize_t got = read(fd, bytes, sizeof(bytes) - 1);

	assert_true(got >= 0);
	bytes[got] = '\0';
	return bytes;
}

static void test_lines(void **state)
{
	struct text t = { 0 };
	struct status_stream *s;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	s = open_on(ends[1]);
	status_stream_say(s, "note", "text", "a \"name\"\nand \033[2J");
	json_out_string(&t, "type", "status");
	json_out_u64(&t, "bytes", UINT64_MAX);
	text_add(&t, ",\"list\":[{");
	json_out_u64(&t, "cpu", 0);
	text_add(&t, "}]");
	status_stream_line(s, &t, false);
	status_stream_close(s);
	assert_string_equal(
		read_some(ends[0]),
		"{\"type\":\"note\",\"text\":\"a \\\"name\\\"\\nand \\u001b[2J\"}\n"
		"{\"type\":\"status\",\"bytes\":18446744073709551615,\"list\":[{\"cpu\":0}]}\n");
	assert_string_equal(read_some(ends[0]), ""); /* the end: no other copy of
							   the descriptor is left */
	text_fini(&t);
	close(ends[0]);
}

/* The command's own output does not get into it. */
static void test_standard_output(void **state)
{
	int saved = dup(STDOUT_FILENO), ends[2];
	struct status_stream *s;
	bool moved;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
	s = status_stream_open(STDOUT_FILENO, NULL);
	if (write(STDOUT_FILENO, "printed\n", 8) != 8)
		s = NULL;
	moved = status_stream_fd(s) > 2 && (fcntl(status_stream_fd(s), F_GETFD) & FD_CLOEXEC);
	status_stream_say(s, "note", "text", "told");
	status_stream_close(s);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_true(moved);
	assert_string_equal(read_some(ends[0]), "{\"type\":\"note\",\"text\":\"told\"}\n");
	close(ends[0]);
}

static void test_refused(void **state)
{
	struct ft_error err = { 0 };
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_null(status_stream_open(ends[0], &err));
	assert_int_equal(err.code, FT_E_USAGE);
	assert_non_null(strstr(err.message, "read-only"));
	close(ends[0]);
	close(ends[1]);
	assert_null(status_stream_open(ends[1], &err));
	assert_non_null(strstr(err.message, "Bad file descriptor"));
}

/*
 * Nothing waits for a reader that sleeps: it misses what is not needed, and gets whole lines and
 * the last one.
 */
static void test_slow_reader(void **state)
{
	static char all[4 << 20];
	struct text t = { 0 };
	size_t len = 0, lines = 0;
	struct status_stream *s;
	int ends[2];
	ssize_t got;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 0);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	s = open_on(ends[1]);
	json_out_string(&t, "filler", "0123456789012345678901234567890123456789");
	for (int i = 0; i < 10000; i++)
		status_stream_line(s, &t, false);
	status_stream_say(s, "end", "file", "t.dat");
	/* what waits goes on when there is room */
	for (int i = 0; i < 100; i++) {
		while (len < sizeof(all) && (got = read(ends[0], all + len, sizeof(all) - len)) > 0)
			len += got;
		status_stream_line(s, &t, false);
	}
	status_stream_close(s);
	while ((got = read(ends[0], all + len, sizeof(all) - len)) > 0)
		len += got;
	all[len < sizeof(all) ? len : sizeof(all) - 1] = '\0';
	for (char *p = all; *p; p = strchr(p, '\n') + 1) {
		assert_true(!strncmp(p, "{\"filler\":", 10) ||
			    !strncmp(p, "{\"type\":\"end\"", 13));
		assert_non_null(strchr(p, '\n'));
		lines++;
	}
	assert_in_range(lines, 50, 1000);
	assert_non_null(strstr(all, "{\"type\":\"end\",\"file\":\"t.dat\"}\n"));
	text_fini(&t);
	close(ends[0]);
}

static void test_reader_gone(void **state)
{
	struct status_stream *s;
	const char *why;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	s = open_on(ends[1]);
	assert_false(status_stream_asks_stop(s, &why));
	close(ends[0]);
	assert_true(status_stream_asks_stop(s, &why));
	assert_string_equal(why, "its reader went away");
	/* it stays so, and lines go nowhere */
	status_stream_say(s, "note", "text", "nobody");
	assert_true(status_stream_asks_stop(s, &why));
	assert_int_equal(status_stream_fd(s), -1);
	status_stream_close(s);

	/* noticed by a line, too */
	assert_int_equal(pipe(ends), 0);
	s = open_on(ends[1]);
	close(ends[0]);
	status_stream_say(s, "note", "text", "nobody");
	assert_int_equal(status_stream_fd(s), -1);
	assert_true(status_stream_asks_stop(s, &why));
	status_stream_close(s);
}

static void test_socket_says_stop(void **state)
{
	struct status_stream *s;
	const char *why;
	int end;

	(void)state;
	s = open_socket(&end);
	assert_false(status_stream_asks_stop(s, &why));
	assert_int_equal(write(end, "hello stopped st", 16), 16);
	assert_false(status_stream_asks_stop(s, &why));
	assert_int_equal(write(end, "op\n", 3), 3);
	assert_true(status_stream_asks_stop(s, &why));
	assert_string_equal(why, "its reader");
	/* it may still be told the end */
	status_stream_say(s, "end", "file", "t.dat");
	status_stream_close(s);
	assert_string_equal(read_some(end), "{\"type\":\"end\",\"file\":\"t.dat\"}\n");
	assert_false(status_stream_discards(NULL));
	close(end);

	s = open_socket(&end);
	assert_int_equal(write(end, "discar", 6), 6);
	assert_false(status_stream_asks_stop(s, &why));
	assert_false(status_stream_discards(s));
	assert_int_equal(write(end, "d\n", 2), 2);
	assert_true(status_stream_asks_stop(s, &why));
	assert_true(status_stream_discards(s));
	status_stream_close(s);
	close(end);
}

static void test_socket_shut_down(void **state)
{
	struct status_stream *s;
	const char *why;
	int end;

	(void)state;
	s = open_socket(&end);
	shutdown(end, SHUT_WR);
	assert_true(status_stream_asks_stop(s, &why));
	status_stream_say(s, "end", "file", "t.dat");
	status_stream_close(s);
	assert_string_equal(read_some(end), "{\"type\":\"end\",\"file\":\"t.dat\"}\n");
	close(end);
}

/* "keep", and gone before it was heard; a line in between notices that. */
static void test_socket_keeps(void **state)
{
	struct status_stream *s;
	const char *why;
	int end;

	(void)state;
	s = open_socket(&end);
	assert_int_equal(write(end, "keep\n", 5), 5);
	close(end);
	status_stream_say(s, "note", "text", "nobody");
	assert_true(status_stream_fd(s) >= 0);
	assert_false(status_stream_asks_stop(s, &why));
	/* from then on nothing is to be polled, and nobody asks */
	assert_int_equal(status_stream_fd(s), -1);
	status_stream_say(s, "note", "text", "nobody");
	assert_false(status_stream_asks_stop(s, &why));
	status_stream_close(s);
}

/* Lines out by one pipe, words in by another, as through sudo. */
static void test_hears_by_another(void **state)
{
	struct status_stream *s;
	struct ft_error err;
	int out[2], in[2];
	const char *why;

	(void)state;
	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(in), 0);
	s = open_on(out[1]);
	assert_int_equal(status_stream_control(s, in[0], &err), 0);
	assert_false(status_stream_asks_stop(s, &why));
	assert_int_equal(write(in[1], "stop\n", 5), 5);
	assert_true(status_stream_asks_stop(s, &why));
	assert_string_equal(why, "its reader");
	close(in[1]);
	assert_true(status_stream_asks_stop(s, &why));
	assert_string_equal(why, "its reader went away");
	status_stream_say(s, "end", "file", "t.dat");
	status_stream_close(s);
	assert_string_equal(read_some(out[0]), "{\"type\":\"end\",\"file\":\"t.dat\"}\n");
	close(out[0]);

	assert_int_equal(pipe(out), 0);
	s = open_on(out[1]);
	assert_int_equal(status_stream_control(s, 9999, &err), -1);
	assert_int_equal(strncmp(err.message, "--control-fd 9999: ", 19), 0);
	status_stream_close(s);
	close(out[0]);
}

/* Files and devices are always ready: who polls them never waits. */
static void test_file(void **state)
{
	static const char *const paths[] = { "/dev/null", "status" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct status_stream *s = status_stream_open(open(paths[i],
								  O_RDWR | O_CREAT | O_TRUNC, 0600),
							     NULL);
		const char *why;

		assert_non_null(s);
		assert_int_equal(status_stream_fd(s), -1);
		assert_false(status_stream_asks_stop(s, &why));
		status_stream_say(s, "note", "text", "told");
		status_stream_close(s);
	}
	unlink("status");
}

static void test_nobody(void **state)
{
	const char *why;

	(void)state;
	status_stream_say(NULL, "note", "text", "x");
	assert_false(status_stream_asks_stop(NULL, &why));
	assert_int_equal(status_stream_fd(NULL), -1);
	status_stream_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_standard_output),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_slow_reader),
		cmocka_unit_test(test_reader_gone),
		cmocka_unit_test(test_socket_says_stop),
		cmocka_unit_test(test_socket_shut_down),
		cmocka_unit_test(test_socket_keeps),
		cmocka_unit_test(test_hears_by_another),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
