/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/match/search.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "src/match/matches.h"
#include "src/base/memory.h"
#include "src/base/workers.h"

/* backtracking per line: a pattern that needs more does not match */
#define REGEX_STEPS	100000
#define ROWS_PER_LOOK	16		/* rows between two checks of the clock */

struct search_pattern {
	char			*text;		/* as the user gave it */
	char			*needle;	/* plain text; NULL: a regex */
	size_t			 needle_len;
	bool			 fold_case;
	pcre2_code		*code;
	pcre2_match_data	*data;
	pcre2_match_context	*context;
};

/* In a regex, a capital letter after a backslash is a class. */
static bool regex_has_capital(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\')
			i++;
		else if (isupper((unsigned char)s[i]))
			return true;
	}
	return false;
}

static int compile(struct search_pattern *p, const char *s, size_t len, struct ft_error *err)
{
	uint32_t options = PCRE2_UTF | (regex_has_capital(s, len) ? 0 : PCRE2_CASELESS);
	PCRE2_UCHAR message[160];
	PCRE2_SIZE offset;
	int code;

	p->code = pcre2_compile((PCRE2_SPTR)s, len, options, &code, &offset, NULL);
	if (!p->code) {
		pcre2_get_error_message(code, message, sizeof(message));
		return ft_error_set(err, FT_E_USAGE, (int64_t)offset + 1, "%s", (char *)message);
	}
	/* if it fails, matching is only slower */
	pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	p->data = pcre2_match_data_create_from_pattern(p->code, NULL);
	p->context = pcre2_match_context_create(NULL);
	if (!p->data || !p->context)
		return ft_error_set(err, FT_E_NOMEM, -1, "no memory for the pattern");
	pcre2_set_match_limit(p->context, REGEX_STEPS);
	return 0;
}

struct search_pattern *search_pattern_new(const char *text, struct ft_error *err)
{
	struct search_pattern *p = mem_alloc(sizeof(*p));
	size_t len = strlen(text);

	p->text = mem_strdup(text);
	if (text[0] == '/' && len > 1) {
		size_t end = text[len - 1] == '/' && len > 2 ? len - 1 : len;

		if (compile(p, text + 1, end - 1, err)) {
			search_pattern_free(p);
			return NULL;
		}
		return p;
	}
	if (!len) {
		ft_error_set(err, FT_E_USAGE, 0, "nothing to search for");
		search_pattern_free(p);
		return NULL;
	}
	p->needle = mem_strdup(text);
	p->needle_len = len;
	p->fold_case = !text_has_capital(text, len);
	return p;
}

void search_pattern_free(struct search_pattern *p)
{
	if (!p)
		return;
	pcre2_match_context_free(p->context);
	pcre2_match_data_free(p->data);
	pcre2_code_free(p->code);
	free(p->needle);
	free(p->text);
	free(p);
}

const char *search_pattern_text(const struct search_pattern *pattern)
{
	return pattern->text;
}

static bool find_text(const struct search_pattern *p, const char *s, size_t len, size_t from,
		      size_t *start, size_t *end)
{
	char first = p->needle[0], other = p->fold_case ? toupper((unsigned char)first) : first;

	for (size_t i = from; i + p->needle_len <= len; i++) {
		if (s[i] != first && s[i] != other)
			continue;
		if (p->fold_case ? strncasecmp(s + i, p->needle, p->needle_len) :
				   memcmp(s + i, p->needle, p->needle_len))
			continue;
		*start = i;
		*end = i + p->needle_len;
		return true;
	}
	return false;
}

bool search_pattern_find(struct search_pattern *p, const char *s, size_t len, size_t from,
			 size_t *start, size_t *end)
{
	PCRE2_SIZE *ovector;

	if (from > len)
		return false;
	if (p->needle)
		return find_text(p, s, len, from, start, end);
	if (pcre2_match(p->code, (PCRE2_SPTR)s, len, from, PCRE2_NOTEMPTY, p->data, p->context) < 0)
		return false;
	ovector = pcre2_get_ovector_pointer(p->data);
	*start = ovector[0];
	*end = ovector[1];
	return *end > *start;
}

/* "text" if it has no special meaning in a filter, else a regular expression. */
void search_pattern_term(const struct search_pattern *p, struct text *out)
{
	const char *s = p->needle ? p->needle : p->text + 1;
	size_t len = strlen(s);

	if (!p->needle && len > 1 && s[len - 1] == '/')
		len--;
	if (p->needle && !strpbrk(s, "\"\\")) {
		text_printf(out, "\"%s\"", s);
		return;
	}
	text_char(out, '/');
	for (size_t i = 0; i < len; i++) {
		bool escaped = !p->needle && s[i] == '\\' && i + 1 < len;

		if (s[i] == '/' || (p->needle && strchr("\\\"^$.[]|()?*+{}", s[i])))
			text_char(out, '\\');
		text_char(out, s[i]);
		if (escaped)
			text_char(out, s[++i]);
	}
	text_char(out, '/');
	if (p->needle ? p->fold_case : !regex_has_capital(s, len))
		text_char(out, 'i');
}

uint32_t search_in_rows(const struct search_rows *rows, uint32_t *found, uint32_t *nth)
{
	uint32_t nr = 0, before = 0;

	for (uint32_t i = 1; i <= rows->nr; i++) {
		uint32_t row = (rows->forward ? rows->here + i : rows->here + rows->nr - i) %
			       rows->nr;

		if (!rows->matches(rows->arg, row))
			continue;
		*found = nr++ ? *found : row;
		before += row < *found;
	}
	*nth = before + 1;
	return nr;
}

struct search {
	struct trace		*trace;
	struct trace_cursor	*cursor;
	trace_ref		 from;
	bool			 forward;
	bool			 round;
	bool			 went_round;
	struct matches		*sieve;		/* or NULL */
	search_match		 match;
	void			*arg;
	uint64_t		 rows;
	trace_ref		 found;
	enum search_state	 state;
};

struct search *search_new(struct trace *trace, trace_ref from, bool forward, bool round,
			  const bool *streams, struct matches *sieve, search_match match, void *arg)
{
	struct search *search = mem_alloc(sizeof(*search));
	struct trace_event event;

	*search = (struct search){
		.trace = trace,
		.cursor = trace_cursor_new(trace),
		.from = from,
		.forward = forward,
		.round = round,
		.sieve = sieve,
		.match = match,
		.arg = arg,
		.found = TRACE_REF_NONE,
	};
	if (streams)
		trace_cursor_only_streams(search->cursor, streams, trace_nr_streams(trace));
	if (sieve)
		trace_cursor_only_matches(search->cursor, sieve);
	if (from == TRACE_REF_NONE) {
		trace_cursor_seek(search->cursor, forward ? trace_first(trace) : TRACE_REF_NONE);
		search->round = false;
	} else {
		trace_cursor_seek(search->cursor, from);
		if (forward && !sieve && trace_cursor_next(search->cursor, &event) &&
		    event.ref != from)
			trace_cursor_seek(search->cursor, from);	/* a row of other streams */
	}
	return search;
}

void search_free(struct search *search)
{
	if (!search)
		return;
	trace_cursor_free(search->cursor);
	free(search);
}

/* Look at one row; false at the end, or if time is up (*later). */
static bool step_row(struct search *search, struct trace_event *event, bool *later)
{
	bool more = search->forward ? trace_cursor_next(search->cursor, event) :
				      trace_cursor_prev(search->cursor, event);

	*later = !more && search->sieve && trace_cursor_is_later(search->cursor);
	if (!more && !*later && search->round && !search->went_round) {
		search->went_round = true;
		trace_cursor_seek(search->cursor,
				  search->forward ? trace_first(search->trace) : TRACE_REF_NONE);
		return step_row(search, event, later);
	}
	return more;
}

/* Has the search wrapped around and passed its start?  The start row itself may be filtered out. */
static bool came_round(const struct search *search, const struct trace_event *event)
{
	int order;

	if (!search->went_round)
		return false;
	if (!search->sieve)
		return event->ref == search->from;
	order = trace_compare(search->trace, event->ref, search->from);
	return search->forward ? order >= 0 : order <= 0;
}

enum search_state search_slice(struct search *search, int64_t budget_ns)
{
	int64_t end = workers_now_ns() + budget_ns;
	struct trace_event event;
	bool later;

	if (search->sieve)
		matches_budget(search->sieve, budget_ns);
	for (unsigned int i = 1; search->state == SEARCH_RUNNING; i++) {
		if (i % ROWS_PER_LOOK == 0 && workers_now_ns() > end)
			break;
		if (!step_row(search, &event, &later)) {
			if (!later)
				search->state = SEARCH_NOWHERE;
			break;
		}
		search->rows++;
		if (search->sieve && search->forward && !search->went_round &&
		    event.ref == search->from)
			continue;	/* the start row comes last */
		if (came_round(search, &event) && event.ref != search->from)
			search->state = SEARCH_NOWHERE;
		else if (search->match(search->arg, &event)) {
			search->found = event.ref;
			search->state = SEARCH_FOUND;
		} else if (came_round(search, &event)) {
			search->state = SEARCH_NOWHERE;
		}
	}
	return search->state;
}

trace_ref search_found(const struct search *search)
{
	return search->found;
}

bool search_went_round(const struct search *search)
{
	return search->went_round;
}

uint64_t search_rows(const struct search *search)
{
	return search->rows;
}
