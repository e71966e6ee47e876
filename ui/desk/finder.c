/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/desk/finder.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/calls/slow_places.h"
#include "src/sched/sched_cause.h"
#include "ui/desk/desk.h"
#include "ui/desk/hits.h"
#include "ui/desk/views.h"
#include "ui/rows/row_cursor.h"
#include "ui/rows/slow.h"
#include "ui/table/table.h"

#define SURVEY_ROWS	200000		/* rows to read to learn which durations are slow here */
#define NEAR_NS		100000000	/* ns after which a search may wait for workers */
#define PATIENCE_NS	200000000	/* ns that a key waits for the search that runs */
#define SURVEY_ENOUGH	5	/* this many places make the mark that they reach the threshold */

static const int64_t mark_ns[] = { 10000, 100000, 1000000, 10000000, 100000000, 1000000000 };
#define NR_MARKS (sizeof(mark_ns) / sizeof(mark_ns[0]))

struct finder {
	struct app	*app;
	struct find	 find;
	struct search	*search;
	search_match	 match;		/* what is looked for */
	trace_ref	 from;
	struct slow_places *slow;	/* borrowed: calls by net time; or NULL */
	struct matches	*sieve;		/* borrowed: rows that may match; NULL: all may */
	struct text	 line;		/* reused */
	/* slow gaps: the row visited before this one */
	bool		 has_last;
	trace_ref	 last_ref;
	int64_t		 last_ts;
	trace_ref	 gap_ref;	/* the row below the gap found when searching backward */
	/* rows surveyed */
	uint64_t	 surveyed;
	uint64_t	 calls[NR_MARKS], gaps[NR_MARKS];	/* places that reach each mark */
	uint64_t	 nr_calls;
	bool		 surveys;	/* it reads the first rows, and then searches */
	bool		 chose;		/* the search chose the threshold: say so */
};

static bool match_pattern(void *arg, const struct trace_event *event)
{
	struct finder *finder = arg;
	struct app *app = finder->app;
	size_t start, end;

	if (app->ops->lines && row_cursor_leaf(&app->shared, event) != TRACE_REF_NONE)
		return false;
	text_clear(&finder->line);
	views_event_line(app, event, &finder->line);
	return search_pattern_find(app->shared.chosen.pattern, text_str(&finder->line),
				   finder->line.len, 0, &start, &end);
}

static bool match_pid(void *arg, const struct trace_event *event)
{
	const struct find *find = &((struct finder *)arg)->find;

	return trace_is_event(event) && event->file == find->file && event->pid == find->pid;
}

static bool match_task(void *arg, const struct trace_event *event)
{
	const struct find *find = &((struct finder *)arg)->find;

	return match_pid(arg, event) && (find->pid != 0 || event->cpu == find->cpu);
}

static bool match_waker(void *arg, const struct trace_event *event)
{
	const struct find *find = &((struct finder *)arg)->find;

	return event->file == find->file && sched_cause_woken(event) == find->pid &&
	       (!find->waking || strcmp(trace_event_name(event), "sched_wakeup") != 0);
}

static bool match_run(void *arg, const struct trace_event *event)
{
	const struct find *find = &((struct finder *)arg)->find;

	return event->file == find->file && sched_cause_runs(event) == find->pid;
}

static bool match_name(void *arg, const struct trace_event *event)
{
	const struct find *find = &((struct finder *)arg)->find;

	return event->kind == TRACE_ROW_EVENT && event->file == find->file &&
	       event->type_id == find->type_id;
}

static bool match_call(void *arg, const struct trace_event *event)
{
	return trace_is_event(event) &&
	       trace_event_duration(event) >= ((struct finder *)arg)->app->shared.chosen.threshold;
}

/* A gap belongs to the row below it; going backward, that is the row visited before. */
static bool match_gap(void *arg, const struct trace_event *event)
{
	struct finder *finder = arg;
	int64_t gap;
	bool found;

	if (!trace_is_event(event))
		return false;
	gap = finder->find.forward ? time_between(finder->last_ts, event->ts) :
				     time_between(event->ts, finder->last_ts);
	found = finder->has_last && gap >= finder->app->shared.chosen.threshold &&
		(finder->find.forward || finder->last_ref != finder->from);
	finder->gap_ref = finder->last_ref;
	finder->has_last = true;
	finder->last_ref = event->ref;
	finder->last_ts = event->ts;
	return found;
}

static bool match_kept(void *arg, const struct trace_event *event)
{
	return filters_keep(&((struct finder *)arg)->app->shared.chosen.filters, event);
}

static const search_match matches_of_kind[] = {
	[FIND_PATTERN] = match_pattern, [FIND_SLOW] = match_call, [FIND_TASK] = match_task,
	[FIND_NAME] = match_name,
	[FIND_PID] = match_pid, [FIND_WAKER] = match_waker, [FIND_RUN] = match_run,
	[FIND_KEPT] = match_kept,
};

/* Matches rows that pass the filters. */
static bool match_shown(void *arg, const struct trace_event *event)
{
	struct finder *finder = arg;
	const struct filters *filters = &finder->app->shared.chosen.filters;

	return (!filters_hiding(filters) || filters_keep(filters, event)) &&
	       finder->match(finder, event);
}

static void count_marks(uint64_t *counts, int64_t ns)
{
	for (size_t i = 0; i < NR_MARKS && ns >= mark_ns[i]; i++)
		counts[i]++;
}

static bool match_survey(void *arg, const struct trace_event *event)
{
	struct finder *finder = arg;
	int64_t duration;

	if (trace_is_event(event)) {
		duration = trace_event_duration(event);
		if (duration >= 0) {
			finder->nr_calls++;
			count_marks(finder->calls, duration);
		}
		if (finder->has_last)
			count_marks(finder->gaps, time_between(finder->last_ts, event->ts));
		finder->has_last = true;
		finder->last_ts = event->ts;
	}
	return ++finder->surveyed >= SURVEY_ROWS;
}

/*
 * The row to start from: the one under the cursor, or for a time the last row before it in search
 * direction, so that the search begins with the next.
 */
static trace_ref find_from(const struct shared *shared, const struct place *here, bool forward)
{
	trace_ref ref = shared_row_of(shared, here);
	struct trace_cursor *cursor;
	struct trace_event event, exit;

	/* A leaf call ends in its own row. */
	if (forward && here->ref != TRACE_REF_NONE && trace_event_at(shared->trace, ref, &event) &&
	    leaf_calls_exit(shared->leaves, &event, &exit))
		return exit.ref;
	if (here->ref != TRACE_REF_NONE || !forward)
		return ref;
	cursor = trace_cursor_new(shared->trace);
	trace_cursor_seek(cursor, ref);
	ref = trace_cursor_prev(cursor, &event) ? event.ref : TRACE_REF_NONE;
	trace_cursor_free(cursor);
	return ref;
}

/* Does the search wrap around? One for a waker or a run does not. */
static bool goes_round(const struct finder *finder)
{
	return finder->find.kind != FIND_WAKER && finder->find.kind != FIND_RUN;
}

static void begin_find(struct finder *finder)
{
	struct app *app = finder->app;
	struct trace_event event;

	finder->match = matches_of_kind[finder->find.kind];
	if (finder->find.kind == FIND_SLOW && !app->has_calls)
		finder->match = match_gap;
	finder->from = find_from(&app->shared,
				 app->shared.at.here.set ? &app->shared.at.here : &app->moment,
				 finder->find.forward);
	finder->has_last = false;
	if (trace_event_at(app->shared.trace, finder->from, &event) && trace_is_event(&event)) {
		finder->has_last = true;
		finder->last_ref = event.ref;
		finder->last_ts = event.ts;
	}
	finder->search = search_new(app->shared.trace, finder->from, finder->find.forward,
				    goes_round(finder), app->shared.chosen.streams, finder->sieve,
				    match_shown, finder);
	finder->surveys = false;
}

static void begin_survey(struct finder *finder)
{
	struct app *app = finder->app;

	finder->has_last = false;
	finder->search = search_new(app->shared.trace, TRACE_REF_NONE, true, false,
				    app->shared.chosen.streams, NULL, match_survey, finder);
	finder->surveys = true;
}

static void end_survey(struct finder *finder)
{
	struct app *app = finder->app;
	const uint64_t *counts;

	app->has_calls = finder->nr_calls > 0;
	app->surveyed = true;
	counts = app->has_calls ? finder->calls : finder->gaps;
	if (!app->shared.chosen.threshold) {
		finder->chose = true;
		app->shared.chosen.threshold = mark_ns[0];
		for (size_t i = 0; i < NR_MARKS; i++)
			if (counts[i] >= SURVEY_ENOUGH)
				app->shared.chosen.threshold = mark_ns[i];
	}
	search_free(finder->search);
	begin_find(finder);
}

static void end(struct app *app)
{
	struct finder *finder = app->finder;

	search_free(finder->search);
	text_fini(&finder->line);
	free(finder);
	app->finder = NULL;
}

static void step(struct app *app);
static bool waits(const struct app *app);
static void progress(const struct app *app, struct text *out);

static const struct job finder_job = {
	.step = step,
	.end = end,
	.waits = waits,
	.progress = progress,
	.stopped = "search stopped",
};

/* False: events are searched. */
static bool find_in_rows(struct app *app, const struct find *find)
{
	struct table *table = app_table(app);
	bool found = app->ops->search && app->ops->search->find ?
			     app->ops->search->find(app->view, find) :
			     table && table_find(table, find);

	if (found || find->kind != FIND_PATTERN || !app->ops->table || table)
		return found;
	app_message(app, "nothing is listed here; 1 Events searches all events");
	return true;
}

void finder_find(struct app *app, const struct find *find)
{
	struct finder *finder;
	struct matches *sieve;
	unsigned int file;
	bool in_rows;

	in_rows = find_in_rows(app, find);
	if (find->kind == FIND_PATTERN)
		app->shared.chosen.pattern_of_list = in_rows;
	if (in_rows) {
		app->behind = true;
		return;
	}
	views_publish(app);
	if (!app->shared.at.here.set && !app->moment.set)
		return;
	if (find->kind == FIND_SLOW && trace_unit(app->shared.trace) == TRACE_UNIT_COUNT) {
		app_message(app, "this clock has no unit: durations cannot be compared");
		return;
	}
	file = app->shared.at.here.set ? app->shared.at.here.file : app->moment.file;
	if (find->kind == FIND_SLOW && slow_by_net(&app->shared, file) &&
	    !trace_status(app->shared.trace).complete) {
		app_message(app, "net times need the whole trace to be read; T w goes by "
				 "duration");
		return;
	}
	app_end_job(app);
	sieve = find->kind == FIND_PATTERN ? hits_of_pattern(app) : NULL;
	finder = mem_alloc(sizeof(*finder));
	finder->app = app;
	finder->sieve = sieve;
	finder->find = *find;
	app->finder = finder;
	app_begin_job(app, &finder_job);
	if (find->kind == FIND_SLOW && slow_by_net(&app->shared, file))
		finder->slow = slow_places_keep(app->shared.trace, file, true);
	if (!finder->slow && find->kind == FIND_SLOW && !app->surveyed)
		begin_survey(finder);
	else if (!finder->slow)
		begin_find(finder);
	step(app);		/* near matches are found at once */
}

void finder_search_for(struct app *app, const char *text, bool forward)
{
	struct ft_error err = { 0 };
	struct search_pattern *pattern = search_pattern_new(text, &err);

	if (!pattern) {
		app_error(app, "%s: %s", text, err.message);
		return;
	}
	app_end_search(app);
	search_pattern_free(app->shared.chosen.pattern);
	app->shared.chosen.pattern = pattern;
	finder_find(app,
		    &(struct find){ .kind = FIND_PATTERN, .forward = forward, .what = "match" });
}

static void say_what(const struct finder *finder, struct text *out)
{
	const struct app *app = finder->app;

	if (finder->slow && !app->shared.chosen.threshold) {
		text_add(out, "slow calls");
	} else if (finder->find.kind == FIND_SLOW) {
		text_add(out, finder->slow   ? "call of net at least " :
			      app->has_calls ? "call of at least " :
					       "gap of at least ");
		shared_span(&app->shared, app->shared.chosen.threshold, out);
	} else if (finder->find.kind == FIND_PATTERN) {
		text_printf(out, "match for %s", search_pattern_text(app->shared.chosen.pattern));
	} else {
		text_add(out, finder->find.what);
	}
}

/* While a search is typed, jumps leave no trace: Enter makes one step of them. */
static void jump_to(struct app *app, trace_ref ref)
{
	struct place place = shared_place(&app->shared, ref);

	if (!app->typed || !app->typed->tries) {
		views_jump(app, ref);
		return;
	}
	app->behind |= views_go(app, app->view_id, &place);
	views_publish(app);
}

static void end_find(struct app *app, enum search_state state)
{
	struct finder *finder = app->finder;
	enum find_kind kind = finder->find.kind;
	bool round = search_went_round(finder->search), forward = finder->find.forward,
	     chose = finder->chose;
	trace_ref found = search_found(finder->search);
	const char *trouble = finder->sieve ? matches_trouble(finder->sieve) : NULL;
	bool among_kept = finder->find.kind == FIND_PATTERN &&
			  filters_hiding(&app->shared.chosen.filters);
	struct trace_event event;
	struct text what = { 0 };

	if (finder->find.kind == FIND_SLOW && !app->has_calls && !forward)
		found = finder->gap_ref;
	say_what(finder, &what);
	if (app->ops->lines && trace_event_at(app->shared.trace, found, &event) &&
	    row_cursor_leaf(&app->shared, &event) != TRACE_REF_NONE)
		found = row_cursor_leaf(&app->shared, &event);
	app_end_job(app);
	app->dirty = true;
	if (state == SEARCH_NOWHERE && trouble)
		app_error(app, "no match: %s", trouble);
	else if (state == SEARCH_NOWHERE)
		app_message(app, "no %s%s", text_str(&what),
			    among_kept ? " in the rows that match the filter; F switches it off" :
					 "");
	else if (app->shared.at.here.set && found == app->shared.at.here.ref)
		app_message(app, "this is the only %s", text_str(&what));
	else {
		jump_to(app, found);
		if (round && kind == FIND_PATTERN)
			app_message(app, "wrapped to the %s", forward ? "beginning" : "end");
		else if (round)
			app_message(app, "wrapped to the %s: %s", forward ? "beginning" : "end",
				    text_str(&what));
		else if (chose)
			app_message(app, "%s: T sets the threshold", text_str(&what));
	}
	text_fini(&what);
}

/* --- calls by net time ------------------------------------------------------------------- */

static bool keeps(void *arg, const struct slow_place *place)
{
	const struct shared *shared = arg;
	struct trace_event event;

	if (shared->chosen.streams && !shared->chosen.streams[place->stream])
		return false;
	return !filters_hiding(&shared->chosen.filters) ||
	       (trace_event_at(shared->trace, place->exit, &event) &&
		filters_keep(&shared->chosen.filters, &event));
}

static void end_slow(struct app *app)
{
	const struct finder *finder = app->finder;
	struct shared *shared = &app->shared;
	const struct place *here = shared->at.here.set ? &shared->at.here : &app->moment;
	bool forward = finder->find.forward, chose = !shared->chosen.threshold, round = false;
	const struct slow_place *place;
	struct text what = { 0 };
	trace_ref found, former = here->ref;

	if (chose)
		shared->chosen.threshold = (int64_t)slow_places_mark(finder->slow, SURVEY_ENOUGH) ?:
						   mark_ns[0];
	say_what(finder, &what);
	place = slow_places_beside(finder->slow, (uint64_t)shared->chosen.threshold, here->ts,
				   here->ref, forward, keeps, shared);
	if (!place) {
		round = true;
		place = slow_places_beside(finder->slow, (uint64_t)shared->chosen.threshold,
					   forward ? INT64_MIN : INT64_MAX, TRACE_REF_NONE, forward,
					   keeps, shared);
	}
	found = place ? place->exit : TRACE_REF_NONE;
	app_end_job(app);
	app->dirty = true;
	if (!place)
		app_message(app, "no %s", text_str(&what));
	else if (found == former)
		app_message(app, "this is the only %s", text_str(&what));
	else
		jump_to(app, found);
	if (place && found != former) {
		text_clear(&what);
		text_add(&what,
			 round ? forward ? "wrapped to the beginning: " : "wrapped to the end: " :
				 "");
		text_add(&what, "net ");
		text_duration(&what, place->duration);
		app_message(app, "%s%s", text_str(&what), chose ? "; T sets the threshold" : "");
	}
	text_fini(&what);
}

/* Near matches are found at once; for others, workers search and we check now and then. */
static bool waits(const struct app *app)
{
	return app->finder && !app->finder->surveys && (app->finder->sieve || app->finder->slow) &&
	       workers_now_ns() - app->job_started > NEAR_NS;
}

static void step(struct app *app)
{
	struct finder *finder = app->finder;
	enum search_state state;

	if (!finder)
		return;
	if (finder->slow) {
		if (slow_places_are_done(finder->slow))
			end_slow(app);
		return;
	}
	state = search_slice(finder->search, waits(app) ? SLICE_NS / 4 : SLICE_NS);
	if (state == SEARCH_RUNNING)
		return;
	if (finder->surveys)
		end_survey(finder);
	else
		end_find(app, state);
}

bool finder_runs(struct app *app, bool stop)
{
	bool runs = app->finder;

	if (app->view && app->ops->search && app->ops->search->runs)
		runs |= app->ops->search->runs(app->view, stop);
	if (app->finder && stop)
		app_end_job(app);
	return runs;
}

bool finder_takes_key(struct app *app, ui_key key)
{
	int64_t end = workers_now_ns() + PATIENCE_NS;

	if (key == UI_KEY_ESC || key == UI_KEY_CTRL('C'))
		return true;
	while (finder_runs(app, false) && workers_now_ns() < end) {
		step(app);
		views_step(app);
		if (!app->finder || waits(app))
			poll(NULL, 0, 1);
	}
	if (!finder_runs(app, false))
		return true;
	if (key != app->search_key) {
		finder_runs(app, true);
		app_message(app, "the key stopped the search; press it again");
	}
	return false;
}

static void say_none_yet(const struct finder *finder, struct text *out)
{
	text_add(out, ": no ");
	say_what(finder, out);
	text_add(out, " yet");
}

static void progress(const struct app *app, struct text *out)
{
	struct trace_status status = trace_status(app->shared.trace);
	uint64_t rows;

	if (app->finder->slow) {
		text_printf(out, "Esc stops; %u %% searched",
			    slow_places_permille(app->finder->slow) / 10);
		say_none_yet(app->finder, out);
		return;
	}
	rows = search_rows(app->finder->search);
	/* The most important part comes first: the end is cut if there is no room. */
	text_add(out, "Esc stops; ");
	if (app->finder->sieve) {
		text_printf(out, "%u %% searched",
			    matches_status(app->finder->sieve).permille / 10);
		say_none_yet(app->finder, out);
		return;
	}
	text_counted(out, rows, "row");
	if (status.rows)
		text_printf(out, ", %" PRIu64 " %%",
			    rows >= status.rows ? 99 : rows * 100 / status.rows);
	if (rows && status.rows > rows) {
		int64_t spent = workers_now_ns() - app->job_started;
		double left = (double)spent * ((double)(status.rows - rows) / (double)rows) / 1e9;

		if (left >= 1)
			text_printf(out, ", at most %.0f s more", left);
	}
	if (app->finder->surveys)
		text_add(out, ": looking for what is slow here");
	else
		say_none_yet(app->finder, out);
}
