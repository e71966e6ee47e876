/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/printer/printer_library.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "parsers/types/field.h"
#include "parsers/text/graph_text.h"
#include "parsers/printer/printer_library_format.h"
#include "parsers/printer/printer_plugins.h"
#include "src/base/memory.h"

/*
 * A record says where a string or an array is, and libtraceevent does not always check that it ends
 * within the record.  So records are printed from a buffer padded with zeros, as many as two 16-bit
 * numbers can address; a record with a larger count in a field is not given to it at all.
 */
#define RECORD_ZEROS	(640u << 10)
#define MAX_COUNT	65535u		/* elements of 8 bytes within record and zeros */

#define MAX_ID		65535
#define IDS_PER_LEAF	256

struct cached_event {
	struct tep_event	*event;		/* NULL: libtraceevent has no type with this id */
	bool			 looked;
	unsigned int		 nr_counts;
	const struct event_field *counts[PRINTER_LIBRARY_FORMAT_COUNTS]; /* fields that its print
									  * format uses as
									  * element counts */
};

struct printer_library {
	struct printer		*printer;	/* borrowed: owns the symbols */
	const struct trace_file	*file;		/* borrowed */
	struct event_types	*types;		/* borrowed */
	struct tep_handle	*tep;
	struct printer_plugins	 plugins;
	enum print_time		 time;
	const struct printer_options *options;	/* borrowed */
	bool			 fgraph_options; /* registered */
	bool			 names_read;	/* cmdlines and printk formats */
	struct trace_seq	 seq;
	uint8_t			*room;		/* [PRINT_RECORD_MAX + RECORD_ZEROS] */
	uint32_t		 room_used;	/* bytes of room that may not be zero */
	struct cached_event	*events[(MAX_ID + 1) / IDS_PER_LEAF];
	struct graph_text	 graph;
	bool			 graph_ready;
	struct text		 scratch;
	/* The record being printed, for the handlers that libtraceevent calls. */
	const struct print_record *rec, *next;
	bool			 merged;
};

/*
 * Plugins keep state per process (indent of functions, options), and so do parts of
 * libtraceevent: one lock for all printers.
 */
static pthread_mutex_t libtraceevent_lock = PTHREAD_MUTEX_INITIALIZER;

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

/* The previous `report -O` options: libtraceevent would toggle an option that is set twice. */
static struct {
	char		**names;
	unsigned int	nr, cap;
} told_options;

static struct tep_plugin_option fgraph_options[] = {
	{ .name = "tailprint", .plugin_alias = "fgraph",
	  .description = "Print the function's name at its exit" },
	{ .name = "depth", .plugin_alias = "fgraph",
	  .description = "Show the depth of each entry and exit" },
	{ .name = NULL },
};

static const struct kallsyms *get_syms(struct printer_library *lib)
{
	return printer_kallsyms(lib->printer);
}

/* Called by libtraceevent for a symbol. */
static char *resolve_symbol(void *priv, unsigned long long *address, char **module)
{
	struct kallsyms_symbol s;

	if (!kallsyms_find_as_tep(get_syms(priv), *address, &s))
		return NULL;
	*address = s.start;
	*module = (char *)s.module;
	return (char *)s.name;
}

static bool trace_swaps(const struct printer_library *lib)
{
	return trace_file_info(lib->file)->big_endian != HOST_BIG_ENDIAN;
}

static const struct graph_text *get_graph(struct printer_library *lib)
{
	if (!lib->graph_ready)
		graph_text_init(&lib->graph, lib->types, trace_swaps(lib));
	lib->graph_ready = true;
	lib->graph.tailprint = fgraph_options[0].set;
	lib->graph.depth = fgraph_options[1].set;
	return &lib->graph;
}

/* --- handlers of function_graph and function, as trace-cmd registers them --- */

static bool print_own(struct printer_library *lib, const char *name, struct text *out)
{
	const struct graph_text *g = get_graph(lib);

	if (!strcmp(name, "function"))
		return graph_text_function(g, get_syms(lib), lib->rec, out);
	if (!strcmp(name, "funcgraph_exit"))
		return graph_text_exit(g, get_syms(lib), lib->rec, out);
	lib->merged = graph_text_is_leaf(g, lib->rec, lib->next);
	return graph_text_entry(g, get_syms(lib), lib->rec, lib->merged ? lib->next : NULL, out);
}

static int own_handler(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
		       void *context)
{
	struct printer_library *lib = context;
	bool done;

	(void)record;
	text_clear(&lib->scratch);
	done = print_own(lib, event->name, &lib->scratch);
	trace_seq_puts(s, text_str(&lib->scratch));
	return done ? 0 : 1;
}

/* --- opening ------------------------------------------------------------ */

static void tell_option(const char *option)
{
	const char *value = strchr(option, '=');
	char *name;

	for (unsigned int i = 0; i < told_options.nr; i++)
		if (!strcmp(told_options.names[i], option))
			return;
	mem_grow(&told_options.names, told_options.nr, &told_options.cap);
	told_options.names[told_options.nr++] = mem_strdup(option);
	name = mem_strndup(option, value ? (size_t)(value - option) : strlen(option));
	tep_plugin_add_option(name, value ? value + 1 : NULL);
	free(name);
}

/* trace-cmd's order: of two handlers for one event, the one registered last is used. */
static void add_handlers(struct printer_library *lib)
{
	const struct printer_options *options = lib->options;
	struct tep_handle *tep = lib->tep;

	for (unsigned int i = 0; i < options->nr_plugin_options; i++)
		tell_option(options->plugin_options[i]);
	if (options->no_plugins)
		return;
	if (!options->no_system_plugins) {
		tep_register_event_handler(tep, -1, "ftrace", "function", own_handler, lib);
		tep_register_event_handler(tep, -1, "ftrace", "funcgraph_entry", own_handler, lib);
		tep_register_event_handler(tep, -1, "ftrace", "funcgraph_exit", own_handler, lib);
		lib->fgraph_options = tep_plugin_add_options("ftrace", fgraph_options) == 0;
	}
	printer_plugins_load(&lib->plugins, tep, !options->no_system_plugins);
}

struct printer_library *printer_library_new(struct printer *printer, const struct trace_file *file,
					    struct event_types *types,
					    const struct printer_options *options)
{
	const struct trace_file_info *info = trace_file_info(file);
	struct printer_library *lib = mem_alloc(sizeof(*lib));

	lib->printer = printer;
	lib->file = file;
	lib->types = types;
	lib->options = options;
	pthread_mutex_lock(&libtraceevent_lock);
	lib->tep = tep_alloc();
	trace_seq_init(&lib->seq);
	if (lib->tep) {
		tep_set_file_bigendian(lib->tep,
				       info->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
		tep_set_local_bigendian(lib->tep,
					HOST_BIG_ENDIAN ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
		tep_set_long_size(lib->tep, info->user_long_size == 4 ? 4 : 8);
		tep_set_function_resolver(lib->tep, resolve_symbol, lib);
		add_handlers(lib);
	}
	pthread_mutex_unlock(&libtraceevent_lock);
	lib->room = mem_try_alloc(PRINT_RECORD_MAX + RECORD_ZEROS, NULL);
	if (!lib->tep || !lib->room) {
		printer_library_free(lib);
		return NULL;
	}
	return lib;
}

void printer_library_free(struct printer_library *lib)
{
	if (!lib)
		return;
	pthread_mutex_lock(&libtraceevent_lock);
	printer_plugins_unload(&lib->plugins, lib->tep);
	if (lib->fgraph_options)
		tep_plugin_remove_options(fgraph_options);
	if (lib->tep)
		tep_free(lib->tep);
	trace_seq_destroy(&lib->seq);
	pthread_mutex_unlock(&libtraceevent_lock);
	for (size_t i = 0; i < sizeof(lib->events) / sizeof(lib->events[0]); i++)
		free(lib->events[i]);
	text_fini(&lib->scratch);
	free(lib->room);
	free(lib);
}

/* Names of tasks and texts of trace_printk: small, and needed by most records. */
static void read_names(struct printer_library *lib)
{
	uint64_t size;

	if (lib->names_read)
		return;
	lib->names_read = true;
	tep_parse_saved_cmdlines(lib->tep,
				 trace_file_section_text(lib->file, TRACE_TEXT_CMDLINES, &size));
	tep_parse_printk_formats(lib->tep,
				 trace_file_section_text(lib->file, TRACE_TEXT_PRINTK, &size));
}

/* --- events ------------------------------------------------------------- */

static struct tep_event *parse_event(struct printer_library *lib, int id)
{
	const struct trace_file_format *format = trace_file_format_by_id(lib->file, id);
	const struct event_type *type = event_types_find(lib->types, id);

	if (!format && type)		/* blktrace: a format made by us */
		format = type->format;
	if (!format)
		return NULL;
	if (type)
		printer_library_format_symbols(lib->printer, lib->tep, type->print_fmt);
	text_clear(&lib->scratch);
	printer_library_format_text(format, type, &lib->scratch);
	tep_parse_event(lib->tep, text_str(&lib->scratch), lib->scratch.len, format->system);
	return tep_find_event(lib->tep, id);
}

static bool counts_too_far(const struct printer_library *lib, const struct cached_event *cached)
{
	for (unsigned int i = 0; i < cached->nr_counts; i++)
		if (field_load(lib->rec->data, lib->rec->size, cached->counts[i]->offset,
			       cached->counts[i]->size, trace_swaps(lib)) > MAX_COUNT)
			return true;
	return false;
}

/* Print all fields from our own table. */
static void print_fields(const struct printer_library *lib, struct text *out)
{
	const struct event_type *type = lib->rec->type;

	text_add(out, "[FAILED TO PARSE]");
	for (unsigned int i = type->nr_common; i < type->nr_fields; i++) {
		text_printf(out, " %s=", type->fields[i].name);
		field_text(&type->fields[i], lib->rec->data, lib->rec->size, trace_swaps(lib), out);
	}
}

/* libtraceevent's type for an id; its format is parsed on first use. */
static struct cached_event *get_event(struct printer_library *lib, int id)
{
	struct cached_event **leaf, *cached;

	if (id < 0 || id > MAX_ID)
		return NULL;
	leaf = &lib->events[id / IDS_PER_LEAF];
	if (!*leaf)
		*leaf = mem_array(IDS_PER_LEAF, sizeof(**leaf));
	cached = &(*leaf)[id % IDS_PER_LEAF];
	if (!cached->looked) {
		const struct event_type *type = event_types_find(lib->types, id);

		cached->looked = true;
		cached->event = parse_event(lib, id);
		if (type)
			cached->nr_counts = printer_library_format_counts(type, cached->counts);
	}
	return cached->event ? cached : NULL;
}

static int record_id(const struct printer_library *lib, const struct print_record *rec)
{
	const struct common_layout *c = event_types_common(lib->types);

	return (int)field_load(rec->data, rec->size, c->type_offset, c->type_size,
			       trace_swaps(lib));
}

/* Copy the record into a buffer padded with zeros. */
static struct tep_record padded_record(struct printer_library *lib, const struct print_record *rec)
{
	uint32_t size = rec->size < PRINT_RECORD_MAX ? rec->size : PRINT_RECORD_MAX;
	uint32_t copied = print_record_readable(rec, size);
	struct tep_record r = { .ts = rec->ts, .cpu = rec->cpu, .data = lib->room };

	memcpy(lib->room, rec->data, copied);
	if (lib->room_used > copied)
		memset(lib->room + copied, 0, lib->room_used - copied);
	lib->room_used = copied;
	/*
	 * A field that reaches to the record's end must not begin past it: libtraceevent would
	 * compute a negative size.
	 */
	for (unsigned int i = 0; rec->type && i < rec->type->nr_fields; i++)
		if (!rec->type->fields[i].size && rec->type->fields[i].offset > size)
			size = rec->type->fields[i].offset;
	r.size = (int)size;
	return r;
}

/*
 * Append the text as trace-cmd's line shows it: up to the first NUL (which a %c of 0 adds), without
 * one newline at the end.
 */
static void take_text(struct printer_library *lib, struct text *out)
{
	struct trace_seq *s = &lib->seq;
	size_t len = s->len;

	if (s->state != TRACE_SEQ__GOOD) {
		trace_seq_destroy(s);
		trace_seq_init(s);
		text_add(out, "(no memory for this text)");
		return;
	}
	if (len && s->buffer[len - 1] == '\n')
		len--;
	text_bytes(out, s->buffer, strnlen(s->buffer, len));
}

/* A handler may leave the rest to the print format: libtraceevent then continues with that. */
static void print_info(struct printer_library *lib, struct tep_event *event,
		       struct tep_record *record)
{
	int flags = event->flags;

	if (event->handler && !(flags & (TEP_EVENT_FL_NOHANDLE | TEP_EVENT_FL_PRINTRAW)) &&
	    event->handler(&lib->seq, record, event, event->context) == 0)
		return;
	event->flags |= TEP_EVENT_FL_NOHANDLE;
	tep_print_event(lib->tep, &lib->seq, record, "%s", TEP_PRINT_INFO);
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

/* Graph records like trace-cmd, bypassing libtraceevent. */
static bool print_directly(struct printer_library *lib, const struct tep_event *event,
			   struct text *out)
{
	size_t begin = out->len;
	bool done;

	if (event->flags & (TEP_EVENT_FL_NOHANDLE | TEP_EVENT_FL_PRINTRAW) ||
	    event->handler != own_handler || !strcmp(event->name, "function"))
		return false;
	done = print_own(lib, event->name, out);
	if (!done) {
		out->len = begin;
		lib->merged = false;
	}
	return done;
}

/* Out of order, the function plugin's indent would be arbitrary: print the name only. */
static bool print_unindented(struct printer_library *lib, const struct tep_event *event,
			     struct text *out)
{
	const struct event_field *f;
	struct kallsyms_symbol s;
	uint64_t ip;

	if (lib->options->sequential || lib->options->no_plugins || event->handler == own_handler ||
	    !lib->rec->type || strcmp(event->system, "ftrace") || strcmp(event->name, "function"))
		return false;
	f = event_type_field(lib->rec->type, "ip");
	if (!f)
		return false;
	ip = field_u64(f, lib->rec->data, lib->rec->size, trace_swaps(lib));
	if (kallsyms_find_as_tep(get_syms(lib), ip, &s))
		text_add(out, s.name);
	else
		text_printf(out, "0x%" PRIx64, ip);
	return true;
}

static void print_with_library(struct printer_library *lib, enum print_style style,
			       const struct cached_event *cached, struct text *out)
{
	struct tep_event *event = cached->event;
	struct tep_record record;

	if (cached->nr_counts && lib->rec->type && counts_too_far(lib, cached)) {
		print_fields(lib, out);
		return;
	}
	record = padded_record(lib, lib->rec);

	if (lib->plugins.repeat_format)
		*lib->plugins.repeat_format = repeat_format(lib->time);
	trace_seq_reset(&lib->seq);
	/* since libtraceevent 1.8 with addresses */
	if (style == PRINT_TRACE_CMD_RAW && lib->options->era_34)
		tep_print_event(lib->tep, &lib->seq, &record, "%s", TEP_PRINT_INFO_RAW);
	else if (style == PRINT_TRACE_CMD_RAW)
		tep_record_print_fields(&lib->seq, &record, event);
	else
		print_info(lib, event, &record);
	take_text(lib, out);
}

void printer_library_text(struct printer_library *lib, enum print_style style,
			  const struct print_record *rec, const struct print_record *next,
			  bool *merged, struct text *out)
{
	struct cached_event *cached;

	pthread_mutex_lock(&libtraceevent_lock);
	lib->rec = rec;
	lib->next = next;
	lib->merged = false;
	read_names(lib);
	/*
	 * The sched plugin registers the names of every switch it prints.  On the first look-up of
	 * a pid the library turns the list of names into an array without duplicates; before that,
	 * it grows with every event.  A report looks up the pid of each line, and which of two
	 * names it gets depends on the time of the first look-up: so leave it alone.
	 */
	if (style == PRINT_KERNEL || !lib->options->sequential)
		tep_is_pid_registered(lib->tep, 1);
	cached = get_event(lib, record_id(lib, rec));
	if (!cached)
		text_add(out, "[UNKNOWN EVENT]");
	else if (style == PRINT_TRACE_CMD_RAW || (!print_directly(lib, cached->event, out) &&
						  !print_unindented(lib, cached->event, out)))
		print_with_library(lib, style, cached, out);
	*merged = lib->merged;
	lib->rec = lib->next = NULL;
	pthread_mutex_unlock(&libtraceevent_lock);
}

void printer_library_set_time(struct printer_library *lib, enum print_time time)
{
	lib->time = time;
}

/* Is the event's handler one of the user's plugins?  The event must have been parsed. */
bool printer_library_is_users(struct printer_library *lib, int id)
{
	struct cached_event *cached;
	bool users;

	pthread_mutex_lock(&libtraceevent_lock);
	cached = get_event(lib, id);
	users = cached && cached->event->handler &&
		printer_plugins_is_users((void *)cached->event->handler);
	pthread_mutex_unlock(&libtraceevent_lock);
	return users;
}

/* --- single fields, names ----------------------------------------------- */

void printer_library_field(struct printer_library *lib, const struct print_record *rec,
			   const struct event_field *field, struct text *out)
{
	struct tep_format_field *f = NULL;
	struct cached_event *cached;
	struct tep_record record;

	pthread_mutex_lock(&libtraceevent_lock);
	read_names(lib);
	cached = get_event(lib, record_id(lib, rec));
	lib->rec = rec;
	if (cached && !(cached->nr_counts && counts_too_far(lib, cached)))
		f = tep_find_any_field(cached->event, field->name);
	lib->rec = NULL;
	if (f) {
		record = padded_record(lib, rec);
		trace_seq_reset(&lib->seq);
		tep_print_field_content(&lib->seq, record.data, record.size, f);
		trace_seq_terminate(&lib->seq);
		take_text(lib, out);
	} else {
		field_text(field, rec->data, rec->size, trace_swaps(lib), out);
	}
	pthread_mutex_unlock(&libtraceevent_lock);
}

const char *printer_library_comm(struct printer_library *lib, int pid)
{
	const char *comm;

	pthread_mutex_lock(&libtraceevent_lock);
	read_names(lib);
	comm = tep_data_comm_from_pid(lib->tep, pid);
	pthread_mutex_unlock(&libtraceevent_lock);
	return comm;
}

const char *printer_library_event_name(struct printer_library *lib, int id)
{
	struct cached_event *cached;

	pthread_mutex_lock(&libtraceevent_lock);
	cached = get_event(lib, id);
	pthread_mutex_unlock(&libtraceevent_lock);
	return cached ? cached->event->name : NULL;
}

const char *printer_library_plugins(const struct printer_library *lib)
{
	return lib->plugins.folder;
}
