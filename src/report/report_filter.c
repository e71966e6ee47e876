/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "src/filter/filter_pattern.h"
#include "src/match/given_filter.h"
#include "src/base/memory.h"
#include "src/trace/warnings.h"

struct report_filter {
	struct trace		*trace;
	struct filter		*filter;	/* NULL = none: all records are wanted */
	struct filter_run	*run;
	struct matches		*matches;	/* owned, and then owns the filter; or NULL */
	struct match_filter	*handle;	/* filter's handle in matches */
	bool			 compat;
	bool			 has_grep;
	struct filter_pattern	 grep;
	struct filter_scratch	*scratch;	/* for the main thread */
	bool			*shown;		/* owned, [streams]: was the previous record
						 * shown? */
	bool			*kept;		/* owned, [files]: was any record shown? */
};

static int bind(struct report_filter *rf, const struct report_filter_options *o,
		struct ft_error *err)
{
	if (!o->nr_sources)
		return 0;
	rf->filter = given_filter_bind(rf->trace, o->sources, o->nr_sources, o->compat, err);
	if (!rf->filter)
		return -1;
	rf->run = filter_run_new(rf->filter);
	return 0;
}

struct report_filter *report_filter_new(struct trace *trace,
					const struct report_filter_options *options,
					struct ft_error *err)
{
	struct report_filter *rf = mem_alloc(sizeof(*rf));

	rf->trace = trace;
	rf->compat = options->compat;
	rf->scratch = filter_scratch_new();
	rf->shown = mem_array(trace_nr_streams(trace) + 1, sizeof(*rf->shown));
	rf->kept = mem_array(trace_nr_files(trace) + 1, sizeof(*rf->kept));
	rf->has_grep = options->grep != NULL;
	if (!bind(rf, options, err) &&
	    (!rf->has_grep || !filter_option_grep(&rf->grep, options->grep, err)))
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
		matches_drop(rf->matches, rf->handle);
		matches_free(rf->matches);
	} else {
		filter_free(rf->filter);
	}
	filter_pattern_fini(&rf->grep);
	filter_scratch_free(rf->scratch);
	free(rf->shown);
	free(rf->kept);
	free(rf);
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
	rf->kept[event->file] |= match;
	/*
	 * trace-cmd never resets this: after the first record shown, it shows every stack of that
	 * CPU
	 */
	if (match || (*shown && trace_event_is_stack(event)))
		*shown = true;
	else if (!rf->compat)
		*shown = false;
	else
		return false;
	return *shown;
}

/*
 * May entries of functions, of type @name, match?  Does not check whether some streams exclude
 * them.  @m: watches for them, or NULL.
 */
static bool may_match_entries(struct report_filter *rf, const char *name, struct matches *m)
{
	bool may = false;

	for (unsigned int i = 0; i < trace_nr_streams(rf->trace); i++) {
		unsigned int file = trace_stream_info(rf->trace, i).file;
		const struct event_type *type = event_types_by_name(trace_event_types(rf->trace,
										      file),
								    "ftrace", name);

		if (!type || filter_run_stream(rf->run, i) == FILTER_NEVER ||
		    filter_run_type(rf->run, type->id) == FILTER_NEVER)
			continue;
		if (m)
			matches_watch(m, file, type->id);
		may = true;
	}
	return may;
}

struct matches *report_filter_look_ahead(struct report_filter *rf, bool graph, bool retaddr)
{
	bool entries;

	if (!rf->filter || rf->compat || filter_asks_lost(rf->filter))
		return NULL;
	/* only one type per file can be watched */
	if (graph && retaddr && may_match_entries(rf, "fgraph_retaddr_entry", NULL))
		return NULL;
	/* do not build a directory just for this: one pass is enough */
	rf->matches = matches_new(rf->trace, MATCHES_WAIT);
	rf->handle = matches_add(rf->matches, rf->filter);
	entries = graph && may_match_entries(rf, "funcgraph_entry", rf->matches);
	matches_use(rf->matches, &rf->handle, 1);
	if (!entries)
		return rf->matches;
	matches_wait(rf->matches);
	return matches_saw_watched(rf->matches) ? NULL : rf->matches;
}

bool report_filter_wants_loss(struct report_filter *rf, const struct trace_event *event)
{
	struct trace_event lost = { .kind = TRACE_ROW_LOST, .ts = event->ts, .key = event->key,
				    .stream = event->stream,
				    .file = event->file, .cpu = event->cpu };

	return rf->filter && filter_run_event(rf->run, &lost);
}

bool report_filter_greps(const struct report_filter *rf, struct filter_scratch *scratch,
			 const char *s, size_t len)
{
	return !rf->has_grep ||
	       filter_pattern_test(&rf->grep, scratch ? scratch : rf->scratch, s, len);
}

bool report_filter_is_given_up(const struct report_filter *rf)
{
	return (rf->has_grep && filter_pattern_given_up(&rf->grep)) ||
	       (rf->filter && filter_given_up(rf->filter));
}

int report_filter_check(const struct report_filter *rf, struct ft_error *err)
{
	if (!report_filter_is_given_up(rf))
		return 0;
	return rf->filter && filter_check(rf->filter, err) ? -1 :
							     filter_option_given_up(&rf->grep, err);
}

/* Nothing matches, at least not in the requested window. */
static void tell_none_here(const struct report_filter *rf)
{
	size_t from[FILTER_JOINED_MAX], to[FILTER_JOINED_MAX];
	const char *text = filter_text(rf->filter, 0);
	struct text number = { 0 };
	uint64_t events = 0;

	if (filter_asks_lost(rf->filter))	/* lost events are not counted as events */
		return;
	if (filter_joined(rf->filter, from, to))
		given_filter_count(rf->trace, text, strlen(text), MATCHES_BROWSE, &events);
	text_count(&number, events);
	if (events)
		warnings_tell(
			"nothing matches in the window or selection; in the whole trace %s event%s",
			text_str(&number), events == 1 ? " does" : "s do");
	else
		warnings_tell("nothing matches");
	text_fini(&number);
}

static bool keeps_of(struct report_filter *rf, unsigned int file)
{
	bool any = rf->kept[file];

	for (unsigned int i = 0; i < trace_nr_streams(rf->trace) && rf->matches && !any; i++)
		any = trace_stream_info(rf->trace, i).file == file &&
		      matches_stream_events(rf->matches, i);
	return any;
}

/* With several files: name those without a match, if that is certain. */
static void tell_files(struct report_filter *rf)
{
	struct text why = { 0 };

	for (unsigned int file = 0; file < trace_nr_files(rf->trace); file++) {
		if (keeps_of(rf, file))
			continue;
		trace_wait_all(rf->trace);
		text_clear(&why);
		if (filter_file_reason(rf->filter, file, &why))
			warnings_tell("nothing in %s matches: %s", trace_path(rf->trace, file),
				      text_str(&why));
	}
	text_fini(&why);
}

void report_filter_tell(struct report_filter *rf, bool any, bool counted)
{
	const char *trouble = rf->filter ? filter_trouble(rf->filter) : NULL;
	bool kept = !rf->filter || any;
	bool none = !any && rf->matches && matches_saw_none(rf->matches);

	for (unsigned int file = 0; file < trace_nr_files(rf->trace); file++)
		kept |= keeps_of(rf, file);
	if (!any && rf->has_grep && kept)
		filter_option_tell_none(&rf->grep);
	else if (!any && rf->filter && !given_filter_tell_empty(rf->trace, rf->filter, none))
		tell_none_here(rf);
	if (any && rf->filter && trace_nr_files(rf->trace) > 1)
		tell_files(rf);
	if (counted && rf->filter && filter_asks_lost(rf->filter))
		warnings_tell("lost events and damage are not counted; report -F lost lists them");
	if (!trouble && rf->matches)
		trouble = matches_trouble(rf->matches);
	if (!trouble && rf->has_grep && filter_pattern_limited(&rf->grep))
		trouble = FILTER_OPTION_LIMITED;
	if (trouble)
		warnings_tell("%s", trouble);
}
