/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "src/base/memory.h"

#define REGEX_STEPS	100000u		/* backtracking limit per string */
#define REGEX_DEPTH	1000u
#define REGEX_HEAP_KIB	256u
#define REGEX_MAX_LEN	4096u		/* bytes of a pattern */
/*
 * Stop using a regular expression if this many strings of a thread, and more than one in a hundred,
 * exceeded the limit of steps.
 */
#define REGEX_CUT_OFF	1000u
#define REGEX_CUT_RATIO	100u

struct filter_scratch {
	pcre2_match_data	*data;
	pcre2_match_context	*context;
	uint64_t		 strings;	/* strings matched by regular expressions */
	uint64_t		 cut_off;	/* strings that exceeded the limit */
};

struct filter_scratch *filter_scratch_new(void)
{
	struct filter_scratch *s = mem_alloc(sizeof(*s));

	s->data = pcre2_match_data_create(1, NULL);
	s->context = pcre2_match_context_create(NULL);
	if (s->context) {
		pcre2_set_match_limit(s->context, REGEX_STEPS);
		pcre2_set_depth_limit(s->context, REGEX_DEPTH);
		pcre2_set_heap_limit(s->context, REGEX_HEAP_KIB);
	}
	return s;
}

void filter_scratch_free(struct filter_scratch *s)
{
	if (!s)
		return;
	pcre2_match_data_free(s->data);
	pcre2_match_context_free(s->context);
	free(s);
}

/* --- globs ------------------------------------------------------------------------ */

static char folded(char c, bool fold)
{
	return fold ? (char)tolower((unsigned char)c) : c;
}

/*
 * A class such as "[a-z]", "[!abc]" at @p: does it contain c?  *len: its bytes, 0 if it is
 * unterminated and so a plain [.
 */
static bool in_class(const char *p, size_t room, char c, bool fold, size_t *len)
{
	bool negated, hit = false;
	size_t i = 1;

	*len = 0;
	negated = i < room && (p[i] == '!' || p[i] == '^');
	i += negated;
	for (size_t first = i; i < room && (p[i] != ']' || i == first); i++) {
		char lo = folded(p[i], fold), hi = lo;

		if (i + 2 < room && p[i + 1] == '-' && p[i + 2] != ']') {
			hi = folded(p[i + 2], fold);
			i += 2;
		}
		hit |= (unsigned char)c >= (unsigned char)lo &&
		       (unsigned char)c <= (unsigned char)hi;
	}
	if (i >= room)
		return false;
	*len = i + 1;
	return hit != negated;
}

bool filter_glob(const char *p, size_t plen, const char *s, size_t len, bool fold)
{
	size_t i = 0, k = 0, star = SIZE_MAX, mark = 0;

	while (k < len) {
		char c = folded(s[k], fold);
		size_t class;

		if (i < plen && p[i] == '*') {
			star = i++;
			mark = k;
		} else if (i < plen && p[i] == '[' && in_class(p + i, plen - i, c, fold, &class)) {
			i += class;
			k++;
		} else if (i < plen && (p[i] == '?' || folded(p[i], fold) == c)) {
			i++;
			k++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			k = ++mark;
		} else {
			return false;
		}
	}
	while (i < plen && p[i] == '*')
		i++;
	return i == plen;
}

/* --- patterns --------------------------------------------------------------------- */

void filter_posix_regex(const char *s, size_t len, struct text *out)
{
	bool start = true;		/* start of a branch: a star is literal there */

	for (size_t i = 0; i < len; i++) {
		char c = s[i];
		bool was_start = start;

		start = false;
		if (c == '\\' && i + 1 < len) {
			c = s[++i];
			if (strchr("(){}+?|", c)) {
				text_char(out, c);
				start = c == '(' || c == '|';
				continue;
			}
			text_char(out, '\\');
			/* \< and \> match at edges of words; ` and ' at those of the string */
			text_char(out, c == '<' || c == '>' ? 'b' :
				       c == '`'             ? 'A' :
				       c == '\''            ? 'z' :
							      c);
		} else if (c == '[') {
			size_t end = i + 1;

			end += end < len && s[end] == '^';
			end += end < len && s[end] == ']';
			while (end < len && s[end] != ']') {
				if (s[end] == '[' && end + 1 < len && strchr(":.=", s[end + 1])) {
					char close = s[end + 1];

					for (end += 2; end + 1 < len &&
						       !(s[end] == close && s[end + 1] == ']');
					     end++)
						;
					end++;
				}
				end++;
			}
			for (; i < end && i < len; i++) {
				if (s[i] == '\\')
					text_char(out, '\\');
				text_char(out, s[i]);
			}
			if (i < len)
				text_char(out, ']');
		} else if (strchr("(){}+?|", c) || (c == '*' && was_start) ||
			   (c == '^' && !was_start) ||
			   (c == '$' && i + 1 < len && strncmp(s + i + 1, "\\)", 2) &&
			    strncmp(s + i + 1, "\\|", 2))) {
			text_char(out, '\\');
			text_char(out, c);
		} else {
			text_char(out, c);
			start = c == '^';
		}
	}
}

static bool compile(struct filter_pattern *m, size_t from, size_t to, struct filter_error *err)
{
	uint32_t options = PCRE2_NEVER_BACKSLASH_C | (m->fold ? PCRE2_CASELESS : 0) |
			   (m->kind == FILTER_PATTERN_REGEX_LINES ? PCRE2_MULTILINE : 0);
	PCRE2_UCHAR message[160];
	PCRE2_SIZE offset;
	int code;

	if (m->len > REGEX_MAX_LEN)
		return filter_fail(err, from, to, "the regular expression is longer than %u bytes",
				   REGEX_MAX_LEN);
	m->code = pcre2_compile((PCRE2_SPTR)m->text, m->len, options, &code, &offset, NULL);
	if (!m->code) {
		pcre2_get_error_message(code, message, sizeof(message));
		return filter_fail(err, from, to, "invalid regular expression: %s",
				   (char *)message);
	}
	/* if it fails, matching is only slower */
	m->jit = !pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE);
	m->limits = mem_alloc(sizeof(*m->limits));
	return true;
}

/* The characters of lines, by how many there are of them; all others are rarer. */
static size_t rarest(const char *s, size_t len)
{
	static const char common[] = " 0=1_e2ts3a46i5rn789d:upcomwl.[]hgkv>-xbf/,yqzj";
	size_t best = 0, best_rank = 0;

	for (size_t i = 0; i < len; i++) {
		const char *at = memchr(common, s[i], sizeof(common) - 1);
		size_t rank = at ? (size_t)(at - common) : sizeof(common);

		if (rank > best_rank) {
			best = i;
			best_rank = rank;
		}
	}
	return best;
}

bool filter_pattern_init(struct filter_pattern *m, enum filter_pattern_kind kind, const char *text,
			 size_t len, bool fold, size_t from, size_t to, struct filter_error *err)
{
	*m = (struct filter_pattern){
		.kind = kind, .fold = fold, .text = mem_strndup(text, len), .len = len,
		.rare = rarest(text, len)
	};
	return (kind != FILTER_PATTERN_REGEX && kind != FILTER_PATTERN_REGEX_LINES) ||
	       compile(m, from, to, err);
}

void filter_pattern_fini(struct filter_pattern *m)
{
	free(m->text);
	pcre2_code_free(m->code);
	free(m->limits);
	memset(m, 0, sizeof(*m));
}

static bool equal_bytes(const char *a, const char *b, size_t len, bool fold)
{
	if (!fold)
		return !memcmp(a, b, len);
	for (size_t i = 0; i < len; i++)
		if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
			return false;
	return true;
}

/* The next occurrence of either character. */
static const char *find_either(const char *s, const char *end, char a, char b)
{
	const char *p = memchr(s, a, (size_t)(end - s)), *q;

	q = a == b ? NULL : memchr(s, b, (size_t)((p ? p : end) - s));
	return q ? q : p;
}

static bool contains(const struct filter_pattern *m, const char *s, size_t len)
{
	const char *end = s + len - m->len + 1 + m->rare;
	char a, b;

	if (!m->len || m->len > len)
		return !m->len;
	a = b = m->text[m->rare];
	if (m->fold) {
		a = (char)tolower((unsigned char)a);
		b = (char)toupper((unsigned char)a);
	}
	for (s += m->rare; s < end && (s = find_either(s, end, a, b)); s++)
		if (equal_bytes(s - m->rare, m->text, m->len, m->fold))
			return true;
	return false;
}

static bool regex(const struct filter_pattern *m, struct filter_scratch *scratch, const char *s,
		  size_t len)
{
	int ret;

	if (!scratch->data || !scratch->context || filter_pattern_given_up(m))
		return false;
	scratch->strings++;
	ret = m->jit ? pcre2_jit_match(m->code, (PCRE2_SPTR)s, len, 0, 0, scratch->data,
				       scratch->context) :
		       pcre2_match(m->code, (PCRE2_SPTR)s, len, 0, 0, scratch->data,
				   scratch->context);
	if (ret == PCRE2_ERROR_MATCHLIMIT || ret == PCRE2_ERROR_DEPTHLIMIT ||
	    ret == PCRE2_ERROR_HEAPLIMIT || ret == PCRE2_ERROR_JIT_STACKLIMIT) {
		atomic_store_explicit(&m->limits->reached, true, memory_order_relaxed);
		scratch->cut_off++;
		if (scratch->cut_off >= REGEX_CUT_OFF &&
		    scratch->cut_off > scratch->strings / REGEX_CUT_RATIO)
			atomic_store_explicit(&m->limits->given_up, true, memory_order_relaxed);
	}
	return ret >= 0;
}

bool filter_pattern_test(const struct filter_pattern *m, struct filter_scratch *scratch,
			 const char *s, size_t len)
{
	switch (m->kind) {
	case FILTER_PATTERN_EQUAL:
		return len == m->len && equal_bytes(s, m->text, len, m->fold);
	case FILTER_PATTERN_CONTAINS:
		return contains(m, s, len);
	case FILTER_PATTERN_GLOB:
		return filter_glob(m->text, m->len, s, len, m->fold);
	case FILTER_PATTERN_REGEX:
	case FILTER_PATTERN_REGEX_LINES:
		return regex(m, scratch, s, len);
	}
	return false;
}
