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
static void add_time(struct trace *trace, const struct report_lines *lines,
		     const struct trace_event *e, struct text *out)
{
	bool known;
	int64_t ns = e->ts + trace_wall_offset_ns(trace, &known);
	int64_t since = e->ts - (int64_t)lines->before_ts;
	time_t seconds = ns / SECOND - (ns % SECOND < 0);
	struct tm local = { 0 };

	localtime_r(&seconds, &local);
	text_printf(out, "[%02d:%02d:%02d.%09d] ", local.tm_hour, local.tm_min, local.tm_sec,
		    (int)(ns - seconds * SECOND));
	if (lines->has_before)
		text_printf(out, "(+%" PRId64 ".%09" PRId64 ") ", since / SECOND, since % SECOND);
	else	/* in pieces: "??)" would be a trigraph */
		text_add(out, "(+?.????"
			      "????"
			      "?) ");
}

/* The host, of a buffer with its name or of uname's text "Linux HOST …". */
static void add_host(struct trace *trace, const struct trace_event *e, struct text *out)
{
	const struct source *file = trace_file_of(trace, e->file);
	const char *name = source_buffer(file, e->buffer)->name,
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

static bool add_head(const struct report_form *form, const struct report_lines *lines,
		     const struct trace_event *e, const char *comm, struct text *out)
{
	(void)comm;
	add_time(form->trace, lines, e, out);
	add_host(form->trace, e, out);
	add_name(e, out);
	add_contexts(e, out);
	text_add(out, "{ ");
	return false;
}

static void add_end(size_t len, struct text *out)
{
	text_add(out, len ? " }" : "}");
}

const struct report_line_style report_babeltrace = { .head = add_head,
						     .end = add_end,
						     .chained = true,
						     .has_buffers = true };
