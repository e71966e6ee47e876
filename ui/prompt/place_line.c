/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/place_line.h"

#include <string.h>
#include <time.h>

#include "ui/desk/desk.h"
#include "ui/desk/views.h"
#include "ui/prompt/commands.h"
#include "ui/prompt/filter_line.h"
#include "ui/prompt/prompts.h"
#include "ui/rows/goto.h"

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
	*ts = shared->at.here.ts;
	if (check_cpu(shared->trace, place->cpu, err))
		return -1;
	switch (place->kind) {
	case GOTO_TIME:
		*ts = place->value;
		return 0;
	case GOTO_DELTA:
		*ts = time_after(shared->at.here.ts, place->value);
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
		mark = places_get(&shared->at.places, place->letter);
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
			*ts = time_between(day_start_ns(time_after(shared->at.first, *ts)), *ts);
		*ts = time_between(*ts, place->value);
		return 0;
	case GOTO_HERE:
		*ts = time_after(shared->at.here.ts, 1);
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
	if (app->shared.at.has_span && ts < app->shared.at.first)
		text_add(out, ": before the first row");
	else if (app->shared.at.has_span && ts > app->shared.at.last)
		text_add(out, ": after the last row");
	if (place->kind == GOTO_DELTA) {
		text_add(out, ", from here ");
		shared_span(&app->shared, place->value, out);
	}
	if (place->cpu >= 0)
		text_printf(out, ", on CPU %d", place->cpu);
	if (place->pid >= 0)
		text_printf(out, ", task %d", place->pid);
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
		text_add(&prompt->hint,
			 "12.345678  +1ms  50%  #1000  'c  @14:03:22  … cpu3 pid80   or");
		commands_list(&prompt->hint);
	} else if (place.kind == GOTO_COMMAND) {
		prompt->wrong = !commands_hint(app, place.command, &prompt->hint);
		prompt->wrong_at = prompt->wrong ? 0 : -1;
	} else {
		hint_place(app, &place, &prompt->hint);
	}
}

/* "1000.000000 is after the last row, 7.692614; row 1000 is :#1000" */
static void say_outside(struct app *app, const char *text, int64_t ts, int64_t rounding)
{
	const struct shared *shared = &app->shared;
	bool before = shared->at.has_span && time_after(ts, rounding) < shared->at.first;
	bool after = shared->at.has_span && time_after(ts, -rounding) > shared->at.last;
	int decimals = shared_decimals(shared, app->canvas.cols);
	struct text t = { 0 };

	if (!before && !after)
		return;
	if (*text == '@')
		text_add(&t, text);		/* the clock's time may be far below 0 */
	else
		shared_time(shared, ts, decimals, &t);
	text_add(&t, before ? " is before the first row, " : " is after the last row, ");
	shared_time(shared, before ? shared->at.first : shared->at.last, decimals, &t);
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

void place_line_go(struct app *app, const char *text)
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
		commands_run(app, place.command);
		return;
	}
	if (find_place(app, &place, &ref, &ts, &err)) {
		app_error(app, ":%s: %s", text, err.message);
		return;
	}
	if (ref != TRACE_REF_NONE && (place.cpu >= 0 || place.pid >= 0) &&
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
	ts = place.rounded ? time_after(ts, -500) : ts;
	if (place.pid >= 0 && !app->ops->lines)
		views_jump_to(app, &(struct place){ .set = true,
						    .ref = TRACE_REF_NONE,
						    .ts = ts,
						    .pid = place.pid,
						    .cpu = place.cpu });
	else
		views_jump_time(app, ts, place.cpu);
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
	place_line_go(app, text);
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

void place_line_open(struct app *app)
{
	app_open_prompt(app, &typed_place, ":", "", &app->prompts->go_history);
	hint(app);
}
