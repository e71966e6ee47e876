/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary_lists - the worst of each kind, in the order in which to look at them, and what was not
 * recorded.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/events/known_events.h"
#include "src/events/verdicts.h"
#include "src/latency/latency.h"
#include "src/model/list_source.h"
#include "src/noise/noise.h"
#include "src/sched/task_table.h"
#include "src/summary/lacks.h"

#define KEEP	256u			/* instances of a kind: the longest may be doubtful */

struct summary_row {
	const char	*what, *of;	/* in the arena, printable */
	const char	*words;		/* sentences about it; its place is told after them */
	uint64_t	rank;		/* its number */
	uint64_t	nr, worst;
	bool		has_nr, has_worst, doubtful, late, has_at;
	int64_t		at;
	struct list_place begin, end;
	struct list_step step;
	const char	*shown_in;	/* name of the view that Enter leads to */
};

struct summary_model {
	struct trace	*trace;		/* borrowed */
	unsigned int	file;
	const struct list_speech *speech;	/* borrowed; NULL: no words */
	bool		is_part;	/* a range or filters leave out some of it */
	struct latency_kinds kinds;
	struct latency	*latency;	/* owned, as all below */
	struct latency_result result;
	struct task_table *table;
	struct task_figures figures;
	struct noise	*noise[NOISE_TRACERS];	/* NULL: not recorded */
	struct arena	arena;
	struct summary_row *rows;	/* [nr]; NULL: not made yet */
	uint32_t	nr, cap;
};

static struct summary_row *add(struct summary_model *m, const char *what)
{
	struct summary_row *row;

	mem_grow(&m->rows, m->nr, &m->cap);
	row = &m->rows[m->nr++];
	*row = (struct summary_row){ .what = what, .of = "", .words = "", .rank = m->nr,
				     .shown_in = "Events", .step = { .to = LIST_TO_EVENTS } };
	row->begin.ref = row->end.ref = TRACE_REF_NONE;
	row->begin.pid = row->begin.cpu = row->end.pid = row->end.cpu = -1;
	return row;
}

static const char *keep(struct summary_model *m, struct text *text)
{
	struct text printable = { 0 };
	const char *kept;

	text_printable(&printable, text_str(text), text->len);
	kept = arena_strndup(&m->arena, text_str(&printable), printable.len);
	text_fini(&printable);
	text_fini(text);
	return kept;
}

static void say_span(const struct summary_model *m, uint64_t length, struct text *out)
{
	if (m->speech)
		m->speech->span(m->speech->arg, (int64_t)length, out);
}

/* Such tasks are in no rank. */
static bool is_recorder(const struct summary_model *m, uint32_t pid, int64_t ts)
{
	return trace_is_recorder(m->trace, m->file, (int)pid, ts,
				 trace_comm(m->trace, m->file, (int)pid, ts));
}

/* --- lost events ------------------------------------------------------------------------------ */

static void add_trouble(struct summary_model *m)
{
	struct trace_status status = trace_status(m->trace);
	bool wrapped = false;
	trace_ref ref = trace_next_trouble(m->trace, trace_first(m->trace), &wrapped);
	struct trace_event event;
	struct summary_row *row;

	if (ref == TRACE_REF_NONE || !trace_event_at(m->trace, ref, &event))
		return;
	row = add(m, status.lost_events || status.lost_unknown ? "lost events" :
		     status.damaged_pages                      ? "damage" :
								 "trouble");
	row->nr = status.lost_events;
	row->has_nr = status.lost_events;
	row->has_at = true;
	row->at = event.ts;
	row->of = "what lasted meanwhile is doubtful";
	row->words =
		"Records are missing: what lasted meanwhile is doubtful (~) or not shown, times "
		"that tasks ran and all counts are lower bounds. ! goes to the next gap. ";
	row->begin.is_moment = true;
	row->begin.ref = ref;
	row->begin.ts = event.ts;
	row->begin.cpu = event.cpu;
}

/* --- nothing to lose -------------------------------------------------------------------------- */

static void add_absent(struct summary_model *m)
{
	struct text of = { 0 };
	struct summary_row *row;

	if (!sched_pass_absent(task_table_pass(m->table), &of)) {
		text_fini(&of);
		return;
	}
	row = add(m, "not recorded");
	row->of = keep(m, &of);
	row->words = "No event is lost, but nothing was recorded then: that time counts "
		     "nowhere, and what lasted when it began ends there. ";
}

/* --- stolen time ------------------------------------------------------------------------------ */

#define MUCH	100			/* a hundredth of the recorded time */

static bool steals_much(const struct summary_model *m)
{
	const struct machine *machine = trace_machine(m->trace, m->file);
	uint64_t ticks = machine_stolen(machine, -1);
	int64_t first, last;

	return ticks && trace_span(m->trace, &first, &last) &&
	       machine_ticks_ns(machine, ticks) * MUCH > (uint64_t)time_between(first, last);
}

static void add_stolen(struct summary_model *m)
{
	const struct machine *machine = trace_machine(m->trace, m->file);
	struct text of = { 0 }, words = { 0 };
	const struct machine_steal *most = machine_most_stolen(machine);
	struct summary_row *row;

	if (!most || !trace_stolen_text(m->trace, m->file, &of))
		return;
	row = add(m, "stolen time");
	row->worst = machine_ticks_ns(machine, most->ticks);
	row->has_worst = trace_unit(m->trace) == TRACE_UNIT_NS;
	text_printf(&words,
		    "The hypervisor ran others while CPUs of this virtual machine had work: %s. "
		    "Times that tasks ran, and all durations, contain it. ",
		    text_str(&of));
	text_clear(&of);
	text_printf(&of, "CPU %d, while the hypervisor ran others", most->cpu);
	row->of = keep(m, &of);
	row->words = keep(m, &words);
	if (most->since == INT64_MIN)
		return;
	row->has_at = true;
	row->at = most->since;
	row->begin = row->end =
		(struct list_place){ .is_moment = true, .ref = TRACE_REF_NONE, .ts = most->since,
				     .to = most->ts, .pid = -1, .cpu = most->cpu };
	row->end.ts = most->ts;
	row->step.to = LIST_TO_TIMELINE;
	row->step.marks = true;
	row->step.place = row->begin;
	row->shown_in = "Timeline";
}

/* --- latencies -------------------------------------------------------------------------------- */

/* Where Enter goes, as in Latency: calls in Graph, states in Timeline, others in Events. */
static void lead_to(struct summary_row *row, unsigned int number, const struct latency_instance *i)
{
	int cpu = i->cpu == UINT16_MAX ? -1 : i->cpu;

	row->begin = (struct list_place){ .is_moment = true, .ref = i->from, .ts = i->start,
					  .to = i->end, .pid = (int)i->pid, .cpu = cpu };
	row->end = (struct list_place){ .is_moment = true, .ref = i->to, .ts = i->end,
					.pid = (int)i->pid, .cpu = cpu };
	row->step.marks = true;
	if (number == LATENCY_CALL) {
		row->step.to = LIST_TO_GRAPH;
		row->step.place = row->end.ref == TRACE_REF_NONE ? row->begin : row->end;
		row->step.place.ts = i->start;
		row->shown_in = "Graph";
		return;
	}
	row->step.place = row->begin;
	if (number >= LATENCY_OWN_KINDS)
		return;
	row->step.to = LIST_TO_TIMELINE;
	row->step.place.ref = TRACE_REF_NONE;
	row->step.place.cpu = -1;
	row->shown_in = "Timeline";
}

/* The longest one of another task than the recorder's; theirs, if there are no others. */
static const struct latency_instance *longest_of(const struct summary_model *m,
						 const struct latency_kind *kind, bool *left_out)
{
	const struct latency_instance *longest = latency_longest(kind);

	*left_out = longest && !(longest->flags & LATENCY_OPEN) &&
		    is_recorder(m, longest->pid, longest->start);
	for (uint32_t i = 0; *left_out && i < kind->worst.nr; i++) {
		const struct latency_instance *one = &kind->worst.list[i];

		if (latency_counts(one) && !is_recorder(m, one->pid, one->start))
			return one;
	}
	*left_out = false;
	return longest;
}

#define LEFT_OUT	"The recorder's own tasks are left out. "

/* The task whose time it is, and why. */
static void say_whose(struct summary_model *m, unsigned int number,
		      const struct latency_instance *i, struct text *out)
{
	bool preempted = number == LATENCY_PREEMPTED && !latency_limit(i);
	struct text what = { 0 };

	latency_what(m->latency, number, i, number == LATENCY_WAKEUP, &what);
	if (number == LATENCY_CALL)
		text_printf(out, "%s, ", text_str(&what));
	text_printf(out, "%s-%" PRIu32, latency_comm(m->latency, i->pid, i->start), i->pid);
	if (preempted && !i->label)
		text_add(out, ", whose CPU was left idle");
	else if (number != LATENCY_CALL)
		text_printf(out, "%s%s",
			    number == LATENCY_WAKEUP ? " woken by " :
			    preempted                ? " preempted by " :
						       ", ",
			    text_str(&what));
	text_fini(&what);
}

static void add_kind(struct summary_model *m, unsigned int number)
{
	const struct latency_kind *kind = &m->result.kinds[number];
	bool left_out;
	const struct latency_instance *worst = longest_of(m, kind, &left_out);
	const char *about = known_events_kind(KNOWN_MEASURES, m->kinds.names[number]);
	struct text of = { 0 }, words = { 0 };
	struct summary_row *row;

	if (!worst)
		return;
	row = add(m, m->kinds.names[number]);
	row->nr = kind->sums.n;
	row->has_nr = kind->sums.n;
	row->has_worst = kind->sums.n && !(worst->flags & LATENCY_OPEN);
	row->worst = latency_duration(worst);
	row->late = kind->sums.late;
	row->doubtful = kind->sums.shared;
	row->has_at = true;
	row->at = worst->start;
	say_whose(m, number, worst, &of);
	if (worst->flags & LATENCY_OPEN) {
		text_printf(&words, "None%s has an end in the trace; the oldest began here: ",
			    kind->sums.n ? " that no task chose" : "");
	} else {
		text_add(&words, "The longest took ");
		say_span(m, row->worst, &words);
		text_add(&words, ": ");
	}
	text_printf(&words, "%s. %s: %s. ", text_str(&of), row->what,
		    about ?: "the time between two events");
	if (latency_doubt(m->latency, number))
		text_printf(&words, "It is %s. ", latency_doubt(m->latency, number));
	if (row->late)
		text_printf(&words, "There are %s (to record: -e sched_waking). ",
			    verdict_words(VERDICT_LACKS_WAKING, false));
	if (left_out)
		text_add(&words, LEFT_OUT);
	if (kind->sums.chosen)
		text_add(&words, number == LATENCY_CALL ?
					 "Calls that the idle task made are left out. " :
					 "Those that tasks chose, to sleep, are left out. ");
	row->of = keep(m, &of);
	row->words = keep(m, &words);
	lead_to(row, number, worst);
}

/* What made tasks late comes first, what they chose, such as sleep, last. */
static void add_latencies(struct summary_model *m)
{
	static const unsigned int first[] = { LATENCY_WAKEUP, LATENCY_PREEMPTED, LATENCY_BLOCKED,
					      LATENCY_CALL };

	for (unsigned int i = 0; m->result.nr && i < sizeof(first) / sizeof(first[0]); i++)
		add_kind(m, first[i]);
	for (unsigned int i = LATENCY_OWN_KINDS; i < m->result.nr; i++)
		add_kind(m, i);
	if (m->result.nr)
		add_kind(m, LATENCY_SLEEP);
}

/* --- tasks, noise ----------------------------------------------------------------------------- */

/* Append " behind encoder-168" if one task had the CPU for at least half of the wait. */
static void add_taker(const struct summary_model *m, const struct task_longest *wait,
		      struct text *out)
{
	const struct task_figures *f = &m->figures;

	if (wait->limit && wait->taken >= wait->length / 2)
		text_printf(out, ", %s", f->text.data + f->limits[wait->limit - 1]);
	else if (wait->unexplained && wait->taken >= wait->length / 2)
		text_printf(out, ", CPU %d was idle (not explained)", wait->cpu);
	else if (wait->pid && wait->taken >= wait->length / 2)
		text_printf(out, " behind %s-%" PRIu32,
			    trace_comm(m->trace, m->file, (int)wait->pid,
				       time_after(wait->ts, wait->length)),
			    wait->pid);
}

/* Append ", throttled for ~7.220 s of that, at longest by /web (10 ms of 100 ms)". */
static void add_throttled(const struct summary_model *m, uint32_t task, struct text *out)
{
	const struct task_figures *f = &m->figures;
	const struct task_longest *wait = &f->sums[task].longest[TASK_WAITED];
	const char *limit = wait->limit ? f->text.data + f->limits[wait->limit - 1] : "";

	if (!f->tasks[task].throttled)
		return;
	text_printf(out, ", throttled for %s", wait->limit && wait->guessed ? "~" : "");
	say_span(m, (uint64_t)f->tasks[task].throttled, out);
	text_add(out, " of that");
	if (!strncmp(limit, "throttled by ", 13))
		text_printf(out, ", at longest%s", strchr(limit, ' '));
}

static bool is_own(const struct summary_model *m, uint32_t task)
{
	const struct task_figures *f = &m->figures;

	return trace_is_recorder(m->trace, m->file, (int)f->tasks[task].pid, f->tasks[task].to,
				 f->text.data + f->comms[task]);
}

/* The longest wait for a CPU of all tasks, woken or preempted; and who waited most in all. */
static void add_longest_wait(struct summary_model *m)
{
	const struct task_figures *f = &m->figures;
	const struct task_longest *longest;
	struct text of = { 0 }, words = { 0 };
	struct summary_row *row;
	uint32_t worst = 0, most = 0;
	uint64_t waits = 0;
	bool left_out = false;

	while (worst < f->nr_tasks && is_own(m, worst))
		worst++;
	worst = worst < f->nr_tasks ? worst : 0;
	most = worst;
	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		waits += f->sums[i].waits;
		if (is_own(m, i)) {
			left_out |= f->sums[i].waits > 0;
			continue;
		}
		if (f->sums[i].longest[TASK_WAITED].length >
		    f->sums[worst].longest[TASK_WAITED].length)
			worst = i;
		if (f->tasks[i].wait > f->tasks[most].wait)
			most = i;
	}
	if (!f->nr_tasks || !f->sums[worst].longest[TASK_WAITED].length)
		return;
	longest = &f->sums[worst].longest[TASK_WAITED];
	row = add(m, "CPU wait");
	row->nr = waits;
	row->has_nr = row->has_worst = row->has_at = true;
	row->worst = (uint64_t)longest->length;
	row->at = longest->ts;
	text_printf(&of, "%s-%" PRIu32, f->text.data + f->comms[worst], f->tasks[worst].pid);
	text_printf(&words, "%s waited for a CPU for ", text_str(&of));
	say_span(m, row->worst, &words);
	add_taker(m, longest, &of);
	add_taker(m, longest, &words);
	text_add(&words, ", the longest wait of all, after a wake-up or a preemption. In all, ");
	text_printf(&words, "%s-%" PRIu32 " waited most: ", f->text.data + f->comms[most],
		    f->tasks[most].pid);
	say_span(m, (uint64_t)f->tasks[most].wait, &words);
	add_throttled(m, most, &words);
	text_add(&words, left_out ? ". " LEFT_OUT : ". ");
	row->of = keep(m, &of);
	row->words = keep(m, &words);
	row->begin = (struct list_place){ .is_moment = true, .ref = TRACE_REF_NONE,
					  .ts = longest->ts,
					  .to = time_after(longest->ts, longest->length),
					  .pid = (int)f->tasks[worst].pid, .cpu = -1 };
	row->end = row->begin;
	row->end.ts = row->begin.to;
	row->step.to = LIST_TO_TIMELINE;
	row->step.marks = true;
	row->step.place = row->begin;
	row->shown_in = "Timeline";
}

static void add_noise(struct summary_model *m, enum noise_tracer tracer)
{
	const struct noise_result *result = m->noise[tracer] ? noise_result(m->noise[tracer]) :
							       NULL;
	const struct noise_sample *worst;
	struct text words = { 0 };
	struct summary_row *row;

	if (!result || !result->nr_samples)
		return;
	worst = result->samples;
	row = add(m, noise_tracer_names[tracer]);
	row->nr = result->nr_samples;
	row->worst = worst->worst;
	row->has_nr = row->has_worst = row->has_at = true;
	row->doubtful = worst->doubtful;
	row->at = worst->ts;
	row->of = arena_printf(&m->arena, "the worst sample, on CPU %d", worst->cpu);
	text_add(&words, "The worst sample: ");
	say_span(m, worst->worst, &words);
	text_printf(&words, " on CPU %d. 7 Noise lists them all. ", worst->cpu);
	row->words = keep(m, &words);
	row->begin = (struct list_place){ .is_moment = true, .ref = worst->ref, .ts = worst->ts,
					  .pid = -1, .cpu = worst->cpu };
	row->step.place = row->begin;
}

/* --- what is in it ---------------------------------------------------------------------------- */

/* The most frequent event.  Only of whole, finished files, whose index has the counts. */
static void add_events(struct summary_model *m)
{
	struct trace_type_count *types = NULL;
	const struct trace_type_count *most = NULL;
	struct text name = { 0 }, words = { 0 };
	struct trace_event first;
	struct summary_row *row;
	uint64_t all = 0;
	unsigned int nr;

	if (m->is_part || trace_grows(m->trace) || trace_has_dropped(m->trace))
		return;
	nr = trace_type_counts(m->trace, &types);
	for (unsigned int i = 0; i < nr; i++) {
		if (types[i].file != m->file)
			continue;
		all += types[i].events;
		if (types[i].type && (!most || types[i].events > most->events))
			most = &types[i];
	}
	if (most && trace_event_at(m->trace, trace_first(m->trace), &first)) {
		row = add(m, "events");
		row->nr = all;
		row->has_nr = true;
		text_printf(&name, "most are %s, ", most->type->name);
		text_count(&name, most->events);
		text_printf(&name, " (%.0f %%)", (double)most->events * 100 / (double)all);
		text_counted(&words, all, "event");
		text_printf(&words, ", %s. 8 Counts counts them by their fields. ",
			    text_str(&name));
		row->of = keep(m, &name);
		row->words = keep(m, &words);
		row->begin.is_moment = true;
		row->begin.ref = trace_first(m->trace);
		row->begin.ts = first.ts;
		row->step.place = row->begin;
	}
	free(types);
}

/* --- what is missing ------------------------------------------------------------------------ */

static void add_lacks(struct summary_model *m)
{
	const struct lack *lack;
	struct summary_row *row;
	unsigned int at = 0;

	while ((lack = lacks_next(m->trace, m->file, &at))) {
		row = add(m, "not recorded");
		row->of = arena_printf(&m->arena, "%s: %s", lack->events, lack->tells);
		row->words = arena_printf(&m->arena,
					  "%s would tell %s. To record: press R, or run "
					  "ftop-trace record %s COMMAND. ",
					  lack->events, lack->tells, lack->record);
		row->step.to = LIST_STAYS;
		row->step.message = arena_printf(&m->arena, "ftop-trace record %s COMMAND",
						 lack->record);
		row->shown_in = NULL;
	}
}

static void make_rows(struct summary_model *m)
{
	bool stolen = steals_much(m);

	add_trouble(m);
	add_absent(m);
	if (stolen)
		add_stolen(m);
	add_longest_wait(m);
	add_latencies(m);
	for (enum noise_tracer t = 0; t < NOISE_TRACERS; t++)
		add_noise(m, t);
	if (!stolen)
		add_stolen(m);
	add_events(m);
	add_lacks(m);
}

/* --- the model -------------------------------------------------------------------------------- */

static bool any(struct trace *trace, unsigned int file)
{
	(void)file;
	return trace_first(trace) != TRACE_REF_NONE;
}

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	*variant = 0;
	return list_find_file(trace, file, next, any);
}

static void end(void *model)
{
	struct summary_model *m = model;

	latency_free(m->latency);
	latency_result_fini(&m->result);
	latency_kinds_fini(&m->kinds);
	task_table_free(m->table);
	task_figures_fini(&m->figures);
	for (unsigned int t = 0; t < NOISE_TRACERS; t++)
		noise_free(m->noise[t]);
	arena_fini(&m->arena);
	free(m->rows);
	free(m);
}

static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct summary_model *m = mem_alloc(sizeof(*m));
	struct latency_options options = { .what = scope->what, .only = -1, .keep = KEEP,
					   .unchosen = true };
	struct task_table_options tasks = { .file = scope->what.file, .range = scope->what.range,
					    .filters = scope->what.filters,
					    .nr_filters = scope->what.nr_filters };

	m->trace = scope->trace;
	m->file = scope->what.file;
	m->speech = scope->speech;
	m->is_part = scope->what.range.set || scope->what.only || scope->what.nr_filters;
	latency_kinds_init(&m->kinds);
	latency_kinds_hooks(&m->kinds, m->trace, m->file);
	options.kinds = &m->kinds;
	m->latency = latency_new(m->trace, &options, err);
	if (!m->latency) {
		end(m);
		return NULL;
	}
	m->table = task_table_new(m->trace, &tasks);
	for (unsigned int t = 0; t < NOISE_TRACERS; t++)
		if (trace_has_event(m->trace, m->file, noise_tracer_names[t]))
			m->noise[t] = noise_new(m->trace, t, &scope->what);
	return m;
}

static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct summary_model *m = model;

	(void)err;
	if (wait) {
		latency_wait(m->latency);
		task_table_wait(m->table);
	}
	latency_take(m->latency, &m->result);
	task_table_take(m->table, &m->figures);
	if (permille)
		*permille = m->result.permille < m->figures.permille ? m->result.permille :
								       m->figures.permille;
	if (!m->result.done || !m->figures.done)
		return LIST_LATER;
	for (unsigned int t = 0; t < NOISE_TRACERS; t++)
		if (m->noise[t] &&
		    list_take_sweep(noise_sweep(m->noise[t]), wait, permille) != LIST_DONE)
			return LIST_LATER;
	make_rows(m);
	return LIST_DONE;
}

#define ROW(member)	TABLE_MEMBER(struct summary_row, member)
#define ROW_IF(member)	TABLE_IF(struct summary_row, member)

static const struct table_column columns[] = {
	{ .title = "kind",
	  .cells = 14,
	  .align = TABLE_LEFT,
	  ROW(what),
	  .help = "what was looked at" },
	{ .title = "#",
	  .cells = 4,
	  .kind = TABLE_COUNT,
	  .bar = TABLE_NO_BAR,
	  ROW(rank),
	  .goes_first = true,
	  .help = "the order in which to look at them" },
	{ .title = "n",
	  .cells = 8,
	  .kind = TABLE_COUNT,
	  ROW(nr),
	  ROW_IF(has_nr),
	  .help = "how many there are" },
	{ .title = "worst",
	  .cells = 11,
	  .kind = TABLE_DURATION,
	  ROW(worst),
	  ROW_IF(has_worst),
	  TABLE_DOUBT(struct summary_row, doubtful),
	  TABLE_LEAST(struct summary_row, late),
	  .marked = true,
	  .help = "the longest one" },
	{ .title = "at",
	  .cells = 14,
	  .kind = TABLE_MOMENT,
	  ROW(at),
	  ROW_IF(has_at),
	  .align = TABLE_LEFT,
	  .help = "when it began" },
	{ .title = "of",
	  .cells = 14,
	  .fills = true,
	  .align = TABLE_LEFT,
	  ROW(of),
	  .help = "the task, and what it was" },
};

enum { COLUMN_RANK = 1, COLUMN_WORST = 3 };

static const struct table_columns summary_columns = { TABLE_COLUMNS(columns), .clocked = true };

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	struct summary_model *m = model;

	(void)list;
	(void)by;
	return (struct list_rows){
		.columns = &summary_columns, .array = m->rows, .bytes = sizeof(*m->rows),
		.nr = m->nr, .order = COLUMN_RANK, .ascending = true, .figure = COLUMN_WORST,
		.heading = "the worst of each kind, in the order in which to look at them",
		.command = "summary", .damaged = m->result.damaged,
	};
}

static bool place(const void *model, unsigned int list, const void *of, bool end,
		  struct list_place *place)
{
	const struct summary_row *row = of;

	(void)model;
	(void)list;
	*place = end && row->end.is_moment ? row->end : row->begin;
	return place->is_moment;
}

static struct list_step enter(void *model, unsigned int list, const void *of)
{
	const struct summary_row *row = of;

	(void)model;
	(void)list;
	return row->step;
}

static void say(const void *model, unsigned int list, const void *of, struct text *heading,
		struct text *out)
{
	const struct summary_row *row = of;

	(void)model;
	(void)list;
	text_add(heading, row->what);
	text_add(out, row->words);
	if (row->shown_in)
		text_printf(out, "Enter shows it in %s.", row->shown_in);
	else
		text_add(out, "Enter shows the command.");
}

static const struct list_def lists[] = {
	{ "row", .name_least = 14, .name_most = 16, .figure_word = "worst" },
};

const struct list_source summary_list_source = {
	.title = "Summary",
	.short_title = "Sum",
	.about = "the worst of each kind, and what was not recorded",
	.command.name = "summary",	/* src/commands/cmd_summary.c */
	.lists = lists,
	.nr = 1,
	.help = {
		.enter_bar = "Show",
		.enter = "show the worst one: calls in Graph, waits in Timeline, others in Events, with A "
			 "and B at its start and end; for what was not recorded, the command; q returns",
		.mark_a = "set mark A where the worst one begins",
		.mark_b = "set mark B where it ends",
		.search = "find text or /regex/ in kinds and tasks",
	},
	.left = "Nothing is left.",
	.none = "The trace has no events.",
	.find = find,
	.begin = begin,
	.end = end,
	.take = take,
	.rows = rows,
	.place = place,
	.enter = enter,
	.say = say,
};
