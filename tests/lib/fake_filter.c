/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/fake_filter.h"
#include "tests/lib/may_hold.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/io/byte_reader.h"
#include "src/base/memory.h"
#include "src/commands/derived_names.h"
#include "src/filter/filter_program.h"
#include "src/trace/trace_streams.h"

/* It has none. */
const struct filter_name *const derived_names[] = { NULL };

struct filter {
	struct trace		*trace;
	struct fake_words	 words;
	char			*text;
};

struct filter_run {
	const struct filter	*filter;
	const struct trace_stream *stream;
};

static unsigned int parse_list(const char *s, int *list)
{
	unsigned int nr = 0;

	for (; *s && nr < 8; s += strcspn(s, ","), s += *s == ',')
		list[nr++] = atoi(s);
	return nr;
}

void fake_words_parse(struct fake_words *w, const char *text)
{
	char *copy = mem_strdup(text), *rest = NULL;

	memset(w, 0, sizeof(*w));
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (!strncmp(word, "type=", 5))
			w->nr_types = parse_list(word + 5, w->types);
		else if (!strncmp(word, "pid=", 4))
			w->nr_pids = parse_list(word + 4, w->pids);
		else if (!strncmp(word, "cpu=", 4))
			w->nr_cpus = parse_list(word + 4, w->cpus);
		else if (sscanf(word, "seq=%" SCNu32 "/%" SCNu32, &w->modulus, &w->rest) == 2)
			;
		else if (sscanf(word, "time=%" SCNd64 "-%" SCNd64, &w->from, &w->to) == 2)
			w->has_time = true;
		else if (!strcmp(word, "lost"))
			w->lost = true;
		else if (!strcmp(word, "names"))
			w->names = true;
		else
			abort();
	}
	free(copy);
}

struct filter *fake_filter(struct trace *trace, const char *text)
{
	struct filter *filter = mem_alloc(sizeof(*filter));

	filter->trace = trace;
	filter->text = mem_strdup(text);
	fake_words_parse(&filter->words, text);
	return filter;
}

void filter_free(struct filter *filter)
{
	if (!filter)
		return;
	free(filter->text);
	free(filter);
}

bool filter_needs_names(const struct filter *filter)
{
	return filter->words.names;
}

/* All words of the one are words of the other, but for `lost`, which adds rows. */
bool filter_implies(const struct filter *narrow, const struct filter *wide)
{
	char *copy = mem_strdup(wide->text), *rest = NULL;
	bool all = true;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		size_t len = strlen(word);
		bool found = !strcmp(word, "lost");

		for (const char *at = narrow->text; !found && (at = strstr(at, word)); at += len)
			found = (at == narrow->text || at[-1] == ' ') &&
				(!at[len] || at[len] == ' ');
		all &= found;
	}
	free(copy);
	return all && (wide->words.lost || !narrow->words.lost);
}

struct filter_run *filter_run_new(const struct filter *filter)
{
	struct filter_run *run = mem_alloc(sizeof(*run));

	run->filter = filter;
	return run;
}

void filter_run_free(struct filter_run *run)
{
	free(run);
}

const char *filter_trouble(const struct filter *filter)
{
	(void)filter;
	return NULL;
}

bool filter_given_up(const struct filter *filter)
{
	(void)filter;
	return false;
}

static bool is_in(int value, const int *list, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (list[i] == value)
			return true;
	return !nr;
}

enum filter_verdict filter_run_stream(struct filter_run *run, unsigned int stream)
{
	const struct fake_words *w = &run->filter->words;

	run->stream = trace_stream_at(run->filter->trace, stream);
	if (!is_in(run->stream->cpu, w->cpus, w->nr_cpus))
		return FILTER_NEVER;
	return w->nr_types || w->nr_pids || w->modulus || w->has_time || !w->lost ? FILTER_TEST :
										    FILTER_ALWAYS;
}

enum filter_verdict filter_run_type(const struct filter_run *run, int type_id)
{
	const struct fake_words *w = &run->filter->words;

	if (!is_in(type_id, w->types, w->nr_types) || (w->modulus && type_id != 301))
		return FILTER_NEVER;
	return w->nr_pids || w->modulus || w->has_time ? FILTER_TEST : FILTER_ALWAYS;
}

/* One pid and nothing else is a range. */
bool filter_run_range(const struct filter_run *run, int type_id, struct filter_range *range)
{
	const struct fake_words *w = &run->filter->words;

	*range = (struct filter_range){
		.lo = (uint64_t)(int64_t)w->pids[0], .offset = 4, .width = 4, .is_signed = true
	};
	return filter_run_type(run, type_id) == FILTER_TEST && w->nr_pids == 1 && !w->modulus &&
	       !w->has_time && !run->stream->layout->swap;
}

bool filter_run_page(const struct filter_run *run, uint64_t page, const struct page_sets *sets,
		     int64_t first, int64_t last)
{
	const struct fake_words *w = &run->filter->words;
	const struct page_kinds *kinds =
		&trace_source_at(run->filter->trace, run->stream->source)->kinds;
	bool types = !w->nr_types;
	bool pids = !w->nr_pids;

	(void)page;
	for (unsigned int i = 0; i < w->nr_types; i++)
		types |= may_hold(kinds, sets, w->types[i]);
	if (!types)
		return false;
	for (unsigned int i = 0; i < w->nr_pids; i++)
		pids |= (pid_bits(w->pids[i]) & ~sets->pids) == 0;
	return pids && (!w->has_time || (last >= w->from && first <= w->to));
}

bool filter_run_match(struct filter_run *run, trace_ref ref, int type_id, const uint8_t *data,
		      uint32_t size, uint32_t room, int64_t ts)
{
	const struct fake_words *w = &run->filter->words;
	bool swap = run->stream->layout->swap;

	if (room < size ||
	    trace_stream_at(run->filter->trace, trace_ref_stream(ref)) != run->stream ||
	    !trace_ref_item(ref) || trace_ref_item(ref) == TRACE_REF_ITEM_LAST)
		abort();
	return is_in(type_id, w->types, w->nr_types) &&
	       is_in(size < 8 ? 0 : (int)load_u32(data + 4, swap), w->pids, w->nr_pids) &&
	       (!w->modulus || (type_id == 301 && size >= 12 &&
				load_u32(data + 8, swap) % w->modulus == w->rest)) &&
	       (!w->has_time || (ts >= w->from && ts <= w->to));
}

bool filter_run_event(struct filter_run *run, const struct trace_event *event)
{
	if (filter_run_stream(run, event->stream) == FILTER_NEVER)
		return false;
	if (event->kind == TRACE_ROW_EVENT)
		return filter_run_match(run, event->ref, event->type_id, event->data, event->size,
					event->room, event->ts);
	return run->filter->words.lost;
}

bool filter_ready(const struct filter *filter)
{
	(void)filter;
	return true;
}

uint64_t filter_memory(const struct filter *filter)
{
	(void)filter;
	return 0;
}

void filter_wait(const struct filter *filter)
{
	(void)filter;
}
