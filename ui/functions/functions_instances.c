/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_instances - the longest calls of a function in the Functions view: as a list, and as
 * lines below an open row.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "src/base/shorten.h"
#include "ui/functions/view_functions.h"
#include "ui/rows/row.h"

#define MOST_INSTANCES	1000u		/* looked for */
#define GONE		"its record is gone"

static enum call_order wanted_order(const struct view *view);

/* --- looked for ---------------------------------------------------------------------------- */

void functions_instances_drop(struct view *view)
{
	call_instances_free(view->next);
	call_instances_free(view->instances);
	view->next = view->instances = NULL;
}

void functions_instances_stop(struct view *view)
{
	call_instances_free(view->next);
	view->next = NULL;
	if (view->instances && call_instances_permille(view->instances) < 1000)
		functions_instances_drop(view);
}

static struct call_instances *look_for(struct view *view, uint64_t function)
{
	struct trace *trace = view->shared->trace;

	host_work(view->host);
	return call_instances_new(trace, view->file, call_scope_of_calls(&view->scope), function,
				  wanted_order(view), MOST_INSTANCES, trace_workers(trace));
}

void functions_instances_grow(struct view *view)
{
	uint64_t function = view->instances ? call_instances_function(view->instances) : 0;

	if (!view->open_known || function != view->open)
		functions_instances_drop(view);
	else if (!view->next)
		view->next = look_for(view, function);
}

bool functions_instances_progressed(struct view *view)
{
	if (!view->next || call_instances_permille(view->next) < 1000)
		return view->instances;
	call_instances_free(view->instances);
	view->instances = view->next;
	view->next = NULL;
	functions_sort(view);
	functions_leave_gone(view);
	return true;
}

void functions_instances_want(struct view *view, uint64_t function)
{
	if (view->instances && call_instances_function(view->instances) == function)
		return;
	functions_instances_drop(view);
	view->instances = look_for(view, function);
	table_home(&view->calls);
}

const struct call_instance *functions_instances(const struct view *view, uint32_t *nr)
{
	*nr = 0;
	return view->instances ? call_instances_list(view->instances, nr) : NULL;
}

void functions_show_call(struct view *view, trace_ref exit, uint64_t duration)
{
	struct place place = shared_place(view->shared, exit);

	if (!place.set) {
		host_message(view->host, GONE);
		return;
	}
	place.ts -= (int64_t)(duration < INT64_MAX / 2 ? duration : 0);
	host_enter(view->host, VIEW_GRAPH, place);
}

void functions_show_instance(struct view *view, const struct call_instance *instance)
{
	functions_show_call(view, instance->exit, instance->duration);
}

/* --- its words ------------------------------------------------------------------------------ */

static void add_right(struct text *out, const struct text *cell, int cells)
{
	int width = text_cells(text_str(cell), cell->len);

	text_pad(out, width < cells ? (size_t)(cells - width) : 0);
	text_add(out, text_str(cell));
}

static void add_time(struct text *out, uint64_t ns, int cells)
{
	struct text t = { 0 };

	text_duration(&t, ns);
	add_right(out, &t, cells);
	text_fini(&t);
}

static void add_task(const struct view *view, const struct place *place, struct text *out)
{
	const char *comm;

	if (!place->pid) {
		text_add(out, "<idle>");
		return;
	}
	comm = trace_comm(view->shared->trace, place->file, place->pid, place->ts);
	text_printable(out, comm, strlen(comm));
	text_printf(out, "-%d", place->pid);
}

static int64_t start_of(const struct place *place, const struct call_instance *instance)
{
	return place->ts - (int64_t)(instance->duration < INT64_MAX / 2 ? instance->duration : 0);
}

/* Does its buffer tell time off the CPU? */
static bool has_net(const struct view *view, const struct call_instance *instance)
{
	struct trace *trace = view->shared->trace;

	return !instance->no_net &&
	       graph_tells_away(trace, view->file,
				trace_stream_info(trace, trace_ref_stream(instance->exit)).buffer);
}

void functions_instance_text(const struct view *view, const struct call_instance *instance,
			     struct text *out)
{
	struct place place = shared_place(view->shared, instance->exit);
	struct text t = { 0 };

	text_char(out, text_duration_mark(instance->duration));
	add_time(out, instance->duration, 9);
	if (instance->doubtful) {
		text_pad(out, 9);
		text_add(out, TABLE_NONE);
		text_pad(out, 9);
		text_add(out, TABLE_NONE);
	} else {
		add_time(out, instance->self, 10);
		if (has_net(view, instance))
			add_time(out, instance->net, 10);
		else
			text_printf(out, "%*s" TABLE_NONE, 9, "");
	}
	text_add(out, "  ");
	if (!place.set) {
		text_add(out, GONE);
		return;
	}
	shared_time(view->shared, start_of(&place, instance), 6, &t);
	add_right(out, &t, 14);
	text_printf(out, " %3d  ", place.cpu);
	add_task(view, &place, out);
	if (instance->doubtful)
		text_add(out, "  ~");
	if (instance->orphan)
		text_add(out, "  ◂");
	text_fini(&t);
}

/* --- the list -------------------------------------------------------------------------------- */

struct instance_row {
	struct call_instance call;
	int64_t		 start;
	int		 cpu;
	bool		 is_sound, has_net;	/* self, net are known */
	bool		 is_there;	/* its record: it tells start, CPU and task */
	const char	*task;
};

#define FIGURE(member, word, meaning) \
	.name = word "_ns", .title = word, .cells = 11, .kind = TABLE_DURATION, .help = meaning, \
	TABLE_MEMBER(struct instance_row, call.member)

static const struct table_column columns[] = {
	{ "task", "task", .cells = 16, .help = "whose call it is",
	  TABLE_MEMBER(struct instance_row, task) },
	{ FIGURE(duration, "duration", "how long it took: exact"),
	  TABLE_DOUBT(struct instance_row, call.doubtful), .marked = true },
	{ FIGURE(self, "self", "without the calls below it and time off the CPU"),
	  .needs = FUNCTION_NEEDS_AWAY, .lacking = GRAPH_SELF_AND_AWAY,
	  TABLE_IF(struct instance_row, is_sound) },
	{ FIGURE(net, "net", "without recorded interrupts and time off the CPU"),
	  TABLE_IF(struct instance_row, has_net) },
	{ "start_ns", "start", .cells = 15, .kind = TABLE_MOMENT, .help = "when it began",
	  TABLE_MEMBER(struct instance_row, start), TABLE_IF(struct instance_row, is_there) },
	{ "cpu", "CPU", .cells = 5, .kind = TABLE_NUMBER, .help = "where it ended",
	  TABLE_MEMBER(struct instance_row, cpu), TABLE_IF(struct instance_row, is_there) },
};

static const struct table_columns instance_columns = { TABLE_COLUMNS(columns) };

/* How to look for the calls that the sorted column asks for. */
static enum call_order wanted_order(const struct view *view)
{
	switch (view->instances_order.column) {
	case INSTANCE_SELF:
		return CALLS_MOST_SELF;
	case INSTANCE_NET:
		return CALLS_MOST_NET;
	case INSTANCE_START:
		return CALLS_FIRST;
	}
	return CALLS_LONGEST;
}

const char *functions_instances_word(const struct view *view)
{
	static const char *const words[] = { "longest", "most self", "most net", "first" };

	return words[view->instances ? call_instances_order(view->instances) : wanted_order(view)];
}

/* Looks for instances again if only the first ones in another order are known. */
static void follow_order(struct view *view)
{
	uint64_t function = call_instances_function(view->instances);
	uint32_t nr;

	functions_instances(view, &nr);
	if (call_instances_calls(view->instances) <= nr ||
	    call_instances_order(view->instances) == wanted_order(view))
		return;
	functions_instances_drop(view);
	functions_instances_want(view, function);
}

static void draw_title(struct view *view, struct canvas *canvas, int y, uint32_t nr)
{
	struct text t = { 0 }, name = { 0 };

	trace_function_name(view->shared->trace, view->file,
			    call_instances_function(view->instances), &name);
	text_printable(&t, text_str(&name), name.len);
	if (call_instances_permille(view->instances) < 1000)
		text_printf(&t, "  looking for its calls: %u %%",
			    call_instances_permille(view->instances) / 10);
	else if (!nr)
		text_add(&t, view->table && view->table->inferred ?
				     "  its calls have no times: none is the longest" :
				     "  no call of it has an end here");
	else if (call_instances_calls(view->instances) > nr)
		text_printf(&t, "  %" PRIu32 " of %" PRIu64 " calls: %s", nr,
			    call_instances_calls(view->instances), functions_instances_word(view));
	else
		text_printf(&t, "  %" PRIu32 " call%s", nr, PLURAL(nr));
	canvas_fit(canvas, y, 1, canvas->cols - 2, ROLE_EVENT_FUNCTION, text_str(&t));
	text_fini(&t);
	text_fini(&name);
}

void functions_instances_draw(struct view *view, const struct view_area *area)
{
	uint32_t nr;

	if (!view->instances)
		return;
	follow_order(view);
	functions_instances(view, &nr);
	table_update(&view->calls);
	draw_title(view, area->canvas, area->top + 1, nr);
	table_draw(&view->calls, area->canvas, area->top + 2, area->rows - 2);
}

static const struct call_instance *instance(const void *owner, uint32_t row)
{
	uint32_t nr;

	return &functions_instances(owner, &nr)[row];
}

static uint32_t nr_rows(const void *owner)
{
	uint32_t nr;

	functions_instances(owner, &nr);
	return nr;
}

static uint64_t key(const void *owner, uint32_t row)
{
	return instance(owner, row)->exit;
}

static void add_name(const void *owner, uint32_t row, struct text *out)
{
	const struct view *view = owner;
	const struct call_instance *of = instance(view, row);
	struct place place = shared_place(view->shared, of->exit);

	if (place.set)
		add_task(view, &place, out);
	else
		text_add(out, GONE);
	if (of->orphan)
		text_add(out, " ◂");
}

static const void *row(const void *owner, uint32_t row, struct table_made *made)
{
	const struct view *view = owner;
	struct instance_row *out = (struct instance_row *)made->room;
	struct place place;

	out->call = *instance(view, row);
	place = shared_place(view->shared, out->call.exit);
	out->start = start_of(&place, &out->call);
	out->cpu = place.cpu;
	out->is_there = place.set;
	out->is_sound = !out->call.doubtful;
	out->has_net = has_net(view, &out->call);
	if (made->words && place.set)
		add_task(view, &place, made->words);
	out->task = made->words ? text_str(made->words) : "";
	return out;
}

static void enter(void *owner)
{
	struct view *view = owner;

	functions_show_instance(view,
				instance(view, table_row(&view->calls, view->calls.window.at)));
}

static const struct table_ops ops = {
	.nr_rows = nr_rows,
	.key = key,
	.name = add_name,
	.row = row,
	.enter = enter,
	.figure_word = "duration",
	.found_word = "call",
};

void functions_instances_init(struct view *view)
{
	view->calls = (struct table){ .ops = &ops, .owner = view, .host = view->host,
				      .shared = view->shared,
				      .lists = { &instance_columns },
				      .orders = &view->instances_order,
				      .figure = INSTANCE_DURATION,
				      .name_least = 16, .name_most = 24, .ties_stay = true };
	view->instances_order.column = INSTANCE_DURATION;
}

bool functions_instances_request(struct view *view, enum request request, char letter)
{
	if (request == REQ_COMPARE)
		return host_message(view->host, "the table compares: o t"), true;
	table_update(&view->calls);
	return table_request(&view->calls, request, letter);
}
