/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/writer/trace_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/file/pack_team.h"
#include "parsers/source/source.h"
#include "parsers/io/byte_reader.h"
#include "src/base/memory.h"

#define DEFAULT_CHUNK_PAGES 10u		/* trace-cmd's */
#define PACKED_AT_ONCE	(1u << 20)	/* bytes: chunks for many workers */
#define MIN_ALIGN	4096u		/* alignment of CPU data: trace-cmd maps it */
#define OPTION_HEADER_BYTES 6		/* id, size */
#define NO_DESCRIPTION	UINT32_MAX	/* for a section without description */

struct stream {				/* one CPU of a buffer, or its latency text */
	struct text	kept;		/* its bytes, unless they are made when they are written: */
	trace_writer_filler fill;	/* NULL: they are kept */
	void		*arg;
	uint64_t	offset, size;	/* where it lies in the file; size 0: it has no bytes */
	bool		is_listed;	/* in version 7, also without bytes */
};

struct buffer {
	char		*name;
	char		*clock;		/* "local" */
	uint32_t	 page_size;
	bool		 is_text;
	struct stream	*streams;	/* [nr_cpus]; latency text is in [0] */
	unsigned int	 nr_cpus, cap_cpus;
	uint64_t	 section;	/* file offset of what its option refers to */
	uint64_t	 option;	/* file offset of that reference, to be patched */
	uint32_t	 description;	/* its section's description: offset in the strings */
};

struct system {
	char		*name;
	uint32_t	 nr;		/* number of its event formats */
	struct text	 formats;	/* as in the file: u64 size, text */
};

struct trace_writer {
	struct trace_writer_options options;
	char		*path;		/* owned: for messages */
	struct out	 out;
	struct text	 texts[TRACE_NR_TEXTS], clock;
	bool		 has_clock;
	uint32_t	 cpu_count;	/* as set by the caller; 0 = not set */
	struct system	*systems;	/* [0] is "ftrace" */
	size_t		 nr_systems, cap_systems;
	struct text	 other_options;	/* options of the caller, as in the file */
	struct buffer	*buffers;
	int		 nr_buffers, cap_buffers;
	struct text	 strings;	/* descriptions of the sections */
	uint64_t	own_place;	/* version 6: file offset of the option's offset of our own
					 * section, to be patched; 0: it has no such option */
	struct pack_team *team;		/* NULL: nothing is packed */
	/* The stream that is being written: */
	bool		 is_writing;
	struct text	 unpacked;	/* its next chunks */
	uint32_t	 nr_chunks;
};

static int check_out(const struct trace_writer *w, struct ft_error *err)
{
	return w->out.errnum ?
		       ft_error_errno(err, w->out.errnum, -1, "%s: cannot write at byte %llu",
				      w->path, (unsigned long long)w->out.err_pos) :
		       0;
}

/* --- what is given ------------------------------------------------------------------------- */

static void add_system(struct trace_writer *w, const char *name)
{
	mem_grow(&w->systems, w->nr_systems, &w->cap_systems);
	w->systems[w->nr_systems++] = (struct system){ .name = mem_strdup(name) };
}

/* Return: a descriptor, or -1. */
static int create(const char *path, const struct trace_writer_options *o, struct ft_error *err)
{
	int fd = o->fd;

	if (!packer_version(o->compression)) {
		if (fd)
			close(fd);
		return ft_error_set(err, FT_E_UNSUPPORTED, -1, "this program is built without %s",
				    packer_codec(o->compression));
	}
	if (!fd)
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, TRACE_FILE_MODE);
	return fd < 0 ? ft_error_errno(err, errno, -1, "cannot create the file") : fd;
}

struct trace_writer *trace_writer_new(const char *path, const struct trace_writer_options *options,
				      struct ft_error *err)
{
	struct trace_writer *w;
	int fd = create(path, options, err);

	if (fd < 0)
		return NULL;
	w = mem_alloc(sizeof(*w));
	w->options = *options;
	w->path = mem_strdup(path);
	w->out.fd = fd;
	w->out.swap = options->big_endian != HOST_BIG_ENDIAN;
	if (options->compression != TRACE_PLAIN)
		w->team = pack_team_new(options->compression, options->workers);
	if (!w->options.chunk_pages)
		w->options.chunk_pages = DEFAULT_CHUNK_PAGES;
	add_system(w, "ftrace");
	return w;
}

void trace_writer_text(struct trace_writer *w, enum trace_text kind, const void *text,
		       uint64_t size)
{
	text_bytes(&w->texts[kind], text, (size_t)size);
}

void trace_writer_clock(struct trace_writer *w, const char *text)
{
	w->has_clock = true;
	text_add(&w->clock, text);
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
	w->systems[i].nr++;
	out_put_u64(&w->out, &w->systems[i].formats, size);
	text_bytes(&w->systems[i].formats, text, (size_t)size);
}

static void put_option(const struct trace_writer *w, struct text *t, uint16_t id, const void *data,
		       size_t size)
{
	out_put_u16(&w->out, t, id);
	out_put_u32(&w->out, t, (uint32_t)size);
	text_bytes(t, data, size);
}

/* Does the writer itself write such an option?  It writes those that say where things lie. */
static bool is_written_anyway(uint16_t id, uint32_t size)
{
	switch (id) {
	case TRACE_OPTION_DONE:
	case TRACE_OPTION_BUFFER:
	case TRACE_OPTION_TRACECLOCK:
	case TRACE_OPTION_CPUCOUNT:
	case TRACE_SECTION_PRIVATE:
		return true;
	case TRACE_OPTION_LAST_BOOT_INFO:
		return false;
	}
	return id >= TRACE_OPTION_STRINGS &&
	       (id <= TRACE_OPTION_MODULES_FILE || size == sizeof(uint64_t));
}

void trace_writer_option(struct trace_writer *w, uint16_t id, const void *data, uint32_t size)
{
	if (!is_written_anyway(id, size))
		put_option(w, &w->other_options, id, data, size);
}

int trace_writer_buffer(struct trace_writer *w, const char *name, const char *clock,
			uint32_t page_size)
{
	/* readers seek to the top buffer first; without one they would read at offset 0 */
	if (!w->nr_buffers && name[0])
		trace_writer_buffer(w, "", clock, 0);
	mem_grow(&w->buffers, w->nr_buffers, &w->cap_buffers);
	w->buffers[w->nr_buffers] = (struct buffer){
		.name = mem_strdup(name),
		.clock = clock ? mem_strdup(clock) : NULL,
		.page_size = page_size ? page_size : w->options.page_size,
	};
	return w->nr_buffers++;
}

static struct stream *stream_of(struct buffer *buffer, unsigned int cpu)
{
	while (buffer->nr_cpus <= cpu) {
		mem_grow(&buffer->streams, buffer->nr_cpus, &buffer->cap_cpus);
		buffer->streams[buffer->nr_cpus++] = (struct stream){ .fill = NULL };
	}
	return &buffer->streams[cpu];
}

void trace_writer_fill(struct trace_writer *w, int buffer, int cpu, trace_writer_filler fill,
		       void *arg)
{
	struct stream *stream = stream_of(&w->buffers[buffer], (unsigned int)cpu);

	stream->fill = fill;
	stream->arg = arg;
}

void trace_writer_list(struct trace_writer *w, int buffer, int cpu)
{
	stream_of(&w->buffers[buffer], (unsigned int)cpu)->is_listed = true;
}

/* --- streams ------------------------------------------------------------------------------- */

/* Pack the whole chunks there are, at the end also the rest, and write them. */
static int out_chunks(struct trace_writer *w, size_t chunk, bool is_end, struct ft_error *err)
{
	struct text *t = &w->unpacked;

	while (t->len >= chunk || (is_end && t->len)) {
		size_t nr = t->len < chunk ? 1 : t->len / chunk;
		size_t size = t->len < chunk ? t->len : chunk;

		if (pack_team_run(w->team, &w->out, t->data, nr, size, err))
			return -1;
		for (size_t i = 0; i < nr; i++)
			out_text(&w->out, pack_team_result(w->team, i));
		w->nr_chunks += (uint32_t)nr;
		t->len -= nr * size;
		memmove(t->data, t->data + nr * size, t->len);
	}
	return 0;
}

static size_t chunk_of(const struct trace_writer *w, const struct buffer *buffer)
{
	return (size_t)buffer->page_size * w->options.chunk_pages;
}

int trace_writer_pages(struct trace_writer *w, int buffer, int cpu, const void *pages,
		       uint64_t bytes, struct ft_error *err)
{
	struct buffer *b = &w->buffers[buffer];

	if (!w->is_writing)
		text_bytes(&stream_of(b, (unsigned int)cpu)->kept, pages, (size_t)bytes);
	else if (!w->team)
		out_bytes(&w->out, pages, (size_t)bytes);
	else
		text_bytes(&w->unpacked, pages, (size_t)bytes);
	if (w->unpacked.len >= PACKED_AT_ONCE && out_chunks(w, chunk_of(w, b), false, err))
		return -1;
	return check_out(w, err);
}

int trace_writer_latency_text(struct trace_writer *w, int buffer, const void *text, uint64_t size,
			      struct ft_error *err)
{
	w->buffers[buffer].is_text = true;
	return trace_writer_pages(w, buffer, 0, text, size, err);
}

static uint64_t align_of(const struct buffer *buffer)
{
	return buffer->page_size > MIN_ALIGN ? buffer->page_size : MIN_ALIGN;
}

/* Write a CPU's data at a place for it, if there is any. */
static int out_stream(struct trace_writer *w, int number, int cpu, struct ft_error *err)
{
	struct buffer *buffer = &w->buffers[number];
	struct stream *stream = &buffer->streams[cpu];
	bool any = stream->kept.len || stream->fill;
	int ret;

	if (!buffer->is_text && (any || w->options.version == 6))
		out_align(&w->out, align_of(buffer));
	stream->offset = w->out.pos;
	if (!any)
		return 0;
	if (w->team)
		out_u32(&w->out, 0);		/* number of chunks, until it is patched */
	w->nr_chunks = 0;
	w->is_writing = true;
	ret = stream->fill ?
		      stream->fill(stream->arg, w, number, cpu, err) :
		      trace_writer_pages(w, number, cpu, stream->kept.data, stream->kept.len, err);
	w->is_writing = false;
	if (ret || out_chunks(w, chunk_of(w, buffer), true, err))
		return -1;
	if (w->team)
		out_patch_u32(&w->out, stream->offset, w->nr_chunks);
	stream->size = w->team && !w->nr_chunks ? 0 : w->out.pos - stream->offset;
	return 0;
}

/* --- metadata ------------------------------------------------------------------------------ */

/* @length: bytes of its length, which stands before it; 0: none does */
static void put_text(const struct trace_writer *w, struct text *t, const struct text *text,
		     unsigned int length)
{
	if (length == sizeof(uint32_t))
		out_put_u32(&w->out, t, (uint32_t)text->len);
	if (length == sizeof(uint64_t))
		out_put_u64(&w->out, t, text->len);
	text_bytes(t, text_str(text), text->len);
}

static void put_headers(const struct trace_writer *w, struct text *t)
{
	out_put_string(t, "header_page");
	put_text(w, t, &w->texts[TRACE_TEXT_HEADER_PAGE], sizeof(uint64_t));
	out_put_string(t, "header_event");
	put_text(w, t, &w->texts[TRACE_TEXT_HEADER_EVENT], sizeof(uint64_t));
}

static void put_system_formats(const struct trace_writer *w, struct text *t, size_t system)
{
	out_put_u32(&w->out, t, w->systems[system].nr);
	put_text(w, t, &w->systems[system].formats, 0);
}

static void put_ftrace_formats(const struct trace_writer *w, struct text *t)
{
	put_system_formats(w, t, 0);
}

static void put_event_formats(const struct trace_writer *w, struct text *t)
{
	out_put_u32(&w->out, t, (uint32_t)w->nr_systems - 1);
	for (size_t i = 1; i < w->nr_systems; i++) {
		out_put_string(t, w->systems[i].name);
		put_system_formats(w, t, i);
	}
}

/* In the order of version 6; the ids are those of version 7's sections. */
static const struct {
	uint16_t	id;
	const char	*description;
	void		(*put)(const struct trace_writer *w, struct text *t);	/* or: */
	enum trace_text	text;
	unsigned int	length;		/* bytes of its length */
	bool		is_v7;		/* version 6 has none */
} sections[] = {
	{ TRACE_OPTION_HEADER_INFO, "headers", put_headers },
	{ TRACE_OPTION_FTRACE_EVENTS, "ftrace events", put_ftrace_formats },
	{ TRACE_OPTION_EVENT_FORMATS, "events format", put_event_formats },
	{ TRACE_OPTION_KALLSYMS, "kallsyms", NULL, TRACE_TEXT_KALLSYMS, sizeof(uint32_t) },
	{ TRACE_OPTION_PRINTK, "printk", NULL, TRACE_TEXT_PRINTK, sizeof(uint32_t) },
	{ TRACE_OPTION_CMDLINES, "command lines", NULL, TRACE_TEXT_CMDLINES, sizeof(uint64_t) },
	{ TRACE_OPTION_BTF_FILE, "btf", NULL, TRACE_TEXT_BTF, 0, true },
	{ TRACE_OPTION_MODULES_FILE, "modules", NULL, TRACE_TEXT_MODULES, 0, true },
	{ TRACE_SECTION_PRIVATE, "private", NULL, TRACE_TEXT_PRIVATE, 0, true },
};
#define NR_SECTIONS	(sizeof(sections) / sizeof(sections[0]))

static void put_section(const struct trace_writer *w, struct text *t, size_t i)
{
	text_clear(t);
	if (sections[i].put)
		sections[i].put(w, t);
	else
		put_text(w, t, &w->texts[sections[i].text], sections[i].length);
}

static void put_options(const struct trace_writer *w, struct text *t)
{
	if (w->has_clock)
		put_option(w, t, TRACE_OPTION_TRACECLOCK, text_str(&w->clock), w->clock.len + 1);
	text_bytes(t, text_str(&w->other_options), w->other_options.len);
}

static uint16_t option_of(const struct buffer *buffer)
{
	return buffer->is_text ? TRACE_OPTION_BUFFER_TEXT : TRACE_OPTION_BUFFER;
}

static bool is_listed(const struct stream *stream)
{
	return stream->size || stream->is_listed;
}

static void put_cpu_table(const struct trace_writer *w, const struct buffer *buffer, struct text *t)
{
	uint32_t nr = 0;

	for (unsigned int cpu = 0; cpu < buffer->nr_cpus; cpu++)
		nr += is_listed(&buffer->streams[cpu]);
	out_put_u32(&w->out, t, buffer->page_size);
	out_put_u32(&w->out, t, nr);
	for (unsigned int cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		if (!is_listed(&buffer->streams[cpu]))
			continue;
		out_put_u32(&w->out, t, cpu);
		out_put_u64(&w->out, t, buffer->streams[cpu].offset);
		out_put_u64(&w->out, t, buffer->streams[cpu].size);
	}
}

/*
 * Append the options of buffers from @first on.  @at: where the options begin in the file.  Until
 * it is patched, 0 as the place of a buffer means unfinished.
 */
static void put_buffer_options(struct trace_writer *w, struct text *t, uint64_t at, int first)
{
	struct text data = { 0 };

	for (int i = first; i < w->nr_buffers; i++) {
		struct buffer *buffer = &w->buffers[i];

		buffer->option = at + t->len + OPTION_HEADER_BYTES;
		text_clear(&data);
		out_put_u64(&w->out, &data, buffer->section);
		out_put_string(&data, buffer->name);
		if (w->options.version == 7)
			out_put_string(&data, buffer->clock);
		if (w->options.version == 7 && !buffer->is_text)
			put_cpu_table(w, buffer, &data);
		put_option(w, t, option_of(buffer), data.data, data.len);
	}
	text_fini(&data);
}

/* CPUs in the file's tables: the most of any buffer, at least 1. */
static uint32_t nr_cpus_of(const struct trace_writer *w)
{
	uint32_t nr = w->cpu_count;

	for (int i = 0; i < w->nr_buffers; i++)
		if (!w->buffers[i].is_text && w->buffers[i].nr_cpus > nr)
			nr = w->buffers[i].nr_cpus;
	return nr ? nr : 1;
}

static void out_header(struct trace_writer *w)
{
	out_bytes(&w->out, TRACE_MAGIC, TRACE_MAGIC_LEN);
	out_string(&w->out, w->options.version == 6 ? "6" : "7");
	out_bytes(&w->out, w->options.big_endian ? "\1" : "\0", 1);
	out_bytes(&w->out, w->options.long_size == 8 ? "\10" : "\4", 1);
	out_u32(&w->out, w->options.page_size);
}

static void out_section_header(struct trace_writer *w, uint16_t id, bool packed,
			       uint32_t description, uint64_t size)
{
	out_u16(&w->out, id);
	out_u16(&w->out, packed ? TRACE_SECTION_COMPRESSED : 0);
	out_u32(&w->out, description);
	out_u64(&w->out, size);
}

const char *trace_writer_codec(void)
{
	return packer_codec(packer_version(TRACE_ZSTD) ? TRACE_ZSTD : TRACE_PLAIN);
}

int trace_writer_pack(const struct text *from, struct text *to, struct ft_error *err)
{
	struct packer packer = { .compression = TRACE_ZSTD };
	const struct out native = { .fd = -1 };
	int ret = packer_run(&packer, &native, to, text_str(from), from->len, err);

	packer_fini(&packer);
	return ret;
}

/* --- version 6: a fixed sequence ------------------------------------------------------------ */

/* Where our own section begins, and its bytes from there on: what is cut off is then told. */
static void put_own_place(const struct trace_writer *w, struct text *t, uint64_t at, uint64_t bytes)
{
	out_put_u16(&w->out, t, TRACE_SECTION_PRIVATE);
	out_put_u32(&w->out, t, sizeof(at) + sizeof(bytes));
	out_put_u64(&w->out, t, at);
	out_put_u64(&w->out, t, bytes);
}

/* An option says where the end of the file is: our section, or the text of a latency tracer. */
static void put_end_place(struct trace_writer *w, struct text *t)
{
	uint64_t text = w->buffers[0].is_text ? w->buffers[0].streams[0].kept.len : 0;
	uint64_t own = w->texts[TRACE_TEXT_PRIVATE].len;

	if (!text && !own)
		return;
	w->own_place = w->out.pos + t->len + OPTION_HEADER_BYTES;
	put_own_place(w, t, 0,
		      text ? text : TRACE_SECTION_HEADER_BYTES + own + sizeof(w->own_place));
}

static void out_options_v6(struct trace_writer *w)
{
	struct text t = { 0 };

	out_bytes(&w->out, "options  ", 10);
	put_options(w, &t);
	put_end_place(w, &t);
	put_buffer_options(w, &t, w->out.pos, 1);
	out_put_u16(&w->out, &t, TRACE_OPTION_DONE);	/* it has no size in this version */
	out_text(&w->out, &t);
	text_fini(&t);
}

/*
 * Write a buffer: tag, table of all CPUs, clock, data.  The table holds the sizes, so a truncated
 * file is recognised.
 */
static int out_buffer_v6(struct trace_writer *w, int number, uint32_t nr_cpus, struct ft_error *err)
{
	struct buffer *buffer = &w->buffers[number];
	uint64_t table;

	if (number)
		out_patch_u64(&w->out, buffer->option, w->out.pos);
	out_bytes(&w->out, "flyrecord", 10);
	table = w->out.pos;
	for (uint32_t i = 0; i < 2 * nr_cpus; i++)
		out_u64(&w->out, 0);
	if (w->has_clock) {
		out_u64(&w->out, strlen(buffer->clock) + 2);
		out_bytes(&w->out, "[", 1);
		out_bytes(&w->out, buffer->clock, strlen(buffer->clock));
		out_bytes(&w->out, "]", 1);
	}
	/* the table names an offset even for trailing CPUs without data */
	stream_of(buffer, nr_cpus - 1);
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		if (out_stream(w, number, (int)cpu, err))
			return -1;
		out_patch_u64(&w->out, table + 16ull * cpu, buffer->streams[cpu].offset);
		out_patch_u64(&w->out, table + 16ull * cpu + 8, buffer->streams[cpu].size);
	}
	out_align(&w->out, align_of(buffer));
	return 0;
}

/*
 * Written after everything that readers of this version look at; its last 8 bytes are the offset
 * where it begins.
 */
static void out_private_v6(struct trace_writer *w)
{
	uint64_t at = w->out.pos;

	if (!w->texts[TRACE_TEXT_PRIVATE].len)
		return;
	out_patch_u64(&w->out, w->own_place, at);
	out_section_header(w, TRACE_SECTION_PRIVATE, false, NO_DESCRIPTION,
			   w->texts[TRACE_TEXT_PRIVATE].len + 8);
	out_text(&w->out, &w->texts[TRACE_TEXT_PRIVATE]);
	out_u64(&w->out, at);
}

static int write_v6(struct trace_writer *w, struct ft_error *err)
{
	uint32_t nr_cpus = nr_cpus_of(w);
	struct text payload = { 0 };

	/* with this option readers would take the first bytes of the text for the clock */
	if (w->buffers[0].is_text)
		w->has_clock = false;
	for (int i = 0; i < w->nr_buffers; i++)
		if (w->buffers[i].is_text && w->nr_buffers > 1)
			return ft_error_set(
				err, FT_E_UNSUPPORTED, -1,
				"a file of version 6 holds latency text or buffers, not both");
		else if (w->buffers[i].nr_cpus && w->buffers[i].page_size != w->options.page_size)
			return ft_error_set(
				err, FT_E_UNSUPPORTED, -1,
				"a file of version 6 cannot hold sub-buffers of several sizes");
	out_header(w);
	for (size_t i = 0; i < NR_SECTIONS; i++) {
		if (sections[i].is_v7)
			continue;
		put_section(w, &payload, i);
		out_text(&w->out, &payload);
	}
	text_fini(&payload);
	out_u32(&w->out, nr_cpus);
	out_options_v6(w);
	if (w->buffers[0].is_text) {
		out_bytes(&w->out, "latency  ", 10);
		if (w->own_place)
			out_patch_u64(&w->out, w->own_place, w->out.pos);
		return out_stream(w, 0, 0, err);
	}
	for (int i = 0; i < w->nr_buffers; i++)
		if (out_buffer_v6(w, i, nr_cpus, err))
			return -1;
	out_private_v6(w);
	return 0;
}

/* --- version 7: sections, and options with their offsets ------------------------------------- */

static uint32_t add_description(struct trace_writer *w, const char *what, const char *name)
{
	uint32_t at = (uint32_t)w->strings.len;

	text_printf(&w->strings, "%s%s%s", what, *name ? " " : "", name);
	text_bytes(&w->strings, "", 1);
	return at;
}

static void put_offset(const struct trace_writer *w, struct text *t, uint16_t id, uint64_t offset)
{
	out_put_u16(&w->out, t, id);
	out_put_u32(&w->out, t, sizeof(offset));
	out_put_u64(&w->out, t, offset);
}

/* Write the metadata, packed if the file is.  @options: receives the offsets of the sections. */
static int out_metadata_v7(struct trace_writer *w, struct text *options, struct ft_error *err)
{
	struct text payload = { 0 };
	int ret = 0;

	for (size_t i = 0; i < NR_SECTIONS && !ret; i++) {
		const struct text *bytes = &payload;
		uint64_t at = w->out.pos;

		put_section(w, &payload, i);
		if (!payload.len)
			continue;
		if (sections[i].id != TRACE_SECTION_PRIVATE)
			put_offset(w, options, sections[i].id, at);
		if (w->team) {
			ret = pack_team_run(w->team, &w->out, payload.data, 1, payload.len, err);
			bytes = pack_team_result(w->team, 0);
		}
		out_section_header(w, sections[i].id, w->team,
				   add_description(w, sections[i].description, ""), bytes->len);
		out_text(&w->out, bytes);
		if (sections[i].id == TRACE_SECTION_PRIVATE)
			put_own_place(w, options, at, w->out.pos - at);
	}
	text_fini(&payload);
	return ret;
}

/* Write an options section.  Its last 8 bytes, of DONE, are for the next one's offset. */
static void out_options_v7(struct trace_writer *w, struct text *t)
{
	put_offset(w, t, TRACE_OPTION_DONE, 0);
	out_section_header(w, TRACE_OPTION_DONE, false, add_description(w, "options", ""), t->len);
	out_text(&w->out, t);
}

/* Write the buffers with sub-buffers, or those with text. */
static int out_buffers_v7(struct trace_writer *w, bool text, struct ft_error *err)
{
	for (int i = 0; i < w->nr_buffers; i++) {
		struct buffer *buffer = &w->buffers[i];

		if (buffer->is_text != text)
			continue;
		buffer->section = w->out.pos;
		out_section_header(w, option_of(buffer), w->team, buffer->description, 0);
		for (unsigned int cpu = 0; cpu < buffer->nr_cpus; cpu++)
			if (out_stream(w, i, (int)cpu, err))
				return -1;
		out_patch_u64(&w->out, buffer->section + 8,
			      w->out.pos - buffer->section - TRACE_SECTION_HEADER_BYTES);
	}
	return 0;
}

static int write_v7(struct trace_writer *w, struct ft_error *err)
{
	uint64_t header_patch, first, done_patch, next;
	struct text options = { 0 };
	int ret;

	out_header(w);
	out_string(&w->out, packer_codec(w->options.compression));
	out_string(&w->out, packer_version(w->options.compression));
	header_patch = w->out.pos;
	out_u64(&w->out, 0);				/* means unfinished, until it is patched */
	ret = out_metadata_v7(w, &options, err);
	first = w->out.pos;
	put_options(w, &options);
	out_put_u16(&w->out, &options, TRACE_OPTION_CPUCOUNT);
	out_put_u32(&w->out, &options, sizeof(uint32_t));
	out_put_u32(&w->out, &options, nr_cpus_of(w));
	out_options_v7(w, &options);
	text_fini(&options);
	done_patch = w->out.pos - 8;
	for (int i = 0; i < w->nr_buffers; i++)
		w->buffers[i].description = add_description(w,
							    w->buffers[i].is_text ?
								    "buffer latency" :
								    "buffer flyrecord",
							    w->buffers[i].name);
	if (ret || out_buffers_v7(w, false, err))
		return -1;
	next = w->out.pos;
	put_buffer_options(w, &options, w->out.pos + TRACE_SECTION_HEADER_BYTES, 0);
	out_options_v7(w, &options);
	text_fini(&options);
	add_description(w, "strings", "");
	out_section_header(w, TRACE_OPTION_STRINGS, false, NO_DESCRIPTION, w->strings.len);
	out_text(&w->out, &w->strings);
	/* trace-cmd reads a text to the end of the file, so it must come last */
	if (out_buffers_v7(w, true, err))
		return -1;
	for (int i = 0; i < w->nr_buffers; i++)
		out_patch_u64(&w->out, w->buffers[i].option, w->buffers[i].section);
	out_patch_u64(&w->out, done_patch, next);
	out_patch_u64(&w->out, header_patch, first);
	return 0;
}

/* --- the end ------------------------------------------------------------------------------- */

static void buffer_fini(struct buffer *buffer)
{
	for (unsigned int cpu = 0; cpu < buffer->nr_cpus; cpu++)
		text_fini(&buffer->streams[cpu].kept);
	free(buffer->streams);
	free(buffer->name);
	free(buffer->clock);
}

void trace_writer_abort(struct trace_writer *w)
{
	if (!w)
		return;
	for (int i = 0; i < TRACE_NR_TEXTS; i++)
		text_fini(&w->texts[i]);
	text_fini(&w->clock);
	text_fini(&w->other_options);
	text_fini(&w->strings);
	text_fini(&w->unpacked);
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
	if (w->out.fd >= 0)
		close(w->out.fd);
	free(w->path);
	free(w);
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
	for (int kind = 0; kind < TRACE_NR_TEXTS; kind++)
		if (w->texts[kind].len > TRACE_MAX_BLOB)
			return ft_error_set(err, FT_E_LIMIT, -1, "%s of %zu bytes is above %u",
					    source_text_name(kind), w->texts[kind].len,
					    TRACE_MAX_BLOB);
	if (!w->nr_buffers)
		trace_writer_buffer(w, "", NULL, 0);
	for (int i = 0; i < w->nr_buffers; i++) {
		struct buffer *b = &w->buffers[i];

		if (b->page_size < TRACE_MIN_PAGE_SIZE || b->page_size > TRACE_MAX_PAGE_SIZE)
			return ft_error_set(err, FT_E_LIMIT, -1,
					    "page size %u of buffer \"%s\" is outside %u..%u",
					    b->page_size, b->name, TRACE_MIN_PAGE_SIZE,
					    TRACE_MAX_PAGE_SIZE);
		if (!b->clock)
			b->clock = chosen_clock(w);
	}
	if (w->options.version == 6 ? write_v6(w, err) : write_v7(w, err))
		return -1;
	if (w->options.fd)
		out_flush(&w->out);
	else
		out_sync(&w->out);
	return check_out(w, err);
}

int trace_writer_finish(struct trace_writer *w, struct ft_error *err)
{
	int ret = write_all(w, err);

	if (!ret) {
		if (close(w->out.fd))
			ret = ft_error_errno(err, errno, -1, "%s: cannot write", w->path);
		w->out.fd = -1;
	}
	trace_writer_abort(w);
	return ret;
}
