/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/writer/trace_writer_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parsers/file/trace_file.h"
#include "parsers/io/byte_reader.h"
#include "src/base/memory.h"

#define DEFAULT_CHUNK_PAGES 10u		/* trace-cmd's */

static int check_out(const struct trace_writer *w, struct ft_error *err)
{
	return w->out.errnum ?
		       ft_error_errno(err, w->out.errnum, (int64_t)w->out.err_pos, "cannot write") :
		       0;
}

/* --- streams ------------------------------------------------------------------------ */

/* A stream that is made when it is written needs no other place. */
static int stream_put(struct trace_writer *w, struct writer_stream *stream, const char *data,
		      size_t len, struct ft_error *err)
{
	if (!stream->fill)
		return spool_append(&w->spool, &stream->stored, data, len, err);
	out_bytes(&w->out, data, len);
	stream->stored.bytes += len;
	return check_out(w, err);
}

static int stream_append_chunks(struct trace_writer *w, struct writer_stream *stream,
				const char *data, size_t nr, size_t chunk, struct ft_error *err)
{
	if (pack_team_run(w->team, &w->out, data, nr, chunk, err))
		return -1;
	for (size_t i = 0; i < nr; i++) {
		const struct text *packed = pack_team_result(w->team, i);

		if (stream_put(w, stream, packed->data, packed->len, err))
			return -1;
		stream->nr_chunks++;
	}
	return 0;
}

static int stream_end_chunk(struct trace_writer *w, struct writer_stream *stream,
			    struct ft_error *err)
{
	int ret = stream->chunk.len ? stream_append_chunks(w, stream, stream->chunk.data, 1,
							   stream->chunk.len, err) :
				      0;

	text_clear(&stream->chunk);
	return ret;
}

/* Append bytes: as they are, or divided into chunks of @chunk bytes and packed. */
static int stream_append(struct trace_writer *w, struct writer_stream *stream, const char *data,
			 uint64_t len, size_t chunk, struct ft_error *err)
{
	if (w->options.compression == TRACE_PLAIN)
		return stream_put(w, stream, data, (size_t)len, err);
	while (len) {
		size_t room = chunk - stream->chunk.len, n = len < room ? (size_t)len : room;
		int ret = 0;

		if (n == chunk) {		/* whole ones are packed at once */
			n = (size_t)(len - len % chunk);
			ret = stream_append_chunks(w, stream, data, n / chunk, chunk, err);
		} else {
			text_bytes(&stream->chunk, data, n);
			if (n == room)
				ret = stream_end_chunk(w, stream, err);
		}
		if (ret)
			return -1;
		data += n;
		len -= n;
	}
	return 0;
}

static struct writer_stream *buffer_stream(struct writer_buffer *buffer, int cpu)
{
	while (buffer->nr_cpus <= cpu) {
		mem_grow(&buffer->streams, buffer->nr_cpus, &buffer->cap_cpus);
		buffer->streams[buffer->nr_cpus++] = (struct writer_stream){ .fill = NULL };
	}
	return &buffer->streams[cpu];
}

int writer_out_stream(struct trace_writer *w, const struct writer_buffer *buffer, int cpu,
		      uint64_t *offset, uint64_t *size, struct ft_error *err)
{
	struct writer_stream *stream = cpu < buffer->nr_cpus ? &buffer->streams[cpu] : NULL;
	bool packed = w->options.compression != TRACE_PLAIN;
	bool any = stream && (stream->stored.bytes || stream->fill);

	if (!buffer->is_text && (any || w->options.version == 6))
		out_align(&w->out, writer_buffer_align(buffer));
	*offset = w->out.pos;
	*size = 0;
	if (!any)
		return 0;
	if (packed)
		out_u32(&w->out, stream->nr_chunks);
	if (!stream->fill && spool_copy(&w->spool, &stream->stored, &w->out, err))
		return -1;
	if (stream->fill && (stream->fill(stream->arg, w, (int)(buffer - w->buffers), cpu, err) ||
			     stream_end_chunk(w, stream, err)))
		return -1;
	if (stream->fill && packed)
		out_patch_u32(&w->out, *offset, stream->nr_chunks);
	*size = stream->stored.bytes ? w->out.pos - *offset : 0;
	return 0;
}

void writer_sync(struct trace_writer *w)
{
	if (w->options.fd)
		out_flush(&w->out);
	else
		out_sync(&w->out);
}

/* --- what is given --------------------------------------------------------------- */

static int check_options(const struct trace_writer_options *o, struct ft_error *err)
{
	if (o->version != 6 && o->version != 7)
		return ft_error_set(err, FT_E_LIMIT, -1, "file version %d is not 6 or 7",
				    o->version);
	if (o->long_size != 4 && o->long_size != 8)
		return ft_error_set(err, FT_E_LIMIT, -1, "size of long %d is not 4 or 8",
				    o->long_size);
	if (o->page_size < TRACE_MIN_PAGE_SIZE || o->page_size > TRACE_MAX_PAGE_SIZE)
		return ft_error_set(err, FT_E_LIMIT, -1, "page size %u is outside %u..%u",
				    o->page_size, TRACE_MIN_PAGE_SIZE, TRACE_MAX_PAGE_SIZE);
	if (o->compression != TRACE_PLAIN && o->version == 6)
		return ft_error_set(err, FT_E_UNSUPPORTED, -1,
				    "files of version 6 cannot be compressed");
	if (!packer_codec(o->compression))
		return ft_error_set(err, FT_E_LIMIT, -1, "unknown compression %d",
				    (int)o->compression);
	if (!packer_version(o->compression))
		return ft_error_set(err, FT_E_UNSUPPORTED, -1, "this program is built without %s",
				    packer_codec(o->compression));
	if ((uint64_t)o->chunk_pages * o->page_size > TRACE_MAX_CHUNK)
		return ft_error_set(err, FT_E_LIMIT, -1,
				    "a chunk of %u sub-buffers of %u bytes is above %u bytes",
				    o->chunk_pages, o->page_size, TRACE_MAX_CHUNK);
	return 0;
}

static void add_system(struct trace_writer *w, const char *name)
{
	mem_grow(&w->systems, w->nr_systems, &w->cap_systems);
	w->systems[w->nr_systems++] = (struct writer_system){ .name = mem_strdup(name) };
}

struct trace_writer *trace_writer_new(const char *path, const struct trace_writer_options *options,
				      struct ft_error *err)
{
	struct trace_writer *w;
	int fd = options->fd;

	if (check_options(options, err)) {
		if (fd)
			close(fd);
		return NULL;
	}
	if (!fd)
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, TRACE_FILE_MODE);
	if (fd < 0) {
		ft_error_errno(err, errno, -1, "cannot create the file");
		return NULL;
	}
	w = mem_alloc(sizeof(*w));
	w->options = *options;
	w->path = mem_strdup(path);
	w->out.fd = fd;
	w->out.swap = options->big_endian != HOST_BIG_ENDIAN;
	spool_init(&w->spool, w->path);
	if (options->compression != TRACE_PLAIN)
		w->team = pack_team_new(options->compression, options->workers);
	if (!w->options.chunk_pages)
		w->options.chunk_pages = DEFAULT_CHUNK_PAGES;
	add_system(w, "ftrace");
	return w;
}

static bool is_allowed(struct trace_writer *w, const char *what, uint64_t size)
{
	if (size > TRACE_MAX_BLOB && !w->failure.code)
		ft_error_set(&w->failure, FT_E_LIMIT, -1, "%s of %" PRIu64 " bytes is above %u",
			     what, size, TRACE_MAX_BLOB);
	return size <= TRACE_MAX_BLOB;
}

static void set_blob(struct trace_writer *w, struct text *blob, const char *what, const void *text,
		     uint64_t size)
{
	text_clear(blob);
	if (is_allowed(w, what, size))
		text_bytes(blob, text, (size_t)size);
}

void trace_writer_text(struct trace_writer *w, enum trace_text kind, const void *text,
		       uint64_t size)
{
	set_blob(w, &w->texts[kind], trace_file_text_name(kind), text, size);
}

void trace_writer_clock(struct trace_writer *w, const char *text)
{
	w->has_clock = true;
	set_blob(w, &w->clock, "trace_clock", text, strlen(text));
}

void trace_writer_cpu_count(struct trace_writer *w, uint32_t nr_cpus)
{
	w->cpu_count = nr_cpus;
}

void trace_writer_format(struct trace_writer *w, const char *system, const void *text,
			 uint64_t size)
{
	size_t i = 0;

	while (i < w->nr_systems && strcmp(w->systems[i].name, system))
		i++;
	if (i == w->nr_systems)
		add_system(w, system);
	if (!is_allowed(w, "an event format", size))
		return;
	w->systems[i].nr++;
	out_put_u64(&w->out, &w->systems[i].formats, size);
	text_bytes(&w->systems[i].formats, text, (size_t)size);
}

void trace_writer_option(struct trace_writer *w, uint16_t id, const void *data, uint32_t size)
{
	if (is_allowed(w, "an option", size))
		writer_put_option(w, &w->own_options, id, data, size);
}

int trace_writer_buffer(struct trace_writer *w, const char *name, const char *clock,
			uint32_t page_size)
{
	struct writer_buffer *buffer;

	/* readers seek to the top buffer first; without one they would read at offset 0 */
	if (!w->nr_buffers && name[0])
		trace_writer_buffer(w, "", clock, 0);
	mem_grow(&w->buffers, w->nr_buffers, &w->cap_buffers);
	buffer = &w->buffers[w->nr_buffers];
	*buffer = (struct writer_buffer){
		.name = mem_strdup(name),
		.clock = clock ? mem_strdup(clock) : NULL,
		.page_size = page_size ? page_size : w->options.page_size,
	};
	if (!w->failure.code &&
	    (buffer->page_size < TRACE_MIN_PAGE_SIZE || buffer->page_size > TRACE_MAX_PAGE_SIZE ||
	     (uint64_t)buffer->page_size * w->options.chunk_pages > TRACE_MAX_CHUNK))
		ft_error_set(&w->failure, FT_E_LIMIT, -1,
			     "page size %u of buffer \"%s\" is outside %u..%u", buffer->page_size,
			     name, TRACE_MIN_PAGE_SIZE, TRACE_MAX_PAGE_SIZE);
	return w->nr_buffers++;
}

static int check_failure(const struct trace_writer *w, struct ft_error *err)
{
	if (w->failure.code && err)
		*err = w->failure;
	return w->failure.code ? -1 : 0;
}

static struct writer_buffer *find_buffer(struct trace_writer *w, int buffer, struct ft_error *err)
{
	if (check_failure(w, err))
		return NULL;
	if (buffer < 0 || buffer >= w->nr_buffers) {
		ft_error_set(err, FT_E_LIMIT, -1, "there is no buffer %d", buffer);
		return NULL;
	}
	return &w->buffers[buffer];
}

static int check_cpu(int cpu, struct ft_error *err)
{
	if (cpu < 0 || (uint32_t)cpu >= TRACE_MAX_CPUS)
		return ft_error_set(err, FT_E_LIMIT, -1, "CPU %d is outside 0..%u", cpu,
				    TRACE_MAX_CPUS - 1);
	return 0;
}

static int append(struct trace_writer *w, int buffer, int cpu, bool is_text, const void *data,
		  uint64_t size, struct ft_error *err)
{
	struct writer_buffer *b = find_buffer(w, buffer, err);

	if (!b || check_cpu(cpu, err))
		return -1;
	if (b->nr_cpus && b->is_text != is_text)
		return ft_error_set(err, FT_E_LIMIT, -1, "buffer \"%s\" holds %s", b->name,
				    b->is_text ? "latency text" : "sub-buffers");
	if (!is_text && size % b->page_size)
		return ft_error_set(err, FT_E_LIMIT, -1,
				    "%" PRIu64 " bytes are not whole sub-buffers of %u", size,
				    b->page_size);
	b->is_text = is_text;
	return stream_append(w, buffer_stream(b, cpu), data, size,
			     (size_t)b->page_size * w->options.chunk_pages, err);
}

int trace_writer_pages(struct trace_writer *w, int buffer, int cpu, const void *pages,
		       uint64_t bytes, struct ft_error *err)
{
	return append(w, buffer, cpu, false, pages, bytes, err);
}

int trace_writer_latency_text(struct trace_writer *w, int buffer, const void *text, uint64_t size,
			      struct ft_error *err)
{
	return append(w, buffer, 0, true, text, size, err);
}

int trace_writer_fill(struct trace_writer *w, int buffer, int cpu, bool is_text,
		      trace_writer_filler fill, void *arg, struct ft_error *err)
{
	struct writer_buffer *b = find_buffer(w, buffer, err);
	struct writer_stream *stream;

	if (!b || check_cpu(cpu, err))
		return -1;
	b->is_text = is_text;
	stream = buffer_stream(b, cpu);
	stream->fill = fill;
	stream->arg = arg;
	return 0;
}

/* --- the end ------------------------------------------------------------------------------ */

static void buffer_fini(struct writer_buffer *buffer)
{
	for (int cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		spool_stream_fini(&buffer->streams[cpu].stored);
		text_fini(&buffer->streams[cpu].chunk);
	}
	free(buffer->streams);
	free(buffer->name);
	free(buffer->clock);
	text_fini(&buffer->table);
}

static void writer_free(struct trace_writer *w)
{
	for (int i = 0; i < TRACE_NR_TEXTS; i++)
		text_fini(&w->texts[i]);
	text_fini(&w->clock);
	text_fini(&w->own_options);
	text_fini(&w->strings);
	for (int i = 0; i < w->nr_buffers; i++)
		buffer_fini(&w->buffers[i]);
	for (size_t i = 0; i < w->nr_systems; i++) {
		free(w->systems[i].name);
		text_fini(&w->systems[i].formats);
	}
	free(w->systems);
	free(w->buffers);
	out_fini(&w->out);
	pack_team_free(w->team);
	spool_fini(&w->spool);
	free(w->path);
	if (w->out.fd >= 0)
		close(w->out.fd);
	free(w);
}

void trace_writer_abort(struct trace_writer *w)
{
	struct stat st;

	if (!w)
		return;
	/* do not remove a device or a pipe */
	if (!w->options.fd && !fstat(w->out.fd, &st) && S_ISREG(st.st_mode))
		unlink(w->path);
	writer_free(w);
}

/* The default clock of a buffer: the one in brackets in the text of trace_clock. */
static char *chosen_clock(const struct trace_writer *w)
{
	const char *open = strchr(text_str(&w->clock), '[');
	const char *close = open ? strchr(open, ']') : NULL;

	return close ? mem_strndup(open + 1, (size_t)(close - open - 1)) : mem_strdup("local");
}

static int write_all(struct trace_writer *w, struct ft_error *err)
{
	for (int i = 0; i < w->nr_buffers; i++) {
		struct writer_buffer *buffer = &w->buffers[i];

		if (!buffer->clock)
			buffer->clock = chosen_clock(w);
		for (int cpu = 0; cpu < buffer->nr_cpus; cpu++)
			if (stream_end_chunk(w, &buffer->streams[cpu], err))
				return -1;
	}
	return w->options.version == 6 ? writer_write_v6(w, err) : writer_write_v7(w, err);
}

int trace_writer_finish(struct trace_writer *w, struct ft_error *err)
{
	int ret;

	if (!w->nr_buffers)
		trace_writer_buffer(w, "", NULL, 0);
	ret = check_failure(w, err) || write_all(w, err) ? -1 : 0;
	if (!ret) {
		writer_sync(w);
		ret = check_out(w, err);
	}
	if (ret) {
		trace_writer_abort(w);
		return ret;
	}
	ret = close(w->out.fd);
	w->out.fd = -1;
	if (ret)
		ret = ft_error_errno(err, errno, -1, "cannot write");
	writer_free(w);
	return ret;
}
