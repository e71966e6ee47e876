/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_file - opens a text trace. */
#include "parsers/lines/line_file_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/io/read_at.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"

#define HEAD_BYTES	(64u << 10)
#define MOST_TEXT	(64u << 20)
#define MOST_LINES	200u		/* that tell what kind of text it is */
#define SYMBOL_FIRST	0xffff900000000000ull	/* addresses that no kernel uses for code */
#define SECTION_BYTES	(2 * LINE_MAX_SYMBOLS * LINE_SYMBOL_BYTES)

/* --- what it is ----------------------------------------------------------------------------- */

/* A page for browsers, as systrace writes it: one of its scripts is the text. */
static bool is_page(const char *bytes, uint64_t len)
{
	return (len >= 14 && !strncasecmp(bytes, "<!DOCTYPE html", 14)) ||
	       (len >= 5 && !strncasecmp(bytes, "<html", 5));
}

/* A copy of an event's file hist. */
static bool is_hist(const char *bytes, uint64_t len)
{
	return begins_with(slice(bytes, len), "# event histogram\n");
}

/*
 * Lines of function_graph without a header, as trace_pipe prints them.  @only: there are no others,
 * since "f();" and "}" are in programs, too.
 */
static bool has_calls(const char *bytes, uint64_t len, bool only)
{
	unsigned int calls = 0, others = 0;
	struct text_line line;

	for (uint64_t pos = 0; pos < len && calls + others < MOST_LINES;) {
		pos = text_trace_line(bytes, len, pos, &line);
		text_trace_as_graph(&line, true);
		calls += line.kind == TEXT_LINE_GRAPH && !line.event.len;
		others += (line.kind == TEXT_LINE_PLAIN && line.line.len && pos < len) ||
			  (line.kind == TEXT_LINE_EVENT && line.cpu >= 0);
	}
	return only ? calls && !others : calls > others;
}

bool line_file_is_text(const char *bytes, uint64_t len)
{
	struct text_trace_header header;
	struct text_line line;

	if (memchr(bytes, '\0', len))
		return false;
	if (is_page(bytes, len) || is_hist(bytes, len))
		return true;
	text_trace_header(bytes, len, &header);
	if (header.tracer.len)
		return true;
	for (uint64_t pos = 0; pos < len;) {
		pos = text_trace_line(bytes, len, pos, &line);
		if (line.kind == TEXT_LINE_EVENT || line.kind == TEXT_LINE_GRAPH)
			return true;
	}
	return has_calls(bytes, len, true);
}

/* --- symbols -------------------------------------------------------------------------------- */

struct text_slice line_symbol_name(struct text_slice text, char buf[LINE_SYMBOL_MAX],
				   struct text_slice *behind)
{
	struct text_slice t = without_blanks(text), name, module;

	name = slice(t.s, length_until(t, ' ', '+', '('));
	*behind = slice_from(t, name.len);
	module = slice_from(*behind, length_until(*behind, ' ', '(', '\0'));
	if (!name.len || !begins_with(module, " ["))
		return name;
	module = slice(module.s + 1, length_until(module, ']', '\0', '\0'));
	if (name.len + module.len + 1 > LINE_SYMBOL_MAX)
		return name;
	memcpy(buf, name.s, name.len);
	buf[name.len] = '\t';
	memcpy(buf + name.len + 1, module.s, module.len);
	return slice(buf, name.len + 1 + module.len);
}

bool line_symbol_is_number(struct text_slice name, uint64_t *v)
{
	int64_t n;
	size_t end;

	if (!begins_with(name, "0x") || !line_number(name, &n, &end) || end != name.len)
		return false;
	*v = (uint64_t)n;
	return *v < SYMBOL_FIRST;
}

uint64_t line_symbol_address(const struct line_file *file, unsigned int symbol)
{
	uint64_t section = symbol < file->nr_sections ? file->sections[symbol] : LINE_NO_SECTION;

	return SYMBOL_FIRST + section * SECTION_BYTES +
	       (symbol == LINE_NO_SYMBOL ? LINE_MAX_SYMBOLS : symbol) * LINE_SYMBOL_BYTES;
}

/*
 * Functions that the kernel runs in interrupts alone: those that they begin with, and what is often
 * traced without these.
 */
enum line_section line_symbol_section(struct text_slice name)
{
	if (slice_listed(name, "sysvec_* __sysvec_* smp_*_interrupt common_interrupt "
			       "__common_interrupt do_IRQ __do_irq do_irq gic_handle_irq el1_irq "
			       "el1_interrupt handle_IPI do_handle_IPI handle_irq_event "
			       "irq_enter irq_enter_rcu irq_exit irq_exit_rcu __irq_exit_rcu "
			       "__handle_irq_event_percpu handle_irq_event_percpu "
			       "hrtimer_interrupt tick_handle_periodic"))
		return LINE_IRQENTRY;
	if (slice_listed(name, "__do_softirq handle_softirqs run_timer_softirq hrtimer_run_softirq "
			       "net_rx_action net_tx_action tasklet_action tasklet_hi_action "
			       "blk_done_softirq rcu_core_si run_rebalance_domains "
			       "sched_balance_softirq"))
		return LINE_SOFTIRQENTRY;
	return LINE_NO_SECTION;
}

/* "busybox+0x7b3ba": perf tells the place in a file, where it has no name for it. */
static struct text_slice unknown_frame(const struct text_call *frame, char buf[LINE_FRAME_MAX])
{
	const char *slash = memrchr(frame->caller.s, '/', frame->caller.len);
	struct text_slice file = nothing;

	if (begins_with(frame->caller, "/"))
		file = slice_from(frame->caller, (size_t)(slash + 1 - frame->caller.s));
	return slice(buf,
		     (size_t)snprintf(buf, LINE_FRAME_MAX, "%.*s%s0x%.*s",
				      file.len < 128 ? (int)file.len : 128, file.s,
				      file.len ? "+" : "", (int)frame->value.len, frame->value.s));
}

/* The "[ext4]" of a frame's module; other code has names in brackets, too. */
static struct text_slice module_of(const struct text_call *frame)
{
	static const char *const others[] = { "[kernel]",   "[unknown]",  "[vdso]",
					      "[vdso32]",   "[vdsox32]",  "[vsyscall]",
					      "[heap]",	    "[stack]",	  "[uprobes]" };
	struct text_slice none = slice(frame->caller.s, 0), name = frame->caller;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (slice_is(name, others[i]))
			return none;
	/* not [kernel.kallsyms], nor "[heap] /usr/bin/x" */
	return begins_with(name, "[") && length_until(name, '.', ' ', ']') + 1 == name.len ? name :
											     none;
}

/* A name has no blanks and begins with no $, as that of a kernel's function (kallsyms.c). */
struct text_slice line_frame(const struct text_call *frame, char buf[LINE_FRAME_MAX],
			     uint64_t *offset)
{
	struct text_slice name = frame->func, module = module_of(frame);
	size_t at = name.len, digits;

	*offset = 0;
	if (!name.len || slice_is(name, "[unknown]"))
		return unknown_frame(frame, buf);
	while (at && digit_of(name.s[at - 1]) < 16)
		at--;
	if (at > 3 && !memcmp(name.s + at - 3, "+0x", 3)) {
		*offset = digits_of(slice_from(name, at), 16, &digits);
		name.len = at - 3;
	}
	if (*offset >= LINE_SYMBOL_BYTES)
		*offset = LINE_SYMBOL_BYTES - 1;
	for (at = 0; at < name.len && at < LINE_FRAME_MAX; at++)
		buf[at] = strchr(at ? " \t" : " \t$", name.s[at]) ? '_' : name.s[at];
	if (module.len && at + 1 + module.len <= LINE_FRAME_MAX) {
		buf[at++] = '\t';
		memcpy(buf + at, module.s, module.len);
		at += module.len;
	}
	return slice(buf, at);
}

void line_file_symbols(const struct line_file *file, struct text *out)
{
	static const char *const names[] = { [LINE_IRQENTRY] = "irqentry",
					     [LINE_SOFTIRQENTRY] = "softirqentry" };

	for (unsigned int i = 0; i < file->symbols.nr; i++) {
		uint64_t address = line_symbol_address(file, i);

		text_printf(out, "%llx T %s\n", (unsigned long long)address,
			    file->symbols.names[i].s);
		if (i < file->nr_symbol_bytes && file->symbol_bytes[i])
			text_printf(out, "%llx T ?\n",
				    (unsigned long long)address + file->symbol_bytes[i]);
	}
	text_printf(out, "%llx T ?\n",
		    (unsigned long long)line_symbol_address(file, LINE_NO_SYMBOL));
	for (unsigned int i = LINE_IRQENTRY; i < LINE_NR_SECTIONS && file->nr_sections; i++) {
		uint64_t start = SYMBOL_FIRST + i * SECTION_BYTES;

		text_printf(out, "%llx T __%s_text_start\n", (unsigned long long)start - 1,
			    names[i]);
		text_printf(out, "%llx T __%s_text_end\n",
			    (unsigned long long)start + SECTION_BYTES - 1, names[i]);
	}
}

/* --- opening -------------------------------------------------------------------------------- */

int64_t line_file_read(const struct line_file *file, char *to, uint64_t bytes, uint64_t at)
{
	uint64_t left = at < file->size ? file->size - at : 0;

	bytes = left < bytes ? left : bytes;	/* the file may have grown since */
	if (!file->text)
		return read_at(file->fd, to, bytes, at);
	memcpy(to, file->text + file->size - left, bytes);
	return (int64_t)bytes;
}

bool line_file_text(const struct line_file *file, struct text *out)
{
	uint64_t bytes = file->size < MOST_TEXT ? file->size : MOST_TEXT;
	char *all = mem_array(1, bytes + 1);
	int64_t got = line_file_read(file, all, bytes, 0);

	if (got > 0)
		text_bytes(out, all, (size_t)got);
	free(all);
	return got > 0;
}

bool line_file_part_text(const struct line_file *file, uint64_t part, struct text *out)
{
	const struct line_part *next = part + 1 < file->info.nr_parts ? &file->parts[part + 1] :
									NULL;
	uint64_t from = file->parts[part].from;
	uint64_t bytes = (next ? next->from + next->above : file->size) - from;
	int64_t got;

	text_reserve(out, bytes);
	got = line_file_read(file, out->data + out->len, bytes, from);
	out->len += got > 0 ? (uint64_t)got : 0;
	return got >= 0 && (uint64_t)got == bytes;
}

/* What kind of times it has, from the first line with one, which dates those before it. */
static void find_times(struct line_file *file, uint64_t len)
{
	struct text_line line;

	for (uint64_t pos = 0; pos < len;) {
		pos = text_trace_line(file->head, len, pos, &line);
		line_adapt(file, &line);
		if (line.kind != TEXT_LINE_EVENT && line.kind != TEXT_LINE_GRAPH)
			continue;
		file->info.is_untimed = line.time_kind == TEXT_TIME_NONE;
		file->info.is_relative = line.time_kind == TEXT_TIME_RELATIVE ||
					 file->info.is_untimed;
		file->info.is_count = line.time_kind == TEXT_TIME_COUNT || file->info.is_untimed;
		file->info.has_ns = line.has_ns;
		file->info.is_perf = line.is_sample;
		file->first = line;
		return;
	}
}

static void find_comments(struct line_file *file, uint64_t len)
{
	struct text_line line;
	uint64_t pos = 0, next;

	for (; pos < len; pos = next) {
		next = text_trace_line(file->head, len, pos, &line);
		if (line.kind != TEXT_LINE_COMMENT && !line_is_preamble(&line))
			break;
	}
	file->info.comments = slice(file->head, pos);
}

/* The highest time of the last lines. */
static void find_last(struct line_file *file)
{
	char *tail = mem_array(1, HEAD_BYTES);
	int64_t got = line_file_read(file, tail, HEAD_BYTES, file->size - HEAD_BYTES);
	uint64_t len = got > 0 ? (uint64_t)got : 0;
	const char *start = memchr(tail, '\n', len);
	struct text_line line;

	for (uint64_t pos = start ? (uint64_t)(start - tail) + 1 : len, ts; pos < len;) {
		pos = text_trace_line(tail, len, pos, &line);
		line_adapt(file, &line);
		ts = line_stamp(&file->info, &line, 0);
		if (line.cpu >= 0 && line.time_kind != TEXT_TIME_NONE && ts > file->info.tail_ts)
			file->info.tail_ts = ts;
	}
	free(tail);
}

/* Where words are, from a byte on; the end of the file if nowhere. */
static uint64_t find_words(const struct line_file *file, uint64_t from, const char *words)
{
	int64_t got, len = (int64_t)strlen(words);
	char *bytes = mem_array(1, HEAD_BYTES);
	const char *found = NULL;

	while (!found && (got = line_file_read(file, bytes, HEAD_BYTES, from)) >= len) {
		found = memmem(bytes, (size_t)got, words, (size_t)len);
		from += (uint64_t)(found ? found - bytes : got - len + 1);
	}
	free(bytes);
	return found ? from : file->size;
}

/* If the file is a web page, only the script with the trace is read. */
static void find_script(struct line_file *file)
{
	static const char *const scripts[] = {
		"<script class=\"trace-data\" type=\"application/text\">\n",
		"  var linuxPerfData = \"\\\n",
	};
	unsigned int i = 0;
	char start[16] = "";
	uint64_t at;

	if (line_file_read(file, start, sizeof(start), 0) < 0 || !is_page(start, sizeof(start)))
		return;
	at = find_words(file, 0, scripts[0]);
	if (at == file->size)
		at = find_words(file, 0, scripts[++i]);
	if (at == file->size)
		return;
	file->start = at + strlen(scripts[i]);
	at = find_words(file, file->start, "</script>");
	if (at == file->size)
		return;
	for (i = 0; i < 8 && line_file_read(file, start, 1, at - 1) == 1 && *start == ' '; i++)
		at--;
	file->size = file->end = at;
}

/* A last line without its newline may be half of one: "next_pid=12" of 1234.  It is left out. */
static void leave_out_half_line(struct line_file *file)
{
	uint64_t bytes = file->size - file->start, from = file->size;
	char *tail = mem_array(1, HEAD_BYTES);
	const char *newline = NULL;
	int64_t got = 1;

	while (!newline && from > file->start && got > 0) {
		uint64_t piece = from - file->start < HEAD_BYTES ? from - file->start : HEAD_BYTES;

		from -= piece;
		got = line_file_read(file, tail, piece, from);
		newline = got > 0 ? memrchr(tail, '\n', (size_t)got) : NULL;
	}
	from += newline ? (uint64_t)(newline - tail) + 1 : 0;
	free(tail);
	file->info.half_line = bytes && got >= 0 ? file->size - from : 0;
	file->size -= file->info.half_line;
	file->end = file->size;
}

static void read_head(struct line_file *file)
{
	struct text_trace_header *h = &file->info.header;
	int64_t got;

	file->head = mem_array(1, HEAD_BYTES);
	got = line_file_read(file, file->head, HEAD_BYTES, file->start);
	if (got <= 0)
		return;
	text_trace_header(file->head, (uint64_t)got, h);
	file->info.is_graph = slice_is(h->tracer, "function_graph") || h->has_durations ||
			      (!h->tracer.len && has_calls(file->head, (uint64_t)got, false));
	file->info.is_latency =
		h->has_latency &&
		slice_listed(h->tracer,
			     "irqsoff preemptoff preemptirqsoff wakeup wakeup_rt wakeup_dl");
	file->info.is_hist = is_hist(file->head, (uint64_t)got);
	find_times(file, (uint64_t)got);
	file->info.is_bare = h->tracer.len && file->first.kind == TEXT_LINE_PLAIN;
	if (file->info.is_bare)
		find_times(file, (uint64_t)got);
	find_comments(file, (uint64_t)got);
}

struct line_file *line_file_begin(int fd, const char *text, uint64_t size,
				  const struct line_formats *formats)
{
	struct line_file *file = mem_alloc(sizeof(*file));

	file->fd = fd;
	file->text = text;
	file->size = file->end = size;
	file->nr_told = 1;
	file->types.formats = formats;
	find_script(file);
	if (file->end == size)
		leave_out_half_line(file);
	read_head(file);
	file->pass = line_pass_new(file);
	return file;
}

/* The pages of each CPU. */
static void sort_pages(struct line_file *file)
{
	uint64_t *first = mem_array(file->info.nr_cpus + 1, sizeof(*first));

	for (uint64_t i = 0; i < file->nr_pages; i++)
		first[file->pages[i].sum.cpu + 1]++;
	for (unsigned int cpu = 0; cpu < file->info.nr_cpus; cpu++)
		first[cpu + 1] += first[cpu];
	file->by_cpu = mem_array(file->nr_pages, sizeof(*file->by_cpu));
	/* backwards, so that each `first` ends up at the first page of its CPU */
	for (uint64_t i = file->nr_pages; i-- > 0;)
		file->by_cpu[--first[file->pages[i].sum.cpu + 1]] = i;
	for (unsigned int cpu = 0; cpu < file->info.nr_cpus; cpu++)
		first[cpu] = first[cpu + 1];
	first[file->info.nr_cpus] = file->nr_pages;
	file->first_by_cpu = first;
}

int line_file_step(struct line_file *file, uint64_t bytes, uint64_t *done, struct ft_error *err)
{
	uint64_t to = *done + bytes < file->end ? *done + bytes : file->end;

	if (line_pass_run(file->pass, to, done, err))
		return -1;
	if (*done < file->end)
		return 1;
	line_pass_free(file->pass);
	file->pass = NULL;
	if (!file->info.events && file->info.unknown && !file->text) {
		return ft_error_set(
			err, FT_E_FORMAT, -1,
			"a text, but no line was understood as an event with task, CPU and time");
	}
	if (!file->info.nr_cpus)
		file->cpus[file->info.nr_cpus++] = true;	/* an empty trace */
	sort_pages(file);
	line_types_place(&file->types);
	file->info.types = &file->types;
	file->info.cpus = file->cpus;
	file->info.names = file->names;
	return 0;
}

struct line_file *line_file_new(int fd, uint64_t size, uint64_t head,
				const struct line_formats *formats, struct ft_error *err)
{
	struct line_file *file = line_file_begin(fd, NULL, size, formats);
	uint64_t done = 0;

	if (head && file->start + head < file->size)
		file->end = file->start + head;
	if (line_file_step(file, file->end, &done, err)) {
		line_file_free(file);
		return NULL;
	}
	if (file->end < file->size && file->size > HEAD_BYTES)
		find_last(file);
	return file;
}

void line_file_use(struct line_file *file, int fd)
{
	file->fd = fd;
}

void line_file_free(struct line_file *file)
{
	if (!file)
		return;
	line_pass_free(file->pass);
	line_types_fini(&file->types);
	line_names_fini(&file->symbols);
	number_set_fini(&file->pids);
	free(file->symbol_bytes);
	free(file->sections);
	free(file->names);
	free(file->tasks);
	free(file->parts);
	free(file->pages);
	free(file->by_cpu);
	free(file->first_by_cpu);
	free(file->counts);
	free(file->head);
	arena_fini(&file->arena);
	free(file);
}

const struct line_file_info *line_file_info(const struct line_file *file)
{
	return &file->info;
}

uint64_t line_file_end(const struct line_file *file)
{
	return file->end;
}

uint64_t line_file_pages(const struct line_file *file, int cpu)
{
	return file->first_by_cpu[cpu + 1] - file->first_by_cpu[cpu];
}

uint64_t line_file_page(const struct line_file *file, uint64_t page, int cpu)
{
	return file->by_cpu[file->first_by_cpu[cpu] + page];
}

uint64_t line_file_part(const struct line_file *file, uint64_t page, int cpu)
{
	uint64_t nr = line_file_page(file, page, cpu);

	return bisect(file->info.nr_parts, i, file->parts[i].pages <= nr) - 1;
}

uint64_t line_file_offset(const struct line_file *file, uint64_t page, int cpu)
{
	if (page >= line_file_pages(file, cpu))
		return file->end;
	return file->parts[line_file_part(file, page, cpu)].from;
}

struct page_sum line_file_sum(const struct line_file *file, uint64_t page, int cpu,
			      const struct type_count **counts)
{
	const struct page_sum *sum = &file->pages[line_file_page(file, page, cpu)].sum;

	*counts = file->counts + sum->counts;
	return *sum;
}
