/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/actions.h"

#include "src/calls/graph_records.h"
#include "ui/app/copy_command.h"
#include "ui/app/frame.h"
#include "ui/app/loop.h"
#include "ui/app/record_screen.h"
#include "ui/app/trouble.h"
#include "ui/desk/desk.h"
#include "ui/desk/finder.h"
#include "ui/desk/hits.h"
#include "ui/desk/split.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"
#include "ui/prompt/columns.h"
#include "ui/prompt/filter_line.h"
#include "ui/prompt/lists.h"
#include "ui/prompt/mark_list.h"
#include "ui/prompt/place_line.h"
#include "ui/prompt/prompts.h"
#include "ui/prompt/save_line.h"
#include "ui/prompt/search_line.h"
#include "ui/prompt/task_picker.h"
#include "ui/prompt/view_list.h"
#include "ui/prompt/why_list.h"
#include "ui/session/options.h"
#include "ui/session/reopen.h"
#include "ui/table/table.h"
#include "ui/view/help.h"
#include "ui/rows/goto.h"
#include "ui/rows/slow.h"

static void quit(struct app *app)
{
	app->above->quit(app);
}

/* A q too many on the way back does not quit. */
static void end_of_way_back(struct app *app)
{
	app->loop->came_back = false;
	app_message(app, "this is where you began; q quits");
}

/* q: end a comparison, else go back, else quit. */
static void back(struct app *app)
{
	const struct table *table = app->view ? app_table(app) : NULL;

	if (table && table->comparing)
		app->ops->request(app->view, REQ_COMPARE, 0);	/* ends it */
	else if (views_return(app))
		app->loop->came_back = true;
	else if (app->loop->came_back)
		end_of_way_back(app);
	else
		app->above->quit(app);
}

static void go_mark(struct app *app, char letter)
{
	const struct place *place = places_get(&app->shared.at.places, letter);

	if (place)
		views_jump_to_place(app, place);
	else if (letter == '\'')
		app_message(app, "there is no previous place yet");
	else
		app_message(app, "mark %c is not set", letter);
}

/* Finds where the call, run or wait under the cursor begins, or ends. */
static bool find_edge(struct app *app, char letter, struct place *place)
{
	return app->ops->moments && app->ops->moments->span &&
	       app->ops->moments->span(app->view, letter == 'b', place);
}

/*
 * A and B are set at the cursor, again on the same place at the edge of what is there; a third time
 * removes them.  Rows of tables have no moments, only edges.
 */
static void set_edge(struct app *app, char letter)
{
	struct shared *shared = &app->shared;
	struct place *mark = &shared->at.places.marks[letter - 'a'], edge = shared->at.here;
	struct mark_origin *origin = &app->loop->mark_origins[letter - 'a'];
	bool same = mark->set && (place_same(&origin->place, &shared->at.here) ||
				  place_same(mark, &shared->at.here));

	if (!shared->at.has_window) {
		find_edge(app, letter, &edge);
		places_mark(&shared->at.places, letter, edge);
		return;
	}
	if (!same || (!origin->at_edge && find_edge(app, letter, &edge))) {
		*origin = (struct mark_origin){ shared->at.here, same };
		*mark = edge;
	} else {
		mark->set = false;
	}
	if (same)
		app_message(app,
			    !mark->set    ? "%c is removed" :
			    letter == 'a' ? "%c is where this begins; again removes it" :
					    "%c is where this ends; again removes it",
			    letter - 'a' + 'A');
}

static void set_mark(struct app *app, char letter)
{
	struct shared *shared = &app->shared;
	struct place *other = &shared->at.places.marks[letter == 'a'];

	if (!shared->at.here.set && shared->at.has_window)
		return;
	/* a new measurement does not end at a mark of an earlier session */
	if (letter <= 'b' && other->is_old)
		other->set = false;
	if (letter <= 'b')
		set_edge(app, letter);
	else
		places_mark(&shared->at.places, letter, shared->at.here);
	if (letter == 'a' && shared->look.time_format == TIME_SINCE_A &&
	    !places_get(&shared->at.places, 'a'))
		shared->look.time_format = TIME_ABSOLUTE;
	views_changed(app);
}

static void next_time_format(struct app *app)
{
	static const char *const names[NR_TIME_FORMATS] = {
		[TIME_ABSOLUTE] = "absolute times", [TIME_RELATIVE] = "times since the first event",
		[TIME_DELTA] = "times since the row above", [TIME_SINCE_A] = "times since A",
		[TIME_WALL] = "wall clock times",
	};
	struct shared *shared = &app->shared;
	bool known;

	if (app->view_id != VIEW_EVENTS && !(split_shown(app) && app->split.view == VIEW_EVENTS)) {
		app_message(app, "t changes the time format in Events only");
		return;
	}
	trace_wall_offset_ns(shared->trace, &known);
	do {
		shared->look.time_format = (shared->look.time_format + 1) % NR_TIME_FORMATS;
	} while ((shared->look.time_format == TIME_SINCE_A &&
		  !places_get(&shared->at.places, 'a')) ||
		 (shared->look.time_format == TIME_WALL && !known));
	app_message(app, "%s%s", names[shared->look.time_format],
		    shared->look.time_format == TIME_ABSOLUTE && !known ?
			    " (the file does not record the wall clock)" :
			    "");
}

static void use_threshold(struct app *app, int64_t ns)
{
	struct text t = { 0 };

	app->shared.chosen.threshold = ns;
	shared_span(&app->shared, ns, &t);
	app_message(app, "slow means %s or more; ] [ go there", text_str(&t));
	text_fini(&t);
}

static void set_measure(struct app *app, bool by_wall)
{
	struct shared *shared = &app->shared;

	shared->chosen.by_wall = by_wall;
	if (by_wall)
		app_message(app, "slow compares whole durations, in all views");
	else if (slow_by_net(shared, shared->at.here.file))
		app_message(app, "slow compares net times, without recorded interrupts and time "
				 "off the CPU, in all views");
	else
		app_message(app, "%s: slow compares whole durations",
			    graph_net_needs(shared->trace, shared->at.here.file));
}

static void accept_threshold(struct app *app, const char *text)
{
	struct ft_error err = { 0 };
	int64_t ns;

	if (!*text)
		app_message(app, "no time was given, such as 50us; the threshold is unchanged");
	else if (goto_parse_duration(text, &ns, &err))
		app_error(app, "'%s': %s", text, err.message);
	else if (ns <= 0)
		app_error(app, "'%s': the threshold must be more than 0", text);
	else
		use_threshold(app, ns);
}

static const struct typed typed_threshold = { .accepted = accept_threshold };

static void set_threshold(struct app *app, char letter)
{
	static const struct { char letter; int64_t ns; } marks[] = {
		{ '+', 10000 }, { '!', 100000 }, { '#', 1000000 }, { '*', 10000000 },
		{ '@', 100000000 },
		{ '$', 1000000000 },
	};

	if (letter == 't' || letter == 'e') {
		app->next_kind = letter;
		app_message(app, letter == 't' ?
					 "] and [ go to the next and previous event of this task" :
					 "] and [ go to the next and previous event of this name");
		return;
	}
	app->next_kind = 0;
	if (trace_unit(app->shared.trace) == TRACE_UNIT_COUNT) {
		app_message(app, "this clock has no unit: durations cannot be compared");
		return;
	}
	if (letter == 'w' || letter == 'n') {
		set_measure(app, letter == 'w');
		return;
	}
	if (letter == '=') {
		app_open_prompt(app, &typed_threshold, "slow means at least: ", "",
				&app->prompts->other_history);
		return;
	}
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (marks[i].letter == letter)
			use_threshold(app, marks[i].ns);
}

/* Each press undoes one layer. */
static void cancel(struct app *app, bool may_quit)
{
	if (app->job) {
		const char *stopped = app->job->stopped;

		app_end_job(app);
		if (stopped)
			app_message(app, "%s", stopped);
	} else if (finder_runs(app, true)) {
		app_message(app, "search stopped");
	} else if (app->shared.chosen.pattern) {
		hits_drop(app);
		search_pattern_free(app->shared.chosen.pattern);
		app->shared.chosen.pattern = NULL;
	} else if (app->view && why_list_forget(app)) {
		app_message(app, "the row of parts is gone; Y asks again");
	} else if (app->tour.on) {
		app->tour.on = false;
		app_message(app, "tour ended; :tour restarts it");
	} else if (may_quit && record_running(app->loop->record)) {
		record_stop(app->loop->record);
		app_message(app, "stopping the recording");
	} else if (may_quit && app->loop->interrupted) {
		app->quit = true;
	} else if (may_quit) {
		app->loop->interrupted = true;
		app_message(app, "Q quits, and so does a second ^C");
	}
}

static void find_match(struct app *app, bool forward)
{
	if (!app->shared.chosen.pattern && filters_active(&app->shared.chosen.filters)) {
		finder_find(app, &(struct find){ .kind = FIND_KEPT,
						 .forward = forward,
						 .what = "row that the filter keeps" });
		return;
	}
	if (!app->shared.chosen.pattern) {
		app_message(app, "no search yet; / starts one");
		return;
	}
	finder_find(app,
		    &(struct find){ .kind = FIND_PATTERN, .forward = forward, .what = "match" });
}

static void accept_note(struct app *app, const char *text)
{
	views_publish(app);
	places_note(&app->shared.at.places, app->shared.at.here, text);
	views_changed(app);
}

static const struct typed typed_note = { .accepted = accept_note };

static void set_range(struct app *app)
{
	struct shared *shared = &app->shared;
	struct places *places = &shared->at.places;
	const struct place *a = places_get(places, 'a'), *b = places_get(places, 'b');
	struct range range = { .set = true };
	struct text t = { 0 };

	if (!places->range.set && !shared->at.here.set)
		return;
	if (!places->range.set && !shared->at.has_window && !(a && b)) {
		app_message(app, "a table has no window: set A and B, or press r in 1, 2 or 3");
		return;
	}
	views_leave(app);
	shared->growth.tail = 0;
	if (places->range.set) {
		places->range.set = false;
		views_changed(app);
		app_message(app, "range: the whole trace");
		return;
	}
	range.from = a && b ? a->ts : shared->at.window_from;
	range.to = a && b ? b->ts : shared->at.window_to;
	if (range.from > range.to)
		range = (struct range){ true, range.to, range.from };
	places->range = range;
	views_changed(app);
	shared_span(shared, time_between(range.from, range.to), &t);
	app_message(app, "range: %s, %s; S t saves it, r resets it", a && b ? "A–B" : "the window",
		    text_str(&t));
	text_fini(&t);
}

static void change_detail(struct app *app)
{
	int rows = app->canvas.rows, normal = rows >= 40 ? 8 : rows >= 30 ? 4 : 2;
	int large = rows / 2 - 2 > normal ? rows / 2 - 2 : normal + 4;
	int shown = frame_detail_rows(app);

	if (app->shared.look.detail_rows < 0) {
		app->shared.look.detail_rows = large;
		if (frame_detail_rows(app) == shown)	/* it has no more to tell */
			app->shared.look.detail_rows = 0;
	} else {
		app->shared.look.detail_rows = app->shared.look.detail_rows ? 0 : -1;
	}
	app->dirty = true;
}

static void open_note(struct app *app)
{
	const char *note = places_note_of(&app->shared.at.places, &app->shared.at.here);

	if (app->shared.at.here.set)
		app_open_prompt(app, &typed_note, "note: ", note ? note : "",
				&app->prompts->other_history);
}

static void show_view(struct app *app, char key)
{
	for (int id = 0; id < NR_VIEWS; id++) {
		if (view_key(id) == key) {
			views_show(app, id);
			return;
		}
	}
	app_message(app, "no view has the key %c; V lists them", key);
}

static void open_help(struct app *app)
{
	help_open(&app->popup, app->canvas.cols);
}

static void redraw(struct app *app)
{
	if (app->term)
		term_redraw(app->term);
}

static void suspend(struct app *app)
{
	app->suspend = true;
}

static void open_record(struct app *app)
{
	const struct view_commands *commands = app->view ? app->ops->commands : NULL;
	const char *words = commands && commands->record ? commands->record(app->view) : NULL;

	record_open(record_screen(app));
	if (words)
		record_fill(app->loop->record, words);
}

static void save(struct app *app, char letter)
{
	if (letter == 's')
		reopen_save_session(app);
	else if (letter == 'p')
		save_line_perfetto(app);
	else if (letter == 'd')
		save_line_cut(app);
	else
		save_line_open(app, letter == 'c' ? FORMAT_CSV :
				    letter == 'j' ? FORMAT_JSON :
						    FORMAT_TEXT);
}

/* The view handles its own y, v and s first. */
static void copy(struct app *app, char letter)
{
	if (letter == 'c')
		copy_command(app);
	else if (letter == 'l')
		copy_link(app);
	else if (letter == 's')
		app_message(app, "no stack to copy here; 1 Events shows recorded stacks");
	else
		app_message(app,
			    "no %s to copy here; y c copies the command that prints "
			    "this",
			    letter == 'v' ? "value" : "row");
}

/* --- the tables ---------------------------------------------------------- */

/* What a request does in every view; some wait for a letter. */
static const struct {
	void	(*act)(struct app *app);
	void	(*with_letter)(struct app *app, char letter);
} actions[NR_REQUESTS] = {
	[REQ_BACK] = { .act = back },
	[REQ_QUIT] = { .act = quit },
	[REQ_HELP] = { .act = open_help },
	[REQ_VIEW] = { .with_letter = show_view },
	[REQ_VIEW_LIST] = { .act = view_list_open },
	[REQ_RELOAD] = { .act = reopen_same },
	[REQ_OTHER_FILE] = { .act = reopen_other },
	[REQ_RECORD] = { .act = open_record },
	[REQ_SPLIT] = { .act = split_toggle },
	[REQ_FOCUS] = { .act = split_focus },
	[REQ_REDRAW] = { .act = redraw },
	[REQ_SUSPEND] = { .act = suspend },
	[REQ_CHOOSE_LIST] = { .with_letter = lists_open },
	[REQ_GO] = { .act = place_line_open },
	[REQ_SEARCH] = { .act = search_line_open },
	[REQ_FILTER_TOGGLE] = { .act = filter_line_switch },
	[REQ_FILTER_DIM] = { .act = filter_line_dim },
	[REQ_THRESHOLD] = { .with_letter = set_threshold },
	[REQ_TROUBLE_NEXT] = { .act = trouble_next },
	[REQ_PICK_TASK] = { .act = picker_open },
	[REQ_RANGE] = { .act = set_range },
	[REQ_MARK] = { .with_letter = set_mark },
	[REQ_MARK_GO] = { .with_letter = go_mark },
	[REQ_NOTE] = { .act = open_note },
	[REQ_MARK_LIST] = { .act = mark_list_open },
	[REQ_WHY] = { .act = why_list_open },
	[REQ_DETAIL] = { .act = change_detail },
	[REQ_COLUMNS] = { .act = columns_open },
	[REQ_SORT] = { .act = columns_open_sort },
	[REQ_TIME_FORMAT] = { .act = next_time_format },
	[REQ_OPTIONS] = { .act = options_open },
	[REQ_KERNEL_TEXT] = { .act = views_kernel_text },
	[REQ_SAVE] = { .with_letter = save },
	[REQ_COPY] = { .with_letter = copy },
};

/* Handle the requests that share an action; false for any other request. */
static bool act_of_several(struct app *app, enum request request)
{
	switch ((int)request) {
	case REQ_CANCEL:
	case REQ_INTERRUPT:
		return cancel(app, request == REQ_INTERRUPT), true;
	case REQ_NEXT_LIST:
	case REQ_PREV_LIST:
		return lists_step(app, request == REQ_NEXT_LIST ? 1 : -1), true;
	case REQ_PLACE_BACK:
	case REQ_PLACE_FORWARD:
		return views_back(app, request == REQ_PLACE_BACK), true;
	case REQ_FIRST:
	case REQ_LAST:
		if (app->ops->table)	/* one without rows: the trace's are in other views */
			return false;
		views_jump(app, request == REQ_FIRST ? trace_first(app->shared.trace) :
						       trace_last(app->shared.trace));
		return true;
	case REQ_MATCH_NEXT:
	case REQ_MATCH_PREV:
		return find_match(app, request == REQ_MATCH_NEXT), true;
	case REQ_FILTER:
	case REQ_FILTER_ADD:
		return filter_line_open(app, request == REQ_FILTER_ADD), true;
	case REQ_MARK_A:
	case REQ_MARK_B:
		return set_mark(app, request == REQ_MARK_A ? 'a' : 'b'), true;
	}
	return false;
}

/* Does the request act on the row under the cursor, or start from it? */
static bool needs_row(const struct app *app, enum request request, char letter)
{
	switch ((int)request) {
	case REQ_SIDE_RIGHT:
	case REQ_SIDE_LEFT:
	case REQ_RESET:
	case REQ_MARK_GO:
	case REQ_MARK_LIST:
		return false;
	case REQ_SEARCH:
	case REQ_MATCH_NEXT:
	case REQ_MATCH_PREV:	/* from the previous place, while the view has nothing to show */
		return !app->moment.set && !app_table(app);
	case REQ_SLOW_NEXT:
	case REQ_SLOW_PREV:	/* in Graph this also finds calls of other tasks */
		return app->view_id != VIEW_GRAPH || !app->moment.set;
	case REQ_TRACK_NEXT:
	case REQ_TRACK_PREV:
	case REQ_SAME_NEXT:
	case REQ_SAME_PREV:
	case REQ_ENTER:
	case REQ_FOLD_OPEN:
	case REQ_FOLD_CLOSE:
	case REQ_OPEN_ALL:
	case REQ_CLOSE_ALL:
	case REQ_KERNEL_TEXT:
		return true;
	case REQ_ONLY:
	case REQ_WITHOUT:
		return true;
	case REQ_COPY:
		return letter != 'c';
	case REQ_SAVE:
		return letter != 's' && letter != 'p' && !app_table(app);
	}
	return request_info(request)->group == GROUP_MOVE ||
	       request_info(request)->group == GROUP_FIND ||
	       request_info(request)->group == GROUP_MARK;
}

static bool is_for(enum request request, enum view_id id, bool there)
{
	return view_has_key(id) && request_is_for(request, view_key(id)) &&
	       (view_table[id] != NULL) == there;
}

/* "Graph and Functions": the views that handle a request. @there: only views of this version. */
static unsigned int name_views(enum request request, bool there, struct text *out)
{
	unsigned int nr = 0, total = 0;

	for (int id = 0; id < NR_VIEWS; id++)
		total += is_for(request, id, there);
	for (int id = 0; id < NR_VIEWS; id++) {
		if (!is_for(request, id, there))
			continue;
		text_add(out, !nr ? "" : nr + 1 == total ? " and " : ", ");
		if (there)
			text_printf(out, "%c ", view_key(id));
		text_add(out, view_title(id));
		nr++;
	}
	return total;
}

static void say_where(struct app *app, enum request request)
{
	const struct request_info *info = request_info(request);
	struct text views = { 0 }, key = { 0 };

	key_name(keymap_first_key(request), &key);
	if (name_views(request, true, &views)) {
		app_message(app, "%s works in %s: %s", text_str(&key), text_str(&views),
			    info->help);
	} else {
		name_views(request, false, &views);
		app_message(app, "%s is for %s, not in this version yet: %s", text_str(&key),
			    text_str(&views), info->help);
	}
	text_fini(&views);
	text_fini(&key);
}

static bool view_takes(struct app *app, enum request request, char letter)
{
	bool takes = app->view && app->ops->request(app->view, request, letter);

	app->behind |= takes;
	return takes;
}

static enum request next_of(const struct app *app, enum request request)
{
	enum request found = app->next_kind == 't' ?
				     (request == REQ_SLOW_NEXT ? REQ_TRACK_NEXT : REQ_TRACK_PREV) :
				     (request == REQ_SLOW_NEXT ? REQ_SAME_NEXT : REQ_SAME_PREV);

	return app->next_kind && request_is_alias(found, view_key(app->view_id)) ? found : request;
}

enum request actions_meant(const struct app *app, enum request request)
{
	switch ((int)request) {
	case REQ_SLOW_NEXT:
	case REQ_SLOW_PREV:
		return next_of(app, request);
	case REQ_FOLD_OPEN:
		return app->view && app->ops->is_open && app->ops->is_open(app->view) ?
			       REQ_FOLD_CLOSE :
			       request;
	case REQ_OPEN_ALL:
		return app->opened_all ? REQ_CLOSE_ALL : request;
	}
	return request;
}

void actions_request(struct app *app, enum request request, char letter)
{
	struct text key = { 0 };

	request = actions_meant(app, request);
	app->opened_all = request == REQ_OPEN_ALL || (app->opened_all && request != REQ_CLOSE_ALL);

	if (request != REQ_MORE && request != REQ_LESS && request != REQ_RESET)
		app->shared.at.places.zooming = false;
	if (!request_is_for(request, view_key(app->view_id))) {
		say_where(app, request);
		return;
	}
	if (needs_row(app, request, letter)) {
		views_publish(app);
		if (!app->shared.at.here.set) {
			/* rows of histograms have no moments */
			if (!app_table(app) || !view_takes(app, request, letter))
				app_message(app, "there is no row here");
			return;
		}
	}
	if (view_takes(app, request, letter))
		return;
	views_publish(app);
	if (actions[request].act) {
		actions[request].act(app);
	} else if (actions[request].with_letter) {
		actions[request].with_letter(app, letter);
	} else if (!act_of_several(app, request)) {
		key_name(keymap_first_key(request), &key);
		app_message(app, "%s does nothing here; ? lists the keys", text_str(&key));
	}
	text_fini(&key);
}
