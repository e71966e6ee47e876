/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_latency - how long things took: the kinds that the trace has, their instances, the worst
 * first, and what these have in common.
 */
#include "ui/latency/view_latency.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define MOST_DIGITS	9u		/* of pairs */
#define ALL_KINDS	'a'
#define NEXT_FILE	'n'

/*
 * The letters of kinds, by name; the user's have digits.  Those of the trace are offered, in the
 * order of struct latency_kinds.  A kind without a letter is reached by Tab and by :list NAME.
 */
static const struct list_tab all_lists[] = {
	{ ALL_KINDS, "kinds" },	   { 'c', "call" },	   { 'w', "wakeup" },
	{ 'p', "preempted" },	   { 'b', "blocked" },	   { 's', "sleep" },
	{ 'i', "irq" },		   { 'q', "softirq" },	   { 'r', "softirq_raise" },
	{ 't', "timer" },	   { 'l', "timer_late" },  { 'k', "work" },
	{ 'j', "work_delay" },	   { 'v', "vector" },	   { 'y', "syscall" },
	{ 'm', "lock" },	   { 'f', "irqsoff" },	   { 'e', "preemptoff" },
	{ 'd', "block" },	   { 'u', "block_queue" }, { 'g', "marker" },
	{ '1', "pair 1" },	   { '2', "pair 2" },	   { '3', "pair 3" },
	{ '4', "pair 4" },	   { '5', "pair 5" },	   { '6', "pair 6" },
	{ '7', "pair 7" },	   { '8', "pair 8" },	   { '9', "pair 9" },
	{ 0, NULL }
};

/* --- measuring --------------------------------------------------------------------------- */

static void drop_side(struct latency_side *side)
{
	if (side->next)
		drop_side(side->next);
	free(side->next);
	latency_free(side->latency);
	latency_result_fini(&side->result);
	free(side->groups);
	*side = (struct latency_side){ 0 };
}

static void drop_culprits(struct view *v)
{
	drop_side(&v->whole);
	culprits_fini(&v->culprits);
	v->nr_summed = 0;
}

static void drop(struct view *v)
{
	drop_side(&v->rest);
	drop_culprits(v);
	drop_side(&v->now);
	free(v->inside);
	v->inside = NULL;
}

static void make_kinds(const struct view *v, struct latency_kinds *kinds)
{
	latency_kinds_init(kinds);
	latency_kinds_hooks(kinds, v->shared->trace, v->file);
	latency_kinds_read_text(kinds, text_str(&v->shared->pairs), "", NULL);
}

/* @of: the side shown, which @side is, or takes the place of */
static void begin(struct view *v, const struct latency_side *of, struct latency_side *side)
{
	bool is_rest = of == &v->rest, is_whole = of == &v->whole;
	const struct latency_side *now = v->now.next ? v->now.next : &v->now;
	int other = is_rest ? shared_other(v->shared, v->file) : -1;
	struct latency_options options = {
		.what = call_scope_sweep(&v->scope, v->file),
		.outside = is_rest && other < 0, .kinds = &v->kinds,
		.only = is_whole ? v->kind : -1, .keep = LATENCY_KEEP,
		.each = is_whole ? latency_add_culprits : NULL, .each_arg = v,
		.like = of == &v->now ? NULL : now->latency,
	};
	struct ft_error err = { 0 };

	if (other >= 0) {
		options.what.file = (unsigned int)other;
		options.what.range.set = shared_other_has_range(v->shared, options.what.file);
	}
	side->latency = latency_next(side == v->now.next ? v->now.latency : NULL, v->shared->trace,
				     &options, &err);
	if (!side->latency)
		host_error(v->host, "%s", err.message);
}

/* True: there are new figures. */
static bool take(struct view *v, struct latency_side *of)
{
	struct latency_side *side = of->next ? of->next : of;

	if (!side->latency && call_scope_is_ready(&v->scope, v->shared->trace))
		begin(v, of, side);
	return side->latency && latency_take(side->latency, &side->result) && side == of;
}

/* The trace grew: measure it again.  A complete result is shown until the new one is complete. */
static void measure_next(struct latency_side *side)
{
	if (!side->result.done)
		drop_side(side);
	else if (side->next)
		drop_side(side->next);
	else
		side->next = mem_alloc(sizeof(*side->next));
}

static void show_next(struct latency_side *side)
{
	struct latency_side *next = side->next;

	if (!next)
		return;
	side->next = NULL;
	drop_side(side);
	*side = *next;
	free(next);
}

/* The rest has labels like those of the range: both become complete together. */
static bool show_complete(struct view *v)
{
	if (!v->now.next || !v->now.next->result.done ||
	    (v->rest.next && !v->rest.next->result.done))
		return false;
	show_next(&v->now);
	show_next(&v->rest);
	return true;
}

static void set_comparing(struct view *v, bool on)
{
	v->comparing = on;
	if (!on)
		drop_side(&v->rest);
}

struct sched_progress latency_sched(struct view *v)
{
	if (!v->sched)
		v->sched = shared_take_sched(v->shared, v->file);
	return sched_progress(v->sched);
}

static void grow(struct view *v)
{
	drop_culprits(v);
	if (v->sched && !shared_grow_sched(v->shared, v->sched, SCHED_IN_TRACE)) {
		shared_give_sched(v->shared, v->sched);
		v->sched = NULL;
	}
	measure_next(&v->now);
	measure_next(&v->rest);
}

/* Takes new figures; begins again for another scope. */
static void measure(struct view *v)
{
	bool changed = !v->kinds.nr, grew;
	enum call_scope_change change;

	if (!v->shared->trace)
		return;
	if (changed) {
		make_kinds(v, &v->kinds);
		v->kind = v->kind < (int)v->kinds.nr ? v->kind : -1;
	}
	change = changed ? CALL_SCOPE_CHANGED : call_scope_changed(&v->scope, v->shared, true);
	changed = change != CALL_SCOPE_SAME;
	if (change == CALL_SCOPE_CHANGED)
		drop(v);
	else if (change == CALL_SCOPE_GREW)
		grow(v);
	if (changed)
		call_scope_take(&v->scope, v->shared, true);
	if (v->comparing && !shared_can_compare(v->shared))
		set_comparing(v, false);
	changed |= take(v, &v->now);
	if (v->comparing)
		changed |= take(v, &v->rest);
	grew = show_complete(v);
	changed |= grew;
	if (v->by == LATENCY_BY_CULPRIT && v->now.latency && latency_sched(v).done)
		changed |= take(v, &v->whole);
	if (changed)
		latency_update(v);
	if (grew)
		table_leave_gone(&v->table);
}

static void compare(struct view *v)
{
	if (!v->table.lists[1])
		host_message(v->host, "kinds and groups of instances compare: o a, or +");
	else if (table_compare(&v->table))
		set_comparing(v, v->table.comparing);
	measure(v);
	latency_update(v);
}

static void show(struct view *v, int kind, enum latency_by by, unsigned int nr_levels)
{
	if (!v->whole.result.done)
		drop_culprits(v);	/* its worker reads the levels */
	while (v->nr_levels > nr_levels)
		text_fini(&v->levels[--v->nr_levels].name);
	v->kind = kind;
	v->by = by;
	table_home(&v->table);
}

static void forget(struct view *v)
{
	drop(v);
	call_scope_drop(&v->scope);
	shared_give_sched(v->shared, v->sched);
	v->sched = NULL;
	latency_kinds_fini(&v->kinds);
	table_fini(&v->table);
	text_fini(&v->most);
	v->most_kind = -1;
}

static int latency_pair(struct view *v, const char *pair, struct ft_error *err)
{
	struct latency_options options = { .what.file = v->file };
	struct latency *latency = NULL;
	struct latency_kinds kinds;

	make_kinds(v, &kinds);
	options.kinds = &kinds;
	options.only = (int)kinds.nr;
	if (!latency_kinds_add(&kinds, pair, true, err))
		latency = latency_new(v->shared->trace, &options, err);
	latency_free(latency);
	latency_kinds_fini(&kinds);
	if (!latency)
		return -1;
	text_printf(&v->shared->pairs, "\npair %s", pair);
	forget(v);
	show(v, -1, LATENCY_INSTANCES, 0);
	v->table.here = (uint64_t)options.only;
	v->table.has_here = true;
	measure(v);
	return 0;
}

static void show_file(struct view *v, unsigned int file)
{
	if (file == v->file)
		return;
	forget(v);
	show(v, -1, LATENCY_INSTANCES, 0);
	v->file = file;
}

/* --- its life ------------------------------------------------------------------------ */

static struct view *latency_open(const struct view_ops *ops, const struct view_host *host,
				 struct shared *shared)
{
	struct view *v = mem_alloc(sizeof(*v));

	(void)ops;
	v->host = host;
	v->shared = shared;
	v->kind = v->most_kind = -1;
	latency_rows_init(v);
	return v;
}

static void latency_close(struct view *v)
{
	forget(v);
	show(v, -1, LATENCY_INSTANCES, 0);
	free(v);
}

/* Did Enter or H lead here from the list of kinds? */
static unsigned int was_entered(const struct view *v)
{
	return v->nr_levels && v->levels[0].kind < 0;
}

/* Shows the same list again, of the trace as it is now. */
static void latency_retrace(struct view *v)
{
	unsigned int entered = was_entered(v);

	forget(v);
	show(v, v->kind, v->nr_levels > entered ? v->levels[entered].by : v->by, entered);
	v->file = 0;
}

static bool latency_waits(struct view *v)
{
	return !v->table.nr &&
	       (!v->now.result.done || (v->by == LATENCY_BY_CULPRIT && !v->whole.result.done));
}

/* --- lists ----------------------------------------------------------------------------- */

static struct list_tab list_of(const struct view *v, unsigned int kind)
{
	const char *name = v->kinds.names[kind];
	struct list_tab tab = { (char)(LIST_NO_KEY + kind % LIST_NO_KEY), name };

	if (kind >= v->kinds.nr_known && kind - v->kinds.nr_known < MOST_DIGITS)
		tab.letter = (char)('1' + kind - v->kinds.nr_known);
	for (const struct list_tab *i = all_lists; kind < v->kinds.nr_known && i->letter; i++)
		if (!strcmp(i->name, name))
			tab.letter = i->letter;
	return tab;
}

static const struct list_tab *latency_lists(struct view *v)
{
	unsigned int nr = 0;

	v->lists[nr++] = all_lists[0];
	for (unsigned int i = 0; i < v->now.result.nr && nr + 2 < LATENCY_MOST_LISTS; i++)
		if ((int)i == v->kind || latency_has_any(&v->now.result.kinds[i].sums))
			v->lists[nr++] = list_of(v, i);
	if (shared_other(v->shared, v->file) >= 0)
		v->lists[nr++] = (struct list_tab){ NEXT_FILE, "next file" };
	v->lists[nr] = (struct list_tab){ 0, NULL };
	return v->lists;
}

static char latency_list(struct view *v)
{
	return v->kind < 0 || !v->kinds.nr ? ALL_KINDS : list_of(v, (unsigned int)v->kind).letter;
}

static void show_kind(struct view *v, int kind, enum latency_by by, unsigned int nr_levels)
{
	const struct latency_kind *of;

	show(v, kind, by, nr_levels);
	if (by == LATENCY_BY_CULPRIT)
		drop_culprits(v);
	of = latency_kind_shown(v);
	if (of && !of->worst.nr && of->opens.nr && by == LATENCY_INSTANCES)
		v->by = LATENCY_OPENS;
	latency_update(v);
}

/* Remember the list that is left; @chosen: to the instances of a group alone. */
static void push(struct view *v, bool chosen)
{
	struct latency_level *level = &v->levels[v->nr_levels++];
	uint32_t row = latency_row_here(v);

	*level = (struct latency_level){ v->kind, v->by, table_key(&v->table, row), chosen };
	if (chosen)
		table_name(&v->table, row, &level->name);
}

static bool back(struct view *v)
{
	struct latency_level level;

	if (!v->nr_levels)
		return false;
	level = v->levels[v->nr_levels - 1];
	show(v, level.kind, level.by, v->nr_levels - 1);
	v->table.here = level.key;
	v->table.has_here = true;
	latency_update(v);
	return true;
}

static bool latency_choose_list(struct view *v, char letter)
{
	int other = shared_other(v->shared, v->file);

	measure(v);
	if (letter == NEXT_FILE && other >= 0)
		return show_file(v, (unsigned int)other), true;
	if (letter == ALL_KINDS)
		return show_kind(v, -1, LATENCY_INSTANCES, 0), true;
	for (unsigned int i = 0; i < v->kinds.nr; i++) {
		if (list_of(v, i).letter != letter)
			continue;
		if (v->now.result.done && !latency_has_any(&v->now.result.kinds[i].sums))
			return false;
		if ((int)i != v->kind || v->by != LATENCY_INSTANCES || latency_in_group(v))
			show_kind(v, (int)i, LATENCY_INSTANCES, 0);
		return true;
	}
	return false;
}

/* --- Enter ------------------------------------------------------------------------------ */

static struct place edge(const struct view *v, const struct latency_instance *i, bool end)
{
	struct place place = shared_place(v->shared, end ? i->to : i->from);

	if (!place.set || place.ts != (end ? i->end : i->start))
		place = (struct place){ .set = true, .ref = TRACE_REF_NONE, .file = v->file,
					.ts = end ? i->end : i->start, .pid = (int)i->pid,
					.cpu = i->cpu == UINT16_MAX ? -1 : i->cpu };
	place.subject = v->kind < LATENCY_OWN_KINDS ? (int)i->pid : 0;
	return place;
}

static bool latency_span(struct view *v, bool end, struct place *place)
{
	const struct latency_instance *i = latency_here(v);

	if (!i)
		return false;
	*place = edge(v, i, end);
	place->pid = (int)i->pid;	/* the record may be the waker's */
	return true;
}

/* The view that explains it: calls in Graph, a state at its task, the first record of others. */
static void show_instance(struct view *v, const struct latency_instance *i)
{
	struct place place = edge(v, i, false);
	enum view_id id = VIEW_EVENTS;

	if (v->kind == LATENCY_CALL) {
		id = VIEW_GRAPH;
		place = shared_place(v->shared, i->to == TRACE_REF_NONE ? i->from : i->to);
		place.ts = i->start;
	} else if (v->kind < LATENCY_OWN_KINDS) {
		id = VIEW_TIMELINE;
		place.ref = TRACE_REF_NONE;
		place.pid = (int)i->pid;
		place.cpu = -1;
		place.to = i->end;
	}
	v->shared->at.places.marks[0] = edge(v, i, false);
	v->shared->at.places.marks[1] = edge(v, i, true);
	host_enter(v->host, id, place);
}

void latency_enter(void *view)
{
	struct view *v = view;
	const struct latency_instance *i = latency_here(v);
	uint32_t row = latency_row_here(v);
	enum latency_by by = LATENCY_INSTANCES;
	bool is_kind = v->kind < 0;

	if (i) {
		show_instance(v, i);
		return;
	}
	if (latency_shown(v) == LATENCY_OF_GROUPS && !v->now.groups[row].sums.n &&
	    !v->now.groups[row].sums.doubtful)
		by = LATENCY_OPENS;
	push(v, !is_kind);
	show_kind(v, is_kind ? (int)row : v->kind, by, v->nr_levels);
}

/* Are these culprits, or instances that waited for one? */
static bool is_of_culprits(const struct view *v)
{
	return v->by == LATENCY_BY_CULPRIT ||
	       (latency_in_group(v) && v->levels[v->nr_levels - 1].by == LATENCY_BY_CULPRIT);
}

/* Shows the culprits for the list shown, or for the kind under the cursor. */
static void show_culprits(struct view *v)
{
	int kind = v->kind < 0 ? (int)latency_row_here(v) : v->kind;

	if (!latency_has_parts(kind)) {
		host_message(v->host, "H sums up what CPUs did while tasks waited: wakeup and "
				      "preempted have that");
	} else if (is_of_culprits(v)) {
		host_message(v->host, "these are the culprits; q returns");
	} else {
		push(v, false);
		show_kind(v, kind, LATENCY_BY_CULPRIT, v->nr_levels);
	}
}

/* The next or previous way to list the kind. */
static void list_by(struct view *v, bool next)
{
	unsigned int by = v->by;

	if (v->kind < 0) {
		host_message(v->host, next ? "Enter lists the instances; there + groups them" :
					     "the list of kinds; Enter lists the instances of one");
		return;
	}
	if (latency_in_group(v)) {
		back(v);
		return;
	}
	do
		by = (by + (next ? 1 : LATENCY_NR_BY - 1)) % LATENCY_NR_BY;
	while (!latency_offers(v, by));
	show_kind(v, v->kind, by, was_entered(v));
}

/* --- requests ---------------------------------------------------------------------------- */

static void filter_from_here(struct view *v, char letter, bool without)
{
	const struct latency_instance *i = latency_here(v);
	bool is_call = v->kind == LATENCY_CALL;
	struct text name = { 0 };
	struct place place;

	if (!latency_span(v, false, &place)) {
		host_message(v->host, "Enter lists instances; there i and x make filters");
	} else if (is_call && strchr("ixf", letter)) {
		latency_what(v->now.latency, LATENCY_CALL, i, false, &name);
		host_filter_by_function(v->host, text_str(&name), without);
	} else if (!strchr("ixtpc", letter) ||
		   !host_filter_from(v->host, &place, strchr("ix", letter) ? 't' : letter,
				     without)) {
		host_message(v->host, "here: t the task, p its process, c the CPU%s",
			     is_call ? ", f the function" : "");
	}
	text_fini(&name);
}

/* w: the record that woke the task; W: where it began to run; in Events. */
static void show_waking(struct view *v, bool woken)
{
	const struct latency_instance *i = latency_here(v);
	trace_ref ref = TRACE_REF_NONE;
	struct place place;

	if (i && v->kind == LATENCY_WAKEUP)
		ref = woken ? i->to : i->from;
	else if (i && !woken && (v->kind == LATENCY_SLEEP || v->kind == LATENCY_BLOCKED))
		ref = i->to;
	place = shared_place(v->shared, ref);
	if (!place.set) {
		host_message(v->host, woken ? "W shows where the task of a wake-up begins to run" :
					      "w shows what woke the task of a wakeup, sleep or "
					      "blocked instance");
		return;
	}
	host_enter(v->host, VIEW_EVENTS, place);
}

static bool latency_request(struct view *v, enum request request, char letter)
{
	switch ((int)request) {
	case REQ_BACK:
	case REQ_PLACE_BACK:
		return back(v);
	case REQ_MORE:
	case REQ_LESS:
		return list_by(v, request == REQ_MORE), true;
	case REQ_COMPARE:
		return compare(v), true;
	}
	if (!v->table.nr)
		return false;
	switch ((int)request) {
	case REQ_HOT_PATH:
		return show_culprits(v), true;
	case REQ_WAKER:
	case REQ_WAKEE:
		return show_waking(v, request == REQ_WAKEE), true;
	case REQ_ONLY:
	case REQ_WITHOUT:
		return filter_from_here(v, letter, request == REQ_WITHOUT), true;
	}
	return table_request(&v->table, request, letter);
}

/* --- words -------------------------------------------------------------------------------- */

static void latency_command(struct view *v, struct text *out)
{
	text_add(out, "latency");
	if (v->kind >= 0 && v->kinds.nr)
		text_printf(out, " --kind=%s", v->kinds.names[v->kind]);
	if (v->kind >= 0 && v->by == LATENCY_OPENS)
		text_add(out, " --open");
	if (latency_shown(v) == LATENCY_OF_CULPRITS)
		text_add(out, " --culprits");
	if (latency_shown(v) == LATENCY_OF_GROUPS)
		text_printf(out, " --by=%s", latency_groups_by[v->by].option);
}

static bool latency_can(struct view *v, enum request request)
{
	if (request == REQ_WHY)
		return latency_here(v);
	if (request == REQ_MORE)
		return v->kind >= 0;
	if (request == REQ_HOT_PATH)
		return latency_offers(v, LATENCY_BY_CULPRIT) && !is_of_culprits(v);
	return v->table.nr || request == REQ_NEXT_LIST;
}

static const char *latency_record(struct view *v)
{
	bool is_empty = v->now.result.done && !call_scope_is_limited(&v->scope) && v->kind < 0 &&
			!v->table.nr;

	return is_empty ? "-e sched_switch -e sched_waking -e sched_wakeup" : NULL;
}

static const enum request row_requests[] = { REQ_ENTER,      REQ_WHY,       REQ_MORE,
					     REQ_LESS,       REQ_HOT_PATH,  REQ_SORT,
					     REQ_SIDE_RIGHT, REQ_SIDE_LEFT, REQ_SORT_INVERT,
					     REQ_MARK_A,     REQ_MARK_B,    REQ_ONLY,
					     REQ_WITHOUT,    REQ_COPY,      REQ_NONE };

static const enum request bar[] = {
	REQ_ENTER, REQ_WHY, REQ_MORE, REQ_SORT, REQ_FILTER, REQ_NEXT_LIST, REQ_BACK, REQ_RECORD,
	REQ_HELP, REQ_SEARCH, REQ_RANGE, REQ_ONLY, REQ_WITHOUT, REQ_HOT_PATH, REQ_GO, REQ_DETAIL,
	REQ_OPTIONS, REQ_NONE
};

static const struct view_word words[] = {
	{ REQ_ENTER, "List", "on a kind, list the instances, the longest first; on an instance, set "
		"A and B at its start and end and show it: calls in Graph; wakeup, preempted, "
		"blocked and sleep in Timeline; others in Events. q returns. The bar above "
		"wake-ups and preemptions tells what the CPU did until the task ran: tasks █, "
		"interrupts ▀, idle ·, not known ░" },
	{ REQ_MORE, "Group", "list the kind in another way: sums by what it was, by "
		"task, by CPU; wake-ups by priority and by moved or not; wake-ups and preemptions "
		"by culprit, as H does; calls by the kernel's marks ($ @ * # ! +) of their "
		"duration, of their net time, and by leaf or not; last, those without an end" },
	{ REQ_LESS, NULL, "the previous of these" },
	{ REQ_HOT_PATH, "Culprits", "for wakeup and preempted, list what the CPUs on which the tasks then "
		"ran did meanwhile, summed over all instances, or over those of the open "
		"group; Enter lists the instances that waited for the row's culprit" },
	{ REQ_SEARCH, NULL, "find text or /regex/ in tasks and what they did" },
	{ REQ_RANGE, "Range", NULL },
	{ REQ_MARK_A, NULL, "set mark A at the start of the instance" },
	{ REQ_MARK_B, NULL, "set mark B at its end" },
	{ REQ_WAKER, NULL, "show in Events what woke the task" },
	{ REQ_WAKEE, NULL, "show in Events where the task of a wake-up begins to run" },
	{ REQ_COMPARE, NULL, "compare kinds or groups of the range with the rest of the trace, or "
		"those of a file with the next one's, or stop comparing" },
	{ REQ_NEXT_LIST, "Kind", "show the kinds, then each kind that the trace has; with several "
		"files, then the next file" },
	{ REQ_CHOOSE_LIST, NULL, "choose a list: a the kinds, w wakeup, c call…; n the next file" },
	{ REQ_NONE, NULL, NULL },
};

static const char *latency_word(struct view *v, enum request request)
{
	return request == REQ_ENTER && latency_here(v) ? "Show" : NULL;
}

static const struct view_keys view_keys = {
	.bar = bar,
	.row = row_requests,
	.words = words,
	.can = latency_can,
	.word = latency_word,
};

static struct table *latency_table(struct view *v)
{
	return v->table.nr ? &v->table : NULL;
}

static void latency_save(struct view *v, struct text *out)
{
	latency_set_rows(v, LATENCY_OF_KINDS);
	table_save(&v->table, out);
	latency_set_rows(v, LATENCY_OF_INSTANCES);
	table_save(&v->table, out);
	latency_set_rows(v, latency_shown(v));
}

static void latency_restore(struct view *v, const char *key, const char *value)
{
	for (unsigned int i = 0; i < LATENCY_OF_CULPRITS; i++) {
		latency_set_rows(v, i);
		table_restore(&v->table, key, value);
	}
	latency_set_rows(v, latency_shown(v));
}

const struct view_ops view_latency_ops = {
	.open = latency_open,
	.close = latency_close,
	.draw = latency_draw,
	.request = latency_request,
	.show_file = show_file,
	.retrace = latency_retrace,
	.keys = &view_keys,
	.detail = &(const struct view_detail){ .say = latency_say },
	.table = latency_table,
	.kept = &(const struct view_kept){ .save = latency_save, .restore = latency_restore },
	.lists = &(const struct view_lists){
		.all = all_lists, .now = latency_lists, .tabs = true,
		.scope = latency_add_scope, .nr_scopes = 2, .keeps_scope = true,
		.shown = latency_list, .choose = latency_choose_list,
	},
	.moments = &(const struct view_moments){ .span = latency_span, .pair = latency_pair },
	.commands = &(const struct view_commands){
		.whole_trace = true, .command = latency_command, .record = latency_record,
	},
	.work = &(const struct view_work){ .take = measure, .waits = latency_waits },
};
