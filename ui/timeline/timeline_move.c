/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_move - keys of the Timeline view: rows and columns, zoom, changes, wake-ups. */

#include "src/match/search.h"
#include "src/sched/sched_cause.h"
#include "src/timeline/series.h"
#include "src/timeline/timeline_plot.h"
#include "ui/screen/list_window.h"
#include "ui/timeline/view_timeline.h"

void timeline_show_moment(struct view *v, int64_t ts)
{
	int64_t width = timeline_width(v);

	v->cursor = ts;
	if (ts < v->from || time_between(v->from, ts) >= width)
		v->from = time_after(ts, -(width / 4 * 3));
}

void timeline_choose_row(struct view *v, enum timeline_row_kind kind, uint32_t index)
{
	bool cpu = kind == TIMELINE_CPU || kind == TIMELINE_IRQS || kind == TIMELINE_SOFTIRQS ||
		   kind == TIMELINE_CPUS;

	v->here = (struct timeline_row){ kind, index };
	v->has_here = true;
	/* switch the list if the current one has no such rows */
	if ((kind == TIMELINE_OF_TASK && (v->list == 'c' || v->list == 'i' ||
					  (v->list == 'p' && !timeline_same_process(v, index)))) ||
	    (cpu && (v->list == 't' || v->list == 'p')))
		v->list = 'm';
}

static bool has_pattern(void *arg, uint32_t row)
{
	struct view *v = arg;
	struct text name = { 0 };
	size_t start, end;
	bool found;

	timeline_label(v, &v->rows[row], &name);
	found = search_pattern_find(v->shared->chosen.pattern, text_str(&name), name.len, 0, &start,
				    &end);
	text_fini(&name);
	return found;
}

bool timeline_find(struct view *v, const struct find *find)
{
	struct search_rows rows = { .forward = find->forward, .matches = has_pattern, .arg = v };
	uint32_t found = 0, nth, nr;

	if (find->kind != FIND_PATTERN || !v->shared->chosen.pattern || !timeline_is_known(v) ||
	    !v->nr_rows)
		return false;
	sched_lock(v->sched);
	timeline_make_rows(v);
	rows.nr = v->nr_rows;
	rows.here = v->at;
	nr = rows.nr ? search_in_rows(&rows, &found, &nth) : 0;
	if (nr)
		timeline_choose_row(v, v->rows[found].kind, v->rows[found].index);
	sched_unlock(v->sched);
	if (nr)
		host_message(v->host, "%u of %u rows that match", nth, nr);
	return nr;
}

static const struct pyramid *pyramid_of(struct view *v, const struct timeline_row *row)
{
	switch (row->kind) {
	case TIMELINE_CPU:
		return sched_cpu(v->sched, row->index);
	case TIMELINE_OF_TASK:
		return sched_task(v->sched, row->index);
	case TIMELINE_IRQS:
	case TIMELINE_SOFTIRQS:
		return row->index == TIMELINE_ALL_CPUS ? NULL :
							 sched_contexts(v->sched, row->index);
	case TIMELINE_PARTS:
		return &v->why.row;
	case TIMELINE_SLICES:
		return timeline_slices(&v->timeline, row->index);
	case TIMELINE_PLOT:
	case TIMELINE_IDLE_CPUS:
	case TIMELINE_GROUP:
	case TIMELINE_CPUS:
	case TIMELINE_VCPU:
		break;
	}
	return NULL;
}

bool timeline_state(struct view *v, struct pyramid_state *state)
{
	const struct timeline_row *row = timeline_here(v);
	const struct pyramid *p = row ? pyramid_of(v, row) : NULL;

	return p && pyramid_at(p, sched_end(v->sched), v->cursor, state);
}

void timeline_move_row(struct view *v, int by)
{
	if (!v->nr_rows)
		return;
	v->wanted.set = false;
	v->at = list_window_row((int64_t)v->at + by, v->nr_rows);
	v->here = v->rows[v->at];
	v->has_here = true;
}

/*
 * The time that there is to show: of the model; of the trace too, which may be known long before,
 * and may end later.
 */
static bool limits(const struct view *v, int64_t *first, int64_t *last)
{
	const struct shared *shared = v->shared;

	if (!sched_span(v->sched, first, last))
		return false;
	if (shared->at.has_span && trace_nr_files(shared->trace) == 1) {
		*first = shared->at.first < *first ? shared->at.first : *first;
		*last = shared->at.last > *last ? shared->at.last : *last;
	}
	return true;
}

/* Keep the cursor in the trace. */
static void keep_inside(struct view *v)
{
	int64_t first, last;

	if (!limits(v, &first, &last))
		return;
	v->cursor = v->cursor > last ? last : v->cursor;
	v->cursor = v->cursor < first ? first : v->cursor;
}

static void move_columns(struct view *v, int64_t by)
{
	int64_t width = timeline_width(v), distance;

	if (__builtin_mul_overflow(by, v->step, &distance))
		distance = by < 0 ? -INT64_MAX : INT64_MAX;
	v->cursor = time_after(v->cursor, distance);
	keep_inside(v);
	if (v->cursor < v->from)
		v->from = time_after(v->cursor, by < -1 ? -(width / 2) : 0);
	if (time_between(v->from, v->cursor) >= width)
		v->from = time_after(v->cursor, v->step - width);
}

/* Make ( return here. The screen asks the view for the place. */
static void leave(struct view *v)
{
	sched_unlock(v->sched);
	host_leave_zoom(v->host);
	sched_lock(v->sched);
}

/* Zoom; the cursor stays in its column. */
static void zoom(struct view *v, bool in)
{
	int64_t column = time_between(v->from, v->cursor) / v->step, before;

	if (in ? v->step == 1 : v->whole) {
		host_message(v->host, in ? "a column has no less than one unit of the clock" :
					   "all of the trace is shown");
		return;
	}
	leave(v);
	v->whole = v->whole && !in;
	v->step = in ? v->step / 2 : v->step > INT64_MAX / 2 ? INT64_MAX : v->step * 2;
	v->step = v->step < 1 ? 1 : v->step;
	if (__builtin_mul_overflow(column, v->step, &before))
		before = INT64_MAX;
	v->from = time_after(v->cursor, -before);
	timeline_set_window(v);
}

/* The width of a column that shows the whole trace; 0: it has no records. */
static int64_t whole_step(struct view *v, int64_t *first, int64_t *last)
{
	if (!v->columns || !limits(v, first, last))
		return 0;
	return (int64_t)(((uint64_t)*last - (uint64_t)*first) / v->columns + 1);
}

void timeline_set_window(struct view *v)
{
	int64_t first, last, whole = whole_step(v, &first, &last), latest;

	v->step = v->step < 1 ? 1 : v->step;
	if (whole && (v->whole || v->step >= whole)) {
		v->whole = true;
		v->from = first;
		v->step = whole;
	} else if (whole) {
		latest = time_after(last, 1 - timeline_width(v));
		v->from = v->from > latest ? latest : v->from;
		v->from = v->from < first ? first : v->from;
	}
	keep_inside(v);
	if (whole)
		timeline_set(&v->timeline, v->sched, v->from, v->step, v->columns);
}

void timeline_show_interval(struct view *v, int64_t from, int64_t to)
{
	int64_t margin = time_between(from, to) / 10;

	v->whole = false;
	v->from = time_after(from, -margin);
	v->step = time_between(v->from, time_after(to, margin)) /
			  (int64_t)(v->columns ? v->columns : 1) +
		  1;
	v->cursor = from;
	timeline_set_window(v);
}

/* If the whole trace is shown, zoom to the range between the marks. */
static bool between_marks(struct view *v)
{
	const struct place *marks = v->shared->at.places.marks;
	int64_t a = marks[0].ts, b = marks[1].ts;

	if (!marks[0].set || !marks[1].set || a == b || !v->whole)
		return false;
	v->whole = false;
	v->from = a < b ? a : b;
	v->step = (time_between(v->from, a < b ? b : a) - 1) / (int64_t)v->columns + 1;
	if (v->cursor < v->from || time_between(v->from, v->cursor) >= timeline_width(v))
		v->cursor = v->from;
	return true;
}

static void whole(struct view *v)
{
	leave(v);
	if (!between_marks(v))
		v->whole = true;
	timeline_set_window(v);
}

/* Go to the next or previous event of a plot. */
static void event(struct view *v, struct series *series, bool next)
{
	struct series_event event;

	if (next ? series_after(series, v->cursor, &event) :
		   series_before(series, time_after(v->cursor, -1), &event))
		timeline_show_moment(v, event.ts);
	else if (next ? series_after(series, time_after(v->shared->at.first, -1), &event) :
			series_before(series, time_after(v->shared->at.last, 1), &event)) {
		timeline_show_moment(v, event.ts);
		host_wrapped(v->host, next);
	} else {
		host_message(v->host, "there is no event");
	}
}

/* Kinds of states that count as a change in a row; @run: only runs. */
static unsigned int kinds_of(const struct timeline_row *row, bool run)
{
	if (row->kind == TIMELINE_IRQS)
		return 1u << SCHED_CONTEXT_IRQ | 1u << SCHED_CONTEXT_NMI;
	if (row->kind == TIMELINE_SOFTIRQS)
		return 1u << SCHED_CONTEXT_SOFTIRQ;
	return run ? 1u << SCHED_RUNS : ~0u;
}

static bool find_in(struct view *v, const struct pyramid *p, const struct pyramid_find *find,
		    bool next, struct pyramid_state *state)
{
	return (next ? pyramid_find_next : pyramid_find_before)(p, sched_end(v->sched), v->cursor,
								find, state);
}

/* Find a change of a task, or its migration, which may happen while it waits. */
static bool find_change(struct view *v, uint32_t task, const struct pyramid_find *find, bool next,
			struct pyramid_state *state)
{
	static const struct pyramid_find migrations = { .kinds = 1u << SCHED_MARK_MIGRATED };
	bool found = find_in(v, sched_task(v->sched, task), find, next, state);
	struct pyramid_state migration;

	if (!find_in(v, sched_marks(v->sched, task), &migrations, next, &migration))
		return found;
	if (!found || (next ? migration.from < state->from : migration.from > state->from))
		*state = migration;
	return true;
}

/* Find it in a row; in the row of several CPUs, the nearest of all. */
static bool find_in_row(struct view *v, const struct timeline_row *row,
			const struct pyramid_find *find, bool next, struct pyramid_state *state)
{
	bool found = false, is_cpus = row->kind == TIMELINE_CPUS;
	struct pyramid_state other;

	if (row->kind == TIMELINE_OF_TASK && find->kinds == ~0u)
		return find_change(v, row->index, find, next, state);
	if (pyramid_of(v, row))
		return find_in(v, pyramid_of(v, row), find, next, state);
	if (row->kind != TIMELINE_IRQS && row->kind != TIMELINE_SOFTIRQS && !is_cpus)
		return false;
	for (unsigned int cpu = 0; cpu < sched_nr_cpus(v->sched); cpu++)
		if ((!is_cpus || cpu_group_has(&v->cpu_groups, row->index, cpu)) &&
		    find_in(v, is_cpus ? sched_cpu(v->sched, cpu) : sched_contexts(v->sched, cpu),
			    find, next, &other) &&
		    (!found || (next ? other.from < state->from : other.from > state->from))) {
			*state = other;
			found = true;
		}
	return found;
}

/* Find it in a row; if there is none, go on from the other end of the trace. */
static bool find_round(struct view *v, const struct timeline_row *row,
		       const struct pyramid_find *find, bool next, struct pyramid_state *state)
{
	int64_t cursor = v->cursor;
	bool found = find_in_row(v, row, find, next, state);

	if (found)
		return true;
	v->cursor = next ? time_after(v->shared->at.first, -1) : time_after(v->shared->at.last, 1);
	found = find_in_row(v, row, find, next, state);
	v->cursor = cursor;
	if (found)
		host_wrapped(v->host, next);
	return found;
}

/* Go to the next or previous run of the task that runs here, on any CPU. */
static bool follow(struct view *v, bool next)
{
	static const struct pyramid_find runs = { .kinds = 1u << SCHED_RUNS };
	const struct timeline_row *row = timeline_here(v);
	uint32_t task = row && row->kind == TIMELINE_CPU ? timeline_task_here(v) : SCHED_NO_TASK;
	struct pyramid_state state;

	if (task >= sched_nr_tasks(v->sched) ||
	    !find_in(v, sched_task(v->sched, task), &runs, next, &state))
		return false;
	timeline_show_moment(v, state.from);
	timeline_choose_row(v, TIMELINE_CPU, state.arg);
	return true;
}

/* Go to the next or previous change in this row; @run: only runs. */
static void change(struct view *v, bool next, bool run)
{
	const struct timeline_row *row = timeline_here(v);
	struct pyramid_find find = { 0 };
	struct pyramid_state state;

	if (row && row->kind == TIMELINE_PLOT && timeline_plot_series(&v->timeline, row)) {
		event(v, timeline_plot_series(&v->timeline, row), next);
		return;
	}
	if (run && follow(v, next))
		return;
	find.kinds = row ? kinds_of(row, run) : 0;
	if (!row || !find_round(v, row, &find, next, &state)) {
		host_message(v->host,
			     run ? "nothing runs in this row" : "nothing changes in this row");
		return;
	}
	timeline_show_moment(v, state.from);
}

/* Go to the next run, wait or interrupt of this row that reaches the threshold. */
static void slow(struct view *v, bool next)
{
	const struct timeline_row *row = timeline_here(v);
	struct pyramid_find find = { .least = v->shared->chosen.threshold > 0 ?
						      v->shared->chosen.threshold :
						      1000000,
				     .sure = true };
	struct pyramid_state state;

	if (row && row->kind == TIMELINE_OF_TASK)
		find.kinds = 1u << SCHED_RUNS | 1u << SCHED_WAITS | 1u << SCHED_PREEMPTED;
	else if (row)
		find.kinds = kinds_of(row, true);
	if (!row || !find_round(v, row, &find, next, &state)) {
		host_message(v->host, "nothing in this row takes that long");
		return;
	}
	timeline_show_moment(v, state.from);
}

/* The CPU that a task is on at a moment, or was on last; -1: not known. */
static int cpu_of_task(struct view *v, uint32_t task, int64_t ts)
{
	static const struct pyramid_find runs = { .kinds = 1u << SCHED_RUNS };
	struct pyramid_state state;

	if (!pyramid_find_before(sched_task(v->sched, task), sched_end(v->sched),
				 ts == INT64_MAX ? ts : ts + 1, &runs, &state))
		return -1;
	return sched_pass_cpu(sched_pass_of(v->sched), state.arg);
}

struct place timeline_place(struct view *v, int64_t ts)
{
	const struct timeline_row *row = timeline_here(v);
	struct place place = { .set = true, .ref = TRACE_REF_NONE, .ts = ts, .file = v->file,
			       .pid = -1,
			       .cpu = -1 };
	const struct timeline_guest *guest;
	unsigned int cpu;

	if (row && row->kind == TIMELINE_VCPU &&
	    (guest = timeline_guests_find(&v->timeline, row->index, &cpu))) {
		place.file = guest->file;
		sched_lock(guest->sched);
		place.cpu = sched_pass_cpu(sched_pass_of(guest->sched), cpu);
		sched_unlock(guest->sched);
	} else if (row && timeline_row_task(row)) {
		place.pid = place.subject = timeline_pid(v, row->index);
		place.cpu = cpu_of_task(v, row->index, ts);
	} else if (row && timeline_row_cpu(row)) {
		place.cpu = sched_pass_cpu(sched_pass_of(v->sched), row->index);
	}
	return place;
}

uint32_t timeline_task_here(struct view *v)
{
	const struct timeline_row *row = timeline_here(v);
	struct pyramid_state state;

	if (row && row->kind == TIMELINE_OF_TASK)
		return row->index;
	if (row && row->kind == TIMELINE_CPU && timeline_state(v, &state) &&
	    state.kind == SCHED_CPU_RUNS)
		return state.arg;
	return SCHED_NO_TASK;
}

/* Follow a wake-up to a task, else to a CPU.  ( undoes it. */
static void go_along(struct view *v, int64_t ts, uint32_t task, int cpu)
{
	struct place place = { .set = true, .ref = TRACE_REF_NONE, .ts = ts, .file = v->file,
			       .pid = -1,
			       .cpu = cpu };

	if (task < SCHED_IDLE_TASK)
		place.pid = timeline_pid(v, task);
	sched_unlock(v->sched);
	host_jump_to(v->host, &place);
	sched_lock(v->sched);
}

bool timeline_refuse_group(struct view *v)
{
	const struct timeline_row *row = timeline_here(v);

	if (!row || row->kind != TIMELINE_GROUP)
		return false;
	host_message(v->host, "this row is a group of tasks: choose one of them; e opens it");
	return true;
}

/* Go to the waker of the task under the cursor; in a sleep, of the wake-up that ends it. */
static void go_to_waker(struct view *v)
{
	uint32_t task = timeline_task_here(v), waker;
	struct sched_wake_record record;
	struct pyramid_state wait;
	int cpu = -1;

	if (timeline_refuse_group(v))
		return;
	if (task >= SCHED_IDLE_TASK || !sched_cause_wait(v->sched, task, v->cursor, &wait)) {
		host_message(v->host, "no wake-up that led here, or ends the sleep, was recorded");
		return;
	}
	waker = sched_waker(v->sched, wait.arg);
	if (sched_cause_wake(v->sched, task, wait.from, &record))
		cpu = record.cpu;
	go_along(v, wait.from, waker, cpu);
}

/* The task woken next by this row's task, or on this CPU; false if there is none. */
static bool next_wake(struct view *v, uint32_t *woken, int64_t *ts)
{
	static const struct pyramid_find any = { .kinds = 1u << SCHED_MARK_WOKE };
	const struct timeline_row *row = timeline_here(v);
	struct sched_wake_record record;
	struct pyramid_state wake;

	if (row && row->kind == TIMELINE_CPU &&
	    sched_cause_next_wake(v->sched, row->index, v->cursor, &record, woken)) {
		*ts = record.ts;
		return true;
	}
	if (!row || row->kind != TIMELINE_OF_TASK ||
	    !pyramid_find_next(sched_wakes(v->sched, row->index), sched_end(v->sched),
			       time_after(v->cursor, -1), &any, &wake))
		return false;
	*woken = wake.arg;
	*ts = wake.from;
	return true;
}

/* Go to the run of the task that is woken here next. */
static void go_to_wakee(struct view *v)
{
	static const struct pyramid_find runs = { .kinds = 1u << SCHED_RUNS };
	struct pyramid_state run;
	uint32_t woken;
	int64_t ts;

	if (timeline_refuse_group(v))
		return;
	if (!next_wake(v, &woken, &ts))
		host_message(v->host, "no task is woken from here on");
	else if (!pyramid_find_next(sched_task(v->sched, woken), sched_end(v->sched),
				    time_after(ts, -1), &runs, &run))
		host_message(v->host, "the woken task does not run again");
	else
		go_along(v, run.from, woken, -1);
}

bool timeline_here_is_open(const struct view *v)
{
	const struct timeline_row *row = timeline_here(v);

	return row && (row->kind == TIMELINE_IDLE_CPUS ? v->shows_idle :
		       row->kind == TIMELINE_GROUP     ? v->groups.list[row->index].open :
		       row->kind == TIMELINE_CPUS      ? timeline_cpus_are_open(v, row->index) :
		       timeline_row_cpu(row)           ? timeline_is_unfolded(v, row->index) :
							 false);
}

#define NO_INTERRUPTS	"no interrupts were recorded: irq, softirq, irq_vectors"

/* The group that the cursor's task is in; NULL: none. */
static struct timeline_group *group_here(struct view *v)
{
	for (uint32_t i = 0; i < v->nr_tasks; i++)
		if (v->tasks[i] == v->here.index && v->group_of[i] != UINT32_MAX)
			return &v->groups.list[v->group_of[i]];
	return NULL;
}

/* What is unfolded there, or the group that it is in. */
bool timeline_is_open(struct view *v)
{
	const struct timeline_row *row = timeline_here(v);

	return timeline_here_is_open(v) || (row && row->kind == TIMELINE_OF_TASK && group_here(v));
}

static void close_group(struct view *v)
{
	struct timeline_group *group = group_here(v);

	group->open = false;
	timeline_choose_row(v, TIMELINE_GROUP, (uint32_t)(group - v->groups.list));
}

/* Opens or closes a group of CPUs; closing one that is closed closes the group around it. */
static void fold_cpus(struct view *v, uint32_t group, bool open)
{
	uint32_t parent = v->cpu_groups.list[group].parent;

	if (!open && !timeline_cpus_are_open(v, group) && parent != CPU_NO_GROUP)
		group = parent;
	v->folds[group] = open ? TIMELINE_OPENED : TIMELINE_CLOSED;
	timeline_choose_row(v, TIMELINE_CPUS, group);
}

/* Show or hide the tasks or CPUs of a group, the rows of a CPU's interrupts, or of idle CPUs. */
static void fold(struct view *v, bool open)
{
	const struct timeline_row *row = timeline_here(v);

	if (row && row->kind == TIMELINE_IDLE_CPUS)
		v->shows_idle = open;
	else if (row && row->kind == TIMELINE_GROUP)
		v->groups.list[row->index].open = open;
	else if (row && row->kind == TIMELINE_CPUS)
		fold_cpus(v, row->index, open);
	else if (row && !open && row->kind == TIMELINE_CPU && !timeline_here_is_open(v) &&
		 v->cpu_groups.of[row->index] != CPU_NO_GROUP)
		fold_cpus(v, v->cpu_groups.of[row->index], false);
	else if (row && !open && row->kind == TIMELINE_OF_TASK && group_here(v))
		close_group(v);
	else if (!row || !timeline_row_cpu(row))
		host_message(v->host, "only rows of CPUs and of groups unfold");
	else if (open && !sched_has_contexts(v->sched))
		host_message(v->host, NO_INTERRUPTS);
	else if (!open && row->kind == TIMELINE_CPU && !timeline_here_is_open(v))
		host_message(v->host, "no rows of interrupts are shown for this CPU");
	else
		timeline_unfold(v, row->index, open);
	if (row && !open && (row->kind == TIMELINE_IRQS || row->kind == TIMELINE_SOFTIRQS))
		timeline_choose_row(v, TIMELINE_CPU, row->index);
}

static void fold_all(struct view *v, bool open)
{
	v->shows_idle = open;
	for (uint32_t i = 0; i < v->cpu_groups.nr; i++)
		v->folds[i] = open ? TIMELINE_OPENED : TIMELINE_CLOSED;
	if (open && !sched_has_contexts(v->sched) && v->cpu_groups.nr)
		return;
	if (open && !sched_has_contexts(v->sched)) {
		host_message(v->host, NO_INTERRUPTS);
		return;
	}
	v->list = open ? 'i' : v->list == 'i' ? 'm' : v->list;
	v->nr_turned = 0;
}

static void pin(struct view *v)
{
	const struct timeline_row *here = timeline_here(v);
	struct timeline_row row;

	if (!here)
		return;
	row = *here;
	if (timeline_row_task(&row))
		row.kind = TIMELINE_OF_TASK;
	if (row.kind == v->arrived_pin.kind && row.index == v->arrived_pin.index)
		v->has_arrived_pin = false;	/* the user's now */
	timeline_pin(v, &row);
}

static bool move_cursor(struct view *v, enum request request)
{
	int rows = request_rows(request, v->body_rows, NULL);
	int64_t first, last;

	if (rows)
		return timeline_move_row(v, rows), true;
	switch ((int)request) {
	case REQ_RIGHT:
	case REQ_LEFT:
		if (timeline_here(v) && timeline_here(v)->kind == TIMELINE_IDLE_CPUS)
			return fold(v, request == REQ_RIGHT), true;
		return move_columns(v, request == REQ_RIGHT ? 1 : -1), true;
	case REQ_SIDE_RIGHT:
	case REQ_SIDE_LEFT:
		return move_columns(v, request == REQ_SIDE_RIGHT ? v->columns / 2 :
								   -(int64_t)(v->columns / 2)),
		       true;
	case REQ_FIRST:
	case REQ_LAST:
		if (sched_span(v->sched, &first, &last))
			timeline_show_moment(v,
					     request == REQ_FIRST ? first : last - (last > first));
		return true;
	}
	return false;
}

bool timeline_move(struct view *v, enum request request)
{
	if (move_cursor(v, request))
		return true;
	switch ((int)request) {
	case REQ_MORE:
	case REQ_LESS:
		return zoom(v, request == REQ_MORE), true;
	case REQ_RESET:
		return whole(v), true;
	case REQ_TRACK_NEXT:
	case REQ_TRACK_PREV:
		return change(v, request == REQ_TRACK_NEXT, false), true;
	case REQ_SAME_NEXT:
	case REQ_SAME_PREV:
		return change(v, request == REQ_SAME_NEXT, true), true;
	case REQ_SLOW_NEXT:
	case REQ_SLOW_PREV:
		return slow(v, request == REQ_SLOW_NEXT), true;
	case REQ_WAKER:
		return go_to_waker(v), true;
	case REQ_WAKEE:
		return go_to_wakee(v), true;
	case REQ_PIN:
		return pin(v), true;
	case REQ_FOLD_OPEN:
	case REQ_FOLD_CLOSE:
		return fold(v, request == REQ_FOLD_OPEN), true;
	case REQ_OPEN_ALL:
	case REQ_CLOSE_ALL:
		return fold_all(v, request == REQ_OPEN_ALL), true;
	}
	return false;
}
