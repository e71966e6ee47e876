/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/until/until_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/latency/latency.h"
#include "src/trace/time_option.h"

#define BLANKS		" \t"

struct until *until_new(void)
{
	struct until *until = mem_alloc(sizeof(*until));

	latency_kinds_init(&until->kinds);
	until->rows_from = INT64_MIN;
	return until;
}

void until_free(struct until *until)
{
	if (!until)
		return;
	for (unsigned int i = 0; i < until->nr; i++) {
		latency_free(until->list[i].window);
		free(until->list[i].text);
		free(until->list[i].name);
		free(until->list[i].filter);
		free(until->list[i].doubtful);
	}
	for (unsigned int i = 0; i < until->nr_hits; i++)
		free(until->hits[i].words);
	free(until->list);
	free(until->hits);
	free(until->covered);
	latency_kinds_fini(&until->kinds);
	text_fini(&until->pairs);
	free(until);
}

bool until_needs_all(const struct until *until)
{
	bool any = false;

	for (unsigned int i = 0; i < until->nr; i++)
		any |= until->list[i].late;
	return any;
}

bool until_needs_switches(const struct until *until)
{
	bool any = until_needs_all(until);

	for (unsigned int i = 0; i < until->nr; i++)
		any |= until->list[i].kind == LATENCY_WAKEUP ||
		       until->list[i].kind == LATENCY_PREEMPTED;
	return any;
}

/* "20ms", at the beginning of a text; returns what is behind it, NULL if it is no such time. */
static const char *take_time(const char *s, uint64_t *ns)
{
	size_t len = strcspn(s, BLANKS "&|");
	char *word = mem_strndup(s, len);
	struct trace_offset time;
	bool is_time = strchr("0123456789.", *s) && *s && !time_option_offset(word, &time, NULL) &&
		       time.unit == TRACE_UNIT_NS && time.by >= 0;

	free(word);
	if (!is_time)
		return NULL;
	*ns = (uint64_t)time.by;
	return s + len;
}

/* "NAME > TIME" and what follows it, or NULL. */
static const char *take_limit(struct until_condition *c, const char *s)
{
	size_t len = strspn(s, NAME_LETTERS);
	const char *at = s + len, *rest;

	at += strspn(at, BLANKS);
	if (!len || *at != '>' || at[1] == '=')
		return NULL;
	at++;
	rest = take_time(at + strspn(at, BLANKS), &c->limit);
	if (rest)
		c->name = mem_strndup(s, len);
	return rest ? rest + strspn(rest, BLANKS) : NULL;
}

/* "lost > 0" is a condition of its own; to the language of filters, `lost` is yes or no. */
static bool is_lost(const char *s)
{
	static const char *const words[] = { "lost", ">", "0" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strncmp(s, words[i], strlen(words[i])) != 0)
			return false;
		s += strlen(words[i]);
		s += strspn(s, BLANKS);
	}
	return !*s;
}

int until_add(struct until *until, const char *text, struct ft_error *err)
{
	const char *s = text + strspn(text, BLANKS), *rest;
	struct until_condition c = { .kind = UNTIL_ROWS, .seen = INT64_MIN };

	if (!*s)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--until '': a condition is missing, as 'wakeup > 500us'");
	rest = take_limit(&c, s);
	if (rest && *rest && strncmp(rest, "&&", 2) != 0) {
		free(c.name);
		return ft_error_set(err, FT_E_USAGE, rest - text,
				    "--until %s: behind the time comes && and a filter, or nothing",
				    text);
	}
	if (rest && *rest && !rest[2 + strspn(rest + 2, BLANKS)]) {
		free(c.name);
		return ft_error_set(err, FT_E_USAGE, (int64_t)strlen(text),
				    "--until %s: there is no filter behind &&", text);
	}
	c.text = mem_strdup(s);
	c.filter = mem_strdup(!rest ? is_lost(s) ? "lost" : s : *rest ? rest + 2 : "");
	mem_grow(&until->list, until->nr, &until->cap);
	until->list[until->nr++] = c;
	return 0;
}

const char *until_text(const struct until *until, unsigned int condition)
{
	return until->list[condition].text;
}

void until_doubts(const struct until *until, struct text *out)
{
	const char *before = "it may have happened: ";

	for (unsigned int i = 0; i < until->nr; i++) {
		const struct until_condition *c = &until->list[i];

		if (!c->nr_doubtful)
			continue;
		text_printf(out, "%s%s: %" PRIu64 " in doubt, the longest: %s", before, c->text,
			    c->nr_doubtful, c->doubtful);
		before = "; ";
	}
}

void until_cover(struct until *until, int64_t ns)
{
	until->cover_ns = ns;
}

const struct until_hit *until_hits(const struct until *until, unsigned int *nr)
{
	*nr = until->nr_hits;
	return until->hits;
}
