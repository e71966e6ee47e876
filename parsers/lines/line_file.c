/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_file - opens a text trace: one pass over all lines. */
#include "parsers/lines/line_file_private.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/io/read_at.h"
#include "src/base/memory.h"

#define HEAD_BYTES	(64u << 10)
#define SYMBOL_FIRST	0xffff900000000000ull	/* addresses that no kernel uses for code */
#define SYMBOL_BYTES	(1ull << 20)
#define MAX_SYMBOLS	(1u << 22)
#define MAX_NAMES	(1u << 20)	/* of tasks */
/* Lines about lost events cut pages until there are so many: 4 times those of 64 KiB, and some. */
#define MORE_PAGES	4u
#define MIN_PAGES	4096u

/* --- what it is ----------------------------------------------------------------------------- */

static bool is_latency_tracer(struct text_slice tracer)
{
	static const char *const names[] = { "irqsoff", "preemptoff", "preemptirqsoff",
					     "wakeup", "wakeup_rt", "wakeup_dl" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (tracer.len == strlen(names[i]) && !memcmp(tracer.s, names[i], tracer.len))
			return true;
	return false;
}

bool line_file_is_text(const char *bytes, uint64_t len, struct text_trace_header *header,
		       bool *is_latency)
{
	struct text_line line;

	*is_latency = false;
	if (memchr(bytes, '\0', len))
		return false;
	text_trace_header(bytes, len, header);
	*is_latency = header->has_latency && is_latency_tracer(header->tracer);
	if (header->tracer.len)
		return true;
	for (uint64_t pos = 0; pos < len;) {
		pos = text_trace_line(bytes, len, pos, &line);
		if (line.kind == TEXT_LINE_EVENT || line.kind == TEXT_LINE_GRAPH)
			return true;
	}
	return false;
}

/* --- symbols -------------------------------------------------------------------------------- */

static unsigned int find_symbol(const struct line_file *file, struct text_slice name, uint32_t hash)
{
	index_map_each (&file->symbol_map, hash, i)
		if (file->symbols[i].len == name.len &&
		    !memcmp(file->symbols[i].s, name.s, name.len))
			return i;
	return UINT32_MAX;
}

bool line_file_symbol(const struct line_file *file, struct text_slice name, uint64_t *address)
{
	unsigned int i = find_symbol(file, name, index_map_hash_bytes(name.s, name.len));

	*address = SYMBOL_FIRST + i * SYMBOL_BYTES;
	return i != UINT32_MAX;
}

uint64_t line_call_nr(const struct line_file *file, const struct line_type *type)
{
	const char *name = strchr(type->name + 4, '_') + 1;
	struct text_slice t = { name, strlen(name) };
	unsigned int i = find_symbol(file, t, index_map_hash_bytes(t.s, t.len));

	return i == UINT32_MAX ? 0 : i;
}

static void learn_symbol(struct line_file *file, struct text_slice t)
{
	size_t n = 0;
	uint32_t hash;

	while (t.len && *t.s == ' ')
		t = (struct text_slice){ t.s + 1, t.len - 1 };
	while (n < t.len && !strchr(" +(\n", t.s[n]))
		n++;
	t.len = n;
	if (!n || *t.s == '<' || file->nr_symbols >= MAX_SYMBOLS)
		return;
	hash = index_map_hash_bytes(t.s, n);
	if (find_symbol(file, t, hash) != UINT32_MAX)
		return;
	mem_grow(&file->symbols, file->nr_symbols, &file->cap_symbols);
	file->symbols[file->nr_symbols] =
		(struct text_slice){ arena_strndup(&file->arena, t.s, n), n };
	index_map_add(&file->symbol_map, hash, file->nr_symbols++);
}

void line_file_symbols(const struct line_file *file, struct text *out)
{
	for (unsigned int i = 0; i < file->nr_symbols; i++)
		text_printf(out, "%llx T %s\n",
			    (unsigned long long)(SYMBOL_FIRST + i * SYMBOL_BYTES),
			    file->symbols[i].s);
}

/* --- tasks ---------------------------------------------------------------------------------- */

static struct line_task *find_task(struct line_file *file, int pid)
{
	uint32_t hash = index_map_hash((uint32_t)pid);

	index_map_each (&file->task_map, hash, i)
		if (file->tasks[i].pid == pid)
			return &file->tasks[i];
	mem_grow(&file->tasks, file->nr_tasks, &file->cap_tasks);
	file->tasks[file->nr_tasks] = (struct line_task){ .pid = pid };
	index_map_add(&file->task_map, hash, file->nr_tasks);
	return &file->tasks[file->nr_tasks++];
}

static void learn_task(struct line_file *file, const struct line_row *row)
{
	struct text_slice comm = row->line.comm;
	struct line_task *task;

	if (row->line.pid <= 0 || !comm.len || *comm.s == '<' || file->info.nr_names >= MAX_NAMES)
		return;
	task = find_task(file, row->line.pid);
	if (task->has_name && file->names[task->last].name.len == comm.len &&
	    !memcmp(file->names[task->last].name.s, comm.s, comm.len))
		return;
	task->has_name = true;
	task->last = file->info.nr_names;
	mem_grow(&file->names, file->info.nr_names, &file->cap_names);
	file->names[file->info.nr_names++] = (struct line_name){
		.pid = row->line.pid, .ts = row->ts,
		.name = { arena_strndup(&file->arena, comm.s, comm.len), comm.len }
	};
}

/* --- the pass ------------------------------------------------------------------------------- */

struct text_slice line_row_name(const struct line_file *file, const struct line_row *row,
				char buf[LINE_NAME_MAX], struct text_slice *body)
{
	*body = row->line.text;
	if (row->line.kind == TEXT_LINE_PLAIN)
		return (struct text_slice){ "line", 4 };
	if (row->line.kind == TEXT_LINE_LOST)
		return (struct text_slice){ "lost_events", 11 };
	return line_event_name(&row->line, file->info.header.tracer, buf, body);
}

static void learn_values(struct line_file *file, const struct line_type *type,
			 struct text_slice body)
{
	struct line_values values;

	line_type_values(type, body, &values);
	for (unsigned int i = 0; i < type->nr_fields; i++)
		if (type->fields[i].kind == LINE_SYMBOL && values.v[i].s)
			learn_symbol(file, values.v[i]);
}

static void learn_stack(struct line_file *file, const struct line_row *row)
{
	struct text_line line;

	for (uint64_t pos = row->line.line.len + 1; pos < row->all.len;) {
		pos = text_trace_line(row->all.s, row->all.len, pos, &line);
		if (line.kind == TEXT_LINE_STACK)
			learn_symbol(file, line.text);
	}
}

static void learn_row(struct line_file *file, const struct line_row *row)
{
	char buf[LINE_NAME_MAX];
	struct text_slice body, name = line_row_name(file, row, buf, &body);
	const struct line_type *type;

	line_types_learn(&file->types, name, body);
	type = line_types_find(&file->types, name);
	if (!type)
		return;
	if (type->has_symbols)
		learn_values(file, type, body);
	if (type->is_call && type->lines == 1)
		learn_symbol(file, (struct text_slice){ strchr(type->name + 4, '_') + 1,
							strlen(strchr(type->name + 4, '_') + 1) });
	if (row->all.len > row->line.line.len)
		learn_stack(file, row);
	learn_task(file, row);
	file->info.events += row->line.kind != TEXT_LINE_PLAIN && row->line.kind != TEXT_LINE_LOST;
	file->cpus[row->cpu] = true;
	if ((unsigned int)row->cpu >= file->info.nr_cpus)
		file->info.nr_cpus = (unsigned int)row->cpu + 1;
}

/* What kind of times it has, from the first line with one. */
static void find_times(struct line_file *file, uint64_t len)
{
	struct text_line line;

	for (uint64_t pos = 0; pos < len;) {
		const char *point;

		pos = text_trace_line(file->head, len, pos, &line);
		if (line.kind != TEXT_LINE_EVENT && line.kind != TEXT_LINE_GRAPH)
			continue;
		file->info.is_relative = line.time_kind == TEXT_TIME_RELATIVE;
		file->info.is_count = line.time_kind == TEXT_TIME_COUNT;
		point = line.text.s - 2 - 10;	/* ".123456789: " */
		file->info.has_ns = line.time_kind == TEXT_TIME_ABSOLUTE && point > line.line.s &&
				    *point == '.';
		return;
	}
}

static void find_comments(struct line_file *file, uint64_t len)
{
	struct text_line line;
	uint64_t pos = 0, next;

	for (; pos < len; pos = next) {
		next = text_trace_line(file->head, len, pos, &line);
		if (line.kind != TEXT_LINE_COMMENT && (pos || !line_is_cpus(&line)))
			break;
	}
	file->info.comments = (struct text_slice){ file->head, pos };
}

static int read_all(struct line_file *file, struct ft_error *err)
{
	uint64_t most = file->size / LINE_PAGE_BYTES * MORE_PAGES + MIN_PAGES;
	struct line_reader *reader = line_reader_new(file);
	struct line_state at = { 0 };
	int ret = 0;

	while (at.from < file->size) {
		uint64_t left = file->size - at.from;

		mem_grow(&file->pages, file->nr_pages, &file->cap_pages);
		file->pages[file->nr_pages++] = at;
		if (!line_reader_read(reader, &at,
				      at.from + (left < LINE_PAGE_BYTES ? left : LINE_PAGE_BYTES),
				      file->nr_pages < most)) {
			ret = ft_error_set(err, FT_E_IO, (int64_t)at.from, "cannot read the text");
			break;
		}
		for (unsigned int i = 0; i < reader->nr_rows; i++)
			learn_row(file, &reader->rows[i]);
		file->info.unknown += reader->unknown;
		file->info.cut += reader->cut;
		at = reader->after;
	}
	line_reader_free(reader);
	return ret;
}

static void tell_none(const struct line_file *file, struct ft_error *err)
{
	static const char graph[] = "function_graph";
	struct text_slice tracer = file->info.header.tracer;

	if (tracer.len == strlen(graph) && !memcmp(tracer.s, graph, tracer.len))
		ft_error_set(err, FT_E_UNSUPPORTED, -1,
			     "text of the function_graph tracer cannot be read yet; "
			     "ftop-trace record makes a trace.dat");
	else
		ft_error_set(
			err, FT_E_FORMAT, -1,
			"a text, but no line was understood as an event with task, CPU and time");
}

struct line_file *line_file_new(int fd, uint64_t size, struct ft_error *err)
{
	struct line_file *file = mem_alloc(sizeof(*file));
	int64_t got;

	file->fd = fd;
	file->size = size;
	file->head = mem_array(1, HEAD_BYTES);
	got = read_at(fd, file->head, HEAD_BYTES, 0);
	if (got > 0) {
		text_trace_header(file->head, (uint64_t)got, &file->info.header);
		find_times(file, (uint64_t)got);
		find_comments(file, (uint64_t)got);
	}
	if (read_all(file, err)) {
		line_file_free(file);
		return NULL;
	}
	if (!file->info.events && file->info.unknown) {
		tell_none(file, err);
		line_file_free(file);
		return NULL;
	}
	if (!file->info.nr_cpus)
		file->cpus[file->info.nr_cpus++] = true;	/* an empty trace */
	line_types_place(&file->types);
	file->info.cpus = file->cpus;
	file->info.names = file->names;
	return file;
}

void line_file_free(struct line_file *file)
{
	if (!file)
		return;
	line_types_fini(&file->types);
	index_map_fini(&file->symbol_map);
	index_map_fini(&file->task_map);
	free(file->symbols);
	free(file->names);
	free(file->tasks);
	free(file->pages);
	free(file->head);
	arena_fini(&file->arena);
	free(file);
}

const struct line_file_info *line_file_info(const struct line_file *file)
{
	return &file->info;
}

const struct line_types *line_file_types(const struct line_file *file)
{
	return &file->types;
}

uint64_t line_file_pages(const struct line_file *file)
{
	return file->nr_pages;
}

uint64_t line_file_offset(const struct line_file *file, uint64_t page)
{
	return page < file->nr_pages ? file->pages[page].from : file->size;
}
