/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A branch is read piece by piece.  Literal characters are collected to a word until anything else
 * comes: there the word ends.  Characters that may be left out are not part of a word.
 */
#include "src/filter/regex_literals.h"

#include <ctype.h>
#include <string.h>

#include "src/base/text.h"

#define MAX_DEPTH	64u		/* most nested brackets */

struct reader {
	const char	*p, *end;
	struct arena	*arena;		/* owns the words */
	unsigned int	depth;
	bool		failed;		/* there is syntax that is not understood */
};

/* --- sets -------------------------------------------------------------------- */

/* The worth of a set: the length of its shortest word. */
static size_t set_worth(const struct regex_literal_set *set)
{
	size_t worth = set->nr ? SIZE_MAX : 0;

	for (unsigned int i = 0; i < set->nr; i++)
		worth = set->words[i].len < worth ? set->words[i].len : worth;
	return worth;
}

static bool is_same(const struct regex_literal_set *a, const struct regex_literal_set *b)
{
	for (unsigned int i = 0; i < a->nr && i < b->nr; i++)
		if (a->words[i].len != b->words[i].len ||
		    memcmp(a->words[i].s, b->words[i].s, a->words[i].len) != 0)
			return false;
	return a->nr == b->nr;
}

/* The best sets are kept, in order. */
static void add_set(struct regex_literals *all, const struct regex_literal_set *set)
{
	unsigned int at = all->nr;

	if (!set->nr)
		return;
	for (unsigned int i = 0; i < all->nr; i++)
		if (is_same(&all->sets[i], set))
			return;
	while (at && set_worth(&all->sets[at - 1]) < set_worth(set))
		at--;
	if (at == REGEX_LITERAL_SETS)
		return;
	if (all->nr == REGEX_LITERAL_SETS)
		all->nr--;
	memmove(&all->sets[at + 1], &all->sets[at], (all->nr - at) * sizeof(*all->sets));
	all->sets[at] = *set;
	all->nr++;
}

static void end_word(struct reader *r, struct regex_literals *all, struct text *word)
{
	struct regex_literal_set set = { .nr = 1 };

	if (word->len) {
		set.words[0] = (struct regex_literal){
			arena_strndup(r->arena, word->data, word->len), word->len
		};
		add_set(all, &set);
	}
	text_clear(word);
}

/* --- pieces -------------------------------------------------------------------- */

static bool fail(struct reader *r)
{
	r->failed = true;
	return false;
}

static bool at(const struct reader *r, const char *s)
{
	size_t len = strlen(s);

	return (size_t)(r->end - r->p) >= len && !memcmp(r->p, s, len);
}

/* "*", "+?", "{2,}": *optional: zero repetitions are allowed.  False: there is none. */
static bool read_quantifier(struct reader *r, bool *optional)
{
	const char *p = r->p;

	if (p == r->end || !strchr("*+?{", *p) || !*p)
		return false;
	*optional = *p == '*' || *p == '?';
	if (*p++ == '{') {
		const char *first = p;
		unsigned long least = 0;

		for (; p < r->end && isdigit((unsigned char)*p) && least < 100000; p++)
			least = least * 10 + (unsigned long)(*p - '0');
		if (p == first)		/* a literal bracket, or newer syntax */
			return fail(r);
		if (p < r->end && *p == ',')
			for (p++; p < r->end && isdigit((unsigned char)*p); p++)
				;
		if (p == r->end || *p++ != '}')
			return fail(r);
		*optional = !least;
	}
	if (p < r->end && (*p == '?' || *p == '+'))
		p++;
	r->p = p;
	return true;
}

/* Bytes of "[:alpha:" before its last bracket; 0: the bracket is literal. */
static size_t named_class(const char *p, const char *end)
{
	const char *begin = p, *name;

	if (end - p < 2 || !p[1] || !strchr(":.=", p[1]))
		return 0;
	for (name = p += 2; p < end && (isalpha((unsigned char)*p) || *p == '^'); p++)
		;
	return p > name && end - p >= 2 && p[0] == name[-1] && p[1] == ']' ?
		       (size_t)(p + 1 - begin) :
		       0;
}

/* "[^]a-z[:alpha:]]" */
static void skip_class(struct reader *r)
{
	r->p++;
	if (r->p < r->end && *r->p == '^')
		r->p++;
	for (const char *first = r->p; r->p < r->end; r->p++) {
		if (*r->p == ']' && r->p > first) {
			r->p++;
			return;
		}
		if (*r->p == '[') {
			r->p += named_class(r->p, r->end);
		} else if (*r->p == '\\') {
			if (at(r, "\\Q") || at(r, "\\E"))
				break;
			r->p++;
		}
	}
	r->failed = true;
}

/* After a backslash.  True: a literal character. */
static bool read_escape(struct reader *r, char *c)
{
	static const char controls[] = "a\a"
				       "e\033"
				       "f\f"
				       "n\n"
				       "r\r"
				       "t\t";

	if (r->p == r->end)
		return fail(r);
	*c = *r->p++;
	for (const char *p = controls; *p; p += 2)
		if (p[0] == *c) {
			*c = p[1];
			return true;
		}
	if (!isalnum((unsigned char)*c))
		return true;
	if (!strchr("dDwWsShHvVRNXbBAzZG", *c))	/* \x41, \Q, \1, \K … */
		return fail(r);
	return false;
}

static void read_branches(struct reader *r, struct regex_literals *all);

/* The contents of brackets, from after the opening one to after the closing one. */
static void read_group(struct reader *r, struct regex_literals *inside)
{
	bool look = false;

	if (at(r, "?")) {
		look = at(r, "?=") || at(r, "?!") || at(r, "?<=") || at(r, "?<!");
		if (!look && !at(r, "?:") && !at(r, "?>")) {
			r->failed = true;
			return;
		}
		r->p += at(r, "?<") ? 3 : 2;
	}
	if (at(r, "*") || ++r->depth > MAX_DEPTH) {	/* a verb, or too deep */
		r->failed = true;
		return;
	}
	read_branches(r, inside);
	r->depth--;
	if (r->p == r->end || *r->p++ != ')')
		r->failed = true;
	if (look)			/* it is about other parts of the string */
		inside->nr = 0;
}

/* A piece that is not a character.  Its requirements go to @all unless it may be left out. */
static void read_other(struct reader *r, struct regex_literals *all)
{
	struct regex_literals inside = { .nr = 0 };
	bool optional = false;

	if (*r->p == '[')
		skip_class(r);
	else if (*r->p++ == '(')
		read_group(r, &inside);
	if (!r->failed)
		read_quantifier(r, &optional);
	for (unsigned int i = 0; i < inside.nr && !optional; i++)
		add_set(all, &inside.sets[i]);
}

/* One branch, up to its end: "|", ")" or the end of the expression. */
static void read_branch(struct reader *r, struct regex_literals *all)
{
	struct text word = { 0 };

	while (!r->failed && r->p < r->end && *r->p != '|' && *r->p != ')') {
		bool plain = !strchr("\\^$.[(*+?{", *r->p) || !*r->p, optional;
		char c = *r->p;

		if (strchr("*+?{", c) && c) {	/* repeats nothing, or an anchor */
			r->failed = true;
		} else if (plain || c == '\\') {
			r->p++;
			if (!plain && !read_escape(r, &c)) {
				end_word(r, all, &word);
				if (!r->failed)
					read_quantifier(r, &optional);
				continue;
			}
			if (!read_quantifier(r, &optional)) {
				text_char(&word, c);
				continue;
			}
			if (!optional)
				text_char(&word, c);
			end_word(r, all, &word);
		} else {
			end_word(r, all, &word);
			read_other(r, all);
		}
	}
	end_word(r, all, &word);
	text_fini(&word);
}

/* Take the best set of each branch: one of all their words is required. */
static bool join_branch(struct regex_literal_set *joined, const struct regex_literals *branch)
{
	const struct regex_literal_set *set = &branch->sets[0];

	if (!branch->nr || joined->nr + set->nr > REGEX_LITERAL_WORDS)
		return false;
	for (unsigned int i = 0; i < set->nr; i++)
		joined->words[joined->nr++] = set->words[i];
	return true;
}

static void read_branches(struct reader *r, struct regex_literals *all)
{
	struct regex_literal_set joined = { .nr = 0 };
	bool every = true, several = false;

	for (;;) {
		struct regex_literals branch = { .nr = 0 };

		read_branch(r, &branch);
		several |= r->p < r->end && *r->p == '|';
		for (unsigned int i = 0; i < branch.nr && !several; i++)
			add_set(all, &branch.sets[i]);
		every = every && several && join_branch(&joined, &branch);
		if (r->failed || r->p == r->end || *r->p != '|')
			break;
		r->p++;
	}
	if (every)
		add_set(all, &joined);
}

void regex_literals_init(struct regex_literals *literals, const char *regex, size_t len)
{
	struct reader r = { .p = regex, .end = regex + len, .arena = &literals->arena };

	*literals = (struct regex_literals){ .nr = 0 };
	read_branches(&r, literals);
	if (r.failed || r.p != r.end || !literals->nr)
		regex_literals_fini(literals);
}

void regex_literals_fini(struct regex_literals *literals)
{
	arena_fini(&literals->arena);
	literals->nr = 0;
}
