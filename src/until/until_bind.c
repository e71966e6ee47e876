/* SPDX-License-Identifier: GPL-2.0-or-later */
/* until_bind - what conditions mean in a trace, and whether it will have what they need. */
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "parsers/types/event_types.h"
#include "src/base/memory.h"
#include "src/base/options.h"
#include "src/until/until_private.h"

#define PAIR	"pair:"
#define LATE_NS	5000000000	/* so long a model may take: LIMIT_LOOK, and a look at all */

struct binding {
	struct until	*until;
	struct trace	*trace;
	const struct until_recorded *recorded;
	struct until_condition *c;	/* which one is bound */
};

#define BLK	"blktrace"	/* what the tracer blk records */

/* --- what is recorded ------------------------------------------------------------------------- */

/* The file has formats of all that the kernel's own system can write. */
static bool is_recorded(const void *arg, const struct event_type *type)
{
	const struct binding *b = arg;
	const char *without = b->recorded->without;
	size_t len = strlen(type->system);

	if (!strcmp(type->system, "ftrace") && strstr(type->name, "graph"))
		return b->recorded->calls;
	if (!strcmp(type->system, "ftrace") && !strcmp(type->name, "function"))
		return b->recorded->functions;
	if (!strcmp(type->system, "ftrace") && strstr(type->name, "_stack"))
		return b->recorded->stacks;
	return !without || strncmp(without, type->system, len) != 0 || without[len] != ':' ||
	       strcmp(without + len + 1, type->name) != 0;
}

/* The type of format @i, if its events are recorded. */
static const struct event_type *type_at(const struct binding *b, unsigned int i)
{
	struct event_types *types = trace_event_types(b->trace, 0);
	int id = source_format(trace_file_of(b->trace, 0), i)->id;
	const struct event_type *type = id < 0 ? NULL : event_types_find(types, id);

	return type && is_recorded(b, type) ? type : NULL;
}

static unsigned int nr_types(const struct binding *b)
{
	return source_nr_formats(trace_file_of(b->trace, 0));
}

/* @name: its * stands for any text */
static bool is_called(const char *name, const char *real)
{
	size_t before = strcspn(name, "*"), len = strlen(real), after;

	if (!name[before])
		return !strcmp(name, real);
	after = strlen(name + before + 1);
	return len >= before + after && !strncmp(name, real, before) &&
	       !strcmp(name + before + 1, real + len - after);
}

static bool has_event(const struct binding *b, const char *system, const char *name)
{
	for (unsigned int i = 0; i < nr_types(b); i++) {
		const struct event_type *type = type_at(b, i);

		if (type && (!system || !strcmp(system, type->system)) &&
		    is_called(name, type->name))
			return true;
	}
	if (!strcmp(name, BLK))		/* it has no format */
		return b->recorded->blk;
	return system && !strcmp(system, "marker");	/* any task may write one */
}

static int missing(const struct binding *b, const char *what, struct ft_error *err)
{
	return ft_error_set(err, FT_E_USAGE, -1,
			    "--until %s: this does not record the events that %s needs; add %s",
			    b->c->text, b->until->kinds.names[b->c->kind], what);
}

/* The options that record both ends of a rule. */
static void add_options(const struct latency_rule *rule, struct text *out)
{
	if (!strcmp(rule->ends[0].name, BLK)) {
		text_add(out, "-p blk");
		return;
	}
	for (int i = 0; i < 2; i++) {
		const struct latency_event *end = &rule->ends[i];
		const char *quote = strchr(end->name, '*') ? "'" : "";

		text_printf(out, "%s-e %s%s%s%s%s", i ? " " : "", quote, end->system ?: "",
			    end->system ? ":" : "", end->name, quote);
	}
}

/* One of the kind's rules must have both its events. */
static int check_rules(const struct binding *b, struct ft_error *err)
{
	const struct latency_kinds *kinds = &b->until->kinds;
	struct text options = { 0 };
	int ret;

	for (unsigned int i = 0; i < kinds->nr_rules; i++) {
		const struct latency_rule *rule = &kinds->rules[i];

		if ((int)rule->kind != b->c->kind)
			continue;
		if (has_event(b, rule->ends[0].system, rule->ends[0].name) &&
		    has_event(b, rule->ends[1].system, rule->ends[1].name)) {
			text_fini(&options);
			return 0;
		}
		text_add(&options, options.len ? ", or " : "");
		add_options(rule, &options);
	}
	ret = missing(b, text_str(&options), err);
	text_fini(&options);
	return ret;
}

static int check_kind(const struct binding *b, struct ft_error *err)
{
	bool wakes = has_event(b, "sched", "sched_waking") || has_event(b, "sched", "sched_wakeup");

	if (b->recorded->keep_ns && b->c->limit >= b->recorded->keep_ns)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--until %s: -m (--keep) must be longer than this time: what "
				    "began before the ring is not known",
				    b->c->text);
	if (b->c->kind >= LATENCY_OWN_KINDS)
		return check_rules(b, err);
	if (b->c->kind == LATENCY_CALL)
		return b->recorded->calls ? 0 : missing(b, "-p function_graph", err);
	if (!has_event(b, "sched", "sched_switch"))
		return missing(b,
			       b->c->kind == LATENCY_WAKEUP && !wakes ?
				       "-e sched_switch -e sched_waking" :
				       "-e sched_switch",
			       err);
	return b->c->kind == LATENCY_WAKEUP && !wakes ? missing(b, "-e sched_waking", err) : 0;
}

/* --- filters ---------------------------------------------------------------------------------- */

/* It begins as a condition on a latency does: "wakeup > 5". */
static bool names_kind(const struct binding *b, size_t *len)
{
	struct ft_error err = { 0 };
	char *word;
	bool does;

	*len = strcspn(b->c->text, " <>=!&|");
	word = mem_strndup(b->c->text, *len);
	does = b->c->text[*len] && latency_kinds_find(&b->until->kinds, word, &err) >= 0;
	free(word);
	return does;
}

static int tell_filter(const struct binding *b, struct filter_error *e, struct ft_error *err)
{
	static const char option[] = "-F: ";
	size_t len;
	const struct filter_source source = until_source(b->c);
	struct ft_error wrong = { .offset = -1 };
	size_t skip;

	filter_error_tell(&source, 1, e, &wrong);
	text_fini(&e->message);
	if (names_kind(b, &len))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--until %s: of a latency, > and a time with its unit are "
				    "asked for, as in %.*s > 5ms",
				    b->c->text, (int)len, b->c->text);
	skip = strncmp(wrong.message, option, strlen(option)) ? 0 : strlen(option);
	return ft_error_set(
		err, FT_E_USAGE, -1,
		"--until: %s\nOnly what is recorded can be asked for: -e records events",
		wrong.message + skip);
}

static struct filter *make_filter(const struct binding *b, const char *text, struct filter_error *e)
{
	const struct filter_source source = { .text = text, .file = -1 };

	*e = (struct filter_error){ 0 };
	return filter_new(b->trace, &source, 1, NULL, e);
}

/* May an event that is recorded match? */
static bool may_match(const struct binding *b, const struct filter *filter)
{
	struct filter_run *run = filter_run_new(filter);
	bool may = filter_asks_lost(filter);

	for (unsigned int s = 0; s < trace_nr_streams(b->trace) && !may; s++) {
		if (filter_run_stream(run, s) == FILTER_NEVER)
			continue;
		for (unsigned int i = 0; i < nr_types(b) && !may; i++) {
			const struct event_type *type = type_at(b, i);

			may = type && filter_run_type(run, type->id) != FILTER_NEVER;
		}
	}
	filter_run_free(run);
	return may;
}

static int check_filter(const struct binding *b, struct ft_error *err)
{
	struct filter_error e;
	struct filter *filter;
	const char *lacks;
	bool may;

	if (!*b->c->filter)
		return 0;
	filter = make_filter(b, b->c->filter, &e);
	if (!filter)
		return tell_filter(b, &e, err);
	may = may_match(b, filter);
	lacks = filter_lacks(filter, is_recorded, b);
	b->c->late = filter_asks_models(filter);
	filter_free(filter);
	if (lacks)
		return ft_error_set(err, FT_E_USAGE, -1, "--until %s: this records no %s",
				    b->c->text, lacks);
	if (b->c->late && b->recorded->keep_ns && b->recorded->keep_ns < LATE_NS)
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"--until %s: -m (--keep) must be at least 5 s: where this is true is "
			"known some seconds later",
			b->c->text);
	return may ? 0 :
		     ft_error_set(err, FT_E_USAGE, -1,
				  "--until %s: no event that this records can match%s%s",
				  b->c->text,
				  b->recorded->without ? "; one that is not recorded: " : "",
				  b->recorded->without ?: "");
}

static bool is_filter(const struct binding *b)
{
	struct filter_error e;
	struct filter *filter = make_filter(b, b->c->text, &e);

	text_fini(&e.message);
	filter_free(filter);
	return filter;
}

/* The event of this name: @len bytes of @word in place of the *. */
static void add_name(const struct latency_event *end, const char *word, size_t len,
		     struct text *out)
{
	const char *star = strchr(end->name, '*');

	text_printf(out, "%.*s%.*s%s", (int)(star - end->name), end->name, (int)len, word,
		    star + 1);
}

/* Both events of this name must be recorded. */
static int check_name(const struct binding *b, const struct latency_rule *rule, const char *word,
		      size_t len, struct ft_error *err)
{
	struct text name = { 0 }, options = { 0 };
	bool are_there = true;
	int ret = 0;

	for (int i = 0; i < 2; i++) {
		const struct latency_event *end = &rule->ends[i];

		text_clear(&name);
		add_name(end, word, len, &name);
		are_there &= has_event(b, end->system, text_str(&name));
		text_printf(&options, " -e %s%s%s", end->system ?: "", end->system ? ":" : "",
			    text_str(&name));
	}
	if (!are_there)
		ret = ft_error_set(
			err, FT_E_USAGE, -1,
			"--until %s: this does not record %.*s by its name; add%s%s", b->c->text,
			(int)len, word, text_str(&options),
			has_event(b, "raw_syscalls", "sys_enter") ?
				"\nraw_syscalls has the numbers of system calls, but not "
				"their names: to ask for one, write id == NUMBER" :
				"");
	text_fini(&name);
	text_fini(&options);
	return ret;
}

/*
 * System calls have no field with their name: of the filter, `name == read` is what their events
 * are called.
 */
static int name_events(const struct binding *b, const struct latency_rule *rule,
		       struct ft_error *err)
{
	static const char key[] = "name";
	struct text out = { 0 };
	const char *s = b->c->filter;
	int ret = 0;

	while (*s && !ret) {
		const char *at = s + sizeof(key) - 1, *word;
		size_t len, part = strspn(s, NAME_LETTERS);

		at += strspn(at, " ");
		word = at + 2 + strspn(at + 2 * (at[0] && at[1]), " ");
		if (part != sizeof(key) - 1 || strncmp(s, key, part) != 0 ||
		    strncmp(at, "==", 2) != 0 || !(len = strspn(word, NAME_LETTERS))) {
			text_bytes(&out, s, part ?: 1);
			s += part ?: 1;
			continue;
		}
		for (int i = 0; i < 2; i++) {
			text_add(&out, i ? " || " : "(");
			add_name(&rule->ends[i], word, len, &out);
		}
		text_char(&out, ')');
		ret = check_name(b, rule, word, len, err);
		s = word + len;
	}
	free(b->c->filter);
	b->c->filter = mem_strdup(text_str(&out));
	text_fini(&out);
	return ret;
}

/* --- conditions ------------------------------------------------------------------------------- */

/* Calls of one function, which is a filter on calls. */
static void bind_function(const struct binding *b)
{
	struct text both = { 0 };

	text_printf(&both, "func %s \"%s\"", strpbrk(b->c->name, "*?") ? "~" : "==", b->c->name);
	if (*b->c->filter)
		text_printf(&both, " && (%s)", b->c->filter);
	free(b->c->filter);
	b->c->filter = mem_strdup(text_str(&both));
	text_fini(&both);
	b->c->kind = LATENCY_CALL;
}

static int find_kind(const struct until *until, const char *name)
{
	for (unsigned int i = 0; i < until->kinds.nr; i++)
		if (!strcmp(until->kinds.names[i], name))
			return (int)i;
	return -1;
}

static int bind_name(const struct binding *b, struct ft_error *err)
{
	const char *name = b->c->name, *near;
	bool is_pair = !strncmp(name, PAIR, sizeof(PAIR) - 1);

	b->c->kind = find_kind(b->until, name + (is_pair ? sizeof(PAIR) - 1 : 0));
	if (b->c->kind >= 0)
		return 0;
	if (is_pair)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--until %s: the file of pairs, and those of events, have no "
				    "such pair",
				    b->c->text);
	if (is_filter(b)) {		/* a field with a time */
		free(b->c->filter);
		b->c->filter = mem_strdup(b->c->text);
		return check_filter(b, err);
	}
	near = options_nearest(name, b->until->kinds.names, b->until->kinds.nr);
	if (!b->recorded->calls)
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"--until %s: %s is no kind of latency%s%s%s calls of a function "
			"need -p function_graph",
			b->c->text, name, near ? "; did you mean " : "", near ?: "",
			near ? "? As a function:" : " (ftop-trace help until tells more);");
	bind_function(b);
	return 0;
}

/* The rule whose names have a *, if the kind has one. */
static const struct latency_rule *starred(const struct until *until, int kind)
{
	for (unsigned int i = 0; i < until->kinds.nr_rules; i++) {
		const struct latency_rule *rule = &until->kinds.rules[i];

		if ((int)rule->kind == kind && rule->ends[0].name && rule->ends[1].name &&
		    strchr(rule->ends[0].name, '*') && strchr(rule->ends[1].name, '*'))
			return rule;
	}
	return NULL;
}

static int bind_one(const struct binding *b, struct ft_error *err)
{
	const struct latency_rule *rule;

	if (b->c->name && bind_name(b, err))
		return -1;
	if (b->c->kind == UNTIL_ROWS)
		return check_filter(b, err);
	if (trace_unit(b->trace) != TRACE_UNIT_NS)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--until %s: the clock %s does not measure time", b->c->text,
				    trace_clock(b->trace));
	rule = starred(b->until, b->c->kind);
	if (rule && name_events(b, rule, err))
		return -1;
	return check_kind(b, err) || check_filter(b, err) ? -1 : 0;
}

int until_bind(struct until *until, struct trace *trace, const char *pairs,
	       const struct until_recorded *recorded, struct ft_error *err)
{
	if (latency_kinds_read(&until->kinds, pairs, &until->pairs, err))
		return -1;
	until->partly = recorded->partly;
	for (unsigned int i = 0; i < until->nr; i++) {
		const struct binding b = { until, trace, recorded, &until->list[i] };

		if (bind_one(&b, err))
			return -1;
	}
	return 0;
}
