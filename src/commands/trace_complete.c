/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_complete - names that a trace has, for a shell that completes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "parsers/io/archive.h"
#include "src/commands/commands.h"
#include "src/commands/derived_names.h"
#include "src/events/known_events.h"
#include "src/filter/filter.h"
#include "src/latency/latency_kinds.h"
#include "src/trace/trace.h"

#define PATIENCE	50		/* how often to look for all events: every 10 ms */
#define HEAD_BYTES	(2u << 20)	/* bytes of a long file that are read */

static const struct {
	const char		*argument;	/* as the table of options names it */
	const char		*before;	/* the filter in which such a word would stand */
	unsigned int		 kinds;		/* kinds of words offered, as bits */
} places[] = {
	{ "EXPR", "", ~0u },
	{ "EVENT", "", 1u << FILTER_WORD_EVENT },
	{ "EVENT[.FIELD]", "", 1u << FILTER_WORD_EVENT },
	{ "FIELD,...", "", 1u << FILTER_WORD_FIELD | 1u << FILTER_WORD_NAME },
	{ "PID|NAME", "comm == \"", 1u << FILTER_WORD_VALUE },
};

/* A trace's names must mean nothing to a shell, whatever quotes they will stand in. */
static bool is_harmless(const char *word)
{
	for (; *word; word++)
		if (!isprint((unsigned char)*word) || strchr("$`\\'!", *word))
			return false;
	return true;
}

static void offer_word(const struct option_place *place, const struct filter_word *word,
		       const char *text, size_t before, size_t from, FILE *out)
{
	struct text whole = { 0 };

	if (from >= before) {
		text_printf(&whole, "%.*s%s", (int)(from - before), text + before, word->text);
	} else { /* @before ends with a quote, which nobody typed */
		text_add(&whole, word->text + (before - from));
		if (whole.len)
			whole.data[--whole.len] = '\0';
	}
	if (is_harmless(word->text))
		options_offer(place, text_str(&whole), word->help, out);
	text_fini(&whole);
}

static void offer_words(struct trace *trace, size_t at, const struct option_place *place, FILE *out)
{
	static const struct filter_options options;
	size_t before = strlen(places[at].before), from;
	struct filter_word *words;
	struct text text = { 0 };
	unsigned int nr;

	text_printf(&text, "%s%s", places[at].before, place->typed);
	nr = filter_complete(trace, text_str(&text), text.len, &options, &from, &words);
	for (unsigned int i = 0; i < nr; i++)
		if (places[at].kinds & 1u << words[i].kind)
			offer_word(place, &words[i], text_str(&text), before, from, out);
	filter_words_free(words, nr);
	text_fini(&text);
}

void kinds_complete(const struct option_place *place, FILE *out)
{
	struct latency_kinds kinds;

	if (strcmp(place->argument, "KIND") != 0 && strcmp(place->argument, "CONDITION") != 0)
		return;
	latency_kinds_init(&kinds);
	for (unsigned int i = 0; i < kinds.nr; i++)
		options_offer(place, kinds.names[i],
			      known_events_kind(KNOWN_MEASURES, kinds.names[i]), out);
	latency_kinds_fini(&kinds);
}

bool trace_complete_wants(const struct option_place *place, const char *path)
{
	struct stat st;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!strcmp(place->argument, places[i].argument))
			return stat(path, &st) == 0 && S_ISREG(st.st_mode) && !archive_is_at(path);
	return false;
}

void trace_complete(const struct option_place *place, const char *path, FILE *out)
{
	static const struct timespec moment = { .tv_nsec = 10000000 };
	const struct trace_options options = { .hold_permille = -1,
					       .filter_names = derived_names,
					       .head_bytes = HEAD_BYTES };
	struct ft_error err = { 0 };
	struct trace *trace = trace_open(&path, 1, false, &options, &err);

	if (!trace)
		return;
	for (int i = 0; i < PATIENCE && !trace_status(trace).complete; i++)
		nanosleep(&moment, NULL);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!strcmp(place->argument, places[i].argument))
			offer_words(trace, i, place, out);
	trace_close(trace);
}
