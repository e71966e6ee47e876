/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes at a place of a file, beside a read() that comes back with less, or with a signal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "parsers/io/read_at.h"

static unsigned int nr_interrupts;	/* of the calls that come, so many are */
static size_t most = SIZE_MAX;		/* a call reads no more than this */
static int fails_at = -1;		/* from here on nothing can be read */

/* Takes the place of the C library's. */
ssize_t pread(int fd, void *buf, size_t n, off_t offset)
{
	struct iovec part = { .iov_base = buf, .iov_len = n < most ? n : most };

	if (nr_interrupts) {
		nr_interrupts--;
		errno = EINTR;
		return -1;
	}
	if (fails_at >= 0 && offset >= fails_at) {
		errno = EIO;
		return -1;
	}
	return preadv(fd, &part, 1, offset);
}

/* A file of 10 bytes. */
static int ten_bytes(void)
{
	int fd = memfd_create("ten", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	return fd;
}

/* What is read, and nothing behind it. */
static void check(int fd, size_t n, uint64_t offset, const char *wanted)
{
	char buf[32];

	memset(buf, '#', sizeof(buf));
	assert_int_equal(read_at(fd, buf, n, offset), strlen(wanted));
	assert_memory_equal(buf, wanted, strlen(wanted));
	assert_int_equal(buf[strlen(wanted)], '#');
}

static void check_all(int fd)
{
	check(fd, 10, 0, "0123456789");
	check(fd, 3, 0, "012");
	check(fd, 3, 7, "789");
	check(fd, 1, 9, "9");
	check(fd, 0, 4, "");
	/* Over the end of the file, at it, and far behind it. */
	check(fd, 20, 0, "0123456789");
	check(fd, 4, 7, "789");
	check(fd, 4, 10, "");
	check(fd, 4, 11, "");
	check(fd, 4, UINT64_C(1) << 40, "");
}

static void test_places(void **state)
{
	int fd = ten_bytes();

	(void)state;
	check_all(fd);
	/* The descriptor's own place does not matter, and stays. */
	assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
	check_all(fd);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 5);
	close(fd);
}

static void test_in_parts(void **state)
{
	int fd = ten_bytes();

	(void)state;
	for (most = 1; most <= 4; most++)
		check_all(fd);
	most = SIZE_MAX;
	for (unsigned int i = 1; i < 4; i++) {
		nr_interrupts = i;
		check(fd, 4, 7, "789");
		assert_int_equal(nr_interrupts, 0);
	}
	close(fd);
}

static void test_errors(void **state)
{
	int fd = ten_bytes();
	char buf[16];

	(void)state;
	/* At once, and behind what was read already. */
	for (fails_at = 0; fails_at < 8; fails_at += 4) {
		most = 4;
		errno = 0;
		assert_int_equal(read_at(fd, buf, 10, 0), -1);
		assert_int_equal(errno, EIO);
	}
	check(fd, 4, 0, "0123");	/* what does not come there is read */
	fails_at = -1;
	most = SIZE_MAX;
	close(fd);
	errno = 0;
	assert_int_equal(read_at(fd, buf, 10, 0), -1);
	assert_int_equal(errno, EBADF);
	/* No file has such a place. */
	fd = ten_bytes();
	assert_int_equal(read_at(fd, buf, 1, UINT64_MAX), -1);
	assert_int_equal(errno, EINVAL);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_in_parts),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
