/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/printer/printer.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/text/graph_text.h"
#include "parsers/lines/line_record.h"
#include "parsers/printer/printer_library.h"
#include "parsers/printer/printer_plugins.h"
#include "parsers/text/record_text.h"
#include "parsers/print/text_pattern.h"
#include "parsers/source/record_bound.h"
#include "src/base/memory.h"

#define MAX_ID 65535

enum names_knowledge { NAMES_UNKNOWN, NAMES_OWN, NAMES_OF_LIBRARY };
enum asks { ASKS_UNKNOWN, ASKS_OWN, ASKS_LIBRARY };

struct printer {
	const struct source	*file;		/* borrowed */
	struct event_types	*types;		/* borrowed */
	struct printer_options	options;
	char			**plugin_options; /* owned: options.plugin_options */
	enum print_time		time;
	bool			swap;
	bool			is_text;	/* the file: its lines are the texts */
	struct kallsyms		*syms;		/* owned */
	pthread_mutex_t		lock;		/* held while the things below are created, each
						 * on first use */
	_Atomic(void *)		rt;		/* struct record_text */
	_Atomic(void *)		lib;		/* struct printer_library */
	_Atomic(void *)		graph;		/* struct graph_text */
	struct record_text_state *state;	/* for a sequential printer; else NULL */
	_Atomic(uint8_t)	*asks;		/* [MAX_ID + 1] enum asks; NULL if the user has
						 * no plugins */
	enum names_knowledge	names;		/* for a sequential printer */
};

/* --- what is made when it is needed -------------------------------------- */

/* Return what the slot holds; on first use, what @make returns. */
static void *make_once(struct printer *printer, _Atomic(void *) *slot,
		       void *(*make)(struct printer *printer))
{
	void *made = atomic_load_explicit(slot, memory_order_acquire);

	if (made)
		return made;
	pthread_mutex_lock(&printer->lock);
	made = atomic_load(slot);
	if (!made) {
		made = make(printer);
		atomic_store_explicit(slot, made, memory_order_release);
	}
	pthread_mutex_unlock(&printer->lock);
	return made;
}

const struct kallsyms *printer_kallsyms(struct printer *printer)
{
	return printer->syms;
}

/* "fgraph:tailprint", "ftrace:parent=1": an option without a value is toggled. */
static void apply_option(const char *option, const char *name, bool *on)
{
	const char *colon = strchr(option, ':'), *value;
	size_t len = strlen(name);

	if (!colon && strchr(name, ':')) {
		/* without a plugin's name, it applies to every plugin that has it */
		name = strchr(name, ':') + 1;
		len = strlen(name);
	}
	if (strncmp(option, name, len) != 0 || (option[len] && option[len] != '='))
		return;
	value = option[len] ? option + len + 1 : NULL;
	if (!value)
		*on = !*on;
	else if (!strcmp(value, "1") || !strcmp(value, "true"))
		*on = true;
	else if (!strcmp(value, "0") || !strcmp(value, "false"))
		*on = false;
}

static void apply_options(const struct printer *printer, struct record_text_options *o)
{
	bool indent = true;

	for (unsigned int i = 0; i < printer->options.nr_plugin_options; i++) {
		const char *option = printer->options.plugin_options[i];
		bool told = false;

		for (unsigned int k = 0; k < i; k++)
			told |= !strcmp(option, printer->options.plugin_options[k]);
		if (told)
			continue;
		apply_option(option, "fgraph:tailprint", &o->tailprint);
		apply_option(option, "fgraph:depth", &o->depth);
		apply_option(option, "fgraph:retval-skip", &o->retval_skip);
		apply_option(option, "fgraph:retval-dec", &o->retval_dec);
		apply_option(option, "fgraph:retval-hex", &o->retval_hex);
		apply_option(option, "ftrace:parent", &o->parent);
		apply_option(option, "ftrace:indent", &indent);
		apply_option(option, "ftrace:offset", &o->offset);
	}
	/* Records printed out of order would get an arbitrary indent. */
	o->no_indent = !indent || !printer->options.sequential;
}

static void *make_record_text(struct printer *printer)
{
	struct record_text_options o = {
		.no_plugins = printer->options.no_plugins || printer->options.no_system_plugins,
		.time = printer->time,
		.era = printer->options.era_34 ? TEXT_ERA_3_4 : TEXT_ERA_3_1,
	};

	apply_options(printer, &o);
	return record_text_new(printer->file, printer->types, printer->syms, &o);
}

static struct record_text *get_record_text(struct printer *printer)
{
	return make_once(printer, &printer->rt, make_record_text);
}

static void *make_library(struct printer *printer)
{
	struct printer_library *lib = printer_library_new(printer, printer->file, printer->types,
							  &printer->options);

	printer_library_set_time(lib, printer->time);
	return lib;
}

static struct printer_library *get_library(struct printer *printer)
{
	return make_once(printer, &printer->lib, make_library);
}

static void *make_graph(struct printer *printer)
{
	struct graph_text *graph = mem_alloc(sizeof(*graph));

	graph_text_init(graph, printer->types, printer->swap);
	return graph;
}

static const struct graph_text *get_graph(struct printer *printer)
{
	return make_once(printer, &printer->graph, make_graph);
}

/* --- opening ------------------------------------------------------------- */

static const char *read_kallsyms(const void *file, uint64_t *size)
{
	return source_text(file, TRACE_TEXT_KALLSYMS, size);
}

struct printer *printer_new(const struct source *file, struct event_types *types,
			    const struct printer_options *options)
{
	struct printer *printer = mem_alloc(sizeof(*printer));

	printer->file = file;
	printer->types = types;
	printer->syms = kallsyms_new_lazy(read_kallsyms, file);
	printer->is_text = source_info(file)->is_text;
	printer->swap = source_info(file)->big_endian != HOST_BIG_ENDIAN;
	if (options)
		printer->options = *options;
	printer->options.no_plugins |= source_info(file)->has_texts;
	printer->plugin_options = mem_array(printer->options.nr_plugin_options + 1,
					    sizeof(*printer->plugin_options));
	for (unsigned int i = 0; i < printer->options.nr_plugin_options; i++)
		printer->plugin_options[i] = mem_strdup(options->plugin_options[i]);
	printer->options.plugin_options = (const char *const *)printer->plugin_options;
	if (printer->options.sequential)
		printer->state = record_text_state_new();
	if (!printer->options.no_plugins && printer_plugins_user_has_any())
		printer->asks = mem_array(MAX_ID + 1, sizeof(*printer->asks));
	pthread_mutex_init(&printer->lock, NULL);
	return printer;
}

void printer_free(struct printer *printer)
{
	if (!printer)
		return;
	printer_library_free(atomic_load(&printer->lib));
	record_text_free(atomic_load(&printer->rt));
	record_text_state_free(printer->state);
	kallsyms_free(printer->syms);
	free(atomic_load(&printer->graph));
	for (unsigned int i = 0; i < printer->options.nr_plugin_options; i++)
		free(printer->plugin_options[i]);
	free(printer->plugin_options);
	free(printer->asks);
	pthread_mutex_destroy(&printer->lock);
	free(printer);
}

void printer_set_time(struct printer *printer, enum print_time time)
{
	struct printer_library *lib = atomic_load(&printer->lib);
	struct record_text *rt = atomic_load(&printer->rt);

	printer->time = time;
	if (lib)
		printer_library_set_time(lib, time);
	if (rt)
		record_text_set_time(rt, time);
}

static void end_bound(const struct printer *printer, const struct event_type *type, bool begun,
		      struct text *out)
{
	record_bound_end(out, begun, printer->file, type ? type->system : "",
			 type ? type->name : "?");
}

/* A line of a text trace has its text. */
static bool print_line(const struct printer *printer, const struct print_record *rec,
		       struct text *out)
{
	struct text_slice text;

	if (!printer->is_text)
		return false;
	text = line_record_text(rec->data, rec->size);
	text_bytes(out, text.s, text.len);
	return true;
}

/* --- records ------------------------------------------------------------- */

/*
 * The user's plugins have priority; only after libtraceevent has parsed the format is it known
 * which events they handle.
 */
static bool asks_library(struct printer *printer, const struct event_type *type)
{
	uint8_t asks;

	if (printer->options.library_only)
		return true;
	if (!printer->asks || !type || type->id < 0 || type->id > MAX_ID)
		return false;
	asks = atomic_load_explicit(&printer->asks[type->id], memory_order_relaxed);
	if (asks == ASKS_UNKNOWN) {
		asks = printer_library_is_users(get_library(printer), type) ? ASKS_LIBRARY :
									      ASKS_OWN;
		atomic_store_explicit(&printer->asks[type->id], asks, memory_order_relaxed);
	}
	return asks == ASKS_LIBRARY;
}

const struct record_text_type *printer_type(struct printer *printer, enum print_style style,
					    const struct event_type *type)
{
	enum text_style own = style == PRINT_TRACE_CMD_RAW ? TEXT_TRACE_CMD_RAW : TEXT_TRACE_CMD;
	const struct record_text_type *how;

	if (!type || printer->is_text || asks_library(printer, type))
		return NULL;
	how = record_text_type(get_record_text(printer), own, type);
	return record_text_is_own(how) ? how : NULL;
}

uint64_t printer_remember(struct printer *printer, const struct record_text_type *how,
			  const struct print_record *rec)
{
	return printer->state && record_text_remembers(how) ?
		       record_text_remember(how, rec, printer->state) :
		       0;
}

bool printer_tells_nothing(struct printer *printer, const struct record_text_type *how,
			   const struct print_record *rec)
{
	return !printer->state || record_text_tells_nothing(how, rec, printer->state);
}

bool printer_merges(struct printer *printer, enum print_style style, const struct print_record *rec,
		    const struct print_record *next)
{
	const struct record_text_type *how = printer_type(printer, style, rec->type);

	return printer->is_text ? false :
	       how              ? record_text_merges(how, rec, next) :
				  graph_text_is_leaf(get_graph(printer), rec, next);
}

static bool print_function(struct printer *printer, const struct print_record *rec,
			   const struct print_record *exit, struct text *out)
{
	return rec->type && !strcmp(rec->type->system, "ftrace") &&
	       graph_text_short(get_graph(printer), printer_kallsyms(printer), rec, exit, out);
}

static bool is_call(const struct event_type *type)
{
	return type && (!strncmp(type->name, "funcgraph_e", 11) ||
			!strcmp(type->name, "fgraph_retaddr_entry"));
}

void printer_text_by_library(struct printer *printer, enum print_style style,
			     const struct print_record *rec, const struct print_record *next,
			     bool *merged, struct text *out)
{
	bool unused, begun = record_bound_begin(out);

	if (merged)
		*merged = false;
	if (!print_line(printer, rec, out))
		printer_library_text(get_library(printer), style, rec, next,
				     merged ? merged : &unused, out);
	end_bound(printer, rec->type, begun, out);
}

void printer_text_later(struct printer *printer, enum print_style style,
			const struct print_record *rec, struct text *out, uint64_t *note)
{
	size_t start = out->len;

	if (printer->is_text) {
		printer_text_by_library(printer, style, rec, NULL, NULL, out);
		*note = (uint64_t)start << 32 | (out->len - start);
		return;
	}
	printer_library_later(get_library(printer), style, rec, out, note);
}

void printer_finish_texts(struct printer *printer)
{
	struct printer_library *lib = atomic_load(&printer->lib);

	if (lib)
		printer_library_finish(lib);
}

static void add_text(struct printer *printer, enum print_style style,
		     const struct print_record *rec, const struct print_record *next, bool *merged,
		     struct text *out)
{
	const struct record_text_type *how;
	struct print_record noted = *rec;
	bool merges;

	if (merged)
		*merged = false;
	if (print_line(printer, rec, out))
		return;
	/* Records without a text in the kernel are printed like trace-cmd. */
	if (style == PRINT_KERNEL && !printer->options.library_only && rec->type &&
	    (print_function(printer, rec, NULL, out) ||
	     record_text_add(get_record_text(printer), TEXT_KERNEL, rec, NULL, NULL, out)))
		return;
	how = printer_type(printer, style, rec->type);
	if (how) {
		if (style < PRINT_KERNEL)
			noted.note = printer_remember(printer, how, rec);
		merges = next && record_text_merges(how, rec, next);
		if (merged)
			*merged = merges;
		if (record_text_print(how, &noted, merges ? next : NULL, out))
			return;
	}
	printer_text_by_library(printer, style, rec, next, merged, out);
}

void printer_text(struct printer *printer, enum print_style style, const struct print_record *rec,
		  const struct print_record *next, bool *merged, struct text *out)
{
	bool begun = record_bound_begin(out);

	add_text(printer, style, rec, next, merged, out);
	end_bound(printer, rec->type, begun, out);
}

static void add_screen(struct printer *printer, const struct print_record *rec,
		       const struct print_record *exit, int cells, struct text *out)
{
	if (printer->is_text) {
		struct text_slice line = line_record_text(rec->data, rec->size);

		if (is_call(rec->type) && print_function(printer, rec, exit, out))
			return;
		if (text_cells(line.s, line.len) <= cells ||
		    !record_text_short(get_record_text(printer), rec, out))
			text_bytes(out, line.s, line.len);
		return;
	}
	if (!print_function(printer, rec, exit, out) &&
	    !record_text_screen(get_record_text(printer), rec, cells, out))
		add_text(printer, PRINT_KERNEL, rec, NULL, NULL, out);
}

void printer_screen(struct printer *printer, const struct print_record *rec,
		    const struct print_record *exit, int cells, struct text *out)
{
	bool begun = record_bound_begin(out);

	add_screen(printer, rec, exit, cells, out);
	end_bound(printer, rec->type, begun, out);
}

void printer_pattern(struct printer *printer, enum print_style style, const struct event_type *type,
		     struct text_pattern *pattern)
{
	const struct record_text_type *how = printer_type(printer, style, type);

	/* Function records have texts of their own; with a field missing they have another one. */
	if (printer->is_text)
		text_pattern_hole(pattern, TEXT_PATTERN_STRING);
	else if (style == PRINT_KERNEL && !strcmp(type->system, "ftrace"))
		text_pattern_any(pattern);
	else if (style == PRINT_KERNEL &&
		 record_text_kernel_pattern(get_record_text(printer), type, pattern))
		return;
	else if (!how)
		text_pattern_any(pattern);
	else
		record_text_pattern(how, pattern);
}

void printer_screen_pattern(struct printer *printer, const struct event_type *type,
			    struct text_pattern *pattern)
{
	if (!printer->is_text)
		text_pattern_any(pattern);
	if (is_call(type))
		graph_text_short_pattern(pattern);
	text_pattern_str(pattern, " ");
	record_text_short_pattern(get_record_text(printer), type, pattern);
	text_pattern_str(pattern, " ");
	text_pattern_hole(pattern, TEXT_PATTERN_STRING);
}

/* --- single fields, names ------------------------------------------------ */

static void add_field(struct printer *printer, const struct print_record *rec,
		      const struct event_field *field, bool raw, struct text *out)
{
	/*
	 * trace-cmd's conversions are for numbers.  libtraceevent prints the bytes of all other
	 * fields, including strings: once a field has held a byte that is not ASCII, it is treated
	 * as an array (1.7 to 1.8).
	 */
	if (raw || !event_field_is_number(field)) {
		field_text(field, rec->data, rec->size, printer->swap, out);
		return;
	}
	if (!printer->options.library_only &&
	    record_text_field(get_record_text(printer), TEXT_TRACE_CMD, rec, field, out))
		return;
	printer_library_field(get_library(printer), rec, field, out);
}

void printer_field(struct printer *printer, const struct print_record *rec,
		   const struct event_field *field, bool raw, struct text *out)
{
	bool begun = record_bound_begin(out);

	add_field(printer, rec, field, raw, out);
	end_bound(printer, rec->type, begun, out);
}

/*
 * Does this printer learn names of tasks?  They are learnt when the events that contain them are
 * printed.
 */
static bool learns_names(struct printer *printer)
{
	static const char *const names[] = { "sched_switch", "sched_wakeup", "sched_wakeup_new" };

	if (!printer->state || printer->options.library_only)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct event_type *type = event_types_by_name(printer->types, "sched",
								    names[i]);

		if (type && !printer_type(printer, PRINT_TRACE_CMD, type))
			return false;
	}
	return true;
}

const char *printer_comm(struct printer *printer, int pid)
{
	const char *comm;

	if (printer->names == NAMES_UNKNOWN)
		printer->names = printer->is_text || learns_names(printer) ? NAMES_OWN :
									     NAMES_OF_LIBRARY;
	if (printer->names == NAMES_OWN)
		comm = record_text_comm(get_record_text(printer), printer->state, pid);
	else
		comm = printer_library_comm(get_library(printer), pid);
	return comm ? comm : "<...>";
}

const char *printer_event_name(struct printer *printer, int id)
{
	const struct event_type *type = event_types_find(printer->types, id);

	return type ? type->name : NULL;
}

const char *printer_plugins(struct printer *printer, const char **why)
{
	const char *folder = printer_library_plugins(get_library(printer));

	if (why)
		*why = folder ? NULL :
		       printer->options.no_plugins ?
				"switched off" :
		       printer_plugins_can_load() ?
				"not installed (Debian: libtraceevent1-plugin)" :
				"this program is one file and loads no libraries";
	return folder;
}
