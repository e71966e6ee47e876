/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/open/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parsers/ctf/ctf_source.h"
#include "parsers/file/trace_file.h"
#include "parsers/io/input.h"
#include "parsers/io/read_at.h"
#include "parsers/lines/line_source.h"
#include "parsers/perf/perf_source.h"
#include "parsers/perfetto/perfetto_source.h"
#include "parsers/source/source_form.h"
#include "src/base/memory.h"

#define HEAD_BYTES	(64u << 10)	/* that tell what a file is */

static const struct trace_form {
	bool		(*is_it)(const uint8_t *head, size_t len);	/* NULL: any file */
	struct source	*(*open)(const struct source_start *start, struct ft_error *err);
} forms[] = {
	/* the first whose bytes these are; the last one tells what is wrong with any other file */
	{ perf_source_is_it, perf_source_open },
	{ perfetto_source_is_it, perfetto_source_open },
	{ line_source_is_it, line_source_open },
	{ NULL, trace_file_open },
}, folder_form = { NULL, ctf_source_open };

/* Whose file is it, and what lets the user open it? */
static int cannot_open(const char *path, int errnum, struct ft_error *err)
{
	char owner[32] = "root";
	struct stat st;

	if (errnum != EACCES || stat(path, &st))
		return ft_error_errno(err, errnum, -1, "cannot open");
	if (st.st_uid)
		snprintf(owner, sizeof(owner), "user %u", (unsigned int)st.st_uid);
	return ft_error_set(err, FT_E_IO, -1,
			    "cannot open: %s (mode %04o, owner %s); use sudo ftop-trace, or: "
			    "sudo chown $USER FILE",
			    strerror(errnum), (unsigned int)st.st_mode & 07777, owner);
}

/* Of all folders, one of perf record --threads is known to be no CTF trace. */
static int open_folder(struct source_start *start, struct ft_error *err)
{
	int fd = openat(start->fd, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t head[PERF_MAGIC_LEN];
	bool is_perf = fd >= 0 && read_at(fd, head, sizeof(head), 0) == sizeof(head) &&
		       perf_source_is_it(head, sizeof(head));

	if (fd >= 0)
		close(fd);
	start->is_folder = true;
	return is_perf ? ft_error_set(err, FT_E_UNSUPPORTED, -1,
				      "is a directory of perf record --threads, which cannot be "
				      "read: record without --threads") :
			 0;
}

/*
 * Accept only files that can be read at any offset; opening a pipe without a writer must not block.
 */
static int open_path(struct source_start *start, struct ft_error *err)
{
	struct stat st;
	off_t size;

	if (start->fd < 0)
		start->fd = open(start->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (start->fd < 0)
		return cannot_open(start->path, errno, err);
	if (fstat(start->fd, &st))
		return ft_error_errno(err, errno, -1, "cannot stat");
	if (S_ISDIR(st.st_mode))
		return open_folder(start, err);
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return ft_error_set(err, FT_E_IO, -1,
				    "is a pipe, not a file: save it to a file first");
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return ft_error_set(err, FT_E_IO, -1, "is a device, not a file");
	size = S_ISBLK(st.st_mode) ? lseek(start->fd, 0, SEEK_END) : st.st_size;
	start->size = input_size(start->path, size > 0 ? (uint64_t)size : 0, NULL);
	return 0;
}

static int read_head(struct source_start *start, uint8_t *head, struct ft_error *err)
{
	int64_t got;

	if (open_path(start, err))
		return -1;
	got = start->is_folder ? 0 :
				 read_at(start->fd, head,
					 start->size < HEAD_BYTES ? start->size : HEAD_BYTES, 0);
	if (got < 0)
		return ft_error_errno(err, errno, 0, "cannot read");
	start->head = head;
	start->nr_head = (size_t)got;
	return 0;
}

/* A latency tracer leaves its text in a trace.dat. */
static struct source *text_inside(struct source *source, const struct line_formats *formats)
{
	const struct source_buffer *buffer;
	unsigned int i = 0;
	const char *text;
	uint64_t size;

	while ((buffer = source_buffer(source, i)) && !buffer->is_text)
		i++;
	if (!buffer)
		return source;
	text = trace_file_latency_text(source, i, &size);
	return line_source_inside(source, i, text, size, formats);
}

static const struct trace_form *form_of(const struct source_start *start)
{
	size_t i = 0;

	while (forms[i].is_it && !forms[i].is_it(start->head, start->nr_head))
		i++;
	return start->is_folder ? &folder_form : &forms[i];
}

static struct source *open_form(const struct source_start *start, struct ft_error *err)
{
	struct source *source = form_of(start)->open(start, err);

	return source ? text_inside(source, start->formats) : NULL;
}

struct source *source_open_with(const char *path, int fd, const struct source_options *options,
				struct ft_error *err)
{
	struct source_start start = { .path = path, .fd = fd, .head_bytes = options->head,
				      .formats = options->formats,
				      .progress = options->progress };
	uint8_t *head = mem_array(1, HEAD_BYTES);
	struct source *source = NULL;

	if (!read_head(&start, head, err))
		source = open_form(&start, err);
	else if (start.fd >= 0)
		close(start.fd);
	free(head);
	return source;
}

struct source *source_open(const char *path, int fd, struct ft_error *err)
{
	return source_open_with(path, fd, &(struct source_options){ 0 }, err);
}

struct source *source_open_again(struct source *former, const struct source_options *options,
				 struct ft_error *err)
{
	struct source_options whole = *options;

	if (former->is_reread)
		return former->ops->open_again(former, err);
	while (former->around)		/* the text inside a file has no descriptor */
		former = former->around;
	whole.head = 0;
	return source_open_with(former->path, fcntl(former->fd, F_DUPFD_CLOEXEC, 0), &whole, err);
}
