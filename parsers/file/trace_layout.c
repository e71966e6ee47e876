/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_layout - turns what the tables of a file claim into buffers and streams that can be read:
 * sorted by CPU, inside the file, not overlapping, with a valid sub-buffer size.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/file/trace_file_private.h"
#include "parsers/source/sub_buffer.h"
#include "src/base/bisect.h"

#define HOLE_BYTES	(1u << 20)	/* in shorter streams, holes are read */

/* --- drafts --------------------------------------------------------------- */

struct draft_buffer *trace_file_draft(struct trace_file *file, const char *name)
{
	struct draft_buffer *draft;

	if (!*name && file->nr_drafts) {
		/* the top buffer exists already; its last description wins */
		draft = &file->drafts[0];
		if (draft->nr)
			source_add_warning(&file->base, (int64_t)draft->where,
					   "the top buffer is described again later: "
					   "this description is ignored");
		free(draft->cpus);
	} else if (file->nr_drafts >= TRACE_MAX_BUFFERS) {
		source_add_warning(&file->base, -1, "more than %u buffers", TRACE_MAX_BUFFERS);
		return NULL;
	} else {
		mem_grow(&file->drafts, file->nr_drafts, &file->cap_drafts);
		draft = &file->drafts[file->nr_drafts++];
	}
	*draft = (struct draft_buffer){ .name = name, .clock = "", .present = true };
	return draft;
}

bool trace_file_draft_cpu(struct trace_file *file, struct draft_buffer *draft,
			  const struct draft_cpu *cpu)
{
	if (file->nr_draft_cpus >= TRACE_MAX_STREAMS) {
		source_add_warning(&file->base, (int64_t)cpu->where,
				   "more than %u CPUs in all buffers", TRACE_MAX_STREAMS);
		return false;
	}
	file->nr_draft_cpus++;
	mem_grow(&draft->cpus, draft->nr, &draft->cap);
	draft->cpus[draft->nr++] = *cpu;
	if (cpu->cpu >= draft->nr_cpus)
		draft->nr_cpus = cpu->cpu + 1;
	return true;
}

/* --- sub-buffer layout ---------------------------------------------------- */

/* "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;" */
static bool page_field(const char *text, const char *name, unsigned long *offset,
		       unsigned long *size)
{
	const char *line = strstr(text, name), *p;

	if (!line)
		return false;
	p = strstr(line, "offset:");
	if (!p)
		return false;
	*offset = strtoul(p + 7, NULL, 10);
	p = strstr(p, "size:");
	if (!p)
		return false;
	*size = strtoul(p + 5, NULL, 10);
	return true;
}

static bool valid_page_size(uint64_t size)
{
	return size >= TRACE_MIN_PAGE_SIZE && size <= TRACE_MAX_PAGE_SIZE;
}

/*
 * The header and header_page both give the size.  Like trace-cmd, use the header's unless it is
 * impossible.
 */
static void check_page_size(struct trace_file *file, uint64_t told)
{
	uint32_t *size = &file->layout.page_size;

	if (*size == told || !valid_page_size(told) || told & (told - 1))
		return;
	source_add_warning(&file->base, TRACE_MAGIC_LEN + 4,
			   "page size %" PRIu32 " here, but %" PRIu64 " in header_page", *size,
			   told);
	if (!valid_page_size(*size) || *size & (*size - 1))
		*size = (uint32_t)told;
}

void trace_file_read_layout(struct trace_file *file)
{
	struct sub_buffer_layout *layout = &file->layout;
	unsigned long commit_offset, commit_size, data_offset, data_size;
	uint64_t size;
	const char *text;
	bool ok;

	layout->big_endian = file->base.info.big_endian;
	layout->swap = file->swap;
	layout->page_size = file->base.info.page_size;
	text = source_text(&file->base, TRACE_TEXT_HEADER_PAGE, &size);
	ok = page_field(text, " commit;", &commit_offset, &commit_size) &&
	     page_field(text, " data;", &data_offset, &data_size) &&
	     (commit_size == 4 || commit_size == 8) && commit_offset >= 8 && commit_offset < 64 &&
	     data_offset >= commit_offset + commit_size && data_offset < TRACE_MIN_PAGE_SIZE;
	if (!ok) {
		layout->long_size = file->base.info.user_long_size == 4 ? 4 : 8;
		layout->commit_offset = 8;
		layout->data_offset = 8u + layout->long_size;
		data_size = 0;
		source_add_warning(
			&file->base,
			file->metadata[META_HEADER_INFO].present ?
				(int64_t)file->metadata[META_HEADER_INFO].offset :
				-1,
			"the layout of sub-buffers is not recorded: a long of %u bytes is assumed",
			layout->long_size);
	} else {
		layout->long_size = (uint8_t)commit_size;
		layout->commit_offset = (uint32_t)commit_offset;
		layout->data_offset = (uint32_t)data_offset;
	}
	if (data_size)
		check_page_size(file, data_offset + data_size);
}

/* The size of this buffer's sub-buffers; 0, with @err set, if it is invalid. */
static uint32_t draft_page_size(struct trace_file *file, const struct draft_buffer *draft,
				struct ft_error *err)
{
	if (draft->page_size) {
		if (valid_page_size(draft->page_size))
			return draft->page_size;
		source_add_warning(&file->base, (int64_t)draft->where,
				   "buffer \"%.64s\": page size %" PRIu32 " is outside %u..%u",
				   draft->name, draft->page_size, TRACE_MIN_PAGE_SIZE,
				   TRACE_MAX_PAGE_SIZE);
	}
	if (valid_page_size(file->layout.page_size))
		return file->layout.page_size;
	ft_error_set(err, FT_E_LIMIT, TRACE_MAGIC_LEN + 4,
		     "page size %" PRIu32 " is outside %u..%u", file->base.info.page_size,
		     TRACE_MIN_PAGE_SIZE, TRACE_MAX_PAGE_SIZE);
	return 0;
}

/* --- streams -------------------------------------------------------------- */

static int compare_cpus(const void *a, const void *b)
{
	const struct draft_cpu *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->where > y->where) - (x->where < y->where);
}

/* Sort CPUs ascending; if a CPU is listed twice, keep the first entry with data. */
static void sort_cpus(struct trace_file *file, struct draft_buffer *draft)
{
	unsigned int kept = 0;

	if (draft->nr)
		qsort(draft->cpus, draft->nr, sizeof(*draft->cpus), compare_cpus);
	for (unsigned int i = 0; i < draft->nr; i++) {
		struct draft_cpu *cpu = &draft->cpus[i];

		if (!kept || draft->cpus[kept - 1].cpu != cpu->cpu) {
			draft->cpus[kept++] = *cpu;
			continue;
		}
		if (!draft->cpus[kept - 1].size) {
			draft->cpus[kept - 1] = *cpu;
			continue;
		}
		source_add_warning(&file->base, (int64_t)cpu->where,
				   "buffer \"%.64s\": CPU %d is listed twice", draft->name,
				   cpu->cpu);
	}
	draft->nr = kept;
}

/* Data must begin after the file header and end with the file. */
static void clip_cpu(struct trace_file *file, const struct draft_buffer *draft,
		     struct draft_cpu *cpu)
{
	uint64_t end = file->base.info.size;

	if (!cpu->size)
		return;
	if (cpu->offset < file->header_bytes || cpu->offset > end) {
		source_add_warning(&file->base, (int64_t)cpu->where,
				   "buffer \"%.64s\": data of CPU %d at %" PRIu64
				   " is outside %" PRIu64 "..%" PRIu64,
				   draft->name, cpu->cpu, cpu->offset, file->header_bytes, end);
		cpu->size = 0;
		cpu->is_cut = true;
	} else if (cpu->size > end - cpu->offset) {
		source_add_warning(&file->base, (int64_t)cpu->where,
				   "buffer \"%.64s\": data of CPU %d should end at %" PRIu64
				   ", but the file ends at %" PRIu64 ": %" PRIu64
				   " bytes are missing",
				   draft->name, cpu->cpu, cpu->offset + cpu->size, end,
				   cpu->size - (end - cpu->offset));
		cpu->size = end - cpu->offset;
		cpu->is_cut = true;
	}
}

static int compare_places(const void *a, const void *b)
{
	const struct source_stream *const *x = a, *const *y = b;

	if ((*x)->offset != (*y)->offset)
		return (*x)->offset < (*y)->offset ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

/*
 * Chunks may exceed their recorded size (see chunks.h), but must not reach past their section or
 * into the next stream.
 */
static uint64_t stream_limit(const struct trace_file *file, const struct source_stream *s,
			     const struct source_stream *next)
{
	const struct draft_buffer *draft = &file->drafts[s->buffer];
	uint64_t section_end = draft->text_offset + draft->text_size;
	uint64_t limit = next ? next->offset : file->base.info.size;

	if (section_end > s->offset && section_end - s->offset >= s->file_size &&
	    section_end < limit)
		limit = section_end;
	return limit;
}

/* No byte belongs to two streams: the one that begins first ends where the next one begins. */
static void clip_overlaps(struct trace_file *file)
{
	struct source_stream **by_place = mem_array(file->base.nr_streams, sizeof(*by_place));
	unsigned int nr = 0;

	for (unsigned int i = 0; i < file->base.nr_streams; i++)
		if (file->base.streams[i].file_size)
			by_place[nr++] = &file->base.streams[i];
	qsort(by_place, nr, sizeof(*by_place), compare_places);
	for (unsigned int i = 0; i < nr; i++) {
		struct source_stream *s = by_place[i], *next = i + 1 < nr ? by_place[i + 1] : NULL;

		file->states[s - file->base.streams].limit = stream_limit(file, s, next);
		if (!next || s->file_size <= next->offset - s->offset)
			continue;
		if (next->offset == s->offset) {
			/* same offset twice: the first stream gets the data */
			source_add_warning(
				&file->base, (int64_t)s->offset,
				"data of CPU %d of buffer %d is also that of CPU %d of buffer %d",
				next->cpu, next->buffer, s->cpu, s->buffer);
			next->file_size = 0;
			next->is_cut = true;
			by_place[i + 1] = s;
			continue;
		}
		source_add_warning(&file->base, (int64_t)s->offset,
				   "data of CPU %d of buffer %d (%" PRIu64
				   " bytes) reaches into that of CPU %d at %" PRIu64,
				   s->cpu, s->buffer, s->file_size, next->cpu, next->offset);
		s->file_size = next->offset - s->offset;
		s->is_cut = true;
	}
	free(by_place);
}

static void add_streams(struct trace_file *file, unsigned int i)
{
	struct draft_buffer *draft = &file->drafts[i];

	file->base.buffers[i].first_stream = file->base.nr_streams;
	for (unsigned int c = 0; c < draft->nr; c++) {
		struct draft_cpu *cpu = &draft->cpus[c];

		clip_cpu(file, draft, cpu);
		file->base.streams[file->base.nr_streams++] = (struct source_stream){
			.offset = cpu->offset, .file_size = cpu->size, .buffer = (int)i,
			.cpu = cpu->cpu,
			.chunked = draft->compressed, .is_cut = cpu->is_cut,
		};
	}
	file->base.buffers[i].nr_streams = file->base.nr_streams -
					   file->base.buffers[i].first_stream;
}

static int add_buffer(struct trace_file *file, unsigned int i, struct ft_error *err)
{
	struct draft_buffer *draft = &file->drafts[i];
	struct source_buffer *buffer = &file->base.buffers[i];

	buffer->name = draft->name;
	buffer->clock = draft->clock;
	buffer->is_text = draft->is_text;
	/* As trace-cmd counts: the highest count of the file or this buffer. */
	buffer->nr_cpus = draft->nr_cpus > file->max_cpus ? draft->nr_cpus : file->max_cpus;
	buffer->layout = file->layout;
	buffer->layout.page_size = draft_page_size(file, draft, err);
	if (!buffer->layout.page_size)
		return -1;
	if (draft->is_text)
		file->texts[i] = (struct metadata){
			.offset = draft->text_offset, .size = draft->text_size, .present = true,
			.compressed = draft->compressed,
		};
	sort_cpus(file, draft);
	add_streams(file, i);
	return 0;
}

/* Where the file has data from an offset on; the offset itself if the system does not know. */
static uint64_t next_data(const struct trace_file *file, uint64_t offset)
{
	off_t at = lseek(file->base.fd, (off_t)offset, SEEK_DATA);

	if (at >= 0)
		return (uint64_t)at;
	return errno == ENXIO ? UINT64_MAX : offset;
}

/* Sub-buffers in a hole of the file have no records: those at both ends are left out. */
static void leave_out_holes(const struct trace_file *file, struct source_stream *s)
{
	uint32_t page_size = file->base.buffers[s->buffer].layout.page_size;
	uint64_t end = s->offset + s->file_size, first, pages, nr;

	if (s->chunked || s->file_size < HOLE_BYTES)
		return;
	first = next_data(file, s->offset);
	first = ((first < end ? first : end) - s->offset) / page_size * page_size;
	s->offset += first;
	s->file_size -= first;
	pages = (s->file_size + page_size - 1) / page_size;
	nr = bisect(pages, i, next_data(file, s->offset + i * page_size) < end);
	if (nr < pages)
		s->file_size = nr * page_size;
}

/*
 * The file ends before the stream does.  A last sub-buffer that ends early tells that itself,
 * unless all of its records are there: then others may be missing.
 */
static void find_cut(struct trace_file *file, struct source_stream *s)
{
	const struct sub_buffer_layout *layout = &file->base.buffers[s->buffer].layout;
	uint32_t rest = (uint32_t)(s->file_size % layout->page_size);
	struct sub_buffer sb;
	uint8_t *page;

	if (s->chunked || !rest)
		return;
	page = mem_alloc(rest);
	if (read_at(file->base.fd, page, rest, s->offset + s->file_size - rest) == rest) {
		sub_buffer_open(&sb, layout, page, rest);
		s->is_cut = sb.damage == SUB_BUFFER_SOUND;
	}
	free(page);
}

int trace_file_finish_buffers(struct trace_file *file, struct ft_error *err)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < file->nr_drafts; i++)
		nr += file->drafts[i].nr;
	file->base.buffers = mem_array(file->nr_drafts, sizeof(*file->base.buffers));
	file->texts = mem_array(file->nr_drafts, sizeof(*file->texts));
	file->latency = mem_array(file->nr_drafts, sizeof(*file->latency));
	file->base.streams = mem_array(nr, sizeof(*file->base.streams));
	for (; file->base.nr_buffers < file->nr_drafts; file->base.nr_buffers++)
		if (add_buffer(file, file->base.nr_buffers, err)) {
			file->base.nr_streams = 0;
			return -1;
		}
	file->states = mem_array(file->base.nr_streams, sizeof(*file->states));
	clip_overlaps(file);
	for (unsigned int i = 0; i < file->base.nr_streams; i++) {
		leave_out_holes(file, &file->base.streams[i]);
		if (file->base.streams[i].is_cut)
			find_cut(file, &file->base.streams[i]);
		pthread_mutex_init(&file->states[i].lock, NULL);
		atomic_init(&file->states[i].bytes,
			    file->base.streams[i].chunked ? 0 : file->base.streams[i].file_size);
		atomic_init(&file->states[i].known, !file->base.streams[i].chunked);
	}
	return 0;
}
