/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * broker_confirm - asks the user at the terminal.
 *
 * The asking process could draw over the question.  It is stopped meanwhile by ptrace(): a SIGSTOP
 * would be seen by the shell, which would take the terminal back.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "src/sandbox/broker_private.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

/* --- stopping the asking process -------------------------------------------------------------- */

struct stopped {
	struct stopped_thread {
		pid_t	id;
		int	signal;		/* it was about to get this one; 0: none */
	} *threads;
	size_t	nr, cap;
};

static bool is_stopped(const struct stopped *stopped, pid_t id)
{
	for (size_t i = 0; i < stopped->nr; i++)
		if (stopped->threads[i].id == id)
			return true;
	return false;
}

/* Return: 0, also if it has ended, or -1 with errno. */
static int stop_thread(struct stopped *stopped, pid_t id)
{
	int status = 0;

	if (ptrace(PTRACE_SEIZE, id, NULL, NULL) || ptrace(PTRACE_INTERRUPT, id, NULL, NULL))
		return errno == ESRCH ? 0 : -1;
	while (waitpid(id, &status, __WALL) < 0 && errno == EINTR)
		;
	if (!WIFSTOPPED(status))
		return 0;
	mem_grow(&stopped->threads, stopped->nr, &stopped->cap);
	stopped->threads[stopped->nr++] = (struct stopped_thread){
		.id = id, .signal = status >> 16 ? 0 : WSTOPSIG(status)
	};
	return 0;
}

static void let_go(struct stopped *stopped)
{
	for (size_t i = 0; i < stopped->nr; i++)
		ptrace(PTRACE_DETACH, stopped->threads[i].id, NULL,
		       (long)stopped->threads[i].signal);
	free(stopped->threads);
}

static int stop_listed(struct stopped *stopped, DIR *tasks)
{
	int ret = 0;

	for (const struct dirent *d = readdir(tasks); d; d = readdir(tasks)) {
		pid_t id = (pid_t)strtol(d->d_name, NULL, 10);

		if (id > 0 && !is_stopped(stopped, id) && stop_thread(stopped, id))
			ret = errno;
	}
	return ret;
}

#define MAX_LISTINGS	20000

/*
 * Repeats until all threads are stopped.  The links of the folder are counted, because a thread
 * that ends can have started another one, and a listing misses threads while others end.
 */
static int stop_process(struct stopped *stopped, pid_t pid)
{
	int errnum = EAGAIN;
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	for (int i = 0; i < MAX_LISTINGS; i++) {
		DIR *tasks = opendir(path);
		bool are_all;

		if (!tasks)
			return -1;
		are_all = !fstat(dirfd(tasks), &st) && st.st_nlink == stopped->nr + 2;
		if (!are_all)
			errnum = stop_listed(stopped, tasks);
		closedir(tasks);
		if (are_all)
			return 0;
	}
	errno = errnum ? errnum : EAGAIN;
	return -1;
}

/* --- the question ----------------------------------------------------------------------------- */

#define ESC		'\033'
#define LOOK_MS		200		/* until the next look whether the asker has to end */
#define STATUS_BYTES	65536		/* of its status */

/* Does a signal wait for the asking process to go on, so that it ends? */
static bool is_told_to_end(pid_t asker)
{
	const unsigned long long ends = 1ull << (SIGTERM - 1) | 1ull << (SIGHUP - 1) |
					1ull << (SIGQUIT - 1);
	unsigned long long pending = 0;
	struct text status = { 0 };
	const char *line;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/status", asker);
	small_file_read(path, STATUS_BYTES, &status, NULL);
	line = strstr(text_str(&status), "\nShdPnd:");
	if (line)
		sscanf(line, "\nShdPnd: %llx", &pending);
	text_fini(&status);
	return pending & ends;
}

/*
 * Read a line from the terminal, without its newline; false: Esc, Ctrl-C, or the other side is
 * gone, or has to go.
 */
static bool read_line(int tty, int interrupts, int fd, pid_t asker, char *line, size_t size)
{
	size_t len = 0;

	for (;;) {
		struct pollfd fds[3] = {
			{ .fd = tty, .events = POLLIN }, { .fd = interrupts, .events = POLLIN },
			{ .fd = fd, .events = POLLRDHUP },
		};
		ssize_t got;

		if (poll(fds, 3, LOOK_MS) < 0 && errno != EINTR)
			return false;
		if (fds[1].revents || fds[2].revents || is_told_to_end(asker))
			return false;
		if (!fds[0].revents)
			continue;
		got = read(tty, line + len, size - 1 - len);
		if (got <= 0)
			return false;
		len += (size_t)got;
		line[len] = '\0';
		if (line[len - 1] == ESC)
			return false;
		if (line[len - 1] == '\n' || line[len - 1] == '\r') {
			line[len - 1] = '\0';
			return true;
		}
		if (len + 1 == size)
			return false;
	}
}

/*
 * A known state, whatever was written before: ends a sequence that was begun (CAN, ST) and the VT52
 * mode; soft reset; long lines wrap, which not every soft reset sees to; the usual screen, colours
 * and character set, no mouse.  Full reset would erase what the user can scroll back to.
 */
static const char reset[] =
	"\030\033\\\033<\033[!p\033[?7h\033[4l\033[?6l\033[?2026l\033[?69l\033[?5l\033[?1049l\033[r\033[m"
	"\033(B\017\033[?25h\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l"
	"\033]104\033\\\033]110\033\\\033]111\033\\";

/* The rows of the screen that lines need, which stand two columns from the left. */
static size_t rows_of(const char *lines, size_t columns)
{
	size_t rows = 0;

	for (const char *p = lines; *p; p += strcspn(p, "\n"), p += *p == '\n')
		rows += (strcspn(p, "\n") + 2) / columns + 1;
	return rows;
}

/*
 * Compose the question, on a screen of its own.  The user has to see all of it.  What was there is
 * scrolled away from the last row on, and erased as a whole, for the sake of pictures.
 */
static void add_question(int tty, const struct broker_verdict *verdict, struct text *shown)
{
	const struct text *asks = &verdict->asks;
	struct winsize size = { 0 };

	ioctl(tty, TIOCGWINSZ, &size);
	if (!size.ws_row || !size.ws_col)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	text_add(shown, reset);
	text_printf(shown, "\033[%uH", size.ws_row);
	for (unsigned int i = 0; i < size.ws_row; i++)
		text_char(shown, '\n');
	text_printf(shown, "\033[H\033[2Jftop-trace: the %s will\n  ",
		    verdict->saves ? "browser" : "recording");
	for (const char *p = text_str(asks); *p; p++)
		text_add(shown, *p == '\n' ? "\n  " : (char[]){ *p, '\0' });
	if (rows_of(text_str(asks), size.ws_col) + 3 > size.ws_row)
		text_printf(shown, "\n(%zu characters: scroll up to see the beginning)", asks->len);
	text_char(shown, '\n');
}

/* Make the terminal read lines, which Esc ends like Enter.  False: nothing has to be restored. */
static bool set_modes(int tty, struct termios *before)
{
	struct termios settings;

	if (tcgetattr(tty, before))
		return false;
	settings = *before;
	/* OLCUC and others would make other sequences of those in reset[] */
	settings.c_iflag = ICRNL | (before->c_iflag & IUTF8);
	settings.c_oflag = OPOST | ONLCR;
	settings.c_lflag = ICANON | ISIG | ECHO | ECHOE;
	settings.c_cc[VEOL] = ESC;
	settings.c_cc[VINTR] = 'C' - '@';
	return !tcsetattr(tty, TCSANOW, &settings);
}

static bool write_all(int tty, const char *bytes, size_t len)
{
	return write(tty, bytes, len) == (ssize_t)len;
}

static bool ask_at_terminal(int fd, pid_t asker, const struct broker_verdict *verdict)
{
	const char *prompt = verdict->saves ?
				     "Type yes to save it; Enter, Esc or anything else cancels: " :
				     "Type yes to run it; Enter, Esc or anything else cancels: ";
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC), interrupts;
	const struct timespec now = { 0, 0 };
	struct text shown = { 0 };
	struct termios before;
	sigset_t interrupt;
	char line[64];
	bool changed, yes;

	if (tty < 0)
		return false;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	while (sigtimedwait(&interrupt, NULL, &now) > 0)
		;		/* discard keys pressed before the question */
	interrupts = signalfd(-1, &interrupt, SFD_CLOEXEC);
	changed = set_modes(tty, &before);
	add_question(tty, verdict, &shown);
	/* Discard keys pressed before the prompt, but none after it. */
	yes = write_all(tty, text_str(&shown), shown.len) && !tcflush(tty, TCIFLUSH) &&
	      write_all(tty, prompt, strlen(prompt)) &&
	      read_line(tty, interrupts, fd, asker, line, sizeof(line)) && !strcmp(line, "yes");
	text_fini(&shown);
	/* discard what follows Esc, which is not meant for the screen */
	if (changed)
		tcsetattr(tty, TCSAFLUSH, &before);
	if (interrupts >= 0)
		close(interrupts);
	close(tty);
	return yes;
}

int broker_confirm(int fd, pid_t asker, const struct broker_verdict *verdict, struct ft_error *err)
{
	const char *done = verdict->saves ? "saved" : "recorded";
	struct stopped stopped = { 0 };
	int ret = 0;

	if (getppid() != asker)
		ret = ft_error_set(err, FT_E_IO, -1, "the screen has ended");
	else if (stop_process(&stopped, asker))
		ret = ft_error_errno(err, errno, -1,
				     "nothing was %s: the screen cannot be stopped while you are "
				     "asked; %s",
				     done,
				     verdict->saves ? "save it as NAME.dat, or by a name that "
						      "begins with that of the trace" :
						      "use ftop-trace record in a shell");
	else if (!ask_at_terminal(fd, asker, verdict))
		ret = ft_error_set(err, FT_E_CANCELLED, -1, "nothing was %s: it was not confirmed",
				   done);
	let_go(&stopped);
	return ret;
}
