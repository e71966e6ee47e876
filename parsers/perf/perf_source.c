/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/io/read_at.h"
#include "parsers/io/temporary.h"
#include "parsers/perf/perf_index.h"
#include "parsers/perf/perf_kernel.h"
#include "parsers/perf/perf_stream.h"
#include "parsers/perf/perf_target.h"
#include "parsers/perf/perf_types.h"
#include "parsers/source/page_maker.h"
#include "parsers/source/source_form.h"
#include "src/base/memory.h"

struct perf_source {
	struct source	 base;
	struct perf_file file;
	struct perf_index index;
	struct perf_types types;
	struct text	 uname, writer, left_out, cuts;
};

struct perf_reader {
	struct source_reader base;
	struct text	 bytes;		/* the pieces of a page */
	struct perf_row	*rows;		/* owned, [nr] */
	unsigned int	 nr, cap;
};

static const struct source_ops perf_ops;

static const struct perf_source *const_perf(const struct source *source)
{
	return (const struct perf_source *)source;
}

bool perf_source_is_it(const uint8_t *head, size_t len)
{
	return perf_file_is_it(head, len);
}

bool perf_source_is_at(const char *path)
{
	uint8_t head[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_it = fd >= 0 && read_at(fd, head, sizeof(head), 0) == sizeof(head) &&
		     perf_file_is_it(head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return is_it;
}

/* --- what is in it -------------------------------------------------------------------------- */

static const char *or_none(const char *s)
{
	return s ? s : "?";
}

/* The names that ftrace has for these clocks. */
static const char *clock_name(const struct perf_file *file)
{
	static const char *const names[] = { [0] = "realtime", [1] = "mono", [4] = "mono_raw",
					     [7] = "boot", [11] = "tai" };
	const struct perf_attr *attr = file->attrs;

	if (!file->nr_attrs)
		return "";
	if (file->is_untimed)
		return "counter";
	if (!attr->use_clockid)
		return "perf";
	return attr->clockid >= 0 && attr->clockid < (int)(sizeof(names) / sizeof(names[0])) &&
			       names[attr->clockid] ?
		       names[attr->clockid] :
		       "";
}

static void add_info(struct perf_source *s)
{
	struct source_info *info = &s->base.info;
	const struct perf_file *file = &s->file;

	info->big_endian = file->big_endian;
	info->cpu_count = (int)s->index.nr_cpus;
	if (file->nr_cpus > s->index.nr_cpus && file->nr_cpus <= PERF_MAX_CPUS)
		info->cpu_count = (int)file->nr_cpus;
	if (file->release) {
		text_printf(&s->uname, "Linux %s %s %s", or_none(file->hostname), file->release,
			    or_none(file->arch));
		info->uname = text_str(&s->uname);
	}
	if (file->version || file->cmdline) {
		text_printf(&s->writer, "perf %s: %s", or_none(file->version),
			    or_none(file->cmdline));
		info->writer = text_str(&s->writer);
	}
	if (file->has_wall) {
		info->has_wall = true;
		info->wall_offset_ns = (int64_t)(file->wall_ns - file->clock_ns);
	}
	perf_target_cut(file, &s->cuts);
	info->cuts = text_str(&s->cuts);
	perf_index_left_out(&s->index, &s->left_out);
	info->left_out = text_str(&s->left_out);
	info->names_files = true;
	info->event_names = s->types.names;
	info->nr_event_names = s->file.nr_attrs;
	info->names = s->index.tasks.names;
	info->nr_names = s->index.tasks.nr_names;
}

static void add_streams(struct perf_source *s)
{
	struct source *base = &s->base;
	struct source_buffer *buffer = mem_array(1, sizeof(*buffer));

	*buffer = (struct source_buffer){
		.name = "", .clock = clock_name(&s->file), .nr_cpus = base->info.cpu_count,
		.layout = page_maker_layout(PERF_PAGE_BYTES, s->file.big_endian),
	};
	base->buffers = buffer;
	base->nr_buffers = 1;
	base->streams = mem_array(s->index.nr_cpus + 1, sizeof(*base->streams));
	for (unsigned int cpu = 0; cpu < s->index.nr_cpus; cpu++)
		if (s->index.cpus[cpu].nr_pages)
			base->streams[base->nr_streams++] = (struct source_stream){
				.file_size = base->info.size, .cpu = (int)cpu
			};
	buffer->nr_streams = base->nr_streams;
}

/* Records that are compressed go to a temporary file, which is read instead. */
static int unpack(struct perf_source *s, struct ft_error *err)
{
	struct perf_file *file = &s->file;
	struct perf_stream stream;
	struct ft_error missing = { 0 };
	struct temporary t;
	uint64_t bytes;

	perf_stream_init(&stream, file->fd, file->swap);
	perf_stream_begin(&stream, file->from, file->to);
	if (!perf_stream_is_packed(&stream)) {
		perf_stream_fini(&stream);
		return 0;
	}
	t = temporary_take();
	if (t.fd < 0) {
		perf_stream_fini(&stream);
		return ft_error_errno(err, errno, -1, "cannot create a temporary file to unpack");
	}
	perf_stream_begin(&stream, file->from, file->to);
	if (perf_stream_unpack(&stream, t.fd, temporary_room(&t), &bytes, &missing))
		source_add_warning(&s->base, missing.offset, "%s", missing.message);
	perf_stream_fini(&stream);
	close(s->base.fd);
	s->base.fd = file->fd = t.fd;
	s->base.info.compression = "zstd";
	file->from = 0;
	file->to = bytes;
	return 0;
}

struct source *perf_source_open(const struct source_start *start, struct ft_error *err)
{
	struct perf_source *s = source_new(sizeof(*s), &perf_ops, start);

	if (perf_file_init(&s->file, &s->base, start->fd, start->size, start->head, start->nr_head,
			   err) ||
	    unpack(s, err) || perf_index_init(&s->index, &s->file, err)) {
		source_close(&s->base);
		return NULL;
	}
	perf_types_init(&s->types, &s->file, &s->index);
	perf_index_name(&s->index, &s->file, &s->types);
	add_info(s);
	add_streams(s);
	return &s->base;
}

static void fini(struct source *source)
{
	struct perf_source *s = (struct perf_source *)source;

	perf_types_fini(&s->types);
	perf_index_fini(&s->index);
	perf_file_fini(&s->file);
	text_fini(&s->uname);
	text_fini(&s->writer);
	text_fini(&s->left_out);
	text_fini(&s->cuts);
}

/* --- sub-buffers ---------------------------------------------------------------------------- */

static const struct perf_cpu *cpu_of(const struct source *source, unsigned int stream)
{
	return &const_perf(source)->index.cpus[source->streams[stream].cpu];
}

static uint64_t stream_bytes(const struct source *source, unsigned int stream)
{
	return cpu_of(source, stream)->nr_pages * PERF_PAGE_BYTES;
}

static uint64_t page_offset(const struct source *source, unsigned int stream, uint64_t page)
{
	const struct perf_cpu *cpu = cpu_of(source, stream);

	return page < cpu->nr_pages ? cpu->pieces[cpu->pages[page]].offset : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct perf_row *x = a, *y = b;

	if (x->stamp.ts != y->stamp.ts)
		return x->stamp.ts < y->stamp.ts ? -1 : 1;
	return x->record.offset < y->record.offset ? -1 : x->record.offset > y->record.offset;
}

/* Read the pieces of a page, one behind the other. */
static bool read_pieces(struct perf_reader *reader, const struct perf_file *file,
			const struct perf_piece *from, const struct perf_piece *to)
{
	text_clear(&reader->bytes);
	for (; from < to; from++) {
		text_reserve(&reader->bytes, from->bytes);
		if (read_at(file->fd, reader->bytes.data + reader->bytes.len, from->bytes,
			    from->offset) != from->bytes)
			return false;
		reader->bytes.len += from->bytes;
	}
	return true;
}

/* The rows of a CPU that a piece has. */
static void find_rows(struct perf_reader *reader, const struct perf_source *s, int cpu,
		      const struct perf_piece *piece, const uint8_t *bytes)
{
	const struct text *all_grown = &s->index.cpus[cpu].grown;
	const uint8_t *grown = (const uint8_t *)text_str(all_grown), *end = grown + all_grown->len;
	const struct perf_file *file = &s->file;
	struct perf_row row;
	uint64_t nr, by;

	grown += piece->grown_at;
	for (uint64_t at = 0; perf_stream_record(bytes + at, piece->bytes - at, piece->offset + at,
						 file->swap, &row.record);) {
		at += perf_stream_step(&row.record, file->swap);
		if (perf_index_cpu(file, &row.record, &row.attr, &row.stamp) == cpu) {
			mem_grow(&reader->rows, reader->nr, &reader->cap);
			row.grown = NULL;
			if (row.record.type == PERF_RECORD_SAMPLE &&
			    perf_attr_has_counts(row.attr) && grown < end)
				for (row.grown = grown; perf_grown_next(&grown, &nr, &by);)
					;
			reader->rows[reader->nr++] = row;
		}
		if (at > piece->bytes)
			break;
	}
}

static void sort_rows(struct perf_reader *reader)
{
	for (unsigned int i = 1; i < reader->nr; i++)
		if (by_time(&reader->rows[i - 1], &reader->rows[i]) > 0) {
			qsort(reader->rows, reader->nr, sizeof(*reader->rows), by_time);
			return;
		}
}

static bool is_lost(const struct perf_row *row)
{
	return row->record.type == PERF_RECORD_LOST || row->record.type == PERF_RECORD_LOST_SAMPLES;
}

static void make_page(const struct perf_source *s, const struct perf_reader *reader,
		      struct page_maker *maker)
{
	unsigned int i = 0;
	uint64_t lost = 0;

	for (; i < reader->nr && is_lost(&reader->rows[i]); i++)
		lost += perf_index_lost(&s->file, &reader->rows[i].record);
	if (i)
		page_maker_lost(maker, reader->rows[0].stamp.ts, lost);
	for (; i < reader->nr; i++)
		if (!is_lost(&reader->rows[i]))
			perf_row_add(&reader->rows[i], &s->types, &s->file, &s->index, maker);
}

static uint32_t read_page(struct source_reader *base, unsigned int stream, uint64_t page,
			  uint32_t max, uint8_t *to, uint32_t *last)
{
	struct perf_reader *reader = (struct perf_reader *)base;
	const struct source *source = base->source;
	const struct perf_source *s = const_perf(source);
	const struct perf_cpu *cpu = cpu_of(source, stream);
	uint64_t first = cpu->pages[page],
		 end = page + 1 < cpu->nr_pages ? cpu->pages[page + 1] : cpu->nr_pieces;
	struct page_maker maker;
	uint64_t at = 0;

	(void)max;
	reader->nr = 0;
	if (!read_pieces(reader, &s->file, cpu->pieces + first, cpu->pieces + end)) {
		source_add_warning(source, (int64_t)cpu->pieces[first].offset, "cannot read: %s",
				   errno ? strerror(errno) : "the file has become shorter");
		return 0;
	}
	for (uint64_t i = first; i < end; at += cpu->pieces[i++].bytes)
		find_rows(reader, s, source->streams[stream].cpu, &cpu->pieces[i],
			  (const uint8_t *)reader->bytes.data + at);
	sort_rows(reader);
	page_maker_begin(&maker, &source->buffers[0].layout, to);
	make_page(s, reader, &maker);
	*last = page_maker_end(&maker);
	return 1;
}

static void reader_fini(struct source_reader *base)
{
	struct perf_reader *reader = (struct perf_reader *)base;

	text_fini(&reader->bytes);
	free(reader->rows);
}

static bool page_sum(const struct source *source, unsigned int stream, uint64_t page,
		     struct page_sum *sum, const struct type_count **counts)
{
	*sum = cpu_of(source, stream)->sums[page];
	*counts = const_perf(source)->index.counts + sum->counts;
	return sum->events || sum->is_lost;
}

/* --- texts ---------------------------------------------------------------------------------- */

static void add_kallsyms(const struct perf_source *s, const struct perf_tracing *texts,
			 struct text *out)
{
	if (texts->nr_kallsyms)
		text_bytes(out, texts->kallsyms, texts->nr_kallsyms);
	else
		perf_kernel_symbols(&s->file, s->index.tasks.kernel_text, out);
}

static void add_block(const struct perf_source *s, const char *name,
		      void (*add)(const struct perf_tasks *tasks, struct text *out),
		      struct text *out)
{
	struct text block = { 0 };

	add(&s->index.tasks, &block);
	text_printf(out, "%s %zu\n", name, block.len);
	text_bytes(out, text_str(&block), block.len);
	text_fini(&block);
}

static void add_private(const struct perf_source *s, struct text *out)
{
	source_add_private(&s->base, out);
	add_block(s, "tasks", perf_tasks_who, out);
	add_block(s, "user_symbols", perf_tasks_maps, out);
}

static void find_text(const struct source *source, enum trace_text kind,
		      struct source_text_slot *slot)
{
	const struct perf_source *s = const_perf(source);
	struct source_formats formats = { 0 };
	struct perf_tracing texts;
	struct text t = { 0 };

	perf_tracing_read(&s->file, &formats, &texts);
	free(formats.formats);
	if (kind == TRACE_TEXT_KALLSYMS)
		add_kallsyms(s, &texts, &t);
	else if (kind == TRACE_TEXT_PRINTK)
		text_bytes(&t, texts.printk ? texts.printk : "", texts.nr_printk);
	else if (kind == TRACE_TEXT_CMDLINES && s->index.tasks.nr_names)
		perf_tasks_comms(&s->index.tasks, &t);
	else if (kind == TRACE_TEXT_CMDLINES)
		text_bytes(&t, texts.cmdlines ? texts.cmdlines : "", texts.nr_cmdlines);
	else if (kind == TRACE_TEXT_TGIDS)
		perf_tasks_tgids(&s->index.tasks, &t);
	else if (kind == TRACE_TEXT_WHO)
		perf_tasks_who(&s->index.tasks, &t);
	else if (kind == TRACE_TEXT_USER_SYMBOLS)
		perf_tasks_maps(&s->index.tasks, &t);
	else if (kind == TRACE_TEXT_PRIVATE)
		add_private(s, &t);
	source_text_take(slot, &t);
}

static void add_formats(const struct source *source, struct source_formats *formats)
{
	perf_types_formats(&const_perf(source)->types, &const_perf(source)->file, formats);
}

static const struct source_ops perf_ops = {
	.form = "perf.data",
	.stream_bytes = stream_bytes,
	.read = read_page,
	.offset = page_offset,
	.formats = add_formats,
	.text = find_text,
	.sum = page_sum,
	.reader_bytes = sizeof(struct perf_reader),
	.reader_fini = reader_fini,
	.fini = fini,
};
