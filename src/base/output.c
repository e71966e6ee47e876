/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/output.h"

#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)1 << 20)
#define COPIED_BYTES ((size_t)32 << 10)	/* smaller pieces are copied into the block */

static struct text *taken;		/* borrowed: see output_take() */

void output_take(struct text *to)
{
	taken = to;
}

void output_init(struct output *out, int fd)
{
	*out = (struct output){ .fd = fd, .terminal = isatty(fd) };
	out->ascii = out->terminal && output_locale_is_ascii();
	signal(SIGPIPE, SIG_IGN);
	text_reserve(&out->block, BLOCK_BYTES + (BLOCK_BYTES >> 4));
}

static int write_all(struct output *out, const char *p, size_t left, struct ft_error *err)
{
	if (taken && out->fd == STDOUT_FILENO) {
		text_bytes(taken, p, left);
		left = 0;
	}
	while (left && !out->closed) {
		ssize_t n = write(out->fd, p, left);

		if (n >= 0) {
			out->written += (uint64_t)n;
			p += n;
			left -= (size_t)n;
		} else if (errno == EPIPE) {
			out->closed = true;
		} else if (errno == EAGAIN) { /* a pipe that someone made non-blocking */
			struct pollfd pfd = { .fd = out->fd, .events = POLLOUT };

			poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			return ft_error_errno(err, errno, -1, "writing the output");
		}
	}
	return 0;
}

static void make_safe(struct text *block)
{
	struct text raw = *block;

	*block = (struct text){ 0 };
	text_terminal(block, text_str(&raw), raw.len, true);
	text_fini(&raw);
}

int output_now(struct output *out, struct ft_error *err)
{
	int ret;

	if (out->ascii)
		text_to_ascii(&out->block, 0);
	if (out->terminal)
		make_safe(&out->block);
	ret = write_all(out, text_str(&out->block), out->block.len, err);
	text_clear(&out->block);
	return ret;
}

int output_more(struct output *out, struct ft_error *err)
{
	return out->block.len < BLOCK_BYTES ? 0 : output_now(out, err);
}

int output_piece(struct output *out, const char *s, size_t len, struct ft_error *err)
{
	if (len < COPIED_BYTES || out->terminal) {
		text_bytes(&out->block, s, len);
		return output_more(out, err);
	}
	return output_now(out, err) ? -1 : write_all(out, s, len, err);
}

int output_end(struct output *out, struct ft_error *err)
{
	int ret = out->closed ? 0 : output_now(out, err);

	text_fini(&out->block);
	return ret;
}

int output_whole(int fd, struct text *text, struct ft_error *err)
{
	struct output out;

	output_init(&out, fd);
	text_fini(&out.block);
	out.block = *text;
	*text = (struct text){ 0 };
	return output_end(&out, err);
}

bool output_locale_is_ascii(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

int output_cells(int fd)
{
	struct winsize size = { 0 };

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}
