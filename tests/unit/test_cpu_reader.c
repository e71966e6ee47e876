/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Up to which time a CPU is settled whose ring has always more than is read: the kernel's oldest
 * event may come after a loss that is not in the file yet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/run/cpu_reader.h"
#include "tests/lib/fake_tracefs.h"

#define PAGE	4096u
#define FIRST	1000u		/* stamp of the first sub-buffer; each of the next is one later */

/* --- a ring that is never empty --------------------------------------------------------------- */

static struct {
	ino_t		inode;
	atomic_uint	pages;		/* read so far */
	atomic_bool	ended;
} ring;

static bool is_ring(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISFIFO(st.st_mode) && st.st_ino == ring.inode;
}

ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size)
{
	uint64_t stamp;

	if (!is_ring(fd))
		return __real_read(fd, data, size);
	if (atomic_load(&ring.ended)) {
		errno = EAGAIN;
		return -1;
	}
	stamp = FIRST + atomic_fetch_add(&ring.pages, 1);
	memset(data, 0, size);
	memcpy(data, &stamp, sizeof(stamp));
	return (ssize_t)size;
}

ssize_t __wrap_splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
		      unsigned int flags);
ssize_t __wrap_splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
		      unsigned int flags)
{
	(void)from, (void)from_at, (void)to, (void)to_at, (void)size, (void)flags;
	errno = EINVAL;		/* it is to be read */
	return -1;
}

/* Nobody writes, but it has a writer.  Return: that one. */
static int make_ring(const struct fake_tracefs *fake)
{
	char path[600];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu0/trace_pipe_raw", fake->root);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	ring.inode = st.st_ino;
	return fd;
}

/* ---------------------------------------------------------------------------------------------- */

static void a_busy_cpu_is_settled_as_far_as_it_was_read(void **state)
{
	const struct cpu_readers_options options = { .interval_us = 100000 };
	struct cpu_readers *readers = cpu_readers_new(&options);
	struct output_stream stream = { .page_size = PAGE, .room = 1u << 30 };
	struct text priority = { 0 };
	struct fake_tracefs fake;
	struct ft_error err = { 0 };
	struct tracefs_dir dir;
	uint64_t settled;
	FILE *file = tmpfile();
	int writer;

	(void)state;
	fake_tracefs_init(&fake);
	fake_tracefs_put(&fake, "per_cpu/cpu0/stats",
			 "entries: 5\noldest event ts: 9000000\nnow ts: 9000005\n");
	writer = make_ring(&fake);
	stream.fd = fileno(file);
	assert_int_equal(tracefs_dir_open(&dir, fake.root, &err), 0);
	assert_int_equal(cpu_readers_add(readers, &dir, "trace_pipe_raw", &stream, &err), 0);
	assert_int_equal(cpu_readers_start(readers, &priority, &err), 0);
	while (!(settled = atomic_load(&stream.settled)))
		usleep(1000);
	assert_in_range(settled, FIRST, FIRST + atomic_load(&ring.pages));
	atomic_store(&ring.ended, true);
	assert_int_equal(cpu_readers_stop(readers, &err), 0);
	assert_int_equal(atomic_load(&stream.settled), 9000005);	/* nothing is left */
	cpu_readers_free(readers);
	tracefs_dir_close(&dir);
	text_fini(&priority);
	close(writer);
	fclose(file);
	fake_tracefs_fini(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_busy_cpu_is_settled_as_far_as_it_was_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
