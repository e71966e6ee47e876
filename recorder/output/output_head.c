/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_head - everything before the data: the file's header, the layout, metadata and options,
 * and their texts.
 */
#include "recorder/output/output_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/base/memory.h"

/* --- what the caller sets --------------------------------------------------------------------- */

static void set_text(struct text *to, const struct text *from)
{
	text_clear(to);
	text_bytes(to, text_str(from), from->len);
}

void output_text(struct output_file *o, enum trace_text kind, const struct text *text)
{
	set_text(&o->texts[kind], text);
}

void output_event_format(struct output_file *o, const char *system, const struct text *text)
{
	size_t at = o->nr_formats;

	for (size_t i = 0; i < o->nr_formats; i++) {
		if (strcmp(o->formats[i].system, system) != 0)
			continue;
		if (!strcmp(text_str(&o->formats[i].text), text_str(text)))
			return;
		at = i + 1;
	}
	mem_grow(&o->formats, o->nr_formats, &o->cap_formats);
	memmove(o->formats + at + 1, o->formats + at, (o->nr_formats - at) * sizeof(*o->formats));
	o->formats[at] = (struct output_format){ .system = mem_strdup(system) };
	set_text(&o->formats[at].text, text);
	o->nr_formats++;
	o->late_formats = o->layout.recording_options != 0;
}

void output_latency_text(struct output_file *o, const struct text *text)
{
	set_text(&o->latency, text);
}

void output_option(struct output_file *o, uint16_t id, const void *data, uint32_t size)
{
	mem_grow(&o->options, o->nr_options, &o->cap_options);
	o->options[o->nr_options] = (struct output_option){ .id = id };
	text_bytes(&o->options[o->nr_options++].data, data, size);
}

/* Replaces an option with the same id. */
static void set_option(struct output_file *o, uint16_t id, const void *data, uint32_t size)
{
	for (size_t i = 0; i < o->nr_options; i++) {
		if (o->options[i].id != id)
			continue;
		text_clear(&o->options[i].data);
		text_bytes(&o->options[i].data, data, size);
		return;
	}
	output_option(o, id, data, size);
}

void output_clock(struct output_file *o, const char *text)
{
	free(o->clock);
	o->clock = mem_strdup(text);
	set_option(o, TRACE_OPTION_TRACECLOCK, text, (uint32_t)strlen(text) + 1);
}

/* --- sections, formats, options --------------------------------------------------------------- */

static void put_u16(struct text *t, uint16_t v)
{
	text_bytes(t, (const char *)&v, sizeof(v));
}

static void put_u32(struct text *t, uint32_t v)
{
	text_bytes(t, (const char *)&v, sizeof(v));
}

static void put_u64(struct text *t, uint64_t v)
{
	text_bytes(t, (const char *)&v, sizeof(v));
}

static void put_string(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s) + 1);
}

static void put_blob32(struct text *t, const struct text *blob)
{
	put_u32(t, (uint32_t)blob->len);
	text_bytes(t, text_str(blob), blob->len);
}

static void put_blob64(struct text *t, const struct text *blob)
{
	put_u64(t, blob->len);
	text_bytes(t, text_str(blob), blob->len);
}

int output_section_header_at(struct output_file *o, uint16_t id, uint64_t at, uint64_t end,
			     struct ft_error *err)
{
	struct { uint16_t id, flags; uint32_t description; uint64_t size; } header = {
		.id = id, .description = UINT32_MAX,
		.size = end - at - TRACE_SECTION_HEADER_BYTES };

	return output_write_at(o, &header, sizeof(header), at, err);
}

int output_section(struct output_file *o, uint16_t id, const void *payload, uint64_t size,
		   uint64_t *offset, struct ft_error *err)
{
	uint64_t data = o->pos + TRACE_SECTION_HEADER_BYTES, end = data + size;

	if (o->head_end && end + TRACE_SECTION_HEADER_BYTES > o->head_end)
		return ft_error_set(err, FT_E_LIMIT, -1, "%s: %llu bytes of metadata do not fit",
				    o->part, (unsigned long long)size);
	/* a reader that walks the sections skips the hole, to the first buffer's section */
	if (o->head_end &&
	    output_section_header_at(o, TRACE_SECTION_PRIVATE, end,
				     o->head_end + o->align - TRACE_SECTION_HEADER_BYTES, err))
		return -1;
	if (output_section_header_at(o, id, o->pos, end, err) ||
	    output_write_at(o, payload, size, data, err))
		return -1;
	if (offset)
		*offset = o->pos;
	o->pos = end;
	return 0;
}

/* Compressed if possible: symbols, formats and names of tasks take several megabytes. */
static int packed_section(struct output_file *o, uint16_t id, const struct text *payload,
			  uint64_t *offset, struct ft_error *err)
{
	static const uint16_t flags = TRACE_SECTION_COMPRESSED;
	struct text packed = { 0 };
	int ret;

	if (!strcmp(trace_writer_codec(), "none"))
		return output_section(o, id, payload->data, payload->len, offset, err);
	ret = trace_writer_pack(payload, &packed, err);
	if (!ret)
		ret = output_section(o, id, packed.data, packed.len, offset, err);
	/* nothing refers to it yet */
	if (!ret)
		ret = output_write_at(o, &flags, sizeof(flags), *offset + sizeof(id), err);
	text_fini(&packed);
	return ret;
}

static void put_formats(const struct output_file *o, struct text *t, const char *system)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < o->nr_formats; i++)
		nr += !strcmp(o->formats[i].system, system);
	put_u32(t, nr);
	for (size_t i = 0; i < o->nr_formats; i++)
		if (!strcmp(o->formats[i].system, system))
			put_blob64(t, &o->formats[i].text);
}

/* The formats of a system stand together. */
static void put_event_formats(const struct output_file *o, struct text *t)
{
	const char *last = "ftrace";
	struct text systems = { 0 };
	uint32_t nr = 0;

	for (size_t i = 0; i < o->nr_formats; i++) {
		const char *system = o->formats[i].system;

		if (!strcmp(system, last) || !strcmp(system, "ftrace"))
			continue;
		last = system;
		nr++;
		put_string(&systems, system);
		put_formats(o, &systems, system);
	}
	put_u32(t, nr);
	text_bytes(t, text_str(&systems), systems.len);
	text_fini(&systems);
}

static int metadata_section(struct output_file *o, uint16_t id, const struct text *payload,
			    struct ft_error *err)
{
	uint64_t offset;

	if (packed_section(o, id, payload, &offset, err))
		return -1;
	set_option(o, id, &offset, sizeof(offset));
	return 0;
}

int output_cmdlines_section(struct output_file *o, struct ft_error *err)
{
	struct text t = { 0 };
	int ret;

	put_blob64(&t, &o->texts[TRACE_TEXT_CMDLINES]);
	ret = metadata_section(o, TRACE_OPTION_CMDLINES, &t, err);
	text_fini(&t);
	return ret;
}

int output_private_section(struct output_file *o, struct ft_error *err)
{
	uint64_t place[2];		/* of its header; bytes from there on */

	if (packed_section(o, TRACE_SECTION_PRIVATE, &o->texts[TRACE_TEXT_PRIVATE], &place[0], err))
		return -1;
	place[1] = o->pos - place[0];
	set_option(o, TRACE_SECTION_PRIVATE, place, sizeof(place));
	return 0;
}

static int formats_section(struct output_file *o, struct ft_error *err)
{
	struct text t = { 0 };
	int ret;

	put_event_formats(o, &t);
	ret = metadata_section(o, TRACE_OPTION_EVENT_FORMATS, &t, err);
	text_fini(&t);
	return ret;
}

int output_write_metadata(struct output_file *o, struct ft_error *err)
{
	struct text t = { 0 };
	int ret;

	put_string(&t, "header_page");
	put_blob64(&t, &o->texts[TRACE_TEXT_HEADER_PAGE]);
	put_string(&t, "header_event");
	put_blob64(&t, &o->texts[TRACE_TEXT_HEADER_EVENT]);
	ret = metadata_section(o, TRACE_OPTION_HEADER_INFO, &t, err);
	text_clear(&t);
	put_formats(o, &t, "ftrace");
	ret = ret ? ret : metadata_section(o, TRACE_OPTION_FTRACE_EVENTS, &t, err);
	ret = ret ? ret : formats_section(o, err);
	text_clear(&t);
	put_blob32(&t, &o->texts[TRACE_TEXT_PRINTK]);
	ret = ret ? ret : metadata_section(o, TRACE_OPTION_PRINTK, &t, err);
	text_fini(&t);
	return ret ? ret : output_cmdlines_section(o, err);
}

static void put_option(struct text *t, uint16_t id, const struct text *data)
{
	put_u16(t, id);
	put_blob32(t, data);
}

static bool is_listed(const struct output_stream *s, size_t b, bool final)
{
	return s->buffer == (int)b && (!final || s->is_lost || s->size > s->start);
}

/*
 * The option of a buffer, with its table.  The entries of its streams are at @at + their offset in
 * the payload.
 */
static void put_buffer(struct output_file *o, struct text *t, size_t b, bool final, uint64_t at)
{
	const struct output_buffer *buffer = &o->buffers[b];
	struct text data = { 0 };
	uint32_t nr = 0;

	put_u64(&data, buffer->section);
	put_string(&data, buffer->name);
	put_string(&data, buffer->clock);
	put_u32(&data, buffer->page_size);
	for (size_t i = 0; i < o->nr_streams; i++)
		nr += is_listed(o->streams[i], b, final);
	put_u32(&data, nr);
	for (size_t i = 0; i < o->nr_streams; i++) {
		struct output_stream *s = o->streams[i];

		if (!is_listed(s, b, final))
			continue;
		put_u32(&data, (uint32_t)s->cpu);
		s->entry = at + t->len + 6 + data.len;
		/* data in a spool file is not in this file yet */
		put_u64(&data, final ? s->final : o->layout.spooled ? 0 : s->base + s->start);
		put_u64(&data, !final && o->layout.spooled ? 0 : s->size - s->start);
	}
	put_option(t, TRACE_OPTION_BUFFER, &data);
	text_fini(&data);
}

int output_options_section(struct output_file *o, bool final, uint64_t *offset,
			   struct ft_error *err)
{
	uint64_t at = o->pos + TRACE_SECTION_HEADER_BYTES;
	struct text t = { 0 };
	int ret;

	for (size_t i = 0; i < o->nr_options; i++)
		put_option(&t, o->options[i].id, &o->options[i].data);
	for (size_t b = 0; b < o->nr_buffers; b++)
		put_buffer(o, &t, b, final, at);
	put_u16(&t, TRACE_OPTION_DONE);
	put_u32(&t, 8);
	put_u64(&t, 0);			/* no further options section */
	ret = output_section(o, TRACE_OPTION_DONE, t.data, t.len, offset, err);
	text_fini(&t);
	return ret;
}

int output_write_layout(struct output_file *o, bool head_only, struct ft_error *err)
{
	struct text *t = &o->table;

	text_clear(t);
	o->layout.align = o->align;
	o->layout.nr_buffers = (uint32_t)o->nr_buffers;
	o->layout.nr_streams = (uint32_t)o->nr_streams;
	text_bytes(t, (const char *)&o->layout, sizeof(o->layout));
	for (size_t b = 0; b < o->nr_buffers && !head_only; b++) {
		struct layout_buffer buffer = { .section = o->buffers[b].section,
						.page_size = o->buffers[b].page_size };

		text_bytes(t, (const char *)&buffer, sizeof(buffer));
	}
	for (size_t i = 0; i < o->nr_streams && !head_only; i++) {
		const struct output_stream *s = o->streams[i];
		struct layout_stream stream = { .buffer = (uint32_t)s->buffer,
						.cpu = (uint32_t)s->cpu,
			.base = s->base, .room = s->room, .start = s->start, .size = s->size };

		text_bytes(t, (const char *)&stream, sizeof(stream));
	}
	return output_write_at(o, t->data, t->len, HEADER_BYTES + TRACE_SECTION_HEADER_BYTES, err);
}

/* The streams' sizes in the options' tables. */
static int write_tables(struct output_file *o, struct ft_error *err)
{
	for (size_t i = 0; i < o->nr_streams; i++) {
		struct output_stream *s = o->streams[i];
		uint64_t start = atomic_load_explicit(&s->start, memory_order_acquire);
		uint64_t size = atomic_load_explicit(&s->size, memory_order_acquire);
		uint64_t entry[2] = { s->base + start, size > start ? size - start : 0 };

		if (size && !o->layout.spooled &&
		    output_write_at(o, entry, sizeof(entry), s->entry, err))
			return -1;
	}
	return 0;
}

void output_tasks(struct output_file *o, const struct text *lines)
{
	if (!o->tasks.at || o->layout.spooled || lines->len > LAYOUT_TASKS_BYTES - o->tasks.size)
		return;
	/* lines that are not there would leave the later ones without their strings */
	if (output_write_fully(o->fd, text_str(lines), lines->len, o->tasks.at + o->tasks.size))
		o->tasks.at = 0;
	else
		o->tasks.size += lines->len;
}

/* Behind the layout's streams. */
static int write_settled(struct output_file *o, const uint64_t *settled, struct ft_error *err)
{
	uint64_t at = HEADER_BYTES + TRACE_SECTION_HEADER_BYTES + sizeof(struct layout_head) +
		      o->nr_buffers * sizeof(struct layout_buffer) +
		      o->nr_streams * sizeof(struct layout_stream);

	return output_write_at(o, settled, o->nr_streams * sizeof(*settled), at, err) ||
			       output_write_at(o, &o->tasks, sizeof(o->tasks),
					       at + o->nr_streams * sizeof(*settled), err) ?
		       -1 :
		       0;
}

/* The layout was written: release the blocks that it has called dropped for long enough. */
static void release_dropped(struct output_file *o)
{
	struct timespec ts;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	if (now - o->announced_ns < LAYOUT_GRACE_NS)
		return;
	o->announced_ns = now;
	for (size_t i = 0; i < o->nr_streams; i++) {
		struct output_stream *s = o->streams[i];

		atomic_store_explicit(&s->released, s->announced, memory_order_release);
		s->announced = s->told;
	}
}

/*
 * Readers read the settled times first and the sizes second.  So this writes the sizes first, and
 * the times that were settled before it looked at the sizes second.
 */
int output_update(struct output_file *o, struct ft_error *err)
{
	uint64_t *settled = mem_array(o->nr_streams, sizeof(*settled));
	int ret;

	for (size_t i = 0; i < o->nr_streams; i++) {
		struct output_stream *s = o->streams[i];

		settled[i] = atomic_load_explicit(&s->settled, memory_order_acquire);
		s->told = atomic_load_explicit(&s->start, memory_order_relaxed);
	}
	ret = write_tables(o, err) || output_write_layout(o, false, err) ||
			      write_settled(o, settled, err) ?
		      -1 :
		      0;
	if (!ret)
		release_dropped(o);
	free(settled);
	return ret;
}

void output_put_file_header(const struct output_file *o, struct text *t)
{
	text_bytes(t, TRACE_MAGIC, TRACE_MAGIC_LEN);
	put_string(t, "7");
	text_char(t, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	text_char(t, (char)sizeof(long));
	put_u32(t, o->nr_buffers ? o->buffers[0].page_size : MIN_ALIGN);
	/* of sections whose headers say so; readers need no version of it */
	put_string(t, trace_writer_codec());
	put_string(t, "");
	put_u64(t, 0);			/* offset of the options, filled in later */
}

int output_recording_options(struct output_file *o, struct ft_error *err)
{
	if (output_options_section(o, false, &o->layout.recording_options, err) ||
	    output_write_layout(o, true, err))
		return -1;
	return output_patch_u64(o, HEADER_OPTIONS, o->layout.recording_options, err);
}

/* Check that they do not use the room reserved for the end. */
static int reserve_symbols(struct output_file *o, const char *what, uint64_t bytes,
			   struct ft_error *err)
{
	bytes += 3 * TRACE_SECTION_HEADER_BYTES + TAIL_RESERVE;
	if (fallocate(o->fd, FALLOC_FL_KEEP_SIZE, (off_t)o->pos, (off_t)bytes) && errno == ENOSPC)
		return ft_error_errno(err, ENOSPC, -1,
				      "%s: kernel %s not stored: their %llu KiB do not fit",
				      o->part, what, (unsigned long long)(bytes >> 10));
	errno = 0;
	return 0;
}

int output_kallsyms(struct output_file *o, const struct text *text, struct ft_error *err)
{
	struct text t = { 0 };
	int ret;

	if (o->version != 7 || o->compression != TRACE_PLAIN)
		output_text(o, TRACE_TEXT_KALLSYMS, text);
	if (reserve_symbols(o, "symbols", text->len, err))
		return -1;
	put_blob32(&t, text);
	ret = metadata_section(o, TRACE_OPTION_KALLSYMS, &t, err);
	text_fini(&t);
	return ret ? ret : output_recording_options(o, err);
}

int output_btf(struct output_file *o, const struct text *btf, struct ft_error *err)
{
	if (o->version != 7 || o->compression != TRACE_PLAIN)
		output_text(o, TRACE_TEXT_BTF, btf);
	if (reserve_symbols(o, "types", btf->len, err) ||
	    metadata_section(o, TRACE_OPTION_BTF_FILE, btf, err))
		return -1;
	return output_recording_options(o, err);
}

int output_late_formats(struct output_file *o, struct ft_error *err)
{
	if (!o->late_formats)
		return 0;
	o->late_formats = false;
	return formats_section(o, err) ? -1 : output_recording_options(o, err);
}
