/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_counts - events by their fields: of the branch tracer, of mmiotrace, or any (:count). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/shell_words.h"
#include "src/counts/counts.h"
#include "src/filter/filter_value.h"
#include "ui/counts/hist_form.h"
#include "ui/rows/call_scope.h"
#include "ui/rows/matching.h"
#include "ui/table/table.h"
#include "ui/view/nothing_left.h"
#include "ui/view/view.h"

#define MOST_ROWS	65536u		/* their texts are made while the screen waits */

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	unsigned int	 file;
	struct text	 words;		/* of shared->counting, as counted */
	struct text	 key;		/* of filters and range */
	struct graph_scope scope;	/* owned filters */
	struct list_choice list;	/* what is listed: a CPU, an instance */
	bool		*streams;	/* owned: the same for the sweep; NULL: all */
	struct arena	 names;		/* of the options */
	struct counts_options options;
	struct counts	*counts;	/* owned; NULL: not begun, or filters are not ready */
	const struct counts_row *rows;	/* [nr] of counts, once it is done */
	uint32_t	 nr;
	bool		 done;
	struct table	 table;
	struct table_order order;
	struct hist_form hists;		/* where there are some, they are shown */
};

/* Are they of the kernel's histograms, which have no events? */
static bool is_hist(const struct view *v)
{
	return v->hists.hists.nr;
}

/* --- its life -------------------------------------------------------------------------------- */

static void drop(struct view *v)
{
	v->done = false;
	v->nr = 0;
	counts_free(v->counts);
	v->counts = NULL;
	free(v->streams);
	v->streams = NULL;
	call_scope_drop(&v->scope);
}

static void forget(struct view *v)
{
	drop(v);
	hist_form_fini(&v->hists);
	table_fini(&v->table);
	table_home(&v->table);
	arena_fini(&v->names);
	v->options = (struct counts_options){ 0 };
	v->order = (struct table_order){ 0 };
	text_clear(&v->key);
	text_clear(&v->words);
}

static void close_view(struct view *v)
{
	forget(v);
	text_fini(&v->key);
	text_fini(&v->words);
	free(v);
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

static void show_result(struct view *v)
{
	v->done = true;
	v->rows = counts_rows(v->counts, &v->nr);
	v->table.lists[0] = counts_columns(v->counts);
	v->table.lacks = v->table.lists[0]->lacks;
	/* The place that was wrong most often, or the most frequent row, is the first. */
	if (!v->order.column)
		v->order.column = 1;
	v->table.array = v->rows;
	v->table.array_nr = v->nr;
	v->table.whole[0] = v->nr ? v->rows[0].all : 0;
	table_update(&v->table);
	v->table.figure = table_sorted_by(&v->table);
	if (counts_unknown(v->counts))
		host_error(v->host, "%s: no counted event has this field",
			   counts_unknown(v->counts));
}

static void count(struct view *v)
{
	const struct list_choice *list = &v->shared->list;
	const struct range *range = &v->shared->places.range;
	unsigned int nr;

	/* Names of tasks, and which events there are, are known once all is indexed. */
	if (!v->shared->trace || !trace_status(v->shared->trace).complete)
		return;
	if (hist_form_applies(v->shared)) {
		if (!is_hist(v))
			hist_form_read(&v->hists);
		return;
	}
	if (list->kind >= LIST_INSTANCE && list->file != v->file) {
		forget(v);
		v->file = list->file;
	}
	choose_options(v);
	if (call_scope_changed(v->shared, &v->key) || memcmp(list, &v->list, sizeof(*list)) != 0) {
		drop(v);
		call_scope_take(&v->scope, v->shared, true);
		v->list = *list;
		nr = v->shared->streams ? trace_nr_streams(v->shared->trace) : 0;
		v->streams = nr ? mem_array(nr, sizeof(*v->streams)) : NULL;
		for (unsigned int i = 0; i < nr; i++)
			v->streams[i] = v->shared->streams[i];
	}
	if (!v->counts && matching_is_ready(&v->scope, v->shared->trace)) {
		v->options.most_rows = MOST_ROWS;
		v->options.events = (struct event_sweep_options){
			.file = v->file, .range = { range->set, range->from, range->to },
			.streams = v->streams,
			.filters = v->scope.filters, .nr_filters = v->scope.nr_filters };
		v->counts = counts_new(v->shared->trace, &v->options);
	}
	if (v->counts && !v->done && event_sweep_is_done(counts_sweep(v->counts)))
		show_result(v);
}

static bool progressed(struct view *v)
{
	count(v);
	return true;
}

static bool waits(struct view *v)
{
	return !v->nr && !is_hist(v) && !v->done;
}

/* A row is not a moment, but where the cursor moved to another file, that is counted. */
static bool go(struct view *v, const struct place *place)
{
	unsigned int file;

	if (shared_file_of(v->shared, place, &file) && file != v->file) {
		forget(v);
		v->file = file;
	}
	return false;
}

/* --- rows ------------------------------------------------------------------------------------ */

static uint64_t key_of(const void *owner, uint32_t row)
{
	return ((const struct view *)owner)->rows[row].first;
}

static const struct counts_row *here(const struct view *v)
{
	return v->nr ? &v->rows[table_row(&v->table, v->table.window.at)] : NULL;
}

/* Its first event, in Events. */
static void enter(void *owner)
{
	struct view *v = owner;

	host_enter(v->host, VIEW_EVENTS, shared_place(v->shared, here(v)->first));
}

static const struct table_ops ops = {
	.key = key_of,
	.enter = enter,
	.figure_word = "the count",
};

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

/* "cpu == 1"; false: the key is a field. */
static bool add_own_term(const struct view *v, const struct trace_event *event, const char *key,
			 struct text *out)
{
	const char *comm;

	if (!strcmp(key, "pid")) {
		text_printf(out, " && pid == %d", event->pid);
	} else if (!strcmp(key, "cpu")) {
		text_printf(out, " && cpu == %d", event->cpu);
	} else if (!strcmp(key, "comm")) {
		comm = trace_comm(v->shared->trace, event->file, event->pid, event->ts);
		text_add(out, " && comm == ");
		filter_value_quote(comm, out);
	} else {
		return false;
	}
	return true;
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
		} else if (!add_own_term(v, event, key, &own)) {
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

static bool request(struct view *v, enum request request, char letter)
{
	if (is_hist(v))
		return hist_form_request(&v->hists, request, letter);
	if (!v->nr)
		return false;
	if (request == REQ_ONLY || request == REQ_WITHOUT) {
		if (strchr("ixv", letter))
			filter_by_row(v, request == REQ_WITHOUT);
		else
			host_message(v->host, "here: i the values of the row");
		return true;
	}
	return table_request(&v->table, request, letter);
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
	if (v->shared->places.range.set)
		text_add(out, "   of the range");
	if (v->scope.nr_filters)
		text_add(out, "   filter on");
}

static void draw(struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	bool narrow = v->shared->places.range.set || v->scope.nr_filters;
	struct text heading = { 0 };

	count(v);
	if (is_hist(v)) {
		hist_form_draw(&v->hists, area);
		return;
	}
	if (!v->done)
		text_printf(&heading, "~ %u %%   ",
			    v->counts ? event_sweep_permille(counts_sweep(v->counts)) / 10 : 0);
	add_heading(v, &heading);
	canvas_fit(c, area->top, 1, c->cols - 2, narrow ? ROLE_RANGE : ROLE_HEADING,
		   text_str(&heading));
	text_fini(&heading);
	if (v->nr)
		table_draw(&v->table, c, area->top + 1, area->rows - 1);
	else if (!v->done)
		canvas_text(c, area->top + 2, 2, c->cols - 3, ROLE_TEXT, "Reading …");
	else if (narrow)
		nothing_left_draw(v->shared, c, area->top + 2, c->rows, "No such event is left.",
				  "F all filters off   f edit   r the whole trace");
	else
		canvas_text(c, area->top + 2, 2, c->cols - 3, ROLE_TEXT,
			    "No such events. Try :count EVENT by FIELD.");
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
	if (counts_beyond(v->counts))
		say_count(counts_beyond(v->counts),
			  " events have yet other values and are in no row. ", out);
	if (status.lost_events || status.lost_unknown)
		text_add(out, "Lost events are in no count. ");
	if (counts_lacking(v->counts))
		say_count(counts_lacking(v->counts),
			  " events do not have all fields and are not counted.", out);
}

static void say(struct view *v, struct text *heading, struct text *words)
{
	text_add(heading, v->nr ? "count" : "entry");
	if (is_hist(v))
		hist_form_words(&v->hists, words);
	else
		say_row(v, words);
}

static int detail_rows(struct view *v, int normal, int most)
{
	int rows = is_hist(v) ? normal : shared_sentence_rows(v->shared, normal);

	(void)most;
	return rows && (v->nr || is_hist(v)) ? rows + 1 : 0;
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

	if (is_hist(v)) {
		hist_form_command(&v->hists, out);
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
	struct counts_options options;
	struct arena names = { 0 };

	if (!strcmp(key, "counting") && !counts_parse(value, &names, &options, NULL)) {
		text_clear(&v->shared->counting);
		text_add(&v->shared->counting, value);
	}
	arena_fini(&names);
}

static bool can(struct view *v, enum request request)
{
	if (request == REQ_NEXT_LIST)
		return v->hists.hists.nr > 1;
	if (is_hist(v))
		return request != REQ_ENTER && request != REQ_ONLY && request != REQ_FILTER &&
		       request != REQ_RANGE;
	return v->nr || request == REQ_HELP || request == REQ_OPTIONS;
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
	return is_hist(v) ? &v->hists.table : v->nr ? &v->table : NULL;
}

static bool applies(const struct shared *shared)
{
	bool any = (shared->trace && shared->counting.len) || hist_form_applies(shared);

	for (unsigned int f = 0; shared->trace && f < trace_nr_files(shared->trace) && !any; f++)
		any = counts_of_tracer(shared->trace, f).event;
	return any;
}

static struct view *open_view(const struct view_host *host, struct shared *shared)
{
	struct view *v = mem_alloc(sizeof(*v));

	v->host = host;
	v->shared = shared;
	v->hists.host = host;
	v->hists.shared = shared;
	v->table = (struct table){ .ops = &ops, .owner = v, .host = host, .shared = shared,
				   .orders = &v->order, .name_least = 28, .name_most = 60,
				   .row_name = "row",
				   .array_bytes = sizeof(struct counts_row),
				   .ties_stay = true };
	return v;
}

const struct view_ops view_counts_ops = {
	.open = open_view,
	.close = close_view,
	.applies = applies,
	.draw = draw,
	.request = request,
	.go = go,
	.retrace = retrace,
	.keys = &view_keys,
	.detail = &(const struct view_detail){ .rows = detail_rows, .say = say },
	.table = table,
	.kept = &(const struct view_kept){ .save = save, .restore = restore },
	.commands = &(const struct view_commands){ .whole_trace = true, .command = command },
	.work = &(const struct view_work){ .progressed = progressed, .waits = waits },
};
