/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_counts - events by their fields: of the branch tracer, of mmiotrace, or any (:count); or, of
 * files that are the kernel's histograms, the table of one of them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/shell_words.h"
#include "src/counts/counts.h"
#include "src/filter/filter_value.h"
#include "src/hist/hist.h"
#include "ui/rows/call_scope.h"
#include "ui/table/table.h"
#include "ui/view/nothing_left.h"
#include "ui/view/view.h"

#define MOST_ROWS	65536u		/* their texts are made while the screen waits */

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	unsigned int	 file;
	struct text	 words;		/* of shared->counting, as counted */
	struct call_scope scope;	/* owned */
	struct list_choice list;	/* what is listed: a CPU, an instance */
	struct arena	 names;		/* of the options */
	struct counts_options options;
	struct counts	*counts;	/* owned; NULL: not begun, or filters are not ready */
	const struct counts_result *result;	/* of it; NULL: not yet */
	struct hist_list hists;		/* the kernel's; where there are some, they are shown: */
	unsigned int	 at;		/* this one, */
	struct hist_table columns;	/* with these columns */
	struct table	 table;
	struct table_order order;
};

/* Are they the kernel's histograms, which have no events? */
static bool is_hist(const struct view *v)
{
	return v->hists.nr;
}

static bool has_hists(const struct shared *shared)
{
	bool any = false;

	for (unsigned int i = 0; shared->trace && i < trace_nr_files(shared->trace); i++)
		any |= trace_histograms(shared->trace, i, NULL);
	return any;
}

/* --- counts ---------------------------------------------------------------------------------- */

static uint64_t key_of(const void *owner, uint32_t row)
{
	return ((const struct view *)owner)->result->rows[row].first;
}

static const struct counts_row *here(const struct view *v)
{
	return &v->result->rows[table_row(&v->table, v->table.window.at)];
}

/* Its first event, in Events. */
static void enter(void *owner)
{
	struct view *v = owner;

	host_enter(v->host, VIEW_EVENTS, shared_place(v->shared, here(v)->first));
}

static const struct table_ops counts_ops = {
	.key = key_of,
	.enter = enter,
	.figure_word = "count",
};

static void show_counts(struct view *v)
{
	const struct counts_result *r = v->result;

	v->table.lists[0] = &r->columns;
	v->table.lacks = r->columns.lacks;
	/* The place that was wrong most often, or the most frequent row, is the first. */
	if (!v->order.column)
		v->order.column = table_column_own(&r->columns, v->options.is_branch ?
									COUNTS_WRONG :
									COUNTS_EVENTS);
	v->table.array = r->rows;
	v->table.array_nr = r->nr;
	v->table.whole[0] = r->nr ? r->rows[0].all : 0;
	table_update(&v->table);
	v->table.figure = table_sorted_by(&v->table);
	if (r->unknown)
		host_error(v->host, "%s: no counted event has this field", r->unknown);
}

/* --- histograms ------------------------------------------------------------------------------ */

static struct hist *hist_of(const struct view *v)
{
	return &v->hists.list[v->at];
}

#define ADDRESS_LEN	8u		/* digits, at least */

/* "f [ffffffff81292c84]", not "sys_read [0]" */
static size_t without_address(const char *s)
{
	const char *open = strstr(s, " [");

	return open && strlen(open) > ADDRESS_LEN + 2 ? (size_t)(open - s) : strlen(s);
}

/* @whole: with addresses.  Of a stack, the innermost function is first: "f <- main". */
static void add_cell(const struct view *v, uint32_t row, unsigned int i, bool whole,
		     struct text *out)
{
	const char *s = hist_of(v)->entries[row].cells[i].text ?: TABLE_NONE, *end = s + strlen(s);

	if (!hist_of(v)->columns[i].is_stack) {
		text_printable(out, s, whole ? strlen(s) : without_address(s));
		return;
	}
	while (end) {
		const char *semicolon = memrchr(s, ';', (size_t)(end - s)),
			   *name = semicolon ? semicolon + 1 : s;
		size_t len = (size_t)(end - name), bare = strcspn(name, "+;");

		text_printable(out, name, whole || bare > len ? len : bare);
		text_add(out, semicolon ? " <- " : "");
		end = semicolon;
	}
}

static void add_name(const void *owner, uint32_t row, struct text *out)
{
	const struct view *v = owner;

	add_cell(v, row, v->columns.first, false, out);
}

static void say_none(void *owner)
{
	host_message(((struct view *)owner)->host,
		     "the kernel counted these events, and kept none of them");
}

static const char *title(const void *owner, const struct table_column *column)
{
	return column->title == ((const struct view *)owner)->columns.share_title ? "%" : NULL;
}

static const struct table_ops hist_ops = {
	.name = add_name,
	.title = title,
	.enter = say_none,
	.row_word = "entry",
	.figure_word = "value",
};

/* In the kernel's order if that is by a key; else the largest value first. */
static void show_hist(struct view *v, unsigned int at)
{
	const struct hist *h = &v->hists.list[at];
	unsigned int by;

	v->at = at;
	hist_table_init(&v->columns, hist_of(v), NULL);
	by = hist_table_sorted_by(&v->columns);
	v->order = (struct table_order){ .column = by ? by : h->nr_keys,
					 .inverted = by && by < h->nr_keys &&
						     v->columns.list[by].kind != TABLE_STRING };
	table_fini(&v->table);
	v->table = (struct table){ .ops = &hist_ops, .owner = v, .host = v->host,
				   .shared = v->shared, .orders = &v->order,
				   .lists = { &v->columns.columns }, .array = h->entries,
				   .array_nr = h->nr, .array_bytes = sizeof(struct hist_row),
				   .figure = h->nr_keys, .name_least = 20, .name_most = 60,
				   .ties_stay = true, .row_name = "entry" };
	table_update(&v->table);
}

static void read_hists(struct view *v)
{
	struct text text = { 0 };

	for (unsigned int i = 0; i < trace_nr_files(v->shared->trace); i++) {
		text_clear(&text);
		if (trace_histograms(v->shared->trace, i, &text))
			hist_list_read(&v->hists, &text, i, 0);
	}
	text_fini(&text);
	if (is_hist(v))
		show_hist(v, 0);
}

/* The share and the bar are of the value that rows are sorted by. */
static void follow_order(struct view *v)
{
	unsigned int by = table_sorted_by(&v->table);
	const struct table_column *column = &v->columns.list[by];

	if (by != hist_of(v)->shared && by >= hist_of(v)->nr_keys && column->name &&
	    column->kind != TABLE_STRING)
		hist_table_init(&v->columns, hist_of(v), column->name);
}

/* --- its life -------------------------------------------------------------------------------- */

static void drop(struct view *v)
{
	table_fini(&v->table);
	v->result = NULL;
	counts_free(v->counts);
	v->counts = NULL;
}

static void forget(struct view *v)
{
	drop(v);
	call_scope_drop(&v->scope);
	hist_list_fini(&v->hists);
	v->table = (struct table){ .ops = &counts_ops, .owner = v, .host = v->host,
				   .shared = v->shared, .orders = &v->order,
				   .array_bytes = sizeof(struct counts_row), .name_least = 20,
				   .name_most = 60, .ties_stay = true, .row_name = "row" };
	arena_fini(&v->names);
	v->options = (struct counts_options){ 0 };
	v->order = (struct table_order){ 0 };
	text_clear(&v->words);
}

static struct view *open_view(const struct view_host *host, struct shared *shared)
{
	struct view *v = mem_alloc(sizeof(*v));

	v->host = host;
	v->shared = shared;
	forget(v);
	return v;
}

static void close_view(struct view *v)
{
	forget(v);
	text_fini(&v->words);
	free(v);
}

static void show_file(struct view *v, unsigned int file)
{
	if (file != v->file)
		forget(v);
	v->file = file;
}

static void retrace(struct view *v)
{
	forget(v);
	v->file = 0;
}

/* What is counted: the user's words, else the tracer's table. */
static void choose_options(struct view *v)
{
	const char *words = text_str(&v->shared->counting);

	if (v->options.keys[0] && !strcmp(words, text_str(&v->words)))
		return;
	forget(v);
	text_add(&v->words, words);
	if (!*words || counts_parse(words, &v->names, &v->options, NULL))
		v->options = counts_of_tracer(v->shared->trace, v->file);
}

static void count(struct view *v)
{
	const struct list_choice *list = &v->shared->list;

	/* Names of tasks, and which events there are, are known once all is indexed. */
	if (!v->shared->trace || !trace_status(v->shared->trace).complete)
		return;
	if (has_hists(v->shared)) {
		if (!is_hist(v))
			read_hists(v);
		return;
	}
	if (list->kind >= LIST_INSTANCE)
		show_file(v, list->file);
	choose_options(v);
	if (call_scope_changed(&v->scope, v->shared, true) ||
	    memcmp(list, &v->list, sizeof(*list)) != 0) {
		drop(v);
		call_scope_take(&v->scope, v->shared, true);
		v->list = *list;
	}
	if (!v->counts && call_scope_is_ready(&v->scope, v->shared->trace)) {
		v->options.most_rows = MOST_ROWS;
		v->options.events = call_scope_sweep(&v->scope, v->file);
		v->options.events.streams = v->shared->streams;
		v->counts = counts_new(v->shared->trace, &v->options);
	}
	if (v->result || !v->counts)
		return;
	v->result = counts_result(v->counts, false);
	if (v->result)
		show_counts(v);
}

static bool waits(struct view *v)
{
	return !is_hist(v) && !v->result;
}

/* --- a row as a filter ----------------------------------------------------------------------- */

/* "prev_state == S" */
static bool add_field_term(const struct view *v, const struct trace_event *event, const char *key,
			   struct text *out)
{
	enum filter_value_form form = FILTER_ASKS_NOTHING;
	uint64_t mask = counts_mask(event->type, key);
	struct trace_field_value *fields;
	unsigned int nr = trace_event_fields(v->shared->trace, event, &fields);
	struct text value = { 0 };

	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(fields[i].name, key))
			form = filter_value_ask(v->shared->trace, event, key,
						text_str(&fields[i].raw),
						text_str(&fields[i].printed), &value);
	trace_fields_free(fields, nr);
	if (form == FILTER_ASKS_VALUE)
		text_printf(out, mask ? "%s & 0x%" PRIx64 " == " : "%s == ", key, mask);
	if (mask)
		text_u64(out, strtoull(text_str(&value), NULL, 0) & mask);
	else
		text_add(out, text_str(&value));
	text_fini(&value);
	return form != FILTER_ASKS_NOTHING;
}

/*
 * "(sched_switch: prev_comm == sh && prev_state == S) && cpu == 1".  With the event before it, the
 * name of a field is not taken for that of something else: file, comm.
 */
static bool add_terms(const struct view *v, const struct trace_event *event, struct text *out)
{
	struct text own = { 0 }, fields = { 0 };
	bool of_event = v->options.event, can = true;

	for (unsigned int k = 0; k < COUNTS_FIELDS && v->options.keys[k] && can; k++) {
		const char *key = v->options.keys[k];

		if (!strcmp(key, "event")) {
			of_event = true;
		} else if (!strcmp(key, "pid") || !strcmp(key, "cpu") || !strcmp(key, "comm")) {
			text_printf(&own, " && %s == ", key);
			filter_value_quote(here(v)->keys[k], &own);
		} else {
			text_add(&fields, fields.len ? " && " : "");
			can = add_field_term(v, event, key, &fields);
		}
	}
	if (of_event && fields.len)
		text_printf(out, "(%s: %s)", trace_event_name(event), text_str(&fields));
	else
		text_add(out, of_event ? trace_event_name(event) : text_str(&fields));
	if (own.len)
		text_add(out, out->len ? text_str(&own) : text_str(&own) + strlen(" && "));
	text_fini(&fields);
	text_fini(&own);
	return can;
}

static void filter_by_row(struct view *v, bool without)
{
	struct text term = { 0 };
	struct trace_event event;

	if (trace_event_at(v->shared->trace, here(v)->first, &event) && add_terms(v, &event, &term))
		host_filter_by(v->host, NULL, text_str(&term), without);
	else
		host_message(v->host, "a filter cannot express this row's values");
	text_fini(&term);
}

/* --- requests -------------------------------------------------------------------------------- */

static void next_hist(struct view *v, unsigned int step)
{
	if (v->hists.nr > 1)
		show_hist(v, (v->at + step) % v->hists.nr);
	else
		host_message(v->host, "there is one histogram");
}

static bool request(struct view *v, enum request request, char letter)
{
	if (is_hist(v) && (request == REQ_NEXT_LIST || request == REQ_PREV_LIST)) {
		next_hist(v, request == REQ_NEXT_LIST ? 1 : v->hists.nr - 1);
		return true;
	}
	if (!v->table.nr)
		return false;
	if (request != REQ_ONLY && request != REQ_WITHOUT)
		return table_request(&v->table, request, letter);
	if (is_hist(v))
		say_none(v);
	else if (strchr("ixv", letter))
		filter_by_row(v, request == REQ_WITHOUT);
	else
		host_message(v->host, "here: i the values of the row");
	return true;
}

/* --- words ----------------------------------------------------------------------------------- */

/* "sched_switch by prev_comm, prev_state   filter on" */
static void add_heading(const struct view *v, struct text *out)
{
	const struct counts_options *o = &v->options;

	shared_of_file(v->shared, v->file, false, out);
	if (o->keys[0])
		text_printf(out, "%s by ", o->event ? o->event : "events");
	for (unsigned int k = 0; k < COUNTS_FIELDS && o->keys[k]; k++)
		text_printf(out, "%s%s", k ? ", " : "", o->keys[k]);
	if (v->list.kind != LIST_ALL) {
		text_add(out, "   of ");
		shared_list_name(v->shared, out);
	}
	call_scope_add_range(&v->scope, v->shared, false, false, out);
	call_scope_add_filter(&v->scope, false, out);
}

/* "1 of 2   331 hits, 31 entries, 0 dropped   hist:keys=…" */
static void add_hist_heading(const struct view *v, struct text *out)
{
	const struct hist *h = hist_of(v);

	if (v->hists.nr > 1)
		text_printf(out, "%u of %u   ", v->at + 1, v->hists.nr);
	shared_of_file(v->shared, h->file, false, out);
	hist_totals(h, out);
	text_add(out, "   ");
	text_printable(out, h->trigger, strlen(h->trigger));
}

static void draw_nothing(struct view *v, const struct view_area *area, bool narrow)
{
	const char *event = v->options.event;
	struct canvas *c = area->canvas;

	if (narrow && v->result && (!event || trace_has_event(v->shared->trace, v->file, event)))
		nothing_left_draw(v->shared, c, area->top + 2, c->rows, "No such event is left.",
				  NULL);
	else
		nothing_draw(c, area->top + 2,
			     is_hist(v) ? "The kernel has counted nothing." :
			     !v->result ? "Reading …" :
					  "No such events. Try :count EVENT by FIELD.");
}

static void draw(struct view *v, const struct view_area *area)
{
	bool narrow = call_scope_is_limited(&v->scope);
	struct text heading = { 0 };

	if (is_hist(v)) {
		follow_order(v);
		add_hist_heading(v, &heading);
	} else {
		if (!v->result)
			text_printf(&heading, "~ %u %%   ",
				    v->counts ? event_sweep_permille(counts_sweep(v->counts)) / 10 :
						0);
		add_heading(v, &heading);
	}
	canvas_fit(area->canvas, area->top, 1, area->canvas->cols - 2,
		   narrow && !is_hist(v) ? ROLE_RANGE : ROLE_HEADING, text_str(&heading));
	text_fini(&heading);
	if (v->table.nr)
		table_draw(&v->table, area->canvas, area->top + 1, area->rows - 1);
	else
		draw_nothing(v, area, narrow);
}

static void say_count(uint64_t nr, const char *words, struct text *out)
{
	text_count(out, nr);
	text_add(out, words);
}

static void say_row(struct view *v, struct text *out)
{
	struct trace_status status = trace_status(v->shared->trace);
	uint64_t events = here(v)->events;

	say_count(events, events == 1 ? " event" : " events", out);
	text_add(out, " with these values. Enter shows the first one; i i filters by them. ");
	if (v->result->beyond)
		say_count(v->result->beyond, " events have yet other values and are in no row. ",
			  out);
	if (status.lost_events || status.lost_unknown)
		text_add(out, "Lost events are in no count. ");
	if (v->result->lacking)
		say_count(v->result->lacking, " events do not have all fields and are not counted.",
			  out);
}

static void say_entry(const struct view *v, struct text *out)
{
	const struct hist *h = hist_of(v);

	for (unsigned int i = 0; i < h->nr_columns; i++) {
		text_printf(out, "%s%s ", i ? ", " : "", h->columns[i].title);
		add_cell(v, table_row(&v->table, v->table.window.at), i, true, out);
	}
	if (h->bad)
		text_printf(out, ". %" PRIu64 " lines are not understood", h->bad);
	text_add(out, ". ");
	text_printable(out, h->trigger, strlen(h->trigger));
}

static void say(struct view *v, struct text *heading, struct text *words)
{
	text_add(heading, is_hist(v) ? "entry" : "count");
	if (is_hist(v))
		say_entry(v, words);
	else
		say_row(v, words);
}

static void add_names(const char *option, const char *const *names, unsigned int most,
		      struct text *out)
{
	struct text list = { 0 };

	for (unsigned int i = 0; i < most && names[i]; i++)
		text_printf(&list, "%s%s", i ? "," : "", names[i]);
	if (list.len) {
		text_add(out, option);
		shell_words_quote(out, text_str(&list));
	}
	text_fini(&list);
}

static void command(struct view *v, struct text *out)
{
	const struct counts_options *o = &v->options;
	const char *sort;

	if (is_hist(v)) {
		sort = v->columns.list[table_sorted_by(&v->table)].name;
		text_printf(out, "hist --number=%u", hist_of(v)->number);
		if (sort && v->table.nr)
			text_printf(out, " --sort='%s'", sort);
		return;
	}
	text_add(out, "count");
	if (!v->shared->counting.len)
		return;
	add_names(" --event ", &o->event, 1, out);
	add_names(" --by ", o->keys, COUNTS_FIELDS, out);
	add_names(" --sum ", o->sums, COUNTS_FIELDS, out);
}

static void save(struct view *v, struct text *out)
{
	if (v->shared->counting.len)
		text_printf(out, "counting %s\n", text_str(&v->shared->counting));
}

static void restore(struct view *v, const char *key, const char *value)
{
	if (strcmp(key, "counting") != 0)
		return;
	text_clear(&v->shared->counting);
	text_add(&v->shared->counting, value);
}

static bool can(struct view *v, enum request request)
{
	if (request == REQ_NEXT_LIST)
		return v->hists.nr > 1;
	if (is_hist(v))
		return request != REQ_ENTER && request != REQ_ONLY && request != REQ_FILTER &&
		       request != REQ_RANGE;
	return v->table.nr;
}

static const enum request row_requests[] = { REQ_ENTER,     REQ_SORT,        REQ_SIDE_RIGHT,
					     REQ_SIDE_LEFT, REQ_SORT_INVERT, REQ_ONLY,
					     REQ_COPY,      REQ_NONE };

static const enum request bar[] = { REQ_ENTER,  REQ_NEXT_LIST, REQ_SORT,  REQ_SEARCH,
				    REQ_ONLY,   REQ_FILTER,    REQ_RANGE, REQ_HELP,
				    REQ_DETAIL, REQ_OPTIONS,   REQ_NONE };

static const struct view_word words[] = {
	{ REQ_ENTER, "Event", "show the first event of the row; q returns" },
	{ REQ_SEARCH, NULL, "find text or /regex/ in the values" },
	{ REQ_ONLY, "Only", "filter: only events with the values of the row" },
	{ REQ_WITHOUT, NULL, "filter: without the events of the row" },
	{ REQ_NEXT_LIST, "Next", "of several histograms, show the next one" },
	{ REQ_RANGE, "Range", NULL },
	{ REQ_NONE, NULL, NULL },
};

static const struct view_keys view_keys = {
	.hint = "New here: s sorts; :count EVENT by FIELD,FIELD counts other events",
	.bar = bar,
	.row = row_requests,
	.words = words,
	.can = can,
};

static struct table *table(struct view *v)
{
	return v->table.nr ? &v->table : NULL;
}

static bool applies(const struct shared *shared)
{
	bool any = (shared->trace && shared->counting.len) || has_hists(shared);

	for (unsigned int f = 0; shared->trace && f < trace_nr_files(shared->trace) && !any; f++)
		any = counts_of_tracer(shared->trace, f).event;
	return any;
}

const struct view_ops view_counts_ops = {
	.open = open_view,
	.close = close_view,
	.applies = applies,
	.draw = draw,
	.request = request,
	.show_file = show_file,
	.retrace = retrace,
	.keys = &view_keys,
	.detail = &(const struct view_detail){ .say = say },
	.table = table,
	.kept = &(const struct view_kept){ .save = save, .restore = restore },
	.commands = &(const struct view_commands){ .whole_trace = true, .command = command },
	.work = &(const struct view_work){ .take = count, .waits = waits },
};
