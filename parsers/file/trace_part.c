/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_part - a trace.dat that is still being recorded: reads how far it is (part_layout.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "parsers/file/trace_file_private.h"
#include "parsers/io/part_layout.h"

#define MOST_BYTES	(16u << 20)	/* of a layout: more than all streams need */

/* The layout's bytes behind its section's header; owned; NULL: there is none, or it lies. */
static uint8_t *load_layout(const struct trace_file *file, uint64_t from, uint64_t bytes)
{
	uint8_t *data = mem_array(1, bytes);

	if (read_at(file->base.fd, data, bytes,
		    file->header_bytes + TRACE_SECTION_HEADER_BYTES + from) == (int64_t)bytes)
		return data;
	free(data);
	return NULL;
}

/* Finds the settled times.  False: nobody records this file, or its recorder writes none. */
static bool read_head(const struct trace_file *file, struct layout_head *head, uint64_t *settled_at)
{
	uint8_t *bytes = load_layout(file, 0, sizeof(*head));

	if (bytes)
		memcpy(head, bytes, sizeof(*head));
	free(bytes);
	if (!bytes || memcmp(head->magic, LAYOUT_MAGIC, sizeof(head->magic)) ||
	    head->nr_buffers > TRACE_MAX_BUFFERS || head->nr_streams > TRACE_MAX_STREAMS)
		return false;
	*settled_at = sizeof(*head) + (uint64_t)head->nr_buffers * sizeof(struct layout_buffer) +
		      (uint64_t)head->nr_streams * sizeof(struct layout_stream);
	return true;
}

/* A recorder has the file locked as long as it lives. */
static bool is_written(const struct trace_file *file)
{
	bool written = flock(file->base.fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	if (!written)
		flock(file->base.fd, LOCK_UN);
	errno = 0;
	return written;
}

static bool find_stream(const struct trace_file *file, const struct layout_stream *its,
			unsigned int *nr)
{
	const struct source_buffer *buffer = source_buffer(&file->base, its->buffer);

	for (unsigned int i = 0; buffer && i < buffer->nr_streams; i++) {
		*nr = buffer->first_stream + i;
		if (file->base.streams[*nr].cpu == (int)its->cpu)
			return true;
	}
	return false;
}

/* The first page that is kept. */
static uint64_t take_first(const struct trace_file *file, unsigned int nr,
			   const struct layout_stream *its)
{
	const struct source_stream *s = &file->base.streams[nr];
	uint32_t page_size = file->base.buffers[s->buffer].layout.page_size;
	uint64_t start = its->base + its->start, first;

	first = start > s->offset ? (start - s->offset) / page_size : 0;
	if (first > atomic_load(&file->base.firsts[nr]))
		atomic_store_explicit(&file->base.firsts[nr], first, memory_order_release);
	return first;
}

/* More pages, as far as the file has them. */
static void take_size(struct trace_file *file, unsigned int nr, const struct layout_stream *its,
		      uint64_t file_size)
{
	const struct source_stream *s = &file->base.streams[nr];
	uint32_t page_size = file->base.buffers[s->buffer].layout.page_size;
	uint64_t end = its->base + its->size, bytes;

	end = end < file_size ? end : file_size;
	bytes = end > s->offset ? (end - s->offset) / page_size * page_size : 0;
	if (bytes > atomic_load(&file->states[nr].bytes))
		atomic_store_explicit(&file->states[nr].bytes, bytes, memory_order_release);
}

/* What was appended to the lines about tasks since the last time. */
static void read_tasks(struct trace_file *file, uint64_t from)
{
	struct text *lines = &file->base.more_who;
	struct layout_tasks tasks;
	uint8_t *bytes;

	text_clear(lines);
	bytes = file->has_tasks ? load_layout(file, from, sizeof(tasks)) : NULL;
	if (!bytes)
		return;
	memcpy(&tasks, bytes, sizeof(tasks));
	free(bytes);
	if (!tasks.at || tasks.size > LAYOUT_TASKS_BYTES || tasks.size <= file->tasks_read)
		return;
	text_reserve(lines, tasks.size - file->tasks_read);
	if (read_at(file->base.fd, lines->data, tasks.size - file->tasks_read,
		    tasks.at + file->tasks_read) != (int64_t)(tasks.size - file->tasks_read))
		return;
	lines->len = tasks.size - file->tasks_read;
	lines->data[lines->len] = '\0';
	file->tasks_read = tasks.size;
}

/* The times first: the recorder tells them after the sizes. */
static bool read_all(struct trace_file *file, const struct layout_head *head, uint64_t settled_at)
{
	uint64_t streams_at = settled_at - head->nr_streams * sizeof(struct layout_stream);
	uint8_t *settled = load_layout(file, settled_at, head->nr_streams * sizeof(uint64_t));
	uint8_t *streams = load_layout(file, streams_at, settled_at - streams_at);
	struct stat st;
	bool ok = settled && streams && !fstat(file->base.fd, &st);

	for (uint32_t i = 0; ok && i < head->nr_streams; i++) {
		struct layout_stream its;
		unsigned int nr;

		memcpy(&its, streams + i * sizeof(its), sizeof(its));
		if (!find_stream(file, &its, &nr))
			continue;
		take_size(file, nr, &its, (uint64_t)st.st_size);
		take_first(file, nr, &its);
		memcpy(&file->base.settled[nr], settled + i * sizeof(uint64_t), sizeof(uint64_t));
	}
	free(settled);
	free(streams);
	read_tasks(file, settled_at + head->nr_streams * sizeof(uint64_t));
	return ok;
}

bool trace_part_has_dropped(const struct trace_file *file, unsigned int stream, uint64_t page)
{
	struct layout_stream *streams;
	struct layout_head head;
	uint64_t settled_at, first = 0;

	if (page < source_first_page(&file->base, stream))
		return true;
	if (!read_head(file, &head, &settled_at))
		return false;
	streams = (struct layout_stream *)load_layout(file,
						      settled_at -
							      head.nr_streams * sizeof(*streams),
						      head.nr_streams * sizeof(*streams));
	for (uint32_t i = 0; streams && i < head.nr_streams; i++) {
		unsigned int nr;

		if (find_stream(file, &streams[i], &nr) && nr == stream)
			first = take_first(file, nr, &streams[i]);
	}
	free(streams);
	return page < first;
}

bool trace_part_has_ended(const struct source *source)
{
	const struct trace_file *file = (const struct trace_file *)source;
	struct layout_head head;
	uint64_t settled_at;

	return !read_head(file, &head, &settled_at) || head.phase != LAYOUT_RECORDING;
}

/* All that a recorder wrote that no longer lives is there. */
enum source_growth trace_part_grow(struct source *source)
{
	struct trace_file *file = (struct trace_file *)source;
	bool written = is_written(file);
	struct layout_head head;
	uint64_t settled_at;

	if (!read_head(file, &head, &settled_at) || head.phase != LAYOUT_RECORDING ||
	    !read_all(file, &head, settled_at))
		return SOURCE_ENDED;
	return written ? SOURCE_GROWS : SOURCE_WHOLE;
}

/* No recorder appends chunks. */
static bool has_chunks(const struct trace_file *file)
{
	for (unsigned int i = 0; i < file->base.nr_streams; i++)
		if (file->base.streams[i].chunked)
			return true;
	return false;
}

void trace_part_open(struct trace_file *file)
{
	struct layout_head head;
	struct section section;
	struct ft_error ignored;
	uint64_t settled_at, bytes;

	if (file->base.info.version != 7 || file->swap || has_chunks(file) ||
	    trace_file_section(file, file->header_bytes, &section, &ignored) ||
	    section.id != TRACE_SECTION_PRIVATE || section.size > MOST_BYTES ||
	    !read_head(file, &head, &settled_at) || head.phase != LAYOUT_RECORDING ||
	    head.spooled || !is_written(file))
		return;
	bytes = settled_at + head.nr_streams * sizeof(uint64_t);
	file->has_tasks = section.size == bytes + sizeof(struct layout_tasks);
	if (section.size != bytes && !file->has_tasks)
		return;
	file->base.settled = mem_array(file->base.nr_streams, sizeof(*file->base.settled));
	file->base.firsts = mem_array(file->base.nr_streams, sizeof(*file->base.firsts));
	file->base.growth = read_all(file, &head, settled_at) ? SOURCE_GROWS : SOURCE_WHOLE;
}
