/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_lines - a file that is text, as a trace_file: one buffer, with a stream for each CPU. */
#include <stdlib.h>
#include <string.h>

#include "parsers/file/trace_file_private.h"
#include "parsers/lines/line_file.h"

#define LOOK_BYTES	(64u << 10)	/* that tell what a file is */
#define STEP_BYTES	(4u << 20)	/* looked at before other work gets its turn */
#define LONG_TEXT	4u		/* times the bytes of the head: it is read first */

/* Records are made by this machine, whichever wrote the file, with the times of the lines. */
static void set_layout(struct trace_file *file)
{
	file->info.big_endian = HOST_BIG_ENDIAN;
	file->info.user_long_size = 8;
	file->info.has_date = file->info.has_offset = file->info.has_tsc2nsec = false;
	file->nr_shifts = 0;
	file->layout = (struct sub_buffer_layout){ .page_size = LINE_RECORDS_BYTES,
						   .data_offset = 16, .commit_offset = 8,
						   .long_size = 8, .big_endian = HOST_BIG_ENDIAN };
}

static void add_streams(struct trace_file *file, struct trace_file_buffer *buffer)
{
	const struct line_file_info *info = line_file_info(file->lines);

	set_layout(file);
	buffer->layout = file->layout;
	file->streams = mem_array(info->nr_cpus, sizeof(*file->streams));
	file->states = mem_array(info->nr_cpus, sizeof(*file->states));
	for (unsigned int cpu = 0; cpu < info->nr_cpus; cpu++) {
		struct stream_state *state = &file->states[file->nr_streams];

		if (!info->cpus[cpu])
			continue;
		file->streams[file->nr_streams++] = (struct trace_file_stream){
			.file_size = file->info.size, .buffer = (int)(buffer - file->buffers),
			.cpu = (int)cpu
		};
		pthread_mutex_init(&state->lock, NULL);
		atomic_store(&state->known, true);
		atomic_store(&state->bytes, info->nr_pages * (uint64_t)LINE_RECORDS_BYTES);
	}
	buffer->nr_streams = file->nr_streams;
	if (info->is_untimed)
		buffer->clock = LINE_UNTIMED_CLOCK;
	else if (info->is_count)
		buffer->clock = "counter";
}

static void add_buffer(struct trace_file *file)
{
	const struct line_file_info *info = line_file_info(file->lines);
	struct trace_file_buffer *buffer;

	file->buffers = buffer = mem_array(1, sizeof(*file->buffers));
	file->texts = mem_array(1, sizeof(*file->texts));
	file->lazy->latency = mem_array(1, sizeof(*file->lazy->latency));
	file->nr_buffers = 1;
	*buffer = (struct trace_file_buffer){ .name = "", .clock = info->is_latency ? "local" : "",
					      .nr_cpus = (int)info->nr_cpus };
	if (info->header.nr_cpus > buffer->nr_cpus && info->header.nr_cpus <= LINE_MAX_CPU)
		buffer->nr_cpus = (int)info->header.nr_cpus;
	file->info.cpu_count = buffer->nr_cpus;
	add_streams(file, buffer);
}

static void tell_cut(const struct trace_file *file)
{
	uint64_t cut = line_file_info(file->lines)->cut;

	if (cut)
		trace_file_add_note(file, -1,
				    "lines that are cut off: %llu; one event has at most %u bytes",
				    (unsigned long long)cut, LINE_ROW_BYTES);
}

static void make_lines(struct trace_file *file, struct ft_error *err)
{
	if (file->lines) {		/* they were made before */
		line_file_use(file->lines, file->fd);
		return;
	}
	if (file->info.size / LONG_TEXT < file->head)
		file->head = 0;
	file->lines = line_file_new(file->fd, file->info.size, file->head, file->formats, err);
}

bool trace_file_is_head(const struct trace_file *file)
{
	return file->lines && file->head;
}

int trace_file_read_rest(struct trace_file *file)
{
	int ret;

	if (!file->all_lines)
		file->all_lines = line_file_begin(file->fd, NULL, file->info.size, file->formats);
	ret = line_file_step(file->all_lines, STEP_BYTES, &file->looked, NULL);
	atomic_store(&file->looked_at, file->looked);
	if (ret < 0) {			/* opening it again tells why */
		line_file_free(file->all_lines);
		file->all_lines = NULL;
	}
	return ret;
}

unsigned int trace_file_permille(const struct trace_file *file)
{
	uint64_t done = atomic_load(&file->looked_at);

	return (unsigned int)((done > file->head ? done : file->head) * 1000 /
			      (file->info.size + 1));
}

int trace_file_open_text(struct trace_file *file, bool *is_text, struct ft_error *err)
{
	char *head = mem_array(1, LOOK_BYTES);
	int64_t got = read_at(file->fd, head, LOOK_BYTES, 0);

	*is_text = got > 0 && line_file_is_text(head, (uint64_t)got);
	free(head);
	if (!*is_text)
		return got < 0 ? -1 : 0;
	make_lines(file, err);
	*is_text = file->lines;
	if (!file->lines)
		return -1;
	add_buffer(file);
	tell_cut(file);
	return 0;
}

void trace_file_take_text(struct trace_file *file)
{
	unsigned int i = 0;
	const char *text;
	uint64_t size, done = 0;

	while (i < file->nr_buffers && !file->buffers[i].is_text)
		i++;
	if (i == file->nr_buffers)
		return;
	if (file->nr_streams)
		trace_file_add_note(file, -1,
				    "the file has the text of a latency tracer, and "
				    "events, which are not shown");
	for (unsigned int k = 0; k < file->nr_buffers; k++)
		file->buffers[k].first_stream = file->buffers[k].nr_streams = 0;
	free(file->streams);
	free(file->states);
	file->nr_streams = 0;
	file->head = 0;
	text = trace_file_latency_text(file, i, &size);
	file->lines = line_file_begin(-1, text, size, file->formats);
	line_file_step(file->lines, size, &done, NULL);
	add_streams(file, &file->buffers[i]);
	tell_cut(file);
}

/* --- texts ---------------------------------------------------------------------------------- */

static void add_cmdlines(const struct trace_file *file, struct text *out)
{
	const struct line_file_info *info = line_file_info(file->lines);

	for (unsigned int i = 0; i < info->nr_names; i++)
		text_printf(out, "%d %.*s\n", info->names[i].pid, (int)info->names[i].name.len,
			    info->names[i].name.s);
}

void trace_lines_text(const struct trace_file *file, enum trace_text kind, struct text_slot *slot)
{
	struct text t = { 0 };

	if (kind == TRACE_TEXT_KALLSYMS)
		line_file_symbols(file->lines, &t);
	else if (kind == TRACE_TEXT_CMDLINES)
		add_cmdlines(file, &t);
	if (!t.data)
		return;
	slot->blob = t.data;
	slot->text = slot->blob;
	slot->size = t.len;
}

void trace_lines_formats(const struct trace_file *file)
{
	const struct line_types *types = line_file_info(file->lines)->types;
	struct trace_file_lazy *lazy = file->lazy;
	struct text all = { 0 };
	size_t *from = mem_array(types->nr + 1, sizeof(*from));

	for (unsigned int i = 0; i < types->nr; i++) {
		from[i] = all.len;
		line_type_format(types->types[i], &all);
	}
	from[types->nr] = all.len;
	lazy->format_blobs[0] = all.data;
	for (unsigned int i = 0; i < types->nr; i++) {
		mem_grow(&lazy->formats, lazy->nr_formats, &lazy->cap_formats);
		lazy->formats[lazy->nr_formats++] = (struct trace_file_format){
			.system = types->types[i]->system, .text = all.data + from[i],
			.size = (uint32_t)(from[i + 1] - from[i]), .id = types->types[i]->id
		};
	}
	free(from);
}
