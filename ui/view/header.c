/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/header.h"
#include "ui/rows/slow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/trace/trace_latency.h"
#include "src/base/memory.h"
#include "src/base/shorten.h"
#include "src/base/workers.h"

/* Parts of the header, from left to right. */
enum part { PART_PATH, PART_KERNEL, PART_CLOCK, PART_CPUS, PART_SPAN, PART_OFFSET, PART_EVENTS,
	    PART_FILTER, PART_LOST, PART_DAMAGED, PART_LIST,
	    PART_RANGE, PART_REC, PART_INDEX, NR_PARTS };

#define BEHIND_S	3	/* seconds that are worth a word */

static const enum part drop_order[] = { PART_KERNEL, PART_CLOCK, PART_CPUS, PART_SPAN };

struct header {
	struct text	parts[NR_PARTS];
	struct text	right;
};

static uint64_t rounded(uint64_t v)
{
	uint64_t unit = 1;

	while (v / unit >= 1000)
		unit *= 10;
	return (v + unit / 2) / unit * unit;
}

static void add_span(const struct shared *shared, struct text *out)
{
	int64_t span = time_between(shared->at.first, shared->at.last);

	if (!shared->at.has_span)
		return;
	if (trace_has_dropped(shared->trace))
		text_add(out, "kept ");
	if (trace_is_untimed(shared->trace, -1)) {
		text_add(out, "durations, no times");
	} else if (trace_unit(shared->trace) == TRACE_UNIT_COUNT) {
		text_count(out, span);
		text_add(out, " ticks");
	} else if (span < 1000000) {
		shared_span(shared, span, out);
	} else {
		int64_t ms = time_after(span, 500000) / 1000000;

		text_count(out, ms / 1000);
		text_printf(out, ".%03" PRId64 " s", ms % 1000);
	}
}

/* What a ring holds now. */
static void add_bytes(const struct shared *shared, struct text *out)
{
	uint64_t bytes = 0;

	if (!out->len || !trace_has_dropped(shared->trace))
		return;
	for (unsigned int i = 0; i < trace_nr_streams(shared->trace); i++)
		bytes += trace_stream_info(shared->trace, i).bytes;
	if (bytes < 10000000)
		text_printf(out, ", %.1f MB", (double)bytes / 1e6);
	else
		text_printf(out, ", %.0f MB", (double)bytes / 1e6);
}

/* The rows of a recording end some time ago: the recorder, or what counts rows, is slow. */
static void add_behind(const struct shared *shared, struct text *out)
{
	int64_t s = (workers_now_ns() - shared->growth.grew_at) / 1000000000;

	if (trace_grows(shared->trace) && s >= BEHIND_S)
		text_printf(out, "%s%" PRId64 " s behind", out->len ? "  " : "", s);
}

/* Several files: their short distinct names, if they fit. */
static void add_files(const struct shared *shared, int cols, struct text *out)
{
	unsigned int nr = trace_nr_files(shared->trace), i;
	struct text name = { 0 };

	for (i = 0; i < nr; i++) {
		text_clear(&name);
		shared_file_name(shared, i, &name);
		if (i && canvas_width(text_str(out), out->len) +
					 canvas_width(text_str(&name), name.len) + 3 >
				 cols / 3)
			break;
		text_printf(out, "%s%s", i ? " + " : "", text_str(&name));
	}
	if (i < nr)
		text_printf(out, " +%u", nr - i);
	text_fini(&name);
}

static void add_path(const struct shared *shared, int cols, struct text *out)
{
	const char *path = trace_path(shared->trace, 0), *base = strrchr(path, '/'), *folder = base;

	/* Too long: the last folder and the name, else only the name. */
	while (folder && folder > path && folder[-1] != '/')
		folder--;
	if (base && (int)strlen(path) > cols / 3)
		path = (int)strlen(folder) <= cols / 4 ? folder : base + 1;
	text_printable(out, path, strlen(path));
}

static void add_events(struct text *out, const struct trace_status *status)
{
	if (!status->complete)
		text_char(out, '~');
	text_count(out, status->complete ? status->events : rounded(status->events));
	text_add(out, status->events == 1 ? " event" : " events");
}

static void fill_state(struct header *h, const struct shared *shared,
		       const struct trace_status *status)
{
	struct text *lost = &h->parts[PART_LOST];

	if (filters_active(&shared->chosen.filters)) {
		filters_count(&shared->chosen.filters, &h->parts[PART_FILTER]);
	} else {
		if (!shared_has_no_events(shared))
			add_events(&h->parts[PART_EVENTS], status);
		if (shared->chosen.filters.nr)
			text_add(&h->parts[PART_FILTER], "filter off");
	}
	if (status->lost_events) {
		text_count(lost, status->lost_events);
		text_add(lost, status->lost_unknown ? "+ lost!" : " lost!");
	} else if (status->lost_unknown) {
		text_add(lost, trace_is_thinned(shared->trace, -1) ? "cut!" : "lost!");
	}
	if (status->damaged_pages || shared_is_damaged(shared))
		text_add(&h->parts[PART_DAMAGED], "damaged!");
	shared_list_name(shared, &h->parts[PART_LIST]);
	if (shared->at.places.range.set)
		text_add(&h->parts[PART_RANGE], "range");
	if (!status->complete)
		text_printf(&h->parts[PART_INDEX], "%u %%", status->permille / 10);
}

static void fill_right(struct header *h, const struct shared *shared,
		       const struct trace_status *status)
{
	struct trace_event event, exit;
	uint64_t row, seen;
	bool exact;

	if (shared->chosen.threshold && shared->has_calls) {
		slow_text(shared, &h->right);
		text_add(&h->right, "  ");
	}
	if (!shared->at.here.set || shared->at.here.ref == TRACE_REF_NONE)
		return;
	row = trace_rank_events(shared->trace, shared->at.here.ref, &exact) + 1;
	if (row > status->events && exact)	/* lost events after the last one */
		row = status->events;
	text_add(&h->right, exact ? "row " : "row ~");
	text_count(&h->right, exact ? row : rounded(row));
	/* A leaf call's row has its exit, too. */
	seen = row + (trace_event_at(shared->trace, shared->at.here.ref, &event) &&
		      leaf_calls_exit(shared->leaves, &event, &exit));
	if (status->events)
		text_printf(&h->right, "  %2" PRIu64 " %%",
			    seen >= status->events ? 100 : seen * 100 / status->events);
}

static int left_width(const struct header *h)
{
	int width = 1;

	for (int i = 0; i < NR_PARTS; i++)
		if (h->parts[i].len)
			width += canvas_width(text_str(&h->parts[i]), h->parts[i].len) + 2;
	return width;
}

static void drop_what_does_not_fit(struct header *h, int cols)
{
	int right = canvas_width(text_str(&h->right), h->right.len) + 1, room = cols - right;
	struct text cut = { 0 };
	int over;

	for (size_t i = 0; i < sizeof(drop_order) / sizeof(drop_order[0]) && left_width(h) > room;
	     i++)
		text_clear(&h->parts[drop_order[i]]);
	over = left_width(h) - room;
	if (over > 0) {
		int width = canvas_width(text_str(&h->parts[PART_PATH]), h->parts[PART_PATH].len) -
			    over;

		if (width < 5)		/* then there is no room for what is on the right */
			width += right;
		shorten_middle(text_str(&h->parts[PART_PATH]), width < 5 ? 5 : width, &cut);
		text_clear(&h->parts[PART_PATH]);
		text_add(&h->parts[PART_PATH], text_str(&cut));
		text_fini(&cut);
	}
}

void header_draw(struct canvas *canvas, int row, const struct shared *shared, const char *end)
{
	struct trace_status status = trace_status(shared->trace);
	struct header h = { 0 };
	int col = 1, right;

	if (trace_nr_files(shared->trace) > 1)
		add_files(shared, canvas->cols, &h.parts[PART_PATH]);
	else
		add_path(shared, canvas->cols, &h.parts[PART_PATH]);
	text_printable(&h.parts[PART_KERNEL], trace_kernel(shared->trace),
		       strlen(trace_kernel(shared->trace)));
	if (!trace_is_untimed(shared->trace, -1))
		text_printable(&h.parts[PART_CLOCK], trace_clock(shared->trace),
			       strlen(trace_clock(shared->trace)));
	if (h.parts[PART_CLOCK].len)
		text_add(&h.parts[PART_CLOCK], " clock");
	/* a latency tracer's text tells it below */
	if (!trace_text_header(shared->trace) && !shared_has_no_events(shared))
		text_printf(&h.parts[PART_CPUS], "%u CPU%s", trace_nr_cpus(shared->trace),
			    PLURAL(trace_nr_cpus(shared->trace)));
	add_span(shared, &h.parts[PART_SPAN]);
	add_bytes(shared, &h.parts[PART_SPAN]);
	shared_offsets(shared, &h.parts[PART_OFFSET]);
	fill_state(&h, shared, &status);
	text_add(&h.parts[PART_REC], text_str(&shared->recording));
	add_behind(shared, &h.parts[PART_REC]);
	if (trace_pipe(shared->trace) != TRACE_PIPE_NONE)
		text_printf(&h.parts[PART_REC], "%sstill reading",
			    h.parts[PART_REC].len ? "  " : "");
	if (end)
		text_add(&h.right, end);
	else
		fill_right(&h, shared, &status);
	right = canvas_width(text_str(&h.right), h.right.len);
	drop_what_does_not_fit(&h, canvas->cols);
	for (int i = 0; i < NR_PARTS; i++) {
		enum role role = i == PART_LOST || i == PART_DAMAGED || i == PART_REC ?
					 ROLE_HEADER_WARN :
				 i == PART_RANGE || i == PART_LIST || i == PART_FILTER ||
						 i == PART_OFFSET ?
					 ROLE_RANGE :
				 i == PART_PATH || i == PART_EVENTS ? ROLE_HEADER :
								      ROLE_DIM;

		if (h.parts[i].len)
			col += canvas_text(canvas, row, col, canvas->cols - col, role,
					   text_str(&h.parts[i])) +
			       2;
		text_fini(&h.parts[i]);
	}
	if (col + right <= canvas->cols)
		canvas_text(canvas, row, canvas->cols - 1 - right, right, ROLE_HEADER,
			    text_str(&h.right));
	text_fini(&h.right);
}

#define DELTA_CELLS	14		/* "  Δ  −93.43 µs" */
#define COUNT_CELLS	18		/* "  123 of 23 531" has other digits at each hit */

/*
 * Views without a key, the kernel's text, and views without data in this trace have a tab only
 * while they are shown.  That of Tasks is the one of Now, too.
 */
static bool has_tab(const struct shared *shared, const struct view_ops *const *views, int id,
		    enum view_id current)
{
	if (!views[id] || id != (int)view_whole(id))
		return false;
	if (id == (int)view_whole(current))
		return true;
	if (shared_has_no_events(shared))
		return id == VIEW_COUNTS;
	return view_has_key((enum view_id)id) &&
	       (!views[id]->applies || views[id]->applies(views[id], shared));
}

enum tabs { TABS_WHOLE, TABS_SHORT, TABS_DIGITS };

/* "[1 Events]"; of other views " 5 Functions ", " 5 Func" or " 5 ". */
static void tab_text(enum view_id id, bool current, enum tabs tabs, struct text *out)
{
	bool has_key = view_key(id) < 'a';

	text_clear(out);
	text_printf(out, "%s%s", current && tabs == TABS_SHORT && id ? " " : "",
		    current ? "[" : " ");
	if (current)
		view_label(id, view_title(id), out);
	else if (tabs == TABS_WHOLE)
		view_label(id, view_title(id), out);
	else
		view_label(id, tabs == TABS_DIGITS && has_key ? "" : view_tab(id), out);
	text_add(out, current ? "]" : tabs == TABS_WHOLE ? " " : "");
}

static int tabs_width(const struct shared *shared, const struct view_ops *const *views,
		      enum view_id current, enum tabs tabs)
{
	struct text t = { 0 };
	int width = 0;

	for (int id = 0; id < NR_VIEWS; id++) {
		if (!has_tab(shared, views, id, current))
			continue;
		tab_text(id, id == (int)view_whole(current), tabs, &t);
		width += canvas_width(text_str(&t), t.len);
	}
	text_fini(&t);
	return width;
}

/* "filter pid == 74", "Filter from last session (off; F turns it on): pid == 74", or nothing. */
static void filter_words(const struct shared *shared, bool brief, struct text *out)
{
	text_clear(out);
	if (filters_active(&shared->chosen.filters))
		text_add(out, shared->chosen.filters.dim ? "dims " : "filter ");
	else if (shared->chosen.filters.of_last_time)
		text_add(out, brief ? "F last filter: " :
				      "Filter from last session (off; F turns it on): ");
	else
		return;
	filters_text(&shared->chosen.filters, out);
}

static int delta_cells(const struct shared *shared)
{
	int64_t delta;

	return shared->at.here.set && places_delta(&shared->at.places, shared->at.here.ts, &delta) ?
		       DELTA_CELLS :
		       0;
}

/* Names become short before the delta has no room. */
static enum tabs find_tabs(const struct shared *shared, int cols,
			   const struct view_ops *const *views, enum view_id current)
{
	int cells = cols - delta_cells(shared);

	return tabs_width(shared, views, current, TABS_WHOLE) <= cells ? TABS_WHOLE :
	       tabs_width(shared, views, current, TABS_SHORT) <= cells ? TABS_SHORT :
									 TABS_DIGITS;
}

enum view_id header_tab_at(const struct shared *shared, int cols,
			   const struct view_ops *const *views, enum view_id current, int col)
{
	enum tabs tabs = find_tabs(shared, cols, views, current);
	enum view_id found = NR_VIEWS;
	struct text t = { 0 };

	for (int id = 0, from = 0; id < NR_VIEWS; id++) {
		if (!has_tab(shared, views, id, current))
			continue;
		tab_text(id, id == (int)view_whole(current), tabs, &t);
		if (col >= from && col < from + canvas_width(text_str(&t), t.len))
			found = id;
		from += canvas_width(text_str(&t), t.len);
	}
	text_fini(&t);
	return found;
}

static bool shows_search(const struct shared *shared, const struct view_ops *ops)
{
	return shared->chosen.pattern && (view_has_find(ops) || !shared->chosen.pattern_of_list);
}

/* "search foo  3 of 217", else "/foo  3 of 217": if there is no room, the pattern is cut. */
static void add_search(const struct shared *shared, const struct view_ops *ops, int cells,
		       struct text *out)
{
	struct text count = { 0 }, words = { 0 };

	if (shows_search(shared, ops)) {
		if (!shared->chosen.pattern_of_list)
			shared_hit_count(shared, &count);
		cells -= count.len ? (int)count.len + 2 : 0;
		text_printf(&words, "search %s", search_pattern_text(shared->chosen.pattern));
		if (canvas_width(text_str(&words), words.len) > cells) {
			text_clear(&words);
			text_printf(&words, "/%s", search_pattern_text(shared->chosen.pattern));
		}
		shorten_end(text_str(&words), cells, out);
		text_printf(out, "%s%s", count.len ? "  " : "", text_str(&count));
	}
	text_fini(&words);
	text_fini(&count);
}

/* Cells of filter and search with nothing cut, and the blanks before them; 0: there is neither. */
static int words_cells(const struct shared *shared, const struct view_ops *ops)
{
	struct text t = { 0 };
	int cells;

	filter_words(shared, true, &t);
	cells = t.len ? canvas_width(text_str(&t), t.len) + 2 : 0;
	if (shows_search(shared, ops)) {
		text_clear(&t);
		text_printf(&t, "  search %s", search_pattern_text(shared->chosen.pattern));
		cells += canvas_width(text_str(&t), t.len) + COUNT_CELLS;
	}
	text_fini(&t);
	return cells;
}

int header_tabs_rows(const struct shared *shared, int cols, const struct view_ops *const *views,
		     enum view_id current)
{
	enum tabs tabs = find_tabs(shared, cols, views, current);
	int words = words_cells(shared, views[current]);
	int rest = cols - tabs_width(shared, views, current, tabs) - delta_cells(shared);

	return words && words >= rest ? 2 : 1;
}

/* The filter, and behind it the search, between two columns. */
static void draw_words(struct canvas *canvas, int row, int col, int end,
		       const struct shared *shared, const struct view_ops *ops)
{
	struct text t = { 0 }, search = { 0 };
	int half = (end - col) / 2, width;

	filter_words(shared, false, &t);
	if (canvas_width(text_str(&t), t.len) > end - col)
		filter_words(shared, true, &t);
	width = t.len ? canvas_width(text_str(&t), t.len) + 2 : 0;
	add_search(shared, ops, end - col - (width < half ? width : half), &search);
	if (t.len) {
		int cells = search.len ? canvas_width(text_str(&search), search.len) + 2 : 0;

		col += canvas_fit(canvas, row, col, end - col - (cells < half ? cells : half),
				  filters_active(&shared->chosen.filters) ? ROLE_RANGE :
									    ROLE_PROMPT_HINT,
				  text_str(&t)) +
		       2;
	}
	if (search.len)
		canvas_fit(canvas, row, col, end - col, ROLE_PROMPT_HINT, text_str(&search));
	text_fini(&search);
	text_fini(&t);
}

void header_draw_tabs(struct canvas *canvas, int row, int rows, const struct shared *shared,
		      const struct view_ops *const *views, enum view_id current)
{
	enum tabs tabs = find_tabs(shared, canvas->cols, views, current);
	struct text t = { 0 };
	int col = 0, width;
	int64_t delta;

	for (int id = 0; id < NR_VIEWS; id++) {
		if (!has_tab(shared, views, id, current))
			continue;
		tab_text(id, id == (int)view_whole(current), tabs, &t);
		col += canvas_text(canvas, row, col, canvas->cols - col,
				   id == (int)view_whole(current) ? ROLE_TAB_CURRENT : ROLE_TAB,
				   text_str(&t));
	}
	if (rows > 1)
		draw_words(canvas, row + 1, 1, canvas->cols - 1, shared, views[current]);
	else
		draw_words(canvas, row, col + 2, canvas->cols - 1 - delta_cells(shared), shared,
			   views[current]);
	if (delta_cells(shared) && places_delta(&shared->at.places, shared->at.here.ts, &delta)) {
		text_clear(&t);
		text_add(&t, "Δ ");
		if (delta >= 0)
			text_add(&t, "  ");
		else
			text_char(&t, ' ');
		shared_duration(shared, delta, &t);
		width = canvas_width(text_str(&t), t.len);
		canvas_text(canvas, row, canvas->cols - 1 - width, width, ROLE_MARK, text_str(&t));
	}
	text_fini(&t);
}

/* --- overview ------------------------------------------------------------ */

static int column_of(const struct shared *shared, int cols, int64_t ts)
{
	double span = (double)time_between(shared->at.first, shared->at.last), col;

	if (span <= 0)
		return 0;
	col = (double)time_between(shared->at.first, ts) / span * cols;
	return col < 0 ? 0 : col >= cols ? cols - 1 : (int)col;
}

int64_t overview_time(const struct shared *shared, int cols, int col)
{
	int width = cols - 2;

	col = col < 1 ? 0 : col > width ? width : col - 1;
	return time_after(shared->at.first,
			  (int64_t)((double)time_between(shared->at.first, shared->at.last) * col /
				    width));
}

/* By the square root: quiet parts stay visible next to busy ones. */
static const char *level_glyph(uint64_t events, uint64_t most)
{
	static const char *const glyphs[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	int level;

	if (!events || !most)
		return " ";
	level = (int)lround(8 * sqrt((double)events / (double)most));
	return glyphs[level < 1 ? 1 : level > 8 ? 8 : level];
}

static void draw_second(struct canvas *canvas, int row, const struct shared *shared,
			const uint64_t *hits)
{
	int cols = canvas->cols - 2;

	if (shared->at.places.range.set) {
		int left = column_of(shared, cols, shared->at.places.range.from);

		canvas_fill(canvas, row, 1 + left,
			    column_of(shared, cols, shared->at.places.range.to) - left + 1,
			    ROLE_RANGE, "─");
	}
	for (int i = 0; hits && i < cols; i++)
		if (hits[i])
			canvas_text(canvas, row, 1 + i, 1, ROLE_MATCH, "╵");
	for (unsigned int i = 0; i < shared->at.places.nr_notes; i++)
		canvas_text(canvas, row,
			    1 + column_of(shared, cols, shared->at.places.notes[i].place.ts), 1,
			    ROLE_NOTE, "\"");
	for (char letter = 'z'; letter >= 'a'; letter--) {
		const struct place *place = places_get(&shared->at.places, letter);
		char s[2] = { letter <= 'b' ? letter - 'a' + 'A' : letter, '\0' };

		if (place)
			canvas_text(canvas, row, 1 + column_of(shared, cols, place->ts), 1,
				    ROLE_MARK, s);
	}
}

/* Replaces counts of all events by those that filters keep; lost and damaged parts stay. */
static void replace_by_matches(const struct shared *shared, int cols, struct trace_bin *bins)
{
	uint64_t *hits = mem_array(cols, sizeof(*hits));

	matches_density(shared->chosen.filters.matches, shared->at.first,
			time_after(shared->at.last, 1), cols, hits);
	for (int i = 0; i < cols; i++)
		bins[i].events = hits[i];
	free(hits);
}

/* Hits of a search per column, owned by the caller; NULL: no search. */
static uint64_t *search_hits(const struct shared *shared, int cols)
{
	uint64_t *hits;

	if (!shared->chosen.hits)
		return NULL;
	hits = mem_array(cols, sizeof(*hits));
	matches_density(shared->chosen.hits, shared->at.first, time_after(shared->at.last, 1), cols,
			hits);
	return hits;
}

static void draw_window(struct canvas *canvas, int row, int rows, const struct shared *shared,
			const uint64_t *hits)
{
	int cols = canvas->cols - 2;
	int from = column_of(shared, cols, shared->at.window_from),
	    to = column_of(shared, cols, shared->at.window_to);

	canvas_over(canvas, row, 1 + from, to - from + 1, ROLE_OVERVIEW_WINDOW);
	canvas_text(canvas, row, from, 1, ROLE_OVERVIEW_WINDOW, "[");
	canvas_text(canvas, row, 2 + to, 1, ROLE_OVERVIEW_WINDOW, "]");
	if (rows > 1)
		draw_second(canvas, row + 1, shared, hits);
}

bool overview_has_more(const struct shared *shared)
{
	bool more = shared->at.places.range.set || shared->at.places.nr_notes ||
		    shared->chosen.hits;

	for (char letter = 'a'; letter <= 'z' && !more; letter++)
		more = places_get(&shared->at.places, letter);
	return more;
}

/*
 * Where the overview ends.  While the trace grows, that moves by half a column at a time, so that
 * not every step counts the whole directory again.
 */
static int64_t overview_end(const struct shared *shared, int cols)
{
	int64_t end = time_after(shared->at.last, 1), span = time_between(shared->at.first, end),
		step = 1;

	while (trace_grows(shared->trace) && step <= span / cols / 2)
		step *= 2;
	return time_after(end, -(span % step));
}

void overview_draw(struct canvas *canvas, int row, int rows, const struct shared *shared)
{
	int cols = canvas->cols - 2;
	uint64_t *hits;
	struct trace_bin *bins;
	uint64_t most = 0;

	if (!shared->at.has_span || cols < 8)
		return;
	bins = mem_array(cols, sizeof(*bins));
	trace_density(shared->trace, shared->at.first, overview_end(shared, cols), cols, bins);
	if (filters_active(&shared->chosen.filters))
		replace_by_matches(shared, cols, bins);
	for (int i = 0; i < cols; i++)
		if (bins[i].events > most)
			most = bins[i].events;
	for (int i = 0; i < cols; i++) {
		if (bins[i].damaged)
			canvas_text(canvas, row, 1 + i, 1, ROLE_DAMAGE, "!");
		else if (bins[i].lost)
			canvas_text(canvas, row, 1 + i, 1, ROLE_LOST, "░");
		else
			canvas_text(canvas, row, 1 + i, 1, ROLE_OVERVIEW,
				    level_glyph(bins[i].events, most));
	}
	free(bins);
	hits = search_hits(shared, cols);
	for (int i = 0; hits && i < cols; i++)
		if (hits[i])
			canvas_over(canvas, row, 1 + i, 1, ROLE_MATCH);
	if (shared->at.here.set)
		draw_window(canvas, row, rows, shared, hits);
	free(hits);
}
