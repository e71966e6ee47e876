/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/printer/printer_wire.h"

#include <errno.h>
#include <poll.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "src/base/memory.h"

int64_t wire_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* After a call that did nothing: wait if it is worth trying again. */
static bool is_ready(int fd, short events, int64_t until)
{
	struct pollfd ready = { .fd = fd, .events = events };
	int64_t left = until == WIRE_NO_LIMIT ? 0 : until - wire_now();

	if (errno != EAGAIN)
		return errno == EINTR;
	if (left < 0)
		left = 0;		/* this process may have been stopped */
	return poll(&ready, 1, until == WIRE_NO_LIMIT ? -1 : (int)left) > 0 || errno == EINTR;
}

int wire_send(int fd, const struct wire *wire, const void *bytes, int64_t until)
{
	struct iovec parts[2] = {
		{ .iov_base = (void *)wire, .iov_len = sizeof(*wire) },
		{ .iov_base = (void *)bytes, .iov_len = wire->bytes },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	while (parts[0].iov_len + parts[1].iov_len) {
		ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && is_ready(fd, POLLOUT, until))
			continue;
		if (sent <= 0)
			return -1;
		for (int i = 0; i < 2; i++) {
			size_t part = (size_t)sent < parts[i].iov_len ? (size_t)sent :
									parts[i].iov_len;

			if (!part)	/* there may be no bytes at all */
				continue;
			parts[i].iov_base = (char *)parts[i].iov_base + part;
			parts[i].iov_len -= part;
			sent -= (ssize_t)part;
		}
	}
	return 0;
}

static int receive_all(int fd, void *to, size_t len, int64_t until)
{
	for (size_t done = 0; done < len;) {
		ssize_t got = recv(fd, (char *)to + done, len - done, MSG_DONTWAIT);

		if (got < 0 && is_ready(fd, POLLIN, until))
			continue;
		if (got <= 0)
			return -1;
		done += (size_t)got;
	}
	return 0;
}

int wire_receive(int fd, struct wire *wire, struct text *bytes, uint32_t max, int64_t until)
{
	text_clear(bytes);
	if (wire_now() > until || receive_all(fd, wire, sizeof(*wire), until) || wire->bytes > max)
		return -1;
	text_reserve(bytes, wire->bytes);
	if (receive_all(fd, bytes->data, wire->bytes, until))
		return -1;
	bytes->len = wire->bytes;
	bytes->data[bytes->len] = '\0';
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *wire_keep(void **names, const char *name)
{
	char **found = tfind(name, names, compare);

	if (!found)
		found = tsearch(mem_strdup(name), names, compare);
	return found ? *found : "";
}

void wire_forget(void **names)
{
	tdestroy(*names, free);
	*names = NULL;
}
