/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/lines/line_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/io/byte_reader.h"
#include "parsers/io/input.h"
#include "parsers/lines/line_file.h"
#include "parsers/lines/line_record.h"
#include "parsers/source/page_maker.h"
#include "parsers/source/source_form.h"
#include "src/base/memory.h"

#define STEP_BYTES	(4u << 20)	/* looked at before other work gets its turn */
#define MICROSECOND	1000u		/* ns: times with six digits */
#define LONG_TEXT	4u		/* times the bytes of the head: it is read first */

struct line_source {
	struct source		 base;
	struct line_file	*lines;		/* owned */
	struct line_file	*all_lines;	/* owned: all of the text, if `lines` is its
						 * head, or more of it has come */
	uint64_t		 all_size;	/* bytes of the text that these are made of */
	uint64_t		 looked;	/* bytes that these were made of so far */
	_Atomic uint64_t	 looked_at;	/* copy of `looked`, for any thread */
	uint64_t		 head;		/* bytes to look at first; 0 = all */
	const struct line_formats *formats;	/* borrowed: formats of its events; or NULL */
};

struct lines_reader {
	struct source_reader	 base;
	struct line_reader	*lines;	/* owned, made when needed */
};

static const struct source_ops line_ops;

static const struct line_source *const_lines(const struct source *source)
{
	return (const struct line_source *)source;
}

const struct line_file *line_source_file(const struct source *source)
{
	return source->ops == &line_ops ? const_lines(source)->lines : NULL;
}

bool line_source_is_it(const uint8_t *head, size_t len)
{
	return len && *head != TRACE_MAGIC[0] && line_file_is_text((const char *)head, len);
}

/* --- what is in it -------------------------------------------------------- */

/* Records are made by this machine, whichever wrote the text, with the times of the lines. */
static void add_streams(struct line_source *s, struct source_buffer *buffer)
{
	const struct line_file_info *info = line_file_info(s->lines);
	struct source *base = &s->base;

	base->info.is_text = true;
	base->info.nr_parts = base->fd >= 0 ? info->nr_parts : 0;
	base->info.is_untimed = info->is_untimed;
	base->info.is_hist = info->is_hist;
	base->info.latency = info->is_latency ? &info->header : NULL;
	base->info.step = info->has_ns || info->is_count ? 0 : MICROSECOND;
	base->info.zero = info->is_relative ? LINE_TIME_BIAS : 0;
	base->info.page_bytes = LINE_PAGE_BYTES;
	base->info.names = info->names;
	base->info.nr_names = info->nr_names;
	base->info.big_endian = HOST_BIG_ENDIAN;
	base->info.user_long_size = 8;
	base->info.has_date = base->info.has_offset = base->info.has_tsc2nsec = false;
	buffer->layout = page_maker_layout(LINE_RECORDS_BYTES, HOST_BIG_ENDIAN);
	base->streams = mem_array(info->nr_cpus, sizeof(*base->streams));
	for (unsigned int cpu = 0; cpu < info->nr_cpus; cpu++)
		if (info->cpus[cpu])
			base->streams[base->nr_streams++] = (struct source_stream){
				.file_size = base->info.size,
				.buffer = (int)(buffer - base->buffers),
				.cpu = (int)cpu
			};
	buffer->nr_streams = base->nr_streams;
	if (info->is_untimed)
		buffer->clock = LINE_UNTIMED_CLOCK;
	else if (info->is_count)
		buffer->clock = "counter";
	if (info->unknown)
		source_add_note(base, "lines that are not understood: %llu, the first one \"%.*s\"",
				(unsigned long long)info->unknown, (int)info->first_unknown.len,
				info->first_unknown.s);
	if (info->is_of_tasks)
		base->info.cuts = SOURCE_CUT_OF_TASKS " (perf record without -a)\n";
	if (info->is_perf && info->without_cpu)
		source_add_note(base, "samples do not tell their CPU: all are shown on CPU 0");
	if (info->half_line)
		source_add_warning(base, -1,
				   "the text ends within a line: its last %llu bytes are left out",
				   (unsigned long long)info->half_line);
	if (info->cut)
		source_add_warning(base, -1,
				   "lines that are cut off: %llu; one event has at most %u bytes",
				   (unsigned long long)info->cut, LINE_ROW_BYTES);
}

static void add_buffer(struct line_source *s)
{
	const struct line_file_info *info = line_file_info(s->lines);
	struct source_buffer *buffer = mem_array(1, sizeof(*buffer));

	s->base.buffers = buffer;
	s->base.nr_buffers = 1;
	*buffer = (struct source_buffer){ .name = "", .clock = info->is_latency ? "local" : "",
					  .nr_cpus = (int)info->nr_cpus };
	if (info->header.nr_cpus > buffer->nr_cpus && info->header.nr_cpus <= LINE_MAX_CPU)
		buffer->nr_cpus = (int)info->header.nr_cpus;
	s->base.info.cpu_count = buffer->nr_cpus;
	add_streams(s, buffer);
}

/* @lines: taken over; those of all the file, or NULL if nobody has looked at it yet. */
static struct source *open_lines(const struct source_start *start, struct line_file *lines,
				 struct ft_error *err)
{
	struct line_source *s = source_new(sizeof(*s), &line_ops, start);

	s->formats = start->formats;
	s->head = start->size / LONG_TEXT < start->head_bytes ? 0 : start->head_bytes;
	if (lines)
		line_file_use(lines, start->fd);
	else
		lines = line_file_new(start->fd, start->size, s->head, s->formats, err);
	s->lines = lines;
	if (!lines) {
		source_close(&s->base);
		return NULL;
	}
	add_buffer(s);
	if (s->head) {
		s->base.info.head = line_file_end(lines) + 1;
		s->base.info.tail_ts = line_file_info(lines)->tail_ts;
	}
	return &s->base;
}

struct source *line_source_open(const struct source_start *start, struct ft_error *err)
{
	return open_lines(start, NULL, err);
}

struct source *line_source_inside(struct source *around, unsigned int buffer, const char *text,
				  uint64_t size, const struct line_formats *formats)
{
	const struct source_start start = { .path = around->path, .fd = -1 };
	struct line_source *s = source_new(sizeof(*s), &line_ops, &start);
	struct source *base = &s->base;
	uint64_t done = 0;

	base->around = around;
	base->info = around->info;
	base->shift_interpolates = around->shift_interpolates;
	base->shift_peer = around->shift_peer;
	base->nr_buffers = around->nr_buffers;
	base->buffers = mem_array(base->nr_buffers, sizeof(*base->buffers));
	memcpy(base->buffers, around->buffers, base->nr_buffers * sizeof(*base->buffers));
	for (unsigned int i = 0; i < base->nr_buffers; i++)
		base->buffers[i].first_stream = base->buffers[i].nr_streams = 0;
	if (around->nr_streams)
		source_add_warning(around, -1,
				   "the file has the text of a latency tracer, and "
				   "events, which are not shown");
	s->lines = line_file_begin(-1, text, size, formats);
	line_file_step(s->lines, size, &done, NULL);
	add_streams(s, &base->buffers[buffer]);
	return base;
}

static void fini(struct source *source)
{
	struct line_source *s = (struct line_source *)source;

	line_file_free(s->lines);
	line_file_free(s->all_lines);
}

/* --- the rest of a text --------------------------------------------------- */

static int read_rest(struct source *source)
{
	struct line_source *s = (struct line_source *)source;
	int ret;

	if (!s->all_lines) {
		s->all_size = input_size(source->path, source->info.size, NULL);
		s->all_lines = line_file_begin(source->fd, NULL, s->all_size, s->formats);
		s->looked = 0;
	}
	ret = line_file_step(s->all_lines, STEP_BYTES, &s->looked, NULL);
	atomic_store(&s->looked_at, s->looked);
	if (ret < 0) {			/* opening it again tells why */
		line_file_free(s->all_lines);
		s->all_lines = NULL;
	}
	return ret;
}

static unsigned int permille(const struct source *source)
{
	const struct line_source *s = const_lines(source);
	uint64_t done = atomic_load(&s->looked_at), size = source->info.size;

	done = done > s->head ? done : s->head;
	return (unsigned int)((done < size ? done : size) * 1000 / (size + 1));
}

static struct source *open_again(struct source *former, struct ft_error *err)
{
	struct line_source *s = (struct line_source *)former;
	struct line_file *lines = s->all_lines;
	const struct source_start start = { .path = former->path, .size = s->all_size,
					    .fd = fcntl(former->fd, F_DUPFD_CLOEXEC, 0),
					    .formats = s->formats };

	if (start.fd < 0) {
		ft_error_errno(err, errno, -1, "cannot open");
		return NULL;
	}
	s->all_lines = NULL;
	return open_lines(&start, lines, err);
}

/* --- sub-buffers ---------------------------------------------------------- */

static uint64_t stream_bytes(const struct source *source, unsigned int stream)
{
	return line_file_pages(const_lines(source)->lines, source->streams[stream].cpu) *
	       LINE_RECORDS_BYTES;
}

static uint64_t page_offset(const struct source *source, unsigned int stream, uint64_t page)
{
	return line_file_offset(const_lines(source)->lines, page, source->streams[stream].cpu);
}

static uint32_t read_page(struct source_reader *base, unsigned int stream, uint64_t page,
			  uint32_t max, uint8_t *to, uint32_t *last)
{
	struct lines_reader *reader = (struct lines_reader *)base;
	const struct source *source = base->source;

	(void)max;
	if (!reader->lines)
		reader->lines = line_reader_new(const_lines(source)->lines);
	*last = line_reader_page(reader->lines, page, source->streams[stream].cpu, to);
	if (*last)
		return 1;
	source_add_warning(source, (int64_t)page_offset(source, stream, page), "cannot read: %s",
			   strerror(errno));
	return 0;
}

static void reader_fini(struct source_reader *base)
{
	line_reader_free(((struct lines_reader *)base)->lines);
}

static bool page_sum(const struct source *source, unsigned int stream, uint64_t page,
		     struct page_sum *sum, const struct type_count **counts)
{
	*sum = line_file_sum(const_lines(source)->lines, page, source->streams[stream].cpu, counts);
	return true;
}

/* --- texts ---------------------------------------------------------------- */

static void add_cmdlines(const struct line_file_info *info, struct text *out)
{
	for (unsigned int i = 0; i < info->nr_names; i++)
		text_printf(out, "%d %.*s\n", info->names[i].pid, (int)info->names[i].len,
			    info->names[i].name);
}

static void find_text(const struct source *source, enum trace_text kind,
		      struct source_text_slot *slot)
{
	const struct line_file *lines = const_lines(source)->lines;
	struct text t = { 0 };

	if (source->around && kind != TRACE_TEXT_KALLSYMS) {
		slot->text = source_text(source->around, kind, &slot->size);
		slot->lost = source_text_lost(source->around, kind);
		return;
	}
	if (kind == TRACE_TEXT_KALLSYMS)
		line_file_symbols(lines, &t);
	else if (kind == TRACE_TEXT_CMDLINES)
		add_cmdlines(line_file_info(lines), &t);
	source_text_take(slot, &t);
}

static void add_formats(const struct source *source, struct source_formats *formats)
{
	const struct line_types *types = line_file_info(const_lines(source)->lines)->types;
	struct text all = { 0 };
	size_t *from = mem_array(types->nr + 1, sizeof(*from));

	for (unsigned int i = 0; i < types->nr; i++) {
		from[i] = all.len;
		line_type_format(types->types[i], types->types[i]->id, false, &all);
	}
	from[types->nr] = all.len;
	formats->blobs[0] = all.data;
	for (unsigned int i = 0; i < types->nr; i++) {
		const struct source_format format = {
			.system = types->types[i]->system, .text = all.data + from[i],
			.size = (uint32_t)(from[i + 1] - from[i]), .id = types->types[i]->id,
			.lacks = types->types[i]->has_flags ? 0 : FORMAT_LACKS_FLAGS
		};

		source_add_format(formats, &format);
	}
	free(from);
}

/* trace-cmd takes the number behind that of user_stack for blktrace: in a file, it stays free. */
static int file_id(const struct line_types *types, int id)
{
	const struct line_type *stack = line_types_find(types, slice_of("user_stack"));

	return id + (stack && id > stack->id);
}

static void file_format(const struct source *source, unsigned int i, struct text *out)
{
	const struct source_format *format = source_format(source, i);
	const struct line_types *types = line_file_info(const_lines(source)->lines)->types;

	if (format)			/* ids are numbers from 1 */
		line_type_format(types->types[format->id - 1], file_id(types, format->id), true,
				 out);
}

static uint32_t file_record(const struct source *source, const uint8_t *data, uint32_t size,
			    uint8_t *to, uint32_t room)
{
	uint32_t bytes = line_record_file(data, size, to, room);
	uint16_t id;

	if (!bytes)
		return 0;
	memcpy(&id, data, sizeof(id));
	id = (uint16_t)file_id(line_file_info(const_lines(source)->lines)->types, id);
	memcpy(to, &id, sizeof(id));
	return bytes;
}

static uint64_t part_of(const struct source *source, unsigned int stream, uint64_t page)
{
	return line_file_part(const_lines(source)->lines, page, source->streams[stream].cpu);
}

static bool part_text(const struct source *source, uint64_t part, struct text *out)
{
	return line_file_part_text(const_lines(source)->lines, part, out);
}

static bool histograms(const struct source *source, struct text *out)
{
	return source->info.is_hist && (!out || line_file_text(const_lines(source)->lines, out));
}

static const struct source_ops line_ops = {
	.form = "text",
	.stream_bytes = stream_bytes,
	.read = read_page,
	.offset = page_offset,
	.formats = add_formats,
	.text = find_text,
	.reader_bytes = sizeof(struct lines_reader),
	.reader_fini = reader_fini,
	.sum = page_sum,
	.read_rest = read_rest,
	.permille = permille,
	.open_again = open_again,
	.file_format = file_format,
	.file_record = file_record,
	.part = part_of,
	.part_text = part_text,
	.histograms = histograms,
	.fini = fini,
};
