/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/io/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"

/* bytes of one stream kept in memory before they are written to the file */
#define SPOOL_BLOCK	(256u << 10)
#define SPOOL_HELD_MAX	(64u << 20)	/* bytes in memory for all streams together */
#define COPY_BLOCK	(256u << 10)

void spool_init(struct spool *spool, const char *path)
{
	*spool = (struct spool){ .path = path, .fd = -1 };
}

void spool_fini(struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
}

void spool_stream_fini(struct spool_stream *stream)
{
	text_fini(&stream->tail);
	free(stream->extents);
	stream->extents = NULL;
}

/* An unnamed file in the folder of the target, which must have room for the data anyway. */
static int create_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strdup(".");
	struct text name = { 0 };
	FILE *file;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0) {
		text_printf(&name, "%s/.ftop-spool-XXXXXX", dir);
		fd = mkostemp(name.data, O_CLOEXEC);
		if (fd >= 0)
			unlink(name.data);
		text_fini(&name);
	}
	free(dir);
	if (fd >= 0)
		return fd;
	file = tmpfile();
	if (!file)
		return -1;
	fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
	fclose(file);
	return fd;
}

static int spill(struct spool *spool, struct spool_stream *stream, struct ft_error *err)
{
	struct out out = { .pos = spool->end };
	struct spool_extent *last;

	if (!stream->tail.len)
		return 0;
	if (spool->fd < 0)
		spool->fd = create_file(spool->path);
	if (spool->fd < 0)
		return ft_error_errno(err, errno, -1, "cannot create a temporary file");
	out.fd = spool->fd;
	out_write_at(&out, stream->tail.data, stream->tail.len, spool->end);
	if (out.errnum)
		return ft_error_errno(err, out.errnum, -1, "cannot write to a temporary file");

	last = stream->nr_extents ? &stream->extents[stream->nr_extents - 1] : NULL;
	if (last && last->offset + last->bytes == spool->end) {
		last->bytes += stream->tail.len;
	} else {
		mem_grow(&stream->extents, stream->nr_extents, &stream->cap_extents);
		stream->extents[stream->nr_extents++] =
			(struct spool_extent){ .offset = spool->end, .bytes = stream->tail.len };
	}
	spool->end += stream->tail.len;
	spool->held -= stream->tail.len;
	text_clear(&stream->tail);
	return 0;
}

int spool_append(struct spool *spool, struct spool_stream *stream, const char *data, size_t len,
		 struct ft_error *err)
{
	while (len) {
		size_t n = len < SPOOL_BLOCK ? len : SPOOL_BLOCK;

		text_bytes(&stream->tail, data, n);
		spool->held += n;
		stream->bytes += n;
		data += n;
		len -= n;
		if ((stream->tail.len >= SPOOL_BLOCK || spool->held > SPOOL_HELD_MAX) &&
		    spill(spool, stream, err))
			return -1;
	}
	return 0;
}

int spool_copy(const struct spool *spool, const struct spool_stream *stream, struct out *out,
	       struct ft_error *err)
{
	char *block = stream->nr_extents ? mem_alloc(COPY_BLOCK) : NULL;

	for (size_t i = 0; i < stream->nr_extents; i++) {
		uint64_t pos = stream->extents[i].offset;
		uint64_t end = pos + stream->extents[i].bytes;

		while (pos < end && !out->errnum) {
			size_t want = end - pos < COPY_BLOCK ? (size_t)(end - pos) : COPY_BLOCK;
			ssize_t n = pread(spool->fd, block, want, (off_t)pos);

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0) {
				free(block);
				return ft_error_errno(err, n < 0 ? errno : EIO, -1,
						      "cannot read a temporary file");
			}
			out_bytes(out, block, (size_t)n);
			pos += (uint64_t)n;
		}
	}
	free(block);
	out_text(out, &stream->tail);
	return 0;
}
