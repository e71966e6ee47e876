/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker_serve - the broker process: checks and serves one request at a time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "src/sandbox/broker_private.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

struct server {
	int				 fd;
	const struct broker_rules	*rules;
	struct text			 confirmed;	/* programs confirmed before, each with
							 * its NUL */
};

/*
 * --- asking the user at the terminal
 * ----------------------------------------------------------------------------
 */

#define ESC '\033'

/*
 * Read a line from the terminal, without its newline; false: Esc, Ctrl-C, or the other side is
 * gone.
 */
static bool read_line(int tty, int interrupts, int fd, char *line, size_t size)
{
	size_t len = 0;

	for (;;) {
		struct pollfd fds[3] = {
			{ .fd = tty, .events = POLLIN }, { .fd = interrupts, .events = POLLIN },
			{ .fd = fd, .events = POLLRDHUP },
		};
		ssize_t got;

		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return false;
		if (fds[1].revents || fds[2].revents)
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

/* Compose the question.  The user has to see the whole command. */
static void add_question(int tty, const struct text *runs, struct text *shown)
{
	struct winsize size = { 0 };

	text_add(shown, "\nftop-trace: the recording will run this command:\n  ");
	text_printable(shown, text_str(runs), runs->len);
	if (!ioctl(tty, TIOCGWINSZ, &size) && size.ws_row > 4 &&
	    runs->len > (size_t)(size.ws_row - 4) * size.ws_col)
		text_printf(shown, "\n(%zu characters: scroll up to see the beginning)", runs->len);
	text_add(shown, "\nType yes to run it; Enter, Esc or anything else cancels: ");
}

/* Make Esc end a line like Enter.  False: nothing has to be restored. */
static bool let_escape_end_lines(int tty, struct termios *before)
{
	struct termios settings;

	if (tcgetattr(tty, before))
		return false;
	settings = *before;
	settings.c_cc[VEOL] = ESC;
	return !tcsetattr(tty, TCSANOW, &settings);
}

static bool ask_at_terminal(int fd, const struct text *runs)
{
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
	tcflush(tty, TCIFLUSH);
	interrupts = signalfd(-1, &interrupt, SFD_CLOEXEC);
	changed = let_escape_end_lines(tty, &before);
	add_question(tty, runs, &shown);
	yes = write(tty, text_str(&shown), shown.len) == (ssize_t)shown.len &&
	      read_line(tty, interrupts, fd, line, sizeof(line)) && !strcmp(line, "yes");
	text_fini(&shown);
	/* discard what follows Esc, which is not meant for the screen */
	if (changed)
		tcsetattr(tty, TCSAFLUSH, &before);
	if (interrupts >= 0)
		close(interrupts);
	close(tty);
	return yes;
}

static bool is_confirmed(const struct server *server, const struct text *runs)
{
	for (size_t at = 0; at < server->confirmed.len;
	     at += strlen(server->confirmed.data + at) + 1)
		if (!strcmp(server->confirmed.data + at, text_str(runs)))
			return true;
	return false;
}

/* Confirm each program once.  Return: 0, -1, or BROKER_ASKS. */
static int confirm_program(struct server *server, const struct text *runs, bool may_ask,
			   struct ft_error *err)
{
	if (!runs->len || is_confirmed(server, runs))
		return 0;
	if (!may_ask)
		return BROKER_ASKS;
	if (!ask_at_terminal(server->fd, runs))
		return ft_error_set(err, FT_E_CANCELLED, -1,
				    "nothing was recorded: %s was not confirmed", text_str(runs));
	text_bytes(&server->confirmed, text_str(runs), runs->len + 1);
	return 0;
}

/* --- what is asked ---------------------------------------------------------------------------- */

/* Split consecutive words, each with its NUL.  Return: an owned array. */
static const char **split_words(const char *bytes, size_t len)
{
	const char **words;
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < len; i++)
		nr += !bytes[i];
	words = mem_array(nr + 2, sizeof(*words));	/* the last one may lack its NUL */
	for (nr = 0; at < len; at += strlen(bytes + at) + 1)
		words[nr++] = bytes + at;
	return words;
}

static int start(struct server *server, const struct broker_ask *ask, const char *bytes,
		 struct broker_answer *answer, int fds[BROKER_MAX_FDS])
{
	const char **words = split_words(bytes, ask->bytes);
	struct text runs = { 0 };
	struct child child;
	int result = broker_judge(server->rules, words, &runs, &answer->err);

	if (!result && (ask->number < CHILD_ASKED || ask->number > CHILD_WRAPPED))
		result = ft_error_set(&answer->err, FT_E_USAGE, -1, "no such kind of child");
	if (!result)
		result = confirm_program(server, &runs, ask->may_ask, &answer->err);
	if (!result)
		result = child_start(&child, words, (enum child_kind)ask->number, &answer->err);
	if (!result) {
		answer->pid = child.pid;
		fds[0] = child.pidfd;
		fds[1] = child.from;
		fds[2] = child.to;
		fds[3] = child.said;
	}
	text_fini(&runs);
	free(words);
	return result;
}

static int create(const char *path, int fds[BROKER_MAX_FDS], struct ft_error *err)
{
	if (broker_is_hidden(path))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "%s: the browser does not write hidden files", path);
	fds[0] = broker_create(NULL, path, err);
	return fds[0] < 0 ? -1 : 0;
}

/* Create a session file, or replace one. */
static int replace_session(const char *bytes, size_t len, struct ft_error *err)
{
	const size_t head = sizeof(BROKER_SESSION_HEAD) - 1, end = sizeof(BROKER_SESSION_END) - 1;
	size_t path = strlen(bytes);
	struct text contents = { 0 }, there = { 0 };
	bool allowed, is_new;
	int result;

	if (path < len)
		text_bytes(&contents, bytes + path + 1, len - path - 1);
	is_new = access(bytes, F_OK) != 0;
	allowed = path > end && !strcmp(bytes + path - end, BROKER_SESSION_END) &&
		  bytes[path - end - 1] != '/' &&
		  !strncmp(text_str(&contents), BROKER_SESSION_HEAD, head) &&
		  (is_new || (!small_file_read(bytes, BROKER_MAX_BYTES, &there, NULL) &&
			      !strncmp(text_str(&there), BROKER_SESSION_HEAD, head)));
	if (allowed)
		result = small_file_replace(bytes, &contents, 0644, err);
	else
		result = ft_error_set(err, FT_E_USAGE, -1,
				      "%s is not a file of marks; it is left unchanged", bytes);
	text_fini(&contents);
	text_fini(&there);
	return result;
}

static int ended(pid_t pid, int *status)
{
	pid_t got = pid > 0 ? waitpid(pid, status, WNOHANG) : -1;

	if (got < 0)
		*status = 0;
	return got != 0;
}

/* Only our own children that have not been reaped yet. */
static void interrupt_child(pid_t pid)
{
	siginfo_t info;

	if (pid > 0 && !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT))
		kill(pid, SIGINT);
}

static void answer_it(struct server *server, const struct broker_ask *ask, const char *bytes,
		      struct broker_answer *answer, int fds[BROKER_MAX_FDS])
{
	switch ((enum broker_what)ask->what) {
	case BROKER_START:
		answer->result = start(server, ask, bytes, answer, fds);
		return;
	case BROKER_CREATE:
		answer->result = create(bytes, fds, &answer->err);
		return;
	case BROKER_REPLACE:
		answer->result = replace_session(bytes, ask->bytes, &answer->err);
		return;
	case BROKER_ENDED:
		answer->result = ended(ask->number, &answer->status);
		return;
	case BROKER_INTERRUPT:
		interrupt_child(ask->number);
		return;
	}
	answer->result = ft_error_set(&answer->err, FT_E_USAGE, -1, "no such question");
}

/* --- one after the other ---------------------------------------------------------------------- */

static int send_answer(int fd, struct broker_answer *answer, const int fds[BROKER_MAX_FDS])
{
	union {
		struct cmsghdr	head;
		char		bytes[CMSG_SPACE(sizeof(int) * BROKER_MAX_FDS)];
	} control = { .bytes = { 0 } };
	struct iovec part = { .iov_base = answer, .iov_len = sizeof(*answer) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	int given[BROKER_MAX_FDS], nr = 0;

	for (int i = 0; i < BROKER_MAX_FDS; i++) {
		if (fds[i] < 0)
			continue;
		answer->fds |= 1u << i;
		given[nr++] = fds[i];
	}
	if (nr) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)nr);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int) * (size_t)nr);
		memcpy(CMSG_DATA(&control.head), given, sizeof(int) * (size_t)nr);
	}
	/* small enough for an empty socket: it is sent at once or not at all */
	return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)sizeof(*answer) ? 0 : -1;
}

static int serve_one(struct server *server)
{
	int fds[BROKER_MAX_FDS] = { -1, -1, -1, -1 }, result = -1;
	struct broker_answer answer = { .err.offset = -1 };
	struct broker_ask ask;
	char *bytes;

	if (broker_read(server->fd, &ask, sizeof(ask)) || ask.bytes > BROKER_MAX_BYTES)
		return -1;
	bytes = mem_alloc(ask.bytes + 1);
	if (!broker_read(server->fd, bytes, ask.bytes)) {
		bytes[ask.bytes] = '\0';
		answer_it(server, &ask, bytes, &answer, fds);
		result = send_answer(server->fd, &answer, fds);
	}
	for (int i = 0; i < BROKER_MAX_FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(bytes);
	return result;
}

void broker_serve(int fd, const struct broker_rules *rules)
{
	struct server server = { .fd = fd, .rules = rules };

	if (rules->confirmed)
		text_bytes(&server.confirmed, rules->confirmed, strlen(rules->confirmed) + 1);
	while (!serve_one(&server))
		;
	text_fini(&server.confirmed);
}
