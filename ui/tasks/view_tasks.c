/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_tasks - tables of what each task and each CPU did in the range. A worker adds up the
 * figures; partial sums are shown.
 */
#include "ui/tasks/view_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/rows/kept.h"

/* --- its life ------------------------------------------------------------------------ */

static struct view *tasks_open(const struct view_ops *ops, const struct view_host *host,
			       struct shared *shared)
{
	struct view *v = mem_alloc(sizeof(*v));

	(void)ops;
	v->host = host;
	v->shared = shared;
	tasks_table_init(v);
	return v;
}

static struct view *now_open(const struct view_ops *ops, const struct view_host *host,
			     struct shared *shared)
{
	struct view *v = tasks_open(ops, host, shared);

	v->is_now = true;
	v->window.left_at = TRACE_REF_NONE;
	v->order[TASKS_OF_TASKS][0].column = table_column_own(&task_columns, TASK_LONGEST_ANY_WAIT);
	return v;
}

static void tasks_close(struct view *v)
{
	now_forget(v);
	tasks_forget(v);
	for (unsigned int i = 0; i < TASKS_LISTS; i++)
		folds_fini(&v->folds[i]);
	free(v);
}

static bool tasks_waits(struct view *v)
{
	unsigned int permille;

	return !v->table.nr && !tasks_is_done(v, &permille);
}

static void tasks_retrace(struct view *v)
{
	struct task_figures figures = { 0 };

	v->renewed = v->shared->growth.has_more && v->now.figures.done && !v->table.comparing &&
		     !v->file;
	if (v->shared->growth.has_more)
		tasks_seek(v);
	else
		v->sought.task.pid = 0;
	if (v->renewed) {
		figures = v->now.figures;
		v->now.figures = (struct task_figures){ 0 };
	}
	tasks_forget(v);
	now_forget(v);
	v->now.figures = figures;
	v->now.has_figures = v->renewed;
	v->file = 0;
}

static void tasks_show_file(struct view *v, unsigned int file)
{
	if (file != v->file)
		tasks_forget(v);
	v->file = file;
}

/* The same list, groups and row, of the other figures. */
static void tasks_follow_view(struct view *v, struct view *former)
{
	tasks_show_file(v, former->file);
	v->list = former->list;
	v->by = former->by;
	v->tab = former->tab;
	v->window.chosen |= former->window.chosen;
	table_home(&v->table);
	if (former->table.has_here) {
		tasks_seek(former);
		v->sought = former->sought;
		v->table.here = former->table.here;
		v->table.has_here = true;
		tasks_follow(v);
	}
	tasks_sort(v);
}

/* --- requests -------------------------------------------------------------------------- */

/* Compares the range with the rest of the trace, or the file with the next one. */
static void compare(struct view *v)
{
	if (tasks_is_of_pairs(v)) {
		host_message(v->host, "the lists of tasks, CPUs and events compare: o t");
		return;
	}
	if (!table_compare(&v->table))
		return;
	tasks_count(v);
	tasks_sort(v);
}

static struct place place_of(const struct view *v, uint32_t pid, int64_t ts)
{
	return (struct place){ .set = true, .ref = TRACE_REF_NONE, .file = v->file, .ts = ts,
			       .pid = (int)pid, .cpu = -1,
			       .subject = (int)pid > 0 ? (int)pid : 0 };
}

/* The worst of a CPU: its longest queue, or when it was spare. */
static bool worst_of_cpu(struct view *v, enum task_worst kind, struct place *place, int64_t *length)
{
	const struct cpu_sums *c = &v->now.figures.cpus[tasks_row(v)];
	struct run_queue_place at = { 0 };

	if (kind == TASK_LONGEST_QUEUE && c->queue.most)
		at = c->queue.most_at;
	else if (kind == TASK_LONGEST_SPARE)
		at = c->queue.spare_at;
	*place = place_of(v, -1, at.from);
	place->cpu = !c->cpus ? c->cpu : kind == TASK_LONGEST_QUEUE ? c->most_cpu : c->spare_cpu;
	place->to = time_after(at.from, at.length);
	*length = at.length;
	return at.length;
}

/*
 * Where Enter goes for the row under the cursor: the worst case of a pair, or of the column that
 * tasks or CPUs are sorted by; false: none.
 */
static bool worst(struct view *v, struct place *place, int64_t *length)
{
	static const enum task_stay stays[] = {
		[TASK_LONGEST_WAIT] = TASK_WAITED, [TASK_LONGEST_WAKE] = TASK_WAITED,
		[TASK_LONGEST_RUN] = TASK_RAN,
		[TASK_LONGEST_SLEEP] = TASK_SLEPT, [TASK_LONGEST_BLOCK] = TASK_WAS_BLOCKED,
	};
	const struct task_pair *pair;
	struct task_longest longest;
	const struct sched_task *t;
	struct tasks_pair here;
	enum task_worst kind;

	if (tasks_pair_here(v, &here)) {
		pair = tasks_pair_row(v, here).pair;
		*place = place_of(v, pair->pid, pair->max_ts);
		place->to = time_after(pair->max_ts, pair->max);
		*length = pair->max;
		return pair->count;
	}
	if ((v->list != TASKS_OF_TASKS && v->list != TASKS_OF_CPUS) || !v->table.nr)
		return false;
	kind = (enum task_worst)v->table.columns->list[table_sorted_by(&v->table)].own;
	if (v->list == TASKS_OF_CPUS)
		return worst_of_cpu(v, kind, place, length);
	t = &v->now.figures.tasks[tasks_row(v)];
	if (kind == TASK_LONGEST_ANY_WAIT)
		kind = TASK_LONGEST_WAIT;
	longest = v->now.figures.sums[tasks_row(v)].longest[stays[kind]];
	if (kind == TASK_LONGEST_WAKE ||
	    (kind == TASK_LONGEST_WAIT && longest.length <= t->max_wakeup))
		longest = (struct task_longest){ t->max_wakeup, t->max_wake_ts,
						 t->max_wake_pid ? t->max_wake_pid : t->pid };
	if (!longest.length)
		return false;
	*place = place_of(v, longest.of, longest.ts);
	place->to = time_after(longest.ts, longest.length);
	*length = longest.length;
	return true;
}

static bool tasks_span_of(struct view *v, bool end, struct place *place)
{
	int64_t length;

	if (!worst(v, place, &length))
		return false;
	if (end)
		place->ts = place->to;
	place->to = 0;
	return true;
}

/* To the next event of this type, in Events. */
static void enter_type(struct view *v)
{
	struct find find = { .kind = FIND_NAME, .forward = true, .what = "event of this type" };
	struct place place = v->shared->at.here;

	find.type_id = (int)tasks_key(v, tasks_row(v));
	if (v->scope.of.has_from) {
		place = (struct place){ .set = true, .ref = TRACE_REF_NONE, .pid = -1, .cpu = -1 };
		place.ts = v->scope.of.from;
	}
	host_enter(v->host, VIEW_EVENTS, place);
	host_find(v->host, &find);
}

/* Goes to the worst case in the Timeline, else to the row of the task or CPU there. */
void tasks_enter(void *view)
{
	struct view *v = view;
	struct place place;
	int64_t length;

	if (v->list == TASKS_OF_TYPES) {
		enter_type(v);
		return;
	}
	if (!worst(v, &place, &length)) {
		uint64_t key = tasks_key(v, tasks_row(v));

		place = v->shared->at.here;
		place.ref = TRACE_REF_NONE;
		place.file = v->file;
		place.pid = v->list == TASKS_OF_CPUS ? -1 : (int)key;
		if (v->list == TASKS_OF_TASKS)
			place.ts = sched_task_time(&v->now.figures.tasks[tasks_row(v)], place.ts);
		place.cpu = v->list == TASKS_OF_CPUS ? (int)key : -1;
	}
	host_enter(v->host, VIEW_TIMELINE, place);
}

static void filter_from_here(struct view *v, char letter, bool without)
{
	static const char *const task = "here: t the task, p its process";
	const char *const here[TASKS_LISTS] = { task, "here: c the CPU", "here: e the event", task,
						task };
	uint32_t row = tasks_row(v);
	uint64_t key = tasks_is_of_pairs(v) ? tasks_key(v, row) >> 32 : tasks_key(v, row);
	struct place place = { .file = v->file, .ts = v->shared->at.last, .pid = (int)key,
			       .cpu = (int)key };
	struct text value = { 0 };

	if (v->list == TASKS_OF_CPUS && tasks_is_group(v, row)) {
		host_message(v->host, "this is a group of CPUs; f node == 1 filters by node");
	} else if (tasks_is_group(v, row) && strchr("ixtp", letter)) {
		tasks_filter_group(v, row, without);
	} else if (v->list == TASKS_OF_CPUS && strchr("ixc", letter)) {
		host_filter_from(v->host, &place, 'c', without);
	} else if (v->list != TASKS_OF_CPUS && v->list != TASKS_OF_TYPES &&
		   strchr("ixtp", letter)) {
		host_filter_from(v->host, &place, letter == 'p' ? 'p' : 't', without);
	} else if (v->list == TASKS_OF_TYPES && strchr("ixe", letter)) {
		tasks_name(v, row, &value);
		host_filter_by(v->host, NULL, text_str(&value), without);
	} else {
		host_message(v->host, "%s", here[v->list]);
	}
	text_fini(&value);
}

/* Opens the group or the task under the cursor, or closes it. */
static void unfold(struct view *v, bool open)
{
	if (tasks_is_group(v, tasks_row(v)) ||
	    (!open && !v->open && tasks_parent(v, tasks_row(v)) != TASK_NO_GROUP))
		tasks_open_group(v, open);
	else if (v->list != TASKS_OF_TASKS)
		host_message(v->host,
			     "+ opens a task: who preempted and who woke it; o t lists tasks");
	else if (open ? v->open == tasks_key(v, tasks_row(v)) : !v->open)
		host_message(v->host,
			     open ? "the task is open; - closes it" :
				    "nothing is open: + shows who preempted and woke a task");
	else
		tasks_unfold(v, open);
}

static bool is_open(struct view *v)
{
	if (!v->table.nr)
		return false;
	return tasks_is_group(v, tasks_row(v)) ? tasks_is_open(v, tasks_row(v)) :
						 v->open && v->open == tasks_key(v, tasks_row(v));
}

static bool tasks_request(struct view *v, enum request request, char letter)
{
	if (v->is_now && now_request(v, request))
		return true;
	if (!v->table.nr)
		return request == REQ_COMPARE && v->table.comparing ? compare(v), true : false;
	switch ((int)request) {
	case REQ_MORE:
	case REQ_LESS:
		return unfold(v, request == REQ_MORE), true;
	case REQ_FOLD_OPEN:
	case REQ_FOLD_CLOSE:
		return unfold(v, request == REQ_FOLD_OPEN), true;
	case REQ_OPEN_ALL:
	case REQ_CLOSE_ALL:
		return tasks_open_groups(v, request == REQ_OPEN_ALL), true;
	case REQ_COMPARE:
		return compare(v), true;
	case REQ_ONLY:
	case REQ_WITHOUT:
		return filter_from_here(v, letter, request == REQ_WITHOUT), true;
	}
	return table_request(&v->table, request, letter);
}

static bool tasks_pick(struct view *v, unsigned int file, int pid)
{
	return file == v->file && v->list == TASKS_OF_TASKS && tasks_show_task(v, (uint32_t)pid);
}

/* --- lists, text ------------------------------------------------------------------------ */

#define LISTS \
	{ 't', "tasks" }, { 'c', "CPUs" }, { 'e', "events" }, { 'p', "preempted by" }, \
	{ 'w', "woken by" }

static const struct list_tab groups[GROUPINGS_NR] = {
	[GROUPING_PROCESS] = { 'r', "processes" }, [GROUPING_CGROUP] = { 'g', "cgroups" },
	[GROUPING_NAME] = { 'b', "names" }, [GROUPING_USER] = { 'u', "users" },
	[GROUPING_CLASS] = { 'y', "classes" },
};

/* Two files are compared by name anyway. */
static const struct list_tab all_lists[] = { LISTS, { 'b', "names" }, { 'r', "processes" },
					     { 'g', "cgroups" }, { 'u', "users" },
					     { 'y', "classes" }, { 0, NULL } };
static const struct list_tab lists_of_files[] = { LISTS, { 'n', "next file" }, { 0, NULL } };

static const struct list_tab *tasks_lists(struct view *v)
{
	static struct list_tab lists[] = { LISTS, { 0, NULL }, { 0, NULL } };

	if (shared_other(v->shared, v->file) >= 0)
		return lists_of_files;
	lists[TASKS_LISTS] = groups[v->tab ? v->tab : GROUPING_NAME];
	return lists;
}

static const char letters[TASKS_LISTS] = { 't', 'c', 'e', 'p', 'w' };

static char tasks_list(struct view *v)
{
	return v->by && v->list == TASKS_OF_TASKS ? groups[v->by].letter : letters[v->list];
}

/* The next file begins with its tasks, so that Tab passes all lists of all files. */
static bool tasks_choose_list(struct view *v, char letter)
{
	enum tasks_list list = TASKS_OF_TASKS;

	if (letter == tasks_list(v))
		return true;
	for (unsigned int i = 0; i < TASKS_LISTS; i++)
		if (letters[i] == letter)
			list = (enum tasks_list)i;
	v->window.chosen = true;
	v->by = GROUPING_NONE;
	for (unsigned int by = 1; by < GROUPINGS_NR; by++)
		if (groups[by].letter == letter)
			v->by = v->tab = (enum grouping)by;
	if (letter == 'n') {
		v->list = list;
		tasks_show_file(v, (unsigned int)shared_other(v->shared, v->file));
		return true;
	}
	v->list = list;
	table_home(&v->table);
	tasks_count(v);
	tasks_sort(v);
	return true;
}

/* "tasks --sort=max_wait_ns", unless rows are as the command sorts them anyway */
static void tasks_command(struct view *v, struct text *out)
{
	const struct table_column *by = &v->table.columns->list[table_sorted_by(&v->table)];

	text_add(out, v->list == TASKS_OF_TYPES     ? "info" :
		      v->list == TASKS_OF_CPUS      ? "cpus" :
		      v->list == TASKS_OF_PREEMPTED ? "tasks --preempted" :
		      v->list == TASKS_OF_WOKEN     ? "tasks --woken" :
						      "tasks");
	if (v->list == TASKS_OF_TASKS && v->by)
		text_printf(out, " --by=%s", groupings[v->by].option);
	if (v->list == TASKS_OF_TASKS && by->name && strcmp(by->name, "run_ns") != 0 &&
	    !v->table.comparing && !v->table.order->inverted)
		text_printf(out, " --sort=%s", by->name);
}

static bool tasks_can(struct view *v, enum request request)
{
	if (request == REQ_MORE)
		return !tasks_has_nothing(v) && (v->list == TASKS_OF_TASKS || tasks_nr_groups(v));
	return !tasks_has_nothing(v) || request == REQ_NEXT_LIST;
}

static bool now_can(struct view *v, enum request request)
{
	return request == REQ_ENTER || request == REQ_SORT ? tasks_can(v, request) :
							     v->window.has_to;
}

static const enum request row_requests[] = { REQ_ENTER,       REQ_MORE,       REQ_LESS,
					     REQ_SORT,        REQ_SIDE_RIGHT, REQ_SIDE_LEFT,
					     REQ_SORT_INVERT, REQ_MARK_A,     REQ_MARK_B,
					     REQ_ONLY,        REQ_WITHOUT,    REQ_COPY,
					     REQ_NONE };

static const enum request bar[] = { REQ_ENTER,  REQ_WHY,       REQ_MORE,    REQ_VIEW,
				    REQ_FILTER, REQ_PICK_TASK, REQ_BACK,    REQ_HELP,
				    REQ_SORT,   REQ_NEXT_LIST, REQ_RECORD,  REQ_SORT_INVERT,
				    REQ_SEARCH, REQ_ONLY,      REQ_WITHOUT, REQ_GO,
				    REQ_DETAIL, REQ_OPTIONS,   REQ_NONE };

static const enum request now_bar[] = { REQ_ENTER,  REQ_WHY,   REQ_MORE,      REQ_LESS,
					REQ_LEFT,   REQ_RIGHT, REQ_VIEW,      REQ_PICK_TASK,
					REQ_BACK,   REQ_HELP,  REQ_NEXT_LIST, REQ_SAME_NEXT,
					REQ_LAST,   REQ_SORT,  REQ_FILTER,    REQ_RECORD,
					REQ_SEARCH, REQ_ONLY,  REQ_OPTIONS,   REQ_NONE };

static const struct view_word words[] = {
	{ REQ_VIEW, "Window", NULL },
	{ REQ_ENTER, "Worst", "show the longest wait of this task in Timeline; when sorted by max "
		"wake, sleep, blocked or max run, the longest of these. On who preempted or "
		"woke it, show the longest wait. On a CPU, show its row there. On an event "
		"type, show the next event" },
	{ REQ_SEARCH, NULL, "find text or /regex/ in the names" },
	{ REQ_MARK_A, NULL, "set mark A at the start of the interval that Enter shows" },
	{ REQ_MARK_B, NULL, "set mark B at its end" },
	{ REQ_MORE, "By whom", "open the group; or the task: who preempted and who woke it, how often, and how "
		"long it waited then" },
	{ REQ_LESS, NULL, "close it" },
	{ REQ_FOLD_OPEN, NULL, "open the group, its tasks or CPUs, or the groups in it; on a task as +; or close it" },
	{ REQ_OPEN_ALL, NULL, "open all groups; again closes them" },
	{ REQ_NEXT_LIST, "List", "switch between tasks, CPUs, event types, who preempted whom and "
		"who woke whom, and tasks in groups; with several files, then to the next file" },
	{ REQ_CHOOSE_LIST, NULL, "choose a list: t tasks, c CPUs, e event types, p preempted by, "
		"w woken by; tasks by b name, r process, g cgroup, u user, y class; n the next file" },
	{ REQ_PICK_TASK, NULL, "choose a task and go to its row" },
	{ REQ_COMPARE, NULL, "compare the range with the rest of the trace, or a file with "
		"the next one, or stop comparing. Rows that only the next file has are left "
		"out: ftop-trace diff lists them" },
	{ REQ_NONE, NULL, NULL },
};

/* Those of Now that Tasks has not. */
static const struct view_word now_words[] = {
	{ REQ_VIEW, "Whole", NULL },
	{ REQ_ENTER, "Worst", "show the longest wait of this task in the window, between A and B in "
		"Timeline; when sorted by max wake, sleep, blocked or max run, the longest of "
		"these. A recording goes on meanwhile, and q comes back to it" },
	{ REQ_SAME_NEXT, "Play", "play the trace: the window moves on as time passed (slower, if "
		"it is shorter than a second). Again stops it. While a recording goes on, stop "
		"the picture" },
	{ REQ_LEFT, NULL, "move the window back by its length" },
	{ REQ_RIGHT, "Move", "move the window on by its length" },
	{ REQ_MORE, NULL, "make the window longer: 1, 2, 5, 10 s …" },
	{ REQ_LESS, "Window", "make the window shorter" },
	{ REQ_FIRST, NULL, "move the window to the beginning of the trace" },
	{ REQ_LAST, "Follow", "move the window to the end of the trace; while a recording goes on, "
		"follow it" },
	{ REQ_NONE, NULL, NULL },
};

static const char *tasks_word(struct view *v, enum request request)
{
	static const char *const enter[TASKS_LISTS] = { "Worst", "Timeline", "Next", "Worst",
							"Worst" };

	if (request == REQ_MORE && v->table.nr && tasks_is_group(v, tasks_row(v)))
		return tasks_is_open(v, tasks_row(v)) ? "Close" : "Open";
	return request == REQ_ENTER ? enter[v->list] : NULL;
}

static struct table *tasks_table(struct view *v)
{
	return tasks_has_nothing(v) ? NULL : &v->table;
}

static const struct view_keys view_keys = {
	.bar = bar,
	.view = VIEW_NOW,
	.row = row_requests,
	.words = words,
	.can = tasks_can,
	.word = tasks_word,
};

static const struct view_keys now_keys = {
	.bar = now_bar,
	.view = VIEW_TASKS,
	.row = row_requests,
	.words = now_words,
	.more_words = words,
	.can = now_can,
	.word = tasks_word,
};

static bool now_has(const struct shared *shared)
{
	return shared->at.has_span && !trace_is_untimed(shared->trace, -1);
}

/* Lists with groups: the key for which of them are open. */
static const char *const kept_groups[TASKS_LISTS] = {
	[TASKS_OF_TASKS] = "groups", [TASKS_OF_CPUS] = "cpu_groups",
};

static void tasks_save(struct view *v, struct text *out)
{
	if (v->open)
		kept_add_numbers(out, "open", (uint64_t[]){ v->file, v->open }, 2);
	for (unsigned int i = 0; i < TASKS_LISTS; i++)
		if (kept_groups[i])
			folds_save(&v->folds[i], kept_groups[i], out);
	table_save(&v->table, out);
}

static void tasks_restore(struct view *v, const char *key, const char *value)
{
	uint64_t open[KEPT_MAX_NUMBERS];

	if (!strcmp(key, "open") && kept_numbers(value, open) == 2 &&
	    open[0] < trace_nr_files(v->shared->trace)) {
		v->file = (unsigned int)open[0];
		v->open = open[1];
	}
	for (unsigned int i = 0; i < TASKS_LISTS; i++)
		if (kept_groups[i] && !strcmp(kept_groups[i], key))
			folds_restore(&v->folds[i], value);
	table_restore(&v->table, key, value);
}

/* What Tasks and Now have in common */
#define OPS \
	.close = tasks_close, \
	.request = tasks_request, \
	.is_open = is_open, \
	.show_file = tasks_show_file, \
	.follow = tasks_follow_view, \
	.retrace = tasks_retrace, \
	.changed = tasks_changed, \
	.detail = &(const struct view_detail){ .say = tasks_say }, \
	.table = tasks_table, \
	.kept = &(const struct view_kept){ .save = tasks_save, .restore = tasks_restore }, \
	.lists = &(const struct view_lists){ \
		.all = all_lists, .now = tasks_lists, .tabs = true, \
		.scope = tasks_add_scope, .nr_scopes = 5, \
		.shown = tasks_list, .choose = tasks_choose_list, \
	}, \
	.moments = &(const struct view_moments){ .span = tasks_span_of }, \
	.search = &(const struct view_search){ .pick_task = tasks_pick }, \
	.commands = &(const struct view_commands){ \
		.whole_trace = true, .command = tasks_command, \
	}

const struct view_ops view_tasks_ops = {
	OPS,
	.open = tasks_open,
	.draw = tasks_draw,
	.left = tasks_left,
	.keys = &view_keys,
	.work = &(const struct view_work){ .take = tasks_count, .waits = tasks_waits },
};

const struct view_ops view_now_ops = {
	OPS,
	.open = now_open,
	.has = now_has,
	.draw = now_draw,
	.publish = now_publish,
	.go = now_go,
	.left = now_left,
	.keys = &now_keys,
	.work = &(const struct view_work){
		.take = now_take, .waits = tasks_waits, .moves = now_moves,
		.progressed = now_progressed,
	},
};
