/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/file_names.h"
#include "src/base/memory.h"
#include "src/cut/cut_private.h"

/* --- what can be cut -------------------------------------------------------------- */

static int check_file(const struct cut *cut, unsigned int file, struct ft_error *err)
{
	const struct trace_file *f = trace_file_of(cut->trace, file);
	const char *path = trace_path(cut->trace, file);

	if (!trace_file_info(f)->version)
		return ft_error_set(
			err, FT_E_UNSUPPORTED, -1,
			"%s is text, and only a trace.dat can be cut; ftop-trace report prints a part of it",
			path);
	if (trace_file_lines(f) && !cut->whole)
		return ft_error_set(
			err, FT_E_UNSUPPORTED, -1,
			"%s holds the text of a latency tracer, which is written whole or not at all; ftop-trace report prints a part of it",
			path);
	return 0;
}

/* --- buffers ---------------------------------------------------------------------- */

/* Is it a stream of the buffer, and does it stay? */
static bool is_wanted(const struct cut *cut, unsigned int stream, unsigned int file,
		      unsigned int buffer)
{
	const struct trace_stream *s = trace_stream_at(cut->trace, stream);

	return s->source == file && s->buffer == buffer &&
	       (!cut->options.streams || cut->options.streams[stream]);
}

/* Of several files, only the first one's top buffer stays the top one. */
static void buffer_name(const char *file_name, unsigned int file, const char *name,
			struct text *out)
{
	size_t len = strlen(file_name);

	if (file)
		text_bytes(out, file_name,
			   len > 4 && !strcmp(file_name + len - 4, ".dat") ? len - 4 : len);
	if (file && *name)
		text_char(out, ':');
	text_add(out, name);
}

static void add_stream(struct cut *cut, unsigned int stream, int number)
{
	const struct trace_stream *s = trace_stream_at(cut->trace, stream);
	const struct time_range *range = &cut->options.range;
	struct cut_lane *lane = &cut->lanes[cut->nr_lanes++];
	struct cursor cursor;

	*lane = (struct cut_lane){ .cut = cut, .stream = stream };
	if (range->set) {
		trace_init_cursor(cut->trace, stream, &cursor);
		trace_seek_stream_near(cut->trace, stream, &cursor, range->from);
		lane->first = cursor.page;
		cursor_fini(&cursor);
	}
	trace_writer_fill(cut->writer, number, s->cpu, cut_fill_stream, lane);
}

static int add_buffer(struct cut *cut, const char *file_name, unsigned int file, unsigned int i,
		      struct ft_error *err)
{
	const struct trace_file_buffer *b = trace_file_buffer(trace_file_of(cut->trace, file), i);
	unsigned int s = 0, nr = trace_nr_streams(cut->trace);
	struct text name = { 0 };
	const char *text;
	uint64_t size;
	int number;

	while (s < nr && !is_wanted(cut, s, file, i))
		s++;
	if (s == nr && cut->options.streams)
		return 0;
	buffer_name(file_name, file, b->name, &name);
	number = trace_writer_buffer(cut->writer, text_str(&name), *b->clock ? b->clock : NULL,
				     b->is_text ? 0 : b->layout.page_size);
	text_fini(&name);
	if (b->is_text) {
		text = trace_file_latency_text(trace_file_of(cut->trace, file), i, &size);
		return trace_writer_latency_text(cut->writer, number, text, size, err);
	}
	for (; s < nr; s++)
		if (is_wanted(cut, s, file, i))
			add_stream(cut, s, number);
	return 0;
}

static int add_buffers(struct cut *cut, struct ft_error *err)
{
	unsigned int nr = trace_nr_files(cut->trace);
	const char **paths = mem_array(nr, sizeof(*paths));
	char **names;
	int ret = 0;

	for (unsigned int f = 0; f < nr; f++)
		paths[f] = trace_path(cut->trace, f);
	cut->lanes = mem_array(trace_nr_streams(cut->trace) + 1ul, sizeof(*cut->lanes));
	names = file_names_new(paths, nr);
	for (unsigned int f = 0; f < nr; f++)
		for (unsigned int b = 0;
		     b < trace_file_nr_buffers(trace_file_of(cut->trace, f)) && !ret; b++)
			ret = add_buffer(cut, names[f], f, b, err);
	file_names_free(names, nr);
	free(paths);
	return ret;
}

/* --- the file --------------------------------------------------------------------- */

static enum trace_compression compression_of(const struct trace_file_info *info)
{
	return !strcmp(info->compression, "zstd") ? TRACE_ZSTD :
	       !strcmp(info->compression, "zlib") ? TRACE_ZLIB :
						    TRACE_PLAIN;
}

static int open_writer(struct cut *cut, int fd, struct ft_error *err)
{
	const struct cut_options *o = &cut->options;
	const struct trace_file *first = trace_file_of(cut->trace, 0);
	const struct trace_file_info *info = trace_file_info(first);
	const struct sub_buffer_layout *layout = &trace_file_buffer(first, 0)->layout;
	struct trace_writer_options options = {
		.version = o->version ? o->version : info->version, .big_endian = info->big_endian,
		.long_size = info->user_long_size == 4 || info->user_long_size == 8 ?
				     info->user_long_size :
				     layout->long_size,
		.page_size = layout->page_size,
		.compression = o->has_compression ? o->compression :
			       o->version == 6	  ? TRACE_PLAIN :
						    compression_of(info),
		.workers = trace_workers(cut->trace), .fd = fd,
	};

	if (options.compression != TRACE_PLAIN && !o->version)
		options.version = 7;
	cut->writer = trace_writer_new("the cut", &options, err);
	return cut->writer ? 0 : -1;
}

static void write_file(void *arg, unsigned int worker, bool cancelled)
{
	struct cut *cut = arg;
	struct trace_writer *w = cut->writer;

	(void)worker;
	cut->writer = NULL;
	if (cancelled)
		trace_writer_abort(w);
	else
		cut->ret = trace_writer_finish(w, &cut->err);
	atomic_store(&cut->done, true);
}

struct cut *cut_new(struct trace *trace, const struct cut_options *options, int fd,
		    struct ft_error *err)
{
	struct cut *cut = mem_alloc(sizeof(*cut));
	int ret = 0;

	cut->trace = trace;
	cut->options = *options;
	cut->options.words = NULL;
	cut->whole = !options->range.set && !options->streams && !options->nr_filters;
	for (unsigned int f = 0; f < trace_nr_files(trace) && !ret; f++)
		ret = check_file(cut, f, err);
	if (ret)
		close(fd);
	else
		ret = open_writer(cut, fd, err);
	if (!ret)
		ret = cut_write_metadata(cut, options->words, err);
	if (!ret)
		ret = add_buffers(cut, err);
	if (ret) {
		cut_free(cut);
		return NULL;
	}
	cut->thread = workers_new(1);
	workers_add(cut->thread, &cut->group, WORKER_REQUESTED, write_file, cut);
	return cut;
}

void cut_free(struct cut *cut)
{
	if (!cut)
		return;
	if (cut->thread) {
		workers_cancel(&cut->group);
		workers_wait(cut->thread, &cut->group);
	}
	workers_free(cut->thread);
	trace_writer_abort(cut->writer);
	free(cut->lanes);
	free(cut);
}

bool cut_is_done(const struct cut *cut)
{
	return atomic_load(&cut->done);
}

int cut_finish(struct cut *cut, uint64_t *events, struct ft_error *err)
{
	workers_wait(cut->thread, &cut->group);
	*events = cut->events;
	if (cut->ret && err)
		*err = cut->err;
	return cut->ret;
}
