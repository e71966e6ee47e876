/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/check/check_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/options.h"
#include "src/base/text.h"

#define MOST_WORDS	(CHECK_MOST_OPTIONS + 3u)
#define OPERATORS	"<>=!"
#define RULE_SHAPE	"TABLE [ROW] [COLUMN] < LIMIT [if FILTER]"

struct rule_reading {			/* a line that is being read */
	struct check_rules *rules;
	struct check_rule rule;
	const char	*line, *p;
	struct check_word words[MOST_WORDS];	/* before the operator */
	unsigned int	nr;
};

void check_rules_fini(struct check_rules *rules)
{
	free(rules->list);
	arena_fini(&rules->arena);
}

const char *check_rule_place(struct check_rules *rules, const struct check_rule *rule,
			     const struct check_word *word)
{
	unsigned int at = word->s ? word->at : 1;

	return rule->file ? arena_printf(&rules->arena, "%s:%u:%u", rule->file, rule->line, at) :
			    arena_printf(&rules->arena, "-e '%s': column %u", rule->text, at);
}

/* --- words ------------------------------------------------------------------------------------ */

static void skip_blanks(struct rule_reading *r)
{
	r->p += strspn(r->p, " \t");
}

static int fail(struct rule_reading *r, const struct check_word *at, const char *what,
		struct ft_error *err)
{
	return ft_error_set(err, FT_E_USAGE, -1, "%s: %s", check_rule_place(r->rules, &r->rule, at),
			    what);
}

/* What is next in the line, for an error. */
static struct check_word here(const struct rule_reading *r)
{
	return (struct check_word){ r->p, (unsigned int)(r->p - r->line) + 1 };
}

/* A word ends at a blank or one of these; quotes protect both.  -1: a quote has no end. */
static int read_word(struct rule_reading *r, const char *ends, struct check_word *word,
		     struct ft_error *err)
{
	struct text out = { 0 };
	struct check_word at = here(r);
	char quote = '\0';

	for (; *r->p && (quote || !strchr(ends, *r->p)); r->p++) {
		if (quote ? *r->p == quote : *r->p == '\'' || *r->p == '"')
			quote = quote ? '\0' : *r->p;
		else
			text_char(&out, *r->p);
	}
	*word = at;
	word->s = arena_strndup(&r->rules->arena, text_str(&out), out.len);
	text_fini(&out);
	return quote ? fail(r, &at, "the quote has no end", err) : 0;
}

/* --- the parts of a rule ---------------------------------------------------------------------- */

static const struct {
	const char	*name;
	enum check_op	op;
} operators[] = {			/* the longest first */
	{ "<=", CHECK_AT_MOST }, { ">=", CHECK_AT_LEAST }, { "==", CHECK_EQUAL },
	{ "!=", CHECK_OTHER }, { "<", CHECK_LESS }, { ">", CHECK_MORE },
};

static const struct {
	const char	*name;
	double		 factor;
	enum check_unit	 unit;
} units[] = {
	{ "", 1, CHECK_BARE }, { "ns", 1, CHECK_TIME }, { "us", 1e3, CHECK_TIME },
	{ "µs", 1e3, CHECK_TIME }, { "ms", 1e6, CHECK_TIME }, { "s", 1e9, CHECK_TIME },
	{ "%", 1, CHECK_PERCENT }, { "k", 1e3, CHECK_BARE }, { "M", 1e6, CHECK_BARE },
	{ "G", 1e9, CHECK_BARE },
};

static int read_operator(struct rule_reading *r, struct ft_error *err)
{
	struct check_word at = here(r);

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t len = strlen(operators[i].name);

		if (strncmp(r->p, operators[i].name, len) != 0)
			continue;
		r->rule.op = operators[i].op;
		r->p += len;
		if (!strchr(OPERATORS, *r->p) || !*r->p)
			return 0;
		break;
	}
	return fail(r, &at, "here one of < <= == != >= > is due: a rule is " RULE_SHAPE, err);
}

static int read_limit(struct rule_reading *r, struct ft_error *err)
{
	struct check_rule *rule = &r->rule;
	struct check_word at;
	char *end;

	skip_blanks(r);
	at = here(r);
	if (read_word(r, " \t", &rule->limit, err))
		return -1;
	if (!*rule->limit.s)
		return fail(r, &at, "the limit is missing, as in max < 100us", err);
	rule->number = strtod(rule->limit.s, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end > rule->limit.s && !strcmp(end, units[i].name)) {
			rule->is_number = isfinite(rule->number);
			rule->number *= units[i].factor;
			rule->unit = units[i].unit;
		}
	if (!rule->is_number && strchr("0123456789.+-", *rule->limit.s))
		return fail(r, &at,
			    "not a number with one of the units ns us ms s % k M G, "
			    "or without one",
			    err);
	if (!rule->is_number && rule->op != CHECK_EQUAL && rule->op != CHECK_OTHER)
		return fail(r, &at,
			    "words are compared by == and !=; a number may have one of "
			    "the units ns us ms s % k M G",
			    err);
	return 0;
}

static int read_filter(struct rule_reading *r, struct ft_error *err)
{
	struct check_word at;

	skip_blanks(r);
	at = here(r);
	if (!*r->p)
		return 0;
	if (strncmp(r->p, "if", 2) != 0 || !strchr(" \t(!\"", r->p[2]))	/* or the end */
		return fail(r, &at, "after the limit, only `if` and a filter may stand", err);
	r->p += 2;
	skip_blanks(r);
	at = here(r);
	if (!*r->p)
		return fail(r, &at, "the filter is missing, as in if comm == bash", err);
	r->rule.filter = at;
	r->rule.filter.s = arena_strndup(&r->rules->arena, at.s, strlen(at.s));
	return 0;
}

static int unknown_table(struct rule_reading *r, const char *const *tables, unsigned int nr,
			 struct ft_error *err)
{
	const char *near = options_nearest(r->words[0].s, tables, nr);
	struct text what = { 0 };
	int ret;

	text_printf(&what, "no table is named %s; ", r->words[0].s);
	if (near)
		text_printf(&what, "did you mean %s? ", near);
	text_add(&what, "The tables are: ");
	for (unsigned int i = 0; i < nr; i++)
		text_printf(&what, "%s%s", i ? ", " : "", tables[i]);
	ret = fail(r, &r->words[0], text_str(&what), err);
	text_fini(&what);
	return ret;
}

/* What the words before the operator are. */
static int sort_words(struct rule_reading *r, const char *const *tables, unsigned int nr,
		      struct ft_error *err)
{
	struct check_rule *rule = &r->rule;
	const struct check_word *words = r->words;
	unsigned int i = 0;

	while (i < nr && strcmp(tables[i], words[0].s) != 0)
		i++;
	if (i == nr && r->nr > 1)
		return unknown_table(r, tables, nr, err);
	if (i == nr) {
		rule->column = words[0];
		return 0;
	}
	rule->table = words[0];
	for (i = 1; i < r->nr && !strncmp(words[i].s, "--", 2); i++) {
		if (rule->nr_options == CHECK_MOST_OPTIONS)
			return fail(r, &words[i], "a rule has at most 16 options", err);
		rule->options[rule->nr_options++] = words[i].s;
	}
	if (r->nr - i > 2)
		return fail(r, &words[i + 2],
			    "behind the table, only a row and a column may "
			    "stand; the name of a row with blanks needs quotes",
			    err);
	if (i < r->nr)
		rule->row = words[i];
	if (i < r->nr)
		rule->column = words[r->nr - 1];
	return 0;
}

static int read_rule(struct rule_reading *r, const char *const *tables, unsigned int nr,
		     struct ft_error *err)
{
	struct check_word at;

	for (skip_blanks(r); *r->p && !strchr(OPERATORS, *r->p); skip_blanks(r)) {
		at = here(r);
		if (r->nr == MOST_WORDS)
			return fail(r, &at, "too many words: a rule is " RULE_SHAPE, err);
		if (read_word(r, !strncmp(r->p, "--", 2) ? " \t" : " \t" OPERATORS,
			      &r->words[r->nr++], err))
			return -1;
	}
	at = here(r);
	if (!r->nr)
		return fail(r, &at,
			    "a rule begins with a table or a column of the trace: " RULE_SHAPE,
			    err);
	/* what is no table tells more than what is missing behind it */
	if (sort_words(r, tables, nr, err) || read_operator(r, err) || read_limit(r, err))
		return -1;
	return read_filter(r, err);
}

int check_rules_add(struct check_rules *rules, const char *file, const char *text,
		    const char *const *tables, unsigned int nr, struct ft_error *err)
{
	unsigned int number = 0;

	for (const char *p = text; *p; p += *p == '\n') {
		size_t len = strcspn(p, "\n");
		struct rule_reading r = { .rules = rules,
					  .rule = { .file = file, .line = ++number } };
		size_t begin;

		r.line = r.p = arena_strndup(&rules->arena, p, len);
		p += len;
		len = strlen(r.line);
		while (len && strchr(" \t\r", r.line[len - 1]))
			((char *)r.line)[--len] = '\0';
		begin = strspn(r.line, " \t");
		r.rule.text = r.line + begin;
		if (!*r.rule.text || *r.rule.text == '#')
			continue;
		if (read_rule(&r, tables, nr, err))
			return -1;
		mem_grow(&rules->list, rules->nr, &rules->cap);
		rules->list[rules->nr++] = r.rule;
	}
	return 0;
}

/* --- judging ---------------------------------------------------------------------------------- */

enum check_verdict check_rule_judge(const struct check_rule *rule, double least, double most)
{
	double limit = rule->number;
	bool all = false, none = false;

	switch (rule->op) {
	case CHECK_LESS:
		all = most < limit;
		none = least >= limit;
		break;
	case CHECK_AT_MOST:
		all = most <= limit;
		none = least > limit;
		break;
	case CHECK_MORE:
		all = least > limit;
		none = most <= limit;
		break;
	case CHECK_AT_LEAST:
		all = least >= limit;
		none = most < limit;
		break;
	case CHECK_EQUAL:
		all = least == limit && most == limit;
		none = least > limit || most < limit;
		break;
	case CHECK_OTHER:
		none = least == limit && most == limit;
		all = least > limit || most < limit;
		break;
	}
	return all ? CHECK_HOLDS : none ? CHECK_BROKEN : CHECK_UNKNOWN;
}
