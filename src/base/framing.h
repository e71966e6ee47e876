/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_FRAMING_H
#define FTOP_SRC_BASE_FRAMING_H
/*
 * framing - whole messages through a socket, between this program's processes: a head, which says
 * how many bytes follow it, and these.
 */
#include <stddef.h>
#include <stdint.h>

#define FRAMING_NO_LIMIT	INT64_MAX

int64_t framing_now(void);	/* the time in ms, for @until */

/*
 * Send a head and @len bytes; receive exactly @len bytes.  Signals do not end the call.  Return: 0,
 * or -1 if the other side is gone or is not ready at the time @until.
 */
int framing_send(int fd, const void *head, size_t head_len, const void *bytes, size_t len,
		 int64_t until);
int framing_receive(int fd, void *to, size_t len, int64_t until);
#endif
