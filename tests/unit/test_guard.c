/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop that answers no more is left by ^C and by signals; to one that goes round, ^C is a key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "src/base/text.h"
#include "tests/lib/limits.h"
#include "ui/app/guard.h"
#include "ui/screen/term.h"

/* What the screen's process does, on a terminal.  @busy: it never looks at keys. */
static void run_loop(bool busy)
{
	const struct term_options options = { .no_mouse = true };
	struct ft_error err = { 0 };
	struct ui_term *term;
	struct guard *guard;
	struct ui_mouse mouse;
	volatile bool forever = busy;
	sigset_t set;
	int signals;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	term = term_open(&options, &err);
	guard = term && signals >= 0 ? guard_start(signals) : NULL;
	if (!guard)
		_exit(99);
	dprintf(STDOUT_FILENO, "begins");
	while (forever)
		;
	for (;;) {
		struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
		ui_key key;

		guard_see(guard);
		poll(&fd, 1, 10);
		key = term_key(term, &mouse);
		if (key == UI_KEY_CTRL('C')) {
			guard_stop(guard);
			term_close(term);
			_exit(7);
		}
	}
}

/* How it ends, when ^C is typed, or a signal is sent, again and again. */
static int end_of(bool busy, int number, struct text *printed)
{
	bool begun = false;
	int terminal, status;
	pid_t child;

	child = forkpty(&terminal, NULL, NULL, &(struct winsize){ .ws_row = 24, .ws_col = 80 });
	assert_true(child >= 0);
	if (!child) {
		setenv("TERM", "xterm", 1);
		run_loop(busy);
	}
	for (;;) {
		struct pollfd fd = { .fd = terminal, .events = POLLIN };
		char bytes[4096];
		ssize_t nr = 0;

		if (poll(&fd, 1, 20) > 0)
			nr = read(terminal, bytes, sizeof(bytes));
		if (nr < 0)
			break;		/* the other side is closed */
		text_bytes(printed, bytes, (size_t)nr);
		begun |= strstr(text_str(printed), "begins") != NULL;
		if (begun && number)
			kill(child, number);
		else if (begun && write(terminal, "\3", 1) != 1)
			break;
	}
	close(terminal);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void test_busy(void **state)
{
	static const int numbers[] = { 0, SIGTERM };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct text printed = { 0 };
		int status = end_of(true, numbers[i], &printed);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), numbers[i] ? numbers[i] : SIGINT);
		assert_non_null(strstr(text_str(&printed), "ended while it was busy"));
		text_fini(&printed);
	}
}

static void test_goes_round(void **state)
{
	struct text printed = { 0 };
	int status = end_of(false, 0, &printed);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_null(strstr(text_str(&printed), "ended while it was busy"));
	text_fini(&printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_goes_round),
	};

	limit_cpu(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
