/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_babeltrace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "parsers/ctf/ctf_names.h"
#include "parsers/types/field.h"

#define SECOND	1000000000

/* "[19:26:34.359148425] (+0.000000822) ": local time; the time since the line before */
static void add_time(struct report_styled *s, const struct trace_event *e, struct text *out)
{
	bool known;
	int64_t ns = e->ts + trace_wall_offset_ns(s->trace, &known);
	time_t seconds = ns / SECOND - (ns % SECOND < 0);
	struct tm local = { 0 };

	localtime_r(&seconds, &local);
	text_printf(out, "[%02d:%02d:%02d.%09d] ", local.tm_hour, local.tm_min, local.tm_sec,
		    (int)(ns - seconds * SECOND));
	if (s->has_last)
		text_printf(out, "(+%" PRId64 ".%09" PRId64 ") ", (e->ts - s->last_ts) / SECOND,
			    (e->ts - s->last_ts) % SECOND);
	else
		text_add(out, "(+?.????"
			      "????"
			      "?) ");
	s->last_ts = e->ts;
	s->has_last = true;
}

/* The host, of a buffer with its name or of uname's text "Linux HOST …". */
static void add_host(const struct report_styled *s, const struct trace_event *e, struct text *out)
{
	const struct source *file = trace_file_of(s->trace, e->file);
	const char *name = source_buffer(file, (unsigned int)e->buffer)->name,
		   *blank = strchr(source_info(file)->uname, ' ');

	if (!*name && blank)
		text_printf(out, "%.*s ", (int)strcspn(blank + 1, " "), blank + 1);
	else if (*name)
		text_printf(out, "%s ", name);
}

/* Events of user space are "PROVIDER:EVENT". */
static void add_name(const struct trace_event *e, struct text *out)
{
	if (e->type && strcmp(ctf_names_system(e->type->name), e->type->system) != 0)
		text_printf(out, "%s:", e->type->system);
	text_printf(out, "%s: ", trace_event_name(e));
}

/* "{ cpu_id = 3 }, { procname = "challenger", vtid = 10611 }, " */
static void add_contexts(const struct trace_event *e, struct text *out)
{
	static const char prefix[] = "context_";
	const unsigned int len = sizeof(prefix) - 1;
	struct text value = { 0 };
	bool any = false;

	text_printf(out, "{ cpu_id = %d }, ", e->cpu);
	for (unsigned int i = 0; e->type && i < e->type->nr_fields; i++) {
		const struct event_field *f = &e->type->fields[i];
		const char *quote = "";

		/* the print format has the fields of the payload */
		if (strncmp(f->name, prefix, len) != 0 || strstr(e->type->print_fmt, f->name))
			continue;
		text_clear(&value);
		field_text(f, e->data, e->size, e->swap, &value);
		/* arrays and structures are texts, too */
		if (!event_field_is_number(f) && (!value.len || !strchr("[{", value.data[0])))
			quote = "\"";
		text_printf(out, "%s%s = %s%s%s", any ? ", " : "{ ", f->name + len, quote,
			    text_str(&value), quote);
		any = true;
	}
	text_add(out, any ? " }, " : "");
	text_fini(&value);
}

void report_babeltrace_line(struct report_styled *s, const struct trace_event *event,
			    struct text *out)
{
	size_t from;

	add_time(s, event, out);
	add_host(s, event, out);
	add_name(event, out);
	add_contexts(event, out);
	text_add(out, "{ ");
	from = out->len;
	trace_event_text(s->trace, event, NULL, TRACE_TEXT_KERNEL, out);
	text_add(out, out->len > from ? " }\n" : "}\n");
}
