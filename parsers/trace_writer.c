/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/trace_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parsers/byte_reader.h"
#include "parsers/out.h"
#include "parsers/pack_team.h"
#include "parsers/packer.h"
#include "parsers/spool.h"
#include "src/memory.h"
#include "src/text.h"

#define MIN_ALIGN	4096u		/* of CPU data: trace-cmd maps it */
#define DEFAULT_CHUNK_PAGES 10u		/* trace-cmd's */
#define NO_DESCRIPTION	UINT32_MAX

struct writer_stream {			/* one CPU of one buffer */
	struct spool_stream	 stored;	/* sub-buffers, or chunks without their count */
	struct text		 chunk;		/* sub-buffers that will become the next compressed chunk */
	uint32_t		 nr_chunks;
};

struct writer_buffer {
	char			*name;
	char			*clock;		/* "local" */
	uint32_t		 page_size;
	bool			 is_text;
	struct writer_stream	**streams;	/* [nr_cpus], NULL for a CPU without data; latency text is in [0] */
	int			 nr_cpus, cap_cpus;
	uint64_t		 section;	/* offset of its section (v7) */
	uint64_t		 option;	/* where the option's offset is to be patched (v6) */
	struct text		 table;		/* of its CPUs, as the BUFFER option has it (v7) */
	uint32_t		 nr_listed;
};

struct writer_option {
	uint16_t	 id;
	struct text	 data;
};

struct writer_format {
	unsigned int	 system;
	struct text	 text;
};

struct trace_writer {
	struct trace_writer_options options;
	char			*path;
	struct out		 out;
	struct ft_error		 failure;	/* of a call that cannot return one */
	struct text		 header_page, header_event, kallsyms, printk, cmdlines, private, clock;
	bool			 has_clock;
	uint32_t		 cpu_count;	/* as told; 0 = not told */
	char			**systems;	/* [0] is "ftrace" */
	size_t			 nr_systems, cap_systems;
	struct writer_format	*formats;
	size_t			 nr_formats, cap_formats;
	struct writer_option	*extra;		/* options given, in that order */
	size_t			 nr_extra, cap_extra;
	struct writer_buffer	*buffers;
	int			 nr_buffers, cap_buffers;
	struct spool		 spool;
	struct packer		 packer;
	struct pack_team	*team;		/* NULL: nobody helps */
	struct text		 strings;	/* descriptions of sections */
};

/* --- streams ------------------------------------------------------------------------ */

static int stream_end_chunk(struct trace_writer *w, struct writer_stream *stream, struct ft_error *err)
{
	struct text packed = { 0 };
	int ret;

	if (!stream->chunk.len)
		return 0;
	ret = packer_run(&w->packer, &w->out, &packed, stream->chunk.data, stream->chunk.len, err);
	if (!ret)
		ret = spool_append(&w->spool, &stream->stored, packed.data, packed.len, err);
	text_fini(&packed);
	text_clear(&stream->chunk);
	stream->nr_chunks++;
	return ret;
}

static int stream_append_chunks(struct trace_writer *w, struct writer_stream *stream, const char *data, size_t nr, size_t chunk,
				struct ft_error *err)
{
	if (pack_team_run(w->team, &w->out, data, nr, chunk, err))
		return -1;
	for (size_t i = 0; i < nr; i++) {
		const struct text *packed = pack_team_result(w->team, i);

		if (spool_append(&w->spool, &stream->stored, packed->data, packed->len, err))
			return -1;
		stream->nr_chunks++;
	}
	return 0;
}

/* Append bytes as they are, or cut into chunks of CHUNK bytes and packed. */
static int stream_append(struct trace_writer *w, struct writer_stream *stream, const char *data, uint64_t len,
			 size_t chunk, struct ft_error *err)
{
	if (w->options.compression == TRACE_PLAIN)
		return spool_append(&w->spool, &stream->stored, data, (size_t)len, err);
	while (len) {
		size_t room = chunk - stream->chunk.len;
		size_t n = len < room ? (size_t)len : room;

		if (w->team && !stream->chunk.len && len >= 2 * chunk) {
			n = (size_t)len / chunk;
			if (stream_append_chunks(w, stream, data, n, chunk, err))
				return -1;
			data += n * chunk;
			len -= n * chunk;
			continue;
		}
		text_bytes(&stream->chunk, data, n);
		data += n;
		len -= n;
		if (stream->chunk.len == chunk && stream_end_chunk(w, stream, err))
			return -1;
	}
	return 0;
}

static struct writer_stream *buffer_stream(struct writer_buffer *buffer, int cpu)
{
	while (buffer->nr_cpus <= cpu) {
		mem_grow(&buffer->streams, buffer->nr_cpus, &buffer->cap_cpus);
		buffer->streams[buffer->nr_cpus++] = NULL;
	}
	if (!buffer->streams[cpu])
		buffer->streams[cpu] = mem_alloc(sizeof(*buffer->streams[cpu]));
	return buffer->streams[cpu];
}

/* Bytes that the stream takes in the file. */
static uint64_t stream_file_size(const struct trace_writer *w, const struct writer_stream *stream)
{
	if (!stream || !stream->stored.bytes)
		return 0;
	return stream->stored.bytes + (w->options.compression == TRACE_PLAIN ? 0 : 4);
}

static int out_stream(struct trace_writer *w, const struct writer_stream *stream, struct ft_error *err)
{
	if (w->options.compression != TRACE_PLAIN)
		out_u32(&w->out, stream->nr_chunks);
	return spool_copy(&w->spool, &stream->stored, &w->out, err);
}

/* --- what is given --------------------------------------------------------------- */

static int check_options(const struct trace_writer_options *o, struct ft_error *err)
{
	if (o->version != 6 && o->version != 7)
		return ft_error_set(err, FT_E_LIMIT, -1, "file version %d is not 6 or 7", o->version);
	if (o->long_size != 4 && o->long_size != 8)
		return ft_error_set(err, FT_E_LIMIT, -1, "size of long %d is not 4 or 8", o->long_size);
	if (o->page_size < TRACE_MIN_PAGE_SIZE || o->page_size > TRACE_MAX_PAGE_SIZE)
		return ft_error_set(err, FT_E_LIMIT, -1, "page size %u is outside %u..%u", o->page_size,
				    TRACE_MIN_PAGE_SIZE, TRACE_MAX_PAGE_SIZE);
	if (o->compression != TRACE_PLAIN && o->version == 6)
		return ft_error_set(err, FT_E_UNSUPPORTED, -1, "files of version 6 cannot be compressed");
	if (!packer_codec(o->compression))
		return ft_error_set(err, FT_E_LIMIT, -1, "unknown compression %d", (int)o->compression);
	if (!packer_version(o->compression))
		return ft_error_set(err, FT_E_UNSUPPORTED, -1, "this program is built without %s",
				    packer_codec(o->compression));
	if ((uint64_t)o->chunk_pages * o->page_size > TRACE_MAX_CHUNK)
		return ft_error_set(err, FT_E_LIMIT, -1, "a chunk of %u sub-buffers of %u bytes is above %u bytes",
				    o->chunk_pages, o->page_size, TRACE_MAX_CHUNK);
	return 0;
}

struct trace_writer *trace_writer_new(const char *path, const struct trace_writer_options *options, struct ft_error *err)
{
	struct trace_writer *w;
	int fd;

	if (check_options(options, err))
		return NULL;
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
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
	w->packer.compression = options->compression;
	if (options->workers && options->compression != TRACE_PLAIN)
		w->team = pack_team_new(options->compression, options->workers);
	if (!w->options.chunk_pages)
		w->options.chunk_pages = DEFAULT_CHUNK_PAGES;
	mem_grow(&w->systems, w->nr_systems, &w->cap_systems);
	w->systems[w->nr_systems++] = mem_strdup("ftrace");
	return w;
}

static void set_blob(struct trace_writer *w, struct text *blob, const char *what, const void *text, uint64_t size)
{
	text_clear(blob);
	if (size > TRACE_MAX_BLOB) {
		if (!w->failure.code)
			ft_error_set(&w->failure, FT_E_LIMIT, -1, "%s of %" PRIu64 " bytes is above %u", what, size,
				     TRACE_MAX_BLOB);
		return;
	}
	text_bytes(blob, text, (size_t)size);
}

void trace_writer_header_page(struct trace_writer *w, const void *text, uint64_t size)
{
	set_blob(w, &w->header_page, "header_page", text, size);
}

void trace_writer_header_event(struct trace_writer *w, const void *text, uint64_t size)
{
	set_blob(w, &w->header_event, "header_event", text, size);
}

void trace_writer_kallsyms(struct trace_writer *w, const void *text, uint64_t size)
{
	set_blob(w, &w->kallsyms, "kallsyms", text, size);
}

void trace_writer_printk(struct trace_writer *w, const void *text, uint64_t size)
{
	set_blob(w, &w->printk, "printk_formats", text, size);
}

void trace_writer_cmdlines(struct trace_writer *w, const void *text, uint64_t size)
{
	set_blob(w, &w->cmdlines, "saved_cmdlines", text, size);
}

void trace_writer_private(struct trace_writer *w, const void *text, uint64_t size)
{
	set_blob(w, &w->private, "private data", text, size);
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

void trace_writer_format(struct trace_writer *w, const char *system, const void *text, uint64_t size)
{
	struct writer_format *format;
	size_t i = 0;

	while (i < w->nr_systems && strcmp(w->systems[i], system))
		i++;
	if (i == w->nr_systems) {
		mem_grow(&w->systems, w->nr_systems, &w->cap_systems);
		w->systems[w->nr_systems++] = mem_strdup(system);
	}
	mem_grow(&w->formats, w->nr_formats, &w->cap_formats);
	format = &w->formats[w->nr_formats++];
	*format = (struct writer_format){ .system = (unsigned int)i };
	set_blob(w, &format->text, "an event format", text, size);
}

void trace_writer_option(struct trace_writer *w, uint16_t id, const void *data, uint32_t size)
{
	struct writer_option *option;

	mem_grow(&w->extra, w->nr_extra, &w->cap_extra);
	option = &w->extra[w->nr_extra++];
	*option = (struct writer_option){ .id = id };
	set_blob(w, &option->data, "an option", data, size);
}

int trace_writer_buffer(struct trace_writer *w, const char *name, const char *clock, uint32_t page_size)
{
	struct writer_buffer *buffer;

	/* readers seek to the top buffer first: without one they would read offset 0 */
	if (!w->nr_buffers && name[0])
		trace_writer_buffer(w, "", clock, 0);
	mem_grow(&w->buffers, w->nr_buffers, &w->cap_buffers);
	buffer = &w->buffers[w->nr_buffers];
	*buffer = (struct writer_buffer){
		.name = mem_strdup(name),
		.clock = clock ? mem_strdup(clock) : NULL,
		.page_size = page_size ? page_size : w->options.page_size,
	};
	if (!w->failure.code && (buffer->page_size < TRACE_MIN_PAGE_SIZE || buffer->page_size > TRACE_MAX_PAGE_SIZE ||
				 (uint64_t)buffer->page_size * w->options.chunk_pages > TRACE_MAX_CHUNK))
		ft_error_set(&w->failure, FT_E_LIMIT, -1, "page size %u of buffer \"%s\" is outside %u..%u",
			     buffer->page_size, name, TRACE_MIN_PAGE_SIZE, TRACE_MAX_PAGE_SIZE);
	return w->nr_buffers++;
}

static struct writer_buffer *find_buffer(struct trace_writer *w, int buffer, struct ft_error *err)
{
	if (w->failure.code) {
		if (err)
			*err = w->failure;
		return NULL;
	}
	if (buffer < 0 || buffer >= w->nr_buffers) {
		ft_error_set(err, FT_E_LIMIT, -1, "there is no buffer %d", buffer);
		return NULL;
	}
	return &w->buffers[buffer];
}

int trace_writer_pages(struct trace_writer *w, int buffer, int cpu, const void *pages, uint64_t bytes,
		       struct ft_error *err)
{
	struct writer_buffer *b = find_buffer(w, buffer, err);

	if (!b)
		return -1;
	if (b->is_text)
		return ft_error_set(err, FT_E_LIMIT, -1, "buffer \"%s\" holds latency text", b->name);
	if (cpu < 0 || (uint32_t)cpu >= TRACE_MAX_CPUS)
		return ft_error_set(err, FT_E_LIMIT, -1, "CPU %d is outside 0..%u", cpu, TRACE_MAX_CPUS - 1);
	if (bytes % b->page_size)
		return ft_error_set(err, FT_E_LIMIT, -1, "%" PRIu64 " bytes are not whole sub-buffers of %u", bytes,
				    b->page_size);
	return stream_append(w, buffer_stream(b, cpu), pages, bytes,
			     (size_t)b->page_size * w->options.chunk_pages, err);
}

int trace_writer_latency_text(struct trace_writer *w, int buffer, const void *text, uint64_t size, struct ft_error *err)
{
	struct writer_buffer *b = find_buffer(w, buffer, err);

	if (!b)
		return -1;
	if (b->nr_cpus && !b->is_text)
		return ft_error_set(err, FT_E_LIMIT, -1, "buffer \"%s\" holds sub-buffers", b->name);
	b->is_text = true;
	return stream_append(w, buffer_stream(b, 0), text, size, (size_t)b->page_size * w->options.chunk_pages, err);
}

/* --- payloads that are the same in both versions -------------------------------------- */

static void put_headers(const struct trace_writer *w, struct text *t)
{
	out_put_string(t, "header_page");
	out_put_u64(&w->out, t, w->header_page.len);
	text_bytes(t, text_str(&w->header_page), w->header_page.len);
	out_put_string(t, "header_event");
	out_put_u64(&w->out, t, w->header_event.len);
	text_bytes(t, text_str(&w->header_event), w->header_event.len);
}

static void put_system_formats(const struct trace_writer *w, struct text *t, size_t system)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < w->nr_formats; i++)
		nr += w->formats[i].system == system;
	out_put_u32(&w->out, t, nr);
	for (size_t i = 0; i < w->nr_formats; i++) {
		const struct writer_format *format = &w->formats[i];

		if (format->system != system)
			continue;
		out_put_u64(&w->out, t, format->text.len);
		text_bytes(t, text_str(&format->text), format->text.len);
	}
}

static void put_ftrace_formats(const struct trace_writer *w, struct text *t)
{
	put_system_formats(w, t, 0);
}

static void put_event_formats(const struct trace_writer *w, struct text *t)
{
	out_put_u32(&w->out, t, (uint32_t)w->nr_systems - 1);
	for (size_t i = 1; i < w->nr_systems; i++) {
		out_put_string(t, w->systems[i]);
		put_system_formats(w, t, i);
	}
}

static void put_kallsyms(const struct trace_writer *w, struct text *t)
{
	out_put_u32(&w->out, t, (uint32_t)w->kallsyms.len);
	text_bytes(t, text_str(&w->kallsyms), w->kallsyms.len);
}

static void put_printk(const struct trace_writer *w, struct text *t)
{
	out_put_u32(&w->out, t, (uint32_t)w->printk.len);
	text_bytes(t, text_str(&w->printk), w->printk.len);
}

static void put_cmdlines(const struct trace_writer *w, struct text *t)
{
	out_put_u64(&w->out, t, w->cmdlines.len);
	text_bytes(t, text_str(&w->cmdlines), w->cmdlines.len);
}

/* The metadata, in the order of version 6; the ids are those of version 7's sections. */
static const struct {
	uint16_t	 id;
	const char	*description;
	void		(*put)(const struct trace_writer *w, struct text *t);
} metadata[] = {
	{ TRACE_OPTION_HEADER_INFO,	"headers",		put_headers },
	{ TRACE_OPTION_FTRACE_EVENTS,	"ftrace events",	put_ftrace_formats },
	{ TRACE_OPTION_EVENT_FORMATS,	"events format",	put_event_formats },
	{ TRACE_OPTION_KALLSYMS,	"kallsyms",		put_kallsyms },
	{ TRACE_OPTION_PRINTK,		"printk",		put_printk },
	{ TRACE_OPTION_CMDLINES,	"command lines",	put_cmdlines },
};
#define NR_METADATA (sizeof(metadata) / sizeof(metadata[0]))

static uint32_t nr_cpus_of_file(const struct trace_writer *w)
{
	uint32_t nr = w->cpu_count;

	for (int i = 0; i < w->nr_buffers; i++)
		if (!w->buffers[i].is_text && (uint32_t)w->buffers[i].nr_cpus > nr)
			nr = (uint32_t)w->buffers[i].nr_cpus;
	return nr ? nr : 1;
}

static uint64_t buffer_align(const struct writer_buffer *buffer)
{
	return buffer->page_size > MIN_ALIGN ? buffer->page_size : MIN_ALIGN;
}

/* A buffer's clock where none was named: the one in brackets, as trace_clock marks it. */
static char *chosen_clock(const struct trace_writer *w)
{
	const char *open = strchr(text_str(&w->clock), '[');
	const char *close = open ? strchr(open, ']') : NULL;

	return close ? mem_strndup(open + 1, (size_t)(close - open - 1)) : mem_strdup("local");
}

static void out_header(struct trace_writer *w)
{
	out_bytes(&w->out, TRACE_MAGIC, TRACE_MAGIC_LEN);
	out_string(&w->out, w->options.version == 6 ? "6" : "7");
	out_bytes(&w->out, w->options.big_endian ? "\1" : "\0", 1);
	out_bytes(&w->out, w->options.long_size == 8 ? "\10" : "\4", 1);
	out_u32(&w->out, w->options.page_size);
}

static void out_option(struct trace_writer *w, uint16_t id, const void *data, uint32_t size)
{
	out_u16(&w->out, id);
	out_u32(&w->out, size);
	out_bytes(&w->out, data, size);
}

/* Returns the offset of the section. */
static uint64_t out_section_header(struct trace_writer *w, uint16_t id, bool packed, uint32_t description, uint64_t size)
{
	uint64_t at = w->out.pos;

	out_u16(&w->out, id);
	out_u16(&w->out, packed ? TRACE_SECTION_COMPRESSED : 0);
	out_u32(&w->out, description);
	out_u64(&w->out, size);
	return at;
}

/* --- version 6 -------------------------------------------------------------------------- */

static void out_options_v6(struct trace_writer *w)
{
	struct text data = { 0 };

	out_bytes(&w->out, "options  ", 10);
	if (w->has_clock)
		out_option(w, TRACE_OPTION_TRACECLOCK, text_str(&w->clock), (uint32_t)w->clock.len + 1);
	for (size_t i = 0; i < w->nr_extra; i++)
		out_option(w, w->extra[i].id, text_str(&w->extra[i].data), (uint32_t)w->extra[i].data.len);
	for (int i = 1; i < w->nr_buffers; i++) {
		text_clear(&data);
		out_put_u64(&w->out, &data, 0);		/* "never finished", until it is patched */
		out_put_string(&data, w->buffers[i].name);
		out_option(w, TRACE_OPTION_BUFFER, data.data, (uint32_t)data.len);
		w->buffers[i].option = w->out.pos - data.len;
	}
	text_fini(&data);
	out_u16(&w->out, TRACE_OPTION_DONE);		/* without a size in this version */
}

/* Tag, table of all CPUs, clock, data.  The sizes are known, so a file that is cut short tells so itself. */
static int out_buffer_v6(struct trace_writer *w, struct writer_buffer *buffer, uint32_t nr_cpus, struct ft_error *err)
{
	uint64_t align = buffer_align(buffer);
	uint64_t pos;

	if (buffer->option)
		out_patch_u64(&w->out, buffer->option, w->out.pos);
	out_bytes(&w->out, "flyrecord", 10);
	pos = w->out.pos + 16ull * nr_cpus + (w->has_clock ? 8 + strlen(buffer->clock) + 2 : 0);
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t size = cpu < (uint32_t)buffer->nr_cpus ? stream_file_size(w, buffer->streams[cpu]) : 0;

		pos += (align - pos % align) % align;
		out_u64(&w->out, pos);
		out_u64(&w->out, size);
		pos += size;
	}
	if (w->has_clock) {
		out_u64(&w->out, strlen(buffer->clock) + 2);
		out_bytes(&w->out, "[", 1);
		out_bytes(&w->out, buffer->clock, strlen(buffer->clock));
		out_bytes(&w->out, "]", 1);
	}
	for (int cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		if (!stream_file_size(w, buffer->streams[cpu]))
			continue;
		out_align(&w->out, align);
		if (out_stream(w, buffer->streams[cpu], err))
			return -1;
	}
	/* the table of the last CPUs may name this place even where they are empty */
	out_align(&w->out, align);
	return 0;
}

/* Behind all that readers of this version look at; its last 8 bytes say where it begins. */
static void out_private_v6(struct trace_writer *w)
{
	uint64_t at = w->out.pos;

	if (!w->private.len)
		return;
	out_section_header(w, TRACE_SECTION_PRIVATE, false, NO_DESCRIPTION, w->private.len + 8);
	out_text(&w->out, &w->private);
	out_u64(&w->out, at);
}

static int write_v6(struct trace_writer *w, struct ft_error *err)
{
	uint32_t nr_cpus = nr_cpus_of_file(w);
	struct text payload = { 0 };

	/* with that option readers expect the clock in place of the first bytes of the text */
	if (w->buffers[0].is_text)
		w->has_clock = false;
	for (int i = 0; i < w->nr_buffers; i++)
		if (w->buffers[i].is_text && w->nr_buffers > 1)
			return ft_error_set(err, FT_E_UNSUPPORTED, -1,
					    "a file of version 6 holds latency text or buffers, not both");
	out_header(w);
	for (size_t i = 0; i < NR_METADATA; i++) {
		text_clear(&payload);
		metadata[i].put(w, &payload);
		out_text(&w->out, &payload);
	}
	text_fini(&payload);
	out_u32(&w->out, nr_cpus);
	out_options_v6(w);
	if (w->buffers[0].is_text) {
		out_bytes(&w->out, "latency  ", 10);
		return out_stream(w, w->buffers[0].streams[0], err);
	}
	for (int i = 0; i < w->nr_buffers; i++)
		if (out_buffer_v6(w, &w->buffers[i], nr_cpus, err))
			return -1;
	out_private_v6(w);
	return 0;
}

/* --- version 7 -------------------------------------------------------------------------- */

static uint32_t describe(struct trace_writer *w, const char *what, const char *name)
{
	uint32_t at = (uint32_t)w->strings.len;

	text_add(&w->strings, what);
	if (name[0]) {
		text_char(&w->strings, ' ');
		text_add(&w->strings, name);
	}
	text_bytes(&w->strings, "", 1);
	return at;
}

/* A whole section, packed where the file is. */
static int out_section(struct trace_writer *w, uint16_t id, const char *description, const struct text *payload,
		       uint64_t *offset, struct ft_error *err)
{
	bool packed = w->options.compression != TRACE_PLAIN;
	struct text small = { 0 };
	int ret = 0;

	if (packed)
		ret = packer_run(&w->packer, &w->out, &small, payload->data, payload->len, err);
	*offset = out_section_header(w, id, packed, describe(w, description, ""), packed ? small.len : payload->len);
	out_text(&w->out, packed ? &small : payload);
	text_fini(&small);
	return ret;
}

static int out_metadata_v7(struct trace_writer *w, uint64_t *offsets, struct ft_error *err)
{
	struct text payload = { 0 };
	uint64_t untold;
	int ret = 0;

	for (size_t i = 0; i < NR_METADATA && !ret; i++) {
		text_clear(&payload);
		metadata[i].put(w, &payload);
		ret = out_section(w, metadata[i].id, metadata[i].description, &payload, &offsets[i], err);
	}
	if (!ret && w->private.len)
		ret = out_section(w, TRACE_SECTION_PRIVATE, "private", &w->private, &untold, err);
	text_fini(&payload);
	return ret;
}

/* DONE of both options sections: its data is the last 8 bytes. */
static void put_done(struct trace_writer *w, struct text *t)
{
	out_put_u16(&w->out, t, TRACE_OPTION_DONE);
	out_put_u32(&w->out, t, 8);
	out_put_u64(&w->out, t, 0);
}

static void put_option(struct trace_writer *w, struct text *t, uint16_t id, const struct text *data)
{
	out_put_u16(&w->out, t, id);
	out_put_u32(&w->out, t, (uint32_t)data->len);
	text_bytes(t, text_str(data), data->len);
}

/* Returns where the offset of the next options section is to be put. */
static uint64_t out_options_v7(struct trace_writer *w, const uint64_t *offsets)
{
	struct text t = { 0 }, data = { 0 };

	for (size_t i = 0; i < NR_METADATA; i++) {
		text_clear(&data);
		out_put_u64(&w->out, &data, offsets[i]);
		put_option(w, &t, metadata[i].id, &data);
	}
	if (w->has_clock) {
		text_clear(&data);
		out_put_string(&data, text_str(&w->clock));
		put_option(w, &t, TRACE_OPTION_TRACECLOCK, &data);
	}
	for (size_t i = 0; i < w->nr_extra; i++)
		put_option(w, &t, w->extra[i].id, &w->extra[i].data);
	text_clear(&data);
	out_put_u32(&w->out, &data, nr_cpus_of_file(w));
	put_option(w, &t, TRACE_OPTION_CPUCOUNT, &data);
	put_done(w, &t);
	out_section_header(w, TRACE_OPTION_DONE, false, describe(w, "options", ""), t.len);
	out_text(&w->out, &t);
	text_fini(&t);
	text_fini(&data);
	return w->out.pos - 8;
}

static int out_buffer_v7(struct trace_writer *w, struct writer_buffer *buffer, struct ft_error *err)
{
	uint16_t id = buffer->is_text ? TRACE_OPTION_BUFFER_TEXT : TRACE_OPTION_BUFFER;
	const char *what = buffer->is_text ? "buffer latency" : "buffer flyrecord";

	buffer->section = out_section_header(w, id, w->options.compression != TRACE_PLAIN,
					     describe(w, what, buffer->name), 0);
	for (int cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		uint64_t size = stream_file_size(w, buffer->streams[cpu]);

		if (!size)
			continue;
		if (!buffer->is_text) {
			out_align(&w->out, buffer_align(buffer));
			out_put_u32(&w->out, &buffer->table, (uint32_t)cpu);
			out_put_u64(&w->out, &buffer->table, w->out.pos);
			out_put_u64(&w->out, &buffer->table, size);
			buffer->nr_listed++;
		}
		if (out_stream(w, buffer->streams[cpu], err))
			return -1;
	}
	out_patch_u64(&w->out, buffer->section + 8, w->out.pos - buffer->section - TRACE_SECTION_HEADER_BYTES);
	return 0;
}

static void out_buffer_options(struct trace_writer *w)
{
	struct text t = { 0 }, data = { 0 };

	for (int i = 0; i < w->nr_buffers; i++) {
		const struct writer_buffer *buffer = &w->buffers[i];

		text_clear(&data);
		out_put_u64(&w->out, &data, buffer->section);
		out_put_string(&data, buffer->name);
		out_put_string(&data, buffer->clock);
		if (!buffer->is_text) {
			out_put_u32(&w->out, &data, buffer->page_size);
			out_put_u32(&w->out, &data, buffer->nr_listed);
			text_bytes(&data, text_str(&buffer->table), buffer->table.len);
		}
		put_option(w, &t, buffer->is_text ? TRACE_OPTION_BUFFER_TEXT : TRACE_OPTION_BUFFER, &data);
	}
	put_done(w, &t);
	out_section_header(w, TRACE_OPTION_DONE, false, describe(w, "options", ""), t.len);
	out_text(&w->out, &t);
	text_fini(&t);
	text_fini(&data);
}

static int write_v7(struct trace_writer *w, struct ft_error *err)
{
	uint64_t offsets[NR_METADATA] = { 0 };
	uint64_t header_patch, options, done_patch, next;

	out_header(w);
	out_string(&w->out, packer_codec(w->options.compression));
	out_string(&w->out, packer_version(w->options.compression));
	header_patch = w->out.pos;
	out_u64(&w->out, 0);				/* "unfinished", until all is there */
	if (out_metadata_v7(w, offsets, err))
		return -1;
	options = w->out.pos;
	done_patch = out_options_v7(w, offsets);
	for (int i = 0; i < w->nr_buffers; i++)
		if (out_buffer_v7(w, &w->buffers[i], err))
			return -1;
	next = w->out.pos;
	out_buffer_options(w);
	describe(w, "strings", "");
	out_section_header(w, TRACE_OPTION_STRINGS, false, NO_DESCRIPTION, w->strings.len);
	out_text(&w->out, &w->strings);
	out_patch_u64(&w->out, done_patch, next);
	out_sync(&w->out);
	out_patch_u64(&w->out, header_patch, options);
	return 0;
}

/* --- the end ------------------------------------------------------------------------------ */

static void buffer_fini(struct writer_buffer *buffer)
{
	for (int cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		struct writer_stream *stream = buffer->streams[cpu];

		if (!stream)
			continue;
		spool_stream_fini(&stream->stored);
		text_fini(&stream->chunk);
		free(stream);
	}
	free(buffer->streams);
	free(buffer->name);
	free(buffer->clock);
	text_fini(&buffer->table);
}

static void writer_free(struct trace_writer *w)
{
	struct text *blobs[] = { &w->header_page, &w->header_event, &w->kallsyms, &w->printk,
				 &w->cmdlines, &w->private, &w->clock, &w->strings };

	for (size_t i = 0; i < sizeof(blobs) / sizeof(blobs[0]); i++)
		text_fini(blobs[i]);
	for (int i = 0; i < w->nr_buffers; i++)
		buffer_fini(&w->buffers[i]);
	for (size_t i = 0; i < w->nr_formats; i++)
		text_fini(&w->formats[i].text);
	for (size_t i = 0; i < w->nr_extra; i++)
		text_fini(&w->extra[i].data);
	for (size_t i = 0; i < w->nr_systems; i++)
		free(w->systems[i]);
	free(w->systems);
	free(w->formats);
	free(w->extra);
	free(w->buffers);
	out_fini(&w->out);
	packer_fini(&w->packer);
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
	/* a device or a pipe that was named is not ours to remove */
	if (!fstat(w->out.fd, &st) && S_ISREG(st.st_mode))
		unlink(w->path);
	writer_free(w);
}

static int write_all(struct trace_writer *w, struct ft_error *err)
{
	for (int i = 0; i < w->nr_buffers; i++) {
		struct writer_buffer *buffer = &w->buffers[i];

		if (!buffer->clock)
			buffer->clock = chosen_clock(w);
		for (int cpu = 0; cpu < buffer->nr_cpus; cpu++)
			if (buffer->streams[cpu] && stream_end_chunk(w, buffer->streams[cpu], err))
				return -1;
	}
	return w->options.version == 6 ? write_v6(w, err) : write_v7(w, err);
}

int trace_writer_finish(struct trace_writer *w, struct ft_error *err)
{
	int ret = 0;

	if (!w->nr_buffers)
		trace_writer_buffer(w, "", NULL, 0);
	if (w->failure.code) {
		if (err)
			*err = w->failure;
		ret = -1;
	} else {
		ret = write_all(w, err);
	}
	if (!ret)
		out_sync(&w->out);
	if (!ret && w->out.errnum)
		ret = ft_error_errno(err, w->out.errnum, (int64_t)w->out.err_pos, "cannot write");
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
