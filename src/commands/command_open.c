/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/command_open.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/io/archive.h"
#include "parsers/io/read_at.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/commands/derived_names.h"
#include "src/sandbox/broker.h"
#include "src/trace/warnings.h"

int command_each(const struct option_list *list,
		 int (*run)(const struct command_file *file, struct ft_error *err),
		 struct ft_error *err)
{
	struct command_file file = { .list = list, .nr = list->nr_operands ?: 1 };
	int ret = 0;

	for (; file.index < file.nr && !ret; file.index++) {
		file.path = file.index ? list->operands[file.index] : command_file(list);
		warnings_begin(command_file_name(&file));
		ret = run(&file, err);
	}
	return ret;
}

int command_offset(const struct command_file *file, struct trace_offset *offset,
		   struct ft_error *err)
{
	const char **paths = mem_array(file->nr, sizeof(*paths));
	struct trace_offset *offsets;
	int ret;

	paths[0] = command_file(file->list);
	for (unsigned int i = 1; i < file->nr; i++)
		paths[i] = file->list->operands[i];
	ret = offset_option_find(file->list, paths, file->nr, &offsets, err);
	if (!ret && offsets)
		*offset = offsets[file->index];
	if (!ret)
		free(offsets);
	free(paths);
	return ret;
}

struct trace *command_open(const struct command_file *file, bool no_index, struct ft_error *err)
{
	struct trace_offset offset = { 0 };
	struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1,
					 .no_index = no_index, .offsets = &offset,
					 .progress.tell = warnings_opening,
					 .formats = formats_option_get(),
					 .filter_names = derived_names };

	if (file->trace)
		return file->trace;
	if (command_offset(file, &offset, err))
		return NULL;
	return trace_open(&file->path, 1, true, &options, err);
}

void command_close(const struct command_file *file, struct trace *trace)
{
	if (trace != file->trace)
		trace_close(trace);
}

#define PIECE	((size_t)64 << 10)

int command_read_text(const char *path, const char *words, size_t most, struct text *out,
		      struct ft_error *err)
{
	bool has_words = false;
	int64_t got = 1;
	int fd;

	if (archive_open(path, &fd, NULL, err))
		return -1;
	while (fd >= 0 && got > 0 && out->len < most && (has_words || !out->len)) {
		text_reserve(out, PIECE);
		got = read_at(fd, out->data + out->len, PIECE, out->len);
		out->len += got > 0 ? (size_t)got : 0;
		out->data[out->len] = '\0';
		has_words = has_words || strstr(out->data, words);
	}
	if (fd >= 0)
		close(fd);
	if (has_words && got > 0)
		return ft_error_set(err, FT_E_LIMIT, (int64_t)most, "%s is longer than %zu bytes",
				    path, most);
	if (!has_words || got < 0)
		text_clear(out);
	return has_words && !got;
}

static struct broker *output_broker;

void command_set_broker(struct broker *broker)
{
	output_broker = broker;
}

int command_begin_file(const char *path, struct ft_error *err)
{
	return broker_begin_file(output_broker, path, err);
}

int command_end_files(bool keep, struct ft_error *err)
{
	return broker_end_files(output_broker, keep, err);
}

const char *command_file_name(const struct command_file *file)
{
	return file->nr > 1 ? file->path : NULL;
}

bool command_file_is_part(const struct command_file *file)
{
	return file->nr > 1 || file->window || file->taker;
}

bool command_file_heads(const struct command_file *file, enum table_format format)
{
	return format == FORMAT_TEXT || !file->index;
}

void command_file_begin(const struct command_file *file, const struct filter_given *given,
			struct table_out *table, struct output *out)
{
	if (given->format == FORMAT_TEXT && (given->ascii || output_locale_is_ascii()))
		out->ascii = true;
	if (table) {
		table->file = command_file_name(file);
		table->window = file->window;
	}
	if (given->format != FORMAT_TEXT || !command_file_name(file))
		return;
	if (file->index && !given->count)
		text_char(&out->block, '\n');
	text_printable(&out->block, file->path, strlen(file->path));
	text_add(&out->block, given->count ? ": " : ":\n");
}

int command_file_name_line(const struct command_file *file, const struct filter_given *given,
			   struct ft_error *err)
{
	struct output out;

	output_init(&out, STDOUT_FILENO);
	command_file_begin(file, given, NULL, &out);
	return output_end(&out, err);
}

void command_file_frame(const struct command_file *file, struct text *out)
{
	const char *name = command_file_name(file);
	size_t start = out->len;

	if (!name)
		return;
	text_printable(out, name, strlen(name));
	for (size_t i = start; i < out->len; i++)
		if (out->data[i] == ';')
			out->data[i] = ':';
	text_char(out, ';');
}
