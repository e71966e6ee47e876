/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/printer/printer_helper.h"

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "parsers/io/byte_reader.h"
#include "parsers/print/print_record.h"
#include "parsers/printer/printer_plugins.h"
#include "parsers/printer/printer_wire.h"
#include "parsers/source/record_bound.h"
#include "src/base/memory.h"

#define SECONDS		3		/* seconds of processor time that one answer may take */

/*
 * A record says where a string or an array is, and libtraceevent does not always check that it ends
 * within the record.  So records are printed from a buffer padded with zeros, as many as two 16-bit
 * numbers can address.
 */
#define RECORD_ZEROS	(640u << 10)
#define ROOM		(PRINT_RECORD_MAX + RECORD_ZEROS)

struct helper {
	int			 fd;
	void			 (*shut_in)(int folder);
	struct tep_handle	*tep;		/* NULL before WIRE_BEGIN */
	uint32_t		 flags;		/* WIRE_BEGIN's */
	struct printer_plugins	 plugins;
	bool			 fgraph_options; /* registered */
	struct trace_seq	 seq;
	uint8_t			*room;		/* [ROOM] */
	uint32_t		 room_used;	/* bytes of room that may not be zero */
	struct text		 question, symbol;
	void			*names;		/* names of symbols, which the library may keep */
};

/*
 * When it parses some print formats, libtraceevent 1.7.1 compares a word that it has freed, and on
 * others it leaks.  We cannot fix that, and the sanitizers should watch our own memory.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)	/* clang's name for it */
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
const char *__asan_default_suppressions(void);
const char *__asan_default_suppressions(void)
{
	return "interceptor_via_lib:libtraceevent.so\n";
}

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so\n";
}
#endif

static struct tep_plugin_option fgraph_options[] = {
	{ .name = "tailprint", .plugin_alias = "fgraph",
	  .description = "Print the function's name at its exit" },
	{ .name = "depth", .plugin_alias = "fgraph",
	  .description = "Show the depth of each entry and exit" },
	{ .name = NULL },
};

/* Called by libtraceevent for a symbol. */
static char *resolve_symbol(void *priv, unsigned long long *address, char **module)
{
	struct helper *helper = priv;
	struct wire wire = { .what = WIRE_SYMBOL, .number = *address };
	const char *name;

	if (wire_send(helper->fd, &wire, NULL, FRAMING_NO_LIMIT) ||
	    wire_receive(helper->fd, &wire, &helper->symbol, WIRE_MAX_ANSWER, FRAMING_NO_LIMIT) ||
	    !(wire.flags & WIRE_KNOWN))
		return NULL;
	name = text_str(&helper->symbol);
	*address = wire.number;
	*module = strlen(name) + 1 < helper->symbol.len ?
			  (char *)wire_keep(&helper->names, name + strlen(name) + 1) :
			  NULL;
	return (char *)wire_keep(&helper->names, name);
}

/*
 * trace-cmd registers handlers for the function tracers' events, and a user's plugin replaces them.
 * The printer prints these events itself: this one only marks them.
 */
static int own_handler(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
		       void *context)
{
	(void)s;
	(void)record;
	(void)event;
	(void)context;
	return 1;
}

/* --- opening ------------------------------------------------------------ */

/* libtraceevent would toggle an option that is set twice. */
static void tell_option(const char *options, const char *option)
{
	const char *value = strchr(option, '=');
	char *name;

	for (const char *o = options; o < option; o += strlen(o) + 1)
		if (!strcmp(o, option))
			return;
	name = mem_strndup(option, value ? (size_t)(value - option) : strlen(option));
	tep_plugin_add_option(name, value ? value + 1 : NULL);
	free(name);
}

/* trace-cmd's order: of two handlers for one event, the one registered last is used. */
static void add_handlers(struct helper *helper)
{
	static const char *const own[] = { "function", "funcgraph_entry", "funcgraph_exit" };
	const char *options = text_str(&helper->question);
	bool system = !(helper->flags & WIRE_NO_SYSTEM_PLUGINS);

	for (size_t at = 0; at < helper->question.len; at += strlen(options + at) + 1)
		tell_option(options, options + at);
	if (helper->flags & WIRE_NO_PLUGINS)
		return;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && system; i++)
		tep_register_event_handler(helper->tep, -1, "ftrace", (char *)own[i], own_handler,
					   helper);
	if (system)
		helper->fgraph_options = tep_plugin_add_options("ftrace", fgraph_options) == 0;
	printer_plugins_load(&helper->plugins, helper->tep, system);
}

static int begin(struct helper *helper, struct wire *wire, struct text *out)
{
	helper->tep = tep_alloc();
	helper->room = mem_try_alloc(ROOM, NULL);
	if (!helper->tep || !helper->room)
		return -1;
	helper->flags = wire->flags;
	tep_set_file_bigendian(helper->tep,
			       wire->flags & WIRE_BIG_ENDIAN ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(helper->tep, HOST_BIG_ENDIAN ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(helper->tep, wire->flags & WIRE_LONG_IS_4 ? 4 : 8);
	tep_set_function_resolver(helper->tep, resolve_symbol, helper);
	add_handlers(helper);
	wire->flags = (fgraph_options[0].set ? WIRE_TAILPRINT : 0) |
		      (fgraph_options[1].set ? WIRE_DEPTH : 0);
	if (helper->plugins.folder)
		text_add(out, helper->plugins.folder);
	if (helper->shut_in)
		helper->shut_in(-1);
	return 0;
}

static void parse_format(struct helper *helper, struct wire *wire)
{
	const char *system = text_str(&helper->question), *format = system + strlen(system) + 1;
	struct tep_event *event;

	if (format <= system + helper->question.len)
		tep_parse_event(helper->tep, format,
				helper->question.len - (size_t)(format - system), system);
	event = tep_find_event(helper->tep, wire->id);
	if (!event)
		return;
	wire->flags = WIRE_KNOWN;
	if (event->handler == own_handler)
		wire->flags |= WIRE_IS_OWN;
	else if (event->handler && printer_plugins_is_users((void *)event->handler))
		wire->flags |= WIRE_IS_USERS;
}

/* --- records ------------------------------------------------------------ */

/* Copy the record, which follows a NUL in the question's bytes, into a buffer padded with zeros. */
static bool pad_record(struct helper *helper, const struct wire *wire, const char *bytes,
		       struct tep_record *record)
{
	size_t begin = strlen(bytes) + 1;
	uint32_t copied = wire->bytes < begin ? 0 : (uint32_t)(wire->bytes - begin);

	if (copied > PRINT_RECORD_MAX + PRINT_RECORD_TAIL || wire->size > ROOM)
		return false;
	memcpy(helper->room, bytes + begin, copied);
	if (helper->room_used > copied)
		memset(helper->room + copied, 0, helper->room_used - copied);
	helper->room_used = copied;
	*record = (struct tep_record){ .ts = wire->number, .cpu = wire->cpu, .data = helper->room,
				       .size = (int)wire->size };
	return true;
}

/*
 * Append the text as trace-cmd's line shows it: up to the first NUL (which a %c of 0 adds), without
 * one newline at the end.
 */
static void take_text(struct helper *helper, struct text *out)
{
	struct trace_seq *s = &helper->seq;
	size_t len = s->len;

	if (s->state != TRACE_SEQ__GOOD) {
		trace_seq_destroy(s);
		trace_seq_init(s);
		text_add(out, "(no memory for this text)");
		return;
	}
	if (len && s->buffer[len - 1] == '\n')
		len--;
	if (len > RECORD_TEXT_BYTES + 1)	/* who asked cuts what is too long, and tells */
		len = RECORD_TEXT_BYTES + 1;
	text_bytes(out, s->buffer, strnlen(s->buffer, len));
}

/* A handler may leave the rest to the print format: libtraceevent then continues with that. */
static void print_info(struct helper *helper, struct tep_event *event, struct tep_record *record,
		       bool handled)
{
	int flags = event->flags;

	if (handled && event->handler && event->handler != own_handler &&
	    !(flags & (TEP_EVENT_FL_NOHANDLE | TEP_EVENT_FL_PRINTRAW)) &&
	    event->handler(&helper->seq, record, event, event->context) == 0)
		return;
	event->flags |= TEP_EVENT_FL_NOHANDLE;
	tep_print_event(helper->tep, &helper->seq, record, "%s", TEP_PRINT_INFO);
	event->flags = flags;
}

static const char *repeat_format(enum print_time time)
{
	switch (time) {
	case PRINT_TIME_US:
		return "%6.1000d";
	case PRINT_TIME_NS:
		return "%9.1d";
	case PRINT_TIME_COUNT:
		return "%12d";
	}
	return "%6.1000d";
}

static void print_record(struct helper *helper, const struct wire *wire, const char *bytes,
			 struct text *out)
{
	struct tep_event *event = tep_find_event(helper->tep, wire->id);
	struct tep_record record;

	if (!event || !pad_record(helper, wire, bytes, &record))
		return;
	/*
	 * The sched plugin registers the names of every switch it prints.  On the first look-up of
	 * a pid the library turns the list of names into an array without duplicates; before that,
	 * it grows with every event.  A report looks up the pid of each line, and which of two
	 * names it gets depends on the time of the first look-up: so leave it alone.
	 */
	if (wire->flags & WIRE_SORT_NAMES)
		tep_is_pid_registered(helper->tep, 1);
	if (helper->plugins.repeat_format)
		*helper->plugins.repeat_format = repeat_format((enum print_time)wire->time);
	trace_seq_reset(&helper->seq);
	/* since libtraceevent 1.8 with addresses */
	if (wire->style == PRINT_TRACE_CMD_RAW && helper->flags & WIRE_ERA_34)
		tep_print_event(helper->tep, &helper->seq, &record, "%s", TEP_PRINT_INFO_RAW);
	else if (wire->style == PRINT_TRACE_CMD_RAW)
		tep_record_print_fields(&helper->seq, &record, event);
	else
		print_info(helper, event, &record, !(wire->flags & WIRE_NO_HANDLER));
	take_text(helper, out);
}

static bool limit_time(void)
{
	const struct itimerval limit = { .it_value.tv_sec = SECONDS };

	return !setitimer(ITIMER_PROF, &limit, NULL);
}

/* Return: -1 if the question does not hold what its heads say. */
static int print_records(struct helper *helper, struct text *out)
{
	const char *at = text_str(&helper->question), *end = at + helper->question.len;

	while (at < end) {
		struct wire wire;
		uint32_t len = 0;
		size_t begin;

		if ((size_t)(end - at) < sizeof(wire))
			return -1;
		memcpy(&wire, at, sizeof(wire));
		at += sizeof(wire);
		if (wire.bytes > (size_t)(end - at))
			return -1;
		limit_time();
		text_bytes(out, (const char *)&len, sizeof(len));
		begin = out->len;
		print_record(helper, &wire, at, out);
		len = (uint32_t)(out->len - begin);
		memcpy(out->data + begin - sizeof(len), &len, sizeof(len));
		at += wire.bytes;
	}
	return 0;
}

static void print_field(struct helper *helper, struct wire *wire, struct text *out)
{
	struct tep_event *event = tep_find_event(helper->tep, wire->id);
	struct tep_format_field *field = event ? tep_find_any_field(event,
								    text_str(&helper->question)) :
						 NULL;
	struct tep_record record;

	if (!field || !pad_record(helper, wire, text_str(&helper->question), &record))
		return;
	wire->flags = WIRE_KNOWN;
	trace_seq_reset(&helper->seq);
	tep_print_field_content(&helper->seq, record.data, record.size, field);
	trace_seq_terminate(&helper->seq);
	take_text(helper, out);
}

/* --- questions ---------------------------------------------------------- */

/* Return: 0 with the answer in *wire and @out, or -1: that is none. */
static int answer(struct helper *helper, struct wire *wire, struct text *out)
{
	char *text = (char *)text_str(&helper->question);

	if (!helper->tep != (wire->what == WIRE_BEGIN))
		return -1;
	switch ((enum wire_what)wire->what) {
	case WIRE_BEGIN:
		return begin(helper, wire, out);
	case WIRE_CMDLINES:
		tep_parse_saved_cmdlines(helper->tep, text);
		return 0;
	case WIRE_PRINTK:
		tep_parse_printk_formats(helper->tep, text);
		return 0;
	case WIRE_ADDRESS:
		tep_register_function(helper->tep, text, wire->number, NULL);
		return 0;
	case WIRE_FORMAT:
		parse_format(helper, wire);
		return 0;
	case WIRE_TEXT:
		print_record(helper, wire, text, out);
		return 0;
	case WIRE_TEXTS:
		return print_records(helper, out);
	case WIRE_FIELD:
		print_field(helper, wire, out);
		return 0;
	case WIRE_COMM:
		text_add(out, tep_data_comm_from_pid(helper->tep, wire->id));
		return 0;
	case WIRE_ANSWER:
	case WIRE_SYMBOL:
		break;
	}
	return -1;
}

void printer_helper_serve(int fd, void (*shut_in)(int folder))
{
	struct helper helper = { .fd = fd, .shut_in = shut_in };
	struct text out = { 0 };
	struct wire wire;

	trace_seq_init(&helper.seq);
	while (!wire_receive(fd, &wire, &helper.question, WIRE_MAX_QUESTION, FRAMING_NO_LIMIT)) {
		text_clear(&out);
		if (!limit_time() || answer(&helper, &wire, &out))
			break;
		wire.what = WIRE_ANSWER;
		wire.bytes = (uint32_t)out.len;
		if (wire_send(fd, &wire, text_str(&out), FRAMING_NO_LIMIT))
			break;
	}
	if (helper.tep)
		printer_plugins_unload(&helper.plugins, helper.tep);
	if (helper.fgraph_options)
		tep_plugin_remove_options(fgraph_options);
	tep_free(helper.tep);
	trace_seq_destroy(&helper.seq);
	wire_forget(&helper.names);
	free(helper.room);
	text_fini(&helper.question);
	text_fini(&helper.symbol);
	text_fini(&out);
}
