/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/event_types.h"
#include "src/filter_match.h"
#include "src/filter_named.h"
#include "src/memory.h"
#include "src/paths.h"

struct report_filter {
	struct trace		*trace;
	struct filter		*filter;	/* NULL: none, all records are wanted */
	struct filter_run	*run;
	struct matches		*matches;	/* owned, and owns the filter then; or NULL */
	struct match_filter	*kept;		/* of matches */
	bool			 compat;
	bool			 has_grep;
	struct filter_matcher	 grep;
	struct filter_scratch	*scratch;	/* of the main thread */
	bool			 limited;	/* a regular expression was cut off */
	bool			*shown;		/* owned, [streams]: the record before was */
};

static int bind(struct report_filter *rf, const struct report_filter_options *o, struct ft_error *err)
{
	struct filter_options options = { .compat = o->compat };
	struct filter_error e = { 0 };
	struct filter_named named;
	char path[4096];

	if (!o->nr_sources)
		return 0;
	/* What is wrong with that file matters only where a name of it is asked for, which is told then. */
	filter_named_read(&named, paths_config("filters", path, sizeof(path)), NULL);
	options.macros = named.macros;
	options.nr_macros = o->compat ? 0 : named.nr;
	rf->filter = filter_new(rf->trace, o->sources, o->nr_sources, &options, &e);
	filter_named_fini(&named);
	if (!rf->filter) {
		filter_error_tell(o->sources, o->nr_sources, &e, err);
		text_fini(&e.message);
		return -1;
	}
	text_fini(&e.message);
	rf->run = filter_run_new(rf->filter);
	if (filter_needs_names(rf->filter)) {
		trace_hold(rf->trace, -1);
		trace_wait(rf->trace);
	}
	filter_wait(rf->filter);
	return 0;
}

static int compile_grep(struct report_filter *rf, const char *regex, struct ft_error *err)
{
	struct filter_error e = { 0 };
	bool ok;

	if (!regex)
		return 0;
	rf->has_grep = true;
	ok = filter_matcher_init(&rf->grep, FILTER_MATCH_REGEX_LINES, regex, strlen(regex), false, 0, strlen(regex), &e);
	if (!ok)
		ft_error_set(err, FT_E_USAGE, -1, "--grep %s: %s", regex, text_str(&e.message));
	text_fini(&e.message);
	return ok ? 0 : -1;
}

struct report_filter *report_filter_new(struct trace *trace, const struct report_filter_options *options, struct ft_error *err)
{
	struct report_filter *rf = mem_alloc(sizeof(*rf));

	rf->trace = trace;
	rf->compat = options->compat;
	rf->scratch = filter_scratch_new();
	rf->shown = mem_array(trace_nr_streams(trace) + 1, sizeof(*rf->shown));
	if (!bind(rf, options, err) && !compile_grep(rf, options->grep, err))
		return rf;
	report_filter_free(rf);
	return NULL;
}

void report_filter_free(struct report_filter *rf)
{
	if (!rf)
		return;
	filter_run_free(rf->run);
	if (rf->matches) {
		matches_drop(rf->matches, rf->kept);
		matches_free(rf->matches);
	} else {
		filter_free(rf->filter);
	}
	filter_matcher_fini(&rf->grep);
	filter_scratch_free(rf->scratch);
	free(rf->shown);
	free(rf);
}

bool report_filter_is_of_other(const struct report_filter *rf)
{
	return rf->filter && filter_is_of_other(rf->filter);
}

bool report_filter_matches(struct report_filter *rf, const struct trace_event *event)
{
	return !rf->filter || filter_run_event(rf->run, event);
}

bool report_filter_wants(struct report_filter *rf, const struct trace_event *event, bool *counted)
{
	bool match = report_filter_matches(rf, event);
	bool *shown = &rf->shown[event->stream];

	*counted = match;
	/* trace-cmd forgets to forget: behind the first record shown it shows every stack of that CPU. */
	if (match || (*shown && trace_event_is_stack(event)))
		*shown = true;
	else if (!rf->compat)
		*shown = false;
	else
		return false;
	return *shown;
}

/* May entries of functions match?  Some of the files' streams may rule them out by themselves; that is not looked at. */
static bool may_match_entries(struct report_filter *rf, struct matches *m)
{
	bool may = false;

	for (unsigned int i = 0; i < trace_nr_streams(rf->trace); i++) {
		unsigned int file = trace_stream_info(rf->trace, i).file;
		const struct event_type *type = event_types_by_name(trace_event_types(rf->trace, file), "ftrace", "funcgraph_entry");

		if (!type || filter_run_stream(rf->run, i) == FILTER_NEVER || filter_run_type(rf->run, type->id) == FILTER_NEVER)
			continue;
		matches_watch(m, file, type->id);
		may = true;
	}
	return may;
}

struct matches *report_filter_look_ahead(struct report_filter *rf, bool graph)
{
	bool entries;

	if (!rf->filter || rf->compat || filter_asks_lost(rf->filter) || trace_is_text(rf->trace))
		return NULL;
	/* Without the directory there is no use in making it now: one pass does. */
	rf->matches = matches_new(rf->trace, MATCHES_WAIT);
	rf->kept = matches_add(rf->matches, rf->filter);
	entries = graph && may_match_entries(rf, rf->matches);
	matches_use(rf->matches, &rf->kept, 1);
	if (!entries)
		return rf->matches;
	matches_wait(rf->matches);
	return matches_saw_watched(rf->matches) ? NULL : rf->matches;
}

bool report_filter_wants_loss(struct report_filter *rf, const struct trace_event *event)
{
	struct trace_event lost = { .kind = TRACE_ROW_LOST, .ts = event->ts, .key = event->key, .stream = event->stream,
				    .file = event->file, .cpu = event->cpu };

	return rf->filter && filter_run_event(rf->run, &lost);
}

bool report_filter_wants_line(struct report_filter *rf, const struct text_line *line)
{
	struct trace_event event = { .kind = TRACE_ROW_TEXT, .ts = line->time, .key = line->time, .cpu = line->cpu, .pid = line->pid,
				     .data = (const uint8_t *)line->line.s, .size = (uint32_t)line->line.len };

	return (!rf->filter || filter_run_event(rf->run, &event)) &&
	       report_filter_greps(rf, NULL, line->line.s, line->line.len);
}

bool report_filter_greps(const struct report_filter *rf, struct filter_scratch *scratch, const char *s, size_t len)
{
	return !rf->has_grep || filter_matcher_test(&rf->grep, scratch ? scratch : rf->scratch, s, len);
}

void report_filter_note(struct report_filter *rf, const struct filter_scratch *scratch)
{
	rf->limited |= filter_scratch_limited(scratch);
}

void report_filter_tell(struct report_filter *rf, bool any)
{
	const char *why = NULL, *trouble = rf->run ? filter_run_trouble(rf->run) : NULL;

	if (!any && rf->filter) {
		trace_hold(rf->trace, -1);
		trace_wait(rf->trace);
		why = filter_empty_reason(rf->filter);
	}
	if (why)
		fprintf(stderr, "ftop-trace: nothing matches: %s\n", why);
	if (!trouble && rf->matches)
		trouble = matches_trouble(rf->matches);
	report_filter_note(rf, rf->scratch);
	if (!trouble && rf->limited)
		trouble = "--grep: the regular expression took too many steps for some lines; they count as not matching";
	if (trouble)
		fprintf(stderr, "ftop-trace: %s\n", trouble);
}
