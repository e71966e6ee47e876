/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/status_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/json_out.h"
#include "src/base/memory.h"

#define LAST_WAIT_MS	2000		/* wait at the end for a slow reader */
#define MAX_PENDING	(1u << 20)	/* bytes kept for a reader that does not read */

struct status_stream {
	int		fd;		/* -1: the reader is gone */
	int		control_fd;	/* on which the reader can answer: that of a socket, or a
					 * separate one; -1 = none */
	bool		alone;		/* a file or a terminal: there is no reader to go away,
					 * and no need to wait */
	bool		kept;		/* the reader may go away without ending the recording */
	bool		discards;	/* it wants no file */
	struct text	pending;	/* partly written or mandatory lines that did not fit */
	char		word[8];	/* part of a word from the reader */
	size_t		word_len;
};

/* Move the descriptor above the standard ones, out of the way of the command's output. */
static int move_up(int fd, const char *option, struct ft_error *err)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3), nothing;

	if (moved < 0) {
		ft_error_set(err, FT_E_USAGE, -1, "%s %d: %s", option, fd, strerror(errno));
		return -1;
	}
	if (fd > 2) {
		close(fd);
		return moved;
	}
	/* something must take its place for the command's output */
	nothing = fd == STDOUT_FILENO ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
	if (nothing < 0)
		nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (nothing >= 0) {
		dup2(nothing, fd);
		close(nothing);
	}
	return moved;
}

struct status_stream *status_stream_open(int fd, struct ft_error *err)
{
	int mode = fcntl(fd, F_GETFL);
	struct status_stream *s;
	struct stat st;

	if (mode < 0 || fstat(fd, &st)) {
		ft_error_set(err, FT_E_USAGE, -1, "--status-fd %d: %s", fd, strerror(errno));
		return NULL;
	}
	if ((mode & O_ACCMODE) == O_RDONLY) {
		ft_error_set(err, FT_E_USAGE, -1, "--status-fd %d: it is read-only", fd);
		return NULL;
	}
	fd = move_up(fd, "--status-fd", err);
	if (fd < 0)
		return NULL;
	s = mem_alloc(sizeof(*s));
	s->fd = fd;
	s->control_fd = S_ISSOCK(st.st_mode) ? fd : -1;
	s->alone = s->control_fd < 0 && !S_ISFIFO(st.st_mode);
	/* do not make a shared terminal or file non-blocking: others do not expect it */
	if (s->control_fd >= 0 || S_ISFIFO(st.st_mode))
		fcntl(fd, F_SETFL, mode | O_NONBLOCK);
	/* EPIPE reports it */
	signal(SIGPIPE, SIG_IGN);
	return s;
}

int status_stream_control(struct status_stream *s, int fd, struct ft_error *err)
{
	int moved = move_up(fd, "--control-fd", err);

	if (moved < 0)
		return -1;
	s->control_fd = moved;
	s->alone = false;
	return 0;
}

/* The reader's last word may still be unread. */
static void lose_reader(struct status_stream *s)
{
	if (s->control_fd != s->fd)
		close(s->fd);
	s->fd = -1;
	text_clear(&s->pending);
}

/* Write as many pending bytes as the reader takes now. */
static void flush_pending(struct status_stream *s)
{
	size_t done = 0;

	while (s->fd >= 0 && done < s->pending.len) {
		struct pollfd ready = { .fd = s->fd, .events = POLLOUT };
		ssize_t put;

		if (poll(&ready, 1, 0) <= 0)
			break;
		put = write(s->fd, s->pending.data + done, s->pending.len - done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EAGAIN)
			break;
		if (put < 0) {
			lose_reader(s);
			return;
		}
		done += put;
	}
	if (s->fd < 0 || !done)
		return;
	memmove(s->pending.data, s->pending.data + done, s->pending.len - done);
	s->pending.len -= done;
}

void status_stream_close(struct status_stream *s)
{
	if (!s)
		return;
	for (int waited = 0; s->fd >= 0 && s->pending.len && waited < LAST_WAIT_MS; waited += 50) {
		struct pollfd ready = { .fd = s->fd, .events = POLLOUT };

		if (poll(&ready, 1, 50) > 0)
			flush_pending(s);
	}
	if (s->control_fd >= 0 && s->control_fd != s->fd)
		close(s->control_fd);
	if (s->fd >= 0)
		close(s->fd);
	text_fini(&s->pending);
	free(s);
}

int status_stream_fd(const struct status_stream *s)
{
	return !s || s->kept || s->alone ? -1 : s->control_fd >= 0 ? s->control_fd : s->fd;
}

/* Each word ends with a newline or a blank.  Return: true after "stop" or "discard". */
static bool says_stop(struct status_stream *s, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != '\n' && bytes[i] != ' ') {
			if (s->word_len < sizeof(s->word))
				s->word[s->word_len++] = bytes[i];
			continue;
		}
		s->discards |= s->word_len == 7 && !memcmp(s->word, "discard", 7);
		if (s->discards || (s->word_len == 4 && !memcmp(s->word, "stop", 4)))
			return true;
		s->kept |= s->word_len == 4 && !memcmp(s->word, "keep", 4);
		s->word_len = 0;
	}
	return false;
}

bool status_stream_asks_stop(struct status_stream *s, const char **why)
{
	struct pollfd state = { .fd = status_stream_fd(s), .events = POLLIN };
	char bytes[64];
	ssize_t got;

	*why = "its reader went away";
	if (!s || s->kept || s->alone)
		return false;
	if (state.fd < 0)
		return true;
	if (poll(&state, 1, 0) <= 0)
		return false;
	if (s->control_fd < 0) {
		if (!(state.revents & (POLLERR | POLLNVAL)))
			return false;
		lose_reader(s);
		return true;
	}
	got = read(s->control_fd, bytes, sizeof(bytes));
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	/* the reader has shut down its sending side; it may still receive */
	if (got > 0 && !says_stop(s, bytes, got))
		return false;
	if (got > 0)
		*why = "its reader";
	return true;
}

bool status_stream_discards(const struct status_stream *s)
{
	return s && s->discards;
}

void status_stream_line(struct status_stream *s, const struct text *members, bool must)
{
	if (!s || s->fd < 0)
		return;
	flush_pending(s);
	if (s->fd < 0 || (s->pending.len && !must) || s->pending.len > MAX_PENDING)
		return;
	text_char(&s->pending, '{');
	text_bytes(&s->pending, text_str(members), members->len);
	text_add(&s->pending, "}\n");
	flush_pending(s);
}

void status_stream_say(struct status_stream *s, const char *type, const char *name,
		       const char *value)
{
	struct text t = { 0 };

	json_out_string(&t, "type", type);
	json_out_string(&t, name, value);
	status_stream_line(s, &t, true);
	text_fini(&t);
}
