/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_kinds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/file/trace_file.h"
#include "parsers/source/source.h"
#include "src/base/options.h"
#include "src/base/small_file.h"
#include "src/events/known_events.h"

static const char *const own_kinds[LATENCY_OWN_KINDS] = {
	[LATENCY_CALL] = "call", [LATENCY_WAKEUP] = "wakeup", [LATENCY_PREEMPTED] = "preempted",
	[LATENCY_BLOCKED] = "blocked", [LATENCY_SLEEP] = "sleep",
};

/* --- reading a line ------------------------------------------------------------------------- */

struct rule_reader {
	struct latency_kinds *kinds;
	const char	*line, *pos;
	struct ft_error	*err;
	char		*word;		/* in the arena: the last one taken */
};

static int wrong(const struct rule_reader *r, const char *what, const char *word)
{
	return ft_error_set(r->err, FT_E_USAGE, -1, "byte %u: %s%s%s",
			    (unsigned int)(r->pos - r->line) + 1, what, *word ? ": " : "", word);
}

static void skip_blanks(struct rule_reader *r)
{
	r->pos += strspn(r->pos, " \t");
}

/* What is before one of these letters, or "text": a " in it is not possible. */
static bool take_until(struct rule_reader *r, const char *letters)
{
	size_t len;
	bool quoted;

	skip_blanks(r);
	quoted = *r->pos == '"';
	len = strcspn(r->pos + quoted, quoted ? "\"" : letters);
	if (quoted && !r->pos[1 + len])
		return false;
	r->word = arena_strndup(&r->kinds->arena, r->pos + quoted, len);
	r->pos += len + 2 * quoted;
	return len || quoted;
}

static bool take_word(struct rule_reader *r)
{
	return take_until(r, " \t");
}

/* [FILTER], if there is one: brackets inside it, and in strings and expressions, are its own. */
static int take_filter(struct rule_reader *r, const char **filter)
{
	unsigned int depth = 0;
	const char *end;
	char quote = 0;

	skip_blanks(r);
	if (*r->pos != '[')
		return 0;
	for (end = r->pos; *end; end++) {
		if (quote) {
			end += *end == '\\' && end[1];
			quote = *end == quote ? 0 : quote;
		} else if (*end == '"' || *end == '\'') {
			quote = *end;
		} else if (*end == '[') {
			depth++;
		} else if (*end == ']' && !--depth) {
			break;
		}
	}
	if (!*end)
		return wrong(r, "the bracket is not closed", "");
	*filter = arena_strndup(&r->kinds->arena, r->pos + 1, (size_t)(end - r->pos - 1));
	r->pos = end + 1;
	return 0;
}

/* "sched:sched_switch", "sched_switch" */
static void name_event(struct latency_event *event, char *word)
{
	char *colon = strchr(word, ':');

	event->name = colon ? colon + 1 : word;
	event->system = colon ? word : NULL;
	if (colon)
		*colon = '\0';
}

static int take_event(struct rule_reader *r, struct latency_event *event)
{
	if (!take_until(r, " \t|") || !strcmp(r->word, "by"))
		return wrong(r, "an event must be before this place", "");
	name_event(event, r->word);
	return take_filter(r, &event->filter);
}

/* unless EVENT [FILTER] */
static int take_unless(struct rule_reader *r, struct latency_rule *rule)
{
	struct latency_event *event = arena_alloc(&r->kinds->arena, sizeof(*event));

	if (take_event(r, event))
		return -1;
	event->other = rule->unless;
	rule->unless = event;
	return 0;
}

static int take_events(struct rule_reader *r, struct latency_rule *rule)
{
	struct latency_event *end = &rule->ends[1], *other;
	const char *before;

	if (take_event(r, &rule->ends[0]))
		return -1;
	skip_blanks(r);
	if (*r->pos == '|')
		return wrong(r, "only the end may be one of several events", "");
	before = r->pos;
	if (!take_word(r) || strcmp(r->word, "->"))
		r->pos = before;
	if (take_event(r, end))
		return -1;
	for (skip_blanks(r); *r->pos == '|'; skip_blanks(r)) {
		r->pos++;
		other = arena_alloc(&r->kinds->arena, sizeof(*other));
		if (take_event(r, other))
			return -1;
		end->other = other;
		end = other;
	}
	return 0;
}

static int take_keys(struct rule_reader *r, struct latency_rule *rule)
{
	char *rest, *equal;

	if (!take_word(r) || strcmp(r->word, "by"))
		return wrong(r, "by must be before this place, and what joins start and end",
			     r->word);
	if (!take_word(r))
		return wrong(r, "cpu, pid, none or fields must be after by", "");
	rest = r->word;
	for (char *key = strsep(&rest, ","); key; key = strsep(&rest, ",")) {
		if (!strcmp(key, "cpu")) {
			rule->by_cpu = true;
		} else if (!strcmp(key, "pid")) {
			rule->by_pid = true;
		} else if (!strcmp(key, "*")) {
			rule->by_star = true;
		} else if (!*key || rule->nr_keys == LATENCY_MOST_KEYS) {
			return wrong(r, "1 to 4 fields, cpu, pid or none must be after by", "");
		} else if (strcmp(key, "none") != 0) {
			equal = strchr(key, '=');
			if (key[strlen(key) - 1] == '?') {
				key[strlen(key) - 1] = '\0';
				rule->may_lack |= 1u << rule->nr_keys;
			}
			rule->keys[rule->nr_keys][0] = key;
			rule->keys[rule->nr_keys++][1] = equal ? equal + 1 : key;
			if (equal)
				*equal = '\0';
		}
	}
	return 0;
}

/* A word after the keys; its arguments. */
static int take_option(struct rule_reader *r, struct latency_rule *rule)
{
	const struct {
		const char	*name;
		bool		*flag;
		const char	**words[2];
	} options[] = {
		{ "nested", .flag = &rule->nested },
		{ "first", .flag = &rule->first },
		{ "queue", .flag = &rule->queue },
		{ "alone", .flag = &rule->alone },
		{ "or", .flag = &rule->otherwise },
		{ "jiffies", .flag = &rule->jiffies },
		{ "unmatched", .flag = &rule->unmatched },
		{ "lock", .flag = &rule->locks },
		{ "silent", .flag = &rule->silent },
		{ "irqs_off", .flag = &rule->irqs_off },
		{ "preempt_off", .flag = &rule->preempt_off },
		{ "again", .words = { &rule->again.name, &rule->again_word } },
		{ "late", .words = { &rule->late[0], &rule->late[1] } },
		{ "within", .words = { &rule->within } },
		{ "label", .words = { &rule->label } },
		{ "value", .words = { &rule->value } },
		{ "task", .words = { &rule->task } },
		{ "what", .words = { &rule->what } },
		{ "and", .words = { &rule->more } },
	};

	if (!strcmp(r->word, "unless"))
		return take_unless(r, rule);
	for (unsigned int i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (strcmp(options[i].name, r->word))
			continue;
		if (options[i].flag)
			*options[i].flag = true;
		for (unsigned int k = 0; k < 2 && options[i].words[k]; k++) {
			if (!take_word(r))
				return wrong(r, "a field, or a text in quotes, must be after",
					     options[i].name);
			*options[i].words[k] = r->word;
		}
		return 0;
	}
	return wrong(r, "not a word of the language of pairs", r->word);
}

static int take_rule(struct rule_reader *r, struct latency_rule *rule, const char **name)
{
	if (!take_word(r))
		return wrong(r, "a name, two events and by must be here", "");
	*name = r->word;
	if (take_events(r, rule) || take_keys(r, rule))
		return -1;
	while (take_word(r))
		if (take_option(r, rule))
			return -1;
	if (*r->pos)
		return wrong(r, "the quote is not closed", "");
	if (rule->again.name)
		name_event(&rule->again, (char *)rule->again.name);
	rule->queue |= rule->within || rule->again.name;
	/* without a field, the * of the events is the key */
	rule->alone |= strchr(rule->ends[0].name, '*') && !rule->by_star && !rule->nr_keys;
	return 0;
}

/* --- the kinds ------------------------------------------------------------------------------ */

static unsigned int add_kind(struct latency_kinds *kinds, const char *name)
{
	mem_grow(&kinds->names, kinds->nr, &kinds->cap);
	kinds->names[kinds->nr] = name;
	return kinds->nr++;
}

static int find(const struct latency_kinds *kinds, const char *name)
{
	for (unsigned int i = 0; i < kinds->nr; i++)
		if (!strcmp(kinds->names[i], name))
			return (int)i;
	return -1;
}

static void put_rule(struct latency_kinds *kinds, const struct latency_rule *rule)
{
	mem_grow(&kinds->rules, kinds->nr_rules, &kinds->cap_rules);
	kinds->rules[kinds->nr_rules++] = *rule;
}

int latency_kinds_add(struct latency_kinds *kinds, const char *line, bool must_fit,
		      struct ft_error *err)
{
	struct rule_reader r = { .kinds = kinds, .line = line, .pos = line, .err = err };
	struct latency_rule rule = { .must_fit = must_fit, .from = kinds->from };
	const char *name = "";
	int kind;

	if (take_rule(&r, &rule, &name))
		return -1;
	kind = find(kinds, name);
	if (kind >= 0 && kinds->is_complete)
		return ft_error_set(err, FT_E_USAGE, -1, "%s is already the name of a kind", name);
	if (kinds->nr_rules == LATENCY_MOST_RULES)
		return ft_error_set(err, FT_E_LIMIT, -1, "more than %u pairs", LATENCY_MOST_RULES);
	rule.kind = kind >= 0 ? (unsigned int)kind : add_kind(kinds, name);
	put_rule(kinds, &rule);
	return 0;
}

int latency_kinds_check(const char *line, struct ft_error *err)
{
	struct latency_kinds kinds = { .nr = 0 };
	int ret = latency_kinds_add(&kinds, line, false, err);

	latency_kinds_fini(&kinds);
	return ret;
}

/* The user's come last, so that all others keep their places. */
static void add_known(struct latency_kinds *kinds, bool is_own)
{
	const struct known_line *line;

	for (unsigned int at = 0; (line = known_events_next(KNOWN_PAIR, &at));) {
		kinds->from = line->file;
		if (line->is_own == is_own)
			latency_kinds_add(kinds, line->text, false, NULL);
	}
	kinds->from = NULL;
}

void latency_kinds_init(struct latency_kinds *kinds)
{
	*kinds = (struct latency_kinds){ .nr = 0 };
	for (unsigned int i = 0; i < LATENCY_OWN_KINDS; i++)
		put_rule(kinds, &(struct latency_rule){ .kind = add_kind(kinds, own_kinds[i]) });
	add_known(kinds, false);
	kinds->nr_known = kinds->nr;
	add_known(kinds, true);
	kinds->is_complete = true;
}

void latency_kinds_fini(struct latency_kinds *kinds)
{
	free(kinds->names);
	free(kinds->rules);
	arena_fini(&kinds->arena);
	*kinds = (struct latency_kinds){ .nr = 0 };
}

int latency_kinds_read_text(struct latency_kinds *kinds, const char *lines, const char *name,
			    struct ft_error *err)
{
	char *copy = mem_strdup(lines), *rest = copy, *line;
	int ret = 0;

	for (unsigned int nr = 1; (line = strsep(&rest, "\n")); nr++) {
		struct ft_error wrong = { 0 };
		int failed = 0;

		line += strspn(line, " \t");
		if (!strncmp(line, "pair ", 5))
			failed = latency_kinds_add(kinds, line + 5, false, &wrong);
		else if (*line && *line != '#')
			failed = ft_error_set(&wrong, FT_E_FORMAT, -1,
					      "a line is pair NAME START END by KEY");
		if (failed && !ret)
			ret = ft_error_set(err, wrong.code, -1, "%s:%u: %s", name, nr,
					   wrong.message);
	}
	free(copy);
	return ret;
}

int latency_kinds_read(struct latency_kinds *kinds, const char *path, struct text *contents,
		       struct ft_error *err)
{
	int ret;

	if (!path || access(path, F_OK))
		return 0;
	if (small_file_read(path, LATENCY_PAIRS_BYTES, contents, err))
		return -1;
	kinds->from = arena_strndup(&kinds->arena, path, strlen(path));
	ret = latency_kinds_read_text(kinds, text_str(contents), path, err);
	kinds->from = NULL;
	return ret;
}

bool latency_kinds_is_of_locks(const struct latency_kinds *kinds, int kind)
{
	for (unsigned int i = 0; i < kinds->nr_rules; i++)
		if ((int)kinds->rules[i].kind == kind && kinds->rules[i].locks)
			return true;
	return false;
}

bool latency_kinds_is_silent(const struct latency_kinds *kinds, int kind)
{
	for (unsigned int i = 0; i < kinds->nr_rules; i++)
		if ((int)kinds->rules[i].kind == kind && kinds->rules[i].silent)
			return true;
	return false;
}

int latency_kinds_find(const struct latency_kinds *kinds, const char *name, struct ft_error *err)
{
	struct text names = { 0 };
	int kind = find(kinds, name);
	const char *near;

	if (kind >= 0)
		return kind;
	for (unsigned int i = 0; i < kinds->nr; i++)
		text_printf(&names, "%s%s", i ? ", " : "", kinds->names[i]);
	near = options_nearest(name, (const char *const *)kinds->names, kinds->nr);
	ft_error_set(err, FT_E_USAGE, -1, "there is no kind %s%s%s%s; there are: %s", name,
		     near ? "; did you mean " : "", near ? near : "", near ? "?" : "",
		     text_str(&names));
	text_fini(&names);
	return -1;
}

/* --- hooks of trace-cmd ----------------------------------------------------------------------- */

int latency_kinds_hook(const char *hook, struct text *line, struct ft_error *err)
{
	char *copy = mem_strdup(hook), *end = copy, *start = strsep(&end, "/"), *words[2][3];
	bool global, pinned;

	for (unsigned int i = 0; i < 6; i++)
		words[i / 3][i % 3] = strsep(i < 3 ? &start : &end, ",");
	if (!words[0][1] || !words[1][1] || start || end) {
		free(copy);
		return ft_error_set(err, FT_E_USAGE, -1,
				    "%s: a hook is START,FIELD[,PID]/END,FIELD[,FLAGS]", hook);
	}
	global = words[1][2] && strpbrk(words[1][2], "gG");
	pinned = words[1][2] && strpbrk(words[1][2], "pP");
	text_printf(line, "%s %s -> %s by %s%s",
		    strchr(words[0][0], ':') ? strchr(words[0][0], ':') + 1 : words[0][0],
		    words[0][0], words[1][0], pinned ? "cpu," : "",
		    global || words[0][2] ? "" : "pid,");
	if (words[0][2] && !global)
		text_printf(line, "%s=common_pid,", words[0][2]);
	text_printf(line, "%s=%s", words[0][1], words[1][1]);
	free(copy);
	return 0;
}

void latency_kinds_hooks(struct latency_kinds *kinds, const struct trace *trace, unsigned int file)
{
	const struct source *f = trace_file_of(trace, file);
	struct text line = { 0 };

	for (unsigned int i = 0; i < trace_file_nr_options(f); i++) {
		const struct trace_file_option *option = trace_file_option(f, i);
		const char *hook = (const char *)option->data;

		if (option->id != TRACE_OPTION_HOOK)
			continue;
		text_clear(&line);
		hook = arena_strndup(&kinds->arena, hook, strnlen(hook, option->size));
		if (!latency_kinds_hook(hook, &line, NULL))
			latency_kinds_add(kinds, text_str(&line), false, NULL);
	}
	text_fini(&line);
}

bool latency_rule_hides(const char *field, size_t len, uint64_t value)
{
	return !value && len == strlen("lock_addr") && !memcmp(field, "lock_addr", len);
}
