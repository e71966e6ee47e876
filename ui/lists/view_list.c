/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_list - the view of each list_source (src/model): tabs, rows, sorting, range and filters,
 * Enter and back, comparing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/lists/comparison.h"
#include "src/model/list_run.h"
#include "ui/rows/call_scope.h"
#include "ui/table/table.h"
#include "ui/view/list_tabs.h"
#include "ui/view/nothing_left.h"
#include "ui/view/view.h"

#define NEXT	'n'			/* letter of the tab for the next variant, or file */

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	const struct list_source *source;
	struct list_speech speech;
	struct list_states states;
	unsigned int	 file, variant;	/* those that are read */
	struct text	 words;		/* shared->counting when reading began */
	struct call_scope scope;	/* owned */
	struct list_choice choice;	/* where the trace's lists choose: a CPU, an instance */
	struct list_run	 now;		/* the range; begins once filters are ready */
	struct list_run	 rest;		/* what it is compared with, while the table compares */
	struct list_run	 next;		/* of a trace that grew, until it is done */
	struct call_scope next_scope;	/* owned */
	struct diff	 diff;		/* now compared with rest; its rows are the table's */
	bool		 compared;	/* diff has rows */
	struct table_columns diff_columns;
	unsigned int	 list;		/* the list shown */
	bool		 chosen;	/* it had rows, or the user chose it */
	unsigned int	 entered;	/* bit i: Enter has led to lists[i] */
	unsigned int	 from;		/* the list that Enter led out of, + 1; 0: none */
	uint64_t	 from_key;	/* the row there */
	struct list_rows rows;		/* the list's rows */
	unsigned int	 by;		/* column by which they are sorted */
	struct list_tab	 tabs[LIST_MOST + 2];	/* offered now */
	struct table_ops ops;		/* the table's */
	struct table	 table;
	struct table_order order[LIST_MOST][2];
	unsigned int	 ordered;	/* bit i: lists[i] has an order */
	struct text	 kept;		/* owned: the orders of last time, see restore_order() */
};

/* --- rows ------------------------------------------------------------------------------------- */

static const struct list_def *shown(const struct view *v)
{
	return &v->source->lists[v->list];
}

/* While filters change, the table still has the rows of the former result. */
static bool has_rows(const struct view *v)
{
	return v->now.done && v->table.nr;
}

static const void *row_at(const struct view *v, uint32_t row)
{
	return (const char *)v->table.array + row * v->table.array_bytes;
}

/* The row under the cursor; NULL: there is none, or it is one of a comparison. */
static const void *row_here(const struct view *v)
{
	return has_rows(v) && !v->table.comparing ?
		       row_at(v, table_row(&v->table, v->table.window.at)) :
		       NULL;
}

static uint64_t key_of(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return shown(v)->key && !v->table.comparing ? shown(v)->key(row_at(v, row)) : row;
}

static bool is_dim(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	if (v->table.comparing)
		return ((const struct diff_row *)row_at(v, row))->is_by_chance;
	return shown(v)->is_dim && shown(v)->is_dim(row_at(v, row));
}

/* The comparison, once both sides are read. */
static void show_comparison(struct view *v)
{
	int other = shared_other(v->shared, v->file);
	bool is_a = other >= 0 && v->file < (unsigned int)other;
	struct list_run *sides[] = { is_a ? &v->now : &v->rest, is_a ? &v->rest : &v->now };
	unsigned int rest = other >= 0 ? (unsigned int)other : v->file,
		     files[] = { is_a ? v->file : rest, is_a ? rest : v->file };
	struct trace *traces[] = { v->shared->trace, v->shared->trace };
	int64_t spans[2];

	if (!v->compared && v->now.done && v->rest.done) {
		shared_spans(v->shared, v->file, spans);
		v->diff = (struct diff){ .cpu_time = { spans[!is_a], spans[is_a] } };
		for (unsigned int i = 0; i < 2; i++) {
			v->diff.is_whole[i] = list_has_file(v->source, v->shared->trace, files[i]);
			if (!sides[i]->failed)
				v->source->compare(sides[i]->model, v->list, &v->diff, i);
		}
		comparison_end(&v->diff, traces, files);
		v->compared = true;
	}
	v->table.file = v->file;
	v->table.array = v->diff.rows;
	v->table.array_bytes = sizeof(*v->diff.rows);
	v->table.array_nr = v->compared ? v->diff.nr : 0;
	v->table.lacks = v->diff_columns.lacks;
	v->table.figure = 0;
	v->table.name_least = 24;
	v->table.name_most = 60;
}

static void drop_comparison(struct view *v)
{
	diff_fini(&v->diff);
	v->diff = (struct diff){ 0 };
	v->compared = false;
}

/* Take the order of last time from the lines of this list: "2 sort max_ns". */
static void restore_order(struct view *v)
{
	char key[sizeof("sort-inverted")], value[64];
	unsigned int list;

	for (const char *s = text_str(&v->kept); *s; s += strcspn(s, "\n"), s += *s == '\n')
		if (sscanf(s, "%4u %13s %63[^\n]", &list, key, value) == 3 && list == v->list)
			table_restore(&v->table, key, value);
}

/* The list's rows in its order, which is that of last time at first, or the list's own. */
static void take_rows(struct view *v, struct table_order *order)
{
	v->rows = v->source->rows(v->now.model, v->list, order->column);
	v->table.lists[0] = v->rows.columns;
	v->table.orders = order;
	if (v->ordered >> v->list & 1)
		return;
	*order = (struct table_order){ .column = v->rows.order, .inverted = v->rows.ascending };
	restore_order(v);
	v->rows = v->source->rows(v->now.model, v->list, order->column);
	v->ordered |= 1u << v->list;
}

/* Until the user chooses one: the first list of which the trace has something. */
static void find_list(struct view *v)
{
	unsigned int first = v->list;

	for (unsigned int i = 0; i < v->source->nr && !v->chosen; i++) {
		struct list_rows rows = v->source->rows(v->now.model, i, 0);

		v->chosen = !v->source->lists[i].entered && rows.nr;
		v->list = v->chosen ? i : first;
	}
}

/* Columns, order and rows of the list. */
static void show_rows(struct view *v)
{
	struct table_order *order;

	if (!v->now.done || v->now.failed)
		return;
	find_list(v);
	order = v->order[v->list];
	take_rows(v, order);
	v->ops.figure_word = shown(v)->figure_word ?: "figure";
	v->table.lists[1] = v->source->compare ? &v->diff_columns : NULL;
	v->table.row_name = v->rows.row ?: shown(v)->row;
	v->table.name_least = shown(v)->name_least;
	v->table.name_most = shown(v)->name_most;
	v->table.whole[0] = v->rows.whole;
	v->table.lacks = v->rows.lacks;
	v->table.array = v->rows.array;
	v->table.array_bytes = v->rows.bytes;
	v->table.array_nr = (uint32_t)v->rows.nr;
	v->table.figure = v->rows.figure;
	if (v->table.comparing)
		show_comparison(v);
	table_update(&v->table);
	v->by = table_sorted_by(&v->table);
	if (v->table.figure == LIST_BY_ORDER)
		v->table.figure = v->by;
}

/* --- its life ------------------------------------------------------------------------ */

static void drop(struct view *v)
{
	drop_comparison(v);
	list_run_end(&v->now);
	list_run_end(&v->rest);
	list_run_end(&v->next);
	call_scope_drop(&v->next_scope);
	if (shown(v)->entered)
		v->list = v->from ? v->from - 1 : 0;
	v->entered = 0;
	v->from = 0;
}

static void forget(struct view *v)
{
	drop(v);
	call_scope_drop(&v->scope);
	table_fini(&v->table);
	table_home(&v->table);
	v->ordered = 0;
	text_clear(&v->words);
}

static void say_time(const void *arg, int64_t ts, struct text *out)
{
	shared_time(arg, ts, 9, out);
}

static void say_span(const void *arg, int64_t length, struct text *out)
{
	shared_span(arg, length, out);
}

static struct sched *take_states(void *arg, unsigned int file)
{
	return shared_take_sched(arg, file);
}

static void give_states(void *arg, struct sched *sched)
{
	shared_give_sched(arg, sched);
}

static void list_enter(void *view);

/* The first figure of a comparison: what changed it most comes first. */
static unsigned int first_change(const struct table_columns *columns)
{
	unsigned int i = 1;

	while (!columns->list[i].cells || table_column_is_out(&columns->list[i], columns->lacks) ||
	       columns->list[i].side || columns->list[i].align == TABLE_LEFT)
		i++;
	return i;
}

static struct view *list_open(const struct view_ops *of, const struct view_host *host,
			      struct shared *shared)
{
	static const char *const no_names[2] = { NULL, NULL };	/* the table has them */
	struct view *v = mem_alloc(sizeof(*v));

	v->host = host;
	v->shared = shared;
	v->source = of->source;
	v->speech = (struct list_speech){ say_time, say_span, shared };
	v->states = (struct list_states){ take_states, give_states, shared };
	v->diff_columns = diff_columns(v->source->compares | DIFF_PER_SECOND, no_names);
	for (unsigned int i = 0; i < v->source->nr; i++)
		v->order[i][1].column = first_change(&v->diff_columns);
	v->ops = (struct table_ops){ .key = key_of, .is_dim = is_dim, .enter = list_enter };
	v->table = (struct table){ .ops = &v->ops, .owner = v, .host = host, .shared = shared,
				   .orders = v->order[0], .lists = { &v->diff_columns },
				   .ties_stay = true };
	return v;
}

static void list_close(struct view *v)
{
	forget(v);
	text_fini(&v->words);
	text_fini(&v->kept);
	free(v);
}

static void show_variant(struct view *v, unsigned int file, unsigned int variant)
{
	forget(v);
	v->file = file;
	v->variant = variant;
}

static void list_retrace(struct view *v)
{
	show_variant(v, 0, 0);
}

static void show_file(struct view *v, unsigned int file)
{
	if (file != v->file)
		show_variant(v, file, 0);
}

/* --- reading ---------------------------------------------------------------------------------- */

static const char *words_of(const struct view *v)
{
	return v->source->takes_words ? text_str(&v->shared->counting) : "";
}

/* The trace's lists choose what is read, if the source has one list only. */
static bool has_own_lists(const struct view *v)
{
	return v->source->nr > 1;
}

static enum call_scope_change scope_changed(const struct view *v)
{
	if (strcmp(words_of(v), text_str(&v->words)) != 0 ||
	    (!has_own_lists(v) &&
	     memcmp(&v->choice, &v->shared->chosen.list, sizeof(v->choice)) != 0))
		return CALL_SCOPE_CHANGED;
	return call_scope_changed(&v->scope, v->shared, true);
}

static void take_scope(struct view *v)
{
	bool same_words = !strcmp(words_of(v), text_str(&v->words));

	if (same_words)
		drop(v);
	else
		forget(v);
	call_scope_take(&v->scope, v->shared, true);
	text_clear(&v->words);
	text_add(&v->words, words_of(v));
	v->choice = v->shared->chosen.list;
}

static const struct call_scope *scope_of(const struct view *v, const struct list_run *run)
{
	return run == &v->next ? &v->next_scope : &v->scope;
}

static void begin(struct view *v, struct list_run *run)
{
	bool is_rest = run == &v->rest;
	int other = is_rest ? shared_other(v->shared, v->file) : -1;
	struct list_scope scope = { .trace = v->shared->trace, .variant = v->variant,
				    .what = call_scope_sweep(scope_of(v, run), v->file),
				    .words = text_str(&v->words), .speech = &v->speech,
				    .states = &v->states,
				    .former = run == &v->next ? v->now.model : NULL };
	struct ft_error err = { 0 };

	scope.what.outside = is_rest && other < 0;
	if (other >= 0) {
		scope.what.file = (unsigned int)other;
		scope.what.range.set = shared_other_has_range(v->shared, scope.what.file);
	}
	if (!has_own_lists(v))
		scope.what.streams = v->shared->chosen.streams;
	if (list_run_begin(run, v->source, &scope, &err))
		host_error(v->host, "%s", err.message);
}

/* Return: true once, when all is read. */
static bool take(struct view *v, struct list_run *run)
{
	struct ft_error err = { 0 };

	if (run->done)
		return false;
	if (!run->model && call_scope_is_ready(scope_of(v, run), v->shared->trace))
		begin(v, run);
	if (run->model && list_run_take(run, false, &err) == LIST_FAILED)
		host_error(v->host, "%s", err.message);
	return run->done;
}

/*
 * The trace grew: read it again.  The former rows are shown until all of it is read.  A list that
 * Enter led to stays until the user leaves it, because only its model knows what was entered.
 */
static bool take_next(struct view *v)
{
	if (v->from)
		return false;
	if (v->next_scope.as_of != v->shared->growth.as_of && !v->next.model)
		call_scope_take(&v->next_scope, v->shared, true);
	if (!take(v, &v->next))
		return false;
	list_run_end(&v->now);
	call_scope_drop(&v->scope);
	v->now = v->next;
	v->scope = v->next_scope;
	v->next = (struct list_run){ 0 };
	v->next_scope = (struct call_scope){ 0 };
	return true;
}

/* Begins again if filters, range or words have changed; takes what is read. */
static void list_take(struct view *v)
{
	struct trace *trace = v->shared->trace;
	enum call_scope_change change;
	bool changed, stays;

	/* What there is, and the names of tasks, are known once all is indexed. */
	if (!trace || !trace_status(trace).complete)
		return;
	if (!has_own_lists(v) && v->shared->chosen.list.kind >= LIST_INSTANCE)
		show_file(v, v->shared->chosen.list.file);
	change = scope_changed(v);
	stays = change == CALL_SCOPE_GREW && v->now.done && !v->now.failed && !v->table.comparing;
	if (change != CALL_SCOPE_SAME && !stays)
		take_scope(v);
	if (!v->now.model)
		v->source->find(trace, &v->file, &v->variant, false);
	if (v->table.comparing && !shared_can_compare(v->shared)) {
		v->table.comparing = false;
		drop_comparison(v);
		list_run_end(&v->rest);
	}
	changed = stays ? take_next(v) : take(v, &v->now);
	if (v->table.comparing)
		changed |= take(v, &v->rest);
	if (changed)
		show_rows(v);
	if (changed && stays)
		table_leave_gone(&v->table);
}

static bool list_waits(struct view *v)
{
	/* of a recording that goes on, there are rows of what was counted before */
	if (v->table.nr && v->shared->trace && trace_grows(v->shared->trace))
		return false;
	return !v->now.done || (v->table.comparing && !v->rest.done);
}

static bool is_reading(const struct list_run *run)
{
	return run->model && !run->done;
}

/* A model that is not done though no worker is at work does its work when it is taken. */
static bool list_moves(struct view *v)
{
	return (is_reading(&v->now) || is_reading(&v->rest) || is_reading(&v->next)) &&
	       workers_idle(trace_workers(v->shared->trace));
}

static void compare(struct view *v)
{
	if (!v->table.lists[1])
		host_message(v->host, "these rows cannot be compared");
	else if (table_compare(&v->table) && !v->table.comparing)
		list_run_end(&v->rest);
	drop_comparison(v);
	list_take(v);
	show_rows(v);
}

/* --- lists ----------------------------------------------------------------------------- */

/* The next variant or file, if there is another one. */
static bool find_next(const struct view *v, unsigned int *file, unsigned int *variant)
{
	*file = v->file;
	*variant = v->variant;
	return v->shared->trace && v->source->find(v->shared->trace, file, variant, true) &&
	       (*file != v->file || *variant != v->variant);
}

static bool has_next(const struct view *v)
{
	unsigned int file, variant;

	return find_next(v, &file, &variant);
}

/* The tabs of a source that has several lists. */
static const struct list_tab *lists_now(struct view *v)
{
	unsigned int nr = 0, file, variant;

	for (unsigned int i = 0; i < v->source->nr; i++)
		if (!v->source->lists[i].entered || (v->entered >> i & 1))
			v->tabs[nr++] = v->source->tabs[i];
	if (find_next(v, &file, &variant))
		v->tabs[nr++] = (struct list_tab){ NEXT, file == v->file ? v->source->next_word :
									   "next file" };
	v->tabs[nr] = (struct list_tab){ 0, NULL };
	return v->tabs;
}

static char list_shown(struct view *v)
{
	return v->source->tabs[v->list].letter;
}

static void show_list(struct view *v, unsigned int list)
{
	v->list = list;
	v->from = 0;
	drop_comparison(v);
	table_home(&v->table);
	show_rows(v);
}

static void show_next(struct view *v)
{
	unsigned int file, variant;

	if (find_next(v, &file, &variant))
		show_variant(v, file, variant);
}

/* Show the variant before this one; the last one comes before the first. */
static void show_previous(struct view *v)
{
	unsigned int file = v->file, variant = v->variant, next_file = file, next_variant = variant;

	while (v->source->find(v->shared->trace, &next_file, &next_variant, true) &&
	       (next_file != v->file || next_variant != v->variant)) {
		file = next_file;
		variant = next_variant;
	}
	show_variant(v, file, variant);
}

static bool choose_list(struct view *v, char letter)
{
	const struct list_tab *tab = lists_now(v);
	unsigned int list = 0;

	while (tab->letter && tab->letter != letter)
		tab++;
	if (!tab->letter)
		return false;
	if (letter == NEXT) {
		show_next(v);
		return true;
	}
	while (v->source->tabs[list].letter != letter)
		list++;
	v->chosen = true;
	if (list != v->list)
		show_list(v, list);
	return true;
}

/* --- places and Enter ----------------------------------------------------------------------- */

static struct place place_of(const struct view *v, const struct list_place *of)
{
	struct place place = shared_place(v->shared, of->ref);

	if (of->ref != TRACE_REF_NONE && place.set)
		return place;
	return (struct place){ .set = true, .ref = TRACE_REF_NONE, .file = v->file, .pid = of->pid,
			       .cpu = of->cpu, .ts = of->ts, .to = of->to };
}

/* Get the place of the row under the cursor; false: it has none. */
static bool place_here(const struct view *v, bool end, struct list_place *place)
{
	const void *row = row_here(v);

	return row && v->source->place && v->source->place(v->now.model, v->list, row, end, place);
}

static bool list_span(struct view *v, bool end, struct place *place)
{
	struct list_place of;

	if (!place_here(v, end, &of) || !of.is_moment)
		return false;
	*place = place_of(v, &of);
	return true;
}

static void set_marks(struct view *v)
{
	struct list_place edge;

	for (unsigned int i = 0; i < 2; i++)
		if (place_here(v, i, &edge))
			v->shared->at.places.marks[i] = place_of(v, &edge);
}

static void list_enter(void *view)
{
	struct view *v = view;
	const void *row = row_here(v);
	struct list_step step;
	struct place to;
	unsigned int from = v->list;
	uint64_t key;

	if (!row || !v->source->enter)
		return;
	key = key_of(v, table_row(&v->table, v->table.window.at));
	step = v->source->enter(v->now.model, v->list, row);
	if (step.marks)
		set_marks(v);
	switch (step.to) {
	case LIST_STAYS:
		show_rows(v);
		host_message(v->host, "%s", step.message);
		break;
	case LIST_TO_LIST:
		v->entered |= 1u << step.list;
		show_list(v, step.list);
		if (step.has_key)
			table_select_key(&v->table, step.key);
		v->from = from + 1;
		v->from_key = key;
		break;
	case LIST_TO_EVENTS:
	case LIST_TO_TIMELINE:
	case LIST_TO_GRAPH:
		to = place_of(v, &step.place);
		if (step.to == LIST_TO_GRAPH)
			to.ts = step.place.ts;	/* its record may be its end */
		host_enter(v->host,
			   step.to == LIST_TO_EVENTS ? VIEW_EVENTS :
			   step.to == LIST_TO_GRAPH  ? VIEW_GRAPH :
						       VIEW_TIMELINE,
			   to);
		break;
	}
}

/* Return to the list that Enter led out of. */
static bool back(struct view *v)
{
	uint64_t key = v->from_key;

	if (!v->from)
		return false;
	show_list(v, v->from - 1);
	table_select_key(&v->table, key);
	return true;
}

/* --- requests ---------------------------------------------------------------------------- */

/* Filter by the values of the row. */
static void filter_by_row(struct view *v, char letter, bool without)
{
	struct text term = { 0 };

	if (!strchr("ixv", letter))
		host_message(v->host, "here: %c the values of the row", without ? 'x' : 'i');
	else if (v->source->filter(v->now.model, v->list, row_here(v), &term))
		host_filter_by(v->host, NULL, text_str(&term), without);
	else
		host_message(v->host, "a filter cannot express this row's values");
	text_fini(&term);
}

/* Filter by the row's task or CPU. */
static void filter_by_place(struct view *v, char letter, bool without)
{
	struct list_place of = { .pid = -1, .cpu = -1 };
	bool has = place_here(v, false, &of);
	struct place place = place_of(v, &of);
	char by = letter != 'i' && letter != 'x' ? letter : of.pid >= 0 ? 't' : 'c';

	if (has && (by == 't' ? of.pid >= 0 : by == 'c' && of.cpu >= 0) &&
	    host_filter_from(v->host, &place, by, without))
		return;
	host_message(v->host, !has                       ? "a filter cannot express these rows" :
			      of.pid >= 0 && of.cpu >= 0 ? "here: t the task, c the CPU of a row" :
			      of.pid >= 0                ? "here: t the task of a row" :
							   "here: c the CPU of a row");
}

static bool list_request(struct view *v, enum request request, char letter)
{
	bool filters = request == REQ_ONLY || request == REQ_WITHOUT;

	if (request == REQ_BACK || request == REQ_PLACE_BACK)
		return back(v);
	if (request == REQ_COMPARE)
		return compare(v), true;
	if (!has_own_lists(v) && has_next(v) &&
	    (request == REQ_NEXT_LIST || request == REQ_PREV_LIST))
		return request == REQ_NEXT_LIST ? show_next(v) : show_previous(v), true;
	if (!has_rows(v))
		return false;
	if (!filters)
		return table_request(&v->table, request, letter);
	if (!row_here(v))
		host_message(v->host, "= ends the comparison; then i and x make filters");
	else if (v->source->filter)
		filter_by_row(v, letter, request == REQ_WITHOUT);
	else
		filter_by_place(v, letter, request == REQ_WITHOUT);
	return true;
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void add_scope(const struct view *v, unsigned int less, struct text *out)
{
	const struct list_run *late = v->now.done && v->table.comparing ? &v->rest : &v->now;

	(void)less;
	if (!late->done)
		text_printf(out, "~ %u %%   ", late->permille / 10);
	shared_of_file(v->shared, v->file, v->table.comparing, out);
	if (v->now.done && v->rows.heading)
		text_add(out, v->rows.heading);
	if (!has_own_lists(v) && v->choice.kind != LIST_ALL) {
		text_add(out, "   of ");
		shared_list_name(v->shared, out);
	}
	call_scope_add_range(&v->scope, v->shared, v->table.comparing, false, out);
	call_scope_add_filter(&v->scope, false, out);
}

static void draw_heading(struct view *v, const struct view_area *area)
{
	bool limited = call_scope_is_limited(&v->scope);
	struct text heading = { 0 };

	add_scope(v, 0, &heading);
	canvas_fit(area->canvas, area->top, 1, area->canvas->cols - 2,
		   limited ? ROLE_RANGE : ROLE_HEADING, text_str(&heading));
	text_fini(&heading);
}

static void draw_nothing(struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	int row = area->top + 1 + !has_own_lists(v);
	unsigned int file = 0, variant = 0;

	if (list_waits(v))
		nothing_draw(c, row, "Reading …");
	else if (v->rows.nothing)
		nothing_draw(c, row, v->rows.nothing);
	else if (call_scope_is_limited(&v->scope) &&
		 (*words_of(v) || v->source->find(v->shared->trace, &file, &variant, false)))
		nothing_left_draw(v->shared, c, row, c->rows, v->source->left, NULL);
	else
		nothing_draw(c, row, v->source->none);
}

static void list_draw(struct view *v, const struct view_area *area)
{
	static const struct view_lists tabs = {
		.now = lists_now, .scope = add_scope, .nr_scopes = 1, .shown = list_shown
	};
	int top = area->top + 1;

	if (has_rows(v) && v->by != table_sorted_by(&v->table))
		show_rows(v);
	if (has_own_lists(v))
		list_tabs_line(v, &tabs, call_scope_is_limited(&v->scope), area);
	else
		draw_heading(v, area);
	if (!has_rows(v)) {
		draw_nothing(v, area);
		return;
	}
	if (v->rows.above && !v->table.comparing)
		canvas_fit(area->canvas, top++, 1, area->canvas->cols - 2, ROLE_HEADING,
			   v->rows.above);
	table_draw(&v->table, area->canvas, top, area->top + area->rows - top);
}

/* --- words -------------------------------------------------------------------------------- */

static void say_change(const struct view *v, struct text *heading, struct text *words)
{
	const struct diff_row *row = row_at(v, table_row(&v->table, v->table.window.at));

	text_add(heading, "comparison");
	text_printable(words, row->name, strlen(row->name));
	text_add(words, ": ");
	if (row->is_by_chance)
		text_add(words, "the difference may be chance, or is at most a tenth");
	else
		diff_finding(row, words);
	text_add(words, ". Sums and counts are those in a second.");
}

static void list_say(struct view *v, struct text *heading, struct text *words)
{
	const void *row = row_here(v);

	if (row)
		v->source->say(v->now.model, v->list, row, heading, words);
	else
		say_change(v, heading, words);
}

static void list_command_of(struct view *v, struct text *out)
{
	text_add(out, v->now.done && v->rows.command ? v->rows.command : v->source->command.name);
}

static const char *list_record(struct view *v)
{
	unsigned int file = 0, variant = 0;

	return v->shared->trace && v->source->find(v->shared->trace, &file, &variant, false) ?
		       NULL :
		       v->source->record;
}

/* Is the row a wait, a run or a call of a task, which Y can explain? */
static bool is_interval(struct view *v)
{
	struct place begin, end;

	return list_span(v, false, &begin) && list_span(v, true, &end) && begin.pid &&
	       begin.ts < end.ts;
}

static bool list_can(struct view *v, enum request request)
{
	bool no_events = shared_has_no_events(v->shared);

	if (request == REQ_WHY)
		return is_interval(v);
	if (request == REQ_NEXT_LIST)
		return has_own_lists(v) || has_next(v);
	if (request == REQ_ENTER)
		return v->source->enter && row_here(v) && !no_events;
	if (request == REQ_ONLY || request == REQ_FILTER || request == REQ_RANGE)
		return v->table.nr && !no_events;
	if (request == REQ_COMPARE)
		return v->table.nr && v->source->compare && shared_can_compare(v->shared);
	return v->table.nr;
}

#define MOST_KEPT	4096u		/* bytes of orders: the file is not trusted */

/* The order of a list that was shown, if it is not its own; of others, that of last time. */
static void save_order(struct view *v, unsigned int list, struct text *out)
{
	struct table_order *order = v->order[list];
	struct list_rows rows = { 0 };
	struct text lines = { 0 };
	unsigned int of;

	if (v->ordered >> list & 1 && v->now.done && !v->now.failed) {
		rows = v->source->rows(v->now.model, list, order->column);
		v->table.lists[0] = rows.columns;
		v->table.orders = order;
		if (order->hidden || order->column != rows.order ||
		    order->inverted != rows.ascending)
			table_save(&v->table, &lines);
		for (const char *s = text_str(&lines); *s; s += strcspn(s, "\n") + 1)
			text_printf(out, "order %u %.*s\n", list, (int)strcspn(s, "\n"), s);
	} else {
		for (const char *s = text_str(&v->kept); *s; s += strcspn(s, "\n") + 1)
			if (sscanf(s, "%4u", &of) == 1 && of == list)
				text_printf(out, "order %.*s\n", (int)strcspn(s, "\n"), s);
	}
	text_fini(&lines);
}

static void list_save(struct view *v, struct text *out)
{
	if (*words_of(v))
		text_printf(out, "counting %s\n", words_of(v));
	for (unsigned int i = 0; i < v->source->nr; i++)
		save_order(v, i, out);
	show_rows(v);			/* the table is that of the list shown again */
}

static void list_restore(struct view *v, const char *key, const char *value)
{
	if (!strcmp(key, "order") && v->kept.len < MOST_KEPT)
		text_printf(&v->kept, "%s\n", value);
	if (strcmp(key, "counting") != 0 || !v->source->takes_words)
		return;
	text_clear(&v->shared->counting);
	text_add(&v->shared->counting, value);
}

static const enum request row_requests[] = { REQ_ENTER,     REQ_SORT,        REQ_SIDE_RIGHT,
					     REQ_SIDE_LEFT, REQ_SORT_INVERT, REQ_MARK_A,
					     REQ_MARK_B,    REQ_ONLY,        REQ_COPY,
					     REQ_NONE };

static const enum request bar[] = {
	REQ_ENTER, REQ_WHY, REQ_SORT, REQ_FILTER, REQ_NEXT_LIST, REQ_SEARCH, REQ_BACK, REQ_RECORD,
	REQ_HELP, REQ_ONLY, REQ_RANGE, REQ_DETAIL, REQ_COMPARE, REQ_OPTIONS, REQ_NONE
};

static const struct view_word words[] = {
	{ REQ_RANGE, "Range", NULL },
	{ REQ_COMPARE, NULL, "compare the range with the rest of the trace, or a file with the "
		"next one, row by row; or stop comparing" },
	{ REQ_NONE, NULL, NULL },
};

static const struct view_keys view_keys = {
	.bar = bar,
	.row = row_requests,
	.words = words,
	.can = list_can,
};

static struct table *list_table(struct view *v)
{
	return has_rows(v) ? &v->table : NULL;
}

static bool list_applies(const struct view_ops *of, const struct shared *shared)
{
	unsigned int file = 0, variant = 0;

	return shared->trace && ((of->source->takes_words && shared->counting.len) ||
				 of->source->find(shared->trace, &file, &variant, false));
}

/* --- the views -------------------------------------------------------------------------------- */

#define LISTS_ONE(of)	NULL		/* the lists of the trace */
#define LISTS_SEVERAL(of)                                                                          \
	&(const struct view_lists){ .all = of##_list_tabs, .now = lists_now, .tabs = true,         \
				    .scope = add_scope, .nr_scopes = 1, .shown = list_shown,       \
				    .choose = choose_list }
#define VIEW(of, word, nr, help)                                                           \
	[LIST_SOURCE_##of] = {                                                                     \
		.source = &of##_list_source,                                                       \
		.open = list_open,                                                                 \
		.close = list_close,                                                               \
		.applies = list_applies,                                                           \
		.draw = list_draw,                                                                 \
		.request = list_request,                                                           \
		.show_file = show_file,                                                            \
		.retrace = list_retrace,                                                           \
		.keys = &view_keys,                                                                \
		.detail = &(const struct view_detail){ .say = list_say },                          \
		.table = list_table,                                                               \
		.lists = LISTS_##nr(of),                                                      \
		.kept = &(const struct view_kept){ .save = list_save, .restore = list_restore },   \
		.moments = &(const struct view_moments){ .span = list_span },                      \
		.commands = &(const struct view_commands){ .whole_trace = true,                    \
							   .command = list_command_of,             \
							   .record = list_record },                \
		.work = &(const struct view_work){ .take = list_take, .moves = list_moves,         \
						   .waits = list_waits },                          \
	},

const struct view_ops view_list_ops[LIST_NR_SOURCES] = { LIST_SOURCES(VIEW) };
