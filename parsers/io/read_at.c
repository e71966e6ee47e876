/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/io/read_at.h"

#include <errno.h>
#include <unistd.h>

int64_t read_at(int fd, void *buf, size_t n, uint64_t offset)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, (char *)buf + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (int64_t)done;
}
