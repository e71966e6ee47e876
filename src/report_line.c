/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/field.h"
#include "src/memory.h"

#define NAME_WIDTH	20
#define COMM_WIDTH	16

struct report_name {
	bool		known;		/* libtraceevent reads its format */
	bool		is_entry;
	uint16_t	len;
	char		text[];		/* " sched_switch:         " */
};

/* --- files --------------------------------------------------------------- */

/* The clock in brackets, as trace-cmd finds it: "[local] global …" */
static bool clock_is_ns(const char *text)
{
	static const char *const exact[] = { "local", "global", "uptime", "perf", "tai", "tsc2nsec" };
	char clock[64] = "";
	size_t len;

	while (text && *text && *text != '[') {
		text = strchr(text, ' ');
		while (text && *text == ' ')
			text++;
	}
	if (!text || !*text)
		return true;		/* none is told: taken for ns */
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

enum print_time report_time(const struct trace_file_info *info, const struct report_style *style)
{
	bool named = info->has_trace_clock && strchr(info->clock_text, '[');

	if (style->raw_ts ? named : !info->has_tsc2nsec && named && !clock_is_ns(info->clock_text))
		return PRINT_TIME_COUNT;
	return style->nanoseconds ? PRINT_TIME_NS : PRINT_TIME_US;
}

void report_file_init(struct report_file *file, const struct trace_file *trace_file, struct printer *printer,
		      const struct common_layout *common, const struct report_style *style)
{
	const struct trace_file_info *info = trace_file_info(trace_file);

	memset(file, 0, sizeof(*file));
	file->printer = printer;
	file->common = common;
	file->time = report_time(info, style);
	file->has_clock = info->has_trace_clock;
	file->swap = info->big_endian != HOST_BIG_ENDIAN;
	file->era_34 = style->era_34;
}

void report_file_fini(struct report_file *file)
{
	for (size_t i = 0; i < 256; i++) {
		for (size_t j = 0; file->names[i] && j < 256; j++)
			free(file->names[i][j]);
		free(file->names[i]);
	}
}

static struct report_name *make_name(struct report_file *file, int id)
{
	const char *name = printer_event_name(file->printer, id), *shown = name ? name : "(NULL)";
	size_t len = strlen(shown);
	struct report_name *n;
	struct text t = { 0 };

	text_printf(&t, " %s: ", shown);
	if (len < NAME_WIDTH)
		text_pad(&t, NAME_WIDTH - len);
	n = mem_alloc(sizeof(*n) + t.len + 1);
	n->known = name != NULL;
	n->is_entry = name && (!strcmp(name, "funcgraph_entry") || (file->era_34 && !strcmp(name, "fgraph_retaddr_entry")));
	n->len = (uint16_t)(t.len < UINT16_MAX ? t.len : UINT16_MAX);
	memcpy(n->text, text_str(&t), t.len);
	text_fini(&t);
	return n;
}

static const struct report_name *get_name(struct report_file *file, int id)
{
	struct report_name ***leaf = &file->names[(id >> 8) & 0xff];

	if (!*leaf)
		*leaf = mem_array(256, sizeof(**leaf));
	if (!(*leaf)[id & 0xff])
		(*leaf)[id & 0xff] = make_name(file, id);
	return (*leaf)[id & 0xff];
}

bool report_line_is_entry(struct report_file *file, int type_id)
{
	return get_name(file, type_id)->is_entry;
}

/* A name that was found once stays: only unknown ones are learnt later. */
static const char *get_comm(struct report_file *file, int pid)
{
	struct report_comm *c = &file->comms[(unsigned int)pid % (sizeof(file->comms) / sizeof(file->comms[0]))];
	const char *comm;

	if (c->comm && c->pid == pid)
		return c->comm;
	comm = printer_comm(file->printer, pid);
	if (strcmp(comm, "<...>") != 0)
		*c = (struct report_comm){ pid, comm };
	return comm;
}

/* --- parts of a line ----------------------------------------------------- */

/* Digits of a number at least @width wide; @to has room for 24.  Returns behind them. */
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

static void add_number(struct text *out, uint64_t v, unsigned int width, char fill)
{
	char buf[24];

	text_bytes(out, buf, (size_t)(put_number(buf, v, width, fill) - buf));
}

/* "%16s-%-5d [%03d]", with -l "%8.8s-%-5d %3d" */
static void add_task(struct text *out, const char *comm, int pid, int cpu, bool latency)
{
	size_t len = strlen(comm), width = latency ? 8 : COMM_WIDTH;
	char *p, *begin;

	if (latency && len > 8)
		len = 8;
	text_reserve(out, len + 96);
	p = out->data + out->len;
	if (len < width) {
		memset(p, ' ', width - len);
		p += width - len;
	}
	text_copy(p, comm, len);
	p += len;
	*p++ = '-';
	begin = p;
	if (pid < 0)
		*p++ = '-';
	p = put_number(p, pid < 0 ? -(uint64_t)pid : (uint64_t)pid, 0, ' ');
	while (p - begin < 5)
		*p++ = ' ';
	*p++ = ' ';
	if (!latency)
		*p++ = '[';
	p = put_number(p, (unsigned int)cpu, 3, latency ? ' ' : '0');
	if (!latency)
		*p++ = ']';
	*p = '\0';
	out->len = (size_t)(p - out->data);
}

static void add_time(struct text *out, uint64_t ts, enum print_time time)
{
	switch (time) {
	case PRINT_TIME_US:
		ts = (ts + 500) / 1000;
		text_char(out, ' ');
		add_number(out, ts / 1000000, 5, ' ');
		text_char(out, '.');
		add_number(out, ts % 1000000, 6, '0');
		break;
	case PRINT_TIME_NS:
		text_char(out, ' ');
		add_number(out, ts / 1000000000, 5, ' ');
		text_char(out, '.');
		add_number(out, ts % 1000000000, 9, '0');
		break;
	case PRINT_TIME_COUNT:
		add_number(out, ts, 12, ' ');
		break;
	}
	text_char(out, ':');
}

static int64_t common_value(const struct report_file *file, const struct trace_event *event, uint16_t offset,
			    uint16_t size)
{
	/* As libtraceevent: a number of its size, then taken for an int. */
	return size ? (int32_t)field_load(event->data, event->size, offset, size, file->swap) : -1;
}

static void add_digit(struct text *out, bool *shown, bool *off, int64_t value)
{
	if (!*shown && !*off) {
		*shown = value >= 0;
		*off = value < 0;
	}
	if (!*shown)
		return;
	if (value < 0)
		text_char(out, '.');
	else
		text_printf(out, "%" PRId64, value);
}

/* libtraceevent's letters: fewer than the kernel's. */
static void add_flags(struct text *out, struct report_lines *lines, const struct report_file *file,
		      const struct trace_event *event)
{
	unsigned int flags = event->flags, count = event->preempt_count;
	bool hardirq = flags & 0x08, softirq = flags & 0x10;

	text_char(out, flags & 0x01 ? 'd' : flags & 0x02 ? 'X' : '.');
	text_char(out, flags & 0x04 ? 'N' : '.');
	text_char(out, hardirq && softirq ? 'H' : hardirq ? 'h' : softirq ? 's' : '.');
	text_char(out, count & 0x0f ? "0123456789abcdef"[count & 0x0f] : '.');
	text_char(out, count >> 4 ? "0123456789abcdef"[count >> 4] : '.');
	add_digit(out, &lines->migrate_shown, &lines->migrate_off,
		  common_value(file, event, file->common->migrate_offset, file->common->migrate_size));
	add_digit(out, &lines->lock_shown, &lines->lock_off,
		  common_value(file, event, file->common->lock_offset, file->common->lock_size));
}

/* " (+12)  ", blanks for the first line */
static void add_difference(struct text *out, struct report_lines *lines, const struct report_file *file, uint64_t ts)
{
	size_t begin;

	if (file->has_clock && !lines->style.nanoseconds)
		ts = (ts + 500) / 1000;
	text_char(out, ' ');
	begin = out->len;
	if (lines->last_ts)
		text_printf(out, "(+%" PRId64 ")", (int64_t)(ts - lines->last_ts));
	lines->last_ts = ts;
	if (out->len - begin < 8)
		text_pad(out, 8 - (out->len - begin));
}

void report_line_lost(const struct report_event *event, struct text *out)
{
	/* trace-cmd sees the mark only on a record that begins its sub-buffer; it holds the count as an int. */
	int count = event->lost_known ? (int)event->lost_count : -1;

	if (!event->lost || !event->event.first_in_page || !count)
		return;
	if (count > 0)
		text_printf(out, "CPU:%d [%d EVENTS DROPPED]\n", event->event.cpu, count);
	else
		text_printf(out, "CPU:%d [EVENTS DROPPED]\n", event->event.cpu);
}

struct print_record report_print_record(const struct trace_event *event)
{
	return (struct print_record){ .type = event->type, .data = event->data, .size = event->size, .room = event->room,
				      .ts = (uint64_t)event->ts, .cpu = event->cpu };
}

bool report_line(struct report_lines *lines, struct report_file *file, const struct report_event *event,
		 const struct report_event *next, struct text *out)
{
	static const char unknown[] = "[UNKNOWN EVENT]";
	const struct report_style *style = &lines->style;
	const struct trace_event *e = &event->event;
	const struct report_name *name = get_name(file, e->type_id);
	uint64_t ts = (uint64_t)(style->raw_ts ? (int64_t)e->raw_ts : e->ts);
	struct print_record rec = report_print_record(e), following;
	bool merged = false;

	if (name->known)
		add_task(out, get_comm(file, e->pid), e->pid, e->cpu, style->latency);
	else
		text_add(out, unknown);
	if (style->latency || style->era_34) {
		if (style->raw)
			text_printf(out, "-0x%x", e->flags);
		else if (!name->known)
			text_add(out, unknown);
		if (!style->raw && name->known && !style->latency)
			text_char(out, ' ');
		if (!style->raw && name->known)
			add_flags(out, lines, file, e);
	}
	if (name->known)
		add_time(out, ts, file->time);
	else
		text_add(out, unknown);
	if (style->ts_diff)
		add_difference(out, lines, file, ts);
	text_bytes(out, name->text, name->len);
	rec.ts = ts;
	if (next)
		following = report_print_record(&next->event);
	printer_text(file->printer, style->raw ? PRINT_TRACE_CMD_RAW : PRINT_TRACE_CMD, &rec, next ? &following : NULL,
		     &merged, out);
	return merged;
}
