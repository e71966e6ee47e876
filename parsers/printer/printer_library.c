/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/printer/printer_library.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/types/field.h"
#include "parsers/text/graph_text.h"
#include "parsers/printer/printer_library_format.h"
#include "parsers/printer/printer_wire.h"
#include "parsers/source/record_bound.h"
#include "src/base/memory.h"

#define MAX_COUNT	65535u		/* elements of 8 bytes within the helper's room */
#define MAX_DEATHS	10u		/* then the library is not asked any more */
#define MAX_WAIT	10000u		/* ms, for an answer: a helper that computes ends before */
#define SLOW		1000		/* ms: whoever browses has waited for a death */

#define MANY		128u		/* records of one question, at most */
#define MANY_BYTES	(48u << 10)

#define UNKNOWN_PIDS	256u		/* that are remembered */
#define MAX_ID		65535
#define IDS_PER_LEAF	256

struct cached_event {
	bool			 looked;
	bool			 refused;	/* print its fields: the library must not see it,
						 * or the helper died of it */
	unsigned int		 told;		/* which helper has its format; 0 = none */
	uint32_t		 flags;		/* flags of the helper's answer: enum wire_flags */
	unsigned int		 nr_counts;
	const struct event_field *counts[PRINTER_LIBRARY_FORMAT_COUNTS]; /* fields that its print
									  * format uses as
									  * element counts */
};

/* A record whose text is asked for together with those of others. */
struct later {
	struct print_record	 rec;		/* without its bytes */
	size_t			 at;		/* where its head is in the question */
	struct text		*out;		/* borrowed; for the text */
	uint64_t		*note;		/* borrowed; for the text's place */
};

struct printer_library {
	struct printer		*printer;	/* borrowed: owns the symbols */
	const struct source	*file;		/* borrowed */
	struct event_types	*types;		/* borrowed */
	const struct printer_options *options;	/* borrowed */
	pthread_mutex_t		 lock;		/* protects all below: one question at a time */
	int			 fd;		/* to the helper; -1 = none */
	unsigned int		 helpers;	/* started so far */
	unsigned int		 deaths;
	char			 how[128];	/* the last one failed: "; it crashed" */
	bool			 given_up;
	bool			 bad_names[2];	/* a helper died of these texts */
	enum print_time		 time;
	struct cached_event	*events[(MAX_ID + 1) / IDS_PER_LEAF];
	struct graph_text	 graph;
	char			*folder;	/* the plugins' folder, or NULL */
	struct {
		int		 pid;
		uint64_t	 texts;		/* as below, when it had no name */
	}			 unknown[UNKNOWN_PIDS];
	uint64_t		 texts;		/* asked for: plugins learn names by them */
	struct text		 question, reply;
	struct later		later[MANY];	/* [nr_later] if there are any, there is a helper,
						 * and it has their formats */
	unsigned int		 nr_later;
	struct text		 many;		/* their question */
	bool			 one_by_one;	/* a helper died of such a question */
	void			*names;		/* names of tasks, which callers may keep */
};

static int (*start_helper)(void);
static const char *(*how_it_ended)(int fd, char *buf, size_t size);

void printer_set_helper(int (*start)(void), const char *(*how)(int fd, char *buf, size_t size))
{
	start_helper = start;
	how_it_ended = how;
}

static const struct kallsyms *get_syms(struct printer_library *lib)
{
	return printer_kallsyms(lib->printer);
}

static bool trace_swaps(const struct printer_library *lib)
{
	return source_info(lib->file)->big_endian != HOST_BIG_ENDIAN;
}

struct printer_library *printer_library_new(struct printer *printer, const struct source *file,
					    struct event_types *types,
					    const struct printer_options *options)
{
	struct printer_library *lib = mem_alloc(sizeof(*lib));

	lib->printer = printer;
	lib->file = file;
	lib->types = types;
	lib->options = options;
	lib->fd = -1;
	lib->texts = 1;
	graph_text_init(&lib->graph, types, trace_swaps(lib));
	pthread_mutex_init(&lib->lock, NULL);
	return lib;
}

void printer_library_free(struct printer_library *lib)
{
	if (!lib)
		return;
	if (lib->fd >= 0)
		close(lib->fd);
	for (size_t i = 0; i < sizeof(lib->events) / sizeof(lib->events[0]); i++)
		free(lib->events[i]);
	free(lib->folder);
	wire_forget(&lib->names);
	text_fini(&lib->question);
	text_fini(&lib->many);
	text_fini(&lib->reply);
	pthread_mutex_destroy(&lib->lock);
	free(lib);
}

/* --- asking the helper --------------------------------------------------- */

static int answer_symbol(struct printer_library *lib, uint64_t address, int64_t until)
{
	struct wire wire = { .what = WIRE_ANSWER };
	struct text names = { 0 };
	struct kallsyms_symbol s;
	int ret;

	if (kallsyms_find_as_tep(get_syms(lib), address, &s)) {
		wire.flags = WIRE_KNOWN;
		wire.number = s.start;
		text_add(&names, s.name);
		if (s.module) {
			text_char(&names, '\0');
			text_add(&names, s.module);
		}
	}
	wire.bytes = (uint32_t)names.len;
	ret = wire_send(lib->fd, &wire, text_str(&names), until);
	text_fini(&names);
	return ret;
}

/* @until: when the answer was due */
static void note_death(struct printer_library *lib, int64_t until)
{
	bool is_silent = framing_now() > until;
	char words[100];

	if (how_it_ended)	/* a silent one is ended by that */
		snprintf(lib->how, sizeof(lib->how), "; it %s",
			 how_it_ended(lib->fd, words, sizeof(words)));
	if (is_silent)
		snprintf(lib->how, sizeof(lib->how), "; it did not answer for %u s",
			 MAX_WAIT / 1000);
}

/* Return: 0 with the answer in *wire and lib->reply; -1: there is none, and the helper is gone. */
static int ask(struct printer_library *lib, struct wire *wire, const void *bytes, size_t nr)
{
	int64_t begun = framing_now(), until = begun + MAX_WAIT;
	bool many = wire->what == WIRE_TEXTS;

	if (nr > WIRE_MAX_QUESTION)
		return -1;
	wire->bytes = (uint32_t)nr;
	if (wire_send(lib->fd, wire, bytes, until))
		goto dead;
	while (!wire_receive(lib->fd, wire, &lib->reply, WIRE_MAX_ANSWER, until)) {
		if (wire->what == WIRE_ANSWER)
			return 0;
		if (wire->what != WIRE_SYMBOL || answer_symbol(lib, wire->number, until))
			break;
	}
dead:
	note_death(lib, until);
	close(lib->fd);
	lib->fd = -1;
	lib->one_by_one |= many;
	if (!many)	/* else records are asked for one by one: that shows which one kills it */
		lib->deaths += framing_now() - begun > SLOW ? MAX_DEATHS / 2 : 1;
	return -1;
}

/* A helper that dies before it has seen anything of the trace is not started again. */
static void begin(struct printer_library *lib)
{
	const struct source_info *info = source_info(lib->file);
	const struct printer_options *options = lib->options;
	struct wire wire = { .what = WIRE_BEGIN };

	wire.flags = (info->big_endian ? WIRE_BIG_ENDIAN : 0) |
		     (info->user_long_size == 4 ? WIRE_LONG_IS_4 : 0) |
		     (options->no_plugins ? WIRE_NO_PLUGINS : 0) |
		     (options->no_system_plugins ? WIRE_NO_SYSTEM_PLUGINS : 0) |
		     (options->era_34 ? WIRE_ERA_34 : 0);
	text_clear(&lib->question);
	for (unsigned int i = 0; i < options->nr_plugin_options; i++)
		text_bytes(&lib->question, options->plugin_options[i],
			   strlen(options->plugin_options[i]) + 1);
	if (ask(lib, &wire, text_str(&lib->question), lib->question.len)) {
		lib->deaths = MAX_DEATHS;
		return;
	}
	lib->graph.tailprint = wire.flags & WIRE_TAILPRINT;
	lib->graph.depth = wire.flags & WIRE_DEPTH;
	if (!lib->folder && lib->reply.len)
		lib->folder = mem_strdup(text_str(&lib->reply));
}

/* Names of tasks and texts of trace_printk: small, and needed by most records. */
static void tell_names(struct printer_library *lib)
{
	static const enum trace_text texts[] = { TRACE_TEXT_CMDLINES, TRACE_TEXT_PRINTK };

	for (int i = 0; i < 2 && lib->fd >= 0; i++) {
		struct wire wire = { .what = i ? WIRE_PRINTK : WIRE_CMDLINES };
		uint64_t size;
		const char *text = source_text(lib->file, texts[i], &size);

		if (size && !lib->bad_names[i])
			lib->bad_names[i] = ask(lib, &wire, text, size) != 0;
	}
}

/* Start the helper if there is none; false if there can be none. */
static bool has_helper(struct printer_library *lib)
{
	while (start_helper && lib->fd < 0 && !lib->given_up) {
		lib->fd = lib->deaths < MAX_DEATHS ? start_helper() : -1;
		if (lib->fd >= 0) {
			lib->helpers++;
			begin(lib);
			tell_names(lib);
			continue;
		}
		lib->given_up = true;
		source_add_warning(lib->file, -1,
				   "libtraceevent %s: events that only it can print show their "
				   "fields%s",
				   lib->helpers ? "failed too often" : "could not be started",
				   lib->how);
	}
	return lib->fd >= 0;
}

/* --- events ------------------------------------------------------------- */

static bool counts_too_far(const struct printer_library *lib, const struct cached_event *cached,
			   const struct print_record *rec)
{
	for (unsigned int i = 0; i < cached->nr_counts; i++)
		if (field_load(rec->data, rec->size, cached->counts[i]->offset,
			       cached->counts[i]->size, trace_swaps(lib)) > MAX_COUNT)
			return true;
	return false;
}

/* Print all fields from our own table. */
static void print_fields(const struct printer_library *lib, const struct print_record *rec,
			 struct text *out)
{
	const struct event_type *type = rec->type;

	text_add(out, "[FAILED TO PARSE]");
	for (unsigned int i = type->nr_common; i < type->nr_fields; i++) {
		text_printf(out, " %s=", type->fields[i].name);
		field_text(&type->fields[i], rec->data, rec->size, trace_swaps(lib), out);
	}
}

/* The helper died of an event: from now on print its fields. */
static void refuse(struct printer_library *lib, struct cached_event *cached,
		   const struct event_type *type)
{
	cached->refused = true;
	source_add_warning(lib->file, -1, "%s fails on the event %s:%s: its fields are shown%s",
			   cached->flags & WIRE_IS_USERS ? "a plugin" : "libtraceevent",
			   type->system, type->name, lib->how);
}

struct telling {
	struct printer_library	*lib;
	bool			dead;
};

/* If the kernel has a symbol with this name, tell the helper its address. */
static void tell_symbol(void *arg, const char *name)
{
	struct telling *telling = arg;
	struct wire wire = { .what = WIRE_ADDRESS };

	if (!telling->dead && kallsyms_address(get_syms(telling->lib), name, &wire.number))
		telling->dead = ask(telling->lib, &wire, name, strlen(name)) != 0;
}

static bool tell_format(struct printer_library *lib, struct cached_event *cached,
			const struct event_type *type)
{
	struct telling telling = { .lib = lib };
	struct wire wire = { .what = WIRE_FORMAT, .id = type->id };

	printer_library_format_symbols(type->print_fmt, tell_symbol, &telling);
	text_clear(&lib->question);
	text_bytes(&lib->question, type->system, strlen(type->system) + 1);
	printer_library_format_text(type, &lib->question);
	if (telling.dead || ask(lib, &wire, text_str(&lib->question), lib->question.len))
		return false;
	cached->told = lib->helpers;
	cached->flags = wire.flags;
	return true;
}

static struct cached_event *cached_event(struct printer_library *lib, int id)
{
	struct cached_event **leaf = &lib->events[id / IDS_PER_LEAF];

	if (!*leaf)
		*leaf = mem_array(IDS_PER_LEAF, sizeof(**leaf));
	return &(*leaf)[id % IDS_PER_LEAF];
}

/*
 * What the helper says of a type; NULL if it cannot parse it.  If the type is refused, do not ask
 * the helper for texts; otherwise there is a helper.
 */
static struct cached_event *get_event(struct printer_library *lib, const struct event_type *type)
{
	struct cached_event *cached;

	if (!type || type->id < 0 || type->id > MAX_ID)
		return NULL;
	cached = cached_event(lib, type->id);
	if (!cached->looked) {
		cached->looked = true;
		cached->refused = !printer_library_format_is_bounded(type);
		cached->nr_counts = printer_library_format_counts(type, cached->counts);
	}
	if (cached->refused || !has_helper(lib))
		cached->refused = true;
	else if (cached->told != lib->helpers && !tell_format(lib, cached, type))
		refuse(lib, cached, type);
	return cached->refused || cached->flags & WIRE_KNOWN ? cached : NULL;
}

/* --- records ------------------------------------------------------------ */

/* Graph records like trace-cmd.  False: the rest of the text is up to the print format. */
static bool print_own(struct printer_library *lib, const struct print_record *rec,
		      const struct print_record *next, bool *merged, struct text *out)
{
	const struct graph_text *g = &lib->graph;

	if (!strcmp(rec->type->name, "function"))
		return graph_text_function(g, get_syms(lib), rec, out);
	if (!strcmp(rec->type->name, "funcgraph_exit"))
		return graph_text_exit(g, get_syms(lib), rec, out);
	*merged = graph_text_is_leaf(g, rec, next);
	return graph_text_entry(g, get_syms(lib), rec, *merged ? next : NULL, out);
}

/* Out of order, the function plugin's indent would be arbitrary: print the name only. */
static bool print_unindented(struct printer_library *lib, const struct print_record *rec,
			     struct text *out)
{
	const struct event_field *f;
	struct kallsyms_symbol s;
	uint64_t ip;

	if (lib->options->sequential || lib->options->no_plugins ||
	    strcmp(rec->type->system, "ftrace") || strcmp(rec->type->name, "function"))
		return false;
	f = event_type_field(rec->type, "ip");
	if (!f)
		return false;
	ip = field_u64(f, rec->data, rec->size, trace_swaps(lib));
	if (kallsyms_find_as_tep(get_syms(lib), ip, &s))
		text_add(out, s.name);
	else
		text_printf(out, "0x%" PRIx64, ip);
	return true;
}

/* What the library gets of a record: @name, a NUL, its bytes. */
static void ask_with_record(const struct print_record *rec, const char *name, struct wire *wire,
			    struct text *question)
{
	uint32_t size = rec->size < PRINT_RECORD_MAX ? rec->size : PRINT_RECORD_MAX;

	text_clear(question);
	text_bytes(question, name, strlen(name) + 1);
	text_bytes(question, (const char *)rec->data, print_record_readable(rec, size));
	wire->id = rec->type->id;
	wire->number = rec->ts;
	wire->cpu = rec->cpu;
	/*
	 * A field that reaches to the record's end must not begin past it: libtraceevent would
	 * compute a negative size.
	 */
	for (unsigned int i = 0; i < rec->type->nr_fields; i++)
		if (!rec->type->fields[i].size && rec->type->fields[i].offset > size)
			size = rec->type->fields[i].offset;
	wire->size = size;
}

/* The question for a record's text; its bytes are in lib->question. */
static struct wire text_question(struct printer_library *lib, enum print_style style,
				 const struct print_record *rec)
{
	struct wire wire = { .what = WIRE_TEXT, .style = style, .time = lib->time };

	if (style == PRINT_KERNEL || !lib->options->sequential)
		wire.flags = WIRE_SORT_NAMES;
	ask_with_record(rec, "", &wire, &lib->question);
	lib->texts++;
	return wire;
}

static void print_with_library(struct printer_library *lib, enum print_style style,
			       struct cached_event *cached, const struct print_record *rec,
			       struct text *out)
{
	struct wire wire = text_question(lib, style, rec);

	if (!ask(lib, &wire, text_str(&lib->question), lib->question.len)) {
		text_bytes(out, text_str(&lib->reply), lib->reply.len);
	} else {
		refuse(lib, cached, rec->type);
		print_fields(lib, rec, out);
	}
}

/* What needs no question for this record; false: *cached is its event, and there is a helper. */
static bool print_at_once(struct printer_library *lib, enum print_style style,
			  const struct print_record *rec, const struct print_record *next,
			  bool *merged, struct cached_event **cached, struct text *out)
{
	*merged = false;
	*cached = get_event(lib, rec->type);
	if (!*cached)
		text_add(out, "[UNKNOWN EVENT]");
	else if ((*cached)->refused || counts_too_far(lib, *cached, rec))
		print_fields(lib, rec, out);
	else if (style == PRINT_TRACE_CMD_RAW)
		return false;
	else if ((*cached)->flags & WIRE_IS_OWN)
		return print_own(lib, rec, next, merged, out);
	else
		return print_unindented(lib, rec, out);
	return true;
}

static void print_now(struct printer_library *lib, enum print_style style,
		      const struct print_record *rec, const struct print_record *next, bool *merged,
		      struct text *out)
{
	struct cached_event *cached;

	if (!print_at_once(lib, style, rec, next, merged, &cached, out))
		print_with_library(lib, style, cached, rec, out);
}

/* --- many records in one question ---------------------------------------- */

/* The text of a record begins at @begin, and ends here. */
static void end_text(const struct printer_library *lib, const struct event_type *type, bool begun,
		     uint64_t *note, size_t begin, struct text *out)
{
	record_bound_end(out, begun, lib->file, type ? type->system : "", type ? type->name : "?");
	*note = (uint64_t)begin << 32 | (uint32_t)(out->len - begin);
}

/* Take the texts of an answer; return how many there are. */
static unsigned int take_texts(struct printer_library *lib)
{
	const char *at = text_str(&lib->reply), *end = at + lib->reply.len;
	unsigned int i;

	for (i = 0; i < lib->nr_later; i++) {
		const struct later *later = &lib->later[i];
		size_t begin = later->out->len;
		uint32_t len;
		bool begun;

		if ((size_t)(end - at) < sizeof(len))
			break;
		memcpy(&len, at, sizeof(len));
		at += sizeof(len);
		if (len > (size_t)(end - at))
			break;
		begun = record_bound_begin(later->out);
		text_bytes(later->out, at, len);
		end_text(lib, later->rec.type, begun, later->note, begin, later->out);
		at += len;
	}
	return i;
}

/* Ask for a record again, and for nothing else. */
static void print_alone(struct printer_library *lib, const struct later *later)
{
	const char *at = text_str(&lib->many) + later->at;
	struct print_record rec = later->rec;
	size_t begin = later->out->len;
	struct wire wire;
	bool merged, begun = record_bound_begin(later->out);

	memcpy(&wire, at, sizeof(wire));
	rec.data = (const uint8_t *)at + sizeof(wire) + 1;
	rec.room = wire.bytes - 1;
	print_now(lib, (enum print_style)wire.style, &rec, NULL, &merged, later->out);
	end_text(lib, rec.type, begun, later->note, begin, later->out);
}

/* Whatever the helper is asked next comes after these. */
static void finish(struct printer_library *lib)
{
	struct wire wire = { .what = WIRE_TEXTS };
	unsigned int nr = lib->nr_later, taken = 0;

	if (!nr)
		return;
	if (!ask(lib, &wire, text_str(&lib->many), lib->many.len))
		taken = take_texts(lib);
	lib->nr_later = 0;
	for (unsigned int i = taken; i < nr; i++)
		print_alone(lib, &lib->later[i]);
	text_clear(&lib->many);
}

/* Does the helper know the type's format, so that one question can ask for many records? */
static bool is_told(struct printer_library *lib, const struct event_type *type)
{
	const struct cached_event *cached;

	if (!type || type->id < 0 || type->id > MAX_ID || lib->one_by_one)
		return false;
	cached = cached_event(lib, type->id);
	return cached->refused || (lib->fd >= 0 && cached->told == lib->helpers);
}

static void add_later(struct printer_library *lib, enum print_style style,
		      const struct print_record *rec, struct text *out, uint64_t *note)
{
	struct wire wire = text_question(lib, style, rec);
	struct later *later = &lib->later[lib->nr_later++];

	*later = (struct later){ .rec = *rec, .at = lib->many.len, .out = out, .note = note };
	if (rec->size > PRINT_RECORD_MAX)
		later->rec.size = PRINT_RECORD_MAX;
	wire.bytes = (uint32_t)lib->question.len;
	text_bytes(&lib->many, (const char *)&wire, sizeof(wire));
	text_bytes(&lib->many, text_str(&lib->question), lib->question.len);
	if (lib->nr_later == MANY || lib->many.len >= MANY_BYTES)
		finish(lib);
}

void printer_library_later(struct printer_library *lib, enum print_style style,
			   const struct print_record *rec, struct text *out, uint64_t *note)
{
	struct cached_event *cached;
	size_t begin;
	bool merged, begun, done;

	pthread_mutex_lock(&lib->lock);
	if (!is_told(lib, rec->type))
		finish(lib);
	begin = out->len;
	begun = record_bound_begin(out);
	done = print_at_once(lib, style, rec, NULL, &merged, &cached, out);
	if (!done && lib->one_by_one) {
		print_with_library(lib, style, cached, rec, out);
		done = true;
	}
	end_text(lib, rec->type, begun, note, begin, out);
	if (!done)
		add_later(lib, style, rec, out, note);
	pthread_mutex_unlock(&lib->lock);
}

void printer_library_finish(struct printer_library *lib)
{
	pthread_mutex_lock(&lib->lock);
	finish(lib);
	pthread_mutex_unlock(&lib->lock);
}

void printer_library_text(struct printer_library *lib, enum print_style style,
			  const struct print_record *rec, const struct print_record *next,
			  bool *merged, struct text *out)
{
	pthread_mutex_lock(&lib->lock);
	finish(lib);
	print_now(lib, style, rec, next, merged, out);
	pthread_mutex_unlock(&lib->lock);
}

void printer_library_set_time(struct printer_library *lib, enum print_time time)
{
	lib->time = time;
}

bool printer_library_is_users(struct printer_library *lib, const struct event_type *type)
{
	struct cached_event *cached;
	bool users;

	pthread_mutex_lock(&lib->lock);
	finish(lib);
	cached = get_event(lib, type);
	users = cached && !cached->refused && cached->flags & WIRE_IS_USERS;
	pthread_mutex_unlock(&lib->lock);
	return users;
}

/* --- single fields, names ----------------------------------------------- */

void printer_library_field(struct printer_library *lib, const struct print_record *rec,
			   const struct event_field *field, struct text *out)
{
	struct wire wire = { .what = WIRE_FIELD };
	struct cached_event *cached;
	bool dead = false;

	pthread_mutex_lock(&lib->lock);
	finish(lib);
	cached = get_event(lib, rec->type);
	if (cached && !cached->refused && !counts_too_far(lib, cached, rec)) {
		ask_with_record(rec, field->name, &wire, &lib->question);
		dead = ask(lib, &wire, text_str(&lib->question), lib->question.len) != 0;
		if (dead)
			refuse(lib, cached, rec->type);
	}
	if (!dead && wire.flags & WIRE_KNOWN)
		text_bytes(out, text_str(&lib->reply), lib->reply.len);
	else
		field_text(field, rec->data, rec->size, trace_swaps(lib), out);
	pthread_mutex_unlock(&lib->lock);
}

const char *printer_library_comm(struct printer_library *lib, int pid)
{
	const unsigned int i = (unsigned int)pid % UNKNOWN_PIDS;
	struct wire wire = { .what = WIRE_COMM, .id = pid };
	const char *comm = "<...>";

	pthread_mutex_lock(&lib->lock);
	finish(lib);
	if ((lib->unknown[i].pid != pid || lib->unknown[i].texts != lib->texts) &&
	    has_helper(lib) && !ask(lib, &wire, NULL, 0)) {
		if (strcmp(text_str(&lib->reply), comm) != 0) {
			comm = wire_keep(&lib->names, text_str(&lib->reply));
		} else {
			lib->unknown[i].pid = pid;
			lib->unknown[i].texts = lib->texts;
		}
	}
	pthread_mutex_unlock(&lib->lock);
	return comm;
}

const char *printer_library_plugins(struct printer_library *lib)
{
	pthread_mutex_lock(&lib->lock);
	finish(lib);
	has_helper(lib);
	pthread_mutex_unlock(&lib->lock);
	return lib->folder;
}
