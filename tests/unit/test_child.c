/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/sandbox/child.h"
#include "tests/lib/limits.h"

struct heard {
	struct text	lines;		/* each with '|' behind it */
	unsigned int	nr;
	size_t		longest;
};

static void hear(void *arg, const char *s, size_t len)
{
	struct heard *heard = arg;

	if (len < 100)
		text_bytes(&heard->lines, s, len);
	text_char(&heard->lines, '|');
	heard->longest = len > heard->longest ? len : heard->longest;
	heard->nr++;
}

/* All its lines, and its end. */
static int hear_out(struct child *child, struct heard *heard)
{
	struct pollfd fd = { .fd = child->from, .events = POLLIN };
	int status = -1;

	while (child_lines(child, hear, heard))
		assert_int_equal(poll(&fd, 1, LIMIT_MS), 1);
	while (!child_ended(child, &status))
		usleep(1000);
	return status;
}

static struct child started(enum child_kind kind, const char *script)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct child child;
	struct ft_error err = { 0 };

	if (child_start(&child, argv, kind, &err))
		fail_msg("%s", err.message);
	return child;
}

static void lines_of_one_that_is_asked(void **state)
{
	struct child child = started(
		CHILD_ASKED,
		"echo one; printf 'two\\nthr'; echo ee; echo no >&2; cat; printf rest; exit 3");
	struct heard heard = { 0 };
	struct text said = { 0 };
	char buf[64];

	(void)state;
	assert_string_equal(child_result(hear_out(&child, &heard), buf, sizeof(buf)),
			    "exit status 3");
	/* a line that does not end is none */
	assert_string_equal(text_str(&heard.lines), "one|two|three|");
	child_said(&child, &said);
	assert_string_equal(text_str(&said), "no\n");
	text_clear(&said);
	child_said(&child, &said);
	assert_int_equal(said.len, 0);
	child_fini(&child);
	text_fini(&said);
	text_fini(&heard.lines);
}

static void one_that_talks_hears_too(void **state)
{
	struct child child = started(
		CHILD_TALKS,
		"echo noise; echo ready >&3; read word <&3; echo \"got $word\" >&3; kill -9 $$");
	struct heard heard = { 0 };
	struct text said = { 0 };
	char buf[64];

	(void)state;
	child_tell(&child, "stop");
	assert_string_equal(child_result(hear_out(&child, &heard), buf, sizeof(buf)),
			    "killed by SIGKILL");
	assert_string_equal(text_str(&heard.lines), "ready|got stop|");
	child_said(&child, &said);
	assert_string_equal(text_str(&said), "noise\n");
	child_fini(&child);
	text_fini(&said);
	text_fini(&heard.lines);
}

/* As behind sudo, which hands on the first three descriptors alone. */
static void one_that_is_wrapped_hears_on_stdin(void **state)
{
	struct child child =
		started(CHILD_WRAPPED,
			"echo ready; read word; echo \"got $word\"; test ! -e /proc/self/fd/3");
	struct heard heard = { 0 };

	(void)state;
	child_tell(&child, "stop");
	assert_int_equal(hear_out(&child, &heard), 0);
	assert_string_equal(text_str(&heard.lines), "ready|got stop|");
	child_fini(&child);
	text_fini(&heard.lines);
}

static void signals_are_as_in_a_shell(void **state)
{
	sigset_t all, before;
	struct child child;
	struct heard heard = { 0 };

	(void)state;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	signal(SIGPIPE, SIG_IGN);
	child = started(CHILD_ASKED, "grep '^SigBlk:' /proc/self/status | tr -d '\\t'; "
				     "sh -c 'kill -PIPE $$; echo ignored'");
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGPIPE, SIG_DFL);
	hear_out(&child, &heard);
	assert_string_equal(text_str(&heard.lines), "SigBlk:0000000000000000|");
	child_fini(&child);
	text_fini(&heard.lines);
}

static void long_lines_are_left_out(void **state)
{
	struct child child = started(CHILD_ASKED,
				     "head -c 2000000 /dev/zero | tr '\\0' x; echo; echo short");
	struct heard heard = { 0 };

	(void)state;
	assert_int_equal(hear_out(&child, &heard), 0);
	assert_string_equal(text_str(&heard.lines), "short|");
	child_fini(&child);
	text_fini(&heard.lines);
}

/* It goes on when nobody listens any more, and what it prints breaks nothing. */
static void it_is_let_go(void **state)
{
	int gone[2];
	char script[128];
	struct child child;
	char byte;

	(void)state;
	assert_int_equal(pipe(gone), 0);
	snprintf(script, sizeof(script), "read word <&3; echo noise; echo noise >&2; printf x >&%d",
		 gone[1]);
	child = started(CHILD_TALKS, script);
	child_fini(&child);
	assert_int_equal(read(gone[0], &byte, 1), 1);
	close(gone[0]);
	close(gone[1]);
}

static void what_cannot_be_started_is_told(void **state)
{
	const char *const argv[] = { "/nowhere/to/be/found", NULL };
	struct ft_error err = { 0 };
	struct child child;

	(void)state;
	assert_int_equal(child_start(&child, argv, CHILD_TALKS, &err), -1);
	assert_string_equal(err.message,
			    "cannot start /nowhere/to/be/found: No such file or directory");
	assert_false(child_exists("/nowhere/to/be/found"));
	assert_false(child_exists("no-such-program-of-this-name"));
	assert_true(child_exists("sh"));
	child_fini(&child);
}

/* Of this process, but for the one that they are counted by. */
static unsigned int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned int nr = 0;

	assert_non_null(d);
	while (readdir(d))
		nr++;
	closedir(d);
	return nr;
}

static void no_descriptor_stays(void **state)
{
	static const char *const nothing[] = { "/nonexistent/program", NULL };
	const enum child_kind kinds[] = { CHILD_ASKED, CHILD_TALKS, CHILD_WRAPPED };
	unsigned int before = descriptors(), running[3];
	struct child child;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct heard heard = { 0 };

		child = started(kinds[i], "echo a line");
		running[i] = descriptors() - before;
		hear_out(&child, &heard);
		child_fini(&child);
		assert_int_equal(descriptors(), before);
		assert_int_equal(child_start(&child, nothing, kinds[i], &(struct ft_error){ 0 }),
				 -1);
		assert_int_equal(descriptors(), before);
		text_fini(&heard.lines);
	}
	/*
	 * While it runs: pidfd, from, said; and to, of those who are told something.  The other
	 * ends are the child's alone.
	 */
	assert_int_equal(running[0], 3);
	assert_int_equal(running[1], 4);
	assert_int_equal(running[2], 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_one_that_is_asked),
		cmocka_unit_test(one_that_talks_hears_too),
		cmocka_unit_test(one_that_is_wrapped_hears_on_stdin),
		cmocka_unit_test(signals_are_as_in_a_shell),
		cmocka_unit_test(long_lines_are_left_out),
		cmocka_unit_test(it_is_let_go),
		cmocka_unit_test(what_cannot_be_started_is_told),
		cmocka_unit_test(no_descriptor_stays),
	};

	/* what is inherited here is not the child's */
	fcntl(3, F_SETFD, FD_CLOEXEC);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
