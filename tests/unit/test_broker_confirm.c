/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker_confirm: a screen that draws over the broker's question, on a terminal of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "src/sandbox/broker_private.h"
#include "src/sandbox/confine.h"
#include "tests/lib/limits.h"

#define EVIL	"\033[H\033[2JTYPE YES TO SHOW THE REST: "

static const struct option_def record_options[] = {
	{ "output", 'o', "FILE", 0, "file" },
	{ "probe", 'p', "DEF", 1, "probe" },
	OPTION_END,
};
static const struct command_def record = { .name = "record",
					   .operand_kind = OPERANDS_COMMAND,
					   .max_operands = 100,
					   .options = record_options };
static const struct command_def *const commands[] = { &record, NULL };

/* --- the screen that was taken over ----------------------------------------------------------- */

static void *draw(void *arg)
{
	for (;;) {
		if (write(STDOUT_FILENO, EVIL, sizeof(EVIL) - 1) < 0)
			return arg;
		usleep(5000);
	}
}

/* It draws while threads come and go, so that no list of them is complete. */
static void *run(void *arg)
{
	static long turns;
	pthread_t next;

	if (__atomic_add_fetch(&turns, 1, __ATOMIC_RELAXED) % 64 == 0 &&
	    write(STDOUT_FILENO, EVIL, sizeof(EVIL) - 1) < 0)
		return arg;
	while (pthread_create(&next, NULL, run, NULL))
		;
	pthread_detach(pthread_self());
	return arg;
}

/* The terminal's capitals would make other sequences of the question's. */
static void spoil_modes(void)
{
	struct termios modes;

	if (tcgetattr(STDIN_FILENO, &modes))
		_exit(9);
	modes.c_oflag |= OPOST | OLCUC | ONLRET | OCRNL;
	tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

static void be_screen(void *(*attack)(void *))
{
	/* many short lines, which are less than a screen of bytes */
	const char *const argv[] = { "true", "record", "-o", "/tmp/ftop-none.dat",
				     "-pp", "-pp", "-pp", "-pp", "-pp", "-pp", "-pp", "-pp",
				     "-pp", "-pp", "-pp", "-pp", "-pp", "-pp", "-pp", "-pp",
				     "-pp", "-pp", "-pp", "-pp", "-pp", "-pp", "-pp", "-pp",
				     "rm", NULL };
	const struct broker_rules rules = { .program = "true", .commands = commands };
	struct ft_error err = { 0 };
	struct broker *broker = broker_new(&rules, &err);
	struct child child;
	pthread_t thread;
	char key;
	int ret;

	confine_to_reading();
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, attack, NULL);
	spoil_modes();
	usleep(50000);
	ret = broker_start(broker, &child, argv, CHILD_ASKED, true, &err);
	(void)!read(STDIN_FILENO, &key, 1);	/* it is seen to draw */
	_exit(!ret ? 10 : err.code == FT_E_CANCELLED ? 11 : 12);
}

/* --- the user --------------------------------------------------------------------------------- */

static pid_t start(int *terminal, void *(*attack)(void *))
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	pid_t pid;

	assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
	/* pressed before the question: answers nothing */
	assert_int_equal(write(master, "yes\n", 4), 4);
	pid = fork();
	if (!pid) {
		int slave;

		setsid();
		slave = open(ptsname(master), O_RDWR);
		close(master);
		dup2(slave, STDIN_FILENO);
		dup2(slave, STDOUT_FILENO);
		be_screen(attack);
	}
	*terminal = master;
	return pid;
}

/* What is drawn until nothing comes for @ms, or until @words, or too much. */
static void see(int terminal, struct text *seen, int ms, const char *words)
{
	struct pollfd fd = { .fd = terminal, .events = POLLIN };
	char bytes[4096];
	ssize_t got;

	while (!(words && strstr(text_str(seen), words)) && seen->len < 1 << 20 &&
	       poll(&fd, 1, ms) == 1) {
		got = read(terminal, bytes, sizeof(bytes));
		if (got <= 0)
			break;
		text_bytes(seen, bytes, (size_t)got);
	}
}

/* Its letter in /proc/PID/stat */
static char state_of(pid_t pid)
{
	char path[64], line[512] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	return strrchr(line, ')')[2];
}

static int answer(void *(*attack)(void *), const char *keys)
{
	struct text seen = { 0 }, later = { 0 };
	const char *question;
	int terminal, status;
	pid_t pid = start(&terminal, attack);

	see(terminal, &seen, LIMIT_MS, "Type yes to run it");
	question = strstr(text_str(&seen), "the recording will");
	assert_non_null(question);
	assert_non_null(strstr(question, "run a command: rm"));
	assert_non_null(strstr(question, "scroll up to see the beginning"));
	assert_null(strstr(question, EVIL));
	assert_non_null(strstr(text_str(&seen), "\033[!p"));
	/* else the end of a long command would hide what is before it */
	assert_non_null(strstr(text_str(&seen), "\033[?7h"));
	see(terminal, &later, 300, NULL);		/* it draws every 5 ms */
	assert_null(strstr(text_str(&later), "\033[2J"));
	assert_int_equal(state_of(pid), 't');
	assert_int_equal(write(terminal, keys, strlen(keys)), strlen(keys));
	text_clear(&later);
	see(terminal, &later, LIMIT_MS, EVIL);
	assert_non_null(strstr(text_str(&later), EVIL));	/* it goes on */
	assert_int_equal(write(terminal, "\n", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(terminal);
	text_fini(&seen);
	text_fini(&later);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void nobody_draws_over_the_question(void **state)
{
	(void)state;
	assert_int_equal(answer(draw, "yes\n"), 10);
	assert_int_equal(answer(draw, "no\n"), 11);
	assert_int_equal(answer(draw, "\033"), 11);
	for (int i = 0; i < 3; i++)
		assert_int_equal(answer(run, "yes\n"), 10);
}

/* The asking process is stopped: the question gives way to the signal. */
static void a_signal_ends_it(void **state)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGQUIT };

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct text seen = { 0 };
		int terminal, status;
		pid_t pid = start(&terminal, draw);

		see(terminal, &seen, LIMIT_MS, "Type yes to run it");
		assert_int_equal(kill(pid, signals[i]), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
		close(terminal);
		text_fini(&seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nobody_draws_over_the_question),
					    cmocka_unit_test(a_signal_ends_it) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
