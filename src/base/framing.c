/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/framing.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

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

ssize_t framing_receive_some(int fd, void *to, size_t most, int64_t until)
{
	ssize_t got;

	do
		got = recv(fd, to, most, MSG_DONTWAIT);
	while (got < 0 && is_ready(fd, POLLIN, until));
	return got;
}

int framing_receive(int fd, void *to, size_t len, int64_t until)
{
	for (size_t done = 0; done < len;) {
		ssize_t got = framing_receive_some(fd, (char *)to + done, len - done, until);

		if (!got)
			errno = EPIPE;
		if (got <= 0)
			return -1;
		done += (size_t)got;
	}
	return 0;
}

/* --- descriptors ------------------------------------------------------------------------------ */

union control {
	struct cmsghdr	head;
	char		bytes[CMSG_SPACE(sizeof(int) * FRAMING_MAX_FDS)];
};

int framing_send_fds(int fd, const void *bytes, size_t len, const int *fds, unsigned int nr)
{
	union control control = { .bytes = { 0 } };
	struct iovec part = { .iov_base = (void *)bytes, .iov_len = len };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t sent;

	if (nr) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * nr);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int) * nr);
		memcpy(CMSG_DATA(&control.head), fds, sizeof(int) * nr);
	}
	do
		sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)len ? 0 : -1;
}

/* The first bytes bring the descriptors along. */
int framing_receive_fds(int fd, void *to, size_t len, int *fds, unsigned int most)
{
	union control control;
	struct iovec part = { .iov_base = to, .iov_len = len };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	const struct cmsghdr *head;
	const int *came;
	unsigned int nr = 0;
	ssize_t got;

	do
		got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
		came = (const int *)CMSG_DATA(head);
		for (unsigned int i = 0; i < (head->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++)
			if (nr < most)
				fds[nr++] = came[i];
			else
				close(came[i]);
	}
	if (got > 0 && !framing_receive(fd, (char *)to + got, len - (size_t)got, FRAMING_NO_LIMIT))
		return (int)nr;
	while (nr)
		close(fds[--nr]);
	return -1;
}
