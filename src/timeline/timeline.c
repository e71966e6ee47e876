/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/timeline/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/timeline/series.h"
#include "src/base/shorten.h"
#include "src/timeline/markers.h"
#include "src/timeline/timeline_groups.h"
#include "src/timeline/timeline_guests.h"
#include "src/timeline/timeline_plot.h"
#include "src/timeline/timeline_private.h"
#include "src/trace/cpu_groups.h"

#define LEAST_NAME	3u		/* cells that a name needs, if it is cut */

void timeline_set(struct timeline *t, struct sched *sched, int64_t from, int64_t step,
		  unsigned int columns)
{
	t->sched = sched;
	t->from = from;
	t->step = step < 1 ? 1 : step;
	if (columns + 1 > t->cap) {
		t->cap = columns + 1;
		t->edges = mem_resize(t->edges, t->cap, sizeof(*t->edges));
		t->sums = mem_resize(t->sums, t->cap, sizeof(*t->sums));
	}
	t->columns = columns;
	t->drawn = 0;
	for (unsigned int i = 0; i <= columns; i++)
		if (__builtin_mul_overflow(t->step, (int64_t)i, &t->edges[i]) ||
		    __builtin_add_overflow(t->edges[i], from, &t->edges[i]))
			t->edges[i] = INT64_MAX;
}

void timeline_fini(struct timeline *t)
{
	free(t->edges);
	free(t->sums);
	*t = (struct timeline){ 0 };
}

/* --- glyphs -------------------------------------------------------------------------- */

#define LEVELS	8u		/* heights of a cell; the highest one is a filled cell */

static const char *const heights[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const ascii_heights[] = { " ", ".", ":", "-", "-", "+", "*", "#", "#" };

/* What a cell can say, in the order of the legend. */
enum timeline_glyph {
	GLYPH_BLANK, GLYPH_RUNS, GLYPH_SEEN, GLYPH_WAITS, GLYPH_PREEMPTED, GLYPH_SLEEPS,
	GLYPH_BLOCKED, GLYPH_LOCKED, GLYPH_THROTTLED, GLYPH_FROZEN, GLYPH_IDLE,
	GLYPH_LOST, GLYPH_WOKEN, GLYPH_MIGRATED, GLYPH_RENAMED, GLYPH_INTERRUPT, GLYPH_COUNT,
	GLYPH_GOES_ON, GLYPH_WAKER, GLYPH_HOLDER, GLYPH_HOT,
};

/*
 * Each glyph means one thing in all rows, and no small letter is one: rows have names, too. The
 * words are for the legend.
 */
static const struct {
	const char	*glyph, *ascii;
	enum timeline_role role;
	const char	*word, *brief;	/* NULL: not in the legend */
} glyphs[] = {
	[GLYPH_BLANK] = { " ", " ", TIMELINE_TEXT, NULL, NULL },
	[GLYPH_RUNS] = { "▃█", "-#", TIMELINE_RUN, "runs", "run" },
	[GLYPH_SEEN] = { "╷", ",", TIMELINE_RUN, "event", "event" },
	[GLYPH_WAITS] = { "═", "=", TIMELINE_WAIT, "waits", "wait" },
	[GLYPH_PREEMPTED] = { "▒", "/", TIMELINE_PREEMPT, "preempted", "preempted" },
	[GLYPH_SLEEPS] = { "┈", "_", TIMELINE_SLEEP, "sleeps", "sleep" },
	[GLYPH_BLOCKED] = { "D", "D", TIMELINE_BLOCKED, "blocked", "blocked" },
	[GLYPH_LOCKED] = { "L", "L", TIMELINE_BLOCKED, "waits for a lock", "lock" },
	[GLYPH_THROTTLED] = { "T", "T", TIMELINE_BLOCKED, "throttled", "throttled" },
	[GLYPH_FROZEN] = { "F", "F", TIMELINE_BLOCKED, "frozen", "frozen" },
	[GLYPH_IDLE] = { "·", " ", TIMELINE_IDLE, "idle", "idle" },
	[GLYPH_LOST] = { "░", "?", TIMELINE_LOST, "not known", "unknown" },
	[GLYPH_WOKEN] = { "↑", "^", TIMELINE_WAKE, "woken", "woken" },
	[GLYPH_MIGRATED] = { "⇄", "%", TIMELINE_MIGRATE, "migrated", "moved" },
	[GLYPH_RENAMED] = { "»", ">", TIMELINE_MIGRATE, "renamed", "renamed" },
	[GLYPH_INTERRUPT] = { "▀", "\"", TIMELINE_IRQ, "interrupts", "irq" },
	[GLYPH_COUNT] = { "2▃", "2-", TIMELINE_SOFTIRQ, "events", "events" },
	[GLYPH_GOES_ON] = { "╌", "~", TIMELINE_SOFTIRQ, "continues", "continues" },
	[GLYPH_WAKER] = { "●", "@", TIMELINE_WAKE, "waker", "waker" },
	[GLYPH_HOLDER] = { "◎", "&", TIMELINE_WAKE, "holds the lock", "holder" },
	[GLYPH_HOT] = { "◆", "X", TIMELINE_RUN, "one CPU is busy", "hot CPU" },
};
#define NR_GLYPHS (sizeof(glyphs) / sizeof(glyphs[0]))

/* What a narrow legend leaves out, first what says most by itself. */
static const enum timeline_glyph spared[] = { GLYPH_GOES_ON, GLYPH_COUNT, GLYPH_RUNS, GLYPH_IDLE,
					      GLYPH_RENAMED, GLYPH_INTERRUPT, GLYPH_MIGRATED };
#define NR_SPARED (sizeof(spared) / sizeof(spared[0]))

/* Add the words of these glyphs, in full or in brief. */
static void add_legend(const struct timeline *t, uint32_t drawn, bool brief, struct text *out)
{
	for (unsigned int i = 0; i < NR_GLYPHS; i++) {
		const char *glyph = t->ascii ? glyphs[i].ascii : glyphs[i].glyph;

		if (!glyphs[i].word || !(drawn >> i & 1) || *glyph == ' ')
			continue;
		text_add(out, out->len ? (brief ? " " : "  ") : "");
		text_printf(out, "%s %s", glyph, brief ? glyphs[i].brief : glyphs[i].word);
	}
}

void timeline_legend(const struct timeline *t, int cells, struct text *out)
{
	struct text words = { 0 };
	uint32_t drawn = t->drawn;

	add_legend(t, drawn, false, &words);
	for (unsigned int i = 0; i <= NR_SPARED && text_cells(text_str(&words), words.len) > cells;
	     i++) {
		drawn &= i ? ~(1u << spared[i - 1]) : drawn;
		text_clear(&words);
		add_legend(t, drawn, true, &words);
	}
	text_add(out, text_str(&words));
	text_fini(&words);
}

void timeline_put(struct timeline_cell *cell, const char *s, enum timeline_role role, uint32_t task)
{
	size_t len = strlen(s);

	memset(cell->glyph, 0, sizeof(cell->glyph));
	memcpy(cell->glyph, s, len < sizeof(cell->glyph) ? len : sizeof(cell->glyph) - 1);
	cell->filled = false;
	cell->above = NULL;
	cell->held = TIMELINE_TEXT;
	cell->role = (uint8_t)role;
	cell->task = task;
}

static void put(struct timeline *t, struct timeline_cell *cell, enum timeline_glyph glyph)
{
	t->drawn |= 1u << glyph;
	timeline_put(cell, t->ascii ? glyphs[glyph].ascii : glyphs[glyph].glyph, glyphs[glyph].role,
		     SCHED_NO_TASK);
}

void timeline_put_waker(struct timeline *t, struct timeline_cell *cell)
{
	put(t, cell, GLYPH_WAKER);
}

void timeline_put_holder(struct timeline *t, struct timeline_cell *cell)
{
	put(t, cell, GLYPH_HOLDER);
}

static unsigned int most_levels(const struct timeline *t)
{
	return t->tall ? 2 * LEVELS : LEVELS;
}

static void put_height(const struct timeline *t, struct timeline_cell *cell, unsigned int level,
		       enum timeline_role role, uint32_t task)
{
	const char *const *glyph = t->ascii ? ascii_heights : heights;

	timeline_put(cell, glyph[level < LEVELS ? level : LEVELS], role, task);
	cell->above = level > LEVELS ? glyph[level - LEVELS] : NULL;
}

void timeline_put_bar(const struct timeline *t, struct timeline_cell *cell, double part,
		      enum timeline_role role)
{
	unsigned int most = most_levels(t),
		     level = part <= 0 ? 1 :
			     part >= 1 ? most :
					 1 + (unsigned int)(part * (most - 1) + 0.5);

	put_height(t, cell, level, role, SCHED_NO_TASK);
}

void timeline_put_count(const struct timeline *t, struct timeline_cell *cell, uint64_t nr,
			uint64_t most, enum timeline_role role)
{
	const char digit[] = { (char)('0' + nr % 10), '\0' };

	if (most > 9)
		timeline_put_bar(t, cell, (double)nr / (double)most, role);
	else
		timeline_put(cell, digit, role, SCHED_NO_TASK);
}

/* The share of a column that a task, or a CPU, runs: as a height; all of it as a filled cell. */
static void put_runs(struct timeline *t, struct timeline_cell *cell, uint64_t ns, uint64_t width,
		     uint32_t task)
{
	unsigned int most = most_levels(t);
	double part = (double)ns / (double)width * most + 0.5;
	unsigned int level = part < 1 ? 1 : part > most ? most : (unsigned int)part;

	t->drawn |= 1u << GLYPH_RUNS;
	put_height(t, cell, level, task < SCHED_IDLE_TASK ? TIMELINE_TASK : TIMELINE_RUN, task);
	cell->filled = level == most;
}

uint32_t timeline_task_pid(const struct timeline *t, uint32_t task)
{
	return sched_rules_task(sched_pass_rules(sched_pass_of(t->sched)), task)->pid;
}

/* The name of a task at a time: interned. */
const char *timeline_task_comm(const struct timeline *t, uint32_t task, int64_t ts)
{
	return sched_comm(t->sched, task, ts);
}

/* The name that a filled cell has room for. */
static const char *name_of(const struct timeline *t, const struct timeline_cell *cell, int64_t ts)
{
	return cell->role == TIMELINE_RUN ? markers_name(t->markers, cell->task) :
					    timeline_task_comm(t, cell->task, ts);
}

/* Filled cells of one task, or slice, from a column on, in which it has one name. */
static unsigned int nr_filled(const struct timeline *t, const struct timeline_cell *cells,
			      unsigned int from)
{
	uint32_t task = cells[from].task;
	const char *comm = NULL;
	unsigned int i = from;

	for (; i < t->columns && cells[i].filled && cells[i].task == task; i++) {
		const char *now = task < SCHED_IDLE_TASK ?
					  name_of(t, &cells[i], t->edges[i + 1] - 1) :
					  NULL;

		if (i > from && now != comm)
			break;
		comm = now;
	}
	return i - from;
}

/* Other characters in a filled cell. */
static void refill(struct timeline_cell *cell, const char *glyph, const char *above)
{
	timeline_put(cell, glyph, cell->role, cell->task);
	cell->filled = true;
	cell->above = above;
}

/* Write a name into filled cells, if enough of it fits to tell it from others. */
static void write_name(const struct timeline *t, struct timeline_cell *cells, unsigned int nr,
		       int64_t ts)
{
	const char *comm = name_of(t, cells, ts), *s;
	struct text name = { 0 };
	size_t left;

	text_printable(&name, comm, strlen(comm));
	s = text_str(&name);
	left = name.len;
	if (nr < LEAST_NAME && (unsigned int)text_cells(s, left) > nr)
		left = 0;
	for (unsigned int i = 0; i < nr && left; i++) {
		char glyph[5] = "";
		uint32_t cp;
		size_t n = text_decode(s, left, &cp);

		if (text_width(cp) != 1 || n >= sizeof(glyph))
			break;
		memcpy(glyph, s, n);
		refill(&cells[i], t->ascii && n > 1 ? "?" : glyph, cells[i].above);
		s += n;
		left -= n;
	}
	text_fini(&name);
}

/* --- rows of CPUs ---------------------------------------------------------------------- */

/* The task that most of a column's run time belongs to. */
static uint32_t top_task(const struct pyramid_sum *s)
{
	if (s->weight)
		return s->top;
	if (s->last_kind == SCHED_CPU_RUNS)
		return s->last_arg;
	return s->carried_kind == SCHED_CPU_RUNS ? s->carried_arg : s->top;
}

/* Without switches: a tick where there are events; how long the task ran is not known. */
static void put_seen(struct timeline *t, struct timeline_cell *cell, const struct pyramid_sum *s)
{
	bool task = s->touched >> SCHED_CPU_RUNS & 1;

	put(t, cell, task || s->touched >> SCHED_CPU_IDLE & 1 ? GLYPH_SEEN : GLYPH_BLANK);
	if (!task)
		return;
	cell->task = top_task(s);
	cell->role = TIMELINE_TASK;
}

static void draw_load(struct timeline *t, struct timeline_cell *cell, const struct pyramid_sum *s,
		      uint64_t width)
{
	if (s->touched >> SCHED_CPU_LOST & 1)
		put(t, cell, GLYPH_LOST);
	else if (sched_pass_is_seen(sched_pass_of(t->sched)))
		put_seen(t, cell, s);
	else if (s->touched >> SCHED_CPU_RUNS & 1)
		put_runs(t, cell, s->ns[SCHED_CPU_RUNS], width, top_task(s));
	else
		put(t, cell, s->touched >> SCHED_CPU_IDLE & 1 ? GLYPH_IDLE : GLYPH_BLANK);
}

/*
 * Name the runs that fill cells; a line separates runs of two tasks, a cell two names of one task.
 */
static void name_runs(struct timeline *t, struct timeline_cell *cells)
{
	const char *separator = t->ascii ? "|" : "│";

	for (unsigned int i = 0, n; i < t->columns; i += n) {
		unsigned int line = i && cells[i - 1].filled && cells[i - 1].task != cells[i].task;
		uint32_t task = cells[i].task;

		n = nr_filled(t, cells, i);
		if (n > 1 && task < SCHED_IDLE_TASK) {
			bool on = i + n < t->columns && cells[i + n].filled &&
				  cells[i + n].task == task;

			write_name(t, cells + i + line, n - line - on, t->edges[i + 1] - 1);
			if (line)
				refill(&cells[i], separator, t->tall ? separator : NULL);
		}
		n = n ? n : 1;
	}
}

/* Where interrupts take most of a column, it shows them, whatever they interrupt. */
static void draw_interrupts(struct timeline *t, unsigned int cpu, struct timeline_cell *cells)
{
	const struct pyramid *p = sched_contexts(t->sched, cpu);

	if (!p->nr_chunks)
		return;
	pyramid_columns(p, sched_end(t->sched), t->edges, t->columns, t->sums);
	for (unsigned int i = 0; i < t->columns; i++) {
		const uint64_t *ns = t->sums[i].ns;

		if ((ns[SCHED_CONTEXT_SOFTIRQ] + ns[SCHED_CONTEXT_IRQ] + ns[SCHED_CONTEXT_NMI]) *
			    2 >
		    (uint64_t)(t->edges[i + 1] - t->edges[i]))
			put(t, &cells[i], GLYPH_INTERRUPT);
	}
}

static void draw_cpu(struct timeline *t, const struct timeline_row *row,
		     struct timeline_cell *cells)
{
	pyramid_columns(sched_cpu(t->sched, row->index), sched_end(t->sched), t->edges, t->columns,
			t->sums);
	for (unsigned int i = 0; i < t->columns; i++)
		draw_load(t, &cells[i], &t->sums[i], (uint64_t)(t->edges[i + 1] - t->edges[i]));
	name_runs(t, cells);
	draw_interrupts(t, row->index, cells);
}

/* --- rows of groups of CPUs --------------------------------------------------------------- */

#define HOT_PART	4u		/* a CPU that is busy for this part of the window is hot */
#define MOST_HOT	2u		/* threads of a core; if more are hot, none stands out */

struct cpus_column {
	uint64_t	ran;		/* of all CPUs */
	uint32_t	hot;		/* the task of a hot CPU */
	uint32_t	nr_hot;
	bool		idle, lost;
};

/* Is a CPU busy for nearly all of a column? */
static bool is_full(const struct timeline *t, unsigned int column)
{
	uint64_t width = (uint64_t)(t->edges[column + 1] - t->edges[column]);

	return t->sums[column].ns[SCHED_CPU_RUNS] >= width - width / 8;
}

static void add_to_columns(struct timeline *t, uint32_t cpu, struct cpus_column *columns)
{
	unsigned int full = 0, least = t->columns / HOT_PART + 1;

	pyramid_columns(sched_cpu(t->sched, cpu), sched_end(t->sched), t->edges, t->columns,
			t->sums);
	for (unsigned int i = 0; i < t->columns; i++) {
		const struct pyramid_sum *s = &t->sums[i];

		columns[i].ran += s->ns[SCHED_CPU_RUNS];
		columns[i].idle |= s->touched >> SCHED_CPU_IDLE & 1;
		columns[i].lost |= s->touched >> SCHED_CPU_LOST & 1;
		full = is_full(t, i) ? full + 1 : 0;
		if (full < least)
			continue;
		for (unsigned int k = full == least ? i + 1 - least : i; k <= i; k++) {
			columns[k].hot = top_task(&t->sums[k]);
			columns[k].nr_hot++;
		}
	}
}

static bool stands_out(const struct cpus_column *c, uint32_t nr, uint64_t width)
{
	return c->nr_hot && c->nr_hot <= MOST_HOT && (double)c->ran * 2 < (double)width * nr;
}

static void draw_cpus(struct timeline *t, const struct timeline_row *row,
		      struct timeline_cell *cells)
{
	const struct cpu_group *group = &t->cpu_groups->list[row->index];
	struct cpus_column *columns = mem_array(t->columns + 1, sizeof(*columns));

	for (unsigned int i = 0; i < t->columns; i++)
		columns[i].hot = SCHED_NO_TASK;
	for (uint32_t i = 0; i < group->nr; i++)
		add_to_columns(t, t->cpu_groups->order[group->first + i], columns);
	for (unsigned int i = 0; i < t->columns; i++) {
		const struct cpus_column *c = &columns[i];
		uint64_t width = (uint64_t)(t->edges[i + 1] - t->edges[i]);

		if (stands_out(c, group->nr, width)) {
			put(t, &cells[i], GLYPH_HOT);
			cells[i].role = TIMELINE_TASK;
			cells[i].task = c->hot;
		} else if (c->ran) {
			put_runs(t, &cells[i], c->ran / group->nr, width, SCHED_NO_TASK);
		} else {
			put(t, &cells[i],
			    c->lost ? GLYPH_LOST :
			    c->idle ? GLYPH_IDLE :
				      GLYPH_BLANK);
		}
	}
	free(columns);
}

/* --- rows of interrupts ------------------------------------------------------------------ */

enum sched_context timeline_context(const struct timeline_row *row)
{
	return row->kind == TIMELINE_IRQS ? SCHED_CONTEXT_IRQ : SCHED_CONTEXT_SOFTIRQ;
}

/* How many begin, and whether there are any: of one CPU, or of all. */
void timeline_sum_contexts(const struct timeline *t, const struct timeline_row *row,
			   const int64_t *edges, unsigned int nr, struct pyramid_sum *sums)
{
	struct pyramid_sum *more;

	if (row->index != TIMELINE_ALL_CPUS) {
		pyramid_columns(sched_contexts(t->sched, row->index), sched_end(t->sched), edges,
				nr, sums);
		return;
	}
	memset(sums, 0, nr * sizeof(*sums));
	more = mem_array(nr, sizeof(*more));
	for (unsigned int cpu = 0; cpu < sched_nr_cpus(t->sched); cpu++) {
		pyramid_columns(sched_contexts(t->sched, cpu), sched_end(t->sched), edges, nr,
				more);
		for (unsigned int i = 0; i < nr; i++) {
			for (unsigned int kind = 0; kind < PYRAMID_KINDS; kind++)
				sums[i].begun[kind] += more[i].begun[kind];
			sums[i].touched |= more[i].touched;
			sums[i].kinds |= more[i].kinds;
		}
	}
	free(more);
}

/* Columns without an interrupt in which events of the CPU, or of any, are lost. */
static void draw_losses(struct timeline *t, const struct timeline_row *row,
			struct timeline_cell *cells)
{
	for (unsigned int cpu = 0; cpu < sched_nr_cpus(t->sched); cpu++) {
		if (row->index != TIMELINE_ALL_CPUS && row->index != cpu)
			continue;
		pyramid_columns(sched_cpu(t->sched, cpu), sched_end(t->sched), t->edges, t->columns,
				t->sums);
		for (unsigned int i = 0; i < t->columns; i++)
			if (t->sums[i].touched >> SCHED_CPU_LOST & 1 && cells[i].glyph[0] == ' ')
				put(t, &cells[i], GLYPH_LOST);
	}
}

static void draw_contexts(struct timeline *t, const struct timeline_row *row,
			  struct timeline_cell *cells)
{
	enum sched_context context = timeline_context(row);
	enum timeline_role role = context == SCHED_CONTEXT_IRQ ? TIMELINE_IRQ : TIMELINE_SOFTIRQ;

	uint32_t most = 0;

	timeline_sum_contexts(t, row, t->edges, t->columns, t->sums);
	for (unsigned int i = 0; i < t->columns; i++)
		most = t->sums[i].begun[context] > most ? t->sums[i].begun[context] : most;
	for (unsigned int i = 0; i < t->columns; i++) {
		uint32_t nr = t->sums[i].begun[context];
		bool touched = t->sums[i].touched >> context & 1;

		put(t, &cells[i], nr ? GLYPH_COUNT : touched ? GLYPH_GOES_ON : GLYPH_BLANK);
		cells[i].role = role;
		if (nr)
			timeline_put_count(t, &cells[i], nr, most, role);
	}
	draw_losses(t, row, cells);
}

/* --- rows of tasks ------------------------------------------------------------------------- */

/*
 * The state that most of a column is spent in; SCHED_UNKNOWN: records are missing; SCHED_GONE is
 * used for all other states without times.
 */
static enum sched_state most(const struct pyramid_sum *s, uint64_t width)
{
	enum sched_state best = SCHED_RUNS;
	uint64_t known = 0;

	for (unsigned int i = SCHED_RUNS; i <= PYRAMID_TIMED; i++) {
		known += s->ns[i];
		if (s->ns[i] > s->ns[best])
			best = i;
	}
	if (!known || (known < width && width - known > s->ns[best]))
		return s->touched & TIMELINE_MISSING ? SCHED_UNKNOWN : SCHED_GONE;
	return best;
}

/* A column shows a single wake-up, else what took most of it; running goes before sleeping. */
static enum timeline_glyph task_glyph(const struct timeline *t, const struct pyramid_sum *s,
				      uint64_t width)
{
	bool is_seen = sched_pass_is_seen(sched_pass_of(t->sched));
	enum sched_state state = most(s, width);

	if (!s->touched)
		return GLYPH_BLANK;
	/* With wake-up events only, the next one shows that it ran meanwhile. */
	if (is_seen && s->begun[SCHED_UNKNOWN])
		return GLYPH_WOKEN;
	if (s->begun[SCHED_WAITS] == 1 && s->last_kind == SCHED_WAITS && s->goes_on &&
	    state != SCHED_RUNS)
		return GLYPH_WOKEN;
	/* The length of the wait is not known then. */
	if (state == SCHED_WAITS)
		return s->begun[SCHED_WAITS] || !is_seen ? GLYPH_WAITS : GLYPH_BLANK;
	if (state == SCHED_PREEMPTED)
		return GLYPH_PREEMPTED;
	if (s->touched >> SCHED_RUNS & 1)
		return GLYPH_RUNS;
	if (s->begun[SCHED_WAITS])
		return GLYPH_WAITS;
	if (s->begun[SCHED_PREEMPTED])
		return GLYPH_PREEMPTED;
	if (state == SCHED_UNKNOWN)
		return is_seen && !(s->touched >> SCHED_TASK_LOST & 1) ? GLYPH_BLANK : GLYPH_LOST;
	if (state == SCHED_GONE)
		return GLYPH_BLANK;
	return state == SCHED_BLOCKED ? GLYPH_BLOCKED : GLYPH_SLEEPS;
}

/* Show where the name of a task changed, and former names where it had them. */
static void draw_names(struct timeline *t, uint32_t task, struct timeline_cell *cells)
{
	const char *last = timeline_task_comm(t, task, TIMELINE_LAST_NAME);
	const char *comm = timeline_task_comm(t, task, t->from), *next;

	if (comm == last && timeline_task_comm(t, task, timeline_to(t) - 1) == last)
		return;
	for (unsigned int i = 0; i < t->columns; i++) {
		next = timeline_task_comm(t, task, t->edges[i + 1] - 1);
		if (next != comm)
			put(t, &cells[i], GLYPH_RENAMED);
		comm = next;
	}
	for (unsigned int i = 0, n; i < t->columns; i += n) {
		n = nr_filled(t, cells, i);
		if (n > 1 && timeline_task_comm(t, task, t->edges[i + 1] - 1) != last)
			write_name(t, cells + i, n, t->edges[i + 1] - 1);
		n = n ? n : 1;
	}
}

/* What held the task up for as much of the column as the lowest bar stands for. */
static enum timeline_role held_by(const struct pyramid_sum *s, uint64_t width)
{
	uint64_t waited = s->ns[SCHED_WAITS] + s->ns[SCHED_PREEMPTED],
		 blocked = s->ns[SCHED_BLOCKED];

	if ((waited > blocked ? waited : blocked) * LEVELS < width)
		return TIMELINE_TEXT;
	return waited > blocked ? TIMELINE_WAIT : TIMELINE_BLOCKED;
}

/* The reason of a state, instead of the state: where it was that for most of a column. */
static void draw_reason(struct timeline *t, const struct pyramid *reasons, unsigned int kind,
			const enum timeline_role states[2], enum timeline_glyph glyph,
			struct timeline_cell *cells)
{
	if (!reasons->nr_chunks)
		return;
	pyramid_columns(reasons, sched_end(t->sched), t->edges, t->columns, t->sums);
	for (unsigned int i = 0; i < t->columns; i++) {
		uint64_t width = (uint64_t)(t->edges[i + 1] - t->edges[i]);

		if ((cells[i].role == states[0] || cells[i].role == states[1]) &&
		    t->sums[i].ns[kind] * 2 > width)
			put(t, &cells[i], glyph);
	}
}

static void draw_reasons(struct timeline *t, uint32_t task, struct timeline_cell *cells)
{
	static const enum timeline_role asleep[] = { TIMELINE_SLEEP, TIMELINE_BLOCKED },
					waits[] = { TIMELINE_WAIT, TIMELINE_PREEMPT };

	draw_reason(t, sched_locks(t->sched, task), SCHED_LOCK_WAITS, asleep, GLYPH_LOCKED, cells);
	draw_reason(t, sched_limits(t->sched, task), SCHED_THROTTLED, waits, GLYPH_THROTTLED,
		    cells);
	draw_reason(t, sched_limits(t->sched, task), SCHED_YIELDS, waits, GLYPH_WAITS, cells);
	draw_reason(t, sched_limits(t->sched, task), SCHED_FROZEN, asleep, GLYPH_FROZEN, cells);
}

static void draw_task(struct timeline *t, const struct timeline_row *row,
		      struct timeline_cell *cells)
{
	struct pyramid_sum *marks = mem_array(t->columns, sizeof(*marks));

	pyramid_columns(sched_marks(t->sched, row->index), sched_end(t->sched), t->edges,
			t->columns, marks);
	pyramid_columns(sched_task(t->sched, row->index), sched_end(t->sched), t->edges, t->columns,
			t->sums);
	for (unsigned int i = 0; i < t->columns; i++) {
		uint64_t width = (uint64_t)(t->edges[i + 1] - t->edges[i]);
		enum timeline_glyph glyph = task_glyph(t, &t->sums[i], width);

		/* A wake-up on another CPU migrates the task, too; it is shown as a wake-up. */
		if (glyph == GLYPH_RUNS) {
			put_runs(t, &cells[i], t->sums[i].ns[SCHED_RUNS], width, row->index);
			cells[i].held = (uint8_t)held_by(&t->sums[i], width);
		} else if (marks[i].begun[SCHED_MARK_MIGRATED] && !t->sums[i].begun[SCHED_WAITS] &&
			   glyph != GLYPH_WOKEN) {
			put(t, &cells[i], GLYPH_MIGRATED);
		} else {
			put(t, &cells[i], glyph);
		}
	}
	draw_reasons(t, row->index, cells);
	draw_names(t, row->index, cells);
	free(marks);
}

/* What took most of each column. */
static void draw_parts(struct timeline *t, struct timeline_cell *cells)
{
	static const enum timeline_glyph glyph_of[] = {
		[TIMELINE_PART_RUNS] = GLYPH_RUNS, [TIMELINE_PART_WAITS] = GLYPH_WAITS,
		[TIMELINE_PART_INTERRUPT] = GLYPH_INTERRUPT, [TIMELINE_PART_SLEEPS] = GLYPH_SLEEPS,
		[TIMELINE_PART_IDLE] = GLYPH_IDLE,
	};

	pyramid_columns(t->parts, sched_end(t->sched), t->edges, t->columns, t->sums);
	for (unsigned int i = 0; i < t->columns; i++) {
		const struct pyramid_sum *s = &t->sums[i];
		enum timeline_part part = TIMELINE_PART_RUNS;

		for (enum timeline_part k = part; k <= TIMELINE_PART_IDLE; k++)
			part = s->ns[k] > s->ns[part] ? k : part;
		if (part == TIMELINE_PART_RUNS && s->ns[part])
			put_runs(t, &cells[i], s->ns[part],
				 (uint64_t)(t->edges[i + 1] - t->edges[i]), SCHED_NO_TASK);
		else if (s->ns[part])
			put(t, &cells[i], glyph_of[part]);
		else
			put(t, &cells[i],
			    s->touched >> TIMELINE_PART_LOST & 1 ? GLYPH_LOST : GLYPH_BLANK);
	}
}

/* --- rows of slices ---------------------------------------------------------------------- */

static const struct pyramid nothing;	/* for a task without slices */

const struct pyramid *timeline_slices(const struct timeline *t, uint32_t task)
{
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(t->sched));

	return t->markers ? markers_row(t->markers, sched_rules_task(rules, task)) : NULL;
}

static void draw_slices(struct timeline *t, const struct timeline_row *row,
			struct timeline_cell *cells)
{
	const struct pyramid *p = timeline_slices(t, row->index);

	if (!p)
		p = &nothing;
	pyramid_columns(p, sched_end(t->sched), t->edges, t->columns, t->sums);
	for (unsigned int i = 0; i < t->columns; i++) {
		const struct pyramid_sum *s = &t->sums[i];

		if (s->touched >> MARKERS_SLICE & 1) {
			put_runs(t, &cells[i], s->ns[MARKERS_SLICE],
				 (uint64_t)(t->edges[i + 1] - t->edges[i]), top_task(s));
			cells[i].role = TIMELINE_RUN;
		} else {
			put(t, &cells[i],
			    s->touched >> PYRAMID_DOUBT & 1 ? GLYPH_LOST : GLYPH_BLANK);
		}
	}
	name_runs(t, cells);
}

void timeline_draw(struct timeline *t, const struct timeline_row *row, struct timeline_cell *cells)
{
	switch (row->kind) {
	case TIMELINE_CPU:
		draw_cpu(t, row, cells);
		break;
	case TIMELINE_IRQS:
	case TIMELINE_SOFTIRQS:
		draw_contexts(t, row, cells);
		break;
	case TIMELINE_OF_TASK:
		draw_task(t, row, cells);
		break;
	case TIMELINE_PLOT:
		timeline_plot_draw(t, row, cells);
		break;
	case TIMELINE_IDLE_CPUS:
		for (unsigned int i = 0; i < t->columns; i++)
			put(t, &cells[i], GLYPH_IDLE);
		break;
	case TIMELINE_PARTS:
		draw_parts(t, cells);
		break;
	case TIMELINE_SLICES:
		draw_slices(t, row, cells);
		break;
	case TIMELINE_GROUP:
		timeline_groups_draw(t, &t->groups->list[row->index], cells);
		break;
	case TIMELINE_CPUS:
		draw_cpus(t, row, cells);
		break;
	case TIMELINE_VCPU:
		timeline_guests_draw(t, row, cells);
		break;
	}
}

/* --- which tasks ------------------------------------------------------------------------------ */

struct pyramid_sum timeline_window_sum(const struct timeline *t, const struct pyramid *p)
{
	const int64_t edges[] = { t->from, timeline_to(t) };
	struct pyramid all = *p;
	struct pyramid_sum sum;

	all.votes = false;		/* nobody asks who has most of it */
	pyramid_columns(&all, sched_end(t->sched), edges, 1, &sum);
	return sum;
}

bool timeline_is_idle_cpu(struct timeline *t, unsigned int cpu)
{
	struct pyramid_state state;
	struct pyramid_iter it;

	pyramid_iter_init(&it, sched_cpu(t->sched, cpu), sched_end(t->sched), t->from);
	while (pyramid_iter_next(&it, &state) && state.from < timeline_to(t))
		if (state.to > t->from && (state.doubtful || (state.kind != SCHED_CPU_IDLE &&
							      state.kind != SCHED_CPU_UNKNOWN)))
			return false;
	return true;
}

struct candidate {
	uint64_t	run;
	uint32_t	task;
	uint32_t	cpu;		/* where it ran last in the window, or before */
};

struct candidates {			/* tasks are many: indices of them are sorted */
	struct candidate *list;		/* owned, [nr] */
	const struct sched_rules *rules;
	bool		 by_cpu;
};

static int in_order(const void *a, const void *b, void *arg)
{
	const struct candidates *c = arg;
	const struct candidate *x = &c->list[*(const uint32_t *)a];
	const struct candidate *y = &c->list[*(const uint32_t *)b];
	uint32_t x_pid = sched_rules_task(c->rules, x->task)->pid;
	uint32_t y_pid = sched_rules_task(c->rules, y->task)->pid;

	if (c->by_cpu && x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->run != y->run)
		return x->run > y->run ? -1 : 1;
	return x_pid < y_pid ? -1 : x_pid > y_pid;
}

static uint32_t last_cpu(const struct timeline *t, uint32_t task)
{
	static const struct pyramid_find runs = { .kinds = 1u << SCHED_RUNS };
	struct pyramid_state state;

	return pyramid_find_before(sched_task(t->sched, task), sched_end(t->sched), timeline_to(t),
				   &runs, &state) ?
		       state.arg :
		       UINT32_MAX;
}

#define BUSY (1u << SCHED_RUNS | 1u << SCHED_WAITS | 1u << SCHED_PREEMPTED)

/* False: the task does not exist yet, or sleeps to the end; in a large trace most do. */
static bool may_be_busy(const struct timeline *t, const struct pyramid *p)
{
	return p->nr_chunks && p->first < timeline_to(t) &&
	       (p->last > t->from || BUSY >> p->last_kind & 1);
}

static bool has_slices(struct timeline *t, uint32_t task)
{
	const struct pyramid *p = timeline_slices(t, task);

	return p && timeline_window_sum(t, p).touched >> MARKERS_SLICE & 1;
}

uint32_t timeline_tasks(struct timeline *t, bool all, bool by_cpu, uint32_t **tasks)
{
	struct candidates c = { .rules = sched_pass_rules(sched_pass_of(t->sched)),
				.by_cpu = by_cpu };
	uint32_t nr_tasks = sched_rules_nr_tasks(c.rules), nr = 0, cap = 0;

	for (uint32_t i = 0; i < nr_tasks; i++) {
		const struct pyramid *p = sched_task(t->sched, i);
		bool marked = has_slices(t, i);
		struct pyramid_sum sum;

		if (!all && !marked && !may_be_busy(t, p))
			continue;
		sum = timeline_window_sum(t, p);
		if (!marked && !(all ? sum.touched : sum.touched & BUSY))
			continue;
		mem_grow(&c.list, nr, &cap);
		c.list[nr++] = (struct candidate){ sum.ns[SCHED_RUNS], i, last_cpu(t, i) };
	}
	*tasks = mem_array(nr, sizeof(**tasks));
	for (uint32_t i = 0; i < nr; i++)
		(*tasks)[i] = i;
	if (nr)
		qsort_r(*tasks, nr, sizeof(**tasks), in_order, &c);
	for (uint32_t i = 0; i < nr; i++)
		(*tasks)[i] = c.list[(*tasks)[i]].task;
	free(c.list);
	return nr;
}

/* --- times ------------------------------------------------------------------------------------ */

static bool counts(const struct timeline *t)
{
	return trace_unit(sched_trace(t->sched)) == TRACE_UNIT_COUNT;
}

void timeline_time(const struct timeline *t, int64_t ts, int decimals, struct text *out)
{
	trace_time_text(sched_trace(t->sched), ts, decimals, out);
}

void timeline_span(const struct timeline *t, int64_t ns, struct text *out)
{
	struct text raw = { 0 };

	if (ns < 0) {
		text_printf(out, "%" PRId64, ns);
		return;
	}
	if (counts(t)) {
		text_count(out, (uint64_t)ns);
		text_add(out, ns == 1 ? " tick" : " ticks");
		return;
	}
	trace_duration_text(sched_trace(t->sched), (uint64_t)ns, &raw);
	text_trimmed(out, &raw);
	text_fini(&raw);
}

void timeline_scale(const struct timeline *t, struct text *out)
{
	struct text span = { 0 };
	const char *unit;
	size_t len;

	timeline_span(t, t->step, &span);
	unit = strchr(text_str(&span), ' ');
	len = unit ? (size_t)(unit - span.data) : span.len;
	if (memchr(text_str(&span), '.', len))
		while (span.data[len - 1] == '0' || span.data[len - 1] == '.')
			if (span.data[--len] == '.')
				break;
	text_bytes(out, text_str(&span), len);
	text_add(out, unit ? unit : "");
	text_fini(&span);
}

/* The next larger one of 1, 2, 5, 10, 20 … */
static int64_t round_up(int64_t v)
{
	int64_t unit = 1;

	while (unit < INT64_MAX / 10 && unit * 10 <= v)
		unit *= 10;
	for (int64_t k = 1; k <= 5; k += k == 1 ? 1 : 3)
		if (unit <= INT64_MAX / 10 && unit * k >= v)
			return unit * k;
	return unit <= INT64_MAX / 100 ? unit * 10 : unit;
}

/* The time at a tick, with no more decimals than the spacing of ticks needs. */
static void tick_text(const struct timeline *t, int64_t ts, int64_t every, struct text *out)
{
	if (counts(t)) {
		timeline_time(t, ts, 9, out);
		return;
	}
	text_seconds(out, ts, 9);
	for (int64_t unit = 10; unit <= 1000000000 && every % unit == 0; unit *= 10)
		out->len--;
	if (out->data[out->len - 1] == '.')
		out->len--;
	out->data[out->len] = '\0';
}

/* Blanks, and ticks where minor ones are; 0: there are none. */
static void add_gap(const struct timeline *t, unsigned int from, unsigned int to, int64_t minor,
		    struct text *out)
{
	for (unsigned int i = from; i < to; i++) {
		int64_t ts = t->edges[i], past = minor ? ts % minor : 0;

		past += past < 0 ? minor : 0;
		/* Keep away from the words on both sides. */
		if (minor && (!past || minor - past < t->step) && i > from && i + 1 < to)
			text_add(out, t->ascii ? "'" : "╵");
		else
			text_char(out, ' ');
	}
}

/* The first round time of the columns; false: it is out of all times. */
static bool first_tick(const struct timeline *t, int64_t every, int64_t *ts)
{
	int64_t rest = t->from % every;

	if (rest > 0)
		return !__builtin_add_overflow(t->from, every - rest, ts);
	*ts = t->from - rest;
	return true;
}

void timeline_ruler(const struct timeline *t, bool minor, struct text *out)
{
	int64_t every = round_up(t->step > INT64_MAX / 10 ? t->step : t->step * 10), ts;
	struct text tick = { 0 };
	unsigned int at = 0;
	int64_t gap = 0;		/* between minor ticks */

	/* Widen the spacing until the words fit between the ticks. */
	for (unsigned int tries = 0; tries < 12 && every < INT64_MAX; tries++) {
		text_clear(&tick);
		tick_text(t, timeline_to(t), every, &tick);
		if (every / t->step > (int64_t)tick.len)
			break;
		every = round_up(every + 1);
	}
	if (minor && every / 5 / t->step >= 2)
		gap = every / 5;
	for (bool more = first_tick(t, every, &ts); more && ts < timeline_to(t);
	     more = !__builtin_add_overflow(ts, every, &ts)) {
		unsigned int column = (unsigned int)(((uint64_t)ts - (uint64_t)t->from) /
						     (uint64_t)t->step);

		text_clear(&tick);
		tick_text(t, ts, every, &tick);
		if (column < at || column + tick.len > t->columns)
			continue;
		add_gap(t, at, column, gap, out);
		text_bytes(out, text_str(&tick), tick.len);
		at = column + (unsigned int)tick.len;
	}
	add_gap(t, at, t->columns, gap, out);
	text_fini(&tick);
}
