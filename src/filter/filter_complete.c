/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_complete - words that fit at a place in a filter's text: only those that occur in the
 * trace.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/record_text.h"
#include "parsers/types/event_header.h"
#include "parsers/source/source.h"
#include "src/base/file_names.h"
#include "src/filter/filter_lex.h"
#include "src/filter/filter_names.h"
#include "src/trace/trace_latency.h"
#include "src/trace/trace_streams.h"

#define MAX_WORDS	400u
#define MAX_HELP_EVENTS	3u

struct completion {
	struct trace		*trace;
	const struct filter_options *options;
	struct arena		 arena;
	const char		*typed;		/* the word up to the cursor */
	size_t			 len;
	bool			 quoted;	/* its opening quote is already typed */
	struct trace_type_count	*types;		/* owned; the types that occur */
	unsigned int		 nr_types;
	struct filter_word	*words;
	unsigned int		 nr, cap;
};

/* --- words ------------------------------------------------------------------------- */

static bool needs_quotes(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return true;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_' && *s != '.')
			return true;
	return false;
}

static bool begins(const struct completion *c, const char *text)
{
	return !strncasecmp(text, c->typed, c->len);
}

static struct filter_word *add(struct completion *c, enum filter_word_kind kind, const char *text,
			       bool quote, const char *help)
{
	struct text word = { 0 };

	if (!begins(c, text) || c->nr >= MAX_WORDS)
		return NULL;
	if (c->quoted || (quote && needs_quotes(text))) {
		text_char(&word, '"');
		for (const char *s = text; *s; s++) {
			if (*s == '"')
				text_char(&word, '\\');
			text_char(&word, *s);
		}
		text_char(&word, '"');
	} else {
		text_add(&word, text);
	}
	for (unsigned int i = 0; i < c->nr; i++)
		if (c->words[i].kind == kind && !strcmp(c->words[i].text, text_str(&word))) {
			text_fini(&word);
			return NULL;
		}
	mem_grow(&c->words, c->nr, &c->cap);
	c->words[c->nr] = (struct filter_word){ .kind = kind,
						.text = word.data,
						.help = help ? mem_strdup(help) : NULL };
	return &c->words[c->nr++];
}

static struct filter_word *add_number(struct completion *c, int number, const char *help)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	return add(c, FILTER_WORD_VALUE, text, false, help);
}

/* --- names --------------------------------------------------------------------------- */

/* Events that occur; with @systems: as system/event. */
static void add_events(struct completion *c, bool systems)
{
	for (unsigned int i = 0; i < c->nr_types; i++) {
		const struct event_type *type = c->types[i].type;
		struct text name = { 0 }, help = { 0 };

		if (!type)
			continue;
		text_printf(&name, "%s%s%s", systems ? type->system : "", systems ? "/" : "",
			    type->name);
		text_counted(&help, c->types[i].events, "event");
		if (!systems)
			text_printf(&help, " of %s", type->system);
		add(c, FILTER_WORD_EVENT, text_str(&name), false, text_str(&help));
		text_fini(&name);
		text_fini(&help);
	}
}

/* Fields of the events that occur; @event: only of this one, or NULL. */
static void add_fields(struct completion *c, const char *event)
{
	for (unsigned int i = 0; i < c->nr_types; i++) {
		const struct event_type *type = c->types[i].type;

		if (!type || (event && strcmp(type->name, event) != 0))
			continue;
		if (event_header_is(type))
			add(c, FILTER_WORD_FIELD, EVENT_HEADER_PREFIX "event_name", false,
			    "string, the event that the record describes");
		for (unsigned int k = 0; k < type->nr_fields; k++) {
			const struct event_field *field = &type->fields[k];
			struct text help = { 0 };
			unsigned int nr = 0;

			if (!begins(c, field->name))
				continue;
			text_add(&help, field->type);
			for (unsigned int n = 0; n < c->nr_types && !field->is_common && !event;
			     n++)
				if (c->types[n].type &&
				    event_type_field(c->types[n].type, field->name) &&
				    nr++ < MAX_HELP_EVENTS)
					text_printf(&help, "%s%s", nr == 1 ? ", " : " ",
						    c->types[n].type->name);
			if (nr > MAX_HELP_EVENTS)
				text_add(&help, " …");
			add(c, FILTER_WORD_FIELD, field->name, false, text_str(&help));
			text_fini(&help);
		}
	}
}

/* The start of "irq/so" if irq is a system with events here; else @start. */
static size_t system_begins(const struct completion *c, const char *text, size_t start)
{
	size_t at = start ? start - 1 : 0;

	if (!start || text[at] != '/')
		return start;
	while (at > 0 && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_'))
		at--;
	for (unsigned int i = 0; i < c->nr_types; i++) {
		const struct event_type *type = c->types[i].type;

		if (type && strlen(type->system) == start - 1 - at &&
		    !strncmp(type->system, text + at, start - 1 - at))
			return at;
	}
	return start;
}

static void add_names(struct completion *c, const char *event)
{
	const struct filter_name *name;

	if (event)
		add_fields(c, event);
	for (unsigned int i = 0; (name = filter_name_at(trace_filter_names(c->trace), i)); i++)
		add(c, FILTER_WORD_NAME, name->name, false, name->help);
	for (unsigned int i = 0; c->options && i < c->options->nr_macros; i++)
		add(c, FILTER_WORD_MACRO, c->options->macros[i].name, false,
		    c->options->macros[i].text);
	if (event)
		return;
	add_events(c, false);
	add_fields(c, NULL);
}

/* --- values ---------------------------------------------------------------------------- */

static void add_comm(void *arg, int pid, const char *name)
{
	(void)pid;
	add(arg, FILTER_WORD_VALUE, name, true, NULL);
}

/* Keep the last name of each pid: names come in the order of time. */
static void add_pid(void *arg, int pid, const char *name)
{
	struct completion *c = arg;
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	if (c->nr && !strcmp(c->words[c->nr - 1].text, number)) {
		free(c->words[c->nr - 1].help);
		c->words[c->nr - 1].help = mem_strdup(name);
		return;
	}
	add(c, FILTER_WORD_VALUE, number, false, name);
}

static bool ends_in(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);

	return len >= n && !strcmp(s + len - n, end);
}

/* next_comm, child_pid: fields about tasks, whose names and pids the trace knows. */
static bool add_tasks(struct completion *c, const char *field, const struct filter_name *name)
{
	bool by_name = name ? name->kind == FILTER_NAME_COMM ||
				       name->kind == FILTER_NAME_SAVED_COMM :
			      ends_in(field, "comm");
	bool by_pid = name ? name->kind == FILTER_NAME_PID : ends_in(field, "pid");

	for (unsigned int i = 0; i < trace_nr_files(c->trace) && (by_name || by_pid); i++)
		comm_table_each(trace_source_at(c->trace, i)->comms, by_name ? add_comm : add_pid,
				c);
	return by_name || by_pid;
}

struct processes {
	struct completion	*c;
	struct comm_table	*comms;
};

static void add_process(void *arg, int pid, int tgid)
{
	const struct processes *p = arg;

	(void)pid;
	add_number(p->c, tgid, comm_table_at(p->comms, tgid, INT64_MAX));
}

struct words_of_who {
	struct completion *c;
	unsigned int	 file;
	enum filter_who	 what;
	struct comm_table *comms;
};

static void add_who(void *arg, int pid, int64_t from, int64_t to, const struct who *who)
{
	const struct words_of_who *w = arg;
	const char *words[] = {
		[FILTER_WHO_PROCESS] = who->tgid ? comm_table_at(w->comms, who->tgid, to) : NULL,
		[FILTER_WHO_EXE] = who->exe, [FILTER_WHO_CMDLINE] = who->cmdline,
		[FILTER_WHO_CGROUP] = who->cgroup, [FILTER_WHO_USER] = who->user,
		[FILTER_WHO_ALLOWED] = NULL, [FILTER_WHO_POLICY] = NULL,
	};
	struct who_sched sched;

	(void)from;
	if (w->what >= FILTER_WHO_ALLOWED && trace_sched(w->c->trace, w->file, pid, to, &sched))
		words[FILTER_WHO_ALLOWED] = sched.allowed,
		words[FILTER_WHO_POLICY] = trace_latency_policy(sched.policy);
	if (words[w->what])
		add(w->c, FILTER_WORD_VALUE, words[w->what], true, NULL);
}

static void add_words_of_who(struct completion *c, enum filter_who what)
{
	for (unsigned int i = 0; i < trace_nr_files(c->trace); i++)
		trace_who_each(c->trace, i, add_who,
			       &(struct words_of_who){ c, i, what,
						       trace_source_at(c->trace, i)->comms });
}

static void add_cpus(struct completion *c)
{
	for (unsigned int i = 0; i < trace_nr_streams(c->trace); i++)
		if (trace_stream_at(c->trace, i)->has_events)
			add_number(c, trace_stream_at(c->trace, i)->cpu, NULL);
}

static void add_files(struct completion *c)
{
	const char **paths = mem_array(trace_nr_files(c->trace) + 1, sizeof(*paths));
	char **names;

	for (unsigned int i = 0; i < trace_nr_files(c->trace); i++)
		paths[i] = trace_path(c->trace, i);
	names = file_names_new(paths, trace_nr_files(c->trace));
	for (unsigned int i = 0; i < trace_nr_files(c->trace); i++)
		add(c, FILTER_WORD_VALUE, names[i], true, paths[i]);
	file_names_free(names, trace_nr_files(c->trace));
	free(paths);
}

static void add_instances(struct completion *c)
{
	for (unsigned int i = 0; i < trace_nr_files(c->trace); i++)
		for (unsigned int k = 0; k < source_nr_buffers(trace_source_at(c->trace, i)->file);
		     k++) {
			const char *name =
				source_buffer(trace_source_at(c->trace, i)->file, k)->name;

			add(c, FILTER_WORD_VALUE, *name ? name : "top", true, NULL);
		}
}

static void add_symbols(struct completion *c, const char *field_name)
{
	const struct filter_name *name = filter_name_find(field_name, trace_filter_names(c->trace));

	for (const struct filter_name_word *word = name ? name->words : NULL; word && word->name;
	     word++)
		add(c, FILTER_WORD_VALUE, word->name, false, NULL);
	for (unsigned int i = 0; i < c->nr_types; i++) {
		const struct event_type *type = c->types[i].type;
		const struct event_field *field = type ? event_type_field(type, field_name) : NULL;
		struct record_text *texts = field ? trace_record_text(c->trace, c->types[i].file) :
						    NULL;
		const struct value_names *names = texts ? record_text_names(texts, type, field) :
							  NULL;

		for (unsigned int k = 0; names && k < names->nr; k++) {
			char help[32];

			snprintf(help, sizeof(help), "0x%llx",
				 (unsigned long long)names->names[k].value);
			if (strcmp(names->names[k].name, "+") != 0)
				add(c, FILTER_WORD_VALUE, names->names[k].name, true, help);
		}
	}
}

struct functions {
	struct completion	*c;
	char			 name[128];
};

static bool wants_function(void *arg, const char *name, uint32_t len, uint32_t module_len)
{
	struct functions *f = arg;

	(void)module_len;
	if (len >= sizeof(f->name) || len < f->c->len || strncmp(name, f->c->typed, f->c->len) != 0)
		return false;
	memcpy(f->name, name, len);
	f->name[len] = '\0';
	return true;
}

static void add_function(void *arg, uint64_t first, uint64_t last)
{
	struct functions *f = arg;

	(void)first;
	(void)last;
	add(f->c, FILTER_WORD_VALUE, f->name, true, NULL);
}

static bool is_address(struct completion *c, const char *field_name)
{
	for (unsigned int i = 0; i < c->nr_types; i++) {
		const struct event_field *field = c->types[i].type ?
							  event_type_field(c->types[i].type,
									   field_name) :
							  NULL;

		if (field && field->kind == FIELD_POINTER)
			return true;
	}
	return false;
}

/*
 * There are many functions: only add those that begin with the typed text, of at least two letters.
 */
static void add_functions(struct completion *c)
{
	struct printer *printer = c->len >= 2 && trace_nr_files(c->trace) ?
					  trace_printer(c->trace, 0) :
					  NULL;
	struct functions f = { .c = c };

	if (printer)
		kallsyms_match(printer_kallsyms(printer), wants_function, add_function, &f);
}

/* The table has no order: by number. */
static int by_number(const void *a, const void *b)
{
	const struct filter_word *x = a, *y = b;
	long m = strtol(x->text, NULL, 10), n = strtol(y->text, NULL, 10);

	return (m > n) - (m < n);
}

static void add_processes(struct completion *c)
{
	unsigned int first = c->nr;

	for (unsigned int i = 0; i < trace_nr_files(c->trace); i++)
		tgid_table_each(trace_source_at(c->trace, i)->tgids, add_process,
				&(struct processes){ c, trace_source_at(c->trace, i)->comms });
	if (c->nr > first)
		qsort(c->words + first, c->nr - first, sizeof(*c->words), by_number);
}

static void add_values(struct completion *c, const char *field)
{
	const struct filter_name *name = filter_name_find(field, trace_filter_names(c->trace));

	if (add_tasks(c, field, name))
		return;
	if (name && name->kind == FILTER_NAME_WHO) {
		add_words_of_who(c, (enum filter_who)name->number);
		return;
	}
	if (name && name->kind == FILTER_NAME_TGID) {
		add_processes(c);
		return;
	}
	if (name && (name->kind == FILTER_NAME_CPU || name->kind == FILTER_NAME_FILE ||
		     name->kind == FILTER_NAME_INSTANCE)) {
		if (name->kind == FILTER_NAME_CPU)
			add_cpus(c);
		else if (name->kind == FILTER_NAME_FILE)
			add_files(c);
		else
			add_instances(c);
		return;
	}
	add_symbols(c, field);
	if ((name && (name->kind == FILTER_NAME_FUNC || name->kind == FILTER_NAME_STACK)) ||
	    is_address(c, field))
		add_functions(c);
}

/* --- places ------------------------------------------------------------------------------ */

/* @compared: after a comparison, which can only be joined with another one. */
static void add_operators(struct completion *c, bool compared)
{
	static const char *const words[][2] = {
		{ "==", NULL }, { "!=", NULL }, { "<", NULL }, { "<=", NULL }, { ">", NULL },
		{ ">=", NULL },
		{ "=~", "regular expression" }, { "!~", "no match of it" }, { "~", "glob" },
		{ "contains", NULL },
		{ "in", "(1, 5-9)" }, { "not in", NULL }, { "&", "bits" }, { "&&", NULL },
		{ "||", NULL },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!compared || !strcmp(words[i][0], "&&") || !strcmp(words[i][0], "||"))
			add(c, FILTER_WORD_OPERATOR, words[i][0], false, words[i][1]);
}

static bool is_comparison(enum filter_token_kind kind)
{
	return (kind >= TOKEN_EQ && kind <= TOKEN_TILDE) || kind == TOKEN_AND ||
	       kind == TOKEN_CONTAINS || kind == TOKEN_IN;
}

static bool is_value_end(enum filter_token_kind kind)
{
	return kind == TOKEN_WORD || kind == TOKEN_NUMBER || kind == TOKEN_STRING ||
	       kind == TOKEN_CHAR || kind == TOKEN_CLOSE || kind == TOKEN_BRACKET_END;
}

/* The text before the word: the last name, and what follows it. */
struct before {
	enum filter_token_kind	 last;		/* END = none */
	char			*name;		/* in the arena; the last word */
	char			*event;		/* the word before the last colon */
	bool			 compared;	/* the place is to the right of a comparison with
						 * the name */
	bool			 open;		/* the place is inside a string */
	bool			 regex;		/* or inside a regular expression between slashes */
	size_t			 from;		/* start of that string: its quote */
};

static struct before look_before(struct completion *c, const char *text, size_t to)
{
	char *cut = arena_strndup(&c->arena, text, to);
	struct before b = { .last = TOKEN_END };
	size_t pos = 0;

	for (;;) {
		struct filter_token token = filter_lex(cut, pos, &c->arena, NULL);

		if (token.kind == TOKEN_END)
			return b;
		if (token.kind == TOKEN_WRONG) {
			b.from = filter_lex_blanks(cut, pos);
			b.open = cut[b.from] == '"';
			return b;
		}
		if (token.kind == TOKEN_SLASH && !is_value_end(b.last) && b.last != TOKEN_STAR) {
			bool fold;

			if (!filter_lex_regex(cut, token.from, &c->arena, &token, &fold, NULL)) {
				b.regex = true;
				return b;
			}
			token.kind = TOKEN_STRING;
		}
		if (token.kind == TOKEN_WORD && !b.compared)
			b.name = token.text;
		if (token.kind == TOKEN_COLON && b.name)
			b.event = b.name;
		if (is_comparison(token.kind))
			b.compared = true;
		else if (token.kind == TOKEN_ANDAND || token.kind == TOKEN_OROR ||
			 token.kind == TOKEN_COLON || token.kind == TOKEN_NOT)
			b.compared = false;
		b.last = token.kind;
		pos = token.to;
	}
}

/* The event with this name, if it occurs. */
static const char *known_event(const struct completion *c, const char *name)
{
	for (unsigned int i = 0; name && i < c->nr_types; i++)
		if (c->types[i].type && !strcmp(c->types[i].type->name, name))
			return name;
	return NULL;
}

static bool is_value_place(const struct before *before)
{
	return before->compared && before->name && !is_value_end(before->last);
}

static void set_typed(struct completion *c, const char *text, size_t from, size_t at)
{
	c->typed = text + from;
	c->len = at - from;
}

/* Names of tasks may contain other characters than words: kworker/0:1, migration/2, trace-cmd. */
static size_t value_begins(const char *text, size_t at)
{
	while (at > 0 && !strchr(" \t(),=!<>~&|\"'", text[at - 1]))
		at--;
	return at;
}

/* Add words for a place outside of strings.  Return: the start of the text that they replace. */
static size_t add_words(struct completion *c, const char *text, size_t at)
{
	const struct filter_name *prefix;
	struct before before;
	size_t start = at, system;

	before = look_before(c, text, value_begins(text, at));
	if (is_value_place(&before)) {
		set_typed(c, text, value_begins(text, at), at);
		add_values(c, before.name);
		if (c->nr)
			return value_begins(text, at);
	}
	while (start > 0 && (isalnum((unsigned char)text[start - 1]) || text[start - 1] == '_' ||
			     text[start - 1] == '.'))
		start--;
	system = system_begins(c, text, start);
	set_typed(c, text, system, at);
	before = look_before(c, text, system);
	prefix = before.last == TOKEN_WORD && before.name ?
			 filter_name_find(before.name, trace_filter_names(c->trace)) :
			 NULL;
	if (prefix && prefix->kind == FILTER_NAME_WORD)
		add_functions(c);
	else if (system != start && !before.compared)
		add_events(c, true);
	else if (is_value_place(&before))
		add_values(c, before.name);
	else if (is_value_end(before.last))
		add_operators(c, before.compared);
	else
		add_names(c, known_event(c, before.event));
	return system;
}

unsigned int filter_complete(struct trace *trace, const char *text, size_t at,
			     const struct filter_options *options, size_t *from,
			     struct filter_word **words)
{
	struct completion c = { .trace = trace, .options = options };
	size_t len = strlen(text);
	struct before before;

	*words = NULL;
	*from = at = at < len ? at : len;
	c.nr_types = trace_type_counts(trace, &c.types);
	before = look_before(&c, text, at);
	if (before.open) {
		c.quoted = true;
		*from = before.from;
		set_typed(&c, text, before.from + 1, at);
		if (is_value_place(&before))
			add_values(&c, before.name);
	} else if (!before.regex) {
		*from = add_words(&c, text, at);
	}
	free(c.types);
	arena_fini(&c.arena);
	*words = c.words;
	return c.nr;
}

void filter_words_free(struct filter_word *words, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		free(words[i].text);
		free(words[i].help);
	}
	free(words);
}
