/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/framing.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>

int64_t framing_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* After a call that did nothing: wait if it is worth trying again. */
static bool is_ready(int fd, short events, int64_t until)
{
	struct pollfd ready = { .fd = fd, .events = events };
	int64_t left = until == FRAMING_NO_LIMIT ? 0 : until - framing_now();

	if (errno != EAGAIN)
		return errno == EINTR;
	if (left < 0)
		left = 0;		/* this process may have been stopped */
	return poll(&ready, 1, until == FRAMING_NO_LIMIT ? -1 : (int)left) > 0 || errno == EINTR;
}

int framing_send(int fd, const void *head, size_t head_len, const void *bytes, size_t len,
		 int64_t until)
{
	struct iovec parts[2] = {
		{ .iov_base = (void *)head, .iov_len = head_len },
		{ .iov_base = (void *)bytes, .iov_len = len },
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

int framing_receive(int fd, void *to, size_t len, int64_t until)
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
