/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/print/print_number.h"
#include "src/base/memory.h"

#define NAME_WIDTH	20
#define COMM_WIDTH	16
#define NAME_MAX	4096u		/* most bytes of an event's name; longer ones are cut */

/* --- files --------------------------------------------------------------- */

/* Look at the clock in brackets, as trace-cmd does: "[local] global …" */
static bool clock_is_ns(const char *text)
{
	static const char *const exact[] = {
		"local", "global", "uptime", "perf", "tai", "tsc2nsec"
	};
	char clock[64] = "";
	size_t len;

	while (text && *text && *text != '[') {
		text = strchr(text, ' ');
		while (text && *text == ' ')
			text++;
	}
	if (!text || !*text)
		return true;		/* without a clock, ns are assumed */
	text += strspn(text, "[]");
	len = strcspn(text, "[] \t\n");
	if (!len || len >= sizeof(clock))
		return len == 0;
	memcpy(clock, text, len);
	if (!strncmp(clock, "mono", 4))
		return true;
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		if (!strcmp(clock, exact[i]))
			return true;
	return false;
}

/* The form in which trace-cmd shows a file's times: depends on its clock, -t and --raw-ts. */
static enum print_time time_style(const struct source_info *info, const struct report_style *style)
{
	bool named = info->has_trace_clock && strchr(info->clock_text, '[');

	if (style->raw_ts ? named : !info->has_tsc2nsec && named && !clock_is_ns(info->clock_text))
		return PRINT_TIME_COUNT;
	return style->nanoseconds ? PRINT_TIME_NS : PRINT_TIME_US;
}

void report_file_init(struct report_file *file, unsigned int nr, const struct source *trace_file,
		      struct printer *printer, struct event_types *types,
		      const struct report_style *style)
{
	const struct source_info *info = source_info(trace_file);
	const struct common_layout *c = event_types_common(types);

	memset(file, 0, sizeof(*file));
	file->nr = nr;
	file->printer = printer;
	file->event_types = types;
	file->common = c;
	file->print = style->raw ? PRINT_TRACE_CMD_RAW : PRINT_TRACE_CMD;
	file->time = time_style(info, style);
	file->has_clock = info->has_trace_clock;
	file->swap = info->big_endian != HOST_BIG_ENDIAN;
	file->era_34 = style->era_34;
	file->standard = !file->swap && c->type_offset == 0 && c->type_size == 2 &&
			 c->pid_offset == 4 && c->pid_size == 4;
}

void report_file_fini(struct report_file *file)
{
	for (size_t i = 0; i < 256; i++) {
		for (size_t j = 0; file->types[i] && j < 256; j++)
			free(file->types[i][j]);
		free(file->types[i]);
	}
}

static bool is_entry(const struct report_file *file, const char *name)
{
	return !strcmp(name, "funcgraph_entry") ||
	       (file->era_34 && !strcmp(name, "fgraph_retaddr_entry"));
}

static struct report_type *make_type(const struct report_file *file, int id)
{
	const struct event_type *type = event_types_find(file->event_types, id);
	const char *name = file->printer ? printer_event_name(file->printer, id) : NULL,
		   *shown = name ? name : "(NULL)";
	size_t len = strlen(shown) < NAME_MAX ? strlen(shown) : NAME_MAX;
	struct report_type *t;
	struct text line = { 0 };

	text_char(&line, ' ');
	text_bytes(&line, shown, len);
	text_add(&line, ": ");
	if (len < NAME_WIDTH)
		text_pad(&line, NAME_WIDTH - len);
	t = mem_alloc(sizeof(*t) + line.len + REPORT_COPY);
	t->type = type;
	t->id = id;
	t->how = file->printer ? printer_type(file->printer, file->print, type) : NULL;
	t->remembers = t->how && record_text_remembers(t->how);
	t->known = name != NULL;
	t->is_entry = name && is_entry(file, name);
	t->is_stack = type && !strcmp(type->system, "ftrace") &&
		      (!strcmp(type->name, "kernel_stack") || !strcmp(type->name, "user_stack"));
	t->len = (uint16_t)line.len;
	memcpy(t->name, text_str(&line), line.len);
	text_fini(&line);
	return t;
}

const struct report_type *report_file_type(struct report_file *file, int id)
{
	struct report_type ***leaf = &file->types[(id >> 8) & 0xff];

	if (!*leaf)
		*leaf = mem_array(256, sizeof(**leaf));
	if (!(*leaf)[id & 0xff])
		(*leaf)[id & 0xff] = make_type(file, id);
	return (*leaf)[id & 0xff];
}

/* A known name stays: only unknown ones can be learnt later. */
const char *report_file_comm(struct report_file *file, int pid)
{
	struct report_comm *c =
		&file->comms[(unsigned int)pid % (sizeof(file->comms) / sizeof(file->comms[0]))];
	const char *comm;

	if (c->comm && c->pid == pid)
		return c->comm;
	comm = printer_comm(file->printer, pid);
	if (report_file_knows(comm))
		*c = (struct report_comm){ pid, comm };
	return comm;
}

bool report_file_knows(const char *comm)
{
	return strcmp(comm, "<...>") != 0;
}

void report_cpu_init(struct report_cpu *cpu, const struct report_file *file,
		     const struct report_style *style, int nr)
{
	int len = snprintf(cpu->text, sizeof(cpu->text), style->latency ? " %3u" : " [%03u]",
			   (unsigned int)nr);

	cpu->file = file;
	cpu->cpu = nr;
	cpu->len = (uint8_t)len;
}

/* --- parts of a line ----------------------------------------------------- */

/* Write a number at least @width wide; @to has room for 24 bytes.  Return: the end. */
static char *put_number(char *to, uint64_t v, unsigned int width, char fill)
{
	char buf[24], *end = buf + sizeof(buf), *p = end;
	size_t len;

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while ((size_t)(end - p) < width && p > buf)
		*--p = fill;
	len = (size_t)(end - p);
	text_copy(to, p, len);
	return to + len;
}

/* Copy REPORT_COPY bytes at once; the next piece overwrites the excess.  @to has room for that. */
static inline char *put_some(char *to, const char *from, size_t len)
{
	if (__builtin_expect(len > REPORT_COPY, 0))
		memcpy(to, from, len);
	else
		memcpy(to, from, REPORT_COPY);
	return to + len;
}

/* "%16s-%-5d", with -l "%8.8s-%-5d"; @to has room for it and REPORT_COPY bytes. */
static char *make_task(char *to, const char *comm, size_t len, int pid, bool latency)
{
	size_t width = latency ? 8 : COMM_WIDTH;
	char *begin;

	if (len < width) {
		memset(to, ' ', width - len);
		to += width - len;
	}
	memcpy(to, comm, len);
	to += len;
	*to++ = '-';
	begin = to;
	if (pid < 0)
		*to++ = '-';
	to = put_number(to, pid < 0 ? -(uint64_t)pid : (uint64_t)pid, 0, ' ');
	while (to - begin < 5)
		*to++ = ' ';
	return to;
}

/* The task column, from the cache if possible; NULL: the name is too long for the cache. */
static inline const struct report_task *get_task(struct report_pen *pen, const char *comm, int pid)
{
	struct report_task *task = &pen->tasks[(uint32_t)pid & (REPORT_TASKS - 1)];
	size_t len;

	if (__builtin_expect(task->comm == comm && task->pid == pid, 1))
		return task;
	len = strlen(comm);
	if (len > COMM_WIDTH)
		return NULL;
	task->comm = comm;
	task->pid = pid;
	task->len = (uint8_t)(make_task(task->text, comm, len, pid, false) - task->text);
	return task;
}

/* " 3716.", the seconds of a time, which seldom change. */
static inline char *put_second(struct report_pen *pen, char *to, uint64_t second)
{
	if (__builtin_expect(second != pen->second || !pen->second_len, 0)) {
		char *end = pen->second_text;

		*end++ = ' ';
		end = put_number(end, second, 5, ' ');
		*end++ = '.';
		pen->second = second;
		pen->second_len = (uint8_t)(end - pen->second_text);
	}
	return put_some(to, pen->second_text, pen->second_len);
}

static inline char *put_time(struct report_pen *pen, char *to, uint64_t ts, enum print_time time)
{
	uint64_t second;

	switch (time) {
	case PRINT_TIME_US:
		ts = (ts + 500) / 1000;
		second = ts / 1000000;
		to = print_digits(put_second(pen, to, second), (uint32_t)(ts - second * 1000000),
				  6);
		break;
	case PRINT_TIME_NS:
		second = ts / 1000000000;
		to = print_digits(put_second(pen, to, second), (uint32_t)(ts - second * 1000000000),
				  9);
		break;
	case PRINT_TIME_COUNT:
		to = put_number(to, ts, 12, ' ');
		break;
	}
	*to++ = ':';
	return to;
}

static int64_t common_value(const struct report_file *file, const struct report_item *item,
			    uint16_t offset, uint16_t size)
{
	/* like libtraceevent: load it in its size, then truncate to int */
	return size ? (int32_t)field_load(item->data, item->size, offset, size, file->swap) : -1;
}

static int64_t migrate_of(const struct report_file *file, const struct report_item *item)
{
	return common_value(file, item, file->common->migrate_offset, file->common->migrate_size);
}

static int64_t lock_of(const struct report_file *file, const struct report_item *item)
{
	return common_value(file, item, file->common->lock_offset, file->common->lock_size);
}

static bool has_flags(const struct report_style *style, const struct report_item *item)
{
	return (style->latency || style->era_34) && !style->raw && item->type->known;
}

/* Units in which --ts-diff counts. */
static uint64_t diff_ts(const struct report_lines *lines, const struct report_file *file,
			uint64_t ts)
{
	return file->has_clock && !lines->style.nanoseconds ? (ts + 500) / 1000 : ts;
}

void report_lines_note(struct report_lines *lines, const struct report_file *file,
		       const struct report_item *item)
{
	if (!lines->settled && has_flags(&lines->style, item)) {
		lines->settled = true;
		lines->migrate_shown = migrate_of(file, item) >= 0;
		lines->lock_shown = lock_of(file, item) >= 0;
	}
	if (lines->style.ts_diff)
		lines->last_ts = diff_ts(lines, file, item->ts);
	lines->before_ts = item->ts;
	lines->has_before = true;
}

static void add_digit(struct text *out, int64_t value)
{
	if (value < 0)
		text_char(out, '.');
	else
		print_decimal(out, (uint64_t)value);
}

/* libtraceevent's letters: fewer than the kernel's. */
static void add_flags(struct text *out, const struct report_lines *lines,
		      const struct report_file *file, const struct report_item *item)
{
	const struct common_layout *c = file->common;
	unsigned int flags = (uint8_t)field_load(item->data, item->size, c->flags_offset,
						 c->flags_size, file->swap);
	unsigned int count = (uint8_t)field_load(item->data, item->size, c->preempt_offset,
						 c->preempt_size, file->swap);
	bool hardirq = flags & 0x08, softirq = flags & 0x10;

	if (lines->style.raw) {
		text_printf(out, "-0x%x", flags);
		return;
	}
	if (!lines->style.latency)
		text_char(out, ' ');
	if (event_type_lacks(item->type->type, FORMAT_LACKS_FLAGS)) {
		text_add(out, "?????");
		return;
	}
	text_char(out, flags & 0x01 ? 'd' : flags & 0x02 ? 'X' : '.');
	text_char(out, flags & 0x04 ? 'N' : '.');
	text_char(out, hardirq && softirq ? 'H' : hardirq ? 'h' : softirq ? 's' : '.');
	text_char(out, count & 0x0f ? "0123456789abcdef"[count & 0x0f] : '.');
	text_char(out, count >> 4 ? "0123456789abcdef"[count >> 4] : '.');
	if (lines->migrate_shown)
		add_digit(out, migrate_of(file, item));
	if (lines->lock_shown)
		add_digit(out, lock_of(file, item));
}

/* " (+12)  "; blanks for the first line. */
static void add_difference(struct text *out, uint64_t last_ts, uint64_t ts)
{
	size_t begin;

	text_char(out, ' ');
	begin = out->len;
	if (last_ts)
		text_printf(out, "(+%" PRId64 ")", (int64_t)(ts - last_ts));
	if (out->len - begin < 8)
		text_pad(out, 8 - (out->len - begin));
}

void report_line_lost(const struct report_item *loss, int cpu, struct text *out)
{
	/*
	 * trace-cmd sees the loss only at the first record of a sub-buffer, and stores the count as
	 * an int
	 */
	int count = loss->known ? (int)loss->ts : -1;

	if (!loss->told || !count)
		return;
	if (count > 0)
		text_printf(out, "CPU:%d [%d EVENTS DROPPED]\n", cpu, count);
	else
		text_printf(out, "CPU:%d [EVENTS DROPPED]\n", cpu);
}

/* --- the line -------------------------------------------------------------- */

struct print_record report_item_record(const struct report_item *item, int cpu)
{
	return (struct print_record){ .type = item->type->type, .data = item->data,
				      .size = item->size, .room = item->room,
				      .ts = item->ts, .note = item->note, .cpu = cpu };
}

bool report_line_text(const struct report_cpu *cpu, const struct report_item *item,
		      const struct report_item *next, const char *side, struct text *out)
{
	struct print_record rec, following;

	if (__builtin_expect(!item->type->how, 0)) {
		text_bytes(out, side + (item->note >> 32), (uint32_t)item->note);
		return true;
	}
	rec = report_item_record(item, cpu->cpu);
	if (next)
		following = report_item_record(next, cpu->cpu);
	return record_text_print(item->type->how, &rec, next ? &following : NULL, out);
}

static void add_task(const struct report_cpu *cpu, const struct report_item *item, bool latency,
		     struct text *out)
{
	size_t len = strlen(item->comm);
	char *p;

	text_reserve(out, len + 4 * REPORT_COPY);
	p = make_task(out->data + out->len, item->comm, latency && len > 8 ? 8 : len, item->pid,
		      latency);
	out->len = (size_t)(put_some(p, cpu->text, cpu->len) - out->data);
}

/* The general case: an event unknown to libtraceevent, a long task name, flags, or differences. */
static void add_long_head(struct report_pen *pen, const struct report_cpu *cpu,
			  const struct report_item *item, struct text *out)
{
	static const char unknown[] = "[UNKNOWN EVENT]";
	const struct report_style *style = &pen->lines.style;
	uint64_t last_ts = pen->lines.last_ts;
	char *p;

	report_lines_note(&pen->lines, cpu->file, item);
	if (item->type->known)
		add_task(cpu, item, style->latency, out);
	else
		text_add(out, unknown);
	if (style->latency || style->era_34) {
		if (item->type->known || style->raw)
			add_flags(out, &pen->lines, cpu->file, item);
		else
			text_add(out, unknown);
	}
	if (item->type->known) {
		text_reserve(out, 4 * REPORT_COPY);
		p = put_time(pen, out->data + out->len, item->ts, cpu->file->time);
		out->len = (size_t)(p - out->data);
	} else {
		text_add(out, unknown);
	}
	if (style->ts_diff)
		add_difference(out, last_ts, diff_ts(&pen->lines, cpu->file, item->ts));
	text_bytes(out, item->type->name, item->type->len);
}

void report_line_head(struct report_pen *pen, const struct report_cpu *cpu,
		      const struct report_item *item, struct text *out)
{
	const struct report_style *style = &pen->lines.style;
	const struct report_type *type = item->type;
	const struct report_task *task = NULL;
	char *p;

	if (type->known && !style->latency && !style->era_34 && !style->ts_diff)
		task = get_task(pen, item->comm, item->pid);
	if (__builtin_expect(!task, 0)) {
		add_long_head(pen, cpu, item, out);
		return;
	}
	text_reserve(out, type->len + 5 * REPORT_COPY);
	p = put_some(out->data + out->len, task->text, task->len);
	p = put_some(p, cpu->text, cpu->len);
	p = put_time(pen, p, item->ts, cpu->file->time);
	p = put_some(p, type->name, type->len);
	out->len = (size_t)(p - out->data);
}
