/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/session/reopen_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/sandbox/broker.h"
#include "src/base/file_names.h"
#include "src/base/memory.h"
#include "src/base/output_names.h"
#include "src/base/workers.h"
#include "src/trace/offset_option.h"
#include "src/trace/trace_hits.h"
#include "src/trace/trace_latency.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/desk/hits.h"
#include "ui/desk/views.h"
#include "ui/session/filter_names.h"
#include "ui/session/options.h"
#include "ui/session/remember.h"
#include "ui/session/session.h"
#include "ui/rows/kept.h"

#define READ_NS	3000000000		/* ns that a message stays at least */
#define GROW_SHARE	4		/* models may use 1/GROW_SHARE of the time */
#define GROW_LOOK_NS	100000000	/* looks for new rows of a recording */
#define TRIM_NS		10000000000	/* models come and go: their memory is given back */

/* --- what is kept ---------------------------------------------------------- */

static void add_count(struct text *out, unsigned int nr, const char *what)
{
	if (nr)
		text_printf(out, "%s%u %s%s", out->len ? " and " : "", nr, what, PLURAL(nr));
}

static void tell_kept(struct app *app, const struct kept_count *count, const char *where)
{
	struct text t = { 0 };

	add_count(&t, count->marks, "mark");
	add_count(&t, count->notes, "note");
	if (app->shared.chosen.filters.nr)
		app_message(app, "%s%s%u filter%s %s: %s%s", text_str(&t), t.len ? " and " : "",
			    app->shared.chosen.filters.nr, PLURAL(app->shared.chosen.filters.nr),
			    where, t.len ? "M lists, " : "", "F filters");
	else if (t.len && count->lost)
		app_message(app, "%s %s: M lists them; %u more are not in the trace", text_str(&t),
			    where, count->lost);
	else if (t.len)
		app_message(app, "%s %s: M lists them", text_str(&t), where);
	else if (count->lost)
		app_message(app, "the marks %s are not in the trace", where);
	text_fini(&t);
}

/* The session file lies next to the trace. */
static void session_path(const struct app *app, struct text *out)
{
	output_name_add(OUTPUT_MARKS, trace_path(app->shared.trace, 0), 0, out);
}

/* The saved filters are loaded but off until F. */
static void take_filters(struct app *app, const char *lines)
{
	struct filters *filters = &app->shared.chosen.filters;

	if (filters->nr)		/* typed while a long file was read */
		return;
	filters_add_lines(filters, lines, &app->shared.at.places);
	if (!filters->nr)
		return;
	filters_switch(filters, false);
	filters->of_last_time = true;
}

static bool is_demo(const struct app *app)
{
	return app->options->demo && !strcmp(trace_path(app->shared.trace, 0), app->options->demo);
}

/*
 * Loads how the screen was when the trace was left, and goes where it was, if asked.  Not for the
 * demo, nor for a recording that goes on: the file that was left had the same name, but other
 * events.
 */
static void take_screen(struct app *app, const struct text *keeps)
{
	if (!keeps->len || is_demo(app) || trace_grows(app->shared.trace))
		return;
	remember_load(app, keeps);
	if (app->session->goes_back)
		app_message(app, "as it was left last time; g goes to the beginning");
}

/* Was the trace left by this program, and not by one before? */
static bool was_left_now(const struct app *app, const char *path)
{
	const struct timespec *began = &app->session->began;
	struct stat st;

	return !stat(path, &st) &&
	       (st.st_mtim.tv_sec > began->tv_sec ||
		(st.st_mtim.tv_sec == began->tv_sec && st.st_mtim.tv_nsec > began->tv_nsec));
}

/* Loads what was saved last time, else the session file next to the trace. */
static void load_kept(struct app *app)
{
	struct shared *shared = &app->shared;
	struct ft_error err = { 0 };
	struct kept_count count;
	struct text session = { 0 }, filters = { 0 }, keeps = { 0 };
	char path[4096];

	options_of_trace(app);
	text_clear(&app->session->remembered);
	session_path(app, &session);
	if (app->term && kept_path(&app->session->identity, path, sizeof(path)))
		kept_prune(path);
	else
		path[0] = '\0';
	if (path[0] && !kept_read(path, &app->session->identity, false, shared->trace,
				  &shared->at.places, &filters, &keeps, &count, &err)) {
		app->session->has_kept = true;
		app->session->goes_back = app->first_is_last || was_left_now(app, path);
		take_filters(app, text_str(&filters));
		take_screen(app, &keeps);
		tell_kept(app, &count, "from last time");
	} else if (path[0] && !access(path, F_OK)) {
		app_error(app, "what was kept of this trace is ignored: %s", err.message);
	} else if (!access(text_str(&session), F_OK)) {
		app->session->has_kept = app->session->goes_back = true;
		if (!kept_read(text_str(&session), &app->session->identity, true, shared->trace,
			       &shared->at.places, &filters, &keeps, &count, &err)) {
			take_filters(app, text_str(&filters));
			take_screen(app, &keeps);
			tell_kept(app, &count, "from the session file beside the trace");
		} else {
			app_error(app, "%s", err.message);
		}
	}
	text_fini(&filters);
	text_fini(&keeps);
	text_fini(&session);
}

/* A and B at the ends of what a latency tracer measured, the first time that its text is opened. */
static void mark_latency(struct app *app)
{
	struct places *places = &app->shared.at.places;
	struct trace *trace = app->shared.trace;
	struct trace_latency latency;

	if (app->session->has_kept || !trace_latency(trace, &latency) ||
	    latency.first == latency.last)
		return;
	places->marks[0] = shared_place(&app->shared, latency.first);
	places->marks[1] = shared_place(&app->shared, latency.last);
}

/* The place of a moment: its row, if there is one. */
static struct place place_at(const struct shared *shared, int64_t ts)
{
	struct place place = shared_place(shared, trace_seek_time(shared->trace, ts, -1));

	if (place.set && place.ts == ts)
		return place;
	return (struct place){ .set = true, .ref = TRACE_REF_NONE, .ts = ts, .pid = -1, .cpu = -1 };
}

/* The wait, as a whole, on the row of the task that waited. */
static void show_wait(struct app *app, const struct trace_hit *hit)
{
	const struct place wait = { .set = true, .ref = TRACE_REF_NONE, .ts = hit->from,
				    .to = hit->to, .pid = (int)hit->waits, .cpu = -1 };

	views_show_at(app, VIEW_TIMELINE, &wait);
}

/*
 * What `record --until` stopped at: a note at each hit; A and B, if they are free, at the last.
 * @opens: the file was opened for that
 */
static void mark_hits(struct app *app, bool opens)
{
	struct places *places = &app->shared.at.places;
	bool is_free = !places->marks[0].set && !places->marks[1].set;
	struct place from;
	struct text note = { 0 };
	const char *at = NULL;
	struct trace_hit hit, last = { 0 };

	while (!app->session->has_kept && trace_hit_next(app->shared.trace, 0, &at, &hit)) {
		last = hit;
		from = place_at(&app->shared, hit.from);
		if (is_free) {
			places->marks[0] = from;
			places->marks[1] = place_at(&app->shared, hit.to);
			places->marks[0].subject = places->marks[1].subject = (int)hit.waits;
		}
		text_clear(&note);
		text_printable(&note, hit.condition, hit.condition_len);
		text_add(&note, ": ");
		text_printable(&note, hit.words, hit.words_len);
		places_note(places, from, text_str(&note));
	}
	if (note.len) {
		if (opens && last.waits)
			show_wait(app, &last);
		else
			views_go(app, app->view_id, &from);
		app_message(app, "stopped by %s", text_str(&note));
	}
	text_fini(&note);
}

static bool has_offset(const struct trace *trace)
{
	for (unsigned int i = 0; trace && i < trace_nr_files(trace); i++)
		if (trace_offset(trace, i).by)
			return true;
	return false;
}

void reopen_keep(struct app *app)
{
	struct text filters = { 0 }, keeps = { 0 };
	char path[4096];

	if (!app->shared.trace || !app->term || trace_is_head(app->shared.trace) ||
	    !kept_path(&app->session->identity, path, sizeof(path)))
		return;
	/* A failed write loses it, nothing else. */
	filters_lines(&app->shared.chosen.filters, &filters);
	remember_save(app, &keeps);
	kept_write(path, app->shared.trace, &app->session->identity, &app->shared.at.places,
		   &filters, &keeps, 0600, NULL);
	text_fini(&filters);
	text_fini(&keeps);
}

void reopen_save_session(struct app *app)
{
	struct text path = { 0 }, filters = { 0 }, others = { 0 }, contents = { 0 };
	struct text keeps = { 0 };
	struct ft_error err = { 0 };
	struct kept_count count;
	struct places none;

	if (is_demo(app)) {		/* it lies beside the program */
		app_message(app,
			    "the demo's marks and notes are kept for you; it has no session file");
		return;
	}
	session_path(app, &path);
	places_init(&none);
	filters_lines(&app->shared.chosen.filters, &filters);
	remember_save(app, &keeps);
	kept_text(app->shared.trace, &app->session->identity, &app->shared.at.places, &filters,
		  &keeps, &contents);
	/* Overwrite another session file, but no other kind of file. */
	if (!access(text_str(&path), F_OK) &&
	    kept_read(text_str(&path), &app->session->identity, true, app->shared.trace, &none,
		      &others, NULL, &count, &err))
		app_error(app, "%s; it is left unchanged", err.message);
	else if (broker_replace_session(app->options->broker, text_str(&path), &contents, &err))
		app_error(app, "%s", err.message);
	else
		app_message(app,
			    "marks, notes and filters saved to %s; they open with the "
			    "trace",
			    text_str(&path));
	places_fini(&none);
	text_fini(&filters);
	text_fini(&keeps);
	text_fini(&others);
	text_fini(&contents);
	text_fini(&path);
}

/* --- what is on disk ----------------------------------------------------- */

struct watched {
	bool		there;
	dev_t		dev;
	ino_t		ino;
	off_t		size;
	struct timespec	mtime;
	off_t		read;		/* its size when it was opened */
};

static struct watched look_at(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return (struct watched){ 0 };
	return (struct watched){ true, st.st_dev, st.st_ino, st.st_size, st.st_mtim };
}

static void watch_begin(struct app *app)
{
	unsigned int nr = trace_nr_files(app->shared.trace);

	free(app->session->watched);
	app->session->watched = mem_array(nr, sizeof(*app->session->watched));
	for (unsigned int i = 0; i < nr; i++) {
		app->session->watched[i] = look_at(trace_path(app->shared.trace, i));
		app->session->watched[i].read = app->session->watched[i].size;
	}
	app->session->watch_looked = workers_now_ns();
	app->session->grow_next = 0;
	app->session->ring_first = TRACE_REF_NONE;
	app->session->pipes = trace_pipe(app->shared.trace) != TRACE_PIPE_NONE ||
			      trace_pipe_trouble(app->shared.trace);
	app->session->more_since = app->session->more_ns = 0;
	app->shared.growth.grew_at = app->session->watch_looked;
}

/* Each change is reported once. */
static bool tell_change(struct app *app, unsigned int file, const struct watched *was,
			const struct watched *is)
{
	struct text name = { 0 }, bytes = { 0 };
	const char *again = "Ctrl-R reads it again";
	bool told = true;
	off_t known = is->size > was->size && was->read < was->size ? was->read : was->size;

	shared_file_name(&app->shared, file, &name);
	text_counted(&bytes, (uint64_t)llabs((long long)(is->size - known)), "byte");
	if (!is->there && !was->there)
		told = false;		/* as standard input never is */
	else if (!is->there)
		app_message(app, "%s no longer exists on disk", text_str(&name));
	else if (!was->there || is->dev != was->dev || is->ino != was->ino)
		app_message(app, "%s was replaced on disk; %s", text_str(&name), again);
	else if (is->size < was->size)
		app_error(app,
			  "%s shrank on disk by %s, which can no longer be read; "
			  "%s",
			  text_str(&name), text_str(&bytes), again);
	else if (is->size > was->size)
		app_message(app,
			    "%s grew on disk by %s; "
			    "%s",
			    text_str(&name), text_str(&bytes), again);
	else if (is->mtime.tv_sec != was->mtime.tv_sec || is->mtime.tv_nsec != was->mtime.tv_nsec)
		app_message(app, "%s was modified on disk; %s", text_str(&name), again);
	else
		told = false;
	text_fini(&name);
	text_fini(&bytes);
	return told;
}

void reopen_watch(struct app *app)
{
	int64_t now = workers_now_ns();

	/* Do not cover what is being typed or a message just shown. */
	if (!app->shared.trace || trace_grows(app->shared.trace) || app->session->pipes ||
	    now - app->session->watch_looked < LOOK_NS || now - app->message_at < READ_NS ||
	    app->typed || app->job)
		return;
	app->session->watch_looked = now;
	for (unsigned int i = 0; i < trace_nr_files(app->shared.trace); i++) {
		struct watched is = look_at(trace_path(app->shared.trace, i));

		is.read = app->session->watched[i].read;
		if (tell_change(app, i, &app->session->watched[i], &is)) {
			app->session->watched[i] = is;
			return;
		}
	}
}

bool reopen_follows_end(const struct app *app)
{
	trace_ref last = trace_last(app->shared.trace);
	struct trace_event event, exit;

	/* of one that was opened when it had no rows yet, the cursor is on the last one */
	if (last == TRACE_REF_NONE || (app->moment.set && app->moment.ref == last))
		return true;
	/* the row of a leaf call has its exit, too */
	return app->moment.set && trace_event_at(app->shared.trace, app->moment.ref, &event) &&
	       leaf_calls_exit(app->shared.leaves, &event, &exit) && exit.ref == last;
}

void reopen_go_to_end(struct app *app)
{
	struct place last = shared_place(&app->shared, trace_last(app->shared.trace));

	app->moment = last;
	if (last.set && app->view)
		views_go(app, app->view_id, &last);
}

/* --- traces come and go -------------------------------------------------- */

/* What is compressed, or of other programs, takes its time: the bottom line tells how far it is. */
static void show_opening(void *arg, const char *path, uint64_t done, uint64_t size)
{
	struct app *app = arg;

	if (!app->term || !size || app->typed)
		return;
	app_message(app, "opening %s: %d %%", file_names_base(path), (int)(done * 100 / size));
	free(app->log[--app->nr_log]);	/* :messages does not list each of them */
	app->above->draw(app);
}

/* @offsets: [nr]; NULL: none. */
static struct trace *open_traces(struct app *app, const char *const *paths, unsigned int nr,
				 const struct trace_offset *offsets)
{
	struct trace_options options = { .hold_permille = -1 };
	struct ft_error err = { 0 };
	struct trace *trace;
	char line[512];

	if (app->options->trace_options)
		options = *app->options->trace_options;
	options.follow = true;
	options.offsets = offsets;
	options.progress = (struct open_progress){ show_opening, app };
	trace = trace_open(paths, nr, false, &options, &err);
	if (!trace)
		app_error(app, "%s",
			  ft_error_text(&err, strstr(err.message, paths[0]) ? NULL : paths[0], line,
					sizeof(line)));
	return trace;
}

/* Opens the files of a trace again with other offsets. */
static struct trace *open_again(struct app *app, const struct trace *trace,
				const struct trace_offset *offsets)
{
	unsigned int nr = trace_nr_files(trace);
	const char **paths = mem_array(nr, sizeof(*paths));
	struct trace *again;

	for (unsigned int i = 0; i < nr; i++)
		paths[i] = trace_path(trace, i);
	again = open_traces(app, paths, nr, offsets);
	free(paths);
	return again;
}

/* Set the new trace before closing the old one: the view must drop what it holds of it first. */
static void show_trace(struct app *app, struct trace *trace, bool again)
{
	struct trace *former = app->shared.trace;
	struct filters filters = app->shared.chosen.filters;

	app_end_job(app);
	app->above->trace_goes(app);
	reopen_drop_ring(app);
	hits_drop(app);
	popup_close(&app->popup);
	shared_use(&app->shared, trace, again);
	views_forget_stacks(app);
	filters_init(&app->shared.chosen.filters, trace);
	app->shared.chosen.filters.dim = again && filters.dim;
	app->shared.chosen.filters.around = again && filters.around;
	filters_budget(&app->shared.chosen.filters, 0);	/* until the first drawing */
	filter_names_read(app);
	app->surveyed = false;
	app->nr_returns = 0;
	app->index_seen = false;
	app->index_looked = workers_now_ns();
	app->shared.at.has_span = trace_span(trace, &app->shared.at.first, &app->shared.at.last);
	app->session->has_kept &= again;
	text_clear(&app->session->identity);
	kept_identity(trace, &app->session->identity);
	watch_begin(app);
	views_retrace(app);
	app->dirty = true;
	filters_fini(&filters);
	trace_close(former);
}

/* A trace opened without offsets takes those of last time or of its session file. */
static struct trace *use_kept_offsets(struct app *app, struct trace *trace)
{
	struct trace_offset *offsets = mem_array(trace_nr_files(trace), sizeof(*offsets));
	struct text identity = { 0 }, session = { 0 };
	struct trace *again = NULL;
	char path[4096];
	bool any;

	kept_identity(trace, &identity);
	output_name_add(OUTPUT_MARKS, trace_path(trace, 0), 0, &session);
	if (app->term && kept_path(&identity, path, sizeof(path)) && !access(path, F_OK))
		any = kept_offsets(path, &identity, false, trace, offsets);
	else
		any = kept_offsets(text_str(&session), &identity, true, trace, offsets);
	if (any && !has_offset(trace))
		again = open_again(app, trace, offsets);
	text_fini(&session);
	text_fini(&identity);
	free(offsets);
	if (!again)
		return trace;
	trace_close(trace);
	return again;
}

#define MAX_END		".max.dat"	/* OUTPUT_MAX */

static bool is_there(const struct text *path)
{
	return !access(text_str(path), F_OK);
}

/* The other file of a latency tracer: t.max.dat while t.dat is shown, or t.dat; false: none. */
static bool other_file(const struct trace *trace, struct text *path)
{
	const char *shown = trace_path(trace, 0);
	size_t len = strlen(shown), end = strlen(MAX_END);

	if (trace_nr_files(trace) > 1)
		return false;
	if (trace_text_header(trace)) {
		output_name_add(OUTPUT_MAX, shown, 0, path);
		return is_there(path);
	}
	if (len <= end || strcmp(shown + len - end, MAX_END))
		return false;
	text_printf(path, "%.*s.dat", (int)(len - end), shown);
	if (is_there(path))
		return true;
	text_clear(path);
	text_bytes(path, shown, len - end);	/* -o t */
	return is_there(path);
}

static void tell_other(struct app *app)
{
	struct trace *trace = app->shared.trace;
	struct text path = { 0 };

	if (other_file(trace, &path))
		app_message(app, "D shows the %s of this maximum, in %s",
			    trace_text_header(trace) ? "records" : "kernel's text",
			    file_names_base(text_str(&path)));
	text_fini(&path);
}

void reopen_other(struct app *app)
{
	struct text path = { 0 };

	if (other_file(app->shared.trace, &path))
		reopen_file(app, text_str(&path));
	else
		app_message(app,
			    path.len ? "there is no %s" :
				       "D is for the two files of a latency tracer, t.dat "
				       "and t.max.dat",
			    file_names_base(text_str(&path)));
	text_fini(&path);
}

void reopen_with(struct app *app, struct trace *trace)
{
	reopen_keep(app);
	trace = use_kept_offsets(app, trace);
	app->tour.on = app->pressed = false;
	show_trace(app, trace, false);
	if (!trace_is_head(trace))
		load_kept(app);
	mark_latency(app);
	mark_hits(app, true);
	tell_other(app);
	app_say_warnings(app);
}

void reopen_close(struct app *app)
{
	struct trace *trace = app->shared.trace;

	app_end_job(app);
	app->above->trace_goes(app);
	reopen_drop_ring(app);
	hits_drop(app);
	views_close(app);
	shared_use(&app->shared, NULL, false);
	filters_fini(&app->shared.chosen.filters);
	trace_close(trace);
	free(app->session->watched);
	app->session->watched = NULL;
}

bool reopen_file(struct app *app, const char *path)
{
	struct trace *trace = open_traces(app, &path, 1, NULL);

	if (trace)
		reopen_with(app, trace);
	return trace;
}

/* Moves a place by the change of its file's offset. */
static void move_place(struct place *place, const int64_t *moved)
{
	place->ts = time_after(place->ts, moved[place->file]);
}

/*
 * Carries over the marks and notes whose rows still exist; returns how many do not. @moved:
 * [nr_files], ns that the times of each file changed by.
 */
static unsigned int carry_places(struct app *app, const struct places *former, const int64_t *moved)
{
	struct places *places = &app->shared.at.places;
	unsigned int lost = 0;

	for (int i = 0; i < 26; i++) {
		places->marks[i] = former->marks[i];
		move_place(&places->marks[i], moved);
		if (former->marks[i].set && !kept_find(app->shared.trace, &places->marks[i])) {
			places->marks[i].set = false;
			lost++;
		}
	}
	for (unsigned int i = 0; i < former->nr_notes; i++) {
		struct place place = former->notes[i].place;

		move_place(&place, moved);
		if (kept_find(app->shared.trace, &place))
			places_note(places, place, former->notes[i].text);
		else
			lost++;
	}
	places->range = former->range;
	if (trace_nr_files(app->shared.trace) == 1) {
		places->range.from = time_after(places->range.from, moved[0]);
		places->range.to = time_after(places->range.to, moved[0]);
	}
	return lost;
}

/* Restores the former filters that are still valid. */
static void carry_filters(struct app *app, const char *lines, bool off)
{
	filters_add_lines(&app->shared.chosen.filters, lines, &app->shared.at.places);
	if (off)
		filters_switch(&app->shared.chosen.filters, false);
}

/* ns by which reopening changed the times of each file; [nr_files], owned by the caller. */
static int64_t *find_moved(const struct trace *former, const struct trace *trace)
{
	unsigned int nr = trace_nr_files(trace);
	int64_t *moved = mem_array(nr, sizeof(*moved));

	for (unsigned int i = 0; i < nr; i++)
		moved[i] = time_between(trace_offset(former, i).by, trace_offset(trace, i).by);
	return moved;
}

unsigned int reopen_show_again(struct app *app, struct trace *trace)
{
	int64_t *moved = find_moved(app->shared.trace, trace);
	struct shared *shared = &app->shared;
	struct places former = shared->at.places;
	struct place here = shared->at.here.set ? shared->at.here : app->moment;
	bool off = shared->chosen.filters.off;
	struct text lines = { 0 };
	unsigned int lost;

	places_init(&shared->at.places);	/* reopening takes them over */
	filters_lines(&shared->chosen.filters, &lines);
	show_trace(app, trace, true);
	lost = carry_places(app, &former, moved);
	places_fini(&former);
	carry_filters(app, text_str(&lines), off);
	text_fini(&lines);
	views_changed(app);
	move_place(&here, moved);
	free(moved);
	if (here.set && !kept_find(trace, &here))	/* row gone: use its time */
		here = (struct place){ .set = true, .ref = TRACE_REF_NONE, .ts = here.ts, .pid = -1,
				       .cpu = -1 };
	if (!here.set)
		here = shared_place(shared, trace_last(trace));
	app->moment = here;
	if (here.set)
		views_go(app, app->view_id, &here);
	app->behind = true;
	return lost;
}

/* The offsets that the trace was opened with; owned. */
static struct trace_offset *copy_offsets(const struct trace *trace)
{
	struct trace_offset *offsets = mem_array(trace_nr_files(trace), sizeof(*offsets));

	for (unsigned int i = 0; i < trace_nr_files(trace); i++)
		offsets[i] = trace_offset(trace, i);
	return offsets;
}

struct trace *reopen_same_files(struct app *app)
{
	struct trace_offset *offsets = copy_offsets(app->shared.trace);
	struct trace *trace = open_again(app, app->shared.trace, offsets);

	free(offsets);
	return trace;
}

void reopen_same(struct app *app)
{
	struct trace *trace = reopen_same_files(app);
	unsigned int lost;

	if (!trace)
		return;
	lost = reopen_show_again(app, trace);
	if (lost)
		app_message(app, "reloaded; no longer in the trace: %u of the marks and notes",
			    lost);
	else
		app_message(app, "reloaded");
}

/* --- the rest of a long file ------------------------------------------------ */

/* Let the user finish what refers to the former trace. */
bool reopen_is_busy(const struct app *app)
{
	return app->typed || app->popup.picker ||
	       (app->job && (app->job->saves || !trace_is_head(app->shared.trace)));
}

void reopen_rest(struct app *app)
{
	struct ft_error err = { 0 };
	struct trace *trace;
	struct place here;
	bool at_end, is_head;

	if (!app->shared.trace || !trace_has_rest(app->shared.trace))
		return;
	if (!app->session->more_ns)
		app->session->more_ns = workers_now_ns() - app->session->more_since;
	if (reopen_is_busy(app))
		return;
	is_head = trace_is_head(app->shared.trace);
	at_end = app->moment.set && app->moment.ref == trace_last(app->shared.trace);
	trace = trace_open_rest(app->shared.trace, &err);
	if (!trace) {
		app_error(app, "%s", err.message);
		app->session->more_since = app->session->more_ns = 0;
		app->session->pipes = false;
		return;
	}
	if (!is_head) {
		reopen_show_more(app, trace);
		app->session->pipes = true;
		return;
	}
	if (app->pressed)
		reopen_show_again(app, trace);
	else
		show_trace(app, trace, false);
	here = at_end ? shared_place(&app->shared, trace_last(trace)) : app->moment;
	load_kept(app);
	if (app->pressed && here.set)
		views_go(app, app->view_id, &here);
	app_say_warnings(app);
}

/* --- recordings that go on ------------------------------------------------ */

/* The recorder has given the file its name, or is about to: go on in that. */
static void open_finished(struct app *app)
{
	const char *part = trace_path(app->shared.trace, 0), *end = strrchr(part, '.');
	char *path = end ? mem_strndup(part, (size_t)(end - part)) : NULL;
	const char *paths[] = { path };
	bool follows = reopen_follows_end(app);
	struct trace *trace;

	if (path && trace_nr_files(app->shared.trace) == 1 && !strcmp(end, ".part") &&
	    !access(path, R_OK) && access(part, F_OK)) {
		trace = open_traces(app, paths, 1, NULL);
		if (trace) {
			reopen_show_again(app, trace);
			/* not over what the recorder told of it, such as the reason */
			if (workers_now_ns() - app->message_at > READ_NS ||
			    (!app->message_is_error &&
			     !strstr(text_str(&app->message), file_names_base(path))))
				app_message(app, "the recording has ended: this is %s",
					    file_names_base(path));
			if (follows)
				reopen_go_to_end(app);
			mark_hits(app, false);
		}
	}
	free(path);
}

/* What is left has an end: the last record.  Of the own recorder, the reason is told elsewhere. */
static void tell_death(struct app *app, int64_t now)
{
	watch_begin(app);
	if (app->shared.recording.len || (app->message_is_error && now - app->message_at < READ_NS))
		return;
	app_error(app,
		  "the recorder has died: this is what it wrote; ftop-trace recover %s makes a "
		  "whole file of it",
		  file_names_base(trace_path(app->shared.trace, 0)));
}

bool reopen_is_counted(struct app *app, int64_t now)
{
	struct app_session *session = app->session;

	/* passes read up to the settled time that there was when they began */
	if (!workers_idle(trace_workers(app->shared.trace)))
		return false;
	if (session->grow_next == GROW_COUNTS) {
		int64_t took = now - app->shared.growth.grew_at,
			used = workers_cpu_ns() - session->grow_cpu;

		/* it may have been stopped meanwhile; and there may be several workers */
		session->grow_next = now + (GROW_SHARE - 1) * (used < took ? used : took);
	}
	return now >= session->grow_next;
}

void reopen_grow(struct app *app)
{
	struct trace *trace = app->shared.trace;
	int64_t now = workers_now_ns();
	enum trace_growth growth;
	bool follows, dirty;

	if (trace)
		reopen_read_more(app, now);
	if (!trace || !trace_grows(trace) || now - app->session->grow_looked < GROW_LOOK_NS ||
	    !reopen_is_counted(app, now) || app->job)
		return;
	follows = reopen_follows_end(app);
	growth = trace_grow(trace);
	if (growth != TRACE_INDEXES)
		app->session->grow_looked = now;
	switch (growth) {
	case TRACE_WHOLE:
	case TRACE_SETTLED:
	case TRACE_INDEXES:
		break;
	case TRACE_GREW:
		app->shared.growth.grew_at = now;
		app->session->grow_next = GROW_COUNTS;
		app->session->grow_cpu = workers_cpu_ns();
		dirty = app->dirty;
		dirty |= views_grew(app);
		if (follows)
			reopen_go_to_end(app);
		app->dirty = dirty;
		reopen_follow_ring(app);
		if (trace_grows(trace))
			reopen_renew_ring(app);
		else
			tell_death(app, now);
		if (now - app->session->trimmed > TRIM_NS) {
			app->session->trimmed = now;
			mem_trim();
		}
		break;
	case TRACE_ENDED:
		open_finished(app);
		break;
	}
}

static void tell_offsets(struct app *app)
{
	struct text t = { 0 };

	shared_offsets(&app->shared, &t);
	app_message(app,
		    t.len ? "%s" :
			    "no offset is set; set one by :offset +1.5ms or :offset FILE=+1.5ms",
		    text_str(&t));
	text_fini(&t);
}

void reopen_offset(struct app *app, const char *word)
{
	const struct trace *former = app->shared.trace;
	struct trace_offset *offsets = copy_offsets(former);
	unsigned int nr = trace_nr_files(former);
	const char **paths = mem_array(nr, sizeof(*paths));
	struct trace *trace = NULL;
	struct ft_error err = { 0 };

	for (unsigned int i = 0; i < nr; i++)
		paths[i] = trace_path(former, i);
	if (*word && offset_option_set(word, paths, nr, offsets, &err))
		app_error(app, "%s", err.message);
	else if (*word)
		trace = open_again(app, former, offsets);
	if (trace)
		reopen_show_again(app, trace);
	if (trace || !*word)
		tell_offsets(app);
	free(paths);
	free(offsets);
}
