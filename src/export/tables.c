/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables - which tables there are, and the passes over a trace that fill them. */
#include <ctype.h>

#include "parsers/types/field.h"
#include "src/export/tables_private.h"

#define NAME_BYTES	200u		/* most bytes of a file's name, before the ending */
#define INT(name)	{ name, PARQUET_INT }
#define STRING(name)	{ name, PARQUET_STRING }
#define EVENT		INT("id"), INT("ts")		/* from tables_row() */
#define SPAN		EVENT, INT("dur")
#define COLUMNS(...)	((const struct parquet_column[]){ __VA_ARGS__ })
#define TABLE(name, ...) \
	{ name, COLUMNS(STRING("trace"), __VA_ARGS__), \
	  sizeof(COLUMNS(STRING("trace"), __VA_ARGS__)) / sizeof(struct parquet_column) }

/* Rows have their values in the order of the columns. */
static const struct {
	const char	*name;
	const struct parquet_column *columns;	/* [nr] */
	unsigned int	nr;
} defs[NR_TABLES] = {
	[SCHED_SLICE] = TABLE("sched_slice", SPAN, INT("cpu"), INT("utid"), STRING("end_state"),
			      INT("priority"), INT("cut")),
	[THREAD_STATE] = TABLE("thread_state", SPAN, INT("cpu"), INT("utid"), STRING("state"),
			       INT("io_wait"), STRING("blocked_function"), INT("waker_utid"),
			       INT("irq_context"), INT("cut"), INT("doubtful"), INT("throttled")),
	[THREAD] = TABLE("thread", INT("utid"), INT("tid"), STRING("name"), INT("upid"),
			 INT("is_main_thread")),
	[PROCESS] = TABLE("process", INT("upid"), INT("pid"), STRING("name")),
	[SLICE] = TABLE("slice", SPAN, INT("cpu"), INT("utid"), STRING("category"), STRING("name"),
			INT("depth"), INT("parent_id")),
	[IRQ_SLICE] = TABLE("irq_slice", SPAN, INT("cpu"), INT("irq"), STRING("name"),
			    INT("doubtful")),
	[SOFTIRQ_SLICE] = TABLE("softirq_slice", SPAN, INT("cpu"), INT("vec"), STRING("name"),
				INT("doubtful")),
	[COUNTER] = TABLE("counter", EVENT, STRING("name"), INT("cpu"), INT("upid"), INT("value")),
	[FTRACE_EVENT] = TABLE("ftrace_event", EVENT, STRING("name"), STRING("system"), INT("cpu"),
			       INT("utid"), INT("common_flags"), INT("arg_set_id"),
			       STRING("instance")),
	[ARGS] = TABLE("args", INT("arg_set_id"), STRING("flat_key"), STRING("key"),
		       { "int_value", PARQUET_PLAIN }, STRING("string_value"),
		       STRING("value_type")),
	[WAKEUP] = TABLE("wakeup", SPAN, INT("run_ts"), INT("cpu"), INT("utid"), STRING("comm"),
			 INT("waker_utid"), STRING("waker_comm"), INT("irq_context"),
			 STRING("context"), INT("doubtful")),
	[LATENCY] = TABLE("latency", SPAN, STRING("kind"), STRING("name"), INT("cpu"), INT("utid"),
			  STRING("comm"), INT("value"), INT("doubtful")),
};

struct cell tables_number(const struct trace_event *event, const char *name)
{
	const struct event_field *f = event->type ? event_type_field(event->type, name) : NULL;

	if (!f || !event_field_is_number(f))
		return cell_null();
	return cell_int((int64_t)field_u64(f, event->data, event->size, event->swap));
}

void tables_name(const char *s, size_t len, struct text *out)
{
	for (size_t i = 0; i < len && i < NAME_BYTES; i++) {
		bool plain = isalnum((unsigned char)s[i]) || (i && s[i] == '.') ||
			     strchr("_+-", s[i]);

		text_char(out, plain && (unsigned char)s[i] < 0x80 ? s[i] : '_');
	}
	if (!len)
		text_char(out, '_');
}

static int open_tables(struct tables *t, const struct tables_options *o, struct ft_error *err)
{
	struct text path = { 0 };
	int fd = 0;

	for (unsigned int i = 0; i < NR_TABLES && fd >= 0; i++) {
		text_clear(&path);
		text_printf(&path, "%s/%s/%s%s", o->folder, defs[i].name, o->name,
			    o->csv ? ".csv" : ".parquet");
		fd = o->begin(text_str(&path), err);
		if (fd >= 0)
			t->files[i] = parquet_new(fd, defs[i].columns, defs[i].nr, o->csv,
						  trace_workers(t->trace));
	}
	text_fini(&path);
	return fd < 0 ? -1 : 0;
}

static int end_tables(struct tables *t, const struct tables_options *o, struct ft_error *err)
{
	for (unsigned int i = 0; i < NR_TABLES; i++)
		if (parquet_end(t->files[i], err))
			return ft_error_prefix(err, "%s/%s/%s", o->folder, defs[i].name, o->name);
	return 0;
}

/* A worker makes the largest tables meanwhile. */
static int fill_tables(struct tables *t, struct ft_error *err)
{
	struct event_rows *events = tables_events(t);
	int ret;

	tables_calls(t);
	ret = tables_latency(t, err);
	tables_events_end(events);
	tables_tasks(t);
	return ret;
}

int tables_export(struct trace *trace, const struct tables_options *options, struct ft_error *err)
{
	struct tables t = { .trace = trace, .name = cell_name(options->name),
			    .timed = !trace_is_untimed(trace, 0) };
	int ret = open_tables(&t, options, err) || fill_tables(&t, err) ||
				  end_tables(&t, options, err) ?
			  -1 :
			  0;

	for (unsigned int i = 0; i < NR_TABLES; i++)
		parquet_free(t.files[i]);
	number_set_fini(&t.event_tasks);
	number_set_fini(&t.tasks);
	text_fini(&t.text);
	text_fini(&t.key);
	return ret;
}
