/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_pack - the formats that cannot be recorded into directly (version 6, compressed, latency
 * text): one pass with trace_writer after the stop.  The raw file stays until the new one has the
 * final name.
 */
#include "recorder/output/output_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/output_names.h"
#include "src/base/workers.h"

#define COPY_BYTES	(16u << 20)	/* bytes given to the workers at once */

struct packing {
	const struct output_file	*o;
	struct trace_writer	*w;
	char			*bytes;		/* [COPY_BYTES] */
	uint64_t		 done, total;	/* bytes of all streams */
	int			 first;		/* the writer's number of buffer 0 */
};

static void write_metadata(const struct output_file *o, struct trace_writer *w)
{
	uint32_t nr_cpus = 0;

	for (int kind = 0; kind < TRACE_NR_TEXTS; kind++)
		trace_writer_text(w, (enum trace_text)kind, text_str(&o->texts[kind]),
				  o->texts[kind].len);
	for (size_t i = 0; i < o->nr_formats; i++)
		trace_writer_format(w, o->formats[i].system, text_str(&o->formats[i].text),
				    o->formats[i].text.len);
	for (size_t i = 0; i < o->nr_streams; i++)
		if ((uint32_t)o->streams[i]->cpu + 1 > nr_cpus)
			nr_cpus = (uint32_t)o->streams[i]->cpu + 1;
	trace_writer_clock(w, o->clock ? o->clock : "[local]");
	for (size_t i = 0; i < o->nr_options; i++) {
		const struct output_option *option = &o->options[i];

		if (option->id == TRACE_OPTION_CPUCOUNT && option->data.len == 4)
			memcpy(&nr_cpus, option->data.data, 4);
		trace_writer_option(w, option->id, text_str(&option->data),
				    (uint32_t)option->data.len);
	}
	trace_writer_cpu_count(w, nr_cpus);
}

static const struct output_stream *stream_of(const struct output_file *o, int buffer, int cpu)
{
	size_t i = 0;

	while (o->streams[i]->buffer != buffer || o->streams[i]->cpu != cpu)
		i++;
	return o->streams[i];
}

static int copy_stream(void *arg, struct trace_writer *w, int buffer, int cpu, struct ft_error *err)
{
	struct packing *p = arg;
	const struct output_file *o = p->o;
	const struct output_stream *s = stream_of(o, buffer - p->first, cpu);

	for (uint64_t at = s->start; at < s->size;) {
		size_t want = s->size - at < COPY_BYTES ? s->size - at :
							  COPY_BYTES / s->page_size * s->page_size;
		ssize_t got = pread(s->fd, p->bytes, want, (off_t)(s->base + at));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || got % s->page_size)
			return ft_error_errno(err, got < 0 ? errno : EIO, -1, "%s: cannot read",
					      o->part);
		if (trace_writer_pages(w, buffer, cpu, p->bytes, got, err))
			return -1;
		at += got;
		p->done += got;
		if (o->tell_packing && o->tell_packing(o->tell_arg, p->done, p->total))
			return ft_error_set(err, FT_E_CANCELLED, -1, "not compressed: interrupted");
	}
	return 0;
}

static int write_data(struct packing *p, struct ft_error *err)
{
	const struct output_file *o = p->o;
	int ret = 0;

	for (size_t b = 0; b < o->nr_buffers && !ret; b++) {
		int buffer = trace_writer_buffer(p->w, o->buffers[b].name, o->buffers[b].clock,
						 o->buffers[b].page_size);

		if (!b)
			p->first = buffer;
		if (o->latency.len && !b)
			ret = trace_writer_latency_text(p->w, buffer, o->latency.data,
							o->latency.len, err);
		for (size_t i = 0; i < o->nr_streams; i++) {
			const struct output_stream *s = o->streams[i];

			if (s->buffer != (int)b || (o->latency.len && !b))
				continue;
			trace_writer_fill(p->w, buffer, s->cpu, copy_stream, p);
			if (s->is_lost)
				trace_writer_list(p->w, buffer, s->cpu);
		}
	}
	return ret;
}

/* With the user's privileges, and permissions as those of the raw file. */
static int create_file(struct output_file *o, const char *name, struct ft_error *err)
{
	struct stat st;
	int fd;

	if (fstat(o->fd, &st))
		return ft_error_errno(err, errno, -1, "%s", o->part);
	if (o->who && invoker_enter(o->who, err))
		return -1;
	output_name_remove(o->place.folder, file_names_base(name), OUTPUT_TRACE_HEAD);
	fd = output_open(o, name, O_RDWR | O_CREAT | O_EXCL, st.st_mode & 0777);
	if (fd < 0)
		ft_error_errno(err, errno, -1, "%s: cannot create the file", name);
	if (o->who)
		invoker_leave(o->who);
	return fd;
}

/* The raw file is not changed. */
static struct trace_writer *open_writer(struct output_file *o, int fd, const char *name,
					struct workers *workers, struct ft_error *err)
{
	struct trace_writer_options options = {
		.version = o->version, .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.long_size = sizeof(long),
		.page_size = o->nr_buffers ? o->buffers[0].page_size : 4096,
		.compression = o->compression,
		.workers = workers,
		.fd = dup(fd),
	};

	if (options.fd < 0) {
		ft_error_errno(err, errno, -1, "%s", name);
		return NULL;
	}
	return trace_writer_new(name, &options, err);
}

int output_pack(struct output_file *o, bool keep, struct ft_error *err)
{
	struct workers *workers = o->compression == TRACE_PLAIN ? NULL :
								  workers_new(workers_cpus());
	struct packing p = { .o = o, .total = output_bytes(o) };
	struct text name = { 0 };
	int ret = -1, fd = -1;

	output_name_add(OUTPUT_PACKING, o->part, 0, &name);
	p.bytes = mem_try_alloc(COPY_BYTES, err);
	fd = p.bytes ? create_file(o, text_str(&name), err) : -1;
	if (fd < 0)
		goto out;
	p.w = open_writer(o, fd, text_str(&name), workers, err);
	if (!p.w)
		goto out;
	write_metadata(o, p.w);
	if (write_data(&p, err))
		trace_writer_abort(p.w);
	else
		ret = trace_writer_finish(p.w, err);
	if (!ret && fsync(fd))
		ret = ft_error_errno(err, errno, -1, "%s: cannot write", text_str(&name));
	if (!ret)
		ret = output_rename(o, text_str(&name), err);
	/* one of the two files is no longer needed */
	if (ret || !keep)
		output_unlink(o, ret ? text_str(&name) : o->part);
	if (!ret && !keep)
		output_spool_unlink(o);
out:
	if (fd >= 0)
		close(fd);
	workers_free(workers);
	free(p.bytes);
	text_fini(&name);
	return ret;
}
