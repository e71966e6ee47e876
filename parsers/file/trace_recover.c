/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_recover - finds the data of a file whose tables are lost: an unfinished recording, or a
 * file that was cut.
 *
 * v7 sections are contiguous, so they can be found without a table.  CPU data starts at multiples
 * of the page size, one CPU after the other.  The CPU numbers are lost; plain data is divided into
 * CPUs by time, which starts over with each CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/source/sub_buffer.h"
#include "parsers/file/trace_file_private.h"

#define SCAN_BYTES	(256u << 10)
#define MIN_HOLE	((uint64_t)1 << 20)	/* between the CPUs of an unfinished recording */
#define MAX_SECTIONS	(1u << 18)	/* headers examined at most */
#define MAX_SECTION_ID	64u		/* trace-cmd 3.4 has 25 */
#define MIN_ALIGN	4096u
/* chunk headers read during the search for the first list of chunks */
#define MAX_WORK	(1u << 18)

static uint64_t align_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/* A sub-buffer's time stamp; 0 if it is invalid (or all zeros, which is padding). */
static uint64_t page_time(const struct sub_buffer_layout *layout, const uint8_t *page, uint32_t len)
{
	struct sub_buffer sb;

	sub_buffer_open(&sb, layout, page, len);
	return sb.damage == SUB_BUFFER_COMMIT ? 0 : sb.ts;
}

static bool begin_cpu(struct trace_file *file, struct draft_buffer *draft, uint64_t offset)
{
	struct draft_cpu cpu = { .cpu = (int)draft->nr, .offset = offset, .where = offset };

	return trace_file_draft_cpu(file, draft, &cpu);
}

/*
 * The holes of a sparse file contain no data.  Return: the first data at or after pos; @end if
 * there is none.
 */
static uint64_t skip_hole(const struct trace_file *file, uint64_t pos, uint64_t end,
			  uint32_t page_size)
{
#ifdef SEEK_DATA
	off_t data = lseek(file->base.fd, (off_t)pos, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? end : pos;
	if ((uint64_t)data > pos)
		return (uint64_t)data / page_size * page_size;
#endif
	return pos;
}

/* Add a plain sub-buffer; false if there is no room for more CPUs. */
static bool recover_page(struct trace_file *file, struct draft_buffer *draft, uint64_t offset,
			 uint64_t end, bool next_cpu)
{
	struct draft_cpu *cpu;

	if ((!draft->nr || next_cpu) && !begin_cpu(file, draft, offset))
		return false;
	cpu = &draft->cpus[draft->nr - 1];
	cpu->size = end - cpu->offset;
	return true;
}

/* Plain sub-buffers: a step back in time, or a large hole, begins the next CPU. */
static void recover_plain(struct trace_file *file, struct draft_buffer *draft, uint32_t page_size,
			  uint64_t from, uint64_t to)
{
	struct sub_buffer_layout layout = file->layout;
	uint32_t step = page_size < SCAN_BYTES ? SCAN_BYTES / page_size * page_size : page_size;
	uint8_t *data = mem_alloc(step);
	uint64_t pos = align_up(from, page_size), last = 0;
	bool ok = true;

	layout.page_size = page_size;
	while (ok && pos < to && to - pos >= layout.data_offset) {
		uint64_t start = skip_hole(file, pos, to, page_size);
		bool hole = start - pos >= MIN_HOLE;
		int64_t got = start < to ? read_at(file->base.fd, data,
						   to - start < step ? to - start : step, start) :
					   0;

		for (int64_t p = 0; ok && p + layout.data_offset <= got; p += page_size) {
			uint32_t len = got - p < page_size ? (uint32_t)(got - p) : page_size;
			uint64_t ts = page_time(&layout, data + p, len),
				 end = start + (uint64_t)p + page_size;

			if (!ts)
				continue;
			ok = recover_page(file, draft, start + (uint64_t)p, end < to ? end : to,
					  hole || ts < last);
			hole = false;
			last = ts;
		}
		if (got <= 0)
			break;
		pos = start + step;
	}
	free(data);
}

/*
 * Compressed: take a list of chunks at each multiple of the page size (and of 4096: writers align
 * to both) until there is none.
 */
static void recover_chunked(struct trace_file *file, struct draft_buffer *draft, uint32_t page_size,
			    uint64_t from, uint64_t to)
{
	uint64_t align = page_size < MIN_ALIGN ? MIN_ALIGN : page_size;
	uint64_t pos = align_up(from, align);
	/* in damaged bytes, only a list that is valid to its end is taken */
	bool searching = false;
	uint64_t work = 0;

	while (pos < to) {
		struct chunk_directory dir;
		struct ft_error err = { 0 };
		uint64_t end = 0;
		bool whole = !chunk_directory_read(&dir, file->base.fd, pos, 0, to, file->swap,
						   &err);

		if (dir.nr && (whole || !searching) &&
		    trace_file_is_packed(file, dir.chunks[0].offset))
			end = dir.chunks[dir.nr - 1].offset + dir.chunks[dir.nr - 1].csize;
		work += dir.nr + 1;
		chunk_directory_fini(&dir);
		searching = !end && !draft->nr && work < MAX_WORK;
		if (searching) {
			pos += align;
			continue;
		}
		if (!end)
			break;
		if (!begin_cpu(file, draft, pos))
			break;
		draft->cpus[draft->nr - 1].size = end - pos;
		draft->cpus[draft->nr - 1].is_cut = !whole;
		pos = align_up(end, align);
	}
}

/* The file ends before the section does: the last CPU is cut, and others may be missing. */
static void recover_cut(struct trace_file *file, struct draft_buffer *draft)
{
	draft->cpus[draft->nr - 1].is_cut = true;
	if ((int)draft->nr < file->base.info.cpu_count &&
	    begin_cpu(file, draft, file->base.info.size))
		draft->cpus[draft->nr - 1].is_cut = true;
}

unsigned int trace_recover_cpus(struct trace_file *file, struct draft_buffer *draft, uint64_t from,
				uint64_t to)
{
	uint32_t page_size = draft->page_size ? draft->page_size : file->layout.page_size;

	if (page_size < TRACE_MIN_PAGE_SIZE || page_size > TRACE_MAX_PAGE_SIZE)
		return 0;
	if (draft->compressed)
		recover_chunked(file, draft, page_size, from, to);
	else
		recover_plain(file, draft, page_size, from, to);
	if (draft->nr)
		source_add_warning(&file->base, (int64_t)from,
				   "CPUs whose data is recovered here, without their numbers: %u",
				   draft->nr);
	return draft->nr;
}

/* Does a buffer refer to this section's data already? */
static bool section_is_told(const struct trace_file *file, uint64_t offset)
{
	for (unsigned int i = 0; i < file->nr_drafts; i++)
		if (file->drafts[i].present && file->drafts[i].section == offset)
			return true;
	return false;
}

static void recover_buffer(struct trace_file *file, const struct section *section)
{
	uint64_t from = section->offset + TRACE_SECTION_HEADER_BYTES, to = from + section->size;
	struct draft_buffer *draft;
	char name[48] = "";

	if (section_is_told(file, section->offset))
		return;
	if (file->drafts[0].present)
		snprintf(name, sizeof(name), "recovered at %" PRIu64, section->offset);
	draft = trace_file_draft(file, arena_strndup(&file->arena, name, strlen(name)));
	if (!draft)
		return;
	draft->section = section->offset;
	draft->where = section->offset;
	draft->compressed = section->flags & TRACE_SECTION_COMPRESSED;
	draft->is_text = section->id == TRACE_OPTION_BUFFER_TEXT;
	draft->text_offset = from;
	draft->text_size = section->size;
	if (!draft->is_text)
		trace_recover_cpus(file, draft, from, to);
	if (section->is_cut && draft->nr)
		recover_cut(file, draft);
	source_add_warning(&file->base, (int64_t)section->offset,
			   "trace data without a buffer option: recovered as \"%s\"", draft->name);
}

/*
 * Parse options that the chain does not reach.  Their own link is not followed, because the walk
 * reaches that section anyway.
 */
static void recover_options(struct trace_file *file, const struct section *section)
{
	unsigned int nr_drafts = file->nr_drafts;
	bool had_top = file->drafts[0].present;
	struct ft_error err = { 0 };
	uint64_t next;

	if (trace_file_options_seen(file, section->offset) ||
	    file->nr_seen >= TRACE_MAX_OPTION_SECTIONS)
		return;
	if (trace_file_read_options(file, section->offset, &next, &err))
		source_add_warning(&file->base, err.offset, "%s", err.message);
	if (!had_top && file->drafts[0].present)
		trace_file_buffer_section(file, &file->drafts[0]);
	for (unsigned int i = nr_drafts; i < file->nr_drafts; i++)
		trace_file_buffer_section(file, &file->drafts[i]);
}

static bool is_buffer(const struct section *section)
{
	return section->id == TRACE_OPTION_BUFFER || section->id == TRACE_OPTION_BUFFER_TEXT;
}

static void recover_section(struct trace_file *file, const struct section *section)
{
	enum metadata_kind kind = trace_file_metadata_kind(section->id);

	if (kind != NR_METADATA && !file->metadata[kind].present)
		trace_file_set_metadata(file, kind, section);
	else if (section->id == TRACE_OPTION_DONE)
		recover_options(file, section);
	else if (is_buffer(section))
		recover_buffer(file, section);
}

/* A detour around damaged bytes. */
struct detour {
	uint64_t	from, to;	/* file offsets; to 0: nothing found after the damage */
};

/* Is this a possible section header?  If not, a size before it was wrong. */
static bool is_section(const struct section *section)
{
	return (section->id < MAX_SECTION_ID || section->id == TRACE_SECTION_PRIVATE) &&
	       !(section->flags & ~TRACE_SECTION_COMPRESSED);
}

/*
 * There is no section at @offset: find the next valid options after it.  The result is kept for the
 * second walk.
 */
static uint64_t find_behind(struct trace_file *file, struct detour *detour, uint64_t offset)
{
	if (!detour->from) {
		detour->from = offset;
		detour->to = trace_find_options(file, offset);
		if (detour->to)
			source_add_warning(&file->base, (int64_t)offset,
					   "damaged: no section begins here, the next that is "
					   "found lies at %" PRIu64,
					   detour->to);
		else
			source_add_warning(&file->base, (int64_t)offset,
					   "no section here: the search for lost parts ends");
	}
	return offset == detour->from ? detour->to : 0;
}

/*
 * CPU data is read in a second walk: it needs the layout and the options, which any other section
 * may hold.
 */
static void walk_sections(struct trace_file *file, struct detour *detour, bool buffers)
{
	uint64_t offset = file->header_bytes;
	struct section section;

	for (unsigned int nr = 0;
	     nr < MAX_SECTIONS && file->base.info.size - offset >= TRACE_SECTION_HEADER_BYTES &&
	     !trace_file_section(file, offset, &section, NULL);
	     nr++) {
		if (!is_section(&section)) {
			offset = find_behind(file, detour, offset);
			if (!offset)
				break;
			continue;
		}
		/* the writer was stopped before it knew the size */
		if (is_buffer(&section) && !section.size)
			section.size = file->base.info.size - offset - TRACE_SECTION_HEADER_BYTES;
		if (is_buffer(&section) == buffers)
			recover_section(file, &section);
		/* the writer was stopped, or there are zeros instead of a section */
		if (section.id == TRACE_OPTION_DONE && !section.size)
			break;
		offset += TRACE_SECTION_HEADER_BYTES + section.size;
	}
}

/* No table and no section refers to data, but some may follow the damage. */
static void recover_behind(struct trace_file *file, uint64_t from)
{
	struct draft_buffer *top = trace_file_draft(file, "");

	top->compressed = file->codec != TRACE_PLAIN;
	top->present = trace_recover_cpus(file, top, from, file->base.info.size) > 0;
	if (top->present || !top->compressed)
		return;
	top->compressed = false;	/* only texts were */
	top->present = trace_recover_cpus(file, top, from, file->base.info.size) > 0;
}

uint64_t trace_recover_sections(struct trace_file *file)
{
	struct detour detour = { 0 };

	walk_sections(file, &detour, false);
	trace_file_read_layout(file);
	walk_sections(file, &detour, true);
	if (detour.from && !file->drafts[0].present && file->nr_drafts == 1)
		recover_behind(file, detour.from);
	return detour.from;
}
