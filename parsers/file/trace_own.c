/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_own - finds our own section (trace_extra.c): whole, cut off, or none.
 *
 *   v7:  header | … ours … | options | CPU data | … | ours, added later |
 *   v6:  header | options | CPU data | ours | ours, added later |
 *
 * One at the end of the file says in its last 8 bytes where it begins; the last one holds all.
 * What our writers put there has an option before it: the offset of its header, and its bytes from
 * there on.  So a file that was cut off tells that it should be there, and files without the option
 * only if some of it is there.
 */
#include <inttypes.h>
#include <string.h>

#include "parsers/file/trace_file_private.h"

/* Headers examined: a buffer has one. */
#define MAX_SECTIONS	(2 * TRACE_MAX_BUFFERS)
#define TRAILER_BYTES	8u
#define WORDS \
	"what ftop-trace keeps beside the events (tasks, histograms, names) is cut off: "

/* What is found on the way through the file. */
struct own_search {
	struct trace_file	*file;
	struct section		 whole;	/* the one to read; size 0: there is none */
	struct section		 cut;	/* the one that the file should have; size: bytes of all of
					 * it; 0 = unknown */
};

/* Does the payload begin with our magic, as far as it is there?  A packed one tells by its id. */
static bool is_ours(const struct trace_file *file, const struct section *section)
{
	char magic[sizeof(TRACE_PRIVATE_MAGIC) - 1];
	size_t want = section->size < sizeof(magic) ? section->size : sizeof(magic);

	if (section->id != TRACE_SECTION_PRIVATE || (want < sizeof(magic) && !section->is_cut))
		return false;
	return section->flags & TRACE_SECTION_COMPRESSED ||
	       (read_at(file->base.fd, magic, want, section->offset + TRACE_SECTION_HEADER_BYTES) ==
			(int64_t)want &&
		!memcmp(magic, TRACE_PRIVATE_MAGIC, want));
}

/*
 * Read a header; a size beyond the file is clipped.  *all: the size that it says.  False: the file
 * ends in it; then *section is what of ours may be there.
 */
static bool read_header(const struct trace_file *file, uint64_t offset, struct section *section,
			uint64_t *all)
{
	uint8_t head[TRACE_SECTION_HEADER_BYTES] = { 0 };
	uint8_t own[4] = { 0 };		/* id and flags of ours */
	uint64_t left = file->base.info.size - offset;
	int64_t got = read_at(file->base.fd, head, sizeof(head), offset);
	uint16_t id = file->swap ? __builtin_bswap16(TRACE_SECTION_PRIVATE) : TRACE_SECTION_PRIVATE;

	*section = (struct section){ .offset = offset };
	memcpy(own, &id, sizeof(id));
	if (got < (int64_t)sizeof(head)) {
		size_t nr = got < 0 ? 0 : (size_t)got < sizeof(own) ? (size_t)got : sizeof(own);

		section->is_cut = nr && !memcmp(head, own, nr);
		return false;
	}
	section->id = load_u16(head, file->swap);
	section->flags = load_u16(head + 2, file->swap);
	*all = load_u64(head + 8, file->swap);
	left -= sizeof(head);
	section->is_cut = *all > left;
	section->size = section->is_cut ? left : *all;
	return true;
}

/* Go from section to section.  Before the data the first one counts, behind it the last. */
static void walk(struct own_search *s, uint64_t offset)
{
	bool is_behind = s->file->base.info.version == 6;
	struct section section;
	uint64_t all = 0;

	for (unsigned int i = 0; i < MAX_SECTIONS && offset < s->file->base.info.size; i++) {
		bool is_read = read_header(s->file, offset, &section, &all);

		/* none that could be cut off unseen is packed */
		if (section.is_cut && !section.flags && (!is_read || is_ours(s->file, &section))) {
			s->cut = section;
			s->cut.size = is_read && all < INT64_MAX ?
					      TRACE_SECTION_HEADER_BYTES + all :
					      0;
		}
		if (!is_read || section.is_cut)
			return;
		is_behind |= section.id == TRACE_OPTION_BUFFER;
		if ((is_behind || !s->whole.size) && is_ours(s->file, &section))
			s->whole = section;
		offset += TRACE_SECTION_HEADER_BYTES + section.size;
	}
}

/* Are its last 8 bytes its own offset? */
static bool has_trailer(const struct trace_file *file, const struct section *section)
{
	uint8_t last[TRAILER_BYTES];
	uint64_t end = section->offset + TRACE_SECTION_HEADER_BYTES + section->size;

	return section->size >= sizeof(last) &&
	       read_at(file->base.fd, last, sizeof(last), end - sizeof(last)) == sizeof(last) &&
	       load_u64(last, file->swap) == section->offset;
}

static bool find_at_end(struct own_search *s)
{
	const struct trace_file *file = s->file;
	uint8_t last[TRAILER_BYTES];
	struct section section;
	uint64_t offset, all;

	if (file->base.info.size < sizeof(last) ||
	    read_at(file->base.fd, last, sizeof(last), file->base.info.size - sizeof(last)) !=
		    sizeof(last))
		return false;
	offset = load_u64(last, file->swap);
	if (offset < file->header_bytes || offset >= file->base.info.size ||
	    !read_header(file, offset, &section, &all) || section.flags || section.is_cut ||
	    offset + TRACE_SECTION_HEADER_BYTES + section.size != file->base.info.size ||
	    !is_ours(file, &section))
		return false;
	s->whole = section;
	return true;
}

/* Where the CPUs' data ends. */
static uint64_t data_end(const struct trace_file *file)
{
	uint64_t end = 0;

	for (unsigned int i = 0; i < file->base.nr_streams; i++) {
		const struct source_stream *s = &file->base.streams[i];

		if (s->file_size && s->offset + s->file_size > end)
			end = s->offset + s->file_size;
	}
	return end;
}

/* Behind the data of a file without our option, or the next multiple of its sub-buffers. */
static void search_v6(struct own_search *s)
{
	uint64_t end = data_end(s->file), page = s->file->layout.page_size;

	if (!end || !page)
		return;
	walk(s, end);
	if (!s->whole.size && !s->cut.is_cut)
		walk(s, (end + page - 1) / page * page);
}

bool trace_own_place(const struct trace_file *file, uint64_t *offset, uint64_t *bytes)
{
	for (unsigned int i = 0; i < file->nr_options; i++) {
		const struct trace_file_option *o = &file->options[i];

		if (o->id != TRACE_SECTION_PRIVATE || o->size < 2 * sizeof(uint64_t))
			continue;
		*offset = load_u64(o->data, file->swap);
		*bytes = load_u64(o->data + sizeof(*offset), file->swap);
		return true;
	}
	return false;
}

/* What the option names: if it is not there, it is cut off. */
static void search_place(struct own_search *s, uint64_t offset, uint64_t bytes)
{
	uint64_t size = s->file->base.info.size, all;
	struct section section;

	if (offset < size && read_header(s->file, offset, &section, &all) && !section.is_cut &&
	    is_ours(s->file, &section))
		s->whole = s->whole.offset > offset ? s->whole : section;
	else if (!s->whole.size && !s->cut.is_cut)
		s->cut = (struct section){ .offset = offset < size ? offset : size, .is_cut = true,
					   .size = bytes };
}

static void search(struct own_search *s)
{
	const struct source *base = &s->file->base;
	uint64_t offset = 0, bytes = 0;
	/* in version 6, the option is about the text of a latency tracer if there is one */
	bool has_place = trace_own_place(s->file, &offset, &bytes) &&
			 (base->info.version == 7 || !base->buffers[0].is_text);

	if (find_at_end(s))
		return;
	if (base->info.version == 7)
		walk(s, s->file->header_bytes);
	else if (has_place)
		walk(s, offset);
	else if (!base->buffers[0].is_text)
		search_v6(s);
	if (has_place)
		search_place(s, offset, bytes);
}

/* In words, what the file has not. */
static const char *tell_lost(const struct own_search *s)
{
	uint64_t there = s->file->base.info.size - s->cut.offset;
	struct text words = { 0 };
	const char *lost;

	text_add(&words, WORDS);
	if (!s->cut.size)
		text_printf(&words, "%" PRIu64 " byte%s of its header left", there,
			    there == 1 ? " is" : "s are");
	else if (there < s->cut.size)
		text_printf(&words, "%" PRIu64 " of %" PRIu64 " bytes are left", there,
			    s->cut.size);
	else
		text_add(&words, "another program wrote the file anew, without it");
	if (s->whole.size)
		text_add(&words, "; what ftop-trace symbols added is not used");
	lost = trace_file_arena_string(s->file, text_str(&words), words.len);
	text_fini(&words);
	return lost;
}

void trace_own_find(struct trace_file *file)
{
	struct own_search s = { .file = file };
	struct own_section *own = &file->own;

	search(&s);
	/* one that is being recorded is not complete yet */
	if (s.cut.is_cut && file->base.growth == SOURCE_WHOLE) {
		own->lost = tell_lost(&s);
		source_add_warning(&file->base, (int64_t)s.cut.offset, "%s", own->lost);
	}
	own->is_cut = own->lost && !s.whole.size;
	if (own->is_cut && s.cut.id == TRACE_SECTION_PRIVATE &&
	    !(s.cut.flags & TRACE_SECTION_COMPRESSED)) {
		s.whole = s.cut;
		s.whole.size = file->base.info.size - s.cut.offset - TRACE_SECTION_HEADER_BYTES;
	}
	own->text = (struct metadata){
		.offset = s.whole.offset + TRACE_SECTION_HEADER_BYTES,
		.size = s.whole.size - (has_trailer(file, &s.whole) ? TRAILER_BYTES : 0),
		.present = s.whole.size,
		.compressed = s.whole.flags & TRACE_SECTION_COMPRESSED,
	};
}
