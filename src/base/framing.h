/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_FRAMING_H
#define FTOP_SRC_BASE_FRAMING_H
/*
 * framing - whole messages through a socket, between this program's processes: a head, which says
 * how many bytes follow it, and these.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FRAMING_NO_LIMIT	INT64_MAX

int64_t framing_now(void);	/* the time in ms, for @until */

/*
 * Send a head and @len bytes; receive exactly @len bytes.  Signals do not end the call.  Return: 0,
 * or -1 with errno if the other side is gone, or is not ready at the time @until (EAGAIN).
 */
int framing_send(int fd, const void *head, size_t head_len, const void *bytes, size_t len,
		 int64_t until);
int framing_receive(int fd, void *to, size_t len, int64_t until);

/*
 * Receive what is there, at least a byte.  Return: how many; 0 if the other side is gone; -1 with
 * errno, which is EAGAIN if nothing came until @until.
 */
ssize_t framing_receive_some(int fd, void *to, size_t most, int64_t until);

#define FRAMING_MAX_FDS	4

/*
 * Send a message of a few bytes, and [nr] descriptors with it: at once or not at all.  Receive such
 * a message, of at least one byte; its descriptors are the caller's, and close on exec.
 *
 * Return: 0, or -1; the number of descriptors, at most @most, or -1.
 */
int framing_send_fds(int fd, const void *bytes, size_t len, const int *fds, unsigned int nr);
int framing_receive_fds(int fd, void *to, size_t len, int *fds, unsigned int most);
#endif
