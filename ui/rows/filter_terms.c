/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/filter_terms.h"

#include <ctype.h>
#include <string.h>

#include "src/filter/filter_names.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The position after the string or regular expression that begins at @pos. */
static size_t skip_quoted(const char *text, size_t pos)
{
	char end = text[pos++];

	for (; text[pos] && text[pos] != end; pos++)
		if (text[pos] == '\\' && text[pos + 1])
			pos++;
	return text[pos] ? pos + 1 : pos;
}

/*
 * A slash begins a regular expression only where a value is expected; elsewhere it divides, or
 * separates system and event.
 */
static bool begins_regex(const char *text, size_t pos)
{
	while (pos && text[pos - 1] == ' ')
		pos--;
	return !pos || strchr("~(,&|!", text[pos - 1]);
}

static bool is_keyword(const char *text, size_t pos, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(text + pos, word, len) && !is_word(text[pos + len]) &&
	       (!pos || !is_word(text[pos - 1]));
}

static void add_term(const char *text, size_t from, size_t to, struct filter_term *terms,
		     unsigned int *nr)
{
	while (from < to && text[from] == ' ')
		from++;
	while (to > from && text[to - 1] == ' ')
		to--;
	if (to > from)
		terms[(*nr)++] = (struct filter_term){ from, to };
}

unsigned int filter_terms(const char *text, struct filter_term terms[FILTER_TERMS_MAX])
{
	size_t pos = 0, from = 0;
	unsigned int nr = 0, depth = 0;
	bool whole = false;

	while (text[pos]) {
		size_t joint = 0;

		if (text[pos] == '"' || text[pos] == '\'' ||
		    (text[pos] == '/' && begins_regex(text, pos))) {
			pos = skip_quoted(text, pos);
			continue;
		}
		if (strchr("([{", text[pos]))
			depth++;
		else if (strchr(")]}", text[pos]) && depth)
			depth--;
		else if (!depth && (!strncmp(text + pos, "||", 2) || is_keyword(text, pos, "or") ||
				    text[pos] == ':'))
			whole = true;
		else if (!depth)
			joint = !strncmp(text + pos, "&&", 2) ? 2 :
				is_keyword(text, pos, "and")  ? 3 :
								0;
		if (joint && nr + 1 < FILTER_TERMS_MAX) {
			add_term(text, from, pos, terms, &nr);
			from = pos + joint;
		}
		pos += joint ? joint : 1;
	}
	if (whole)
		nr = 0;
	add_term(text, whole ? 0 : from, pos, terms, &nr);
	return nr;
}

/* The position after "NAME OP " if the term begins with it; else 0. */
static size_t behind_operator(const char *term, const char *name, const char *op)
{
	size_t len = strlen(name), pos = len;

	if (strncmp(term, name, len) || is_word(term[len]))
		return 0;
	pos += strspn(term + pos, " ");
	if (strncmp(term + pos, op, strlen(op)))
		return 0;
	pos += strlen(op);
	return pos + strspn(term + pos, " ");
}

static bool has_value(const char *list, size_t len, const char *value)
{
	size_t pos = 0, n = strlen(value);

	while (pos < len) {
		size_t from = pos + strspn(list + pos, " "), to = from;

		while (to < len && list[to] != ',')
			to = list[to] == '"' ? skip_quoted(list, to) : to + 1;
		pos = to + 1;
		while (to > from && list[to - 1] == ' ')
			to--;
		if (to - from == n && !strncmp(list + from, value, n))
			return true;
	}
	return false;
}

/* "comm == a" with b becomes "comm in (a, b)". */
static bool widen_field(const char *term, size_t len, const char *name, const char *value,
			bool without, struct text *out)
{
	size_t list = behind_operator(term, name, without ? "not in (" : "in (");
	size_t single = behind_operator(term, name, without ? "!=" : "==");

	if (list && list < len && term[len - 1] == ')') {
		text_bytes(out, term, len - 1);
		if (!has_value(term + list, len - 1 - list, value))
			text_printf(out, ", %s", value);
		text_char(out, ')');
		return true;
	}
	if (!single || single >= len)
		return false;
	if (has_value(term + single, len - single, value))
		text_bytes(out, term, len);
	else
		text_printf(out, "%s %s (%.*s, %s)", name, without ? "not in" : "in",
			    (int)(len - single), term + single, value);
	return true;
}

/*
 * "sched_switch" with sched_waking becomes "sched_switch, sched_waking": only plain words without
 * another meaning.
 */
static bool widen_events(const char *term, size_t len, const char *value,
			 const struct filter_name *const *more, struct text *out)
{
	char word[128];

	for (size_t pos = 0; pos < len;) {
		size_t n = 0;

		pos += strspn(term + pos, " ,");
		while (pos + n < len && (is_word(term[pos + n]) || term[pos + n] == '/'))
			n++;
		if (!n || n >= sizeof(word) || isdigit((unsigned char)term[pos]))
			return false;
		memcpy(word, term + pos, n);
		word[n] = '\0';
		if (filter_name_find(word, more))
			return false;
		pos += n;
		if (pos < len && term[pos] != ',')
			return false;
	}
	text_bytes(out, term, len);
	if (!has_value(term, len, value))
		text_printf(out, ", %s", value);
	return true;
}

/*
 * Fields of every event: "!=" is safe for them.  Other fields need "!(func == a)", which keeps
 * events without the field.
 */
static bool every_event_has(const char *name)
{
	return !strcmp(name, "pid") || !strcmp(name, "comm") || !strcmp(name, "cpu");
}

/* "!(func == a)" with b becomes "!(func in (a, b))". */
static bool widen_without(const char *term, size_t len, const char *name, const char *value,
			  struct text *out)
{
	struct text inner = { 0 };
	bool widened;

	if (every_event_has(name))
		return widen_field(term, len, name, value, true, out);
	if (len < 3 || strncmp(term, "!(", 2) || term[len - 1] != ')')
		return false;
	widened = widen_field(term + 2, len - 3, name, value, false, &inner);
	if (widened)
		text_printf(out, "!(%s)", text_str(&inner));
	text_fini(&inner);
	return widened;
}

static void add_new(const char *name, const char *value, bool without, struct text *out)
{
	if (name && without && !every_event_has(name))
		text_printf(out, "!(%s == %s)", name, value);
	else if (name)
		text_printf(out, "%s %s %s", name, without ? "!=" : "==", value);
	else
		text_printf(out, "%s%s", without ? "!" : "", value);
}

static bool widen(const char *term, size_t len, const char *name, const char *value, bool without,
		  const struct filter_name *const *more, struct text *out)
{
	if (name && without)
		return widen_without(term, len, name, value, out);
	if (name)
		return widen_field(term, len, name, value, false, out);
	return !without && value[0] != '(' && widen_events(term, len, value, more, out);
}

void filter_terms_add(const char *text, const char *name, const char *value, bool without,
		      const struct filter_name *const *more, struct text *out)
{
	struct filter_term terms[FILTER_TERMS_MAX];
	unsigned int nr = filter_terms(text, terms);
	struct text added = { 0 }, opposite = { 0 }, term = { 0 };
	struct filter_term in;
	bool whole = nr == 1 && (strstr(text, "||") || strchr(text, ':') || strstr(text, " or "));

	add_new(name, value, without, &added);
	add_new(name, value, !without, &opposite);
	for (unsigned int i = 0; i < nr; i++) {
		const char *s = text + terms[i].from;
		size_t len = terms[i].to - terms[i].from;
		bool same = (len == added.len && !strncmp(s, text_str(&added), len)) ||
			    (len == opposite.len && !strncmp(s, text_str(&opposite), len));

		text_clear(&term);
		if (!same && !widen(s, len, name, value, without, more, &term))
			continue;
		in = terms[i];
		text_bytes(out, text, in.from);
		text_add(out, same ? text_str(&added) : text_str(&term));
		text_add(out, text + in.to);
		goto done;
	}
	if (!nr)
		text_add(out, text_str(&added));
	else
		text_printf(out, whole ? "(%.*s) && %s" : "%.*s && %s",
			    (int)(terms[nr - 1].to - terms[0].from), text + terms[0].from,
			    text_str(&added));
done:
	text_fini(&added);
	text_fini(&opposite);
	text_fini(&term);
}

void filter_terms_less(const char *text, const struct filter_term *terms, unsigned int nr,
		       unsigned int i, struct text *out)
{
	for (unsigned int k = 0; k < nr; k++)
		if (k != i)
			text_printf(out, "%s%.*s", out->len ? " && " : "",
				    (int)(terms[k].to - terms[k].from), text + terms[k].from);
}
