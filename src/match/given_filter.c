/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/match/given_filter.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/paths.h"
#include "src/filter/filter_named.h"
#include "src/filter/filter_offer.h"
#include "src/trace/warnings.h"

struct filter *given_filter_bind(struct trace *trace, const struct filter_source *sources,
				 unsigned int nr, bool compat, struct ft_error *err)
{
	struct filter_options options = { .compat = compat };
	struct filter_error e = { 0 };
	struct ft_error file = { 0 };
	struct filter_named named;
	struct filter *filter;
	char path[4096];

	/* an error in that file only matters if one of its names is used, which is then unknown */
	filter_named_read(&named, paths_config("filters", path, sizeof(path)),
			  trace_filter_names(trace), &file);
	options.macros = named.macros;
	options.nr_macros = compat ? 0 : named.nr;
	filter = filter_new_ready(trace, sources, nr, &options, &e);
	filter_named_fini(&named);
	if (!filter && file.code != FT_E_NONE && !compat)
		text_printf(&e.message, " (and %s)", file.message);
	if (!filter)
		filter_error_tell(sources, nr, &e, err);
	text_fini(&e.message);
	return filter;
}

int given_filter_bind_tasks(struct trace *trace, const struct filter_given *given,
			    const struct filter **filter, struct ft_error *err)
{
	struct filter_source source = { .file = -1 };
	struct text tasks = { 0 };

	filter_given_tasks(given, &tasks);
	source.text = text_str(&tasks);
	*filter = tasks.len ? given_filter_bind(trace, &source, 1, false, err) : NULL;
	text_fini(&tasks);
	return given->nr_tasks && !*filter ? -1 : 0;
}

static void know_all(struct trace *trace)
{
	trace_wait_all(trace);
}

bool given_filter_count(struct trace *trace, const char *text, size_t len, enum matches_mode mode,
			uint64_t *events)
{
	char *term = mem_strndup(text, len);
	struct filter_source source = { .text = term, .file = -1 };
	struct ft_error err = { 0 };
	struct filter *filter = given_filter_bind(trace, &source, 1, false, &err);
	struct match_filter *handle;
	struct matches_status status;
	struct matches *m;

	free(term);
	if (!filter)
		return false;
	m = matches_new(trace, mode);
	handle = matches_add(m, filter);
	matches_use(m, &handle, 1);
	matches_wait(m);
	status = matches_status(m);
	*events = status.events;
	matches_drop(m, handle);
	matches_free(m);
	return status.exact;
}

struct known_tasks {
	const struct filter_given *given;
	struct filter_near near;		/* to the first --task */
	unsigned int	 nr;
	bool		 wanted;		/* one of them is */
};

static void see_name(void *arg, int pid, const char *name)
{
	struct known_tasks *known = arg;

	known->nr++;
	known->wanted |= filter_given_wants(known->given, (uint32_t)pid, name);
	filter_near_add(&known->near, name);
}

/* A task whose name was not recorded has events. */
static bool has_events(struct trace *trace, const struct filter_given *given)
{
	struct text tasks = { 0 };
	uint64_t events = 0;
	bool exact;

	filter_given_tasks(given, &tasks);
	exact = given_filter_count(trace, text_str(&tasks), tasks.len, MATCHES_WAIT, &events);
	text_fini(&tasks);
	return events || !exact;
}

int given_filter_check_tasks(struct trace *trace, const struct filter_given *given,
			     struct ft_error *err)
{
	struct known_tasks known = { .given = given };
	struct text message = { 0 };

	if (!given->nr_tasks)
		return 0;
	know_all(trace);
	filter_near_init(&known.near, given->tasks[0].text);
	trace_comms(trace, 0, see_name, &known);
	if (known.wanted || !known.nr || has_events(trace, given))
		return 0;
	text_printf(&message, "--task %s%s: the trace has no such task", given->tasks[0].text,
		    given->nr_tasks > 1 ? ", …" : "");
	filter_near_text(&known.near, &message);
	ft_error_set(err, FT_E_USAGE, -1, "%s", text_str(&message));
	text_fini(&message);
	return -1;
}

/*
 * Something could have matched, but nothing does: either one term matches no event, or no event
 * matches all of them.  @none: it is known that no event matches the filter.
 */
static bool tell_terms(struct trace *trace, const struct filter *filter, bool none)
{
	size_t from[FILTER_JOINED_MAX], to[FILTER_JOINED_MAX];
	unsigned int nr = filter_joined(filter, from, to);
	const char *text = filter_text(filter, 0);
	enum matches_mode mode = MATCHES_BROWSE;
	struct text counts = { 0 }, term = { 0 };
	bool told = false;
	uint64_t events;

	/* a directory costs as much as two passes without one */
	if (none && nr <= 2)
		mode = MATCHES_WAIT;
	else
		know_all(trace);
	for (unsigned int i = 0; i < nr && !told; i++) {
		events = 0;
		if (!(none && nr == 1) &&
		    !given_filter_count(trace, text + from[i], to[i] - from[i], mode, &events))
			break;
		text_clear(&term);
		text_excerpt(&term, text + from[i], to[i] - from[i], FILTER_TERM_CELLS);
		text_printf(&counts, "%s%s: ", i ? ", " : "", text_str(&term));
		text_count(&counts, events);
		told = !events;
		if (told)
			warnings_tell("nothing matches: no event of the trace has %s",
				      text_str(&term));
		else if (i > 0 && i == nr - 1 &&
			 (none || (given_filter_count(trace, text, strlen(text), mode, &events) &&
				   !events))) {
			warnings_tell("nothing matches: events with %s, %s: none",
				      text_str(&counts), nr == 2 ? "both" : "all of these");
			told = true;
		}
	}
	text_fini(&counts);
	text_fini(&term);
	return told;
}

bool given_filter_tell_empty(struct trace *trace, const struct filter *filter, bool none)
{
	const char *why;

	if (!none)
		know_all(trace);
	why = filter_empty_reason(filter);
	if (why)
		warnings_tell("nothing matches: %s", why);
	return why || tell_terms(trace, filter, none);
}
