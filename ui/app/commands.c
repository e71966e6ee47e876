/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands - commands typed after ":", and the popups of marks and messages. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/base/memory.h"
#include "src/base/shell_words.h"
#include "src/counts/counts.h"
#include "src/trace/time_option.h"
#include "ui/app/app_state.h"
#include "ui/rows/goto.h"

/* --- lists to choose from --------------------------------------------------------- */

/* The notes on the files come before all messages. */
static void add_notes(struct app *app)
{
	struct text note = { 0 };

	for (unsigned int i = 0; i < shared_nr_notes(&app->shared); i++) {
		text_clear(&note);
		shared_note(&app->shared, i, &note);
		popup_add_entry(&app->popup, app->canvas.cols, 0, 2, "!", text_str(&note));
	}
	text_fini(&note);
}

static const struct picker message_picker = { .keys = "j k Move  / Find  q Back" };

static void open_messages(struct app *app)
{
	popup_open(&app->popup, &message_picker, "Messages, newest first");
	for (unsigned int i = app->nr_log; i-- > 0;)
		popup_add_entry(&app->popup, app->canvas.cols, 0, 2, "·", app->log[i]);
	if (app->view)
		add_notes(app);
	if (app->options->notice)
		popup_add_entry(&app->popup, app->canvas.cols, 0, 2, "!", app->options->notice);
	if (!app->popup.nr)
		popup_add(&app->popup, 0, false, "no messages yet");
}

static void add_mark(struct app *app, const struct place *place, const char *label,
		     const char *note, int value)
{
	struct text line = { 0 };
	struct trace_event event;

	text_printf(&line, "%s  ", label);
	if (trace_event_at(app->shared.trace, place->ref, &event))
		views_event_line(app, &event, &line);
	else
		shared_time(&app->shared, place->ts,
			    shared_decimals(&app->shared, app->canvas.cols), &line);
	if (note) {
		text_clear(&line);
		text_printf(&line, "%s  ", label);
		shared_time(&app->shared, place->ts,
			    shared_decimals(&app->shared, app->canvas.cols), &line);
		text_printf(&line, "  %s", note);
	}
	popup_add(&app->popup, value, false, line.data);
	text_fini(&line);
}

/* @value: a letter, or 1000 and the number of a note */
static void go_to_mark(struct app *app, int value)
{
	const struct places *places = &app->shared.places;

	views_jump_to_place(app, value >= 1000 ? &places->notes[value - 1000].place :
						 places_get(places, (char)value));
}

static const struct picker mark_picker = {
	.keys = "j k Move  Enter Go there  / Find  q Back",
	.take = go_to_mark,
};

void commands_open_marks(struct app *app)
{
	const struct places *places = &app->shared.places;

	popup_open(&app->popup, &mark_picker, "Marks and notes");
	for (char letter = 'a'; letter <= 'z'; letter++) {
		const struct place *place = places_get(places, letter);
		char label[2] = { letter <= 'b' ? letter - 'a' + 'A' : letter, '\0' };

		if (place)
			add_mark(app, place, label, NULL, letter);
	}
	for (unsigned int i = 0; i < places->nr_notes; i++)
		add_mark(app, &places->notes[i].place, "\"", places->notes[i].text, 1000 + (int)i);
	if (!app->popup.nr) {
		popup_close(&app->popup);
		app_message(app, "no marks or notes yet; a b m and \" set them");
	}
}

/* --- range, detail, copy ------------------------------------------------- */

void commands_range(struct app *app)
{
	struct shared *shared = &app->shared;
	struct places *places = &shared->places;
	const struct place *a = places_get(places, 'a'), *b = places_get(places, 'b');
	struct range range = { .set = true };
	struct text t = { 0 };

	if (!places->range.set && !shared->here.set)
		return;
	if (!places->range.set && !shared->has_window && !(a && b)) {
		app_message(app, "a table has no window: set A and B, or press r in 1, 2 or 3");
		return;
	}
	views_leave(app);
	if (places->range.set) {
		places->range.set = false;
		views_changed(app);
		app_message(app, "range: the whole trace");
		return;
	}
	range.from = a && b ? a->ts : shared->window_from;
	range.to = a && b ? b->ts : shared->window_to;
	if (range.from > range.to)
		range = (struct range){ true, range.to, range.from };
	places->range = range;
	views_changed(app);
	shared_span(shared, time_between(range.from, range.to), &t);
	app_message(app, "range: %s, %s; S t saves it, r resets it", a && b ? "A–B" : "the window",
		    text_str(&t));
	text_fini(&t);
}

void commands_detail(struct app *app)
{
	int rows = app->canvas.rows, normal = rows >= 40 ? 8 : rows >= 30 ? 4 : 2;
	int large = rows / 2 - 2 > normal ? rows / 2 - 2 : normal + 4;
	int shown = frame_detail_rows(app);

	if (app->shared.detail_rows < 0) {
		app->shared.detail_rows = large;
		if (frame_detail_rows(app) == shown)	/* it has no more to tell */
			app->shared.detail_rows = 0;
	} else {
		app->shared.detail_rows = app->shared.detail_rows ? 0 : -1;
	}
	app->dirty = true;
}

/* Adds the offsets as options of a command. */
static void add_offsets(const struct trace *trace, struct text *out)
{
	for (unsigned int i = 0; i < trace_nr_files(trace); i++) {
		struct trace_offset offset = trace_offset(trace, i);
		struct text word = { 0 };

		if (!offset.by)
			continue;
		if (trace_nr_files(trace) > 1)
			text_printf(&word, "%s=", trace_path(trace, i));
		time_option_offset_text(&offset, &word);
		text_add(out, " --offset ");
		shell_words_quote(out, text_str(&word));
		text_fini(&word);
	}
}

/* Copies the command that prints what the window or the range shows. */
void commands_copy_command(struct app *app)
{
	const struct shared *shared = &app->shared;
	struct text t = { 0 }, filter = { 0 };

	const struct range *range = &shared->places.range;
	const struct view_commands *commands = app->ops->commands;

	if (!shared->here.set && !shared_has_no_events(shared))
		return;
	text_add(&t, "ftop-trace ");
	if (commands && commands->command)
		commands->command(app->view, &t);
	else
		text_add(&t, "report -t");
	if (range->set || !commands || !commands->whole_trace) {
		text_add(&t, " --from ");
		shared_time(shared, range->set ? range->from : shared->window_from, 9, &t);
		text_add(&t, " --to ");
		shared_time(shared, range->set ? range->to : shared->window_to, 9, &t);
	}
	if (shared->list.kind == LIST_CPU)
		text_printf(&t, " --cpu %d", shared->list.cpu);
	if (filters_active(&shared->filters)) {
		filters_expression(&shared->filters, &filter);
		text_add(&t, " -F ");
		shell_words_quote(&t, text_str(&filter));
		text_fini(&filter);
	}
	add_offsets(shared->trace, &t);
	for (unsigned int i = 0; i < trace_nr_files(shared->trace); i++) {
		text_char(&t, ' ');
		shell_words_quote(&t, trace_path(shared->trace, i));
	}
	app_copy(app, "command", text_str(&t), t.len);
	text_fini(&t);
}

/* --- ":" ----------------------------------------------------------------- */

enum command_id { COMMAND_WRITE, COMMAND_WRITE_ANYWAY, COMMAND_WRITE_QUIT, COMMAND_EDIT,
		  COMMAND_SET, COMMAND_THEME, COMMAND_MESSAGES,
		  COMMAND_FILTER, COMMAND_FILTERS, COMMAND_NAME, COMMAND_PLOT, COMMAND_PAIR,
		  COMMAND_COUNT,
		  COMMAND_OFFSET, COMMAND_WHY, COMMAND_TOUR, COMMAND_HELP, COMMAND_QUIT,
		  NR_COMMANDS };

static const struct command_info {
	const char	*name;
	const char	*arg;
	const char	*help;
} commands[NR_COMMANDS] = {
	[COMMAND_WRITE] = { "w", "FILE", "save rows as text, as S t does" },
	[COMMAND_WRITE_ANYWAY] = { "w!", "FILE", "the same; no file is ever overwritten" },
	[COMMAND_WRITE_QUIT] = { "wq", "", "quit; marks, notes and filters are kept" },
	[COMMAND_EDIT] = { "e", "[FILE]", "open another file; without FILE, read this one again" },
	[COMMAND_SET] = { "set", "[NAME VALUE]", "set an option, --save keeps it; without NAME, list them" },
	[COMMAND_THEME] = { "theme", "NAME", "dark, light, mono, high-contrast, colour-blind, your own, or a path" },
	[COMMAND_MESSAGES] = { "messages", "", "list the messages of the bottom line" },
	[COMMAND_FILTER] = { "filter", "EXPR", "filter rows, as f does; no EXPR: no filter" },
	[COMMAND_FILTERS] = { "filters", "", "list the filters that have names" },
	[COMMAND_NAME] = { "name", "NAME", "save the filter under this name" },
	[COMMAND_PLOT] = { "plot", "EVENT[.FIELD]",
		"add or remove a Timeline row; * is all events, marker slices of trace_marker" },
	[COMMAND_PAIR] = { "pair", "[NAME START END by KEY]",
		"measure the time between two events in Latency, and keep the pair (Tab completes); alone, list the pairs" },
	[COMMAND_COUNT] = { "count", "[EVENT] [by FIELD,…] [sum FIELD,…]",
		"count events with the same values in these fields, in Counts (Tab completes)" },
	[COMMAND_OFFSET] = { "offset", "[[FILE=]TIME]",
		"shift a file's times: +1.5ms, -2s, 0; no TIME shows it" },
	[COMMAND_WHY] = { "why", "", "what the row's task did from A to B; Y asks about what is under the cursor" },
	[COMMAND_TOUR] = { "tour", "", "start the demo's tour again" },
	[COMMAND_HELP] = { "help", "", "list the keys, as ? does" },
	[COMMAND_QUIT] = { "q", "", "quit" },
};

const char *commands_describe(unsigned int i, struct text *words)
{
	if (i >= NR_COMMANDS)
		return NULL;
	text_clear(words);
	text_printf(words, ":%s%s%s", commands[i].name, *commands[i].arg ? " " : "",
		    commands[i].arg);
	return commands[i].help;
}

unsigned int commands_complete(const char *begin, size_t len, struct filter_word **words)
{
	unsigned int nr = 0;

	*words = mem_array(NR_COMMANDS, sizeof(**words));
	for (int i = 0; i < NR_COMMANDS; i++)
		if (!strncmp(commands[i].name, begin, len))
			(*words)[nr++].text = mem_strdup(commands[i].name);
	return nr;
}

static int find_command(const char *s, const char **arg)
{
	size_t len = strcspn(s, " ");

	*arg = s + len + strspn(s + len, " ");
	for (int i = 0; i < NR_COMMANDS; i++)
		if (strlen(commands[i].name) == len && !strncmp(commands[i].name, s, len))
			return i;
	return -1;
}

/* "there are w e set …" */
static void add_commands(struct text *out)
{
	for (int i = 0; i < NR_COMMANDS; i++)
		text_printf(out, " %s", commands[i].name);
}

static bool has_plots(const struct view_ops *ops)
{
	return ops->moments && ops->moments->plot;
}

/* Adds the plot in the view that has such rows. */
static void plot(struct app *app, const char *what)
{
	if (!*what) {
		app_error(app, ":plot needs an event or a field of one: :plot sched_waking, :plot "
			       "cpu_frequency.state");
		return;
	}
	if (!has_plots(app->ops) && app->shared.here.set)
		views_show_at(app, VIEW_TIMELINE, &app->shared.here);
	if (has_plots(app->ops))
		app->ops->moments->plot(app->view, what);
	app->dirty = true;
}

static void count(struct app *app, const char *words)
{
	struct counts_options options;
	struct ft_error err = { 0 };
	struct arena names = { 0 };

	if (!app->view) {
		app_error(app, "no trace is open");
	} else if (counts_parse(words, &names, &options, &err)) {
		app_error(app, ":count: %s", err.message);
	} else {
		text_clear(&app->shared.counting);
		text_add(&app->shared.counting, words);
		views_show(app, VIEW_COUNTS);
	}
	arena_fini(&names);
}

static void run_command(struct app *app, const char *s)
{
	struct text names = { 0 };
	const char *arg;
	int command = find_command(s, &arg);

	switch (command) {
	case COMMAND_WRITE:
	case COMMAND_WRITE_ANYWAY:
		if (*arg)
			save_start(app, arg, FORMAT_TEXT);
		else
			app_error(app, ":w needs a file name");
		return;
	case COMMAND_EDIT:
		if (*arg)
			reopen_file(app, arg);
		else
			reopen_same(app);
		return;
	case COMMAND_SET:
		options_set(app, arg);
		return;
	case COMMAND_THEME:
		if (*arg)
			app_load_theme(app, arg);
		else
			app_message(app, "theme %s", app->theme.name);
		return;
	case COMMAND_MESSAGES:
		open_messages(app);
		return;
	case COMMAND_FILTER:
		filter_line_set(app, arg);
		return;
	case COMMAND_FILTERS:
		filter_list_open(app);
		return;
	case COMMAND_NAME:
		filter_list_keep(app, arg);
		return;
	case COMMAND_PLOT:
		plot(app, arg);
		return;
	case COMMAND_PAIR:
		pairs_add(app, arg);
		return;
	case COMMAND_COUNT:
		count(app, *arg ? arg : "by event");
		return;
	case COMMAND_OFFSET:
		reopen_offset(app, arg);
		return;
	case COMMAND_WHY:
		views_publish(app);
		why_list_ask(app, true);
		return;
	case COMMAND_TOUR:
		if (app->options->demo &&
		    !strcmp(trace_path(app->shared.trace, 0), app->options->demo))
			tour_begin(&app->tour);
		else
			app_message(app, "the tour needs the sample trace: ftop-trace demo");
		return;
	case COMMAND_HELP:
		actions_request(app, REQ_HELP, 0);
		return;
	case COMMAND_WRITE_QUIT:
	case COMMAND_QUIT:
		app_quit(app);
		return;
	}
	add_commands(&names);
	app_error(app, "no command '%.*s': there are%s", (int)strcspn(s, " "), s, text_str(&names));
	text_fini(&names);
}

static int64_t day_start_ns(int64_t wall_ns)
{
	time_t seconds = wall_ns / 1000000000;
	struct tm tm;

	localtime_r(&seconds, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm) * 1000000000;
}

/* Has the trace this CPU?  -1 stands for any. */
static int check_cpu(const struct trace *trace, int cpu, struct ft_error *err)
{
	int last = -1;

	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		int other = trace_stream_info(trace, i).cpu;

		if (other == cpu)
			return 0;
		last = other > last ? other : last;
	}
	if (cpu < 0)
		return 0;
	return ft_error_set(err, FT_E_USAGE, -1, "there is no CPU %d: the last one is CPU %d", cpu,
			    last);
}

/*
 * Finds a parsed place: sets *ref, or *ts with *ref NONE. Returns -1 and shows a message if there
 * is no such place.
 */
static int find_place(struct app *app, const struct goto_place *place, trace_ref *ref, int64_t *ts,
		      struct ft_error *err)
{
	const struct shared *shared = &app->shared;
	struct trace_status status = trace_status(shared->trace);
	const struct place *mark;
	bool known;

	*ref = TRACE_REF_NONE;
	*ts = shared->here.ts;
	if (check_cpu(shared->trace, place->cpu, err))
		return -1;
	switch (place->kind) {
	case GOTO_TIME:
		*ts = place->value;
		return 0;
	case GOTO_DELTA:
		*ts = time_after(shared->here.ts, place->value);
		return 0;
	case GOTO_PERCENT:
		*ref = trace_select_event(shared->trace, (uint64_t)((double)status.events *
								    (double)place->value / 1e6));
		break;
	case GOTO_ROW:
		if (place->value < 1)
			return ft_error_set(err, FT_E_USAGE, 1, "rows are counted from 1");
		*ref = trace_select_event(shared->trace, place->value - 1);
		break;
	case GOTO_MARK:
		mark = places_get(&shared->places, place->letter);
		if (!mark)
			return ft_error_set(err, FT_E_USAGE, 1, "this mark is not set");
		*ref = mark->ref;
		*ts = mark->ts;
		return 0;
	case GOTO_WALL:
		*ts = trace_wall_offset_ns(shared->trace, &known);
		if (!known)
			return ft_error_set(err, FT_E_USAGE, 0,
					    "the file does not record the wall clock");
		if (!place->has_date)
			*ts = time_between(day_start_ns(time_after(shared->first, *ts)), *ts);
		*ts = time_between(*ts, place->value);
		return 0;
	case GOTO_HERE:
		*ts = time_after(shared->here.ts, 1);
		return 0;
	case GOTO_NOTHING:
	case GOTO_COMMAND:
		return ft_error_set(err, FT_E_USAGE, 0, "not a place");
	}
	if (*ref == TRACE_REF_NONE)
		return ft_error_set(err, FT_E_USAGE, 0, "the trace has no rows");
	return 0;
}

static void hint_place(struct app *app, const struct goto_place *place, struct text *out)
{
	struct ft_error err = { 0 };
	struct trace_event event;
	trace_ref ref;
	int64_t ts;

	if (find_place(app, place, &ref, &ts, &err)) {
		app->prompt.wrong = true;
		app->prompt.wrong_at = (int)err.offset;
		text_add(out, err.message);
		return;
	}
	if (ref != TRACE_REF_NONE && trace_event_at(app->shared.trace, ref, &event))
		ts = event.ts;
	text_add(out, "time ");
	shared_time(&app->shared, ts, 9, out);
	if (app->shared.has_span && ts < app->shared.first)
		text_add(out, ": before the first row");
	else if (app->shared.has_span && ts > app->shared.last)
		text_add(out, ": after the last row");
	if (place->kind == GOTO_DELTA) {
		text_add(out, ", from here ");
		shared_span(&app->shared, place->value, out);
	}
	if (place->cpu >= 0)
		text_printf(out, ", on CPU %d", place->cpu);
}

/* It names a filter, and does not use one that has the name. */
static void hint_name(const struct app *app, struct text *out)
{
	if (!app->shared.filters.nr) {
		text_add(
			out,
			"no filter is on that could get a name; f NAME uses one, :filters lists all");
		return;
	}
	text_add(out, "gives this name to the filter ");
	filters_expression(&app->shared.filters, out);
}

static void hint_command(struct app *app, const char *s, struct text *out)
{
	const char *arg;
	int command = find_command(s, &arg);

	if (command == COMMAND_NAME) {
		hint_name(app, out);
		return;
	}
	if (command >= 0) {
		text_printf(out, "%s %s: %s", commands[command].name, commands[command].arg,
			    commands[command].help);
		return;
	}
	for (int i = 0; i < NR_COMMANDS; i++)
		if (!strncmp(commands[i].name, s, strlen(s)))
			text_printf(out, "%s%s %s", out->len ? "  |  " : "", commands[i].name,
				    commands[i].help);
	if (!out->len) {
		app->prompt.wrong = true;
		app->prompt.wrong_at = 0;
		text_add(out, "no such command: there are");
		add_commands(out);
	}
}

static void hint(struct app *app)
{
	struct prompt *prompt = &app->prompt;
	struct ft_error err = { 0 };
	struct goto_place place;

	text_clear(&prompt->hint);
	prompt->wrong = false;
	prompt->wrong_at = -1;
	if (goto_parse(text_str(&prompt->text), trace_unit(app->shared.trace) == TRACE_UNIT_COUNT,
		       &place, &err)) {
		prompt->wrong = true;
		prompt->wrong_at = (int)err.offset;
		text_add(&prompt->hint, err.message);
	} else if (place.kind == GOTO_NOTHING) {
		text_add(&prompt->hint, "12.345678  +1ms  50%  #1000  'c  @14:03:22  … cpu3   or");
		add_commands(&prompt->hint);
	} else if (place.kind == GOTO_COMMAND) {
		hint_command(app, place.command, &prompt->hint);
	} else {
		hint_place(app, &place, &prompt->hint);
	}
}

/* "1000.000000 is after the last row, 7.692614; row 1000 is :#1000" */
static void say_outside(struct app *app, const char *text, int64_t ts, int64_t rounding)
{
	const struct shared *shared = &app->shared;
	bool before = shared->has_span && time_after(ts, rounding) < shared->first;
	bool after = shared->has_span && time_after(ts, -rounding) > shared->last;
	int decimals = shared_decimals(shared, app->canvas.cols);
	struct text t = { 0 };

	if (!before && !after)
		return;
	if (*text == '@')
		text_add(&t, text);		/* the clock's time may be far below 0 */
	else
		shared_time(shared, ts, decimals, &t);
	text_add(&t, before ? " is before the first row, " : " is after the last row, ");
	shared_time(shared, before ? shared->first : shared->last, decimals, &t);
	if (!text[strspn(text, "0123456789")])
		text_printf(&t, "; row %s is :#%s", text, text);
	app_message(app, "%s", text_str(&t));
	text_fini(&t);
}

static void say_last_row(struct app *app, int64_t wanted)
{
	struct trace_status status = trace_status(app->shared.trace);
	struct text t = { 0 };

	if (!status.complete || (uint64_t)wanted <= status.events)
		return;
	text_count(&t, status.events);
	app_message(app, "the trace has only %s rows", text_str(&t));
	text_fini(&t);
}

static void go(struct app *app, const char *text)
{
	struct ft_error err = { 0 };
	struct goto_place place;
	struct trace_event event;
	trace_ref ref;
	int64_t ts;

	if (goto_parse(text, trace_unit(app->shared.trace) == TRACE_UNIT_COUNT, &place, &err)) {
		app_error(app, ":%s: %s", text, err.message);
		return;
	}
	if (place.kind == GOTO_NOTHING)
		return;
	if (place.kind == GOTO_COMMAND) {
		run_command(app, place.command);
		return;
	}
	if (find_place(app, &place, &ref, &ts, &err)) {
		app_error(app, ":%s: %s", text, err.message);
		return;
	}
	if (ref != TRACE_REF_NONE && place.cpu >= 0 &&
	    trace_event_at(app->shared.trace, ref, &event)) {
		ts = event.key;
		ref = TRACE_REF_NONE;
	}
	if (ref != TRACE_REF_NONE) {
		views_jump(app, ref);
		if (place.kind == GOTO_ROW)
			say_last_row(app, place.value);
		return;
	}
	/* A time copied from the screen finds its row, whichever way it was rounded. */
	views_jump_time(app, place.rounded ? time_after(ts, -500) : ts, place.cpu);
	if (place.cpu < 0)
		say_outside(app, text, ts, place.rounded ? 500 : 0);
}

static void changed(struct app *app)
{
	filter_line_changed(app);
	hint(app);
}

static void accepted(struct app *app, const char *text)
{
	filter_line_changed(app);
	go(app, text);
}

static bool press(struct app *app, ui_key key, enum request request)
{
	(void)request;
	return filter_line_tab(app, key);
}

static const struct typed typed_place = {
	.press = press,
	.changed = changed,
	.accepted = accepted,
	.cancelled = filter_line_changed,
};

void commands_open(struct app *app)
{
	app_open_prompt(app, &typed_place, ":", "", &app->go_history);
	hint(app);
}
