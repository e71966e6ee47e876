/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parsers/io/archive.h"
#include "parsers/io/read_at.h"
#include "parsers/io/temporary.h"
#include "src/base/memory.h"

#define BLOCK		((size_t)1 << 20)
#define HEAD_BYTES	16u		/* that tell whether it is a text */
#define WAIT_MS		50		/* between two looks at what has come */
#define LITTLE		((size_t)16 << 10)	/* bytes: a pipe has 64 KiB */
#define LITTLE_MS	20		/* by then, more has come: trace_pipe gives line by line */

static struct {
	struct temporary file;
	bool		is_read;	/* `file` is there */
	int		pipe;		/* owned; -1: all was read, or a thread reads it */
	uint64_t	room;		/* bytes that the file may have */
	_Atomic uint64_t size;		/* bytes of the file that may be read */
	atomic_bool	ended;		/* nothing more comes */
	struct ft_error	trouble;	/* set before that */
	bool		is_early;	/* it was opened before its end */
	uint64_t	waited;		/* bytes that input_wait() has seen, + 1; 0: none */
} input = { .pipe = -1 };

/* --- writing ---------------------------------------------------------------------------------- */

static int write_out(const char *bytes, size_t len)
{
	const char *folder = temporary_folder(&input.file);

	if (len > input.room - input.size)
		return ft_error_set(&input.trouble, FT_E_LIMIT, -1,
				    "standard input has more than the %.1f MB that may be used in "
				    "%s; TMPDIR can name another folder",
				    (double)input.room / 1e6, folder);
	for (size_t done = 0; done < len;) {
		ssize_t n = write(input.file.fd, bytes + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ft_error_set(
				&input.trouble, FT_E_IO, -1,
				"standard input was not read to its end: %s: %s; TMPDIR "
				"can name another folder",
				folder, strerror(errno));
		done += (size_t)n;
	}
	atomic_store(&input.size, input.size + len);
	return 0;
}

/* The bytes of whole lines; a line that is too long is cut. */
static size_t whole_lines(const char *bytes, size_t len)
{
	const char *newline = memrchr(bytes, '\n', len);

	return newline ? (size_t)(newline + 1 - bytes) : len == BLOCK ? len : 0;
}

/* @waits: a writer that writes little at once does not wake this thread each time. */
static void read_all(int fd, bool waits)
{
	char *block = mem_array(1, BLOCK);
	size_t len = 0, whole;
	ssize_t got;
	int ret = 0;

	while (!ret && (got = read(fd, block + len, BLOCK - len)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			ret = ft_error_errno(&input.trouble, errno, -1, "standard input");
			break;
		}
		len += (size_t)got;
		whole = whole_lines(block, len);
		ret = write_out(block, whole);
		len -= whole;
		memmove(block, block + whole, len);
		if (waits && (size_t)got < LITTLE)
			poll(NULL, 0, LITTLE_MS);
	}
	if (!ret)
		write_out(block, len);
	free(block);
	atomic_store(&input.ended, true);
}

static void *run(void *arg)
{
	int fd = input.pipe;

	(void)arg;
	read_all(fd, true);
	close(fd);			/* who writes to it is told */
	return NULL;
}

/* --- beginning -------------------------------------------------------------------------------- */

int input_begin(bool follows, struct ft_error *err)
{
	struct stat st;

	if (input.is_read)
		return 0;
	if (isatty(STDIN_FILENO))
		return ft_error_set(err, FT_E_USAGE, -1, "- reads a pipe, and this is a terminal");
	input.file = temporary_take();
	if (input.file.fd < 0)
		return ft_error_errno(err, errno, -1, "no temporary file for standard input");
	input.is_read = true;
	input.room = temporary_room(&input.file);
	if (follows && !fstat(STDIN_FILENO, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		input.pipe = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (input.pipe >= 0)
		return 0;
	read_all(STDIN_FILENO, false);
	if (!input.trouble.code)
		return 0;
	*err = input.trouble;
	return -1;
}

int input_follow(struct ft_error *err)
{
	sigset_t all, before;
	pthread_t thread;
	int ret;

	if (input.pipe < 0)
		return 0;
	sigfillset(&all);		/* they are for the main thread */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return ft_error_errno(err, ret, -1, "standard input");
	pthread_detach(thread);		/* it ends with the program: its writer may never write */
	return 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Does it begin as a text?  Anything else is opened when all of it is there. */
static bool begins_as_text(uint64_t size)
{
	uint8_t head[HEAD_BYTES];

	return size >= HEAD_BYTES && read_at(input.file.fd, head, HEAD_BYTES, 0) == HEAD_BYTES &&
	       archive_is_text(head, HEAD_BYTES);
}

bool input_wait(void)
{
	uint64_t size;

	if (input.pipe < 0 || (input.waited && !input.is_early))
		return false;
	do {
		poll(NULL, 0, WAIT_MS);
		input.is_early = !atomic_load(&input.ended);
		size = atomic_load(&input.size);
	} while (input.is_early && (size + 1 == input.waited || !begins_as_text(size)));
	input.waited = size + 1;
	return true;
}

int input_open(void)
{
	return input.is_read ? fcntl(input.file.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
}

uint64_t input_size(const char *path, uint64_t size, bool *goes_on)
{
	bool is_input = input.is_early && !strcmp(path, INPUT_PATH);
	bool ended = atomic_load(&input.ended);		/* before the size */

	if (goes_on)
		*goes_on = is_input && !ended;
	return is_input ? atomic_load(&input.size) : size;
}

const char *input_trouble(void)
{
	return atomic_load(&input.ended) && input.trouble.code ? input.trouble.message : NULL;
}
