/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/desk/hits.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "ui/desk/desk.h"
#include "ui/rows/row.h"

#define HITS_TICK_MS	100

struct hits {
	struct matches		*matches;	/* owned */
	struct match_filter	*handle;	/* owned */
	struct line_maker	*maker;		/* owned */
	struct text		 key;		/* pattern, filters and line format of the hits */
	uint64_t		 seen;		/* matches_version() when last drawn */
	int64_t			 looked;	/* monotonic ns */
	bool			 told;		/* reported that the pattern takes too many steps */
};

/* --- lines of views that have none of their own ---------------------------- */

struct plain_maker {
	struct line_maker base;
	struct shared	 shared;
};

static void *new_row(void)
{
	return mem_alloc(sizeof(struct row));
}

static void free_row(void *row)
{
	row_fini(row);
	free(row);
}

static bool make_plain(const void *arg, void *scratch, const struct trace_event *event,
		       struct text *out)
{
	const struct plain_maker *maker = arg;

	row_clear(scratch);
	row_render(scratch, &maker->shared, event, NULL, &row_any_room);
	row_plain_line(scratch, &maker->shared, out);
	return true;
}

static void free_plain(struct line_maker *maker)
{
	text_fini(&maker->key);
	free(maker);
}

static struct line_maker *plain_maker(const struct shared *shared)
{
	struct plain_maker *maker = mem_alloc(sizeof(*maker));

	maker->shared = *shared;
	maker->base = (struct line_maker){
		.lines = { make_plain, new_row, free_row, maker, ROW_ADDS }, .free = free_plain
	};
	text_printf(&maker->base.key, "plain %d", shared_decimals(shared, shared->look.cols));
	return &maker->base;
}

/* --- a search ---------------------------------------------------------------- */

void hits_drop(struct app *app)
{
	struct hits *hits = app->hits;

	if (!hits)
		return;
	app_end_search(app);		/* a running search uses the old hits */
	app->hits = NULL;
	app->shared.chosen.hits = NULL;
	matches_drop(hits->matches, hits->handle);
	matches_free(hits->matches);
	hits->maker->free(hits->maker);
	text_fini(&hits->key);
	free(hits);
}

/*
 * Lost events and damage have no lines for workers. If the pattern may match their rows, all of
 * them are searched; a pattern of digits only skips them, for there may be many.
 */
static bool may_be_lost(const char *s)
{
	static const char words[] =
		"CPU lost events, the kernel does not say how many, between (the beginning) and before "
		"were cut out or lost "
		"sub-buffer damaged from byte on, its rest is left out";
	bool any = false;

	if (*s == '/')
		return strcasestr(s, "lost") || strcasestr(s, "damag");
	while (*s) {
		char word[64];
		size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-,()");

		if (len >= sizeof(word))
			return false;
		memcpy(word, s, len);
		word[len] = '\0';
		if (len && !strcasestr(words, word))
			return false;
		any = any || len;
		s += len;
		len = strspn(s, " 0123456789.");
		if (!len && *s)
			return false;
		s += len;
	}
	return any;
}

/* Builds the filter: rows that are shown and contain the pattern. */
static struct filter *make_filter(struct app *app, const struct line_maker *maker)
{
	const struct filters *filters = &app->shared.chosen.filters;
	bool hiding = filters_hiding(filters);
	struct text shown = { 0 }, term = { 0 }, text = { 0 };
	struct filter_source sources[2];
	struct filter_error err = { 0 };
	struct filter *filter;

	if (hiding)
		filters_expression(filters, &shown);
	search_pattern_term(app->shared.chosen.pattern, &term);
	text_printf(&text, hiding ? "!(%s%s)" : "%s%s", text_str(&term),
		    may_be_lost(search_pattern_text(app->shared.chosen.pattern)) ? " || lost" : "");
	sources[0] = (struct filter_source){
		.text = text_str(&text), .lines = &maker->lines, .negate = hiding, .file = -1
	};
	sources[1] = (struct filter_source){ .text = text_str(&shown), .file = -1 };
	filter = filters_parse_sources(filters, sources, hiding ? 2 : 1, &app->shared.at.places,
				       &err);
	text_fini(&err.message);
	text_fini(&shown);
	text_fini(&term);
	text_fini(&text);
	return filter;
}

static void begin(struct app *app, struct line_maker *maker, const struct text *key)
{
	struct filter *filter = make_filter(app, maker);
	struct hits *hits;

	if (!filter) {			/* no filter can express it: rows are searched one by one */
		maker->free(maker);
		return;
	}
	hits = mem_alloc(sizeof(*hits));
	hits->maker = maker;
	hits->matches = matches_new(app->shared.trace, MATCHES_BROWSE);
	hits->handle = matches_add(hits->matches, filter);
	text_add(&hits->key, text_str(key));
	matches_focus(hits->matches, app->shared.at.here.ts);
	matches_use(hits->matches, &hits->handle, 1);
	app->hits = hits;
	app->shared.chosen.hits = hits->matches;
}

/* A plain pattern that has letters and no blank. A number could be part of a time. */
static bool is_word(const char *s)
{
	bool letters = false;

	if (*s == '/')
		return false;
	for (; *s; s++) {
		if (*s == ' ')
			return false;
		letters = letters || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');
	}
	return letters;
}

/* Adds the pattern, the filters and the line format. */
static void make_key(const struct app *app, const struct line_maker *maker, struct text *out)
{
	text_printf(out, "%s\n%s\n", search_pattern_text(app->shared.chosen.pattern),
		    text_str(&maker->key));
	if (filters_hiding(&app->shared.chosen.filters))
		filters_expression(&app->shared.chosen.filters, out);
}

struct matches *hits_of_pattern(struct app *app)
{
	const struct view_lines *lines = app->view ? app->ops->lines : NULL;
	struct line_maker *maker;
	struct text key = { 0 };

	if (!app->shared.chosen.pattern || !app->view) {
		hits_drop(app);
		return NULL;
	}
	if (lines && !lines->maker)
		return NULL;
	maker = lines ? lines->maker(app->view,
				     is_word(search_pattern_text(app->shared.chosen.pattern))) :
			plain_maker(&app->shared);
	make_key(app, maker, &key);
	if (app->hits && !strcmp(text_str(&key), text_str(&app->hits->key))) {
		maker->free(maker);
	} else {
		hits_drop(app);
		begin(app, maker, &key);
	}
	text_fini(&key);
	return app->hits ? app->hits->matches : NULL;
}

/* --- what the screen shows of them ------------------------------------------- */

bool hits_await(const struct app *app)
{
	return app->hits && matches_version(app->hits->matches) != app->hits->seen;
}

void hits_refresh(struct app *app)
{
	/*
	 * Not while a filter is typed: the workers are busy with it, and it changes the rows to
	 * search.
	 */
	if (app->typed && app->typed->filters)
		hits_drop(app);
	else if (!app->job)
		hits_of_pattern(app);
}

void hits_follow(struct app *app)
{
	int64_t now = workers_now_ns();

	if (!hits_await(app) || now - app->hits->looked < HITS_TICK_MS * 1000000LL)
		return;
	app->hits->looked = now;
	app->hits->seen = matches_version(app->hits->matches);
	app->dirty = true;
	if (!app->hits->told && matches_trouble(app->hits->matches)) {
		app->hits->told = true;
		app_error(app, "%s", matches_trouble(app->hits->matches));
	}
}
