/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reopen - another file in place of the one shown, the same one read again, the notice
 * that it changed on disk; and the marks, notes and filters that outlast a sitting.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/sandbox/broker.h"
#include "src/base/memory.h"
#include "ui/app/app_state.h"
#include "ui/rows/kept.h"

#define READ_NS	3000000000		/* that a message stays at least */
#define LOOK_NS	1000000000		/* between two looks at the files */

/* --- what is kept ---------------------------------------------------------- */

static void add_count(struct text *out, unsigned int nr, const char *what)
{
	if (nr)
		text_printf(out, "%s%u %s%s", out->len ? " and " : "", nr, what, nr == 1 ? "" : "s");
}

static void tell_kept(struct app *app, const struct kept_count *count, const char *where)
{
	struct text t = { 0 };

	add_count(&t, count->marks, "mark");
	add_count(&t, count->notes, "note");
	if (app->shared.filters.nr)
		app_message(app, "%s%s%u filter%s %s: %s%s", text_str(&t), t.len ? " and " : "", app->shared.filters.nr,
			    app->shared.filters.nr == 1 ? "" : "s", where, t.len ? "M lists, " : "", "F filters");
	else if (t.len && count->lost)
		app_message(app, "%s %s: M lists them; %u more are not in the trace", text_str(&t), where, count->lost);
	else if (t.len)
		app_message(app, "%s %s: M lists them", text_str(&t), where);
	else if (count->lost)
		app_message(app, "the marks %s are not in the trace", where);
	text_fini(&t);
}

/* Where a session file lies: beside the trace. */
static void session_path(const struct app *app, struct text *out)
{
	text_printf(out, "%s" BROKER_SESSION_END, trace_path(app->shared.trace, 0));
}

/* They are offered: off, until F. */
static void take_filters(struct app *app, const char *s)
{
	struct filters *filters = &app->shared.filters;

	for (size_t len; *s; s += len + (s[len] == '\n')) {
		struct filter_error err = { 0 };
		char *text;

		len = strcspn(s, "\n");
		text = mem_strndup(s, len);
		filters_set(filters, filters->nr, text, &app->shared.places, &err);
		text_fini(&err.message);
		free(text);
	}
	if (filters->nr)
		filters_switch(filters, false);
}

/* A line for each. */
static void list_filters(const struct app *app, struct text *out)
{
	for (unsigned int i = 0; i < app->shared.filters.nr; i++)
		text_printf(out, "%s\n", app->shared.filters.stack[i].text);
}

/* Of last time, else of who laid a session file beside the trace. */
static void load_kept(struct app *app)
{
	struct shared *shared = &app->shared;
	struct ft_error err = { 0 };
	struct kept_count count;
	struct text session = { 0 }, filters = { 0 };
	char path[4096];

	session_path(app, &session);
	if (app->term && kept_path(&app->identity, path, sizeof(path)))
		kept_prune(path);
	else
		path[0] = '\0';
	if (path[0] &&
	    !kept_read(path, &app->identity, false, shared->trace, &shared->places, &filters, &count, &err)) {
		app->has_kept = true;
		take_filters(app, text_str(&filters));
		tell_kept(app, &count, "of last time");
	} else if (!access(text_str(&session), F_OK)) {
		app->has_kept = true;
		if (!kept_read(text_str(&session), &app->identity, true, shared->trace, &shared->places, &filters, &count, &err)) {
			take_filters(app, text_str(&filters));
			tell_kept(app, &count, "of the session file beside the trace");
		} else {
			app_error(app, "%s", err.message);
		}
	}
	text_fini(&filters);
	text_fini(&session);
}

void reopen_keep(struct app *app)
{
	const struct places *places = &app->shared.places;
	bool any = places->nr_notes > 0 || app->shared.filters.nr;
	struct text filters = { 0 };
	char path[4096];

	if (!app->shared.trace || !app->term || !kept_path(&app->identity, path, sizeof(path)))
		return;
	for (char letter = 'a'; letter <= 'z'; letter++)
		any = any || places_get(places, letter);
	/* That all were taken away is kept as well.  What cannot be written is lost, and no more than that. */
	if (any || app->has_kept) {
		list_filters(app, &filters);
		kept_write(path, &app->identity, places, &filters, 0600, NULL);
		text_fini(&filters);
	}
}

void reopen_save_session(struct app *app)
{
	struct text path = { 0 }, filters = { 0 }, others = { 0 }, contents = { 0 };
	struct ft_error err = { 0 };
	struct kept_count count;
	struct places none;

	session_path(app, &path);
	places_init(&none);
	list_filters(app, &filters);
	kept_text(&app->identity, &app->shared.places, &filters, &contents);
	/* Another session's is replaced, nobody else's file is. */
	if (!access(text_str(&path), F_OK) &&
	    kept_read(text_str(&path), &app->identity, true, app->shared.trace, &none, &others, &count, &err))
		app_error(app, "%s; it is left as it is", err.message);
	else if (broker_replace_session(app->options->broker, text_str(&path), &contents, &err))
		app_error(app, "%s", err.message);
	else
		app_message(app, "marks, notes and filters are in %s: they are shown with the trace", text_str(&path));
	places_fini(&none);
	text_fini(&filters);
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

	free(app->watched);
	app->watched = mem_array(nr, sizeof(*app->watched));
	for (unsigned int i = 0; i < nr; i++) {
		app->watched[i] = look_at(trace_path(app->shared.trace, i));
		app->watched[i].read = app->watched[i].size;
	}
	app->watch_looked = app_now_ns();
}

/* Changed while it is written, say: told once for each change. */
static bool tell_change(struct app *app, unsigned int file, const struct watched *was, const struct watched *is)
{
	struct text name = { 0 }, bytes = { 0 };
	const char *again = "Ctrl-R reads it again";
	bool told = true;
	off_t known = is->size > was->size && was->read < was->size ? was->read : was->size;

	shared_file_name(&app->shared, file, &name);
	text_count(&bytes, (uint64_t)llabs((long long)(is->size - known)));
	if (!is->there)
		app_message(app, "%s is no longer on disk under this name", text_str(&name));
	else if (!was->there || is->dev != was->dev || is->ino != was->ino)
		app_message(app, "%s is another file on disk now: %s", text_str(&name), again);
	else if (is->size < was->size)
		app_error(app, "%s shrank on disk by %s bytes: what is gone cannot be read; %s", text_str(&name),
			  text_str(&bytes), again);
	else if (is->size > was->size)
		app_message(app, "%s grew on disk by %s bytes: %s", text_str(&name), text_str(&bytes), again);
	else if (is->mtime.tv_sec != was->mtime.tv_sec || is->mtime.tv_nsec != was->mtime.tv_nsec)
		app_message(app, "%s was written to on disk: %s", text_str(&name), again);
	else
		told = false;
	text_fini(&name);
	text_fini(&bytes);
	return told;
}

void reopen_watch(struct app *app)
{
	int64_t now = app_now_ns();

	/* Not over what is being typed, or was just said. */
	if (!app->shared.trace || now - app->watch_looked < LOOK_NS || now - app->message_at < READ_NS ||
	    app->prompt_kind != PROMPT_NONE || app->job != JOB_NONE)
		return;
	app->watch_looked = now;
	for (unsigned int i = 0; i < trace_nr_files(app->shared.trace); i++) {
		struct watched is = look_at(trace_path(app->shared.trace, i));

		is.read = app->watched[i].read;
		if (tell_change(app, i, &app->watched[i], &is)) {
			app->watched[i] = is;
			return;
		}
	}
}

/* --- traces come and go -------------------------------------------------- */

static struct trace *open_traces(struct app *app, const char *const *paths, unsigned int nr)
{
	struct trace_options defaults = { .hold_permille = -1 };
	struct ft_error err = { 0 };
	char line[512];
	struct trace *trace = trace_open(paths, nr, false,
					 app->options->trace_options ? app->options->trace_options : &defaults, &err);

	if (!trace)
		app_error(app, "%s", ft_error_text(&err, strstr(err.message, paths[0]) ? NULL : paths[0], line,
						   sizeof(line)));
	return trace;
}

/* The new one first, then the end of the one before: what the view holds of it goes in between. */
static void show_trace(struct app *app, struct trace *trace)
{
	struct trace *former = app->shared.trace;
	struct filters filters = app->shared.filters;

	finder_cancel(app);
	save_cancel(app);
	picker_drop(app);
	hits_drop(app);
	popup_close(&app->popup);
	shared_use(&app->shared, trace);
	views_forget_stacks(app);
	filters_init(&app->shared.filters, trace);
	filters_budget(&app->shared.filters, 0);	/* until the first drawing */
	filter_list_read(app);
	app->surveyed = false;
	app->nr_returns = 0;
	app->index_seen = false;
	app->index_looked = app_now_ns();
	app->shared.has_span = trace_span(trace, &app->shared.first, &app->shared.last);
	app->has_kept = false;
	text_clear(&app->identity);
	kept_identity(trace, &app->identity);
	watch_begin(app);
	views_retrace(app);
	app->dirty = true;
	filters_fini(&filters);
	trace_close(former);
}

void app_use_trace(struct app *app, struct trace *trace)
{
	reopen_keep(app);
	app->tour.on = false;
	show_trace(app, trace);
	load_kept(app);
	app_say_notes(app);
}

void app_drop_trace(struct app *app)
{
	struct trace *trace = app->shared.trace;

	finder_cancel(app);
	save_cancel(app);
	picker_drop(app);
	hits_drop(app);
	views_close(app);
	shared_use(&app->shared, NULL);
	filters_fini(&app->shared.filters);
	trace_close(trace);
	free(app->watched);
	app->watched = NULL;
}

bool reopen_file(struct app *app, const char *path)
{
	struct trace *trace = open_traces(app, &path, 1);

	if (trace)
		app_use_trace(app, trace);
	return trace;
}

/* Marks and notes of the former reading, where the rows are still there; how many are not. */
static unsigned int carry_places(struct app *app, const struct places *former)
{
	struct places *places = &app->shared.places;
	unsigned int lost = 0;

	for (int i = 0; i < 26; i++) {
		places->marks[i] = former->marks[i];
		if (former->marks[i].set && !kept_find(app->shared.trace, &places->marks[i])) {
			places->marks[i].set = false;
			lost++;
		}
	}
	for (unsigned int i = 0; i < former->nr_notes; i++) {
		struct place place = former->notes[i].place;

		if (kept_find(app->shared.trace, &place))
			places_note(places, place, former->notes[i].text);
		else
			lost++;
	}
	places->range = former->range;
	return lost;
}

/* The rows that were listed, unless none of the kind is left. */
static void carry_list(struct app *app, struct list_choice list)
{
	struct shared *shared = &app->shared;

	shared_choose_list(shared, list);
	for (unsigned int i = 0; shared->streams && i < trace_nr_streams(shared->trace); i++)
		if (shared->streams[i])
			return;
	shared_choose_list(shared, (struct list_choice){ .kind = LIST_ALL });
}

/* The filters of the former reading, those that still mean something; @texts are freed.  Of @former, how they are shown. */
static void carry_filters(struct app *app, char **texts, unsigned int nr, const struct filters *former)
{
	struct filters *filters = &app->shared.filters;

	for (unsigned int i = 0; i < nr; i++) {
		struct filter_error err = { 0 };

		filters_set(filters, filters->nr, texts[i], &app->shared.places, &err);
		text_fini(&err.message);
		free(texts[i]);
	}
	filters->dim = former->dim;
	filters->around = former->around;
	if (former->off)
		filters_switch(filters, false);
}

static void show_again(struct app *app, struct trace *trace)
{
	struct shared *shared = &app->shared;
	struct places former = shared->places;
	struct search_pattern *pattern = shared->pattern;
	struct list_choice list = shared->list;
	struct place here = shared->here.set ? shared->here : app->moment;
	int64_t threshold = shared->threshold;
	bool by_net = shared->by_net;
	bool had_kept = app->has_kept;
	struct filters filters = { .off = shared->filters.off, .dim = shared->filters.dim, .around = shared->filters.around };
	char *texts[FILTERS_MAX];
	unsigned int nr_texts = shared->filters.nr;
	unsigned int lost;

	places_init(&shared->places);	/* they go with us */
	for (unsigned int i = 0; i < nr_texts; i++)
		texts[i] = mem_strdup(shared->filters.stack[i].text);
	shared->pattern = NULL;
	show_trace(app, trace);
	shared->pattern = pattern;
	shared->threshold = threshold;
	shared->by_net = by_net;
	app->has_kept = had_kept;
	lost = carry_places(app, &former);
	places_fini(&former);
	carry_list(app, list);
	carry_filters(app, texts, nr_texts, &filters);
	app_changed(app);
	if (here.set && !kept_find(trace, &here))	/* its moment then, on whatever CPU */
		here = (struct place){ .set = true, .ref = TRACE_REF_NONE, .ts = here.ts, .pid = -1, .cpu = -1 };
	if (!here.set)
		here = shared_place(shared, trace_last(trace));
	app->moment = here;
	if (here.set)
		app->ops->go(app->view, &here);
	app->behind = true;
	if (lost)
		app_message(app, "read again; %u of the marks and notes are no longer in it", lost);
	else
		app_message(app, "read again");
}

void reopen_same(struct app *app)
{
	unsigned int nr = trace_nr_files(app->shared.trace);
	const char **paths = mem_array(nr, sizeof(*paths));
	struct trace *trace;

	for (unsigned int i = 0; i < nr; i++)
		paths[i] = trace_path(app->shared.trace, i);
	trace = open_traces(app, paths, nr);
	free(paths);
	if (trace)
		show_again(app, trace);
}
